/* Joints of a scene: what is kept of them, what is refused and how, and where frames are placed. */
#include "scene_fixture.h"

#include <stdlib.h>

/* A scene with two dynamic bodies, a fixed one, and three joints: revolute between 1 and 2,
 * prismatic between 1 and the ground, spherical between 2 and the ground. */
enum { GROUND = 0, ONE = 1, TWO = 2, WALL_BODY = 3 };
enum { HINGE = 1, SLIDE = 2, BALL_JOINT = 3 };

static const tl_body body_of[] = {{0, 0}, {1, 1}, {2, 1}, {3, 1}};

static tl_joint_def joint_of(tl_joint_kind kind, int a, int b)
{
    tl_joint_def def = tl_joint_default(kind);
    def.a = body_of[a];
    def.b = body_of[b];
    return def;
}

static tl_scene *jointed(void)
{
    const tl_joint_def joints[] = {joint_of(TL_JOINT_REVOLUTE, ONE, TWO),
                                   joint_of(TL_JOINT_PRISMATIC, ONE, GROUND),
                                   joint_of(TL_JOINT_SPHERICAL, GROUND, TWO)};
    tl_scene *scene = new_scene();
    fixture f;
    tl_joint joint;
    for (int i = 0; i < 3; i++) {
        make_fixture(&f, i < 2 ? BALL : WALL);
        assert_ok(tl_scene_add_bodies(scene, 1, &f.body, NULL));
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_ok(tl_scene_add_joint(scene, &joints[i], &joint));
        assert_int_equal(joint.index, i + 1);
    }
    return scene;
}

static tl_joint_def coupling(tl_joint_kind kind, uint32_t first, uint32_t second)
{
    tl_joint_def def = tl_joint_default(kind);
    def.coupled[0].index = first;
    def.coupled[1].index = second;
    return def;
}

/* Every kind as it is by default is sound. */
static void kinds_are_taken(void **state)
{
    (void)state;
    tl_scene *scene = jointed();
    for (int kind = 0; kind <= TL_JOINT_GENERIC; kind++) {
        const bool couples = kind == TL_JOINT_GEAR || kind == TL_JOINT_RACK;
        tl_joint_def def = couples ? coupling((tl_joint_kind)kind, HINGE, SLIDE)
                                   : joint_of((tl_joint_kind)kind, ONE, WALL_BODY);
        if (kind == TL_JOINT_GEAR) {
            const tl_joint_def roller = joint_of(TL_JOINT_CYLINDRICAL, GROUND, TWO);
            assert_ok(tl_scene_add_joint(scene, &roller, &def.coupled[1]));
        }
        assert_ok(tl_scene_add_joint(scene, &def, NULL));
    }
    assert_int_equal(tl_scene_joint_count(scene), 3 + 16 + 1);
    tl_scene_destroy(scene);
}

/* What cannot be told about is told to lock nothing. */
static void locks_need_a_joint(void **state)
{
    (void)state;
    bool locked[6];
    tl_joint_def def = tl_joint_default(TL_JOINT_FIXED);
    tl_joint_locks(&def, locked);
    for (int i = 0; i < 6; i++)
        assert_true(locked[i]);
    tl_joint_locks(NULL, locked);
    assert_string_equal(tl_last_message(), "def is NULL; it must not be");
    for (int i = 0; i < 6; i++)
        assert_false(locked[i]);
    tl_joint_locks(&def, NULL);
    assert_string_equal(tl_last_message(), "locked is NULL; it must not be");
    memset(locked, 1, sizeof locked);
    def.kind = (tl_joint_kind)99;
    tl_joint_locks(&def, locked);
    for (int i = 0; i < 6; i++)
        assert_false(locked[i]);
}

