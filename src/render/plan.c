/* What a job would take: some pictures with few samples, and the rest by proportion. The command's
 * --plan calls. */
#include "render/job.h"

#include <time.h>

enum { PROBES = 3, FEW = 2 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* s, of one picture: to read and build it, and to draw it. */
static tl_status probe(tlr_work *w, uint64_t picture, double *build, double *draw)
{
    const tlr_look *l = w->show.look;
    const double time = tlr_work_time(w, picture), start = now();
    tlr_tracer tracer;
    TL_TRY(tlr_show_read(&w->show, time, w->open));
    TL_TRY(tlr_show_set(&w->show, time, (double)picture / l->fps, (uint32_t)picture, &tracer));
    *build = now() - start;
    const tlr_picture_def def = {
        .threads = w->job->threads, .tile = w->job->tile, .samples = FEW, .stop = w->job->stop};
    const double begin = now();
    const tl_status status = tlr_picture_render(&tracer, &def, w->radiance, NULL);
    *draw = (now() - begin) * (double)l->samples / FEW;
    return status;
}

/* s, until the last worker is done; pictures go to workers as do_units() deals them out. */
static double elapsed(uint64_t pictures, uint32_t bands, uint32_t workers,
                      const double build[PROBES], const double draw[PROBES], double *work)
{
    double longest = 0;
    const uint64_t units = pictures * bands;
    *work = 0;
    for (uint64_t k = 0; k < workers && k < units; k++) {
        double sum = 0;
        for (uint64_t i = k; i < units; i += workers) {
            const double at = pictures > 1 ? (double)(i / bands) / (double)(pictures - 1) : 0;
            const double x = at * (PROBES - 1);
            const int j = x >= PROBES - 1 ? PROBES - 2 : (int)x;
            const double t = x - j;
            sum += (1 - t) * build[j] + t * build[j + 1] +
                   ((1 - t) * draw[j] + t * draw[j + 1]) / bands;
        }
        longest = sum > longest ? sum : longest;
        *work += sum;
    }
    return longest;
}

tl_status tlr_job_plan(const tlr_job *job, uint32_t workers, tlr_plan *plan)
{
    tlr_work w;
    double build[PROBES], draw[PROBES], work;
    *plan = (tlr_plan){.workers = workers};
    tl_status status = tlr_work_open(job, &w);
    plan->pictures = w.pictures;
    for (int i = 0; i < PROBES && status == TL_OK; i++)
        status = probe(&w, (w.pictures - 1) * (uint64_t)i / (PROBES - 1), &build[i], &draw[i]);
    if (status == TL_OK) {
        plan->elapsed = INFINITY;
        plan->seconds = elapsed(w.pictures, 1, 1, build, draw, &work);
        for (int tiles = 0; tiles < 2; tiles++) { /* whole pictures, and what --by tiles makes */
            const uint32_t bands = tiles ? tlr_work_bands(&w, workers) : 1;
            const double t = elapsed(w.pictures, bands, workers, build, draw, &work);
            if (t < 0.98 * plan->elapsed) {
                plan->elapsed = t;
                plan->bands = bands;
                plan->busy = t > 0 ? work / (t * workers) : 1;
            }
        }
    }
    tlr_work_close(&w);
    return status;
}
