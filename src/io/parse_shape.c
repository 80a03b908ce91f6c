/* Shapes and orientations of bodies. Called by parse_body.c. */
#include "io/parse.h"

#include <string.h>

/* ---- Orientations ---- */

tl_status tl_read_axis(const tl_reader *r, const tl_json *value, double axis[3], double *length)
{
    TL_TRY(tl_read_vector(r, value, 3, TL_ANY("m"), axis));
    /* Over the largest first, so that no square overflows. */
    const double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
    if (!(largest > 0))
        return tl_read_fail(r, value, "is zero, expected a direction");
    double square = 0;
    for (int i = 0; i < 3; i++) {
        axis[i] /= largest;
        square += axis[i] * axis[i];
    }
    *length = sqrt(square);
    return TL_OK;
}

/* {"axis": [x, y, z], "angle": degrees} */
static tl_status read_turn(const tl_reader *r, const tl_json *value, double quaternion[4])
{
    static const char *const keys[] = {"axis", "angle"};
    const tl_json *f[2];
    double axis[3], length = 1, angle = 0;
    TL_TRY(tl_read_fields(r, value, "a turn by an angle about an axis", 2, keys, f));
    if (!f[0])
        return tl_read_missing(r, value, "axis", "an array of 3 numbers");
    if (!f[1])
        return tl_read_missing(r, value, "angle", "a number (degrees)");
    TL_TRY(tl_read_axis(r, f[0], axis, &length));
    TL_TRY(tl_read_number(r, f[1], TL_ANY("degrees"), &angle));
    const double half = angle * (3.14159265358979323846 / 360);
    quaternion[0] = cos(half);
    for (int i = 0; i < 3; i++)
        quaternion[i + 1] = sin(half) * axis[i] / length;
    return TL_OK;
}

tl_status tl_read_orientation(const tl_reader *r, const tl_json *value, double quaternion[4])
{
    static const char *const expected =
        "a unit quaternion [w, x, y, z], or {\"axis\": [x, y, z], \"angle\": degrees}";
    double q[4], square = 0;
    if (!value)
        return TL_OK;
    if (value->kind == TL_JSON_OBJECT)
        return read_turn(r, value, quaternion);
    if (value->kind != TL_JSON_ARRAY || value->count != 4)
        return tl_read_expected(r, value, expected);
    TL_TRY(tl_read_vector(r, value, 4, &(const tl_rule){-2, 2, 0, 0, "a number from -1 to 1"}, q));
    for (int i = 0; i < 4; i++)
        square += q[i] * q[i];
    if (!(fabs(sqrt(square) - 1) <= 1e-6))
        return tl_read_fail(r, value, "has the norm %g, expected %s", sqrt(square), expected);
    memcpy(quaternion, q, sizeof q);
    return TL_OK;
}

/* ---- Shapes ---- */

enum {
    KIND,
    MATERIAL,
    GROUP,
    MASK,
    SENSOR,
    POSITION,
    ORIENTATION,
    RADIUS,
    HALF_LENGTH,
    SIZE,
    HALF_EXTENTS,
    RADII,
    ROUNDING,
    EDGE_U,
    EDGE_V,
    GEOMETRY,
    SHAPE_KEYS
};
static const char *const shape_keys[] = {"kind",        "material", "group",        "mask",
                                         "sensor",      "position", "orientation",  "radius",
                                         "half_length", "size",     "half_extents", "radii",
                                         "rounding",    "edge_u",   "edge_v",       "geometry"};

/* What a kind takes: keys that it needs, and keys that it may have. A box takes 'size' or
 * 'half_extents'. */
enum { NEEDS = 1, TAKES = 2 };
static const uint8_t used[TL_POLYGON + 1][SHAPE_KEYS] = {
    [TL_SPHERE] = {[RADIUS] = NEEDS},
    [TL_BOX] = {[SIZE] = TAKES, [HALF_EXTENTS] = TAKES, [ROUNDING] = TAKES},
    [TL_PARALLELOGRAM] = {[EDGE_U] = NEEDS, [EDGE_V] = NEEDS},
    [TL_CAPSULE] = {[RADIUS] = NEEDS, [HALF_LENGTH] = NEEDS},
    [TL_CYLINDER] = {[RADIUS] = NEEDS, [HALF_LENGTH] = NEEDS, [ROUNDING] = TAKES},
    [TL_CONE] = {[RADIUS] = NEEDS, [HALF_LENGTH] = NEEDS},
    [TL_ELLIPSOID] = {[RADII] = NEEDS},
    [TL_HULL] = {[GEOMETRY] = NEEDS, [ROUNDING] = TAKES},
    [TL_MESH] = {[GEOMETRY] = NEEDS},
    [TL_HEIGHTS] = {[GEOMETRY] = NEEDS},
    [TL_POLYGON] = {[GEOMETRY] = NEEDS},
};

