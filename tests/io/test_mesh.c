/* Mesh files: STL of both kinds, OBJ with what its writers do, PLY and glTF where assimp is there;
 * and files that are damaged, cut, lying or hostile: a message that says where, and nothing else.
 */
#include "failing.h"
#include "mesh_forms.h"

#include <locale.h>
#include <unistd.h>

#include "talus/io.h"

static tl_mesh *mesh;

static tl_status parse(const char *name, const char *text)
{
    return tl_mesh_parse(name, text, strlen(text), 1, 0, &mesh);
}

static tl_mesh_solid parsed(const char *name, const void *data, size_t length, double scale)
{
    tl_mesh_solid solid;
    assert_ok(tl_mesh_parse(name, data, length, scale, 0, &mesh));
    assert_ok(tl_mesh_measure(mesh, 1, &solid));
    tl_mesh_destroy(mesh);
    mesh = NULL;
    return solid;
}

/* ---- STL ---- */

static char bytes[200000];

static size_t put_binary(void)
{
    const uint32_t count = (uint32_t)the_form.triangle_count;
    char *at = bytes + 84;
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, "solid, says the head of a binary file", 37);
    memcpy(bytes + 80, &count, 4);
    for (uint32_t i = 0; i < count; i++, at += 50)
        for (int n = 0; n < 9; n++) {
            const float x = (float)the_form.vertices[the_form.triangles[i][n / 3]][n % 3];
            memcpy(at + 12 + 4 * n, &x, 4);
        }
    return 84 + 50 * (size_t)count;
}

static size_t put_ascii(void)
{
    char *at = bytes;
    at += sprintf(at, "solid a part\r\n");
    for (size_t i = 0; i < the_form.triangle_count; i++) {
        at += sprintf(at, " FACET normal nan 0 0\n  outer loop\n");
        for (int k = 0; k < 3; k++) {
            const double *v = the_form.vertices[the_form.triangles[i][k]];
            at += sprintf(at, "   vertex %.17g %.17g\t%.17g\n", v[0], v[1], v[2]);
        }
        at += sprintf(at, "  endloop\n endfacet\n");
    }
    return (size_t)(at + sprintf(at, "endsolid a part\n") - bytes);
}

static void stl(void **state)
{
    (void)state;
    form_bracket();
    assert_near(parsed("part.stl", bytes, put_binary(), 1).volume, 0.204, 1e-7);
    assert_near(parsed("PART.STL", bytes, put_binary(), 0.001).volume, 0.204e-9, 1e-16);
    assert_near(parsed("part.stl", bytes, put_ascii(), 1).volume, 0.204, 1e-15);
    /* Two solids in one file. */
    form_clear();
    form_box((double[3]){0, 0, 0}, (double[3]){1, 1, 1});
    size_t length = put_ascii();
    memmove(bytes + length, bytes, length);
    assert_ok(tl_mesh_parse("two.stl", bytes, 2 * length, 1, 0, &mesh));
    assert_int_equal(tl_mesh_describe(mesh).triangle_count, 24);
    tl_mesh_destroy(mesh);
}

