/* The driver under a result file that is being written. Five things make it different from HDF5's:
 *
 * The file is as long as what HDF5 has allocated, at any time, and the superblock says so.
 *
 * The superblock never says that a writer has the file open, so that a file whose writer was killed
 * opens in any program at once. Locks tell who is writing; HDF5's single-writer readers do not need
 * that mark.
 *
 * After a write that fails (the disk is full) nothing reaches the file any more, and HDF5 is not
 * told: metadata is kept in memory from then on. The file is then what it would be if the process
 * had been killed at that write, and HDF5, which does not survive such failures well, closes as
 * usual.
 *
 * Metadata that crosses a page of the file goes to a journal first, for a process that is killed
 * inside a write leaves whole pages of it. HDF5's order of writes keeps a file whole only if each
 * of them happens or does not.
 *
 * The file descriptor is the caller's: it carries the locks that tell whether a writer lives. */
#define _GNU_SOURCE
#include "io/h5disk.h"
#include "io/checkpoint_sum.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE         4096
#define DRIVER_VALUE 603 /* a number of our own among HDF5's drivers: above those it reserves */

/* ---- The journal ---- */

#define MAGIC 0x314c4e4a53554c54u                /* "TLUSJNL1" read as a little-endian number */
#define FIRST (TL_H5_JOURNAL + sizeof signature) /* where the entry is */

static const char signature[16] = "Talus journal 1\n";

typedef struct entry {
    uint64_t magic; /* anything else: nothing is under way */
    uint64_t address;
    uint64_t size;
    uint64_t checksum; /* of the two before it and the data, which follow */
} entry;

static bool write_at(int fd, const void *data, size_t size, uint64_t address)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t put =
            pwrite(fd, (const char *)data + done, size - done, (off_t)(address + done));
        if (put < 0 && errno != EINTR)
            return false;
        if (put > 0)
            done += (size_t)put;
    }
    return true;
}

static bool read_at(int fd, void *data, size_t size, uint64_t address)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t got = pread(fd, (char *)data + done, size - done, (off_t)(address + done));
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0)
            done += (size_t)got;
    }
    return true;
}

static uint64_t entry_sum(const entry *e, const void *data)
{
    return tl_checkpoint_sum(tl_checkpoint_sum(e->address, &e->size, sizeof e->size), data,
                             (size_t)e->size);
}

bool tl_h5_journal_make(int fd)
{
    char *block = calloc(1, TL_H5_JOURNAL_BYTES);
    if (!block) {
        errno = ENOMEM;
        return false;
    }
    memcpy(block, signature, sizeof signature);
    const bool done = write_at(fd, block, TL_H5_JOURNAL_BYTES, TL_H5_JOURNAL);
    free(block);
    return done;
}

bool tl_h5_journal_pending(int fd)
{
    uint64_t magic = 0;
    return tl_h5_journal_exists(fd) && read_at(fd, &magic, sizeof magic, FIRST) && magic == MAGIC;
}

bool tl_h5_journal_exists(int fd)
{
    char found[sizeof signature];
    return read_at(fd, found, sizeof found, TL_H5_JOURNAL) &&
           memcmp(found, signature, sizeof found) == 0;
}

static bool may_tear(haddr_t address, size_t size)
{
    return size && address / PAGE != (address + size - 1) / PAGE &&
           size <= TL_H5_JOURNAL_BYTES - sizeof signature - sizeof(entry);
}

static bool journal_write(int fd, haddr_t address, size_t size, const void *data)
{
    entry e = {MAGIC, address, size, 0};
    e.checksum = entry_sum(&e, data);
    const struct iovec parts[] = {{&e, sizeof e}, {(void *)(uintptr_t)data, size}};
    ssize_t put;
    do
        put = pwritev(fd, parts, 2, (off_t)FIRST);
    while (put < 0 && errno == EINTR);
    if (put >= 0 && (size_t)put != sizeof e + size)
        errno = ENOSPC; /* cut short: no room */
    return put >= 0 && (size_t)put == sizeof e + size;
}

static bool journal_clear(int fd)
{
    const uint64_t none = 0;
    return write_at(fd, &none, sizeof none, FIRST);
}

void tl_h5_journal_replay(int fd)
{
    entry e;
    struct stat s;
    if (!tl_h5_journal_exists(fd) || !read_at(fd, &e, sizeof e, FIRST) || e.magic != MAGIC ||
        fstat(fd, &s) != 0 || e.address > (uint64_t)s.st_size ||
        e.size > (uint64_t)s.st_size - e.address || !may_tear(e.address, (size_t)e.size))
        return;
    unsigned char *data = malloc((size_t)e.size);
    /* Without its sum the entry itself was broken off, and nothing was written to its place yet. */
    if (data && read_at(fd, data, (size_t)e.size, FIRST + sizeof e) &&
        (entry_sum(&e, data) != e.checksum || write_at(fd, data, (size_t)e.size, e.address)))
        journal_clear(fd);
    free(data);
}

