#!/usr/bin/python3 -B
# labels: slow
# The VTK export opened in ParaView (pvpython, under xvfb): points, radii, velocities, polygons and contacts
# against what h5py reads from the result.
import json
import shutil
import subprocess

from cli import check, equal, skip, talus

try:
    import h5py
    import numpy as np
except ImportError:
    skip("h5py is not there")
for program in ("pvpython", "xvfb-run"):
    if not shutil.which(program):
        skip(f"{program} is not there")

SCENE = {
    "version": 1, "step": 0.005, "duration": 0.4, "record": {"rate": 20, "contacts": True},
    "bodies": [
        {"name": "floor", "kind": "fixed", "position": [0, 0, -0.1],
         "orientation": {"axis": [0, 0, 1], "angle": 30},
         "shapes": [{"kind": "box", "half_extents": [0.6, 0.5, 0.1]},
                    {"kind": "sphere", "radius": 0.05, "position": [0.5, 0, 0.1]}]},
        {"name": "ground", "kind": "fixed", "position": [0, 0, -1], "shapes": [{"kind": "plane"}]},
        {"name": "lid", "kind": "fixed", "position": [2, 0, 0], "shapes": [{"kind": "box", "size": [1, 1, 1]}]},
        {"name": "paddle", "kind": "prescribed", "position": [0, 0, 0.1],
         "shapes": [{"kind": "parallelogram", "edge_u": [0.3, 0, 0], "edge_v": [0, 0, 0.1]}],
         "motion": {"kind": "velocity", "velocity": [0.1, 0, 0], "angular_velocity": [0, 0, 2]}},
        {"name": "dumbbell", "position": [0.2, 0.1, 0.3], "angular_velocity": [1, 2, 3], "mass": 0.5,
         "inertia": [0.001, 0.004, 0.004],
         "shapes": [{"kind": "sphere", "radius": 0.06, "position": [0.07, 0, 0]},
                    {"kind": "sphere", "radius": 0.04, "position": [-0.1, 0, 0]}]}],
    "fills": [{"region": {"kind": "box", "low": [-0.4, -0.4, 0.01], "high": [0, 0.4, 0.3]}, "radius": 0.05,
               "count": 40}],
    "events": [{"time": 0.2, "remove": ["lid"]}],
}

DUMP = """
import json, sys
from paraview.simple import OpenDataFile, servermanager
from vtkmodules.util.numpy_support import vtk_to_numpy

def leaves(data):
    if data is None:
        return
    if data.IsA("vtkMultiBlockDataSet"):
        for i in range(data.GetNumberOfBlocks()):
            yield from leaves(data.GetBlock(i))
    else:
        yield data

def polygons(data):
    cells = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).tolist()
    ends = vtk_to_numpy(data.GetPolys().GetOffsetsArray()).tolist()
    return [cells[a:b] for a, b in zip(ends, ends[1:])]

reader = OpenDataFile(sys.argv[1])
reader.UpdatePipelineInformation()
frames = []
for time in reader.TimestepValues:
    reader.UpdatePipeline(time)
    parts = []
    for data in leaves(servermanager.Fetch(reader)):
        count, fields = data.GetNumberOfPoints(), data.GetPointData()
        part = {"points": vtk_to_numpy(data.GetPoints().GetData()).tolist() if count else [],
                "vertices": data.GetNumberOfVerts(), "polygons": polygons(data)}
        for i in range(fields.GetNumberOfArrays()):
            part[fields.GetArrayName(i)] = vtk_to_numpy(fields.GetArray(i)).tolist()
        parts.append(part)
    frames.append({"time": time, "parts": parts})
json.dump(frames, open(sys.argv[2], "w"))
"""


def rotate(q, p):
    """Rows of p turned by the quaternion q (w, x, y, z)."""
    u, p = np.asarray(q[1:], float), np.asarray(p, float)
    c = np.cross(u, p)
    return p + 2 * (q[0] * c + np.cross(u, c))


def near(found, wanted, what, tolerance=1e-6):
    found, wanted = np.asarray(found, float), np.asarray(wanted, float)
    check(found.shape == wanted.shape, f"{what}: {found.shape} numbers, not {wanted.shape}")
    check(not found.size or np.abs(found - wanted).max() <= tolerance,
          f"{what}: off by {np.abs(found - wanted).max() if found.size else 0}")


def corners_of(part, body):
    """The polygons of a body, each with its corners."""
    return [np.array([part["points"][i] for i in polygon]) for polygon in part["polygons"]
            if part["body"][polygon[0]] == body]


with open("scene.json", "w") as file:
    json.dump(SCENE, file)
with open("dump.py", "w") as file:
    file.write(DUMP)
