/* Results of worlds in which meshes move: the convex pieces that stand for them are in the file,
 * and opening it takes those, without splitting the meshes again. */
#define _GNU_SOURCE
#include "io/result_scene.h"

#include <hdf5.h>

static char folder[64];

static int setup(void **state)
{
    (void)state;
    make_folder(folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    remove_folder(folder);
    return 0;
}

/* The prism over an L, as a file that is gone when the result is opened. */
static void write_mesh(const char *path)
{
    static const double corner[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const int lid[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int z = 0; z < 2; z++)
        for (int i = 0; i < 6; i++)
            fprintf(file, "v %g %g %d\n", 0.1 * corner[i][0], 0.1 * corner[i][1], z);
    for (int i = 0; i < 4; i++) {
        fprintf(file, "f %d %d %d\n", lid[i][2] + 1, lid[i][1] + 1, lid[i][0] + 1);
        fprintf(file, "f %d %d %d\n", lid[i][0] + 7, lid[i][1] + 7, lid[i][2] + 7);
    }
    for (int i = 0; i < 6; i++) {
        const int k = (i + 1) % 6;
        fprintf(file, "f %d %d %d\nf %d %d %d\n", i + 1, k + 1, k + 7, i + 1, k + 7, i + 7);
    }
    assert_int_equal(fclose(file), 0);
}

/* `late` is split when a body has it, after `early`, though it comes first. */
static const char split_text[] =
    "{\"version\": \"1.1\", \"step\": 0.005, \"geometries\": {\n"
    "  \"late\": {\"mesh\": \"l.obj\"},\n"
    "  \"early\": {\"mesh\": \"l.obj\", \"scale\": 2, \"convex\": {\"tolerance\": 0.02}},\n"
    "  \"fixed\": {\"mesh\": \"l.obj\"}},\n"
    " \"bodies\": [{\"position\": [0, 0, 3], \"shapes\": [{\"kind\": \"mesh\", \"geometry\": "
    "\"late\"}]},\n"
    "  {\"position\": [2, 0, 3], \"shapes\": [{\"kind\": \"mesh\", \"geometry\": \"early\"}]},\n"
    "  {\"kind\": \"fixed\", \"position\": [4, 0, 0], \"shapes\": [{\"kind\": \"mesh\", "
    "\"geometry\": \"fixed\"}]}]}";

/* Runs the scene, and leaves its result and the world. */
static tl_world *record(const char *path)
{
    char name[256], mesh[256];
    tl_document *document = NULL;
    tl_recorder *recorder = NULL;
    tl_world *world = NULL;
    in_folder(name, folder, "scene.json");
    in_folder(mesh, folder, "l.obj");
    write_mesh(mesh);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(split_text, file);
    assert_int_equal(fclose(file), 0);
    assert_ok(tl_document_read(name, 0, NULL, &document));
    assert_ok(tl_world_create(tl_document_scene(document), &world));
    const tl_record_def how = tl_document_record(document);
    assert_ok(tl_recorder_create(path, true, document, world, &how, NULL, &recorder));
    for (int i = 0; i < 3; i++) {
        const tl_report report = step_report(world, 1);
        assert_ok(tl_recorder_step(recorder, world, &report));
    }
    assert_ok(tl_recorder_close(recorder, world));
    tl_document_destroy(document);
    remove(mesh);
    return world;
}

/* The world that the scene of a result makes. */
static tl_world *open_again(const char *path)
{
    tl_result *result = NULL;
    tl_document *document = NULL;
    tl_world *world = NULL;
    assert_ok(tl_result_open(path, &result));
    assert_ok(tl_result_document(result, &document));
    assert_ok(tl_world_create(tl_document_scene(document), &world));
    tl_document_destroy(document);
    tl_result_close(result);
    return world;
}

static void same_pieces(const tl_world *a, const tl_world *b)
{
    assert_int_equal(tl_world_geometry_count(a), tl_world_geometry_count(b));
    for (uint32_t i = 1; i <= tl_world_geometry_count(a); i++) {
        tl_geometry_info g, same;
        tl_pieces_info pieces, others;
        tl_geometry first, other;
        assert_ok(tl_world_geometry(a, (tl_geometry){i}, &g));
        assert_ok(tl_world_geometry(b, (tl_geometry){i}, &same));
        assert_true(g.kind == same.kind && g.vertex_count == same.vertex_count);
        assert_memory_equal(g.vertices, same.vertices, 3 * g.vertex_count * sizeof(double));
        assert_ok(tl_world_pieces(a, (tl_geometry){i}, &pieces, &first));
        assert_ok(tl_world_pieces(b, (tl_geometry){i}, &others, &other));
        assert_int_equal(first.index, other.index);
        assert_memory_equal(&pieces, &others, sizeof pieces);
    }
}

static void test_same(void **state)
{
    char path[256];
    tl_pieces_info pieces;
    tl_geometry early, late, none;
    (void)state;
    in_folder(path, folder, "same.h5");
    tl_world *world = record(path), *again = open_again(path);
    assert_ok(tl_world_pieces(world, (tl_geometry){1}, &pieces, &late));
    assert_true(pieces.count >= 2 && pieces.tolerance > 0);
    assert_ok(tl_world_pieces(world, (tl_geometry){2}, &pieces, &early));
    assert_true(pieces.count >= 2 && early.index == 4 && late.index > early.index);
    assert_ok(tl_world_pieces(world, (tl_geometry){3}, &pieces, &none));
    assert_true(pieces.count == 0 && none.index == 0);
    same_pieces(world, again);
    tl_world_destroy(again);
    tl_world_destroy(world);
}

/* Vertices of a piece that were moved in the file are where they were moved to: it is the file's
 * pieces that are taken, and meshes are not split. */
static void test_taken(void **state)
{
    char path[256];
    tl_geometry_info g;
    tl_geometry first;
    tl_pieces_info pieces;
    (void)state;
    in_folder(path, folder, "taken.h5");
    tl_world *world = record(path);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, "geometries/vertices", H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    hsize_t extent[2];
    H5Sget_simple_extent_dims(space, extent, NULL);
    double *vertices = malloc(extent[0] * extent[1] * sizeof(double));
    assert_non_null(vertices);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, vertices) >= 0);
    for (size_t i = extent[0] - 4; i < extent[0]; i++) /* of the last piece */
        vertices[3 * i + 2] -= 5;
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, vertices) >= 0);
    free(vertices);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    tl_world *again = open_again(path);
    assert_ok(tl_world_pieces(again, (tl_geometry){1}, &pieces, &first));
    const uint32_t index = first.index + (uint32_t)pieces.count - 1;
    assert_int_equal(index, tl_world_geometry_count(again));
    double found = 0;
    assert_ok(tl_world_geometry(again, (tl_geometry){index}, &g));
    for (size_t i = 0; i < g.vertex_count; i++)
        found = fmin(found, g.vertices[3 * i + 2]);
    assert_below(found, -3.99); /* the prism is 1 m high */
    tl_world_destroy(again);
    tl_world_destroy(world);
}

/* A file before 1.4, without that table, is read by splitting the meshes; and one with rows that
 * cannot be is refused. */
static void test_old_and_bad(void **state)
{
    char path[256], message[400];
    tl_result *result = NULL;
    (void)state;
    in_folder(path, folder, "old.h5");
    tl_world *world = record(path);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, "geometries/pieces", H5P_DEFAULT);
    double rows[2][16];
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    rows[1][1] = 3; /* a mesh */
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    H5Dclose(set);
    H5Fclose(file);
    snprintf(message, sizeof message,
             "%s: /geometries/pieces[1]: its pieces must be hulls of a mesh", path);
    assert_refused(tl_result_open(path, &result), TL_BAD_DATA, message);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, "geometries/pieces", H5P_DEFAULT);
    H5Fclose(file);
    tl_world *again = open_again(path);
    same_pieces(world, again);
    tl_world_destroy(again);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_old_and_bad),
    };
    return cmocka_run_group_tests_name("pieces of meshes in results", tests, setup, teardown);
}
