/* A picture of a moment: tiles that threads take one after the other. The result depends on the
 * tracer and the settings alone, not on threads and tiles. Called by job.c. */
#ifndef TL_RENDER_PICTURE_H
#define TL_RENDER_PICTURE_H

#include "render/path.h"

#include <signal.h>

enum { TLR_BLOCK = 8 }; /* pixels: noise is judged in blocks of 8 by 8 */

typedef struct tlr_picture_def {
    uint32_t threads;                  /* 0: as many as there are */
    uint32_t tile;                     /* pixels; rounded up to whole blocks; 0: 32 */
    uint32_t samples;                  /* per pixel; with noise: at most */
    float noise;                       /* of a block's mean, relative; 0: all samples are taken */
    int band, bands;                   /* rows of the picture: one of so many bands; 0: all */
    const volatile sig_atomic_t *stop; /* not 0: leave off; may be NULL */
    void (*progress)(void *user, double part); /* called now and then by one thread; may be NULL */
    void *user;
} tlr_picture_def;

/* A band has every so-many-th row of blocks, so that all bands of a picture take about the same
 * time. How many rows it has, and which row of the picture row y of it is. */
int tlr_band_rows(int height, int band, int bands);

static inline int tlr_band_row(int y, int band, int bands)
{
    return (y / TLR_BLOCK * bands + band) * TLR_BLOCK + y % TLR_BLOCK;
}

/* Fills `rgb`, three numbers per pixel of the rows asked for: radiance. `taken`, if not NULL,
 * receives how many samples were taken. 1 (TL_OK is 0) where it was stopped. */
tl_status tlr_picture_render(const tlr_tracer *t, const tlr_picture_def *def, float *rgb,
                             uint64_t *taken);

#endif
