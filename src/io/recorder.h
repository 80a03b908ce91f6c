/* The inside of a recorder. The caller's thread gathers what a frame needs into a slot
 * (recorder_gather.c); the recorder's thread writes slots to the file (recorder_write.c). A few
 * slots go round, so that memory is bounded: where the disk is slower than the simulation, the
 * simulation waits. */
#ifndef TL_IO_RECORDER_H
#define TL_IO_RECORDER_H

#include "io/h5file.h"
#include "io/result_geometries.h"
#include "io/result_layout.h"
#include "io/result_monitors.h"

#include <pthread.h>

#define TL_RECORDER_SLOTS 3

/* What is written together: the steps since the last slot, and a frame where one was due. */
typedef struct tl_slot {
    tl_frame *frame;
    bool has_frame;
    tl_array steps;    /* tl_step_row */
    tl_array monitors; /* double: a row of channels per step */
    tl_array bodies; /* tl_body_row: bodies that were not there before; their kind is still open */
    tl_array shapes; /* tl_shape_row: theirs */
    tl_array removals; /* tl_removal_row: bodies that are gone */
    tl_array contacts; /* tl_contact */
} tl_slot;

struct tl_recorder {
    char *path;
    size_t path_room;
    char id[TL_RESULT_ID_CHARS + 1];
    tl_record_def record;
    tl_array recorded; /* tl_body_range: what record.bodies points at */

    /* The caller's side. */
    double frame_time; /* of the last frame; its step follows */
    uint64_t frame_step;
    uint64_t last_step;  /* in /steps or of the last frame */
    double submitted;    /* ms, when the last slot was handed over */
    double checkpointed; /* ms, when the last checkpoint was written */
    tl_array alive;      /* uint32_t: bodies that the result has and that are not gone, ascending */
    tl_array handles;    /* tl_body: scratch */
    tl_array fresh;      /* tl_body: scratch, bodies that are new */
    tl_array numbers;    /* double: scratch */

    /* The recorder's thread's side; the caller's while that thread has nothing to do. */
    tl_h5_writer writer;
    tl_result_tables tables;
    tl_result_monitors monitors;
    tl_h5_table edits; /* the caller's; without a name where the file has none */
    tl_array columns;  /* bytes: scratch */
    tl_array rows;     /* size_t: scratch, rows of a frame that are recorded */
    tl_array held;     /* tl_frame_row: frames whose states are not in the file yet */
    double held_since; /* ms, when the first of these was taken */

    /* Between the two, under `mutex`. Slots first to first + filled - 1 are to be written; the one
     * after them is the caller's. */
    pthread_t thread;
    bool running;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    tl_slot slots[TL_RECORDER_SLOTS];
    uint32_t first, filled;
    bool stop;
    tl_status status; /* of the first failure, with its message */
    char message[1024];
};

/* Makes a recorder without a file. */
tl_status tl_recorder_make(const char *path, const tl_record_def *record, tl_recorder **recorder);

/* Starts the thread, once the file is ready. */
tl_status tl_recorder_start(tl_recorder *r);

/* Ends the thread when it has written what it was given, closes the file as it is and frees
 * everything. `name` stands for the file in messages. */
tl_status tl_recorder_destroy(tl_recorder *r, const char *name);

/* Takes the world's present state into a slot as a frame. */
tl_status tl_recorder_gather(tl_recorder *r, tl_world *world, tl_slot *slot);

/* Makes the table of edits; opens that of a file that is resumed and cuts it after `time`. Inside
 * tl_h5_begin() and _end(). */
tl_status tl_recorder_edits_create(tl_recorder *r);
tl_status tl_recorder_edits_cut(tl_recorder *r, double time);

/* Writes the frames that are held. Not inside tl_h5_begin(). */
tl_status tl_recorder_settle(tl_recorder *r);

/* The thread: writes slots until it is told to stop. */
void *tl_recorder_run(void *recorder);

#endif
