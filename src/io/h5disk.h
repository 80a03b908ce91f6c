/* The driver under a result file that is being written: see h5disk.c. h5file.c uses it. */
#ifndef TL_IO_H5DISK_H
#define TL_IO_H5DISK_H

#include <hdf5.h>
#include <stdbool.h>

/* Where the journal lies: HDF5 is told that this part of the file is taken. */
#define TL_H5_JOURNAL       65536
#define TL_H5_JOURNAL_BYTES 131072

/* What H5Pset_driver() wants to know. */
typedef struct tl_h5_disk_info {
    int fd; /* open for reading and writing; stays the caller's */
} tl_h5_disk_info;

/* The driver's identifier; -1: HDF5 refuses it. H5Fget_vfd_handle() gives an int *: errno of the
 * first failure, or 0. */
hid_t tl_h5_disk_driver(void);

/* Writes an empty journal; errno where that fails. */
bool tl_h5_journal_make(int fd);

/* Whether a file has one; not if it was rewritten by another program. */
bool tl_h5_journal_exists(int fd);

/* Whether it holds a write that may not have been finished. */
bool tl_h5_journal_pending(int fd);

/* Finishes the write that a killed process was in, if it was in one that matters. */
void tl_h5_journal_replay(int fd);

#endif
