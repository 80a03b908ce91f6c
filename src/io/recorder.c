/* Recorders: making and resuming result files, and the caller's side of recording. */
#define _GNU_SOURCE
#include "io/recorder.h"
#include "base/clock.h"
#include "io/checkpoint.h"
#include "io/recorder_file.h"
#include "io/result.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEPS_KEPT 256   /* steps are handed over when there are so many */
#define MS_KEPT    250.0 /* or when the oldest has waited so long */

/* ---- Making and freeing ---- */

static void free_slots(tl_recorder *r)
{
    for (int i = 0; i < TL_RECORDER_SLOTS; i++) {
        tl_slot *s = &r->slots[i];
        tl_frame_destroy(s->frame);
        tl_array *arrays[] = {&s->steps,  &s->monitors, &s->bodies,
                              &s->shapes, &s->removals, &s->contacts};
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
            tl_array_free(arrays[k]);
    }
}

/* Ends the thread, after it has written what it was given. */
static void stop_thread(tl_recorder *r)
{
    if (!r->running)
        return;
    pthread_mutex_lock(&r->mutex);
    r->stop = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    pthread_join(r->thread, NULL);
    r->running = false;
}

tl_status tl_recorder_destroy(tl_recorder *r, const char *name)
{
    stop_thread(r);
    tl_h5_begin();
    if (r->writer.file >= 0)
        tl_result_tables_close(&r->tables);
    tl_result_monitors_close(&r->monitors);
    tl_h5_table_close(&r->edits);
    const tl_status status = tl_h5_close(&r->writer, name);
    tl_h5_end();
    free_slots(r);
    tl_array *arrays[] = {&r->alive,   &r->handles, &r->fresh,    &r->numbers,
                          &r->columns, &r->rows,    &r->recorded, &r->held};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->mutex);
    tl_free(r->path, r->path_room);
    tl_free(r, sizeof *r);
    return status;
}

static tl_status make_slots(tl_recorder *r)
{
    for (int i = 0; i < TL_RECORDER_SLOTS; i++) {
        tl_slot *s = &r->slots[i];
        s->steps.item = sizeof(tl_step_row);
        s->monitors.item = sizeof(double);
        s->bodies.item = sizeof(tl_body_row);
        s->shapes.item = sizeof(tl_shape_row);
        s->removals.item = sizeof(tl_removal_row);
        s->contacts.item = sizeof(tl_contact);
        TL_TRY(tl_frame_create(&s->frame));
    }
    r->alive.item = sizeof(uint32_t);
    r->handles.item = r->fresh.item = sizeof(tl_body);
    r->numbers.item = sizeof(double);
    r->columns.item = 1;
    r->rows.item = sizeof(size_t);
    r->held.item = sizeof(tl_frame_row);
    r->recorded.item = sizeof(tl_body_range);
    TL_TRY(tl_array_append(&r->recorded, r->record.bodies, r->record.body_count));
    r->record.bodies = r->recorded.data;
    return TL_OK;
}

tl_status tl_recorder_make(const char *path, const tl_record_def *record, tl_recorder **recorder)
{
    tl_recorder *r = tl_alloc_zero(sizeof *r);
    if (!r)
        return TL_NO_MEMORY;
    r->writer = (tl_h5_writer){.file = -1, .fd = -1};
    r->record = *record;
    r->monitors = tl_result_monitors_none();
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->changed, NULL);
    r->path_room = strlen(path) + 1;
    r->path = tl_alloc(r->path_room);
    tl_status status = r->path ? make_slots(r) : TL_NO_MEMORY;
    if (status < 0) {
        tl_recorder_destroy(r, path);
        return status;
    }
    memcpy(r->path, path, r->path_room);
    *recorder = r;
    return TL_OK;
}

/* Signals are for the program's own threads. */
tl_status tl_recorder_start(tl_recorder *r)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&r->thread, NULL, tl_recorder_run, r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return tl_fail(TL_NO_MEMORY, "%s: no thread to write it: %s", r->path, strerror(error));
    r->running = true;
    r->submitted = r->checkpointed = tl_now();
    return TL_OK;
}

/* ---- Slots ---- */

