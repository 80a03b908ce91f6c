/* Inside the server: what view/server.c (connections), view/viewer.c and view/send.c (one viewer),
 * view/stage.c (packing live states) and view/http.c (files and checks) share. All of it belongs to
 * the server's thread, except where server_start() and server_stop() say otherwise. */
#ifndef TALUS_VIEW_SERVER_H
#define TALUS_VIEW_SERVER_H

#include "hub.h"

#include <libwebsockets.h>

enum {
    SERVER_VIEWERS = 64,         /* viewers at once */
    SERVER_TEXTS = 1024,         /* texts waiting for a viewer */
    SERVER_BYTES = 16 << 20,     /* bytes of texts and answers waiting for a viewer */
    SERVER_ROWS = 100000,        /* reports looked at for a viewer per second; twice that at once */
    SERVER_ANSWERS = 8 << 20,    /* no more reports are made while so many bytes of them wait */
    SERVER_PENDING = 8,          /* requests for frames of a recording that wait */
    SERVER_CACHE = 16,           /* frames of a recording that are kept */
    SERVER_CACHE_BYTES = 1 << 28 /* and the most they hold together, where there are several */
};

/* So many a second, with bursts. */
typedef struct bucket {
    double level, last;
} bucket;

bool bucket_take(bucket *bucket, double amount, double rate, double burst);

/* A message that waits to be sent. */
typedef struct message {
    struct message *next;
    view_buffer bytes;
    bool is_text;
} message;

/* What a viewer is to be told of the hub as it is when the message is sent, so that however often
 * it changes there is one message for it. In the order in which they are sent. */
enum { TELL_HELLO = 1, TELL_SETTINGS = 2, TELL_PAIRS = 4, TELL_STATE = 8 };

typedef struct message_queue {
    message *first, **last;
    size_t count, bytes;
} message_queue;

/* A body whose series a viewer of a live run wants. */
typedef struct watch {
    uint32_t body;
    double *rows; /* not sent yet */
    size_t count, room;
    double last; /* s, of the last row */
    bool gone, told;
} watch;

/* A monitor that a viewer plots. */
typedef struct plotted {
    char name[sizeof((tl_monitor_info *)0)->name];
    uint64_t next; /* steps of the trace that it was sent */
    bool told;     /* what there was when it began */
} plotted;

/* One viewer. */
typedef struct viewer {
    struct viewer *next;
    struct server *server;
    struct lws *wsi;
    uint32_t client;
    bucket rate;
    bucket rows;    /* of step reports that were looked at for it */
    char *received; /* a message of which not everything has come */
    size_t received_count;

    unsigned tell;          /* TELL_* */
    message_queue texts;    /* replies and names */
    message_queue answers;  /* binary ones, to commands */
    message_queue binaries; /* a group, or what introduces a session */
    bool dropped;           /* it is being closed: nothing more is kept for it */
    message *sending;
    size_t sent;
    size_t name_next, table_next, time_next;
    view_form_place form_next;
    bool table_told; /* at least one BODIES message was sent */

    unsigned fields;
    size_t contacts;
    double interval; /* s, between groups */
    double due;      /* s, the next group not before */
    bool reports;
    uint64_t report_next;
    int credits;
    uint32_t after;   /* only a frame of a higher sequence is sent */
    bool again;       /* even if the state has not changed */
    view_frame *base; /* sent last */
    watch watches[VIEW_MAX_WATCHES];
    size_t watch_count;
    plotted monitors[VIEW_MAX_MONITORS];
    size_t monitor_count;
    double measured; /* s, when a recording that is being read was last sent */

    view_command pending[SERVER_PENDING]; /* requests for frames */
    size_t pending_count;
    bool asked;         /* the first of them is with the source */
    bool reports_asked; /* a request for reports is, too */
    uint32_t shown;     /* the frame sent last */
} viewer;

typedef struct server {
    hub *hub;
    struct lws_context *context;
    pthread_t thread;
    atomic_bool stop;
    lws_sorted_usec_list_t timer;
    bucket requests;
    char host[128]; /* that it was told to bind to */
    bool any_host;  /* bound to all addresses */
    char token[33]; /* "": none is asked for */
    int port;
    char address[320]; /* to open */

    viewer *viewers;
    size_t viewer_count;
    uint32_t last_client;
    uint32_t epoch, settings_version, pairs_version, state_version;
    bool running; /* as the source last said */

    view_frame *current; /* live: the newest state, packed */
    uint32_t sequence;
    uint64_t current_version; /* of the state in it */
    double packed;            /* s, when it was packed */
    view_box box;
    uint32_t boxes; /* chosen so far */
    double smallest;
    uint8_t *how; /* VIEW_* by index of body */
    size_t how_count;
    size_t table_seen;
    view_pose *fixed;
    size_t fixed_count;
    uint32_t table_version;

    view_frame *cache[SERVER_CACHE]; /* recordings: the newest first */

    char result[4096]; /* that pictures are rendered of; "": none */
    pid_t (*render)(const char *const *arguments);
    struct {           /* the picture that is being rendered */
        pid_t process; /* 0: none */
        struct lws *wsi;
        double begun; /* s */
        char path[512];
    } picture;
} server;

