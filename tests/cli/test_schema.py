#!/usr/bin/python3
# labels: slow
# Holds docs/scene.schema.json to the scene reader: it accepts every example, every sound scene of the tests and
# every scene of docs/scene-format.md (which the reader must take too), and refuses every scene of the tests
# that breaks a rule a schema can see (tests/io/scene_bad.h says which). Its words are those of the library. Called
# with the build folder and the source folder.
import glob
import json
import os
import re
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("test_schema.py: needs python3-jsonschema (tools/deps test installs it)")

build, source = sys.argv[1:3]
with open(os.path.join(source, "docs", "scene.schema.json"), encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

wrong = []


def refusal(scene):
    """The first thing that the schema has against a scene, or None."""
    error = jsonschema.exceptions.best_match(validator.iter_errors(scene))
    return error and f"{error.json_path}: {error.message[:200]}"


examples = sorted(glob.glob(os.path.join(source, "examples", "**", "*.json"), recursive=True))
examples = [path for path in examples if os.sep + "looks" + os.sep not in path]
for path in examples:
    with open(path, encoding="utf-8") as file:
        said = refusal(json.load(file))
    if said:
        wrong.append(f"refuses the example {path}: {said}")

program = os.path.join(build, "tests", "test_io_scene_rules")
lines = subprocess.run([program, "--dump"], check=True, capture_output=True).stdout.splitlines()
with open(os.path.join(source, "docs", "scene-format.md"), encoding="utf-8") as file:
    documented = re.findall(r"```json\n(.*?)```", file.read(), re.DOTALL)
for text in documented:
    read = subprocess.run([program, "--read"], input=text.encode(), capture_output=True)
    if read.returncode:
        wrong.append(f"is not at fault: the reader refuses a scene of docs/scene-format.md: {read.stdout}\n{text}")
    said = refusal(json.loads(text))
    if said:
        wrong.append(f"refuses a scene of docs/scene-format.md: {said}\n{text}")

# Where the schema lists the words of an enum, and which of tl_vocabulary (include/talus/words.h) it is.
words = json.loads(subprocess.run([program, "--words"], check=True, capture_output=True).stdout)
settings, solver, defs = (schema["properties"]["settings"], schema["properties"]["solver"], schema["$defs"])
for place, listed, known in (
        ("body", defs["body"]["properties"]["kind"], words[0]),
        ("shape", defs["shape"]["properties"]["kind"], words[1]),
        ("motion", defs["motion"]["properties"]["kind"], words[2]),
        ("stepper", settings["properties"]["stepper"], words[18]),
        ("planar", settings["properties"]["planar"], words[19]),
        ("planes", settings["properties"]["planes"], words[21]),
        ("overlap", settings["properties"]["overlap"], words[3]),
        ("solver", solver["properties"]["kind"], words[4]),
        ("joints", solver["properties"]["joints"], words[20]),
        ("law", solver["properties"]["law"], words[5]),
        ("precision", settings["properties"]["precision"], words[6]),
        ("region", defs["region"]["properties"]["kind"], words[8]),
        ("open region", defs["open_region"]["properties"]["kind"], words[8]),
        ("size", defs["size"]["properties"]["kind"], words[9][1:]),  # "equal" is a radius alone
        ("monitor", defs["monitor"]["properties"]["kind"], words[12]),
        ("joint", defs["joint"]["properties"]["kind"], words[15]),
        ("impacts", settings["properties"]["impacts"], words[13]),
        ("pattern", schema["properties"]["fills"]["items"]["properties"]["pattern"], words[10])):
    if listed["enum"] != known:
        wrong.append(f"has the words {listed['enum']} for {place}, the library {known}")

counts = {"good": 0, "seen": 0, "blind": 0}
for line in lines:
    case = json.loads(line)
    try:
        scene = json.loads(case["text"].removeprefix("\ufeff"))
    except ValueError as error:
        if case["good"] or case["seen"]:
            wrong.append(f"is not JSON ({error}): {case['text']}")
        counts["blind"] += 1
        continue
    said = refusal(scene)
    if case["good"]:
        counts["good"] += 1
        if said:
            wrong.append(f"refuses a sound scene: {said}\n    {case['text']}")
    elif case["seen"]:
        counts["seen"] += 1
        if not said:
            wrong.append(f"accepts a bad scene:\n    {case['text']}")
    else:
        counts["blind"] += 1
        if said:
            wrong.append(f"sees what scene_bad.h says it cannot ({said}):\n    {case['text']}")

print(f"{len(examples)} examples, {len(documented)} scenes of the documentation; of the tests {counts['good']} sound "
      f"scenes accepted, {counts['seen']} bad ones refused, {counts['blind']} bad ones that no schema sees")
if not documented or not lines or not counts["good"] or counts["seen"] < 100:
    wrong.append("the test program wrote too few scenes, or the documentation has none")
for text in wrong:
    print("FAILED: the schema " + text)
sys.exit(1 if wrong else 0)
