#!/usr/bin/python3
# `start`: bodies of a scene begin as they were in a result, moved by a frame; what does not fit is refused by name.
import json
import math

from cli import *

BALL = {"kind": "sphere", "radius": 0.1}
FIRST = {"version": 1, "duration": 0.5, "record": {"rate": 10},
         "bodies": [{"name": "ball", "position": [0, 0, 3], "velocity": [1, 0, 0], "angular_velocity": [0, 2, 0], "shapes": [BALL]},
                    {"name": "pair", "positions": [[0, 4, 5], [0, 5, 5]],
                     "shapes": [{"kind": "box", "size": [0.1, 0.2, 0.3], "position": [0.1, 0, 0]}]},
                    {"name": "floor", "kind": "fixed", "shapes": [{"kind": "plane"}]}],
         "fills": [{"name": "sand", "region": {"kind": "box", "low": [5, 5, 5], "high": [6, 6, 6]}, "radius": 0.1, "count": 4}]}


def write(name, scene):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(scene, file)


def states(result, frame=0):
    """{body: [x, y, z, w, qx, qy, qz, vx, vy, vz, ...]} of a frame."""
    talus("export", result, "-o", "s.csv", "--force", "--quiet")
    with open("s.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    times = sorted({float(row["time"]) for row in rows})
    return {int(row["body"]): row for row in rows if float(row["time"]) == times[frame]}


write("first.json", FIRST)
talus("run", "first.json", "-o", "first.h5", "--quiet", "--backend", "cpu")
os.makedirs("deep", exist_ok=True)

# ---- All of them, turned by a quarter and moved ----
second = json.loads(json.dumps(FIRST))
second["duration"] = 0.01
second["start"] = [{"result": "../first.h5", "bodies": ["ball", "pair", "sand"], "position": [0, 0, 10],
                    "orientation": {"axis": [0, 0, 1], "angle": 90}}]
write("deep/second.json", second)
talus("run", "deep/second.json", "-o", "second.h5", "--quiet", "--backend", "cpu")
before, after = states("first.h5", -1), states("second.h5", 0)
for body, row in before.items():
    if body not in after or float(row["z"]) == 0:
        continue
    x, y, z = (float(row[k]) for k in "xyz")
    for key, wanted in zip("xyz", (-y, x, z + 10)):
        check(abs(float(after[body][key]) - wanted) < 1e-6, f"body {body}: {key} is {after[body][key]}, not {wanted}")
    check(abs(float(after[body]["vy"]) - float(row["vx"])) < 1e-6, f"body {body}: its velocity is not turned")

# ---- An earlier frame, names that differ, a fragment; the result opens without the first one ----
third = {"version": 1, "duration": 0.01, "include": [{"name": "left", "position": [1, 0, 0], "scene": {
    "version": 1, "bodies": [{"name": "stone", "position": [0, 0, 9], "shapes": [BALL]}],
    "start": [{"result": "first.h5", "frame": 0, "bodies": {"stone": "ball"}}]}}]}
write("third.json", third)
talus("run", "third.json", "-o", "third.h5", "--quiet", "--backend", "cpu")
row = states("third.h5", 0)[1]
check(math.isclose(float(row["x"]), 1) and math.isclose(float(row["z"]), 3), f"the stone starts at {row}")
os.rename("first.h5", "gone.h5")
equal(run_json("info", "third.h5")["kind"], "result", "a result without the one it started from")
talus("resume", "third.h5", "--until", "0.02", "--quiet", "--backend", "cpu")
refused(3, "first.h5: No such file", "check", "third.json")
os.rename("gone.h5", "first.h5")


# ---- What does not fit ----
def bad(message, change):
    scene = json.loads(json.dumps(FIRST))
    scene["start"] = [{"result": "first.h5", "bodies": ["ball"]}]
    change(scene)
    write("bad.json", scene)
    refused(3, message, "check", "bad.json")


bad("'ball' is of another size in the result: shape 0 has another kind, size or place there",
    lambda s: s["bodies"][0]["shapes"][0].update(radius=0.2))
bad("'ball' is of another size in the result: 4.18879 kg there, 2 kg here", lambda s: s["bodies"][0].update(mass=2))
bad("'ball' is of another size in the result: 1 shapes there, 2 here", lambda s: s["bodies"][0].update(shapes=[BALL, BALL]))
bad("'pair' has 2 bodies in the result, expected 3 as here",
    lambda s: (s["bodies"][1]["positions"].append([0, 6, 6]), s["start"][0].update(bodies=["pair"])))
bad("'bell' is no body or fill of the result, expected one that is; did you mean 'ball'?",
    lambda s: (s["bodies"][0].update(name="bell"), s["start"][0].update(bodies=["bell"])))
bad("start[0].bodies[0]: is \"bull\", expected the name of a body or fill", lambda s: s["start"][0].update(bodies=["bull"]))
bad("'floor' is not in the frame of the result", lambda s: s["start"][0].update(bodies=["floor"]))
bad("start[0].frame: is 99, expected a whole number from 0 to 5", lambda s: s["start"][0].update(frame=99))
bad("start[0]: has no 'bodies'", lambda s: s["start"][0].pop("bodies"))
bad("start[0]: has no 'result'", lambda s: s["start"][0].pop("result"))
talus("run", "first.json", "-o", "poor.h5", "--quiet", "--fields", "position", "--backend", "cpu")
bad("does not hold orientations and velocities", lambda s: s["start"][0].update(result="poor.h5"))
print("start: ok")
