/* Wall-clock time. */
#ifndef TL_BASE_CLOCK_H
#define TL_BASE_CLOCK_H

#include <time.h>

/* ms, from some fixed moment. */
static inline double tl_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ms since *mark, which becomes now. */
static inline double tl_lap(double *mark)
{
    const double now = tl_now(), elapsed = now - *mark;
    *mark = now;
    return elapsed;
}

#endif
