"""How tests are spread over processes: one by one, those marked as a group together, as they share what was solved."""

from __future__ import annotations

import pytest

#: Users' files to read, some of them in Python.
collect_ignore = ["data"]


def pytest_configure(config: pytest.Config) -> None:
    """Several processes each take the next test, not many at once: the slow ones stand side by side."""
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "loadgroup"
