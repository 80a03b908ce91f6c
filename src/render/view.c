/* Cameras and lights: what there is to see, where the camera stands at a time, where the lights of
 * a look are. show.c calls. */
#include "render/show.h"

#include "io/document.h"
#include "talus/surface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 9, MOST_BALLS = 200000, MOST_VERTICES = 256 };

/* --- what there is to see --- */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far a body reaches from its origin; planes and what is not drawn do not count. Below 0: it
 * has nothing to draw. */
static double body_reach(const tlr_show *s, size_t row)
{
    double most = -1;
    for (uint32_t i = s->first[row]; i < s->first[row + 1]; i++) {
        const tlr_item *item = &s->items[i];
        if (item->kind == TL_PLANE || item->mesh == TLR_NOT_DRAWN)
            continue;
        const vec at =
            item->pose == TLR_PLAIN ? v3(0, 0, 0) : ((tlr_pose_in *)s->poses.data)[item->pose].at;
        const double away = item->kind == TL_SPHERE ? v_length(at) : 0; /* others have it in */
        most = fmax(most, away + item->radius);
    }
    return most;
}

/* Balls around moving bodies at some times, in metres of the recording. */
typedef struct cloud {
    double *x; /* rows of centre and radius */
    size_t count;
} cloud;

typedef struct gathering {
    const tlr_show *show;
    double *x; /* a row of centre and reach per row that is looked at; a reach below 0: none */
    size_t stride;
} gathering;

static void gather_body(void *user, size_t k, const tlr_pose *p)
{
    const gathering *g = user;
    const tl_body_info *rest = tlr_replay_rest(&g->show->replay, k);
    double *x = g->x + 4 * (k / g->stride);
    x[3] = p->there && !(rest && rest->kind == TL_FIXED) ? body_reach(g->show, k) : -1;
    memcpy(x, p->place, sizeof p->place);
}

/* At some times, of whole frames: half as many are read. */
static tl_status gather(tlr_show *s, cloud *c)
{
    const size_t count = s->replay.body_count, stride = 1 + count * LOOKS / MOST_BALLS;
    gathering g = {.show = s, .stride = stride};
    double before = NAN;
    for (int look = 0; look < LOOKS; look++) {
        const double wanted = s->from + (s->seen_to - s->from) * look / (LOOKS - 1);
        const double time = tlr_replay_frame_time(&s->replay, wanted);
        g.x = c->x + 4 * c->count;
        if (time == before)
            continue;
        TL_TRY(tlr_replay_poses(&s->replay, time, stride, gather_body, &g));
        for (size_t i = 0; i * stride < count; i++)
            if (g.x[4 * i + 3] >= 0)
                memmove(c->x + 4 * c->count++, g.x + 4 * i, 4 * sizeof(double));
        before = time;
    }
    return TL_OK;
}

/* Leaves out balls that have flown far away: beyond half the width of what 99 of 100 are in. */
static tl_status drop_strays(cloud *c)
{
    double *sorted = tl_alloc((c->count + 1) * sizeof *sorted), low[3], high[3];
    size_t kept = 0;
    if (!sorted)
        return TL_NO_MEMORY;
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < c->count; i++)
            sorted[i] = c->x[4 * i + (size_t)k];
        qsort(sorted, c->count, sizeof *sorted, compare_doubles);
        const double a = c->count ? sorted[c->count / 200] : 0;
        const double b = c->count ? sorted[c->count - 1 - c->count / 200] : 0;
        low[k] = a - 0.5 * (b - a);
        high[k] = b + 0.5 * (b - a);
    }
    for (size_t i = 0; i < c->count; i++) {
        bool good = true;
        for (int k = 0; k < 3 && c->count >= 200; k++)
            good = good && c->x[4 * i + (size_t)k] >= low[k] && c->x[4 * i + (size_t)k] <= high[k];
        if (good)
            memmove(c->x + 4 * kept++, c->x + 4 * i, 4 * sizeof(double));
    }
    tl_free(sorted, (c->count + 1) * sizeof *sorted);
    c->count = kept;
    return TL_OK;
}

