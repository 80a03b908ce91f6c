#!/usr/bin/python3
# labels: threads
"""Several viewers at once that look, edit and restart: test_crowd.py BUILD SOURCE. Restarts to scenes of other
sizes while everybody is served, a viewer that asks for much and reads nothing, and a simulation that goes on
meanwhile. The build with the thread sanitizer runs this one."""
import json
import os
import random
import select
import socket
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Closed, Server, Viewer  # noqa: E402

TALUS = os.path.join(sys.argv[1], "talus")
with open(os.path.join(sys.argv[1], "CMakeCache.txt")) as cache:  # slow programs have no limits of time and memory
    SANITIZED = any(line.startswith("TALUS_SANITIZE:") and not line.endswith("=\n") for line in cache)
VIEWERS = 6
SECONDS = float(os.environ.get("CROWD", "2" if SANITIZED else "6"))
SCENE = {"version": 1, "step": 0.002, "duration": 1e6, "parameters": {"count": 400},
         "bodies": [{"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane"}]}],
         "fills": [{"region": {"kind": "box", "low": [-1, -1, 0.1], "high": [1, 1, 9]}, "pattern": "grid",
                    "radius": 0.05, "count": "=count", "gap": 0.01}]}


class Visitor(threading.Thread):
    """Looks on, and now and then does something."""

    def __init__(self, port, seed):
        super().__init__(daemon=True)
        self.port, self.random, self.stop, self.frames, self.failure = port, random.Random(seed), False, 0, None

    def run(self):
        try:
            while not self.stop:
                v = Viewer(self.port)
                self.visit(v)
                v.close()
        except Exception as failure:  # told by main()
            self.failure = failure

    def visit(self, v):
        v.greet()
        v.ok("subscribe", fields=["speed", "force"], contacts=100, reports=True, rate=240)
        end = time.monotonic() + self.random.uniform(0.3, 1.5)
        v.send_text('{"do":"ready","credits":4}')
        while time.monotonic() < end and not self.stop:
            epoch = v.hello["epoch"]
            kind = v.pump()
            if kind == 3:
                self.frames += 1
                v.send_text('{"do":"ready"}')
                self.act(v)
            elif kind == "hello" and v.hello["epoch"] != epoch:
                v.send_text('{"do":"ready","credits":4}')

    def act(self, v):
        r = self.random
        what = r.randrange(14)
        if what == 0:
            v.ok("set", gravity=[0, 0, r.choice([-9.81, -3])], iterations=r.choice([4, 8]))
        elif what == 1:
            v.ok("pairs", pairs=[[0, 0, r.random(), r.random()]])
        elif what == 2:
            v.do("undo")
        elif what == 3 and v.poses:
            v.do("push", body=r.choice(list(v.poses)), impulse=[0, 0, 0.1])
        elif what == 4 and v.poses:
            v.do("watch", body=r.choice(list(v.poses)))
        elif what == 5:
            reply = v.do("reports", points=r.choice([10, 5000]))  # refused where the run starts anew meanwhile
            assert reply["ok"] or "again" in reply["error"], reply
        elif what == 6 and v.poses:
            v.do("drag", body=r.choice(list(v.poses)), target=[0, 0, 2])
        elif what == 7:
            v.do("throw", position=[r.uniform(-1, 1), 0, 12], velocity=[0, 0, -1], radius=0.05)


def resident(process):
    with open(f"/proc/{process.pid}/status") as file:
        return int(next(line for line in file if line.startswith("VmRSS")).split()[1]) * 1024


def restarts(path):
    with Server(TALUS, path, "--free", "--start", "--quiet", "--threads", "2") as server:
        visitors = [Visitor(server.port, seed) for seed in range(VIEWERS)]
        for visitor in visitors:
            visitor.start()
        v, count, end = Viewer(server.port).greet(), 0, time.monotonic() + SECONDS
        while time.monotonic() < end:
            size = [400, 3, 150][count % 3]
            v.ok("restart", sets=[f"count={size}"])
            v.until(lambda: v.hello["epoch"] == count + 2)
            v.greet()
            count += 1
            time.sleep(0.02 * (count % 4))
            assert server.process.poll() is None
        for visitor in visitors:
            visitor.stop = True
        for visitor in visitors:
            visitor.join(90) # a viewer waits for its socket up to 60 s
            assert not visitor.is_alive() and visitor.failure is None, visitor.failure
        print(f"{count} restarts, {sum(x.frames for x in visitors)} frames to {VIEWERS} viewers")
    assert server.stop() == 0 and not server.errors, server.errors


