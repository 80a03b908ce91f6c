#!/usr/bin/python3 -B
# labels: slow
# What looks say, seen in pictures: cameras that follow, go along keys, go round and stand where a link of the viewer
# does; stand-ins, force chains, stripes, cuts, colours and their legend, outlines, noise and its filter.
import json
import math
import re
import struct
import subprocess

import h5py
import numpy as np

from cli import check, equal, refused, run_json, talus
from png import read_png

SIZE = ("--size", "48x36")
# A ball rolls along x, another rests; a box stands beside. They touch nothing but the ground.
SPEED, RADIUS = 1.0, 0.25
scene = {"version": 1, "duration": 1, "step": 0.002, "record": {"rate": 10, "contacts": True},
         "materials": {"stone": {"friction": 0.6}, "rubber": {"friction": 0.8}},
         "bodies": [
             {"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane", "material": "rubber"}]},
             {"name": "roller", "position": [-0.5, 0, RADIUS], "velocity": [SPEED, 0, 0], "angular_velocity": [0, SPEED / RADIUS, 0],
              "shapes": [{"kind": "sphere", "radius": RADIUS, "material": "stone"}]},
             {"name": "rests", "position": [0, 1.5, 0.2], "shapes": [{"kind": "sphere", "radius": 0.2, "material": "stone"}]},
             {"name": "block", "position": [0, -1.5, 0.3], "shapes": [{"kind": "box", "size": [0.6, 0.6, 0.6], "material": "rubber"}]}]}
with open("roll.json", "w") as file:
    json.dump(scene, file)
talus("run", "roll.json", "-o", "roll.h5", "--quiet", "--threads", 1)
ROLLER, RESTS, BLOCK = 2, 3, 4


def draw(look, *arguments, name="picture.png"):
    with open("look.json", "w") as file:
        json.dump(look, file)
    size = () if "--size" in arguments else SIZE
    talus("render", "roll.h5", "--look", "look.json", "-o", name, *size, "--threads", 1, "--force", "--quiet", *arguments)
    return read_png(name)


def numbers(look, *arguments):
    picture = draw(look, "--numbers", *arguments)
    return picture[..., 0] << 16 | picture[..., 1] << 8 | picture[..., 2]


def middle(picture, number):
    y, x = np.nonzero(picture == number)
    check(len(x) > 0, f"body {number} is not in the picture")
    return x.mean() + 0.5, y.mean() + 0.5


# --- cameras ---

fit = numbers({})
equal(sorted(set(fit.ravel()) - {0}), [ROLLER, RESTS, BLOCK], "bodies that a camera that fits sees")
for when in (0, 0.45, 1):
    x, y = middle(numbers({"camera": {"kind": "follow", "body": "roller", "distance": 5}}, "--at", when), ROLLER)
    check(abs(x - 24) < 1 and abs(y - 18) < 1, f"the body that is followed is at {x}, {y} at {when} s")
first = {"time": 0, "eye": [3, -4, 2], "target": [0, 0, 0.2]}
second = {"time": 1, "eye": [-4, -4, 3], "target": [0, 0.5, 0.2]}
path = {"camera": {"kind": "path", "keys": [first, second]}}
for key, when in ((first, 0), (second, 1)):
    fixed = {"camera": {"kind": "fixed", "eye": key["eye"], "target": key["target"]}}
    check((numbers(path, "--at", when) == numbers(fixed, "--at", when)).all(), f"the camera is not at its key at {when} s")
between = {"camera": {"kind": "fixed", "eye": [-0.5, -4, 2.5], "target": [0, 0.25, 0.2]}}  # two keys: a straight line
check((numbers(path, "--at", 0.5) == numbers(between, "--at", 0.5)).all(), "the camera is not halfway between its keys")
turn, height, distance = -0.9, 0.4, 6.0
away = [math.cos(height) * math.cos(turn), math.cos(height) * math.sin(turn), math.sin(height)]
by_eye = {"camera": {"kind": "fixed", "eye": [0.1 + distance * away[0], distance * away[1], 0.2 + distance * away[2]],
                     "target": [0.1, 0, 0.2], "fov": 40}}
link = f"http://127.0.0.1:8642/#cam=0.1,0,0.2,{turn},{height},{distance},p&t=0.5"
check((numbers({}, "--camera", link) == numbers(by_eye)).all(), "--camera stands elsewhere than the link")
check((numbers({"camera": {"link": link}}) == numbers(by_eye)).all(), "camera.link stands elsewhere than the link")
refused(2, "is not a link of the viewer", "render", "roll.h5", "-o", "x.png", "--camera", "http://127.0.0.1:8642/")
# It goes round by a half turn in a second of the movie: what was left is right.
with open("look.json", "w") as file:
    json.dump({"camera": {"kind": "orbit", "azimuth": 0, "turn": 180}, "fps": 1}, file)
