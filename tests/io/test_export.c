/* Exports: CSV files whose numbers read back as the same bits, VTK files with the right points, no
 * half file after a failure. What ParaView makes of them is tested in tests/cli/test_paraview.py.
 */
#define _GNU_SOURCE
#include "io/result_scene.h"

#include <locale.h>
#include <math.h>

#define STEPS 60

static char folder[64], source[256];
static tl_result *result;

static int setup(void **state)
{
    tl_record_def record = tl_record_default();
    record.contacts = true;
    in_folder(source, make_folder(folder), "run.h5");
    record_run(source, &record, STEPS);
    assert_ok(tl_result_open(source, &result));
    (void)state;
    return 0;
}

static int teardown(void **state)
{
    tl_result_close(result);
    remove_folder(folder);
    (void)state;
    return 0;
}

static FILE *open_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    return file;
}

/* The next line without its end; false at the end of the file. */
static bool next_line(FILE *file, char *line, size_t room)
{
    if (!fgets(line, (int)room, file))
        return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

/* The number in front of the next comma; moves on. */
static double number(char **at)
{
    char *end;
    const double x = strtod(*at, &end);
    assert_true(end != *at && (*end == ',' || *end == '\0'));
    *at = end + (*end == ',');
    return x;
}

static void skip_text(char **at, const char *text)
{
    assert_memory_equal(*at, text, strlen(text));
    *at += strlen(text);
}

static const char *quoted_name(uint32_t body)
{
    static const char *const names[] = {"floor", "gate",    "ground", "\"paddle, \"\"left\"\"\"",
                                        "plate", "dumbbell"};
    return body <= 6 ? names[body - 1] : body <= 66 ? "heap" : "";
}

/* The ball around a body's origin: the paddle's corners, the plate's far corner, two spheres. */
static double radius_of(uint32_t body)
{
    return body == 4   ? sqrt(0.5 * 0.5 + 0.03 * 0.03 + 0.05 * 0.05)
           : body == 5 ? sqrt(0.3 * 0.3 + 1 + 0.1 * 0.1)
           : body == 6 ? 0.07 + 0.06
                       : 0.05;
}

static double mass_of(uint32_t body)
{
    double mass = -1;
    const size_t count = tl_result_describe(result).bodies;
    tl_body_info *bodies = calloc(count, sizeof *bodies);
    assert_ok(tl_result_read_bodies(result, count, bodies));
    for (size_t i = 0; i < count; i++)
        if (bodies[i].body.index == body)
            mass = bodies[i].mass;
    free(bodies);
    return mass;
}

static tl_status export_rows(tl_export_format format, uint64_t first, uint64_t last,
                             uint64_t stride, const char *path)
{
    tl_export_def def = tl_export_default();
    def.format = format;
    def.first = first;
    def.last = last;
    def.stride = stride;
    return tl_result_export(result, &def, path, NULL);
}

static void test_csv(void **state)
{
    char path[256], line[1024];
    in_folder(path, folder, "states.csv");
    assert_ok(export_rows(TL_EXPORT_CSV, 2, UINT64_MAX, 3, path));
    FILE *file = open_text(path);
    assert_true(next_line(file, line, sizeof line));
    assert_string_equal(line,
                        "frame,time,body,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,radius,mass");
    for (uint64_t i = 2; i < tl_result_describe(result).frames; i += 3) {
        tl_result_frame frame;
        assert_ok(tl_result_read_frame(result, i, &frame));
        for (size_t k = 0; k < frame.state.count; k++) {
            assert_true(next_line(file, line, sizeof line));
            char *at = line;
            assert_true(number(&at) == (double)i);
            assert_true(number(&at) == frame.state.time);
            assert_true(number(&at) == frame.state.bodies[k]);
            skip_text(&at, quoted_name(frame.state.bodies[k]));
            skip_text(&at, ",");
            for (int c = 0; c < 3; c++)
                assert_true(number(&at) == frame.state.positions[3 * k + c]);
            for (int c = 0; c < 4; c++)
                assert_true((float)number(&at) == frame.state.orientations[4 * k + c]);
            for (int c = 0; c < 3; c++)
                assert_true((float)number(&at) == frame.state.velocities[3 * k + c]);
            for (int c = 0; c < 3; c++)
                assert_true((float)number(&at) == frame.state.angular_velocities[3 * k + c]);
            const uint32_t body = frame.state.bodies[k];
            assert_true(fabs(number(&at) - radius_of(body)) < 1e-15);
            assert_true(number(&at) == mass_of(body));
            assert_int_equal(*at, '\0');
        }
    }
    assert_false(next_line(file, line, sizeof line));
    fclose(file);
    (void)state;
}

static void test_steps_csv(void **state)
{
    char path[256], line[2048];
    in_folder(path, folder, "steps.csv");
    assert_ok(export_rows(TL_EXPORT_STEPS_CSV, 10, 19, 1, path));
    FILE *file = open_text(path);
    assert_true(next_line(file, line, sizeof line));
    assert_memory_equal(line, "step,time,bodies,emitted,", 25);
    for (uint64_t i = 10; i < 20; i++) {
        tl_report report;
        assert_ok(tl_result_read_reports(result, i, 1, &report));
        assert_true(next_line(file, line, sizeof line));
        char *at = line;
        assert_true(number(&at) == (double)report.steps);
        assert_true(number(&at) == report.time);
        assert_true(number(&at) == report.bodies);
        assert_true(number(&at) == (double)report.emitted);
        int columns = 4;
        double last = 0;
        for (; *at; columns++)
            last = number(&at);
        assert_int_equal(columns, 46);
        assert_true(last == (double)report.peak_bytes);
    }
    assert_false(next_line(file, line, sizeof line));
    fclose(file);
    (void)state;
}

static void test_contacts_csv(void **state)
{
    char path[256], line[1024];
    in_folder(path, folder, "contacts.csv");
    assert_ok(export_rows(TL_EXPORT_CONTACTS_CSV, 0, UINT64_MAX, 1, path));
    FILE *file = open_text(path);
    assert_true(next_line(file, line, sizeof line));
    assert_string_equal(line,
                        "frame,time,body_a,body_b,shape_a,shape_b,x,y,z,nx,ny,nz,gap,jx,jy,jz");
    size_t lines = 0;
    for (uint64_t i = 0; i < tl_result_describe(result).frames; i++) {
        tl_result_frame frame;
        assert_ok(tl_result_read_frame(result, i, &frame));
        for (size_t k = 0; k < frame.contact_count; k++, lines++) {
            const tl_contact *c = &frame.contacts[k];
            const double want[] = {(double)i,   frame.state.time, c->a.index,    c->b.index,
                                   c->shape_a,  c->shape_b,       c->point[0],   c->point[1],
                                   c->point[2], c->normal[0],     c->normal[1],  c->normal[2],
                                   c->gap,      c->impulse[0],    c->impulse[1], c->impulse[2]};
            assert_true(next_line(file, line, sizeof line));
            char *at = line;
            for (size_t n = 0; n < sizeof want / sizeof *want; n++) {
                const double got = number(&at);
                assert_true(got == want[n] || (float)got == (float)want[n]);
            }
        }
    }
    assert_int_equal(lines, tl_result_describe(result).contacts);
    assert_false(next_line(file, line, sizeof line));
    fclose(file);
    (void)state;
}

/* The program's language does not change the numbers. */
static void test_language(void **state)
{
    char path[256], line[1024];
    in_folder(path, folder, "language.csv");
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        print_message("skipped: the language de_DE.UTF-8 is not installed\n");
        skip();
    }
    assert_ok(export_rows(TL_EXPORT_CSV, 1, 1, 1, path));
    setlocale(LC_ALL, "C");
    FILE *file = open_text(path);
    assert_true(next_line(file, line, sizeof line) && next_line(file, line, sizeof line));
    assert_memory_equal(line, "1,0.02", 6);
    fclose(file);
    (void)state;
}

