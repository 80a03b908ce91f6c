/* Mesh files: which reader a file's name asks for, and what the readers of text share. Called
 * through talus/io.h. */
#include "io/mesh.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/load.h"

static const size_t most_bytes = UINT32_MAX - 64; /* as for scenes */
static const size_t most_items = INT32_MAX - 1;   /* as for tl_mesh_create() */

/* ---- Text ---- */

tl_status tl_mesh_refuse(const tl_mesh_source *source, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return tl_fail(TL_BAD_DATA, "%s:%zu: %s", source->name, source->line, text);
}

void tl_mesh_skip_space(tl_mesh_source *source, bool lines)
{
    for (; source->at < source->length; source->at++) {
        const char c = source->data[source->at];
        if (c == '\n' && lines)
            source->line++;
        else if (c != ' ' && c != '\t' && c != '\r' && c != '\v' && c != '\f')
            return;
    }
}

void tl_mesh_skip_line(tl_mesh_source *source)
{
    const char *start = source->data + source->at;
    const char *end = memchr(start, '\n', source->length - source->at);
    source->at = end ? (size_t)(end - source->data) + 1 : source->length;
    source->line += end != NULL;
}

tl_text tl_mesh_word(tl_mesh_source *source)
{
    tl_mesh_skip_space(source, false);
    const size_t start = source->at;
    while (source->at < source->length) {
        const char c = source->data[source->at];
        if (c == ' ' || (c >= '\t' && c <= '\r'))
            break;
        source->at++;
    }
    return (tl_text){source->data + start, source->at - start};
}

bool tl_mesh_word_is(tl_text word, const char *lower)
{
    if (word.length != strlen(lower))
        return false;
    for (size_t i = 0; i < word.length; i++) {
        const char c = word.data[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c) != lower[i])
            return false;
    }
    return true;
}

const char *tl_mesh_show(tl_text word, char shown[TL_MESH_SHOWN])
{
    size_t n = 0;
    if (!word.length)
        return "the end of the line";
    shown[n++] = '\'';
    for (size_t i = 0; i < word.length && n < TL_MESH_SHOWN - 6; i++)
        shown[n++] = word.data[i] >= ' ' && word.data[i] <= '~' ? word.data[i] : '?';
    snprintf(shown + n, TL_MESH_SHOWN - n, "%s'", n - 1 < word.length ? "..." : "");
    return shown;
}

tl_status tl_mesh_numbers(tl_mesh_source *source, const char *what, size_t count, double *numbers)
{
    for (size_t i = 0; i < count; i++) {
        const tl_text word = tl_mesh_word(source);
        char shown[TL_MESH_SHOWN], *end = NULL;
        numbers[i] = word.length ? strtod(word.data, &end) : NAN;
        if (!word.length || end != word.data + word.length || !isfinite(numbers[i]))
            return tl_mesh_refuse(source,
                                  "%s is %s, expected %zu numbers, of which this is the %zu.", what,
                                  tl_mesh_show(word, shown), count, i + 1);
    }
    return TL_OK;
}

tl_status tl_mesh_add_vertex(tl_mesh_source *source, const double vertex[3])
{
    if (source->vertices.count / 3 >= most_items)
        return tl_fail(TL_TOO_LARGE, "%s: has more than %zu vertices, expected at most that many",
                       source->name, most_items);
    return tl_array_append(&source->vertices, vertex, 3);
}

tl_status tl_mesh_add_triangle(tl_mesh_source *source, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t triangle[3] = {a, b, c};
    if (source->triangles.count / 3 >= most_items)
        return tl_fail(TL_TOO_LARGE, "%s: has more than %zu triangles, expected at most that many",
                       source->name, most_items);
    return tl_array_append(&source->triangles, triangle, 3);
}

/* ---- Formats ---- */

static const char *const extensions[] = {"stl", "obj", "ply", "dae", "gltf", "glb"};

/* Which extension a name has, or NULL. */
static const char *extension_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof extensions / sizeof *extensions; i++)
        if (tl_mesh_word_is(tl_text_of(dot + 1), extensions[i]))
            return extensions[i];
    return NULL;
}

bool tl_mesh_is_file(const char *path)
{
    return path && extension_of(path);
}

