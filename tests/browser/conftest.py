"""A browser for the tests of this folder, and blank pages with some of the page's scripts in them.

Without playwright or a browser the tests are skipped, unless OUTLAST_BROWSER is `required`. OUTLAST_CHROMIUM is the browser to start, else the chromium on the path.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HERE = Path(__file__).parent
SCRIPTS = HERE.parents[1] / "src/outlast/reports/page"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: tests that start a browser")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        _missing("playwright is not installed")
    chromium = os.environ.get("OUTLAST_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        except Error as error:
            _missing(f"no browser can be started: {error.message.splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture
def scripts(browser: Browser) -> Iterator[Callable[..., Page]]:
    """`scripts("numbers", "rules")` is a blank page in which these files have run, in that order; no error may be in its console."""
    pages: list[Page] = []
    wrong: list[str] = []

    def blank(*names: str) -> Page:
        page = browser.new_page()
        pages.append(page)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
        for name in names:
            page.add_script_tag(content=(SCRIPTS / f"{name}.js").read_text(encoding="utf-8"))
        return page

    yield blank
    for page in pages:
        page.close()
    assert wrong == []


def _missing(why: str) -> NoReturn:
    if os.environ.get("OUTLAST_BROWSER") == "required":
        pytest.fail(why)
    pytest.skip(why)
