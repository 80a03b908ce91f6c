#!/usr/bin/python3 -B
# Numbers that make no sense, in options and in scenes: each is refused at once, for its own reason; and scenes of
# which no world can be made are bad scenes, exit code 3.
import json
import os
import shutil

from cli import check, equal, refused, run_json, scene, talus

shutil.copy(scene("heap"), "heap.json")

# Steps and the length of a run.
for command in (("check", "heap.json"), ("run", "heap.json", "--no-record")):
    refused(3, "heap.json: step: is 1e+09 s, longer than the whole run, duration 2 s; expected at most that",
            *command, "--set", "step=1e9")
    refused(3, "heap.json: step: is 1e-300 s, and a run to 2 s would take 2e+300 steps; time does not advance after "
            "9007199254740992, expected a longer step or a shorter run", *command, "--set", "step=1e-300")
    refused(3, "would take 2e+302 steps", *command, "--set", "duration=1e300")
    refused(3, "step: is -1, expected a number above 0 (s)", *command, "--set", "step=-1")
refused(2, "heap.json: step: is 0.005 s, longer than the whole run, --until 0.001 s", "run", "heap.json", "--until", 0.001)
check(not os.path.exists("heap.h5"), "a refused run left a result")
equal(run_json("run", "heap.json", "--until", 0.005, "--quiet")["steps"], 1, "steps of the shortest run")
refused(2, "--until: '1e300' is too much; it must be at most 1e+12", "resume", "heap.h5", "--until", "1e300")
talus("run", "heap.json", "-o", "tiny.h5", "--until", 1e-10, "--set", "step=1e-11", "--rate", 0, "--quiet")
refused(2, "tiny.h5: step: is 1e-11 s, and a run to 1e+12 s would take 1e+23 steps", "resume", "tiny.h5", "--until", 1e12)

# The rate of frames.
refused(2, "--rate: '1e308' is too much; it must be at most 1e+09", "run", "heap.json", "--rate", "1e308")
refused(2, "--rate: '1e999' is too much; it must be at most 1e+09", "run", "heap.json", "--rate", "1e999")
refused(2, "--rate: 201 frames per second are more than one per step of 0.005 s; at most 200",
        "run", "heap.json", "--no-record", "--rate", 201)
talus("run", "heap.json", "--no-record", "--rate", 200, "--until", 0.01, "--quiet")
found = run_json("check", "heap.json", "--set", "record.rate=1000")
equal((found["frames"], found["steps"]), (401, 400), "frames and steps of a rate that is too high")
equal(found["warnings"], ["record.rate asks for 1000 frames per second and there are 200 steps: every step is recorded"],
      "warnings of a rate that is too high")

# Other options.
for option, text, message in (
        ("--until", "1e300", "is too much; it must be at most 1e+12"), ("--until", "0", "is not a number of 1e-12 or more"),
        ("--rate", "nan", "is not a number of 0 or more"), ("--rate", "inf", "is not a number of 0 or more"),
        ("--threads", "99999999999999999999", "is not a whole number from 0 to 1024"),
        ("--iterations", "1e300", "is not a whole number from 1 to 1e+06")):
    refused(2, f"{option}: '{text}' {message}", "run", "heap.json", option, text)
for option, text, message in (
        ("--from", "1e300", "is too much; it must be at most 1e+12"), ("--to", "-1", "is not a number of 0 or more"),
        ("--every", "99999999999999999", "is too much; it must be at most 1e+15")):
    refused(2, f"{option}: '{text}' {message}", "export", "heap.h5", "-o", "out.csv", option, text)
refused(2, "--port: '65536' is not a whole number from 0 to 65535", "view", "heap.json", "--port", 65536)

# What other programs call it.
refused(2, "run: unknown option '--dt'; here it is '--set step=SECONDS'", "run", "heap.json", "--dt", "0.001")
refused(2, "run: unknown option '--gravity'; here it is '--set gravity=[X,Y,Z]'", "run", "heap.json", "--gravity=1")
refused(2, "resume: unknown option '--dt'; see talus resume --help", "resume", "heap.h5", "--dt", "0.001")


# Scenes of which no world can be made.
def bad(name, bodies, *messages):
    with open(name, "w") as out:
        json.dump({"version": 1, "bodies": bodies}, out)
    for command in (("check",), ("run", "--no-record", "--quiet")):
        done = talus(command[0], name, *command[1:], code=3)
        for message in messages:
            check(message in done.stderr, f"{command[0]} {name} said {done.stderr!r}, not {message!r}")


SPHERE = [{"kind": "sphere", "radius": 1}]
bad("far.json", [{"shapes": SPHERE}, {"position": [1e13, 0, 0], "shapes": SPHERE}],
    "talus: body 2 is at (1e+13, 0, 0); coordinates must be below 1e+12 m\n", "talus: body 2 is far.json:1:")
BOX = [{"kind": "box", "size": [2e13, 1, 1]}]
bad("wide.json", [{"shapes": SPHERE}, {"kind": "fixed", "shapes": BOX}],
    "talus: body 2: shape 0 is too far or too large; lengths must be below 1e+12 m\n", "talus: body 2 is wide.json:1:")
bad("planes.json", [{"kind": "fixed", "repeat": {"count": 300}, "shapes": [{"kind": "plane"}]}], "there are 300 planes; the limit is")
bad("fast.json", [{"repeat": {"count": 100}, "position": ["=3*i", 0, 0], "velocity": ["=1e9*i", 0, 0], "shapes": SPHERE}],
    " in one step, too far to look for contacts; ", "fast.json:1:")
