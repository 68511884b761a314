# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel with megabytes of code: only what is in view is in the document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from headless import BrowserPage

from cuda_tile.pictures.collect import Collected
from cuda_tile.pictures.html_page import html_page
from cuda_tile.pictures.listings import Listing

if TYPE_CHECKING:
    from playwright.sync_api import Page

MEGABYTES = 2
MOST_ROWS = 1000
"""Rows in the document at any time, of five texts in view."""
MOST_MS = 400
"""Of the main thread for one interaction, by the processor's time and not by the clock:
the machine may do much else. Most take some milliseconds; one in whose time the browser
collects garbage took 243. A page that renders all rows takes seconds."""
MOST_MS_TO_LOAD = 1500
STEPS = {
    "light": "views.code.hover(ptx, row)",
    "choose": "views.code.choose(ptx, row, true)",
    "scroll to the middle": "void (box.scrollTop = box.scrollHeight / 2)",
    "scroll to the end": "void (box.scrollTop = box.scrollHeight)",
    "find": "views.code.find('mov')",
    "find what is nowhere": "views.code.find('zzzz')",
}
"""What a reader does, as calls of the page's own functions."""
KEYS = "jk][ggggggt"
SETTLED = """new Promise((done) => requestAnimationFrame(() =>
    requestAnimationFrame(() => setTimeout(done, 20))))"""


def grown(listing: Listing) -> Listing:
    """The same lines, again and again, up to two megabytes."""
    size = sum(map(len, listing.lines)) + len(listing.lines)
    times = -(-MEGABYTES * 1_000_000 // max(1, size))
    lines = list(listing.lines) * times
    return replace(
        listing,
        lines=lines,
        places=list(listing.places) * times,
        numbers=[str(number) for number in range(1, len(lines) + 1)],
    )


@pytest.fixture
def large(product: Collected, tmp_path: Path) -> Path:
    grows = {"tile", "placed", "ptx", "sass"}
    panes = [grown(p) if p.name in grows else p for p in product.panes]
    path = tmp_path / "large.html"
    path.write_text(html_page(replace(product, panes=panes)), encoding="utf-8")
    assert path.stat().st_size > 4 * MEGABYTES * 1_000_000
    return path


class MainThread:
    """Milliseconds that the page's main thread computed."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def now(self) -> float:
        """Since the page began."""
        found = self.session.send("Performance.getMetrics")["metrics"]
        return next(1e3 * m["value"] for m in found if m["name"] == "TaskDuration")

    def spent(self, step: Callable[[], object]) -> float:
        """For a step, until what it changed is drawn."""
        start = self.now()
        step()
        self.page.evaluate(SETTLED)
        return self.now() - start


def test_megabytes_of_code_do_not_stall(browser_page: BrowserPage, large: Path) -> None:
    page = browser_page.page
    thread = MainThread(page)
    loading = thread.spent(lambda: browser_page.open(large))
    page.evaluate(
        """() => {
          window.ptx = views.code.panes.find((pane) => pane.data.name === "ptx");
          window.box = ptx.rows.container;
          window.row = ptx.data.places.findIndex((places) => places.length);
        }"""
    )
    steps = {
        name: thread.spent(partial(page.evaluate, call)) for name, call in STEPS.items()
    }
    rows = page.locator(".row").count()
    for index, key in enumerate(KEYS):
        steps[f"key {index}: {key}"] = thread.spent(partial(page.keyboard.press, key))
    print({name: f"{ms:.0f} ms" for name, ms in steps.items()}, f"{loading:.0f} ms")
    assert not browser_page.errors
    assert 0 < rows <= MOST_ROWS
    assert loading < MOST_MS_TO_LOAD
    assert {name: ms for name, ms in steps.items() if ms >= MOST_MS} == {}
