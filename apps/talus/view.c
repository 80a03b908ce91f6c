/* `talus view`: shows a scene while it is simulated, or a result, in the browser; and `talus run
 * --view`. Reads the options and hands over to apps/talus/view. A build without the viewer says why
 * it has none. */
#include "view.h"
#include "files.h"
#include "movie.h"
#include "plan.h"
#include "session.h"
#ifdef TALUS_VIEWER
#include "view/job.h"
#endif

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

view_options view_options_default(void)
{
    return (view_options){.port = -1, .until = INFINITY};
}

const char *view_missing(void)
{
#ifdef TALUS_VIEWER
    return NULL;
#else
    return "this talus was built without the viewer: " TALUS_VIEWER_MISSING;
#endif
}

/* ---- the browser ---- */

/* Everybody on a machine sees what programs are called with. So the browser is not told the address
 * with its token but a page that only this user can read, which leads there. "": there is none. */
static char page_path[512];

static bool write_page(const char *address)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    folder = folder && *folder ? folder : getenv("TMPDIR");
    const int length = snprintf(page_path, sizeof page_path, "%s/talus-view-XXXXXX.html",
                                folder && *folder ? folder : "/tmp");
    const int fd = length < (int)sizeof page_path ? mkstemps(page_path, 5) : -1; /* mode 0600 */
    FILE *page = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!page) {
        if (fd >= 0)
            close(fd);
        page_path[0] = 0;
        return false;
    }
    fprintf(page,
            "<!doctype html><meta charset=\"utf-8\"><title>Talus</title>"
            "<meta name=\"referrer\" content=\"no-referrer\">"
            "<meta http-equiv=\"refresh\" content=\"0;url=%s\"><a href=\"%s\">Talus</a>\n",
            address, address);
    return fclose(page) == 0;
}

static void remove_page(void)
{
    if (page_path[0])
        unlink(page_path);
    page_path[0] = 0;
}

