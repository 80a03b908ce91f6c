#!/usr/bin/python3 -B
# labels: slow
# Machines on grains (docs/machines.md), small: the tracked vehicle on a bed that goes with it, and the anchor. The ground
# carries the vehicle's weight, impulses are its momentum, it slips and sinks; the anchor goes down by less than its pitch
# per turn, the deeper the harder, and the books of energy balance.
import csv
import os

import h5py

from cli import SOURCE, check, run_json, talus


def play(name, until, **values):
    """The report of a run of an example, its channels and its steps, a list per name."""
    path = f"{name}.h5"
    arguments = ["run", os.path.join(SOURCE, "examples", f"{name}.json"), "-o", path, "--force", "--quiet", "--threads", 1,
                 "--until", until]
    for key, value in values.items():
        arguments += ["--set", f"{key}={value}"]
    report = run_json(*arguments)
    check(report["status"] == "finished", f"{name}: {report}")
    talus("export", path, "--format", "monitors", "-o", f"{name}.csv", "--force")
    with open(f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    columns = {title.split(" ")[0]: [float(row[i]) for row in rows[1:]] for i, title in enumerate(rows[0])}
    with h5py.File(path) as file:
        steps = {key: [float(x) for x in file["steps"][key]] for key in file["steps"].dtype.names}
    return report, columns, steps


# ---- The vehicle on gravel ----
PULL, MASS, G = 400, 451.48, 9.81
report, c, steps = play("vehicle-gravel", 1.6, ahead=2, wide=1.8, deep=0.3, drive_from=0.4, pull=PULL)
h = c["time"][1] - c["time"][0]
for axis, applied in ("x", -PULL), ("y", 0), ("z", -MASS * G):
    impulse = sum(h * (force + applied) for force in c[f"load.{axis}"][1:])
    gained = MASS * (c[f"whole.{axis}"][-1] - c[f"whole.{axis}"][0])
    check(abs(impulse - gained) < 1e-6 * MASS, f"the impulse along {axis} is {impulse}, the momentum gained {gained} N s")
late = c["load.z"][len(c["load.z"]) // 4:]
load = sum(late) / len(late)
check(abs(load - MASS * G) < 0.02 * MASS * G, f"the ground carries {load} N, the vehicle weighs {MASS * G} N")
begin = next(i for i, t in enumerate(c["time"]) if t > 0.4)
gone, travel = c["place.x"][-1] - c["place.x"][begin], c["travel"][-1] - c["travel"][begin]
check(0.2 < gone < travel, f"the vehicle went {gone} m, its tracks {travel} m")
check(0.02 < c["sinkage"][-1] < 0.15, f"it sank by {c['sinkage'][-1]} m")
check(report["moved"] > 20 and report["joint_error"] < 1e-8, f"vehicle-gravel: {report}")
check(c["work"][-1] > PULL * gone, f"the motors did {c['work'][-1]} J, the drawbar took {PULL * gone} J")

# ---- The anchor ----
PITCH = 0.6 * 0.25
report, c, steps = play("anchor", 1.6, radius=0.25)
begin = next(i for i, turned in enumerate(c["turned"]) if turned > 0.1)
turns, deeper = c["turned"][-1] - c["turned"][begin], c["depth"][-1] - c["depth"][begin]
check(turns > 0.8, f"the anchor turned {turns} times")
check(0.4 * PITCH < deeper / turns <= PITCH, f"it went {deeper / turns} m deeper per turn of pitch {PITCH} m")
half = (begin + len(c["turned"])) // 2
first, second = (sum(part) / len(part) for part in (c["torque"][begin:half], c["torque"][half:]))
check(second > 1.2 * first > 0, f"it took {first} N m, then {second} N m")
gained = sum(steps[key][-1] - steps[key][0] for key in ("kinetic_energy", "potential_energy", "dissipated_energy"))
work = steps["work_energy"][-1] - steps["work_energy"][0]
check(abs(work - gained) < 0.01 * work, f"the motors did {work} J; energy and dissipation are {gained} J")
check(abs(work - (c["guide.rz_work"][-1] + c["guide.z_work"][-1])) < 0.01 * work, "the work is not that of the two motors")
print("machines on grains: ok")
