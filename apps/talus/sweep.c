/* `talus sweep`: a study of a scene, many runs with other values of its parameters. */
#define _GNU_SOURCE
#include "sweep.h"
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- the command line --- */

static int check_options(const options *given)
{
    if (!given->output)
        complain("sweep needs -o FOLDER");
    else if (!given->vary_count && !given->bisect)
        complain("sweep needs --vary NAME=VALUES or --bisect NAME=LOW:HIGH");
    else if (given->bisect && !given->where)
        complain("sweep: --bisect needs --where CONDITION");
    else if (!given->bisect && (given->where || !isnan(given->tolerance)))
        complain("sweep: %s is for --bisect", given->where ? "--where" : "--tolerance");
    else if (given->to < given->from)
        complain("sweep: --to %g is before --from %g", given->to, given->from);
    else
        return expect_scene("sweep", given->file);
    return EXIT_USAGE;
}

static int read_sets(study *s)
{
    const options *given = s->given;
    value_text value;
    s->sets = malloc((given->set_count + given->vary_count + 3) * sizeof *s->sets);
    if (!s->sets)
        return out_of_memory();
    memcpy(s->sets, given->sets, given->set_count * sizeof *s->sets);
    s->set_count = given->set_count;
    if (!isnan(given->until)) {
        write_value(value, given->until);
        snprintf(s->until, sizeof s->until, "duration=%s", value);
        s->sets[s->set_count++] = s->until;
    }
    return EXIT_OK;
}

/* --- the scene --- */

static int read_scene(study *s)
{
    tl_document *document = NULL;
    const tl_status status = tl_document_read(s->given->file, s->set_count, s->sets, &document);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    s->text = strdup(tl_document_text(document, NULL));
    tl_document_destroy(document);
    return s->text ? EXIT_OK : out_of_memory();
}

/* What the library says of a value that cannot be set, by the option that asked for it. */
static int complain_of_axis(const study *s, tl_status status)
{
    const char *message = tl_last_message();
    for (size_t i = 0; i < s->axis_count; i++) {
        const size_t length = strlen(s->axes[i].name);
        if (strncmp(message, "--set ", 6) != 0 ||
            strncmp(message + 6, s->axes[i].name, length) != 0 || message[6 + length] != ':')
            continue;
        complain("%s %s", i == s->x && s->given->bisect ? "--bisect" : "--vary", message + 6);
        return EXIT_USAGE;
    }
    return complain_of(status, PHASE_READING);
}

/* The scene of the first case tells which channels there are, and whether its values can be set. */
static int read_first_case(study *s)
{
    const sweep_case *c = s->cases[0];
    char(*own)[256] = malloc((s->axis_count + 1) * sizeof *own);
    tl_document *document = NULL;
    if (!own)
        return out_of_memory();
    for (size_t i = 0; i < s->axis_count; i++) {
        snprintf(own[i], sizeof own[i], "%s=%s", s->axes[i].name, c->values[i]);
        s->sets[s->set_count + i] = own[i];
    }
    const tl_status status =
        tl_document_read(s->given->file, s->set_count + s->axis_count, s->sets, &document);
    const int code = status < 0 ? complain_of_axis(s, status)
                                : study_read_measures(s, tl_document_scene(document));
    tl_document_destroy(document);
    free(own);
    return code;
}

/* --- the folder --- */

/* Whether a folder holds nothing but what a study that was killed at once has left. */
static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool empty = folder != NULL;
    while (folder && (entry = readdir(folder)))
        empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
                          !strcmp(entry->d_name, "scene.json.part"));
    if (folder)
        closedir(folder);
    return empty;
}

/* One study at a time works in a folder. Runs inherit the lock, so that it holds for as long as one
 * of them is left of a study that was killed. */
