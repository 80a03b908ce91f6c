/* /geometries of a result file. The recorder writes them before the first frame, results read them
 * when they are opened. */
#include "io/result_geometries.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define GROUP     "geometries"
#define LIST      GROUP "/list"
#define VERTICES  GROUP "/vertices"
#define TRIANGLES GROUP "/triangles"
#define PIECES    GROUP "/pieces"

enum { KIND, VERTEX_COUNT, TRIANGLE_COUNT, COLUMNS };

/* Columns of /geometries/pieces: the mesh, its first piece and how many there are, the tolerance
 * that they were made for, and tl_fit. */
enum { MESH, FIRST, COUNT, TOLERANCE, FIT, FITS = sizeof(tl_fit) / sizeof(double) };
enum { PIECE_COLUMNS = FIT + FITS };

tl_result_geometries tl_result_geometries_none(void)
{
    return (tl_result_geometries){.infos = {.item = sizeof(tl_geometry_info)},
                                  .vertices = {.item = 3 * sizeof(double)},
                                  .triangles = {.item = 3 * sizeof(uint32_t)},
                                  .pieces = {.item = sizeof(tl_stored_pieces)}};
}

void tl_result_geometries_free(tl_result_geometries *g)
{
    tl_array_free(&g->infos);
    tl_array_free(&g->vertices);
    tl_array_free(&g->triangles);
    tl_array_free(&g->pieces);
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

/* Which mesh the hulls from each geometry on are the pieces of: 1 + its place, else 0. */
static tl_status list_owners(const tl_world *world, size_t count, tl_array *owners)
{
    TL_TRY(tl_array_resize(owners, count + 1));
    uint32_t *owner = owners->data;
    memset(owner, 0, (count + 1) * sizeof *owner);
    for (size_t i = 1; i <= count; i++) {
        tl_pieces_info info;
        tl_geometry first;
        TL_TRY(tl_world_pieces(world, (tl_geometry){(uint32_t)i}, &info, &first));
        if (info.tolerance > 0) /* else it is not known how near they are */
            owner[first.index] = (uint32_t)i;
    }
    return TL_OK;
}

/* The convex pieces of meshes, in the order of their hulls. */
static tl_status write_pieces(tl_h5_table *table, const char *path, const tl_world *world,
                              size_t count)
{
    tl_array owners = {.item = sizeof(uint32_t)};
    tl_status status = list_owners(world, count, &owners);
    for (size_t i = 1; status == TL_OK && i <= count; i++) {
        const tl_geometry mesh = {((const uint32_t *)owners.data)[i]};
        tl_pieces_info info;
        tl_geometry first;
        double row[PIECE_COLUMNS] = {mesh.index, (double)i};
        if (!mesh.index)
            continue;
        status = tl_world_pieces(world, mesh, &info, &first);
        row[COUNT] = (double)info.count;
        row[TOLERANCE] = info.tolerance;
        memcpy(row + FIT, &info.fit, sizeof info.fit);
        if (status == TL_OK)
            status = tl_h5_table_append(table, path, 1, row);
    }
    tl_array_free(&owners);
    return status;
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
    const tl_h5_table_def rows = {
        .stored = H5T_IEEE_F64LE, .type = H5T_NATIVE_DOUBLE, .width = PIECE_COLUMNS, .chunk = 64};
    tl_h5_table list = {.set = -1}, vertices = {.set = -1}, triangles = {.set = -1};
    tl_h5_table pieces = {.set = -1};
    tl_status status = tl_h5_table_create(&list, file, path, LIST, &words);
    if (status == TL_OK)
        status = tl_h5_table_create(&vertices, file, path, VERTICES, &numbers);
    if (status == TL_OK)
        status = tl_h5_table_create(&triangles, file, path, TRIANGLES, &words);
    if (status == TL_OK)
        status = tl_h5_table_create(&pieces, file, path, PIECES, &rows);
    if (status == TL_OK)
        status = write_all(&list, &vertices, &triangles, path, world, count);
    if (status == TL_OK)
        status = write_pieces(&pieces, path, world, count);
    tl_h5_table_close(&pieces);
    tl_h5_table_close(&list);
    tl_h5_table_close(&vertices);
    tl_h5_table_close(&triangles);
    return status;
}

/* ---- Reading ---- */

static tl_status read_table(hid_t file, const char *path, const char *name, uint64_t size,
                            hid_t type, size_t width, tl_array *rows)
{
    tl_h5_table table = {.set = -1};
    tl_status status = tl_h5_table_open_as(&table, file, path, name, width, size, type);
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

static bool is_whole(double number, double low, double high)
{
    return number >= low && number <= high && number == floor(number);
}

/* One row of /geometries/pieces. */
static tl_status take_pieces(tl_result_geometries *g, const char *path, size_t i, const double *row)
{
    const tl_geometry_info *infos = g->infos.data;
    const double count = (double)g->infos.count;
    tl_stored_pieces pieces = {0};
    bool sound = is_whole(row[MESH], 1, count) && is_whole(row[FIRST], 1, count) &&
                 is_whole(row[COUNT], 1, count - row[FIRST] + 1) && row[TOLERANCE] > 0;
    for (size_t k = TOLERANCE; k < PIECE_COLUMNS; k++)
        sound = sound && isfinite(row[k]);
    sound = sound && infos[(size_t)row[MESH] - 1].kind == TL_MESH;
    for (size_t k = 0; sound && k < (size_t)row[COUNT]; k++)
        sound = infos[(size_t)row[FIRST] - 1 + k].kind == TL_HULL;
    if (!sound)
        return tl_fail(TL_BAD_DATA, "%s: /" PIECES "[%zu]: its pieces must be hulls of a mesh",
                       path, i);
    pieces.mesh = (uint32_t)row[MESH];
    pieces.first = (uint32_t)row[FIRST];
    pieces.info.count = (size_t)row[COUNT];
    pieces.info.tolerance = row[TOLERANCE];
    memcpy(&pieces.info.fit, row + FIT, sizeof pieces.info.fit);
    return tl_array_append(&g->pieces, &pieces, 1);
}

/* Results before 1.4 do not say which hulls are pieces. */
static tl_status read_pieces(tl_result_geometries *g, hid_t file, const char *path, uint64_t size)
{
    if (H5Lexists(file, PIECES, H5P_DEFAULT) <= 0) {
        tl_h5_forget();
        return TL_OK;
    }
    tl_array rows = {.item = PIECE_COLUMNS * sizeof(double)};
    tl_status status =
        read_table(file, path, PIECES, size, H5T_NATIVE_DOUBLE, PIECE_COLUMNS, &rows);
    for (size_t i = 0; status == TL_OK && i < rows.count; i++)
        status = take_pieces(g, path, i, (const double *)rows.data + PIECE_COLUMNS * i);
    tl_array_free(&rows);
    return status;
}

tl_status tl_result_geometries_read(tl_result_geometries *g, hid_t file, const char *path,
                                    uint64_t size)
{
    if (H5Lexists(file, GROUP, H5P_DEFAULT) <= 0) {
        tl_h5_forget();
        return TL_OK;
    }
    tl_array list = {.item = COLUMNS * sizeof(uint32_t)};
    tl_status status = read_table(file, path, LIST, size, H5T_NATIVE_UINT32, 3, &list);
    if (status == TL_OK)
        status = read_table(file, path, VERTICES, size, H5T_NATIVE_DOUBLE, 3, &g->vertices);
    if (status == TL_OK)
        status = read_table(file, path, TRIANGLES, size, H5T_NATIVE_UINT32, 3, &g->triangles);
    if (status == TL_OK)
        status = take_list(g, path, &list);
    if (status == TL_OK)
        status = read_pieces(g, file, path, size);
    tl_array_free(&list);
    return status;
}
