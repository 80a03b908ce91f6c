#!/usr/bin/python3
# labels: threads
"""A live run through the protocol: test_live.py BUILD SOURCE. Control, editing, and that viewers see
bodies where the library says they are."""
import json
import math
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Closed, Server, Viewer  # noqa: E402

TALUS = os.path.join(sys.argv[1], "talus")
SCENE = {
    "version": 1, "title": "A few balls", "step": 0.005, "duration": 2,
    "parameters": {"mass": 3},
    "materials": {"glass": {"friction": 0.3, "restitution": 0.0}},
    "pairs": [{"materials": ["default", "glass"], "friction": 0.8, "restitution": 0.25}],
    "bodies": [
        {"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane"}]},
        {"name": "ball", "position": [0, 0, 3], "shapes": [{"kind": "sphere", "radius": 0.1, "material": "glass"}]},
        {"name": "wall", "kind": "fixed", "position": [2, 0, 0.5],
         "shapes": [{"kind": "box", "half_extents": [0.1, 1, 0.5]}]}],
    "fills": [{"region": {"kind": "box", "low": [-0.5, -0.5, 0.06], "high": [0.5, 0.5, 0.9]},
               "pattern": "grid", "radius": 0.05, "count": 150, "gap": 0.002}]}
BALL = 2


def write_scene(folder, name="balls.json", **changes):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        json.dump({**SCENE, **changes}, file)
    return path


def distance(a, b):
    return math.dist(a, b)


def check_poses(v):
    """What was sent against full precision, body by body."""
    for index in list(v.poses)[::17] + [i for i in (1, BALL, 3) if i in v.poses]:
        body = v.ok("pick", body=index)["body"]
        position, turn = v.poses[index]
        assert body["time"] == v.frame["time"], (body["time"], v.frame["time"])
        assert distance(position, body["position"]) <= v.frame["quantum"], (index, position, body)
        dot = abs(sum(a * b for a, b in zip(turn, body["orientation"])))
        assert dot > math.cos(math.radians(0.15)), (index, turn, body["orientation"])


def greeting(v):
    assert v.hello["kind"] == "live" and v.hello["title"] == "A few balls" and v.hello["source"] == "balls.json"
    assert v.hello["duration"] == 2 and v.hello["parameters"] == {"mass": 3}
    assert v.hello["materials"][1] == {"index": 1, "name": "glass"} and v.hello["protocol"] == 2
    assert v.pairs == {(0, 0): (0.5, 0.0), (0, 1): (0.8, 0.25), (1, 1): (0.3, 0.0)}, v.pairs
    assert v.hello["can"] == {"control": True, "edit": True, "restart": True, "record": False, "render": False}
    assert v.hello["words"] == {"body": ["dynamic", "fixed", "prescribed"], "solver": ["psor", "jacobi", "apgd", "spg", "interior"],
                                "law": ["default", "cone", "coulomb"], "overlap": ["split", "velocity"],
                                "impacts": ["simultaneous", "propagating"], "stepper": ["dvi", "smooth", "stewart-trinkle", "peg", "penalty"],
                                "joints": ["exact", "iterate"], "planes": ["by-motion", "nearest"],
                                "penalty_law": ["hertz", "linear", "scaled"],
                                "penalty_integrator": ["default", "verlet", "rk4", "euler", "semi_implicit"],
                                "penalty_friction_form": ["root", "constant", "proportional", "capped"]}
    low, high = v.hello["box"]
    assert all(l < h for l, h in zip(low, high)) and high[2] >= 3.1 - 1e-6 and high[0] >= 2.1
    assert v.names == {1: "ground", 2: "ball", 3: "wall"}
    assert len(v.bodies) == 153 == v.hello["bodies"]
    assert [v.bodies[i]["kind"] for i in (1, 2, 3)] == [1, 0, 1]
    assert math.isinf(v.bodies[1]["radius"]) and v.bodies[1]["mass"] == 0
    assert v.solids[1][0][2] == 1 and v.solids[3][0][2] == 2
    assert abs(v.balls[BALL][0][1] - 0.1) < 1e-7 and v.balls[BALL][0][2] == 1
    assert not v.state["running"] and v.state["viewers"] == 1


