# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of 4-bit elements with scale factors: what the judge reads, bit by bit.

The tables of "Instruction descriptor" and "Shared memory descriptor" (PTX ISA) stand in
the emulator's instruction_descriptor.py and descriptor.py.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from ptx_tcgen05 import Kernel
from test_tcgen05_mma import (
    D_COLUMN,
    Mma,
    build,
    d_place,
    factors,
    name_of,
    put_factors,
    to_words,
)

from cuda_tile.emulator import FindingError

BASE = Mma("mxf4nvf4", "e2m1", "e2m1", n=32, vector="scale_vec::4X", scale="ue4m3")
OPS = [
    Mma("mxf4", "e2m1", "e2m1", n=32, vector="scale_vec::2X", ids=(0, 2)),
    BASE,
    replace(BASE, scale="ue8m0"),
]
REFUSED = "reserved bits"
FIELDS = {
    **dict.fromkeys((0, 1, 3, 6, 12, 24, 25, 26), REFUSED),
    2: "dense matrix",
    **dict.fromkeys((7, 8, 9), "type of A"),
    **dict.fromkeys((10, 11), "type of B"),
    **dict.fromkeys((15, 16), "no transposed matrix of e2m1"),
    31: "expected K of 64, not 96",
    27: "expected M of 128",
    28: "expected M of 128",
    **dict.fromkeys((4, 29), "expected scale factors at"),
}
"""Bits of the instruction descriptor that no other value of a legal one has, and the
complaint. Others mean another product: 5, 13, 14, 17 to 23 and 30."""


class Scaled:
    """A scaled product with random operands and factors; NumPy's result."""

    def __init__(self, op: Mma) -> None:
        self.op = op
        self.kernel, self.image, self.before, parts = build(op)
        count = 2 if op.kind == "mxf4" else 4
        (left, x), (right, y) = factors(op, op.m), factors(op, op.n)
        put_factors(self.before[0], 8, left)
        put_factors(self.before[0], 16, right)
        a, b = (
            parts[name].astype(np.float64)
            * np.repeat(worth[:, op.ids[i] :][:, :count], op.depth // count, axis=1)
            for i, (name, worth) in enumerate((("a", x), ("b", y)))
        )
        self.wanted = (a @ b.T + parts["d"]).astype(np.float32)
        for row, column in np.ndindex(op.m, op.n):
            _, lane, place = d_place(op, row, column)
            self.before[0, lane, D_COLUMN + place] = to_words(
                op, float(parts["d"][row, column])
            )

    def is_right(self, body: str | None = None) -> bool:
        """Whether the emulator gives what NumPy does, for this or another text."""
        kernel = replace(self.kernel, body=body or self.kernel.body)
        assert isinstance(kernel, Kernel)
        after = kernel.run(self.image, self.before).view(np.float32)
        kept = self.before[0].view(np.float32)[:, D_COLUMN + self.op.n :]
        got = after[0, :, D_COLUMN : D_COLUMN + self.op.n]
        rest = after[0, :, D_COLUMN + self.op.n :]
        return np.array_equal(got, self.wanted) and np.array_equal(rest, kept)


@pytest.mark.parametrize("op", OPS[:2], ids=name_of)
@pytest.mark.parametrize("bit", range(32))
def test_each_bit_of_the_instruction_descriptor_is_read(op: Mma, bit: int) -> None:
    scaled = Scaled(op)
    body = scaled.kernel.body.replace(str(op.idesc), str(op.idesc ^ 1 << bit))
    assert body != scaled.kernel.body
    if bit in FIELDS:
        with pytest.raises(FindingError, match=FIELDS[bit]):
            scaled.is_right(body)
        return
    with suppress(FindingError):  # factors or columns that are not there
        assert not scaled.is_right(body)


@pytest.mark.parametrize("op", OPS, ids=lambda op: name_of(op) + op.scale)
def test_the_first_element_is_in_the_low_half(op: Mma) -> None:
    scaled = Scaled(op)
    assert scaled.is_right()
    left = scaled.image[0, : op.m * op.swizzle]  # of both it is another order along K
    left[:] = left >> 4 | left << 4
    assert not scaled.is_right()


@pytest.mark.parametrize("column", [8, 16])
@pytest.mark.parametrize("row", [0, 31])
@pytest.mark.parametrize("byte", range(4))
def test_each_factor_is_read(column: int, row: int, byte: int) -> None:
    scaled = Scaled(BASE)
    for warp in range(4):
        scaled.before[0, 32 * warp + row, column] ^= 0b1000 << 8 * byte
    assert not scaled.is_right()


def test_the_sign_of_a_factor_is_not_read() -> None:
    """PTX ISA, "Block Scaling": ue4m3 has no sign."""
    scaled = Scaled(BASE)
    scaled.before[0, :, 8] |= np.uint32(0x80)
    assert scaled.is_right()
