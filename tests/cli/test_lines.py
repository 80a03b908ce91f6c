#!/usr/bin/python3 -B
# Scenes in lines: check, info, run and import read them; what import writes runs to the same bits.
import hashlib
import json
import math
import os

from cli import check, equal, found, places, refused, run_json, talus

SCENE = """a tower of two balls, a capsule beside it, a spring to a ball that is fixed
S 1 0 0.5 0 0 0 0 0 0 0 1 0.5
S 2 0.01 1.5 0 0 0 0 0 0.02 0 0.5 0.5 0
C 3 1 0 4 1.2 0 0 -1 0 2 0.2
S 3 -3 4 0 0 0 0 0 0 0 1 0.2 1
S 4 -3 2 0.5 0 0 0 0 0 0 1 0.2
K 3 4 20 1.5 0.5
P -10 0 -10 0 0 20 20 0 0
B 6 0 -1 1 0 0 0 1 0 0 0 2
last line: a comment
"""
with open("tower.txt", "w", encoding="utf-8") as file:
    file.write(SCENE)


def positions(*arguments):
    """What a run leaves, as a hash of its states."""
    talus("run", *arguments, "-o", "out.h5", "--force", "--quiet", "--until", 1)
    talus("export", "out.h5", "-o", "out.csv", "--force", "--quiet")
    with open("out.csv", "rb") as exported:
        return hashlib.sha256(exported.read()).hexdigest()


checked = run_json("check", "tower.txt")
for key, wanted in {"comments": 2, "bodies": 7, "dynamic": 4, "fixed": 3, "joints": 1, "step": 0.02, "gravity": [0, 0, -1],
                    "stepper": "penalty", "title": "tower.txt", "overlapping_pairs": 0}.items():
    equal(checked[key], wanted, key)
equal(run_json("info", "tower.txt")["kind"], "scene", "kind")

told = run_json("import", "tower.txt")
equal((told["output"], told["bodies"], told["springs"], told["comments"]), ("tower.json", 7, 1, 2), "import")
with open("tower.json", encoding="utf-8") as file:
    scene = json.load(file)
equal(scene["settings"]["penalty"], {"law": "scaled", "substeps": 1, "stiffness": 1000, "damping": 12.5, "friction": 50,
                                     "collisions": True, "collision_threshold": 1, "attraction": True}, "the constants of section 2.8")
equal(scene["materials"]["all"]["restitution"], 0.75, "restitution")
check("last line: a comment" in scene["comment"], scene["comment"])
equal([b["name"] for b in scene["bodies"]], ["s1", "s2", "c1", "s3", "s4", "p1", "b1"], "names")
for stepper in ("penalty", "dvi"):
    one = positions("tower.txt", "--stepper", stepper)
    equal(positions("tower.json", "--stepper", stepper), one, f"the scene in JSON, {stepper}")
    equal(positions("tower.txt", "--stepper", stepper, "--threads", 1), one, f"one thread, {stepper}")

# --ground adds a plane at z = 0, and nothing else.
talus("import", "tower.txt", "-o", "ground.json", "--ground", "--quiet")
with open("ground.json", encoding="utf-8") as file:
    ground = json.load(file)
equal(ground["bodies"][:-1], scene["bodies"], "bodies besides the ground")
equal(ground["bodies"][-1], {"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane", "material": "all"}]}, "the ground")

# Outputs that are there.
refused(4, "talus: tower.json exists; --force replaces it, -o names another", "import", "tower.txt")
talus("import", "tower.txt", "--force", "--quiet")
with open("mine.json", "w", encoding="utf-8") as file:
    file.write('{"version": 1}')
refused(4, "--force replaces scenes that import wrote alone: mine.json is none", "import", "tower.txt", "-o", "mine.json", "--force")
refused(2, "import: 'mine.json' does not end in .txt, as scenes in lines do", "import", "mine.json")
with open("json.txt", "w", encoding="utf-8") as file:
    json.dump(scene, file)
for ground in (), ("--ground",):
    refused(3, "json.txt:1:1: is no scene in lines, expected a name that ends in .txt and no '{' at the start",
            "import", "json.txt", *ground)
