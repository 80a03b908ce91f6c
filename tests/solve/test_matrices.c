/* Contact problems as matrices (talus/problem.h): those of worlds lead to the velocities that their
 * steps do, both forms have the same solutions by whatever solver, and what breaks a rule is
 * refused. */
#include "physics/joints.h"
#include "scenes.h"
#include "solve/friction.h"
#include "solve/problems.h"
#include "talus/talus.h"
#include "world/world.h"

#undef G /* a matrix, here */

/* ---- Of worlds ---- */

static tl_solver_def tight(tl_solver_kind kind, tl_law law, double tolerance)
{
    tl_solver_def def = tl_settings_default().solver;
    def.kind = kind;
    def.law = law;
    def.tolerance = tolerance;
    def.iterations = 100000;
    return def;
}

#define ANY UINT32_MAX /* constraints */

/* Solves the problem of the next step by itself, by sweeps and by the solver interior; the step
 * must come to the same velocities. */
static void same_as_step(const char *name, tl_world *world, uint32_t constraints, double tolerance)
{
    static const tl_solver_kind kinds[] = {TL_PSOR, TL_INTERIOR};
    tl_contact_problem *problem = NULL;
    tl_contact_answer answer;
    context("%s", name);
    assert_ok(tl_world_contact_problem(world, &problem));
    const tl_contact_problem_def *d = tl_contact_problem_read(problem);
    double *r = zeros(3 * (size_t)d->contacts, sizeof *r), *v[2];
    assert_int_equal(d->M.rows, 6 * world->dynamic);
    if (constraints != ANY)
        assert_int_equal(d->G.columns, constraints);
    for (int k = 0; k < 2; k++) {
        const tl_solver_def def = tight(kinds[k], TL_LAW_COULOMB, 1e-10);
        v[k] = zeros(d->M.rows, sizeof **v);
        context("%s, %s", name, tl_word(TL_WORDS_SOLVER, kinds[k]));
        assert_ok(tl_contact_problem_solve(problem, &def, 1, r, &answer));
        assert_below(answer.residual, 1.1e-10);
        assert_true(answer.rows == (d->G.columns == 0));
        assert_true(isnan(answer.gap) == (kinds[k] == TL_PSOR));
        assert_ok(tl_contact_problem_measure(problem, TL_LAW_COULOMB, r, v[k], NULL, NULL, NULL));
    }
    step(world, 1);
    for (uint32_t i = 0; i < 2 * d->M.rows; i++) {
        const uint32_t n = i % d->M.rows;
        assert_near(((const double *)world->vel.data)[8 * (size_t)(n / 6) + n % 6 + n % 6 / 3],
                    v[i / d->M.rows][n], tolerance);
    }
    tl_contact_problem_destroy(problem);
    free(r);
    free(v[0]);
    free(v[1]);
}

/* From here on a world's own steps are by the solver interior. */
static void certify_steps(tl_world *world)
{
    tl_settings settings = tl_world_settings(world);
    settings.solver.kind = TL_INTERIOR;
    assert_ok(tl_world_set_settings(world, &settings));
}

static tl_settings tight_settings(void)
{
    tl_settings settings = tl_settings_default();
    settings.precision = TL_DOUBLE;
    settings.threads = 1;
    settings.solver.iterations = 100000;
    settings.solver.tolerance = 1e-12;
    settings.impacts = TL_IMPACTS_SIMULTANEOUS;
    return settings;
}

static void test_pile(void **state)
{
    (void)state;
    pile_options options = pile_default();
    tl_scene *scene = NULL;
    options.bodies = 50;
    options.layers = 5;
    options.settings = tight_settings();
    assert_ok(pile_scene(&options, &scene));
    tl_world *world = world_of(scene);
    step(world, 60);
    same_as_step("50 spheres", world, 0, 1e-7);
    tl_world_destroy(world);
}

/* A body of one box. */
static tl_body add_box(tl_scene *scene, tl_material material, double hx, double hy, double hz,
                       double x, double y, double z)
{
    tl_body_def def = tl_body_default();
    tl_shape_def shape = tl_box_default(hx, hy, hz);
    shape.material = material;
    def.shape_count = 1;
    def.shapes = &shape;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    return add_body(scene, &def);
}

