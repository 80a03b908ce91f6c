/* One run from its first step to its closed files: what run and resume (and a viewer) share. */
#ifndef TALUS_SESSION_H
#define TALUS_SESSION_H

#include "command.h"

#include <jansson.h>
#include <signal.h>

/* Somebody who looks on while a session runs, for example a viewer. Both are called by the thread
 * of the world and may be NULL. */
typedef struct session_hook {
    /* Before every step; may wait, and change the world. False stops the run as Ctrl-C does. */
    bool (*before_step)(void *user, tl_world *world);
    /* After every step, with its report, once it is recorded. */
    void (*after_step)(void *user, tl_world *world, const tl_report *report);
    void *user;
} session_hook;

typedef struct session {
    const options *given;
    tl_document *document;
    tl_world *world;
    tl_recorder *recorder; /* NULL: nothing is recorded */
    const char *result;    /* the path it records to; NULL as above */
    double duration;       /* s, what the result's scene says: `resume` stops there by itself */
    double until;          /* s, where this run stops */
    session_hook hook;
    tl_report report; /* of the last step; at the start what is known of the state */
    json_t *warned;   /* texts of what steps warned of, with --json; NULL: none are kept */
    struct {          /* the joint that was furthest off, where that was too far */
        tl_joint joint;
        double error; /* m */
        uint64_t step;
    } open;
} session;

/* Reads a scene file with `sets`. */
int session_read(session *s, const char *path, size_t set_count, const char *const *sets);

/* Makes the world on the backend that the options ask for; warns of overlapping bodies. */
int session_make_world(session *s);

/* The backend to try first, and whether the CPU may take over: the options ask for "auto". */
tl_backend_kind session_backend(const options *given, bool *fall_back);

/* The name of a backend, found by making the smallest of worlds on it; TL_NO_BACKEND or another
 * failure where it does not answer. */
tl_status backend_name(tl_backend_kind kind, char *text, size_t room);

/* From here on SIGINT, SIGTERM and SIGHUP end the session after a step; a second one ends the
 * process at once. To be called before a result is made. */
void session_catch_signals(void);

/* The signal that was caught, 0 before: for hooks that wait. */
const volatile sig_atomic_t *session_signal(void);

/* Steps until `until`, closes the recorder and says how it went. Returns an exit code. */
int session_run(session *s);

/* Frees everything. */
void session_free(session *s);

/* Prints a line to standard error unless --quiet. */
void session_say(const options *given, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
