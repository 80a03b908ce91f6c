/* labels: longer slow */
/* The contact finder against brute force over all pairs, on thousands of random configurations: the
 * same pairs, each once, with the same gaps. Nothing here shares code with the library. */
#include "support.h"

#define LONG_ROUNDS 50 /* so many times as many configurations among the long tests */

#define MOST         400 /* bodies of a configuration */
#define FEWER_ON_GPU 8   /* of so many configurations, two: one in each precision */

static tl_backend_kind backend = TL_BACKEND_CPU;

/* One body with one shape, as the test knows it. */
typedef struct item {
    tl_body_kind kind;
    tl_shape_def shape;
    double place[3], turn[4], velocity[3];
} item;

typedef struct crowd {
    size_t count;
    item items[MOST];
    tl_body bodies[MOST];
} crowd;

/* ---- The independent answer ---- */

/* The point of the segment p + t e, 0 <= t <= 1, nearest to x. */
static void nearest_on_segment(const double p[3], const double e[3], const double x[3],
                               double out[3])
{
    const double to[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
    const double t = fmax(0, fmin(1, dot3(to, e) / dot3(e, e)));
    add3(p, t, e, out);
}

static void nearest_on_parallelogram(const double u[3], const double w[3], const double x[3],
                                     double out[3])
{
    const double uu = dot3(u, u), uw = dot3(u, w), ww = dot3(w, w), det = uu * ww - uw * uw;
    const double s = (ww * dot3(x, u) - uw * dot3(x, w)) / det;
    const double t = (uu * dot3(x, w) - uw * dot3(x, u)) / det;
    const double zero[3] = {0, 0, 0};
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
        add3(zero, s, u, out);
        add3(out, t, w, out);
        return;
    }
    double best = INFINITY;
    for (int edge = 0; edge < 4; edge++) {
        double near[3];
        nearest_on_segment(edge == 2 ? w : edge == 3 ? u : zero, edge % 2 ? w : u, x, near);
        if (distance3(near, x) < best) {
            best = distance3(near, x);
            memcpy(out, near, sizeof near);
        }
    }
}

/* The signed distance of a point (given relative to the body's origin) from a shape's surface. */
static double distance_to(const item *it, const double relative[3])
{
    double x[3], near[3] = {0, 0, 0};
    rotate(it->turn, -1, relative, x);
    switch (it->shape.kind) {
    case TL_SPHERE: return norm3(x) - it->shape.radius;
    case TL_PLANE: return x[2];
    case TL_BOX: {
        double inside = -INFINITY;
        for (int k = 0; k < 3; k++) {
            inside = fmax(inside, fabs(x[k]) - it->shape.half_extents[k]);
            near[k] = fmax(-it->shape.half_extents[k], fmin(it->shape.half_extents[k], x[k]));
        }
        return inside <= 0 ? inside : distance3(x, near);
    }
    case TL_PARALLELOGRAM:
        nearest_on_parallelogram(it->shape.edge_u, it->shape.edge_v, x, near);
        return distance3(x, near);
    default: break;
    }
    return INFINITY;
}

/* The gap between a dynamic sphere and another body, both moved along their velocities for `time`.
 */
static double gap_after(const item *a, const item *b, double time)
{
    double relative[3];
    for (int k = 0; k < 3; k++)
        relative[k] = (a->place[k] - b->place[k]) + time * (a->velocity[k] - b->velocity[k]);
    return distance_to(b, relative) - a->shape.radius;
}

/* The least gap over a step; it is a convex function of time while the shapes are apart. */
static double least_gap(const item *a, const item *b, double h)
{
    double low = 0, high = h;
    for (int i = 0; i < 60; i++) {
        const double m = low + (high - low) / 3, n = high - (high - low) / 3;
        if (gap_after(a, b, m) < gap_after(a, b, n))
            high = n;
        else
            low = m;
    }
    return fmin(gap_after(a, b, (low + high) / 2), fmin(gap_after(a, b, 0), gap_after(a, b, h)));
}

