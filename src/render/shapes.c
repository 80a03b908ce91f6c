/* Shapes as they are drawn: balls, meshes that equal shapes share, planes as large squares, the
 * floor; and which walls stand before the bodies. show.c calls. */
#include "render/show.h"

#include "talus/surface.h"

#include <string.h>

enum { SEGMENTS = 48, LARGE = 60 }; /* edges of a circle; half a plane, in radii of the scene */

/* A mesh that is there, and what makes a shape the same. */
typedef struct form {
    tl_shape_def def;    /* its size alone; everything else 0 */
    uint32_t mesh, next; /* the next form of its bucket, from 1; 0: none */
} form;

enum { BUCKETS = 1 << 14 };

typedef struct forms {
    tl_array list; /* form */
    uint32_t bucket[BUCKETS];
} forms;

/* The size of a shape. Those that are scaled from one form have the size 1, and `scale`. */
static tl_shape_def size_of(const tl_shape_def *d, vec *scale)
{
    tl_shape_def size;
    memset(&size, 0, sizeof size); /* padding, too: forms are compared as bytes */
    size.kind = d->kind;
    size.rounding = d->rounding;
    *scale = v3(1, 1, 1);
    const bool sharp = !(d->rounding > 0);
    if (d->kind == TL_ELLIPSOID || (d->kind == TL_BOX && sharp)) {
        *scale = v_of(d->half_extents);
        size.half_extents[0] = size.half_extents[1] = size.half_extents[2] = 1;
        return size;
    }
    if (d->kind == TL_CONE || (d->kind == TL_CYLINDER && sharp)) {
        *scale = v3((float)d->radius, (float)d->radius, (float)d->half_length);
        size.radius = size.half_length = 1;
        return size;
    }
    size.radius = d->radius;
    memcpy(size.half_extents, d->half_extents, sizeof size.half_extents);
    memcpy(size.edge_u, d->edge_u, sizeof size.edge_u);
    memcpy(size.edge_v, d->edge_v, sizeof size.edge_v);
    size.half_length = d->half_length;
    size.geometry = d->geometry;
    return size;
}

static tl_status make_mesh(tlr_show *s, const tl_shape_def *size, uint32_t *mesh)
{
    tl_geometry_info geometry;
    tl_surface *surface = NULL;
    tl_shape_def d = *size;
    d.orientation[0] = 1;
    d.group = 1;
    d.mask = UINT32_MAX;
    if (d.geometry.index)
        TL_TRY(tl_result_geometry(s->replay.result, d.geometry, &geometry));
    TL_TRY(tl_surface_create(&d, d.geometry.index ? &geometry : NULL, SEGMENTS, &surface));
    const tl_surface_info i = tl_surface_describe(surface);
    tl_status status = TL_OK;
    *mesh = TLR_NOT_DRAWN;
    if (i.triangle_count)
        status = tlr_stage_add_mesh(s->stage, i.vertex_count, i.vertices, i.normals,
                                    i.triangle_count, i.triangles, mesh);
    tl_surface_destroy(surface);
    return status;
}

/* A square across z, `half` to each side. */
static tl_status make_square(tlr_show *s, vec u, vec v, float half, uint32_t *mesh)
{
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    double vertices[12];
    for (int k = 0; k < 4; k++) {
        const float x = k == 1 || k == 2 ? half : -half, y = k >= 2 ? half : -half;
        const vec p = v_along(v_scale(u, x), y, v);
        vertices[3 * k] = p.x;
        vertices[3 * k + 1] = p.y;
        vertices[3 * k + 2] = p.z;
    }
    return tlr_stage_add_mesh(s->stage, 4, vertices, NULL, 2, triangles, mesh);
}

