/* Jobs: pictures of a result, one after the other, each whole or not there; job.h says what the
 * other files do. */
#include "render/job.h"

#include "io/load.h"
#include "render/denoise.h"
#include "render/exr.h"
#include "render/movie.h"
#include "render/overlay.h"
#include "render/rib.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool ends_in(const char *path, const char *end)
{
    const size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void tlr_job_folder(const char *output, char *folder, size_t room)
{
    const size_t length = strlen(output);
    if (tlr_movie_knows(output))
        snprintf(folder, room, "%s.frames", output);
    else
        snprintf(folder, room, "%.*s",
                 (int)(length > 1 && output[length - 1] == '/' ? length - 1 : length), output);
}

/* --- opening --- */

/* Each part gets four bands or a few more, so that as many as can be have equally many; everybody
 * comes to the same number. */
uint32_t tlr_work_bands(const tlr_work *w, uint32_t parts)
{
    const uint64_t most = (uint64_t)(w->show.look->size[1] + TLR_BLOCK - 1) / TLR_BLOCK;
    const uint64_t wanted = (4 * (uint64_t)parts + w->pictures - 1) / w->pictures;
    const uint64_t first = wanted < 1 ? 1 : wanted > most ? most : wanted;
    uint64_t best = first;
    double least = INFINITY;
    for (uint64_t bands = first; bands <= 2 * first && bands <= most && parts; bands++) {
        const uint64_t units = w->pictures * bands, rounds = (units + parts - 1) / parts;
        const double time = (double)rounds * parts / (double)units; /* over that of busy parts */
        if (time < least - 1e-9) {
            least = time;
            best = bands;
        }
    }
    return (uint32_t)best;
}

/* A single picture is of a time that was recorded; "0.6" may stand for 0.6000000001. */
static tl_status check_at(const tlr_work *w)
{
    const tlr_replay *r = &w->show.replay;
    const double at = w->job->at, first = r->times[0], last = r->times[r->info.frames - 1];
    const double little = 1e-9 + 1e-6 * fmax(fabs(first), fabs(last));
    if (isnan(at) || (at >= first - little && at <= last + little))
        return TL_OK;
    return tl_fail(TL_BAD_ARGUMENT,
                   "render: nothing of %s lies at %g s; its frames go from %g to %g s", r->path, at,
                   first, last);
}

tl_status tlr_work_open(const tlr_job *job, tlr_work *w)
{
    *w = (tlr_work){.job = job, .pictures = 1, .inject.item = 1};
    if (job->inject)
        TL_TRY(tl_load(job->inject, 1 << 30, &w->inject));
    TL_TRY(tlr_show_open(job->result, job->look, job->plugin, job->threads, job->follow, &w->show));
    const tlr_look *l = job->look;
    w->step = l->speed / l->fps;
    w->open = l->shutter * w->step;
    const bool single = ends_in(job->output, ".png");
    if (single)
        TL_TRY(check_at(w));
    else
        w->pictures = (uint64_t)floor((w->show.to - w->show.from) / w->step + 1e-9) + 1;
    if (w->pictures > 10000000)
        return tl_fail(TL_TOO_LARGE, "render: that is %llu pictures; there may be 10,000,000",
                       (unsigned long long)w->pictures);
    w->bands = job->tiles ? tlr_work_bands(w, job->parts) : 1;
    if ((l->denoise || job->exr) && w->bands > 1)
        return tl_fail(TL_BAD_ARGUMENT,
                       "render: %s needs whole pictures; --by frames deals these out",
                       job->exr ? "--exr" : "denoise");
    tlr_job_folder(job->output, w->folder, sizeof w->folder);
    w->pixels = (size_t)l->size[0] * (size_t)l->size[1];
    w->radiance = tl_alloc(3 * w->pixels * sizeof(float));
    w->rgb = tl_alloc(3 * w->pixels);
    return w->radiance && w->rgb ? TL_OK : TL_NO_MEMORY;
}

void tlr_work_close(tlr_work *w)
{
    tl_free(w->radiance, 3 * w->pixels * sizeof(float));
    tl_free(w->rgb, 3 * w->pixels);
    tl_array_free(&w->inject);
    tlr_show_close(&w->show);
}

double tlr_work_time(const tlr_work *w, uint64_t picture)
{
    if (ends_in(w->job->output, ".png"))
        return isnan(w->job->at) ? w->show.to : w->job->at;
    return w->show.from + (double)picture * w->step;
}

void tlr_work_path(const tlr_work *w, uint64_t picture, uint32_t band, uint32_t bands, char *path,
                   size_t room)
{
    const char *what = w->job->numbers ? "numbers" : "frame";
    if (ends_in(w->job->output, ".png"))
        snprintf(path, room, "%s", w->job->output);
    else if (bands <= 1)
        snprintf(path, room, "%s/%s_%06llu.png", w->folder, what, (unsigned long long)picture);
    else
        snprintf(path, room, "%s/%s_%06llu_rows_%uof%u.png", w->folder, what,
                 (unsigned long long)picture, band + 1, bands);
}

/* --- keys --- */

/* What the picture depends on besides the bodies. */
static uint64_t hash_settings(const tlr_work *w, uint64_t h, const tlr_camera *c, double time,
                              uint64_t picture)
{
    const tlr_look *l = w->show.look;
    const double numbers[] = {time,
                              w->open,
                              l->noise,
                              l->exposure,
                              w->show.coloring.range[0],
                              w->show.coloring.range[1],
                              c->half_height,
                              c->lens,
                              c->focus,
                              c->orthographic,
                              w->show.radius,
                              l->clock,
                              l->scale_bar,
                              l->color.legend,
                              l->denoise,
                              w->job->numbers};
    const int64_t counts[] = {l->size[0], l->size[1], l->samples,
                              l->bounces, l->seed,    (int64_t)picture};
    const vec pose[] = {c->eye, c->right, c->up};
    h = tlr_hash(h, numbers, sizeof numbers);
    h = tlr_hash(h, counts, sizeof counts);
    h = tlr_hash(h, pose, sizeof pose);
    h = tlr_hash(h, w->show.middle, sizeof w->show.middle);
    h = tlr_hash(h, l->color.by, strlen(l->color.by));
    return tlr_hash(h, l->title, strlen(l->title));
}

tl_status tlr_work_key(tlr_work *w, uint64_t picture, char key[TLR_KEY])
{
    const double time = tlr_work_time(w, picture);
    tlr_camera camera;
    TL_TRY(tlr_show_read(&w->show, time, w->open));
    TL_TRY(tlr_view_camera(&w->show, time, (double)picture / w->show.look->fps, &camera));
    const uint64_t h = hash_settings(w, tlr_show_hash(&w->show), &camera, time, picture);
    snprintf(key, TLR_KEY, "%016llx", (unsigned long long)h);
    return TL_OK;
}

/* --- drawing --- */

static void tell(void *user, double part)
{
    tlr_work *w = user;
    w->progress.part = part;
    if (w->job->progress)
        w->job->progress(w->job->user, &w->progress);
}

/* Numbers of bodies as 24-bit colours. */
static void draw_numbers(const tlr_tracer *t, int band, int bands, unsigned char *rgb)
{
    const int rows = tlr_band_rows(t->camera.height, band, bands);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < t->camera.width; x++) {
            const uint32_t n = tlr_path_number(t, x, tlr_band_row(y, band, bands));
            unsigned char *p = rgb + 3 * ((size_t)y * (size_t)t->camera.width + (size_t)x);
            p[0] = (unsigned char)(n >> 16);
            p[1] = (unsigned char)(n >> 8);
            p[2] = (unsigned char)n;
        }
}