/* Starts to listen and the thread, as the options say. NULL: `error` (VIEW_ERROR bytes) says why.
 */
struct view_options;
server *server_start(hub *hub, const struct view_options *options, char *error);

/* Ends connections and thread. */
void server_stop(server *server);

/* ---- viewer.c ---- */

viewer *viewer_open(server *server, struct lws *wsi);
void viewer_close(viewer *viewer);
void viewer_begin_epoch(viewer *viewer);

/* A whole message of the client. 0, or the code to close with. */
int viewer_receive(viewer *viewer, const char *text, size_t length);

void viewer_answer(viewer *viewer, const view_command *command, const char *error); /* NULL: none */

/* ---- send.c ---- */

/* The next message to send; NULL: none for now. */
message *viewer_next(viewer *viewer);

void viewer_text(viewer *viewer, char *text); /* taken over */
void viewer_bytes(viewer *viewer, view_buffer *bytes);
void viewer_frame(viewer *viewer, view_frame *frame); /* the answer to a request of a recording */
void viewer_tell(viewer *viewer, unsigned what);      /* TELL_* */

void viewer_wants_to_write(viewer *viewer);
void viewer_drop(viewer *viewer); /* closes it as soon as its socket's turn comes */

/* Whether it does not read what it asked for. Limits count what waits here, whether or not the
 * socket takes more; what the page must be told once is told of the present (viewer_tell()), groups
 * are made one at a time, and the rest ends the connection. */
bool viewer_is_stuck(const viewer *viewer);
void queue_put(message_queue *queue, view_buffer *bytes, bool is_text);
void queue_clear(message_queue *queue);
void message_free(message *message);

/* Writes `count` of a live run's step reports from `first` on, from the ring, to `out`. Copied in
 * batches, so that the simulation never waits longer than for one. False: the run started anew,
 * or overtook the copying. */
bool reports_copy(viewer *viewer, uint64_t first, uint64_t count, size_t points, bool answers,
                  uint32_t id, view_buffer *out);

/* Which steps the ring holds: *first to the one before the value. Those that the next steps push
 * out are left alone. */
uint64_t reports_kept(const viewer *viewer, uint64_t *first);

/* ---- plotted.c ---- */

/* Chooses the monitors that a viewer plots, by a list of names. False: `error` says why not. */
bool plotted_choose(viewer *viewer, const json_t *names, char error[VIEW_ERROR]);

/* The run started anew: they are sent from its start. */
void plotted_begin_epoch(viewer *viewer);

/* Puts what was measured since the last time among the binary messages. Whether that was
 * something. */
bool plotted_add(viewer *viewer);

/* ---- stage.c ---- */

/* Packs the newest capture, if there is one. */
void stage_pack(server *server);

/* Whether a viewer can be sent the present frame now; otherwise `level` says what it wants (as
 * hub.want). */
bool stage_ready(const server *server, const viewer *viewer, double now, int *level);

/* Tells the source what viewers want, and the timer when to look again. */
void stage_update(server *server);
void stage_begin_epoch(server *server);
void stage_free(server *server);
void stage_remember(server *server, view_frame *frame);
view_frame *stage_recall(const server *server, int64_t index);

/* ---- http.c ---- */

/* A file that is being sent. */
typedef struct http_transfer {
    const unsigned char *data;
    size_t bytes, sent;
    unsigned char *owned; /* freed at the end; NULL: it is the program's */
} http_transfer;

/* Refuses a request, and sends bytes; both as callbacks return. */
int http_refuse(struct lws *wsi, unsigned code, const char *why);
int http_send_bytes(struct lws *wsi, const char *type, const unsigned char *data, size_t bytes,
                    http_transfer *transfer);

/* Whether a Host header names this server. */
bool http_host_is_ours(const char *host, const char *bound, bool any);
/* Whether an Origin header is that of a page of this server, reached as Host says. */
bool http_origin_is_ours(const char *origin, const char *host);
bool http_token_is_right(const char *token, const char *given);

int http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                  size_t length);

/* ---- picture.c ---- */

/* A request for a rendered picture; whether it is there, asked by the request's timer; and the end
 * of a job whose page went away (NULL: of any). */
int picture_request(server *server, struct lws *wsi);
int picture_look(server *server, struct lws *wsi, http_transfer *transfer);
void picture_forget(server *server, struct lws *wsi);

#endif
