/* Prescribed motions and applied forces as functions of time. */
#include "base/turn.h"
#include "world/world.h"

#include <stdio.h>

/* From the body's origin to its pivot, in the motion's initial pose; whether that is not zero. */
static bool to_pivot(const tl_world_motion *m, double *anchor)
{
    const double *pivot = m->rec.def.pivot;
    if (pivot[0] == 0 && pivot[1] == 0 && pivot[2] == 0)
        return false;
    tl_turn_apply(m->orientation, pivot, anchor);
    return true;
}

void tl_motion_pose(const tl_world_motion *m, double time, double *x, double *q)
{
    const double t = time - m->start;
    double along[3], about[3], r[4], anchor[3], turned[3];
    const double far = tl_motion_at(&m->rec, TL_OFFSET, t, along);
    const double angle = tl_motion_at(&m->rec, TL_ROTATION, t, about);
    for (int k = 0; k < 3; k++)
        x[k] = m->position[k] + along[k] * far;
    for (int k = 0; k < 4; k++)
        q[k] = m->orientation[k];
    if (about[0] == 0 && about[1] == 0 && about[2] == 0)
        return;
    tl_turn_exp(about, angle, r);
    tl_turn_join(r, m->orientation, q);
    if (!to_pivot(m, anchor))
        return;
    tl_turn_apply(r, anchor, turned);
    for (int k = 0; k < 3; k++)
        x[k] += anchor[k] - turned[k];
}

/* The constant angular velocity that makes the turn of a step. */
static void angular_velocity(const tl_motion_rec *rec, double t, double h, double *w)
{
    double from[3], to[3];
    if (rec->def.rotation == TL_MOTION_VELOCITY) {
        for (int k = 0; k < 3; k++)
            w[k] = rec->def.angular_velocity[k];
        return;
    }
    const double before = tl_motion_at(rec, TL_ROTATION, t, from);
    const double after = tl_motion_at(rec, TL_ROTATION, t + h, to);
    for (int k = 0; k < 3; k++) {
        from[k] *= before;
        to[k] *= after;
        w[k] = to[k] - from[k];
    }
    if (rec->many_axes || !tl_turn_aligned(from, to, 1e-12))
        tl_turn_between(from, to, w);
    for (int k = 0; k < 3; k++)
        w[k] /= h;
}

void tl_motion_velocity(const tl_world_motion *m, double t, double h, double *v, double *w)
{
    double from[3], to[3], q[4];
    tl_motion_pose(m, t, from, q);
    tl_motion_pose(m, t + h, to, q);
    for (int k = 0; k < 3; k++)
        v[k] = (to[k] - from[k]) / h;
    angular_velocity(&m->rec, t - m->start, h, w);
}

bool tl_motion_sound(const tl_settings *s, const double *x, const double *v, const double *w)
{
    const double speed = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double spin = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    for (int k = 0; k < 3; k++)
        if (!(fabs(x[k] + s->step * v[k]) < TLK_FAR))
            return false;
    return speed <= s->max_speed * s->max_speed && spin < 1e24;
}

/* The expression of a motion that gives no number at time t, and what it gives. */
static const char *bad_expression(const tl_motion_rec *rec, double t, double *value)
{
    for (int i = 0; i < 6; i++) {
        const tl_track f = tl_motion_track(&rec->def, (tl_motion_part)(i / 3));
        *value = f.texts[i % 3] ? tl_expression_value(&rec->code[i], &t) : 0;
        if (!isfinite(*value))
            return f.texts[i % 3];
    }
    return NULL;
}

tl_status tl_motion_fail(const tl_world *world, const tl_world_motion *m)
{
    const double h = world->settings.step, end = world->time + h;
    double x[3], q[4], v[3], w[3], value;
    char clock[64] = "", limit[96];
    const char *text = bad_expression(&m->rec, world->time - m->start, &value);
    const double when = text ? world->time : end;
    if (!text)
        text = bad_expression(&m->rec, end - m->start, &value);
    if (m->start != 0)
        snprintf(clock, sizeof clock, ", t = %g of its motion", when - m->start);
    if (text)
        return tl_fail_about(
            TL_DIVERGED, &(tl_error){.bodies = {{m->id, 1}}},
            "step %llu: body %u has no place at time %g s%s: its motion's expression "
            "\"%.200s\" gives %g",
            (unsigned long long)world->steps + 1, m->id, when, clock, text, fabs(value));
    tl_motion_pose(m, world->time, x, q);
    tl_motion_velocity(m, world->time, h, v, w);
    const double most = world->settings.max_speed;
    snprintf(limit, sizeof limit, "settings.max_speed = %g", most);
    if (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= most * most)
        snprintf(limit, sizeof limit, "coordinates below %g m and spins below %g rad/s", TLK_FAR,
                 TLK_FAR);
    return tl_fail_about(
        TL_DIVERGED, &(tl_error){.bodies = {{m->id, 1}}},
        "step %llu: body %u at (%g, %g, %g) would move at (%g, %g, %g) m/s and (%g, %g, "
        "%g) rad/s by its motion%s; the limit is %s",
        (unsigned long long)world->steps + 1, m->id, x[0], x[1], x[2], v[0], v[1], v[2], w[0], w[1],
        w[2], clock, limit);
}

void tl_motion_begin(tl_world_motion *m, double time, const double *x, const double *q)
{
    double along[3], about[3], back[4], anchor[3], turned[3];
    const double far = tl_motion_at(&m->rec, TL_OFFSET, 0, along);
    const double angle = tl_motion_at(&m->rec, TL_ROTATION, 0, about);
    m->start = time;
    tl_turn_exp(about, -angle, back);
    tl_turn_join(back, q, m->orientation);
    for (int k = 0; k < 3; k++)
        m->position[k] = x[k] - along[k] * far;
    if (!to_pivot(m, anchor))
        return;
    tl_turn_apply(q, m->rec.def.pivot, turned);
    for (int k = 0; k < 3; k++)
        m->position[k] += turned[k] - anchor[k];
}

void tl_force_at(const tl_force_rec *f, double t, double *wrench)
{
    if (f->table_length) {
        tl_table_at(f->table_length, f->table, f->table + f->table_length, 6, t, wrench);
        return;
    }
    for (int k = 0; k < 6; k++)
        wrench[k] = f->constant[k];
}
