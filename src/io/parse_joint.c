/* The list of joints: one per entry, or many by "repeat". Called by parse_scene.c once all bodies
 * are known. */
#include "io/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "base/turn.h"
#include "scene/joint.h"

enum { AXES = TL_JOINT_AXES };

enum {
    NAME,
    KIND,
    BODIES,
    AT,
    AXIS,
    ORIENTATION,
    POINTS,
    FRAME_A,
    FRAME_B,
    LIMITS, /* what one axis has, tl_axis_keys: from here ... */
    RESTITUTION,
    FRICTION,
    SPRING,
    MOTOR, /* ... to here */
    OF_AXES,
    LOCKED,
    LENGTH,
    ROPE,
    RATIO,
    ANCHORS,
    COUPLES,
    BREAK_FORCE,
    BREAK_TORQUE,
    COLLIDE,
    REPEAT,
    KEYS
};
static const char *const keys[] = {
    "name",        "kind",         "bodies",  "at",          "axis",     "orientation", "points",
    "frame_a",     "frame_b",      "limits",  "restitution", "friction", "spring",      "motor",
    "axes",        "locked",       "length",  "rope",        "ratio",    "anchors",     "couples",
    "break_force", "break_torque", "collide", "repeat"};
_Static_assert(sizeof keys / sizeof *keys == KEYS, "a name for each key");
_Static_assert(MOTOR - LIMITS + 1 == TL_AXIS_KEYS, "those of an axis");

#define BIT(key) (1u << (key))
enum {
    ANY_KIND = BIT(NAME) | BIT(KIND) | BIT(BREAK_FORCE) | BIT(BREAK_TORQUE) | BIT(REPEAT),
    JOINS = ANY_KIND | BIT(BODIES) | BIT(FRAME_A) | BIT(FRAME_B) | BIT(COLLIDE),
    MEETS = JOINS | BIT(AT) | BIT(AXIS) | BIT(ORIENTATION),
    ACTS = BIT(LIMITS) | BIT(RESTITUTION) | BIT(FRICTION) | BIT(SPRING) | BIT(MOTOR),
    ONE_AXIS = MEETS | ACTS,
    SOME_AXES = MEETS | BIT(OF_AXES),
    SPANS = JOINS | BIT(POINTS) | BIT(LENGTH),
    COUPLING = ANY_KIND | BIT(RATIO) | BIT(COUPLES)
};

/* The keys that each kind may have. */
static const uint32_t allowed[] = {
    [TL_JOINT_FIXED] = MEETS,
    [TL_JOINT_SPHERICAL] = SOME_AXES,
    [TL_JOINT_REVOLUTE] = ONE_AXIS,
    [TL_JOINT_PRISMATIC] = ONE_AXIS,
    [TL_JOINT_CYLINDRICAL] = SOME_AXES,
    [TL_JOINT_PLANAR] = SOME_AXES,
    [TL_JOINT_UNIVERSAL] = SOME_AXES,
    [TL_JOINT_POINT_ON_LINE] = SOME_AXES,
    [TL_JOINT_POINT_ON_PLANE] = SOME_AXES,
    [TL_JOINT_DISTANCE] = SPANS | BIT(ROPE) | ACTS,
    [TL_JOINT_REVOLUTE_SPHERICAL] = SPANS | BIT(AXIS),
    [TL_JOINT_GEAR] = COUPLING,
    [TL_JOINT_RACK] = COUPLING,
    [TL_JOINT_SCREW] = ONE_AXIS | BIT(RATIO),
    [TL_JOINT_PULLEY] = SPANS | BIT(ROPE) | BIT(RATIO) | BIT(ANCHORS),
    [TL_JOINT_GENERIC] = SOME_AXES | BIT(LOCKED),
};
_Static_assert(sizeof allowed / sizeof *allowed == TL_JOINT_GENERIC + 1, "a row for each kind");

static const char *const axis_words[] = {"x", "y", "z", "rx", "ry", "rz", NULL};

/* ---- What a joint names ---- */

/* A name, "chain", or a name with an index from 0, ["chain", "=i"]. */
static tl_status split_reference(const tl_reader *r, const tl_json *value, const char *expected,
                                 const tl_json **name, const tl_json **index)
{
    *name = value;
    *index = NULL;
    if (value->kind != TL_JSON_ARRAY)
        return value->kind == TL_JSON_STRING && value->length
                   ? TL_OK
                   : tl_read_expected(r, value, expected);
    if (value->count != 2)
        return tl_read_expected(r, value, expected);
    *name = tl_json_first(r->tree, value);
    *index = tl_json_next(r->tree, *name);
    return (*name)->kind == TL_JSON_STRING ? TL_OK : tl_read_expected(r, *name, "a name");
}

