/* The reader of looks under libFuzzer. Whatever comes, it ends with a look whose numbers are in
 * their bounds or with a message. run.sh builds and runs this. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reader itself: run.sh links the core and talus_io alone. */
#include "render/look.c"
#include "render/look_material.c"
#include "render/look_read.c"
#include "render/look_reader.c"
#include "render/shade.c"

/* Of render/color.c, which needs more than looks. */
const char *const tlr_maps[] = {"viridis", "inferno", "coolwarm", "gray", NULL};

/* Of render/csv.c, which has a fuzzer of its own. */
const char *const tlr_column_names[] = {"time", "body",   "x",    "y",        "z",  "qw", "qx",
                                        "qy",   "qz",     "vx",   "vy",       "vz", "wx", "wy",
                                        "wz",   "radius", "mass", "material", NULL};

static void check(int sound, const char *what)
{
    if (sound)
        return;
    fprintf(stderr, "fuzz_look: %s (last message: %s)\n", what, tl_last_message());
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tlr_look *look = NULL;
    char *text = malloc(size + 1);
    check(text != NULL, "memory");
    memcpy(text, data, size);
    text[size] = 0;
    check(tlr_look_create("studio", &look) == TL_OK, "the template is refused");
    const tl_status status = tlr_look_parse("f", "looks/", text, size, look);
    if (status < 0) {
        check(status == TL_BAD_DATA || status == TL_NO_MEMORY, "an unexpected status");
        check(tl_last_message()[0] != 0, "there is no message");
    } else {
        check(look->size[0] >= 2 && look->size[0] <= 16384, "the width");
        check(look->samples >= 1 && look->fps > 0 && isfinite(look->fps), "samples, fps");
        check(look->light_count <= TLR_MOST_AREAS && look->view.key_count <= TLR_MOST_KEYS,
              "too many lights or keys");
        check(look->material_count <= TLR_MOST_NAMED && look->body_count <= TLR_MOST_NAMED,
              "too many names");
        check(!strstr(look->sky.file, "../"), "a file elsewhere");
        check(look->shade_count <= TLR_MOST_SHADES && look->object_count <= TLR_MOST_OBJECTS,
              "too many shades or objects");
        for (size_t i = 0; i < look->shade_count; i++) {
            const talus_shade_point point = {.radius = 1, .normal = {0, 0, 1}};
            tlr_material material = look->moving;
            vec normal = {0, 0, 1};
            tlr_shade shade;
            look->shades[i].shader[0] = 0;
            check(tlr_shade_make(&look->shades[i], NULL, &shade) == TL_OK, "a shade");
            tlr_shade_apply(&shade, &point, &material, &normal);
            check(material.roughness >= 0 && material.roughness <= 1 &&
                      v_most(material.color) <= 1 && fabsf(v_length(normal) - 1) < 1e-3f,
                  "what a shade makes");
            tlr_shade_free(&shade);
        }
        for (size_t i = 0; i < look->object_count; i++)
            check(!strncmp(look->objects[i].file, "looks/", 6) &&
                      !strstr(look->objects[i].file, "../"),
                  "an object elsewhere");
        for (size_t i = 0; i < look->stone_count; i++)
            check(!strncmp(look->stones[i], "looks/", 6) && !strstr(look->stones[i], "../"),
                  "a mesh elsewhere");
    }
    tlr_look_link(look, text);
    tlr_look_free(look);
    free(text);
    return 0;
}