/* The box of balls: its middle and half its diagonal. */
static double bound(const cloud *c, double middle[3])
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double diagonal = 0;
    for (size_t i = 0; i < c->count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], c->x[4 * i + (size_t)k] - c->x[4 * i + 3]);
            high[k] = fmax(high[k], c->x[4 * i + (size_t)k] + c->x[4 * i + 3]);
        }
    for (int k = 0; k < 3; k++) {
        middle[k] = c->count ? 0.5 * (low[k] + high[k]) : 0;
        diagonal += c->count ? (high[k] - low[k]) * (high[k] - low[k]) : 0;
    }
    return 0.5 * sqrt(diagonal);
}

static void add_point(cloud *c, const double x[3], double radius)
{
    memcpy(c->x + 4 * c->count, x, 3 * sizeof(double));
    c->x[4 * c->count++ + 3] = radius;
}

static void add_local(cloud *c, const double origin[3], quat q, vec p)
{
    p = turn_apply(q, p);
    add_point(c, (const double[3]){origin[0] + p.x, origin[1] + p.y, origin[2] + p.z}, 0);
}

/* Corners of a fixed shape, some vertices of a mesh, or a ball around it, where it is not much
 * larger than what moves. */
static void add_fixed(const tlr_replay *r, const tl_body_info *b, const tl_shape_def *d,
                      const double middle[3], double radius, cloud *c)
{
    const quat own = turn_of(turn_of_doubles(b->orientation), turn_of_doubles(d->orientation));
    const vec at = turn_apply(turn_of_doubles(b->orientation), v_of(d->position));
    const float offset[3] = {at.x, at.y, at.z};
    tl_geometry_info g = {0};
    if (d->geometry.index && tl_result_geometry(r->result, d->geometry, &g) < 0)
        return;
    const double reach = tl_shape_reach(d, d->geometry.index ? &g : NULL);
    const size_t before = c->count;
    double origin[3], own_middle[3], way = 0;
    for (int k = 0; k < 3; k++)
        origin[k] = b->position[k] + offset[k];
    const size_t stride = 1 + g.vertex_count / MOST_VERTICES;
    for (size_t i = 0; i < g.vertex_count; i += stride)
        add_local(c, origin, own, v_of(g.vertices + 3 * i));
    const double *h = d->half_extents;
    for (int i = 0; i < 8 && d->kind == TL_BOX; i++)
        add_local(c, origin, own,
                  v3((float)(i & 1 ? h[0] : -h[0]), (float)(i & 2 ? h[1] : -h[1]),
                     (float)(i & 4 ? h[2] : -h[2])));
    for (int i = 0; i < 4 && d->kind == TL_PARALLELOGRAM; i++)
        add_local(c, origin, own,
                  v_add(v_scale(v_of(d->edge_u), (float)(i & 1)),
                        v_scale(v_of(d->edge_v), (float)(i >> 1))));
    if (!g.vertex_count && d->kind != TL_BOX && d->kind != TL_PARALLELOGRAM)
        add_point(c, origin, fmax(reach - sqrt((double)v_dot(at, at)), 0));
    const cloud own_points = {c->x + 4 * before, c->count - before};
    const double size = bound(&own_points, own_middle);
    for (int k = 0; k < 3; k++)
        way += (own_middle[k] - middle[k]) * (own_middle[k] - middle[k]);
    if (radius > 0 && (size > 2.5 * radius || sqrt(way) > 3 * radius + size))
        c->count = before;
}

/* Adds what is fixed; where nothing moves, whatever its size. */
static void gather_fixed(const tlr_show *s, size_t count, const tlr_rest_shape *rests,
                         const double middle[3], double radius, cloud *c)
{
    for (size_t i = 0; i < count; i++) {
        const tl_body_info *b = (const tl_body_info *)s->replay.rests.data + rests[i].rest;
        if (b->kind == TL_FIXED && rests[i].def.kind != TL_PLANE && !rests[i].def.sensor)
            add_fixed(&s->replay, b, &rests[i].def, middle, radius, c);
    }
}

