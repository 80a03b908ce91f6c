/* The runs of a study, each a process of `talus run` or `talus resume`; sweep.h says who calls. */
#include "files.h"
#include "progress.h"
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- what is said --- */

static void clear_line(study *s)
{
    if (s->line)
        fputs("\r\033[K", stderr);
    s->line = false;
}

void study_say(study *s, const char *format, ...)
{
    va_list arguments;
    if (s->given->quiet)
        return;
    clear_line(s);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void study_complain(study *s, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    clear_line(s);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    complain("sweep: %s", text);
}

/* On a terminal: how far the study is. */
static void show_progress(study *s)
{
    static double last;
    const char *kind = getenv("TERM");
    const double now = wall_clock();
    char took[32];
    if (s->given->quiet || now - last < 0.2 || !isatty(STDERR_FILENO) || !kind ||
        !strcmp(kind, "dumb"))
        return;
    last = now;
    write_duration(now - s->start, took, sizeof took);
    fprintf(stderr, "\r%zu of %zu runs finished, %zu failed, %zu at work, %s\033[K", s->finished,
            s->count, s->failed, s->running, took);
    fflush(stderr);
    s->line = true;
}

/* --- what is there --- */

char *study_path(const study *s, const char *name, const char *ending)
{
    const size_t room = strlen(s->folder) + strlen(name) + strlen(ending) + 2;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%s/%s%s", s->folder, name, ending);
    return path;
}

/* Whether a result has reached its end. */
static bool is_finished(tl_result *result)
{
    const tl_result_info info = tl_result_describe(result);
    tl_document *document = NULL;
    if (!info.closed || tl_result_document(result, &document) < 0)
        return false;
    const double step = tl_scene_settings(tl_document_scene(document)).step;
    const double duration = tl_document_record(document).duration;
    tl_document_destroy(document);
    return info.last_time >= duration - 0.5 * step;
}

/* Puts a result that is damaged out of the way; one that cannot be read for another reason is left
 * alone. */
static int put_aside(study *s, const sweep_case *c, const char *path, tl_status status)
{
    char *aside = study_path(s, c->name, ".h5.damaged");
    if (!aside)
        return out_of_memory();
    int code = EXIT_OK;
    if (status != TL_BAD_DATA || rename(path, aside) != 0) {
        study_complain(s, "%s failed: %s", c->name, tl_last_message());
        code = EXIT_FILE;
    } else {
        study_say(s, "%s: the result is damaged, kept as %s and made again (%s)", c->name, aside,
                  tl_last_message());
    }
    free(aside);
    return code;
}

/* Reads a result that is finished into its case; says so by *finished. `goes_on` receives whether
 * there is something to resume. */
static int look(study *s, sweep_case *c, const char *path, bool *finished, bool *goes_on)
{
    tl_result *result = NULL;
    const file_kind kind = file_kind_of(path);
    int code = EXIT_OK;
    *finished = *goes_on = false;
    if (kind == FILE_MISSING || kind == FILE_EMPTY) /* an empty one: killed at once */
        return EXIT_OK;
    const tl_status status = tl_result_open(path, &result);
    if (status < 0)
        return put_aside(s, c, path, status);
    *finished = is_finished(result);
    *goes_on = tl_result_describe(result).has_checkpoint;
    if (*finished)
        code = study_measure(s, c, result);
    tl_result_close(result);
    return code;
}

/* The scene must not change while its study goes on, or its runs would not belong together. */
static int check_scene(study *s)
{
    tl_document *document = NULL;
    const tl_status status = tl_document_read(s->given->file, s->set_count, s->sets, &document);
    if (status < 0) {
        clear_line(s);
        return complain_of(status, PHASE_READING);
    }
    const char *differ[2];
    const bool same = same_scene(tl_document_text(document, NULL), s->text, differ);
    tl_document_destroy(document);
    if (!same)
        study_complain(s, "%s has changed while its study went on; -o names another folder",
                       s->given->file);
    return same ? EXIT_OK : EXIT_DATA;
}

/* --- processes --- */

/* In the new process. Its group is its own, so that Ctrl-C reaches it through the study alone,
 * once; where the study is killed, the run ends as by Ctrl-C. */
static void become(char **argv, const char *log, bool anew, pid_t parent)
{
    const int file = open(log, O_WRONLY | O_CREAT | (anew ? O_TRUNC : O_APPEND), 0666);
    const int nothing = open("/dev/null", O_RDONLY);
    char self[4096];
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_SIGNAL + SIGTERM);
    if (file < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0)
        _exit(EXIT_FILE);
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    execv(self, argv); /* by its name, which `ps` shows */
    fprintf(stderr, "talus: cannot run itself: %s\n", strerror(errno));
    _exit(EXIT_FAILED);
}

