#!/usr/bin/python3 -B
# A result opened with h5py: the layout that docs/result-format.md describes, numbers that fit each other, the
# page's own example, a file that is being written, and one whose writer was killed.
import os
import re
import signal
import subprocess
import sys
import time

from cli import SOURCE, check, equal, fail, run_json, scene, skip, start, talus

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

# Its writer was killed: HDF5 wants to be told that nobody writes any more, which `talus info` does.
try:
    h5py.File("live.h5").close()
    fail("the file of a killed writer opened without `talus info`; docs/result-format.md says otherwise")
except OSError:
    pass
talus("info", "live.h5")
with h5py.File("live.h5") as f:
    equal(f.attrs["closed"], 0, "attribute closed of a killed run")
    check(len(f["frames"]) >= max(seen), "frames were lost")
