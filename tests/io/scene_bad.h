/* Every rule of the scene format broken once, with the message that says so. Quotes are single here
 * and double in the scene; "s.json" stands for the file. `seen` tells whether a JSON Schema can see
 * the fault; tests/cli/test_schema.py holds docs/scene.schema.json to it. */
#ifndef TALUS_TESTS_SCENE_BAD_H
#define TALUS_TESTS_SCENE_BAD_H

#include <stdbool.h>

/* A moving patch with these keys, in a scene with a cart of 1 m and a bed of two grains. */
#define PATCH(keys)                                                                                \
    SCENE("'bodies': [{'name': 'cart', 'shapes': [{'kind': 'box', 'size': [1, 1, 1]}]}, {'name': " \
          "'bed', 'positions': [[9, 9, 9], [8, 8, 8]], 'shapes': [{'kind': 'sphere', 'radius': "   \
          "0.1}]}],\n  'moving_patch': {" keys "}")
#define SCENE(members) "{'version': 1,\n" members "}"

/* Bodies to join. */
#define RODS                                                                                 \
    "'bodies': [{'name': 'arm', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "  \
    "'wall', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'links', 'repeat': " \
    "{'count': 3}, 'position': ['=i', 5, 0],\n'shapes': [{'kind': 'sphere', 'radius': "      \
    "0.1}]}],\n'rods': "
#define TWO "'bodies': [['links', 0], ['links', 1]]"

#define JOINTS                                                                               \
    "'bodies': [{'name': 'arm', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "  \
    "'wall', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'links', 'repeat': " \
    "{'count': 3}, 'position': ['=i', 5, 0],\n'shapes': [{'kind': 'sphere', 'radius': "      \
    "0.1}]}],\n'joints': "

typedef struct bad_scene {
    bool seen;
    const char *text, *message;
} bad_scene;

enum { BLIND = false, SEEN = true };

