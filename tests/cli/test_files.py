#!/usr/bin/python3 -B
# Files that are of another kind than a command takes, and outputs that must not be replaced: every message says
# what the file is, and no file is changed.
import os
import shutil

from cli import SOURCE, check, equal, refused, run_json, scene, talus

shutil.copy(scene("heap"), "heap.json")
talus("run", "heap.json", "--until", 0.05, "--quiet")
with open("notes.md", "w") as file:
    file.write("my notes\n")
with open("other.h5", "wb") as file:
    file.write(b"\211HDF\r\n\032\n" + bytes(5000))
open("empty.h5", "w").close()
os.mkdir("folder")


def contents():
    found = {}
    for name in sorted(os.listdir(".")):
        if os.path.isfile(name):
            with open(name, "rb") as file:
                found[name] = file.read()
    return found


BEFORE = contents()

# The version that a result has is the one that its page describes.
with open(os.path.join(SOURCE, "docs", "result-format.md"), encoding="utf-8") as file:
    check(f"describes version {run_json('info', 'heap.h5')['format']} of" in file.read(), "docs/result-format.md describes another version")

# The wrong kind of file.
for command, more in (("check", ()), ("run", ("--no-record",))):
    refused(3, f"talus: {command}: heap.h5 is a result, not a scene; `talus info`, `resume`, `export` and `view` take results",
            command, "heap.h5", *more)
    refused(3, f"talus: {command}: heap.h5.checkpoint is the checkpoint of a result, not a scene; `talus resume` takes the "
            "result beside it", command, "heap.h5.checkpoint", *more)
for command, more in (("resume", ()), ("export", ("-o", "out.csv"))):
    refused(3, f"talus: {command}: heap.json is a scene, not a result; `talus run` makes a result of it, and `talus check`, "
            "`info` and `view` take scenes", command, "heap.json", *more)
    refused(3, f"talus: {command}: notes.md is neither a scene nor a result", command, "notes.md", *more)
    refused(3, f"talus: {command}: empty.h5 is an empty file", command, "empty.h5", *more)
    refused(3, f"talus: {command}: heap.h5.checkpoint is the checkpoint of a result; name the result, which lies beside it",
            command, "heap.h5.checkpoint", *more)

# The result of a run: never the scene itself, nor over anything but a result.
refused(2, "run: -o names the scene itself", "run", "heap.json", "-o", "heap.json", "--force")
refused(2, "run: -o names the scene itself", "run", "heap.json", "-o", "./heap.json")
shutil.copy("heap.json", "second.json")
BEFORE = contents()
refused(4, "second.json exists and is a scene; -o names another file", "run", "heap.json", "-o", "second.json")
refused(4, "--force replaces results alone: second.json is a scene; -o names another file",
        "run", "heap.json", "-o", "second.json", "--force")
refused(4, "--force replaces results alone: notes.md is neither a scene nor a result",
        "run", "heap.json", "-o", "notes.md", "--force")
refused(4, "--force replaces results alone: other.h5 is an HDF5 file and no Talus result that can be opened",
        "run", "heap.json", "-o", "other.h5", "--force")
refused(4, "--force replaces results alone: heap.h5.checkpoint is the checkpoint of a result",
        "run", "heap.json", "-o", "heap.h5.checkpoint", "--force")
refused(4, "cannot write folder: it is a folder; -o needs the name of a file", "run", "heap.json", "-o", "folder")
refused(4, "cannot write nowhere/out.h5: nowhere is not a folder that exists", "run", "heap.json", "-o", "nowhere/out.h5")
refused(4, "cannot write notes.md/out.h5: notes.md is not a folder that exists",
        "run", "heap.json", "-o", "notes.md/out.h5")
refused(4, "second.json exists and is a scene", "view", "heap.json", "-o", "second.json", "--no-browser")

# Exports: never the result itself, a scene or a result; anything else with --force alone.
refused(2, "export: -o names the result itself", "export", "heap.h5", "-o", "heap.h5", "--format", "csv", "--force")
refused(4, "heap.json exists and is a scene, which an export never replaces; -o names another file",
        "export", "heap.h5", "-o", "heap.json", "--format", "csv", "--force")
refused(4, "other.h5 exists and is a result, which an export never replaces",
        "export", "heap.h5", "-o", "other.h5", "--format", "csv", "--force")
refused(4, "notes.md exists; --force replaces it, -o names another",
        "export", "heap.h5", "-o", "notes.md", "--format", "csv")
refused(4, "cannot write folder: it is a folder", "export", "heap.h5", "-o", "folder", "--format", "csv")
refused(4, "cannot write nowhere/out.csv: nowhere is not a folder that exists", "export", "heap.h5", "-o", "nowhere/out.csv")
equal(contents(), BEFORE, "files after refused commands")

# What may be replaced is.
talus("run", "heap.json", "-o", "heap.h5", "--force", "--until", 0.1, "--quiet")
equal(run_json("info", "heap.h5")["duration"], 0.1, "duration of the result that was replaced")
talus("run", "heap.json", "-o", "empty.h5", "--force", "--until", 0.1, "--quiet")
equal(run_json("info", "empty.h5")["kind"], "result", "an empty file that was replaced")
talus("export", "heap.h5", "-o", "notes.md", "--format", "csv", "--force", "--quiet")
with open("notes.md") as file:
    check(file.readline().startswith("frame,time,body,name,"), "--force replaced nothing")
talus("export", "heap.h5", "-o", "heap.pvd", "--quiet")
os.remove("heap.pvd")
refused(4, "heap_frames exists; --force writes into it, -o names another", "export", "heap.h5", "-o", "heap.pvd")
talus("export", "heap.h5", "-o", "heap.pvd", "--force", "--quiet")