static int lock_folder(study *s)
{
    const struct timespec moment = {.tv_nsec = 50000000};
    s->lock = open(s->folder, O_RDONLY | O_DIRECTORY);
    if (s->lock < 0) {
        complain("sweep: %s cannot be opened: %s", s->folder, strerror(errno));
        return EXIT_FILE;
    }
    session_catch_signals();
    for (bool told = false; flock(s->lock, LOCK_EX | LOCK_NB) != 0; told = true) {
        if (errno != EWOULDBLOCK) /* a file system without locks */
            return EXIT_OK;
        if (*session_signal())
            return EXIT_SIGNAL + *session_signal();
        if (!told)
            study_say(s, "waiting for another study that works in %s", s->folder);
        nanosleep(&moment, NULL);
    }
    return EXIT_OK;
}

/* Past blanks, unless they stand in a string. */
static const char *past_blanks(const char *at, bool in_string)
{
    return in_string ? at : at + strspn(at, " \t\r\n");
}

bool same_scene(const char *a, const char *b, const char *starts[2])
{
    bool in_string = false;
    for (;; a++, b++) {
        a = past_blanks(a, in_string);
        b = past_blanks(b, in_string);
        if (*a != *b || !*a)
            return *a == *b;
        if (*a == '\\' && in_string && a[1] == b[1] && a[1]) {
            a++;
            b++;
        } else if (*a == '"') {
            in_string = !in_string;
        } else if (!in_string && (*a == ',' || *a == '{' || *a == '[')) {
            starts[0] = past_blanks(a + 1, false);
            starts[1] = past_blanks(b + 1, false);
        }
    }
}

/* Refuses a folder with another scene, and says where the two differ. */
static int refuse_other(const study *s, const char *const differ[2])
{
    enum { MOST = 60 };
    int shown[2];
    for (int i = 0; i < 2; i++) {
        shown[i] = (int)strcspn(differ[i], ",]}\n");
        shown[i] = shown[i] < MOST ? shown[i] : MOST;
    }
    complain("sweep: %s holds a study of another scene or of other settings: its scene.json has "
             "'%.*s' where there is '%.*s' now; -o names another folder",
             s->folder, shown[0], differ[0], shown[1], differ[1]);
    return EXIT_FILE;
}

/* Compares the scene that the folder keeps with the one given. */
static int compare_scene(const study *s, FILE *file)
{
    const size_t room = 2 * strlen(s->text) + 4096; /* of a longer one the start does */
    char *theirs = malloc(room);
    if (!theirs)
        return out_of_memory();
    theirs[fread(theirs, 1, room - 1, file)] = 0;
    const char *differ[2] = {theirs, s->text};
    const int code = same_scene(theirs, s->text, differ) ? EXIT_OK : refuse_other(s, differ);
    free(theirs);
    return code;
}

static int prepare_folder(study *s)
{
    char *path = study_path(s, "scene.json", "");
    if (!path)
        return out_of_memory();
    if (mkdir(s->folder, 0777) != 0 && errno != EEXIST) {
        complain("sweep: the folder %s cannot be made: %s", s->folder, strerror(errno));
        free(path);
        return EXIT_FILE;
    }
    int code = lock_folder(s);
    FILE *file = code == EXIT_OK ? fopen(path, "r") : NULL;
    free(path);
    if (code != EXIT_OK)
        return code;
    if (file) {
        code = compare_scene(s, file);
        fclose(file);
        return code;
    }
    if (!is_empty(s->folder)) {
        complain("sweep: %s is not empty and holds no study; -o names another folder", s->folder);
        return EXIT_FILE;
    }
    study_table t = table_start(s, "scene.json");
    if (t.file)
        fputs(s->text, t.file);
    return table_end(&t);
}

/* --- runs --- */

/* How many runs at once, and how many threads for each. On a GPU runs would only take its memory
 * from each other. */
