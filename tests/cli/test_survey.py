#!/usr/bin/python3 -B
# `talus check`: sizes, masses, extents and the length of the run, against numbers worked out by hand; and what it
# doubts: units, steps that are too long, bodies in walls, fills that reach through walls.
import json
import math
import os

from cli import check, equal, run_json, scene, talus


def write(name, **parts):
    with open(name, "w") as out:
        json.dump({"version": 1, **parts}, out)
    return name


def close(found, wanted, what):
    check(all(abs(a - b) <= 1e-9 * max(1, abs(b)) for a, b in zip(found, wanted)), f"{what}: {found}, not {wanted}")


def warnings(name, *arguments):
    """The warnings of a scene, which are printed, too, and do not fail the command."""
    done = talus("check", name, "--json", *arguments)
    found = json.loads(done.stdout)["warnings"]
    equal(done.stderr, "".join(f"talus: warning: {text}\n" for text in found), "what was printed")
    return found


def sphere(radius, x, **more):
    return {"position": x, "shapes": [{"kind": "sphere", "radius": radius}], **more}


# Numbers.
write("two.json", duration=2, step=0.001, record={"rate": 10}, bodies=[
    {"kind": "fixed", "shapes": [{"kind": "plane"}]}, sphere(0.1, [0, 0, 1], density=2000), sphere(0.2, [1, -1, 2], mass=5),
    {"kind": "prescribed", "position": [9, 9, 9], "shapes": [{"kind": "box", "size": [1, 1, 1]}]}])
found = run_json("check", "two.json")
mass = 2000 * 4 / 3 * math.pi * 0.1 ** 3
close([found[key] for key in ("smallest_radius", "largest_radius", "total_mass", "smallest_mass", "largest_mass")],
      [0.1, 0.2, 5 + mass, 5, mass] if mass > 5 else [0.1, 0.2, 5 + mass, mass, 5], "radii and masses")
close(found["low"] + found["high"], [-0.1, -1.2, 0.9, 1.2, 0.1, 2.2], "extents")
equal((found["steps"], found["frames"], found["warnings"]), (2000, 21, []), "steps, frames and warnings")
text = talus("check", "two.json").stdout
check("smallest_radius      0.1 m\n" in text and "low                  (-0.1, -1.2, 0.9) m\n" in text, text)