/* What a joint points to is copied, and given back. */
static void tables_are_copied(void **state)
{
    (void)state;
    double values[3] = {-1, 0, 2}, forces[3] = {-10, 0, 5}, times[2] = {0, 1}, speeds[2] = {3, 5};
    char text[] = "2*t + 1";
    tl_scene *scene = jointed();
    tl_joint_def def = joint_of(TL_JOINT_CYLINDRICAL, TWO, ONE), kept;
    tl_joint joint;
    def.orientation_a[0] = 1 + 5e-7;
    def.axes[2].spring_length = 3;
    def.axes[2].spring_values = values;
    def.axes[2].spring_forces = forces;
    def.axes[2].drive = TL_DRIVE_SPEED;
    def.axes[2].target = (tl_function_def){
        .kind = TL_FUNCTION_TABLE, .table_length = 2, .times = times, .values = speeds};
    def.axes[5].lower = -2;
    def.axes[5].upper = -2;
    def.axes[5].drive = TL_DRIVE_FORCE;
    def.axes[5].target = (tl_function_def){.kind = TL_FUNCTION_EXPRESSION, .expression = text};
    assert_ok(tl_scene_add_joint(scene, &def, &joint));
    assert_int_equal(joint.index, 4);
    memset(values, 0, sizeof values);
    memset(forces, 0, sizeof forces);
    memset(times, 0, sizeof times);
    memset(speeds, 0, sizeof speeds);
    memset(text, '0', sizeof text - 1);

    assert_ok(tl_scene_joint(scene, joint, &kept));
    assert_int_equal(kept.kind, TL_JOINT_CYLINDRICAL);
    assert_int_equal(kept.a.index, TWO);
    assert_int_equal(kept.b.index, ONE);
    assert_true(kept.orientation_a[0] == 1);
    assert_int_equal(kept.axes[2].spring_length, 3);
    assert_true(kept.axes[2].spring_values[2] == 2);
    assert_true(kept.axes[2].spring_forces[0] == -10);
    assert_true(kept.axes[2].target.times[1] == 1);
    assert_true(kept.axes[2].target.values[1] == 5);
    assert_string_equal(kept.axes[5].target.expression, "2*t + 1");
    assert_true(kept.axes[5].lower == -2);
    assert_true(kept.axes[0].upper == INFINITY);

    /* what a scene gives back it takes again, and a copy has tables of its own */
    tl_joint_rec copy;
    const tl_joint_rec *records = scene->joints.data;
    assert_ok(tl_scene_add_joint(scene, &kept, NULL));
    records = scene->joints.data;
    assert_ok(tl_joint_rec_copy(&records[3], &copy));
    assert_true(copy.def.axes[2].spring_values != records[3].def.axes[2].spring_values);
    assert_true(tl_function_at(copy.target[2], 0.5) == 4);
    assert_true(tl_function_at(copy.target[5], 3) == 7);
    tl_joint_rec_free(&copy);
    tl_scene_destroy(scene);
}

static void functions_have_values(void **state)
{
    (void)state;
    tl_function_rec f = {.def = {.value = 3}};
    assert_true(tl_function_at(&f, 7) == 3);
    f.def = (tl_function_def){
        .kind = TL_FUNCTION_SINE, .value = 1, .amplitude = 2, .frequency = 0.25, .phase = 0};
    assert_near(tl_function_at(&f, 1), 3, 1e-15);
    assert_near(tl_function_at(&f, 3), -1, 1e-15);
    const double times[] = {1, 2}, values[] = {10, 30};
    f.def = (tl_function_def){
        .kind = TL_FUNCTION_TABLE, .table_length = 2, .times = times, .values = values};
    assert_true(tl_function_at(&f, 0) == 10);
    assert_true(tl_function_at(&f, 1.5) == 20);
    assert_true(tl_function_at(&f, 9) == 30);
}

/* --- placing --------------------------------------------------------------------------------- */

static void turn(const double q[4], const double v[3], double out[3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 3; i++)
        out[i] = r[3 * i] * v[0] + r[3 * i + 1] * v[1] + r[3 * i + 2] * v[2];
}

/* Where a frame of a body is: its origin, and one of its axes. */
static void in_world(const double *x, const double *q, const double at[3], const double frame[4],
                     int axis, double origin[3], double direction[3])
{
    const double unit[3] = {axis == 0, axis == 1, axis == 2};
    double local[3];
    turn(frame, unit, local);
    turn(q, local, direction);
    turn(q, at, origin);
    for (int k = 0; k < 3; k++)
        origin[k] += x[k];
}

static void frames_meet(void **state)
{
    (void)state;
    const double axes[][3] = {{0, 0, 1},  {0, 0, -1},     {1, 0, 0},    {0, -3, 0},
                              {1, 2, -2}, {1e-200, 0, 0}, {1e-9, 0, -1}};
    const double point[3] = {0.5, -2, 3}, none[3] = {0}, identity[4] = {1, 0, 0, 0};
    const double xa[3] = {1, 2, 3}, xb[3] = {-4, 0, 0.5};
    const double qa[4] = {0.5, 0.5, -0.5, 0.5}, qb[4] = {0.6, 0, 0.8, 0};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        for (int ground = 0; ground < 2; ground++) {
            tl_joint_def def = tl_joint_default(TL_JOINT_REVOLUTE);
            double at[2][3], along[2][3];
            const double *x = ground ? NULL : xb, *q = ground ? NULL : qb;
            assert_ok(tl_joint_place(&def, point, axes[i], xa, qa, x, q));
            const double length = hypot(hypot(axes[i][0], axes[i][1]), axes[i][2]);
            for (int k = 0; k < 3; k++) {
                in_world(xa, qa, def.position_a, def.orientation_a, k, at[0], along[0]);
                in_world(ground ? none : xb, ground ? identity : qb, def.position_b,
                         def.orientation_b, k, at[1], along[1]);
                for (int j = 0; j < 3; j++) {
                    assert_true(fabs(at[0][j] - point[j]) < 1e-14);
                    assert_true(fabs(at[1][j] - point[j]) < 1e-14);
                    assert_true(fabs(along[0][j] - along[1][j]) < 1e-14);
                    assert_true(k < 2 || fabs(along[0][j] - axes[i][j] / length) < 1e-14);
                }
            }
        }
}