static tl_status read_source(tl_mesh_source *source, const char *extension)
{
    if (!strcmp(extension, "stl"))
        return tl_mesh_read_stl(source);
    if (!strcmp(extension, "obj"))
        return tl_mesh_read_obj(source);
    return tl_mesh_read_assimp(source, extension);
}

/* Numbers are read as in C whatever the program's locale: 0.5, never 0,5. */
static tl_status read_plainly(tl_mesh_source *source, const char *extension)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return tl_fail(TL_NO_MEMORY, "out of memory: no locale could be made");
    locale_t before = uselocale(plain);
    const tl_status status = read_source(source, extension);
    uselocale(before);
    freelocale(plain);
    return status;
}

/* What is wrong with a mesh is the file's fault. */
static tl_status make_mesh(const tl_mesh_source *source, double scale, double merge, tl_mesh **mesh)
{
    tl_mesh_def def = tl_mesh_default();
    def.vertex_count = source->vertices.count / 3;
    def.vertices = source->vertices.data;
    def.triangle_count = source->triangles.count / 3;
    def.triangles = source->triangles.data;
    def.scale = scale;
    def.merge = merge;
    if (!def.triangle_count)
        return tl_fail(TL_BAD_DATA, "%s: has no triangles, expected one at least", source->name);
    const tl_status status = tl_mesh_create(&def, mesh);
    if (status != TL_BAD_ARGUMENT)
        return status;
    char text[512];
    snprintf(text, sizeof text, "%s", tl_last_message());
    return tl_fail(TL_BAD_DATA, "%s: %s", source->name, text);
}

static tl_status read_mesh(const char *name, const char *path, const char *data, size_t length,
                           double scale, double merge, tl_mesh **mesh)
{
    const char *extension = extension_of(name);
    tl_mesh_source source = {.name = name,
                             .path = path,
                             .data = data,
                             .length = length,
                             .line = 1,
                             .vertices = {.item = sizeof(double)},
                             .triangles = {.item = sizeof(uint32_t)}};
    tl_status status = read_plainly(&source, extension);
    if (status == TL_OK)
        status = make_mesh(&source, scale, merge, mesh);
    tl_array_free(&source.vertices);
    tl_array_free(&source.triangles);
    return status;
}

static tl_status check_arguments(const char *name, double scale, double merge, tl_mesh **mesh)
{
    if (!mesh)
        return tl_fail(TL_BAD_ARGUMENT, "mesh is NULL; it must not be");
    *mesh = NULL;
    if (!name)
        return tl_fail(TL_BAD_ARGUMENT, "the name of the mesh is NULL; it must not be");
    if (!(scale > 0 && isfinite(scale)))
        return tl_fail(TL_BAD_ARGUMENT, "scale is %g; it must be finite and > 0", scale);
    if (!(merge >= 0 && isfinite(merge)))
        return tl_fail(TL_BAD_ARGUMENT, "merge is %g; it must be finite and >= 0", merge);
    if (!extension_of(name))
        return tl_fail(TL_BAD_DATA,
                       "%s: its name ends in no format of meshes, expected .stl, .obj, .ply, .dae, "
                       ".gltf or .glb",
                       name);
    return TL_OK;
}

tl_status tl_mesh_parse(const char *name, const void *data, size_t length, double scale,
                        double merge, tl_mesh **mesh)
{
    tl_array copy = {.item = 1};
    TL_TRY(check_arguments(name, scale, merge, mesh));
    if (!data && length)
        return tl_fail(TL_BAD_ARGUMENT, "data is NULL; it must not be");
    if (length > most_bytes)
        return tl_fail(TL_BAD_DATA, "%s: has %zu bytes, expected at most %zu", name, length,
                       most_bytes);
    TL_TRY(tl_array_resize(&copy, length + 1));
    if (length)
        memcpy(copy.data, data, length);
    ((char *)copy.data)[length] = 0;
    const tl_status status = read_mesh(name, NULL, copy.data, length, scale, merge, mesh);
    tl_array_free(&copy);
    return status;
}

tl_status tl_mesh_read(const char *path, double scale, double merge, tl_mesh **mesh)
{
    tl_array text = {.item = 1};
    TL_TRY(check_arguments(path, scale, merge, mesh));
    TL_TRY(tl_load(path, most_bytes, &text));
    const tl_status status = read_mesh(path, path, text.data, text.count - 1, scale, merge, mesh);
    tl_array_free(&text);
    return status;
}