/* Boxes that slide on a floor whose surface moves, and against a wall that does. */
static void test_boxes(void **state)
{
    (void)state;
    const tl_settings settings = tight_settings();
    tl_scene *scene = scene_with(&settings);
    tl_material_def belt = tl_material_default();
    tl_material material;
    belt.friction = 0.3;
    belt.surface_velocity[0] = 0.5;
    belt.surface_velocity[1] = 0.1;
    assert_ok(tl_scene_add_material(scene, &belt, &material));
    add_floor(scene, material);
    const tl_material rough = add_material(scene, 0.6, 0);
    for (int i = 0; i < 3; i++)
        add_box(scene, rough, 0.1, 0.1, 0.1, 0.003 * i, 0, 0.1 + 0.2 * i);
    tl_body_def wall = tl_body_default();
    tl_shape_def plate = tl_box_default(0.1, 1, 1);
    plate.material = rough;
    wall.kind = TL_PRESCRIBED;
    wall.shape_count = 1;
    wall.shapes = &plate;
    wall.position[0] = -0.2;
    wall.motion.kind = TL_MOTION_VELOCITY;
    wall.motion.velocity[0] = 0.7;
    wall.motion.velocity[2] = -0.2;
    add_body(scene, &wall);
    tl_world *world = world_of(scene);
    step(world, 5);
    same_as_step("boxes on a belt", world, 0, 1e-7);
    tl_world_destroy(world);
}

/* A chain whose end lies on the floor, and a spring. */
static void test_joints(void **state)
{
    (void)state;
    const tl_settings settings = tight_settings();
    tl_scene *scene = scene_with(&settings);
    const tl_material material = add_material(scene, 0.5, 0);
    put before = ground;
    add_floor(scene, material);
    for (int i = 0; i < 6; i++) {
        put now = {.q = {1, 0, 0, 0}, .x = {0.12 * i, 0, i < 3 ? 0.3 : 0.05}};
        now.body = add_sphere(scene, material, 0.05, 0, now.x, (double[3]){0.1 * i, 0.2, 0});
        join(scene, i < 3 ? TL_JOINT_SPHERICAL : TL_JOINT_REVOLUTE, before, now, 0.12 * i - 0.06, 0,
             i < 3 ? 0.3 : 0.05, joint_y);
        before = now;
    }
    put last = {.q = {1, 0, 0, 0}, .x = {1, 0, 0.05}};
    last.body = add_sphere(scene, material, 0.05, 0, last.x, (double[3]){0.3, 0, 0});
    tl_joint_def spring =
        joint_at(TL_JOINT_PRISMATIC, before, last, (double[3]){0.8, 0, 0.05}, joint_x);
    spring.axes[2].stiffness = 40;
    spring.axes[2].damping = 3;
    add_joint(scene, &spring);
    tl_world *world = world_of(scene);
    step(world, 30);
    same_as_step("a chain with a spring", world, 3 * 3 + 3 * 5 + 5, 1e-7);
    certify_steps(world);
    same_as_step("a chain with a spring, certified", world, 3 * 3 + 3 * 5 + 5, 1e-8);
    tl_world_destroy(world);
}

/* Joints with limits, friction and a motor, and bodies that are no balls. */
static void test_machine(void **state)
{
    (void)state;
    tl_settings settings = tight_settings();
    tl_world *world = world_of(machine_scene(&settings));
    same_as_step("a machine, as it starts", world, ANY, 1e-7);
    step(world, 20);
    same_as_step("a machine", world, ANY, 1e-7);
    certify_steps(world);
    same_as_step("a machine, certified", world, ANY, 1e-8);
    tl_world_destroy(world);
}

/* What the form cannot have. */
static void test_world_refusals(void **state)
{
    (void)state;
    tl_contact_problem *problem = (void *)1;
    tl_settings settings = tight_settings();
    tl_material_def rolling = tl_material_default();
    tl_material material;
    context("refusals");
    tl_scene *scene = scene_with(&settings);
    rolling.rolling_friction = 0.1;
    assert_ok(tl_scene_add_material(scene, &rolling, &material));
    add_floor(scene, material);
    add_sphere(scene, material, 0.1, 0, (double[3]){0, 0, 0.1}, (double[3]){1, 0, 0});
    tl_world *world = world_of(scene);
    assert_refused(tl_world_contact_problem(world, &problem), TL_BAD_ARGUMENT,
                   "step 1: a contact has rolling friction, which contact problems as matrices do "
                   "not know");
    assert_null(problem);
    tl_world_destroy(world);
    settings.stepper = TL_STEPPER_PENALTY;
    world = world_of(scene_with(&settings));
    assert_refused(tl_world_contact_problem(world, &problem), TL_BAD_ARGUMENT,
                   "settings.stepper is penalty; steps of dvi and smooth alone have one contact "
                   "problem");
    tl_world_destroy(world);
    assert_refused(tl_world_contact_problem(NULL, &problem), TL_BAD_ARGUMENT,
                   "tl_world_contact_problem: world is NULL");
}

/* ---- Forms and solvers ---- */

/* A random problem of rigid bodies as a problem of matrices; walls are in w. `joints`: so many
 * random equality constraints, each twice, so that half of them follow from the others. */