/* Which of the `count` things that a name stands for. */
static tl_status pick(const tl_reader *r, const tl_json *name, const tl_json *index,
                      const char *what, uint32_t count, uint32_t *which)
{
    uint64_t taken = 0;
    char text[64];
    *which = 0;
    if (!count)
        return tl_read_fail(r, name, "is %s, which has no %s, expected one that has",
                            tl_read_show(r, name, text, sizeof text), what);
    if (!index && count > 1)
        return tl_read_fail(r, name, "is %s, which names %u %s, expected one of them: [%s, index]",
                            tl_read_show(r, name, text, sizeof text), count, what, text);
    TL_TRY(tl_read_whole(r, index, 0, count - 1, &taken));
    *which = (uint32_t)taken;
    return TL_OK;
}

tl_status tl_read_body(const tl_reader *r, const tl_json *value, tl_body *body)
{
    const tl_json *name, *index;
    const tl_span *span;
    uint32_t which;
    TL_TRY(split_reference(r, value, "the name of a body, [name, index] of a group, or \"ground\"",
                           &name, &index));
    const tl_text text = tl_json_text(r->tree, name);
    *body = (tl_body){0};
    if (!index && tl_text_is(text, "ground") && !tl_read_find(r, text))
        return TL_OK;
    TL_TRY(tl_read_reference(r, name, &span));
    TL_TRY(pick(r, name, index, "bodies", span->count, &which));
    *body = (tl_body){span->first + which, 1};
    return TL_OK;
}

tl_status tl_read_joint(const tl_reader *r, const tl_json *value, tl_joint *joint)
{
    static const char expected[] = "the name of a joint, or [name, index] of repeated ones";
    const tl_json *name, *index;
    uint32_t which;
    char shown[64];
    TL_TRY(split_reference(r, value, expected, &name, &index));
    const tl_text text = tl_json_text(r->tree, name);
    const tl_span *span = tl_read_find(r, text);
    if (!span || span->section != TL_SECTION_JOINTS) {
        tl_near near = tl_near_start(text);
        const tl_span *spans = r->document->spans.data;
        for (size_t i = 0; i < r->document->spans.count; i++)
            if (spans[i].name && spans[i].section == TL_SECTION_JOINTS)
                tl_near_offer(&near, tl_text_of((char *)r->document->names.data + spans[i].name));
        return tl_read_fail(r, name, "is %s, expected %s%s",
                            tl_read_show(r, name, shown, sizeof shown), expected,
                            tl_near_hint(&near));
    }
    TL_TRY(pick(r, name, index, "joints", span->joints, &which));
    joint->index = span->joint + which;
    return TL_OK;
}

static tl_status read_bodies(const tl_reader *r, const tl_json *entry, const tl_json *list,
                             tl_joint_def *def)
{
    static const char expected[] = "an array of two: names of bodies, or \"ground\"";
    if (!list)
        return tl_read_missing(r, entry, "bodies", expected);
    if (list->kind != TL_JSON_ARRAY || list->count != 2)
        return tl_read_expected(r, list, expected);
    const tl_json *first = tl_json_first(r->tree, list);
    TL_TRY(tl_read_body(r, first, &def->a));
    return tl_read_body(r, tl_json_next(r->tree, first), &def->b);
}