static tl_status measure(tlr_show *s, size_t count, const tlr_rest_shape *rests, cloud *c)
{
    double moving[3];
    TL_TRY(gather(s, c));
    TL_TRY(drop_strays(c));
    const double radius = bound(c, moving);
    gather_fixed(s, count, rests, moving, radius, c);
    s->radius = (float)bound(c, s->middle);
    if (!(s->radius > 0))
        s->radius = 1;
    s->moving_middle = tlr_show_place(s, radius > 0 ? moving : s->middle);
    for (size_t i = 0; i < c->count; i++) {
        const tlr_fit_ball ball = {tlr_show_place(s, c->x + 4 * i), (float)c->x[4 * i + 3]};
        TL_TRY(tl_array_append(&s->balls, &ball, 1));
    }
    return TL_OK;
}

tl_status tlr_view_measure(tlr_show *s, size_t rest_count, const tlr_rest_shape *rests)
{
    const size_t bodies = s->replay.body_count;
    const size_t some = bodies / (1 + bodies * LOOKS / MOST_BALLS) + 2;
    const size_t room = 4 * (LOOKS * some + (2 * MOST_VERTICES) * rest_count + 1);
    cloud c = {.x = tl_alloc(room * sizeof(double))};
    const tl_status status = c.x ? measure(s, rest_count, rests, &c) : TL_NO_MEMORY;
    tl_free(c.x, room * sizeof(double));
    return status;
}

/* --- the camera --- */

static vec direction(const tlr_show *s, double azimuth, double elevation)
{
    const float a = (float)(azimuth * 3.14159265358979 / 180);
    const float e = (float)(elevation * 3.14159265358979 / 180);
    return v_from(v3(cosf(e) * cosf(a), cosf(e) * sinf(a), sinf(e)), s->east, s->north, s->up);
}

/* Row of the table of bodies that a name or a number means; -1: none. */
static long find_body(const tlr_show *s, const char *name)
{
    const tlr_replay *r = &s->replay;
    const bool number = *name && name[strspn(name, "0123456789")] == 0;
    const unsigned long long index = number ? strtoull(name, NULL, 10) : 0;
    const tl_span *span = NULL;
    if (r->document)
        span = tl_document_find_span(r->document, (tl_text){"", 0}, tl_text_of(name));
    if (span && span->count) /* of a fill, the first */
        return tlr_replay_row(r, span->first);
    return number && index <= UINT32_MAX ? tlr_replay_row(r, (uint32_t)index) : -1;
}

tl_status tlr_view_find_body(tlr_show *s)
{
    const tlr_view *v = &s->look->view;
    if (v->kind != TLR_VIEW_FOLLOW)
        return TL_OK;
    s->followed = find_body(s, v->body);
    if (s->followed < 0)
        return tl_fail(TL_BAD_DATA, "camera.body: %s has no body of the name or number '%s'",
                       s->replay.path, v->body);
    s->followed_reach = fmax(body_reach(s, (size_t)s->followed), 0.1 * s->radius);
    return TL_OK;
}

/* From a direction: at a given distance, or so that all is seen. */
static void stand(const tlr_show *s, double azimuth, vec target, double distance, tlr_camera *c)
{
    const vec back = direction(s, azimuth, s->look->view.elevation);
    c->eye = v_along(target, (float)(distance > 0 ? distance : 4 * s->radius), back);
}

static void follow(const tlr_show *s, double seconds, vec *target, tlr_camera *c)
{
    const tlr_view *v = &s->look->view;
    if (s->followed_there)
        *target = tlr_show_place(s, s->followed_place);
    const double reach = s->followed_reach / tan(0.5 * v->fov * 0.0174533);
    stand(s, v->azimuth + v->turn * seconds, *target,
          v->distance > 0 ? v->distance : fmax(4 * reach, 1e-6), c);
}

