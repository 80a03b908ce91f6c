/* `talus view SCENE`: makes the world, runs it under the eyes and hands of viewers, makes it anew
 * when they say so, and records it if asked to. */
#include "job.h"
#include "live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct simulation {
    const view_job *job;
    tl_document *document;
    tl_world *world;
    tl_recorder *recorder;
} simulation;

static tl_status make_world(const view_job *job, const tl_document *document, tl_world **made)
{
    const tl_scene *scene = tl_document_scene(document);
    tl_settings settings = tl_scene_settings(scene);
    settings.threads = job->threads;
    settings.backend = job->backend;
    tl_status status = tl_world_create_with(scene, &settings, made);
    if (status == TL_NO_BACKEND && job->fall_back) {
        settings.backend = TL_BACKEND_CPU;
        status = tl_world_create_with(scene, &settings, made);
    }
    if (status > 0) {
        job->warn(tl_last_message(), job->user);
    }
    return status;
}

/* The scene, from its file or as it was read, with the command line's overrides and more. */
static tl_status read_scene(const simulation *s, bool reload, size_t more, const json_t *sets,
                            tl_document **made)
{
    const view_job *job = s->job;
    const size_t kept = reload || !s->document ? job->set_count : 0;
    const char **all = malloc((kept + more + 1) * sizeof *all);
    if (!all) {
        return TL_NO_MEMORY;
    }
    for (size_t i = 0; i < kept; i++) {
        all[i] = job->sets[i];
    }
    for (size_t i = 0; i < more; i++) {
        all[kept + i] = json_string_value(json_array_get(sets, i));
    }
    tl_status status = TL_OK;
    if (reload || !s->document) {
        status = tl_document_read(job->path, kept + more, all, made);
    } else {
        size_t length = 0;
        const char *text = tl_document_text(s->document, &length);
        status = tl_document_parse(job->path, text, length, kept + more, all, made);
    }
    free(all);
    return status;
}

/* The end of a run of a document, s. */
static double end_of(const view_job *job, const tl_document *document)
{
    return isnan(job->view.until) ? tl_document_record(document).duration : job->view.until;
}

/* Whether a run of the document may have its step; otherwise `error` names it. */
static bool may_run(const view_job *job, const tl_document *document, char error[VIEW_ERROR])
{
    char why[VIEW_ERROR - 128];
    const double until = end_of(job, document);
    if (!job->view.allows_step || !isfinite(until) ||
        job->view.allows_step(until, tl_scene_settings(tl_document_scene(document)).step, why,
                              sizeof why)) {
        return true;
    }
    snprintf(error, VIEW_ERROR, "%.100s: step: %s", job->path, why);
    return false;
}

static bool restart(void *user, const view_command *command, tl_world **world,
                    const tl_document **document, double *until, char error[VIEW_ERROR])
{
    simulation *s = user;
    const json_t *sets = json_object_get(command->args, "sets");
    tl_document *read = NULL;
    tl_world *made = NULL;
    if (read_scene(s, command->reload, json_array_size(sets), sets, &read) < 0) {
        snprintf(error, VIEW_ERROR, "%s", tl_last_message());
        return false;
    }
    bool good = may_run(s->job, read, error);
    if (good && make_world(s->job, read, &made) < 0) {
        snprintf(error, VIEW_ERROR, "%s", tl_last_message());
        good = false;
    }
    if (!good) {
        tl_document_destroy(read);
        return false;
    }
    tl_world_destroy(s->world);
    tl_document_destroy(s->document);
    s->document = read;
    s->world = made;
    *document = read;
    *world = made;
    *until = end_of(s->job, read);
    return true;
}

static bool checkpoint(void *user, tl_world *world, const char **file, char error[VIEW_ERROR])
{
    const simulation *s = user;
    if (tl_recorder_checkpoint(s->recorder, world) < 0) {
        snprintf(error, VIEW_ERROR, "%s", tl_last_message());
        return false;
    }
    *file = s->job->result;
    return true;
}

static bool edited(void *user, const tl_world *world, const char *text, char error[VIEW_ERROR])
{
    const simulation *s = user;
    if (tl_recorder_edit(s->recorder, world, text) < 0) {
        snprintf(error, VIEW_ERROR, "%s", tl_last_message());
        return false;
    }
    return true;
}

static void run(simulation *s, view *v)
{
    while (live_before_step(v, &s->world)) {
        tl_report report;
        if (tl_world_step(s->world, 1, &report) < 0) {
            live_failed(v, tl_last_message());
            continue;
        }
        view_after_step(v, s->world, &report);
        if (s->recorder && tl_recorder_step(s->recorder, s->world, &report) < 0) {
            live_failed(v, tl_last_message());
        }
    }
}

static tl_status prepare(simulation *s, char error[VIEW_ERROR])
{
    const view_job *job = s->job;
    tl_status status = read_scene(s, true, 0, NULL, &s->document);
    if (status >= 0 && !may_run(job, s->document, error)) {
        return VIEW_BAD_STEP;
    }
    if (status >= 0) {
        status = make_world(job, s->document, &s->world);
    }
    if (status >= 0 && job->result) {
        const tl_record_def record = tl_document_record(s->document);
        status = tl_recorder_create(job->result, job->replace, s->document, s->world, &record, NULL,
                                    &s->recorder);
    }
    if (status < 0) {
        snprintf(error, VIEW_ERROR, "%s", tl_last_message());
    }
    return status;
}

tl_status view_simulate(const view_job *job, char *error, size_t room)
{
    char why[VIEW_ERROR] = "";
    simulation s = {.job = job};
    view *v = NULL;
    tl_status status = prepare(&s, why);
    if (status >= 0) {
        view_options options = job->view;
        const live_owner owner = {.user = &s,
                                  .restart = job->result ? NULL : restart,
                                  .checkpoint = job->result ? checkpoint : NULL,
                                  .edited = job->result ? edited : NULL};
        options.until = end_of(job, s.document);
        v = live_start(&options, &owner, s.document, s.world, why);
        status = v ? TL_OK : VIEW_NO_PORT;
    }
    if (v) {
        job->started(view_address(v), job->user);
        run(&s, v);
    }
    view_stop(v);
    const tl_status closed = tl_recorder_close(s.recorder, s.world);
    if (closed < 0 && status >= 0) {
        snprintf(why, sizeof why, "%s", tl_last_message());
        status = closed;
    }
    tl_world_destroy(s.world);
    tl_document_destroy(s.document);
    snprintf(error, room, "%s", why);
    return status;
}
