/* A checksum of bytes, for checkpoints and for the journal of result files. */
#ifndef TL_IO_CHECKPOINT_SUM_H
#define TL_IO_CHECKPOINT_SUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* `hash` is that of what comes before, or any number. */
static inline uint64_t tl_checkpoint_sum(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    while (bytes) {
        uint64_t word = 0;
        const size_t part = bytes < sizeof word ? bytes : sizeof word;
        memcpy(&word, at, part);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
        at += part;
        bytes -= part;
    }
    return hash;
}

#endif