def control(v):
    first = v.next_frame()
    assert first["full"] and first["time"] == 0 and first["packed"] == 151 and first["exact"] == 2
    check_poses(v)
    v.ok("step", count=40)
    frame = v.next_frame()
    assert not frame["full"] and frame["steps"] == 40 and abs(frame["time"] - 0.2) < 1e-9
    check_poses(v)
    # about 16 bytes per body that moved, and nothing for those that did not
    assert frame["bytes"] <= 88 + 16 * frame["packed"] and frame["exact"] == 0
    v.ok("pace", real_time=False)
    v.ok("start")
    v.until(lambda: v.state["running"])
    while v.next_frame()["time"] < 1:
        pass
    v.ok("stop")
    v.until(lambda: not v.state["running"])
    v.next_frame(full=True)
    still = v.frame["steps"]
    assert v.ok("pick", body=BALL)["body"]["time"] == v.frame["time"]
    v.ok("step")
    assert v.next_frame()["steps"] == still + 1
    check_poses(v)


def looking(v):
    v.ok("subscribe", fields=["speed", "force", "velocity", "angular_velocity"], contacts=50, reports=True, rate=240)
    v.reports.clear()
    v.next_frame()
    v.ok("step", count=5)
    v.next_frame()
    assert [r["steps"] for r in v.reports[-5:]] == [v.frame["steps"] - 4 + k for k in range(5)]
    assert v.reports[-1]["time"] == v.frame["time"] and v.reports[-1]["bodies"] == 151
    speeds, velocities = v.fields[1], v.fields[3]
    assert len(speeds) == 151 and set(v.fields) == {1, 2, 3, 4}
    span = max(max(map(abs, u)) for u in velocities.values()) * 2 / 65535 + 1e-9
    for index in list(speeds)[::20]:
        body = v.ok("pick", body=index)["body"]
        assert abs(speeds[index] - math.hypot(*body["velocity"])) < 2 * span
        assert distance(velocities[index], body["velocity"]) < 4 * span
        force = sum(c["force"] for c in body["contacts"])
        assert abs(v.fields[2][index] - force) <= 1e-3 * max(v.fields[2].values()) + 1e-6
    assert v.contacts["total"] >= len(v.contacts["rows"]) == 50 and v.contacts["more"]
    sizes = [math.hypot(*c["impulse"]) for c in v.contacts["rows"]]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > 0
    # the largest contact, as pick tells it
    top = v.contacts["rows"][0]
    told = v.ok("pick", body=top["a"])["body"]["contacts"]
    match = min(told, key=lambda c: distance(c["point"], top["point"]))
    assert match["other"] == top["b"] and distance(match["impulse"], top["impulse"]) < 1e-5 * sizes[0] + 1e-9
    assert v.ok("find", name="ball")["index"] == BALL and "no body" in v.wrong("find", name="nobody")
    # series
    v.ok("watch", body=BALL)
    for _ in range(5):
        v.ok("step", count=3)
        v.next_frame()
    rows = v.series[BALL]["rows"]
    body = v.ok("pick", body=BALL)["body"]
    assert len(rows) == 5 and rows[-1]["time"] == v.frame["time"]
    assert [rows[-1][c] for c in "xyz"] == body["position"], (rows[-1], body)
    v.ok("unwatch", body=BALL)
    v.ok("subscribe", fields=[], contacts=0, reports=False)


