#!/usr/bin/python3 -B
# labels: long
# Brightness of a picture against that of Cycles: a heap of balls on a square under an even sky and a lamp, all light that
# bounces between them; the mean and that of tiles within 1 %.
import json
import os
import shutil
import subprocess

import numpy as np

from cli import SOURCE, check, fail, found, talus
from exr import radiance

SAMPLES, SIZE, TILE = 1024, (128, 96), 32
if not shutil.which("blender"):
    fail("blender is not there; tools/deps test-long installs it")
balls = [[0.22 * x - 0.44, 0.22 * y - 0.44, 0.1, 0.1] for x in range(5) for y in range(5)]
balls += [[0.22 * x - 0.33, 0.22 * y - 0.33, 0.26, 0.1] for x in range(4) for y in range(4)]
balls += [[0.75, 0.1, 0.25, 0.25], [-0.2, -0.8, 0.15, 0.15]]
np.save("balls.npy", np.array(balls))
square = [[-3, -3, 0], [3, -3, 0], [3, 3, 0], [-3, 3, 0]]
camera = {"eye": [1.6, -2.6, 1.5], "target": [0.1, 0, 0.15], "fov": 35}
ALBEDO, SKY, LAMP, HEIGHT, HALF = 0.7, 0.4, 12.0, 2.0, 0.4

with open("balls.csv", "w") as file:
    file.write("x,y,z,radius\n" + "".join(f"{x!r},{y!r},{z!r},{r!r}\n" for x, y, z, r in balls))
with open("square.obj", "w") as file:
    file.write("".join("v {} {} {}\n".format(*v) for v in square) + "f 1 2 3\nf 1 3 4\n")
matte = {"kind": "diffuse", "color": [ALBEDO] * 3}
with open("look.json", "w") as file:
    json.dump({"size": SIZE, "shutter": 0, "samples": SAMPLES, "bounces": 0, "floor": None, "background": None, "sun": None, "color": {"by": ""}, "walls": "solid",
               "sky": {"kind": "uniform", "color": [1, 1, 1], "strength": SKY}, "moving": matte,
               "lights": [{"kind": "quad", "position": [0.3, -0.2, HEIGHT], "target": [0.3, -0.2, 0], "size": [2 * HALF, 2 * HALF], "strength": LAMP}],
               "camera": {"kind": "fixed", **camera}, "scene": [{"mesh": "square.obj", "material": matte}, {"inject": "bodies"}]}, file)
talus("render", "balls.csv", "--look", "look.json", "--exr", "-o", "ours.png", "--quiet", timeout=3000)
corners = [[0.3 - HALF, -0.2 - HALF, HEIGHT], [0.3 - HALF, -0.2 + HALF, HEIGHT], [0.3 + HALF, -0.2 + HALF, HEIGHT], [0.3 + HALF, -0.2 - HALF, HEIGHT]]
with open("scene.json", "w") as file:
    json.dump({"spheres": os.path.abspath("balls.npy"), "meshes": [[square, [[0, 1, 2, 3]]]], "albedo": ALBEDO, "sky": SKY,
               "light": {"corners": corners, "radiance": LAMP}, "camera": camera, "size": SIZE, "samples": SAMPLES, "bounces": 256,
               "threads": 2, "out": os.path.abspath("theirs.exr")}, file)
done = subprocess.run(["blender", "-b", "--factory-startup", "-P", os.path.join(SOURCE, "bench", "peers", "cycles.py"), "--", "scene.json"],
                      capture_output=True, text=True, timeout=3000)
check(os.path.exists("theirs.exr"), f"Cycles made no picture:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
ours, theirs = radiance("ours.exr"), radiance("theirs.exr")
check(ours.shape == theirs.shape == SIZE[::-1], f"sizes {ours.shape} and {theirs.shape}")
found("render: balls under a sky and a lamp, all bounces", "Cycles (Blender 3.4)", "mean radiance", f"{SAMPLES} samples per pixel",
      ours.mean(), theirs.mean(), 0.01 * theirs.mean(), "talus render")
worst = 0
for y in range(0, SIZE[1], TILE):
    for x in range(0, SIZE[0], TILE):
        a, b = (picture[y:y + TILE, x:x + TILE].mean() for picture in (ours, theirs))
        worst = max(worst, abs(a / b - 1))
        check(abs(a / b - 1) < 0.01, f"the tile at {x}, {y} has {a}, not {b} as Cycles")
print(f"mean {ours.mean():.5f} and {theirs.mean():.5f}; the worst tile differs by {100 * worst:.2f} %")
