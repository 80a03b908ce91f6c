/* What viewers' changes are taken back with: the list, and bodies that were removed. view/edit.c
 * carries it out. See view/live.h. */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void live_undo_free(live_undo *u)
{
    json_decref(u->command);
    free(u->shapes);
    *u = (live_undo){0};
}

/* Viewers are told what the next one would take back. */
static void name_last(view *v)
{
    snprintf(v->state.undo, sizeof v->state.undo, "%s",
             v->undo_count ? v->undo[v->undo_count - 1].what : "");
}

static void push(view *v, const live_undo *u)
{
    if (v->undo_count == LIVE_UNDO) { /* the oldest is forgotten */
        live_undo_free(&v->undo[0]);
        memmove(v->undo, v->undo + 1, --v->undo_count * sizeof *v->undo);
    }
    v->undo[v->undo_count++] = *u;
    name_last(v);
}

void live_remember(view *v, const char *what, json_t *command)
{
    live_undo u = {.command = command};
    if (!command) {
        return; /* no memory: it cannot be taken back */
    }
    snprintf(u.what, sizeof u.what, "%s", what);
    push(v, &u);
}

void live_remember_body(view *v, live_undo *saved)
{
    push(v, saved);
    *saved = (live_undo){0};
}

bool live_take_undo(view *v, live_undo *last)
{
    if (!v->undo_count) {
        return false;
    }
    *last = v->undo[--v->undo_count];
    name_last(v);
    return true;
}

void live_forget_undo(view *v)
{
    while (v->undo_count) {
        live_undo_free(&v->undo[--v->undo_count]);
    }
    name_last(v);
}

/* ---- bodies ---- */

/* Copies the shapes of a body. False: no memory, or they cannot be read. */
static bool save_shapes(const tl_world *world, tl_body body, live_undo *u)
{
    const size_t all = tl_world_shape_count(world);
    tl_shape_info *shapes = malloc((all + 1) * sizeof *shapes);
    size_t count = 0;
    bool good = shapes && tl_world_read_shapes(world, all, shapes) >= 0;
    for (size_t i = 0; i < all && good; i++) {
        if (shapes[i].body.index == body.index) {
            shapes[count++] = shapes[i];
        }
    }
    u->shapes = good ? malloc((count + 1) * sizeof *u->shapes) : NULL;
    good = u->shapes != NULL;
    for (size_t i = 0; i < count && good; i++) {
        u->shapes[i] = shapes[i].def;
        u->body.kind = shapes[i].kind;
    }
    u->body.shape_count = count;
    u->body.shapes = u->shapes;
    free(shapes);
    return good;
}

/* Whether a joint or a rod holds a body: these go with it, and would not come back. True, too,
 * where that cannot be found out. */
static bool is_held(const tl_world *world, tl_body body)
{
    const size_t count = tl_world_joint_count(world);
    tl_joint *joints = malloc((count + 1) * sizeof *joints);
    bool held = !joints || tl_world_list_joints(world, joints) < 0;
    for (size_t i = 0; i < count && !held; i++) {
        tl_joint_def def;
        held = tl_world_joint(world, joints[i], &def) < 0 || def.a.index == body.index ||
               def.b.index == body.index;
    }
    free(joints);
    for (size_t i = 0; i < tl_world_rod_count(world) && !held; i++) {
        tl_rod_info rod;
        held = tl_world_rod(world, i, &rod) < 0 || rod.body.index == body.index ||
               rod.ends[0].index == body.index || rod.ends[1].index == body.index;
    }
    return held;
}

bool live_save_body(const tl_world *world, tl_body body, live_undo *u)
{
    *u = (live_undo){.what = "removal", .body = tl_body_default()};
    tl_body_def *def = &u->body;
    bool good = !is_held(world, body) && save_shapes(world, body, u) &&
                tl_world_read_masses(world, 1, &body, &def->mass) >= 0 &&
                tl_world_read_inertias(world, 1, &body, def->inertia) >= 0 &&
                tl_world_read_positions(world, 1, &body, def->position) >= 0 &&
                tl_world_read_orientations(world, 1, &body, def->orientation) >= 0;
    if (good && def->mass > 0) {
        good = tl_world_read_velocities(world, 1, &body, def->velocity) >= 0 &&
               tl_world_read_angular_velocities(world, 1, &body, def->angular_velocity) >= 0;
    } else {
        good = good && def->shape_count && def->kind == TL_FIXED;
    }
    u->command =
        good ? json_pack("{ss sI}", "do", "restore", "body", (json_int_t)body.index) : NULL;
    if (!u->command) {
        live_undo_free(u);
    }
    return u->command != NULL;
}

bool live_restore(view *v, const live_undo *u, tl_world *world, tl_body *body, char *error)
{
    if (tl_world_add_bodies(world, 1, &u->body, body) < 0) {
        snprintf(error, VIEW_ERROR, "%s", tl_last_message());
        return false;
    }
    const json_int_t before = json_integer_value(json_object_get(u->command, "body"));
    for (size_t i = 0; i < v->undo_count; i++) {
        json_t *of = json_object_get(v->undo[i].command, "body");
        if (of && json_integer_value(of) == before) {
            json_integer_set(of, (json_int_t)body->index);
        }
    }
    v->bodies_changed = true;
    v->table_due = 0;
    return true;
}
