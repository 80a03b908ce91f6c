/* Shared by the tests of the narrow phase: convex shapes in random and in chosen poses, hulls made
 * by brute force, and what is known of a shape without the narrow phase: its support function, and
 * how far a point is from its surface. */
#ifndef TALUS_TESTS_NARROW_SHAPES_H
#define TALUS_TESTS_NARROW_SHAPES_H

#define TLK_PRECISION_double
#include "kernels/narrow/collide.h" /* first: it says what a real is */

#include "support.h"

#define HULL_POINTS 32
#define SUM_KINDS   10

static const uint32_t all_kinds[SUM_KINDS] = {
    TLK_PLANE,    TLK_SPHERE, TLK_BOX,       TLK_PARALLELOGRAM, TLK_CAPSULE,
    TLK_CYLINDER, TLK_CONE,   TLK_ELLIPSOID, TLK_HULL,          TLK_TRIANGLE};

__attribute__((unused)) static const char *kind_name(uint32_t kind)
{
    static const char *const names[] = {"sphere",        "plane",     "box",
                                        "parallelogram", "capsule",   "cylinder",
                                        "cone",          "ellipsoid", "hull"};
    return kind == TLK_TRIANGLE ? "triangle" : names[kind];
}

/* A shape with room for a hull. It must not be copied: it points into itself. */
typedef struct solid {
    tlk_convex c;
    double numbers[3 * HULL_POINTS + 8 * HULL_POINTS];
    uint32_t words[40 * HULL_POINTS];
} solid;

/* ---- Hulls ---- */

/* The loop of the vertices in `set`, counterclockwise about m. */
static uint32_t sort_loop(const double (*v)[3], uint64_t set, const double m[3], uint32_t *loop)
{
    uint32_t count = 0;
    double mid[3] = {0, 0, 0}, t[3], u[3], angle[HULL_POINTS];
    for (uint32_t i = 0; i < HULL_POINTS; i++) {
        if (set >> i & 1) {
            loop[count++] = i;
            add3(mid, 1, v[i], mid);
        }
    }
    tlk_perpendicular(m, t);
    cross3(m, t, u);
    for (uint32_t i = 0; i < count; i++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = v[loop[i]][k] - mid[k] / count;
        angle[i] = atan2(dot3(d, u), dot3(d, t));
    }
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t j = i; j > 0 && angle[j] < angle[j - 1]; j--) {
            const double a = angle[j];
            const uint32_t l = loop[j];
            angle[j] = angle[j - 1], angle[j - 1] = a;
            loop[j] = loop[j - 1], loop[j - 1] = l;
        }
    }
    return count;
}

/* The vertices on the plane through three points, as a set; 0 where others are above it. */
static uint64_t plane_set(const double (*v)[3], uint32_t count, uint32_t i, uint32_t j, uint32_t l,
                          double plane[4])
{
    double e[3], f[3];
    uint64_t set = 0;
    add3(v[j], -1, v[i], e);
    add3(v[l], -1, v[i], f);
    cross3(e, f, plane);
    if (!(tlk_unit(plane) > 1e-12 * norm3(e) * norm3(f)))
        return 0;
    plane[3] = dot3(plane, v[i]);
    for (uint32_t q = 0; q < count; q++) {
        const double h = dot3(plane, v[q]) - plane[3];
        if (h > 1e-12)
            return 0;
        if (h > -1e-12 || q == i || q == j || q == l)
            set |= 1ull << q;
    }
    return set;
}

