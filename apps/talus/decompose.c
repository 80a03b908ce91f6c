/* `talus decompose`: a mesh as a body of spheres or convex pieces, written as a scene that runs. */
#include "facts.h"
#include "files.h"
#include "mesh.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The scene ---- */

/* Everything that the scene is made of. */
typedef struct part {
    const options *given;
    char stem[256]; /* of the mesh's name */
    tl_mesh_solid solid;
    tl_decomposition_info info;
    tl_pieces_info split; /* with --convex: instead of info */
} part;

/* The last part of a path, without its extension. */
static void find_stem(const char *path, char *stem, size_t room)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    snprintf(stem, room, "%.*s", (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name)),
             name);
}

/* A text in quotes, as JSON writes it. */
static void put_text(FILE *out, const char *text)
{
    json_t *value = json_text(text);
    char *dumped = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    fputs(dumped ? dumped : "\"\"", out);
    free(dumped);
    json_decref(value);
}

static void put_numbers(FILE *out, const char *key, int count, const double *numbers)
{
    fprintf(out, "\"%s\": [", key);
    for (int k = 0; k < count; k++)
        fprintf(out, "%s%.17g", k ? ", " : "", numbers[k] + 0.0); /* -0 is 0 */
    fputc(']', out);
}

static void put_comment(FILE *out, const part *p)
{
    char text[1024];
    const bool convex = p->given->convex;
    snprintf(text, sizeof text,
             PART_MARK
             " from %s: %zu %s within %.3g m of the mesh. The body's origin is the "
             "centre of mass and its axes are the principal axes of inertia; position and "
             "orientation put it where the mesh is in its file.",
             p->given->file, convex ? p->split.count : p->info.count,
             convex ? "convex pieces" : "spheres",
             convex ? fmax(p->split.tolerance, p->split.fit.protrusion) : p->info.tolerance);
    put_text(out, text);
}

/* The centre of a ball in the body's frame: from the centre of mass, turned back. */
static void to_body(const tl_mesh_solid *solid, const double point[3], double local[3])
{
    const double *q = solid->orientation;
    const double v[3] = {point[0] - solid->centre[0], point[1] - solid->centre[1],
                         point[2] - solid->centre[2]};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        local[i] = (1 - 2 * (q[1 + j] * q[1 + j] + q[1 + k] * q[1 + k])) * v[i] +
                   2 * (q[1 + i] * q[1 + j] + q[0] * q[1 + k]) * v[j] +
                   2 * (q[1 + i] * q[1 + k] - q[0] * q[1 + j]) * v[k];
    }
}

/* The name of the geometry of a piece. */
static void put_piece_name(FILE *out, const part *p, size_t i)
{
    char text[300];
    snprintf(text, sizeof text, "%s_%zu", p->stem, i + 1);
    put_text(out, text);
}

static void put_hulls(FILE *out, const part *p)
{
    fputs(",\n  \"geometries\": {\n", out);
    for (size_t i = 0; i < p->split.count; i++) {
        const tl_piece *piece = &p->split.pieces[i];
        fputs("    ", out);
        put_piece_name(out, p, i);
        fputs(": {\"hull\": [", out);
        for (size_t v = 0; v < piece->vertex_count; v++) {
            double local[3];
            to_body(&p->solid, piece->vertices + 3 * v, local);
            fprintf(out, "%s[%.17g, %.17g, %.17g]", v ? ", " : "", local[0] + 0.0, local[1] + 0.0,
                    local[2] + 0.0);
        }
        fputs(i + 1 < p->split.count ? "]},\n" : "]}\n", out);
    }
    fputs("  }", out);
}

static void put_shape(FILE *out, const part *p, size_t i)
{
    if (p->given->convex) {
        fputs("       {\"kind\": \"hull\", \"geometry\": ", out);
        put_piece_name(out, p, i);
    } else {
        const tl_ball *ball = &p->info.balls[i];
        double local[3];
        to_body(&p->solid, ball->centre, local);
        fprintf(out, "       {\"kind\": \"sphere\", \"radius\": %.17g, ", ball->radius);
        put_numbers(out, "position", 3, local);
    }
    if (p->given->material) {
        fputs(", \"material\": ", out);
        put_text(out, p->given->material);
    }
    fputc('}', out);
}

