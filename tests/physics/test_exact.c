/* The exact steppers against the closed form of document 003's experiments, and against what
 * mechanics says of inclines, rolling, tipping and impacts. */
#include "exact.h"
#include "scenes.h"

#include "physics/shapes.h"

static const tl_stepper steppers[2] = {TL_STEPPER_STEWART_TRINKLE, TL_STEPPER_PEG};

/* ---- The experiments ---- */

/* What a run of a course showed. */
typedef struct run_of {
    double end[2], gained, deepest, off, last; /* off: from the path; last: from its end */
    uint32_t least, most;                      /* problem sizes */
} run_of;

static double square(double x)
{
    return x * x;
}

/* The distance of a point from the exact path, by its points every 0.2 ms. */
static double from_path(const exact_course *course, const double x[2])
{
    static const char *known;
    static double path[15001][2];
    double least = INFINITY;
    if (known != course->name) {
        exact_state s = exact_begin(course);
        for (int i = 0; i <= 15000; i++) {
            exact_go(course, &s, 0.0002 * i);
            memcpy(path[i], s.x, sizeof s.x);
        }
        known = course->name;
    }
    for (int i = 0; i <= 15000; i++)
        least = fmin(least, square(x[0] - path[i][0]) + square(x[1] - path[i][1]));
    return sqrt(least);
}

static run_of run_course(const exact_course *course, tl_stepper stepper, double h, bool document,
                         bool primary)
{
    run_of out = {.least = UINT32_MAX};
    tl_scene *scene;
    tl_body body;
    assert_ok(exact_scene(course, stepper, h, document, &scene, &body));
    tl_settings settings = tl_scene_settings(scene);
    settings.exact.primary = primary;
    assert_ok(tl_scene_set_settings(scene, &settings));
    tl_world *world = world_of(scene);
    const int steps = (int)lround(course->duration / h);
    double before = INFINITY;
    for (int i = 0; i < steps; i++) {
        tl_report r;
        double x[3];
        assert_ok(tl_world_step(world, 1, &r));
        position_of(world, body, x);
        const double energy = r.kinetic_energy + r.potential_energy - course->force[0] * x[0];
        out.gained = fmax(out.gained, energy - before);
        before = energy;
        out.end[0] = x[0];
        out.end[1] = x[2];
        out.deepest = fmax(out.deepest, exact_depth(course, out.end));
        out.off = fmax(out.off, from_path(course, out.end));
        out.least = r.problem_size < out.least ? r.problem_size : out.least;
        out.most = r.problem_size > out.most ? r.problem_size : out.most;
    }
    exact_state end = exact_begin(course);
    exact_go(course, &end, course->duration);
    out.last = hypot(out.end[0] - end.x[0], out.end[1] - end.x[1]);
    tl_world_destroy(world);
    return out;
}

/* The closed form itself: when it lands, when it leaves peaks, where it is at 3 s. */
static void the_path_is_exact(void **state)
{
    (void)state;
    static const double when[] = {0.656929, 1.069672, 1.295434, 1.781521, 2.007283, 2.808060};
    exact_course course = exact_sawtooth();
    exact_state s = exact_begin(&course);
    for (size_t i = 0; i < sizeof when / sizeof *when; i++) {
        assert_true(exact_event(&course, &s, 3));
        assert_near(s.t, when[i], 5e-7);
    }
    exact_go(&course, &s, 3);
    assert_near(s.x[0], 4.136444, 5e-7);
    assert_near(s.x[1], -0.723882, 5e-7);
    course = exact_hills();
    s = exact_begin(&course);
    exact_go(&course, &s, 3);
    assert_near(s.x[0], 4.19997, 1e-5);
    assert_near(s.x[1], 0.28913, 1e-5);
}

static void sawtooth(void **state)
{
    (void)state;
    const exact_course course = exact_sawtooth();
    for (double h = 1e-3; h < 0.2; h *= 10) {
        context("sawtooth, PEG, h = %g", h);
        const run_of ours = run_course(&course, TL_STEPPER_PEG, h, false, false);
        assert_below(ours.last, 1.5 * h);
        assert_below(ours.off, 2 * h);
        assert_below(ours.deepest, 1e-12);
        assert_below(ours.gained, 1e-9);
        assert_int_equal(ours.least, 2);
    }
    const run_of coarse = run_course(&course, TL_STEPPER_PEG, 0.1, true, false);
    assert_near(coarse.deepest, 0.040, 0.0005);
    context("sawtooth, Stewart-Trinkle");
    run_of st = run_course(&course, TL_STEPPER_STEWART_TRINKLE, 1e-2, true, false);
    assert_near(st.gained, 227, 1);
    st = run_course(&course, TL_STEPPER_STEWART_TRINKLE, 1e-3, true, false);
    assert_near(st.gained, 24600, 50);
    context("sawtooth, eq. 16");
    const run_of one = run_course(&course, TL_STEPPER_PEG, 1e-3, true, true);
    assert_below(one.off, 0.02);
    assert_below(one.gained, 1e-9);
}

