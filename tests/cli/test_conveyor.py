#!/usr/bin/python3 -B
# labels: slow
# The belt of examples/conveyor.json: grains ride at its speed, all that are poured on it come to its end, and none does
# where it stands still.
import csv
import os

from cli import SOURCE, check, found, run_json, talus

EXAMPLE = os.path.join(SOURCE, "examples", "conveyor.json")


def carry(*more):
    """The channels of a run, by name, row by row."""
    run_json("run", EXAMPLE, "-o", "belt.h5", "--force", "--quiet", "--threads", 1, *more)
    talus("export", "belt.h5", "--format", "monitors", "-o", "belt.csv", "--force")
    with open("belt.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {key.split(" ")[0]: [float(row[key] or "nan") for row in rows] for key in rows[0]}


channels = carry("--set", "pour=2", "--set", "rate=100", "--set", "rolling=0.5", "--until", "4.5")
window = [v for t, v in zip(channels["time"], channels["riding.mean"]) if 1.8 < t < 2.2]
found("grains on a belt of 1.2 m/s that rises by 4 degrees", "closed form: the belt's speed", "mean speed, m/s",
      "`examples/conveyor.json`, h = 2 ms", sum(window) / len(window), 1.2, 0.01)
count = channels["carried.count"][-1]
check(count == 200, f"{count} of 200 grains were carried to the end")
channels = carry("--set", "speed=0", "--set", "pour=1", "--set", "rate=50", "--until", "2")
check(channels["carried.count"][-1] == 0, "grains were carried although the belt stands still")
