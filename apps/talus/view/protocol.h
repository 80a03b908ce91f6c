/* The messages of docs/viewer-protocol.md: commands from text, answers to bytes. Pure functions:
 * view/server.c and the two sources (view/live.c, view/recording.c) call them, tests/viewer too. */
#ifndef TALUS_VIEW_PROTOCOL_H
#define TALUS_VIEW_PROTOCOL_H

#include "frame.h"

#include <jansson.h>

#define VIEW_PROTOCOL "talus-view-2"
enum { VIEW_PROTOCOL_VERSION = 2 };

enum {
    VIEW_MAX_MESSAGE = 16384, /* bytes of a client's message */
    VIEW_MAX_CREDITS = 4,
    VIEW_MAX_CONTACTS = 50000,
    VIEW_MAX_WATCHES = 16,
    VIEW_MAX_MONITORS = 16, /* plotted by a viewer */
    VIEW_MAX_PICK = 64,     /* contacts and shapes listed by pick */
    VIEW_MAX_SETS = 32,     /* overrides of a restart */
    VIEW_MAX_PAIRS = 1024,  /* pairs of materials changed at once */
    VIEW_CHUNK = 8192,      /* bodies of a BODIES message */
    VIEW_GROUP_ROWS = 256,  /* rows of reports in a group */
    VIEW_ERROR = 512        /* room of an error's text */
};

/* ---- bytes ---- */

/* A message being written. The server puts its frame header into the room before `data`. */
enum { VIEW_HEAD = 32 };

typedef struct view_buffer {
    unsigned char *memory; /* VIEW_HEAD bytes, then the message */
    size_t length;         /* of the message */
    size_t room;
    bool failed; /* no memory: the message is not whole */
} view_buffer;

unsigned char *view_buffer_data(const view_buffer *buffer);
void view_buffer_put(view_buffer *buffer, const void *bytes, size_t count);
void view_buffer_free(view_buffer *buffer);

/* ---- commands ---- */

typedef enum view_verb {
    VIEW_READY,
    VIEW_SUBSCRIBE,
    VIEW_FRAME,
    VIEW_TIMES,
    VIEW_REPORTS,
    VIEW_START,
    VIEW_STOP,
    VIEW_STEP,
    VIEW_PACE,
    VIEW_RESTART,
    VIEW_PICK,
    VIEW_FIND,
    VIEW_WATCH,
    VIEW_UNWATCH,
    VIEW_SET,
    VIEW_PAIRS,
    VIEW_UNDO,
    VIEW_DRAG,
    VIEW_RELEASE,
    VIEW_PUSH,
    VIEW_THROW,
    VIEW_REMOVE,
    VIEW_CHECKPOINT,
    VIEW_END,
    VIEW_LEAVE, /* of the server's own: the client is gone */
    VIEW_JOIN   /* and: it is there */
} view_verb;

/* A command. Which fields are used is the verb's matter; those left out have their defaults. */
typedef struct view_command {
    view_verb verb;
    uint32_t id; /* 0: no reply wanted */
    uint32_t client;
    uint32_t body;
    unsigned count;  /* credits; steps; points */
    bool full;       /* ready */
    double rate;     /* subscribe: 0 where left out */
    int fields;      /* subscribe: -1 where left out */
    int contacts;    /* subscribe: -1 where left out */
    int reports;     /* subscribe: -1 where left out */
    int monitors;    /* subscribe: how many of `args`, -1 where left out */
    int64_t index;   /* frame: -1 where it is by time; pick: of a frame, -1 where left out */
    int64_t base;    /* frame: -1: full */
    double time;     /* frame */
    bool latest;     /* frame */
    int64_t first;   /* reports */
    int64_t rows;    /* reports: -1: all */
    int real_time;   /* pace: -1 where left out */
    double speed;    /* pace: 0 where left out */
    bool reload;     /* restart */
    double point[3]; /* drag: target; throw: position; push: impulse */
    double velocity[3];
    double radius, density, frequency;
    uint32_t material; /* throw */
    char name[256];    /* find */
    json_t *args;      /* subscribe, restart (sets), set, pairs: the command itself; owned */
} view_command;

typedef enum view_verdict {
    VIEW_GOOD,
    VIEW_WRONG, /* well formed and wrong: `error` says how; verb and id are set as far as known */
    VIEW_MALFORMED /* the connection is to be closed */
} view_verdict;