/* ---- The superblock ---- */

/* That of version 2 and 3, with addresses and lengths of 8 bytes. */
#define SUPERBLOCK_BYTES 48
#define VERSION_AT       8
#define FLAGS_AT         11
#define END_AT           28
#define SUM_AT           44

static const unsigned char superblock_start[8] = "\211HDF\r\n\032\n";

static bool is_superblock(const unsigned char *block)
{
    return memcmp(block, superblock_start, sizeof superblock_start) == 0 &&
           (block[VERSION_AT] == 2 || block[VERSION_AT] == 3) && block[VERSION_AT + 1] == 8 &&
           block[VERSION_AT + 2] == 8;
}

static uint32_t rotated(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

/* HDF5's checksum of metadata, Jenkins' lookup3, of the 44 bytes before it. */
static uint32_t superblock_sum(const unsigned char *block)
{
    uint32_t word[SUM_AT / 4], a, b, c;
    memcpy(word, block, SUM_AT);
    a = b = c = 0xdeadbeefu + SUM_AT;
    for (int i = 0; i < 9; i += 3) {
        a += word[i], b += word[i + 1], c += word[i + 2];
        a -= c, a ^= rotated(c, 4), c += b;
        b -= a, b ^= rotated(a, 6), a += c;
        c -= b, c ^= rotated(b, 8), b += a;
        a -= c, a ^= rotated(c, 16), c += b;
        b -= a, b ^= rotated(a, 19), a += c;
        c -= b, c ^= rotated(b, 4), b += a;
    }
    a += word[9], b += word[10];
    c ^= b, c -= rotated(b, 14);
    a ^= c, a -= rotated(c, 11);
    b ^= a, b -= rotated(a, 25);
    c ^= b, c -= rotated(b, 16);
    a ^= c, a -= rotated(c, 4);
    b ^= a, b -= rotated(a, 14);
    c ^= b, c -= rotated(b, 24);
    return c;
}

/* ---- The driver ---- */

/* Metadata that could not be written. */
typedef struct patch {
    struct patch *older;
    haddr_t address;
    size_t size;
    unsigned char data[];
} patch;

typedef struct disk {
    H5FD_t base; /* HDF5's part */
    int fd;
    bool writable;
    int error;                                  /* errno of the first failure */
    haddr_t end_of_space;                       /* what HDF5 has allocated */
    haddr_t size;                               /* of the file */
    unsigned char superblock[SUPERBLOCK_BYTES]; /* as HDF5 wrote it last; zeros: not yet */
    patch *patches;                             /* the newest */
} disk;

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    (void)name;
    (void)maxaddr;
    const tl_h5_disk_info *info = H5Pget_driver_info(fapl);
    struct stat status;
    disk *d = info && fstat(info->fd, &status) == 0 ? H5allocate_memory(sizeof *d, true) : NULL;
    if (!d)
        return NULL;
    d->fd = info->fd;
    d->writable = flags & H5F_ACC_RDWR;
    d->size = (haddr_t)status.st_size;
    if (!read_at(d->fd, d->superblock, sizeof d->superblock, 0))
        memset(d->superblock, 0, sizeof d->superblock);
    return &d->base;
}

static herr_t disk_close(H5FD_t *file)
{
    disk *d = (disk *)file;
    while (d->patches) {
        patch *p = d->patches;
        d->patches = p->older;
        free(p);
    }
    return H5free_memory(d);
}

static herr_t disk_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t disk_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const disk *)file)->end_of_space;
}

/* Writes the superblock without a writer's mark and with the file's end where it is. */
static void write_superblock(disk *d)
{
    unsigned char block[SUPERBLOCK_BYTES];
    if (d->error || !is_superblock(d->superblock))
        return;
    memcpy(block, d->superblock, sizeof block);
    block[FLAGS_AT] = 0;
    const uint64_t end = d->size;
    memcpy(block + END_AT, &end, sizeof end);
    const uint32_t sum = superblock_sum(block);
    memcpy(block + SUM_AT, &sum, sizeof sum);
    if (!write_at(d->fd, block, sizeof block, 0))
        d->error = errno;
}

/* What a reader needs of a longer file is there before it is told, and the other way round. */
static void resize(disk *d, haddr_t size)
{
    const bool longer = size > d->size;
    const haddr_t before = d->size;
    if (d->error)
        return;
    if (!longer) {
        d->size = size;
        write_superblock(d);
    }
    if (!d->error && ftruncate(d->fd, (off_t)size) != 0)
        d->error = errno;
    d->size = d->error ? before : size;
    if (longer)
        write_superblock(d);
}

