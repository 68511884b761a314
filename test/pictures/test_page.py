# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a compilation in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from headless import BrowserPage

from cuda_tile.pictures.collect import Collected
from cuda_tile.pictures.html_page import TABS

MMA = "product.py:24"
"""`acc = ct.mma(...)` in the source."""


@pytest.fixture
def page(browser_page: BrowserPage, product_page: Path) -> Any:
    """The page of the product, opened; afterwards: nothing fetched, no errors."""
    yield browser_page.open(product_page)
    assert browser_page.requests == [product_page.as_uri()]
    assert not browser_page.errors


def pane(page: Any, name: str) -> Any:
    return page.locator(f"#pane-{name}")


def source_row(page: Any, product: Collected, place: str) -> Any:
    """The row of a source line, scrolled into view."""
    (source,) = (p for p in product.panes if p.name == "source0")
    row = next(n for n, chain in enumerate(source.places) if chain == (place,))
    page.evaluate("n => views.code.panes[0].rows.reveal(n)", row)
    return pane(page, "source0").locator(f'.row[data-row="{row}"]')


def lit_rows(page: Any, name: str) -> set[int]:
    """The lit rows of a pane, scrolled through from end to end."""
    return set(
        page.evaluate(
            """name => {
              const pane = views.code.panes.find((pane) => pane.data.name === name);
              const lit = new Set(), box = pane.rows.container, keep = box.scrollTop;
              for (let top = 0; top <= box.scrollHeight; top += box.clientHeight) {
                box.scrollTop = top;
                pane.rows.draw();
                for (const row of pane.element.querySelectorAll(".row.lit"))
                  lit.add(Number(row.dataset.row));
              }
              box.scrollTop = keep;
              pane.rows.draw();
              return [...lit];
            }""",
            name,
        )
    )


def test_all_views_have_their_parts(page: Any) -> None:
    assert "@gemm_f16" in page.inner_text("h1")
    for name, _ in TABS:
        page.click(f"#tab-{name}")
        assert page.locator("main > section:visible").count() == 1
        assert page.locator(f"#view-{name}").is_visible()
    titles = page.eval_on_selector_all(".pane", "all => all.map(pane => pane.id)")
    assert titles == [
        *("pane-source0", "pane-tile", "pane-placed", "pane-ptx", "pane-sass")
    ]


def test_lines_of_one_source_line_are_lit_together(
    page: Any, product: Collected
) -> None:
    source_row(page, product, MMA).hover()
    for listing in product.panes:
        expected = {n for n, chain in enumerate(listing.places) if MMA in chain}
        assert expected, listing.name
        assert lit_rows(page, listing.name) == expected


def test_a_click_scrolls_the_others_to_what_comes_from_the_line(
    page: Any, product: Collected
) -> None:
    source_row(page, product, MMA).click()
    page.mouse.move(1, 1)
    for name, word in (
        ("tile", "mmaf"),
        ("placed", "wgmma"),
        ("ptx", ""),
        ("sass", ""),
    ):
        box = pane(page, name).locator(".rows").bounding_box()
        lit = pane(page, name).locator(".row.lit")
        shown = [
            row.inner_text()
            for row in lit.all()
            if box["y"] <= row.bounding_box()["y"] <= box["y"] + box["height"]
        ]
        assert any(word in text for text in shown), name
    assert "from product.py:24" in page.inner_text(".status")
    assert "flops" in page.inner_text(".status")


def test_counts_stand_beside_the_lines(page: Any, product: Collected) -> None:
    (run,) = product.runs
    row = source_row(page, product, MMA)
    (ptx,) = (p for p in product.panes if p.name == "ptx")
    expected = sum(
        run.lines[int(number)]["warps"]
        for number, chain in zip(ptx.numbers, ptx.places, strict=True)
        if chain[:1] == (MMA,) and int(number) in run.lines
    )
    assert expected > 0
    assert row.locator(".count").inner_text() == str(expected)


def test_keys_move_and_lead_to_the_text_beside(page: Any, product: Collected) -> None:
    page.keyboard.press("ArrowDown")
    first = page.locator("#pane-source0 .row.cursor").get_attribute("data-row")
    page.keyboard.press("j")
    second = page.locator("#pane-source0 .row.cursor").get_attribute("data-row")
    assert int(second) == int(first) + 1
    source_row(page, product, MMA).click()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    row = page.locator("#pane-ptx .row.cursor")
    assert "lit" in row.get_attribute("class")
    (ptx,) = (p for p in product.panes if p.name == "ptx")
    chosen = int(row.get_attribute("data-row"))
    assert chosen == next(n for n, chain in enumerate(ptx.places) if MMA in chain)
    page.keyboard.press("Escape")
    assert page.locator(".row.lit").count() == 0
    page.keyboard.press("5")
    assert not pane(page, "sass").is_visible()
    page.keyboard.press("5")
    assert pane(page, "sass").is_visible()
    page.keyboard.press("g")
    assert page.locator("#view-passes").is_visible()
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()


def test_find(page: Any) -> None:
    page.keyboard.press("/")
    page.keyboard.type("wgmma.mma_async")
    found = page.inner_text("#view-code output")
    assert found.endswith("lines")
    count = int(found.split()[0])
    assert count > 0
    page.keyboard.press("Enter")
    assert page.inner_text("#view-code output") == f"1 of {count}"
    assert "wgmma.mma_async" in page.inner_text("#pane-ptx .row.cursor")


