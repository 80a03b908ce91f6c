/* labels: slow */
/* A scene of a million bodies, each written out with a name, a place and a shape, is read in at
 * most twice the time that jansson takes to make a tree of as much text. */
#include "support.h"

#include <jansson.h>
#include <time.h>

#include "talus/io.h"

enum { BODIES = 1000000, SHARE = 10, BYTES = 200 }; /* most bytes per body */

/* The text, in new memory for free(); places are given with all their digits. */
static char *write_scene(int bodies, size_t *length)
{
    char *text = malloc((size_t)bodies * BYTES + 1000), *at = text;
    dice d = {1};
    assert_non_null(text);
    at += sprintf(at,
                  "{\"version\": 1, \"materials\": {\"steel\": {\"friction\": 0.3}},\n\"bodies\": "
                  "[\n{\"name\": \"floor\", \"kind\": \"fixed\", \"shapes\": [{\"kind\": "
                  "\"plane\"}]}");
    for (int i = 0; i < bodies; i++)
        at += sprintf(
            at,
            ",\n{\"name\": \"ball %d\", \"position\": [%.17g, %.17g, %.17g], \"density\": "
            "2500, \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1, \"material\": "
            "\"steel\"}]}",
            i, 0.25 * (i % 100) + roll(&d, 0, 0.01), 0.25 * (i / 100 % 100) + roll(&d, 0, 0.01),
            0.25 * (i / 10000) + roll(&d, 1, 1.01));
    at += sprintf(at, "\n]}\n");
    *length = (size_t)(at - text);
    return text;
}

/* Processor time of this process alone, in seconds: the machine may be busy. */
static double used(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* What jansson takes for the tree of a share of the bodies, as its memory is large. */
static double jansson_seconds(void)
{
    size_t length;
    char *text = write_scene(BODIES / SHARE, &length);
    const double start = used();
    json_t *tree = json_loadb(text, length, 0, NULL);
    const double seconds = used() - start;
    assert_int_equal(json_array_size(json_object_get(tree, "bodies")), BODIES / SHARE + 1);
    json_decref(tree);
    free(text);
    return seconds;
}

static void a_million_bodies_are_read(void **state)
{
    (void)state;
    size_t length;
    char *text = write_scene(BODIES, &length), place[100];
    tl_document *document = NULL;
    const double before = jansson_seconds(), start = used();
    assert_ok(tl_document_parse("million.json", text, length, 0, NULL, &document));
    const double seconds = used() - start;
    free(text);
    assert_int_equal(tl_scene_body_count(tl_document_scene(document)), BODIES + 1);
    assert_int_equal(tl_document_find_body(document, "ball 999999").index, BODIES + 1);
    tl_document_describe(document, (tl_body){BODIES + 1, 1}, place, sizeof place);
    assert_string_equal(place, "million.json:1000003:1: bodies[1000000] \"ball 999999\"");
    tl_document_destroy(document);
    const double peer = SHARE * 0.5 * (before + jansson_seconds());
    print_message("read %.0f MB in %.2f s, jansson %.2f s\n", 1e-6 * (double)length, seconds, peer);
    assert_below(seconds, 2 * peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_bodies_are_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
