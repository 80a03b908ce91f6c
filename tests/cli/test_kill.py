#!/usr/bin/python3 -B
# labels: slow longer
# A run that is killed at random moments, and each of its resumptions too, leaves a file that opens, and
# in the end the same bits as a run that nobody killed. Moments are counted in what the run has written
# and not in seconds, and nothing here is reached unless somebody kills it: 20 kills are 20 starts, on a
# fast machine and on a slow one.
import os
import random
import subprocess
import time

from cli import LONG, TALUS, check, equal, run_json, scene, start

KILLS = 400 if LONG else 20
NEVER = 1e6  # s, simulated: nobody waits for the end
PATIENCE = 60  # s, for a run to write something
random.seed(7)
# checkpoints so often that going on gets somewhere
common = ("--set", "record.checkpoint=0.05", "--threads", 1)


def written():
    """What can be seen of the result and its checkpoint from outside; it changes whenever one is written."""
    found = []
    for name in ("killed.h5", "killed.h5.checkpoint"):
        try:
            status = os.stat(name)
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
        except FileNotFoundError:
            found.append(None)
    return tuple(found)


def wait_for_writing(process, times):
    """Waits until the result is there and has been written to so often."""
    end, last, seen = time.monotonic() + PATIENCE, written(), 0
    while seen < times or not last[0]:
        check(time.monotonic() < end, f"{process.args}: wrote {seen} times in {PATIENCE} s, not {times}")
        check(process.poll() is None, f"{process.args}: ended with {process.returncode}")
        time.sleep(0.001)
        now = written()
        seen, last = seen + (now != last), now


opened = 0
for kill in range(KILLS):
    # Killed before the result was there, `run` has to be called again.
    if opened:
        process = start("resume", "killed.h5", "--until", NEVER, "--quiet", "--threads", 1)
    else:
        process = start("run", scene("heap"), "-o", "killed.h5", "--until", NEVER, "--quiet", *common)
    if kill % 4 == 0:  # at any moment, also while it starts
        time.sleep(random.uniform(0, 0.05))
    else:
        wait_for_writing(process, random.randrange(1, 30))
        time.sleep(random.uniform(0, 0.005))
    process.kill()
    err = process.communicate()[1]
    equal(process.returncode, -9, f"exit code of a process that was killed; it said {err!r}")
    info = subprocess.run([TALUS, "info", "killed.h5", "--json"], capture_output=True, text=True)
    if info.returncode == 0:
        opened += 1
    else:
        check(not opened and kill % 4 == 0 and info.returncode == 4, f"after kill {kill}: {info.stderr}")
check(opened >= KILLS - 1, f"only {opened} of {KILLS} kills came after the result was there")

reached = run_json("info", "killed.h5")["last_time"]
check(reached > 0.2, f"{KILLS} runs came to {reached} s and never passed a checkpoint")
print(f"{KILLS} kills, {opened} after the result was there; reached t = {reached:.3f} s")
until = round(reached + 0.1, 3)
whole = run_json("run", scene("heap"), "-o", "whole.h5", "--until", until, "--quiet", *common)
equal(run_json("resume", "killed.h5", "--until", until, "--quiet", "--threads", 1)["hash"], whole["hash"],
      "the hash in the end")
frames, wanted = run_json("info", "killed.h5"), run_json("info", "whole.h5")
for key in ("frames", "steps", "last_time", "recorded_bodies", "recorded_contacts", "closed"):
    equal(frames[key], wanted[key], f"{key} of the result")
