/* Monitors: what is measured in each step. Forces and flows are taken before bodies move, when the
 * impulses of the step are known; what bodies do is taken after. Sums are folds on the device, in
 * an order that depends on the state alone; the host makes channels of them. step/dvi.c calls the
 * three stages; a world without monitors has nothing to do in any of them. */
#include "base/turn.h"
#include "scene/region.h"
#include "world/query.h"

#include <math.h>
#include <string.h>

#define FEW 16u /* joints that are read one by one */

void tl_monitoring_init(tl_monitoring *m)
{
    *m = (tl_monitoring){.emitted = {.item = sizeof(tl_emitted)},
                         .state = {.item = sizeof(tl_monitor_state)},
                         .values = {.item = sizeof(double)},
                         .least = {.item = sizeof(double)},
                         .greatest = {.item = sizeof(double)},
                         .args = {.item = sizeof(tlk_monitor)},
                         .masks = {.item = sizeof(uint32_t)},
                         .numbers_host = {.item = sizeof(double)},
                         .parts = {.item = sizeof(double)},
                         .joints = {.item = sizeof(tlk_joint_reading)}};
    tl_monitor_list_init(&m->list);
}

void tl_monitoring_free(tl_backend *b, tl_monitoring *m)
{
    tl_array *arrays[] = {&m->emitted, &m->state, &m->values,       &m->least,  &m->greatest,
                          &m->args,    &m->masks, &m->numbers_host, &m->joints, &m->parts};
    for (size_t i = 0; i < m->state.count; i++)
        tl_array_free(&((tl_monitor_state *)m->state.data)[i].window);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
    tl_monitor_list_free(&m->list);
    tl_buffer_free(b, &m->member);
    tl_buffer_free(b, &m->touching);
    tl_buffer_free(b, &m->numbers);
}

tl_status tl_monitors_fill(tl_world *w, const tl_monitor_list *list)
{
    tl_monitoring *m = &w->monitors;
    TL_TRY(tl_monitor_list_copy(list, &m->list));
    const size_t monitors = m->list.monitors.count, channels = m->list.channels.count;
    TL_TRY(tl_array_resize(&m->values, channels + 1));
    TL_TRY(tl_array_resize(&m->least, channels));
    TL_TRY(tl_array_resize(&m->greatest, channels));
    for (size_t i = 0; i <= channels; i++)
        ((double *)m->values.data)[i] = NAN;
    for (size_t i = 0; i < channels; i++)
        ((double *)m->least.data)[i] = ((double *)m->greatest.data)[i] = NAN;
    TL_TRY(tl_array_resize(&m->args, monitors));
    TL_TRY(tl_array_resize(&m->numbers_host, monitors * TLK_FOLD_NUMBERS));
    TL_TRY(tl_array_resize(&m->state, monitors));
    for (size_t i = 0; i < monitors; i++)
        ((tl_monitor_state *)m->state.data)[i] =
            (tl_monitor_state){.window = {.item = sizeof(tl_sample)}};
    return TL_OK;
}

/* --- groups ---------------------------------------------------------------------------------- */

void tl_monitors_emitted(tl_monitoring *m, const tl_array *emitted)
{
    const tl_emitted *made = emitted->data;
    for (size_t i = 0; i < emitted->count; i++) {
        tl_emitted *all = m->emitted.data;
        tl_emitted *last = m->emitted.count ? &all[m->emitted.count - 1] : NULL;
        if (last && last->emitter == made[i].emitter && last->first + last->count == made[i].first)
            last->count += made[i].count;
        else
            all[m->emitted.count++] = made[i];
    }
}

/* Whether a group needs a bit per body: not where all bodies are in it, or none is named. */
static bool has_bit(const tl_group_def *group)
{
    return !group->all && !tl_group_empty(group);
}

