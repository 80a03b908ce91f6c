/* Shapes as convex pieces in the world: spheres, planes, boxes, hulls; parallelograms and the
 * triangles of meshes and height fields as flat ones, with one side. */
#include "kernels/narrow/tree.h" /* first: it says what a real is */

#include "step/exact.h"

#include <math.h>
#include <string.h>

static const uint32_t box_loop_start[] = {0, 4, 8, 12, 16, 20, 24};
static const uint32_t box_loop[] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                    2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static const uint32_t box_edge[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3,
                                    4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7};
static const uint32_t box_edge_face[] = {2, 4, 3, 4, 2, 5, 3, 5, 0, 4, 1, 4,
                                         0, 5, 1, 5, 0, 2, 1, 2, 0, 3, 1, 3};

/* A point of a frame in the world. */
static void place(const double *frame, const double local[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] =
            frame[k] + local[0] * frame[3 + k] + local[1] * frame[6 + k] + local[2] * frame[9 + k];
}

static tl_status add_plane(tl_exact *e, const double *frame, const double n[3], double d)
{
    double plane[4] = {0, 0, 0, d};
    for (int k = 0; k < 3; k++)
        plane[k] = n[0] * frame[3 + k] + n[1] * frame[6 + k] + n[2] * frame[9 + k];
    plane[3] += plane[0] * frame[0] + plane[1] * frame[1] + plane[2] * frame[2];
    return tl_array_append(&e->numbers, plane, 4);
}

static tl_status add_box(tl_exact *e, const double *frame, tl_polytope *piece)
{
    double x[3], at[3];
    piece->vertices = 8;
    piece->faces = 6;
    piece->edges = 12;
    piece->loop_start = box_loop_start;
    piece->loop = box_loop;
    piece->edge = box_edge;
    piece->edge_face = box_edge_face;
    for (uint32_t v = 0; v < 8; v++) {
        for (uint32_t k = 0; k < 3; k++)
            x[k] = v >> k & 1 ? frame[12 + k] : -frame[12 + k];
        place(frame, x, at);
        TL_TRY(tl_array_append(&e->numbers, at, 3));
    }
    piece->face = e->numbers.count;
    for (int f = 0; f < 6; f++) {
        double n[3] = {0, 0, 0};
        n[f / 2] = f % 2 ? 1 : -1;
        TL_TRY(add_plane(e, frame, n, frame[12 + f / 2]));
    }
    return TL_OK;
}

static tl_status add_hull(tl_exact *e, const double *frame, const tl_geometry_rec *g,
                          tl_polytope *piece)
{
    const uint32_t *words = g->words.data;
    const double *numbers = g->numbers.data;
    double at[3];
    piece->vertices = words[0];
    piece->faces = words[1];
    piece->edges = words[2];
    piece->loop_start = words + 3;
    piece->loop = piece->loop_start + piece->faces + 1;
    piece->edge = piece->loop + piece->loop_start[piece->faces];
    piece->edge_face = piece->edge + 2 * (size_t)piece->edges;
    const uint32_t *end = piece->edge_face + 2 * (size_t)piece->edges;
    piece->face_kind = (size_t)(end - words) < g->words.count ? end : NULL;
    for (uint32_t v = 0; v < piece->vertices; v++) {
        place(frame, numbers + 3 * (size_t)v, at);
        TL_TRY(tl_array_append(&e->numbers, at, 3));
    }
    piece->face = e->numbers.count;
    for (uint32_t f = 0; f < piece->faces; f++) {
        const double *plane = numbers + 3 * (size_t)piece->vertices + 4 * (size_t)f;
        TL_TRY(add_plane(e, frame, plane, plane[3]));
    }
    return TL_OK;
}

/* Flat pieces: faces are the front, the back and the rim, one per edge. Each edge is there twice,
 * between front and rim and between rim and back. */