static void placing_is_checked(void **state)
{
    (void)state;
    const double at[3] = {0}, z[3] = {0, 0, 1}, bad[3] = {0, NAN, 1}, q[4] = {0};
    tl_joint_def def = tl_joint_default(TL_JOINT_REVOLUTE);
    const tl_joint_def before = def;
    assert_refused(tl_joint_place(&def, at, at, NULL, NULL, NULL, NULL), TL_BAD_ARGUMENT,
                   "axis is (0, 0, 0); it must not be 0");
    assert_refused(tl_joint_place(&def, bad, z, NULL, NULL, NULL, NULL), TL_BAD_ARGUMENT,
                   "point is (0, nan, 1); every component must be finite");
    assert_refused(tl_joint_place(&def, at, bad, NULL, NULL, NULL, NULL), TL_BAD_ARGUMENT,
                   "axis is (0, nan, 1); every component must be finite");
    assert_refused(tl_joint_place(&def, at, z, bad, NULL, NULL, NULL), TL_BAD_ARGUMENT,
                   "position_a is (0, nan, 1); every component must be finite");
    assert_refused(tl_joint_place(&def, at, z, NULL, NULL, at, q), TL_BAD_ARGUMENT,
                   "orientation_b is (0, 0, 0, 0); its norm is 0 and must be 1 within 1e-6");
    assert_refused(tl_joint_place(NULL, at, z, NULL, NULL, NULL, NULL), TL_BAD_ARGUMENT,
                   "def is NULL; it must not be");
    assert_memory_equal(&def, &before, sizeof def);
}

/* --- refusals -------------------------------------------------------------------------------- */

static const double falling[] = {0, 2, 1}, rising[] = {0, 1, 2}, with_nan[] = {0, NAN, 1};

/* Spoils a sound definition in one way; returns what is said of it. */
typedef struct spoil {
    tl_joint_kind kind;
    void (*how)(tl_joint_def *def);
    tl_status status;
    const char *text;
} spoil;

#define SPOIL(name, change)             \
    static void name(tl_joint_def *def) \
    {                                   \
        change;                         \
    }
SPOIL(no_body, def->b = ((tl_body){9, 1}))
SPOIL(stale_body, def->a = ((tl_body){1, 2}))
SPOIL(same_body, def->b = def->a)
SPOIL(only_ground, def->a = def->b = ((tl_body){0}))
SPOIL(none_dynamic, (def->a = ((tl_body){0}), def->b = body_of[WALL_BODY]))
SPOIL(bad_kind, def->kind = (tl_joint_kind)16)
SPOIL(far_away, def->position_a[1] = INFINITY)
SPOIL(zero_turn, def->orientation_b[0] = 0)
SPOIL(long_turn, def->orientation_a[2] = 1)
SPOIL(nan_turn, def->orientation_a[2] = NAN)
SPOIL(crossed, (def->axes[5].lower = 1, def->axes[5].upper = 0.5))
SPOIL(nan_lower, def->axes[5].lower = NAN)
SPOIL(nan_upper, def->axes[5].upper = NAN)
SPOIL(never_lower, def->axes[5].lower = INFINITY)
SPOIL(bouncy, def->axes[5].restitution = 1.5)
SPOIL(no_limit, def->axes[5].limit = -1)
SPOIL(limited_force, (def->axes[5].drive = TL_DRIVE_FORCE, def->axes[5].limit = 2))
SPOIL(soft, def->axes[5].stiffness = -1)
SPOIL(undamped, def->axes[5].damping = NAN)
SPOIL(slippery, def->axes[5].friction = -0.5)
SPOIL(stuck, def->axes[5].friction = 1e300)
SPOIL(below_nothing, (def->axes[0].lower = -2, def->axes[0].upper = -1))
SPOIL(strong, (def->axes[5].drive = TL_DRIVE_FORCE, def->axes[5].target.value = 1e13))
SPOIL(no_rest, def->axes[5].rest = INFINITY)
SPOIL(locked_axis, def->axes[4].stiffness = 10)
SPOIL(locked_nan, def->axes[0].rest = NAN)
SPOIL(axis_of_weld, def->axes[5].friction = 1)
SPOIL(lock_hinge, def->locked[3] = true)
SPOIL(short_spring, def->axes[5].spring_length = 1)
SPOIL(missing_spring, def->axes[5].spring_length = 3)
SPOIL(falling_spring, (def->axes[5].spring_length = 3, def->axes[5].spring_values = falling,
                       def->axes[5].spring_forces = rising))
