#!/usr/bin/python3 -B
# labels: long
# Penalty contact and LIGGGHTS, with the same law (Hertz's springs, friction with history, damping that may pull): single
# impacts must agree within 1e-4 of the speed, and a pile from the same places in height and mean overlap within 2 %; the floor
# carries the weight. Single impacts of balls also beside YADE (where it is there), which is another code (its damping never pulls, by a fit that gives a
# restitution to 1e-4): not of walls, whose
# curvature it takes for the ball's own.
import json
import os
import shutil
import subprocess

import h5py
import numpy

from cli import check, found, skip, talus

if not shutil.which("liggghts"):
    skip("there is no liggghts")

RADIUS, DENSITY, YOUNG, POISSON = 0.005, 2500, 1e7, 0.3

SCRIPT = """
units si
atom_style granular
boundary f f f
newton off
communicate single vel yes
read_data in.data
neighbor 0.002 bin
neigh_modify delay 0
fix a all property/global youngsModulus peratomtype {young}
fix b all property/global poissonsRatio peratomtype {poisson}
fix c all property/global coefficientRestitution peratomtypepair 1 {restitution}
fix d all property/global coefficientFriction peratomtypepair 1 {friction}
pair_style gran model hertz tangential history
pair_coeff * *
{walls}
{gravity}
fix i all nve/sphere
timestep {step}
thermo 10000
run {steps}
dump out all custom 1 out.txt id x y z vx vy vz omegax omegay omegaz
dump_modify out format "%d %.12g %.12g %.12g %.12g %.12g %.12g %.12g %.12g %.12g"
run 0
"""


def there(x, v, walls, gravity, restitution, friction, step, steps):
    """Places, velocities and spins at the end of a run of LIGGGHTS."""
    with open("in.data", "w", encoding="ascii") as file:
        file.write(f"grains\n\n{len(x)} atoms\n1 atom types\n\n-0.2 0.2 xlo xhi\n-0.2 0.2 ylo yhi\n-0.2 1 zlo zhi\n\nAtoms\n\n")
        for i, place in enumerate(x):
            file.write(f"{i + 1} 1 {2 * RADIUS:.12g} {DENSITY} " + " ".join(f"{c:.12g}" for c in place) + "\n")
        file.write("\nVelocities\n\n")
        for i, speed in enumerate(v):
            file.write(f"{i + 1} " + " ".join(f"{c:.12g}" for c in speed) + " 0 0 0\n")
    text = "\n".join(f"fix w{i} all wall/gran model hertz tangential history primitive type 1 {axis}plane {at}" for i, (axis, at) in enumerate(walls))
    with open("in.txt", "w", encoding="ascii") as file:
        file.write(SCRIPT.format(young=YOUNG, poisson=POISSON, restitution=restitution, friction=friction, walls=text, step=step, steps=steps,
                                 gravity=f"fix g all gravity {gravity} vector 0 0 -1" if gravity else ""))
    done = subprocess.run(["liggghts", "-in", "in.txt"], capture_output=True, text=True, timeout=36000)
    check(done.returncode == 0, "liggghts: " + done.stdout[-2000:] + done.stderr[-2000:])
    rows = numpy.loadtxt("out.txt", skiprows=9, ndmin=2)
    return rows[rows[:, 0].argsort()][:, 1:]


