/* Curves in a frame with axes and a legend; chart.h says who calls. */
#include "chart.h"
#include "canvas.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 820, HEIGHT = 480, LEFT = 80, TOP = 40, BOTTOM = 56, MOST_LEGEND = 24 };

/* They stay apart for colour-blind eyes (Okabe and Ito). */
static const uint32_t colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                   0xe69f00, 0x56b4e9, 0x000000, 0x999933};
enum { COLOURS = sizeof colours / sizeof *colours };

/* Where a part of the curves is drawn, and which. */
typedef struct area {
    double left, top, width, height;
    double x[2], y[2];
} area;

static double place(const double range[2], double value, double start, double length)
{
    return start + length * (value - range[0]) / (range[1] - range[0]);
}

static void widen(double range[2])
{
    if (!(range[1] > range[0])) {
        const double more = range[0] != 0 ? 0.05 * fabs(range[0]) : 1;
        range[0] -= more;
        range[1] += more;
    }
}

static bool is_seen(const area *a, double x, double y)
{
    return isfinite(x) && isfinite(y) && x >= a->x[0] && x <= a->x[1];
}

/* All of x that is asked for, and what y is there. */
static void find_ranges(const chart *c, area *a, double low, double high)
{
    a->x[0] = isnan(low) ? INFINITY : low;
    a->x[1] = isnan(high) ? -INFINITY : high;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < c->curves[i].count; k++) {
            const double x = c->curves[i].x[k];
            if (!isfinite(x) || !isfinite(c->curves[i].y[k]))
                continue;
            a->x[0] = isnan(low) ? fmin(a->x[0], x) : low;
            a->x[1] = isnan(high) ? fmax(a->x[1], x) : high;
        }
    if (a->x[0] > a->x[1])
        a->x[0] = 0, a->x[1] = 1;
    a->y[0] = INFINITY;
    a->y[1] = -INFINITY;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < c->curves[i].count; k++)
            if (is_seen(a, c->curves[i].x[k], c->curves[i].y[k])) {
                a->y[0] = fmin(a->y[0], c->curves[i].y[k]);
                a->y[1] = fmax(a->y[1], c->curves[i].y[k]);
            }
    if (a->y[0] > a->y[1])
        a->y[0] = 0, a->y[1] = 1;
    widen(a->x);
    widen(a->y);
    const double more = 0.04 * (a->y[1] - a->y[0]);
    a->y[0] -= more;
    a->y[1] += more;
}

