/* labels: slow */
/* The wide kernels against the plain ones: the same bits after every step, for each instruction set
 * of this machine, every solver, law and overlap mode, in both precisions. Spheres fall on a
 * turning paddle among bodies of three spheres, so that all kinds of rows are there: central and
 * anchor rows, against moving bodies, fixed walls and one that turns. And random problems, as they
 * are. */
#include "solve/layout.h"

#define STEPS  50
#define CLUMPS 4

/* What is compared after a step, bit for bit. */
typedef struct look {
    uint64_t hash;
    double numbers[10];
    uint32_t counts[6];
} look;

typedef struct course {
    look looks[STEPS];
} course;

static look look_at(const tl_world *world, const tl_report *r)
{
    return (look){.hash = tl_world_hash(world),
                  .numbers = {r->residual, r->max_residual, r->dissipated_energy,
                              r->max_penetration, r->mean_penetration, r->kinetic_energy,
                              r->potential_energy, r->work_energy, r->carried_weight, r->imbalance},
                  .counts = {r->contacts, r->active_contacts, r->colours, r->iterations,
                             r->position_iterations, r->bodies}};
}

static tl_scene *scene_of(const variant *v, tl_body clumps[CLUMPS])
{
    tl_settings settings = settings_for(v, 1.0 / 100);
    settings.solver.iterations = 6;
    settings.solver.position_iterations = 3;
    if (v->kind == TL_JACOBI)
        settings.solver.omega = 0.1; /* a wedged clump has too many contacts for the usual 0.3 */
    tl_scene *scene = mixer_scene(&settings, 500, 4);
    tl_shape_def shapes[3];
    for (int i = 0; i < 3; i++) {
        shapes[i] = tl_sphere_default(0.07 + 0.01 * i);
        shapes[i].position[0] = 0.1 * cos(2 * i);
        shapes[i].position[1] = 0.1 * sin(2 * i);
    }
    for (int i = 0; i < CLUMPS; i++) {
        tl_body_def def = tl_body_default();
        def.shape_count = 3;
        def.shapes = shapes;
        def.mass = 3;
        def.inertia[0] = 0.01;
        def.inertia[1] = 0.015;
        def.inertia[2] = 0.02;
        def.position[0] = i % 2 ? 0.35 : -0.35;
        def.position[1] = i / 2 ? 0.35 : -0.35;
        def.position[2] = 0.1;
        clumps[i] = add_body(scene, &def);
    }
    return scene;
}

/* Which kinds of contact the world has: bit 0 two balls, 1 a clump and a ball, 2 a clump and a
 * fixed wall, 3 a ball and the paddle, 4 a clump and the paddle. */
static uint32_t kinds_of_contact(const tl_world *world, const tl_body clumps[CLUMPS])
{
    const uint32_t paddle = 6; /* after the floor and four walls */
    size_t count;
    tl_contact *contacts = contacts_of(world, &count);
    uint32_t kinds = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = contacts[i].a.index, b = contacts[i].b.index;
        const bool clump = a >= clumps[0].index || b >= clumps[0].index;
        if (b < paddle)
            kinds |= clump ? 4 : 0;
        else if (b == paddle)
            kinds |= clump ? 16 : 8;
        else
            kinds |= clump ? 2 : 1;
    }
    free(contacts);
    return kinds;
}

static course run(const variant *v, const char *set)
{
    course c;
    tl_body clumps[CLUMPS];
    uint32_t kinds = 0, most = 0;
    context("%s, %s", v->name, set);
    tl_world *world = world_of(scene_of(v, clumps));
    assert_non_null(strstr(tl_world_backend(world), set));
    for (int i = 0; i < STEPS; i++) {
        const tl_report report = step_report(world, 1);
        c.looks[i] = look_at(world, &report);
        most = report.active_contacts > most ? report.active_contacts : most;
        if (i % 5 == 0)
            kinds |= kinds_of_contact(world, clumps);
    }
    assert_int_equal(kinds, 31);
    assert_true(most > 200);
    tl_world_destroy(world);
    return c;
}

