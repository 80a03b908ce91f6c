/** @file mesh.h
 *  Surfaces made of triangles: their properties, convex hulls, and how they are filled with
 * spheres or split into convex pieces, which is how a body of any form is simulated. io.h reads
 * them from files.
 *
 *  A mesh says what the surface of a solid is: triangles go counterclockwise when they are seen
 * from outside. Several components are one solid; they must not overlap.
 */
#ifndef TALUS_MESH_H
#define TALUS_MESH_H

#include "talus/base.h"

TL_BEGIN_DECLS

/** A mesh. Opaque; never changes once made, so that many threads may read it. */
typedef struct tl_mesh tl_mesh;

/** Vertices and triangles to make a mesh of. Start from tl_mesh_default(). */
typedef struct tl_mesh_def {
    size_t vertex_count;       /**< at most 2^31 - 2 */
    const double *vertices;    /**< three coordinates per vertex */
    size_t triangle_count;     /**< at most 2^31 - 2 */
    const uint32_t *triangles; /**< three vertices per triangle, from 0 */
    double scale; /**< > 0: what coordinates are multiplied by to be in metres; default 1. The
                       results must be below 1e12 m. */
    double merge; /**< m, >= 0: vertices that are no farther apart become one, the first of them;
                       0, the default: those that are equal */
} tl_mesh_def;

/** An empty mesh in metres whose equal vertices are merged. */
TL_API tl_mesh_def tl_mesh_default(void);

/** Makes a mesh. Triangles that have a vertex twice, before or after merging, are dropped and
 *  counted; vertices that no triangle has are left out. No triangle at all, an index that is out of
 *  range and a coordinate that is not finite are TL_BAD_ARGUMENT. The surface need not be closed.
 */
TL_API tl_status tl_mesh_create(const tl_mesh_def *def, tl_mesh **mesh);

/** The convex hull of points, as a mesh: `points` has three coordinates (m) per point. Its vertices
 *  are some of the points, and no point is outside of it: sides of planes are decided exactly.
 * Points that all lie in one plane, on one line or in one place, within 1e-12 of their size, have
 * no hull with a volume: TL_BAD_ARGUMENT. */
TL_API tl_status tl_mesh_create_hull(size_t count, const double *points, tl_mesh **mesh);

/** Frees a mesh; NULL does nothing. */
TL_API void tl_mesh_destroy(tl_mesh *mesh);

/** What a mesh holds. Arrays belong to the mesh. */
typedef struct tl_mesh_info {
    size_t vertex_count;       /**< those that are left */
    const double *vertices;    /**< m, three per vertex, in the order given */
    size_t triangle_count;     /**< those that are left */
    const uint32_t *triangles; /**< three vertices per triangle, in the order given */
    size_t merged;             /**< vertices that became one with another */
    size_t dropped;            /**< triangles that had a vertex twice */
    size_t components;         /**< parts that share no vertex */
    size_t open_edges;         /**< edges of one triangle */
    size_t crowded_edges;      /**< edges of more than two triangles */
    size_t turned_edges;       /**< edges whose two triangles run along them the same way: one of
                                    them shows its inside */
    double low[3];             /**< m, bounding box */
    double high[3];            /**< m, bounding box */
    double area;               /**< m^2, of the surface */
} tl_mesh_info;

/** What a mesh holds. */
TL_API tl_mesh_info tl_mesh_describe(const tl_mesh *mesh);

/** The solid that a closed mesh bounds. */
typedef struct tl_mesh_solid {
    double volume;         /**< m^3 */
    double mass;           /**< kg */
    double centre[3];      /**< m, centre of mass */
    double inertia[6];     /**< kg m^2 about the centre, along the mesh's axes: xx yy zz yz zx xy */
    double moments[3];     /**< kg m^2, the principal ones */
    double orientation[4]; /**< unit quaternion that turns vectors along the principal axes, in the
                                order of moments, to vectors along the mesh's axes: of all choices
                                the one nearest to no rotation */
} tl_mesh_solid;

/** Volume, mass, centre of mass and inertia for a density (kg/m^3, > 0): exact integrals over the
 *  triangles. A mesh that is not the surface of a solid (open, crowded or turned edges, or inside
 *  out) is TL_BAD_DATA; the message names edges by their vertices. */
TL_API tl_status tl_mesh_measure(const tl_mesh *mesh, double density, tl_mesh_solid *solid);

/** @name Decomposition
 *  @{ */

/** How finely a mesh is filled with spheres. Start from tl_decompose_default(). */
typedef struct tl_decompose_def {
    double tolerance; /**< m, >= 0: how far the surfaces of the mesh and of the spheres may be
                         apart; 0, the default: 3 % of the diagonal of the bounding box */
    size_t most;      /**< spheres at most; 0, the default: no limit. Where more are needed the
                           tolerance is made as large as it has to be. */
} tl_decompose_def;

/** The default tolerance and any number of spheres. */
TL_API tl_decompose_def tl_decompose_default(void);

/** A sphere of a decomposition. */
typedef struct tl_ball {
    double centre[3]; /**< m, in the mesh's frame */
    double radius;    /**< m */
} tl_ball;

/** Spheres whose union is near to a mesh. Opaque; never changes once made. */
typedef struct tl_decomposition tl_decomposition;

