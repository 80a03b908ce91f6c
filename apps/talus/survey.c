/* Sizes, masses, extents and doubts about them; survey.h says who calls. */
#include "survey.h"
#include "sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* All that is looked at: rows by body, shapes in the same order. */
typedef struct survey {
    const tl_document *document;
    const tl_world *world;
    size_t count, shape_count;
    tl_body *bodies;
    double *x, *q, *v, *mass; /* 3, 4, 3 and 1 per body */
    tl_shape_info *shapes;
    size_t *row;                   /* of each shape's body */
    double *radius;                /* m, of a ball around each shape */
    size_t dynamic, moving, sized; /* bodies, bodies, shapes of dynamic bodies */
    double small, large;           /* m, radii of dynamic bodies' shapes */
    double total, lightest, heaviest;
    double thin, dense;     /* kg/m^3, the least and the most */
    double fastest;         /* m/s */
    double low[3], high[3]; /* m, around the shapes of dynamic bodies */
} survey;

static void survey_free(survey *s)
{
    free(s->bodies);
    free(s->x);
    free(s->q);
    free(s->v);
    free(s->mass);
    free(s->shapes);
    free(s->row);
    free(s->radius);
}

static int survey_read(survey *s, const tl_world *world)
{
    const size_t n = s->count = tl_world_body_count(world);
    s->world = world;
    s->shape_count = tl_world_shape_count(world);
    s->bodies = calloc(n + 1, sizeof *s->bodies);
    s->x = calloc(3 * n + 1, sizeof *s->x);
    s->q = calloc(4 * n + 1, sizeof *s->q);
    s->v = calloc(3 * n + 1, sizeof *s->v);
    s->mass = calloc(n + 1, sizeof *s->mass);
    s->shapes = calloc(s->shape_count + 1, sizeof *s->shapes);
    s->row = calloc(s->shape_count + 1, sizeof *s->row);
    s->radius = calloc(s->shape_count + 1, sizeof *s->radius);
    if (!s->bodies || !s->x || !s->q || !s->v || !s->mass || !s->shapes || !s->row || !s->radius)
        return out_of_memory();
    tl_status status = tl_world_list_bodies(world, n, s->bodies);
    if (status >= 0)
        status = tl_world_read_positions(world, n, NULL, s->x);
    if (status >= 0)
        status = tl_world_read_orientations(world, n, NULL, s->q);
    if (status >= 0)
        status = tl_world_read_velocities(world, n, NULL, s->v);
    if (status >= 0)
        status = tl_world_read_masses(world, n, NULL, s->mass);
    if (status >= 0)
        status = tl_world_read_shapes(world, s->shape_count, s->shapes);
    const size_t all = s->shape_count;
    s->shape_count = 0;
    for (size_t i = 0; status >= 0 && i < all; i++) /* sensors are no walls, and have no size */
        if (!s->shapes[i].def.sensor)
            s->shapes[s->shape_count++] = s->shapes[i];
    for (size_t i = 0; status >= 0 && i < s->shape_count; i++)
        s->radius[i] = shape_radius(world, &s->shapes[i].def);
    size_t row = 0; /* both lists are in the order of bodies */
    for (size_t i = 0; status >= 0 && i < s->shape_count; i++) {
        while (row + 1 < n && s->bodies[row].index != s->shapes[i].body.index)
            row++;
        s->row[i] = row;
    }
    return status < 0 ? complain_of(status, PHASE_MAKING) : EXIT_OK;
}

/* p turned by a unit quaternion. */
static void turn(const double q[4], const double p[3], double out[3])
{
    const double *u = q + 1;
    const double c[3] = {u[1] * p[2] - u[2] * p[1], u[2] * p[0] - u[0] * p[2],
                         u[0] * p[1] - u[1] * p[0]};
    const double d[3] = {u[1] * c[2] - u[2] * c[1], u[2] * c[0] - u[0] * c[2],
                         u[0] * c[1] - u[1] * c[0]};
    for (int k = 0; k < 3; k++)
        out[k] = p[k] + 2 * (q[0] * c[k] + d[k]);
}

/* A vector of a shape's frame in the world. */
static void turn_shape(const survey *s, size_t shape, const double p[3], double out[3])
{
    double inner[3];
    turn(s->shapes[shape].def.orientation, p, inner);
    turn(s->q + 4 * s->row[shape], inner, out);
}

