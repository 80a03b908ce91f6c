/* Every step of monitors in bounded memory. See view/trace.h. */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHIFT = 2, RATIO = 1 << SHIFT };

static size_t width(const view_trace *t)
{
    return TRACE_HEAD + TRACE_VALUES * t->channels;
}

void view_trace_free(view_trace *t)
{
    for (int i = 0; i < TRACE_LEVELS; i++) {
        free(t->levels[i]);
    }
    *t = (view_trace){0};
}

bool view_trace_begin(view_trace *t, size_t channels)
{
    if (channels != t->channels) {
        view_trace_free(t);
        t->channels = channels;
    }
    memset(t->count, 0, sizeof t->count);
    const size_t bytes = width(t) * sizeof(double);
    size_t room = TRACE_BYTES / TRACE_LEVELS / bytes;
    room = room > TRACE_ROWS ? TRACE_ROWS : room < TRACE_LEAST ? TRACE_LEAST : room;
    t->room = room;
    for (int i = 0; i < TRACE_LEVELS && channels; i++) { /* pages are taken as they fill */
        if (!t->levels[i] && !(t->levels[i] = malloc(room * bytes))) {
            view_trace_free(t);
            return false;
        }
    }
    return true;
}

static double *row_of(const view_trace *t, int level, uint64_t row)
{
    return t->levels[level] + (row % t->room) * width(t);
}

/* The last rows of a level as one of the next. */
static void fold(view_trace *t, int level)
{
    double *out = row_of(t, level + 1, t->count[level + 1]++);
    const uint64_t first = t->count[level] - RATIO;
    memcpy(out, row_of(t, level, first), width(t) * sizeof *out);
    for (uint64_t k = 1; k < RATIO; k++) {
        const double *in = row_of(t, level, first + k);
        memcpy(out, in, TRACE_HEAD * sizeof *out);
        for (size_t c = TRACE_HEAD; c < width(t); c += TRACE_VALUES) {
            out[c] = in[c];
            out[c + 1] = fmin(out[c + 1], in[c + 1]); /* of a number and NaN, the number */
            out[c + 2] = fmax(out[c + 2], in[c + 2]);
        }
    }
}

void view_trace_add(view_trace *t, uint64_t steps, double time, const double *values)
{
    if (!t->channels) {
        return;
    }
    double *row = row_of(t, 0, t->count[0]++);
    row[0] = (double)steps;
    row[1] = time;
    for (size_t c = 0; c < t->channels; c++) {
        double *out = row + TRACE_HEAD + TRACE_VALUES * c;
        out[0] = out[1] = out[2] = values[c];
    }
    for (int level = 0; level + 1 < TRACE_LEVELS && t->count[level] % RATIO == 0; level++) {
        fold(t, level);
    }
}

uint64_t view_trace_end(const view_trace *t)
{
    return t->count[0];
}

size_t view_trace_most(const view_trace *t)
{
    return t->room / 2;
}

int view_trace_level(const view_trace *t, uint64_t from, size_t points)
{
    const uint64_t steps = from < t->count[0] ? t->count[0] - from : 0;
    int level = 0;
    while (level + 1 < TRACE_LEVELS && steps >> (SHIFT * level) > points) {
        level++;
    }
    return level;
}

const double *view_trace_next(const view_trace *t, int level, uint64_t *from)
{
    int found = -1; /* the coarsest that starts there; else the finest that holds it */
    for (; level >= 0; level--) {
        const uint64_t row = *from >> (SHIFT * level);
        if (row < t->count[level] && row + t->room >= t->count[level]) {
            found = level;
            if (row << (SHIFT * level) == *from) {
                break;
            }
        }
    }
    if (found < 0) {
        return NULL;
    }
    const uint64_t row = *from >> (SHIFT * found);
    *from = (row + 1) << (SHIFT * found);
    return row_of(t, found, row);
}
