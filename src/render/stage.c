/* The Embree scene of a moment; stage.h says who uses it. */
#include "render/stage.h"

#include "render/render.h"

#include <embree3/rtcore.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Numbers of geometries in the scene: balls about their body's origin, other balls, lights, then
 * one instance per item that is a mesh. */
enum {
    CENTRED = 0,
    BESIDE = 1,
    FIRST_AREA = 2,
    FIRST_INSTANCE = FIRST_AREA + TLR_MOST_AREAS,
    MOST_PLACES = 10000000, /* of balls, over all steps of time */
    MOST_STEPS = 129,       /* of time, per geometry: Embree's limit */
    PACKET = 16             /* rays that Embree traces at once */
};

typedef struct mesh {
    RTCScene scene;
    size_t vertex_count, triangle_count;
    float *vertices, *normals; /* rows of 3; no normals: NULL */
    uint32_t *triangles;
} mesh;

struct tlr_stage {
    RTCDevice device;
    RTCScene scene;
    bool cuts;          /* moments may be cut */
    tl_array meshes;    /* mesh */
    tl_array balls[2];  /* uint32_t: items, by number of the primitive */
    tl_array instances; /* uint32_t: items, by number of the geometry */
    tlr_moment moment;
};

/* sRGB to linear: paths ask often. */
static float linear_table[256];
static pthread_once_t linear_once = PTHREAD_ONCE_INIT;

static void fill_linear(void)
{
    for (int i = 0; i < 256; i++) {
        const float c = (float)i / 255;
        linear_table[i] = c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
    }
}

vec tlr_linear_color(uint32_t rgb)
{
    pthread_once(&linear_once, fill_linear);
    return v3(linear_table[rgb >> 16 & 255], linear_table[rgb >> 8 & 255], linear_table[rgb & 255]);
}

vec tlr_moment_color(const tlr_moment *m, uint32_t body, const tlr_material *material)
{
    const uint32_t color = m->colors ? m->colors[body] : TLR_OWN_COLOR;
    return material->own_color || color == TLR_OWN_COLOR ? material->color
                                                         : tlr_linear_color(color);
}

/* A context that knows the ray in the world: filters see that of the instance. */
typedef struct context {
    struct RTCIntersectContext embree; /* first: Embree hands it on */
    const tlr_stage *stage;
    vec origin, direction;
} context;

static tl_status embree_failed(const tlr_stage *s, const char *what)
{
    const enum RTCError error = rtcGetDeviceError(s ? s->device : NULL);
    return tl_fail(error == RTC_ERROR_OUT_OF_MEMORY ? TL_NO_MEMORY : TL_BAD_ARGUMENT,
                   "render: Embree cannot %s (error %d)", what, (int)error);
}

const char *tlr_job_engine(void)
{
    return "embree " RTC_VERSION_STRING;
}

tl_status tlr_stage_create(uint32_t threads, bool cuts, tlr_stage **stage)
{
    char config[64];
    tlr_stage *s = tl_alloc_zero(sizeof *s);
    *stage = s;
    if (!s)
        return TL_NO_MEMORY;
    s->cuts = cuts;
    s->meshes.item = sizeof(mesh);
    s->balls[0].item = s->balls[1].item = s->instances.item = sizeof(uint32_t);
    snprintf(config, sizeof config, "threads=%u", threads);
    s->device = rtcNewDevice(threads ? config : NULL);
    if (s->device)
        return TL_OK;
    const tl_status status = embree_failed(NULL, "start");
    tlr_stage_destroy(s);
    *stage = NULL;
    return status;
}

static void free_mesh(mesh *m)
{
    if (m->scene)
        rtcReleaseScene(m->scene);
    tl_free(m->vertices, (m->vertex_count + 1) * 3 * sizeof(float));
    tl_free(m->normals, m->vertex_count * 3 * sizeof(float));
    tl_free(m->triangles, m->triangle_count * 3 * sizeof(uint32_t));
}

