/* Where light comes from: the sky, the sun, and areas that shine. path.c looks for it in two ways,
 * by drawing a place on a light and by following a surface's own directions until they meet one;
 * both densities are known here, so that the two can be weighed. */
#ifndef TL_RENDER_LIGHT_H
#define TL_RENDER_LIGHT_H

#include "base/memory.h"
#include "render/vec.h"

typedef enum tlr_sky_kind {
    TLR_SKY_UNIFORM,
    TLR_SKY_GRADIENT, /* from the horizon to the zenith, and another colour below */
    TLR_SKY_CLEAR,    /* a clear day, after Preetham, Shirley and Smits (1999) */
    TLR_SKY_PICTURE   /* longitude and latitude */
} tlr_sky_kind;

enum { TLR_SKY_ACROSS = 128, TLR_SKY_UP = 64, TLR_MOST_AREAS = 16 };

typedef struct tlr_sky {
    tlr_sky_kind kind;
    vec color, horizon, ground; /* radiance: all of a uniform sky, or the zenith; of the others */
    float strength;             /* multiplies all of it */
    float turbidity;            /* of a clear day, 2 to 10 */
    int width, height;          /* of the picture */
    float *picture;             /* rows of red, green, blue, from the zenith down; not owned */
    vec up, east, north;        /* unit */
} tlr_sky;

/* A disc or a parallelogram that shines to one side. */
typedef struct tlr_area {
    bool disc;
    vec centre, normal;
    vec u, v; /* half edges; of a disc two radii */
    vec radiance;
    bool unseen; /* camera rays pass it */
} tlr_area;

typedef struct tlr_lights {
    tlr_sky sky;
    bool has_sun;
    vec sun, sun_radiance; /* towards it */
    float sun_cosine;      /* of its angular radius */
    size_t area_count;
    tlr_area areas[TLR_MOST_AREAS];
    /* What tlr_lights_prepare() makes of them. */
    float sky_share, sun_share, area_share[TLR_MOST_AREAS]; /* how often each is drawn; sum 1 */
    float sky_density[TLR_SKY_UP * TLR_SKY_ACROSS];         /* per solid angle */
    float sky_sum[TLR_SKY_UP * TLR_SKY_ACROSS + 1];
    double perez[3][5], zenith[3]; /* of a clear day: luminance, x, y */
} tlr_lights;

/* Computes tables and shares; `middle` is about where light is needed. */
void tlr_lights_prepare(tlr_lights *l, vec middle);

/* What comes from a direction without surfaces, the sun included or not. */
vec tlr_sky_radiance(const tlr_lights *l, vec direction);
bool tlr_sun_seen(const tlr_lights *l, vec direction);

/* The density with which directions to the sky or the sun are drawn, shares included. */
float tlr_sky_pdf(const tlr_lights *l, vec direction);
float tlr_sun_pdf(const tlr_lights *l);

/* The density, per solid angle and with its share, of drawing the point of area i that lies
 * `distance` away along `direction`. */
float tlr_area_pdf(const tlr_lights *l, size_t i, vec direction, float distance);

typedef struct tlr_light_draw {
    vec direction;
    float distance; /* INFINITY for sky and sun */
    vec radiance;
    float density; /* per solid angle, share included */
} tlr_light_draw;

/* Draws a light and a direction to it. False: none shines here. */
bool tlr_lights_draw(const tlr_lights *l, vec from, const float u[2], tlr_light_draw *drawn);

#endif
