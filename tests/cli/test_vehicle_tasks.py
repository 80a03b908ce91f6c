#!/usr/bin/python3 -B
# labels: slow longer
# What tracked vehicles do (docs/machines.md), small: pull at a drawbar with a given slip, turn on the spot, screw an anchor
# into grains; and, among the long tests, an M113 that stands on its torsion bars and drives off.
import csv
import math
import os

import h5py

from cli import LONG, SOURCE, check, found, run_json, talus

G, LIGHT = 9.81, 451.48


def play(name, until, **values):
    """The report of a run of an example, its channels, a list per name, and its steps."""
    arguments = ["run", os.path.join(SOURCE, "examples", f"{name}.json"), "-o", f"{name}.h5", "--force", "--quiet", "--threads", 1,
                 "--until", until]
    for key, value in values.items():
        arguments += ["--set", f"{key}={value}"]
    report = run_json(*arguments)
    check(report["status"] == "finished" and report["joint_error"] < 1e-8, f"{name}: {report}")
    talus("export", f"{name}.h5", "--format", "monitors", "-o", f"{name}.csv", "--force")
    with open(f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    with h5py.File(f"{name}.h5") as file:
        steps = file["steps"][:]
    return report, {title.split(" ")[0]: [float(row[i]) for row in rows[1:]] for i, title in enumerate(rows[0])}, steps


def mean(c, name, low, high):
    part = [x for x, t in zip(c[name], c["time"]) if low < t <= high]
    return sum(part) / len(part)


def at(c, name, time):
    return c[name][min(range(len(c["time"])), key=lambda i: abs(c["time"][i] - time))]


# ---- A drawbar on gravel: the vehicle pulls, at the cost of slip; it gives less than its motors do ----
SLIP = 0.3
report, c, steps = play("vehicle-drawbar", 1.3, slip=SLIP, ahead=1.8, wide=1.6, deep=0.2)
belt = mean(c, "left_drive.rz_rate", 0.9, 1.3) * 1.2 / (2 * math.pi)
speed = (at(c, "place.x", 1.3) - at(c, "place.x", 0.9)) / 0.4
check(abs(1 - speed / belt - SLIP) < 1e-3, f"the slip is {1 - speed / belt}")
pull, torque, load = (mean(c, name, 0.9, 1.3) for name in ("pull", "torque", "load.z"))
drawn, driven = (at(c, name, 1.3) - at(c, name, 0.9) for name in ("drawn", "work"))
print(f"drawbar: {pull:.0f} N with {torque:.0f} N m at a slip of {SLIP}, efficiency {drawn / driven:.2f}")
check(0.05 * load < pull < 0.8 * load, f"the vehicle pulls {pull} N with {load} N on its tracks")
check(0.2 < drawn / driven < 1 - SLIP, f"{drawn} J of {driven} J are drawn")
check(abs(load - LIGHT * G) < 0.05 * LIGHT * G, f"the gravel carries {load} N")

# ---- The course: it drives at the speed of its tracks, then turns on the spot ----
report, c, steps = play("vehicle-course", 2.2, turn_at=1.1, stones=1)
check(abs(mean(c, "vehicle.x", 1.02, 1.1) - 1.5) < 0.05, f"it drives at {mean(c, 'vehicle.x', 1.02, 1.1)} m/s")
turned, slid = at(c, "heading", 2.19) - at(c, "heading", 1.75), math.dist(*((at(c, "place.x", t), at(c, "place.y", t)) for t in (1.75, 2.19)))
print(f"course: turned by {turned:.3f} rad in 0.44 s, and slid by {slid:.3f} m")
check(0.1 < turned < 2 * 0.8 / 1.2 * 0.44, f"it turns by {turned} rad")  # at most as the belts' speeds say
check(slid < 0.1, f"it slides by {slid} m as it turns")
check(abs(mean(c, "ground.z", 0.3, 1) - LIGHT * G) < 0.01 * LIGHT * G, f"the ground carries {mean(c, 'ground.z', 0.3, 1)} N")

# ---- The drill: by less than a pitch per turn; the ground holds against press and torque ----
PRESS = 150
report, c, steps = play("vehicle-drill", 1.1, radius=0.12, pit=0.26, depth=0.4, pitch=0.07, torque=200, press=PRESS, turn_from=0.1)
begin = next(i for i, turned in enumerate(c["turned"]) if turned > 0.1)
turns, deeper = c["turned"][-1] - c["turned"][begin], c["depth"][-1] - c["depth"][begin]
print(f"drill: {deeper:.3f} m deeper in {turns:.2f} turns with {mean(c, 'torque', 0.3, 1.1):.0f} N m")
check(turns > 0.8 and 0.2 * 0.07 < deeper / turns <= 0.07, f"it goes {deeper} m deeper in {turns} turns of pitch 0.07 m")
carried = mean(c, "ground.z", 0.3, 1.1) + mean(c, "soil.z", 0.3, 1.1)
check(abs(carried - (LIGHT + 10) * G) < 0.01 * LIGHT * G, f"ground and grains carry {carried} N")
check(abs(mean(c, "soil.z", 0.3, 1.1) - (PRESS + 10 * G)) < 0.1 * PRESS, f"the grains hold {mean(c, 'soil.z', 0.3, 1.1)} N of {PRESS} N and the anchor")
check(abs(mean(c, "twist.z", 0.3, 1.1) + mean(c, "torque", 0.3, 1.1)) < 0.2 * mean(c, "torque", 0.3, 1.1) + 2,
      f"the ground holds against {mean(c, 'twist.z', 0.3, 1.1)} N m of {mean(c, 'torque', 0.3, 1.1)}")
check(abs(c["heading"][-1]) < 0.01, f"the drill turns the vehicle by {c['heading'][-1]} rad")

if not LONG:
    print("vehicle tasks: ok")
    raise SystemExit

# ---- An M113 of 63 and 64 shoes ----
MASS = 7819.24 + 127 * 18.02 + 10 * (35.56 + 75.26) + 2 * (27.68 + 25.76)
report, c, steps = play("m113", 0.5, **{"left.pin_damping": 100, "right.pin_damping": 100})  # it settles sooner
check(report["joints"] == 127 + 2 * 12 and report["redundant_rows"] == 6, f"m113: {report}")
print(f"m113: {-mean(c, 'ground.z', 0.25, 0.5):.0f} N on the ground, {MASS * G:.0f} N heavy")
check(abs(mean(c, "ground.z", 0.25, 0.5) + MASS * G) < 0.003 * MASS * G, f"the ground carries {mean(c, 'ground.z', 0.25, 0.5)} N")
report, c, steps = play("m113", 0.7, torque=4000, drive_from=0.2)
way = at(c, "place.x", 0.69) - at(c, "place.x", 0.4)
for side in "left", "right":
    belt = -(at(c, f"{side}.drive.rz", 0.69) - at(c, f"{side}.drive.rz", 0.4)) / (2 * math.pi) * 10 * 0.154
    check(abs(belt - way) < 0.02 * way, f"the {side} track travels {belt} m, the vehicle {way} m")
check(way > 0.1 and max(map(abs, c["place.y"])) < 2e-3, f"it goes {way} m and leaves its line by {max(map(abs, c['place.y']))} m")
gained = (at(c, "vehicle.x", 0.69) - at(c, "vehicle.x", 0.4)) / 0.29
most = 2 * 4000 / (1.54 / (2 * math.pi)) / (MASS + 127 * 18.02 + 10 * 35.56 / 2)
print(f"m113: {gained:.2f} m/s^2, {most:.2f} without losses")
check(0.75 * most < gained < most, f"the M113 gains {gained} m/s^2, at most {most}")

# ---- The same on double pins: a connector of 2 kg on each side of each joint between two shoes ----
MASS += 127 * 2 * 2
report, c, steps = play("m113-double", 0.5, **{"left.pin_damping": 100, "right.pin_damping": 100})
check(report["joints"] == 2 * 127 + 2 * 12 and report["redundant_rows"] == 6, f"m113-double: {report}")
print(f"m113-double: {-mean(c, 'ground.z', 0.25, 0.5):.0f} N on the ground, {MASS * G:.0f} N heavy")
check(abs(mean(c, "ground.z", 0.25, 0.5) + MASS * G) < 0.003 * MASS * G, f"the ground carries {mean(c, 'ground.z', 0.25, 0.5)} N")
report, c, steps = play("m113-double", 0.7, torque=4000, drive_from=0.2)
way = at(c, "place.x", 0.69) - at(c, "place.x", 0.4)
for side in "left", "right":
    belt = -(at(c, f"{side}.drive.rz", 0.69) - at(c, f"{side}.drive.rz", 0.4)) / (2 * math.pi) * 10 * 0.154
    check(abs(belt - way) < 0.03 * way, f"double pins: the {side} track travels {belt} m, the vehicle {way} m")
check(way > 0.1 and max(map(abs, c["place.y"])) < 2e-3, f"double pins: it goes {way} m and leaves its line by {max(map(abs, c['place.y']))} m")
gained = (at(c, "vehicle.x", 0.69) - at(c, "vehicle.x", 0.4)) / 0.29
most = 2 * 4000 / (1.54 / (2 * math.pi)) / (MASS + 127 * (18.02 + 4) + 10 * 35.56 / 2)
print(f"m113-double: {gained:.2f} m/s^2, {most:.2f} without losses")
check(0.7 * most < gained < most, f"the M113 on double pins gains {gained} m/s^2, at most {most}")
print("vehicle tasks: ok")