static void mark(const tl_world *w, uint32_t bit, uint32_t first, uint32_t count)
{
    const uint32_t *row_of = w->row_of.data;
    uint32_t *masks = w->monitors.masks.data;
    for (uint64_t id = first; id < (uint64_t)first + count && id <= w->row_of.count; id++)
        if (row_of[id - 1] != TLK_NONE)
            masks[(size_t)w->monitors.words * row_of[id - 1] + bit / 32] |= 1u << bit % 32;
}

static void mark_group(const tl_world *w, const tl_group_def *group, uint32_t bit)
{
    const tl_emitted *emitted = w->monitors.emitted.data;
    for (size_t i = 0; i < group->range_count; i++)
        mark(w, bit, group->ranges[i].first.index, group->ranges[i].count);
    for (size_t k = 0; k < w->monitors.emitted.count && group->emitter_count; k++)
        for (size_t i = 0; i < group->emitter_count; i++)
            if (group->emitters[i] == emitted[k].emitter) {
                mark(w, bit, emitted[k].first, emitted[k].count);
                break;
            }
}

/* Which bodies are in which group, for the rows there are now. */
static tl_status find_members(tl_world *w)
{
    tl_monitoring *m = &w->monitors;
    const tl_monitor_rec *monitors = m->list.monitors.data;
    uint32_t bits = 0;
    for (size_t i = 0; i < m->list.monitors.count; i++)
        bits += (uint32_t)has_bit(&monitors[i].def.on) + (uint32_t)has_bit(&monitors[i].def.by);
    m->words = (bits + 31) / 32;
    const size_t words = (size_t)m->words * w->rows;
    TL_TRY(tl_array_resize(&m->masks, words));
    TL_TRY(tl_buffer_need(w->backend, &m->member, words * sizeof(uint32_t)));
    if (words)
        memset(m->masks.data, 0, words * sizeof(uint32_t));
    bits = 0;
    for (size_t i = 0; i < m->list.monitors.count; i++) {
        if (has_bit(&monitors[i].def.on))
            mark_group(w, &monitors[i].def.on, bits++);
        if (has_bit(&monitors[i].def.by))
            mark_group(w, &monitors[i].def.by, bits++);
    }
    if (words)
        w->backend->ops->upload(w->backend, m->member.data, m->masks.data,
                                words * sizeof(uint32_t));
    m->current = true;
    return TL_OK;
}

/* --- before the step changes anything -------------------------------------------------------- */

/* The ray of a monitor, in the frame of the body that carries it, if one does: the body's own
 * frame, not the user's. `row` is that of the body, or TLK_NONE. */
static tlk_ray ray_of(const tl_world *w, const tl_monitor_def *def, uint32_t *row)
{
    const tl_origin *origin = tl_origin_of(&w->origins, def->from.index);
    tlk_ray ray = {.limit = def->max_distance, .ignore = TLK_NONE};
    double direction[3];
    *row = tl_world_row(w, def->from);
    ray.ignore = *row;
    tl_ray_unit(def->axis, direction);
    memcpy(ray.origin, def->point, sizeof ray.origin);
    memcpy(ray.direction, direction, sizeof direction);
    if (origin) {
        tl_turn_apply(origin->turn, def->point, ray.origin);
        tl_turn_apply(origin->turn, direction, ray.direction);
        for (int k = 0; k < 3; k++)
            ray.origin[k] += origin->offset[k];
    }
    return ray;
}

/* What the kernels see of a monitor; `bit` is the next group's. */
static tlk_monitor arguments(const tl_world *w, const tl_monitor_def *def, uint32_t *bit)
{
    tlk_monitor a = {.shapes = tl_world_shapes_view(w),
                     .member = w->monitors.member.data,
                     .words = w->monitors.words,
                     .on = TLK_GROUP_ALL,
                     .by = def->by.all ? TLK_GROUP_ALL : TLK_GROUP_REST,
                     .shape = def->shape,
                     .origin = TLK_NONE,
                     .within = def->within,
                     .region = tl_region_plain(&def->region),
                     .plain = tl_group_single(&def->on)};
    if (has_bit(&def->on))
        a.on = (*bit)++;
    if (has_bit(&def->by))
        a.by = (*bit)++;
    if (def->kind == TL_MONITOR_TORQUE && !def->about)
        a.origin = tl_world_row(w, def->on.ranges[0].first);
    a.quantity = def->kind == TL_MONITOR_VELOCITY           ? 1
                 : def->kind == TL_MONITOR_ANGULAR_VELOCITY ? 2
                                                            : 0;
    if (def->kind == TL_MONITOR_RAY)
        a.ray = ray_of(w, def, &a.origin);
    memcpy(a.point, def->point, sizeof a.point);
    memcpy(a.normal, def->normal, sizeof a.normal);
    return a;
}

