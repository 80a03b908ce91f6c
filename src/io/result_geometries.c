/* /geometries of a result file. The recorder writes them before the first frame, results read them
 * when they are opened. */
#include "io/result_geometries.h"

#include <inttypes.h>
#include <math.h>

#define GROUP     "geometries"
#define LIST      GROUP "/list"
#define VERTICES  GROUP "/vertices"
#define TRIANGLES GROUP "/triangles"

enum { KIND, VERTEX_COUNT, TRIANGLE_COUNT, COLUMNS };

tl_result_geometries tl_result_geometries_none(void)
{
    return (tl_result_geometries){.infos = {.item = sizeof(tl_geometry_info)},
                                  .vertices = {.item = 3 * sizeof(double)},
                                  .triangles = {.item = 3 * sizeof(uint32_t)}};
}

void tl_result_geometries_free(tl_result_geometries *g)
{
    tl_array_free(&g->infos);
    tl_array_free(&g->vertices);
    tl_array_free(&g->triangles);
}

/* ---- Writing ---- */

static tl_status write_all(tl_h5_table *list, tl_h5_table *vertices, tl_h5_table *triangles,
                           const char *path, const tl_world *world, size_t count)
{
    for (size_t i = 1; i <= count; i++) {
        tl_geometry_info g;
        TL_TRY(tl_world_geometry(world, (tl_geometry){(uint32_t)i}, &g));
        const uint32_t row[COLUMNS] = {(uint32_t)g.kind, (uint32_t)g.vertex_count,
                                       (uint32_t)g.triangle_count};
        TL_TRY(tl_h5_table_append(vertices, path, g.vertex_count, g.vertices));
        TL_TRY(tl_h5_table_append(triangles, path, g.triangle_count, g.triangles));
        TL_TRY(tl_h5_table_append(list, path, 1, row));
    }
    return TL_OK;
}

tl_status tl_result_geometries_write(hid_t file, const char *path, const tl_world *world)
{
    const size_t count = tl_world_geometry_count(world);
    if (!count)
        return TL_OK;
    const hid_t group = H5Gcreate2(file, GROUP, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
        return tl_h5_fail(TL_FILE, path, "/" GROUP " cannot be made");
    H5Gclose(group);
    const tl_h5_table_def numbers = {
        .stored = H5T_IEEE_F64LE, .type = H5T_NATIVE_DOUBLE, .width = 3, .chunk = 4096};
    const tl_h5_table_def words = {
        .stored = H5T_STD_U32LE, .type = H5T_NATIVE_UINT32, .width = 3, .chunk = 4096};
    tl_h5_table list = {.set = -1}, vertices = {.set = -1}, triangles = {.set = -1};
    tl_status status = tl_h5_table_create(&list, file, path, LIST, &words);
    if (status == TL_OK)
        status = tl_h5_table_create(&vertices, file, path, VERTICES, &numbers);
    if (status == TL_OK)
        status = tl_h5_table_create(&triangles, file, path, TRIANGLES, &words);
    if (status == TL_OK)
        status = write_all(&list, &vertices, &triangles, path, world, count);
    tl_h5_table_close(&list);
    tl_h5_table_close(&vertices);
    tl_h5_table_close(&triangles);
    return status;
}

/* ---- Reading ---- */

static tl_status read_table(hid_t file, const char *path, const char *name, uint64_t size,
                            hid_t type, tl_array *rows)
{
    tl_h5_table table = {.set = -1};
    tl_status status = tl_h5_table_open_as(&table, file, path, name, 3, size, type);
    if (status == TL_OK)
        status = tl_array_resize(rows, (size_t)table.rows);
    if (status == TL_OK)
        status = tl_h5_table_read(&table, path, 0, table.rows, rows->data);
    tl_h5_table_close(&table);
    return status;
}

static tl_status damaged(const char *path, size_t i, const char *what)
{
    return tl_fail(TL_BAD_DATA, "%s: /" LIST "[%zu]: %s", path, i, what);
}

/* Whether the vertices are finite and the triangles have no others. */
static tl_status check_one(const char *path, size_t i, const tl_geometry_info *g)
{
    for (size_t k = 0; k < 3 * g->vertex_count; k++)
        if (!isfinite(g->vertices[k]))
            return damaged(path, i, "its vertices must be finite");
    for (size_t k = 0; k < 3 * g->triangle_count; k++)
        if (g->triangles[k] >= g->vertex_count)
            return damaged(path, i, "a triangle has a vertex that is not there");
    return TL_OK;
}

/* Cuts vertices and triangles into geometries as the list says. */
static tl_status take_list(tl_result_geometries *g, const char *path, const tl_array *list)
{
    size_t vertex = 0, triangle = 0;
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t *row = (const uint32_t *)list->data + COLUMNS * i;
        if (row[KIND] < TL_HULL || row[KIND] > TL_HEIGHTS)
            return damaged(path, i, "its kind must be a hull, a mesh or a height field");
        if (row[VERTEX_COUNT] < 3 || row[VERTEX_COUNT] > g->vertices.count - vertex ||
            !row[TRIANGLE_COUNT] || row[TRIANGLE_COUNT] > g->triangles.count - triangle)
            return damaged(path, i, "its vertices or triangles are not there");
        const tl_geometry_info info = {.kind = (tl_shape_kind)row[KIND],
                                       .vertex_count = row[VERTEX_COUNT],
                                       .vertices = (const double *)g->vertices.data + 3 * vertex,
                                       .triangle_count = row[TRIANGLE_COUNT],
                                       .triangles =
                                           (const uint32_t *)g->triangles.data + 3 * triangle};
        TL_TRY(check_one(path, i, &info));
        TL_TRY(tl_array_append(&g->infos, &info, 1));
        vertex += row[VERTEX_COUNT];
        triangle += row[TRIANGLE_COUNT];
    }
    return TL_OK;
}

tl_status tl_result_geometries_read(tl_result_geometries *g, hid_t file, const char *path,
                                    uint64_t size)
{
    if (H5Lexists(file, GROUP, H5P_DEFAULT) <= 0) {
        tl_h5_forget();
        return TL_OK;
    }
    tl_array list = {.item = COLUMNS * sizeof(uint32_t)};
    tl_status status = read_table(file, path, LIST, size, H5T_NATIVE_UINT32, &list);
    if (status == TL_OK)
        status = read_table(file, path, VERTICES, size, H5T_NATIVE_DOUBLE, &g->vertices);
    if (status == TL_OK)
        status = read_table(file, path, TRIANGLES, size, H5T_NATIVE_UINT32, &g->triangles);
    if (status == TL_OK)
        status = take_list(g, path, &list);
    tl_array_free(&list);
    return status;
}
