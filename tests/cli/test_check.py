#!/usr/bin/python3 -B
# `talus check` and `talus info` on scenes: what they count, what they say of the mistakes people make, and
# of bodies that overlap.
import json
import os

from cli import SCENES, SOURCE, check, equal, refused, run_json, scene, talus

os.symlink(SCENES, "scenes")  # so that messages are short and the same everywhere
with open(scene("heap")) as file:
    HEAP = file.read()


def mistake(name, old, new, message):
    """A scene with one mistake in it is refused with exactly this message by all that read scenes."""
    check(HEAP.count(old) == 1, f"{old!r} is not once in the scene")
    with open(name, "w") as out:
        out.write(HEAP.replace(old, new))
    for command in (("check",), ("info",), ("run", "--no-record")):
        done = talus(command[0], name, *command[1:], code=3)
        equal(done.stderr, f"{name}:{message}\n", f"{command[0]} of {name}")
        equal(done.stdout, "", f"standard output of {command[0]} of {name}")


# The three that everybody makes: a misspelt key, a lost comma, a name that is not there; and more.
mistake("key.json", '"radius": "=radius"', '"raduis": "=radius"',
        "35:13: fills[0]: unknown key 'raduis'; did you mean 'radius'?")
mistake("comma.json", '"duration": 2,', '"duration": 2', "7:5: found '\"', expected ',' or '}'")
mistake("name.json", '"material": "glass"', '"material": "glas"',
        "37:25: fills[0].material: is \"glas\", expected the name of a material; did you mean 'glass'?")
mistake("type.json", '"step": 0.005', '"step": "0.005"', '5:13: step: is "0.005", expected a number above 0 (s)')
mistake("sign.json", '"radius": 0.15', '"radius": -0.15',
        "28:53: bodies[1].shapes[0].radius: is -0.15, expected a number above 0 (m)")
mistake("twice.json", '"name": "big"', '"name": "tank"',
        '25:21: bodies[1].name: is "tank", the name of bodies[0], expected another')

# What is set on the command line is checked as if it stood in the file.
refused(3, "--set radus: neither a parameter nor a key of the scene, expected one; did you mean 'radius'?",
        "check", scene("heap"), "--set", "radus=1")
refused(3, 'scenes/heap.json:35:23: fills[0].radius: is "=radius", which gives -1, expected a number above 0 (m)',
        "check", "scenes/heap.json", "--set", "radius=-1")

# Files that cannot be read.
refused(4, "talus: nowhere.json: cannot be opened: No such file or directory", "check", "nowhere.json")
refused(4, "talus: scenes: ", "check", "scenes")

# What is in the scene, from the file and by hand: 10 x 10 balls a layer.
found = run_json("check", scene("heap"))
layers, rest = divmod(found["bodies"] - 2, 100)
check(rest == 0 and layers > 5, f"bodies: {found['bodies']}")
for key, wanted in {"title": "A heap of balls in a tank", "materials": ["glass", "steel"],
                    "named_bodies": ["tank", "big", "balls"], "gravity": [0, 0, -9.81], "step": 0.005,
                    "stepper": "dvi", "planes": "by-motion", "solver": "psor", "iterations": 8, "precision": "mixed", "duration": 2, "rate": 50,
                    "record_contacts": False, "dynamic": found["bodies"] - 1, "fixed": 1, "prescribed": 0,
                    "shapes": found["bodies"] + 4, "overlapping_pairs": 0}.items():
    equal(found[key], wanted, key)
fewer = run_json("check", scene("heap"), "--set", "layers=0.5", "--set", "gravity=[0,0,-1.62]",
                 "--set", "solver.kind=apgd")
check(fewer["bodies"] < found["bodies"], "--set layers changes nothing")
equal((fewer["gravity"], fewer["solver"]), ([0, 0, -1.62], "apgd"), "what was set")

# info says the same without making a world.
info = run_json("info", scene("heap"))
equal(info["kind"], "scene", "kind")
for key in ("title", "bodies", "materials", "gravity", "duration"):
    equal(info[key], found[key], f"{key} of info")
equal(run_json("info", scene("heap"), "--set", "settings.planes=nearest")["planes"], "nearest", "planes of info")
check("planes" not in run_json("info", os.path.join(SOURCE, "examples", "sawtooth.json")), "planes of an exact stepper")
text = talus("info", scene("heap")).stdout
check("named_bodies         tank, big, balls\n" in text, text)

# Overlapping bodies are a warning with both places.
done = talus("check", "scenes/overlap.json", "--json")
equal(done.stderr, 'talus: warning: scenes/overlap.json:5:9: bodies[1] "left" and scenes/overlap.json:6:9: '
      'bodies[2] "right" overlap by 0.06 m, 60 % of the smaller radius; 1 pair overlaps by more than 10 %\n',
      "the warning")
