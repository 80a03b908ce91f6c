/* STL, both kinds: triangles one by one, each with its own three vertices. Binary files are told by
 * their length, which follows from the count in their head: some of them begin with "solid", too.
 * Normals are not looked at: the order of the vertices says where outside is. */
#include "io/mesh.h"

#include <math.h>
#include <string.h>

enum { HEAD = 84, RECORD = 50 }; /* bytes */

static uint32_t read_word(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static double read_float(const unsigned char *bytes)
{
    const uint32_t word = read_word(bytes);
    float number;
    memcpy(&number, &word, sizeof number);
    return (double)number;
}

/* Adds a triangle with vertices of its own. */
static tl_status add_corners(tl_mesh_source *source, double corners[3][3])
{
    const uint32_t first = (uint32_t)(source->vertices.count / 3);
    for (int k = 0; k < 3; k++)
        TL_TRY(tl_mesh_add_vertex(source, corners[k]));
    return tl_mesh_add_triangle(source, first, first + 1, first + 2);
}

static tl_status read_binary(tl_mesh_source *source, uint32_t count)
{
    TL_TRY(tl_array_reserve(&source->vertices, 9 * (size_t)count));
    TL_TRY(tl_array_reserve(&source->triangles, 3 * (size_t)count));
    for (uint32_t i = 0; i < count; i++) {
        const size_t at = HEAD + RECORD * (size_t)i;
        const unsigned char *record = (const unsigned char *)source->data + at + 12;
        double corners[3][3];
        for (int n = 0; n < 9; n++) {
            corners[n / 3][n % 3] = read_float(record + 4 * n);
            if (!isfinite(corners[n / 3][n % 3]))
                return tl_fail(TL_BAD_DATA,
                               "%s: triangle %u (byte %zu): vertex %d has %g for a coordinate, "
                               "expected a number",
                               source->name, i, at, n / 3, corners[n / 3][n % 3]);
        }
        TL_TRY(add_corners(source, corners));
    }
    return TL_OK;
}

/* ---- Text ---- */

/* Reads a word that must be the one expected. */
static tl_status expect(tl_mesh_source *source, const char *expected)
{
    char shown[TL_MESH_SHOWN];
    tl_mesh_skip_space(source, true);
    const tl_text word = tl_mesh_word(source);
    if (tl_mesh_word_is(word, expected))
        return TL_OK;
    if (source->at >= source->length && !word.length)
        return tl_mesh_refuse(source, "the file ends, expected '%s'", expected);
    return tl_mesh_refuse(source, "%s, expected '%s'", tl_mesh_show(word, shown), expected);
}

/* What follows `facet`. */
static tl_status read_facet(tl_mesh_source *source)
{
    double corners[3][3];
    TL_TRY(expect(source, "normal"));
    tl_mesh_skip_line(source); /* some programs write nan for normals */
    TL_TRY(expect(source, "outer"));
    TL_TRY(expect(source, "loop"));
    for (int k = 0; k < 3; k++) {
        TL_TRY(expect(source, "vertex"));
        TL_TRY(tl_mesh_numbers(source, "a coordinate", 3, corners[k]));
    }
    TL_TRY(expect(source, "endloop"));
    TL_TRY(expect(source, "endfacet"));
    return add_corners(source, corners);
}

/* `solid NAME`, facets, `endsolid NAME`, and perhaps another solid. */
static tl_status read_text(tl_mesh_source *source)
{
    char shown[TL_MESH_SHOWN];
    bool open = false;
    for (;;) {
        tl_mesh_skip_space(source, true);
        if (source->at >= source->length)
            return open ? tl_mesh_refuse(source, "the file ends, expected 'facet' or 'endsolid'")
                        : TL_OK;
        const tl_text word = tl_mesh_word(source);
        if (open && tl_mesh_word_is(word, "facet")) {
            TL_TRY(read_facet(source));
        } else if (tl_mesh_word_is(word, open ? "endsolid" : "solid")) {
            open = !open;
            tl_mesh_skip_line(source);
        } else {
            return tl_mesh_refuse(source, "%s, expected %s", tl_mesh_show(word, shown),
                                  open ? "'facet' or 'endsolid'" : "'solid'");
        }
    }
}

tl_status tl_mesh_read_stl(tl_mesh_source *source)
{
    const unsigned char *bytes = (const unsigned char *)source->data;
    const uint32_t count = source->length >= HEAD ? read_word(bytes + HEAD - 4) : 0;
    const uint64_t wanted = HEAD + RECORD * (uint64_t)count;
    if (source->length >= HEAD && source->length == wanted)
        return read_binary(source, count);
    tl_mesh_source start = *source;
    tl_mesh_skip_space(&start, true);
    if (tl_mesh_word_is(tl_mesh_word(&start), "solid"))
        return read_text(source);
    if (source->length < HEAD)
        return tl_fail(
            TL_BAD_DATA,
            "%s: has %zu bytes and does not begin with 'solid', expected the %d bytes of "
            "the head of a binary STL file",
            source->name, source->length, HEAD);
    return tl_fail(TL_BAD_DATA,
                   "%s: says at byte %d that it has %u triangles, expected %llu bytes; it has %zu",
                   source->name, HEAD - 4, count, (unsigned long long)wanted, source->length);
}
