/* The geometries of a scene, by name: convex hulls, meshes and height fields, written out or in
 * files. Called by parse_scene.c, and by parse_shape.c for the names. */
#include "io/parse.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "io/load.h"

static const size_t most_bytes = UINT32_MAX - 64; /* of a file of heights, as for scenes */
static const char *const kinds[] = {
    [TL_HULL] = "hull", [TL_MESH] = "mesh", [TL_HEIGHTS] = "heights", [TL_POLYGON] = "polygon"};

/* What the library or a reader of files said, at a value. */
__attribute__((cold)) static tl_status refuse(const tl_reader *r, const tl_json *value,
                                              tl_status status)
{
    char text[400];
    if (status == TL_NO_MEMORY)
        return status;
    snprintf(text, sizeof text, "%s", tl_last_message());
    return tl_read_fail(r, value, "%s", text);
}

/* The path of a file that the scene names: one that is not absolute starts where the scene is. */
static tl_status read_path(const tl_reader *r, const tl_json *value, const char *expected,
                           tl_array *path)
{
    const tl_array *folder = &r->scope->folder;
    tl_text text = {0};
    TL_TRY(tl_read_string(r, value, expected, &text));
    if (memchr(text.data, 0, text.length))
        return tl_read_expected(r, value, expected);
    path->count = 0;
    if (text.data[0] != '/')
        TL_TRY(tl_array_append(path, folder->data, folder->count));
    TL_TRY(tl_array_append(path, text.data, text.length));
    return tl_array_append(path, "", 1);
}

/* What the file of the geometry that comes next held, where a result says so; NULL: read it. */
static tl_status find_stored(const tl_reader *r, const tl_json *value, tl_shape_kind kind,
                             const tl_geometry_info **stored)
{
    const size_t next = tl_scene_geometry_count(r->scene);
    *stored = next < r->stored.count ? &r->stored.infos[next] : NULL;
    if (!r->stored.count || (*stored && (*stored)->kind == kind))
        return TL_OK;
    return tl_read_fail(r, value, "is not in /geometries of the result, which is damaged");
}

/* A mesh from a file. */
static tl_status load_mesh(const tl_reader *r, const tl_json *value, double scale, tl_mesh **mesh)
{
    tl_array path = {.item = 1};
    tl_status status = read_path(r, value, "the name of a mesh file", &path);
    if (status == TL_OK) {
        status = tl_mesh_read(path.data, scale, 0, mesh);
        if (status < 0)
            status = refuse(r, value, status);
    }
    tl_array_free(&path);
    return status;
}

static tl_status read_points(const tl_reader *r, const tl_json *list, double scale,
                             tl_array *points);

static tl_status read_triangles(const tl_reader *r, const tl_json *list, size_t vertices,
                                tl_array *triangles)
{
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        if (v->kind != TL_JSON_ARRAY || v->count != 3)
            return tl_read_expected(r, v, "an array of three numbers of vertices, from 0");
        for (const tl_json *c = tl_json_first(r->tree, v); c; c = tl_json_next(r->tree, c)) {
            uint64_t corner = 0;
            TL_TRY(tl_read_whole(r, c, 0, vertices - 1, &corner));
            const uint32_t narrow = (uint32_t)corner;
            TL_TRY(tl_array_append(triangles, &narrow, 1));
        }
    }
    return TL_OK;
}

