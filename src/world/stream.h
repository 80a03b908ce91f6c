/* The bytes of a snapshot, written and read by one walk over what they hold, so that both
 * directions have one order. snapshot.c and what it calls use it. */
#ifndef TL_WORLD_STREAM_H
#define TL_WORLD_STREAM_H

#include "world/world.h"

/* `out` is written where it is not NULL, else `in` is read. */
typedef struct tl_stream {
    tl_array *out; /* of bytes */
    const unsigned char *in;
    size_t left;           /* bytes to read */
    tl_status status;      /* of the first failure, after which nothing is written or read */
    const tl_world *world; /* whose materials and geometries what is read may use */
} tl_stream;

void tl_stream_bytes(tl_stream *stream, void *data, size_t count);
void tl_stream_number(tl_stream *stream, double *number);
void tl_stream_word(tl_stream *stream, uint32_t *word);

/* So many items: those given are written, and are what comes back; where they are read, they stay
 * where the bytes are. NULL of none, and after a failure. */
const void *tl_stream_in_place(tl_stream *stream, const void *items, uint64_t count, size_t item);

/* A whole array. A reader makes room only for what the bytes left can hold. */
void tl_stream_array(tl_stream *stream, tl_array *array);

/* Records one after the other, each in its array before it is read: a failure then frees what
 * there is. */
void tl_stream_records(tl_stream *stream, tl_array *all,
                       void (*walk)(tl_stream *stream, void *record));

/* snapshot_scene.c: settings, and what a world was described by. */
void tl_stream_settings(tl_stream *stream, tl_settings *settings);
void tl_stream_description(tl_stream *stream, tl_world *world);

#endif
