#!/usr/bin/python3 -B
# `talus problem` and `talus solve`: the problem of a step from a scene, from a result and from its
# checkpoint is the same file; solutions go into it; tables, the corpus, and what is refused.
import csv
import io
import json
import os
import shutil

import h5py
import numpy

from cli import check, equal, refused, run_json, talus

SCENE = {"version": 1, "duration": 0.5, "step": 0.005, "settings": {"precision": "double"},
         "bodies": [{"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane"}]},
                    *({"position": [0.03 * i, 0.01 * i, 0.1 + 0.21 * i],
                       "shapes": [{"kind": "box", "size": [0.2, 0.2, 0.2]} if i % 2 else {"kind": "sphere", "radius": 0.1}]}
                      for i in range(6))]}
with open("heap.json", "w", encoding="utf-8") as file:
    json.dump(SCENE, file)
talus("run", "heap.json", "--quiet")


def content(path):
    """All datasets of a file, by name."""
    found = {}
    with h5py.File(path, "r") as opened:
        opened.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def same(one, other):
    a, b = content(one), content(other)
    equal(sorted(a), sorted(b), "datasets")
    for name in a:
        check(numpy.array_equal(a[name], b[name]), f"{name} of {one} and {other} differ")


# A step of a scene, of its result from the start, and from a checkpoint that comes before it.
told = run_json("problem", "heap.json", "--step", 60, "-o", "scene.hdf5")
equal((told["run_from"], told["steps_run"], told["form"]), ("the start", 59, "global"), "of a scene")
check(told["contacts"] > 3 and told["velocities"] == 36 and abs(told["time"] - 59 * 0.005) < 1e-9, f"{told}")
told = run_json("problem", "heap.h5", "--step", 60, "-o", "result.hdf5")
equal((told["run_from"], told["steps_run"]), ("the start", 59), "of a result whose checkpoint is at its end")
same("scene.hdf5", "result.hdf5")
talus("run", "heap.json", "-o", "half.h5", "--until", 0.2, "--quiet")
shutil.copy("half.h5.checkpoint", "kept")
talus("resume", "half.h5", "--until", 0.5, "--quiet")
os.replace("kept", "half.h5.checkpoint")
told = run_json("problem", "half.h5", "--step", 60, "-o", "half.hdf5")
equal((told["run_from"], told["steps_run"]), ("the checkpoint", 19), "from a checkpoint")
same("scene.hdf5", "half.hdf5")
found = content("scene.hdf5")
equal(found["fclib_global/spacedim"][0], 3, "dimension")
check(numpy.all(found["fclib_global/vectors/mu"] > 0) and b"Talus step" in found["fclib_global/info/description"], "what it holds")

# A run that was changed by hand on the way is not made again; before and after that it is.
shutil.copy("half.h5", "edited.h5")
shutil.copy("half.h5.checkpoint", "edited.h5.checkpoint")
with h5py.File("edited.h5", "r+") as file:
    line = b"0.25 {\"do\": \"something\"}\n"
    file["edits"].resize((len(line),) + file["edits"].shape[1:])
    file["edits"][...] = numpy.frombuffer(line, dtype="u1").reshape(file["edits"].shape)
refused(3, "edited.h5 was changed by hand at 0.25 s, so that step 60 cannot be made again from the checkpoint",
        "problem", "edited.h5", "--step", 60, "-o", "edited.hdf5")
told = run_json("problem", "edited.h5", "--step", 45, "-o", "edited.hdf5")
equal((told["run_from"], told["steps_run"]), ("the checkpoint", 4), "before the edit")

# The local form is made of the global one.
talus("problem", "heap.json", "--step", 60, "-o", "local.hdf5", "--form", "local", "--quiet")


def dense(values, group):
    m, n = int(values[group + "/m"][0]), int(values[group + "/n"][0])
    matrix = numpy.zeros((m, n))
    for column in range(n):
        for k in range(values[group + "/p"][column], values[group + "/p"][column + 1]):
            matrix[values[group + "/i"][k], column] += values[group + "/x"][k]
    return matrix


mass, h = dense(found, "fclib_global/M"), dense(found, "fclib_global/H")
local = content("local.hdf5")
w = h.T @ numpy.linalg.solve(mass, h)
check(numpy.allclose(w, dense(local, "fclib_local/W"), rtol=1e-12, atol=1e-12 * abs(w).max()), "W is not H^T M^-1 H")
q = h.T @ numpy.linalg.solve(mass, found["fclib_global/vectors/f"]) + found["fclib_global/vectors/w"]
check(numpy.allclose(q, local["fclib_local/vectors/q"], rtol=0, atol=1e-13), "q")

