#!/usr/bin/python3 -B
# labels: slow
# examples/sorter.json: a gate that collides with one group alone parts two kinds of balls, and sensors count them. Without
# the gate's mask both kinds run into it; with another one, the other kind.
import csv
import json
import os

from cli import SOURCE, check, equal, run_json, talus

with open(os.path.join(SOURCE, "examples", "sorter.json"), encoding="utf-8") as file:
    SCENE = json.load(file)


def sort(mask):
    """The channels of a run, by name, row by row."""
    for body in SCENE["bodies"]:
        if body["name"] == "gate":
            body["mask"] = mask
    with open("sorter.json", "w", encoding="utf-8") as file:
        json.dump(SCENE, file)
    run_json("run", "sorter.json", "-o", "sorter.h5", "--force", "--quiet", "--threads", 1)
    talus("export", "sorter.h5", "--format", "monitors", "-o", "sorter.csv", "--force")
    with open("sorter.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {key.split(" ")[0]: [float(row[key] or "nan") for row in rows] for key in rows[0]}


def counted(channels):
    """What is in the bins at the end: steel and plastic in the near one, steel and plastic in the far one."""
    return [int(channels[name][-1]) for name in ("near_steel.count", "near_plastic.count", "far_steel.count", "far_plastic.count")]


channels = sort("steel")
equal(counted(channels), [60, 0, 0, 60], "balls in the bins")
equal(channels["wrong"][-1], 0, "balls in the wrong bin")
check(max(channels["passing.count"]) >= 1, "nothing passed the light gate")
equal(channels["passing.count"][-1], 0, "balls in the light gate at the end")
equal(counted(sort("plastic")), [0, 60, 60, 0], "balls in the bins where plastic alone runs into the gate")
equal(counted(sort(["steel", "plastic"])), [60, 60, 0, 0], "balls in the bins where both run into the gate")
