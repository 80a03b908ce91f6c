#!/usr/bin/python3 -B
# A full disk, a folder that cannot be written to, a name that cannot be a file: a clear error, exit code
# 4, and what was recorded before stays readable and can be gone on with.
import os
import subprocess

from cli import WORK, check, equal, refused, run_json, scene, skip, talus

# A file where a folder should be, and a folder where a file should be, refuse everybody, root too.
open("file", "w").close()
os.mkdir("folder")
refused(4, "file/heap.h5", "run", scene("heap"), "-o", "file/heap.h5")
refused(4, "nowhere/heap.h5", "run", scene("heap"), "-o", "nowhere/heap.h5")
refused(4, "folder", "run", scene("heap"), "-o", "folder", "--force")
equal(sorted(os.listdir(".")), ["file", "folder"], "files left behind by refused runs")

if os.geteuid() != 0:
    skip("no right to mount a small disk")
disk = os.path.join(WORK, "disk")
os.mkdir(disk)
mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "talus-test", disk], capture_output=True, text=True)
if mounted.returncode != 0:
    skip(f"no right to mount a small disk: {mounted.stderr.strip()}")
try:
    # 4 MiB are filled within a second of simulated time.
    result = os.path.join(disk, "heap.h5")
    arguments = ("run", scene("heap"), "-o", result, "--until", 30, "--rate", 1000, "--contacts", "--threads", 1)
    done = talus(*arguments, "--json", code=4)
    check("No space left on device" in done.stderr, done.stderr)
    check(f"to go on: talus resume {result}" in done.stderr, done.stderr)
    check('"status": "failed"' in done.stdout, done.stdout)
    info = run_json("info", result)
    check(info["frames"] > 1 and info["checkpoint"], f"what is left of the result: {info}")
    talus("export", result, "-o", "left.csv")
    # With more room it goes on to where it should have come.
    subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
    until = info["last_time"] + 0.1
    whole = run_json("run", scene("heap"), "-o", "whole.h5", "--until", until, "--rate", 1000, "--contacts", "--quiet", "--threads", 1)
    equal(run_json("resume", result, "--until", until, "--quiet", "--threads", 1)["hash"], whole["hash"], "the hash after a full disk")

    # A disk that is read-only: refused at the start.
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    done = talus("run", scene("heap"), "-o", os.path.join(disk, "other.h5"), code=4)
    check("Read-only file system" in done.stderr and "other.h5" in done.stderr, done.stderr)
    refused(4, "Read-only file system", "resume", result, "--until", until + 1)
finally:
    subprocess.run(["umount", disk], check=True)
