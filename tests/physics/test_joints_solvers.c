/* The same machines with contacts under all solvers: the same motion and the same forces. */
#include "joints.h"

static const tl_solver_kind kinds[5] = {TL_PSOR, TL_JACOBI, TL_APGD, TL_SPG, TL_INTERIOR};

static tl_joint_method method = TL_JOINTS_EXACT;

static tl_settings settings_of(tl_solver_kind kind, double h)
{
    const variant v = joint_variant();
    tl_settings s = settings_for(&v, h);
    s.solver.kind = kind;
    s.solver.joints = method;
    s.solver.iterations = 4000;
    s.solver.position_iterations = 400;
    s.solver.tolerance = 1e-10;
    return s;
}

static put put_box(tl_scene *scene, tl_material material, double hx, double hy, double hz,
                   double mass, const double x[3], const double q[4])
{
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_box_default(hx, hy, hz);
    put out = {.q = {1, 0, 0, 0}};
    shape.material = material;
    def.shape_count = 1;
    def.shapes = &shape;
    def.mass = mass;
    memcpy(def.position, x, sizeof def.position);
    if (q)
        memcpy(out.q, q, sizeof out.q);
    memcpy(def.orientation, out.q, sizeof out.q);
    memcpy(out.x, x, sizeof out.x);
    out.body = add_body(scene, &def);
    return out;
}

/* What is compared: reactions of the joints, the total impulse of contacts, places. */
typedef struct outcome {
    double force[4][3], load[3], place[2][3];
    tl_report report;
} outcome;

static void look(tl_world *world, size_t joints, const tl_joint *joint, size_t bodies,
                 const put *body, outcome *out)
{
    size_t count;
    out->report = step_report(world, 1);
    for (size_t i = 0; i < joints; i++)
        memcpy(out->force[i], state_of(world, joint[i]).force, sizeof out->force[i]);
    for (size_t i = 0; i < bodies; i++)
        position_of(world, body[i].body, out->place[i]);
    tl_contact *contacts = contacts_of(world, &count);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            out->load[k] += contacts[i].impulse[k];
    free(contacts);
    tl_world_destroy(world);
}

/* A plate on a hinge leans on a floor. */
static void plate(tl_solver_kind kind, outcome *out)
{
    const tl_settings settings = settings_of(kind, 0.005);
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, 0); /* hinge and friction could wedge it */
    const double x[3] = {0, 0, 0.3};
    double q[4];
    add_floor(scene, material);
    turn(joint_y, 0.3, q);
    const put board = put_box(scene, material, 0.9, 0.3, 0.03, 5, x, q);
    double top[3] = {-0.9, 0, 0};
    rotate(q, 1, top, top);
    const tl_joint hinge =
        join(scene, TL_JOINT_REVOLUTE, ground, board, top[0], top[1], x[2] + top[2], joint_y);
    tl_world *world = world_of(scene);
    step(world, 150);
    look(world, 1, &hinge, 1, &board, out);
}

