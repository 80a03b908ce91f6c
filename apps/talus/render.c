/* `talus render`: movies and pictures of results, by src/render. */
#include "facts.h"
#include "files.h"
#include "movie.h"
#include "progress.h"
#include "session.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifdef TALUS_RENDER

#include "render/render.h"

static const char *last_dot(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot : "";
}

/* --- the look --- */

static int read_size(const char *text, int size[2])
{
    int width = 0, height = 0;
    char after = 0;
    if (sscanf(text, "%dx%d%c", &width, &height, &after) != 2 || width < 2 || height < 2 ||
        width > 16384 || height > 16384) {
        complain("--size: '%s' is not WIDTHxHEIGHT, two numbers from 2 to 16384", text);
        return EXIT_USAGE;
    }
    size[0] = width;
    size[1] = height;
    return EXIT_OK;
}

/* Options over what the look says. */
static int adjust(const options *given, tlr_look *l)
{
    static const int samples[] = {16, 64, 512};
    if (given->size) {
        const int code = read_size(given->size, l->size);
        if (code != EXIT_OK)
            return code;
    }
    l->fps = isnan(given->fps) ? l->fps : given->fps;
    l->speed = isnan(given->speed) ? l->speed : given->speed;
    l->from = isnan(given->from) ? l->from : given->from;
    l->to = isnan(given->to) ? l->to : given->to;
    l->noise = isnan(given->noise) ? l->noise : given->noise;
    l->shutter = isnan(given->shutter) ? l->shutter : given->shutter;
    l->denoise = l->denoise || given->denoise;
    if (given->quality >= 0)
        l->samples = samples[given->quality];
    else if (!isnan(given->noise) && given->samples < 0)
        l->samples = 4096;
    if (given->samples >= 0)
        l->samples = given->samples;
    if (given->camera && !tlr_look_link(l, given->camera)) {
        complain("--camera: '%s' is not a link of the viewer: it has no cam=...", given->camera);
        return EXIT_USAGE;
    }
    if (given->color) {
        snprintf(l->color.by, sizeof l->color.by, "%s", given->color);
        l->color.range[0] = l->color.range[1] = NAN;
        l->color.legend = true;
    }
    if (given->title)
        snprintf(l->title, sizeof l->title, "%s", given->title);
    return EXIT_OK;
}

static const char *template_name(const options *given)
{
    return tlr_templates[given->template_kind < 0 ? 0 : given->template_kind];
}

static int read_look(const options *given, tlr_look **look)
{
    if (given->look && given->template_kind >= 0) {
        complain("render: --look and --template contradict each other: a look names its template");
        return EXIT_USAGE;
    }
    const tl_status status = given->look ? tlr_look_read(given->look, look)
                                         : tlr_look_create(template_name(given), look);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    return adjust(given, *look);
}

static int write_look(const options *given)
{
    if (file_kind_of(given->init) != FILE_MISSING && !given->force) {
        complain("%s exists; --force replaces it", given->init);
        return EXIT_FILE;
    }
    const tl_status status = tlr_look_write(given->init, template_name(given));
    if (status < 0)
        return complain_of(status, PHASE_RUNNING);
    if (!given->quiet)
        fprintf(stderr, "%s: edit it, then `talus render RESULT --look %s -o run.mp4`\n",
                given->init, given->init);
    return EXIT_OK;
}

/* --- progress --- */

typedef struct teller {
    bool silent, terminal, shown;
    double begun, last; /* s, wall clock */
} teller;

static void tell(void *user, const tlr_progress *p)
{
    teller *t = user;
    char eta[32], line[200];
    const double clock = wall_clock();
    if (t->silent || clock - t->last < (t->terminal ? 0.2 : 5))
        return;
    t->last = clock;
    const double done = (double)p->made + p->part, seconds = clock - t->begun;
    write_duration(done > 0 ? seconds * ((double)p->pictures - done) / done : INFINITY, eta,
                   sizeof eta);
    snprintf(line, sizeof line,
             "picture %" PRIu64 " of %" PRIu64 "  %.0f %%  ETA %s  %.3g s per picture",
             p->there + p->made + (p->made < p->pictures), p->there + p->pictures,
             100 * ((double)p->there + done) / (double)(p->there + p->pictures), eta,
             done > 0 ? seconds / done : 0);
    fprintf(stderr, t->terminal ? "\r%.79s\033[K" : "%s\n", line);
    fflush(stderr);
    t->shown = t->terminal;
}

