/* Colours of bodies: by number, name or material, or by the value of an expression, with its range
 * and its map. show.c calls. */
#include "render/show.h"

#include <stdio.h>
#include <string.h>

const char *const tlr_maps[] = {"viridis", "inferno", "coolwarm", "gray", NULL};

enum { STOPS = 10, VARIABLES = 17, FORCE = VARIABLES - 1 };

/* Points of the maps, as sRGB; viridis and inferno are those of matplotlib (CC0). */
static const uint32_t stops[][STOPS] = {{0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89,
                                         0x35b779, 0x6ece58, 0xb5de2b, 0xfde725},
                                        {0x000004, 0x1b0c41, 0x4a0c6b, 0x781c6d, 0xa52c60, 0xcf4446,
                                         0xed6925, 0xfb9b06, 0xf7d13d, 0xfcffa4},
                                        {0x3b4cc0, 0x6384eb, 0x8db0fe, 0xb5cdfa, 0xd8dce3, 0xefcebd,
                                         0xf7b194, 0xee8669, 0xd65244, 0xb40426},
                                        {0x101010, 0x282828, 0x404040, 0x585858, 0x707070, 0x888888,
                                         0xa0a0a0, 0xb8b8b8, 0xd0d0d0, 0xe8e8e8}};

/* What bodies get that are told apart by number, name or material. */
static const uint32_t palette[] = {0xc8553d, 0xe09f3e, 0x4f7cac, 0x588157, 0x8a5a83, 0xd9b26f,
                                   0x2a7f8e, 0xb5606b, 0x7a8b99, 0xa3a847, 0x6b6fb3, 0xd07c4f};
enum { PALETTE = sizeof palette / sizeof *palette };

static const char *const variables[VARIABLES] = {"x",    "y",    "z",    "vx",     "vy",   "vz",
                                                 "wx",   "wy",   "wz",   "speed",  "spin", "radius",
                                                 "mass", "time", "body", "height", "force"};

uint32_t tlr_map_color(int map, double part)
{
    const double at = fmin(fmax(isnan(part) ? 0 : part, 0), 1) * (STOPS - 1);
    const int i = at >= STOPS - 1 ? STOPS - 2 : (int)at;
    const uint32_t a = stops[map][i], b = stops[map][i + 1];
    const double t = at - i;
    uint32_t mixed = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        const double x = (a >> shift & 255) * (1 - t) + (b >> shift & 255) * t;
        mixed |= (uint32_t)lround(x) << shift;
    }
    return mixed;
}

/* --- values --- */

/* The radius of a body's first sphere, or how far it reaches. */
double tlr_show_radius(const tlr_show *s, size_t k)
{
    double most = 0;
    for (uint32_t i = s->first[k]; i < s->first[k + 1]; i++) {
        if (s->items[i].kind == TL_SPHERE)
            return s->items[i].radius;
        if (s->items[i].kind != TL_PLANE)
            most = fmax(most, s->items[i].radius);
    }
    return most;
}

static double value_of(const tlr_show *s, size_t k, const tlr_pose *p, double time)
{
    const vec v = p->velocity, w = p->spin;
    const double height = p->place[0] * s->replay.up[0] + p->place[1] * s->replay.up[1] +
                          p->place[2] * s->replay.up[2];
    const double values[VARIABLES] = {p->place[0],
                                      p->place[1],
                                      p->place[2],
                                      v.x,
                                      v.y,
                                      v.z,
                                      w.x,
                                      w.y,
                                      w.z,
                                      v_length(v),
                                      v_length(w),
                                      tlr_show_radius(s, k),
                                      s->replay.rows[k].mass,
                                      time,
                                      s->replay.rows[k].number,
                                      height,
                                      s->coloring.force ? s->coloring.force[k] : 0};
    return tl_expression_value(&s->coloring.expression, values);
}

/* The forces at contacts on each body, in the last frame before a time. */
static tl_status read_forces(tlr_show *s, double time)
{
    tlr_replay *r = &s->replay;
    tl_result_frame frame;
    const double h = r->step;
    TL_TRY(tl_result_read_frame(r->result, tlr_replay_frame_at(r, time), &frame));
    memset(s->coloring.force, 0, r->body_count * sizeof(double));
    for (size_t i = 0; i < frame.contact_count; i++) {
        const tl_contact *c = &frame.contacts[i];
        const double *p = c->impulse, f = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / h;
        const uint32_t ends[2] = {c->a.index, c->b.index};
        for (int e = 0; e < 2; e++) {
            const long row = tlr_replay_row(r, ends[e]);
            if (row >= 0)
                s->coloring.force[row] += f;
        }
    }
    return TL_OK;
}

/* --- opening --- */

