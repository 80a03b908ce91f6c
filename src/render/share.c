/* Threads that share work; share.h says whose. */
#include "render/share.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct sharing {
    size_t pieces;
    tlr_piece piece;
    void *user;
    atomic_size_t next;
} sharing;

static void take(sharing *s, bool caller)
{
    for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < s->pieces;)
        s->piece(s->user, i, caller);
}

static void *help(void *user)
{
    take(user, false);
    return NULL;
}

void tlr_share(uint32_t threads, size_t pieces, tlr_piece piece, void *user)
{
    enum { MOST = 1024 };
    pthread_t helpers[MOST];
    sharing s = {.pieces = pieces, .piece = piece, .user = user};
    const long there = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t all = threads ? threads : there > 0 ? (uint32_t)there : 1;
    uint32_t count = 0;
    while (count + 1 < all && count + 1 < pieces && count < MOST &&
           pthread_create(&helpers[count], NULL, help, &s) == 0)
        count++;
    take(&s, true);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(helpers[i], NULL);
}