/* How much nearer two shapes would come in a step at the rate at which they come nearer now. The
 * gap of a plane is linear in time; far from its origin, small differences of it are rounding. */
static double closing(const item *a, const item *b, double h)
{
    const double part = b->shape.kind == TL_PLANE ? 1 : 1e-7;
    return fmax(0, (gap_after(a, b, 0) - gap_after(a, b, part * h)) / part);
}

/* The same of two spheres, exactly; -INFINITY where the boxes around their ways, widened by half
 * the envelope, do not overlap by more than `less`. */
static double sphere_closing(const item *a, const item *b, double h, double envelope, double less)
{
    double d[3], relative[3];
    for (int k = 0; k < 3; k++) {
        const double ma = h * a->velocity[k], mb = h * b->velocity[k];
        const double room = a->shape.radius + b->shape.radius + envelope - less;
        d[k] = b->place[k] - a->place[k];
        relative[k] = ma - mb;
        if (d[k] + fmin(mb, 0) - fmax(ma, 0) > room || -d[k] + fmin(ma, 0) - fmax(mb, 0) > room)
            return -INFINITY;
    }
    return dot3(d, relative) / norm3(d);
}

/* ---- Making configurations ---- */

static item *add_item(crowd *c, tl_body_kind kind, tl_shape_def shape)
{
    item *it = &c->items[c->count++];
    assert_true(c->count <= MOST);
    memset(it, 0, sizeof *it);
    it->kind = kind;
    it->shape = shape;
    it->turn[0] = 1;
    return it;
}

/* What a configuration is like. */
typedef struct recipe {
    const char *name;
    size_t spheres, fixed_spheres, boxes, patches, planes;
    double ratio;     /* largest over smallest radius */
    double extent[3]; /* m, half the size of the region */
    double centre;    /* m, of the region, on every axis */
    size_t clusters;  /* 0: uniform; else spheres are drawn to so many points */
    size_t outliers;  /* lone spheres at 1e3 to 1e6 times the extent */
    double speed;     /* m/s, at most, per axis */
    int configurations;
    size_t darts;      /* spheres that fly along an axis */
    double dart_speed; /* m/s */
} recipe;

static void scatter(crowd *c, const recipe *r, dice *d)
{
    double attractors[8][3];
    for (size_t i = 0; i < r->clusters; i++)
        for (int k = 0; k < 3; k++)
            attractors[i][k] = r->centre + roll(d, -1, 1) * r->extent[k];
    for (size_t i = 0; i < c->count; i++) {
        item *it = &c->items[i];
        for (int k = 0; k < 3; k++) {
            it->place[k] = r->centre + roll(d, -1, 1) * r->extent[k];
            if (r->clusters && it->kind == TL_DYNAMIC)
                it->place[k] = attractors[i % r->clusters][k] + roll(d, -0.05, 0.05) * r->extent[k];
            if (it->kind != TL_FIXED)
                it->velocity[k] = roll(d, -r->speed, r->speed);
        }
        if (it->kind != TL_DYNAMIC)
            roll_turn(d, it->turn);
    }
    for (size_t i = 0; i < r->outliers; i++)
        for (int k = 0; k < 3; k++)
            c->items[i].place[k] *= pow(10, roll(d, 3, 6));
    for (size_t i = 0; i < r->darts; i++) /* from both sides, so that they meet the others */
        c->items[i].velocity[i % 3] = i % 2 ? -r->dart_speed : r->dart_speed;
}

