#!/usr/bin/python3 -B
# Monitors from the command line: what run tells at its end, what the result holds and what export and info make of
# it agree; momentum is kept between frames; a run that was stopped and resumed gives the same bytes.
import csv
import json
import math

from cli import check, equal, refused, run_json, scene, skip, talus

try:
    import h5py
except ImportError:
    skip("h5py is not there")

report = run_json("run", scene("monitors"), "-o", "whole.h5", "--threads", 1, "--quiet")
told = report["monitors"]
with h5py.File("whole.h5") as result:
    names = [name.decode() for name in result["monitors/names"]]
    units = [unit.decode() for unit in result["monitors/units"]]
    values = result["monitors/values"][:]
    times = result["steps"]["time"]
equal(list(told), names, "channels that run told")
equal(names[:8], [f"ground.{c}" for c in ("x", "y", "z", "magnitude")] + [f"ball.{c}" for c in
                                                                           ("x", "y", "z", "magnitude")], "channels")
equal(values.shape, (report["steps"], len(names)), "steps and channels of the result")
column = dict(zip(names, values.T))
for name, unit in zip(names, units):
    equal(told[name]["unit"], unit, f"unit of {name}")
    if name.startswith("none."):
        equal([told[name][key] for key in ("last", "least", "greatest")], [None] * 3, name)
        check(all(math.isnan(x) for x in column[name]), f"{name} has a value")
        continue
    equal(told[name]["last"], column[name][-1], f"last {name}")
    equal(told[name]["least"], column[name].min(), f"least {name}")
    equal(told[name]["greatest"], column[name].max(), f"greatest {name}")

# The ball bounced: between frames, in one step; and all of its momentum is in the force.
change = 2 * (column["ball.z"][-1] + 2 + 9.81 * times[-1])
check(abs(column["impulse"][-1] + change) < 1e-4, f"impulse {column['impulse'][-1]}, momentum {-change}")
check(column["peak"][-1] < -1000, f"peak {column['peak'][-1]}")
equal(told["mass"]["last"], column["peak"][-1] / 9.81, "an expression with a parameter")
equal(told["poured.count"]["last"], 20, "bodies poured")
equal(told["fallen.count"]["last"], 20, "bodies fallen")
check(abs(told["fallen.total"]["last"] - told["poured.mass"]["last"]) < 1e-9, "mass fallen")

# info and export.
equal(json.loads(talus("info", "whole.h5", "--json").stdout)["monitors"], told, "what info tells")
check("peak                 last -" in talus("info", "whole.h5").stdout, "info without --json")
talus("export", "whole.h5", "-o", "whole.csv", "--format", "monitors")
with open("whole.csv", newline="") as file:
    lines = list(csv.DictReader(file))
equal(len(lines), report["steps"], "lines of the CSV file")
heads = [f"{name} [{unit}]" if unit else name for name, unit in zip(names, units)]
equal(list(lines[0]), ["step", "time [s]"] + heads, "the header")
for line, row, time in zip(lines, values, times):
    equal(float(line["time [s]"]), time, "time")
    equal([float(line[head] or "nan") for head in heads][:12], list(row)[:12], "a line")
    equal(line["none.mean [m/s]"], "", "a value that is none")
talus("export", "whole.h5", "-o", "some.csv", "--format", "monitors", "--from", 0.1, "--to", 0.2)
with open("some.csv", newline="") as file:
    equal(len(list(csv.DictReader(file))), 21, "lines from 0.1 to 0.2 s")

# Stopped at 0.3 s and resumed: the same bytes, and the same last, least and greatest values.
talus("run", scene("monitors"), "-o", "part.h5", "--until", 0.3, "--quiet")
equal(run_json("resume", "part.h5", "--until", 0.6, "--threads", 2, "--quiet")["monitors"], told, "after resuming")
talus("export", "part.h5", "-o", "part.csv", "--format", "monitors")
with open("whole.csv", "rb") as whole, open("part.csv", "rb") as part:
    check(whole.read() == part.read(), "a resumed run measures something else")

# A result without monitors, and without contacts.
talus("run", scene("pour"), "--until", 0.1, "--quiet")
refused(3, "pour.h5: its scene has no monitors to export", "export", "pour.h5", "-o", "none.csv", "--format",
        "monitors")
refused(3, "pour.h5: it has no contacts to export; talus run --contacts", "export", "pour.h5", "-o", "none.csv", "--format",
        "contacts")
