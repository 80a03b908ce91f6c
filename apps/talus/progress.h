/* The progress of a run on standard error: one line that is rewritten on a terminal, a line every
 * few seconds elsewhere. Reads reports only, so that it cannot change what is computed. Called by
 * session.c. */
#ifndef TALUS_PROGRESS_H
#define TALUS_PROGRESS_H

#include <talus/talus.h>

typedef struct progress {
    bool silent;
    bool terminal;
    bool shown;         /* a line stands on the terminal */
    double until, step; /* s */
    double radius;      /* m, for overlaps; 0: not known */
    double last;        /* s, wall clock, of the last line */
    uint64_t last_steps;
    double rate; /* steps per second, lately */
} progress;

/* s, of a clock that never goes back. */
double wall_clock(void);

/* Starts with the state that the run starts from. */
void progress_start(progress *p, bool silent, uint64_t steps, double until, double step,
                    double radius);

/* Shows a report, if it is time to. */
void progress_step(progress *p, const tl_report *report);

/* Ends the line of the terminal, so that messages can follow. */
void progress_end(progress *p);

/* Writes seconds as 1:02:03 or 2:03. */
void write_duration(double seconds, char *text, size_t room);

#endif
