/* Pictures in bytes, and what stands on them; overlay.h says who calls. */
#include "render/overlay.h"

#include "base/glyphs.h"

#include <stdio.h>
#include <string.h>

typedef struct sheet {
    int width, height; /* of the whole picture */
    int first, rows;   /* the rows that are here */
    int scale;         /* pixels per dot of a letter */
    unsigned char *rgb;
} sheet;

static unsigned char byte_of(float c)
{
    const float x = fminf(fmaxf(c, 0), 1);
    const float s = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
    return (unsigned char)(255 * s + 0.5f);
}

/* Narkowicz's fit to the curve of film: bright light fades to white, shadows stay. */
static float film(float x)
{
    return x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f);
}

void tlr_overlay_develop(const tlr_look *look, size_t pixels, const float *radiance,
                         unsigned char *rgb)
{
    for (size_t i = 0; i < 3 * pixels; i++) {
        const float c = (float)look->exposure * radiance[i];
        rgb[i] = byte_of(look->tone ? film(c) : c);
    }
}

/* --- drawing --- */

static void blend(const sheet *s, int x, int y, const unsigned char color[3], int part)
{
    if (x < 0 || x >= s->width || y < s->first || y >= s->first + s->rows)
        return;
    unsigned char *p = s->rgb + 3 * ((size_t)(y - s->first) * (size_t)s->width + (size_t)x);
    for (int k = 0; k < 3; k++)
        p[k] = (unsigned char)((p[k] * (255 - part) + color[k] * part + 127) / 255);
}

static void fill(const sheet *s, int x, int y, int width, int height, const unsigned char color[3],
                 int part)
{
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++)
            blend(s, x + i, y + j, color, part);
}

static int text_width(const sheet *s, const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return 6 * s->scale * count;
}

/* Dark letters on a pale ground, which can be read on everything. */
static void write_text(const sheet *s, int x, int y, const char *text)
{
    static const unsigned char dark[3] = {30, 32, 36}, pale[3] = {255, 255, 255};
    const int dot = s->scale;
    fill(s, x - 2 * dot, y - 2 * dot, text_width(s, text) + 3 * dot, 11 * dot, pale, 150);
    for (; *text; text++) {
        if (((unsigned char)*text & 0xc0) == 0x80)
            continue;
        const unsigned char *glyph = tl_glyph((unsigned char)*text);
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 7; k++)
                if (glyph[i] >> k & 1)
                    fill(s, x + i * dot, y + k * dot, dot, dot, dark, 255);
        x += 6 * dot;
    }
}

/* --- parts --- */

static void draw_legend(const tlr_show *show, const sheet *s)
{
    static const unsigned char dark[3] = {30, 32, 36};
    const tlr_coloring *c = &show->coloring;
    const int dot = s->scale, height = s->height / 3, width = 6 * dot;
    const int x = s->width - 60 * dot, y = (s->height - height) / 2;
    fill(s, x - dot, y - dot, width + 2 * dot, height + 2 * dot, dark, 255);
    for (int j = 0; j < height; j++) {
        const uint32_t color =
            tlr_map_color(show->look->color.map, 1 - (double)j / (height > 1 ? height - 1 : 1));
        const unsigned char bytes[3] = {(unsigned char)(color >> 16), (unsigned char)(color >> 8),
                                        (unsigned char)color};
        fill(s, x, y + j, width, 1, bytes, 255);
    }
    for (int i = 0; i <= 2; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.3g", c->range[0] + 0.5 * i * (c->range[1] - c->range[0]));
        write_text(s, x + width + 4 * dot, y + height - i * height / 2 - 3 * dot, text);
    }
    write_text(s, x + width - text_width(s, show->look->color.by), y - 14 * dot,
               show->look->color.by);
}

/* A bar of 1, 2 or 5 times a power of ten, as long as it is at the distance of the focus. */
static void draw_scale(const tlr_camera *camera, const sheet *s)
{
    static const unsigned char dark[3] = {30, 32, 36}, pale[3] = {255, 255, 255};
    const double view = camera->orthographic ? 1 : camera->focus;
    const double pixel = 2 * camera->half_height * view / camera->height;
    double length = pow(10, floor(log10(0.2 * s->width * pixel)));
    if (length * 5 <= 0.2 * s->width * pixel)
        length *= 5;
    else if (length * 2 <= 0.2 * s->width * pixel)
        length *= 2;
    const int dot = s->scale, width = (int)lround(length / pixel);
    const int x = s->width - 10 * dot - width, y = s->height - 12 * dot;
    char text[32];
    if (length >= 1)
        snprintf(text, sizeof text, "%g m", length);
    else
        snprintf(text, sizeof text, "%g mm", 1000 * length);
    fill(s, x - dot, y - dot, width + 2 * dot, 4 * dot, pale, 255);
    fill(s, x, y, width, 2 * dot, dark, 255);
    write_text(s, x + width - text_width(s, text), y - 14 * dot, text);
}

void tlr_overlay_draw(const tlr_show *show, const tlr_camera *camera, double time, int first,
                      int rows, unsigned char *rgb)
{
    const tlr_look *l = show->look;
    sheet s = {.width = camera->width, .height = camera->height, .first = first, .rows = rows};
    s.rgb = rgb;
    s.scale = camera->height < 360 ? 1 : camera->height / 360;
    if (*l->title)
        write_text(&s, 10 * s.scale, 10 * s.scale, l->title);
    if (l->clock) {
        char text[48];
        snprintf(text, sizeof text, "t = %.3f s", time);
        write_text(&s, 10 * s.scale, s.height - 18 * s.scale, text);
    }
    if (l->color.legend && show->coloring.by_value)
        draw_legend(show, &s);
    if (l->scale_bar)
        draw_scale(camera, &s);
}