static tl_contact_problem *matrices_of(const model *m, uint32_t joints)
{
    const uint32_t n = 6 * m->moving, size = 3 * m->rows;
    tl_array e[3] = {
        {.item = sizeof(tl_entry)}, {.item = sizeof(tl_entry)}, {.item = sizeof(tl_entry)}};
    tl_columns c[3];
    double *f = zeros(n, sizeof *f), *w = zeros(size, sizeof *w), *b = zeros(2 * joints + 1, 8);
    double *mu = zeros(m->rows, sizeof *mu), t[3];
    double(*walls)[6] = zeros(m->bodies, sizeof *walls);
    dice d = {5};
    for (uint32_t i = 0; i < m->bodies; i++) {
        tl_columns one;
        tl_factor factor;
        double own[6], work[6];
        tl_entry entry[36];
        if (i >= m->moving) {
            memcpy(walls[i], m->free[i], sizeof *walls);
            continue;
        }
        for (uint32_t k = 0; k < 36; k++)
            entry[k] = (tl_entry){k / 6, k % 6, m->inverse[i][k / 6][k % 6]};
        assert_ok(tl_columns_make(6, 6, entry, 36, &one));
        assert_ok(tl_factor_make(tl_columns_view(&one), "one", false, &factor));
        for (uint32_t k = 0; k < 6; k++) { /* M, a column at a time */
            memset(own, 0, sizeof own);
            own[k] = 1;
            tl_factor_solve(&factor, own, work);
            for (uint32_t l = 0; l < 6; l++) {
                const tl_entry in = {6 * i + l, 6 * i + k, fabs(own[l]) > 1e-14 ? own[l] : 0};
                assert_ok(tl_array_append(&e[0], &in, 1));
                f[6 * i + l] += own[l] * m->free[i][k];
            }
        }
        tl_factor_free(&factor);
        tl_columns_free(&one);
    }
    for (uint32_t i = 0; i < m->rows; i++) {
        double q[3][3], wall[3];
        memcpy(q[0], m->row[i].n, sizeof q[0]);
        tangents(m->row[i].n, q[1], q[2]);
        row_velocity(m, i, walls, wall, t);
        mu[i] = m->row[i].mu;
        for (uint32_t k = 0; k < 3; k++) {
            w[3 * i + k] = dot3(q[k], wall);
            for (int side = 0; side < 2; side++) {
                const uint32_t body = side ? m->row[i].b : m->row[i].a;
                for (uint32_t l = 0; l < 6 && body < m->moving; l++) {
                    double sum = 0;
                    for (int x = 0; x < 3; x++)
                        sum += q[k][x] * m->row[i].j[side][x][l];
                    const tl_entry in = {6 * body + l, 3 * i + k, sum};
                    assert_ok(tl_array_append(&e[1], &in, 1));
                }
            }
        }
    }
    for (uint32_t i = 0; i < 2 * joints; i++) {
        b[i] = i < joints ? roll(&d, -0.1, 0.1) : b[i - joints];
        const size_t from = (size_t)(i - joints) * 12;
        for (uint32_t k = 0; k < 12; k++) {
            tl_entry in = {6 * (i % m->moving) + (k < 6 ? k : k - 6), i, roll(&d, -1, 1)};
            if (k >= 6)
                in.row = (in.row + 18) % n;
            if (i >= joints)
                in = ((const tl_entry *)e[2].data)[from + k], in.column = i;
            assert_ok(tl_array_append(&e[2], &in, 1));
        }
    }
    const uint32_t columns[3] = {n, size, 2 * joints};
    for (int i = 0; i < 3; i++)
        assert_ok(tl_columns_make(n, columns[i], e[i].data, e[i].count, &c[i]));
    const tl_contact_problem_def def = {.dimension = 3,
                                        .contacts = m->rows,
                                        .M = tl_columns_view(&c[0]),
                                        .H = tl_columns_view(&c[1]),
                                        .G = tl_columns_view(&c[2]),
                                        .f = f,
                                        .w = w,
                                        .b = b,
                                        .mu = mu};
    tl_contact_problem *problem = NULL;
    assert_ok(tl_contact_problem_create(&def, &problem));
    for (int i = 0; i < 3; i++) {
        tl_array_free(&e[i]);
        tl_columns_free(&c[i]);
    }
    free(f);
    free(w);
    free(b);
    free(mu);
    free(walls);
    return problem;
}

/* u of a problem by a solver, to 1e-10. */
static void solved(const tl_contact_problem *problem, tl_solver_kind kind, tl_law law, bool rows,
                   double *u, tl_contact_answer *answer)
{
    const tl_contact_problem_def *d = tl_contact_problem_read(problem);
    double *r = zeros((size_t)d->dimension * d->contacts, sizeof *r);
    const tl_solver_def def = tight(kind, law, 1e-10);
    assert_ok(tl_contact_problem_solve(problem, &def, 1, r, answer));
    assert_true(answer->rows == rows);
    assert_below(answer->residual, 1.1e-10);
    assert_ok(tl_contact_problem_measure(problem, law, r, NULL, u, NULL, NULL));
    free(r);
}

