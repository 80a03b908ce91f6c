/* Templates: bodies of any shapes that fills and emitters make copies of. Who makes copies draws a
 * template and the radius of the ball around a copy, finds a place for that ball, and then asks for
 * the body. */
#ifndef TL_SCENE_TEMPLATE_H
#define TL_SCENE_TEMPLATE_H

#include "scene/region.h"

/* Who makes copies: what it says of them, and what they may use. */
typedef struct tl_template_user {
    const char *name, *list; /* "fill", "fill.templates": for messages */
    tl_size_def size;        /* factors; with no templates, radii */
    double density;
    tl_material material; /* of shapes that have none */
    size_t count;
    const tl_template_def *templates;
    size_t materials; /* the default one counted */
    const tl_array *geometries;
} tl_template_user;

/* Checks and copies the templates, if there are any. Freed already where it fails. */
tl_status tl_templates_make(const tl_template_user *user, tl_templates *out);
tl_status tl_templates_clone(const tl_templates *from, tl_templates *to);
void tl_templates_free(tl_templates *templates);

/* Chooses a template by weight and draws the radius of the ball around a copy. */
double tl_templates_draw(const tl_templates *templates, tl_random *random, uint32_t *which);

/* Empties `copies` (tl_shape_def) and makes room there for the shapes of so many copies; then
 * shapes, position and orientation of a body that is a copy, within a sphere: number `number` of a
 * seed. */
tl_status tl_templates_reserve(const tl_templates *templates, size_t count, const uint32_t *which,
                               tl_array *copies);
void tl_templates_copy(const tl_templates *templates, uint64_t seed, uint64_t number,
                       uint32_t which, const double sphere[4], tl_array *copies, tl_body_def *body);

#endif
