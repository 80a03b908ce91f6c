/* One viewer: that it comes and goes, and what it may ask for. view/send.c sends. See
 * view/server.h. */
#include "server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bucket_take(bucket *b, double amount, double rate, double burst)
{
    const double now = hub_now();
    b->level = fmin(burst, b->last > 0 ? b->level + (now - b->last) * rate : burst);
    b->last = now;
    if (b->level < amount) {
        return false;
    }
    b->level -= amount;
    return true;
}

/* ---- beginning and end ---- */

/* The next group holds a state captured from now on, be it an old one. */
static void send_again(viewer *s)
{
    s->after = s->server->sequence;
    s->again = true;
}

void viewer_begin_epoch(viewer *s)
{
    queue_clear(&s->answers);
    queue_clear(&s->binaries);
    s->name_next = s->table_next = s->time_next = 0;
    s->form_next = (view_form_place){0};
    s->table_told = false;
    s->credits = 0;
    s->pending_count = 0;
    s->asked = false;
    send_again(s);
    s->report_next = 0;
    view_frame_drop(s->base);
    s->base = NULL;
    for (size_t i = 0; i < s->watch_count; i++) {
        free(s->watches[i].rows);
    }
    s->watch_count = 0;
    plotted_begin_epoch(s);
    viewer_tell(s, TELL_HELLO | TELL_SETTINGS | TELL_PAIRS | TELL_STATE);
}

viewer *viewer_open(server *v, struct lws *wsi)
{
    viewer *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    s->server = v;
    s->wsi = wsi;
    s->client = ++v->last_client;
    s->interval = 1.0 / 60;
    s->next = v->viewers;
    v->viewers = s;
    v->viewer_count++;
    viewer_begin_epoch(s);
    if (v->hub->live) {
        const view_command join = {.verb = VIEW_JOIN, .client = s->client};
        hub_request(v->hub, &join);
    }
    return s;
}

void viewer_close(viewer *s)
{
    server *v = s->server;
    viewer **link = &v->viewers;
    while (*link != s) {
        link = &(*link)->next;
    }
    *link = s->next;
    v->viewer_count--;
    const view_command leave = {.verb = VIEW_LEAVE, .client = s->client};
    hub_request(v->hub, &leave);
    queue_clear(&s->texts);
    queue_clear(&s->answers);
    queue_clear(&s->binaries);
    message_free(s->sending);
    view_frame_drop(s->base);
    for (size_t i = 0; i < s->watch_count; i++) {
        free(s->watches[i].rows);
    }
    free(s->received);
    free(s);
}

/* ---- commands ---- */

void viewer_answer(viewer *s, const view_command *c, const char *error)
{
    if (error) {
        viewer_text(s, view_reply_error(c->id, error));
    } else if (c->id) {
        viewer_text(s, view_reply_ok(c->id, NULL));
    }
}

static void subscribe(viewer *s, const view_command *c)
{
    char error[VIEW_ERROR];
    if (c->monitors >= 0 && !plotted_choose(s, json_object_get(c->args, "monitors"), error)) {
        viewer_answer(s, c, error);
        return;
    }
    s->fields = c->fields >= 0 ? (unsigned)c->fields : s->fields;
    s->contacts = c->contacts >= 0 ? (size_t)c->contacts : s->contacts;
    s->interval = c->rate > 0 ? 1 / c->rate : s->interval;
    if (c->reports >= 0) {
        s->reports = c->reports && s->server->hub->live;
    }
    send_again(s);
    viewer_answer(s, c, NULL);
    viewer_wants_to_write(s);
}

static void ready(viewer *s, const view_command *c)
{
    if (!s->server->hub->live) {
        viewer_answer(s, c,
                      "ready: a recording sends the frames that are asked for with \"frame\"");
        return;
    }
    s->credits = s->credits + (int)c->count;
    if (s->credits > VIEW_MAX_CREDITS) {
        s->credits = VIEW_MAX_CREDITS;
    }
    if (c->full) {
        view_frame_drop(s->base);
        s->base = NULL;
        send_again(s);
    }
    viewer_answer(s, c, NULL);
    viewer_wants_to_write(s);
}

static void ask_for_frame(viewer *s, view_command *c)
{
    hub *h = s->server->hub;
    pthread_mutex_lock(&h->lock);
    const size_t count = h->time_count;
    if (c->index < 0) {
        c->index = 0;
        for (size_t step = count; step; step /= 2) {
            while ((size_t)c->index + step < count &&
                   h->times[(size_t)c->index + step] <= c->time) {
                c->index += (int64_t)step;
            }
        }
    }
    pthread_mutex_unlock(&h->lock);
    if (h->live || (size_t)c->index >= count) {
        char error[VIEW_ERROR];
        snprintf(error, sizeof error, "frame: there is no frame %lld of %zu", (long long)c->index,
                 count);
        viewer_answer(s, c,
                      h->live ? "frame: a live run sends frames when it gets \"ready\"" : error);
        return;
    }
    const size_t kept = s->asked ? 1 : 0; /* the source is at it */
    while (c->latest && s->pending_count > kept) {
        const view_command *dropped = &s->pending[--s->pending_count];
        if (dropped->id) {
            viewer_answer(s, dropped, "frame: a later request took its place");
        }
    }
    if (s->pending_count == SERVER_PENDING) {
        viewer_answer(s, c, "frame: too many requests wait");
        return;
    }
    s->pending[s->pending_count] = *c;
    s->pending[s->pending_count++].args = NULL;
    viewer_wants_to_write(s);
}

