/* Memory. Every allocation of the library goes through the process-wide allocator here, so that a
 * test can make any of them fail and see that nothing leaks. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void *default_allocate(size_t bytes, void *user)
{
    (void)user;
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}

static void default_release(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(memory);
}

static const tl_allocator default_allocator = {default_allocate, default_release, NULL};
static tl_allocator allocator = {default_allocate, default_release, NULL};

void tl_set_allocator(const tl_allocator *replacement)
{
    allocator = replacement ? *replacement : default_allocator;
}

void *tl_alloc(size_t bytes)
{
    if (!bytes)
        return NULL;
    void *memory = bytes > SIZE_MAX / 2 ? NULL : allocator.allocate(bytes, allocator.user);
    if (!memory)
        tl_fail(TL_NO_MEMORY, "out of memory: %zu bytes were needed", bytes);
    return memory;
}

void *tl_alloc_zero(size_t bytes)
{
    void *memory = tl_alloc(bytes);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

void tl_free(void *memory, size_t bytes)
{
    if (memory)
        allocator.release(memory, bytes, allocator.user);
}

tl_status tl_array_reserve(tl_array *array, size_t count)
{
    if (count <= array->capacity)
        return TL_OK;
    size_t capacity = array->capacity + array->capacity / 2;
    if (capacity < count)
        capacity = count;
    if (capacity > SIZE_MAX / 4 / array->item)
        return tl_fail(TL_NO_MEMORY, "out of memory: %zu items of %zu bytes were needed", capacity,
                       array->item);
    void *data = tl_alloc(capacity * array->item);
    if (!data)
        return TL_NO_MEMORY;
    if (array->count)
        memcpy(data, array->data, array->count * array->item);
    tl_free(array->data, array->capacity * array->item);
    array->data = data;
    array->capacity = capacity;
    return TL_OK;
}

tl_status tl_array_resize(tl_array *array, size_t count)
{
    TL_TRY(tl_array_reserve(array, count));
    array->count = count;
    return TL_OK;
}

tl_status tl_array_append(tl_array *array, const void *items, size_t count)
{
    if (!count)
        return TL_OK;
    TL_TRY(tl_array_reserve(array, array->count + count));
    memcpy((char *)array->data + array->count * array->item, items, count * array->item);
    array->count += count;
    return TL_OK;
}

void tl_array_free(tl_array *array)
{
    tl_free(array->data, array->capacity * array->item);
    array->data = NULL;
    array->count = array->capacity = 0;
}