/* Through the keys: Hermite's cubic with the slopes of their neighbours. */
static void go_along(const tlr_show *s, double time, vec *target, tlr_camera *c)
{
    const tlr_view *v = &s->look->view;
    const long n = (long)v->key_count;
    long i = 0;
    while (i + 1 < n - 1 && v->keys[i + 1].time <= time)
        i++;
    const tlr_view_key *a = &v->keys[i], *b = &v->keys[n > 1 ? i + 1 : i];
    const double dt = b->time - a->time, t = dt > 0 ? fmin(fmax((time - a->time) / dt, 0), 1) : 0;
    double eye[3], aim[3];
    for (int k = 0; k < 6; k++) {
        const size_t at = k < 3 ? offsetof(tlr_view_key, eye) : offsetof(tlr_view_key, target);
#define KEY(j) (((const double *)((const char *)&v->keys[j] + at))[k % 3])
        const long j = n > 1 ? i + 1 : i, before = i > 0 ? i - 1 : i, after = j + 1 < n ? j + 1 : j;
        const double way = KEY(j) - KEY(i);
        const double m0 =
            before < i ? dt * (KEY(j) - KEY(before)) / (v->keys[j].time - v->keys[before].time)
                       : way;
        const double m1 =
            after > j ? dt * (KEY(after) - KEY(i)) / (v->keys[after].time - v->keys[i].time) : way;
        (k < 3 ? eye : aim)[k % 3] =
            KEY(i) + t * (m0 + t * (3 * way - 2 * m0 - m1 + t * (m0 + m1 - 2 * way)));
#undef KEY
    }
    const double fov0 = a->fov > 0 ? a->fov : v->fov, fov1 = b->fov > 0 ? b->fov : v->fov;
    c->half_height = (float)tan(0.5 * (fov0 + t * (fov1 - fov0)) * 3.14159265358979 / 180);
    c->eye = tlr_show_place(s, eye);
    *target = tlr_show_place(s, aim);
}

tl_status tlr_view_camera(const tlr_show *s, double time, double seconds, tlr_camera *c)
{
    const tlr_view *v = &s->look->view;
    const bool has_eye = !isnan(v->eye[0]), has_target = !isnan(v->target[0]);
    const double turned = v->kind == TLR_VIEW_ORBIT ? v->turn * seconds : 0;
    vec target = has_target ? tlr_show_place(s, v->target) : v3(0, 0, 0);
    const vec up = isnan(v->up[0]) ? s->up : v_unit(v_of(v->up));
    *c = (tlr_camera){.orthographic = v->orthographic,
                      .half_height = (float)tan(0.5 * v->fov * 3.14159265358979 / 180),
                      .width = s->look->size[0],
                      .height = s->look->size[1],
                      .lens = (float)v->lens};
    if (v->orthographic)
        c->half_height = v->height > 0 ? (float)(0.5 * v->height) : s->radius;
    if (v->kind == TLR_VIEW_FOLLOW)
        follow(s, seconds, &target, c);
    else if (v->kind == TLR_VIEW_PATH)
        go_along(s, time, &target, c);
    else if (has_eye && v->kind == TLR_VIEW_ORBIT) {
        const vec arm = v_sub(tlr_show_place(s, v->eye), target);
        c->eye =
            v_add(target, turn_apply(turn_by(v_scale(s->up, (float)(turned * 0.017453292))), arm));
    } else if (has_eye)
        c->eye = tlr_show_place(s, v->eye);
    else
        stand(s, v->azimuth + turned, target, v->distance, c);
    if (!(v_length(v_sub(target, c->eye)) > 0))
        return tl_fail(TL_BAD_DATA, "camera: eye and target are one place at %g s", time);
    tlr_camera_aim(c, target, up);
    const bool fits = !has_eye && !(v->distance > 0) && !(v->orthographic && v->height > 0);
    if (v->kind == TLR_VIEW_FIT && fits) {
        tlr_camera_fit(c, s->balls.count, s->balls.data, (float)v->margin);
    } else if (v->kind == TLR_VIEW_ORBIT && fits) { /* a ball around all: it does not sway */
        const tlr_fit_ball whole = {target, s->radius};
        tlr_camera_fit(c, 1, &whole, (float)v->margin);
    }
    c->focus = v->focus > 0 ? (float)v->focus : v_dot(v_sub(target, c->eye), c->forward);
    return TL_OK;
}