/* A four-bar linkage, whose crank a motor turns, pushes a box over the floor. */
static void fourbar(tl_solver_kind kind, outcome *out)
{
    const tl_settings settings = settings_of(kind, 0.005);
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0.3, 0), smooth = add_material(scene, 0, 0);
    add_floor(scene, material);
    assert_ok(tl_scene_set_pair(scene, material, smooth, &(tl_pair_def){0}));
    const put crank = put_link(scene, 0.02, 0.02, 0.15, 0.5, 0, 0, 0.65);
    const put rocker =
        put_box(scene, smooth, 0.02, 0.02, 0.15, 0.5, (double[3]){0.6, 0, 0.65}, NULL);
    const put bar = put_link(scene, 0.3, 0.02, 0.02, 0.5, 0.3, 0, 0.5);
    /* the rocker hangs down and has a foot that pushes */
    const put foot = put_box(scene, smooth, 0.02, 0.2, 0.1, 0.5, (double[3]){0.6, 0, 0.4}, NULL);
    const put box = put_box(scene, material, 0.15, 0.15, 0.15, 2, (double[3]){0.79, 0, 0.15}, NULL);
    tl_joint_def drive =
        joint_at(TL_JOINT_REVOLUTE, ground, crank, (double[3]){0, 0, 0.8}, (double[3]){0, -1, 0});
    drive.axes[5].drive = TL_DRIVE_SPEED;
    drive.axes[5].target.value = 0.8;
    drive.axes[5].limit = 30;
    const tl_joint joints[4] = {
        add_joint(scene, &drive),
        join(scene, TL_JOINT_REVOLUTE, ground, rocker, 0.6, 0, 0.8, joint_y),
        join(scene, TL_JOINT_REVOLUTE, crank, bar, 0, 0, 0.5, joint_y),
        join(scene, TL_JOINT_REVOLUTE, bar, rocker, 0.6, 0, 0.5, joint_y)};
    join(scene, TL_JOINT_FIXED, rocker, foot, 0.6, 0, 0.5, joint_y);
    tl_world *world = world_of(scene);
    step(world, 40);
    const put both[2] = {rocker, box};
    look(world, 4, joints, 2, both, out);
}

/* A flap on a hinge with a stop: a block that slides down a slope presses it against that. */
static void stop(tl_solver_kind kind, outcome *out)
{
    const tl_settings settings = settings_of(kind, 0.005);
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0, 0);
    add_floor(scene, material);
    set_gravity(scene, 3, 0, -9);
    const put block = put_box(scene, material, 0.1, 0.1, 0.1, 2, (double[3]){-0.15, 0, 0.1}, NULL);
    const put flap = put_box(scene, material, 0.02, 0.2, 0.2, 1, (double[3]){0, 0, 0.3}, NULL);
    tl_joint_def hinge =
        joint_at(TL_JOINT_REVOLUTE, ground, flap, (double[3]){0, 0, 0.5}, (double[3]){0, -1, 0});
    hinge.axes[5].lower = -0.1;
    hinge.axes[5].upper = 0.02;
    const tl_joint joint = add_joint(scene, &hinge);
    tl_world *world = world_of(scene);
    step(world, 200);
    const put both[2] = {block, flap};
    look(world, 1, &joint, 2, both, out);
}

static void same(void (*machine)(tl_solver_kind, outcome *), double tolerance)
{
    outcome want = {0};
    machine(TL_PSOR, &want);
    assert_above((double)want.report.active_contacts, 0);
    assert_above(norm3(want.load), 1e-3);
    for (int i = 1; i < 5; i++) {
        outcome got = {0};
        context("%s", tl_word(TL_WORDS_SOLVER, kinds[i]));
        machine(kinds[i], &got);
        assert_below(got.report.joint_error, 1e-8);
        assert_below(got.report.joint_residual, 1e-9);
        assert_below(got.report.residual, 1e-6);
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < 4; j++)
                assert_near(got.force[j][k], want.force[j][k],
                            tolerance * (1 + norm3(want.force[j])));
            for (int b = 0; b < 2; b++)
                assert_near(got.place[b][k], want.place[b][k], 1e-2 * tolerance);
            assert_near(got.load[k], want.load[k], tolerance * norm3(want.load));
        }
    }
}

static void plate_leans(void **state)
{
    (void)state;
    same(plate, 1e-5);
}

static void fourbar_pushes(void **state)
{
    (void)state;
    same(fourbar, 1e-3);
}

static void flap_stops(void **state)
{
    (void)state;
    same(stop, 1e-4);
}

