/* One run from its first step to its closed files; session.h says who calls. */
#include "session.h"
#include "facts.h"
#include "monitors.h"
#include "overlap.h"
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void session_say(const options *given, const char *format, ...)
{
    va_list arguments;
    if (given->quiet)
        return;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* --- signals --- */

static volatile sig_atomic_t caught; /* the signal that asked for the end, 0 where none did */

const volatile sig_atomic_t *session_signal(void)
{
    return &caught;
}

static void catch_signal(int number)
{
    if (caught) { /* asked twice: end at once, as if nobody had caught the signal */
        signal(number, SIG_DFL);
        raise(number);
    }
    caught = number;
}

void session_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old, action = {.sa_handler = catch_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup ignores */
            sigaction(signals[i], &action, NULL);
}

/* --- making --- */

int session_read(session *s, const char *path, size_t set_count, const char *const *sets)
{
    const tl_status status = tl_document_read(path, set_count, sets, &s->document);
    return status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
}

tl_backend_kind session_backend(const options *given, bool *fall_back)
{
    *fall_back = given->backend == BACKEND_AUTO;
    return given->backend == BACKEND_CPU ? TL_BACKEND_CPU : TL_BACKEND_CUDA;
}

tl_status backend_name(tl_backend_kind kind, char *text, size_t room)
{
    tl_scene *scene = NULL;
    tl_world *world = NULL;
    tl_status status = tl_scene_create(&scene);
    if (status >= 0) {
        tl_settings settings = tl_scene_settings(scene);
        settings.backend = kind;
        status = tl_world_create_with(scene, &settings, &world);
    }
    if (status >= 0)
        snprintf(text, room, "%s", tl_world_backend(world));
    tl_world_destroy(world);
    tl_scene_destroy(scene);
    return status;
}

static void warn_of_overlaps(session *s)
{
    overlaps found;
    char a[512], b[512];
    if (s->given->quiet || find_overlaps(s->world, &found) != EXIT_OK)
        return;
    tl_document_describe(s->document, found.a, a, sizeof a);
    tl_document_describe(s->document, found.b, b, sizeof b);
    session_say(s->given,
                "warning: %zu %s at the start; the worst, by %.3g m (%.0f %% of the radius):\n"
                "  %s\n  %s",
                found.pairs,
                found.pairs == 1 ? "pair of bodies overlaps" : "pairs of bodies overlap",
                found.depth, 100 * found.relative, a, b);
}

/* What steps warn of, with the names that the scene has: told at once, and kept for --json. */
static void warn_of_step(tl_log_level level, const char *text, void *user)
{
    session *s = user;
    char named[1200];
    const tl_error about = tl_last_error();
    const char *name =
        about.material ? tl_document_material_name(s->document, (tl_material){about.material - 1})
                       : NULL;
    if (level != TL_LOG_WARNING || about.status != TL_OK)
        return;
    if (name) {
        snprintf(named, sizeof named, "%s; material %u is \"%s\"", text, about.material - 1, name);
        text = named;
    }
    session_say(s->given, "warning: %s", text);
    if (s->warned)
        json_array_append_new(s->warned, json_text(text));
}

int session_make_world(session *s)
{
    const tl_scene *scene = tl_document_scene(s->document);
    tl_settings settings = tl_scene_settings(scene);
    bool fall_back;
    settings.threads = s->given->threads > 0 ? (uint32_t)s->given->threads : 0;
    settings.backend = session_backend(s->given, &fall_back);
    tl_status status = tl_world_create_with(scene, &settings, &s->world);
    if (status == TL_NO_BACKEND && fall_back) { /* `info` says why */
        settings.backend = TL_BACKEND_CPU;
        status = tl_world_create_with(scene, &settings, &s->world);
    }
    if (status == TL_OVERLAPPING)
        warn_of_overlaps(s);
    s->warned = s->given->json ? json_array() : NULL;
    tl_set_log(warn_of_step, s);
    return status < 0 ? complain_of_world(s->document, status) : EXIT_OK;
}

void session_free(session *s)
{
    tl_set_log(NULL, NULL);
    json_decref(s->warned);
    tl_recorder_close(s->recorder, NULL);
    tl_world_destroy(s->world);
    tl_document_destroy(s->document);
}

/* --- running --- */

/* Of the mean radius: joints that are off by more could not be brought together. */
static const double MOST_JOINT_ERROR = 1e-4;

/* How a run ended. */
typedef struct outcome {
    int code;         /* the exit code */
    const char *word; /* for the JSON object */
    double wall;      /* s */
    uint64_t steps;   /* of this run */
} outcome;

static bool finished(const session *s)
{
    return tl_world_time(s->world) >= s->until - 0.5 * tl_world_settings(s->world).step;
}

/* A step and its record. */
static tl_status advance(session *s)
{
    tl_report report;
    const tl_status status = tl_world_step(s->world, 1, &report);
    if (status < 0)
        return status;
    s->report = report;
    return s->recorder ? tl_recorder_step(s->recorder, s->world, &report) : TL_OK;
}

/* All joints and what they did in the last step; none where there is no memory. */
typedef struct joint_list {
    size_t count;
    tl_joint *joints;
    tl_joint_state *states;
} joint_list;

static joint_list read_joints(const session *s)
{
    const size_t count = tl_world_joint_count(s->world);
    joint_list l = {count, malloc(count * sizeof *l.joints), malloc(count * sizeof *l.states)};
    if (!l.joints || !l.states || tl_world_list_joints(s->world, l.joints) < 0 ||
        tl_world_read_joints(s->world, count, NULL, l.states) < 0)
        l.count = 0;
    return l;
}

static void free_joints(joint_list *l)
{
    free(l->joints);
    free(l->states);
}

/* Joints are brought together in each step; where that failed, notes the worst of the run. */
static void watch_joints(session *s, double radius)
{
    const double limit = MOST_JOINT_ERROR * radius;
    if (!(s->report.joint_error > limit) || s->report.joint_error <= s->open.error)
        return;
    joint_list l = read_joints(s);
    for (size_t i = 0, worst = 0; i < l.count; i++) {
        s->open.error = s->report.joint_error;
        s->open.step = s->report.steps;
        if (l.states[i].error >= l.states[worst].error) {
            worst = i;
            s->open.joint = l.joints[i];
        }
    }
    free_joints(&l);
}

/* rad: a body that is to turn farther in a step turns by less (docs/theory.md, "Rotation"), so that
 * the angle of its joint is not what its rate says. */
#define MOST_TURN 2.8284271247461903

/* Whether there is a step to do: not at the end, after a signal or a hook's no. */
static bool goes_on(session *s)
{
    const session_hook *hook = &s->hook;
    return !caught && !finished(s) &&
           (!hook->before_step || hook->before_step(hook->user, s->world)) && !caught;
}

static tl_status step_on(session *s, progress *p)
{
    while (goes_on(s)) {
        const tl_status status = advance(s);
        if (status < 0)
            return status;
        if (p->radius <= 0 && s->report.bodies > 0) /* the first bodies came from an emitter */
            mean_radius(s->world, &p->radius);
        watch_joints(s, p->radius);
        progress_step(p, &s->report);
        if (s->hook.after_step)
            s->hook.after_step(s->hook.user, s->world, &s->report);
    }
    return TL_OK;
}

/* Says how to go on with the result. */
static void say_how_to_resume(const session *s)
{
    char path[8192], until[64] = "";
    if (!s->result)
        return;
    quote_argument(s->result, path, sizeof path);
    if (s->until != s->duration)
        snprintf(until, sizeof until, " --until %.15g", s->until);
    session_say(s->given, "to go on: talus resume %s%s", path, until);
}

/* Closes the recorder and tells how the run ended. `status` is the last step's. */
static outcome end_run(session *s, tl_status status)
{
    outcome out = {EXIT_OK, "finished", 0, 0};
    if (status < 0) {
        out.code = complain_of(status, PHASE_RUNNING);
        out.word = status == TL_DIVERGED ? "diverged" : "failed";
        explain_bodies(s->document);
    }
    /* where writing failed there is no room for more: the file is closed as it is */
    const tl_status closed = tl_recorder_close(s->recorder, status == TL_FILE ? NULL : s->world);
    s->recorder = NULL;
    if (closed < 0 && status >= 0) {
        out.code = complain_of(closed, PHASE_RUNNING);
        out.word = "failed";
    }
    if (out.code == EXIT_OK && !finished(s)) {
        out.code = caught ? EXIT_SIGNAL + caught : EXIT_OK;
        out.word = "interrupted";
        session_say(s->given, "stopped at t = %.6g s (step %" PRIu64 ") of %g s",
                    tl_world_time(s->world), s->report.steps, s->until);
    }
    if (strcmp(out.word, "finished") != 0 && status != TL_DIVERGED)
        say_how_to_resume(s);
    return out;
}

static void say_summary(const session *s, const outcome *out, double radius)
{
    const tl_report *r = &s->report;
    char took[32], joints[64] = "";
    write_duration(out->wall, took, sizeof took);
    if (r->joints)
        snprintf(joints, sizeof joints, "%u joints off by %.2e m, ", r->joints, r->joint_error);
    session_say(s->given,
                "%s: t = %.6g s, %" PRIu64 " steps in %s (%.0f steps/s); %u bodies, %u contacts, "
                "residual %.2e m/s, %soverlap %.2g %% of the radius, hash %016" PRIx64 "%s%s",
                out->word, tl_world_time(s->world), out->steps, took,
                out->wall > 0 ? (double)out->steps / out->wall : 0, r->bodies, r->contacts,
                r->residual, joints, radius > 0 ? 100 * r->max_penetration / radius : 0,
                tl_world_hash(s->world), s->result ? "; result " : "", s->result ? s->result : "");
}

/* A joint about whose axis bodies turn that far in a step, as the run ends. */
static void judge_turns(const session *s, facts *f, const joint_list *l)
{
    const double h = tl_world_settings(s->world).step;
    double turn = MOST_TURN;
    size_t far = l->count;
    char place[512];
    for (size_t i = 0; i < l->count; i++) {
        const double *angle = l->states[i].value + 3;
        const bool hinge = fabs(angle[0]) < 1e-3 && fabs(angle[1]) < 1e-3;
        if (hinge && h * fabs(l->states[i].rate[5]) > turn) {
            turn = h * fabs(l->states[i].rate[5]);
            far = i;
        }
    }
    if (far == l->count)
        return;
    tl_document_describe_joint(s->document, l->joints[far], place, sizeof place);
    fact_warning(f,
                 "joint %" PRIu32 " (%s) turns by %.3g rad in a step: beyond %.3g its angle is "
                 "not what its rate says; a smaller step (--set step=%.2g) helps",
                 l->joints[far].index, place, turn, MOST_TURN, 0.5 * h * MOST_TURN / turn);
}

/* Exact joints hold speeds to rounding, unless they ask for what cannot be. */
static void judge_speeds(const session *s, facts *f, double radius, const joint_list *l)
{
    static const double most = 0.01; /* of the fastest coordinate of a joint */
    const tl_settings settings = tl_world_settings(s->world);
    const double residual = s->report.joint_residual;
    double fastest = 0;
    size_t worst = 0;
    char place[512];
    if (settings.solver.joints == TL_JOINTS_ITERATE || !(residual > MOST_JOINT_ERROR * radius))
        return;
    for (size_t i = 0; i < l->count; i++) {
        for (int k = 0; k < 6; k++)
            fastest = fmax(fastest, fabs(l->states[i].rate[k]));
        worst = l->states[i].residual > l->states[worst].residual ? i : worst;
    }
    if (!l->count || !(residual > most * fastest))
        return;
    tl_document_describe_joint(s->document, l->joints[worst], place, sizeof place);
    fact_warning(f,
                 "joints could not be held: joint %" PRIu32
                 " (%s) missed its speed by %.2g m/s or rad/s in the last step "
                 "(joint_residual), where coordinates of joints go at %.2g at most; motors "
                 "without a limit and prescribed bodies must not contradict each other",
                 l->joints[worst].index, place, residual, fastest);
}

static void judge_joints(const session *s, facts *f, double radius)
{
    joint_list l = read_joints(s);
    judge_turns(s, f, &l);
    judge_speeds(s, f, radius, &l);
    free_joints(&l);
}

/* What of the last step's certificate is poor, with what helps. docs/command.md states the limits.
 */
static void judge(const session *s, facts *f, double radius)
{
    static const double most_mean = 0.01, most_overlap = 0.1, most_residual = 2;
    const tl_report *r = &s->report;
    const tl_settings settings = tl_world_settings(s->world);
    const double *g = settings.gravity, h = settings.step;
    const double fall = h * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double mean = radius > 0 ? r->mean_penetration / radius : 0;
    const double deepest = radius > 0 ? r->max_penetration / radius : 0;
    if (settings.stepper == TL_STEPPER_PENALTY) { /* contacts give by their stiffness */
        if (deepest > most_overlap)
            fact_warning(f,
                         "contacts are soft: they overlap by %.2g %% of the radius in the mean and "
                         "%.2g %% at most; a greater young_modulus or stiffness helps",
                         100 * mean, 100 * deepest);
        return;
    }
    if (mean > most_mean || deepest > most_overlap)
        fact_warning(f,
                     "the overlap is poor: %.2g %% of the radius in the mean and %.2g %% at most "
                     "(%g %% and %g %% are good); a smaller step (--set step=%g), or more "
                     "iterations of the position problem (--set solver.position_iterations=%u), "
                     "help",
                     100 * mean, 100 * deepest, 100 * most_mean, 100 * most_overlap, h / 2,
                     2 * settings.solver.position_iterations);
    if (s->open.joint.index) {
        char place[512];
        tl_document_describe_joint(s->document, s->open.joint, place, sizeof place);
        fact_warning(f,
                     "joints could not be brought together: joint %" PRIu32
                     " (%s) was off by %.3g m in step %" PRIu64
                     "; a smaller step (--set step=%g) helps, unless limits, motors or prescribed "
                     "bodies ask for what the machine cannot do",
                     s->open.joint.index, place, s->open.error, s->open.step, h / 2);
    }
    judge_joints(s, f, radius);
    if (fall > 0 && r->residual > most_residual * fall)
        fact_warning(f,
                     "the residual is poor: %.2g m/s, %.2g times what gravity adds in a step "
                     "(%g is good); more iterations (--iterations %u), a smaller step (--set "
                     "step=%g) or --solver apgd help",
                     r->residual, r->residual / fall, most_residual, 4 * settings.solver.iterations,
                     h / 2);
}

static void tell_run(const session *s, const outcome *out, double radius, facts *f)
{
    const tl_report *r = &s->report;
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, tl_world_hash(s->world));
    fact_text(f, "status", out->word);
    fact_count(f, "steps", r->steps);
    fact_number(f, "time", tl_world_time(s->world), "s");
    fact_count(f, "bodies", r->bodies);
    fact_count(f, "contacts", r->contacts);
    fact_count(f, "iterations", r->iterations);
    if (r->coarse_nodes) {
        fact_count(f, "coarse_nodes", r->coarse_nodes);
        fact_count(f, "coarse_iterations", r->coarse_iterations);
        fact_number(f, "coarse_change", r->coarse_change, "");
    }
    fact_number(f, "residual", r->residual, "m/s");
    const tl_settings settings = tl_world_settings(s->world);
    if (settings.solver.kind == TL_INTERIOR && settings.stepper <= TL_STEPPER_SMOOTH)
        fact_number(f, "gap", r->gap, "");
    fact_number(f, "mean_overlap", radius > 0 ? r->mean_penetration / radius : 0, "");
    fact_number(f, "max_overlap", radius > 0 ? r->max_penetration / radius : 0, "");
    fact_number(f, "kinetic_energy", r->kinetic_energy, "J");
    if (r->joints) {
        fact_count(f, "joints", r->joints);
        fact_number(f, "joint_error", r->joint_error, "m");
        fact_number(f, "joint_residual", r->joint_residual, "m/s");
        fact_count(f, "redundant_rows", r->redundant_rows);
        fact_number(f, "motor_energy", r->motor_energy, "J");
        fact_number(f, "spring_energy", r->spring_energy, "J");
    }
    if (r->substeps) {
        fact_count(f, "substeps", r->substeps);
        fact_number(f, "substep_ratio", r->substep_ratio, "");
        fact_number(f, "elastic_energy", r->elastic_energy, "J");
        fact_number(f, "dissipated_energy", r->dissipated_energy, "J");
        fact_number(f, "energy_error", r->energy_error, "J");
    }
    fact_count(f, "emitted", r->emitted);
    fact_count(f, "removed", r->removed);
    if (r->moved) {
        fact_count(f, "moved", r->moved);
        fact_number(f, "moved_energy", r->moved_energy, "J");
    }
    fact_text(f, "hash", hash);
    fact_number(f, "wall_s", out->wall, "s");
    fact_count(f, "peak_bytes", r->peak_bytes);
    if (tell_monitors(f, s->world) != EXIT_OK)
        f->failed = true;
    if (s->result)
        fact_text(f, "result", s->result);
    fact_text(f, "backend", tl_world_backend(s->world));
    fact_text(f, "version", tl_version());
}

int session_run(session *s)
{
    progress p;
    facts f;
    double radius = 0;
    const uint64_t before = s->report.steps;
    const double start = wall_clock();
    int code = mean_radius(s->world, &radius);
    if (code != EXIT_OK)
        return code;
    progress_start(&p, s->given->quiet, before, s->until, tl_world_settings(s->world).step, radius);
    const tl_status status = step_on(s, &p);
    progress_end(&p);
    outcome out = end_run(s, status);
    out.wall = wall_clock() - start;
    out.steps = s->report.steps - before;
    mean_radius(s->world, &radius); /* bodies may have come and gone */
    say_summary(s, &out, radius);
    say_monitors(s->given, s->world);
    facts_start(&f, s->given->json);
    facts_list_warnings(&f);
    if (f.doubts)
        json_array_extend(f.doubts, s->warned);
    f.quiet = s->given->quiet;
    if (s->given->json)
        tell_run(s, &out, radius, &f);
    if (out.steps)
        judge(s, &f, radius);
    code = s->given->json ? facts_end(&f) : EXIT_OK;
    return out.code != EXIT_OK ? out.code : code;
}