/* Puts texts onto a band, block by block. */
static void draw_overlay(tlr_work *w, const tlr_camera *c, double time, int band)
{
    const int bands = (int)w->bands, rows = tlr_band_rows(c->height, band, bands);
    const int some = bands > 1 ? TLR_BLOCK : rows;
    for (int y = 0; y < rows; y += some)
        tlr_overlay_draw(&w->show, c, time, tlr_band_row(y, band, bands),
                         rows - y < some ? rows - y : some,
                         w->rgb + (size_t)3 * (size_t)y * (size_t)c->width);
}

/* Draws a band of the picture whose poses were read. */
static tl_status draw(tlr_work *w, uint64_t picture, int band, const char *exr)
{
    const tlr_look *l = w->show.look;
    const int rows = tlr_band_rows(l->size[1], band, (int)w->bands);
    const double time = tlr_work_time(w, picture), start = now();
    tlr_tracer tracer;
    uint64_t taken = 0;
    TL_TRY(tlr_show_set(&w->show, time, (double)picture / l->fps, (uint32_t)picture, &tracer));
    if (w->job->numbers) {
        draw_numbers(&tracer, band, (int)w->bands, w->rgb);
        return TL_OK;
    }
    const tlr_picture_def def = {.threads = w->job->threads,
                                 .tile = w->job->tile,
                                 .samples = (uint32_t)l->samples,
                                 .noise = (float)l->noise,
                                 .band = band,
                                 .bands = (int)w->bands,
                                 .stop = w->job->stop,
                                 .progress = tell,
                                 .user = w};
    const tl_status status = tlr_picture_render(&tracer, &def, w->radiance, &taken);
    if (status != TL_OK)
        return status;
    if (l->denoise)
        TL_TRY(tlr_denoise(&tracer, w->job->threads, w->radiance));
    if (w->job->exr)
        TL_TRY(tlr_exr_write(exr, &tracer, w->radiance));
    tlr_overlay_develop(l, (size_t)rows * (size_t)l->size[0], w->radiance, w->rgb);
    draw_overlay(w, &tracer.camera, time, band);
    w->progress.samples += taken;
    w->progress.seconds_drawing += now() - start;
    return TL_OK;
}

