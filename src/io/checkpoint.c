/* Checkpoints, `path` + ".checkpoint":
 *
 *   header    magic (which also tells byte order), version, the Talus that wrote it, id of the
 *             result, rows of its tables, length of the snapshot, checksum of all but itself
 *   snapshot  as tl_world_save() made it
 *
 * A new one is written under another name, flushed to the disk, and renamed.
 *
 * A run that replaces a result writes everything under another name first: RESULT.new and
 * RESULT.new.checkpoint. Then RESULT.new gets the name RESULT, and after it the checkpoint. Whoever
 * is killed between the two leaves a result whose checkpoint is told by its id. */
#define _GNU_SOURCE
#include "io/checkpoint.h"
#include "base/memory.h"
#include "io/checkpoint_sum.h"
#include "io/h5file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC  0x31504b4353554c54u /* "TLUSCKP1" read as a little-endian number */
#define MAJOR  1u
#define MINOR  1u
#define SUFFIX ".checkpoint"
#define FRESH  SUFFIX ".new" /* one that is being written */

typedef struct header {
    uint64_t magic;
    uint32_t major, minor;
    char writer[16]; /* the version of Talus; from version 1.1 on */
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
    header h = {.magic = MAGIC, .major = MAJOR, .minor = MINOR, .rows = c->rows, .bytes = c->bytes};
    snprintf(h.writer, sizeof h.writer, "%s", tl_version());
    memcpy(h.id, c->id, sizeof h.id);
    h.checksum = checksum(&h, c->snapshot);
    size_t name_room, new_room;
    char *name = name_of(path, SUFFIX, &name_room), *new = name_of(path, FRESH, &new_room);
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
    if (h.major != MAJOR || h.minor != MINOR) {
        const bool first = h.major == 1 && h.minor == 0; /* which did not say who wrote it */
        return tl_fail(TL_BAD_DATA,
                       "%s: version %u.%u of checkpoints, which Talus %.*s goes on with; this is "
                       "Talus %s, which goes on with version %u.%u",
                       name, h.major, h.minor, (int)sizeof h.writer, first ? "0.1" : h.writer,
                       tl_version(), MAJOR, MINOR);
    }
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

static tl_status read_named(const char *name, tl_checkpoint *c)
{
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
    return status;
}

/* Whether a file is a checkpoint of the result with this id. */
static bool belongs(const char *name, const char *id)
{
    header h;
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool read = fd >= 0 && read_all(fd, &h, sizeof h);
    if (fd >= 0)
        close(fd);
    if (!read || h.magic != MAGIC)
        return false;
    const bool first = h.major == 1 && h.minor == 0; /* without `writer` */
    const size_t at = first ? offsetof(header, writer) : offsetof(header, id);
    return memcmp((const char *)&h + at, id, sizeof h.id) == 0;
}

/* The name of the checkpoint that belongs to the result: its own, or that of a run which was killed
 * before it could rename it. NULL: no memory. */
static char *find_name(const char *path, const char *id, size_t *room)
{
    char *name = name_of(path, SUFFIX, room);
    size_t other_room;
    char *other = name ? name_of(path, TL_NEW SUFFIX, &other_room) : NULL;
    if (other && !belongs(name, id) && belongs(other, id)) {
        tl_free(name, *room);
        *room = other_room;
        return other;
    }
    if (other)
        tl_free(other, other_room);
    return name;
}

tl_status tl_checkpoint_read(const char *path, const char *id, tl_checkpoint *c)
{
    *c = (tl_checkpoint){0};
    size_t room;
    char *name = find_name(path, id, &room);
    if (!name)
        return TL_NO_MEMORY;
    tl_status status = read_named(name, c);
    if (status == TL_OK && memcmp(c->id, id, sizeof c->id) != 0) {
        tl_checkpoint_free(c);
        status = tl_fail(TL_BAD_DATA, "%s: the checkpoint beside it is of another result", path);
    }
    tl_free(name, room);
    return status;
}

static void remove_file(const char *path, const char *suffix)
{
    size_t room;
    char *name = name_of(path, suffix, &room);
    if (name)
        unlink(name);
    tl_free(name, room);
}

tl_status tl_checkpoint_rename(const char *path)
{
    size_t room, new_room;
    char *name = name_of(path, SUFFIX, &room), *new = name_of(path, TL_NEW SUFFIX, &new_room);
    tl_status status = name && new ? TL_OK : TL_NO_MEMORY;
    if (status == TL_OK && rename(new, name) != 0)
        status = tl_fail(TL_FILE, "%s: %s", name, strerror(errno));
    if (status == TL_OK) {
        remove_file(path, FRESH);
        tl_sync_folder(path);
    }
    tl_free(name, room);
    tl_free(new, new_room);
    return status;
}

/* Whether a process that lives is making a result under path + TL_NEW. */
static bool is_being_replaced(const char *path)
{
    size_t room;
    char *name = name_of(path, TL_NEW, &room);
    const bool is = !name || tl_h5_is_being_written(name);
    tl_free(name, room);
    return is;
}

void tl_checkpoint_settle(const char *path, const char *id)
{
    static const char *const left[] = {TL_NEW, TL_NEW SUFFIX, TL_NEW FRESH, FRESH};
    if (is_being_replaced(path))
        return;
    size_t room, new_room;
    char *name = name_of(path, SUFFIX, &room), *new = name_of(path, TL_NEW SUFFIX, &new_room);
    bool done = name && new;
    if (done && !belongs(name, id) && belongs(new, id))
        done = rename(new, name) == 0;
    tl_free(name, room);
    tl_free(new, new_room);
    for (size_t i = 0; done && i < sizeof left / sizeof *left; i++)
        remove_file(path, left[i]);
}

void tl_checkpoint_discard(const char *path)
{
    remove_file(path, TL_NEW SUFFIX);
    remove_file(path, TL_NEW);
}

void tl_checkpoint_free(tl_checkpoint *c)
{
    tl_free(c->snapshot, c->bytes);
    *c = (tl_checkpoint){0};
}

bool tl_checkpoint_exists(const char *path, const char *id)
{
    size_t room;
    char *name = find_name(path, id, &room);
    const bool there = name && belongs(name, id);
    tl_free(name, room);
    return there;
}

tl_status tl_checkpoint_world(const tl_checkpoint *c, tl_backend_kind backend, uint32_t threads,
                              tl_world **world)
{
    TL_TRY(tl_world_load_on(c->snapshot, c->bytes, backend, world));
    tl_settings settings = tl_world_settings(*world);
    settings.threads = threads;
    const tl_status status = tl_world_set_settings(*world, &settings);
    if (status < 0) {
        tl_world_destroy(*world);
        *world = NULL;
    }
    return status;
}
