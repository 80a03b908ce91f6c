/* Friction that depends on the direction, by an ellipsoid in a body's frame, of the exact steppers:
 * against closed forms of what slides and of what sticks. */
#include "support.h"

static const double upright[4] = {1, 0, 0, 0};

static tl_settings settings_of(tl_stepper stepper, bool cone)
{
    tl_settings s = tl_settings_default();
    s.stepper = stepper;
    s.precision = TL_DOUBLE;
    s.threads = 1;
    s.exact.cone = cone;
    return s;
}

static tl_material add_uneven(tl_scene *scene, double friction, double x, double y, double z)
{
    tl_material_def def = tl_material_default();
    tl_material material;
    def.friction = friction;
    def.friction_ellipsoid[0] = x;
    def.friction_ellipsoid[1] = y;
    def.friction_ellipsoid[2] = z;
    assert_ok(tl_scene_add_material(scene, &def, &material));
    return material;
}

/* A fixed plane, turned by an angle about its normal. */
static void add_plane(tl_scene *scene, tl_material material, double angle)
{
    tl_shape_def plane = tl_plane_default();
    tl_body_def def = tl_body_default();
    plane.material = material;
    def.kind = TL_FIXED;
    def.shape_count = 1;
    def.shapes = &plane;
    turn((double[3]){0, 0, 1}, angle, def.orientation);
    add_body(scene, &def);
}

static tl_body add_slider(tl_scene *scene, tl_material material, const tl_shape_def *shapes,
                          uint32_t count, double z, const double q[4], const double v[3])
{
    tl_shape_def own[2];
    tl_body_def def = tl_body_default();
    for (uint32_t i = 0; i < count; i++) {
        own[i] = shapes[i];
        own[i].material = material;
    }
    def.shape_count = count;
    def.shapes = own;
    def.mass = 2;
    def.position[2] = z;
    memcpy(def.velocity, v, sizeof def.velocity);
    memcpy(def.orientation, q, sizeof def.orientation);
    return add_body(scene, &def);
}

/* A particle slides on an even plane with dv/dt = -mu g E^2 v / |E v|, E the semi-axes: friction
 * dissipates the most it can. So vy / vy0 = (vx / vx0)^((ey / ex)^2), and the power lost is that of
 * |E v|. */
static void slides(void **state)
{
    (void)state;
    const claim c = {"a particle slides on a plane with an ellipse of friction",
                     "vy / vy0 = (vx / vx0)^((ey / ex)^2)", "greatest difference of vy, m/s",
                     "mu 0.3, semi-axes 1 and 0.5, from 2.2 m/s, h = 0.1 ms, 0.4 s"};
    const double mu = 0.3, ex = 1, ey = 0.5, angle = 0.7, h = 1e-4, v0[2] = {2, 1};
    for (int i = 0; i < 2; i++) {
        tl_settings s = settings_of(i ? TL_STEPPER_PEG : TL_STEPPER_STEWART_TRINKLE, true);
        s.step = h;
        tl_scene *scene = scene_with(&s);
        const tl_shape_def point = tl_point_default();
        add_plane(scene, add_uneven(scene, mu, ex, ey, 3), angle);
        const double start[3] = {v0[0] * cos(angle) - v0[1] * sin(angle),
                                 v0[0] * sin(angle) + v0[1] * cos(angle), 0};
        const tl_body body =
            add_slider(scene, add_uneven(scene, mu, 1, 1, 1), &point, 1, 0, upright, start);
        tl_world *world = world_of(scene);
        double v[3], along[2], lost = 0, most = 0;
        context("slides, %s", tl_words(TL_WORDS_STEPPER)[s.stepper]);
        for (int k = 0; k < 4000; k++) {
            assert_ok(tl_world_step(world, 1, NULL));
            velocity_of(world, body, v);
            along[0] = v[0] * cos(angle) + v[1] * sin(angle);
            along[1] = v[1] * cos(angle) - v[0] * sin(angle);
            lost += h * mu * 9.81 * hypot(ex * along[0], ey * along[1]);
            const double law = v0[1] * pow(along[0] / v0[0], ey * ey / (ex * ex));
            most = fmax(most, fabs(along[1] - law));
        }
        const double gone =
            0.5 * (v0[0] * v0[0] + v0[1] * v0[1] - along[0] * along[0] - along[1] * along[1]);
        assert_found(&c, tl_words(TL_WORDS_STEPPER)[s.stepper], most, 0, 2e-4);
        assert_near(lost, gone, 1e-3 * gone);
        tl_world_destroy(world);
    }
}

/* What is on a floor under a gravity that leans by `lean` (tan) along an angle: whether it stays.
 */
