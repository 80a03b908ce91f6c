#!/usr/bin/python3 -B
# `talus compare`: what it tells of two results, against what is known by hand, and what it refuses.
import csv
import io
import json
import math
import shutil

import h5py

from cli import check, equal, refused, run_json, talus

G, MASS, RADIUS = 9.81, 2, 0.25
SCENE = {"version": 1, "title": "A ball at rest and one that falls", "duration": 0.5, "step": 0.005,
         "record": {"rate": 100, "contacts": True},
         "bodies": [{"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane"}]},
                    {"name": "rests", "position": [0, 0, RADIUS], "mass": MASS, "shapes": [{"kind": "sphere", "radius": RADIUS}]},
                    {"name": "falls", "position": [1, 0, 5], "mass": MASS,
                     "orientation": {"axis": [0, 1, 0], "angle": 30},
                     "shapes": [{"kind": "box", "size": [0.2, 0.4, 0.6]}]}]}
with open("two.json", "w", encoding="utf-8") as file:
    json.dump(SCENE, file)
talus("run", "two.json", "-o", "a.h5", "--quiet")
talus("run", "two.json", "-o", "b.h5", "--quiet", "--set", "step=0.001", "--set", "record.contacts=false")


def near(got, wanted, tolerance, what):
    check(abs(got - wanted) <= tolerance, f"{what}: {got}, not {wanted} within {tolerance}")


found = run_json("compare", "a.h5", "b.h5")
near(found["from"], 0, 1e-9, "from")
near(found["to"], 0.5, 1e-9, "to")
for side, step in (("a", 0.005), ("b", 0.001)):
    fallen = 0.5 * G * 0.5 * (0.5 + step)  # of steps of first order
    values = found[side]
    near(values["centre_of_mass_height"], (RADIUS + 5 - fallen) / 2, 1e-5, "centre of mass")
    near(values["top"], 5 - fallen + 0.1 * math.sin(math.pi / 6) + 0.3 * math.cos(math.pi / 6), 1e-5, "top")
    near(values["kinetic_energy"], MASS * (G * 0.5) ** 2 / 2, 1e-3, "kinetic energy")
    near(values["potential_energy"], MASS * G * (RADIUS + 5 - fallen), 1e-3, "potential energy")
    near(values["carried_weight"], 0.5, 1e-3, "carried weight")
    equal(values["steps"], round(0.5 / step), "steps")
    check(values["cost"] > 0 and values["worst_overlap"] < 1e-3 and values["mean_overlap"] <= values["worst_overlap"], f"{values}")
    equal((values["file"], values["stepper"], values["bodies"]), (f"{side}.h5", "dvi", 2), "what it is")
near(found["a"]["wall_force"], MASS * G, 0.05, "the force on walls")
equal((found["b"]["wall_force"], found["difference"]["wall_force"]), (None, None), "a force that was not recorded")
near(found["difference"]["top"], found["b"]["top"] - found["a"]["top"], 0, "a difference")

# A part of the time, as CSV and as a table.
rows = {row["quantity"]: row for row in csv.DictReader(io.StringIO(
    talus("compare", "a.h5", "b.h5", "--csv", "--from", 0.1, "--to", 0.2).stdout))}
equal((rows["steps"]["a"], rows["steps"]["b"], rows["wall_force"]["b"]), ("20", "100", ""), "steps of a part")
near(float(rows["kinetic_energy"]["a"]), MASS * (G * 0.2) ** 2 / 2, 1e-3, "kinetic energy at 0.2 s")
near(float(rows["centre_of_mass_height"]["b"]), (RADIUS + 5 - 0.5 * G * 0.2 * 0.201) / 2, 1e-5, "height at 0.2 s")
text = talus("compare", "a.h5", "b.h5").stdout
check(text.startswith("a: a.h5, dvi, ") and "from 0 to 0.5 s" in text and "talus run --contacts" in text, text)

# Two methods: steps of the one have substeps, and its ball rests a little deeper.
talus("run", "two.json", "-o", "soft.h5", "--quiet", "--stepper", "penalty", "--set", "settings.penalty.substeps=7")
found = run_json("compare", "a.h5", "soft.h5")
equal((found["b"]["stepper"], found["b"]["steps"], found["b"]["substeps"]), ("penalty", 100, 700), "substeps")
near(found["b"]["wall_force"], MASS * G, 0.02 * MASS * G, "the force on walls, by penalty contact")
check(found["a"]["mean_overlap"] < found["b"]["mean_overlap"] < 1e-3, f"overlaps: {found}")

# Results that cannot be compared.
talus("run", "two.json", "-o", "late.h5", "--quiet", "--until", 0.1)
refused(3, "compare: a.h5 and late.h5 have 0 to 0.1 s in common, of which --from 0.2 leaves nothing",
        "compare", "a.h5", "late.h5", "--from", 0.2)
refused(3, "compare: no step of a.h5 ends after 0.011 s and not after 0.012 s", "compare", "a.h5", "b.h5", "--from", 0.011,
        "--to", 0.012)
shutil.copy("a.h5", "moved.h5")
with h5py.File("moved.h5", "r+") as file:  # as a run that began at 7 s would have written it
    for name in ("steps", "frames"):
        table = file[name][:]
        table["time"] += 7
        file[name][:] = table
refused(3, "compare: no time in common: a.h5 covers 0 to 0.5 s, moved.h5 7 to 7.5 s", "compare", "a.h5", "moved.h5")
refused(2, "compare needs two RESULTs: talus compare A.h5 B.h5", "compare", "a.h5")
refused(2, "compare needs two RESULTs: talus compare A.h5 B.h5", "compare", "a.h5", "b.h5", "late.h5")
refused(2, "compare: --json and --csv contradict each other", "compare", "a.h5", "b.h5", "--json", "--csv")
refused(2, "compare: --to 1 is before --from 2", "compare", "a.h5", "b.h5", "--from", 2, "--to", 1)
refused(3, "compare: two.json is a scene, not a result", "compare", "a.h5", "two.json")
refused(4, "talus: none.h5: ", "compare", "a.h5", "none.h5")
SCENE["bodies"].append({"position": [5, 5, 5], "shapes": [{"kind": "sphere", "radius": 1}]})
with open("three.json", "w", encoding="utf-8") as file:
    json.dump(SCENE, file)
talus("run", "three.json", "--quiet")
done = talus("compare", "a.h5", "three.h5")
check("warning: a.h5 has 2 dynamic bodies, three.h5 3" in done.stderr, done.stderr)
