/* Joints of a scene, checked: what they hold, along which axes they are limited, driven, sprung and
 * rubbed. Worlds check joints that are added to them by the same rules. Called through
 * talus/joint.h and talus/scene.h. */
#include "scene/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/turn.h"
#include "kernels/args.h"

enum { AXES = TL_JOINT_AXES, PATH = 64 };

/* --- kinds ----------------------------------------------------------------------------------- */

/* What each kind locks, x, y, z and the rotations, and which fields it has a use for. */
static const struct kind {
    bool locked[AXES];
    bool axes, line, length, rope, ratio, anchors, couples;
} kinds[] = {
    [TL_JOINT_FIXED] = {{1, 1, 1, 1, 1, 1}},
    [TL_JOINT_SPHERICAL] = {{1, 1, 1, 0, 0, 0}, .axes = true},
    [TL_JOINT_REVOLUTE] = {{1, 1, 1, 1, 1, 0}, .axes = true},
    [TL_JOINT_PRISMATIC] = {{1, 1, 0, 1, 1, 1}, .axes = true},
    [TL_JOINT_CYLINDRICAL] = {{1, 1, 0, 1, 1, 0}, .axes = true},
    [TL_JOINT_PLANAR] = {{0, 0, 1, 1, 1, 0}, .axes = true},
    [TL_JOINT_UNIVERSAL] = {{1, 1, 1, 0, 0, 1}, .axes = true},
    [TL_JOINT_POINT_ON_LINE] = {{1, 1, 0, 0, 0, 0}, .axes = true},
    [TL_JOINT_POINT_ON_PLANE] = {{0, 0, 1, 0, 0, 0}, .axes = true},
    [TL_JOINT_DISTANCE] = {{0}, .line = true, .length = true, .rope = true},
    [TL_JOINT_REVOLUTE_SPHERICAL] = {{0}, .length = true},
    [TL_JOINT_GEAR] = {{0}, .ratio = true, .couples = true},
    [TL_JOINT_RACK] = {{0}, .ratio = true, .couples = true},
    [TL_JOINT_SCREW] = {{1, 1, 0, 1, 1, 0}, .axes = true, .ratio = true},
    [TL_JOINT_PULLEY] = {{0}, .length = true, .rope = true, .ratio = true, .anchors = true},
    [TL_JOINT_GENERIC] = {{0}, .axes = true},
};
_Static_assert(sizeof kinds / sizeof *kinds == TL_JOINT_GENERIC + 1, "a row for each kind");

void tl_joint_locks(const tl_joint_def *def, bool locked[TL_JOINT_AXES])
{
    static const bool none[AXES];
    if (!def || !locked) {
        tl_refuse_null(def ? "locked" : "def");
        if (locked)
            memset(locked, 0, AXES * sizeof *locked);
        return;
    }
    const bool *locks = def->kind == TL_JOINT_GENERIC  ? def->locked
                        : def->kind < TL_JOINT_GENERIC ? kinds[def->kind].locked
                                                       : none;
    for (int i = 0; i < AXES; i++)
        locked[i] = locks[i];
}

bool tl_joint_has_axes(tl_joint_kind kind)
{
    return kinds[kind].axes;
}

bool tl_joint_has_line(tl_joint_kind kind)
{
    return kinds[kind].line;
}

bool tl_joint_is_coupling(tl_joint_kind kind)
{
    return kinds[kind].couples;
}

static tl_axis_def free_axis(void)
{
    return (tl_axis_def){.lower = -INFINITY, .upper = INFINITY, .limit = INFINITY};
}

tl_joint_def tl_joint_default(tl_joint_kind kind)
{
    tl_joint_def def = {.kind = kind,
                        .orientation_a = {1, 0, 0, 0},
                        .orientation_b = {1, 0, 0, 0},
                        .ratio = 1,
                        .break_force = INFINITY,
                        .break_torque = INFINITY};
    for (int i = 0; i < AXES; i++)
        def.axes[i] = free_axis();
    return def;
}

