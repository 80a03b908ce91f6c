/* A show: opening it and setting its moments; show.h says which file does what. */
#include "render/show.h"

#include "render/png.h"

#include <string.h>

/* --- opening --- */

static tl_status make_room(tlr_show *s)
{
    const size_t bodies = (size_t)s->replay.info.bodies;
    s->body_room = bodies + 1 + s->look->object_count; /* the floor, and what the look has */
    s->item_room = (size_t)s->replay.info.shapes + 1 + s->look->object_count;
    s->items = tl_alloc_zero(s->item_room * sizeof *s->items);
    s->first = tl_alloc_zero((bodies + 1) * sizeof *s->first);
    s->colors = tl_alloc(s->body_room * sizeof *s->colors);
    if (!s->items || !s->first || !s->colors)
        return TL_NO_MEMORY;
    memset(s->colors, 0xff, s->body_room * sizeof *s->colors); /* TLR_OWN_COLOR */
    return TL_OK;
}

/* The bodies of a moment: room for these when the tables were read, so that both do not add up. */
static tl_status make_bodies(tlr_show *s)
{
    s->bodies = tl_alloc_zero(s->body_room * sizeof *s->bodies);
    return s->bodies ? TL_OK : TL_NO_MEMORY;
}

tl_status tlr_show_make_room(tlr_show *s, tlr_moment *m, size_t more)
{
    const size_t bodies = m->body_count + more, items = m->item_count + more;
    if (bodies > s->body_room) {
        tlr_body *wider = tl_alloc(bodies * sizeof *wider);
        uint32_t *colors = tl_alloc(bodies * sizeof *colors);
        if (wider && colors) {
            memcpy(wider, s->bodies, m->body_count * sizeof *wider);
            memcpy(colors, s->colors, m->body_count * sizeof *colors);
        }
        tl_free(wider && colors ? s->bodies : wider,
                (wider && colors ? s->body_room : bodies) * sizeof *wider);
        tl_free(wider && colors ? s->colors : colors,
                (wider && colors ? s->body_room : bodies) * sizeof *colors);
        if (!wider || !colors)
            return TL_NO_MEMORY;
        s->bodies = wider;
        s->colors = colors;
        s->body_room = bodies;
    }
    if (items > s->item_room) {
        tlr_item *wider = tl_alloc(items * sizeof *wider);
        if (!wider)
            return TL_NO_MEMORY;
        memcpy(wider, s->items, m->item_count * sizeof *wider);
        tl_free(s->items, s->item_room * sizeof *s->items);
        s->items = wider;
        s->item_room = items;
    }
    m->bodies = s->bodies;
    m->colors = s->colors;
    m->items = s->items;
    return TL_OK;
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

/* Reads the bodies and makes what is drawn of them. */
static tl_status make_items(tlr_show *s)
{
    tlr_shaper *shaper = NULL;
    const tlr_rest_shape *rests = NULL;
    TL_TRY(make_room(s));
    tl_status status = tlr_shaper_create(s, &shaper);
    if (status == TL_OK)
        status = tlr_replay_bodies(&s->replay, tlr_shaper_take, shaper);
    s->first[s->replay.body_count] = (uint32_t)s->item_count;
    if (status == TL_OK)
        status = make_bodies(s);
    if (status == TL_OK) {
        const size_t count = tlr_shaper_rests(shaper, &rests);
        status = tlr_view_measure(s, count, rests);
    }
    if (status == TL_OK)
        status = tlr_shaper_finish(shaper);
    tlr_shaper_destroy(shaper);
    return status;
}

static tl_status make_shades(tlr_show *s, const tlr_plugin *plugin)
{
    const size_t count = s->look->shade_count;
    if (!count)
        return TL_OK;
    s->shades = tl_alloc_zero(count * sizeof *s->shades);
    if (!s->shades)
        return TL_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        TL_TRY(tlr_shade_make(&s->look->shades[i], plugin, &s->shades[i]));
    const uint64_t code = tlr_plugin_hash(plugin);
    s->hash = tlr_hash(s->hash, &code, sizeof code);
    return TL_OK;
}

tl_status tlr_show_open(const char *path, const tlr_look *look, const tlr_plugin *plugin,
                        uint32_t threads, bool growing, tlr_show *s)
{
    size_t length = 0;
    *s = (tlr_show){.look = look,
                    .balls = {.item = sizeof(tlr_fit_ball)},
                    .materials = {.item = sizeof(tlr_material)},
                    .walls = {.item = sizeof(tlr_wall)},
                    .poses = {.item = sizeof(tlr_pose_in)},
                    .followed = -1,
                    .floor_mesh = UINT32_MAX};
    TL_TRY(tlr_replay_open(path, &look->input, threads, &s->replay));
    const char *text = tl_document_text(s->replay.document, &length);
    s->hash = tlr_hash(look->hash, text, length);
    s->hash = tlr_hash(s->hash, TL_VERSION_STRING, sizeof TL_VERSION_STRING);
    TL_TRY(choose_times(s));
    TL_TRY(make_shades(s, plugin));
    s->seen_to = growing ? s->from : s->to;
    set_axes(s);
    TL_TRY(tlr_stage_create(threads, look->cut, &s->stage));
    TL_TRY(tlr_show_make_stones(s));
    TL_TRY(tlr_show_make_objects(s));
    TL_TRY(make_items(s));
    TL_TRY(tlr_show_make_chains(s));
    TL_TRY(tlr_show_make_floor(s));
    TL_TRY(read_sky(s));
    tlr_view_lights(s);
    TL_TRY(tlr_view_find_body(s));
    TL_TRY(tlr_coloring_open(s));
    tlr_replay_forget(&s->replay);
    tlr_replay_drop(&s->replay);
    s->pose_count = s->poses.count;
    s->hash = tlr_hash(s->hash, s->items, s->item_count * sizeof *s->items);
    return TL_OK;
}

void tlr_show_close(tlr_show *s)
{
    tlr_stage_destroy(s->stage);
    tl_free(s->first, ((size_t)s->replay.info.bodies + 1) * sizeof *s->first);
    tl_free(s->colors, s->body_room * sizeof *s->colors);
    tl_free(s->bodies, s->body_room * sizeof *s->bodies);
    tl_free(s->items, s->item_room * sizeof *s->items);
    for (size_t i = 0; s->shades && i < s->look->shade_count; i++)
        tlr_shade_free(&s->shades[i]);
    tl_free(s->shades, s->shades ? s->look->shade_count * sizeof *s->shades : 0);
    tl_free(s->sky_picture, s->sky_floats * sizeof(float));
    tl_free(s->coloring.force, s->replay.body_count * sizeof(double));
    tl_expression_free(&s->coloring.expression);
    tl_array_free(&s->balls);
    tl_array_free(&s->walls);
    tl_array_free(&s->materials);
    tl_array_free(&s->poses);
    tlr_replay_close(&s->replay);
    *s = (tlr_show){0};
}

/* --- moments --- */

/* A body is read at three times: when the shutter opens, half-way, and when it closes. Its record
 * takes each as it comes. */
typedef struct reading {
    tlr_show *show;
    double time; /* half-way */
} reading;

/* It opens: where the body is, as long as it stays. */
static void note_start(void *user, size_t k, const tlr_pose *p)
{
    tlr_show *s = ((const reading *)user)->show;
    s->bodies[k].there = p->there;
    s->bodies[k].place = tlr_show_place(s, p->place);
    s->bodies[k].turned = p->turned;
}

/* Half-way: one that was not there at the start moves by its velocity alone. `move` is by velocity
 * and `spin` half a turn until it closes. */
static void note_middle(void *user, size_t k, const tlr_pose *p)
{
    const reading *r = user;
    tlr_show *s = r->show;
    tlr_body *b = &s->bodies[k];
    const bool was = b->there && s->open > 0;
    b->number = s->replay.rows[k].number;
    b->there = p->there && s->first[k] < s->first[k + 1];
    b->move = v_scale(p->velocity, (float)s->open);
    b->spin = v_scale(p->spin, 0.5f * (float)s->open);
    if (was)
        b->spin = turn_vector(turn_of(p->turned, turn_back(b->turned)));
    else
        b->turned = turn_of(turn_by(v_scale(b->spin, -1)), p->turned);
    if (!was)
        b->place = v_along(tlr_show_place(s, p->place), -0.5f, b->move);
    if (s->coloring.by_value)
        s->colors[k] = tlr_coloring_of(s, k, p, r->time);
    if ((long)k == s->followed) {
        memcpy(s->followed_place, p->place, sizeof p->place);
        s->followed_there = p->there;
    }
}

/* It closes: the way in between, and the turn in two halves, so that it is told up to a whole one.
 * A body that is gone then has moved on by its velocity: it comes and goes with a whole picture. */
static void note_end(void *user, size_t k, const tlr_pose *p)
{
    tlr_show *s = ((const reading *)user)->show;
    tlr_body *b = &s->bodies[k];
    if (!p->there) {
        b->spin = v_scale(b->spin, 2);
        return;
    }
    const quat middle = turn_of(turn_by(b->spin), b->turned);
    b->spin = v_add(b->spin, turn_vector(turn_of(p->turned, turn_back(middle))));
    b->move = v_sub(tlr_show_place(s, p->place), b->place);
}

tl_status tlr_show_read(tlr_show *s, double time, double open)
{
    reading r = {s, time};
    tlr_stage_clear(s->stage);
    s->open = open;
    TL_TRY(tlr_coloring_begin(s, time));
    if (open > 0)
        TL_TRY(tlr_replay_poses(&s->replay, time - 0.5 * open, 1, note_start, &r));
    TL_TRY(tlr_replay_poses(&s->replay, time, 1, note_middle, &r));
    if (open > 0)
        TL_TRY(tlr_replay_poses(&s->replay, time + 0.5 * open, 1, note_end, &r));
    tlr_replay_drop(&s->replay);
    return TL_OK;
}

uint64_t tlr_show_hash(const tlr_show *s)
{
    const size_t count = s->replay.body_count;
    const uint64_t h = tlr_hash(s->hash, s->bodies, count * sizeof *s->bodies);
    return tlr_hash(h, s->colors, count * sizeof *s->colors);
}

static void add_floor(tlr_show *s, tlr_moment *m, uint32_t *ground)
{
    if (s->floor_mesh == UINT32_MAX)
        return;
    const vec place = v_scale(s->up, (float)s->floor_height);
    *ground = (uint32_t)m->item_count;
    s->items[m->item_count++] = (tlr_item){.body = (uint32_t)m->body_count,
                                           .mesh = s->floor_mesh,
                                           .pose = TLR_PLAIN,
                                           .material = (uint16_t)s->floor_material};
    s->colors[m->body_count] = TLR_OWN_COLOR;
    s->bodies[m->body_count++] = (tlr_body){.place = place, .turned = {1, 0, 0, 0}, .there = true};
}

/* What stands around the bodies: meshes of the look's scene. */
static tl_status add_objects(tlr_show *s, tlr_moment *m)
{
    for (size_t i = 0; i < s->look->object_count; i++) {
        const tlr_look_object *o = &s->look->objects[i];
        const vec axis = v_scale(v_of(o->rotation), TLR_PI / 180);
        const float k = (float)o->scale;
        const tlr_pose_in in = {.turned = {1, 0, 0, 0}, .scale = {k, k, k}};
        s->items[m->item_count++] = (tlr_item){.body = (uint32_t)m->body_count,
                                               .mesh = s->objects[i],
                                               .pose = (uint32_t)s->poses.count,
                                               .material = (uint16_t)s->object_materials[i]};
        s->colors[m->body_count] = TLR_OWN_COLOR;
        s->bodies[m->body_count++] = (tlr_body){
            .place = tlr_show_place(s, o->position), .turned = turn_by(axis), .there = true};
        TL_TRY(tl_array_append(&s->poses, &in, 1));
    }
    m->poses = s->poses.data;
    return TL_OK;
}

tl_status tlr_show_set(tlr_show *s, double time, double seconds, uint32_t frame, tlr_tracer *t)
{
    const tlr_look *l = s->look;
    *t = (tlr_tracer){.stage = s->stage,
                      .frame = frame + 0x9e3779b9u * (uint32_t)l->seed,
                      .bounces = (uint32_t)l->bounces,
                      .backdrop = l->has_background,
                      .background = l->background,
                      .ground = UINT32_MAX,
                      .fade_near = 4 * s->radius,
                      .fade_far = l->has_background ? 20 * s->radius : INFINITY,
                      .outline = (float)l->outline,
                      .outline_color = l->outline_color};
    TL_TRY(tlr_view_camera(s, time, seconds, &t->camera));
    tlr_moment m = {.body_count = s->replay.body_count,
                    .item_count = s->item_count,
                    .bodies = s->bodies,
                    .colors = s->colors,
                    .items = s->items,
                    .poses = s->poses.data,
                    .materials = s->materials.data,
                    .material_count = s->materials.count,
                    .shades = s->shades,
                    .middle = {s->middle[0], s->middle[1], s->middle[2]},
                    .time = time,
                    .lights = &s->lights,
                    .cut = l->cut,
                    .moves = l->shutter > 0};
    tlr_show_leave_out_walls(s, t->camera.eye);
    const tlr_wall *walls = s->walls.data;
    for (size_t i = 0; i < s->walls.count; i++) /* a ground is a plane, and these are walls */
        if (s->items[walls[i].item].ground && !s->items[walls[i].item].left_out)
            t->ground = walls[i].item;
    add_floor(s, &m, &t->ground);
    s->poses.count = s->pose_count; /* without those of the last moment */
    TL_TRY(add_objects(s, &m));
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