static void steep(void **state)
{
    (void)state;
    const exact_course course = exact_steep();
    for (double h = 1e-3; h < 0.05; h *= 10) {
        context("steep, PEG, h = %g", h);
        const run_of peg = run_course(&course, TL_STEPPER_PEG, h, true, false);
        assert_near(peg.end[0], 1, 1e-9);
        assert_near(peg.end[1], 0, 1e-9);
        assert_below(peg.gained, 1e-9);
    }
    context("steep, Stewart-Trinkle");
    run_of st = run_course(&course, TL_STEPPER_STEWART_TRINKLE, 0.1, true, false);
    assert_near(st.end[0], 1, 1e-9);
    assert_near(st.end[1], 0.45, 1e-9);
    st = run_course(&course, TL_STEPPER_STEWART_TRINKLE, 0.01, true, false);
    assert_true(st.gained > 100);
}

static void hills(void **state)
{
    (void)state;
    const exact_course course = exact_hills();
    context("hills");
    const run_of st = run_course(&course, TL_STEPPER_STEWART_TRINKLE, 1e-2, true, false);
    assert_near(st.gained, 75, 1);
    assert_near(st.end[0], 0.4, 2e-3);
    assert_near(st.end[1], 0.5787, 1e-3);
    const run_of peg = run_course(&course, TL_STEPPER_PEG, 1e-3, true, false);
    assert_below(peg.last, 0.003);
    for (int i = 0; i < 6; i++) { /* its energy never grows, however coarse steps are */
        const double h = i < 2 ? 1e-3 : i < 4 ? 1e-2 : 0.1;
        context("hills, PEG, h = %g, %d", h, i % 2);
        assert_below(run_course(&course, TL_STEPPER_PEG, h, i % 2, false).gained, 1e-9);
    }
    const run_of one = run_course(&course, TL_STEPPER_PEG, 1e-3, true, true);
    assert_near(one.last, 0.44, 0.02);
}

/* ---- Mechanics ---- */

static tl_settings settings_of(tl_stepper stepper, tl_planar planar)
{
    tl_settings s = tl_settings_default();
    s.stepper = stepper;
    s.planar = planar;
    s.precision = TL_DOUBLE;
    s.threads = 1;
    return s;
}

/* A shape on a floor under tilted gravity; returns how fast it goes along x after a second. */
static double slide(const tl_settings *settings, tl_shape_def shape, double friction, double height,
                    double angle, double about)
{
    tl_settings s = *settings;
    s.gravity[0] = G * sin(angle) * cos(about);
    s.gravity[1] = G * sin(angle) * sin(about);
    s.gravity[2] = -G * cos(angle);
    tl_scene *scene = scene_with(&s);
    const tl_material material = add_material(scene, friction, 0);
    add_floor(scene, material);
    const tl_body body = add_shape(scene, shape, material, (double[3]){0, 0, height}, upright);
    tl_world *world = world_of(scene);
    tl_report r;
    assert_ok(tl_world_step(world, 200, &r));
    assert_below(r.max_residual, 1e-8);
    double v[3];
    velocity_of(world, body, v);
    tl_world_destroy(world);
    return v[0] * cos(about) + v[1] * sin(about);
}

static void inclines(void **state)
{
    (void)state;
    const tl_shape_def box = tl_box_default(0.2, 0.2, 0.05);
    for (int i = 0; i < 4; i++) {
        const tl_settings s = settings_of(steppers[i % 2], i < 2 ? TL_PLANAR_NONE : TL_PLANAR_XZ);
        context("incline, %s, planar %d", tl_words(TL_WORDS_STEPPER)[s.stepper], s.planar);
        assert_near(slide(&s, box, 0.5, 0.05, atan(0.45), 0), 0, 1e-9);
        const double angle = atan(0.7);
        assert_near(slide(&s, box, 0.5, 0.05, angle, 0), G * (sin(angle) - 0.5 * cos(angle)), 1e-6);
    }
}

