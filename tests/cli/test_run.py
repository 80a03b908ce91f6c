#!/usr/bin/python3 -B
# `talus run`: what it prints, what it records (read with h5py), and what its options do.
import json
import os
import re

from cli import check, equal, refused, run_json, scene, skip, talus

try:
    import h5py
except ImportError:
    skip("h5py is not there")

KEYS = {"status", "steps", "time", "bodies", "contacts", "iterations", "residual", "mean_overlap", "max_overlap",
        "kinetic_energy", "emitted", "removed", "hash", "wall_s", "peak_bytes", "result", "backend", "version", "warnings"}

# The default name, in this folder whatever the scene's; the object is all of standard output.
done = talus("run", scene("heap"), "--json", "--threads", 1, "--until", 0.5)
report = json.loads(done.stdout)
equal(set(report), KEYS, "keys of --json")
equal((report["status"], report["result"], report["steps"]), ("finished", "heap.h5", 100), "the run")
check(abs(report["time"] - 0.5) < 1e-9, f"time {report['time']}")
check(re.fullmatch("[0-9a-f]{16}", report["hash"]), f"hash {report['hash']}")
check(0 <= report["mean_overlap"] <= report["max_overlap"] < 0.1, f"overlaps of {report}")
check(report["peak_bytes"] > 100000 and report["wall_s"] > 0 and report["residual"] >= 0, f"{report}")
check(re.search(r"^\S+heap.json: \d+ bodies on cpu \(.*, 1 thread\), to t = 0.5 s in steps of 0.005 s, recording heap.h5$",
                done.stderr, re.M) or "cuda" in report["backend"], done.stderr)
check(re.search(r"^finished: t = 0.5 s, 100 steps in .* hash %s; result heap.h5$" % report["hash"], done.stderr, re.M),
      done.stderr)

# The same bits with two threads, without recording, with contacts, at another rate.
for options in (("--threads", 2, "-o", "two.h5"), ("--no-record", "--threads", 1), ("--threads", 1, "--rate", 7, "--contacts", "-o", "contacts.h5"),
                ("--threads", 1, "--rate", 0, "-o", "ends.h5")):
    other = run_json("run", scene("heap"), "--until", 0.5, "--quiet", *options)
    for key in ("hash", "steps", "time", "contacts", "residual", "mean_overlap", "max_overlap", "kinetic_energy"):
        equal(other[key], report[key], f"{key} with {options}")
    check(("result" in other) == ("--no-record" not in options), f"result of {options}")

# An existing result is not touched unless asked for.
before = os.stat("heap.h5")
refused(4, "talus: heap.h5 exists; --force replaces it, -o names another, `talus resume heap.h5` goes on with it",
        "run", scene("heap"))
equal(os.stat("heap.h5").st_mtime_ns, before.st_mtime_ns, "the time of a result that was not to be replaced")
talus("run", scene("heap"), "--until", 0.5, "--threads", 1, "--force", "--quiet")
check(os.stat("heap.h5").st_mtime_ns > before.st_mtime_ns, "--force replaced nothing")
os.remove("heap.h5")
equal(talus("run", scene("heap"), "--until", 0.1, "--quiet").stderr, "", "what --quiet prints")

