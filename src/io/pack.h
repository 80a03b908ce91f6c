/* Chunks of a result as HDF5's filters shuffle and deflate store them, made by an encoder of our
 * own: zlib's would take more time than the whole recording may. Any HDF5 reads them. */
#ifndef TL_IO_PACK_H
#define TL_IO_PACK_H

#include "base/memory.h"

/* How numbers are rounded before they are packed; all 0: not at all. */
typedef struct tl_rounding {
    double step; /* to multiples of it; a power of 2, or 0 */
    int bits;    /* floats: to so many significant bits, or 0 */
} tl_rounding;

/* Memory that is used again from chunk to chunk. */
typedef struct tl_packer {
    tl_array values; /* bytes: a piece of one column of a chunk */
    tl_array planes; /* bytes: the whole of it, shuffled */
    tl_array tokens; /* uint16_t */
    tl_array out;    /* bytes */
} tl_packer;

void tl_packer_init(tl_packer *packer);
void tl_packer_free(tl_packer *packer);

/* Frames that lie so many rows apart, or fewer, are packed by what changed between them: it is as
 * far as deflate looks back. */
#define TL_PACK_REACH 32768

/* Rows of numbers to pack. */
typedef struct tl_pack_rows {
    const void *rows;
    size_t count;
    uint32_t width; /* numbers of a row */
    size_t size;    /* bytes of a number, 4 or 8 */
    size_t frame;   /* a frame begins every so many rows, from the first on; 0: they are one */
} tl_pack_rows;

/* Takes column `column` out of rows, rounds it, fills up with zeros to `chunk` values and packs it;
 * `bytes` bytes of packer->out are the chunk. Numbers that are rounded are floats. */
tl_status tl_pack(tl_packer *packer, const tl_pack_rows *from, size_t chunk, uint32_t column,
                  tl_rounding rounding, size_t *bytes);

#endif
