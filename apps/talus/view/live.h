/* A live run: a world whose states are shown and that viewers command. view/live.c holds the loop's
 * side, view/edit.c what commands do to the world, view/bodies.c how the table follows the world.
 * The calls of view.h are built on it; view/watch.c (`talus view SCENE`) uses it directly, because
 * it can restart. All of it belongs to the thread of the world. */
#ifndef TALUS_VIEW_LIVE_H
#define TALUS_VIEW_LIVE_H

#include "server.h"
#include "source.h"

enum { LIVE_DRAGS = SERVER_VIEWERS, LIVE_UNDO = 64 };

/* A spring between a body and the hand of a viewer. */
typedef struct live_drag {
    uint32_t client;
    tl_body body;
    double target[3];
    double frequency; /* Hz */
} live_drag;

/* How a change is taken back. */
typedef struct live_undo {
    char what[64];        /* the change, in words */
    json_t *command;      /* "set", "pairs", "push" or "remove"; "restore": the body below */
    tl_body_def body;     /* as it was when it was removed */
    tl_shape_def *shapes; /* of it; owned */
} live_undo;

/* What only the owner of the world can do. Each returns false with a reason in `error`. */
typedef struct live_owner {
    void *user;
    /* Makes the world anew; *world, *document and *until, the end of the run, change, or stay on
     * failure. NULL: not possible. */
    bool (*restart)(void *user, const view_command *command, tl_world **world,
                    const tl_document **document, double *until, char error[VIEW_ERROR]);
    /* Writes a checkpoint; *file names it. NULL: nothing is recorded. */
    bool (*checkpoint)(void *user, tl_world *world, const char **file, char error[VIEW_ERROR]);
    /* Marks that viewers changed the run: `text` is the command. NULL: nothing is recorded. */
    bool (*edited)(void *user, const tl_world *world, const char *text, char error[VIEW_ERROR]);
} live_owner;

struct view {
    hub hub;
    server *server;
    view_options options;
    live_owner owner;
    const tl_document *document;
    char source[256];
    char backend[128];

    hub_state state;
    bool waiting_for_viewer;  /* it starts when the first one is there */
    bool finished;            /* there are no more steps, whatever viewers say */
    bool over;                /* a viewer has ended the run */
    unsigned steps_due;       /* asked for one by one */
    view_command waiting[16]; /* `step` commands that are answered when they are done */
    size_t waiting_count;
    double pace_wall, pace_time; /* when it was at which time: real time counts from there */
    double until;

    uint64_t published;        /* the version of the state that was handed over last */
    uint64_t emitted, removed; /* as last reported */
    bool bodies_changed;       /* the table does not hold the world's bodies */
    double table_due;          /* s, it is brought up to date not before */
    tl_settings settings;      /* last told */

    tl_monitor_info *channels; /* of monitors */
    double *values;            /* of them, for a while */
    size_t channel_count;

    live_undo undo[LIVE_UNDO]; /* the last one last */
    size_t undo_count;

    live_drag drags[LIVE_DRAGS];
    size_t drag_count;
};

/* As view_start(), with an owner. */
view *live_start(const view_options *options, const live_owner *owner, const tl_document *document,
                 tl_world *world, char error[VIEW_ERROR]);

/* As view_before_step(); *world changes where it is restarted. */
bool live_before_step(view *v, tl_world **world);

/* The step failed: pauses and tells why. */
void live_failed(view *v, const char *why);

/* ---- edit.c ---- */

/* Carries out a command and replies. */
void live_command(view *v, view_command *command, tl_world **world);

/* Answers the `step` commands: their steps are done, or will not be (`error`). */
void live_answer_steps(view *v, const char *error);

/* Pulls the bodies that are being dragged; before every step. */
void live_pull(view *v, tl_world *world);

/* ---- undo.c ---- */

/* Puts what takes a change back on top of the others; `command` is taken over. */
void live_remember(view *v, const char *what, json_t *command);

/* The same for a body that is about to be removed: all that is needed to put it back. False: it
 * cannot be (a prescribed body, whose motion is not known; one with joints or rods, which go with
 * it; or no memory). */
bool live_save_body(const tl_world *world, tl_body body, live_undo *saved);
void live_remember_body(view *v, live_undo *saved); /* taken over */

/* Takes the last one off; false: there is none. The caller frees it with live_undo_free(). */
bool live_take_undo(view *v, live_undo *last);
void live_undo_free(live_undo *undo);

/* Puts a removed body back. It has another index then, which what is left to be taken back means.
 */
bool live_restore(view *v, const live_undo *undo, tl_world *world, tl_body *body, char *error);

/* Forgets what could be taken back. */
void live_forget_undo(view *v);

/* ---- bodies.c ---- */

/* Begins a new epoch with the bodies of a world. False: no memory. */
bool live_begin(view *v, tl_world *world);

/* Brings the table up to date with the world. */
bool live_follow_bodies(view *v, tl_world *world, source_hello *hello);

#endif
