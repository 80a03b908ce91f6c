/* How long a run is: its steps and frames, and the size of its result. Used by check, run, resume
 * and view. */
#ifndef TALUS_PLAN_H
#define TALUS_PLAN_H

#include "command.h"

typedef struct plan {
    double steps, frames; /* whole numbers */
    double bytes;         /* of the result, without contacts and compression: about */
} plan;

/* Whether a run from `start` (s) to `until` may have a step: it is not longer than the run, and not
 * so short that time would not advance. Otherwise `why` (a text of `room` bytes) says what is
 * wrong; `end` is what gave the end of the run, "duration" or "--until". */
bool plan_allows(double start, double until, double step, const char *end, char *why, size_t room);

/* The steps that lead from `start` (s) to `until`. Refuses, told, a step that is longer than the
 * run, and one so short that time would not advance; `asked` says whether the command line gave the
 * end of the run. Returns an exit code. */
int plan_steps(const char *file, double start, double until, double step, bool asked,
               double *steps);

/* The plan of a scene with so many moving bodies. Returns an exit code. */
int plan_scene(const options *given, const tl_document *document, size_t moving, plan *out);

/* Writes a number of bytes as "3.2 GB". */
void write_bytes(double bytes, char *text, size_t room);

#endif
