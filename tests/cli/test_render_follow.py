#!/usr/bin/python3 -B
# labels: slow
# `talus render --follow`: pictures are made while the run goes on, and when it has ended there are all of them, the same as
# those of the finished result.
import glob
import hashlib
import json
import os
import signal
import subprocess
import time

from cli import check, equal, run_json, start, talus

scene = {"version": 1, "duration": 40, "step": 0.001, "record": {"rate": 10}, "bodies": [
    {"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane"}]}], "emitters": [
    {"name": "rain", "region": {"kind": "box", "low": [-0.5, -0.5, 1], "high": [0.5, 0.5, 1.5]}, "radius": 0.08, "rate": 20}]}
with open("rain.json", "w") as file:
    json.dump(scene, file)
LOOK = {"size": [48, 36], "samples": 1, "fps": 5, "camera": {"kind": "fixed", "eye": [3, -4, 2], "target": [0, 0, 0.4]}}
with open("look.json", "w") as file:
    json.dump(LOOK, file)


def digests(folder):
    return {os.path.basename(path): hashlib.sha256(open(path, "rb").read()).hexdigest() for path in sorted(glob.glob(folder + "/frame_*.png"))}


run = start("run", "rain.json", "-o", "rain.h5", "--threads", 1, "--quiet")
deadline = time.monotonic() + 60
while not os.path.exists("rain.h5.checkpoint") and time.monotonic() < deadline:
    time.sleep(0.02)
render = start("render", "rain.h5", "--look", "look.json", "--follow", "-o", "rain.mp4", "--threads", 1, "--quiet")
while len(digests("rain.mp4.frames")) < 3 and time.monotonic() < deadline and render.poll() is None:
    time.sleep(0.05)
early = len(digests("rain.mp4.frames"))
check(early >= 3, f"{early} pictures while the run goes on: {render.communicate()[1] if render.poll() is not None else ''}")
check(run.poll() is None, "the run ended before pictures were made")
check(not os.path.exists("rain.mp4"), "the movie was made before the run ended")
run.send_signal(signal.SIGINT)  # it closes its files in order
run.communicate(timeout=60)
said = render.communicate(timeout=120)[1]
equal(render.returncode, 0, f"exit code of render ({said})")
last = run_json("info", "rain.h5")["last_time"]
followed = digests("rain.mp4.frames")
equal(len(followed), int(last * 5 + 1e-9) + 1, f"pictures of {last} s")
check(os.path.getsize("rain.mp4") > 500, "no movie")
talus("render", "rain.h5", "--look", "look.json", "--follow", "-o", "again", "--threads", 1, "--quiet")
equal(digests("again"), followed, "pictures of the finished result")
