/* Random pairs of convex shapes of all kinds. */
/* labels: longer */
/* Gaps against the greatest separation that brute force finds over all directions; points on both
 * surfaces; the same contacts where shapes are swapped, moved together, moved a little or given a
 * guess. */
#include "narrow_shapes.h"

static bool is_curved(uint32_t kind)
{
    return kind == TLK_CYLINDER || kind == TLK_CONE || kind == TLK_ELLIPSOID;
}

static double least_gap(const tlk_manifold *m)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < m->count; i++)
        least = fmin(least, m->gap[i]);
    return least;
}

/* What two answers for one pair may differ by: where curved cores overlap deeply, one may have
 * missed what the other found (test_gaps counts how often). */
static double same_gap(const solid *a, const solid *b, double gap, double scale)
{
    if (!is_curved(a->c.kind) && !is_curved(b->c.kind))
        return 1e-12 * scale;
    const bool deep = gap + a->c.rounding + b->c.rounding < -0.02 * scale;
    return (deep ? 1e-4 : 1e-8) * scale;
}

/* Two shapes, in most cases near each other: `b` is moved along a random direction until its
 * separation is within a share of its size. */
static void roll_pair(dice *d, uint32_t i, uint32_t j, double wide, solid *a, solid *b)
{
    double n[3];
    roll_solid(a, d, i, wide);
    roll_solid(b, d, j, wide);
    roll_direction(d, n);
    if (i == TLK_PLANE)
        memcpy(n, a->c.axis + 6, sizeof n);
    const double want = roll(d, 0, 1) < 0.7 ? roll(d, -0.2, 0.2) : roll(d, -1.5, 0);
    const double move = want - separation_along(&a->c, &b->c, n);
    for (int k = 0; k < 3; k++)
        b->c.origin[k] = move * n[k] + (roll(d, 0, 1) < 0.5 ? roll(d, -0.2, 0.2) : 0);
}

/* For each pair of kinds, `times` pairs. */
static void for_pairs(void (*check)(dice *, const solid *, const solid *, double), int times,
                      double wide)
{
    for (int i = 0; i < SUM_KINDS; i++) {
        for (int j = i == 0 ? 1 : i; j < SUM_KINDS; j++) {
            dice d = {1000u * (uint64_t)i + (uint64_t)j + 1};
            for (int t = 0; t < times; t++) {
                static solid a, b;
                context("%s and %s, pair %d", kind_name(all_kinds[i]), kind_name(all_kinds[j]), t);
                roll_pair(&d, all_kinds[i], all_kinds[j], wide, &a, &b);
                check(&d, &a, &b,
                      tlk_core_reach(&a.c) + tlk_core_reach(&b.c) + a.c.rounding + b.c.rounding);
            }
        }
    }
}

/* Pairs with a curved core, and those of them, deep overlaps alone, where a direction that is
 * better by less than 1e-4 of the size was missed: few may be. */
static int curved_pairs, missed_pairs;

/* The gap is the separation along the normal, and no direction has a greater one. */
static void check_gap(dice *d, const solid *a, const solid *b, double scale)
{
    tlk_manifold m;
    double n[3];
    const bool curved = is_curved(a->c.kind) || is_curved(b->c.kind);
    const double tolerance = (curved ? 1e-9 : 1e-12) * scale;
    tlk_collide_convex(&a->c, &b->c, 100, NULL, &m);
    assert_true(m.count > 0);
    assert_near(norm3(m.n), 1, 1e-13);
    if (a->c.kind == TLK_PLANE)
        memcpy(m.n, a->c.axis + 6, sizeof n);
    assert_near(least_gap(&m), separation_along(&a->c, &b->c, m.n), tolerance);
    if (a->c.kind != TLK_PLANE) {
        const double more = best_separation(&a->c, &b->c, d, 4, n) - least_gap(&m);
        const double core = least_gap(&m) + a->c.rounding + b->c.rounding;
        const bool deep = curved && core < -0.02 * scale;
        assert_below(more, (deep ? 1e-4 : curved ? 1e-8 : 1e-10) * scale);
        curved_pairs += curved ? 1 : 0;
        missed_pairs += deep && more > 1e-8 * scale ? 1 : 0;
    }
}

static void test_gaps(void **state)
{
    (void)state;
    curved_pairs = missed_pairs = 0;
    for_pairs(check_gap, is_long() ? 4000 : SOME(60), 3);
    assert_below(missed_pairs, curved_pairs / 5000);
}

static void test_gaps_thin(void **state)
{
    (void)state;
    curved_pairs = missed_pairs = 0;
    for_pairs(check_gap, is_long() ? 2000 : SOME(30), 1000);
    assert_below(missed_pairs, curved_pairs / 5000);
}