/* --- placing --------------------------------------------------------------------------------- */

/* The shortest rotation that leads z along a direction. */
static void turn_to(const double axis[3], double q[4])
{
    const double xy = hypot(axis[0], axis[1]), half = 0.5 * atan2(xy, axis[2]);
    q[0] = cos(half);
    q[1] = xy > 0 ? -sin(half) * (axis[1] / xy) : sin(half);
    q[2] = xy > 0 ? sin(half) * (axis[0] / xy) : 0;
    q[3] = 0;
}

/* A frame of the world in that of a body. */
static tl_status frame_in(const tl_place *place, const char *field, const double point[3],
                          const double turn[4], const double *position, const double *orientation,
                          double in_position[3], double in_turn[4])
{
    double pose[4] = {1, 0, 0, 0}, way[3];
    if (orientation)
        TL_TRY(tl_check_unit(place, field, orientation, pose));
    for (int k = 0; k < 3; k++) {
        way[k] = point[k] - (position ? position[k] : 0);
        pose[k + 1] = -pose[k + 1];
    }
    tl_turn_apply(pose, way, in_position);
    tl_turn_join(pose, turn, in_turn);
    return TL_OK;
}

tl_status tl_joint_place(tl_joint_def *def, const double point[3], const double axis[3],
                         const double *position_a, const double *orientation_a,
                         const double *position_b, const double *orientation_b)
{
    const tl_place place = tl_place_of("");
    double turn[4];
    if (!def || !point || !axis)
        return tl_refuse_null(!def ? "def" : !point ? "point" : "axis");
    TL_TRY(tl_check_finite(&place, "point", 3, point));
    TL_TRY(tl_check_finite(&place, "axis", 3, axis));
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        return tl_refuse(&place, "axis", 3, axis, "it must not be 0");
    if (position_a)
        TL_TRY(tl_check_finite(&place, "position_a", 3, position_a));
    if (position_b)
        TL_TRY(tl_check_finite(&place, "position_b", 3, position_b));
    turn_to(axis, turn);
    tl_joint_def placed = *def;
    TL_TRY(frame_in(&place, "orientation_a", point, turn, position_a, orientation_a,
                    placed.position_a, placed.orientation_a));
    TL_TRY(frame_in(&place, "orientation_b", point, turn, position_b, orientation_b,
                    placed.position_b, placed.orientation_b));
    *def = placed;
    return TL_OK;
}

/* --- bodies and joints that it names --------------------------------------------------------- */

static tl_status check_body(const tl_joint_context *context, const char *field, tl_body body,
                            bool *dynamic)
{
    if (!body.index)
        return TL_OK;
    const int kind = context->body_kind(context->owner, body);
    *dynamic = *dynamic || kind == TL_DYNAMIC;
    if (kind >= 0)
        return TL_OK;
    const tl_error about = {
        .subject = "joint", .index = TL_NO_INDEX, .field = field, .bodies = {body}};
    return tl_fail_about(TL_BAD_HANDLE, &about, ": index %u, generation %u is no body of this %s",
                         body.index, body.generation, context->where);
}

static tl_status check_bodies(const tl_place *place, const tl_joint_def *def,
                              const tl_joint_context *context)
{
    const double a = def->a.index, b = def->b.index;
    bool dynamic = false;
    if (kinds[def->kind].couples && (def->a.index || def->b.index))
        return tl_refuse(place, def->a.index ? "a" : "b", 1, def->a.index ? &a : &b,
                         "joints of this kind have no bodies: those of `coupled` have");
    if (kinds[def->kind].couples)
        return TL_OK;
    TL_TRY(check_body(context, "a", def->a, &dynamic));
    TL_TRY(check_body(context, "b", def->b, &dynamic));
    if (def->a.index == def->b.index)
        return tl_refuse(place, "b", 1, &b,
                         def->a.index ? "it must be another body than a"
                                      : "a and b must not both be the ground");
    if (dynamic)
        return TL_OK;
    const tl_error about = {
        .subject = place->name, .index = TL_NO_INDEX, .field = "b", .bodies = {def->a, def->b}};
    return tl_fail_about(TL_BAD_ARGUMENT, &about, " is %u; it or a, %u, must be dynamic",
                         def->b.index, def->a.index);
}

