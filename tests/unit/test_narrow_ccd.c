/* Convex shapes against libccd. */
/* labels: longer */
/* Whether polytopes overlap, and how deep, against the GJK and EPA of libccd: thousands of pairs in
 * `make test`, millions among the long tests. */
#include "narrow_shapes.h"

#include <ccd/ccd.h>

static void ccd_support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *out)
{
    tlk_support(object, dir->v, out->v);
}

static ccd_t ccd_settings(void)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd_support;
    ccd.support2 = ccd_support;
    ccd.max_iterations = 500;
    ccd.epa_tolerance = 1e-12;
    return ccd;
}

/* Two shapes, in most cases with a small overlap or gap. */
static void roll_pair(dice *d, solid *a, solid *b)
{
    static const uint32_t kinds[] = {TLK_BOX, TLK_HULL, TLK_HULL};
    double n[3];
    roll_solid(a, d, kinds[(int)roll(d, 0, 2.999)], 10);
    roll_solid(b, d, kinds[(int)roll(d, 0, 2.999)], 10);
    a->c.rounding = b->c.rounding = 0;
    roll_direction(d, n);
    const double move = roll(d, -0.3, 0.1) - separation_along(&a->c, &b->c, n);
    for (int k = 0; k < 3; k++)
        b->c.origin[k] = move * n[k];
}

static void test_overlaps(void **state)
{
    (void)state;
    const int pairs = is_long() ? 1000000 : 5000;
    const ccd_t ccd = ccd_settings();
    dice d = {11};
    int deep = 0, agreed = 0;
    for (int i = 0; i < pairs; i++) {
        static solid a, b;
        tlk_manifold m;
        double gap = INFINITY, n[3], depth;
        ccd_vec3_t dir, pos;
        context("pair %d", i);
        roll_pair(&d, &a, &b);
        const double scale = tlk_core_reach(&a.c) + tlk_core_reach(&b.c);
        tlk_collide_convex(&a.c, &b.c, 100, NULL, &m);
        for (uint32_t j = 0; j < m.count; j++)
            gap = fmin(gap, m.gap[j]);
        if (fabs(gap) > 1e-9 * scale)
            assert_int_equal(ccdGJKIntersect(&a.c, &b.c, &ccd), gap < 0);
        if (gap > -1e-6 * scale || ccdGJKPenetration(&a.c, &b.c, &ccd, &depth, &dir, &pos) != 0)
            continue;
        /* no direction that libccd finds is better than ours */
        memcpy(n, dir.v, sizeof n);
        if (!(tlk_unit(n) > 0.5))
            continue;
        assert_below(separation_along(&a.c, &b.c, n), gap + 1e-11 * scale);
        deep++;
        agreed += fabs(depth + gap) < 1e-8 * scale ? 1 : 0;
    }
    assert_above(deep, pairs / 4);
    assert_above(agreed, 0.99 * deep); /* its EPA gives up on a few */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_overlaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
