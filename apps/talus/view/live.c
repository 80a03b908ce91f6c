/* The loop's side of a live run: when to step, when to wait, and handing states to the server. See
 * view/live.h and view.h. */
#include "live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What commands may take between two steps of a run, s; the rest of them wait for the next step. */
#define COMMAND_SECONDS 0.005

view *live_start(const view_options *options, const live_owner *owner, const tl_document *document,
                 tl_world *world, char error[VIEW_ERROR])
{
    view *v = calloc(1, sizeof *v);
    if (!v || !hub_init(&v->hub, true)) {
        snprintf(error, VIEW_ERROR, "not enough memory for the viewer");
        free(v);
        return NULL;
    }
    v->options = *options;
    v->hub.renders = options->render && options->result;
    v->owner = owner ? *owner : (live_owner){0};
    v->document = document;
    v->until = options->until;
    snprintf(v->source, sizeof v->source, "%s", options->source ? options->source : "");
    v->state = (hub_state){
        .running = !options->paused && !options->wait, .real_time = options->real_time, .speed = 1};
    v->waiting_for_viewer = options->wait && !options->paused;
    if (!live_begin(v, world)) {
        snprintf(error, VIEW_ERROR, "not enough memory for the viewer: %s", tl_last_message());
    } else {
        v->server = server_start(&v->hub, options, error);
    }
    if (!v->server) {
        hub_free(&v->hub);
        free(v->channels);
        free(v->values);
        free(v);
        return NULL;
    }
    return v;
}

bool view_start(const view_options *options, const tl_document *document, tl_world *world,
                view **made, char *error, size_t room)
{
    char why[VIEW_ERROR] = "";
    *made = live_start(options, NULL, document, world, why);
    snprintf(error, room, "%s", why);
    return *made != NULL;
}

const char *view_address(const view *v)
{
    return v ? v->server->address : "";
}

int view_port(const view *v)
{
    return v ? v->server->port : 0;
}

const char *view_token(const view *v)
{
    return v ? v->server->token : "";
}

void view_stop(view *v)
{
    if (v) {
        server_stop(v->server);
        live_forget_undo(v);
        hub_free(&v->hub);
        free(v->channels);
        free(v->values);
        free(v);
    }
}

/* ---- states ---- */

/* Contacts are read only where somebody looks at them. */
static void take_contacts(view *v, tl_world *world, hub_capture *capture)
{
    pthread_mutex_lock(&v->hub.lock);
    const bool wanted = v->hub.contacts > 0 || v->hub.forces;
    pthread_mutex_unlock(&v->hub.lock);
    capture->contacts_known = false;
    capture->contact_count = 0;
    if (!wanted) {
        return;
    }
    const size_t count = tl_world_contact_count(world);
    if (count > capture->contact_room) {
        tl_contact *moved = realloc(capture->contacts, count * sizeof *moved);
        if (!moved) {
            return;
        }
        capture->contacts = moved;
        capture->contact_room = count;
    }
    capture->contacts_known = tl_world_read_contacts(world, count, capture->contacts) == TL_OK;
    capture->contact_count = capture->contacts_known ? count : 0;
}

/* Hands the present state to the server. */
static void publish(view *v, tl_world *world)
{
    const double now = hub_now();
    if (v->bodies_changed && now >= v->table_due) {
        v->bodies_changed = !live_follow_bodies(v, world, NULL);
        /* a world that pours bodies in shall not spend its time on tables */
        v->table_due = hub_now() + fmax(0.1, 20 * (hub_now() - now));
    }
    const tl_settings settings = tl_world_settings(world); /* events change gravity */
    if (memcmp(&settings, &v->settings, sizeof settings) != 0) {
        v->settings = settings;
        hub_set_settings(&v->hub, &settings);
    }
    hub_capture *capture = hub_free_capture(&v->hub);
    take_contacts(v, world, capture);
    capture->version = atomic_load(&v->hub.version);
    capture->step = settings.step;
    capture->epoch = v->hub.epoch; /* this thread alone changes it */
    if (tl_world_capture(world, capture->frame) == TL_OK) {
        hub_publish(&v->hub, capture);
        v->published = capture->version;
    }
}

