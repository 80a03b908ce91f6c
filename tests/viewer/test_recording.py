#!/usr/bin/python3
# labels: threads
"""Recordings through the protocol: test_recording.py BUILD SOURCE. What a viewer of a result gets against
what h5py reads, seeking, differences, reports, series; and `talus run --view` while it records."""
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Server, Viewer, free_port  # noqa: E402

try:
    import h5py
except ImportError:
    h5py = None

TALUS = os.path.join(sys.argv[1], "talus")
SCENE = {
    "version": 1, "title": "Recorded", "step": 0.005, "duration": 1, "record": {"rate": 50, "contacts": True},
    "bodies": [
        {"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane"}]},
        {"name": "lid", "kind": "fixed", "position": [3, 0, 1], "shapes": [{"kind": "box", "half_extents": [1, 1, 0.1]}]},
        {"name": "ball", "position": [3, 0, 1.25], "shapes": [{"kind": "sphere", "radius": 0.1}]}],
    "fills": [{"region": {"kind": "box", "low": [-0.5, -0.5, 0.06], "high": [0.5, 0.5, 0.9]},
               "pattern": "grid", "radius": 0.05, "count": 120, "gap": 0.002}],
    "events": [{"time": 0.5, "remove": ["lid"]}]}
BALL, LID = 3, 2


def record(folder):
    scene, result = os.path.join(folder, "scene.json"), os.path.join(folder, "result.h5")
    with open(scene, "w") as file:
        json.dump(SCENE, file)
    subprocess.run([TALUS, "run", scene, "-o", result, "--quiet"], check=True)
    return scene, result


def check_against_file(v, result):
    """Frames of the viewer against the file itself."""
    if not h5py:
        print("skipped: h5py is not there; frames are checked by pick alone")
        return
    with h5py.File(result, "r") as file:
        frames = file["frames"]
        times = frames["time"]
        assert len(times) == len(v.times) == v.hello["frames"]
        assert all(abs(times[i] - t) == 0 for i, t in v.times.items())
        for i in (0, 7, 25, len(times) - 1):
            v.seek(i)
            first, count = int(frames["state_first"][i]), int(frames["state_count"][i])
            indices = file["states/body"][first:first + count]
            positions = file["states/position"][first:first + count]
            for index, position in zip(indices, positions):
                assert math.dist(v.poses[int(index)][0], position) <= v.frame["quantum"], (i, index)
            assert v.frame["time"] == times[i]


def seeking(v):
    assert v.hello["kind"] == "recording" and v.hello["title"] == "Recorded" and [key for key, can in v.hello["can"].items() if can] == ["render"]
    assert v.names == {1: "ground", LID: "lid", BALL: "ball"} and len(v.bodies) == 123
    v.until(lambda: len(v.times) == v.hello["frames"])
    assert v.hello["frames"] == 51 and abs(v.times[50] - 1) < 1e-9 and v.times[0] == 0
    v.seek(0)
    assert v.frame["full"] and LID in v.poses and abs(v.poses[BALL][0][2] - 1.25) < 1e-3
    v.seek(50)
    assert LID not in v.poses and v.poses[BALL][0][2] < 1.0  # the lid went, the ball fell
    v.seek(10)
    assert LID in v.poses  # and back
    body = v.ok("pick", body=BALL)["body"]
    assert v.ok("pick", body=BALL, frame=50)["body"]["time"] == v.times[50] and v.wrong("pick", body=BALL, frame=51)
    assert body["time"] == v.frame["time"] and math.dist(body["position"], v.poses[BALL][0]) <= v.frame["quantum"]
    assert body["contacts"] and body["contacts"][0]["other"] == LID
    weight = 9.81 * body["mass"]
    assert abs(body["contacts"][0]["force"] - weight) < 0.05 * weight
    # differences
    v.seek(11, base=10)
    assert not v.frame["full"] and v.frame["base"] == 10
    held = dict(v.poses)
    v.frames.clear()
    v.seek(11)
    assert v.frame["full"] and v.poses == held
    v.seek(30, base=49)  # a base that the server does not hold: full
    # by time
    v.ok("frame", time=0.205)
    v.until(lambda: v.frame["sequence"] == 10)
    assert "no frame 51" in v.wrong("frame", index=51)
    # scrubbing: the last request counts, and is answered
    for i in range(0, 50):
        v.send_text(json.dumps({"do": "frame", "index": i, "latest": True}))
    v.until(lambda: v.frame["sequence"] == 49)