talus("render", "roll.h5", "--look", "look.json", "-o", "orbit", "--numbers", *SIZE, "--quiet")
sides = []
for k in range(2):
    picture = read_png(f"orbit/numbers_{k:06d}.png")
    picture = picture[..., 0] << 16 | picture[..., 1] << 8 | picture[..., 2]
    sides.append(middle(picture, RESTS)[0] - middle(picture, BLOCK)[0])
check(sides[0] * sides[1] < 0, f"the camera does not go round: {sides}")

# --- shapes ---

flat = {"shutter": 0, "camera": by_eye["camera"]}
balls = numbers(flat)
with open("stone.obj", "w") as file:  # an octahedron
    file.write("v 2 0 0\nv -2 0 0\nv 0 2 0\nv 0 -2 0\nv 0 0 2\nv 0 0 -2\n"
               "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n")
stones = numbers({**flat, "materials": {"stone": {"mesh": "stone.obj"}}})
for body in (ROLLER, RESTS):
    inside = (stones == body) & (balls != body)
    check(inside.sum() <= 1 and 0.2 < (stones == body).sum() / (balls == body).sum() < 0.95, f"the stone of body {body}")
equal((stones == BLOCK).sum(), (balls == BLOCK).sum(), "pixels of the box")
refused(4, "nothing.obj", "render", "roll.h5", "-o", "x.png", "--look", (open("l.json", "w").write('{"moving": {"mesh": "nothing.obj"}}'), "l.json")[1])
hidden = numbers({**flat, "bodies": {"block": {"hidden": True}}})
check((hidden != BLOCK).all() and (hidden == ROLLER).sum() == (balls == ROLLER).sum(), "a hidden body")
cut = numbers({**flat, "cut": {"point": [0, -1, 0], "normal": [0, -1, 0]}, "bodies": {"roller": {"uncut": True}}})
check((cut != BLOCK).all() and (cut == ROLLER).any(), "a cut")

# Chains: what rests presses on the ground with its weight; without contacts they are refused.
plain = draw({**flat, "moving": {"hidden": True}}, "--samples", 4)
chains = draw({**flat, "moving": {"hidden": True}, "chains": {"radius": 0.1}}, "--samples", 4)
check((plain != chains).any(axis=2).sum() > 5, "chains are not seen")
talus("run", "roll.json", "-o", "bare.h5", "--set", "record.contacts=false", "--quiet", "--threads", 1)
refused(3, "has no contacts", "render", "bare.h5", "--look", (open("l.json", "w").write('{"chains": true}'), "l.json")[1], "-o", "x.png")

# --- colours ---

even = {**flat, "template": "studio", "sky": {"kind": "uniform", "color": [1, 1, 1], "strength": 1}, "lights": [], "walls": "solid",
        "moving": {"kind": "diffuse"}, "background": [0, 0, 0], "floor": None, "fixed": {"hidden": True}}
speeds = draw({**even, "color": {"by": "speed", "range": [0, 2], "map": "gray"}}, "--samples", 16)
rolling, resting = (speeds[balls == body].mean() for body in (ROLLER, RESTS))
check(rolling > 1.5 * resting, f"colours by speed: {rolling} and {resting}")
legend = draw({**even, "color": {"by": "speed", "range": [0, 2], "map": "viridis", "legend": True}}, "--samples", 1)
check((legend != draw({**even, "color": {"by": "speed", "range": [0, 2], "map": "viridis"}}, "--samples", 1)).any(), "no legend is seen")
by_force = draw({**even, "color": {"by": "force", "map": "gray"}}, "--samples", 16)
check(by_force[balls == BLOCK].mean() > 1.5 * by_force[balls == RESTS].mean(), "the heavy box is pressed no more than the ball")
# Stripes turn with the ball: a quarter turn, pi R / (2 SPEED) s later, it looks different in its own frame.
striped = {**even, "bodies": {"rests": {"hidden": True}, "block": {"hidden": True}}, "moving": {"kind": "diffuse", "stripes": True}, "color": {"by": ""},
           "camera": {"kind": "follow", "body": "roller", "distance": 2, "azimuth": -90, "elevation": 0}}
one, two = (draw(striped, "--samples", 16, "--at", t).astype(float) for t in (0.1, 0.1 + math.pi * RADIUS / 2 / SPEED))
unstriped = [draw({**striped, "moving": {"kind": "diffuse", "stripes": False}}, "--samples", 16, "--at", t).astype(float) for t in (0.1, 0.49)]
check(np.abs(one - two).mean() > 3 * np.abs(unstriped[0] - unstriped[1]).mean() + 1, "bands do not turn with the ball")
lined = draw({**even, "outline": 1, "outline_color": [1, 0, 0]}, "--samples", 4)
check(((lined[..., 0] > 150) & (lined[..., 2] < 60)).sum() > 20, "no outlines are seen")

