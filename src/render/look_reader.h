/* The inside of the reader of looks: look_reader.c takes values from JSON by tables of keys and
 * says where something is wrong, look_read.c and look_material.c have the tables. */
#ifndef TL_RENDER_LOOK_READER_H
#define TL_RENDER_LOOK_READER_H

#include "io/parse_json.h"
#include "render/look.h"

typedef struct tlr_reader {
    tl_json_tree tree;
    tl_json_source source;
    const char *folder;
    char path[256]; /* of the value that is being read: "camera.eye" */
    tlr_look *look;
    uint32_t shade; /* of the material that is being read; 0: it has none of its own yet */
} tlr_reader;

typedef enum tlr_field_kind {
    FIELD_IGNORED,
    FIELD_NUMBER, /* double */
    FIELD_FLOAT,
    FIELD_COUNT, /* int64_t */
    FIELD_FLAG,
    FIELD_TEXT,   /* char[], `high` bytes */
    FIELD_WORD,   /* int: which of `words` */
    FIELD_VECTOR, /* double[3] */
    FIELD_PAIR,   /* double[2] */
    FIELD_SIZE,   /* int[2] */
    FIELD_COLOR,  /* vec */
    FIELD_CALL    /* `read` gets the object and the value */
} tlr_field_kind;

typedef struct tlr_field {
    const char *name;
    tlr_field_kind kind;
    size_t offset;
    double low, high;
    const char *const *words;
    tl_status (*read)(tlr_reader *r, const tl_json *value, void *object);
} tlr_field;

/* Refuses a value: file, line, column and path, and what is wrong. */
tl_status tlr_refuse(const tlr_reader *r, const tl_json *v, const char *what);

/* Adds a key or an index to the path; returns its length before. */
size_t tlr_go_down(tlr_reader *r, const char *format, int length, const char *key);

/* Adds the key of a member. */
size_t tlr_go_to_key(tlr_reader *r, const tl_json *member, tl_text *key);

tl_status tlr_read_number(tlr_reader *r, const tl_json *v, double low, double high, double *out);
tl_status tlr_read_color(tlr_reader *r, const tl_json *v, vec *out);
tl_status tlr_read_text(tlr_reader *r, const tl_json *v, size_t room, char *out);
tl_status tlr_read_word(tlr_reader *r, const tl_json *v, const char *const *words, int *out);

/* Reads an object by a table that ends with a name of NULL. */
tl_status tlr_read_object(tlr_reader *r, const tl_json *v, const tlr_field *fields, void *object);

/* look_material.c: a material; a file beside the look, TLR_TEXT bytes. */
tl_status tlr_read_material(tlr_reader *r, const tl_json *v, void *object);
tl_status tlr_read_file(tlr_reader *r, const tl_json *v, char out[TLR_TEXT]);

/* Opens the text as a tree; tlr_close_text() follows whatever the status. */
tl_status tlr_open_text(tlr_reader *r, const char *name, const char *text, size_t length);
void tlr_close_text(tlr_reader *r);

#endif