static bool stays(const tl_settings *settings, double floor_angle, const double floor_axes[3],
                  const double own_axes[3], bool compound, double lean, double angle)
{
    tl_settings s = *settings;
    const tl_shape_def box = tl_box_default(0.2, 0.2, 0.02);
    tl_shape_def two[2] = {tl_box_default(0.1, 0.1, 0.02), tl_box_default(0.1, 0.1, 0.02)};
    const double still[3] = {0, 0, 0};
    double q[4], v[3];
    two[0].position[0] = two[0].position[1] = 0.3;
    two[1].position[0] = two[1].position[1] = -0.3;
    s.gravity[0] = 9.81 * lean * cos(angle);
    s.gravity[1] = 9.81 * lean * sin(angle);
    tl_scene *scene = scene_with(&s);
    turn((double[3]){0, 0, 1}, floor_angle, q);
    add_plane(scene, add_uneven(scene, 0.4, floor_axes[0], floor_axes[1], floor_axes[2]),
              floor_angle);
    const tl_material own = add_uneven(scene, 0.4, own_axes[0], own_axes[1], own_axes[2]);
    const tl_body body = add_slider(scene, own, compound ? two : &box, compound ? 2 : 1, 0.02,
                                    compound ? upright : q, still);
    tl_world *world = world_of(scene);
    assert_ok(tl_world_step(world, 20, NULL));
    velocity_of(world, body, v);
    tl_world_destroy(world);
    return hypot(v[0], v[1]) < 1e-6;
}

/* On the brink of sliding in all directions: the radius of the ellipse. Factors of two surfaces
 * with the same axes multiply, and a body's axes are those of its own frame, not of its inertia. */
static void sticks(void **state)
{
    (void)state;
    static const double even[3] = {1, 1, 1}, wide[3] = {1, 0.25, 2}, long_[3] = {0.5, 1, 1};
    for (int i = 0; i < 36; i++) {
        const double angle = 2 * PI * (i % 12) / 12, floor_angle = i < 12 ? 0 : 0.4;
        const bool both = i >= 24, compound = i < 12;
        const tl_settings s =
            settings_of(i % 2 ? TL_STEPPER_PEG : TL_STEPPER_STEWART_TRINKLE, true);
        const double ex = both ? 0.5 : 1, ey = 0.25, way = angle - floor_angle;
        const double most = 0.4 / hypot(cos(way) / ex, sin(way) / ey);
        const double *floor_axes = compound ? even : wide;
        const double *own_axes = compound ? wide : both ? long_ : even;
        context("sticks, %d", i);
        assert_true(stays(&s, floor_angle, floor_axes, own_axes, compound, 0.999 * most, angle));
        assert_true(!stays(&s, floor_angle, floor_axes, own_axes, compound, 1.001 * most, angle));
    }
    /* the pyramid has corners on the main axes, and 2 directions in a planar world */
    for (int i = 0; i < 3; i++) {
        tl_settings s = settings_of(TL_STEPPER_PEG, false);
        const double most = i == 1 ? 0.1 : 0.4, angle = i == 1 ? PI / 2 : 0;
        s.planar = i == 2 ? TL_PLANAR_XZ : TL_PLANAR_NONE;
        context("sticks, pyramid %d", i);
        assert_true(stays(&s, 0, wide, even, false, 0.999 * most, angle));
        assert_true(!stays(&s, 0, wide, even, false, 1.001 * most, angle));
    }
}

/* Factors that are none, steppers that do not know them, and a snapshot. */
static void rules(void **state)
{
    (void)state;
    tl_settings s = settings_of(TL_STEPPER_PEG, true);
    tl_scene *scene = scene_with(&s);
    tl_material_def bad = tl_material_default();
    tl_material material;
    tl_world *world, *other;
    void *bytes;
    size_t size;
    bad.friction_ellipsoid[1] = 0;
    assert_refused(tl_scene_add_material(scene, &bad, &material), TL_BAD_ARGUMENT,
                   "material.friction_ellipsoid is (1, 0, 1); every factor must be 0.01 to 100");
    const tl_shape_def point = tl_point_default();
    add_plane(scene, add_uneven(scene, 0.4, 1, 0.25, 1), 0);
    add_slider(scene, (tl_material){0}, &point, 1, 0, upright, (double[3]){1, 1, 0});
    assert_ok(tl_world_create(scene, &world));
    assert_ok(tl_world_save(world, &bytes, &size));
    assert_ok(tl_world_load(bytes, size, &other));
    tl_snapshot_free(bytes, size);
    assert_ok(tl_world_step(world, 10, NULL));
    assert_ok(tl_world_step(other, 10, NULL));
    assert_true(tl_world_hash(world) == tl_world_hash(other));
    s.stepper = TL_STEPPER_DVI;
    assert_refused(tl_world_set_settings(world, &s), TL_BAD_ARGUMENT,
                   "settings.stepper is dvi; it must be stewart-trinkle or peg where materials "
                   "have a friction_ellipsoid");
    tl_world_destroy(world);
    tl_world_destroy(other);
    assert_ok(tl_scene_set_settings(scene, &s));
    assert_status(tl_world_create(scene, &world), TL_BAD_ARGUMENT);
    tl_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slides),
        cmocka_unit_test(sticks),
        cmocka_unit_test(rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
