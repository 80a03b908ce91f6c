/* Rays against what is known of shapes without the library: marching along the ray with the
 * distance of points, all triangles one by one, closed forms; and what must not matter: the tree,
 * threads, where the world is, and what happened before. */
/* labels: threads */
#include "query_forms.h"

static tl_ray ray_from(const double origin[3], const double direction[3])
{
    tl_ray ray = tl_ray_default();
    memcpy(ray.origin, origin, sizeof ray.origin);
    memcpy(ray.direction, direction, sizeof ray.direction);
    return ray;
}

static tl_ray_hit cast_one(tl_world *world, const tl_ray *ray)
{
    tl_ray_hit hit;
    assert_ok(tl_world_cast_rays(world, 1, ray, &hit));
    return hit;
}

/* A ray from some way off, most often towards the middle. */
static tl_ray roll_ray(dice *d)
{
    double from[3], to[3], direction[3];
    roll_direction(d, from);
    roll3(d, -1, 1, to);
    for (int k = 0; k < 3; k++)
        from[k] *= 5;
    add3(to, -1, from, direction);
    const double length = exp(roll(d, -5, 5));
    for (int k = 0; k < 3; k++)
        direction[k] *= length;
    return ray_from(from, direction);
}

/* ---- One shape ---- */

/* The ray in the shape's frame, with unit direction. */
static void local_ray(const form *f, const tl_ray *ray, double o[3], double d[3])
{
    form_in(f, ray->origin, true, o);
    form_in(f, ray->direction, false, d);
    const double length = norm3(d);
    for (int k = 0; k < 3; k++)
        d[k] /= length;
}

/* A solid: nothing before the hit is inside, the hit is on the surface, what follows is inside. */
static void check_solid(const form *f, const tl_ray *ray, const tl_ray_hit *hit, double tolerance)
{
    enum { STEPS = 600 };
    double o[3], d[3], p[3], n[3];
    local_ray(f, ray, o, d);
    const bool missed = !hit->body.index;
    const double end = missed ? 12 : hit->distance;
    for (int i = 0; i < STEPS; i++) {
        const double t = end * i / STEPS;
        add3(o, t, d, p);
        assert_above(form_outside(f, p), missed ? -1e-4 : -tolerance);
    }
    if (missed)
        return;
    assert_int_equal(hit->triangle, TL_NO_TRIANGLE);
    assert_false(hit->inside);
    add3(o, hit->distance, d, p);
    assert_near(form_outside(f, p), 0, tolerance);
    form_in(f, hit->point, true, n);
    assert_near(distance3(n, p), 0, 1e-12);
    /* the normal is the way out, to first order */
    form_in(f, hit->normal, false, n);
    assert_near(norm3(n), 1, 1e-12);
    assert_below(dot3(n, d), 1e-9);
    double gradient[3];
    for (int k = 0; k < 3; k++) {
        double a[3], b[3];
        memcpy(a, p, sizeof a);
        memcpy(b, p, sizeof b);
        a[k] += 1e-6, b[k] -= 1e-6;
        gradient[k] = (form_outside(f, a) - form_outside(f, b)) / 2e-6;
    }
    /* at an edge there is no gradient, only normals between two */
    if (norm3(gradient) > 0.1 && !(f->kind == FORM_BOX || f->kind == FORM_HULL))
        assert_above(dot3(gradient, n) / norm3(gradient), 0.7);
    else
        assert_above(dot3(gradient, n), 0.3 * dot3(gradient, gradient));
}

/* Triangles, one by one, after Moeller and Trumbore; a parallelogram has two. */
static double first_triangle(const form *f, const double o[3], const double d[3], double *margin)
{
    double best = INFINITY;
    *margin = INFINITY;
    const bool flat = f->kind == FORM_PARALLELOGRAM;
    for (size_t i = 0; i < (flat ? 1 : f->triangles); i++) {
        double e[3], g[3], x[3], p[3], q[3];
        const double(*c)[3] = f->corner[i];
        if (flat) {
            memcpy(e, f->def.edge_u, sizeof e);
            memcpy(g, f->def.edge_v, sizeof g);
            memcpy(x, o, sizeof x);
        } else {
            add3(c[1], -1, c[0], e);
            add3(c[2], -1, c[0], g);
            add3(o, -1, c[0], x);
        }
        cross3(d, g, p);
        cross3(x, e, q);
        const double whole = dot3(e, p), u = dot3(x, p) / whole, v = dot3(d, q) / whole;
        const double t = dot3(g, q) / whole;
        const double in = flat ? fmin(fmin(u, 1 - u), fmin(v, 1 - v)) : fmin(fmin(u, v), 1 - u - v);
        if (t >= 0)
            *margin = fmin(*margin, fabs(in));
        if (in >= 0 && t >= 0 && t < best)
            best = t;
    }
    return best;
}

