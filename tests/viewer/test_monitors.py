#!/usr/bin/python3
# labels: threads
"""Monitors through the protocol: test_monitors.py BUILD SOURCE. What viewers of a run, of a recording and of one that
is still being written are sent, against what the result holds: every step, and no peak lost by those that are slow."""
import csv
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
    "version": 1, "title": "A ball that bounces", "step": 0.001, "duration": 1e6, "record": {"rate": 20},
    "materials": {"rubber": {"restitution": 0.8}},
    "bodies": [
        {"name": "floor", "kind": "fixed", "shapes": [{"kind": "plane", "material": "rubber"}]},
        {"name": "ball", "position": [0, 0, 0.5], "shapes": [{"kind": "sphere", "radius": 0.1, "material": "rubber"}]}],
    "monitors": {"load": {"kind": "force", "on": "floor", "axis": [0, 0, -1]},
                 "height": {"kind": "position", "on": "ball"},
                 "peak": {"kind": "max", "of": "load.along"}}}
ALL = ["load", "height", "peak"]


def write_scene(folder, name="ball.json", **changes):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        json.dump({**SCENE, **changes}, file)
    return path


def recorded(folder, result):
    """What the result holds: channel -> values, one per step."""
    table = os.path.join(folder, "monitors.csv")
    subprocess.run([TALUS, "export", result, "--format", "monitors", "-o", table, "--force", "--quiet"], check=True)
    with open(table) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    columns = {k.split(" ")[0]: [float(r[k]) for r in rows] for k in rows[0] if k}
    return columns


def least_and_greatest(rows, channel):
    return min(r[channel][1] for r in rows), max(r[channel][2] for r in rows)


def check(rows, values, channel, reach_back=False):
    """Rows of a viewer against the values of the steps that they stand for."""
    first = 0
    for row in rows:
        assert row["steps"] > first
        # for those that were thousands of steps behind, a row may reach back to where it starts in the server
        parts = [values[first >> 2 * k << 2 * k:row["steps"]] for k in range(16 if reach_back else 1)]
        assert any(row[channel] == [p[-1], min(p), max(p)] for p in parts), (row, first, parts[0][:20])
        first = row["steps"]
    assert first == len(values), (first, len(values))


def told(v):
    names = [m["name"] for m in v.hello["monitors"]]
    assert names == ALL, v.hello["monitors"]
    load, height, peak = v.hello["monitors"]
    assert [c["name"] for c in load["channels"]] == ["load.x", "load.y", "load.z", "load.magnitude", "load.along"]
    assert {c["unit"] for c in load["channels"]} == {"N"} and {c["unit"] for c in height["channels"]} == {"m"}
    assert peak["channels"] == [{"name": "peak", "unit": "N"}]
    assert 'no monitor "nope"' in v.wrong("subscribe", monitors=["load", "nope"])
    for bad in (7, [7], ["load", "load"], [f"m{i}" for i in range(17)]):
        assert "monitors" in v.wrong("subscribe", monitors=bad), bad


