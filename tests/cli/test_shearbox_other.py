#!/usr/bin/python3 -B
# labels: long
# The shear box of examples/shearbox.json and the same box, from the same places of the same grains, in LIGGGHTS: Hertz's
# springs, friction with history, and a lid that a controller holds at the same force. The shear stress over the normal stress,
# in the mean of the last half of the way, must agree within 10 %.
import os

import h5py
import numpy

from cli import SOURCE, found, places, talus
from liggghts import liggghts, stl

LENGTH, WIDTH, HEIGHT, FRICTION, STRESS = 0.12, 0.06, 0.08, 0.5, 10000
WALL, SPEED, WAY, PRESS = LENGTH / 4, 0.04, 0.012, 0.2
YOUNG, STEP, EVERY = 5e7, 1e-5, 20


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


def boxes(*corners):
    """The triangles of boxes, each of its lowest and its highest corner."""
    triangles = []
    for low, high in corners:
        for axis in range(3):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            for side in (0, 1):
                face = []
                for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                    corner = [0, 0, 0]
                    corner[axis], corner[u], corner[v] = (low, high)[side][axis], (low, high)[a][u], (low, high)[b][v]
                    face.append(corner)
                triangles += [[face[k] for k in triangle] for triangle in ((0, 1, 2), (0, 2, 3))]
    return triangles


SCRIPT = """
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
    a, b, w = LENGTH / 2, LENGTH / 2 + WALL, WIDTH
    stl("ends.stl", boxes(((-b, -w, -HEIGHT / 2), (-a, w, 0)), ((a, -w, -HEIGHT / 2), (b, w, 0))))
    stl("floor.stl", boxes(((-b, -w, -HEIGHT / 2 - WALL), (b, w, -HEIGHT / 2))))
    stl("upper.stl", boxes(((-b, -w, 0), (-a, w, HEIGHT)), ((a, -w, 0), (b, w, HEIGHT))))
    stl("lid.stl", boxes(((-a, -w / 2, top), (a, w / 2, top + 0.01))))
    script = SCRIPT.format(lid=top, force=STRESS * LENGTH * WIDTH, front=-WIDTH / 2, back=WIDTH / 2, step=STEP, press=2000, speed=SPEED,
                           every=EVERY, steps=round(WAY / SPEED / STEP))
    liggghts(x, r, 2600, ((-0.2, 0.2), (-0.1, 0.1), (-0.1, 0.2)), script, 0.001, YOUNG, FRICTION)
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
