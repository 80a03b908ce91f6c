/* Curves in a frame with axes and a legend. plot.c and sweep.c draw them. */
#ifndef TALUS_CHART_H
#define TALUS_CHART_H

#include <stdbool.h>
#include <stddef.h>

/* A curve; values that are no numbers are gaps. */
typedef struct curve {
    char name[96];
    size_t count;
    double *x, *y;
} curve;

typedef struct chart {
    const char *title; /* NULL or "": none */
    const char *x_label, *y_label;
    size_t count;
    const curve *curves;
    double low, high; /* of x; NAN: all there is */
    double inset[2];  /* a close-up of this part of x; NAN: none */
    bool marks;       /* marks each point: where curves have few */
} chart;

/* Writes an .svg or .png. False, with errno, where that failed. */
bool chart_write(const chart *c, const char *path);

#endif
