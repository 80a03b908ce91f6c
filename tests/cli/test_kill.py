#!/usr/bin/python3 -B
# labels: slow
# A run that is killed at random moments, and each of its resumptions too, leaves a file that opens, and
# in the end the same bits as a run that nobody killed.
import random
import subprocess

from cli import check, equal, run_json, scene, start, talus

random.seed(7)
UNTIL = 2
# checkpoints so often that going on gets somewhere
common = ("--set", "record.checkpoint=0.05", "--threads", 1)
whole = run_json("run", scene("heap"), "-o", "whole.h5", "--until", UNTIL, "--quiet", *common)

kills = opened = 0
arguments = ("run", scene("heap"), "-o", "killed.h5", "--until", UNTIL, "--quiet", *common)
while kills < 20:
    process = start(*arguments)
    try:
        process.communicate(timeout=random.uniform(0.02, 0.4))
        if process.returncode != 0:
            check(arguments[0] == "run", f"talus {arguments}: exit code {process.returncode}")
        if arguments[0] == "resume":  # it got to the end: start over
            equal(run_json("resume", "killed.h5", "--threads", 1)["hash"], whole["hash"], "the hash after being killed")
            arguments = ("run", scene("heap"), "-o", "killed.h5", "--force", "--until", UNTIL, "--quiet", *common)
        continue
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        kills += 1
    # Killed before the result was there, `run` has to be called again.
    info = subprocess.run([process.args[0], "info", "killed.h5", "--json"], capture_output=True, text=True)
    if info.returncode == 0:
        opened += 1
        arguments = ("resume", "killed.h5", "--quiet", "--threads", 1)
    else:
        check(arguments[0] == "run" and info.returncode == 4, f"after a kill: {info.stderr}")
check(opened >= 10, f"only {opened} of {kills} kills came after the result was there")
equal(run_json("resume", "killed.h5", "--quiet", "--threads", 1)["hash"], whole["hash"], "the hash in the end")
frames, wanted = run_json("info", "killed.h5"), run_json("info", "whole.h5")
for key in ("frames", "steps", "last_time", "recorded_bodies", "recorded_contacts", "closed"):
    equal(frames[key], wanted[key], f"{key} of the result")
