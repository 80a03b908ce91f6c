/* What acts along a row: locks, limits, motors, friction and springs as one law, in which the
 * impulse never rises with the speed. Where the law jumps (a break) a row may be held: its speed is
 * given. Elsewhere its impulse is, up to a slope, which is that of springs and dampers. A row is in
 * one state at a time; what is solved tells whether it was the right one. */
#ifndef TL_KERNELS_JOINT_LAW_H
#define TL_KERNELS_JOINT_LAW_H

#include "kernels/real.h" /* first: it says what reals are */

#include "kernels/joint/args.h"

#define TLK_AT_LIMIT 1e-9 /* m or rad: as near to a limit as what assemblies leave */

TL_NARROW void tlk_law_break(tlk_law *law, uint32_t kind, double speed, double low, double high)
{
    uint32_t k = law->breaks++;
    for (; k > 0 && law->speed[k - 1] > speed; k--) {
        law->kind[k] = law->kind[k - 1];
        law->speed[k] = law->speed[k - 1];
        law->low[k] = law->low[k - 1];
        law->high[k] = law->high[k - 1];
    }
    law->kind[k] = kind;
    law->speed[k] = speed;
    law->low[k] = low;
    law->high[k] = high;
}

/* The force of a tabulated spring at a coordinate, straight beyond its ends, and its slope. */
TL_NARROW double tlk_table_force(const double *values, uint32_t length, double x, double *slope)
{
    const double *forces = values + length;
    uint32_t k = 1;
    while (k + 1 < length && x > values[k])
        k++;
    *slope = (forces[k] - forces[k - 1]) / (values[k] - values[k - 1]);
    return forces[k - 1] + *slope * (x - values[k - 1]);
}

/* The energy in an axis's springs; `rest`: where they are at rest. That of a table counts from its
 * least. */
TL_NARROW double tlk_axis_energy(const double *numbers, const tlk_joint_axis *a, double rest,
                                 double x)
{
    const double off = x - rest;
    double energy = 0.5 * a->stiffness * off * off, slope;
    if (!a->length)
        return energy;
    const double *values = numbers + a->table;
    /* minus the integral of the force from the first value on */
    double from = values[0];
    const double way = x >= from ? 1.0 : -1.0;
    for (uint32_t k = 1; k <= a->length; k++) {
        const bool last = k == a->length || way < 0 || x <= values[k];
        const double to = last ? x : values[k];
        energy -= 0.5 * (to - from) *
                  (tlk_table_force(values, a->length, from, &slope) +
                   tlk_table_force(values, a->length, to, &slope));
        if (last)
            break;
        from = to;
    }
    return energy - a->least;
}

/* Speeds within which limits leave the coordinate: none are undone by force, that is for positions.
 * A limit that would be passed throws back. */
TL_NARROW void tlk_axis_limits(const tlk_joint_axis *a, double h, double value, double rate,
                               double *low, double *high)
{
    *low = -TLK_ENDLESS;
    *high = TLK_ENDLESS;
    if (a->lower > -TLK_ENDLESS) {
        *low = tlk_min((a->lower - value) / h, 0.0);
        if (a->restitution > 0 && value + h * rate < a->lower && rate < 0)
            *low = -a->restitution * rate;
    }
    if (a->upper < TLK_ENDLESS) {
        *high = tlk_max((a->upper - value) / h, 0.0);
        if (a->restitution > 0 && value + h * rate > a->upper && rate > 0)
            *high = -a->restitution * rate;
    }
}

/* The springs of an axis at a coordinate, for a time `kick`: with what they are at the end of it,
 * in dampers' way, so that half a step ends in its middle. */
TL_NARROW void tlk_axis_springs(const double *numbers, const tlk_joint_axis *a, double rest,
                                double h, double kick, double value, double rate, tlk_law *law)
{
    law->load = -kick * a->stiffness * (value - rest);
    law->slope = kick * (kick * a->stiffness + a->damping);
    if (a->length) {
        double slope;
        law->load += kick * tlk_table_force(numbers + a->table, a->length, value, &slope);
        law->slope += kick * kick * tlk_max(-slope, 0.0);
        if (kick < h) /* what pushes further away is foreseen: a law never rises */
            law->load += kick * kick * tlk_max(slope, 0.0) * rate;
    }
}

