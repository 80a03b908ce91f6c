/* The audit of a pile from its state alone: how deep spheres overlap each other and their box, and
 * how much energy is left. One function for every engine; it shares no code with the library's own
 * contact finder. Called by the benches; bench/README.md defines every number. */
#ifndef TALUS_BENCH_AUDIT_H
#define TALUS_BENCH_AUDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "solid.h"

/* Equal solid spheres, or other convex solids, in an open box with floor z = 0 and walls |x| = |y|
 * = half_width. */
typedef struct audit_input {
    size_t bodies;
    const solid *shape;         /* NULL: spheres */
    const double *orientations; /* w, x, y, z, rows of 4; of solids alone */
    double radius;              /* m; of solids the length that depths are compared with */
    double mass;                /* kg, of one body */
    bool boxed;                 /* false: there is no box */
    double half_width;          /* m, of the box */
    const double *positions;    /* m, rows of 3 */
    const double *velocities;   /* m/s, rows of 3; NULL: at rest */
    const double *angular;      /* rad/s, rows of 3; NULL: not spinning */
    size_t slab, slabs; /* overlaps of bodies in one of so many slabs across x; 0 slabs: of all */
} audit_input;

/* How deep a set of contacts overlaps, over the radius. */
typedef struct audit_overlap {
    size_t count; /* contacts with a negative gap */
    double mean;  /* over those; 0 where there is none */
    double p99;   /* 99th percentile of those, by nearest rank */
    double max;
} audit_overlap;

/* Overlaps, `touching` and `audited` of the slab, a pair being in one slab alone; the rest of all
 * bodies. */
typedef struct audit_result {
    audit_overlap overlap;
    size_t touching; /* pairs with a gap below 1 % of the radius, overlapping ones included */
    size_t audited;  /* bodies in the slab */
    size_t escaped;  /* bodies whose centre is outside the box */
    double joules_per_body; /* kinetic energy, mean over the bodies */
    double mean_height;     /* m, of the centres */
    double top;             /* m, of the highest point of a body */
} audit_result;

/* Audits a state. Returns NULL, or text that says why it cannot. */
const char *audit_bodies(const audit_input *input, audit_result *result);

/* The numbers of a set of overlaps (positive depths over the radius); sorts them in place. */
audit_overlap audit_overlaps(double *depths, size_t count);

#endif