check(not os.path.exists("json.json"), "a refused import left a file")
refused(2, "import: -o names the file itself", "import", "tower.txt", "-o", "tower.txt", "--force")
refused(3, "talus: resume: tower.txt is a scene, not a result", "resume", "tower.txt")
refused(4, "talus: none.txt: cannot be opened", "import", "none.txt")

# Mistakes, by all that read scenes.
with open("bad.txt", "w", encoding="utf-8") as file:
    file.write(SCENE.replace("K 3 4", "K 3 5"))
for command in (("check",), ("info",), ("run", "--no-record"), ("import",)):
    done = talus(command[0], "bad.txt", *command[1:], code=3)
    equal(done.stderr, "bad.txt:7:5: K: there is no sphere 5 above this line, expected one\n", command[0])
    equal(done.stdout, "", f"standard output of {command[0]}")

# Polygons have one side: a ball rests on the face, and one that comes from behind is pushed through to it.
for name, edges, side in (("up", "0 0 20 20 0 0", 1), ("down", "20 0 0 0 0 20", -1)):
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write(f"S 1 0.3 0.6 0 0 0 0 0 0 0 1 0.5\nP -10 0 -10 {edges}\n")
    talus("run", f"{name}.txt", "-o", f"{name}.h5", "--force", "--quiet", "--until", 4)
    talus("export", f"{name}.h5", "-o", f"{name}.csv", "--from", 3.99, "--force", "--quiet")
    with open(f"{name}.csv", encoding="utf-8") as file:
        height = float(file.read().splitlines()[-1].split(",")[6])
    check(abs(height - 0.499) < 1e-6 if side > 0 else height < -1, f"a polygon that faces {name}: the ball is at {height}")

# Closed forms: a ball on a polygon rests at the overlap g/C_c; two balls with a spring between them, falling freely, swing with
# sqrt(k/m*) and lose exp(-d t/(2 m*)).
with open("rest.txt", "w", encoding="utf-8") as file:
    file.write("S 1 0 0.3 0 0 0 0 0 0 0 2 0.3\nP -1 0 -1 0 0 2 2 0 0\n")
talus("run", "rest.txt", "-o", "rest.h5", "--quiet", "--until", 10)
rest = places("rest.h5", 10, "s1")[0][0]
found("a ball of a scene in lines rests", "closed form g/C_c", "overlap (m)", "scaled, 20 ms", 0.3 - rest[2], 1e-3, 1e-6)

K, MASS, DAMPING, STRETCH, LENGTH, TIME = 100, 1, 0.4, 0.3, 2, 1
with open("swing.txt", "w", encoding="utf-8") as file:
    file.write(f"S 5 0 1 0 0 1 0 0 0 0 {MASS} 0.2 0\nS 6 0 {1 + LENGTH + STRETCH} 0 0 1 0 0 0 0 {MASS} 0.2 0\n"
               f"K 5 6 {K} {LENGTH} {DAMPING}\n")
talus("run", "swing.txt", "-o", "swing.h5", "--quiet", "--until", TIME, "--set", "settings.penalty.substeps=20")
ends = [places("swing.h5", TIME, name)[0][0] for name in ("s5", "s6")]
reduced, decay = MASS / 2, DAMPING / MASS
speed = math.sqrt(K / reduced - decay ** 2)
swing = STRETCH * math.exp(-decay * TIME) * (math.cos(speed * TIME) + decay / speed * math.sin(speed * TIME))
found("a spring of a scene in lines swings", "closed form of the damped oscillator", "stretch (m)", "scaled, 20 substeps of 1 ms",
      ends[1][2] - ends[0][2] - LENGTH, swing, 1e-5)
found("a spring of a scene in lines swings", "free fall from 1 m/s", "height of the centre of mass (m)", "scaled, 20 substeps of 1 ms",
      (ends[0][2] + ends[1][2]) / 2, 1 + (LENGTH + STRETCH) / 2 + TIME - TIME ** 2 / 2, 1e-5)
