/* What a scene file says of joints is what the scene has. */
#include "io/scene_text.h"

#include "base/turn.h"
#include "io/scene_good.h"

static tl_joint_def joint(const tl_document *document, uint32_t index)
{
    tl_joint_def def;
    assert_ok(tl_scene_joint(tl_document_scene(document), (tl_joint){index}, &def));
    return def;
}

static void near3(const double *x, double a, double b, double c)
{
    assert_near(x[0], a, 1e-15);
    assert_near(x[1], b, 1e-15);
    assert_near(x[2], c, 1e-15);
}

static void joints_are_those_of_the_file(void **state)
{
    (void)state;
    tl_document *document = parse(scene_joints);
    const tl_scene *scene = tl_document_scene(document);
    assert_int_equal(tl_scene_joint_count(scene), 20);

    const tl_joint_def shoulder = joint(document, 1);
    assert_int_equal(shoulder.kind, TL_JOINT_REVOLUTE);
    assert_int_equal(shoulder.a.index, 1);
    assert_int_equal(shoulder.b.index, 2);
    near3(shoulder.position_a, 1, 0, 0);
    near3(shoulder.position_b, 0, 1, 0); /* the anchor is turned by 90 degrees about z */
    double z[3];
    tl_turn_apply(shoulder.orientation_a, (double[3]){0, 0, 1}, z);
    near3(z, 0, -1, 0);
    tl_turn_apply(shoulder.orientation_b, (double[3]){0, 0, 1}, z);
    near3(z, -1, 0, 0);
    const tl_axis_def *axis = &shoulder.axes[5];
    assert_true(axis->lower == -1 && axis->upper == 1.5 && axis->restitution == 0.5);
    assert_true(axis->friction == 2 && axis->stiffness == 10 && axis->damping == 1);
    assert_true(axis->rest == 0.2 && axis->limit == 50 && shoulder.collide);
    assert_true(shoulder.break_force == 1000 && shoulder.break_torque == 100);
    assert_int_equal(axis->drive, TL_DRIVE_SPEED);
    assert_int_equal(axis->target.kind, TL_FUNCTION_EXPRESSION);
    assert_string_equal(axis->target.expression, "(3)*sin(t)");

    const tl_joint_def wrist = joint(document, 2);
    axis = &wrist.axes[5];
    assert_int_equal(axis->drive, TL_DRIVE_FORCE);
    assert_true(axis->target.kind == TL_FUNCTION_SINE && axis->target.value == 1);
    assert_true(axis->target.amplitude == 2 && axis->target.frequency == 3);
    assert_true(axis->target.phase == 0.5 && axis->limit == INFINITY);
    axis = &wrist.axes[2];
    assert_true(axis->lower == -INFINITY && axis->upper == 0.5 && axis->damping == 4);
    assert_int_equal(axis->spring_length, 3);
    assert_true(axis->spring_values[2] == 1 && axis->spring_forces[0] == -5);
    assert_true(axis->drive == TL_DRIVE_POSITION && axis->target.table_length == 2);
    assert_true(axis->target.times[1] == 2 && axis->target.values[1] == 0.3);

    const tl_joint_def rail = joint(document, 3);
    assert_int_equal(rail.a.index, 0);
    near3(rail.position_a, 3, 0, 1);
    near3(rail.position_b, 0, 0, 0);
    assert_true(rail.axes[2].drive == TL_DRIVE_FORCE && rail.axes[2].target.value == 4);

    const tl_joint_def gear = joint(document, 4), rack = joint(document, 5);
    assert_true(gear.coupled[0].index == 1 && gear.coupled[1].index == 2 && gear.ratio == -2);
    assert_true(rack.coupled[0].index == 1 && rack.coupled[1].index == 3 && rack.ratio == 0.1);

    for (uint32_t k = 0; k < 3; k++) {
        const tl_joint_def link = joint(document, 6 + k);
        assert_int_equal(link.a.index, 4 + k);
        assert_int_equal(link.b.index, 5 + k);
        near3(link.position_a, 0.5, 0, 0);
        near3(link.position_b, -0.5, 0, 0);
    }
    const tl_joint_def rope = joint(document, 14), pulley = joint(document, 17);
    assert_true(rope.rope && rope.length == 2);
    near3(rope.position_b, 0, 0, 1);
    assert_true(pulley.ratio == 2 && pulley.length == 0 && pulley.anchors[1][2] == 5);
    const tl_joint_def generic = joint(document, 18);
    assert_true(generic.locked[0] && generic.locked[5] && !generic.locked[1]);
    assert_true(generic.axes[1].upper == 1);

    const tl_joint_def strut = joint(document, 19), table = joint(document, 20);
    assert_true(strut.axes[0].stiffness == 100 && strut.axes[0].damping == 2 &&
                strut.length == 1.5 && strut.axes[0].lower == 0.5 &&
                strut.axes[0].restitution == 0.2 && strut.axes[0].friction == 1 &&
                strut.axes[0].drive == TL_DRIVE_FORCE && strut.axes[0].target.value == 3);
    assert_true(table.axes[0].spring_length == 3 && table.axes[0].spring_forces[2] == -50);

    /* names, and where they stand */
    char place[256];
    tl_document_describe_joint(document, (tl_joint){7}, place, sizeof place);
    assert_non_null(strstr(place, "joints[5] \"chain\", 2 of 3"));
    tl_document_describe_joint(document, (tl_joint){99}, place, sizeof place);
    assert_string_equal(place, "joint 99");
    assert_string_equal(tl_document_joint_name(document, (tl_joint){2}), "wrist");
    assert_string_equal(tl_document_joint_name(document, (tl_joint){7}), "chain");
    assert_null(tl_document_joint_name(document, (tl_joint){4}));
    assert_string_equal(tl_document_joint_name(document, (tl_joint){19}), "strut");
    assert_null(tl_document_joint_name(document, (tl_joint){21}));
    assert_null(tl_document_joint_name(document, (tl_joint){0}));
    assert_int_equal(tl_document_find_joint(document, "rail").index, 3);
    assert_int_equal(tl_document_find_joint(document, "chain").index, 0);
    assert_int_equal(tl_document_find_joint(document, "arm").index, 0);
    assert_int_equal(tl_document_find_body(document, "rail").index, 0);
    assert_string_equal(tl_document_body_name(document, (tl_body){7, 1}), "links");
    assert_null(tl_document_body_name(document, (tl_body){8, 1}));
    tl_document_destroy(document);
}

