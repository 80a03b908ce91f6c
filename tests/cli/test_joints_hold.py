#!/usr/bin/python3 -B
# labels: long
# After 10 s no joint of any example is off by more than 1e-6 of the smallest body in double precision, and 1e-4 in mixed.
import os
import tempfile

from cli import SOURCE, check, run_json

os.chdir(tempfile.mkdtemp())
examples = os.path.join(SOURCE, "examples")
names = [file[:-5] for file in sorted(os.listdir(examples)) if file.endswith(".json")]
names = [name for name in names if run_json("check", os.path.join(examples, f"{name}.json")).get("joints")]
check({"anchor", "chain", "oscillator", "vehicle", "vehicle-gravel"} <= set(names), f"only {names} have joints")
for name in names:
    scene = os.path.join(SOURCE, "examples", f"{name}.json")
    more = [x for size in ("large=60", "medium=150", "small=300") for x in ("--set", size)] if name == "segregation" else []
    size = run_json("check", scene, *more)["smallest_radius"]
    for precision, most in (("double", 1e-6), ("mixed", 1e-4)):
        report = run_json("run", scene, *more, "--precision", precision, "--until", 10, "--no-record", "--quiet",
                          timeout=900)
        check(report["status"] == "finished", f"{name}: {report}")
        check(not any("brought together" in warning for warning in report["warnings"]), f"{name}: {report['warnings']}")
        print(f"{name}, {precision}: off by {report['joint_error']:.1e} m, {report['joint_error'] / size:.1e} of the smallest body")
        check(report["joint_error"] < most * size, f"{name} in {precision}: joints are off by {report['joint_error']} m")
