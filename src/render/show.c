/* A show: opening it and setting its moments; show.h says which file does what. */
#include "render/show.h"

#include "render/png.h"

#include <string.h>

/* --- opening --- */

static tl_status make_room(tlr_show *s)
{
    const size_t bodies = s->replay.body_count;
    s->body_room = bodies + 1; /* and the floor */
    s->item_room = s->replay.shape_count + 1;
    s->parts = tl_alloc_zero(s->item_room * sizeof *s->parts);
    s->first = tl_alloc_zero((bodies + 1) * sizeof *s->first);
    s->colors = tl_alloc_zero((bodies + 1) * sizeof *s->colors);
    s->bodies = tl_alloc_zero(s->body_room * sizeof *s->bodies);
    s->items = tl_alloc_zero(s->item_room * sizeof *s->items);
    for (int i = 0; i < 3; i++)
        s->poses[i] = tl_alloc_zero((bodies + 1) * sizeof *s->poses[i]);
    return s->parts && s->first && s->colors && s->bodies && s->items && s->poses[0] &&
                   s->poses[1] && s->poses[2]
               ? TL_OK
               : TL_NO_MEMORY;
}

/* The part of the recording that is drawn. */
static tl_status choose_times(tlr_show *s)
{
    const tlr_replay *r = &s->replay;
    const double first = r->times[0], last = r->times[r->info.frames - 1], little = 1e-9;
    s->from = isnan(s->look->from) ? first : s->look->from;
    s->to = isnan(s->look->to) ? last : s->look->to;
    if (s->to < s->from - little || s->from > last + little || s->to < first - little)
        return tl_fail(TL_BAD_ARGUMENT,
                       "render: nothing of %s lies between %g and %g s; its frames go from %g to "
                       "%g s",
                       r->path, s->from, s->to, first, last);
    s->from = fmax(s->from, first);
    s->to = fmin(s->to, last);
    return TL_OK;
}

static void set_axes(tlr_show *s)
{
    s->up = v_of(s->replay.up);
    const vec x = fabsf(s->up.x) < 0.9f ? v3(1, 0, 0) : v3(0, 1, 0);
    s->east = v_unit(v_along(x, -v_dot(x, s->up), s->up));
    s->north = v_cross(s->up, s->east);
}

static tl_status read_sky(tlr_show *s)
{
    int width, height;
    unsigned char *rgb = NULL;
    if (s->look->sky.kind != TLR_SKY_PICTURE)
        return TL_OK;
    TL_TRY(tlr_png_read(s->look->sky.file, &width, &height, &rgb));
    s->sky_floats = 3 * (size_t)width * (size_t)height;
    s->sky_picture = tl_alloc(s->sky_floats * sizeof(float));
    for (size_t i = 0; i < s->sky_floats && s->sky_picture; i++) {
        const float c = (float)rgb[i] / 255;
        s->sky_picture[i] = c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
    }
    s->hash = tlr_hash(s->hash, rgb, s->sky_floats);
    s->lights.sky.width = width;
    s->lights.sky.height = height;
    s->lights.sky.picture = s->sky_picture;
    tl_free(rgb, s->sky_floats);
    return s->sky_picture ? TL_OK : TL_NO_MEMORY;
}

tl_status tlr_show_open(const char *path, const tlr_look *look, uint32_t threads, bool growing,
                        tlr_show *s)
{
    size_t length = 0;
    *s = (tlr_show){.look = look,
                    .balls = {.item = sizeof(tlr_fit_ball)},
                    .materials = {.item = sizeof(tlr_material)},
                    .walls = {.item = sizeof(tlr_wall)},
                    .floor_mesh = UINT32_MAX};
    TL_TRY(tlr_replay_open(path, &s->replay));
    const char *text = tl_document_text(s->replay.document, &length);
    s->hash = tlr_hash(look->hash, text, length);
    s->hash = tlr_hash(s->hash, TL_VERSION_STRING, sizeof TL_VERSION_STRING);
    TL_TRY(choose_times(s));
    s->seen_to = growing ? s->from : s->to;
    TL_TRY(make_room(s));
    set_axes(s);
    TL_TRY(tlr_stage_create(threads, look->cut, &s->stage));
    TL_TRY(tlr_view_measure(s));
    TL_TRY(tlr_show_make_stones(s));
    TL_TRY(tlr_show_make_parts(s));
    TL_TRY(tlr_show_make_chains(s));
    TL_TRY(tlr_show_make_floor(s));
    TL_TRY(read_sky(s));
    tlr_view_lights(s);
    TL_TRY(tlr_view_find_body(s));
    TL_TRY(tlr_coloring_open(s));
    tlr_replay_forget(&s->replay);
    return TL_OK;
}

void tlr_show_close(tlr_show *s)
{
    const size_t bodies = s->replay.body_count;
    tlr_stage_destroy(s->stage);
    tl_free(s->parts, s->item_room * sizeof *s->parts);
    tl_free(s->first, (bodies + 1) * sizeof *s->first);
    tl_free(s->colors, (bodies + 1) * sizeof *s->colors);
    tl_free(s->bodies, s->body_room * sizeof *s->bodies);
    tl_free(s->items, s->item_room * sizeof *s->items);
    for (int i = 0; i < 3; i++)
        tl_free(s->poses[i], (bodies + 1) * sizeof *s->poses[i]);
    tl_free(s->sky_picture, s->sky_floats * sizeof(float));
    tl_free(s->coloring.force, bodies * sizeof(double));
    tl_expression_free(&s->coloring.expression);
    tl_array_free(&s->balls);
    tl_array_free(&s->walls);
    tl_array_free(&s->materials);
    tlr_replay_close(&s->replay);
    *s = (tlr_show){0};
}

