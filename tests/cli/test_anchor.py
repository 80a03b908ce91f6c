#!/usr/bin/python3 -B
# labels: long
# The studies of the anchor (docs/machines.md): the orders that document 002 tells of Fig. 17 to 19. More torque goes deeper, and only the
# lowest comes up with 300 N; small pulls hold, 600 N creep (in five beds by 11 to 43 mm, and come to a near stop in
# some), 800 N speed up. The anchor as a mesh goes as deep as the one of primitives.
import csv
import os
import subprocess

import h5py
import numpy

from cli import SOURCE, TALUS, check, run_json


def study(name, folder):
    subprocess.run([os.path.join(SOURCE, "examples", "studies", name), folder, "--quiet"], env={**os.environ, "TALUS": TALUS}, check=True)
    with open(os.path.join(folder, "study.csv"), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def channel(result, name):
    with h5py.File(result) as file:
        return numpy.array(file["monitors/values"])[:, [key.decode() for key in file["monitors/names"]].index(name)]


# ---- Fig. 17 ----
rows = study("anchor-torque", "torques")
torques, deepest, last = ([float(row[key]) for row in rows] for key in ("torque", "deepest", "pulled_to"))
check(torques == sorted(torques) and len(torques) == 4, f"torques: {torques}")
check(all(b > a + 0.1 for a, b in zip(deepest, deepest[1:])), f"more torque does not go deeper: {torques}, {deepest}")
check(last[0] < 0, f"the lowest torque, {torques[0]} N m, holds the pull: it is {last[0]} m deep")
check(all(end > deep - 0.1 for end, deep in zip(last[1:], deepest[1:])), f"others come up: from {deepest} to {last}")

# ---- Fig. 18 and 19 ----
rows = study("anchor-pull", "pulls")
rise = {float(row["pull"]): float(row["rise"]) for row in rows}
speed = {pull: channel(os.path.join("pulls", f"pull={pull:g}.h5"), "guide.z_rate") for pull in rise}
check(rise[300] < 0.005 and rise[500] < 0.01, f"small pulls do not hold: {rise}")
check(abs(speed[300][-200:].mean()) < 1e-3 and abs(speed[500][-200:].mean()) < 1e-3, "small pulls do not come to rest")
check(max(0.01, 2 * rise[500]) < rise[600] < 0.1, f"600 N do not creep: {rise}")
check(0 < speed[600][-400:].mean() < 0.05, f"600 N do not creep: {speed[600][-400::100]} m/s")
check(speed[800][-1] > 2 * speed[800][-300] > 4 * speed[800][-600] > 0, f"800 N do not speed up: {speed[800][-600::300]}")
check(list(rise.values()) == sorted(rise.values()), f"rises: {rise}")

# ---- The mesh ----
# One bed's depths differ by up to 6 % between the two, as grains are few and large: means of three beds.
depths = []
for name, values in ("anchor", ["--set", "radius=0.25"]), ("anchor-mesh", []):
    of_bed = []
    for seed in 1, 2, 3:
        report = run_json("run", os.path.join(SOURCE, "examples", f"{name}.json"), *values, "--set", f"seed={seed}", "--until", 2.3,
                          "-o", f"{name}{seed}.h5", "--quiet", timeout=3600)
        check(report["status"] == "finished", f"{name}: {report}")
        of_bed.append(channel(f"{name}{seed}.h5", "depth")[-300:].mean())
    print(name, "depths in three beds:", *(f"{depth:.4f}" for depth in of_bed))
    depths.append(numpy.mean(of_bed))
check(abs(depths[0] - depths[1]) < 0.05 * depths[0], f"the anchor of primitives is {depths[0]} m deep, the mesh {depths[1]} m")
made = subprocess.run([os.path.join(SOURCE, "tools", "anchor-mesh")], capture_output=True, text=True, check=True).stdout
with open(os.path.join(SOURCE, "examples", "anchor.obj"), encoding="ascii") as file:
    check(file.read() == made, "examples/anchor.obj is not what tools/anchor-mesh writes")
print("the anchor's studies: ok")
