/* The queues between source and server. See view/hub.h. */
#include "hub.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RING = HUB_REQUESTS + HUB_LEAVES };

double hub_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool hub_init(hub *h, bool live)
{
    *h = (hub){.live = live, .newest = -1, .reading = -1};
    h->last = &h->first;
    pthread_mutex_init(&h->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&h->commanded, &attributes);
    pthread_condattr_destroy(&attributes);
    bool good = true;
    if (live) {
        h->reports = malloc(HUB_REPORTS * sizeof *h->reports);
        good = h->reports != NULL;
        for (int i = 0; i < HUB_CAPTURES && good; i++) {
            good = tl_frame_create(&h->captures[i].frame) == TL_OK;
        }
    }
    if (!good) {
        hub_free(h);
    }
    return good;
}

void hub_free(hub *h)
{
    for (size_t i = 0; i < h->request_count; i++) {
        view_command_free(&h->requests[(h->request_first + i) % RING]);
    }
    for (hub_event *event = hub_take_events(h); event;) {
        hub_event *next = event->next;
        hub_event_free(event);
        event = next;
    }
    for (int i = 0; i < HUB_CAPTURES; i++) {
        tl_frame_destroy(h->captures[i].frame);
        free(h->captures[i].contacts);
    }
    free(h->hello);
    free(h->settings);
    free(h->pairs);
    hub_clear_names(h);
    free(h->names);
    free(h->fixed);
    free(h->times);
    free(h->reports);
    free(h->monitors);
    view_trace_free(&h->trace);
    view_table_free(&h->table);
    pthread_cond_destroy(&h->commanded);
    pthread_mutex_destroy(&h->lock);
}

void hub_clear_names(hub *h)
{
    while (h->name_count) {
        free(h->names[--h->name_count].name);
    }
}

void hub_wake(hub *h)
{
    if (h->wake) {
        h->wake(h->wake_user);
    }
}

/* ---- requests ---- */

static void kick(hub *h)
{
    h->kicked = true;
    pthread_cond_signal(&h->commanded);
}

bool hub_request(hub *h, const view_command *command)
{
    pthread_mutex_lock(&h->lock);
    const size_t most = command->verb == VIEW_LEAVE ? RING : HUB_REQUESTS;
    const bool room = h->request_count < most;
    if (room) {
        h->requests[(h->request_first + h->request_count++) % RING] = *command;
        kick(h);
    }
    pthread_mutex_unlock(&h->lock);
    return room;
}

void hub_want(hub *h, int level, unsigned fields, size_t contacts, bool forces, bool measures)
{
    pthread_mutex_lock(&h->lock);
    h->fields = fields;
    h->contacts = contacts;
    h->forces = forces;
    const int before = atomic_exchange(&h->want, level);
    const bool more = measures && !h->measures;
    h->measures = measures;
    if (level > before || more) {
        kick(h);
    }
    pthread_mutex_unlock(&h->lock);
}

static bool pop(hub *h, view_command *command)
{
    if (!h->request_count) {
        return false;
    }
    *command = h->requests[h->request_first];
    h->request_first = (h->request_first + 1) % RING;
    h->request_count--;
    return true;
}

bool hub_next_request(hub *h, double wait, view_command *command)
{
    pthread_mutex_lock(&h->lock);
    bool got = pop(h, command);
    if (!got && wait > 0 && !h->kicked) {
        struct timespec end;
        clock_gettime(CLOCK_MONOTONIC, &end);
        end.tv_sec += (time_t)wait;
        end.tv_nsec += (long)(1e9 * (wait - (double)(time_t)wait));
        if (end.tv_nsec >= 1000000000) {
            end.tv_sec++;
            end.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&h->commanded, &h->lock, &end);
        got = pop(h, command);
    }
    h->kicked = got; /* there may be more */
    pthread_mutex_unlock(&h->lock);
    return got;
}

/* ---- events ---- */

hub_event *hub_take_events(hub *h)
{
    pthread_mutex_lock(&h->lock);
    hub_event *events = h->first;
    h->first = NULL;
    h->last = &h->first;
    pthread_mutex_unlock(&h->lock);
    return events;
}

void hub_event_free(hub_event *event)
{
    free(event->text);
    view_buffer_free(&event->bytes);
    view_frame_drop(event->frame);
    free(event);
}

static void post(hub *h, hub_event *from)
{
    hub_event *event = malloc(sizeof *event);
    if (!event) {
        free(from->text);
        view_buffer_free(&from->bytes);
        view_frame_drop(from->frame);
        return;
    }
    *event = *from;
    pthread_mutex_lock(&h->lock);
    *h->last = event;
    h->last = &event->next;
    pthread_mutex_unlock(&h->lock);
    hub_wake(h);
}

void hub_post_text(hub *h, uint32_t client, char *text)
{
    if (text) {
        post(h, &(hub_event){.client = client, .text = text});
    }
}