/* Refuses keys that belong to other kinds of shape, and shapes without those that theirs needs. */
static tl_status check_used(const tl_reader *r, const tl_json *value, const tl_json *const *f,
                            tl_shape_kind kind)
{
    static const char *const expected[SHAPE_KEYS] = {
        [RADIUS] = "a number above 0 (m)",       [HALF_LENGTH] = "a number above 0 (m)",
        [RADII] = "the semi-axes [x, y, z] (m)", [EDGE_U] = "an edge [x, y, z] (m)",
        [EDGE_V] = "an edge [x, y, z] (m)",      [GEOMETRY] = "the name of a geometry",
    };
    for (int i = RADIUS; i < SHAPE_KEYS; i++)
        if (f[i] && !used[kind][i])
            return tl_read_fail_key(r, value, f[i], "has '%s', expected none on %s %s",
                                    shape_keys[i], kind == TL_ELLIPSOID ? "an" : "a",
                                    tl_word(TL_WORDS_SHAPE, kind));
    for (int i = RADIUS; i < SHAPE_KEYS; i++)
        if (!f[i] && used[kind][i] == NEEDS)
            return tl_read_missing(r, value, shape_keys[i], expected[i]);
    return TL_OK;
}

static tl_status read_box(const tl_reader *r, const tl_json *value, const tl_json *const *f,
                          double half[3])
{
    if (f[SIZE] && f[HALF_EXTENTS])
        return tl_read_fail_key(r, value, f[HALF_EXTENTS],
                                "has both 'size' and 'half_extents', expected one of them");
    if (!f[SIZE] && !f[HALF_EXTENTS])
        return tl_read_missing(r, value, "size", "the lengths of the box [x, y, z] (m)");
    TL_TRY(tl_read_vector(r, f[SIZE], 3, TL_ABOVE_0("m"), half));
    for (int i = 0; i < 3 && f[SIZE]; i++) {
        half[i] /= 2;
        if (!(half[i] > 0))
            return tl_read_fail(r, f[SIZE], "has a half that is 0, expected larger lengths (m)");
    }
    return tl_read_vector(r, f[HALF_EXTENTS], 3, TL_ABOVE_0("m"), half);
}

/* The numbers of a shape with the keys that its kind takes. */
static tl_status read_numbers(const tl_reader *r, const tl_json *value, const tl_json *const *f,
                              tl_shape_def *shape)
{
    if (shape->kind == TL_BOX)
        TL_TRY(read_box(r, value, f, shape->half_extents));
    TL_TRY(tl_read_number(r, f[RADIUS], TL_ABOVE_0("m"), &shape->radius));
    TL_TRY(tl_read_number(r, f[HALF_LENGTH], TL_ABOVE_0("m"), &shape->half_length));
    TL_TRY(tl_read_vector(r, f[RADII], 3, TL_ABOVE_0("m"), shape->half_extents));
    TL_TRY(tl_read_number(r, f[ROUNDING], TL_AT_LEAST_0("m"), &shape->rounding));
    TL_TRY(tl_read_vector(r, f[EDGE_U], 3, TL_ANY("m"), shape->edge_u));
    return tl_read_vector(r, f[EDGE_V], 3, TL_ANY("m"), shape->edge_v);
}

tl_status tl_read_shape(const tl_reader *r, const tl_json *value, tl_body_kind body,
                        tl_shape_def *shape)
{
    const tl_json *f[SHAPE_KEYS];
    uint32_t kind = 0;
    *shape = tl_sphere_default(0);
    TL_TRY(tl_read_fields(r, value, "a shape", SHAPE_KEYS, shape_keys, f));
    TL_TRY(tl_read_kind(r, value, f[KIND], tl_words(TL_WORDS_SHAPE), &kind));
    shape->kind = (tl_shape_kind)kind;
    TL_TRY(check_used(r, value, f, shape->kind));
    if (body == TL_DYNAMIC && (kind == TL_PLANE || kind == TL_PARALLELOGRAM || kind == TL_HEIGHTS))
        return tl_read_fail(r, f[KIND],
                            "is \"%s\", expected a solid on a body that moves freely; plane, "
                            "parallelogram and heights are for bodies of kind \"fixed\" or "
                            "\"prescribed\"",
                            tl_word(TL_WORDS_SHAPE, kind));
    TL_TRY(tl_read_material(r, f[MATERIAL], &shape->material));
    tl_filter filter = r->filter;
    TL_TRY(tl_read_filter(r, f[GROUP], f[MASK], &filter));
    shape->group = filter.group;
    shape->mask = filter.mask;
    TL_TRY(tl_read_flag(r, f[SENSOR], &shape->sensor));
    TL_TRY(tl_read_vector(r, f[POSITION], 3, TL_ANY("m"), shape->position));
    TL_TRY(tl_read_orientation(r, f[ORIENTATION], shape->orientation));
    if (f[GEOMETRY])
        TL_TRY(tl_read_geometry(r, f[GEOMETRY], shape->kind, &shape->geometry));
    return read_numbers(r, value, f, shape);
}
