/* Monitors in a snapshot: their definitions, the bodies of emitters, and how far each has got.
 * Reading goes through the checks of scenes, so that nothing is trusted. snapshot.c calls. */
#include "world/world.h"

#include <math.h>
#include <string.h>

enum { MOST_TEXT = 1 << 20 }; /* bytes; what texts may have less is the scene's to say */

/* --- writing --------------------------------------------------------------------------------- */

static tl_status put(tl_array *out, const void *data, size_t bytes)
{
    return bytes ? tl_array_append(out, data, bytes) : TL_OK;
}

static tl_status put_count(tl_array *out, uint64_t count)
{
    return put(out, &count, sizeof count);
}

static tl_status put_items(tl_array *out, const void *items, size_t count, size_t item)
{
    TL_TRY(put_count(out, count));
    return put(out, items, count * item);
}

static tl_status put_text(tl_array *out, const char *text)
{
    return put_items(out, text, text ? strlen(text) + 1 : 0, 1);
}

static tl_status put_group(tl_array *out, const tl_group_def *g)
{
    TL_TRY(put_count(out, g->all));
    TL_TRY(put_items(out, g->ranges, g->range_count, sizeof *g->ranges));
    return put_items(out, g->emitters, g->emitter_count, sizeof *g->emitters);
}

/* The numbers of a definition, in one order for both directions. */
enum { NUMBERS = 24, COUNTS = 9 };

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

static tl_status put_definition(tl_array *out, const tl_monitor_rec *monitor)
{
    tl_monitor_def d = monitor->def;
    const uint64_t counts[COUNTS] = {d.kind,        d.shape,      d.about,           d.within,
                                     d.region.kind, d.from.index, d.from.generation, d.joint.index,
                                     monitor->axes};
    double *x[NUMBERS];
    numbers_of(&d, x);
    TL_TRY(put(out, counts, sizeof counts));
    for (size_t i = 0; i < NUMBERS; i++)
        TL_TRY(put(out, x[i], sizeof *x[i]));
    TL_TRY(put_text(out, d.name));
    TL_TRY(put_text(out, d.of));
    TL_TRY(put_text(out, d.expression));
    TL_TRY(put_text(out, d.unit));
    TL_TRY(put_group(out, &d.on));
    return put_group(out, &d.by);
}

tl_status tl_monitors_save(const tl_world *world, tl_array *out)
{
    const tl_monitoring *m = &world->monitors;
    const tl_monitor_rec *monitors = m->list.monitors.data;
    const tl_monitor_state *states = m->state.data;
    const size_t channels = m->list.channels.count;
    if (!m->list.monitors.count)
        return TL_OK;
    TL_TRY(put_count(out, m->list.monitors.count));
    for (size_t i = 0; i < m->list.monitors.count; i++) {
        TL_TRY(put_definition(out, &monitors[i]));
        TL_TRY(put(out, &states[i].total, sizeof(double)));
        TL_TRY(put(out, &states[i].count, sizeof(double)));
        TL_TRY(put_items(out, states[i].window.data, states[i].window.count, sizeof(tl_sample)));
    }
    TL_TRY(put_items(out, m->emitted.data, m->emitted.count, sizeof(tl_emitted)));
    TL_TRY(put(out, m->values.data, (channels + 1) * sizeof(double)));
    TL_TRY(put(out, m->least.data, channels * sizeof(double)));
    return put(out, m->greatest.data, channels * sizeof(double));
}

/* --- reading --------------------------------------------------------------------------------- */

typedef struct source {
    const unsigned char *at;
    size_t left;
} source;

static tl_status damaged(const char *what)
{
    return tl_fail(TL_BAD_DATA, "the snapshot is damaged: %s", what);
}

static tl_status get(source *s, void *data, size_t bytes)
{
    if (bytes > s->left)
        return damaged("its monitors end early");
    if (bytes)
        memcpy(data, s->at, bytes);
    s->at += bytes;
    s->left -= bytes;
    return TL_OK;
}

/* So many items, into an array that keeps its item's size. */
static tl_status get_items(source *s, tl_array *items)
{
    uint64_t count = 0;
    TL_TRY(get(s, &count, sizeof count));
    if (count > s->left / items->item)
        return damaged("its monitors end early");
    TL_TRY(tl_array_resize(items, (size_t)count));
    return get(s, items->data, items->count * items->item);
}

/* What a definition points to while it is read. */
typedef struct pieces {
    tl_array text[4];                /* char */
    tl_array ranges[2], emitters[2]; /* tl_body_range, uint32_t */
} pieces;

static void free_pieces(pieces *p)
{
    for (size_t i = 0; i < 4; i++)
        tl_array_free(&p->text[i]);
    for (size_t i = 0; i < 2; i++) {
        tl_array_free(&p->ranges[i]);
        tl_array_free(&p->emitters[i]);
    }
}

static tl_status get_text(source *s, tl_array *text, const char **out)
{
    TL_TRY(get_items(s, text));
    const char *data = text->data;
    if (text->count &&
        (text->count > MOST_TEXT || data[text->count - 1] || strlen(data) != text->count - 1))
        return damaged("a text of a monitor has no end");
    *out = text->count ? data : NULL;
    return TL_OK;
}

static tl_status get_group(source *s, tl_array *ranges, tl_array *emitters, tl_group_def *g)
{
    uint64_t all = 0;
    TL_TRY(get(s, &all, sizeof all));
    TL_TRY(get_items(s, ranges));
    TL_TRY(get_items(s, emitters));
    *g = (tl_group_def){all != 0, ranges->count, ranges->data, emitters->count, emitters->data};
    return TL_OK;
}

