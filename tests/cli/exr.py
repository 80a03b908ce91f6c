"""Reads OpenEXR files of scan lines without compression, with nothing but the standard library and numpy."""
import struct

import numpy as np


def read_exr(path):
    """Channels by name, each rows of numbers."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:4] == b"\x76\x2f\x31\x01", f"{path}: no OpenEXR"
    at, head = 8, {}
    while data[at]:
        name, kind, rest = data[at:].split(b"\0", 2)[:2] + [None]
        at += len(name) + len(kind) + 2
        size = struct.unpack_from("<i", data, at)[0]
        head[name.decode()] = data[at + 4:at + 4 + size]
        at += 4 + size
    at += 1
    assert head["compression"] == b"\0", f"{path}: is compressed"
    x0, y0, x1, y1 = struct.unpack("<4i", head["dataWindow"])
    width, height = x1 - x0 + 1, y1 - y0 + 1
    channels, rest = [], head["channels"]
    while rest[0]:
        name, rest = rest.split(b"\0", 1)
        channels.append((name.decode(), {0: "<u4", 1: "<f2", 2: "<f4"}[struct.unpack_from("<i", rest)[0]]))
        rest = rest[16:]
    offsets = struct.unpack_from(f"<{height}Q", data, at)
    out = {name: np.zeros((height, width)) for name, _ in channels}
    for offset in offsets:
        y, place = struct.unpack_from("<i", data, offset)[0] - y0, offset + 8
        for name, kind in channels:
            out[name][y] = np.frombuffer(data, kind, width, place)
            place += width * np.dtype(kind).itemsize
    return out


def radiance(path):
    """The mean of the three colours."""
    channels = read_exr(path)
    return (channels["R"] + channels["G"] + channels["B"]) / 3
