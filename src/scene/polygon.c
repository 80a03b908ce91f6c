/* Polygons in the plane of x and z, as prisms along y: cut into convex pieces, each a hull whose
 * faces are known to be of the surface or not. Closed ones are cut along diagonals: ears are
 * clipped and what stays convex is joined again. Open chains are cut at their valleys; each piece
 * goes on behind its edges without end, so that the hull's other faces do not exist. */
#include "scene/check.h"

#include <math.h>
#include <string.h>

enum { OUTER = 0, INNER = 1, NONE = 2 }; /* tl_face_kind, step/exact.h */

/* A convex piece: its corners, counterclockwise in x and z seen with x to the right and z up, and
 * what the edge from each to the next is. */
typedef struct corner {
    double x[2];
    uint32_t kind;
} corner;

static double turn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

tl_polygon_def tl_polygon_default(void)
{
    return (tl_polygon_def){.depth = 1};
}

/* Whether two edges have a point in common. */
static bool edges_cross(const double *a, const double *b, const double *c, const double *d)
{
    const double one = turn(a, b, c), two = turn(a, b, d);
    const double three = turn(c, d, a), four = turn(c, d, b);
    if (((one > 0) != (two > 0) || one == 0 || two == 0) &&
        ((three > 0) != (four > 0) || three == 0 || four == 0)) {
        if (one != 0 || two != 0) /* not on one line */
            return true;
        for (int k = 0; k < 2; k++)
            if (fmax(a[k], b[k]) < fmin(c[k], d[k]) || fmax(c[k], d[k]) < fmin(a[k], b[k]))
                return false;
        return true;
    }
    return false;
}

