# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boxes of tensor maps against a simulation of the copy, element by element."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout_strategies import shared_layouts

from cuda_tile.layout.boxes import Boxes, boxes
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import row_major, swizzled


def filled(found: Boxes, element_bytes: int) -> dict[tuple[int, ...], int]:
    """Byte of each element, by its coordinates in the tensor's order.

    PTX ISA, "Tiled Mode": elements of a box lie densely, the first dimension fastest;
    "Swizzling Modes": of the address, the 16-byte unit in a line of 128 bytes is XORed
    with the number of the line, as far as the span reaches.
    """
    result: dict[tuple[int, ...], int] = {}
    for box in found.boxes:
        assert box.start_bytes % found.alignment_bytes == 0
        ranges = [range(extent) for extent in reversed(found.extents)]
        for number, inside in enumerate(itertools.product(*ranges)):
            address = box.start_bytes + number * element_bytes
            line, unit, byte = address // 128, address // 16 % 8, address % 16
            if found.swizzle_bytes:
                unit ^= line % (found.swizzle_bytes // 16)
            coord = (o + i for o, i in zip(box.origin, reversed(inside), strict=True))
            result[tuple(coord)] = 128 * line + 16 * unit + byte
    return result


def check(shared: SharedLayout, order: tuple[int, ...], bits: int) -> Boxes | None:
    """Asserts that the boxes, if there are any, fill the buffer as its layout says."""
    found = boxes(shared, order, bits)
    if found is None:
        return None
    assert all(extent <= 256 for extent in found.extents)
    assert found.extents[0] * bits // 8 % 16 == 0
    places = filled(found, bits // 8)
    assert len(places) == 1 << len(shared.offset)
    for coord, place in places.items():
        mine = [0] * len(order)
        for dim, value in zip(order, coord, strict=True):
            mine[dim] = value
        assert shared.offset_of(mine) * bits // 8 == place
    return found


@pytest.mark.parametrize("span", [0, 32, 64, 128])
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((64, 128), (1, 0)),
        ((128, 64), (0, 1)),
        ((4, 16, 64), (2, 1, 0)),
        ((64, 1, 32), (0, 2, 1)),
        ((1, 64, 1, 64), (3, 1, 2, 0)),
        ((2, 4, 2, 4, 128), (4, 3, 2, 1, 0)),
    ],
)
def test_panels_of_a_swizzle_are_boxes(
    span: int, bits: int, shape: tuple[int, ...], order: tuple[int, ...]
) -> None:
    if shape[order[0]] * bits // 8 < span:
        return
    found = check(swizzled(shape, bits, order, span), order, bits)
    assert found is not None
    if span:
        assert found.swizzle_bytes == span
        assert len(found.boxes) == shape[order[0]] * bits // 8 // span
    else:
        assert len(found.boxes) == 1


def test_long_dimensions_become_several_boxes() -> None:
    found = check(row_major((512,)), (0,), 16)
    assert found is not None
    assert found.extents == (256,)
    assert [(b.start_bytes, b.origin) for b in found.boxes] == [
        (0, (0,)),
        (512, (256,)),
    ]
    found = check(swizzled((1024, 64), 16, (1, 0), 128), (1, 0), 16)
    assert found is not None
    assert found.extents == (64, 256)
    assert [b.origin for b in found.boxes] == [(0, 0), (0, 256), (0, 512), (0, 768)]


def test_a_product_operand_of_two_panels() -> None:
    found = check(swizzled((64, 256), 16, (1, 0), 128), (1, 0), 16)
    assert found is not None
    assert found.extents == (64, 64)
    assert [b.start_bytes for b in found.boxes] == [0, 8192, 16384, 24576]
    assert [b.origin for b in found.boxes] == [(0, 0), (64, 0), (128, 0), (192, 0)]
    assert found.alignment_bytes == 1024


def test_what_no_map_writes_is_refused() -> None:
    # Short rows, another order than the tensor's, a rank of 6, boxes of 32 bytes.
    assert boxes(row_major((64, 4)), (1, 0), 16) is None
    assert boxes(row_major((64, 64)), (0, 1), 16) is None
    assert boxes(row_major((2,) * 6), (5, 4, 3, 2, 1, 0), 64) is None
    rows_apart = SharedLayout((2, 16), ((0, 1), (0, 2), (0, 4), (1, 0), (0, 8)))
    assert boxes(rows_apart, (1, 0), 16) is None


@given(st.data(), st.sampled_from([8, 16, 32]))
def test_any_buffer_is_filled_right_or_refused(data: st.DataObject, bits: int) -> None:
    shared = data.draw(shared_layouts())
    if not shared.shape:
        return
    check(shared, data.draw(st.permutations(range(len(shared.shape))).map(tuple)), bits)