/* The mesh of a shape: one that is there, or a new one. */
static tl_status find_mesh(tlr_show *s, const tl_shape_def *d, forms *all, tlr_part *p)
{
    const tl_shape_def size = size_of(d, &p->scale);
    uint32_t *bucket = &all->bucket[tlr_hash(0, &size, sizeof size) % BUCKETS];
    form f;
    for (uint32_t i = *bucket; i;) {
        const form *old = (const form *)all->list.data + i - 1;
        p->mesh = old->mesh;
        if (!memcmp(&old->def, &size, sizeof size))
            return TL_OK;
        i = old->next;
    }
    memset(&f, 0, sizeof f);
    memcpy(&f.def, &size, sizeof size);
    TL_TRY(make_mesh(s, &size, &f.mesh));
    p->mesh = f.mesh;
    f.next = *bucket;
    TL_TRY(tl_array_append(&all->list, &f, 1));
    *bucket = (uint32_t)all->list.count;
    return TL_OK;
}

/* --- materials --- */

static const tlr_material *named(const tlr_named *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count && name; i++)
        if (!strcmp(list[i].name, name))
            return &list[i].material;
    return NULL;
}

/* The number of a material in the show's list. */
static tl_status add_material(tlr_show *s, const tlr_material *m, uint32_t *number)
{
    tlr_material *all = s->materials.data;
    for (size_t i = 0; i < s->materials.count; i++)
        if (!memcmp(&all[i], m, sizeof *m)) {
            *number = (uint32_t)i;
            return TL_OK;
        }
    *number = (uint32_t)s->materials.count;
    return tl_array_append(&s->materials, m, 1);
}

static tl_status choose_material(tlr_show *s, const tl_body_info *b, const tl_shape_def *d,
                                 bool ground, uint32_t *number)
{
    const tlr_look *l = s->look;
    const tl_document *doc = s->replay.document;
    const tlr_material *m = named(l->bodies, l->body_count, tl_document_body_name(doc, b->body));
    if (!m)
        m = named(l->materials, l->material_count, tl_document_material_name(doc, d->material));
    if (!m && ground)
        m = &l->floor;
    if (!m)
        m = b->kind == TL_DYNAMIC ? &l->moving : &l->fixed;
    return add_material(s, m, number);
}

/* --- parts --- */

/* A plane as a square below the middle of the scene; the ground where it lies below. */
static tl_status make_plane(tlr_show *s, const tl_body_info *b, tlr_part *p)
{
    const quat whole = turn_of(turn_of_doubles(b->orientation), p->turned);
    const vec normal = turn_apply(whole, v3(0, 0, 1));
    const vec origin =
        v_add(tlr_show_place(s, b->position), turn_apply(turn_of_doubles(b->orientation), p->at));
    const vec nearest = v_scale(normal, v_dot(origin, normal));
    p->at = v_add(p->at,
                  turn_apply(turn_back(turn_of_doubles(b->orientation)), v_sub(nearest, origin)));
    p->ground = s->look->has_floor && v_dot(normal, s->up) > 0.9f;
    return make_square(s, v3(1, 0, 0), v3(0, 1, 0), LARGE * s->radius, &p->mesh);
}

/* A mesh instead of a ball: its farthest vertex lies on the ball. */
static void take_stone(const tlr_show *s, tlr_part *p)
{
    const uint32_t stone = ((const tlr_material *)s->materials.data)[p->material].stone;
    if (!stone || p->mesh != TLR_BALL)
        return;
    p->mesh = s->stones[stone - 1];
    p->scale = v3(p->radius, p->radius, p->radius);
}

/* The radius of a ball, how far another shape reaches. */
static float reach_of(const tlr_show *s, const tl_shape_def *d)
{
    tl_geometry_info g;
    if (d->kind == TL_SPHERE)
        return d->radius > 0 ? (float)d->radius : 0.01f * s->radius; /* a point */
    const bool has =
        d->geometry.index && tl_result_geometry(s->replay.result, d->geometry, &g) == TL_OK;
    return (float)tl_shape_reach(d, has ? &g : NULL);
}

