/* A shader for `talus render --plugin rings.so`: grooves around the z axis of each body.
 *
 *     cc -O2 -shared -fPIC -I include examples/looks/rings.c -o rings.so
 *
 * A look then has {"moving": {"kind": "plastic", "shader": "rings"}}. */
#include "talus/shader.h"

#include <math.h>
#include <stddef.h>

static void rings(const talus_shade_point *point, talus_shade *shade)
{
    const double wave = sin(30 * point->local[2] / point->radius);
    shade->color[0] = wave > 0 ? 0.8 : 0.1;
    shade->color[1] = 0.2;
    shade->color[2] = 0.3;
    shade->bump = 0.02 * point->radius * wave;
}

static const talus_shader_entry all[] = {{"rings", rings}, {NULL, NULL}};

const talus_shader_entry *talus_shaders(unsigned version)
{
    return version == TALUS_SHADER_VERSION ? all : NULL;
}
