# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Table loads that give the addresses of copies run an iteration before the copies.

A copy whose address comes from a load would wait for that load. So the loop carries the
entries of the iteration whose copies start next:

    entries = table(lower + a * step)
    for k { take(k); fill(k + a * step, entries); entries = table(k + (a + 1) * step) }
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.ir.tile_values import constant_number
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import LOADS
from cuda_tile.ir.walk import block_ops
from cuda_tile.passes.skew_slice import BackwardSlice


@dataclass(frozen=True, eq=False)
class Tables:
    """The loads of a slice that give the addresses of its copies.

    Loads of pointers run with the copies: there is no pointer to carry if the iteration
    does not exist.

    Attributes:
        slice: The slice from which the copies are computed.
        entries: The results of the loads.
    """

    slice: BackwardSlice
    entries: tuple[ir.Value, ...]

    @classmethod
    def of(cls, slice_: BackwardSlice) -> Tables:
        """The tables of a slice, in the order of the loop."""
        body = slice_.loop.regions[0].blocks[0]
        loads = (op for op in block_ops(body) if op in slice_.ops and op.name in LOADS)
        found = (op.results[0] for op in loads)
        return cls(slice_, tuple(v for v in found if _is_number(v)))

    @property
    def lead(self) -> int:
        """Iterations by which entries are loaded before the copies start."""
        return int(bool(self.entries))

    def look_up(
        self, condition: ir.Value, known: dict[ir.Value, ir.Value]
    ) -> list[ir.Value]:
        """The entries of an iteration, zeros if it does not exist.

        Args:
            condition: Whether it exists.
            known: The values of the iteration.
        """
        if not self.entries:
            return []
        made = cuda_tile.IfOp([v.type for v in self.entries], condition).operation
        with ir.InsertionPoint(made.regions[0].blocks.append()):  # async_copies C10
            found = [self.slice.value_of(v, known) for v in self.entries]
            cuda_tile.YieldOp(found)
        with ir.InsertionPoint(made.regions[1].blocks.append()):
            cuda_tile.YieldOp([constant_number(v.type, 0) for v in self.entries])
        return list(made.results)


def _is_number(value: ir.Value) -> bool:
    return isinstance(element_of(value), ir.IntegerType | ir.FloatType)