void hub_post_bytes(hub *h, uint32_t client, view_buffer *bytes)
{
    if (bytes->failed) {
        view_buffer_free(bytes);
        return;
    }
    post(h, &(hub_event){.client = client, .bytes = *bytes});
    *bytes = (view_buffer){0};
}

void hub_post_frame(hub *h, uint32_t client, view_frame *frame)
{
    post(h, &(hub_event){.client = client, .is_frame = true, .frame = frame});
}

void hub_post_reports_done(hub *h, uint32_t client)
{
    post(h, &(hub_event){.client = client, .reports_done = true});
}

void hub_reply(hub *h, const view_command *command, const char *error, json_t *members)
{
    if (error) {
        json_decref(members);
        hub_post_text(h, command->client, view_reply_error(command->id, error));
    } else if (command->id) {
        hub_post_text(h, command->client, view_reply_ok(command->id, members));
    } else {
        json_decref(members);
    }
}

/* ---- states ---- */

hub_capture *hub_free_capture(hub *h)
{
    pthread_mutex_lock(&h->lock);
    int i = 0;
    while (i == h->newest || i == h->reading) {
        i++; /* of three, one is always free */
    }
    pthread_mutex_unlock(&h->lock);
    return &h->captures[i];
}

void hub_publish(hub *h, const hub_capture *capture)
{
    pthread_mutex_lock(&h->lock);
    h->newest = (int)(capture - h->captures);
    atomic_store(&h->want, 0);
    pthread_mutex_unlock(&h->lock);
    hub_wake(h);
}

hub_capture *hub_take_capture(hub *h, uint32_t epoch)
{
    pthread_mutex_lock(&h->lock);
    const int newest = h->newest;
    const bool fits = newest >= 0 && h->captures[newest].epoch == epoch;
    if (fits) {
        h->newest = -1;
        h->reading = newest;
    }
    pthread_mutex_unlock(&h->lock);
    return fits ? &h->captures[newest] : NULL;
}

void hub_give_capture(hub *h)
{
    pthread_mutex_lock(&h->lock);
    h->reading = -1;
    pthread_mutex_unlock(&h->lock);
}

void hub_set_state(hub *h, const hub_state *state)
{
    pthread_mutex_lock(&h->lock);
    const hub_state *old = &h->state;
    const bool differs = old->running != state->running || old->real_time != state->real_time ||
                         old->ended != state->ended || old->growing != state->growing ||
                         old->speed != state->speed || old->frames != state->frames ||
                         strcmp(old->undo, state->undo) != 0 ||
                         strcmp(old->message, state->message) != 0;
    h->state = *state;
    h->state_version += differs;
    pthread_mutex_unlock(&h->lock);
    if (differs) {
        hub_wake(h);
    }
}

/* Puts a text in the place of another and counts it if it differs. */
static void replace_text(hub *h, char **place, uint32_t *version, char *text)
{
    pthread_mutex_lock(&h->lock);
    char *old = *place;
    const bool differs = !text || !old || strcmp(text, old) != 0;
    *place = text;
    *version += differs;
    pthread_mutex_unlock(&h->lock);
    free(old);
    if (differs) {
        hub_wake(h);
    }
}

void hub_set_settings(hub *h, const tl_settings *settings)
{
    json_t *object = view_settings_to_json(settings);
    replace_text(h, &h->settings, &h->settings_version, json_dumps(object, JSON_COMPACT));
    json_decref(object);
}

void hub_set_pairs(hub *h, char *text)
{
    replace_text(h, &h->pairs, &h->pairs_version, text);
}

void hub_add_report(hub *h, const tl_report *report)
{
    pthread_mutex_lock(&h->lock);
    h->reports[h->report_count++ % HUB_REPORTS] = *report;
    h->state.time = report->time;
    h->state.steps = report->steps;
    pthread_mutex_unlock(&h->lock);
}

/* ---- monitors ---- */

bool hub_set_monitors(hub *h, size_t count, const tl_monitor_info *channels)
{
    hub_monitor *list = realloc(h->monitors, (count + 1) * sizeof *list);
    h->monitor_count = 0;
    h->trace_partial = false;
    if (!list) {
        view_trace_free(&h->trace);
        return false;
    }
    h->monitors = list;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(channels[i].name, ".");
        hub_monitor *last = h->monitor_count ? &list[h->monitor_count - 1] : NULL;
        if (last && strlen(last->name) == length &&
            strncmp(last->name, channels[i].name, length) == 0) {
            last->count++;
        } else {
            last = &list[h->monitor_count++];
            *last = (hub_monitor){.first = i, .count = 1};
            memcpy(last->name, channels[i].name, length);
        }
    }
    if (!view_trace_begin(&h->trace, count)) {
        h->monitor_count = 0;
        return false;
    }
    return true;
}

void hub_add_measures(hub *h, size_t count, const tl_report *reports, const double *values)
{
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < count; i++) {
        view_trace_add(&h->trace, reports[i].steps, reports[i].time,
                       values + i * h->trace.channels);
    }
    pthread_mutex_unlock(&h->lock);
}
