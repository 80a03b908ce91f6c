/* Reading whole files; load.h says who calls. */
#include "io/load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Reads what is left of a file, `expected` bytes if it does not change meanwhile. */
static tl_status read_stream(FILE *file, const char *path, size_t expected, size_t most,
                             tl_array *text)
{
    size_t room = expected + 2, got;
    do {
        if (text->count > most)
            return tl_fail(TL_FILE, "%s: has more than %zu bytes, expected at most that many", path,
                           most);
        TL_TRY(tl_array_reserve(text, text->count + room));
        got = fread((char *)text->data + text->count, 1, room - 1, file);
        text->count += got;
        if (ferror(file))
            return tl_fail(TL_FILE, "%s: cannot be read: %s", path, strerror(errno));
        room = got == room - 1 ? (1 << 16) : room;
    } while (got && !feof(file));
    TL_TRY(tl_array_reserve(text, text->count + 1));
    ((char *)text->data)[text->count++] = 0;
    return TL_OK;
}

static tl_status read_open(FILE *file, const char *path, size_t most, tl_array *text)
{
    struct stat about;
    if (fstat(fileno(file), &about))
        return tl_fail(TL_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return tl_fail(TL_FILE, "%s: is a folder, expected a file", path);
    if (!S_ISREG(about.st_mode) && !S_ISFIFO(about.st_mode))
        return tl_fail(TL_FILE, "%s: is a device, expected a file", path);
    if (S_ISREG(about.st_mode) && (uint64_t)about.st_size > most)
        return tl_fail(TL_FILE, "%s: has %llu bytes, expected at most %zu", path,
                       (unsigned long long)about.st_size, most);
    return read_stream(file, path, S_ISREG(about.st_mode) ? (size_t)about.st_size : 1 << 16, most,
                       text);
}

tl_status tl_load(const char *path, size_t most, tl_array *text)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return tl_fail(TL_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    const tl_status status = read_open(file, path, most, text);
    fclose(file);
    if (status < 0)
        tl_array_free(text);
    return status;
}
