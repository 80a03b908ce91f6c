/* Buffers and what is made of kernels: what all backends share. */
#include "backend/backend.h"

tl_status tl_buffer_need(tl_backend *backend, tl_buffer *buffer, size_t bytes)
{
    if (bytes <= buffer->bytes)
        return TL_OK;
    size_t room = buffer->bytes + buffer->bytes / 4;
    if (room < bytes)
        room = bytes;
    void *data = backend->ops->allocate(backend, room);
    if (!data && room > bytes)
        data = backend->ops->allocate(backend, room = bytes);
    if (!data)
        return TL_NO_MEMORY;
    tl_buffer_free(backend, buffer);
    *buffer = (tl_buffer){data, room};
    backend->bytes += room;
    if (backend->bytes > backend->peak)
        backend->peak = backend->bytes;
    return TL_OK;
}

void tl_buffer_free(tl_backend *backend, tl_buffer *buffer)
{
    if (!buffer->data)
        return;
    backend->ops->release(backend, buffer->data, buffer->bytes);
    backend->bytes -= buffer->bytes;
    *buffer = (tl_buffer){NULL, 0};
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
