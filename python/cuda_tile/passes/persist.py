# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Persistent kernels: a CTA serves several tile blocks if the plan says so.

Contract: in, level T with plans. Out, the work of a tile block is in one
`tileas.tiles`, if the plan of its entry says so; the arguments of that op replace
`get_tile_block_id`. Scalars, views and tokens that do not depend on the tile block stay
outside and are computed once. A kernel that cannot be persistent stays as it was, with
a remark. The pass decides nothing.

A tile block must not wait for another one, since a CTA may have to serve both, one
after the other.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.maps import read_abi
from cuda_tile.ir.plan import add_remark, read_plan
from cuda_tile.ir.tile_loop import NEXT_TILE, TILES, has_tiles
from cuda_tile.ir.tiles import is_distributed
from cuda_tile.ir.traits import is_pure
from cuda_tile.ir.walk import (
    block_ops,
    body,
    listed_ops,
    location_text,
    nested_ops,
)
from cuda_tile.passes.each_kernel import each_kernel

BLOCK_ID = "cuda_tile.get_tile_block_id"
_AXES = 3


@each_kernel
def run(entry: ir.Operation) -> None:
    """Wraps the body of an entry whose plan says `persistent`."""
    if not read_plan(entry).persistent or has_tiles(entry):
        return
    if (reason := _obstacle(entry)) is None:
        _wrap(entry)
    else:
        add_remark(entry, f"not persistent, one tile block per CTA instead: {reason}")


def _obstacle(entry: ir.Operation) -> str | None:
    """Why the tile blocks of an entry cannot share a CTA, and the way out."""
    if (abi := read_abi(entry)) != "maps":
        return (
            f"the launcher does not append the grid's extents (abi {abi}); compile "
            "with abi maps"
        )
    for op in nested_ops(entry):
        if (why := _hindrance(entry, op)) is not None:
            return f"{why} at {location_text(op)}"
    return None


def _hindrance(entry: ir.Operation, op: ir.Operation) -> str | None:
    match op.name:
        case "cuda_tile.return" if not _is_right_in(entry, op):
            return "an early return"
        case "cuda_tile.alloca":
            return "an alloca, which lives until the kernel ends"
        case "cuda_tile.gdc_launch_dependents_tko" | "cuda_tile.gdc_wait_tko":
            return f"'{op.name}', which is meant once per tile block"
        case _:
            waits = keyword(op, "memory_ordering_semantics", "weak") != "weak"
            if waits and _is_in_loop(entry, op):
                return f"'{op.name}' in a loop, which may wait for another tile block"
            return None


def _is_right_in(entry: ir.Operation, op: ir.Operation) -> bool:
    return op.parent is not None and op.parent.operation == entry


def _is_in_loop(entry: ir.Operation, op: ir.Operation) -> bool:
    parent = op.parent
    while parent is not None and parent.operation != entry:
        if parent.operation.name == "cuda_tile.loop":
            return True
        parent = parent.operation.parent
    return False


def _wrap(entry: ir.Operation) -> None:
    """Moves the work of a tile block into one `tileas.tiles` before the `return`."""
    ops = block_ops(body(entry))
    number = TileType.get([], ir.IntegerType.get_signless(32))
    with ir.InsertionPoint(ops[-1]), entry.location:
        loop = ir.Operation.create(TILES, regions=1)
    inner = loop.regions[0].blocks.append(
        *[number] * _AXES, arg_locs=[entry.location] * _AXES
    )
    inside: set[ir.Operation] = set()
    for op in ops[:-1]:
        if not _stays(op, inside):
            inside.add(op)
            inner.append(op)
    for op in listed_ops(loop):
        if op.name == BLOCK_ID:
            for result, argument in zip(op.results, inner.arguments, strict=True):
                result.replace_all_uses_with(argument)
            op.erase()
    with ir.InsertionPoint(inner), ops[-1].location:
        ir.Operation.create(NEXT_TILE)


def _stays(op: ir.Operation, inside: set[ir.Operation]) -> bool:
    """Whether an op is pure and equal for all threads and all tile blocks."""
    return (
        op.name != BLOCK_ID
        and is_pure(op)
        and not any(is_distributed(result) for result in op.results)
        and not any(value.owner in inside for value in op.operands)
    )
