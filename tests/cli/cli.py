"""What the tests of the command share: a folder to work in, running the command, and saying what went
wrong. A test is called with the build folder and the source folder; 77 means that it cannot run here."""
import atexit
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

BUILD, SOURCE = (os.path.abspath(argument) for argument in sys.argv[1:3])
TALUS = os.path.join(BUILD, "talus")
LONG = "TALUS_LONG" in os.environ  # among the long tests: do more
SCENES = os.path.join(SOURCE, "tests", "cli", "scenes")
WORK = tempfile.mkdtemp(prefix="talus-cli-")
atexit.register(shutil.rmtree, WORK, True)
os.chdir(WORK)


def scene(name):
    return os.path.join(SCENES, name + ".json")


def fail(text):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {text}")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def check(holds, text):
    if not holds:
        fail(text)


def equal(found, wanted, what):
    check(found == wanted, f"{what}: {found!r}, not {wanted!r}")


def found(what, against, quantity, settings, got, want, tolerance, how="the command"):
    """Checks a claim of docs/validation.md, and prints its row for tools/validation-table."""
    check(abs(got - want) <= tolerance, f"{what}: {quantity} is {got}, not {want} within {tolerance}")
    print("validation: " + " | ".join((what, against, quantity, settings, how, f"{want:.17g}", f"{got:.17g}", f"{tolerance:.3g}")))


def talus(*arguments, code=0, cwd=None, timeout=300):
    """Runs the command and expects an exit code."""
    done = subprocess.run([TALUS, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, cwd=cwd)
    check(done.returncode == code,
          f"talus {' '.join(map(str, arguments))}: exit code {done.returncode}, not {code}\n"
          f"{done.stdout}{done.stderr}")
    return done


def refused(code, message, *arguments):
    """Runs the command and expects an exit code and a text in what it says."""
    done = talus(*arguments, code=code)
    check(message in done.stderr, f"talus {' '.join(map(str, arguments))} said {done.stderr!r}, not {message!r}")
    return done


def run_json(*arguments, code=0, timeout=300):
    """Runs the command with --json and returns the object, which must be all of standard output."""
    return json.loads(talus(*arguments, "--json", code=code, timeout=timeout).stdout)


def start(*arguments, **options):
    """Starts the command without waiting for it; signals as a terminal's shell leaves them."""
    def reset():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
    return subprocess.Popen([TALUS, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, preexec_fn=reset, **options)


def places(result, time, body):
    """Places of the bodies whose names begin so at a time, a tuple per body, and their radii where they have one."""
    talus("export", result, "--format", "csv", "--from", time, "--to", time, "-o", "places.csv", "--force")
    with open("places.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    keys = {key.split(" ")[0]: key for key in rows[0]}
    rows = [row for row in rows if row[keys["name"]].startswith(body)]
    return ([tuple(float(row[keys[c]]) for c in "xyz") for row in rows], [float(row[keys["radius"]] or "nan") for row in rows])
