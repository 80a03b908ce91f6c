/* Texts of scenes in tests: written with single quotes, read with double ones. */
#ifndef TALUS_TESTS_SCENE_TEXT_H
#define TALUS_TESTS_SCENE_TEXT_H

#include "support.h"
#include "talus/io.h"

/* A copy with double quotes, for free(); \' stays the quote of a text. */
static inline char *quoted(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    for (char *c = copy; *c; c++)
        if (*c == '\'')
            *c = '"';
    return copy;
}

static inline tl_status parse_sets(const char *text, size_t count, const char *const *sets,
                                   tl_document **document)
{
    char *copy = quoted(text);
    const tl_status status = tl_document_parse("s.json", copy, strlen(copy), count, sets, document);
    free(copy);
    return status;
}

static inline tl_document *parse(const char *text)
{
    tl_document *document = NULL;
    assert_ok(parse_sets(text, 0, NULL, &document));
    assert_non_null(document);
    return document;
}

#endif
