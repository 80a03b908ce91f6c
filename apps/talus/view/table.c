/* The table of bodies and shapes that viewers are sent before the frames. See view/frame.h. */
#include "frame.h"

#include <math.h>
#include <stdlib.h>

/* Makes room for `more` items; false: no memory. */
static bool grow(void **items, size_t *room, size_t count, size_t more, size_t size)
{
    if (count + more <= *room) {
        return true;
    }
    size_t wanted = *room ? *room * 2 : 64;
    while (wanted < count + more) {
        wanted *= 2;
    }
    void *moved = realloc(*items, wanted * size);
    if (!moved) {
        return false;
    }
    *items = moved;
    *room = wanted;
    return true;
}

static void narrow(const double *from, float *to, int count)
{
    for (int i = 0; i < count; i++) {
        to[i] = (float)from[i];
    }
}

/* How far a shape reaches from its body's origin. */
static double reach(const tl_shape_def *def)
{
    const double *p = def->position;
    const double offset = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    const double *h = def->half_extents, *u = def->edge_u, *v = def->edge_v;
    switch (def->kind) {
    case TL_SPHERE: return offset + def->radius;
    case TL_BOX: return offset + sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
    case TL_PARALLELOGRAM:
        return offset + sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) +
               sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    default: break;
    }
    return INFINITY;
}

static void add_ball(view_table *table, uint32_t index, const tl_shape_def *def)
{
    view_ball *ball = &table->balls[table->ball_count++];
    *ball =
        (view_ball){.body = index, .material = def->material.index, .radius = (float)def->radius};
    narrow(def->position, ball->position, 3);
}

static void add_solid(view_table *table, uint32_t index, const tl_shape_def *def)
{
    view_solid *solid = &table->solids[table->solid_count++];
    *solid =
        (view_solid){.body = index, .material = def->material.index, .kind = (uint32_t)def->kind};
    narrow(def->position, solid->position, 3);
    narrow(def->orientation, solid->orientation, 4);
    if (def->kind == TL_BOX) {
        narrow(def->half_extents, solid->size, 3);
    } else if (def->kind == TL_PARALLELOGRAM) {
        narrow(def->edge_u, solid->size, 3);
        narrow(def->edge_v, solid->size + 3, 3);
    }
}

bool view_table_add(view_table *table, uint32_t index, tl_body_kind kind, double mass, size_t count,
                    const tl_shape_info *shapes)
{
    if (!grow((void **)&table->bodies, &table->body_room, table->body_count, 1,
              sizeof *table->bodies) ||
        !grow((void **)&table->balls, &table->ball_room, table->ball_count, count,
              sizeof *table->balls) ||
        !grow((void **)&table->solids, &table->solid_room, table->solid_count, count,
              sizeof *table->solids)) {
        return false;
    }
    view_body *body = &table->bodies[table->body_count++];
    *body = (view_body){.index = index,
                        .kind = (uint8_t)kind,
                        .mass = (float)mass,
                        .ball = table->ball_count,
                        .solid = table->solid_count};
    double radius = 0;
    for (size_t i = 0; i < count; i++) {
        const tl_shape_def *def = &shapes[i].def;
        radius = fmax(radius, reach(def));
        if (def->kind != TL_SPHERE) {
            add_solid(table, index, def);
            continue;
        }
        add_ball(table, index, def);
        if (kind != TL_FIXED && (table->smallest == 0 || def->radius < table->smallest)) {
            table->smallest = def->radius;
        }
    }
    body->radius = (float)radius;
    body->balls = table->ball_count - body->ball;
    body->solids = table->solid_count - body->solid;
    /* large flat things show a packed orientation's error */
    body->how = kind == TL_FIXED || body->solids ? VIEW_EXACT : VIEW_PACKED;
    return true;
}

view_body *view_table_find(const view_table *table, uint32_t index)
{
    size_t low = 0, high = table->body_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (table->bodies[middle].index < index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < table->body_count && table->bodies[low].index == index ? &table->bodies[low]
                                                                        : NULL;
}

void view_table_free(view_table *table)
{
    free(table->bodies);
    free(table->balls);
    free(table->solids);
    *table = (view_table){0};
}
