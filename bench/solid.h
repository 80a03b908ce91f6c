/* Convex solids of few corners: what the audit and the peers need of one, and how far two of them
 * are apart, by the separating axes of their faces and edges. In 64-bit, from the corners alone. */
#ifndef TALUS_BENCH_SOLID_H
#define TALUS_BENCH_SOLID_H

#include <stdbool.h>
#include <stdint.h>

#define SOLID_CORNERS    16
#define SOLID_FACES      (2 * SOLID_CORNERS - 4)
#define SOLID_DIRECTIONS (3 * SOLID_CORNERS - 6)
#define SOLID_LOOP       (SOLID_FACES + 2 * SOLID_DIRECTIONS)

/* A solid about its centre of mass, in its principal axes. */
typedef struct solid {
    uint32_t corner_count, face_count, direction_count;
    double corner[SOLID_CORNERS][3];       /* m */
    double face[SOLID_FACES][4];           /* outward unit normal, m from the centre of mass */
    uint32_t loop[SOLID_LOOP];             /* of each face: how many corners, and those, seen from
                                              outside counterclockwise */
    double direction[SOLID_DIRECTIONS][3]; /* unit, of the edges; parallel ones once */
    double radius;                         /* m, of the ball around it */
    double volume;                         /* m^3 */
    double inertia[3];                     /* m^5, moments of density 1 */
} solid;

/* The hull of 4 to SOLID_CORNERS points (m), all corners of it. False where they are not, or where
 * their axes are not the principal ones through the centre of mass. */
bool solid_make(uint32_t count, const double (*corners)[3], solid *made);

/* Two solids, or places of one. */
typedef struct solid_place {
    double corner[SOLID_CORNERS][3], normal[SOLID_FACES][3], direction[SOLID_DIRECTIONS][3];
} solid_place;

/* A solid at a position (m) with an orientation (w, x, y, z, of any length but 0). */
void solid_put(const solid *s, const double *position, const double *orientation,
               solid_place *place);

/* How far two are apart: the largest gap along any axis; negative, the depth of their overlap: the
 * shortest way out of each other. Gaps above `limit` may come out smaller, but above it. */
double solid_gap(const solid *s, const solid_place *a, const solid_place *b, double limit);

/* Turns a vector by an orientation, or back. */
void solid_turn(const double *orientation, bool back, const double v[3], double turned[3]);

#endif
