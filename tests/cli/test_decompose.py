#!/usr/bin/env python3
# labels: slow
"""talus decompose and talus check of meshes: what they say, what they write, that it runs as it is, what they
refuse, and that the example is what decompose makes of its mesh."""
import json
import os
import struct

from cli import SOURCE, check, equal, refused, run_json, talus

BRACKET = os.path.join(SOURCE, "examples", "bracket.obj")
VOLUME = 0.1 * 0.1 * 0.04 - 0.07 * 0.07 * 0.04


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(path, text):
    with open(path, "w" if isinstance(text, str) else "wb") as file:
        file.write(text)


def near(found, wanted, within, what):
    check(abs(found - wanted) <= within, f"{what}: {found!r}, not {wanted!r} within {within:g}")


# What check says of a mesh.
facts = run_json("check", BRACKET, "--unit", "mm", "--density", 7800)
equal([facts[key] for key in ("triangles", "vertices", "dropped_triangles", "components", "open_edges",
                              "crowded_edges", "turned_edges", "solid")], [20, 12, 0, 1, 0, 0, 0, True], "counts")
near(facts["volume"], VOLUME, 1e-15, "volume")
near(facts["mass"], 7800 * VOLUME, 1e-12, "mass")
near(facts["hull_volume"], 0.04 * (0.1 * 0.1 - 0.07 * 0.07 / 2), 1e-15, "hull")
near(facts["centre_of_mass"][2], 0.02, 1e-12, "centre")
# The polar moment about the axis through the centre along z, by two squares less their distances.
polar = (0.1 ** 4 / 6 + 0.1 ** 2 * 2 * 0.05 ** 2) - (0.07 ** 4 / 6 + 0.07 ** 2 * 2 * 0.065 ** 2)
x = facts["centre_of_mass"][0]
near(facts["inertia"][2], 7800 * 0.04 * (polar - (0.1 ** 2 - 0.07 ** 2) * 2 * x * x), 1e-12, "inertia")
check("open_edges           0" in talus("check", BRACKET).stdout, "check says nothing of edges")

# A mesh with a hole: facts, and an error with the place.
lines = open(BRACKET, encoding="utf-8").read().splitlines()
write("hole.obj", "\n".join(lines[:-1]))
done = refused(3, "hole.obj: the mesh is no solid: 4 of its edges belong to one triangle alone", "check", "hole.obj")
check("solid                no" in done.stdout and "(0, 100, 0)" in done.stderr, done.stdout + done.stderr)
refused(3, "hole.obj: the mesh is no solid", "decompose", "hole.obj")
check(not os.path.exists("hole.json"), "a scene was written of a mesh with a hole")
write("cut.stl", b"\0" * 80 + struct.pack("<I", 1000000) + b"\0" * 50)
refused(3, "cut.stl: says at byte 80 that it has 1000000 triangles, expected 50000084 bytes; it has 134",
        "check", "cut.stl")
refused(4, "none.stl: cannot be opened", "decompose", "none.stl")
refused(3, "part.step: its name ends in no format of meshes", "decompose", "part.step")
write("twice.obj", "\n".join(lines + ["f 1 1 2"]))
check("1 triangle has a vertex twice" in talus("check", "twice.obj").stderr, "a dropped triangle is not told")
equal(run_json("check", "twice.obj")["dropped_triangles"], 1, "dropped")

# What decompose writes: a scene that runs, with the mesh's mass and inertia.
made = run_json("decompose", BRACKET, "--unit", "mm", "--density", 7800, "--tolerance", 0.005, "--material", "steel")
equal(made["output"], "bracket.json", "output")
scene = read("bracket.json")
body = scene["bodies"][0]
equal(body["name"], "bracket", "name")
equal(body["mass"], facts["mass"], "mass")
equal(body["inertia"], facts["inertia"], "inertia")
equal(body["position"], facts["centre_of_mass"], "position")
equal(len(body["shapes"]), made["spheres"], "spheres")
equal({shape["material"] for shape in body["shapes"]}, {"steel"}, "material")
near(made["volume_error"], 0, 0.05, "volume error")
check(made["protrusion"] <= 0.005, f"spheres stick out by {made['protrusion']}")
facts = run_json("check", "bracket.json")
equal(facts["warnings"], [], "warnings")
for k in range(3):  # the scene lies where the mesh is
    near(facts["low"][k], 0, 0.005, "low")
    near(facts["high"][k], (0.1, 0.1, 0.04)[k], 0.005, "high")