static void make_crowd(crowd *c, const recipe *r, dice *d)
{
    c->count = 0;
    for (size_t i = 0; i < r->spheres; i++)
        add_item(c, TL_DYNAMIC, tl_sphere_default(0.1 * pow(r->ratio, roll(d, 0, 1))));
    for (size_t i = 0; i < r->fixed_spheres; i++)
        add_item(c, TL_FIXED, tl_sphere_default(0.1 * pow(r->ratio, roll(d, 0, 1))));
    for (size_t i = 0; i < r->boxes; i++)
        add_item(c, i % 2 ? TL_PRESCRIBED : TL_FIXED,
                 tl_box_default(pow(10, roll(d, -2, 0.7)), pow(10, roll(d, -2, 0.7)),
                                pow(10, roll(d, -2, 0.7))));
    for (size_t i = 0; i < r->patches; i++) {
        double u[3], w[3], normal[3];
        do { /* no slivers: their nearest point is ill-conditioned */
            roll_direction(d, u);
            roll_direction(d, w);
            cross3(u, w, normal);
        } while (norm3(normal) < 0.2);
        const double size = pow(10, roll(d, -1.5, 1)), aspect = pow(10, roll(d, -0.5, 0.5));
        for (int k = 0; k < 3; k++) {
            u[k] *= size;
            w[k] *= size * aspect;
        }
        add_item(c, TL_FIXED, tl_parallelogram_default(u, w));
    }
    for (size_t i = 0; i < r->planes; i++)
        add_item(c, TL_FIXED, tl_plane_default());
    scatter(c, r, d);
}

static tl_world *world_with(crowd *c, const tl_settings *settings)
{
    tl_scene *scene = scene_with(settings);
    for (size_t i = 0; i < c->count; i++) {
        const item *it = &c->items[i];
        tl_body_def def = tl_body_default();
        def.kind = it->kind;
        def.shape_count = 1;
        def.shapes = &it->shape;
        memcpy(def.position, it->place, sizeof def.position);
        memcpy(def.orientation, it->turn, sizeof def.orientation);
        memcpy(it->kind == TL_PRESCRIBED ? def.motion.velocity : def.velocity, it->velocity,
               sizeof def.velocity);
        c->bodies[i] = add_body(scene, &def);
        assert_int_equal(c->bodies[i].index, i + 1);
    }
    return world_of(scene);
}

/* ---- Comparing ---- */

/* How far a gap may be off: doubles keep 1e-9 at coordinates of 1e6 m, and a few units of the way
 * between the two places, which is long for a sphere far along a plane; mixed precision has 24 bits
 * of the lengths that meet: the two sizes and the gap. */
static double gap_error(tl_precision precision, const item *a, const item *b, double gap)
{
    const double size = b->shape.kind == TL_SPHERE ? b->shape.radius
                        : b->shape.kind == TL_BOX  ? norm3(b->shape.half_extents)
                        : b->shape.kind == TL_PARALLELOGRAM
                            ? norm3(b->shape.edge_u) + norm3(b->shape.edge_v)
                            : 0;
    const double lengths = a->shape.radius + size + fabs(gap);
    return 1e-9 + 1e-15 * distance3(a->place, b->place) +
           lengths * (precision == TL_MIXED ? 4e-7 : 1e-14);
}

/* A pair must be a contact if it is within the envelope or would touch along its straight way
 * through the step; it may be one if it closes fast enough to come within the envelope (1e-6: the
 * quotient of differences above). Two spheres that do must be one if the boxes around their ways
 * overlap; the few largest need not (3e-7: velocities of 32 bits). */
static void check_pair(const crowd *c, uint32_t a, uint32_t b, bool found,
                       const tl_settings *settings)
{
    const item *p = &c->items[a], *q = &c->items[b];
    const double gap = gap_after(p, q, 0), delta = settings->envelope, h = settings->step;
    const double error = gap_error(settings->precision, p, q, gap);
    bool must = gap <= delta - error, may = gap <= delta + error;
    const double move = h * distance3(p->velocity, q->velocity);
    if (move > 0 && !must && gap <= delta + move + error) {
        must = least_gap(p, q, h) <= -error;
        may = gap <= delta + closing(p, q, h) * (1 + 1e-3) + error + 1e-6;
        if (q->shape.kind == TL_SPHERE) {
            const double small = error + 3e-7 * move;
            must |= gap <= delta - small + sphere_closing(p, q, h, delta, small);
            may = gap <= delta + small + fmax(0, sphere_closing(p, q, h, delta, -INFINITY));
        }
    }
    if ((must && !found) || (found && !may))
        fail_msg("%s: bodies %u and %u %s a contact: gap %.12g, closing by %.12g", test_context,
                 a + 1, b + 1, found ? "should not be" : "should be", gap, closing(p, q, h));
}

