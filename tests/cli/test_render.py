#!/usr/bin/python3 -B
# labels: slow
# `talus render`: a movie of a small silo, jobs that are cut, stopped, killed and gone on with, numbers of bodies
# against positions projected here, and what it refuses.
import glob
import hashlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time

import h5py
import numpy as np

from cli import SOURCE, TALUS, check, equal, fail, refused, run_json, start, talus
from png import read_png

if "cannot render" in subprocess.run([TALUS, "render", "--init", "look.json"], capture_output=True, text=True).stderr:
    fail("this build cannot render")
os.remove("look.json")
SMALL = ("--size", "64x48", "--samples", 2, "--threads", 2, "--quiet")


def digests(folder):
    return {os.path.basename(path): hashlib.sha256(open(path, "rb").read()).hexdigest()
            for path in sorted(glob.glob(folder + "/frame_*.png"))}


# --- a movie ---

talus("run", os.path.join(SOURCE, "examples", "silo.json"), "--set", "bodies=400", "--set", "opens=0.2", "--until", 0.6,
      "--threads", 1, "-o", "silo.h5", "--quiet")
done = run_json("render", "silo.h5", "-o", "silo.mp4", *SMALL, "--fps", 10)
equal((done["pictures"], done["made"]), (7, 7), "pictures of 0.6 s at 10 per second")
probe = json.loads(subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", "silo.mp4"],
                                  capture_output=True, text=True, check=True).stdout)["streams"]
equal(len(probe), 1, "streams")
equal([probe[0][key] for key in ("codec_name", "pix_fmt", "width", "height", "nb_read_frames", "r_frame_rate")],
      ["h264", "yuv420p", 64, 48, "7", "10/1"], "what ffprobe says")
first = digests("silo.mp4.frames")
equal(len(first), 7, "pictures in the folder")
equal([path for path in os.listdir() if "part" in path or "log" in path], [], "files left behind")
equal(run_json("render", "silo.h5", "-o", "silo.mp4", *SMALL, "--fps", 10)["made"], 0, "pictures of a second call")

# What is missing, damaged or no longer fits is made anew; the movie with it.
before = os.stat("silo.mp4").st_mtime_ns
os.remove("silo.mp4.frames/frame_000003.png")
with open("silo.mp4.frames/frame_000005.png", "r+b") as file:
    file.truncate(os.path.getsize(file.name) - 3)
equal(run_json("render", "silo.h5", "-o", "silo.mp4", *SMALL, "--fps", 10)["made"], 2, "pictures made again")
equal(digests("silo.mp4.frames"), first, "pictures made again")
equal(os.stat("silo.mp4").st_mtime_ns, before, "the movie, which fits")
equal(run_json("render", "silo.h5", "-o", "silo.mp4", *SMALL, "--fps", 10, "--title", "New")["made"], 7, "pictures with a title")
check(os.stat("silo.mp4").st_mtime_ns != before, "the movie was not made anew")

talus("render", "silo.h5", "-o", "noisy", *SMALL, "--fps", 10)
equal(run_json("render", "silo.h5", "-o", "noisy", *SMALL, "--fps", 10, "--noise", 0.5)["made"], 7, "pictures with another noise")

# --- the same bytes ---

for arguments in (("--threads", 1), ("--threads", 8, "--tile", 8), ("--threads", 3, "--tile", 100)):
    name = "folder" + "".join(map(str, arguments))
    talus("render", "silo.h5", "-o", name, "--size", "64x48", "--samples", 2, "--fps", 10, "--quiet", *arguments)
    equal(digests(name), first, f"pictures with {arguments}")

# Parts: by pictures and by bands of them, in any order, then assembled.
for by, parts in (("frames", 3), ("tiles", 5)):
    for part in reversed(range(1, parts + 1)):
        talus("render", "silo.h5", "-o", by + ".mp4", *SMALL, "--fps", 10, "--part", f"{part}/{parts}", "--by", by)
        if part == 2:
            refused(4, "are missing or do not fit", "render", "silo.h5", "-o", by + ".mp4", *SMALL, "--fps", 10, "--assemble")
    check(not os.path.exists(by + ".mp4"), "a part made the movie")
    talus("render", "silo.h5", "-o", by + ".mp4", *SMALL, "--fps", 10, "--assemble")
    equal(digests(by + ".mp4.frames"), first, f"pictures of parts by {by}")
    check(os.path.getsize(by + ".mp4") > 500, "no movie")