/* Gears take joints that turn, a rack one that turns and one that slides. */
static tl_status read_couples(const tl_reader *r, const tl_json *entry, const tl_json *list,
                              tl_joint_def *def)
{
    static const char expected[] = "an array of two: names of joints above";
    if (!list)
        return tl_read_missing(r, entry, "couples", expected);
    if (list->kind != TL_JSON_ARRAY || list->count != 2)
        return tl_read_expected(r, list, expected);
    const tl_json *v = tl_json_first(r->tree, list);
    for (int i = 0; i < 2; i++, v = tl_json_next(r->tree, v)) {
        const bool slides = i && def->kind == TL_JOINT_RACK;
        tl_joint_def other;
        TL_TRY(tl_read_joint(r, v, &def->coupled[i]));
        TL_TRY(tl_scene_joint(r->scene, def->coupled[i], &other));
        const bool turns = other.kind == TL_JOINT_REVOLUTE ||
                           (other.kind == TL_JOINT_CYLINDRICAL && def->kind == TL_JOINT_GEAR);
        if (slides ? other.kind == TL_JOINT_PRISMATIC : turns)
            continue;
        return tl_read_fail(r, v, "is a joint of kind \"%s\", expected one of kind %s",
                            tl_word(TL_WORDS_JOINT, other.kind),
                            slides                       ? "\"prismatic\""
                            : def->kind == TL_JOINT_GEAR ? "\"revolute\" or \"cylindrical\""
                                                         : "\"revolute\"");
    }
    if (def->coupled[0].index == def->coupled[1].index)
        return tl_read_fail(r, list, "names one joint twice, expected two");
    return TL_OK;
}

/* ---- Where it is ---- */

/* A point and orientation of the world in the frame of a body at its start. */
static tl_status into_body(const tl_reader *r, tl_body body, const double point[3],
                           const double turn[4], double position[3], double orientation[4])
{
    double x[3] = {0}, q[4] = {1, 0, 0, 0}, way[3];
    if (body.index)
        TL_TRY(tl_scene_read_pose(r->scene, body, x, q));
    for (int k = 0; k < 3; k++) {
        way[k] = point[k] - x[k];
        q[k + 1] = -q[k + 1];
    }
    tl_turn_apply(q, way, position);
    tl_turn_join(q, turn, orientation);
    return TL_OK;
}

/* The orientation whose z is along 'axis', or 'orientation' itself; both in the world. */
static tl_status read_turn(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                           double turn[4])
{
    const double origin[3] = {0};
    double axis[3], length = 1;
    if (f[AXIS] && f[ORIENTATION])
        return tl_read_fail_key(r, entry, f[ORIENTATION],
                                "has both 'axis' and 'orientation', expected one of them");
    if (f[AXIS]) {
        tl_joint_def placed = tl_joint_default(TL_JOINT_FIXED);
        TL_TRY(tl_read_axis(r, f[AXIS], axis, &length));
        TL_TRY(tl_joint_place(&placed, origin, axis, NULL, NULL, NULL, NULL));
        memcpy(turn, placed.orientation_a, sizeof placed.orientation_a);
    }
    TL_TRY(tl_read_orientation(r, f[ORIENTATION], turn));
    tl_frame_turn(r, turn);
    return TL_OK;
}

/* A frame in that of a body, or of the ground. */
static tl_status read_frame(const tl_reader *r, const tl_json *value, tl_body body,
                            double position[3], double orientation[4])
{
    static const char *const frame_keys[] = {"position", "orientation"};
    const tl_json *f[2];
    if (value) {
        TL_TRY(tl_read_fields(r, value, "a frame", 2, frame_keys, f));
        TL_TRY(tl_read_vector(r, f[0], 3, TL_ANY("m"), position));
        TL_TRY(tl_read_orientation(r, f[1], orientation));
    }
    if (body.index)
        return TL_OK;
    tl_frame_point(r, position);
    tl_frame_turn(r, orientation);
    return TL_OK;
}

/* The points of the two bodies that are joined: one and the same, or 'points'. */
static tl_status read_points(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                             tl_joint_kind kind, double points[2][3])
{
    const bool meets = allowed[kind] & BIT(AT);
    if (meets && !f[AT])
        return tl_read_missing(r, entry, "at",
                               "the point [x, y, z] (m) where the bodies meet, or 'frame_a' and "
                               "'frame_b'");
    if (meets) {
        TL_TRY(tl_read_vector(r, f[AT], 3, TL_ANY("m"), points[0]));
        tl_frame_point(r, points[0]);
        memcpy(points[1], points[0], sizeof points[0]);
        return TL_OK;
    }
    static const char expected[] = "two points [x, y, z] (m): of the first and the second body";
    if (!f[POINTS])
        return tl_read_missing(r, entry, "points", expected);
    if (f[POINTS]->kind != TL_JSON_ARRAY || f[POINTS]->count != 2)
        return tl_read_expected(r, f[POINTS], expected);
    const tl_json *v = tl_json_first(r->tree, f[POINTS]);
    for (int i = 0; i < 2; i++, v = tl_json_next(r->tree, v)) {
        TL_TRY(tl_read_vector(r, v, 3, TL_ANY("m"), points[i]));
        tl_frame_point(r, points[i]);
    }
    return TL_OK;
}