def editing(v):
    # gravity: a body in free flight feels it
    v.ok("set", gravity=[0, 0, 0], iterations=20, solver="psor")
    v.until(lambda: v.settings["gravity"] == [0, 0, 0] and v.settings["iterations"] == 20)
    index = v.ok("throw", position=[0, 0, 5], velocity=[0, 1, 0], radius=0.04, density=500)["index"]
    v.next_frame()
    assert v.bodies[index]["kind"] == 0 and abs(v.balls[index][0][1] - 0.04) < 1e-7
    assert distance(v.poses[index][0], (0, 0, 5)) <= v.frame["quantum"]
    assert abs(v.bodies[index]["mass"] - 500 * 4 / 3 * math.pi * 0.04 ** 3) < 1e-6
    v.ok("step", count=20)
    body = v.ok("pick", body=index)["body"]
    assert distance(body["position"], (0, 0.1, 5)) < 1e-6 and body["origin"] == f"body {index}", body
    v.ok("set", gravity=[0, 0, 10])
    v.ok("step", count=20)
    assert abs(v.ok("pick", body=index)["body"]["velocity"][2] - 1) < 1e-5
    v.ok("set", gravity=[0, 0, 0])
    # push
    mass = v.ok("pick", body=index)["body"]["mass"]
    v.ok("push", body=index, impulse=[0.1, 0, -mass])
    velocity = v.ok("pick", body=index)["body"]["velocity"]
    assert distance(velocity, (0.1 / mass, 1, 0)) < 1e-4, velocity
    # drag: it goes there and stays
    v.ok("drag", body=index, target=[1, 1, 6])
    v.ok("step", count=600)
    body = v.ok("pick", body=index)["body"]
    assert distance(body["position"], (1, 1, 6)) < 1e-3 and math.hypot(*body["velocity"]) < 1e-2, body
    v.ok("release")
    v.next_frame()
    v.ok("remove", body=index)
    v.next_frame()
    assert index not in v.poses and v.frame["gone"] == 1
    assert f"no body {index}" in v.wrong("pick", body=index)
    for verb, arguments in (("set", {"step": -1}), ("set", {"precision": "double"}), ("set", {"gravity": [1, 2]}),
                            ("throw", {"position": [0, 0, 1], "velocity": [0, 0, 0], "radius": -1}),
                            ("push", {"body": 1, "impulse": [0, 0, 1]}), ("drag", {"body": 3, "target": [0, 0, 1]}),
                            ("remove", {"body": 99999}), ("checkpoint", {}), ("watch", {"body": 99999}),
                            ("frame", {"index": 0}), ("step", {"count": 0}), ("nonsense", {})):
        assert v.wrong(verb, **arguments)
    assert v.settings["step"] == 0.005


def pairs(server, v):
    """Friction and bounce of pairs: told to everybody, also to those who come later; taken back by undo."""
    scene = dict(v.pairs)
    v.ok("pairs", pairs=[[1, 1, 0.9, 0.5], [0, 1, 0.7, 0.25]])
    v.until(lambda: v.pairs == {**scene, (1, 1): (0.9, 0.5), (0, 1): (0.7, 0.25)})
    v.until(lambda: v.state["undo"] == "friction and bounce")
    late = Viewer(server.port).greet()
    assert late.pairs == v.pairs, "one who comes later is told what holds now"
    late.close()
    # all or none
    assert "material" in v.wrong("pairs", pairs=[[1, 1, 0.1, 0.1], [1, 9, 0.9, 0.5]])
    for bad in ([], [[1, 1, 0.5]], [[1, 1, -1, 0]], [[1, 1, 0, 2]], [[1, "1", 0, 0]], [[1, 256, 0, 0]], 7):
        assert "pairs" in v.wrong("pairs", pairs=bad), bad
    v.ok("set", gravity=[0, 0, -4], iterations=31)
    v.until(lambda: v.settings["iterations"] == 31 and v.state["undo"] == "gravity, iterations")
    v.ok("set", iterations=32)
    v.ok("undo")
    v.until(lambda: v.settings["iterations"] == 31)
    v.ok("undo")
    v.until(lambda: v.settings["iterations"] != 31 and v.settings["gravity"] != [0, 0, -4])
    v.ok("undo")
    v.until(lambda: v.pairs == scene)
    while v.do("undo")["ok"]:
        pass
    assert "nothing" in v.wrong("undo") and v.state["undo"] == ""