# --- EXR: read by the format's own rules, and by ffmpeg ---

def read_exr(path):
    with open(path, "rb") as file:
        data = file.read()
    equal(data[:8], bytes((0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0)), "how an EXR begins")
    at, head = 8, {}
    while data[at]:
        name = data[at:data.index(0, at)].decode()
        at += len(name) + 1
        kind = data[at:data.index(0, at)].decode()
        at += len(kind) + 1
        length = struct.unpack_from("<i", data, at)[0]
        head[name] = data[at + 4:at + 4 + length]
        at += 4 + length
    at += 1
    x0, y0, x1, y1 = struct.unpack("<4i", head["dataWindow"])
    width, height, names, listed = x1 - x0 + 1, y1 - y0 + 1, [], head["channels"]
    while listed[0]:
        name = listed[:listed.index(0)].decode()
        names.append((name, struct.unpack_from("<i", listed, len(name) + 1)[0]))
        listed = listed[len(name) + 17:]
    equal(names, sorted(names), "the order of channels")
    planes = {name: np.zeros((height, width), "<u4" if kind == 0 else "<f4") for name, kind in names}
    for row, where in enumerate(struct.unpack_from(f"<{height}Q", data, at)):
        y, size = struct.unpack_from("<ii", data, where)
        equal((y, size), (row, 4 * width * len(names)), "a line of an EXR")
        for i, (name, _) in enumerate(names):
            planes[name][row] = np.frombuffer(data, planes[name].dtype, width, where + 8 + 4 * width * i)
    return planes


LARGE = ("--size", "144x108")
bytes_of = draw(even, "--samples", 8, "--exr", *LARGE, name="layers.png")
layers = read_exr("layers.exr")
check((layers["body"] == numbers(even, *LARGE)).all(), "numbers of bodies in the EXR")
srgb = np.clip(np.stack([layers[c] for c in "RGB"], axis=-1).astype(float), 0, 1)
srgb = np.where(srgb <= 0.0031308, 12.92 * srgb, 1.055 * srgb ** (1 / 2.4) - 0.055)
check(np.abs(255 * srgb - bytes_of).max() <= 0.51, "the radiance of the EXR is not that of the PNG")
seen = layers["body"] == RESTS
inner = seen & np.roll(seen, 1, 0) & np.roll(seen, -1, 0) & np.roll(seen, 1, 1) & np.roll(seen, -1, 1)
length = np.sqrt(sum(layers["N." + c].astype(float) ** 2 for c in "XYZ"))
check(inner.any() and (length[inner] > 0.5).all(), f"normals of {inner.sum()} pixels: {length[inner]}")
equal(layers["Z"].min(), 0, "the depth of the sky")
ball = np.array([0, 1.5, 0.2]) - np.array(by_eye["camera"]["eye"])
check(abs(layers["Z"][inner].min() - (np.linalg.norm(ball) - 0.2)) < 0.03, "the depth of the ball")
subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i", "layers.exr", "-frames:v", "1", "layers.ppm"], check=True)

# --- RIB, read back by a small parser ---

def turned(degrees, axis):
    axis = np.array(axis) / np.linalg.norm(axis)
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    matrix = np.eye(4)
    matrix[:3, :3] = c * np.eye(3) + s * cross + (1 - c) * np.outer(axis, axis)
    return matrix


def one_step(name, numbers, time):
    matrix = np.eye(4)
    if name == "Translate":
        matrix[:3, 3] = numbers
    elif name == "Scale":
        matrix[:3, :3] = np.diag(numbers)
    else:
        return turned(numbers[0], numbers[1:])
    return matrix