static tl_status get_definition(source *s, pieces *p, tl_monitor_def *d, uint32_t *axes)
{
    uint64_t counts[COUNTS];
    double *x[NUMBERS];
    TL_TRY(get(s, counts, sizeof counts));
    if (counts[0] > TL_MONITOR_JOINT || counts[1] > UINT32_MAX || counts[4] > TL_REGION_SPHERE ||
        counts[5] > UINT32_MAX || counts[6] > UINT32_MAX || counts[7] > UINT32_MAX ||
        counts[8] >> (TL_JOINT_LINE + 1))
        return damaged("a monitor is of no kind");
    d->kind = (tl_monitor_kind)counts[0];
    d->shape = (uint32_t)counts[1];
    d->about = counts[2] != 0;
    d->within = counts[3] != 0;
    d->region.kind = (tl_region_kind)counts[4];
    d->from = (tl_body){(uint32_t)counts[5], (uint32_t)counts[6]};
    d->joint.index = (uint32_t)counts[7];
    *axes = (uint32_t)counts[8];
    numbers_of(d, x);
    for (size_t i = 0; i < NUMBERS; i++)
        TL_TRY(get(s, x[i], sizeof *x[i]));
    const char **texts[4] = {&d->name, &d->of, &d->expression, &d->unit};
    for (size_t i = 0; i < 4; i++)
        TL_TRY(get_text(s, &p->text[i], texts[i]));
    TL_TRY(get_group(s, &p->ranges[0], &p->emitters[0], &d->on));
    return get_group(s, &p->ranges[1], &p->emitters[1], &d->by);
}

static tl_status get_monitor(source *s, tl_monitor_list *list, const tl_monitor_limits *limits)
{
    pieces p = {0};
    tl_monitor_def def = tl_monitor_default();
    for (size_t i = 0; i < 4; i++)
        p.text[i].item = 1;
    for (size_t i = 0; i < 2; i++) {
        p.ranges[i].item = sizeof(tl_body_range);
        p.emitters[i].item = sizeof(uint32_t);
    }
    tl_monitor_limits known = *limits;
    tl_status status = get_definition(s, &p, &def, &known.axes);
    if (status == TL_OK) {
        status = tl_monitor_list_add(list, &def, &known);
        if (status != TL_OK && status != TL_NO_MEMORY)
            status = damaged("a monitor breaks a rule of scenes");
    }
    free_pieces(&p);
    return status;
}

static tl_status get_state(source *s, tl_monitor_state *state)
{
    TL_TRY(get(s, &state->total, sizeof state->total));
    TL_TRY(get(s, &state->count, sizeof state->count));
    TL_TRY(get_items(s, &state->window));
    const tl_sample *samples = state->window.data;
    for (size_t i = 0; i < state->window.count; i++)
        if (!(samples[i].step > 0) || !isfinite(samples[i].time) || isnan(samples[i].value) ||
            (i && samples[i].time < samples[i - 1].time))
            return damaged("a monitor's samples make no sense");
    return TL_OK;
}

/* Definitions and states lie in turn; the list of states is made when all are known. */
static tl_status get_monitors(source *s, uint64_t count, const tl_monitor_limits *limits,
                              tl_monitor_list *list, tl_array *states)
{
    for (uint64_t i = 0; i < count; i++) {
        const tl_monitor_state none = {.window = {.item = sizeof(tl_sample)}};
        TL_TRY(get_monitor(s, list, limits));
        TL_TRY(tl_array_append(states, &none, 1));
        TL_TRY(get_state(s, (tl_monitor_state *)states->data + i));
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
            return damaged("the bodies of an emitter are none");
        last = end - 1;
    }
    return TL_OK;
}

static tl_status get_rest(source *s, tl_world *w, const tl_monitor_limits *limits)
{
    tl_monitoring *m = &w->monitors;
    const size_t channels = m->list.channels.count;
    TL_TRY(get_items(s, &m->emitted));
    TL_TRY(check_emitted(&m->emitted, limits));
    TL_TRY(get(s, m->values.data, (channels + 1) * sizeof(double)));
    TL_TRY(get(s, m->least.data, channels * sizeof(double)));
    TL_TRY(get(s, m->greatest.data, channels * sizeof(double)));
    return s->left ? damaged("it has bytes behind its monitors") : TL_OK;
}

tl_status tl_monitors_load(tl_world *w, const void *bytes, size_t count, uint64_t handles)
{
    const tl_monitor_limits limits = {handles < UINT32_MAX ? handles : UINT32_MAX,
                                      w->schedule.emitters.count, 0};
    source s = {bytes, count};
    uint64_t monitors = 0;
    tl_monitor_list list;
    tl_array states = {.item = sizeof(tl_monitor_state)};
    if (!count)
        return TL_OK;
    tl_monitor_list_init(&list);
    tl_status status = get(&s, &monitors, sizeof monitors);
    if (status == TL_OK)
        status = get_monitors(&s, monitors, &limits, &list, &states);
    if (status == TL_OK)
        status = tl_monitors_fill(w, &list);
    if (status == TL_OK) {
        tl_array_free(&w->monitors.state); /* fresh ones, which own nothing */
        w->monitors.state = states;
        states = (tl_array){0};
        status = get_rest(&s, w, &limits);
    }
    for (size_t i = 0; i < states.count; i++)
        tl_array_free(&((tl_monitor_state *)states.data)[i].window);
    tl_array_free(&states);
    tl_monitor_list_free(&list);
    return status;
}
