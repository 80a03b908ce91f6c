"""Makes a result with one solid of each kind on a fixed and on a dynamic body, or with very many of one kind: runs a
scene of balls and gives its bodies other shapes, with the tables that docs/result-format.md describes.

    make_shapes.py TALUS RESULT            each kind; prints their names by body
    make_shapes.py TALUS RESULT KIND N     N dynamic bodies of one kind ("sphere" or "box")
"""
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

KINDS = ["sphere", "plane", "box", "parallelogram", "capsule", "cylinder", "cone", "ellipsoid", "hull", "mesh", "heights"]

# name, kind, columns of /shapes
SOLIDS = [
    ("sphere", "sphere", {"radius": 0.4}),
    ("box", "box", {"half_extents": [0.5, 0.3, 0.2]}),
    ("rounded box", "box", {"half_extents": [0.5, 0.3, 0.3], "rounding": 0.12}),
    ("capsule", "capsule", {"radius": 0.25, "half_length": 0.35}),
    ("cylinder", "cylinder", {"radius": 0.35, "half_length": 0.4}),
    ("rounded cylinder", "cylinder", {"radius": 0.4, "half_length": 0.3, "rounding": 0.12}),
    ("cone", "cone", {"radius": 0.4, "half_length": 0.4}),
    ("ellipsoid", "ellipsoid", {"half_extents": [0.55, 0.3, 0.2]}),
    ("hull", "hull", {"geometry": 1}),
    ("rounded hull", "hull", {"geometry": 1, "rounding": 0.12}),
]
FIXED_ONLY = [
    ("parallelogram", "parallelogram", {"edge_u": [0.8, 0, 0], "edge_v": [0.2, 0.6, 0.2]}),
    ("mesh", "mesh", {"geometry": 2}),
    ("heights", "heights", {"geometry": 3}),
]


def octahedron():
    points = [[0.45, 0, 0], [-0.45, 0, 0], [0, 0.45, 0], [0, -0.45, 0], [0, 0, 0.45], [0, 0, -0.45]]
    faces = []
    for x, y, z in [(a, b, c) for a in (0, 1) for b in (2, 3) for c in (4, 5)]:
        faces.append([x, y, z] if (x + y + z) % 2 == 0 else [y, x, z])
    return points, faces


def funnel(n=24):
    ring = lambda r, z: [[r * math.cos(2 * math.pi * i / n), r * math.sin(2 * math.pi * i / n), z] for i in range(n)]
    faces = []
    for i in range(n):
        k = (i + 1) % n
        faces += [[i, k, n + k], [i, n + k, n + i]]
    return ring(0.15, -0.3) + ring(0.5, 0.4), faces


def hills(n=25, width=9.0):
    s = width / (n - 1)
    points = [[i * s, j * s, 0.25 * math.sin(1.3 * i * s) * math.cos(1.1 * j * s)] for j in range(n) for i in range(n)]
    faces = []
    for j in range(n - 1):
        for i in range(n - 1):
            a = j * n + i
            faces += [[a, a + 1, a + n + 1], [a, a + n + 1, a + n]]
    return points, faces


def run(talus, result, bodies):
    """A result of two frames in which bodies only turn."""
    scene = {"version": 1, "title": "Shapes", "step": 0.05, "duration": 0.1, "gravity": [0, 0, 0], "record": {"rate": 20},
             "materials": {"glass": {"friction": 0.3}, "steel": {"friction": 0.5}}, "bodies": bodies}
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "scene.json"), "w") as file:
            json.dump(scene, file)
        subprocess.run([os.path.abspath(talus), "run", "scene.json", "-o", "result.h5"], check=True, cwd=folder,
                       capture_output=True)
        shutil.move(os.path.join(folder, "result.h5"), result)


def reshape(result, rows):
    """Gives the shape of body i + 1 another kind and size: rows[i] is (kind, columns)."""
    with h5py.File(result, "r+") as file:
        shapes = file["shapes"][:]
        for i, (kind, columns) in enumerate(rows):
            row = shapes[i]
            row["kind"] = KINDS.index(kind)
            row["radius"] = 0
            for name, value in columns.items():
                row[name] = value
            shapes[i] = row
        file["shapes"][:] = shapes
        geometries = [(8, octahedron()), (9, funnel()), (10, hills())]
        group = file.create_group("geometries")
        table = lambda name, rows, kind: group.create_dataset(name, data=numpy.array(rows, kind), chunks=(64, 3), maxshape=(None, 3))
        table("list", [[kind, len(points), len(faces)] for kind, (points, faces) in geometries], "<u4")
        table("vertices", [p for _, (points, _) in geometries for p in points], "<f8")
        table("triangles", [f for _, (_, faces) in geometries for f in faces], "<u4")


def each(talus, result):
    bodies, rows, names = [], [], {}
    def add(name, shape, columns, where, **more):
        bodies.append({"name": name, "position": where, "shapes": [{"kind": "sphere", "radius": 0.1,
                       "material": "glass" if len(bodies) // 2 % 2 else "steel"}], **more})
        rows.append((shape, columns))
        names[name] = len(bodies)
    for i, (name, kind, columns) in enumerate(SOLIDS):
        x, y = 1.5 * (i % 5) - 3, 1.5 * (i // 5)
        add(name, kind, columns, [x, y - 2.2, 1], angular_velocity=[0.3, 0.2, 0.5], velocity=[0, 0, 0.1 * i])
        add("fixed " + name, kind, columns, [x, y + 1, 1], kind="fixed", orientation=[0.8, 0.4, 0.4, 0.2])
    for i, (name, kind, columns) in enumerate(FIXED_ONLY):
        where = [-4.5, -4.0, -0.4] if kind == "heights" else [4.2, 1.5 * i - 1.2, 0.8]
        add(name, kind, columns, where, kind="fixed")
    add("sensor", "box", {"half_extents": [0.3, 0.3, 0.3], "sensor": 1}, [4.2, -2.7, 1])
    run(talus, result, bodies)
    reshape(result, rows)
    print(json.dumps(names))


def many(talus, result, kind, count):
    side = math.ceil(count ** (1 / 3))
    at = lambda i: [0.1 * (i % side), 0.1 * (i // side % side), 0.1 * (i // side ** 2)]
    bodies = [{"position": at(i), "velocity": [0.1, 0, 0], "angular_velocity": [0, 0, 1],
               "shapes": [{"kind": "sphere", "radius": 0.045}]} for i in range(count)]
    run(talus, result, bodies)
    columns = {"sphere": {"radius": 0.045}, "box": {"half_extents": [0.036, 0.036, 0.036]}}[kind]
    reshape(result, [(kind, columns)] * count)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        each(sys.argv[1], sys.argv[2])
    else:
        many(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
