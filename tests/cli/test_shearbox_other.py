#!/usr/bin/python3 -B
# labels: long
# The shear box of examples/shearbox.json and the same box, from the same places of the same grains, in LIGGGHTS: Hertz's
# springs, friction with history, and a lid that a controller holds at the same force. The shear stress over the normal stress,
# in the mean of the last half of the way, must agree within 10 %.
import os
import shutil
import subprocess

import h5py
import numpy

from cli import SOURCE, check, found, places, skip, talus

LENGTH, WIDTH, HEIGHT, FRICTION, STRESS = 0.12, 0.06, 0.08, 0.5, 10000
WALL, SPEED, WAY, PRESS = LENGTH / 4, 0.04, 0.012, 0.2
YOUNG, STEP, EVERY = 5e7, 1e-5, 20

if not shutil.which("liggghts"):
    skip("there is no liggghts")


def here():
    """The ratio of stresses over the way, and places and radii of the grains where the way begins."""
    talus("run", os.path.join(SOURCE, "examples", "shearbox.json"), "-o", "box.h5", "--quiet", "--set", f"speed={SPEED}",
          "--set", f"way={WAY}", timeout=36000)
    x, r = places("box.h5", PRESS, "grains")
    with h5py.File("box.h5") as file:
        names = [name.decode() for name in file["monitors/names"]]
        values = numpy.array(file["monitors/values"])
    return values[:, names.index("moved")], values[:, names.index("drag.x")], -values[:, names.index("drag.z")], values[-1, names.index("rise")], \
        numpy.array(x), numpy.array(r)


def stl(name, boxes):
    """Boxes, each of two corners, as a file of triangles."""
    with open(name, "w", encoding="ascii") as file:
        file.write("solid box\n")
        for low, high in boxes:
            for axis in range(3):
                u, v = (axis + 1) % 3, (axis + 2) % 3
                for side in (0, 1):
                    corners = []
                    for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        corner = [0, 0, 0]
                        corner[axis], corner[u], corner[v] = (low, high)[side][axis], (low, high)[a][u], (low, high)[b][v]
                        corners.append(corner)
                    for triangle in ((0, 1, 2), (0, 2, 3)):
                        file.write("facet normal 0 0 0\nouter loop\n")
                        for k in triangle:
                            file.write("vertex %.9g %.9g %.9g\n" % tuple(corners[k]))
                        file.write("endloop\nendfacet\n")
        file.write("endsolid box\n")


SCRIPT = """
units si
atom_style granular
boundary f f f
newton off
communicate single vel yes
read_data box.data
neighbor 0.001 bin
neigh_modify delay 0
fix a all property/global youngsModulus peratomtype {young} {young}
fix b all property/global poissonsRatio peratomtype 0.3 0.3
fix c all property/global coefficientRestitution peratomtypepair 2 0.1 0.1 0.1 0.1
fix d all property/global coefficientFriction peratomtypepair 2 {friction} 0 0 0
pair_style gran model hertz tangential history
pair_coeff * *
fix ends all mesh/surface/stress file ends.stl type 2
fix floor all mesh/surface/stress file floor.stl type 1
fix upper all mesh/surface file upper.stl type 2
fix lid all mesh/surface/stress/servo file lid.stl type 1 com 0 0 {lid} ctrlPV force axis 0 0 -1 target_val {force} vel_max 0.02 kp 5
fix walls all wall/gran model hertz tangential history mesh n_meshes 4 meshes ends floor upper lid
fix front all wall/gran model hertz tangential history primitive type 2 yplane {front}
fix back all wall/gran model hertz tangential history primitive type 2 yplane {back}
fix i all nve/sphere
timestep {step}
thermo 2000
run {press}
fix m1 all move/mesh mesh ends linear -{speed} 0 0
fix m2 all move/mesh mesh floor linear -{speed} 0 0
variable x equal f_ends[1]+f_floor[1]
variable z equal f_ends[3]+f_floor[3]
variable l equal f_lid[3]
fix p all print {every} "$x $z $l" file force.txt screen no
run {steps}
"""


def there(x, r, top):
    with open("box.data", "w", encoding="ascii") as file:
        file.write(f"box\n\n{len(x)} atoms\n2 atom types\n\n-0.2 0.2 xlo xhi\n-0.1 0.1 ylo yhi\n-0.1 0.2 zlo zhi\n\nAtoms\n\n")
        for i, (place, radius) in enumerate(zip(x, r)):
            file.write(f"{i + 1} 1 {2 * radius:.9g} 2600 {place[0]:.9g} {place[1]:.9g} {place[2]:.9g}\n")
    a, b, w = LENGTH / 2, LENGTH / 2 + WALL, WIDTH
    stl("ends.stl", (((-b, -w, -HEIGHT / 2), (-a, w, 0)), ((a, -w, -HEIGHT / 2), (b, w, 0))))
    stl("floor.stl", (((-b, -w, -HEIGHT / 2 - WALL), (b, w, -HEIGHT / 2)),))
    stl("upper.stl", (((-b, -w, 0), (-a, w, HEIGHT)), ((a, -w, 0), (b, w, HEIGHT))))
    stl("lid.stl", (((-a, -w / 2, top), (a, w / 2, top + 0.01)),))
    with open("box.in", "w", encoding="ascii") as file:
        file.write(SCRIPT.format(young=YOUNG, friction=FRICTION, lid=top, force=STRESS * LENGTH * WIDTH, front=-WIDTH / 2, back=WIDTH / 2,
                                 step=STEP, press=2000, speed=SPEED, every=EVERY, steps=round(WAY / SPEED / STEP)))
    done = subprocess.run(["liggghts", "-in", "box.in"], capture_output=True, text=True, timeout=36000)
    check(done.returncode == 0, "liggghts: " + done.stdout[-2000:] + done.stderr[-2000:])
    return numpy.loadtxt("force.txt", comments="#")


moved, drag, load, rise, x, r = here()
forces = there(x, r, float((x[:, 2] + r).max()) + 1e-6)
way = numpy.arange(1, len(forces) + 1) * STEP * EVERY * SPEED
for first, last in ((0.002, 0.004), (0.004, 0.006), (0.006, 0.009), (0.009, 0.012)):
    ours, theirs = (moved > first) & (moved <= last), (way > first) & (way <= last)
    print(f"{first} to {last} m: {drag[ours].mean() / load[ours].mean():.4f} here, "
          f"{forces[theirs, 0].mean() / -forces[theirs, 1].mean():.4f} there; load {-forces[theirs, 1].mean():.2f} N, lid {forces[theirs, 2].mean():.2f} N")
ours, theirs = moved > WAY / 2, way > WAY / 2
wanted = -forces[theirs, 0].mean() / forces[theirs, 1].mean()
found("direct shear of 2,711 spheres", "LIGGGHTS 3.8 from the same places", "shear stress over normal stress, mean of the last half",
      "friction 0.5, 10 kPa; there springs of 50 MPa", drag[ours].mean() / load[ours].mean(), wanted, 0.1 * wanted, "`examples/shearbox.json`")
print("shear box: ok")
