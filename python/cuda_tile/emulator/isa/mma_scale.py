# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Block Scaling for mma.sync": scales of chunks along K.

A chunk of each row of A, or column of B, is multiplied by a power of two (ue8m0) or a
small float (ue4m3). Registers of chosen lanes hold the scales: for A the lower or upper
two lanes of a quad, the first for the quad's row, the second for that 8 below; for B
one lane of the quad, for the quad's column.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Operand
from cuda_tile.emulator.ptx.types import B32, TYPES, Array
from cuda_tile.emulator.tensor.formats import SCALE_BYTES, decode_scales
from cuda_tile.emulator.threads.lanes import Lanes

KINDS = ("kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4")


@dataclass(frozen=True)
class Scales:
    """The scales of one operand.

    Attributes:
        data: Registers with four scales each.
        byte, thread: Which bytes and which lanes of a quad count.
        columns: Scales of each row (or column of B).
        name: ue8m0 or ue4m3.
        is_left: Whether these are A's.
    """

    data: Array
    byte: Array
    thread: Array
    columns: int
    name: str
    is_left: bool

    def read(self, lanes: Lanes, depth: int) -> NDArray[np.float64]:
        """Returns a factor for each element, [n_warps, 16 or 8, K]."""
        allowed = SCALE_BYTES[self.columns]
        byte = self._selector(lanes, self.byte, allowed, "byte-id")
        threads = (0, 1) if self.is_left else (0, 1, 2, 3)
        thread = self._selector(lanes, self.thread, threads, "thread-id")
        rows = np.ascontiguousarray(lanes.by_warp(self.data)).view(np.uint8)
        quads = rows.reshape(len(rows), 8, 4, 4)[..., byte : byte + self.columns]
        if self.is_left:
            pair = quads[:, :, 2 * thread : 2 * thread + 2]
            chosen = pair.transpose(0, 2, 1, 3).reshape(len(rows), 16, self.columns)
        else:
            chosen = quads[:, :, thread]
        factors = decode_scales(chosen, self.name).astype(np.float64)
        return np.repeat(factors, depth // self.columns, axis=2)

    def _selector(
        self, lanes: Lanes, values: Array, allowed: tuple[int, ...], what: str
    ) -> int:
        mine = values[lanes.index]
        first = int(mine[0])
        if (mine != first).any():
            raise Fault("mma", f"expected one {what} in all lanes")
        if first not in allowed:
            raise Fault("mma", f"expected a {what} of {allowed}, got {first}")
        return first


def scales(
    form: Form,
    b: Builder,
    operands: tuple[Operand, ...],
    columns: int,
    name: str,
    *,
    is_left: bool,
) -> Scales:
    """Reads `scale-data, {byte-id, thread-id}`."""
    data, selector = operands
    byte, thread = form.vector(selector, 2)
    half = TYPES["u16"]
    return Scales(
        b.src(data, B32),
        b.src(byte, half),
        b.src(thread, half),
        columns,
        name,
        is_left,
    )
