/* Memory. Every allocation of the library goes through the process-wide allocator here, so that a
 * test can make any of them fail and see that nothing leaks. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#define LARGE_PAGE ((size_t)2 << 20) /* bytes */

/* Whoever walks through much memory waits for the addresses of its pages, too. Large pages are a
 * wish: what comes of it does not matter. */
static void wish_large_pages(void *memory, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const uintptr_t first = ((uintptr_t)memory + LARGE_PAGE - 1) / LARGE_PAGE;
    const uintptr_t end = ((uintptr_t)memory + bytes) / LARGE_PAGE;
    if (memory && first < end)
        (void)madvise((void *)(first * LARGE_PAGE), (end - first) * LARGE_PAGE, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

static void *default_allocate(size_t bytes, void *user)
{
    void *memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    (void)user;
    wish_large_pages(memory, bytes);
    return memory;
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