/* Rows and sparse matrices, the two forms, all solvers: one solution. */
static void forms_agree(const char *name, const tl_contact_problem *global, bool rows, tl_law law)
{
    static const tl_solver_kind kinds[] = {TL_PSOR, TL_JACOBI, TL_APGD, TL_SPG, TL_INTERIOR};
    const tl_contact_problem_def *d = tl_contact_problem_read(global);
    const uint32_t size = d->dimension * d->contacts;
    double *want = zeros(size, sizeof *want), *u = zeros(size, sizeof *u);
    tl_contact_problem *local = NULL;
    tl_contact_answer first, answer;
    context("%s", name);
    assert_ok(tl_contact_problem_reduce(global, &local));
    solved(global, TL_PSOR, law, rows, want, &first);
    for (int i = 0; i < 5; i++)
        for (int form = 0; form < 2; form++) {
            if (!form && rows && kinds[i] == TL_JACOBI)
                continue; /* its step does not suit these random rows */
            context("%s, %s, %s form", name, tl_word(TL_WORDS_SOLVER, kinds[i]),
                    form ? "local" : "global");
            solved(form ? local : global, kinds[i], law, !form && rows, u, &answer);
            for (uint32_t k = 0; k < size; k++)
                assert_near(u[k], want[k], 1e-7);
            assert_near(answer.objective, first.objective, 1e-8 * (1 + fabs(first.objective)));
        }
    tl_contact_problem_destroy(local);
    free(want);
    free(u);
}

static void test_forms(void **state)
{
    (void)state;
    for (int which = 0; which < FAMILIES; which++) {
        model m = model_random(3, (family)which, 12, 20);
        for (uint32_t i = m.moving; i < m.bodies; i++) /* walls may move, but not turn */
            memset(m.free[i] + 3, 0, 3 * sizeof(double));
        tl_contact_problem *problem = matrices_of(&m, 0);
        forms_agree(family_names[which], problem, true, TL_LAW_CONE);
        forms_agree(family_names[which], problem, true, TL_LAW_COULOMB);
        tl_contact_problem_destroy(problem);
        model_free(&m);
    }
}

/* Equality constraints, half of which follow from others: they hold, and v with them. */
static void test_constraints(void **state)
{
    (void)state;
    model m = model_random(4, BODIES, 12, 14);
    tl_contact_problem *problem = matrices_of(&m, 3);
    const tl_contact_problem_def *d = tl_contact_problem_read(problem);
    forms_agree("constraints", problem, false, TL_LAW_CONE);
    forms_agree("constraints", problem, false, TL_LAW_COULOMB);
    double *r = zeros(d->H.columns, sizeof *r), *v = zeros(d->M.rows, sizeof *v);
    double *side = zeros(d->M.rows, sizeof *side), *held = zeros(d->G.columns, sizeof *held), *l;
    l = zeros(d->G.columns, sizeof *l);
    const tl_solver_def def = tight(TL_PSOR, TL_LAW_COULOMB, 1e-10);
    assert_ok(tl_contact_problem_solve(problem, &def, 1, r, NULL));
    assert_ok(tl_contact_problem_measure(problem, TL_LAW_COULOMB, r, v, NULL, l, NULL));
    tl_matrix_add_across(d->G, v, held);
    for (uint32_t i = 0; i < d->G.columns; i++)
        assert_near(held[i] + d->b[i], 0, 1e-12);
    tl_matrix_add(d->M, v, side); /* M v = H r + G l + f */
    for (uint32_t i = 0; i < d->M.rows; i++)
        side[i] = -side[i] + d->f[i];
    tl_matrix_add(d->H, r, side);
    tl_matrix_add(d->G, l, side);
    for (uint32_t i = 0; i < d->M.rows; i++)
        assert_near(side[i], 0, 1e-11);
    tl_contact_problem_destroy(problem);
    model_free(&m);
    free(r);
    free(v);
    free(side);
    free(held);
    free(l);
}

/* ---- Of any kind ---- */

static tl_status put_entry(tl_array *entries, uint32_t row, uint32_t column, double value)
{
    return tl_array_append(entries, &(tl_entry){row, column, value}, 1);
}

/* 20 velocities, which M connects, contacts that each act on any nine of them, and constraints of
 * six; there are velocities that satisfy all of it. */