/* Room for one more sample in each window; samples that are too old by then go first. */
static tl_status make_windows(tl_world *w)
{
    const tl_monitor_rec *monitors = w->monitors.list.monitors.data;
    tl_monitor_state *states = w->monitors.state.data;
    for (size_t i = 0; i < w->monitors.list.monitors.count; i++)
        if (tl_monitor_is_statistic(monitors[i].def.kind) && isfinite(monitors[i].def.window))
            TL_TRY(tl_array_reserve(&states[i].window, states[i].window.count + 1));
    return TL_OK;
}

/* Room for what joints do, where a monitor asks for one. */
static tl_status make_joints(tl_world *w)
{
    const tl_monitor_rec *monitors = w->monitors.list.monitors.data;
    bool asked = false;
    for (size_t i = 0; i < w->monitors.list.monitors.count; i++)
        asked = asked || monitors[i].def.kind == TL_MONITOR_JOINT;
    const size_t count = asked ? w->mechanism.count : 0;
    TL_TRY(tl_buffer_need(w->backend, &w->mechanism.reading, count * sizeof(tlk_joint_reading)));
    return tl_array_resize(&w->monitors.joints, count);
}

tl_status tl_monitors_prepare(tl_world *w, const tl_contacts *c, const tlk_motion *motion)
{
    tl_monitoring *m = &w->monitors;
    const tl_monitor_rec *monitors = m->list.monitors.data;
    const uint32_t rows = w->rows > w->shape_rows ? w->rows : w->shape_rows;
    const uint32_t most = c->count > rows ? c->count : rows;
    uint32_t bit = 0;
    if (!m->list.monitors.count)
        return TL_OK;
    if (!m->current)
        TL_TRY(find_members(w));
    TL_TRY(make_windows(w));
    TL_TRY(make_joints(w));
    TL_TRY(tl_buffer_need(w->backend, &m->numbers,
                          m->numbers_host.count * sizeof(double) + tl_fold_room(most)));
    for (size_t i = 0; i < m->list.monitors.count; i++) {
        if (monitors[i].def.kind == TL_MONITOR_TOUCHING)
            TL_TRY(tl_buffer_need(w->backend, &m->touching, w->rows * sizeof(uint32_t)));
        tlk_monitor *args = (tlk_monitor *)m->args.data + i;
        *args = arguments(w, &monitors[i].def, &bit);
        args->motion = *motion;
        args->contact_a = c->a.data;
        args->contact_place = c->manifolds ? c->place.data : NULL;
        args->contact_b = c->b.data;
        args->contact_n = c->n.data;
        args->contact_gamma = c->gamma.data;
        args->contact_moment = c->moments ? c->moment.data : NULL;
    }
    return TL_OK;
}

/* --- measuring ------------------------------------------------------------------------------- */

/* Folds over `count` items for monitor i; the numbers wait on the device. */
static void measure(tl_world *w, size_t i, tl_fold fold, uint32_t count)
{
    tl_backend *b = w->backend;
    const tl_monitoring *m = &w->monitors;
    const size_t bytes = TLK_FOLD_NUMBERS * sizeof(double);
    double *numbers = m->numbers.data, *room = numbers + m->numbers_host.count;
    const tl_folding folding = {fold, count, (const tlk_monitor *)m->args.data + i, room};
    const tl_launch launch = {TLK_FOLD, 0, count, false, &folding};
    numbers += i * TLK_FOLD_NUMBERS;
    if (count) {
        b->ops->run(b, &launch, 1, 1);
        b->ops->copy(b, numbers, room, bytes);
    } else {
        b->ops->fill(b, numbers, 0, bytes);
    }
}

