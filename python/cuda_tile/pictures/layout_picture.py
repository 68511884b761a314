# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tile's layout as grids: whose register of which lane and warp holds an element."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from cuda_tile.layout.coords import unpack
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.pictures import svg
from cuda_tile.pictures.colors import (
    Color,
    css,
    lane_color,
    png_url,
    register_color,
    warp_color,
)

FOLDED_COLUMNS = 64
"""Elements in a row of the picture of a tile with one dimension."""
MOST_ROWS, MOST_COLUMNS = 16, 16
"""Elements that are drawn with their names; the panels show the whole tile."""
_CELL_WIDTH, _CELL_HEIGHT = 38, 26
_PANEL = 192
_GAP = 22
_MOST_COLORS = 256


@dataclass(frozen=True)
class Owners:
    """The place of each element, as rows and columns of a picture.

    Of several places of an element it is the one with the lowest numbers.

    Attributes:
        register, lane, warp, block: Numbers of the places; -1 where there is none.
        copies: Places of each element.
    """

    register: NDArray[np.intp]
    lane: NDArray[np.intp]
    warp: NDArray[np.intp]
    block: NDArray[np.intp]
    copies: int


def owners(layout: LinearLayout) -> Owners:
    """Finds the owner of each element."""
    elements = np.zeros(1, np.intp)
    for group in layout.columns:
        for column in group:
            elements = np.concatenate([elements, elements ^ column])
    place = np.full(layout.n_elements, -1, np.intp)
    place[elements[::-1]] = np.arange(elements.size)[::-1]
    grid = place.reshape(_folded(layout.shape))
    parts: list[NDArray[np.intp]] = []
    for group in layout.bases:
        part = grid & ((1 << len(group)) - 1)
        parts.append(np.where(place.reshape(grid.shape) < 0, -1, part))
        grid = grid >> len(group)
    register, lane, warp, block = parts
    held = int((place >= 0).sum())
    return Owners(register, lane, warp, block, elements.size // max(1, held))


def _folded(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of the picture of a tile."""
    if len(shape) < 2:
        columns = min(prod(shape), FOLDED_COLUMNS)
        return prod(shape) // columns, columns
    return prod(shape[:-1]), shape[-1]


def layout_svg(layout: LinearLayout, name: str = "layout") -> str:
    """The picture: three panels of the whole tile, and the first elements by name."""
    held = owners(layout)
    shape = "x".join(map(str, layout.shape))
    panels = [
        _panel(0, "register", held.register, _register_colors(layout)),
        _panel(1, "lane", held.lane, [lane_color(lane) for lane in range(32)]),
        _panel(2, "warp", held.warp, [warp_color(w) for w in range(layout.n_warps)]),
    ]
    if layout.n_blocks > 1:
        colors = [warp_color(block) for block in range(layout.n_blocks)]
        panels.append(_panel(3, "CTA", held.block, colors))
    panel_height = max(_panel_size(held.register.shape)[1], 24)
    top = panel_height + 44
    cells, width, height = _cells(layout, held, top)
    label = f"{name}: layout of a tile of {shape}"
    total = max(width, len(panels) * (_PANEL + _GAP))
    return svg.picture(total, top + height, label, [*panels, cells])


def _register_colors(layout: LinearLayout) -> list[Color]:
    count = min(layout.n_registers, _MOST_COLORS)
    return [register_color(register, count) for register in range(count)]


def _panel_size(shape: tuple[int, ...]) -> tuple[float, float]:
    rows, columns = shape
    scale = _PANEL / max(rows, columns)
    return columns * scale, max(rows * scale, 3)


def _panel(
    place: int, name: str, numbers: NDArray[np.intp], colors: list[Color]
) -> str:
    """The whole tile, one pixel for each element."""
    width, height = _panel_size(numbers.shape)
    x = place * (_PANEL + _GAP)
    grey: Color = (128, 128, 128)
    palette = [*colors[: _MOST_COLORS - 1], grey]
    shown = np.where(numbers < 0, len(palette) - 1, numbers % max(1, len(palette) - 1))
    image = svg.element(
        "image",
        href=png_url(shown, palette),
        x=x,
        y=18,
        width=width,
        height=height,
        preserveAspectRatio="none",
        style="image-rendering:pixelated",
        data_panel=name,
    )
    count = int(numbers.max()) + 1
    frame = svg.element(
        "rect",
        x=x,
        y=18,
        width=width,
        height=height,
        fill="none",
        stroke="currentColor",
        stroke_opacity=0.25,
    )
    return svg.text(x, 11, f"by {name}: {count}") + image + frame


def _cells(layout: LinearLayout, held: Owners, top: float) -> tuple[str, float, float]:
    """The first elements, each with its place, and how much room they take."""
    rows = min(held.lane.shape[0], MOST_ROWS)
    columns = min(held.lane.shape[1], MOST_COLUMNS)
    left = 46
    parts = [
        svg.text(0, top - 8, _heading(held, rows, columns)),
        *(
            svg.text(
                left + (column + 0.5) * _CELL_WIDTH,
                top + 12,
                str(column),
                text_anchor="middle",
                fill_opacity=0.6,
                font_size=10,
            )
            for column in range(columns)
        ),
    ]
    at = _namer(layout)
    for row in range(rows):
        y = top + 18 + row * _CELL_HEIGHT
        words = str(row) if layout.rank == 2 else ",".join(map(str, at(row, 0)))
        parts.append(
            svg.text(
                left - 6,
                y + 17,
                words,
                text_anchor="end",
                fill_opacity=0.6,
                font_size=10,
            )
        )
        cells = (
            _cell(held, row, column, left + column * _CELL_WIDTH, y, at(row, column))
            for column in range(columns)
        )
        parts.append(svg.element("g", *cells, fill="#111", font_size=10))
    return "".join(parts), left + columns * _CELL_WIDTH + 2, 22 + rows * _CELL_HEIGHT


def _namer(layout: LinearLayout) -> Callable[[int, int], tuple[int, ...]]:
    """Gives the coordinates of an element of the picture."""
    _, columns = _folded(layout.shape)
    return lambda row, column: tuple(unpack(row * columns + column, layout.shape))


def _heading(held: Owners, rows: int, columns: int) -> str:
    whole = (rows, columns) == held.lane.shape
    what = "all elements" if whole else f"the first {rows} x {columns} elements"
    copies = f", each held in {held.copies} places" if held.copies > 1 else ""
    return f"{what}: lane, register below; colour by lane{copies}"


def _cell(
    held: Owners, row: int, column: int, x: float, y: float, coord: tuple[int, ...]
) -> str:
    register, lane, warp, block = (
        int(part[row, column])
        for part in (held.register, held.lane, held.warp, held.block)
    )
    element = ", ".join(map(str, coord))
    if lane < 0:
        return svg.element("rect", x=x, y=y, width=_CELL_WIDTH, height=_CELL_HEIGHT)
    where = f"({element}): register {register}, lane {lane}, warp {warp}"
    where += f", CTA {block}" if held.block.max() > 0 else ""
    return svg.element(
        "g",
        svg.title(where),
        svg.element(
            "rect",
            x=x,
            y=y,
            width=_CELL_WIDTH - 1,
            height=_CELL_HEIGHT - 1,
            rx=2,
            fill=css(lane_color(lane)),
        ),
        svg.text(x + 4, y + 11, f"t{lane}", fill=None, font_size=None),
        svg.text(
            x + _CELL_WIDTH - 5,
            y + 21,
            f"r{register}",
            fill=None,
            font_size=9,
            text_anchor="end",
        ),
        class_="cell",
        data_element=",".join(map(str, coord)),
        data_place=f"{register},{lane},{warp},{block}",
    )
