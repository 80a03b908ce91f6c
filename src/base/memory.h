/* Memory: the one way to allocate, and growable arrays on top of it. Exported for talus_io alone.
 */
#ifndef TL_BASE_MEMORY_H
#define TL_BASE_MEMORY_H

#include "base/status.h"

/* 64-byte aligned memory, or NULL with the message of TL_NO_MEMORY recorded. 0 bytes give NULL. */
TL_API void *tl_alloc(size_t bytes);

/* The same, zeroed. */
TL_API void *tl_alloc_zero(size_t bytes);

/* Gives back what tl_alloc returned; NULL does nothing. */
TL_API void tl_free(void *memory, size_t bytes);

/* A growable array of fixed-size items. Zero-initialised except for `item`. */
typedef struct tl_array {
    void *data;
    size_t item;     /* bytes of one item */
    size_t count;    /* items in use */
    size_t capacity; /* items there is room for */
} tl_array;

/* Makes room for `count` items in all; the old items stay, and count does not change. */
TL_API tl_status tl_array_reserve(tl_array *array, size_t count);

/* Makes the array `count` items long; new items are not initialised. */
TL_API tl_status tl_array_resize(tl_array *array, size_t count);

/* Appends a copy of `items`. */
TL_API tl_status tl_array_append(tl_array *array, const void *items, size_t count);

/* Frees the items; the array is empty and usable. */
TL_API void tl_array_free(tl_array *array);

#endif
