/* What viewers' commands do to a world that runs. See view/live.h. */
#include "live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The handle of a body that is there. */
static bool find_body(const tl_world *world, uint32_t index, tl_body *body, char *error)
{
    *body = (tl_body){index, 1};
    if (!tl_world_has_body(world, *body)) {
        snprintf(error, VIEW_ERROR, "there is no body %u", (unsigned)index);
        return false;
    }
    return true;
}

/* A rod is moved by a body that carries it: the first of the two that is dynamic. */
static void find_carrier(const tl_world *world, tl_body *body)
{
    tl_rod_info rod;
    double mass = 0;
    for (size_t i = 0; i < tl_world_rod_count(world); i++) {
        if (tl_world_rod(world, i, &rod) >= 0 && rod.body.index == body->index) {
            const bool first = tl_world_read_masses(world, 1, &rod.ends[0], &mass) >= 0 && mass > 0;
            *body = rod.ends[first ? 0 : 1];
            return;
        }
    }
}

static bool find_dynamic(const tl_world *world, uint32_t index, tl_body *body, double *mass,
                         char *error)
{
    if (!find_body(world, index, body, error)) {
        return false;
    }
    find_carrier(world, body);
    if (tl_world_read_masses(world, 1, body, mass) < 0 || !(*mass > 0)) {
        snprintf(error, VIEW_ERROR, "body %u is not dynamic", (unsigned)index);
        return false;
    }
    return true;
}

/* ---- looking ---- */

/* The joints of a body, MOST_OF_BODY at most, and how they are doing. */
enum { MOST_OF_BODY = 32 };
static size_t find_joints(tl_world *world, tl_body body, tl_joint found[MOST_OF_BODY],
                          tl_joint_state states[MOST_OF_BODY])
{
    const size_t all = tl_world_joint_count(world);
    tl_joint *joints = all ? malloc(all * sizeof *joints) : NULL;
    size_t count = 0;
    const bool listed = joints && tl_world_list_joints(world, joints) >= 0;
    for (size_t i = 0; listed && i < all && count < MOST_OF_BODY; i++) {
        tl_joint_def def;
        if (tl_world_joint(world, joints[i], &def) >= 0 &&
            (def.a.index == body.index || def.b.index == body.index)) {
            found[count++] = joints[i];
        }
    }
    free(joints);
    return count && tl_world_read_joints(world, count, found, states) >= 0 ? count : 0;
}

static bool pick(view *v, const view_command *c, tl_world *world, json_t **members, char *error)
{
    tl_joint joints[MOST_OF_BODY];
    tl_joint_state states[MOST_OF_BODY];
    tl_body body;
    double velocity[3], angular[3];
    source_pick p = {.index = c->body,
                     .time = tl_world_time(world),
                     .step = tl_world_settings(world).step,
                     .contacts_known = true,
                     .contact_count = tl_world_contact_count(world),
                     .velocity = velocity,
                     .angular_velocity = angular};
    if (!find_body(world, c->body, &body, error)) {
        return false;
    }
    pthread_mutex_lock(&v->hub.lock);
    const view_body *row = view_table_find(&v->hub.table, c->body);
    p.kind = row ? (tl_body_kind)row->kind : TL_DYNAMIC;
    pthread_mutex_unlock(&v->hub.lock);
    tl_contact *contacts = malloc((p.contact_count + 1) * sizeof *contacts);
    p.contacts = contacts;
    const bool good = contacts && tl_world_read_contacts(world, p.contact_count, contacts) >= 0 &&
                      tl_world_read_positions(world, 1, &body, p.position) >= 0 &&
                      tl_world_read_orientations(world, 1, &body, p.orientation) >= 0 &&
                      tl_world_read_velocities(world, 1, &body, velocity) >= 0 &&
                      tl_world_read_angular_velocities(world, 1, &body, angular) >= 0 &&
                      tl_world_read_masses(world, 1, &body, &p.mass) >= 0;
    if (good) {
        p.joint_count = find_joints(world, body, joints, states);
        p.joints = joints;
        p.joint_states = states;
        *members = source_describe(&v->hub, v->document, &p);
    } else {
        snprintf(error, VIEW_ERROR, "%s", tl_last_message());
    }
    free(contacts);
    return good;
}

static bool find(const view *v, const view_command *c, json_t **members, char *error)
{
    const tl_body body = tl_document_find_body(v->document, c->name);
    if (!body.index) {
        snprintf(error, VIEW_ERROR, "there is no body of that name");
        return false;
    }
    *members = json_pack("{sI}", "index", (json_int_t)body.index);
    return true;
}

