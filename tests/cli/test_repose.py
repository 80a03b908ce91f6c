#!/usr/bin/python3 -B
# labels: long
# A column of spheres between two smooth panes collapses and comes to rest as a slope. The same column, from the same
# places, in LIGGGHTS: Hertz's springs, friction with history and the same limits of rolling friction. Slopes and run-outs
# must agree, with little and with much rolling friction.
import csv
import json
import shutil
import subprocess

import numpy

from cli import check, found, skip, talus

D, DEPTH, FRICTION = 0.01, 0.06, 0.5
PACKED = 3000

if not shutil.which("liggghts"):
    skip("there is no liggghts")


def scene(rolling):
    """The column behind its gate, which is taken away after a second."""
    wall = lambda name, position, axis, angle, material: {
        "name": name, "kind": "fixed", "position": position, "orientation": {"axis": axis, "angle": angle},
        "shapes": [{"kind": "plane", "material": material}]}
    half = 90
    return {
        "version": "1.1", "step": 0.001, "duration": 4, "record": {"rate": 2},
        "materials": {"grain": {"friction": FRICTION, "rolling_friction": rolling}, "glass": {"friction": 0}},
        "pairs": [{"materials": ["grain", "glass"], "friction": 0, "restitution": 0}],
        "solver": {"iterations": 60, "position_iterations": 20},
        "bodies": [
            {"name": "floor", "kind": "fixed", "shapes": [{"kind": "plane", "material": "grain"}]},
            wall("back", [0, 0, 0], [0, 1, 0], half, "grain"),
            wall("left", [0, 0, 0], [1, 0, 0], -half, "glass"),
            wall("right", [0, DEPTH, 0], [1, 0, 0], half, "glass"),
            wall("gate", [0.12, 0, 0], [0, 1, 0], -half, "glass")],
        "fills": [{"name": "grains", "pattern": "close", "density": 2500, "material": "grain", "count": PACKED,
                   "region": {"kind": "box", "low": [0, 0, 0], "high": [0.12, DEPTH, 0.6]},
                   "size": {"kind": "uniform", "low": 0.45 * D, "high": 0.55 * D}}],
        "events": [{"time": 1, "remove": ["gate"]}]}


def profile(x, r):
    """Slope (degrees) of the surface, by the highest sphere in slices of two diameters, between 15 % and 85 % of the
    run-out; and the run-out, within which 98 % of the spheres are."""
    out = numpy.quantile(x[:, 0], 0.98)
    edges = numpy.arange(0.15 * out, 0.85 * out, 2 * D)
    middle, top = [], []
    for low, high in zip(edges[:-1], edges[1:]):
        here = (x[:, 0] >= low) & (x[:, 0] < high)
        if here.any():
            middle.append((low + high) / 2)
            top.append(numpy.sort((x[:, 2] + r)[here])[-5:].mean())
    return numpy.degrees(numpy.arctan(-numpy.polyfit(middle, top, 1)[0])), out


SCRIPT = """
units si
atom_style granular
boundary f f f
newton off
communicate single vel yes
read_data column.data
neighbor 0.002 bin
neigh_modify delay 0
fix a all property/global youngsModulus peratomtype 5e6 5e6
fix b all property/global poissonsRatio peratomtype 0.3 0.3
fix c all property/global coefficientRestitution peratomtypepair 2 0.1 0.1 0.1 0.1
fix d all property/global coefficientFriction peratomtypepair 2 {friction} 0 0 0
fix e all property/global coefficientRollingFriction peratomtypepair 2 {rolling} 0 0 0
pair_style gran model hertz tangential history rolling_friction epsd2
pair_coeff * *
fix g all gravity 9.81 vector 0 0 -1
fix floor all wall/gran model hertz tangential history rolling_friction epsd2 primitive type 1 zplane 0
fix back all wall/gran model hertz tangential history rolling_friction epsd2 primitive type 1 xplane 0
fix left all wall/gran model hertz tangential history rolling_friction epsd2 primitive type 2 yplane 0
fix right all wall/gran model hertz tangential history rolling_friction epsd2 primitive type 2 yplane {depth}
fix i all nve/sphere
timestep 4e-5
thermo 25000
run 75000
write_dump all custom column.dump id x y z radius
"""


def liggghts(x, r, rolling):
    """The spheres where they are three seconds after the gate is gone."""
    with open("column.data", "w", encoding="ascii") as file:
        file.write(f"column\n\n{len(x)} atoms\n2 atom types\n\n-0.1 3 xlo xhi\n-0.1 0.2 ylo yhi\n-0.1 1 zlo zhi\n\nAtoms\n\n")
        for i, (place, radius) in enumerate(zip(x, r)):
            file.write(f"{i + 1} 1 {2 * radius:.9g} 2500 {place[0]:.9g} {place[1]:.9g} {place[2]:.9g}\n")
    with open("column.in", "w", encoding="ascii") as file:
        file.write(SCRIPT.format(friction=FRICTION, rolling=rolling, depth=DEPTH))
    done = subprocess.run(["liggghts", "-in", "column.in"], capture_output=True, text=True, timeout=3600)
    check(done.returncode == 0, "liggghts: " + done.stdout[-2000:] + done.stderr[-2000:])
    rows = numpy.loadtxt("column.dump", skiprows=9)
    return rows[:, 1:4], rows[:, 4]


def places(time):
    """Places and radii of the spheres at a time."""
    talus("export", "column.h5", "--format", "csv", "--from", time, "--to", time, "--body", "grains", "-o", "column.csv",
          "--force")
    with open("column.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    key = lambda name: next(k for k in rows[0] if k.split(" ")[0] == name)
    x = numpy.array([[float(row[key(c)]) for c in "xyz"] for row in rows])
    return x, numpy.array([float(row[key("radius")]) for row in rows])


for rolling in (0.1, 0.4):
    with open("column.json", "w", encoding="utf-8") as file:
        json.dump(scene(rolling), file)
    talus("run", "column.json", "-o", "column.h5", "--force", "--quiet", timeout=3600)
    start, end = places(1), places(4)
    check(len(start[0]) == PACKED, f"{len(start[0])} spheres, not {PACKED}")
    slope, out = profile(*end)
    slope_there, out_there = profile(*liggghts(*start, rolling))
    name = f"a column of 3,000 spheres collapses, rolling friction {rolling}"
    settings = "friction 0.5, h = 1 ms; LIGGGHTS 3.8: Hertz, EPSD2, h = 0.04 ms"
    found(name, "LIGGGHTS from the same places", "slope at rest, degrees", settings, slope, slope_there, 1.5)
    found(name, "LIGGGHTS from the same places", "run-out over d", settings, out / D, out_there / D, 0.06 * out_there / D)
