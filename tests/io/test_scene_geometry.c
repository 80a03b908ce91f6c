/* Geometries of scene files: hulls from points and from meshes, meshes and height fields, by files
 * that stand beside the scene; what is wrong with such a file, told at the value that names it. */
#define _GNU_SOURCE
#include "io/folder.h"
#include "io/scene_text.h"

#include <sys/stat.h>
#include <unistd.h>

#include "scene/scene.h"

static char folder[64], path[256];

static const char *at(const char *name)
{
    return in_folder(path, folder, name);
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(at(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A box of 2 x 4 x 6 about the origin, in some unit. */
static const char box_obj[] =
    "v -1 -2 -3\nv 1 -2 -3\nv 1 2 -3\nv -1 2 -3\nv -1 -2 3\nv 1 -2 3\nv 1 2 3\nv -1 2 3\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static int set_up(void **state)
{
    (void)state;
    make_folder(folder);
    write_text("box.obj", box_obj);
    write_text("bad.obj", "v 0 0 0\nv 1 0 zero\n");
    write_text("hill.txt", "0 0.5, 1\n0.25 0.75 -1e-1\n");
    write_text("short.txt", "0 1 2\n3");
    write_text("long.txt", "0 1 2\n3 4 5 6");
    write_text("words.txt", "0 1 2\n3 x 5");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_folder(folder);
    return 0;
}

static tl_status read_scene(const char *text, tl_document **document)
{
    char *copy = quoted(text);
    write_text("s.json", copy);
    free(copy);
    return tl_document_read(at("s.json"), 0, NULL, document);
}

/* Refused with "FOLDER/s.json" and the rest of the message, in which %s is the folder. */
static void check_refused(const char *text, const char *rest)
{
    tl_document *document = NULL;
    char expected[600];
    const int used = snprintf(expected, sizeof expected, "%s/s.json", folder);
    snprintf(expected + used, sizeof expected - (size_t)used, rest, folder);
    assert_refused(read_scene(text, &document), TL_BAD_DATA, expected);
    assert_null(document);
}

static void files_stand_beside_the_scene(void **state)
{
    tl_document *document = NULL;
    (void)state;
    assert_ok(
        read_scene("{'version': 1, 'geometries': {'h': {'hull': 'box.obj', 'scale': 0.1},\n"
                   "  'm': {'mesh': 'box.obj', 'scale': 0.01}, 'g': {'heights': {'columns': 3,"
                   "  'rows': 2, 'spacing': [0.5, 0.25], 'values': 'hill.txt'}},\n"
                   "  'w': {'heights': {'columns': 2, 'rows': 2, 'spacing': 1,\n"
                   "  'values': [0, '=1/2', 0, 1]}}}, 'bodies': [\n"
                   "  {'shapes': [{'kind': 'hull', 'geometry': 'h'}]},\n"
                   "  {'kind': 'fixed', 'shapes': [{'kind': 'mesh', 'geometry': 'm'},\n"
                   "  {'kind': 'heights', 'geometry': 'g'}, {'kind': 'heights', 'geometry':\n"
                   "  'w'}]}]}",
                   &document));
    assert_int_equal(tl_scene_body_count(tl_document_scene(document)), 2);
    tl_document_destroy(document);
}

static void faults_are_told_at_the_name(void **state)
{
    (void)state;
    check_refused("{'version': 1,\n'geometries': {'h': {'hull': 'none.stl'}}}",
                  ":2:30: geometries.h.hull: %s/none.stl: cannot be opened: No such file or "
                  "directory");
    check_refused(
        "{'version': 1,\n'geometries': {'h': {'mesh': 'bad.obj'}}}",
        ":2:30: geometries.h.mesh: %s/bad.obj:2: a coordinate is 'zero', expected 3 numbers, "
        "of which this is the 3.");
#define HEIGHTS(file)                                                                           \
    "{'version': 1,\n'geometries': {'g': {'heights': {'columns': 3, 'rows': 2, 'spacing': 1,\n" \
    "'values': '" file "'}}}}"
    check_refused(HEIGHTS("short.txt"), ":3:11: geometries.g.heights.values: %s/short.txt has 4 "
                                        "heights, expected columns x rows: 6");
    check_refused(HEIGHTS("long.txt"),
                  ":3:11: geometries.g.heights.values: %s/long.txt:2: has more "
                  "than 6 heights, expected columns x rows");
    check_refused(HEIGHTS("words.txt"), ":3:11: geometries.g.heights.values: %s/words.txt:2: 'x 5' "
                                        "is no height, expected a number (m)");
}

/* Spheres of 0.1 on a grid, over a slope z = x / 2 and into a mesh box of 2 x 4 x 6: what would be
 * in the ground or in the surface is left out, what lies inside of the surface is not. */
static void fills_keep_off_surfaces(void **state)
{
    tl_document *document = NULL;
    (void)state;
    assert_ok(
        read_scene("{'version': 1, 'geometries': {'m': {'mesh': 'box.obj'}, 'g': {'heights':\n"
                   "  {'columns': 2, 'rows': 2, 'spacing': 2, 'values': [0, 1, 0, 1]}}},\n"
                   "  'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'heights',\n"
                   "  'geometry': 'g'}]}, {'kind': 'fixed', 'position': [10, 0, 0],\n"
                   "  'shapes': [{'kind': 'mesh', 'geometry': 'm'}]}], 'fills': [\n"
                   "  {'region': {'kind': 'box', 'low': [0, 0, -1], 'high': [2, 2, 2]},\n"
                   "   'radius': 0.1}, {'region': {'kind': 'box', 'low': [8.03, -1, -1],\n"
                   "   'high': [12, 1, 1]}, 'radius': 0.1}]}",
                   &document));
    const tl_scene *scene = tl_document_scene(document);
    const tl_body_rec *bodies = scene->list.bodies.data;
    size_t above = 0, inside = 0, outside = 0;
    for (size_t i = 2; i < scene->list.bodies.count; i++) {
        const double *x = bodies[i].position;
        if (x[0] < 5) {
            assert_above((x[2] - x[0] / 2) / sqrt(1.25), 0.1 - 1e-9);
            above++;
        } else {
            assert_above(fabs(fabs(x[0] - 10) - 1), 0.1 - 1e-9);
            inside += fabs(x[0] - 10) < 1;
            outside += fabs(x[0] - 10) > 1;
        }
    }
    assert_true(above > 600 && above < 800 && inside >= 800 && outside >= 800);
    tl_document_destroy(document);
}

/* A result that lies elsewhere, of a scene whose files are gone: the scene it holds has the same
 * geometries, and the run goes on from there as if nothing had happened. */
static void results_keep_geometries(void **state)
{
    (void)state;
    static const char text[] =
        "{'version': '1.1', 'step': 0.005, 'duration': 1, 'geometries': {\n"
        "  'tray': {'mesh': 'box.obj', 'scale': 0.5},\n"
        "  'hill': {'heights': {'columns': 3, 'rows': 2, 'spacing': 0.5, 'values': 'hill.txt'}},\n"
        "  'stone': {'hull': 'box.obj', 'scale': 0.05}},\n"
        " 'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'mesh', 'geometry': 'tray'}]},\n"
        "  {'kind': 'fixed', 'position': [9, 0, 0], 'shapes': [{'kind': 'heights',\n"
        "    'geometry': 'hill'}]},\n"
        "  {'position': [0, 0, 1.7], 'shapes': [{'kind': 'hull', 'geometry': 'stone'}]}],\n"
        " 'emitters': [{'region': {'kind': 'box', 'low': [-0.5, -0.5, 2], 'high': [0.5, 0.5, 3]},\n"
        "   'rate': 50, 'templates': [{'shapes': [{'kind': 'hull', 'geometry': 'stone'}]}]}]}";
    char first[80], other[80], from[300], to[160], there[400];
    tl_document *document, *again = NULL;
    tl_recorder *recorder = NULL;
    tl_world *world;
    assert_status(read_scene(text, &document), TL_OK);
    assert_ok(tl_world_create(tl_document_scene(document), &world));
    snprintf(first, sizeof first, "%s/first", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(mkdir(first, 0700), 0);
    assert_int_equal(mkdir(other, 0700), 0);
    snprintf(from, sizeof from, "%s/run.h5", first);
    snprintf(to, sizeof to, "%s/run.h5", other);
    const tl_record_def record = tl_record_default();
    assert_ok(tl_recorder_create(from, true, document, world, &record, NULL, &recorder));
    for (int i = 0; i < 20; i++) {
        tl_report report;
        assert_ok(tl_world_step(world, 1, &report));
        assert_ok(tl_recorder_step(recorder, world, &report));
    }
    assert_ok(tl_recorder_close(recorder, world));
    tl_document_destroy(document);
    assert_int_equal(rename(from, to), 0);
    snprintf(there, sizeof there, "%s.checkpoint", from);
    snprintf(from, sizeof from, "%s.checkpoint", to);
    assert_int_equal(rename(there, from), 0);
    assert_int_equal(rename(at("box.obj"), (snprintf(there, sizeof there, "%s/b", folder), there)),
                     0);

    tl_world *resumed = NULL;
    assert_ok(tl_recorder_resume(to, TL_BACKEND_CPU, 1, &recorder, &again, &resumed));
    assert_ok(tl_world_step(world, 20, NULL));
    assert_ok(tl_world_step(resumed, 20, NULL));
    assert_true(tl_world_hash(world) == tl_world_hash(resumed));
    const tl_scene *scene = tl_document_scene(again);
    const tl_geometry_rec *g = scene->geometries.data;
    assert_int_equal(scene->geometries.count, 3);
    assert_true(g[0].kind == TL_MESH && g[1].kind == TL_HEIGHTS && g[2].kind == TL_HULL);
    assert_near(g[0].volume, 6, 1e-12);
    assert_near(g[2].volume, 0.1 * 0.2 * 0.3, 1e-15);
    assert_true(((const double *)g[1].numbers.data)[2 + 5] == -0.1);
    assert_true(tl_recorder_close(recorder, resumed) <= 0);
    tl_world_destroy(resumed);
    tl_document_destroy(again);
    assert_int_equal(rename(there, at("box.obj")), 0);
    tl_world_destroy(world);
    unlink(to);
    unlink(from);
    rmdir(first);
    rmdir(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_stand_beside_the_scene),
        cmocka_unit_test(faults_are_told_at_the_name),
        cmocka_unit_test(fills_keep_off_surfaces),
        cmocka_unit_test(results_keep_geometries),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