found = json.loads(done.stdout)
equal(found["overlapping_pairs"], 1, "overlapping pairs")
check(abs(found["worst_overlap"] - 0.06) < 1e-6 and abs(found["worst_relative"] - 0.6) < 1e-6, f"{found}")
equal(found["worst_a"], 'scenes/overlap.json:5:9: bodies[1] "left"', "one of the worst pair")
equal(found["worst_b"], 'scenes/overlap.json:6:9: bodies[2] "right"', "the other")
done = talus("run", "scenes/overlap.json", "--no-record", "--until", 0.1)
check("warning: 1 pair of bodies overlaps at the start; the worst, by 0.06 m (60 % of the radius):\n"
      '  scenes/overlap.json:5:9: bodies[1] "left"\n  scenes/overlap.json:6:9: bodies[2] "right"\n' in done.stderr,
      done.stderr)

# This build.
build = run_json("info")
equal(set(build), {"version", "compiler", "build", "instruction_sets", "cpu", "cuda", "hdf5", "jansson", "meshes", "render"}, "info")
check(build["cpu"].startswith("cpu ("), build["cpu"])
check(build["cuda"].startswith(("cuda (", "not available: ")), build["cuda"])
refused(2, "info: --set is for scenes", "info", "--set", "a=1")

# Walls that all lie in one place do not look at each other: this takes a second, not minutes.
PANELS = {"kind": "fixed", "repeat": {"count": 200000},
          "shapes": [{"kind": "parallelogram", "edge_u": [0.1, 0, 0], "edge_v": [0, 0.1, 0]}]}
LARGER = {**PANELS, "shapes": [{"kind": "parallelogram", "edge_u": [0.4, 0, 0], "edge_v": [0, 0.4, 0]}]}
BALL = {"position": [0.05, 0.05, 1], "shapes": [{"kind": "sphere", "radius": 0.02}]}
with open("panels.json", "w") as file:
    json.dump({"version": 1, "bodies": [PANELS, LARGER, BALL]}, file)
found = run_json("check", "panels.json", timeout=60)
equal((found["fixed"], found["overlapping_pairs"]), (400000, 0), "panels in one place")

# A fill asks the walls near each sphere, not all.
SHELF = {"kind": "fixed", "repeat": {"count": 200000},
         "position": ["=(i-500*floor(i/500))/500", "=floor(i/500)/400", 0.05],
         "shapes": [{"kind": "parallelogram", "edge_u": [0.002, 0, 0], "edge_v": [0, 0.002, 0]}]}
with open("shelf.json", "w") as file:
    json.dump({"version": 1, "bodies": [SHELF], "fills": [
        {"region": {"kind": "box", "low": [0, 0, 0], "high": [1, 1, 1]}, "radius": 0.02}]}, file)
found = run_json("check", "shelf.json", timeout=60)
equal((found["fixed"], found["overlapping_pairs"]), (200000, 0), "a fill among many panels")
check(10000 < found["dynamic"] < 15625, f"{found['dynamic']} spheres, not all but those of two layers")

# Sensors are counted; a shape that collides with nothing is most likely a slip.
FLOOR = {"name": "floor", "kind": "fixed", "shapes": [{"kind": "plane"}]}
GATE = {"name": "gate", "kind": "fixed", "shapes": [{"kind": "box", "size": [1, 1, 1], "sensor": True}]}
GRAIN = {"name": "grain", "position": [0, 0, 0.5], "shapes": [{"kind": "sphere", "radius": 0.1}]}


def filtered(more=None, **grain):
    with open("filtered.json", "w") as out:
        json.dump({"version": 1, "groups": ["a", "b"], "bodies": [FLOOR, GATE, {**GRAIN, **grain}], **(more or {})}, out)
    return run_json("check", "filtered.json")


found = filtered()
equal((found["sensors"], found["overlapping_pairs"], found["warnings"]), (1, 0, []), "a ball in a gate")
equal(filtered(group="a")["warnings"], [], "a group that everything collides with")
equal(filtered(mask=["a", "b"])["warnings"],
      ['filtered.json:1:215: bodies[2] "grain" has a shape that collides with nothing in the scene: group 0x1, mask '
       "0x6"], "a mask of others")
equal(filtered(mask=[])["warnings"],
      ['filtered.json:1:215: bodies[2] "grain" has a shape that collides with nothing in the scene: group 0x1, mask '
       "0x0"], "no mask")
POURED = {"emitters": [{"region": {"kind": "box", "low": [0, 0, 1], "high": [1, 1, 2]}, "radius": 0.1, "rate": 1, "group": "a"}]}
equal(filtered(POURED, mask=["a", "b"])["warnings"], [], "a mask of what is poured in later")
equal(len(filtered(POURED, mask=[])["warnings"]), 1, "warnings of no mask, beside an emitter")
