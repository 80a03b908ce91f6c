#!/usr/bin/python3 -B
# labels: slow
# The table of docs/penalty.md: as Young's modulus grows, a pile under penalty contact approaches that of hard contact. Overlaps and
# what the top lacks in height fall as E^(-2/3), and the walls carry what they carry there. With --all the table up to 1e9 Pa.
import json
import sys

import h5py
import numpy

from cli import check, found, run_json, talus

RADIUS, DENSITY, SIDE, APART = 0.005, 2500, 4, 0.01  # balls of the lowest layer along a side, and how far apart they are
COUNT = sum(k * k for k in range(1, SIDE + 1))
WEIGHT = COUNT * DENSITY * 4 / 3 * numpy.pi * RADIUS ** 3 * 9.81


def pile(stepper, young):
    """Height of the top (m), mean overlap (m), and load of the floor and of a side wall over the weight, at rest: a square pyramid,
    each ball on four, without friction, held by walls."""
    rise = (4 * RADIUS ** 2 - APART ** 2 / 2) ** 0.5
    places = [[APART * (i - (n - 1) / 2), APART * (j - (n - 1) / 2), RADIUS + rise * (SIDE - n)]
              for n in range(SIDE, 0, -1) for i in range(n) for j in range(n)]
    half, quarter = APART * (SIDE - 1) / 2 + RADIUS, 0.5 ** 0.5
    walls = [([0, 0, 0], [1, 0, 0, 0]), ([-half, 0, 0], [quarter, 0, quarter, 0]), ([half, 0, 0], [quarter, 0, -quarter, 0]),
             ([0, -half, 0], [quarter, -quarter, 0, 0]), ([0, half, 0], [quarter, quarter, 0, 0])]
    scene = {"version": 1, "step": 0.001, "duration": 1, "record": {"rate": 10},
             "settings": {"stepper": stepper, "precision": "double"} | ({"penalty": {"law": "hertz"}} if stepper == "penalty" else {}),
             "solver": {"iterations": 500, "tolerance": 1e-9},
             "materials": {"m": {"friction": 0, "restitution": 0, "young_modulus": young}},
             "bodies": [{"name": "box", "kind": "fixed", "shapes": [{"kind": "plane", "material": "m", "position": x, "orientation": q}
                                                                   for x, q in walls]},
                        {"positions": places, "density": DENSITY, "shapes": [{"kind": "sphere", "radius": RADIUS, "material": "m"}]}],
             "monitors": {"floor": {"kind": "force", "on": "box", "shape": 0}, "wall": {"kind": "force", "on": "box", "shape": 1}}}
    with open("pile.json", "w", encoding="ascii") as file:
        json.dump(scene, file)
    talus("run", "pile.json", "-o", "pile.h5", "--force", "--quiet", timeout=3600)
    with h5py.File("pile.h5") as file:
        frame = file["frames"][-1]
        z = file["states/position"][frame["state_first"]:frame["state_first"] + frame["state_count"], 2]
        overlap = file["steps"]["mean_penetration"][-20:].mean()
        names = [name.decode() for name in file["monitors/names"]]
        loads = numpy.array(file["monitors/values"]).reshape(-1, len(names))[-50:].mean(axis=0)
        substeps = int(file["steps"]["substeps"][-1])
    return z.max(), overlap, -loads[names.index("floor.z")] / WEIGHT, abs(loads[names.index("wall.x")]) / WEIGHT, substeps


# Substeps that are too long are told with the limit and the material.
balls = [{"position": [k, 0, 1], "shapes": [{"kind": "sphere", "radius": 0.01, "material": name}]} for k, name in enumerate(("gravel", "dust"))]
with open("long.json", "w", encoding="ascii") as file:
    json.dump({"version": 1, "duration": 0.01, "settings": {"stepper": "penalty", "penalty": {"substeps": 1}}, "bodies": balls,
               "materials": {"dust": {"young_modulus": 1e6}, "gravel": {"young_modulus": 1e9}}}, file)
said = talus("run", "long.json", "-o", "long.h5").stderr
check("longer than 0.2 of the time of Rayleigh's waves of material 2" in said and 'material 2 is "gravel"' in said, said)

warnings = run_json("run", "long.json", "--no-record", "--quiet")["warnings"]
check(len(warnings) == 1 and 'material 2 is "gravel"' in warnings[0], f"{warnings}")

moduli = [1e6, 1e7, 1e8] + ([1e9] if "--all" in sys.argv else [])
hard = pile("dvi", 1e8)
rows = [pile("penalty", young) for young in moduli]
print("| E, Pa | substeps of 1 ms | top below that of `dvi`, mm | mean overlap, mm | floor over weight | wall over weight |")
for young, (top, overlap, floor, wall, substeps) in list(zip(moduli, rows)) + [("`dvi`", hard)]:
    name = young if isinstance(young, str) else f"{young:.0e}"
    print(f"| {name} | {substeps} | {1e3 * (hard[0] - top):.5f} | {1e3 * overlap:.3g} | {floor:.5f} | {wall:.5f} |")
what, how = f"a pile of {COUNT} balls between walls, E = 1e6, 1e7, 1e8 Pa", "penalty, hertz, at rest"
for k in range(1, len(rows)):
    found(what, "Hertz: 10^(-2/3)", "mean overlap over that at a tenth of E", how, rows[k][1] / rows[k - 1][1], 10 ** (-2 / 3), 0.005)
    found(what, "Hertz: 10^(-2/3)", "how far the top is below that of dvi, over that at a tenth of E", how,
          (hard[0] - rows[k][0]) / (hard[0] - rows[k - 1][0]), 10 ** (-2 / 3), 0.02)
for name, row in zip(moduli, rows):
    found(what, "the weight", "load of the floor over the weight", f"E = {name:.0e} Pa", row[2], 1, 1e-4)
found(what, "dvi", "load of a side wall over the weight", how, rows[-1][3], hard[3], 0.03 * hard[3])  # it takes one of those that balance
print("stiffness: ok")