/* 1, 2 or 5 times a power of ten, so that there are about `count` of them. */
static double tick_step(const double range[2], int count)
{
    const double rough = (range[1] - range[0]) / count;
    const double power = pow(10, floor(log10(rough)));
    const double part = rough / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void draw_grid(canvas *c, const area *a, bool small)
{
    char text[32];
    const double dx = tick_step(a->x, small ? 4 : 8), dy = tick_step(a->y, small ? 3 : 6);
    for (double i = ceil(a->x[0] / dx); i * dx <= a->x[1] + 1e-9 * dx; i++) {
        const double px = place(a->x, i * dx, a->left, a->width);
        const double line[4] = {px, a->top, px, a->top + a->height};
        canvas_line(c, 2, line, 1, 0xdddddd);
        snprintf(text, sizeof text, "%.6g", i * dx + 0.0);
        canvas_text(c, px, a->top + a->height + 16, text, ANCHOR_MIDDLE, false);
    }
    for (double i = ceil(a->y[0] / dy); i * dy <= a->y[1] + 1e-9 * dy; i++) {
        const double py = place(a->y, i * dy, a->top + a->height, -a->height);
        const double line[4] = {a->left, py, a->left + a->width, py};
        canvas_line(c, 2, line, 1, 0xdddddd);
        snprintf(text, sizeof text, "%.6g", i * dy + 0.0);
        canvas_text(c, a->left - 6, py + 4, text, ANCHOR_END, false);
    }
}

/* The points of a column of half a pixel: first, least, greatest and last, so that a curve of a
 * million points looks as it is. */
typedef struct column {
    double at, first, least, greatest, last;
    size_t count;
} column;

static size_t end_column(const column *o, double *points)
{
    const double ys[4] = {o->first, o->least, o->greatest, o->last};
    size_t made = 0;
    for (int i = 0; i < 4; i++)
        if (!made || ys[i] != points[2 * made - 1]) {
            points[2 * made] = o->at;
            points[2 * made + 1] = ys[i];
            made++;
        }
    return made;
}

/* `points` has room for all of the curve's and four more. */
static void draw_curve(canvas *c, const area *a, const curve *v, double *points, uint32_t colour)
{
    column o = {.count = 0};
    size_t used = 0;
    for (size_t k = 0; k <= v->count; k++) {
        const bool seen = k < v->count && is_seen(a, v->x[k], v->y[k]);
        const double x = seen ? place(a->x, v->x[k], a->left, a->width) : 0;
        const double y = seen ? place(a->y, v->y[k], a->top + a->height, -a->height) : 0;
        if (o.count && (!seen || fabs(x - o.at) > 0.5)) {
            used += end_column(&o, points + 2 * used);
            o.count = 0;
        }
        if (!seen) {
            if (used == 1) { /* a single point */
                points[2] = points[0] + 1;
                points[3] = points[1];
                used = 2;
            }
            if (used)
                canvas_line(c, used, points, 1.5, colour);
            used = 0;
        } else if (!o.count++) {
            o = (column){x, y, y, y, y, 1};
        } else {
            o.least = fmin(o.least, y);
            o.greatest = fmax(o.greatest, y);
            o.last = y;
        }
    }
}

static void draw_marks(canvas *c, const area *a, const curve *v, uint32_t colour)
{
    enum { SIZE = 4 };
    for (size_t k = 0; k < v->count; k++)
        if (is_seen(a, v->x[k], v->y[k]))
            canvas_box(c, place(a->x, v->x[k], a->left, a->width) - SIZE / 2,
                       place(a->y, v->y[k], a->top + a->height, -a->height) - SIZE / 2, SIZE, SIZE,
                       colour, colour);
}

static bool draw_area(canvas *c, const chart *of, const area *a, bool small)
{
    size_t most = 0;
    for (size_t i = 0; i < of->count; i++)
        most = of->curves[i].count > most ? of->curves[i].count : most;
    double *points = malloc((2 * most + 16) * 4 * sizeof *points);
    if (!points)
        return false;
    canvas_box(c, a->left, a->top, a->width, a->height, 0xffffff, 0x888888);
    draw_grid(c, a, small);
    for (size_t i = 0; i < of->count; i++)
        draw_curve(c, a, &of->curves[i], points, colours[i % COLOURS]);
    for (size_t i = 0; of->marks && i < of->count; i++)
        draw_marks(c, a, &of->curves[i], colours[i % COLOURS]);
    free(points);
    return true;
}

static void draw_legend(canvas *c, const chart *of, double x)
{
    char more[64];
    const size_t shown = of->count > MOST_LEGEND ? MOST_LEGEND - 1 : of->count;
    for (size_t i = 0; i < shown; i++) {
        const double y = TOP + 8 + 16 * (double)i;
        const double line[4] = {x, y, x + 18, y};
        canvas_line(c, 2, line, 2, colours[i % COLOURS]);
        canvas_text(c, x + 24, y + 4, of->curves[i].name, ANCHOR_START, false);
    }
    if (shown < of->count) {
        snprintf(more, sizeof more, "and %zu more", of->count - shown);
        canvas_text(c, x + 24, TOP + 12 + 16 * (double)shown, more, ANCHOR_START, false);
    }
}

/* A close-up in the quarter of the frame where it hides least: the upper right. */
static bool draw_inset(canvas *c, const chart *of, const area *whole)
{
    if (isnan(of->inset[0]))
        return true;
    area a = {.left = whole->left + 0.58 * whole->width,
              .top = whole->top + 14,
              .width = 0.38 * whole->width,
              .height = 0.36 * whole->height};
    find_ranges(of, &a, of->inset[0], of->inset[1]);
    canvas_box(c, a.left - 62, a.top - 8, a.width + 70, a.height + 32, 0xffffff, 0xffffff);
    return draw_area(c, of, &a, true);
}

static bool draw(canvas *c, const chart *of)
{
    double widest = 0;
    for (size_t i = 0; i < of->count && i < MOST_LEGEND; i++)
        widest = fmax(widest, canvas_text_width(of->curves[i].name));
    const bool legend = of->count > 1 || (of->count && of->curves[0].name[0]);
    area a = {.left = LEFT,
              .top = TOP,
              .width = WIDTH - LEFT - 24 - (legend ? fmin(widest, 260) + 40 : 0),
              .height = HEIGHT - TOP - BOTTOM};
    find_ranges(of, &a, of->low, of->high);
    if (!draw_area(c, of, &a, false) || !draw_inset(c, of, &a))
        return false;
    if (of->title && *of->title)
        canvas_text(c, a.left + a.width / 2, 24, of->title, ANCHOR_MIDDLE, false);
    canvas_text(c, a.left + a.width / 2, HEIGHT - 16, of->x_label, ANCHOR_MIDDLE, false);
    canvas_text(c, 18, a.top + a.height / 2, of->y_label, ANCHOR_MIDDLE, true);
    if (legend)
        draw_legend(c, of, a.left + a.width + 14);
    return true;
}

bool chart_write(const chart *c, const char *path)
{
    canvas drawing;
    if (!canvas_open(&drawing, path, WIDTH, HEIGHT))
        return false;
    const bool drawn = draw(&drawing, c);
    return canvas_close(&drawing) && drawn;
}
