/* The law `hertz`: Hertz along the normal, Mindlin across it, with damping that gives the
 * restitution asked for at any speed (Tsuji, Tanaka and Ishida, 1992; Antypov and Elliott, 2011).
 */
#ifndef TL_KERNELS_PENALTY_HERTZ_H
#define TL_KERNELS_PENALTY_HERTZ_H

#include "kernels/penalty/cohesion.h"
#include "kernels/penalty/roll.h"

/* zeta sqrt(5 m* k) o^(1/4) is zeta 2 sqrt(5/6) sqrt(m* k'), k' the slope of the spring. */
#define TLK_HERTZ_DAMPING 1.8257418583505538

/* Stiffness along the normal, where the contact has this radius; and the damper beside it. */
TL_KERNEL double tlk_hertz_slope(const double *law, double contact)
{
    return 2 * law[TLK_LAW_YOUNG] * contact;
}

TL_KERNEL double tlk_hertz_damper(const double *law, double slope, double mass)
{
    return law[TLK_LAW_RATIO] * TLK_HERTZ_DAMPING * sqrt(slope * mass);
}

/* One point; false where it does not touch. */
TL_KERNEL bool tlk_hertz(const tlk_penalty *p, const tlk_pressed *c, tlk_reaction *out,
                         double *lost)
{
    const double *law = c->law;
    const bool jkr = p->cohesion == 1 && law[TLK_LAW_COHESION] > 0;
    double contact, spring; /* radius of contact, m; N */
    if (jkr) {
        double elastic;
        const bool touched = c->past[TLK_PAST_TOUCHED] > 0;
        if (!tlk_jkr(c, &spring, &out->slope, &elastic))
            return false;
        const double damper = tlk_hertz_damper(law, out->slope, c->mass);
        contact = out->slope / (2 * law[TLK_LAW_YOUNG]);
        out->damper = damper;
        out->damped = damper * c->approach;
        out->normal = spring + out->damped;
        out->pressure = tlk_max(out->normal + 2 * law[TLK_LAW_COHESION], 0.0);
        out->elastic = elastic;
        out->lost -= touched || !p->commits ? 0 : elastic;
    } else {
        if (!(c->overlap > 0))
            return false;
        contact = sqrt(c->radius * c->overlap);
        out->slope = tlk_hertz_slope(law, contact);
        spring = 2.0 / 3 * out->slope * c->overlap;
        const double damper = tlk_hertz_damper(law, out->slope, c->mass);
        out->elastic = 0.4 * spring * c->overlap;
        tlk_add_damping(p, spring, damper, c->approach, out);
        if (law[TLK_LAW_COHESION] > 0 || law[TLK_LAW_DENSITY] > 0)
            tlk_cohere(p, c, out);
    }
    out->shear_slope = 8 * law[TLK_LAW_SHEAR] * contact;
    tlk_shear_spring(p, c, out->shear_slope, law[TLK_LAW_ACROSS] * out->damper, out, lost);
    return true;
}

#endif
