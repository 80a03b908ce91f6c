/* Scenes in lines: what each letter becomes, by hand from the definitions of document 004; and what
 * is refused, with the line and column where it stands. */
#include "failing.h"
#include "support.h"

#include <locale.h>

#include "talus/io.h"

static tl_document *document;
static tl_world *world;

static tl_status parse(const char *text)
{
    tl_document_destroy(document);
    document = NULL;
    return tl_document_parse("s.txt", text, strlen(text), 0, NULL, &document);
}

/* A world of what was read, in which nothing is solved. */
static void read_world(const char *text)
{
    tl_world_destroy(world);
    world = NULL;
    assert_ok(parse(text));
    tl_settings settings = tl_scene_settings(tl_document_scene(document));
    if (!tl_scene_rod_count(tl_document_scene(document)))
        settings.stepper = TL_STEPPER_DVI;
    settings.precision = TL_DOUBLE;
    assert_ok(tl_world_create_with(tl_document_scene(document), &settings, &world));
}

static tl_body named(const char *name)
{
    const tl_body body = tl_document_find_body(document, name);
    assert_true(body.index > 0);
    return body;
}

typedef tl_status reading(const tl_world *, size_t, const tl_body *, double *);

static void expect(reading *read, const char *name, size_t count, const double *want)
{
    const tl_body body = named(name);
    double got[4];
    context("%s", name);
    assert_ok(read(world, 1, &body, got));
    for (size_t k = 0; k < count; k++)
        assert_near(got[k], want[k], 1e-13 * (1 + fabs(want[k])));
}

#define EXPECT(read, name, ...)                                        \
    expect(read, name, sizeof(double[]){__VA_ARGS__} / sizeof(double), \
           (const double[]){__VA_ARGS__})

/* (x, y, z) there is (x, -z, y) here; L = 2/5 m r^2 w of a ball. */
static void spheres(void **state)
{
    (void)state;
    read_world("S 7 1 2 3 4 5 6 0.7 0.8 0.9 2 0.5\n");
    EXPECT(tl_world_read_positions, "s7", 1, -3, 2);
    EXPECT(tl_world_read_velocities, "s7", 4, -6, 5);
    EXPECT(tl_world_read_angular_velocities, "s7", 3.5, -4.5, 4);
    EXPECT(tl_world_read_masses, "s7", 2);
    EXPECT(tl_world_read_inertias, "s7", 0.2, 0.2, 0.2);

    const tl_settings settings = tl_scene_settings(tl_document_scene(document));
    assert_int_equal(settings.stepper, TL_STEPPER_PENALTY);
    assert_int_equal(settings.penalty.law, TL_PENALTY_SCALED);
    assert_int_equal(settings.penalty.substeps, 1);
    assert_true(settings.penalty.collisions);
    assert_near(settings.step, 0.02, 0);
    assert_near(settings.gravity[2], -1, 0);
    assert_near(settings.penalty.stiffness, 1000, 0);
    assert_near(settings.penalty.damping, 12.5, 0);
    assert_near(settings.penalty.friction, 50, 0);
    assert_near(settings.penalty.collision_threshold, 1, 0);
    assert_true(settings.penalty.attraction); /* its damping pulls, too */
    tl_pair_def pair;
    assert_ok(
        tl_scene_pair(tl_document_scene(document), (tl_material){1}, (tl_material){1}, &pair));
    assert_near(pair.restitution, 0.75, 0);
}