static tl_status read_place(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                            tl_joint_def *def)
{
    static const uint8_t world[] = {AT, AXIS, ORIENTATION, POINTS};
    double points[2][3], turn[4] = {1, 0, 0, 0};
    for (size_t i = 0; i < sizeof world && (f[FRAME_A] || f[FRAME_B]); i++)
        if (f[world[i]])
            return tl_read_fail_key(r, entry, f[world[i]],
                                    "has both '%s' and '%s', expected one of them", keys[world[i]],
                                    keys[f[FRAME_A] ? FRAME_A : FRAME_B]);
    if (f[FRAME_A] || f[FRAME_B]) {
        TL_TRY(read_frame(r, f[FRAME_A], def->a, def->position_a, def->orientation_a));
        return read_frame(r, f[FRAME_B], def->b, def->position_b, def->orientation_b);
    }
    TL_TRY(read_points(r, entry, f, def->kind, points));
    TL_TRY(read_turn(r, entry, f, turn));
    TL_TRY(into_body(r, def->a, points[0], turn, def->position_a, def->orientation_a));
    return into_body(r, def->b, points[1], turn, def->position_b, def->orientation_b);
}

/* ---- Axes ---- */

static tl_status read_axes(tl_reader *r, const tl_json *object, tl_joint_def *def)
{
    const tl_json *of[AXES], *f[TL_AXIS_KEYS];
    bool locked[AXES];
    if (!object)
        return TL_OK;
    TL_TRY(tl_read_fields(r, object, "the axes", AXES, axis_words, of));
    tl_joint_locks(def, locked);
    for (int i = 0; i < AXES; i++) {
        if (of[i] && locked[i])
            return tl_read_fail_key(r, object, of[i],
                                    "has '%s', expected none: this joint locks it", axis_words[i]);
        if (!of[i])
            continue;
        TL_TRY(tl_read_fields(r, of[i], "an axis", TL_AXIS_KEYS, tl_axis_keys, f));
        TL_TRY(tl_read_joint_axis(r, f, i > 2, &def->axes[i]));
    }
    return TL_OK;
}

static tl_status read_locked(const tl_reader *r, const tl_json *list, tl_joint_def *def)
{
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of \"x\", \"y\", \"z\", \"rx\", \"ry\" and \"rz\""));
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        uint32_t axis = 0;
        TL_TRY(tl_read_choice(r, v, axis_words, &axis));
        def->locked[axis] = true;
    }
    return TL_OK;
}

/* Points the definition to its tables and texts, which lie behind each other as they were read. */
static void attach(const tl_reader *r, tl_joint_def *def)
{
    const double *table = r->entry_table.data;
    const char *text = r->entry_texts.data;
    for (int i = 0; i < AXES; i++) {
        tl_axis_def *axis = &def->axes[i];
        if (axis->spring_length) {
            axis->spring_values = table;
            axis->spring_forces = table + axis->spring_length;
            table += 2 * axis->spring_length;
        }
        if (axis->target.table_length) {
            axis->target.times = table;
            axis->target.values = table + axis->target.table_length;
            table += 2 * axis->target.table_length;
        }
        if (axis->target.expression) {
            axis->target.expression = text;
            text += strlen(text) + 1;
        }
    }
}

/* ---- One joint ---- */