view_verdict view_command_parse(const char *text, size_t length, view_command *command,
                                char error[VIEW_ERROR]);
void view_command_free(view_command *command);

/* The name of a verb, as in "do". */
const char *view_verb_name(view_verb verb);

/* Settings as text members, and a `set` command's members put into settings (which the world then
 * checks). False: `error` names the member. */
json_t *view_settings_to_json(const tl_settings *settings);
bool view_settings_from_json(tl_settings *settings, const json_t *command, char error[VIEW_ERROR]);

/* A pair of materials as messages list it: [a, b, friction, restitution]. */
typedef struct view_pair {
    uint32_t a, b;
    double friction, restitution;
} view_pair;

json_t *view_pair_to_json(const view_pair *pair);
bool view_pair_from_json(const json_t *list, view_pair *pair); /* false: it is no such list */

/* ---- texts ---- */

char *view_reply_ok(uint32_t id, json_t *members); /* members may be NULL; taken over */
char *view_reply_error(uint32_t id, const char *error);
json_t *view_vector(const double *values, int count);
json_t *view_report_columns(void);
json_t *view_series_columns(void);

/* ---- binary messages ---- */

/* Bodies from row *next on, at most VIEW_CHUNK of them; *next moves behind them. `all`: those that
 * are gone, too. */
void view_encode_bodies(const view_table *table, size_t *next, bool all, uint32_t epoch,
                        view_buffer *out);

/* Where the geometries that were sent end: whole forms, and parts of the next one. */
typedef struct view_form_place {
    size_t form, vertex, triangle;
} view_form_place;

enum { VIEW_PART = 65536 }; /* vertices and triangles of a message */

/* The next part of a form's vertices and triangles; *next moves behind it. */
void view_encode_form(const view_table *table, view_form_place *next, uint32_t epoch,
                      view_buffer *out);

/* A frame, as a difference to `base` where that is not NULL and has the same box. */
void view_encode_frame(const view_frame *frame, const view_frame *base, uint32_t epoch,
                       view_buffer *out);

/* One field (a VIEW_* bit) that the frame has. */
void view_encode_field(const view_frame *frame, unsigned field, uint32_t epoch, view_buffer *out);

void view_encode_contacts(const view_frame *frame, size_t most, uint32_t epoch, view_buffer *out);

/* Step reports, thinned to at most `points` rows: begun for `count` of them, which are then added
 * in as many calls as the caller likes. */
enum { VIEW_REPORT_COLUMNS = 29 };

typedef struct view_reports {
    size_t stride, left, folded;
    double row[VIEW_REPORT_COLUMNS];
} view_reports;

void view_reports_begin(view_reports *reports, size_t count, size_t points, bool answer,
                        uint32_t id, uint32_t epoch, view_buffer *out);
void view_reports_add(view_reports *reports, const tl_report *rows, size_t count, view_buffer *out);

enum { VIEW_SERIES_COLUMNS = 17 };
enum { VIEW_SERIES_LAST = 1, VIEW_SERIES_GONE = 2 };

/* A row of a body's series, moving or fixed. False: it is not there. */
bool view_series_row(const view_state *state, uint32_t body, double columns[VIEW_SERIES_COLUMNS]);

/* The row of a moving body in a state; the state's count where it has none. */
size_t view_find_row(const tl_frame_view *state, uint32_t body);
void view_encode_series(uint32_t body, const double *rows, size_t count, unsigned flags,
                        uint32_t epoch, view_buffer *out);

/* What a monitor measured: begun, filled with rows of the trace, of which the channels from `first`
 * on are its own, and ended. */
enum { VIEW_MONITOR_WHOLE = 1 };

typedef struct view_measures {
    size_t first, count; /* channels */
    uint32_t rows;
} view_measures;

void view_measures_begin(view_measures *measures, uint32_t monitor, unsigned flags, uint32_t epoch,
                         view_buffer *out);
void view_measures_add(view_measures *measures, const double *row, view_buffer *out);
void view_measures_end(const view_measures *measures, view_buffer *out);

void view_encode_times(const double *times, size_t first, size_t count, uint32_t epoch,
                       view_buffer *out);

#endif
