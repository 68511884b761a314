# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which ops besides products read the registers of a left operand.

While an asynchronous product runs, nothing else may access the registers that it reads
(PTX ISA, "wgmma.wait_group"). One tile may have several names: a permutation of it
holds the same registers, even if a loop carries both.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.ir.async_products import runs_by_itself
from cuda_tile.ir.carried import ends_of, first_carried
from cuda_tile.ir.traits import SAME_ELEMENTS
from cuda_tile.ir.walk import defining_op, value_behind

_RENAMES = SAME_ELEMENTS | {"cuda_tile.bitcast"}


def is_read_elsewhere(value: ir.Value) -> bool:
    """Whether other ops than products read a tile, possibly under another name."""
    while True:
        if len(list(value.uses)) > 1 and _is_read(value):
            return True
        maker = defining_op(value)
        if maker is None or len(maker.regions):
            return any(map(_is_read, _twins(value, maker)))
        if maker.name not in _RENAMES:
            return False
        value = maker.operands[0]


def _is_read(value: ir.Value) -> bool:
    """Whether other ops than products read a tile under this name."""
    return any(not runs_by_itself(use.owner.operation) for use in value.uses)


def _twins(value: ir.Value, maker: ir.Operation | None) -> list[ir.Value]:
    """The values that control flow forwards besides a value with the same registers.

    Args:
        value: A block argument, or a result of an op with regions.
        maker: The op with regions; None for a block argument.
    """
    if maker is None:
        block = ir.BlockArgument(value).owner
        maker = block.owner.operation
        names = [ir.Value(name) for name in block.arguments][first_carried(maker)[1] :]
    else:
        names = [ir.Value(name) for name in maker.results]
    if value not in names:
        return []
    place = names.index(value)
    found: dict[ir.Value, None] = {}
    for end in ends_of(maker):
        roots = [value_behind(operand, _RENAMES) for operand in end.operands]
        found |= {
            name: None
            for number, name in enumerate(names)
            if number != place and roots[number] == roots[place]
        }
    return list(found)
