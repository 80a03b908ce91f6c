/* OpenEXR files: radiance as it is, with albedo, normals, depth and numbers of bodies, for programs
 * that put pictures together. Lines are not compressed. Called by job.c. */
#ifndef TL_RENDER_EXR_H
#define TL_RENDER_EXR_H

#include "render/path.h"

/* Writes a whole picture, under another name first. `rgb` is its radiance; the rest comes from the
 * tracer. */
tl_status tlr_exr_write(const char *path, const tlr_tracer *t, const float *rgb);

#endif