static int tell_done(const options *given, const tlr_progress *p, double seconds)
{
    facts f;
    if (!given->quiet)
        fprintf(stderr,
                "%s: %" PRIu64 " pictures made, %" PRIu64
                " were there; %.3g s, %.3g million samples per second\n",
                given->output, p->made, p->there, seconds,
                p->seconds_drawing > 0 ? 1e-6 * (double)p->samples / p->seconds_drawing : 0);
    if (!given->json)
        return EXIT_OK;
    facts_start(&f, true);
    fact_text(&f, "file", given->output);
    fact_count(&f, "pictures", p->made + p->there);
    fact_count(&f, "made", p->made);
    fact_count(&f, "samples", p->samples);
    fact_number(&f, "seconds", seconds, "s");
    return facts_end(&f);
}

/* --- the job --- */

/* K/N; EXIT_USAGE, told, where it is none. */
static int read_part(const char *text, uint32_t *part, uint32_t *parts)
{
    unsigned k = 0, n = 0;
    char after = 0;
    if (sscanf(text, "%u/%u%c", &k, &n, &after) != 2 || k < 1 || k > n || n > 1000000) {
        complain("--part: '%s' is not K/N with K from 1 to N", text);
        return EXIT_USAGE;
    }
    *part = k;
    *parts = n;
    return EXIT_OK;
}

/* An output that is there and was not made by render is left alone. */
int movie_check(const char *command, const char *output, bool force)
{
    const char *dot = last_dot(output);
    const bool picture = !strcmp(dot, ".png"),
               movie = !strcmp(dot, ".mp4") || !strcmp(dot, ".webm");
    const file_kind kind = file_kind_of(output);
    char folder[4096];
    if (!picture && !movie) {
        if (kind == FILE_MISSING || kind == FILE_FOLDER)
            return EXIT_OK;
        complain("%s: %s is %s; it needs a name with .mp4, .webm or .png, or a folder", command,
                 output, file_kind_name(kind));
        return EXIT_USAGE;
    }
    if (kind == FILE_MISSING || (force && (kind == FILE_OTHER || kind == FILE_EMPTY)))
        return check_folder_of(output);
    tlr_job_folder(output, folder, sizeof folder);
    strncat(folder, "/movie", sizeof folder - strlen(folder) - 1);
    if (movie && kind == FILE_OTHER && file_kind_of(folder) != FILE_MISSING)
        return EXIT_OK; /* ours: it is made anew where it no longer fits */
    complain("%s exists and is %s; %s-o names another", output,
             kind == FILE_OTHER ? "a file" : file_kind_name(kind),
             kind == FILE_OTHER ? "--force replaces it, " : "");
    return EXIT_FILE;
}

static int print_plan(const options *given, const tlr_job *job)
{
    tlr_plan plan;
    char one[32], all[32];
    facts f;
    const tl_status status = tlr_job_plan(job, (uint32_t)given->plan, &plan);
    if (status != TL_OK)
        return status < 0 ? complain_of(status, PHASE_RUNNING) : EXIT_SIGNAL + *session_signal();
    write_duration(plan.seconds, one, sizeof one);
    write_duration(plan.elapsed, all, sizeof all);
    facts_start(&f, given->json);
    fact_count(&f, "pictures", plan.pictures);
    fact_count(&f, "workers", plan.workers);
    fact_count(&f, "bands", plan.bands);
    fact_text(&f, "one_worker", one);
    fact_text(&f, "all_workers", all);
    fact_number(&f, "seconds", plan.elapsed, "s");
    fact_number(&f, "busy", plan.busy, "");
    return facts_end(&f);
}

