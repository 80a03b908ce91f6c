/* Surfaces that change from point to point: colour, roughness and bumps by expressions of a look,
 * or by compiled shaders. look_material.c reads the texts, show.c compiles them, path.c asks. */
#ifndef TL_RENDER_SHADE_H
#define TL_RENDER_SHADE_H

#include "base/expression.h"
#include "render/material.h"
#include "talus/shader.h"

enum { TLR_SHADE_TEXT = 256, TLR_SHADE_NAME = 64, TLR_MOST_SHADES = 64 };

/* What is given by expressions. */
enum {
    TLR_SHADE_RED,
    TLR_SHADE_GREEN,
    TLR_SHADE_BLUE,
    TLR_SHADE_ROUGHNESS,
    TLR_SHADE_BUMP,
    TLR_SHADE_VALUES
};

/* As a look says it; empty texts: not by an expression. */
typedef struct tlr_shade_def {
    char text[TLR_SHADE_VALUES][TLR_SHADE_TEXT];
    char shader[TLR_SHADE_NAME]; /* of a plugin; "": none */
    double grain;                /* m, of `noise`; 0: a quarter of the radius */
} tlr_shade_def;

/* A text that the reader of a look checks: TL_BAD_DATA, with `error` filled. */
tl_status tlr_shade_check(tl_text text, tl_expression_error *error);

/* The names of variables, for messages. */
const char *tlr_shade_variables(void);

typedef struct tlr_shade {
    tl_expression code[TLR_SHADE_VALUES];
    talus_shader shader; /* NULL: none */
    double grain;
    bool noisy; /* an expression uses noise */
} tlr_shade;

/* A shared library of shaders. */
typedef struct tlr_plugin tlr_plugin;
tl_status tlr_plugin_open(const char *path, tlr_plugin **plugin);
void tlr_plugin_close(tlr_plugin *plugin);
uint64_t tlr_plugin_hash(const tlr_plugin *plugin); /* of its file; 0: of none */

/* Compiles a definition; shaders are those of `plugin`, which may be NULL. */
tl_status tlr_shade_make(const tlr_shade_def *def, const tlr_plugin *plugin, tlr_shade *shade);
void tlr_shade_free(tlr_shade *shade);

/* Changes a material, and a normal in the frame of the body, at a point. */
void tlr_shade_apply(const tlr_shade *shade, const talus_shade_point *point, tlr_material *material,
                     vec *normal);

#endif
