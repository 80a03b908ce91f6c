/* Triangles between loops in a plane, with holes: ears are cut off a loop one after the other, each
 * hole joined to what is around it by a bridge first. Whatever the loops, degenerate or crossing
 * themselves by rounding, each of their edges is an edge of one triangle, so that a surface that
 * they close is closed. Called by cut.c. */
#include "mesh/cut.h"

#include <stdlib.h>

static const uint32_t nobody = UINT32_MAX;

/* A corner of a loop in the plane's own coordinates. Corners at either end of a bridge are there
 * twice. */
typedef struct corner {
    double at[2];
    uint32_t vertex, before, after;
    bool reflex, gone;
} corner;

typedef struct cap {
    tl_array corners; /* corner */
    tl_array loops;   /* uint32_t: a corner of each loop */
    double axes[2][3];
} cap;

static corner *corner_of(const cap *c, uint32_t i)
{
    return (corner *)c->corners.data + i;
}

/* Twice the area of a triangle, above 0 where it runs counterclockwise. */
static double area(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool is_in(const double a[2], const double b[2], const double c[2], const double p[2])
{
    return area(a, b, p) >= 0 && area(b, c, p) >= 0 && area(c, a, p) >= 0;
}

/* ---- Loops ---- */

static int compare_edges(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    for (int k = 0; k < 2; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

/* Leaves the edges that do not run back and forth. Both ways are sorted: each edge meets its
 * opposites. */
static tl_status cancel(tl_array *edges)
{
    const size_t count = edges->count / 2;
    uint32_t *forth = edges->data, *back = tl_alloc(2 * count * sizeof *back);
    size_t kept = 0, j = 0;
    if (!back)
        return TL_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        back[2 * i] = forth[2 * i + 1];
        back[2 * i + 1] = forth[2 * i];
    }
    qsort(forth, count, 2 * sizeof *forth, compare_edges);
    qsort(back, count, 2 * sizeof *back, compare_edges);
    for (size_t i = 0; i < count; i++) {
        while (j < count && compare_edges(back + 2 * j, forth + 2 * i) < 0)
            j++;
        if (j < count && compare_edges(back + 2 * j, forth + 2 * i) == 0) {
            j++;
            continue;
        }
        forth[2 * kept] = forth[2 * i];
        forth[2 * kept++ + 1] = forth[2 * i + 1];
    }
    edges->count = 2 * kept;
    tl_free(back, 2 * count * sizeof *back);
    return TL_OK;
}

/* The first edge from a vertex in the sorted list, `count` where there is none. */
static size_t first_from(const uint32_t *edges, size_t count, uint32_t vertex)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (edges[2 * middle] < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && edges[2 * low] == vertex ? low : count;
}

/* A loop of the vertices path[from..], against their order. */
static tl_status add_loop(cap *c, const double *vertices, const tl_array *path, size_t from)
{
    const uint32_t first = (uint32_t)c->corners.count, *list = path->data;
    const uint32_t count = (uint32_t)(path->count - from);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t vertex = list[path->count - 1 - i];
        const double *x = vertices + 3 * (size_t)vertex;
        const corner made = {.at = {tl_dot(x, c->axes[0]), tl_dot(x, c->axes[1])},
                             .vertex = vertex,
                             .before = first + (i + count - 1) % count,
                             .after = first + (i + 1) % count};
        TL_TRY(tl_array_append(&c->corners, &made, 1));
    }
    return tl_array_append(&c->loops, &first, 1);
}

/* Follows edges until a vertex comes again: what is between is a loop. */
static tl_status walk(cap *c, const double *vertices, const tl_array *edges, uint8_t *used,
                      size_t start, tl_array *path)
{
    const uint32_t *all = edges->data;
    const size_t count = edges->count / 2;
    path->count = 0;
    TL_TRY(tl_array_append(path, &all[2 * start], 1));
    for (size_t edge = start; edge < count;) {
        const uint32_t to = all[2 * edge + 1];
        const uint32_t *list = path->data;
        size_t from = 0;
        used[edge] = 1;
        while (from < path->count && list[from] != to)
            from++;
        if (from < path->count) {
            TL_TRY(add_loop(c, vertices, path, from));
            path->count = from + 1;
        } else {
            TL_TRY(tl_array_append(path, &to, 1));
        }
        edge = first_from(all, count, to);
        while (edge < count && all[2 * edge] == to && used[edge])
            edge++;
        if (edge < count && all[2 * edge] != to)
            edge = count;
    }
    return TL_OK;
}

static tl_status find_loops(cap *c, const double *vertices, const tl_array *edges)
{
    const size_t count = edges->count / 2;
    tl_array path = {.item = sizeof(uint32_t)};
    uint8_t *used = tl_alloc_zero(count);
    tl_status status = used ? TL_OK : TL_NO_MEMORY;
    for (size_t i = 0; i < count && status == TL_OK; i++)
        if (!used[i])
            status = walk(c, vertices, edges, used, i, &path);
    tl_array_free(&path);
    tl_free(used, count);
    return status;
}

/* ---- Holes ---- */

static double loop_area(const cap *c, uint32_t first)
{
    const double *o = corner_of(c, first)->at;
    double sum = 0;
    for (uint32_t i = corner_of(c, first)->after; i != first; i = corner_of(c, i)->after)
        sum += area(o, corner_of(c, i)->at, corner_of(c, corner_of(c, i)->after)->at);
    return sum;
}

/* The corner of a loop that is farthest along the first axis. */
static uint32_t rightmost(const cap *c, uint32_t first)
{
    uint32_t best = first;
    for (uint32_t i = corner_of(c, first)->after; i != first; i = corner_of(c, i)->after)
        if (corner_of(c, i)->at[0] > corner_of(c, best)->at[0])
            best = i;
    return best;
}

/* The corner that a hole's rightmost corner sees: an end of the edge to the right of it, or what is
 * in between. Nobody: there is none. */
static uint32_t find_bridge(const cap *c, uint32_t hole, const uint8_t *joined)
{
    const double *m = corner_of(c, hole)->at;
    double nearest = INFINITY;
    uint32_t best = nobody;
    for (uint32_t i = 0; i < c->corners.count; i++) {
        const corner *a = corner_of(c, i), *b = corner_of(c, a->after);
        if (!joined[i] || !(a->at[1] <= m[1] && b->at[1] >= m[1] && a->at[1] < b->at[1]))
            continue; /* what is inside is to the left of the edges that go up */
        const double t = (m[1] - a->at[1]) / (b->at[1] - a->at[1]);
        const double x = a->at[0] + t * (b->at[0] - a->at[0]);
        if (x >= m[0] && x < nearest) {
            nearest = x;
            best = a->at[0] > b->at[0] ? i : a->after;
        }
    }
    if (best == nobody)
        return nobody;
    const double to[2] = {nearest, m[1]}, *p = corner_of(c, best)->at;
    const bool below = p[1] < m[1];
    double least = INFINITY;
    for (uint32_t i = 0; i < c->corners.count; i++) {
        const double *q = corner_of(c, i)->at;
        if (!joined[i] || !(q[0] > m[0]) || !is_in(m, below ? p : to, below ? to : p, q))
            continue;
        const double slope = fabs(q[1] - m[1]) / (q[0] - m[0]);
        if (slope < least || (slope == least && q[0] < corner_of(c, best)->at[0])) {
            least = slope;
            best = i;
        }
    }
    return best;
}

/* Joins the loop of corner `hole` to that of `to` by an edge there and back. */
static tl_status join(cap *c, uint32_t hole, uint32_t to)
{
    const uint32_t twin = (uint32_t)c->corners.count, other = twin + 1;
    const corner copies[2] = {*corner_of(c, hole), *corner_of(c, to)};
    TL_TRY(tl_array_append(&c->corners, copies, 2));
    corner *h = corner_of(c, hole), *t = corner_of(c, to);
    corner *h2 = corner_of(c, twin), *t2 = corner_of(c, other);
    corner_of(c, h->before)->after = twin; /* ... around the hole to its twin, back to t2 ... */
    h2->after = other;
    t2->before = twin;
    corner_of(c, t->after)->before = other;
    t->after = hole;
    h->before = to;
    return TL_OK;
}

typedef struct hole {
    double x;
    uint32_t corner;
} hole;

static int compare_holes(const void *a, const void *b)
{
    const hole *p = a, *q = b;
    if (p->x != q->x)
        return p->x > q->x ? -1 : 1;
    return p->corner < q->corner ? -1 : 1;
}

static void mark_loop(const cap *c, uint32_t first, uint8_t *joined)
{
    uint32_t i = first;
    do {
        joined[i] = 1;
        i = corner_of(c, i)->after;
    } while (i != first);
}

/* Holes from the right, so that those that are in the way of a bridge have one already. Loops that
 * are no hole of anything stay by themselves. */
static tl_status join_holes(cap *c)
{
    tl_array holes = {.item = sizeof(hole)};
    const size_t room = c->corners.count + 2 * c->loops.count;
    uint8_t *joined = tl_alloc_zero(room);
    uint32_t *loops = c->loops.data;
    size_t kept = 0;
    tl_status status = joined ? TL_OK : TL_NO_MEMORY;
    for (size_t i = 0; i < c->loops.count && status == TL_OK; i++) {
        if (loop_area(c, loops[i]) >= 0) {
            mark_loop(c, loops[i], joined);
            loops[kept++] = loops[i];
            continue;
        }
        const uint32_t right = rightmost(c, loops[i]);
        const hole found = {corner_of(c, right)->at[0], right};
        status = tl_array_append(&holes, &found, 1);
    }
    c->loops.count = kept;
    if (holes.count)
        qsort(holes.data, holes.count, sizeof(hole), compare_holes);
    for (size_t i = 0; i < holes.count && status == TL_OK; i++) {
        const uint32_t from = ((hole *)holes.data)[i].corner;
        const uint32_t to = find_bridge(c, from, joined);
        mark_loop(c, from, joined);
        if (to == nobody) {
            status = tl_array_append(&c->loops, &from, 1);
            continue;
        }
        status = join(c, from, to);
        joined[c->corners.count - 1] = joined[c->corners.count - 2] = 1;
    }
    tl_array_free(&holes);
    tl_free(joined, room);
    return status;
}

/* ---- Ears ---- */

static void judge(const cap *c, uint32_t i)
{
    corner *x = corner_of(c, i);
    x->reflex = area(corner_of(c, x->before)->at, x->at, corner_of(c, x->after)->at) < 0;
}

/* Whether a corner can be cut off: it is convex, and no other corner is in the way. */
static bool is_ear(const cap *c, uint32_t i)
{
    const corner *b = corner_of(c, i), *a = corner_of(c, b->before), *d = corner_of(c, b->after);
    if (b->reflex)
        return false;
    for (uint32_t k = d->after; k != b->before; k = corner_of(c, k)->after) {
        const corner *x = corner_of(c, k);
        if (x->reflex && x->vertex != a->vertex && x->vertex != b->vertex &&
            x->vertex != d->vertex && is_in(a->at, b->at, d->at, x->at))
            return false;
    }
    return true;
}

static tl_status cut_ears(cap *c, uint32_t first, tl_array *faces)
{
    uint32_t left = 1, i = first, waited = 0;
    judge(c, first);
    for (uint32_t k = corner_of(c, first)->after; k != first; k = corner_of(c, k)->after, left++)
        judge(c, k);
    while (left > 2) {
        const corner *x = corner_of(c, i);
        const uint32_t before = x->before, after = x->after;
        if (waited < left && !is_ear(c, i)) { /* after a whole round in vain any will do */
            i = after;
            waited++;
            continue;
        }
        const tl_face made = {
            {corner_of(c, before)->vertex, x->vertex, corner_of(c, after)->vertex}, 1};
        if (made.corners[0] != made.corners[1] && made.corners[1] != made.corners[2] &&
            made.corners[2] != made.corners[0])
            TL_TRY(tl_array_append(faces, &made, 1));
        corner_of(c, before)->after = after;
        corner_of(c, after)->before = before;
        judge(c, before);
        judge(c, after);
        i = after;
        left--;
        waited = 0;
    }
    return TL_OK;
}

tl_status tl_cap(const double *vertices, const double normal[3], tl_array *edges, tl_array *faces)
{
    cap c = {.corners = {.item = sizeof(corner)}, .loops = {.item = sizeof(uint32_t)}};
    const int thin = fabs(normal[0]) > 0.6 ? 1 : 0;
    const double along[3] = {thin == 0, thin == 1, 0};
    if (!edges->count)
        return TL_OK;
    tl_cross(normal, along, c.axes[0]);
    tl_cross(normal, c.axes[0], c.axes[1]);
    tl_status status = cancel(edges);
    if (status == TL_OK && edges->count)
        status = find_loops(&c, vertices, edges);
    if (status == TL_OK && edges->count)
        status = join_holes(&c);
    for (size_t i = 0; i < c.loops.count && status == TL_OK; i++)
        status = cut_ears(&c, ((uint32_t *)c.loops.data)[i], faces);
    tl_array_free(&c.corners);
    tl_array_free(&c.loops);
    return status;
}