/* A joint whose coordinate is coupled: of kind `wanted`, or cylindrical where it turns in a gear.
 */
static tl_status check_coupled(const tl_joint_def *def, const tl_joint_context *context, int which,
                               tl_joint_kind wanted)
{
    const char *field = which ? "coupled[1]" : "coupled[0]";
    const tl_error about = {.subject = "joint", .index = TL_NO_INDEX, .field = field};
    const uint32_t index = def->coupled[which].index;
    const tl_joint_rec *joint = context->joint(context->owner, def->coupled[which]);
    if (!joint)
        return tl_fail_about(TL_BAD_HANDLE, &about,
                             ": %u is no joint of this %s; it must be one that was added before",
                             index, context->where);
    const tl_joint_kind kind = joint->def.kind;
    if (kind == wanted || (kind == TL_JOINT_CYLINDRICAL && def->kind == TL_JOINT_GEAR))
        return TL_OK;
    return tl_fail_about(
        TL_BAD_ARGUMENT, &about, ": %u is %s; it must be %s", index, tl_word(TL_WORDS_JOINT, kind),
        def->kind == TL_JOINT_GEAR ? "revolute or cylindrical" : tl_word(TL_WORDS_JOINT, wanted));
}

static tl_status check_coupling(const tl_place *place, const tl_joint_def *def,
                                const tl_joint_context *context)
{
    for (int i = 0; i < 2 && !kinds[def->kind].couples; i++)
        if (def->coupled[i].index) {
            const double index = def->coupled[i].index;
            return tl_refuse(place, i ? "coupled[1]" : "coupled[0]", 1, &index,
                             "joints of this kind couple none: it must be 0");
        }
    if (!kinds[def->kind].couples)
        return TL_OK;
    TL_TRY(check_coupled(def, context, 0, TL_JOINT_REVOLUTE));
    TL_TRY(check_coupled(def, context, 1,
                         def->kind == TL_JOINT_GEAR ? TL_JOINT_REVOLUTE : TL_JOINT_PRISMATIC));
    const double index = def->coupled[1].index;
    if (def->coupled[0].index == def->coupled[1].index)
        return tl_refuse(place, "coupled[1]", 1, &index, "it must be another joint than the first");
    return TL_OK;
}

/* --- axes ------------------------------------------------------------------------------------ */

static const char *path_of(char path[PATH], int axis, const char *field)
{
    snprintf(path, PATH, "axes[%d].%s", axis, field);
    return path;
}

/* Whether an axis is as tl_joint_default() made it. */
static bool is_free(const tl_axis_def *axis)
{
    return axis->lower == -INFINITY && axis->upper == INFINITY && axis->restitution == 0 &&
           axis->friction == 0 && axis->stiffness == 0 && axis->damping == 0 && axis->rest == 0 &&
           !axis->spring_length && axis->drive == TL_DRIVE_NONE && axis->limit == INFINITY &&
           axis->target.kind == TL_FUNCTION_CONSTANT && axis->target.value == 0 &&
           axis->target.amplitude == 0 && axis->target.frequency == 0 && axis->target.phase == 0 &&
           !axis->target.table_length && !axis->target.expression;
}

static tl_status check_limits(const tl_place *place, int i, const tl_axis_def *axis)
{
    char path[PATH];
    const double both[2] = {axis->lower, axis->upper};
    if (!(axis->lower < INFINITY))
        return tl_refuse(place, path_of(path, i, "lower"), 1, &axis->lower,
                         "it must be finite or -infinity");
    if (!(axis->upper > -INFINITY))
        return tl_refuse(place, path_of(path, i, "upper"), 1, &axis->upper,
                         "it must be finite or infinity");
    if (axis->lower > axis->upper)
        return tl_refuse(place, path_of(path, i, "lower, upper"), 2, both,
                         "the limits cross: lower must not be above upper");
    if (!(axis->restitution >= 0 && axis->restitution <= 1))
        return tl_refuse(place, path_of(path, i, "restitution"), 1, &axis->restitution,
                         "it must be 0 to 1");
    if (!(axis->limit >= 0))
        return tl_refuse(place, path_of(path, i, "limit"), 1, &axis->limit,
                         "it must be >= 0, or infinity");
    return TL_OK;
}