/* The failure of the recorder's thread, as this thread's. */
static tl_status failure(tl_recorder *r)
{
    pthread_mutex_lock(&r->mutex);
    const tl_status status = r->status;
    pthread_mutex_unlock(&r->mutex);
    return status < 0 ? tl_fail(status, "%s", r->message) : TL_OK;
}

/* Keeps a failure on this side as the recorder's: what was half gathered is not written. */
static tl_status keep_failure(tl_recorder *r, tl_status status)
{
    pthread_mutex_lock(&r->mutex);
    if (r->status == TL_OK) {
        r->status = status;
        snprintf(r->message, sizeof r->message, "%s", tl_last_message());
    }
    pthread_mutex_unlock(&r->mutex);
    return status;
}

/* The slot to gather into; waits until one is free. */
static tl_slot *free_slot(tl_recorder *r)
{
    pthread_mutex_lock(&r->mutex);
    while (r->filled == TL_RECORDER_SLOTS)
        pthread_cond_wait(&r->changed, &r->mutex);
    tl_slot *slot = &r->slots[(r->first + r->filled) % TL_RECORDER_SLOTS];
    pthread_mutex_unlock(&r->mutex);
    return slot;
}

static void submit(tl_recorder *r)
{
    pthread_mutex_lock(&r->mutex);
    r->filled++;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    r->submitted = tl_now();
}

/* Hands over what is gathered and waits until all is written. */
static tl_status drain(tl_recorder *r)
{
    if (free_slot(r)->steps.count)
        submit(r);
    pthread_mutex_lock(&r->mutex);
    while (r->filled)
        pthread_cond_wait(&r->changed, &r->mutex);
    pthread_mutex_unlock(&r->mutex);
    TL_TRY(failure(r));
    const tl_status status = tl_recorder_settle(r); /* its thread has nothing to do */
    return status < 0 ? keep_failure(r, status) : TL_OK;
}

/* Takes the present state as a frame. */
static tl_status take_frame(tl_recorder *r, tl_world *world, uint64_t step)
{
    TL_TRY(tl_recorder_gather(r, world, free_slot(r)));
    submit(r);
    r->frame_time = tl_world_time(world);
    r->frame_step = step;
    return TL_OK;
}

/* The steps a world has done, which only a frame tells. */
static tl_status steps_of(tl_recorder *r, tl_world *world, uint64_t *steps)
{
    tl_frame_view view;
    tl_slot *slot = free_slot(r);
    *steps = 0;
    TL_TRY(tl_world_capture(world, slot->frame));
    TL_TRY(tl_frame_read(slot->frame, &view));
    *steps = view.steps;
    return TL_OK;
}

/* ---- Checkpoints ---- */

/* Writes a checkpoint with these rows of the file, which holds all that was recorded and has the
 * name `path` now. */
static tl_status checkpoint(tl_recorder *r, const char *path, const tl_world *world,
                            const tl_result_rows *rows)
{
    tl_checkpoint c = {.rows = *rows};
    memcpy(c.id, r->id, sizeof c.id);
    if (fdatasync(r->writer.fd) != 0)
        return tl_fail(TL_FILE, "%s: %s", r->path, strerror(errno));
    TL_TRY(tl_world_save(world, &c.snapshot, &c.bytes));
    const tl_status status = tl_checkpoint_write(path, &c);
    tl_snapshot_free(c.snapshot, c.bytes);
    r->checkpointed = tl_now();
    return status;
}

tl_status tl_recorder_checkpoint(tl_recorder *recorder, tl_world *world)
{
    if (!recorder || !world)
        return tl_fail(TL_BAD_ARGUMENT, "tl_recorder_checkpoint: %s is NULL",
                       recorder ? "world" : "recorder");
    TL_TRY(drain(recorder));
    const tl_result_rows rows = tl_result_tables_rows(&recorder->tables);
    const tl_status status = checkpoint(recorder, recorder->path, world, &rows);
    return status < 0 ? keep_failure(recorder, status) : TL_OK;
}

/* ---- Creating ---- */

