#!/usr/bin/python3 -B
# Joints of scenes as check, run and export tell them: what assemblies turn, what motors ask for that cannot be, numbers
# that are none, and the joints of fragments.
import csv
import json
import math

from cli import check, equal, refused, run_json, talus

BOX = {"shapes": [{"kind": "box", "size": [0.1, 0.2, 0.3]}], "mass": 2}


def write(name, joints, bodies=1, **more):
    """A scene file with boxes b0, b1, ... and joints."""
    what = {"version": 1, "duration": 0.01, "gravity": [0, 0, 0], "settings": {"precision": "double"},
            "bodies": [dict(BOX, name=f"b{i}", position=[i, 0, 0]) for i in range(bodies)], "joints": joints, **more}
    with open(name, "w", encoding="utf-8") as file:
        json.dump(what, file)
    return name


def near(what, value, wanted, within):
    check(abs(value - wanted) <= within, f"{what} is {value}, not {wanted} within {within}")


# ---- A body that is only turned, which the first frame shows ----
write("turned.json", [{"kind": "fixed", "bodies": ["ground", "b0"], "frame_b": {},
                       "frame_a": {"orientation": {"axis": [1, 0, 0], "angle": 90}}}])
told = run_json("check", "turned.json")
near("the way of the origin", told["assembly_correction"], 0, 1e-12)
near("the turn", told["assembly_turn"], math.pi / 2, 1e-9)
check(any("was turned by 1.57 rad" in warning for warning in told["warnings"]), f"no warning: {told['warnings']}")
run_json("run", "turned.json", "-o", "turned.h5", "--quiet")
talus("export", "turned.h5", "-o", "turned.csv", "--format", "csv")
with open("turned.csv", encoding="utf-8") as file:
    first = next(csv.DictReader(file))
near("qx of the first frame", abs(float(first["qx"])), math.sqrt(0.5), 1e-6)

# ---- An expression of a motor that is no number from some time on ----
write("root.json", [{"kind": "revolute", "bodies": ["ground", "b0"], "at": [0, 0, 0],
                     "motor": {"torque": "sqrt(0.007 - t)"}}])
refused(1, 'is to hold nan at time 0.01 s, by its expression "sqrt(0.007 - t)"', "run", "root.json", "--quiet")

# ---- Two motors without limit on shafts that are geared 2 to 1 cannot both go at 1 rad/s, but at 1 and 2 ----
for speed, wrong in ((1, True), (2, False)):
    write("geared.json", [{"name": "one", "kind": "revolute", "bodies": ["ground", "b0"], "at": [0, 0, 0],
                           "motor": {"speed": 1}},
                          {"name": "two", "kind": "revolute", "bodies": ["ground", "b1"], "at": [1, 0, 0],
                           "motor": {"speed": speed}},
                          {"name": "pair", "kind": "gear", "couples": ["one", "two"], "ratio": 2}], bodies=2)
    told = run_json("run", "geared.json", "--quiet", "--force")
    said = [warning for warning in told["warnings"] if "joint_residual" in warning and '"pair"' in warning]
    equal(len(said), 1 if wrong else 0, f"warnings of {told['warnings']}")
    near("the residual", told["joint_residual"], 0.5 if wrong else 0, 0.3 if wrong else 1e-9)

# ---- Of a fragment "all" are its own joints, called as where it is run alone ----
def hinges(*names, **more):
    joints = [{"kind": "revolute", "bodies": ["ground", f"b{i}"], "at": [i, 0, 0], **({"name": name} if name else {})}
              for i, name in enumerate(names)]
    with open(write("fragment.json", joints, len(names), monitors={"all": {"kind": "joint", "joint": "all"}}, **more),
              encoding="utf-8") as file:
        return json.load(file)


def channels(name, scene):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    return [channel for channel in run_json("run", name, "--quiet", "--force")["monitors"] if channel.endswith(".force")]


inner = hinges("h", None, "all_of_it")
alone = channels("alone.json", inner)
equal(alone, ["all_h.force", "all_2.force", "all_all_of_it.force"], "joints of the fragment alone")
outer = hinges("own", include=[{"scene": inner, "name": "L"}, {"scene": inner, "name": "R"}])
equal(channels("both.json", outer), [f"{side}.{channel}" for side in "LR" for channel in alone] +
      [f"all_{i}.force" for i in range(1, 7)] + ["all_own.force"], "joints of fragments and of all")
nested = hinges(include=[{"scene": outer, "name": "N"}])
nested["monitors"] = {}
equal(channels("nested.json", nested), [f"N.{channel}" for channel in channels("both.json", outer)], "nested fragments")
named = hinges("all", "h")
equal(channels("named.json", named), ["all.force"], "a joint that is called so")
nested["include"] = [{"scene": named, "name": "M"}, {"scene": inner, "name": "L"}]
equal(channels("named.json", nested), ["M.all.force"] + [f"L.{channel}" for channel in alone], "and in a fragment")
