# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that threads take from one buffer to another: all of it, in wide accesses."""

from __future__ import annotations

import pytest

from cuda_tile.layout import vector_width, wgmma_buffer
from cuda_tile.layout.converting import choose_converting

SHAPES = [(64, 64), (128, 128), (64, 128), (32, 256), (16, 16)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_warps", [4, 8])
@pytest.mark.parametrize("near", [0, 1])
@pytest.mark.parametrize(("read", "written"), [(8, 8), (8, 16), (32, 32)])
def test_each_element_is_held(
    shape: tuple[int, int], n_warps: int, near: int, read: int, written: int
) -> None:
    """Once, if there are enough; and lanes hold no copies before warps do."""
    source = wgmma_buffer(shape, read, 1), read
    target = wgmma_buffer(shape, written, near), written
    layout = choose_converting(source, target, n_warps)
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
    read = wgmma_buffer((64, 128), 8, 1), 8
    written = wgmma_buffer((64, 128), 16, 1), 16
    layout = choose_converting(read, written, 8)
    assert vector_width(layout, written[0], 16) == 8
    turned = wgmma_buffer((128, 128), 8, 0), 8
    layout = choose_converting((wgmma_buffer((128, 128), 8, 1), 8), turned, 8)
    assert vector_width(layout, turned[0], 8) >= 4