/* A mesh that is written out: its vertices and triangles. */
static tl_status write_out(const tl_reader *r, const tl_json *value, double scale, tl_mesh **mesh)
{
    enum { VERTICES, TRIANGLES, COUNT };
    static const char *const keys[] = {"vertices", "triangles"};
    static const char *const expected[] = {"an array of vertices [x, y, z] (m)",
                                           "an array of triangles [a, b, c], numbers of vertices"};
    const tl_json *f[COUNT];
    tl_array points = {.item = sizeof(double)}, corners = {.item = sizeof(uint32_t)};
    tl_mesh_def def = tl_mesh_default();
    TL_TRY(tl_read_fields(r, value, "a mesh", COUNT, keys, f));
    for (int i = 0; i < COUNT; i++) {
        if (!f[i])
            return tl_read_missing(r, value, keys[i], expected[i]);
        if (f[i]->kind != TL_JSON_ARRAY || !f[i]->count)
            return tl_read_expected(r, f[i], expected[i]);
    }
    tl_status status = read_points(r, f[VERTICES], scale, &points);
    if (status == TL_OK)
        status = read_triangles(r, f[TRIANGLES], f[VERTICES]->count, &corners);
    if (status == TL_OK) {
        def.vertex_count = points.count / 3;
        def.vertices = points.data;
        def.triangle_count = corners.count / 3;
        def.triangles = corners.data;
        status = tl_mesh_create(&def, mesh);
        if (status < 0)
            status = refuse(r, value, status);
    }
    tl_array_free(&points);
    tl_array_free(&corners);
    return status;
}

/* A mesh from a file, or from the result that holds it. */
static tl_status read_mesh(const tl_reader *r, const tl_json *value, tl_shape_kind kind,
                           double scale, tl_mesh **mesh)
{
    const tl_geometry_info *stored;
    if (value->kind == TL_JSON_OBJECT)
        return write_out(r, value, scale, mesh);
    TL_TRY(find_stored(r, value, kind, &stored));
    if (!stored)
        return load_mesh(r, value, scale, mesh);
    tl_mesh_def def = tl_mesh_default();
    def.vertex_count = stored->vertex_count;
    def.vertices = stored->vertices;
    def.triangle_count = stored->triangle_count;
    def.triangles = stored->triangles;
    const tl_status status = tl_mesh_create(&def, mesh);
    return status < 0 ? refuse(r, value, status) : TL_OK;
}

/* ---- Hulls ---- */

static tl_status read_points(const tl_reader *r, const tl_json *list, double scale,
                             tl_array *points)
{
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        double point[3];
        TL_TRY(tl_read_vector(r, v, 3, TL_ANY("m"), point));
        for (int k = 0; k < 3; k++)
            point[k] *= scale;
        TL_TRY(tl_array_append(points, point, 3));
    }
    return TL_OK;
}

static tl_status add_hull(const tl_reader *r, const tl_json *value, double scale, tl_geometry *out)
{
    tl_array points = {.item = sizeof(double)};
    tl_mesh *mesh = NULL;
    tl_status status;
    if (value->kind == TL_JSON_STRING) {
        TL_TRY(read_mesh(r, value, TL_HULL, scale, &mesh));
        const tl_mesh_info info = tl_mesh_describe(mesh);
        status = tl_scene_add_hull(r->scene, info.vertex_count, info.vertices, out);
        tl_mesh_destroy(mesh);
        return status < 0 ? refuse(r, value, status) : TL_OK;
    }
    if (value->kind != TL_JSON_ARRAY || !value->count)
        return tl_read_expected(r, value,
                                "an array of points [x, y, z] (m), or the name of a mesh file");
    status = read_points(r, value, scale, &points);
    if (status == TL_OK) {
        status = tl_scene_add_hull(r->scene, points.count / 3, points.data, out);
        if (status < 0)
            status = refuse(r, value, status);
    }
    tl_array_free(&points);
    return status;
}

/* ---- Height fields ---- */

