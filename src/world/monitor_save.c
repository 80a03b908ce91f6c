/* Monitors in a snapshot: their definitions, the bodies of emitters, and how far each has got.
 * Reading goes through the checks of scenes, so that nothing is trusted. snapshot.c calls. */
#include "world/image.h"
#include "world/stream.h"

#include <math.h>
#include <string.h>

enum { MOST_TEXT = 1 << 20 }; /* bytes; what texts may have less is the scene's to say */
enum { NUMBERS = 24, COUNTS = 9, TEXTS = 4, GROUPS = 2 };

static void numbers_of(tl_monitor_def *d, double *x[NUMBERS])
{
    double *vectors[] = {d->axis,        d->point,         d->normal,     d->region.low,
                         d->region.high, d->region.centre, d->region.axis};
    for (size_t i = 0; i < 7; i++)
        for (size_t k = 0; k < 3; k++)
            x[3 * i + k] = vectors[i] + k;
    x[21] = &d->region.radius;
    x[22] = &d->window;
    x[23] = &d->max_distance;
}

static void counts(tl_stream *s, tl_monitor_def *d, uint32_t *axes)
{
    uint64_t x[COUNTS] = {d->kind,        d->shape,      d->about,           d->within,
                          d->region.kind, d->from.index, d->from.generation, d->joint.index,
                          *axes};
    tl_stream_bytes(s, x, sizeof x);
    if (s->status == TL_OK && (x[0] > TL_MONITOR_JOINT || x[1] > UINT32_MAX ||
                               x[4] > TL_REGION_SPHERE || x[5] > UINT32_MAX || x[6] > UINT32_MAX ||
                               x[7] > UINT32_MAX || x[8] >> (TL_JOINT_LINE + 1)))
        s->status = tl_damaged("a monitor is of no kind");
    if (s->status != TL_OK)
        return;
    d->kind = (tl_monitor_kind)x[0];
    d->shape = (uint32_t)x[1];
    d->about = x[2] != 0;
    d->within = x[3] != 0;
    d->region.kind = (tl_region_kind)x[4];
    d->from = (tl_body){(uint32_t)x[5], (uint32_t)x[6]};
    d->joint.index = (uint32_t)x[7];
    *axes = (uint32_t)x[8];
}

/* A text with the zero at its end, or none. */
static void text(tl_stream *s, const char **data)
{
    uint64_t count = *data ? strlen(*data) + 1 : 0;
    tl_stream_bytes(s, &count, sizeof count);
    *data = tl_stream_in_place(s, *data, count, 1);
    if (*data && (count > MOST_TEXT || memchr(*data, 0, (size_t)count) != *data + count - 1))
        s->status = tl_damaged("a text of a monitor has no end");
}

/* Ranges and emitters that are read are in `pieces`. */
static void group(tl_stream *s, tl_group_def *g, tl_array pieces[2])
{
    uint64_t all = g->all;
    tl_array ranges = {(void *)g->ranges, sizeof *g->ranges, g->range_count, g->range_count};
    tl_array emitters = {(void *)g->emitters, sizeof *g->emitters, g->emitter_count,
                         g->emitter_count};
    tl_stream_bytes(s, &all, sizeof all);
    tl_stream_array(s, &ranges);
    tl_stream_array(s, &emitters);
    if (s->out)
        return;
    pieces[0] = ranges;
    pieces[1] = emitters;
    *g = (tl_group_def){all != 0, ranges.count, ranges.data, emitters.count, emitters.data};
}

/* A definition. Texts that are read stay in the bytes, groups in `pieces`. */
static void definition(tl_stream *s, tl_monitor_def *d, uint32_t *axes, tl_array pieces[2 * GROUPS])
{
    double *x[NUMBERS];
    const char **texts[TEXTS] = {&d->name, &d->of, &d->expression, &d->unit};
    tl_group_def *groups[GROUPS] = {&d->on, &d->by};
    counts(s, d, axes);
    numbers_of(d, x);
    for (size_t i = 0; i < NUMBERS; i++)
        tl_stream_number(s, x[i]);
    for (size_t i = 0; i < TEXTS; i++)
        text(s, texts[i]);
    for (size_t i = 0; i < GROUPS; i++)
        group(s, groups[i], pieces + 2 * i);
}

static void progress(tl_stream *s, tl_monitor_state *state)
{
    tl_stream_number(s, &state->total);
    tl_stream_number(s, &state->count);
    tl_stream_array(s, &state->window);
}

/* What all monitors share, once their channels are known. */
static void rest(tl_stream *s, tl_monitoring *m)
{
    const size_t channels = m->list.channels.count;
    tl_stream_array(s, &m->emitted);
    tl_stream_bytes(s, m->values.data, (channels + 1) * sizeof(double));
    tl_stream_bytes(s, m->least.data, channels * sizeof(double));
    tl_stream_bytes(s, m->greatest.data, channels * sizeof(double));
}

