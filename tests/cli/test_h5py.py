#!/usr/bin/python3 -B
# labels: slow
# A result opened with h5py: the layout that docs/result-format.md describes, numbers that fit each other, the
# page's own example, a file that is being written, and one whose writer was killed.
import os
import re
import signal
import subprocess
import sys
import time

from cli import SOURCE, check, equal, run_json, scene, skip, start, talus

try:
    import h5py
    import numpy as np
except ImportError:
    skip("h5py is not there")

report = run_json("run", scene("pour"), "--contacts", "--threads", 1, "--quiet", "-o", "run.h5")

with h5py.File("run.h5") as f:
    # What it says of itself.
    for name, wanted in (("format", b"talus result"), ("format_version", 1), ("closed", 1),
                         ("record_contacts", 1), ("record_rate", 10.0)):
        equal(f.attrs[name], wanted, f"attribute {name}")
    for name in ("version", "backend", "note", "title", "created", "id"):
        check(isinstance(f.attrs[name], bytes), f"attribute {name} is {f.attrs[name]!r}")
    frames, steps, bodies, shapes = f["frames"][:], f["steps"][:], f["bodies"][:], f["shapes"][:]
    equal(len(frames), 31, "frames")
    equal(len(steps), report["steps"], "steps")

    # Ranges lie one behind the other and cover all rows.
    for first, count, table in (("state_first", "state_count", "states"),
                                ("contact_first", "contact_count", "contacts")):
        ends = np.cumsum(frames[count])
        check((frames[first] == np.concatenate([[0], ends[:-1]])).all(), f"{first} does not follow {count}")
        for column in f[table].values():
            equal(len(column), ends[-1], f"rows of {column.name}")
    equal(int(frames["bodies"][-1]), len(bodies), "rows of /bodies")
    equal(int(frames["shapes"][-1]), len(shapes), "rows of /shapes")
    equal(int(frames["removals"][-1]), len(f["removals"]), "rows of /removals")
    equal(len(f["removals"]), report["removed"], "removals")
    equal(len(bodies), 62 + report["emitted"], "bodies")

    # Energies from states, masses and radii are those of the reports: rows belong together.
    mass = dict(zip(bodies["body"], bodies["mass"]))
    radius = dict(zip(shapes["body"], shapes["radius"]))
    of_step = {int(row["step"]): row for row in steps}
    for frame in frames[1:]:
        rows = slice(int(frame["state_first"]), int(frame["state_first"] + frame["state_count"]))
        body = f["states/body"][rows]
        check((np.diff(body.astype(np.int64)) > 0).all(), "bodies of a frame are not in order")
        m = np.array([mass[i] for i in body])
        inertia = 0.4 * m * np.array([radius[i] for i in body]) ** 2
        v, w = f["states/velocity"][rows].astype(float), f["states/angular_velocity"][rows].astype(float)
        kinetic = 0.5 * (m * (v**2).sum(1) + inertia * (w**2).sum(1)).sum()
        row = of_step[int(frame["step"])]
        check(abs(kinetic - row["kinetic_energy"]) <= 1e-5 * row["kinetic_energy"] + 1e-9,
              f"kinetic energy at {frame['time']} s: {kinetic} of states, {row['kinetic_energy']} of the report")
        potential = 9.81 * (m * f["states/position"][rows][:, 2]).sum()
        check(abs(potential - row["potential_energy"]) <= 1e-9 * abs(m).sum() * 10, "potential energy")
        equal(int(frame["contact_count"]), int(row["contacts"]), "contacts of a frame")
        equal(float(frame["time"]), float(row["time"]), "time of a frame")
    lengths = np.linalg.norm(f["contacts/normal"][:], axis=1)
    check(np.abs(lengths - 1).max() < 1e-5, "normals are not of length 1")
    names = dict(zip(f["names/name"].asstr()[:], zip(f["names/body"][:], f["names/count"][:])))
    equal({n: (int(b), int(c)) for n, (b, c) in names.items()},
          {"table": (1, 1), "plug": (2, 1), "first": (3, 60)}, "names")
    equal(list(f["materials"].asstr()[:]), ["default"], "materials")

