/* The two experiments of document 003 in numbers of our own, and the path that a particle without
 * friction takes over them, event by event in closed form: what tests and talus-bench exact hold
 * the exact steppers against. */
#ifndef TALUS_EXAMPLES_EXACT_H
#define TALUS_EXAMPLES_EXACT_H

#include "talus/talus.h"

#define EXACT_CHAINS   8
#define EXACT_VERTICES 12

/* Open chains in the plane of x and z, and a particle of 5 kg above them. */
typedef struct exact_course {
    const char *name;
    size_t chains, vertices; /* of each chain */
    double vertex[EXACT_CHAINS][EXACT_VERTICES][2];
    double start[2], velocity[2], force[2];
    double epsilon, psi_minimum; /* the document's */
    double duration;
} exact_course;

exact_course exact_sawtooth(void);
exact_course exact_steep(void);
exact_course exact_hills(void);

/* The course as a scene, for a stepper; with epsilon and psi_minimum, or with Talus' own (false).
 * The particle is body 1. */
tl_status exact_scene(const exact_course *course, tl_stepper stepper, double h, bool document,
                      tl_scene **scene, tl_body *particle);

/* Where the particle is: on edge `edge` of chain `chain`, in flight (-1), or at rest between two.
 */
#define EXACT_REST (-2)
typedef struct exact_state {
    double t, x[2], v[2];
    int chain, edge;
} exact_state;

/* At the start; and goes on to time t, or to the next event before it (a landing, a peak that is
 * left), which is reported. */
exact_state exact_begin(const exact_course *course);
bool exact_event(const exact_course *course, exact_state *state, double t);

/* Goes on to time t, whatever happens in between. */
void exact_go(const exact_course *course, exact_state *state, double t);

/* How deep a point is in the solid: below all edges of a chain, m; 0 outside. */
double exact_depth(const exact_course *course, const double x[2]);

#endif