talus("run", "scene.json", "-o", "run.h5", "--threads", 1, "--quiet")
talus("export", "run.h5", "-o", "run.pvd")
done = subprocess.run(["xvfb-run", "-a", "pvpython", "dump.py", "run.pvd", "dump.json"], capture_output=True,
                      text=True, timeout=240)
check(done.returncode == 0, f"pvpython failed:\n{done.stdout}{done.stderr}")
with open("dump.json") as file:
    found = json.load(file)

f = h5py.File("run.h5")
frames, bodies, shapes = f["frames"][:], f["bodies"][:], f["shapes"][:]
removed = {int(row["body"]): row["time"] for row in f["removals"][:]}
equal(len(found), len(frames), "times in ParaView")
equal([frame["time"] for frame in found], list(frames["time"]), "times")
pose = {int(row["body"]): row for row in bodies}
for frame, seen in zip(frames, found):
    rows = slice(int(frame["state_first"]), int(frame["state_first"] + frame["state_count"]))
    state = {name: f["states/" + name][rows] for name in f["states"]}
    place = {int(b): i for i, b in enumerate(state["body"])}
    spheres, moving, contacts, fixed = [], [], [], []
    for part in seen["parts"]:
        kind = (contacts if "impulse" in part else spheres if not part["polygons"]
                else moving if set(part["body"]) == {4} else fixed)
        kind.append(part)
    equal([len(kind) for kind in (spheres, moving, contacts, fixed)], [1, 1, 1, 1], "parts of a frame")
    spheres, moving, contacts, fixed = spheres[0], moving[0], contacts[0], fixed[0]

    # Spheres: a point each, also those of a body of two.
    points, velocities, radii, body = [], [], [], []
    for s in shapes:
        if s["kind"] != 0 or int(s["body"]) not in place:
            continue
        i = place[int(s["body"])]
        arm = rotate(state["orientation"][i], s["position"])
        points.append(state["position"][i] + arm)
        velocities.append(state["velocity"][i] + np.cross(state["angular_velocity"][i], arm))
        radii.append(s["radius"])
        body.append(int(s["body"]))
    equal(spheres["vertices"], len(points), "spheres")
    equal(spheres["body"], body, "bodies of spheres")
    near(spheres["points"], points, "centres of spheres")
    near(spheres["radius"], radii, "radii", 0)
    near(spheres["velocity"], velocities, "velocities", 1e-5)
    near(spheres["speed"], np.linalg.norm(velocities, axis=1), "speeds", 1e-5)
    near(spheres["angular_velocity"], [state["angular_velocity"][place[b]] for b in body], "spins", 0)

    # The paddle, where its motion has brought it.
    i = place[4]
    corners = np.array([[0, 0, 0], [0.3, 0, 0], [0.3, 0, 0.1], [0, 0, 0.1]])
    near(corners_of(moving, 4), [state["position"][i] + rotate(state["orientation"][i], corners)], "paddle")
    near(state["position"][i], [0.1 * frame["time"], 0, 0.1], "place of the paddle")

    # Fixed shapes: the box by its eight corners, the ball on it, the ground below all, the lid while it lasts.
    box = np.unique(np.round(np.concatenate(corners_of(fixed, 1)), 9), axis=0)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    wanted = pose[1]["position"] + rotate(pose[1]["orientation"], signs * [0.6, 0.5, 0.1])
    near(box, np.unique(np.round(wanted, 9), axis=0), "corners of the floor")
    equal(len(corners_of(fixed, 1)), 6, "faces of the floor")
    for face in corners_of(fixed, 1):
        outward = np.cross(face[1] - face[0], face[2] - face[1])
        check(outward @ (face.mean(0) - pose[1]["position"]) > 0, "a face of the floor looks inward")
    ball = fixed["radius"].index(0.05)
    near(fixed["points"][ball], pose[1]["position"] + rotate(pose[1]["orientation"], [0.5, 0, 0.1]), "fixed ball")
    ground = corners_of(fixed, 2)
    equal(len(ground), 1, "polygons of the ground")
    near(ground[0][:, 2], [-1] * 4, "height of the ground")
    equal(len(corners_of(fixed, 3)), 6 if frame["time"] < removed[3] else 0, "faces of the lid")

    rows = slice(int(frame["contact_first"]), int(frame["contact_first"] + frame["contact_count"]))
    near(contacts["points"], f["contacts/point"][rows].reshape(-1, 3) if rows.stop > rows.start else [],
         "points of contacts", 0)
    for name in ("normal", "impulse", "gap"):
        near(contacts[name], f["contacts/" + name][rows] if rows.stop > rows.start else [], name, 0)
    pairs = f["contacts/body"][rows]
    equal(contacts["body_a"], list(pairs[:, 0]), "first bodies of contacts")
    equal(contacts["body_b"], list(pairs[:, 1]), "second bodies of contacts")
check(sum(frames["contact_count"]) > 50, "too few contacts to compare")
check(removed[3] > 0.2, "the lid stayed")
