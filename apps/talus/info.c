/* `talus info`: what this build can do, what a scene or a result holds. */
#include "info.h"
#include "monitors.h"
#include "files.h"
#include "sizes.h"

#ifdef TALUS_RENDER
#include "render/render.h"
#endif

#include <errno.h>
#include <hdf5.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- scenes --- */

/* Names of bodies, each once where many that follow each other share it. Names are for people: a
 * scene may have millions, and the list ends with "..." where it would be too long. */
static json_t *list_body_names(facts *f, const tl_document *document)
{
    enum { MOST = 100 };
    json_t *names = json_array();
    const size_t count = tl_scene_body_count(tl_document_scene(document));
    const char *name, *last = "";
    for (uint32_t i = 1; i <= count && json_array_size(names) <= MOST && !f->failed; i++) {
        name = tl_document_body_name(document, (tl_body){i, 1});
        if (!name || !strcmp(name, last))
            continue;
        last = name;
        if (json_array_append_new(names, json_text(json_array_size(names) < MOST ? name : "...")))
            f->failed = true;
    }
    return names;
}

static json_t *list_materials(facts *f, const tl_document *document)
{
    json_t *names = json_array();
    const char *name;
    for (uint32_t i = 1; (name = tl_document_material_name(document, (tl_material){i})); i++)
        if (json_array_append_new(names, json_text(name)) != 0)
            f->failed = true;
    return names;
}

static json_t *list_channels(facts *f, const tl_scene *scene)
{
    json_t *names = json_array();
    tl_monitor_info info;
    for (size_t i = 0; i < tl_scene_monitor_count(scene) && !f->failed; i++)
        if (tl_scene_monitor_info(scene, i, &info) < 0 ||
            json_array_append_new(names, json_text(info.name)) != 0)
            f->failed = true;
    return names;
}

/* Joints by kind, and their names, each once where an entry made several. */
static void tell_joints(facts *f, const tl_document *document)
{
    enum { MOST = 100 };
    const tl_scene *scene = tl_document_scene(document);
    const size_t count = tl_scene_joint_count(scene);
    size_t kinds[TL_JOINT_GENERIC + 1] = {0};
    json_t *names = json_array();
    const char *name, *last = "";
    char text[512];
    int length = 0;
    for (uint32_t i = 1; i <= count && !f->failed; i++) {
        tl_joint_def def;
        if (tl_scene_joint(scene, (tl_joint){i}, &def) < 0)
            break;
        kinds[def.kind]++;
        name = tl_document_joint_name(document, (tl_joint){i});
        if (!name || !strcmp(name, last) || json_array_size(names) > MOST)
            continue;
        last = name;
        if (json_array_append_new(names, json_text(json_array_size(names) < MOST ? name : "...")))
            f->failed = true;
    }
    for (uint32_t kind = 0; kind <= TL_JOINT_GENERIC; kind++)
        if (kinds[kind])
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%zu %s",
                               length ? ", " : "", kinds[kind], tl_word(TL_WORDS_JOINT, kind));
    if (!count) {
        json_decref(names);
        return;
    }
    fact_count(f, "joints", count);
    fact_text(f, "joint_kinds", text);
    fact_names(f, "named_joints", names);
}

/* The meshes that were split into convex pieces, for dynamic bodies: how many, and the worst of all
 * errors. */
static void tell_pieces(facts *f, const tl_scene *scene)
{
    tl_pieces_info info;
    tl_fit worst = {0};
    size_t meshes = 0, pieces = 0;
    double past = 0;
    for (uint32_t i = 1; tl_scene_pieces(scene, (tl_geometry){i}, &info) == TL_OK; i++) {
        const double exact = info.fit.volume - info.fit.excess + info.fit.missing;
        if (!info.count)
            continue;
        meshes++;
        pieces += info.count;
        worst.protrusion = fmax(worst.protrusion, info.fit.protrusion);
        worst.deviation_max = fmax(worst.deviation_max, info.fit.deviation_max);
        worst.excess = fmax(worst.excess, info.fit.excess / exact);
        worst.missing = fmax(worst.missing, info.fit.missing / exact);
        worst.inertia_error = fmax(worst.inertia_error, info.fit.inertia_error);
        past = fmax(past, info.fit.protrusion > info.tolerance ? info.fit.protrusion : 0);
    }
    if (!meshes)
        return;
    fact_count(f, "split_meshes", meshes);
    fact_count(f, "pieces", pieces);
    fact_number(f, "protrusion", worst.protrusion, "m, a piece out of its mesh at most");
    fact_number(f, "deviation_max", worst.deviation_max, "m, mesh to pieces");
    fact_number(f, "excess", worst.excess, "of a mesh's volume, its pieces outside of it");
    fact_number(f, "missing", worst.missing, "of a mesh's volume, outside of its pieces");
    fact_number(f, "inertia_error", worst.inertia_error,
                "of the largest moment; bodies have the mesh's");
    if (past > 0)
        fact_warning(f,
                     "convex pieces of a mesh stick out by %.3g m, more than its tolerance: allow "
                     "more 'pieces'",
                     past);
}