/* Every contact is a pair that may be one, once, with the right gap; and every pair that must be a
 * contact is one. */
static size_t compare(const crowd *c, const tl_world *world, const tl_settings *settings)
{
    static uint8_t found[MOST][MOST];
    size_t count;
    tl_contact *contacts = contacts_of(world, &count);
    memset(found, 0, sizeof found);
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = contacts[i].a.index - 1, b = contacts[i].b.index - 1;
        assert_true(a < c->count && b < c->count && a != b);
        assert_int_equal(c->items[a].kind, TL_DYNAMIC);
        if (found[a][b]++ || found[b][a])
            fail_msg("%s: bodies %u and %u are a contact twice", test_context, a + 1, b + 1);
        const double gap = gap_after(&c->items[a], &c->items[b], 0);
        assert_near(contacts[i].gap, gap,
                    gap_error(settings->precision, &c->items[a], &c->items[b], gap));
    }
    for (uint32_t a = 0; a < c->count; a++)
        for (uint32_t b = 0; b < c->count && c->items[a].kind == TL_DYNAMIC; b++)
            if (b > a || c->items[b].kind != TL_DYNAMIC)
                check_pair(c, a, b, found[a][b] || found[b][a], settings);
    free(contacts);
    return count;
}

static void run_recipe(const recipe *r, uint64_t seed)
{
    static crowd c;
    dice d = {seed};
    size_t contacts = 0;
    for (int i = 0; i < r->configurations; i++) {
        tl_settings settings = tl_settings_default();
        settings.backend = backend;
        settings.precision = i % 2 ? TL_MIXED : TL_DOUBLE;
        settings.threads = 1;
        settings.envelope = i % 3 ? 0.005 : 0.05;
        memset(settings.gravity, 0, sizeof settings.gravity);
        context("%s, seed %llu, configuration %d, %s", r->name, (unsigned long long)seed, i,
                i % 2 ? "mixed" : "double");
        make_crowd(&c, r, &d);
        if (backend == TL_BACKEND_CUDA &&
            i % FEWER_ON_GPU > 1) /* making a world takes long there */
            continue;
        tl_world *world = world_with(&c, &settings);
        for (int again = i % 4 / 2; again >= 0; again--) /* the finder knows the crowd then */
            assert_ok(tl_world_find_contacts(world));
        contacts += compare(&c, world, &settings);
        tl_world_destroy(world);
    }
    print_message("%s: %d configurations, %zu contacts\n", r->name, r->configurations, contacts);
    assert_true(contacts > 0);
}