void tlr_stage_destroy(tlr_stage *s)
{
    if (!s)
        return;
    if (s->scene)
        rtcReleaseScene(s->scene);
    for (size_t i = 0; i < s->meshes.count; i++)
        free_mesh((mesh *)s->meshes.data + i);
    if (s->device)
        rtcReleaseDevice(s->device);
    tl_array_free(&s->meshes);
    tl_array_free(&s->balls[0]);
    tl_array_free(&s->balls[1]);
    tl_array_free(&s->instances);
    tl_free(s, sizeof *s);
}

const tlr_moment *tlr_stage_moment(const tlr_stage *s)
{
    return &s->moment;
}

bool tlr_stage_mesh(const tlr_stage *s, uint32_t number, tlr_mesh_view *out)
{
    const mesh *m = (const mesh *)s->meshes.data + number;
    if (number >= s->meshes.count)
        return false;
    *out = (tlr_mesh_view){m->vertex_count, m->triangle_count, m->vertices, m->triangles};
    return true;
}

/* --- the cut --- */

/* The item that a hit belongs to. */
static uint32_t item_of(const tlr_stage *s, uint32_t instance, uint32_t geometry,
                        uint32_t primitive)
{
    if (instance != RTC_INVALID_GEOMETRY_ID)
        return ((const uint32_t *)s->instances.data)[instance - FIRST_INSTANCE];
    return ((const uint32_t *)s->balls[geometry].data)[primitive];
}

/* Leaves out hits that are on the side that is cut away. */
static void filter_cut(const struct RTCFilterFunctionNArguments *a)
{
    const context *c = (const context *)a->context;
    const tlr_moment *m = &c->stage->moment;
    const struct RTCRay *ray = (const struct RTCRay *)a->ray; /* one ray at a time */
    const struct RTCHit *hit = (const struct RTCHit *)a->hit;
    if (!m->cut) /* there may be many rays, then */
        return;
    const vec point = v_along(c->origin, ray->tfar, c->direction);
    if (!*a->valid || v_dot(v_sub(point, m->cut_point), m->cut_normal) <= 0)
        return;
    const uint32_t item = item_of(c->stage, hit->instID[0], hit->geomID, hit->primID);
    if (!m->materials[m->items[item].material].uncut)
        *a->valid = 0;
}

/* --- meshes --- */

static tl_status build_mesh(tlr_stage *s, mesh *m)
{
    RTCGeometry g = rtcNewGeometry(s->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!g)
        return embree_failed(s, "make a mesh");
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, m->vertices, 0,
                               3 * sizeof(float), m->vertex_count);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, m->triangles, 0,
                               3 * sizeof(uint32_t), m->triangle_count);
    if (s->cuts) {
        rtcSetGeometryIntersectFilterFunction(g, filter_cut);
        rtcSetGeometryOccludedFilterFunction(g, filter_cut);
    }
    rtcCommitGeometry(g);
    m->scene = rtcNewScene(s->device);
    rtcSetSceneFlags(m->scene, RTC_SCENE_FLAG_ROBUST);
    rtcAttachGeometry(m->scene, g);
    rtcReleaseGeometry(g);
    rtcCommitScene(m->scene);
    return rtcGetDeviceError(s->device) == RTC_ERROR_NONE ? TL_OK
                                                          : embree_failed(s, "build a mesh");
}

