/* Scenes that break a rule are refused with the one message that belongs to it, at the right place;
 * sound ones are taken. For tests/cli/test_schema.py `--dump` writes all of them as lines of JSON,
 * and `--words` the words of every enum. */
#include "io/scene_text.h"

#include <jansson.h>

#include "io/scene_bad.h"
#include "io/scene_good.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void refuses_every_bad_scene(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < COUNT(bad_scenes); i++) {
        tl_document *document = (tl_document *)&wrong; /* must be set to NULL */
        const tl_status status = parse_sets(bad_scenes[i].text, 0, NULL, &document);
        if (status != TL_BAD_DATA || document || strcmp(tl_last_message(), bad_scenes[i].message)) {
            print_error("%s\n   gave %s %s\n   expected %s\n", bad_scenes[i].text,
                        tl_status_name(status), status < 0 ? tl_last_message() : "",
                        bad_scenes[i].message);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void takes_every_good_scene(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(good_scenes); i++) {
        context("%s", good_scenes[i].name);
        tl_document_destroy(parse(good_scenes[i].text));
    }
}

/* A scene whose object `key` has `count` members. */
static char *crowded(const char *key, int count, const char *value)
{
    char *text = malloc(100 + 30 * (size_t)count), *at = text;
    assert_non_null(text);
    at += sprintf(at, "{'version': 1, '%s': {", key);
    for (int i = 0; i < count; i++)
        at += sprintf(at, "%s'm%d': %s", i ? ", " : "", i, value);
    sprintf(at, "}}");
    return text;
}

static void limits_are_the_ones_named(void **state)
{
    (void)state;
    tl_document *document = NULL;
    char *text = crowded("parameters", 1000, "1");
    tl_document_destroy(parse(text));
    free(text);
    text = crowded("parameters", 1001, "1");
    assert_status(parse_sets(text, 0, NULL, &document), TL_BAD_DATA);
    assert_string_equal(tl_last_message(), "s.json:1:30: parameters: has 1001 parameters, expected "
                                           "at most 1000");
    free(text);
    text = crowded("materials", 255, "{}");
    tl_document_destroy(parse(text));
    free(text);
    text = crowded("materials", 256, "{}");
    assert_status(parse_sets(text, 0, NULL, &document), TL_BAD_DATA);
    assert_string_equal(tl_last_message(), "s.json:1:29: materials: has 256 materials, expected at "
                                           "most 255");
    free(text);
}

/* Text that a C string cannot hold, or that is not UTF-8. */
static void refuses_bad_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *message;
    } cases[] = {
        {"{\"version\": 1}\0", 15, "s.json:1:15: found byte 0x00, expected the end of the text"},
        {"{\"title\": \"a\0b\"}", 16,
         "s.json:1:13: found byte 0x00 in a text, expected its closing '\"' or an escape"},
        {"\xff\xfe{\0}\0", 6, "s.json:1:1: is UTF-16, expected UTF-8"},
        {"\xfe\xff\0{\0}", 6, "s.json:1:1: is UTF-16, expected UTF-8"},
        {"{\"title\": \"\xc3\x28\"}", 15, "s.json:1:12: found byte 0xc3, expected UTF-8"},
        {"{\"title\": \"\xc0\x80\"}", 15, "s.json:1:12: found byte 0xc0, expected UTF-8"},
        {"{\"title\": \"\xed\xa0\x80\"}", 16, "s.json:1:12: found byte 0xed, expected UTF-8"},
        {"{\"title\": \"\xf4\x90\x80\x80\"}", 17, "s.json:1:12: found byte 0xf4, expected UTF-8"},
        {"{\"title\": \"\xe2\x82", 13, "s.json:1:12: found byte 0xe2, expected UTF-8"},
        {"\xc3", 1, "s.json:1:1: found byte 0xc3, expected a value"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        tl_document *document = NULL;
        context("case %zu", i);
        assert_status(
            tl_document_parse("s.json", cases[i].text, cases[i].length, 0, NULL, &document),
            TL_BAD_DATA);
        assert_string_equal(tl_last_message(), cases[i].message);
        assert_null(document);
    }
}

static int dump(void)
{
    for (size_t i = 0; i < COUNT(bad_scenes) + COUNT(good_scenes); i++) {
        const bool bad = i < COUNT(bad_scenes);
        char *text = quoted(bad ? bad_scenes[i].text : good_scenes[i - COUNT(bad_scenes)].text);
        json_t *line = json_pack("{s:s, s:b, s:b}", "text", text, "good", !bad, "seen",
                                 bad && bad_scenes[i].seen);
        if (!line || json_dumpf(line, stdout, JSON_COMPACT))
            return 1;
        putchar('\n');
        json_decref(line);
        free(text);
    }
    return 0;
}

static int write_words(void)
{
    json_t *all = json_array();
    for (uint32_t which = 0; tl_words((tl_vocabulary)which)[0]; which++) {
        json_t *list = json_array();
        for (const char *const *word = tl_words((tl_vocabulary)which); *word; word++)
            json_array_append_new(list, json_string(*word));
        json_array_append_new(all, list);
    }
    const int failed = json_dumpf(all, stdout, 0);
    json_decref(all);
    return failed ? 1 : 0;
}

static int read_input(void)
{
    static char text[1 << 16];
    tl_document *document = NULL;
    const tl_status status =
        tl_document_parse("stdin", text, fread(text, 1, sizeof text, stdin), 0, NULL, &document);
    if (status < 0)
        puts(tl_last_message());
    tl_document_destroy(document);
    return status < 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--read"))
        return read_input();
    if (argc > 1 && !strcmp(argv[1], "--dump"))
        return dump();
    if (argc > 1 && !strcmp(argv[1], "--words"))
        return write_words();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_every_bad_scene),
        cmocka_unit_test(takes_every_good_scene),
        cmocka_unit_test(limits_are_the_ones_named),
        cmocka_unit_test(refuses_bad_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
