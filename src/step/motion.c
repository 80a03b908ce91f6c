/* Prescribed motions and applied forces as functions of time. */
#include "world/world.h"

#include <math.h>

/* Row of `width` numbers of a table at time t: linear between times, constant outside. */
static void table_at(size_t length, const double *times, const double *rows, size_t width, double t,
                     double *out)
{
    size_t low = 0, high = length - 1;
    if (t <= times[0])
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
    const double part = low == high ? 0 : (t - times[low]) / (times[high] - times[low]);
    for (size_t k = 0; k < width; k++)
        out[k] = rows[width * low + k] + part * (rows[width * high + k] - rows[width * low + k]);
}

void tl_motion_pose(const tl_world_motion *m, double t, double *x, double *q)
{
    const tl_motion_def *def = &m->rec.def;
    double offset[3] = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        q[k] = m->orientation[k];
    if (def->kind == TL_MOTION_SINE) {
        const double phase = 2 * 3.14159265358979323846 * def->frequency * t + def->phase;
        for (int k = 0; k < 3; k++)
            offset[k] = def->amplitude[k] * sin(phase);
    } else if (def->kind == TL_MOTION_TABLE) {
        table_at(def->table_length, def->times, def->offsets, 3, t, offset);
    } else {
        const double *w = def->angular_velocity, *p = m->orientation;
        const double speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        for (int k = 0; k < 3; k++)
            offset[k] = def->velocity[k] * t;
        if (speed > 0) {
            const double c = cos(0.5 * speed * t), s = sin(0.5 * speed * t) / speed;
            const double r[4] = {c, s * w[0], s * w[1], s * w[2]};
            q[0] = r[0] * p[0] - r[1] * p[1] - r[2] * p[2] - r[3] * p[3];
            q[1] = r[0] * p[1] + r[1] * p[0] + r[2] * p[3] - r[3] * p[2];
            q[2] = r[0] * p[2] - r[1] * p[3] + r[2] * p[0] + r[3] * p[1];
            q[3] = r[0] * p[3] + r[1] * p[2] - r[2] * p[1] + r[3] * p[0];
        }
    }
    for (int k = 0; k < 3; k++)
        x[k] = m->position[k] + offset[k];
}

void tl_motion_velocity(const tl_world_motion *m, double t, double h, double *v, double *w)
{
    double from[3], to[3], q[4];
    tl_motion_pose(m, t, from, q);
    tl_motion_pose(m, t + h, to, q);
    for (int k = 0; k < 3; k++) {
        v[k] = (to[k] - from[k]) / h;
        w[k] = m->rec.def.kind == TL_MOTION_VELOCITY ? m->rec.def.angular_velocity[k] : 0;
    }
}

void tl_force_at(const tl_force_rec *f, double t, double *wrench)
{
    if (f->table_length) {
        table_at(f->table_length, f->table, f->table + f->table_length, 6, t, wrench);
        return;
    }
    for (int k = 0; k < 6; k++)
        wrench[k] = f->constant[k];
}