def undoing(folder):
    """Bodies that were thrown, pushed and removed: taken back, each by what undoes it, and marked in the result."""
    dumbbell = {"name": "dumbbell", "position": [1, 1, 2], "orientation": [0.6, 0, 0.8, 0], "velocity": [0.1, 0.2, 0.3],
                "angular_velocity": [1, 2, 3], "mass": 2, "inertia": [0.5, 0.6, 0.7], "shapes": [
                    {"kind": "sphere", "radius": 0.1, "position": [-0.2, 0, 0], "material": "glass"},
                    {"kind": "sphere", "radius": 0.2, "position": [0.2, 0, 0]}]}
    paddle = {"name": "paddle", "kind": "prescribed", "position": [5, 0, 1],
              "shapes": [{"kind": "box", "half_extents": [0.1, 0.1, 0.1]}], "motion": {"kind": "velocity", "velocity": [0, 0, 1]}}
    path = write_scene(folder, "undo.json", fills=[], gravity=[0, 0, 0], bodies=SCENE["bodies"] + [dumbbell, paddle])
    result = os.path.join(folder, "undo.h5")
    with Server(TALUS, path, "-o", result, "--paused", "--quiet") as server:
        v = Viewer(server.port).greet()
        v.ok("step", count=3)
        same = ("kind", "mass", "position", "orientation", "velocity", "angular_velocity", "shapes")

        def state_of(index):
            body = v.ok("pick", body=index)["body"]
            return {key: body[key] for key in same}

        def kinetic_energy():
            v.reports.clear()
            v.ok("reports")
            v.until(lambda: v.reports)
            return v.reports[-1]["kinetic_energy"]

        energy = kinetic_energy()
        assert energy > 3  # most of it of turning

        def undo(what):
            v.until(lambda: v.state["undo"] == what)
            v.ok("undo")

        thrown = v.ok("throw", position=[0, 0, 5], velocity=[0, 1, 0], radius=0.04)["index"]
        v.ok("push", body=thrown, impulse=[0.1, 0, 0])
        assert state_of(thrown)["velocity"][0] > 0.1
        undo("push")
        assert distance(state_of(thrown)["velocity"], (0, 1, 0)) < 1e-6
        undo("throw")
        assert "no body" in v.wrong("pick", body=thrown)
        v.next_frame()
        # those that are removed come back as they were, under another number
        gone = {}
        for index in (3, 4):
            gone[index] = state_of(index)
            v.ok("remove", body=index)
        v.next_frame()
        assert 3 not in v.poses and 4 not in v.poses
        undo("removal")
        undo("removal")
        v.next_frame()
        now = [i for i in v.poses if i > thrown]
        assert len(now) == 2
        for old, index in zip((4, 3), sorted(now)):
            assert state_of(index) == gone[old], (old, gone[old], state_of(index))
        v.ok("step")  # with its moments of inertia, so that it turns with the energy that it had
        assert math.isclose(kinetic_energy(), energy, rel_tol=1e-5), (kinetic_energy(), energy)
        v.ok("set", gravity=[0, 0, -1])
        undo("gravity")
        # what is left to be taken back means the body that came back
        thrown = v.ok("throw", position=[0, 0, 9], velocity=[0, 0, 0], radius=0.04)["index"]
        v.ok("push", body=thrown, impulse=[0, 0.1, 0])
        v.ok("remove", body=thrown)
        undo("removal")
        undo("push")
        assert distance(state_of(thrown + 1)["velocity"], (0, 0, 0)) < 1e-6
        undo("throw")
        assert "no body" in v.wrong("pick", body=thrown + 1)
        v.ok("remove", body=5)  # its motion is not known: it stays away
        v.until(lambda: v.state["undo"] == "")
        assert "nothing" in v.wrong("undo")
    assert server.stop() == 0 and not server.errors, server.errors
    with Server(TALUS, result, "--quiet") as server:
        lines = Viewer(server.port).greet().hello["edits"]
    edits = [json.loads(line.partition(" ")[2]) for line in lines]
    assert [e["do"] for e in edits if e.get("undo")] == ["push", "remove", "restore", "restore", "set",
                                                         "restore", "push", "remove"], edits
    restored = next(e for e in edits if e["do"] == "restore")
    assert restored == {"do": "restore", "body": 4, "as": min(now), "undo": True}, restored