def here(x, v, walls, gravity, restitution, friction, step, substeps, duration, radii=None, attraction=True):
    """The same of Talus."""
    planes = []
    for axis, at in walls:
        index, side = "xyz".index(axis), -1 if at > 0 else 1
        normal, position = [0, 0, 0], [0, 0, 0]
        normal[index], position[index] = side, at
        turn = {(2, 1): [1, 0, 0, 0], (2, -1): [0, 1, 0, 0], (0, 1): [0.5 ** 0.5, 0, 0.5 ** 0.5, 0], (0, -1): [0.5 ** 0.5, 0, -0.5 ** 0.5, 0],
                (1, 1): [0.5 ** 0.5, -0.5 ** 0.5, 0, 0], (1, -1): [0.5 ** 0.5, 0.5 ** 0.5, 0, 0]}[(index, side)]
        planes.append({"kind": "plane", "material": "m", "position": position, "orientation": turn})
    scene = {"version": 1, "gravity": [0, 0, -gravity], "step": step, "duration": duration, "record": {"rate": 1 / duration, "contacts": True},
             "settings": {"stepper": "penalty", "precision": "double", "penalty": {"attraction": attraction, "substeps": substeps}},
             "materials": {"m": {"friction": friction, "restitution": restitution, "young_modulus": YOUNG, "poisson_ratio": POISSON}},
             "bodies": ([{"name": "walls", "kind": "fixed", "shapes": planes}] if planes else []) +
             [{"name": f"b{i}", "position": list(map(float, a)), "velocity": list(map(float, b)), "density": DENSITY,
               "shapes": [{"kind": "sphere", "radius": radii[i] if radii else RADIUS, "material": "m"}]} for i, (a, b) in enumerate(zip(x, v))],
             "monitors": {"load": {"kind": "force", "on": "walls", "shape": 0}} if planes else {}}
    with open("scene.json", "w", encoding="ascii") as file:
        json.dump(scene, file)
    talus("run", "scene.json", "-o", "here.h5", "--force", "--quiet", timeout=36000)
    talus("export", "here.h5", "-o", "here.csv", "--from", duration * 0.999, "--force", "--quiet")
    rows = numpy.genfromtxt("here.csv", delimiter=",", names=True)
    rows = numpy.atleast_1d(rows)
    load = 0
    if planes:
        with h5py.File("here.h5") as file:
            names = [name.decode() for name in file["monitors/names"]]
            load = numpy.array(file["monitors/values"])[-20:, names.index("load.z")].mean()
    return rows, load


def column(rows, *names):
    return numpy.array([rows[name] for name in names]).T


def impacts():
    for name, x, v, walls, restitution, friction in (
            ("head on", [[-0.005001, 0, 0.1], [0.005001, 0, 0.1]], [[0.5, 0, 0], [-0.5, 0, 0]], [], 0.5, 0.3),
            ("on a wall", [[0, 0, 0.005001]], [[0, 0, -1]], [("z", 0)], 0.8, 0.3),
            ("oblique, with slip", [[0, 0, 0.005001]], [[2, 0, -0.3]], [("z", 0)], 1, 0.3)):
        other = there(x, v, walls, 0, restitution, friction, 1e-7, 20000)
        rows, _ = here(x, v, walls, 0, restitution, friction, 1e-5, 100, 2e-3)
        names = rows.dtype.names
        speed = column(rows, *[n for n in names if n in ("vx", "vy", "vz")])[-len(x):]
        spin = column(rows, *[n for n in names if n in ("wx", "wy", "wz")])[-len(x):]
        size = numpy.abs(numpy.array(v)).max()
        for axis in (0, 2):
            found(f"an impact of a ball, {name}", "LIGGGHTS 3.8, Hertz's law with history", f"velocity after it along {'xyz'[axis]}, m/s",
                  "substep 0.1 us", speed[0, axis], other[0, 3 + axis], 1e-4 * size)
        if spin.size:
            found(f"an impact of a ball, {name}", "LIGGGHTS 3.8, Hertz's law with history", "spin after it, rad/s", "substep 0.1 us",
                  spin[0, 1], other[0, 7], 1e-4 * size / RADIUS)


def overlaps(x):
    total, count = 0.0, 0
    for i in range(len(x)):
        d = numpy.linalg.norm(x[i + 1:] - x[i], axis=1)
        deep = 2 * RADIUS - d
        total += deep[deep > 0].sum()
        count += (deep > 0).sum()
    return total / count


