/* Scenes that the examples, the tests and the benches share. Plain users of the public interface.
 */
#ifndef TALUS_EXAMPLES_SCENES_H
#define TALUS_EXAMPLES_SCENES_H

#include "talus/talus.h"

/* Equal spheres dropped into an open box of five fixed boxes (floor and four walls). */
typedef struct pile_options {
    size_t bodies;   /* spheres; exactly this many are made */
    double radius;   /* m; the default pile: 0.1 */
    double density;  /* kg/m^3; 2000 */
    double friction; /* 0.5 */
    double spacing;  /* m, of the starting grid; 0.22 */
    double jitter;   /* m, each coordinate is moved by up to +- this; 0.005 */
    uint32_t layers; /* about this many layers deep; 24 */
    uint64_t seed;   /* of the jitter; 1 */
    tl_settings settings;
} pile_options;

/* The pile of the benchmark: 4,000 bodies, h = 1/200, everything else as commented above. */
pile_options pile_default(void);

/* The grid of starting centres, `bodies` rows of 3, and the inner box they are in (floor at z = 0):
 * half_width is half the inner width in x and y. Peers of the benchmark start from the same
 * centres. */
void pile_centres(const pile_options *options, double *centres, double *half_width, double *height);

/* Makes the scene; the spheres are the last `bodies` bodies added, in the order of the centres. */
tl_status pile_scene(const pile_options *options, tl_scene **scene);

/* Spheres of one radius at uniformly random places in a cube without walls, so dense that each has
 * `contacts_per_body` contacts on average with an envelope of 0 (half the expected number of
 * overlapping neighbours); gravity off. As in Table 2 of the sources. */
tl_status random_spheres_scene(size_t bodies, double contacts_per_body, uint64_t seed,
                               double *radius, double *centres, const tl_settings *settings,
                               tl_scene **scene);

#endif