SPOIL(nan_spring, (def->axes[5].spring_length = 3, def->axes[5].spring_values = rising,
                   def->axes[5].spring_forces = with_nan))
SPOIL(two_springs, (def->axes[5].spring_length = 3, def->axes[5].spring_values = rising,
                    def->axes[5].spring_forces = rising, def->axes[5].stiffness = 4))
SPOIL(resting_table, (def->axes[5].spring_length = 3, def->axes[5].spring_values = rising,
                      def->axes[5].spring_forces = rising, def->axes[5].rest = 4))
SPOIL(bad_drive, def->axes[5].drive = (tl_drive)9)
SPOIL(lost_target, def->axes[5].target.value = 2)
SPOIL(bad_function,
      (def->axes[5].drive = TL_DRIVE_SPEED, def->axes[5].target.kind = (tl_function_kind)4))
SPOIL(nan_target, (def->axes[5].drive = TL_DRIVE_SPEED, def->axes[5].target.value = NAN))
SPOIL(lost_phase, (def->axes[5].drive = TL_DRIVE_SPEED, def->axes[5].target.phase = 1))
SPOIL(backwards, (def->axes[5].drive = TL_DRIVE_SPEED, def->axes[5].target.kind = TL_FUNCTION_SINE,
                  def->axes[5].target.frequency = -1))
SPOIL(no_rows,
      (def->axes[5].drive = TL_DRIVE_POSITION, def->axes[5].target.kind = TL_FUNCTION_TABLE))
SPOIL(falling_rows,
      (def->axes[5].drive = TL_DRIVE_POSITION,
       def->axes[5].target = (tl_function_def){
           .kind = TL_FUNCTION_TABLE, .table_length = 3, .times = falling, .values = rising}))
SPOIL(lost_rows, (def->axes[5].drive = TL_DRIVE_POSITION, def->axes[5].target.table_length = 3))
SPOIL(no_text,
      (def->axes[5].drive = TL_DRIVE_FORCE, def->axes[5].target.kind = TL_FUNCTION_EXPRESSION))
SPOIL(bad_text, (def->axes[5].drive = TL_DRIVE_FORCE,
                 def->axes[5].target = (tl_function_def){.kind = TL_FUNCTION_EXPRESSION,
                                                         .expression = "1 + x"}))
SPOIL(endless_text, (def->axes[5].drive = TL_DRIVE_FORCE,
                     def->axes[5].target = (tl_function_def){.kind = TL_FUNCTION_EXPRESSION,
                                                             .expression = "1/t"}))
SPOIL(lost_text, (def->axes[5].drive = TL_DRIVE_FORCE, def->axes[5].target.expression = "t"))
SPOIL(short_rod, def->length = -1)
SPOIL(roped, def->rope = true)
SPOIL(roped_spring, (def->rope = true, def->axes[0].stiffness = 1))
SPOIL(rested_spring, (def->axes[0].rest = 1, def->axes[0].stiffness = 1))
SPOIL(idle_line, def->axes[0].restitution = 0.5)
SPOIL(no_ratio, def->ratio = 0)
SPOIL(nan_ratio, def->ratio = NAN)
SPOIL(pushing, def->ratio = -2)
SPOIL(anchored, def->anchors[1][2] = 3)
SPOIL(weak, def->break_force = 0)
SPOIL(nan_weak, def->break_torque = NAN)
SPOIL(coupled_hinge, def->coupled[1].index = 1)
SPOIL(with_body, def->a = body_of[ONE])
SPOIL(colliding_gear, (def->coupled[0].index = def->coupled[1].index = 1, def->collide = true))
SPOIL(no_joints, def->coupled[0].index = 0)
SPOIL(later_joint, (def->coupled[0].index = 1, def->coupled[1].index = 4))
SPOIL(same_joint, def->coupled[0].index = def->coupled[1].index = 1)
SPOIL(gear_on_slide, (def->coupled[0].index = 1, def->coupled[1].index = 2))
SPOIL(gear_on_ball, (def->coupled[0].index = 3, def->coupled[1].index = 1))
SPOIL(rack_turned, (def->coupled[0].index = 2, def->coupled[1].index = 1))
SPOIL(rack_on_hinge, def->coupled[0].index = def->coupled[1].index = 1)

