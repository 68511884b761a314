# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the programs of a run had: constructs, and ops by element type and shape.

The declared list is complete: a construct of it that no program had is a gap, and so
is an op that the compiler lowers and no program has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import prod

from differential_chains import CONSTRUCTS as CHAIN_CONSTRUCTS
from differential_folds import FOLD_NAMES, PRODUCT_NAMES
from differential_launch import LAUNCH_NAMES
from differential_masks import CONSTRUCTS as MASK_CONSTRUCTS
from differential_moves import MOVE_NAMES
from differential_nests import CONSTRUCTS as LOOP_CONSTRUCTS
from differential_operands import CONSTRUCTS as OPERAND_CONSTRUCTS
from differential_outside import CONSTRUCTS as OUTSIDE_CONSTRUCTS
from differential_places import PLACE_NAMES
from differential_plans import CLUSTERS, DIVIDED, IN_PARTS, MADE, OPENED, REUSED
from differential_plans import CONSTRUCTS as PLAN_CONSTRUCTS
from differential_rings import CONSTRUCTS as RING_CONSTRUCTS
from differential_streams import CONSTRUCTS as STREAM_CONSTRUCTS
from differential_tensor import CONSTRUCTS as TENSOR_CONSTRUCTS
from differential_together import CONSTRUCTS as TOGETHER_CONSTRUCTS
from differential_variants import VARIANTS

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile.emit.families import RULES
from cuda_tile.ir.walk import entries, nested_ops

ORDERS = ("load", "store")
CONSTRUCTS = (
    *(f"for: {n} trips" for n in range(4)),
    *(f"for: step {n}" for n in (1, 2, 3)),
    *(f"for: {kind}" for kind in ("i16", "i32", "i64")),
    "for: constant bound",
    "for: argument bound",
    "for: computed bound",
    "for: bounds that cross",
    "for: unsigned",
    "for carries nothing",
    "for carries values",
    "for carries a token",
    "carried tile",
    "carried scalar",
    *(f"{a} after {b}" for a in ("for", "loop") for b in ("for", "loop")),
    *(f"{a} in {b}" for a in ("for", "loop", "if") for b in ("for", "loop", "if")),
    "regions three deep",
    "loop breaks at its head",
    "loop breaks at its end",
    "if: argument",
    "if: depends on the block",
    "if: a scalar compared",
    "if: condition of the data",
    "if with results",
    "if without results",
    "if with else",
    "if gives a tile",
    "if gives a scalar",
    "if gives a token",
    "continue in an if of a for",
    "continue in an if of a loop",
    "break in an if of a loop",
    "return in an if",
    "leaves from an if in an if",
    *(f"{a} -> {b}" for a in ORDERS for b in ORDERS),
    *(f"{a} -> {b} -> {c}" for a in ORDERS for b in ORDERS for c in ORDERS),
    "join_tokens",
    "join_tokens of join_tokens",
    "areas that share a chain",
    "the same array passed twice",
    "access by a view",
    "access through a transposed view",
    "access through pointers",
    "pointers under a mask",
    "view shifted over another",
    "view with a ragged end",
    "tile number that the program computes",
    "permute, then a store along the other axis",
    "blocks: one",
    "blocks: several",
    *(f"warps: {n}" for n in (1, 2, 4, 8, "chosen by plan")),
    *(CLUSTERS, DIVIDED, REUSED, IN_PARTS),
    *STREAM_CONSTRUCTS,
    *OUTSIDE_CONSTRUCTS,
    *TOGETHER_CONSTRUCTS,
)
"""Every construct that the programs of a run must have, variants apart."""
NEST_CONSTRUCTS = (
    *(*LOOP_CONSTRUCTS, *OPERAND_CONSTRUCTS, *RING_CONSTRUCTS, *CHAIN_CONSTRUCTS),
    *(*MASK_CONSTRUCTS, *PLAN_CONSTRUCTS, *MADE, OPENED),
)
"""What loops of products must have, of the kinds `rings` and `chains`, and become."""
VARIANT_NAMES = (
    *(variant.name for variant in VARIANTS),
    *(*MOVE_NAMES, *FOLD_NAMES, *PRODUCT_NAMES, *PLACE_NAMES, *LAUNCH_NAMES),
)
"""Each op with each choice of types and attributes."""
DECLARED = (
    *CONSTRUCTS,
    *NEST_CONSTRUCTS,
    *(f"variant: {name}" for name in VARIANT_NAMES),
)

_MULTIMEM = "needs memory of several devices, which neither judge has"
NOT_MADE = {
    "fpowf": "is another spelling of pow, and read as that",
    "multimem_load_reduce_view_tko": _MULTIMEM,
    "multimem_reduce_view_tko": _MULTIMEM,
    "multimem_store_view_tko": _MULTIMEM,
}
"""Ops that the compiler lowers and no program has, with the reason."""

OpClass = tuple[str, str, str]


def op_classes(module: ir.Module) -> Iterator[OpClass]:
    """Op, element type and class of shape for each op of a module at level T."""
    for entry in entries(module.operation):
        for op in nested_ops(entry):
            values = [*op.results, *op.operands]
            tiles = [v.type for v in values if isinstance(v.type, TileType)]
            name = op.name.removeprefix("cuda_tile.")
            if tiles:
                text = str(tiles[0].element_type).removeprefix("!cuda_tile.")
                yield name, text, _shape_class(list(tiles[0].shape))
            else:
                yield name, "-", "-"


def _shape_class(shape: list[int]) -> str:
    if not shape:
        return "scalar"
    size = "up to 32" if prod(shape) <= 32 else "up to 256"
    return f"rank {len(shape)}, {'more' if prod(shape) > 256 else size}"


def gaps(notes: Counter[str], ops: Counter[OpClass]) -> list[str]:
    """What the programs of a run should have had and had not."""
    made = {name for name, _, _ in ops}
    lowered = {name for name in RULES if not name.startswith("tileas.")}
    return [
        *gaps_of(DECLARED, notes),
        *(f"not declared: {name}" for name in sorted(set(notes) - set(DECLARED))),
        *(f"no program has {n}" for n in sorted(lowered - made - set(NOT_MADE))),
        *(f"{n} is made, but listed as not" for n in sorted(made & set(NOT_MADE))),
    ]


def gaps_of(declared: Iterable[str], notes: Counter[str]) -> list[str]:
    """Which of the declared constructs no program had."""
    return [f"no program has: {name}" for name in declared if not notes[name]]


def table(notes: Counter[str], ops: Counter[OpClass]) -> str:
    """The counts as text."""
    names = (*CONSTRUCTS, *NEST_CONSTRUCTS, *TENSOR_CONSTRUCTS)
    lines = [f"  {notes[name]:6} {name}" for name in names]
    made = len([name for name in VARIANT_NAMES if notes[f"variant: {name}"]])
    lines.append(f"{made} of {len(VARIANT_NAMES)} variants of ops")
    by_op: dict[str, Counter[str]] = {}
    for (name, element, shape), count in ops.items():
        by_op.setdefault(name, Counter())[f"{element} {shape}"] += count
    lines.append(f"{len(by_op)} ops, {len(ops)} of them x type x shape:")
    for name, kinds in sorted(by_op.items()):
        types = sorted({kind.partition(" ")[0] for kind in kinds})
        lines.append(
            f"  {kinds.total():6} {name}: {len(kinds)} kinds of {' '.join(types)}"
        )
    return "\n".join(lines)
