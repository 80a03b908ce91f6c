#!/usr/bin/python3 -B
"""Checks tools/test and tools/test-summary, on JUnit files as ctest writes them: what counts as passed and as failed,
which skips are accepted, the slowest tests, the closing line and the exit code. summary.py BUILD SOURCE"""
import os
import shutil
import subprocess
import sys
import tempfile

BUILD, SOURCE = (os.path.abspath(argument) for argument in sys.argv[1:3])
SUMMARY = os.path.join(SOURCE, "tools", "test-summary")
work = tempfile.TemporaryDirectory()


def run_ctest(name, *tests, shell="sh"):
    """A JUnit file of real tests: each a name and a shell script."""
    folder = os.path.join(work.name, name)
    os.mkdir(folder)
    with open(os.path.join(folder, "CTestTestfile.cmake"), "w") as file:
        for test, script in tests:
            file.write(f'add_test("{test}" "{shell}" "-c" [==[{script}]==])\n'
                       f'set_tests_properties("{test}" PROPERTIES SKIP_RETURN_CODE 77)\n')
    subprocess.run(["ctest", "--test-dir", folder, "--output-junit", "junit.xml", "--test-output-size-passed", "1000000"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return f"{name}={folder}/junit.xml"


def expect(what, code, lines, *arguments):
    """Runs the summary; `lines` are its last lines, without the table of the slowest."""
    done = subprocess.run([SUMMARY, *arguments], capture_output=True, text=True)
    assert done.returncode == code, f"{what}: exit code {done.returncode}: {done.stdout}{done.stderr}"
    assert done.stdout.splitlines()[-len(lines):] == lines, f"{what}: {done.stdout}"
    return done.stdout


fine = [(f"unit/{k}", "echo fine") for k in range(12)]
out = expect("all pass", 0, ["12 passed, 0 failed"], run_ctest("release", *fine))
assert "FAILED" not in out and "skipped" not in out, out
table = [line.split() for line in out.splitlines()]
table = table[table.index(["slowest,", "s"]) + 1:-1]
assert len(table) == 10 and all(row[1] == "release:" for row in table), out

slow = run_ctest("asan", ("unit/slow", "sleep 0.3"), ("unit/quick", "true"))
out = expect("two files", 0, ["14 passed, 0 failed"], f"release={work.name}/release/junit.xml", slow)
assert out.splitlines()[2].split() == ["0.3", "asan:", "unit/slow"], out

expect("a failure", 1, ["FAILED   bad: unit/b", "1 passed, 1 failed"],
       run_ctest("bad", ("unit/a", "true"), ("unit/b", "echo 'skipped: no GPU'; exit 1")))
expect("no GPU", 0, ["skipped  gpu: unit/a: no GPU: no driver", "1 passed, 0 failed"],
       run_ctest("gpu", ("unit/a", "echo 'skipped: no GPU: no driver'; exit 77"), ("unit/b", "true")))
expect("no tool", 1, ["FAILED   tool: unit/a: skipped: pvpython is not there", "0 passed, 1 failed"],
       run_ctest("tool", ("unit/a", "echo 'skipped: pvpython is not there'; exit 77")))
expect("no reason", 1, ["FAILED   mute: unit/a: skipped: without a reason", "0 passed, 1 failed"],
       run_ctest("mute", ("unit/a", "exit 77")))
expect("a part of a script", 1, ["FAILED   some: cli/a: skipped: no mandoc", "0 passed, 1 failed"],
       run_ctest("some", ("cli/a", "echo one; echo 'skipped: no mandoc'; echo two")))
# A part of a cmocka test; it ends with 0. Text before it must not hide it.
part = "yes 'a line of output' | head -2000; echo '[  SKIPPED ] test_language'"
expect("a part", 1, ["FAILED   part: io/a: skipped: without a reason", "0 passed, 1 failed"],
       run_ctest("part", ("io/a", part)))
expect("a part without a GPU", 0, ["skipped  cuda: io/a: no GPU", "1 passed, 0 failed"],
       run_ctest("cuda", ("io/a", "echo 'skipped: no GPU'; " + part)))
expect("two reasons", 1, ["FAILED   both: io/a: skipped: no tool", "0 passed, 1 failed"],
       run_ctest("both", ("io/a", "echo 'skipped: no GPU'; echo 'skipped: no tool'; " + part)))
expect("no program", 1, ["FAILED   lost: unit/a: skipped: without a reason", "0 passed, 1 failed"],
       run_ctest("lost", ("unit/a", "true"), shell="/nowhere/sh"))
# What CMake leaves out is not forgotten.
folder = os.path.join(work.name, "less")
subprocess.run(["cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", "-DTALUS_TESTS=ON", "-DTALUS_IO=OFF", "-DTALUS_CUDA=OFF",
                "-DTALUS_BENCH=OFF"], check=True, stdout=subprocess.DEVNULL)
subprocess.run(["ctest", "--test-dir", folder, "-R", "^(io|cli)$", "--output-junit", "junit.xml"], capture_output=True)
expect("left out", 1, ["FAILED   less: io: skipped: talus_io is not built: it needs HDF5",
                       "FAILED   less: cli: skipped: the command is not built: it needs HDF5 and jansson",
                       "0 passed, 2 failed"], f"less={folder}/junit.xml")
# What no file tells of.
expect("did not build", 1, ["FAILED   asan: did not build", "12 passed, 1 failed"],
       "--problem", "asan: did not build", f"release={work.name}/release/junit.xml")
expect("nothing built", 1, ["FAILED   asan: did not build", "0 passed, 1 failed"], "--problem", "asan: did not build")

# tools/test, in a folder where cmake, ctest and validation-table are fakes: it goes on after a failure, and forgets none.
shutil.copytree(os.path.join(SOURCE, "tools"), os.path.join(work.name, "project", "tools"))
fakes = os.path.join(work.name, "fakes")
os.mkdir(fakes)
with open(os.path.join(work.name, "project", "tools", "validation-table"), "w") as file:
    file.write("#!/bin/sh\n[ \"$*\" = '--check build/junit-release.xml' ] && exit $OTHER_ROWS\n")
for name, script in (("cmake", 'case "$*" in *$BROKEN*) exit 1 ;; esac'), ("ctest", f"""
folder=build
case $2 in asan | tsan) folder=build/$2 ;; esac
while [ $1 != --output-junit ]; do shift; done
[ "$NO_FILE" ] || cp {work.name}/$JUNIT/junit.xml $folder/$2
exit $STATUS""")):
    with open(os.path.join(fakes, name), "w") as file:
        file.write("#!/bin/sh\n" + script)
    os.chmod(os.path.join(fakes, name), 0o755)


def run_tests(code, lines, *arguments, **settings):
    environment = {**os.environ, "PATH": f"{fakes}:{os.environ['PATH']}", "BROKEN": "none", "NO_FILE": "", "STATUS": "0",
                   "JUNIT": "release", "OTHER_ROWS": "0", **settings}
    done = subprocess.run([f"{work.name}/project/tools/test", *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == code, f"tools/test {arguments}: exit code {done.returncode}: {done.stdout}{done.stderr}"
    assert (done.stdout + done.stderr).splitlines()[-len(lines):] == lines, f"tools/test {arguments}: {done.stdout}"


run_tests(0, ["36 passed, 0 failed"])
run_tests(0, ["12 passed, 0 failed"], "long")
run_tests(1, ["FAILED   release: docs/validation.md has other rows than the tests; tools/validation-table makes them",
              "36 passed, 1 failed"], OTHER_ROWS="1")
run_tests(0, ["24 passed, 0 failed"], "--jobs", "3", "asan", "tsan")
run_tests(1, ["FAILED   asan: did not build", "24 passed, 1 failed"], BROKEN="asan")
run_tests(1, ["FAILED   release: unit/b", "1 passed, 1 failed"], "release", JUNIT="bad", STATUS="8")
run_tests(1, ["FAILED   long: ctest ended with status 8", "0 passed, 1 failed"], "long", NO_FILE="1", STATUS="8")
run_tests(1, ["FAILED   tsan: ctest ended with status 4", "12 passed, 1 failed"], "tsan", STATUS="4")
run_tests(2, ["tools/test: unknown configuration 'all'; there are release, asan, tsan and long"], "all")