/* ---- VTK ---- */

static size_t count_text(const char *path, const char *text)
{
    FILE *file = open_text(path);
    char line[4096];
    size_t count = 0;
    while (fgets(line, sizeof line, file))
        count += strstr(line, text) != NULL;
    fclose(file);
    return count;
}

static void test_vtk(void **state)
{
    char path[256], parts[256];
    in_folder(path, folder, "run & more.pvd");
    in_folder(parts, folder, "run & more_frames");
    assert_ok(export_rows(TL_EXPORT_VTK, 0, UINT64_MAX, 1, path));
    const uint64_t frames = tl_result_describe(result).frames;
    assert_int_equal(frames, 16);
    /* Spheres, prescribed shapes and contacts a frame; fixed shapes with the gate and without. */
    assert_int_equal(count_text(path, "name=\"spheres\""), frames);
    assert_int_equal(count_text(path, "name=\"moving\""), frames);
    assert_int_equal(count_text(path, "name=\"contacts\""), frames);
    assert_int_equal(count_text(path, "name=\"fixed\""), frames);
    assert_int_equal(count_text(path, "fixed_000000.vtp"), 11);
    assert_int_equal(count_text(path, "fixed_000001.vtp"), 5);
    assert_int_equal(count_text(path, "file=\"run &#38; more_frames/"), 4 * frames);
    assert_int_equal(count_files(parts), 3 * frames + 2);
    /* Again over what is there. */
    assert_ok(export_rows(TL_EXPORT_VTK, 0, 3, 1, path));
    assert_int_equal(count_text(path, "name=\"spheres\""), 4);
    (void)state;
}

/* ---- Some bodies only, and what is told of an export ---- */

static size_t count_lines(const char *path, uint64_t *bytes)
{
    char line[1024];
    size_t lines = 0;
    FILE *file = open_text(path);
    while (next_line(file, line, sizeof line))
        lines++;
    *bytes = (uint64_t)ftell(file);
    fclose(file);
    return lines;
}