/* Opens an address in a browser where there is a desktop; false where there is none. */
static bool open_browser(const char *address)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    if ((!(x && *x) && !(wayland && *wayland)) || !write_page(address))
        return false;
    char *arguments[] = {(char *)"xdg-open", page_path, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
    const int failed = posix_spawnp(&child, "xdg-open", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        remove_page();
    return failed == 0;
}

/* The options of the server that the command line gave. */
static view_options options_of(const options *given)
{
    view_options o = view_options_default();
    o.bind = given->bind;
    o.port = (int)given->port;
    o.no_token = given->no_token;
    o.source = given->file;
#ifdef TALUS_RENDER
    o.render = movie_start;
#endif
    o.stop = session_signal();
    return o;
}

/* Tells where the page is, and opens it. */
static void announce(const char *address, void *user)
{
    const options *given = user;
    printf("%s\n", address);
    fflush(stdout);
    if (!given->no_browser && !open_browser(address))
        session_say(given, "open this address in a browser");
}

#ifdef TALUS_VIEWER

static void warn(const char *text, void *user)
{
    session_say(user, "warning: %s", text);
}

/* As announce(), for a scene, which waits. */
static void announce_scene(const char *address, void *user)
{
    const options *given = user;
    announce(address, user);
    if (!given->start && !given->paused)
        session_say(given, "it starts when the first viewer is there; --start does not wait");
}

/* The address is the same as before. */
static void announce_result(const char *address, void *user)
{
    (void)address, (void)user;
}

/* Shows the result of a run that is over, where the run was shown. */
static void show_result(const session *s, int port, const char *token)
{
    char error[1024];
    view_job job = {.view = options_of(s->given),
                    .path = s->result,
                    .started = announce_result,
                    .warn = warn,
                    .user = (void *)(uintptr_t)s->given};
    job.view.port = port;
    job.view.result = s->result;
    job.view.token = *token ? token : NULL;
    if (view_replay(&job, error, sizeof error) < 0)
        complain("%s", error);
}

/* Which steps a scene may have that is simulated as long as it says, or as --until does. */
static bool allows_by_duration(double until, double step, char *why, size_t room)
{
    return plan_allows(0, until, step, "duration", why, room);
}

static bool allows_by_option(double until, double step, char *why, size_t room)
{
    return plan_allows(0, until, step, "--until", why, room);
}

int command_view(const options *given)
{
    char error[1024];
    bool fall_back;
    view_job job = {.view = options_of(given),
                    .path = given->file,
                    .set_count = given->set_count,
                    .sets = given->sets,
                    .backend = session_backend(given, &fall_back),
                    .threads = given->threads > 0 ? (uint32_t)given->threads : 0,
                    .result = given->output,
                    .replace = given->force,
                    .warn = warn,
                    .user = (void *)(uintptr_t)given};
    job.fall_back = fall_back;
    job.view.edit = true;
    job.view.until = given->until;
    job.view.allows_step = isnan(given->until) ? allows_by_duration : allows_by_option;
    job.view.paused = given->paused;
    job.view.wait = !given->start;
    job.view.real_time = !given->free_running;
    if (given->start && given->paused) {
        complain("view: --start and --paused contradict each other");
        return EXIT_USAGE;
    }
    const bool result = is_result(given->file);
    job.started = result ? announce : announce_scene;
    if (result && (given->output || given->set_count || !isnan(given->until))) {
        complain("view: a result is shown as it is; --output, --set and --until are for scenes");
        return EXIT_USAGE;
    }
    job.view.result = result ? given->file : given->output;
    const int code = given->output ? check_result_path(given, "view", given->output) : EXIT_OK;
    if (code != EXIT_OK)
        return code;
    session_catch_signals();
    const tl_status status =
        result ? view_replay(&job, error, sizeof error) : view_simulate(&job, error, sizeof error);
    remove_page();
    if (status >= 0)
        return EXIT_OK;
    if (status == TL_BAD_DATA) /* starts with file:line:column, which editors make a link of */
        fprintf(stderr, "%s\n", error);
    else
        complain("%s", error);
    if (status == VIEW_BAD_STEP)
        return isnan(given->until) ? EXIT_DATA : EXIT_USAGE;
    return status == VIEW_NO_PORT ? EXIT_USAGE : exit_code(status, PHASE_MAKING);
}

#else

bool view_start(const view_options *o, const tl_document *document, tl_world *world, view **made,
                char *error, size_t room)
{
    (void)o, (void)document, (void)world;
    *made = NULL;
    snprintf(error, room, "%s", view_missing());
    return false;
}

const char *view_address(const view *v)
{
    (void)v;
    return "";
}

bool view_before_step(view *v, tl_world *world)
{
    (void)v, (void)world;
    return true;
}

void view_after_step(view *v, tl_world *world, const tl_report *report)
{
    (void)v, (void)world, (void)report;
}

void view_stay(view *v, tl_world *world)
{
    (void)v, (void)world;
}

int view_port(const view *v)
{
    (void)v;
    return 0;
}

const char *view_token(const view *v)
{
    (void)v;
    return "";
}

void view_stop(view *v)
{
    (void)v;
}

static void show_result(const session *s, int port, const char *token)
{
    (void)s, (void)port, (void)token;
}

int command_view(const options *given)
{
    (void)given;
    complain("%s", view_missing());
    return EXIT_BACKEND;
}

#endif

/* ---- talus run --view ---- */

static bool before_step(void *user, tl_world *world)
{
    return view_before_step(user, world);
}

static void after_step(void *user, tl_world *world, const tl_report *report)
{
    view_after_step(user, world, report);
}

int view_join(session *s)
{
    view_options o = options_of(s->given);
    view *v = NULL;
    char error[1024];
    o.until = s->until;
    o.result = s->result;
    if (!view_start(&o, s->document, s->world, &v, error, sizeof error)) {
        complain("%s", error);
        return view_missing() ? EXIT_BACKEND : EXIT_USAGE;
    }
    s->hook = (session_hook){.before_step = before_step, .after_step = after_step, .user = v};
    announce(view_address(v), (void *)(uintptr_t)s->given);
    return EXIT_OK;
}

void view_leave(session *s)
{
    if (s->hook.before_step != before_step)
        return;
    view *v = s->hook.user;
    if (!*session_signal()) {
        session_say(s->given, "%s is still shown at %s; Ctrl-C ends",
                    s->result ? s->result : "the last state", view_address(v));
        if (s->result) {
            char token[64];
            const int port = view_port(v);
            snprintf(token, sizeof token, "%s", view_token(v));
            view_stop(v); /* the page comes back to the same address by itself */
            v = NULL;
            show_result(s, port, token);
        } else {
            view_stay(v, s->world);
        }
    }
    view_stop(v);
    remove_page();
    s->hook = (session_hook){0};
}
