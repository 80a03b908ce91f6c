/* What resists rolling and spinning: moments between the bodies of a contact. */
#ifndef TL_KERNELS_PENALTY_ROLL_H
#define TL_KERNELS_PENALTY_ROLL_H

#include "kernels/penalty/contact.h"

#define TLK_ROLL_DAMPING 0.3 /* of critical damping, of the elastic-plastic spring */

/* A moment of this size against a part of the relative spin: on b along what a turns faster by; no
 * more than stops that within the substep. */
TL_KERNEL void tlk_resist(const tlk_penalty *p, const tlk_pressed *c, const double *spin,
                          double most, tlk_reaction *out)
{
    const double size = sqrt(tlk_dotd(spin, spin));
    const double moment = tlk_min(most, c->inertia * size / p->h);
    for (int k = 0; k < 3 && size > 0; k++)
        out->moment[k] += moment / size * spin[k];
    out->lost_rate += moment * size;
}

/* Iwashita and Oda (1998), Ai et al. (2011), model C: a spring of stiffness 2.25 k mu_r^2 R*^2 up
 * to the limit, with a dashpot below it. What its work does not leave in it is lost. `softer`: what
 * the stiffness was before, over what it is. */
TL_KERNEL void tlk_roll_spring(const tlk_penalty *p, const tlk_pressed *c, const double *spin,
                               double most, double softer, tlk_reaction *out)
{
    const double size = c->law[TLK_LAW_ROLLING] * c->radius;
    const double slope = 2.25 * out->slope * size * size;
    double *past = c->past + TLK_PAST_ROLL, moment[3], square = 0, along = tlk_dotd(past, c->n);
    const double before = tlk_dotd(past, past);
    for (int k = 0; k < 3; k++) {
        moment[k] = past[k] - along * c->n[k] + slope * p->advance * spin[k];
        square += moment[k] * moment[k];
    }
    const bool yields = square > most * most;
    const double less = yields ? most / sqrt(square) : 1;
    const double damper = yields ? 0 : 2 * TLK_ROLL_DAMPING * sqrt(slope * c->inertia);
    double total[3];
    for (int k = 0; k < 3; k++) {
        moment[k] *= less;
        total[k] = moment[k] + damper * spin[k];
        if (p->commits)
            past[k] = moment[k];
    }
    const double size_2 = tlk_dotd(total, total);
    const double within = size_2 > most * most ? most / sqrt(size_2) : 1;
    const double now = slope > 0 ? 0.5 * tlk_dotd(moment, moment) / slope : 0;
    for (int k = 0; k < 3; k++) {
        total[k] *= within;
        out->moment[k] += total[k];
    }
    out->lost_rate += tlk_dotd(total, spin);
    if (p->commits)
        out->lost -= now - (before > 0 ? 0.5 * before / (slope * softer) : 0);
    out->elastic += now;
}

/* `softer`: what shear springs were before, over what they are. */
TL_KERNEL void tlk_roll_moment(const tlk_penalty *p, const tlk_pressed *c, double softer,
                               tlk_reaction *out)
{
    const double arm = c->radius * out->pressure, along = tlk_dotd(c->spin, c->n);
    double about[3], across[3];
    for (int k = 0; k < 3; k++) {
        about[k] = along * c->n[k];
        across[k] = c->spin[k] - about[k];
    }
    if (c->law[TLK_LAW_SPINNING] > 0)
        tlk_resist(p, c, about, c->law[TLK_LAW_SPINNING] * arm, out);
    if (!(c->law[TLK_LAW_ROLLING] > 0))
        return;
    if (p->rolling)
        tlk_roll_spring(p, c, across, c->law[TLK_LAW_ROLLING] * arm, softer, out);
    else
        tlk_resist(p, c, across, c->law[TLK_LAW_ROLLING] * arm, out);
}

#endif
