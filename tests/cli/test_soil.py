#!/usr/bin/python3 -B
# labels: slow longer
# The tools for soil of docs/machines.md, small. A plate that is pressed in: bearing capacity (Terzaghi, with Vesic's factors) at the angle
# that the shear box has, and (long) pressure as gravity. The same plate buried and pulled: between the weight of the column above it and
# that of the cone of friction. A cone: its force goes with the weight that it displaces, for two gravities and (long) two cones. A wheel: its
# ground carries its load, energies balance, and its thrust follows Janosi and Hanamoto with the angle of the shear box.
import math
import os

import h5py
import numpy

from cli import LONG, SOURCE, check, found, refused, run_json

LOOSE = math.radians(28.5)  # of examples/shearbox.json with friction 0.5, loose: tan 0.54


def run(scene, name, **values):
    """The channels of a run of an example, and its steps."""
    arguments = ["run", os.path.join(SOURCE, "examples", f"{scene}.json"), "-o", f"{name}.h5", "--quiet", "--threads", 1]
    for key, value in values.items():
        arguments += ["--set", f"{key}={value}"]
    report = run_json(*arguments)
    check(report["status"] == "finished" and report["removed"] == 0, f"{name}: {report}")
    with h5py.File(f"{name}.h5") as file:
        names = [key.decode() for key in file["monitors/names"]]
        channels = {key: numpy.array(file["monitors/values"])[:, i] for i, key in enumerate(names)}
        steps = {key: numpy.array(file["steps"][key]) for key in file["steps"].dtype.names}
    return channels, steps


# ---- A plate is pressed in ----
SMALL = {"step": 0.002, "tank": 0.06, "depth": 0.06, "plate": 0.025, "way": 0.015}
SEEDS, BEDS = ((1, 2, 3), "three beds") if LONG else ((1, 2), "two beds")  # forces of one are off by 10 %, as which grains carry a plate or a tip is chance


def pressure(g):
    """Pressure at the end of the way, over bulk density and gravity (m), and the sinkage there; the means of several beds."""
    return numpy.mean([of_plate(run("plate", f"plate{g}-{seed}", g=g, seed=seed, **SMALL)[0], g) for seed in SEEDS], axis=0)


def of_plate(plate, g):
    late = plate["moved"] > 0.0125
    first = plate["moved"][numpy.argmax(plate["load"] > 0.02 * plate["load"].max())]  # where it meets the grains
    return plate["force.z"][late].mean() / (math.pi * 0.025**2 * plate["bulk"][90] * g), plate["moved"][late].mean() - first


nq = math.exp(math.pi * math.tan(LOOSE)) * math.tan(math.pi / 4 + LOOSE / 2) ** 2
ngamma = 2 * (nq + 1) * math.tan(LOOSE)
got, sunk = pressure(9.81)
want = nq * (1 + math.tan(LOOSE)) * sunk + 0.6 * ngamma * 0.025
print(f"plate: {got:.4f} m at {sunk:.4f} m; bearing capacity {want:.4f} m")
found("a plate on grains", "bearing capacity of Terzaghi, factors of Vesic, angle of the shear box", "pressure over weight density, m",
      f"`examples/plate.json`, radius 25 mm, {BEDS}", got, want, 0.35 * want)
if LONG:
    found("a plate on grains", "pressure goes with gravity", "pressure over weight density at a quarter of gravity, m", "that of 9.81 m/s²",
          pressure(2.4525)[0], got, 0.15 * got)

# ---- A plate is pulled out ----
R, DEPTH = 0.02, 0.03
pulled, _ = run("plate", "pulled", **{**SMALL, "plate": R, "buried": DEPTH, "speed": 0.02, "way": 0.005})
weight = pulled["bulk"][90] * 9.81 * math.pi * DEPTH
column, cone = weight * R**2, weight * (R**2 + R * DEPTH * math.tan(LOOSE) + (DEPTH * math.tan(LOOSE)) ** 2 / 3)
highest = -pulled["load"].min()
print(f"pulled out: {highest:.3f} N, column {column:.3f} N, cone {cone:.3f} N")
found("a buried plate is pulled out", "between the weights of the column and of the cone of friction", "highest force, N",
      "`examples/plate.json`, radius 20 mm, 30 mm deep", highest, (column + cone) / 2, (cone - column) / 2)

# ---- Cones ----
FINE = {"step": 0.002, "grain_low": 0.0022, "grain_high": 0.0026, "tank": 0.04, "depth": 0.075, "way": 0.057, "solver.iterations": 20}


