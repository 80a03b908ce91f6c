/* The reader of scenes in lines under libFuzzer. Whatever comes, it ends with a document or with a
 * message that has a line and a column; the JSON that it makes is read to the same bodies. run.sh
 * builds and runs this. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "talus/io.h"

static void check(int sound, const char *what)
{
    if (sound)
        return;
    fprintf(stderr, "fuzz_lines: %s (last message: %s)\n", what, tl_last_message());
    abort();
}

static void ask(const tl_document *document)
{
    tl_document *again = NULL;
    char text[64];
    size_t length;
    const tl_scene *scene = tl_document_scene(document);
    const uint32_t count = (uint32_t)tl_scene_body_count(scene);
    for (uint32_t i = 1; i <= count; i++) {
        check(tl_document_body_name(document, (tl_body){i, 1}) != NULL, "a body has no name");
        tl_document_describe(document, (tl_body){i, 1}, text, sizeof text);
        check(!strncmp(text, "f.txt:", 6), "a body is in no line");
    }
    const char *json = tl_document_text(document, &length);
    check(strlen(json) == length, "the text has another length");
    check(tl_document_parse("again.json", json, length, 0, NULL, &again) >= 0,
          "the JSON is refused");
    check(tl_scene_body_count(tl_document_scene(again)) == count &&
              tl_scene_joint_count(tl_document_scene(again)) == tl_scene_joint_count(scene),
          "the JSON reads to another scene");
    tl_document_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tl_document *document = NULL;
    const char *text = (const char *)data;
    if (!tl_document_is_lines("f.txt", text, size))
        return 0;
    const tl_status status = tl_document_parse("f.txt", text, size, 0, NULL, &document);
    check((status >= 0) == (document != NULL), "status and document disagree");
    if (status < 0) {
        unsigned line, column;
        check(status == TL_BAD_DATA || status == TL_NO_MEMORY, "an unexpected status");
        check(status != TL_BAD_DATA ||
                  sscanf(tl_last_message(), "f.txt:%u:%u: ", &line, &column) == 2,
              "a message has no place");
        return 0;
    }
    ask(document);
    tl_document_destroy(document);
    return 0;
}