void tell_document(facts *f, const tl_document *document)
{
    const tl_scene *scene = tl_document_scene(document);
    const tl_settings settings = tl_scene_settings(scene);
    const tl_record_def record = tl_document_record(document);
    fact_text(f, "title", tl_document_title(document));
    fact_count(f, "bodies", tl_scene_body_count(scene));
    fact_names(f, "materials", list_materials(f, document));
    fact_names(f, "named_bodies", list_body_names(f, document));
    fact_vector(f, "gravity", settings.gravity, "m/s^2");
    fact_number(f, "step", settings.step, "s");
    fact_text(f, "stepper", tl_word(TL_WORDS_STEPPER, settings.stepper));
    if (settings.stepper == TL_STEPPER_DVI || settings.stepper == TL_STEPPER_SMOOTH)
        fact_text(f, "planes",
                  tl_word(TL_WORDS_PLANES, settings.planes)); /* exact ones have none */
    fact_text(f, "solver", tl_word(TL_WORDS_SOLVER, settings.solver.kind));
    fact_count(f, "iterations", settings.solver.iterations);
    fact_text(f, "precision", tl_word(TL_WORDS_PRECISION, settings.precision));
    fact_number(f, "duration", record.duration, "s");
    fact_number(f, "rate", record.rate, "frames/s");
    fact_flag(f, "record_contacts", record.contacts);
    fact_names(f, "channels", list_channels(f, scene));
    tell_joints(f, document);
    if (tl_scene_rod_count(tl_document_scene(document)))
        fact_count(f, "rods", tl_scene_rod_count(tl_document_scene(document)));
    tell_pieces(f, scene);
}

static int tell_scene(const options *given)
{
    tl_document *document = NULL;
    facts f;
    const tl_status status =
        tl_document_read(given->file, given->set_count, given->sets, &document);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    facts_start(&f, given->json);
    fact_text(&f, "file", given->file);
    fact_text(&f, "kind", "scene");
    tell_document(&f, document);
    tl_document_destroy(document);
    return facts_end(&f);
}

/* --- results --- */

static void tell_last_report(facts *f, const tl_report *r)
{
    fact_count(f, "last_step", r->steps);
    fact_count(f, "last_bodies", r->bodies);
    fact_count(f, "last_contacts", r->contacts);
    fact_number(f, "last_residual", r->residual, "m/s");
    fact_number(f, "last_kinetic_energy", r->kinetic_energy, "J");
    fact_count(f, "emitted", r->emitted);
    fact_count(f, "removed", r->removed);
}

/* What frames hold besides the positions; what is not in the list was not recorded. */
static json_t *list_fields(facts *f, uint32_t fields)
{
    static const char *const words[] = {"position", "orientation", "velocity", "angular_velocity"};
    static const uint32_t bits[] = {~0U, TL_RECORD_ORIENTATION, TL_RECORD_VELOCITY,
                                    TL_RECORD_ANGULAR_VELOCITY};
    json_t *names = json_array();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((!i || (fields & bits[i])) && json_array_append_new(names, json_text(words[i])) != 0)
            f->failed = true;
    return names;
}

/* How frames are stored, and of which bodies. */
static void tell_storing(facts *f, const tl_result_info *info)
{
    char format[32];
    uint64_t chosen = 0;
    snprintf(format, sizeof format, "%u.%u", info->format_major, info->format_minor);
    fact_text(f, "format", format);
    fact_names(f, "recorded_fields", list_fields(f, info->fields));
    fact_text(f, "compression", tl_word(TL_WORDS_COMPRESSION, (uint32_t)info->compression));
    if (info->compression == TL_COMPRESSION_QUANTISED)
        fact_number(f, "position_error", info->error, "m");
    for (size_t i = 0; i < info->body_count; i++) {
        const tl_body_range *range = &info->ranges[i];
        if (range->count == UINT32_MAX - range->first.index + 1) /* of an emitter */
            fact_count(f, "chosen_from_body", range->first.index);
        else
            chosen += range->count;
    }
    if (chosen)
        fact_count(f, "chosen_bodies", chosen);
}

static void tell_result_info(facts *f, const tl_result_info *info)
{
    fact_text(f, "written_by", info->version);
    tell_storing(f, info);
    fact_text(f, "note", info->note);
    fact_text(f, "backend", info->backend);
    fact_flag(f, "closed", info->closed);
    fact_flag(f, "checkpoint", info->has_checkpoint);
    fact_count(f, "frames", info->frames);
    fact_number(f, "first_time", info->first_time, "s");
    fact_number(f, "last_time", info->last_time, "s");
    fact_count(f, "steps", info->steps);
    fact_count(f, "recorded_bodies", info->bodies);
    fact_count(f, "recorded_shapes", info->shapes);
    fact_count(f, "recorded_contacts", info->contacts);
}