def pile():
    dice = numpy.random.default_rng(3)
    x = numpy.array([[0.011 * (i - 2.5), 0.011 * (j - 2.5), 0.006 + 0.011 * k] for k in range(6) for j in range(6) for i in range(6)])
    x[:, :2] += dice.uniform(-4e-4, 4e-4, (len(x), 2))
    v = numpy.zeros_like(x)
    walls = [("z", 0), ("x", -0.033), ("x", 0.033), ("y", -0.033), ("y", 0.033)]
    other = there(x, v, walls, 9.81, 0.3, 0.3, 1e-5, 40000)[:, :3]
    rows, load = here(x, v, walls, 9.81, 0.3, 0.3, 1e-3, 100, 0.4)
    ours = column(rows, "x", "y", "z")[-len(x):]
    weight = len(x) * DENSITY * 4 / 3 * numpy.pi * RADIUS ** 3 * 9.81
    what, against, how = "216 balls that fall into a box", "LIGGGHTS 3.8 from the same places", "E = 1e7 Pa, substep 10 us, after 0.4 s"
    found(what, against, "mean height, m", how, ours[:, 2].mean(), other[:, 2].mean(), 0.02 * other[:, 2].mean())
    found(what, against, "mean overlap, m", how, overlaps(ours), overlaps(other), 0.02 * overlaps(other))
    found(what, "the weight", "mean load of the floor over the weight", how, -load / weight, 1, 0.02)


YADE = """
import json
balls, step, steps = json.load(open("in.json"))
O.materials.append(FrictMat(young={young}, poisson={poisson}, frictionAngle={angle}, density={density}))
for x, v, r in balls:
    O.bodies.append(sphere(x, r))
    O.bodies[-1].state.vel = v
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb()]),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom()], [Ip2_FrictMat_FrictMat_MindlinPhys({damping})],
                    [Law2_ScGeom_MindlinPhys_Mindlin()]),
    NewtonIntegrator(damping=0, gravity=(0, 0, 0)),
]
O.dt = step
O.run(steps, True)
json.dump([list(b.state.vel) + list(b.state.angVel) for b in O.bodies], open("out.json", "w"))
"""


def yade():
    program = shutil.which("yade") or shutil.which("yade-batch")
    if not program:
        print("penalty: there is no yade")
        return
    for name, x, v, radii, restitution, friction in (
            ("head on", [[-0.005001, 0, 0], [0.005001, 0, 0]], [[0.5, 0, 0], [-0.5, 0, 0]], [RADIUS, RADIUS], 0.5, 0.3),
            ("head on, elastic", [[-0.005001, 0, 0], [0.005001, 0, 0]], [[0.5, 0, 0], [-0.5, 0, 0]], [RADIUS, RADIUS], 1, 0.3),
            ("of two sizes", [[-0.005001, 0, 0], [0.01, 0, 0]], [[1, 0, 0], [0, 0, 0]], [RADIUS, 2 * RADIUS], 0.8, 0.3),
            ("oblique, with slip", [[-0.005001, 0, 0], [0.005001, 0, 0]], [[0.15, 0, 1], [-0.15, 0, -1]], [RADIUS, RADIUS], 1, 0.3)):
        with open("in.json", "w", encoding="ascii") as file:
            json.dump([[[a, b, r] for a, b, r in zip(x, v, radii)], 1e-7, 20000], file)
        with open("in.py", "w", encoding="ascii") as file:
            file.write(YADE.format(young=YOUNG, poisson=POISSON, density=DENSITY,
                                   damping=f"en={restitution}, es={restitution}" if restitution < 1 else "", angle=float(numpy.arctan(friction))))
        done = subprocess.run([program, "-x", "-n", "in.py"], capture_output=True, text=True, timeout=3600, stdin=subprocess.DEVNULL)
        check(os.path.exists("out.json"), "yade: " + done.stdout[-2000:] + done.stderr[-2000:])
        with open("out.json", encoding="ascii") as file:
            other = numpy.array(json.load(file))
        os.remove("out.json")
        rows, _ = here(x, v, [], 0, restitution, friction, 1e-5, 100, 2e-3, radii=radii, attraction=False)
        speed = column(rows, "vx", "vy", "vz")[-len(x):]
        size = numpy.abs(numpy.array(v)).max()
        for axis in (0, 2):
            found(f"an impact of two balls, {name}", "YADE 2023.02a, Hertz and Mindlin", f"velocity after it along {'xyz'[axis]}, m/s",
                  "substep 0.1 us", speed[0, axis], other[0, axis], 1e-4 * size)


impacts()
yade()
pile()
print("penalty: ok")
