/** @file fill.h
 *  Regions of space, and many bodies at once in them.
 */
#ifndef TALUS_FILL_H
#define TALUS_FILL_H

#include "talus/scene.h"

TL_BEGIN_DECLS

/** The kinds of region. */
typedef enum tl_region_kind {
    TL_REGION_BOX = 0,      /**< corners `low` and `high`, axes along the world's */
    TL_REGION_CYLINDER = 1, /**< from the centre of its base along `axis`, within `radius` */
    TL_REGION_SPHERE = 2    /**< within `radius` of `centre` */
} tl_region_kind;

/** A part of space, for fills, emitters and boundaries; it is closed, and its bounds may be
 * infinite (boxes) where nothing has to be placed in it. */
typedef struct tl_region {
    tl_region_kind kind; /**< which of the fields below are used */
    double low[3];       /**< m, boxes: the lower corner */
    double high[3];      /**< m, boxes: the upper corner; each coordinate above low's */
    double centre[3];    /**< m, spheres: the centre; cylinders: the centre of the base */
    double axis[3];      /**< m, cylinders: from the base's centre to the top's; not zero */
    double radius;       /**< m, cylinders and spheres: > 0 */
} tl_region;

/** The box between two corners (m; copied). */
TL_API tl_region tl_region_box(const double low[3], const double high[3]);

/** Whether a point (m) is in a region. */
TL_API bool tl_region_contains(const tl_region *region, const double point[3]);

/** How the radii of many spheres are distributed. */
typedef enum tl_size_kind {
    TL_SIZE_EQUAL = 0,   /**< all have `radius` */
    TL_SIZE_UNIFORM = 1, /**< evenly between `low` and `high` */
    TL_SIZE_NORMAL = 2,  /**< mean `radius`, standard deviation `deviation`, between low and high */
    TL_SIZE_LOGNORMAL =
        3 /**< median `radius`, `deviation` of the logarithm, between low and high */
} tl_size_kind;

/** A distribution of radii. Values outside low..high are drawn again, not clamped. */
typedef struct tl_size_def {
    tl_size_kind kind; /**< default TL_SIZE_EQUAL */
    double radius;     /**< m, > 0: equal, normal, lognormal */
    double deviation;  /**< m (normal) or a plain number (lognormal), > 0 */
    double low;        /**< m, the least, > 0: all but equal */
    double high;       /**< m, the most, > low: all but equal */
} tl_size_def;

/** How a fill places spheres. */
typedef enum tl_fill_pattern {
    TL_FILL_GRID = 0, /**< a cubic grid */
    TL_FILL_HEX = 1,  /**< hexagonal close layers: the densest pattern of equal spheres */
    TL_FILL_RANDOM =
        2,            /**< at random places, one after the other; up to about 0.32 of the region */
    TL_FILL_CLOSE = 3 /**< random close: each sphere rests against others or the region, lowest
                           places (along gravity) first; about 0.55 of the region */
} tl_fill_pattern;

/** A body that a fill or an emitter makes copies of. */
typedef struct tl_template_def {
    double weight;              /**< how many copies of it there are, over those of others: > 0 */
    size_t shape_count;         /**< >= 1 */
    const tl_shape_def *shapes; /**< solids, in the frame of the body; those without a material have
                                     that of the fill or emitter */
} tl_template_def;

/** Many spheres, or copies of templates, placed in a region without touching each other nor any
 *  shape that is in the scene already. Grid and hex use the largest radius of the sizes for their
 *  spacing. Copies are placed as the balls around them are, so that long ones stand far apart, and
 *  each is turned at random. What is in the way are spheres, boxes and walls as they are, other
 *  solids with the box around them. */
typedef struct tl_fill_def {
    tl_region region;        /**< every sphere lies wholly inside; finite */
    tl_fill_pattern pattern; /**< default TL_FILL_GRID */
    tl_size_def size;        /**< radii; with templates: factors of their sizes instead, without
                                  a unit, and all 0 (the default) is 1. Hulls take 1 alone */
    double gap;              /**< m, at least this between surfaces, >= 0; default 0 */
    double jitter;           /**< m, grid and hex: each coordinate is moved by up to this, >= 0; the
                                  spacing grows by twice that, so that nothing can touch; default 0 */
    uint64_t count;          /**< spheres; 0 (the default): until the region is full */
    uint64_t seed;           /**< of sizes and places; default 1 */
    double density;          /**< kg/m^3, used where mass is 0; default 1000 */
    double mass;             /**< kg, of each body; 0 (the default): density times its volume */
    tl_material material;    /**< default: none, the default material */
    uint32_t group;          /**< of spheres, as in tl_shape_def; shapes of templates have theirs */
    uint32_t mask;           /**< likewise */
    double velocity[3];      /**< m/s; default 0 */
    size_t template_count;   /**< 0 (the default): spheres; TL_FILL_CLOSE takes one at most */
    const tl_template_def *templates; /**< template_count of them */
} tl_fill_def;

/** A grid of spheres of radius 0 (to be set) in no region (to be set), everything else as above. */
TL_API tl_fill_def tl_fill_default(void);

/** Adds spheres as bodies of their own. `added`, if not NULL, receives how many; `first` the handle
 *  of the first: the others follow it in index. Fails, adding none, if `count` do not fit: the
 *  message says how many do. The same definition and scene give the same spheres everywhere. */
TL_API tl_status tl_scene_fill(tl_scene *scene, const tl_fill_def *def, uint64_t *added,
                               tl_body *first);

TL_END_DECLS

#endif
