/* Pairs of bodies that do not collide, between steps. The device has them as a sorted list, which
 * is looked at where both shapes of a pair are on bodies that are in it. */
#include "world/world.h"

#include <string.h>

/* A byte for each row: 1 where its body is in the list. */
static void mark(const tl_world *w, uint8_t *marks)
{
    const uint64_t *pairs = w->exclusions.data;
    const uint32_t *row_of = w->row_of.data;
    memset(marks, 0, w->rows);
    for (size_t i = 0; i < w->exclusions.count; i++) {
        marks[row_of[(pairs[i] >> 32) - 1]] = 1;
        marks[row_of[(uint32_t)pairs[i] - 1]] = 1;
    }
}

tl_status tl_world_upload_exclusions(tl_world *w)
{
    tl_step_penalty_forget(w);
    tl_backend *b = w->backend;
    tl_buffer *marks = &w->ordering.gone;
    const size_t bytes = w->exclusions.count * sizeof(uint64_t);
    if (!w->exclusions.count && !w->excluded.data)
        return TL_OK;
    uint8_t *host = tl_alloc((size_t)w->rows + 1);
    tl_status status = host ? tl_arena_clear(b, &w->arena, 0) : TL_NO_MEMORY;
    if (status == TL_OK)
        status = tl_buffer_need(b, marks, w->rows);
    if (status == TL_OK)
        status = tl_buffer_need(b, &w->excluded, bytes);
    if (status == TL_OK) {
        mark(w, host);
        b->ops->upload(b, marks->data, host, w->rows);
        b->ops->upload(b, w->excluded.data, w->exclusions.data, bytes);
        const tlk_flagging args = {w->shape_body.data, w->shape_info.data, marks->data,
                                   TLK_SHAPE_EXCLUDES};
        tl_run(b, TLK_note_marked, w->shape_rows, &args);
        w->filters = w->filters || w->exclusions.count;
    }
    tl_free(host, (size_t)w->rows + 1);
    return status;
}

void tl_world_drop_exclusions(tl_world *w)
{
    tl_backend *b = w->backend;
    uint64_t *pairs = w->exclusions.data;
    const uint32_t *row_of = w->row_of.data;
    size_t kept = 0;
    for (size_t i = 0; i < w->exclusions.count; i++)
        if (row_of[(pairs[i] >> 32) - 1] != TLK_NONE && row_of[(uint32_t)pairs[i] - 1] != TLK_NONE)
            pairs[kept++] = pairs[i];
    if (kept == w->exclusions.count)
        return;
    w->exclusions.count = kept; /* what flags say in addition costs a look and no more */
    b->ops->upload(b, w->excluded.data, pairs, kept * sizeof *pairs);
}

static tl_status check_body(const tl_world *w, const char *name, tl_body body)
{
    if (tl_world_row(w, body) != TLK_NONE)
        return TL_OK;
    return tl_fail_about(TL_BAD_HANDLE, &(tl_error){.bodies = {body}},
                         "tl_world_exclude: %s (index %u, generation %u) is no body of this world",
                         name, body.index, body.generation);
}

tl_status tl_world_exclude(tl_world *world, tl_body a, tl_body b, bool excluded)
{
    REFUSE_NULL(world);
    TL_TRY(check_body(world, "a", a));
    TL_TRY(check_body(world, "b", b));
    if (a.index == b.index)
        return tl_fail_about(TL_BAD_ARGUMENT, &(tl_error){.bodies = {a}},
                             "tl_world_exclude: a and b are both body %u; they must be two bodies",
                             a.index);
    const uint64_t pair = tl_exclusion(a.index, b.index);
    const bool before = tl_exclusions_have(&world->exclusions, pair);
    TL_TRY(tl_exclusions_set(&world->exclusions, pair, excluded));
    const tl_status status = tl_world_upload_exclusions(world);
    if (status != TL_OK) /* there is room: this cannot fail */
        (void)tl_exclusions_set(&world->exclusions, pair, before);
    return status;
}
