/* Height fields as kernels read them: kernels/narrow/layout.h. Called by tl_scene_add_heights(). */
#include "scene/geometry.h"

#include <math.h>
#include <string.h>

#include "kernels/narrow/layout.h"

/* m: as large as coordinates of meshes may be. */
#define FAR 1e12

static tl_status check_grid(const tl_heights_def *def)
{
    if (!def->heights)
        return tl_fail(TL_BAD_ARGUMENT, "heights is NULL; it must not be");
    if (def->columns < 2 || def->rows < 2)
        return tl_fail(TL_BAD_ARGUMENT,
                       "the height field has %u columns and %u rows; it must have at least 2 of "
                       "each",
                       def->columns, def->rows);
    for (int k = 0; k < 2; k++) {
        const uint32_t count = k ? def->rows : def->columns;
        if (!(def->spacing[k] > 0 && def->spacing[k] * (count - 1) < FAR))
            return tl_fail(TL_BAD_ARGUMENT,
                           "spacing[%d] is %g; it must be > 0, and %u %s must span less than %g m",
                           k, def->spacing[k], count, k ? "rows" : "columns", FAR);
    }
    const uint64_t triangles = 2 * (uint64_t)(def->columns - 1) * (def->rows - 1);
    if (triangles > TLK_TRIANGLES_MOST)
        return tl_fail(TL_TOO_LARGE, "the height field has %llu triangles; there can be at most %u",
                       (unsigned long long)triangles, TLK_TRIANGLES_MOST);
    for (size_t i = 0; i < (size_t)def->columns * def->rows; i++)
        if (!(fabs(def->heights[i]) < FAR))
            return tl_fail(TL_BAD_ARGUMENT,
                           "the height in row %zu, column %zu (from 0) is %g; it must be a finite "
                           "number below %g m",
                           i / def->columns, i % def->columns, def->heights[i], FAR);
    return TL_OK;
}

/* The highest vertex of each block of cells. */
static void raise_blocks(const tl_heights_def *def, uint32_t across, uint32_t along,
                         double *highest)
{
    for (uint32_t bj = 0; bj < along; bj++)
        for (uint32_t bi = 0; bi < across; bi++) {
            double most = -INFINITY;
            for (uint32_t j = bj * TLK_BLOCK; j <= (bj + 1) * TLK_BLOCK && j < def->rows; j++)
                for (uint32_t i = bi * TLK_BLOCK; i <= (bi + 1) * TLK_BLOCK && i < def->columns;
                     i++)
                    most = fmax(most, def->heights[(size_t)j * def->columns + i]);
            highest[(size_t)bj * across + bi] = most;
        }
}

static void bound(const tl_heights_def *def, tl_geometry_rec *out)
{
    const size_t count = (size_t)def->columns * def->rows;
    out->low[2] = out->high[2] = def->heights[0];
    for (size_t i = 0; i < count; i++) {
        out->low[2] = fmin(out->low[2], def->heights[i]);
        out->high[2] = fmax(out->high[2], def->heights[i]);
    }
    out->high[0] = def->spacing[0] * (def->columns - 1);
    out->high[1] = def->spacing[1] * (def->rows - 1);
    for (int k = 0; k < 3; k++)
        out->centre[k] = 0.5 * out->low[k] + 0.5 * out->high[k];
    for (size_t i = 0; i < count; i++) {
        const double x = (double)(i % def->columns) * def->spacing[0] - out->centre[0];
        const double y = (double)(i / def->columns) * def->spacing[1] - out->centre[1];
        const double z = def->heights[i] - out->centre[2];
        out->radius = fmax(out->radius, x * x + y * y + z * z);
    }
    out->radius = sqrt(out->radius) * (1 + 1e-15);
}

tl_status tl_geometry_heights(const tl_heights_def *def, tl_geometry_rec *out)
{
    *out = (tl_geometry_rec){.kind = TL_HEIGHTS,
                             .numbers = {.item = sizeof(double)},
                             .words = {.item = sizeof(uint32_t)}};
    TL_TRY(check_grid(def));
    const size_t count = (size_t)def->columns * def->rows;
    const uint32_t across = (def->columns - 2) / TLK_BLOCK + 1;
    const uint32_t along = (def->rows - 2) / TLK_BLOCK + 1;
    tl_status status = tl_array_resize(&out->numbers, 2 + count + (size_t)across * along);
    if (status == TL_OK)
        status = tl_array_resize(&out->words, TLK_FIELD_HEAD);
    if (status < 0) {
        tl_geometry_free(out);
        return status;
    }
    double *numbers = out->numbers.data;
    uint32_t *words = out->words.data;
    numbers[0] = def->spacing[0];
    numbers[1] = def->spacing[1];
    memcpy(numbers + 2, def->heights, count * sizeof(double));
    raise_blocks(def, across, along, numbers + 2 + count);
    words[TLK_FIELD_COLUMNS] = def->columns;
    words[TLK_FIELD_ROWS] = def->rows;
    words[TLK_FIELD_BLOCKS] = across;
    bound(def, out);
    return TL_OK;
}

tl_status tl_geometry_heights_again(const tl_geometry_rec *from, tl_geometry_rec *out)
{
    const uint32_t *words = from->words.data;
    const double *numbers = from->numbers.data;
    if (from->words.count != TLK_FIELD_HEAD || from->numbers.count < 2 ||
        (uint64_t)words[TLK_FIELD_COLUMNS] * words[TLK_FIELD_ROWS] > from->numbers.count - 2)
        return tl_fail(TL_BAD_DATA, "a height field has no heights");
    const tl_heights_def def = {.columns = words[TLK_FIELD_COLUMNS],
                                .rows = words[TLK_FIELD_ROWS],
                                .spacing = {numbers[0], numbers[1]},
                                .heights = numbers + 2};
    return tl_geometry_heights(&def, out);
}
