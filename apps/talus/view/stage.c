/* The frame that viewers are shown: packs the newest capture of a live run, keeps the frames of a
 * recording that were read last, and tells the source what viewers want next. See view/server.h. */
#include "server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Takes over what is new in the hub's table. False: no memory, or the table is another epoch's. */
static bool follow_table(server *v)
{
    hub *h = v->hub;
    pthread_mutex_lock(&h->lock);
    bool good = h->epoch == v->epoch;
    if (good && (h->table_version != v->table_version || h->table.body_count != v->table_seen)) {
        const size_t rows = h->table.body_count;
        const size_t count = rows ? (size_t)h->table.bodies[rows - 1].index + 1 : 0;
        uint8_t *how = realloc(v->how, count ? count : 1);
        view_pose *fixed = realloc(v->fixed, (h->fixed_count + 1) * sizeof *fixed);
        v->how = how ? how : v->how;
        v->fixed = fixed ? fixed : v->fixed;
        good = how && fixed;
        if (good) {
            memset(how + v->how_count, VIEW_UNKNOWN, count - v->how_count);
            v->how_count = count;
            for (; v->table_seen < rows; v->table_seen++) {
                const view_body *body = &h->table.bodies[v->table_seen];
                how[body->index] = body->how;
            }
            if (h->fixed_count) {
                memcpy(fixed, h->fixed, h->fixed_count * sizeof *fixed);
            }
            v->fixed_count = h->fixed_count;
            v->table_version = h->table_version;
            v->smallest = h->table.smallest;
        }
    }
    pthread_mutex_unlock(&h->lock);
    return good;
}

/* One more row of a series. */
static void watch_body(watch *w, const view_state *state)
{
    double row[VIEW_SERIES_COLUMNS];
    w->gone = !view_series_row(state, w->body, row);
    if (w->gone || w->count >= 4096 || w->last == state->state.time) {
        return;
    }
    if (w->count == w->room) {
        const size_t room = w->room ? 2 * w->room : 16;
        double *rows = realloc(w->rows, room * sizeof row);
        if (!rows) {
            return;
        }
        w->rows = rows;
        w->room = room;
    }
    w->last = state->state.time;
    memcpy(w->rows + VIEW_SERIES_COLUMNS * w->count++, row, sizeof row);
}

static void watch_bodies(server *v, const view_state *state)
{
    for (viewer *s = v->viewers; s; s = s->next) {
        for (size_t i = 0; i < s->watch_count; i++) {
            watch_body(&s->watches[i], state);
        }
    }
}

static void choose_box(server *v, const tl_frame_view *state)
{
    v->box = view_box_choose(state->count, state->positions, v->smallest, ++v->boxes);
}

void stage_pack(server *v)
{
    hub_capture *capture = hub_take_capture(v->hub, v->epoch);
    if (!capture) {
        return;
    }
    pthread_mutex_lock(&v->hub->lock);
    view_state in = {.fields = v->hub->fields, .contacts_wanted = v->hub->contacts};
    pthread_mutex_unlock(&v->hub->lock);
    view_frame *frame = NULL;
    const uint64_t version = capture->version;
    if (tl_frame_read(capture->frame, &in.state) == TL_OK && follow_table(v)) {
        /* a box that has become too coarse for a small new body is chosen anew */
        if (v->smallest > 0 && v->box.quantum > v->smallest / 64) {
            choose_box(v, &in.state);
        }
        in.step = capture->step;
        in.contacts_known = capture->contacts_known;
        in.contacts = capture->contacts;
        in.contact_count = capture->contact_count;
        in.how = v->how;
        in.how_count = v->how_count;
        in.fixed = v->fixed;
        in.fixed_count = v->fixed_count;
        in.box = v->box;
        frame = view_frame_build(&in, v->sequence + 1);
        if (frame && frame->outside > frame->count / 8) {
            choose_box(v, &in.state); /* for the next one */
        }
        watch_bodies(v, &in);
    }
    hub_give_capture(v->hub);
    if (frame) {
        v->sequence++;
        v->current_version = version;
        v->packed = hub_now();
        view_frame_drop(v->current);
        v->current = frame;
    }
}