static const uint32_t flat3_loop_start[] = {0, 3, 6, 8, 10, 12};
static const uint32_t flat3_loop[] = {0, 1, 2, 0, 2, 1, 0, 1, 1, 2, 2, 0};
static const uint32_t flat3_edge[] = {0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0};
static const uint32_t flat3_edge_face[] = {0, 2, 0, 3, 0, 4, 2, 1, 3, 1, 4, 1};
static const uint32_t flat4_loop_start[] = {0, 4, 8, 10, 12, 14, 16};
static const uint32_t flat4_loop[] = {0, 1, 2, 3, 0, 3, 2, 1, 0, 1, 1, 2, 2, 3, 3, 0};
static const uint32_t flat4_edge[] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3, 0};
static const uint32_t flat4_edge_face[] = {0, 2, 0, 3, 0, 4, 0, 5, 2, 1, 3, 1, 4, 1, 5, 1};
static const uint32_t flat_kind[] = {TL_FACE_OUTER, TL_FACE_BACK, TL_FACE_RIM,
                                     TL_FACE_RIM,   TL_FACE_RIM,  TL_FACE_RIM};

static tl_status add_world_plane(tl_exact *e, const double n[3], const double x[3])
{
    const double plane[4] = {n[0], n[1], n[2], tl_dot(n, x)};
    return tl_array_append(&e->numbers, plane, 4);
}

/* The flat piece of 3 or 4 corners, which go around its front counterclockwise. */
static tl_status add_flat(tl_exact *e, uint32_t corners, const double (*x)[3], tl_polytope *piece)
{
    const bool three = corners == 3;
    double n[3], u[3], v[3], back[3], out[3];
    piece->vertices = corners;
    piece->faces = 2 + corners;
    piece->edges = 2 * corners;
    piece->loop_start = three ? flat3_loop_start : flat4_loop_start;
    piece->loop = three ? flat3_loop : flat4_loop;
    piece->edge = three ? flat3_edge : flat4_edge;
    piece->edge_face = three ? flat3_edge_face : flat4_edge_face;
    piece->face_kind = flat_kind;
    TL_TRY(tl_array_append(&e->numbers, x, 3 * (size_t)corners));
    piece->face = e->numbers.count;
    for (int k = 0; k < 3; k++) {
        u[k] = x[1][k] - x[0][k];
        v[k] = x[corners - 1][k] - x[0][k];
    }
    tl_cross(u, v, n);
    const double area = sqrt(tl_dot(n, n));
    for (int k = 0; k < 3; k++) {
        n[k] /= area;
        back[k] = -n[k];
    }
    TL_TRY(add_world_plane(e, n, x[0]));
    TL_TRY(add_world_plane(e, back, x[0]));
    for (uint32_t i = 0; i < corners; i++) {
        for (int k = 0; k < 3; k++)
            u[k] = x[(i + 1) % corners][k] - x[i][k];
        tl_cross(u, n, out);
        const double length = sqrt(tl_dot(out, out));
        for (int k = 0; k < 3; k++)
            out[k] /= length;
        TL_TRY(add_world_plane(e, out, x[i]));
    }
    return TL_OK;
}

/* A parallelogram; its front is where `from` is. */
static tl_status add_sheet(tl_exact *e, const double *frame, const double from[3],
                           tl_polytope *piece)
{
    const double d[3] = {from[0] - frame[0], from[1] - frame[1], from[2] - frame[2]};
    const bool turned = tl_dot(d, frame + 9) < 0;
    const double *u = frame + (turned ? 6 : 3), *v = frame + (turned ? 3 : 6);
    double x[4][3];
    for (int k = 0; k < 3; k++) {
        x[0][k] = frame[k];
        x[1][k] = frame[k] + u[k];
        x[2][k] = frame[k] + u[k] + v[k];
        x[3][k] = frame[k] + v[k];
    }
    return add_flat(e, 4, (const double(*)[3])x, piece);
}

static const double *frame_of(const tl_exact *e, uint32_t shape)
{
    return (const double *)e->frame.data +
           TLK_FRAME * (size_t)((const uint32_t *)e->frame_of.data)[shape];
}

static uint32_t kind_of(const tl_exact *e, uint32_t shape)
{
    return ((const uint32_t *)e->info.data)[shape] & TLK_SHAPE_KIND;
}