static tl_status do_unit(tlr_work *w, uint64_t picture, uint32_t band)
{
    char path[4200], exr[4200], key[TLR_KEY];
    TL_TRY(tlr_work_key(w, picture, key));
    tlr_work_path(w, picture, 0, 1, path, sizeof path);
    bool there = !w->job->force && tlr_png_fits(path, key);
    tlr_work_path(w, picture, band, w->bands, path, sizeof path);
    there = there || (!w->job->force && tlr_png_fits(path, key));
    snprintf(exr, sizeof exr, "%.*s.exr", (int)strlen(path) - 4, path);
    there = there && (!w->job->exr || access(exr, R_OK) == 0);
    if (there) {
        w->progress.there++;
        w->progress.pictures--;
        return TL_OK;
    }
    const int rows = tlr_band_rows(w->show.look->size[1], (int)band, (int)w->bands);
    const tl_status status = draw(w, picture, (int)band, exr);
    if (status != TL_OK)
        return status;
    TL_TRY(tlr_png_write(path, w->show.look->size[0], rows, w->rgb, key));
    w->progress.made++;
    w->progress.part = 0;
    tell(w, 0);
    return TL_OK;
}

/* Writes the RIB of a picture, beside where the picture would be, or to standard output. */
static tl_status write_rib(tlr_work *w, uint64_t picture)
{
    char path[4200], temporary[4300], name[64];
    tlr_tracer tracer;
    const double time = tlr_work_time(w, picture);
    const bool stream = !strcmp(w->job->output, "-");
    TL_TRY(tlr_show_read(&w->show, time, w->open));
    TL_TRY(tlr_show_set(&w->show, time, (double)picture / w->show.look->fps, (uint32_t)picture,
                        &tracer));
    snprintf(path, sizeof path, "%s/frame_%06llu.rib", w->folder, (unsigned long long)picture);
    snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid());
    snprintf(name, sizeof name, "frame_%06llu.tif", (unsigned long long)picture);
    FILE *file = stream ? stdout : fopen(temporary, "w");
    tl_status status = TL_OK;
    if (file && w->job->inject)
        status = tlr_rib_inject(file, &tracer, w->job->inject, w->inject.data, w->inject.count - 1,
                                w->show.middle);
    else if (file)
        tlr_rib_write(file, &tracer, picture, name, w->show.middle);
    const bool good = status == TL_OK && file && !ferror(file) && fflush(file) == 0;
    const int error = errno;
    const bool closed = stream || (file && fclose(file) == 0);
    if (!good || !closed || (!stream && rename(temporary, path) != 0)) {
        if (!stream)
            unlink(temporary);
        TL_TRY(status);
        return tl_fail(TL_FILE, "%s: cannot be written: %s", stream ? "standard output" : path,
                       strerror(error ? error : errno));
    }
    w->progress.made++;
    return TL_OK;
}

