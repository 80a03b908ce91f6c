/* Expressions for programs that work on results: the same arithmetic as in scene files. */
#include "base/expression.h"
#include "talus/io.h"

tl_status tl_evaluate(const char *expression, size_t count, const char *const *names,
                      const double *values, double *value)
{
    tl_expression code = {{0}};
    tl_expression_error error = {0};
    const tl_names known = {
        .variables = names, .variable_count = count, .without_parameters = true};
    if (!expression || !value || (count && (!names || !values)) || count > UINT16_MAX)
        return tl_fail(TL_BAD_ARGUMENT,
                       "tl_evaluate: expression, names, values or value is missing, or there are "
                       "more than %d names",
                       UINT16_MAX);
    tl_status status = tl_expression_compile(&code, tl_text_of(expression), &known, &error);
    if (status == TL_BAD_DATA)
        status =
            tl_fail(TL_BAD_DATA, "'%s': column %zu: %s", expression, error.offset + 1, error.text);
    else if (status >= 0)
        *value = tl_expression_value(&code, values);
    tl_expression_free(&code);
    return status;
}