static tl_status check_polygon(const tl_polygon_def *def)
{
    const tl_place place = tl_place_of("polygon");
    const size_t n = def->count, edges = def->open ? n - 1 : n;
    const double count = (double)n;
    if (n < (def->open ? 2u : 3u))
        return tl_refuse(&place, "count", 1, &count,
                         def->open ? "an open chain needs at least 2 vertices"
                                   : "a closed polygon needs at least 3 vertices");
    if (n > 4096)
        return tl_refuse(&place, "count", 1, &count, "it must be at most 4096");
    if (!def->vertices)
        return tl_refuse_text(&place, "vertices", "NULL", "it must point to count vertices");
    if (!(def->depth > 0 && isfinite(def->depth)))
        return tl_refuse(&place, "depth", 1, &def->depth, "it must be finite and > 0");
    const double *x = def->vertices;
    for (size_t i = 0; i < 2 * n; i++)
        if (!(fabs(x[i]) < 1e12))
            return tl_fail(TL_BAD_ARGUMENT, "polygon.vertices[%zu] is (%g, %g); it must be finite",
                           i / 2, x[i / 2 * 2], x[i / 2 * 2 + 1]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (x[2 * i] == x[2 * j] && x[2 * i + 1] == x[2 * j + 1])
                return tl_fail(TL_BAD_ARGUMENT,
                               "polygon.vertices[%zu] is (%g, %g), as vertices[%zu] is; no two may "
                               "be equal",
                               j, x[2 * j], x[2 * j + 1], i);
    for (size_t i = 0; i < edges; i++)
        for (size_t j = i + 1; j < edges; j++) {
            const double *a = x + 2 * i, *b = x + 2 * ((i + 1) % n);
            const double *c = x + 2 * j, *d = x + 2 * ((j + 1) % n);
            const bool next = j == i + 1, last = !def->open && i == 0 && j == edges - 1;
            bool crossed = !next && !last && edges_cross(a, b, c, d);
            if (next) /* back along itself */
                crossed = turn(a, b, d) == 0 &&
                          (d[0] - b[0]) * (a[0] - b[0]) + (d[1] - b[1]) * (a[1] - b[1]) > 0;
            if (crossed)
                return tl_fail(TL_BAD_ARGUMENT,
                               "polygon.vertices: the edges from %zu and from %zu cross; a polygon "
                               "must not meet itself",
                               i, j);
        }
    return TL_OK;
}

/* ---- Closed polygons ---- */

/* Pieces while they are cut: corners of all, piece by piece; `from` of each corner is its vertex.
 */
typedef struct cutting {
    const double *x;
    uint32_t n;
    uint32_t *ring;   /* vertices that are left, in order */
    tl_array corners; /* uint32_t */
    tl_array starts;  /* uint32_t: where each piece begins */
} cutting;

static bool is_ear(const cutting *c, uint32_t left, uint32_t i)
{
    const uint32_t p = c->ring[(i + left - 1) % left], q = c->ring[i], r = c->ring[(i + 1) % left];
    const double *a = c->x + 2 * (size_t)p, *b = c->x + 2 * (size_t)q, *d = c->x + 2 * (size_t)r;
    if (!(turn(a, b, d) > 0))
        return false;
    for (uint32_t k = 0; k < left; k++) {
        const double *v = c->x + 2 * (size_t)c->ring[k];
        if (c->ring[k] == p || c->ring[k] == q || c->ring[k] == r)
            continue;
        if (turn(a, b, v) >= 0 && turn(b, d, v) >= 0 && turn(d, a, v) >= 0)
            return false;
    }
    return true;
}

static tl_status clip_ears(cutting *c)
{
    for (uint32_t left = c->n; left >= 3;) {
        uint32_t best = left;
        double widest = -1;
        for (uint32_t i = 0; i < left; i++) { /* the ear with the largest area */
            const double *a = c->x + 2 * (size_t)c->ring[(i + left - 1) % left];
            const double *b = c->x + 2 * (size_t)c->ring[i];
            const double *d = c->x + 2 * (size_t)c->ring[(i + 1) % left];
            const double area = turn(a, b, d);
            if (area > widest && is_ear(c, left, i)) {
                widest = area;
                best = i;
            }
        }
        if (best == left) { /* what is left is on one line, up to rounding */
            if (!c->starts.count)
                return tl_fail(TL_BAD_ARGUMENT, "polygon.vertices enclose no area");
            return TL_OK;
        }
        const uint32_t at = (uint32_t)c->corners.count;
        const uint32_t ear[3] = {c->ring[(best + left - 1) % left], c->ring[best],
                                 c->ring[(best + 1) % left]};
        TL_TRY(tl_array_append(&c->starts, &at, 1));
        TL_TRY(tl_array_append(&c->corners, ear, 3));
        memmove(c->ring + best, c->ring + best + 1, (left - 1 - best) * sizeof *c->ring);
        left--;
    }
    return TL_OK;
}

/* Joins piece j to piece i along the edge that they share, where that leaves a convex piece;
 * returns how many corners it has, 0 where it does not. */
static uint32_t join(const cutting *c, const uint32_t *one, uint32_t m, const uint32_t *other,
                     uint32_t n, uint32_t *out)
{
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) {
            if (one[i] != other[(j + 1) % n] || one[(i + 1) % m] != other[j])
                continue;
            uint32_t count = 0;
            for (uint32_t k = 1; k <= m; k++)
                out[count++] = one[(i + k) % m];
            for (uint32_t k = 2; k < n; k++)
                out[count++] = other[(j + k) % n];
            for (uint32_t k = 0; k < count; k++) {
                const double *a = c->x + 2 * (size_t)out[k];
                const double *b = c->x + 2 * (size_t)out[(k + 1) % count];
                const double *d = c->x + 2 * (size_t)out[(k + 2) % count];
                if (turn(a, b, d) < 0)
                    return 0;
            }
            return count;
        }
    return 0;
}

enum { CORNERS_MOST = 30 }; /* of a piece: the caps of its hull are faces */

/* Joins pieces as long as that leaves them convex. */
static tl_status join_pieces(cutting *c)
{
    for (bool again = true; again;) {
        again = false;
        const uint32_t pieces = (uint32_t)c->starts.count;
        for (uint32_t i = 0; i < pieces && !again; i++)
            for (uint32_t j = i + 1; j < pieces && !again; j++) {
                uint32_t *starts = c->starts.data, *corners = c->corners.data;
                const uint32_t total = (uint32_t)c->corners.count;
                const uint32_t end_i = i + 1 < pieces ? starts[i + 1] : total;
                const uint32_t end_j = j + 1 < pieces ? starts[j + 1] : total;
                const uint32_t m = end_i - starts[i], n = end_j - starts[j];
                uint32_t out[2 * CORNERS_MOST];
                if (m + n - 2 > CORNERS_MOST)
                    continue;
                const uint32_t count = join(c, corners + starts[i], m, corners + starts[j], n, out);
                if (!count)
                    continue;
                /* both go, and the union comes last */
                const uint32_t from_i = starts[i], from_j = starts[j];
                memmove(corners + from_j, corners + end_j, (total - end_j) * sizeof *corners);
                memmove(corners + from_i, corners + end_i, (total - n - end_i) * sizeof *corners);
                c->corners.count = total - m - n;
                for (uint32_t k = j; k + 1 < pieces; k++)
                    starts[k] = starts[k + 1] - n;
                for (uint32_t k = i; k + 2 < pieces; k++)
                    starts[k] = starts[k + 1] - m;
                starts[pieces - 2] = (uint32_t)c->corners.count;
                c->starts.count--;
                TL_TRY(tl_array_append(&c->corners, out, count));
                again = true;
            }
    }
    return TL_OK;
}