static void place_shape(const survey *s, size_t shape, double out[3])
{
    turn(s->q + 4 * s->row[shape], s->shapes[shape].def.position, out);
    for (int k = 0; k < 3; k++)
        out[k] += s->x[3 * s->row[shape] + (size_t)k];
}

/* --- numbers --- */

static void take_shape(survey *s, size_t shape)
{
    const double r = s->radius[shape];
    double c[3], axis[3][3]; /* the shape's axes in the world */
    place_shape(s, shape, c);
    for (int k = 0; k < 3; k++)
        turn_shape(s, shape, (double[3]){k == 0, k == 1, k == 2}, axis[k]);
    if (r > 0) /* points have no size */
        s->small = s->small > 0 ? fmin(s->small, r) : r;
    s->large = fmax(s->large, r);
    for (int k = 0; k < 3; k++) {
        const double up[3] = {axis[0][k], axis[1][k], axis[2][k]},
                     down[3] = {-up[0], -up[1], -up[2]};
        const double low = c[k] - shape_extent(s->world, &s->shapes[shape].def, down);
        const double high = c[k] + shape_extent(s->world, &s->shapes[shape].def, up);
        s->low[k] = s->sized ? fmin(s->low[k], low) : low;
        s->high[k] = s->sized ? fmax(s->high[k], high) : high;
    }
    s->sized++;
}

