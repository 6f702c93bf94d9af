"""How tests are spread over processes: one by one, those marked as a group together, as they share what was solved."""

from __future__ import annotations

import gc
import os

import pytest

#: Users' files to read, some of them in Python.
collect_ignore = ["data"]

# Looking for circles of objects after every 700 new ones, as Python does, takes a tenth of the time of all tests.
gc.set_threshold(50_000, 20, 20)
# Commands that tests run as processes of their own would compile everything anew each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_configure(config: pytest.Config) -> None:
    """Several processes each take the next test, not many at once: the slow ones stand side by side."""
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "loadgroup"
