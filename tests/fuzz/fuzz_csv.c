/* The reader of CSV files under libFuzzer. Whatever comes, it ends with frames whose bodies are in
 * order and whose numbers are finite, or with a message. run.sh builds and runs this. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The reader itself: run.sh links the core and talus_io alone. */
#include "render/csv.c"

static void check(int sound, const char *what)
{
    if (sound)
        return;
    fprintf(stderr, "fuzz_csv: %s (last message: %s)\n", what, tl_last_message());
    abort();
}

static tl_status count_body(void *user, const tl_body_info *b, size_t count,
                            const tl_shape_info *shapes)
{
    uint32_t *last = user;
    check(count == 1 && b->body.index > *last && shapes->def.radius > 0, "a body");
    *last = b->body.index;
    return TL_OK;
}

static void check_frame(tlr_csv *csv, uint64_t index)
{
    tl_frame_view v;
    check(tlr_csv_read_frame(csv, index, &v) == TL_OK, "a frame cannot be read again");
    check(v.count > 0, "a frame without bodies");
    for (size_t i = 0; i < v.count; i++) {
        check(!i || v.bodies[i] > v.bodies[i - 1], "bodies are not in order");
        for (size_t k = 0; k < 3; k++)
            check(isfinite(v.positions[3 * i + k]), "a position is no number");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tlr_csv_def def = {.scale = 1};
    tlr_csv *csv = NULL;
    uint32_t last = 0;
    if (!size)
        return 0;
    def.radius = data[0] & 1 ? 0.5 : 0;
    FILE *file = fmemopen((void *)(uintptr_t)(data + 1), size - 1 ? size - 1 : 1, "r");
    check(file != NULL, "memory");
    const tl_status status = tlr_csv_take(file, "f", &def, &csv);
    if (status < 0) {
        check(status == TL_BAD_DATA || status == TL_NO_MEMORY, "an unexpected status");
        check(tl_last_message()[0] != 0, "there is no message");
        return 0;
    }
    const tl_result_info info = tlr_csv_describe(csv);
    check(info.frames > 0 && info.bodies > 0, "there is nothing");
    check(tlr_csv_visit_bodies(csv, count_body, &last) == TL_OK, "bodies");
    for (uint64_t i = 0; i < info.frames && i < 8; i++)
        check_frame(csv, i);
    tlr_csv_close(csv);
    return 0;
}