static int do_job(const options *given, tlr_look *look, const tlr_plugin *plugin)
{
    teller t = {.silent = given->quiet,
                .terminal = isatty(STDERR_FILENO),
                .begun = wall_clock(),
                .last = wall_clock()};
    tlr_progress done;
    tlr_job job = {.result = given->file,
                   .output = given->output,
                   .look = look,
                   .plugin = plugin,
                   .threads = given->threads > 0 ? (uint32_t)given->threads : 0,
                   .tile = given->tile > 0 ? (uint32_t)given->tile : 0,
                   .at = given->at,
                   .tiles = given->by == 1,
                   .assemble = given->assemble,
                   .follow = given->follow,
                   .rib = given->rib,
                   .inject = given->inject,
                   .exr = given->exr,
                   .numbers = given->numbers,
                   .force = given->force,
                   .stop = session_signal(),
                   .progress = tell,
                   .user = &t};
    int code = given->part ? read_part(given->part, &job.part, &job.parts) : EXIT_OK;
    if (code != EXIT_OK)
        return code;
    session_catch_signals();
    if (given->plan > 0)
        return print_plan(given, &job);
    const tl_status status = tlr_job_do(&job, &done);
    if (t.shown)
        fputs("\r\033[K", stderr);
    if (status < 0)
        return complain_of(status, status == TL_BAD_ARGUMENT ? PHASE_READING : PHASE_RUNNING);
    if (status > 0) {
        if (!given->quiet)
            fprintf(stderr, "stopped after %" PRIu64 " pictures; the same command goes on\n",
                    done.made + done.there);
        return EXIT_SIGNAL + *session_signal();
    }
    return tell_done(given, &done, wall_clock() - t.begun);
}

/* What cannot go together. */
static int check_usage(const options *given)
{
    if (!given->file) {
        complain("render needs a RESULT: talus render RESULT -o run.mp4");
        return EXIT_USAGE;
    }
    if (!given->output) {
        complain("render needs -o FILE");
        return EXIT_USAGE;
    }
    if (given->to < given->from) {
        complain("render: --to %g is before --from %g", given->to, given->from);
        return EXIT_USAGE;
    }
    const bool picture = !strcmp(last_dot(given->output), ".png");
    if (!isnan(given->at) && !picture) {
        complain("render: --at is for a single picture: -o needs a name with .png");
        return EXIT_USAGE;
    }
    if (picture && (given->part || given->assemble)) {
        complain("render: --part and --assemble are for movies, not for a single picture");
        return EXIT_USAGE;
    }
    if (given->by == 1 && !given->part) {
        complain("render: --by is for --part");
        return EXIT_USAGE;
    }
    if (given->rib &&
        (given->exr || given->numbers || given->assemble || *last_dot(given->output))) {
        complain(
            "render: --rib goes without --exr, --numbers and --assemble, and -o names a folder, "
            "or is - for a stream");
        return EXIT_USAGE;
    }
    if (!given->rib && given->inject) {
        complain("render: --inject is for --rib");
        return EXIT_USAGE;
    }
    if (!given->rib && !strcmp(given->output, "-")) {
        complain("render: -o - is for --rib");
        return EXIT_USAGE;
    }
    if (given->rib && given->by == 1) {
        complain("render: --rib and --by tiles contradict each other: a file is of a whole frame");
        return EXIT_USAGE;
    }
    if (given->follow && (given->assemble || picture || given->rib)) {
        complain("render: --follow is for movies and folders of pictures");
        return EXIT_USAGE;
    }
    if (given->exr && given->numbers) {
        complain("render: --exr and --numbers contradict each other: numbers are in the EXR");
        return EXIT_USAGE;
    }
    if (given->part && given->assemble) {
        complain("render: --part and --assemble contradict each other: the movie is of all parts");
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

int command_render(const options *given)
{
    tlr_look *look = NULL;
    tlr_plugin *plugin = NULL;
    if (given->init)
        return write_look(given);
    int code = check_usage(given);
    const bool table = code == EXIT_OK && !strcmp(last_dot(given->file), ".csv");
    if (code == EXIT_OK && table && file_kind_of(given->file) == FILE_MISSING) {
        complain("render: %s is not there", given->file);
        code = EXIT_FILE;
    }
    if (code == EXIT_OK && !table)
        code = expect_result("render", given->file);
    if (code == EXIT_OK && given->plan < 0)
        code = movie_check("render", given->output, given->force);
    if (code == EXIT_OK)
        code = read_look(given, &look);
    if (code == EXIT_OK && given->plugin) {
        const tl_status status = tlr_plugin_open(given->plugin, &plugin);
        code = status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
    }
    if (given->follow)
        movie_yield();
    if (code == EXIT_OK)
        code = do_job(given, look, plugin);
    tlr_plugin_close(plugin);
    tlr_look_free(look);
    return code;
}

#else

int movie_check(const char *command, const char *output, bool force)
{
    (void)output;
    (void)force;
    complain("%s: this talus cannot render: %s", command, TALUS_RENDER_MISSING);
    return EXIT_BACKEND;
}

int command_render(const options *given)
{
    (void)given;
    complain("this talus cannot render: %s", TALUS_RENDER_MISSING);
    return EXIT_BACKEND;
}

#endif
