# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Units of copies, by brute force: each element once, together in both memories."""

from __future__ import annotations

from itertools import product

import pytest

from cuda_tile.layout.atoms import MMA_ATOMS
from cuda_tile.layout.copy_units import UNIT_BYTES, copy_units
from cuda_tile.layout.fragments import coalesced, tile_mma
from cuda_tile.layout.shared import (
    SharedLayout,
    bank_conflicts,
    extra_wavefronts,
    vector_width,
)
from cuda_tile.layout.swizzle import choose_copied, row_major, swizzled

SHAPES = [(64, 64), (128, 32), (16, 256), (8, 16), (4, 8, 32)]


def layouts(shape: tuple[int, ...], bits: int) -> list[SharedLayout]:
    """Buffers contiguous along the last dimension, with and without a swizzle."""
    order = tuple(reversed(range(len(shape))))
    spans = [span for span in (32, 64, 128) if shape[-1] * bits >= span * 8]
    return [row_major(shape), *(swizzled(shape, bits, order, span) for span in spans)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("n_warps", [1, 4, 8])
def test_each_element_once(shape: tuple[int, ...], bits: int, n_warps: int) -> None:
    order = tuple(reversed(range(len(shape))))
    most = 128 // bits
    for shared in layouts(shape, bits):
        units = copy_units(shared, order, most, bits, n_warps)
        assert units is not None
        assert units.vector * bits // 8 in UNIT_BYTES
        copied: list[tuple[int, ...]] = []
        free = units.layout.free_bits()
        for lane, warp in product(range(32), range(n_warps)):
            if lane & free.lane or warp & free.warp:
                continue
            thread = 0
            for bit, column in enumerate(units.columns):
                thread ^= column * ((lane | warp << 5) >> bit & 1)
            for offset, first in zip(units.offsets, units.registers, strict=True):
                start = units.layout.apply(first, lane, warp)
                place = thread ^ offset
                assert place % units.vector == 0
                for i in range(units.vector):
                    element = (*start[:-1], start[-1] + i)
                    assert shared.apply(place + i) == element
                    copied.append(element)
        assert len(copied) == len(set(copied)) == units.layout.n_elements


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_writes_do_not_conflict(bits: int) -> None:
    shape = (64, 1024 // bits)
    shared = swizzled(shape, bits, (1, 0), 128)
    units = copy_units(shared, (1, 0), 128 // bits, bits, 4)
    assert units is not None
    lanes: list[int] = []
    for lane in range(32):
        place = 0
        for bit, column in enumerate(units.columns[:5]):
            place ^= column * (lane >> bit & 1)
        lanes.append(place * bits // 8)
    assert extra_wavefronts(lanes, 16) == 0


def test_too_small_units() -> None:
    """Two bytes are less than `cp.async` moves, so is a transposed buffer's unit."""
    assert copy_units(row_major((64, 64)), (1, 0), 1, 16, 4) is None
    assert copy_units(row_major((64, 64)), (0, 1), 8, 16, 4) is None


@pytest.mark.parametrize(
    ("atom", "bits", "shape"),
    [
        ("m16n8k16", 16, (64, 128)),
        ("m16n8k8", 32, (32, 64)),
        ("m16n8k32", 8, (64, 64)),
        ("m8n8k4", 64, (16, 32)),
    ],
)
def test_copied_operands_are_read_without_conflicts(
    atom: str, bits: int, shape: tuple[int, int]
) -> None:
    """B, contiguous along N, whether or not `ldmatrix` can transpose it."""
    unit = 128 // bits
    reader = tile_mma(shape, (2, 2), "b", MMA_ATOMS[atom])
    writer = coalesced(shape, (1, 0), unit, 4)
    shared = choose_copied(shape, bits, writer, (reader,), unit, 1)
    assert copy_units(shared, (1, 0), unit, bits, 4) is not None
    assert vector_width(writer, shared, bits) == unit
    assert bank_conflicts(writer, shared, bits, unit) == 0
    if bits != 16:  # which ldmatrix reads
        width = vector_width(reader, shared, bits)
        assert bank_conflicts(reader, shared, bits, width) == 0
