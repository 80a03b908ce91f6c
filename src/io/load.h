/* Whole files as text. Called by the readers of scenes and of meshes. */
#ifndef TL_IO_LOAD_H
#define TL_IO_LOAD_H

#include "base/memory.h"

/* Reads a regular file or a pipe of at most `most` bytes into `text` (items of one byte) and puts a
 * zero byte after it, which `count` counts. TL_FILE, with the reason, where that cannot be done;
 * the text is then empty. */
tl_status tl_load(const char *path, size_t most, tl_array *text);

#endif