static void stl_refusals(void **state)
{
    (void)state;
    uint32_t many = 0xffffffff;
    form_bracket();
    const size_t length = put_binary();
    assert_refused(
        tl_mesh_parse("a.stl", bytes + 6, 60, 1, 0, &mesh), TL_BAD_DATA,
        "a.stl: has 60 bytes and does not begin with 'solid', expected the 84 bytes of the "
        "head of a binary STL file");
    bytes[0] = 'x';
    assert_refused(
        tl_mesh_parse("a.stl", bytes, length - 1, 1, 0, &mesh), TL_BAD_DATA,
        "a.stl: says at byte 80 that it has 24 triangles, expected 1284 bytes; it has 1283");
    memcpy(bytes + 80, &many, 4);
    assert_refused(tl_mesh_parse("a.stl", bytes, length, 1, 0, &mesh), TL_BAD_DATA,
                   "a.stl: says at byte 80 that it has 4294967295 triangles, expected 214748364834 "
                   "bytes; it has 1284");
    put_binary();
    memset(bytes + 84 + 50 * 3 + 12 + 16, 0xff, 4);
    assert_status(tl_mesh_parse("a.stl", bytes, length, 1, 0, &mesh), TL_BAD_DATA);
    assert_non_null(strstr(tl_last_message(), "a.stl: triangle 3 (byte 234): vertex 1 has "));
    memset(bytes + 80, 0, 4);
    assert_refused(tl_mesh_parse("a.stl", bytes, 84, 1, 0, &mesh), TL_BAD_DATA,
                   "a.stl: has no triangles, expected one at least");
    assert_refused(
        parse("a.stl", ""), TL_BAD_DATA,
        "a.stl: has 0 bytes and does not begin with 'solid', expected the 84 bytes of the "
        "head of a binary STL file");
    assert_refused(parse("a.stl", "solid x\n"), TL_BAD_DATA,
                   "a.stl:2: the file ends, expected 'facet' or 'endsolid'");
    assert_refused(
        parse("a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 1 2\n"), TL_BAD_DATA,
        "a.stl:4: a coordinate is the end of the line, expected 3 numbers, of which this is "
        "the 3.");
    assert_refused(parse("a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 1 2 inf\n"),
                   TL_BAD_DATA,
                   "a.stl:4: a coordinate is 'inf', expected 3 numbers, of which this is the 3.");
    assert_refused(parse("a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nendloop"), TL_BAD_DATA,
                   "a.stl:4: 'endloop', expected 'vertex'");
    assert_refused(parse("a.stl", "solid x\n\033[2J"), TL_BAD_DATA,
                   "a.stl:2: '?[2J', expected 'facet' or 'endsolid'");
    assert_null(mesh);
}

/* ---- OBJ ---- */

static const char cube[] = "# a cube, as programs write it\nmtllib x.mtl\no cube\n"
                           "v 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\nv 0 1 0\r\n"
                           "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nvt 0 0\nvn 0 0 1\ns off\n"
                           "f 4/1/1 3/1/1 2/1/1 1/1/1\nf 5//1 6//1 7//1 8//1 # top\n"
                           "f 1 2 6 5\nf 2 3 7 6\nf -6 -5 -1 -2\nf 4 1 \\\n 5 8\nl 1 2\n\n";

static void obj(void **state)
{
    (void)state;
    assert_near(parsed("cube.obj", cube, sizeof cube - 1, 1).volume, 1, 1e-15);
    assert_near(parsed("cube.obj", cube, sizeof cube - 1, 0.0254).volume, 0.0254 * 0.0254 * 0.0254,
                1e-19);
}

/* An arrow and a spiral, as one polygon each: cutting them from one corner would be wrong. */
static void concave_faces(void **state)
{
    (void)state;
    static const double corners[][2] = {{0, 0}, {5, 0}, {5, 5}, {1, 5}, {1, 2}, {3, 2},
                                        {3, 3}, {2, 3}, {2, 4}, {4, 4}, {4, 1}, {0, 1}};
    const int n = 12;
    char text[2000], *at = text;
    double area = 0;
    for (int turn = 0; turn < n; turn++) { /* whichever corner comes first */
        at = text;
        area = 0;
        for (int i = 0; i < n; i++) {
            const double *a = corners[(i + turn) % n], *b = corners[(i + turn + 1) % n];
            at += sprintf(at, "v %g %g 0\nv %g %g 1\n", a[0], a[1], a[0], a[1]);
            area += (a[0] * b[1] - a[1] * b[0]) / 2;
        }
        at += sprintf(at, "f");
        for (int i = n; i-- > 0;)
            at += sprintf(at, " %d", 2 * i + 1);
        at += sprintf(at, "\nf");
        for (int i = 0; i < n; i++)
            at += sprintf(at, " %d", 2 * i + 2);
        for (int i = 0; i < n; i++)
            at += sprintf(at, "\nf %d %d %d %d", 2 * i + 1, 2 * ((i + 1) % n) + 1,
                          2 * ((i + 1) % n) + 2, 2 * i + 2);
        context("turn %d", turn);
        assert_near(parsed("s.obj", text, strlen(text), 1).volume, area, 1e-12);
        assert_ok(parse("s.obj", text));
        /* No triangle lies outside: their areas add up to that of the surface. */
        double around = 0;
        for (int i = 0; i < n; i++)
            around += hypot(corners[i][0] - corners[(i + 1) % n][0],
                            corners[i][1] - corners[(i + 1) % n][1]);
        assert_near(tl_mesh_describe(mesh).area, 2 * area + around, 1e-12);
        tl_mesh_destroy(mesh);
        mesh = NULL;
    }
}

