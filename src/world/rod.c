/* Rods between two bodies, on the host: what they do not touch, when they go, and who carries them.
 * The step moves them (step/penalty_rods.c). Called through talus/world.h. */
#include "world/image.h"

#include <stdlib.h>
#include <string.h>

/* A rod at one of its bodies. */
typedef struct meeting {
    uint32_t body, rod;
} meeting;

static int compare_meetings(const void *a, const void *b)
{
    const meeting *x = a, *y = b;
    return x->body != y->body ? (x->body > y->body) - (x->body < y->body)
                              : (x->rod > y->rod) - (x->rod < y->rod);
}

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A rod touches neither its bodies nor rods that share one of them. */
static tl_status list_untouched(const tl_world *w, meeting *at, tl_array *pairs)
{
    const tl_rod_rec *rods = w->rods.data;
    const size_t count = 2 * w->rods.count;
    for (size_t i = 0; i < count; i++)
        at[i] = (meeting){rods[i / 2].end[i % 2], rods[i / 2].id};
    qsort(at, count, sizeof *at, compare_meetings);
    for (size_t i = 0; i < count; i++) {
        const uint64_t own = tl_exclusion(at[i].body, at[i].rod);
        TL_TRY(tl_array_append(pairs, &own, 1));
        for (size_t k = i + 1; k < count && at[k].body == at[i].body; k++) {
            const uint64_t pair = tl_exclusion(at[i].rod, at[k].rod);
            if (at[i].rod != at[k].rod)
                TL_TRY(tl_array_append(pairs, &pair, 1));
        }
    }
    return TL_OK;
}

tl_status tl_world_take_rods(tl_world *w, const tl_scene *scene)
{
    const size_t room = (2 * scene->rods.count + 1) * sizeof(meeting);
    tl_array *pairs = &w->exclusions;
    if (!scene->rods.count)
        return TL_OK;
    TL_TRY(tl_array_append(&w->rods, scene->rods.data, scene->rods.count));
    meeting *at = tl_alloc(room);
    const tl_status status = at ? list_untouched(w, at, pairs) : TL_NO_MEMORY;
    tl_free(at, room);
    TL_TRY(status);
    uint64_t *all = pairs->data;
    size_t kept = 0;
    qsort(all, pairs->count, sizeof *all, compare_pairs);
    for (size_t i = 0; i < pairs->count; i++)
        if (!kept || all[kept - 1] != all[i])
            all[kept++] = all[i];
    pairs->count = kept;
    return TL_OK;
}

void tl_world_drop_rods(tl_world *w)
{
    tl_rod_rec *rods = w->rods.data;
    const uint32_t *row_of = w->row_of.data;
    size_t kept = 0;
    for (size_t i = 0; i < w->rods.count; i++)
        if (row_of[rods[i].id - 1] != TLK_NONE)
            rods[kept++] = rods[i];
    w->rods.count = kept;
}

tl_status tl_rods_mark_gone(tl_world *w, uint8_t *gone)
{
    tl_backend *b = w->backend;
    const tl_rod_rec *rods = w->rods.data;
    const uint32_t *row_of = w->row_of.data;
    uint8_t *marks = tl_alloc((size_t)w->rows + 1);
    tl_status status = marks ? b->ops->download(b, marks, gone, w->rows) : TL_NO_MEMORY;
    if (status == TL_OK) {
        for (size_t i = 0; i < w->rods.count; i++)
            for (int e = 0; e < 2; e++)
                if (marks[row_of[rods[i].end[e] - 1]])
                    marks[row_of[rods[i].id - 1]] = 1;
        b->ops->upload(b, gone, marks, w->rows);
    }
    tl_free(marks, (size_t)w->rows + 1);
    return status;
}

/* --- in snapshots ---------------------------------------------------------------------------- */

static tl_status damaged(size_t index, const char *fault)
{
    return tl_fail(TL_BAD_DATA, "the snapshot is damaged: rods[%zu]: %s", index, fault);
}

/* Whether a row has one shape and that is a capsule about its origin. */
static bool is_capsule(const tl_image *m, uint32_t row)
{
    const uint32_t *body = m->shape_body.data, *info = m->shape_info.data;
    const double *geom = m->geom.data;
    size_t low = 0, high = m->shape_body.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (body[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->shape_body.count && body[low] == row &&
           (info[low] & TLK_SHAPE_KIND) == TL_CAPSULE && geom[4 * low] == 0 &&
           geom[4 * low + 1] == 0 && geom[4 * low + 2] == 0 &&
           (low + 1 == m->shape_body.count || body[low + 1] != row);
}

tl_status tl_rods_check(const tl_world *w, const tl_image *m)
{
    const tl_rod_rec *rods = w->rods.data;
    const double *inertia = m->inertia.data;
    for (size_t i = 0; i < w->rods.count; i++) {
        const uint32_t row = tl_world_row(w, (tl_body){rods[i].id, 1});
        bool carried = false;
        if (i && rods[i].id <= rods[i - 1].id)
            return damaged(i, "it is not in the order of handles");
        if (row == TLK_NONE || !(inertia[4 * (size_t)row + 3] > 0) || !is_capsule(m, row))
            return damaged(i, "it is no dynamic body with a capsule");
        for (int e = 0; e < 2; e++) {
            const uint32_t end = tl_world_row(w, (tl_body){rods[i].end[e], 1});
            if (end == TLK_NONE || tl_rods_have(&w->rods, rods[i].end[e]))
                return damaged(i, "its ends are no bodies with a mass");
            carried = carried || inertia[4 * (size_t)end + 3] > 0;
        }
        if (rods[i].end[0] == rods[i].end[1] || !carried || rods[i].unused ||
            !(rods[i].length >= 0 && rods[i].length < TLK_FAR))
            return damaged(i, "it is not between two bodies, or keeps no length");
    }
    return TL_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

size_t tl_world_rod_count(const tl_world *world)
{
    return world ? world->rods.count : 0;
}

tl_status tl_world_rod(const tl_world *world, size_t index, tl_rod_info *info)
{
    REFUSE_NULL(info);
    *info = (tl_rod_info){.length = 0};
    REFUSE_NULL(world);
    if (index >= world->rods.count)
        return tl_fail(TL_BAD_ARGUMENT, "%s: index is %zu; the world has %zu rods", __func__, index,
                       world->rods.count);
    const tl_rod_rec *rod = (const tl_rod_rec *)world->rods.data + index;
    *info = (tl_rod_info){
        .body = {rod->id, 1}, .ends = {{rod->end[0], 1}, {rod->end[1], 1}}, .length = rod->length};
    return TL_OK;
}