tl_status tlr_stage_add_mesh(tlr_stage *s, size_t vertex_count, const double *vertices,
                             const double *normals, size_t triangle_count,
                             const uint32_t *triangles, uint32_t *number)
{
    mesh m = {.vertex_count = vertex_count, .triangle_count = triangle_count};
    m.vertices = tl_alloc((vertex_count + 1) * 3 * sizeof(float)); /* Embree reads 16 bytes */
    m.normals = normals ? tl_alloc(vertex_count * 3 * sizeof(float)) : NULL;
    m.triangles = tl_alloc(triangle_count * 3 * sizeof(uint32_t));
    if (!m.vertices || (normals && !m.normals) || !m.triangles ||
        tl_array_reserve(&s->meshes, s->meshes.count + 1) < 0) {
        free_mesh(&m);
        return TL_NO_MEMORY;
    }
    for (size_t i = 0; i < 3 * vertex_count; i++) {
        m.vertices[i] = (float)vertices[i];
        if (normals)
            m.normals[i] = (float)normals[i];
    }
    memcpy(m.triangles, triangles, triangle_count * 3 * sizeof(uint32_t));
    const tl_status status = build_mesh(s, &m);
    if (status < 0) {
        free_mesh(&m);
        return status;
    }
    *number = (uint32_t)s->meshes.count;
    return tl_array_append(&s->meshes, &m, 1); /* there is room */
}

/* --- a moment --- */

/* Steps of time for a turn: Embree turns instances between steps, and moves places along chords,
 * which are to be 1/8 rad long. */
static uint32_t steps_for(const tlr_moment *m, float spin, bool beside)
{
    if (!m->moves)
        return 1;
    const float steps = ceilf((beside ? 8 : 1) * spin) + 1;
    return steps < 2 ? 2 : steps > MOST_STEPS ? MOST_STEPS : (uint32_t)steps;
}

/* The balls of one list as a geometry. */
static tl_status add_balls(tlr_stage *s, uint32_t list)
{
    const tlr_moment *m = &s->moment;
    const size_t count = s->balls[list].count;
    const uint32_t *items = s->balls[list].data;
    float spin = 0;
    if (!count)
        return TL_OK;
    for (size_t i = 0; i < count && list == BESIDE; i++)
        spin = fmaxf(spin, v_length(m->bodies[m->items[items[i]].body].spin));
    uint32_t steps = steps_for(m, spin, true);
    while (steps > 3 && steps * count > MOST_PLACES) /* memory has an end */
        steps = (steps + 1) / 2;
    RTCGeometry g = rtcNewGeometry(s->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    if (!g)
        return embree_failed(s, "make spheres");
    rtcSetGeometryTimeStepCount(g, steps);
    for (uint32_t step = 0; step < steps; step++) {
        const float t = steps > 1 ? (float)step / (float)(steps - 1) : 0;
        float *v = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, step, RTC_FORMAT_FLOAT4,
                                           4 * sizeof(float), count);
        for (size_t i = 0; i < count && v; i++) {
            const tlr_item *item = &m->items[items[i]];
            const tlr_body *body = &m->bodies[item->body];
            vec x = tlr_body_place(body, t);
            if (list == BESIDE)
                x = v_add(x, turn_apply(tlr_body_turned(body, t), tlr_item_pose(m, item).at));
            memcpy(v + 4 * i, (const float[4]){x.x, x.y, x.z, item->radius}, 4 * sizeof(float));
        }
        if (!v) {
            rtcReleaseGeometry(g);
            return embree_failed(s, "hold the spheres");
        }
    }
    if (m->cut) {
        rtcSetGeometryIntersectFilterFunction(g, filter_cut);
        rtcSetGeometryOccludedFilterFunction(g, filter_cut);
    }
    rtcCommitGeometry(g);
    rtcAttachGeometryByID(s->scene, g, list);
    rtcReleaseGeometry(g);
    return TL_OK;
}

