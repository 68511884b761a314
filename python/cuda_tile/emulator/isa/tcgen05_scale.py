# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scale factors of tcgen05.mma: one for each block of elements along K.

PTX ISA: "Block Scaling". Factors of rows of A and columns of B lie in tensor memory, 32
in a column, four bytes of one row in a word, and again in each warp's 32 lanes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.isa import exact
from cuda_tile.emulator.machine.build import AddressOf
from cuda_tile.emulator.ordering.tensor_order import Operation
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.tensor.formats import SCALE_BYTES, decode_scales
from cuda_tile.emulator.tensor.instruction_descriptor import InstructionDescriptor
from cuda_tile.emulator.tensor.memory import N_LANES, Region, TensorMemory
from cuda_tile.emulator.threads.lanes import Lanes
from cuda_tile.exact.algebra import Algebra

Matrix = NDArray[np.float32]

# Factors along K by kind and `.scale_vectorsize`; the first of a kind is the default.
_VECTORS = {
    "mxf8f6f4": {"": 1, "scale_vec::1X": 1, "block32": 1},
    "mxf4": {"": 2, "scale_vec::2X": 2, "block32": 2},
    "mxf4nvf4": {"scale_vec::2X": 2, "block32": 2, "scale_vec::4X": 4, "block16": 4},
}


def take_scaling(form: Form, kind: str) -> int:
    """Takes `.block_scale{.scale_vectorsize}`; returns the factors along K."""
    form.require("block_scale")
    vectors = _VECTORS[kind]
    name = form.option(*(name for name in vectors if name))
    if name not in vectors:
        form.fail("one of " + ", ".join(f"'.{name}'" for name in vectors))
    return vectors[name]


class Scaling(NamedTuple):
    """The scale factors of one instruction.

    Attributes:
        left, right: Where those of A and B are.
        n_factors: Factors of one row along K.
    """

    left: AddressOf
    right: AddressOf
    n_factors: int

    def multiply(
        self,
        memory: TensorMemory,
        one: Lanes,
        shape: InstructionDescriptor,
        cta: int,
        operation: Operation,
        rows: Matrix,
        right: Matrix,
        algebra: Algebra | None,
    ) -> Matrix:
        """Returns the scaled product of one CTA's rows.

        Args:
            memory: Holds the factors.
            one: The lane that issues.
            shape: Types, and which bytes hold the factors.
            cta: The CTA.
            operation: Reads the factors.
            rows: A, f32[rows, K].
            right: B, f32[K, N].
            algebra: What floats are; None for floats.
        """
        if shape.scale == "ue4m3" and self.n_factors != 4:
            raise Fault("tcgen05", "expected scales of ue8m0 for blocks of 32")
        factors: list[Matrix] = []
        for number, (address, count) in enumerate(
            ((self.left, len(rows)), (self.right, right.shape[1]))
        ):
            place = int(address(one)[0])
            first = shape.scale_ids[number]
            found = self._factors(memory, operation, cta, place, count, first)
            factors.append(decode_scales(found, shape.scale))
        if algebra is not None:
            return exact.scaled_product(algebra, rows, right, factors)
        # In double precision: factors of 2^-127 and 2^127 of one product are 1.
        total = np.zeros((len(rows), right.shape[1]), np.float64)
        left_side, right_side = rows.astype(np.float64), right.astype(np.float64)
        block = right.shape[0] // self.n_factors
        for k in range(self.n_factors):
            part = slice(k * block, (k + 1) * block)
            left, other = factors[0][:, k], factors[1][:, k]
            total += np.matmul(
                left_side[:, part] * left[:, None], right_side[part] * other[None, :]
            )
        return total.astype(np.float32)

    def _factors(
        self,
        memory: TensorMemory,
        operation: Operation,
        cta: int,
        address: int,
        count: int,
        first: int,
    ) -> NDArray[np.uint8]:
        """Bytes of the factors, uint8[count, factors of a row]."""
        allowed = SCALE_BYTES[self.n_factors]
        if first not in allowed:
            wanted = ", ".join(map(str, allowed))
            raise Fault("tcgen05", f"expected scale factors at {wanted}, got {first}")
        if address >> 16:
            raise Fault("tcgen05", "expected scale factors at lane 0")
        start = address & 0xFFFF
        result = np.empty((count, 4), np.uint8)
        for first_row, rows, width in _pieces(count):
            lanes = np.arange(N_LANES).reshape(4, 32)[:, :rows].ravel()
            column = start + first_row // 32
            region = Region(cta, lanes, slice(column, column + width))
            memory.access(operation, region, reads=True, writes=False)
            words = memory.words[region].reshape(4, rows, width)
            if (words != words[0]).any():
                raise Fault(
                    "tcgen05",
                    "expected the same scale factors in the lanes of each warp",
                )
            part = np.ascontiguousarray(words[0].T).view(np.uint8).reshape(-1, 4)
            result[first_row : first_row + len(part)] = part
        return result[:, first : first + self.n_factors]


def _pieces(count: int) -> list[tuple[int, int, int]]:
    """Full columns of 32 factors, then the rest: first row, rows, columns."""
    full, rest = divmod(count, 32)
    pieces = [(0, 32, full)] if full else []
    return [*pieces, (32 * full, rest, 1)] if rest else pieces
