#!/usr/bin/python3 -B
"""`talus-bench render`: how long pictures of many spheres take until their noise is 1 %, in Talus and in other renderers.

render.py TALUS [--bodies N,N] [--threads N] [--peers povray,tachyon,cycles] [--size WxH] [--reference N] [--json]

Spheres of the example `pile` after a few steps stand on a square. --size is a crop in the middle of a picture of 1280 x 720. Each renderer draws its
own file of them with few samples, then with four times as many again and again until the error is below 1 %, and once with many samples and other
noise: the reference. The error is the root of the mean square of the difference to the renderer's own reference, over the mean. Between the last two counts
it falls by a power of the samples (a half at least), which also tells what of it is the reference's own noise. So the samples for 1 % and their time at
1280 x 720 follow: setup + samples * pixels * time per sample. `direct`: a sun and the sky without further bounces (ambient occlusion; POV-Ray: radiosity of one bounce). `global`: the sky and a lamp, four bounces. Seconds are of
processors, all threads together, with reading and building; wall clock and peak memory stand beside."""
import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests", "cli"))
from exr import radiance  # noqa: E402

WIDTH, HEIGHT, TARGET = 1280, 720, 0.01
ALBEDO, SKY, SUN, LAMP = 0.5, 0.5, 0.5, 6.0


