/* Force chains: a cylinder per contact that carries, from body to body, as thick and as coloured as
 * its force. Where contacts were recorded; show.c calls. */
#include "render/show.h"

static double force_of(const tl_contact *c, double h)
{
    const double *p = c->impulse;
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / h;
}

/* From one end to the other. */
static tl_status add_link(tlr_show *s, tlr_moment *m, vec a, vec b, double part, float thick)
{
    const vec way = v_sub(b, a), z = v3(0, 0, 1), axis = v_unit(way);
    const vec across = v_cross(z, axis);
    const float angle = atan2f(v_length(across), axis.z);
    const vec about = v_length(across) > 1e-6f ? v_unit(across) : v3(1, 0, 0);
    const float width = thick * (float)sqrt(part);
    const tlr_pose_in in = {.turned = {1, 0, 0, 0}, .scale = {width, width, 0.5f * v_length(way)}};
    s->items[m->item_count++] = (tlr_item){.body = (uint32_t)m->body_count,
                                           .mesh = s->chain_mesh,
                                           .pose = (uint32_t)s->poses.count,
                                           .material = (uint16_t)s->chain_material};
    s->colors[m->body_count] = tlr_map_color(s->look->chains.map, part);
    s->bodies[m->body_count++] = (tlr_body){
        .place = v_along(a, 0.5f, way), .turned = turn_by(v_scale(about, angle)), .there = true};
    return tl_array_append(&s->poses, &in, 1);
}

/* Where a body is half-way through the exposure. */
static vec place_of(const tlr_show *s, long row)
{
    return tlr_body_place(&s->bodies[row], 0.5f);
}

tl_status tlr_show_add_chains(tlr_show *s, double time, tlr_moment *m)
{
    const double h = s->replay.step;
    const float thick =
        s->look->chains.radius > 0 ? (float)s->look->chains.radius : 0.01f * s->radius;
    double most = s->look->chains.force;
    tl_result_frame frame;
    TL_TRY(tl_result_read_frame(s->replay.result, tlr_replay_frame_at(&s->replay, time), &frame));
    TL_TRY(tlr_show_make_room(s, m, frame.contact_count));
    for (size_t i = 0; i < frame.contact_count && !(s->look->chains.force > 0); i++)
        most = fmax(most, force_of(&frame.contacts[i], h));
    for (size_t i = 0; i < frame.contact_count && most > 0; i++) {
        const tl_contact *c = &frame.contacts[i];
        const double part = fmin(force_of(c, h) / most, 1);
        const long a = tlr_replay_row(&s->replay, c->a.index);
        const long b = tlr_replay_row(&s->replay, c->b.index);
        if (part < 0.005 || a < 0 || b < 0 || !s->bodies[a].there)
            continue;
        const bool moves = !s->replay.rows[b].rest && s->bodies[b].there;
        const vec from = place_of(s, a);
        const vec to = moves ? place_of(s, b) : tlr_show_place(s, c->point);
        if (v_length(v_sub(to, from)) > 0)
            TL_TRY(add_link(s, m, from, to, part, thick));
    }
    m->poses = s->poses.data;
    return TL_OK;
}