static tl_status read_numbers(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                              tl_joint_def *def)
{
    static const tl_rule any = {-INFINITY, INFINITY, 0, 0, "a number other than 0"};
    const bool rope = def->kind == TL_JOINT_PULLEY;
    TL_TRY(tl_read_number(r, f[LENGTH], TL_ABOVE_0("m"), &def->length));
    TL_TRY(tl_read_flag(r, f[ROPE], &def->rope));
    TL_TRY(tl_read_number(r, f[RATIO], rope ? TL_ABOVE_0("of the two sides") : &any, &def->ratio));
    if (def->ratio == 0)
        return tl_read_expected(r, f[RATIO], any.expected);
    if (!f[RATIO] && (allowed[def->kind] & BIT(RATIO)) && !rope)
        return tl_read_missing(r, entry, "ratio",
                               def->kind == TL_JOINT_GEAR
                                   ? "the angle of the second joint over that of the first"
                                   : "the travel per angle (m/rad)");
    TL_TRY(tl_read_number(r, f[BREAK_FORCE], TL_ABOVE_0("N"), &def->break_force));
    TL_TRY(tl_read_number(r, f[BREAK_TORQUE], TL_ABOVE_0("N m"), &def->break_torque));
    TL_TRY(tl_read_flag(r, f[COLLIDE], &def->collide));
    if (!rope)
        return TL_OK;
    static const char expected[] = "two points [x, y, z] (m) that the rope runs over";
    if (!f[ANCHORS])
        return tl_read_missing(r, entry, "anchors", expected);
    if (f[ANCHORS]->kind != TL_JSON_ARRAY || f[ANCHORS]->count != 2)
        return tl_read_expected(r, f[ANCHORS], expected);
    const tl_json *v = tl_json_first(r->tree, f[ANCHORS]);
    for (int i = 0; i < 2; i++, v = tl_json_next(r->tree, v)) {
        TL_TRY(tl_read_vector(r, v, 3, TL_ANY("m"), def->anchors[i]));
        tl_frame_point(r, def->anchors[i]);
    }
    return TL_OK;
}

static tl_status check_keys(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                            uint32_t kind)
{
    for (uint32_t i = 0; i < KEYS; i++)
        if (f[i] && !(allowed[kind] & BIT(i)))
            return tl_read_fail_key(
                r, entry, f[i], "has '%s', expected %s a joint of kind \"%s\"", keys[i],
                i >= LIMITS && i <= MOTOR && (allowed[kind] & BIT(OF_AXES)) ? "it in 'axes' of"
                                                                            : "none in",
                tl_word(TL_WORDS_JOINT, kind));
    if (kind == TL_JOINT_REVOLUTE_SPHERICAL && !f[AXIS] && !f[FRAME_A])
        return tl_read_missing(r, entry, "axis", "the direction [x, y, z] of the hinge");
    return TL_OK;
}

/* What the library refuses of the bodies is said where they are named. */
__attribute__((cold)) static tl_status refuse(const tl_reader *r, const tl_json *entry,
                                              const tl_json *bodies, const tl_joint_def *def,
                                              tl_status status)
{
    const char *field = tl_last_error().field;
    if (status == TL_NO_MEMORY || !bodies || (strcmp(field, "a") != 0 && strcmp(field, "b") != 0))
        return tl_read_refused(r, entry, status);
    if (def->a.index == def->b.index)
        return tl_read_fail(r, bodies, "names one body twice, expected two");
    return tl_read_fail(r, bodies,
                        "names none of kind \"dynamic\", expected at least one that moves freely");
}

/* What acts along a line does so instead of the rod or rope. */
static tl_status check_line(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                            const tl_joint_def *def)
{
    const tl_json *acts = NULL;
    for (uint32_t i = LIMITS; i <= MOTOR; i++) {
        if (f[i] && def->rope)
            return tl_read_fail_key(r, entry, f[i],
                                    "has both 'rope' and '%s', expected one of them", keys[i]);
        acts = acts ? acts : f[i];
    }
    if (acts && !tl_axis_acts(&def->axes[0]))
        return tl_read_fail(
            r, acts, "does nothing, expected limits, friction, a spring or a motor that does");
    for (const tl_json *v = f[SPRING] ? tl_json_first(r->tree, f[SPRING]) : NULL; v;
         v = tl_json_next(r->tree, v))
        if (tl_text_is(tl_json_key(r->tree, v), "rest"))
            return tl_read_fail_key(r, f[SPRING], v,
                                    "has 'rest', expected 'length' of the joint, where it is at "
                                    "rest");
    if (f[LENGTH] && def->axes[0].spring_length)
        return tl_read_fail_key(r, entry, f[LENGTH],
                                "has both 'length' and a 'table' of its spring, expected one of "
                                "them");
    return TL_OK;
}