#define LATER "it must be one that was added before"
static const spoil spoils[] = {
    {TL_JOINT_REVOLUTE, bad_kind, TL_BAD_ARGUMENT,
     "joint.kind is 16; it must be TL_JOINT_FIXED, TL_JOINT_SPHERICAL, TL_JOINT_REVOLUTE, "
     "TL_JOINT_PRISMATIC, TL_JOINT_CYLINDRICAL, TL_JOINT_PLANAR, TL_JOINT_UNIVERSAL, "
     "TL_JOINT_POINT_ON_LINE, TL_JOINT_POINT_ON_PLANE, TL_JOINT_DISTANCE, "
     "TL_JOINT_REVOLUTE_SPHERICAL, TL_JOINT_GEAR, TL_JOINT_RACK, TL_JOINT_SCREW, TL_JOINT_PULLEY "
     "or TL_JOINT_GENERIC"},
    {TL_JOINT_REVOLUTE, no_body, TL_BAD_HANDLE,
     "joint.b: index 9, generation 1 is no body of this scene"},
    {TL_JOINT_REVOLUTE, stale_body, TL_BAD_HANDLE,
     "joint.a: index 1, generation 2 is no body of this scene"},
    {TL_JOINT_REVOLUTE, same_body, TL_BAD_ARGUMENT, "joint.b is 1; it must be another body than a"},
    {TL_JOINT_REVOLUTE, only_ground, TL_BAD_ARGUMENT,
     "joint.b is 0; a and b must not both be the ground"},
    {TL_JOINT_REVOLUTE, none_dynamic, TL_BAD_ARGUMENT, "joint.b is 3; it or a, 0, must be dynamic"},
    {TL_JOINT_REVOLUTE, far_away, TL_BAD_ARGUMENT,
     "joint.position_a is (0, inf, 0); every component must be finite"},
    {TL_JOINT_REVOLUTE, zero_turn, TL_BAD_ARGUMENT,
     "joint.orientation_b is (0, 0, 0, 0); its norm is 0 and must be 1 within 1e-6"},
    {TL_JOINT_REVOLUTE, long_turn, TL_BAD_ARGUMENT,
     "joint.orientation_a is (1, 0, 1, 0); its norm is 1.4142135623730951 and must be 1 within "
     "1e-6"},
    {TL_JOINT_REVOLUTE, nan_turn, TL_BAD_ARGUMENT,
     "joint.orientation_a is (1, 0, nan, 0); its norm is nan and must be 1 within 1e-6"},
    {TL_JOINT_REVOLUTE, crossed, TL_BAD_ARGUMENT,
     "joint.axes[5].lower, upper is (1, 0.5); the limits cross: lower must not be above upper"},
    {TL_JOINT_REVOLUTE, nan_lower, TL_BAD_ARGUMENT,
     "joint.axes[5].lower is nan; it must be finite or -infinity"},
    {TL_JOINT_REVOLUTE, nan_upper, TL_BAD_ARGUMENT,
     "joint.axes[5].upper is nan; it must be finite or infinity"},
    {TL_JOINT_REVOLUTE, never_lower, TL_BAD_ARGUMENT,
     "joint.axes[5].lower is inf; it must be finite or -infinity"},
    {TL_JOINT_REVOLUTE, bouncy, TL_BAD_ARGUMENT,
     "joint.axes[5].restitution is 1.5; it must be 0 to 1"},
    {TL_JOINT_REVOLUTE, no_limit, TL_BAD_ARGUMENT,
     "joint.axes[5].limit is -1; it must be >= 0, or infinity"},
    {TL_JOINT_REVOLUTE, limited_force, TL_BAD_ARGUMENT,
     "joint.axes[5].limit is 2; a motor of a given force has none: it must be infinity"},
    {TL_JOINT_REVOLUTE, soft, TL_BAD_ARGUMENT,
     "joint.axes[5].stiffness is -1; it must be >= 0 and below 1e300"},
    {TL_JOINT_REVOLUTE, undamped, TL_BAD_ARGUMENT,
     "joint.axes[5].damping is nan; it must be >= 0 and below 1e300"},
    {TL_JOINT_REVOLUTE, slippery, TL_BAD_ARGUMENT,
     "joint.axes[5].friction is -0.5; it must be >= 0 and below 1e300"},
    {TL_JOINT_REVOLUTE, stuck, TL_BAD_ARGUMENT,
     "joint.axes[5].friction is 1e+300; it must be >= 0 and below 1e300"},
    {TL_JOINT_DISTANCE, below_nothing, TL_BAD_ARGUMENT,
     "joint.axes[0].upper is -1; no distance is below 0: it must be >= 0, or infinity"},
    {TL_JOINT_REVOLUTE, strong, TL_BAD_ARGUMENT,
     "joint.axes[5].target.value is 1e+13; it must be below 1e+12 in amount"},
    {TL_JOINT_REVOLUTE, no_rest, TL_BAD_ARGUMENT, "joint.axes[5].rest is inf; it must be finite"},
    {TL_JOINT_REVOLUTE, locked_axis, TL_BAD_ARGUMENT,
     "joint.axes[4] is set; the joint locks this axis: it must be as by default"},
    {TL_JOINT_REVOLUTE, locked_nan, TL_BAD_ARGUMENT,
     "joint.axes[0] is set; the joint locks this axis: it must be as by default"},
    {TL_JOINT_DISTANCE, axis_of_weld, TL_BAD_ARGUMENT,
     "joint.axes[5] is set; joints of this kind have the first axis alone: it must be as by "
     "default"},
    {TL_JOINT_PULLEY, axis_of_weld, TL_BAD_ARGUMENT,
     "joint.axes[5] is set; joints of this kind have no free axes: it must be as by default"},
    {TL_JOINT_DISTANCE, roped_spring, TL_BAD_ARGUMENT,
     "joint.rope is true; with axes[0] set it must be false: axes[0].upper is the most"},
    {TL_JOINT_DISTANCE, rested_spring, TL_BAD_ARGUMENT,
     "joint.axes[0].rest is 1; it must be 0: `length` is where the spring is at rest"},
    {TL_JOINT_DISTANCE, idle_line, TL_BAD_ARGUMENT,
     "joint.axes[0] is set; nothing acts along it: it must have limits, friction, a spring, a "
     "damper or a drive"},
    {TL_JOINT_REVOLUTE, lock_hinge, TL_BAD_ARGUMENT,
     "joint.locked[3] is true; it is for joints of kind generic alone"},
    {TL_JOINT_REVOLUTE, short_spring, TL_BAD_ARGUMENT,
     "joint.axes[5].spring_length is 1; it must be 0 (no table) or >= 2"},
    {TL_JOINT_REVOLUTE, missing_spring, TL_BAD_ARGUMENT,
     "joint.axes[5].spring_values is NULL; it must point to the table's coordinates"},
    {TL_JOINT_REVOLUTE, falling_spring, TL_BAD_ARGUMENT,
     "joint.axes[5].spring_values[1..2] is (2, 1); coordinates must increase strictly"},
    {TL_JOINT_REVOLUTE, nan_spring, TL_BAD_ARGUMENT,
     "joint.axes[5].spring_forces[1] is nan; it must be finite"},
    {TL_JOINT_REVOLUTE, two_springs, TL_BAD_ARGUMENT,
     "joint.axes[5].stiffness is 4; with a table of the spring it must be 0"},
    {TL_JOINT_REVOLUTE, resting_table, TL_BAD_ARGUMENT,
     "joint.axes[5].rest is 4; with a table of the spring it must be 0"},
    {TL_JOINT_REVOLUTE, bad_drive, TL_BAD_ARGUMENT,
     "joint.axes[5].drive is 9; it must be TL_DRIVE_NONE, TL_DRIVE_SPEED, TL_DRIVE_POSITION or "
     "TL_DRIVE_FORCE"},
    {TL_JOINT_REVOLUTE, lost_target, TL_BAD_ARGUMENT,
     "joint.axes[5].target is set; an axis without a drive has none"},
    {TL_JOINT_REVOLUTE, bad_function, TL_BAD_ARGUMENT,
     "joint.axes[5].target.kind is 4; it must be TL_FUNCTION_CONSTANT, TL_FUNCTION_SINE, "
     "TL_FUNCTION_TABLE or TL_FUNCTION_EXPRESSION"},
    {TL_JOINT_REVOLUTE, nan_target, TL_BAD_ARGUMENT,
     "joint.axes[5].target.value is nan; it must be finite"},
    {TL_JOINT_REVOLUTE, lost_phase, TL_BAD_ARGUMENT,
     "joint.axes[5].target.phase is 1; a function of this kind has none: it must be 0"},
    {TL_JOINT_REVOLUTE, backwards, TL_BAD_ARGUMENT,
     "joint.axes[5].target.frequency is -1; it must be >= 0"},
    {TL_JOINT_REVOLUTE, no_rows, TL_BAD_ARGUMENT,
     "joint.axes[5].target.table_length is 0; it must be >= 1"},
    {TL_JOINT_REVOLUTE, falling_rows, TL_BAD_ARGUMENT,
     "joint.axes[5].target.times[1..2] is (2, 1); times must increase; two of them may be equal"},
    {TL_JOINT_REVOLUTE, lost_rows, TL_BAD_ARGUMENT,
     "joint.axes[5].target.table_length is 3; a function of this kind has none: it must be 0"},
    {TL_JOINT_REVOLUTE, no_text, TL_BAD_ARGUMENT,
     "joint.axes[5].target.expression is NULL; it must be a text"},
    {TL_JOINT_REVOLUTE, bad_text, TL_BAD_ARGUMENT, NULL},
    {TL_JOINT_REVOLUTE, endless_text, TL_BAD_ARGUMENT,
     "joint.axes[5].target.expression is 1/t; it gives inf at t = 0; it must be finite"},
    {TL_JOINT_REVOLUTE, lost_text, TL_BAD_ARGUMENT,
     "joint.axes[5].target.expression is t; a function of this kind has none: it must be NULL"},
    {TL_JOINT_DISTANCE, short_rod, TL_BAD_ARGUMENT,
     "joint.length is -1; it must be > 0, or 0: as it is at the start"},
    {TL_JOINT_REVOLUTE, roped, TL_BAD_ARGUMENT,
     "joint.rope is true; it is for joints of the kinds distance and pulley alone"},
    {TL_JOINT_REVOLUTE_SPHERICAL, roped, TL_BAD_ARGUMENT,
     "joint.rope is true; it is for joints of the kinds distance and pulley alone"},
    {TL_JOINT_SCREW, no_ratio, TL_BAD_ARGUMENT, "joint.ratio is 0; it must not be 0"},
    {TL_JOINT_SCREW, nan_ratio, TL_BAD_ARGUMENT, "joint.ratio is nan; it must be finite"},
    {TL_JOINT_REVOLUTE, pushing, TL_BAD_ARGUMENT,
     "joint.ratio is -2; joints of this kind have none: it must be 1"},
    {TL_JOINT_PULLEY, pushing, TL_BAD_ARGUMENT, "joint.ratio is -2; that of a pulley must be > 0"},
    {TL_JOINT_DISTANCE, anchored, TL_BAD_ARGUMENT,
     "joint.anchors[1] is (0, 0, 3); it is for joints of kind pulley alone"},
    {TL_JOINT_REVOLUTE, weak, TL_BAD_ARGUMENT,
     "joint.break_force is 0; it must be > 0, or infinity"},
    {TL_JOINT_REVOLUTE, nan_weak, TL_BAD_ARGUMENT,
     "joint.break_torque is nan; it must be > 0, or infinity"},
    {TL_JOINT_REVOLUTE, coupled_hinge, TL_BAD_ARGUMENT,
     "joint.coupled[1] is 1; joints of this kind couple none: it must be 0"},
    {TL_JOINT_GEAR, with_body, TL_BAD_ARGUMENT,
     "joint.a is 1; joints of this kind have no bodies: those of `coupled` have"},
    {TL_JOINT_GEAR, colliding_gear, TL_BAD_ARGUMENT,
     "joint.collide is true; joints of this kind have no bodies: it must be false"},
    {TL_JOINT_GEAR, no_joints, TL_BAD_HANDLE,
     "joint.coupled[0]: 0 is no joint of this scene; " LATER},
    {TL_JOINT_GEAR, later_joint, TL_BAD_HANDLE,
     "joint.coupled[1]: 4 is no joint of this scene; " LATER},
    {TL_JOINT_GEAR, same_joint, TL_BAD_ARGUMENT,
     "joint.coupled[1] is 1; it must be another joint than the first"},
    {TL_JOINT_GEAR, gear_on_slide, TL_BAD_ARGUMENT,
     "joint.coupled[1]: 2 is prismatic; it must be revolute or cylindrical"},
    {TL_JOINT_GEAR, gear_on_ball, TL_BAD_ARGUMENT,
     "joint.coupled[0]: 3 is spherical; it must be revolute or cylindrical"},
    {TL_JOINT_RACK, rack_turned, TL_BAD_ARGUMENT,
     "joint.coupled[0]: 2 is prismatic; it must be revolute"},
    {TL_JOINT_RACK, rack_on_hinge, TL_BAD_ARGUMENT,
     "joint.coupled[1]: 1 is revolute; it must be prismatic"},
};