static void check_surface(const form *f, const tl_ray *ray, const tl_ray_hit *hit)
{
    double o[3], d[3], n[3], margin;
    local_ray(f, ray, o, d);
    const double t = first_triangle(f, o, d, &margin);
    if (margin < 1e-9)
        return; /* along an edge either is right */
    assert_int_equal(hit->body.index != 0, t < INFINITY);
    if (!hit->body.index)
        return;
    assert_near(hit->distance, t, 1e-11);
    form_in(f, hit->normal, false, n);
    assert_below(dot3(n, d), 0);
    if (f->kind == FORM_PARALLELOGRAM)
        return;
    assert_in_range(hit->triangle, 0, f->triangles - 1);
}

static void test_shapes(void **state)
{
    (void)state;
    enum { RAYS = 250 };
    static form f;
    dice d = {7};
    for (int kind = 0; kind < FORM_KINDS; kind++) {
        int hits = 0;
        for (int round = 0; round < (WATCHED ? 2 : 8); round++) {
            tl_scene *scene = plain_scene();
            roll_form(scene, &d, (form_kind)kind, &f);
            const tl_body body = add_form(scene, &f);
            tl_world *world = world_of(scene);
            tl_ray rays[RAYS];
            tl_ray_hit all[RAYS];
            for (int i = 0; i < RAYS; i++)
                rays[i] = roll_ray(&d);
            assert_ok(tl_world_cast_rays(world, RAYS, rays, all));
            for (int i = 0; i < RAYS; i++) {
                context("kind %d, round %d, ray %d", kind, round, i);
                if (all[i].body.index) {
                    assert_int_equal(all[i].body.index, body.index);
                    assert_int_equal(all[i].shape, 0);
                    hits++;
                }
                double o[3];
                form_in(&f, rays[i].origin, true, o);
                if (kind == FORM_PLANE && o[2] < 0) {
                    assert_true(all[i].inside && all[i].distance == 0);
                    continue;
                }
                if (form_is_surface((form_kind)kind))
                    check_surface(&f, &rays[i], &all[i]);
                else
                    check_solid(&f, &rays[i], &all[i], 1e-10);
            }
            tl_world_destroy(world);
        }
        context("kind %d", kind);
        assert_in_range(hits, WATCHED ? 12 : 50, 8 * RAYS);
    }
}