static void watch_body(viewer *s, const view_command *c)
{
    hub *h = s->server->hub;
    size_t i = 0;
    while (i < s->watch_count && s->watches[i].body != c->body) {
        i++;
    }
    if (c->verb == VIEW_UNWATCH) {
        if (i < s->watch_count) {
            free(s->watches[i].rows);
            s->watches[i] = s->watches[--s->watch_count];
        }
        viewer_answer(s, c, NULL);
        return;
    }
    pthread_mutex_lock(&h->lock);
    const view_body *body = view_table_find(&h->table, c->body);
    const bool there = body && !body->gone;
    pthread_mutex_unlock(&h->lock);
    if (!there || (i == s->watch_count && i == VIEW_MAX_WATCHES)) {
        viewer_answer(
            s, c, there ? "watch: too many bodies are watched" : "watch: there is no such body");
        return;
    }
    if (i == s->watch_count) {
        s->watches[s->watch_count++] = (watch){.body = c->body, .last = -INFINITY};
    }
    viewer_answer(s, c, NULL);
}

static void live_reports(viewer *s, const view_command *c)
{
    uint64_t start;
    const uint64_t end = reports_kept(s, &start);
    uint64_t first = (uint64_t)c->first < start ? start : (uint64_t)c->first;
    first = first > end ? end : first;
    const uint64_t most = end - first;
    const uint64_t count = c->rows >= 0 && (uint64_t)c->rows < most ? (uint64_t)c->rows : most;
    view_buffer out = {0};
    if (!bucket_take(&s->rows, (double)count, SERVER_ROWS, 2.0 * SERVER_ROWS)) {
        viewer_answer(s, c, "reports: so many were asked for; ask again later");
    } else if (reports_copy(s, first, count, c->count, true, c->id, &out)) {
        viewer_bytes(s, &out);
        viewer_answer(s, c, NULL);
    } else {
        view_buffer_free(&out);
        pthread_mutex_lock(&s->server->hub->lock);
        const bool anew = s->server->hub->epoch != s->server->epoch;
        pthread_mutex_unlock(&s->server->hub->lock);
        viewer_answer(s, c,
                      anew
                          ? "reports: the run has started anew; ask again"
                          : "reports: the run went on faster than they could be copied; ask again");
    }
}

/* Commands that the source carries out. */
static void pass_on(viewer *s, view_command *c)
{
    hub *h = s->server->hub;
    c->client = s->client;
    if (c->verb == VIEW_PICK && h->live && c->index >= 0) {
        viewer_answer(s, c, "pick: a live run has no frames to choose from");
        return;
    }
    if (c->verb == VIEW_PICK && c->index < 0) {
        c->index = s->shown;
    }
    if (hub_request(h, c)) {
        c->args = NULL; /* the source's now */
    } else {
        s->reports_asked &= c->verb != VIEW_REPORTS;
        viewer_answer(s, c, "too many commands wait");
    }
}

static void carry_out(viewer *s, view_command *c)
{
    const bool live = s->server->hub->live;
    switch (c->verb) {
    case VIEW_READY: ready(s, c); return;
    case VIEW_SUBSCRIBE: subscribe(s, c); return;
    case VIEW_FRAME: ask_for_frame(s, c); return;
    case VIEW_WATCH:
    case VIEW_UNWATCH:
        if (live) {
            watch_body(s, c);
            return;
        }
        break;
    case VIEW_REPORTS:
        if (s->answers.bytes > SERVER_ANSWERS) {
            viewer_answer(s, c, "reports: the last ones have not been read yet");
            return;
        }
        if (s->reports_asked) {
            viewer_answer(s, c, "reports: the last request is still being answered");
            return;
        }
        s->reports_asked = !live;
        if (live) {
            live_reports(s, c);
            return;
        }
        break;
    case VIEW_TIMES:
        if (live) {
            viewer_answer(s, c, "times: a live run has no frames to list");
            return;
        }
        s->time_next = 0;
        break;
    case VIEW_PICK:
    case VIEW_FIND: break;
    default:
        if (!live) {
            char error[VIEW_ERROR];
            snprintf(error, sizeof error, "%s: a recording cannot be changed",
                     view_verb_name(c->verb));
            viewer_answer(s, c, error);
            return;
        }
    }
    pass_on(s, c);
}

int viewer_receive(viewer *s, const char *text, size_t length)
{
    view_command command;
    char error[VIEW_ERROR];
    switch (view_command_parse(text, length, &command, error)) {
    case VIEW_MALFORMED: return LWS_CLOSE_STATUS_INVALID_PAYLOAD;
    case VIEW_WRONG: viewer_answer(s, &command, error); break;
    case VIEW_GOOD: carry_out(s, &command); break;
    }
    view_command_free(&command);
    return 0;
}