/* A repeated reference means the newer sphere; fixed ones do not move. */
static void references(void **state)
{
    (void)state;
    read_world("S 1 0 0 0 0 0 0 0 0 0 1 0.1\n"
               "S 4294967295 0 1 0 0 0 0 0 0 0 1 0.1 0\n"
               "K 1 4294967295 100 2 1\n"
               "S 1 0 5 0 9 9 9 9 9 9 0 0.1 0.5\r\n"
               "\n"
               "K 1 4294967295 0 0 3");
    tl_joint_def joint;
    assert_int_equal(tl_scene_joint_count(tl_document_scene(document)), 2);
    assert_ok(tl_scene_joint(tl_document_scene(document), (tl_joint){1}, &joint));
    assert_int_equal(joint.a.index, named("s1").index);
    assert_int_equal(joint.b.index, named("s4294967295").index);
    assert_near(joint.length, 2, 0);
    assert_near(joint.axes[0].stiffness, 100, 0);
    assert_near(joint.axes[0].damping, 1, 0);
    assert_true(joint.collide);
    assert_near(joint.position_a[0], 0, 0);
    assert_near(joint.position_a[2], 0, 0);
    assert_ok(tl_scene_joint(tl_document_scene(document), (tl_joint){2}, &joint));
    assert_int_equal(joint.a.index, named("s1-2").index);
    assert_near(joint.length, 1e-9, 0); /* 0 in the file */
    EXPECT(tl_world_read_masses, "s1-2", 0);
    EXPECT(tl_world_read_velocities, "s1-2", 0, 0, 0);
}

/* Many references: the table grows. */
static void many(void **state)
{
    (void)state;
    enum { N = 3000 };
    char *text = malloc(N * 100), *at = text;
    assert_non_null(text);
    for (int i = 0; i < N; i++)
        at += sprintf(at, "S %d %d 0 0 0 0 0 0 0 0 1 0.1\n", 7 * i, i);
    for (int i = 1; i < N; i++)
        at += sprintf(at, "K %d %d 1 1 1\n", 7 * i, 7 * (i - 1));
    assert_ok(parse(text));
    free(text);
    for (uint32_t i = 1; i < N; i++) {
        tl_joint_def joint;
        assert_ok(tl_scene_joint(tl_document_scene(document), (tl_joint){i}, &joint));
        assert_int_equal(joint.a.index, i + 1);
        assert_int_equal(joint.b.index, i);
    }
}

/* Two balls of m/2: 2/5 m r^2 about the axis, and m L^2/4 more across. */
static void capsules(void **state)
{
    (void)state;
    const double ends[][6] = {{0, 0, 0, 0, 0, 4},
                              {1, 2, 3, 1, 6, 3},
                              {1, 1, 1, 1, -3, 1},
                              {5, 0, 0, 1, 0, 0},
                              {1, 2, 3, 4, 5, 6}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const double *e = ends[i];
        char text[200];
        double q[4], square = 0;
        const double from[3] = {e[0], -e[2], e[1]}, to[3] = {e[3], -e[5], e[4]};
        snprintf(text, sizeof text, "C %g %g %g %g %g %g 1 2 3 6 0.5", e[0], e[1], e[2], e[3], e[4],
                 e[5]);
        read_world(text);
        for (int k = 0; k < 3; k++)
            square += (to[k] - from[k]) * (to[k] - from[k]);
        const double along = 0.4 * 6 * 0.25, across = along + 6 * square / 4;
        EXPECT(tl_world_read_positions, "c1", (from[0] + to[0]) / 2, (from[1] + to[1]) / 2,
               (from[2] + to[2]) / 2);
        EXPECT(tl_world_read_velocities, "c1", 1, -3, 2);
        EXPECT(tl_world_read_inertias, "c1", across, across, along);
        /* z of its frame is along the segment, one way or the other */
        assert_ok(tl_world_read_orientations(world, 1, &(tl_body){1, 1}, q));
        const double z[3] = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                             1 - 2 * (q[1] * q[1] + q[2] * q[2])};
        double cosine = 0;
        for (int k = 0; k < 3; k++)
            cosine += z[k] * (to[k] - from[k]) / sqrt(square);
        assert_near(fabs(cosine), 1, 1e-12);
        tl_shape_info shape;
        assert_ok(tl_world_read_shapes(world, 1, &shape));
        assert_int_equal(shape.def.kind, TL_CAPSULE);
        assert_near(shape.def.radius, 0.5, 0);
        assert_near(shape.def.half_length, sqrt(square) / 2, 1e-12);
    }
}