/* Known numbers. */
static void test_closed_forms(void **state)
{
    (void)state;
    tl_scene *scene = plain_scene();
    tl_shape_def shapes[7] = {tl_sphere_default(0.5),       tl_box_default(0.5, 0.25, 1),
                              tl_capsule_default(0.25, 1),  tl_cylinder_default(0.5, 1),
                              tl_cone_default(1, 1),        tl_ellipsoid_default(1, 2, 0.5),
                              tl_box_default(0.5, 0.5, 0.5)};
    shapes[6].rounding = 0.125;
    for (int i = 0; i < 7; i++)
        add_fixed(scene, shapes[i], (tl_material){0}, (double[3]){10.0 * i, 0, 0},
                  (double[4]){1, 0, 0, 0});
    tl_world *world = world_of(scene);
    const double half = sqrt(0.5);
    const struct {
        uint32_t body;
        double origin[3], direction[3], distance, normal[3];
    } known[] = {
        {1, {0, 0, 5}, {0, 0, -3}, 4.5, {0, 0, 1}},
        {1, {5, 0, 0.3}, {-1, 0, 0}, 4.6, {0.8, 0, 0.6}},
        {2, {10, 3, 0}, {0, -1, 0}, 2.75, {0, 1, 0}},
        {2, {10.4, 0.2, 3}, {0, 0, -1}, 2, {0, 0, 1}},
        {3, {20, 5, 0.5}, {0, -1, 0}, 4.75, {0, 1, 0}},
        {3, {20, 0, 5}, {0, 0, -1}, 3.75, {0, 0, 1}},
        {3, {20, 0.15, 5}, {0, 0, -1}, 3.8, {0, 0.6, 0.8}},
        {4, {30.3, 5, 0}, {0, -1, 0}, 4.6, {0.6, 0.8, 0}},
        {4, {30.3, 0, -5}, {0, 0, 2}, 4, {0, 0, -1}},
        {5, {40, 0, 5}, {0, 0, -1}, 4, {0, 0, 1}},
        {5, {45, 0, 0}, {-1, 0, 0}, 4.5, {2 / sqrt(5), 0, 1 / sqrt(5)}},
        {5, {40.5, 0, 5}, {0, 0, -1}, 5, {2 / sqrt(5), 0, 1 / sqrt(5)}},
        {5, {40.5, 0, -5}, {0, 0, 1}, 4, {0, 0, -1}},
        {6, {50, 0, 5}, {0, 0, -1}, 4.5, {0, 0, 1}},
        {6, {50, 5, 0}, {0, -1, 0}, 3, {0, 1, 0}},
        {7, {60, 0, 5}, {0, 0, -1}, 4.5, {0, 0, 1}},
        /* through the middle of a rounded edge, on its diagonal */
        {7, {61, 0, 1}, {-1, 0, -1}, sqrt(2) - (0.375 * sqrt(2) + 0.125), {half, 0, half}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const tl_ray ray = ray_from(known[i].origin, known[i].direction);
        const tl_ray_hit hit = cast_one(world, &ray);
        context("ray %zu", i);
        assert_int_equal(hit.body.index, known[i].body);
        assert_near(hit.distance, known[i].distance, 1e-12);
        for (int k = 0; k < 3; k++)
            assert_near(hit.normal[k], known[i].normal[k], 1e-12);
    }
    tl_world_destroy(world);
}

/* ---- From inside, ignored bodies, how far ---- */

static void test_inside(void **state)
{
    (void)state;
    static form f;
    dice d = {3};
    for (int kind = 0; kind < FORM_KINDS; kind++) {
        if (form_is_surface((form_kind)kind) || kind == FORM_PLANE)
            continue;
        context("kind %d", kind);
        tl_scene *scene = plain_scene();
        roll_form(scene, &d, (form_kind)kind, &f);
        add_form(scene, &f);
        tl_world *world = world_of(scene);
        for (int i = 0; i < 50; i++) {
            double o[3], direction[3], p[3] = {0, 0, 0}, n[3];
            roll3(&d, -0.05, 0.05, p);
            if (!(form_outside(&f, p) < -0.01))
                continue;
            form_out(&f, p, true, o);
            roll_direction(&d, direction);
            tl_ray ray = ray_from(o, direction);
            tl_ray_hit hit = cast_one(world, &ray);
            assert_true(hit.inside && hit.distance == 0 && hit.body.index == 1);
            add3(hit.normal, 1, direction, n);
            assert_near(norm3(n), 0, 1e-14);
            /* hollow: out through the surface, whose inner side faces the ray */
            ray.hollow = true;
            hit = cast_one(world, &ray);
            assert_true(hit.inside && hit.distance > 0.001);
            form_in(&f, hit.point, true, p);
            assert_near(form_outside(&f, p), 0, 1e-10);
            assert_below(dot3(hit.normal, direction), 0);
            /* the same point from outside */
            double back[3] = {-direction[0], -direction[1], -direction[2]}, far[3];
            add3(o, 6, direction, far);
            ray = ray_from(far, back);
            assert_near(cast_one(world, &ray).distance, 6 - hit.distance, 1e-10);
        }
        tl_world_destroy(world);
    }
}

static void test_options(void **state)
{
    (void)state;
    tl_scene *scene = plain_scene();
    const tl_shape_def ball = tl_sphere_default(0.5);
    tl_body bodies[3];
    for (int i = 0; i < 3; i++)
        bodies[i] = add_fixed(scene, ball, (tl_material){0}, (double[3]){0, 0, 2.0 * i},
                              (double[4]){1, 0, 0, 0});
    tl_world *world = world_of(scene);
    tl_ray ray = ray_from((double[3]){0, 0, 10}, (double[3]){0, 0, -1e-200});
    tl_ray_hit hit = cast_one(world, &ray);
    assert_int_equal(hit.body.index, bodies[2].index);
    assert_near(hit.distance, 5.5, 1e-14);
    ray.ignore = bodies[2];
    hit = cast_one(world, &ray);
    assert_int_equal(hit.body.index, bodies[1].index);
    assert_near(hit.distance, 7.5, 1e-14);
    ray.max_distance = 7.5;
    assert_int_equal(cast_one(world, &ray).body.index, bodies[1].index);
    ray.max_distance = nextafter(7.5, 0);
    hit = cast_one(world, &ray);
    assert_true(hit.body.index == 0 && hit.body.generation == 0 && !hit.inside);
    assert_true(hit.distance == ray.max_distance && hit.normal[2] == 0 && hit.point[2] == 0);
    assert_int_equal(hit.triangle, TL_NO_TRIANGLE);
    tl_world_destroy(world);

    /* of equal shapes in one place, the first */
    scene = plain_scene();
    for (int i = 0; i < 9; i++)
        add_fixed(scene, ball, (tl_material){0}, (double[3]){0, 0, 0}, (double[4]){1, 0, 0, 0});
    world = world_of(scene);
    tl_ray rays[6];
    tl_ray_hit hits[6];
    for (int i = 0; i < 6; i++)
        rays[i] = ray_from((double[3]){0, 0.1 * i, 3}, (double[3]){0, 0, -1});
    assert_ok(tl_world_cast_rays(world, 6, rays, hits));
    for (int i = 0; i < 6; i++)
        assert_int_equal(hits[i].body.index, 1);
    /* and nobody is there */
    tl_body all[9];
    assert_ok(tl_world_list_bodies(world, 9, all));
    assert_ok(tl_world_remove_bodies(world, 9, all));
    assert_ok(tl_world_cast_rays(world, 6, rays, hits));
    for (int i = 0; i < 6; i++)
        assert_true(hits[i].body.index == 0 && hits[i].distance == INFINITY);
    assert_ok(tl_world_cast_rays(world, 0, NULL, NULL));
    tl_world_destroy(world);
}

/* ---- What does not matter ---- */

enum { CROWD = 400, MANY = 3000 };

/* Shapes of every kind, a crowd of them, some in compounds; moved by a rigid motion. */
static tl_world *crowd(uint32_t threads, const double turned[4], const double moved[3])
{
    static form f;
    dice d = {11};
    tl_settings settings = tl_settings_default();
    settings.threads = threads;
    tl_scene *scene = scene_with(&settings);
    for (int i = 0; i < CROWD; i++) {
        double at[3], x[3], q[4];
        roll_form(scene, &d, (form_kind)(i % FORM_KINDS), &f);
        roll3(&d, -6, 6, at);
        if (f.kind == FORM_PLANE && i > FORM_KINDS)
            continue;
        if (f.kind == FORM_PLANE) { /* one, and below the others */
            const double upright[4] = {1, 0, 0, 0};
            at[2] = -7;
            memcpy(f.orientation, upright, sizeof upright);
            memcpy(f.def.orientation, upright, sizeof upright);
        }
        rotate(turned, 1, at, x);
        add3(x, 1, moved, f.position);
        const double *a = turned, *b = f.orientation;
        q[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
        q[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
        q[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
        q[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
        tl_shape_def two[2] = {f.def, tl_sphere_default(0.2)};
        tl_body_def def = tl_body_default();
        def.kind = TL_FIXED;
        def.shapes = two;
        def.shape_count = 1 + (i % 3 == 0 && f.kind != FORM_PLANE);
        memcpy(def.position, f.position, sizeof def.position);
        memcpy(def.orientation, q, sizeof q);
        add_body(scene, &def);
    }
    return world_of(scene);
}

static void crowd_rays(tl_ray *rays, const double turned[4], const double moved[3])
{
    dice d = {5};
    for (int i = 0; i < MANY; i++) {
        double o[3], v[3], x[3];
        roll3(&d, -7, 7, o);
        roll_direction(&d, v);
        rays[i] = tl_ray_default();
        rotate(turned, 1, o, x);
        add3(x, 1, moved, rays[i].origin);
        rotate(turned, 1, v, rays[i].direction);
        rays[i].hollow = i % 3 == 0;
        rays[i].max_distance = i % 5 ? INFINITY : 4;
    }
}

static const double no_turn[4] = {1, 0, 0, 0}, no_move[3] = {0, 0, 0};

static void test_tree(void **state)
{
    (void)state;
    static tl_ray rays[MANY];
    static tl_ray_hit one[MANY], many[MANY], other[MANY];
    tl_world *world = crowd(1, no_turn, no_move), *threads = crowd(3, no_turn, no_move);
    crowd_rays(rays, no_turn, no_move);
    int hits = 0;
    for (int i = 0; i < MANY; i++) {
        assert_ok(tl_world_cast_rays(world, 1, &rays[i], &one[i])); /* no tree is there yet */
        hits += one[i].body.index != 0;
    }
    assert_in_range(hits, MANY / 2, MANY - 50);
    assert_ok(tl_world_cast_rays(world, MANY, rays, many));
    assert_memory_equal(one, many, sizeof one);
    assert_ok(tl_world_cast_rays(threads, MANY, rays, other));
    assert_memory_equal(one, other, sizeof one);
    assert_int_equal(tl_world_hash(world), tl_world_hash(threads));
    tl_world_destroy(world);
    tl_world_destroy(threads);
}

static void test_rigid_motion(void **state)
{
    (void)state;
    static tl_ray rays[MANY], there[MANY];
    static tl_ray_hit hits[MANY], moved_hits[MANY];
    const double moves[2][3] = {{3, -2, 5}, {10000, -7000, 4000}};
    tl_world *world = crowd(1, no_turn, no_move);
    crowd_rays(rays, no_turn, no_move);
    assert_ok(tl_world_cast_rays(world, MANY, rays, hits));
    for (int m = 0; m < 2; m++) {
        double q[4];
        turn((double[3]){1, -2, 0.5}, 1.1, q);
        tl_world *moved = crowd(1, q, moves[m]);
        crowd_rays(there, q, moves[m]);
        assert_ok(tl_world_cast_rays(moved, MANY, there, moved_hits));
        int grazed = 0;
        for (int i = 0; i < MANY; i++) {
            double n[3];
            context("motion %d, ray %d", m, i);
            rotate(q, 1, hits[i].normal, n);
            /* what touches a ray in a point, or lies along an edge, may be met or not */
            if (moved_hits[i].body.index != hits[i].body.index ||
                moved_hits[i].shape != hits[i].shape || distance3(n, moved_hits[i].normal) > 1e-6) {
                grazed++;
                continue;
            }
            if (hits[i].distance < INFINITY)
                assert_near(moved_hits[i].distance, hits[i].distance,
                            (m ? 1e-8 : 1e-9) * fmax(1, hits[i].distance));
        }
        assert_in_range(grazed, 0, m ? 8 : 4);
        tl_world_destroy(moved);
    }
    tl_world_destroy(world);
}

/* Where the balls are, a ray from above hits each. */
static void see_balls(tl_world *world, const tl_body *balls, int count, tl_ray *rays,
                      tl_ray_hit *hits)
{
    for (int i = 0; i < count; i++) {
        double x[3];
        rays[i] = ray_from((double[3]){0, 0, 5}, (double[3]){0, 0, -1});
        if (!tl_world_has_body(world, balls[i]))
            continue;
        position_of(world, balls[i], x);
        rays[i].origin[0] = x[0] + 0.03;
        rays[i].origin[1] = x[1] + 0.04;
    }
    assert_ok(tl_world_cast_rays(world, (size_t)count, rays, hits));
    for (int i = 0; i < count; i++) {
        double x[3];
        if (!tl_world_has_body(world, balls[i]))
            continue;
        context("ball %d", i);
        position_of(world, balls[i], x);
        assert_int_equal(hits[i].body.index, balls[i].index);
        assert_near(hits[i].distance, 5 - x[2] - sqrt(0.01 - 0.0025), 1e-12);
    }
}

/* Bodies fly, come and go; the tree follows. */
static void test_present_state(void **state)
{
    (void)state;
    enum { RAYS = 60 };
    tl_settings settings = tl_settings_default();
    settings.threads = 1;
    tl_scene *scene = scene_with(&settings);
    add_floor(scene, (tl_material){0});
    tl_body balls[RAYS];
    for (int i = 0; i < RAYS; i++)
        balls[i] = add_sphere(scene, (tl_material){0}, 0.1, 1,
                              (double[3]){0.5 * (i % 8), 0.5 * (i / 8), 1},
                              (double[3]){i % 3 - 1.0, i % 5 - 2.0, 2});
    tl_world *world = world_of(scene);
    tl_ray rays[RAYS];
    tl_ray_hit hits[RAYS];
    for (int round = 0; round < 5; round++) {
        see_balls(world, balls, RAYS, rays, hits);
        if (round == 2) {
            for (int i = 1; i < RAYS; i += 4)
                assert_ok(tl_world_remove_bodies(world, 1, &balls[i]));
        } else if (round == 3) {
            tl_body_def def = tl_body_default();
            const tl_shape_def ball = tl_sphere_default(0.1);
            def.shapes = &ball;
            def.shape_count = 1;
            def.position[0] = 9;
            def.position[2] = 2;
            assert_ok(tl_world_add_bodies(world, 1, &def, &balls[1]));
        } else {
            step(world, 15);
        }
    }
    /* and nothing that was asked changes what follows */
    void *snapshot;
    size_t bytes;
    tl_world *same;
    assert_ok(tl_world_save(world, &snapshot, &bytes));
    assert_ok(tl_world_load(snapshot, bytes, &same));
    for (int i = 0; i < 30; i++) {
        assert_ok(tl_world_cast_rays(world, RAYS, rays, hits));
        step(world, 1);
        step(same, 1);
        assert_int_equal(tl_world_hash(world), tl_world_hash(same));
    }
    tl_snapshot_free(snapshot, bytes);
    tl_world_destroy(world);
    tl_world_destroy(same);
}

/* No ray slips through between triangles: through vertices, along edges, straight and askew. */
static void test_watertight(void **state)
{
    (void)state;
    enum { N = 24, SIDE = N + 1 };
    static double z[SIDE * SIDE], v[SIDE * SIDE][3];
    static uint32_t t[2 * N * N][3];
    dice d = {2};
    for (int kind = 0; kind < 2; kind++) {
        tl_scene *scene = plain_scene();
        tl_geometry g;
        size_t count = 0;
        for (int i = 0; i < SIDE * SIDE; i++) {
            z[i] = roll(&d, -0.02, 0.02);
            v[i][0] = 0.1 * (i % SIDE), v[i][1] = 0.1 * (i / SIDE), v[i][2] = z[i];
        }
        for (uint32_t j = 0; j < N; j++)
            for (uint32_t i = 0; i < N; i++) {
                const uint32_t a = j * SIDE + i;
                memcpy(t[count++], (uint32_t[3]){a, a + 1, a + SIDE + 1}, sizeof t[0]);
                memcpy(t[count++], (uint32_t[3]){a, a + SIDE + 1, a + SIDE}, sizeof t[0]);
            }
        tl_mesh_def def = tl_mesh_default();
        tl_mesh *mesh;
        def.vertex_count = SIDE * SIDE;
        def.vertices = v[0];
        def.triangle_count = count;
        def.triangles = t[0];
        assert_ok(tl_mesh_create(&def, &mesh));
        if (kind)
            assert_ok(tl_scene_add_mesh(scene, mesh, &g));
        else
            assert_ok(
                tl_scene_add_heights(scene, &(tl_heights_def){SIDE, SIDE, {0.1, 0.1}, z}, &g));
        tl_mesh_destroy(mesh);
        double q[4];
        turn((double[3]){1, 2, 3}, 0.7, q);
        add_fixed(scene, kind ? tl_mesh_shape_default(g) : tl_heights_default(g), (tl_material){0},
                  (double[3]){1, 2, 3}, q);
        tl_world *world = world_of(scene);
        for (int i = 0; i < 4000; i++) {
            /* to a vertex, or a point of an edge, of the inner ones */
            const size_t k =
                (size_t)(roll(&d, 1, N - 0.001)) * SIDE + (size_t)roll(&d, 1, N - 0.001);
            const size_t step = (size_t[4]){0, 1, SIDE, SIDE + 1}[i % 4];
            const double part = roll(&d, 0, 1);
            double p[3], from[3], o[3], direction[3], tilt[3];
            for (int c = 0; c < 3; c++)
                p[c] = v[k][c] + part * (v[k - step][c] - v[k][c]);
            roll3(&d, -0.3, 0.3, tilt);
            tilt[2] = i % 3 ? 1 : -1;
            if (i % 5 == 0)
                tilt[0] = tilt[1] = 0;
            add3(p, 2, tilt, from);
            rotate(q, 1, from, o);
            for (int c = 0; c < 3; c++)
                tilt[c] = -tilt[c];
            rotate(q, 1, tilt, direction);
            add3(o, 1, (double[3]){1, 2, 3}, o);
            const tl_ray ray = ray_from(o, direction);
            const tl_ray_hit hit = cast_one(world, &ray);
            context("kind %d, ray %d", kind, i);
            assert_int_equal(hit.body.index, 1);
            assert_int_equal(hit.inside, i % 3 == 0);
            assert_near(hit.distance, 2 * norm3(tilt), 0.15);
        }
        tl_world_destroy(world);
    }
}

/* ---- Refusals ---- */

static void test_refusals(void **state)
{
    (void)state;
    tl_world *world = five(TL_MIXED);
    tl_ray rays[2] = {tl_ray_default(), tl_ray_default()};
    tl_ray_hit hits[2];
    assert_refused(tl_world_cast_rays(NULL, 2, rays, hits), TL_BAD_ARGUMENT,
                   "tl_world_cast_rays: world is NULL");
    assert_refused(tl_world_cast_rays(world, 2, NULL, hits), TL_BAD_ARGUMENT,
                   "tl_world_cast_rays: rays is NULL");
    assert_refused(tl_world_cast_rays(world, 2, rays, NULL), TL_BAD_ARGUMENT,
                   "tl_world_cast_rays: hits is NULL");
    rays[1].origin[1] = NAN;
    memset(hits, 1, sizeof hits);
    assert_refused(tl_world_cast_rays(world, 2, rays, hits), TL_BAD_ARGUMENT,
                   "rays[1].origin is (0, nan, 0); each must be less than 1e12 from 0");
    assert_true(hits[0].body.index == 0 && hits[0].distance == 0);
    rays[1] = tl_ray_default();
    rays[1].origin[2] = -1e12;
    assert_refused(tl_world_cast_rays(world, 2, rays, hits), TL_BAD_ARGUMENT,
                   "rays[1].origin is (0, 0, -1e+12); each must be less than 1e12 from 0");
    rays[1] = tl_ray_default();
    rays[1].direction[2] = 0;
    assert_refused(tl_world_cast_rays(world, 2, rays, hits), TL_BAD_ARGUMENT,
                   "rays[1].direction is (0, 0, 0); it must be finite and not 0");
    rays[1].direction[0] = INFINITY;
    assert_refused(tl_world_cast_rays(world, 2, rays, hits), TL_BAD_ARGUMENT,
                   "rays[1].direction is (inf, 0, 0); it must be finite and not 0");
    rays[1] = tl_ray_default();
    rays[1].max_distance = -1e-3;
    assert_refused(tl_world_cast_rays(world, 2, rays, hits), TL_BAD_ARGUMENT,
                   "rays[1].max_distance is -0.001; it must be >= 0");
    rays[1].max_distance = NAN;
    assert_refused(tl_world_cast_rays(world, 2, rays, hits), TL_BAD_ARGUMENT,
                   "rays[1].max_distance is nan; it must be >= 0");
    rays[1] = tl_ray_default();
    rays[1].ignore = (tl_body){9, 1};
    assert_refused(tl_world_cast_rays(world, 2, rays, hits), TL_BAD_HANDLE,
                   "rays[1].ignore (index 9, generation 1) is no body of this world");
    assert_int_equal(tl_last_error().bodies[0].index, 9);
    rays[1].ignore = (tl_body){0, 0};
    assert_ok(tl_world_cast_rays(world, 2, rays, hits));
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        one_thread_test(test_shapes),         cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_inside),        cmocka_unit_test(test_options),
        cmocka_unit_test(test_tree),          cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_present_state), cmocka_unit_test(test_watertight),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