static void obj_refusals(void **state)
{
    (void)state;
    assert_refused(
        parse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"), TL_BAD_DATA,
        "a.obj:4: a corner is '4', expected the number of a vertex: there are 3 up to here, "
        "counted from 1, or from -1 backwards");
    assert_status(parse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n"), TL_BAD_DATA);
    assert_status(parse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n"), TL_BAD_DATA);
    assert_status(parse("a.obj", "v 0 0 0\nf 1 1 99999999999999999999999\n"), TL_BAD_DATA);
    assert_refused(parse("a.obj", "v 0 0 0\nf 1 1\n"), TL_BAD_DATA,
                   "a.obj:2: a face has 2 corners, expected 3 or more");
    assert_refused(parse("a.obj", "v 0 0 0\nf 1 x 1\n"), TL_BAD_DATA,
                   "a.obj:2: a corner is 'x', expected the number of a vertex");
    assert_refused(parse("a.obj", "v 0 zero 0\n"), TL_BAD_DATA,
                   "a.obj:1: a coordinate is 'zero', expected 3 numbers, of which this is the 2.");
    assert_refused(
        parse("a.obj", "v 0 0\n0\n"), TL_BAD_DATA,
        "a.obj:1: a coordinate is the end of the line, expected 3 numbers, of which this is "
        "the 3.");
    assert_status(parse("a.obj", "v 0 0 nan\n"), TL_BAD_DATA);
    assert_refused(
        parse("a.obj", "\ncstype bspline\n"), TL_BAD_DATA,
        "a.obj:2: unknown keyword 'cstype', expected 'v', 'f' or what does not change the "
        "surface; curves and curved surfaces are not read");
    assert_refused(parse("a.obj", "v 0 0 0\n"), TL_BAD_DATA,
                   "a.obj: has no triangles, expected one at least");
    assert_refused(
        parse("a.obj", "v 0 0 0\nf 1 1 1\n"), TL_BAD_DATA,
        "a.obj: triangles: all 1 have a vertex twice; one at least must have three vertices");
    assert_refused(parse("a.obj", "v 0 0 0\nv 1e300 0 0\nv 0 1 0\nf 1 2 3\n"), TL_BAD_DATA,
                   "a.obj: vertices[1][0] is 1e+300; it must be a number below 1e+12 m");
    /* A face with too many corners. */
    char *at = bytes + sprintf(bytes, "v 0 0 0\nf");
    for (int i = 0; i < 1025; i++)
        at += sprintf(at, " 1");
    assert_refused(parse("a.obj", bytes), TL_BAD_DATA,
                   "a.obj:2: a face has more than 1024 corners, expected at most that many");
    assert_null(mesh);
}

/* ---- Files ---- */

static void files(void **state)
{
    (void)state;
    char path[] = "/tmp/talus-mesh-XXXXXX.obj";
    const int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, cube, sizeof cube - 1), sizeof cube - 1);
    close(fd);
    setlocale(LC_ALL, "de_DE.UTF-8"); /* a decimal comma, where there is that language */
    assert_ok(tl_mesh_read(path, 1, 0, &mesh));
    setlocale(LC_ALL, "C");
    assert_int_equal(tl_mesh_describe(mesh).triangle_count, 12);
    tl_mesh_destroy(mesh);
    unlink(path);
    assert_status(tl_mesh_read(path, 1, 0, &mesh), TL_FILE);
    assert_status(tl_mesh_read("/tmp/.obj/x.obj", 1, 0, &mesh), TL_FILE);
    assert_status(tl_mesh_read(NULL, 1, 0, &mesh), TL_BAD_ARGUMENT);
    assert_status(tl_mesh_read(path, 0, 0, &mesh), TL_BAD_ARGUMENT);
    assert_status(tl_mesh_read(path, 1, -1, &mesh), TL_BAD_ARGUMENT);
    assert_status(tl_mesh_read(path, 1, 0, NULL), TL_BAD_ARGUMENT);
    assert_refused(
        tl_mesh_read("part.step", 1, 0, &mesh), TL_BAD_DATA,
        "part.step: its name ends in no format of meshes, expected .stl, .obj, .ply, .dae, "
        ".gltf or .glb");
    assert_true(tl_mesh_is_file("a/b.Stl") && tl_mesh_is_file("x.glb"));
    assert_false(tl_mesh_is_file("a.stl/b") || tl_mesh_is_file("stl") || tl_mesh_is_file(NULL));
}

