/* Values set on top of a scene: parameters and paths; what is wrong with them; and the text that
 * they leave, in which every other number keeps its digits. */
#include "io/scene_text.h"

static const char scene[] =
    "{'version': 1,\n"
    " 'parameters': {'orifice': 0.4, 'n': 3},\n"
    " 'step': 0.0100000000000000000001,\n"
    " 'duration': '=orifice*10',\n"
    " 'materials': {'my steel': {'friction': 0.3}},\n"
    " 'bodies': [{'name': 'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n"
    "   {'name': 'ball', 'position': [0, 0, 1], 'density': 1000,\n"
    "    'shapes': [{'kind': 'sphere', 'radius': 0.1}]}],\n"
    " 'fills': [{'name': 'sand', 'region': {'kind': 'box', 'low': [0, 0, 2], 'high': [1, 1, 3]},\n"
    "   'radius': 0.1, 'count': '=n'}]}";

static tl_document *with(size_t count, const char *const *sets)
{
    tl_document *document = NULL;
    assert_ok(parse_sets(scene, count, sets, &document));
    return document;
}

#define WITH(...) \
    with(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

static void sets_values(void **state)
{
    (void)state;
    tl_document *d = WITH("n=5", "gravity=[0, 0, -1.6]", "solver.iterations=20", "title=a \"b\" \\",
                          "orifice==2*0.3", "step==orifice/100", "record.contacts=true");
    const tl_settings s = tl_scene_settings(tl_document_scene(d));
    assert_int_equal(tl_scene_body_count(tl_document_scene(d)), 7);
    assert_near(s.gravity[2], -1.6, 0);
    assert_int_equal(s.solver.iterations, 20);
    assert_near(s.step, 0.6 / 100, 0);
    assert_near(tl_document_record(d).duration, 6, 1e-15);
    assert_true(tl_document_record(d).contacts);
    assert_string_equal(tl_document_title(d), "a \"b\" \\");
    tl_document_destroy(d);
    d = WITH("fills[0].count=7", "fills[sand].count=6", "bodies[1].position[2]=1.5",
             "gravity=[0,0,-3]", "gravity[2]=-2", "materials[my steel].friction=0.7");
    assert_int_equal(tl_scene_body_count(tl_document_scene(d)), 8);
    assert_near(tl_scene_settings(tl_document_scene(d)).gravity[2], -2, 0);
    tl_document_destroy(d);
}

static void text_is_the_old_one_but_for_what_was_set(void **state)
{
    (void)state;
    tl_document *d = WITH("orifice=0.5", "bodies[ball].density=7800.50", "solver.iterations=20");
    char *want = quoted(
        "{'version': 1,\n"
        "'parameters': {'orifice': 0.5, 'n': 3},\n"
        "'step': 0.0100000000000000000001,\n"
        "'duration': '=orifice*10',\n"
        "'materials': {'my steel': {'friction': 0.3}},\n"
        "'bodies': [{'name': 'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}, "
        "{'name': 'ball', 'position': [0, 0, 1], 'density': 7800.50, "
        "'shapes': [{'kind': 'sphere', 'radius': 0.1}]}],\n"
        "'fills': [{'name': 'sand', 'region': {'kind': 'box', 'low': [0, 0, 2], 'high': [1, 1, "
        "3]},\n   'radius': 0.1, 'count': '=n'}],\n"
        "'solver': {'iterations': 20}}\n");
    assert_string_equal(tl_document_text(d, NULL), want);
    free(want);
    tl_document_destroy(d);
    d = WITH("title=a");
    assert_non_null(strstr(tl_document_text(d, NULL), "\"title\": \"a\"}"));
    tl_document_destroy(d);
}

static void describes_what_was_set(void **state)
{
    (void)state;
    char text[100];
    tl_document *d = WITH("bodies=[{\"shapes\": [{\"kind\": \"sphere\", \"radius\": 1}]}]");
    tl_document_describe(d, (tl_body){1, 1}, text, sizeof text);
    assert_string_equal(text, "--set bodies: bodies[0]");
    tl_document_describe(d, (tl_body){2, 1}, text, sizeof text);
    assert_string_equal(text, "s.json:9:12: fills[0] \"sand\", 1 of 3");
    tl_document_destroy(d);
}

static void refuses_bad_sets(void **state)
{
    (void)state;
    static const struct {
        const char *set, *message;
    } cases[] = {
        {"gravity", "--set gravity: expected NAME=VALUE"},
        {"=3", "--set : expected NAME=VALUE"},
        {"orifce=0.5", "--set orifce: neither a parameter nor a key of the scene, expected one; "
                       "did you mean 'orifice'?"},
        {"gravty=[0,0,1]", "--set gravty: neither a parameter nor a key of the scene, expected "
                           "one; did you mean 'gravity'?"},
        {"xyzzy.a=1", "--set xyzzy.a: neither a parameter nor a key of the scene, expected one; "
                      "parameters are orifice, n"},
        {"gravity=[0,0]",
         "--set gravity: is an array of 2, expected an array of 3, each a number (m/s^2)"},
        {"gravity=[0,0,\"a\"]", "--set gravity: gravity[2]: is \"a\", expected a number (m/s^2)"},
        {"gravity=[0,0,-9.81",
         "--set gravity: is \"[0,0,-9.81\", expected an array of 3, each a number (m/s^2)"},
        {"step=-1", "--set step: is -1, expected a number above 0 (s)"},
        {"step=nan", "--set step: is \"nan\", expected a number above 0 (s)"},
        {"step==orifice*", "--set step: in \"=orifice*\": it ends here, expected a number, a name "
                           "or '('"},
        {"n=-3", "s.json:10:28: fills[0].count: is \"=n\", which gives -3, expected a whole number "
                 "from 1 to 500000000"},
        {"n=many", "--set n: is \"many\", expected a number, or an expression of earlier "
                   "parameters such as \"=2*pi\""},
        {"solver.iteratons=20",
         "--set solver.iteratons: unknown key 'iteratons'; did you mean 'iterations'?"},
        {"bodies[ball].desnity=1",
         "--set bodies[ball].desnity: unknown key 'desnity'; did you mean 'density'?"},
        {"bodies[bal].density=1",
         "--set bodies[bal].density: no entry has the name 'bal', expected "
         "a name or a number from 0; did you mean 'ball'?"},
        {"bodies[2].density=1", "--set bodies[2].density: there is no entry 2, expected one below "
                                "2"},
        {"bodies.density=1", "--set bodies.density: 'density' leads into an array of 2, expected a "
                             "path that is in the scene"},
        {"step.a=1", "--set step.a: 'a' leads into 0.0100000000000000000001, expected a path that "
                     "is in the scene"},
        {"gravity[2]=1", "--set gravity[2]: there is no 'gravity', expected a path that is in the "
                         "scene"},
        {"bodies[]=1", "--set bodies[]: is no path, expected one such as gravity, "
                       "solver.iterations, fills[0].count or bodies[NAME].density"},
        {"bodies[0=1", "--set bodies[0: is no path, expected one such as gravity, "
                       "solver.iterations, fills[0].count or bodies[NAME].density"},
        {"solver.=1", "--set solver.: is no path, expected one such as gravity, solver.iterations, "
                      "fills[0].count or bodies[NAME].density"},
        {"bodies[0]x=1", "--set bodies[0]x: is no path, expected one such as gravity, "
                         "solver.iterations, fills[0].count or bodies[NAME].density"},
        {"version=2",
         "--set version: is 2, expected 1, or a text \"1.0\" to \"1.1\": the versions of the "
         "format that this Talus reads"},
        {"title=\xff", "--set title: found byte 0xff, expected UTF-8"},
        {"fills[0].size={\"kind\":\"uniform\"}",
         "--set fills[0].size: has both 'radius' and 'size', expected one of them"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tl_document *document = NULL;
        context("%s", cases[i].set);
        assert_status(parse_sets(scene, 1, &cases[i].set, &document), TL_BAD_DATA);
        assert_string_equal(tl_last_message(), cases[i].message);
        assert_null(document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_values),
        cmocka_unit_test(text_is_the_old_one_but_for_what_was_set),
        cmocka_unit_test(describes_what_was_set),
        cmocka_unit_test(refuses_bad_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
