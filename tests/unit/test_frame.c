/* labels: threads */
/* Frames, shapes read back, and the two small calls beside them: other settings than the scene's,
 * and surfaces that change while a world runs. */
#include "support.h"

#include <pthread.h>

/* Every shape comes back as it was given, up to the way in which its orientation is written. */
static void test_shapes(void **state)
{
    (void)state;
    const tl_settings settings = tl_settings_default();
    tl_scene *scene = scene_with(&settings);
    dice d = {7};
    enum { BODIES = 60 };
    tl_shape_def given[BODIES][2];
    tl_body_def defs[BODIES];
    for (int i = 0; i < BODIES; i++) {
        defs[i] = tl_body_default();
        defs[i].kind = (tl_body_kind)(i % 3);
        defs[i].shape_count = i % 7 == 3 ? 2 : 1;
        defs[i].shapes = given[i];
        if (defs[i].kind == TL_DYNAMIC) /* its spheres need not be about the origin then */
            defs[i].mass = defs[i].inertia[0] = defs[i].inertia[1] = defs[i].inertia[2] = 1;
        roll3(&d, -100, 100, defs[i].position);
        for (int k = 0; k < 2; k++) {
            const double u[3] = {roll(&d, 1, 2), roll(&d, 0, 1), 0};
            const double v[3] = {0, roll(&d, 1, 2), roll(&d, 0, 1)};
            tl_shape_def kinds[4] = {tl_sphere_default(roll(&d, 0.1, 1)), tl_plane_default(),
                                     tl_box_default(roll(&d, 0.1, 1), roll(&d, 0.1, 1), 0.3),
                                     tl_parallelogram_default(u, v)};
            given[i][k] = kinds[defs[i].kind == TL_DYNAMIC ? 0 : i / 3 % 4];
            if (defs[i].kind != TL_DYNAMIC)
                roll_turn(&d, given[i][k].orientation);
            roll3(&d, -0.2, 0.2, given[i][k].position);
        }
    }
    assert_ok(tl_scene_add_bodies(scene, BODIES, defs, NULL));
    tl_world *world = world_of(scene);
    assert_ok(tl_world_remove_bodies(world, 1, &(tl_body){5, 1}));
    const size_t count = tl_world_shape_count(world);
    tl_shape_info shapes[2 * BODIES];
    assert_ok(tl_world_read_shapes(world, count, shapes));
    size_t at = 0;
    for (int i = 0; i < BODIES; i++) {
        for (uint32_t k = 0; i != 4 && k < defs[i].shape_count; k++, at++) {
            const tl_shape_def *want = &given[i][k], *got = &shapes[at].def;
            context("shape %u of body %d", k, i + 1);
            assert_int_equal(shapes[at].body.index, i + 1);
            assert_int_equal(shapes[at].kind, defs[i].kind);
            assert_int_equal(shapes[at].index, k);
            assert_int_equal(got->kind, want->kind);
            assert_near(got->radius, want->radius, 0);
            assert_near(distance3(got->position, want->position), 0, 0);
            assert_near(distance3(got->half_extents, want->half_extents), 0, 0);
            const double *edges[2][2] = {{got->edge_u, want->edge_u}, {got->edge_v, want->edge_v}};
            for (int e = 0; e < 2; e++) { /* turned, where the orientation was */
                double a[3], b[3];
                rotate(got->orientation, 1, edges[e][0], a);
                rotate(want->orientation, 1, edges[e][1], b);
                assert_near(distance3(a, b), 0, 1e-14);
            }
            for (int axis = 0; axis < 3 && (want->kind == TL_BOX || want->kind == TL_PLANE);
                 axis++) {
                const double unit[3] = {axis == 0, axis == 1, axis == 2};
                double a[3], b[3];
                rotate(got->orientation, 1, unit, a);
                rotate(want->orientation, 1, unit, b);
                assert_near(distance3(a, b), 0, 1e-14);
            }
        }
    }
    assert_int_equal(at, count);
    assert_refused(tl_world_read_shapes(world, 3, shapes), TL_BAD_ARGUMENT,
                   "tl_world_read_shapes: count is 3; this world has 68 shapes");
    tl_world_destroy(world);
}

/* A frame is what reading the world gives, of the bodies that move, in the order of handles. */
static void compare_frame(const tl_world *world, const tl_frame_view *view, uint32_t last)
{
    size_t at = 0;
    for (uint32_t index = 1; index <= last; index++) {
        const tl_body body = {index, 1};
        if (!tl_world_has_body(world, body) || index <= 5) /* the mixer's first five are walls */
            continue;
        double x[3], q[4], v[3], w[3];
        position_of(world, body, x);
        orientation_of(world, body, q);
        velocity_of(world, body, v);
        spin_of(world, body, w);
        assert_int_equal(view->bodies[at], index);
        for (int k = 0; k < 3; k++) {
            assert_near(view->positions[3 * at + k], x[k], 0);
            assert_near(view->velocities[3 * at + k], (float)v[k], 0);
            assert_near(view->angular_velocities[3 * at + k], (float)w[k], 0);
        }
        for (int k = 0; k < 4; k++)
            assert_near(view->orientations[4 * at + k], (float)q[k], 0);
        at++;
    }
    assert_int_equal(at, view->count);
}

