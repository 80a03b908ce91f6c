/* Where tabulated springs of joints are at rest. joint.c calls as it lays out axes. */
#include "kernels/joint/law.h" /* first: it says what a real is */

#include "world/joint.h"

double tl_spring_least(const double *numbers, const tlk_joint_axis *a)
{
    const double *values = numbers + a->table, *forces = values + a->length;
    double least = INFINITY;
    for (uint32_t k = 1; k < a->length; k++) {
        const bool first = k == 1, last = k + 1 == a->length;
        const double slope = (forces[k] - forces[k - 1]) / (values[k] - values[k - 1]);
        if (!(slope < 0) || (!first && forces[k - 1] < 0) || (!last && forces[k] > 0))
            continue;
        const double rest = values[k - 1] - forces[k - 1] / slope;
        least = fmin(least, tlk_axis_energy(numbers, a, 0,
                                            fmin(fmax(rest, first ? -INFINITY : values[k - 1]),
                                                 last ? INFINITY : values[k])));
    }
    return isfinite(least) ? least : 0;
}
