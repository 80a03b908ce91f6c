#include "exact.h"

#include <math.h>
#include <string.h>

static const double gravity = 9.81, mass = 5;

static exact_course teeth(double rise, double drop)
{
    exact_course c = {.name = drop > 0 ? "sawtooth" : "steep",
                      .chains = 4,
                      .vertices = 3,
                      .start = {0, 0.75},
                      .velocity = {2, 1.8},
                      .epsilon = 0.25,
                      .psi_minimum = 0.1,
                      .duration = 3};
    for (int k = 0; k < 4; k++) {
        const double low = -drop * k;
        const double chain[3][2] = {{k, low}, {k + 1, low + rise}, {k + 1, low - drop}};
        memcpy(c.vertex[k], chain, sizeof chain);
    }
    return c;
}

exact_course exact_sawtooth(void)
{
    return teeth(0.05, 0.2);
}

exact_course exact_steep(void)
{
    return teeth(0.45, 0);
}

exact_course exact_hills(void)
{
    exact_course c = {.name = "hills",
                      .chains = 5,
                      .vertices = 11,
                      .start = {0, 2},
                      .force = {12, 0},
                      .epsilon = 0.5,
                      .psi_minimum = 0.1,
                      .duration = 3};
    const double chord = 2, height = 0.3;
    const double radius = (chord * chord / 4 + height * height) / (2 * height);
    const double half = asin(0.5 * chord / radius);
    for (int k = 0; k < 5; k++)
        for (int i = 0; i <= 10; i++) {
            const double angle = half * (i - 5) / 5;
            c.vertex[k][i][0] = 0.4 + 2 * k + radius * sin(angle);
            c.vertex[k][i][1] = radius * cos(angle) - (radius - height);
        }
    return c;
}

tl_status exact_scene(const exact_course *course, tl_stepper stepper, double h, bool document,
                      tl_scene **out, tl_body *particle)
{
    tl_scene *scene;
    tl_status status = tl_scene_create(&scene);
    if (status != TL_OK)
        return status;
    tl_settings s = tl_settings_default();
    s.step = h;
    s.stepper = stepper;
    s.planar = TL_PLANAR_XZ;
    s.precision = TL_DOUBLE;
    s.envelope = 1e-6;
    s.exact.epsilon = document ? course->epsilon : 0;
    s.exact.psi_minimum = document ? course->psi_minimum : 0;
    status = tl_scene_set_settings(scene, &s);
    tl_material_def smooth = tl_material_default();
    tl_material material;
    smooth.friction = 0;
    if (status == TL_OK)
        status = tl_scene_add_material(scene, &smooth, &material);
    tl_shape_def point = tl_point_default();
    tl_body_def body = tl_body_default();
    point.material = material;
    body.mass = mass;
    body.shape_count = 1;
    body.shapes = &point;
    for (int k = 0; k < 2; k++) {
        body.position[2 * k] = course->start[k];
        body.velocity[2 * k] = course->velocity[k];
    }
    if (status == TL_OK)
        status = tl_scene_add_bodies(scene, 1, &body, particle);
    tl_force_def force = tl_force_default();
    force.body = *particle;
    force.force[0] = course->force[0];
    force.force[2] = course->force[1];
    if (status == TL_OK && (course->force[0] != 0 || course->force[1] != 0))
        status = tl_scene_add_force(scene, &force);
    for (size_t k = 0; k < course->chains && status == TL_OK; k++) {
        tl_polygon_def polygon = tl_polygon_default();
        tl_geometry geometry;
        tl_body ground;
        polygon.count = course->vertices;
        polygon.vertices = course->vertex[k][0];
        polygon.open = true;
        status = tl_scene_add_polygon(scene, &polygon, &geometry);
        if (status != TL_OK)
            break;
        tl_shape_def shape = tl_polygon_shape_default(geometry);
        tl_body_def fixed = tl_body_default();
        shape.material = material;
        fixed.kind = TL_FIXED;
        fixed.shape_count = 1;
        fixed.shapes = &shape;
        status = tl_scene_add_bodies(scene, 1, &fixed, &ground);
    }
    if (status != TL_OK)
        tl_scene_destroy(scene);
    else
        *out = scene;
    return status;
}