/* Numbers of a text, with spaces, commas or newlines between them. */
static tl_status take_heights(const tl_reader *r, const tl_json *value, const char *path,
                              const char *text, size_t count, tl_array *heights)
{
    size_t line = 1;
    for (size_t found = 0;; found++) {
        char *end;
        for (; *text && strchr(" \t\r\n,", *text); text++)
            line += *text == '\n';
        if (!*text)
            return found == count ? TL_OK
                                  : tl_read_fail(r, value,
                                                 "%.200s has %zu heights, expected columns x rows: "
                                                 "%zu",
                                                 path, found, count);
        const double height = strtod(text, &end);
        if (end == text || !isfinite(height) || !strchr(" \t\r\n,", *end))
            return tl_read_fail(r, value, "%.200s:%zu: '%.20s' is no height, expected a number (m)",
                                path, line, text);
        if (found == count)
            return tl_read_fail(r, value,
                                "%.200s:%zu: has more than %zu heights, expected columns "
                                "x rows",
                                path, line, count);
        TL_TRY(tl_array_append(heights, &height, 1));
        text = end;
    }
}

/* Numbers are read as in C whatever the program's locale. */
static tl_status load_heights(const tl_reader *r, const tl_json *value, const char *path,
                              size_t count, tl_array *heights)
{
    tl_array text = {.item = 1};
    tl_status status = tl_load(path, most_bytes, &text);
    if (status < 0)
        return refuse(r, value, status);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain) {
        locale_t before = uselocale(plain);
        status = take_heights(r, value, path, text.data, count, heights);
        uselocale(before);
        freelocale(plain);
    } else {
        status = tl_fail(TL_NO_MEMORY, "out of memory: no locale could be made");
    }
    tl_array_free(&text);
    return status;
}

/* Heights are the third coordinates of vertices. */
static tl_status take_stored(const tl_reader *r, const tl_json *value,
                             const tl_geometry_info *stored, size_t count, tl_array *heights)
{
    if (stored->vertex_count != count)
        return tl_read_fail(r, value, "has %zu heights in /geometries of the result, expected %zu",
                            stored->vertex_count, count);
    TL_TRY(tl_array_resize(heights, count));
    for (size_t i = 0; i < count; i++)
        ((double *)heights->data)[i] = stored->vertices[3 * i + 2];
    return TL_OK;
}

static tl_status read_heights(const tl_reader *r, const tl_json *value, size_t count,
                              tl_array *heights)
{
    static const char *const expected =
        "an array of heights (m), row by row, or the name of a file of such numbers";
    if (value->kind == TL_JSON_STRING) {
        const tl_geometry_info *stored;
        TL_TRY(find_stored(r, value, TL_HEIGHTS, &stored));
        if (stored)
            return take_stored(r, value, stored, count, heights);
        tl_array path = {.item = 1};
        tl_status status = read_path(r, value, expected, &path);
        if (status == TL_OK)
            status = load_heights(r, value, path.data, count, heights);
        tl_array_free(&path);
        return status;
    }
    TL_TRY(tl_read_array(r, value, expected));
    if (value->count != count)
        return tl_read_fail(r, value, "has %u heights, expected columns x rows: %zu", value->count,
                            count);
    TL_TRY(tl_array_resize(heights, count));
    return tl_read_vector(r, value, count, TL_ANY("m"), heights->data);
}

static tl_status read_spacing(const tl_reader *r, const tl_json *value, double spacing[2])
{
    if (value->kind == TL_JSON_ARRAY)
        return tl_read_vector(r, value, 2, TL_ABOVE_0("m"), spacing);
    TL_TRY(tl_read_number(r, value, TL_ABOVE_0("m"), &spacing[0]));
    spacing[1] = spacing[0];
    return TL_OK;
}