static tl_contact_problem *any_problem(uint32_t dimension, uint32_t contacts, uint32_t held)
{
    enum { SIZE = 20 };
    const uint32_t m = dimension * contacts;
    tl_array e[3] = {
        {.item = sizeof(tl_entry)}, {.item = sizeof(tl_entry)}, {.item = sizeof(tl_entry)}};
    tl_columns c[3];
    double *f = zeros(SIZE, sizeof *f), *w = zeros(m, sizeof *w), *b = zeros(held, sizeof *b);
    double *mu = zeros(contacts, sizeof *mu);
    dice d = {17};
    for (uint32_t i = 0; i < SIZE; i++) {
        f[i] = roll(&d, -1, 1);
        for (uint32_t k = 0; k < 2; k++) { /* 1 + sum of a a^T, a with two entries */
            const uint32_t other = (i + 5 + 3 * k) % SIZE;
            const double x = roll(&d, 0.2, 1), y = roll(&d, -1, 1);
            assert_ok(put_entry(&e[0], i, i, 0.5 + x * x));
            assert_ok(put_entry(&e[0], i, other, x * y));
            assert_ok(put_entry(&e[0], other, i, x * y));
            assert_ok(put_entry(&e[0], other, other, y * y));
        }
    }
    for (uint32_t i = 0; i < m; i++) {
        w[i] = roll(&d, -0.5, 0.5);
        mu[i / dimension] = roll(&d, 0, 0.8);
        for (uint32_t k = 0; k < 9; k++)
            assert_ok(put_entry(&e[1], (7 * (i / dimension) + 2 * k) % SIZE, i, roll(&d, -1, 1)));
    }
    for (uint32_t i = 0; i < held; i++) {
        b[i] = roll(&d, -0.1, 0.1);
        for (uint32_t k = 0; k < 6; k++)
            assert_ok(put_entry(&e[2], (3 * i + 5 * k) % SIZE, i, roll(&d, -1, 1)));
    }
    const uint32_t columns[3] = {SIZE, m, held};
    for (int i = 0; i < 3; i++)
        assert_ok(tl_columns_make(SIZE, columns[i], e[i].data, e[i].count, &c[i]));
    const tl_contact_problem_def def = {.dimension = dimension,
                                        .contacts = contacts,
                                        .M = tl_columns_view(&c[0]),
                                        .H = tl_columns_view(&c[1]),
                                        .G = tl_columns_view(&c[2]),
                                        .f = f,
                                        .w = w,
                                        .b = b,
                                        .mu = mu};
    tl_contact_problem *problem = NULL;
    assert_ok(tl_contact_problem_create(&def, &problem));
    for (int i = 0; i < 3; i++) {
        tl_array_free(&e[i]);
        tl_columns_free(&c[i]);
    }
    free(f);
    free(w);
    free(b);
    free(mu);
    return problem;
}

/* The objectives, which are made of M, v and W here: P of the velocities that the impulses lead to,
 * and that of the dual, which are the same at a solution. */
static void check_gap(const tl_contact_problem *problem)
{
    const tl_contact_problem_def *d = tl_contact_problem_read(problem);
    const uint32_t n = d->M.rows, m = d->H.columns;
    const tl_solver_def def = tight(TL_INTERIOR, TL_LAW_CONE, 1e-11);
    double *r = zeros(m, sizeof *r), *none = zeros(m, sizeof *none), *v = zeros(n, sizeof *v);
    double *free_v = zeros(n, sizeof *free_v), *mv = zeros(n, sizeof *mv), primal = 0;
    tl_contact_answer answer;
    assert_ok(tl_contact_problem_solve(problem, &def, 1, r, &answer));
    assert_ok(tl_contact_problem_measure(problem, TL_LAW_CONE, none, free_v, NULL, NULL, NULL));
    assert_ok(tl_contact_problem_measure(problem, TL_LAW_CONE, r, v, NULL, NULL, NULL));
    for (uint32_t i = 0; i < n; i++)
        v[i] -= free_v[i];
    tl_matrix_add(d->M, v, mv);
    for (uint32_t i = 0; i < n; i++)
        primal += 0.5 * v[i] * mv[i];
    assert_below(fabs(primal + answer.objective), 1e-10 * primal);
    assert_below(answer.gap, 1e-10);
    free(r);
    free(none);
    free(v);
    free(free_v);
    free(mv);
}

static void test_any(void **state)
{
    (void)state;
    for (uint32_t dimension = 2; dimension <= 3; dimension++)
        for (uint32_t held = 0; held <= 3; held += 3) {
            tl_contact_problem *problem = any_problem(dimension, 6, held);
            char name[64];
            snprintf(name, sizeof name, "any, %u dimensions, %u constraints", dimension, held);
            forms_agree(name, problem, false, TL_LAW_CONE);
            check_gap(problem);
            tl_contact_problem_destroy(problem);
        }
}

