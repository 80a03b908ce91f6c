/* `talus run`: from a scene file to a recorded result. */
#include "files.h"
#include "movie.h"
#include "plan.h"
#include "session.h"
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The values of a scene file that options replace, most at once. */
enum { MOST_SETS = 10, SET_ROOM = 128 };

/* Writes NAME=VALUE with as few digits as say the number exactly. */
static void set_number(char text[SET_ROOM], const char *name, double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, SET_ROOM, "%s=%.*g", name, digits, value);
        if (strtod(strchr(text, '=') + 1, NULL) == value)
            return;
    }
}

/* Writes NAME=["A","B"] of "A,B", cut where it would be too long: no word of the scene is. */
static void set_list(char text[SET_ROOM], const char *name, const char *words)
{
    size_t n = (size_t)snprintf(text, SET_ROOM, "%s=[\"", name);
    for (; *words && n < SET_ROOM - 8; words++) {
        if (*words == ',')
            n += (size_t)snprintf(text + n, SET_ROOM - n, "\",\"");
        else
            text[n++] = *words;
    }
    snprintf(text + n, SET_ROOM - n, "\"]");
}

/* The options that scene files have words for, as --set would say them: so the scene that the
 * result keeps is the one that ran. `sets` has room for MOST_SETS more. */
static size_t add_sets(const options *given, char texts[][SET_ROOM], const char **sets,
                       size_t count)
{
    size_t n = 0;
    if (!isnan(given->until))
        set_number(texts[n++], "duration", given->until);
    if (!isnan(given->rate))
        set_number(texts[n++], "record.rate", given->rate);
    if (given->contacts)
        snprintf(texts[n++], SET_ROOM, "record.contacts=true");
    if (given->fields)
        set_list(texts[n++], "record.fields", given->fields);
    if (given->compression >= 0)
        snprintf(texts[n++], SET_ROOM, "record.compression=%s",
                 tl_word(TL_WORDS_COMPRESSION, (uint32_t)given->compression));
    if (given->solver >= 0)
        snprintf(texts[n++], SET_ROOM, "solver.kind=%s",
                 tl_word(TL_WORDS_SOLVER, (uint32_t)given->solver));
    if (given->iterations >= 0)
        snprintf(texts[n++], SET_ROOM, "solver.iterations=%lld", (long long)given->iterations);
    if (given->precision >= 0)
        snprintf(texts[n++], SET_ROOM, "settings.precision=%s",
                 tl_word(TL_WORDS_PRECISION, (uint32_t)given->precision));
    if (given->stepper >= 0)
        snprintf(texts[n++], SET_ROOM, "settings.stepper=%s",
                 tl_word(TL_WORDS_STEPPER, (uint32_t)given->stepper));
    if (given->planes >= 0)
        snprintf(texts[n++], SET_ROOM, "settings.planes=%s",
                 tl_word(TL_WORDS_PLANES, (uint32_t)given->planes));
    for (size_t i = 0; i < n; i++)
        sets[count + i] = texts[i];
    return count + n;
}

/* The scene's name without folder and extension, with .h5; the caller frees it. */
static char *default_result(const char *scene)
{
    const char *slash = strrchr(scene, '/'), *base = slash ? slash + 1 : scene;
    const char *dot = strrchr(base, '.');
    const size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    const size_t room = length + sizeof ".h5";
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%.*s.h5", (int)length, base);
    return name;
}

/* The command line as a shell would take it, for the note of the result; the caller frees it. */
static char *command_line(const options *given)
{
    size_t room = 16, length = 0;
    for (int i = 1; i < given->argc; i++)
        room += 4 * strlen(given->argv[i]) + 16;
    char *text = malloc(room);
    if (!text)
        return NULL;
    length = (size_t)snprintf(text, room, "talus");
    for (int i = 1; i < given->argc; i++) {
        text[length++] = ' ';
        length += quote_argument(given->argv[i], text + length, room - length);
    }
    return text;
}

static int start_recorder(session *s, const tl_record_def *record)
{
    char *note = command_line(s->given);
    if (!note)
        return out_of_memory();
    const tl_status status = tl_recorder_create(s->result, s->given->force, s->document, s->world,
                                                record, note, &s->recorder);
    free(note);
    return status < 0 ? complain_of(status, PHASE_RUNNING) : EXIT_OK;
}

static int read_scene(session *s)
{
    const options *given = s->given;
    char texts[MOST_SETS][SET_ROOM];
    const char **sets = malloc((given->set_count + MOST_SETS) * sizeof *sets);
    if (!sets)
        return out_of_memory();
    memcpy(sets, given->sets, given->set_count * sizeof *sets);
    const size_t count = add_sets(given, texts, sets, given->set_count);
    const int code = session_read(s, given->file, count, sets);
    free(sets);
    return code;
}

static int run_scene(session *s)
{
    plan ahead;
    pid_t movie = 0;
    int code = expect_scene("run", s->given->file);
    if (code == EXIT_OK && s->given->movie)
        code = movie_check("run --render", s->given->movie, false);
    if (code == EXIT_OK && s->result)
        code = check_result_path(s->given, "run", s->result);
    if (code == EXIT_OK)
        code = read_scene(s);
    if (code == EXIT_OK)
        code = plan_scene(s->given, s->document, 0, &ahead);
    if (code == EXIT_OK)
        code = session_make_world(s);
    if (code != EXIT_OK)
        return code;
    const tl_record_def record = tl_document_record(s->document);
    s->duration = s->until = record.duration;
    session_catch_signals();
    if (s->result)
        code = start_recorder(s, &record);
    if (code != EXIT_OK)
        return code;
    session_say(s->given, "%s: %zu bodies on %s, to t = %g s in steps of %g s%s%s", s->given->file,
                tl_world_body_count(s->world), tl_world_backend(s->world), s->until,
                tl_world_settings(s->world).step, s->result ? ", recording " : "",
                s->result ? s->result : "");
    if (s->given->movie)
        code = movie_follow(s->given, s->result, &movie);
    if (code == EXIT_OK && s->given->view)
        code = view_join(s);
    if (code == EXIT_OK)
        code = session_run(s);
    tl_recorder_close(s->recorder, NULL); /* where the run did not: so that the movie ends */
    s->recorder = NULL;
    const int drawn = movie ? movie_wait(s->given, movie) : EXIT_OK;
    view_leave(s);
    return code != EXIT_OK ? code : drawn;
}

int command_run(const options *given)
{
    session s = {.given = given};
    char *own = NULL;
    if (given->no_record && (given->output || given->force)) {
        complain("run: --no-record and %s contradict each other",
                 given->output ? "--output" : "--force");
        return EXIT_USAGE;
    }
    if (given->movie ? given->no_record : given->look != NULL) {
        complain(given->movie ? "run: --no-record and --render contradict each other: movies are "
                                "made of results"
                              : "run: --look is for --render");
        return EXIT_USAGE;
    }
    if (!given->no_record && !given->output) {
        own = default_result(given->file);
        if (!own)
            return out_of_memory();
    }
    s.result = given->no_record ? NULL : given->output ? given->output : own;
    const int code = run_scene(&s);
    session_free(&s);
    free(own);
    return code;
}
