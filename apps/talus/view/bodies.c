/* How the table of bodies that viewers hold follows a world. See view/live.h. */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The world's bodies and shapes, read whole. */
typedef struct census {
    size_t count, shape_count, fixed_count;
    tl_body *bodies;
    tl_shape_info *shapes;
    size_t *first_shape; /* count + 1 */
    tl_body *fixed;
    double *positions; /* of fixed bodies */
    double *orientations;
    double *masses;
    view_geometries geometries;
} census;

static void census_free(census *c)
{
    free(c->bodies);
    free(c->shapes);
    free(c->first_shape);
    free(c->fixed);
    free(c->positions);
    free(c->orientations);
    free(c->masses);
    free(c->geometries.infos);
}

static bool take_geometries(const tl_world *world, view_geometries *g)
{
    g->count = tl_world_geometry_count(world);
    g->infos = malloc((g->count + 1) * sizeof *g->infos);
    bool good = g->infos != NULL;
    for (size_t i = 0; i < g->count && good; i++) {
        good = tl_world_geometry(world, (tl_geometry){(uint32_t)i + 1}, &g->infos[i]) >= 0;
    }
    return good;
}

static tl_body_kind kind_of(const census *c, size_t i)
{
    const size_t first = c->first_shape[i];
    return c->first_shape[i + 1] > first ? c->shapes[first].kind : TL_DYNAMIC;
}

static bool census_take(const tl_world *world, census *c)
{
    *c = (census){.count = tl_world_body_count(world), .shape_count = tl_world_shape_count(world)};
    const size_t count = c->count;
    c->bodies = malloc((count + 1) * sizeof *c->bodies);
    c->shapes = malloc((c->shape_count + 1) * sizeof *c->shapes);
    c->first_shape = malloc((count + 1) * sizeof *c->first_shape);
    c->fixed = malloc((count + 1) * sizeof *c->fixed);
    c->masses = malloc((count + 1) * sizeof *c->masses);
    if (!c->bodies || !c->shapes || !c->first_shape || !c->fixed || !c->masses ||
        tl_world_list_bodies(world, count, c->bodies) < 0 ||
        tl_world_read_shapes(world, c->shape_count, c->shapes) < 0 ||
        tl_world_read_masses(world, count, NULL, c->masses) < 0 ||
        !take_geometries(world, &c->geometries)) {
        return false;
    }
    size_t shape = 0;
    for (size_t i = 0; i < count; i++) {
        c->first_shape[i] = shape;
        while (shape < c->shape_count && c->shapes[shape].body.index == c->bodies[i].index) {
            shape++;
        }
    }
    c->first_shape[count] = shape;
    for (size_t i = 0; i < count; i++) {
        if (kind_of(c, i) == TL_FIXED) {
            c->fixed[c->fixed_count++] = c->bodies[i];
        }
    }
    c->positions = malloc((3 * c->fixed_count + 1) * sizeof *c->positions);
    c->orientations = malloc((4 * c->fixed_count + 1) * sizeof *c->orientations);
    return c->positions && c->orientations &&
           tl_world_read_positions(world, c->fixed_count, c->fixed, c->positions) >= 0 &&
           tl_world_read_orientations(world, c->fixed_count, c->fixed, c->orientations) >= 0;
}

/* Marks those that are gone and appends those that are new; both lists rise. */
static bool update_table(view_table *table, const census *c)
{
    size_t row = 0, rows = table->body_count;
    for (size_t i = 0; i < c->count; i++) {
        const uint32_t index = c->bodies[i].index;
        while (row < rows && table->bodies[row].index < index) {
            table->bodies[row++].gone = true;
        }
        if (row < rows) {
            row++;
        } else if (!view_table_add(table, index, kind_of(c, i), c->masses[i],
                                   c->first_shape[i + 1] - c->first_shape[i],
                                   c->shapes + c->first_shape[i], &c->geometries)) {
            return false;
        }
    }
    while (row < rows) {
        table->bodies[row++].gone = true;
    }
    return true;
}

