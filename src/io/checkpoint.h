/* Checkpoints: a world's snapshot with the number of rows that its result had then, in a file
 * beside the result. The recorder writes and reads them; results look whether there is one. */
#ifndef TL_IO_CHECKPOINT_H
#define TL_IO_CHECKPOINT_H

#include "io/result_layout.h"

typedef struct tl_checkpoint {
    char id[TL_RESULT_ID_CHARS]; /* of the result it belongs to */
    tl_result_rows rows;
    void *snapshot; /* of tl_world_save(), or ours after reading */
    size_t bytes;
} tl_checkpoint;

/* A result that is not yet whole enough for its name has this one, and its checkpoint that of the
 * result under it. */
#define TL_NEW ".new"

/* Writes it for the result at `path`, so that at any time there is a whole one. */
tl_status tl_checkpoint_write(const char *path, const tl_checkpoint *checkpoint);

/* Gives the checkpoint of path + TL_NEW the name of path's, after the result has got its own; and
 * takes away what a killed process left of another. */
tl_status tl_checkpoint_rename(const char *path);

/* Takes away path + TL_NEW and its checkpoint, after a failure. */
void tl_checkpoint_discard(const char *path);

/* Finishes what a killed process was in when it replaced the result at `path`, which has this id:
 * between two renames, or before them. The caller holds the result's lock. */
void tl_checkpoint_settle(const char *path, const char *id);

/* Reads and checks that of the result with this id. The caller frees it with tl_checkpoint_free().
 */
tl_status tl_checkpoint_read(const char *path, const char *id, tl_checkpoint *checkpoint);

void tl_checkpoint_free(tl_checkpoint *checkpoint);

/* The world that it holds, on a backend with so many threads (0: as many as there are). */
tl_status tl_checkpoint_world(const tl_checkpoint *checkpoint, tl_backend_kind backend,
                              uint32_t threads, tl_world **world);

/* Whether there is one of the result with this id. */
bool tl_checkpoint_exists(const char *path, const char *id);

/* Flushes the folder that holds `path`, so that a rename in it survives a crash of the machine. */
void tl_sync_folder(const char *path);

#endif