static tl_status check_spring(const tl_place *place, int i, const tl_axis_def *axis)
{
    const struct {
        const char *name;
        double value;
    } positive[] = {
        {"friction", axis->friction}, {"stiffness", axis->stiffness}, {"damping", axis->damping}};
    char path[PATH];
    for (size_t k = 0; k < sizeof positive / sizeof *positive; k++)
        if (!(positive[k].value >= 0 && positive[k].value < TL_TABLE_LIMIT))
            return tl_refuse(place, path_of(path, i, positive[k].name), 1, &positive[k].value,
                             "it must be >= 0 and below 1e300");
    TL_TRY(tl_check_below(place, path_of(path, i, "rest"), 1, &axis->rest, TL_TABLE_LIMIT));
    if (!axis->spring_length)
        return TL_OK;
    const double length = (double)axis->spring_length;
    if (axis->spring_length < 2)
        return tl_refuse(place, path_of(path, i, "spring_length"), 1, &length,
                         "it must be 0 (no table) or >= 2");
    if (axis->stiffness != 0)
        return tl_refuse(place, path_of(path, i, "stiffness"), 1, &axis->stiffness,
                         "with a table of the spring it must be 0");
    if (axis->rest != 0)
        return tl_refuse(place, path_of(path, i, "rest"), 1, &axis->rest,
                         "with a table of the spring it must be 0");
    return TL_OK;
}

static tl_status copy_spring(const tl_place *place, int i, const tl_axis_def *axis,
                             tl_axis_def *out)
{
    char length[PATH], values[PATH], forces[PATH];
    const tl_table t = {.length_name = path_of(length, i, "spring_length"),
                        .times_name = path_of(values, i, "spring_values"),
                        .rows_name = path_of(forces, i, "spring_forces"),
                        .rule = "coordinates must increase strictly",
                        .length = axis->spring_length,
                        .width = 1,
                        .times = axis->spring_values,
                        .rows = axis->spring_forces,
                        .limit = TL_TABLE_LIMIT};
    double *copy = NULL;
    if (!axis->spring_length)
        return TL_OK;
    TL_TRY(tl_table_copy(place, &t, &copy));
    out->spring_values = copy;
    out->spring_forces = copy + axis->spring_length;
    out->spring_length = axis->spring_length;
    return TL_OK;
}

/* Makes the function of a motor. */
static tl_status make_target(const tl_place *place, int i, const tl_function_def *def,
                             tl_function_rec **out)
{
    char path[PATH];
    tl_function_rec made;
    TL_TRY(tl_function_rec_make(place, path_of(path, i, "target"), def, &made));
    *out = tl_alloc(sizeof made);
    if (!*out) {
        tl_function_rec_free(&made);
        return TL_NO_MEMORY;
    }
    **out = made;
    return TL_OK;
}

static void free_target(tl_function_rec **target)
{
    if (*target)
        tl_function_rec_free(*target);
    tl_free(*target, sizeof **target);
    *target = NULL;
}