def parts(v, result):
    v.ok("subscribe", fields=["speed", "force"], contacts=10)
    v.seek(20)
    body = v.ok("pick", body=BALL)["body"]
    assert abs(v.fields[2][BALL] - sum(c["force"] for c in body["contacts"])) < 0.02 * max(v.fields[2].values())
    assert len(v.contacts["rows"]) == 10 and v.contacts["total"] > 10
    v.ok("reports", points=20)
    v.until(lambda: v.reports)
    assert len(v.reports) == 20 and v.reports[-1]["steps"] == 200 and v.reports[0]["steps"] == 10
    v.reports.clear()
    v.ok("reports", first=100, count=5)
    v.until(lambda: v.reports)
    assert [r["steps"] for r in v.reports] == [101, 102, 103, 104, 105]
    for i in range(50):  # one request at a time: the rest are refused, nothing piles up
        v.send_text(json.dumps({"do": "reports", "points": 20000, "id": 9000 + i}))
    v.until(lambda: sum(t.get("id", 0) >= 9000 for t in v.texts) == 50)
    replies = [t for t in v.texts if t.get("id", 0) >= 9000]
    assert any(t["ok"] for t in replies) and any("still being answered" in t.get("error", "") for t in replies)
    assert v.ok("reports")
    v.ok("watch", body=BALL, points=1000)
    v.until(lambda: v.series.get(BALL, {}).get("last"))
    rows = v.series[BALL]["rows"]
    assert len(rows) == 51 and [r["time"] for r in rows] == [v.times[i] for i in range(51)]
    assert rows[20]["z"] == body["position"][2] and rows[-8]["vz"] < -1
    assert abs(rows[20]["fz"] - 9.81 * body["mass"]) < 0.1 * 9.81 * body["mass"]
    for verb in ("start", "stop", "step", "restart", "release", "checkpoint"):
        assert "a recording cannot be changed" in v.wrong(verb)
    assert v.wrong("ready") and v.wrong("remove", body=BALL)


def watch_a_run(folder, scene):
    """`talus run --view`: watched and paused, not changed; the result is the one of a run nobody watched."""
    port, result = free_port(), os.path.join(folder, "watched.h5")
    run = subprocess.Popen([TALUS, "run", scene, "--view", "--port", str(port), "--no-browser", "--no-token", "-o", result,
                            "--json", "--quiet", "--set", "duration=3"], stdout=subprocess.PIPE, text=True)
    assert f"http://127.0.0.1:{port}/" in run.stdout.readline()
    v = Viewer(port).greet()
    assert v.hello["kind"] == "live" and v.hello["can"] == dict(control=True, edit=False, restart=False, record=False, render=True)
    v.ok("stop")
    v.next_frame()
    held = v.ok("pick", body=BALL)["body"]["time"]
    time.sleep(0.2)
    assert v.ok("pick", body=BALL)["body"]["time"] == held
    for verb, arguments in (("set", {"gravity": [0, 0, 0]}), ("remove", {"body": BALL}), ("restart", {}),
                            ("push", {"body": BALL, "impulse": [1, 0, 0]})):
        assert "recorded" in v.wrong(verb, **arguments), verb
    v.ok("start")
    out = json.loads("".join(iter(run.stdout.readline, "}\n")) + "}")
    run.send_signal(2)  # the result is shown until then
    assert run.wait(20) == 0 and out["status"] == "finished"
    alone = subprocess.run([TALUS, "run", scene, "--no-record", "--json", "--quiet", "--set", "duration=3"],
                           stdout=subprocess.PIPE, text=True, check=True)
    assert json.loads(alone.stdout)["hash"] == out["hash"]


def record_while_viewing(folder, scene):
    """`talus view SCENE -o RESULT`: what was done by hand is in the file, and in its checkpoint."""
    result = os.path.join(folder, "edited.h5")
    with Server(TALUS, scene, "-o", result, "--paused", "--quiet") as server:
        v = Viewer(server.port).greet()
        assert v.hello["can"]["record"] and not v.hello["can"]["restart"]
        assert "recorded" in v.wrong("restart")
        v.ok("step", count=20)
        index = v.ok("throw", position=[0, 0, 3], velocity=[0, 0, 0], radius=0.05)["index"]
        v.ok("step", count=60)
        assert v.ok("checkpoint")["file"] == result
    assert server.stop() == 0, server.errors
    with Server(TALUS, result, "--quiet") as server:
        v = Viewer(server.port).greet()
        assert v.hello["kind"] == "recording" and index in v.bodies
        v.seek(0)
        assert index not in v.poses
        v.seek(v.hello["frames"] - 1)
        assert index in v.poses


def main():
    with tempfile.TemporaryDirectory() as folder:
        scene, result = record(folder)
        with Server(TALUS, result, "--quiet") as server:
            v = Viewer(server.port).greet()
            seeking(v)
            check_against_file(v, result)
            parts(v, result)
        assert server.stop() == 0 and not server.errors, server.errors
        watch_a_run(folder, scene)
        record_while_viewing(folder, scene)
        bad = subprocess.run([TALUS, "view", result, "--until", "3"], capture_output=True, text=True)
        assert bad.returncode == 2 and "for scenes" in bad.stderr
        with open(result, "r+b") as file:
            file.truncate(1000)
        bad = subprocess.run([TALUS, "view", result, "--no-browser"], capture_output=True, text=True)
        assert bad.returncode == 3 and re.search("result.h5", bad.stderr), bad
    print("ok")


main()
