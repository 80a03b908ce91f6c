/* Checkpoints, `path` + ".checkpoint":
 *
 *   header    magic (which also tells byte order), version, id of the result, rows of its tables,
 *             length of the snapshot, checksum of all but itself
 *   snapshot  as tl_world_save() made it
 *
 * A new one is written under another name, flushed to the disk, and renamed. */
#define _GNU_SOURCE
#include "io/checkpoint.h"
#include "base/memory.h"
#include "io/checkpoint_sum.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC   0x31504b4353554c54u /* "TLUSCKP1" read as a little-endian number */
#define VERSION 1u
#define SUFFIX  ".checkpoint"

typedef struct header {
    uint64_t magic;
    uint64_t version;
    char id[TL_RESULT_ID_CHARS];
    tl_result_rows rows;
    uint64_t bytes;
    uint64_t checksum;
} header;

/* path + suffix in new memory of `*room` bytes. */
static char *name_of(const char *path, const char *suffix, size_t *room)
{
    *room = strlen(path) + strlen(suffix) + 1;
    char *name = tl_alloc(*room);
    if (name)
        snprintf(name, *room, "%s%s", path, suffix);
    return name;
}

static uint64_t checksum(const header *h, const void *snapshot)
{
    const uint64_t head = tl_checkpoint_sum(1, h, offsetof(header, checksum));
    return tl_checkpoint_sum(head, snapshot, (size_t)h->bytes);
}

static bool write_all(int fd, const void *data, size_t bytes)
{
    const char *from = data;
    while (bytes) {
        const ssize_t put = write(fd, from, bytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        from += put;
        bytes -= (size_t)put;
    }
    return true;
}

void tl_sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0, room = length + 2;
    char *folder = tl_alloc(room);
    if (!folder)
        return;
    snprintf(folder, room, "%.*s.", (int)length, path);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    tl_free(folder, room);
}

/* Writes header and snapshot to `name` and sees them on the disk; errno tells why not. */
static bool write_file(const char *name, const header *h, const void *snapshot)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    const bool done =
        write_all(fd, h, sizeof *h) && write_all(fd, snapshot, (size_t)h->bytes) && fsync(fd) == 0;
    const int error = errno;
    const bool closed = close(fd) == 0;
    if (!done)
        errno = error;
    return done && closed;
}

tl_status tl_checkpoint_write(const char *path, const tl_checkpoint *c)
{
    header h = {.magic = MAGIC, .version = VERSION, .rows = c->rows, .bytes = c->bytes};
    memcpy(h.id, c->id, sizeof h.id);
    h.checksum = checksum(&h, c->snapshot);
    size_t name_room, new_room;
    char *name = name_of(path, SUFFIX, &name_room), *new = name_of(path, SUFFIX ".new", &new_room);
    tl_status status = name && new ? TL_OK : TL_NO_MEMORY;
    if (status == TL_OK && (!write_file(new, &h, c->snapshot) || rename(new, name) != 0)) {
        status = tl_fail(TL_FILE, "%s: %s", name, strerror(errno));
        unlink(new);
    }
    if (status == TL_OK)
        tl_sync_folder(name);
    tl_free(name, name_room);
    tl_free(new, new_room);
    return status;
}

static bool read_all(int fd, void *data, size_t bytes)
{
    char *to = data;
    while (bytes) {
        const ssize_t got = read(fd, to, bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        bytes -= (size_t)got;
    }
    return true;
}

/* Reads an open file of `size` bytes. */
static tl_status read_file(int fd, uint64_t size, const char *name, tl_checkpoint *c)
{
    header h;
    if (size < sizeof h || !read_all(fd, &h, sizeof h) || h.magic != MAGIC)
        return tl_fail(TL_BAD_DATA, "%s: not a checkpoint of Talus", name);
    if (h.version != VERSION)
        return tl_fail(TL_BAD_DATA, "%s: version %llu of checkpoints; this Talus reads version %u",
                       name, (unsigned long long)h.version, VERSION);
    if (h.bytes != size - sizeof h)
        return tl_fail(TL_BAD_DATA,
                       "%s: damaged: it should hold a snapshot of %llu bytes and holds %llu", name,
                       (unsigned long long)h.bytes, (unsigned long long)(size - sizeof h));
    c->snapshot = tl_alloc((size_t)h.bytes);
    c->bytes = (size_t)h.bytes;
    if (!c->snapshot)
        return h.bytes ? TL_NO_MEMORY : tl_fail(TL_BAD_DATA, "%s: the snapshot is empty", name);
    if (!read_all(fd, c->snapshot, c->bytes))
        return tl_fail(TL_FILE, "%s: it cannot be read to its end", name);
    if (checksum(&h, c->snapshot) != h.checksum)
        return tl_fail(TL_BAD_DATA, "%s: damaged: its checksum does not fit", name);
    memcpy(c->id, h.id, sizeof c->id);
    c->rows = h.rows;
    return TL_OK;
}

tl_status tl_checkpoint_read(const char *path, tl_checkpoint *c)
{
    *c = (tl_checkpoint){0};
    size_t room;
    char *name = name_of(path, SUFFIX, &room);
    if (!name)
        return TL_NO_MEMORY;
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    struct stat s;
    tl_status status = TL_OK;
    if (fd < 0 || fstat(fd, &s) != 0)
        status = tl_fail(TL_FILE, "%s: %s", name, strerror(errno));
    else if (!S_ISREG(s.st_mode))
        status = tl_fail(TL_BAD_DATA, "%s: not a checkpoint of Talus", name);
    else
        status = read_file(fd, (uint64_t)s.st_size, name, c);
    if (fd >= 0)
        close(fd);
    if (status != TL_OK)
        tl_checkpoint_free(c);
    tl_free(name, room);
    return status;
}

void tl_checkpoint_free(tl_checkpoint *c)
{
    tl_free(c->snapshot, c->bytes);
    *c = (tl_checkpoint){0};
}

bool tl_checkpoint_exists(const char *path)
{
    size_t room;
    char *name = name_of(path, SUFFIX, &room);
    const bool there = name && access(name, F_OK) == 0;
    tl_free(name, room);
    return there;
}
