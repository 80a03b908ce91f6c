/* A moment as RIB (RenderMan Interface Bytestream 3.2), for renderers that read it: camera, lights,
 * bodies with motion blocks. Called by job.c. */
#ifndef TL_RENDER_RIB_H
#define TL_RENDER_RIB_H

#include "render/path.h"

#include <stdio.h>

/* Writes a frame; `name` is that of the picture which it is to make, `origin` where places are
 * counted from (a comment tells it). What could not be written is left to the caller to find. */
void tlr_rib_write(FILE *file, const tlr_tracer *t, uint64_t frame, const char *name,
                   const double origin[3]);

/* Writes a user's scene, whose lines "#inject bodies", "#inject camera" and "#inject lights" give
 * way to what they name. `path` is for messages. */
tl_status tlr_rib_inject(FILE *f, const tlr_tracer *t, const char *path, const char *text,
                         size_t length, const double origin[3]);

#endif
