#!/usr/bin/python3 -B
# labels: long
# No joint of any example is off by more than 1e-6 of the smallest body in double precision, and 1e-4 in mixed: after 10 s,
# after 1 s in scenes of many grains, whose machines others drive for 10 s.
import os
import shutil

from cli import SOURCE, check, run_json, talus

shutil.copytree(os.path.join(SOURCE, "examples"), "examples")
os.chdir("examples")
talus("run", "track-tension.json", "--quiet")  # vehicle-tensioned starts from it
scenes = {file[:-5]: run_json("check", file) for file in sorted(os.listdir()) if file.endswith(".json")}
names = [name for name in scenes if scenes[name].get("joints")]
check({"anchor", "chain", "oscillator", "vehicle", "vehicle-gravel"} <= set(names), f"only {names} have joints")
for name in names:
    size = scenes[name]["smallest_radius"]
    until = 10 if scenes[name]["dynamic"] <= 500 else 1
    for precision, most in (("double", 1e-6), ("mixed", 1e-4)):
        report = run_json("run", f"{name}.json", "--precision", precision, "--until", until, "--no-record", "--quiet",
                          timeout=3600)
        check(report["status"] == "finished", f"{name}: {report}")
        check(not any("brought together" in warning for warning in report["warnings"]), f"{name}: {report['warnings']}")
        print(f"{name}, {precision}: off by {report['joint_error']:.1e} m after {until} s, "
              f"{report['joint_error'] / size:.1e} of the smallest body", flush=True)
        check(report["joint_error"] < most * size, f"{name} in {precision}: joints are off by {report['joint_error']} m")