/* Cylinders along an edge of the other shape, or along its axis, but for a tilt of 1e-9 to 0.3,
 * and nearly touching it there, overlapping as often as not: as wheels run over plates. */
static void roll_along(dice *d, uint32_t kind, solid *a, solid *b)
{
    double p[3], e[3], n[3], across[3], tilt[3];
    roll_solid(a, d, kind, 3);
    roll_solid(b, d, TLK_CYLINDER, 3);
    for (int k = 0; k < 3; k++) {
        p[k] = a->c.origin[k];
        e[k] = a->c.axis[6 + k];
    }
    if (kind != TLK_CYLINDER)
        tlk_edge_in(&a->c, (uint32_t)roll(d, 0, tlk_edge_count(&a->c)), NULL, p, e);
    roll_direction(d, tilt);
    const double size = pow(10, roll(d, -9, -0.5)) * sqrt(dot3(e, e)), part = roll(d, -0.2, 1.2);
    for (int k = 0; k < 3; k++) {
        n[k] = p[k] + 0.5 * e[k] - a->c.origin[k] + roll(d, -0.3, 0.3);
        b->c.axis[6 + k] = e[k] + size * tilt[k];
        b->c.origin[k] = p[k] + part * e[k];
    }
    tlk_unit(b->c.axis + 6);
    tlk_perpendicular(b->c.axis + 6, b->c.axis);
    cross3(b->c.axis + 6, b->c.axis, b->c.axis + 3);
    cross3(e, n, across);
    cross3(across, e, n);
    tlk_unit(n);
    const double want = (roll(d, 0, 1) < 0.5 ? -1 : 1) * pow(10, roll(d, -9, -1));
    const double move = want - separation_along(&a->c, &b->c, n);
    add3(b->c.origin, move, n, b->c.origin);
}

static void test_gaps_along(void **state)
{
    const uint32_t kinds[] = {TLK_BOX, TLK_HULL, TLK_CYLINDER};
    (void)state;
    curved_pairs = missed_pairs = 0;
    for (int i = 0; i < 3; i++) {
        dice d = {77u + (uint64_t)i};
        for (int t = 0; t < (is_long() ? 40000 : SOME(600)); t++) {
            static solid a, b;
            context("%s and a cylinder along it, pair %d", kind_name(kinds[i]), t);
            roll_along(&d, kinds[i], &a, &b);
            check_gap(&d, &a, &b,
                      tlk_core_reach(&a.c) + tlk_core_reach(&b.c) + a.c.rounding + b.c.rounding);
        }
    }
}

/* How far below the surface a point may be: what is rounded is moved from its core along the
 * normal, which the normal of a tilted face is not. (Distances of points beyond a hull's corners
 * are known from below only.) */
static double sunk(const tlk_convex *c)
{
    return (c->kind == TLK_HULL ? 1 : 0.12) * c->rounding;
}

/* Points: on a, `gap` from b, within the limit, feature ids all different. */
static void check_points(dice *d, const solid *a, const solid *b, double scale)
{
    tlk_manifold m, all;
    const double limit = roll(d, 0, 0.3), flush = 1e-5 * scale;
    tlk_collide_convex(&a->c, &b->c, limit, NULL, &m);
    tlk_collide_convex(&a->c, &b->c, 100, NULL, &all);
    assert_int_equal(m.count > 0, least_gap(&all) <= limit);
    for (uint32_t i = 0; i < m.count; i++) {
        double other[3];
        add3(m.at[i], m.gap[i], m.n, other);
        assert_below(m.gap[i], limit);
        /* of lines that run nearly along each other, a gap is along its own direction, of a slope
         * of at most 0.5 against the normal: 2 sin(atan(0.5) / 2) */
        const double askew = m.count < 4 ? 0.46 * fabs(m.gap[i]) : 0;
        const double on_a = surface_distance(&a->c, m.at[i]), on_b = surface_distance(&b->c, other);
        assert_below(on_a, flush + askew);
        assert_above(on_a, -flush - sunk(&a->c) - askew);
        assert_below(on_b, flush + askew);
        assert_above(on_b, -flush - sunk(&b->c) - askew);
        for (uint32_t j = 0; j < i; j++)
            assert_true(m.feature[i] != m.feature[j]);
    }
}

static void test_points(void **state)
{
    (void)state;
    for_pairs(check_points, is_long() ? 20000 : SOME(400), 3);
}

/* The same contacts but for rounding. */
static void same_contacts(const tlk_manifold *m, const tlk_manifold *other, double tolerance)
{
    assert_int_equal(m->count, other->count);
    for (uint32_t i = 0; i < m->count; i++) {
        double nearest = INFINITY;
        for (uint32_t j = 0; j < m->count; j++)
            nearest =
                fmin(nearest, distance3(m->at[i], other->at[j]) + fabs(m->gap[i] - other->gap[j]));
        assert_below(nearest, tolerance);
    }
}

