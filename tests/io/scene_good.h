/* Scenes that are sound, together with every key of the format. Quotes are single here and double
 * in the scene. Shared by the tests of the reader and, by --dump, by tests/cli/test_schema.py. */
#ifndef TALUS_TESTS_SCENE_GOOD_H
#define TALUS_TESTS_SCENE_GOOD_H

/* Every kind of body, shape and motion, with materials, settings and forces. */
static const char scene_bodies[] =
    "{\n"
    "  '$schema': 'scene.schema.json',\n"
    "  'version': 1,\n"
    "  'title': 'Größe \\u2192 \\'all\\'',\n"
    "  'comment': 'for people',\n"
    "  'parameters': {'r': 0.1, 'big': '=2*r', 'n': 3},\n"
    "  'gravity': [0, 0, -9.81],\n"
    "  'step': 0.004,\n"
    "  'duration': 2.5,\n"
    "  'record': {'rate': 25, 'contacts': true, 'checkpoint': 30},\n"
    "  'settings': {'envelope': 0.01, 'overlap': 'velocity', 'recovery_fraction': 0.4,\n"
    "    'recovery_speed': 2, 'restitution_speed': 0.02, 'impacts': 'propagating', 'max_speed': "
    "1000, 'precision': "
    "'double'},\n"
    "  'solver': {'kind': 'psor', 'law': 'cone', 'iterations': 20, 'position_iterations': 10,\n"
    "    'balance_iterations': 70, 'tolerance': 1e-6, 'omega': 0.9, 'lambda': 0.8, 'warm_start': "
    "false},\n"
    "  'materials': {'steel': {'friction': 0.3, 'restitution': 0.1}, 'sand': {'friction': 0.6},\n"
    "    'ice': {}},\n"
    "  'pairs': [{'materials': ['steel', 'sand'], 'friction': 0.2, 'restitution': 0.05},\n"
    "    {'materials': ['ice', 'default'], 'friction': 0, 'restitution': 0}],\n"
    "  'bodies': [\n"
    "    {'name': 'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane', 'material': 'sand'}]},\n"
    "    {'name': 'ball', 'position': [0, 0, 1], 'velocity': [1, 0, 0],\n"
    "      'angular_velocity': [0, 3, 0], 'density': 7800, 'orientation': [0.6, 0, 0, 0.8],\n"
    "      'shapes': [{'kind': 'sphere', 'radius': '=r', 'material': 'steel'}]},\n"
    "    {'name': 'peanut', 'position': [1, 0, 1], 'mass': 2,\n"
    "      'orientation': {'axis': [0, 1, 0], 'angle': 30}, 'shapes': [\n"
    "        {'kind': 'sphere', 'radius': 0.1, 'position': [0.08, 0, 0]},\n"
    "        {'kind': 'sphere', 'radius': 0.1, 'position': [-0.08, 0, 0], 'material': 'ice'}]},\n"
    "    {'position': [2, 0, 1], 'mass': 2, 'inertia': [0.1, 0.1, 0.15]},\n"
    "    {'kind': 'fixed', 'position': [0, 2, 0], 'shapes': [\n"
    "      {'kind': 'box', 'size': [1, 1, 0.2], 'orientation': {'axis': [1, 0, 0], 'angle': 10}},\n"
    "      {'kind': 'box', 'half_extents': [0.5, 0.5, 0.1], 'position': [3, 0, 0]},\n"
    "      {'kind': 'parallelogram', 'edge_u': [1, 0, 0], 'edge_v': [0, 1, 0.2],\n"
    "        'position': [0, 0, 1]}]},\n"
    "    {'name': 'grains', 'positions': [[0, 3, 1], [0.5, 3, 1], [1, 3, '=1 + r']],\n"
    "      'density': 2500, 'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n"
    "    {'name': 'ring', 'repeat': {'count': '=n', 'index': 'k'},\n"
    "      'position': ['=5*cos(2*pi*k/n)', '=5*sin(2*pi*k/n)', '=1 + big'],\n"
    "      'shapes': [{'kind': 'sphere', 'radius': '=big'}]},\n"
    "    {'kind': 'prescribed', 'position': [-3, 0, 0.1], 'motion': {'kind': 'velocity',\n"
    "      'velocity': [0.1, 0, 0], 'angular_velocity': [0, 0, 1]},\n"
    "      'shapes': [{'kind': 'box', 'size': [1, 0.1, 0.2]}]},\n"
    "    {'kind': 'prescribed', 'position': [-6, 0, 0.1], 'motion': {'kind': 'sine',\n"
    "      'amplitude': [0.1, 0, 0], 'frequency': 2, 'phase': 0.5},\n"
    "      'shapes': [{'kind': 'sphere', 'radius': 0.1}]},\n"
    "    {'kind': 'prescribed', 'position': [-9, 0, 0.1], 'motion': {'kind': 'table',\n"
    "      'table': [[0, 0, 0, 0], [1, 0.5, 0, 0], [2, 0.5, 0.25, 0]]},\n"
    "      'shapes': [{'kind': 'sphere', 'radius': 0.1}]}\n"
    "  ],\n"
    "  'forces': [{'body': 'ball', 'force': [0, 1, 0], 'torque': [0, 0, 0.1]},\n"
    "    {'body': 'peanut', 'table': [[0, 0, 0, 0, 0, 0, 0], [1, 5, 0, 0, 0, 0, 0.1]]}]\n"
    "}\n";

