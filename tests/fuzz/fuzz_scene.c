/* The scene reader under libFuzzer. Input: a scene, then after each zero byte a text that is set on
 * top of it. Whatever comes, the reader ends with a document or with a message; a document answers
 * every question, and its text reads to a scene of the same bodies. The JSON parser inside must
 * take exactly what jansson takes. run.sh builds and runs this. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/parse_json.h"
#include "talus/io.h"

enum { MOST_SETS = 8 };

static void check(int sound, const char *what)
{
    if (sound)
        return;
    fprintf(stderr, "fuzz_scene: %s (last message: %s)\n", what, tl_last_message());
    abort();
}

static void ask(const tl_document *document)
{
    char text[64];
    const size_t count = tl_scene_body_count(tl_document_scene(document));
    for (uint32_t i = 0; i <= count + 1; i += 1 + (uint32_t)count / 8) {
        const tl_body body = {i, 1};
        const char *name = tl_document_body_name(document, body);
        tl_document_describe(document, body, text, sizeof text);
        check(strlen(text) < sizeof text, "a description is too long");
        if (name)
            tl_document_find_body(document, name);
    }
    for (uint32_t i = 0; tl_document_material_name(document, (tl_material){i}); i++)
        check(i <= 255, "there are too many materials");
    check(tl_document_record(document).duration > 0, "the duration is not above 0");
    check(tl_document_title(document) != NULL, "there is no title");
}

static void read_scene(const char *text, size_t length, size_t count, const char *const *sets)
{
    tl_document *document = NULL, *again = NULL;
    const tl_status status = tl_document_parse("f", text, length, count, sets, &document);
    check((status >= 0) == (document != NULL), "status and document disagree");
    if (status < 0) {
        check(status == TL_BAD_DATA || status == TL_NO_MEMORY, "an unexpected status");
        check(tl_last_message()[0] != 0, "there is no message");
        return;
    }
    ask(document);
    const char *written = tl_document_text(document, &length);
    check(strlen(written) == length, "the text has another length");
    check(tl_document_parse("again", written, length, 0, NULL, &again) >= 0,
          "the text of a document is refused");
    check(tl_scene_body_count(tl_document_scene(again)) ==
              tl_scene_body_count(tl_document_scene(document)),
          "the text of a document reads to other bodies");
    tl_document_destroy(again);
    tl_document_destroy(document);
}

/* Both parsers take a text or refuse it. jansson differs on purpose in what is left out here: it
 * refuses whole numbers of more than 64 bits, nests deeper, and takes a zero byte for the end. */
static void compare_parsers(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    check(copy != NULL, "no memory");
    memcpy(copy, text, length);
    copy[length] = 0;
    tl_json_source source = {.text = copy, .length = (uint32_t)length};
    tl_json_tree tree = tl_json_tree_empty();
    tl_json_error mine;
    json_error_t theirs;
    check(tl_array_append(&tree.sources, &source, 1) == TL_OK, "no memory");
    const bool taken = tl_json_parse(&tree, 0, &mine) == TL_OK;
    json_t *value = json_loadb(text, length, JSON_DECODE_ANY, &theirs);
    if (taken != (value != NULL) && !(value && strstr(mine.text, "deep")) &&
        !(taken && strstr(theirs.text, "too big") && strstr(theirs.text, "integer")))
        check(0, taken ? theirs.text : mine.text);
    json_decref(value);
    tl_json_tree_free(&tree);
    tl_array_free(&tree.sources);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *sets[MOST_SETS];
    size_t count = 0;
    char *text = malloc(size + 1);
    check(text != NULL, "no memory");
    memcpy(text, data, size);
    text[size] = 0;
    size_t length = strlen(text);
    for (size_t at = length + 1; at < size && count < MOST_SETS; at += strlen(text + at) + 1)
        sets[count++] = text + at;
    if (!count)
        length = size; /* without sets the zero bytes are part of the scene */
    if (!memchr(text, 0, length))
        compare_parsers(text, length);
    read_scene(text, length, count, sets);
    free(text);
    return 0;
}