static void test_bodies(void **state)
{
    const tl_body some[] = {{20, 1}, {6, 1}};
    char path[256];
    uint64_t bytes, lines;
    tl_export_info info;
    tl_export_def def = tl_export_default();
    const uint64_t frames = tl_result_describe(result).frames;
    in_folder(path, folder, "some.csv");
    def.body_count = 2;
    def.bodies = some;
    assert_ok(tl_result_export(result, &def, path, &info));
    lines = count_lines(path, &bytes);
    assert_int_equal(lines, 1 + 2 * frames);
    assert_int_equal(count_text(path, ",heap,"), frames);
    assert_int_equal(count_text(path, ",dumbbell,"), frames);
    assert_true(info.frames == frames && info.rows == 2 * frames && info.files == 1 &&
                info.bytes == bytes);

    /* Contacts of either side. */
    size_t contacts = 0;
    for (uint64_t i = 0; i < frames; i++) {
        tl_result_frame frame;
        assert_ok(tl_result_read_frame(result, i, &frame));
        for (size_t k = 0; k < frame.contact_count; k++) {
            const uint32_t a = frame.contacts[k].a.index, b = frame.contacts[k].b.index;
            contacts += a == 20 || b == 20 || a == 6 || b == 6;
        }
    }
    def.format = TL_EXPORT_CONTACTS_CSV;
    assert_ok(tl_result_export(result, &def, path, &info));
    assert_true(contacts > 0 && info.rows == contacts);
    assert_int_equal(count_lines(path, &bytes), 1 + contacts);

    /* VTK: three spheres in each frame; the fixed shapes are left out. */
    in_folder(path, folder, "some.pvd");
    def.format = TL_EXPORT_VTK;
    assert_ok(tl_result_export(result, &def, path, &info));
    assert_int_equal(info.rows, 3 * frames + contacts);
    assert_true(info.frames == frames && info.files == 1 + 2 * frames + 1 && info.bytes > 1000);

    const tl_body wrong[] = {{6, 1}, {100000, 1}};
    def.bodies = wrong;
    assert_refused(tl_result_export(result, &def, path, &info), TL_BAD_HANDLE,
                   "tl_result_export: bodies[1].index is 100000; the result has no such body");
    def.format = TL_EXPORT_STEPS_CSV;
    assert_refused(
        tl_result_export(result, &def, path, &info), TL_BAD_ARGUMENT,
        "tl_result_export: body_count is 2; step reports are of all bodies: it must be 0");
    assert_refused(tl_result_export(result, NULL, path, NULL), TL_BAD_ARGUMENT,
                   "tl_result_export: def is NULL or empty");
    (void)state;
}

/* ---- Refusals ---- */

static void test_refusals(void **state)
{
    char path[256], message[512];
    in_folder(path, folder, "none/out.csv");
    snprintf(message, sizeof message, "%s: No such file or directory", path);
    for (int format = 0; format < 4; format++)
        assert_refused(export_rows((tl_export_format)format, 0, 9, 1, path), TL_FILE, message);
    snprintf(message, sizeof message, "%s: Is a directory", folder);
    assert_refused(export_rows(TL_EXPORT_CSV, 0, 9, 1, folder), TL_FILE, message);
    in_folder(path, folder, "out.csv");
    assert_refused(export_rows(TL_EXPORT_CSV, 0, 9, 0, path), TL_BAD_ARGUMENT,
                   "tl_result_export: stride is 0; it must be above 0");
    assert_refused(export_rows(TL_EXPORT_CSV, 3, 2, 1, path), TL_BAD_ARGUMENT,
                   "tl_result_export: first is 3 and last 2; last must not be below first");
    assert_refused(export_rows(TL_EXPORT_CSV, 16, 20, 1, path), TL_BAD_ARGUMENT,
                   "tl_result_export: first is 16; there are 16 frames");
    assert_refused(export_rows(TL_EXPORT_STEPS_CSV, 60, 70, 1, path), TL_BAD_ARGUMENT,
                   "tl_result_export: first is 60; there are 60 steps");
    assert_refused(export_rows((tl_export_format)9, 0, 9, 1, path), TL_BAD_ARGUMENT,
                   "tl_result_export: there is no format 9");
    assert_int_not_equal(access(path, F_OK), 0);
    (void)state;
}

/* A disk that is full leaves what was there, and no half file. */
static void test_full(void **state)
{
    char path[256];
    in_folder(path, folder, "kept.csv");
    FILE *file = fopen(path, "wb");
    fputs("old", file);
    fclose(file);
    const size_t files = count_files(folder);
    /* /dev/full refuses every write: the temporary name leads there. */
    char temporary[512];
    snprintf(temporary, sizeof temporary, "%s.new", path);
    assert_int_equal(symlink("/dev/full", temporary), 0);
    char message[512];
    snprintf(message, sizeof message, "%s: No space left on device", path);
    assert_refused(export_rows(TL_EXPORT_CSV, 0, 9, 1, path), TL_FILE, message);
    assert_int_equal(count_files(folder), files);
    assert_int_equal(count_text(path, "old"), 1);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),          cmocka_unit_test(test_steps_csv),
        cmocka_unit_test(test_contacts_csv), cmocka_unit_test(test_language),
        cmocka_unit_test(test_vtk),          cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_full),         cmocka_unit_test(test_bodies),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
