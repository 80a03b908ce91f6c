#!/usr/bin/python3 -B
# labels: slow longer
# Jobs of `talus render` that are killed at random moments and go on with the same bytes; results that grow, shrink or are
# damaged meanwhile.
import glob
import hashlib
import os
import random
import shutil
import signal
import subprocess
import time

from cli import LONG, SOURCE, TALUS, check, equal, run_json, start, talus

SMALL = ("--size", "64x48", "--samples", 2, "--threads", 2, "--fps", 10, "--quiet")
KILLS, DAMAGES = (50, 300) if LONG else (6, 25)
seed = int(os.environ.get("TALUS_SEED", 0)) or (random.randrange(1 << 30) if LONG else 1)
print(f"seed {seed} (TALUS_SEED)")
chance = random.Random(seed)


def digests(folder):
    return {os.path.basename(path): hashlib.sha256(open(path, "rb").read()).hexdigest() for path in sorted(glob.glob(folder + "/frame_*.png"))}


def run(until, name):
    talus("run", os.path.join(SOURCE, "examples", "silo.json"), "--set", "bodies=300", "--set", "opens=0.2", "--until", until,
          "--threads", 1, "-o", name, "--quiet", "--force")


run(0.6, "silo.h5")
begun = time.monotonic()
talus("render", "silo.h5", "-o", "silo.mp4", *SMALL)
takes = time.monotonic() - begun
wanted = digests("silo.mp4.frames")
equal(len(wanted), 7, "pictures")

# --- kills ---

kills = tries = 0
while kills < KILLS:
    tries += 1
    check(tries < 20 * KILLS, f"only {kills} of {tries} jobs could be killed")
    there = sorted(glob.glob("killed.mp4.frames/frame_*.png"))
    for path in chance.sample(there, min(len(there), 3)):  # so that there is always work
        os.remove(path)
    process = start("render", "silo.h5", "-o", "killed.mp4", *SMALL)
    try:
        process.wait(chance.uniform(0.01, takes))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        kills += 1
    process.communicate()
    for name, digest in digests("killed.mp4.frames").items():
        equal(digest, wanted[name], f"{name} after a kill")
talus("render", "silo.h5", "-o", "killed.mp4", *SMALL)
equal(digests("killed.mp4.frames"), wanted, f"pictures after {kills} kills")
equal(glob.glob("killed.mp4.frames/*.part"), [], "files left behind")
count = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", "killed.mp4"],
                       capture_output=True, text=True, check=True).stdout.strip()
equal(count, "7", "pictures of the movie")
print(f"{kills} kills in {tries} jobs")

# --- results that change ---

run(0.4, "other.h5")
shutil.copy("other.h5", "silo.h5")  # shorter: the first pictures are of the same run, and the movie ends earlier
done = run_json("render", "silo.h5", "-o", "killed.mp4", *SMALL)
equal(done["pictures"], 5, "pictures of a result that has become shorter")
run(0.6, "other.h5")
shutil.copy("other.h5", "silo.h5")
run_json("render", "silo.h5", "-o", "killed.mp4", *SMALL)
equal(digests("killed.mp4.frames"), wanted, "pictures of a result that has grown again")

# --- damage ---

with open("silo.h5", "rb") as file:
    whole = file.read()
refused = 0
for k in range(DAMAGES):
    data = bytearray(whole)
    if k % 3 == 0:
        del data[chance.randrange(len(data)):]
    else:
        for _ in range(chance.choice((1, 8, 100))):
            data[chance.randrange(len(data) if k % 3 == 1 else 4096)] = chance.randrange(256)
    with open("damaged.h5", "wb") as file:
        file.write(data)
    done = subprocess.run([TALUS, "render", "damaged.h5", "-o", "damaged.png", "--size", "16x12", "--samples", "1", "--threads", "1", "--force", "--quiet"],
                          capture_output=True, text=True, timeout=120)
    check(done.returncode in (0, 1, 3, 4), f"a damaged result (number {k}, seed {seed}): {done.returncode}, {done.stderr[-2000:]}")
    check(done.returncode == 0 or done.stderr.strip(), "a damaged result is refused without a word")
    refused += done.returncode != 0
check(refused > DAMAGES // 5, f"{refused} of {DAMAGES} damaged results were refused")
