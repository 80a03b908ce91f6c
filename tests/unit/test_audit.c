/* The audit of the benches (bench/audit.h) against brute force over all pairs, and against states
 * whose numbers are known. The audit is no part of the library, so its source is compiled into this
 * program. */

#include "support.h"
#include "scenes.h"

#include "../../bench/audit.c"
#include "../../bench/solid.c"

#define MOST 400

/* What the audit finds, by looking at every pair and every wall. */
typedef struct expectation {
    double depths[MOST * MOST];
    size_t count, touching, escaped;
} expectation;

static void expect_gap(expectation *e, double gap, double radius)
{
    if (gap < 0)
        e->depths[e->count++] = -gap / radius;
    if (gap < 0.01 * radius)
        e->touching++;
}

static void brute_force(const audit_input *in, expectation *e)
{
    const double *p = in->positions;
    e->count = e->touching = e->escaped = 0;
    for (size_t i = 0; i < in->bodies; i++)
        for (size_t j = 0; j < i; j++) {
            double square = 0;
            for (int k = 0; k < 3; k++)
                square += (p[3 * i + k] - p[3 * j + k]) * (p[3 * i + k] - p[3 * j + k]);
            expect_gap(e, sqrt(square) - 2 * in->radius, in->radius);
        }
    for (size_t i = 0; in->boxed && i < in->bodies; i++) {
        double x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2], w = in->half_width;
        expect_gap(e, z - in->radius, in->radius);
        expect_gap(e, w - x - in->radius, in->radius);
        expect_gap(e, x + w - in->radius, in->radius);
        expect_gap(e, w - y - in->radius, in->radius);
        expect_gap(e, y + w - in->radius, in->radius);
        if (z < 0 || x < -w || x > w || y < -w || y > w)
            e->escaped++;
    }
}

/* Slabs together are the whole: every sphere and every pair is in one of them. */
static void expect_slabs(const audit_input *whole, const audit_result *all, size_t slabs)
{
    audit_input input = *whole;
    size_t audited = 0, overlapping = 0, touching = 0;
    input.slabs = slabs;
    for (input.slab = 0; input.slab < slabs; input.slab++) {
        audit_result result;
        assert_null(audit_bodies(&input, &result));
        assert_int_equal(result.escaped, all->escaped);
        audited += result.audited;
        overlapping += result.overlap.count;
        touching += result.touching;
    }
    assert_int_equal(all->audited, whole->bodies);
    assert_int_equal(audited, whole->bodies);
    assert_int_equal(overlapping, all->overlap.count);
    assert_int_equal(touching, all->touching);
}

/* The depth that 99 % of the depths do not exceed, by counting; and mean and largest. */
static void expect_statistics(const expectation *e, const audit_overlap *overlap)
{
    double sum = 0, largest = 0;
    size_t not_above = 0, below = 0;
    for (size_t i = 0; i < e->count; i++) {
        sum += e->depths[i];
        largest = e->depths[i] > largest ? e->depths[i] : largest;
        not_above += e->depths[i] <= overlap->p99 + 1e-12;
        below += e->depths[i] < overlap->p99 - 1e-12;
    }
    assert_int_equal(overlap->count, e->count);
    assert_near(overlap->max, largest, 1e-12);
    if (e->count == 0) {
        assert_near(overlap->mean, 0, 0);
        assert_near(overlap->p99, 0, 0);
        return;
    }
    assert_near(overlap->mean, sum / (double)e->count, 1e-12);
    assert_true(100 * not_above >= 99 * e->count);
    assert_true(100 * below < 99 * e->count);
}

/* Random sets from sparse to crowded, some reaching out of the box, at several scales and offsets.
 */
static void test_random_sets(void **unused)
{
    (void)unused;
    static expectation expected;
    static double positions[3 * MOST];
    dice random = {1};
    size_t pairs = 0, escaped = 0;
    for (int set = 0; set < 300; set++) {
        size_t bodies = (size_t)roll(&random, 1, MOST);
        double radius = pow(10, roll(&random, -3, 1));
        double width = radius * roll(&random, 2, 20);
        for (size_t i = 0; i < 3 * bodies; i++)
            positions[i] = roll(&random, -width, width);
        for (size_t i = 0; i < bodies; i++)
            positions[3 * i + 2] += 0.99 * width;
        audit_input input = {.bodies = bodies,
                             .radius = radius,
                             .mass = 1,
                             .boxed = set % 3 != 0,
                             .half_width = 0.98 * width,
                             .positions = positions};
        audit_result result;
        assert_null(audit_bodies(&input, &result));
        brute_force(&input, &expected);
        expect_statistics(&expected, &result.overlap);
        assert_int_equal(result.touching, expected.touching);
        assert_int_equal(result.escaped, expected.escaped);
        expect_slabs(&input, &result, 2 + (size_t)set % 6);
        pairs += expected.count;
        escaped += expected.escaped;
    }
    assert_true(pairs > 10000); /* the sets do test something */
    assert_true(escaped > 100);
}

