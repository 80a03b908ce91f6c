/* The fixed part of a new result file. */
#ifndef TL_IO_RECORDER_FILE_H
#define TL_IO_RECORDER_FILE_H

#include "io/recorder.h"

/* Writes attributes, scene and names. Inside tl_h5_begin() and _end(). */
tl_status tl_recorder_write_head(hid_t file, const char *path, const tl_document *document,
                                 const tl_record_def *record, const char *backend, const char *note,
                                 const char *id);

#endif
