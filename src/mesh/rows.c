/* Rows through meshes, spheres and hulls; rows.h says what for. */
#include "mesh/rows.h"

#include <stdlib.h>

static int compare_crossings(const void *a, const void *b)
{
    const tl_crossing *p = a, *q = b;
    if (p->row != q->row)
        return p->row < q->row ? -1 : 1;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return q->sign - p->sign; /* in before out */
}

/* ---- Meshes ---- */

/* Whether a point of the yz-plane is to the left of a side. The side is looked at from its lower
 * end whichever way it runs, so that its two triangles agree; a point on it counts as left of that,
 * which is a point moved by a little along +z and far less along -y: the same for all sides. */
static bool is_left(const double a[3], const double b[3], double y, double z)
{
    const bool up = a[1] < b[1] || (a[1] == b[1] && a[2] < b[2]);
    const double *from = up ? a : b, *to = up ? b : a;
    const double s = (to[1] - from[1]) * (z - from[2]) - (to[2] - from[2]) * (y - from[1]);
    return up == (s >= 0);
}

bool tl_rows_cross_line(const double *const c[3], double y, double z, tl_crossing *crossing)
{
    double normal[3];
    tl_normal(c, normal);
    if (normal[0] == 0)
        return false;
    const bool left = is_left(c[0], c[1], y, z);
    if (left != (normal[0] > 0) || is_left(c[1], c[2], y, z) != left ||
        is_left(c[2], c[0], y, z) != left)
        return false;
    const double x = c[0][0] - (normal[1] * (y - c[0][1]) + normal[2] * (z - c[0][2])) / normal[0];
    const double least = tl_min(tl_min(c[0][0], c[1][0]), c[2][0]);
    const double most = tl_max(tl_max(c[0][0], c[1][0]), c[2][0]);
    *crossing = (tl_crossing){.x = tl_min(tl_max(x, least), most), .sign = normal[0] > 0 ? -1 : 1};
    return true;
}

static tl_status cross_triangle(const double *const c[3], const tl_rows *rows, tl_array *crossings)
{
    const double low = tl_min(tl_min(c[0][1], c[1][1]), c[2][1]);
    const double high = tl_max(tl_max(c[0][1], c[1][1]), c[2][1]);
    const double first = tl_max(floor((low - rows->y) / rows->step), 0);
    const double last = tl_min(ceil((high - rows->y) / rows->step), (double)rows->count - 1);
    for (double i = first; i <= last; i++) {
        tl_crossing crossing;
        if (!tl_rows_cross_line(c, rows->y + i * rows->step, rows->z, &crossing))
            continue;
        crossing.row = (uint32_t)i;
        TL_TRY(tl_array_append(crossings, &crossing, 1));
    }
    return TL_OK;
}

tl_status tl_rows_cross_mesh(const tl_mesh *mesh, const tl_rows *rows, tl_array *crossings)
{
    for (size_t i = 0; i < tl_mesh_triangle_count(mesh); i++) {
        const double *c[3];
        tl_mesh_corners(mesh, i, c);
        if (tl_min(tl_min(c[0][2], c[1][2]), c[2][2]) <= rows->z &&
            tl_max(tl_max(c[0][2], c[1][2]), c[2][2]) >= rows->z)
            TL_TRY(cross_triangle(c, rows, crossings));
    }
    if (crossings->count)
        qsort(crossings->data, crossings->count, sizeof(tl_crossing), compare_crossings);
    return TL_OK;
}

/* ---- Spheres ---- */

static tl_status cross_balls(const tl_union *solids, const tl_rows *rows, tl_array *crossings)
{
    const tl_ball *balls = solids->balls;
    for (size_t b = 0; b < solids->ball_count; b++) {
        const double *c = balls[b].centre, r = balls[b].radius;
        const double square = r * r - (rows->z - c[2]) * (rows->z - c[2]);
        if (!(square > 0))
            continue;
        const double reach = sqrt(square);
        const double first = tl_max(floor((c[1] - reach - rows->y) / rows->step), 0);
        const double last =
            tl_min(ceil((c[1] + reach - rows->y) / rows->step), (double)rows->count - 1);
        for (double i = first; i <= last; i++) {
            const double y = rows->y + i * rows->step - c[1];
            if (!(square - y * y > 0))
                continue;
            const double half = sqrt(square - y * y);
            const tl_crossing ends[2] = {{c[0] - half, (uint32_t)i, 1},
                                         {c[0] + half, (uint32_t)i, -1}};
            TL_TRY(tl_array_append(crossings, ends, 2));
        }
    }
    if (crossings->count)
        qsort(crossings->data, crossings->count, sizeof(tl_crossing), compare_crossings);
    return TL_OK;
}

