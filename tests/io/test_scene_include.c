/* Fragments in files: what they mean, what is said of faults in them, and that the text that is
 * kept needs no file. */
#define _GNU_SOURCE
#include "io/scene_text.h"

#include <sys/stat.h>
#include <unistd.h>

#include "failing.h"
#include "io/folder.h"
#include "io/scene_good.h"

static char folder[64];

/* The path of a file in the folder, until the next call. */
static const char *at(const char *name)
{
    static char path[256];
    return in_folder(path, folder, name);
}

static void write_text(const char *name, const char *text)
{
    char *copy = quoted(text);
    FILE *file = fopen(at(name), "w");
    assert_non_null(file);
    assert_true(fputs(copy, file) >= 0);
    assert_int_equal(fclose(file), 0);
    free(copy);
}

static int set_up(void **state)
{
    (void)state;
    make_folder(folder);
    if (mkdir(at("parts"), 0700))
        return -1;
    write_text("parts/box.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 "
               "3 4\n");
    write_text(
        "parts/wheel.json",
        "{'version': 1, 'parameters': {'r': 0.1}, 'geometries': {'tip': {'hull': 'box.obj',\n"
        "'scale': 0.1}}, 'bodies': [{'name': 'rim', 'position': [0, 0, '=r'],\n"
        "'shapes': [{'kind': 'sphere', 'radius': '=r'}, {'kind': 'hull', 'geometry': 'tip'}]}]}");
    write_text("parts/cart.json",
               "{'version': 1, 'parameters': {'r': 0.2},\n"
               " 'include': [{'file': 'wheel.json', 'name': 'front', 'parameters': {'r': '=r/2'},\n"
               "   'position': [1, 0, 0]}, {'file': 'wheel.json', 'name': 'back'}]}");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_folder(folder);
    return 0;
}

static tl_status read_main(const char *text, size_t count, const char *const *sets,
                           tl_document **document)
{
    write_text("main.json", text);
    return tl_document_read(at("main.json"), count, sets, document);
}

static void assert_says(tl_status status, tl_status wanted, const char *part)
{
    assert_status(status, wanted);
    if (!strstr(tl_last_message(), part))
        fail_msg("said %s, not %s", tl_last_message(), part);
}

