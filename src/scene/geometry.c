/* The list of geometries of a scene: adding to it, copying it for a world. hull.c makes convex
 * hulls. Called through talus/scene.h and by worlds. */
#include "scene/check.h"

#include <string.h>

void tl_geometry_free(tl_geometry_rec *geometry)
{
    tl_array_free(&geometry->numbers);
    tl_array_free(&geometry->words);
}

void tl_geometries_free(tl_array *list)
{
    tl_geometry_rec *records = list->data;
    for (size_t i = 0; i < list->count; i++)
        tl_geometry_free(&records[i]);
    tl_array_free(list);
}

static tl_status copy_one(const tl_geometry_rec *from, tl_geometry_rec *to)
{
    *to = *from;
    to->numbers = (tl_array){.item = sizeof(double)};
    to->words = (tl_array){.item = sizeof(uint32_t)};
    tl_status status = tl_array_append(&to->numbers, from->numbers.data, from->numbers.count);
    if (status == TL_OK)
        status = tl_array_append(&to->words, from->words.data, from->words.count);
    if (status < 0)
        tl_geometry_free(to);
    return status;
}

tl_status tl_geometries_copy(const tl_array *from, tl_array *to)
{
    const tl_geometry_rec *records = from->data;
    TL_TRY(tl_array_reserve(to, to->count + from->count));
    for (size_t i = 0; i < from->count; i++) {
        tl_geometry_rec copy;
        tl_status status = copy_one(&records[i], &copy);
        if (status < 0) {
            tl_geometries_free(to);
            return status;
        }
        TL_TRY(tl_array_append(to, &copy, 1)); /* there is room: this cannot fail */
    }
    return TL_OK;
}

/* Room for one more in the scene, before anything is made. */
static tl_status begin(tl_scene *scene, tl_geometry *geometry)
{
    if (!geometry)
        return tl_refuse_null("geometry");
    *geometry = (tl_geometry){0};
    if (!scene)
        return tl_refuse_null("scene");
    if (scene->geometries.count >= TL_GEOMETRIES_MOST)
        return tl_fail(TL_TOO_LARGE, "the scene has %zu geometries; there can be at most %d",
                       scene->geometries.count, TL_GEOMETRIES_MOST);
    return tl_array_reserve(&scene->geometries, scene->geometries.count + 1);
}

/* `status` is what making the record gave. */
static tl_status finish(tl_scene *scene, tl_status status, const tl_geometry_rec *made,
                        tl_geometry *geometry)
{
    TL_TRY(status);
    TL_TRY(tl_array_append(&scene->geometries, made, 1)); /* there is room: this cannot fail */
    geometry->index = (uint32_t)scene->geometries.count;
    return TL_OK;
}

tl_status tl_scene_add_hull(tl_scene *scene, size_t count, const double *points,
                            tl_geometry *geometry)
{
    tl_geometry_rec made;
    TL_TRY(begin(scene, geometry));
    return finish(scene, tl_geometry_hull(count, points, &made), &made, geometry);
}

tl_status tl_scene_add_mesh(tl_scene *scene, const tl_mesh *mesh, tl_geometry *geometry)
{
    tl_geometry_rec made;
    TL_TRY(begin(scene, geometry));
    if (!mesh)
        return tl_refuse_null("mesh");
    return finish(scene, tl_geometry_mesh(mesh, &made), &made, geometry);
}

tl_status tl_scene_add_heights(tl_scene *scene, const tl_heights_def *def, tl_geometry *geometry)
{
    tl_geometry_rec made;
    TL_TRY(begin(scene, geometry));
    if (!def)
        return tl_refuse_null("def");
    return finish(scene, tl_geometry_heights(def, &made), &made, geometry);
}
static bool same_bytes(const tl_array *a, const tl_array *b)
{
    return a->count == b->count && (!a->count || !memcmp(a->data, b->data, a->count * a->item));
}

/* Makes a geometry anew from what its record begins with. */
static tl_status make_again(const tl_geometry_rec *from, tl_geometry_rec *out)
{
    const uint32_t *words = from->words.data;
    const double *numbers = from->numbers.data;
    const size_t vertices = from->numbers.count / 3;
    if (from->kind == TL_HULL && from->words.count > 3 && words[0] <= vertices)
        return tl_geometry_hull(words[0], numbers, out);
    if (from->kind == TL_MESH)
        return tl_geometry_mesh_again(from, out);
    if (from->kind == TL_HEIGHTS)
        return tl_geometry_heights_again(from, out);
    return tl_fail(TL_BAD_DATA, "a geometry is of no known kind");
}

/* The pieces of polygons say of each face whether it is of the surface (polygon.c). */
static tl_status take_face_kinds(const tl_geometry_rec *from, tl_geometry_rec *out)
{
    const uint32_t *words = from->words.data;
    const size_t known = out->words.count, faces = ((const uint32_t *)out->words.data)[1];
    for (size_t i = known; i < from->words.count && i < known + faces; i++)
        if (words[i] <= 2)
            TL_TRY(tl_array_append(&out->words, &words[i], 1));
    return TL_OK;
}

tl_status tl_geometry_restore(const tl_geometry_rec *from, tl_geometry_rec *out)
{
    memset(out, 0, sizeof *out);
    TL_TRY(make_again(from, out));
    tl_status status = TL_OK;
    if (from->kind == TL_HULL && from->words.count > out->words.count)
        status = take_face_kinds(from, out);
    if (status != TL_OK) {
        tl_geometry_free(out);
        memset(out, 0, sizeof *out);
        return status;
    }
    if (same_bytes(&from->numbers, &out->numbers) && same_bytes(&from->words, &out->words))
        return TL_OK;
    tl_geometry_free(out);
    memset(out, 0, sizeof *out);
    return tl_fail(TL_BAD_DATA, "a geometry is not that of its vertices");
}
