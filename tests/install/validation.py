#!/usr/bin/python3 -B
"""Checks tools/validation-table on JUnit files as ctest writes them: lines become rows, variants are told in few words,
the worst is shown, what is wrong is refused, and a check finds rows that are missing, too many or changed by hand. The
page itself must name tests that there are. validation.py BUILD SOURCE"""
import os
import re
import subprocess
import sys
import tempfile

BUILD, SOURCE = (os.path.abspath(argument) for argument in sys.argv[1:3])
TOOL = os.path.join(SOURCE, "tools", "validation-table")
work = tempfile.TemporaryDirectory()
os.chdir(work.name)
EMPTY = "before\n<!-- rows: made -->\n<!-- end of rows -->\nafter\n"


def line(what, how, expected, found, allowed, settings="h = 1 ms"):
    return f"validation: {what} | closed form | speed, m/s | {settings} | {how} | {expected} | {found} | {allowed}"


def junit(**tests):
    """A JUnit file of tests that print lines."""
    with open("CTestTestfile.cmake", "w") as file:
        for name, lines in tests.items():
            text = "\n".join(["[ RUN ] one", *lines, "[ OK ] one"])
            file.write(f'add_test("physics/{name}" printf "%s\\n" [==[{text}]==])\n')
    subprocess.run(["ctest", "--output-junit", "junit.xml", "--test-output-size-passed", "1000000"], check=True,
                   stdout=subprocess.DEVNULL)


def tool(*arguments, code=0, said=""):
    done = subprocess.run([TOOL, "--page", "page.md", *arguments, "junit.xml"], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}: {done.stderr}"
    assert said in done.stderr and bool(said) == bool(done.stderr), f"{arguments}: said {done.stderr!r}, not {said!r}"


def page(text=None):
    if text is not None:
        with open("page.md", "w") as file:
            file.write(text)
    with open("page.md") as file:
        return file.read()


def table_of(*lines):
    page(EMPTY)
    junit(one=lines)
    tool()
    text = page()
    assert text.startswith("before\n<!-- rows: made -->\n") and text.endswith("<!-- end of rows -->\nafter\n"), text
    return [row[2:-2].split(" | ") for row in text.splitlines() if row.startswith("| ")][2:]


solvers = ("psor coulomb", "psor cone", "jacobi", "apgd", "spg")
every = [line("a ball", f"{solver}, {overlap}, {precision}", 2, 2.0001 if precision == "mixed" else 2 + 1e-9,
              1e-3 if precision == "mixed" else 1e-7)
         for solver in solvers for overlap in ("split", "velocity") for precision in ("double", "mixed")]
assert table_of(*every) == [["a ball", "closed form", "speed, m/s", "2", "2.0001", "1e-09 / 0.0001", "1e-07 / 0.001",
                             "h = 1 ms; all solvers, both overlap modes, both precisions; 20 values"]]
assert "\n*All solvers* are psor coulomb, psor cone, jacobi, apgd and spg.\n" in page()
# The worst uses up most of its limit, whatever its size.
assert table_of(line("a ball", "jacobi, split, double", 1, 1.5, 10), line("a ball", "apgd, split, double", 4, 4.1, 0.2),
                line("b", "spg, split, mixed", 1, 1, 1))[:1] == [
    ["a ball", "closed form", "speed, m/s", "4", "4.1", "0.1", "0.2", "h = 1 ms; jacobi and apgd, split, double; 2 values"]]
assert table_of(line("a", "mixed", 0, 0, 0), line("b", "apgd", -1, -1, 1), line("a", "double", 0, 0, 0)) == [
    ["a", "closed form", "speed, m/s", "0", "0", "0 / 0", "0 / 0", "h = 1 ms; both precisions; 2 values"],
    ["b", "closed form", "speed, m/s", "-1", "-1", "0", "1", "h = 1 ms; apgd"]]

# What another machine may find otherwise is no difference; a row more or less, or other words, are.
junit(one=[line("a ball", "apgd", 1, 1.1, 1)], two=[line("two balls", "spg", 1, 1, 1)])
page(EMPTY)
tool()
whole = page()
tool("--check")
tool()
assert page() == whole, "the second time the page is another one"
junit(one=[line("a ball", "apgd", 1, 1.2, 1)], two=[line("two balls", "spg", 1, 1, 1)])
tool("--check")
junit(one=[line("a ball", "apgd", 1, 1.2, 1)], two=[])
tool("--check", code=1, said="page.md: physics/two: 'two balls', speed, m/s: has a row that the tests do not print")
junit(one=[line("a ball", "apgd", 1, 1.2, 1), line("a cube", "apgd", 1, 1, 1)], two=[line("two balls", "spg", 1, 1, 1)])
tool("--check", code=1, said="page.md: physics/one: 'a cube', speed, m/s: lacks a row that the tests print")
assert page() == whole, "a check changed the page"

junit(one=["validation: a ball | closed form | 1"])
tool(code=1, said="physics/one: 3 fields, not 8: a ball | closed form | 1")
junit(one=[line("a ball", "apgd", 1, "much", 1)])
tool(code=1, said="physics/one: found is 'much', no number")
junit(one=[line("a mean <v>", "apgd", 1, 1, 1)])
tool(code=1, said="physics/one: '<' and '>' are markup on the page: a mean <v>")
junit(one=["nothing"])
tool(code=1, said="no test has printed a line 'validation: ...'")
junit(one=every)
page("no place\n")
tool(code=1, said="page.md has no lines '<!-- rows: ... -->' and '<!-- end of rows -->'")
assert page() == "no place\n"

# docs/validation.md has rows, of tests that there are.
with open(os.path.join(SOURCE, "docs", "validation.md")) as file:
    named = re.findall(r"^### (\S+)$", file.read(), re.M)
listed = subprocess.run(["ctest", "--test-dir", BUILD, "-N"], capture_output=True, text=True, check=True).stdout
there = set(re.findall(r"Test +#\d+: (\S+)$", listed, re.M))
assert len(named) > 10 and there.issuperset(named), f"docs/validation.md names tests that are not there: {set(named) - there}"