/* ---- editing ---- */

/* Marks in the file that records the run what was done to it by hand. */
static bool mark(view *v, const json_t *command, const tl_world *world, char *error)
{
    if (!v->owner.edited) {
        return true;
    }
    json_t *copy = json_copy((json_t *)(uintptr_t)command);
    json_object_del(copy, "id");
    char *text = json_dumps(copy, JSON_COMPACT);
    json_decref(copy);
    char why[VIEW_ERROR] = "not enough memory";
    const bool good = text && v->owner.edited(v->owner.user, world, text, why);
    free(text);
    if (!good) {
        snprintf(error, VIEW_ERROR, "done, but not marked in the result: %.400s", why);
    }
    return good;
}

/* Whether a run may have the step that was given: as those that `talus run` takes. */
static bool allows_step(const view *v, double step, bool given, char *error)
{
    char why[VIEW_ERROR - 32];
    if (!given || !v->options.allows_step || !isfinite(v->options.until) || !(step > 0) ||
        v->options.allows_step(v->options.until, step, why, sizeof why)) {
        return true; /* or the library refuses it */
    }
    snprintf(error, VIEW_ERROR, "set: step: %s", why);
    return false;
}

static bool set(view *v, const json_t *args, tl_world *world, json_t *inverse, char *error)
{
    tl_settings settings = tl_world_settings(world);
    json_t *before = view_settings_to_json(&settings);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)args, key, value)
    {
        json_object_set(inverse, key, json_object_get(before, key)); /* not `do` and `id` */
    }
    json_decref(before);
    if (!view_settings_from_json(&settings, args, error) ||
        !allows_step(v, settings.step, json_object_get(args, "step") != NULL, error)) {
        return false;
    }
    if (tl_world_set_settings(world, &settings) < 0) {
        snprintf(error, VIEW_ERROR, "%s", tl_last_message());
        return false;
    }
    v->settings = tl_world_settings(world);
    hub_set_settings(&v->hub, &v->settings);
    return true;
}

/* Friction and restitution of a pair; the rest of it stays. */
static bool put_pair(tl_world *world, const view_pair *p)
{
    const tl_material a = {p->a}, b = {p->b};
    tl_pair_def def;
    if (tl_world_pair(world, a, b, &def) < 0) {
        return false;
    }
    def.friction = p->friction;
    def.restitution = p->restitution;
    return tl_world_set_pair(world, a, b, &def) == TL_OK;
}

/* Sets the first `count` pairs of a list. */
static bool put_pairs(tl_world *world, const json_t *list, size_t count, char *error)
{
    for (size_t i = 0; i < count; i++) {
        view_pair p;
        if (!view_pair_from_json(json_array_get(list, i), &p) || !put_pair(world, &p)) {
            snprintf(error, VIEW_ERROR, "pairs[%zu]: %.400s", i, tl_last_message());
            return false;
        }
    }
    return true;
}

static bool set_pairs(view *v, const json_t *args, tl_world *world, json_t *inverse, char *error)
{
    const json_t *list = json_object_get(args, "pairs");
    const size_t count = json_array_size(list);
    json_t *before = json_array();
    json_object_set_new(inverse, "pairs", before);
    for (size_t i = 0; i < count; i++) { /* all are looked at before one is changed */
        view_pair p;
        view_pair_from_json(json_array_get(list, i), &p);
        tl_pair_def def;
        if (tl_world_pair(world, (tl_material){p.a}, (tl_material){p.b}, &def) < 0) {
            snprintf(error, VIEW_ERROR, "pairs[%zu]: %.400s", i, tl_last_message());
            return false;
        }
        p.friction = def.friction;
        p.restitution = def.restitution;
        json_array_insert_new(before, 0, view_pair_to_json(&p)); /* one listed twice: its first */
    }
    const bool good = put_pairs(world, list, count, error);
    if (!good) {
        char ignored[VIEW_ERROR];
        put_pairs(world, before, count, ignored);
    }
    hub_set_pairs(&v->hub, source_pairs(v->document, world));
    return good;
}