def fixed_body(v):
    """The force on a fixed body over time."""
    v.ok("set", gravity=[0, 0, -10])
    v.ok("step", count=800)
    v.series.clear()
    v.ok("watch", body=1)
    v.next_frame()
    v.ok("step", count=100)
    v.next_frame()
    rows = v.series[1]["rows"]
    mean = sum(row["fz"] for row in rows) / max(len(rows), 1)  # some may still roll
    weight = 10 * sum(b["mass"] for b in v.bodies.values())
    assert rows and [rows[-1][c] for c in ("x", "z", "vz", "qw")] == [0, 0, 0, 1], rows
    assert abs(mean + weight) < 0.05 * weight, (len(rows), mean, weight)
    v.ok("unwatch", body=1)
    assert "frames" in v.wrong("pick", body=1, frame=0)


def waits_for_a_viewer(folder):
    path = write_scene(folder, "wait.json", fills=[])
    with Server(TALUS, path) as server:
        time.sleep(0.8)
        came = time.monotonic()
        v = Viewer(server.port).greet()
        ran = v.ok("pick", body=BALL)["body"]["time"]  # no faster than real time since then
        assert ran <= time.monotonic() - came + 0.1, "it waited"
        v.until(lambda: v.state["running"])
    assert server.stop() == 0 and "first viewer" in server.errors, server.errors
    result, end = os.path.join(folder, "started.h5"), time.monotonic() + 60
    with Server(TALUS, path, "--start", "-o", result, "--quiet"):  # runs although nobody looks
        steps = 0
        while not steps:
            assert time.monotonic() < end, "it waits"
            time.sleep(0.2)
            info = subprocess.run([TALUS, "info", result, "--json"], capture_output=True, text=True)
            steps = json.loads(info.stdout)["steps"] if info.returncode == 0 else 0
    bad = subprocess.run([TALUS, "view", path, "--start", "--paused"], capture_output=True, text=True)
    assert bad.returncode == 2 and "contradict" in bad.stderr, bad


def run_is_shown_to_the_end_and_after(folder):
    """`talus run --view` goes on showing the result; without one, the last state."""
    path = write_scene(folder, "run.json", duration=0.5, fills=[])
    for more, kind in ((("-o", os.path.join(folder, "shown.h5")), "recording"), (("--no-record",), "live")):
        server = Server(TALUS, path, "--view", *more, command=("run",), token=True)
        end = time.monotonic() + 60
        while True:  # the page comes back by itself; so does this one
            try:
                v = Viewer(server.port, path="/stream?token=" + server.token).greet()
                if v.hello["kind"] == kind and (kind == "recording" or v.state["ended"]):
                    break
            except (Closed, OSError):
                pass
            assert time.monotonic() < end
            time.sleep(0.1)
        if kind == "recording":
            assert v.hello["frames"] >= 2 and v.hello["contacts"] is False
            assert v.ok("pick", body=BALL)["body"]["contacts"] is None
        else:
            assert "ended" in v.wrong("start") and "ended" in v.wrong("step")
            assert abs(v.ok("pick", body=BALL)["body"]["time"] - 0.5) < 1e-9
        assert server.process.poll() is None
        assert server.stop(2) == 0 and "Ctrl-C" in server.errors, server.errors


