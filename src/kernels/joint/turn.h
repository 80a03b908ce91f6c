/* Angles, by sums, products, quotients and roots alone, so that every machine has the same bits. */
#ifndef TL_KERNELS_JOINT_TURN_H
#define TL_KERNELS_JOINT_TURN_H

#include "kernels/real.h" /* first: it says what reals are */

#include "kernels/joint/args.h"

#define TLK_PI 3.14159265358979323846

/* Of y / x in [0, 1]: halved three times, then a series. Below 2^-27 none of its terms but the
 * first is left by rounding; locked angles are all there. */
TL_NARROW double tlk_atan_small(double t)
{
    if (t < 0x1p-27)
        return t;
    for (int k = 0; k < 3; k++)
        t = t / (1 + sqrt(1 + t * t));
    const double t2 = t * t;
    double sum = 0;
    for (int k = 17; k >= 1; k -= 2)
        sum = (((k / 2) & 1) ? -1.0 : 1.0) / k + t2 * sum;
    return 8 * t * sum;
}

/* The angle of (x, y), from -pi to pi. */
TL_NARROW double tlk_atan2(double y, double x)
{
    const double ax = fabs(x), ay = fabs(y);
    if (ax == 0 && ay == 0)
        return 0;
    double angle = ay <= ax ? tlk_atan_small(ay / ax) : 0.5 * TLK_PI - tlk_atan_small(ax / ay);
    if (x < 0)
        angle = TLK_PI - angle;
    return y < 0 ? -angle : angle;
}

/* The same to a tenth of a radian, which takes one division. */
TL_KERNEL double tlk_near_angle(double y, double x)
{
    const double ax = fabs(x), ay = fabs(y), most = tlk_max(ax, ay);
    if (most == 0)
        return 0;
    const double slant = 0.25 * TLK_PI * (tlk_min(ax, ay) / most);
    double angle = ay <= ax ? slant : 0.5 * TLK_PI - slant;
    if (x < 0)
        angle = TLK_PI - angle;
    return y < 0 ? -angle : angle;
}

/* The angle that is the same up to whole turns and nearest to one that is known. */
TL_NARROW double tlk_unwrap(double angle, double near)
{
    return angle + 2 * TLK_PI * floor((near - angle) / (2 * TLK_PI) + 0.5);
}

#endif