/* Whether the frame is of the present state; while states follow each other it may be a little old,
 * so that many viewers share captures. */
static bool is_fresh(const server *v, double now)
{
    return v->current_version == atomic_load(&v->hub->version) ||
           (v->running && now - v->packed < 1.0 / 60);
}

bool stage_ready(const server *v, const viewer *s, double now, int *level)
{
    const view_frame *f = v->current;
    *level = 0;
    if (s->credits <= 0 || now < s->due) {
        return false;
    }
    const bool enough = f && (f->fields & s->fields) == s->fields &&
                        f->contacts_wanted >= s->contacts && (f->contacts_known || !s->contacts);
    if (enough && f->sequence > s->after && is_fresh(v, now)) {
        return true;
    }
    *level = s->again ? 2 : 1;
    return false;
}

static void look_again(lws_sorted_usec_list_t *timer)
{
    server *v = lws_container_of(timer, server, timer);
    stage_update(v);
}

void stage_update(server *v)
{
    unsigned fields = 0;
    size_t contacts = 0;
    bool forces = false, measures = false;
    int want = 0;
    double next = INFINITY;
    const double now = hub_now();
    for (viewer *s = v->viewers; s; s = s->next) {
        fields |= s->fields;
        contacts = s->contacts > contacts ? s->contacts : contacts;
        forces |= s->watch_count > 0 || s->fields & VIEW_FORCE;
        measures |= s->monitor_count > 0;
        int level;
        if (stage_ready(v, s, now, &level)) {
            viewer_wants_to_write(s);
        }
        want = level > want ? level : want;
        if (s->credits > 0 && s->due > now) {
            next = fmin(next, s->due - now);
        }
    }
    hub_want(v->hub, want, fields, contacts, forces, measures);
    if (next < INFINITY) {
        lws_sul_schedule(v->context, 0, &v->timer, look_again, (lws_usec_t)(next * 1e6) + 100);
    }
}

void stage_begin_epoch(server *v)
{
    view_frame_drop(v->current);
    v->current = NULL;
    v->how_count = v->table_seen = v->fixed_count = 0;
    pthread_mutex_lock(&v->hub->lock);
    v->box = v->hub->box;
    pthread_mutex_unlock(&v->hub->lock);
    v->box.id = ++v->boxes;
    for (int i = 0; i < SERVER_CACHE; i++) {
        view_frame_drop(v->cache[i]);
        v->cache[i] = NULL;
    }
}

void stage_free(server *v)
{
    stage_begin_epoch(v);
    free(v->how);
    free(v->fixed);
}

/* ---- frames of a recording ---- */

void stage_remember(server *v, view_frame *frame)
{
    size_t bytes = frame->bytes;
    int kept = 1;
    view_frame *last = view_frame_share(frame);
    for (int i = 0; i < SERVER_CACHE; i++) { /* moves each one place back */
        view_frame *moved = v->cache[i];
        v->cache[i] = last;
        last = moved;
        if (moved && moved->sequence == frame->sequence) {
            view_frame_drop(moved); /* read again, with more in it */
            last = NULL;
            break;
        }
    }
    view_frame_drop(last);
    for (; kept < SERVER_CACHE && v->cache[kept]; kept++) {
        bytes += v->cache[kept]->bytes;
        if (kept >= 2 && bytes > SERVER_CACHE_BYTES) {
            view_frame_drop(v->cache[kept]);
            v->cache[kept] = NULL;
        }
    }
}

view_frame *stage_recall(const server *v, int64_t index)
{
    for (int i = 0; i < SERVER_CACHE; i++) {
        if (v->cache[i] && v->cache[i]->sequence == index) {
            return v->cache[i];
        }
    }
    return NULL;
}