/* Refuses a camera inside of a solid, where it would see nothing. */
tl_status tlr_view_check(const tlr_show *s, const tlr_camera *c, double time)
{
    tlr_hit h;
    if (c->orthographic || !tlr_stage_hit(s->stage, c->eye, c->forward, 0, &h) || h.area >= 0 ||
        !h.inside)
        return TL_OK;
    const tlr_moment *m = tlr_stage_moment(s->stage);
    const tlr_item *item = &m->items[h.item];
    const uint32_t number = m->bodies[item->body].number;
    const bool solid =
        item->mesh == TLR_BALL || (item->kind != TL_PARALLELOGRAM && item->kind != TL_MESH &&
                                   item->kind != TL_HEIGHTS && item->kind != TL_PLANE && number);
    if (!solid || ((const tlr_material *)s->materials.data)[item->material].kind == TLR_GLASS)
        return TL_OK;
    return tl_fail(TL_BAD_DATA, "camera: its eye is inside of body %u at %g s", number, time);
}

/* --- lights --- */

static tlr_area area_of(const tlr_show *s, const tlr_look_light *l)
{
    const bool placed = !isnan(l->position[0]);
    const float unit = placed ? 1 : s->radius;
    const vec target = placed ? tlr_show_place(s, l->target) : v3(0, 0, 0);
    tlr_area a = {.disc = l->kind == 0,
                  .radiance = v_scale(l->color, (float)l->strength),
                  .unseen = !l->seen};
    a.centre = placed ? tlr_show_place(s, l->position)
                      : v_scale(direction(s, l->azimuth, l->elevation), (float)l->distance * unit);
    a.normal = v_unit(v_sub(target, a.centre));
    v_frame(a.normal, &a.u, &a.v);
    a.u = v_scale(a.u, unit * (float)(a.disc ? l->radius : 0.5 * l->size[0]));
    a.v = v_scale(a.v, unit * (float)(a.disc ? l->radius : 0.5 * l->size[1]));
    return a;
}

void tlr_view_lights(tlr_show *s)
{
    const tlr_look *l = s->look;
    tlr_lights *out = &s->lights;
    tlr_sky *sky = &out->sky;
    sky->kind = (tlr_sky_kind)l->sky.kind;
    sky->color = l->sky.color;
    sky->horizon = l->sky.horizon;
    sky->ground = l->sky.ground;
    sky->strength = (float)l->sky.strength;
    sky->turbidity = (float)l->sky.turbidity;
    sky->up = s->up;
    sky->east = s->east;
    sky->north = s->north;
    out->sun = direction(s, l->sun.azimuth, l->sun.elevation);
    out->has_sun = l->sun.on && l->sun.strength > 0;
    out->sun_cosine = (float)cos(0.5 * l->sun.angle * 3.14159265358979 / 180);
    /* Irradiance over the solid angle, with the cosine as it was rounded. */
    const float size = 2 * TLR_PI * (1 - out->sun_cosine);
    out->sun_radiance = v_scale(l->sun.color, (float)l->sun.strength / size);
    out->area_count = l->light_count;
    for (size_t i = 0; i < l->light_count; i++)
        out->areas[i] = area_of(s, &l->lights[i]);
    tlr_lights_prepare(out, v3(0, 0, 0));
}