static void check_swap(dice *d, const solid *a, const solid *b, double scale)
{
    tlk_manifold m, back;
    (void)d;
    tlk_collide_convex(&a->c, &b->c, 0.1, NULL, &m);
    tlk_collide_convex(&b->c, &a->c, 0.1, NULL, &back);
    for (uint32_t i = 0; i < back.count; i++)
        add3(back.at[i], back.gap[i], back.n, back.at[i]);
    same_contacts(&m, &back, 1e-12 * scale);
    if (m.count > 0)
        assert_near(dot3(m.n, back.n), -1, 1e-14);
}

static void test_swap(void **state)
{
    (void)state;
    for_pairs(check_swap, is_long() ? 20000 : SOME(400), 3);
}

static void move_solid(const solid *s, const double q[4], const double by[3], solid *out)
{
    *out = *s;
    out->c.vertex = s->c.vertex == NULL ? NULL : out->numbers;
    out->c.words = s->c.words == NULL ? NULL : out->words;
    rotate(q, 1, s->c.origin, out->c.origin);
    add3(out->c.origin, 1, by, out->c.origin);
    for (int k = 0; k < 3; k++)
        rotate(q, 1, s->c.axis + 3 * k, out->c.axis + 3 * k);
}

/* Moved together, by a turn and a shift: gap and normal move with them. */
static void check_motion(dice *d, const solid *a, const solid *b, double scale)
{
    static solid c, e;
    tlk_manifold m, moved;
    double q[4], by[3], n[3];
    roll_turn(d, q);
    roll3(d, -1, 1, by);
    move_solid(a, q, by, &c);
    move_solid(b, q, by, &e);
    tlk_collide_convex(&a->c, &b->c, 100, NULL, &m);
    tlk_collide_convex(&c.c, &e.c, 100, NULL, &moved);
    assert_near(least_gap(&m), least_gap(&moved), same_gap(a, b, least_gap(&m), scale));
    rotate(q, 1, m.n, n);
    /* of two directions that are equally good, either */
    const double along = separation_along(&c.c, &e.c, n);
    if (a->c.kind != TLK_PLANE && dot3(n, moved.n) < 1 - 1e-6)
        assert_near(along, least_gap(&moved), 10 * same_gap(a, b, least_gap(&m), scale));
}

static void test_motion(void **state)
{
    (void)state;
    for_pairs(check_motion, is_long() ? 10000 : SOME(200), 3);
}

/* Moved a little: no gap changes by more than what was moved. */
static void check_small_motion(dice *d, const solid *a, const solid *b, double scale)
{
    static solid e;
    tlk_manifold m, moved;
    double q[4], by[3], axis[3];
    const double little = 1e-6;
    roll_direction(d, axis);
    turn(axis, little, q);
    roll3(d, -little, little, by);
    move_solid(b, q, by, &e);
    tlk_collide_convex(&a->c, &b->c, 100, NULL, &m);
    tlk_collide_convex(&a->c, &e.c, 100, m.n, &moved);
    const double reach = norm3(b->c.origin) + scale;
    assert_near(least_gap(&m), least_gap(&moved), little * (2 + reach));
}

static void test_small_motion(void **state)
{
    (void)state;
    for_pairs(check_small_motion, is_long() ? 10000 : SOME(200), 3);
}

/* A guess, right or wrong, is only a start. */
static void check_guess(dice *d, const solid *a, const solid *b, double scale)
{
    tlk_manifold m, guided;
    double guess[3];
    tlk_collide_convex(&a->c, &b->c, 0.1, NULL, &m);
    roll_direction(d, guess);
    if (m.count > 0 && roll(d, 0, 1) < 0.5)
        add3(m.n, 1e-3, guess, guess);
    tlk_collide_convex(&a->c, &b->c, 0.1, guess, &guided);
    assert_int_equal(m.count > 0, guided.count > 0);
    if (m.count > 0)
        assert_near(least_gap(&m), least_gap(&guided), same_gap(a, b, least_gap(&m), scale));
}

static void test_guess(void **state)
{
    (void)state;
    for_pairs(check_guess, is_long() ? 20000 : SOME(400), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps),         cmocka_unit_test(test_gaps_thin),
        cmocka_unit_test(test_gaps_along),   cmocka_unit_test(test_points),
        cmocka_unit_test(test_swap),         cmocka_unit_test(test_motion),
        cmocka_unit_test(test_small_motion), cmocka_unit_test(test_guess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