# What --json said is what the file holds.
RADIUS = (0.15 + 0.05 * (report["bodies"] - 1)) / report["bodies"]
for name, rate in (("two.h5", 50), ("contacts.h5", 7), ("ends.h5", 0)):
    with h5py.File(name) as file:
        steps, frames = file["steps"], file["frames"]
        last = steps[-1]
        equal(len(steps), report["steps"], f"steps in {name}")
        for key in ("time", "bodies", "contacts", "iterations", "residual", "kinetic_energy"):
            equal(last[key], report[key], f"{key} in {name}")
        for key, field in (("mean_overlap", "mean_penetration"), ("max_overlap", "max_penetration")):
            check(abs(last[field] / RADIUS - report[key]) <= 1e-12, f"{key}: {report[key]}, {last[field]} m in {name}")
        # Frames are due at k / rate and there is one of the last step.
        due = {0, 100} | {-(-200 * k // rate) for k in range(1 + rate // 2) if rate}
        equal({int(step) for step in frames["step"]}, due, f"steps of the frames in {name}")
        equal(int(frames[-1]["state_count"]), report["bodies"], f"bodies in the last frame of {name}")
        final = slice(int(frames[-1]["state_first"]), None)
        height = file["states/position"][final][:, 2]
        check(height.min() > 0.045 and height.max() < 2, f"heights from {height.min()} to {height.max()} m in {name}")
        contacts = int(frames[-1]["contact_count"])
        equal(contacts, report["contacts"] if name == "contacts.h5" else 0, f"contacts in the last frame of {name}")
        kept = json.loads(file["scene"][()])
        equal((kept["title"], kept["duration"]), ("A heap of balls in a tank", 0.5), f"the scene in {name}")

# Options that scene files have words for are in the scene that the result keeps; the others in its note.
other = run_json("run", scene("heap"), "-o", "set.h5", "--until", 0.1, "--solver", "apgd", "--iterations", 20,
                 "--precision", "double", "--rate", 25, "--set", "gravity=[0,0,-1.62]", "--set", "layers=0.4",
                 "--threads", 1, "--backend", "cpu")
info = run_json("info", "set.h5")
for key, wanted in {"kind": "result", "solver": "apgd", "iterations": 20, "precision": "double", "rate": 25,
                    "duration": 0.1, "gravity": [0, 0, -1.62], "closed": True, "checkpoint": True,
                    "last_step": 20, "written_by": report["version"], "backend": other["backend"]}.items():
    equal(info[key], wanted, f"{key} of set.h5")
check(info["note"].startswith("talus run ") and info["note"].endswith(
    "-o set.h5 --until 0.1 --solver apgd --iterations 20 --precision double --rate 25 "
    "--set 'gravity=[0,0,-1.62]' --set layers=0.4 --threads 1 --backend cpu --json"), info["note"])
equal(other["bodies"] + 1, info["recorded_bodies"], "bodies of set.h5")

# A backend asked for by name has to be there.
if run_json("info")["cuda"].startswith("not available"):
    done = talus("run", scene("heap"), "--backend", "cuda", "-o", "cuda.h5", code=5)
    check(done.stderr.startswith("talus: the cuda backend "), done.stderr)
    check(not os.path.exists("cuda.h5"), "a refused run left a result")
    done = talus("run", scene("heap"), "--until", 0.01, "-o", "auto.h5")
    check("cuda" not in done.stderr and " bodies on cpu (" in done.stderr, done.stderr)  # `info` says why
    done = talus("resume", "auto.h5", "--until", 0.02)
    check("cuda" not in done.stderr and " bodies on cpu (" in done.stderr, done.stderr)
    talus("resume", "auto.h5", "--backend", "cuda", "--until", 0.03, code=5)

# A body that runs away stops the run, is named, and leaves the last good state in a result that is closed.
done = talus("run", scene("runaway"), "--json", "--backend", "cpu", code=1)
check(re.search(r'^talus: step 102: body 2 at .* settings.max_speed = 10$', done.stderr, re.M), done.stderr)
check(re.search(r'^talus: body 2 is \S+runaway.json:8:9: bodies\[1\] "ball"$', done.stderr, re.M), done.stderr)
with open("far.json", "w", encoding="utf-8") as file:
    file.write('''{"version": 1, "bodies": [
  {"name": "far", "position": [0, 2e12, 0], "shapes": [{"kind": "sphere", "radius": 1}]}]}''')
far = talus("run", "far.json", "--no-record", "--backend", "cpu", code=3)
check(re.search(r'^talus: body 1 is at \(0, 2e\+12, 0\); coordinates must be below 1e\+12 m$', far.stderr, re.M), far.stderr)
check(re.search(r'^talus: body 1 is far.json:2:3: bodies\[0\] "far"$', far.stderr, re.M), far.stderr)
last = json.loads(done.stdout)
equal((last["status"], last["steps"]), ("diverged", 101), "the run that diverged")
info = run_json("info", "runaway.h5")
equal((info["closed"], info["last_step"]), (True, 101), "the result of the run that diverged")
check(abs(info["last_time"] - 1.01) < 1e-9, f"its last frame is at {info['last_time']} s")

# A poor certificate is told at the end, with its value and what helps; a good one is not.
equal(report["warnings"], [], "warnings of a good run")
poor = talus("run", scene("heap"), "--until", 1, "--no-record", "--solver", "jacobi", "--iterations", 1, "--json")
overlap, residual = json.loads(poor.stdout)["warnings"]
check(re.match(r"the overlap is poor: [\d.]+ % of the radius in the mean and [\d.]+ % at most \(1 % and 10 % are good\); "
               r"a smaller step \(--set step=0.0025\), or more iterations of the position problem "
               r"\(--set solver.position_iterations=8\), help$", overlap), overlap)
check(re.match(r"the residual is poor: [\d.]+ m/s, [\d.]+ times what gravity adds in a step \(2 is good\); more iterations "
               r"\(--iterations 4\), a smaller step \(--set step=0.0025\) or --solver apgd help$", residual), residual)
for text in (overlap, residual):
    check(f"talus: warning: {text}\n" in poor.stderr, poor.stderr)
quiet = talus("run", scene("heap"), "--until", 1, "--no-record", "--solver", "jacobi", "--iterations", 1, "--json", "--quiet")
equal((quiet.stderr, len(json.loads(quiet.stdout)["warnings"])), ("", 2), "warnings with --quiet")