typedef struct reading {
    tl_frame *frame;
    tl_frame_view view;
    tl_status status;
} reading;

static void *read_elsewhere(void *argument)
{
    reading *r = argument;
    r->status = tl_frame_read(r->frame, &r->view);
    return NULL;
}

static void frames(const variant *v)
{
    tl_settings settings = settings_for(v, 0.005);
    settings.solver.iterations = 8;
    settings.threads = 2;
    tl_world *world = world_of(mixer_scene(&settings, 200, 3)), *same = NULL;
    tl_frame *frame = NULL;
    void *snapshot = NULL;
    size_t bytes = 0;
    assert_ok(tl_frame_create(&frame));
    tl_frame_view view;
    assert_refused(tl_frame_read(frame, &view), TL_BAD_ARGUMENT,
                   "tl_frame_read: the frame is empty; tl_world_capture() fills it");
    for (int round = 0; round < 3; round++) {
        step(world, 20);
        if (round == 2)
            assert_ok(tl_world_remove_bodies(world, 2, (tl_body[2]){{9, 1}, {100, 1}}));
        assert_ok(tl_world_capture(world, frame));
        assert_ok(tl_world_save(world, &snapshot, &bytes));
        assert_ok(tl_world_load(snapshot, bytes, &same));
        tl_snapshot_free(snapshot, bytes);
        reading r = {.frame = frame};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, read_elsewhere, &r), 0);
        step(world, 5); /* the frame is of before */
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_status(r.status, TL_OK);
        assert_int_equal(r.view.steps, 25 * round + 20);
        assert_near(r.view.time, tl_world_time(same), 0);
        compare_frame(same, &r.view, 206);
        assert_int_equal(r.view.count, round == 2 ? 199 : 201);
        tl_world_destroy(same);
    }
    tl_world_destroy(world); /* a frame outlives it */
    assert_ok(tl_frame_read(frame, &view));
    assert_int_equal(view.count, 199);
    tl_frame_destroy(frame);
}

static void test_frames(void **state)
{
    (void)state;
    for_each_precision(frames);
}

/* A ball slides on a floor that turns slippery: it loses mu g h a step, then nothing. */
static void test_set_pair(void **state)
{
    (void)state;
    const variant v = variant_at(0);
    tl_scene *scene = scene_for(&v, 0.001);
    const tl_material ice = add_material(scene, 0.2, 0), wood = add_material(scene, 0.2, 0);
    add_floor(scene, ice);
    tl_body_def def = tl_body_default();
    tl_shape_def ball = tl_sphere_default(0.1);
    ball.material = wood;
    def.shape_count = 1;
    def.shapes = &ball;
    def.position[2] = 0.1;
    def.velocity[0] = 5;
    const tl_body body = add_body(scene, &def);
    tl_world *world = world_of(scene);
    double velocity[3];
    step(world, 100);
    velocity_of(world, body, velocity);
    assert_near(velocity[0], 5 - 0.2 * G * 0.1, 1e-9);
    tl_pair_def pair = {.friction = -1, .restitution = -1};
    assert_ok(tl_world_pair(world, ice, wood, &pair));
    assert_true(pair.friction == 0.2 && pair.restitution == 0);
    assert_ok(tl_world_set_pair(world, wood, ice, &(tl_pair_def){0}));
    assert_ok(tl_world_pair(world, ice, wood, &pair));
    assert_true(pair.friction == 0);
    assert_refused(tl_world_pair(world, (tl_material){9}, ice, &pair), TL_BAD_HANDLE,
                   "material a: 9 is no material of this scene (it has 2)");
    assert_refused(tl_world_pair(NULL, ice, ice, &pair), TL_BAD_ARGUMENT,
                   "tl_world_pair: world is NULL");
    assert_refused(tl_world_pair(world, ice, ice, NULL), TL_BAD_ARGUMENT,
                   "tl_world_pair: pair is NULL");
    step(world, 100);
    const double before = velocity[0];
    velocity_of(world, body, velocity);
    assert_near(velocity[0], before, 1e-12);
    assert_refused(tl_world_set_pair(world, wood, (tl_material){9}, &pair), TL_BAD_HANDLE,
                   "material b: 9 is no material of this scene (it has 2)");
    assert_status(tl_world_set_pair(world, wood, ice, &(tl_pair_def){.friction = -1}),
                  TL_BAD_ARGUMENT);
    tl_world_destroy(world);
}

static void test_create_with(void **state)
{
    (void)state;
    const tl_settings settings = tl_settings_default();
    tl_scene *scene = scene_with(&settings);
    add_sphere(scene, (tl_material){0}, 0.1, 1, (double[3]){0, 0, 0}, (double[3]){0, 0, 0});
    tl_settings other = settings;
    tl_world *world = NULL;
    double velocity[3];
    other.gravity[2] = -1.6;
    other.precision = TL_DOUBLE;
    assert_ok(tl_world_create_with(scene, &other, &world));
    step(world, 200);
    velocity_of(world, (tl_body){1, 1}, velocity);
    assert_near(velocity[2], -1.6, 1e-12);
    tl_world_destroy(world);
    other.step = -1;
    assert_status(tl_world_create_with(scene, &other, &world), TL_BAD_ARGUMENT);
    assert_null(world);
    tl_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_set_pair),
        cmocka_unit_test(test_create_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