/* Two spheres on the floor, one of them in a wall, one pair just apart: every number by hand. */
static void test_known_state(void **unused)
{
    (void)unused;
    const double positions[] = {0,   0,     0.9, /* 10 % in the floor */
                                1.8, 0,     1,   /* 19.7 % in the first one; 5 % in the wall */
                                0,   2.005, 1.0, -4, 0, 1.5};
    const double velocities[] = {3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const double angular[] = {0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0};
    audit_input input = {.bodies = 4,
                         .radius = 1,
                         .mass = 10,
                         .boxed = true,
                         .half_width = 2.75,
                         .positions = positions,
                         .velocities = velocities,
                         .angular = angular};
    audit_result result;
    assert_null(audit_bodies(&input, &result));
    double pair = 2 - sqrt(1.8 * 1.8 + 0.1 * 0.1);
    assert_int_equal(result.overlap.count, 5); /* floor, pair, two walls, and the one outside */
    assert_near(result.overlap.max, 2.25, 1e-12);
    assert_near(result.overlap.mean, (0.1 + pair + 0.05 + 0.255 + 2.25) / 5, 1e-12);
    assert_int_equal(result.touching, 8); /* and the pair just apart, two floors */
    assert_int_equal(result.escaped, 1);
    /* 1/2 m v^2 = 125 J of the first, 1/2 (2/5 m r^2) w^2 = 50 J of the third */
    assert_near(result.joules_per_body, 175.0 / 4, 1e-12);
}

/* 1, ..., n: the 99th percentile by nearest rank is ceil(0.99 n). */
static void test_percentile(void **unused)
{
    (void)unused;
    static const size_t counts[][2] = {{1, 1},    {2, 2},     {99, 99},
                                       {100, 99}, {101, 100}, {1000, 990}};
    static double depths[1000];
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        size_t n = counts[c][0];
        for (size_t i = 0; i < n; i++)
            depths[i] = (double)(n - i);
        audit_overlap overlap = audit_overlaps(depths, n);
        assert_near(overlap.p99, (double)counts[c][1], 0);
        assert_near(overlap.mean, 0.5 * (double)(n + 1), 1e-12);
        assert_near(overlap.max, (double)n, 0);
    }
}

/* The start states of the benches: exact in 32 bits, a pile that touches nothing, and random
 * spheres with as many contacts as asked for. */
static void test_start_states(void **unused)
{
    (void)unused;
    const size_t bodies = 20000;
    double *centres = malloc(3 * bodies * sizeof *centres);
    assert_non_null(centres);
    audit_input input = {.bodies = bodies, .mass = 1, .boxed = true, .positions = centres};
    audit_result result;

    pile_options pile = pile_default();
    double height;
    pile.bodies = bodies;
    pile_centres(&pile, centres, &input.half_width, &height);
    input.radius = pile.radius;
    assert_null(audit_bodies(&input, &result));
    assert_int_equal(result.touching + result.escaped, 0);
    for (size_t i = 0; i < 3 * bodies; i++)
        assert_true(centres[i] == (double)(float)centres[i] && centres[i] < height);

    tl_scene *scene;
    tl_settings settings = tl_settings_default();
    assert_ok(random_spheres_scene(bodies, 0.46, 7, &input.radius, centres, &settings, &scene));
    assert_int_equal(tl_scene_body_count(scene), bodies);
    tl_scene_destroy(scene);
    input.boxed = false;
    assert_null(audit_bodies(&input, &result));
    /* Pairs are as good as independent: the deviation of their number is its root, here 1 %. */
    assert_near((double)result.overlap.count / bodies, 0.46, 5 * sqrt(0.46 / bodies));
    for (size_t i = 0; i < 3 * bodies; i++)
        assert_true(centres[i] == (double)(float)centres[i]);
    free(centres);
}

