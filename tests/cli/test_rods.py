#!/usr/bin/python3 -B
# Rods in scenes, runs, results and exports: the jelly keeps a marble out that passes between its balls; results know how
# long a rod is, and VTK; resuming and threads give the same bits; other steppers are refused with the place.
import glob
import json
import os
import re

import h5py
import numpy

from cli import SOURCE, check, equal, found, refused, run_json, talus

JELLY = os.path.join(SOURCE, "examples", "jelly.json")


def places(result, frame=-1):
    """Places of a frame by body, and the rods of the result: body, two ends."""
    with h5py.File(result) as file:
        row = file["frames"][frame]
        rows = slice(row["state_first"], row["state_first"] + row["state_count"])
        shapes = file["shapes"][:]
        return (dict(zip(file["states/body"][rows], file["states/position"][rows])),
                [(s["body"], s["end_a"], s["end_b"], s["half_length"]) for s in shapes if s["end_a"]])


with open(JELLY, encoding="utf-8") as file:
    scene = json.load(file)
told = run_json("info", JELLY)
equal((told["rods"], told["joints"]), (144, 360), "rods and springs")

talus("run", JELLY, "-o", "jelly.h5", "--until", 1.5, "--quiet")
now, rods = places("jelly.h5")
equal(len(rods), 144, "rods of the result")
marble, nodes = now[67], numpy.array([now[i] for i in range(3, 67)])
found("a marble falls on a cube of balls, springs and rods", "rods keep it out", "its height over the top balls' centres (m)",
      "examples/jelly.json, 1.5 s", marble[2] - nodes[:, 2].max(), 0.03, 0.06)
bare = {key: value for key, value in scene.items() if key != "rods"}
with open("bare.json", "w", encoding="utf-8") as file:
    json.dump(bare, file)
talus("run", "bare.json", "-o", "bare.h5", "--until", 1.5, "--quiet")
without, none = places("bare.h5")
check(not none and without[67][2] < 0.3, f"without rods the marble is at {without[67]}")

# A rod is in the middle of its balls, wherever these are, and its length is theirs: they were stretched and pressed.
lengths = []
for body, a, b, half in rods:
    check(numpy.allclose(now[body], (now[a] + now[b]) / 2, atol=1e-6), f"rod {body} is at {now[body]}, between {now[a]} and {now[b]}")
    lengths.append(numpy.linalg.norm(now[a] - now[b]))
check(max(abs(length - 0.25) for length in lengths) > 1e-3, "no rod changed its length")

# VTK has each as long as it is: with its caps, the distance of its balls and twice its radius.
talus("export", "jelly.h5", "-o", "jelly.pvd", "--format", "vtk", "--from", 1.499, "--quiet")
with open(glob.glob("jelly*/moving_*.vtp")[0], "rb") as file:
    data = file.read()
start = data.index(b"_", data.index(b"<AppendedData")) + 1


def column(name, kind, width):
    """An array of the file."""
    tag = re.search(rb'Name="' + name + rb'"[^>]*offset="(\d+)"', data)
    at = start + int(tag.group(1))
    return numpy.frombuffer(data, kind, int(numpy.frombuffer(data, "<u8", 1, at)[0]) // numpy.dtype(kind).itemsize, at + 8).reshape(-1, width)


points, owners = column(b"points", "<f8", 3), column(b"body", "<u4", 1)[:, 0]
for (body, a, b, half), length in zip(rods, lengths):
    along = (points[owners == body] - now[body]) @ ((now[b] - now[a]) / length)
    check(abs(numpy.ptp(along) - length - 2 * 0.07) < 1e-4, f"rod {body} is {numpy.ptp(along)} long in VTK, not {length + 0.14}")

# Contacts of rods name the rod.
talus("run", JELLY, "-o", "touch.h5", "--until", 1.5, "--quiet", "--set", "record={\"rate\": 200, \"contacts\": true}")
with h5py.File("touch.h5") as file:
    pairs = file["contacts/body"][:]
names = {rod[0] for rod in rods}
check(any(67 in pair and names & set(pair) for pair in pairs), f"the marble touches no rod: {pairs}")

# The same bits for other threads, and after a rest.
hashes = [run_json("run", JELLY, "-o", f"t{threads}.h5", "--until", 0.5, "--threads", threads)["hash"] for threads in (1, 2, 3)]
equal(len(set(hashes)), 1, "hashes of 1, 2 and 3 threads")
talus("run", JELLY, "-o", "part.h5", "--until", 0.25, "--quiet")
equal(run_json("resume", "part.h5", "--until", 0.5)["hash"], hashes[0], "the hash of a run that was resumed")

refused(3, "jelly.json:23:9: rods[0]: is a rod, which has no mass, and settings.stepper is \"dvi\"", "run", JELLY, "-o", "hard.h5", "--stepper", "dvi")
check(not os.path.exists("hard.h5"), "hard.h5 was left")
print("rods: ok")
