/* Progress lines; progress.h says who calls. */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double terminal_interval = 0.2, plain_interval = 5; /* s */

double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_start(progress *p, bool silent, uint64_t steps, double until, double step,
                    double radius)
{
    const char *kind = getenv("TERM");
    *p = (progress){.silent = silent,
                    .terminal = isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0,
                    .until = until,
                    .step = step,
                    .radius = radius,
                    .last = wall_clock(),
                    .last_steps = steps};
}

void write_duration(double seconds, char *text, size_t room)
{
    if (!(seconds < 1e7)) {
        snprintf(text, room, "very long");
        return;
    }
    const long s = lround(seconds), h = s / 3600;
    if (h)
        snprintf(text, room, "%ld:%02ld:%02ld", h, s / 60 % 60, s % 60);
    else
        snprintf(text, room, "%ld:%02ld", s / 60, s % 60);
}

/* How many letters a line of the terminal may have. */
static size_t terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        return size.ws_col - 1u;
    return 79;
}

/* Prints as many whole fields as fit. */
static void print_fields(progress *p, const char fields[][48], size_t count)
{
    char line[512];
    size_t length = 0;
    const size_t width = p->terminal ? terminal_width() : sizeof line - 1;
    for (size_t i = 0; i < count; i++) {
        const size_t more = strlen(fields[i]) + (length ? 2 : 0);
        if (length + more > width || length + more >= sizeof line)
            break;
        length += (size_t)snprintf(line + length, sizeof line - length, "%s%s", length ? "  " : "",
                                   fields[i]);
    }
    line[length] = 0;
    if (p->terminal)
        fprintf(stderr, "\r%s\033[K", line);
    else
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
    p->shown = true;
}

void progress_step(progress *p, const tl_report *report)
{
    if (p->silent)
        return;
    const double now = wall_clock(), elapsed = now - p->last;
    if (elapsed < (p->terminal ? terminal_interval : plain_interval))
        return;
    const double rate = (double)(report->steps - p->last_steps) / elapsed;
    p->rate = p->rate > 0 ? 0.7 * p->rate + 0.3 * rate : rate; /* jumps less than the last moment */
    p->last = now;
    p->last_steps = report->steps;
    const double left = fmax(p->until - report->time, 0) / p->step;
    char fields[8][48], eta[32];
    size_t n = 0;
    write_duration(left / p->rate, eta, sizeof eta);
    snprintf(fields[n++], sizeof *fields, "t = %.3f of %g s", report->time, p->until);
    snprintf(fields[n++], sizeof *fields, "%.0f %%", 100 * fmin(report->time / p->until, 1));
    snprintf(fields[n++], sizeof *fields, "ETA %s", eta);
    snprintf(fields[n++], sizeof *fields, p->rate < 10 ? "%.2f steps/s" : "%.0f steps/s", p->rate);
    snprintf(fields[n++], sizeof *fields, "%u bodies", report->bodies);
    snprintf(fields[n++], sizeof *fields, "%u contacts", report->contacts);
    snprintf(fields[n++], sizeof *fields, "residual %.1e m/s", report->residual);
    if (p->radius > 0)
        snprintf(fields[n++], sizeof *fields, "overlap %.2g %%",
                 100 * report->max_penetration / p->radius);
    print_fields(p, (const char(*)[48])fields, n);
}

void progress_end(progress *p)
{
    if (p->shown && p->terminal)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
