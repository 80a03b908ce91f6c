/* Cohesion of penalty contact: DMT and SJKR add to the law; JKR takes the place of Hertz's force.
 */
#ifndef TL_KERNELS_PENALTY_COHESION_H
#define TL_KERNELS_PENALTY_COHESION_H

#include "kernels/penalty/contact.h"

#define TLK_PI 3.14159265358979323846

/* The cube root of a positive number within the range of 32-bit numbers: a guess by its exponent,
 * and Newton's steps. */
TL_KERNEL double tlk_cube_root(double x)
{
    double y = (double)tlk_bits_float(tlk_float_bits((float)x) / 3 + 0x2a514067u);
    for (int k = 0; k < 4; k++)
        y = (2 * y + x / (y * y)) / 3;
    return y;
}

/* What DMT (a constant force) or SJKR (by area) pull with, which the spring carries: friction is
 * that of the spring. */
TL_KERNEL void tlk_cohere(const tlk_penalty *p, const tlk_pressed *c, tlk_reaction *out)
{
    const bool area = p->cohesion == 0;
    const double width = 2 * TLK_PI * c->radius * c->law[TLK_LAW_DENSITY];
    const double pull = area ? width * c->overlap : c->law[TLK_LAW_COHESION];
    out->normal -= pull;
    out->elastic -= area ? 0.5 * pull * c->overlap : pull * c->overlap;
}

/* Johnson, Kendall and Roberts (1971). With the contact radius s^2: overlap = s^4/R - B s, B =
 * sqrt(2 pi w/E), and the force (4 E/(3 R)) s^6 - C s^3, C = sqrt(8 pi w E); w follows from the
 * force 1.5 pi w R that pulls the surfaces apart. From above, Newton's method comes down to the
 * largest s. False where the surfaces do not touch or have been pulled apart, which they are from
 * where the overlap is least, s^3 = B R/4. */
TL_KERNEL bool tlk_jkr(const tlk_pressed *c, double *force, double *slope, double *elastic)
{
    const double E = c->law[TLK_LAW_YOUNG], R = c->radius;
    const double w = c->law[TLK_LAW_COHESION] / (1.5 * TLK_PI * R);
    const double B = sqrt(2 * TLK_PI * w / E), C = sqrt(8 * TLK_PI * w * E);
    const double cube = tlk_cube_root(0.25 * B * R), o = c->overlap;
    if (o < -0.75 * B * cube || (o < 0 && !(c->past[TLK_PAST_TOUCHED] > 0)))
        return false;
    /* s^4/R is at most B s + |o|, so s at most the sum of the roots of either */
    double s = 1.5874010519681996 * cube + sqrt(sqrt(R * fabs(o)));
    for (int k = 0; k < 24; k++) {
        const double s3 = s * s * s;
        const double rise = 4 * s3 / R - B;
        s = rise > 0 ? tlk_max(s - (s3 * s / R - B * s - o) / rise, cube) : cube;
    }
    const double s3 = s * s * s, a = s * s, rise = 4 * s3 / R - B;
    *force = 4 * E / (3 * R) * s3 * s3 - C * s3;
    *slope = rise > 1e-9 * B ? (8 * E / R * s3 * a - 3 * C * a) / rise : 0;
    *slope = tlk_max(*slope, 2 * E * a);
    *elastic = 8 * E * a * a * a * a * a / (15 * R * R) - 2 * C / (3 * R) * s3 * a * a +
               TLK_PI * w * a * a;
    return true;
}

#endif