/* Every kind of region, size and pattern; what happens while the scene runs. */
static const char scene_fills[] =
    "{'version': 1,\n"
    " 'bodies': [{'name': 'plug', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n"
    "   {'name': 'stone', 'position': [0, 0, 5], 'shapes': [{'kind': 'sphere', 'radius': 0.2}]}],\n"
    " 'fills': [\n"
    "   {'name': 'sand', 'region': {'kind': 'box', 'low': [0, 0, 0.1], 'high': [1, 1, 1]},\n"
    "     'radius': 0.1, 'count': 20, 'seed': 3, 'gap': 0.01, 'jitter': 0.01, 'density': 2500,\n"
    "     'velocity': [0, 0, -1]},\n"
    "   {'region': {'kind': 'cylinder', 'centre': [3, 0, 0.1], 'axis': [0, 0, 1], 'radius': 0.5},\n"
    "     'pattern': 'hex', 'size': {'kind': 'uniform', 'low': 0.05, 'high': 0.1}},\n"
    "   {'region': {'kind': 'sphere', 'centre': [6, 0, 1], 'radius': 0.5}, 'pattern': 'random',\n"
    "     'size': {'kind': 'normal', 'mean': 0.1, 'deviation': 0.01, 'low': 0.05, 'high': 0.15},\n"
    "     'count': 5},\n"
    "   {'region': {'kind': 'box', 'low': [8, 0, 0.1], 'high': [9, 1, 1]}, 'pattern': 'close',\n"
    "     'size': {'kind': 'lognormal', 'median': 0.1, 'deviation': 0.1, 'low': 0.05,\n"
    "       'high': 0.2}, 'material': 'default'}],\n"
    " 'emitters': [{'name': 'feed', 'region': {'kind': 'box', 'low': [0, 3, 1],\n"
    "     'high': [1, 4, 1.5]}, 'radius': 0.1, 'rate': 100, 'start': 0.1, 'stop': 1, 'count': 30,\n"
    "     'interval': 0.1, 'seed': 2, 'density': 1500, 'material': 'default',\n"
    "     'velocity': [0, 0, -2]}],\n"
    " 'events': [{'time': 0.2, 'remove': ['stone', 'sand']}, {'time': 0.3,\n"
    "     'gravity': [0, 0, -1.6]}],\n"
    " 'boundaries': [{'keep': {'kind': 'box', 'low': [null, null, -1], 'high': [null, 5, null]},\n"
    "     'interval': 0.2}, {'remove': {'kind': 'sphere', 'centre': [20, 0, 0], 'radius': 1}}]}\n";

