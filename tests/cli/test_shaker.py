#!/usr/bin/python3 -B
# labels: slow
# The light ball of examples/shaker.json rises from the bottom of the shaken grains to their top; without shaking it
# stays where it is.
import os

from cli import SOURCE, check, run_json, skip

try:
    import h5py
    import numpy
except ImportError:
    skip("h5py is not there")

UNTIL = 3.2


def heights(amplitude, until):
    """Times, heights of the ball's centre, and how high nine tenths of the grains lie, frame by frame."""
    path = f"{amplitude}.h5"
    run_json("run", os.path.join(SOURCE, "examples", "shaker.json"), "-o", path, "--quiet", "--threads", 1,
             "--rate", 20, "--until", until, "--set", f"amplitude={amplitude}")
    with h5py.File(path) as result:
        radius = {int(shape["body"]): shape["radius"] for shape in result["shapes"] if shape["kind"] == 0}
        ball = max(radius, key=radius.get)
        rows = []
        for frame in result["frames"]:
            part = slice(int(frame["state_first"]), int(frame["state_first"] + frame["state_count"]))
            body, height = result["states/body"][part], result["states/position"][part][:, 2]
            grains = numpy.isin(body, [index for index in radius if index != ball])
            rows.append((frame["time"], float(height[body == ball][0]), numpy.quantile(height[grains], 0.9)))
        return radius[ball], numpy.array(rows)


radius, light = heights(0.04, UNTIL)
check(abs(light[0, 1] - radius) < 1e-9, f"the ball starts at {light[0, 1]} m, not on the bottom")
for time, ball, top in light[::8]:
    print(f"{time:5.2f} s: the ball at {ball:.3f} m, the top of the grains at {top:.3f} m")
end = light[light[:, 0] > UNTIL - 0.5]
check(numpy.all(end[:, 1] > 3 * radius), f"the light ball is at {end[:, 1].min()} m at the end: it has not risen")
check(numpy.all(end[:, 1] > end[:, 2]), "the light ball is not on top of the grains")

_, still = heights(0, 1)
print(f"not shaken, it is at {still[-1, 1]:.4f} m after {still[-1, 0]:.1f} s")
check(numpy.all(still[:, 1] < 1.1 * radius), f"the ball is at {still[:, 1].max()} m although nothing shakes it")