/* Fills in planes, loops and edges of `count` points that are all vertices. */
static void close_hull(solid *s, uint32_t count)
{
    const double(*v)[3] = (const double(*)[3])s->numbers;
    uint64_t sets[4 * HULL_POINTS];
    uint32_t faces = 0, edges = 0, total = 0, loop[16 * HULL_POINTS], start[4 * HULL_POINTS] = {0};
    double *planes = s->numbers + 3 * (size_t)count;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            for (uint32_t l = 0; l < count; l++) {
                double plane[4];
                if (i == j || j == l || i == l)
                    continue;
                const uint64_t set = plane_set(v, count, i, j, l, plane);
                bool known = set == 0;
                for (uint32_t f = 0; f < faces && !known; f++)
                    known = sets[f] == set && dot3(plane, planes + 4 * (size_t)f) > 0;
                if (known)
                    continue;
                memcpy(planes + 4 * (size_t)faces, plane, sizeof plane);
                sets[faces++] = set;
                total += sort_loop(v, set, plane, loop + total);
                start[faces] = total;
            }
        }
    }
    uint32_t *w = s->words;
    w[0] = count, w[1] = faces;
    memcpy(w + 3, start, (faces + 1) * sizeof *w);
    memcpy(w + 4 + faces, loop, total * sizeof *w);
    uint32_t *edge = w + 4 + faces + total, *both = edge + total; /* total is twice the edges */
    for (uint32_t f = 0; f < faces; f++) {
        const uint32_t n = start[f + 1] - start[f];
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t from = loop[start[f] + i], to = loop[start[f] + (i + 1) % n];
            if (from > to)
                continue;
            edge[2 * edges] = from, edge[2 * edges + 1] = to;
            both[2 * edges] = f;
            for (uint32_t g = 0; g < faces; g++) {
                if (g != f && (sets[g] >> from & 1) && (sets[g] >> to & 1))
                    both[2 * edges + 1] = g;
            }
            edges++;
        }
    }
    assert_int_equal(2 * edges, total);
    w[2] = edges;
    s->c.vertex = s->numbers;
    s->c.words = w;
}

/* ---- Shapes ---- */

__attribute__((unused)) static void place_solid(solid *s, const double at[3], const double q[4])
{
    const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int k = 0; k < 3; k++) {
        s->c.origin[k] = at[k];
        rotate(q, 1, unit + 3 * k, s->c.axis + 3 * k);
    }
}

/* A shape of a kind at 0, unturned; x, y and z are its sizes (a sphere's radius: x; a capsule's: x,
 * a parallelogram's sides: x and y). */
__attribute__((unused)) static void make_solid(solid *s, uint32_t kind, double x, double y,
                                               double z)
{
    const double zero[3] = {0, 0, 0}, still[4] = {1, 0, 0, 0};
    memset(s, 0, sizeof *s);
    s->c.kind = kind;
    place_solid(s, zero, still);
    if (kind == TLK_SPHERE) {
        s->c.rounding = x;
    } else if (kind == TLK_CAPSULE) {
        s->c.rounding = x;
        s->c.size[2] = z;
    } else if (kind == TLK_PARALLELOGRAM) {
        s->c.axis[0] = x;
        s->c.axis[4] = y;
    } else {
        s->c.size[0] = x, s->c.size[1] = y, s->c.size[2] = z;
    }
    if (kind == TLK_TRIANGLE) {
        const double corners[9] = {0, 0, 0, x, 0, 0, 0, y, 0};
        memcpy(s->numbers, corners, sizeof corners);
        s->c.vertex = s->numbers;
    }
    if (kind == TLK_HULL) {
        for (int i = 0; i < 8; i++) {
            s->numbers[3 * i] = (i & 1) ? x : -x;
            s->numbers[3 * i + 1] = (i & 2) ? y : -y;
            s->numbers[3 * i + 2] = (i & 4) ? z : -z;
        }
        close_hull(s, 8);
    }
}

/* A hull of `count` points on an ellipsoid. */
__attribute__((unused)) static void make_hull(solid *s, dice *d, uint32_t count)
{
    make_solid(s, TLK_SPHERE, 0, 0, 0);
    s->c.kind = TLK_HULL;
    const double size[3] = {roll(d, 0.4, 1), roll(d, 0.4, 1), roll(d, 0.4, 1)};
    for (uint32_t i = 0; i < count; i++) {
        roll_direction(d, s->numbers + 3 * (size_t)i);
        for (int k = 0; k < 3; k++)
            s->numbers[3 * (size_t)i + k] *= size[k];
    }
    close_hull(s, count);
}

