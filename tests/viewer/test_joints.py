#!/usr/bin/python3
"""Joints through the protocol: test_joints.py BUILD SOURCE. The page is told of the joints of a scene with their frames,
and of a body that is picked what its joints do; of a recording, where they are."""
import math
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Server, Viewer  # noqa: E402

TALUS = os.path.join(os.path.abspath(sys.argv[1]), "talus")
SCENE = os.path.join(os.path.abspath(sys.argv[2]), "examples", "crane.json")


def look(hello):
    joints = {joint["name"]: joint for joint in hello["joints"]}
    assert list(joints) == ["rope", "mast", "rail", "hoist"], joints
    assert [joint["kind"] for joint in joints.values()] == ["pulley", "revolute", "prismatic", "distance"]
    assert joints["rope"]["anchors"] == [[-3, 3, 4], [-1, 3, 4]]
    mast = joints["mast"]
    assert mast["a"] == {"body": 0, "at": [0, 0, 3], "axis": [0, 0, 1]}, mast
    assert mast["b"]["body"] == 4 and all(map(math.isclose, mast["b"]["at"], [-0.8, 0, 0])), mast
    assert all(abs(x - y) < 1e-12 for x, y in zip(joints["rail"]["a"]["axis"], [1, 0, 0])), joints["rail"]


with tempfile.TemporaryDirectory() as folder:
    with Server(TALUS, SCENE) as server:
        v = Viewer(server.port)
        v.greet()
        look(v.hello)
        v.ok("step", count=200)
        load = v.ok("pick", body=6)["body"]
        hoist = load["joints"]
        assert [joint["index"] for joint in hoist] == [4] and not hoist[0]["broken"], hoist
        assert 100 < hoist[0]["force"][2] < 300, "the rope carries about 20 kg"
        assert len(v.ok("pick", body=4)["body"]["joints"]) == 2, "the jib has a mast and a rail"
        assert v.ok("pick", body=1)["body"]["joints"] == []
        # Whose joints went with it does not come back without them; others do.
        v.ok("set", iterations=31)
        v.until(lambda: v.state["undo"] == "iterations")
        assert v.ok("remove", body=6)["undo"] is False
        v.ok("step", count=1)
        assert v.state["undo"] == "iterations", v.state
        free = v.ok("throw", position=[0, 0, 50], velocity=[0, 0, 0], radius=0.1)["index"]
        assert v.ok("remove", body=free)["undo"] is True
        v.until(lambda: v.state["undo"] == "removal")
        v.close()
    result = os.path.join(folder, "crane.h5")
    subprocess.run([TALUS, "run", SCENE, "-o", result, "--quiet", "--until", "0.1"], check=True)
    with Server(TALUS, result) as server:
        v = Viewer(server.port)
        v.greet()
        look(v.hello)
        v.close()
print("joints are told of")