/* --- moments --- */

tl_status tlr_show_read(tlr_show *s, double time, double open)
{
    s->open = open;
    TL_TRY(tlr_replay_poses(&s->replay, time - 0.5 * open, s->poses[0]));
    TL_TRY(tlr_replay_poses(&s->replay, time, s->poses[1]));
    return tlr_replay_poses(&s->replay, time + 0.5 * open, s->poses[2]);
}

uint64_t tlr_show_hash(const tlr_show *s)
{
    uint64_t h = s->hash;
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < s->replay.body_count; k++) {
            const tlr_pose *p = &s->poses[i][k];
            if (!p->there)
                continue;
            h = tlr_hash(h ^ s->replay.bodies[k].body.index, p->place, sizeof p->place);
            h = tlr_hash(h, &p->turned, sizeof p->turned);
            h = tlr_hash(h, &p->velocity, sizeof p->velocity);
        }
    return h;
}

/* A body from when the shutter opens until it closes. One that is not there for all of the time
 * moves on by its velocity: it comes and goes with a whole picture. */
static tlr_body body_of(const tlr_show *s, size_t k)
{
    const tlr_pose *a = &s->poses[0][k], *b = &s->poses[1][k], *c = &s->poses[2][k];
    tlr_body body = {.number = s->replay.bodies[k].body.index};
    if (!a->there || !c->there) {
        body.move = v_scale(b->velocity, (float)s->open);
        body.spin = v_scale(b->spin, (float)s->open);
        body.place = v_along(tlr_show_place(s, b->place), -0.5f, body.move);
        body.turned = turn_of(turn_by(v_scale(body.spin, -0.5f)), b->turned);
        return body;
    }
    body.place = tlr_show_place(s, a->place);
    body.move = v_sub(tlr_show_place(s, c->place), body.place);
    body.turned = a->turned;
    /* Two halves, so that turns are told up to a whole one. */
    body.spin = v_add(turn_vector(turn_of(b->turned, turn_back(a->turned))),
                      turn_vector(turn_of(c->turned, turn_back(b->turned))));
    return body;
}

static void add_items(tlr_show *s, size_t k, uint32_t body, vec eye, tlr_moment *m,
                      uint32_t *ground)
{
    for (uint32_t i = s->first[k]; i < s->first[k + 1]; i++) {
        const tlr_part *p = &s->parts[i];
        if (p->mesh == TLR_NOT_DRAWN ||
            (s->look->walls == 0 && tlr_part_is_wall(s, i, &s->poses[1][k], eye)))
            continue;
        if (p->ground)
            *ground = (uint32_t)m->item_count;
        s->items[m->item_count++] = (tlr_item){.body = body,
                                               .mesh = p->mesh,
                                               .material = p->material,
                                               .radius = p->radius,
                                               .at = p->at,
                                               .turned = p->turned,
                                               .scale = p->scale,
                                               .color = s->colors[k]};
    }
}

static void add_floor(tlr_show *s, tlr_moment *m, uint32_t *ground)
{
    if (s->floor_mesh == UINT32_MAX)
        return;
    const vec place = v_scale(s->up, (float)s->floor_height);
    *ground = (uint32_t)m->item_count;
    s->items[m->item_count++] = (tlr_item){.body = (uint32_t)m->body_count,
                                           .mesh = s->floor_mesh,
                                           .material = s->floor_material,
                                           .scale = {1, 1, 1},
                                           .turned = {1, 0, 0, 0}};
    s->bodies[m->body_count++] = (tlr_body){.place = place, .turned = {1, 0, 0, 0}};
}

tl_status tlr_show_set(tlr_show *s, double time, double seconds, uint32_t frame, tlr_tracer *t)
{
    const tlr_look *l = s->look;
    *t = (tlr_tracer){.stage = s->stage,
                      .frame = frame,
                      .bounces = (uint32_t)l->bounces,
                      .backdrop = l->has_background,
                      .background = l->background,
                      .ground = UINT32_MAX,
                      .fade_near = 4 * s->radius,
                      .fade_far = l->has_background ? 20 * s->radius : INFINITY,
                      .outline = (float)l->outline,
                      .outline_color = l->outline_color};
    TL_TRY(tlr_coloring_set(s, time));
    TL_TRY(tlr_view_camera(s, time, seconds, &t->camera));
    tlr_moment m = {.bodies = s->bodies,
                    .items = s->items,
                    .materials = s->materials.data,
                    .material_count = s->materials.count,
                    .lights = &s->lights,
                    .cut = l->cut,
                    .moves = l->shutter > 0};
    for (size_t k = 0; k < s->replay.body_count; k++) {
        if (!s->poses[1][k].there || s->first[k] == s->first[k + 1])
            continue;
        s->bodies[m.body_count] = body_of(s, k);
        add_items(s, k, (uint32_t)m.body_count++, t->camera.eye, &m, &t->ground);
    }
    add_floor(s, &m, &t->ground);
    if (l->chains.on)
        TL_TRY(tlr_show_add_chains(s, time, &m));
    if (l->cut) {
        m.cut_normal = v_unit(v_of(l->cut_normal));
        if (!isnan(l->cut_point[0]))
            m.cut_point = tlr_show_place(s, l->cut_point);
    }
    TL_TRY(tlr_stage_set(s->stage, &m));
    return tlr_view_check(s, &t->camera, time);
}