/* Which bodies touch what monitor i is on: by the contacts of the step, and by those with sensors.
 */
static void measure_touching(tl_world *w, size_t i, uint32_t contacts)
{
    tl_backend *b = w->backend;
    tlk_monitor *args = (tlk_monitor *)w->monitors.args.data + i;
    args->touching = w->monitors.touching.data;
    b->ops->fill(b, args->touching, 0, w->rows * sizeof(uint32_t));
    tl_run(b, TLK_monitor_touch, contacts, args);
    tlk_monitor sensed = *args;
    sensed.contact_a = w->sensed.a.data;
    sensed.contact_b = w->sensed.b.data;
    sensed.contact_n = w->sensed.n.data;
    sensed.contact_gamma = NULL;
    tl_run(b, TLK_monitor_touch, w->sensed.count, &sensed);
    measure(w, i, TLK_FOLD_monitor_touching, w->rows);
}

void tl_monitors_before(tl_world *w, uint32_t contacts)
{
    const tl_monitor_rec *monitors = w->monitors.list.monitors.data;
    for (size_t i = 0; i < w->monitors.list.monitors.count; i++) {
        const tl_monitor_kind kind = monitors[i].def.kind;
        if (kind == TL_MONITOR_FORCE || kind == TL_MONITOR_TORQUE)
            measure(w, i, TLK_FOLD_monitor_force, contacts);
        else if (kind == TL_MONITOR_MASS_FLOW)
            measure(w, i, TLK_FOLD_monitor_flow, w->dynamic);
        else if (kind == TL_MONITOR_TOUCHING)
            measure_touching(w, i, contacts);
    }
}

void tl_monitors_forget_parts(tl_world *w)
{
    w->monitors.parts.count = 0;
}

tl_status tl_monitors_part(tl_world *w, const tl_contacts *c, const tlk_motion *motion)
{
    tl_monitoring *m = &w->monitors;
    const tl_monitor_rec *monitors = m->list.monitors.data;
    const size_t count = m->numbers_host.count, bytes = count * sizeof(double);
    if (!m->list.monitors.count)
        return TL_OK;
    TL_TRY(tl_monitors_prepare(w, c, motion));
    w->backend->ops->fill(w->backend, m->numbers.data, 0, bytes);
    for (size_t i = 0; i < m->list.monitors.count; i++)
        if (monitors[i].def.kind == TL_MONITOR_FORCE || monitors[i].def.kind == TL_MONITOR_TORQUE)
            measure(w, i, TLK_FOLD_monitor_force, c->count);
    TL_TRY(w->backend->ops->download(w->backend, m->numbers_host.data, m->numbers.data, bytes));
    const size_t known = m->parts.count;
    TL_TRY(tl_array_resize(&m->parts, count));
    double *sum = m->parts.data, *numbers = m->numbers_host.data;
    for (size_t i = 0; i < count; i++)
        sum[i] = (known ? sum[i] : 0) + numbers[i];
    return TL_OK;
}

static void measure_bodies(tl_world *w)
{
    const tl_monitor_rec *monitors = w->monitors.list.monitors.data;
    for (size_t i = 0; i < w->monitors.list.monitors.count; i++) {
        const tl_monitor_kind kind = monitors[i].def.kind;
        if (kind >= TL_MONITOR_POSITION && kind <= TL_MONITOR_ANGULAR_VELOCITY)
            measure(w, i, TLK_FOLD_monitor_mean, w->rows);
        else if (kind >= TL_MONITOR_ENERGY && kind <= TL_MONITOR_SPEED)
            measure(w, i, TLK_FOLD_monitor_bodies, w->dynamic);
        else if (kind == TL_MONITOR_RAY)
            measure(w, i, TLK_FOLD_monitor_ray, w->shape_rows);
    }
}