/* Of what kinds the recorded shapes are, and how many geometries they share. */
static tl_status tell_result_shapes(facts *f, tl_result *result, const tl_result_info *info)
{
    tl_shape_info *shapes = calloc(info->shapes + 1, sizeof *shapes);
    if (!shapes)
        return TL_NO_MEMORY;
    const tl_status status = tl_result_read_shapes(result, info->shapes, shapes);
    if (status >= 0)
        tell_shape_kinds(f, shapes, info->shapes);
    if (status >= 0 && tl_result_geometry_count(result))
        fact_count(f, "geometries", tl_result_geometry_count(result));
    free(shapes);
    return status;
}

/* How often the run was changed by hand while it was recorded. */
static tl_status count_edits(tl_result *result, uint64_t *edits)
{
    size_t length = 0;
    *edits = 0;
    tl_status status = tl_result_read_edits(result, 0, NULL, &length);
    char *text = status < 0 ? NULL : malloc(length + 1);
    if (!text)
        return status < 0 ? status : TL_NO_MEMORY;
    status = tl_result_read_edits(result, length + 1, text, &length);
    for (const char *at = text; status >= 0 && (at = strchr(at, '\n')); at++)
        ++*edits;
    free(text);
    return status;
}

static int tell_result(const options *given)
{
    tl_result *result = NULL;
    tl_document *document = NULL;
    tl_report last = {0};
    uint64_t edits = 0;
    facts f;
    if (given->set_count) {
        complain("info: --set is for scenes; %s is a result", given->file);
        return EXIT_USAGE;
    }
    tl_status status = tl_result_open(given->file, &result);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    const tl_result_info info = tl_result_describe(result);
    if (info.steps)
        status = tl_result_read_reports(result, info.steps - 1, 1, &last);
    if (status >= 0)
        status = count_edits(result, &edits);
    if (status >= 0)
        status = tl_result_document(result, &document);
    int code = status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
    if (code == EXIT_OK) {
        facts_start(&f, given->json);
        fact_text(&f, "file", given->file);
        fact_text(&f, "kind", "result");
        tell_result_info(&f, &info);
        if (tell_result_shapes(&f, result, &info) < 0)
            f.failed = true;
        fact_count(&f, "edits", edits);
        if (info.steps)
            tell_last_report(&f, &last);
        if (tell_result_monitors(&f, result) != EXIT_OK)
            f.failed = true;
        tell_document(&f, document);
        code = facts_end(&f);
    }
    tl_document_destroy(document);
    tl_result_close(result);
    return code;
}

/* --- this build --- */

/* The name of a backend, or why it does not answer. */
static void tell_backend(facts *f, const char *key, tl_backend_kind kind)
{
    char text[768];
    if (backend_name(kind, text, sizeof text) < 0)
        snprintf(text, sizeof text, "not available: %s", tl_last_message());
    fact_text(f, key, text);
}

static int tell_build(const options *given)
{
    unsigned major = 0, minor = 0, release = 0;
    char hdf5[64];
    facts f;
    if (given->set_count) {
        complain("info: --set is for scenes");
        return EXIT_USAGE;
    }
    H5get_libversion(&major, &minor, &release);
    snprintf(hdf5, sizeof hdf5, "%u.%u.%u", major, minor, release);
    facts_start(&f, given->json);
    fact_text(&f, "version", tl_version());
#ifdef __clang__
    fact_text(&f, "compiler", __VERSION__);
#else
    fact_text(&f, "compiler", "gcc " __VERSION__);
#endif
    fact_text(&f, "build", TALUS_BUILD);
    fact_text(&f, "instruction_sets", TALUS_INSTRUCTION_SETS);
    for (uint32_t i = 0; tl_words(TL_WORDS_BACKEND)[i]; i++)
        tell_backend(&f, tl_word(TL_WORDS_BACKEND, i), (tl_backend_kind)i);
    fact_text(&f, "hdf5", hdf5);
    fact_text(&f, "jansson", jansson_version_str());
    fact_text(&f, "meshes", tl_mesh_has_assimp() ? "stl, obj, ply, dae, gltf, glb" : "stl, obj");
#ifdef TALUS_RENDER
    fact_text(&f, "render", tlr_job_engine());
#else
    fact_text(&f, "render", "no: " TALUS_RENDER_MISSING);
#endif
    return facts_end(&f);
}

int command_info(const options *given)
{
    if (!given->file)
        return tell_build(given);
    return is_result(given->file) ? tell_result(given) : tell_scene(given);
}