static tl_status add_heights(const tl_reader *r, const tl_json *value, tl_geometry *out)
{
    enum { COLUMNS, ROWS, SPACING, VALUES, COUNT };
    static const char *const keys[] = {"columns", "rows", "spacing", "values"};
    static const char *const missing[] = {"a whole number of at least 2",
                                          "a whole number of at least 2",
                                          "a number above 0 (m), or one per direction",
                                          "an array of heights (m), or the name of a file"};
    const tl_json *f[COUNT];
    tl_array heights = {.item = sizeof(double)};
    uint64_t columns = 0, rows = 0;
    tl_heights_def def = {0};
    TL_TRY(tl_read_fields(r, value, "a height field", COUNT, keys, f));
    for (int i = 0; i < COUNT; i++)
        if (!f[i])
            return tl_read_missing(r, value, keys[i], missing[i]);
    TL_TRY(tl_read_whole(r, f[COLUMNS], 2, 1u << 20, &columns));
    TL_TRY(tl_read_whole(r, f[ROWS], 2, 1u << 20, &rows));
    TL_TRY(read_spacing(r, f[SPACING], def.spacing));
    tl_status status = read_heights(r, f[VALUES], columns * rows, &heights);
    if (status == TL_OK) {
        def.columns = (uint32_t)columns;
        def.rows = (uint32_t)rows;
        def.heights = heights.data;
        status = tl_scene_add_heights(r->scene, &def, out);
        if (status < 0)
            status = refuse(r, value, status);
    }
    tl_array_free(&heights);
    return status;
}

/* ---- All ---- */

static tl_status add_mesh(const tl_reader *r, const tl_json *value, double scale, tl_geometry *out)
{
    tl_mesh *mesh = NULL;
    TL_TRY(read_mesh(r, value, TL_MESH, scale, &mesh));
    const tl_status status = tl_scene_add_mesh(r->scene, mesh, out);
    tl_mesh_destroy(mesh);
    return status < 0 ? refuse(r, value, status) : TL_OK;
}

/* Whether a result holds the pieces of a mesh. */
static bool is_stored(const tl_reader *r, uint32_t index)
{
    for (size_t i = 0; i < r->stored.split_count; i++)
        if (r->stored.splits[i].mesh == index)
            return true;
    return false;
}

/* The pieces that a result holds, in the order in which they were made, so that the hulls are those
 * of the result. */
static tl_status take_pieces(const tl_reader *r, const tl_json *value)
{
    tl_array list = {.item = sizeof(tl_piece)};
    tl_status status = TL_OK;
    for (size_t i = 0; status == TL_OK && i < r->stored.split_count; i++) {
        const tl_stored_pieces *s = &r->stored.splits[i];
        tl_pieces_info info = s->info;
        status = tl_array_resize(&list, info.count);
        for (size_t k = 0; status == TL_OK && k < info.count; k++) {
            const tl_geometry_info *hull = &r->stored.infos[s->first - 1 + k];
            ((tl_piece *)list.data)[k] = (tl_piece){
                hull->vertex_count, hull->vertices, hull->triangle_count, hull->triangles, 0, 0};
        }
        info.pieces = list.data;
        if (status == TL_OK)
            status = tl_scene_set_pieces(r->scene, (tl_geometry){s->mesh}, &info);
    }
    tl_array_free(&list);
    return status < 0 && status != TL_NO_MEMORY ? refuse(r, value, status) : status;
}

/* How a mesh is split for dynamic bodies. */
static tl_status split_mesh(const tl_reader *r, const tl_json *value, uint32_t index)
{
    enum { TOLERANCE, PIECES, VERTICES, COUNT };
    static const char *const keys[] = {"tolerance", "pieces", "vertices"};
    const tl_json *f[COUNT];
    tl_split_def def = tl_split_default();
    uint64_t pieces = def.most, vertices = def.vertices;
    TL_TRY(tl_read_fields(r, value, "a split into convex pieces", COUNT, keys, f));
    TL_TRY(tl_read_number(r, f[TOLERANCE], TL_ABOVE_0("m"), &def.tolerance));
    TL_TRY(tl_read_whole(r, f[PIECES], 1, 4096, &pieces));
    TL_TRY(tl_read_whole(r, f[VERTICES], 4, 255, &vertices));
    def.most = (size_t)pieces;
    def.vertices = (size_t)vertices;
    if (is_stored(r, index))
        return TL_OK;
    const tl_status status = tl_scene_split_mesh(r->scene, (tl_geometry){index}, &def);
    return status < 0 ? refuse(r, value, status) : TL_OK;
}