# Killed at many moments, it goes on; what is there is whole.
kills = 0
for attempt in range(200):
    process = start("render", "silo.h5", "-o", "killed", *SMALL, "--fps", 10)
    try:
        process.wait(0.02 + 0.005 * attempt)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        kills += 1
    process.communicate()
    for path in glob.glob("killed/frame_*.png"):
        equal(hashlib.sha256(open(path, "rb").read()).hexdigest(), first[os.path.basename(path)], f"{path} after a kill")
    if process.returncode == 0:
        break
check(kills > 0, "nothing was killed")
equal(digests("killed"), first, "pictures after kills")
equal(glob.glob("killed/*.part"), [], "files left behind by kills")

# Ctrl-C: 130, and it says how to go on.
process = start("render", "silo.h5", "-o", "stopped", "--size", "320x240", "--samples", 64)
deadline = time.monotonic() + 60
while not glob.glob("stopped/frame_*.png") and time.monotonic() < deadline and process.poll() is None:
    time.sleep(0.02)
process.send_signal(signal.SIGINT)
said = process.communicate(timeout=60)[1]
equal(process.returncode, 130, f"exit code after Ctrl-C ({said})")
check("the same command goes on" in said, said)

# --- numbers of bodies, against positions projected here ---

look = {"size": [120, 90], "shutter": 0, "walls": "solid", "fixed": {"hidden": True}, "floor": None,
        "camera": {"kind": "fixed", "eye": [0.4, -0.6, 0.35], "target": [0.0, 0.0, 0.03], "fov": 12}}
EYE, TARGET = np.array(look["camera"]["eye"]), np.array(look["camera"]["target"])


def outlines(centres, numbers, radius, orthographic):
    """Which body is nearest along the ray of each pixel's middle, and how near the ray is to an outline, in pixels."""
    forward = (TARGET - EYE) / np.linalg.norm(TARGET - EYE)
    right = np.cross(forward, [0, 0, 1])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    half = 0.08 if orthographic else np.tan(np.radians(12) / 2)
    x = (np.arange(120) + 0.5 - 60) * half / 45
    y = (45 - np.arange(90) - 0.5) * half / 45
    X, Y = np.meshgrid(x, y)
    if orthographic:
        origins = EYE + X[..., None] * right + Y[..., None] * up
        rays = np.broadcast_to(forward, origins.shape)
    else:
        origins = np.broadcast_to(EYE, X.shape + (3,))
        rays = forward + X[..., None] * right + Y[..., None] * up
        rays = rays / np.linalg.norm(rays, axis=-1)[..., None]
    nearest, which = np.full(X.shape, np.inf), np.zeros(X.shape, int)
    doubtful = np.zeros(X.shape, bool)
    pixel = half / 45 * (1 if orthographic else np.linalg.norm(TARGET - EYE))
    for centre, number, r in zip(centres, numbers, radius):
        to = centre - origins
        along = np.einsum("...i,...i", to, rays)
        miss = np.sqrt(np.maximum(np.einsum("...i,...i", to, to) - along ** 2, 0))
        doubtful |= np.abs(miss - r) < 0.5 * pixel  # half a pixel about the outline
        depth = along - np.sqrt(np.maximum(r * r - miss ** 2, 0))
        hit = (miss < r) & (depth < nearest)
        nearest[hit], which[hit] = depth[hit], number
    return which, doubtful


def two_frames(path, k):
    """Bodies and where they are at a frame, and halfway to the next: Hermite's cubic, or on by their velocity."""
    with h5py.File(path) as f:
        frames = f["frames"][:]
        radii = {s["body"]: s["radius"] for s in f["shapes"][:] if s["kind"] == 0}

        def states(k):
            rows = slice(int(frames[k]["state_first"]), int(frames[k]["state_first"] + frames[k]["state_count"]))
            return f["states/body"][rows], f["states/position"][rows], f["states/velocity"][rows].astype(float)
        a, b = states(k), states(k + 1)
        t0, t1 = frames["time"][k], frames["time"][k + 1]
    both = np.isin(a[0], b[0])
    equal(list(a[0][both]), list(b[0]), "bodies of the two frames")
    halfway = 0.5 * (a[1][both] + b[1]) + (t1 - t0) / 8 * (a[2][both] - b[2])
    on = a[1][~both] + 0.5 * (t1 - t0) * a[2][~both]
    return ((path, t0, a[1], a[0], radii),
            (path, (t0 + t1) / 2, np.vstack([halfway, on]), np.concatenate([a[0][both], a[0][~both]]), radii))


# Of few frames, too, between which bodies fall far: a straight line would miss them.
talus("run", os.path.join(SOURCE, "examples", "silo.json"), "--set", "bodies=400", "--set", "opens=0.2", "--until", 0.6, "--rate", 5,
      "--threads", 1, "-o", "coarse.h5", "--quiet")
