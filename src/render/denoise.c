/* The filter for noise; denoise.h says who calls. What light makes of a surface is smoothed, not
 * the surface's own colour: radiance is divided by the albedo first. */
#include "render/denoise.h"

#include <string.h>

enum { GUIDE_SAMPLES = 8, PASSES = 4 };

typedef struct sheet {
    int width, height;
    tlr_guide *guides;
    float *from, *to; /* radiance over albedo */
} sheet;

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

static void smooth(sheet *s)
{
    for (int pass = 0; pass < PASSES; pass++) {
        for (int y = 0; y < s->height; y++)
            for (int x = 0; x < s->width; x++)
                smooth_pixel(s, x, y, 1 << pass, 0.8f / (float)(1 << pass));
        float *other = s->from;
        s->from = s->to;
        s->to = other;
    }
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

tl_status tlr_denoise(const tlr_tracer *t, float *rgb)
{
    const int width = t->camera.width, height = t->camera.height;
    const size_t pixels = (size_t)width * (size_t)height;
    float *other = tl_alloc(3 * pixels * sizeof *other);
    sheet s = {.width = width, .height = height, .from = rgb, .to = other};
    s.guides = tl_alloc(pixels * sizeof *s.guides);
    const tl_status status = s.guides && other ? TL_OK : TL_NO_MEMORY;
    if (status == TL_OK) {
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                s.guides[(size_t)y * (size_t)width + (size_t)x] = mean_guide(t, x, y);
        divide(&s, rgb, false);
        smooth(&s); /* an even number of passes: what is smooth is in rgb again */
        divide(&s, rgb, true);
    }
    tl_free(s.guides, pixels * sizeof *s.guides);
    tl_free(other, 3 * pixels * sizeof *other);
    return status;
}
