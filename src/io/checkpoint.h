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

/* Writes it for the result at `path`, so that at any time there is a whole one. */
tl_status tl_checkpoint_write(const char *path, const tl_checkpoint *checkpoint);

/* Reads and checks it. The caller frees it with tl_checkpoint_free(). */
tl_status tl_checkpoint_read(const char *path, tl_checkpoint *checkpoint);

void tl_checkpoint_free(tl_checkpoint *checkpoint);

/* Whether there is a file that may be one. */
bool tl_checkpoint_exists(const char *path);

/* Flushes the folder that holds `path`, so that a rename in it survives a crash of the machine. */
void tl_sync_folder(const char *path);

#endif
