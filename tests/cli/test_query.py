#!/usr/bin/python3 -B
"""talus query of scenes and results: what rays hit and what balls overlap, against closed forms; monitors of rays; what
is refused."""
import json

from cli import check, equal, refused, run_json, talus

SCENE = {
    "version": 1, "duration": 0.5, "step": 0.005, "record": {"rate": 20}, "parameters": {"high": 3},
    "bodies": [
        {"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane"}]},
        {"name": "ball", "position": [0, 0, "=high"], "shapes": [{"kind": "sphere", "radius": 0.5}]},
        {"name": "post", "kind": "fixed", "position": [2, 0, 1], "shapes": [{"kind": "cylinder", "radius": 0.25, "half_length": 1}]},
        {"name": "sled", "kind": "prescribed", "position": [4, 0, 1], "shapes": [{"kind": "box", "size": [1, 1, 0.5]}],
         "motion": {"kind": "velocity", "velocity": [1, 0, 0]}},
    ],
    "monitors": {
        "below": {"kind": "ray", "from": "ball", "direction": [0, 0, -2], "max_distance": 10},
        "ahead": {"kind": "ray", "from": "sled", "direction": [-1, 0, 0], "max_distance": 2.5},
        "level": {"kind": "ray", "on": "ball", "origin": [0, 0, 9], "direction": [0, 0, -1], "max_distance": 20},
    },
}
with open("s.json", "w", encoding="utf-8") as file:
    json.dump(SCENE, file)


def query(*arguments):
    return json.loads(talus("query", *arguments, "--json").stdout)


def near(found, wanted, what, tolerance=1e-9):
    found, wanted = ([x] if isinstance(x, (int, float)) else x for x in (found, wanted))
    check(len(found) == len(wanted) and all(abs(a - b) <= tolerance for a, b in zip(found, wanted)),
          f"{what}: {found}, not {wanted}")


# A scene as it starts.
told = query("s.json", "--ray", "0,0,9,0,0,-5", "--ray", "-5,0,1,1,0,0", "--ray", "0,0,9,0,0,1", "--ray", "0,0,3,1,0,0")
equal(sorted(told), ["overlaps", "rays"], "members")
ball, post, sky, within = told["rays"]
equal((ball["hit"], ball["body"], ball["shape"], ball["inside"]), (True, 2, 0, False), "the first ray")
near(ball["distance"], 5.5, "to the ball")
near(ball["point"], [0, 0, 3.5], "where")
near(ball["normal"], [0, 0, 1], "normal")
check("\"ball\"" in ball["place"], f"place: {ball['place']}")
equal(post["body"], 3, "the second ray")
near(post["distance"], 6.75, "to the post")
equal(sky, {"origin": [0, 0, 9], "direction": [0, 0, 1], "hit": False}, "the sky")
equal((within["distance"], within["inside"]), (0, True), "from inside")
near(query("s.json", "--ray", "0,0,3,1,0,0", "--hollow")["rays"][0]["distance"], 0.5, "out of the ball")
near(query("s.json", "--set", "high=5", "--ray", "0,0,9,0,0,-1")["rays"][0]["distance"], 3.5, "another height")
equal(query("s.json", "--ray", "0,0,9,0,0,-1", "--max-distance", 5)["rays"][0]["hit"], False, "too far")
told = query("s.json", "--overlap", "2,0,2.5,0.75", "--overlap", "9,9,9,1")
equal([len(one["bodies"]) for one in told["overlaps"]], [1, 0], "overlaps")
near(told["overlaps"][0]["bodies"][0]["gap"], -0.25, "gap")
near(told["overlaps"][0]["bodies"][0]["point"], [2, 0, 2], "the post's top")
near(told["overlaps"][0]["bodies"][0]["normal"], [0, 0, -1], "from the ball")
told = query("s.json", "--overlap", "2,0,1.9,0", "--overlap", "2,0,2.1,0")
equal([len(one["bodies"]) for one in told["overlaps"]], [1, 0], "a ball of radius 0 is a point")
near(told["overlaps"][0]["bodies"][0]["gap"], -0.1, "its gap")
told = query("s.json", "--overlap", "2,0,2.5,0.25", "--margin", 0.3)["overlaps"][0]["bodies"]
near([told[0]["gap"]], [0.25], "gap within the margin")
lines = talus("query", "s.json", "--ray", "0,0,9,0,0,-5", "--ray=0,0,9,0,0,1", "--overlap", "2,0,2.5,0.75").stdout.splitlines()
check(lines[0].startswith("ray 1: 5.5 m to body 2 (s.json:1:"), lines[0])
check(lines[0].endswith("bodies[1] \"ball\"), shape 0, at (0, 0, 3.5), normal (0, 0, 1)"), lines[0])
equal(lines[1:3], ["ray 2: nothing", "ball 1: 1 shape"], "other lines")
check("gap -0.25 m" in lines[3], lines[3])