static herr_t disk_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    disk *d = (disk *)file;
    if (address > d->size && d->writable)
        resize(d, address);
    d->end_of_space = address;
    return 0;
}

static haddr_t disk_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const disk *)file)->size;
}

static herr_t disk_get_handle(H5FD_t *file, hid_t fapl, void **handle)
{
    (void)fapl;
    *handle = &((disk *)file)->error;
    return 0;
}

/* Lays what could not be written over what was read, the oldest first. */
static void apply(const patch *p, haddr_t address, size_t size, unsigned char *buffer)
{
    if (!p)
        return;
    apply(p->older, address, size, buffer);
    const haddr_t from = p->address > address ? p->address : address;
    const haddr_t to =
        p->address + p->size < address + size ? p->address + p->size : address + size;
    if (from < to)
        memcpy(buffer + (from - address), p->data + (from - p->address), to - from);
}

static herr_t disk_read(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size,
                        void *buffer)
{
    (void)type;
    (void)dxpl;
    const disk *d = (const disk *)file;
    size_t done = 0;
    while (done < size) {
        const ssize_t got =
            pread(d->fd, (char *)buffer + done, size - done, (off_t)(address + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0) { /* past the end: zeros, as HDF5's drivers give */
            memset((char *)buffer + done, 0, size - done);
            break;
        }
        done += (size_t)got;
    }
    apply(d->patches, address, size, buffer);
    return 0;
}

static herr_t keep_in_memory(disk *d, H5FD_mem_t type, haddr_t address, size_t size,
                             const void *buffer)
{
    if (type == H5FD_MEM_DRAW) /* rows are not read back */
        return 0;
    patch *p = malloc(sizeof *p + size);
    if (!p)
        return -1;
    *p = (patch){d->patches, address, size};
    memcpy(p->data, buffer, size);
    d->patches = p;
    return 0;
}

static herr_t disk_write(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size,
                         const void *buffer)
{
    (void)dxpl;
    disk *d = (disk *)file;
    if (address == 0 && size >= SUPERBLOCK_BYTES && is_superblock(buffer)) {
        memcpy(d->superblock, buffer, SUPERBLOCK_BYTES);
        write_superblock(d);
        if (d->error)
            return keep_in_memory(d, type, address, size, buffer);
        address += SUPERBLOCK_BYTES; /* what follows it, where HDF5 writes more at once */
        size -= SUPERBLOCK_BYTES;
        buffer = (const char *)buffer + SUPERBLOCK_BYTES;
    }
    const bool torn = type != H5FD_MEM_DRAW && may_tear(address, size);
    if (!d->error && torn && !journal_write(d->fd, address, size, buffer))
        d->error = errno;
    if (!d->error && !write_at(d->fd, buffer, size, address))
        d->error = errno;
    if (!d->error && torn && !journal_clear(d->fd))
        d->error = errno;
    if (d->error)
        return keep_in_memory(d, type, address, size, buffer);
    if (address + size > d->size)
        d->size = address + size;
    return 0;
}

static herr_t disk_truncate(H5FD_t *file, hid_t dxpl, hbool_t closing)
{
    (void)dxpl;
    (void)closing;
    disk *d = (disk *)file;
    if (d->size != d->end_of_space)
        resize(d, d->end_of_space);
    return 0;
}

/* HDF5 marks a file as being written only where its driver can lock. The locks are held by those
 * who open the descriptor. */
static herr_t disk_lock(H5FD_t *file, hbool_t write)
{
    (void)file;
    (void)write;
    return 0;
}

static herr_t disk_unlock(H5FD_t *file)
{
    (void)file;
    return 0;
}

hid_t tl_h5_disk_driver(void)
{
    static const H5FD_class_t class = {
#ifdef H5FD_CLASS_VERSION /* of HDF5 1.14 and later, which want to be told both */
        .version = H5FD_CLASS_VERSION,
        .value = DRIVER_VALUE,
#endif
        .name = "talus",
        .maxaddr = INT64_MAX,
        .fc_degree = H5F_CLOSE_STRONG,
        .fapl_size = sizeof(tl_h5_disk_info),
        .open = disk_open,
        .close = disk_close,
        .query = disk_query,
        .get_eoa = disk_get_eoa,
        .set_eoa = disk_set_eoa,
        .get_eof = disk_get_eof,
        .get_handle = disk_get_handle,
        .read = disk_read,
        .write = disk_write,
        .truncate = disk_truncate,
        .lock = disk_lock,
        .unlock = disk_unlock,
        .fl_map = H5FD_FLMAP_DICHOTOMY};
    static hid_t id = -1;
    if (id < 0 || H5Iis_valid(id) <= 0)
        id = H5FDregister(&class);
    return id;
}