static const recipe recipes[] = {
    {"equal", 80, 0, 0, 0, 0, 1, {0.8, 0.8, 0.8}, 0, 0, 0, 0, 400, 0, 0},
    {"few", 3, 0, 0, 0, 0, 1, {0.2, 0.2, 0.2}, 0, 0, 0, 0, 600, 0, 0},
    {"sparse", 60, 0, 0, 0, 0, 1, {3, 3, 3}, -5, 0, 0, 0, 200, 0, 0},
    {"dense, contained", 60, 0, 0, 0, 0, 10, {0.5, 0.5, 0.5}, 0, 0, 0, 0, 200, 0, 0},
    {"crowded", 380, 4, 1, 1, 1, 1, {0.25, 0.25, 0.25}, 0, 0, 0, 0, 20, 0, 0},
    {"few large among many small", 380, 0, 0, 0, 0, 100, {6, 6, 6}, 9, 0, 0, 0, 100, 0, 0},
    {"radii 1:10", 120, 4, 0, 0, 0, 10, {2, 2, 2}, 0, 0, 0, 0, 200, 0, 0},
    {"radii 1:100", 120, 4, 0, 0, 0, 100, {12, 12, 12}, 0, 0, 0, 0, 200, 0, 0},
    {"far away", 80, 2, 2, 2, 1, 3, {0.9, 0.9, 0.9}, 1e6, 0, 0, 0, 200, 0, 0},
    {"negative", 80, 2, 2, 2, 0, 3, {0.9, 0.9, 0.9}, -777.7, 0, 0, 0, 200, 0, 0},
    {"flat layer", 120, 0, 0, 0, 1, 2, {2, 2, 0}, 0, 0, 0, 0, 100, 0, 0},
    {"line", 60, 0, 0, 0, 0, 1, {0, 6, 0}, 3, 0, 0, 0, 100, 0, 0},
    {"clusters, outliers", 100, 4, 2, 2, 0, 5, {20, 20, 20}, 1, 5, 6, 0, 200, 0, 0},
    {"boxes", 60, 2, 12, 0, 0, 10, {2, 2, 2}, 0, 0, 0, 0, 300, 0, 0},
    {"patches", 60, 2, 0, 12, 0, 10, {2, 2, 2}, 0, 0, 0, 0, 300, 0, 0},
    {"panels", 120, 2, 40, 40, 0, 2, {4, 4, 4}, 0, 0, 0, 0, 100, 0, 0},
    {"panels, small balls", 120, 2, 30, 30, 0, 1, {2, 2, 2}, -5, 4, 2, 3, 100, 0, 0},
    {"panels, moving", 120, 2, 30, 30, 0, 5, {3, 3, 3}, 0, 0, 0, 30, 100, 12, 500},
    {"everything", 120, 8, 6, 6, 2, 100, {10, 10, 10}, -3, 3, 2, 0, 200, 0, 0},
    {"moving", 80, 2, 0, 0, 0, 3, {1.5, 1.5, 1.5}, 0, 0, 0, 20, 200, 0, 0},
    {"moving, radii 1:100", 100, 2, 3, 3, 1, 100, {10, 10, 10}, 0, 0, 0, 60, 200, 0, 0},
    {"moving, boxes", 60, 2, 8, 8, 1, 10, {2, 2, 2}, 0, 0, 2, 10, 200, 0, 0},
    {"10 bins per step", 120, 2, 3, 3, 1, 1, {2, 2, 2}, 0, 0, 0, 1, 100, 12, 500},
    {"10 bins per step, all", 60, 2, 2, 2, 0, 2, {3, 3, 3}, 7, 0, 2, 500, 100, 0, 0},
    {"100 bins per step", 150, 2, 3, 3, 1, 1, {3, 3, 3}, -2, 0, 2, 3, 100, 20, 5000},
    {"100 bins per step, radii 1:100", 200, 2, 3, 3, 1, 100, {6, 6, 6}, 0, 0, 2, 3, 50, 60, 5000},
    {"100 bins per step, far away", 100, 2, 3, 3, 1, 3, {1, 9, 1}, 1e6, 0, 0, 1, 50, 20, 5000},
};

static void test_recipes(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < (is_long() ? LONG_ROUNDS : 1); round++)
        for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
            run_recipe(&recipes[i], 1234567 + round);
}

/* Bodies at rest that suddenly move far in a step, so that bins get many more entries than there
 * were when room was made for them. */
static void test_sudden(void **state)
{
    (void)state;
    static crowd c, rest;
    const recipe swift = {"sudden", 60, 2, 2, 2, 0, 2, {3, 3, 3}, 7, 0, 2, 500, 1, 0, 0};
    dice d = {99};
    for (int mixed = 0; mixed < 2; mixed++) {
        tl_settings settings = tl_settings_default();
        settings.backend = backend;
        settings.precision = mixed ? TL_MIXED : TL_DOUBLE;
        settings.envelope = 0.005;
        memset(settings.gravity, 0, sizeof settings.gravity);
        context("sudden, %s", mixed ? "mixed" : "double");
        make_crowd(&c, &swift, &d);
        rest = c;
        for (size_t i = 0; i < c.count; i++)
            memset(rest.items[i].velocity, 0, sizeof rest.items[i].velocity);
        tl_world *world = world_with(&rest, &settings);
        for (size_t i = 0; i < c.count; i++)
            if (c.items[i].kind == TL_DYNAMIC)
                assert_ok(tl_world_write_velocities(world, 1, &rest.bodies[i], c.items[i].velocity,
                                                    NULL));
            else
                memset(c.items[i].velocity, 0, sizeof c.items[i].velocity);
        memcpy(c.bodies, rest.bodies, sizeof c.bodies);
        assert_ok(tl_world_find_contacts(world));
        assert_true(compare(&c, world, &settings) > 20);
        tl_world_destroy(world);
    }
}