/* A motor of an axis that is to have one. */
static tl_status make_motor(const tl_place *place, int i, const tl_axis_def *axis,
                            tl_joint_rec *out)
{
    char path[PATH];
    tl_axis_def bare = free_axis();
    TL_TRY(tl_check_enum(place, path_of(path, i, "drive"), axis->drive, TL_WORDS_DRIVE));
    bare.target = axis->target;
    if (axis->drive == TL_DRIVE_NONE && !is_free(&bare))
        return tl_refuse_text(place, path_of(path, i, "target"), "set",
                              "an axis without a drive has none");
    if (axis->drive == TL_DRIVE_NONE)
        return TL_OK;
    if (axis->drive == TL_DRIVE_FORCE && axis->limit != INFINITY)
        return tl_refuse(place, path_of(path, i, "limit"), 1, &axis->limit,
                         "a motor of a given force has none: it must be infinity");
    if (axis->target.kind == TL_FUNCTION_CONSTANT) /* others are looked at in each step */
        TL_TRY(tl_check_below(place, path_of(path, i, "target.value"), 1, &axis->target.value,
                              TLK_FAR));
    TL_TRY(make_target(place, i, &axis->target, &out->target[i]));
    out->def.axes[i].target = out->target[i]->def;
    return TL_OK;
}

/* Whether axis i may have something. */
static bool has_axis(tl_joint_kind kind, const bool locked[AXES], int i)
{
    return kinds[kind].axes ? !locked[i] : kinds[kind].line && i == 0;
}

/* What acts along a line does so instead of the rod or rope. */
static tl_status check_line(const tl_place *place, const tl_joint_def *def)
{
    const tl_axis_def *axis = &def->axes[0];
    if (def->rope)
        return tl_refuse_text(place, "rope", "true",
                              "with axes[0] set it must be false: axes[0].upper is the most");
    if (!tl_axis_acts(axis))
        return tl_refuse_text(place, "axes[0]", "set",
                              "nothing acts along it: it must have limits, friction, a spring, a "
                              "damper or a drive");
    if (axis->upper < 0)
        return tl_refuse(place, "axes[0].upper", 1, &axis->upper,
                         "no distance is below 0: it must be >= 0, or infinity");
    if (axis->rest != 0)
        return tl_refuse(place, "axes[0].rest", 1, &axis->rest,
                         "it must be 0: `length` is where the spring is at rest");
    if (axis->spring_length && def->length != 0)
        return tl_refuse(place, "length", 1, &def->length,
                         "with a table of the spring it must be 0");
    return TL_OK;
}

static tl_status check_axes(const tl_place *place, const tl_joint_def *def, tl_joint_rec *out)
{
    bool locked[AXES];
    char path[PATH];
    tl_joint_locks(def, locked);
    for (int i = 0; i < AXES; i++) {
        const tl_axis_def *axis = &def->axes[i];
        snprintf(path, sizeof path, "axes[%d]", i);
        if (is_free(axis))
            continue;
        if (!has_axis(def->kind, locked, i))
            return tl_refuse_text(place, path, "set",
                                  kinds[def->kind].axes ? "the joint locks this axis: it must be "
                                                          "as by default"
                                  : kinds[def->kind].line
                                      ? "joints of this kind have the first axis alone: it must be "
                                        "as by default"
                                      : "joints of this kind have no free axes: it must be as by "
                                        "default");
        if (kinds[def->kind].line)
            TL_TRY(check_line(place, def));
        TL_TRY(check_limits(place, i, axis));
        TL_TRY(check_spring(place, i, axis));
        TL_TRY(copy_spring(place, i, axis, &out->def.axes[i]));
        TL_TRY(make_motor(place, i, axis, out));
    }
    return TL_OK;
}

/* --- the rest -------------------------------------------------------------------------------- */

/* Refuses fields that the kind has no use for, so that nothing is lost. */
static tl_status check_unused(const tl_place *place, const tl_joint_def *def)
{
    const struct kind *kind = &kinds[def->kind];
    char path[PATH];
    for (int i = 0; i < AXES && def->kind != TL_JOINT_GENERIC; i++)
        if (def->locked[i]) {
            snprintf(path, sizeof path, "locked[%d]", i);
            return tl_refuse_text(place, path, "true", "it is for joints of kind generic alone");
        }
    if (!kind->length && def->length != 0)
        return tl_refuse(place, "length", 1, &def->length,
                         "joints of this kind have none: it must be 0");
    if (!kind->rope && def->rope)
        return tl_refuse_text(place, "rope", "true",
                              "it is for joints of the kinds distance and pulley alone");
    if (!kind->ratio && def->ratio != 1)
        return tl_refuse(place, "ratio", 1, &def->ratio,
                         "joints of this kind have none: it must be 1");
    for (int i = 0; i < 2 && !kind->anchors; i++)
        if (def->anchors[i][0] != 0 || def->anchors[i][1] != 0 || def->anchors[i][2] != 0)
            return tl_refuse(place, i ? "anchors[1]" : "anchors[0]", 3, def->anchors[i],
                             "it is for joints of kind pulley alone");
    if (kind->couples && def->collide)
        return tl_refuse_text(place, "collide", "true",
                              "joints of this kind have no bodies: it must be false");
    return TL_OK;
}

