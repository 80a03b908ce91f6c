#!/usr/bin/python3
# labels: threads
"""Who may look and drive, and what happens to those who misbehave: test_safety.py BUILD SOURCE. Host,
Origin and token; paths; sizes and rates; malformed and random messages, with another viewer looking on."""
import json
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Closed, Server, Viewer, free_port  # noqa: E402

TALUS = os.path.join(sys.argv[1], "talus")
SCENE = {"version": 1, "step": 0.005, "duration": 1e6, "bodies": [
    {"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane"}]},
    {"name": "ball", "position": [0, 0, 1], "shapes": [{"kind": "sphere", "radius": 0.1}]}]}


def refused(port, **arguments):
    v = Viewer(port, **arguments)
    v.close()
    return v.status


def pages(server):
    answer, body = server.get("/")
    assert answer.status == 200 and answer.getheader("content-type") == "text/html; charset=utf-8" and body
    policy = answer.getheader("content-security-policy")
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert answer.getheader("x-content-type-options") == "nosniff"
    tag = answer.getheader("etag")
    again, nothing = server.get("/index.html", If_None_Match=tag)
    assert again.status == 304 and not nothing
    packed, less = server.get("/", Accept_Encoding="gzip")
    assert packed.status == 200 and len(less) <= len(body)
    head, nothing = server.get("/", method="HEAD")
    assert head.status == 200 and not nothing and int(head.getheader("content-length")) == len(body)
    for path in ("/nothing", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd",
                 "/index.html/", "/assets/../../../etc/passwd", "/stream", "/%00index.html"):
        answer, body = server.get(path)
        assert answer.status in (400, 403, 404) and b"root:" not in body, (path, answer.status)
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        try:
            assert server.get("/", method=method)[0].status in (403, 404, 405), method
        except (ConnectionError, OSError):
            pass  # closed at once: as good
    for host in ("evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.nip.io"):
        assert server.get("/", host=host)[0].status == 403, host
    for host in ("localhost:1234", "127.0.0.1", "[::1]:80"):
        assert server.get("/", host=host)[0].status == 200, host


def upgrades(server):
    port = server.port
    own = f"http://127.0.0.1:{port}"
    assert refused(port) == 101
    assert refused(port, Origin=own) == 101
    assert refused(port, Origin=f"http://localhost:{port}", Host=f"localhost:{port}") == 101
    assert refused(port, Origin="http://evil.example") == 403
    assert refused(port, Origin="null") == 403
    assert refused(port, Origin=f"http://127.0.0.1:{port + 1}") == 403
    assert refused(port, Host="evil.example", Origin="http://evil.example") == 403  # a rebound name
    assert refused(port, Host="evil.example") == 403
    assert refused(port, path="/") in (400, 403, 404)
    assert refused(port, path="/streams") == 404
    assert refused(port, protocol=None) == 400
    assert refused(port, protocol="chat") == 400


def tokens(scene):
    with Server(TALUS, scene, "--paused", "--quiet", token=True) as server:
        assert "?token=" in server.address and len(server.address.split("token=")[1]) == 32
        token = server.address.split("token=")[1]
        assert server.get("/")[0].status == 403
        assert server.get("/?token=" + "0" * 32)[0].status == 403
        assert server.get("/?token=" + token)[0].status == 200
        assert refused(server.port) == 403
        assert refused(server.port, path="/stream?token=" + token[:-1]) == 403
        assert refused(server.port, path="/stream?token=" + token) == 101
    with Server(TALUS, scene, "--bind", "0.0.0.0", "--paused", "--quiet", token=True) as server:
        token = server.address.split("token=")[1]
        assert server.get("/", host="gpu-server:8642")[0].status == 403
        assert server.get("/?token=" + token, host="gpu-server:8642")[0].status == 200
        assert refused(server.port) == 403
        assert refused(server.port, path="/stream?token=" + token, Host="gpu-server", Origin="http://evil.example") == 403
        assert refused(server.port, path="/stream?token=" + token, Host="gpu-server", Origin="http://gpu-server") == 101
    with Server(TALUS, scene, "--paused", "--quiet") as server:  # on this machine alone
        addresses = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
        for address in [a for a in addresses if ":" not in a][:1]:
            try:
                socket.create_connection((address, server.port), timeout=2).close()
                raise AssertionError("it listens beyond this machine")
            except OSError:
                pass
        bad = subprocess.run([TALUS, "view", scene, "--port", str(server.port), "--no-browser"],
                             capture_output=True, text=True)
        assert bad.returncode == 2 and str(server.port) in bad.stderr, bad
    bad = subprocess.run([TALUS, "view", scene, "--bind", "0.0.0.0", "--no-token", "--no-browser"],
                         capture_output=True, text=True)
    assert bad.returncode == 2 and "--no-token" in bad.stderr, bad
    bad = subprocess.run([TALUS, "view", scene, "--bind", "here", "--no-browser"], capture_output=True, text=True)
    assert bad.returncode == 2 and "here" in bad.stderr, bad


