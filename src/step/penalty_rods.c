/* Rods of penalty contact: which bodies carry them now, in which order they keep their lengths, and
 * the launches that do that. */
#include "step/penalty.h"

#include <string.h>

#define SWEEPS 20u /* over rods that share bodies, to keep their lengths */

/* A colour that is free at both bodies of a rod that keeps its length; the last one is for all. */
static uint32_t colour_of(const tlk_rod *r, uint64_t *used, uint32_t dynamic)
{
    uint64_t taken = 0;
    uint32_t colour = 0;
    for (int e = 0; e < 2; e++)
        taken |= r->end[e] < dynamic ? used[r->end[e]] : 0;
    while (colour + 1 < TLK_COLOURS && taken >> colour & 1)
        colour++;
    for (int e = 0; e < 2; e++)
        if (r->end[e] < dynamic)
            used[r->end[e]] |= 1ull << colour;
    return colour;
}

/* Those that keep their lengths come first, colour by colour. */
static tl_status order_rods(tl_world *w, tl_penalty *p)
{
    const tl_rod_rec *list = w->rods.data;
    tlk_rod *out = p->rods.data;
    const size_t count = w->rods.count, bytes = (size_t)w->dynamic * sizeof(uint64_t) + count;
    uint64_t *used = tl_alloc_zero(bytes + 1);
    if (!used)
        return TL_NO_MEMORY;
    uint8_t *colour = (uint8_t *)(used + w->dynamic);
    const uint32_t *row_of = w->row_of.data;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const tlk_rod rod = {.end = {row_of[list[i].end[0] - 1], row_of[list[i].end[1] - 1]}};
        colour[i] = list[i].length > 0 ? (uint8_t)colour_of(&rod, used, w->dynamic) : TLK_COLOURS;
    }
    for (uint32_t c = 0; c <= TLK_COLOURS; c++) {
        p->kept[c] = (uint32_t)at;
        for (size_t i = 0; i < count; i++)
            if (colour[i] == c)
                out[at++] =
                    (tlk_rod){.row = row_of[list[i].id - 1],
                              .shape = TLK_NONE,
                              .end = {row_of[list[i].end[0] - 1], row_of[list[i].end[1] - 1]},
                              .keeps = list[i].length};
    }
    tl_free(used, bytes + 1);
    return TL_OK;
}

tl_status tl_penalty_take_rods(tl_world *w, tl_penalty *p)
{
    tl_backend *b = w->backend;
    memset(p->kept, 0, sizeof p->kept);
    TL_TRY(tl_array_resize(&p->rods, w->rods.count));
    if (!w->rods.count)
        return TL_OK;
    TL_TRY(order_rods(w, p));
    TL_TRY(tl_buffer_need(b, &p->rod, p->rods.count * p->rods.item));
    TL_TRY(tl_buffer_need(b, &p->rod_from, 6 * p->rods.count * sizeof(double)));
    b->ops->upload(b, p->rod.data, p->rods.data, p->rods.count * p->rods.item);
    return TL_OK;
}

tl_status tl_penalty_rods_work(tl_world *w, double *lost, double *work)
{
    tl_backend *b = w->backend;
    tl_penalty *p = w->penalty;
    tlk_rod *rods = p->rods.data;
    const size_t bytes = p->rods.count * p->rods.item;
    if (!p->rods.count)
        return TL_OK;
    TL_TRY(b->ops->download(b, rods, p->rod.data, bytes));
    for (size_t i = 0; i < p->rods.count; i++) {
        *lost += rods[i].lost;
        *work += rods[i].work;
        rods[i].lost = rods[i].work = 0;
    }
    b->ops->upload(b, p->rod.data, rods, bytes);
    return TL_OK;
}

/* Rods that share no body all at once; where some do, again and again. */
static void sweep(tl_world *w, const tlk_penalty *v, uint32_t kernel)
{
    const tl_penalty *p = w->penalty;
    tl_launch all[TLK_COLOURS];
    size_t count = 0;
    for (uint32_t c = 0; c < TLK_COLOURS; c++)
        if (p->kept[c + 1] > p->kept[c])
            all[count++] = (tl_launch){kernel, p->kept[c], p->kept[c + 1], c == TLK_COLOURS - 1, v};
    if (count)
        w->backend->ops->run(w->backend, all, count, count > 1 ? SWEEPS : 1);
}

void tl_penalty_keep_lengths(tl_world *w, const tlk_penalty *v)
{
    sweep(w, v, TLK_penalty_keep);
}

void tl_penalty_steady_lengths(tl_world *w, const tlk_penalty *v, bool collided)
{
    tlk_penalty args = *v;
    args.weight = collided;
    sweep(w, &args, TLK_penalty_steady);
}