/* A rope of ten balls hangs from the ceiling: how far the worst joint is open after a second. */
static double rope_error(tl_joint_method how, uint32_t iterations, uint32_t threads)
{
    tl_settings settings = settings_of(TL_PSOR, 0.005);
    settings.solver.joints = how;
    settings.solver.iterations = iterations;
    settings.threads = threads;
    tl_scene *scene = scene_with(&settings);
    put before = ground;
    for (int i = 0; i < 10; i++) {
        const put link = put_link(scene, 0.04, 0.04, 0.1, 1, 0, 0, -0.1 - 0.2 * i);
        join(scene, TL_JOINT_SPHERICAL, before, link, 0, 0, -0.2 * i, joint_z);
        before = link;
    }
    tl_world *world = world_of(scene);
    step(world, 199);
    const double error = step_report(world, 1).joint_error;
    tl_world_destroy(world);
    return error;
}

/* Joints one at a time: a hanging rope is soft, and less so with more sweeps. */
static void one_at_a_time(void **state)
{
    (void)state;
    const double few = rope_error(TL_JOINTS_ITERATE, 8, 1),
                 many = rope_error(TL_JOINTS_ITERATE, 400, 1);
    assert_below(rope_error(TL_JOINTS_EXACT, 8, 1), 1e-10);
    assert_true(few > 1e-4 && few < 1e-3);
    assert_below(many, 0.05 * few);
    assert_true(few == rope_error(TL_JOINTS_ITERATE, 8, 3));
}

/* The machines above, iterated, come to the same forces. */
static void iterated(void **state)
{
    (void)state;
    void (*const machines[3])(tl_solver_kind, outcome *) = {plate, fourbar, stop};
    for (int i = 0; i < 3; i++) {
        outcome want = {0}, got = {0};
        context("machine %d", i);
        machines[i](TL_PSOR, &want);
        method = TL_JOINTS_ITERATE;
        machines[i](TL_PSOR, &got);
        method = TL_JOINTS_EXACT;
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < 4; j++)
                assert_near(got.force[j][k], want.force[j][k], 0.02 * (1 + norm3(want.force[j])));
            for (int b = 0; b < 2; b++)
                assert_near(got.place[b][k], want.place[b][k], 1e-3);
        }
    }
}

/* A ball rests on a beam that a fixed joint, or two hinges on one line (five of whose ten rows
 * follow from the others), hold to the ground: the reactions carry both weights and, fixed, their
 * moment. By the solver interior, under both laws. */
static void beam_reactions(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const bool fixed = i & 1;
        const double hinge = fixed ? 0 : -0.2; /* a corner right under it could not rise */
        const claim claims = {
            fixed ? "beam on a fixed joint, a ball at rest on it"
                  : "board on two hinges and a floor's edge, a ball at rest on it",
            fixed ? "weights, and their moment about the joint"
                  : "weights: joints and the floor carry them",
            fixed ? "force, N" : "force, N, with that of contacts", "interior, h = 0.005 s"};
        tl_settings settings = settings_of(TL_INTERIOR, 0.005);
        double force[3] = {0}, torque[3] = {0}, load = 0;
        settings.solver.law = i & 2 ? TL_LAW_CONE : TL_LAW_COULOMB;
        tl_scene *scene = scene_with(&settings);
        /* what slides is thrown by the cone law, and so would be the board as it comes to rest */
        const tl_material material = add_material(scene, fixed ? 0.5 : 0, 0);
        if (!fixed)
            add_floor(scene, material);
        const put beam =
            put_box(scene, material, 0.5, 0.2, 0.05, 4, (double[3]){0.5, 0, 0.05}, NULL);
        add_sphere(scene, material, 0.1, 2, (double[3]){0.75, 0, 0.2}, (double[3]){0, 0, 0});
        const tl_joint joints[2] = {
            join(scene, fixed ? TL_JOINT_FIXED : TL_JOINT_REVOLUTE, ground, beam, hinge,
                 fixed ? 0 : 0.1, 0.05, joint_y),
            fixed ? (tl_joint){0}
                  : join(scene, TL_JOINT_REVOLUTE, ground, beam, hinge, -0.1, 0.05, joint_y)};
        tl_world *world = world_of(scene);
        const tl_report report = step_report(world, 5);
        for (int k = 0; k < (fixed ? 1 : 2); k++) {
            const tl_joint_state now = state_of(world, joints[k]);
            for (int c = 0; c < 3; c++) {
                force[c] += now.force[c];
                torque[c] += now.torque[c];
            }
        }
        size_t count;
        tl_contact *contacts = contacts_of(world, &count);
        for (size_t k = 0; k < count; k++)
            if (contacts[k].point[2] < 0.05) /* the floor's */
                load += fabs(contacts[k].impulse[2]) / 0.005;
        free(contacts);
        context("%s, law %d", fixed ? "fixed" : "hinges", i / 2);
        assert_found(&claims, i & 2 ? "cone" : "coulomb", fabs(force[2] + load), 6 * 9.81, 1e-6);
        if (fixed)
            assert_near(fabs(torque[1]), 9.81 * (4 * 0.5 + 2 * 0.75), 1e-6);
        assert_true(fixed == (report.redundant_rows == 0));
        assert_below(report.joint_residual, 1e-12);
        /* four corners for one way to move: what rounding has of geometry stays */
        assert_below(report.residual, fixed ? 1e-10 : 1e-9);
        if (i & 2)
            assert_below(report.gap, fixed ? 1e-9 : 1e-7);
        tl_world_destroy(world);
    }
}

