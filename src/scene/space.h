/* What is in the way where spheres are placed: balls in a grid that finds those near a point at
 * once, and walls (planes, boxes, parallelograms, triangles), whose bounds are in a grid of their
 * own. Solids other than balls and boxes are in the way with the box around them; meshes and height
 * fields with their triangles, the latter also with what is below. Fills and emitters make one for
 * the region they place in. */
#ifndef TL_SCENE_SPACE_H
#define TL_SCENE_SPACE_H

#include "scene/region.h"

#define TL_SPACE_LEVELS 30

/* A ball; others keep `reach` from its centre: its radius and the gap that is asked for. */
typedef struct tl_space_ball {
    double x[3], reach;
    uint32_t next; /* of the same bucket, or TL_NO_BALL */
    uint32_t level;
} tl_space_ball;

#define TL_NO_BALL 0xffffffffu

/* A shape that is no ball, in the world frame: its frame as far as half extents (tl_shape_frame),
 * or of a triangle (TL_MESH) its three corners. What is below a height field is a wall of its own
 * (TL_HEIGHTS). */
typedef struct tl_wall {
    uint32_t kind;                   /* tl_shape_kind */
    const tl_geometry_rec *geometry; /* of height fields */
    double frame[15];
    double bound[4]; /* a ball around it; an infinite radius for planes */
} tl_wall;

/* Cells of level l have edges of edge / 2^l; balls live on the level whose cells just hold them. */
typedef struct tl_space {
    tl_room room;
    const tl_array *geometries; /* tl_geometry_rec, of the shapes that are added; NULL: none */
    double edge;
    tl_array balls;                  /* tl_space_ball */
    tl_array buckets;                /* uint32_t, a power of two of them: first ball */
    tl_array walls;                  /* tl_wall */
    struct tl_space *bounds;         /* balls around walls that have a bound; NULL: none has */
    tl_array bounded, planes;        /* uint32_t: walls by ball of `bounds`; those without bound */
    size_t used[TL_SPACE_LEVELS];    /* balls of each level */
    double inverse[TL_SPACE_LEVELS]; /* of its cells' edge */
    uint64_t row[TL_SPACE_LEVELS];   /* cells from one to the next in y */
    uint64_t layer[TL_SPACE_LEVELS]; /* and in z */
} tl_space;

/* A space without anything, for spheres that reach up to `largest` and more. */
void tl_space_init(tl_space *space, const tl_room *room, double largest);
void tl_space_free(tl_space *space);

/* Adds a ball. */
tl_status tl_space_add(tl_space *space, const double x[3], double reach);

/* Adds a shape of a body that is at x with orientation q, if it is near the room. `gap` is
 * added around solids. */
tl_status tl_space_add_shape(tl_space *space, const double x[3], const double q[4],
                             const tl_shape_rec *shape, double gap);

/* The same for the frame of any shape but a sphere (tl_shape_frame), in its body's frame. */
tl_status tl_space_add_frame(tl_space *space, const double x[3], const double q[4], uint32_t kind,
                             const double frame[TL_FRAME], const double ball[4]);

/* Adds a ball if it is near the room. */
tl_status tl_space_add_near(tl_space *space, const double x[3], double reach);

/* Whether a sphere lies in the room and keeps clear of all balls and walls, but for rounding. */
bool tl_space_fits(const tl_space *space, const double x[3], double radius);

/* The distance of a point from a wall's surface and the direction away from it. */
double tl_space_wall(const tl_space *space, size_t wall, const double x[3], double normal[3]);

/* Writes the walls (uint32_t, ascending, in place of what `near` held) that can be nearer than
 * `distance` to a point, and perhaps others. */
tl_status tl_space_near_walls(const tl_space *space, const double x[3], double distance,
                              tl_array *near);

/* Writes the balls whose reach is nearer than `distance` to a point (uint32_t, in place of what
 * `near` held), in an order that depends on the calls so far alone. */
tl_status tl_space_near(const tl_space *space, const double x[3], double distance, tl_array *near);

#endif
