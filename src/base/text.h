/* Some bytes of UTF-8 that belong to somebody else and do not end with a zero byte. */
#ifndef TL_BASE_TEXT_H
#define TL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct tl_text {
    const char *data;
    size_t length;
} tl_text;

static inline tl_text tl_text_of(const char *word)
{
    return (tl_text){word, strlen(word)};
}

static inline bool tl_text_same(tl_text a, tl_text b)
{
    return a.length == b.length && (!a.length || !memcmp(a.data, b.data, a.length));
}

static inline bool tl_text_is(tl_text text, const char *word)
{
    return tl_text_same(text, tl_text_of(word));
}

#endif
