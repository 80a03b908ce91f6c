/* What one viewer is sent: what waits for it, and what is made when nothing does. See
 * view/server.h. */
#include "server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- queues ---- */

void message_free(message *m)
{
    if (m) {
        view_buffer_free(&m->bytes);
        free(m);
    }
}

static message *message_make(view_buffer *bytes, bool is_text)
{
    message *m = bytes->failed ? NULL : malloc(sizeof *m);
    if (!m) {
        view_buffer_free(bytes);
        return NULL;
    }
    *m = (message){.bytes = *bytes, .is_text = is_text};
    *bytes = (view_buffer){0};
    return m;
}

void queue_put(message_queue *queue, view_buffer *bytes, bool is_text)
{
    message *m = message_make(bytes, is_text);
    if (!m) {
        return;
    }
    if (!queue->first) {
        queue->last = &queue->first;
    }
    *queue->last = m;
    queue->last = &m->next;
    queue->count++;
    queue->bytes += m->bytes.room;
}

static message *queue_take(message_queue *queue)
{
    message *m = queue->first;
    if (m) {
        queue->first = m->next;
        queue->count--;
        queue->bytes -= m->bytes.room;
        m->next = NULL;
    }
    return m;
}

void queue_clear(message_queue *queue)
{
    while (queue->first) {
        message_free(queue_take(queue));
    }
}

void viewer_text(viewer *s, char *text)
{
    view_buffer bytes = {0};
    if (text && !s->dropped) {
        view_buffer_put(&bytes, text, strlen(text));
        queue_put(&s->texts, &bytes, true);
        viewer_wants_to_write(s);
    }
    free(text);
}

void viewer_bytes(viewer *s, view_buffer *bytes)
{
    if (s->dropped) {
        view_buffer_free(bytes);
        return;
    }
    queue_put(&s->answers, bytes, false);
    viewer_wants_to_write(s);
}

bool viewer_is_stuck(const viewer *s)
{
    return s->texts.count > SERVER_TEXTS || s->texts.bytes + s->answers.bytes > SERVER_BYTES;
}

