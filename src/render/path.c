/* Paths; path.h says who calls. At each bounce light is looked for twice, by drawing a light and by
 * going on in a direction that the surface draws, and the two are weighed by their densities
 * (balance of squares). Chance ends paths without bias. */
#include "render/path.h"

/* A path on its way. */
typedef struct path {
    vec origin, direction;
    float time;
    vec light, weight;
    float density; /* with which the direction was drawn; 0: there was no other */
    bool seen;     /* the camera looks along it */
} path;

static float squares(float a, float b)
{
    const float x = a * a;
    return x / (x + b * b);
}

static void add_light(path *p, vec radiance, float density)
{
    const float w = p->density > 0 ? squares(p->density, density) : 1;
    p->light = v_add(p->light, v_scale(v_mul(p->weight, radiance), w));
}

/* Nothing is met: what the sky sends. */
static void reach_sky(const tlr_tracer *t, path *p)
{
    const tlr_lights *l = tlr_stage_moment(t->stage)->lights;
    if (p->seen && t->backdrop) {
        p->light = v_add(p->light, v_mul(p->weight, t->background));
        return;
    }
    add_light(p, tlr_sky_radiance(l, p->direction), tlr_sky_pdf(l, p->direction));
    if (tlr_sun_seen(l, p->direction))
        add_light(p, l->sun_radiance, tlr_sun_pdf(l));
}

/* The end of a path that may not bounce again: only light counts, and that only where nothing is in
 * its way, which is quicker to ask than what it meets first. */
static void end_path(const tlr_tracer *t, path *p)
{
    const tlr_lights *l = tlr_stage_moment(t->stage)->lights;
    float distance;
    const int area = tlr_lights_meet(l, p->origin, p->direction, &distance);
    if (area >= 0 && v_dot(p->direction, l->areas[area].normal) >= 0)
        return; /* its back is black */
    if (tlr_stage_blocked(t->stage, p->origin, p->direction, p->time, distance * (1 - 1e-4f)))
        return;
    if (area < 0)
        reach_sky(t, p);
    else
        add_light(p, l->areas[area].radiance,
                  tlr_area_pdf(l, (size_t)area, p->direction, distance));
}

/* Bands around the body's z axis, and two caps of another colour. */
static vec stripe(vec color, vec local)
{
    if (v_dot(local, local) < 0.5f)
        return color;
    const bool dark = fabsf(local.z) < 0.18f || fabsf(local.z) > 0.88f;
    return dark ? v_scale(color, 0.25f) : color;
}

/* A material that changes from point to point, here; bumps turn the normal. */
static void shade(const tlr_moment *m, const tlr_item *item, float time, tlr_material *material,
                  tlr_hit *h)
{
    const tlr_body *body = &m->bodies[item->body];
    const quat q = tlr_body_turned(body, time);
    vec normal = turn_apply(turn_back(q), h->normal);
    const talus_shade_point point = {.position = {m->middle[0] + h->point.x,
                                                  m->middle[1] + h->point.y,
                                                  m->middle[2] + h->point.z},
                                     .local = {h->inner.x, h->inner.y, h->inner.z},
                                     .normal = {normal.x, normal.y, normal.z},
                                     .radius = item->radius,
                                     .time = m->time,
                                     .body = body->number};
    tlr_shade_apply(&m->shades[material->shade - 1], &point, material, &normal);
    normal = turn_apply(q, normal);
    if (v_dot(normal, h->geometric) > 0.05f)
        h->normal = normal;
}

static tlr_material material_at(const tlr_moment *m, float time, tlr_hit *h)
{
    const tlr_item *item = &m->items[h->item];
    tlr_material material = m->materials[item->material];
    material.color = tlr_moment_color(m, item->body, &material);
    if (material.stripes)
        material.color = stripe(material.color, h->local);
    if (material.shade && m->shades)
        shade(m, item, time, &material, h);
    return material;
}

