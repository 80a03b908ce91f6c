/* Paths; path.h says who calls. At each bounce light is looked for twice, by drawing a light and by
 * going on in a direction that the surface draws, and the two are weighed by their densities
 * (balance of squares). Chance ends paths without bias. All paths of a batch take a bounce
 * together: rays in packets take half to three quarters of the time of single ones. */
#include "render/path.h"

/* A path on its way. */
typedef struct path {
    tlr_ray ray;
    vec light, weight;
    float density;  /* with which the direction was drawn; 0: there was no other */
    uint32_t depth; /* surfaces that it has met */
    sampler s;
    uint32_t first; /* pair of dimensions that bounces begin with */
    bool seen;      /* the camera looks along it */
    bool outlined;
} path;

/* Paths of a batch, what they meet, and what lights bring them if nothing is in the way. */
typedef struct batch {
    path paths[TLR_BATCH];
    tlr_ray rays[TLR_BATCH];
    bool met[TLR_BATCH];
    tlr_hit hits[TLR_BATCH];
    uint32_t live[TLR_BATCH]; /* paths that go on */
    size_t live_count;
    tlr_shadow shadows[TLR_BATCH];
    bool blocked[TLR_BATCH];
    uint32_t lit[TLR_BATCH]; /* paths */
    vec brought[TLR_BATCH];  /* to them */
    size_t shadow_count;
} batch;

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
    add_light(p, tlr_sky_radiance(l, p->ray.direction), tlr_sky_pdf(l, p->ray.direction));
    if (tlr_sun_seen(l, p->ray.direction))
        add_light(p, l->sun_radiance, tlr_sun_pdf(l));
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

/* A frame of a surface, and where the path came from in it. */
typedef struct facing {
    vec u, v, normal, out;
} facing;

/* Light that a draw of a light brings to a surface, if nothing is in its way. */
static void find_light(const tlr_tracer *t, batch *b, uint32_t number, const tlr_hit *h,
                       const tlr_material *material, const facing *f)
{
    const tlr_moment *m = tlr_stage_moment(t->stage);
    path *p = &b->paths[number];
    float pair[2], density;
    tlr_light_draw drawn;
    sampler_next(&p->s, pair);
    if (!tlr_lights_draw(m->lights, h->point, pair, &drawn) ||
        !(v_dot(drawn.direction, h->geometric) > 0))
        return;
    const vec in = v_to(drawn.direction, f->u, f->v, f->normal);
    const vec value = tlr_material_value(material, f->out, in, &density);
    if (!(v_most(value) > 0) || !(v_most(drawn.radiance) > 0))
        return;
    const float w = squares(drawn.density, density) / drawn.density;
    const size_t i = b->shadow_count++;
    b->shadows[i] =
        (tlr_shadow){{h->point, drawn.direction, p->ray.time}, drawn.distance * (1 - 1e-4f)};
    b->lit[i] = number;
    b->brought[i] = v_scale(v_mul(p->weight, v_mul(value, drawn.radiance)), w);
}

/* Goes on from a surface; false: the path ends. */
static bool bounce(const tlr_tracer *t, batch *b, uint32_t number)
{
    path *p = &b->paths[number];
    tlr_hit *h = &b->hits[number];
    const tlr_material material = material_at(tlr_stage_moment(t->stage), p->ray.time, h);
    facing f = {.normal = h->normal};
    float pair[2];
    tlr_scatter drawn;
    sampler_next(&p->s, pair);
    if (!(v_dot(f.normal, p->ray.direction) < -1e-4f))
        f.normal = h->geometric;
    v_frame(f.normal, &f.u, &f.v);
    f.out = v_to(v_scale(p->ray.direction, -1), f.u, f.v, f.normal);
    if (tlr_material_is_rough(&material))
        find_light(t, b, number, h, &material, &f);
    if (!tlr_material_draw(&material, f.out, h->inside && material.kind == TLR_GLASS, pair, &drawn))
        return false;
    p->ray.direction = v_unit(v_from(drawn.direction, f.u, f.v, f.normal));
    const float side = v_dot(p->ray.direction, h->geometric);
    if (drawn.through ? side >= 0 : side <= 0)
        return false;
    p->weight = v_mul(p->weight, drawn.weight);
    p->density = drawn.density;
    p->ray.origin = drawn.through ? h->beyond : h->point;
    p->seen = p->seen && material.kind == TLR_GLASS;
    return true;
}

