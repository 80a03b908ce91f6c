/* Files of every minor version of the formats, kept as they were written then, are read for ever;
 * and files of versions to come are read as far as they are known, or refused with the version that
 * reads them. docs/formats.md says what is promised. The files lie in tests/io/kept, packed. */
#define _GNU_SOURCE
#include "io/result_scene.h"

#include <hdf5.h>

#define KEPT TALUS_SOURCE "/tests/io/kept/"

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

/* Unpacks a kept file into the test's folder. */
static char *unpack(char path[256], const char *name)
{
    char command[1024];
    in_folder(path, folder, name);
    snprintf(command, sizeof command, "gzip -dc '" KEPT "%s.gz' > '%s'", name, path);
    assert_int_equal(system(command), 0);
    return path;
}

/* ---- What was written ---- */

static void test_scenes(void **state)
{
    tl_document *document = NULL;
    assert_ok(tl_document_read(KEPT "scene-1.0.json", 0, NULL, &document));
    tl_record_def record = tl_document_record(document);
    assert_true(record.rate == 50 && record.contacts && record.checkpoint == 30);
    assert_int_equal(record.fields, TL_RECORD_ALL_FIELDS);
    assert_int_equal(record.compression, TL_COMPRESSION_NONE);
    assert_int_equal(record.body_count, 0);
    assert_int_equal(tl_scene_body_count(tl_document_scene(document)), 15);
    tl_document_destroy(document);

    assert_ok(tl_document_read(KEPT "scene-1.1.json", 0, NULL, &document));
    record = tl_document_record(document);
    assert_int_equal(record.fields, TL_RECORD_VELOCITY);
    assert_int_equal(record.compression, TL_COMPRESSION_QUANTISED);
    assert_true(record.error == 1e-4);
    assert_int_equal(record.body_count, 2);
    assert_int_equal(record.bodies[0].first.index, 2);
    assert_int_equal(record.bodies[0].count, 1);
    assert_int_equal(record.bodies[1].first.index, 4);
    assert_int_equal(record.bodies[1].count, 12);
    tl_document_destroy(document);
    (void)state;
}

static void test_result_1_0(void **state)
{
    char path[256], checkpoint[256], message[512];
    unpack(path, "result-1.0.h5");
    unpack(checkpoint, "result-1.0.h5.checkpoint");
    tl_result *result = NULL;
    assert_ok(tl_result_open(path, &result));
    const tl_result_info info = tl_result_describe(result);
    assert_string_equal(info.version, "0.1.0");
    assert_int_equal(info.format_major, 1);
    assert_int_equal(info.format_minor, 0);
    assert_int_equal(info.fields, TL_RECORD_ALL_FIELDS);
    assert_int_equal(info.compression, TL_COMPRESSION_NONE);
    assert_true(info.closed && info.has_checkpoint);
    assert_int_equal(info.frames, 11);
    assert_int_equal(info.steps, 40);
    assert_int_equal(info.bodies, 15);
    tl_result_frame frame;
    assert_ok(tl_result_read_frame(result, 10, &frame));
    assert_int_equal(frame.state.count, 14);
    assert_int_equal(frame.state.bodies[1], 3);
    assert_true(frame.state.positions[3] == 0.08500000089406962);
    assert_true(frame.state.positions[5] == 0.050000000008037164);
    assert_true(frame.state.velocities[3] == 0.3571428656578064f);
    assert_true(frame.state.orientations[0] == 1);
    assert_int_equal(frame.contact_count, 13);
    assert_int_equal(frame.contacts[0].a.index, 3);
    assert_true(frame.contacts[0].gap == 8.037161214335953e-12);
    assert_true(frame.contacts[0].impulse[2] == -0.025682520121335983);
    tl_report report;
    assert_ok(tl_result_read_reports(result, 39, 1, &report));
    assert_true(report.kinetic_energy == 0.04674989201594467);
    tl_document *document = NULL;
    assert_ok(tl_result_document(result, &document));
    assert_string_equal(tl_document_title(document), "Kept: a scene of version 1.0");
    tl_document_destroy(document);
    tl_result_close(result);

    /* Its checkpoint is for the Talus that wrote it. */
    tl_recorder *recorder = NULL;
    tl_world *world = NULL;
    snprintf(message, sizeof message,
             "%s: version 1.0 of checkpoints, which Talus 0.1 goes on with; this is "
             "Talus " TL_VERSION_STRING ", which goes on with version 1.1",
             checkpoint);
    assert_refused(tl_recorder_resume(path, TL_BACKEND_CPU, 1, &recorder, &document, &world),
                   TL_BAD_DATA, message);
    (void)state;
}