def timed(arguments):
    """Runs a program: seconds of processors, of the wall clock, and its peak memory in bytes."""
    script = ("import json, resource, subprocess, sys, time; t = time.monotonic(); done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, "
              "stderr=subprocess.STDOUT, text=True, errors='replace'); r = resource.getrusage(resource.RUSAGE_CHILDREN); "
              "print(json.dumps([done.returncode, r.ru_utime + r.ru_stime, time.monotonic() - t, r.ru_maxrss * 1024, done.stdout[-2000:]]))")
    done = subprocess.run([sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True, check=True)
    code, cpu, wall, memory, said = json.loads(done.stdout)
    return code, cpu, wall, memory, said


def read_ppm(path):
    """16-bit linear red, green and blue as their mean."""
    with open(path, "rb") as file:
        data = file.read()
    words, at = [], 0
    while len(words) < 4:
        end = at
        while data[end:end + 1] not in (b" ", b"\n", b"\t"):
            end += 1
        if data[at:at + 1] == b"#":
            at = data.index(b"\n", at) + 1
            continue
        if end > at:
            words.append(data[at:end])
        at = end + 1
    width, height, most = map(int, words[1:])
    kind = ">u2" if most > 255 else "u1"
    return np.frombuffer(data, kind, 3 * width * height, at).reshape(height, width, 3).mean(axis=2) / most


class Renderer:
    def __init__(self, rows, camera, square, options):
        self.rows, self.camera, self.square, self.options = rows, camera, square, options
        self.size = options.size


class Talus(Renderer):
    samples, many = (4, 16, 64, 256, 1024), None

    def draw(self, mode, samples):
        matte = {"kind": "diffuse", "color": [ALBEDO] * 3}
        look = {"size": self.size, "shutter": 0, "samples": samples, "seed": samples, "bounces": 1 if mode == "direct" else 4, "floor": None, "background": None,
                "color": {"by": ""}, "fixed": {"hidden": True}, "sky": {"kind": "uniform", "color": [1, 1, 1], "strength": SKY}, "moving": matte,
                "sun": {"azimuth": -90, "elevation": 45, "strength": math.pi * SUN} if mode == "direct" else None,
                "lights": [] if mode == "direct" else [{"kind": "quad", "position": self.lamp[0], "target": self.lamp[1], "size": self.lamp[2], "strength": LAMP}],
                "camera": {"kind": "fixed", **self.camera}, "scene": [{"mesh": "square.obj", "material": matte}, {"inject": "bodies"}]}
        with open("square.obj", "w") as file:
            file.write("".join("v {!r} {!r} {!r}\n".format(*map(float, v)) for v in self.square) + "f 1 2 3\nf 1 3 4\n")
        with open("look.json", "w") as file:
            json.dump(look, file)
        out = timed([self.options.talus, "render", self.result, "--look", "look.json", "-o", "talus.png", "--exr", "--force", "--quiet",
                     "--threads", self.options.threads])
        return out, radiance("talus.exr") if out[0] == 0 else None


class Cycles(Renderer):
    samples, many = (4, 16, 64, 256, 1024), None

    def draw(self, mode, samples):
        np.save("balls.npy", self.rows)
        centre, target, size = self.lamp
        half = size[0] / 2
        corners = [[centre[0] + x * half, centre[1] + y * half, centre[2]] for x, y in ((-1, -1), (-1, 1), (1, 1), (1, -1))]
        scene = {"spheres": os.path.abspath("balls.npy"), "meshes": [[np.asarray(self.square).tolist(), [[0, 1, 2, 3]]]], "albedo": ALBEDO, "sky": SKY,
                 "light": {"corners": corners, "radiance": LAMP}, "camera": self.camera, "size": self.size, "samples": samples, "bounces": 3,  # after the first
                 "threads": self.options.threads, "seed": samples, "out": os.path.abspath("cycles.exr")}
        with open("scene.json", "w") as file:
            json.dump(scene, file)
        out = timed(["blender", "-b", "--factory-startup", "-P", os.path.join(HERE, "peers", "cycles.py"), "--", "scene.json"])
        return out, radiance("cycles.exr") if os.path.exists("cycles.exr") else None


class Tachyon(Renderer):
    samples, many = (4, 16, 64, 256), 512

    def draw(self, mode, samples):
        forward = np.subtract(self.camera["target"], self.camera["eye"])
        forward = forward / np.linalg.norm(forward)
        zoom = 1 / math.tan(math.radians(self.camera["fov"] / 2)) / 1.0
        with open("tachyon.dat", "w") as file:
            file.write(f"BEGIN_SCENE\nRESOLUTION {self.size[0]} {self.size[1]}\nSHADER_MODE FULL\nAMBIENT_OCCLUSION\nAMBIENT_COLOR {SKY} {SKY} {SKY}\n"
                       f"RESCALE_DIRECT 1\nSAMPLES 1\nEND_SHADER_MODE\nCAMERA\nPROJECTION PERSPECTIVE\nZOOM {zoom}\nASPECTRATIO 1\nANTIALIASING {samples - 1}\n"
                       "RAYDEPTH 4\nCENTER {} {} {}\nVIEWDIR {} {} {}\nUPDIR 0 0 1\nEND_CAMERA\n".format(*self.camera["eye"], *forward))
            file.write(f"DIRECTIONAL_LIGHT DIRECTION 0 0.70710678 -0.70710678 COLOR {SUN} {SUN} {SUN}\nBACKGROUND {SKY} {SKY} {SKY}\n"
                       f"TEXDEF m AMBIENT 0 DIFFUSE 1 SPECULAR 0 OPACITY 1 COLOR {ALBEDO} {ALBEDO} {ALBEDO} TEXFUNC 0\n")
            a, b, c, d = ("{} {} {}".format(*v) for v in self.square)
            file.write(f"TRI V0 {a} V1 {b} V2 {c} m\nTRI V0 {a} V1 {c} V2 {d} m\n")
            for x, y, z, r in self.rows:
                file.write(f"SPHERE CENTER {x:.7g} {y:.7g} {z:.7g} RAD {r:.7g} m\n")
            file.write("END_SCENE\n")
        out = timed(["tachyon", "tachyon.dat", "-o", "tachyon.ppm", "-format", "PPM48", "-numthreads", self.options.threads])
        return out, read_ppm("tachyon.ppm") if os.path.exists("tachyon.ppm") else None


class Povray(Renderer):
    samples, many = (4, 16, 64), 144

    def draw(self, mode, samples):
        eye, target = self.camera["eye"], self.camera["target"]
        with open("povray.pov", "w") as file:
            file.write("#version 3.7;\nglobal_settings { assumed_gamma 1.0 radiosity { recursion_limit 1 count 64 error_bound 0.5 pretrace_end 0.02 brightness 1 } }\n"
                       f"background {{ rgb {SKY} }}\n#default {{ finish {{ ambient 0 diffuse 1 }} pigment {{ rgb {ALBEDO} }} }}\n")
            file.write("camera {{ perspective location <{},{},{}> sky <0,0,1> up y right -{}*x angle {} look_at <{},{},{}> }}\n".format(
                           *eye, self.size[0] / self.size[1],
                           2 * math.degrees(math.atan(math.tan(math.radians(self.camera["fov"] / 2)) * self.size[0] / self.size[1])), *target))
            file.write(f"light_source {{ <0,-1e5,1e5> rgb {SUN} parallel point_at <0,0,0> }}\n")
            file.write("mesh {{ triangle {{ <{},{},{}>,<{},{},{}>,<{},{},{}> }} triangle {{ <{},{},{}>,<{},{},{}>,<{},{},{}> }} }}\n".format(
                *[c for i in (0, 1, 2, 0, 2, 3) for c in self.square[i]]))
            for x, y, z, r in self.rows:
                file.write(f"sphere{{<{x:.7g},{y:.7g},{z:.7g}>,{r:.7g}}}\n")
        root = max(1, round(math.sqrt(samples)))
        out = timed(["povray", "+Ipovray.pov", "+Opovray.ppm", "+FP16", "File_Gamma=1.0", f"+W{self.size[0]}", f"+H{self.size[1]}", "-D", "+A0.0", "+AM1",
                     "+J1", f"+R{root}", f"+WT{self.options.threads}"])
        return out, read_ppm("povray.ppm") if os.path.exists("povray.ppm") else None


def measure(renderer, name, mode, bodies, options):
    def draw(samples):
        out, picture = renderer.draw(mode, samples)
        if out[0] != 0 or picture is None:
            raise RuntimeError(f"{name}: exit code {out[0]}: {out[4][-500:]}")
        return out, picture

    many = renderer.many or options.reference
    _, exact = draw(many)
    runs = []
    for samples in renderer.samples:
        out, picture = draw(samples)
        runs.append((samples, out[1], float(np.sqrt(((picture - exact) ** 2).mean()) / exact.mean())))
        if len(runs) > 1 and (runs[-1][2] < TARGET or 4 * samples >= many):
            break
    (s0, t0, _), (s1, _, found), (s2, t2, error) = runs[0], *runs[-2:]
    _, _, wall, memory, _ = out
    each = max(t2 - t0, 0) / (s2 - s0)
    setup = max(t0 - s0 * each, 0)
    power = 0.5
    for _ in range(20):
        e1, e2 = (e / math.sqrt(1 + (n / many) ** (2 * power)) for e, n in ((found, s1), (error, s2)))
        power = max(math.log(e1 / e2) / math.log(s2 / s1), 0.5)
    needed = s2 * (e2 / TARGET) ** (1 / power)
    pixels = options.size[0] * options.size[1]
    return {"renderer": name, "mode": mode, "bodies": bodies, "threads": options.threads, "samples": s2, "error_percent": 100 * error, "power": power, "mean": float(exact.mean()),
            "setup_s": setup, "us_per_sample": 1e6 * each / pixels, "samples_for_1_percent": needed, "total_s": setup + needed * each * WIDTH * HEIGHT / pixels,
            "wall_s": wall, "bytes_per_sphere": memory / bodies, "load": os.getloadavg()[0]}


def prepare(options, bodies):
    """The result, its spheres, a camera that sees them, a square below and the place of the lamp."""
    import h5py
    scene = os.path.join(os.path.dirname(HERE), "examples", "pile.json")
    subprocess.run([options.talus, "run", scene, "--set", f"bodies={bodies}", "--until", "0.02", "--rate", "50", "-o", "pile.h5", "--force", "--quiet"], check=True)
    with h5py.File("pile.h5") as file:
        frame = file["frames"][-1]
        rows = slice(int(frame["state_first"]), int(frame["state_first"] + frame["state_count"]))
        places = file["states/position"][rows]
        radii = {int(s["body"]): float(s["radius"]) for s in file["shapes"][:] if s["kind"] == 0}
        balls = np.column_stack([places, [radii[int(b)] for b in file["states/body"][rows]]])
    low, high = places.min(axis=0), places.max(axis=0)
    middle, size = (low + high) / 2, float(np.linalg.norm(high - low))
    floor = float(low[2] - balls[:, 3].max() * 1.001)
    square = [[middle[0] + 3 * size * x, middle[1] + 3 * size * y, floor] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    camera = {"eye": [float(middle[0] + 0.6 * size), float(middle[1] - 1.1 * size), float(middle[2] + 0.6 * size)], "target": middle.tolist(),
              "fov": 2 * math.degrees(math.atan(math.tan(math.radians(16)) * options.size[1] / HEIGHT))}
    lamp = ([float(middle[0]), float(middle[1]), float(high[2] + 0.5 * size)], [float(middle[0]), float(middle[1]), floor], [0.3 * size, 0.3 * size])
    return balls, camera, square, lamp


def main():
    parser = argparse.ArgumentParser(prog="talus-bench render", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("talus")
    parser.add_argument("--bodies", default="1000000")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--peers", default="")
    parser.add_argument("--size", default="320x180")
    parser.add_argument("--reference", type=int, default=4096)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.size = [int(x) for x in options.size.split("x")]
    options.talus = os.path.abspath(options.talus)
    kinds = {"povray": (Povray, "povray", "direct"), "tachyon": (Tachyon, "tachyon", "direct"), "cycles": (Cycles, "blender", "global")}
    wanted = [peer for peer in options.peers.split(",") if peer]
    for peer in wanted:
        if peer not in kinds:
            parser.error(f"--peers {peer}: expected povray, tachyon or cycles")
    failed = False
    folder = tempfile.mkdtemp(prefix="talus-bench-render-")
    os.chdir(folder)
    table = []
    try:
        for bodies in map(int, options.bodies.split(",")):
            rows, camera, square, lamp = prepare(options, bodies)
            jobs = [(Talus, "talus", "direct"), (Talus, "talus", "global")]
            for peer in wanted:
                if shutil.which(kinds[peer][1]):
                    jobs.append((kinds[peer][0], peer, kinds[peer][2]))
                else:
                    print(f"render.py: {kinds[peer][1]} is not there: {peer} is left out", file=sys.stderr)
                    failed = True
            for kind, name, mode in jobs:
                renderer = kind(rows, camera, square, options)
                renderer.lamp, renderer.result = lamp, "pile.h5"
                try:
                    table.append(measure(renderer, name, mode, bodies, options))
                except RuntimeError as error:
                    print(f"render.py: {error}", file=sys.stderr)
                    failed = True
                    continue
                if options.json:
                    print(json.dumps(table[-1]), flush=True)
    finally:
        shutil.rmtree(folder, True)
    if not options.json and table:
        print("| renderer | light | spheres | threads | samples | error, % | setup, s | us per sample | samples for 1 % | total at 1280 x 720, s | wall, s | bytes per sphere |")
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        for r in table:
            print("| {renderer} | {mode} | {bodies:,} | {threads} | {samples} | {error_percent:.2f} | {setup_s:.2f} | {us_per_sample:.2f} | {samples_for_1_percent:.0f} | "
                  "{total_s:.0f} | {wall_s:.1f} | {bytes_per_sphere:.0f} |".format(**r))
        print(f"\nLoad of the machine at the end: {table[-1]['load']:.1f}.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