static tl_status make_part(tlr_show *s, const tl_body_info *b, const tl_shape_def *d, forms *all,
                           tlr_part *p)
{
    p->at = v_of(d->position);
    p->turned = turn_of_doubles(d->orientation);
    p->mesh = TLR_NOT_DRAWN;
    p->kind = (uint8_t)d->kind;
    p->scale = v3(1, 1, 1);
    p->radius = reach_of(s, d);
    if (d->sensor)
        return TL_OK;
    if (d->kind == TL_SPHERE)
        p->mesh = TLR_BALL;
    else if (d->kind == TL_PLANE)
        TL_TRY(make_plane(s, b, p));
    else
        TL_TRY(find_mesh(s, d, all, p));
    TL_TRY(choose_material(s, b, d, p->ground, &p->material));
    take_stone(s, p);
    return TL_OK;
}

/* A mesh of a file about the middle of its box, within a ball of radius 1. */
static tl_status make_stone(tlr_show *s, const char *path, uint32_t *mesh)
{
    tl_mesh *read = NULL;
    TL_TRY(tl_mesh_read(path, 1, 0, &read));
    const tl_mesh_info i = tl_mesh_describe(read);
    double *vertices = tl_alloc((3 * i.vertex_count + 1) * sizeof *vertices), most = 0;
    tl_status status = vertices ? TL_OK : TL_NO_MEMORY;
    for (size_t v = 0; v < i.vertex_count && vertices; v++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            const double x = i.vertices[3 * v + (size_t)k] - 0.5 * (i.low[k] + i.high[k]);
            vertices[3 * v + (size_t)k] = x;
            square += x * x;
        }
        most = fmax(most, sqrt(square));
    }
    for (size_t v = 0; v < 3 * i.vertex_count && vertices && most > 0; v++)
        vertices[v] /= most;
    if (status == TL_OK)
        status = tlr_stage_add_mesh(s->stage, i.vertex_count, vertices, NULL, i.triangle_count,
                                    i.triangles, mesh);
    s->hash = tlr_hash(s->hash, i.vertices, 3 * i.vertex_count * sizeof(double));
    tl_free(vertices, (3 * i.vertex_count + 1) * sizeof *vertices);
    tl_mesh_destroy(read);
    return status;
}

tl_status tlr_show_make_stones(tlr_show *s)
{
    for (size_t i = 0; i < s->look->stone_count; i++)
        TL_TRY(make_stone(s, s->look->stones[i], &s->stones[i]));
    return TL_OK;
}

/* A cylinder of radius and half length 1. */
tl_status tlr_show_make_chains(tlr_show *s)
{
    const tl_shape_def size = tl_cylinder_default(1, 1);
    const tlr_material m = {.kind = TLR_DIFFUSE, .color = {0.5f, 0.5f, 0.5f}, .uncut = true};
    if (!s->look->chains.on)
        return TL_OK;
    if (!s->replay.info.contacts)
        return tl_fail(TL_BAD_DATA,
                       "chains: %s has no contacts; `talus run --contacts` records them",
                       s->replay.path);
    TL_TRY(add_material(s, &m, &s->chain_material));
    return make_mesh(s, &size, &s->chain_mesh);
}

static tl_status note_wall(tlr_show *s, const tl_body_info *b, const tl_shape_def *d, uint32_t part)
{
    const tlr_wall wall = {part, v_of(d->half_extents), v_of(d->edge_u), v_of(d->edge_v)};
    const bool may = d->kind == TL_PLANE || d->kind == TL_BOX || d->kind == TL_PARALLELOGRAM;
    return may && b->kind != TL_DYNAMIC ? tl_array_append(&s->walls, &wall, 1) : TL_OK;
}