def edits_are_recorded(folder):
    path, result = write_scene(folder, "edited.json", fills=[]), os.path.join(folder, "edited.h5")
    with Server(TALUS, path, "-o", result, "--paused", "--quiet") as server:
        v = Viewer(server.port).greet()
        v.ok("step", count=10)
        v.ok("set", gravity=[0, 0, -1])
        v.ok("pairs", pairs=[[1, 1, 0.5, 0.5]])
        v.ok("drag", body=BALL, target=[0, 0, 2])
        v.ok("drag", body=BALL, target=[0, 0, 2.5])
        v.ok("step", count=10)
        v.ok("release")
        v.ok("undo")
        v.wrong("set", step=-1)
        v.ok("step", count=10)
    assert server.stop() == 0, server.errors
    with Server(TALUS, result, "--quiet") as server:  # who plays it is told
        lines = Viewer(server.port).greet().hello["edits"]
    info = subprocess.run([TALUS, "info", result, "--json"], capture_output=True, text=True, check=True)
    assert json.loads(info.stdout)["edits"] == len(lines)
    times, edits = zip(*[(float(t), json.loads(text)) for t, _, text in (line.partition(" ") for line in lines)])
    assert [e["do"] for e in edits] == ["set", "pairs", "drag", "release", "pairs"], edits
    assert edits[0]["gravity"] == [0, 0, -1] and edits[4] == {"do": "pairs", "pairs": [[1, 1, 0.3, 0.0]], "undo": True}
    assert [round(t, 9) for t in times] == [0.05, 0.05, 0.05, 0.1, 0.1], times


def restart(v, path):
    epoch = v.hello["epoch"]
    v.ok("restart", sets=["gravity=[0, 0, -2]", "duration=3"])
    v.until(lambda: v.hello["epoch"] == epoch + 1)
    v.greet()
    assert len(v.bodies) == 153 and v.settings["gravity"] == [0, 0, -2] and v.hello["duration"] == 3
    v.ok("set", step=2.5)  # it may be as long as this run is
    v.ok("undo")
    assert v.next_frame()["full"] and v.frame["time"] == 0
    check_poses(v)
    assert "nope" in v.wrong("restart", sets=["nope=1"]) and v.hello["epoch"] == epoch + 1
    # the file is read again
    write_scene(os.path.dirname(path), title="Another", fills=[])
    v.ok("restart", reload=True)
    v.until(lambda: v.hello["title"] == "Another")
    v.greet()
    assert len(v.bodies) == 3 and v.hello["epoch"] == epoch + 2
    v.next_frame()
    with open(path, "w") as file:
        file.write("{")
    assert "balls.json:1:" in v.wrong("restart", reload=True)
    v.ok("step")
    assert v.next_frame()["steps"] == 1  # the old one goes on


def two_viewers(server, v):
    w = Viewer(server.port).greet()
    assert w.state["viewers"] == 2
    v.until(lambda: v.state["viewers"] == 2)
    w.next_frame()
    v.ok("step", count=3)
    v.next_frame()
    w.next_frame()
    assert w.poses == v.poses and w.frame["time"] == v.frame["time"]
    # a viewer that drags and vanishes lets go; the body is far from the others, which may roll as they like
    v.ok("set", gravity=[0, 0, 0])
    far = v.ok("throw", position=[0, 0, 50], velocity=[0, 0, 0], radius=0.05)["index"]
    w.ok("drag", body=far, target=[0, 0, 60])
    v.ok("step", count=5)
    pulled = v.ok("pick", body=far)["body"]["velocity"]
    assert pulled[2] > 1, pulled
    w.close()
    v.until(lambda: v.state["viewers"] == 1)
    before = v.ok("pick", body=far)["body"]
    v.ok("step", count=10)
    after = v.ok("pick", body=far)["body"]
    assert after["velocity"] == before["velocity"] == pulled, (pulled, before, after)  # no spring pulls
    v.ok("remove", body=far)