static tl_status check_frames(const tl_place *place, const tl_joint_def *def, tl_joint_rec *out)
{
    TL_TRY(tl_check_finite(place, "position_a", 3, def->position_a));
    TL_TRY(tl_check_unit(place, "orientation_a", def->orientation_a, out->def.orientation_a));
    TL_TRY(tl_check_finite(place, "position_b", 3, def->position_b));
    return tl_check_unit(place, "orientation_b", def->orientation_b, out->def.orientation_b);
}

static tl_status check_numbers(const tl_place *place, const tl_joint_def *def)
{
    const bool pulley = def->kind == TL_JOINT_PULLEY;
    if (!(def->length >= 0 && isfinite(def->length)))
        return tl_refuse(place, "length", 1, &def->length,
                         "it must be > 0, or 0: as it is at the start");
    TL_TRY(tl_check_finite(place, "ratio", 1, &def->ratio));
    if (def->ratio == 0)
        return tl_refuse(place, "ratio", 1, &def->ratio, "it must not be 0");
    if (pulley && def->ratio < 0)
        return tl_refuse(place, "ratio", 1, &def->ratio, "that of a pulley must be > 0");
    TL_TRY(tl_check_finite(place, "anchors[0]", 3, def->anchors[0]));
    TL_TRY(tl_check_finite(place, "anchors[1]", 3, def->anchors[1]));
    if (!(def->break_force > 0))
        return tl_refuse(place, "break_force", 1, &def->break_force, "it must be > 0, or infinity");
    if (!(def->break_torque > 0))
        return tl_refuse(place, "break_torque", 1, &def->break_torque,
                         "it must be > 0, or infinity");
    return TL_OK;
}

/* A record without what the definition points to. */
static tl_joint_rec bare(const tl_joint_def *def)
{
    tl_joint_rec made = {.def = *def};
    for (int i = 0; i < AXES; i++) {
        tl_axis_def *axis = &made.def.axes[i];
        axis->spring_length = 0;
        axis->spring_values = axis->spring_forces = NULL;
        axis->target = (tl_function_def){0};
    }
    return made;
}

tl_status tl_joint_check(const tl_joint_def *def, const tl_joint_context *context,
                         tl_joint_rec *out)
{
    const tl_place place = tl_place_of("joint");
    memset(out, 0, sizeof *out);
    TL_TRY(tl_check_enum(&place, "kind", def->kind, TL_WORDS_JOINT));
    TL_TRY(check_bodies(&place, def, context));
    TL_TRY(check_numbers(&place, def));
    TL_TRY(check_unused(&place, def));
    TL_TRY(check_coupling(&place, def, context));
    tl_joint_rec made = bare(def);
    TL_TRY(check_frames(&place, def, &made));
    const tl_status status = check_axes(&place, def, &made);
    if (status != TL_OK)
        tl_joint_rec_free(&made);
    else
        *out = made;
    return status;
}

tl_status tl_joint_rec_copy(const tl_joint_rec *from, tl_joint_rec *to)
{
    const tl_place place = tl_place_of("joint");
    tl_joint_rec made = bare(&from->def);
    const tl_status status = check_axes(&place, &from->def, &made);
    memset(to, 0, sizeof *to);
    if (status != TL_OK)
        tl_joint_rec_free(&made);
    else
        *to = made;
    return status;
}

