/* PEG against brute force: a particle without friction among convex polygons. Each choice of one
 * edge per polygon that it stays before, or of none, is a cell of the free space of velocities. The
 * nearest point of every cell is found by trying its sides and corners. Those that hold are the
 * solutions, and the step takes the one with the least change of velocity. */
#include "physics/shapes.h"

#define POLYGONS 3
#define EDGES    5
#define STEP     0.02
#define TINY     1e-7

typedef struct half_plane {
    double n[2], d; /* n.x >= d is outside */
} half_plane;

typedef struct course {
    int polygons, edges[POLYGONS];
    double corner[POLYGONS][EDGES][2];
    half_plane side[POLYGONS][EDGES];
    double x[2], v[2];
} course;

static double psi_of(const course *c, int p, int e)
{
    const half_plane *s = &c->side[p][e];
    return s->n[0] * c->x[0] + s->n[1] * c->x[1] - s->d;
}

/* How fast the particle opens along an edge: psi / h + n.u. */
static double opening(const course *c, int p, int e, const double u[2])
{
    const half_plane *s = &c->side[p][e];
    return psi_of(c, p, e) / STEP + s->n[0] * u[0] + s->n[1] * u[1];
}

static double most_of(const course *c, int p, const double u[2])
{
    double most = -INFINITY;
    for (int e = 0; e < c->edges[p]; e++)
        most = fmax(most, opening(c, p, e, u));
    return most;
}

static course draw_course(dice *seed)
{
    course c = {.polygons = 1 + (int)roll(seed, 0, POLYGONS)};
    for (int p = 0; p < c.polygons; p++) {
        const double at = roll(seed, 0, 2 * PI), far = roll(seed, 0.06, 0.12);
        const double turned = roll(seed, 0, 2 * PI);
        c.edges[p] = 3 + (int)roll(seed, 0, EDGES - 2);
        for (int e = 0; e < c.edges[p]; e++) {
            const double angle = turned + 2 * PI * e / c.edges[p];
            c.corner[p][e][0] = far * cos(at) + 0.055 * cos(angle);
            c.corner[p][e][1] = far * sin(at) + 0.055 * sin(angle);
        }
        for (int e = 0; e < c.edges[p]; e++) {
            const double *a = c.corner[p][e], *b = c.corner[p][(e + 1) % c.edges[p]];
            const double length = hypot(b[0] - a[0], b[1] - a[1]);
            half_plane *s = &c.side[p][e];
            s->n[0] = (b[1] - a[1]) / length;
            s->n[1] = -(b[0] - a[0]) / length;
            s->d = s->n[0] * a[0] + s->n[1] * a[1];
        }
    }
    for (int k = 0; k < 2; k++)
        c.v[k] = roll(seed, -6, 6);
    return c;
}

/* The edges of a cell: one per polygon, or -1. */
typedef struct choice {
    int edge[POLYGONS];
} choice;

static bool is_in(const course *c, const choice *cell, const double u[2])
{
    for (int p = 0; p < c->polygons; p++)
        if (cell->edge[p] >= 0 && opening(c, p, cell->edge[p], u) < -1e-9)
            return false;
    return true;
}

static void take_nearer(const course *c, const choice *cell, const double u[2], double best[2],
                        double *least)
{
    const double off = hypot(u[0] - c->v[0], u[1] - c->v[1]);
    if (off < *least && is_in(c, cell, u)) {
        *least = off;
        memcpy(best, u, 2 * sizeof *u);
    }
}

/* The point of a cell that is nearest to the particle's velocity; INFINITY: it is empty. */
static double nearest_in(const course *c, const choice *cell, double best[2])
{
    double least = INFINITY;
    take_nearer(c, cell, c->v, best, &least);
    for (int p = 0; p < c->polygons; p++) {
        if (cell->edge[p] < 0)
            continue;
        const half_plane *a = &c->side[p][cell->edge[p]];
        const double w = opening(c, p, cell->edge[p], c->v);
        take_nearer(c, cell, (double[2]){c->v[0] - w * a->n[0], c->v[1] - w * a->n[1]}, best,
                    &least);
        for (int q = 0; q < p; q++) {
            if (cell->edge[q] < 0)
                continue;
            const half_plane *b = &c->side[q][cell->edge[q]];
            const double det = a->n[0] * b->n[1] - a->n[1] * b->n[0];
            const double ra = -psi_of(c, p, cell->edge[p]) / STEP;
            const double rb = -psi_of(c, q, cell->edge[q]) / STEP;
            const double u[2] = {(ra * b->n[1] - rb * a->n[1]) / det,
                                 (rb * a->n[0] - ra * b->n[0]) / det};
            if (fabs(det) > 1e-9)
                take_nearer(c, cell, u, best, &least);
        }
    }
    return least;
}