# The example of the page runs as it stands.
with open(os.path.join(SOURCE, "docs", "result-format.md"), encoding="utf-8") as file:
    blocks = re.findall(r"```python\n(.*?)```", file.read(), re.S)
check(blocks, "docs/result-format.md has no example")
done = subprocess.run([sys.executable, "-c", "\n".join(blocks)], capture_output=True, text=True)
check(done.returncode == 0, f"the example of docs/result-format.md failed:\n{done.stderr}")
check(done.stdout, "the example of docs/result-format.md printed nothing")

# Read while it is written.
writer = start("run", scene("pour"), "--until", 1e6, "--threads", 1, "--quiet", "-o", "live.h5")
try:
    for _ in range(3000):
        if os.path.exists("live.h5"):
            break
        time.sleep(0.02)
    seen = set()
    with h5py.File("live.h5", libver="latest", swmr=True) as f:
        for _ in range(3000):
            f["frames"].refresh()
            f["states/position"].refresh()
            last = f["frames"][-1]
            check(last["state_first"] + last["state_count"] <= len(f["states/position"]),
                  "a frame is there before its states")
            seen.add(len(f["frames"]))
            if len(seen) >= 5:
                break
            time.sleep(0.02)
    check(len(seen) >= 5, f"frames did not grow: {seen}")
finally:
    writer.send_signal(signal.SIGKILL)
    writer.communicate()

# Its writer was killed: the file opens at once, before Talus has looked at it.
with h5py.File("live.h5") as f:
    equal(f.attrs["closed"], 0, "attribute closed of a killed run")
    check(len(f["frames"]) >= max(seen), "frames were lost")
    last = f["frames"][-1]
    rows = slice(int(last["state_first"]), int(last["state_first"] + last["state_count"]))
    check(np.isfinite(f["states/position"][rows]).all(), "the last frame cannot be read")

# Packed results are plain numbers to h5py: lossless ones the same, quantised ones within their error.
results = {}
for how in ("none", "lossless", "quantised"):
    run_json("run", scene("heap"), "-o", f"{how}.h5", "--until", 0.3, "--compression", how, "--threads", 1, "--quiet")
    with h5py.File(f"{how}.h5") as f:
        equal(int(f.attrs["format_version"]), 1, "attribute format_version")
        equal(f.attrs["record_compression"], len(results), "attribute record_compression")
        body = f["states/body"][:]
        results[how] = {name: f["states"][name][:][body > 0] for name in f["states"]}
        results[how]["error"] = f.attrs["record_error"]
for name, values in results["none"].items():
    check(np.array_equal(values, results["lossless"][name]), f"lossless {name} differs")
off = np.abs(results["none"]["position"] - results["quantised"]["position"]).max()
check(0 < off <= results["quantised"]["error"], f"quantised positions are off by {off} m")

# What is not recorded is not there; `talus info` says what is, and going on needs nothing of it.
run_json("run", scene("heap"), "-o", "less.h5", "--until", 0.2, "--fields", "position,velocity", "--threads", 1, "--quiet")
with h5py.File("less.h5") as f:
    equal(sorted(f["states"]), ["body", "position", "velocity"], "columns of a run with --fields")
equal(run_json("info", "less.h5")["recorded_fields"], ["position", "velocity"], "recorded_fields")
less = run_json("resume", "less.h5", "--until", 0.3, "--threads", 1, "--quiet")["hash"]
equal(less, run_json("run", scene("heap"), "-o", "more.h5", "--until", 0.3, "--threads", 1, "--quiet")["hash"],
      "the hash of a run that recorded less")
talus("export", "less.h5", "-o", "less.csv")
with open("less.csv", encoding="utf-8") as file:
    check(",,,,," in file.readlines()[-1], "orientations that were not recorded are in less.csv")
