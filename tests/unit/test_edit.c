/* Bodies that go and come, against a plain reference on the host: after every edit rows, shapes,
 * frames, contacts by owner and levels are, bit for bit, what an edit of the world's image gives;
 * and a world that is saved and loaded then is the same as one that was not. */
#include "mesh_forms.h"

#include "scene/region.h"
#include "world/image.h"

/* ---- The reference ---- */

/* A row of an array. */
static const void *row_at(const tl_array *a, size_t row)
{
    return (const char *)a->data + row * a->item;
}

static void same_rows(const char *what, const tl_array *old, const uint32_t *from,
                      const tl_array *now, size_t count)
{
    if (now->count != count)
        fail_msg("%s: %s has %zu rows; expected %zu", test_context, what, now->count, count);
    for (size_t i = 0; i < count; i++)
        if (memcmp(row_at(now, i), row_at(old, from[i]), now->item) != 0)
            fail_msg("%s: row %zu of %s is not what row %u was", test_context, i, what, from[i]);
}

static double radius(const tl_image *m, size_t shape)
{
    return ((const double *)m->geom.data)[4 * shape + 3];
}

static bool is_plane(const tl_image *m, size_t shape)
{
    return (((const uint32_t *)m->shape_info.data)[shape] & TLK_SHAPE_KIND) == TL_PLANE;
}

/* The radius that a shape's level is chosen by: its own, or for a thin wall (its least half width
 * below a quarter of that) less, but not below twice that of dynamic shapes. */
static double level_size(const tl_image *m, size_t shape)
{
    const uint32_t *info = m->shape_info.data;
    const double r = radius(m, shape), *inertia = m->inertia.data;
    double flat = 0;
    size_t frame = 0;
    for (size_t s = 0; s < m->shape_body.count; s++) {
        const uint32_t body = ((const uint32_t *)m->shape_body.data)[s];
        if (inertia[4 * body + 3] > 0)
            flat = fmax(flat, 2 * radius(m, s));
        frame += s < shape && (info[s] & TLK_SHAPE_KIND) != TL_SPHERE;
    }
    if (!(info[shape] & TLK_SHAPE_FIXED) || (info[shape] & TLK_SHAPE_KIND) == TL_SPHERE ||
        flat == 0 || r <= flat)
        return r;
    const double *half = (const double *)m->frame_local.data + TLK_FRAME * frame + 15;
    const double thin = (info[shape] & TLK_SHAPE_KIND) == TL_PARALLELOGRAM
                            ? 0
                            : fmin(half[0], fmin(half[1], half[2]));
    return thin < 0.25 * r ? fmax(flat, r / 32) : r;
}

/* Levels by the rule: the largest classes of size are tested directly while they are at most 16
 * shapes, planes counted; the others are on levels by halvings of the largest size, or of the least
 * number of doublings of the largest dynamic radius that is as large. */
static void levels_of(const tl_image *m, tl_collide *c, uint8_t *level)
{
    const size_t shapes = m->shape_body.count;
    const double *inertia = m->inertia.data;
    double top = 0, limit = INFINITY, largest = 0, dynamic = 0;
    uint32_t few = 0, counts[64] = {0};
    *c = (tl_collide){0};
    for (size_t s = 0; s < shapes; s++)
        top = is_plane(m, s) ? top : fmax(top, radius(m, s));
    for (size_t s = 0; s < shapes; s++)
        if (is_plane(m, s))
            few++;
        else
            counts[(int)fmin(63, ilogb(top / radius(m, s)))]++;
    for (int k = 0; k < 64 && few + counts[k] <= 16; k++)
        few += counts[k], limit = ldexp(top, -k - 1);
    for (size_t s = 0; s < shapes; s++)
        if (!is_plane(m, s) && radius(m, s) <= limit) {
            const uint32_t body = ((const uint32_t *)m->shape_body.data)[s];
            largest = fmax(largest, level_size(m, s));
            if (inertia[4 * body + 3] > 0)
                dynamic = fmax(dynamic, radius(m, s));
        }
    double binned = dynamic > 0 ? dynamic : largest;
    while (binned < largest)
        binned *= 2;
    for (uint32_t l = 0; l < TLK_LEVELS; l++)
        c->top[l] = ldexp(binned, -(int)l);
    for (uint32_t s = 0; s < shapes; s++)
        if (is_plane(m, s) || radius(m, s) > limit) {
            level[s] = TLK_LEVELS;
            c->global[c->globals++] = s;
        } else {
            level[s] = (uint8_t)fmin(TLK_LEVELS - 1, ilogb(binned / level_size(m, s)));
            c->residents[level[s]]++;
            c->levels = level[s] >= c->levels ? level[s] + 1u : c->levels;
        }
}

