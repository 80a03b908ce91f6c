/* Tabulated springs in smooth steps (docs/theory.md, "Steppers"): a table pushes with the mean of
 * its forces over the way of the step, which gives back what it has taken, kinks or not. That is
 * no straight law of the speed, so it is one for where the last solution leads, until solutions
 * stay there. Included by kernels/joint.h. */
#ifndef TL_KERNELS_JOINT_FOLLOW_H
#define TL_KERNELS_JOINT_FOLLOW_H

#define TLK_FOLLOWS 30u /* attempts to meet a table */

/* The mean force of a table over a way, and its slope over where that ends. */
TL_NARROW double tlk_table_mean(const double *values, uint32_t length, double from, double to,
                                double *slope)
{
    const double low = tlk_min(from, to), high = tlk_max(from, to);
    double sum = 0, mean;
    uint32_t pieces = 0;
    for (uint32_t k = 1; k < length; k++) {
        const double left = k == 1 ? low : tlk_max(low, values[k - 1]);
        const double right = k + 1 == length ? high : tlk_min(high, values[k]);
        if (!(right > left))
            continue;
        double other;
        sum += (right - left) * tlk_table_force(values, length, 0.5 * (left + right), &other);
        pieces++;
    }
    if (pieces < 2) {
        mean = tlk_table_force(values, length, 0.5 * (from + to), slope);
        *slope = 0.5 * *slope;
        return mean;
    }
    mean = sum / (high - low);
    *slope = (tlk_table_force(values, length, to, slope) - mean) / (to - from);
    return mean;
}

/* The law of an axis's table and damper near a speed. What pushes further away the further it is
 * has no slope in it: a law never rises. Returns the impulse at the speed. */
TL_NARROW double tlk_springs_near(const double *numbers, const tlk_joint_axis *a, double h,
                                  double kick, double value, double speed, tlk_law *law)
{
    double slope;
    const double mean =
        tlk_table_mean(numbers + a->table, a->length, value, value + h * speed, &slope);
    const double steep = tlk_max(-kick * h * slope, 0.0);
    law->load = kick * mean + steep * speed;
    law->slope = kick * a->damping + steep;
    return law->load - law->slope * speed;
}

/* Impulses of springs, N s, that are no further apart are the same, but for rounding. */
TL_NARROW double tlk_springs_slack(const double *numbers, const tlk_joint_axis *a, double kick,
                                   double value, double speed, const tlk_law *law)
{
    const double *forces = numbers + a->table + a->length;
    const double size = fabs(forces[0]) + fabs(forces[a->length - 1]);
    return TLK_JOINT_FINE * (fabs(law->load) + law->slope * fabs(speed)) +
           1e-13 * (kick * size + law->slope / kick * fabs(value));
}

/* Where the springs of an axis do something else at the speed that was solved than their law says,
 * they have another, and true is returned. It is that for where the row would go were it alone,
 * with this mobility, 1/kg or 1/(kg m2): that for the speed at hand overshoots at kinks. */
TL_NARROW bool tlk_axis_follow(const double *numbers, const tlk_joint_axis *a, double h,
                               double kick, double value, double speed, double mobility,
                               double besides, tlk_law *law)
{
    const double push = law->load - besides - law->slope * speed;
    tlk_law now = *law;
    double change = tlk_springs_near(numbers, a, h, kick, value, speed, &now) - push;
    if (fabs(change) <= tlk_springs_slack(numbers, a, kick, value, speed, &now))
        return false;
    double low = speed + tlk_min(mobility * change, 0.0), at = speed;
    double high = speed + tlk_max(mobility * change, 0.0);
    for (uint32_t k = 0; k < TLK_FOLLOWS && low < high; k++) {
        const double off = at - speed - mobility * change;
        double next = at - off / (1 + mobility * now.slope);
        if (off > 0)
            high = tlk_min(high, at);
        else
            low = tlk_max(low, at);
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        const double way = fabs(next - at);
        at = next;
        change = tlk_springs_near(numbers, a, h, kick, value, at, &now) - push;
        if (way <= 1e-12 * fabs(at))
            break;
    }
    law->load = now.load + besides;
    law->slope = now.slope;
    return true;
}

#endif