static tl_status add_instance(tlr_stage *s, size_t number)
{
    const tlr_moment *m = &s->moment;
    const tlr_item *item = &m->items[((const uint32_t *)s->instances.data)[number]];
    const tlr_body *body = &m->bodies[item->body];
    const bool still = v_dot(body->move, body->move) == 0 && v_dot(body->spin, body->spin) == 0;
    const tlr_pose_in in = tlr_item_pose(m, item);
    const bool beside = v_dot(in.at, in.at) > 0;
    const uint32_t steps = still ? 1 : steps_for(m, v_length(body->spin), beside);
    RTCGeometry g = rtcNewGeometry(s->device, RTC_GEOMETRY_TYPE_INSTANCE);
    if (!g)
        return embree_failed(s, "make an instance");
    rtcSetGeometryInstancedScene(g, ((mesh *)s->meshes.data)[item->mesh].scene);
    rtcSetGeometryTimeStepCount(g, steps);
    for (uint32_t step = 0; step < steps; step++) {
        const float t = steps > 1 ? (float)step / (float)(steps - 1) : 0;
        const quat whole = tlr_body_turned(body, t), q = turn_unit(turn_of(whole, in.turned));
        const vec x = v_add(tlr_body_place(body, t), turn_apply(whole, in.at));
        struct RTCQuaternionDecomposition d;
        rtcInitQuaternionDecomposition(&d);
        rtcQuaternionDecompositionSetQuaternion(&d, q.w, q.x, q.y, q.z);
        rtcQuaternionDecompositionSetScale(&d, in.scale.x, in.scale.y, in.scale.z);
        rtcQuaternionDecompositionSetTranslation(&d, x.x, x.y, x.z);
        rtcSetGeometryTransformQuaternion(g, step, &d);
    }
    rtcCommitGeometry(g);
    rtcAttachGeometryByID(s->scene, g, FIRST_INSTANCE + (uint32_t)number);
    rtcReleaseGeometry(g);
    return TL_OK;
}

static tl_status add_area(tlr_stage *s, uint32_t number)
{
    const tlr_area *a = &s->moment.lights->areas[number];
    RTCGeometry g = rtcNewGeometry(s->device, a->disc ? RTC_GEOMETRY_TYPE_ORIENTED_DISC_POINT
                                                      : RTC_GEOMETRY_TYPE_QUAD);
    if (!g)
        return embree_failed(s, "make a light");
    float *v = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0,
                                       a->disc ? RTC_FORMAT_FLOAT4 : RTC_FORMAT_FLOAT3,
                                       (a->disc ? 4 : 3) * sizeof(float), a->disc ? 1 : 4);
    if (a->disc) {
        float *n = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_NORMAL, 0, RTC_FORMAT_FLOAT3,
                                           3 * sizeof(float), 1);
        memcpy(v, (const float[4]){a->centre.x, a->centre.y, a->centre.z, v_length(a->u)},
               4 * sizeof(float));
        memcpy(n, &a->normal, sizeof a->normal);
    } else {
        uint32_t *quad = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT4,
                                                 4 * sizeof(uint32_t), 1);
        for (uint32_t k = 0; k < 4; k++) {
            const float x = k == 1 || k == 2 ? 1 : -1, y = k >= 2 ? 1 : -1;
            const vec p = v_along(v_along(a->centre, x, a->u), y, a->v);
            memcpy(v + (size_t)3 * k, &p, sizeof p);
            quad[k] = k;
        }
    }
    rtcCommitGeometry(g);
    rtcAttachGeometryByID(s->scene, g, FIRST_AREA + number);
    rtcReleaseGeometry(g);
    return TL_OK;
}

/* The list that an item is in; NULL: it is not drawn. */
static tl_array *list_of(tlr_stage *s, const tlr_item *item)
{
    const tlr_moment *m = &s->moment;
    if (item->mesh == TLR_NOT_DRAWN || item->left_out || !m->bodies[item->body].there ||
        m->materials[item->material].hidden)
        return NULL;
    if (item->mesh != TLR_BALL)
        return &s->instances;
    const vec at = tlr_item_pose(m, item).at;
    return &s->balls[v_dot(at, at) > 0 ? BESIDE : CENTRED];
}

/* Sorts the items by how Embree gets them; counted first, so that lists are as long as they need.
 */
