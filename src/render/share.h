/* Work that threads share piece by piece: tiles of a picture, rows of a filter, poses of bodies.
 * Each thread takes the next piece until there are none. */
#ifndef TL_RENDER_SHARE_H
#define TL_RENDER_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `caller`: it is done by the thread that shares. */
typedef void (*tlr_piece)(void *user, size_t number, bool caller);

/* Threads: 0 for as many as the machine offers. Returns when all pieces are done. */
void tlr_share(uint32_t threads, size_t pieces, tlr_piece piece, void *user);

#endif
