/* `talus export`: frames of a result as CSV, or as VTK for ParaView. */
#include "channels.h"
#include "facts.h"
#include "files.h"
#include "plan.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The format that a file's name asks for; -1, told, where it asks for none. */
static int64_t format_of(const options *given)
{
    const char *dot = strrchr(given->output, '.');
    if (given->format >= 0)
        return given->format;
    if (dot && !strcmp(dot, ".csv"))
        return TL_EXPORT_CSV;
    if (dot && !strcmp(dot, ".pvd"))
        return TL_EXPORT_VTK;
    complain("export: '%s' ends neither in .csv nor in .pvd (VTK for ParaView); --format says what "
             "to write",
             given->output);
    return -1;
}

/* The rows (frames, or steps) between two times. EXIT_USAGE, told, where there are none. */
static int find_rows(const options *given, const double *times, uint64_t count, const char *what,
                     uint64_t *first, uint64_t *last)
{
    const double little = 1e-9; /* s: 0.02 typed is not 0.02 summed up of steps */
    *first = 0;
    while (*first < count && times[*first] < given->from - little)
        ++*first;
    uint64_t end = *first;
    while (end < count && !(times[end] > given->to + little))
        end++;
    if (end == *first && !count) {
        complain("export: %s has no %ss", given->file, what);
        return EXIT_USAGE;
    }
    if (end == *first) {
        complain("export: no %s of %s lies in this time; its %" PRIu64 " %ss go from %g to %g s",
                 what, given->file, count, what, times[0], times[count - 1]);
        return EXIT_USAGE;
    }
    *last = end - 1;
    return EXIT_OK;
}

/* --- which bodies --- */

/* The bodies that --body asks for. */
typedef struct selection {
    tl_body *bodies;
    size_t count;
} selection;

/* Adds what one --body names, or the bodies of an emitter; the number of bodies that it is. */
static size_t add_named(const char *name, tl_body_range range, const tl_document *document,
                        const tl_body_info *bodies, size_t count, selection *chosen)
{
    const size_t before = chosen->count;
    const bool number = name[strspn(name, "0123456789")] == 0;
    const unsigned long long index = number ? strtoull(name, NULL, 10) : 0;
    for (size_t i = 0; i < count; i++) {
        const char *own = tl_document_body_name(document, bodies[i].body);
        if (own && !strcmp(own, name))
            chosen->bodies[chosen->count++] = bodies[i].body;
    }
    for (size_t i = 0; number && chosen->count == before && i < count; i++)
        if (bodies[i].body.index == index)
            chosen->bodies[chosen->count++] = bodies[i].body;
    for (size_t i = 0; range.count && i < count; i++)
        if (bodies[i].body.index >= range.first.index)
            chosen->bodies[chosen->count++] = bodies[i].body;
    return chosen->count - before;
}

static int choose_bodies(const options *given, tl_result *result, const tl_document *document,
                         selection *chosen)
{
    const size_t count = (size_t)tl_result_describe(result).bodies;
    int code = EXIT_OK;
    tl_body_info *bodies = calloc(count + 1, sizeof *bodies);
    chosen->bodies = calloc(given->body_count * count + 1, sizeof *chosen->bodies);
    if (!bodies || !chosen->bodies) {
        free(bodies);
        return out_of_memory();
    }
    const tl_status status = tl_result_read_bodies(result, count, bodies);
    if (status < 0)
        code = complain_of(status, PHASE_READING);
    for (size_t i = 0; code == EXIT_OK && i < given->body_count; i++) {
        tl_body_range range;
        if (tl_document_find_emitted(document, given->names[i], &range) < 0) {
            complain("export: --body: %s; indices can", tl_last_message());
            code = EXIT_USAGE;
        } else if (!add_named(given->names[i], range, document, bodies, count, chosen)) {
            complain("export: no body of %s has the name or the index '%s'; `talus info %s` lists "
                     "names, indices go from 1 to %zu",
                     given->file, given->names[i], given->file, count);
            code = EXIT_USAGE;
        }
    }
    free(bodies);
    return code;
}

static int select_bodies(const options *given, tl_result *result, selection *chosen)
{
    tl_document *document = NULL;
    if (!given->body_count)
        return EXIT_OK;
    const tl_status status = tl_result_document(result, &document);
    const int code = status < 0 ? complain_of(status, PHASE_READING)
                                : choose_bodies(given, result, document, chosen);
    tl_document_destroy(document);
    return code;
}

/* --- writing --- */