/* If a viewer wants a state and there is one that it has not got. */
static void publish_if_wanted(view *v, tl_world *world)
{
    const int want = atomic_load_explicit(&v->hub.want, memory_order_relaxed);
    const bool table_late = v->bodies_changed && hub_now() >= v->table_due;
    if (want == 2 || (want == 1 && (atomic_load(&v->hub.version) != v->published || table_late))) {
        publish(v, world);
    }
}

/* ---- time ---- */

/* s until the next step is due in real time; 0: now. */
static double time_to_wait(view *v, const tl_world *world)
{
    if (!v->state.real_time) {
        return 0;
    }
    const double now = hub_now(), time = tl_world_time(world);
    const double due = v->pace_wall + (time - v->pace_time) / v->state.speed;
    /* a run that cannot keep up, or was paused, does not rush after */
    if (v->pace_wall == 0 || now - due > 0.1) {
        v->pace_wall = now;
        v->pace_time = time;
        return 0;
    }
    return due > now ? due - now : 0;
}

static void carry_out(view *v, view_command *command, tl_world **world)
{
    const bool running = v->state.running;
    live_command(v, command, world);
    view_command_free(command);
    if (v->state.running != running) {
        v->pace_wall = 0;
    }
    hub_set_state(&v->hub, &v->state);
}

bool live_before_step(view *v, tl_world **world)
{
    view_command command;
    for (;;) {
        if (v->over || (v->options.stop && *v->options.stop)) {
            return false;
        }
        const double start = hub_now();
        while (hub_next_request(&v->hub, 0, &command)) {
            carry_out(v, &command, world);
            if (v->state.running && hub_now() - start > COMMAND_SECONDS) {
                break; /* however many commands come, the run goes on */
            }
        }
        publish_if_wanted(v, *world);
        double wait = 0.1; /* the stop flag is looked at as often */
        if (v->steps_due) {
            v->steps_due--;
            break;
        }
        live_answer_steps(v, NULL);
        if (v->state.running && (wait = time_to_wait(v, *world)) <= 0) {
            break;
        }
        if (hub_next_request(&v->hub, fmin(wait, 0.1), &command)) {
            carry_out(v, &command, world);
        }
    }
    live_pull(v, *world);
    return true;
}

bool view_before_step(view *v, tl_world *world)
{
    return !v || live_before_step(v, &world); /* without an owner it is never another world */
}

void view_stay(view *v, tl_world *world)
{
    if (v) {
        v->finished = v->state.ended = true;
        v->state.running = false;
        v->steps_due = 0;
        live_answer_steps(v, "the run has ended");
        hub_set_state(&v->hub, &v->state);
        while (live_before_step(v, &world)) {
        }
    }
}

void view_after_step(view *v, tl_world *world, const tl_report *report)
{
    if (!v) {
        return;
    }
    atomic_fetch_add(&v->hub.version, 1);
    if (report->emitted != v->emitted || report->removed != v->removed) {
        v->emitted = report->emitted;
        v->removed = report->removed;
        v->bodies_changed = true;
    }
    hub_add_report(&v->hub, report);
    if (v->channel_count &&
        tl_world_read_monitors(world, v->channel_count, v->values) >= 0) { /* of every step */
        hub_add_measures(&v->hub, 1, report, v->values);
    }
    v->state.time = report->time;
    v->state.steps = report->steps;
    if (!v->state.ended && report->time >= v->until - 1e-9 * fabs(v->until)) {
        v->state.ended = true;
        v->state.running = false;
        hub_set_state(&v->hub, &v->state);
    }
    if (atomic_load_explicit(&v->hub.want, memory_order_relaxed)) {
        publish_if_wanted(v, world);
    }
}

void live_failed(view *v, const char *why)
{
    v->state.running = false;
    v->steps_due = 0;
    live_answer_steps(v, why);
    snprintf(v->state.message, sizeof v->state.message, "%s", why);
    hub_set_state(&v->hub, &v->state);
}
