/* Buffers: what all backends share. */
#include "backend/backend.h"

static tl_status replace(tl_backend *backend, tl_buffer *buffer, size_t bytes, size_t keep)
{
    size_t room = buffer->bytes + buffer->bytes / 4;
    if (room < bytes)
        room = bytes;
    void *data = backend->ops->allocate(backend, room);
    if (!data && room > bytes)
        data = backend->ops->allocate(backend, room = bytes);
    if (!data)
        return TL_NO_MEMORY;
    if (keep)
        backend->ops->copy(backend, data, buffer->data, keep);
    tl_buffer_free(backend, buffer);
    *buffer = (tl_buffer){data, room};
    backend->bytes += room;
    if (backend->bytes > backend->peak)
        backend->peak = backend->bytes;
    return TL_OK;
}

tl_status tl_buffer_need(tl_backend *backend, tl_buffer *buffer, size_t bytes)
{
    if (bytes <= buffer->bytes)
        return TL_OK;
    return replace(backend, buffer, bytes, 0);
}

tl_status tl_buffer_grow(tl_backend *backend, tl_buffer *buffer, size_t bytes, size_t keep)
{
    if (bytes <= buffer->bytes)
        return TL_OK;
    return replace(backend, buffer, bytes, keep);
}

void tl_buffer_free(tl_backend *backend, tl_buffer *buffer)
{
    if (!buffer->data)
        return;
    backend->ops->release(backend, buffer->data, buffer->bytes);
    backend->bytes -= buffer->bytes;
    *buffer = (tl_buffer){NULL, 0};
}
