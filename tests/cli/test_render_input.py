#!/usr/bin/python3 -B
# labels: slow
# `talus render` of CSV files, beside a run, with shaders, and inside of scenes that are there: the same pixels as of the
# result, and what each refuses.
import glob
import json
import os
import shutil
import signal
import subprocess
import time

import numpy as np

from cli import SOURCE, TALUS, check, equal, refused, start, talus
from png import read_png

SMALL = ("--size", "48x36", "--threads", 1, "--quiet", "--force")
CAMERA = {"kind": "fixed", "eye": [0.4, -0.6, 0.35], "target": [0.0, 0.0, 0.03], "fov": 12}
BARE = {"shutter": 0, "floor": None, "fixed": {"hidden": True}, "camera": CAMERA}


def write(path, text):
    with open(path, "w") as file:
        file.write(text if isinstance(text, str) else json.dumps(text))
    return path


def numbers(source, look, *arguments):
    talus("render", source, "--look", write("look.json", look), "-o", "picture.png", "--numbers", *SMALL, *arguments)
    picture = read_png("picture.png")
    return picture[..., 0] << 16 | picture[..., 1] << 8 | picture[..., 2]


def draw(source, look, *arguments):
    talus("render", source, "--look", write("look.json", look), "-o", "picture.png", *SMALL, *arguments)
    return read_png("picture.png").astype(float)


# --- a run with its movie ---

write("follow.json", {"size": [48, 36], "samples": 1, "fps": 5, "color": {"by": "speed", "range": [0, 1]}, "camera": CAMERA})
SILO = os.path.join(SOURCE, "examples", "silo.json")
RUN = ("run", SILO, "--set", "bodies=200", "--until", 0.6, "--threads", 1, "-o", "silo.h5")
talus(*RUN, "--render", "silo.mp4", "--look", "follow.json", "--quiet")
equal(len(glob.glob("silo.mp4.frames/frame_*.png")), 4, "pictures of a run of 0.6 s at 5 per second")
check(os.path.getsize("silo.mp4") > 500, "no movie of the run")
with open("silo.mp4.frames/frame_000002.png", "rb") as file:
    followed = file.read()
talus("render", "silo.h5", "--look", "follow.json", "-o", "after", "--quiet", "--follow")
equal(open("after/frame_000002.png", "rb").read(), followed, "a picture made after the run")
refused(2, "--look is for --render", *RUN, "--look", "follow.json", "--force")
refused(2, "--no-record and --render", "run", SILO, "--no-record", "--render", "x.mp4")
write("foreign.mp4", "not a movie")
refused(4, "foreign.mp4 exists", *RUN, "--force", "--render", "foreign.mp4")
# The look is wrong: the run goes on to its end, and the exit code tells.
write("bad.json", {"fsp": 1})
refused(3, "fsp: unknown key", "run", SILO, "--set", "bodies=20", "--until", 0.02, "-o", "small.h5", "--render", "y.mp4", "--look", "bad.json")
check(os.path.exists("small.h5"), "the run ended with its movie")
# Killed with the run.
process = start("run", SILO, "--set", "bodies=200", "--until", 1000, "--threads", 1, "-o", "long.h5", "--render", "long.mp4", "--look", "follow.json", "--quiet")
deadline = time.monotonic() + 60
while not glob.glob("long.mp4.frames/frame_*.png") and time.monotonic() < deadline and process.poll() is None:
    time.sleep(0.05)
process.send_signal(signal.SIGKILL)
process.communicate(timeout=30)