/* Where the corners of a box are, from its shape. */
static void walls(void **state)
{
    (void)state;
    tl_shape_info shapes[3];
    read_world("S 0 9 9 9 0 0 0 0 0 0 1 0.1\n"
               "P 1 2 3 0 0 4 5 0 0\n"
               "B 1 1 1 0 2 0 3 0 0 0 0 4\n");
    assert_int_equal(tl_world_shape_count(world), 3);
    assert_ok(tl_world_read_shapes(world, 3, shapes));
    /* one-sided: two triangles that face first x second */
    assert_int_equal(shapes[1].def.kind, TL_MESH);
    EXPECT(tl_world_read_positions, "p1", 1, -3, 2);
    const double want[4][3] = {{0, 0, 0}, {0, -4, 0}, {5, -4, 0}, {5, 0, 0}};
    tl_geometry_info form;
    assert_ok(tl_world_geometry(world, shapes[1].def.geometry, &form));
    assert_int_equal(form.vertex_count, 4);
    assert_int_equal(form.triangle_count, 2);
    for (int i = 0; i < 12; i++)
        assert_near(form.vertices[i], want[i / 3][i % 3], 0);
    const uint32_t *t = form.triangles;
    const double *a = form.vertices + 3 * t[0], *b = form.vertices + 3 * t[1],
                 *c = form.vertices + 3 * t[2];
    assert_near((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]), 20, 1e-12);
    assert_int_equal(shapes[2].def.kind, TL_BOX);
    /* edges (0, 2, 0), (3, 0, 0), (0, 0, 4): here (0, 0, 2), (3, 0, 0), (0, -4, 0) */
    EXPECT(tl_world_read_positions, "b1", 2.5, -3, 2);
    assert_near(shapes[2].def.half_extents[0], 1, 1e-15);
    assert_near(shapes[2].def.half_extents[1], 1.5, 1e-15);
    assert_near(shapes[2].def.half_extents[2], 2, 1e-15);
    double q[4];
    const tl_body box = named("b1");
    assert_ok(tl_world_read_orientations(world, 1, &box, q));
    const double x[3] = {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] + q[0] * q[3]),
                         2 * (q[1] * q[3] - q[0] * q[2])};
    assert_near(x[2], 1, 1e-12); /* its first edge is up */
}

/* Rods, of free and of kept length, sharing a sphere. */
static void rods(void **state)
{
    (void)state;
    tl_rod_info info;
    tl_shape_info shapes[5];
    read_world("S 1 0 0 0 0 0 0 0 0 0 1 0.2\n"
               "S 2 0 2 0 0 0 0 0 0 0 1 0.2\n"
               "S 3 0 2 3 0 0 0 0 0 0 1 0.2\n"
               "R 1 2 0.1\n"
               "R 3 2 0.05 3\n");
    assert_int_equal(tl_world_rod_count(world), 2);
    assert_ok(tl_world_rod(world, 0, &info));
    assert_int_equal(info.body.index, named("r1").index);
    assert_int_equal(info.ends[0].index, named("s1").index);
    assert_int_equal(info.ends[1].index, named("s2").index);
    assert_near(info.length, 0, 0);
    assert_ok(tl_world_rod(world, 1, &info));
    assert_int_equal(info.ends[0].index, named("s3").index);
    assert_near(info.length, 3, 0);
    EXPECT(tl_world_read_positions, "r1", 0, 0, 1);
    EXPECT(tl_world_read_positions, "r2", 0, -1.5, 2);
    assert_int_equal(tl_world_shape_count(world), 5);
    assert_ok(tl_world_read_shapes(world, 5, shapes));
    assert_int_equal(shapes[4].def.kind, TL_CAPSULE);
    assert_near(shapes[4].def.radius, 0.05, 0);
    assert_near(shapes[4].def.half_length, 1.5, 0);
    assert_int_equal(shapes[4].ends[0].index, 3);
    assert_int_equal(shapes[4].ends[1].index, 2);
    assert_int_equal(shapes[2].ends[0].index, 0);
    assert_status(tl_world_rod(world, 2, &info), TL_BAD_ARGUMENT);
    char place[100];
    tl_document_describe(document, named("r2"), place, sizeof place);
    assert_string_equal(place, "s.txt:5:1: rods[1] \"r2\"");
}

