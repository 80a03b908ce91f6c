/* One fill while it is made: fill.c checks it, makes the simple patterns and adds the bodies;
 * fill_close.c packs. */
#ifndef TL_SCENE_FILL_H
#define TL_SCENE_FILL_H

#include "scene/space.h"

/* A template while copies of it are made. */
typedef struct tl_template_rec {
    double ball[4];   /* around its shapes, in its frame */
    double upto;      /* weights up to and with its own */
    tl_size_def size; /* m, radii of the balls around copies */
    size_t first_shape, shape_count;
} tl_template_rec;

typedef struct tl_templates {
    tl_array records; /* tl_template_rec; empty: spheres are made */
    tl_array shapes;  /* tl_shape_def, with the fill's material where they have none */
    tl_array copies;  /* tl_shape_def: shapes of another size, of the bodies of one chunk */
    tl_array balls;   /* double: scratch */
    double weight;    /* of all */
} tl_templates;

/* template.c: takes the templates of a fill, if it has any, and sets its size to that of the balls
 * around the largest copies. To be freed even where it fails. */
tl_status tl_templates_make(const tl_scene *scene, tl_fill_def *def, tl_templates *out);
void tl_templates_free(tl_templates *templates);

/* Chooses a template by weight and draws the radius of the ball around a copy. */
double tl_templates_draw(const tl_templates *templates, tl_random *random, uint32_t *which);

/* Room for the shapes of so many copies; then shapes, position and orientation of a body that is a
 * copy, within a sphere: number `number` of the fill. */
tl_status tl_templates_reserve(tl_templates *templates, size_t count, const uint32_t *which);
void tl_templates_copy(tl_templates *templates, uint64_t seed, uint64_t number, uint32_t which,
                       const double sphere[4], tl_body_def *body);

typedef struct tl_fill_job {
    const tl_fill_def *def;
    tl_space space; /* what is in the way; spheres that are placed join it where they have to */
    tl_random random;
    double down[3];   /* unit, along gravity */
    size_t want;      /* spheres, at most */
    tl_array spheres; /* 4 doubles each: centre, radius */
    tl_templates templates;
    uint32_t choice;  /* the template of the size drawn last */
    tl_array choices; /* uint32_t: template of each sphere, where there are templates */
} tl_fill_job;

/* Takes a sphere into the job, and into its space. */
tl_status tl_fill_place(tl_fill_job *job, const double x[3], double radius);

/* fill_close.c: places spheres until there are as many as wanted or the region is full. */
tl_status tl_fill_close(tl_fill_job *job);

#endif