static uint64_t run(const tl_document *document)
{
    tl_world *world = NULL;
    assert_ok(tl_world_create(tl_document_scene(document), &world));
    step(world, 20);
    const uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static const char two_carts[] =
    "{'version': 1, 'include': [\n"
    "  {'file': 'parts/cart.json', 'name': 'a', 'position': [0, 5, 0],\n"
    "   'orientation': {'axis': [0, 0, 1], 'angle': 90}},\n"
    "  {'file': 'parts/cart.json', 'name': 'b', 'parameters': {'r': 0.4}}]}";

static void fragments_are_moved_and_named(void **state)
{
    (void)state;
    double x[3], q[4];
    tl_document *d = NULL, *again = NULL;
    assert_ok(read_main(two_carts, 0, NULL, &d));
    const tl_scene *scene = tl_document_scene(d);
    assert_int_equal(tl_scene_body_count(scene), 4);
    const tl_body rim = tl_document_find_body(d, "a.front.rim");
    assert_int_equal(rim.index, 1);
    assert_ok(tl_scene_read_pose(scene, rim, x, q)); /* (1, 0, 0.1) turned to y, then moved */
    assert_near(x[0], 0, 1e-15);
    assert_near(x[1], 6, 1e-15);
    assert_near(x[2], 0.1, 1e-15);
    assert_near(q[3], sqrt(0.5), 1e-15);
    assert_ok(tl_scene_read_pose(scene, tl_document_find_body(d, "b.front.rim"), x, q));
    assert_near(x[0], 1, 0);
    assert_near(x[2], 0.2, 0);
    /* the text that results keep needs no file but that of the mesh */
    size_t length;
    const char *text = tl_document_text(d, &length);
    const uint64_t hash = run(d);
    unlink(at("parts/cart.json"));
    unlink(at("parts/wheel.json"));
    assert_ok(tl_document_parse(at("main.json"), text, length, 0, NULL, &again));
    assert_int_equal(run(again), hash);
    assert_string_equal(tl_document_text(again, NULL), text);
    tl_document_destroy(again);
    tl_document_destroy(d);
}

/* Both sides by hand: a fragment that is turned is what its bodies would be. */
static void a_frame_is_what_it_says(void **state)
{
    (void)state;
    static const char body[] =
        "'bodies': [{'position': [1, 2, 3], 'velocity': [1, 0, 0], 'shapes': "
        "[{'kind': 'box', 'size': [0.1, 0.2, 0.3]}]}]";
    char text[600];
    tl_document *turned = NULL;
    snprintf(text, sizeof text,
             "{'version': 1, 'include': [{'position': [0, 0, 1], 'orientation': {'x': [-1, 0, 0], "
             "'z': [0, 0, 1]}, 'scene': {'version': 1, %s}}]}",
             body);
    assert_ok(read_main(text, 0, NULL, &turned));
    tl_document *plain =
        parse("{'version': 1, 'bodies': [{'position': [-1, -2, 4], 'velocity': [-1, "
              "0, 0], 'orientation': {'x': [-1, 0, 0], 'z': [0, 0, 1]}, 'shapes': "
              "[{'kind': 'box', 'size': [0.1, 0.2, 0.3]}]}]}");
    assert_int_equal(run(turned), run(plain));
    tl_document_destroy(turned);
    tl_document_destroy(plain);
}

static void sets_reach_fragments(void **state)
{
    (void)state;
    static const char *const sets[] = {"b.r=0.6", "include[a].parameters.r=0.8",
                                       "include[b].scene.include[1].parameters.r=0.3"};
    double x[3], q[4];
    tl_document *d = NULL;
    assert_ok(read_main(two_carts, 3, sets, &d));
    const struct {
        const char *name;
        double z;
    } wanted[] = {{"a.front.rim", 0.4}, {"b.front.rim", 0.3}, {"b.back.rim", 0.3}};
    for (size_t i = 0; i < 3; i++) {
        const tl_body body = tl_document_find_body(d, wanted[i].name);
        assert_ok(tl_scene_read_pose(tl_document_scene(d), body, x, q));
        assert_near(x[2], wanted[i].z, 1e-15);
    }
    tl_document_destroy(d);
    static const char *const late[] = {"include[b].scene.parameters.r=3",
                                       "include[b].file=other.json"};
    assert_says(read_main(two_carts, 2, late, &d), TL_BAD_DATA, "the fragment is read already");
    static const char *const unknown[] = {"b.radius=3"};
    assert_says(read_main(two_carts, 1, unknown, &d), TL_BAD_DATA,
                "'radius' is no parameter of the fragment");
}

static void check_refused(const char *text, const char *rest)
{
    tl_document *document = NULL;
    char expected[800];
    size_t used = 0;
    for (const char *c = rest; *c && used + 200 < sizeof expected; c++)
        if (*c == '@')
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%s/", folder);
        else
            expected[used++] = *c;
    expected[used] = 0;
    assert_refused(read_main(text, 0, NULL, &document), TL_BAD_DATA, expected);
    assert_null(document);
}

static void faults_name_both_places(void **state)
{
    (void)state;
    write_text("round.json", "{'version': 1, 'include': [{'file': 'main.json'}]}");
    write_text("broken.json", "{'version': 1,\n 'bodies': [{'mass': -1}]}");
    check_refused("{'version': 1,\n 'include': [{'file': 'broken.json'}]}",
                  "@broken.json:2:22: bodies[0].mass: is -1, expected a number above 0 (kg) "
                  "(included at @main.json:2:14)");
    check_refused("{'version': 1, 'include': [{'file': 'round.json'}]}",
                  "@round.json:1:37: include[0].file: includes a scene that includes this one, "
                  "expected another (included at @main.json:1:28)");
    check_refused("{'version': 1, 'include': [{'file': 'main.json'}]}",
                  "@main.json:1:37: include[0].file: includes a scene that includes this one, "
                  "expected another");
    write_text("broken.json", "{'version': 1,\n 'bodies': [}");
    check_refused("{'version': 1, 'include': [{'file': 'broken.json'}]}",
                  "@broken.json:2:13: found '}', expected a value (included at @main.json:1:28)");
    write_text("broken.json", "{'version': 1, 'bodies': [{'mass': 'x'}]}");
    write_text("round.json", "{'version': 1, 'include': [{'file': 'broken.json'}]}");
    check_refused("{'version': 1,\n'include': [{'file': 'round.json'}]}",
                  "@broken.json:1:36: bodies[0].mass: is \"x\", expected a number above 0 (kg) "
                  "(included at @round.json:1:28, at @main.json:2:13)");
}

/* The last values of the monitors after some steps. */
static void measure(const char *text, uint32_t steps, size_t count, double *values)
{
    tl_world *world = NULL;
    tl_document *d = parse(text);
    assert_ok(tl_world_create(tl_document_scene(d), &world));
    step(world, steps);
    assert_ok(tl_world_read_monitors(world, count, values));
    tl_world_destroy(world);
    tl_document_destroy(d);
}

static void a_jump_counts_from_its_time(void **state)
{
    (void)state;
    double all[5];
    measure("{'version': 1, 'gravity': [0, 0, 0], 'step': 0.0078125, 'settings': {'precision': "
            "'double'}, 'bodies': [{'name': 'a', 'mass': 2, 'shapes': [{'kind': 'sphere', "
            "'radius': 1}]}], 'forces': [{'body': 'a', 'table': [[0, 0, 0, 0, 0, 0, 0], [0, 4, 0, "
            "0, 0, 0, 0], [0.0625, 4, 0, 0, 0, 0, 0], [0.0625, 1, 0, 0, 0, 0, 0]]}], 'monitors': "
            "{'x': {'kind': 'velocity', 'on': 'a', 'axis': [1, 0, 0]}}}",
            16, 5, all);
    assert_near(all[0], 8 * 0.0078125 * (4 + 1) / 2, 1e-15); /* 8 steps with 4 N, 8 with 1 N */
}

/* A slider of 2 kg that a motor pushes with 10 N from rest: its work is its kinetic energy. */
static void a_motor_does_its_work(void **state)
{
    (void)state;
    double values[22];
    measure("{'version': 1, 'gravity': [0, 0, 0], 'step': 0.01, 'settings': {'precision': "
            "'double'}, 'bodies': [{'name': 'a', 'mass': 2, 'shapes': [{'kind': 'sphere', "
            "'radius': 1}]}], 'joints': [{'name': 'rail', 'kind': 'prismatic', 'bodies': "
            "['ground', 'a'], 'at': [0, 0, 0], 'axis': [1, 0, 0], 'motor': {'force': 10}}], "
            "'monitors': {'j': {'kind': 'joint', 'joint': 'rail'}, 'e': {'kind': 'energy', 'on': "
            "'a'}}}",
            100, 22, values);
    assert_near(values[15], 5, 1e-9);            /* m/s after 1 s */
    assert_near(values[19], 0.5 * 2 * 25, 1e-8); /* kinetic */
    /* the rate before the first step is not known: that step counts twice */
    assert_near(values[17], values[19], 0.5 * 10 * 0.05 * 0.01 + 1e-8);
}

static void grains_have_the_mass_given(void **state)
{
    (void)state;
    double values[2];
    measure("{'version': 1, 'fills': [{'name': 'g', 'region': {'kind': 'box', 'low': [0, 0, 0], "
            "'high': [1, 1, 1]}, 'pattern': 'random', 'size': {'kind': 'uniform', 'low': 0.025, "
            "'high': 0.036}, 'count': 40, 'mass': 0.005}], 'monitors': {'m': {'kind': 'amount', "
            "'on': 'g'}}}",
            1, 2, values);
    assert_near(values[0], 40 * 0.005, 1e-12);
    assert_near(values[1], 40, 0);
}

static tl_status read_carts(void)
{
    tl_document *document = NULL;
    const tl_status status = tl_document_read(at("main.json"), 0, NULL, &document);
    tl_document_destroy(document);
    return status;
}

static tl_status parse_fragment(void)
{
    tl_document *document = NULL;
    const tl_status status = parse_sets(scene_include, 0, NULL, &document);
    tl_document_destroy(document);
    return status;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    write_text("main.json", two_carts);
    each_allocation_may_fail(read_carts);
    each_allocation_may_fail(parse_fragment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_is_what_it_says),
        cmocka_unit_test(sets_reach_fragments),
        cmocka_unit_test(faults_name_both_places),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(a_jump_counts_from_its_time),
        cmocka_unit_test(grains_have_the_mass_given),
        cmocka_unit_test(a_motor_does_its_work),
        cmocka_unit_test(fragments_are_moved_and_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