tl_status tl_exact_piece(const tl_world *w, tl_exact *e, uint32_t shape, uint32_t other,
                         uint32_t *number)
{
    static const double up[3] = {0, 0, 1};
    uint32_t *known = (uint32_t *)e->piece_of.data + shape;
    const uint32_t kind = kind_of(e, shape);
    const double *frame = kind == TL_SPHERE ? NULL : frame_of(e, shape);
    if (*known != TLK_NONE) {
        *number = *known;
        return TL_OK;
    }
    *number = 0;
    tl_polytope piece = {.vertex = e->numbers.count, .face = e->numbers.count};
    piece.rounding = frame ? frame[18] : ((const double *)e->geom.data)[4 * (size_t)shape + 3];
    if (kind == TL_SPHERE) {
        piece.vertices = 1;
        TL_TRY(tl_array_append(&e->numbers, (const double *)e->centre.data + 4 * (size_t)shape, 3));
    } else if (kind == TL_PLANE) {
        piece.faces = 1;
        TL_TRY(add_plane(e, frame, up, 0));
    } else if (kind == TL_BOX) {
        TL_TRY(add_box(e, frame, &piece));
    } else if (kind == TL_HULL) {
        const size_t at = (size_t)frame[19] - 1;
        TL_TRY(add_hull(e, frame, (const tl_geometry_rec *)w->geometries.data + at, &piece));
    } else if (kind == TL_PARALLELOGRAM) {
        TL_TRY(add_sheet(e, frame, (const double *)e->centre.data + 4 * (size_t)other, &piece));
    } else {
        *known = 0;
        return TL_OK;
    }
    TL_TRY(tl_array_append(&e->pieces, &piece, 1));
    *number = (uint32_t)e->pieces.count;
    if (kind != TL_PARALLELOGRAM) /* whose front depends on the other shape */
        *known = *number;
    return TL_OK;
}

/* ---- Surfaces ---- */

bool tl_exact_is_surface(const tl_exact *e, uint32_t shape)
{
    const uint32_t kind = kind_of(e, shape);
    return kind == TL_MESH || kind == TL_HEIGHTS;
}

static tlk_surface surface_of(const tl_world *w, const tl_exact *e, uint32_t shape)
{
    const double *frame = frame_of(e, shape);
    const tl_geometry_rec *g = (const tl_geometry_rec *)w->geometries.data + (size_t)frame[19] - 1;
    tlk_surface s = {.kind = kind_of(e, shape), .numbers = g->numbers.data, .words = g->words.data};
    memcpy(s.origin, frame, sizeof s.origin);
    memcpy(s.axis, frame + 3, sizeof s.axis);
    return s;
}

tl_status tl_exact_near(const tl_world *w, tl_exact *e, uint32_t shape, const double middle[3],
                        double reach)
{
    const tlk_surface s = surface_of(w, e, shape);
    const double half[3] = {reach, reach, reach};
    double low[3], high[3];
    tlk_tree walk;
    e->triangles.count = 0;
    tlk_surface_box(&s, middle, half, low, high);
    tlk_tree_begin(&walk, &s, low, high);
    for (uint32_t t; (t = tlk_tree_next(&walk, &s)) != TLK_NONE;)
        TL_TRY(tl_array_append(&e->triangles, &t, 1));
    return TL_OK;
}

tl_status tl_exact_triangle(const tl_world *w, tl_exact *e, uint32_t shape, uint32_t triangle,
                            uint32_t *number)
{
    const tlk_surface s = surface_of(w, e, shape);
    tl_polytope piece = {.vertex = e->numbers.count};
    double corner[9], x[3][3];
    tlk_surface_corners(&s, triangle, corner);
    for (int v = 0; v < 3; v++)
        place(frame_of(e, shape), corner + 3 * (size_t)v, x[v]);
    TL_TRY(add_flat(e, 3, (const double(*)[3])x, &piece));
    TL_TRY(tl_array_append(&e->pieces, &piece, 1));
    *number = (uint32_t)e->pieces.count;
    return TL_OK;
}