cases = (*two_frames("silo.h5", 8), two_frames("coarse.h5", 1)[1])
for orthographic in (False, True):
    look["camera"].update({"orthographic": True, "height": 0.16} if orthographic else {})
    with open("numbers.json", "w") as file:
        json.dump(look, file)
    for path, when, centres, numbers, radii in cases:
        talus("render", path, "--look", "numbers.json", "--numbers", "--at", f"{when:.12g}", "-o", "numbers.png", "--force", "--quiet")
        picture = read_png("numbers.png")
        found = picture[..., 0] << 16 | picture[..., 1] << 8 | picture[..., 2]
        wanted, doubtful = outlines(centres, numbers, [radii[n] for n in numbers], orthographic)
        check((wanted > 0).sum() > 500, "the camera sees too few bodies")
        check(doubtful.mean() < 0.8, "too much is doubtful")
        wrong = (found != wanted) & ~doubtful
        equal(int(wrong.sum()), 0, f"pixels with another body at {when} s of {path} (orthographic: {orthographic})")

# --- what is refused ---

refused(2, "render needs -o FILE", "render", "silo.h5")
refused(2, "render needs a RESULT", "render", "-o", "x.mp4")
refused(3, "is a scene, not a result", "render", os.path.join(SOURCE, "examples", "silo.json"), "-o", "x.mp4")
refused(4, "nowhere.h5", "render", "nowhere.h5", "-o", "x.mp4")
refused(3, "nothing of silo.h5 lies between 5 and 0.6 s", "render", "silo.h5", "-o", "x.mp4", "--from", 5)
refused(3, "nothing of silo.h5 lies at 99 s; its frames go from 0 to 0.6 s", "render", "silo.h5", "-o", "x.png", "--at", 99)
refused(2, "--to 1 is before --from 2", "render", "silo.h5", "-o", "x.mp4", "--from", 2, "--to", 1)
refused(2, "'64' is not WIDTHxHEIGHT", "render", "silo.h5", "-o", "x.mp4", "--size", "64")
refused(2, "'4/3' is not K/N", "render", "silo.h5", "-o", "x.mp4", "--part", "4/3")
refused(2, "--at is for a single picture", "render", "silo.h5", "-o", "x.mp4", "--at", 1)
refused(2, "--look and --template", "render", "silo.h5", "-o", "x.mp4", "--look", "numbers.json", "--template", "moon")
refused(4, "no/x.mp4", "render", "silo.h5", "-o", "no/x.mp4", "--quiet")
refused(3, "needs forces", "render", "silo.h5", "-o", "x.png", "--color", "force", "--quiet")
refused(3, "expression of x, y, z", "render", "silo.h5", "-o", "x.png", "--color", "sped", "--quiet")
open("foreign.mp4", "w").write("not a movie")
refused(4, "foreign.mp4 exists", "render", "silo.h5", "-o", "foreign.mp4", *SMALL)
equal(open("foreign.mp4").read(), "not a movie", "a file that render did not make")
shutil.copy("silo.h5", "damaged.h5")
with open("damaged.h5", "r+b") as file:
    file.truncate(os.path.getsize("silo.h5") // 2)
check(subprocess.run([TALUS, "render", "damaged.h5", "-o", "x.png"], capture_output=True, timeout=60).returncode in (3, 4), "a damaged result")

for text, message in (
        ('{\n "camera": {"eey": [1, 2, 3]}}', "bad.json:2:20: camera.eey: unknown key; known are kind"),
        ('{"size": [64]}', "bad.json:1:10: size: expected 2 numbers"),
        ('{"samples": 1.5}', "samples: expected a whole number"),
        ('{"samples": -1}', "samples: expected a number from 1 to"),
        ('{"fps": 1e999}', "bad.json:1:9: found 1e999"),
        ('{"template": "sudio"}', "template: expected one of \"studio\""),
        ('{"template": "../look.json"}', "files must lie in the folder of the look"),
        ('{"sky": {"kind": "picture", "file": "/etc/passwd"}}', "sky.file: files must lie in the folder of the look"),
        ('{"sky": {"kind": "picture", "file": "a/../../b.png"}}', "sky.file: files must lie in the folder of the look"),
        ('{"moving": {"color": [2, 0, 0]}}', "moving.color: a surface gives back 1 at most"),
        ('{"moving": {"color": "#12345g"}}', "moving.color: expected a colour"),
        ('{"clock": true, "clock": false}', "clock: the key stands here twice"),
        ('{"camera": {"kind": "follow"}}', "camera: a camera that follows needs the name of a body"),
        ('{"camera": {"kind": "path", "keys": [{"time": 0, "eye": [1, 1, 1], "target": [0, 0, 0]}, {"time": 0, "eye": [1, 1, 1], "target": [0, 0, 0]}]}}',
         "camera.keys[1]: times must grow"),
        ('{"cut": {"normal": [0, 0, 0]}}', "cut: the normal is zero"),
        ('{"size": [64, 48],}', "bad.json:1:"),
        ('[]', "expected an object")):
    open("bad.json", "w").write(text)
    refused(3, message, "render", "silo.h5", "--look", "bad.json", "-o", "x.png", "--quiet")
open("bad.json", "w").write('{"camera": {"kind": "follow", "body": "nobody"}}')
refused(3, "no body of the name or number 'nobody'", "render", "silo.h5", "--look", "bad.json", "-o", "x.png", "--quiet")
with h5py.File("silo.h5") as f:
    inside = [float(x) for x in f["states/position"][0]]
open("bad.json", "w").write(json.dumps({"camera": {"kind": "fixed", "eye": inside, "target": [0, 0, 9]}}))
refused(3, "its eye is inside of body", "render", "silo.h5", "--look", "bad.json", "-o", "x.png", "--at", 0, "--quiet")
check(not os.path.exists("x.png"), "a refused picture was written")

# ffmpeg missing, and ffmpeg that dies.
for text, message in ((None, "the program ffmpeg, which makes movies, cannot be started"),
                      ('#!/bin/sh\n[ "$1" = -version ] && exit 0\nhead -c 1000 > /dev/null\necho "it broke" >&2\nexit 1\n', "ffmpeg failed: it broke"),
                      ('#!/bin/sh\n[ "$1" = -version ] && exit 0\nkill -9 $$\n', "ffmpeg was ended by signal 9")):
    shutil.rmtree("bin", ignore_errors=True)
    os.mkdir("bin")
    if text:
        open("bin/ffmpeg", "w").write(text)
        os.chmod("bin/ffmpeg", stat.S_IRWXU)
    path = os.path.abspath("bin") + (":" + os.environ["PATH"] if text else "")
    done = subprocess.run([TALUS, "render", "silo.h5", "-o", "dead.mp4", *map(str, SMALL), "--fps", "10"], capture_output=True, text=True,
                          env={**os.environ, "PATH": path}, timeout=60)
    check(done.returncode == 4 and message in done.stderr, f"ffmpeg that fails: {done.returncode}, {done.stderr}")
    equal([name for name in os.listdir() if name.startswith("dead") and name != "dead.mp4.frames"], [], "files left behind")
talus("render", "silo.h5", "-o", "dead.mp4", *SMALL, "--fps", 10)

# A disk that is full: files of more than a few bytes cannot be written.
script = ('import os, resource, sys; import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); '
          'resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); os.execv(sys.argv[1], sys.argv[1:])')
done = subprocess.run([sys.executable, "-c", script, TALUS, "render", "silo.h5", "-o", "full", "--size", "64x48", "--samples", "1", "--quiet"],
                      capture_output=True, text=True, timeout=60)
check(done.returncode == 4 and "cannot be written: File too large" in done.stderr, f"a full disk: {done.returncode}, {done.stderr}")
equal(os.listdir("full"), [], "files of a full disk")

# --- looks ---

talus("render", "--init", "look.json", "--quiet")
refused(4, "look.json exists", "render", "--init", "look.json")
talus("render", "silo.h5", "--look", "look.json", "-o", "look.png", "--size", "64x48", "--samples", 1, "--quiet")
for name in ("studio", "daylight", "moon", "cutaway", "blueprint"):
    talus("render", "silo.h5", "--template", name, "-o", name + ".png", *SMALL)
    check(read_png(name + ".png").std() > 2, f"nothing is seen in {name}")
plan = run_json("render", "silo.h5", "-o", "plan.mp4", *SMALL, "--plan", 1000)
check(plan["workers"] == 1000 and 0 < plan["busy"] <= 1 and plan["pictures"] == 16, f"a plan: {plan}")
many = run_json("render", "silo.h5", "-o", "plan.mp4", "--size", "64x720", "--samples", 1, "--fps", 400, "--quiet", "--plan", 1000)
units = many["pictures"] * many["bands"]  # dealt out one by one: nearly all workers get equally many
check(200 < many["pictures"] < 1000 and units / (1000 * -(-units // 1000)) > 0.95, f"a plan for fewer pictures than workers: {many}")
check(not os.path.exists("plan.mp4.frames"), "a plan made pictures")
