/* Bytes of snapshots in both directions (stream.h). */
#include "world/stream.h"

#include <string.h>

void tl_stream_bytes(tl_stream *s, void *data, size_t count)
{
    if (s->status != TL_OK || !count)
        return;
    if (s->out) {
        s->status = tl_array_append(s->out, data, count);
    } else if (count > s->left) {
        s->status =
            tl_fail(TL_BAD_DATA, "the snapshot ends early: %zu bytes are missing", count - s->left);
    } else {
        memcpy(data, s->in, count);
        s->in += count;
        s->left -= count;
    }
}

void tl_stream_number(tl_stream *s, double *x)
{
    tl_stream_bytes(s, x, sizeof *x);
}

void tl_stream_word(tl_stream *s, uint32_t *x)
{
    tl_stream_bytes(s, x, sizeof *x);
}

/* Whether so many items can be there. */
static bool fit(tl_stream *s, uint64_t count, size_t item)
{
    if (s->status == TL_OK && !s->out && count > s->left / item)
        s->status = tl_fail(TL_BAD_DATA,
                            "the snapshot has an array of %llu items of %zu bytes, "
                            "but only %zu bytes are left",
                            (unsigned long long)count, item, s->left);
    return s->status == TL_OK;
}

const void *tl_stream_in_place(tl_stream *s, const void *items, uint64_t count, size_t item)
{
    if (!fit(s, count, item) || !count)
        return NULL;
    const size_t bytes = (size_t)count * item;
    if (s->out) {
        s->status = tl_array_append(s->out, items, bytes);
        return items;
    }
    items = s->in;
    s->in += bytes;
    s->left -= bytes;
    return items;
}

void tl_stream_array(tl_stream *s, tl_array *a)
{
    uint64_t count = a->count;
    tl_stream_bytes(s, &count, sizeof count);
    if (fit(s, count, a->item) && !s->out)
        s->status = tl_array_resize(a, (size_t)count);
    if (s->status == TL_OK)
        tl_stream_bytes(s, a->data, a->count * a->item);
}

void tl_stream_records(tl_stream *s, tl_array *all, void (*walk)(tl_stream *s, void *record))
{
    uint64_t count = all->count;
    tl_stream_bytes(s, &count, sizeof count);
    for (uint64_t i = 0; i < count && s->status == TL_OK; i++) {
        if (!s->out) {
            s->status = tl_array_resize(all, (size_t)i + 1);
            if (s->status != TL_OK)
                return;
            memset((char *)all->data + i * all->item, 0, all->item);
        }
        walk(s, (char *)all->data + i * all->item);
    }
}
