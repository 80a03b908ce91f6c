#!/usr/bin/python3 -B
# labels: slow
# The tracked vehicle of document 002 (docs/machines.md): a ring of shoes is pulled taut, hangs as a catenary, and a vehicle
# starts from it; what it stands on carries its weight; a spring at the idler lowers the peaks; it gains speed as its masses
# and moments of inertia say. What does not fit together is refused, or told by how much.
import csv
import json
import math
import os

import h5py

from cli import SOURCE, check, found, refused, run_json, talus

EXAMPLES = os.path.join(SOURCE, "examples")
G, SHOE, WEIGHT = 9.81, 0.34, 451.48 * 9.81


def play(scene, name, until=None, **values):
    """The report of a run of an example and its channels, a list per name."""
    arguments = ["run", os.path.join(EXAMPLES, f"{scene}.json"), "-o", f"{name}.h5", "--force", "--quiet", "--threads", 1]
    for key, value in values.items():
        arguments += ["--set", f"{key}={value}"]
    report = run_json(*arguments, *(["--until", until] if until else []))
    check(report["status"] == "finished" and report["joint_error"] < 1e-8, f"{name}: {report}")
    talus("export", f"{name}.h5", "--format", "monitors", "-o", f"{name}.csv", "--force")
    with open(f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return report, {title.split(" ")[0]: [float(row[i]) for row in rows[1:]] for i, title in enumerate(rows[0])}


def mean(c, name, low, high):
    part = [x for x, t in zip(c[name], c["time"]) if low < t <= high]
    return sum(part) / len(part)


# ---- The ring is pulled taut until it hangs still ----
report, c = play("track-tension", "tension")
last = {name: values[-1] for name, values in c.items()}
check(last["moving.kinetic"] < 1e-6, f"the ring still moves: {last['moving.kinetic']} J")
found("vehicle: a ring of shoes", "its weight", "what its wheels carry, N", "`examples/track-tension.json`", last["carried.z"],
      61 * SHOE * G, 1e-3 * 61 * SHOE * G)
# The wheels are on a line that leans by asin(lean); along it both spans and the weight of what is between pull at the spring.
front, rear = 0.05 / math.sin(math.pi / 14), 0.05 / math.sin(math.pi / 12)
lean = (front - rear) / 2.4
level = math.sqrt(1 - lean * lean)
spans = (last["upper.fx"] - last["lower.fx"]) * level + (last["upper.fz"] - last["lower.fz"]) * lean
pull = spans + (15 + 9 * SHOE) * G * lean
found("vehicle: a ring of shoes", "the push of the idler", "both spans at the idler, N", "`examples/track-tension.json`", pull, 2000, 2)
found("vehicle: a ring of shoes", "the push of the idler", "the spring, N", "`examples/track-tension.json`",
      last["track.tension.local_fx"], 2000, 2)
with h5py.File("tension.h5") as file:
    first = list(file["names/name"]).index(b"track.shoes")
    body, count = int(file["names/body"][first]), int(file["names/count"][first])
    states, frame = file["states/body"][:], file["frames"][-1]
    at = slice(int(frame["state_first"]), int(frame["state_first"]) + int(frame["state_count"]))
    places = dict(zip(states[at].tolist(), file["states/position"][at].tolist()))
check(count == 61, f"{count} shoes")
for name, a, b, tension in ("upper", 32, 54, last["upper.fx"]), ("lower", 1, 23, -last["lower.fx"]):
    (x0, _, z0), (x, _, z), (x1, _, z1) = (places[body + i] for i in (a, (a + b) // 2, b))
    sag = z0 + (z1 - z0) * (x - x0) / (x1 - x0) - z
    # A catenary of as much weight per length; the shoe's origin is its pin.
    scale = tension / (SHOE * G / 0.1)
    wanted = scale * (math.cosh(abs(x1 - x0) / 2 / scale) - 1)
    found("vehicle: a ring of shoes", "a catenary of 33 N/m", f"sag of 22 shoes of the {name} span, m", "`examples/track-tension.json`",
          sag, wanted, 0.01 * wanted)

# ---- A vehicle starts from it, is dropped by 3 cm, and stands; a spring at the idler softens the blow ----
start = {f"start[{side}].result": os.path.abspath("tension.h5") for side in (0, 1)}
report, c = play("vehicle-tensioned", "stands", until=1, torque=0, pin_damping=10, **start)
check(abs(c["left.tension.x"][-1] - c["left.tension.x"][0]) < 1e-6, "an idler that is locked moves")
found("vehicle: it stands", "its weight", "on the ground, N", "`vehicle-tensioned.json`, 0.5 to 1 s", -mean(c, "ground.z", 0.5, 1), WEIGHT,
      1e-3 * WEIGHT)
found("vehicle: it stands", "the weight of 410 kg", "of wheels on shoes, N", "`vehicle-tensioned.json`, 0.5 to 1 s",
      -mean(c, "shoes.z", 0.5, 1), 410 * G, 1e-3 * 410 * G)
_, sprung = play("vehicle-tensioned", "sprung", until=0.3, lock=0, torque=0, pin_damping=10, **start)
peaks = [max(x for x, t in zip(run["left.pin.force"], run["time"]) if t <= 0.3) for run in (c, sprung)]
print(f"a pin at the drop: {peaks[0]:.0f} N with a fixed idler, {peaks[1]:.0f} N with spring and damper")
check(1000 < peaks[1] < 0.7 * peaks[0], f"a spring does not lower the peak: {peaks}")

hashes = {run_json("run", os.path.join(EXAMPLES, "vehicle-tensioned.json"), "--until", 0.12, "--threads", threads, "--no-record", "--quiet",
                   *(part for item in start.items() for part in ("--set", "=".join(item))))["hash"] for threads in (1, 2)}
check(len(hashes) == 1, f"one thread and two leave other states: {hashes}")

# ---- It gains speed: traction over all that moves on and turns ----
TORQUE = 300
report, c = play("vehicle", "drives", until=0.9, torque=TORQUE, drive_from=0.4)


def polar(points):
    """Area and polar second moment about the origin of a polygon, counterclockwise."""
    area = moment = 0
    for (x, y), (u, v) in zip(points, points[1:] + points[:1]):
        cross = x * v - u * y
        area += cross / 2
        moment += cross * (x * x + x * u + u * u + y * y + y * v + v * v) / 12
    return area, moment


inner, slope = rear * math.cos(math.pi / 12), math.tan(math.pi / 9)
flank = 0.05 - 0.0125 / math.cos(math.pi / 9)
side = [(inner - 0.07, 0.03), (inner - 0.02, flank + 0.02 * slope), (inner + 0.009, flank - 0.009 * slope)]
area, moment = polar([(x, -y) for x, y in side] + side[::-1])
hub = inner - 0.065
sprocket = 15 * (math.pi * hub ** 4 / 2 * 0.22 + 24 * moment * 0.04) / (math.pi * hub ** 2 * 0.22 + 24 * area * 0.04)
radius = 0.6 / math.pi  # 12 pitches per turn
idler = front * math.cos(math.pi / 14) + 0.012  # seven shoes are half a turn of it
inertia = 451.48 + 122 * SHOE + 10 * 7.5 + 2 * 7.5 * (idler * math.pi / 0.7) ** 2 + 2 * sprocket / radius ** 2
first, last = (min(range(len(c["time"])), key=lambda i: abs(c["time"][i] - t)) for t in (0.5, 0.88))
gained = (c["vehicle.x"][last] - c["vehicle.x"][first]) / (c["time"][last] - c["time"][first])
wanted = 2 * TORQUE / radius / inertia
print(f"vehicle: {gained:.3f} m/s^2 with {TORQUE} N m on each sprocket, {wanted:.3f} without losses; {inertia:.1f} kg")
check(0.96 * wanted < gained < 1.005 * wanted, f"the vehicle gains {gained} m/s^2, {wanted} without losses")
with h5py.File("drives.h5") as file:
    steps = file["steps"][:]
lost = steps["dissipated_energy"] + steps["spring_energy"]
check(lost[last] > lost[first] > lost[0] - 1e-9, f"energy comes from nowhere: {lost[0]}, {lost[first]}, {lost[last]} J")
work = c["work"][last] - c["work"][first]
check(0 < lost[last] - lost[first] < 0.08 * work, f"{lost[last] - lost[first]} of {work} J are lost")
near = max(abs(y) for y in c["place.y"])
check(near < 1e-3, f"with equal torques the vehicle leaves its line by {near} m")

# ---- The mean force of a pin does not depend on the step ----
means = [mean(play("vehicle", "steps", until=0.5, step=h, torque=50, drive_from=0.1)[1], "left.pin.force", 0.1, 0.5) for h in (0.002, 0.001)]
print(f"a pin has {means[0]:.1f} N in the mean at 2 ms, {means[1]:.1f} N at 1 ms")
check(abs(means[0] - means[1]) < 0.02 * means[1], f"the mean force of a pin changes with the step: {means}")

# ---- What does not fit together ----
vehicle = os.path.join(EXAMPLES, "vehicle.json")
said = talus("check", vehicle, "--set", "left.straight=25").stderr
check('"left.shoes", 61 of 61 was moved by 0.128 m to assemble them' in said, f"a ring that does not close: {said}")
missing = {"version": "1.1", "include": [{"file": vehicle}], "start": [{"result": "tension.h5", "bodies": {"left.shoes": "track.links"}}]}
for message, change in (("track.links", {}), ("'track.rollers' has 5 bodies in the result, expected 61 as here", {"bodies": {"left.shoes": "track.rollers"}}),
                        ("'track.sprocket' is of another size in the result: 25 shapes there, 2 here", {"bodies": {"left.idler": "track.sprocket"}}),
                        ("left.boots", {"bodies": {"left.boots": "track.shoes"}})):
    missing["start"][0].update(change)
    with open("missing.json", "w", encoding="utf-8") as file:
        json.dump(missing, file)
    refused(3, message, "check", "missing.json")
small = run_json("check", vehicle, "--set", "scale=0.464")
check(abs(small["total_mass"] - 451.48 * 0.464 ** 3) < 1e-6 and small["overlapping_pairs"] == 0, f"a vehicle of 100 lb: {small}")
refused(3, "left.chain", "check", vehicle, "--set", 'monitors.load={"kind": "joint", "joint": "left.chain"}')
print("vehicle: ok")