/* ---- In a plane ---- */

/* A block on a slope of 30 degrees for one step of 0.1 s, as W alone: it sticks, or it slips with
 * g sin - mu g cos, under Coulomb's law without leaving the slope. */
static void test_plane(void **state)
{
    (void)state;
    const double mass = 2, h = 0.1, g = 9.81, angle = acos(-1) / 6;
    const uint32_t start[3] = {0, 1, 2}, row[2] = {0, 1};
    const double w[2] = {1 / mass, 1 / mass}, q[2] = {-h * g * cos(angle), h * g * sin(angle)};
    static const tl_solver_kind kinds[] = {TL_PSOR, TL_JACOBI, TL_APGD, TL_SPG, TL_INTERIOR};
    for (int slips = 0; slips < 2; slips++)
        for (int i = 0; i < 5; i++) {
            const double mu = slips ? 0.3 : 0.7;
            const tl_contact_problem_def def = {.form = TL_PROBLEM_LOCAL,
                                                .dimension = 2,
                                                .contacts = 1,
                                                .W = {2, 2, start, row, w},
                                                .q = q,
                                                .mu = &mu};
            tl_contact_problem *problem = NULL;
            tl_contact_answer answer;
            const tl_solver_def solver = tight(kinds[i], TL_LAW_COULOMB, 1e-13);
            double r[2], u[2];
            context("%s, %s", slips ? "slips" : "sticks", tl_word(TL_WORDS_SOLVER, kinds[i]));
            assert_ok(tl_contact_problem_create(&def, &problem));
            assert_ok(tl_contact_problem_solve(problem, &solver, 1, r, &answer));
            assert_ok(tl_contact_problem_measure(problem, TL_LAW_COULOMB, r, NULL, u, NULL, NULL));
            assert_near(r[0], mass * h * g * cos(angle), 1e-11);
            assert_near(u[0], 0, 1e-12);
            assert_near(u[1], slips ? h * g * (sin(angle) - mu * cos(angle)) : 0, 1e-12);
            tl_contact_problem_destroy(problem);
        }
}

/* ---- Contacts that no impulse moves ---- */

/* W = 0, and H without entries: where such a contact separates nothing is to do; where it
 * approaches there is no solution, and no answer says that there is one. */
static void test_unmoved(void **state)
{
    (void)state;
    static const tl_solver_kind kinds[] = {TL_PSOR, TL_JACOBI, TL_APGD, TL_SPG, TL_INTERIOR};
    static const double qs[3][4] = {{0.1, 1, 0.3, 0}, {-1, 0, 0.3, 0}, {0.1, 1, -0.3, 0}};
    const uint32_t start[5] = {0, 1, 2, 3, 4}, none[5] = {0}, row[4] = {0, 1, 2, 3};
    const double mu[2] = {0.5, 0.5}, guess[4] = {1, 0.1, 1, 0.1}, mass[4] = {1, 1, 1, 1};
    const double h[4] = {0, 0, sqrt(0.5), sqrt(0.5)}, f[4] = {0, 0, 0, 0};
    for (int trial = 0; trial < 60; trial++) {
        const int form = trial / 5 % 2, which = trial / 10 % 3, moved = trial / 30;
        /* `moved`: the second contact is moved by its impulse, 1/2 m/s each Ns */
        const double w[4] = {0, 0, 0.5 * moved, 0.5 * moved}, *q = qs[which];
        tl_contact_problem_def def = {.dimension = 2, .contacts = 2, .mu = mu, .guess = guess};
        if (form) {
            def.form = TL_PROBLEM_LOCAL;
            def.W = (tl_matrix){4, 4, start, row, w};
            def.q = q;
        } else {
            def.M = (tl_matrix){4, 4, start, row, mass};
            def.H = moved ? (tl_matrix){4, 4, start, row, h} : (tl_matrix){4, 4, none, NULL, NULL};
            def.f = f;
            def.w = q;
        }
        const double lost = which == 1 ? 1 : which == 2 && !moved ? 0.3 : 0; /* of u_n */
        tl_contact_problem *problem = NULL;
        tl_contact_answer answer;
        tl_solver_def solver = tight(kinds[trial % 5], TL_LAW_COULOMB, 1e-12);
        double r[4], u[4];
        solver.iterations = 200;
        solver.warm_start = true;
        context("%s, %s form, %d, %s", tl_word(TL_WORDS_SOLVER, kinds[trial % 5]),
                form ? "local" : "global", which, moved ? "one moved" : "none moved");
        assert_ok(tl_contact_problem_create(&def, &problem));
        assert_ok(tl_contact_problem_solve(problem, &solver, 1, r, &answer));
        assert_ok(tl_contact_problem_measure(problem, TL_LAW_COULOMB, r, NULL, u, NULL, NULL));
        assert_true(r[0] == 0 && r[1] == 0);
        assert_near(r[2], moved && which == 2 ? 0.6 : 0, 1e-9);
        assert_near(u[0], q[0], 0);
        assert_near(answer.worst, lost, 1e-9);
        if (lost > 0)
            assert_true(isinf(answer.gap) && answer.residual > 0.2);
        else
            assert_true(!isinf(answer.gap) && answer.residual < 1e-9);
        tl_contact_problem_destroy(problem);
    }
    /* an impulse where u leaves none: neither is that a solution */
    const double w[4] = {0, 0, 0, 0}, r[4] = {1, 0, 0, 0};
    const tl_contact_problem_def def = {.form = TL_PROBLEM_LOCAL,
                                        .dimension = 2,
                                        .contacts = 2,
                                        .W = {4, 4, start, row, w},
                                        .q = qs[0],
                                        .mu = mu};
    tl_contact_problem *problem = NULL;
    tl_contact_answer answer;
    context("an impulse without a contact");
    assert_ok(tl_contact_problem_create(&def, &problem));
    assert_ok(tl_contact_problem_measure(problem, TL_LAW_CONE, r, NULL, NULL, NULL, &answer));
    assert_true(answer.residual > 0.1);
    tl_contact_problem_destroy(problem);
}

