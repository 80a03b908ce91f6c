/* Exports: the public call, and files that appear when they are whole. */
#define _GNU_SOURCE
#include "io/export.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
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
        tl_out_close(out, status, NULL);
    return status;
}

tl_status tl_out_close(tl_out *out, tl_status status, tl_export_info *info)
{
    if (out->file) {
        errno = 0;
        bool written = fflush(out->file) == 0 && !ferror(out->file);
        int error = errno;
        const off_t bytes = written ? ftello(out->file) : 0;
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
        if (status != TL_OK) {
            unlink(out->temporary);
        } else {
            info->files++;
            info->bytes += (uint64_t)(bytes > 0 ? bytes : 0);
        }
    }
    tl_free(out->path, out->path_room);
    tl_free(out->temporary, out->temporary_room);
    *out = (tl_out){0};
    return status;
}

/* ---- What the formats share ---- */

const tl_shape_row *tl_export_shapes(const tl_result *r, uint32_t body, size_t *count)
{
    const tl_shape_row *s = r->shapes.data;
    size_t low = 0, high = r->shapes.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s[middle].body < body)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < r->shapes.count && s[low + *count].body == body; ++*count)
        ;
    return *count ? s + low : NULL;
}

size_t tl_export_row(const tl_frame_view *f, uint32_t body)
{
    size_t low = 0, high = f->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->bodies[middle] < body)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->count && f->bodies[low] == body ? low : SIZE_MAX;
}

/* p turned by a quaternion and moved. */
static void place(const double q[4], const double origin[3], const double p[3], double out[3])
{
    const double u[3] = {q[1], q[2], q[3]};
    const double c[3] = {u[1] * p[2] - u[2] * p[1], u[2] * p[0] - u[0] * p[2],
                         u[0] * p[1] - u[1] * p[0]};
    const double d[3] = {u[1] * c[2] - u[2] * c[1], u[2] * c[0] - u[0] * c[2],
                         u[0] * c[1] - u[1] * c[0]};
    for (int k = 0; k < 3; k++)
        out[k] = origin[k] + p[k] + 2 * (q[0] * c[k] + d[k]);
}

void tl_export_place(const tl_shape_row *s, const double q[4], const double x[3], const double p[3],
                     double out[3])
{
    double inner[3];
    place(s->orientation, s->position, p, inner);
    place(q, x, inner, out);
}

static int compare_index(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

bool tl_export_takes(const tl_export_task *task, uint32_t body)
{
    const tl_array *chosen = &task->chosen;
    return !chosen->count ||
           bsearch(&body, chosen->data, chosen->count, sizeof body, compare_index) != NULL;
}

/* Whether rows are steps, not frames. */
static bool by_step(tl_export_format format)
{
    return format == TL_EXPORT_STEPS_CSV || format == TL_EXPORT_MONITORS_CSV;
}

/* Takes the indices of the bodies over, each checked. */
static tl_status choose(tl_result *result, const tl_export_def *def, tl_array *chosen)
{
    if (!def->body_count)
        return TL_OK;
    if (!def->bodies)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_export: bodies is NULL; body_count is %zu",
                       def->body_count);
    if (by_step(def->format))
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_export: body_count is %zu; step reports are of "
                       "all bodies: it must be 0",
                       def->body_count);
    for (size_t i = 0; i < def->body_count; i++) {
        if (!tl_result_find_body(result, def->bodies[i].index))
            return tl_fail(TL_BAD_HANDLE,
                           "tl_result_export: bodies[%zu].index is %" PRIu32
                           "; the result has no such body",
                           i, def->bodies[i].index);
        TL_TRY(tl_array_append(chosen, &def->bodies[i].index, 1));
    }
    qsort(chosen->data, chosen->count, sizeof(uint32_t), compare_index);
    return TL_OK;
}

/* ---- The public call ---- */

tl_export_def tl_export_default(void)
{
    return (tl_export_def){.format = TL_EXPORT_CSV, .last = UINT64_MAX, .stride = 1};
}

static tl_status write_format(tl_result *result, tl_export_format format, tl_export_task *task,
                              const char *path)
{
    switch (format) {
    case TL_EXPORT_CSV: return tl_export_csv(result, task, path);
    case TL_EXPORT_VTK: return tl_export_vtk(result, task, path);
    case TL_EXPORT_STEPS_CSV: return tl_export_steps(result, task, path);
    case TL_EXPORT_CONTACTS_CSV: return tl_export_contacts(result, task, path);
    case TL_EXPORT_JOINTS_CSV: return tl_export_joints(result, task, path);
    case TL_EXPORT_MONITORS_CSV: return tl_export_monitors(result, task, path);
    }
    return tl_fail(TL_BAD_ARGUMENT, "tl_result_export: there is no format %d", (int)format);
}

static tl_status check_rows(const tl_result *result, const tl_export_def *def,
                            tl_export_range *range)
{
    const bool steps = by_step(def->format);
    const uint64_t there = steps ? result->steps : result->frames.count;
    if (!def->stride)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_export: stride is 0; it must be above 0");
    if (def->first > def->last)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_export: first is %" PRIu64 " and last %" PRIu64
                       "; last must not be below first",
                       def->first, def->last);
    if (def->first && def->first >= there)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_result_export: first is %" PRIu64 "; there are %" PRIu64 " %s",
                       def->first, there, steps ? "steps" : "frames");
    *range = (tl_export_range){def->first, def->last < there ? def->last + 1 : there, def->stride};
    return TL_OK;
}

tl_status tl_result_export(tl_result *result, const tl_export_def *def, const char *path,
                           tl_export_info *written)
{
    tl_export_task task = {.chosen.item = sizeof(uint32_t)};
    if (written)
        *written = task.info;
    if (!result || !def || !path || !*path)
        return tl_fail(TL_BAD_ARGUMENT, "tl_result_export: %s is NULL or empty",
                       !result ? "result"
                       : !def  ? "def"
                               : "path");
    TL_TRY(check_rows(result, def, &task.range));
    if (!by_step(def->format))
        TL_TRY(tl_result_load_bodies(result));
    tl_status status = choose(result, def, &task.chosen);
    /* Numbers with a point, whatever the program's language. */
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    const locale_t before = plain ? uselocale(plain) : (locale_t)0;
    if (status == TL_OK)
        status = write_format(result, def->format, &task, path);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    if (status == TL_OK && written)
        *written = task.info;
    tl_array_free(&task.chosen);
    return status;
}
