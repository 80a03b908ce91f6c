/* JSON text as a tree of values that know where they stand in it. The scene reader (parse*.c) walks
 * the tree; a message about any value can point at it. A value takes 32 bytes, so that a scene of a
 * million bodies fits: jansson's tree of it is four times as large and takes longer to make than a
 * scene may take to read (docs/scene-format.md, "Large scenes"). */
#ifndef TL_IO_PARSE_JSON_H
#define TL_IO_PARSE_JSON_H

#include "base/memory.h"
#include "base/text.h"

typedef enum tl_json_kind {
    TL_JSON_NULL,
    TL_JSON_FALSE,
    TL_JSON_TRUE,
    TL_JSON_NUMBER,
    TL_JSON_STRING,
    TL_JSON_ARRAY,
    TL_JSON_OBJECT
} tl_json_kind;

enum {
    TL_JSON_TEXT_DECODED = 1, /* the string had escapes: its text is in tree->decoded */
    TL_JSON_KEY_DECODED = 2,  /* the same of its key */
    TL_JSON_CHANGED = 4       /* something in it was set: its text is no longer what it was */
};

/* A value. Indices into tree->values; 0 is the root and thus no next and no first. */
typedef struct tl_json {
    uint32_t start, end;      /* its bytes in its source */
    uint32_t next;            /* the value after it in its array or object, or 0 */
    uint32_t key, key_length; /* bytes of its key, without quotes, where it is in an object */
    uint16_t source;          /* index into tree->sources */
    uint8_t kind;             /* tl_json_kind */
    uint8_t flags;
    union {
        double number;
        struct {
            uint32_t first, count; /* values of an array or object */
        };
        struct {
            uint32_t text, length; /* bytes of a string, without quotes */
        };
    };
} tl_json;

/* A text with values in it: the scene file, or what was set on top of it. */
typedef struct tl_json_source {
    char *name;                  /* of the file, or the left side of a set; ends with a zero byte */
    char *text;                  /* ends with a zero byte */
    size_t name_room, text_room; /* bytes allocated */
    uint32_t length;             /* bytes of text */
    uint32_t root;               /* index of its value */
    uint32_t entry;              /* index of the value that includes the file; 0: none does */
    bool file;                   /* it is a file, not what was set */
    const uint32_t *origins;     /* where the text was made of lines: the line that each line of it
                                    is of, owned by the document; else NULL */
} tl_json_source;

typedef struct tl_json_tree {
    tl_array values;  /* tl_json */
    tl_array decoded; /* char: strings with escapes, decoded */
    tl_array sources; /* tl_json_source */
} tl_json_tree;

/* What is wrong with a text, and where. */
typedef struct tl_json_error {
    uint32_t offset; /* bytes from its start */
    char text[200];
} tl_json_error;

enum { TL_JSON_MOST_DEPTH = 64 };

tl_json_tree tl_json_tree_empty(void);

/* Frees the values; sources belong to whoever made them. */
void tl_json_tree_free(tl_json_tree *tree);

/* Adds the values of the text of a source and sets its root. TL_BAD_DATA, with `error` filled and
 * no message recorded, where it is not JSON; duplicate keys are left to the reader, which meets
 * them. */
tl_status tl_json_parse(tl_json_tree *tree, uint16_t source, tl_json_error *error);

static inline tl_json *tl_json_at(const tl_json_tree *tree, uint32_t index)
{
    return (tl_json *)tree->values.data + index;
}

/* The first value of an array or object, and the one after it; NULL where there is none. */
const tl_json *tl_json_first(const tl_json_tree *tree, const tl_json *value);
const tl_json *tl_json_next(const tl_json_tree *tree, const tl_json *value);

/* The key of a value in an object; the text of a string. */
tl_text tl_json_key(const tl_json_tree *tree, const tl_json *value);
tl_text tl_json_text(const tl_json_tree *tree, const tl_json *value);

/* The bytes of a value as they stand in its source. */
tl_text tl_json_raw(const tl_json_tree *tree, const tl_json *value);

#endif
