/* What stands on a picture: title, clock, legend, scale bar. Called by job.c once the picture is in
 * bytes. */
#ifndef TL_RENDER_OVERLAY_H
#define TL_RENDER_OVERLAY_H

#include "render/show.h"

/* Draws onto rows of red, green, blue: `rows` rows of the picture from `first` on. */
void tlr_overlay_draw(const tlr_show *show, const tlr_camera *camera, double time, int first,
                      int rows, unsigned char *rgb);

/* Radiance as bytes: exposure, tone, sRGB. */
void tlr_overlay_develop(const tlr_look *look, size_t pixels, const float *radiance,
                         unsigned char *rgb);

#endif
