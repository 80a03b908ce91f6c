/* The light that reaches a point of the picture: paths from the camera, bounce by bounce. picture.c
 * calls it for every pixel and sample. */
#ifndef TL_RENDER_PATH_H
#define TL_RENDER_PATH_H

#include "render/camera.h"
#include "render/sampler.h"
#include "render/stage.h"

typedef struct tlr_tracer {
    const tlr_stage *stage;
    tlr_camera camera;
    uint32_t frame;   /* number of the picture: its noise is its own */
    uint32_t bounces; /* paths end after so many; 0: chance alone ends them */
    bool backdrop;    /* the camera sees `background`, not the sky */
    vec background;
    /* The ground fades away between two distances from the middle, seen by the camera. */
    uint32_t ground; /* item; UINT32_MAX: none */
    vec middle;
    float fade_near, fade_far;
    float outline; /* pixels; 0: none */
    vec outline_color;
} tlr_tracer;

/* Samples that are taken together, so that rays that go about the same way are traced at once:
 * those of a pixel and of its neighbours should lie next to each other. At most TLR_BATCH. */
typedef struct tlr_sample {
    int x, y;
    uint32_t number;
} tlr_sample;

enum { TLR_BATCH = 256 };

void tlr_path_samples(const tlr_tracer *t, size_t count, const tlr_sample *samples, vec *light);

/* The number of the body at the middle of a pixel, half-way through the exposure, with a lens of no
 * size; 0: none. */
uint32_t tlr_path_number(const tlr_tracer *t, int x, int y);

/* What the first surface of a sample is like, for the filter of noise. */
typedef struct tlr_guide {
    vec albedo, normal;
    float depth; /* m; 0: the sky */
} tlr_guide;

tlr_guide tlr_path_guide(const tlr_tracer *t, int x, int y, uint32_t sample);

#endif