def browser(scene, folder):
    """The browser is opened through a file that only this user can read: no token for `ps` to show."""
    told, bin_ = os.path.join(folder, "told"), os.path.join(folder, "bin")
    os.mkdir(bin_)
    with open(os.path.join(bin_, "xdg-open"), "w") as file:
        file.write(f'#!/bin/sh\nstat -c %a "$1" > {told}.mode\ncp "$1" {told}.page\necho "$@" > {told}.new\n'
                   f'mv {told}.new {told}\n')
    os.chmod(os.path.join(bin_, "xdg-open"), 0o755)
    run = subprocess.Popen([TALUS, "view", scene, "--port", "0", "--paused"], stdout=subprocess.PIPE, text=True,
                           env={**os.environ, "PATH": bin_ + ":" + os.environ["PATH"], "DISPLAY": ":99",
                                "XDG_RUNTIME_DIR": folder})
    address = run.stdout.readline().strip()
    token = address.split("token=")[1]
    end = time.monotonic() + 15
    while not os.path.exists(told) and time.monotonic() < end:
        time.sleep(0.05)
    with open(told) as file:
        arguments = file.read().strip()
    with open(told + ".mode") as mode, open(told + ".page") as page:
        assert mode.read().strip() == "600" and address in page.read()
    with open(f"/proc/{run.pid}/cmdline") as file:
        assert token not in arguments and token not in file.read()
    assert os.path.exists(arguments) and arguments.endswith(".html"), arguments
    run.send_signal(2)
    assert run.wait(20) == 0 and not os.path.exists(arguments)


def code_of(server, misbehave):
    """What a client is closed with that misbehaves."""
    v = Viewer(server.port).greet()
    try:
        misbehave(v)
        while True:
            v.pump()
    except Closed as closed:
        return closed.code
    except (ConnectionError, BrokenPipeError):
        return None
    finally:
        v.close()


def closings(server):
    assert code_of(server, lambda v: v.send_raw(2, b"\0" * 16)) == 1003
    assert code_of(server, lambda v: v.send_text("hello")) == 1007
    assert code_of(server, lambda v: v.send_text("[]")) == 1007
    assert code_of(server, lambda v: v.send_text(b"{\"do\":\"\xff\xfe\"}")) == 1007
    assert code_of(server, lambda v: v.send_text('{"do": 7}')) == 1007
    assert code_of(server, lambda v: v.send_text("[" * 16000)) == 1007
    assert code_of(server, lambda v: v.send_text('{"do": "find", "name": "' + "x" * 20000 + '"}')) == 1009

    def fragments(v):
        v.send_raw(1, b"{", fin=False)
        for _ in range(17):
            v.send_raw(0, b" " * 1000, fin=False)
    assert code_of(server, fragments) == 1009

    def flood(v):
        for _ in range(3000):
            v.send_text('{"do":"find","name":"ball"}')
    assert code_of(server, flood) in (1008, None)
    # frames that break the rules of websockets: closed, with whatever code
    code_of(server, lambda v: v.send_raw(1, b"{}", mask=False))
    code_of(server, lambda v: v.send_raw(3, b"?"))
    code_of(server, lambda v: v.send_raw(9, b"x" * 200))
    code_of(server, lambda v: (v.send_raw(1, b"", length=1 << 62), v.socket.shutdown(socket.SHUT_WR)))
    code_of(server, lambda v: v.socket.sendall(os.urandom(4096)) or v.socket.shutdown(socket.SHUT_WR))
    # heads of requests that are too long, or never end
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as s:
        try:
            s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 100000 + b"\r\n\r\n")
            assert b" 200 " not in s.recv(100)
        except ConnectionError:
            pass


WORDS = ["ready", "subscribe", "frame", "times", "reports", "stop", "step", "pace", "pick", "find", "watch", "unwatch",
         "set", "pairs", "undo", "drag", "release", "push", "throw", "remove", "checkpoint", "leave", "", "do"]
KEYS = ["id", "body", "count", "credits", "full", "rate", "fields", "contacts", "reports", "index", "base", "latest",
        "time", "first", "points", "real_time", "speed", "target", "frequency", "impulse", "position", "velocity",
        "radius", "density", "material", "a", "b", "friction", "restitution", "name", "gravity", "step", "solver",
        "iterations", "threads", "envelope", "sets", "reload", "__proto__", "type"]