def slope(name, **values):
    """Mean force over mean weight of the displaced volume, and how straight one is over the other; the means of several beds."""
    return tuple(numpy.mean([of_cone(f"{name}-{seed}", seed=seed, **values) for seed in SEEDS], axis=0))


def of_cone(name, **values):
    c, _ = run("penetrometer", name, **FINE, **values)
    inside = c["tip"] > 0.02
    x, y = c["displaced"][inside] * c["bulk"][50] * values.get("g", 9.81), c["force.z"][inside]
    eighths = [[part.mean() for part in numpy.array_split(z, 8)] for z in (x, y)]
    return y.mean() / x.mean(), numpy.corrcoef(*eighths)[0, 1]


first = slope("cone")
others = {"at 3.71 m/s²": slope("mars", g=3.71)}
if LONG:
    others["of twice the base"] = slope("large", cone=0.01434)
print(f"cones: {first}, {others}")
check(first[1] > 0.97 and all(straight > 0.95 for _, straight in others.values()), f"the force on cones is not straight: {first}, {others}")
for what, (value, _) in others.items():
    found("a cone in grains", "force goes with the displaced weight", f"force per displaced weight, cone {what}", f"`examples/penetrometer.json`, {BEDS}; that of 323 mm²",
          value, first[0], 0.15 * first[0])

# ---- A wheel ----
WHEEL = {"step": 0.002}
ARM = 0.086  # m, radius and grousers
thrusts, sinkages = {}, []
for slip in (0.1, 0.2, 0.4):
    c, steps = run("wheel", f"wheel{slip}", slip=slip, **WHEEL)
    late = slice(300, None)  # from 0.6 s on
    lift, pull, torque = (c[key][late].mean() for key in ("ground.z", "ground.x", "axle.rz_motor"))
    found("a wheel on grains", "statics", f"load that the ground carries, N, slip {slip}", "`examples/wheel.json`", lift, 10, 0.3)
    check(pull * 0.16 * (1 - slip) < torque * 2, f"slip {slip}: the efficiency is above 1")
    gained = sum(steps[key][-1] - steps[key][0] for key in ("kinetic_energy", "potential_energy", "dissipated_energy"))
    work = sum(c[key][-1] - c[key][0] for key in ("axle.x_work", "axle.rz_work"))
    check(abs(work - gained) < 0.02 * work, f"slip {slip}: the motors did {work} J, energies gained {gained} J")
    thrusts[slip] = torque / (ARM * 10)
    sinkages.append(c["sinkage"][late].mean())
    print(f"wheel, slip {slip}: pull {pull:.3f} N, torque {torque:.4f} N m, thrust {thrusts[slip]:.3f}, sinkage {sinkages[-1]:.4f} m")
check(sinkages[2] > 1.1 * max(sinkages[:2]), f"sinkages {sinkages} do not grow with slip")


def janosi(slip, ratio):
    """Shear stress of a wheel over its normal stress: mean over the contact, `ratio` being its length over the modulus."""
    return math.tan(LOOSE) * (1 - (1 - math.exp(-slip * ratio)) / (slip * ratio))


ratio = min((sum((janosi(slip, r) - value) ** 2 for slip, value in thrusts.items()), r) for r in numpy.arange(1, 60, 0.1))[1]
for slip, value in thrusts.items():
    found("a wheel on grains", "Janosi, Hanamoto (1961) with the angle of the shear box", f"torque over arm and load, slip {slip}",
          f"`examples/wheel.json`; contact length over modulus fitted: {ratio:.1f}", value, janosi(slip, ratio), 0.12 * value)

# ---- Mistakes ----
for message, scene, *values in (
        ('--set speed: is "fast", expected a number', "plate", "speed=fast"), ("duration: is \"=settle + way/abs(speed)\", which gives inf", "plate", "speed=0"),
        ("fills[0].size.high: is 0.0015, expected more than low, 0.004 (m)", "penetrometer", "grain_low=0.004"),
        ("repeat.count: is \"=grousers\", which gives 0", "wheel", "grousers=0"), ("mass: is \"=load/g\", which gives 0", "wheel", "load=0"),
        ("table[3][0]: is \"=pull_from\", which gives 0.1, expected a time after that of the row before", "anchor", "pull_from=0.1")):
    refused(3, message, "check", os.path.join(SOURCE, "examples", f"{scene}.json"), *(word for value in values for word in ("--set", value)))
print("soil: ok")