static void rolling(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const tl_settings s = settings_of(steppers[i % 2], i < 2 ? TL_PLANAR_NONE : TL_PLANAR_XZ);
        context("rolling, %s, planar %d", tl_words(TL_WORDS_STEPPER)[s.stepper], s.planar);
        assert_near(slide(&s, tl_sphere_default(0.1), 0.6, 0.1, 0.3, 0), 5.0 / 7 * G * sin(0.3),
                    1e-6);
    }
}

/* A block twice as high as wide tips over its edge where the slope is above 1 in 2, and not below.
 */
static void tipping(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        tl_settings s = settings_of(steppers[i % 2], i % 4 < 2 ? TL_PLANAR_NONE : TL_PLANAR_XZ);
        const double tilt = i < 4 ? 0.48 : 0.52;
        context("tipping, %s, planar %d, slope %g", tl_words(TL_WORDS_STEPPER)[s.stepper], s.planar,
                tilt);
        s.gravity[0] = tilt * G;
        s.gravity[2] = -G;
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 1, 0);
        add_floor(scene, material);
        const tl_body body =
            add_block(scene, material, (double[3]){0.1, 0.1, 0.2}, (double[3]){0, 0, 0.2}, upright);
        tl_world *world = world_of(scene);
        double w[3];
        assert_ok(tl_world_step(world, 100, NULL));
        assert_ok(tl_world_read_angular_velocities(world, 1, &body, w));
        if (i < 4)
            assert_near(w[1], 0, 1e-9);
        else
            assert_true(w[1] > 0.2);
        tl_world_destroy(world);
    }
}

/* A block that hangs over the edge of another tips off it where its centre is beyond the edge. */
static void overhang(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const tl_settings s = settings_of(TL_STEPPER_PEG, TL_PLANAR_NONE);
        const double x = i ? 0.22 : 0.18;
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0.5, 0);
        tl_shape_def below = tl_box_default(0.2, 0.2, 0.2);
        below.material = material;
        tl_body_def fixed = body_of(&below, 1000, (double[3]){0, 0, 0}, upright);
        fixed.kind = TL_FIXED;
        add_body(scene, &fixed);
        const tl_body body = add_block(scene, material, (double[3]){0.2, 0.2, 0.05},
                                       (double[3]){x, 0, 0.25}, upright);
        tl_world *world = world_of(scene);
        double w[3];
        context("overhang, centre at %g of 0.2", x);
        assert_ok(tl_world_step(world, 60, NULL));
        assert_ok(tl_world_read_angular_velocities(world, 1, &body, w));
        if (i)
            assert_true(w[1] > 0.3);
        else
            assert_near(w[1], 0, 1e-9);
        tl_world_destroy(world);
    }
}

/* An impact takes all of the approach and nothing else, at any angle, on a corner too. */
static void impacts(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        tl_settings s = settings_of(steppers[i], TL_PLANAR_NONE);
        context("impact, %s", tl_words(TL_WORDS_STEPPER)[s.stepper]);
        s.gravity[2] = 0;
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0, 0);
        add_floor(scene, material);
        tl_shape_def ball = tl_sphere_default(0.1);
        ball.material = material;
        tl_body_def def = body_of(&ball, 1000, (double[3]){0, 0, 0.2}, upright);
        def.velocity[0] = 1;
        def.velocity[2] = -3;
        const tl_body body = add_body(scene, &def);
        tl_world *world = world_of(scene);
        tl_report r;
        double v[3], x[3];
        assert_ok(tl_world_step(world, 40, &r));
        velocity_of(world, body, v);
        position_of(world, body, x);
        assert_near(v[0], 1, 1e-12);
        assert_near(v[2], 0, 1e-12);
        assert_near(x[2], 0.1, 1e-12);
        const double mass = 4.0 / 3 * PI * 1e-3 * 1000;
        assert_near(r.dissipated_energy, 0.5 * mass * 9, 1e-6 * mass);
        tl_world_destroy(world);
    }
}

/* The pyramid is within cos(pi / d) of the cone in every direction, and the cone is Coulomb's. */
static void pyramids(void **state)
{
    (void)state;
    const tl_shape_def box = tl_box_default(0.2, 0.2, 0.05);
    const double angle = atan(0.7), cone = 0.5 * cos(angle);
    double worst = 1;
    for (uint32_t d = 4; d <= 16; d *= 2)
        for (int k = 0; k < 7; k++) {
            tl_settings s = settings_of(TL_STEPPER_PEG, TL_PLANAR_NONE);
            s.exact.directions = d;
            context("pyramid of %u, direction %d", d, k);
            const double v = slide(&s, box, 0.5, 0.05, angle, 0.13 * k);
            const double friction = sin(angle) - v / G;
            assert_true(friction <= cone * (1 + 1e-9));
            assert_true(friction >= cone * cos(PI / d) * (1 - 1e-9));
            worst = fmin(worst, friction / cone / cos(PI / d));
            s.exact.cone = true;
            assert_near(slide(&s, box, 0.5, 0.05, angle, 0.13 * k), G * (sin(angle) - cone), 1e-6);
        }
    assert_true(worst < 1.05);
}

