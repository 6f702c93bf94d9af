from __future__ import annotations

import pytest

from cli.running import Outlast


@pytest.fixture
def outlast(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Outlast:
    return Outlast(monkeypatch, capsys)