/* Every kind of motion of places and orientations, together and apart, and one that changes. */
static const char scene_motions[] =
    "{'version': 1, 'parameters': {'f': 2, 't': 99},\n"
    " 'bodies': [\n"
    "   {'name': 'drum', 'kind': 'prescribed', 'shapes': [{'kind': 'sphere', 'radius': 1}],\n"
    "     'motion': {'kind': 'ramp', 'velocity_from': [1, 0, 0], 'velocity': [0, 2, 0],\n"
    "       'angular_velocity': [0, 3, 4], 'start': 0.1, 'stop': 0.4, 'pivot': [0, 0, 0.5]}},\n"
    "   {'name': 'sieve', 'kind': 'prescribed', 'shapes': [{'kind': 'sphere', 'radius': 1}],\n"
    "     'position': [5, 0, 0], 'motion': {'kind': 'sine', 'angular_amplitude': [0, 0.1, 0],\n"
    "       'amplitude': [0, 0, 0.2], 'frequency': '=f', 'phase': 0.5}},\n"
    "   {'name': 'arms', 'kind': 'prescribed', 'shapes': [{'kind': 'sphere', 'radius': 1}],\n"
    "     'repeat': {'count': 2}, 'position': ['=10 + 5*i', 0, 0], 'motion': {'kind':\n"
    "       'expression', 'offset': ['0.01*sin(2*pi*f*t) + i', 0, 0.5], 'axis': [0, 0, 2],\n"
    "       'angle': '=2*pi*(t - sin(t))'}},\n"
    "   {'name': 'skew', 'kind': 'prescribed', 'shapes': [{'kind': 'sphere', 'radius': 1}],\n"
    "     'position': [20, 0, 0], 'motion': {'kind': 'expression', 'axis': [0, 3, 4],\n"
    "       'angle': 't^f'}},\n"
    "   {'name': 'cam', 'kind': 'prescribed', 'shapes': [{'kind': 'sphere', 'radius': 1}],\n"
    "     'position': [25, 0, 0], 'motion': {'kind': 'table', 'axis': [0, 0, -2],\n"
    "       'angles': [[0, 0], [0.5, 10]], 'table': [[0, 0, 0, 0], [1, 1, 2, 3]]}},\n"
    "   {'name': 'bucket', 'kind': 'prescribed', 'shapes': [{'kind': 'sphere', 'radius': 1}],\n"
    "     'position': [30, 0, 0], 'motion': {'pivot': [1, 0, 0],\n"
    "       'translation': {'kind': 'velocity', 'velocity': [0, 0, 1]},\n"
    "       'rotation': {'kind': 'table', 'rotations': [[0, 0, 0, 0], [0.2, 1, 0, 0],\n"
    "         [0.6, 0, 1, 1]]}}},\n"
    "   {'position': [0, 50, 0], 'shapes': [{'kind': 'sphere', 'radius': 0.1}]}],\n"
    " 'events': [{'time': 0.3, 'bodies': ['drum', 'arms'], 'motion': {'rotation': {'kind':\n"
    "     'expression', 'rotation_vector': ['f*t', 0, 'sin(t)']}}}]}\n";