def others():
    """Processes of the command in this folder."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            links = [os.readlink(f"/proc/{process}/{name}") for name in ("exe", "cwd")]
        except OSError:
            continue
        if links == [os.path.realpath(TALUS), os.path.realpath(".")]:
            found.append(process)
    return found


while others() and time.monotonic() < deadline:
    time.sleep(0.05)
equal(others(), [], "what is left of a run that was killed")

# --- CSV ---

talus("export", "silo.h5", "--format", "csv", "-o", "silo.csv", "--quiet")
for when in (0.3, 0.41):
    result, table = (numbers(path, BARE, "--at", when) for path in ("silo.h5", "silo.csv"))
    check((result > 0).sum() > 100, "too few bodies are seen")
    check((result != table).mean() < 0.002, f"the CSV shows other bodies at {when} s: {(result != table).sum()} pixels")
lines = open("silo.csv").read().splitlines()
head, rows = lines[0].split(","), [line.split(",") for line in lines[1:]]
index = {name: i for i, name in enumerate(head)}
# Other names, another unit, another separator, no radii, rows in another order, numbers from 0.
times = sorted({row[index["time"]] for row in rows}, key=float)
last = [row for row in rows if row[index["time"]] == times[-1]][::-1]
shift = min(int(row[index["body"]]) for row in last)
write("other.csv", "id; pos x;py;pz\n" + "".join(
    f"{int(row[index['body']]) - shift};{1000 * float(row[index['x']])!r};{1000 * float(row[index['y']])!r};{1000 * float(row[index['z']])!r}\n" for row in last))
other = {**BARE, "input": {"columns": {"body": "id", "x": "pos x", "y": "py", "z": "pz"}, "radius": float(last[0][index["radius"]]), "scale": 0.001}}
wanted = numbers("silo.h5", BARE, "--at", times[-1])
moved = numbers("other.csv", other)
equal(((moved > 0) != (wanted > 0)).sum(), 0, "pixels with a body of the other table")
equal(set(np.unique(wanted - moved)[np.unique(wanted - moved) != 0].tolist()) | {0}, {0, shift - 1}, "numbers of bodies that are counted from 0")
# Materials by name, and bodies that come and go.
write("names.csv", "time,body,x,y,z,radius,material\n0,1,0,0,0,0.1,red\n0,2,0.3,0,0,0.1,\n1,2,0.3,0,0,0.1,\n1,3,-0.3,0,0,0.1,red\n")
show = {**BARE, "camera": {"kind": "fixed", "eye": [0, -3, 0], "target": [0, 0, 0], "fov": 20}, "materials": {"red": {"hidden": True}}}
equal(sorted(np.unique(numbers("names.csv", show, "--at", 0)).tolist()), [0, 2], "bodies whose material is hidden")
show["materials"] = {}
equal(sorted(np.unique(numbers("names.csv", show, "--at", 1)).tolist()), [0, 2, 3], "bodies at the end")

for text, message in (
        ("", "bad.csv: is empty"),
        ("x,y,z,radius\n", "bad.csv: has no lines of bodies"),
        ("x,y,radius\n1,2,3\n", "bad.csv:1: z: there is no such column"),
        ("x,y,z\n1,2,3\n", "bad.csv:1: radius: there is no such column, and no input.radius"),
        ("x,y,z,radius,x\n1,2,3,1,1\n", "bad.csv:1: x: the column is there twice"),
        ("x,y,z,radius,vx\n1,2,3,1,1\n", "bad.csv:1: vy: the column is missing; vx is there"),
        ("x,y,z,radius\n1,2,3,1\n1,2,3\n", "bad.csv:3: has 3 cells; the first line has 4"),
        ("x,y,z,radius\n1,nan,3,1\n", "bad.csv:2: y: found 'nan', expected a finite number"),
        ("x,y,z,radius\n1,2,inf,1\n", "bad.csv:2: z: found 'inf'"),
        ("x,y,z,radius\n1,2,3 m,1\n", "bad.csv:2: z: found '3 m'"),
        ("x,y,z,radius\n1,2,3,0\n", "bad.csv:2: radius: a radius must be above 0"),
        ("body,x,y,z,radius\n1.5,1,2,3,1\n", "bad.csv:2: body: expected a whole number"),
        ("body,x,y,z,radius\n7,1,2,3,1\n7,1,2,3,1\n", "body: body 7 is twice in the frame that ends here"),
        ("time,x,y,z,radius\n1,1,2,3,1\n0,1,2,3,1\n", "bad.csv:3: time: times must ascend"),
        ('x,y,z,radius\n"1,2,3,1\n', "bad.csv:2: a quote has no end")):
    write("bad.csv", text)
    refused(3, message, "render", "bad.csv", "-o", "x.png", "--quiet")
refused(4, "is not there", "render", "nothing.csv", "-o", "x.png")
write("bad.csv", "x,y,z,radius\n0,0,0,1\n")
refused(3, "t: there is no such column", "render", "bad.csv", "-o", "x.png", "--look", write("l.json", {"input": {"columns": {"time": "t"}}}))
refused(3, "input.columns.tmie: unknown key", "render", "bad.csv", "-o", "x.png", "--look", write("l.json", {"input": {"columns": {"tmie": "t"}}}))

# --- shading ---

write("ball.csv", "x,y,z,radius,material\n0,0,0,1,ball\n")
even = {"floor": None, "lights": [], "sun": None, "background": [0, 0, 0], "sky": {"kind": "uniform", "color": [1, 1, 1], "strength": 1}, "tone": "plain",
        "exposure": 1, "camera": {"kind": "fixed", "eye": [0, -8, 0], "target": [0, 0, 0], "fov": 16}, "samples": 64, "shutter": 0}


def ball(**material):
    return draw("ball.csv", {**even, "materials": {"ball": {"kind": "diffuse", **material}}})


# Red where x is above 0, seen from -y with x to the right; under an even sky the radiance is the albedo.
picture = ball(color=["max(0, min(1, 1000*px))", 0.25, 0])
left, right = picture[18, 14], picture[18, 34]
check(left[0] < 5 and abs(right[0] - 255) < 8, f"a colour by an expression: {left} and {right}")
check(abs(left[1] - 137) < 6 and abs(right[1] - 137) < 6, "a colour that is no expression")  # 0.25 as sRGB
plain, rough = ball(color=[0.5, 0.5, 0.5]), ball(color=[0.5, 0.5, 0.5], bump="0.002*sin(60*pz)")
check(np.abs(plain - rough)[12:24, 18:30].mean() < 4, "under an even sky bumps are hardly seen")
lit = {**even, "sky": {"strength": 0}, "sun": {"azimuth": -90, "elevation": 80, "strength": 3}}
bands = [draw("ball.csv", {**lit, "materials": {"ball": {"kind": "diffuse", "color": [0.5, 0.5, 0.5], **bump}}})[8:24, 24, 0]
         for bump in ({}, {"bump": "0.05*sin(30*pz)"})]
check(np.abs(np.diff(bands[1])).sum() > 2 * np.abs(np.diff(bands[0])).sum(), f"bumps do not show: {bands}")
# The sun's image on metal: spread where it is rough, on the right.
gloss = draw("ball.csv", {**lit, "sun": {"azimuth": -90, "elevation": 10, "strength": 3},
                          "materials": {"ball": {"kind": "metal", "color": [1, 1, 1], "roughness": "0.1 + 0.6*max(0, min(1, 1000*px))"}}}, "--samples", 256)
check((gloss[:, 28:, 0] > 10).sum() > 2 * (gloss[:, :20, 0] > 10).sum(), "a roughness by an expression")
for name in ("granite", "sandstone", "sand", "concrete", "clay", "wood", "rubber", "steel", "rust", "aluminium", "copper", "gold", "glass", "ice"):
    talus("render", "ball.csv", "-o", "x.png", *SMALL, "--samples", 1, "--look", write("l.json", {"moving": {"from": name}}))
for material, message in (({"from": "unobtainium"}, 'moving.from: expected one of "granite"'),
                          ({"bump": "sin("}, "moving.bump: 'sin('"),
                          ({"roughness": "speed"}, "unknown name 'speed'"),
                          ({"roughness": 2}, "moving.roughness: expected a number from 0 to 1"),
                          ({"bump": 1}, "moving.bump: expected a text"),
                          ({"shader": "rings"}, "looks load no code")):
    refused(3, message, "render", "ball.csv", "-o", "x.png", "--look", write("l.json", {"moving": material}), "--force")

# Compiled ones.
write("half.c", """
#include "talus/shader.h"
#include <stddef.h>
static void half(const talus_shade_point *p, talus_shade *s)
{
    s->color[0] = p->local[0] > 0;
    s->color[1] = 0.25;
    s->color[2] = 7; /* is brought down to 1 */
}
static const talus_shader_entry all[] = {{"half", half}, {NULL, NULL}};
const talus_shader_entry *talus_shaders(unsigned version)
{
    return version == TALUS_SHADER_VERSION ? all : NULL;
}
""")
compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-I", os.path.join(SOURCE, "include"), "half.c", "-o", "half.so"], check=True)
shaded = {**even, "materials": {"ball": {"kind": "diffuse", "shader": "half"}}}
picture = draw("ball.csv", shaded, "--plugin", "half.so")
left, right = picture[18, 14], picture[18, 34]
check(left[0] < 5 and right[0] > 247 and abs(left[1] - 137) < 6 and left[2] > 247, f"a compiled shader: {left} and {right}")
refused(3, "has the shader 'rings'; half.so has half", "render", "ball.csv", "-o", "x.png", "--plugin", "half.so", "--force",
        "--look", write("l.json", {"moving": {"shader": "rings"}}))
refused(4, "--plugin: nowhere.so", "render", "ball.csv", "-o", "x.png", "--plugin", "nowhere.so", "--force")
write("no.c", "int nothing;")
subprocess.run([compiler, "-shared", "-fPIC", "no.c", "-o", "no.so"], check=True)
refused(3, "does not define talus_shaders()", "render", "ball.csv", "-o", "x.png", "--plugin", "no.so", "--force")

# --- inside of a scene ---

write("block.obj", "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
      "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n")
hides = {**even, "fixed": {"hidden": True}, "scene": [{"mesh": "block.obj", "position": [-1, -2, 0], "scale": 0.5, "rotation": [0, 0, 45], "material": {"color": [0, 0, 0]}},
                           {"inject": "bodies"}]}
before, behind = draw("ball.csv", even), draw("ball.csv", hides)
covered = (np.abs(before - behind).max(axis=2) > 60)
check(covered[:, :22].sum() > 40 and covered[:, 28:].sum() == 0, "a mesh of the look's scene")
for scene, message in (([{"mesh": "block.obj"}], "scene: expected {\"inject\": \"bodies\"} once"),
                       ([{"inject": "bodies"}, {"inject": "bodies"}], "once"),
                       ([{"inject": "lights"}], "scene[0]: expected one of \"bodies\""),
                       ([{"mesh": "../block.obj"}, {"inject": "bodies"}], "files must lie in the folder"),
                       ([{"position": [0, 0, 0]}, {"inject": "bodies"}], "scene[0]: expected a 'mesh'")):
    refused(3, message, "render", "ball.csv", "-o", "x.png", "--look", write("l.json", {"scene": scene}), "--force")
# A template that others use.
write("stage.json", hides)
equal((draw("ball.csv", {"template": "stage.json"}) == behind).all(), True, "a look of a template with a scene")

# RIB.
write("user.rib", 'Display "mine.tif" "file" "rgb"\n#inject camera\nWorldBegin\n  #inject lights\nSurface "mine"\n  #inject bodies\nPolygon "P" [0 0 0 1 0 0 0 1 0]\nWorldEnd\n')
look = write("look.json", {**BARE, "camera": CAMERA})
text = talus("render", "names.csv", "--look", look, "--rib", "-o", "-", "--inject", "user.rib", "--fps", 1, "--quiet").stdout
equal(text.count('Display "mine.tif"'), 2, "scenes of the stream")
equal((text.count("#inject"), text.count("Sphere 0.1"), text.count('Polygon "P" [0 0 0 1 0 0 0 1 0]')), (0, 4, 2), "directives, spheres and what was there")
check(text.index("Projection") < text.index("WorldBegin") < text.index("LightSource") < text.index("Sphere") < text.index("Polygon \"P\" [0 0 0"), "the order")
origin = [float(x) for x in text[text.index("AttributeBegin\nTranslate") + 25:].split("\n")[0].split()]
place = [float(x) for x in text[text.index('"body 1"'):].split("Translate ")[1].split("\n")[0].split()]
check(np.abs(np.add(origin, place)).max() < 1e-6, f"body 1 is at {origin} + {place}, not at 0")
write("user.rib", "WorldBegin\nWorldEnd\n")
refused(3, "user.rib: has no line '#inject bodies'", "render", "names.csv", "--rib", "-o", "ribs", "--inject", "user.rib", "--quiet")
write("user.rib", "WorldBegin\n#inject everything\n")
refused(3, "user.rib:2: #inject: found 'everything'", "render", "names.csv", "--rib", "-o", "ribs", "--inject", "user.rib", "--quiet")
equal(glob.glob("ribs/*"), [], "files of a scene that was refused")
refused(4, "none.rib", "render", "names.csv", "--rib", "-o", "ribs", "--inject", "none.rib", "--quiet")
refused(2, "--inject is for --rib", "render", "names.csv", "-o", "x.png", "--inject", "user.rib")