static void put_scene(FILE *out, const part *p)
{
    fputs("{\n  \"version\": 1,\n  \"comment\": ", out);
    put_comment(out, p);
    fputs(",\n  \"title\": ", out);
    put_text(out, p->stem);
    if (p->given->material) {
        fputs(",\n  \"materials\": {", out);
        put_text(out, p->given->material);
        fputs(": {}}", out);
    }
    if (p->given->convex)
        put_hulls(out, p);
    fputs(",\n  \"bodies\": [\n    {\"name\": ", out);
    put_text(out, p->given->name ? p->given->name : p->stem);
    fputs(",\n     ", out);
    put_numbers(out, "position", 3, p->solid.centre);
    fputs(",\n     ", out);
    put_numbers(out, "orientation", 4, p->solid.orientation);
    fprintf(out, ",\n     \"mass\": %.17g,\n     ", p->solid.mass);
    put_numbers(out, "inertia", 3, p->solid.moments);
    fputs(",\n     \"shapes\": [\n", out);
    const size_t count = p->given->convex ? p->split.count : p->info.count;
    for (size_t i = 0; i < count; i++) {
        put_shape(out, p, i);
        fputs(i + 1 < count ? ",\n" : "\n", out);
    }
    fputs("     ]}\n  ]\n}\n", out);
}

/* Makes the text, sees that it reads as a scene, and writes it. */
static int write_scene(const part *p, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    tl_document *document = NULL;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return out_of_memory();
    put_scene(memory, p);
    if (fclose(memory) != 0) {
        free(text);
        return out_of_memory();
    }
    const tl_status status = tl_document_parse(path, text, length, 0, NULL, &document);
    tl_document_destroy(document);
    int code = status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
    if (code == EXIT_OK) {
        FILE *file = fopen(path, "wb");
        const bool written = file && fwrite(text, 1, length, file) == length;
        if ((file && fclose(file) != 0) || !written) {
            complain("cannot write %s: %s", path, strerror(errno));
            code = EXIT_FILE;
        }
    }
    free(text);
    return code;
}

/* ---- The report ---- */

/* How like the mesh the union of `things` is. */
static void tell_fit(facts *f, const tl_fit *fit, double volume, const char *thing)
{
    char key[32], outside[64], beyond[64], out[64], to[64], from[64], centre[64];
    snprintf(key, sizeof key, "%ss_volume", thing);
    snprintf(outside, sizeof outside, "of it outside of the %ss", thing);
    snprintf(beyond, sizeof beyond, "of it the %ss outside of the mesh", thing);
    snprintf(out, sizeof out, "m, a %s out of the mesh at most", thing);
    snprintf(to, sizeof to, "m, mesh to %ss", thing);
    snprintf(from, sizeof from, "m, %ss to mesh", thing);
    snprintf(centre, sizeof centre, "m, centre of the %ss' union", thing);
    fact_number(f, key, fit->volume, "m^3, of their union");
    fact_number(f, "volume_error", fit->volume / volume - 1, "of the mesh's volume");
    fact_number(f, "missing", fit->missing / volume, outside);
    fact_number(f, "excess", fit->excess / volume, beyond);
    fact_number(f, "volume_accuracy", fit->volume_accuracy / volume, "of these three");
    fact_number(f, "protrusion", fit->protrusion, out);
    fact_number(f, "deviation_max", fit->deviation_max, to);
    fact_number(f, "deviation_rms", fit->deviation_rms, "m, the same");
    fact_number(f, "reverse_max", fit->reverse_max, from);
    fact_number(f, "reverse_rms", fit->reverse_rms, "m, the same");
    fact_number(f, "sampling", fit->sampling, "m, spacing of samples of both surfaces");
    fact_number(f, "centre_error", fit->centre_error, centre);
    fact_number(f, "inertia_error", fit->inertia_error, "of the largest moment, of the union");
}

static void tell_filling(facts *f, const part *p)
{
    const tl_decomposition_info *info = &p->info;
    fact_count(f, "spheres", info->count);
    fact_number(f, "tolerance", info->tolerance, "m");
    fact_number(f, "largest_radius", info->balls[0].radius, "m");
    fact_number(f, "smallest_radius", info->balls[info->count - 1].radius, "m");
    tell_fit(f, &info->fit, p->solid.volume, "sphere");
}

static void tell_split(facts *f, const part *p)
{
    const tl_pieces_info *info = &p->split;
    size_t vertices = 0;
    for (size_t i = 0; i < info->count; i++)
        vertices += info->pieces[i].vertex_count;
    fact_count(f, "pieces", info->count);
    fact_count(f, "piece_vertices", vertices);
    fact_number(f, "tolerance", info->tolerance, "m");
    tell_fit(f, &info->fit, p->solid.volume, "piece");
}

