/** @file query.h
 *  Questions to a world at its present state: where rays end, what is near a shape, what touches a
 *  body.
 *
 *  Queries change nothing: the steps that follow are bit for bit what they would have been. Their
 *  answers are the same on every backend and for any number of threads. Poses are those at the end
 *  of the last step, whatever contacts were found at. They are worked on where the world runs: of a
 *  world on a GPU, rays go there and answers come back. Groups, masks and other filters of contacts
 *  do not matter here: every shape is seen.
 */
#ifndef TALUS_QUERY_H
#define TALUS_QUERY_H

#include "talus/world.h"

TL_BEGIN_DECLS

/** The triangle of a hit that is on no mesh and no height field. */
#define TL_NO_TRIANGLE UINT32_MAX

/** A ray. */
typedef struct tl_ray {
    double origin[3];    /**< m, each less than 1e12 from 0 */
    double direction[3]; /**< of any length but 0, which does not matter */
    double max_distance; /**< m, >= 0, how far it goes; default infinity */
    tl_body ignore;      /**< a body that it goes through, such as the one that carries a sensor;
                              default none */
    bool hollow;         /**< solids are taken as hollow: see tl_world_cast_rays(); default false */
} tl_ray;

/** What a ray hits first. */
typedef struct tl_ray_hit {
    tl_body body;      /**< whose shape it hits; zero where it hits nothing */
    uint32_t shape;    /**< which of the body's shapes, from 0 */
    uint32_t triangle; /**< of a mesh or height field, numbered as by tl_world_geometry(); else
                            TL_NO_TRIANGLE */
    double distance;   /**< m from the origin, along the direction; max_distance where it hits
                            nothing */
    double point[3];   /**< m, where it ends; 0 where it hits nothing */
    double normal[3];  /**< unit, of the surface there, against the ray; 0 where it hits nothing */
    bool inside;       /**< it began in a solid, or hits a mesh or height field from behind */
} tl_ray_hit;

/** A ray from the world's origin straight down, without an end. */
TL_API tl_ray tl_ray_default(void);

/** Casts `count` rays; hits[i] is what rays[i] hits first. Distances are in m along the ray,
 * whatever the length of its direction. Of shapes at one distance the body added first counts.
 *
 * Solids (spheres, ellipsoids, capsules, cylinders, cones, boxes, hulls, rounded ones too) and
 * planes, below which all is solid, are hit where the ray enters. A ray that begins inside of one
 * hits it at once: distance 0, `inside` true and the normal against the ray. With `hollow` it goes
 * on to where it leaves the solid, as rays do in MuJoCo; the normal is that of the inner side.
 * Meshes, height fields and parallelograms are surfaces, and are hit from both sides.
 *
 * More than a few rays in one call share a tree of boxes around the shapes, which lasts until
 * bodies move or change. TL_BAD_ARGUMENT names the ray whose numbers break a rule, TL_BAD_HANDLE
 * one that ignores what is no body; no ray is cast then, and `hits` are zeroed. */
TL_API tl_status tl_world_cast_rays(tl_world *world, size_t count, const tl_ray *rays,
                                    tl_ray_hit *hits);

/** A shape of a world near a shape that was asked about. */
typedef struct tl_neighbour {
    tl_body body;      /**< whose shape is near; zero where there is none */
    uint32_t shape;    /**< which of the body's shapes, from 0 */
    uint32_t triangle; /**< as in tl_ray_hit: the one that is nearest or deepest in */
    double gap;        /**< m between the surfaces; negative: how deep they overlap */
    double normal[3];  /**< unit, from the given shape to the neighbour */
    double point[3];   /**< m, on the surface of the given shape, where it is nearest or deepest */
    double other[3];   /**< m, on that of the neighbour: point + gap * normal */
} tl_neighbour;

/** Lists the shapes that overlap a given one, or are within `margin` (m, >= 0) of it, in the order
 * of bodies' handles and their shapes. `shape` is a solid of any kind, or a point, which need not
 * be like one of the world; its position and orientation are those in the world, and its material
 * does not matter. Hulls are of the world's geometries. `ignore` is a body to leave out, or zero.
 * `*count` is how many there are, of which the first `capacity` are written: call again with more
 * room where that was too little.
 *
 * Gaps are what contacts would have. So meshes are one-sided: what has got behind one by more than
 * about half of its size, or is inside a closed one, is not near it. Height fields are solid below,
 * however deep. */
TL_API tl_status tl_world_overlaps(tl_world *world, const tl_shape_def *shape, double margin,
                                   tl_body ignore, size_t capacity, tl_neighbour *neighbours,
                                   size_t *count);

/** The shape with the least gap to a given one, as far as that is at most `max_distance` (m, >= 0,
 * may be infinity); `nearest->body` is zero where there is none. All else as for
 * tl_world_overlaps(). */
TL_API tl_status tl_world_nearest(tl_world *world, const tl_shape_def *shape, double max_distance,
                                  tl_body ignore, tl_neighbour *nearest);

/** Lists the contacts of one body, those with `other` alone unless that is zero, and on one of its
 * shapes alone unless `shape` is TL_ANY_SHAPE. They are those of tl_world_read_contacts(), in the
 * same order, but `a` is the given body, of whatever kind: the normal points away from it, and it
 * receives the negative of the impulse. `*count` and `capacity` as for tl_world_overlaps(). */
TL_API tl_status tl_world_body_contacts(const tl_world *world, tl_body body, uint32_t shape,
                                        tl_body other, size_t capacity, tl_contact *contacts,
                                        size_t *count);

TL_END_DECLS

#endif
