/* One fill while it is made: fill.c checks it, makes the simple patterns and adds the bodies;
 * fill_close.c packs. */
#ifndef TL_SCENE_FILL_H
#define TL_SCENE_FILL_H

#include "scene/space.h"
#include "scene/template.h"

typedef struct tl_fill_job {
    const tl_fill_def *def;
    tl_space space; /* what is in the way; spheres that are placed join it where they have to */
    tl_random random;
    double down[3];   /* unit, along gravity */
    size_t want;      /* spheres, at most */
    tl_array spheres; /* 4 doubles each: centre, radius */
    tl_templates templates;
    tl_array copies;  /* tl_shape_def: shapes of copies, of the bodies of one chunk */
    uint32_t choice;  /* the template of the size drawn last */
    tl_array choices; /* uint32_t: template of each sphere, where there are templates */
} tl_fill_job;

/* Takes a sphere into the job, and into its space. */
tl_status tl_fill_place(tl_fill_job *job, const double x[3], double radius);

/* fill_close.c: places spheres until there are as many as wanted or the region is full. */
tl_status tl_fill_close(tl_fill_job *job);

#endif
