/* Result files as HDF5 opens them: for one writer, in HDF5's single-writer mode over a driver of
 * our own that turns any failure of the disk into "the process was killed here", and for readers.
 */
#ifndef TL_IO_H5FILE_H
#define TL_IO_H5FILE_H

#include "io/h5.h"

/* The attribute `format` of every result file. */
#define TL_RESULT_FORMAT "talus result"

/* A file open for writing. */
typedef struct tl_h5_writer {
    hid_t file;
    int fd;
    int *error; /* errno of the first write that failed; nothing is written after it */
} tl_h5_writer;

/* Makes `path` anew, whatever is there, and locks it. `name` stands for it in messages. To be
 * followed by H5Fstart_swmr_write(). */
tl_status tl_h5_create(const char *path, const char *name, tl_h5_writer *writer);

/* Opens a file to go on writing, in single-writer mode; what a killed writer left is put in order.
 */
tl_status tl_h5_reopen(const char *path, tl_h5_writer *writer);

/* Whether everything written so far is on its way to the disk; else TL_FILE with the reason. */
tl_status tl_h5_check(const tl_h5_writer *writer, const char *name);

/* Closes and unlocks. */
tl_status tl_h5_close(tl_h5_writer *writer, const char *name);

/* Opens a file for reading, whether it is being written or not. If its writer was killed, the mark
 * that the writer left is removed where that is allowed, so that other programs can open it too. */
tl_status tl_h5_open_read(const char *path, hid_t *file);

/* Removes the mark of a killed writer, as tl_h5_open_read() does; nothing where there is none. */
void tl_h5_settle(const char *path);

/* Whether a process is writing the file. */
bool tl_h5_is_being_written(const char *path);

#endif