# Frames of a result: free fall, in steps; and what monitors measured.
report = run_json("run", "s.json", "-o", "r.h5", "--quiet")
h, g = 0.005, 9.81
for frame in (0, 4, 7, 10):
    told = query("r.h5", "--frame", frame, "--ray", "0,0,9,0,0,-1", "--ray", "9,0,1,-1,0,0")
    n = round(told["time"] / h)
    equal((told["frame"], n), (frame, 10 * frame), "frame and step")
    near(told["rays"][0]["distance"], 5.5 + g * h * h * n * (n + 1) / 2, "fallen", 1e-5)
    near(told["rays"][1]["distance"], 4.5 - told["time"], "the sled's face", 1e-9)
last = query("r.h5", "--ray", "0,0,9,0,0,-1")
equal(last["frame"], 10, "the last frame")
n = 100
fallen = g * h * h * n * (n + 1) / 2
monitors = report["monitors"]
near(monitors["below.distance"]["last"], 3 - fallen, "below the ball's centre", 1e-5)
near(monitors["level.distance"]["last"], 5.5 + fallen, "down to the ball", 1e-5)
near(monitors["level.distance"]["last"], last["rays"][0]["distance"], "result and monitor", 1e-9)
near(monitors["ahead.distance"]["least"], 1.755, "from the sled to the post", 1e-9)
near(monitors["ahead.distance"]["last"], 2.25, "at the end", 1e-9)
equal(monitors["ahead.distance"]["unit"], "m", "unit")

refused(2, "query: nothing is asked; give --ray X,Y,Z,DX,DY,DZ or --overlap X,Y,Z,RADIUS", "query", "s.json")
refused(2, "--ray: '1,2,3' is not X,Y,Z,DX,DY,DZ: 6 numbers with commas between", "query", "s.json", "--ray", "1,2,3")
refused(2, "--ray: '1,2,3,4,5,6,7' is not", "query", "s.json", "--ray", "1,2,3,4,5,6,7")
refused(2, "--ray: '1,2,3,4,5,nan' is not", "query", "s.json", "--ray", "1,2,3,4,5,nan")
refused(2, "rays[0].direction is (0, 0, 0); it must be finite and not 0", "query", "s.json", "--ray", "1,2,3,0,0,0")
refused(2, "shape.radius is -1; it must be > 0", "query", "s.json", "--overlap", "1,2,3,-1")
refused(2, "query: --frame is for results; s.json is a scene", "query", "s.json", "--frame", 1, "--ray", "0,0,1,0,0,1")
refused(2, "query: --frame is 11; r.h5 has frames 0 to 10", "query", "r.h5", "--frame", 11, "--ray", "0,0,1,0,0,1")
refused(2, "query: --set is for scenes; r.h5 is a result", "query", "r.h5", "--set", "step=1", "--ray", "0,0,1,0,0,1")
refused(4, "none.json", "query", "none.json", "--ray", "0,0,1,0,0,1")
