"""What a person at a terminal sees while a command takes long."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping

import pytest

from outlast.reports import waiting

pty = pytest.importorskip("pty")

#: A command; what it does comes first.
WORK = """\
import sys, time
from outlast.commands import ending
from outlast.constraints.progress import counted, doing
from outlast.reports import waiting
from outlast.reports.output import tell, write

waiting._SILENCE = {silence}
{body}

import typer
try:
    ending.end("text", run)
except typer.Exit as left:
    sys.exit(left.exit_code)
"""
#: A sum of two cubes that is a cube, which z3 looks for without an end.
IN_Z3 = """
def run():
    import z3
    from outlast.solver.interrupts import interruptible
    a, b, c = z3.Ints("a b c")
    solver = z3.SimpleSolver()
    solver.set("ctrl_c", False)
    solver.add(a > 1, b > 1, c > 1, a * a * a + b * b * b == c * c * c)
    solver.set("timeout", 1200)
    doing("solving: level {} of {}", 412, 1000)
    with interruptible():
        solver.check()
    write("told\\n")
    return 1
"""
TOLD_BETWEEN = """
def run():
    for item in counted("mutants: {} of {}", "ab"):
        doing("solving \\x1b[31m")
        time.sleep(0.25)
        tell("note " + item)
    return 0
"""


NOTHING: Mapping[str, str] = {}


class _Seen:
    """What came to a terminal that is the stderr of a program, and its exit code."""

    def __init__(
        self,
        body: str,
        *,
        silence: float = 0.15,
        interrupt_at: str | None = None,
        environment: Mapping[str, str] = NOTHING,
    ) -> None:
        master, slave = pty.openpty()
        clean = {k: v for k, v in os.environ.items() if k not in ("CI", "TERM", "COLUMNS")}
        with subprocess.Popen(
            [sys.executable, "-c", WORK.format(body=body, silence=silence)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave, env={**clean, "TERM": "xterm", **environment},
        ) as process:  # fmt: skip
            os.close(slave)
            self.err = ""
            self.since_interrupt = 0.0
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline:
                if select.select([master], [], [], 0.05)[0]:
                    try:
                        self.err += os.read(master, 4096).decode()
                    except OSError:  # the other end is closed
                        break
                if interrupt_at is not None and interrupt_at in self.err:
                    interrupt_at = None
                    os.kill(process.pid, signal.SIGINT)
                    self.since_interrupt = time.monotonic()
            out, _ = process.communicate(timeout=30)
            self.out = out.decode()
            self.code = process.returncode
        if self.since_interrupt:
            self.since_interrupt = time.monotonic() - self.since_interrupt
        os.close(master)

    @property
    def left(self) -> str:
        """What stands on the terminal in the end."""
        return re.sub(r"[^\n]*\r\x1b\[K", "", self.err.replace("\r\n", "\n"))


def test_what_z3_takes_long_for_is_told_in_one_line_that_is_gone_in_the_end() -> None:
    seen = _Seen(IN_Z3, silence=waiting._SILENCE)
    assert "\r\x1b[Koutlast: solving: level 412 of 1,000 (1 s)" in seen.err
    assert "(0 s)" not in seen.err
    assert seen.left == ""
    assert (seen.out, seen.code) == ("told\n", 1)


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"CI": "true"}])
def test_nothing_is_told_where_nobody_looks(environment: dict[str, str]) -> None:
    assert _Seen(TOLD_BETWEEN, environment=environment).err.split("\r\n") == ["note a", "note b", ""]


def test_the_line_is_away_while_other_lines_are_written() -> None:
    seen = _Seen(TOLD_BETWEEN)
    assert "outlast: mutants: 1 of 2, solving \\x1b[31m (0 s)" in seen.err
    assert "mutants: 2 of 2" in seen.err
    assert seen.left == "note a\nnote b\n"


def test_an_interrupt_ends_at_once_and_leaves_no_half_line() -> None:
    seen = _Seen(IN_Z3.replace("1200", "25000"), interrupt_at="level 412 of 1,000 (")
    assert seen.since_interrupt < 5
    assert seen.left == ""
    assert seen.code == 130


def test_without_a_terminal_there_is_no_line() -> None:
    command = [sys.executable, "-c", WORK.format(body=TOLD_BETWEEN, silence=0.15)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    assert run.stderr == "note a\nnote b\n"