static void test_refuses(void **unused)
{
    (void)unused;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e9};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double positions[] = {0, 0, 0, 0, bad[i], 0};
        audit_input input = {.bodies = 2, .radius = 0.1, .mass = 1, .positions = positions};
        audit_result result;
        assert_non_null(audit_bodies(&input, &result));
    }
}

static void test_empty(void **unused)
{
    (void)unused;
    audit_input input = {.bodies = 0, .radius = 0.1, .mass = 1, .boxed = true, .half_width = 1};
    audit_result result;
    assert_null(audit_bodies(&input, &result));
    assert_int_equal(result.overlap.count, 0);
    assert_int_equal(result.touching, 0);
    assert_near(result.joules_per_body, 0, 0);
}

/* The solids that piles are made of. */
static solid solid_of(pile_kind kind)
{
    const pile_options pile = pile_of(kind);
    double corners[PILE_CORNERS][3];
    solid made;
    assert_true(solid_make(pile_corners(&pile, corners), (const double(*)[3])corners, &made));
    return made;
}

/* The turn b, and then a. */
static void product(const double a[4], const double b[4], double out[4])
{
    double across[3];
    cross(a + 1, b + 1, across);
    out[0] = a[0] * b[0] - dot(a + 1, b + 1);
    for (int k = 0; k < 3; k++)
        out[1 + k] = a[0] * b[1 + k] + b[0] * a[1 + k] + across[k];
}

/* Faces, volume and moments of a cube by hand; of a hull, by counting points inside. */
static void test_solids(void **unused)
{
    (void)unused;
    const solid cube = solid_of(PILE_CUBES), hull = solid_of(PILE_HULLS);
    assert_int_equal(cube.face_count, 6);
    assert_int_equal(cube.direction_count, 3);
    assert_near(cube.volume, 0.008, 1e-15);
    assert_near(cube.radius, 0.1 * sqrt(3), 1e-15);
    for (int k = 0; k < 3; k++)
        assert_near(cube.inertia[k], 0.008 * 0.04 / 6, 1e-15);
    assert_int_equal(hull.corner_count, 16);
    const double box[3] = {0.14, 0.11, 0.09};
    double inside = 0, moment[3] = {0, 0, 0};
    dice random = {5};
    for (int i = 0; i < 200000; i++) {
        double x[3];
        bool in = true;
        for (int k = 0; k < 3; k++)
            x[k] = roll(&random, -box[k], box[k]);
        for (uint32_t f = 0; f < hull.face_count; f++)
            in = in && dot(hull.face[f], x) <= hull.face[f][3];
        inside += in;
        for (int k = 0; k < 3 && in; k++)
            moment[k] += dot(x, x) - x[k] * x[k];
    }
    const double each = 8 * box[0] * box[1] * box[2] / 200000;
    assert_near(hull.volume / (each * inside), 1, 0.01);
    for (int k = 0; k < 3; k++)
        assert_near(hull.inertia[k] / (each * moment[k]), 1, 0.015);
    solid made;
    const double flat[5][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0.1, 0, 0}};
    assert_false(solid_make(5, flat, &made)); /* no solid */
    const double aside[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 2}};
    assert_false(solid_make(4, aside, &made)); /* about another point */
}

/* Two cubes at a distance: face to face, edge to face, and edge to edge across; wherever they are
 * and however both are turned. */
static void test_solid_gaps(void **unused)
{
    (void)unused;
    const solid cube = solid_of(PILE_CUBES);
    const double c = cos(PI / 8), s = sin(PI / 8), r = 0.1;
    const double own[3][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}, {c, 0, s, 0}};
    const double other[3][4] = {{1, 0, 0, 0}, {c, 0, 0, s}, {c, 0, 0, s}};
    const double reach[3] = {2 * r, (1 + sqrt(2)) * r, 2 * sqrt(2) * r};
    dice random = {6};
    for (int i = 0; i < 3000; i++) {
        const int kind = i % 3;
        const double d = roll(&random, 0.7, 1.05) * reach[kind], along[3] = {d, 0, 0};
        const double a[3] = {roll(&random, -9, 9), roll(&random, -9, 9), roll(&random, -9, 9)};
        double all[4], qa[4], qb[4], b[3], way[3];
        roll_turn(&random, all);
        product(all, own[kind], qa);
        product(all, other[kind], qb);
        solid_turn(all, false, along, way);
        for (int k = 0; k < 3; k++)
            b[k] = a[k] + way[k];
        solid_place pa, pb;
        solid_put(&cube, a, qa, &pa);
        solid_put(&cube, b, qb, &pb);
        context("kind %d at %g", kind, d);
        assert_near(solid_gap(&cube, &pa, &pb, 1), d - reach[kind], 1e-12);
    }
}

