/* The separating directions that exact steps know of a pair of polytopes, against brute force: a
 * direction is one if the farthest points of the first along it and the nearest of the second span
 * a plane, which is a face of the Minkowski difference. All triples of points of either polytope
 * and all pairs of each are tried. */
#include "step/exact.h"
#include "support.h"

#define CORNERS 10
#define MOST    400
#define TINY    1e-9
#define ALIKE   1e-6 /* the cosine by which edges must differ from a face's direction */

typedef struct polytope {
    int count;
    double x[CORNERS][3]; /* in the world */
} polytope;

typedef struct directions {
    int count;
    double n[MOST][3], psi[MOST];
    bool face[MOST];
} directions;

static double farthest(const polytope *p, const double n[3], double sign)
{
    double most = -INFINITY;
    for (int i = 0; i < p->count; i++)
        most = fmax(most, sign * tl_dot(n, p->x[i]));
    return most;
}

static bool is_farthest(const polytope *p, int i, const double n[3], double sign)
{
    return sign * tl_dot(n, p->x[i]) > farthest(p, n, sign) - TINY;
}

static void add(directions *to, const polytope p[2], const double n[3], bool face)
{
    for (int i = 0; i < to->count; i++)
        if (tl_dot(to->n[i], n) > (face ? 1 - TINY : 1 - ALIKE) && (face || to->face[i]))
            return;
    assert_true(to->count < MOST);
    memcpy(to->n[to->count], n, 3 * sizeof *n);
    to->psi[to->count] = -farthest(&p[1], n, -1) - farthest(&p[0], n, 1);
    to->face[to->count++] = face;
}

/* The direction across two edges, or none where they are parallel. */
static bool across(const double a[3], const double b[3], const double c[3], const double d[3],
                   double sign, double n[3])
{
    double e[3], f[3];
    tl_sub(b, a, e);
    tl_sub(d, c, f);
    tl_cross(e, f, n);
    const double length = tl_length(n);
    for (int k = 0; k < 3; k++)
        n[k] *= sign / length;
    return length > 1e-6 * tl_length(e) * tl_length(f);
}

static void search(const polytope p[2], directions *out)
{
    double n[3];
    out->count = 0;
    for (int side = 0; side < 2; side++) /* faces */
        for (int i = 0; i < p[side].count; i++)
            for (int j = 0; j < p[side].count; j++)
                for (int k = 0; k < p[side].count; k++) {
                    const double(*x)[3] = p[side].x, sign = side ? -1 : 1;
                    if (i != j && j != k && i != k && across(x[i], x[j], x[i], x[k], 1, n) &&
                        is_farthest(&p[side], i, n, sign) && is_farthest(&p[side], j, n, sign) &&
                        is_farthest(&p[side], k, n, sign))
                        add(out, p, n, true);
                }
    for (int i = 0; i < p[0].count; i++) /* pairs of edges */
        for (int j = 0; j < i; j++)
            for (int k = 0; k < p[1].count; k++)
                for (int l = 0; l < p[1].count; l++)
                    if (l != k && across(p[0].x[i], p[0].x[j], p[1].x[k], p[1].x[l], 1, n) &&
                        is_farthest(&p[0], i, n, 1) && is_farthest(&p[0], j, n, 1) &&
                        is_farthest(&p[1], k, n, -1) && is_farthest(&p[1], l, n, -1))
                        add(out, p, n, false);
}

/* A box or a random hull, and where its corners are. */
static void make(tl_scene *scene, dice *rolls, bool box, bool dynamic, double distance, polytope *p)
{
    double local[CORNERS][3];
    tl_body_def def = tl_body_default();
    tl_shape_def shape;
    p->count = box ? 8 : CORNERS;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++)
            local[i][k] = box ? (i >> k & 1 ? 0.1 : -0.1) * (k + 1) : roll(rolls, -0.2, 0.2);
    if (box) {
        shape = tl_box_default(0.1, 0.2, 0.3);
    } else {
        tl_geometry geometry;
        assert_ok(tl_scene_add_hull(scene, CORNERS, local[0], &geometry));
        shape = tl_hull_default(geometry);
    }
    def.kind = dynamic ? TL_DYNAMIC : TL_FIXED;
    def.shape_count = 1;
    def.shapes = &shape;
    for (int k = 0; k < 3; k++)
        def.position[k] = roll(rolls, -0.05, 0.05) + (k == 2 ? distance : 0);
    turn((double[3]){roll(rolls, -1, 1), roll(rolls, -1, 1), roll(rolls, -1, 1)}, roll(rolls, 0, 3),
         def.orientation);
    for (int i = 0; i < p->count; i++) {
        rotate(def.orientation, 1, local[i], p->x[i]);
        for (int k = 0; k < 3; k++)
            p->x[i][k] += def.position[k];
    }
    add_body(scene, &def);
}

/* The directions of the one group of a world, which a step leaves there. */
static void compare(const tl_world *world, const directions *brute)
{
    const tl_exact *e = world->exact;
    assert_int_equal(e->groups.count, 1);
    const tl_group *g = e->groups.data;
    const tl_facet *facet = (const tl_facet *)e->facets.data + g->first;
    const double sign = ((const uint32_t *)e->id.data)[g->body_a] == 1 ? 1 : -1;
    for (int i = 0; i < brute->count; i++) { /* each is known */
        bool known = false;
        for (uint32_t k = 0; k < g->facets; k++)
            known = known || (sign * tl_dot(facet[k].n, brute->n[i]) > 1 - 1e-8 &&
                              fabs(facet[k].psi - brute->psi[i]) < 1e-8);
        assert_true(known);
    }
    for (uint32_t k = 0; k < g->facets; k++) { /* and no others */
        bool known = false;
        for (int i = 0; i < brute->count; i++)
            known = known || sign * tl_dot(facet[k].n, brute->n[i]) > 1 - 2 * ALIKE;
        assert_true(known);
    }
}

static void brute_force(void **state)
{
    (void)state;
    dice rolls = {3};
    int total = 0;
    for (int trial = 0; trial < 300; trial++) {
        tl_settings s = tl_settings_default();
        polytope p[2];
        directions brute;
        tl_world *world;
        s.stepper = TL_STEPPER_PEG;
        s.precision = TL_DOUBLE;
        s.threads = 1;
        s.exact.epsilon = s.exact.psi_minimum = 100;
        tl_scene *scene = scene_with(&s);
        context("separating directions, trial %d", trial);
        make(scene, &rolls, trial % 3 == 2, false, 0, &p[0]);
        make(scene, &rolls, trial % 3 > 0, true, roll(&rolls, 0.2, 0.6), &p[1]);
        assert_true(tl_world_create(scene, &world) >= 0);
        tl_scene_destroy(scene);
        assert_ok(tl_world_step(world, 1, NULL));
        search(p, &brute);
        compare(world, &brute);
        total += brute.count;
        tl_world_destroy(world);
    }
    print_message("%d directions of 300 pairs\n", total);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(brute_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
