#!/usr/bin/python3 -B
# labels: slow longer
# Angles of repose. Grains rest between two smooth panes and two gates on a floor as rough as they are; the gates go, grains
# fall over both ends of the floor, and the slopes that stay are measured. Spheres with rolling friction: beside the formula
# that Zhou, Xu, Yu and Zulli fitted to their measurements and simulations. Ellipsoids, cubes and hulls, without rolling
# friction: their papers give trends that hold in any set-up, and numbers for their own alone, so trends are checked.
import json

import numpy

from cli import LONG, check, found, places, talus

D, FRICTION = 0.002, 0.5
HALF, DEPTH = 10 * D, 4 * D  # of the floor between the panes
COUNT = 700
FILLED, DRAINED = 0.7, 1.4  # s: when the gates go, and when slopes are at rest
SETTINGS = "d = 2 mm, friction 0.5, 700 grains, h = 1 ms"
ZHOU = "Zhou, Xu, Yu, Zulli, Powder Technology 125 (2002)"
ELLIPSOIDS = "Zhou, Zou, Pinson, Yu, Granular Matter 16 (2014)"
ANGULAR = "Estrada, Azema, Radjai, Taboada, Phys. Rev. E 84 (2011)"


def scene(shape, rolling, geometry):
    wall = lambda name, position, axis, angle: {
        "name": name, "kind": "fixed", "position": position, "orientation": {"axis": axis, "angle": angle},
        "shapes": [{"kind": "plane", "material": "glass"}]}
    return {
        "version": "1.1", "step": 0.001, "duration": DRAINED, "record": {"rate": 1 / FILLED},
        "materials": {"grain": {"friction": FRICTION, "rolling_friction": rolling}, "glass": {"friction": 0}},
        "pairs": [{"materials": ["grain", "glass"], "friction": 0, "restitution": 0}],
        "solver": {"iterations": 20, "position_iterations": 8},
        "geometries": geometry,
        "bodies": [
            {"name": "floor", "kind": "fixed", "position": [0, DEPTH / 2, -D],
             "shapes": [{"kind": "box", "size": [2 * HALF, 3 * DEPTH, 2 * D], "material": "grain"}]},
            wall("front", [0, 0, 0], [1, 0, 0], -90), wall("back", [0, DEPTH, 0], [1, 0, 0], 90),
            wall("right", [HALF, 0, 0], [0, 1, 0], -90), wall("left", [-HALF, 0, 0], [0, 1, 0], 90)],
        "fills": [{"name": "grains", "pattern": "grid", "gap": 0.2 * D, "jitter": 0.1 * D, "count": COUNT, "density": 2500, "material": "grain",
                   "region": {"kind": "box", "low": [-HALF, 0, 0], "high": [HALF, DEPTH, 80 * D]},
                   "templates": [{"shapes": [dict(shape, material="grain")]}]}],
        "events": [{"time": FILLED, "remove": ["left", "right"]}]}


def slopes(x):
    """Degrees, of the two sides: of a line through the highest grains of slices one diameter wide."""
    angles = []
    for side in (-1, 1):
        inwards = HALF - side * x[:, 0]
        middle, top = [], []
        for low in numpy.arange(0.1 * HALF, 0.9 * HALF - D, D):
            here = numpy.sort(x[(inwards >= low) & (inwards < low + D), 2])
            if len(here) > 2:
                middle.append(low + D / 2)
                top.append(here[-4:].mean())
        angles.append(numpy.degrees(numpy.arctan(numpy.polyfit(middle, top, 1)[0])))
    return angles


def repose(name, shape, rolling=0, geometry=None):
    """The mean of both slopes, degrees."""
    with open("heap.json", "w", encoding="utf-8") as file:
        json.dump(scene(shape, rolling, geometry or {}), file)
    talus("run", "heap.json", "-o", "heap.h5", "--force", "--quiet", "--threads", 1, timeout=3600)
    x = numpy.array(places("heap.h5", DRAINED, "grains")[0])
    check(len(x) == COUNT, f"{name}: {len(x)} grains, not {COUNT}")
    left, right = slopes(x[x[:, 2] > 0])
    print(f"{name}: {left:.1f} and {right:.1f} degrees")
    return (left + right) / 2


def sphere(rolling):
    return repose(f"spheres, rolling friction {rolling}", {"kind": "sphere", "radius": D / 2}, rolling)


def ellipsoid(aspect):
    """Two semi-axes are equal; the third is so many times as long. The volume is that of the sphere."""
    equal, other = D / 2 * aspect ** (-1 / 3), D / 2 * aspect ** (2 / 3)
    return repose(f"ellipsoids of aspect ratio {aspect}", {"kind": "ellipsoid", "radii": [equal, equal, other]})


def zhou(rolling):
    """68.61 mu_pp^0.27 mu_pw^0.22 r_pp^0.06 r_pw^0.12 d^-0.2: sliding friction of particles and walls, arms of rolling
    friction and d in mm. Between two spheres the arm is a quarter of d times the coefficient, on a wall half of it."""
    d = 1000 * D
    return 68.61 * FRICTION ** 0.49 * (rolling * d / 4) ** 0.06 * (rolling * d / 2) ** 0.12 * d ** -0.2


# What differs from the set-up of the formula, a rectangular container of glass beads of 2 to 10 mm that empties
# through openings: here grains fall over the ends of the floor, and the panes, 4 d apart, are smooth. As rough as grains, they carry
# them: 34.9 degrees at rolling friction 0.05 (thicker containers pile flatter: Zhou and others, Phys. Rev. E 64 (2001)), so
# smooth ones stand for a thick container. The two slopes of one pile differ by up to 6 degrees here. With
# little rolling friction grains roll off the bare floor: 17.5 degrees at 0.05, where the formula gives 23.8.
for rolling in (0.05, 0.1, 0.2) if LONG else (0.1,):
    found(f"spheres on a floor that ends, rolling friction {rolling}", f"published: {ZHOU}", "angle of repose, degrees",
          SETTINGS, sphere(rolling), zhou(rolling), 7)

least = sphere(0)
for row in ((1.4, 2), (0.7, 0.5)) if LONG else ((1.7,),):
    above = min(ellipsoid(aspect) for aspect in row) - least
    found(f"ellipsoids of aspect ratio {' and '.join(map(str, row))} on a floor that ends", f"published trend: {ELLIPSOIDS}",
          "1 where they pile steeper than spheres by 10 degrees", SETTINGS, above > 10, 1, 0)

edge = D * (numpy.pi / 6) ** (1 / 3)
octahedron = [[s * D / 2 * numpy.pi ** (1 / 3) if k == c else 0 for k in range(3)] for c in range(3) for s in (-1, 1)]
grains = {"cubes": ({"kind": "box", "size": [edge] * 3}, None),
          "octahedra": ({"kind": "hull", "geometry": "grain"}, {"grain": {"hull": octahedron}})}
if not LONG:
    del grains["cubes"]
for name, (shape, geometry) in grains.items():
    above = repose(name, shape, 0, geometry) - least
    found(f"{name} on a floor that ends, without rolling friction", f"published trend: {ANGULAR}: edges act as rolling friction",
          "1 where they pile steeper than spheres by 10 degrees", SETTINGS, above > 10, 1, 0)