tl_status tl_monitors_save(tl_world *world, tl_array *out)
{
    tl_monitoring *m = &world->monitors;
    const tl_monitor_rec *monitors = m->list.monitors.data;
    tl_stream s = {.out = out};
    tl_array none[2 * GROUPS];
    uint64_t count = m->list.monitors.count;
    if (!count)
        return TL_OK;
    tl_stream_bytes(&s, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
        tl_monitor_def def = monitors[i].def;
        uint32_t axes = monitors[i].axes;
        definition(&s, &def, &axes, none);
        progress(&s, (tl_monitor_state *)m->state.data + i);
    }
    rest(&s, m);
    return s.status;
}

/* --- reading --------------------------------------------------------------------------------- */

static tl_status get_monitor(tl_stream *s, tl_monitor_list *list, const tl_monitor_limits *limits)
{
    tl_array pieces[2 * GROUPS] = {{0}};
    tl_monitor_def def = tl_monitor_default();
    tl_monitor_limits known = *limits;
    def.on = def.by = (tl_group_def){0};
    definition(s, &def, &known.axes, pieces);
    tl_status status = s->status;
    if (status == TL_OK) {
        status = tl_monitor_list_add(list, &def, &known);
        if (status != TL_OK && status != TL_NO_MEMORY)
            status = tl_damaged("a monitor breaks a rule of scenes");
    }
    for (size_t i = 0; i < 2 * GROUPS; i++)
        tl_array_free(&pieces[i]);
    return status;
}

static tl_status get_progress(tl_stream *s, tl_monitor_state *state)
{
    progress(s, state);
    TL_TRY(s->status);
    const tl_sample *samples = state->window.data;
    for (size_t i = 0; i < state->window.count; i++)
        if (!(samples[i].step > 0) || !isfinite(samples[i].time) || isnan(samples[i].value) ||
            (i && samples[i].time < samples[i - 1].time))
            return tl_damaged("a monitor's samples make no sense");
    return TL_OK;
}

/* Definitions and states lie in turn; the list of states is made when all are known. */
static tl_status get_monitors(tl_stream *s, const tl_monitor_limits *limits, tl_monitor_list *list,
                              tl_array *states)
{
    uint64_t count = 0;
    tl_stream_bytes(s, &count, sizeof count);
    TL_TRY(s->status);
    for (uint64_t i = 0; i < count; i++) {
        const tl_monitor_state none = {.window = {.item = sizeof(tl_sample)}};
        TL_TRY(get_monitor(s, list, limits));
        TL_TRY(tl_array_append(states, &none, 1));
        TL_TRY(get_progress(s, (tl_monitor_state *)states->data + i));
    }
    return TL_OK;
}

static tl_status check_emitted(const tl_array *emitted, const tl_monitor_limits *limits)
{
    const tl_emitted *e = emitted->data;
    uint64_t last = 0;
    for (size_t i = 0; i < emitted->count; i++) {
        const uint64_t end = (uint64_t)e[i].first + e[i].count;
        if (e[i].emitter >= limits->emitters || e[i].first <= last || !e[i].count ||
            end - 1 > limits->bodies)
            return tl_damaged("the bodies of an emitter are none");
        last = end - 1;
    }
    return TL_OK;
}

static tl_status get_rest(tl_stream *s, tl_monitoring *m, const tl_monitor_limits *limits)
{
    rest(s, m);
    TL_TRY(s->status);
    TL_TRY(check_emitted(&m->emitted, limits));
    return s->left ? tl_damaged("it has bytes behind its monitors") : TL_OK;
}

tl_status tl_monitors_load(tl_world *w, const void *bytes, size_t count, uint64_t handles)
{
    const tl_monitor_limits limits = {handles < UINT32_MAX ? handles : UINT32_MAX,
                                      w->schedule.emitters.count, 0};
    tl_stream s = {.in = bytes, .left = count};
    tl_monitor_list list;
    tl_array states = {.item = sizeof(tl_monitor_state)};
    if (!count)
        return TL_OK;
    tl_monitor_list_init(&list);
    tl_status status = get_monitors(&s, &limits, &list, &states);
    if (status == TL_OK)
        status = tl_monitors_fill(w, &list);
    if (status == TL_OK) {
        tl_array_free(&w->monitors.state); /* fresh ones, which own nothing */
        w->monitors.state = states;
        states = (tl_array){0};
        status = get_rest(&s, &w->monitors, &limits);
    }
    for (size_t i = 0; i < states.count; i++)
        tl_array_free(&((tl_monitor_state *)states.data)[i].window);
    tl_array_free(&states);
    tl_monitor_list_free(&list);
    return status;
}