static void same_levels(const tl_world *w, const tl_collide *want, const uint8_t *level)
{
    uint8_t *got = malloc(w->shape_rows + 1u);
    assert_ok(w->backend->ops->download(w->backend, got, w->level.data, w->shape_rows));
    assert_memory_equal(got, level, w->shape_rows);
    assert_int_equal(w->collide.levels, want->levels);
    assert_int_equal(w->collide.globals, want->globals);
    assert_memory_equal(w->collide.global, want->global, want->globals * sizeof(uint32_t));
    assert_memory_equal(w->collide.top, want->top, sizeof want->top);
    assert_memory_equal(w->collide.residents, want->residents, sizeof want->residents);
    free(got);
}

/* Contacts of shapes that stay, in the order they were in, in lists by owner. */
static void same_contacts(const tl_world *w, const tl_image *old, const uint32_t *to,
                          const tl_image *now, const uint8_t *level)
{
    const uint32_t *a = old->a.data, *b = old->b.data, *colour = old->colour.data;
    uint32_t *start = malloc((now->shape_body.count + 1) * sizeof *start);
    size_t at = 0;
    assert_ok(w->backend->ops->download(w->backend, start, w->contacts[w->current].start.data,
                                        (now->shape_body.count + 1) * sizeof *start));
    for (uint32_t s = 0; s < now->shape_body.count; s++) {
        assert_int_equal(start[s], at);
        for (size_t k = 0; k < old->a.count; k++) {
            const uint32_t ends[2] = {to[a[k]], to[b[k]]};
            if (ends[0] == TLK_NONE || ends[1] == TLK_NONE)
                continue;
            const int owner = TLK_OWNS(level[ends[0]], level[ends[1]], ends[0], ends[1]) ? 0 : 1;
            if (ends[owner] != s)
                continue;
            assert_true(at < now->a.count);
            assert_int_equal(*(const uint32_t *)row_at(&now->a, at), s);
            assert_int_equal(*(const uint32_t *)row_at(&now->b, at), ends[1 - owner]);
            assert_int_equal(*(const uint32_t *)row_at(&now->colour, at), colour[k]);
            const double *n = row_at(&old->n, k), *n_now = row_at(&now->n, at);
            const double *g = row_at(&old->gamma, k), *g_now = row_at(&now->gamma, at);
            for (int c = 0; c < 3; c++) {
                assert_near(n_now[c], owner ? -n[c] : n[c], 0);
                assert_near(g_now[c], owner ? -g[c] : g[c], 0);
            }
            assert_near(n_now[3], n[3], 0);
            if (old->feature.count && !owner) {
                assert_memory_equal(row_at(&now->place, at), row_at(&old->place, k),
                                    old->place.item);
                assert_memory_equal(row_at(&now->feature, at), row_at(&old->feature, k),
                                    old->feature.item);
            }
            at++;
        }
    }
    assert_int_equal(start[now->shape_body.count], at);
    assert_int_equal(now->a.count, at);
    free(start);
}

/* Old rows in their new order: dynamic bodies first, without those that are gone. */
static size_t order_of(const tl_image *old, const uint8_t *gone, uint32_t *order, size_t *dynamic)
{
    size_t count = 0;
    for (int fixed = 0; fixed < 2; fixed++) {
        for (uint32_t i = 0; i < old->id.count; i++) {
            const double mass = ((const double *)row_at(&old->inertia, i))[3];
            if (!gone[i] && (mass > 0) != fixed)
                order[count++] = i;
        }
        *dynamic = fixed ? *dynamic : count;
    }
    return count;
}

