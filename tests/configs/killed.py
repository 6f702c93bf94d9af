"""A process whose forks change files and die at a call that is told: one line of JSON in, one line out for each.

Not a test: test_kill.py runs it, so that forks start from a process without threads. The product has no hooks; what it calls is counted here.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from outlast.configs.transaction import Replacement, undo, write_all
from outlast.constraints.errors import OutlastError

#: What changes something on a disk, or may take long enough to be killed in.
CALLS = ("open", "write", "fsync", "rename", "replace", "unlink", "chmod", "close")


def die_at(number: int) -> None:
    """Let the process kill itself before its call of this number, and in the middle if that writes."""
    count = 0

    def counted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count == number:
                if name == "write":
                    call(args[0], bytes(args[1])[: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **options)

        return wrapped

    for name in CALLS:
        setattr(os, name, counted(name, getattr(os, name)))


def fail_at_replacement(number: int) -> None:
    """Let the replacement of this number fail, so that what was done is taken back."""
    count, replace = 0, os.replace

    def wrapped(*args: Any, **options: Any) -> None:
        nonlocal count
        count += 1
        if count == number:
            raise OSError(28, "No space left on device")
        replace(*args, **options)

    os.replace = wrapped


def run(order: dict[str, Any]) -> None:
    replacements = [Replacement(path=p, before=b.encode(), after=a.encode()) for p, b, a in order["files"]]
    if order.get("fail"):
        fail_at_replacement(order["fail"])
    if order.get("die"):
        die_at(order["die"])
    if order["do"] == "undo":
        undo(order["folder"])
    while order["do"] == "for ever":
        write_all(replacements, journal_folder=order["folder"])
        replacements = [Replacement(path=r.path, before=r.after, after=r.before) for r in replacements]
    if order["do"] == "write":
        write_all(replacements, journal_folder=order["folder"])


def main() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                run(order)
                code = 0
            except OutlastError:
                code = 2
            finally:
                os._exit(code)
        if "after_s" in order:
            time.sleep(random.Random(order["after_s"]).random() * order["longest_s"])
            os.kill(child, signal.SIGKILL)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