/* ---- assimp ---- */

static const char ply[] =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
    "property float z\nelement face 4\nproperty list uchar int vertex_indices\n"
    "end_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n";

/* A tetrahedron of edges 1, twice as large by its node. */
static const char gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\""
    "mesh\":0,\"scale\":[2,2,2]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":"
    "0},\"indices\":1}]}],\"buffers\":[{\"byteLength\":72,\"uri\":\"data:application/octet-st"
    "ream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAACAAEAAAAB"
    "AAMAAQACAAMAAgAAAAMA\"}],\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":"
    "48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":24}],\"accessors\":[{\"bufferView\":0"
    ",\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,1]},{"
    "\"bufferView\":1,\"componentType\":5123,\"count\":12,\"type\":\"SCALAR\"}]}";

/* The same in millimetres. */
static const char dae[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" v"
    "ersion=\"1.4.1\"><asset><unit name=\"millimeter\" meter=\"0.001\"/><up_axis>Z_UP</up_axi"
    "s></asset><library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id="
    "\"a\" count=\"12\">0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common><accessor sour"
    "ce=\"#a\" count=\"4\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" t"
    "ype=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles cou"
    "nt=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 2 1 0 1 3 1 2 3 2 0"
    " 3</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_"
    "scene id=\"s\"><node><instance_geometry url=\"#g\"/></node></visual_scene></library_visu"
    "al_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";

static void other_formats(void **state)
{
    (void)state;
    if (!tl_mesh_has_assimp()) {
        assert_refused(
            parse("a.ply", ply), TL_BAD_DATA,
            "a.ply: is .ply, which needs assimp, and this Talus was built without it; .stl "
            "and .obj do not need it");
        return;
    }
    assert_near(parsed("a.ply", ply, sizeof ply - 1, 1).volume, 1.0 / 6, 1e-7);
    assert_near(parsed("a.gltf", gltf, sizeof gltf - 1, 1).volume, 8.0 / 6, 1e-6);
    assert_near(parsed("a.dae", dae, sizeof dae - 1, 1).volume, 1e-9 / 6, 1e-16);
    assert_status(parse("a.ply", "ply\nformat ascii 1.0\nelement vertex 4000000000\n"),
                  TL_BAD_DATA);
    assert_status(parse("a.glb", "glTF"), TL_BAD_DATA);
    assert_status(parse("a.dae", "<COLLADA>"), TL_BAD_DATA);
    assert_non_null(strstr(tl_last_message(), "a.dae: "));
}

/* ---- Memory ---- */

static tl_status parse_cube(void)
{
    const tl_status status = parse("cube.obj", cube);
    tl_mesh_destroy(mesh);
    mesh = NULL;
    return status;
}

static tl_status parse_stl(void)
{
    const tl_status status = tl_mesh_parse("x.stl", bytes, put_binary(), 1, 1e-3, &mesh);
    tl_mesh_destroy(mesh);
    mesh = NULL;
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    each_allocation_may_fail(parse_cube);
    form_bracket();
    each_allocation_may_fail(parse_stl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stl),           cmocka_unit_test(stl_refusals), cmocka_unit_test(obj),
        cmocka_unit_test(concave_faces), cmocka_unit_test(obj_refusals), cmocka_unit_test(files),
        cmocka_unit_test(other_formats), cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