/* A shape of random sizes, turned at random, at 0. `wide`: the largest ratio of its sizes. */
__attribute__((unused)) static void roll_solid(solid *s, dice *d, uint32_t kind, double wide)
{
    const double zero[3] = {0, 0, 0}, low = -log(wide);
    double q[4];
    const double x = exp(roll(d, low, 0)), y = exp(roll(d, low, 0)), z = exp(roll(d, low, 0));
    if (kind == TLK_HULL)
        make_hull(s, d, 4 + (uint32_t)roll(d, 0, 13));
    else
        make_solid(s, kind, x, y, z);
    for (int i = 0; i < 9 && kind == TLK_TRIANGLE; i++)
        s->numbers[i] = roll(d, -1, 1);
    roll_turn(d, q);
    place_solid(s, zero, q);
    if (kind == TLK_PARALLELOGRAM) {
        const double slant = roll(d, -0.8, 0.8);
        double u[3];
        for (int k = 0; k < 3; k++) {
            u[k] = s->c.axis[k];
            s->c.axis[k] *= x;
            s->c.axis[3 + k] = y * (s->c.axis[3 + k] + slant * u[k]);
        }
    }
    if ((kind == TLK_BOX || kind == TLK_CYLINDER || kind == TLK_HULL) && roll(d, 0, 1) < 0.4)
        s->c.rounding = roll(d, 0, 0.2);
}

/* ---- What is known without the narrow phase ---- */

/* How far the shape reaches along the unit vector d; planes reach to infinity but along -w. */
static double reach_along(const tlk_convex *c, const double d[3])
{
    double l[3], h = 0;
    for (int k = 0; k < 3; k++)
        l[k] = dot3(c->axis + 3 * k, d);
    if (c->kind == TLK_BOX) {
        h = fabs(l[0]) * c->size[0] + fabs(l[1]) * c->size[1] + fabs(l[2]) * c->size[2];
    } else if (c->kind == TLK_PARALLELOGRAM) {
        h = fmax(l[0], 0) + fmax(l[1], 0);
    } else if (c->kind == TLK_CAPSULE) {
        h = fabs(l[2]) * c->size[2];
    } else if (c->kind == TLK_CYLINDER) {
        h = fabs(l[2]) * c->size[2] + c->size[0] * hypot(l[0], l[1]);
    } else if (c->kind == TLK_CONE) {
        h = fmax(l[2] * c->size[2], c->size[0] * hypot(l[0], l[1]) - l[2] * c->size[2]);
    } else if (c->kind == TLK_ELLIPSOID) {
        h = sqrt(pow(l[0] * c->size[0], 2) + pow(l[1] * c->size[1], 2) + pow(l[2] * c->size[2], 2));
    } else if (c->kind == TLK_HULL || c->kind == TLK_TRIANGLE) {
        const uint32_t count = c->kind == TLK_HULL ? c->words[0] : 3;
        h = -INFINITY;
        for (uint32_t i = 0; i < count; i++)
            h = fmax(h, dot3(c->vertex + 3 * (size_t)i, l));
    } else if (c->kind == TLK_PLANE && !(l[2] > 1 - 1e-12)) {
        return INFINITY;
    }
    return h + dot3(c->origin, d) + c->rounding;
}

/* The separation along the unit vector n, from a to b. */
static double separation_along(const tlk_convex *a, const tlk_convex *b, const double n[3])
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    return -reach_along(b, back) - reach_along(a, n);
}

/* Climbs from n to a direction of greater separation. */
__attribute__((unused)) static double climb(const tlk_convex *a, const tlk_convex *b, dice *d,
                                            double n[3], double step)
{
    double s = separation_along(a, b, n);
    for (int turn = 0; turn < 3000 && step > 1e-11; turn++) {
        double t[3], u[3];
        bool better = false;
        tlk_perpendicular(n, t);
        cross3(n, t, u);
        const double from = roll(d, 0, 2 * PI);
        for (int i = 0; i < 10 && !better; i++) {
            double m[3];
            for (int k = 0; k < 3; k++)
                m[k] =
                    n[k] + step * (cos(from + i * PI / 5) * t[k] + sin(from + i * PI / 5) * u[k]);
            tlk_unit(m);
            const double here = separation_along(a, b, m);
            if (here > s) {
                s = here;
                memcpy(n, m, sizeof m);
                better = true;
            }
        }
        step *= better ? 1.3 : 0.6;
    }
    return s;
}

#define LOOKS 700