# The box around shapes is theirs, not that of balls around them; bodies and shapes are turned and off the origin.
CORNER = {"hull": [[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]}
HULL = {"kind": "hull", "geometry": "corner"}
QUARTER = {"axis": [0, 1, 0], "angle": 90}  # z to x
for shape, low, high in (
        ({"kind": "box", "size": [0.2, 0.4, 2]}, [-1, -0.2, -0.1], [1, 0.2, 0.1]),
        ({"kind": "box", "size": [0.2, 0.4, 2], "rounding": 0.05}, [-1, -0.2, -0.1], [1, 0.2, 0.1]),
        ({"kind": "capsule", "radius": 0.1, "half_length": 0.5}, [-0.6, -0.1, -0.1], [0.6, 0.1, 0.1]),
        ({"kind": "cylinder", "radius": 0.1, "half_length": 0.5, "rounding": 0.02}, [-0.5, -0.1, -0.1], [0.5, 0.1, 0.1]),
        ({"kind": "cone", "radius": 0.1, "half_length": 0.5}, [-0.5, -0.1, -0.1], [0.5, 0.1, 0.1]),
        ({"kind": "ellipsoid", "radii": [0.1, 0.2, 0.3]}, [-0.3, -0.2, -0.1], [0.3, 0.2, 0.1]),
        (HULL, [0, 0, -0.3], [0.1, 0.2, 0])):
    write("one.json", version="1.1", geometries={"corner": CORNER}, bodies=[{"position": [5, 6, 7], "orientation": QUARTER, "shapes": [shape]}])
    found = run_json("check", "one.json")
    close(found["low"] + found["high"], [5 + low[0], 6 + low[1], 7 + low[2], 5 + high[0], 6 + high[1], 7 + high[2]],
          f"the box of a {shape['kind']}")
write("slant.json", bodies=[{"shapes": [{"kind": "cylinder", "radius": 0.3, "half_length": 0.4,
                                         "orientation": {"axis": [1, 0, 0], "angle": 30}, "position": [1, 0, 0]}]}])
found = run_json("check", "slant.json")
tall, wide = 0.4 * math.cos(math.pi / 6) + 0.3 * 0.5, 0.4 * 0.5 + 0.3 * math.cos(math.pi / 6)
close(found["low"] + found["high"], [0.7, -wide, -tall, 1.3, wide, tall], "the box of a slanted cylinder")

# The size of the result is about right.
estimate = run_json("check", scene("heap"))
equal(estimate["warnings"], [], "warnings of a sound scene")
run = run_json("run", scene("heap"), "--quiet")
equal((run["steps"], run_json("info", "heap.h5")["frames"]), (estimate["steps"], estimate["frames"]), "steps and frames of the run")
size = os.path.getsize("heap.h5")
check(0.3 < size / estimate["result_bytes"] < 3, f"the result has {size} bytes, not about {estimate['result_bytes']}")
talus("run", scene("pour"), "--set", "duration=0.02", "-o", "short.h5", "--quiet")
estimate, size = run_json("check", scene("pour"), "--set", "duration=0.02")["result_bytes"], os.path.getsize("short.h5")
check(0.5 < size / estimate < 2, f"a short result has {size} bytes, not about {estimate}")

# Units.
GROUND = {"kind": "fixed", "shapes": [{"kind": "plane"}]}
write("mm.json", bodies=[GROUND, sphere(5, [0, 0, 10]), sphere(5, [2000, 0, 10])])
equal(warnings("mm.json"), ["radii go up to 5 m and bodies fill 2010 m: that looks like millimetres; lengths are in metres"],
      "millimetres")
equal(warnings("mm.json", "--set", "bodies[1].density=7.8e-6"),
      ["radii go up to 5 m and bodies fill 2010 m: that looks like millimetres; lengths are in metres",
       "densities go from 7.8e-06 to 1000 kg/m^3, expected 1 to 20000: water has 1000; lengths are in metres, masses in "
       "kilograms"], "kilograms per cubic millimetre")
write("one.json", bodies=[GROUND, sphere(0.05, [0, 0, 1])])
equal(warnings("one.json"), [], "a sound scene")
equal(warnings("one.json", "--set", "gravity=[0,0,-9810]", "--set", "step=0.001"),
      ["gravity is 9810 m/s^2: that looks like millimetres; on Earth it is 9.81"], "gravity in millimetres")
equal(warnings("one.json", "--set", "step=0.1", "--set", "record.rate=5"),
      ["the step of 0.1 s is long for a radius of 0.05 m: within it a body falls half its radius or more; at most 0.071 s, "
       "sqrt(radius / gravity), is advised"], "a long step")
equal(warnings("one.json", "--set", "bodies[1].velocity=[50,0,0]"),
      ["the step of 0.005 s is long: the fastest body, at 50 m/s, moves 0.25 m in one, more than the smallest radius of 0.05 m"],
      "a fast body")

# Bodies in walls: behind a plane, and in a box.
BOX = {"name": "block", "kind": "fixed", "position": [3, 0, 0.5], "shapes": [{"kind": "box", "size": [1, 1, 1]}]}
write("in.json", bodies=[GROUND, BOX, sphere(0.05, [0, 0, -0.3]), sphere(0.05, [3, 0, 0.9]), sphere(0.05, [1, 0, 0.049])])
found = run_json("check", "in.json")
equal(found["inside_walls"], 2, "bodies in walls")
check(any(text.startswith("the centre of in.json:1:") and text.endswith("or behind it; so do 2 in all")
          for text in found["warnings"]), found["warnings"])

# Fills that reach through walls: a panel, a box, one that turns; not those that stay on one side.
FILL = {"name": "grains", "region": {"kind": "box", "low": [0, 0, 0], "high": [2, 1, 1]}, "radius": 0.05}
PANEL = {"kind": "fixed", "position": [1, 0, 0], "shapes": [
    {"kind": "parallelogram", "edge_u": [0, 1, 0], "edge_v": [0, 0.2, 1]}]}
write("through.json", bodies=[PANEL], fills=[FILL])
found = warnings("through.json")
check(len(found) == 1 and '"grains", 1 of ' in found[0] and found[0].endswith(
    "and those with it lie on both sides of through.json:1:27: bodies[0] (1 wall in all): does the region reach through a wall?"),
    found)
WALL = {"kind": "fixed", "position": [1, 0.5, 0.5], "orientation": {"axis": [0, 0, 1], "angle": 30},
        "shapes": [{"kind": "box", "size": [0.1, 3, 3]}]}
write("box.json", bodies=[WALL], fills=[FILL])
check(len(warnings("box.json")) == 1, "a fill through a box was not seen")
write("beside.json", bodies=[{**PANEL, "position": [2.05, 0, 0]}, {**WALL, "position": [-1, 0, 0.5]}], fills=[FILL])
equal(warnings("beside.json"), [], "a fill beside its walls")