/* Spheres near a tilted plane and thousands of kilometres from its origin: the gap is a small
 * difference of lengths of 1e7 m. */
static void test_far_along(void **state)
{
    (void)state;
    static crowd c;
    dice d = {48};
    size_t contacts = 0;
    for (int i = 0; i < 100; i++) {
        tl_settings settings = tl_settings_default();
        settings.backend = backend;
        settings.precision = i % 2 ? TL_MIXED : TL_DOUBLE;
        settings.threads = 1;
        settings.envelope = 0.005;
        memset(settings.gravity, 0, sizeof settings.gravity);
        context("far along a plane, %d", i);
        c.count = 0;
        for (int k = 0; k < 20; k++)
            add_item(&c, TL_DYNAMIC, tl_sphere_default(roll(&d, 0.1, 1)));
        item *plane = add_item(&c, TL_FIXED, tl_plane_default());
        roll_turn(&d, plane->turn);
        for (int k = 0; k < 20; k++) {
            const double local[3] = {roll(&d, -1e7, 1e7), roll(&d, -1e7, 1e7),
                                     c.items[k].shape.radius + roll(&d, -0.01, 0.02)};
            rotate(plane->turn, 1, local, c.items[k].place);
            roll3(&d, -2, 2, c.items[k].velocity);
        }
        tl_world *world = world_with(&c, &settings);
        assert_ok(tl_world_find_contacts(world));
        contacts += compare(&c, world, &settings);
        tl_world_destroy(world);
    }
    assert_true(contacts > 500);
}

/* Spheres that touch exactly, in a regular lattice across many bins: 3 n^2 (n - 1) contacts. Around
 * the origin some are just below the edge of a bin, by less than what its size can tell. */
static void test_lattice(void **state)
{
    (void)state;
    static crowd c;
    for (int far = 0; far < 3; far++) {
        tl_settings settings = tl_settings_default();
        settings.backend = backend;
        settings.envelope = 0.001;
        settings.gravity[2] = 0;
        c.count = 0;
        context("lattice %d", far);
        for (int i = 0; i < 343; i++) {
            item *it = add_item(&c, TL_DYNAMIC, tl_sphere_default(0.125));
            it->place[0] = 0.25 * (i % 7) + far * 1000;
            it->place[1] = 0.25 * (i / 7 % 7) - far * 1000;
            it->place[2] = 0.25 * (i / 49);
            for (int k = 0; k < 3 && far == 2; k++) {
                const int step = k == 0 ? i % 7 : k == 1 ? i / 7 % 7 : i / 49;
                it->place[k] = step == 3 ? -1e-20 : 0.25 * (step - 3);
            }
        }
        tl_world *world = world_with(&c, &settings);
        assert_ok(tl_world_find_contacts(world));
        assert_int_equal(compare(&c, world, &settings), 3 * 49 * 6);
        tl_world_destroy(world);
    }
}

#define MANY 12000

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The pairs of spheres with gaps up to `limit`, as sorted keys; returns how many. */
static size_t brute_force(const double (*x)[3], const double *radius, double limit, uint64_t *keys,
                          size_t room)
{
    size_t count = 0;
    for (uint32_t a = 0; a < MANY; a++) {
        for (uint32_t b = a + 1; b < MANY; b++) {
            if (distance3(x[a], x[b]) - radius[a] - radius[b] > limit)
                continue;
            assert_true(count < room);
            keys[count++] = (uint64_t)a << 32 | b;
        }
    }
    return count;
}

