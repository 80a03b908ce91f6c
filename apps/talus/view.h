/* The viewer as the rest of the command sees it: `talus run --view` starts it beside its loop, and
 * `talus view` is built on the same calls (apps/talus/view). A build without libwebsockets or npm
 * has no viewer: view_missing() says why, and view_start() fails with that text.
 *
 * The loop of a run:
 *     view_start(&options, document, world, &view);
 *     while (view_before_step(view, world)) {   // carries out commands; waits while paused
 *         tl_world_step(world, 1, &report);
 *         view_after_step(view, world, &report);  // hands a frame over if somebody wants one
 *     }
 *     view_stop(view);
 * Every call but view_start() does nothing for a NULL view, so that the loop is the same without.
 * All of them are called by one thread, the world's. None prints. */
#ifndef TALUS_APP_VIEW_H
#define TALUS_APP_VIEW_H

#include "talus/talus.h"
#include "talus/io.h"

#include <signal.h>
#include <sys/types.h>

typedef struct view view;

enum { VIEW_PORT = 8642 };

typedef struct view_options {
    const char *bind;   /* address to listen at; NULL: 127.0.0.1 */
    int port;           /* 0: any free one; -1: VIEW_PORT or one of the 20 that follow */
    bool no_token;      /* let everybody on this machine in; not with `bind` beyond it */
    const char *token;  /* the one to ask for; NULL: a new one */
    const char *source; /* the file's name, for the page */
    double until;       /* s, the end of the run; infinity: none */
    bool edit;          /* viewers may change the simulation */
    bool paused;        /* wait until a viewer starts it */
    bool wait;          /* wait until the first viewer is there */
    bool real_time;     /* no faster than real time */
    /* Whether a run to `until` may have a step (s); otherwise `why`, a text of `room` bytes, says
     * what is wrong with it. NULL: every step may be. */
    bool (*allows_step)(double until, double step, char *why, size_t room);
    const char *result; /* that pages may have pictures rendered of; NULL: none */
    pid_t (*render)(const char *const *arguments); /* starts `talus render`; NULL: cannot */
    const volatile sig_atomic_t *stop; /* not 0: view_before_step() returns false; may be NULL */
} view_options;

/* 127.0.0.1, VIEW_PORT or near, nothing else. */
view_options view_options_default(void);

/* NULL, or why this build has no viewer. */
const char *view_missing(void);

/* Starts the server. On failure returns false with the reason in `error` (a text of `room` bytes).
 */
bool view_start(const view_options *options, const tl_document *document, tl_world *world,
                view **made, char *error, size_t room);

/* The address to open, with its token. */
const char *view_address(const view *view);

/* Its port and its token ("": none). */
int view_port(const view *view);
const char *view_token(const view *view);

/* Carries out what viewers asked for, waits while the simulation is paused and as real time asks.
 * False: the stop flag was raised. */
bool view_before_step(view *view, tl_world *world);

/* After every step. */
void view_after_step(view *view, tl_world *world, const tl_report *report);

/* The run is over: goes on showing its last state until the stop flag is raised. */
void view_stay(view *view, tl_world *world);

/* Ends all connections and frees the viewer. */
void view_stop(view *view);

/* `talus run --view`: starts the viewer beside a session (apps/talus/session.h) and hooks it in.
 * Returns an exit code, the mistake told. view_leave(), once the run is over, goes on showing its
 * result (or its last state) until a signal comes, and ends it; without a viewer it does nothing.
 */
struct session;
int view_join(struct session *session);
void view_leave(struct session *session);

#endif