static void test_result_1_1(void **state)
{
    char path[256];
    tl_result *result = NULL;
    assert_ok(tl_result_open(unpack(path, "result-1.1.h5"), &result));
    const tl_result_info info = tl_result_describe(result);
    assert_string_equal(info.version, "0.2.0");
    assert_int_equal(info.format_minor, 1);
    assert_int_equal(info.fields, TL_RECORD_VELOCITY);
    assert_int_equal(info.compression, TL_COMPRESSION_QUANTISED);
    assert_true(info.error == 1e-4);
    assert_int_equal(info.body_count, 2);
    assert_int_equal(info.frames, 11);
    assert_int_equal(info.steps, 40);
    assert_int_equal(info.bodies, 15);
    tl_result_frame frame;
    assert_ok(tl_result_read_frame(result, 10, &frame));
    assert_int_equal(frame.state.count, 13);
    assert_int_equal(frame.state.bodies[1], 4);
    assert_null(frame.state.orientations);
    assert_null(frame.state.angular_velocities);
    assert_true(frame.state.positions[0] == 0.452392578125);
    assert_true(frame.state.positions[3] == -0.3499755859375);
    assert_true(frame.state.velocities[0] == 0.4609375f);
    assert_int_equal(frame.contact_count, 12);
    assert_int_equal(frame.contacts[0].a.index, 4);
    assert_true(frame.contacts[0].impulse[2] == -0.025634765625);
    tl_report report;
    assert_ok(tl_result_read_reports(result, 39, 1, &report));
    assert_true(report.kinetic_energy == 0.04674989201594467);
    tl_shape_info shapes[64];
    assert_true(info.shapes <= 64 && tl_result_geometry_count(result) == 0);
    assert_ok(tl_result_read_shapes(result, info.shapes, shapes));
    for (size_t i = 0; i < info.shapes; i++) /* columns that came later */
        assert_true(shapes[i].def.half_length == 0 && shapes[i].def.rounding == 0 &&
                    shapes[i].def.geometry.index == 0);
    tl_result_close(result);
    (void)state;
}

/* A run with shapes of every kind. */
static void test_result_1_2(void **state)
{
    char path[256];
    tl_result *result = NULL;
    tl_shape_info shapes[11];
    tl_geometry_info g;
    tl_result_frame frame;
    tl_report report;
    assert_ok(tl_result_open(unpack(path, "result-1.2.h5"), &result));
    const tl_result_info info = tl_result_describe(result);
    assert_string_equal(info.version, "0.2.0");
    assert_int_equal(info.format_minor, 2);
    assert_int_equal(info.frames, 16);
    assert_ok(tl_result_read_shapes(result, 11, shapes));
    static const tl_shape_kind kinds[11] = {TL_SPHERE,        TL_BOX,       TL_CAPSULE, TL_CYLINDER,
                                            TL_CONE,          TL_ELLIPSOID, TL_HULL,    TL_PLANE,
                                            TL_PARALLELOGRAM, TL_MESH,      TL_HEIGHTS};
    for (int i = 0; i < 11; i++)
        assert_int_equal(shapes[i].def.kind, kinds[i]);
    const tl_shape_def *cylinder = &shapes[3].def, *hull = &shapes[6].def;
    assert_true(shapes[3].kind == TL_DYNAMIC && cylinder->radius == 0.12);
    assert_true(cylinder->half_length == 0.09 && cylinder->rounding == 0.02);
    assert_true(cylinder->geometry.index == 0 && shapes[5].def.half_extents[1] == 0.12);
    assert_true(hull->geometry.index == 1 && hull->rounding == 0.01);
    assert_true(cylinder->group == 1 && cylinder->mask == UINT32_MAX && !cylinder->sensor);
    assert_int_equal(tl_result_geometry_count(result), 3);
    assert_ok(tl_result_geometry(result, hull->geometry, &g));
    assert_true(g.kind == TL_HULL && g.vertex_count == 6 && g.triangle_count == 8);
    assert_ok(tl_result_geometry(result, shapes[9].def.geometry, &g));
    assert_true(g.kind == TL_MESH && g.vertex_count == 5 && g.triangle_count == 4);
    assert_true(g.vertices[0] == 0.5 && g.vertices[2] == 0.4 && g.triangles[1] == 1);
    assert_ok(tl_result_geometry(result, shapes[10].def.geometry, &g));
    assert_true(g.kind == TL_HEIGHTS && g.vertex_count == 20 && g.triangle_count == 24);
    assert_ok(tl_result_read_frame(result, 15, &frame));
    assert_int_equal(frame.state.count, 7);
    assert_true(frame.state.positions[18] == -0.5961221967393); /* of the hull's own frame */
    assert_true(frame.state.positions[20] == 0.34922454889979587);
    assert_int_equal(frame.contact_count, 2);
    assert_true(frame.contacts[0].gap == 0.0025357273407280445);
    assert_ok(tl_result_read_reports(result, 59, 1, &report));
    assert_true(report.kinetic_energy == 143.56085541797952);
    assert_refused(tl_result_geometry(result, (tl_geometry){4}, &g), TL_BAD_ARGUMENT,
                   "tl_result_geometry: geometry is 4; there are 3, from 1");
    assert_refused(tl_result_geometry(result, (tl_geometry){0}, &g), TL_BAD_ARGUMENT,
                   "tl_result_geometry: geometry is 0; there are 3, from 1");
    assert_null(g.vertices);
    assert_status(tl_result_geometry(NULL, (tl_geometry){1}, &g), TL_BAD_ARGUMENT);
    assert_int_equal(tl_result_geometry_count(NULL), 0);
    tl_result_close(result);
    (void)state;
}