def every_step(folder):
    """A run that is recorded: what its viewers got is what the file holds, step by step."""
    path, result = write_scene(folder), os.path.join(folder, "live.h5")
    with Server(TALUS, path, "-o", result, "--paused", "--free", "--quiet") as server:
        v = Viewer(server.port).greet()
        told(v)
        v.next_frame()
        assert not v.monitors
        v.ok("subscribe", monitors=["load", "height"], rate=240)
        for count in (1, 1, 50, 200):  # up to 256 steps come one by one
            v.ok("step", count=count)
            v.next_frame()
        assert [r["steps"] for r in v.monitors["load"]] == list(range(1, 253)) and "peak" not in v.monitors
        v.ok("step", count=1000)  # more: four by four, with the least and the greatest
        v.next_frame()
        assert v.monitors["load"][-1]["steps"] == 1252 and len(v.monitors["load"]) == 252 + 250
        # one who comes later has all of it
        late = Viewer(server.port).greet()
        late.ok("subscribe", monitors=["peak", "load"])
        late.next_frame()
        assert [r["steps"] for r in late.monitors["load"]] == list(range(1, 1253))
        # who looks once after long has less of it, and each peak
        slow = Viewer(server.port).greet()
        slow.ok("subscribe", monitors=["load"])
        slow.next_frame()
        for _ in range(4):
            v.ok("step", count=1000)
        v.next_frame()
        slow.next_frame()
        assert len(slow.monitors["load"]) < 1252 + 256 + 16 and slow.monitors["load"][-1]["steps"] == 5252
        very_late = Viewer(server.port).greet()
        very_late.ok("subscribe", monitors=["load"])
        very_late.next_frame()
        assert len(very_late.monitors["load"]) == 5252 // 4
        v.ok("subscribe", monitors=["load"])  # goes on where it was
        kept = len(v.monitors["load"])
        v.ok("subscribe", monitors=[])
        v.ok("step", count=2)
        v.next_frame()
        assert len(v.monitors["load"]) == kept
        v.ok("subscribe", monitors=["load"])  # begins anew
        v.next_frame()
        late.next_frame()
        slow.next_frame()
        very_late.ok("subscribe", monitors=["load"])
        very_late.next_frame()
    assert server.stop() == 0 and not server.errors, server.errors
    values = recorded(folder, result)
    assert len(values["load.z"]) == 5254 and max(values["load.along"]) > 50
    for viewer in (v, late, slow, very_late):
        for channel in ("load.x", "load.z", "load.along"):
            check(viewer.monitors["load"], values[channel], channel)
        assert least_and_greatest(viewer.monitors["load"], "load.along") == \
            (min(values["load.along"]), max(values["load.along"]))
    check(late.monitors["peak"], values["peak"], "peak")
    return result, values


def restarts(folder):
    path = write_scene(folder, "again.json")
    with Server(TALUS, path, "--paused", "--free", "--quiet") as server:
        v = Viewer(server.port).greet()
        v.ok("subscribe", monitors=ALL)
        v.ok("step", count=100)
        v.next_frame()
        assert set(v.monitors) == set(ALL)
        epoch = v.hello["epoch"]
        write_scene(folder, "again.json", monitors={"peak": {"kind": "max", "of": "height.z"},
                                                    "height": {"kind": "position", "on": "ball"}})
        assert v.wrong("restart", reload=True)  # a statistic of what is not there yet
        write_scene(folder, "again.json", monitors={"height": {"kind": "position", "on": "ball"},
                                                    "peak": {"kind": "max", "of": "height.z"}})
        v.ok("restart", reload=True)
        v.until(lambda: v.hello["epoch"] == epoch + 1)
        v.greet()
        v.ok("step", count=10)
        v.next_frame()
        assert set(v.monitors) == {"height", "peak"}  # those that are there still
        assert [r["steps"] for r in v.monitors["peak"]] == list(range(1, 11))
        assert v.monitors["peak"][-1]["peak"][0] == v.monitors["height"][0]["height.z"][0]


def a_run_that_is_watched(folder, duration=5):
    """Free running, with a viewer that looks twice a second and one that never reads."""
    path, result = write_scene(folder, "watched.json", duration=duration), os.path.join(folder, "watched.h5")
    with Server(TALUS, path, "--view", "-o", result, "--force", "--quiet", command=("run",)) as server:
        try:
            v = Viewer(server.port).greet()
            watched = v.hello["kind"] == "live" and v.do("stop")["ok"]
        except (Closed, OSError):
            watched = False
        if watched:
            watch(folder, server, v, result, round(1000 * duration))
            return
    assert duration < 1000, "it was over each time before somebody looked"
    a_run_that_is_watched(folder, 4 * duration)