/* Light that a draw of a light brings to a surface. */
static void find_light(const tlr_tracer *t, path *p, const tlr_hit *h, const tlr_material *material,
                       vec u, vec v, vec out, sampler *s)
{
    const tlr_moment *m = tlr_stage_moment(t->stage);
    float pair[2], density;
    tlr_light_draw drawn;
    sampler_next(s, pair);
    if (!tlr_lights_draw(m->lights, h->point, pair, &drawn) ||
        !(v_dot(drawn.direction, h->geometric) > 0))
        return;
    const vec in = v_to(drawn.direction, u, v, h->normal);
    const vec value = tlr_material_value(material, out, in, &density);
    if (!(v_most(value) > 0) || !(v_most(drawn.radiance) > 0))
        return;
    if (tlr_stage_blocked(t->stage, h->point, drawn.direction, p->time,
                          drawn.distance * (1 - 1e-4f)))
        return;
    const float w = squares(drawn.density, density) / drawn.density;
    p->light = v_add(p->light, v_scale(v_mul(p->weight, v_mul(value, drawn.radiance)), w));
}

/* Goes on from a surface; false: the path ends. */
static bool bounce(const tlr_tracer *t, path *p, tlr_hit *h, sampler *s)
{
    const tlr_material material = material_at(tlr_stage_moment(t->stage), p->time, h);
    vec normal = h->normal, u, v;
    float pair[2];
    tlr_scatter drawn;
    sampler_next(s, pair);
    if (!(v_dot(normal, p->direction) < -1e-4f))
        normal = h->geometric;
    v_frame(normal, &u, &v);
    const vec out = v_to(v_scale(p->direction, -1), u, v, normal);
    tlr_hit lit = *h;
    lit.normal = normal;
    if (tlr_material_is_rough(&material))
        find_light(t, p, &lit, &material, u, v, out, s);
    if (!tlr_material_draw(&material, out, h->inside && material.kind == TLR_GLASS, pair, &drawn))
        return false;
    p->direction = v_unit(v_from(drawn.direction, u, v, normal));
    const float side = v_dot(p->direction, h->geometric);
    if (drawn.through ? side >= 0 : side <= 0)
        return false;
    p->weight = v_mul(p->weight, drawn.weight);
    p->density = drawn.density;
    p->origin = drawn.through ? h->beyond : h->point;
    p->seen = p->seen && material.kind == TLR_GLASS;
    return true;
}

/* A light is met: its radiance; false where the camera does not see it and looks on. */
static bool meet_area(const tlr_tracer *t, path *p, const tlr_hit *h)
{
    const tlr_lights *l = tlr_stage_moment(t->stage)->lights;
    if (p->seen && l->areas[h->area].unseen) {
        p->origin = h->beyond;
        return false;
    }
    if (!h->inside) /* its back is black */
        add_light(p, l->areas[h->area].radiance,
                  tlr_area_pdf(l, (size_t)h->area, p->direction, h->distance));
    return true;
}

/* The ground fades into the background: that part of it is added at once. False: nothing is left.
 */
static bool fade_ground(const tlr_tracer *t, path *p, const tlr_hit *h)
{
    if (!p->seen || h->item != t->ground || isinf(t->fade_far))
        return true;
    const float r = v_length(v_sub(h->point, t->middle));
    const float x = fminf(fmaxf((r - t->fade_near) / (t->fade_far - t->fade_near), 0), 1);
    const float part = x * x * (3 - 2 * x);
    p->light = v_add(p->light, v_scale(v_mul(p->weight, t->background), part));
    p->weight = v_scale(p->weight, 1 - part);
    return part < 1;
}

/* Ends dim paths by chance. */
static bool survives(path *p, uint32_t depth, sampler *s)
{
    float u[2];
    if (!(v_most(p->weight) > 0))
        return false;
    if (depth < 4)
        return true;
    const float chance = fminf(v_most(p->weight), 0.95f);
    s->pair |= 0x80000000u; /* far from those of bounces */
    sampler_next(s, u);
    p->weight = v_scale(p->weight, 1 / chance);
    return u[0] < chance;
}

/* The body that a ray of the camera meets; 0: none, or the ground. */
static uint32_t number_along(const tlr_tracer *t, vec origin, vec direction, float time)
{
    const tlr_moment *m = tlr_stage_moment(t->stage);
    tlr_hit h;
    while (tlr_stage_hit(t->stage, origin, direction, time, &h)) {
        if (h.area < 0)
            return h.item == t->ground ? 0 : m->bodies[m->items[h.item].body].number;
        if (!m->lights->areas[h.area].unseen)
            return 0;
        origin = h.beyond;
    }
    return 0;
}