/* A machine that was saved goes on as it would have. */
static void resumed(void **state)
{
    (void)state;
    const variant v = joint_variant();
    tl_settings settings = settings_for(&v, 0.005);
    settings.solver.joints = TL_JOINTS_ITERATE;
    tl_world *world = world_of(machine_scene(&settings)), *again = NULL;
    void *snapshot;
    size_t bytes;
    step(world, 60);
    assert_ok(tl_world_save(world, &snapshot, &bytes));
    assert_ok(tl_world_load(snapshot, bytes, &again));
    tl_snapshot_free(snapshot, bytes);
    assert_int_equal(tl_world_settings(again).solver.joints, TL_JOINTS_ITERATE);
    step(world, 60);
    step(again, 60);
    for (uint32_t i = 0; i < 18; i++) {
        double one[3], two[3];
        position_of(world, (tl_body){i + 2, 1}, one);
        position_of(again, (tl_body){i + 2, 1}, two);
        assert_memory_equal(one, two, sizeof one);
    }
    tl_world_destroy(world);
    tl_world_destroy(again);
}

/* A heavy ball, held by a guide, on a light one, on the floor, at rest: a sweep leaves M / (M + m)
 * of the error, so that 60 of them leave half. With momentum nearly nothing is left. */
static void light_under_heavy(void **state)
{
    (void)state;
    const double heavy = 100, light = 1, h = 0.005, r = 0.1;
    const variant v = joint_variant();
    tl_settings s = settings_for(&v, h);
    s.solver.iterations = 60;
    tl_scene *scene = scene_with(&s);
    const tl_material material = add_material(scene, 0.4, 0);
    double speed[3];
    add_floor(scene, material);
    add_sphere(scene, material, r, light, (double[3]){0, 0, r}, (double[3]){0, 0, 0});
    put top = {.x = {0, 0, 3 * r}, .q = {1, 0, 0, 0}};
    top.body = add_sphere(scene, material, r, heavy, top.x, (double[3]){0, 0, 0});
    join(scene, TL_JOINT_PRISMATIC, ground, top, 0, 0, 3 * r, joint_z);
    tl_world *world = world_of(scene);
    const tl_report report = step_report(world, 1);
    velocity_of(world, top.body, speed);
    print_message("speed %g of %g m/s, residual %g\n", speed[2], 9.81 * h, report.residual);
    assert_true(pow(heavy / (heavy + light), 60) > 0.5);
    assert_true(fabs(speed[2]) < 0.05 * 9.81 * h);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_under_heavy), cmocka_unit_test(plate_leans),
        cmocka_unit_test(fourbar_pushes),    cmocka_unit_test(flap_stops),
        cmocka_unit_test(beam_reactions),    cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(iterated),          cmocka_unit_test(resumed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
