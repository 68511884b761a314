# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that stand right behind their operands, each built once.

Hoisting: a value that is the same in all iterations of a loop is computed before it,
once for all accesses that use it. LLVM hoists only operations that surely run in the
loop, and does not join equal ones in different branches.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import Builder


class HoistedOps:
    """Operations without side effects, made as early as their operands allow.

    Args:
        builder: Where to build.
    """

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._made: dict[tuple[object, ...], ir.Value] = {}

    def op(
        self,
        name: str,
        result: ir.Type,
        *operands: ir.Value,
        **attributes: ir.Attribute,
    ) -> ir.Value:
        """One operation with one result, or an equal one that was made before.

        Where operands come from several blocks it stands at the insertion point.

        Args:
            name: The name of the operation, such as "llvm.add".
            result: The type of its result.
            *operands: Its operands.
            **attributes: Its attributes.
        """
        key = (name, result, operands, *attributes.items())
        found = self._made.get(key)
        if found is not None:
            return found
        place = self._behind(operands)
        if place is None:
            return self._builder.op(name, result, *operands, **attributes)
        made = self._builder.at(place, name, result, *operands, **attributes)
        self._made[key] = made
        return made

    def _behind(self, operands: tuple[ir.Value, ...]) -> ir.InsertionPoint | None:
        """The first place that all operands reach, if one block has those that move.

        Values of the prologue dominate everything.
        """
        b = self._builder
        around: ir.Block | None = None
        last: ir.Operation | None = None
        for value in operands:
            owner = value.owner
            op = None if isinstance(owner, ir.Block) else owner.operation
            block = owner if isinstance(owner, ir.Block) else owner.operation.block
            if block == b.region.blocks[0]:
                continue
            if around is not None and block != around:
                return None
            around = block
            if op is not None and (last is None or last.is_before_in_block(op)):
                last = op
        if around is None:
            return b.prologue
        if last is None:
            return ir.InsertionPoint.at_block_begin(around)
        return ir.InsertionPoint.after(last)
