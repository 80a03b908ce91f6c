/* Force chains: a cylinder per contact that carries, from body to body, as thick and as coloured as
 * its force. Where contacts were recorded; show.c calls. */
#include "render/show.h"

/* Row of the table of bodies with a number; -1: none. */
static long row_of(const tlr_replay *r, uint32_t number)
{
    size_t low = 0, high = r->body_count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (r->bodies[middle].body.index <= number)
            low = middle;
        else
            high = middle;
    }
    return r->body_count && r->bodies[low].body.index == number ? (long)low : -1;
}

static double force_of(const tl_contact *c, double h)
{
    const double *p = c->impulse;
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / h;
}

/* Room for one body and one item more per contact. */
static tl_status make_room(tlr_show *s, tlr_moment *m, size_t more)
{
    if (m->body_count + more > s->body_room) {
        const size_t room = m->body_count + more;
        tlr_body *bodies = tl_alloc(room * sizeof *bodies);
        if (!bodies)
            return TL_NO_MEMORY;
        for (size_t i = 0; i < m->body_count; i++)
            bodies[i] = s->bodies[i];
        tl_free(s->bodies, s->body_room * sizeof *s->bodies);
        s->bodies = bodies;
        s->body_room = room;
    }
    if (m->item_count + more > s->item_room) {
        const size_t room = m->item_count + more;
        tlr_item *items = tl_alloc(room * sizeof *items);
        if (!items)
            return TL_NO_MEMORY;
        for (size_t i = 0; i < m->item_count; i++)
            items[i] = s->items[i];
        tl_free(s->items, s->item_room * sizeof *s->items);
        s->items = items;
        s->item_room = room;
    }
    m->bodies = s->bodies;
    m->items = s->items;
    return TL_OK;
}

/* From one end to the other. */
static void add_link(tlr_show *s, tlr_moment *m, vec a, vec b, double part, float thick)
{
    const vec way = v_sub(b, a), z = v3(0, 0, 1), axis = v_unit(way);
    const vec across = v_cross(z, axis);
    const float angle = atan2f(v_length(across), axis.z);
    const vec about = v_length(across) > 1e-6f ? v_unit(across) : v3(1, 0, 0);
    const float width = thick * (float)sqrt(part);
    s->items[m->item_count++] = (tlr_item){.body = (uint32_t)m->body_count,
                                           .mesh = s->chain_mesh,
                                           .material = s->chain_material,
                                           .turned = {1, 0, 0, 0},
                                           .scale = {width, width, 0.5f * v_length(way)},
                                           .color = tlr_map_color(s->look->chains.map, part)};
    s->bodies[m->body_count++] =
        (tlr_body){.place = v_along(a, 0.5f, way), .turned = turn_by(v_scale(about, angle))};
}

tl_status tlr_show_add_chains(tlr_show *s, double time, tlr_moment *m)
{
    const double h = s->replay.step;
    const float thick =
        s->look->chains.radius > 0 ? (float)s->look->chains.radius : 0.01f * s->radius;
    double most = s->look->chains.force;
    tl_result_frame frame;
    TL_TRY(tl_result_read_frame(s->replay.result, tlr_replay_frame_at(&s->replay, time), &frame));
    TL_TRY(make_room(s, m, frame.contact_count));
    for (size_t i = 0; i < frame.contact_count && !(s->look->chains.force > 0); i++)
        most = fmax(most, force_of(&frame.contacts[i], h));
    for (size_t i = 0; i < frame.contact_count && most > 0; i++) {
        const tl_contact *c = &frame.contacts[i];
        const double part = fmin(force_of(c, h) / most, 1);
        const long a = row_of(&s->replay, c->a.index), b = row_of(&s->replay, c->b.index);
        if (part < 0.005 || a < 0 || b < 0 || !s->poses[1][a].there)
            continue;
        const bool moves = s->replay.bodies[b].kind == TL_DYNAMIC && s->poses[1][b].there;
        const vec from = tlr_show_place(s, s->poses[1][a].place);
        const vec to = tlr_show_place(s, moves ? s->poses[1][b].place : c->point);
        if (v_length(v_sub(to, from)) > 0)
            add_link(s, m, from, to, part, thick);
    }
    return TL_OK;
}