static void bad_joints_are_refused(void **state)
{
    (void)state;
    tl_scene *scene = jointed();
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        const spoil *s = &spoils[i];
        const bool couples = s->kind == TL_JOINT_GEAR || s->kind == TL_JOINT_RACK;
        tl_joint_def def = couples ? tl_joint_default(s->kind) : joint_of(s->kind, ONE, TWO);
        tl_joint joint = {7};
        s->how(&def);
        const tl_status status = tl_scene_add_joint(scene, &def, &joint);
        assert_string_equal(tl_status_name(status), tl_status_name(s->status));
        if (s->text)
            assert_string_equal(tl_last_message(), s->text);
        else
            assert_non_null(strstr(tl_last_message(), "joint.axes[5].target.expression is 1 + x"));
        assert_int_equal(joint.index, 0);
        assert_int_equal(tl_scene_joint_count(scene), 3);
    }
    tl_joint_def def = joint_of(TL_JOINT_FIXED, ONE, TWO);
    assert_refused(tl_scene_add_joint(NULL, &def, NULL), TL_BAD_ARGUMENT,
                   "scene is NULL; it must not be");
    assert_refused(tl_scene_add_joint(scene, NULL, NULL), TL_BAD_ARGUMENT,
                   "def is NULL; it must not be");
    assert_refused(tl_scene_joint(scene, (tl_joint){4}, &def), TL_BAD_HANDLE,
                   "joint: 4 is no joint of this scene (it has 3)");
    assert_int_equal(def.a.index, 0);
    tl_scene_destroy(scene);
}

