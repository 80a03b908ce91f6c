/* Tiles over threads; picture.h says who calls. */
#include "render/picture.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { PASS = TLR_PACKET }; /* samples between two looks at the noise */

typedef struct work {
    const tlr_tracer *tracer;
    const tlr_picture_def *def;
    float *rgb;
    int rows, across, down; /* rows of the picture, tiles */
    int tile;               /* pixels */
    atomic_int next;        /* tile */
    atomic_int done;
    atomic_ullong taken;
} work;

/* Sums of the samples of a block's pixels. */
typedef struct block {
    double sum[TLR_BLOCK * TLR_BLOCK][3];
    double square[TLR_BLOCK * TLR_BLOCK]; /* of the luminance */
    uint32_t samples;
} block;

/* Adds samples to all pixels of a block whose upper left corner is x, y. */
static void sample_block(const work *w, block *b, int x, int y, int width, int height,
                         uint32_t count)
{
    for (int k = 0; k < width * height; k++) {
        double *sum = b->sum[k];
        vec light[TLR_PACKET];
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t left = count - i, j = i % TLR_PACKET;
            if (j == 0)
                tlr_path_samples(w->tracer, x + k % width, y + k / width, b->samples + i,
                                 left < TLR_PACKET ? left : TLR_PACKET, light);
            const double l = v_luminance(light[j]);
            sum[0] += light[j].x;
            sum[1] += light[j].y;
            sum[2] += light[j].z;
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
    const int first = d->first_row, all = w->tracer->camera.width;
    const int width = all - x < TLR_BLOCK ? all - x : TLR_BLOCK;
    const int height = w->rows - y < TLR_BLOCK ? w->rows - y : TLR_BLOCK;
    block b = {.samples = 0};
    while (b.samples < d->samples) {
        const uint32_t left = d->samples - b.samples;
        const uint32_t count = d->noise > 0 && left > PASS ? PASS : left;
        sample_block(w, &b, x, first + y, width, height, count);
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

static void render_tiles(work *w, bool tells)
{
    const int tiles = w->across * w->down;
    for (int i; (i = atomic_fetch_add(&w->next, 1)) < tiles;) {
        const int x0 = i % w->across * w->tile, y0 = i / w->across * w->tile;
        for (int y = y0; y < y0 + w->tile && y < w->rows; y += TLR_BLOCK)
            for (int x = x0; x < x0 + w->tile && x < w->tracer->camera.width; x += TLR_BLOCK) {
                if (stopped(w))
                    return;
                render_block(w, x, y);
            }
        const int done = atomic_fetch_add(&w->done, 1) + 1;
        if (tells && w->def->progress)
            w->def->progress(w->def->user, (double)done / tiles);
    }
}

static void *help(void *user)
{
    render_tiles(user, false);
    return NULL;
}

tl_status tlr_picture_render(const tlr_tracer *t, const tlr_picture_def *def, float *rgb,
                             uint64_t *taken)
{
    enum { MOST = 1024 };
    pthread_t helpers[MOST];
    const int tile = (int)(def->tile ? def->tile : 32) + TLR_BLOCK - 1;
    work w = {.tracer = t, .def = def, .rgb = rgb, .tile = tile - tile % TLR_BLOCK};
    w.rows = def->row_count ? def->row_count : t->camera.height;
    w.across = (t->camera.width + w.tile - 1) / w.tile;
    w.down = (w.rows + w.tile - 1) / w.tile;
    const long there = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t threads = def->threads ? def->threads : there > 0 ? (uint32_t)there : 1;
    uint32_t count = 0;
    while (count + 1 < threads && count < MOST &&
           pthread_create(&helpers[count], NULL, help, &w) == 0)
        count++;
    render_tiles(&w, true);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(helpers[i], NULL);
    if (taken)
        *taken = atomic_load(&w.taken);
    return stopped(&w) ? (tl_status)1 : TL_OK;
}
