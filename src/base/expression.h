/* Arithmetic given as text: "2*pi*radius" in scene files, functions of time in motions, sums of
 * channels in monitors. An expression is compiled once and evaluated as often as needed. Exported
 * for talus_io alone. */
#ifndef TL_BASE_EXPRESSION_H
#define TL_BASE_EXPRESSION_H

#include "base/memory.h"
#include "base/text.h"

/* A name with its value. */
typedef struct tl_parameter {
    tl_text name;
    double value;
} tl_parameter;

/* The names that an expression may use. Variables hide parameters of the same name; of parameters
 * the last one of a name counts. */
typedef struct tl_names {
    const tl_parameter *parameters; /* values known when it is compiled */
    size_t parameter_count;
    const char *const *variables; /* given when it is evaluated, in this order */
    size_t variable_count;
    tl_text prefix; /* "left.": variables are looked for with it in front, then with less of it */
    bool without_parameters; /* none can be declared where it stands: messages do not speak of them
                              */
} tl_names;

/* What is wrong with an expression, and where. */
typedef struct tl_expression_error {
    size_t offset; /* bytes from its start */
    char text[320];
} tl_expression_error;

/* A compiled expression: instructions for a stack of numbers. Zero-initialised it is empty;
 * compiling again keeps its memory. */
typedef struct tl_expression {
    tl_array code;
} tl_expression;

/* Compiles a text. TL_BAD_DATA, with `error` filled and no message recorded, where it is no
 * expression over these names. */
TL_API tl_status tl_expression_compile(tl_expression *expression, tl_text text,
                                       const tl_names *names, tl_expression_error *error);

/* Its value; `variables` holds the values of the names it was compiled with. May be infinite or
 * NaN. */
TL_API double tl_expression_value(const tl_expression *expression, const double *variables);

TL_API void tl_expression_free(tl_expression *expression);

/* Appends to `out`, an array of char, the text with every parameter replaced by its value and the
 * whole name of every variable, so that it means the same without parameters and prefix. */
TL_API tl_status tl_expression_inline(tl_text text, const tl_names *names, tl_array *out);

/* Whether a text can name a parameter: a letter or _, then letters, digits and _. */
TL_API bool tl_expression_is_name(tl_text text);

/* Whether a name is taken: pi and the functions. */
TL_API bool tl_expression_is_taken(tl_text name);

#endif