/* --- motors that are set later --------------------------------------------------------------- */

static void drives_are_set(void **state)
{
    (void)state;
    tl_scene *scene = jointed();
    tl_joint_rec *hinge = (tl_joint_rec *)scene->joints.data + HINGE - 1;
    const tl_function_def text = {.kind = TL_FUNCTION_EXPRESSION, .expression = "3*t"};
    const tl_function_def bad = {.kind = TL_FUNCTION_EXPRESSION, .expression = "3*"};
    const tl_function_def none = {0}, two = {.value = 2};
    assert_ok(tl_joint_set_drive(hinge, 5, TL_DRIVE_SPEED, &text));
    assert_true(tl_function_at(hinge->target[5], 2) == 6);
    assert_int_equal(hinge->def.axes[5].drive, TL_DRIVE_SPEED);
    assert_int_equal(tl_joint_set_drive(hinge, 5, TL_DRIVE_FORCE, &bad), TL_BAD_ARGUMENT);
    assert_true(tl_function_at(hinge->target[5], 2) == 6);
    assert_ok(tl_joint_set_drive(hinge, 5, TL_DRIVE_POSITION, &two));
    assert_true(tl_function_at(hinge->target[5], 2) == 2);
    assert_ok(tl_joint_set_drive(hinge, 5, TL_DRIVE_NONE, &none));
    assert_null(hinge->target[5]);
    assert_refused(tl_joint_set_drive(hinge, 4, TL_DRIVE_SPEED, &two), TL_BAD_ARGUMENT,
                   "joint.axis is 4; the joint has no such free axis");
    assert_refused(tl_joint_set_drive(hinge, 6, TL_DRIVE_SPEED, &two), TL_BAD_ARGUMENT,
                   "joint.axis is 6; it must be 0 to 5");
    tl_scene_destroy(scene);
}

