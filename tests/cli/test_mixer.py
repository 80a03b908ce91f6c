#!/usr/bin/python3 -B
# labels: slow
# examples/mixer.json mixes: of all contacts between grains, the share of those between unlike ones, over what it is for
# grains that are mixed at random, rises from 0 towards 1.
import os

from cli import SOURCE, check, equal, run_json, skip

try:
    import h5py
    import numpy
except ImportError:
    skip("h5py is not there")

report = run_json("run", os.path.join(SOURCE, "examples", "mixer.json"), "-o", "mixer.h5", "--quiet", "--threads", 1,
                  "--contacts", "--rate", 1, "--until", 7, "--set", "bodies=1500")
equal(report["bodies"], 1500, "bodies that stay in the drum")
with h5py.File("mixer.h5") as result:
    drum = 0.25  # m
    grains = numpy.sort(result["shapes"]["body"][result["shapes"]["kind"] == 0])
    equal(len(grains), 1500, "grains")
    blue = grains[len(grains) // 2]  # red ones come first
    index = []
    for frame in result["frames"]:
        rows = slice(int(frame["contact_first"]), int(frame["contact_first"] + frame["contact_count"]))
        pairs = result["contacts/body"][rows].T
        pairs = pairs[:, numpy.isin(pairs, grains).all(axis=0)]
        unlike = (pairs[0] < blue) != (pairs[1] < blue)
        index.append(float(numpy.mean(unlike)) / 0.5 if pairs.size else 0.0)
        print(f"{frame['time']:5.2f} s: mixing index {index[-1]:.3f} of {pairs.shape[1]} contacts")
    position = result["states/position"][int(frame["state_first"]):]
    body = result["states/body"][int(frame["state_first"]):]
    axis = numpy.hypot(position[:, 0], position[:, 2])[numpy.isin(body, grains)]
    check(axis.max() < drum / numpy.cos(numpy.pi / 24), f"a grain is {axis.max()} m from the drum's axis: it got out")

check(index[1] < 0.3, f"a second after the start the index is {index[1]} already")
check(index[-1] > 0.6, f"after {len(index) - 1} s the index is {index[-1]}: it does not mix")
check(all(later > earlier - 0.05 for earlier, later in zip(index, index[1:])), f"the index falls: {index}")