def emitters_and_events(folder):
    """Bodies that come and go, and a plug that is removed."""
    path = write_scene(folder, "pour.json", fills=[], emitters=[
        {"region": {"kind": "box", "low": [-0.4, -0.4, 1], "high": [0.4, 0.4, 1.4]}, "radius": 0.05, "rate": 200}],
        events=[{"time": 0.3, "remove": ["wall"]}],
        boundaries=[{"keep": {"kind": "box", "low": [-9, -9, 0.3], "high": [9, 9, 99]}, "interval": 0.05}])
    with Server(TALUS, path, "--paused", "--free", "--quiet") as server:
        v = Viewer(server.port).greet()
        assert len(v.bodies) == 3
        v.next_frame()
        v.ok("step", count=160)
        seen, end = 0, time.monotonic() + 60
        while True:  # the table follows ten times a second, or less often where that takes long
            v.ok("step", count=1)
            v.next_frame()
            seen = max(seen, len(v.poses))
            # some fell through the boundary; the wall is gone, the ground is not
            if len(v.bodies) > 50 and seen > 20 and len(v.poses) < len(v.bodies) and 3 not in v.poses:
                break
            assert time.monotonic() < end, (len(v.bodies), seen, 3 in v.poses)
            time.sleep(0.05)
        assert 1 in v.poses
        w = Viewer(server.port).greet()  # one who comes late gets those that are there
        while True:
            v.next_frame(full=True)
            w.next_frame(full=True)
            if w.poses == v.poses:
                break
            assert time.monotonic() < end, "they see different things"
        assert 3 not in w.bodies
        check_poses(w)


def ends_and_diverges(folder):
    path = write_scene(folder, "end.json", duration=0.1, fills=[])
    with Server(TALUS, path, "--paused", "--free", "--quiet") as server:
        v = Viewer(server.port).greet()
        v.ok("start")
        v.until(lambda: v.state["ended"])
        assert not v.state["running"] and v.ok("pick", body=BALL)["body"]["time"] < 0.1 + 1e-9
        v.ok("start")  # on, beyond the end
        v.next_frame()
        while v.next_frame()["time"] < 0.2:
            pass
        v.ok("stop")
        assert "max_speed" in v.wrong("push", body=BALL, impulse=[1e9, 0, 0])
        v.ok("set", gravity=[1e9, 0, 0])
        assert f"body {BALL}" in v.wrong("step")
        v.until(lambda: v.state["message"])
        assert not v.state["running"]


def steps_that_no_run_may_have(folder):
    """The rules of `talus run` hold here, too: at the start, where a run starts anew, and for `set`."""
    path = write_scene(folder, "steps.json", fills=[])
    for more, code, words in ((("--set", "step=1e9"), 3, "step: is 1e+09 s, longer than the whole run, duration 2 s"),
                              (("--set", "step=1e-300"), 3, "step: is 1e-300 s, and a run to 2 s would take 2e+300 steps"),
                              (("--until", "0.001"), 2, "step: is 0.005 s, longer than the whole run, --until 0.001 s")):
        process = subprocess.Popen([TALUS, "view", path, "--no-browser", "--port", "0", *more], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        try:
            _, errors = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"{more}: it was shown")
        assert process.returncode == code and words in errors and "steps.json" in errors, (more, process.returncode, errors)
    with Server(TALUS, path, "--paused", "--quiet") as server:
        v = Viewer(server.port).greet()
        for step, words in ((1e9, "longer than the whole run"), (1e-300, "time does not advance")):
            assert words in v.wrong("set", step=step) and v.settings["step"] == 0.005
            assert words in v.wrong("restart", sets=[f"step={step}"]) and v.hello["epoch"] == 1
        v.ok("set", step=2)
        v.until(lambda: v.settings["step"] == 2)