static tl_status list_items(tlr_stage *s)
{
    tl_array *const lists[] = {&s->balls[0], &s->balls[1], &s->instances};
    size_t counts[3] = {0, 0, 0};
    for (uint32_t i = 0; i < s->moment.item_count; i++)
        for (int k = 0; k < 3; k++)
            counts[k] += list_of(s, &s->moment.items[i]) == lists[k];
    for (int k = 0; k < 3; k++) {
        lists[k]->count = 0;
        TL_TRY(tl_array_reserve(lists[k], counts[k]));
    }
    for (uint32_t i = 0; i < s->moment.item_count; i++) {
        tl_array *list = list_of(s, &s->moment.items[i]);
        if (list)
            TL_TRY(tl_array_append(list, &i, 1));
    }
    return TL_OK;
}

void tlr_stage_clear(tlr_stage *s)
{
    if (s->scene)
        rtcReleaseScene(s->scene);
    s->scene = NULL;
}

tl_status tlr_stage_set(tlr_stage *s, const tlr_moment *moment)
{
    s->moment = *moment;
    tlr_stage_clear(s); /* first: two would not fit into memory */
    TL_TRY(list_items(s));
    s->scene = rtcNewScene(s->device);
    if (!s->scene)
        return embree_failed(s, "make a scene");
    rtcSetSceneFlags(s->scene, RTC_SCENE_FLAG_ROBUST);
    TL_TRY(add_balls(s, CENTRED));
    TL_TRY(add_balls(s, BESIDE));
    for (uint32_t i = 0; i < moment->lights->area_count; i++)
        TL_TRY(add_area(s, i));
    for (size_t i = 0; i < s->instances.count; i++)
        TL_TRY(add_instance(s, i));
    rtcCommitScene(s->scene);
    return rtcGetDeviceError(s->device) == RTC_ERROR_NONE ? TL_OK
                                                          : embree_failed(s, "build the scene");
}

/* --- rays --- */

static context context_of(const tlr_stage *s, vec origin, vec direction)
{
    context c = {.stage = s, .origin = origin, .direction = direction};
    rtcInitIntersectContext(&c.embree);
    return c;
}

static struct RTCRay ray_of(vec o, vec d, float time, float far)
{
    return (struct RTCRay){.org_x = o.x,
                           .org_y = o.y,
                           .org_z = o.z,
                           .dir_x = d.x,
                           .dir_y = d.y,
                           .dir_z = d.z,
                           .time = time,
                           .tfar = far,
                           .mask = UINT32_MAX};
}

/* How far points are lifted off a surface: rounding of places, and of balls. */
static float lift_of(vec point, float radius)
{
    const float most = fmaxf(fabsf(point.x), fmaxf(fabsf(point.y), fabsf(point.z)));
    return 2e-6f * most + 1e-4f * radius + 1e-9f;
}

static void hit_ball(const tlr_moment *m, const tlr_item *item, float time, vec outward, tlr_hit *h)
{
    const tlr_body *body = &m->bodies[item->body];
    const tlr_material *material = &m->materials[item->material];
    const tlr_pose_in in = tlr_item_pose(m, item);
    const vec place = tlr_body_place(body, time);
    h->geometric = h->normal = v_unit(outward);
    h->point = v_along(place, item->radius, h->normal);
    if (item->pose == TLR_PLAIN && !material->stripes && !material->shade)
        return; /* most balls: nobody asks how they are turned */
    const quat q = tlr_body_turned(body, time);
    h->point = v_add(h->point, turn_apply(q, in.at));
    h->local = turn_apply(turn_back(turn_of(q, in.turned)), h->normal);
    h->inner = turn_apply(turn_back(q), v_sub(h->point, place));
}