def watch(folder, server, v, result, steps):
    deaf = Viewer(server.port).greet()
    deaf.send_text(json.dumps({"do": "subscribe", "monitors": ALL, "rate": 240}))
    deaf.send_text('{"do":"ready","credits":4}')
    v.ok("subscribe", monitors=ALL, rate=2)
    v.ok("start")
    kept = {}
    try:
        while True:
            v.next_frame()
            kept = {name: list(rows) for name, rows in v.monitors.items()}
    except (Closed, OSError):  # the run is over; its result is shown at the same place
        pass
    w, end = None, time.monotonic() + 60
    while not w or w.hello["kind"] != "recording":
        assert time.monotonic() < end
        try:
            w = Viewer(server.port).greet()
        except (Closed, OSError):
            time.sleep(0.1)
    values = recorded(folder, result)
    for name, channel in (("load", "load.along"), ("height", "height.z"), ("peak", "peak")):
        check(kept[name], values[channel][:kept[name][-1]["steps"]], channel, True)
    w.ok("subscribe", monitors=ALL)
    w.until(lambda: set(w.monitors) == set(ALL) and w.monitors["peak"][-1]["steps"] == steps)
    for name, channel in (("load", "load.along"), ("height", "height.z"), ("peak", "peak")):
        check(w.monitors[name], values[channel], channel)
    assert len(w.monitors["load"]) <= 2048 + 64


def a_recording(result, values):
    with Server(TALUS, result, "--quiet") as server:
        v = Viewer(server.port).greet()
        told(v)
        v.ok("subscribe", monitors=["load"])
        v.until(lambda: v.monitors.get("load") and v.monitors["load"][-1]["steps"] == 5254)
        check(v.monitors["load"], values["load.along"], "load.along")
        v.seek(3)
        v.ok("subscribe", monitors=["load", "height"])
        v.until(lambda: v.monitors.get("height") and v.monitors["height"][-1]["steps"] == 5254)
        check(v.monitors["height"], values["height.z"], "height.z")
        v.seek(4)
        assert not math.isnan(least_and_greatest(v.monitors["load"], "load.along")[1])
    assert server.stop() == 0 and not server.errors, server.errors


def one_that_grows(folder):
    path, result = write_scene(folder, "grows.json", duration=60), os.path.join(folder, "grows.h5")
    with Server(TALUS, path, "-o", result, "--paused", "--free", "--quiet") as run:
        hand = Viewer(run.port).greet()
        hand.ok("step", count=500)
        end = time.monotonic() + 30
        while True:  # until it is on the disk
            info = subprocess.run([TALUS, "info", result, "--json"], capture_output=True, text=True)
            if info.returncode == 0 and json.loads(info.stdout)["steps"] >= 1:
                break
            assert time.monotonic() < end, info.stderr
            hand.ok("step", count=100)
            time.sleep(0.2)
        with Server(TALUS, result, "--quiet") as server:
            v = Viewer(server.port).greet()
            assert v.state["growing"]
            v.ok("subscribe", monitors=["load"])
            v.until(lambda: v.monitors.get("load"))
            for _ in range(3):
                before = v.monitors["load"][-1]["steps"]
                end = time.monotonic() + 60
                while v.monitors["load"][-1]["steps"] == before:
                    hand.ok("step", count=400)
                    v.quiet(0.2)
                    assert time.monotonic() < end
            hand.ok("step", count=400)
            assert run.stop() == 0, run.errors
            values = recorded(folder, result)
            v.until(lambda: v.monitors["load"][-1]["steps"] == len(values["load.along"]))
            check(v.monitors["load"], values["load.along"], "load.along")
        assert server.stop() == 0 and not server.errors, server.errors


def none(folder):
    path = write_scene(folder, "none.json", monitors={})
    with Server(TALUS, path, "--paused", "--quiet") as server:
        v = Viewer(server.port).greet()
        assert v.hello["monitors"] == []
        v.ok("subscribe", monitors=[])
        assert v.wrong("subscribe", monitors=["load"])
        v.ok("step", count=3)
        v.next_frame()


def main():
    with tempfile.TemporaryDirectory() as folder:
        result, values = every_step(folder)
        restarts(folder)
        a_run_that_is_watched(folder)
        a_recording(result, values)
        one_that_grows(folder)
        none(folder)
    print("ok")


main()