static tl_status check_record(const tl_record_def *d)
{
    if (!(d->duration > 0))
        return tl_fail(TL_BAD_ARGUMENT, "record.duration is %g; it must be above 0", d->duration);
    if (!(d->rate >= 0) || !isfinite(d->rate))
        return tl_fail(TL_BAD_ARGUMENT, "record.rate is %g; it must be finite and not below 0",
                       d->rate);
    if (!(d->checkpoint > 0))
        return tl_fail(TL_BAD_ARGUMENT, "record.checkpoint is %g; it must be above 0",
                       d->checkpoint);
    if (d->fields & ~(uint32_t)TL_RECORD_ALL_FIELDS)
        return tl_fail(TL_BAD_ARGUMENT,
                       "record.fields is %" PRIu32 "; it must be of tl_record_field", d->fields);
    if ((unsigned)d->compression > TL_COMPRESSION_QUANTISED)
        return tl_fail(TL_BAD_ARGUMENT, "record.compression is %d; it must be of tl_compression",
                       (int)d->compression);
    for (size_t i = 0; i < d->body_count; i++) {
        const tl_body_range *b = &d->bodies[i];
        const uint32_t first = b->first.index, before = i ? b[-1].first.index : 0;
        if (b->first.generation != 1)
            return tl_fail(TL_BAD_HANDLE,
                           "record.bodies[%zu].first: index %" PRIu32 ", generation %" PRIu32
                           " is no body; generations are 1",
                           i, first, b->first.generation);
        if (!first || !b->count || b->count - 1 > UINT32_MAX - first ||
            (i && first - before < b[-1].count) || first <= before)
            return tl_fail(TL_BAD_ARGUMENT,
                           "record.bodies[%zu] is %" PRIu32 " bodies from %" PRIu32
                           " on; ranges must be ascending and not empty",
                           i, b->count, first);
    }
    if (!(d->error > 0) || !isfinite(d->error))
        return tl_fail(TL_BAD_ARGUMENT, "record.error is %g; it must be finite and above 0",
                       d->error);
    return TL_OK;
}

static tl_status check_create(const char *path, bool replace, const tl_record_def *record,
                              const char *note)
{
    struct stat s;
    if (!*path)
        return tl_fail(TL_BAD_ARGUMENT, "tl_recorder_create: path is empty");
    TL_TRY(check_record(record));
    if (note && strlen(note) >= TL_NOTE_LIMIT)
        return tl_fail(TL_BAD_ARGUMENT, "note has %zu bytes; at most %d are kept", strlen(note),
                       TL_NOTE_LIMIT - 1);
    if (stat(path, &s) != 0)
        return errno == ENOENT ? TL_OK : tl_fail(TL_FILE, "%s: %s", path, strerror(errno));
    if (S_ISDIR(s.st_mode))
        return tl_fail(TL_FILE, "%s: %s", path, strerror(EISDIR));
    if (!replace)
        return tl_fail(TL_FILE, "%s: %s", path, strerror(EEXIST));
    if (!S_ISREG(s.st_mode))
        return tl_fail(TL_FILE, "%s: not a regular file", path);
    if (tl_h5_is_being_written(path))
        return tl_fail(TL_FILE, "%s: another process is writing it", path);
    return TL_OK;
}

/* Where a run that replaced a result was killed between its two renames, the result has its
 * checkpoint under the name that ours is going to have. */
static void settle_old(const char *path)
{
    tl_result *result = NULL;
    if (access(path, F_OK) != 0 || tl_result_open(path, &result) != TL_OK)
        return; /* nothing, or no result: nobody goes on with it */
    tl_checkpoint_settle(path, result->id);
    tl_result_close(result);
}