/* A heap of boxes by the cone and by psor: one step from the same state, with Coulomb's law. */
static tl_scene *heap(const tl_settings *settings, int boxes)
{
    tl_scene *scene = scene_with(settings);
    const tl_material material = add_material(scene, 0.5, 0);
    add_floor(scene, material);
    for (int i = 0; i < boxes; i++)
        add_block(scene, material, (double[3]){0.1, 0.1, 0.1},
                  (double[3]){0.201 * (i % 3), 0.201 * (i / 3 % 3), 0.1 + 0.2 * (i / 9)}, upright);
    return scene;
}

static void cone_and_psor(void **state)
{
    (void)state;
    double vz[2][3], vx[2][3];
    for (int i = 0; i < 2; i++) {
        tl_settings s = settings_of(i ? TL_STEPPER_PEG : TL_STEPPER_DVI, TL_PLANAR_NONE);
        s.exact.cone = true;
        s.solver.iterations = 20000;
        s.solver.tolerance = 1e-12;
        s.overlap = TL_OVERLAP_VELOCITY;
        s.recovery_fraction = 1;
        s.gravity[0] = 4;
        s.gravity[1] = 1.5;
        tl_scene *scene = scene_with(&s);
        const tl_material material = add_material(scene, 0.3, 0);
        add_floor(scene, material);
        tl_body body[3];
        for (int k = 0; k < 3; k++) {
            tl_shape_def ball = tl_sphere_default(0.1);
            ball.material = material;
            const tl_body_def def = body_of(
                &ball, 1000, (double[3]){0.2 * k, 0.01 * k, 0.1 + 0.15 * (k == 2)}, upright);
            body[k] = add_body(scene, &def);
        }
        tl_world *world = world_of(scene);
        assert_ok(tl_world_step(world, 3, NULL));
        for (int k = 0; k < 3; k++) {
            double v[3];
            velocity_of(world, body[k], v);
            vx[i][k] = v[0];
            vz[i][k] = v[1];
        }
        tl_world_destroy(world);
    }
    context("the cone and psor");
    for (int k = 0; k < 3; k++) {
        assert_near(vx[1][k], vx[0][k], 1e-6);
        assert_near(vz[1][k], vz[0][k], 1e-6);
    }
}

/* Boxes upon each other stay where they are, whether Lemke or Newton holds them. */
static void stacks(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        tl_settings s = settings_of(steppers[i % 2], TL_PLANAR_NONE);
        tl_report r;
        context("stack of %d, %s", i < 2 ? 2 : 27, tl_words(TL_WORDS_STEPPER)[s.stepper]);
        tl_scene *scene = heap(&s, i < 2 ? 1 : 27);
        tl_world *world = world_of(scene);
        assert_ok(tl_world_step(world, 10, &r));
        assert_below(r.max_residual, 1e-8);
        assert_below(r.kinetic_energy, 1e-12);
        assert_near(r.carried_weight, 1, 1e-6);
        assert_below(r.max_penetration, 1e-9);
        tl_world_destroy(world);
    }
}

/* Heaps of cubes that the default stepper has dropped into a box, with friction: PEG goes on with
 * them to the residual that it promises in every step, in a bounded number of iterations, with few
 * groups that no facet holds, and the heaps stay where they are. */
static void heaps(void **state)
{
    (void)state;
    double worst = 0;
    for (uint64_t seed = 1; seed <= (WATCHED ? 1 : 6); seed++) {
        pile_options pile = pile_of(PILE_CUBES);
        tl_scene *scene;
        tl_report r;
        pile.bodies = 60;
        pile.layers = 4;
        pile.seed = seed;
        pile.settings.precision = TL_DOUBLE;
        pile.settings.threads = 1;
        assert_ok(pile_scene(&pile, &scene));
        tl_world *world = world_of(scene);
        assert_ok(tl_world_step(world, 300, NULL));
        tl_settings s = tl_world_settings(world);
        s.stepper = TL_STEPPER_PEG;
        assert_ok(tl_world_set_settings(world, &s));
        for (int i = 0; i < 12; i++) {
            context("a heap of 60 cubes, seed %d, step %d", (int)seed, i);
            assert_ok(tl_world_step(world, 1, &r));
            assert_below(r.max_residual, 1e-8);
            assert_below(r.iterations, 4000);
            assert_below(r.unsettled_groups, 5);
            assert_below(r.max_penetration, 1e-3);
            worst = fmax(worst, r.max_residual);
        }
        assert_near(r.carried_weight, 1, 0.05);
        tl_world_destroy(world);
    }
    print_message("largest residual of all steps: %g m/s\n", worst);
}