/* Random sets of solids against all pairs and all corners, and their energy. */
static void test_solid_sets(void **unused)
{
    (void)unused;
    static expectation expected;
    static double positions[3 * MOST], turns[4 * MOST], angular[3 * MOST];
    static solid_place places[MOST];
    dice random = {7};
    size_t pairs = 0;
    for (int set = 0; set < 40; set++) {
        const solid shape = solid_of(set % 2 ? PILE_CUBES : PILE_HULLS);
        const size_t bodies = (size_t)roll(&random, 1, 60);
        const double width = roll(&random, 0.2, 0.8), w = 0.9 * width, size = 0.2;
        double energy = 0;
        expected.count = expected.touching = 0;
        for (size_t i = 0; i < bodies; i++) {
            double spin[3];
            for (int k = 0; k < 3; k++) {
                positions[3 * i + k] = roll(&random, -width, width) + (k == 2 ? width : 0);
                angular[3 * i + k] = roll(&random, -1, 1);
            }
            roll_turn(&random, turns + 4 * i);
            solid_put(&shape, positions + 3 * i, turns + 4 * i, &places[i]);
            solid_turn(turns + 4 * i, true, angular + 3 * i, spin);
            double gaps[5] = {9, 9, 9, 9, 9};
            for (uint32_t c = 0; c < shape.corner_count; c++) {
                const double *p = places[i].corner[c];
                const double gap[5] = {p[2], w - p[0], w + p[0], w - p[1], w + p[1]};
                for (int k = 0; k < 5; k++)
                    gaps[k] = fmin(gaps[k], gap[k]);
            }
            for (int k = 0; k < 5; k++)
                expect_gap(&expected, gaps[k], size);
            for (int k = 0; k < 3; k++)
                energy += 0.5 * 3 * shape.inertia[k] / shape.volume * spin[k] * spin[k];
            for (size_t j = 0; j < i; j++)
                expect_gap(&expected, solid_gap(&shape, &places[i], &places[j], 9), size);
        }
        audit_input input = {.bodies = bodies,
                             .shape = &shape,
                             .orientations = turns,
                             .radius = size,
                             .mass = 3,
                             .boxed = true,
                             .half_width = w,
                             .positions = positions,
                             .angular = angular};
        audit_result result;
        assert_null(audit_bodies(&input, &result));
        expect_statistics(&expected, &result.overlap);
        assert_int_equal(result.touching, expected.touching);
        assert_near(result.joules_per_body, energy / (double)bodies, 1e-12);
        pairs += expected.count;
    }
    assert_true(pairs > 2000);
}

/* Cubes and hulls start apart, however they are turned, and exact in 32 bits. */
static void test_solid_starts(void **unused)
{
    (void)unused;
    const size_t bodies = 3000;
    double *centres = malloc(7 * bodies * sizeof *centres);
    assert_non_null(centres);
    for (int kind = PILE_CUBES; kind <= PILE_HULLS; kind++) {
        const solid shape = solid_of((pile_kind)kind);
        pile_options pile = pile_of((pile_kind)kind);
        double height;
        pile.bodies = bodies;
        audit_input input = {.bodies = bodies,
                             .shape = &shape,
                             .orientations = centres + 3 * bodies,
                             .radius = 0.2,
                             .mass = 1,
                             .boxed = true,
                             .positions = centres};
        audit_result result;
        pile_centres(&pile, centres, &input.half_width, &height);
        pile_orientations(&pile, centres + 3 * bodies);
        assert_null(audit_bodies(&input, &result));
        assert_int_equal(result.overlap.count + result.escaped, 0);
        assert_true(result.top < height);
        for (size_t i = 0; i < 7 * bodies; i++)
            assert_true(centres[i] == (double)(float)centres[i]);
    }
    free(centres);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_sets), cmocka_unit_test(test_known_state),
        cmocka_unit_test(test_percentile),  cmocka_unit_test(test_start_states),
        cmocka_unit_test(test_refuses),     cmocka_unit_test(test_empty),
        cmocka_unit_test(test_solids),      cmocka_unit_test(test_solid_gaps),
        cmocka_unit_test(test_solid_sets),  cmocka_unit_test(test_solid_starts),
    };
    return cmocka_run_group_tests_name("audit", tests, NULL, NULL);
}
