#!/usr/bin/python3
# labels: slow
"""Twenty viewers at once: test_load.py BUILD SOURCE. The simulation keeps its speed and the server its memory;
a viewer that does not read holds up nobody."""
import json
import os
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Closed, Server, Viewer  # noqa: E402

TALUS = os.path.join(sys.argv[1], "talus")
VIEWERS, SECONDS, BODIES = 20, 3, 2000
FRAMES = 15  # each viewer gets
LEAST = 0.6  # of its speed alone, the simulation keeps with all of them; caches are shared


def waited(process):
    """Seconds that the threads of a process wanted to run and had no processor: the machine's doing, not its own.
    The one that simulates is the one that has run longest."""
    best = (0, 0)
    for thread in os.listdir(f"/proc/{process.pid}/task"):
        with open(f"/proc/{process.pid}/task/{thread}/schedstat") as file:
            ran, queued = map(int, file.read().split()[:2])
        best = max(best, (ran, queued))
    return 1e-9 * best[1]


def count_steps(process, v, seconds, condition=lambda: True):
    """Steps per second over some seconds, and until a condition holds, not counting those in which other programs had
    the processor; a simulation that is held up by its viewers gets slower by this clock, too."""
    start, queued, first = time.monotonic(), waited(process), v.ok("pick", body=2)["body"]["time"]
    while time.monotonic() < start + seconds or not condition():
        assert time.monotonic() < start + 120, "viewers get no frames"
        time.sleep(0.05)
    last, end, queued = v.ok("pick", body=2)["body"]["time"], time.monotonic(), waited(process) - queued
    return (last - first) / 0.001 / (end - start - queued), end - start


def resident(process):
    with open(f"/proc/{process.pid}/status") as file:
        return int(next(line for line in file if line.startswith("VmRSS")).split()[1]) * 1024


class Drain(threading.Thread):
    """Asks for frames and throws them away, as fast as they come, 20 a second at most."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.viewer, self.frames, self.bytes, self.stop = Viewer(port), 0, 0, False

    def run(self):
        v = self.viewer
        v.send_text(json.dumps({"do": "subscribe", "rate": 20, "fields": ["speed"]}))
        v.send_text(json.dumps({"do": "ready", "credits": 2}))
        while not self.stop:
            try:
                is_text, data = v.message()
            except Closed:
                return
            self.bytes += len(data)
            if not is_text and data[0] == 3:
                self.frames += 1
                v.send_text('{"do":"ready"}')


def main():
    scene = {"version": 1, "step": 0.001, "duration": 1e6, "bodies": [
        {"kind": "fixed", "shapes": [{"kind": "plane"}]}],
        "fills": [{"region": {"kind": "box", "low": [-1, -1, 0.1], "high": [1, 1, 9]}, "pattern": "grid",
                   "radius": 0.05, "count": BODIES, "gap": 0.01}]}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "load.json")
        with open(path, "w") as file:
            json.dump(scene, file)
        with Server(TALUS, path, "--free", "--start", "--quiet", "--threads", "1") as server:
            v = Viewer(server.port).greet()
            time.sleep(0.5)
            alone, _ = count_steps(server.process, v, SECONDS)
            stuck = Viewer(server.port).greet()  # asks, and never reads
            for _ in range(4):
                stuck.send_text('{"do":"ready","full":true}')
            drains = [Drain(server.port) for _ in range(VIEWERS)]
            for drain in drains:
                drain.start()
            before = resident(server.process)
            with_viewers, took = count_steps(server.process, v, SECONDS, lambda: min(d.frames for d in drains) >= FRAMES)
            grown = resident(server.process) - before
            for drain in drains:
                drain.stop = True
            frames = [drain.frames for drain in drains]
            total = sum(drain.bytes for drain in drains)
            print(f"{alone:.0f} steps/s alone, {with_viewers:.0f} with {VIEWERS} viewers "
                  f"({with_viewers / alone:.2f}), frames each {min(frames)} to {max(frames)} in {took:.1f} s, "
                  f"{total / sum(frames) / BODIES:.1f} bytes per body and frame, memory +{grown >> 20} MiB")
            assert max(frames) <= 22 * took + 5, frames
            assert with_viewers > LEAST * alone
            assert grown < 100 << 20
        assert server.stop() == 0, server.errors
    print("ok")


main()