static tl_status make_id(char id[TL_RESULT_ID_CHARS + 1])
{
    unsigned char bytes[TL_RESULT_ID_CHARS / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return tl_fail(TL_FILE, "the system gives no random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(id + 2 * i, 3, "%02x", bytes[i]);
    return TL_OK;
}

/* How many bodies frames have, as far as it is known now. */
static uint64_t count_recorded(const tl_recorder *r, const tl_world *world)
{
    const tl_body_range *range = r->recorded.data;
    uint64_t count = 0;
    for (size_t i = 0; i < r->recorded.count; i++)
        count += range[i].count;
    const uint64_t all = tl_world_body_count(world);
    return count && count < all ? count : all;
}

/* Makes the file under the name `new`, ready for frames. */
static tl_status make_file(tl_recorder *r, const char *new, const tl_document *document,
                           const tl_world *world, const char *note)
{
    tl_h5_begin();
    tl_status status = tl_h5_create(new, r->path, &r->writer);
    if (status == TL_OK)
        status = tl_recorder_write_head(r->writer.file, r->path, document, &r->record,
                                        tl_world_backend(world), note, r->id);
    if (status == TL_OK)
        status = tl_result_tables_create(&r->tables, r->writer.file, r->path,
                                         count_recorded(r, world), &r->record);
    const tl_body_range *range = r->recorded.data;
    for (size_t i = 0; i < r->recorded.count && status == TL_OK; i++)
        status = tl_h5_table_append(&r->tables.table[TL_RECORDED], r->path, 1,
                                    (uint32_t[]){range[i].first.index, range[i].count});
    if (status == TL_OK)
        status = tl_result_monitors_create(&r->monitors, r->writer.file, r->path, world);
    if (status == TL_OK)
        status = tl_result_geometries_write(r->writer.file, r->path, world);
    if (status == TL_OK)
        status = tl_recorder_edits_create(r);
    if (status == TL_OK && H5Fstart_swmr_write(r->writer.file) < 0)
        status = tl_h5_fail(TL_FILE, r->path, "HDF5 cannot change to single-writer mode");
    const tl_status disk = tl_h5_check(&r->writer, r->path);
    tl_h5_end();
    return disk < 0 ? disk : status;
}

/* Gives the file its name, which must be free unless it is to be replaced. */
static tl_status name_file(const char *new, const char *path, bool replace)
{
    int done = renameat2(AT_FDCWD, new, AT_FDCWD, path, replace ? 0 : RENAME_NOREPLACE);
    if (done != 0 && (errno == EINVAL || errno == ENOSYS)) /* a file system without that flag */
        done = rename(new, path);
    if (done != 0)
        return tl_fail(TL_FILE, "%s: %s", path, strerror(errno));
    return TL_OK;
}

/* A file gets its name once it holds a frame and has its checkpoint, and after it the checkpoint:
 * whatever happens before that leaves the result and the checkpoint that were there before. */
static tl_status begin(tl_recorder *r, const char *new, bool replace, const tl_document *document,
                       tl_world *world, const char *note)
{
    uint64_t steps;
    TL_TRY(make_id(r->id));
    TL_TRY(make_file(r, new, document, world, note));
    TL_TRY(tl_recorder_start(r));
    TL_TRY(steps_of(r, world, &steps));
    TL_TRY(take_frame(r, world, steps));
    r->last_step = steps;
    TL_TRY(drain(r));
    const tl_result_rows rows = tl_result_tables_rows(&r->tables);
    TL_TRY(checkpoint(r, new, world, &rows));
    TL_TRY(name_file(new, r->path, replace));
    return tl_checkpoint_rename(r->path);
}

tl_status tl_recorder_create(const char *path, bool replace, const tl_document *document,
                             tl_world *world, const tl_record_def *record, const char *note,
                             tl_recorder **recorder)
{
    if (!recorder)
        return tl_fail(TL_BAD_ARGUMENT, "tl_recorder_create: recorder is NULL");
    *recorder = NULL;
    if (!path || !document || !world || !record)
        return tl_fail(TL_BAD_ARGUMENT, "tl_recorder_create: %s is NULL",
                       !path       ? "path"
                       : !document ? "document"
                       : !world    ? "world"
                                   : "record");
    TL_TRY(check_create(path, replace, record, note));
    settle_old(path);
    tl_recorder *r = NULL;
    TL_TRY(tl_recorder_make(path, record, &r));
    const size_t room = r->path_room + strlen(TL_NEW);
    char *new = tl_alloc(room);
    if (!new) {
        tl_recorder_destroy(r, path);
        return TL_NO_MEMORY;
    }
    snprintf(new, room, "%s" TL_NEW, path);
    const tl_status status = begin(r, new, replace, document, world, note);
    if (status < 0) {
        char text[sizeof r->message];
        snprintf(text, sizeof text, "%s", tl_last_message());
        if (r->writer.fd >= 0 && access(new, F_OK) == 0) /* it has not got its name */
            tl_checkpoint_discard(path);
        tl_recorder_destroy(r, path);
        tl_fail(status, "%s", text);
    } else {
        *recorder = r;
    }
    tl_free(new, room);
    return status < 0 ? status : TL_OK;
}

/* ---- Recording ---- */

tl_record_def tl_recorder_record(const tl_recorder *recorder)
{
    return recorder ? recorder->record : tl_record_default();
}

/* Which frame a time belongs to; a millionth of a frame is forgiven, for times are sums. */
static double frame_number(const tl_recorder *r, double time)
{
    return floor(time * r->record.rate + 1e-6);
}

static tl_step_row step_row(const tl_report *report)
{
    tl_step_row row;
#define X(type, name, member) row.name = (type)report->member;
    TL_STEP_FIELDS(X)
#undef X
    return row;
}

/* The row of a step in a slot, and what monitors measured in it. */
static tl_status take_step(const tl_world *world, const tl_report *report, tl_slot *slot)
{
    const tl_step_row row = step_row(report);
    const size_t before = slot->monitors.count, channels = tl_world_monitor_count(world);
    TL_TRY(tl_array_append(&slot->steps, &row, 1));
    if (!channels)
        return TL_OK;
    TL_TRY(tl_array_resize(&slot->monitors, before + channels));
    return tl_world_read_monitors(world, channels, (double *)slot->monitors.data + before);
}

tl_status tl_recorder_step(tl_recorder *recorder, tl_world *world, const tl_report *report)
{
    tl_recorder *r = recorder;
    if (!r || !world || !report)
        return tl_fail(TL_BAD_ARGUMENT, "tl_recorder_step: %s is NULL",
                       !r       ? "recorder"
                       : !world ? "world"
                                : "report");
    TL_TRY(failure(r));
    if (report->steps <= r->last_step)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_recorder_step: the report is of step %" PRIu64 "; step %" PRIu64
                       " is recorded already",
                       report->steps, r->last_step);
    tl_slot *slot = free_slot(r);
    tl_status status = take_step(world, report, slot);
    r->last_step = report->steps;
    if (status == TL_OK && r->record.rate > 0 &&
        frame_number(r, report->time) > frame_number(r, r->frame_time))
        status = take_frame(r, world, report->steps);
    else if (slot->steps.count >= STEPS_KEPT || tl_now() - r->submitted > MS_KEPT)
        submit(r);
    if (status < 0)
        return keep_failure(r, status);
    if (tl_now() - r->checkpointed > 1e3 * r->record.checkpoint)
        return tl_recorder_checkpoint(r, world);
    return TL_OK;
}

/* ---- Closing ---- */

/* The last frame, and a checkpoint from which an uninterrupted run goes on: one that does not count
 * a frame that is there only because the run ended here. */
static tl_status finish(tl_recorder *r, tl_world *world)
{
    uint64_t steps;
    TL_TRY(drain(r));
    const tl_result_rows rows = tl_result_tables_rows(&r->tables);
    TL_TRY(steps_of(r, world, &steps));
    if (steps != r->frame_step) {
        TL_TRY(take_frame(r, world, steps));
        TL_TRY(drain(r));
    }
    return checkpoint(r, r->path, world, &rows);
}

static tl_status mark_closed(tl_recorder *r)
{
    const uint8_t closed = 1;
    tl_h5_begin();
    tl_status status = tl_h5_write_number(r->writer.file, r->path, "closed", H5T_STD_U8LE,
                                          H5T_NATIVE_UINT8, &closed);
    if (status == TL_OK)
        status = tl_h5_check(&r->writer, r->path);
    tl_h5_end();
    return status;
}

tl_status tl_recorder_close(tl_recorder *recorder, tl_world *world)
{
    tl_recorder *r = recorder;
    if (!r)
        return TL_OK;
    char text[sizeof r->message];
    tl_status status = world ? finish(r, world) : drain(r);
    if (status == TL_OK)
        status = mark_closed(r);
    snprintf(text, sizeof text, "%s", tl_last_message());
    char *path = r->path;
    const size_t room = r->path_room;
    r->path = NULL;
    const tl_status closing = tl_recorder_destroy(r, path);
    if (status == TL_OK && closing < 0)
        snprintf(text, sizeof text, "%s", tl_last_message());
    if (status == TL_OK)
        status = closing;
    if (status < 0) { /* what is in the file stays readable, for other programs too */
        tl_h5_begin();
        tl_h5_settle(path);
        tl_h5_end();
        tl_fail(status, "%s", text);
    }
    tl_free(path, room);
    return status;
}