void viewer_drop(viewer *s)
{
    s->dropped = true;
    s->tell = 0;
    queue_clear(&s->texts);
    queue_clear(&s->answers);
    queue_clear(&s->binaries);
    lws_set_timeout(s->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
}

void viewer_wants_to_write(viewer *s)
{
    lws_callback_on_writable(s->wsi);
}

/* ---- what is told of the hub ---- */

/* What `state` says now; the lock is held. */
static char *state_text(const server *v)
{
    const hub_state *state = &v->hub->state;
    json_t *object =
        json_pack("{ss sb sb sf sf sI sb sI sb sI ss ss}", "type", "state", "running",
                  state->running, "real_time", state->real_time, "speed", state->speed, "time",
                  state->time, "steps", (json_int_t)state->steps, "ended", state->ended, "frames",
                  (json_int_t)state->frames, "growing", state->growing, "viewers",
                  (json_int_t)v->viewer_count, "undo", state->undo, "message", state->message);
    char *text = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

void viewer_tell(viewer *s, unsigned what)
{
    s->tell |= s->dropped ? 0 : what;
    viewer_wants_to_write(s);
}

/* The next of what is to be told, as the hub has it now; NULL: nothing. */
static message *told(viewer *s)
{
    hub *h = s->server->hub;
    while (s->tell) {
        const unsigned what = s->tell & -s->tell;
        s->tell &= ~what;
        pthread_mutex_lock(&h->lock);
        const char *kept = what == TELL_HELLO   ? h->hello
                           : what == TELL_PAIRS ? h->pairs
                                                : h->settings;
        char *text = what == TELL_STATE ? state_text(s->server) : kept ? strdup(kept) : NULL;
        pthread_mutex_unlock(&h->lock);
        view_buffer bytes = {0};
        view_buffer_put(&bytes, text, text ? strlen(text) : 0);
        free(text);
        message *m = bytes.length ? message_make(&bytes, true) : NULL;
        if (m) {
            return m;
        }
    }
    return NULL;
}

/* ---- reports of a live run ---- */

bool reports_copy(viewer *s, uint64_t first, uint64_t count, size_t points, bool answers,
                  uint32_t id, view_buffer *out)
{
    enum { BATCH = 64 };
    hub *h = s->server->hub;
    view_reports rows;
    bool good = true;
    view_reports_begin(&rows, count, points, answers, id, s->server->epoch, out);
    for (uint64_t done = 0; done < count && good; done += BATCH) {
        tl_report batch[BATCH];
        const size_t some = count - done < BATCH ? (size_t)(count - done) : BATCH;
        pthread_mutex_lock(&h->lock);
        good = h->epoch == s->server->epoch && h->report_count - (first + done) <= HUB_REPORTS;
        for (size_t i = 0; i < some && good; i++) {
            batch[i] = h->reports[(first + done + i) % HUB_REPORTS];
        }
        pthread_mutex_unlock(&h->lock);
        if (good) {
            view_reports_add(&rows, batch, some, out);
        }
    }
    return good;
}

uint64_t reports_kept(const viewer *s, uint64_t *first)
{
    enum { SLACK = 4096 };
    hub *h = s->server->hub;
    pthread_mutex_lock(&h->lock);
    const uint64_t end = h->epoch == s->server->epoch ? h->report_count : 0;
    pthread_mutex_unlock(&h->lock);
    *first = end > HUB_REPORTS - SLACK ? end - (HUB_REPORTS - SLACK) : 0;
    return end;
}

/* ---- sessions and groups ---- */

/* The next chunk of names, geometries, table and times, in that order. */
static bool introduce(viewer *s)
{
    hub *h = s->server->hub;
    view_buffer out = {0};
    bool is_text = false;
    pthread_mutex_lock(&h->lock);
    if (h->epoch != s->server->epoch) { /* the server has not begun it: its counts are the last's */
        pthread_mutex_unlock(&h->lock);
        return false;
    }
    if (s->name_next < h->name_count) {
        json_t *list = json_array();
        for (int i = 0; i < 1000 && s->name_next < h->name_count; i++, s->name_next++) {
            const hub_name *name = &h->names[s->name_next];
            json_array_append_new(list, json_pack("[Is]", (json_int_t)name->index, name->name));
        }
        json_t *object =
            json_pack("{ss sI so}", "type", "names", "epoch", (json_int_t)h->epoch, "names", list);
        char *text = json_dumps(object, JSON_COMPACT);
        json_decref(object);
        view_buffer_put(&out, text ? text : "{}", text ? strlen(text) : 2);
        free(text);
        is_text = true;
    } else if (s->form_next.form < h->table.form_count) { /* before the shapes that have them */
        view_encode_form(&h->table, &s->form_next, h->epoch, &out);
    } else if (s->table_next < h->table.body_count || !s->table_told) {
        view_encode_bodies(&h->table, &s->table_next, !h->live, h->epoch, &out);
        s->table_told = true;
    } else if (s->time_next < h->time_count) {
        const size_t left = h->time_count - s->time_next;
        const size_t count = left < 100000 ? left : 100000;
        view_encode_times(h->times, s->time_next, count, h->epoch, &out);
        s->time_next += count;
    }
    pthread_mutex_unlock(&h->lock);
    const bool some = out.length > 0;
    if (some) {
        queue_put(is_text ? &s->texts : &s->binaries, &out, is_text);
    }
    return some;
}

/* What a group holds besides its frame, for live runs: reports and series since the last. */
static void add_live_parts(viewer *s)
{
    uint64_t first;
    const uint64_t end = reports_kept(s, &first);
    first = s->report_next > first ? s->report_next : first;
    if (s->reports && end > first) {
        view_buffer out = {0};
        if (reports_copy(s, first, end - first, VIEW_GROUP_ROWS, false, 0, &out)) {
            queue_put(&s->binaries, &out, false);
        }
        view_buffer_free(&out);
        s->report_next = end;
    }
    for (size_t i = 0; i < s->watch_count; i++) {
        watch *w = &s->watches[i];
        if (w->count || (w->gone && !w->told)) {
            view_buffer out = {0};
            view_encode_series(w->body, w->rows, w->count, w->gone ? VIEW_SERIES_GONE : 0,
                               s->server->epoch, &out);
            queue_put(&s->binaries, &out, false);
            w->count = 0;
            w->told = w->gone;
        }
    }
    plotted_add(s);
}

/* A frame with all that was subscribed; the frame itself comes last. */
static void add_group(viewer *s, const view_frame *frame, const view_frame *base)
{
    const uint32_t epoch = s->server->epoch;
    if (s->server->hub->live) {
        add_live_parts(s);
    }
    for (unsigned bit = 0; bit < VIEW_FIELDS; bit++) {
        const unsigned field = 1U << bit;
        if (s->fields & frame->fields & field) {
            view_buffer out = {0};
            view_encode_field(frame, field, epoch, &out);
            queue_put(&s->binaries, &out, false);
        }
    }
    if (s->contacts && frame->contacts_known) {
        view_buffer out = {0};
        view_encode_contacts(frame, s->contacts, epoch, &out);
        queue_put(&s->binaries, &out, false);
    }
    view_buffer out = {0};
    view_encode_frame(frame, base, epoch, &out);
    queue_put(&s->binaries, &out, false);
    s->shown = frame->sequence;
}

/* Whether a frame of the cache holds what this viewer subscribed to. */
static bool holds_enough(const viewer *s, const view_frame *frame)
{
    const unsigned fields = s->fields & (frame->contacts_known ? ~0U : ~(unsigned)VIEW_FORCE);
    return (frame->fields & fields) == fields && frame->contacts_wanted >= s->contacts;
}

static void finish_pending(viewer *s, view_frame *frame)
{
    const view_command done = s->pending[0];
    memmove(s->pending, s->pending + 1, --s->pending_count * sizeof *s->pending);
    const view_frame *base = done.base >= 0 ? stage_recall(s->server, done.base) : NULL;
    add_group(s, frame, base);
    viewer_answer(s, &done, NULL);
}

void viewer_frame(viewer *s, view_frame *frame)
{
    if (s->asked && s->pending_count) {
        if (frame) {
            finish_pending(s, frame);
        } else {
            viewer_answer(s, &s->pending[0], "frame: it cannot be read");
            memmove(s->pending, s->pending + 1, --s->pending_count * sizeof *s->pending);
        }
    }
    s->asked = false;
    viewer_wants_to_write(s);
}

/* Recordings: the frame that was asked for, from the cache or from the source. */
static void pursue_pending(viewer *s)
{
    while (s->pending_count && !s->asked && !s->binaries.first) {
        view_frame *frame = stage_recall(s->server, s->pending[0].index);
        if (frame && holds_enough(s, frame)) {
            finish_pending(s, frame);
            continue;
        }
        view_command request = {
            .verb = VIEW_FRAME, .client = s->client, .index = s->pending[0].index};
        s->asked = hub_request(s->server->hub, &request);
        if (!s->asked) {
            viewer_answer(s, &s->pending[0], "too many commands wait");
            s->pending_count--;
            memmove(s->pending, s->pending + 1, s->pending_count * sizeof *s->pending);
        }
    }
}

static void add_live_group(viewer *s)
{
    int level;
    const double now = hub_now();
    if (!stage_ready(s->server, s, now, &level)) {
        return;
    }
    add_group(s, s->server->current, s->base);
    view_frame_drop(s->base);
    s->base = view_frame_share(s->server->current);
    s->after = s->base->sequence;
    s->again = false;
    s->credits--;
    s->due = fmax(s->due + s->interval, now);
}

message *viewer_next(viewer *s)
{
    message *first = told(s);
    if (first) {
        return first;
    }
    if (!s->texts.first && !s->answers.first && !s->binaries.first && !introduce(s)) {
        if (s->server->hub->live) {
            add_live_group(s);
        } else if (!plotted_add(s)) {
            pursue_pending(s);
        }
    }
    message *m = queue_take(&s->texts);
    m = m ? m : queue_take(&s->answers);
    return m ? m : queue_take(&s->binaries);
}