/* Where the joint of a monitor is in the lists of all; their number or more: it is gone. */
static size_t joint_place(const tl_world *w, const tl_monitor_rec *m)
{
    const tl_joint_entry *joint = tl_joint_find(w, m->def.joint);
    return joint ? (size_t)(joint - (tl_joint_entry *)w->mechanism.joints.data) : SIZE_MAX;
}

/* What joints do, into the host's list: of all, or, on a CPU, of the few that monitors ask for. */
static tl_status measure_joints(tl_world *w)
{
    tl_backend *b = w->backend;
    const tl_monitor_rec *monitors = w->monitors.list.monitors.data;
    const size_t count = w->monitors.joints.count;
    tl_launch list[FEW];
    uint32_t asked = 0;
    if (!count)
        return TL_OK;
    const tlk_joints g = tl_joints_view(w);
    for (size_t i = 0; i < w->monitors.list.monitors.count; i++) {
        const bool joint = monitors[i].def.kind == TL_MONITOR_JOINT;
        const size_t at = joint ? joint_place(w, &monitors[i]) : count;
        if (at < count && asked++ < FEW)
            list[asked - 1] =
                (tl_launch){TLK_joint_read, (uint32_t)at, (uint32_t)at + 1, false, &g};
    }
    if (b->ops->threads && asked <= FEW)
        b->ops->run(b, list, asked, 1);
    else
        tl_run(b, TLK_joint_read, (uint32_t)count, &g);
    return b->ops->download(b, w->monitors.joints.data, w->mechanism.reading.data,
                            count * sizeof(tlk_joint_reading));
}

/* --- channels -------------------------------------------------------------------------------- */

/* Three components, the magnitude where there is such a channel, and the component along the axis.
 */
static void vector_channels(const tl_monitor_rec *m, const double x[3], double *out)
{
    const double *axis = m->def.axis;
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    memcpy(out, x, 3 * sizeof *out);
    out += 3;
    if (m->def.kind != TL_MONITOR_POSITION)
        *out++ = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    if (length > 0)
        *out = (axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2]) / length;
}

static void force_channels(const tl_world *w, const tl_monitor_rec *m, const double *n, double *out)
{
    const double h = w->settings.step;
    const double *sum = m->def.kind == TL_MONITOR_TORQUE ? n + 3 : n;
    const double x[3] = {sum[0] / h, sum[1] / h, sum[2] / h};
    const double none[3] = {NAN, NAN, NAN};
    /* moments about a body that is gone have no point to be about */
    const bool lost = m->def.kind == TL_MONITOR_TORQUE && !m->def.about &&
                      tl_world_row(w, m->def.on.ranges[0].first) == TLK_NONE;
    vector_channels(m, lost ? none : x, out);
}

/* The mean of dynamic bodies by mass or, where there is none, of the others. */
static void mean_channels(const tl_monitor_rec *m, const double *n, double *out)
{
    const double *of = n[0] > 0 ? n : n + 4;
    const double x[3] = {of[1] / of[0], of[2] / of[0], of[3] / of[0]};
    const double none[3] = {NAN, NAN, NAN};
    vector_channels(m, of[0] > 0 ? x : none, out);
}

static void flow_channels(const tl_world *w, tl_monitor_state *s, const double *n, double *out)
{
    s->total += n[0];
    s->count += n[1];
    out[0] = n[0] / w->settings.step;
    out[1] = s->total;
    out[2] = s->count;
}

static void body_channels(const tl_monitor_rec *m, const double *n, double *out)
{
    if (m->def.kind == TL_MONITOR_ENERGY) {
        out[0] = n[0];
        out[1] = n[1];
        out[2] = n[0] + n[1];
    } else if (m->def.kind == TL_MONITOR_AMOUNT) {
        out[0] = n[2];
        out[1] = n[3];
    } else {
        out[0] = n[3] > 0 ? n[4] / n[3] : NAN;
        out[1] = n[3] > 0 ? n[5] : NAN;
        out[2] = n[3] > 0 ? n[6] : NAN;
    }
}

