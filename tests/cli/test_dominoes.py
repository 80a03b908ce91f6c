#!/usr/bin/python3 -B
# labels: slow
# The dominoes of examples/dominoes.json: all fall, one after the other, at an even speed; dominoes four times as high
# fall twice as fast (the square root of gravity times height is the only speed there is), and a row that is not
# pushed stands.
import csv
import os

from cli import SOURCE, check, found, run_json, talus

EXAMPLE = os.path.join(SOURCE, "examples", "dominoes.json")


def fall(*more):
    """When the 20th and the 50th domino fell; how many did."""
    run_json("run", EXAMPLE, "-o", "row.h5", "--force", "--quiet", "--threads", 1, *more)
    talus("export", "row.h5", "--format", "monitors", "-o", "row.csv", "--force")
    with open("row.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    count = next(key for key in rows[0] if key.startswith("fallen.count"))
    time = next(key for key in rows[0] if key.startswith("time"))
    when = {}
    for row in rows:
        when.setdefault(round(float(row[count])), float(row[time]))
    return when.get(20), when.get(50), max(when)


first, last, fallen = fall()
check(fallen == 60, f"{fallen} of 60 dominoes fell")
speed = 30 * 0.025 / (last - first)
check(0.7 < speed < 1.3, f"the wave runs at {speed} m/s")
first, last, fallen = fall("--set", "height=0.2")
check(fallen == 60, f"{fallen} of 60 large dominoes fell")
found("a row of dominoes falls; another, four times as large", "similarity: speeds as the square root of lengths",
      "ratio of the speeds of the waves", "`examples/dominoes.json`, h = 0.5 and 1 ms", 30 * 0.1 / (last - first) / speed, 2, 0.04)
print(f"speed {speed} m/s")
_, _, fallen = fall("--set", "push=0", "--until", "0.5")
check(fallen == 0, f"{fallen} dominoes fell although nobody pushed")