static void comments(void **state)
{
    (void)state;
    assert_ok(parse("s 1 2 3 is no sphere: letters are case-sensitive\n"
                    "  \t \n"
                    "# \"quoted\", back\\slash, \xff\xfe and \x01\n"
                    "  S 1 0 0 0 0 0 0 0 0 0 1 0.1\n"
                    "this is a comment"));
    assert_int_equal(tl_document_comments(document), 3);
    assert_int_equal(tl_scene_body_count(tl_document_scene(document)), 1);
    assert_non_null(strstr(tl_document_text(document, NULL), "\\nthis is a comment"));
    char place[100];
    tl_document_describe(document, named("s1"), place, sizeof place);
    assert_string_equal(place, "s.txt:4:1: bodies[0] \"s1\"");
    /* JSON is told by its first character, whatever the name. */
    assert_ok(parse("\n {\"version\": 1}"));
    assert_int_equal(tl_document_comments(document), 0);
    assert_false(tl_document_is_lines("a.json", "S", 1));
    assert_true(tl_document_is_lines("a.txt", "S", 1));
    assert_false(tl_document_is_lines("a.txt", " {", 2));
}

/* The text of the document reads to the same scene. */
static void again(void **state)
{
    (void)state;
    tl_document *second = NULL;
    size_t length, length_again;
    assert_ok(parse("S 1 0.1 1e-7 3.3333333333333335 0 0 0 1 2 3 0.3 0.123456789012345678\n"
                    "S 2 1 2 3 0 0 0 0 0 0 1 0.1\nK 1 2 10 0 0.3\n"));
    const char *text = tl_document_text(document, &length);
    assert_ok(tl_document_parse("again.json", text, length, 0, NULL, &second));
    const char *text_again = tl_document_text(second, &length_again);
    assert_int_equal(length, length_again);
    assert_memory_equal(text, text_again, length);
    assert_non_null(strstr(text, "3.3333333333333335"));
    assert_non_null(strstr(text, "0.12345678901234568"));
    tl_document_destroy(second);
}

/* The message has the text in it. */
static void says(tl_status status, tl_status want, const char *text)
{
    assert_status(status, want);
    if (!strstr(tl_last_message(), text)) {
        print_error("%s: said \"%s\"; expected \"%s\"\n", test_context, tl_last_message(), text);
        fail();
    }
}

