#!/usr/bin/python3 -B
# labels: long
# The cone of examples/penetrometer.json, and the same cone in the same grains, from the same places, in LIGGGHTS: Hertz's springs and
# friction with history. The aim is 10 % for the mean force on the way over three beds. It is not met: 1.036 N here and 0.907 N there, 14 %
# more (10, 12 and 21 % in the three beds), and the cause is not known. Half the step or four times the sweeps here change the first bed's
# 1.007 N to 1.012 and 0.996 N; springs ten times as stiff there change 0.912 to 0.919 N. So this guards 20 %, and makes no row of
# docs/validation.md.
import math
import os

import h5py
import numpy

from cli import SOURCE, check, places, talus
from liggghts import liggghts, stl

CONE, TANK, DEPTH, WALLS, SETTLE, SPEED, WAY = 0.01014, 0.04, 0.075, 24, 0.15, 0.06, 0.055
HEIGHT, ROD = CONE / math.tan(math.radians(15)), 0.78 * CONE
YOUNG, STEP, EVERY = 5e6, 4e-5, 5
SEEDS = (1, 2, 3)


def here(seed):
    """Depth of the tip and force on the cone in each step, and places and radii of the grains where the way begins."""
    arguments = []
    for key, value in (("speed", SPEED), ("way", WAY), ("tank", TANK), ("depth", DEPTH), ("grain_low", 0.0022), ("grain_high", 0.0026),
                       ("settle", SETTLE), ("record.rate", 20), ("seed", seed)):
        arguments += ["--set", f"{key}={value}"]
    talus("run", os.path.join(SOURCE, "examples", "penetrometer.json"), "-o", "cone.h5", "--force", "--quiet", *arguments, timeout=36000)
    x, r = places("cone.h5", SETTLE, "grains")
    with h5py.File("cone.h5") as file:
        names = [name.decode() for name in file["monitors/names"]]
        values = numpy.array(file["monitors/values"])
    return values[:, names.index("tip")], values[:, names.index("force.z")], numpy.array(x), numpy.array(r)


def ring(radius, z, sides, turned=0.0):
    return [(radius * math.cos(2 * math.pi * (k + turned) / sides), radius * math.sin(2 * math.pi * (k + turned) / sides), z) for k in range(sides)]


def band(low, high):
    """The triangles between two rings of as many corners."""
    n = len(low)
    return [t for k in range(n) for t in ((low[k], low[(k + 1) % n], high[(k + 1) % n]), (low[k], high[(k + 1) % n], high[k]))]


SCRIPT = """
pair_style gran model hertz tangential history
pair_coeff * *
fix g all gravity 9.81 vector 0 0 -1
fix tank all mesh/surface file tank.stl type 1
fix cone all mesh/surface/stress file cone.stl type 2
fix walls all wall/gran model hertz tangential history mesh n_meshes 2 meshes tank cone
fix floor all wall/gran model hertz tangential history primitive type 1 zplane -{depth}
fix i all nve/sphere
timestep {step}
thermo 2000
run 1500
fix m all move/mesh mesh cone linear 0 0 -{speed}
variable z equal f_cone[3]
fix p all print {every} "$z" file force.txt screen no
run {steps}
"""


def there(x, r):
    """The force on the cone, every few steps."""
    corner = TANK / math.cos(math.pi / WALLS)
    stl("tank.stl", band(ring(corner, -DEPTH, WALLS, 0.5), ring(corner, 0.05, WALLS, 0.5)))
    tip, base = [(0.0, 0.0, 0.0)] * 48, ring(CONE, HEIGHT, 48)
    stl("cone.stl", [(tip[k], base[(k + 1) % 48], base[k]) for k in range(48)] + band(base, ring(ROD, HEIGHT, 48))
        + band(ring(ROD, HEIGHT, 48), ring(ROD, HEIGHT + DEPTH, 48)))
    script = SCRIPT.format(depth=DEPTH, step=STEP, speed=SPEED, every=EVERY, steps=round(WAY / SPEED / STEP))
    liggghts(x, r, 2600, ((-0.06, 0.06), (-0.06, 0.06), (-0.09, 0.15)), script, 0.001, YOUNG, 0.5, 0.3)
    return numpy.loadtxt("force.txt", comments="#")


ours, theirs = [], []
for seed in SEEDS:
    tip, force, x, r = here(seed)
    other = there(x, r)
    way = numpy.arange(1, len(other) + 1) * STEP * EVERY * SPEED
    ours.append(force[tip > 0.02].mean())
    theirs.append(other[way > 0.02].mean())
    print(f"seed {seed}: {ours[-1]:.4f} N here, {theirs[-1]:.4f} N there")
here_mean, there_mean = sum(ours) / len(ours), sum(theirs) / len(theirs)
print(f"mean: {here_mean:.4f} N here, {there_mean:.4f} N there")
check(abs(here_mean - there_mean) < 0.2 * there_mean, f"the cone takes {here_mean} N, and {there_mean} N in LIGGGHTS")
print("cone: ok")