static void load_channels(const double x[3], double *out)
{
    memcpy(out, x, 3 * sizeof *out);
    out[3] = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* Value, rate, motor and its work of an axis. `out` has those of the last step, or NaN. */
static void axis_channels(const tlk_joint_reading *r, int axis, double *out)
{
    const double work = isnan(out[3]) ? 0 : out[3];
    out[0] = r->value[axis];
    out[1] = r->rate[axis];
    out[2] = r->motor[axis];
    out[3] = work + r->worked[axis];
}

/* A joint that is gone has no values. */
static void joint_channels(const tl_world *w, const tl_monitor_rec *m, double *out)
{
    const size_t at = joint_place(w, m);
    if (at >= w->monitors.joints.count) {
        for (uint32_t i = 0; i < m->channels; i++)
            out[i] = NAN;
        return;
    }
    const tlk_joint_reading *r = (const tlk_joint_reading *)w->monitors.joints.data + at;
    load_channels(r->force, out);
    load_channels(r->torque, out + 4);
    memcpy(out + 8, r->local_force, 3 * sizeof *out);
    memcpy(out + 11, r->local_torque, 3 * sizeof *out);
    out += TL_JOINT_CHANNELS;
    for (int k = 0; k <= TL_JOINT_LINE; k++)
        if (m->axes >> k & 1) {
            axis_channels(r, k == TL_JOINT_LINE ? 0 : k, out);
            out += 4;
        }
    *out = r->error;
}

/* A ray that a body carried which is gone has no value. */
static double ray_distance(const tl_world *w, const tl_monitor_def *def, const double *n)
{
    if (def->from.index && tl_world_row(w, def->from) == TLK_NONE)
        return NAN;
    return w->shape_rows ? fmin(n[0], def->max_distance) : def->max_distance;
}

/* Takes one more sample into a sum over time or an extreme. */
static void take(tl_monitor_kind kind, const tl_sample *x, double *total, double *span)
{
    if (kind == TL_MONITOR_MEAN || kind == TL_MONITOR_INTEGRAL)
        *total += x->value * x->step;
    else if (*span == 0 || (kind == TL_MONITOR_MAX) == (x->value > *total))
        *total = x->value;
    *span += x->step;
}

/* Steps in which the channel had no value are left out. */
static double statistic(const tl_monitor_rec *m, tl_monitor_state *s, const tl_sample *now)
{
    const tl_monitor_kind kind = m->def.kind;
    double total = s->total, span = s->count;
    if (isfinite(m->def.window)) {
        tl_sample *all = s->window.data;
        size_t old = 0;
        /* half a step is forgiven, for times are sums */
        while (old < s->window.count &&
               all[old].time <= now->time - m->def.window + 0.5 * now->step)
            old++;
        if (old)
            memmove(all, all + old, (s->window.count - old) * sizeof *all);
        s->window.count -= old;
        if (!isnan(now->value))
            all[s->window.count++] = *now; /* there is room */
        total = span = 0;
        for (size_t i = 0; i < s->window.count; i++)
            take(kind, &all[i], &total, &span);
    } else if (!isnan(now->value)) {
        take(kind, now, &s->total, &s->count);
        total = s->total;
        span = s->count;
    }
    if (kind == TL_MONITOR_INTEGRAL)
        return total;
    return span > 0 ? kind == TL_MONITOR_MEAN ? total / span : total : NAN;
}

static void evaluate(tl_world *w, size_t i)
{
    tl_monitoring *all = &w->monitors;
    const tl_monitor_rec *m = (const tl_monitor_rec *)all->list.monitors.data + i;
    tl_monitor_state *s = (tl_monitor_state *)all->state.data + i;
    const double *n = (const double *)all->numbers_host.data + i * TLK_FOLD_NUMBERS;
    double *values = all->values.data, *out = values + 1 + m->channel;
    switch (m->def.kind) {
    case TL_MONITOR_FORCE:
    case TL_MONITOR_TORQUE: force_channels(w, m, n, out); break;
    case TL_MONITOR_TOUCHING: memcpy(out, n, 2 * sizeof *out); break;
    case TL_MONITOR_MASS_FLOW: flow_channels(w, s, n, out); break;
    case TL_MONITOR_POSITION:
    case TL_MONITOR_VELOCITY:
    case TL_MONITOR_ANGULAR_VELOCITY: mean_channels(m, n, out); break;
    case TL_MONITOR_ENERGY:
    case TL_MONITOR_AMOUNT:
    case TL_MONITOR_SPEED: body_channels(m, n, out); break;
    case TL_MONITOR_MEAN:
    case TL_MONITOR_MAX:
    case TL_MONITOR_MIN:
    case TL_MONITOR_INTEGRAL:
        *out = statistic(m, s, &(tl_sample){w->time, w->settings.step, values[1 + m->source]});
        break;
    case TL_MONITOR_JOINT: joint_channels(w, m, out); break;
    case TL_MONITOR_RAY: *out = ray_distance(w, &m->def, n); break;
    case TL_MONITOR_EXPRESSION: *out = tl_expression_value(&m->code, values); break;
    }
}

tl_status tl_monitors_after(tl_world *w)
{
    tl_monitoring *m = &w->monitors;
    tl_backend *b = w->backend;
    if (!m->list.monitors.count)
        return TL_OK;
    measure_bodies(w);
    TL_TRY(measure_joints(w));
    TL_TRY(b->ops->download(b, m->numbers_host.data, m->numbers.data,
                            m->numbers_host.count * sizeof(double)));
    for (size_t i = 0; i < m->parts.count; i++)
        ((double *)m->numbers_host.data)[i] += ((const double *)m->parts.data)[i];
    m->parts.count = 0;
    double *values = m->values.data, *least = m->least.data, *greatest = m->greatest.data;
    values[0] = w->time;
    for (size_t i = 0; i < m->list.monitors.count; i++)
        evaluate(w, i);
    for (size_t i = 0; i < m->list.channels.count; i++) {
        least[i] = fmin(least[i], values[1 + i]); /* of a number and NaN, the number */
        greatest[i] = fmax(greatest[i], values[1 + i]);
    }
    return TL_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

size_t tl_world_monitor_count(const tl_world *world)
{
    return world ? world->monitors.list.channels.count : 0;
}

tl_status tl_world_monitor_info(const tl_world *world, size_t i, tl_monitor_info *info)
{
    REFUSE_NULL(info);
    memset(info, 0, sizeof *info);
    REFUSE_NULL(world);
    const tl_array *channels = &world->monitors.list.channels;
    if (i >= channels->count)
        return tl_fail(TL_BAD_ARGUMENT, "%s: i is %zu; this world has %zu channels of monitors",
                       __func__, i, channels->count);
    *info = ((const tl_monitor_info *)channels->data)[i];
    return TL_OK;
}

static tl_status check_count(const tl_world *w, const char *call, size_t count)
{
    const size_t channels = w->monitors.list.channels.count;
    return count == channels ? TL_OK
                             : tl_fail(TL_BAD_ARGUMENT,
                                       "%s: count is %zu; this world has %zu channels of "
                                       "monitors",
                                       call, count, channels);
}

tl_status tl_world_read_monitors(const tl_world *world, size_t count, double *values)
{
    REFUSE_NULL(world);
    TL_TRY(check_count(world, __func__, count));
    if (!count)
        return TL_OK;
    REFUSE_NULL(values);
    memcpy(values, (const double *)world->monitors.values.data + 1, count * sizeof *values);
    return TL_OK;
}

tl_status tl_world_read_monitor_ranges(const tl_world *world, size_t count, double *least,
                                       double *greatest)
{
    REFUSE_NULL(world);
    TL_TRY(check_count(world, __func__, count));
    if (count && least)
        memcpy(least, world->monitors.least.data, count * sizeof *least);
    if (count && greatest)
        memcpy(greatest, world->monitors.greatest.data, count * sizeof *greatest);
    return TL_OK;
}
