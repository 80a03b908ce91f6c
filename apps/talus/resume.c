/* `talus resume`: goes on with a result from its last checkpoint. */
#include "files.h"
#include "plan.h"
#include "session.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* What is known of the state before the first step: the last report recorded, where the world
 * stands at it. */
static int read_last_report(const char *path, tl_report *report)
{
    tl_result *result = NULL;
    tl_status status = tl_result_open(path, &result);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    const uint64_t steps = tl_result_describe(result).steps;
    if (steps)
        status = tl_result_read_reports(result, steps - 1, 1, report);
    tl_result_close(result);
    return status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
}

/* How many steps a world has behind it. */
static int count_steps(tl_world *world, uint64_t *steps)
{
    tl_frame *frame = NULL;
    tl_frame_view view = {0};
    tl_status status = tl_frame_create(&frame);
    if (status >= 0)
        status = tl_world_capture(world, frame);
    if (status >= 0)
        status = tl_frame_read(frame, &view);
    *steps = view.steps;
    tl_frame_destroy(frame);
    return status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
}

static int resume_world(session *s)
{
    const uint32_t threads = s->given->threads > 0 ? (uint32_t)s->given->threads : 0;
    bool fall_back;
    const tl_backend_kind backend = session_backend(s->given, &fall_back);
    tl_status status =
        tl_recorder_resume(s->result, backend, threads, &s->recorder, &s->document, &s->world);
    if (status == TL_NO_BACKEND && fall_back)
        status = tl_recorder_resume(s->result, TL_BACKEND_CPU, threads, &s->recorder, &s->document,
                                    &s->world);
    return status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
}

static int resume_result(session *s)
{
    tl_report last = {0};
    uint64_t steps = 0;
    int code = expect_result("resume", s->result);
    if (code == EXIT_OK)
        code = read_last_report(s->result, &last);
    if (code == EXIT_OK)
        session_catch_signals();
    if (code == EXIT_OK)
        code = resume_world(s);
    if (code == EXIT_OK)
        code = count_steps(s->world, &steps);
    if (code != EXIT_OK)
        return code;
    const double time = tl_world_time(s->world), step = tl_world_settings(s->world).step;
    s->duration = tl_recorder_record(s->recorder).duration;
    s->until = isnan(s->given->until) ? s->duration : s->given->until;
    /* the checkpoint may be older than the last report */
    if (last.steps == steps)
        s->report = last;
    s->report.steps = steps;
    s->report.time = time;
    const bool done = time >= s->until - 0.5 * step;
    double ahead = 0;
    if (!done)
        code = plan_steps(s->result, time, s->until, step, !isnan(s->given->until), &ahead);
    if (code != EXIT_OK)
        return code;
    if (done)
        session_say(s->given, "%s has reached t = %.6g s already; --until goes further", s->result,
                    time);
    else
        session_say(s->given, "%s: from t = %.6g s (step %" PRIu64 ") to %g s, %zu bodies on %s",
                    s->result, time, s->report.steps, s->until, tl_world_body_count(s->world),
                    tl_world_backend(s->world));
    return session_run(s);
}

int command_resume(const options *given)
{
    session s = {.given = given, .result = given->file};
    const int code = resume_result(&s);
    session_free(&s);
    return code;
}
