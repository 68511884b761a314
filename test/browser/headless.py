# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A real browser without a window, for tests of pages: the fixture `browser_page`.

Chromium comes from the system (Debian's chromium-headless-shell, which tools/setup
installs, or any Chromium or Chrome on the PATH); Playwright drives it. Where there is
no browser the tests that ask for one are skipped.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

PROGRAMS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chrome",
)


@dataclass
class BrowserPage:
    """A tab of the browser, and what was heard from it.

    Attributes:
        page: Playwright's page: `page.click`, `page.locator`, `page.keyboard`, ...
        requests: URLs that it asked for, the documents that a test opened included.
        errors: What it wrote to the console as errors or warnings, and exceptions
            that no script caught.
    """

    page: Page
    requests: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])

    def open(self, path: Path) -> Page:
        """Opens a file of this machine and waits until it is loaded."""
        self.page.goto(path.resolve().as_uri())
        return self.page

    @property
    def network(self) -> list[str]:
        """The requests that left the page: no files, no data in the page itself."""
        inside = ("file:", "data:", "blob:", "about:")
        return [url for url in self.requests if not url.startswith(inside)]


def find_browser() -> str | None:
    """The program, or None; the variable BROWSER_FOR_TESTS names another one."""
    named = os.environ.get("BROWSER_FOR_TESTS")
    found = (shutil.which(name) for name in ((named,) if named else PROGRAMS))
    return next((path for path in found if path), None)


# Not for the whole session: while Playwright runs, no other test of this process
# could start an event loop of its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of one file."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="needs Playwright: pip install playwright"
    )
    program = find_browser()
    if program is None:
        pytest.skip(
            "needs a browser: apt-get install chromium-headless-shell, or put chromium "
            "on the PATH"
        )
    # Chromium's sandbox needs rights that containers often withhold. Pages here are
    # our own.
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"]
        )
        yield browser
        browser.close()


@pytest.fixture
def browser_page(browser: Browser) -> Iterator[BrowserPage]:
    """A fresh tab of 1400 by 900 pixels, with empty storage, for one test."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    tab = BrowserPage(context.new_page())

    def note(request: Request) -> None:
        tab.requests.append(request.url)

    tab.page.on("request", note)
    tab.page.on("pageerror", lambda error: tab.errors.append(str(error)))
    tab.page.on(
        "console",
        lambda said: (
            tab.errors.append(said.text) if said.type in ("error", "warning") else None
        ),
    )
    yield tab
    context.close()
