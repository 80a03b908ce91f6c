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
static tl_status find_mesh(tlr_show *s, const tl_shape_def *d, forms *all, uint32_t *mesh,
                           vec *scale)
{
    const tl_shape_def size = size_of(d, scale);
    uint32_t *bucket = &all->bucket[tlr_hash(0, &size, sizeof size) % BUCKETS];
    form f;
    for (uint32_t i = *bucket; i;) {
        const form *old = (const form *)all->list.data + i - 1;
        *mesh = old->mesh;
        if (!memcmp(&old->def, &size, sizeof size))
            return TL_OK;
        i = old->next;
    }
    memset(&f, 0, sizeof f);
    memcpy(&f.def, &size, sizeof size);
    TL_TRY(make_mesh(s, &size, &f.mesh));
    *mesh = f.mesh;
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
                                 bool ground, uint16_t *number)
{
    uint32_t which = 0;
    const tlr_look *l = s->look;
    const tl_document *doc = s->replay.document;
    const tlr_material *m = named(l->bodies, l->body_count, tl_document_body_name(doc, b->body));
    if (!m)
        m = named(l->materials, l->material_count, tlr_replay_material(&s->replay, d->material));
    if (!m && ground)
        m = &l->floor;
    if (!m)
        m = b->kind == TL_DYNAMIC ? &l->moving : &l->fixed;
    TL_TRY(add_material(s, m, &which));
    *number = (uint16_t)which;
    return TL_OK;
}

/* --- items --- */

struct tlr_shaper {
    tlr_show *show;
    forms forms;
    size_t row;
    tl_array rests; /* tlr_rest_shape */
};

tl_status tlr_shaper_create(tlr_show *s, tlr_shaper **shaper)
{
    tlr_shaper *sh = *shaper = tl_alloc_zero(sizeof *sh);
    if (!sh)
        return TL_NO_MEMORY;
    sh->show = s;
    sh->forms.list.item = sizeof(form);
    sh->rests.item = sizeof(tlr_rest_shape);
    return TL_OK;
}

void tlr_shaper_destroy(tlr_shaper *sh)
{
    if (!sh)
        return;
    tl_array_free(&sh->forms.list);
    tl_array_free(&sh->rests);
    tl_free(sh, sizeof *sh);
}

size_t tlr_shaper_rests(const tlr_shaper *sh, const tlr_rest_shape **shapes)
{
    *shapes = sh->rests.data;
    return sh->rests.count;
}

/* The number of a pose: bodies of one kind share them. */
static tl_status add_pose(tlr_show *s, const tlr_pose_in *in, uint32_t *number)
{
    enum { LOOK_BACK = 16 };
    static const tlr_pose_in plain = {{0, 0, 0}, {1, 0, 0, 0}, {1, 1, 1}};
    const tlr_pose_in *all = s->poses.data;
    *number = TLR_PLAIN;
    if (!memcmp(in, &plain, sizeof plain))
        return TL_OK;
    const size_t count = s->poses.count, oldest = count > LOOK_BACK ? count - LOOK_BACK : 0;
    for (size_t i = oldest; i < count; i++)
        if (!memcmp(in, &all[i], sizeof *in)) {
            *number = (uint32_t)i;
            return TL_OK;
        }
    *number = (uint32_t)count;
    return tl_array_append(&s->poses, in, 1);
}

/* A plane as a square below the middle of the scene; the ground where it lies below. */
static tl_status make_plane(tlr_show *s, const tl_body_info *b, tlr_pose_in *in, tlr_item *item)
{
    const quat body = turn_of_doubles(b->orientation), whole = turn_of(body, in->turned);
    const vec normal = turn_apply(whole, v3(0, 0, 1));
    const vec origin = v_add(tlr_show_place(s, b->position), turn_apply(body, in->at));
    const vec nearest = v_scale(normal, v_dot(origin, normal));
    in->at = v_add(in->at, turn_apply(turn_back(body), v_sub(nearest, origin)));
    item->ground = s->look->has_floor && v_dot(normal, s->up) > 0.9f;
    return make_square(s, v3(1, 0, 0), v3(0, 1, 0), LARGE * s->radius, &item->mesh);
}

/* A mesh instead of a ball: its farthest vertex lies on the ball. */
static void take_stone(const tlr_show *s, tlr_item *item, tlr_pose_in *in)
{
    const uint32_t stone = ((const tlr_material *)s->materials.data)[item->material].stone;
    if (!stone || item->mesh != TLR_BALL)
        return;
    item->mesh = s->stones[stone - 1];
    in->scale = v3(item->radius, item->radius, item->radius);
}

/* The radius of a ball, how far another shape reaches. */
static float reach_of(const tlr_show *s, const tl_shape_def *d)
{
    tl_geometry_info g;
    if (d->kind == TL_SPHERE)
        return (float)d->radius;
    const bool has =
        d->geometry.index && tl_result_geometry(s->replay.result, d->geometry, &g) == TL_OK;
    return (float)tl_shape_reach(d, has ? &g : NULL);
}

static tl_status make_item(tlr_shaper *sh, const tl_body_info *b, const tl_shape_def *d,
                           tlr_item *item)
{
    tlr_show *s = sh->show;
    tlr_pose_in in = {v_of(d->position), turn_of_doubles(d->orientation), {1, 1, 1}};
    item->kind = (uint8_t)d->kind;
    item->radius = reach_of(s, d);
    if (d->sensor || (d->kind == TL_PLANE && !(s->radius > 0)))
        return TL_OK; /* planes wait for the size of the scene */
    if (d->kind == TL_SPHERE)
        item->mesh = TLR_BALL;
    else if (d->kind == TL_PLANE)
        TL_TRY(make_plane(s, b, &in, item));
    else
        TL_TRY(find_mesh(s, d, &sh->forms, &item->mesh, &in.scale));
    TL_TRY(choose_material(s, b, d, item->ground, &item->material));
    take_stone(s, item, &in);
    return add_pose(s, &in, &item->pose);
}

