/* How deep bodies overlap, against their radii. Used by check and by runs. Both functions return an
 * exit code and tell what went wrong. */
#ifndef TALUS_OVERLAP_H
#define TALUS_OVERLAP_H

#include <talus/talus.h>

/* m, the mean radius of the shapes of dynamic bodies (of balls around those that are no spheres):
 * what overlaps are compared with in progress lines and summaries. 0 where there are none. */
int mean_radius(const tl_world *world, double *radius);

/* The overlaps of a world's present state. */
typedef struct overlaps {
    size_t pairs;    /* contacts that overlap by more than a tenth of the smaller radius */
    tl_body a, b;    /* the worst of all */
    double depth;    /* m, its overlap; 0 where nothing overlaps */
    double relative; /* its overlap over the smaller radius */
    size_t inside;   /* spheres whose centre is in a box or behind a plane */
    tl_body in, of;  /* the first of them, and the body that it is in */
} overlaps;

/* Finds them. */
int find_overlaps(tl_world *world, overlaps *found);

#endif