/* ---- The exact path ---- */

/* An edge: where it begins, along it, its outward normal and length. */
typedef struct edge {
    double a[2], t[2], n[2], length;
} edge;

static edge edge_of(const exact_course *c, int chain, int i)
{
    edge e;
    const double *a = c->vertex[chain][i], *b = c->vertex[chain][i + 1];
    e.length = hypot(b[0] - a[0], b[1] - a[1]);
    for (int k = 0; k < 2; k++) {
        e.a[k] = a[k];
        e.t[k] = (b[k] - a[k]) / e.length;
    }
    e.n[0] = -e.t[1]; /* to the left: what is solid is to the right */
    e.n[1] = e.t[0];
    return e;
}

static double dot2(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

static void pull(const exact_course *c, double a[2])
{
    a[0] = c->force[0] / mass;
    a[1] = c->force[1] / mass - gravity;
}

exact_state exact_begin(const exact_course *c)
{
    return (exact_state){0, {c->start[0], c->start[1]}, {c->velocity[0], c->velocity[1]}, -1, 0};
}

/* The least root above `from` of p + q t + r t^2 / 2, with the derivative of the given sign (0:
 * any); infinity where there is none. */
static double root(double p, double q, double r, double from, int sign)
{
    double roots[2] = {INFINITY, INFINITY};
    if (r == 0) {
        roots[0] = q != 0 ? -p / q : INFINITY;
    } else {
        const double below = q * q - 2 * p * r;
        if (below >= 0) {
            const double far = -(q + (q > 0 ? 1 : -1) * sqrt(below));
            roots[0] = far / r;
            roots[1] = far != 0 ? 2 * p / far : INFINITY;
        }
    }
    double least = INFINITY;
    for (int i = 0; i < 2; i++)
        if (roots[i] > from && roots[i] < least && (!sign || (q + r * roots[i]) * sign > 0))
            least = roots[i];
    return least;
}

static void fly(const double a[2], double t, exact_state *s)
{
    for (int k = 0; k < 2; k++) {
        s->x[k] += s->v[k] * t + 0.5 * a[k] * t * t;
        s->v[k] += a[k] * t;
    }
    s->t += t;
}

/* Whether two edges stop what goes along v: v = -(p n0 + q n1) with p, q >= 0. */
static bool is_between(double n[2][2], const double v[2])
{
    const double det = n[0][0] * n[1][1] - n[0][1] * n[1][0];
    const double p = -(v[0] * n[1][1] - v[1] * n[1][0]) / det;
    const double q = -(n[0][0] * v[1] - n[0][1] * v[0]) / det;
    return p >= 0 && q >= 0;
}

/* Where the last vertex of a chain is on an edge of another, and both stop the point: it rests. */
static bool is_trapped(const exact_course *c, const exact_state *s)
{
    double a[2], n[2][2];
    int count = 0, chains[2] = {-1, -1};
    pull(c, a);
    for (int i = 0; i < (int)c->chains; i++)
        for (int j = 0; j + 1 < (int)c->vertices; j++) {
            const edge e = edge_of(c, i, j);
            const double d[2] = {s->x[0] - e.a[0], s->x[1] - e.a[1]};
            const double along = dot2(d, e.t);
            if (fabs(dot2(d, e.n)) > 1e-12 || along < -1e-12 || along > e.length + 1e-12 ||
                count == 2)
                continue;
            memcpy(n[count], e.n, sizeof e.n);
            chains[count++] = i;
        }
    if (count < 2 || chains[0] == chains[1])
        return false;
    return is_between(n, a) && is_between(n, s->v);
}

/* Stops what goes into an edge that the point is on. */
static bool touch(const exact_course *c, exact_state *s)
{
    double a[2];
    pull(c, a);
    if (is_trapped(c, s)) {
        s->chain = EXACT_REST;
        s->v[0] = s->v[1] = 0;
        return true;
    }
    for (int i = 0; i < (int)c->chains; i++)
        for (int j = 0; j + 1 < (int)c->vertices; j++) {
            const edge e = edge_of(c, i, j);
            const double d[2] = {s->x[0] - e.a[0], s->x[1] - e.a[1]};
            const double along = dot2(d, e.t), into = dot2(s->v, e.n);
            if (fabs(dot2(d, e.n)) > 1e-12 || along < -1e-12 || along > e.length + 1e-12)
                continue;
            const bool end = along >= e.length - 1e-12 && dot2(s->v, e.t) >= 0;
            const bool begin = along <= 1e-12 && dot2(s->v, e.t) <= 0 && dot2(a, e.t) < 0;
            if (into > -1e-13 || end || begin)
                continue;
            for (int k = 0; k < 2; k++)
                s->v[k] -= into * e.n[k];
            s->chain = i;
            s->edge = j;
            return true;
        }
    return false;
}

static bool in_flight(const exact_course *c, exact_state *s, double t)
{
    double a[2], first = INFINITY;
    int chain = -1, at = 0;
    pull(c, a);
    for (int i = 0; i < (int)c->chains; i++)
        for (int j = 0; j + 1 < (int)c->vertices; j++) {
            const edge e = edge_of(c, i, j);
            const double d[2] = {s->x[0] - e.a[0], s->x[1] - e.a[1]};
            const double when = root(dot2(d, e.n), dot2(s->v, e.n), dot2(a, e.n), 1e-12, -1);
            if (!(when < first))
                continue;
            const double along =
                dot2(d, e.t) + dot2(s->v, e.t) * when + 0.5 * dot2(a, e.t) * when * when;
            if (along < -1e-12 || along > e.length + 1e-12)
                continue;
            first = when;
            chain = i;
            at = j;
        }
    if (!(s->t + first <= t)) {
        fly(a, t - s->t, s);
        return false;
    }
    fly(a, first, s);
    const edge e = edge_of(c, chain, at);
    const double into = dot2(s->v, e.n);
    for (int k = 0; k < 2; k++)
        s->v[k] -= into * e.n[k];
    s->chain = chain;
    s->edge = at;
    return true;
}

static bool on_edge(const exact_course *c, exact_state *s, double t)
{
    double a[2];
    pull(c, a);
    const edge e = edge_of(c, s->chain, s->edge);
    const double d[2] = {s->x[0] - e.a[0], s->x[1] - e.a[1]};
    const double along = dot2(d, e.t), speed = dot2(s->v, e.t), rate = dot2(a, e.t);
    const double end = root(along - e.length, speed, rate, 1e-13, 1);
    const double begin = root(along, speed, rate, 1e-13, -1);
    const double when = end < begin ? end : begin;
    const double step = s->t + when <= t ? when : t - s->t;
    const double to = along + speed * step + 0.5 * rate * step * step;
    for (int k = 0; k < 2; k++) {
        s->x[k] = e.a[k] + to * e.t[k];
        s->v[k] = (speed + rate * step) * e.t[k];
    }
    s->t += step;
    if (!(step == when))
        return false;
    const int vertex = s->edge + (end < begin);
    memcpy(s->x, c->vertex[s->chain][vertex], sizeof s->x);
    s->chain = -1;
    touch(c, s); /* a valley */
    return true;
}

bool exact_event(const exact_course *c, exact_state *s, double t)
{
    if (s->chain == EXACT_REST) {
        s->t = t;
        return false;
    }
    return s->chain < 0 ? in_flight(c, s, t) : on_edge(c, s, t);
}

void exact_go(const exact_course *c, exact_state *s, double t)
{
    for (int i = 0; i < 100000 && s->t < t; i++)
        exact_event(c, s, t);
}

double exact_depth(const exact_course *c, const double x[2])
{
    double deepest = 0;
    for (int i = 0; i < (int)c->chains; i++) {
        double out = -INFINITY;
        for (int j = 0; j + 1 < (int)c->vertices; j++) {
            const edge e = edge_of(c, i, j);
            const double d[2] = {x[0] - e.a[0], x[1] - e.a[1]};
            out = fmax(out, dot2(d, e.n));
        }
        deepest = fmax(deepest, -out);
    }
    return deepest;
}
