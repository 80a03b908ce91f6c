/* How the files of this room refuse what breaks a rule, and what they share. Only src/scene
 * includes this. Nothing is formatted until something is refused, so that a million sound bodies
 * cost no text. */
#ifndef TL_SCENE_CHECK_H
#define TL_SCENE_CHECK_H

#include "scene/scene.h"
#include "talus/words.h"

/* Most bodies, shapes and table rows: one less than what a signed 32-bit index can count. */
#define TL_MOST_ITEMS ((size_t)INT32_MAX - 1)

/* Where a field is: "name", "name[body]" or "name[body].shapes[shape]". An empty name puts nothing
 * in front of the field. */
typedef struct tl_place {
    const char *name;
    size_t body, shape; /* TL_NO_INDEX where there is none */
} tl_place;

/* The place of something that is no body. */
tl_place tl_place_of(const char *name);

/* TL_BAD_ARGUMENT with "place.field is values; rule". Several values are put in parentheses. What
 * follows a colon in `field`, "shapes: their volume", says what of the field the values are. */
tl_status tl_refuse(const tl_place *place, const char *field, size_t count, const double *values,
                    const char *rule);

/* The same with a value that is text. */
tl_status tl_refuse_text(const tl_place *place, const char *field, const char *value,
                         const char *rule);

/* TL_TOO_LARGE with "place.field is value; rule N": the rule ends in "at most", N is TL_MOST_ITEMS.
 */
tl_status tl_refuse_large(const tl_place *place, const char *field, size_t value, const char *rule);

/* TL_BAD_ARGUMENT for an argument that is NULL. */
tl_status tl_refuse_null(const char *argument);

/* Refuses values that are not all finite. */
tl_status tl_check_finite(const tl_place *place, const char *field, size_t count,
                          const double *values);

/* schedule.c: refuses a time between looks that is not finite and above 0. */
tl_status tl_check_interval(const tl_place *place, double interval);

/* Refuses a material that is not one of the first `materials`, the default one counted. */
tl_status tl_check_material(const tl_place *place, const char *field, size_t materials,
                            tl_material material);

/* TL_BAD_HANDLE for a geometry that is none of `count`; with the words of two kinds,
 * TL_BAD_ARGUMENT for one of another kind than its shape is. */
tl_status tl_refuse_geometry(const tl_place *place, uint32_t index, size_t count, const char *is,
                             const char *wanted);

/* shape.c: checks a shape of a body and makes a record of it. `materials` is how many materials
 * there are besides the default one. */
tl_status tl_shape_rec_make(const tl_place *place, tl_body_kind body, const tl_shape_def *def,
                            uint32_t materials, const tl_array *geometries, tl_shape_rec *out);

/* Refuses a value of an enum that has no word. */
tl_status tl_check_enum(const tl_place *place, const char *field, uint32_t value,
                        tl_vocabulary which);

/* words.c: the constant of a value, "TL_PSOR". */
enum { TL_CONSTANT_SIZE = 40 };
void tl_word_constant(tl_vocabulary which, uint32_t value, char constant[TL_CONSTANT_SIZE]);

/* Refuses a quaternion whose norm is not 1 within 1e-6 and writes it with norm 1 to `unit`. */
tl_status tl_check_unit(const tl_place *place, const char *field, const double quaternion[4],
                        double unit[4]);

/* function.c: refuses what is not finite or reaches a limit in amount. */
tl_status tl_check_below(const tl_place *place, const char *field, size_t count,
                         const double *values, double limit);

/* A table as the user gives it, with the names that its fields have in messages. */
typedef struct tl_table {
    const char *length_name, *times_name, *rows_name;
    const char *rule; /* of what must increase; NULL: of times */
    size_t length, width;
    const double *times, *rows;
    double limit; /* that numbers in rows are below */
} tl_table;

#define TL_TABLE_LIMIT 1e300 /* numbers of tables are below this: differences stay finite */

/* Checks a table of at least one row and copies it into one allocation: times, then rows. */
tl_status tl_table_copy(const tl_place *place, const tl_table *table, double **out);

/* Compiles an expression of t and looks at its value at the start. */
tl_status tl_time_compile(const tl_place *place, const char *name, const char *text,
                          tl_expression *code);

/* The same of a whole function of time; `field` is its path in messages. A failure leaves nothing.
 */
tl_status tl_function_rec_make(const tl_place *place, const char *field, const tl_function_def *def,
                               tl_function_rec *out);

/* motion.c: checks a prescribed motion and makes a record of it that owns a copy of the table. */
tl_status tl_motion_rec_make(const tl_place *place, const tl_motion_def *def, tl_motion_rec *out);

/* mass.c: mass, principal moments, offset and turn of a dynamic body whose shapes have been
 * checked. `shapes` are their records in the frame that the user gave. */
tl_status tl_mass_resolve(const tl_place *place, const tl_body_def *def, const tl_shape_rec *shapes,
                          const tl_array *geometries, tl_body_rec *body);

#endif