static const bad_scene bad_scenes[] = {
    /* ---- The text ---- */
    {BLIND, "", "s.json:1:1: is empty, expected a scene: {\"version\": 1, ...}"},
    {BLIND, " \n\t ", "s.json:1:1: is empty, expected a scene: {\"version\": 1, ...}"},
    {BLIND, "\xef\xbb\xbf", "s.json:1:1: is empty, expected a scene: {\"version\": 1, ...}"},
    {BLIND, "{'version': 1", "s.json:1:14: found the end of the text, expected ',' or '}'"},
    {BLIND, "{'version': 1,}",
     "s.json:1:15: found '}' after ',', expected another value or no comma"},
    {BLIND, "{'version': 1} x", "s.json:1:16: found 'x', expected the end of the text"},
    {BLIND, "{'version' 1}", "s.json:1:12: found '1', expected ':' after the key"},
    {BLIND, "{version: 1}", "s.json:1:2: found 'v', expected a key in double quotes"},
    {BLIND, "{'version': 1, // a comment\n}",
     "s.json:1:16: found '/', expected a key in double quotes; JSON has no comments: use a key "
     "\"comment\""},
    {BLIND, "{'version': 1 'title': ''}", "s.json:1:15: found '\"', expected ',' or '}'"},
    {BLIND, SCENE("'gravity': [0, 0, -9.81,]"),
     "s.json:2:25: found ']' after ',', expected another value or no comma"},
    {BLIND, SCENE("'gravity': [0, 0 -9.81]"), "s.json:2:18: found '-', expected ',' or ']'"},
    {BLIND, SCENE("'step': .5"),
     "s.json:2:9: found a number without a digit before the point, expected one as in 0.5 or -0.5"},
    {BLIND, SCENE("'step': 1."),
     "s.json:2:9: found a number without a digit after the point, expected one as in 1.0"},
    {BLIND, SCENE("'step': 01"), "s.json:2:9: found a number with a zero in front, expected none"},
    {BLIND, SCENE("'step': 1e"),
     "s.json:2:9: found a number without a digit after the e, expected one as in 1e6"},
    {BLIND, SCENE("'step': -"),
     "s.json:2:9: found a number without a digit before the point, expected one as in 0.5 or -0.5"},
    {BLIND, SCENE("'step': +1"), "s.json:2:9: found '+', expected a value"},
    {BLIND, SCENE("'step': NaN"),
     "s.json:2:9: found NaN, expected a value; texts stand in double quotes"},
    {BLIND, SCENE("'step': Infinity"),
     "s.json:2:9: found Infinity, expected a value; texts stand in double quotes"},
    {BLIND, SCENE("'step': 1e999"), "s.json:2:9: found 1e999, expected a number below 1.8e308"},
    {BLIND, SCENE("'title': 'a\nb'"),
     "s.json:2:12: found byte 0x0a in a text, expected its closing '\"' or an escape"},
    {BLIND, SCENE("'title': 'a\\x'"),
     "s.json:2:12: found a bad escape, expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"},
    {BLIND, SCENE("'title': '\\ud800'"),
     "s.json:2:11: found a bad \\u escape, expected the four hexadecimal digits of a character "
     "other than 0"},
    {BLIND, SCENE("'title': '\\u0000'"),
     "s.json:2:11: found a bad \\u escape, expected the four hexadecimal digits of a character "
     "other than 0"},
    {BLIND, SCENE("'title': 'abc"),
     "s.json:2:10: found a text without an end, expected its closing '\"'"},
    {BLIND, SCENE("'title': '\\u00'"),
     "s.json:2:11: found a bad \\u escape, expected the four hexadecimal digits of a character "
     "other than 0"},
    {BLIND, SCENE("  'title': 'Größe', 'step': tru"),
     "s.json:2:29: found tru, expected a value; texts stand in double quotes"},
    {SEEN,
     "{'version': 1, 'comment': "
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}",
     "s.json:1:90: found values nested more than 64 deep, expected fewer"},
    /* ---- The top level ---- */
    {SEEN, "[]",
     "s.json:1:1: is an empty array, expected an object: a scene, {\"version\": 1, ...}"},
    {SEEN, "{}",
     "s.json:1:1: has no 'version', expected 1, or a text \"1.0\" to \"1.1\": the "
     "versions of the format that this Talus reads"},
    {SEEN, "{'version': 2, 'colour': 3}",
     "s.json:1:13: version: is 2, expected 1, or a text \"1.0\" to \"1.1\": the "
     "versions of the format that this Talus reads"},
    {SEEN, "{'version': '1'}",
     "s.json:1:13: version: is \"1\", expected 1, or a text \"1.0\" to \"1.1\": the "
     "versions of the format that this Talus reads"},
    {SEEN, "{'version': '1.7'}",
     "s.json:1:13: version: is version 1.7 of scenes, expected at most 1.1: this is "
     "Talus " TL_VERSION_STRING ", and a later one reads it"},
    {SEEN, "{'version': true}",
     "s.json:1:13: version: is true, expected 1, or a text \"1.0\" to \"1.1\": the "
     "versions of the format that this Talus reads"},
    {SEEN, SCENE("'gravty': [0, 0, -1]"),
     "s.json:2:1: unknown key 'gravty'; did you mean 'gravity'?"},
    {SEEN, SCENE("'colour': 3"),
     "s.json:2:1: unknown key 'colour', expected '$schema', 'version', 'title', 'parameters', "
     "'include', 'gravity', 'step', 'duration', 'record', 'settings', 'solver', 'materials', "
     "'pairs', "
     "'groups', 'exclude', "
     "'geometries', 'bodies', 'fills', 'rods', 'emitters', 'events', 'boundaries', "
     "'moving_patch', 'forces', 'joints', 'start' or 'monitors'"},
    {SEEN, SCENE("'title': 3"), "s.json:2:10: title: is 3, expected a text"},
    {SEEN, SCENE("'$schema': 3"), "s.json:2:12: $schema: is 3, expected a text"},
    {SEEN, SCENE("'comment': 3"), "s.json:2:12: comment: is 3, expected a text"},
    {BLIND, SCENE("'step': 0.01,\n  'step': 0.02"),
     "s.json:3:3: duplicate key 'step', expected it once"},
    {BLIND, SCENE("'st\\u0065p': 0.01,\n  'step': 0.02"),
     "s.json:3:3: duplicate key 'step', expected it once"},
    {SEEN, SCENE("'gravity': [0, 0]"),
     "s.json:2:12: gravity: is an array of 2, expected an array of 3, each a number (m/s^2)"},
    {SEEN, SCENE("'gravity': 9.81"),
     "s.json:2:12: gravity: is 9.81, expected an array of 3, each a number (m/s^2)"},
    {SEEN, SCENE("'gravity': [0, 0, 'down']"),
     "s.json:2:19: gravity[2]: is \"down\", expected a number (m/s^2)"},
    {SEEN, SCENE("'gravity': {}"),
     "s.json:2:12: gravity: is an object, expected an array of 3, each a number (m/s^2)"},
    {SEEN, SCENE("'gravity': []"),
     "s.json:2:12: gravity: is an empty array, expected an array of 3, each a number (m/s^2)"},
    {SEEN, SCENE("'step': 0"), "s.json:2:9: step: is 0, expected a number above 0 (s)"},
    {SEEN, SCENE("'step': -0.01"), "s.json:2:9: step: is -0.01, expected a number above 0 (s)"},
    {SEEN, SCENE("'step': '0.01'"), "s.json:2:9: step: is \"0.01\", expected a number above 0 (s)"},
    {SEEN, SCENE("'step': null"), "s.json:2:9: step: is null, expected a number above 0 (s)"},
    {SEEN, SCENE("'duration': 0"), "s.json:2:13: duration: is 0, expected a number above 0 (s)"},
    {SEEN, SCENE("'duration': true"),
     "s.json:2:13: duration: is true, expected a number above 0 (s)"},
    /* ---- Parameters and expressions ---- */
    {SEEN, SCENE("'parameters': [1]"),
     "s.json:2:15: parameters: is an array of 1, expected an object: names with numbers"},
    {SEEN, SCENE("'parameters': {'a b': 1}"),
     "s.json:2:16: parameters: 'a b' cannot be used in an expression, expected a name of letters, "
     "digits and _"},
    {SEEN, SCENE("'parameters': {'2a': 1}"),
     "s.json:2:16: parameters: '2a' cannot be used in an expression, expected a name of letters, "
     "digits and _"},
    {SEEN, SCENE("'parameters': {'': 1}"),
     "s.json:2:16: parameters: '' cannot be used in an expression, expected a name of letters, "
     "digits and _"},
    {SEEN, SCENE("'parameters': {'sqrt': 1}"),
     "s.json:2:16: parameters: 'sqrt' is built in, expected another name"},
    {SEEN, SCENE("'parameters': {'pi': 3}"),
     "s.json:2:16: parameters: 'pi' is built in, expected another name"},
    {SEEN, SCENE("'parameters': {'a': true}"),
     "s.json:2:21: parameters.a: is true, expected a number, or an expression of earlier "
     "parameters such as \"=2*pi\""},
    {SEEN, SCENE("'parameters': {'a': 'b'}"),
     "s.json:2:21: parameters.a: is \"b\", expected a number, or an expression of earlier "
     "parameters such as \"=2*pi\""},
    {BLIND, SCENE("'parameters': {'a': 1, 'a': 2}"),
     "s.json:2:24: parameters: duplicate key 'a', expected it once"},
    {BLIND, SCENE("'parameters': {'a': '=b', 'b': 1}"),
     "s.json:2:23: parameters.a: in \"=b\": unknown name 'b', expected a parameter declared "
     "before, pi or a function"},
    {BLIND, SCENE("'parameters': {'a': '=a'}"),
     "s.json:2:23: parameters.a: in \"=a\": unknown name 'a', expected a parameter declared "
     "before, pi or a function"},
    {BLIND, SCENE("'parameters': {'orifice': 0.4},\n'step': '=0.01*orifce'"),
     "s.json:3:16: step: in \"=0.01*orifce\": unknown name 'orifce', expected a parameter declared "
     "before, pi or a function; did you mean 'orifice'?"},
    {BLIND, SCENE("'step': '=0.01*(2+'"),
     "s.json:2:19: step: in \"=0.01*(2+\": it ends here, expected a number, a name or '('"},
    {BLIND, SCENE("'step': '='"),
     "s.json:2:11: step: in \"=\": it ends here, expected a number, a name or '('"},
    {BLIND, SCENE("'step': '=1 2'"),
     "s.json:2:13: step: in \"=1 2\": found '2', expected an operator or the end"},
    {BLIND, SCENE("'step': '=(1'"), "s.json:2:13: step: in \"=(1\": it ends here, expected ')'"},
    {BLIND, SCENE("'step': '=2**3'"),
     "s.json:2:13: step: in \"=2**3\": found '*', expected a number, a name or '('"},
    {BLIND, SCENE("'step': '=sqrt 2'"),
     "s.json:2:16: step: in \"=sqrt 2\": found '2', expected '(' after the name of a function"},
    {BLIND, SCENE("'step': '=sqrt(1, 2)'"),
     "s.json:2:11: step: in \"=sqrt(1, 2)\": sqrt has 2 values, expected 1"},
    {BLIND, SCENE("'step': '=min()'"),
     "s.json:2:15: step: in \"=min()\": found ')', expected a number, a name or '('"},
    {BLIND, SCENE("'step': '=1/0'"),
     "s.json:2:9: step: is \"=1/0\", which gives inf, expected a number above 0 (s)"},
    {BLIND, SCENE("'step': '=sqrt(-1)'"),
     "s.json:2:9: step: is \"=sqrt(-1)\", which gives no number, expected a number above 0 (s)"},
    {BLIND, SCENE("'step': '=-0.01'"),
     "s.json:2:9: step: is \"=-0.01\", which gives -0.01, expected a number above 0 (s)"},
    {BLIND, SCENE("'step': '=1.2.3'"),
     "s.json:2:11: step: in \"=1.2.3\": found '1.2.3', expected a number"},
    {BLIND, SCENE("'step': '=0.01*é'"),
     "s.json:2:16: step: in \"=0.01*é\": found 'é', expected a number, a name or '('"},
    {BLIND, SCENE("'step': '=0.01\\u002ax'"),
     "s.json:2:9: step: in \"=0.01\\u002ax\": unknown name 'x', expected a parameter declared "
     "before, pi or a function"},
    {BLIND,
     SCENE("'step': "
           "'=((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))"
           "))))))))))))))))))))))))))))))))))))))))))))))))))))))))'"),
     "s.json:2:75: step: in \"=(((((((((((((((((((((((((((((((((((((((((((((((((((((((((...: it is "
     "nested more than 64 deep, expected less"},
    {BLIND, SCENE("'step': '=max(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)'"),
     "s.json:2:47: step: in \"=max(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)\": max has more than 16 "
     "values, expected fewer"},
    /* ---- Recording, settings and the solver ---- */
    {SEEN, SCENE("'record': []"),
     "s.json:2:11: record: is an empty array, expected an object: what to record"},
    {SEEN, SCENE("'record': {'rate': -1}"),
     "s.json:2:20: record.rate: is -1, expected a number of at least 0 (frames/s)"},
    {SEEN, SCENE("'record': {'contacts': 1}"),
     "s.json:2:24: record.contacts: is 1, expected true or false"},
    {SEEN, SCENE("'record': {'checkpoint': 0}"),
     "s.json:2:26: record.checkpoint: is 0, expected a number above 0 (s)"},
    {SEEN, SCENE("'record': {'duration': 1}"),
     "s.json:2:12: record: unknown key 'duration', expected 'rate', 'contacts', 'checkpoint', "
     "'fields', 'bodies', 'compression' or 'error'"},
    {SEEN, SCENE("'record': {'fields': 'velocity'}"),
     "s.json:2:22: record.fields: is \"velocity\", expected an array of \"position\", "
     "\"orientation\", \"velocity\" and \"angular_velocity\""},
    {SEEN, SCENE("'record': {'fields': ['velocty']}"),
     "s.json:2:23: record.fields[0]: is \"velocty\", expected \"position\", \"orientation\", "
     "\"velocity\" or \"angular_velocity\"; did you mean 'velocity'?"},
    {SEEN, SCENE("'record': {'bodies': []}"),
     "s.json:2:22: record.bodies: is an empty array, expected an array of names of bodies, "
     "fills or emitters"},
    {BLIND, SCENE("'record': {'bodies': ['balls']}"),
     "s.json:2:23: record.bodies[0]: is \"balls\", expected the name of a body or fill"},
    {BLIND,
     SCENE("'record': {'bodies': ['a', 'a']}, 'bodies': [{'name': 'a', 'shapes': [{'kind': "
           "'sphere', 'radius': 1}]}]"),
     "s.json:2:28: record.bodies[1]: names a body or fill again, expected each once"},
    {SEEN, SCENE("'record': {'compression': 'zip'}"),
     "s.json:2:27: record.compression: is \"zip\", expected \"none\", \"lossless\" or "
     "\"quantised\""},
    {SEEN, SCENE("'record': {'compression': 'quantised', 'error': 0}"),
     "s.json:2:49: record.error: is 0, expected a number above 0 (m)"},
    {BLIND, SCENE("'record': {'error': 1}"),
     "s.json:2:21: record.error: is given, but compression is \"none\", expected "
     "\"quantised\""},
    {SEEN, SCENE("'settings': 1"), "s.json:2:13: settings: is 1, expected an object: settings"},
    {SEEN, SCENE("'settings': {'envelop': 1}"),
     "s.json:2:14: settings: unknown key 'envelop'; did you mean 'envelope'?"},
    {SEEN, SCENE("'settings': {'envelope': -1}"),
     "s.json:2:26: settings.envelope: is -1, expected a number of at least 0 (m)"},
    {SEEN, SCENE("'settings': {'overlap': 'spilt'}"),
     "s.json:2:25: settings.overlap: is \"spilt\", expected \"split\" or \"velocity\"; did you "
     "mean 'split'?"},
    {SEEN, SCENE("'settings': {'overlap': 1}"),
     "s.json:2:25: settings.overlap: is 1, expected \"split\" or \"velocity\""},
    {SEEN, SCENE("'settings': {'recovery_fraction': 0}"),
     "s.json:2:35: settings.recovery_fraction: is 0, expected a number above 0 and at most 1"},
    {SEEN, SCENE("'settings': {'recovery_fraction': 1.5}"),
     "s.json:2:35: settings.recovery_fraction: is 1.5, expected a number above 0 and at most 1"},
    {SEEN, SCENE("'settings': {'impacts': 'one'}"),
     "s.json:2:25: settings.impacts: is \"one\", expected \"simultaneous\" or \"propagating\""},
    {SEEN, SCENE("'settings': {'recovery_speed': 0}"),
     "s.json:2:32: settings.recovery_speed: is 0, expected a number above 0 (m/s)"},
    {SEEN, SCENE("'settings': {'restitution_speed': -1}"),
     "s.json:2:35: settings.restitution_speed: is -1, expected a number of at least 0 (m/s)"},
    {SEEN, SCENE("'settings': {'max_speed': 0}"),
     "s.json:2:27: settings.max_speed: is 0, expected a number above 0 (m/s)"},
    {SEEN, SCENE("'settings': {'precision': 'single'}"),
     "s.json:2:27: settings.precision: is \"single\", expected \"mixed\" or \"double\""},
    {SEEN, SCENE("'settings': {'stepper': 'pegs'}"),
     "s.json:2:25: settings.stepper: is \"pegs\", expected \"dvi\", \"smooth\", "
     "\"stewart-trinkle\", \"peg\" or \"penalty\"; did you mean 'peg'?"},
    {SEEN, SCENE("'settings': {'planar': 'xy'}"),
     "s.json:2:24: settings.planar: is \"xy\", expected \"none\" or \"xz\"; did you mean 'xz'?"},
    {SEEN, SCENE("'settings': {'planes': 'far'}"),
     "s.json:2:24: settings.planes: is \"far\", expected \"by-motion\" or \"nearest\""},
    {SEEN, SCENE("'settings': {'exact': 'peg'}"),
     "s.json:2:23: settings.exact: is \"peg\", expected an object: exact"},
    {SEEN, SCENE("'settings': {'exact': {'epsilon': -0.1}}"),
     "s.json:2:35: settings.exact.epsilon: is -0.1, expected a number of at least 0 (m)"},
    {SEEN, SCENE("'settings': {'exact': {'epsilon': null}}"),
     "s.json:2:35: settings.exact.epsilon: is null, expected a number of at least 0 (m)"},
    {SEEN, SCENE("'settings': {'exact': {'psi_minimum': -1}}"),
     "s.json:2:39: settings.exact.psi_minimum: is -1, expected a number of at least 0 (m)"},
    {SEEN, SCENE("'settings': {'penalty': {'law': 'hooke'}}"),
     "s.json:2:33: settings.penalty.law: is \"hooke\", expected \"hertz\", \"linear\" or "
     "\"scaled\""},
    {BLIND, SCENE("'settings': {'penalty': {'damping': 1}}"),
     "s.json:2:37: settings.penalty.damping: is given, but law is \"hertz\", expected \"scaled\""},
    {BLIND, SCENE("'settings': {'penalty': {'law': 'scaled', 'rolling': 'constant'}}"),
     "s.json:2:54: settings.penalty.rolling: is given, but law is \"scaled\", expected \"hertz\" "
     "or "
     "\"linear\""},
    {SEEN, SCENE("'settings': {'penalty': {'substeps': 0}}"),
     "s.json:2:38: settings.penalty.substeps: is 0, expected a whole number from 1 to 1000000"},
    {SEEN, SCENE("'settings': {'penalty': {'substeps': 'some'}}"),
     "s.json:2:38: settings.penalty.substeps: is \"some\", expected a whole number from 1 to "
     "1000000"},
    {SEEN, SCENE("'materials': {'m': {'friction_ellipsoid': [1, 0, 1]}}"),
     "s.json:2:47: materials.m.friction_ellipsoid[1]: is 0, expected a number from 0.01 to 100"},
    {SEEN, SCENE("'materials': {'m': {'poisson_ratio': 0.6}}"),
     "s.json:2:38: materials.m.poisson_ratio: is 0.6, expected a number above -1 and at most 0.5"},
    {SEEN, SCENE("'materials': {'m': {'young_modulus': 1}}"),
     "s.json:2:38: materials.m.young_modulus: is 1, expected a number from 1e3 to 1e15 (Pa)"},
    {SEEN, SCENE("'settings': {'exact': {'directions': 2}}"),
     "s.json:2:38: settings.exact.directions: is 2, expected a whole number from 3 to 64"},
    {SEEN, SCENE("'settings': {'exact': {'directions': 65}}"),
     "s.json:2:38: settings.exact.directions: is 65, expected a whole number from 3 to 64"},
    {SEEN, SCENE("'settings': {'exact': {'directions': 7.5}}"),
     "s.json:2:38: settings.exact.directions: is 7.5, expected a whole number from 3 to 64"},
    {SEEN, SCENE("'settings': {'exact': {'cone': 1}}"),
     "s.json:2:32: settings.exact.cone: is 1, expected true or false"},
    {SEEN, SCENE("'settings': {'exact': {'primary': 'yes'}}"),
     "s.json:2:35: settings.exact.primary: is \"yes\", expected true or false"},
    {SEEN, SCENE("'settings': {'exact': {'epsilom': 1}}"),
     "s.json:2:24: settings.exact: unknown key 'epsilom'; did you mean 'epsilon'?"},
    {SEEN, SCENE("'solver': 'psor'"),
     "s.json:2:11: solver: is \"psor\", expected an object: the solver"},
    {SEEN, SCENE("'solver': {'kind': 'gauss'}"),
     "s.json:2:20: solver.kind: is \"gauss\", expected \"psor\", \"jacobi\", \"apgd\", \"spg\" or "
     "\"interior\""},
    {SEEN, SCENE("'solver': {'law': 'colomb'}"),
     "s.json:2:19: solver.law: is \"colomb\", expected \"default\", \"cone\" or \"coulomb\"; did "
     "you mean 'coulomb'?"},
    {SEEN, SCENE("'solver': {'iterations': 0}"),
     "s.json:2:26: solver.iterations: is 0, expected a whole number from 1 to 1000000"},
    {SEEN, SCENE("'solver': {'iterations': 2.5}"),
     "s.json:2:26: solver.iterations: is 2.5, expected a whole number from 1 to 1000000"},
    {SEEN, SCENE("'solver': {'iterations': 1e12}"),
     "s.json:2:26: solver.iterations: is 1e12, expected a whole number from 1 to 1000000"},
    {BLIND, SCENE("'solver': {'iterations': '=1/2'}"),
     "s.json:2:26: solver.iterations: is \"=1/2\", which gives 0.5, expected a whole number from 1 "
     "to 1000000"},
    {SEEN, SCENE("'solver': {'position_iterations': -1}"),
     "s.json:2:35: solver.position_iterations: is -1, expected a whole number from 1 to 1000000"},
    {SEEN, SCENE("'solver': {'balance_iterations': -1}"),
     "s.json:2:34: solver.balance_iterations: is -1, expected a whole number from 0 to 1000000"},
    {SEEN, SCENE("'solver': {'coarse_layers': -1}"),
     "s.json:2:29: solver.coarse_layers: is -1, expected a whole number from 0 to 1000000"},
    {SEEN, SCENE("'solver': {'tolerance': -1}"),
     "s.json:2:25: solver.tolerance: is -1, expected a number of at least 0 (m/s)"},
    {SEEN, SCENE("'solver': {'omega': 2}"),
     "s.json:2:21: solver.omega: is 2, expected a number above 0 and below 2"},
    {SEEN, SCENE("'solver': {'omega': 0}"),
     "s.json:2:21: solver.omega: is 0, expected a number above 0 and below 2"},
    {SEEN, SCENE("'solver': {'lambda': 0}"),
     "s.json:2:22: solver.lambda: is 0, expected a number above 0 and at most 1"},
    {SEEN, SCENE("'solver': {'warm_start': 0}"),
     "s.json:2:26: solver.warm_start: is 0, expected true or false"},
    {SEEN, SCENE("'solver': {'warmstart': true}"),
     "s.json:2:12: solver: unknown key 'warmstart'; did you mean 'warm_start'?"},
    /* ---- Materials and pairs ---- */
    {SEEN, SCENE("'materials': []"),
     "s.json:2:14: materials: is an empty array, expected an object: names with materials"},
    {SEEN, SCENE("'materials': {'steel': 0.3}"),
     "s.json:2:24: materials.steel: is 0.3, expected an object: a material"},
    {SEEN, SCENE("'materials': {'steel': {'friction': -0.3}}"),
     "s.json:2:37: materials.steel.friction: is -0.3, expected a number of at least 0"},
    {SEEN, SCENE("'materials': {'steel': {'restitution': 1.5}}"),
     "s.json:2:40: materials.steel.restitution: is 1.5, expected a number from 0 to 1"},
    {SEEN, SCENE("'materials': {'steel': {'fricton': 0.3}}"),
     "s.json:2:25: materials.steel: unknown key 'fricton'; did you mean 'friction'?"},
    {SEEN, SCENE("'materials': {'default': {}}"),
     "s.json:2:15: materials: 'default' cannot be the name of a material, expected another"},
    {SEEN, SCENE("'materials': {'': {}}"),
     "s.json:2:15: materials: '' cannot be the name of a material, expected another"},
    {BLIND, SCENE("'materials': {'steel': {}, 'steel': {}}"),
     "s.json:2:28: materials: duplicate key 'steel', expected it once"},
    {SEEN, SCENE("'pairs': {}"),
     "s.json:2:10: pairs: is an object, expected an array of pairs of materials"},
    {SEEN, SCENE("'pairs': [1]"),
     "s.json:2:11: pairs[0]: is 1, expected an object: a pair of materials"},
    {SEEN, SCENE("'pairs': [{'friction': 0, 'restitution': 0}]"),
     "s.json:2:11: pairs[0]: has no 'materials', expected the names of two materials"},
    {SEEN, SCENE("'pairs': [{'materials': ['default'], 'friction': 0, 'restitution': 0}]"),
     "s.json:2:25: pairs[0].materials: is an array of 1, expected the names of two materials"},
    {BLIND,
     SCENE("'materials': {'steel': {}},\n'pairs': [{'materials': ['steel', 'stele'], 'friction': "
           "0, 'restitution': 0}]"),
     "s.json:3:35: pairs[0].materials[1]: is \"stele\", expected the name of a material; did you "
     "mean 'steel'?"},
    {SEEN, SCENE("'pairs': [{'materials': ['default', 1], 'friction': 0, 'restitution': 0}]"),
     "s.json:2:37: pairs[0].materials[1]: is 1, expected the name of a material"},
    {SEEN, SCENE("'pairs': [{'materials': ['default', 'default'], 'restitution': 0}]"),
     "s.json:2:11: pairs[0]: has no 'friction', expected a number of at least 0"},
    {SEEN, SCENE("'pairs': [{'materials': ['default', 'default'], 'friction': 0}]"),
     "s.json:2:11: pairs[0]: has no 'restitution', expected a number from 0 to 1"},
    {SEEN,
     SCENE("'pairs': [{'materials': ['default', 'default'], 'friction': -1, 'restitution': 0}]"),
     "s.json:2:61: pairs[0].friction: is -1, expected a number of at least 0"},
    {SEEN,
     SCENE("'pairs': [{'materials': ['default', 'default'], 'friction': 0, 'restitution': 2}]"),
     "s.json:2:79: pairs[0].restitution: is 2, expected a number from 0 to 1"},
    {BLIND,
     SCENE("'materials': {'a': {}, 'b': {}},\n'pairs': [{'materials': ['a', 'b'], 'friction': 0, "
           "'restitution': 0},\n{'materials': ['b', 'a'], 'friction': 1, 'restitution': 0}]"),
     "s.json:4:1: pairs[1]: sets a pair that is set before, expected each pair once"},
    /* ---- Bodies ---- */
    {SEEN, SCENE("'bodies': {}"), "s.json:2:11: bodies: is an object, expected an array of bodies"},
    {SEEN, SCENE("'bodies': [1]"), "s.json:2:12: bodies[0]: is 1, expected an object: a body"},
    {SEEN, SCENE("'bodies': [{}]"),
     "s.json:2:12: bodies[0]: has no shapes, expected 'shapes', or both 'mass' and 'inertia'"},
    {SEEN, SCENE("'bodies': [{'kind': 'static', 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:21: bodies[0].kind: is \"static\", expected \"dynamic\", \"fixed\" or "
     "\"prescribed\""},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed'}]"),
     "s.json:2:12: bodies[0]: has no 'shapes', expected an array of shapes"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': []}]"),
     "s.json:2:40: bodies[0].shapes: is an empty array, expected at least one shape"},
    {SEEN, SCENE("'bodies': [{'shapes': []}]"),
     "s.json:2:12: bodies[0]: has no shapes, expected 'shapes', or both 'mass' and 'inertia'"},
    {SEEN, SCENE("'bodies': [{'shapes': [], 'mass': 1}]"),
     "s.json:2:12: bodies[0]: has no shapes, expected 'shapes', or both 'mass' and 'inertia'"},
    {SEEN, SCENE("'bodies': [{'shapes': {}}]"),
     "s.json:2:23: bodies[0].shapes: is an object, expected an array of shapes"},
    {SEEN, SCENE("'bodies': [{'name': '', 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:21: bodies[0].name: is \"\", expected a name"},
    {SEEN, SCENE("'bodies': [{'name': 3, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:21: bodies[0].name: is 3, expected a name"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 1}]},\n{'name': "
           "'ball', 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:3:10: bodies[1].name: is \"ball\", the name of bodies[0], expected another"},
    {SEEN, SCENE("'bodies': [{'position': [0, 0], 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:25: bodies[0].position: is an array of 2, expected an array of 3, each a number "
     "(m)"},
    {SEEN, SCENE("'bodies': [{'postion': [0, 0, 1], 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:13: bodies[0]: unknown key 'postion'; did you mean 'position'?"},
    {SEEN, SCENE("'bodies': [{'position': [0, '0', 1]}]"),
     "s.json:2:29: bodies[0].position[1]: is \"0\", expected a number (m)"},
    {SEEN,
     SCENE("'bodies': [{'position': [0, 0, 1], 'positions': [[0, 0, 1]], 'shapes': [{'kind': "
           "'sphere', 'radius': 1}]}]"),
     "s.json:2:36: bodies[0]: has both 'positions' and 'position', expected one of them"},
    {SEEN, SCENE("'bodies': [{'positions': [], 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:26: bodies[0].positions: is an empty array, expected at least one position [x, y, "
     "z] (m)"},
    {SEEN,
     SCENE("'bodies': [{'positions': [[0, 0, 0], [0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "1}]}]"),
     "s.json:2:38: bodies[0].positions[1]: is an array of 2, expected an array of 3, each a number "
     "(m)"},
    {SEEN,
     SCENE("'bodies': [{'positions': [0, 0, 1], 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:27: bodies[0].positions[0]: is 0, expected an array of 3, each a number (m)"},
    {SEEN, SCENE("'bodies': [{'positions': 1, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:26: bodies[0].positions: is 1, expected an array of positions [x, y, z] (m)"},
    {SEEN,
     SCENE("'bodies': [{'orientation': [1, 0, 0], 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:28: bodies[0].orientation: is an array of 3, expected a unit quaternion [w, x, y, "
     "z], {\"axis\": [x, y, z], \"angle\": degrees}, or two of {\"x\", \"y\", \"z\"}"},
    {BLIND,
     SCENE(
         "'bodies': [{'orientation': [1, 0, 0, 1], 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:28: bodies[0].orientation: has the norm 1.41421, expected a unit quaternion [w, x, "
     "y, z], {\"axis\": [x, y, z], \"angle\": degrees}, or two of {\"x\", \"y\", \"z\"}"},
    {SEEN,
     SCENE("'bodies': [{'orientation': [1, 0, 0, 1e200], 'shapes': [{'kind': 'sphere', 'radius': "
           "1}]}]"),
     "s.json:2:38: bodies[0].orientation[3]: is 1e200, expected a number from -1 to 1"},
    {SEEN, SCENE("'bodies': [{'orientation': 90, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:28: bodies[0].orientation: is 90, expected a unit quaternion [w, x, y, z], "
     "{\"axis\": [x, y, z], \"angle\": degrees}, or two of {\"x\", \"y\", \"z\"}"},
    {SEEN,
     SCENE("'bodies': [{'orientation': {'axis': [0, 0, 1]}, 'shapes': [{'kind': 'sphere', "
           "'radius': 1}]}]"),
     "s.json:2:28: bodies[0].orientation: has no 'angle', expected a number (degrees)"},
    {SEEN,
     SCENE(
         "'bodies': [{'orientation': {'angle': 90}, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:28: bodies[0].orientation: has no 'axis', expected an array of 3 numbers, or two of "
     "'x', 'y' and 'z'"},
    {BLIND,
     SCENE("'bodies': [{'orientation': {'axis': [0, 0, 0], 'angle': 90}, 'shapes': [{'kind': "
           "'sphere', 'radius': 1}]}]"),
     "s.json:2:37: bodies[0].orientation.axis: is zero, expected a direction"},
    {SEEN,
     SCENE("'bodies': [{'orientation': {'axis': [0, 0, 1], 'angel': 90}, 'shapes': [{'kind': "
           "'sphere', 'radius': 1}]}]"),
     "s.json:2:48: bodies[0].orientation: unknown key 'angel'; did you mean 'angle'?"},
    {SEEN,
     SCENE("'bodies': [{'orientation': {'axis': [0, 0, 1], 'angle': 'right'}, 'shapes': [{'kind': "
           "'sphere', 'radius': 1}]}]"),
     "s.json:2:57: bodies[0].orientation.angle: is \"right\", expected a number (degrees)"},
    {SEEN, SCENE("'bodies': [{'velocity': 3, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:25: bodies[0].velocity: is 3, expected an array of 3, each a number (m/s)"},
    {SEEN,
     SCENE("'bodies': [{'angular_velocity': [1], 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:33: bodies[0].angular_velocity: is an array of 1, expected an array of 3, each a "
     "number (rad/s)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'fixed', 'velocity': [1, 0, 0], 'shapes': [{'kind': 'plane'}]}]"),
     "s.json:2:30: bodies[0]: has 'velocity', expected none on a body of kind \"fixed\"; 'motion' "
     "moves one"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'angular_velocity': [1, 0, 0], 'shapes': [{'kind': "
           "'plane'}]}]"),
     "s.json:2:35: bodies[0]: has 'angular_velocity', expected none on a body of kind "
     "\"prescribed\"; 'motion' moves one"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'mass': 1, 'shapes': [{'kind': 'plane'}]}]"),
     "s.json:2:30: bodies[0]: has 'mass', expected none on a body of kind \"fixed\""},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'density': 1, 'shapes': [{'kind': 'plane'}]}]"),
     "s.json:2:30: bodies[0]: has 'density', expected none on a body of kind \"fixed\""},
    {SEEN,
     SCENE("'bodies': [{'kind': 'fixed', 'inertia': [1, 1, 1], 'shapes': [{'kind': 'plane'}]}]"),
     "s.json:2:30: bodies[0]: has 'inertia', expected none on a body of kind \"fixed\""},
    {SEEN,
     SCENE("'bodies': [{'kind': 'fixed', 'motion': {'kind': 'velocity'}, 'shapes': [{'kind': "
           "'plane'}]}]"),
     "s.json:2:30: bodies[0]: has 'motion', expected one with kind \"prescribed\" alone"},
    {SEEN,
     SCENE("'bodies': [{'motion': {'kind': 'velocity'}, 'shapes': [{'kind': 'sphere', 'radius': "
           "1}]}]"),
     "s.json:2:13: bodies[0]: has 'motion', expected one with kind \"prescribed\" alone"},
    {SEEN, SCENE("'bodies': [{'mass': 0, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:21: bodies[0].mass: is 0, expected a number above 0 (kg)"},
    {SEEN, SCENE("'bodies': [{'density': 0, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:24: bodies[0].density: is 0, expected a number above 0 (kg/m^3)"},
    {SEEN,
     SCENE("'bodies': [{'mass': 1, 'density': 1, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:13: bodies[0]: has both 'mass' and 'density', expected one of them"},
    {SEEN, SCENE("'bodies': [{'inertia': [1, 1, 0], 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:31: bodies[0].inertia[2]: is 0, expected a number above 0 (kg m^2)"},
    {BLIND,
     SCENE("'bodies': [{'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'inertia': [1, 1, 9], "
           "'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:3:13: bodies[1].inertia: is (1, 1, 9); the largest must not exceed the sum of the "
     "other two"},
    {SEEN,
     SCENE("'bodies': [{'centre_of_mass': [1, 0, 0], 'shapes': [{'kind': 'sphere', 'radius': "
           "1}]}]"),
     "s.json:2:13: bodies[0]: has 'centre_of_mass', expected it beside 'inertia' alone: otherwise "
     "the shapes give it"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'fixed', 'centre_of_mass': [1, 0, 0], 'shapes': [{'kind': "
           "'plane'}]}]"),
     "s.json:2:30: bodies[0]: has 'centre_of_mass', expected none on a body of kind \"fixed\""},
    {BLIND, SCENE("'bodies': [{'density': 1e300, 'shapes': [{'kind': 'sphere', 'radius': 1e3}]}]"),
     "s.json:2:12: bodies[0]: mass: density times the volume of the shapes is inf; it must be "
     "finite and > 0: give mass"},
    {BLIND,
     SCENE("'bodies': [{'positions': [[0, 0, 0], [1, 0, 0]], 'density': 1e300, 'shapes': [{'kind': "
           "'sphere', 'radius': 1e3}]}]"),
     "s.json:2:12: bodies[0]: mass: density times the volume of the shapes is inf; it must be "
     "finite and > 0: give mass"},
    /* ---- Shapes ---- */
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'radius': 1}]}]"),
     "s.json:2:41: bodies[0].shapes[0]: has no 'kind', expected \"sphere\", \"plane\", \"box\", "
     "\"parallelogram\", "
     "\"capsule\", \"cylinder\", \"cone\", \"ellipsoid\", \"hull\", \"mesh\", \"heights\", "
     "\"point\" or \"polygon\""},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'spere'}]}]"),
     "s.json:2:50: bodies[0].shapes[0].kind: is \"spere\", expected \"sphere\", \"plane\", "
     "\"box\", \"parallelogram\", "
     "\"capsule\", \"cylinder\", \"cone\", \"ellipsoid\", \"hull\", \"mesh\", \"heights\", "
     "\"point\" or \"polygon\"; did "
     "you mean 'sphere'?"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'torus'}]}]"),
     "s.json:2:50: bodies[0].shapes[0].kind: is \"torus\", expected \"sphere\", \"plane\", "
     "\"box\", \"parallelogram\", "
     "\"capsule\", \"cylinder\", \"cone\", \"ellipsoid\", \"hull\", \"mesh\", \"heights\", "
     "\"point\" or \"polygon\""},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 1}]}]"),
     "s.json:2:50: bodies[0].shapes[0].kind: is 1, expected \"sphere\", \"plane\", \"box\", "
     "\"parallelogram\", "
     "\"capsule\", \"cylinder\", \"cone\", \"ellipsoid\", \"hull\", \"mesh\", \"heights\", "
     "\"point\" or \"polygon\""},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'sphere'}]}]"),
     "s.json:2:41: bodies[0].shapes[0]: has no 'radius', expected a number above 0 (m)"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'sphere', 'radius': -0.1}]}]"),
     "s.json:2:70: bodies[0].shapes[0].radius: is -0.1, expected a number above 0 (m)"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'sphere', 'radius': 0}]}]"),
     "s.json:2:70: bodies[0].shapes[0].radius: is 0, expected a number above 0 (m)"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'sphere', 'raduis': 0.1}]}]"),
     "s.json:2:60: bodies[0].shapes[0]: unknown key 'raduis'; did you mean 'radius'?"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'sphere', 'radius': '0.1'}]}]"),
     "s.json:2:70: bodies[0].shapes[0].radius: is \"0.1\", expected a number above 0 (m)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'sphere', 'radius': 0.1, 'size': [1, "
           "1, 1]}]}]"),
     "s.json:2:75: bodies[0].shapes[0]: has 'size', expected none on a sphere"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'plane', 'radius': 0.1}]}]"),
     "s.json:2:59: bodies[0].shapes[0]: has 'radius', expected none on a plane"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'box', 'size': [1, 1, 1], 'edge_u': "
           "[1, 0, 0]}]}]"),
     "s.json:2:76: bodies[0].shapes[0]: has 'edge_u', expected none on a box"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'box'}]}]"),
     "s.json:2:41: bodies[0].shapes[0]: has no 'size', expected the lengths of the box [x, y, z] "
     "(m)"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'box', 'size': [1, 1, 0]}]}]"),
     "s.json:2:72: bodies[0].shapes[0].size[2]: is 0, expected a number above 0 (m)"},
    {SEEN,
     SCENE(
         "'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'box', 'half_extents': [1, -1, 1]}]}]"),
     "s.json:2:77: bodies[0].shapes[0].half_extents[1]: is -1, expected a number above 0 (m)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'box', 'size': [1, 1, 1], "
           "'half_extents': [1, 1, 1]}]}]"),
     "s.json:2:76: bodies[0].shapes[0]: has both 'size' and 'half_extents', expected one of them"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'box', 'size': [1, 1, 5e-324]}]}]"),
     "s.json:2:65: bodies[0].shapes[0].size: has a half that is 0, expected larger lengths (m)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'parallelogram', 'edge_u': [1, 0, "
           "0]}]}]"),
     "s.json:2:41: bodies[0].shapes[0]: has no 'edge_v', expected an edge [x, y, z] (m)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'parallelogram', 'edge_v': [1, 0, "
           "0]}]}]"),
     "s.json:2:41: bodies[0].shapes[0]: has no 'edge_u', expected an edge [x, y, z] (m)"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'parallelogram', 'edge_u': [1, 0, 0], "
           "'edge_v': [2, 0, 0]}]}]"),
     "s.json:2:98: bodies[0].shapes[0].edge_v: is (2, 0, 0); it must not be parallel to edge_u"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'parallelogram', 'edge_u': [0, 0, 0], "
           "'edge_v': [2, 0, 0]}]}]"),
     "s.json:2:77: bodies[0].shapes[0].edge_u: is (0, 0, 0); it must not be zero"},
    {SEEN, SCENE("'bodies': [{'shapes': [{'kind': 'plane'}]}]"),
     "s.json:2:33: bodies[0].shapes[0].kind: is \"plane\", expected a solid on a body that moves "
     "freely; plane, parallelogram and heights are for bodies of kind \"fixed\" or "
     "\"prescribed\""},
    {SEEN,
     SCENE("'bodies': [{'kind': 'dynamic', 'shapes': [{'kind': 'parallelogram', 'edge_u': [1, 0, "
           "0], 'edge_v': [0, 1, 0]}]}]"),
     "s.json:2:52: bodies[0].shapes[0].kind: is \"parallelogram\", expected a solid on a body that "
     "moves freely; plane, parallelogram and heights are for bodies of kind \"fixed\" or "
     "\"prescribed\""},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'capsule', 'radius': 1}]}]"),
     "s.json:2:41: bodies[0].shapes[0]: has no 'half_length', expected a number above 0 (m)"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'cone', 'half_length': 1}]}]"),
     "s.json:2:41: bodies[0].shapes[0]: has no 'radius', expected a number above 0 (m)"},
    {SEEN, SCENE("'bodies': [{'shapes': [{'kind': 'cylinder', 'radius': 1, 'half_length': 0}]}]"),
     "s.json:2:73: bodies[0].shapes[0].half_length: is 0, expected a number above 0 (m)"},
    {SEEN,
     SCENE("'bodies': [{'shapes': [{'kind': 'capsule', 'radius': 1, 'half_length': 1, 'rounding': "
           "0.1}]}]"),
     "s.json:2:75: bodies[0].shapes[0]: has 'rounding', expected none on a capsule"},
    {SEEN, SCENE("'bodies': [{'shapes': [{'kind': 'ellipsoid', 'half_extents': [1, 1, 1]}]}]"),
     "s.json:2:46: bodies[0].shapes[0]: has 'half_extents', expected none on an ellipsoid"},
    {SEEN, SCENE("'bodies': [{'shapes': [{'kind': 'ellipsoid'}]}]"),
     "s.json:2:24: bodies[0].shapes[0]: has no 'radii', expected the semi-axes [x, y, z] (m)"},
    {SEEN, SCENE("'bodies': [{'shapes': [{'kind': 'ellipsoid', 'radii': [1, 0, 1]}]}]"),
     "s.json:2:59: bodies[0].shapes[0].radii[1]: is 0, expected a number above 0 (m)"},
    {SEEN, SCENE("'bodies': [{'shapes': [{'kind': 'box', 'size': [1, 1, 1], 'rounding': -0.1}]}]"),
     "s.json:2:71: bodies[0].shapes[0].rounding: is -0.1, expected a number of at least 0 (m)"},
    {BLIND, SCENE("'bodies': [{'shapes': [{'kind': 'box', 'size': [1, 1, 1], 'rounding': 0.5}]}]"),
     "s.json:2:71: bodies[0].shapes[0].rounding: is 0.5; it must be >= 0 and smaller than each "
     "half extent"},
    {BLIND,
     SCENE("'bodies': [{'shapes': [{'kind': 'cylinder', 'radius': 1, 'half_length': 0.2, "
           "'rounding': 0.3}]}]"),
     "s.json:2:90: bodies[0].shapes[0].rounding: is 0.3; it must be >= 0 and smaller than radius "
     "and half_length"},
    {SEEN, SCENE("'bodies': [{'shapes': [{'kind': 'hull'}]}]"),
     "s.json:2:24: bodies[0].shapes[0]: has no 'geometry', expected the name of a geometry"},
    {BLIND, SCENE("'bodies': [{'shapes': [{'kind': 'hull', 'geometry': 'stone'}]}]"),
     "s.json:2:53: bodies[0].shapes[0].geometry: is \"stone\", expected the name of one of "
     "'geometries'"},
    {BLIND,
     SCENE("'geometries': {'stone': {'hull': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}, "
           "'bodies': [{'shapes': [{'kind': 'hull', 'geometry': 'stoen'}]}]"),
     "s.json:2:134: bodies[0].shapes[0].geometry: is \"stoen\", expected the name of one of "
     "'geometries'; did you mean 'stone'?"},
    {BLIND,
     SCENE("'geometries': {'stone': {'hull': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}, "
           "'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'mesh', 'geometry': 'stone'}]}]"),
     "s.json:2:151: bodies[0].shapes[0].geometry: is \"stone\", a geometry with 'hull', expected "
     "one with 'mesh'"},
    {SEEN, SCENE("'bodies': [{'shapes': [{'kind': 'hull', 'geometry': 3}]}]"),
     "s.json:2:53: bodies[0].shapes[0].geometry: is 3, expected the name of a geometry"},
    {SEEN, SCENE("'bodies': [{'shapes': [{'kind': 'sphere', 'radius': 1, 'geometry': 'stone'}]}]"),
     "s.json:2:56: bodies[0].shapes[0]: has 'geometry', expected none on a sphere"},
    {SEEN, SCENE("'geometries': []"),
     "s.json:2:15: geometries: is an empty array, expected an object: names with geometries"},
    {SEEN, SCENE("'geometries': {'': {'hull': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}"),
     "s.json:2:16: geometries: '' cannot be the name of a geometry, expected another"},
    {SEEN, SCENE("'geometries': {'stone': {}}"),
     "s.json:2:25: geometries.stone: has no 'hull', 'mesh', 'heights' or 'polygon', expected one "
     "of them"},
    {SEEN, SCENE("'geometries': {'stone': 'part.stl'}"),
     "s.json:2:25: geometries.stone: is \"part.stl\", expected an object: a geometry"},
    {SEEN, SCENE("'geometries': {'stone': {'hul': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}"),
     "s.json:2:26: geometries.stone: unknown key 'hul'; did you mean 'hull'?"},
    {SEEN,
     SCENE("'geometries': {'stone': {'hull': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], 'mesh': "
           "'part.stl'}}"),
     "s.json:2:80: geometries.stone: has two of 'hull', 'mesh', 'heights' and 'polygon', expected "
     "one of "
     "them"},
    {SEEN, SCENE("'geometries': {'stone': {'hull': []}}"),
     "s.json:2:34: geometries.stone.hull: is an empty array, expected an array of points [x, y, z] "
     "(m), or the name of a mesh file"},
    {SEEN, SCENE("'geometries': {'stone': {'hull': [[0, 0, 0], [1, 0]]}}"),
     "s.json:2:46: geometries.stone.hull[1]: is an array of 2, expected an array of 3, each a "
     "number (m)"},
    {SEEN, SCENE("'geometries': {'stone': {'hull': 3}}"),
     "s.json:2:34: geometries.stone.hull: is 3, expected an array of points [x, y, z] (m), or the "
     "name of a mesh file"},
    {BLIND,
     SCENE("'geometries': {'stone': {'hull': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}"),
     "s.json:2:34: geometries.stone.hull: points: all 4 lie in one plane within 0 m (their size is "
     "1.41421 m); a convex hull needs four that do not"},
    {BLIND,
     SCENE("'geometries': {'stone': {'hull': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, "
           "1]]},\n'stone': {'hull': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}"),
     "s.json:3:1: geometries: duplicate key 'stone', expected it once"},
    {BLIND, SCENE("'geometries': {'stone': {'hull': 'no such folder/part.stl'}}"),
     "s.json:2:34: geometries.stone.hull: no such folder/part.stl: cannot be opened: No such file "
     "or directory"},
    {BLIND, SCENE("'geometries': {'part': {'mesh': 'part.txt'}}"),
     "s.json:2:33: geometries.part.mesh: part.txt: its name ends in no format of meshes, expected "
     ".stl, .obj, .ply, .dae, .gltf or .glb"},
    {SEEN, SCENE("'geometries': {'part': {'mesh': [[0, 0, 0]]}}"),
     "s.json:2:33: geometries.part.mesh: is an array of 1, expected the name of a mesh file"},
    {SEEN, SCENE("'geometries': {'part': {'mesh': 'part.stl', 'scale': 0}}"),
     "s.json:2:54: geometries.part.scale: is 0, expected a number above 0 (m per unit)"},
    {SEEN, SCENE("'geometries': {'hill': {'heights': 'hill.txt'}}"),
     "s.json:2:36: geometries.hill.heights: is \"hill.txt\", expected an object: a height field"},
    {SEEN,
     SCENE("'geometries': {'hill': {'heights': {'columns': 2, 'rows': 2, 'spacing': 1, 'values': "
           "[0, 0, 0, 0]}, 'scale': 2}}"),
     "s.json:2:101: geometries.hill: has 'scale', expected none with 'heights'"},
    {SEEN, SCENE("'geometries': {'hill': {'heights': {'columns': 2, 'rows': 2, 'spacing': 1}}}"),
     "s.json:2:36: geometries.hill.heights: has no 'values', expected an array of heights (m), or "
     "the name of a file"},
    {SEEN,
     SCENE("'geometries': {'hill': {'heights': {'columns': 1, 'rows': 2, 'spacing': 1, 'values': "
           "[0, 0]}}}"),
     "s.json:2:48: geometries.hill.heights.columns: is 1, expected a whole number from 2 to "
     "1048576"},
    {SEEN,
     SCENE("'geometries': {'hill': {'heights': {'columns': 2, 'rows': 2, 'spacing': [1, 0], "
           "'values': [0, 0, 0, 0]}}}"),
     "s.json:2:77: geometries.hill.heights.spacing[1]: is 0, expected a number above 0 (m)"},
    {BLIND,
     SCENE("'geometries': {'hill': {'heights': {'columns': 2, 'rows': 3, 'spacing': 1, 'values': "
           "[0, 0, 0, 0]}}}"),
     "s.json:2:86: geometries.hill.heights.values: has 4 heights, expected columns x rows: 6"},
    {SEEN,
     SCENE("'geometries': {'hill': {'heights': {'columns': 2, 'rows': 2, 'spacing': 1, 'values': "
           "[0, 0, 'high', 0]}}}"),
     "s.json:2:93: geometries.hill.heights.values[2]: is \"high\", expected a number (m)"},
    {BLIND,
     SCENE("'geometries': {'hill': {'heights': {'columns': 2, 'rows': 2, 'spacing': 1, 'values': "
           "'no such folder/hill.txt'}}}"),
     "s.json:2:86: geometries.hill.heights.values: no such folder/hill.txt: cannot be opened: No "
     "such file or directory"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'plane', 'material': 'steel'}]}]"),
     "s.json:2:71: bodies[0].shapes[0].material: is \"steel\", expected the name of a material"},
    {BLIND,
     SCENE("'materials': {'steel': {}},\n'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'plane', "
           "'material': 'stel'}]}]"),
     "s.json:3:71: bodies[0].shapes[0].material: is \"stel\", expected the name of a material; did "
     "you mean 'steel'?"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'plane', 'material': 1}]}]"),
     "s.json:2:71: bodies[0].shapes[0].material: is 1, expected the name of a material"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'plane', 'material': ''}]}]"),
     "s.json:2:71: bodies[0].shapes[0].material: is \"\", expected the name of a material"},
    {SEEN, SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'plane', 'position': [0]}]}]"),
     "s.json:2:71: bodies[0].shapes[0].position: is an array of 1, expected an array of 3, each a "
     "number (m)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'fixed', 'shapes': [{'kind': 'plane', 'orientation': [0]}]}]"),
     "s.json:2:74: bodies[0].shapes[0].orientation: is an array of 1, expected a unit quaternion "
     "[w, x, y, z], {\"axis\": [x, y, z], \"angle\": degrees}, or two of {\"x\", \"y\", \"z\"}"},
    /* ---- Motions and repeats ---- */
    {SEEN, SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': 1}]"),
     "s.json:2:76: bodies[0].motion: is 1, expected an object: a motion"},
    {SEEN, SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {}}]"),
     "s.json:2:76: bodies[0].motion: has no 'kind', expected \"velocity\", \"sine\", \"table\", "
     "\"ramp\" or \"expression\""},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {'kind': "
           "'sinus'}}]"),
     "s.json:2:85: bodies[0].motion.kind: is \"sinus\", expected \"velocity\", \"sine\", "
     "\"table\", \"ramp\" or \"expression\""},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {'kind': "
           "'sine', 'amplitude': [1, 0, 0], 'frequency': 1, 'velocity': [1, 0, 0]}}]"),
     "s.json:2:133: bodies[0].motion: has 'velocity', expected none in a motion of kind \"sine\""},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {'kind': "
           "'sine', 'frequency': 1}}]"),
     "s.json:2:76: bodies[0].motion: has no 'amplitude', expected an array of 3 numbers (m), or "
     "'angular_amplitude'"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {'kind': "
           "'sine', 'amplitude': [1, 0, 0]}}]"),
     "s.json:2:76: bodies[0].motion: has no 'frequency', expected a number of at least 0 (Hz)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {'kind': "
           "'sine', 'amplitude': [1, 0, 0], 'frequency': -1}}]"),
     "s.json:2:130: bodies[0].motion.frequency: is -1, expected a number of at least 0 (Hz)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {'kind': "
           "'sine', 'amplitude': [1, 0, 0], 'frequency': 1, 'phase': []}}]"),
     "s.json:2:142: bodies[0].motion.phase: is an empty array, expected a number (rad)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {'kind': "
           "'velocity', 'velocity': 1}}]"),
     "s.json:2:109: bodies[0].motion.velocity: is 1, expected an array of 3, each a number (m/s)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {'kind': "
           "'table'}}]"),
     "s.json:2:76: bodies[0].motion: has no 'table', expected rows [time (s), x, y, z (m)], or "
     "'angles'"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {'kind': "
           "'table', 'table': []}}]"),
     "s.json:2:103: bodies[0].motion.table: is an empty array, expected rows of 4: the time (s), "
     "then x, y, z (m)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {'kind': "
           "'table', 'table': [[0, 1, 2]]}}]"),
     "s.json:2:104: bodies[0].motion.table[0]: is an array of 3, expected rows of 4: the time (s), "
     "then x, y, z (m)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {'kind': "
           "'table', 'table': [[0, 1, 2, null]]}}]"),
     "s.json:2:114: bodies[0].motion.table[0][3]: is null, expected a number"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': {'kind': "
           "'table', 'table': [[0, 0, 0, 0], [0, 1, 1, 1],\n[0, 1, 1, 1]]}}]"),
     "s.json:3:2: bodies[0].motion.table[2][0]: is 0, expected a time after that of the two rows "
     "before (s)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'sine', 'frequency': 1, 'phase': 1}}]"),
     "s.json:2:76: bodies[0].motion: has no 'amplitude', expected an array of 3 numbers "
     "(m), or 'angular_amplitude'"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'sine', 'angular_amplitude': 1, 'frequency': 1}}]"),
     "s.json:2:114: bodies[0].motion.angular_amplitude: is 1, expected an array of 3, each "
     "a number (rad)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'velocity', 'velocity_from': [1, 0, 0]}}]"),
     "s.json:2:97: bodies[0].motion: has 'velocity_from', expected none in a motion of kind "
     "\"velocity\""},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'velocity', 'pivot': 0}}]"),
     "s.json:2:106: bodies[0].motion.pivot: is 0, expected an array of 3, each a number (m)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'ramp', 'stop': 1}}]"),
     "s.json:2:76: bodies[0].motion: has no 'velocity', expected an array of 3 numbers "
     "(m/s), or 'angular_velocity'"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'ramp', 'velocity': [1, 0, 0]}}]"),
     "s.json:2:76: bodies[0].motion: has no 'stop', expected the time when the ramp ends (s)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'ramp', 'velocity': [1, 0, 0], 'start': -1, 'stop': 1}}]"),
     "s.json:2:125: bodies[0].motion.start: is -1, expected a number of at least 0 (s)"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'ramp', 'velocity': [1, 0, 0], 'start': 2, 'stop': 2}}]"),
     "s.json:2:136: bodies[0].motion.stop: is 2, expected a time after the ramp's 'start' "
     "(s)"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'ramp', 'angular_velocity': [1, 0, 0], 'angular_velocity_from': [0, 1, "
           "0], 'stop': 2}}]"),
     "s.json:2:149: bodies[0].motion.angular_velocity_from: is (0, 1, 0); it must be along "
     "the axis of angular_velocity"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'table', 'angles': [[0, 1]]}}]"),
     "s.json:2:76: bodies[0].motion: has no 'axis', expected a direction [x, y, z]"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'table', 'axis': [0, 0, 1], 'angles': [[0, 1, 2]]}}]"),
     "s.json:2:124: bodies[0].motion.angles[0]: is an array of 3, expected rows of 2: the "
     "time (s), then the angle (rad)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'table', 'axis': [0, 0, 1], 'table': [[0, 1, 2, 3]]}}]"),
     "s.json:2:94: bodies[0].motion: has 'axis' without 'angle' or 'angles'"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'table', 'axis': [0, 0, 0], 'angles': [[0, 1]]}}]"),
     "s.json:2:102: bodies[0].motion.axis: is zero, expected a direction"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'table', 'axis': [0, 0, 1], 'angles': [[0, 1]], 'rotations': [[0, 0, "
           "0, 1]]}}]"),
     "s.json:2:113: bodies[0].motion: has both 'rotations' and 'angles', expected one of "
     "them"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'table', 'rotations': [[0, 0, 0, 4], [1, 1, 0, 0]]}}]"),
     "s.json:2:108: bodies[0].motion.rotations[0]: is (0, 0, 4); where rows are about "
     "different axes, none may be longer than pi"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'expression'}}]"),
     "s.json:2:76: bodies[0].motion: has no 'offset', expected an array of 3 expressions of "
     "the time t (m), or 'angle'"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'expression', 'offset': ['t', 0]}}]"),
     "s.json:2:109: bodies[0].motion.offset: is an array of 2, expected an array of 3, each "
     "a number or an expression of the time t (m)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'expression', 'offset': ['t', 0, true]}}]"),
     "s.json:2:118: bodies[0].motion.offset[2]: is true, expected a number or an expression "
     "of the time t (m)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'expression', 'offset': ['t', '', 0]}}]"),
     "s.json:2:115: bodies[0].motion.offset[1]: is \"\", expected a number or an expression "
     "of the time t (m)"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'expression', 'offset': ['t', 'sin(x)', 0]}}]"),
     "s.json:2:120: bodies[0].motion.offset[1]: in \"sin(x)\": unknown name 'x', expected t, "
     "a parameter declared before, pi or a function; did you mean 't'?"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'expression', 'offset': ['2*(t', 0, 0]}}]"),
     "s.json:2:115: bodies[0].motion.offset[0]: in \"2*(t\": it ends here, expected ')'"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'expression', 'offset': ['1/t', 0, 0]}}]"),
     "s.json:2:110: bodies[0].motion.offset[0]: is \"1/t\", which gives infinity at t = 0, "
     "expected a number or an expression of the time t (m)"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'expression', 'offset': [0, 'sqrt(0.001-t)', 0]}}]"),
     "s.json:2:113: bodies[0].motion.offset[1]: is \"sqrt(0.001-t)\", which gives no number "
     "at t = 0.005, expected a number or an expression of the time t (m)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'expression', 'angle': 't'}}]"),
     "s.json:2:76: bodies[0].motion: has no 'axis', expected a direction [x, y, z]"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'expression', 'axis': [0, 0, 1], 'offset': ['t', 0, 0]}}]"),
     "s.json:2:99: bodies[0].motion: has 'axis' without 'angle' or 'angles'"},
    {BLIND,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'expression', 'axis': [0, 1, 1], 'angle': 'log(t)'}}]"),
     "s.json:2:127: bodies[0].motion.angle: is \"log(t)\", which gives infinity at t = 0, "
     "expected a number or an expression of the time t (rad)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'expression', 'axis': [0, 1, 1], 'angle': 't', 'rotation_vector': "
           "['t', 0, 0]}}]"),
     "s.json:2:118: bodies[0].motion: has both 'rotation_vector' and 'angle', expected one "
     "of them"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'kind': 'sine', 'translation': {'kind': 'velocity'}}}]"),
     "s.json:2:77: bodies[0].motion: has 'kind' beside 'translation', expected it inside of "
     "that"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'translation': {'kind': 'velocity', 'angular_velocity': [0, 0, 1]}}}]"),
     "s.json:2:113: bodies[0].motion.translation: has 'angular_velocity', expected none in "
     "a translation"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'rotation': {'kind': 'sine', 'amplitude': [0, 0, 1], 'frequency': 1}}}]"),
     "s.json:2:106: bodies[0].motion.rotation: has 'amplitude', expected none in a rotation"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'rotation': {'kind': 'sine', 'frequency': 1}}}]"),
     "s.json:2:89: bodies[0].motion.rotation: has no 'angular_amplitude', expected an array "
     "of 3 numbers (rad)"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'rotation': {'kind': 'velocity', 'pivot': [0, 0, 1]}}}]"),
     "s.json:2:110: bodies[0].motion.rotation: unknown key 'pivot', expected 'kind', "
     "'velocity', 'angular_velocity', 'velocity_from', 'angular_velocity_from', 'start', "
     "'stop', 'amplitude', 'angular_amplitude', 'frequency', 'phase', 'table', 'rotations', "
     "'angles', 'offset', 'rotation_vector', 'angle' or 'axis'"},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'translation': {}}}]"),
     "s.json:2:92: bodies[0].motion.translation: has no 'kind', expected \"velocity\", "
     "\"sine\", \"table\", \"ramp\" or \"expression\""},
    {SEEN,
     SCENE("'bodies': [{'kind': 'prescribed', 'shapes': [{'kind': 'plane'}], 'motion': "
           "{'rotation': 3}}]"),
     "s.json:2:89: bodies[0].motion.rotation: is 3, expected an object: a rotation"},
    {SEEN, SCENE("'bodies': [{'repeat': 3, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:23: bodies[0].repeat: is 3, expected an object: how often"},
    {SEEN, SCENE("'bodies': [{'repeat': {}, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:23: bodies[0].repeat: has no 'count', expected a whole number of at least 1"},
    {SEEN,
     SCENE("'bodies': [{'repeat': {'count': 0}, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:33: bodies[0].repeat.count: is 0, expected a whole number from 1 to 1000000"},
    {SEEN,
     SCENE("'bodies': [{'repeat': {'count': 1e12}, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:33: bodies[0].repeat.count: is 1e12, expected a whole number from 1 to 1000000"},
    {SEEN,
     SCENE("'bodies': [{'repeat': {'count': 2.5}, 'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:33: bodies[0].repeat.count: is 2.5, expected a whole number from 1 to 1000000"},
    {SEEN,
     SCENE("'bodies': [{'repeat': {'count': 2, 'index': 'a b'}, 'shapes': [{'kind': 'sphere', "
           "'radius': 1}]}]"),
     "s.json:2:45: bodies[0].repeat.index: is \"a b\", expected a name of letters, digits and _ "
     "that is no parameter"},
    {SEEN,
     SCENE("'bodies': [{'repeat': {'count': 2, 'index': 'pi'}, 'shapes': [{'kind': 'sphere', "
           "'radius': 1}]}]"),
     "s.json:2:45: bodies[0].repeat.index: is \"pi\", expected a name of letters, digits and _ "
     "that is no parameter"},
    {BLIND,
     SCENE("'parameters': {'i': 1},\n'bodies': [{'repeat': {'count': 2}, 'shapes': [{'kind': "
           "'sphere', 'radius': 1}]}]"),
     "s.json:3:23: bodies[0].repeat: has no 'index', expected one, because 'i' is a parameter"},
    {BLIND,
     SCENE("'parameters': {'k': 1},\n'bodies': [{'repeat': {'count': 2, 'index': 'k'}, 'shapes': "
           "[{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:3:45: bodies[0].repeat.index: is \"k\", expected a name of letters, digits and _ that "
     "is no parameter"},
    {SEEN,
     SCENE("'bodies': [{'repeat': {'count': 2}, 'positions': [[0, 0, 0]], 'shapes': [{'kind': "
           "'sphere', 'radius': 1}]}]"),
     "s.json:2:37: bodies[0]: has both 'positions' and 'repeat', expected one of them"},
    {BLIND,
     SCENE("'bodies': [{'repeat': {'count': 3}, 'position': ['=i', 0, 0], 'shapes': [{'kind': "
           "'sphere', 'radius': '=0.1 - i/10'}]}]"),
     "s.json:2:103: bodies[0].shapes[0].radius: is \"=0.1 - i/10\", which gives 0, expected a "
     "number above 0 (m), with i = 1"},
    {BLIND,
     SCENE("'bodies': [{'repeat': {'count': 3}, 'density': '=10^(300*i)', 'shapes': [{'kind': "
           "'sphere', 'radius': 1e3}]}]"),
     "s.json:2:48: bodies[0].density: is \"=10^(300*i)\", which gives inf, expected a number above "
     "0 (kg/m^3), with i = 2"},
    {BLIND,
     SCENE("'bodies': [{'repeat': {'count': 3, 'index': 'panel'}, 'position': ['=i', 0, 0], "
           "'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:70: bodies[0].position[0]: in \"=i\": unknown name 'i', expected a parameter "
     "declared before, pi or a function, with panel = 0"},
    {BLIND,
     SCENE("'bodies': [{'repeat': {'count': 2}, 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'step': '=i'"),
     "s.json:3:11: step: in \"=i\": unknown name 'i', expected a parameter declared before, "
     "pi or a function"},
    /* ---- What collides with what ---- */
    {SEEN, SCENE("'groups': 3"), "s.json:2:11: groups: is 3, expected an array of names of groups"},
    {SEEN, SCENE("'groups': ['default']"),
     "s.json:2:12: groups[0]: is \"default\", the group of shapes that name none, expected another "
     "name"},
    {SEEN, SCENE("'groups': ['a', 'b', 'a']"),
     "s.json:2:22: groups[2]: names a group again, expected each once"},
    {SEEN, SCENE("'groups': ['']"),
     "s.json:2:12: groups[0]: is \"\", expected the name of a group"},
    {SEEN,
     SCENE("'groups': ['g0', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7', 'g8', 'g9', 'g10', 'g11', "
           "'g12', 'g13', 'g14', 'g15', 'g16', 'g17', 'g18', 'g19', 'g20', 'g21', 'g22', 'g23', "
           "'g24', 'g25', 'g26', 'g27', 'g28', 'g29', 'g30', 'g31']"),
     "s.json:2:11: groups: has 32 names, expected at most 31"},
    {BLIND,
     SCENE("'groups': ['grain'], 'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', "
           "'radius': 0.1, 'group': 'grains'}]}]"),
     "s.json:2:104: bodies[0].shapes[0].group: is \"grains\", expected the name of a group, which "
     "'groups' of the scene lists; did you mean 'grain'?"},
    {BLIND,
     SCENE("'groups': ['grain'], 'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', "
           "'radius': 0.1, 'mask': ['grain', 'wall']}]}]"),
     "s.json:2:113: bodies[0].shapes[0].mask[1]: is \"wall\", expected the name of a group, which "
     "'groups' of the scene lists"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1, 'group': "
           "[]}]}]"),
     "s.json:2:83: bodies[0].shapes[0].group: is an empty array, expected at least one group"},
    {SEEN,
     SCENE(
         "'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1, 'group': 1}]}]"),
     "s.json:2:83: bodies[0].shapes[0].group: is 1, expected the name of a group, or an array of "
     "names"},
    {SEEN,
     SCENE(
         "'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1, 'mask': {}}]}]"),
     "s.json:2:82: bodies[0].shapes[0].mask: is an object, expected the name of a group, or an "
     "array of names"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1, 'sensor': "
           "1}]}]"),
     "s.json:2:84: bodies[0].shapes[0].sensor: is 1, expected true or false"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1, 'sensor': "
           "true}]}]"),
     "s.json:2:12: bodies[0]: mass is 0; it must be > 0 on a dynamic body whose shapes are all "
     "sensors"},
    {SEEN, SCENE("'bodies': [{'group': 3, 'mass': 1, 'inertia': [1, 1, 1]}]"),
     "s.json:2:22: bodies[0].group: is 3, expected the name of a group, or an array of names"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'group': 'no'}]"),
     "s.json:2:100: fills[0].group: is \"no\", expected the name of a group, which 'groups' of the "
     "scene lists"},
    {SEEN, SCENE("'exclude': 'ball'"),
     "s.json:2:12: exclude: is \"ball\", expected an array of pairs of names"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'many', 'repeat': {'count': 400}, 'position': ['=i', 0, 9], 'shapes': [{'kind': "
           "'sphere', 'radius': 0.1}]},\n{'name': 'more', 'repeat': {'count': 400}, 'position': "
           "['=i', 9, 9], 'shapes': [{'kind': 'sphere', 'radius': 0.1}]}],\n'exclude': [['ball']]"),
     "s.json:5:13: exclude[0]: is an array of 1, expected the names of two bodies or fills"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'many', 'repeat': {'count': 400}, 'position': ['=i', 0, 9], 'shapes': [{'kind': "
           "'sphere', 'radius': 0.1}]},\n{'name': 'more', 'repeat': {'count': 400}, 'position': "
           "['=i', 9, 9], 'shapes': [{'kind': 'sphere', 'radius': 0.1}]}],\n'exclude': [['ball', "
           "3]]"),
     "s.json:5:22: exclude[0][1]: is 3, expected the name of a body or fill"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'many', 'repeat': {'count': 400}, 'position': ['=i', 0, 9], 'shapes': [{'kind': "
           "'sphere', 'radius': 0.1}]},\n{'name': 'more', 'repeat': {'count': 400}, 'position': "
           "['=i', 9, 9], 'shapes': [{'kind': 'sphere', 'radius': 0.1}]}],\n'exclude': [['ball', "
           "'mane']]"),
     "s.json:5:22: exclude[0][1]: is \"mane\", expected the name of a body or fill; did you mean "
     "'many'?"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'many', 'repeat': {'count': 400}, 'position': ['=i', 0, 9], 'shapes': [{'kind': "
           "'sphere', 'radius': 0.1}]},\n{'name': 'more', 'repeat': {'count': 400}, 'position': "
           "['=i', 9, 9], 'shapes': [{'kind': 'sphere', 'radius': 0.1}]}],\n'exclude': [['ball', "
           "'ball']]"),
     "s.json:5:13: exclude[0]: names one twice, expected the names of two bodies or fills"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'many', 'repeat': {'count': 400}, 'position': ['=i', 0, 9], 'shapes': [{'kind': "
           "'sphere', 'radius': 0.1}]},\n{'name': 'more', 'repeat': {'count': 400}, 'position': "
           "['=i', 9, 9], 'shapes': [{'kind': 'sphere', 'radius': 0.1}]}],\n'exclude': [['ball', "
           "'many'], ['many', 'more']]"),
     "s.json:5:31: exclude[1]: stands for 160000 pairs of bodies, expected at most 100000: groups "
     "keep many apart"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'many', 'repeat': {'count': 400}, 'position': ['=i', 0, 9], 'shapes': [{'kind': "
           "'sphere', 'radius': 0.1}]},\n{'name': 'more', 'repeat': {'count': 400}, 'position': "
           "['=i', 9, 9], 'shapes': [{'kind': 'sphere', 'radius': 0.1}]}],\n'emitters': [{'name': "
           "'tap', 'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': 0.1, "
           "'rate': 1}],\n'exclude': [['ball', 'tap']]"),
     "s.json:6:22: exclude[0][1]: is \"tap\", an emitter, expected the name of a body or fill"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'many', 'repeat': {'count': 400}, 'position': ['=i', 0, 9], 'shapes': [{'kind': "
           "'sphere', 'radius': 0.1}]},\n{'name': 'more', 'repeat': {'count': 400}, 'position': "
           "['=i', 9, 9], 'shapes': [{'kind': 'sphere', 'radius': 0.1}]}],\n'monitors': {'a': "
           "{'kind': 'touching'}}"),
     "s.json:5:19: monitors.a: has no 'on', expected the name of what is touched"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'many', 'repeat': {'count': 400}, 'position': ['=i', 0, 9], 'shapes': [{'kind': "
           "'sphere', 'radius': 0.1}]},\n{'name': 'more', 'repeat': {'count': 400}, 'position': "
           "['=i', 9, 9], 'shapes': [{'kind': 'sphere', 'radius': 0.1}]}],\n'monitors': {'a': "
           "{'kind': 'touching', 'on': 'ball', 'axis': [1, 0, 0]}}"),
     "s.json:5:54: monitors.a: has 'axis', expected none with kind \"touching\""},
    /* ---- Fills and their regions ---- */
    {SEEN, SCENE("'fills': {}"), "s.json:2:10: fills: is an object, expected an array of fills"},
    {SEEN, SCENE("'fills': [{}]"),
     "s.json:2:11: fills[0]: has no 'region', expected the region to fill"},
    {SEEN, SCENE("'fills': [{'region': 1, 'radius': 0.1}]"),
     "s.json:2:22: fills[0].region: is 1, expected an object: a region"},
    {SEEN, SCENE("'fills': [{'region': {}, 'radius': 0.1}]"),
     "s.json:2:22: fills[0].region: has no 'kind', expected \"box\", \"cylinder\" or \"sphere\""},
    {SEEN, SCENE("'fills': [{'region': {'kind': 'ball'}, 'radius': 0.1}]"),
     "s.json:2:31: fills[0].region.kind: is \"ball\", expected \"box\", \"cylinder\" or "
     "\"sphere\""},
    {SEEN, SCENE("'fills': [{'region': {'kind': 'box', 'high': [1, 1, 1]}, 'radius': 0.1}]"),
     "s.json:2:22: fills[0].region: has no 'low', expected a corner of the box [x, y, z] (m)"},
    {SEEN, SCENE("'fills': [{'region': {'kind': 'box', 'low': [1, 1, 1]}, 'radius': 0.1}]"),
     "s.json:2:22: fills[0].region: has no 'high', expected a corner of the box [x, y, z] (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [null, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 1}]"),
     "s.json:2:46: fills[0].region.low[0]: is null, expected a number (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1]}, 'radius': 1}]"),
     "s.json:2:64: fills[0].region.high: is an array of 2, expected an array of 3, each a number "
     "(m)"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, -1, 1]}, 'radius': "
           "1}]"),
     "s.json:2:64: fills[0].region.high: has y = -1, expected more than that of low, 0 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1], 'radius': "
           "1}, 'radius': 1}]"),
     "s.json:2:75: fills[0].region: has 'radius', expected none in a box"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'cylinder', 'axis': [0, 0, 1], 'radius': 1}, 'radius': "
           "0.1}]"),
     "s.json:2:22: fills[0].region: has no 'centre', expected the centre of its base [x, y, z] "
     "(m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'cylinder', 'centre': [0, 0, 1], 'radius': 1}, 'radius': "
           "0.1}]"),
     "s.json:2:22: fills[0].region: has no 'axis', expected the way from base to top [x, y, z] "
     "(m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'cylinder', 'centre': [0, 0, 1], 'axis': [0, 0, 1]}, "
           "'radius': 0.1}]"),
     "s.json:2:22: fills[0].region: has no 'radius', expected a number above 0 (m)"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'cylinder', 'centre': [0, 0, 1], 'axis': [0, 0, 0], "
           "'radius': 1}, 'radius': 0.1}]"),
     "s.json:2:72: fills[0].region.axis: is zero, expected the way from base to top (m)"},
    {SEEN, SCENE("'fills': [{'region': {'kind': 'sphere', 'radius': 1}, 'radius': 0.1}]"),
     "s.json:2:22: fills[0].region: has no 'centre', expected a point [x, y, z] (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'sphere', 'center': [0, 0, 0], 'radius': 1}, 'radius': "
           "0.1}]"),
     "s.json:2:41: fills[0].region: unknown key 'center'; did you mean 'centre'?"},
    {SEEN, SCENE("'fills': [{'region': {'kind': 'sphere', 'centre': [0, 0, 0]}, 'radius': 0.1}]"),
     "s.json:2:22: fills[0].region: has no 'radius', expected a number above 0 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'sphere', 'centre': [0, 0, 0], 'radius': 0}, 'radius': "
           "1}]"),
     "s.json:2:72: fills[0].region.radius: is 0, expected a number above 0 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'sphere', 'centre': [0, 0, 0], 'radius': 1, 'axis': [0, "
           "0, 1]}, 'radius': 1}]"),
     "s.json:2:75: fills[0].region: has 'axis', expected none in a sphere"},
    {SEEN, SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}}]"),
     "s.json:2:11: fills[0]: has no 'radius', expected a number above 0 (m), or a 'size'"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0}]"),
     "s.json:2:86: fills[0].radius: is 0, expected a number above 0 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'size': {'kind': 'uniform', 'low': 0.1, 'high': 0.2}}]"),
     "s.json:2:91: fills[0]: has both 'radius' and 'size', expected one of them"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "0.1}]"),
     "s.json:2:84: fills[0].size: is 0.1, expected an object: a distribution of radii"},
    {SEEN,
     SCENE(
         "'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': {}}]"),
     "s.json:2:84: fills[0].size: has no 'kind', expected \"uniform\", \"normal\" or "
     "\"lognormal\""},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "{'kind': 'gauss'}}]"),
     "s.json:2:93: fills[0].size.kind: is \"gauss\", expected \"uniform\", \"normal\" or "
     "\"lognormal\""},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "{'kind': 'uniform', 'low': 0.1}}]"),
     "s.json:2:84: fills[0].size: has no 'high', expected a number above 0 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "{'kind': 'uniform', 'low': 0.1, 'high': 0.2, 'mean': 0.1}}]"),
     "s.json:2:129: fills[0].size: has 'mean', expected none in a size of kind \"uniform\""},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "{'kind': 'uniform', 'low': 0.2, 'high': 0.1}}]"),
     "s.json:2:124: fills[0].size.high: is 0.1, expected more than low, 0.2 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "{'kind': 'normal', 'low': 0.1, 'high': 0.2, 'deviation': 0.01}}]"),
     "s.json:2:84: fills[0].size: has no 'mean', expected a number above 0 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "{'kind': 'normal', 'low': 0.1, 'high': 0.2, 'mean': 0.15}}]"),
     "s.json:2:84: fills[0].size: has no 'deviation', expected a number above 0 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "{'kind': 'lognormal', 'low': 0.1, 'high': 0.2, 'median': 0.15}}]"),
     "s.json:2:84: fills[0].size: has no 'deviation', expected a number above 0"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "{'kind': 'normal', 'low': 0.1, 'high': 0.2, 'mean': 0.3, 'deviation': 0.01}}]"),
     "s.json:2:136: fills[0].size.mean: is 0.3, expected a number between low, 0.1, and high, 0.2 "
     "(m)"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "{'kind': 'lognormal', 'low': 0.1, 'high': 0.2, 'median': 0.05, 'deviation': 0.1}}]"),
     "s.json:2:141: fills[0].size.median: is 0.05, expected a number between low, 0.1, and high, "
     "0.2 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "{'kind': 'normal', 'low': 0.1, 'high': 0.2, 'mean': 0.15, 'deviation': 0}}]"),
     "s.json:2:155: fills[0].size.deviation: is 0, expected a number above 0 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "{'kind': 'lognormal', 'low': 0.1, 'high': 0.2, 'median': 0.15, 'deviation': -1}}]"),
     "s.json:2:160: fills[0].size.deviation: is -1, expected a number above 0"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'size': "
           "{'kind': 'uniform', 'low': 0, 'high': 0.1}}]"),
     "s.json:2:111: fills[0].size.low: is 0, expected a number above 0 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'pattern': 'hexagonal'}]"),
     "s.json:2:102: fills[0].pattern: is \"hexagonal\", expected \"grid\", \"hex\", \"random\" or "
     "\"close\""},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'count': 0}]"),
     "s.json:2:100: fills[0].count: is 0, expected a whole number from 1 to 500000000"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'count': 2.5}]"),
     "s.json:2:100: fills[0].count: is 2.5, expected a whole number from 1 to 500000000"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'count': 1e12}]"),
     "s.json:2:100: fills[0].count: is 1e12, expected a whole number from 1 to 500000000"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'count': '4000'}]"),
     "s.json:2:100: fills[0].count: is \"4000\", expected a whole number from 1 to 500000000"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'count': 100000}]"),
     "s.json:2:100: fills[0].count: is 100000; only 125 spheres fit"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.6}]"),
     "s.json:2:22: fills[0].region: high - low is (1, 1, 1); a sphere of the "
     "largest radius, 0.6, must fit in"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "1e-6}]"),
     "s.json:2:11: fills[0]: has room for about 1.25e+17 spheres, expected a 'count', a smaller "
     "region or larger spheres"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'seed': -1}]"),
     "s.json:2:99: fills[0].seed: is -1, expected a whole number from 0 to 9007199254740992"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'gap': -1}]"),
     "s.json:2:98: fills[0].gap: is -1, expected a number of at least 0 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'jitter': -1}]"),
     "s.json:2:101: fills[0].jitter: is -1, expected a number of at least 0 (m)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'jitter': 0.1, 'pattern': 'random'}]"),
     "s.json:2:91: fills[0]: has 'jitter', expected none with the pattern \"random\""},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'density': 0}]"),
     "s.json:2:102: fills[0].density: is 0, expected a number above 0 (kg/m^3)"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'material': 'sand'}]"),
     "s.json:2:103: fills[0].material: is \"sand\", expected the name of a material"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'velocity': 1}]"),
     "s.json:2:103: fills[0].velocity: is 1, expected an array of 3, each a number (m/s)"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'name': ''}]"),
     "s.json:2:99: fills[0].name: is \"\", expected a name"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'colour': 1}]"),
     "s.json:2:91: fills[0]: unknown key 'colour', expected 'name', 'region', 'pattern', 'radius', "
     "'size', 'count', 'seed', 'gap', 'jitter', 'density', 'material', 'velocity', "
     "'templates', 'scale', 'group', 'mask' or 'mass'"},
    {BLIND,
     SCENE("'bodies': [{'name': 'sand', 'position': [9, 0, 0], 'shapes': [{'kind': 'sphere', "
           "'radius': 0.1}]}],\n'fills': [{'name': 'sand', 'region': {'kind': 'box', 'low': [0, 0, "
           "0], 'high': [1, 1, 1]}, 'radius': 0.1}]"),
     "s.json:3:20: fills[0].name: is \"sand\", the name of bodies[0], expected another"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': "
           "0.1, 'scale': 2}]"),
     "s.json:2:91: fills[0]: has 'scale', expected it beside 'templates' alone"},
    {SEEN,
     SCENE(
         "'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'templates': "
         "[{'shapes': [{'kind': 'box', 'size': [0.1, 0.1, 0.1]}]}], 'radius': 0.1}]"),
     "s.json:2:147: fills[0]: has both 'templates' and 'radius', expected one of them; 'scale' "
     "makes templates larger or smaller"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': []}]"),
     "s.json:2:89: fills[0].templates: is an empty array, expected at least one template"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [{}]}]"),
     "s.json:2:90: fills[0].templates[0]: has no 'shapes', expected an array of shapes"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [{'shapes': []}]}]"),
     "s.json:2:101: fills[0].templates[0].shapes: is an empty array, expected at least one shape"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [{'shapes': [{'kind': 'box', 'size': [0.1, 0.1, 0.1]}], 'weight': 0}]}]"),
     "s.json:2:155: fills[0].templates[0].weight: is 0, expected a number above 0"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [{'shapes': [{'kind': 'plane'}]}]}]"),
     "s.json:2:111: fills[0].templates[0].shapes[0].kind: is \"plane\", expected a solid on a body "
     "that moves freely; plane, parallelogram and heights are for bodies of kind \"fixed\" "
     "or \"prescribed\""},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'pattern': "
           "'close', 'templates': [{'shapes': [{'kind': 'box', 'size': [0.1, 0.1, 0.1]}]}, "
           "{'shapes': [{'kind': 'box', 'size': [0.1, 0.1, 0.1]}]}]}]"),
     "s.json:2:109: fills[0].templates: has 2 templates, expected one with the pattern \"close\""},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [{'shapes': [{'kind': 'box', 'size': [0.1, 0.1, 0.1]}]}], 'scale': 0}]"),
     "s.json:2:156: fills[0].scale: is 0, expected a number above 0"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [{'shapes': [{'kind': 'box', 'size': [0.1, 0.1, 0.1]}]}], 'scale': "
           "{'kind': 'uniform', 'low': 1}}]"),
     "s.json:2:156: fills[0].scale: has no 'high', expected a number above 0"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [{'shapes': [{'kind': 'box', 'size': [0.1, 0.1, 0.1]}]}], 'scale': "
           "{'kind': 'uniform', 'low': 2, 'high': 1}}]"),
     "s.json:2:194: fills[0].scale.high: is 1, expected more than low, 2"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [{'shapes': [{'kind': 'box', 'size': [0.1, 0.1, 0.1]}]}, {'shapes': "
           "[{'kind': 'box', 'size': [0.1, 0.1, 0.1], 'rounding': 1}]}]}]"),
     "s.json:2:211: fills[0].templates[1].shapes[0].rounding: is 1; it must be >= 0 and smaller "
     "than each half extent"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [{'shapes': [{'kind': 'box', 'size': [0.1, 0.1, 0.1]}]}], 'scale': 100}]"),
     "s.json:2:22: fills[0].region: high - low is (1, 1, 1); a sphere of the largest radius, "
     "8.66025, must fit in"},
    {BLIND,
     SCENE(
         "'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'templates': "
         "[{'shapes': [{'kind': 'box', 'size': [0.1, 0.1, 0.1]}]}], 'count': 100000}]"),
     "s.json:2:156: fills[0].count: is 100000; only 125 bodies fit"},
    {BLIND,
     SCENE("'geometries': {'t': {'hull': [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, "
           "0.1]]}},\n'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [{'shapes': [{'kind': 'hull', 'geometry': 't'}]}], 'scale': 2}]"),
     "s.json:3:131: fills[0].templates[0].shapes[0].geometry: is that of a hull or mesh, which "
     "has one size; sizes must all be 1: give hulls and meshes of several sizes as several "
     "templates"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1e9, 1e9, 1e9]}, "
           "'templates': [{'shapes': [{'kind': 'box', 'size': [0.1, 0.1, 0.1]}]}]}]"),
     "s.json:2:11: fills[0]: has room for about 1e+30 bodies, expected a 'count', a smaller region "
     "or larger bodies"},
    /* ---- Emitters ---- */
    {BLIND,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.6, 'rate': 1}]"),
     "s.json:2:25: emitters[0].region: high - low is (1, 1, 1); a sphere of the "
     "largest radius, 0.6, must fit in"},
    {BLIND,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'rate': 1, 'seed': '=2^54'}]"),
     "s.json:2:113: emitters[0].seed: is \"=2^54\", which gives 18014398509481984, expected a "
     "whole number from 0 to 9007199254740992"},
    {SEEN, SCENE("'emitters': 1"), "s.json:2:13: emitters: is 1, expected an array of emitters"},
    {SEEN, SCENE("'emitters': [{}]"),
     "s.json:2:14: emitters[0]: has no 'region', expected the region that bodies appear in"},
    {SEEN, SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}}]"),
     "s.json:2:14: emitters[0]: has no 'radius', expected a number above 0 (m), or a 'size'"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1}]"),
     "s.json:2:14: emitters[0]: has no 'rate', expected a number above 0 (bodies/s)"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'rate': 0}]"),
     "s.json:2:102: emitters[0].rate: is 0, expected a number above 0 (bodies/s)"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'rate': 1, 'start': -1}]"),
     "s.json:2:114: emitters[0].start: is -1, expected a number of at least 0 (s)"},
    {BLIND,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'rate': 1, 'start': 2, 'stop': 1}]"),
     "s.json:2:125: emitters[0].stop: is 1, expected more than start, 2 (s)"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'rate': 1, 'stop': 0}]"),
     "s.json:2:113: emitters[0].stop: is 0, expected a number above 0 (s)"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'rate': 1, 'count': 0}]"),
     "s.json:2:114: emitters[0].count: is 0, expected a whole number from 1 to 500000000"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'rate': 1, 'interval': 0}]"),
     "s.json:2:117: emitters[0].interval: is 0, expected a number above 0 (s)"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'rate': 1, 'seed': 0.5}]"),
     "s.json:2:113: emitters[0].seed: is 0.5, expected a whole number from 0 to 9007199254740992"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'rate': 1, 'density': -1}]"),
     "s.json:2:116: emitters[0].density: is -1, expected a number above 0 (kg/m^3)"},
    {BLIND,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'rate': 1, 'material': 'sand'}]"),
     "s.json:2:117: emitters[0].material: is \"sand\", expected the name of a material"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'rate': 1, 'velocity': [1]}]"),
     "s.json:2:117: emitters[0].velocity: is an array of 1, expected an array of 3, each a number "
     "(m/s)"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'rate': 1, 'pattern': 'grid'}]"),
     "s.json:2:105: emitters[0]: unknown key 'pattern', expected 'name', 'region', 'radius', "
     "'size', 'rate', 'start', 'stop', 'count', 'interval', 'seed', 'density', 'material', "
     "'velocity', 'templates', 'scale', 'group' or 'mask'"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'scale': 1, 'rate': 1}]"),
     "s.json:2:94: emitters[0]: has 'scale', expected it beside 'templates' alone"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [], 'rate': 1}]"),
     "s.json:2:92: emitters[0].templates: is an empty array, expected at least one template"},
    {BLIND,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [{'shapes': [{'kind': 'box', 'size': [0.1, 0.1, 0.1]}]}, {'shapes': "
           "[{'kind': 'box', 'size': [0.1, 0.1, 0.1], 'rounding': 1}]}], 'rate': 1}]"),
     "s.json:2:214: emitters[0].templates[1].shapes[0].rounding: is 1; it must be >= 0 and smaller "
     "than each half extent"},
    {BLIND,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'templates': [{'shapes': [{'kind': 'box', 'size': [0.1, 1e-160, 1e-160]}]}], "
           "'rate': 1}]"),
     "s.json:2:93: emitters[0].templates[0]: inertia: that of the solid shapes is (0, 8.3003e-322, "
     "8.3003e-322); each must be finite and > 0: give mass and inertia"},
    {BLIND,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'count': 1, "
           "'templates': [{'shapes': [{'kind': 'box', 'size': [0.1, 1e-160, 1e-160]}]}]}]"),
     "s.json:2:102: fills[0].templates[0]: inertia: that of the solid shapes is (0, 8.3003e-322, "
     "8.3003e-322); each must be finite and > 0: give mass and inertia"},
    {SEEN,
     SCENE("'emitters': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, null]}, "
           "'radius': 0.1, 'rate': 1}]"),
     "s.json:2:74: emitters[0].region.high[2]: is null, expected a number (m)"},
    {BLIND,
     SCENE("'emitters': [{'name': 'feed', 'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, "
           "1, 1]}, 'radius': 0.1, 'rate': 1},\n{'name': 'feed', 'region': {'kind': 'box', 'low': "
           "[0, 0, 0], 'high': [1, 1, 1]}, 'radius': 0.1, 'rate': 1}]"),
     "s.json:3:10: emitters[1].name: is \"feed\", the name of emitters[0], expected another"},
    /* ---- Events, boundaries and forces ---- */
    {SEEN, SCENE("'events': {}"), "s.json:2:11: events: is an object, expected an array of events"},
    {SEEN, SCENE("'events': [{}]"),
     "s.json:2:12: events[0]: has no 'time', expected a number of at least 0 (s)"},
    {SEEN, SCENE("'events': [{'time': -1, 'gravity': [0, 0, 0]}]"),
     "s.json:2:21: events[0].time: is -1, expected a number of at least 0 (s)"},
    {SEEN, SCENE("'events': [{'time': 1}]"),
     "s.json:2:12: events[0]: has no 'remove', expected names to remove, a 'gravity' or a 'motion' "
     "to "
     "set"},
    {SEEN, SCENE("'events': [{'time': 1, 'gravity': 0}]"),
     "s.json:2:35: events[0].gravity: is 0, expected an array of 3, each a number (m/s^2)"},
    {SEEN, SCENE("'events': [{'time': 1, 'gravity': [0, 0, 0], 'remove': ['a']}]"),
     "s.json:2:24: events[0]: has both 'remove' and 'gravity', expected one of them"},
    {SEEN,
     SCENE("'bodies': [{'name': 'gate', 'kind': 'prescribed', 'shapes': [{'kind': "
           "'plane'}]}, {'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': "
           "1}]}],\n'events': [{'time': 1, 'motion': {'kind': 'velocity'}}]"),
     "s.json:3:12: events[0]: has no 'bodies', expected an array of names of bodies"},
    {SEEN,
     SCENE("'bodies': [{'name': 'gate', 'kind': 'prescribed', 'shapes': [{'kind': "
           "'plane'}]}, {'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': "
           "1}]}],\n'events': [{'time': 1, 'motion': {'kind': 'velocity'}, 'bodies': []}]"),
     "s.json:3:66: events[0].bodies: is an empty array, expected an array of names of "
     "bodies or fills"},
    {SEEN,
     SCENE("'bodies': [{'name': 'gate', 'kind': 'prescribed', 'shapes': [{'kind': "
           "'plane'}]}, {'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': "
           "1}]}],\n'events': [{'time': 1, 'motion': {'kind': 'velocity'}, 'remove': "
           "['gate']}]"),
     "s.json:3:24: events[0]: has both 'remove' and 'motion', expected one of them"},
    {SEEN,
     SCENE("'bodies': [{'name': 'gate', 'kind': 'prescribed', 'shapes': [{'kind': "
           "'plane'}]}, {'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': "
           "1}]}],\n'events': [{'time': 1, 'gravity': [0, 0, 0], 'bodies': ['gate']}]"),
     "s.json:3:46: events[0]: has 'bodies', expected them with a 'motion'"},
    {BLIND,
     SCENE("'bodies': [{'name': 'gate', 'kind': 'prescribed', 'shapes': [{'kind': "
           "'plane'}]}, {'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': "
           "1}]}],\n'events': [{'time': 1, 'motion': {'kind': 'velocity'}, 'bodies': "
           "['gate', 'ball']}]"),
     "s.json:3:75: events[0].bodies[1]: is \"ball\", expected the name of a body of kind "
     "\"prescribed\": only such bodies have a motion"},
    {BLIND,
     SCENE("'bodies': [{'name': 'gate', 'kind': 'prescribed', 'shapes': [{'kind': "
           "'plane'}]}, {'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': "
           "1}]}],\n'events': [{'time': 1, 'motion': {'kind': 'velocity'}, 'bodies': "
           "['gat']}]"),
     "s.json:3:67: events[0].bodies[0]: is \"gat\", expected the name of a body or fill; "
     "did you mean 'gate'?"},
    {SEEN,
     SCENE("'bodies': [{'name': 'gate', 'kind': 'prescribed', 'shapes': [{'kind': "
           "'plane'}]}, {'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': "
           "1}]}],\n'events': [{'time': 1, 'motion': {'kind': 'sway'}, 'bodies': ['gate']}]"),
     "s.json:3:43: events[0].motion.kind: is \"sway\", expected \"velocity\", \"sine\", "
     "\"table\", \"ramp\" or \"expression\""},
    {BLIND,
     SCENE("'bodies': [{'name': 'gate', 'kind': 'prescribed', 'shapes': [{'kind': "
           "'plane'}]}, {'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': "
           "1}]}],\n'events': [{'time': 1, 'motion': {'kind': 'ramp', 'angular_velocity': "
           "[1, 0, 0], 'angular_velocity_from': [0, 1, 0], 'stop': 2}, 'bodies': ['gate']}]"),
     "s.json:3:107: events[0].motion.angular_velocity_from: is (0, 1, 0); it must be along "
     "the axis of angular_velocity"},
    {SEEN, SCENE("'events': [{'time': 1, 'remove': 'plug'}]"),
     "s.json:2:34: events[0].remove: is \"plug\", expected an array of names of bodies or fills"},
    {SEEN, SCENE("'events': [{'time': 1, 'remove': []}]"),
     "s.json:2:34: events[0].remove: is an empty array, expected an array of names of bodies or "
     "fills"},
    {SEEN, SCENE("'events': [{'time': 1, 'remove': [1]}]"),
     "s.json:2:35: events[0].remove[0]: is 1, expected the name of a body or fill"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'balls', "
           "'positions': [[1, 0, 0], [2, 0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'events': [{'time': 1, 'remove': ['ball', 'flor']}]"),
     "s.json:5:43: events[0].remove[1]: is \"flor\", expected the name of a body or fill; did you "
     "mean 'floor'?"},
    {BLIND, SCENE("'events': [{'time': 1, 'remove': ['plug']}]"),
     "s.json:2:35: events[0].remove[0]: is \"plug\", expected the name of a body or fill"},
    {SEEN, SCENE("'events': [{'time': 1, 'gravty': [0, 0, 0]}]"),
     "s.json:2:24: events[0]: unknown key 'gravty'; did you mean 'gravity'?"},
    {BLIND,
     SCENE("'emitters': [{'name': 'feed', 'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, "
           "1, 1]}, 'radius': 0.1, 'rate': 1}],\n'events': [{'time': 1, 'remove': ['feed']}]"),
     "s.json:3:35: events[0].remove[0]: is \"feed\", an emitter, expected the name of a body or "
     "fill"},
    {BLIND,
     SCENE(
         "'record': {'bodies': ['feed']},\n'emitters': [{'name': 'feed', 'region': {'kind': 'box', "
         "'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': 0.1, 'rate': 1}, {'region': {'kind': "
         "'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, 'radius': 0.1, 'rate': 1}]"),
     "s.json:2:23: record.bodies[0]: \"feed\" is one of 2 emitters, whose bodies cannot be told "
     "apart, expected the name of a body or fill, or of an emitter that is alone"},
    {SEEN, SCENE("'boundaries': {}"),
     "s.json:2:15: boundaries: is an object, expected an array of boundaries"},
    {SEEN, SCENE("'boundaries': [{}]"),
     "s.json:2:16: boundaries[0]: has no 'keep', expected the region to stay in, or a region to "
     "'remove' bodies in"},
    {SEEN,
     SCENE("'boundaries': [{'keep': {'kind': 'sphere', 'centre': [0, 0, 0], 'radius': 1}, "
           "'remove': {'kind': 'sphere', 'centre': [0, 0, 0], 'radius': 1}}]"),
     "s.json:2:79: boundaries[0]: has both 'keep' and 'remove', expected one of them"},
    {SEEN,
     SCENE("'boundaries': [{'keep': {'kind': 'box', 'low': [null, null, 'a'], 'high': [null, null, "
           "null]}}]"),
     "s.json:2:61: boundaries[0].keep.low[2]: is \"a\", expected a number (m), or null: no bound"},
    {SEEN, SCENE("'boundaries': [{'remove': {'kind': 'box', 'low': [null, null, null]}}]"),
     "s.json:2:27: boundaries[0].remove: has no 'high', expected a corner of the box [x, y, z] "
     "(m)"},
    {BLIND,
     SCENE(
         "'boundaries': [{'remove': {'kind': 'box', 'low': [0, 0, 0], 'high': [0, null, null]}}]"),
     "s.json:2:69: boundaries[0].remove.high: has x = 0, expected more than that of low, 0 (m)"},
    {SEEN,
     SCENE("'boundaries': [{'keep': {'kind': 'sphere', 'centre': [0, 0, 0], 'radius': 1}, "
           "'interval': 0}]"),
     "s.json:2:91: boundaries[0].interval: is 0, expected a number above 0 (s)"},
    {SEEN, SCENE("'moving_patch': 3"),
     "s.json:2:17: moving_patch: is 3, expected an object: a moving "
     "patch"},
    {SEEN, SCENE("'moving_patch': [{'grains': 'a', 'length': 1}]"),
     "s.json:2:18: moving_patch[0]: has no 'follow', expected the name of a body"},
    {SEEN, SCENE("'moving_patch': {'follow': 'a', 'length': 1}"),
     "s.json:2:17: moving_patch: has no 'grains', expected the name of a fill or of a group of "
     "bodies"},
    {SEEN, SCENE("'moving_patch': {'follow': 'a', 'grains': 'a'}"),
     "s.json:2:17: moving_patch: has no 'length', expected a number above 0 (m)"},
    {BLIND, PATCH("'follow': 'carts', 'grains': 'bed', 'length': 1"),
     "s.json:3:30: moving_patch.follow: is \"carts\", expected the name of a body or fill; did you "
     "mean 'cart'?"},
    {BLIND, PATCH("'follow': 'bed', 'grains': 'bed', 'length': 1"),
     "s.json:3:30: moving_patch.follow: is \"bed\", which names 2 bodies, expected the name of "
     "one"},
    {BLIND, PATCH("'follow': 'cart', 'grains': 'bad', 'length': 1"),
     "s.json:3:48: moving_patch.grains: is \"bad\", expected the name of a body or fill; did you "
     "mean 'bed'?"},
    {SEEN, PATCH("'follow': 'cart', 'grains': 'bed', 'length': 0"),
     "s.json:3:65: moving_patch.length: is 0, expected a number above 0 (m)"},
    {BLIND, PATCH("'follow': 'cart', 'grains': 'bed', 'length': 0.4"),
     "s.json:3:65: moving_patch.length: is 0.4; the machine reaches 0.5 m from body 1 along the "
     "direction, and the patch must reach farther"},
    {BLIND, PATCH("'follow': 'cart', 'grains': 'bed', 'length': 1, 'up': [1, 0, 1]"),
     "s.json:3:74: moving_patch.up: is (1, 0, 1); it must be across the direction"},
    {BLIND, PATCH("'follow': 'cart', 'grains': 'cart', 'length': 1"),
     "s.json:3:30: moving_patch.follow: body 1 is one of the grains; it must be another body"},
    {SEEN,
     SCENE("'boundaries': [{'keep': {'kind': 'sphere', 'centre': [0, 0, 0], 'radius': 1}, "
           "'intervall': 1}]"),
     "s.json:2:79: boundaries[0]: unknown key 'intervall'; did you mean 'interval'?"},
    {SEEN, SCENE("'forces': {}"), "s.json:2:11: forces: is an object, expected an array of forces"},
    {SEEN, SCENE("'forces': [{'force': [0, 0, 1]}]"),
     "s.json:2:12: forces[0]: has no 'body', expected the name of a body"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'balls', "
           "'positions': [[1, 0, 0], [2, 0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'forces': [{'body': 'bal', 'force': [0, 0, 1]}]"),
     "s.json:5:21: forces[0].body: is \"bal\", expected the name of a body or fill; did you mean "
     "'ball'?"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'balls', "
           "'positions': [[1, 0, 0], [2, 0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'forces': [{'body': 'balls', 'force': [0, 0, 1]}]"),
     "s.json:5:21: forces[0].body: is \"balls\", which names 2 bodies, expected the name of one"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'balls', "
           "'positions': [[1, 0, 0], [2, 0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'forces': [{'body': 'floor', 'force': [0, 0, 1]}]"),
     "s.json:5:21: forces[0].body: is fixed or prescribed, expected a body of kind \"dynamic\""},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'balls', "
           "'positions': [[1, 0, 0], [2, 0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'forces': [{'body': 'ball'}]"),
     "s.json:5:12: forces[0]: has no 'force', expected a force [x, y, z] (N), a 'torque' or a "
     "'table'"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'balls', "
           "'positions': [[1, 0, 0], [2, 0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'forces': [{'body': 'ball', 'force': 1}]"),
     "s.json:5:38: forces[0].force: is 1, expected an array of 3, each a number (N)"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'balls', "
           "'positions': [[1, 0, 0], [2, 0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'forces': [{'body': 'ball', 'torque': [1]}]"),
     "s.json:5:39: forces[0].torque: is an array of 1, expected an array of 3, each a number (N "
     "m)"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'balls', "
           "'positions': [[1, 0, 0], [2, 0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'forces': [{'body': 'ball', 'force': [0, 0, 1], 'table': [[0, 0, 0, 0, 0, 0, "
           "0]]}]"),
     "s.json:5:49: forces[0]: has both 'table' and 'force', expected one of them"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'balls', "
           "'positions': [[1, 0, 0], [2, 0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'forces': [{'body': 'ball', 'table': [[0, 0, 0, 0]]}]"),
     "s.json:5:39: forces[0].table[0]: is an array of 4, expected rows of 7: the time (s), then "
     "the force (N) and the torque (N m)"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'balls', "
           "'positions': [[1, 0, 0], [2, 0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'forces': [{'body': 'ball', 'table': [[1, 0, 0, 0, 0, 0, 0],\n[0, 0, 0, 0, "
           "0, 0, 0]]}]"),
     "s.json:6:2: forces[0].table[1][0]: is 0, expected a time after that of the row before (s)"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'balls', "
           "'positions': [[1, 0, 0], [2, 0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'forces': [{'body': 3, 'force': [0, 0, 1]}]"),
     "s.json:5:21: forces[0].body: is 3, expected the name of a body or fill"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n{'name': 'balls', "
           "'positions': [[1, 0, 0], [2, 0, 0]], 'shapes': [{'kind': 'sphere', 'radius': "
           "0.1}]}],\n'forces': [{'body': 'ball', 'forze': [0, 0, 1]}]"),
     "s.json:5:29: forces[0]: unknown key 'forze'; did you mean 'force'?"},
    /* ---- Monitors ---- */
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': []"),
     "s.json:4:13: monitors: is an empty array, expected an object: names with monitors"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a b': "
           "{'kind': 'energy'}}"),
     "s.json:4:14: monitors: 'a b' cannot be the name of a monitor, expected at most 40 letters, "
     "digits and _"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'max': "
           "{'kind': 'mean', 'of': 'a'}}"),
     "s.json:4:14: monitors: 'max' is built in, expected another name for one channel"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'energy'}, 'a': {'kind': 'speed'}}"),
     "s.json:4:39: monitors: duplicate key 'a', expected it once"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': 3}"),
     "s.json:4:19: monitors.a: is 3, expected an object: a monitor"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': {}}"),
     "s.json:4:19: monitors.a: has no 'kind', expected what to measure, such as \"force\""},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'pressure'}}"),
     "s.json:4:28: monitors.a.kind: is \"pressure\", expected \"force\", \"torque\", "
     "\"mass_flow\", \"position\", \"velocity\", \"angular_velocity\", \"energy\", \"amount\", "
     "\"speed\", \"mean\", \"max\", \"min\", \"integral\", \"expression\", "
     "\"touching\", \"ray\" or \"joint\""},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force', 'onn': 'ball'}}"),
     "s.json:4:37: monitors.a: unknown key 'onn'; did you mean 'on'?"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force'}}"),
     "s.json:4:19: monitors.a: has no 'on', expected the name of what the force acts on"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force', 'on': 'all'}}"),
     "s.json:4:43: monitors.a.on: is \"all\", on which nothing acts, expected names, or names in "
     "'by'"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force', 'on': []}}"),
     "s.json:4:43: monitors.a.on: is an empty array, expected \"all\", a name of bodies, or an "
     "array of names"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force', 'on': 3}}"),
     "s.json:4:43: monitors.a.on: is 3, expected \"all\", a name of bodies, or an array of names"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force', 'on': 'bal'}}"),
     "s.json:4:43: monitors.a.on: is \"bal\", expected the name of a body, fill or emitter; did "
     "you mean 'ball'?"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force', 'on': ['ball', 'stone']}}"),
     "s.json:4:52: monitors.a.on[1]: is \"stone\", expected the name of a body, fill or emitter"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force', 'on': ['ball', 3]}}"),
     "s.json:4:52: monitors.a.on[1]: is 3, expected the name of a body, fill or emitter"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'energy', 'by': 'ball'}}"),
     "s.json:4:38: monitors.a: has 'by', expected none with kind \"energy\""},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force', 'on': 'ground', 'shape': 1}}"),
     "s.json:4:62: monitors.a.shape: is 1; it must be below 1, the body's number of shapes"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force', 'on': ['ground', 'ball'], 'shape': 0}}"),
     "s.json:4:63: monitors.a: has 'shape', expected none where 'on' is not one body"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force', 'on': 'ground', 'shape': -1}}"),
     "s.json:4:62: monitors.a.shape: is -1, expected a whole number from 0 to 2147483647"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force', 'on': 'ground', 'axis': [0, 0, 0]}}"),
     "s.json:4:61: monitors.a.axis: is an array of 3, expected [x, y, z], not all 0"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'force', 'on': 'ground', 'axis': 1}}"),
     "s.json:4:61: monitors.a.axis: is 1, expected an array of 3, each a number (any length)"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'torque', 'on': ['ground', 'ball']}}"),
     "s.json:4:19: monitors.a: has no 'about', expected a point [x, y, z] (m), for 'on' is not one "
     "body"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'torque', 'on': 'ball', 'about': [0, 0]}}"),
     "s.json:4:61: monitors.a.about: is an array of 2, expected an array of 3, each a number (m)"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'mass_flow'}}"),
     "s.json:4:19: monitors.a: has no 'plane', expected a plane {\"point\", \"normal\"}, or a "
     "region 'into' which mass flows"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'mass_flow', 'plane': {'point': [0, 0, 0]}}}"),
     "s.json:4:50: monitors.a.plane: has no 'normal', expected [x, y, z]"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'mass_flow', 'plane': {'point': [0, 0, 0], 'normal': [0, 0, 0]}}}"),
     "s.json:4:81: monitors.a.plane.normal: is an array of 3, expected [x, y, z], not all 0"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'mass_flow', 'plane': {'point': [0, 0, 0], 'normal': [0, 0, 1]}, 'into': "
           "{'kind': 'sphere', 'centre': [0, 0, 0], 'radius': 1}}}"),
     "s.json:4:93: monitors.a: has both 'plane' and 'into', expected one of them"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'mass_flow', 'into': {'kind': 'sphere', 'centre': [0, 0, 0], 'radius': 0}}}"),
     "s.json:4:99: monitors.a.into.radius: is 0, expected a number above 0 (m)"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'amount', 'within': {'kind': 'cone'}}}"),
     "s.json:4:57: monitors.a.within.kind: is \"cone\", expected \"box\", \"cylinder\" or "
     "\"sphere\""},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'mean'}}"),
     "s.json:4:19: monitors.a: has no 'of', expected the name of a channel such as \"drag.x\""},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'energy'}, 'b': {'kind': 'mean', 'of': 'a.total_'}}"),
     "s.json:4:67: monitors.b.of: is a.total_; it must name a channel of a monitor before; did you "
     "mean 'a.total'?"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'b': "
           "{'kind': 'mean', 'of': 'a.total'}, 'a': {'kind': 'energy'}}"),
     "s.json:4:42: monitors.b.of: is a.total; it must name a channel of a monitor before"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'energy'}, 'b': {'kind': 'mean', 'of': 'a.total', 'window': 0}}"),
     "s.json:4:88: monitors.b.window: is 0, expected a number above 0 (s)"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'energy'}, 'b': {'kind': 'max', 'of': 'a.total', 'on': 'ball'}}"),
     "s.json:4:77: monitors.b: has 'on', expected none with kind \"max\""},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'expression'}}"),
     "s.json:4:19: monitors.a: has no 'expression', expected an expression such as \"=drag.x / "
     "9.81\""},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'expression', 'expression': 't'}}"),
     "s.json:4:56: monitors.a.expression: is \"t\", expected an expression such as \"=drag.x / "
     "9.81\""},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'energy'}, 'b': {'kind': 'expression', 'expression': '=a.kinetc'}}"),
     "s.json:4:81: monitors.b.expression: in \"=a.kinetc\": unknown name 'a.kinetc', expected t, "
     "a.kinetic, a.potential, a.total, a parameter declared before, pi or a function; did you "
     "mean 'a.kinetic'?"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'expression', 'expression': '=t', 'unit': 'kilogrammes per s'}}"),
     "s.json:4:70: monitors.a.unit: is \"kilogrammes per s\", expected a text of at most 15 bytes"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'expression', 'expression': 3}}"),
     "s.json:4:56: monitors.a.expression: is 3, expected an expression such as \"=drag.x / 9.81\""},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'ray', 'max_distance': 1}}"),
     "s.json:4:19: monitors.a: has no 'direction', expected [x, y, z], of any length"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'ray', 'direction': [0, 0, 1]}}"),
     "s.json:4:19: monitors.a: has no 'max_distance', expected how far the ray goes (m)"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'ray', 'direction': [0, 0, 0], 'max_distance': 1}}"),
     "s.json:4:48: monitors.a.direction: is an array of 3, expected [x, y, z], not all 0"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'ray', 'direction': [0, 0, 1], 'max_distance': 0}}"),
     "s.json:4:75: monitors.a.max_distance: is 0, expected a number above 0 (m)"},
    {BLIND,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'ray', 'direction': [0, 0, 1], 'max_distance': 1, 'from': 'bal'}}"),
     "s.json:4:86: monitors.a.from: is \"bal\", expected the name of a body, fill or emitter; did "
     "you mean 'ball'?"},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'ray', 'direction': [0, 0, 1], 'max_distance': 1, 'axis': [1, 0, 0]}}"),
     "s.json:4:78: monitors.a: has 'axis', expected none with kind \"ray\""},
    {SEEN,
     SCENE("'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n{'name': "
           "'ground', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]}],\n'monitors': {'a': "
           "{'kind': 'energy', 'from': 'ball'}}"),
     "s.json:4:38: monitors.a: has 'from', expected none with kind \"energy\""},
    /* ---- Rods ---- */
    {SEEN, SCENE(RODS "{}"), "s.json:6:9: rods: is an object, expected an array of rods"},
    {SEEN, SCENE(RODS "[3]"), "s.json:6:10: rods[0]: is 3, expected an object: a rod"},
    {SEEN, SCENE(RODS "[{'radius': 0.1}]"),
     "s.json:6:10: rods[0]: has no 'bodies', expected an array of two: names of bodies"},
    {SEEN, SCENE(RODS "[{'bodies': ['arm'], 'radius': 0.1}]"),
     "s.json:6:21: rods[0].bodies: is an array of 1, expected an array of two: names of bodies"},
    {BLIND, SCENE(RODS "[{'bodies': ['arm', 'ground'], 'radius': 0.1}]"),
     "s.json:6:29: rods[0].bodies[1]: is \"ground\", expected a body: rods are between two"},
    {BLIND, SCENE(RODS "[{'bodies': ['arm', 'links'], 'radius': 0.1}]"),
     "s.json:6:29: rods[0].bodies[1]: is \"links\", which names 3 bodies, expected one of them: "
     "[\"links\", index]"},
    {SEEN, SCENE(RODS "[{" TWO "}]"),
     "s.json:6:10: rods[0]: has no 'radius', expected a number above 0 (m)"},
    {SEEN, SCENE(RODS "[{" TWO ", 'radius': 0}]"),
     "s.json:6:61: rods[0].radius: is 0, expected a number above 0 (m)"},
    {BLIND, SCENE(RODS "[{" TWO ", 'radius': 0.2}]"),
     "s.json:6:61: rods[0].radius: is 0.2; it must not exceed that of the spheres at its ends, "
     "which are what touches there"},
    {SEEN, SCENE(RODS "[{" TWO ", 'radius': 0.1, 'length': 0}]"),
     "s.json:6:76: rods[0].length: is 0, expected a number above 0 (m)"},
    {BLIND, SCENE(RODS "[{" TWO ", 'radius': 0.1, 'material': 'steel'}]"),
     "s.json:6:78: rods[0].material: is \"steel\", expected the name of a material"},
    {BLIND, SCENE(RODS "[{" TWO ", 'radius': 0.1}]"),
     "s.json:6:10: rods[0]: is a rod, which has no mass, and settings.stepper is \"dvi\", expected "
     "\"penalty\", or a capsule or a joint of kind \"distance\" instead"},
    {SEEN, SCENE(RODS "[{" TWO ", 'radius': 0.1, 'mass': 1}]"),
     "s.json:6:66: rods[0]: unknown key 'mass'; did you mean 'mask'?"},
    /* ---- Joints ---- */
    {SEEN, SCENE(JOINTS "{}"), "s.json:6:11: joints: is an object, expected an array of joints"},
    {SEEN, SCENE(JOINTS "[3]"), "s.json:6:12: joints[0]: is 3, expected an object: a joint"},
    {SEEN, SCENE(JOINTS "[{}]"),
     "s.json:6:12: joints[0]: has no 'kind', expected \"fixed\", \"spherical\", \"revolute\", "
     "\"prismatic\", \"cylindrical\", \"planar\", \"universal\", \"point_on_line\", "
     "\"point_on_plane\", \"distance\", \"revolute_spherical\", \"gear\", \"rack\", \"screw\", "
     "\"pulley\" or \"generic\""},
    {SEEN, SCENE(JOINTS "[{'kind': 'hinge'}]"),
     "s.json:6:21: joints[0].kind: is \"hinge\", expected \"fixed\", \"spherical\", \"revolute\", "
     "\"prismatic\", \"cylindrical\", \"planar\", \"universal\", \"point_on_line\", "
     "\"point_on_plane\", \"distance\", \"revolute_spherical\", \"gear\", \"rack\", \"screw\", "
     "\"pulley\" or \"generic\""},
    {SEEN, SCENE(JOINTS "[{'kind': 'revolut'}]"),
     "s.json:6:21: joints[0].kind: is \"revolut\", expected \"fixed\", \"spherical\", "
     "\"revolute\", \"prismatic\", \"cylindrical\", \"planar\", \"universal\", \"point_on_line\", "
     "\"point_on_plane\", \"distance\", \"revolute_spherical\", \"gear\", \"rack\", \"screw\", "
     "\"pulley\" or \"generic\"; did you mean 'revolute'?"},
    {SEEN, SCENE(JOINTS "[{'kind': 'revolute'}]"),
     "s.json:6:12: joints[0]: has no 'bodies', expected an array of two: names of bodies, or "
     "\"ground\""},
    {SEEN, SCENE(JOINTS "[{'kind': 'revolute', 'bodys': 3}]"),
     "s.json:6:33: joints[0]: unknown key 'bodys', expected 'name', 'kind', 'bodies', 'at', "
     "'axis', 'orientation', 'points', 'frame_a', 'frame_b', 'limits', 'restitution', 'friction', "
     "'spring', 'motor', 'axes', 'locked', 'length', 'rope', 'ratio', 'anchors', 'couples', "
     "'break_force', 'break_torque', 'collide' or 'repeat'"},
    {SEEN, SCENE(JOINTS "[{'kind': 'revolute', 'bodies': 'arm'}]"),
     "s.json:6:43: joints[0].bodies: is \"arm\", expected an array of two: names of bodies, or "
     "\"ground\""},
    {SEEN, SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['arm']}]"),
     "s.json:6:43: joints[0].bodies: is an array of 1, expected an array of two: names of bodies, "
     "or \"ground\""},
    {SEEN, SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['arm', 3]}]"),
     "s.json:6:51: joints[0].bodies[1]: is 3, expected the name of a body, [name, index] of a "
     "group, or \"ground\""},
    {BLIND, SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'amr'], 'at': [0, 0, 0]}]"),
     "s.json:6:54: joints[0].bodies[1]: is \"amr\", expected the name of a body or fill; did you "
     "mean 'arm'?"},
    {BLIND, SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['arm', 'arm'], 'at': [0, 0, 0]}]"),
     "s.json:6:43: joints[0].bodies: names one body twice, expected two"},
    {BLIND, SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'wall'], 'at': [0, 0, 0]}]"),
     "s.json:6:43: joints[0].bodies: names none of kind \"dynamic\", expected at least one that "
     "moves freely"},
    {BLIND, SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['arm', 'links'], 'at': [0, 0, 0]}]"),
     "s.json:6:51: joints[0].bodies[1]: is \"links\", which names 3 bodies, expected one of them: "
     "[\"links\", index]"},
    {BLIND,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['arm', ['links', 3]], 'at': [0, 0, 0]}]"),
     "s.json:6:61: joints[0].bodies[1][1]: is 3, expected a whole number from 0 to 2"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['arm', ['links', 1, 2]], 'at': [0, 0, 0]}]"),
     "s.json:6:51: joints[0].bodies[1]: is an array of 3, expected the name of a body, [name, "
     "index] of a group, or \"ground\""},
    {SEEN, SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['arm', [1, 2]], 'at': [0, 0, 0]}]"),
     "s.json:6:52: joints[0].bodies[1][0]: is 1, expected a name"},
    {BLIND,
     SCENE(JOINTS
           "[{'name': 'links', 'kind': 'fixed', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0]}]"),
     "s.json:6:21: joints[0].name: is \"links\", the name of bodies[2], expected another"},
    {SEEN, SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm']}]"),
     "s.json:6:12: joints[0]: has no 'at', expected the point [x, y, z] (m) where the bodies meet, "
     "or 'frame_a' and 'frame_b'"},
    {SEEN, SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0]}]"),
     "s.json:6:68: joints[0].at: is an array of 2, expected an array of 3, each a number (m)"},
    {SEEN,
     SCENE(
         JOINTS
         "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'axis': [0, 0, 0]}]"),
     "s.json:6:87: joints[0].axis: is zero, expected a direction"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'axis': [0, "
                  "0, 1], 'orientation': [1, 0, 0, 0]}]"),
     "s.json:6:98: joints[0]: has both 'axis' and 'orientation', expected one of them"},
    {BLIND,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], "
                  "'orientation': [1, 1, 0, 0]}]"),
     "s.json:6:94: joints[0].orientation: has the norm 1.41421, expected a unit quaternion [w, x, "
     "y, z], {\"axis\": [x, y, z], \"angle\": degrees}, or two of {\"x\", \"y\", \"z\"}"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'frame_a': "
                  "{'position': [0, 0, 1]}}]"),
     "s.json:6:62: joints[0]: has both 'at' and 'frame_a', expected one of them"},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'frame_a': {'at': [0, 0, 1]}}]"),
     "s.json:6:74: joints[0].frame_a: unknown key 'at', expected 'position' or 'orientation'"},
    {BLIND,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'frame_a': {'orientation': "
                  "[0, 0, 0, 0]}}]"),
     "s.json:6:89: joints[0].frame_a.orientation: has the norm 0, expected a unit quaternion [w, "
     "x, y, z], {\"axis\": [x, y, z], \"angle\": degrees}, or two of {\"x\", \"y\", \"z\"}"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'points': "
                  "[[0, 0, 0], [1, 0, 0]]}]"),
     "s.json:6:79: joints[0]: has 'points', expected none in a joint of kind \"revolute\""},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'axes': "
                  "{'rz': {}}}]"),
     "s.json:6:79: joints[0]: has 'axes', expected none in a joint of kind \"revolute\""},
    {BLIND,
     SCENE(
         JOINTS
         "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'limits': [1, 0]}]"),
     "s.json:6:89: joints[0].limits: has 1 above 0, expected the least value first"},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'limits': [1]}]"),
     "s.json:6:89: joints[0].limits: is an array of 1, expected an array of two: the least and the "
     "greatest value, or null"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'limits': "
                  "[1, 'open']}]"),
     "s.json:6:93: joints[0].limits[1]: is \"open\", expected a number (rad)"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], "
                  "'restitution': 1.5}]"),
     "s.json:6:94: joints[0].restitution: is 1.5, expected a number from 0 to 1"},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'friction': -1}]"),
     "s.json:6:91: joints[0].friction: is -1, expected a number of at least 0 (N m)"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'spring': "
                  "{'stiffness': -1}}]"),
     "s.json:6:103: joints[0].spring.stiffness: is -1, expected a number of at least 0 (N m/rad)"},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'spring': {}}]"),
     "s.json:6:89: joints[0].spring: has no 'stiffness', expected a stiffness, a 'damping' or a "
     "'table'"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'spring': "
                  "{'rest': 1}}]"),
     "s.json:6:89: joints[0].spring: has no 'stiffness', expected a stiffness, a 'damping' or a "
     "'table'"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'spring': "
                  "{'stiffness': 1, 'table': [[0, 0], [1, 1]]}}]"),
     "s.json:6:106: joints[0].spring: has both 'table' and 'stiffness', expected one of them"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'spring': "
                  "{'table': [[0, 0]]}}]"),
     "s.json:6:99: joints[0].spring.table: is an array of 1, expected at least two rows"},
    {BLIND,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'spring': "
                  "{'table': [[0, 0], [0, 1]]}}]"),
     "s.json:6:109: joints[0].spring.table[1][0]: is 0, expected one above that of the row before"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'spring': "
                  "{'table': [[0, 0, 1], [0, 1, 1]]}}]"),
     "s.json:6:100: joints[0].spring.table[0]: is an array of 3, expected rows of 2: the angle "
     "(rad), then the torque (N m)"},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': 3}]"),
     "s.json:6:88: joints[0].motor: is 3, expected an object: a motor"},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': {}}]"),
     "s.json:6:88: joints[0].motor: has no 'speed', expected a speed, a 'position' or a 'torque'"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': "
                  "{'force': 3}}]"),
     "s.json:6:89: joints[0].motor: unknown key 'force', expected 'speed', 'position', 'torque' or "
     "'limit'"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': "
                  "{'speed': 3, 'position': 1}}]"),
     "s.json:6:101: joints[0].motor: has both 'speed' and 'position', expected one of them"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': "
                  "{'speed': 3, 'limit': -1}}]"),
     "s.json:6:110: joints[0].motor.limit: is -1, expected a number of at least 0 (N m)"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': "
                  "{'speed': null}}]"),
     "s.json:6:98: joints[0].motor.speed: is null, expected a number or an expression of the time "
     "t (rad/s), a sine or a table"},
    {BLIND,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': "
                  "{'speed': '2*u'}}]"),
     "s.json:6:101: joints[0].motor.speed: in \"2*u\": unknown name 'u', expected t, a parameter "
     "declared before, pi or a function; did you mean 't'?"},
    {BLIND,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': "
                  "{'speed': '1/t'}}]"),
     "s.json:6:98: joints[0].motor.speed: is \"1/t\", which gives infinity at t = 0, expected a "
     "number or an expression of the time t (rad/s), a sine or a table"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': "
                  "{'speed': {}}}]"),
     "s.json:6:98: joints[0].motor.speed: has no 'amplitude', expected that of a sine, or a "
     "'table'"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': "
                  "{'speed': {'amplitude': 2}}}]"),
     "s.json:6:98: joints[0].motor.speed: has no 'frequency', expected a number of at least 0 "
     "(Hz)"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': "
                  "{'speed': {'amplitude': 2, 'frequency': -1}}}]"),
     "s.json:6:128: joints[0].motor.speed.frequency: is -1, expected a number of at least 0 (Hz)"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': "
                  "{'speed': {'amplitude': 2, 'frequency': 1, 'table': [[0, 1]]}}}]"),
     "s.json:6:99: joints[0].motor.speed: has both 'table' and 'amplitude', expected one of them"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': "
                  "{'speed': {'table': []}}}]"),
     "s.json:6:108: joints[0].motor.speed.table: is an empty array, expected rows of 2: the time "
     "(s), then rad/s"},
    {BLIND,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'motor': "
                  "{'speed': {'table': [[1, 1], [0, 2]]}}}]"),
     "s.json:6:118: joints[0].motor.speed.table[1][0]: is 0, expected a time after that of the row "
     "before (s)"},
    {SEEN,
     SCENE(
         JOINTS
         "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'break_force': 0}]"),
     "s.json:6:94: joints[0].break_force: is 0, expected a number above 0 (N)"},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'collide': 1}]"),
     "s.json:6:90: joints[0].collide: is 1, expected true or false"},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'rope': true}]"),
     "s.json:6:79: joints[0]: has 'rope', expected none in a joint of kind \"revolute\""},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'distance', 'bodies': ['ground', 'arm'], 'points': [[0, 0, 0], [1, 0, "
                  "0]], 'rope': true, 'spring': {'stiffness': 1}}]"),
     "s.json:6:110: joints[0]: has both 'rope' and 'spring', expected one of them"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'distance', 'bodies': ['ground', 'arm'], 'points': [[0, 0, 0], [1, 0, "
                  "0]], 'spring': {'stiffness': 1, 'rest': 0}}]"),
     "s.json:6:123: joints[0].spring: has 'rest', expected 'length' of the joint, where it is at "
     "rest"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'distance', 'bodies': ['ground', 'arm'], 'points': [[0, 0, 0], [1, 0, "
                  "0]], 'length': 1, 'spring': {'table': [[0, 0], [1, 2]]}}]"),
     "s.json:6:96: joints[0]: has both 'length' and a 'table' of its spring, expected one of them"},
    {BLIND,
     SCENE(JOINTS "[{'kind': 'distance', 'bodies': ['ground', 'arm'], 'points': [[0, 0, 0], [1, 0, "
                  "0]], 'spring': {'stiffness': 0}}]"),
     "s.json:6:106: joints[0].spring: does nothing, expected limits, friction, a spring or a motor "
     "that does"},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'ratio': 2}]"),
     "s.json:6:79: joints[0]: has 'ratio', expected none in a joint of kind \"revolute\""},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'locked': ['x']}]"),
     "s.json:6:79: joints[0]: has 'locked', expected none in a joint of kind \"revolute\""},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'fixed', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'limits': [0, 1]}]"),
     "s.json:6:76: joints[0]: has 'limits', expected none in a joint of kind \"fixed\""},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'cylindrical', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], "
                  "'limits': [0, 1]}]"),
     "s.json:6:82: joints[0]: has 'limits', expected it in 'axes' of a joint of kind "
     "\"cylindrical\""},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'cylindrical', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'axes': "
                  "{'rx': {'friction': 1}}}]"),
     "s.json:6:91: joints[0].axes: has 'rx', expected none: this joint locks it"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'cylindrical', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'axes': "
                  "{'u': {}}}]"),
     "s.json:6:91: joints[0].axes: unknown key 'u'; did you mean 'x'?"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'cylindrical', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'axes': "
                  "{'z': {'motor': {'torque': 1}}}}]"),
     "s.json:6:107: joints[0].axes.z.motor: unknown key 'torque', expected 'speed', 'position', "
     "'force' or 'limit'"},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'generic', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'locked': ['w']}]"),
     "s.json:6:89: joints[0].locked[0]: is \"w\", expected \"x\", \"y\", \"z\", \"rx\", \"ry\" or "
     "\"rz\"; did you mean 'x'?"},
    {BLIND,
     SCENE(JOINTS "[{'kind': 'generic', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'locked': "
                  "['x'], 'axes': {'x': {'friction': 1}}}]"),
     "s.json:6:104: joints[0].axes: has 'x', expected none: this joint locks it"},
    {SEEN, SCENE(JOINTS "[{'kind': 'distance', 'bodies': ['ground', 'arm']}]"),
     "s.json:6:12: joints[0]: has no 'points', expected two points [x, y, z] (m): of the first and "
     "the second body"},
    {SEEN, SCENE(JOINTS "[{'kind': 'distance', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0]}]"),
     "s.json:6:62: joints[0]: has 'at', expected none in a joint of kind \"distance\""},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'distance', 'bodies': ['ground', 'arm'], 'points': [[0, 0, 0]]}]"),
     "s.json:6:72: joints[0].points: is an array of 1, expected two points [x, y, z] (m): of the "
     "first and the second body"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'distance', 'bodies': ['ground', 'arm'], 'points': [[0, 0, 0], [0, 0, "
                  "1]], 'length': 0}]"),
     "s.json:6:106: joints[0].length: is 0, expected a number above 0 (m)"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute_spherical', 'bodies': ['ground', 'arm'], 'points': [[0, 0, "
                  "0], [0, 0, 1]]}]"),
     "s.json:6:12: joints[0]: has no 'axis', expected the direction [x, y, z] of the hinge"},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'pulley', 'bodies': ['ground', 'arm'], 'points': [[0, 0, 0], [0, 0, 1]]}]"),
     "s.json:6:12: joints[0]: has no 'anchors', expected two points [x, y, z] (m) that the rope "
     "runs over"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'pulley', 'bodies': ['ground', 'arm'], 'points': [[0, 0, 0], [0, 0, "
                  "1]], 'anchors': [[0, 0, 0]]}]"),
     "s.json:6:105: joints[0].anchors: is an array of 1, expected two points [x, y, z] (m) that "
     "the rope runs over"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'pulley', 'bodies': ['ground', 'arm'], 'points': [[0, 0, 0], [0, 0, "
                  "1]], 'anchors': [[0, 0, 2], [0, 0, 3]], 'ratio': -1}]"),
     "s.json:6:138: joints[0].ratio: is -1, expected a number above 0 (of the two sides)"},
    {SEEN, SCENE(JOINTS "[{'kind': 'screw', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0]}]"),
     "s.json:6:12: joints[0]: has no 'ratio', expected the travel per angle (m/rad)"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'screw', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0], 'ratio': 0}]"),
     "s.json:6:85: joints[0].ratio: is 0, expected a number other than 0"},
    {SEEN, SCENE(JOINTS "[{'kind': 'gear', 'ratio': 2}]"),
     "s.json:6:12: joints[0]: has no 'couples', expected an array of two: names of joints above"},
    {SEEN, SCENE(JOINTS "[{'kind': 'gear', 'ratio': 2, 'couples': ['h']}]"),
     "s.json:6:52: joints[0].couples: is an array of 1, expected an array of two: names of joints "
     "above"},
    {SEEN,
     SCENE(JOINTS
           "[{'kind': 'gear', 'couples': ['h', 's'], 'bodies': ['ground', 'arm'], 'ratio': 2}]"),
     "s.json:6:52: joints[0]: has 'bodies', expected none in a joint of kind \"gear\""},
    {BLIND, SCENE(JOINTS "[{'kind': 'gear', 'ratio': 2, 'couples': ['h', 's']}]"),
     "s.json:6:53: joints[0].couples[0]: is \"h\", expected the name of a joint, or [name, index] "
     "of repeated ones"},
    {BLIND,
     SCENE(JOINTS "[{'name': 'h', 'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, "
                  "0]}, {'name': 's', 'kind': 'prismatic', 'bodies': ['ground', 'arm'], 'at': [0, "
                  "0, 0]},\n{'kind': 'gear', 'ratio': 2, 'couples': ['h', 's']}]"),
     "s.json:7:47: joints[2].couples[1]: is a joint of kind \"prismatic\", expected one of kind "
     "\"revolute\" or \"cylindrical\""},
    {BLIND,
     SCENE(JOINTS "[{'name': 'h', 'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, "
                  "0]}, {'name': 's', 'kind': 'prismatic', 'bodies': ['ground', 'arm'], 'at': [0, "
                  "0, 0]},\n{'kind': 'gear', 'ratio': 2, 'couples': ['h', 'h']}]"),
     "s.json:7:41: joints[2].couples: names one joint twice, expected two"},
    {SEEN,
     SCENE(JOINTS "[{'name': 'h', 'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, "
                  "0]}, {'name': 's', 'kind': 'prismatic', 'bodies': ['ground', 'arm'], 'at': [0, "
                  "0, 0]},\n{'kind': 'rack', 'couples': ['h', 's']}]"),
     "s.json:7:1: joints[2]: has no 'ratio', expected the travel per angle (m/rad)"},
    {BLIND,
     SCENE(JOINTS "[{'name': 'h', 'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, "
                  "0]}, {'name': 's', 'kind': 'prismatic', 'bodies': ['ground', 'arm'], 'at': [0, "
                  "0, 0]},\n{'kind': 'rack', 'ratio': 2, 'couples': ['s', 'h']}]"),
     "s.json:7:42: joints[2].couples[0]: is a joint of kind \"prismatic\", expected one of kind "
     "\"revolute\""},
    {BLIND,
     SCENE(JOINTS "[{'name': 'h', 'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, "
                  "0]}, {'name': 's', 'kind': 'prismatic', 'bodies': ['ground', 'arm'], 'at': [0, "
                  "0, 0]},\n{'kind': 'rack', 'ratio': 2, 'couples': ['h', 'arm']}]"),
     "s.json:7:47: joints[2].couples[1]: is \"arm\", expected the name of a joint, or [name, "
     "index] of repeated ones"},
    {BLIND,
     SCENE(JOINTS "[{'name': 'h', 'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, "
                  "0]}, {'kind': 'rack', 'ratio': 2, 'couples': ['h', 'hh']}]"),
     "s.json:6:139: joints[1].couples[1]: is \"hh\", expected the name of a joint, or [name, "
     "index] of repeated ones; did you mean 'h'?"},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'fixed', 'bodies': ['arm', ['links', '=k']], 'at': [0, 0, 0], "
                  "'repeat': {'index': 'k'}}]"),
     "s.json:6:93: joints[0].repeat: has no 'count', expected a whole number of at least 1"},
    {BLIND,
     SCENE(JOINTS "[{'kind': 'fixed', 'bodies': [['links', '=k'], ['links', '=k+1']], 'at': [0, 0, "
                  "0], 'repeat': {'count': 3, 'index': 'k'}}]"),
     "s.json:6:68: joints[0].bodies[1][1]: is \"=k+1\", which gives 3, expected a whole number "
     "from 0 to 2, with k = 2"},
    {BLIND,
     SCENE(JOINTS "[{'name': 'h', 'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, "
                  "0]}],\n'exclude': [['arm', 'h']]"),
     "s.json:7:21: exclude[0][1]: is \"h\", a joint, expected the name of a body or fill"},
    {BLIND,
     SCENE(JOINTS "[{'name': 'h', 'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, "
                  "0]}],\n'monitors': {'m': {'kind': 'force', 'on': 'h'}}"),
     "s.json:7:43: monitors.m.on: is \"h\", a joint, expected the name of a body, fill or emitter"},
    {SEEN, SCENE(JOINTS "[]\n,\n'monitors': {'m': {'kind': 'joint'}}"),
     "s.json:8:19: monitors.m: has no 'joint', expected the name of a joint, or \"all\""},
    {BLIND, SCENE("'monitors': {'m': {'kind': 'joint', 'joint': 'all'}}"),
     "s.json:2:19: monitors.m: is of all joints, but the scene has none"},
    {SEEN, SCENE(JOINTS "[]\n,\n'monitors': {'m': {'kind': 'joint', 'joint': 3}}"),
     "s.json:8:46: monitors.m.joint: is 3, expected the name of a joint, or [name, index] of "
     "repeated ones"},
    {BLIND, SCENE(JOINTS "[]\n,\n'monitors': {'m': {'kind': 'joint', 'joint': 'arm'}}"),
     "s.json:8:46: monitors.m.joint: is \"arm\", expected the name of a joint, or [name, index] of "
     "repeated ones"},
    {SEEN, SCENE(JOINTS "[]\n,\n'monitors': {'m': {'kind': 'joint', 'joint': 'arm', 'on': 'all'}}"),
     "s.json:8:53: monitors.m: has 'on', expected none with kind \"joint\""},
    {SEEN, SCENE(JOINTS "[]\n,\n'monitors': {'m': {'kind': 'force', 'joint': 'arm', 'on': 'arm'}}"),
     "s.json:8:37: monitors.m: has 'joint', expected none with kind \"force\""},
    {SEEN,
     SCENE(JOINTS "[{'kind': 'revolute', 'bodies': ['ground', 'arm'], 'at': [0, 0, 0],\n'motor': "
                  "{'torque': 3, 'limit': 1}}]"),
     "s.json:7:24: joints[0].motor: has 'limit', expected none beside 'torque', which is all it "
     "exerts"},
    /* ---- Fragments ---- */
    {SEEN, SCENE("'include': {}"),
     "s.json:2:12: include: is an object, expected an array of fragments {\"file\", ...}"},
    {SEEN, SCENE("'include': [3]"),
     "s.json:2:13: include[0]: is 3, expected an object: a fragment"},
    {SEEN, SCENE("'include': [{'name': 'a'}]"),
     "s.json:2:13: include[0]: has no 'file', expected the name of a scene file, or a 'scene'"},
    {SEEN, SCENE("'include': [{'file': 3}]"),
     "s.json:2:22: include[0].file: is 3, expected the name of a scene file"},
    {SEEN, SCENE("'include': [{'file': ''}]"),
     "s.json:2:22: include[0].file: is \"\", expected the name of a scene file"},
    {SEEN, SCENE("'include': [{'file': 'x.json', 'colour': 3, 'scene': {'version': 1}}]"),
     "s.json:2:32: include[0]: unknown key 'colour', expected 'file', 'scene', 'name', "
     "'parameters', 'position' or 'orientation'"},
    {BLIND, SCENE("'include': [{'file': 'no such file.json'}]"),
     "s.json:2:22: include[0].file: no such file.json: cannot be opened: No such file or "
     "directory"},
    {SEEN, SCENE("'include': [{'scene': 3}]"),
     "s.json:2:23: include[0].scene: is 3, expected an object: a scene, {\"version\": 1, ...}"},
    {SEEN, SCENE("'include': [{'scene': {}}]"),
     "s.json:2:23: include[0].scene: has no 'version', expected 1, or a text \"1.0\" to \"1.1\": "
     "the "
     "versions of the format that this Talus reads"},
    {SEEN, SCENE("'include': [{'scene': {'version': 1, 'bodie': []}}]"),
     "s.json:2:38: include[0].scene: unknown key 'bodie'; did you mean 'bodies'?"},
    {SEEN, SCENE("'include': [{'name': 'a b', 'scene': {'version': 1}}]"),
     "s.json:2:22: include[0].name: is \"a b\", expected a name of letters, digits and _"},
    {BLIND,
     SCENE("'include': [{'parameters': {'sped': 1}, 'scene': {'version': 1, 'parameters': "
           "{'speed': 2}}}]"),
     "s.json:2:29: include[0].parameters: 'sped' is no parameter of the fragment, expected one; "
     "did you mean 'speed'?"},
    {BLIND,
     SCENE("'parameters': {'speed': 2}, 'include': [{'scene': {'version': 1, 'step': "
           "'=1', 'bodies': [{'mass': '=speed', 'inertia': [1, 1, 1]}]}}]"),
     "s.json:2:102: include[0].scene.bodies[0].mass: in \"=speed\": unknown name 'speed', expected "
     "a parameter declared before, pi or a function"},
    {BLIND,
     SCENE("'include': [{'orientation': {'axis': [0, 0, 1], 'angle': 30}, 'scene': "
           "{'version': 1,\n'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': "
           "[1, 1, 1]}, 'radius': 0.1}]}}]"),
     "s.json:3:22: include[0].scene.fills[0].region: is a box, which the fragment's orientation "
     "would turn, expected quarter turns, or a cylinder or sphere"},
    {BLIND,
     SCENE("'include': [{'name': 'a', 'scene': {'version': 1, 'bodies': [{'name': 'b', "
           "'shapes': [{'kind': 'sphere', 'radius': 1}]}]}}],\n'bodies': [{'name': 'a.b', "
           "'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:3:21: bodies[0].name: is \"a.b\", the name of bodies[0], expected another"},
    {SEEN,
     SCENE("'bodies': [{'orientation': {'x': [1, 0, 0]}, 'shapes': [{'kind': 'sphere', "
           "'radius': 1}]}]"),
     "s.json:2:28: bodies[0].orientation: has 1 of 'x', 'y' and 'z', expected two directions"},
    {SEEN,
     SCENE("'bodies': [{'orientation': {'x': [1, 0, 0], 'y': [0, 1, 0], 'z': [0, 0, 1]}, "
           "'shapes': [{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:28: bodies[0].orientation: has 3 of 'x', 'y' and 'z', expected two directions"},
    {BLIND,
     SCENE("'bodies': [{'orientation': {'x': [1, 0, 0], 'y': [-2, 0, 0]}, 'shapes': "
           "[{'kind': 'sphere', 'radius': 1}]}]"),
     "s.json:2:50: bodies[0].orientation.y: is parallel to the other, expected another direction"},
    {SEEN,
     SCENE("'bodies': [{'orientation': {'x': [1, 0, 0], 'angle': 3}, 'shapes': [{'kind': "
           "'sphere', 'radius': 1}]}]"),
     "s.json:2:45: bodies[0].orientation: has 'angle' beside directions, expected one or the "
     "other"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'mass': 1, 'density': 2}]"),
     "s.json:2:91: fills[0]: has both 'mass' and 'density', expected one of them"},
    {SEEN,
     SCENE("'fills': [{'region': {'kind': 'box', 'low': [0, 0, 0], 'high': [1, 1, 1]}, "
           "'radius': 0.1, 'mass': 0}]"),
     "s.json:2:99: fills[0].mass: is 0, expected a number above 0 (kg)"},
    {BLIND,
     SCENE("'bodies': [{'repeat': {'count': 2}, 'shapes': [{'kind': 'sphere', 'radius': "
           "'=1-k', 'repeat': {'count': 2, 'index': 'k'}}]}]"),
     "s.json:2:77: bodies[0].shapes[0].radius: is \"=1-k\", which gives 0, expected a number above "
     "0 (m), with i = 0, with k = 1"},
    {BLIND,
     SCENE("'bodies': [{'repeat': {'count': 2}, 'shapes': [{'kind': 'sphere', 'radius': "
           "1, 'repeat': {'count': 2}}]}]"),
     "s.json:2:90: bodies[0].shapes[0].repeat: has no 'index', expected one, because 'i' is a "
     "parameter, with i = 0"},
    /* ---- Starts ---- */
    {SEEN, SCENE("'start': {}"),
     "s.json:2:10: start: is an object, expected an array of starts {\"result\", \"bodies\"}"},
    {SEEN, SCENE("'start': [{'bodies': ['a']}]"),
     "s.json:2:11: start[0]: has no 'result', expected the name of a result file"},
    {SEEN, SCENE("'start': [{'result': 3, 'bodies': ['a']}]"),
     "s.json:2:22: start[0].result: is 3, expected the name of a result file"},
    {BLIND, SCENE("'start': [{'result': 'no such.h5', 'bodies': ['a']}]"),
     "s.json:2:22: start[0].result: no such.h5: No such file or directory"},
};

#endif
