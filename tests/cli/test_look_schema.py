#!/usr/bin/python3 -B
# labels: slow
# Holds docs/look.schema.json to the reader of looks: both take the looks of examples/looks and what --init writes,
# and refuse the same mistakes; the keys of the schema are those that the reader lists.
import glob
import json
import os
import re

import jsonschema

from cli import SOURCE, TALUS, check, equal, talus

with open(os.path.join(SOURCE, "docs", "look.schema.json"), encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
scene = {"version": 1, "duration": 0.02, "record": {"rate": 50}, "bodies": [
    {"name": "chassis", "shapes": [{"kind": "sphere", "radius": 0.1}], "position": [0, 0, 1]}]}
with open("drop.json", "w") as file:
    json.dump(scene, file)
talus("run", "drop.json", "-o", "drop.h5", "--quiet", "--threads", 1)


def read(path, code):
    return talus("render", "drop.h5", "--look", path, "-o", "x.png", "--size", "8x8", "--samples", 1, "--threads", 1, "--force",
                 "--quiet", code=code).stderr


talus("render", "--init", "init.json", "--quiet")
looks = sorted(glob.glob(os.path.join(SOURCE, "examples", "looks", "*.json")))
check(len(looks) >= 4, "there are no looks among the examples")
for path in [*looks, "init.json"]:
    with open(path, encoding="utf-8") as file:
        errors = list(validator.iter_errors(json.load(file)))
    check(not errors, f"the schema refuses {path}: {errors[:1]}")
    read(path, 0)

# Every part of the schema, as the reader lists its keys.
parts = {"": schema, "camera": schema["properties"]["camera"], "sky": schema["properties"]["sky"],
         "sun": schema["properties"]["sun"]["oneOf"][1], "color": schema["properties"]["color"],
         "cut": schema["properties"]["cut"]["oneOf"][1], "chains": schema["properties"]["chains"]["oneOf"][1],
         "moving": schema["$defs"]["material"], "lights": schema["properties"]["lights"]["items"],
         "input": schema["properties"]["input"], "scene": schema["properties"]["scene"]["items"]["oneOf"][1]}
for name, part in parts.items():
    wrong = {"nonsense": 1}
    look = wrong if not name else {name: [wrong] if name in ("lights", "scene") else wrong}
    with open("bad.json", "w") as file:
        json.dump(look, file)
    listed = re.search(r"known are (.*)", read("bad.json", 3))
    equal(sorted(listed[1].split(", ")), sorted(part["properties"]), f"keys of {name or 'a look'}")
    check(not validator.is_valid(look), f"the schema takes an unknown key of {name}")

for look in ({"size": [64]}, {"size": [1, 64]}, {"samples": 0}, {"samples": 1.5}, {"fps": 0}, {"shutter": 2}, {"noise": -1}, {"tone": "soft"},
             {"template": "sudio"}, {"template": "../x.json"}, {"camera": {"kind": "fixed"}}, {"camera": {"kind": "follow"}},
             {"camera": {"kind": "path"}}, {"camera": {"fov": 0}}, {"camera": {"eye": [1, 2]}}, {"camera": {"keys": [{"time": 1}]}},
             {"camera": {"link": "nothing"}}, {"sky": {"kind": "blue"}}, {"sky": {"kind": "picture"}}, {"sky": {"file": "../x.png"}},
             {"sky": {"turbidity": 1}}, {"sun": {"angle": 0}}, {"lights": {}}, {"lights": [{"position": [0, 0, 1]}]},
             {"lights": [{}] * 17}, {"moving": {"color": [1.5, 0, 0]}}, {"moving": {"color": "red"}}, {"moving": {"ior": 0.5}},
             {"moving": {"mesh": "/etc/stone.obj"}}, {"bodies": {"a": {"kind": "wood"}}}, {"color": {"map": "jet"}}, {"color": {"range": [1]}},
             {"cut": {"normal": [0, 0, 0]}}, {"chains": {"force": 0}}, {"walls": "none"}, {"outline": -1}, {"clock": 1}, {"title": 5},
             {"moving": {"from": "unobtainium"}}, {"moving": {"bump": 1}}, {"moving": {"roughness": ""}}, {"moving": {"grain": 0}}, {"moving": {"shader": 1}},
             {"moving": {"color": [0.5, 0.5, True]}}, {"scene": []}, {"scene": [{"mesh": "a.obj"}]}, {"scene": [{"inject": "camera"}]},
             {"scene": [{"inject": "bodies"}, {"inject": "bodies"}]}, {"scene": [{"mesh": "/a.obj"}, {"inject": "bodies"}]},
             {"input": {"columns": {"t": "time"}}}, {"input": {"columns": {"x": 1}}}, {"input": {"radius": 0}}, {"input": {"scale": -1}}):
    with open("bad.json", "w") as file:
        json.dump(look, file)
    check(not validator.is_valid(look), f"the schema takes {look}")
    check(read("bad.json", 3).startswith("bad.json:1:"), f"the reader does not tell the place of {look}")
