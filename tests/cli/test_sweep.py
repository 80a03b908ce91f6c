#!/usr/bin/python3 -B
# `talus sweep`: the table holds what results hold, whatever --jobs is; studies that were stopped or killed go on to the same
# table; a run that fails stops no other; thresholds are those of closed forms; mistakes are told before anything runs.
import glob
import math
import re
import time
import xml.dom.minidom

from cli import *

INCLINE = os.path.join(SOURCE, "examples", "incline.json")
CPU = ("--backend", "cpu")
with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:  # then runs are ten times as slow: fewer and smaller ones
    SANITIZED = bool(re.search(r"^TALUS_SANITIZE:STRING=.", file.read(), re.M))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def table(folder, name="study.csv"):
    """Rows of a table, keys without units."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return [{key.split(" [")[0]: value for key, value in row.items()} for row in csv.DictReader(file)]


# ---- A grid: order, statistics, certificate, charts ----
grid = ("--vary", "friction=0.1:0.5:3", "--vary", "slope=10,20", *CPU)
done = talus("sweep", INCLINE, *grid, "-o", "grid/", "--jobs", 2)
check("6 runs, 2 at once" in done.stderr and "6 of 6 runs finished, 0 of them before, 0 failed" in done.stderr, done.stderr)
rows = table("grid")
equal([(row["friction"], row["slope"], row["status"]) for row in rows],
      [(f, s, "finished") for f in ("0.1", "0.3", "0.5") for s in ("10", "20")], "rows of the grid")
for row in rows:
    result = f"grid/friction={row['friction']},slope={row['slope']}.h5"
    talus("export", result, "--format", "monitors", "-o", "m.csv", "--force", "--quiet")
    with open("m.csv", encoding="utf-8") as file:
        steps = list(csv.DictReader(file))
    for key, column in (("place.x", "place.x [m]"), ("speed.z", "speed.z [m/s]")):
        x = [float(step[column]) for step in steps]
        equal(float(row[key + ".last"]), x[-1], f"{key}.last of {result}")
        equal(float(row[key + ".peak"]), max(x, key=abs), f"{key}.peak of {result}")
        check(abs(float(row[key + ".mean"]) - math.fsum(x) / len(x)) <= 1e-12 * max(map(abs, x)) + 1e-300, f"{key}.mean of {result}")
    talus("export", result, "--format", "steps", "-o", "s.csv", "--force", "--quiet")
    with open("s.csv", encoding="utf-8") as file:
        steps = list(csv.DictReader(file))
    key = next(k for k in steps[0] if k.split(" ")[0] == "residual")
    equal(float(row["residual.last"]), float(steps[-1][key]), f"residual of {result}")
    # a box that slides: v = g (sin a - mu cos a) t, if that is above 0
    a, mu = math.radians(float(row["slope"])), float(row["friction"])
    speed = 2 * max(9.81 * (math.sin(a) - mu * math.cos(a)), 0)
    check(abs(float(row["speed.x.last"]) - speed) < 1e-6, f"{result} moves at {row['speed.x.last']} m/s, not {speed}")
texts = [node.firstChild.data for node in xml.dom.minidom.parse("grid/place.x.svg").getElementsByTagName("text")]
for wanted in ("friction", "place.x (m)", "last slope=10", "peak slope=20"):
    check(wanted in texts, f"the chart does not say {wanted}: {texts}")
equal(len(table("grid", "times.csv")), 6, "rows of times.csv")

# ---- The same for any number of jobs, byte for byte ----
talus("sweep", INCLINE, *grid, "-o", "one", "--jobs", 1, "--threads", 2, "--quiet")
for name in ("study.csv", "place.x.svg", "speed.magnitude.svg", "scene.json"):
    equal(read(f"one/{name}"), read(f"grid/{name}"), f"{name} of one job and of two")

# ---- Measures, a part of the time; nothing runs again; more values are added to what is there ----
before = os.stat("grid/friction=0.1,slope=10.h5").st_mtime_ns
wide = ("--vary", "friction=0.1,0.2,0.3,0.5", "--vary", "slope=20", *CPU)
done = run_json("sweep", INCLINE, *wide, "-o", "grid", "--from", 1, "--to", 1.5,
                "--measure", "went = place.x.last - place.x.first", "--measure", "went > friction", "--measure=-place.x.min")
equal((done["runs"], done["finished"], done["reused"], done["failed"]), (4, 4, 3, 0), "a study that is made larger")
equal(os.stat("grid/friction=0.1,slope=10.h5").st_mtime_ns, before, "a finished result was written again")
for row in table("grid"):
    a = 9.81 * max(math.sin(math.radians(20)) - float(row["friction"]) * math.cos(math.radians(20)), 0)
    check(abs(float(row["went"]) - a / 2 * (1.5**2 - 1)) < 2e-3 * a + 1e-6, f"went {row['went']} with friction {row['friction']}")
    equal(float(row["went > friction"]), float(float(row["went"]) > float(row["friction"])), "a condition as a measure")
check(os.path.exists("grid/went.svg") and os.path.exists("grid/measure2.svg"), "charts of measures")

# ---- Words ----
talus("sweep", INCLINE, "--vary", "settings.precision=mixed,double", "--until", 0.1, "-o", "words", *CPU, "--quiet")
equal([row["settings.precision"] for row in table("words")], ["mixed", "double"], "words that vary")
equal([round(run_json("info", f"words/settings.precision={word}.h5")["last_time"], 9) for word in ("mixed", "double")], [0.1, 0.1], "--until")
check(not glob.glob("words/*.svg"), "a chart over words")

# ---- A run that fails stops no other, and is tried again ----
bad = ("--vary", "friction=0.1,-1,0.3", *CPU, "-o", "bad")
done = refused(1, "sweep: friction=-1 failed (exit code 3): ", "sweep", INCLINE, *bad)
check("materials.wood.friction" in done.stderr, done.stderr)
check("2 of 3 runs finished, 0 of them before, 1 failed" in done.stderr, done.stderr)
equal([row["status"] for row in table("bad")], ["finished", "failed", "finished"], "states of a study with a bad run")
equal(table("bad")[1]["place.x.last"], "", "a number of a run that failed")
done = talus("sweep", INCLINE, *bad, "--json", "--quiet", code=1)
equal([json.loads(done.stdout)[key] for key in ("finished", "reused", "failed")], [2, 2, 1], "the second time")

# ---- Stopped by Ctrl-C, killed, and runs of it killed: the same table in the end ----
with open(scene("heap"), encoding="utf-8") as file:
    heap = json.load(file)
heap["monitors"] = {"big": {"kind": "position", "on": "big"}, "load": {"kind": "force", "on": "tank"}}
heap["record"]["checkpoint"] = 0.1
if SANITIZED:
    heap["parameters"]["radius"] = 0.1
with open("heap.json", "w", encoding="utf-8") as file:
    json.dump(heap, file)
study = ("sweep", "heap.json", "--vary", "layers=0.6,0.8,1.0", "--vary", "bodies[big].density=300,600", "--until", 0.4 if SANITIZED else 1, *CPU)
talus(*study, "-o", "whole", "--quiet")
equal(len(table("whole")), 6, "runs of the heap")


def begin(folder, *more):
    """Starts the study, and waits until its second run has begun."""
    process = start(*study, "-o", folder, *more, start_new_session=True)
    for _ in range(6000):
        if len(glob.glob(f"{folder}/*.h5")) >= 2:
            return process
        time.sleep(0.01)
    return fail(f"the study never started: {process.communicate(timeout=10)}")


def settle(folder, what):
    """The same command again."""
    done = run_json(*study, "-o", folder)
    equal((done["runs"], done["finished"], done["failed"]), (6, 6, 0), what)
    equal(read(f"{folder}/study.csv"), read("whole/study.csv"), f"the table {what}")
    return done


process = begin("stopped", "--jobs", 2)
os.killpg(process.pid, signal.SIGINT)  # as a terminal does it; the runs are groups of their own
out, err = process.communicate(timeout=60)
equal(process.returncode, 130, f"exit code after Ctrl-C: {err}")
check("stopped; the same command goes on" in err, err)
check("unfinished" in [row["status"] for row in table("stopped")], "all runs had finished before Ctrl-C")
for result in glob.glob("stopped/*.h5"):
    check(run_json("info", result)["closed"], f"{result} is not closed after Ctrl-C")
settle("stopped", "after Ctrl-C")

process = begin("killed", "--jobs", 1)
process.kill()  # its run ends by itself; the next study waits for that
process.communicate(timeout=60)
done = settle("killed", "after a kill")
check(done["reused"] >= 1, f"the run that had finished was done again: {done}")

process = begin("shot", "--jobs", 2)
child = next(int(pid) for pid in os.listdir("/proc") if pid.isdigit() and
             re.match(rb"\d+ \(talus\) . %d " % process.pid, read(f"/proc/{pid}/stat") if os.path.exists(f"/proc/{pid}/stat") else b""))
os.kill(child, signal.SIGKILL)
out, err = process.communicate(timeout=300)
equal(process.returncode, 1, f"exit code after a run was killed: {err}")
check(re.search(r"^talus: sweep: layers=\S+ failed: ended by signal 9", err, re.M), err)
check("5 of 6 runs finished" in err, err)
settle("shot", "after a run was killed")

# A result that is damaged is put aside and made again, and so is an empty one.
with open("shot/layers=1,bodies[big].density=300.h5", "wb") as file:
    file.write(b"nonsense")
with open("shot/layers=1,bodies[big].density=600.h5", "wb") as file:
    pass
settle("shot", "after a damaged result")
equal(read("shot/layers=1,bodies[big].density=300.h5.damaged"), b"nonsense", "what was damaged")

# ---- Thresholds, against closed forms ----
slope, WITHIN = 20, 0.1 if SANITIZED else 2e-4
done = run_json("sweep", INCLINE, "--set", f"slope={slope}", "--bisect", "friction=0.1:1", "--tolerance", WITHIN,
                "--where", "place.x.last > 1e-5", "-o", "slide", *CPU)
low, high = (done["thresholds"][0][key] for key in ("low", "high"))
check(high - low <= WITHIN, f"the bracket is from {low} to {high}")
found("a box on an incline of 20 degrees slides", "closed form: where the friction is below tan 20 degrees", "friction where it starts",
      "`talus sweep --bisect`, `examples/incline.json`, h = 2 ms", (low + high) / 2, math.tan(math.radians(slope)), 0.1 if SANITIZED else 1e-3)
row, = table("slide", "threshold.csv")
equal((float(row["friction.low"]), float(row["friction.high"]), row["where below"], row["where above"]), (low, high, "1", "0"), "threshold.csv")
rows = table("slide")
equal([float(row["friction"]) for row in rows], sorted(float(row["friction"]) for row in rows), "rows of a search by value")
equal([row["where"] for row in rows], sorted((row["where"] for row in rows), reverse=True), "the condition changes once")

tip = ("sweep", INCLINE, "--set", "friction=2", "--set", "height=0.4", "--vary", "width=0.1,0.2", "--bisect", "slope=5:40",
       "--where", "turn.y.peak > 0.01", "--tolerance", 8 if SANITIZED else 0.02, *CPU)
talus(*tip, "-o", "tip", "--jobs", 2, "--quiet")
talus(*tip, "-o", "tip1", "--jobs", 1, "--quiet")
equal(read("tip/threshold.csv"), read("tip1/threshold.csv"), "thresholds of one job and of two")
equal(read("tip/study.csv"), read("tip1/study.csv"), "runs of searches of one job and of two")
equal(read("tip/threshold.svg"), read("tip1/threshold.svg"), "the chart of thresholds of one job and of two")
boxes = [node for node in xml.dom.minidom.parse("tip/threshold.svg").getElementsByTagName("rect") if node.getAttribute("width") in ("4", "4.00")]
equal(len(boxes), 2, "marks of thresholds")
for row in [] if SANITIZED else table("tip", "threshold.csv"):
    found("a box of 0.4 m on a rough incline tips", "closed form: where tan of the slope is above width over height",
          f"slope where it starts, width {row['width']} m, degrees", "`talus sweep --bisect`, `examples/incline.json`, h = 2 ms",
          (float(row["slope.low"]) + float(row["slope.high"])) / 2, math.degrees(math.atan(float(row["width"]) / 0.4)), 0.1)
refused(1, "--where 'place.x.last > 100' does not hold at both ends, friction=0.1 and friction=1: no threshold",
        "sweep", INCLINE, "--bisect", "friction=0.1:1", "--where", "place.x.last > 100", "-o", "none", *CPU)
done = refused(1, "a run has failed: no threshold",
               "sweep", INCLINE, "--bisect", "step=0.002:5", "--where", "place.x.last > 1", "-o", "lost", *CPU)
check("sweep: step=5 failed (exit code 3): " in done.stderr and "longer than the whole run" in done.stderr, done.stderr)
refused(1, "friction=0.1: --where 'sqrt(-1 - place.x.last^2)' has no value", "sweep", INCLINE, "--bisect", "friction=0.1:1",
        "--where", "sqrt(-1 - place.x.last^2)", "-o", "nan", *CPU)

# ---- The studies of examples/studies: one is run, all are right up to where they would run ----
studies = sorted(glob.glob(os.path.join(SOURCE, "examples", "studies", "*")))
check(len(studies) >= 3, f"studies: {studies}")
for study in studies:
    done = subprocess.run([study, "nowhere/x"], env={**os.environ, "TALUS": TALUS}, capture_output=True, text=True)
    check(done.returncode == 4 and "the folder nowhere/x cannot be made" in done.stderr, f"{study}: {done.stderr}")
if not SANITIZED:
    subprocess.run([os.path.join(SOURCE, "examples", "studies", "incline-friction"), "slopes", *CPU, "--quiet"], env={**os.environ, "TALUS": TALUS}, check=True)
for row in [] if SANITIZED else table("slopes", "threshold.csv"):
    tangent = math.tan(math.radians(float(row["slope"])))
    check(float(row["friction.low"]) - 1e-4 < tangent < float(row["friction.high"]) + 1e-4, f"slope {row['slope']}: {row}, not {tangent}")

# ---- Mistakes, told before anything runs ----
one = ("sweep", INCLINE, "-o", "x")
for message, *arguments in (
        ("sweep needs -o FOLDER", "--vary", "friction=1,2", "-o"),
        ("sweep needs --vary NAME=VALUES or --bisect NAME=LOW:HIGH",),
        ("--vary: 'friction' is not NAME=VALUES", "--vary", "friction"),
        ("--vary: 'friction=': '' is neither a number nor a word", "--vary", "friction="),
        ("--vary: 'friction=1,,2': '' is neither a number nor a word", "--vary", "friction=1,,2"),
        ("--vary: 'friction=a/b': 'a/b' is neither a number nor a word", "--vary", "friction=a/b"),
        ("--vary: 'a/b' is no name of a parameter", "--vary", "a/b=1"),
        ("--vary: 'friction=0.1,1e-1': 0.1 is there twice", "--vary", "friction=0.1,1e-1"),
        ("--vary: 'friction=1:1:3': 1 is not below 1", "--vary", "friction=1:1:3"),
        ("--vary: 'friction=2:1': 2 is not below 1", "--vary", "friction=2:1"),
        ("--vary: 'friction=1:x': 'x' is not a number", "--vary", "friction=1:x"),
        ("--vary: 'friction=0.1:3': LOW:HIGH are whole numbers; LOW:HIGH:COUNT are any", "--vary", "friction=0.1:3"),
        ("--vary: 'friction=0:1:0': the count '0' is not a whole number of 1 or more", "--vary", "friction=0:1:0"),
        ("--vary: 'friction=0:1:2.5': the count '2.5' is not a whole number of 1 or more", "--vary", "friction=0:1:2.5"),
        ("--vary: 'friction=0:1:2:3' is not NAME=LOW:HIGH:COUNT", "--vary", "friction=0:1:2:3"),
        ("--vary: 'friction' varies already", "--vary", "friction=1,2", "--vary", "friction=3"),
        ("--vary: 'friction' varies, and --set gives it one value", "--vary", "friction=1,2", "--set", "friction=3"),
        ("--vary: 'duration' varies, and --until gives it one value", "--vary", "duration=1,2", "--until", "3"),
        ("sweep: --vary asks for 1000000 runs; at most 10000", "--vary", "friction=1:1000", "--vary", "slope=1:1000"),
        ("sweep: --vary asks for 1000000 runs; at most 10000", "--vary", "friction=1:1000000"),
        ("--vary fricton: neither a parameter nor a key of the scene, expected one; did you mean 'friction'?", "--vary", "fricton=1,2"),
        ("--vary mass: neither a parameter nor a key of the scene, expected one; parameters are slope, friction, width, height",
         "--vary", "mass=1,2"),
        ("--bisect mass: neither a parameter nor", "--bisect", "mass=1:2", "--where", "1 > 0"),
        ("--bisect: 'friction=1' is not NAME=LOW:HIGH", "--bisect", "friction=1", "--where", "1 > 0"),
        ("--bisect: 'friction=2:1' is not NAME=LOW:HIGH", "--bisect", "friction=2:1", "--where", "1 > 0"),
        ("sweep: --bisect needs --where CONDITION", "--bisect", "friction=1:2"),
        ("sweep: --where is for --bisect", "--vary", "friction=1,2", "--where", "1 > 0"),
        ("sweep: --tolerance is for --bisect", "--vary", "friction=1,2", "--tolerance", "1"),
        ("sweep: --tolerance 2 is not below the width of --bisect, 1", "--bisect", "friction=1:2", "--where", "1 > 0", "--tolerance", "2"),
        ("--measure: 'place.last': column 1: unknown name 'place.last', expected place.x.first, ", "--vary", "friction=1,2", "--measure", "place.last"),
        ("did you mean 'place.x.last'?", "--vary", "friction=1,2", "--measure", "plce.x.last"),
        ("--measure: 'slope': there is something of that name already", "--vary", "slope=1,2", "--measure", "slope = 3"),
        ("--measure: 'where': there is something of that name already", "--bisect", "slope=1:2", "--where", "1 > 0", "--measure", "where = 3"),
        ("--measure: '1 +': column 4: it ends here", "--vary", "friction=1,2", "--measure", "1 +"),
        ("--where: 'x > 0': column 1: unknown name 'x'", "--bisect", "friction=1:2", "--where", "x > 0"),
        ("sweep: --to 1 is before --from 2", "--vary", "friction=1,2", "--from", "2", "--to", "1"),
        ("--jobs: '0' is not a whole number from 1 to 1024", "--vary", "friction=1,2", "--jobs", "0")):
    if arguments and arguments[-1] == "-o":
        refused(2, message, "sweep", INCLINE, *arguments[:-1])
    else:
        refused(2, message, *one, *arguments)
check(not os.path.exists("x"), "a study that was refused left a folder")
refused(4, "none.json", "sweep", "none.json", "--vary", "a=1", "-o", "x")
refused(3, "is a result, not a scene", "sweep", "words/settings.precision=mixed.h5", "--vary", "a=1", "-o", "x")
refused(4, "the folder nowhere/x cannot be made: No such file or directory", "sweep", INCLINE, "--vary", "friction=1,2", "-o", "nowhere/x")
refused(4, "m.csv cannot be opened: Not a directory", "sweep", INCLINE, "--vary", "friction=1,2", "-o", "m.csv")
os.mkdir("full")
with open("full/mine.txt", "w", encoding="utf-8") as file:
    file.write("mine\n")
refused(4, "full is not empty and holds no study", "sweep", INCLINE, "--vary", "friction=1,2", "-o", "full")
equal(os.listdir("full"), ["mine.txt"], "a folder that was refused")
refused(1, "friction=0.1: no step lies between --from and --to", "sweep", INCLINE, "--vary", "friction=0.1", "-o", "late", "--from", 9, *CPU)

# A folder is for one scene with the same settings.
done = refused(4, "grid holds a study of another scene or of other settings", "sweep", INCLINE, *grid, "--set", "height=0.3", "-o", "grid")
check("""its scene.json has '"height": 0.1' where there is '"height": 0.3' now""" in done.stderr, done.stderr)
with open(INCLINE, encoding="utf-8") as file:  # blanks between words do not count
    same = json.dumps(json.load(file))
with open("same.json", "w", encoding="utf-8") as file:
    file.write(same)
equal(run_json("sweep", "same.json", *grid, "-o", "grid", "--quiet")["reused"], 6, "runs of the same scene with other blanks")
with open("same.json", "w", encoding="utf-8") as file:
    file.write(same.replace("A box on", "A  box on"))
refused(4, "grid holds a study of another scene", "sweep", "same.json", *grid, "-o", "grid")
refused(4, "grid holds a study of another scene", "sweep", "heap.json", "--vary", "layers=1,2", "-o", "grid")
refused(2, "unknown option '--jobs'; here it is '--threads N'", "run", INCLINE, "--jobs", 2)
print("sweep: ok")