def time_of(v):
    return v.ok("pick", body=2)["body"]["time"]


def glutton(path):
    """Asks for reports and never reads: its connection ends, nobody else notices."""
    with Server(TALUS, path, "--free", "--start", "--quiet", "--threads", "1", "--set", "count=20") as server:
        v = Viewer(server.port).greet()
        end = time.monotonic() + 60
        while len(v.reports) < 5000:  # there is much to ask for
            assert time.monotonic() < end
            time.sleep(0.5)  # one who asks for less than there may be in a second is answered
            v.reports.clear()
            v.do("reports", points=20000)
            v.quiet(0.1)
        before, start, steps = resident(server.process), time.monotonic(), time_of(v)
        most, closed, sent = 0, None, 0
        g = Viewer(server.port).greet()
        v.until(lambda: v.state["viewers"] == 2)
        g.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        g.socket.settimeout(1)
        asks = True
        # The others see that it is gone; itself it may not: what ends its connection lies behind what it does not read.
        while time.monotonic() < start + 45 and not closed:  # a silent one is closed later than that
            try:
                while asks and sent < 250 * (time.monotonic() - start):  # within the rate that everybody has
                    g.send_text('{"do":"reports","points":20000,"id":1}')
                    sent += 1
            except OSError:
                asks = False
            v.quiet(0.02)  # it answers pings
            if v.state["viewers"] == 1:
                closed = time.monotonic() - start
            most = max(most, resident(server.process) - before)
        rate = (time_of(v) - steps) / 0.002 / (time.monotonic() - start)
        print(f"memory grew by {most >> 20} MiB; closed after {closed or -1:.1f} s; {rate:.0f} steps/s meanwhile")
        if not SANITIZED:
            assert most < 64 << 20, most
        assert closed, "it is still connected"
        g.socket.settimeout(5)
        try:
            while g.message():
                pass
        except Closed as reason:
            assert reason.code in (1008, None), reason
        except OSError:
            pass
    assert server.stop() == 0 and not server.errors, server.errors


def askers(path):
    """Some ask for reports as fast as they may, and read them: others are served as ever."""
    with Server(TALUS, path, "--free", "--start", "--quiet", "--threads", "1", "--set", "count=3") as server:
        v = Viewer(server.port).greet()
        end = time.monotonic() + 20
        while time_of(v) < 2 * 65536 * 0.002 and time.monotonic() < end:  # there is much to look at
            time.sleep(0.2)
        stop, refused = [], []

        def ask():
            w = Viewer(server.port).greet()
            while not stop:
                w.send_text('{"do":"reports","points":20,"id":1}')
                time.sleep(0.01)
                while w.received or select.select([w.socket], [], [], 0)[0]:
                    w.pump()
                refused.extend(t for t in w.texts if not t.get("ok", True))
                w.texts.clear()

        threads = [threading.Thread(target=ask, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(2)
        worst = 0
        for _ in range(5):
            start = time.monotonic()
            Viewer(server.port).greet().close()
            worst = max(worst, time.monotonic() - start)
        stop.append(True)
        for thread in threads:
            thread.join(10)
        print(f"a newcomer was greeted within {worst:.2f} s; {len(refused)} requests were refused")
        assert worst < 5 and (refused or time_of(v) < 2 * 65536 * 0.002), worst
    assert server.stop() == 0 and not server.errors, server.errors


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "crowd.json")
        with open(path, "w") as file:
            json.dump(SCENE, file)
        restarts(path)
        glutton(path)
        if not SANITIZED:
            askers(path)
    print("ok")


main()
