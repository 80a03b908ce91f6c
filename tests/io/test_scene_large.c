/* labels: slow */
/* A scene of a million bodies, each written out with a name, a place and a shape, is read in less
 * than five seconds of one core. */
#include "support.h"

#include <time.h>

#include "talus/io.h"

enum { BODIES = 1000000, BYTES = 200 }; /* most bytes per body */

/* The text, in new memory for free(); places are given with all their digits. */
static char *write_scene(size_t *length)
{
    char *text = malloc((size_t)BODIES * BYTES + 1000), *at = text;
    dice d = {1};
    assert_non_null(text);
    at += sprintf(at,
                  "{\"version\": 1, \"materials\": {\"steel\": {\"friction\": 0.3}},\n\"bodies\": "
                  "[\n{\"name\": \"floor\", \"kind\": \"fixed\", \"shapes\": [{\"kind\": "
                  "\"plane\"}]}");
    for (int i = 0; i < BODIES; i++)
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

static void a_million_bodies_in_five_seconds(void **state)
{
    (void)state;
    size_t length;
    char *text = write_scene(&length), place[100];
    tl_document *document = NULL;
    const clock_t start = clock(); /* of this process alone: the machine may be busy */
    assert_ok(tl_document_parse("million.json", text, length, 0, NULL, &document));
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    free(text);
    print_message("read %.0f MB in %.2f s\n", 1e-6 * (double)length, seconds);
    assert_int_equal(tl_scene_body_count(tl_document_scene(document)), BODIES + 1);
    assert_int_equal(tl_document_find_body(document, "ball 999999").index, BODIES + 1);
    tl_document_describe(document, (tl_body){BODIES + 1, 1}, place, sizeof place);
    assert_string_equal(place, "million.json:1000003:1: bodies[1000000] \"ball 999999\"");
    tl_document_destroy(document);
    assert_below(seconds, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_bodies_in_five_seconds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