/** How like a mesh a union of solids is: of spheres, or of convex pieces. */
typedef struct tl_fit {
    double volume;          /**< m^3 of the union; overlaps count once */
    double missing;         /**< m^3 of the mesh outside of every solid */
    double excess;          /**< m^3 of the solids outside of the mesh */
    double volume_accuracy; /**< m^3, by which these three may be off */
    double protrusion;      /**< m, by which a solid sticks out of the mesh at most */
    double deviation_max;   /**< m, largest distance of the mesh's surface to the union's */
    double deviation_rms;   /**< m, root mean square of the same over the mesh's surface */
    double reverse_max;     /**< m, largest distance of the union's surface to the mesh's: often at
                                 the bottom of a crevice between solids */
    double reverse_rms;     /**< m, root mean square of the same over the union's surface */
    double sampling;        /**< m, spacing of the samples of both surfaces */
    double centre_error;    /**< m, from the union's centre of volume to the mesh's */
    double inertia_error;   /**< difference of the union's inertia (at the mesh's mass, about the
                                 mesh's centre) to the mesh's: the largest of the six, as a part of
                                 the largest principal moment */
} tl_fit;

/** What a decomposition is and how near it comes. Distances are sampled: the spacing of the samples
 *  is `sampling`, by which a maximum may be larger. */
typedef struct tl_decomposition_info {
    size_t count;         /**< spheres */
    const tl_ball *balls; /**< largest first; they belong to the decomposition */
    double tolerance;     /**< m, that it was made for: larger than asked for where `most` spheres
                               did not do */
    tl_fit fit;           /**< how like the mesh the union of the spheres is */
} tl_decomposition_info;

/** Fills a closed mesh with overlapping spheres: no sphere sticks out by more than the tolerance,
 * and no point of the mesh's surface is farther than that from a sphere (samples are nearer; what
 * lies between them may be off by a few percent more). Crevices between spheres may be deeper. The
 * same mesh gives the same spheres. A mesh that is no solid is TL_BAD_DATA, a tolerance that would
 * take more than some million samples TL_TOO_LARGE. */
TL_API tl_status tl_mesh_decompose(const tl_mesh *mesh, const tl_decompose_def *def,
                                   tl_decomposition **decomposition);

/** What it is. */
TL_API tl_decomposition_info tl_decomposition_describe(const tl_decomposition *decomposition);

/** Frees a decomposition; NULL does nothing. */
TL_API void tl_decomposition_destroy(tl_decomposition *decomposition);

/** How finely a mesh is split into convex pieces. Start from tl_split_default(). */
typedef struct tl_split_def {
    double tolerance; /**< m, >= 0: how far a piece may stick out of the mesh; 0, the default: 1 %
                         of half the diagonal of the bounding box */
    size_t most;      /**< pieces at most, 1 to 4096; default 256. Where more are needed the worst
                           pieces are split first, and what is left is farther off. */
    size_t vertices;  /**< most vertices of a piece, 4 to 255; default 64. Where its hull has more,
                           those are left out that matter least, and the piece is smaller than the
                           hull; a face has 32 at most. */
} tl_split_def;

/** The default tolerance and numbers. */
TL_API tl_split_def tl_split_default(void);

/** A convex piece. Its arrays belong to what it is a piece of. */
typedef struct tl_piece {
    size_t vertex_count;       /**< 4 or more */
    const double *vertices;    /**< m, three per vertex, in the mesh's frame */
    size_t triangle_count;     /**< of its surface */
    const uint32_t *triangles; /**< three vertices per triangle, counterclockwise from outside */
    double volume;             /**< m^3 of the piece */
    double part;               /**< m^3 of the part of the mesh that it stands for */
} tl_piece;

/** Convex pieces whose union is near to a mesh. Opaque; never changes once made. */
typedef struct tl_pieces tl_pieces;

/** What pieces there are and how near they come. Distances are sampled, as in
 * tl_decomposition_info. */
typedef struct tl_pieces_info {
    size_t count;           /**< pieces */
    const tl_piece *pieces; /**< largest first */
    double tolerance;       /**< m, that they were made for */
    tl_fit fit;             /**< how like the mesh their union is. The protrusion is above the
                                 tolerance where there may be no more pieces; deviation_max is also
                                 that at the bottom of crevices that are too narrow to matter, and
                                 where vertices were left out */
} tl_pieces_info;

/** Splits a closed mesh into convex pieces. Every point of the pieces is within the tolerance of
 * the mesh, where there may be as many as that takes; they cover the mesh, where they may have as
 * many vertices as that takes. A crevice narrower than twice the tolerance may be covered. Pieces
 * overlap by little or not at all. A mesh that is convex is one piece, with the vertices of its
 * hull. The same mesh gives the same pieces. A mesh that is no solid is TL_BAD_DATA. */
TL_API tl_status tl_mesh_split(const tl_mesh *mesh, const tl_split_def *def, tl_pieces **pieces);

/** What they are. */
TL_API tl_pieces_info tl_pieces_describe(const tl_pieces *pieces);

/** Frees pieces; NULL does nothing. */
TL_API void tl_pieces_destroy(tl_pieces *pieces);

/** @} */

TL_END_DECLS

#endif
