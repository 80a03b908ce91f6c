#!/usr/bin/python3 -B
# labels: slow
# Scenes whose ground and stones come from files: a result holds them, so that it can be read, exported and gone on with
# when the files are gone; runs that were stopped end with the bits of one that was not, for any number of threads; and
# nothing sinks into a height field.
import json
import math
import os
import shutil

from cli import SOURCE, check, equal, refused, run_json, skip, talus

try:
    import h5py
except ImportError:
    skip("h5py is not there")

EXAMPLES = os.path.join(SOURCE, "examples")
os.mkdir("scene")
for name in ("meshground.json", "hills.txt", "rubble.json", "hillside.obj"):
    shutil.copy(os.path.join(EXAMPLES, name), "scene")
with open("scene/rubble.json", encoding="utf-8") as file:
    rubble = json.load(file)
with open("scene/tetrahedron.obj", "w", encoding="utf-8") as file:
    file.write("v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
rubble["geometries"]["wedge"] = {"hull": "tetrahedron.obj", "scale": 0.001}
with open("scene/rubble.json", "w", encoding="utf-8") as file:
    json.dump(rubble, file)

CASES = {"meshground": ("rain", ["--set", "bodies=300"]), "rubble": ("rubble", ["--set", "stones=150"])}
whole = {}
for name, (group, sets) in CASES.items():
    ends = [run_json("run", f"scene/{name}.json", "-o", f"{name}{threads}.h5", "--quiet", "--threads", threads, "--until", 1.5, *sets)
            for threads in (1, 2)]
    equal(ends[1]["hash"], ends[0]["hash"], f"{name}: the hash with two threads")
    whole[name] = ends[0]["hash"]
    run_json("run", f"scene/{name}.json", "-o", f"{name}.h5", "--quiet", "--threads", 1, "--until", 0.9, *sets)
refused(3, "hills.txt has 169 heights, expected columns x rows: 182", "check", "scene/meshground.json", "--set", "geometries.hills.heights.columns=14")
shutil.rmtree("scene")
for name, (group, sets) in CASES.items():
    info = talus("info", f"{name}.h5").stdout
    check(group in info, f"info of {name} does not know {group}: {info}")
    talus("export", f"{name}.h5", "--body", group, "-o", f"{name}.csv")
    with open(f"{name}.csv", encoding="utf-8") as file:
        check(sum(1 for _ in file) > 150, f"{name}.csv has not every stone")
    end = run_json("resume", f"{name}.h5", "--until", 1.5, "--quiet", "--threads", 2)
    equal(end["hash"], whole[name], f"{name}: the hash after going on without its files")

# The lower of the two ways to cut a cell into triangles bounds the ground from below; half of the thinnest body is 35 mm.
with open(os.path.join(EXAMPLES, "hills.txt"), encoding="utf-8") as file:
    hills = [[float(number) for number in line.split()] for line in file]
spacing = 0.5 * math.sqrt(300 / 600)
with h5py.File("meshground.h5") as result:
    frame = result["frames"][-1]
    part = slice(int(frame["state_first"]), int(frame["state_first"] + frame["state_count"]))
    ground = {int(shape["body"]) for shape in result["shapes"] if shape["kind"] == 10}
    heights = []
    for body, place in zip(result["states/body"][part], result["states/position"][part]):
        if int(body) in ground:
            continue
        x, y = place[0] / spacing + 6, place[1] / spacing + 6
        i, j = min(max(int(x), 0), 11), min(max(int(y), 0), 11)
        x, y, z = x - i, y - j, [hills[j + k // 2][i + k % 2] for k in range(4)]
        up = z[0] + x * (z[1] - z[0]) + y * (z[3] - z[1]) if x > y else z[0] + y * (z[2] - z[0]) + x * (z[3] - z[2])
        down = z[0] + x * (z[1] - z[0]) + y * (z[2] - z[0]) if x + y < 1 else \
            z[3] + (1 - x) * (z[2] - z[3]) + (1 - y) * (z[1] - z[3])
        heights.append(place[2] - min(up, down))
check(len(heights) == 300 and min(heights) > 0.034, f"the middle of a body is {min(heights)} m above the ground")
print(f"the lowest of {len(heights)} bodies is {min(heights):.4f} m above the ground")
