# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A buffer in shared memory by bank, and the words that a warp's access touches."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from cuda_tile.layout import f2
from cuda_tile.layout.coords import LayoutError
from cuda_tile.layout.ldmatrix import LdMatrix, match_ldmatrix, match_stmatrix
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import (
    BANK_BYTES,
    N_BANKS,
    SharedLayout,
    offset_columns,
    vector_width,
)
from cuda_tile.pictures import svg
from cuda_tile.pictures.colors import css, row_color, warp_color

MOST_ROWS = 16
"""Rows of 128 bytes that are drawn."""
_CELL, _ROW = 26, 20
_LEFT, _TOP = 52, 40
_CONFLICT = "#c62828"
_MATRIX_BYTES = 16


@dataclass(frozen=True)
class WarpAccess:
    """The addresses of one instruction of the first warp.

    Attributes:
        name: What makes it: `st.shared`, `ldmatrix`, ...
        lanes: Bytes from the buffer's start, by lane.
        bytes_: Bytes of each lane.
    """

    name: str
    lanes: tuple[int, ...]
    bytes_: int

    def wavefronts(self) -> list[list[tuple[int, int]]]:
        """Words (lane, number of the word) that are asked for together.

        A wavefront serves 32 lanes of up to 4 bytes, 16 of 8 or 8 of 16 (CUDA C++
        Programming Guide, "Shared Memory").
        """
        together = min(
            len(self.lanes), N_BANKS * BANK_BYTES // max(self.bytes_, BANK_BYTES)
        )
        starts = [*range(0, len(self.lanes), together), len(self.lanes)]
        return [
            [
                (lane, word)
                for lane in range(first, last)
                for word in range(
                    self.lanes[lane] // BANK_BYTES,
                    (self.lanes[lane] + self.bytes_ - 1) // BANK_BYTES + 1,
                )
            ]
            for first, last in pairwise(starts)
        ]

    @property
    def extra(self) -> int:
        """Wavefronts beyond the least: the words that wait for others of their bank."""
        extra = 0
        for words in self.wavefronts():
            different = {word for _, word in words}
            banks = [word % N_BANKS for word in different]
            extra += max(banks.count(bank) for bank in set(banks)) - 1
        return extra