/* ---- Pieces as hulls ---- */

/* The faces of a prism's hull: which edge of the piece each is, and so what it is. */
static tl_status mark_faces(const corner *piece, uint32_t count, tl_geometry_rec *g)
{
    const uint32_t *words = g->words.data;
    const uint32_t faces = words[1];
    const double *planes = (const double *)g->numbers.data + 3 * (size_t)words[0];
    for (uint32_t f = 0; f < faces; f++) {
        const double *n = planes + 4 * (size_t)f;
        uint32_t kind = fabs(n[1]) > 0.5 ? OUTER : NONE;
        double best = 1e-6;
        for (uint32_t i = 0; i < count && fabs(n[1]) <= 0.5; i++) {
            const double *a = piece[i].x, *b = piece[(i + 1) % count].x;
            const double e[2] = {b[0] - a[0], b[1] - a[1]};
            const double length = hypot(e[0], e[1]);
            const double off = hypot(n[0] - e[1] / length, n[2] + e[0] / length) +
                               fabs(n[0] * a[0] + n[2] * a[1] - n[3]) / length;
            if (off < best) {
                best = off;
                kind = piece[i].kind;
            }
        }
        TL_TRY(tl_array_append(&g->words, &kind, 1));
    }
    return TL_OK;
}

static tl_status add_piece(tl_scene *scene, const corner *piece, uint32_t count, double depth)
{
    tl_array points = {.item = 3 * sizeof(double)};
    tl_geometry_rec made;
    tl_status status = TL_OK;
    if (scene->geometries.count >= TL_GEOMETRIES_MOST)
        return tl_fail(TL_TOO_LARGE, "a scene has at most %d geometries", TL_GEOMETRIES_MOST);
    for (uint32_t i = 0; i < 2 * count && status == TL_OK; i++) {
        const double x[3] = {piece[i / 2].x[0], i % 2 ? 0.5 * depth : -0.5 * depth,
                             piece[i / 2].x[1]};
        status = tl_array_append(&points, x, 1);
    }
    if (status == TL_OK)
        status = tl_geometry_hull(points.count, points.data, &made);
    tl_array_free(&points);
    TL_TRY(status);
    status = mark_faces(piece, count, &made);
    if (status == TL_OK)
        status = tl_array_append(&scene->geometries, &made, 1);
    if (status != TL_OK)
        tl_geometry_free(&made);
    return status;
}

static bool is_edge(uint32_t n, uint32_t a, uint32_t b)
{
    return b == (a + 1) % n;
}

static tl_status add_closed(tl_scene *scene, const tl_polygon_def *def)
{
    const uint32_t n = (uint32_t)def->count;
    cutting c = {.x = def->vertices,
                 .n = n,
                 .ring = tl_alloc(n * sizeof(uint32_t)),
                 .corners = {.item = sizeof(uint32_t)},
                 .starts = {.item = sizeof(uint32_t)}};
    tl_array piece = {.item = sizeof(corner)};
    double area = 0;
    if (!c.ring)
        return TL_NO_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        area += turn(c.x, c.x + 2 * (size_t)i, c.x + 2 * (size_t)((i + 1) % n));
    for (uint32_t i = 0; i < n; i++)
        c.ring[i] = area > 0 ? i : n - 1 - i;
    tl_status status = clip_ears(&c);
    if (status == TL_OK)
        status = join_pieces(&c);
    for (size_t p = 0; status == TL_OK && p < c.starts.count; p++) {
        const uint32_t *starts = c.starts.data, *corners = c.corners.data;
        const uint32_t end = p + 1 < c.starts.count ? starts[p + 1] : (uint32_t)c.corners.count;
        const uint32_t count = end - starts[p];
        piece.count = 0;
        for (uint32_t k = 0; k < count && status == TL_OK; k++) {
            const uint32_t a = corners[starts[p] + k], b = corners[starts[p] + (k + 1) % count];
            const bool outer = is_edge(n, area > 0 ? a : b, area > 0 ? b : a);
            const corner one = {{c.x[2 * (size_t)a], c.x[2 * (size_t)a + 1]},
                                outer ? OUTER : INNER};
            status = tl_array_append(&piece, &one, 1);
        }
        if (status == TL_OK)
            status = add_piece(scene, piece.data, count, def->depth);
    }
    tl_array_free(&piece);
    tl_array_free(&c.corners);
    tl_array_free(&c.starts);
    tl_free(c.ring, n * sizeof(uint32_t));
    return status;
}

