#!/usr/bin/python3 -B
# labels: slow longer
# Memory of `talus render` per sphere, with motion blur; among the long tests a result of 10,000,000 spheres in 4 GB.
import os
import subprocess
import sys

import h5py
import numpy as np

from cli import LONG, SOURCE, TALUS, check, talus
from png import read_png

MOST = 400  # bytes per sphere


def peak(*arguments):
    """Peak memory of the command, in bytes: that of the largest child of a process that has no other."""
    script = ("import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]); "
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024); sys.exit(done.returncode)")
    done = subprocess.run([sys.executable, "-c", script, TALUS, *map(str, arguments)], capture_output=True, text=True, timeout=3000)
    check(done.returncode == 0, f"talus {arguments}: {done.returncode}, {done.stderr}")
    return int(done.stdout.split()[-1])


def draw(path):
    return peak("render", path, "-o", "large.png", "--size", "64x48", "--samples", 1, "--threads", 2, "--force", "--quiet")


# Two sizes, both above that from which frames are not kept: the difference is what spheres take.
sizes, used = (120000, 360000), []
for bodies in sizes:
    talus("run", os.path.join(SOURCE, "examples", "pile.json"), "--set", f"bodies={bodies}", "--until", 0.01, "--rate", 200, "--threads", 2,
          "-o", f"{bodies}.h5", "--quiet")
    used.append(draw(f"{bodies}.h5"))
    check(read_png("large.png").std() > 5, "the picture is empty")
each = (used[1] - used[0]) / (sizes[1] - sizes[0])
print(f"{each:.0f} bytes per sphere, with {used} bytes")
check(each < MOST, f"{each:.0f} bytes per sphere, not below {MOST}")
os.remove("120000.h5")

if LONG:
    # The same rows, 28 times: a run of so many would take more memory than this test may.
    times, source = 28, "360000.h5"
    with h5py.File(source) as small, h5py.File("ten.h5", "w", libver="latest") as large:
        for name, value in small.attrs.items():
            large.attrs.create(name, value, dtype=small.attrs.get_id(name).dtype)
        for name, item in small.items():
            if not isinstance(item, h5py.Group) and name not in ("bodies", "shapes", "frames"):
                small.copy(name, large)
            elif isinstance(item, h5py.Group) and name not in ("states", "contacts"):
                small.copy(name, large)
        frames = small["frames"][:]
        count = int(frames["state_count"][0])
        fixed = small["bodies"].shape[0] - count
        for name in ("bodies", "shapes"):
            rows = small[name][:]
            moving = rows[rows["body"] > fixed]
            out = large.create_dataset(name, (len(rows) + (times - 1) * len(moving),), rows.dtype, maxshape=(None,), chunks=small[name].chunks)
            out[:len(rows)] = rows
            for k in range(1, times):
                moving["body"] += count
                out[len(rows) + (k - 1) * len(moving):len(rows) + k * len(moving)] = moving
        total = times * count
        group = large.create_group("states")
        for name, column in small["states"].items():
            out = group.create_dataset(name, (len(frames) * total, *column.shape[1:]), column.dtype, maxshape=(None, *column.shape[1:]), chunks=column.chunks)
            for f in range(len(frames)):
                rows = column[int(frames["state_first"][f]):int(frames["state_first"][f]) + count]
                for k in range(times):
                    part = rows.copy()
                    if name == "body":
                        part += np.uint32(k * count)
                    elif name == "position":
                        part[:, 2] += 6.0 * k
                    out[f * total + k * count:f * total + (k + 1) * count] = part
        frames["state_first"] = np.arange(len(frames)) * total
        frames["state_count"] = total
        frames["bodies"] = large["bodies"].shape[0]
        frames["shapes"] = large["shapes"].shape[0]
        large.create_dataset("frames", data=frames, maxshape=(None,), chunks=small["frames"].chunks)
    ten = draw("ten.h5")
    print(f"{total} spheres: {ten / 1e9:.2f} GB")
    check(total >= 10000000 and ten < 4e9, f"{total} spheres take {ten / 1e9:.2f} GB, not below 4")