def find_access(
    tile: LinearLayout, buffer: SharedLayout, bits: int, *, stores: bool, matrices: bool
) -> WarpAccess | None:
    """How emission accesses a tile in a buffer; None where the layouts do not meet.

    Args:
        tile: The layout of the tile.
        buffer: That of the buffer.
        bits: Of an element in shared memory.
        stores: Whether it writes.
        matrices: Whether the chip and the op may use `ldmatrix` or `stmatrix`.
    """
    try:
        width = vector_width(tile, buffer, bits)
        columns = offset_columns(tile, buffer)
    except LayoutError:
        return None
    match = _matrices(tile, buffer, bits, stores) if matrices else None
    size = max(bits // 8, 1)
    if match is not None:
        lanes = tuple(
            f2.apply(match.lane_offsets, lane) * size for lane in range(8 * match.count)
        )
        name = "stmatrix" if stores else "ldmatrix"
        return WarpAccess(f"{name}.x{match.count}", lanes, _MATRIX_BYTES)
    lanes = tuple(f2.apply(columns.lane, lane) * size for lane in range(32))
    name = "st.shared" if stores else "ld.shared"
    return WarpAccess(f"{name}, {_bytes(width * size)}", lanes, width * size)


def _bytes(count: int) -> str:
    return "1 byte" if count == 1 else f"{count} bytes"


def _matrices(
    tile: LinearLayout, buffer: SharedLayout, bits: int, stores: bool
) -> LdMatrix | None:
    """As `emit` chooses: stores only where vectors are not as wide."""
    if not stores:
        return match_ldmatrix(buffer, tile, bits)
    if bits != 16 or vector_width(tile, buffer, bits) * bits == 128:
        return None
    return match_stmatrix(buffer, tile, bits)


def banks_svg(
    buffer: SharedLayout,
    bits: int,
    access: WarpAccess | None = None,
    name: str = "buffer",
) -> str:
    """The picture: a column for each bank, a row for every 128 bytes.

    Without an access a word shows the row of the tile that lies there; with one, the
    first lane that asks for it, coloured by wavefront. Words that wait for another one
    of their bank are red.
    """
    size = max(bits // 8, 1)
    total = (1 << len(buffer.offset)) * size
    rows = max(1, min(MOST_ROWS, -(-total // (N_BANKS * BANK_BYTES))))
    label = name if access is None else f"{name}: {access.name}"
    parts = [svg.text(0, 12, _heading(access))]
    parts += [
        svg.text(
            _LEFT + (bank + 0.5) * _CELL,
            _TOP - 6,
            str(bank),
            font_size=9,
            fill_opacity=0.6,
            text_anchor="middle",
        )
        for bank in range(N_BANKS)
    ]
    lanes = _lanes(access)
    for row in range(rows):
        y = _TOP + row * _ROW
        byte = row * N_BANKS * BANK_BYTES
        parts.append(
            svg.text(
                _LEFT - 8,
                y + 14,
                str(byte),
                font_size=9,
                fill_opacity=0.6,
                text_anchor="end",
            )
        )
        words: list[str] = []
        for bank in range(N_BANKS):
            word = row * N_BANKS + bank
            first = word * BANK_BYTES // size
            if first < 1 << len(buffer.offset):
                coord = buffer.apply(first)
                words.append(_word(bank, y, coord, word, access, lanes))
        if access is not None:
            parts.append(_empty_row(y, min(N_BANKS, total // BANK_BYTES or 1)))
        parts.append(
            svg.element("g", *words, fill="#111", font_size=9, text_anchor="middle")
        )
    height = _TOP + rows * _ROW + 4
    return svg.picture(_LEFT + N_BANKS * _CELL + 2, height, label, parts)


def _heading(access: WarpAccess | None) -> str:
    if access is None:
        return "32 banks of 4 bytes; in each word the row of the tile that lies there"
    words = f"{access.name} of warp 0: in each word the first lane that asks for it; "
    if not access.extra:
        return words + "no bank conflicts"
    return words + f"{access.extra} more wavefronts by bank conflicts (red)"


def _lanes(access: WarpAccess | None) -> dict[int, tuple[int, int, bool]]:
    """By word: the first lane, the wavefront, and whether it waits for its bank."""
    found: dict[int, tuple[int, int, bool]] = {}
    for number, words in enumerate([] if access is None else access.wavefronts()):
        taken: dict[int, int] = {}
        for lane, word in words:
            first = taken.setdefault(word % N_BANKS, word)
            found.setdefault(word, (lane, number, first != word))
    return found


def _empty_row(y: float, words: int) -> str:
    """The ground of words that nobody asks for."""
    return svg.element(
        "rect",
        x=_LEFT,
        y=y,
        width=words * _CELL - 1,
        height=_ROW - 1,
        rx=2,
        fill="currentColor",
        fill_opacity=0.06,
    )


def _word(
    bank: int,
    y: float,
    coord: tuple[int, ...],
    word: int,
    access: WarpAccess | None,
    lanes: dict[int, tuple[int, int, bool]],
) -> str:
    x = _LEFT + bank * _CELL
    where = f"bank {bank}, byte {word * BANK_BYTES}: element {coord}"
    row = coord[-2] if len(coord) > 1 else 0
    fill, words, stroke = css(row_color(row)), str(row), None
    if access is not None:
        asked = lanes.get(word)
        if asked is None:
            return ""
        lane, wavefront, waits = asked
        words, fill = f"t{lane}", css(warp_color(wavefront))
        stroke = _CONFLICT if waits else None
        where += f", lane {lane}, wavefront {wavefront}"
        where += ", waits for another word of its bank" if waits else ""
    box = svg.element(
        "rect",
        x=x,
        y=y,
        width=_CELL - 1,
        height=_ROW - 1,
        rx=2,
        fill=fill,
        stroke=stroke,
        stroke_width=None if stroke is None else 2,
    )
    label = svg.text(x + (_CELL - 1) / 2, y + 14, words, fill=None, font_size=None)
    return svg.element(
        "g",
        svg.title(where),
        box,
        label,
        class_="word",
        data_word=word,
        data_conflict="yes" if stroke else None,
    )