/* Bodies, and which rows handles lead to. */
static void same_bodies(const tl_world *w, const tl_image *old, const uint8_t *gone,
                        const tl_image *now, const uint32_t *order, size_t count)
{
    same_rows("pos", &old->pos, order, &now->pos, count);
    same_rows("quat", &old->quat, order, &now->quat, count);
    same_rows("vel", &old->vel, order, &now->vel, count);
    same_rows("inertia", &old->inertia, order, &now->inertia, count);
    same_rows("flags", &old->flags, order, &now->flags, count);
    same_rows("id", &old->id, order, &now->id, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(tl_world_row(w, (tl_body){*(const uint32_t *)row_at(&now->id, i), 1}), i);
    for (uint32_t i = 0; i < old->id.count; i++)
        if (gone[i])
            assert_false(
                tl_world_has_body(w, (tl_body){*(const uint32_t *)row_at(&old->id, i), 1}));
    double smallest = INFINITY;
    for (size_t s = 0; s < w->shape_dynamic; s++)
        smallest = fmin(smallest, radius(now, s));
    assert_near(w->smallest, w->shape_dynamic ? smallest : 0, 0);
}

/* The box around the bodies, where it is known. */
static void same_box(const tl_world *w, const tl_image *now)
{
    for (uint32_t k = 0; w->box_known && k < 3; k++) {
        double low = 1e300, high = -1e300;
        for (uint32_t i = 0; i < w->dynamic; i++) {
            const double x = ((const double *)row_at(&now->pos, i))[k];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        assert_true(w->box[k] == low && w->box[3 + k] == -high);
    }
}

/* Whether the world is `old` (its image, with what was added behind) without what is gone. */
static void same_world(const tl_world *w, const tl_image *old, const uint8_t *gone)
{
    const size_t shapes = old->shape_body.count;
    const uint32_t *body = old->shape_body.data, *info = old->shape_info.data;
    uint32_t *order = malloc((old->id.count + 1) * sizeof *order), frame = 0;
    uint32_t *from = malloc((4 * shapes + 1) * sizeof *from), *to = from + shapes;
    uint32_t *frames = to + shapes, *frame_of = frames + shapes, kept = 0;
    uint8_t *level = malloc(shapes + 1);
    size_t dynamic = 0, shape = 0, fixed = 0;
    const size_t count = order_of(old, gone, order, &dynamic);
    tl_image now;
    tl_collide levels;
    tl_image_init(&now);
    assert_ok(tl_image_pull(w, tl_world_contacts(w), &now));
    memset(to, 0xff, shapes * sizeof *to);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t s = 0; s < shapes; s++)
            if (body[s] == order[i]) {
                assert_true(shape < now.shape_body.count);
                assert_int_equal(*(const uint32_t *)row_at(&now.shape_body, shape), i);
                to[s] = (uint32_t)shape;
                from[shape++] = s;
            }
    for (uint32_t s = 0; s < shapes;
         s++) { /* the k-th frame is that of the k-th that is no sphere */
        frame_of[s] = frame;
        fixed += info[s] & TLK_SHAPE_FIXED && to[s] != TLK_NONE;
        frame += (info[s] & TLK_SHAPE_KIND) != 0;
    }
    for (size_t s = 0; s < shape; s++) {
        if (info[from[s]] & TLK_SHAPE_KIND)
            frames[kept++] = frame_of[from[s]];
    }
    assert_int_equal(w->rows, count);
    assert_int_equal(w->dynamic, dynamic);
    assert_int_equal(w->shape_rows, shape);
    assert_int_equal(w->shape_dynamic, shape - fixed);
    same_box(w, &now); /* the old one is around other bodies */
    same_bodies(w, old, gone, &now, order, count);
    same_rows("shape_info", &old->shape_info, from, &now.shape_info, shape);
    same_rows("geom", &old->geom, from, &now.geom, shape);
    same_rows("centre", &old->centre, from, &now.centre, shape);
    same_rows("frame_local", &old->frame_local, frames, &now.frame_local, kept);
    levels_of(&now, &levels, level);
    same_levels(w, &levels, level);
    same_contacts(w, old, to, &now, level);
    tl_image_free(&now);
    free(order);
    free(from);
    free(level);
}

/* ---- Edits ---- */

/* What shapes of crowds share: a hull, a mesh that is a solid in the form of an L, and a height
 * field. They are the first geometries of each scene. */
enum { HULL = 1, MESH, HEIGHTS };

static void add_geometries(tl_scene *scene)
{
    static const double points[6][3] = {{0.08, 0, 0},  {-0.08, 0, 0}, {0, 0.07, 0},
                                        {0, -0.07, 0}, {0, 0, 0.06},  {0, 0, -0.06}};
    static double corners[6][2] = {{0, 0},       {0.16, 0},    {0.16, 0.08},
                                   {0.08, 0.08}, {0.08, 0.16}, {0, 0.16}};
    static const double heights[9] = {0, 0.02, 0, 0.03, 0.05, 0.01, 0, 0.02, 0.01};
    const tl_heights_def field = {3, 3, {0.2, 0.2}, heights};
    const tl_split_def split = tl_split_default();
    tl_geometry made;
    assert_ok(tl_scene_add_hull(scene, 6, points[0], &made));
    assert_int_equal(made.index, HULL);
    form_clear();
    form_prism(6, corners, (double[2]){0.04, 0.04}, 0.05);
    tl_mesh *mesh = form_mesh();
    assert_ok(tl_scene_add_mesh(scene, mesh, &made));
    assert_int_equal(made.index, MESH);
    tl_mesh_destroy(mesh);
    assert_ok(tl_scene_add_heights(scene, &field, &made));
    assert_int_equal(made.index, HEIGHTS);
    assert_ok(tl_scene_split_mesh(scene, (tl_geometry){MESH}, &split));
}

/* One of the geometries as a shape: on dynamic bodies a mesh is its pieces. */
static tl_shape_def any_geometry(dice *d, bool fixed)
{
    const double kind = roll(d, 0, 1);
    if (fixed && kind < 0.4)
        return tl_heights_default((tl_geometry){HEIGHTS});
    return kind < 0.7 ? tl_mesh_shape_default((tl_geometry){MESH})
                      : tl_hull_default((tl_geometry){HULL});
}

/* A body of one to three spheres or solids, now and then a wall or a small ball that stays in
 * place. */
static tl_body_def any_body(dice *d, tl_shape_def shapes[3], double ratio)
{
    tl_body_def def = tl_body_default();
    const bool fixed = roll(d, 0, 1) < 0.15;
    const double r = 0.08 * (roll(d, 0, 1) < 0.03 ? roll(d, 1, ratio) : 1);
    def.shapes = shapes;
    def.shape_count = roll(d, 0, 1) < 0.3 ? 3 : 1;
    for (int i = 0; i < 3; i++) {
        shapes[i] = tl_sphere_default(r);
        shapes[i].position[0] = def.shape_count > 1 ? r * (i - 1) : 0;
    }
    if (roll(d, 0, 1) < 0.4) { /* a box or a capsule, alone or beside spheres */
        const double at = shapes[0].position[0];
        shapes[0] = roll(d, 0, 1) < 0.5 ? tl_box_default(r, 0.7 * r, 0.8 * r)
                                        : tl_capsule_default(r / 2, r);
        shapes[0].position[0] = at;
    }
    if (fixed) {
        def.kind = TL_FIXED;
        shapes[0] = roll(d, 0, 1) < 0.5 ? tl_box_default(0.2, 0.1, 0.1)
                                        : tl_parallelogram_default((double[3]){0.4, 0, 0},
                                                                   (double[3]){0, 0.3, 0.1});
    }
    if (roll(d, 0, 1) < 0.3) { /* a hull, a mesh or a height field, alone or beside others */
        const double at = shapes[0].position[0];
        shapes[0] = any_geometry(d, fixed);
        shapes[0].position[0] = at;
    }
    roll_turn(d, def.orientation);
    roll3(d, -1, 1, def.position);
    def.position[2] += 1.5;
    return def;
}

static tl_world *crowd(const variant *v, dice *d, double ratio)
{
    tl_settings settings = settings_for(v, 0.005);
    settings.solver.iterations = 8;
    settings.solver.position_iterations = 4;
    tl_scene *scene = mixer_scene(&settings, 60, 5);
    add_geometries(scene);
    add_floor(scene, (tl_material){0});
    for (int i = 0; i < 50; i++) {
        tl_shape_def shapes[3];
        const tl_body_def def = any_body(d, shapes, ratio);
        add_body(scene, &def);
    }
    add_sphere(scene, (tl_material){0}, 0.08 * ratio, 50, (double[3]){0, 0, 9},
               (double[3]){0, 0, 0});
    return world_of(scene);
}

/* Removes each body with a chance of `part`, and adds some; checks both. */
static void edit(tl_world *w, dice *d, double part, uint32_t add, double ratio)
{
    tl_image image;
    tl_body_def defs[32];
    tl_shape_def shapes[32][3];
    tl_body_list list;
    uint8_t *gone = calloc(w->rows + 32u, 1);
    tl_body *named = malloc((w->rows + 1) * sizeof *named);
    size_t count = 0;
    tl_image_init(&image);
    assert_ok(tl_image_pull(w, tl_world_contacts(w), &image));
    for (uint32_t row = 0; row < w->rows; row++)
        if (roll(d, 0, 1) < part) {
            gone[row] = 1;
            named[count++] = (tl_body){((const uint32_t *)image.id.data)[row], 1};
        }
    assert_ok(tl_world_remove_bodies(w, count, named));
    same_world(w, &image, gone);
    tl_image_free(&image);
    tl_image_init(&image);
    assert_ok(tl_image_pull(w, tl_world_contacts(w), &image));
    for (uint32_t i = 0; i < add; i++)
        defs[i] = any_body(d, shapes[i], ratio);
    memset(gone, 0, w->rows + 32u);
    tl_body_list_init(&list);
    list.geometries = &w->geometries;
    assert_ok(tl_body_list_add(&list, add, defs, w->materials - 1));
    assert_ok(tl_image_append(&image, &list, (uint32_t)w->row_of.count + 1, TL_MIXED));
    double *vel = image.vel.data;
    for (size_t i = 0; i < 8 * image.vel.count && w->backend->precision == TL_MIXED; i++)
        vel[i] = (float)vel[i]; /* as worlds keep them */
    assert_ok(tl_world_add_bodies(w, add, defs, NULL));
    same_world(w, &image, gone);
    tl_body_list_free(&list);
    tl_image_free(&image);
    free(gone);
    free(named);
}

/* The same world from a snapshot: the same state, the same bits from then on. */
static void same_loaded(tl_world *w)
{
    void *data, *again;
    size_t bytes, bytes_again;
    tl_world *loaded;
    assert_ok(tl_world_save(w, &data, &bytes));
    assert_ok(tl_world_load(data, bytes, &loaded));
    assert_ok(tl_world_save(loaded, &again, &bytes_again));
    assert_int_equal(bytes, bytes_again);
    assert_memory_equal(data, again, bytes);
    tl_snapshot_free(data, bytes);
    tl_snapshot_free(again, bytes_again);
    step(w, 1);
    step(loaded, 1);
    assert_ok(tl_world_save(w, &data, &bytes)); /* contacts in the same order, too */
    assert_ok(tl_world_save(loaded, &again, &bytes_again));
    assert_int_equal(bytes, bytes_again);
    assert_memory_equal(data, again, bytes);
    tl_snapshot_free(data, bytes);
    tl_snapshot_free(again, bytes_again);
    step(w, 5);
    step(loaded, 5);
    assert_true(tl_world_hash(w) == tl_world_hash(loaded));
    tl_world_destroy(loaded);
}

/* Which kinds of shapes touch something, a bit each. */
static uint32_t touching(const tl_world *w)
{
    tl_image image;
    uint32_t kinds = 0;
    tl_image_init(&image);
    assert_ok(tl_image_pull(w, tl_world_contacts(w), &image));
    const uint32_t *info = image.shape_info.data;
    for (size_t k = 0; k < image.a.count; k++)
        kinds |= 1u << (info[*(const uint32_t *)row_at(&image.a, k)] & TLK_SHAPE_KIND) |
                 1u << (info[*(const uint32_t *)row_at(&image.b, k)] & TLK_SHAPE_KIND);
    tl_image_free(&image);
    return kinds;
}

static void edits(const variant *v)
{
    const uint32_t wanted = 1u << TL_HULL | 1u << TL_MESH | 1u << TL_HEIGHTS;
    uint32_t kinds = 0;
    const double ratios[3] = {1, 4, 50};
    for (int i = 0; i < 3; i++) {
        dice d = {17 + (uint64_t)i};
        tl_world *w = crowd(v, &d, ratios[i]);
        step(w, 40);
        assert_true(tl_world_contact_count(w) > 50);
        for (int k = 0; k < 8; k++) {
            context("%s, sizes 1:%g, edit %d", v->name, ratios[i], k);
            kinds |= touching(w);
            edit(w, &d, k == 5 ? 0.7 : 0.1, k == 2 ? 32 : 8, ratios[i]);
            same_loaded(w);
        }
        context("%s, sizes 1:%g, nothing is left", v->name, ratios[i]);
        edit(w, &d, 2, 20, ratios[i]);
        same_loaded(w);
        tl_world_destroy(w);
    }
    assert_int_equal(kinds & wanted, wanted);
}

static void test_edits(void **state)
{
    (void)state;
    for_each_precision(edits);
}

/* Levels follow the sizes there are: without its largest ball a world has the levels of one that
 * never had it, and moves as that does. */
static void largest(const variant *v)
{
    double x[2][3];
    for (int had = 0; had < 2; had++) {
        tl_settings settings = settings_for(v, 0.005);
        tl_scene *scene = mixer_scene(&settings, 200, 3);
        const tl_material material = {0};
        for (int i = 0; i < 30; i++)
            add_sphere(scene, material, 0.2, 0,
                       (double[3]){0.5 * (i % 6) - 1, 0.5 * (i / 6) - 1, 4}, (double[3]){0, 0, 0});
        tl_body balls[20];
        for (int i = 0; i < 20 && had; i++)
            balls[i] = add_sphere(scene, material, 5, 0, (double[3]){20. * i, 0, 50},
                                  (double[3]){0, 0, 0});
        tl_world *w = world_of(scene);
        const uint32_t levels = w->collide.levels;
        if (had) {
            assert_ok(tl_world_remove_bodies(w, 20, balls));
            assert_true(w->collide.levels < levels); /* there was something to do */
        }
        step(w, 200);
        position_of(w, (tl_body){100, 1}, x[had]);
        tl_world_destroy(w);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

static void test_largest(void **state)
{
    (void)state;
    for_each_precision(largest);
}

/* Whether a shape's bounding ball, with its centre at x, meets a box; planes are everywhere. */
static bool meets(const tl_image *m, size_t shape, const double x[3], const double low[3],
                  const double high[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double out = fmax(fmax(low[k] - x[k], x[k] - high[k]), 0);
        square += out * out;
    }
    return is_plane(m, shape) || sqrt(square) <= radius(m, shape);
}

/* What is near a box: all shapes whose bounding ball meets it, nothing that is to go. */
static void near_box(const variant *v)
{
    dice d = {5};
    tl_world *w = crowd(v, &d, 4);
    tl_image all, near;
    tl_array balls = {.item = 4 * sizeof(double)};
    size_t at[2] = {0, 0}, frame = 0;
    const double low[3] = {-0.5, -0.5, 0}, high[3] = {0.3, 0.5, 1.2};
    const uint32_t named[2] = {3, w->rows - 1};
    step(w, 30);
    tl_image_init(&all);
    tl_image_init(&near);
    assert_ok(tl_image_pull(w, tl_world_contacts(w), &all));
    assert_ok(tl_edit_begin(w));
    assert_ok(tl_edit_drop(w, named, 2));
    assert_ok(tl_edit_near(w, low, high, &balls, &near));
    for (size_t s = 0; s < all.shape_body.count; s++) {
        const uint32_t row = ((const uint32_t *)all.shape_body.data)[s];
        const uint32_t info = ((const uint32_t *)all.shape_info.data)[s];
        const bool fixed = info & TLK_SHAPE_FIXED;
        const double *x = row_at(&all.pos, row), *q = row_at(&all.quat, row);
        double centre[3];
        rotate(q, 1, row_at(&all.geom, s), centre);
        add3(centre, 1, x, centre);
        frame += (info & TLK_SHAPE_KIND) != 0;
        if (row == named[0] || row == named[1] || !meets(&all, s, centre, low, high))
            continue;
        const size_t i = at[fixed]++;
        assert_true(at[0] <= balls.count && at[1] <= near.geom.count);
        if (fixed) {
            assert_memory_equal(row_at(&near.pos, i), x, near.pos.item);
            assert_memory_equal(row_at(&near.quat, i), q, near.quat.item);
            assert_memory_equal(row_at(&near.geom, i), row_at(&all.geom, s), near.geom.item);
            assert_int_equal(((const uint32_t *)near.shape_info.data)[i], info);
            if (info & TLK_SHAPE_KIND)
                assert_memory_equal(row_at(&near.frame_local, i),
                                    row_at(&all.frame_local, frame - 1), near.frame_local.item);
        } else {
            const double *ball = row_at(&balls, i);
            assert_near(distance3(ball, centre), 0, 1e-15);
            assert_near(ball[3], radius(&all, s), 0);
        }
    }
    assert_int_equal(balls.count, at[0]);
    assert_int_equal(near.geom.count, at[1]);
    assert_true(at[0] > 20 && at[0] < w->shape_dynamic - 20u && at[1] > 2);
    tl_array_free(&balls);
    tl_image_free(&all);
    tl_image_free(&near);
    tl_world_destroy(w);
}

static void test_near(void **state)
{
    (void)state;
    for_each_precision(near_box);
}

/* Many events and many emitters in one edit: their scratch is given up at once (an arena has no
 * room for pieces without end), and what was marked before stays marked. */
static void test_many(void **state)
{
    (void)state;
    const variant v = {.precision = TL_MIXED};
    dice d = {7};
    tl_world *w = crowd(&v, &d, 4);
    tl_array balls = {.item = 4 * sizeof(double)};
    tl_image near, none;
    uint32_t *named = malloc(w->rows * sizeof *named);
    const size_t looks = 3 * TL_ARENA_EXTRAS, before = w->rows;
    size_t count, most = 0;
    tl_image_init(&near);
    tl_image_init(&none);
    for (uint32_t i = 0; i < w->rows; i++)
        named[i] = i;
    assert_ok(tl_edit_begin(w));
    const size_t at = w->arena.at;
    for (size_t i = 1; i <= looks; i++) {
        const double half = 0.03 * (double)i;
        const size_t part = i * w->dynamic / (2 * looks);
        assert_ok(tl_edit_drop(w, named, part));
        assert_ok(tl_edit_near(w, (double[3]){-half, -half, -half}, (double[3]){half, half, half},
                               &balls, &near));
        most = balls.count > most ? balls.count : most;
        assert_int_equal(w->arena.at, at);
        assert_ok(tl_edit_dropped(w, &count));
        assert_int_equal(count, part);
    }
    assert_true(most > 20);
    assert_ok(tl_world_put(w, &none, w->ordering.gone.data));
    assert_int_equal(w->rows, before - count);
    tl_array_free(&balls);
    tl_image_free(&near);
    free(named);
    tl_world_destroy(w);
}

/* Regions of every kind mark those bodies whose origin tl_region_contains() finds. */
static void regions(const variant *v)
{
    const tl_region each[3] = {
        tl_region_box((double[3]){-0.5, -INFINITY, 0}, (double[3]){0.4, 0.3, 1}),
        {.kind = TL_REGION_CYLINDER, .centre = {0, 0, 0.2}, .axis = {0.3, 0.1, 1}, .radius = 0.6},
        {.kind = TL_REGION_SPHERE, .centre = {0.2, 0, 0.8}, .radius = 0.7}};
    dice d = {6};
    tl_world *w = crowd(v, &d, 4);
    tl_image all;
    uint8_t *gone = malloc(w->rows);
    step(w, 30);
    tl_image_init(&all);
    assert_ok(tl_image_pull(w, tl_world_contacts(w), &all));
    for (int i = 0; i < 6; i++) {
        const tl_region *region = &each[i / 2];
        size_t count, wanted = 0;
        assert_ok(tl_edit_begin(w));
        tl_edit_drop_region(w, region, i % 2);
        assert_ok(tl_edit_dropped(w, &count));
        assert_ok(w->backend->ops->download(w->backend, gone, w->ordering.gone.data, w->rows));
        for (uint32_t row = 0; row < w->rows; row++) {
            const bool want =
                row < w->dynamic && tl_region_contains(region, row_at(&all.pos, row)) == i % 2;
            assert_int_equal(gone[row], want);
            wanted += want;
        }
        assert_int_equal(count, wanted);
        assert_true(wanted > 5 && wanted < w->dynamic - 5);
    }
    tl_image_free(&all);
    free(gone);
    tl_world_destroy(w);
}

static void test_regions(void **state)
{
    (void)state;
    for_each_precision(regions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edits), cmocka_unit_test(test_largest), cmocka_unit_test(test_near),
        cmocka_unit_test(test_many),  cmocka_unit_test(test_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
