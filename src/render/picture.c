/* Tiles over threads; picture.h says who calls. */
#include "render/picture.h"

#include "render/share.h"

#include <stdatomic.h>

enum { PASS = 16 }; /* samples between two looks at the noise */

typedef struct work {
    const tlr_tracer *tracer;
    const tlr_picture_def *def;
    float *rgb;
    int rows, across, down; /* rows of the band, tiles */
    int tile;               /* pixels */
    atomic_int done;        /* tiles */
    atomic_ullong taken;
} work;

/* Sums of the samples of a block's pixels. */
typedef struct block {
    double sum[TLR_BLOCK * TLR_BLOCK][3];
    double square[TLR_BLOCK * TLR_BLOCK]; /* of the luminance */
    uint32_t samples;
} block;

/* Adds samples to all pixels of a block whose upper left corner is x, y: at most PASS. */
static void sample_block(const work *w, block *b, int x, int y, int width, int height,
                         uint32_t count)
{
    const size_t all = (size_t)count * (size_t)(width * height);
    tlr_sample samples[TLR_BATCH];
    vec light[TLR_BATCH];
    for (size_t first = 0; first < all; first += TLR_BATCH) {
        const size_t some = all - first < TLR_BATCH ? all - first : TLR_BATCH;
        for (size_t i = 0; i < some; i++) {
            const int k = (int)((first + i) / count);
            samples[i] = (tlr_sample){x + k % width, y + k / width,
                                      b->samples + (uint32_t)((first + i) % count)};
        }
        tlr_path_samples(w->tracer, some, samples, light);
        for (size_t i = 0; i < some; i++) {
            const size_t k = (first + i) / count;
            const double l = v_luminance(light[i]);
            b->sum[k][0] += light[i].x;
            b->sum[k][1] += light[i].y;
            b->sum[k][2] += light[i].z;
            b->square[k] += l * l;
        }
    }
    b->samples += count;
}

/* The standard error of a block's pixels over their mean; dark blocks count as a hundredth. */
static double block_noise(const block *b, int pixels)
{
    const double n = b->samples;
    double mean = 0, variance = 0;
    for (int k = 0; k < pixels; k++) {
        const double *s = b->sum[k];
        const double l = (0.2126 * s[0] + 0.7152 * s[1] + 0.0722 * s[2]) / n;
        mean += l / pixels;
        variance += fmax(b->square[k] / n - l * l, 0) / (n - 1) / pixels;
    }
    return sqrt(variance) / fmax(mean, 0.01);
}

static void render_block(work *w, int x, int y)
{
    const tlr_picture_def *d = w->def;
    const int all = w->tracer->camera.width;
    const int row = d->bands ? tlr_band_row(y, d->band, d->bands) : y;
    const int width = all - x < TLR_BLOCK ? all - x : TLR_BLOCK;
    const int height = w->rows - y < TLR_BLOCK ? w->rows - y : TLR_BLOCK;
    block b = {.samples = 0};
    while (b.samples < d->samples) {
        const uint32_t left = d->samples - b.samples;
        const uint32_t count = left > PASS ? PASS : left;
        sample_block(w, &b, x, row, width, height, count);
        if (d->noise > 0 && b.samples >= 2 * PASS && block_noise(&b, width * height) < d->noise)
            break;
    }
    for (int k = 0; k < width * height; k++) {
        float *p = w->rgb + 3 * ((size_t)(y + k / width) * (size_t)all + (size_t)(x + k % width));
        for (int i = 0; i < 3; i++)
            p[i] = (float)(b.sum[k][i] / b.samples);
    }
    atomic_fetch_add(&w->taken, (unsigned long long)b.samples * (unsigned)(width * height));
}

static bool stopped(const work *w)
{
    return w->def->stop && *w->def->stop;
}

static void render_tile(void *user, size_t number, bool caller)
{
    work *w = user;
    const int i = (int)number, x0 = i % w->across * w->tile, y0 = i / w->across * w->tile;
    for (int y = y0; y < y0 + w->tile && y < w->rows; y += TLR_BLOCK)
        for (int x = x0; x < x0 + w->tile && x < w->tracer->camera.width; x += TLR_BLOCK) {
            if (stopped(w))
                return;
            render_block(w, x, y);
        }
    const int done = atomic_fetch_add(&w->done, 1) + 1;
    if (caller && w->def->progress)
        w->def->progress(w->def->user, (double)done / (w->across * w->down));
}

int tlr_band_rows(int height, int band, int bands)
{
    const int blocks = (height + TLR_BLOCK - 1) / TLR_BLOCK, left = blocks - 1 - band;
    const int rows = (left / bands + 1) * TLR_BLOCK;
    return left < 0 ? 0 : left % bands ? rows : rows - (blocks * TLR_BLOCK - height);
}

tl_status tlr_picture_render(const tlr_tracer *t, const tlr_picture_def *def, float *rgb,
                             uint64_t *taken)
{
    const int tile = (int)(def->tile ? def->tile : 32) + TLR_BLOCK - 1;
    work w = {.tracer = t, .def = def, .rgb = rgb, .tile = tile - tile % TLR_BLOCK};
    w.rows = def->bands ? tlr_band_rows(t->camera.height, def->band, def->bands) : t->camera.height;
    w.across = (t->camera.width + w.tile - 1) / w.tile;
    w.down = (w.rows + w.tile - 1) / w.tile;
    tlr_share(def->threads, (size_t)(w.across * w.down), render_tile, &w);
    if (taken)
        *taken = atomic_load(&w.taken);
    return stopped(&w) ? (tl_status)1 : TL_OK;
}
