# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel with megabytes of code: only what is in view is in the document."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from headless import BrowserPage

from cuda_tile.pictures.collect import Collected
from cuda_tile.pictures.html_page import html_page
from cuda_tile.pictures.listings import Listing

MEGABYTES = 2
MOST_ROWS = 1000
"""Rows in the document at any time, of five texts in view."""
MOST_MS = 5000
"""Of one step, on a machine that does much else; alone it takes some ten."""


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
def page(browser_page: BrowserPage, product: Collected, tmp_path: Path) -> Any:
    large = {"tile", "placed", "ptx", "sass"}
    panes = [grown(p) if p.name in large else p for p in product.panes]
    path = tmp_path / "large.html"
    path.write_text(html_page(replace(product, panes=panes)), encoding="utf-8")
    assert path.stat().st_size > 4 * MEGABYTES * 1_000_000
    yield browser_page.open(path)
    assert not browser_page.errors


def test_megabytes_of_code_do_not_stall(page: Any) -> None:
    steps = page.evaluate(
        """async () => {
          const times = {}, view = views.code;
          const frame = () => new Promise((done) => requestAnimationFrame(done));
          const scroll = (top) => { box.scrollTop = top; ptx.rows.draw(); };
          const measure = async (name, step) => {
            const start = performance.now();
            step();
            document.body.getBoundingClientRect(); // lays the page out
            times[name] = performance.now() - start;
            await frame();
          };
          const ptx = view.panes.find((pane) => pane.data.name === "ptx");
          const box = ptx.rows.container;
          await measure("scroll to the middle", () => scroll(box.scrollHeight / 2));
          await measure("scroll to the end", () => scroll(box.scrollHeight));
          const row = ptx.data.places.findIndex((places) => places.length);
          await measure("light", () => view.hover(ptx, row));
          await measure("choose", () => view.choose(ptx, row, true));
          await measure("find", () => view.find("mov"));
          times.rows = document.querySelectorAll(".row").length;
          return times;
        }"""
    )
    rows = steps.pop("rows")
    print({name: f"{spent:.0f} ms" for name, spent in steps.items()}, rows, "rows")
    assert rows <= MOST_ROWS
    assert all(spent < MOST_MS for spent in steps.values()), steps