equal(run_json("run", "bracket.json", "--until", 0.1, "--quiet")["status"], "finished", "run")

# The example is made of these shapes.
example = next(entry for entry in read(os.path.join(SOURCE, "examples", "brackets.json"))["bodies"]
               if entry["name"] == "bracket")
numbers = [[entry["mass"], *entry["inertia"],
            *sorted([round(shape["radius"], 8), *(round(x, 8) + 0.0 for x in shape["position"])]
                    for shape in entry["shapes"])] for entry in (example, body)]
check(numbers[0] == numbers[1], "examples/brackets.json is not what decompose writes of bracket.obj: copy it again")

# Outputs: never another file, an own one by --force; the same bytes again.
first = open("bracket.json", "rb").read()
again = ("decompose", BRACKET, "--unit", "mm", "--density", 7800, "--tolerance", 0.005, "--material", "steel")
refused(4, "bracket.json exists; --force replaces it, -o names another", *again)
equal(talus(*again, "--force", "--quiet").stdout, "", "--quiet")
equal(open("bracket.json", "rb").read(), first, "decomposed again")
write("mine.json", '{"version": 1}')
refused(4, "--force replaces scenes that decompose wrote alone: mine.json is none", "decompose", BRACKET, "-o",
        "mine.json", "--force")
refused(4, "mine.json exists; -o names another", "decompose", BRACKET, "-o", "mine.json")
refused(4, "is not a folder that exists", "decompose", BRACKET, "-o", "no/where.json")

# A limit on the number, which makes the tolerance larger, and says so; a name that needs quotes.
done = talus("decompose", BRACKET, "--unit", "mm", "--tolerance", 0.002, "--spheres", 12, "--name", 'a "b"', "-o", "few.json")
check("12 spheres do not reach the tolerance of 0.002 m" in done.stderr, done.stderr)
few = read("few.json")["bodies"][0]
check(len(few["shapes"]) <= 12 and few["name"] == 'a "b"', "spheres or name")
refused(3, "tolerance is 1e-06 m; it must be at least", "decompose", BRACKET, "--unit", "mm", "--tolerance", 1e-6,
        "-o", "fine.json")

# Convex pieces: an L is two boxes, exactly; the scene runs, lies where the mesh is, and weighs what it does.
split = run_json("decompose", BRACKET, "--unit", "mm", "--density", 7800, "--convex", "--material", "steel", "-o", "boxes.json")
equal([split["pieces"], split["piece_vertices"]], [2, 16], "pieces")
for key in ("volume_error", "missing", "excess", "protrusion", "inertia_error", "centre_error"):
    near(split[key], 0, 1e-12, key)
near(split["deviation_max"], 0, 1e-12, "deviation")
near(split["tolerance"], 0.005 * (0.1 ** 2 * 2 + 0.04 ** 2) ** 0.5, 1e-12, "default tolerance")
scene = read("boxes.json")
hulls = scene["bodies"][0]
equal([hulls["mass"], hulls["inertia"], hulls["position"]], [body["mass"], body["inertia"], body["position"]], "mass")
equal([(shape["kind"], shape["geometry"], shape["material"]) for shape in hulls["shapes"]],
      [("hull", "bracket_1", "steel"), ("hull", "bracket_2", "steel")], "hulls")
equal([len(scene["geometries"][name]["hull"]) for name in ("bracket_1", "bracket_2")], [8, 8], "vertices")
facts = run_json("check", "boxes.json")
equal([facts["warnings"], facts["shape_kinds"]], [[], "2 hull"], "check of pieces")
equal(run_json("run", "boxes.json", "--until", 0.1, "--quiet")["status"], "finished", "run of pieces")
first = open("boxes.json", "rb").read()
talus("decompose", BRACKET, "--unit", "mm", "--density", 7800, "--convex", "--material", "steel", "-o", "boxes.json",
      "--force", "--quiet")