# Solutions: M v = H r + f, u = H^T v + w, and FCLIB's residual by hand.
told = run_json("solve", "scene.hdf5", "-o", "solved.hdf5", "--tolerance", 1e-8, "--iterations", 100000)
check(0 < told["wall_s"] < 60 and "time" not in told, f"{told}")
check(told["residual"] <= 1.1e-8 and told["solved_as"] == "rows of rigid bodies" and told["law"] == "coulomb", f"{told}")
values = content("solved.hdf5")
v, u, r = (values["solution/" + name] for name in "vur")
check(numpy.allclose(mass @ v, h @ r + found["fclib_global/vectors/f"], rtol=0, atol=1e-12), "M v = H r + f")
check(numpy.allclose(u, h.T @ v + found["fclib_global/vectors/w"], rtol=0, atol=1e-12), "u = H^T v + w")
total = 0
for n, mu in enumerate(found["fclib_global/vectors/mu"]):
    step = r[3 * n:3 * n + 3] - u[3 * n:3 * n + 3]
    step[0] -= mu * numpy.hypot(*u[3 * n + 1:3 * n + 3])
    across = numpy.hypot(step[1], step[2])
    if mu * across <= -step[0]:
        step[:] = 0
    elif across > mu * step[0]:
        step[0] = (mu * across + step[0]) / (1 + mu * mu)
        step[1:] *= mu * step[0] / across
    total += numpy.sum((r[3 * n:3 * n + 3] - step) ** 2)
merit = numpy.sqrt(total) / (1 + numpy.sqrt(numpy.linalg.norm(q)))
check(abs(told["fclib_residual"] - merit) <= 1e-12 + 1e-6 * merit, f"FCLIB's residual: {told['fclib_residual']}, not {merit}")
other = run_json("solve", "local.hdf5", "--solver", "apgd", "--tolerance", 1e-8, "--iterations", 100000)
check(other["solved_as"] == "a sparse matrix" and abs(other["objective"] - told["objective"]) < 1e-6 * abs(told["objective"]), f"{other}")
certified = run_json("solve", "local.hdf5", "--solver", "interior")
check(certified["gap"] < 1e-10 and abs(certified["objective"] - told["objective"]) < 1e-6 * abs(told["objective"]), f"{certified}")

# Tables, and the corpus.
lines = talus("problem", "--corpus", "corpus", "--layers", "5,8").stdout.splitlines()
equal(len(lines), len(os.listdir("corpus")), "files of the corpus")
check(any("heap-8" in line for line in lines), f"{lines}")

refused(3, "talus: check: scene.hdf5 is a contact problem, not a scene; `talus solve` takes problems", "check", "scene.hdf5")
with h5py.File("other.hdf5", "w") as file:
    file["numbers"] = [1, 2]
refused(3, "run: other.hdf5 is an HDF5 file, not a scene, and no result or contact problem", "run", "other.hdf5")

# A corpus replaces nothing without --force, and with it contact problems alone; it looks before it writes.
os.mkdir("mine")
with open("mine/wedge-4.hdf5", "w", encoding="utf-8") as file:
    file.write("notes")
refused(4, "corpus/heap-5.hdf5 exists; --force replaces it, --corpus names another folder", "problem", "--corpus", "corpus", "--layers", 5)
refused(4, "mine/wedge-4.hdf5 exists; --force replaces it", "problem", "--corpus", "mine", "--layers", 5)
refused(4, "--force replaces contact problems alone: mine/wedge-4.hdf5 is none", "problem", "--corpus", "mine", "--layers", 5, "--force")
with open("mine/wedge-4.hdf5", encoding="utf-8") as file:
    equal((file.read(), os.listdir("mine")), ("notes", ["wedge-4.hdf5"]), "a folder with other files")
talus("problem", "--corpus", "corpus", "--layers", 5, "--force", "--quiet")
files = sorted(os.path.join("corpus", name) for name in os.listdir("corpus") if not name.startswith("planks"))
table = list(csv.DictReader(io.StringIO(
    talus("solve", *files, "--solver", "psor,apgd", "--law", "cone", "--csv", "--iterations", 3000).stdout)))
equal(len(table), 2 * len(files), "rows of the table")
for one, two in zip(table[::2], table[1::2]):
    equal((one["problem"], one["solver"], two["solver"]), (two["problem"], "psor", "apgd"), "a pair of rows")
    if float(one["residual"]) <= 1e-6 and float(two["residual"]) <= 1e-6:
        a, b = float(one["objective"]), float(two["objective"])
        check(abs(a - b) <= 1e-4 * abs(a) + 1e-9, f"objectives of {one['problem']}: {a} and {b}")
check(sum(float(row["residual"]) <= 1e-6 for row in table) >= len(files), "few were solved")

# Steps without contacts, without and with a joint: both forms are files that every solver takes.
FALL = {"version": 1, "duration": 0.1, "step": 0.005,
        "bodies": [{"kind": "fixed", "shapes": [{"kind": "plane"}]},
                   {"name": "ball", "position": [0, 0, 5], "shapes": [{"kind": "sphere", "radius": 0.1}]}]}
