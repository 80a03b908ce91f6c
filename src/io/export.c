/* Exports: the public call, and files that appear when they are whole. */
#define _GNU_SOURCE
#include "io/export.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *copy_text(const char *text, const char *suffix, size_t *room)
{
    *room = strlen(text) + strlen(suffix) + 1;
    char *copy = tl_alloc(*room);
    if (copy)
        snprintf(copy, *room, "%s%s", text, suffix);
    return copy;
}

tl_status tl_out_open(tl_out *out, const char *path)
{
    struct stat s;
    *out = (tl_out){0};
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return tl_fail(TL_FILE, "%s: %s", path,
                       S_ISDIR(s.st_mode) ? strerror(EISDIR) : "not a regular file");
    out->path = copy_text(path, "", &out->path_room);
    out->temporary = copy_text(path, ".new", &out->temporary_room);
    tl_status status = out->path && out->temporary ? TL_OK : TL_NO_MEMORY;
    if (status == TL_OK) {
        out->file = fopen(out->temporary, "wbe");
        if (!out->file)
            status = tl_fail(TL_FILE, "%s: %s", path, strerror(errno));
    }
    if (status < 0)
        tl_out_close(out, status);
    return status;
}

tl_status tl_out_close(tl_out *out, tl_status status)
{
    if (out->file) {
        errno = 0;
        bool written = fflush(out->file) == 0 && !ferror(out->file);
        int error = errno;
        if (fclose(out->file) != 0 && written) {
            written = false;
            error = errno;
        }
        if (status == TL_OK && written && rename(out->temporary, out->path) != 0) {
            written = false;
            error = errno;
        }
        if (status == TL_OK && !written)
            status = tl_fail(TL_FILE, "%s: %s", out->path, strerror(error ? error : EIO));
        if (status != TL_OK)
            unlink(out->temporary);
    }
    tl_free(out->path, out->path_room);
    tl_free(out->temporary, out->temporary_room);
    *out = (tl_out){0};
    return status;
}

static tl_status run(tl_result *result, tl_export_format format, const tl_export_range *range,
                     const char *path)
{
    switch (format) {
    case TL_EXPORT_CSV: return tl_export_csv(result, range, path);
    case TL_EXPORT_VTK: return tl_export_vtk(result, range, path);
    case TL_EXPORT_STEPS_CSV: return tl_export_steps(result, range, path);
    case TL_EXPORT_CONTACTS_CSV: return tl_export_contacts(result, range, path);
    case TL_EXPORT_MONITORS_CSV: return tl_export_monitors(result, range, path);
    }
    return tl_fail(TL_BAD_ARGUMENT, "tl_result_export: there is no format %d", (int)format);
}

tl_status tl_result_export(tl_result *result, tl_export_format format, uint64_t first,
                           uint64_t last, uint64_t stride, const char *path)
{
    if (!result || !path || !*path)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_export: %s is NULL or empty",
                       result ? "path" : "result");
    const bool steps = format == TL_EXPORT_STEPS_CSV || format == TL_EXPORT_MONITORS_CSV;
    const uint64_t there = steps ? result->steps : result->frames.count;
    if (!stride)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_export: stride is 0; it must be above 0");
    if (first > last)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_export: first is %" PRIu64 " and last %" PRIu64
                       "; last must not be below first",
                       first, last);
    if (first && first >= there)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_export: first is %" PRIu64 "; there are %" PRIu64 " %s", first,
                       there, steps ? "steps" : "frames");
    const tl_export_range range = {first, last < there ? last + 1 : there, stride};
    /* Numbers with a point, whatever the program's language. */
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    const locale_t before = plain ? uselocale(plain) : (locale_t)0;
    const tl_status status = run(result, format, &range, path);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return status;
}
