#!/usr/bin/python3 -B
# labels: slow longer
# The mechanisms of examples/: pendulums keep their periods and tensions, linkages their geometry, motors and limits what
# they were told, a pulley its rope, and a chain that falls on a heap holds together. What joints do is read from the
# monitors of the run, all joints from its report.
import csv
import math
import os

from cli import LONG, SOURCE, check, run_json, talus


def play(name, *more, until=None):
    """The report of a run of an example, and its channels, a list per name."""
    path = f"{name}.h5"
    arguments = ["run", os.path.join(SOURCE, "examples", f"{name}.json"), "-o", path, "--force", "--quiet", "--threads",
                 1, *more]
    if until:
        arguments += ["--until", until]
    report = run_json(*arguments)
    talus("export", path, "--format", "monitors", "-o", f"{name}.csv", "--force")
    with open(f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    names = [column.split(" ")[0] for column in rows[0]]
    columns = {column: [float(row[i]) for row in rows[1:]] for i, column in enumerate(names)}
    check(report["status"] == "finished", f"{name}: {report}")
    return report, columns


def near(what, value, wanted, within):
    check(abs(value - wanted) <= within, f"{what} is {value}, not {wanted} within {within}")


def crossings(times, values):
    """When values cross 0 upwards, between samples."""
    return [times[i] + (times[i + 1] - times[i]) * -values[i] / (values[i + 1] - values[i])
            for i in range(len(values) - 1) if values[i] < 0 <= values[i + 1]]


def period(length, swing):
    """Of a pendulum of this reduced length: 4 sqrt(l/g) K(sin(swing/2)), by the mean of arithmetic and geometry."""
    a, b = 1.0, math.cos(swing / 2)
    for _ in range(20):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return 2 * math.pi * math.sqrt(length / 9.81) / a


G = 9.81

# ---- Pendulums ----
report, c = play("pendulums")
time = c["time"]
check(report["joints"] == 4 and report["joint_error"] < 1e-8, f"pendulums: {report}")
swing = crossings(time, c["simple.x"])
near("the period of the simple pendulum", (swing[-1] - swing[0]) / (len(swing) - 1), period(1, 0.5), 2e-3)
mass = 4 / 3 * math.pi * 0.05 ** 3 * 1000
near("the tension of the string", max(c["string.force"]), mass * G * (3 - 2 * math.cos(0.5)), 0.02)
angle = [x + 0.5 for x in c["compound.rz"]]  # it starts at 0
swing = crossings(time, angle)
reduced = 2 / 3 * (1 + 0.05 ** 2 / 4)  # l = I / (m d) of a rod of square section about its end
near("the period of the compound pendulum", (swing[-1] - swing[0]) / (len(swing) - 1), period(reduced, 0.5), 2e-3)
near("its load", max(c["compound.force"]), 2.5 * G * (1 + 1.5 * (1 - math.cos(0.5))), 0.02)
energy = c["energy.total"]
check(max(energy) - min(energy) < 0.01 * (max(c["energy.kinetic"])), "the double pendulum does not keep its energy")

# ---- A four-bar linkage: the rocker is where the law of cosines has it ----
report, c = play("fourbar")
check(report["joint_error"] < 1e-8 and report["redundant_rows"] == 3, f"fourbar: {report}")


def rocker(turned):
    """The angle of the rocker for one of the crank, which starts upright."""
    x, z = 0.2 * math.cos(math.pi / 2 + turned), 0.2 * math.sin(math.pi / 2 + turned)
    diagonal = math.hypot(0.6 - x, z)
    beta = math.acos((0.36 + diagonal ** 2 - 0.25) / (2 * 0.6 * diagonal))
    along = math.atan2(-z, 0.6 - x) + beta
    return math.atan2(z + 0.6 * math.sin(along), x + 0.6 * math.cos(along) - 0.6)


worst = max(abs(b - (rocker(a) - rocker(0))) for a, b in zip(c["drive.rz"], c["rocker.rz"]))
print(f"four-bar: the rocker is within {worst:.1e} rad of the law of cosines")
check(worst < 2e-8, f"the rocker is {worst} rad off")
near("the speed of the crank", min(c["drive.rz_rate"]), 2 * math.pi, 1e-9)
near("and at most", max(c["drive.rz_rate"]), 2 * math.pi, 1e-9)

# ---- A slider-crank ----
report, c = play("slidercrank")
worst = max(abs(z - (0.1 * math.cos(a) + math.sqrt(0.09 - 0.01 * math.sin(a) ** 2) - 0.4))
            for a, z in zip(c["drive.rz"], c["piston.z"]))
print(f"slider-crank: the piston is within {worst:.1e} m")
check(worst < 2e-8, f"the piston is {worst} m off")
check(report["joint_error"] < 1e-8, f"slidercrank: {report}")

# ---- A wagon on a spring, in steps of 10 ms ----
def off_spring(*more):
    """How far the wagon is at most from where it belongs, and what joints are off by."""
    report, c = play("oscillator", *more)
    decay = 1 / (2 * 2)
    rate = math.sqrt(180 / 2 - decay ** 2)
    check(report["joint_error"] < 1e-8, f"oscillator: {report}")
    return max(abs(x - 0.1 * math.exp(-decay * t) * (math.cos(rate * t) + decay / rate * math.sin(rate * t)))
               for t, x in zip(c["time"], c["place.x"]))


second, halved, first = off_spring(), off_spring("--set", "step=0.005"), off_spring("--stepper", "dvi", "--set", "step=0.001")
print(f"oscillator: {second:.1e} m off at 10 ms, {halved:.1e} m at 5 ms; dvi {first:.1e} m at 1 ms")
check(second < 1.2e-3, f"the wagon is {second} m off")
near("what half the step leaves of it", halved / second, 0.25, 0.02)
check(second < first / 4, "steps of 10 ms are worse than they should be")

# ---- A robot arm: motors and limits ----
report, c = play("robotarm")
time = c["time"]
check(report["joint_error"] < 1e-8, f"robotarm: {report}")
worst = max(abs(a - 1.2 * math.sin(t)) for t, a in zip(time, c["turntable.rz"]) if t > 1)
print(f"robot arm: the turntable follows within {worst:.1e} rad, the elbow goes from {min(c['elbow.rz']):.4f} to "
      f"{max(c['elbow.rz']):.4f} rad")
check(worst < 0.01, f"the turntable is {worst} rad off")
check(max(c["elbow.rz"]) < 0.5 + 1e-4 and max(c["elbow.rz"]) > 0.49, "the elbow does not stop at its limit")
for name in ("turntable", "shoulder", "elbow"):
    check(max(map(abs, c[f"{name}.rz_motor"])) <= 400 * (1 + 1e-9), f"the motor of the {name} exerts too much")

# ---- A crane: the rope over the pulleys, and one that hangs ----
report, c = play("crane")
check(max(c["rope.error"]) < 1e-8 and max(c["hoist.error"]) < 1e-8, "a rope of the crane is too long")
near("the heavier side ends on the floor, so the lift at", c["lift.z"][-1], 0.2 + (2 - 0.15), 0.05)
near("the rope carries the lift in the end", c["rope.force"][-1], 20 * G, 0.5)
near("the hoist carries its load", c["hoist.force"][-1], 20 * G, 10)
near("the mast turns", c["mast.rz_rate"][-1], 0.4, 1e-6)

# ---- Its joints as a table: frames meet, and those with a monitor have what that measured ----
talus("export", "crane.h5", "--format", "joints", "-o", "joints.csv", "--force", "--every", 40)
with open("joints.csv", encoding="utf-8", newline="") as file:
    lines = list(csv.DictReader(file))
check(len(lines) % 4 == 0 and [line["name"] for line in lines[:4]] == ["rope", "mast", "rail", "hoist"], f"{lines[:4]}")
check([line["kind"] for line in lines[:4]] == ["pulley", "revolute", "prismatic", "distance"], f"{lines[:4]}")
check(lines[0]["fx"] == "" and lines[3]["fz"] == "", "nothing was measured before the first step")
for line in lines[4:]:
    at = [[float(line[side + axis]) for axis in "xyz"] for side in "ab"]
    if line["kind"] == "revolute":
        check(math.dist(*at) < 1e-5, f"the frames of the mast do not meet: {line}")
    if line["name"] == "hoist":
        i = min(range(len(c["time"])), key=lambda k: abs(c["time"][k] - float(line["time"])))
        check(math.dist(*at) < 1.55 + 1e-5, f"the hoist is too long: {line}")
        check(float(line["fz"]) == c["hoist.fz"][i] and float(line["local_fz"]) == c["hoist.local_fz"][i], f"{line}")
    check((line["fx"] == "") == (line["name"] == "rail"), f"the rail alone has no monitor: {line}")
few = talus("export", "crane.h5", "--format", "joints", "-o", "few.csv", "--body", "jib").stdout
with open("few.csv", encoding="utf-8", newline="") as file:
    check({line["name"] for line in csv.DictReader(file)} == {"mast", "rail"}, "--body leaves other joints in")
talus("export", "crane.h5", "-o", "crane.pvd", "--force", "--every", 40)
with open("crane.pvd", encoding="utf-8") as file:
    pieces = [line for line in file if "joints_" in line]
check(len(pieces) == len(lines) // 4, f"{len(pieces)} files of joints for {len(lines) // 4} frames")
with open("crane_frames/joints_000040.vtp", "rb") as file:
    head = file.read(4000)
check(b'NumberOfPoints="4"' in head, "the file has not four joints")
check(all(f'Name="{name}"'.encode() in head for name in ("joint", "kind", "axis", "force", "torque", "error")), "a field is missing")
talus("run", os.path.join(SOURCE, "examples", "first.json"), "-o", "first.h5", "--quiet", "--until", 0.01)
said = talus("export", "first.h5", "--format", "joints", "-o", "none.csv", code=3).stderr
check("no joints to export" in said, said)

# ---- A chain falls on a heap and is dragged ----
report, c = play("chain", until=4)
print(f"chain: joints are off by {report['joint_error']:.1e} m, the pull is {c['pull.force'][-1]:.0f} N")
check(report["joints"] == 60 and report["joint_error"] < 2e-4, f"chain: {report}")
check(c["pull.force"][-1] > 10, "nothing is dragged")
check(max(c["pull.error"]) < 2e-4, f"the hook is {max(c['pull.error'])} m from what drags it")

# ---- A track: as fast as the sprocket turns ----
report, c = play("track", until=4)
check(report["joints"] == 69 and report["redundant_rows"] == 3, f"track: {report}")
check(report["joint_error"] < 1e-8 and max(c["pin.error"]) < 1e-8, f"a pin of the track is off: {report}")
later = [i for i, t in enumerate(c["time"]) if t >= 2.5]  # it has its speed
first, last = later[0], later[-1]
travel = (c["place.x"][last] - c["place.x"][first]) / (c["drive.rz"][last] - c["drive.rz"][first])
wanted = 0.1 / (math.pi / 9)  # nine shoes are half a turn: pitch per angle
print(f"track: {travel:.4f} m per radian of the sprocket, {wanted:.4f} by the pitch; pins off by {max(c['pin.error']):.1e} m")
near("what the vehicle travels per angle of the sprocket", travel, wanted, 0.01 * wanted)
near("the vehicle's height", c["place.z"][last], 0.34, 2e-3)
check(max(map(abs, c["drive.rz_motor"])) <= 1000, "the motor of the track exerts too much")

# ---- A vehicle on two tracks; test_vehicle.py has a shorter one ----
if LONG:
    report, c = play("vehicle", until=2.5)
    time = c["time"]
    rest = [i for i, t in enumerate(time) if 0.5 <= t < 1]
    mean = lambda name: sum(c[name][i] for i in rest) / len(rest)
    near("the vehicle's weight on the ground", mean("ground.z"), -451.48 * G, 0.003 * 451.48 * G)
    near("the force of the idler's spring", mean("left.tension.fx"), 2000, 20)
    near("the pull of one of two spans", mean("left.pin.force"), 1000, 30)
    first, last = (min(range(len(time)), key=lambda i: abs(time[i] - t)) for t in (1.2, 2.4))
    travel = c["place.x"][last] - c["place.x"][first]
    for side in "left", "right":
        turned = (c[f"{side}.drive.rz"][last] - c[f"{side}.drive.rz"][first]) / (2 * math.pi)
        near(f"what the vehicle travels by its {side} sprocket", travel, turned * 12 * 0.1, 0.005 * travel)
    # Traction over all that moves on and turns, but the sprockets, whose moments of inertia are of many teeth.
    turning = 41.48 + 10 * 7.5 + 2 * 0.5 * 15 * (0.2311 / 0.2228) ** 2
    most = 2 * 100 / (12 * 0.1 / (2 * math.pi)) / (451.48 + turning)
    gained = (c["vehicle.x"][last] - c["vehicle.x"][first]) / (time[last] - time[first])
    print(f"vehicle: {gained:.3f} m/s^2, at most {most:.3f}")
    check(0.9 * most < gained < most, f"the vehicle gains {gained} m/s^2, expected 0.9 to 1 of {most}")
    check(abs(c["place.y"][last]) < 2e-3, f"the vehicle leaves its line by {c['place.y'][last]} m")
    check(report["joint_error"] < 1e-8, f"a joint of the vehicle is off: {report}")
    check(report["redundant_rows"] == 6, f"two rings of pins have three redundant rows each: {report}")
    for side in "left", "right":
        across = max(map(abs, c[f"{side}.pin.fy"]))
        check(across < 500, f"a pin of the {side} track has {across} N across it")

# ---- A segregation machine: small spheres pass, large ones stay, none is lost ----
sizes = {"large": 40, "medium": 100, "small": 200}
report, c = play("segregation", *(x for size in sizes.items() for x in ("--set", "{}={}".format(*size))), until=3)
check(report["joints"] == 21 and report["redundant_rows"] > 20, f"segregation: {report}")
check(report["joint_error"] < 1e-6, f"segregation: {report}")
left = {size: [c[f"{size}_{place}.count"] for place in ("top", "middle", "pan")] for size in sizes}
for size, count in sizes.items():
    check(all(sum(at) == count for at in zip(*left[size])), f"{size} spheres are lost")
    print(f"segregation: of {count} {size} spheres {left[size][0][-1]:.0f} are on the first sieve, {left[size][1][-1]:.0f} on the "
          f"second and {left[size][2][-1]:.0f} below")
check(left["large"][0][-1] == 40, "large spheres pass the first sieve")
check(max(left["medium"][2]) == 0, "medium spheres pass the second sieve")
check(left["medium"][1][-1] > 50, "medium spheres stay on the first sieve")
check(left["small"][2][-1] > 150, "small spheres do not pass")
throw = 0.012
near("how far the upper sieve swings", max(c["upper.x"]) - min(c["upper.x"]), 2 * throw, 5e-4)
near("and the lower one against it", min(a + b for a, b in zip(c["upper.x"], c["lower.x"])), 0, 1e-3)

# ---- Joints that do not meet are assembled, and check says so ----
scene = os.path.join(SOURCE, "examples", "pendulums.json")
with open("apart.json", "w", encoding="utf-8") as file, open(scene, encoding="utf-8") as source:
    file.write(source.read().replace('"lower", "position": ["=length", "=2 + 0.5*length", 3]',
                                     '"lower", "position": ["=length + 0.01", "=2 + 0.5*length", 3]')
               .replace('"bodies": ["upper", "lower"], "at": ["=length", 2, 3]',
                        '"bodies": ["upper", "lower"], "frame_a": {"position": ["=0.5*length", 0, 0]}, '
                        '"frame_b": {"position": [0, "=-0.5*length", 0]}'))
told = run_json("check", "apart.json")
check(0 < told["assembly_correction"] <= 0.01, f"the assembly is told as {told['assembly_correction']}")
check(any("did not meet" in warning for warning in told["warnings"]), f"no warning: {told['warnings']}")
# ---- Joints that contradict each other are named, with their places in the file ----
with open("against.json", "w", encoding="utf-8") as file:
    file.write("""{"version": 1, "bodies": [
{"name": "rod", "position": [0.5, 0, 0], "shapes": [{"kind": "box", "size": [1, 0.1, 0.1]}]}], "joints": [
{"name": "left", "kind": "spherical", "bodies": ["ground", "rod"], "frame_a": {}, "frame_b": {"position": [-0.5, 0, 0]}},
{"name": "right", "kind": "spherical", "bodies": ["ground", "rod"], "frame_a": {"position": [1.2, 0, 0]}, "frame_b": {"position": [0.5, 0, 0]}}]}""")
said = talus("check", "against.json", code=3).stderr
check("cannot be closed together with joint " in said and ": 0.1 m are left open" in said, said)
check('joint 2 is against.json:4:1: joints[1] "right"' in said and 'joint 1 is against.json:3:1: joints[0] "left"' in said, said)

# ---- Joints that cannot be brought together in a run are warned of, by name ----
with open("torn.json", "w", encoding="utf-8") as file:
    file.write("""{"version": 1, "duration": 0.5, "bodies": [
{"name": "hand", "kind": "prescribed", "shapes": [{"kind": "sphere", "radius": 0.1}],
 "motion": {"kind": "velocity", "velocity": [1, 0, 0]}},
{"name": "rod", "position": [0.5, 0, 0], "shapes": [{"kind": "box", "size": [1, 0.1, 0.1]}]}], "joints": [
{"name": "post", "kind": "spherical", "bodies": ["ground", "rod"], "at": [1, 0, 0]},
{"name": "grip", "kind": "spherical", "bodies": ["hand", "rod"], "at": [0, 0, 0]}]}""")
told = run_json("run", "torn.json", "--quiet", "--force", "-o", "torn.h5")
check(any("joints could not be brought together: joint" in w and "torn.json:" in w for w in told["warnings"]), f"{told['warnings']}")

# ---- So are joints whose angle cannot follow their rate ----
for speed, far in ((500, False), (628, True)):
    with open("fast.json", "w", encoding="utf-8") as file:
        file.write(f"""{{"version": 1, "step": 0.005, "duration": 0.1, "bodies": [
{{"name": "wheel", "shapes": [{{"kind": "sphere", "radius": 0.1}}]}}], "joints": [
{{"name": "axle", "kind": "revolute", "bodies": ["ground", "wheel"], "at": [0, 0, 0], "motor": {{"speed": {speed}}}}}]}}""")
    told = run_json("run", "fast.json", "--quiet", "--force", "-o", "fast.h5")
    check(any("turns by 3.14 rad in a step" in w and '"axle"' in w for w in told["warnings"]) == far, f"{told['warnings']}")

check(run_json("check", "apart.json")["joint_kinds"] == "2 spherical, 1 revolute, 1 distance", "its kinds")