static void hit_mesh(const tlr_stage *s, const tlr_item *item, float time,
                     const struct RTCHit *embree, tlr_hit *h)
{
    const mesh *m = (const mesh *)s->meshes.data + item->mesh;
    const tlr_body *body = &s->moment.bodies[item->body];
    const tlr_pose_in in = tlr_item_pose(&s->moment, item);
    const quat whole = tlr_body_turned(body, time), q = turn_of(whole, in.turned);
    const uint32_t *corner = m->triangles + (size_t)3 * embree->primID;
    h->local = v3(0, 0, 0);
    h->inner = turn_apply(turn_back(whole), v_sub(h->point, tlr_body_place(body, time)));
    const vec k = v3(1 / in.scale.x, 1 / in.scale.y, 1 / in.scale.z);
    const vec flat = v_mul(k, v3(embree->Ng_x, embree->Ng_y, embree->Ng_z));
    h->geometric = v_unit(turn_apply(q, flat));
    h->normal = h->geometric;
    if (!m->normals)
        return;
    const float weights[3] = {1 - embree->u - embree->v, embree->u, embree->v};
    vec n = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        const float *r = m->normals + (size_t)3 * corner[i];
        n = v_along(n, weights[i], v3(r[0], r[1], r[2]));
    }
    n = v_unit(turn_apply(q, v_mul(k, n)));
    if (v_dot(n, h->geometric) > 0.05f)
        h->normal = n;
}

/* Where a ray enters a solid through the plane of the cut, it meets the cut, not the inside. */
static void meet_cut(const tlr_moment *m, vec origin, vec direction, tlr_hit *h)
{
    const float start = v_dot(v_sub(origin, m->cut_point), m->cut_normal);
    const float towards = v_dot(direction, m->cut_normal);
    if (!h->inside || !(start > 0) || !(towards < 0) ||
        m->materials[m->items[h->item].material].uncut)
        return;
    h->inside = false;
    h->distance = start / -towards;
    h->point = v_along(origin, h->distance, direction);
    h->normal = h->geometric = m->cut_normal;
    h->local = v3(0, 0, 0);
}

/* What Embree found along a ray; false: nothing. */
static bool take_hit(const tlr_stage *s, vec origin, vec direction, float time, float distance,
                     const struct RTCHit *hit, tlr_hit *h)
{
    const tlr_moment *m = &s->moment;
    if (hit->geomID == RTC_INVALID_GEOMETRY_ID)
        return false;
    *h = (tlr_hit){.distance = distance, .area = -1};
    h->point = v_along(origin, distance, direction);
    const bool instance = hit->instID[0] != RTC_INVALID_GEOMETRY_ID;
    if (!instance && hit->geomID >= FIRST_AREA) {
        h->area = (int)(hit->geomID - FIRST_AREA);
        h->geometric = h->normal = m->lights->areas[h->area].normal;
        h->inside = v_dot(h->normal, direction) > 0;
        h->beyond = v_along(h->point, 4 * lift_of(h->point, 0), direction);
        return true;
    }
    h->item = item_of(s, hit->instID[0], hit->geomID, hit->primID);
    const tlr_item *item = &m->items[h->item];
    const float radius = item->mesh == TLR_BALL ? item->radius : 0;
    if (item->mesh == TLR_BALL)
        hit_ball(m, item, time, v3(hit->Ng_x, hit->Ng_y, hit->Ng_z), h);
    else
        hit_mesh(s, item, time, hit, h);
    h->inside = v_dot(h->geometric, direction) > 0;
    if (m->cut)
        meet_cut(m, origin, direction, h);
    if (h->inside) {
        h->normal = v_scale(h->normal, -1);
        h->geometric = v_scale(h->geometric, -1);
    }
    /* Rounding of a long ray counts, too, where the point is not computed anew. */
    const float lift = lift_of(h->point, radius) + (radius > 0 ? 0 : 1e-6f * h->distance);
    h->beyond = v_along(h->point, -lift, h->geometric);
    h->point = v_along(h->point, lift, h->geometric);
    return true;
}

bool tlr_stage_hit(const tlr_stage *s, vec origin, vec direction, float time, tlr_hit *h)
{
    context c = context_of(s, origin, direction);
    struct RTCRayHit r = {
        .ray = ray_of(origin, direction, time, INFINITY),
        .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}}};
    rtcIntersect1(s->scene, &c.embree, &r);
    return take_hit(s, origin, direction, time, r.ray.tfar, &r.hit, h);
}

