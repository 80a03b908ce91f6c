#!/usr/bin/python3 -B
"""Checks talus-bench: rows with one thread and with all beside peers in one call, ratios between equal numbers of
threads, the same state for any number of them, and what it refuses. bench.py BUILD SOURCE"""
import json
import os
import subprocess
import sys
import tempfile

BENCH = os.path.join(os.path.abspath(sys.argv[1]), "talus-bench")
CPUS = len(os.sched_getaffinity(0))
pile = ("pile", "--bodies", "300,400", "--settle", "60", "--steps", "5", "--backend", "cpu")


def bench(*arguments, code=0):
    done = subprocess.run([BENCH, *arguments], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}: {done.stderr}"
    return done


def rows_of(*arguments):
    done = bench(*arguments, "--json")
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


peers = [name for name in ("bullet", "ode") if os.path.exists(os.path.join(os.path.dirname(BENCH), f"talus-peer-{name}"))]
assert peers, "no peer is built; tools/deps test installs their libraries"
rows, ratios = rows_of(*pile, "--threads", "1,2", "--peers", ",".join(peers))
assert [(r["engine"], r["threads"], r["bodies"]) for r in rows] == [
    (engine, threads, bodies) for bodies in (300, 400)
    for engine, threads in [("talus", 1), ("talus", 2), *((peer, 1) for peer in peers)]], rows
for one, two, *others in (rows[:2 + len(peers)], rows[2 + len(peers):]):
    for key in ("contacts", "residual", "mean_overlap", "p99_overlap", "joules_per_body"):
        assert one[key] == two[key], f"{key} with one thread and with two: {one[key]}, {two[key]}"
    assert one["contacts"] > 100 and one["load"] >= 0
    for other in others:
        assert other["talus_threads"] == 1
        assert abs(other["ms_over_talus"] * one["ms_per_step"] / other["ms_per_step"] - 1) < 1e-3
assert len(ratios.splitlines()) == 2 * 2 * len(peers) and "bodies, ms per step" in ratios, ratios

# Without --threads: one and all beside peers, else all.
rows, _ = rows_of(*pile, "--peers", peers[0])
assert [r["threads"] for r in rows if r["engine"] == "talus"] == 2 * ([1, CPUS] if CPUS > 1 else [1]), rows
rows, _ = rows_of(*pile)
assert [r["threads"] for r in rows] == [CPUS] * 2, rows
rows, _ = rows_of(*pile, "--threads", "2")
assert [r["threads"] for r in rows] == [2] * 2, rows
# Peers are compared with the row that has as many threads, wherever it stands.
rows, _ = rows_of(*pile, "--threads", "2,1", "--peers", peers[0])
assert all(r["talus_threads"] == 1 for r in rows if r["engine"] != "talus"), rows

for wrong in ("", "0", "1,", ",1", "1;2", "1,2,3,4,5", "1025", "two"):
    said = bench("pile", "--threads", wrong, code=2).stderr
    assert "expected 1 to 4 whole numbers from 1 to 1024" in said, said
said = bench("scaling", "--threads", "1,2", code=2).stderr
assert "expected one number for scaling" in said, said

# A bed alone, and with a ball.
rows, _ = rows_of("crowd", "--bodies", "3000", "--settle", "30", "--steps", "3", "--threads", "1")
assert [r["bed"] for r in rows] == ["alone", "with a ball"] and rows[1]["ms_over_bed"] > 0 and rows[1]["deepest"] >= 0, rows

# A vehicle on tracks: pins are closed, far closer than those of the peers; it stands where it stood.
rows, _ = rows_of("track", "--steps", "20", "--threads", "1", "--peers", ",".join(peers))
assert [(row["engine"], row["bodies"]) for row in rows] == [(engine, 137) for engine in ("talus", *peers)], rows
for row in rows:
    assert row["ms_per_step"] >= row["ms_least"] > 0 and abs(row["sank"]) < 0.01 and row["pin_speed"] < 1, row
    assert row["pin_gap"] < (1e-9 if row["engine"] == "talus" else 0.01), row

# A chute of tiles: planes by motion keep the speed, the nearest ones do not.
rows, _ = rows_of("chute", "--bodies", "400", "--threads", "1", "--peers", ",".join(peers))
assert [(r["engine"], r.get("planes")) for r in rows] == [
    ("talus", "nearest"), ("talus", "by-motion"), *((peer, None) for peer in peers)], rows
assert rows[0]["speed_loss"] > 1e-3 and abs(rows[1]["speed_loss"]) < 1e-4 and rows[1]["ms_over_nearest"] > 0, rows

# Cubes and hulls, by every engine.
rows, ratios = rows_of("shapes", "--bodies", "120", "--settle", "150", "--steps", "5", "--threads", "1,2", "--peers",
                       ",".join(peers))
assert [(r["shape"], r["engine"], r["threads"]) for r in rows] == [
    (shape, engine, threads) for shape in ("cubes", "hulls")
    for engine, threads in [("talus", 1), ("talus", 2), *((peer, 1) for peer in peers)]], rows
for r in rows:
    assert r["bench"] == "shapes" and r["audited"] == 120 and r["escaped"] == 0 and r["overlapping"] > 10, r
    assert r["p99_overlap"] < 0.2 and 0.1 < r["mean_height"] < r["top"] < 7, r
assert "ms per step of cubes" in ratios and "ms per step of hulls" in ratios, ratios
said = bench("shapes", "--shapes", "balls", code=2).stderr
assert "expected cubes, hulls, or both" in said, said
said = bench("pile", "--shapes", "cubes", code=2).stderr
assert "--shapes has no meaning for pile" in said, said

# Any scene file: a falling ball, two rows one after the other.
with tempfile.TemporaryDirectory() as folder:
    scene = os.path.join(folder, "fall.json")
    with open(scene, "w", encoding="ascii") as file:
        file.write('{"version": "1.1", "parameters": {"high": 1}, "step": 0.001, "settings": {"precision": "double"}, "bodies": [{"name": "ball",'
                   '"position": [0, 0, "=high"], "shapes": [{"kind": "sphere", "radius": 0.1}]}],'
                   '"monitors": {"place": {"kind": "position", "on": "ball"}}}')
    fall = ("scene", "--scene", scene, "--set", "high=5", "--settle", "10", "--steps", "20", "--rows", "2", "--watch", "place.z", "--threads", "1")
    rows, _ = rows_of(*fall)
    assert [round(1e3 * r["time"]) for r in rows] == [30, 50] and all(r["bodies"] == 1 for r in rows), rows
    for r in rows:
        n = round(1e3 * r["time"])
        assert abs(r["place.z"] - (5 - 9.81e-6 * n * (n + 1) / 2)) < 1e-5, r  # of steps that take the new speed
    said = bench(*fall[:3], "--watch", "nothing", code=1).stderr
    assert "--watch nothing: the scene has no such channel" in said, said
    said = bench("scene", "--scene", scene, "--set", "high", code=2).stderr
    assert "expected PARAMETER=VALUE" in said, said
    assert "expected --scene FILE" in bench("scene", code=1).stderr
    assert "cannot be opened" in bench("scene", "--scene", scene + "x", code=1).stderr
