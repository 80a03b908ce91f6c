/* Buffers and what is made of kernels: what all backends share. */
#include "backend/backend.h"

/* Buffers grow by an eighth, so that they seldom do, but large ones not by memory that others
 * need. */
#define MOST_SLACK ((size_t)64 << 20)

#define PIECE 256u /* bytes that pieces of an arena are aligned to */

/* Memory of its own. The old memory goes first: there may not be room for both. */
static tl_status grow(tl_backend *backend, tl_buffer *buffer, size_t bytes)
{
    const size_t slack = buffer->bytes / 8 < MOST_SLACK ? buffer->bytes / 8 : MOST_SLACK;
    size_t room = buffer->bytes + slack;
    if (room < bytes)
        room = bytes;
    tl_buffer_free(backend, buffer);
    void *data = backend->ops->allocate(backend, room);
    if (!data && room > bytes)
        data = backend->ops->allocate(backend, room = bytes);
    if (!data)
        return TL_NO_MEMORY;
    buffer->data = data;
    buffer->bytes = room;
    backend->bytes += room;
    if (backend->bytes > backend->peak)
        backend->peak = backend->bytes;
    return TL_OK;
}

/* A piece of an arena: of its block, or on its own where that has no room. */
static tl_status cut(tl_backend *backend, tl_buffer *buffer, size_t bytes)
{
    tl_arena *arena = buffer->arena;
    const size_t room = (bytes + PIECE - 1) / PIECE * PIECE, at = arena->at;
    void *data = NULL;
    if (at + room <= arena->block.bytes) {
        data = (char *)arena->block.data + at;
    } else {
        if (arena->extras == TL_ARENA_EXTRAS)
            return tl_fail(TL_TOO_LARGE, "more than %u pieces beside an arena", TL_ARENA_EXTRAS);
        tl_buffer extra = {0};
        TL_TRY(grow(backend, &extra, room));
        data = extra.data;
        arena->extra[arena->extras].memory = extra;
        arena->extra[arena->extras++].at = at;
    }
    arena->at = at + room;
    if (arena->at > arena->most)
        arena->most = arena->at;
    buffer->data = data;
    buffer->bytes = room;
    buffer->phase = arena->phase;
    return TL_OK;
}

tl_status tl_buffer_need(tl_backend *backend, tl_buffer *buffer, size_t bytes)
{
    const bool valid = !buffer->arena || buffer->phase == buffer->arena->phase;
    if (bytes <= (valid ? buffer->bytes : 0))
        return TL_OK;
    return buffer->arena ? cut(backend, buffer, bytes) : grow(backend, buffer, bytes);
}

void tl_buffer_free(tl_backend *backend, tl_buffer *buffer)
{
    if (buffer->data && !buffer->arena) {
        backend->ops->release(backend, buffer->data, buffer->bytes);
        backend->bytes -= buffer->bytes;
    }
    buffer->data = NULL;
    buffer->bytes = 0;
}

void tl_arena_release(tl_backend *backend, tl_arena *arena, size_t mark)
{
    while (arena->extras && arena->extra[arena->extras - 1].at >= mark)
        tl_buffer_free(backend, &arena->extra[--arena->extras].memory);
    arena->at = (mark + PIECE - 1) / PIECE * PIECE;
    arena->phase++;
}

tl_status tl_arena_clear(tl_backend *backend, tl_arena *arena, size_t bytes)
{
    tl_arena_release(backend, arena, 0);
    const tl_status status =
        tl_buffer_need(backend, &arena->block, bytes > arena->most ? bytes : arena->most);
    if (status != TL_OK)
        arena->most = 0; /* what was needed once may not be needed again */
    return status;
}

void tl_arena_free(tl_backend *backend, tl_arena *arena)
{
    tl_arena_release(backend, arena, 0);
    tl_buffer_free(backend, &arena->block);
}

tl_status tl_ranges(tl_backend *backend, const uint32_t *sorted, uint32_t count, uint32_t keys,
                    tl_buffer *ranges)
{
    const size_t bytes = 2 * (size_t)keys * sizeof(uint32_t);
    if (!keys)
        return TL_OK;
    TL_TRY(tl_buffer_need(backend, ranges, bytes));
    backend->ops->fill(backend, ranges->data, 0, bytes);
    uint32_t *begin = ranges->data;
    const tlk_ranges args = {sorted, begin, begin + keys, count};
    tl_run(backend, TLK_run_ranges, count, &args);
    return TL_OK;
}