/* A ball falls through a sensor; another body is of another group and carries a sensor. */
static void test_result_1_3(void **state)
{
    char path[256];
    tl_result *result = NULL;
    tl_shape_info shapes[5];
    tl_result_frame frame;
    assert_ok(tl_result_open(unpack(path, "result-1.3.h5"), &result));
    const tl_result_info info = tl_result_describe(result);
    assert_string_equal(info.version, "0.2.0");
    assert_int_equal(info.format_minor, 3);
    assert_int_equal(info.frames, 16);
    assert_ok(tl_result_read_shapes(result, 5, shapes));
    const tl_shape_def *floor = &shapes[0].def, *gate = &shapes[1].def, *ball = &shapes[2].def;
    const tl_shape_def *feather = &shapes[3].def, *halo = &shapes[4].def;
    assert_true(floor->group == 1 && floor->mask == 5 && !floor->sensor);
    assert_true(gate->group == 1 && gate->mask == UINT32_MAX && gate->sensor);
    assert_true(ball->group == 4 && ball->mask == UINT32_MAX && !ball->sensor);
    assert_true(feather->group == 2 && feather->mask == 2 && !feather->sensor);
    assert_true(halo->group == 2 && halo->mask == 2 && halo->sensor && halo->radius == 0.2);
    assert_ok(tl_result_read_frame(result, 5, &frame));
    assert_int_equal(frame.state.count, 2);
    assert_true(frame.state.positions[2] == 0.39849749831482761);
    assert_int_equal(frame.contact_count, 1);
    assert_true(frame.contacts[0].a.index == 3 && frame.contacts[0].b.index == 2);
    assert_true(frame.contacts[0].sensor && frame.contacts[0].gap == -0.096597500145435333);
    tl_result_close(result);
    (void)state;
}

/* A mesh falls: the file has its two convex pieces. */
static void test_result_1_4(void **state)
{
    char path[256];
    tl_result *result = NULL;
    tl_document *document = NULL;
    tl_pieces_info pieces;
    tl_shape_info shapes[2];
    assert_ok(tl_result_open(unpack(path, "result-1.4.h5"), &result));
    assert_int_equal(tl_result_describe(result).format_minor, 4);
    assert_int_equal(tl_result_geometry_count(result), 3);
    assert_ok(tl_result_read_shapes(result, 2, shapes));
    for (uint32_t i = 0; i < 2; i++)
        assert_true(shapes[i].def.kind == TL_HULL && shapes[i].def.geometry.index == 2 + i);
    assert_ok(tl_result_document(result, &document));
    assert_ok(tl_scene_pieces(tl_document_scene(document), (tl_geometry){1}, &pieces));
    assert_int_equal(pieces.count, 2);
    assert_near(pieces.fit.volume, 0.03, 1e-9);
    tl_document_destroy(document);
    tl_result_close(result);
    (void)state;
}