/* Every solid, and hulls by name; a body whose centre of mass is given. */
static const char scene_shapes[] =
    "{'version': '1.1', 'parameters': {'a': 0.1}, 'geometries': {\n"
    "  'stone': {'hull': [['=a', 0, 0], ['=-a', 0, 0], [0, '=a', 0], [0, 0, '=2*a']],\n"
    "    'comment': 'a tetrahedron'},\n"
    "  'wedge': {'hull': [[0, 0, 0], [10, 0, 0], [0, 10, 0], [10, 10, 0], [0, 0, 5]],\n"
    "    'scale': 0.02}},\n"
    "  'bodies': [{'position': [0, 0, 1], 'density': 2000, 'shapes': [\n"
    "      {'kind': 'box', 'size': [0.2, 0.4, 0.6], 'rounding': 0.05},\n"
    "      {'kind': 'capsule', 'radius': '=a', 'half_length': 0.3, 'position': [0.5, 0, 0]}]},\n"
    "    {'position': [2, 0, 1], 'shapes': [{'kind': 'cylinder', 'radius': 0.2,\n"
    "      'half_length': 0.1, 'rounding': '=a/5'}, {'kind': 'cone', 'radius': 0.2,\n"
    "      'half_length': 0.15, 'position': [0, 0, 0.25]}]},\n"
    "    {'position': [4, 0, 1], 'mass': 2, 'shapes': [{'kind': 'ellipsoid',\n"
    "      'radii': [0.1, 0.2, 0.3], 'orientation': {'axis': [1, 1, 0], 'angle': 20}}]},\n"
    "    {'positions': [[6, 0, 1], [7, 0, 1]], 'shapes': [\n"
    "      {'kind': 'hull', 'geometry': 'stone', 'rounding': 0.01},\n"
    "      {'kind': 'hull', 'geometry': 'wedge', 'position': [0, 0, -0.2]}]},\n"
    "    {'position': [9, 0, 1], 'mass': 2, 'inertia': [0.1, 0.1, 0.15],\n"
    "      'centre_of_mass': [0, 0, -0.05], 'shapes': [{'kind': 'cone', 'radius': 0.1,\n"
    "      'half_length': 0.2}]}],\n"
    "  'fills': [{'region': {'kind': 'box', 'low': [0, 5, 0], 'high': [2, 7, 2]},\n"
    "      'pattern': 'random', 'count': 20, 'templates': [\n"
    "      {'shapes': [{'kind': 'box', 'size': [0.1, 0.2, 0.3]}], 'weight': 3},\n"
    "      {'shapes': [{'kind': 'hull', 'geometry': 'stone', 'rounding': 0.01}]}]},\n"
    "    {'region': {'kind': 'cylinder', 'centre': [0, 10, 0], 'axis': [0, 0, 2], 'radius': 1},\n"
    "      'templates': [{'shapes': [{'kind': 'sphere', 'radius': 0.1},\n"
    "        {'kind': 'cone', 'radius': 0.1, 'half_length': '=a', 'position': [0, 0, 0.1]}]}],\n"
    "      'scale': {'kind': 'uniform', 'low': 0.5, 'high': 1}}],\n"
    "  'emitters': [{'name': 'tap', 'region': {'kind': 'box', 'low': [0, 5, 5],\n"
    "      'high': [2, 7, 6]}, 'rate': 100, 'templates': [{'shapes': [\n"
    "        {'kind': 'box', 'size': [0.1, 0.2, 0.3]}]}, {'weight': '=2*a', 'shapes': [\n"
    "        {'kind': 'hull', 'geometry': 'stone'},\n"
    "        {'kind': 'sphere', 'radius': 0.1, 'position': [0.1, 0, 0]}]}]},\n"
    "    {'region': {'kind': 'box', 'low': [0, 5, 7], 'high': [2, 7, 8]}, 'rate': 10,\n"
    "      'templates': [{'shapes': [{'kind': 'cylinder', 'radius': 0.1,\n"
    "        'half_length': 0.05}]}], 'scale': {'kind': 'uniform', 'low': 0.5, 'high': 2}}]}";

/* A monitor of every kind. */
static const char scene_monitors[] =
    "{'version': 1, 'parameters': {'g': 9.81},\n"
    " 'bodies': [{'name': 'floor', 'kind': 'fixed', 'shapes': [{'kind': 'plane'}]},\n"
    "   {'name': 'balls', 'positions': [[0, 0, 1], [1, 0, 1]],\n"
    "     'shapes': [{'kind': 'sphere', 'radius': 0.2}]}],\n"
    " 'emitters': [{'name': 'tap', 'region': {'kind': 'box', 'low': [0, 3, 1],\n"
    "     'high': [1, 4, 1.5]}, 'radius': 0.1, 'rate': 100}],\n"
    " 'monitors': {\n"
    "   'floor': {'kind': 'force', 'on': 'floor', 'by': ['balls', 'tap'], 'shape': 0,\n"
    "     'axis': [0, 0, '=-g'], 'comment': 'a text'},\n"
    "   'turn': {'kind': 'torque', 'on': 'all', 'by': 'floor', 'about': [0, 0, 1]},\n"
    "   'own': {'kind': 'torque', 'on': ['floor']},\n"
    "   'flow': {'kind': 'mass_flow', 'on': 'tap',\n"
    "     'plane': {'point': [0, 0, 1], 'normal': [0, 0, -1]}},\n"
    "   'into': {'kind': 'mass_flow', 'into': {'kind': 'box', 'low': [null, 0, 0],\n"
    "     'high': [1, 1, null]}},\n"
    "   'place': {'kind': 'position', 'on': 'balls', 'axis': [1, 0, 0]},\n"
    "   'velocity': {'kind': 'velocity'},\n"
    "   'spin': {'kind': 'angular_velocity', 'on': 'balls'},\n"
    "   'energy': {'kind': 'energy'},\n"
    "   'amount': {'kind': 'amount', 'within': {'kind': 'sphere', 'centre': [0, 0, 0],\n"
    "     'radius': 2}},\n"
    "   'speed': {'kind': 'speed', 'on': ['tap']},\n"
    "   'mean': {'kind': 'mean', 'of': 'floor.z', 'window': '=1/g'},\n"
    "   'most': {'kind': 'max', 'of': 'mean'},\n"
    "   'least': {'kind': 'min', 'of': 'floor.along'},\n"
    "   'impulse': {'kind': 'integral', 'of': 'floor.z'},\n"
    "   'ray': {'kind': 'ray', 'on': ['floor', 'tap'], 'origin': [0, 0, 0.5], 'from': 'floor',\n"
    "     'direction': [0, 0, '=-g'], 'max_distance': '=g'},\n"
    "   'kg': {'kind': 'expression', 'expression': '=-floor.z/g + 0*t', 'unit': 'kg'}}}\n";

