#!/usr/bin/python3
"""Pictures that the server renders: test_picture.py BUILD SOURCE. One at a time, within limits, ended with its client, and
refused to those who may not look."""
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Server  # noqa: E402

TALUS = os.path.join(os.path.abspath(sys.argv[1]), "talus")
SCENE = {"version": 1, "step": 0.005, "duration": 0.2, "bodies": [
    {"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane"}]},
    {"name": "ball", "position": [0, 0, 1], "shapes": [{"kind": "sphere", "radius": 0.1}]}]}
QUERY = "/picture?cam=0,0,1,-1,0.2,2,p"


def get(server, path, **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=240) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def renderers():
    """Processes `talus render` of this test's folder."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if b"render" in words[1:2] and os.path.abspath("run.h5").encode() in words:
            found.append(process)
    return found


def wait_until(holds, what):
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


os.chdir(tempfile.mkdtemp(prefix="talus-picture-test-"))
os.environ["TMPDIR"] = os.getcwd()
with open("scene.json", "w") as file:
    json.dump(SCENE, file)
subprocess.run([TALUS, "run", "scene.json", "-o", "run.h5", "--quiet", "--threads", "1"], check=True)
RESULT = os.path.abspath("run.h5")

with Server(TALUS, RESULT) as server:
    status, body = get(server, QUERY + "&w=48&h=32&t=0.1&colour=speed")
    assert status == 200 and body[:8] == b"\x89PNG\r\n\x1a\n", (status, body[:200])
    assert int.from_bytes(body[16:20], "big") == 48 and int.from_bytes(body[20:24], "big") == 32
    for bad in ("&w=48", "&w=48&h=4000", "&w=1&h=32", "&w=48&h=32&colour=taste", ""):
        status, body = get(server, QUERY + bad)
        assert status == 400, (bad, status, body)
    assert get(server, "/picture?cam=$(id)&w=48&h=32")[0] == 400
    for cam in ("0,0,1", "0,0,1,-1,0.2,2", "0,0,1,-1,0.2,2,e", "0,0,1,-1,0.2,2,p,", "0,0,1,-1,0.2,0,p", "1e999,0,1,-1,0.2,2,p"):
        status, body = get(server, f"/picture?cam={cam}&w=48&h=32")
        assert status == 400 and b"cam" in body, (cam, status, body)
    assert get(server, f"{QUERY}&w=48&h=32&t=9")[0] == 400, "after the end"
    for time_ in ("-1", "", "1e", "1e999", "x"):
        status, body = get(server, f"{QUERY}&w=48&h=32&t={time_}")
        assert status == 400 and b"t is not" in body, (time_, status, body)
    assert get(server, QUERY + "&w=48&h=32", **{"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert get(server, QUERY + "&w=48&h=32", Host="elsewhere.example")[0] == 403
    # One at a time; whose client goes away ends.
    first = socket.create_connection(("127.0.0.1", server.port))
    first.sendall(f"GET {QUERY}&w=1920&h=1080 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    wait_until(renderers, "nothing is rendered")
    status, body = get(server, QUERY + "&w=48&h=32")
    assert status == 503 and b"one at a time" in body, (status, body)
    first.close()
    wait_until(lambda: not renderers(), "a picture is rendered for nobody")
    assert get(server, QUERY + "&w=48&h=32")[0] == 200
    assert not [name for name in os.listdir() if name.startswith("talus-picture-") and name.endswith(".png")]
    # The end of the server is that of its picture.
    threading.Thread(target=lambda: socket.create_connection(("127.0.0.1", server.port)).sendall(
        f"GET {QUERY}&w=1920&h=1080 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()) or time.sleep(30), daemon=True).start()
    wait_until(renderers, "nothing is rendered")
wait_until(lambda: not renderers(), "a picture is rendered without a server")

with Server(TALUS, RESULT, token=True) as server:
    assert get(server, QUERY + "&w=48&h=32")[0] == 403
    assert get(server, QUERY + "&w=48&h=32&token=" + "0" * 32)[0] == 403
    assert get(server, QUERY + "&w=48&h=32&token=" + server.token)[0] == 200
    assert get(server, QUERY.replace(",", "%2C") + "&w=48&h=32&token=" + server.token)[0] == 200  # as browsers write it

with Server(TALUS, "scene.json") as server:  # nothing is recorded
    assert get(server, QUERY + "&w=48&h=32")[0] == 404