static int tell_part(const part *p, const tl_mesh *mesh, const char *path)
{
    facts f;
    const double asked = p->given->tolerance;
    if (p->given->quiet && !p->given->json)
        return EXIT_OK;
    facts_start(&f, p->given->json);
    f.quiet = p->given->quiet;
    facts_list_warnings(&f);
    fact_text(&f, "file", p->given->file);
    tell_mesh(&f, mesh);
    tell_solid(&f, &p->solid);
    if (p->given->convex)
        tell_split(&f, p);
    else
        tell_filling(&f, p);
    fact_text(&f, "output", path);
    if (p->given->convex && p->split.fit.protrusion > p->split.tolerance)
        fact_warning(&f,
                     "%zu pieces do not reach the tolerance of %.3g m; these stick out by %.3g m",
                     p->split.count, p->split.tolerance, p->split.fit.protrusion);
    if (!p->given->convex && asked < p->info.tolerance)
        fact_warning(&f, "%lld spheres do not reach the tolerance of %g m; these are for %.3g m",
                     (long long)p->given->spheres, asked, p->info.tolerance);
    return facts_end(&f);
}

/* ---- The command ---- */

/* `talus: FILE: message` for what is wrong with a mesh. */
static int complain_of_mesh(const options *given, tl_status status)
{
    fprintf(stderr, "%s: %s\n", given->file, tl_last_message());
    return exit_code(status, PHASE_READING);
}

static tl_status fill_with_spheres(const options *given, const tl_mesh *mesh,
                                   tl_decomposition **filling)
{
    tl_decompose_def def = tl_decompose_default();
    def.tolerance = isnan(given->tolerance) ? 0 : given->tolerance;
    def.most = given->spheres < 0 ? 0 : (size_t)given->spheres;
    return tl_mesh_decompose(mesh, &def, filling);
}

static tl_status split_mesh(const options *given, const tl_mesh *mesh, tl_pieces **pieces)
{
    tl_split_def def = tl_split_default();
    def.tolerance = isnan(given->tolerance) ? 0 : given->tolerance;
    def.most = given->pieces < 0 ? def.most : (size_t)given->pieces;
    def.vertices = given->vertices < 0 ? def.vertices : (size_t)given->vertices;
    return tl_mesh_split(mesh, &def, pieces);
}

static int make_part(const options *given, const tl_mesh *mesh, const char *path)
{
    part p = {.given = given};
    tl_decomposition *filling = NULL;
    tl_pieces *pieces = NULL;
    find_stem(given->file, p.stem, sizeof p.stem);
    tl_status status = tl_mesh_measure(mesh, mesh_density(given), &p.solid);
    if (status == TL_OK)
        status = given->convex ? split_mesh(given, mesh, &pieces)
                               : fill_with_spheres(given, mesh, &filling);
    if (status < 0)
        return complain_of_mesh(given, status);
    p.info = tl_decomposition_describe(filling);
    p.split = tl_pieces_describe(pieces);
    int code = write_scene(&p, path);
    if (code == EXIT_OK)
        code = tell_part(&p, mesh, path);
    tl_decomposition_destroy(filling);
    tl_pieces_destroy(pieces);
    return code;
}

/* --spheres is for spheres, --pieces and --vertices are for pieces. */
static int check_kind(const options *given)
{
    if (given->convex && given->spheres >= 0)
        complain("decompose: --spheres is for spheres; with --convex give --pieces");
    else if (!given->convex && given->pieces >= 0)
        complain("decompose: --pieces is for convex pieces: give --convex, or --spheres");
    else if (!given->convex && given->vertices >= 0)
        complain("decompose: --vertices is for convex pieces: give --convex");
    else
        return EXIT_OK;
    return EXIT_USAGE;
}

int command_decompose(const options *given)
{
    char path[512];
    tl_mesh *mesh = NULL;
    find_stem(given->file, path, sizeof path - 8);
    strcat(path, ".json");
    const char *output = given->output ? given->output : path;
    int code = check_kind(given);
    if (code == EXIT_OK)
        code = check_scene_path(given, "decompose", "mesh", PART_MARK, output);
    if (code == EXIT_OK)
        code = read_mesh(given, &mesh);
    if (code == EXIT_OK)
        code = make_part(given, mesh, output);
    tl_mesh_destroy(mesh);
    return code;
}
