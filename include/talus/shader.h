/** @file
 * Shaders of surfaces as compiled code, for `talus render --plugin FILE`: a shared library that
 * defines talus_shaders(). Materials of a look then name them: {"shader": "rust"}. Shaders are
 * called by several threads at once, for every point that light meets: they depend on nothing but
 * what they are given.
 *
 *     cc -O2 -shared -fPIC rust.c -o rust.so
 */
#ifndef TALUS_SHADER_H
#define TALUS_SHADER_H

#ifdef __cplusplus
extern "C" {
#endif

/** Of what is below; a plugin is asked for it and returns NULL where it knows another. */
#define TALUS_SHADER_VERSION 1

/** A point of a surface. */
typedef struct talus_shade_point {
    double position[3]; /**< m, in the world */
    double local[3];    /**< m, in the frame of its body */
    double normal[3];   /**< unit, in the frame of its body */
    double radius;      /**< m, of a ball; of another shape, how far it reaches */
    double time;        /**< s */
    unsigned body;      /**< number of the body; 0: none */
} talus_shade_point;

/** What the surface is there: what the look says on entry, what the shader says on return. Colours
 * and roughness are brought into 0 to 1. */
typedef struct talus_shade {
    double color[3];  /**< linear */
    double roughness; /**< 0 to 1 */
    double bump;      /**< m, how far the surface stands out there: it turns the normal; 0 */
} talus_shade;

/** A shader. */
typedef void (*talus_shader)(const talus_shade_point *point, talus_shade *shade);

/** A shader with the name that looks call it by. */
typedef struct talus_shader_entry {
    const char *name;    /**< NULL after the last */
    talus_shader shader; /**< the function */
} talus_shader_entry;

/** What a plugin defines: its shaders; NULL where `version` is none that it knows. */
const talus_shader_entry *talus_shaders(unsigned version);

#ifdef __cplusplus
}
#endif

#endif
