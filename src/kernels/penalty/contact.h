/* A point where two shapes touch, as the laws of penalty contact see it, and what they make of it.
 * Normals go from the owner a to the partner b; forces and moments are those on b. */
#ifndef TL_KERNELS_PENALTY_CONTACT_H
#define TL_KERNELS_PENALTY_CONTACT_H

#include "kernels/bodies.h"
#include "kernels/penalty/args.h"

/* Whether these forces are the last of a chunk, or of a phase: what is read of slots afterwards. */
TL_KERNEL bool tlk_penalty_last(const tlk_penalty *p)
{
    return p->moves == TLK_MOVE_LAST || p->moves == TLK_MOVE_NOT;
}

/* Where the work of a slot is added up. */
TL_KERNEL TLK_REAL *tlk_penalty_work(const tlk_penalty *p, size_t slot)
{
    return p->lasts == TLK_LAST ? p->last + TLK_LAST * slot + TLK_LAST_WORK : p->worked + slot;
}

typedef struct tlk_pressed {
    double n[3], overlap;
    double approach; /* m/s: of a towards b, along n */
    double slip[3];  /* m/s: of a's surface over b's */
    double spin[3];  /* rad/s: of a less that of b */
    double radius;   /* m: R*, 1/R* = 1/R_a + 1/R_b */
    double mass;     /* kg: m*, likewise */
    double inertia;  /* kg m^2: likewise, of the least moments */
    const double *law;
    double *past; /* TLK_PAST */
} tlk_pressed;

typedef struct tlk_reaction {
    double normal;      /* N: what pushes a and b apart; below 0: together */
    double pressure;    /* N: what carries friction */
    double elastic;     /* J */
    double damped;      /* N: the part of `normal` that is no spring's */
    double slope;       /* N/m: stiffness of the normal spring */
    double damper;      /* N s/m: of the normal damper */
    double lost;        /* J: beside damping and slip: where adhesion snaps */
    double shear[3];    /* N */
    double shear_slope; /* N/m */
    double moment[3];   /* N m */
    double lost_rate;   /* W: by moments */
} tlk_reaction;

/* What the damper adds, which pulls where that is allowed. */
TL_KERNEL void tlk_add_damping(const tlk_penalty *p, double spring, double damper, double approach,
                               tlk_reaction *out)
{
    const double damped = damper * approach;
    out->damper = damper;
    out->damped = spring + damped < 0 && !p->attraction ? -spring : damped;
    out->normal = spring + out->damped;
    out->pressure = tlk_max(out->normal, 0.0);
}

/* The tangential spring: its force turns with the contact; it grows by slope times the slip; where
 * the contact has become softer, it has in proportion, and where it has become stiffer the force
 * stays, so that no energy comes of either (Thornton, Cummins and Cleary, 2011). Then Coulomb's
 * limit. `damper`: N s/m. */
TL_KERNEL void tlk_shear_spring(const tlk_penalty *p, const tlk_pressed *c, double slope,
                                double damper, tlk_reaction *out, double *lost)
{
    double *past = c->past, force[3], before = 0, along = 0, square = 0, turned = 0;
    const double limit = c->law[TLK_LAW_FRICTION] * out->pressure;
    for (int k = 0; k < 3; k++) {
        force[k] = past[TLK_PAST_SHEAR + k];
        before += force[k] * force[k];
        along += force[k] * c->n[k];
    }
    const double old = past[TLK_PAST_SLOPE], inverse = 1 / old;
    for (int k = 0; k < 3; k++) {
        force[k] -= along * c->n[k];
        turned += force[k] * force[k];
    }
    double scale = turned > 0 ? sqrt(before / turned) : 0;
    scale *= slope < old ? slope * inverse : 1;
    for (int k = 0; k < 3; k++) {
        force[k] = scale * force[k] + slope * p->advance * c->slip[k];
        square += force[k] * force[k];
    }
    const bool slips = square > limit * limit;
    double total = 0;
    for (int k = 0; k < 3; k++) {
        out->shear[k] = force[k] + (slips ? 0 : damper * c->slip[k]);
        total += out->shear[k] * out->shear[k];
    }
    if (total > limit * limit) {
        const double less = limit / sqrt(total);
        for (int k = 0; k < 3; k++)
            out->shear[k] *= less;
    }
    if (slips)
        square = limit * limit;
    const double now = slope > 0 ? 0.5 * square / slope : 0;
    *lost += p->weight * tlk_dotd(out->shear, c->slip);
    if (p->commits) {
        *lost -= now - (old > 0 ? 0.5 * before * inverse : 0);
        for (int k = 0; k < 3; k++)
            past[TLK_PAST_SHEAR + k] = slips ? out->shear[k] : force[k];
        past[TLK_PAST_SLOPE] = slope;
        past[TLK_PAST_TOUCHED] = 1;
    }
    out->elastic += now;
}

#endif