/* Whether rows are steps, not frames. */
static bool by_step(tl_export_format format)
{
    return format == TL_EXPORT_STEPS_CSV || format == TL_EXPORT_MONITORS_CSV;
}

static int tell_written(const options *given, const tl_export_def *def, const tl_export_info *info)
{
    const bool steps = by_step(def->format), vtk = def->format == TL_EXPORT_VTK;
    char bytes[64];
    facts f;
    write_bytes((double)info->bytes, bytes, sizeof bytes);
    if (!given->quiet && vtk)
        fprintf(stderr,
                "%s: %" PRIu64 " frames, %" PRIu64 " points in %" PRIu64 " files, %s; the others "
                "lie in the folder beside it\n",
                given->output, info->frames, info->rows, info->files, bytes);
    else if (!given->quiet)
        fprintf(stderr, "%s: %" PRIu64 " %s, %" PRIu64 " rows, %s\n", given->output, info->frames,
                steps ? "steps" : "frames", info->rows, bytes);
    if (!given->json)
        return EXIT_OK;
    facts_start(&f, true);
    fact_text(&f, "file", given->output);
    fact_text(&f, "format", export_words[def->format]);
    fact_count(&f, steps ? "steps" : "frames", info->frames);
    fact_count(&f, "rows", info->rows);
    fact_count(&f, "files", info->files);
    fact_count(&f, "bytes", info->bytes);
    return facts_end(&f);
}

/* The rows that the times ask for. */
static int choose_rows(const options *given, tl_result *result, tl_export_def *def)
{
    const bool steps = by_step(def->format);
    const tl_result_info info = tl_result_describe(result);
    const uint64_t count = steps ? info.steps : info.frames;
    double *times = calloc((size_t)count + 1, sizeof *times);
    if (!times)
        return out_of_memory();
    const tl_status status =
        steps ? channel_read_reports(result, offsetof(tl_report, time), count, times)
              : tl_result_read_times(result, count, times);
    const int code = status < 0 ? complain_of(status, PHASE_READING)
                                : find_rows(given, times, count, steps ? "step" : "frame",
                                            &def->first, &def->last);
    free(times);
    return code;
}

static int export_result(const options *given, tl_result *result, tl_export_format format)
{
    tl_export_def def = tl_export_default();
    tl_export_info written;
    selection chosen = {0};
    def.format = format;
    def.stride = (uint64_t)given->every;
    int code = choose_rows(given, result, &def);
    if (code == EXIT_OK)
        code = select_bodies(given, result, &chosen);
    def.bodies = chosen.bodies;
    def.body_count = chosen.count;
    if (code == EXIT_OK) {
        const tl_status status = tl_result_export(result, &def, given->output, &written);
        code =
            status < 0 ? complain_of(status, PHASE_RUNNING) : tell_written(given, &def, &written);
    }
    free(chosen.bodies);
    return code;
}

/* The folder of VTK files beside a .pvd is an output, too. */
static int check_frames_folder(const options *given)
{
    char folder[4096];
    struct stat s;
    const size_t length = strlen(given->output);
    const bool suffix = length > 4 && !strcmp(given->output + length - 4, ".pvd");
    snprintf(folder, sizeof folder, "%.*s_frames", (int)(suffix ? length - 4 : length),
             given->output);
    if (given->force || stat(folder, &s) != 0)
        return EXIT_OK;
    complain("%s exists; --force writes into it, -o names another", folder);
    return EXIT_FILE;
}

int command_export(const options *given)
{
    tl_result *result = NULL;
    if (!given->output) {
        complain("export needs -o FILE");
        return EXIT_USAGE;
    }
    if (given->to < given->from) {
        complain("export: --to %g is before --from %g", given->to, given->from);
        return EXIT_USAGE;
    }
    const int64_t format = format_of(given);
    if (format < 0)
        return EXIT_USAGE;
    if (given->body_count && format == TL_EXPORT_STEPS_CSV) {
        complain(
            "export: --body and --format steps contradict each other: steps are of all bodies");
        return EXIT_USAGE;
    }
    int code = check_export_path(given, given->output);
    if (code == EXIT_OK && format == TL_EXPORT_VTK)
        code = check_frames_folder(given);
    if (code == EXIT_OK)
        code = expect_result("export", given->file);
    if (code != EXIT_OK)
        return code;
    const tl_status status = tl_result_open(given->file, &result);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    code = export_result(given, result, (tl_export_format)format);
    tl_result_close(result);
    return code;
}