/* What `set` changes, in words. */
static void name_settings(const json_t *command, char *text, size_t room)
{
    size_t length = 0;
    const char *key;
    json_t *value;
    text[0] = 0;
    json_object_foreach((json_t *)(uintptr_t)command, key, value)
    {
        if (strcmp(key, "do") != 0 && length + strlen(key) + 3 < room) {
            length +=
                (size_t)snprintf(text + length, room - length, "%s%s", length ? ", " : "", key);
        }
    }
}

/* Carries out `set` or `pairs`; the command that takes it back goes on top of the others. */
static bool change(view *v, const json_t *args, tl_world *world, bool undoing, char *error)
{
    const char *verb = json_string_value(json_object_get(args, "do"));
    const bool pairs = verb && strcmp(verb, "pairs") == 0;
    json_t *inverse = json_pack("{ss}", "do", pairs ? "pairs" : "set");
    if (!(pairs ? set_pairs : set)(v, args, world, inverse, error)) {
        json_decref(inverse);
        return false;
    }
    if (undoing) {
        json_decref(inverse);
        return true;
    }
    char what[64] = "friction and bounce";
    if (!pairs) {
        name_settings(inverse, what, sizeof what);
    }
    live_remember(v, what, inverse);
    return mark(v, args, world, error);
}

static live_drag *drag_of(view *v, uint32_t client)
{
    for (size_t i = 0; i < v->drag_count; i++) {
        if (v->drags[i].client == client) {
            return &v->drags[i];
        }
    }
    return NULL;
}

static bool drag(view *v, const view_command *c, const tl_world *world, char *error)
{
    live_drag *d = drag_of(v, c->client);
    tl_body body;
    double mass;
    if (!find_dynamic(world, c->body, &body, &mass, error)) {
        return false;
    }
    if (!d && v->drag_count == LIVE_DRAGS) {
        snprintf(error, VIEW_ERROR, "too many bodies are dragged");
        return false;
    }
    d = d ? d : &v->drags[v->drag_count++];
    *d = (live_drag){.client = c->client, .body = body, .frequency = c->frequency};
    memcpy(d->target, c->point, sizeof d->target);
    return true;
}

static bool release(view *v, uint32_t client, const tl_world *world, char *error)
{
    live_drag *d = drag_of(v, client);
    if (!d) {
        return true;
    }
    json_t *done = json_pack("{ss sI}", "do", "release", "body", (json_int_t)d->body.index);
    *d = v->drags[--v->drag_count];
    const bool good = mark(v, done, world, error);
    json_decref(done);
    return good;
}

void live_pull(view *v, tl_world *world)
{
    const double h = tl_world_settings(world).step;
    for (size_t i = v->drag_count; i-- > 0;) {
        live_drag *d = &v->drags[i];
        double position[3], velocity[3];
        if (!tl_world_has_body(world, d->body) ||
            tl_world_read_positions(world, 1, &d->body, position) < 0 ||
            tl_world_read_velocities(world, 1, &d->body, velocity) < 0) {
            *d = v->drags[--v->drag_count];
            continue;
        }
        /* critically damped, with the velocity at the end of the step: stable however stiff */
        const double w = 2 * M_PI * d->frequency, scale = 1 / (1 + 2 * h * w + h * h * w * w);
        for (int k = 0; k < 3; k++) {
            velocity[k] = (velocity[k] + h * w * w * (d->target[k] - position[k])) * scale;
        }
        tl_world_write_velocities(world, 1, &d->body, velocity, NULL);
    }
}

static bool push(uint32_t index, const double impulse[3], tl_world *world, char *error)
{
    tl_body body;
    double mass, velocity[3];
    if (!find_dynamic(world, index, &body, &mass, error)) {
        return false;
    }
    bool good = tl_world_read_velocities(world, 1, &body, velocity) >= 0;
    for (int k = 0; k < 3 && good; k++) {
        velocity[k] += impulse[k] / mass;
    }
    good = good && tl_world_write_velocities(world, 1, &body, velocity, NULL) >= 0;
    if (!good) {
        snprintf(error, VIEW_ERROR, "%s", tl_last_message());
    }
    return good;
}

static bool throw_body(view *v, const view_command *c, tl_world *world, json_t **members,
                       char *error)
{
    tl_shape_def sphere = tl_sphere_default(c->radius);
    tl_body_def def = tl_body_default();
    tl_body body;
    sphere.material.index = c->material;
    def.density = c->density;
    def.shape_count = 1;
    def.shapes = &sphere;
    memcpy(def.position, c->point, sizeof def.position);
    memcpy(def.velocity, c->velocity, sizeof def.velocity);
    if (tl_world_add_bodies(world, 1, &def, &body) < 0) {
        snprintf(error, VIEW_ERROR, "%s", tl_last_message());
        return false;
    }
    v->bodies_changed = true;
    v->table_due = 0;
    *members = json_pack("{sI}", "index", (json_int_t)body.index);
    return true;
}

