/* Meshes on dynamic bodies: a closed mesh is split into convex pieces, which become hulls of the
 * scene; on a dynamic body they stand for it in contact (body.c). Its mass is that of the mesh. */
#include "scene/check.h"

#include <stdio.h>
#include <string.h>

static tl_geometry_rec *find_mesh(const tl_scene *scene, uint32_t index)
{
    tl_geometry_rec *all = scene->geometries.data;
    const bool known = index >= 1 && index <= scene->geometries.count;
    return known && all[index - 1].kind == TL_MESH ? &all[index - 1] : NULL;
}

static tl_status refuse_mesh(const tl_scene *scene, uint32_t index)
{
    return tl_fail_about(TL_BAD_HANDLE, &(tl_error){.field = "geometry", .index = TL_NO_INDEX},
                         ": %u is no mesh of this scene (it has %zu geometries)", index,
                         scene->geometries.count);
}

/* Appends hulls to the scene; none where one fails. */
static tl_status add_hulls(tl_scene *scene, const tl_pieces_info *info)
{
    const size_t before = scene->geometries.count;
    if (info->count > TL_GEOMETRIES_MOST - before)
        return tl_fail(
            TL_TOO_LARGE,
            "the scene has %zu geometries, and the pieces of the mesh are %zu; there can "
            "be at most %d",
            before, info->count, TL_GEOMETRIES_MOST);
    TL_TRY(tl_array_reserve(&scene->geometries, before + info->count));
    for (size_t i = 0; i < info->count; i++) {
        tl_geometry_rec hull;
        tl_status status =
            tl_geometry_hull(info->pieces[i].vertex_count, info->pieces[i].vertices, &hull);
        if (status == TL_OK)
            status = tl_array_append(&scene->geometries, &hull, 1); /* there is room */
        if (status == TL_OK)
            continue;
        while (scene->geometries.count > before)
            tl_geometry_free((tl_geometry_rec *)scene->geometries.data + --scene->geometries.count);
        return status;
    }
    return TL_OK;
}

/* The hulls that stand for a mesh. */
static tl_status give(tl_scene *scene, uint32_t index, const tl_pieces_info *info)
{
    const uint32_t first = (uint32_t)scene->geometries.count + 1;
    TL_TRY(add_hulls(scene, info));
    tl_geometry_rec *geometry = find_mesh(scene, index); /* they may have moved */
    geometry->first_piece = first;
    geometry->piece_count = (uint32_t)info->count;
    geometry->split = *info;
    geometry->split.pieces = NULL;
    return TL_OK;
}

static tl_status split(tl_scene *scene, uint32_t index, const tl_split_def *def)
{
    tl_mesh *mesh = NULL;
    tl_pieces *pieces = NULL;
    tl_status status = tl_geometry_to_mesh(find_mesh(scene, index), &mesh);
    if (status == TL_OK)
        status = tl_mesh_split(mesh, def, &pieces);
    const tl_pieces_info info = tl_pieces_describe(pieces);
    if (status == TL_OK)
        status = give(scene, index, &info);
    tl_pieces_destroy(pieces);
    tl_mesh_destroy(mesh);
    return status;
}

/* Whether a mesh can be given pieces. */
static tl_status check_unsplit(const tl_scene *scene, tl_geometry geometry)
{
    const tl_geometry_rec *mesh = find_mesh(scene, geometry.index);
    if (!mesh)
        return refuse_mesh(scene, geometry.index);
    if (mesh->piece_count)
        return tl_fail(TL_BAD_ARGUMENT,
                       "geometry: %u has been split; split a mesh once, before it is on a dynamic "
                       "body",
                       geometry.index);
    return TL_OK;
}

tl_status tl_scene_split_mesh(tl_scene *scene, tl_geometry geometry, const tl_split_def *def)
{
    if (!scene)
        return tl_refuse_null("scene");
    if (!def)
        return tl_refuse_null("def");
    TL_TRY(check_unsplit(scene, geometry));
    return split(scene, geometry.index, def);
}

tl_status tl_scene_set_pieces(tl_scene *scene, tl_geometry geometry, const tl_pieces_info *info)
{
    if (!scene)
        return tl_refuse_null("scene");
    if (!info || (info->count && !info->pieces))
        return tl_refuse_null(info ? "info->pieces" : "info");
    TL_TRY(check_unsplit(scene, geometry));
    const tl_geometry_rec *mesh = find_mesh(scene, geometry.index);
    if (!info->count || !(mesh->volume > 0))
        return tl_fail(TL_BAD_DATA,
                       info->count ? "geometry: %u is no solid, and has no pieces"
                                   : "geometry: %u: there are no pieces",
                       geometry.index);
    return give(scene, geometry.index, info);
}

tl_status tl_scene_pieces(const tl_scene *scene, tl_geometry geometry, tl_pieces_info *info)
{
    if (!info)
        return tl_refuse_null("info");
    *info = (tl_pieces_info){0};
    if (!scene)
        return tl_refuse_null("scene");
    if (geometry.index < 1 || geometry.index > scene->geometries.count)
        return tl_fail_about(TL_BAD_HANDLE, &(tl_error){.field = "geometry", .index = TL_NO_INDEX},
                             ": %u is no geometry of this scene (it has %zu)", geometry.index,
                             scene->geometries.count);
    *info = ((const tl_geometry_rec *)scene->geometries.data)[geometry.index - 1].split;
    return TL_OK;
}

tl_status tl_scene_split_shapes(tl_scene *scene, const char *list, size_t index, size_t count,
                                const tl_shape_def *shapes)
{
    const tl_split_def def = tl_split_default();
    if (count > TL_MOST_ITEMS - scene->list.shape_total)
        return TL_OK; /* which later checks refuse without looking at them */
    for (size_t i = 0; shapes && i < count; i++) {
        const tl_geometry_rec *mesh =
            shapes[i].kind == TL_MESH ? find_mesh(scene, shapes[i].geometry.index) : NULL;
        if (!mesh || mesh->piece_count)
            continue;
        const tl_status status = split(scene, shapes[i].geometry.index, &def);
        if (status == TL_OK)
            continue;
        if (status == TL_NO_MEMORY)
            return status;
        const tl_place place = {list, index, i};
        char text[700];
        snprintf(text, sizeof text, "on a dynamic body, where it must be a solid: %s",
                 tl_last_message());
        return tl_refuse_text(&place, "geometry", "a mesh", text);
    }
    return TL_OK;
}