/* --- memory ---------------------------------------------------------------------------------- */

static long allocations_left;

static void *scarce(size_t bytes, void *user)
{
    (void)user;
    return allocations_left-- > 0 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
}

static void release(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(memory);
}

/* Each allocation fails in turn; the scene is as it was, and in the end the joint is in. */
static void memory_may_fail(void **state)
{
    (void)state;
    const tl_allocator allocator = {scarce, release, NULL};
    const double values[2] = {0, 1};
    tl_set_allocator(&allocator);
    for (long n = 0;; n++) {
        allocations_left = 1000;
        tl_scene *scene = jointed();
        tl_joint_def def = joint_of(TL_JOINT_CYLINDRICAL, ONE, TWO);
        def.axes[2].spring_length = 2;
        def.axes[2].spring_values = def.axes[2].spring_forces = values;
        def.axes[5].drive = def.axes[2].drive = TL_DRIVE_SPEED;
        def.axes[5].target =
            (tl_function_def){.kind = TL_FUNCTION_EXPRESSION, .expression = "t + sin(2*t)"};
        def.axes[2].target = (tl_function_def){
            .kind = TL_FUNCTION_TABLE, .table_length = 2, .times = values, .values = values};
        tl_joint_rec copy;
        allocations_left = n;
        tl_status status = tl_scene_add_joint(scene, &def, NULL);
        assert_int_equal(tl_scene_joint_count(scene), status == TL_OK ? 4 : 3);
        if (status == TL_OK) {
            status = tl_joint_rec_copy((tl_joint_rec *)scene->joints.data + 3, &copy);
            tl_joint_rec_free(&copy);
        }
        tl_scene_destroy(scene);
        if (status == TL_OK)
            break;
        assert_int_equal(status, TL_NO_MEMORY);
        assert_true(n < 100);
    }
    tl_set_allocator(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_taken),       cmocka_unit_test(tables_are_copied),
        cmocka_unit_test(functions_have_values), cmocka_unit_test(frames_meet),
        cmocka_unit_test(placing_is_checked),    cmocka_unit_test(bad_joints_are_refused),
        cmocka_unit_test(drives_are_set),        cmocka_unit_test(memory_may_fail),
        cmocka_unit_test(locks_need_a_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