static tl_status note_rest(tlr_shaper *sh, const tl_shape_def *d, uint32_t item)
{
    tlr_show *s = sh->show;
    const tlr_rest_shape rest = {item, (uint32_t)s->replay.rests.count - 1, *d};
    const tlr_wall wall = {item, v_of(d->half_extents), v_of(d->edge_u), v_of(d->edge_v)};
    if (d->kind == TL_PLANE || d->kind == TL_BOX || d->kind == TL_PARALLELOGRAM)
        TL_TRY(tl_array_append(&s->walls, &wall, 1));
    return tl_array_append(&sh->rests, &rest, 1);
}

tl_status tlr_shaper_take(void *shaper, const tl_body_info *b, size_t shape_count,
                          const tl_shape_info *shapes)
{
    tlr_shaper *sh = shaper;
    tlr_show *s = sh->show;
    const size_t row = sh->row++;
    s->first[row] = (uint32_t)s->item_count;
    tlr_coloring_note(s, row, b, shape_count ? &shapes[0].def : NULL);
    for (size_t i = 0; i < shape_count; i++) {
        tlr_item *item = &s->items[s->item_count];
        *item = (tlr_item){.body = (uint32_t)row, .mesh = TLR_NOT_DRAWN, .pose = TLR_PLAIN};
        if (b->kind != TL_DYNAMIC)
            TL_TRY(note_rest(sh, &shapes[i].def, (uint32_t)s->item_count));
        TL_TRY(make_item(sh, b, &shapes[i].def, item));
        s->item_count++;
    }
    return TL_OK;
}

tl_status tlr_shaper_finish(tlr_shaper *sh)
{
    tlr_show *s = sh->show;
    const tlr_rest_shape *rests = sh->rests.data;
    for (size_t i = 0; i < sh->rests.count; i++)
        if (rests[i].def.kind == TL_PLANE)
            TL_TRY(make_item(sh, (const tl_body_info *)s->replay.rests.data + rests[i].rest,
                             &rests[i].def, &s->items[rests[i].item]));
    for (size_t i = 0; i < s->item_count; i++)
        if (s->items[i].mesh == TLR_BALL && !(s->items[i].radius > 0)) /* a point */
            s->items[i].radius = 0.01f * s->radius;
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

/* Meshes of the scene that bodies are put into, as their files have them. */
tl_status tlr_show_make_objects(tlr_show *s)
{
    for (size_t i = 0; i < s->look->object_count; i++) {
        tl_mesh *read = NULL;
        TL_TRY(tl_mesh_read(s->look->objects[i].file, 1, 0, &read));
        const tl_mesh_info m = tl_mesh_describe(read);
        const tl_status status = tlr_stage_add_mesh(s->stage, m.vertex_count, m.vertices, NULL,
                                                    m.triangle_count, m.triangles, &s->objects[i]);
        s->hash = tlr_hash(s->hash, m.vertices, 3 * m.vertex_count * sizeof(double));
        tl_mesh_destroy(read);
        TL_TRY(status);
        TL_TRY(add_material(s, &s->look->objects[i].material, &s->object_materials[i]));
    }
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

/* A floor below everything, where no plane is the ground. */
tl_status tlr_show_make_floor(tlr_show *s)
{
    if (!s->look->has_floor)
        return TL_OK;
    for (size_t i = 0; i < s->item_count; i++)
        if (s->items[i].ground || s->items[i].kind == TL_HEIGHTS)
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

static bool is_in_the_way(const tlr_show *s, const tlr_wall *w, vec eye)
{
    const tlr_item *item = &s->items[w->item];
    const tlr_body *body = &s->bodies[item->body];
    const tlr_pose_in in = item->pose == TLR_PLAIN
                               ? (tlr_pose_in){{0, 0, 0}, {1, 0, 0, 0}, {1, 1, 1}}
                               : ((const tlr_pose_in *)s->poses.data)[item->pose];
    const quat turned = tlr_body_turned(body, 0.5f), whole = turn_back(turn_of(turned, in.turned));
    const vec origin = v_add(tlr_body_place(body, 0.5f), turn_apply(turned, in.at));
    const vec m = turn_apply(whole, v_sub(s->moving_middle, origin));
    const vec e = turn_apply(whole, v_sub(eye, origin));
    const float large = 0.2f * s->radius, half[3] = {w->half.x, w->half.y, w->half.z};
    if (item->kind == TL_PLANE) /* walls without an end keep the light out */
        return v_dot(turn_apply(turn_back(whole), v3(0, 0, 1)), s->up) < 0.7f || e.z < 0;
    if (item->kind == TL_BOX)
        return v_most(w->half) > large && box_hides(half, m, e);
    const vec n = v_cross(w->u, w->v);
    return fmaxf(v_length(w->u), v_length(w->v)) > 2 * large && v_dot(n, m) * v_dot(n, e) < 0;
}

void tlr_show_leave_out_walls(tlr_show *s, vec eye)
{
    const tlr_wall *walls = s->walls.data;
    for (size_t i = 0; i < s->walls.count; i++)
        s->items[walls[i].item].left_out = s->look->walls == 0 && is_in_the_way(s, &walls[i], eye);
}
