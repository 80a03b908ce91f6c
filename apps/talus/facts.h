/* What a subcommand found out, as lines of text for people or as one JSON object for programs: the
 * same calls make either. Used by run, resume, check, info, export and decompose. */
#ifndef TALUS_FACTS_H
#define TALUS_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct facts {
    json_t *object; /* NULL: lines of text, printed as they come */
    json_t *doubts; /* texts of warnings; NULL: they are not in the object */
    bool quiet;     /* warnings are not printed */
    bool failed;    /* memory ran out */
} facts;

/* Starts an object, or lines of text. */
void facts_start(facts *f, bool json);

/* Each adds one fact. A number that is not finite is null in JSON. */
void fact_text(facts *f, const char *key, const char *value);
void fact_count(facts *f, const char *key, uint64_t value);
void fact_number(facts *f, const char *key, double value, const char *unit);
void fact_vector(facts *f, const char *key, const double value[3], const char *unit);
void fact_quaternion(facts *f, const char *key, const double value[4], const char *what);
void fact_flag(facts *f, const char *key, bool value);

/* A channel of a monitor, in JSON a member of "monitors". */
void fact_monitor(facts *f, const char *name, const char *unit, double last, double least,
                  double greatest);

/* A list of names; takes the array over. */
void fact_names(facts *f, const char *key, json_t *names);

/* Has the object list warnings, even where there are none. */
void facts_list_warnings(facts *f);

/* A warning: a line on standard error, and one of the texts of `warnings`. */
void fact_warning(facts *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A JSON string; bytes that are not UTF-8 (in a file's name, say) become '?'. */
json_t *json_text(const char *value);

/* Frees the object and prints nothing. */
void facts_drop(facts *f);

/* Prints the object, with the list of warnings, and frees it. Returns an exit code. */
int facts_end(facts *f);

#endif