HUNG = {**FALL, "joints": [{"kind": "spherical", "bodies": ["ground", "ball"], "at": [0, 0, 5.1]}]}
for scene, held in (FALL, 0), (HUNG, 3), ({**FALL, "bodies": FALL["bodies"][:1]}, 0):
    with open("none.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    for form in "global", "local":
        told = run_json("problem", "none.json", "--step", 1, "-o", "none-" + form + ".hdf5", "--form", form, "--force")
        equal((told["contacts"], told["constraints"]), (0, held), f"{form}, without contacts")
        for solver in "psor", "jacobi", "apgd", "spg", "interior":
            told = run_json("solve", "none-" + form + ".hdf5", "--solver", solver, "-o", "answer.hdf5", "--force")
            equal((told["contacts"], told["residual"], told["objective"]), (0, 0, 0), f"{form}, by {solver}")

# Refusals.
refused(2, "problem needs a SCENE or RESULT, or --corpus FOLDER", "problem")
refused(2, "problem needs --step N", "problem", "heap.json", "-o", "x.hdf5")
refused(2, "problem needs -o FILE", "problem", "heap.json", "--step", 1)
refused(2, "--step is 101; heap.json has steps 1 to 100", "problem", "heap.json", "--step", 101, "-o", "x.hdf5")
refused(2, "--step is 500; heap.h5 has steps 1 to 100", "problem", "heap.h5", "--step", 500, "-o", "x.hdf5")
refused(2, "--step: '0' is not a whole number of 1 or more", "problem", "heap.h5", "--step", 0, "-o", "x.hdf5")
refused(2, "--set is for scenes; heap.h5 is a result", "problem", "heap.h5", "--step", 1, "-o", "x.hdf5", "--set", "step=1")
refused(2, "--layers: '3,x' is not a list of whole numbers", "problem", "--corpus", "c", "--layers", "3,x")
refused(2, "--corpus FOLDER takes no file", "problem", "heap.json", "--corpus", "c")
refused(2, "--layers is for --corpus", "problem", "heap.json", "--step", 1, "-o", "x.hdf5", "--layers", 3)
refused(4, "scene.hdf5 exists; --force replaces it", "problem", "heap.json", "--step", 1, "-o", "scene.hdf5")
refused(4, "--force replaces contact problems alone: heap.h5 is none", "problem", "heap.json", "--step", 1, "-o", "heap.h5", "--force")
talus("problem", "heap.json", "--step", 60, "-o", "scene.hdf5", "--force", "--quiet")
refused(4, "none.hdf5: No such file", "solve", "none.hdf5")
refused(3, "not a contact problem in FCLIB's layout", "solve", "heap.h5")
refused(3, "not a whole HDF5 file", "solve", "heap.json")
refused(2, "'gauss' is not one of psor, jacobi, apgd, spg, interior", "solve", "scene.hdf5", "--solver", "psor,gauss")
refused(2, "-o is for one problem and one solver", "solve", "scene.hdf5", "--solver", "psor,apgd", "-o", "y.hdf5")
with h5py.File("local.hdf5", "r+") as file:
    file["fclib_local/vectors/mu"][1] = -1
refused(3, "local.hdf5: /fclib_local/vectors/mu[1] is -1; it must be finite and not negative", "solve", "local.hdf5")
talus("problem", "heap.json", "--step", 60, "-o", "askew.hdf5", "--form", "local", "--quiet")
with h5py.File("askew.hdf5", "r+") as file:
    w = file["fclib_local/W"]
    at = int(numpy.nonzero(w["i"][...] != numpy.repeat(numpy.arange(len(w["p"]) - 1), numpy.diff(w["p"])))[0][0])
    w["x"][at] += 1
# Numbers that are too large to be solved with: nothing is printed, and nothing written.
with h5py.File("askew.hdf5", "r+") as file:
    file["fclib_local/vectors/q"][...] = -1e300
    file["fclib_local/W/x"][at] -= 1
done = refused(1, "solve: askew.hdf5: the solver psor diverged: after ", "solve", "askew.hdf5", "--cold", "-o", "x.hdf5")
equal(done.stdout, "", "standard output of a solve that diverged")
with h5py.File("askew.hdf5", "r+") as file:
    file["fclib_local/W/x"][at] += 1
for solver in "psor", "jacobi", "apgd", "spg", "interior":
    refused(3, "askew.hdf5: /fclib_local/W is not symmetric: its entries (", "solve", "askew.hdf5", "--solver", solver)
check(not os.path.exists("x.hdf5"), "a refused problem left a file")
with open("soft.json", "w", encoding="utf-8") as file:
    json.dump({**SCENE, "settings": {"stepper": "penalty"}}, file)
refused(3, "settings.stepper is penalty; steps of dvi and smooth alone have one contact problem",
        "problem", "soft.json", "--step", 3, "-o", "x.hdf5")