/* What an axis does besides, where it moves at speeds from `low` to `high`. */
TL_NARROW void tlk_axis_breaks(const tlk_joint_axis *a, double kick, double speed, double low,
                               double high, tlk_law *law)
{
    const bool driven = a->drive == 1 || a->drive == 2;
    const bool endless = driven && a->limit >= TLK_ENDLESS;
    if (!endless && a->lower >= a->upper) {
        tlk_law_break(law, TLK_BREAK_LOCK, 0, -TLK_ENDLESS, TLK_ENDLESS);
        return;
    }
    if (!endless && low > -TLK_ENDLESS)
        tlk_law_break(law, TLK_BREAK_LOWER, low, 0, TLK_ENDLESS);
    if (a->friction > 0)
        tlk_law_break(law, TLK_BREAK_FRICTION, 0, -kick * a->friction, kick * a->friction);
    if (endless) { /* it always holds; against limits, these win */
        tlk_law_break(law, TLK_BREAK_LOCK, tlk_min(tlk_max(speed, low), high), -TLK_ENDLESS,
                      TLK_ENDLESS);
        return;
    }
    if (driven)
        tlk_law_break(law, TLK_BREAK_MOTOR, speed, -kick * a->limit, kick * a->limit);
    if (high < TLK_ENDLESS)
        tlk_law_break(law, TLK_BREAK_UPPER, high, -TLK_ENDLESS, 0);
}

/* The law of an axis at a coordinate, for a step or, `kick`, its first half; `rest`: where its
 * springs are at rest; `rate`: as the step began. */
TL_NARROW void tlk_axis_law(const double *numbers, const tlk_joint_axis *a, double rest,
                            double target, double h, double kick, double value, double rate,
                            tlk_law *law)
{
    double low, high;
    tlk_axis_limits(a, h, value, rate, &low, &high);
    tlk_axis_springs(numbers, a, rest, h, kick, value, rate, law);
    if (a->drive == 3)
        law->load += kick * target;
    tlk_axis_breaks(a, kick, a->drive == 2 ? (target - value) / h : target, low, high, law);
}

/* The speed at which a limit holds in the second half of a step: where it did in the first, or
 * would have, had the motor not; as fast as it threw back, or at rest. Else `none`. */
TL_NARROW double tlk_limit_end(const tlk_law *first, uint32_t kind, double restitution, bool there,
                               double none)
{
    const uint32_t s = first->state / 2;
    if (!(first->state & 1) || (first->kind[s] != kind && first->kind[s] != TLK_BREAK_LOCK))
        return none;
    if (first->kind[s] == TLK_BREAK_LOCK)
        return there ? 0 : none;
    return restitution > 0 ? first->speed[s] : 0;
}

/* The speed that a motor holds in the second half of a step: its target, but where it was at its
 * limit on the way to a position it stays so. */
TL_KERNEL double tlk_motor_end(const tlk_joint_axis *a, const tlk_law *first, double target)
{
    for (uint32_t i = 0; i < first->breaks && a->drive == 2; i++)
        if (first->kind[i] == TLK_BREAK_MOTOR && first->state != 2 * i + 1)
            return first->state < 2 * i + 1 ? TLK_ENDLESS : -TLK_ENDLESS;
    return target;
}

/* The law of an axis for the second half of a step, after that of the first; `soft`: what its
 * springs did then. A motor that holds a position has its speed as target. */
TL_NARROW void tlk_axis_end(const tlk_joint_axis *a, double target, double kick, double value,
                            double soft, const tlk_law *first, tlk_law *law)
{
    const bool below = value <= a->lower + TLK_AT_LIMIT, above = value >= a->upper - TLK_AT_LIMIT;
    const double low = tlk_limit_end(first, TLK_BREAK_LOWER, a->restitution, below, -TLK_ENDLESS);
    const double high = tlk_limit_end(first, TLK_BREAK_UPPER, a->restitution, above, TLK_ENDLESS);
    law->load = soft + (a->drive == 3 ? kick * target : 0);
    tlk_axis_breaks(a, kick, tlk_motor_end(a, first, target), low, high, law);
}

/* The limit that an axis would pass in a step and that throws it back: -1 the lower, 1 the upper,
 * 0 none. What is slower than assemblies leave is none. */
TL_NARROW int tlk_axis_meets(const tlk_joint_axis *a, double h, double value, double rate)
{
    const bool driven = a->drive == 1 || a->drive == 2;
    if (!(a->restitution > 0) || (driven && a->limit >= TLK_ENDLESS) || a->lower >= a->upper ||
        !(h * fabs(rate) > TLK_AT_LIMIT))
        return 0;
    if (rate < 0)
        return a->lower > -TLK_ENDLESS && value + h * rate < a->lower ? -1 : 0;
    return a->upper < TLK_ENDLESS && value + h * rate > a->upper ? 1 : 0;
}

/* The law of an axis in an impact: limits that throw back, or are touched, and a motor that holds
 * its speed whatever it takes. */
TL_NARROW void tlk_axis_throw(const tlk_joint_axis *a, double h, double value, double rate,
                              tlk_law *law)
{
    const int met = tlk_axis_meets(a, h, value, rate);
    const double back = -a->restitution * rate;
    if (((a->drive == 1 || a->drive == 2) && a->limit >= TLK_ENDLESS) || a->lower >= a->upper) {
        tlk_law_break(law, TLK_BREAK_LOCK, rate, -TLK_ENDLESS, TLK_ENDLESS);
        return;
    }
    if (met < 0 || value <= a->lower + TLK_AT_LIMIT)
        tlk_law_break(law, TLK_BREAK_LOWER, met < 0 ? back : 0, 0, TLK_ENDLESS);
    if (met > 0 || value >= a->upper - TLK_AT_LIMIT)
        tlk_law_break(law, TLK_BREAK_UPPER, met > 0 ? back : 0, -TLK_ENDLESS, 0);
}