static bool is_mine(const tlr_work *w, uint64_t unit)
{
    return !w->job->parts || unit % w->job->parts == w->job->part - 1;
}

/* Whether all that a picture shows is recorded: of a result that grows, what comes is not. */
static bool is_known(const tlr_work *w, uint64_t picture)
{
    const tlr_replay *r = &w->show.replay;
    return !w->job->follow || r->info.closed ||
           tlr_work_time(w, picture) + 0.5 * w->open < r->times[r->info.frames - 1];
}

static tl_status do_units(tlr_work *w)
{
    const uint64_t units = w->pictures * w->bands;
    for (uint64_t i = 0; i < units; i++)
        w->progress.pictures += is_mine(w, i) && is_known(w, i / w->bands);
    for (uint64_t i = 0; i < units; i++) {
        if (!is_mine(w, i) || !is_known(w, i / w->bands))
            continue;
        if (w->job->stop && *w->job->stop)
            return (tl_status)1;
        const tl_status status = w->job->rib ? write_rib(w, i / w->bands)
                                             : do_unit(w, i / w->bands, (uint32_t)(i % w->bands));
        if (status != TL_OK)
            return status;
    }
    return TL_OK;
}

static tl_status do_job(tlr_work *w)
{
    const tlr_job *j = w->job;
    const bool single = ends_in(j->output, ".png");
    if (!single && strcmp(j->output, "-") != 0 && mkdir(w->folder, 0777) != 0 && errno != EEXIST)
        return tl_fail(TL_FILE, "%s: cannot be made: %s", w->folder, strerror(errno));
    if (!j->assemble) {
        const tl_status status = do_units(w);
        if (status != TL_OK)
            return status;
    }
    const bool grows = j->follow && !w->show.replay.info.closed;
    return single || j->parts || j->numbers || j->rib || grows ? TL_OK : tlr_work_assemble(w);
}

/* A look at a result that grows adds what it made; what it found was made, or found, before. */
static void add_progress(tlr_progress *done, const tlr_progress *more)
{
    const uint64_t there = done->made + done->there;
    done->there += more->there > there ? more->there - there : 0;
    done->made += more->made;
    done->samples += more->samples;
    done->seconds_drawing += more->seconds_drawing;
}

/* Until a result that grows is looked at again; 1 where it was stopped meanwhile. */
static tl_status wait_a_little(const tlr_job *job)
{
    const struct timespec little = {.tv_nsec = 100000000};
    for (int i = 0; i < 10; i++) {
        if (job->stop && *job->stop)
            return (tl_status)1;
        nanosleep(&little, NULL);
    }
    return TL_OK;
}

tl_status tlr_job_do(const tlr_job *job, tlr_progress *done)
{
    tlr_work *w = tl_alloc_zero(sizeof *w);
    *done = (tlr_progress){0};
    if (!w)
        return TL_NO_MEMORY;
    tl_status status = TL_OK;
    if (tlr_movie_knows(job->output) && !job->parts && !job->numbers)
        status = tlr_movie_check();
    for (bool grows = true; status == TL_OK && grows;) {
        status = tlr_work_open(job, w);
        const tlr_replay *r = &w->show.replay;
        if (status == TL_BAD_DATA && job->follow && r->result && !r->info.frames &&
            !r->info.closed) {
            tlr_work_close(w); /* its first frame is to come */
            status = wait_a_little(job);
            continue;
        }
        grows = status == TL_OK && job->follow && !w->show.replay.info.closed;
        if (status == TL_OK)
            status = do_job(w);
        add_progress(done, &w->progress);
        tlr_work_close(w);
        if (status == TL_OK && grows)
            status = wait_a_little(job);
    }
    tl_free(w, sizeof *w);
    return status;
}