equal(open("boxes.json", "rb").read(), first, "split again")
done = talus("decompose", BRACKET, "--unit", "mm", "--convex", "--pieces", 1, "-o", "one.json")
check("1 pieces do not reach the tolerance of 0.000735 m; these stick out by 0.0" in done.stderr, done.stderr)
equal(len(read("one.json")["geometries"]["bracket_1"]["hull"]), 10, "the hull")
refused(2, "--spheres is for spheres; with --convex give --pieces", "decompose", BRACKET, "--convex", "--spheres", 3)
refused(2, "--pieces is for convex pieces: give --convex, or --spheres", "decompose", BRACKET, "--pieces", 3)
refused(2, "--vertices is for convex pieces: give --convex", "decompose", BRACKET, "--vertices", 30)
refused(3, "hole.obj: the mesh is no solid", "decompose", "hole.obj", "--convex")

# A mesh on a dynamic body: split when the scene is read, with the errors told by check and info.
moving = {"version": 1, "geometries": {"part": {"mesh": BRACKET, "scale": 0.001, "convex": {"pieces": 2}}},
          "bodies": [{"density": 7800, "position": [0, 0, 1], "shapes": [{"kind": "mesh", "geometry": "part"}]}]}
write("moving.json", json.dumps(moving))
for command in ("check", "info"):
    facts = run_json(command, "moving.json")
    equal([facts["split_meshes"], facts["pieces"]], [1, 2], command)
    near(facts["protrusion"] + facts["excess"] + facts["missing"] + facts["inertia_error"], 0, 1e-12, command)
facts = run_json("check", "moving.json")
equal([facts["shape_kinds"], facts["warnings"]], ["2 hull", []], "moving")
near(facts["total_mass"], 7800 * VOLUME, 1e-9, "mass of the mesh")
moving["geometries"]["part"]["convex"] = {"pieces": 1}
write("moving.json", json.dumps(moving))
check("convex pieces of a mesh stick out by" in talus("check", "moving.json").stderr, "no warning of few pieces")
near(run_json("check", "moving.json")["total_mass"], 7800 * VOLUME, 1e-9, "mass of the mesh, whatever the pieces")
equal(run_json("run", "moving.json", "--until", 0.05, "--quiet")["status"], "finished", "run of a mesh")
equal(run_json("info", "moving.h5")["pieces"], 1, "info of the result")
for where, bad, message in (
        (("convex",), {"pieces": 0}, "geometries.part.convex.pieces: is 0, expected a whole number from 1 to 4096"),
        (("convex",), {"vertices": 300}, "geometries.part.convex.vertices: is 300, expected a whole number from 4 to 255"),
        (("convex",), {"tolerance": 0}, "geometries.part.convex.tolerance: is 0, expected a number above 0 (m)"),
        (("mesh",), os.path.abspath("hole.obj"), "geometries.part.convex: the mesh is no solid: 4 of its edges")):
    wrong = json.loads(json.dumps(moving))
    wrong["geometries"]["part"][where[0]] = bad
    write("wrong.json", json.dumps(wrong))
    refused(3, message, "check", "wrong.json")
del wrong["geometries"]["part"]["convex"]
write("wrong.json", json.dumps(wrong))
refused(3, "on a dynamic body, where it must be a solid: the mesh is no solid: 4 of its edges", "check", "wrong.json")

# Far away and in inches.
write("far.obj", "\n".join(f"v {10000 + float(x)} {y} {z}" if line.startswith("v") else line for line in lines
                           for x, y, z in [(line.split()[1:4] + ["0"] * 3)[:3] if line.startswith("v") else "000"]))
far = run_json("check", "far.obj", "--unit", "in")
near(far["volume"] / (204000 * 0.0254 ** 3), 1, 1e-9, "volume in inches")
near(far["centre_of_mass"][0] / 0.0254, 10035.588235294117, 1e-6, "centre in inches")