/* ---- Polygons ---- */

static tl_status read_corners(const tl_reader *r, const tl_json *list, double scale,
                              tl_array *corners)
{
    if (list->kind != TL_JSON_ARRAY)
        return tl_read_expected(r, list, "an array of vertices [x, z] (m)");
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        double corner[2];
        TL_TRY(tl_read_vector(r, v, 2, TL_ANY("m"), corner));
        corner[0] *= scale;
        corner[1] *= scale;
        TL_TRY(tl_array_append(corners, corner, 2));
    }
    return TL_OK;
}

static tl_status add_polygon(const tl_reader *r, const tl_json *value, double scale,
                             tl_geometry *out)
{
    enum { VERTICES, OPEN, DEPTH, COUNT };
    static const char *const keys[] = {"vertices", "open", "depth"};
    const tl_json *f[COUNT];
    tl_polygon_def def = tl_polygon_default();
    tl_array corners = {.item = sizeof(double)};
    TL_TRY(tl_read_fields(r, value, "a polygon", COUNT, keys, f));
    if (!f[VERTICES])
        return tl_read_missing(r, value, "vertices", "an array of vertices [x, z] (m)");
    TL_TRY(tl_read_flag(r, f[OPEN], &def.open));
    TL_TRY(tl_read_number(r, f[DEPTH], TL_ABOVE_0("m"), &def.depth));
    tl_status status = read_corners(r, f[VERTICES], scale, &corners);
    if (status == TL_OK) {
        def.count = corners.count / 2;
        def.vertices = corners.data;
        status = tl_scene_add_polygon(r->scene, &def, out);
        if (status < 0)
            status = refuse(r, value, status);
    }
    tl_array_free(&corners);
    return status;
}

/* `convex` receives what says how a mesh is split, NULL where nothing does. */
static tl_status add_geometry(const tl_reader *r, const tl_json *value, uint32_t *kind,
                              uint32_t *index, const tl_json **convex)
{
    enum { HULL, MESH, HEIGHTS, POLYGON, SCALE, CONVEX, COUNT };
    static const char *const keys[] = {"hull", "mesh", "heights", "polygon", "scale", "convex"};
    static const uint32_t kind_of[] = {TL_HULL, TL_MESH, TL_HEIGHTS, TL_POLYGON};
    const tl_json *f[COUNT], *given = NULL;
    tl_geometry made = {0};
    double scale = 1;
    TL_TRY(tl_read_fields(r, value, "a geometry", COUNT, keys, f));
    for (int i = 0; i < SCALE; i++) {
        if (f[i] && given)
            return tl_read_fail_key(r, value, f[i],
                                    "has two of 'hull', 'mesh', 'heights' and 'polygon', "
                                    "expected one of them");
        if (f[i]) {
            given = f[i];
            *kind = kind_of[i];
        }
    }
    if (!given)
        return tl_read_fail(r, value,
                            "has no 'hull', 'mesh', 'heights' or 'polygon', "
                            "expected one of them");
    TL_TRY(tl_read_number(r, f[SCALE], TL_ABOVE_0("m per unit"), &scale));
    if (f[SCALE] && *kind == TL_HEIGHTS)
        return tl_read_fail_key(r, value, f[SCALE], "has 'scale', expected none with 'heights'");
    if (f[CONVEX] && *kind != TL_MESH)
        return tl_read_fail_key(r, value, f[CONVEX], "has 'convex', expected it with 'mesh' alone");
    *convex = f[CONVEX];
    TL_TRY(*kind == TL_HULL      ? add_hull(r, given, scale, &made)
           : *kind == TL_MESH    ? add_mesh(r, given, scale, &made)
           : *kind == TL_POLYGON ? add_polygon(r, given, scale, &made)
                                 : add_heights(r, given, &made));
    *index = made.index;
    return TL_OK;
}