static void compare(const variant *v, const char *set, const course *plain, const course *wide)
{
    for (int i = 0; i < STEPS; i++) {
        const look *p = &plain->looks[i], *w = &wide->looks[i];
        for (size_t k = 0; k < sizeof p->counts / sizeof *p->counts; k++)
            if (p->counts[k] != w->counts[k])
                fail_msg("%s, %s, step %d: count %zu is %u, with plain kernels %u", v->name, set,
                         i + 1, k, w->counts[k], p->counts[k]);
        for (size_t k = 0; k < sizeof p->numbers / sizeof *p->numbers; k++)
            if (memcmp(&p->numbers[k], &w->numbers[k], sizeof p->numbers[k]) != 0)
                fail_msg("%s, %s, step %d: number %zu is %a, with plain kernels %a", v->name, set,
                         i + 1, k, w->numbers[k], p->numbers[k]);
        if (p->hash != w->hash)
            fail_msg("%s, %s, step %d: another hash than with plain kernels", v->name, set, i + 1);
    }
}

static void same_bits(const variant *v)
{
    const char *sets[] = {"avx2", "avx512"};
    assert_true(tl_backend_cpu_isa("base"));
    const course plain = run(v, "base");
    for (int i = 0; i < 2; i++) {
        if (!tl_backend_cpu_isa(sets[i]))
            continue;
        const course wide = run(v, sets[i]);
        compare(v, sets[i], &plain, &wide);
    }
}

static void test_double(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        const variant v = variant_at(i);
        if (v.precision == TL_DOUBLE)
            same_bits(&v);
    }
}

static void test_mixed(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        const variant v = variant_at(i);
        if (v.precision == TL_MIXED)
            same_bits(&v);
    }
}

/* ---- Random problems ---- */

typedef struct outcome {
    double *gamma, (*vel)[6], residual;
} outcome;

/* What is solved: with Coulomb friction, on the cone, without friction. */
static outcome solved(const model *m, tl_precision precision, int what)
{
    outcome o = {.gamma = zeros(3 * (size_t)m->rows, sizeof(double)),
                 .vel = zeros(m->bodies, sizeof(double[6]))};
    fixture f = fixture_new(m, precision, false);
    f.problem.view.frictionless = what == 2;
    dice d = {m->rows};
    for (uint32_t i = 0; i < 3 * m->rows && what < 2; i++)
        o.gamma[i] = roll(&d, -1, 1);
    solve(&f, m, &solvers[what == 1 ? CONE_SOLVERS - 1 : CONE_SOLVERS], 0, 7, o.gamma);
    fixture_read(&f, m, o.gamma, o.vel);
    assert_ok(tl_residual(f.backend, &f.problem, &o.residual, NULL));
    fixture_free(&f);
    return o;
}

static void outcome_free(outcome *o)
{
    free(o->gamma);
    free(o->vel);
}

/* Rows of both kinds, walls that turn, packets that are not full: the same bits. */
static void same_solution(const model *m, tl_precision precision, int what)
{
    const char *sets[] = {"avx2", "avx512"};
    assert_true(tl_backend_cpu_isa("base"));
    outcome plain = solved(m, precision, what);
    for (int i = 0; i < 2; i++) {
        if (!tl_backend_cpu_isa(sets[i]))
            continue;
        outcome wide = solved(m, precision, what);
        assert_memory_equal(plain.gamma, wide.gamma, 3 * m->rows * sizeof *plain.gamma);
        assert_memory_equal(plain.vel, wide.vel, m->bodies * sizeof *plain.vel);
        assert_memory_equal(&plain.residual, &wide.residual, sizeof plain.residual);
        outcome_free(&wide);
    }
    outcome_free(&plain);
}

static void test_problems(void **state)
{
    (void)state;
    for (int i = 0; i < 6 * FAMILIES * 5; i++) {
        const family which = (family)(i % FAMILIES);
        const uint32_t bodies = (uint32_t[]){6, 20, 60, 150, 150}[i / FAMILIES % 5];
        const int what = i / (5 * FAMILIES) % 3;
        model m = model_random((uint64_t)i + 1, which, bodies, 2 * bodies - 3);
        context("%s, %u bodies, problem %d", family_names[which], bodies, what);
        same_solution(&m, i / (15 * FAMILIES) ? TL_MIXED : TL_DOUBLE, what);
        model_free(&m);
    }
}

/* The best instruction set again, whatever happened. */
static int restore(void **state)
{
    (void)state;
    return tl_backend_cpu_isa(NULL) ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_double, restore),
                                       cmocka_unit_test_teardown(test_mixed, restore),
                                       cmocka_unit_test_teardown(test_problems, restore)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
