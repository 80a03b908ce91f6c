/* `talus problem`: the contact problem of one step of a scene or of a recorded run, as a file in
 * FCLIB's layout; or a whole corpus of such files (corpus.c). */
#include "corpus.h"
#include "facts.h"
#include "files.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the problem is taken from. */
typedef struct origin {
    tl_document *document;
    tl_result *result; /* NULL: of a scene */
    tl_world *world;
    const char *from; /* where its steps begin */
    uint64_t begin;   /* steps that are done there */
    uint64_t last;    /* the last step that there is */
} origin;

static void close_origin(origin *o)
{
    tl_world_destroy(o->world);
    tl_document_destroy(o->document);
    tl_result_close(o->result);
}

/* Steps that were done at a time, by the reports of `rows` steps: the last one that ends by then.
 */
static tl_status steps_at(tl_result *result, uint64_t rows, double time, uint64_t *steps)
{
    uint64_t low = 0, high = rows;
    *steps = 0;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        tl_report report;
        const tl_status status = tl_result_read_reports(result, middle, 1, &report);
        if (status < 0)
            return status;
        if (report.time <= time) {
            *steps = report.steps;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return TL_OK;
}

static int start_world(const options *given, origin *o)
{
    tl_settings settings = tl_scene_settings(tl_document_scene(o->document));
    settings.backend = TL_BACKEND_CPU;
    settings.threads = given->threads < 0 ? 0 : (uint32_t)given->threads;
    const tl_status status =
        tl_world_create_with(tl_document_scene(o->document), &settings, &o->world);
    o->from = "the start";
    return status < 0 ? complain_of_world(o->document, status) : EXIT_OK;
}

static int open_scene(const options *given, origin *o)
{
    const tl_status status =
        tl_document_read(given->file, given->set_count, given->sets, &o->document);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    const double step = tl_scene_settings(tl_document_scene(o->document)).step;
    o->last = (uint64_t)ceil(tl_document_record(o->document).duration / step - 1e-6);
    return start_world(given, o);
}

/* The checkpoint beside the result, where it comes before the step; else the start. */
static int open_result(const options *given, origin *o)
{
    tl_report last = {0};
    if (given->set_count) {
        complain("problem: --set is for scenes; %s is a result", given->file);
        return EXIT_USAGE;
    }
    tl_status status = tl_result_open(given->file, &o->result);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    const tl_result_info info = tl_result_describe(o->result);
    if (info.steps)
        status = tl_result_read_reports(o->result, info.steps - 1, 1, &last);
    o->last = last.steps;
    if (status >= 0 && info.has_checkpoint)
        status = tl_result_load(o->result, TL_BACKEND_CPU,
                                given->threads < 0 ? 0 : (uint32_t)given->threads, &o->world);
    if (status >= 0 && o->world)
        status = steps_at(o->result, info.steps, tl_world_time(o->world), &o->begin);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    if (o->world && o->begin < (uint64_t)given->step) {
        o->from = "the checkpoint";
        return EXIT_OK;
    }
    tl_world_destroy(o->world);
    o->world = NULL;
    o->begin = 0;
    status = tl_result_document(o->result, &o->document);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    return start_world(given, o);
}

/* A run that somebody changed on the way is not what its scene or checkpoint leads to. */
static int check_edits(const options *given, const origin *o, double begin, double end)
{
    size_t length = 0;
    tl_status status = tl_result_read_edits(o->result, 0, NULL, &length);
    char *text = status < 0 ? NULL : calloc(length + 1, 1);
    if (status >= 0 && !text)
        return out_of_memory();
    if (status >= 0)
        status = tl_result_read_edits(o->result, length + 1, text, &length);
    int code = status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
    for (const char *at = text; code == EXIT_OK && at && *at;) {
        const double time = strtod(at, NULL);
        if (time >= begin && time <= end) {
            complain("problem: %s was changed by hand at %g s, so that step %" PRId64
                     " cannot be made again from %s",
                     given->file, time, given->step, o->from);
            code = EXIT_DATA;
        }
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    free(text);
    return code;
}

static int go_to_step(const options *given, origin *o)
{
    const double begin = tl_world_time(o->world);
    if ((uint64_t)given->step > o->last) {
        complain("problem: --step is %" PRId64 "; %s has steps 1 to %" PRIu64, given->step,
                 given->file, o->last);
        return EXIT_USAGE;
    }
    for (uint64_t at = o->begin; at + 1 < (uint64_t)given->step; at++) {
        const tl_status status = tl_world_step(o->world, 1, NULL);
        if (status < 0)
            return complain_of(status, PHASE_RUNNING);
    }
    return o->result ? check_edits(given, o, begin, tl_world_time(o->world)) : EXIT_OK;
}

static int tell(const options *given, const origin *o, const tl_contact_problem *problem)
{
    const tl_contact_problem_def *d = tl_contact_problem_read(problem);
    const bool global = d->form == TL_PROBLEM_GLOBAL;
    facts f;
    if (given->quiet)
        return EXIT_OK;
    facts_start(&f, given->json);
    fact_text(&f, "file", given->output);
    fact_text(&f, "form", global ? "global" : "local");
    fact_count(&f, "step", (uint64_t)given->step);
    fact_number(&f, "time", tl_world_time(o->world), "s");
    fact_text(&f, "run_from", o->from);
    fact_count(&f, "steps_run", (uint64_t)given->step - 1 - o->begin);
    fact_count(&f, "contacts", d->contacts);
    if (global)
        fact_count(&f, "velocities", d->M.rows);
    fact_count(&f, "constraints", global ? d->G.columns : d->R.columns);
    fact_count(&f, "entries",
               global ? d->M.start[d->M.columns] + d->H.start[d->H.columns]
                      : d->W.start[d->W.columns]);
    return facts_end(&f);
}

/* A copy in the form that is asked for. */
static tl_status convert(const tl_contact_problem *from, bool local, bool guess,
                         tl_contact_problem **to)
{
    tl_contact_problem_def def = *tl_contact_problem_read(from);
    tl_contact_problem *other = NULL;
    if (!guess)
        def.guess = NULL;
    tl_status status = tl_contact_problem_create(&def, to);
    if (status >= 0 && local) {
        status = tl_contact_problem_reduce(*to, &other);
        tl_contact_problem_destroy(*to);
        *to = other;
    }
    return status;
}

int write_problem(tl_world *world, bool local, bool guess, const char *path,
                  tl_contact_problem **problem)
{
    tl_contact_problem *found = NULL;
    *problem = NULL;
    tl_status status = tl_world_contact_problem(world, &found);
    if (status >= 0)
        status = convert(found, local, guess, problem);
    tl_contact_problem_destroy(found);
    if (status >= 0)
        status = tl_contact_problem_save(path, *problem, NULL);
    if (status >= 0)
        return EXIT_OK;
    complain("problem: %s", tl_last_message());
    return exit_code(status, status == TL_BAD_ARGUMENT ? PHASE_MAKING : PHASE_RUNNING);
}

static int record(const options *given)
{
    origin o = {0};
    tl_contact_problem *problem = NULL;
    int code = check_problem_path(given, "problem", given->output);
    if (code == EXIT_OK)
        code = (is_result(given->file) ? open_result : open_scene)(given, &o);
    if (code == EXIT_OK)
        code = go_to_step(given, &o);
    if (code == EXIT_OK)
        code =
            write_problem(o.world, given->form == TL_PROBLEM_LOCAL, true, given->output, &problem);
    if (code == EXIT_OK)
        code = tell(given, &o, problem);
    tl_contact_problem_destroy(problem);
    close_origin(&o);
    return code;
}

int command_problem(const options *given)
{
    if (given->corpus && (given->file || given->step >= 0 || given->output)) {
        complain("problem: --corpus FOLDER takes no %s", given->file        ? "file"
                                                         : given->step >= 0 ? "--step"
                                                                            : "-o");
        return EXIT_USAGE;
    }
    if (given->corpus)
        return write_corpus(given);
    if (!given->file || given->step < 0 || !given->output) {
        complain("problem needs %s; `talus help problem` says more",
                 !given->file      ? "a SCENE or RESULT, or --corpus FOLDER"
                 : given->step < 0 ? "--step N"
                                   : "-o FILE");
        return EXIT_USAGE;
    }
    if (given->layers) {
        complain("problem: --layers is for --corpus");
        return EXIT_USAGE;
    }
    return record(given);
}