/* ---- Open chains: what is solid is to the right, seen along them ---- */

/* Where a cut at vertex i goes to: into the solid, halfway between its two edges; at an end across
 * its one edge. */
static void cut_end(const tl_polygon_def *def, size_t i, double out[2])
{
    const double *x = def->vertices;
    double d[2] = {0, 0}, least = INFINITY;
    for (int side = 0; side < 2; side++) {
        if ((side == 0 && i == 0) || (side == 1 && i + 1 == def->count))
            continue;
        const double *a = x + 2 * (i - (side == 0)), *b = a + 2;
        const double e[2] = {b[0] - a[0], b[1] - a[1]};
        const double length = hypot(e[0], e[1]);
        d[0] += e[1] / length; /* to the right */
        d[1] -= e[0] / length;
        least = fmin(least, length);
    }
    const double size = hypot(d[0], d[1]);
    for (int k = 0; k < 2; k++)
        out[k] = x[2 * i + (size_t)k] + 0.25 * least * d[k] / size;
}

/* The convex part of a chain from vertex i to j, as the corners of a piece: against the order of
 * the chain, which goes clockwise around the solid. */
static tl_status add_part(tl_scene *scene, const tl_polygon_def *def, size_t i, size_t j)
{
    const double *x = def->vertices;
    const bool first = i == 0, last = j + 1 == def->count, bare = j == i + 1;
    tl_array piece = {.item = sizeof(corner)};
    tl_status status = TL_OK;
    for (size_t k = j + 1; k-- > i && status == TL_OK;) {
        const corner one = {{x[2 * k], x[2 * k + 1]}, k > i ? OUTER : first ? NONE : INNER};
        status = tl_array_append(&piece, &one, 1);
    }
    if (status == TL_OK && (!first || bare)) {
        corner one = {.kind = NONE};
        cut_end(def, i, one.x);
        status = tl_array_append(&piece, &one, 1);
    }
    if (status == TL_OK && (!last || bare)) {
        corner one = {.kind = last ? NONE : INNER};
        cut_end(def, j, one.x);
        status = tl_array_append(&piece, &one, 1);
    }
    if (status == TL_OK)
        status = add_piece(scene, piece.data, (uint32_t)piece.count, def->depth);
    tl_array_free(&piece);
    return status;
}

static tl_status add_open(tl_scene *scene, const tl_polygon_def *def)
{
    const double *x = def->vertices;
    for (size_t i = 0, j; i + 1 < def->count; i = j) {
        for (j = i + 1; j + 1 < def->count && j - i < CORNERS_MOST - 2 &&
                        turn(x + 2 * (j - 1), x + 2 * j, x + 2 * (j + 1)) < 0;)
            j++;
        TL_TRY(add_part(scene, def, i, j));
    }
    return TL_OK;
}

tl_status tl_scene_add_polygon(tl_scene *scene, const tl_polygon_def *def, tl_geometry *geometry)
{
    if (!scene)
        return tl_refuse_null("scene");
    if (!geometry)
        return tl_refuse_null("geometry");
    *geometry = (tl_geometry){0};
    if (!def)
        return tl_refuse_null("def");
    TL_TRY(check_polygon(def));
    const size_t before = scene->geometries.count;
    const tl_status status = def->open ? add_open(scene, def) : add_closed(scene, def);
    tl_geometry_rec *all = scene->geometries.data;
    if (status != TL_OK) {
        while (scene->geometries.count > before)
            tl_geometry_free(&all[--scene->geometries.count]);
        return status;
    }
    geometry->index = (uint32_t)before + 1;
    all[before].first_piece = geometry->index;
    all[before].piece_count = (uint32_t)(scene->geometries.count - before);
    return TL_OK;
}