/* The greatest separation over all directions, by brute force: a signed distance from below. */
__attribute__((unused)) static double best_separation(const tlk_convex *a, const tlk_convex *b,
                                                      dice *d, int climbs, double n[3])
{
    static double look[LOOKS][3], value[LOOKS];
    double best = -INFINITY;
    for (int i = 0; i < LOOKS; i++) {
        const double z = 1 - (2 * i + 1.0) / LOOKS, r = sqrt(1 - z * z),
                     p = i * 2.39996322972865332;
        look[i][0] = r * cos(p), look[i][1] = r * sin(p), look[i][2] = z;
        value[i] = separation_along(a, b, look[i]);
    }
    for (int c = 0; c < climbs; c++) {
        int top = 0;
        for (int i = 1; i < LOOKS; i++)
            top = value[i] > value[top] ? i : top;
        double m[3];
        memcpy(m, look[top], sizeof m);
        for (int i = 0; i < LOOKS; i++) {
            if (dot3(look[i], m) > 0.95)
                value[i] = -INFINITY;
        }
        const double here = climb(a, b, d, m, 0.07);
        if (here > best) {
            best = here;
            memcpy(n, m, sizeof m);
        }
    }
    return best;
}

/* How far x is outside of the core's surface; exact on it and, but for ellipsoids and hulls, off
 * it. Of what is flat: from either side. */
static double core_distance(const tlk_convex *c, const double x[3])
{
    double d[3], l[3];
    add3(x, -1, c->origin, d);
    for (int k = 0; k < 3; k++)
        l[k] = dot3(d, c->axis + 3 * k);
    const double r = hypot(l[0], l[1]), *size = c->size;
    if (c->kind == TLK_BOX || c->kind == TLK_CYLINDER) {
        const double out[3] = {c->kind == TLK_BOX ? fabs(l[0]) - size[0] : r - size[0],
                               c->kind == TLK_BOX ? fabs(l[1]) - size[1] : -1,
                               fabs(l[2]) - size[2]};
        const double in =
            c->kind == TLK_BOX ? fmax(out[0], fmax(out[1], out[2])) : fmax(out[0], out[2]);
        const double o[3] = {fmax(out[0], 0), c->kind == TLK_BOX ? fmax(out[1], 0) : 0,
                             fmax(out[2], 0)};
        return in > 0 ? norm3(o) : in;
    }
    if (c->kind == TLK_CAPSULE)
        return hypot(r, fmax(fabs(l[2]) - size[2], 0));
    if (c->kind == TLK_PLANE)
        return l[2];
    if (c->kind == TLK_CONE) {
        const double side =
            (2 * size[2] * r + size[0] * (l[2] - size[2])) / hypot(2 * size[2], size[0]);
        return fmax(side, -size[2] - l[2]);
    }
    if (c->kind == TLK_ELLIPSOID) {
        const double f = hypot(hypot(l[0] / size[0], l[1] / size[1]), l[2] / size[2]);
        return (f - 1) * f /
               hypot(hypot(l[0] / (size[0] * size[0]), l[1] / (size[1] * size[1])),
                     l[2] / (size[2] * size[2]));
    }
    if (c->kind == TLK_HULL) {
        double out = -INFINITY;
        for (uint32_t i = 0; i < c->words[1]; i++) {
            const double *plane = c->vertex + 3 * (size_t)c->words[0] + 4 * (size_t)i;
            out = fmax(out, dot3(plane, l) - plane[3]);
        }
        return out;
    }
    if (c->kind == TLK_SPHERE)
        return norm3(d);
    /* what is flat: of its plane, and of its sides */
    double corner[4][3], out = 0;
    const int count = c->kind == TLK_TRIANGLE ? 3 : 4;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            corner[i][k] = c->kind == TLK_TRIANGLE ? c->vertex[3 * i + k]
                                                   : (i == 1 || i == 2 ? c->axis[k] : 0) +
                                                         (i >= 2 ? c->axis[3 + k] : 0);
    }
    double e[3], f[3], m[3], side[3];
    const double *y = c->kind == TLK_TRIANGLE ? l : d;
    add3(corner[1], -1, corner[0], e);
    add3(corner[2], -1, corner[0], f);
    cross3(e, f, m);
    tlk_unit(m);
    for (int i = 0; i < count; i++) {
        add3(corner[(i + 1) % count], -1, corner[i], e);
        cross3(e, m, side);
        tlk_unit(side);
        add3(y, -1, corner[i], f);
        out = fmax(out, dot3(f, side));
    }
    add3(y, -1, corner[0], f);
    return hypot(out, dot3(f, m));
}

__attribute__((unused)) static double surface_distance(const tlk_convex *c, const double x[3])
{
    return core_distance(c, x) - c->rounding;
}

#endif