tl_status tlr_show_make_parts(tlr_show *s)
{
    const tlr_replay *r = &s->replay;
    forms *all = tl_alloc_zero(sizeof *all);
    tl_status status = all ? TL_OK : TL_NO_MEMORY;
    size_t shape = 0;
    if (all)
        all->list.item = sizeof(form);
    for (size_t k = 0; k < r->body_count && status == TL_OK; k++) {
        s->first[k] = (uint32_t)shape;
        for (; shape < r->shape_count && status == TL_OK &&
               r->shapes[shape].body.index == r->bodies[k].body.index;
             shape++) {
            s->parts[shape].body = (uint32_t)k;
            status = make_part(s, &r->bodies[k], &r->shapes[shape].def, all, &s->parts[shape]);
            if (status == TL_OK)
                status = note_wall(s, &r->bodies[k], &r->shapes[shape].def, (uint32_t)shape);
        }
    }
    s->first[r->body_count] = (uint32_t)shape;
    if (all)
        tl_array_free(&all->list);
    tl_free(all, sizeof *all);
    return status;
}

/* A floor below everything, where no plane is the ground. */
tl_status tlr_show_make_floor(tlr_show *s)
{
    if (!s->look->has_floor)
        return TL_OK;
    for (size_t i = 0; i < s->replay.shape_count; i++)
        if (s->parts[i].ground || s->parts[i].kind == TL_HEIGHTS)
            return TL_OK;
    const tlr_fit_ball *balls = s->balls.data;
    double low = INFINITY;
    for (size_t i = 0; i < s->balls.count; i++)
        low = fmin(low, v_dot(balls[i].centre, s->up) - balls[i].radius);
    s->floor_height = isfinite(low) ? low - 1e-3 * s->radius : -s->radius;
    TL_TRY(add_material(s, &s->look->floor, &s->floor_material));
    return make_square(s, s->east, s->north, LARGE * s->radius, &s->floor_mesh);
}

/* --- walls --- */

/* Whether a box stands between the middle of the bodies and the eye: the middle is outside of one
 * of its faces, and the eye is beyond the opposite one. */
static bool box_hides(const float half[3], vec middle, vec eye)
{
    const float m[3] = {middle.x, middle.y, middle.z}, e[3] = {eye.x, eye.y, eye.z};
    int axis = -1;
    float most = 0;
    for (int k = 0; k < 3; k++)
        if (fabsf(m[k]) - half[k] > most) {
            most = fabsf(m[k]) - half[k];
            axis = k;
        }
    return axis >= 0 && copysignf(1, m[axis]) * e[axis] < -half[axis];
}

/* The size of a part, where it may be a wall; walls are in the order of parts. */
static const tlr_wall *find_wall(const tlr_show *s, size_t part)
{
    const tlr_wall *walls = s->walls.data;
    size_t low = 0, high = s->walls.count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (walls[middle].part <= part)
            low = middle;
        else
            high = middle;
    }
    return s->walls.count && walls[low].part == part ? &walls[low] : NULL;
}

bool tlr_part_is_wall(const tlr_show *s, size_t part, const tlr_pose *pose, vec eye)
{
    const tlr_part *p = &s->parts[part];
    const tlr_wall *w = find_wall(s, part);
    if (!w)
        return false;
    const quat whole = turn_back(turn_of(pose->turned, p->turned));
    const vec origin = v_add(tlr_show_place(s, pose->place), turn_apply(pose->turned, p->at));
    const vec m = turn_apply(whole, v_sub(s->moving_middle, origin));
    const vec e = turn_apply(whole, v_sub(eye, origin));
    const float large = 0.2f * s->radius, half[3] = {w->half.x, w->half.y, w->half.z};
    if (p->kind == TL_PLANE) /* walls without an end keep the light out */
        return v_dot(turn_apply(turn_back(whole), v3(0, 0, 1)), s->up) < 0.7f || e.z < 0;
    if (p->kind == TL_BOX)
        return v_most(w->half) > large && box_hides(half, m, e);
    const vec n = v_cross(w->u, w->v);
    return fmaxf(v_length(w->u), v_length(w->v)) > 2 * large && v_dot(n, m) * v_dot(n, e) < 0;
}
