/* A hash of what a picture is made of: pictures carry it, so that one that no longer fits is known
 * (FNV-1a on words of 8 bytes). */
#ifndef TL_RENDER_HASH_H
#define TL_RENDER_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t tlr_hash(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint64_t h = hash ^ 0xcbf29ce484222325u ^ bytes;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (h ^ word) * 0x100000001b3u;
        h ^= h >> 29;
    }
    for (; bytes; bytes--, p++)
        h = (h ^ *p) * 0x100000001b3u;
    return h ^ h >> 32;
}

#endif
