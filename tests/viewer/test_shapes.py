#!/usr/bin/python3
"""Solids of every kind through the protocol: test_shapes.py BUILD SOURCE. Geometries come once and before the shapes
that have them, sizes are those of the file, poses of dynamic bodies are packed."""
import contextlib
import io
import json
import math
import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Server, Viewer  # noqa: E402

try:
    import make_shapes
except ImportError:
    print("skipped: h5py is not there")
    sys.exit(77)

TALUS = os.path.join(os.path.abspath(sys.argv[1]), "talus")
FORM, SIZE = 3, slice(11, 17)  # in a row of a solid


def close(got, wanted):
    assert len(got) == len(wanted) and all(math.isclose(a, b, abs_tol=1e-6) for a, b in zip(got, wanted)), (got, wanted)


def forms(v, names):
    solid = {name: v.solids[index][0] for name, index in names.items() if index in v.solids}
    assert len(solid) == 22, "all but two balls"
    assert [name for name in solid if solid[name][2] >= 256] == ["sensor"] and solid["sensor"][2] == 256 + 2
    # hull, rounded hull, mesh, heights: each once, though hulls are on two bodies
    assert sorted(v.forms) == [1, 2, 3, 4]
    assert solid["hull"][FORM] == solid["fixed hull"][FORM] != solid["rounded hull"][FORM]
    assert all(solid[name][FORM] == 0 for name in solid if not name.endswith(("hull", "mesh", "heights")))
    points, triangles = v.forms[solid["heights"][FORM]]
    assert len(triangles) == 1152 and len(points) == 625, "a smooth surface has one vertex for each place"
    points, triangles = v.forms[solid["hull"][FORM]]
    assert len(triangles) == 8 and len(points) == 24, "faces with edges have their own"
    for x, y, z, nx, ny, nz in points:
        close([math.hypot(nx, ny, nz), x * nx + y * ny + z * nz], [1, 0.45 / math.sqrt(3)])
    far = max(math.hypot(*p[:3]) for p in v.forms[solid["rounded hull"][FORM]][0])
    close([far], [0.45 + 0.12])


def sizes(v, names):
    wanted = {"box": (2, [0.5, 0.3, 0.2]), "rounded box": (2, [0.5, 0.3, 0.3, 0.12]), "capsule": (4, [0.25, 0.35]),
              "rounded cylinder": (5, [0.4, 0.3, 0.12]), "cone": (6, [0.4, 0.4]), "ellipsoid": (7, [0.55, 0.3, 0.2]),
              "rounded hull": (8, [0.12]), "parallelogram": (3, [0.8, 0, 0, 0.2, 0.6, 0.2]), "mesh": (9, [])}
    for name, (kind, size) in wanted.items():
        row = v.solids[names[name]][0]
        assert row[2] == kind, name
        close(row[SIZE], (size + [0] * 6)[:6])
    close([v.bodies[names["capsule"]]["radius"], v.bodies[names["rounded hull"]]["radius"]], [0.6, 0.57])
    # cameras and packed positions go by the thinnest shape that moves
    close([v.hello["radius"]], [0.45 / 4])


with tempfile.TemporaryDirectory() as folder:
    result, text = os.path.join(folder, "shapes.h5"), io.StringIO()
    with contextlib.redirect_stdout(text):
        make_shapes.each(TALUS, result)
    names = json.loads(text.getvalue())
    with Server(TALUS, result, "--quiet") as server:
        v = Viewer(server.port).greet()
        forms(v, names)
        sizes(v, names)
        v.seek(2)
        assert len(v.poses) == 24