/* Thousands of spheres at once, radii 1:30, in many bins, with a tenth of them in one dense corner
 * and a few astray, on three threads. */
static void many(const variant *v)
{
    static double x[MANY][3], radius[MANY];
    static uint64_t must[40 * MANY], may[40 * MANY];
    tl_settings settings = settings_for(v, 1.0 / 200);
    dice d = {77};
    settings.backend = backend;
    settings.threads = 3;
    settings.envelope = 0.004;
    tl_scene *scene = scene_with(&settings);
    for (uint32_t i = 0; i < MANY; i++) {
        radius[i] = 0.02 * pow(30, pow(roll(&d, 0, 1), 4)); /* mostly small */
        roll3(&d, i % 10 ? -3 : 2, 3, x[i]);
        if (i % 1000 == 0)
            roll3(&d, -1e5, 1e5, x[i]);
        add_sphere(scene, (tl_material){0}, radius[i], 0, x[i], (double[3]){0, 0, 0});
    }
    tl_world *world = world_of(scene);
    assert_ok(tl_world_find_contacts(world));
    size_t count, in_must = 0, in_may = 0;
    const double error = v->precision == TL_MIXED ? 4e-7 : 1e-9;
    const size_t musts = brute_force(x, radius, 0.004 - error, must, 40 * MANY);
    const size_t mays = brute_force(x, radius, 0.004 + error, may, 40 * MANY);
    tl_contact *contacts = contacts_of(world, &count);
    uint64_t *keys = malloc(count * sizeof *keys);
    assert_non_null(keys);
    for (size_t i = 0; i < count; i++) {
        const uint64_t a = contacts[i].a.index - 1, b = contacts[i].b.index - 1;
        keys[i] = a < b ? a << 32 | b : b << 32 | a;
    }
    qsort(keys, count, sizeof *keys, by_key);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || keys[i] != keys[i - 1]);
        while (in_may < mays && may[in_may] < keys[i])
            in_may++;
        assert_true(in_may < mays && may[in_may] == keys[i]);
        in_must += in_must < musts && must[in_must] == keys[i];
    }
    static const claim c = {"12,000 balls at random places, radii 1:30", "brute force, all pairs",
                            "contacts within 4 mm", "the contact finder alone"};
    assert_int_equal(in_must, musts);
    assert_found(&c, v->precision == TL_DOUBLE ? "double" : "mixed", (double)count, (double)musts,
                 (double)(mays - musts));
    free(keys);
    free(contacts);
    tl_world_destroy(world);
}

static void test_many(void **state)
{
    (void)state;
    for_each_precision(many);
}

/* ---- Bodies of several shapes ---- */

#define CLUMPS  150
#define MEMBERS 3

/* One sphere of a body: where it is, and how far it can get within the step. */
typedef struct member {
    double centre[3], radius, move;
} member;

static void add_clump(tl_scene *scene, dice *d, double speed, double h, member *members)
{
    tl_body_def def = tl_body_default();
    tl_shape_def shapes[MEMBERS];
    const double size = 0.1 * pow(20, pow(roll(d, 0, 1), 3));
    roll3(d, -2, 2, def.position);
    roll_turn(d, def.orientation);
    roll3(d, -speed, speed, def.velocity);
    roll3(d, -speed, speed, def.angular_velocity);
    for (int m = 0; m < MEMBERS; m++) {
        double anchor[3];
        shapes[m] = tl_sphere_default(size * roll(d, 0.2, 1));
        roll3(d, -size, size, shapes[m].position);
        rotate(def.orientation, 1, shapes[m].position, anchor);
        add3(def.position, 1, anchor, members[m].centre);
        members[m].radius = shapes[m].radius;
        members[m].move = h * (norm3(def.velocity) +
                               norm3(def.angular_velocity) * (norm3(anchor) + shapes[m].radius));
    }
    def.shape_count = MEMBERS;
    def.shapes = shapes;
    def.mass = 1;
    for (int k = 0; k < 3; k++)
        def.inertia[k] = size * size;
    add_body(scene, &def);
}