void tl_joint_rec_free(tl_joint_rec *joint)
{
    for (int i = 0; i < AXES; i++) {
        const tl_axis_def *axis = &joint->def.axes[i];
        tl_free((double *)axis->spring_values, 2 * axis->spring_length * sizeof(double));
        free_target(&joint->target[i]);
    }
    memset(joint, 0, sizeof *joint);
}

void tl_joints_free(tl_array *joints)
{
    for (size_t i = 0; i < joints->count; i++)
        tl_joint_rec_free((tl_joint_rec *)joints->data + i);
    tl_array_free(joints);
}

tl_status tl_joint_set_drive(tl_joint_rec *joint, uint32_t axis, tl_drive drive,
                             const tl_function_def *target)
{
    const tl_place place = tl_place_of("joint");
    const double number = axis;
    bool locked[AXES];
    if (axis >= AXES)
        return tl_refuse(&place, "axis", 1, &number, "it must be 0 to 5");
    tl_joint_locks(&joint->def, locked);
    if (!has_axis(joint->def.kind, locked, (int)axis))
        return tl_refuse(&place, "axis", 1, &number, "the joint has no such free axis");
    tl_axis_def wanted = free_axis();
    tl_joint_rec made = {.def = {.kind = joint->def.kind}};
    wanted.drive = drive;
    wanted.target = *target;
    TL_TRY(make_motor(&place, (int)axis, &wanted, &made));
    free_target(&joint->target[axis]);
    joint->target[axis] = made.target[axis];
    joint->def.axes[axis].target = made.def.axes[axis].target;
    joint->def.axes[axis].drive = drive;
    return TL_OK;
}

/* --- scenes ---------------------------------------------------------------------------------- */

static int body_kind(const void *owner, tl_body body)
{
    const tl_scene *scene = owner;
    if (body.index < 1 || body.index > scene->list.bodies.count || body.generation != 1)
        return -1;
    return (int)((const tl_body_rec *)scene->list.bodies.data)[body.index - 1].kind;
}

static const tl_joint_rec *joint_of(const void *owner, tl_joint joint)
{
    const tl_scene *scene = owner;
    return joint.index < 1 || joint.index > scene->joints.count
               ? NULL
               : (const tl_joint_rec *)scene->joints.data + joint.index - 1;
}

tl_status tl_scene_add_joint(tl_scene *scene, const tl_joint_def *def, tl_joint *joint)
{
    if (joint)
        *joint = (tl_joint){0};
    if (!scene)
        return tl_refuse_null("scene");
    if (!def)
        return tl_refuse_null("def");
    const tl_joint_context context = {
        .where = "scene", .owner = scene, .body_kind = body_kind, .joint = joint_of};
    const size_t count = scene->joints.count;
    tl_joint_rec made;
    if (count >= TL_MOST_ITEMS)
        return tl_fail(TL_TOO_LARGE, "the scene has %zu joints already, the most there can be",
                       count);
    TL_TRY(tl_joint_check(def, &context, &made));
    const tl_status status = tl_array_append(&scene->joints, &made, 1);
    if (status != TL_OK)
        tl_joint_rec_free(&made);
    else if (joint)
        joint->index = (uint32_t)count + 1;
    return status;
}

size_t tl_scene_joint_count(const tl_scene *scene)
{
    if (scene)
        return scene->joints.count;
    tl_refuse_null("scene");
    return 0;
}

tl_status tl_scene_joint(const tl_scene *scene, tl_joint joint, tl_joint_def *def)
{
    if (!def)
        return tl_refuse_null("def");
    memset(def, 0, sizeof *def);
    if (!scene)
        return tl_refuse_null("scene");
    const tl_joint_rec *record = joint_of(scene, joint);
    if (!record)
        return tl_fail(TL_BAD_HANDLE, "joint: %u is no joint of this scene (it has %zu)",
                       joint.index, scene->joints.count);
    *def = record->def;
    return TL_OK;
}
