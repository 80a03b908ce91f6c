/** @file surface.h
 *  The surfaces of shapes as triangles, to draw them or to hand them to other programs. Nothing
 * here is used by the simulation, which knows shapes exactly.
 */
#ifndef TALUS_SURFACE_H
#define TALUS_SURFACE_H

#include "talus/scene.h"

TL_BEGIN_DECLS

/** What a geometry holds: a hull, a mesh or a height field. Arrays belong to what handed it out:
 * see tl_world_geometry() and tl_result_geometry(). */
typedef struct tl_geometry_info {
    tl_shape_kind kind;        /**< TL_HULL, TL_MESH or TL_HEIGHTS */
    size_t vertex_count;       /**< how many vertices */
    const double *vertices;    /**< m, three per vertex, in the shape's frame */
    size_t triangle_count;     /**< how many triangles */
    const uint32_t *triangles; /**< three vertices per triangle, from 0, counterclockwise seen from
                                    outside (height fields: from above) */
} tl_geometry_info;

/** Triangles of a shape's surface. Opaque; never changes once made. */
typedef struct tl_surface tl_surface;

/** What a surface holds, in the shape's frame. Arrays belong to the surface. */
typedef struct tl_surface_info {
    size_t vertex_count;    /**< where normals differ, at an edge, a place has several vertices */
    const double *vertices; /**< m, three per vertex; they lie on the shape */
    const double *normals;  /**< unit, outward, three per vertex: for smooth shading */
    size_t triangle_count;  /**< how many triangles */
    const uint32_t *triangles; /**< three vertices per triangle, from 0, counterclockwise seen from
                                    outside */
} tl_surface_info;

/** Makes the triangles of a shape: its size alone counts, not its place in the body. `segments`
 * says how finely: a full circle has so many edges, a multiple of 4 from 8 to 1,024. `geometry` is
 * that of hulls, meshes and height fields, whose triangles are taken as they are (with rounded
 * edges where a hull has a rounding), and NULL for other kinds. Surfaces are closed but those of
 * parallelograms, height fields and open meshes. Planes have no end and so no triangles:
 * TL_BAD_ARGUMENT, as are sizes that tl_scene_add_bodies() would refuse. */
TL_API tl_status tl_surface_create(const tl_shape_def *shape, const tl_geometry_info *geometry,
                                   uint32_t segments, tl_surface **surface);

/** What it holds; nothing for NULL. */
TL_API tl_surface_info tl_surface_describe(const tl_surface *surface);

/** Frees a surface; NULL does nothing. */
TL_API void tl_surface_destroy(tl_surface *surface);

/** m, how far a shape reaches from its body's origin; infinity for planes. Exact, but for
 * ellipsoids beside the origin, which may reach less far. `geometry` as for tl_surface_create();
 * where a shape needs one and it is NULL, the reach is that of its place alone. */
TL_API double tl_shape_reach(const tl_shape_def *shape, const tl_geometry_info *geometry);

TL_END_DECLS

#endif