/* What collides with what. */
static const char scene_filters[] =
    "{'version': '1.1', 'groups': ['grain', 'wall', 'machine'],\n"
    " 'bodies': [\n"
    "   {'name': 'floor', 'kind': 'fixed', 'group': ['wall', 'default'], 'shapes': [{'kind': "
    "'plane'}]},\n"
    "   {'name': 'balls', 'positions': [[0, 0, 1], [0, 1, 1]], 'group': 'grain', 'mask': 'wall', "
    "'shapes': [\n"
    "     {'kind': 'sphere', 'radius': 0.1},\n"
    "     {'kind': 'sphere', 'radius': 0.2, 'group': 'machine', 'mask': [], 'sensor': true}]},\n"
    "   {'name': 'gate', 'kind': 'fixed', 'shapes': [\n"
    "     {'kind': 'box', 'size': [1, 1, 1], 'mask': ['grain', 'machine'], 'sensor': true},\n"
    "     {'kind': 'box', 'size': [1, 1, 1], 'position': [9, 0, 0], 'sensor': false}]}],\n"
    " 'fills': [{'name': 'heap', 'region': {'kind': 'box', 'low': [4, 0, 0], 'high': [5, 1, 1]},\n"
    "   'radius': 0.2, 'count': 2, 'group': ['grain', 'machine'], 'mask': ['default', 'wall']},\n"
    "   {'region': {'kind': 'box', 'low': [6, 0, 0], 'high': [7, 1, 1]}, 'count': 1, 'group': "
    "'grain',\n"
    "   'templates': [{'shapes': [{'kind': 'sphere', 'radius': 0.1},\n"
    "     {'kind': 'sphere', 'radius': 0.1, 'group': 'wall'}]}]}],\n"
    " 'emitters': [{'name': 'tap', 'region': {'kind': 'box', 'low': [0, 0, 3], 'high': [1, 1, "
    "4]},\n"
    "   'radius': 0.1, 'rate': 10, 'group': 'machine', 'mask': ['default']}],\n"
    " 'exclude': [['floor', 'balls'], ['balls', 'floor'], ['heap', 'gate'], ['balls', 'heap']],\n"
    " 'monitors': {'in': {'kind': 'touching', 'on': 'gate', 'by': ['tap', 'balls'], 'shape': "
    "0}}}\n";

static const struct good_scene {
    const char *name, *text;
} good_scenes[] = {
    {"least", "{'version': 1}"},
    {"least, as a number with a point", "{'version': 1.0, 'step': 1e-3, 'duration': 1E1}"},
    {"empty lists", "{'version': 1, 'parameters': {}, 'record': {}, 'settings': {}, 'solver': {},"
                    " 'materials': {}, 'pairs': [], 'groups': [], 'exclude': [], 'geometries': {}, "
                    "'bodies': [], 'fills': [], 'emitters': [],"
                    " 'events': [], 'boundaries': [], 'forces': [], 'monitors': {}}"},
    {"a mark in front", "\xef\xbb\xbf{'version': 1}"},
    {"a minor version", "{'version': '1.0'}"},
    {"what to record",
     "{'version': '1.1', 'record': {'fields': ['position'], 'bodies': ['heap', 'ball'],"
     " 'compression': 'quantised', 'error': '=1e-3/2'},"
     " 'bodies': [{'name': 'ball', 'shapes': [{'kind': 'sphere', 'radius': 1}]}],"
     " 'fills': [{'name': 'heap', 'region': {'kind': 'box', 'low': [2, 2, 2], 'high': [9, 9, 9]},"
     " 'radius': 1, 'count': 5}]}"},
    {"bodies", scene_bodies},
    {"fills", scene_fills},
    {"motions", scene_motions},
    {"monitors", scene_monitors},
    {"shapes", scene_shapes},
    {"filters", scene_filters},
};

#endif