/* A rod between two balls, by penalty contact. */
static void test_result_1_5(void **state)
{
    char path[256];
    tl_result *result = NULL;
    tl_shape_info shapes[4];
    tl_report report;
    assert_ok(tl_result_open(unpack(path, "result-1.5.h5"), &result));
    assert_int_equal(tl_result_describe(result).format_minor, 5);
    assert_ok(tl_result_read_shapes(result, 4, shapes));
    assert_true(shapes[3].def.kind == TL_CAPSULE && shapes[3].def.half_length == 0.5);
    assert_int_equal(shapes[3].ends[0].index, 2);
    assert_int_equal(shapes[3].ends[1].index, 3);
    assert_int_equal(shapes[2].ends[0].index, 0);
    assert_ok(tl_result_read_reports(result, 9, 1, &report));
    assert_int_equal(report.substeps, 7);
    assert_true(report.substep_ratio > 0 && report.elastic_energy >= 0);
    tl_result_close(result);
    (void)state;
}

/* ---- What may come ---- */

static char later[256];

/* A result of today, open in HDF5 to be changed. */
static hid_t start_later(void)
{
    in_folder(later, folder, "later.h5");
    tl_record_def record = tl_record_default();
    record.contacts = true;
    unlink(later);
    record_run(later, &record, 60);
    const hid_t file = H5Fopen(later, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void set_number(hid_t file, const char *name, uint32_t value)
{
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_UINT32, &value) >= 0);
    H5Aclose(attribute);
}

static void set_text(hid_t file, const char *name, const char *text)
{
    assert_true(H5Adelete(file, name) >= 0);
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    const hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, text) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

/* Makes a table of structs anew with other columns: those of `drop` are left out, and `more` is a
 * column that nobody knows yet; numbers become of `real` and whole types of 32 bits. */
