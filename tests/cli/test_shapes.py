#!/usr/bin/python3 -B
"""Shapes of every kind in results: what info says of them, radii in tables, closed surfaces of the right volume for
ParaView, and refusals of rows and geometries that cannot be."""
import json
import math
import os
import struct
import sys

from cli import SOURCE, TALUS, check, equal, refused, skip, talus

try:
    import h5py
    import numpy
except ImportError:
    skip("h5py is not installed")

sys.path.insert(0, os.path.join(SOURCE, "tests", "viewer"))
import make_shapes

PI, R, O = math.pi, 0.12, 0.45
EDGE = 12 * O * math.sqrt(2)  # of the octahedron
# name: reach from the origin, volume; Steiner's formula for what is rounded
BENT = PI - math.acos(-1 / 3)  # between the normals of neighbouring faces of an octahedron
WANTED = {
    "box": (math.sqrt(0.25 + 0.09 + 0.04), 0.24),
    "rounded box": (math.hypot(0.38, 0.18, 0.18) + R, 0.76 * 0.36 * 0.36 + 2 * (2 * 0.76 * 0.36 + 0.36 ** 2) * R
                    + PI * (0.76 + 2 * 0.36) * R * R + 4 * PI / 3 * R ** 3),
    "capsule": (0.6, PI * 0.0625 * 0.7 + 4 * PI / 3 * 0.25 ** 3),
    "cylinder": (math.hypot(0.35, 0.4), PI * 0.35 ** 2 * 0.8),
    "rounded cylinder": (math.hypot(0.28, 0.18) + R, PI * 0.28 ** 2 * 0.36 + (2 * PI * 0.28 ** 2 + 2 * PI * 0.28 * 0.36) * R
                         + PI * (0.36 + PI * 0.28) * R * R + 4 * PI / 3 * R ** 3),
    "cone": (math.hypot(0.4, 0.4), PI * 0.16 * 0.8 / 3),
    "ellipsoid": (0.55, 4 * PI / 3 * 0.55 * 0.3 * 0.2),
    "hull": (O, 4 / 3 * O ** 3),
    "rounded hull": (O + R, 4 / 3 * O ** 3 + 8 * math.sqrt(3) / 4 * 2 * O * O * R + EDGE * BENT / 2 * R * R
                     + 4 * PI / 3 * R ** 3),
}