/* Whether a point of a cell is a solution: outside of every polygon, and what pushes ends on it. */
static bool holds(const course *c, const choice *cell, const double u[2])
{
    for (int p = 0; p < c->polygons; p++) {
        const double most = most_of(c, p, u);
        if (most < -TINY)
            return false;
        if (cell->edge[p] >= 0 && most > TINY && opening(c, p, cell->edge[p], u) < TINY)
            return false; /* or it does not push, which is the cell without this edge */
    }
    return true;
}

/* Over all cells whose edges the particle is before now: the least change of velocity. */
static double brute_force(const course *c, double best[2])
{
    double least = INFINITY, u[2];
    int all = 1;
    for (int p = 0; p < c->polygons; p++)
        all *= c->edges[p] + 1;
    for (int i = 0; i < all; i++) {
        choice cell;
        bool allowed = true;
        int rest = i;
        for (int p = 0; p < c->polygons; p++) {
            cell.edge[p] = rest % (c->edges[p] + 1) - 1;
            rest /= c->edges[p] + 1;
            allowed = allowed && (cell.edge[p] < 0 || psi_of(c, p, cell.edge[p]) >= 0);
        }
        if (!allowed)
            continue;
        const double off = nearest_in(c, &cell, u);
        if (off < least && holds(c, &cell, u)) {
            least = off;
            memcpy(best, u, sizeof u);
        }
    }
    return least;
}

/* One step of PEG. */
static tl_report peg(const course *c, double u[2])
{
    tl_settings s = tl_settings_default();
    s.stepper = TL_STEPPER_PEG;
    s.planar = TL_PLANAR_XZ;
    s.precision = TL_DOUBLE;
    s.threads = 1;
    s.step = STEP;
    memset(s.gravity, 0, sizeof s.gravity);
    tl_scene *scene = scene_with(&s);
    const tl_material material = add_material(scene, 0, 0);
    for (int p = 0; p < c->polygons; p++) {
        tl_polygon_def def = tl_polygon_default();
        tl_geometry geometry;
        def.count = (size_t)c->edges[p];
        def.vertices = c->corner[p][0];
        assert_ok(tl_scene_add_polygon(scene, &def, &geometry));
        tl_shape_def shape = tl_polygon_shape_default(geometry);
        shape.material = material;
        tl_body_def body = body_of(&shape, 1000, (double[3]){0, 0, 0}, upright);
        body.kind = TL_FIXED;
        add_body(scene, &body);
    }
    tl_shape_def point = tl_point_default();
    point.material = material;
    tl_body_def def = body_of(&point, 0, (double[3]){c->x[0], 0, c->x[1]}, upright);
    def.mass = 2;
    def.velocity[0] = c->v[0];
    def.velocity[2] = c->v[1];
    const tl_body body = add_body(scene, &def);
    tl_world *world = world_of(scene);
    tl_report r;
    double v[3];
    assert_ok(tl_world_step(world, 1, &r));
    velocity_of(world, body, v);
    tl_world_destroy(world);
    u[0] = v[0];
    u[1] = v[2];
    return r;
}

static void cells(void **state)
{
    (void)state;
    dice seed = {11};
    int pushed = 0, compared = 0, outside = 0, least = 0, missed = 0;
    for (int trial = 0; trial < 5000; trial++) {
        const course c = draw_course(&seed);
        double want[2], got[2];
        bool before = true;
        int choices = 1;
        for (int p = 0; p < c.polygons; p++) {
            before = before && most_of(&c, p, (double[2]){0, 0}) > 0;
            choices *= c.edges[p];
        }
        if (!before)
            continue;
        const double off = brute_force(&c, want);
        if (!(off < INFINITY))
            continue;
        context("trial %d, %d polygons", trial, c.polygons);
        const tl_report r = peg(&c, got);
        compared++;
        pushed += off > TINY;
        for (int p = 0; p < c.polygons; p++) /* whatever it chose, it is outside */
            outside += most_of(&c, p, got) < -1e-6;
        if (r.unsettled_groups)
            continue;
        const bool is_least = hypot(got[0] - c.v[0], got[1] - c.v[1]) <= off + 1e-6;
        least += is_least;
        missed += !is_least && choices <= 24; /* all are tried of these */
    }
    print_message(
        "%d particles, %d of them pushed: %d by the least change of velocity, %d inside\n",
        compared, pushed, least, outside);
    assert_true(pushed > 500);
    assert_int_equal(outside, 0);
    assert_int_equal(missed, 0);
    assert_true(least > 0.99 * compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cells)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
