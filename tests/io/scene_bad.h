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
#include "io/scene_bad/text.inc"
#include "io/scene_bad/materials.inc"
#include "io/scene_bad/motions.inc"
#include "io/scene_bad/fills.inc"
#include "io/scene_bad/schedule.inc"
#include "io/scene_bad/monitors.inc"
#include "io/scene_bad/joints.inc"
#include "io/scene_bad/steppers.inc"
};

#endif