/* A mesh to be split, and how. */
typedef struct split {
    const tl_scope *scope;
    const tl_json *how;
    uint32_t index;
} split;

/* A name of the scene's geometries, NULL past the last. */
static const char *name_at(const tl_reader *r, size_t i)
{
    const tl_named_geometry *known = r->document->geometries.data;
    return i < r->document->geometries.count ? (char *)r->document->names.data + known[i].name
                                             : NULL;
}

static uint32_t find(const tl_reader *r, tl_text prefix, tl_text name)
{
    for (size_t i = 0; name_at(r, i); i++)
        if (tl_text_joins(prefix, name, name_at(r, i)))
            return (uint32_t)i + 1;
    return 0;
}

tl_status tl_read_geometries(tl_reader *r, const tl_json *object)
{
    r->splits.item = sizeof(split);
    if (!object)
        return TL_OK;
    if (object->kind != TL_JSON_OBJECT)
        return tl_read_expected(r, object, "an object: names with geometries");
    for (const tl_json *v = tl_json_first(r->tree, object); v; v = tl_json_next(r->tree, v)) {
        const tl_text name = tl_json_key(r->tree, v);
        const int cut = name.length > 60 ? 60 : (int)name.length;
        tl_named_geometry geometry;
        const tl_json *convex = NULL;
        if (!name.length)
            return tl_read_fail_key(r, object, v,
                                    "'' cannot be the name of a geometry, expected another");
        if (find(r, tl_scope_prefix(r), name))
            return tl_read_fail_key(r, object, v, "duplicate key '%.*s', expected it once", cut,
                                    name.data);
        TL_TRY(add_geometry(r, v, &geometry.kind, &geometry.index, &convex));
        TL_TRY(tl_read_keep(r, name, &geometry.name));
        TL_TRY(tl_array_append(&r->document->geometries, &geometry, 1));
        const split wanted = {r->scope, convex, geometry.index};
        if (convex)
            TL_TRY(tl_array_append(&r->splits, &wanted, 1));
    }
    return TL_OK;
}

tl_status tl_read_splits(tl_reader *r, const tl_json *object)
{
    (void)object;
    const split *wanted = r->splits.data;
    for (size_t i = 0; i < r->splits.count; i++)
        if (wanted[i].scope == r->scope)
            TL_TRY(split_mesh(r, wanted[i].how, wanted[i].index));
    return TL_OK;
}

tl_status tl_read_pieces(tl_reader *r)
{
    const tl_json *list = r->scope->fields[TL_SCENE_GEOMETRIES];
    return take_pieces(r, list ? list : tl_json_at(r->tree, 0));
}

tl_status tl_read_geometry(const tl_reader *r, const tl_json *value, tl_shape_kind kind,
                           tl_geometry *geometry)
{
    const tl_named_geometry *known = r->document->geometries.data;
    tl_text name = {0};
    char text[64];
    TL_TRY(tl_read_string(r, value, "the name of a geometry", &name));
    tl_text prefix = tl_scope_prefix(r);
    uint32_t at;
    do
        at = find(r, prefix, name);
    while (!at && tl_prefix_shorten(&prefix));
    if (!at) {
        tl_near near = tl_near_start(name);
        for (size_t i = 0; name_at(r, i); i++) {
            const char *other = name_at(r, i);
            tl_near_offer_all(&near, &other, 1);
        }
        return tl_read_fail(r, value, "is %s, expected the name of one of 'geometries'%s",
                            tl_read_show(r, value, text, sizeof text), tl_near_hint(&near));
    }
    const uint32_t is = known[at - 1].kind;
    geometry->index = known[at - 1].index;
    if (is == (uint32_t)kind)
        return TL_OK;
    return tl_read_fail(r, value, "is %s, a geometry with '%s', expected one with '%s'",
                        tl_read_show(r, value, text, sizeof text), kinds[is], kinds[kind]);
}