/* `members`, where it is no undo: whether there will be one. */
static bool remove_body(view *v, uint32_t index, tl_world *world, json_t **members, char *error)
{
    tl_body body;
    live_undo saved = {0};
    if (!find_body(world, index, &body, error)) {
        return false;
    }
    const bool comes_back = members && live_save_body(world, body, &saved);
    if (tl_world_remove_bodies(world, 1, &body) < 0) {
        snprintf(error, VIEW_ERROR, "%s", tl_last_message());
        live_undo_free(&saved);
        return false;
    }
    if (comes_back) {
        live_remember_body(v, &saved);
    }
    if (members) {
        *members = json_pack("{sb}", "undo", comes_back);
    }
    v->bodies_changed = true;
    v->table_due = 0;
    return true;
}

/* ---- taking back ---- */

/* Carries out what takes a change back; `done` tells what that was, for the result. */
static bool take_back(view *v, const live_undo *u, tl_world *world, json_t *done, char *error)
{
    const char *verb = json_string_value(json_object_get(u->command, "do"));
    const uint32_t index = (uint32_t)json_integer_value(json_object_get(u->command, "body"));
    if (strcmp(verb, "push") == 0) {
        const json_t *list = json_object_get(u->command, "impulse");
        double impulse[3];
        for (size_t k = 0; k < 3; k++) {
            impulse[k] = json_number_value(json_array_get(list, k));
        }
        return push(index, impulse, world, error);
    }
    if (strcmp(verb, "remove") == 0) {
        return remove_body(v, index, world, NULL, error);
    }
    if (strcmp(verb, "restore") == 0) {
        tl_body body;
        const bool good = live_restore(v, u, world, &body, error);
        json_object_set_new(done, "as", json_integer(good ? (json_int_t)body.index : 0));
        return good;
    }
    return change(v, u->command, world, true, error);
}

static bool undo(view *v, tl_world *world, char *error)
{
    live_undo last;
    if (!live_take_undo(v, &last)) {
        snprintf(error, VIEW_ERROR, "there is nothing to take back");
        return false;
    }
    json_t *done = json_copy(last.command);
    bool good = take_back(v, &last, world, done, error);
    if (good) {
        json_object_set_new(done, "undo", json_true());
        good = mark(v, done, world, error);
    }
    json_decref(done);
    live_undo_free(&last);
    return good;
}

/* How a push or a throw that was carried out is taken back. */
static void remember(view *v, const view_command *c, const json_t *members)
{
    if (c->verb == VIEW_PUSH) {
        double back[3];
        for (int k = 0; k < 3; k++) {
            back[k] = -c->point[k];
        }
        live_remember(v, "push",
                      json_pack("{ss sI so}", "do", "push", "body", (json_int_t)c->body, "impulse",
                                view_vector(back, 3)));
    } else if (c->verb == VIEW_THROW) {
        live_remember(
            v, "throw",
            json_pack("{ss sO}", "do", "remove", "body", json_object_get(members, "index")));
    }
}

/* Commands that change the state. */
static bool edit(view *v, view_command *c, tl_world *world, json_t **members, char *error)
{
    if (!v->options.edit) {
        snprintf(error, VIEW_ERROR,
                 "this run is being recorded as its scene says; talus view SCENE can be changed");
        return false;
    }
    atomic_fetch_add(&v->hub.version, 1);
    const bool dragged = c->verb == VIEW_DRAG && drag_of(v, c->client); /* marked when it began */
    bool good = false;
    switch (c->verb) {
    case VIEW_SET:
    case VIEW_PAIRS: return change(v, c->args, world, false, error);
    case VIEW_UNDO: return undo(v, world, error);
    case VIEW_DRAG: good = drag(v, c, world, error); break;
    case VIEW_PUSH: good = push(c->body, c->point, world, error); break;
    case VIEW_THROW: good = throw_body(v, c, world, members, error); break;
    default: good = remove_body(v, c->body, world, members, error); break;
    }
    if (good) {
        remember(v, c, *members);
    }
    return good && (dragged || mark(v, c->args, world, error));
}

/* ---- control ---- */