/* One dynamic body; the volume (m^3) of its shapes is known where all are spheres. */
static void take_body(survey *s, size_t row, double volume)
{
    const double *v = s->v + 3 * row, m = s->mass[row];
    s->total += m;
    s->lightest = s->dynamic ? fmin(s->lightest, m) : m;
    s->heaviest = fmax(s->heaviest, m);
    s->fastest = fmax(s->fastest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    if (volume > 0) {
        s->thin = s->dense > 0 ? fmin(s->thin, m / volume) : m / volume;
        s->dense = fmax(s->dense, m / volume);
    }
    s->dynamic++;
}

static void take_all(survey *s)
{
    size_t shape = 0;
    for (size_t row = 0; row < s->count; row++) {
        double volume = 0;
        for (; shape < s->shape_count && s->row[shape] == row; shape++) {
            const tl_shape_info *info = &s->shapes[shape];
            if (info->kind != TL_DYNAMIC)
                continue;
            take_shape(s, shape);
            volume += info->def.kind == TL_SPHERE ? 4 * pi / 3 * pow(info->def.radius, 3) : NAN;
        }
        const bool prescribed =
            shape && s->row[shape - 1] == row && s->shapes[shape - 1].kind == TL_PRESCRIBED;
        s->moving += s->mass[row] > 0 || prescribed;
        if (s->mass[row] > 0)
            take_body(s, row, volume);
    }
}

static void tell_numbers(facts *f, const survey *s, const plan *ahead)
{
    char size[64];
    if (s->sized) {
        fact_number(f, "smallest_radius", s->small, "m");
        fact_number(f, "largest_radius", s->large, "m");
        fact_vector(f, "low", s->low, "m");
        fact_vector(f, "high", s->high, "m");
    }
    if (s->dynamic) {
        fact_number(f, "total_mass", s->total, "kg");
        fact_number(f, "smallest_mass", s->lightest, "kg");
        fact_number(f, "largest_mass", s->heaviest, "kg");
    }
    fact_number(f, "steps", ahead->steps, "");
    fact_number(f, "frames", ahead->frames, "");
    write_bytes(ahead->bytes, size, sizeof size);
    if (f->object)
        fact_number(f, "result_bytes", ahead->bytes, "");
    else
        fact_text(f, "result_bytes", size);
}

/* --- units --- */

static void doubt_sizes(facts *f, const survey *s, double gravity)
{
    double extent = 0;
    for (int k = 0; k < 3; k++)
        extent = fmax(extent, s->high[k] - s->low[k]);
    if (!s->sized)
        return;
    if (s->large > 10 || (s->small >= 1 && extent >= 1000 && gravity > 1 && gravity < 100))
        fact_warning(f,
                     "radii go up to %g m and bodies fill %g m: that looks like millimetres; "
                     "lengths are in metres",
                     s->large, extent);
    if (s->small > 0 && s->small < 1e-6)
        fact_warning(f, "the smallest radius is %g m, less than a thousandth of a millimetre",
                     s->small);
    if (s->dense > 20000 || (s->dense > 0 && s->thin < 1))
        fact_warning(f,
                     "densities go from %g to %g kg/m^3, expected 1 to 20000: water has 1000; "
                     "lengths are in metres, masses in kilograms",
                     s->thin, s->dense);
}

static void doubt_motion(facts *f, const survey *s, double gravity, double step)
{
    if (gravity > 1000)
        fact_warning(f, "gravity is %g m/s^2: that looks like millimetres; on Earth it is 9.81",
                     gravity);
    if (s->fastest > 1000)
        fact_warning(f, "the fastest body starts with %g m/s; speeds are in metres per second",
                     s->fastest);
    if (!(s->small > 0))
        return;
    const double longest = sqrt(s->small / gravity);
    if (gravity > 0 && step > longest)
        fact_warning(f,
                     "the step of %g s is long for a radius of %g m: within it a body falls half "
                     "its radius or more; at most %.2g s, sqrt(radius / gravity), is advised",
                     step, s->small, longest);
    else if (s->fastest * step > s->small)
        fact_warning(f,
                     "the step of %g s is long: the fastest body, at %g m/s, moves %g m in one, "
                     "more than the smallest radius of %g m",
                     step, s->fastest, s->fastest * step, s->small);
}

/* --- fills that reach through walls --- */

/* A wall that has two sides: a panel, or a box across its thinnest axis. */
typedef struct slab {
    double centre[3], u[3], v[3], n[3]; /* u, v: half edges; n: unit normal */
    double half;                        /* m, of its thickness */
    double reach;                       /* m, of a ball around it */
} slab;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static slab slab_of_box(const survey *s, size_t shape)
{
    const double *h = s->shapes[shape].def.half_extents;
    const int thin = h[0] <= h[1] && h[0] <= h[2] ? 0 : h[1] <= h[2] ? 1 : 2;
    const int a = (thin + 1) % 3, b = (thin + 2) % 3;
    slab w = {.half = h[thin], .reach = sqrt(dot(h, h))};
    double local[3][3] = {{0}};
    local[0][a] = h[a];
    local[1][b] = h[b];
    local[2][thin] = 1;
    place_shape(s, shape, w.centre);
    turn_shape(s, shape, local[0], w.u);
    turn_shape(s, shape, local[1], w.v);
    turn_shape(s, shape, local[2], w.n);
    return w;
}

static slab slab_of_panel(const survey *s, size_t shape)
{
    const tl_shape_def *def = &s->shapes[shape].def;
    slab w = {0};
    place_shape(s, shape, w.centre);
    turn_shape(s, shape, def->edge_u, w.u);
    turn_shape(s, shape, def->edge_v, w.v);
    for (int k = 0; k < 3; k++) {
        w.u[k] *= 0.5;
        w.v[k] *= 0.5;
        w.centre[k] += w.u[k] + w.v[k];
    }
    const double n[3] = {w.u[1] * w.v[2] - w.u[2] * w.v[1], w.u[2] * w.v[0] - w.u[0] * w.v[2],
                         w.u[0] * w.v[1] - w.u[1] * w.v[0]};
    const double length = sqrt(dot(n, n));
    for (int k = 0; k < 3; k++)
        w.n[k] = n[k] / length;
    w.reach = sqrt(dot(w.u, w.u)) + sqrt(dot(w.v, w.v));
    return w;
}

/* On which side of a wall a ball lies that is in front of it, within four radii: -1 or 1; 0 where
 * it is elsewhere. */
static int side_of(const slab *w, const double x[3], double radius)
{
    const double d[3] = {x[0] - w->centre[0], x[1] - w->centre[1], x[2] - w->centre[2]};
    const double away = dot(d, w->n);
    if (fabs(away) < w->half || fabs(away) > w->half + 4 * radius)
        return 0;
    /* d = a u + b v + away n: where the edges are not square, by both at once */
    const double uu = dot(w->u, w->u), vv = dot(w->v, w->v), uv = dot(w->u, w->v);
    const double du = dot(d, w->u), dv = dot(d, w->v), det = uu * vv - uv * uv;
    const double a = (du * vv - dv * uv) / det, b = (dv * uu - du * uv) / det;
    return fabs(a) <= 1 && fabs(b) <= 1 ? (away > 0 ? 1 : -1) : 0;
}

/* Spheres that follow each other and have one name, as those of a fill do. */
typedef struct group {
    size_t first, end, stride; /* shapes; every stride-th is looked at */
    double low[3], high[3];    /* around their centres */
} group;

static const size_t least_group = 8;
static const double most_tests = 1e8; /* more than these, and not every body is looked at */

/* The group that begins at a shape: empty where it is no sphere of a dynamic body. */
static group group_at(const survey *s, size_t first)
{
    const char *name = tl_document_body_name(s->document, s->shapes[first].body);
    group g = {first, first, 1, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (; g.end < s->shape_count; g.end++) {
        const tl_shape_info *info = &s->shapes[g.end];
        if (info->kind != TL_DYNAMIC || tl_document_body_name(s->document, info->body) != name)
            break;
        for (size_t k = 0; k < 3; k++) {
            g.low[k] = fmin(g.low[k], s->x[3 * s->row[g.end] + k]);
            g.high[k] = fmax(g.high[k], s->x[3 * s->row[g.end] + k]);
        }
    }
    return g;
}

static bool reaches(const group *g, const slab *w)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double out = fmax(fmax(g->low[k] - w->centre[k], w->centre[k] - g->high[k]), 0);
        square += out * out;
    }
    return square <= w->reach * w->reach;
}

