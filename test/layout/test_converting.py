# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that threads take from one buffer to another: all of it, in wide accesses."""

from __future__ import annotations

import pytest

from cuda_tile.layout.converting import choose_computing, choose_converting
from cuda_tile.layout.descriptors import panel_buffer
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import bank_conflicts, vector_width

SHAPES = [(64, 64), (128, 128), (64, 128), (32, 256), (16, 16)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_warps", [4, 8])
@pytest.mark.parametrize("near", [0, 1])
@pytest.mark.parametrize(("read", "written"), [(8, 8), (8, 16), (32, 32)])
def test_each_element_is_held(
    shape: tuple[int, int], n_warps: int, near: int, read: int, written: int
) -> None:
    """Once, if there are enough; and lanes hold no copies before warps do."""
    source = panel_buffer(shape, read, 1), read
    target = panel_buffer(shape, written, near), written
    found = [choose_converting(source, target, n_warps)]
    if near == 1:
        found.append(choose_computing(source, target, n_warps, 2))
    for layout in found:
        assert layout.shape == shape
        assert len(layout.warp) == n_warps.bit_length() - 1
        held = [
            basis
            for group in (layout.register, layout.lane, layout.warp)
            for basis in group
        ]
        rows = sorted(basis[0] for basis in held if basis[0])
        columns = sorted(basis[1] for basis in held if basis[1])
        assert rows == [1 << bit for bit in range(shape[0].bit_length() - 1)]
        assert columns == [1 << bit for bit in range(shape[1].bit_length() - 1)]


def test_accesses_are_wide() -> None:
    """16 bytes to the narrower type's buffer, or a square of bytes."""
    read = panel_buffer((64, 128), 8, 1), 8
    written = panel_buffer((64, 128), 16, 1), 16
    layout = choose_converting(read, written, 8)
    assert vector_width(layout, written[0], 16) == 8
    transposed = panel_buffer((128, 128), 8, 0), 8
    layout = choose_converting((panel_buffer((128, 128), 8, 1), 8), transposed, 8)
    assert vector_width(layout, transposed[0], 8) >= 4


@pytest.mark.parametrize("bits", [8, 16])
def test_what_operands_are_computed_from_meets_no_conflicts(bits: int) -> None:
    """Each thread has 8 columns, whose scales are one access; all banks are busy."""
    source, target = panel_buffer((64, 128), bits, 1), panel_buffer((64, 128), 16, 1)
    layout = choose_computing((source, bits), (target, 16), 8, 4)
    assert layout.register[:3] == ((0, 1), (0, 2), (0, 4))
    assert all(x and not y for x, y in layout.register[3:])
    for shared, width in ((source, bits), (target, 16)):
        vector = vector_width(layout, shared, width)
        assert vector == 8
        assert bank_conflicts(layout, shared, width, vector) == 0


def test_two_numbers_of_a_byte_stay_in_a_thread() -> None:
    """What a thread makes of rows 0 and 1 of the bytes are rows 0 to 3."""
    source, target = panel_buffer((32, 128), 8, 1), panel_buffer((64, 128), 16, 1)
    layout = choose_computing((source, 8), (target, 16), 8, 4)
    registers, lanes, warps = (
        tuple((2 * coord[0], coord[1]) for coord in group)
        for group in (layout.register, layout.lane, layout.warp)
    )
    whole = LinearLayout((64, 128), ((1, 0), *registers), lanes, warps)
    assert bank_conflicts(whole, target, 16, vector_width(whole, target, 16)) == 0