static void pace(view *v, const view_command *c)
{
    v->state.real_time = c->real_time >= 0 ? c->real_time : v->state.real_time;
    v->state.speed = c->speed > 0 ? c->speed : v->state.speed;
    v->pace_wall = 0;
}

/* A run that is over is only looked at. */
static bool may_step(const view *v, char *error)
{
    if (v->finished) {
        snprintf(error, VIEW_ERROR, "the run has ended");
    }
    return !v->finished;
}

/* The first viewer is there: a run that waited for one starts. */
static void join(view *v)
{
    if (v->waiting_for_viewer) {
        v->waiting_for_viewer = false;
        v->state.running = true;
    }
}

static bool start(view *v, char *error)
{
    if (!may_step(v, error)) {
        return false;
    }
    if (v->state.ended) { /* on, beyond the end */
        v->until = INFINITY;
    }
    v->state.ended = false;
    v->state.message[0] = 0;
    v->state.running = true;
    return true;
}

void live_answer_steps(view *v, const char *error)
{
    for (size_t i = 0; i < v->waiting_count; i++) {
        hub_reply(&v->hub, &v->waiting[i], error, NULL);
    }
    v->waiting_count = 0;
}

/* Whether the answer waits until the steps are done. */
static bool step(view *v, const view_command *c)
{
    const size_t room = sizeof v->waiting / sizeof *v->waiting;
    v->state.running = false;
    v->state.message[0] = 0;
    v->steps_due = (v->steps_due > 100000 ? 0 : v->steps_due) + c->count;
    if (v->waiting_count == room) {
        return false;
    }
    v->waiting[v->waiting_count] = *c;
    v->waiting[v->waiting_count++].args = NULL;
    return true;
}

static bool restart(view *v, view_command *c, tl_world **world, char *error)
{
    if (!v->owner.restart) {
        snprintf(error, VIEW_ERROR, "this run cannot start anew: it is being recorded");
        return false;
    }
    if (!v->owner.restart(v->owner.user, c, world, &v->document, &v->options.until, error)) {
        return false;
    }
    if (!live_begin(v, *world)) {
        snprintf(error, VIEW_ERROR, "not enough memory for the viewer: %s", tl_last_message());
        return false;
    }
    return true;
}

static bool checkpoint(view *v, tl_world *world, json_t **members, char *error)
{
    const char *file = "";
    if (!v->owner.checkpoint) {
        snprintf(error, VIEW_ERROR, "nothing is recorded: talus view SCENE -o RESULT does");
        return false;
    }
    if (!v->owner.checkpoint(v->owner.user, world, &file, error)) {
        return false;
    }
    *members = json_pack("{ss}", "file", file);
    return true;
}

/* As by Ctrl-C. */
static bool end(view *v, char *error)
{
    if (!v->options.edit) {
        snprintf(error, VIEW_ERROR, "this run ends by itself; Ctrl-C where it was started ends it");
        return false;
    }
    v->over = true;
    return true;
}

void live_command(view *v, view_command *c, tl_world **world)
{
    char why[VIEW_ERROR] = "";
    json_t *members = NULL;
    bool good = true;
    switch (c->verb) {
    case VIEW_LEAVE: release(v, c->client, *world, why); return;
    case VIEW_JOIN: join(v); return;
    case VIEW_RELEASE: good = release(v, c->client, *world, why); break;
    case VIEW_START: good = start(v, why); break;
    case VIEW_STOP:
        v->state.running = false;
        v->steps_due = 0;
        break;
    case VIEW_STEP:
        good = may_step(v, why);
        if (good && step(v, c)) {
            return; /* answered when the steps are done */
        }
        break;
    case VIEW_PACE: pace(v, c); break;
    case VIEW_RESTART: good = restart(v, c, world, why); break;
    case VIEW_PICK: good = pick(v, c, *world, &members, why); break;
    case VIEW_FIND: good = find(v, c, &members, why); break;
    case VIEW_CHECKPOINT: good = checkpoint(v, *world, &members, why); break;
    case VIEW_END: good = end(v, why); break;
    default: good = edit(v, c, *world, &members, why); break;
    }
    char error[VIEW_ERROR + 32];
    /* messages of `set` and of the library name their place themselves */
    snprintf(error, sizeof error, "%s: %s", view_verb_name(c->verb), why);
    const bool named = strncmp(why, "set: ", 5) == 0;
    hub_reply(&v->hub, c, good ? NULL : named ? why : error, members);
}