/* A body of the name wins over the ground. */
static void ground_may_be_a_body(void **state)
{
    (void)state;
    tl_document *document = parse(
        "{'version': 1, 'bodies': [{'name': 'a', 'shapes': [{'kind': 'sphere', 'radius': 1}]},"
        " {'name': 'ground', 'kind': 'fixed', 'position': [0, 0, 2],"
        " 'shapes': [{'kind': 'plane'}]}],"
        " 'joints': [{'kind': 'fixed', 'bodies': ['a', 'ground'], 'at': [0, 0, 0]}]}");
    const tl_joint_def def = joint(document, 1);
    assert_int_equal(def.b.index, 2);
    near3(def.position_b, 0, 0, -2);
    tl_document_destroy(document);
}

#define LINKS                                                                               \
    "{'version': 1, 'bodies': [{'name': 'a', 'shapes': [{'kind': 'sphere', 'radius': 1}]}," \
    " {'name': 'l', 'repeat': {'count': 3}, 'position': ['=i', 0, 9],"                      \
    " 'shapes': [{'kind': 'sphere', 'radius': 0.1}]}],"

/* Where a channel is, or -1. */
static int channel(const tl_scene *scene, const char *name)
{
    tl_monitor_info info;
    for (size_t i = 0; i < tl_scene_monitor_count(scene); i++) {
        assert_ok(tl_scene_monitor_info(scene, i, &info));
        if (!strcmp(info.name, name))
            return (int)i;
    }
    return -1;
}

/* A monitor of all joints is one of each, with a name that tells which. */
static void monitor_of_all(void **state)
{
    (void)state;
    tl_document *document =
        parse(LINKS " 'joints': [{'name': 'hinge', 'kind': 'revolute', 'bodies': ['ground', 'a'], "
                    "'at': [0, 0, 0]},"
                    " {'name': 'two words', 'kind': 'spherical', 'bodies': ['a', ['l', 0]],"
                    " 'at': [0, 0, 1]},"
                    " {'kind': 'spherical', 'bodies': [['l', 0], ['l', 1]], 'at': [0.5, 0, 9]}],"
                    " 'monitors': {'loads': {'kind': 'joint', 'joint': 'all'}}}");
    const tl_scene *scene = tl_document_scene(document);
    assert_int_equal(channel(scene, "loads_hinge.fx"), 0);
    assert_true(channel(scene, "loads_hinge.rz") > 0);
    assert_true(channel(scene, "loads_2.local_tz") > channel(scene, "loads_hinge.error"));
    assert_true(channel(scene, "loads_3.error") == (int)tl_scene_monitor_count(scene) - 1);
    tl_document_destroy(document);

    document =
        parse(LINKS " 'joints': [{'name': 'all', 'kind': 'revolute', 'bodies': ['ground',"
                    " 'a'], 'at': [0, 0, 0]}, {'kind': 'spherical', 'bodies': ['a', ['l', 0]],"
                    " 'at': [0, 0, 1]}],"
                    " 'monitors': {'loads': {'kind': 'joint', 'joint': 'all'}}}");
    assert_int_equal(channel(tl_document_scene(document), "loads.fx"), 0); /* what is called so */
    assert_int_equal(channel(tl_document_scene(document), "loads_2.fx"), -1);
    tl_document_destroy(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monitor_of_all),
        cmocka_unit_test(joints_are_those_of_the_file),
        cmocka_unit_test(ground_may_be_a_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
