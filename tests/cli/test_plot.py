#!/usr/bin/python3
# `talus plot`: the picture is whole (PNG by its sums and its pixels, SVG by its points), the numbers beside it are those
# of the export, and mistakes are told.
import re
import struct
import xml.dom.minidom
import zlib

from cli import *

with open("fall.json", "w", encoding="utf-8") as file:
    json.dump({"version": 1, "duration": 0.5, "bodies": [{"name": "ball", "position": [0, 0, 5], "shapes": [{"kind": "sphere", "radius": 0.1}]}],
               "monitors": {"at": {"kind": "position", "on": "ball"}, "v": {"kind": "velocity", "on": "ball"}}}, file)
talus("run", "fall.json", "-o", "a.h5", "--quiet", "--backend", "cpu")
talus("run", "fall.json", "-o", "b.h5", "--quiet", "--backend", "cpu", "--set", "gravity=[0,0,-1.6]")

# ---- SVG: it parses, has a curve per result, and the curve falls as the ball does ----
talus("plot", "a.h5", "b.h5", "--y", "at.z", "-o", "z.svg", "--title", "a < b & c", "--inset", "0.2:0.3", "--quiet")
picture = xml.dom.minidom.parse("z.svg")
texts = [node.firstChild.data for node in picture.getElementsByTagName("text")]
for wanted in ("a < b & c", "at.z (m)", "t (s)", "a.h5", "b.h5"):
    check(wanted in texts, f"the picture does not say {wanted}: {texts}")
curves = [node for node in picture.getElementsByTagName("polyline") if node.getAttribute("stroke-width") == "1.5"]
equal(len(curves), 4, "curves, two of them close")
points = [tuple(map(float, pair.split(","))) for pair in curves[0].getAttribute("points").split()]
check(points[-1][1] > points[0][1] + 100, "the first curve does not fall")
x = [p[0] for p in points]
y = [p[1] for p in points]
half = min(range(len(x)), key=lambda i: abs(x[i] - (x[0] + x[-1]) / 2))
check(abs((y[half] - y[0]) / (y[-1] - y[0]) - 0.25) < 0.02, "half of the time is not a quarter of the way")

# ---- CSV: the numbers of the export ----
talus("export", "a.h5", "-o", "m.csv", "--format", "monitors", "--quiet")
with open("m.csv", encoding="utf-8") as file:
    exported = [float(row["at.z [m]"]) for row in csv.DictReader(file)]
with open("z.csv", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
equal([float(row["value"]) for row in rows if row["result"] == "a.h5"], exported, "the numbers beside the picture")

# ---- PNG: sums and sizes are right, and something is drawn in the first colour ----
talus("plot", "a.h5", "--y", "v.z", "--x", "at.z", "-o", "v.png", "--quiet")
with open("v.png", "rb") as file:
    data = file.read()
equal(data[:8], b"\x89PNG\r\n\x1a\n", "the mark of a PNG")
at, chunks = 8, {}
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    body, sum_ = data[at + 8:at + 8 + size], struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
    equal(zlib.crc32(kind + body), sum_, f"the sum of {kind}")
    chunks[kind] = body
    at += 12 + size
width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
raw = zlib.decompress(chunks[b"IDAT"])
equal(len(raw), (3 * width + 1) * height, "bytes of the picture")
row, blue = bytes(3 * width), 0
for i in range(height):
    line = raw[i * (3 * width + 1):(i + 1) * (3 * width + 1)]
    equal(line[0], 2, "the filter of a row")
    row = bytes((a + b) & 255 for a, b in zip(line[1:], row))
    blue += sum(row[k:k + 3] == b"\x00\x72\xb2" for k in range(0, len(row), 3))
check(blue > 500, f"{blue} pixels have the colour of the curve")

# ---- A part of the time; and the same bytes again ----
talus("plot", "a.h5", "--y", "at.z", "--from", "0.1", "--to", "0.2", "-o", "part.svg", "--quiet")
with open("part.csv", encoding="utf-8") as file:
    times = [float(row["t"]) for row in csv.DictReader(file)]
check(abs(times[0] - 0.1) < 1e-9 and abs(times[-1] - 0.2) < 1e-9, f"the part goes from {times[0]} to {times[-1]}")
talus("plot", "a.h5", "--y", "at.z", "--from", "0.1", "--to", "0.2", "-o", "again.svg", "--quiet")
equal(open("part.svg", "rb").read(), open("again.svg", "rb").read(), "the same picture again")

# ---- What steps say of joints is in results ----
report = run_json("run", os.path.join(SOURCE, "examples", "slidercrank.json"), "--until", "0.2", "-o", "crank.h5", "--quiet", "--backend", "cpu")
check(report["joint_error"] > 0 and report["motor_energy"] > 0 and report["spring_energy"] > 0, f"nothing to compare: {report}")
for key in ("joint_error", "motor_energy"):
    talus("plot", "crank.h5", "--y", key, "-o", key + ".svg", "--quiet")
    with open(key + ".csv", encoding="utf-8") as file:
        equal(float(list(csv.DictReader(file))[-1]["value"]), report[key], f"the last {key} of a result")

# ---- Mistakes ----
refused(2, "plot needs -o FILE", "plot", "a.h5", "--y", "at.z")
refused(2, "plot needs --y CHANNEL", "plot", "a.h5", "-o", "x.svg")
refused(2, "'x.pdf' ends neither in .svg nor in .png", "plot", "a.h5", "--y", "at.z", "-o", "x.pdf")
refused(2, "a.h5 has no channel 'att.z', did you mean 'at.z'?", "plot", "a.h5", "--y", "att.z", "-o", "x.svg")
refused(2, "--inset: '3:1' is not LOW:HIGH", "plot", "a.h5", "--y", "at.z", "-o", "x.svg", "--inset", "3:1")
refused(2, "no point lies in the --inset from 7 to 7.5; x goes from ", "plot", "a.h5", "--y", "at.z", "-o", "x.svg", "--inset", "7:7.5")
refused(2, "no step of a.h5 lies in this time", "plot", "a.h5", "--y", "at.z", "-o", "x.svg", "--from", "9")
refused(4, "z.svg exists; --force replaces it", "plot", "a.h5", "--y", "at.z", "-o", "z.svg")
refused(4, "none.h5", "plot", "none.h5", "--y", "at.z", "-o", "x.svg")
check(not os.path.exists("x.svg"), "a refused plot left a file")
print("plot: ok")
