/* What fills and emitters share: random numbers, distributions of radii, and regions to place
 * spheres in. Everything here uses + - * / sqrt and floor alone (but see tl_size_draw), so that the
 * same seeds give the same spheres on every machine. */
#ifndef TL_SCENE_REGION_H
#define TL_SCENE_REGION_H

#include "kernels/args.h"
#include "scene/check.h"

/* splitmix64: a counter that is mixed. */
typedef struct tl_random {
    uint64_t state;
} tl_random;

/* The stream of a seed; other values of a or b give streams that have nothing to do with it. */
tl_random tl_random_start(uint64_t seed, uint64_t a, uint64_t b);

/* Evenly in [low, high). */
double tl_random_between(tl_random *random, double low, double high);

/* Refuses sizes that break a rule; fields are named "place.size.field". */
tl_status tl_size_check(const tl_place *place, const tl_size_def *size);

/* The smallest and the largest radius that can be drawn, and one in the middle. */
double tl_size_smallest(const tl_size_def *size);
double tl_size_largest(const tl_size_def *size);
double tl_size_middle(const tl_size_def *size);

/* A radius of checked sizes. The normal distributions ask libm's log whether to take a draw, never
 * for the value itself: machines differ only where log's last bit decides, about once in 10^15. */
double tl_size_draw(const tl_size_def *size, tl_random *random);

/* Refuses regions that break a rule; fields are named "place.region.field". */
tl_status tl_region_check(const tl_place *place, const tl_region *region);

/* A region as kernels see it. */
tlk_region tl_region_plain(const tl_region *region);

/* What fills and emitters ask on top: sizes and a finite region in which the largest sphere fits,
 * and a density that gives every sphere a mass. */
tl_status tl_region_check_spheres(const tl_place *place, const tl_region *region,
                                  const tl_size_def *size, double density);

/* A checked, finite region made ready for many questions. */
typedef struct tl_room {
    tl_region region;
    double axis[3], u[3], v[3]; /* cylinders: unit vectors along and across */
    double length;              /* cylinders: along the axis */
    double low[3], high[3];     /* the box around it */
    double slack;               /* m: distances this small are rounding */
    int walls;                  /* 6, 3 (mantle, base, top) or 1 */
} tl_room;

tl_room tl_room_of(const tl_region *region, double largest);

/* The distance of a point from a wall, positive inside, and the wall's normal into the room there
 * (zero on the axis of a cylinder and in the centre of a sphere). */
double tl_room_wall(const tl_room *room, int wall, const double x[3], double normal[3]);

/* Whether a sphere lies inside, but for rounding. */
bool tl_room_holds(const tl_room *room, const double x[3], double radius);

/* How far a sphere that lies inside can go along a unit vector. */
double tl_room_exit(const tl_room *room, const double x[3], double radius,
                    const double direction[3]);

/* A random place for a sphere, evenly over all places where it lies inside. */
void tl_room_sample(const tl_room *room, double radius, tl_random *random, double x[3]);

/* m^3 */
double tl_room_volume(const tl_room *room);

#endif
