/* Scenes that the examples, the tests and the benches share. Plain users of the public interface.
 */
#ifndef TALUS_EXAMPLES_SCENES_H
#define TALUS_EXAMPLES_SCENES_H

#include "talus/talus.h"

/* What a pile is made of. */
typedef enum pile_kind {
    PILE_SPHERES,
    PILE_CUBES, /* their edge is two radii */
    PILE_HULLS, /* of 16 points on an ellipsoid with half axes of 1.4, 1.1 and 0.9 radii */
    PILE_CLUMPS /* each of three balls of 0.46 radii that nearly touch, in the ball of a sphere */
} pile_kind;

/* Equal bodies dropped into an open box of five fixed boxes (floor and four walls). */
typedef struct pile_options {
    pile_kind kind;
    size_t bodies;      /* exactly this many are made */
    double radius;      /* m; the default pile: 0.1 */
    double density;     /* kg/m^3; 2000 */
    double friction;    /* 0.5 */
    double restitution; /* 0 */
    double spacing;     /* m, of the starting grid; 0.22, of cubes and hulls 0.36 */
    double jitter;      /* m, each coordinate is moved by up to +- this; 0.005 */
    uint32_t layers;    /* about this many layers deep; 24 */
    bool packed; /* instead of the grid: layers at rest, each sphere in a hollow between three;
                    false */
    double ball; /* m: the radius of a large ball in the grid; 0: none; 0 */
    double ball_density; /* kg/m^3; 2000 */
    uint64_t seed;       /* of the jitter, and of the orientations of cubes and hulls; 1 */
    tl_settings settings;
} pile_options;

/* The pile of the benchmark: 4,000 bodies, h = 1/200, everything else as commented above. */
pile_options pile_default(void);

/* The same of cubes or hulls. */
pile_options pile_of(pile_kind kind);

/* The corners of a body (m) about its centre of mass, in its principal axes; returns how many: 0 of
 * a sphere. */
#define PILE_CORNERS 16
uint32_t pile_corners(const pile_options *options, double corners[PILE_CORNERS][3]);

/* The centres (m) and the radius of the balls of a body; returns how many: 0 of cubes and hulls. */
#define PILE_BALLS 3
uint32_t pile_balls(const pile_options *options, double balls[PILE_BALLS][3], double *radius);

/* The starting centres, `bodies` rows of 3 or NULL, and the inner box they are in (floor at
 * z = 0): half_width is half the inner width in x and y. Peers of the benchmark start from the same
 * centres. */
void pile_centres(const pile_options *options, double *centres, double *half_width, double *height);

/* The starting orientations (w, x, y, z), `bodies` rows of 4: at random, rounded as the centres. */
void pile_orientations(const pile_options *options, double *orientations);

/* Makes the scene; the last `bodies` bodies added are the pile's, in the order of the centres. A
 * ball comes before them, over three layers of the grid, and others make way for it: the pile goes
 * on above. */
tl_status pile_scene(const pile_options *options, tl_scene **scene);

/* Spheres of one radius at uniformly random places in a cube without walls, so dense that each has
 * `contacts_per_body` contacts on average with an envelope of 0 (half the expected number of
 * overlapping neighbours); gravity off. As in Table 2 of the sources. */
tl_status random_spheres_scene(size_t bodies, double contacts_per_body, uint64_t seed,
                               double *radius, double *centres, const tl_settings *settings,
                               tl_scene **scene);

/* Spheres in an upright round vessel whose bottom, flat or a funnel, has an open hole in the
 * middle: they flow out from the first step on, and those that have fallen out are removed. Walls
 * and bottom have `panels` sides. */
typedef struct vessel_options {
    size_t bodies;   /* spheres; exactly this many are placed, closely packed */
    double radius;   /* m; 0.1 */
    double density;  /* kg/m^3; 2000 */
    double friction; /* of spheres with each other and with the vessel; 0.5 */
    double width;    /* m, the inner diameter */
    double hole;     /* m, the diameter of the hole */
    double slope;    /* degrees, of the bottom; below 90 */
    double height;   /* m, of the walls, from the hole; the spheres have room in it */
    uint32_t panels; /* at least 3; 24 */
    uint64_t seed;   /* of the packing; 1 */
    tl_settings settings;
} vessel_options;

/* A silo about one and a half times as high as wide, with a funnel of 45 degrees and a hole of 8
 * spheres: examples/silo.json, and Table 1 of the sources. */
vessel_options silo_vessel(size_t bodies);

/* A tank of constant depth, 20 spheres, whose width follows from the bodies, with a hole of a
 * quarter of its width (and at least 8 spheres) in a flat bottom: examples/tank.json, and Table 3
 * of the sources. */
vessel_options tank_vessel(size_t bodies);

/* Makes the scene; the spheres are the last `bodies` bodies added. */
tl_status vessel_scene(const vessel_options *options, tl_scene **scene);

#endif
