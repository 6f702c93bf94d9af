"""How tests are spread over processes: each takes a half in their order, then from the other; those marked as a group stand together, as they share what was solved."""

from __future__ import annotations

import gc
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

#: Users' files to read, some of them in Python.
collect_ignore = ["data"]

# Looking for circles of objects after every 700 new ones, as Python does, takes a tenth of the time of all tests.
gc.set_threshold(50_000, 20, 20)
# Commands that tests run as processes of their own would compile everything anew each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Started in the background by a shell, tests ignore Ctrl-C, and so would the commands that they start and interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long an example takes is a matter of the machine and of what else runs on it; tests of time measure that of their process.
settings.register_profile("outlast", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("outlast")


def pytest_configure(config: pytest.Config) -> None:
    """Neighbours share what was judged or solved for them, so that a process takes tests in a row, not every other one."""
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "worksteal"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each test that is marked as one of a group follows the first of that group."""
    first: dict[str, int] = {}
    places: dict[str, int] = {}
    for at, item in enumerate(items):
        mark = item.get_closest_marker("xdist_group")
        places[item.nodeid] = at if mark is None else first.setdefault(mark.args[0], at)
    items.sort(key=lambda item: places[item.nodeid])


def pytest_collection_finish() -> None:
    """The tests themselves stay to the end: no search for circles of objects needs to look at them."""
    gc.freeze()
