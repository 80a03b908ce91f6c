/* The law `scaled`, that of document 004 (eq. 2.18, 2.19 and the friction that follows them): all
 * forces are in proportion to the reduced mass. */
#ifndef TL_KERNELS_PENALTY_SCALED_H
#define TL_KERNELS_PENALTY_SCALED_H

#include "kernels/penalty/contact.h"

/* What friction is over the slip, s/m times N: by its form. */
TL_KERNEL double tlk_scaled_friction(const tlk_penalty *p, double slip)
{
    switch (p->form) {
    case 1: return slip > 0 ? 1 / slip : 0;
    case 2: return 1;
    case 3: return slip > 1 ? 1 / slip : slip > 0 ? 1 / sqrt(slip) : 0;
    default: return slip > 0 ? 1 / sqrt(slip) : 0;
    }
}

TL_KERNEL bool tlk_scaled(const tlk_penalty *p, const tlk_pressed *c, tlk_reaction *out,
                          double *lost)
{
    const double slip = sqrt(tlk_dotd(c->slip, c->slip));
    if (!(c->overlap > 0))
        return false;
    out->slope = c->mass * p->stiffness;
    out->elastic = 0.5 * out->slope * c->overlap * c->overlap;
    tlk_add_damping(p, out->slope * c->overlap, c->mass * p->damping, c->approach, out);
    const double size = c->mass * p->friction * c->overlap * tlk_scaled_friction(p, slip);
    for (int k = 0; k < 3; k++)
        out->shear[k] = size * c->slip[k];
    *lost += p->weight * size * slip * slip;
    if (p->commits)
        c->past[TLK_PAST_TOUCHED] = 1;
    return true;
}

#endif
