/* The readers of mesh files under libFuzzer. Input: a byte that says the format, then the file.
 * Whatever comes, a reader ends with a mesh or with a message; a mesh answers every question, and
 * one that is a solid has a mass. run.sh builds and runs this. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "talus/io.h"

static void check(int sound, const char *what)
{
    if (sound)
        return;
    fprintf(stderr, "fuzz_mesh: %s (last message: %s)\n", what, tl_last_message());
    abort();
}

static void ask(const tl_mesh *mesh)
{
    const tl_mesh_info info = tl_mesh_describe(mesh);
    tl_mesh_solid solid;
    tl_mesh *hull = NULL;
    check(info.triangle_count > 0 && info.vertex_count >= 3, "a mesh is empty");
    for (size_t i = 0; i < 3 * info.triangle_count; i++)
        check(info.triangles[i] < info.vertex_count, "an index is out of range");
    for (size_t i = 0; i < 3 * info.vertex_count; i++)
        check(info.vertices[i] >= info.low[i % 3] && info.vertices[i] <= info.high[i % 3],
              "a vertex is outside of the bounding box");
    const tl_status status = tl_mesh_measure(mesh, 1000, &solid);
    check(status == TL_OK || status == TL_BAD_DATA, "an unexpected status of measuring");
    if (status == TL_OK)
        check(solid.mass > 0 && isfinite(solid.mass), "a solid has no mass");
    const tl_status hulled = tl_mesh_create_hull(info.vertex_count, info.vertices, &hull);
    check(hulled == TL_OK || hulled == TL_BAD_ARGUMENT, "an unexpected status of a hull");
    if (hulled == TL_OK)
        check(tl_mesh_describe(hull).open_edges + tl_mesh_describe(hull).turned_edges +
                      tl_mesh_describe(hull).crowded_edges ==
                  0,
              "a hull is not closed");
    tl_mesh_destroy(hull);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"f.stl", "f.obj"};
    tl_mesh *mesh = NULL;
    if (!size)
        return 0;
    const tl_status status =
        tl_mesh_parse(names[data[0] & 1], data + 1, size - 1, 1, data[0] & 2 ? 0.01 : 0, &mesh);
    check((status >= 0) == (mesh != NULL), "status and mesh disagree");
    if (status < 0) {
        check(status == TL_BAD_DATA || status == TL_NO_MEMORY, "an unexpected status");
        check(tl_last_message()[0] != 0, "there is no message");
        return 0;
    }
    ask(mesh);
    tl_mesh_destroy(mesh);
    return 0;
}