static void change_columns(hid_t file, const char *name, const char *drop, bool more)
{
    const hid_t old = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(old);
    const hid_t space = H5Dget_space(old), creation = H5Dget_create_plist(old);
    const hssize_t rows = H5Sget_simple_extent_npoints(space);
    const size_t bytes = H5Tget_size(type);
    const hid_t changed = H5Tcreate(H5T_COMPOUND, bytes + 64);
    size_t at = more ? 12 : 0; /* an unknown column first, so that all others move */
    if (more) {
        const hid_t text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, 12);
        assert_true(H5Tinsert(changed, "colour of the day", 0, text) >= 0);
        H5Tclose(text);
    }
    for (int i = H5Tget_nmembers(type) - 1; i >= 0; i--) {
        char *member = H5Tget_member_name(type, (unsigned)i);
        const hid_t part = H5Tget_member_type(type, (unsigned)i);
        if (!drop || strcmp(member, drop) != 0) {
            const bool narrow = H5Tequal(part, H5T_STD_U64LE) > 0;
            const hid_t stored = narrow ? H5T_STD_I32BE : part;
            assert_true(H5Tinsert(changed, member, at, stored) >= 0);
            at += H5Tget_size(stored);
        }
        H5Tclose(part);
        H5free_memory(member);
    }
    unsigned char *data = calloc((size_t)rows + 1, bytes + 64);
    assert_true(H5Dread(old, changed, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(old);
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    const hid_t set = H5Dcreate2(file, name, changed, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(H5Dwrite(set, changed, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    free(data);
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
    H5Tclose(changed);
}

/* The changed file must hold the same as one that was not changed. */
static void assert_reads_as_today(void)
{
    char today[256];
    in_folder(today, folder, "today.h5");
    tl_record_def record = tl_record_default();
    record.contacts = true;
    unlink(today);
    record_run(today, &record, 60);
    assert_same_result(later, today);
}

static void test_later_minor(void **state)
{
    static const char *const tables[] = {"frames", "steps", "bodies", "shapes", "removals"};
    hid_t file = start_later();
    set_number(file, "format_minor", 7);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        change_columns(file, tables[i], NULL, true);
    /* A table and a group that nobody knows yet. */
    H5Gclose(H5Gcreate2(file, "joints", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = H5Screate_simple(1, (hsize_t[]){3}, NULL);
    H5Dclose(H5Dcreate2(file, "joints/kind", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT,
                        H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "states/temperature", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT,
                        H5P_DEFAULT));
    H5Sclose(space);
    H5Fclose(file);
    assert_reads_as_today();
    tl_result *result = NULL;
    assert_ok(tl_result_open(later, &result));
    assert_int_equal(tl_result_describe(result).format_minor, 7);
    tl_result_close(result);
    (void)state;
}

static void test_missing_columns(void **state)
{
    hid_t file = start_later();
    change_columns(file, "steps", "residual", false);
    change_columns(file, "bodies", "mass", false);
    H5Ldelete(file, "states/angular_velocity", H5P_DEFAULT);
    H5Ldelete(file, "contacts/shape", H5P_DEFAULT);
    H5Fclose(file);
    tl_result *result = NULL;
    tl_result_frame frame;
    tl_report report;
    tl_body_info bodies[200];
    assert_ok(tl_result_open(later, &result));
    const tl_result_info info = tl_result_describe(result);
    assert_int_equal(info.fields, TL_RECORD_ORIENTATION | TL_RECORD_VELOCITY);
    assert_ok(tl_result_read_frame(result, 15, &frame));
    assert_non_null(frame.state.velocities);
    assert_null(frame.state.angular_velocities);
    assert_true(frame.contact_count > 0);
    for (size_t i = 0; i < frame.contact_count; i++)
        assert_true(frame.contacts[i].shape_a == 0 && frame.contacts[i].shape_b == 0);
    assert_ok(tl_result_read_reports(result, 59, 1, &report));
    assert_true(report.residual == 0 && report.steps == 60 && report.kinetic_energy > 0);
    assert_true(info.bodies <= 200);
    assert_ok(tl_result_read_bodies(result, info.bodies, bodies));
    assert_true(bodies[10].mass == 0 && bodies[10].kind == TL_DYNAMIC);
    tl_result_close(result);

    /* What a reader cannot do without. */
    file = start_later();
    change_columns(file, "frames", "state_count", false);
    H5Fclose(file);
    char message[512];
    snprintf(message, sizeof message, "%s: /frames has no column state_count", later);
    assert_refused(tl_result_open(later, &result), TL_BAD_DATA, message);
    (void)state;
}

static void test_later_major(void **state)
{
    char message[512];
    tl_result *result = NULL;
    const hid_t file = start_later();
    set_number(file, "format_version", 2);
    set_number(file, "format_minor", 3);
    set_text(file, "version", "1.4.0");
    H5Fclose(file);
    snprintf(message, sizeof message,
             "%s: version 2.3 of results, which Talus 1.4.0 reads; this is Talus " TL_VERSION_STRING
             ", which reads versions 1.0 and later below 2",
             later);
    assert_refused(tl_result_open(later, &result), TL_BAD_DATA, message);
    (void)state;
}

static void scene_refused(const char *version, const char *message)
{
    char text[256];
    tl_document *document = NULL;
    snprintf(text, sizeof text, "{\"version\": %s}", version);
    assert_refused(tl_document_parse("s", text, strlen(text), 0, NULL, &document), TL_BAD_DATA,
                   message);
}

static void test_scene_versions(void **state)
{
    static const char *const good[] = {"1", "1.0", "\"1.0\"", "\"1.1\""};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char text[64];
        tl_document *document = NULL;
        snprintf(text, sizeof text, "{\"version\": %s}", good[i]);
        assert_ok(tl_document_parse("s", text, strlen(text), 0, NULL, &document));
        tl_document_destroy(document);
    }
    scene_refused("\"1.2\"",
                  "s:1:13: version: is version 1.2 of scenes, expected at most 1.1: this "
                  "is Talus " TL_VERSION_STRING ", and a later one reads it");
    scene_refused("\"2.0\"",
                  "s:1:13: version: is version 2.0 of scenes, expected at most 1.1: this "
                  "is Talus " TL_VERSION_STRING ", and a later one reads it");
#define EXPECTED                                                                              \
    ", expected 1, or a text \"1.0\" to \"1.1\": the versions of the format that this Talus " \
    "reads"
    scene_refused("\"0.9\"", "s:1:13: version: is \"0.9\"" EXPECTED);
    scene_refused("\"1\"", "s:1:13: version: is \"1\"" EXPECTED);
    scene_refused("\"1.x\"", "s:1:13: version: is \"1.x\"" EXPECTED);
    scene_refused("\"1.1 \"", "s:1:13: version: is \"1.1 \"" EXPECTED);
    scene_refused("1.1", "s:1:13: version: is 1.1" EXPECTED);
    scene_refused("2", "s:1:13: version: is 2" EXPECTED);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),          cmocka_unit_test(test_result_1_0),
        cmocka_unit_test(test_result_1_1),      cmocka_unit_test(test_result_1_2),
        cmocka_unit_test(test_result_1_3),      cmocka_unit_test(test_result_1_4),
        cmocka_unit_test(test_result_1_5),      cmocka_unit_test(test_later_minor),
        cmocka_unit_test(test_missing_columns), cmocka_unit_test(test_later_major),
        cmocka_unit_test(test_scene_versions),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
