/* What monitors measured, of every step from the first on, in bounded memory: the steps that came
 * last one by one, those before them four by four, those before these sixteen by sixteen, and so
 * on. A row for several steps has the last, the least and the greatest value of each channel, so
 * that a peak of one step is never lost, however long ago it was and however slow a viewer is. The
 * hub has one, which the source fills and the server reads. */
#ifndef TALUS_VIEW_TRACE_H
#define TALUS_VIEW_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TRACE_LEVELS = 16,    /* rows of the last one stand for 4^15 steps */
    TRACE_ROWS = 4096,    /* rows kept on a level, where there are few channels */
    TRACE_LEAST = 64,     /* and where there are very many */
    TRACE_BYTES = 1 << 27 /* of all levels together, unless that is less than the least */
};

/* The numbers of a row: steps done and time (s) at its end, and for each channel the last, the
 * least and the greatest value. */
enum { TRACE_HEAD = 2, TRACE_VALUES = 3 };

typedef struct view_trace {
    size_t channels; /* 0: there is nothing to keep */
    size_t room;     /* rows kept on each level */
    double *levels[TRACE_LEVELS];
    uint64_t count[TRACE_LEVELS]; /* rows that there ever were; row i lies at i % room */
} view_trace;

/* Empties it and makes room. False: no memory, and it keeps nothing. */
bool view_trace_begin(view_trace *trace, size_t channels);
void view_trace_free(view_trace *trace);

/* One more step, with a value (or NaN) for each channel. */
void view_trace_add(view_trace *trace, uint64_t steps, double time, const double *values);

/* How many steps it was given. */
uint64_t view_trace_end(const view_trace *trace);

/* Rows that can be asked for so that they stay while they are copied. */
size_t view_trace_most(const view_trace *trace);

/* The finest level on which the steps from `from` on, counted from 0, are at most `points` rows
 * (and a few of the levels below, for the steps that do not fill a row yet). */
int view_trace_level(const view_trace *trace, uint64_t from, size_t points);

/* The next row from step *from on, on a level or, at both ends, below it; *from moves behind it.
 * Where no row that starts there is kept any more it is one that reaches back. NULL: there is none.
 */
const double *view_trace_next(const view_trace *trace, int level, uint64_t *from);

#endif