static tl_status cross_union(const tl_union *solids, const tl_rows *rows, tl_array *crossings)
{
    TL_TRY(cross_balls(solids, rows, crossings));
    for (size_t i = 0; i < solids->hull_count; i++)
        TL_TRY(tl_rows_cross_mesh(solids->hulls[i], rows, crossings));
    return TL_OK;
}

/* ---- Both ---- */

/* Adds the part of a row from x0 to x1 with the cross section `area`; all about the origin. */
static void add_part(tl_sums *sums, double x0, double x1, double y, double z, double area)
{
    const double length = area * (x1 - x0), first = area * (x1 * x1 - x0 * x0) / 2;
    const double at[3] = {first, length * y, length * z};
    sums->volume += length;
    for (int k = 0; k < 3; k++)
        sums->first[k] += at[k];
    sums->second[0] += area * (x1 * x1 * x1 - x0 * x0 * x0) / 3;
    sums->second[1] += length * y * y;
    sums->second[2] += length * z * z;
    sums->second[3] += length * y * z;
    sums->second[4] += first * z;
    sums->second[5] += first * y;
}

/* Walks along all rows of one z, through what begins and ends on them. */
static void walk_rows(const tl_rows *rows, const tl_array *mesh, const tl_array *solids,
                      const double origin[3], double area, tl_overlap *overlap)
{
    const tl_crossing *m = mesh->data, *b = solids->data;
    const size_t mesh_count = mesh->count, solid_count = solids->count;
    size_t i = 0, j = 0;
    while (i < mesh_count || j < solid_count) {
        const bool from_mesh =
            j == solid_count || (i < mesh_count && compare_crossings(&m[i], &b[j]) <= 0);
        const uint32_t row = from_mesh ? m[i].row : b[j].row;
        const double y = rows->y + row * rows->step - origin[1], z = rows->z - origin[2];
        int in_mesh = 0, in_union = 0;
        double x = 0;
        for (;;) {
            const bool mesh_left = i < mesh_count && m[i].row == row;
            const bool solid_left = j < solid_count && b[j].row == row;
            if (!mesh_left && !solid_left)
                break;
            const bool mesh_next =
                mesh_left && (!solid_left || compare_crossings(&m[i], &b[j]) <= 0);
            const tl_crossing *next = mesh_next ? &m[i++] : &b[j++];
            if (in_union > 0)
                add_part(&overlap->solids, x - origin[0], next->x - origin[0], y, z, area);
            if (in_mesh > 0)
                add_part(&overlap->mesh, x - origin[0], next->x - origin[0], y, z, area);
            if (in_mesh > 0 && in_union <= 0)
                overlap->missing += area * (next->x - x);
            if (in_mesh <= 0 && in_union > 0)
                overlap->excess += area * (next->x - x);
            *(mesh_next ? &in_mesh : &in_union) += next->sign;
            x = next->x;
        }
    }
}

tl_status tl_rows_compare(const tl_mesh *mesh, const tl_union *solids, const double origin[3],
                          size_t count, tl_overlap *overlap)
{
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = mesh->low[k];
        high[k] = mesh->high[k];
        for (size_t i = 0; i < solids->ball_count; i++) {
            const tl_ball *b = &solids->balls[i];
            low[k] = tl_min(low[k], b->centre[k] - b->radius);
            high[k] = tl_max(high[k], b->centre[k] + b->radius);
        }
    }
    *overlap = (tl_overlap){0};
    const double dy = (high[1] - low[1]) / (double)count, dz = (high[2] - low[2]) / (double)count;
    tl_array in_mesh = {.item = sizeof(tl_crossing)}, in_union = {.item = sizeof(tl_crossing)};
    tl_status status = TL_OK;
    for (size_t i = 0; i < count && status == TL_OK; i++) {
        const tl_rows rows = {.z = low[2] + ((double)i + 0.5) * dz,
                              .y = low[1] + 0.5 * dy,
                              .step = dy,
                              .count = count};
        in_mesh.count = in_union.count = 0;
        status = tl_rows_cross_mesh(mesh, &rows, &in_mesh);
        if (status == TL_OK)
            status = cross_union(solids, &rows, &in_union);
        if (status == TL_OK)
            walk_rows(&rows, &in_mesh, &in_union, origin, dy * dz, overlap);
    }
    tl_array_free(&in_mesh);
    tl_array_free(&in_union);
    return status;
}