/* ---- Refusals ---- */

static tl_contact_problem_def plain(void)
{
    static const uint32_t start[4] = {0, 1, 2, 3}, row[3] = {0, 1, 2};
    static const double value[3] = {1, 1, 1}, q[3] = {-1, 0, 0}, mu[1] = {0.5};
    return (tl_contact_problem_def){.form = TL_PROBLEM_LOCAL,
                                    .dimension = 3,
                                    .contacts = 1,
                                    .W = {3, 3, start, row, value},
                                    .q = q,
                                    .mu = mu};
}

#define REFUSE(change, text)                                                            \
    do {                                                                                \
        tl_contact_problem_def d = plain();                                             \
        change;                                                                         \
        assert_refused(tl_contact_problem_create(&d, &problem), TL_BAD_ARGUMENT, text); \
        assert_null(problem);                                                           \
    } while (0)

static void test_refusals(void **state)
{
    (void)state;
    tl_contact_problem *problem = NULL;
    const double bad[3] = {1, NAN, 1}, negative[1] = {-0.1};
    const uint32_t beyond[3] = {0, 3, 2}, falling[4] = {0, 2, 1, 3};
    context("refusals");
    REFUSE(d.form = 7, "form is 7; it must be global or local");
    REFUSE(d.dimension = 4, "dimension is 4; it must be 2 or 3");
    REFUSE(d.contacts = 2, "W is 3 x 3; it must be 6 x 6");
    REFUSE(d.W.value = bad, "W.value[1] is nan; it must be finite");
    REFUSE(d.W.row = beyond, "W.row[1] is 3; it must be below 3");
    REFUSE(d.W.start = falling, "W.start[2] is 1; it must not be below the 2 before");
    REFUSE(d.W.start = NULL, "W.start is NULL");
    REFUSE(d.q = bad, "q[1] is nan; it must be finite");
    REFUSE(d.q = NULL, "q is NULL; it must have 3 numbers");
    REFUSE(d.mu = negative, "mu[0] is -0.1; it must be finite and not negative");
    REFUSE(d.guess = bad, "guess[1] is nan; it must be finite");
    REFUSE(d.M = d.W, "M is 3 x 3; it must be empty in local form");
    REFUSE(d.f = d.q, "f is not NULL; it must be in local form");
    REFUSE(d.form = TL_PROBLEM_GLOBAL, "W is 3 x 3; it must be empty in global form");
    REFUSE((d.form = TL_PROBLEM_GLOBAL, d.W = (tl_matrix){0}),
           "q is not NULL; it must be in global form");
    problem = (void *)1;
    assert_refused(tl_contact_problem_create(NULL, &problem), TL_BAD_ARGUMENT,
                   "tl_contact_problem_create: def is NULL");
    assert_null(problem);
    problem = (void *)1;
    assert_refused(tl_contact_problem_reduce(NULL, &problem), TL_BAD_ARGUMENT,
                   "tl_contact_problem_reduce: problem is NULL");
    assert_null(problem);
    tl_contact_problem_destroy(NULL);
}

