#!/usr/bin/python3 -B
# A run that is stopped by a signal closes its files, says how to go on, and goes on to the same bits as
# one that nobody stopped. Stopped twice, too; and a second Ctrl-C ends the process at once.
import json
import re
import signal
import time

from cli import check, equal, refused, run_json, scene, start, talus

LONG = 1000  # s, simulated: nobody waits for the end


def stop(process, number, after):
    """Sends a signal some time after the run has started, and returns what was printed."""
    said = line = process.stderr.readline()
    while " bodies on " not in line:
        check(line, f"the run never started: {said}")
        line = process.stderr.readline()
        said += line
    time.sleep(after)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return out, said + err


for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
    name = f"{number.name}.h5"
    process = start("run", scene("heap"), "-o", name, "--until", LONG, "--threads", 1, "--json")
    out, err = stop(process, number, 0.5)
    equal(process.returncode, code, f"exit code after {number.name}: {err}")
    report = json.loads(out)
    equal(report["status"], "interrupted", f"after {number.name}")
    check(report["steps"] > 0, f"{number.name} came before the first step")
    check(re.search(r"^stopped at t = \S+ s \(step %d\) of 1000 s$" % report["steps"], err, re.M), err)
    check(f"to go on: talus resume {name}\n" in err, err)
    info = run_json("info", name)
    check(info["closed"] and info["checkpoint"], f"{name} is not closed after {number.name}")
    equal(info["last_step"], report["steps"], f"steps recorded after {number.name}")
    check(abs(info["last_time"] - report["time"]) < 1e-12, f"{name} ends at {info['last_time']} s")

# Stopped again while it goes on; then to an end, and compared with a run that nobody stopped.
process = start("resume", "SIGINT.h5", "--threads", 1, "--until", LONG / 2)
out, err = stop(process, signal.SIGINT, 0.1)
equal(process.returncode, 130, f"exit code of the resumed run: {err}")
check(re.search(r"^SIGINT.h5: from t = \S+ s \(step \d+\) to 500 s, \d+ bodies on ", err, re.M), err)
check("to go on: talus resume SIGINT.h5 --until 500\n" in err, err)
until = round(run_json("info", "SIGINT.h5")["last_time"] + 0.1, 3)
whole = run_json("run", scene("heap"), "-o", "whole.h5", "--until", until, "--threads", 1, "--quiet")
equal(whole["status"], "finished", "the whole run")
done = run_json("resume", "SIGINT.h5", "--threads", 2, "--until", until)
for key in ("steps", "time", "bodies", "contacts", "residual", "max_overlap", "kinetic_energy", "hash", "status"):
    equal(done[key], whole[key], f"{key} after two stops")
ours, theirs = run_json("info", "SIGINT.h5"), run_json("info", "whole.h5")
for key in ("frames", "steps", "first_time", "last_time", "recorded_bodies", "recorded_shapes", "last_contacts"):
    equal(ours[key], theirs[key], f"{key} of the result after two stops")

# A run that is at its end stays there, and says so.
again = talus("resume", "whole.h5")
check(re.search(r"^whole.h5 has reached t = \S+ s already; --until goes further$", again.stderr, re.M), again.stderr)
talus("resume", "SIGINT.h5", "--until", until / 2)
same = run_json("resume", "whole.h5", "--quiet")
for key in ("status", "steps", "time", "bodies", "contacts", "residual", "kinetic_energy", "hash"):
    equal(same[key], whole[key], f"{key} of a finished run")
# Further than the scene says.
further = run_json("run", scene("heap"), "-o", "further.h5", "--until", until + 0.25, "--threads", 1, "--quiet")
equal(run_json("resume", "whole.h5", "--until", until + 0.25, "--threads", 1, "--quiet")["hash"], further["hash"], "hash further on")

# A second Ctrl-C does not wait. The process dies of it, unless it was through already.
process = start("run", scene("heap"), "-o", "twice.h5", "--until", LONG, "--threads", 1)
line = process.stderr.readline()
while " bodies on " not in line:
    line = process.stderr.readline()
process.send_signal(signal.SIGINT)
process.send_signal(signal.SIGTERM)
process.communicate(timeout=60)
check(process.returncode in (-signal.SIGTERM, -signal.SIGINT, 130, 143), f"exit code {process.returncode} after two")
talus("info", "twice.h5")

# Not recorded: nothing to go on with.
process = start("run", scene("heap"), "--no-record", "--until", LONG, "--threads", 1)
out, err = stop(process, signal.SIGINT, 0.05)
equal(process.returncode, 130, "exit code without a record")
check("stopped at t = " in err and "to go on" not in err, err)

# Results that cannot be gone on with.
refused(4, "nowhere.h5", "resume", "nowhere.h5")
refused(3, "heap.json", "resume", scene("heap"))
