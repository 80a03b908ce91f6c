/* Users' RIB scenes under libFuzzer: whatever comes, directives give way and all other lines stay,
 * or there is a message. run.sh builds and runs this. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reader itself, and what it asks the stage for: nothing is on it. */
#include "render/rib.c"

static const tlr_lights no_lights;
static const tlr_moment nothing = {.lights = &no_lights};

const tlr_moment *tlr_stage_moment(const tlr_stage *s)
{
    (void)s;
    return &nothing;
}

bool tlr_stage_mesh(const tlr_stage *s, uint32_t number, tlr_mesh_view *mesh)
{
    (void)s, (void)number, (void)mesh;
    return false;
}

vec tlr_moment_color(const tlr_moment *m, uint32_t body, const tlr_material *material)
{
    (void)m, (void)body;
    return material->color;
}

static void check(int sound, const char *what)
{
    if (sound)
        return;
    fprintf(stderr, "fuzz_rib: %s (last message: %s)\n", what, tl_last_message());
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double origin[3] = {1, 2, 3};
    const tlr_tracer tracer = {.camera = {.width = 4, .height = 3, .half_height = 1}};
    char *out = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&out, &length);
    check(file != NULL, "memory");
    const tl_status status = tlr_rib_inject(file, &tracer, "f", (const char *)data, size, origin);
    check(fclose(file) == 0, "memory");
    if (status < 0) {
        check(status == TL_BAD_DATA && tl_last_message()[0], "an unexpected status");
    } else {
        check(length > 0 && memmem(out, length, "AttributeBegin\nTranslate 1 2 3\n", 31) != NULL,
              "bodies are missing");
    }
    free(out);
    return 0;
}
