/* Samples of a surface; sample.h says what for. */
#include "mesh/sample.h"

#include <string.h>

/* The unit normal; false for a triangle without an area. */
static bool unit_normal(const double *const corners[3], double normal[3], double *twice)
{
    tl_normal(corners, normal);
    *twice = tl_length(normal);
    for (int k = 0; k < 3 && *twice > 0; k++)
        normal[k] /= *twice;
    return *twice > 0;
}

/* The length of the longest side, from corner `side` on. */
static double find_longest(const double *const corners[3], int *side)
{
    double longest = -1;
    for (int c = 0; c < 3; c++) {
        const double length = tl_distance(corners[c], corners[(c + 1) % 3]);
        if (length > longest) {
            longest = length;
            *side = c;
        }
    }
    return longest;
}

double tl_sample_least_spacing(const tl_mesh *mesh, double most)
{
    double lengths = 0;
    for (size_t i = 0; i < tl_mesh_triangle_count(mesh); i++) {
        const double *corners[3];
        int side;
        tl_mesh_corners(mesh, i, corners);
        lengths += find_longest(corners, &side);
    }
    return tl_max(sqrt(mesh->area / most), lengths / (5 * most));
}

/* Lines parallel to the longest side, points along each: as many as the area needs, not as the
 * square of the longest side would. */
static tl_status sample_triangle(const double *const corners[3], double spacing, tl_array *samples)
{
    double normal[3], twice;
    int side = 0;
    if (!unit_normal(corners, normal, &twice))
        return TL_OK;
    const double longest = find_longest(corners, &side);
    const double *a = corners[side], *b = corners[(side + 1) % 3], *top = corners[(side + 2) % 3];
    const double lines = ceil(twice / longest / spacing);
    for (double i = 0; i < lines; i++) {
        const double up = (i + 0.5) / lines; /* part of the height */
        const double count = ceil(longest * (1 - up) / spacing);
        for (double j = 0; j < count; j++) {
            const double along = (j + 0.5) / count * (1 - up);
            tl_sample sample = {.area = twice / lines * (1 - up) / count};
            memcpy(sample.normal, normal, sizeof normal);
            for (int k = 0; k < 3; k++)
                sample.point[k] = a[k] + along * (b[k] - a[k]) + up * (top[k] - a[k]);
            TL_TRY(tl_array_append(samples, &sample, 1));
        }
    }
    return TL_OK;
}

tl_status tl_sample_surface(const tl_mesh *mesh, double spacing, tl_array *samples)
{
    for (size_t i = 0; i < tl_mesh_triangle_count(mesh); i++) {
        const double *corners[3];
        tl_mesh_corners(mesh, i, corners);
        TL_TRY(sample_triangle(corners, spacing, samples));
    }
    return TL_OK;
}

tl_status tl_sample_vertices(const tl_mesh *mesh, tl_array *samples)
{
    for (size_t i = 0; i < tl_mesh_triangle_count(mesh); i++) {
        const double *corners[3];
        tl_sample sample = {.area = 0};
        double twice;
        tl_mesh_corners(mesh, i, corners);
        for (int c = 0; c < 3 && unit_normal(corners, sample.normal, &twice); c++) {
            memcpy(sample.point, corners[c], sizeof sample.point);
            TL_TRY(tl_array_append(samples, &sample, 1));
        }
    }
    return TL_OK;
}

/* ---- Thinning ---- */

static uint64_t cell_of(const double point[3], const double low[3], double cell)
{
    uint64_t key = 0;
    for (int k = 0; k < 3; k++)
        key = key << 21 | (uint64_t)fmin(fmax(floor((point[k] - low[k]) / cell), 0), 0x1ffffe);
    return key + 1; /* 0 is none */
}

tl_status tl_sample_thin(double cell, const double low[3], tl_array *samples)
{
    tl_sample *all = samples->data;
    size_t places = 64, kept = 0;
    while (places < 2 * samples->count)
        places *= 2;
    uint64_t *table = tl_alloc_zero(places * sizeof *table);
    if (!table)
        return TL_NO_MEMORY;
    for (size_t i = 0; i < samples->count; i++) {
        const uint64_t key = cell_of(all[i].point, low, cell);
        size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (places - 1);
        while (table[at] && table[at] != key)
            at = (at + 1) & (places - 1);
        if (table[at])
            continue;
        table[at] = key;
        all[kept++] = all[i];
    }
    samples->count = kept;
    tl_free(table, places * sizeof *table);
    return TL_OK;
}