/* Every pair of spheres of two bodies that is within the envelope once; no pair that cannot come
 * within it; none of one body. */
static void clumps(const variant *v)
{
    static member members[CLUMPS * MEMBERS];
    static uint8_t found[CLUMPS * MEMBERS][CLUMPS * MEMBERS];
    for (int c = 0; c < 12; c++) {
        tl_settings settings = settings_for(v, 1.0 / 200);
        dice d = {(uint64_t)c + 1};
        size_t count, inside = 0;
        settings.backend = backend;
        settings.envelope = 0.004;
        tl_scene *scene = scene_with(&settings);
        for (int i = 0; i < CLUMPS; i++)
            add_clump(scene, &d, c % 3 * 30, settings.step, members + MEMBERS * i);
        tl_world *world = world_of(scene);
        assert_ok(tl_world_find_contacts(world));
        tl_contact *contacts = contacts_of(world, &count);
        memset(found, 0, sizeof found);
        for (size_t i = 0; i < count; i++) {
            const uint32_t a = (contacts[i].a.index - 1) * MEMBERS + contacts[i].shape_a;
            const uint32_t b = (contacts[i].b.index - 1) * MEMBERS + contacts[i].shape_b;
            found[a < b ? a : b][a < b ? b : a]++;
        }
        for (uint32_t a = 0; a < CLUMPS * MEMBERS; a++)
            for (uint32_t b = a + 1; b < CLUMPS * MEMBERS; b++) {
                const member *p = &members[a], *q = &members[b];
                const bool one = a / MEMBERS == b / MEMBERS;
                const double gap = distance3(p->centre, q->centre) - p->radius - q->radius;
                const double far = one ? -INFINITY : settings.envelope + p->move + q->move + 1e-6;
                const bool must = !one && gap <= settings.envelope - 1e-6;
                inside += must;
                if (found[a][b] > 1 || (must && !found[a][b]) || (found[a][b] && gap > far))
                    fail_msg("%s, %d: spheres %u and %u with a gap of %g are a contact %d times",
                             v->name, c, a, b, gap, found[a][b]);
            }
        assert_true(inside > CLUMPS);
        free(contacts);
        tl_world_destroy(world);
    }
}

static void test_clumps(void **state)
{
    (void)state;
    for_each_precision(clumps);
}

/* A few shapes whose radii are 1 : 1e-30, more halvings than there are classes of size: all are
 * tested directly, and each is found once. */
static void specks(const variant *v)
{
    tl_settings settings = settings_for(v, 1e-3);
    settings.backend = backend;
    settings.envelope = 0.01;
    tl_scene *scene = scene_with(&settings);
    for (int i = 0; i < 3; i++)
        add_fixed(scene, tl_sphere_default(pow(10, -15 * i)), (tl_material){0},
                  (double[3]){5.0 * i, 0, 0}, (double[4]){1, 0, 0, 0});
    for (int i = 0; i < 3; i++)
        add_sphere(scene, (tl_material){0}, 1, 0,
                   (double[3]){5.0 * i, 0, 1 + pow(10, -15 * i) + 1e-3}, (double[3]){0, 0, 0});
    tl_world *world = world_of(scene);
    size_t count;
    assert_ok(tl_world_find_contacts(world));
    tl_contact *contacts = contacts_of(world, &count);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++)
        assert_near(contacts[i].gap, 1e-3, 1e-6);
    free(contacts);
    tl_world_destroy(world);
}

static void test_specks(void **state)
{
    (void)state;
    for_each_precision(specks);
}

/* With the argument cuda, on a GPU. */
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "cuda") == 0)
        backend = TL_BACKEND_CUDA;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recipes),   cmocka_unit_test(test_sudden),
        cmocka_unit_test(test_clumps),    cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_many),      cmocka_unit_test(test_specks),
        cmocka_unit_test(test_far_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