static void share_threads(study *s)
{
    const options *given = s->given;
    char name[256];
    cpu_set_t set;
    const int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    const size_t total = given->threads > 0 ? (size_t)given->threads : (size_t)cores;
    const size_t most = given->bisect ? s->group_count : s->count;
    const bool gpu =
        given->backend == BACKEND_CUDA ||
        (given->backend == BACKEND_AUTO && backend_name(TL_BACKEND_CUDA, name, sizeof name) >= 0);
    if (given->jobs > 0)
        s->jobs = (uint32_t)given->jobs;
    else
        s->jobs = gpu ? 1 : (uint32_t)(most < total ? most : total);
    s->threads = (uint32_t)(total > s->jobs ? total / s->jobs : 1);
}

/* What a study tells at its end. */
static int tell(study *s, int code)
{
    facts f;
    facts_start(&f, s->given->json);
    if (s->given->json) {
        fact_count(&f, "runs", s->count);
        fact_count(&f, "finished", s->finished);
        fact_count(&f, "reused", s->reused);
        fact_count(&f, "failed", s->failed);
        fact_text(&f, "folder", s->folder);
    }
    if (s->searches) {
        const int told = study_tell_thresholds(s, &f);
        code = code != EXIT_OK ? code : told;
    }
    study_say(s, "%s: %zu of %zu runs finished, %zu of them before, %zu failed; %s/study.csv",
              s->folder, s->finished, s->count, s->reused, s->failed, s->folder);
    if (code >= EXIT_SIGNAL)
        study_say(s, "stopped; the same command goes on");
    const int printed = s->given->json ? facts_end(&f) : EXIT_OK;
    if (code != EXIT_OK)
        return code;
    return s->failed ? EXIT_FAILED : printed;
}

static int sweep(study *s)
{
    int code = check_options(s->given);
    if (code == EXIT_OK)
        code = read_sets(s);
    if (code == EXIT_OK)
        code = study_read_axes(s);
    if (code == EXIT_OK)
        code = read_scene(s);
    if (code == EXIT_OK)
        code = s->given->bisect ? study_start_searches(s) : study_add_grid(s);
    if (code == EXIT_OK)
        code = read_first_case(s);
    if (code == EXIT_OK)
        code = prepare_folder(s);
    if (code != EXIT_OK)
        return code;
    share_threads(s);
    study_say(s, "%s: %zu run%s%s, %u at once with %u thread%s each", s->given->file, s->count,
              s->count == 1 ? "" : "s", s->searches ? " to begin with" : "", s->jobs, s->threads,
              s->threads == 1 ? "" : "s");
    code = study_run(s);
    const int written = study_write(s);
    return tell(s, code != EXIT_OK ? code : written);
}

static void free_study(study *s)
{
    for (size_t i = 0; i < s->axis_count; i++) {
        free(s->axes[i].name);
        free(s->axes[i].values);
    }
    for (size_t i = 0; i < s->count; i++) {
        free(s->cases[i]->values);
        free(s->cases[i]->name);
        free(s->cases[i]->cells);
        free(s->cases[i]);
    }
    for (size_t i = 0; i < s->variable_count; i++)
        free((char *)s->variables[i]);
    for (size_t i = 0; i < s->measure_count; i++)
        free(s->measures[i]);
    for (size_t i = 0; i < s->column_count; i++) {
        free(s->columns[i].title);
        free(s->columns[i].label);
    }
    for (size_t i = 0; i < s->chart_count; i++) {
        free(s->charts[i].file);
        free(s->charts[i].label);
    }
    free(s->axes);
    free(s->cases);
    free(s->searches);
    free(s->channels);
    free(s->variables);
    free(s->measures);
    free(s->columns);
    free(s->charts);
    free(s->sets);
    free(s->text);
    free(s->folder);
    if (s->lock >= 0)
        close(s->lock);
}

int command_sweep(const options *given)
{
    study s = {.given = given, .lock = -1};
    if (given->output) {
        size_t length = strlen(given->output);
        while (length > 1 && given->output[length - 1] == '/')
            length--;
        s.folder = strndup(given->output, length);
        if (!s.folder)
            return out_of_memory();
    }
    const int code = sweep(&s);
    free_study(&s);
    return code;
}
