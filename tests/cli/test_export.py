#!/usr/bin/python3 -B
# `talus export`: the frames asked for, with the numbers that the result holds. Bodies come from an
# emitter, and an event and a boundary take some away.
import csv
import json
import os

from cli import check, equal, refused, run_json, scene, skip, talus

try:
    import h5py
except ImportError:
    skip("h5py is not there")

report = run_json("run", scene("pour"), "--contacts", "--threads", 1, "--quiet")
check(report["emitted"] == 60, f"{report['emitted']} bodies came from the emitter")
check(report["removed"] > 1, f"{report['removed']} bodies were removed")
equal(report["bodies"], 61 + report["emitted"] - report["removed"], "bodies at the end")
result = h5py.File("pour.h5")
frames = result["frames"][:]
equal(len(frames), 31, "frames")


def rows(*arguments):
    talus("export", "pour.h5", "-o", "out.csv", "--force", *arguments)
    with open("out.csv", newline="") as file:
        return list(csv.DictReader(file))


# All frames: every body of every frame.
lines = rows()
equal(len(lines), int(frames["state_count"].sum()), "lines of the CSV file")
for i in range(0, len(lines), 97):
    equal(int(lines[i]["body"]), int(result["states/body"][i]), f"body of line {i}")
    equal([float(lines[i][axis]) for axis in "xyz"], list(result["states/position"][i]), f"position of line {i}")

# Some of them. Times come out of sums of steps: the ends are meant to be in.
times = sorted({float(line["time"]) for line in rows("--from", 1, "--to", 2)})
equal([round(t, 9) for t in times], [round(1 + 0.1 * k, 9) for k in range(11)], "frames from 1 s to 2 s")
times = sorted({float(line["time"]) for line in rows("--every", 10)})
equal([round(t, 9) for t in times], [0, 1, 2, 3], "one frame in ten")
times = sorted({float(line["time"]) for line in rows("--from", 2.95)})
equal([round(t, 9) for t in times], [3], "frames after 2.95 s")
refused(2, "export: no frame of pour.h5 lies in this time; its 31 frames go from 0 to 3 s",
        "export", "pour.h5", "-o", "none.csv", "--from", 5)
check(not os.path.exists("none.csv"), "an export of nothing left a file")

# Steps and contacts.
steps = rows("--format", "steps")
equal(len(steps), report["steps"], "lines of steps")
for key in ("bodies", "contacts", "residual", "kinetic_energy", "emitted", "removed"):
    equal(float(steps[-1][key]), report[key], f"{key} of the last step")
some = rows("--format", "steps", "--from", 0.1, "--to", 0.2, "--every", 2)
equal([int(line["step"]) for line in some], [20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40], "one step in two")
refused(2, "export: no step of pour.h5 lies in this time; its 600 steps go from 0.005 to 3 s",
        "export", "pour.h5", "-o", "none.csv", "--format", "steps", "--from", 5)
contacts = rows("--format", "contacts", "--from", 3)
equal(len(contacts), report["contacts"], "lines of contacts of the last frame")

# VTK: the .pvd names files that are there, by time.
talus("export", "pour.h5", "-o", "pour.pvd", "--every", 5)
with open("pour.pvd") as file:
    text = file.read()
names = [part.split('"')[0] for part in text.split('file="')[1:]]
check(len(names) >= 7 and all(os.path.getsize(name) for name in names), f"files of the .pvd: {names}")

# Files that cannot be written or read.
refused(4, "nowhere/out.csv", "export", "pour.h5", "-o", "nowhere/out.csv")
refused(4, "nowhere.h5", "export", "nowhere.h5", "-o", "unread.csv")
with open("noise.h5", "wb") as file:
    file.write(b"\211HDF\r\n\032\n" + bytes(1000))
refused(3, "noise.h5", "export", "noise.h5", "-o", "unread.csv")
refused(3, "noise.h5", "info", "noise.h5")

# What was written is told, to people on standard error and to programs as an object.
done = talus("export", "pour.h5", "-o", "told.csv")
size = os.path.getsize("told.csv")
check(done.stderr.startswith(f"told.csv: 31 frames, {len(lines)} rows, ") and not done.stdout, done.stderr)
equal(talus("export", "pour.h5", "-o", "told.csv", "--force", "--quiet").stderr, "", "what --quiet prints")
told = run_json("export", "pour.h5", "-o", "told.csv", "--force", "--quiet")
equal(told, {"file": "told.csv", "format": "csv", "frames": 31, "rows": len(lines), "files": 1, "bytes": size}, "--json")
told = json.loads(talus("export", "pour.h5", "-o", "told.pvd", "--json").stdout)
names = ["told.pvd"] + [os.path.join("told_frames", name) for name in os.listdir("told_frames")]
equal((told["files"], told["bytes"]), (len(names), sum(map(os.path.getsize, names))), "files and bytes of VTK")

# Radius and mass of bodies, from the result itself.
radius = {int(row["body"]): float(row["radius"]) for row in result["shapes"][:]}
mass = {int(row["body"]): float(row["mass"]) for row in result["bodies"][:]}
for line in lines[::97]:
    body = int(line["body"])
    equal((float(line["radius"]), float(line["mass"])), (radius[body], mass[body]), f"radius and mass of body {body}")

# Some bodies: by the name of a fill, by name, by index, and several.
named = {int(line["body"]) for line in lines if line["name"] == "first"}
check(len(named) > 10, f"bodies of the fill: {named}")
equal({int(line["body"]) for line in rows("--body", "first")}, named, "bodies of a fill by its name")
equal({int(line["body"]) for line in rows("--body", min(named), "--body", max(named))}, {min(named), max(named)},
      "two bodies by index")
some = rows("--format", "contacts", "--body", min(named))
wanted = [line for line in rows("--format", "contacts") if str(min(named)) in (line["body_a"], line["body_b"])]
equal(some, wanted, "contacts of one body")
refused(2, "export: no body of pour.h5 has the name or the index 'nobody'; `talus info pour.h5` lists names, indices go from "
        "1 to", "export", "pour.h5", "-o", "none.csv", "--body", "nobody")
refused(2, "export: --body and --format steps contradict each other: steps are of all bodies",
        "export", "pour.h5", "-o", "none.csv", "--body", 3, "--format", "steps")
check(not os.path.exists("none.csv"), "a refused export left a file")
