/* What surfaces do with light: four kinds of material, of which each can be asked for its value
 * towards two directions, for a direction drawn by it, and for the density of such draws. Called by
 * path.c; directions are in the frame of the surface, z along its normal. */
#ifndef TL_RENDER_MATERIAL_H
#define TL_RENDER_MATERIAL_H

#include "render/vec.h"

typedef enum tlr_material_kind {
    TLR_DIFFUSE, /* Lambert's */
    TLR_METAL,   /* GGX with Schlick's Fresnel term; smooth below TLR_SMOOTH */
    TLR_PLASTIC, /* a diffuse base under a GGX coat */
    TLR_GLASS    /* smooth, clear, refracts */
} tlr_material_kind;

#define TLR_SMOOTH 0.02f /* roughness below which metal is a mirror */

typedef struct tlr_material {
    tlr_material_kind kind;
    vec color;       /* albedo, or reflectance of metal head on, or what glass lets through */
    float roughness; /* 0 to 1 */
    float ior;       /* of plastic's coat and of glass */
    uint32_t stone;  /* which mesh of the look stands for balls, from 1; 0: none */
    uint32_t shade;  /* which of the look's, from 1: it changes from point to point; 0: none */
    bool stripes;    /* bands that turn with the body */
    bool own_color;  /* colours of bodies do not replace `color` */
    bool hidden;     /* not drawn */
    bool uncut;      /* the cut plane spares it */
} tlr_material;

/* A direction that was drawn. */
typedef struct tlr_scatter {
    vec direction;
    vec weight;    /* value times cosine over density */
    float density; /* per solid angle; 0: it is the only one (a mirror, glass) */
    bool through;  /* it goes to the other side */
} tlr_scatter;

/* Whether directions are drawn from a density, so that lights can be looked for. */
bool tlr_material_is_rough(const tlr_material *m);

/* The value towards `in`, times its cosine, for light that leaves along `out`; `density` receives
 * the density with which tlr_material_draw() draws `in`. Both z are above 0. */
vec tlr_material_value(const tlr_material *m, vec out, vec in, float *density);

/* Draws a direction for light that leaves along `out`. `inside`: the ray is in the glass. False:
 * none, the path ends. */
bool tlr_material_draw(const tlr_material *m, vec out, bool inside, const float u[2],
                       tlr_scatter *drawn);

#endif