static void refusals(void **state)
{
    (void)state;
#define BALLS "S 1 0 0 0 0 0 0 0 0 0 1 0.1\nS 2 0 1 0 0 0 0 0 0 0 1 0.1\n"
#define STUCK "S 1 0 0 0 0 0 0 0 0 0 1 0.1 1\nS 2 0 1 0 0 0 0 0 0 0 1 0.1 1\n"
    static const char *const cases[][2] = {
        {"S 1 0 0 0 0 0 0 0 0 0 1", "s.txt:1:24: S: has 11 numbers, expected 12 or 13: reference"},
        {"S 1 0 0 0 0 0 0 0 0 0 1 0.1 0 4", "s.txt:1:31: S: has more than 13 numbers, expected"},
        {"x\nS 1 0 0 0 0 0 0 0 0 0 -1 0.1",
         "s.txt:2:23: S: the mass is -1, expected a number above 0"},
        {"S 1 0 0 0 0 0 0 0 0 0 0 0.1", "s.txt:1:23: S: the mass is 0, expected"},
        {"S 1 0 0 0 0 0 0 0 0 0 1 0", "s.txt:1:25: S: the radius is 0, expected"},
        {"S 1 0 nan 0 0 0 0 0 0 0 1 1", "s.txt:1:7: S: is nan, expected a finite number"},
        {"S 1 0 0 -inf 0 0 0 0 0 0 1 1", "s.txt:1:9: S: is -inf, expected a finite number"},
        {"S 1 0 0 1e999 0 0 0 0 0 0 1 1", "s.txt:1:9: S: is 1e999, expected a finite number"},
        {"S 1 0 0 0x10 0 0 0 0 0 0 1 1", "s.txt:1:9: S: found '0x10', expected a number"},
        {"S 1 0 0 1,5 0 0 0 0 0 0 1 1", "s.txt:1:9: S: found '1,5', expected a number"},
        {"Some words", "s.txt:1:2: S: found 'ome', expected a number"},
        {"S -1 0 0 0 0 0 0 0 0 0 1 1", "s.txt:1:3: S: the reference is -1, expected a whole"},
        {"S 1.5 0 0 0 0 0 0 0 0 0 1 1", "s.txt:1:3: S: the reference is 1.5, expected a whole"},
        {"S 4294967296 0 0 0 0 0 0 0 0 0 1 1", "s.txt:1:3: S: the reference is 4.29497e+09"},
        {"S 1 0 0 0 0 0 0 0 0 1e200 1 1e-100", "s.txt:1:1: S: gives a number that is too large"},
        {"K 1 2 1 1 1\n" BALLS, "s.txt:1:3: K: there is no sphere 1 above this line, expected one"},
        {BALLS "K 1 3 1 1 1", "s.txt:3:5: K: there is no sphere 3 above this line"},
        {BALLS "K 1 1 1 1 1", "s.txt:3:5: K: names sphere 1 twice, expected two spheres"},
        {STUCK "K 1 2 1 1 1", "s.txt:3:5: K: both spheres are fixed, expected one that moves"},
        {BALLS "K 1 2 -1 1 1", "s.txt:3:7: K: the spring constant is -1, expected a number of at"},
        {BALLS "K 1 2 1 -1 1", "s.txt:3:9: K: the length is -1, expected"},
        {BALLS "K 1 2 1 1 -1", "s.txt:3:11: K: the damping is -1, expected"},
        {BALLS "K 1 2 0 1 0", "s.txt:3:7: K: spring constant and damping are 0, expected one"},
        {BALLS "R 1 2", "s.txt:3:6: R: has 2 numbers, expected 3 or 4: two references, radius"},
        {BALLS "R 1 2 0.1 1 1", "s.txt:3:13: R: has more than 4 numbers, expected 3 or 4"},
        {BALLS "R 1 3 0.1", "s.txt:3:5: R: there is no sphere 3 above this line, expected one"},
        {BALLS "R 2 2 0.1", "s.txt:3:5: R: names sphere 2 twice, expected two spheres"},
        {STUCK "R 1 2 0.1", "s.txt:3:5: R: both spheres are fixed, expected one that moves"},
        {BALLS "R 1 2 0", "s.txt:3:7: R: the radius is 0, expected a number above 0"},
        {BALLS "R 1 2 0.1 -1", "s.txt:3:11: R: the length is -1, expected a number above 0"},
        {BALLS "R 1 2 0.2", "s.txt:3:1: rods[0].radius: is 0.2; it must not exceed that of the"},
        {BALLS "R 1 2 0.1 3",
         "s.txt:3:11: R: the length is 3, expected 1: how far the spheres are apart"},
        {BALLS "K 1 2 1 1", "s.txt:3:10: K: has 4 numbers, expected 5: two references"},
        {"C 0 0 0 0 0 0 0 0 0 1 1", "s.txt:1:9: C: both ends are at one point, expected two"},
        {"C 0 0 0 0 1 0 0 0 0 0 1", "s.txt:1:21: C: the mass is 0, expected"},
        {"C 0 0 0 0 1 0 0 0 0 1 -1", "s.txt:1:23: C: the radius is -1, expected"},
        {"C 0 0 0 0 1 0 0 0 0 1", "s.txt:1:22: C: has 10 numbers, expected 11: two ends"},
        {"P 0 0 0 0 0 0 1 0 0", "s.txt:1:9: P: the first edge is 0, expected a direction"},
        {"P 0 0 0 1 0 0 0 0 0", "s.txt:1:15: P: the second edge is 0, expected a direction"},
        {"P 0 0 0 1 0 0 -2 0 0", "s.txt:1:15: P: the edges are parallel, expected two directions"},
        {"P", "s.txt:1:2: P: has 0 numbers, expected 9: corner, first edge, second edge"},
        {"B 0 0 0 1 0 0 1 1 0 0 0 1",
         "s.txt:1:15: B: the second edge is at 45 degrees to the first, expected 90"},
        {"B 0 0 0 1 0 0 0 1 0 0 0 0", "s.txt:1:21: B: the third edge is 0, expected a direction"},
        {"only\ncomments",
         "s.txt:1:1: has no line that begins with S, C, P or B, expected a scene"},
        {"\n \n", "s.txt:1:1: is empty, expected a scene"},
        {"\xc3\xa4 is one column\n  S 1 \xc3\xa4 9", "s.txt:2:7: S: found"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        context("%s", cases[i][0]);
        says(parse(cases[i][0]), TL_BAD_DATA, cases[i][1]);
        assert_null(document);
    }
    /* Lines that are too long, comments too. */
    char text[1100] = "";
    memset(text, '#', 1001);
    says(parse(text), TL_BAD_DATA,
         "s.txt:1:1001: #: the line has 1001 bytes, expected at most 1000");
    strcpy(text + 1000, "\nS 1 0 0 0 0 0 0 0 0 0 1 0.1");
    assert_ok(parse(text));
    tl_document_destroy(document);
    document = NULL;
    /* What is set is checked as ever; what the scene refuses is told by the line. */
    const char *sets[] = {"bodies[s2].mass=-1"};
    says(tl_document_parse("s.txt", BALLS, strlen(BALLS), 1, sets, &document), TL_BAD_DATA,
         "--set bodies[s2].mass: is -1, expected a number above 0 (kg)");
    sets[0] = "bodies[s2].name=s1";
    says(tl_document_parse("s.txt", BALLS "K 1 2 1 1 1", strlen(BALLS) + 11, 1, sets, &document),
         TL_BAD_DATA, "is \"s1\", the name of bodies[0], expected another");
    sets[0] = "bodies[s2].kind=fixed";
    says(tl_document_parse("s.txt", BALLS, strlen(BALLS), 1, sets, &document), TL_BAD_DATA,
         "s.txt:2:1: bodies[1]: has 'velocity', expected none");
    /* A ground is for lines alone. */
    says(tl_document_import("/dev/null", true, 0, NULL, &document), TL_FILE, "device");
}

/* Numbers are read and written as in C whatever the program's locale. */
static void languages(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip();
    const tl_status status = parse("S 1 0.5 0 0 0 0 0 0 0 0 1.25 0.1\n");
    setlocale(LC_ALL, "C");
    assert_ok(status);
    assert_non_null(strstr(tl_document_text(document, NULL), "\"position\": [0.5, 0, 0]"));
}

static tl_status parse_all(void)
{
    const tl_status status = parse(BALLS "K 1 2 1 1 1\nC 0 0 0 0 0 4 1 2 3 6 0.5\n"
                                         "P 1 2 3 0 0 4 5 0 0\ncomment");
    tl_document_destroy(document);
    document = NULL;
    return status;
}

static void short_of_memory(void **state)
{
    (void)state;
    tl_document_destroy(document);
    document = NULL;
    each_allocation_may_fail(parse_all);
}

static int end(void **state)
{
    (void)state;
    tl_world_destroy(world);
    tl_document_destroy(document);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres),   cmocka_unit_test(references),      cmocka_unit_test(many),
        cmocka_unit_test(capsules),  cmocka_unit_test(walls),           cmocka_unit_test(rods),
        cmocka_unit_test(comments),  cmocka_unit_test(again),           cmocka_unit_test(refusals),
        cmocka_unit_test(languages), cmocka_unit_test(short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
