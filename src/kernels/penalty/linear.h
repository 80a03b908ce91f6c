/* The law `linear`: a spring and dashpot along the normal and across it (Cundall and Strack, 1979).
 * Also that of a pair with compliance, under `hertz` too. */
#ifndef TL_KERNELS_PENALTY_LINEAR_H
#define TL_KERNELS_PENALTY_LINEAR_H

#include "kernels/penalty/cohesion.h"
#include "kernels/penalty/roll.h"

/* Stiffness along the normal, and the damper beside it. */
TL_KERNEL double tlk_linear_slope(const tlk_penalty *p, const double *law, double radius)
{
    const double own = p->stiffness > 0 ? p->stiffness : 2 * law[TLK_LAW_YOUNG] * radius;
    return law[TLK_LAW_SPRING] > 0 ? law[TLK_LAW_SPRING] : own;
}

TL_KERNEL double tlk_linear_damper(const double *law, double slope, double mass)
{
    return law[TLK_LAW_DAMPER] >= 0 ? law[TLK_LAW_DAMPER] * slope
                                    : law[TLK_LAW_RATIO] * (2 * sqrt(mass * slope));
}

TL_KERNEL bool tlk_linear(const tlk_penalty *p, const tlk_pressed *c, tlk_reaction *out,
                          double *lost)
{
    const double *law = c->law;
    const double slope = tlk_linear_slope(p, law, c->radius);
    if (!(c->overlap > 0))
        return false;
    const double damper = tlk_linear_damper(law, slope, c->mass);
    out->slope = slope;
    out->elastic = 0.5 * slope * c->overlap * c->overlap;
    tlk_add_damping(p, slope * c->overlap, damper, c->approach, out);
    if (law[TLK_LAW_COHESION] > 0 || law[TLK_LAW_DENSITY] > 0)
        tlk_cohere(p, c, out);
    out->shear_slope =
        p->tangential > 0 && !(law[TLK_LAW_SPRING] > 0) ? p->tangential : 2.0 / 7 * slope;
    tlk_shear_spring(p, c, out->shear_slope, damper / slope * out->shear_slope, out, lost);
    return true;
}

#endif