/* What breaks add to the impulse between breaks s - 1 and s; `but` (or TLK_NONE) is left out. */
TL_KERNEL double tlk_law_base(const tlk_law *law, uint32_t s, uint32_t but)
{
    double sum = law->load;
    for (uint32_t i = 0; i < law->breaks; i++)
        if (i != but)
            sum += i < s ? law->low[i] : law->high[i];
    return sum;
}

/* Where a row is held, by its state. */
TL_KERNEL bool tlk_law_holds(const tlk_law *law)
{
    return law->state & 1;
}

/* Where what is beyond a limit would push without end, the row is held at the next break instead.
 */
TL_NARROW void tlk_law_keep_finite(tlk_law *law)
{
    const double base = tlk_law_base(law, law->state / 2, TLK_NONE);
    if (base > 0.5 * TLK_ENDLESS)
        law->state++;
    else if (base < -0.5 * TLK_ENDLESS)
        law->state--;
}

/* The state that a step begins with: held where the last one left it, else by the speed. */
TL_NARROW void tlk_law_start(tlk_law *law, uint32_t held, double rate)
{
    uint32_t s = 0;
    for (uint32_t i = 0; i < law->breaks; i++)
        if (law->kind[i] == held || law->kind[i] == TLK_BREAK_LOCK) {
            law->state = 2 * i + 1;
            return;
        }
    while (s < law->breaks && rate > law->speed[s])
        s++;
    law->state = 2 * s;
    tlk_law_keep_finite(law);
}

/* Whether a solution has the row in another state: then it goes there. */
TL_NARROW bool tlk_law_move(tlk_law *law, double rate, double impulse)
{
    const uint32_t s = law->state / 2, old = law->state;
    if (tlk_law_holds(law)) {
        const double rest = tlk_law_base(law, s, s) - law->slope * law->speed[s];
        const double slack = 1e-9 * (fabs(impulse) + fabs(rest));
        if (impulse > rest + law->high[s] + slack)
            law->state = 2 * s;
        else if (impulse < rest + law->low[s] - slack)
            law->state = 2 * s + 2;
        if (law->state != old)
            tlk_law_keep_finite(law);
        return law->state != old;
    }
    if (s > 0 && rate < law->speed[s - 1] - 1e-12 * fabs(law->speed[s - 1]))
        law->state = 2 * s - 1;
    else if (s < law->breaks && rate > law->speed[s] + 1e-12 * fabs(law->speed[s]))
        law->state = 2 * s + 1;
    return law->state != old;
}

/* What the motor of a row does at break `at`, or friction and the motor at one speed, where the row
 * is held there: friction does what it can, the motor the rest. */
TL_NARROW double tlk_law_held(const tlk_law *law, uint32_t at, uint32_t friction, double impulse,
                              double rate)
{
    double rest = impulse - law->load + law->slope * rate;
    for (uint32_t i = 0; i < law->breaks; i++)
        if (i != at && i != friction)
            rest -= i < law->state / 2 ? law->low[i] : law->high[i];
    if (friction == TLK_NONE)
        return rest;
    return rest - tlk_min(tlk_max(rest, law->low[friction]), law->high[friction]);
}

/* What the motor of a row does, of its impulse at a rate. One that holds a position stands still
 * where it is as near to it as assemblies leave it. */
TL_NARROW double tlk_law_motor(const tlk_law *law, const tlk_joint_axis *a, double h, double target,
                               double impulse, double rate)
{
    const double still = a->drive == 2 ? TLK_AT_LIMIT / h : 0;
    uint32_t at = TLK_NONE, friction = TLK_NONE;
    if (a->drive == 3)
        return h * target;
    for (uint32_t i = 0; i < law->breaks && a->drive; i++)
        if (law->kind[i] == TLK_BREAK_MOTOR || law->kind[i] == TLK_BREAK_LOCK)
            at = i;
    if (at == TLK_NONE)
        return 0;
    for (uint32_t i = 0; i < law->breaks; i++)
        if (law->kind[i] == TLK_BREAK_FRICTION && fabs(law->speed[at]) <= still)
            friction = i;
    const uint32_t other = friction == TLK_NONE ? at : friction;
    if (law->state < 2 * tlk_min(at, other) + 1)
        return law->high[at];
    if (law->state > 2 * tlk_max(at, other) + 1)
        return law->low[at];
    return tlk_law_held(law, at, friction, impulse, rate);
}

#endif