def penalty_contact(folder):
    """A scene in lines: its constants change, bodies are dragged and thrown, and a viewer ends it."""
    path = os.path.join(folder, "balls.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("S 1 0 0.5 0 0 0 0 0 0 0 1 0.5\nS 2 3 0.5 0 0 0 0 0 0 0 1 0.5\n"
                   "P -10 0 -10 0 0 20 20 0 0\n"
                   "S 3 -6 0.5 0 0 0 0 0 0 0 1 0.5\nS 4 -8 0.5 0 0 0 0 0 0 0 1 0.5\nR 3 4 0.1\n")
    with Server(TALUS, path, "--paused", "--quiet") as server:
        v = Viewer(server.port).greet()
        assert v.settings["stepper"] == "penalty" and v.settings["penalty_law"] == "scaled", v.settings
        assert v.settings["penalty_stiffness"] == 1000 and v.settings["penalty_collisions"] is True, v.settings
        v.ok("set", penalty_stiffness=500, penalty_collisions=False, penalty_friction=40)
        v.until(lambda: v.settings["penalty_stiffness"] == 500 and v.settings["penalty_collisions"] is False)
        v.ok("undo")
        v.until(lambda: v.settings["penalty_stiffness"] == 1000 and v.settings["penalty_friction"] == 50)
        assert "penalty.damping" in v.wrong("set", penalty_damping=-1)
        rod, ends = v.ok("find", name="r1")["index"], [v.ok("find", name=name)["index"] for name in ("s3", "s4")]
        size = v.solids[rod][0][11:17]
        assert abs(size[0] - 0.1) < 1e-6 and size[1] == 1 and list(size[4:]) == ends, f"the rod is {size}"
        v.ok("drag", body=rod, target=[-6, 0, 3])
        v.ok("step", count=200)
        v.ok("release")
        assert v.ok("pick", body=ends[0])["body"]["position"][2] > 2.5, "a rod was not pulled up"
        ball = v.ok("find", name="s1")["index"]
        v.ok("drag", body=ball, target=[0, 0, 3])
        v.ok("step", count=200)
        v.ok("release")
        assert v.ok("pick", body=ball)["body"]["position"][2] > 2.5, "it was not pulled up"
        thrown = v.ok("throw", position=[3, 5, 0.6], velocity=[0, -4, 0], radius=0.4)["index"]
        v.ok("step", count=100)
        pushed = v.ok("pick", body=v.ok("find", name="s2")["index"])["body"]
        assert pushed["position"][1] < -0.2, f"the thrown ball did not push it: {pushed['position']}"
        assert v.ok("pick", body=thrown)["body"]["kind"] == "dynamic"
        v.send_text(json.dumps({"do": "end"}))
        assert server.process.wait(30) == 0, "the command did not end"
    recorded = write_scene(folder, "watched.json", fills=[])
    with Server(TALUS, recorded, "--quiet", "--no-record", "--view", command=("run",)) as server:
        v = Viewer(server.port).greet()
        assert "this run ends by itself" in v.wrong("end")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = write_scene(folder)
        with Server(TALUS, path, "--paused", "--quiet") as server:
            v = Viewer(server.port).greet()
            greeting(v)
            control(v)
            looking(v)
            editing(v)
            pairs(server, v)
            fixed_body(v)
            two_viewers(server, v)
            restart(v, path)
        assert server.stop() == 0 and not server.errors, server.errors
        waits_for_a_viewer(folder)
        run_is_shown_to_the_end_and_after(folder)
        edits_are_recorded(folder)
        undoing(folder)
        emitters_and_events(folder)
        ends_and_diverges(folder)
        steps_that_no_run_may_have(folder)
        penalty_contact(folder)
    print("ok")


main()