static bool update_fixed(hub *h, const census *c)
{
    if (c->fixed_count > h->fixed_room) {
        view_pose *moved = realloc(h->fixed, c->fixed_count * sizeof *moved);
        if (!moved) {
            return false;
        }
        h->fixed = moved;
        h->fixed_room = c->fixed_count;
    }
    h->fixed_count = c->fixed_count;
    for (size_t i = 0; i < c->fixed_count; i++) {
        view_pose *pose = &h->fixed[i];
        *pose = (view_pose){.index = c->fixed[i].index};
        memcpy(pose->position, c->positions + 3 * i, sizeof pose->position);
        for (int k = 0; k < 4; k++) {
            pose->orientation[k] = (float)c->orientations[4 * i + (size_t)k];
        }
    }
    return true;
}

/* The box of all bodies and the box of packed positions, at the start of an epoch. */
static bool measure(view *v, const tl_world *world, source_hello *hello)
{
    const size_t count = v->hub.table.body_count;
    double *positions = malloc((3 * count + 1) * sizeof *positions);
    if (!positions || tl_world_read_positions(world, count, NULL, positions) < 0) {
        free(positions);
        return false;
    }
    size_t moving = 0;
    for (size_t i = 0; i < count; i++) {
        const view_body *body = &v->hub.table.bodies[i];
        source_widen(hello, positions + 3 * i, (double)body->radius);
        if (body->kind != TL_FIXED) {
            memmove(positions + 3 * moving++, positions + 3 * i, 3 * sizeof *positions);
        }
    }
    v->hub.box = view_box_choose(moving, positions, v->hub.table.smallest, 1);
    free(positions);
    return true;
}

bool live_follow_bodies(view *v, tl_world *world, source_hello *hello)
{
    hub *h = &v->hub;
    census c;
    bool good = census_take(world, &c);
    if (good) {
        pthread_mutex_lock(&h->lock);
        if (hello) { /* a new epoch */
            view_table_free(&h->table);
            h->epoch++;
            h->newest = -1;
            h->report_count = 0;
        }
        good = update_table(&h->table, &c) && update_fixed(h, &c);
        h->table_version++;
        if (hello && good) {
            good = measure(v, world, hello) && source_begin(h, hello);
        }
        pthread_mutex_unlock(&h->lock);
        hub_wake(h);
    }
    census_free(&c);
    return good;
}

/* The channels of a world's monitors, and room for their values. */
static bool list_channels(view *v, const tl_world *world)
{
    const size_t count = tl_world_monitor_count(world);
    tl_monitor_info *channels = realloc(v->channels, (count + 1) * sizeof *channels);
    double *values = realloc(v->values, (count + 1) * sizeof *values);
    v->channels = channels ? channels : v->channels;
    v->values = values ? values : v->values;
    bool good = channels && values;
    for (size_t i = 0; i < count && good; i++) {
        good = tl_world_monitor_info(world, i, &channels[i]) >= 0;
    }
    v->channel_count = good ? count : 0;
    return good;
}

bool live_begin(view *v, tl_world *world)
{
    if (!list_channels(v, world)) {
        return false;
    }
    snprintf(v->backend, sizeof v->backend, "%s", tl_world_backend(world));
    source_hello hello = {.document = v->document,
                          .source = v->source,
                          .backend = v->backend,
                          .duration = v->options.until,
                          .first_time = tl_world_time(world),
                          .contacts = true,
                          .channel_count = v->channel_count,
                          .channels = v->channels,
                          .control = true,
                          .edit = v->options.edit,
                          .restart = v->owner.restart != NULL,
                          .record = v->owner.checkpoint != NULL};
    v->settings = tl_world_settings(world);
    hub_set_settings(&v->hub, &v->settings);
    hub_set_pairs(&v->hub, source_pairs(v->document, world));
    live_forget_undo(v);
    v->state.time = tl_world_time(world);
    v->state.steps = 0;
    v->state.ended = false;
    v->state.message[0] = 0;
    v->until = v->options.until;
    v->drag_count = 0;
    v->steps_due = 0;
    v->pace_wall = 0;
    v->emitted = v->removed = 0;
    v->bodies_changed = false;
    atomic_fetch_add(&v->hub.version, 1);
    const bool good = live_follow_bodies(v, world, &hello);
    hub_set_state(&v->hub, &v->state);
    return good;
}