def test_light_and_dark(page: Any) -> None:
    def ground() -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    page.emulate_media(color_scheme="light")
    light = ground()
    page.emulate_media(color_scheme="dark")
    dark = ground()
    assert light != dark
    page.click("#theme")
    assert ground() == light
    page.emulate_media(color_scheme="light")
    page.keyboard.press("t")
    assert ground() == dark


def test_a_narrow_screen_is_not_left_sideways(page: Any) -> None:
    """What is wider scrolls by itself, below a heading that stays."""
    page.set_viewport_size({"width": 360, "height": 740})
    for name, _ in TABS:
        page.click(f"#tab-{name}")
        for part in ("html", f"#view-{name}"):
            widths = "part => [part.scrollWidth, part.clientWidth]"
            needed, given = page.eval_on_selector(part, widths)
            assert needed == given == 360, name


def test_what_a_pass_changed(page: Any, product: Collected) -> None:
    page.click("#tab-passes")
    names = page.locator(".list .name").all_inner_texts()
    assert names == [each.name for each in product.passes]
    page.click(f".list button:nth-child({names.index('ring') + 1})")
    added = page.locator("#view-passes .row.plus").all_inner_texts()
    assert any("tileas.ring" in line for line in added)
    page.keyboard.press("ArrowDown")
    chosen = page.locator('.list button[aria-selected="true"] .name').inner_text()
    assert chosen == names[names.index("ring") + 1]


def test_cells_of_a_grid_are_what_the_layout_says(
    page: Any, product: Collected
) -> None:
    page.click("#tab-layouts")
    (kernel,) = product.placed
    figures = page.locator("figure.layout")
    assert figures.count() == len(kernel.layouts)
    for number, used in enumerate(kernel.layouts):
        cells = figures.nth(number).locator(".cell")
        seen = cells.evaluate_all(
            "all => all.map(cell => [cell.dataset.element, cell.dataset.place, "
            "[...cell.querySelectorAll('text')].map(text => text.textContent)])"
        )
        assert seen
        for element, place, words in seen:
            coord = tuple(map(int, element.split(",")))
            register, lane, warp, block = map(int, place.split(","))
            assert used.layout.apply(register, lane, warp, block) == coord
            assert used.layout.owner(coord) == (register, lane, warp, block)
            assert words == [f"t{lane}", f"r{register}"]


def test_pixels_of_a_panel_are_what_the_layout_says(
    page: Any, product: Collected
) -> None:
    """Two elements have one colour where one warp holds both, and only there."""
    page.click("#tab-layouts")
    (kernel,) = product.placed
    layout = kernel.layouts[0].layout
    pixels = page.evaluate(
        """async () => {
          const image = new Image();
          image.src = document.querySelector('figure.layout [data-panel="warp"]')
            .getAttribute("href");
          await image.decode();
          const canvas = document.createElement("canvas");
          canvas.width = image.width;
          canvas.height = image.height;
          const drawn = canvas.getContext("2d");
          drawn.drawImage(image, 0, 0);
          const data = drawn.getImageData(0, 0, image.width, image.height).data;
          return [image.height, image.width, [...data]];
        }"""
    )
    rows, columns, data = pixels
    assert (rows, columns) == layout.shape
    color_of: dict[int, tuple[int, ...]] = {}
    for row in range(rows):
        for column in range(columns):
            start = 4 * (row * columns + column)
            warp = layout.owner((row, column))[2]
            color = tuple(data[start : start + 3])
            assert color_of.setdefault(warp, color) == color
    assert len(set(color_of.values())) == layout.n_warps == len(color_of)


def test_rings_bounds_and_resources(page: Any, product: Collected) -> None:
    page.click("#tab-iterations")
    (kernel,) = product.placed
    text = page.locator("figure.iterations svg").text_content()
    for ring in kernel.rings:
        assert f"{ring.slots} slots of {ring.text}" in text
    page.click("#tab-bounds")
    (run,) = product.runs
    assert "generated" in page.inner_text("#view-bounds")
    assert run.bounds is not None
    cells = page.locator("table.bounds tr").all_inner_texts()
    assert any(run.bounds.grid.limiter.name in row and "limits" in row for row in cells)
    page.click("#tab-summary")
    (report,) = product.compiled.report.kernels
    assert f"registers per thread\t{report.registers}" in page.inner_text(
        "#view-summary table"
    )
    assert page.locator(".steps .track").count() == len(product.compiled.report.seconds)


def test_names_that_are_html_stay_text(
    browser_page: BrowserPage, hostile_page: Path
) -> None:
    page = browser_page.open(hostile_page)
    assert page.title() == "@hostile for sm_90 (compiled for sm_90a)"
    assert page.locator("script").count() == 2
    # The file that the hostile location names is not there.
    assert "</script><script>" in (page.text_content("#pane-source1 .why") or "")
    assert "<b onclick='x'>&amp;</b><!--" in page.inner_text("#pane-tile")
    assert page.locator("[onclick]").count() == 0
    for name, _ in TABS:
        page.click(f"#tab-{name}")
    assert not browser_page.errors
    assert not browser_page.network