/* Whether a group has bodies on both sides of a wall. */
static bool straddles(const survey *s, const group *g, const slab *w)
{
    bool below = false, above = false;
    for (size_t i = g->first; i < g->end && !(below && above); i += g->stride) {
        const int side = side_of(w, s->x + 3 * s->row[i], s->shapes[i].def.radius);
        below = below || side < 0;
        above = above || side > 0;
    }
    return below && above;
}

/* Tells the first wall that a group reaches through, and how many there are. */
static void doubt_group(facts *f, const survey *s, group g, size_t walls)
{
    size_t through = 0, first = 0;
    const double tests = (double)(g.end - g.first) * (double)walls;
    g.stride = tests > most_tests ? (size_t)(tests / most_tests) + 1 : 1;
    for (size_t i = 0; i < s->shape_count; i++) {
        const tl_shape_kind kind = s->shapes[i].def.kind;
        if (s->shapes[i].kind != TL_FIXED || (kind != TL_BOX && kind != TL_PARALLELOGRAM))
            continue;
        const slab w = kind == TL_BOX ? slab_of_box(s, i) : slab_of_panel(s, i);
        if (!reaches(&g, &w) || !straddles(s, &g, &w))
            continue;
        first = through++ ? first : i;
    }
    if (!through)
        return;
    char of[512], wall[512];
    tl_document_describe(s->document, s->shapes[g.first].body, of, sizeof of);
    tl_document_describe(s->document, s->shapes[first].body, wall, sizeof wall);
    fact_warning(f,
                 "%s and those with it lie on both sides of %s (%zu %s in all): does the region "
                 "reach through a wall?",
                 of, wall, through, through == 1 ? "wall" : "walls");
}

static void doubt_fills(facts *f, const survey *s)
{
    size_t walls = 0;
    for (size_t i = 0; i < s->shape_count; i++)
        walls += s->shapes[i].kind == TL_FIXED;
    for (size_t i = 0; walls && i < s->shape_count;) {
        const group g = group_at(s, i);
        if (g.end >= g.first + least_group)
            doubt_group(f, s, g, walls);
        i = g.end > i ? g.end : i + 1;
    }
}

int survey_world(facts *f, const options *given, const tl_document *document, const tl_world *world)
{
    survey s = {.document = document};
    plan ahead;
    const tl_settings settings = tl_world_settings(world);
    const tl_record_def record = tl_document_record(document);
    const double gravity = sqrt(dot(settings.gravity, settings.gravity));
    int code = survey_read(&s, world);
    if (code == EXIT_OK) {
        take_all(&s);
        code = plan_scene(given, document, s.moving, &ahead);
    }
    if (code == EXIT_OK) {
        tell_numbers(f, &s, &ahead);
        doubt_sizes(f, &s, gravity);
        doubt_motion(f, &s, gravity, settings.step);
        if (record.rate * settings.step > 1 + 1e-9)
            fact_warning(f,
                         "record.rate asks for %g frames per second and there are %g steps: every "
                         "step is recorded",
                         record.rate, 1 / settings.step);
        doubt_fills(f, &s);
    }
    survey_free(&s);
    return code;
}
