/* Going on with a result: everything is checked and made before the file is touched; then what is
 * after the checkpoint is cut, in an order that leaves a whole file whenever the process is killed.
 */
#include "io/checkpoint.h"
#include "io/recorder.h"
#include "io/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static tl_status check_rows(const tl_result_rows *want, const tl_result_rows *have,
                            const char *path)
{
    const struct {
        const char *name;
        uint64_t want, have;
    } tables[] = {
        {"frames", want->frames, have->frames},       {"steps", want->steps, have->steps},
        {"bodies", want->bodies, have->bodies},       {"shapes", want->shapes, have->shapes},
        {"removals", want->removals, have->removals}, {"states", want->states, have->states},
        {"contacts", want->contacts, have->contacts},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].want > tables[i].have)
            return tl_fail(TL_BAD_DATA,
                           "%s: its checkpoint was written when /%s had %" PRIu64
                           " rows; now there are %" PRIu64,
                           path, tables[i].name, tables[i].want, tables[i].have);
    return want->frames ? TL_OK
                        : tl_fail(TL_BAD_DATA, "%s: its checkpoint speaks of no frame", path);
}

/* Rows that count: those of whole frames, and of steps. */
static tl_result_rows whole_rows(const tl_result *result)
{
    const tl_frame_row last = tl_result_last(result);
    return (tl_result_rows){.frames = result->frames.count,
                            .steps = result->steps,
                            .bodies = last.bodies,
                            .shapes = last.shapes,
                            .removals = last.removals,
                            .states = tl_result_tables_next(&result->tables, TL_STATE_BODY,
                                                            last.state_first + last.state_count),
                            .contacts =
                                tl_result_tables_next(&result->tables, TL_CONTACT_BODY,
                                                      last.contact_first + last.contact_count)};
}

/* The bodies that are there in the frame at which the file is cut. */
static tl_status find_alive(tl_recorder *r, tl_result *result, const tl_frame_row *frame)
{
    TL_TRY(tl_result_load_bodies(result));
    TL_TRY(tl_array_resize(&r->alive, (size_t)frame->bodies));
    const tl_body_row *row = result->bodies.data;
    const tl_removal_row *removal = result->removals.data;
    uint32_t *alive = r->alive.data;
    for (size_t i = 0; i < frame->bodies; i++)
        alive[i] = row[i].body;
    for (size_t i = 0; i < frame->removals; i++) {
        const size_t at = (size_t)(tl_result_find_body(result, removal[i].body) - row);
        if (at < frame->bodies)
            alive[at] = 0;
    }
    size_t kept = 0;
    for (size_t i = 0; i < frame->bodies; i++)
        if (alive[i])
            alive[kept++] = alive[i];
    r->alive.count = kept;
    return TL_OK;
}

/* What a recorder knows of the frames before. */
static tl_status take_over(tl_recorder *r, tl_result *result, const tl_result_rows *rows)
{
    const tl_frame_row *frame = (const tl_frame_row *)result->frames.data + rows->frames - 1;
    tl_report last = {0};
    if (rows->steps)
        TL_TRY(tl_result_read_reports(result, rows->steps - 1, 1, &last));
    memcpy(r->id, result->id, sizeof r->id);
    r->frame_time = frame->time;
    r->frame_step = frame->step;
    r->last_step = last.steps > frame->step ? last.steps : frame->step;
    return find_alive(r, result, frame);
}

/* Opens the file for writing and cuts it. */
static tl_status cut_file(tl_recorder *r, const tl_world *world, const tl_result_rows *rows)
{
    const uint8_t closed = 0;
    TL_TRY(tl_h5_reopen(r->path, &r->writer));
    tl_checkpoint_settle(r->path, r->id); /* the lock is ours now */
    TL_TRY(tl_result_tables_open(&r->tables, r->writer.file, r->path, UINT64_MAX));
    tl_result_tables_round(&r->tables, &r->record);
    const tl_result_rows have = tl_result_tables_rows(&r->tables);
    TL_TRY(check_rows(rows, &have, r->path));
    TL_TRY(tl_result_monitors_open(&r->monitors, r->writer.file, r->path, UINT64_MAX));
    TL_TRY(tl_result_monitors_match(&r->monitors, r->path, world));
    TL_TRY(tl_h5_write_number(r->writer.file, r->path, "closed", H5T_STD_U8LE, H5T_NATIVE_UINT8,
                              &closed));
    if (H5Fflush(r->writer.file, H5F_SCOPE_LOCAL) < 0)
        return tl_h5_fail(TL_FILE, r->path, "HDF5 cannot write it out");
    TL_TRY(tl_result_tables_cut(&r->tables, r->writer.file, r->path, rows));
    TL_TRY(tl_result_monitors_cut(&r->monitors, r->path, rows->steps));
    TL_TRY(tl_recorder_edits_cut(r, tl_world_time(world)));
    if (H5Fflush(r->writer.file, H5F_SCOPE_LOCAL) < 0)
        return tl_h5_fail(TL_FILE, r->path, "HDF5 cannot write it out");
    return tl_h5_check(&r->writer, r->path);
}

/* Reads what is needed of the result and its checkpoint. */
static tl_status prepare(const char *path, tl_result **result, tl_checkpoint *c,
                         tl_document **document)
{
    TL_TRY(tl_result_open(path, result));
    TL_TRY(tl_checkpoint_read(path, (*result)->id, c));
    const tl_result_rows have = whole_rows(*result);
    TL_TRY(check_rows(&c->rows, &have, path));
    return tl_result_document(*result, document);
}

static tl_status resume(const char *path, tl_backend_kind backend, uint32_t threads,
                        tl_result **result, tl_checkpoint *c, tl_recorder **recorder,
                        tl_document **document, tl_world **world)
{
    TL_TRY(prepare(path, result, c, document));
    TL_TRY(tl_checkpoint_world(c, backend, threads, world));
    TL_TRY(tl_recorder_make(path, &(*result)->record, recorder));
    TL_TRY(take_over(*recorder, *result, &c->rows));
    tl_h5_begin();
    const tl_status status = cut_file(*recorder, *world, &c->rows);
    const tl_status disk = tl_h5_check(&(*recorder)->writer, path);
    tl_h5_end();
    TL_TRY(disk);
    TL_TRY(status);
    return tl_recorder_start(*recorder);
}

tl_status tl_recorder_resume(const char *path, tl_backend_kind backend, uint32_t threads,
                             tl_recorder **recorder, tl_document **document, tl_world **world)
{
    if (!path || !*path || !recorder || !document || !world)
        return tl_fail(TL_BAD_ARGUMENT, "tl_recorder_resume: %s is NULL",
                       !path || !*path ? "path"
                       : !recorder     ? "recorder"
                       : !document     ? "document"
                                       : "world");
    *recorder = NULL;
    *document = NULL;
    *world = NULL;
    tl_result *result = NULL;
    tl_checkpoint c = {0};
    tl_status status = resume(path, backend, threads, &result, &c, recorder, document, world);
    if (status < 0) {
        char text[1024];
        snprintf(text, sizeof text, "%s", tl_last_message());
        if (*recorder)
            tl_recorder_destroy(*recorder, path);
        tl_document_destroy(*document);
        tl_world_destroy(*world);
        *recorder = NULL;
        *document = NULL;
        *world = NULL;
        tl_fail(status, "%s", text);
    } else {
        status = TL_OK;
    }
    tl_checkpoint_free(&c);
    tl_result_close(result);
    return status;
}
