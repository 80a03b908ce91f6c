/* The monitors that one viewer plots: which, and what it is sent of the hub's trace. Alike for live
 * runs, where it is part of a group, and for recordings, where it comes as it is read. See
 * view/server.h. */
#include "server.h"

#include <stdio.h>
#include <string.h>

/* The monitor of a name; NULL: there is none. The lock is held. */
static const hub_monitor *find(const hub *h, const char *name)
{
    for (size_t i = 0; i < h->monitor_count; i++) {
        if (strcmp(h->monitors[i].name, name) == 0) {
            return &h->monitors[i];
        }
    }
    return NULL;
}

bool plotted_choose(viewer *s, const json_t *names, char error[VIEW_ERROR])
{
    hub *h = s->server->hub;
    plotted chosen[VIEW_MAX_MONITORS] = {0};
    const size_t count = json_array_size(names);
    bool good = true;
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < count && good; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        good = find(h, name) != NULL;
        if (!good) {
            snprintf(error, VIEW_ERROR,
                     "subscribe: monitors[%zu]: there is no monitor \"%.64s\" in this scene", i,
                     name);
            break;
        }
        snprintf(chosen[i].name, sizeof chosen[i].name, "%s", name);
        for (size_t k = 0; k < s->monitor_count; k++) { /* goes on where it was */
            if (strcmp(s->monitors[k].name, name) == 0) {
                chosen[i] = s->monitors[k];
            }
        }
    }
    pthread_mutex_unlock(&h->lock);
    if (good) {
        memcpy(s->monitors, chosen, sizeof chosen);
        s->monitor_count = count;
        s->measured = 0;
    }
    return good;
}

void plotted_begin_epoch(viewer *s)
{
    for (size_t i = 0; i < s->monitor_count; i++) {
        s->monitors[i].next = 0;
        s->monitors[i].told = false;
    }
    s->measured = 0;
}

/* Copies rows of the trace from step *next to the one before `end`, in batches, so that the source
 * never waits longer than for one. False: the run started anew, or overtook the copying. */
static bool copy(viewer *s, view_measures *m, int level, uint64_t *next, uint64_t end,
                 view_buffer *out)
{
    enum { BATCH = 64 };
    hub *h = s->server->hub;
    const double *row = NULL;
    do {
        pthread_mutex_lock(&h->lock);
        for (int i = 0; i < BATCH && *next < end; i++) {
            row = h->epoch == s->server->epoch ? view_trace_next(&h->trace, level, next) : NULL;
            if (!row) {
                break;
            }
            view_measures_add(m, row, out);
        }
        pthread_mutex_unlock(&h->lock);
    } while (*next < end && row);
    return *next >= end;
}

/* One monitor: all there is of it, or what it was not sent yet. */
static bool add(viewer *s, plotted *p, bool partial)
{
    hub *h = s->server->hub;
    view_measures m = {0};
    uint64_t next = p->told ? p->next : 0;
    pthread_mutex_lock(&h->lock);
    const hub_monitor *monitor = h->epoch == s->server->epoch ? find(h, p->name) : NULL;
    const uint64_t end = view_trace_end(&h->trace);
    if (!monitor || next >= end) {
        pthread_mutex_unlock(&h->lock);
        return false;
    }
    m = (view_measures){.first = monitor->first, .count = monitor->count};
    const uint32_t number = (uint32_t)(monitor - h->monitors);
    const size_t most = view_trace_most(&h->trace);
    const bool brief = h->live && p->told; /* part of a group */
    const int level =
        view_trace_level(&h->trace, next, brief && most > VIEW_GROUP_ROWS ? VIEW_GROUP_ROWS : most);
    pthread_mutex_unlock(&h->lock);
    view_buffer out = {0};
    view_measures_begin(&m, number, p->told ? 0 : VIEW_MONITOR_WHOLE, s->server->epoch, &out);
    if (!copy(s, &m, level, &next, end, &out)) {
        view_buffer_free(&out);
        return false; /* the next time */
    }
    view_measures_end(&m, &out);
    queue_put(&s->binaries, &out, false);
    p->next = next;
    p->told |= !partial;
    return true;
}

bool plotted_add(viewer *s)
{
    hub *h = s->server->hub;
    if (!s->monitor_count) {
        return false;
    }
    pthread_mutex_lock(&h->lock);
    const bool partial = h->trace_partial;
    pthread_mutex_unlock(&h->lock);
    const double now = hub_now();
    if (partial && now - s->measured < 0.5) {
        return false; /* a file that is being read: now and then all there is so far */
    }
    s->measured = partial ? now : 0;
    bool some = false;
    for (size_t i = 0; i < s->monitor_count; i++) {
        some |= add(s, &s->monitors[i], partial);
    }
    return some;
}
