/* Lines, boxes and texts as SVG or PNG, by the name of the file. chart.c draws on it. Coordinates
 * are those of SVG: pixels from the upper left corner; a PNG has two pixels for each. */
#ifndef TALUS_CANVAS_H
#define TALUS_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct canvas {
    FILE *file;
    unsigned char *pixels; /* of a PNG: rows of red, green, blue; NULL for SVG */
    int width, height;     /* of the drawing, not of the PNG */
} canvas;

typedef enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END } anchor;

/* Whether a name ends in .svg or .png. */
bool canvas_knows(const char *path);

/* Starts a drawing; false where the file cannot be written (errno says why) or memory ran out. */
bool canvas_open(canvas *c, const char *path, int width, int height);

/* Points x, y one after the other, joined by a line. Colours are 0xrrggbb. */
void canvas_line(canvas *c, size_t count, const double *points, double width, uint32_t colour);

/* A box with a border of one pixel. */
void canvas_box(canvas *c, double x, double y, double width, double height, uint32_t fill,
                uint32_t border);

/* A text on the line y; `upwards` turns it by a quarter. */
void canvas_text(canvas *c, double x, double y, const char *text, anchor at, bool upwards);

/* About how wide a text is. */
double canvas_text_width(const char *text);

/* Writes what is left and closes the file; false where that failed. */
bool canvas_close(canvas *c);

#endif