/* The command line of a run; the texts of its own settings are in `own`. */
static void write_command(const study *s, const sweep_case *c, const char *path, bool goes_on,
                          const char *threads, char (*own)[256], const char **argv)
{
    static const char *const backends[] = {"auto", "cpu", "cuda"};
    size_t n = 0;
    argv[n++] = "talus";
    argv[n++] = goes_on ? "resume" : "run";
    argv[n++] = "--threads";
    argv[n++] = threads;
    argv[n++] = "--backend";
    argv[n++] = backends[s->given->backend];
    for (size_t i = 0; i < s->set_count && !goes_on; i++) {
        argv[n++] = "--set";
        argv[n++] = s->sets[i];
    }
    for (size_t i = 0; i < s->axis_count && !goes_on; i++) {
        snprintf(own[i], sizeof own[i], "%s=%s", s->axes[i].name, c->values[i]);
        argv[n++] = "--set";
        argv[n++] = own[i];
    }
    if (!goes_on) {
        argv[n++] = "--output";
        argv[n++] = path;
    }
    argv[n++] = "--";
    argv[n++] = goes_on ? path : s->given->file;
    argv[n] = NULL;
}

static int start_process(study *s, sweep_case *c, const char *path, bool goes_on)
{
    char threads[32];
    const char **argv = malloc((2 * s->set_count + 2 * s->axis_count + 16) * sizeof(char *));
    char(*own)[256] = malloc((s->axis_count + 1) * sizeof *own);
    char *log = study_path(s, c->name, ".log");
    const pid_t parent = getpid();
    int code = argv && own && log ? EXIT_OK : out_of_memory();
    if (code == EXIT_OK) {
        snprintf(threads, sizeof threads, "%u", s->threads);
        write_command(s, c, path, goes_on, threads, own, argv);
        fflush(NULL);
        c->process = fork();
        if (c->process == 0)
            become((char **)argv, log, !goes_on, parent);
        if (c->process < 0) {
            study_complain(s, "cannot start a run: %s", strerror(errno));
            code = EXIT_FAILED;
        } else {
            c->state = CASE_RUNNING;
            s->running++;
        }
    }
    free(argv);
    free(own);
    free(log);
    return code;
}

/* The reason in the log of a run: the first error of the command, or its last line. */
static void read_reason(const study *s, const sweep_case *c, char *text, size_t room)
{
    char line[1024], *path = study_path(s, c->name, ".log");
    FILE *file = path ? fopen(path, "r") : NULL;
    snprintf(text, room, "no reason given");
    while (file && fgets(line, sizeof line, file)) {
        const bool error = !strncmp(line, "talus: ", 7);
        line[strcspn(line, "\n")] = 0;
        if (*line)
            snprintf(text, room, "%s", error ? line + 7 : line);
        if (error)
            break;
    }
    if (file)
        fclose(file);
    free(path);
}

/* --- one case --- */

static int settle(study *s, sweep_case *c, case_state state)
{
    c->state = state;
    s->finished += state == CASE_FINISHED;
    s->failed += state == CASE_FAILED;
    return s->searches && state != CASE_UNFINISHED ? study_advance(s, c->group) : EXIT_OK;
}

