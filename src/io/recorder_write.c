/* The recorder's thread: writes slots to the result file, the row of /frames last. Of packed
 * results several frames are held and packed together; they are not in the file before that. */
#include "base/clock.h"
#include "io/recorder.h"

#include <stdlib.h>
#include <string.h>

#define MOST_HELD 8       /* frames */
#define MS_HELD   30000.0 /* frames are written when the first one has waited so long */

static tl_status append(tl_recorder *r, tl_result_table which, uint64_t count, const void *rows)
{
    if (!tl_result_tables_have(&r->tables, which)) /* not asked for */
        return TL_OK;
    return tl_h5_table_append(&r->tables.table[which], r->path, count, rows);
}

static tl_status append_array(tl_recorder *r, tl_result_table which, const tl_array *rows)
{
    return append(r, which, rows->count, rows->data);
}

static tl_status flush(tl_recorder *r)
{
    if (H5Fflush(r->writer.file, H5F_SCOPE_LOCAL) < 0)
        return tl_h5_fail(TL_FILE, r->path, "HDF5 cannot write it out");
    return tl_h5_check(&r->writer, r->path);
}

static int compare_index(const void *key, const void *item)
{
    const uint32_t a = *(const uint32_t *)key, b = *(const uint32_t *)item;
    return (a > b) - (a < b);
}

/* Bodies with mass are dynamic; of the others, those in the frame are prescribed. */
static void decide_kinds(tl_slot *slot, const tl_frame_view *view)
{
    tl_body_row *row = slot->bodies.data;
    for (size_t i = 0; i < slot->bodies.count; i++)
        row[i].kind = row[i].mass > 0 ? TL_DYNAMIC
                      : view->count && bsearch(&row[i].body, view->bodies, view->count,
                                               sizeof *view->bodies, compare_index)
                          ? TL_PRESCRIBED
                          : TL_FIXED;
}

/* Whether a body is of those that are recorded. */
static bool is_recorded(const tl_recorder *r, uint32_t body)
{
    const tl_body_range *range = r->recorded.data;
    size_t low = 0, high = r->recorded.count;
    while (low < high) { /* the last range that does not begin after it */
        const size_t middle = (low + high) / 2;
        if (range[middle].first.index <= body)
            low = middle + 1;
        else
            high = middle;
    }
    return !r->recorded.count || (low && body - range[low - 1].first.index < range[low - 1].count);
}

/* Appends the rows of a column that are recorded: all, or those listed in r->rows. */
static tl_status write_column(tl_recorder *r, tl_result_table which, size_t count, size_t row,
                              const void *data)
{
    if (!r->recorded.count || !tl_result_tables_have(&r->tables, which))
        return append(r, which, count, data);
    const size_t *chosen = r->rows.data;
    TL_TRY(tl_array_resize(&r->columns, r->rows.count * row));
    char *to = r->columns.data;
    for (size_t i = 0; i < r->rows.count; i++)
        memcpy(to + i * row, (const char *)data + chosen[i] * row, row);
    return append(r, which, r->rows.count, to);
}

/* Writes what is held of some tables. */
static tl_status settle_tables(tl_recorder *r, tl_result_table first, tl_result_table last)
{
    for (int i = (int)first; i <= (int)last; i++)
        TL_TRY(tl_h5_table_settle(&r->tables.table[i], r->path, &r->tables.packer));
    return TL_OK;
}

/* Writes the frames that are held: their rows when everything else is in the file. */
static tl_status settle(tl_recorder *r)
{
    if (!r->held.count)
        return TL_OK;
    TL_TRY(settle_tables(r, TL_STATE_BODY, TL_STATE_ANGULAR));
    TL_TRY(flush(r));
    TL_TRY(append_array(r, TL_FRAMES, &r->held));
    r->held.count = 0;
    return flush(r);
}

/* Writes the states of bodies that are recorded; their rows. */
static tl_status write_states(tl_recorder *r, const tl_frame_view *v, uint64_t *first,
                              uint64_t *count)
{
    *count = v->count;
    r->rows.count = 0;
    for (size_t i = 0; r->recorded.count && i < v->count; i++)
        if (is_recorded(r, v->bodies[i]))
            TL_TRY(tl_array_append(&r->rows, &i, 1));
    if (r->recorded.count)
        *count = r->rows.count;
    if (!tl_h5_table_has_room(&r->tables.table[TL_STATE_BODY], *count))
        TL_TRY(settle(r));
    *first = tl_h5_table_next(&r->tables.table[TL_STATE_BODY]);
    const size_t n = v->count, f = sizeof(float);
    TL_TRY(write_column(r, TL_STATE_BODY, n, sizeof *v->bodies, v->bodies));
    TL_TRY(write_column(r, TL_STATE_POSITION, n, 3 * sizeof(double), v->positions));
    TL_TRY(write_column(r, TL_STATE_ORIENTATION, n, 4 * f, v->orientations));
    TL_TRY(write_column(r, TL_STATE_VELOCITY, n, 3 * f, v->velocities));
    return write_column(r, TL_STATE_ANGULAR, n, 3 * f, v->angular_velocities);
}

/* Leaves those contacts that a recorded body has. */
static void choose_contacts(const tl_recorder *r, tl_array *contacts)
{
    tl_contact *c = contacts->data;
    size_t kept = 0;
    for (size_t i = 0; i < contacts->count; i++)
        if (is_recorded(r, c[i].a.index) || is_recorded(r, c[i].b.index))
            c[kept++] = c[i];
    contacts->count = kept;
}

