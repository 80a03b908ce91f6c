/* The functions of time that prescribed motions are made of. A motion has two of them, the offset
 * and the rotation vector, which are evaluated alike. Called by motion.c and step/motion.c. */
#include "base/turn.h"
#include "scene/check.h"

#include <math.h>

tl_track tl_motion_track(const tl_motion_def *def, tl_motion_part part)
{
    return part == TL_OFFSET ? (tl_track){.kind = def->kind,
                                          .velocity = def->velocity,
                                          .from = def->velocity_from,
                                          .start = def->ramp_start,
                                          .stop = def->ramp_stop,
                                          .amplitude = def->amplitude,
                                          .frequency = def->frequency,
                                          .phase = def->phase,
                                          .length = def->table_length,
                                          .times = def->times,
                                          .rows = def->offsets,
                                          .texts = def->expressions}
                             : (tl_track){.kind = def->rotation,
                                          .velocity = def->angular_velocity,
                                          .from = def->angular_velocity_from,
                                          .start = def->angular_ramp_start,
                                          .stop = def->angular_ramp_stop,
                                          .amplitude = def->angular_amplitude,
                                          .frequency = def->angular_frequency,
                                          .phase = def->angular_phase,
                                          .length = def->angular_table_length,
                                          .times = def->angular_times,
                                          .rows = def->rotations,
                                          .texts = def->angular_expressions};
}

/* The last row of a table at or before time t, or the first, and which part of the way to the next
 * one t is (0 without a next one). Where two rows have one time, the second counts from it on. */
static size_t find_row(size_t length, const double *times, double t, double *part)
{
    size_t low = 0, high = length - 1;
    if (t < times[0])
        high = 0;
    else if (t >= times[high])
        low = high;
    while (low + 1 < high) {
        const size_t middle = (low + high) / 2;
        if (times[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    *part = low == high ? 0 : (t - times[low]) / (times[high] - times[low]);
    return low;
}

void tl_table_at(size_t length, const double *times, const double *rows, size_t width, double t,
                 double *out)
{
    double part;
    const size_t low = find_row(length, times, t, &part), high = low + (part > 0);
    for (size_t k = 0; k < width; k++)
        out[k] = rows[width * low + k] + part * (rows[width * high + k] - rows[width * low + k]);
}

/* The rotation vector between two rows, by the shortest turn at a constant speed. */
static void turn_at(const tl_track *f, double t, double *out)
{
    double part, way[3], first[4], then[4], q[4];
    const size_t low = find_row(f->length, f->times, t, &part), high = low + (part > 0);
    tl_turn_between(f->rows + 3 * low, f->rows + 3 * high, way);
    tl_turn_exp(f->rows + 3 * low, 1, first);
    tl_turn_exp(way, part, then);
    tl_turn_join(then, first, q);
    tl_turn_log(q, out);
}

/* The integral of the velocity. */
static void ramp_at(const tl_track *f, double t, double *out)
{
    const double u = t - f->start, length = f->stop - f->start;
    const double gained = u <= 0 ? 0 : u < length ? 0.5 * u * u / length : u - 0.5 * length;
    for (int k = 0; k < 3; k++)
        out[k] = f->from[k] * t + (f->velocity[k] - f->from[k]) * gained;
}

double tl_motion_at(const tl_motion_rec *motion, tl_motion_part part, double t, double direction[3])
{
    const tl_track f = tl_motion_track(&motion->def, part);
    const double *along = f.kind == TL_MOTION_SINE ? f.amplitude : f.velocity;
    if (f.kind == TL_MOTION_VELOCITY || f.kind == TL_MOTION_SINE) {
        for (int k = 0; k < 3; k++)
            direction[k] = along[k];
        return f.kind == TL_MOTION_VELOCITY
                   ? t
                   : sin(2 * 3.14159265358979323846 * f.frequency * t + f.phase);
    }
    if (f.kind == TL_MOTION_TABLE && part == TL_ROTATION && motion->many_axes)
        turn_at(&f, t, direction);
    else if (f.kind == TL_MOTION_TABLE)
        tl_table_at(f.length, f.times, f.rows, 3, t, direction);
    else if (f.kind == TL_MOTION_RAMP)
        ramp_at(&f, t, direction);
    else
        for (int k = 0; k < 3; k++)
            direction[k] = f.texts[k] ? tl_expression_value(&motion->code[3 * part + k], &t) : 0;
    return 1;
}

static bool any(const double *v, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (v[k] != 0)
            return true;
    return false;
}

bool tl_motion_turns(const tl_motion_def *def)
{
    switch (def->rotation) {
    case TL_MOTION_VELOCITY: return any(def->angular_velocity, 3);
    case TL_MOTION_SINE: return any(def->angular_amplitude, 3);
    case TL_MOTION_TABLE: return any(def->rotations, 3 * def->angular_table_length);
    case TL_MOTION_RAMP: return any(def->angular_velocity, 3) || any(def->angular_velocity_from, 3);
    case TL_MOTION_EXPRESSION: break;
    }
    return def->angular_expressions[0] || def->angular_expressions[1] ||
           def->angular_expressions[2];
}