def read_vtp(path):
    """The arrays of a .vtp by name; those of polygons as "polys.connectivity" and "polys.offsets"."""
    with open(path, "rb") as file:
        data = file.read()
    head, raw = data.split(b'<AppendedData encoding="raw">\n_', 1)
    arrays, section = {}, ""
    types = {"Float64": "<f8", "Float32": "<f4", "UInt32": "<u4", "Int64": "<i8"}
    for line in head.decode().splitlines():
        if line.startswith("<Polys"):
            section = "polys."
        elif line.startswith("<Verts"):
            section = "verts."
        elif line.startswith("<DataArray"):
            field = dict(part.split("=", 1) for part in line[11:-2].replace('"', "").split())
            at = int(field["offset"])
            (size,) = struct.unpack_from("<Q", raw, at)
            values = numpy.frombuffer(raw, types[field["type"]], offset=at + 8, count=size // int(types[field["type"]][2]))
            arrays[section + field["Name"]] = values.reshape(-1, int(field["NumberOfComponents"]))
    return arrays


def triangles_of(vtp, body):
    """Of the polygons of a body; polygons with more corners are cut into fans."""
    out, start = [], 0
    corners = vtp["polys.connectivity"][:, 0]
    for end in vtp["polys.offsets"][:, 0]:
        loop = corners[start:end]
        start = end
        if vtp["body"][loop[0], 0] == body:
            out += [(loop[0], loop[i], loop[i + 1]) for i in range(1, len(loop) - 1)]
    return out


def look_at_surface(vtp, body, name, volume):
    points = vtp["points"]
    triangles = triangles_of(vtp, body)
    place = {}
    number = lambda i: place.setdefault(tuple(numpy.round(points[i], 9)), len(place))
    edges, total = {}, 0.0
    origin = points[triangles[0][0]]
    for corners in triangles:
        a, b, c = (points[i] - origin for i in corners)
        total += numpy.dot(a, numpy.cross(b, c)) / 6
        n = [number(i) for i in corners]
        for i, k in ((n[0], n[1]), (n[1], n[2]), (n[2], n[0])):
            edges[i, k] = edges.get((i, k), 0) + 1
    check(all(edges.get((k, i)) == count for (i, k), count in edges.items()), f"{name}: its surface is not closed")
    check(0.95 * volume < total <= volume * (1 + 1e-9), f"{name}: volume {total}, not {volume}")
    speed = numpy.linalg.norm(vtp["velocity"], axis=1)
    check(numpy.allclose(speed, vtp["speed"][:, 0], rtol=1e-5), f"{name}: speeds are not those of velocities")


def look_at_exports(result, names):
    talus("export", result, "-o", "all.csv")
    radius = {}
    with open("all.csv") as file:
        columns = file.readline().strip().split(",")
        for line in file:
            row = dict(zip(columns, line.strip().split(",")))
            radius[row["name"]] = float(row["radius"])
    talus("export", result, "-o", "all.pvd")
    moving = read_vtp("all_frames/moving_000000.vtp")
    fixed = read_vtp("all_frames/fixed_000000.vtp")
    for name, (reach, volume) in WANTED.items():
        check(abs(radius[name] - reach) < 1e-12, f"{name}: radius {radius[name]}, not {reach}")
        look_at_surface(moving, names[name], name, volume)
        look_at_surface(fixed, names["fixed " + name], "fixed " + name, volume)
    equal(len(triangles_of(fixed, names["heights"])), 1152, "triangles of the height field")
    equal(len(triangles_of(fixed, names["mesh"])), 48, "triangles of the mesh")
    # a point of a body that turns: v + w x arm
    at = numpy.nonzero(moving["body"][:, 0] == names["box"])[0]
    corner = moving["points"][at[0]] - numpy.array([-1.5, -2.2, 1])
    wanted = numpy.array([0, 0, 0.1]) + numpy.cross([0.3, 0.2, 0.5], corner)
    check(numpy.allclose(moving["velocity"][at[0]], wanted, atol=1e-6), f"{moving['velocity'][at[0]]}, not {wanted}")


def spoilt(result, spoil, message):
    with open(result, "rb") as file:
        data = file.read()
    with open("bad.h5", "wb") as file:
        file.write(data)
    with h5py.File("bad.h5", "r+") as file:
        spoil(file)
    refused(3, message, "export", "bad.h5", "-o", "bad.csv", "--force")


def change_shape(row, **columns):
    def spoil(file):
        shapes = file["shapes"][:]
        for name, value in columns.items():
            shapes[name][row] = value
        file["shapes"][:] = shapes
    return spoil


def change(table, row, column, value):
    def spoil(file):
        file["geometries"][table][row, column] = value
    return spoil


def look_at_refusals(result, names):
    row = {name: index - 1 for name, index in names.items()}
    spoilt(result, change_shape(row["hull"], geometry=4), f"/shapes[{row['hull']}]: its geometry is not in /geometries/list")
    spoilt(result, change_shape(row["hull"], geometry=2), f"/shapes[{row['hull']}]: its geometry is of another kind")
    spoilt(result, change_shape(row["capsule"], half_length=0), "radius and half_length must be above 0")
    spoilt(result, change_shape(row["cone"], radius=-1), "radius and half_length must be above 0")
    spoilt(result, change_shape(row["box"], rounding=0.3), "its rounding is too large or below 0")
    spoilt(result, change_shape(row["ellipsoid"], half_extents=[1, 0, 1]), "half_extents must be above 0")
    spoilt(result, change_shape(row["cone"], kind=11), "kind 11 is not known")
    spoilt(result, change("list", 0, 0, 7), "/geometries/list[0]: its kind must be a hull, a mesh or a height field")
    spoilt(result, change("list", 2, 1, 2 ** 31), "/geometries/list[2]: its vertices or triangles are not there")
    spoilt(result, change("vertices", 3, 1, math.nan), "/geometries/list[0]: its vertices must be finite")
    spoilt(result, change("triangles", 3, 1, 6), "/geometries/list[0]: a triangle has a vertex that is not there")

    def forget(file):
        del file["geometries"]["vertices"]
    spoilt(result, forget, "/geometries/vertices is missing or damaged")


def main():
    import contextlib
    import io
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        make_shapes.each(TALUS, "shapes.h5")
    names = json.loads(text.getvalue())
    info = json.loads(talus("info", "shapes.h5", "--json").stdout)
    equal(info["shape_kinds"], "2 sphere, 5 box, 1 parallelogram, 2 capsule, 4 cylinder, 2 cone, 2 ellipsoid, 4 hull, "
          "1 mesh, 1 heights", "kinds of shapes")
    equal((info["geometries"], info["format"]), (3, "1.5"), "geometries and format")
    look_at_exports("shapes.h5", names)
    look_at_refusals("shapes.h5", names)


main()