/* A light is met: its radiance; false where the camera does not see it and looks on. */
static bool meet_area(const tlr_tracer *t, path *p, const tlr_hit *h)
{
    const tlr_lights *l = tlr_stage_moment(t->stage)->lights;
    if (p->seen && l->areas[h->area].unseen) {
        p->ray.origin = h->beyond;
        return false;
    }
    if (!h->inside) /* its back is black */
        add_light(p, l->areas[h->area].radiance,
                  tlr_area_pdf(l, (size_t)h->area, p->ray.direction, h->distance));
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
static bool survives(path *p)
{
    float u[2];
    if (!(v_most(p->weight) > 0))
        return false;
    if (p->depth < 4)
        return true;
    const float chance = fminf(v_most(p->weight), 0.95f);
    p->s.pair |= 0x80000000u; /* far from those of bounces */
    sampler_next(&p->s, u);
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
static bool on_outline(const tlr_tracer *t, const tlr_ray *p, const float place[2], float u)
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

static path start(const tlr_tracer *t, const tlr_sample *sample)
{
    const bool moves = tlr_stage_moment(t->stage)->moves;
    const uint32_t pixel = (uint32_t)sample->y * (uint32_t)t->camera.width + (uint32_t)sample->x;
    float place[2], lens[2] = {0, 0}, time[2] = {0, 0};
    path p = {.weight = {1, 1, 1}, .seen = true};
    p.s = sampler_start(pixel, t->frame, sample->number);
    sampler_next(&p.s, place);
    if (t->camera.lens > 0)
        sampler_next(&p.s, lens);
    if (moves || t->outline > 0)
        sampler_next(&p.s, time);
    p.first = p.s.pair;
    p.ray.time = moves ? time[0] : 0;
    place[0] += (float)sample->x;
    place[1] += (float)sample->y;
    tlr_camera_ray(&t->camera, place[0], place[1], lens, &p.ray.origin, &p.ray.direction);
    p.outlined = t->outline > 0 && on_outline(t, &p.ray, place, time[1]);
    return p;
}

/* A path goes on from what it has met; false: it ends there. */
static bool go_on(const tlr_tracer *t, batch *b, uint32_t number)
{
    enum { MOST = 100000 }; /* no path is so long */
    path *p = &b->paths[number];
    tlr_hit *h = &b->hits[number];
    if (!b->met[number]) {
        reach_sky(t, p);
        return false;
    }
    if (h->area >= 0)
        return !meet_area(t, p, h);
    p->s.pair = p->first + 2 * p->depth;
    if (!fade_ground(t, p, h) || p->depth >= (t->bounces ? t->bounces : MOST) ||
        !bounce(t, b, number) || !survives(p))
        return false;
    p->depth++;
    return true;
}

/* Traces the rays of the paths that go on. */
static void trace(const tlr_tracer *t, batch *b, bool alike)
{
    for (size_t k = 0; k < b->live_count; k++)
        b->rays[k] = b->paths[b->live[k]].ray;
    tlr_stage_hits(t->stage, alike, b->live_count, b->rays, b->live, b->met, b->hits);
}

void tlr_path_samples(const tlr_tracer *t, size_t count, const tlr_sample *samples, vec *light)
{
    batch b;
    b.live_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        b.paths[i] = start(t, &samples[i]);
        if (!b.paths[i].outlined)
            b.live[b.live_count++] = i;
    }
    for (bool camera = true; b.live_count; camera = false) {
        size_t live = 0;
        trace(t, &b, camera);
        b.shadow_count = 0;
        for (size_t k = 0; k < b.live_count; k++)
            if (go_on(t, &b, b.live[k]))
                b.live[live++] = b.live[k];
        b.live_count = live;
        tlr_stage_blocked(t->stage, b.shadow_count, b.shadows, b.blocked);
        for (size_t i = 0; i < b.shadow_count; i++)
            if (!b.blocked[i])
                b.paths[b.lit[i]].light = v_add(b.paths[b.lit[i]].light, b.brought[i]);
    }
    for (size_t i = 0; i < count; i++)
        light[i] = b.paths[i].outlined ? t->outline_color : b.paths[i].light;
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
    path p = start(t, &(tlr_sample){x, y, sample});
    tlr_hit h;
    while (!p.outlined && tlr_stage_hit(t->stage, p.ray.origin, p.ray.direction, p.ray.time, &h)) {
        if (h.area < 0) {
            const tlr_material m = material_at(tlr_stage_moment(t->stage), p.ray.time, &h);
            return (tlr_guide){m.color, h.normal, h.distance};
        }
        p.ray.origin = h.beyond;
    }
    return (tlr_guide){{1, 1, 1}, {0, 0, 0}, 0};
}