/* Steppers of small problems know no joints, penalty springs alone. */
static tl_status check_stepper(const tl_reader *r, const tl_json *entry, const tl_json *const *f,
                               const tl_joint_def *def)
{
    const tl_stepper stepper = r->settings.stepper;
    const tl_axis_def *axis = &def->axes[0];
    const struct {
        uint8_t key;
        bool given;
    } others[] = {{ROPE, def->rope},
                  {LIMITS, axis->lower != -INFINITY || axis->upper != INFINITY},
                  {FRICTION, axis->friction > 0},
                  {SPRING, axis->spring_length > 0},
                  {MOTOR, axis->drive != TL_DRIVE_NONE},
                  {BREAK_FORCE, def->break_force != INFINITY},
                  {BREAK_TORQUE, def->break_torque != INFINITY},
                  {SPRING, !(axis->stiffness > 0 || axis->damping > 0)}};
    if (r->stored.result || stepper == TL_STEPPER_DVI || stepper == TL_STEPPER_SMOOTH)
        return TL_OK;
    if (stepper != TL_STEPPER_PENALTY)
        return tl_read_fail(r, entry,
                            "is a joint, and settings.stepper is \"%s\", expected \"dvi\" or "
                            "\"smooth\"",
                            tl_word(TL_WORDS_STEPPER, stepper));
    if (def->kind != TL_JOINT_DISTANCE)
        return tl_read_fail(r, f[KIND],
                            "is \"%s\", and settings.stepper is \"penalty\", expected "
                            "\"distance\" with a 'spring'",
                            tl_word(TL_WORDS_JOINT, def->kind));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return tl_read_fail(r, f[others[i].key] ? f[others[i].key] : entry,
                                "does not suit settings.stepper \"penalty\", expected a 'spring' "
                                "of 'stiffness' and 'damping' alone");
    return TL_OK;
}

static tl_status add_joint(tl_reader *r, const tl_json *entry, const tl_json *const *f,
                           uint32_t kind)
{
    enum { ITEMS = sizeof(tl_joint_rec) / 256 + 1 }; /* what a charge of memory is counted in */
    tl_joint_def def = tl_joint_default((tl_joint_kind)kind);
    const int one = kind == TL_JOINT_DISTANCE ? 0 : kind == TL_JOINT_PRISMATIC ? 2 : 5;
    r->entry_table.count = r->entry_texts.count = 0;
    if (allowed[kind] & BIT(COUPLES))
        TL_TRY(read_couples(r, entry, f[COUPLES], &def));
    else
        TL_TRY(read_bodies(r, entry, f[BODIES], &def));
    if (allowed[kind] & BIT(BODIES))
        TL_TRY(read_place(r, entry, f, &def));
    TL_TRY(read_locked(r, f[LOCKED], &def));
    TL_TRY(tl_read_joint_axis(r, f + LIMITS, one > 2, &def.axes[one]));
    TL_TRY(read_axes(r, f[OF_AXES], &def));
    TL_TRY(read_numbers(r, entry, f, &def));
    if (kind == TL_JOINT_DISTANCE)
        TL_TRY(check_line(r, entry, f, &def));
    TL_TRY(check_stepper(r, entry, f, &def));
    TL_TRY(tl_read_charge(r, entry, 0, ITEMS + r->entry_table.count / 4));
    attach(r, &def);
    const tl_status status = tl_scene_add_joint(r->scene, &def, NULL);
    return status < 0 ? refuse(r, entry, f[BODIES], &def, status) : TL_OK;
}

static tl_status read_entry(tl_reader *r, const tl_json *entry, uint32_t number)
{
    const tl_json *f[KEYS];
    uint32_t kind = 0;
    tl_span span = {.first = (uint32_t)tl_scene_body_count(r->scene) + 1,
                    .joint = (uint32_t)tl_scene_joint_count(r->scene) + 1,
                    .joints = 1,
                    .entry = number,
                    .section = TL_SECTION_JOINTS,
                    .group = true};
    TL_TRY(tl_read_fields(r, entry, "a joint", KEYS, keys, f));
    TL_TRY(tl_read_kind(r, entry, f[KIND], tl_words(TL_WORDS_JOINT), &kind));
    TL_TRY(check_keys(r, entry, f, kind));
    if (f[REPEAT]) {
        TL_TRY(tl_read_repeat(r, f[REPEAT], &span.joints));
        for (uint32_t i = 0; i < span.joints; i++) {
            tl_repeat_at(r, i);
            TL_TRY(add_joint(r, entry, f, kind));
        }
        tl_repeat_end(r);
    } else {
        TL_TRY(add_joint(r, entry, f, kind));
    }
    return tl_read_entry(r, entry, f[NAME], span);
}

tl_status tl_read_joints(tl_reader *r, const tl_json *list)
{
    uint32_t number = 0;
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of joints"));
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v))
        TL_TRY(read_entry(r, v, number++));
    return TL_OK;
}
