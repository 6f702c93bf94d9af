"""What asks real software: `oracle` needs packages of PyPI alone, `oracle_heavy` programs, sockets and time."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "oracle: asks real software that PyPI has; takes milliseconds")
    config.addinivalue_line(
        "markers", "oracle_heavy: asks programs that must be fetched or need seconds; -m oracle_heavy runs them"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "oracle_heavy" in (config.getoption("markexpr") or ""):
        return
    for item in items:
        if item.get_closest_marker("oracle_heavy") is not None:
            item.add_marker(pytest.mark.skip(reason="heavy: run with -m oracle_heavy"))
