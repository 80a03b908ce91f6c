#!/usr/bin/python3 -B
# labels: slow
# The drum of examples/drum.json turns as its file says: spun up by a ramp, reversed by an event, rocked by an
# expression. Its panels keep together about the axis, and the grains lean to the side that it takes them to.
import math
import os

from cli import SOURCE, check, found, run_json, skip

try:
    import h5py
    import numpy
except ImportError:
    skip("h5py is not there")

SPEED, RAMP, TURN, DRUM, PANELS = 4, 1, 2.5, 0.15, 24


def ramp(t, first, last):
    """The angle of a velocity that goes from one to another within RAMP."""
    gained = 0.5 * t * t / RAMP if t < RAMP else t - 0.5 * RAMP
    return first * t + (last - first) * gained


def angle(t):
    """The drum's angle at time t."""
    if t <= TURN:
        return ramp(t, 0, SPEED)
    if t <= TURN + 2:
        return angle(TURN) + ramp(t - TURN, SPEED, -SPEED)
    t -= TURN + 2
    return angle(TURN + 2) - SPEED / 6 * math.exp(-t / 2) * math.sin(6 * t)


run_json("run", os.path.join(SOURCE, "examples", "drum.json"), "-o", "drum.h5", "--quiet", "--threads", 1,
         "--rate", 20, "--until", 5.2, "--set", "bodies=500")
lean, worst = {}, 0.0
with h5py.File("drum.h5") as result:
    spheres = {int(shape["body"]) for shape in result["shapes"] if shape["kind"] == 0}
    for frame in result["frames"]:
        part = slice(int(frame["state_first"]), int(frame["state_first"] + frame["state_count"]))
        body, place = result["states/body"][part], result["states/position"][part]
        turned = angle(float(frame["time"]))
        for i in range(PANELS):
            at = turned + 2 * math.pi * i / PANELS
            wanted = numpy.array([DRUM * math.cos(at), 0, -DRUM * math.sin(at)])
            off = numpy.abs(place[body == 1 + i][0] - wanted).max()
            check(off < 1e-9, f"panel {i} is {off} m from its place at {frame['time']} s")
            worst = max(worst, float(off))
        grains = place[numpy.isin(body, list(spheres))]
        radii = numpy.hypot(grains[:, 0], grains[:, 2])
        check(radii.max() < 1.01 * DRUM, f"a grain is {radii.max()} m from the axis at {frame['time']} s")
        lean[round(float(frame["time"]), 3)] = float(grains[:, 0].mean())
for time in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0):
    print(f"{time:4.1f} s: the drum at {angle(time):6.3f} rad, the grains lean {1000 * lean[time]:5.1f} mm")
found("a drum of 24 panels is spun up, reversed and rocked", "closed form: its angle", "largest error of a panel's place, m",
      "`examples/drum.json`, 500 grains, 5.2 s", worst, 0, 1e-9)
check(lean[2.0] < -0.02 and lean[4.0] > 0.02, f"the grains lean {lean[2.0]} m, then {lean[4.0]} m, not to either side")