def read_rib(text, time):
    """Frames, each with the camera's numbers and the places of spheres and objects by body at a time of the shutter."""
    frames, stack, motion, name = [], [], None, None
    for line in text.splitlines():
        words = re.findall(r'"[^"]*"|\[[^]]*\]|[^ ]+', line)
        request, rest = words[0], words[1:]
        if request == "FrameBegin":
            frames.append({"spheres": {}, "objects": {}, "stack": [], "world": False})
        frame = frames[-1] if frames else None
        if request in ("AttributeBegin", "WorldBegin", "ObjectBegin"):
            stack.append(request)
            matrix, name = np.eye(4), None
        elif request in ("AttributeEnd", "WorldEnd", "ObjectEnd"):
            equal(stack.pop(), request.replace("End", "Begin"), "what ends in a RIB")
        elif request == "FrameEnd":
            equal(stack, [], "what is open at the end of a frame")
        elif request == "#":
            frame["origin"] = [float(x) for x in rest[1:]]
        elif request in ("Format", "ScreenWindow"):
            frame[request] = [float(x) for x in rest]
        elif request == "Projection":
            frame["fov"] = float(rest[2].strip("[]"))
        elif request == "Transform":
            frame["camera"] = np.array([float(x) for x in rest[0].strip("[]").split()]).reshape(4, 4)
        elif request == "Attribute":
            name = int(re.search(r"body (\d+)", line)[1])
        elif request == "MotionBegin":
            motion = []
        elif request == "MotionEnd":
            (kind, a), (same, b) = motion
            equal(kind, same, "the two ends of a motion")
            matrix = matrix @ one_step(kind, [x + time * (y - x) for x, y in zip(a, b)], time)
            motion = None
        elif request in ("Translate", "Rotate", "Scale"):
            numbers = [float(x) for x in rest]
            if motion is None:
                matrix = matrix @ one_step(request, numbers, time)
            else:
                motion.append((request, numbers))
        elif request == "Sphere":
            frame["spheres"][name] = (matrix[:3, 3], float(rest[0]))
        elif request == "ObjectInstance":
            frame["objects"][name] = matrix
    return frames


moving = {"shutter": 1, "fps": 2, "camera": by_eye["camera"], "size": [48, 36]}
with open("look.json", "w") as file:
    json.dump(moving, file)
stream = talus("render", "roll.h5", "--look", "look.json", "--rib", "-o", "-", "--quiet").stdout
talus("render", "roll.h5", "--look", "look.json", "--rib", "-o", "ribs", "--quiet")
equal("".join(open(f"ribs/frame_{k:06d}.rib").read() for k in range(3)), stream, "files and the stream")
frames = read_rib(stream, 0.5)
equal(len(frames), 3, "frames of the RIB")
check("MotionBegin" in stream and 'Surface "plastic"' in stream, "no motion or no surface in the RIB")
with h5py.File("roll.h5") as f:
    rows = f["frames"][5]
    states = slice(int(rows["state_first"]), int(rows["state_first"] + rows["state_count"]))
    places = dict(zip(f["states/body"][states].tolist(), f["states/position"][states]))
middle_frame = frames[1]
check(abs(middle_frame["fov"] - 40) < 1e-4, "the angle of view in the RIB")
for body, radius in ((ROLLER, RADIUS), (RESTS, 0.2)):
    place, found_radius = middle_frame["spheres"][body]
    check(np.abs(place + middle_frame["origin"] - places[body]).max() < 2e-3 and abs(found_radius - radius) < 1e-6, f"body {body} in the RIB: {place}")
    seen = np.append(place, 1) @ middle_frame["camera"]
    half = math.tan(math.radians(middle_frame["fov"] / 2))
    x, y = (24 + 18 * seen[0] / seen[2] / half, 18 - 18 * seen[1] / seen[2] / half)
    wanted = middle(numbers({**moving, "camera": by_eye["camera"]}, "--at", 0.5, "--size", "48x36"), body)
    check(abs(x - wanted[0]) < 0.8 and abs(y - wanted[1]) < 0.8, f"body {body} of the RIB is at {x}, {y}, not {wanted}")
check(np.abs(middle_frame["objects"][BLOCK][:3, 3] + middle_frame["origin"] - places[BLOCK]).max() < 2e-3, "the box in the RIB")
refused(2, "-o - is for --rib", "render", "roll.h5", "-o", "-")

# --- noise ---

exact = draw(flat, "--samples", 512).astype(float)
rough = draw(flat, "--samples", 4).astype(float)
smooth = draw(flat, "--samples", 4, "--denoise").astype(float)
errors = [np.sqrt(((picture - exact) ** 2).mean()) for picture in (rough, smooth)]
check(errors[1] < 0.7 * errors[0], f"the filter leaves {errors[1]} of {errors[0]}")
with open("look.json", "w") as file:
    json.dump(flat, file)
few, many = (run_json("render", "roll.h5", "--look", "look.json", "-o", f"noise{x}.png", *SIZE, "--noise", x, "--quiet")["samples"] for x in (0.2, 0.02))
check(few < 0.5 * many, f"samples for a noise of 0.2 and 0.02: {few} and {many}")
errors = [np.sqrt(((read_png(f"noise{x}.png").astype(float) - exact) ** 2).mean()) for x in (0.2, 0.02)]
check(errors[1] < errors[0], f"less noise has a greater error: {errors}")
