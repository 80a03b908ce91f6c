/* Arithmetic in scene files: "=2*pi*radius". */
#ifndef TL_IO_EXPRESSION_H
#define TL_IO_EXPRESSION_H

#include "io/parse_json.h"

/* A name with its value. */
typedef struct tl_parameter {
    tl_text name;
    double value;
} tl_parameter;

/* What is wrong with an expression, and where. */
typedef struct tl_expression_error {
    size_t offset; /* bytes from its start */
    char text[240];
} tl_expression_error;

/* The value of an expression over parameters, without the "=" in front. Returns false, with `error`
 * filled, where it is none. The value may be infinite or NaN. */
bool tl_expression_value(tl_text text, const tl_parameter *parameters, size_t count, double *value,
                         tl_expression_error *error);

/* Whether a text can name a parameter: a letter or _, then letters, digits and _. */
bool tl_expression_is_name(tl_text text);

/* Whether a name is taken: pi and the functions. */
bool tl_expression_is_taken(tl_text name);

#endif
