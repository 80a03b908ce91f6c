#!/usr/bin/python3 -B
# labels: slow
# Progress: on a terminal one line that is rewritten a few times a second and never wraps, elsewhere plain
# lines; --quiet prints nothing. Progress does not change the result.
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

from cli import TALUS, check, equal, run_json, scene, talus


UPDATE = re.compile(rb"\r([^\r\n]+)\x1b\[K")


def in_terminal(columns, updates, *arguments, kind="xterm"):
    """Runs the command with its standard error on a terminal, stops it after so many updates of its line and half
    a second with Ctrl-C, typed there, and returns what was shown and how long it ran."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(["setsid", "--ctty", "--wait", TALUS, *arguments], stdin=terminal,
                               stdout=subprocess.DEVNULL, stderr=terminal, env={**os.environ, "TERM": kind})
    os.close(terminal)
    shown, typed, began = b"", False, time.monotonic()
    try:
        while True:
            if select.select([controller], [], [], 0.05)[0]:
                chunk = os.read(controller, 65536)
                if not chunk:
                    break
                shown += chunk
            took = time.monotonic() - began
            check(took < 60 or typed, f"not {updates} updates in {took:.0f} s: {shown!r}")
            if not typed and took > 0.5 and len(UPDATE.findall(shown)) >= updates:
                os.write(controller, b"\x03")
                typed = True
    except OSError:  # the other side is closed
        pass
    equal(process.wait(60), 130, f"exit code in a terminal: {shown!r}")
    os.close(controller)
    return shown.decode().replace("^C", ""), time.monotonic() - began


run = ("run", scene("heap"), "--no-record", "--threads", "1", "--backend", "cpu")
for columns in (200, 40):
    shown, took = in_terminal(columns, 4, *run, "--until", "5000")
    updates = [line.decode() for line in UPDATE.findall(shown.encode())]
    check(len(updates) <= 6 * took + 3, f"{len(updates)} updates in {took:.1f} s: {shown!r}")
    check(max(map(len, updates)) < columns, f"a line of {max(map(len, updates))} letters on {columns} columns")
    for line in updates:
        check(re.match(r"t = \d+\.\d{3} of 5000 s  \d+ %  ETA ", line), f"a progress line: {line!r}")
    if columns == 200:
        check(re.search(r"ETA [\d:]+  [\d.]+ steps/s  \d+ bodies  \d+ contacts  residual \S+ m/s  overlap \S+ %$",
                        updates[-1]), f"a progress line: {updates[-1]!r}")
    # The line is wiped before the summary.
    check(re.search(r"\r\x1b\[Kstopped at t = \S+ s \(step \d+\) of 5000 s\r\ninterrupted: t = ", shown),
          f"no summary: {shown!r}")

shown, _ = in_terminal(80, 0, *run, "--until", "5000", kind="dumb")
check("\x1b" not in shown, f"a dumb terminal gets escapes: {shown!r}")
shown, _ = in_terminal(80, 0, *run, "--until", "5000", "--quiet")
equal(shown, "", "what --quiet shows on a terminal")

run += ("--until", "1")
plain = talus(*run)
check("\r" not in plain.stderr and "\x1b" not in plain.stderr, f"escapes without a terminal: {plain.stderr!r}")
hashes = set(re.findall(r"hash ([0-9a-f]{16})", plain.stderr))
equal(hashes, {run_json(*run, "--quiet")["hash"]}, "hash with and without progress")
quiet = talus(*run, "--quiet")
equal((quiet.stdout, quiet.stderr), ("", ""), "what --quiet prints")