/* ---- Overlap ---- */

static double most_overlap(bool polygons, double h)
{
    tl_settings s = settings_of(TL_STEPPER_PEG, polygons ? TL_PLANAR_XZ : TL_PLANAR_NONE);
    const int count = polygons ? 25 : 6;
    double most = 0;
    dice seed = {7};
    s.step = h;
    tl_scene *scene = scene_with(&s);
    const tl_material material = add_material(scene, 0.4, 0);
    add_floor(scene, material);
    for (int side = 0; side < 4; side++) {
        tl_shape_def wall = tl_box_default(0.1, 2, 4);
        const double x[4][3] = {{-1, 0, 4}, {1, 0, 4}, {0, -1, 4}, {0, 1, 4}};
        double q[4];
        turn((double[3]){0, 0, 1}, side < 2 ? 0 : PI / 2, q);
        wall.material = material;
        tl_body_def def = body_of(&wall, 1000, x[side], q);
        def.kind = TL_FIXED;
        if (side < 2 || !polygons)
            add_body(scene, &def);
    }
    for (int i = 0; i < count; i++) {
        double points[3 * 12];
        tl_geometry geometry;
        tl_shape_def shape;
        const int corners = 3 + i % 5;
        for (int k = 0; k < corners; k++) {
            const double angle = 2 * PI * k / corners, r = 0.1 + roll(&seed, 0, 0.05);
            points[2 * k] = r * cos(angle);
            points[2 * k + 1] = r * sin(angle);
        }
        if (polygons) {
            tl_polygon_def def = tl_polygon_default();
            def.count = (size_t)corners;
            def.vertices = points;
            def.depth = 0.2;
            assert_ok(tl_scene_add_polygon(scene, &def, &geometry));
            shape = tl_polygon_shape_default(geometry);
        } else {
            for (int k = 0; k < 36; k++)
                points[k] = roll(&seed, -0.15, 0.15);
            assert_ok(tl_scene_add_hull(scene, 12, points, &geometry));
            shape = tl_hull_default(geometry);
        }
        add_shape(scene, shape, material,
                  (double[3]){-0.6 + 0.32 * (i % 5), polygons ? 0 : 0.2 * (i % 3) - 0.2,
                              0.3 + 0.35 * (i / 5)},
                  upright);
    }
    tl_world *world = world_of(scene);
    for (double t = 0; t < 0.5; t += h) {
        tl_report r;
        assert_ok(tl_world_step(world, 1, &r));
        most = fmax(most, r.max_penetration);
    }
    tl_world_destroy(world);
    return most;
}

static void overlaps(void **state)
{
    (void)state;
    static const claim c[2] = {
        {"PEG: 25 random polygons fall in a box", "none: turns are not linear in a step",
         "greatest overlap, mm", "h = 1 to 16 ms, friction 0.4, 0.5 s; at most 100 h^2"},
        {"PEG: 6 random hulls of 12 points fall in a box", "none: turns are not linear in a step",
         "greatest overlap, mm", "h = 1 to 16 ms, friction 0.4, 0.5 s; at most 100 h^2"}};
    for (double h = 0.001; h < 0.02; h *= 2)
        for (int solid = 0; solid < 2; solid++) {
            char how[32];
            context("overlap of %s, h = %g", solid ? "hulls" : "polygons", h);
            snprintf(how, sizeof how, "h = %g ms", 1e3 * h);
            assert_found(&c[solid], how, 1e3 * most_overlap(!solid, h), 0, 1e3 * 100 * h * h);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_path_is_exact),
        cmocka_unit_test(sawtooth),
        cmocka_unit_test(steep),
        cmocka_unit_test(hills),
        cmocka_unit_test(inclines),
        cmocka_unit_test(rolling),
        cmocka_unit_test(tipping),
        cmocka_unit_test(overhang),
        cmocka_unit_test(impacts),
        cmocka_unit_test(pyramids),
        cmocka_unit_test(cone_and_psor),
        cmocka_unit_test(stacks),
        cmocka_unit_test(heaps),
        cmocka_unit_test(overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
