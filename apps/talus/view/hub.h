/* What lies between the source of states (view/live.c or view/recording.c, on the caller's thread)
 * and the server (view/server.c, on its own). Commands go one way, states and answers the other;
 * neither side ever waits for the other to finish something, so that viewers cannot hold up a
 * simulation. Everything here is guarded by `lock` unless it says otherwise. */
#ifndef TALUS_VIEW_HUB_H
#define TALUS_VIEW_HUB_H

#include "protocol.h"
#include "trace.h"

#include <pthread.h>
#include <stdatomic.h>

enum { HUB_REQUESTS = 256, HUB_LEAVES = 64, HUB_REPORTS = 65536, HUB_CAPTURES = 3 };

/* A state as it was captured, not packed yet. */
typedef struct hub_capture {
    tl_frame *frame;
    uint32_t epoch;
    uint64_t version; /* of the state */
    double step;
    bool contacts_known;
    tl_contact *contacts;
    size_t contact_count, contact_room;
} hub_capture;

/* Something for one viewer (or for all: client 0). */
typedef struct hub_event {
    struct hub_event *next;
    uint32_t client;
    char *text;        /* a text message */
    view_buffer bytes; /* or a binary message, where its length is not 0 */
    bool reports_done; /* or the news that it may ask for reports again */
    bool is_frame;     /* or the answer to a request for a frame of a recording: */
    view_frame *frame; /* NULL: it could not be read */
} hub_event;

/* What `state` messages say. */
typedef struct hub_state {
    bool running, real_time, ended, growing;
    char undo[64]; /* what `undo` would take back; "": nothing */
    double speed, time;
    uint64_t steps, frames;
    char message[VIEW_ERROR];
} hub_state;

/* A body's name. */
typedef struct hub_name {
    uint32_t index;
    char *name;
} hub_name;

/* A monitor: its name, and which of the trace's channels are its own. */
typedef struct hub_monitor {
    char name[sizeof((tl_monitor_info *)0)->name];
    size_t first, count;
} hub_monitor;

typedef struct hub {
    pthread_mutex_t lock;
    pthread_cond_t commanded; /* there are requests, or a state is wanted */

    /* from the server to the source */
    view_command requests[HUB_REQUESTS + HUB_LEAVES]; /* a ring */
    size_t request_first, request_count;
    bool kicked;     /* something came since the source last looked */
    atomic_int want; /* 0 no state, 1 one that is newer than the last, 2 any. Not guarded */
    unsigned fields; /* that viewers want */
    size_t contacts; /* the most that a viewer wants */
    bool forces;     /* contacts are needed for forces */
    bool measures;   /* a viewer plots monitors */

    /* from the source to the server */
    atomic_uint_least64_t version; /* of the world's state: counts changes. Not guarded */
    bool live;
    bool renders; /* pictures of the result */
    uint32_t epoch;
    char *hello;    /* the text */
    char *settings; /* the text; NULL: none */
    char *pairs;    /* likewise */
    uint32_t settings_version, pairs_version;
    hub_state state;
    uint32_t state_version;
    hub_name *names;
    size_t name_count;
    view_table table;
    view_pose *fixed; /* fixed bodies that are there, by rising index */
    size_t fixed_count, fixed_room;
    uint32_t table_version; /* of table and fixed */
    view_box box;
    double *times; /* recordings */
    size_t time_count;
    tl_report *reports; /* a ring: report i lies at i % HUB_REPORTS */
    uint64_t report_count;
    hub_monitor *monitors;
    size_t monitor_count;
    view_trace trace;   /* of the channels of all monitors */
    bool trace_partial; /* recordings: there are more steps in the file that are being read */
    hub_capture captures[HUB_CAPTURES];
    int newest, reading; /* of captures; -1 none */
    hub_event *first, **last;

    void (*wake)(void *user); /* tells the server; set before the threads start */
    void *wake_user;
} hub;

bool hub_init(hub *hub, bool live);
void hub_free(hub *hub);

/* ---- for the server ---- */

/* False: the queue is full; the command is still the caller's. There is always room for VIEW_LEAVE.
 */
bool hub_request(hub *hub, const view_command *command);

/* What viewers want of the next state. */
void hub_want(hub *hub, int level, unsigned fields, size_t contacts, bool forces, bool measures);

/* All events since the last call; the caller frees them with hub_event_free(). */
hub_event *hub_take_events(hub *hub);
void hub_event_free(hub_event *event);

/* The newest capture of an epoch to read, NULL where there is none; give it back when it is packed.
 * One of an epoch that the server has not begun stays until it has. */
hub_capture *hub_take_capture(hub *hub, uint32_t epoch);
void hub_give_capture(hub *hub);

/* ---- for the source ---- */

/* The next command; waits up to `wait` seconds (0: not at all) for one or for `want` to rise.
 * False: there is none. */
bool hub_next_request(hub *hub, double wait, view_command *command);

/* These take over what they are given. A NULL text (no memory) is dropped. */
void hub_post_text(hub *hub, uint32_t client, char *text);
void hub_post_bytes(hub *hub, uint32_t client, view_buffer *bytes);
void hub_post_frame(hub *hub, uint32_t client, view_frame *frame);
void hub_post_reports_done(hub *hub, uint32_t client);
void hub_reply(hub *hub, const view_command *command, const char *error, json_t *members);

/* A capture to write to; hub_publish() then makes it the newest. */
hub_capture *hub_free_capture(hub *hub);
void hub_publish(hub *hub, const hub_capture *capture);

/* Changes what `state`, `settings` and `pairs` messages say, if anything differs. */
void hub_set_state(hub *hub, const hub_state *state);
void hub_set_settings(hub *hub, const tl_settings *settings);
void hub_set_pairs(hub *hub, char *text); /* taken over */

void hub_add_report(hub *hub, const tl_report *report);

/* Begins with these channels, grouped by the monitor that their names start with; the lock is held.
 * False: no memory, and there are none. */
bool hub_set_monitors(hub *hub, size_t count, const tl_monitor_info *channels);

/* What all channels were after `count` steps: a row for each report. */
void hub_add_measures(hub *hub, size_t count, const tl_report *reports, const double *values);

/* Forgets the names; the lock is held. */
void hub_clear_names(hub *hub);

/* Wakes the server to look at what changed. */
void hub_wake(hub *hub);

double hub_now(void); /* s, steady */

#endif
