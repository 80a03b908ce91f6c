/* The filter for noise; denoise.h says who calls. What light makes of a surface is smoothed, not
 * the surface's own colour: radiance is divided by the albedo first. */
#include "render/denoise.h"

#include "render/share.h"

#include <string.h>

enum { GUIDE_SAMPLES = 8, PASSES = 4 };

typedef struct sheet {
    const tlr_tracer *tracer;
    int width, height;
    tlr_guide *guides;
    float *from, *to; /* radiance over albedo */
    int pass;
} sheet;

static vec color_at(const sheet *s, int x, int y)
{
    const float *c = s->from + 3 * ((size_t)y * (size_t)s->width + (size_t)x);
    return v3(c[0], c[1], c[2]);
}

static tlr_guide mean_guide(const tlr_tracer *t, int x, int y)
{
    tlr_guide g = {{0, 0, 0}, {0, 0, 0}, 0};
    for (uint32_t i = 0; i < GUIDE_SAMPLES; i++) {
        const tlr_guide one = tlr_path_guide(t, x, y, i);
        g.albedo = v_along(g.albedo, 1.0f / GUIDE_SAMPLES, one.albedo);
        g.normal = v_along(g.normal, 1.0f / GUIDE_SAMPLES, one.normal);
        g.depth += one.depth / GUIDE_SAMPLES;
    }
    return g;
}

static void guide_row(void *user, size_t row, bool caller)
{
    const sheet *s = user;
    (void)caller;
    for (int x = 0; x < s->width; x++)
        s->guides[row * (size_t)s->width + (size_t)x] = mean_guide(s->tracer, x, (int)row);
}

/* A colour of a pixel, where it outshines all pixels around it by half, met a path that is rare and
 * bright: it is dimmed to the brightest of these, or it would leave a spot. */
static void dim_row(void *user, size_t row, bool caller)
{
    const sheet *s = user;
    const int y = (int)row;
    (void)caller;
    for (int x = 0; x < s->width; x++) {
        const vec here = color_at(s, x, y);
        vec most = {0, 0, 0};
        for (int v = y > 0 ? y - 1 : y; v <= y + 1 && v < s->height; v++)
            for (int u = x > 0 ? x - 1 : x; u <= x + 1 && u < s->width; u++) {
                const vec c = u != x || v != y ? color_at(s, u, v) : most;
                most = v3(fmaxf(most.x, c.x), fmaxf(most.y, c.y), fmaxf(most.z, c.z));
            }
        const vec dim =
            v3(here.x > 1.5f * most.x ? most.x : here.x, here.y > 1.5f * most.y ? most.y : here.y,
               here.z > 1.5f * most.z ? most.z : here.z);
        memcpy(s->to + 3 * (row * (size_t)s->width + (size_t)x), &dim, sizeof dim);
    }
}

/* How much two pixels have in common. */
static float alike(const tlr_guide *a, const tlr_guide *b, float step)
{
    const vec n = v_sub(a->normal, b->normal), c = v_sub(a->albedo, b->albedo);
    const float depth =
        fabsf(a->depth - b->depth) / (0.02f * step * fmaxf(a->depth, b->depth) + 1e-6f);
    return expf(-8 * v_dot(n, n) - 100 * v_dot(c, c) - depth);
}

/* One pass with holes of `step` pixels; `width` is how different the light of two pixels may be. */
static void smooth_pixel(const sheet *s, int x, int y, int step, float width)
{
    static const float kernel[3] = {3.0f / 8, 1.0f / 4, 1.0f / 16};
    const size_t at = (size_t)y * (size_t)s->width + (size_t)x;
    const vec here = v3(s->from[3 * at], s->from[3 * at + 1], s->from[3 * at + 2]);
    vec sum = {0, 0, 0};
    float weights = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            const int u = x + i * step, v = y + j * step;
            if (u < 0 || v < 0 || u >= s->width || v >= s->height)
                continue;
            const size_t k = (size_t)v * (size_t)s->width + (size_t)u;
            const vec there = v3(s->from[3 * k], s->from[3 * k + 1], s->from[3 * k + 2]);
            const vec d = v_sub(there, here);
            const float bright = v_luminance(here) + v_luminance(there) + 0.05f;
            const float w = kernel[i < 0 ? -i : i] * kernel[j < 0 ? -j : j] *
                            alike(&s->guides[at], &s->guides[k], (float)step) *
                            expf(-v_dot(d, d) / (width * width * bright * bright));
            sum = v_along(sum, w, there);
            weights += w;
        }
    const vec mean = v_scale(sum, 1 / weights);
    memcpy(s->to + 3 * at, &mean, sizeof mean);
}

static void smooth_row(void *user, size_t row, bool caller)
{
    const sheet *s = user;
    (void)caller;
    for (int x = 0; x < s->width; x++)
        smooth_pixel(s, x, (int)row, 1 << s->pass, 0.8f / (float)(1 << s->pass));
}

static void swap(sheet *s)
{
    float *other = s->from;
    s->from = s->to;
    s->to = other;
}

static void divide(const sheet *s, float *rgb, bool back)
{
    for (size_t i = 0; i < (size_t)s->width * (size_t)s->height; i++) {
        const vec a = v_add(s->guides[i].albedo, v3(0.02f, 0.02f, 0.02f));
        const float albedo[3] = {a.x, a.y, a.z};
        for (int k = 0; k < 3; k++)
            rgb[3 * i + (size_t)k] *= back ? albedo[k] : 1 / albedo[k];
    }
}

tl_status tlr_denoise(const tlr_tracer *t, uint32_t threads, float *rgb)
{
    const size_t rows = (size_t)t->camera.height, pixels = rows * (size_t)t->camera.width;
    float *other = tl_alloc(3 * pixels * sizeof *other);
    sheet s = {.tracer = t,
               .width = t->camera.width,
               .height = t->camera.height,
               .from = rgb,
               .to = other,
               .guides = tl_alloc(pixels * sizeof *s.guides)};
    const tl_status status = s.guides && other ? TL_OK : TL_NO_MEMORY;
    if (status == TL_OK) {
        tlr_share(threads, rows, guide_row, &s);
        divide(&s, rgb, false);
        tlr_share(threads, rows, dim_row, &s);
        swap(&s);
        for (s.pass = 0; s.pass < PASSES; s.pass++, swap(&s))
            tlr_share(threads, rows, smooth_row, &s);
        if (s.from != rgb)
            memcpy(rgb, s.from, 3 * pixels * sizeof *rgb);
        divide(&s, rgb, true);
    }
    tl_free(s.guides, pixels * sizeof *s.guides);
    tl_free(other, 3 * pixels * sizeof *other);
    return status;
}
