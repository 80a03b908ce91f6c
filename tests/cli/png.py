"""Reads the pictures that render writes, with nothing but the standard library and numpy."""
import zlib

import numpy as np

import cli


def read_png(path):
    """An 8-bit picture in red, green, blue, by nothing but the standard library."""
    with open(path, "rb") as file:
        data = file.read()
    cli.check(data[:8] == b"\x89PNG\r\n\x1a\n", f"{path}: no PNG")
    at, packed = 8, b""
    while at < len(data):
        length, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
            cli.equal((body[8], body[9]), (8, 2), f"{path}: depth and colours")
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, rows, last = zlib.decompress(packed), [], np.zeros(3 * width, np.int64)
    for y in range(height):
        kind = raw[y * (3 * width + 1)]
        line = np.frombuffer(raw, np.uint8, 3 * width, y * (3 * width + 1) + 1).astype(np.int64)
        out = np.zeros(3 * width, np.int64)
        for i in range(3 * width):
            a = out[i - 3] if i >= 3 else 0
            b, c = last[i], last[i - 3] if i >= 3 else 0
            if kind == 4:
                p = a + b - c
                near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            else:
                near = (0, a, b, (a + b) // 2)[kind]
            out[i] = (line[i] + near) & 255
        rows.append(out)
        last = out
    return np.array(rows).reshape(height, width, 3)