def random_value(r, depth=0):
    kind = r.randrange(10)
    if kind == 0:
        return r.choice([0, 1, 2, -1, 3, 1 << 31, 1 << 32, (1 << 63) - 1, -(1 << 63)])
    if kind == 1:
        return r.choice([0.5, -0.1, 1e300, -1e300, 1e-300, 1e15, 0.0])
    if kind == 2:
        return r.choice([True, False, None])
    if kind == 3:
        return r.choice(["", "ball", "psor", "speed", "\u0000", "é" * 40, "x" * 300, "gravity=1"])
    if kind == 4 and depth < 3:
        return {r.choice(KEYS): random_value(r, depth + 1) for _ in range(r.randrange(4))}
    if kind < 8 and depth < 3:
        return [random_value(r, depth + 1) for _ in range(r.choice([0, 1, 2, 3, 3, 3, 4]))]
    return r.randrange(1, 4)


def random_message(r):
    message = {"do": r.choice(WORDS)}
    for _ in range(r.randrange(6)):
        message[r.choice(KEYS)] = random_value(r)
    text = json.dumps(message, ensure_ascii=r.random() < 0.5).encode()
    if r.random() < 0.25:  # mutated
        data = bytearray(text)
        for _ in range(r.randrange(1, 4)):
            where = r.randrange(len(data))
            data[where:where + r.randrange(3)] = bytes(r.randrange(256) for _ in range(r.randrange(3)))
            if not data:
                data = bytearray(b"{")
        text = bytes(data)
    return text


def fuzz(server, onlooker, count):
    """Random messages, well formed and not: the server lives, and another viewer sees nothing of it."""
    r = random.Random(5)
    v, sent, closed = None, 0, 0
    while sent < count:
        if v is None:
            v = Viewer(server.port)
        try:
            for _ in range(20):
                sent += 1
                if r.random() < 0.02:
                    v.send_raw(r.choice([0, 1, 2, 3, 8, 9, 10, 11]), os.urandom(r.randrange(200)),
                               fin=r.random() < 0.8, mask=r.random() < 0.9)
                else:
                    v.send_text(random_message(r))
            time.sleep(0.07)  # the rate is another test's matter
            v.socket.settimeout(0)
            try:
                while v.socket.recv(1 << 16):
                    pass
                raise Closed(None)
            except BlockingIOError:
                v.socket.settimeout(15)
        except (Closed, ConnectionError, BrokenPipeError):
            v.close()
            v, closed = None, closed + 1
        if sent % 400 < 20:
            onlooker.ok("set", gravity=[0, 0, -9.81], step=0.005, solver="psor", iterations=8, max_speed=1e5)
            onlooker.ok("step")
            onlooker.next_frame()
            assert server.process.poll() is None
    assert closed > 5
    return closed


def resident(process):
    with open(f"/proc/{process.pid}/status") as file:
        return int(next(line for line in file if line.startswith("VmRSS")).split()[1]) * 1024


def reconnect(scene):
    """Killed and started again on the same port: a viewer that comes back finds it."""
    port = free_port()
    first = Server(TALUS, scene, "--quiet", port=port)
    v = Viewer(port).greet()
    v.next_frame()
    first.process.kill()
    try:
        while True:
            v.pump()
    except (Closed, ConnectionError):
        pass
    first.stop()
    second = Server(TALUS, scene, "--quiet", port=port)
    w = Viewer(port).greet()
    assert w.next_frame()["full"] and w.hello["epoch"] == 1
    second.stop(2)  # Ctrl-C
    assert second.process.returncode == 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        scene = os.path.join(folder, "scene.json")
        with open(scene, "w") as file:
            json.dump(SCENE, file)
        with Server(TALUS, scene, "--paused", "--quiet") as server:
            pages(server)
            upgrades(server)
            onlooker = Viewer(server.port).greet()
            onlooker.next_frame()
            closings(server)
            before = resident(server.process)
            closed = fuzz(server, onlooker, int(os.environ.get("FUZZ", "3000")))
            grown = resident(server.process) - before
            onlooker.ok("step")
            assert onlooker.next_frame()
            print(f"fuzz: {closed} connections closed, memory grew by {grown >> 10} KiB")
            if "ASAN_OPTIONS" not in os.environ:
                assert grown < 64 << 20
        assert server.stop() == 0 and not server.errors, server.errors
        tokens(scene)
        browser(scene, folder)
        reconnect(scene)
    print("ok")


main()