/* Whether another body is seen within the outline's width to one side or the other. */
static bool on_outline(const tlr_tracer *t, const path *p, const float place[2], float u)
{
    const float dx = t->outline * cosf(TLR_PI * u), dy = t->outline * sinf(TLR_PI * u);
    const uint32_t here = number_along(t, p->origin, p->direction, p->time);
    for (int side = -1; side <= 1; side += 2) {
        vec origin, direction;
        tlr_camera_ray(&t->camera, place[0] + (float)side * dx, place[1] + (float)side * dy,
                       (const float[2]){0, 0}, &origin, &direction);
        if (number_along(t, origin, direction, p->time) != here)
            return true;
    }
    return false;
}

static path start(const tlr_tracer *t, int x, int y, sampler *s, bool *outlined)
{
    const bool moves = tlr_stage_moment(t->stage)->moves;
    float place[2], lens[2] = {0, 0}, time[2] = {0, 0};
    path p = {.weight = {1, 1, 1}, .seen = true};
    sampler_next(s, place);
    if (t->camera.lens > 0)
        sampler_next(s, lens);
    if (moves || t->outline > 0)
        sampler_next(s, time);
    p.time = moves ? time[0] : 0;
    place[0] += (float)x;
    place[1] += (float)y;
    tlr_camera_ray(&t->camera, place[0], place[1], lens, &p.origin, &p.direction);
    *outlined = t->outline > 0 && on_outline(t, &p, place, time[1]);
    return p;
}

/* The light of a path whose first hit is known. */
static vec follow(const tlr_tracer *t, path p, sampler s, bool met, tlr_hit h)
{
    enum { MOST = 100000 }; /* no path is so long */
    const uint32_t first = s.pair;
    for (uint32_t depth = 0; depth < MOST; depth++) {
        s.pair = first + 2 * depth;
        if (!met) {
            reach_sky(t, &p);
            break;
        }
        if (h.area >= 0) {
            if (meet_area(t, &p, &h))
                break;
            depth--;
        } else {
            if (!fade_ground(t, &p, &h) || (t->bounces && depth >= t->bounces) ||
                !bounce(t, &p, &h, &s) || !survives(&p, depth, &s))
                break;
            if (t->bounces && depth + 1 == t->bounces && !p.seen) {
                end_path(t, &p);
                break;
            }
        }
        met = tlr_stage_hit(t->stage, p.origin, p.direction, p.time, &h);
    }
    return p.light;
}

void tlr_path_samples(const tlr_tracer *t, int x, int y, uint32_t first, uint32_t count, vec *light)
{
    path paths[TLR_PACKET];
    sampler samplers[TLR_PACKET];
    tlr_ray rays[TLR_PACKET] = {0};
    tlr_hit hits[TLR_PACKET];
    bool met[TLR_PACKET], outlined[TLR_PACKET];
    for (uint32_t i = 0; i < count; i++) {
        samplers[i] = sampler_start((uint32_t)y * (uint32_t)t->camera.width + (uint32_t)x, t->frame,
                                    first + i);
        paths[i] = start(t, x, y, &samplers[i], &outlined[i]);
        rays[i] = (tlr_ray){paths[i].origin, paths[i].direction, paths[i].time};
    }
    tlr_stage_hits(t->stage, count, rays, met, hits);
    for (uint32_t i = 0; i < count; i++)
        light[i] =
            outlined[i] ? t->outline_color : follow(t, paths[i], samplers[i], met[i], hits[i]);
}

uint32_t tlr_path_number(const tlr_tracer *t, int x, int y)
{
    tlr_camera camera = t->camera;
    vec origin, direction;
    camera.lens = 0;
    tlr_camera_ray(&camera, (float)x + 0.5f, (float)y + 0.5f, (const float[2]){0, 0}, &origin,
                   &direction);
    return number_along(t, origin, direction, tlr_stage_moment(t->stage)->moves ? 0.5f : 0);
}

tlr_guide tlr_path_guide(const tlr_tracer *t, int x, int y, uint32_t sample)
{
    sampler s =
        sampler_start((uint32_t)y * (uint32_t)t->camera.width + (uint32_t)x, t->frame, sample);
    bool outlined;
    path p = start(t, x, y, &s, &outlined);
    tlr_hit h;
    while (!outlined && tlr_stage_hit(t->stage, p.origin, p.direction, p.time, &h)) {
        if (h.area < 0) {
            const tlr_material m = material_at(tlr_stage_moment(t->stage), p.time, &h);
            return (tlr_guide){m.color, h.normal, h.distance};
        }
        p.origin = h.beyond;
    }
    return (tlr_guide){{1, 1, 1}, {0, 0, 0}, 0};
}
