# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a reduction takes: shuffles, halving of rows, `redux.sync`, other warps' parts.

`redux.sync` (PTX ISA; of integers from sm_80 on, of f32 in the family of sm_100)
combines a register of all lanes where shuffles take five steps, each of a shuffle and
an instruction of the body.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.bodies import is_symmetric
from cuda_tile.constants import (
    INSTRUCTION_CLOCKS,
    MOST_FOLDED_WARPS,
    SHUFFLE_CLOCKS,
)
from cuda_tile.ir.attributes import flag, integer, keyword
from cuda_tile.ir.tiles import element_bits, element_of
from cuda_tile.ir.walk import block_ops, body, defining_op, op_stem
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout
from cuda_tile.targets import Target

_KINDS = {"addi": "add", "andi": "and", "ori": "or", "xori": "xor"}
_ORDERED = {"maxi": "max", "mini": "min"}


def fold_slots(
    n_rows: int, n_lane_bits: int, move: int, apply: int, halved: int
) -> float:
    """Issue slots of folding the rows of a thread over lanes, for all to have them.

    Args:
        n_rows: Rows of a thread, a power of two.
        n_lane_bits: Lane bits to fold.
        move: Select instructions to choose between two rows, one for each word.
        apply: Instructions of the body.
        halved: Lane bits at which the rows are halved.
    """
    exchange = SHUFFLE_CLOCKS / INSTRUCTION_CLOCKS * move
    total, left = n_rows * exchange if halved else 0.0, n_rows
    for _ in range(halved):
        left //= 2
        total += left * (2 * move + exchange + apply)
    return total + (n_lane_bits - halved) * left * (exchange + apply)


def halving_steps(n_rows: int, n_lane_bits: int, move: int, apply: int) -> int:
    """How many of the lane bits are best folded by halving the rows.

    Args:
        n_rows: Rows of a thread, a power of two.
        n_lane_bits: Lane bits to fold.
        move: Select instructions to choose between two rows, one for each word.
        apply: Instructions of the body.
    """

    def cost(halved: int) -> float:
        return fold_slots(n_rows, n_lane_bits, move, apply, halved)

    best = min(range(min(n_lane_bits, n_rows.bit_length() - 1) + 1), key=cost)
    # Halving makes the longer chain of dependent instructions: it must pay.
    return best if 4 * cost(best) <= 3 * cost(0) else 0


def combining_slots(op: ir.Operation, layout: LinearLayout, target: Target) -> float:
    """Issue slots of a warp for a reduction, or for a scan, which takes no fewer.

    A thread folds its registers, then come lanes, then one part from each other warp,
    which every thread folds for all of its rows.

    Args:
        op: The reduction or scan.
        layout: Of its operands.
        target: The chip.
    """
    along = layout.bits_along(integer(op, "dim"))
    own, warps = (1 << bits.bit_count() for bits in (along.register, along.warp))
    rows, lanes = layout.n_registers // own, along.lane.bit_count()
    costs = step_costs(op)
    if lanes == N_LANE_BITS and redux_kinds(op, target):
        across = float(rows * costs[0])
    else:
        halved = halving_steps(rows, lanes, *costs)
        across = fold_slots(rows, lanes, *costs, halved)
    others = own - 1 + min(warps, MOST_FOLDED_WARPS) - 1
    return across + rows * others * costs[1]


def step_costs(op: ir.Operation) -> tuple[int, int]:
    """Words of one row, and instructions that apply the body once."""
    words = sum(max(1, element_bits(element_of(v)) // 32) for v in op.operands)
    return words, len(block_ops(body(op))) - 1


def redux_kinds(op: ir.Operation, target: Target) -> list[str] | None:
    """NVVM's name of what `redux.sync` does with each operand of a reduction.

    Args:
        op: The reduction.
        target: The chip.

    Returns:
        None where no instruction does what the body does.
    """
    if not target.has("nvvm.redux.sync.i32") or not is_symmetric(op):
        return None
    kinds_of = {"i32": _integer_kind}
    if target.has("nvvm.redux.sync.f32"):
        kinds_of["f32"] = _float_kind
    elements = {str(element_of(v)) for v in op.operands}
    if len(elements) != 1 or not elements <= kinds_of.keys():
        return None
    kind_of = kinds_of[elements.pop()]
    made = map(defining_op, block_ops(body(op))[-1].operands)
    kinds = [None if each is None else kind_of(each) for each in made]
    found = [kind for kind in kinds if kind is not None]
    return found if len(found) == len(kinds) else None


def _integer_kind(op: ir.Operation) -> str | None:
    """NVVM's name of what an op does with a pair."""
    stem = op_stem(op)
    if stem in _ORDERED:
        is_unsigned = keyword(op, "signedness") == "unsigned"
        return ("u" if is_unsigned else "") + _ORDERED[stem]
    return _KINDS.get(stem)


def _float_kind(op: ir.Operation) -> str | None:
    """The same of f32, with ` nan` where a NaN wins; none flushes subnormals."""
    kind = {"maxf": "fmax", "minf": "fmin"}.get(op_stem(op))
    if kind is None or flag(op, "flush_to_zero"):
        return None
    return f"{kind} nan" if flag(op, "propagate_nan") else kind