/* What solving and measuring refuse; nothing is left of what was in their outputs. */
static void test_refused_numbers(void **state)
{
    (void)state;
    const tl_contact_problem_def d = plain();
    tl_contact_problem *problem = NULL;
    tl_solver_def def = tight(TL_PSOR, TL_LAW_COULOMB, 1e-10);
    double r[3] = {1, NAN, 1}, u[3] = {7, 7, 7};
    tl_contact_answer answer = {.residual = 7};
    context("refused numbers");
    assert_ok(tl_contact_problem_create(&d, &problem));
    assert_refused(tl_contact_problem_measure(problem, TL_LAW_COULOMB, r, NULL, u, NULL, &answer),
                   TL_BAD_ARGUMENT, "r[1] is nan; it must be finite");
    r[1] = 0;
    assert_true(u[0] == 0 && u[1] == 0 && u[2] == 0 && answer.residual == 0);
    assert_refused(tl_contact_problem_measure(problem, 7, r, NULL, u, NULL, &answer),
                   TL_BAD_ARGUMENT,
                   "law is 7; it must be TL_LAW_DEFAULT, TL_LAW_CONE or TL_LAW_COULOMB");
    assert_refused(tl_contact_problem_measure(NULL, TL_LAW_CONE, r, NULL, u, NULL, &answer),
                   TL_BAD_ARGUMENT, "tl_contact_problem_measure: problem is NULL");
    assert_refused(tl_contact_problem_solve(problem, &def, 100000, r, &answer), TL_BAD_ARGUMENT,
                   "settings.threads is 100000; it must be at most 1024");
    assert_true(r[0] == 0 && r[1] == 0 && r[2] == 0);
    def.kind = 9;
    r[0] = 7;
    assert_status(tl_contact_problem_solve(problem, &def, 1, r, &answer), TL_BAD_ARGUMENT);
    assert_true(r[0] == 0);
    tl_contact_problem_destroy(problem);
}

/* M that is not positive definite. */
static void test_bad_mass(void **state)
{
    (void)state;
    const uint32_t start[3] = {0, 2, 4}, row[4] = {0, 1, 0, 1}, none[4] = {0, 0, 0, 0};
    const double flat[4] = {1, 2, 2, 4}, f[2] = {0, 0}, w[3] = {0, 0, 0}, mu[1] = {0};
    const tl_contact_problem_def def = {.dimension = 3,
                                        .contacts = 1,
                                        .M = {2, 2, start, row, flat},
                                        .H = {2, 3, none, NULL, NULL},
                                        .f = f,
                                        .w = w,
                                        .mu = mu};
    tl_contact_problem *problem = NULL, *local = NULL;
    context("bad masses");
    assert_ok(tl_contact_problem_create(&def, &problem));
    assert_refused(tl_contact_problem_reduce(problem, &local), TL_BAD_ARGUMENT,
                   "M is not positive definite: row 1, counted from 0, leaves a pivot of 0");
    assert_null(local);
    tl_contact_problem_destroy(problem);
}

/* M, W and R that are not symmetric are refused before any solver has them, with the entries as
 * they were given; what rounding leaves passes. */
static void test_asymmetric(void **state)
{
    (void)state;
    const uint32_t start[4] = {0, 3, 6, 9}, row[9] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const double b[3] = {0}, q[3] = {-1, 0, 0}, mu[1] = {0.5};
    tl_contact_problem *problem = NULL;
    context("not symmetric");
    for (int which = 0; which < 3; which++)
        for (int rounded = 0; rounded < 2; rounded++) {
            double value[9] = {4, 1, 0, 1, 3, 0, 0, 0, 2};
            const tl_matrix a = {3, 3, start, row, value};
            const tl_contact_problem_def global = {
                .dimension = 3, .contacts = 1, .M = a, .H = a, .f = b, .w = q, .mu = mu};
            tl_contact_problem_def local = {
                .form = TL_PROBLEM_LOCAL, .dimension = 3, .contacts = 1, .W = a, .q = q, .mu = mu};
            char text[256];
            value[7] = rounded ? 3.9e-7 : 0.5;
            snprintf(
                text, sizeof text,
                "%c is not symmetric: its entries (2, 1) and (1, 2), counted from 0, are 0 and "
                "0.5; they may differ by 1e-07 times the largest entry, 4",
                "MWR"[which]);
            const double even[9] = {4, 1, 0, 1, 3, 0, 0, 0, 2};
            if (which == 2) {
                local.W.value = even;
                local.V = local.R = a;
                local.s = b;
            }
            const tl_contact_problem_def *def = which ? &local : &global;
            if (rounded)
                assert_ok(tl_contact_problem_create(def, &problem));
            else
                assert_refused(tl_contact_problem_create(def, &problem), TL_BAD_ARGUMENT, text);
            tl_contact_problem_destroy(problem);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pile),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_machine),
        cmocka_unit_test(test_world_refusals),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_unmoved),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refused_numbers),
        cmocka_unit_test(test_bad_mass),
        cmocka_unit_test(test_asymmetric),
        cmocka_unit_test(test_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