/* Lane i of a packet: a ray, or one that is not asked for. */
static void fill_lane(struct RTCRay16 *r, int *valid, size_t i, const tlr_ray *ray, float far,
                      bool asked)
{
    valid[i] = asked ? -1 : 0;
    r->org_x[i] = ray->origin.x;
    r->org_y[i] = ray->origin.y;
    r->org_z[i] = ray->origin.z;
    r->dir_x[i] = ray->direction.x;
    r->dir_y[i] = ray->direction.y;
    r->dir_z[i] = ray->direction.z;
    r->time[i] = ray->time;
    r->tnear[i] = 0;
    r->tfar[i] = far;
    r->mask[i] = UINT32_MAX;
    r->id[i] = r->flags[i] = 0;
}

static void hit_packet(const tlr_stage *s, bool alike, size_t count, const tlr_ray *rays,
                       const uint32_t *places, bool *met, tlr_hit *hits)
{
    struct RTCRayHit16 r;
    _Alignas(64) int valid[PACKET];
    context c = context_of(s, rays[0].origin, rays[0].direction);
    for (size_t i = 0; i < PACKET; i++) {
        fill_lane(&r.ray, valid, i, &rays[i < count ? i : 0], INFINITY, i < count);
        r.hit.geomID[i] = r.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    if (alike)
        c.embree.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcIntersect16(valid, s->scene, &c.embree, &r);
    for (size_t i = 0; i < count; i++) {
        const struct RTCHit hit = {.Ng_x = r.hit.Ng_x[i],
                                   .Ng_y = r.hit.Ng_y[i],
                                   .Ng_z = r.hit.Ng_z[i],
                                   .u = r.hit.u[i],
                                   .v = r.hit.v[i],
                                   .primID = r.hit.primID[i],
                                   .geomID = r.hit.geomID[i],
                                   .instID = {r.hit.instID[0][i]}};
        met[places[i]] = take_hit(s, rays[i].origin, rays[i].direction, rays[i].time, r.ray.tfar[i],
                                  &hit, &hits[places[i]]);
    }
}

void tlr_stage_hits(const tlr_stage *s, bool alike, size_t count, const tlr_ray *rays,
                    const uint32_t *places, bool *met, tlr_hit *hits)
{
    if (s->moment.cut) { /* its filter looks at one ray */
        for (size_t i = 0; i < count; i++)
            met[places[i]] =
                tlr_stage_hit(s, rays[i].origin, rays[i].direction, rays[i].time, &hits[places[i]]);
        return;
    }
    for (size_t i = 0; i < count; i += PACKET)
        hit_packet(s, alike, count - i < PACKET ? count - i : PACKET, rays + i, places + i, met,
                   hits);
}

void tlr_stage_blocked(const tlr_stage *s, size_t count, const tlr_shadow *shadows, bool *blocked)
{
    for (size_t i = 0; i < count && s->moment.cut; i++) {
        const tlr_ray *ray = &shadows[i].ray;
        context c = context_of(s, ray->origin, ray->direction);
        struct RTCRay r = ray_of(ray->origin, ray->direction, ray->time, shadows[i].distance);
        rtcOccluded1(s->scene, &c.embree, &r);
        blocked[i] = r.tfar < 0;
    }
    for (size_t i = 0; i < count && !s->moment.cut; i += PACKET) {
        const size_t some = count - i < PACKET ? count - i : PACKET;
        struct RTCRay16 r;
        _Alignas(64) int valid[PACKET];
        context c = context_of(s, shadows[i].ray.origin, shadows[i].ray.direction);
        for (size_t k = 0; k < PACKET; k++) {
            const tlr_shadow *shadow = &shadows[i + (k < some ? k : 0)];
            fill_lane(&r, valid, k, &shadow->ray, shadow->distance, k < some);
        }
        rtcOccluded16(valid, s->scene, &c.embree, &r);
        for (size_t k = 0; k < some; k++)
            blocked[i + k] = r.tfar[k] < 0;
    }
}