/* Contacts as columns. */
static tl_status write_contacts(tl_recorder *r, const tl_array *contacts)
{
    const size_t count = contacts->count;
    if (!count)
        return TL_OK;
    const tl_contact *c = contacts->data;
    TL_TRY(tl_array_resize(&r->columns, count * (4 * sizeof(double) + 10 * sizeof(float))));
    double *point = r->columns.data, *gap = point + 3 * count;
    float *normal = (float *)(gap + count), *impulse = normal + 3 * count;
    uint32_t *body = (uint32_t *)(impulse + 3 * count), *shape = body + 2 * count;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < 3; k++) {
            point[3 * i + k] = c[i].point[k];
            normal[3 * i + k] = (float)c[i].normal[k];
            impulse[3 * i + k] = (float)c[i].impulse[k];
        }
        gap[i] = c[i].gap;
        body[2 * i] = c[i].a.index;
        body[2 * i + 1] = c[i].b.index;
        shape[2 * i] = c[i].shape_a;
        shape[2 * i + 1] = c[i].shape_b;
    }
    TL_TRY(append(r, TL_CONTACT_BODY, count, body));
    TL_TRY(append(r, TL_CONTACT_SHAPE, count, shape));
    TL_TRY(append(r, TL_CONTACT_POINT, count, point));
    TL_TRY(append(r, TL_CONTACT_NORMAL, count, normal));
    TL_TRY(append(r, TL_CONTACT_GAP, count, gap));
    TL_TRY(append(r, TL_CONTACT_IMPULSE, count, impulse));
    /* The same contact stands in another row of the next frame: there is nothing to wait for. */
    return settle_tables(r, TL_CONTACT_BODY, TL_CONTACT_IMPULSE);
}

/* Everything of a frame but its row in /frames, which is held. */
static tl_status write_frame(tl_recorder *r, tl_slot *slot, const tl_frame_view *view)
{
    decide_kinds(slot, view);
    const tl_result_rows before = tl_result_tables_rows(&r->tables);
    TL_TRY(append_array(r, TL_BODIES, &slot->bodies));
    TL_TRY(append_array(r, TL_SHAPES, &slot->shapes));
    TL_TRY(append_array(r, TL_REMOVALS, &slot->removals));
    uint64_t first, count;
    TL_TRY(write_states(r, view, &first, &count));
    if (r->recorded.count)
        choose_contacts(r, &slot->contacts);
    TL_TRY(write_contacts(r, &slot->contacts));
    const tl_result_rows after = tl_result_tables_rows(&r->tables);
    const tl_frame_row row = {.time = view->time,
                              .step = view->steps,
                              .state_first = first,
                              .state_count = count,
                              .contact_first = before.contacts,
                              .contact_count = slot->contacts.count,
                              .bodies = after.bodies,
                              .shapes = after.shapes,
                              .removals = after.removals};
    if (!r->held.count)
        r->held_since = tl_now();
    return tl_array_append(&r->held, &row, 1);
}

/* Whether there is no reason to hold frames any longer. */
static bool is_due(const tl_recorder *r)
{
    if (!r->held.count)
        return false;
    const tl_h5_table *table = &r->tables.table[TL_STATE_BODY];
    const tl_frame_row *last = (const tl_frame_row *)r->held.data + r->held.count - 1;
    return !table->packed || !tl_h5_table_has_room(table, last->state_count) ||
           r->held.count >= MOST_HELD || tl_now() - r->held_since > MS_HELD;
}

static tl_status write_slot(tl_recorder *r, tl_slot *slot)
{
    tl_frame_view view = {0};
    if (slot->has_frame)
        TL_TRY(tl_frame_read(slot->frame, &view));
    tl_h5_begin();
    tl_status status = tl_result_monitors_append(&r->monitors, r->path, &slot->monitors);
    if (status == TL_OK && slot->monitors.count) /* no row of /steps is without its values */
        status = flush(r);
    if (status == TL_OK)
        status = append_array(r, TL_STEPS, &slot->steps);
    if (status == TL_OK && slot->has_frame)
        status = write_frame(r, slot, &view);
    if (status == TL_OK)
        status = is_due(r) ? settle(r) : flush(r);
    const tl_status disk = tl_h5_check(&r->writer, r->path); /* the reason behind HDF5's, if any */
    tl_h5_end();
    return disk < 0 ? disk : status;
}

tl_status tl_recorder_settle(tl_recorder *r)
{
    tl_h5_begin();
    const tl_status status = settle(r);
    const tl_status disk = tl_h5_check(&r->writer, r->path);
    tl_h5_end();
    return disk < 0 ? disk : status;
}

void *tl_recorder_run(void *recorder)
{
    tl_recorder *r = recorder;
    pthread_mutex_lock(&r->mutex);
    for (;;) {
        while (!r->filled && !r->stop)
            pthread_cond_wait(&r->changed, &r->mutex);
        if (!r->filled)
            break;
        tl_slot *slot = &r->slots[r->first];
        tl_status status = r->status;
        pthread_mutex_unlock(&r->mutex);
        if (status == TL_OK) /* after a failure nothing is written any more */
            status = write_slot(r, slot);
        slot->has_frame = false;
        slot->steps.count = slot->monitors.count = 0;
        pthread_mutex_lock(&r->mutex);
        if (status < 0 && r->status == TL_OK) {
            r->status = status;
            strncpy(r->message, tl_last_message(), sizeof r->message - 1);
        }
        r->first = (r->first + 1) % TL_RECORDER_SLOTS;
        r->filled--;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->mutex);
    return NULL;
}