static void say_finished(study *s, const sweep_case *c, const char *how)
{
    char condition[64] = "", of[32] = "";
    if (s->given->where)
        snprintf(condition, sizeof condition, ", the condition %s",
                 c->truth != 0 ? "holds" : "does not hold");
    if (!s->searches) /* these add runs as they go */
        snprintf(of, sizeof of, "/%zu", s->count);
    study_say(s, "[%zu%s] %s: %s%s", s->finished + s->failed + 1, of, c->name, how, condition);
}

/* Starts a case, or finds it finished. */
static int begin(study *s, sweep_case *c)
{
    char *path = study_path(s, c->name, ".h5"),
         *checkpoint = study_path(s, c->name, ".h5.checkpoint");
    bool finished = false, goes_on = false;
    int code = path && checkpoint ? EXIT_OK : out_of_memory();
    if (code == EXIT_OK && look(s, c, path, &finished, &goes_on) != EXIT_OK) {
        code = settle(s, c, CASE_FAILED);
    } else if (code == EXIT_OK && finished) {
        s->reused++;
        say_finished(s, c, "was finished before");
        code = settle(s, c, CASE_FINISHED);
    } else if (code == EXIT_OK) {
        if (!goes_on) { /* killed before there was anything to go on from */
            unlink(path);
            unlink(checkpoint);
            code = check_scene(s);
        }
        if (code == EXIT_OK)
            code = start_process(s, c, path, goes_on);
    }
    free(path);
    free(checkpoint);
    return code;
}

/* A run has ended. */
static int end(study *s, sweep_case *c, int status, bool stopping)
{
    char reason[1024], how[64];
    char *path = study_path(s, c->name, ".h5");
    bool finished = false, goes_on = false;
    const bool done = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK;
    s->running--;
    if (!path)
        return out_of_memory();
    const int code = done ? look(s, c, path, &finished, &goes_on) : EXIT_OK;
    free(path);
    if (finished && code == EXIT_OK) {
        snprintf(how, sizeof how, "finished, %.3g s in steps", c->seconds);
        say_finished(s, c, how);
        return settle(s, c, CASE_FINISHED);
    }
    if (code != EXIT_OK) /* told */
        return settle(s, c, CASE_FAILED);
    if (stopping)
        return settle(s, c, CASE_UNFINISHED);
    if (WIFSIGNALED(status))
        snprintf(reason, sizeof reason, "ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        read_reason(s, c, reason, sizeof reason);
    if (WIFEXITED(status))
        study_complain(s, "%s failed (exit code %d): %s", c->name, WEXITSTATUS(status), reason);
    else
        study_complain(s, "%s failed: %s", c->name, reason);
    return settle(s, c, CASE_FAILED);
}

/* --- all of them --- */

static void stop_all(const study *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->cases[i]->state == CASE_RUNNING)
            kill(s->cases[i]->process, SIGTERM);
}

static sweep_case *case_of(const study *s, pid_t process)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->cases[i]->state == CASE_RUNNING && s->cases[i]->process == process)
            return s->cases[i];
    return NULL;
}

int study_run(study *s)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    int code = EXIT_OK;
    bool stopping = false;
    s->start = wall_clock();
    session_catch_signals();
    for (;;) {
        while (code == EXIT_OK && !*session_signal() && s->running < s->jobs && s->next < s->count)
            code = begin(s, s->cases[s->next++]);
        if (!stopping && (code != EXIT_OK || *session_signal())) {
            stopping = true;
            stop_all(s);
        }
        if (!s->running && (stopping || s->next == s->count))
            break;
        int status = 0;
        const pid_t process = waitpid(-1, &status, WNOHANG);
        sweep_case *c = process > 0 ? case_of(s, process) : NULL;
        if (c) {
            const int ended = end(s, c, status, stopping);
            code = code != EXIT_OK ? code : ended;
        } else {
            show_progress(s);
            nanosleep(&moment, NULL);
        }
    }
    clear_line(s);
    if (*session_signal())
        return EXIT_SIGNAL + *session_signal();
    return code;
}
