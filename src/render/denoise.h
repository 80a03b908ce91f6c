/* A filter for noisy pictures, off unless a look asks for it: wavelets that stop at edges of
 * albedo, normals and depth (Dammertz and others, 2010). Called by job.c on whole pictures. */
#ifndef TL_RENDER_DENOISE_H
#define TL_RENDER_DENOISE_H

#include "render/path.h"

/* Smooths the radiance of a whole picture, three numbers per pixel, in place. */
tl_status tlr_denoise(const tlr_tracer *t, uint32_t threads, float *rgb);

#endif
