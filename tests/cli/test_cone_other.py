#!/usr/bin/python3 -B
# labels: long
# The cone of examples/penetrometer.json, and the same cone in the same grains, from the same places, in LIGGGHTS: Hertz's springs and
# friction with history. The aim is 10 % for the mean force on the way over three beds. It is not met: 1.036 N here and 0.907 N there, 14 %
# more (10, 12 and 21 % in the three beds), and the cause is not known. Half the step or four times the sweeps here change the first bed's
# 1.007 N to 1.012 and 0.996 N; springs ten times as stiff there change 0.912 to 0.919 N. So this guards 20 %, and makes no row of
# docs/validation.md.
import math
import os
import shutil
import subprocess

import h5py
import numpy

from cli import SOURCE, check, places, skip, talus

CONE, TANK, DEPTH, WALLS, SETTLE, SPEED, WAY = 0.01014, 0.04, 0.075, 24, 0.15, 0.06, 0.055
HEIGHT, ROD = CONE / math.tan(math.radians(15)), 0.78 * CONE
YOUNG, STEP, EVERY = 5e6, 4e-5, 5
SEEDS = (1, 2, 3)

if not shutil.which("liggghts"):
    skip("there is no liggghts")


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


def stl(name, triangles):
    with open(name, "w", encoding="ascii") as file:
        file.write("solid s\n")
        for triangle in triangles:
            file.write("facet normal 0 0 0\nouter loop\n" + "".join("vertex %.9g %.9g %.9g\n" % corner for corner in triangle) + "endloop\nendfacet\n")
        file.write("endsolid s\n")


def ring(radius, z, sides, turned=0.0):
    return [(radius * math.cos(2 * math.pi * (k + turned) / sides), radius * math.sin(2 * math.pi * (k + turned) / sides), z) for k in range(sides)]


def band(low, high):
    """The triangles between two rings of as many corners."""
    n = len(low)
    return [t for k in range(n) for t in ((low[k], low[(k + 1) % n], high[(k + 1) % n]), (low[k], high[(k + 1) % n], high[k]))]


SCRIPT = """
units si
atom_style granular
boundary f f f
newton off
communicate single vel yes
read_data cone.data
neighbor 0.001 bin
neigh_modify delay 0
fix a all property/global youngsModulus peratomtype {young} {young}
fix b all property/global poissonsRatio peratomtype 0.3 0.3
fix c all property/global coefficientRestitution peratomtypepair 2 0.1 0.1 0.1 0.1
fix d all property/global coefficientFriction peratomtypepair 2 0.5 0.3 0.3 0.3
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
    with open("cone.data", "w", encoding="ascii") as file:
        file.write(f"cone\n\n{len(x)} atoms\n2 atom types\n\n-0.06 0.06 xlo xhi\n-0.06 0.06 ylo yhi\n-0.09 0.15 zlo zhi\n\nAtoms\n\n")
        for i, (place, radius) in enumerate(zip(x, r)):
            file.write(f"{i + 1} 1 {2 * radius:.9g} 2600 {place[0]:.9g} {place[1]:.9g} {place[2]:.9g}\n")
    corner = TANK / math.cos(math.pi / WALLS)
    stl("tank.stl", band(ring(corner, -DEPTH, WALLS, 0.5), ring(corner, 0.05, WALLS, 0.5)))
    tip, base = [(0.0, 0.0, 0.0)] * 48, ring(CONE, HEIGHT, 48)
    stl("cone.stl", [(tip[k], base[(k + 1) % 48], base[k]) for k in range(48)] + band(base, ring(ROD, HEIGHT, 48))
        + band(ring(ROD, HEIGHT, 48), ring(ROD, HEIGHT + DEPTH, 48)))
    with open("cone.in", "w", encoding="ascii") as file:
        file.write(SCRIPT.format(young=YOUNG, depth=DEPTH, step=STEP, speed=SPEED, every=EVERY, steps=round(WAY / SPEED / STEP)))
    done = subprocess.run(["liggghts", "-in", "cone.in"], capture_output=True, text=True, timeout=36000)
    check(done.returncode == 0, "liggghts: " + done.stdout[-2000:] + done.stderr[-2000:])
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
