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

/* The rotation whose columns are three perpendicular unit vectors. */
static void turn_of_axes(double axes[3][3], double q[4])
{
    const double xx = axes[0][0], yy = axes[1][1], zz = axes[2][2];
    /* the largest of the four is found by a root, the others by it */
    const double squares[4] = {1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz,
                               1 - xx - yy + zz};
    const double differences[3] = {axes[1][2] - axes[2][1], axes[2][0] - axes[0][2],
                                   axes[0][1] - axes[1][0]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        k = squares[i] > squares[k] ? i : k;
    const double twice = sqrt(squares[k]);
    q[k] = twice / 2;
    for (int i = 0; i < 4; i++) {
        if (i == k)
            continue;
        if (!k || !i)
            q[i] = differences[(k ? k : i) - 1] / (2 * twice);
        else
            q[i] = (axes[i - 1][k - 1] + axes[k - 1][i - 1]) / (2 * twice);
    }
}

/* Two of the axes x, y and z: the first is kept, the second made perpendicular to it. */
static tl_status read_directions(const tl_reader *r, const tl_json *value, const tl_json *const *f,
                                 double quaternion[4])
{
    double axes[3][3], length = 1, along = 0, square = 0;
    const int first = f[0] ? 0 : 1, second = f[0] && f[1] ? 1 : 2;
    if ((f[0] != NULL) + (f[1] != NULL) + (f[2] != NULL) != 2)
        return tl_read_fail(r, value, "has %d of 'x', 'y' and 'z', expected two directions",
                            f[0] && f[1] ? 3 : 1);
    TL_TRY(tl_read_axis(r, f[first], axes[first], &length));
    for (int k = 0; k < 3; k++)
        axes[first][k] /= length;
    TL_TRY(tl_read_axis(r, f[second], axes[second], &length));
    for (int k = 0; k < 3; k++)
        along += axes[second][k] * axes[first][k];
    for (int k = 0; k < 3; k++) {
        axes[second][k] -= along * axes[first][k];
        square += axes[second][k] * axes[second][k];
    }
    if (!(square > 1e-12))
        return tl_read_fail(r, f[second], "is parallel to the other, expected another direction");
    for (int k = 0; k < 3; k++)
        axes[second][k] /= sqrt(square);
    const int third = 3 - first - second;
    double *a = axes[(third + 1) % 3], *b = axes[(third + 2) % 3]; /* right-handed */
    for (int k = 0; k < 3; k++)
        axes[third][k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    turn_of_axes(axes, quaternion);
    return TL_OK;
}

/* {"axis": [x, y, z], "angle": degrees}, or two of {"x", "y", "z"}. */
static tl_status read_turn(const tl_reader *r, const tl_json *value, double quaternion[4])
{
    static const char *const keys[] = {"axis", "angle", "x", "y", "z"};
    const tl_json *f[5];
    double axis[3], length = 1, angle = 0;
    TL_TRY(tl_read_fields(r, value, "a turn by an angle about an axis", 5, keys, f));
    if (f[2] || f[3] || f[4]) {
        if (f[0] || f[1])
            return tl_read_fail_key(r, value, f[0] ? f[0] : f[1],
                                    "has '%s' beside directions, expected one or the other",
                                    f[0] ? "axis" : "angle");
        return read_directions(r, value, f + 2, quaternion);
    }
    if (!f[0])
        return tl_read_missing(r, value, "axis",
                               "an array of 3 numbers, or two of 'x', 'y' and 'z'");
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
        "a unit quaternion [w, x, y, z], {\"axis\": [x, y, z], \"angle\": degrees}, or two of "
        "{\"x\", \"y\", \"z\"}";
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
    REPEAT,
    SHAPE_KEYS,
    OF_KINDS = REPEAT /* keys from RADIUS to here belong to some kinds */
};
static const char *const shape_keys[] = {
    "kind",        "material", "group",       "mask",     "sensor",       "position",
    "orientation", "radius",   "half_length", "size",     "half_extents", "radii",
    "rounding",    "edge_u",   "edge_v",      "geometry", "repeat"};

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
    for (int i = RADIUS; i < OF_KINDS; i++)
        if (f[i] && !used[kind][i])
            return tl_read_fail_key(r, value, f[i], "has '%s', expected none on %s %s",
                                    shape_keys[i], kind == TL_ELLIPSOID ? "an" : "a",
                                    tl_word(TL_WORDS_SHAPE, kind));
    for (int i = RADIUS; i < OF_KINDS; i++)
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

static tl_status read_shape(const tl_reader *r, const tl_json *value, const tl_json *const *f,
                            tl_body_kind body, tl_shape_def *shape)
{
    uint32_t kind = 0;
    *shape = tl_sphere_default(0);
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
    TL_TRY(tl_read_check_shape(r, f[KIND], body, shape));
    TL_TRY(tl_read_vector(r, f[POSITION], 3, TL_ANY("m"), shape->position));
    TL_TRY(tl_read_orientation(r, f[ORIENTATION], shape->orientation));
    if (f[GEOMETRY])
        TL_TRY(tl_read_geometry(r, f[GEOMETRY], shape->kind, &shape->geometry));
    return read_numbers(r, value, f, shape);
}

tl_status tl_read_shapes(tl_reader *r, const tl_json *list, tl_body_kind body, tl_array *shapes)
{
    const tl_json *f[SHAPE_KEYS];
    const uint64_t items = r->items;
    tl_shape_def shape;
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        uint32_t count = 1;
        TL_TRY(tl_read_fields(r, v, "a shape", SHAPE_KEYS, shape_keys, f));
        if (f[REPEAT])
            TL_TRY(tl_read_repeat(r, f[REPEAT], &count));
        TL_TRY(tl_read_charge(r, v, 0, count));
        for (uint32_t i = 0; i < count; i++) {
            if (f[REPEAT])
                tl_repeat_at(r, i);
            TL_TRY(read_shape(r, v, f, body, &shape));
            TL_TRY(tl_array_append(shapes, &shape, 1));
        }
        if (f[REPEAT])
            tl_repeat_end(r);
    }
    r->items = items; /* bodies are charged for their shapes */
    return TL_OK;
}