static tl_status compile(tlr_show *s)
{
    tlr_coloring *c = &s->coloring;
    const tl_text text = tl_text_of(s->look->color.by);
    tl_names names = {.variables = variables, .variable_count = FORCE, .without_parameters = true};
    tl_expression_error error;
    c->needs_force = tl_expression_compile(&c->expression, text, &names, &error) == TL_BAD_DATA;
    names.variable_count = VARIABLES;
    const tl_status status = tl_expression_compile(&c->expression, text, &names, &error);
    if (status == TL_BAD_DATA)
        return tl_fail(TL_BAD_DATA,
                       "color.by: '%s': %s; it is \"body\", \"name\", \"material\" or an "
                       "expression of x, y, z, height, vx, vy, vz, speed, wx, wy, wz, spin, "
                       "radius, mass, time, body and force",
                       s->look->color.by, error.text);
    TL_TRY(status);
    c->by_value = true;
    if (c->needs_force && !s->replay.info.contacts)
        return tl_fail(TL_BAD_DATA,
                       "color.by: '%s' needs forces, and %s has no contacts; `talus run "
                       "--contacts` records them",
                       s->look->color.by, s->replay.path);
    if (c->needs_force && !(c->force = tl_alloc_zero(s->replay.body_count * sizeof(double))))
        return TL_NO_MEMORY;
    return TL_OK;
}

/* The least and the greatest value of moving bodies at some times. */
typedef struct ranging {
    const tlr_show *show;
    double time;
    double *values; /* per row; NAN: none */
} ranging;

static void note_value(void *user, size_t k, const tlr_pose *p)
{
    const ranging *r = user;
    if (p->there && !r->show->replay.rows[k].rest)
        r->values[k] = value_of(r->show, k, p, r->time);
}

static tl_status find_range(tlr_show *s)
{
    enum { LOOKS = 9 };
    tlr_coloring *c = &s->coloring;
    const size_t count = s->replay.body_count;
    double low = INFINITY, high = -INFINITY, before = NAN;
    ranging r = {.show = s, .values = tl_alloc((count + 1) * sizeof(double))};
    tl_status status = r.values ? TL_OK : TL_NO_MEMORY;
    for (int i = 0; i < LOOKS && status == TL_OK; i++, before = r.time) {
        r.time = s->from + (s->seen_to - s->from) * i / (LOOKS - 1);
        if (r.time == before)
            continue;
        for (size_t k = 0; k < count; k++)
            r.values[k] = NAN;
        if (c->needs_force)
            status = read_forces(s, r.time);
        if (status == TL_OK)
            status = tlr_replay_poses(&s->replay, r.time, 1, note_value, &r);
        for (size_t k = 0; k < count; k++)
            if (isfinite(r.values[k])) {
                low = fmin(low, r.values[k]);
                high = fmax(high, r.values[k]);
            }
    }
    tl_free(r.values, (count + 1) * sizeof(double));
    c->range[0] = isfinite(low) ? low : 0;
    c->range[1] = high > low ? high : c->range[0] + 1;
    return status;
}

static uint32_t name_hash(const char *name)
{
    return name ? (uint32_t)tlr_hash(0, name, strlen(name)) : 0;
}

void tlr_coloring_note(tlr_show *s, size_t row, const tl_body_info *b, const tl_shape_def *first)
{
    const char *by = s->look->color.by;
    uint32_t which;
    if (!strcmp(by, "body"))
        which = sampler_hash(b->body.index);
    else if (!strcmp(by, "name"))
        which = name_hash(tl_document_body_name(s->replay.document, b->body));
    else if (!strcmp(by, "material"))
        which = first ? first->material.index : 0;
    else
        return;
    s->colors[row] = palette[which % PALETTE];
}

tl_status tlr_coloring_open(tlr_show *s)
{
    const char *by = s->look->color.by;
    if (!*by || !strcmp(by, "body") || !strcmp(by, "name") || !strcmp(by, "material"))
        return TL_OK;
    TL_TRY(compile(s));
    s->coloring.range[0] = s->look->color.range[0];
    s->coloring.range[1] = s->look->color.range[1];
    return isnan(s->coloring.range[0]) ? find_range(s) : TL_OK;
}

tl_status tlr_coloring_begin(tlr_show *s, double time)
{
    return s->coloring.needs_force ? read_forces(s, time) : TL_OK;
}

uint32_t tlr_coloring_of(const tlr_show *s, size_t row, const tlr_pose *pose, double time)
{
    const tlr_coloring *c = &s->coloring;
    const double value = value_of(s, row, pose, time);
    return tlr_map_color(s->look->color.map, (value - c->range[0]) / (c->range[1] - c->range[0]));
}
