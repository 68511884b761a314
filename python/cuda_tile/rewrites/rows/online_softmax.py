# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Online softmax: sums of powers in the same loop as their maximum.

A softmax sums exp(a - m) over a row, where m is the greatest a. With the greatest a so
far, h, instead of m, the same loop can compute the sum: if h grows to g, the sum so far
is multiplied by exp(h - g). At the end exp(h - m) brings the sums of all threads to the
same m. So a row that is loaded again for each step is loaded once less.

The same holds for a sum of such powers, each times an element of another row, if the
rows come from a loop of the author: sums of parts of a longer row, and the maximum that
each of them is relative to.

Each term is then a product of exponentials, each rounded, not one of them; a sum of so
many floats in no order has a larger error than that. Infinities and NaN give the same
sums: with g at least the lowest finite number, terms of -infinity are 0, the others NaN
as they were; and at the end, by m itself, a row of nothing but -infinity gives NaN.
With weights a sum is the program's if it is finite, and is computed as in the program
if it is not (`hoisted.py`): a weight may overflow beside a power that is not small yet.

The contract is in passes/online_softmax.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import constant_splat
from cuda_tile.ir.attributes import flag, keyword
from cuda_tile.ir.cloned import clone_with
from cuda_tile.ir.tile_values import constant_like, constant_number, one_for_all
from cuda_tile.ir.tiles import element_of
from cuda_tile.ir.traits import CONSTANTS, POWERS, REDUCTIONS, SPREADS
from cuda_tile.ir.walk import block_ops, body, defining_op, op_stem
from cuda_tile.records import dataclass
from cuda_tile.rewrites.rows.hoisted import Step
from cuda_tile.rewrites.rows.row import Row

LOWEST = {"f32": -3.4028234663852886e38, "f64": -1.7976931348623157e308}
"""The lowest finite number of each type."""
MOST_FACTOR_BITS = 64.0
"""Binary digits by which factors may move a difference before its power is taken: what
overflows then, or is rounded as a subnormal number, is no matter to the power."""


@dataclass(frozen=True)
class OnlineSum:
    """A sum over a row of powers of its elements relative to their maximum.

    Attributes:
        anchor: The reduction that gives the maximum.
        total: The reduction of the sum.
        path: The ops on the elements, from the difference to the power.
        weight: The product of the power and another row, if the sum is of products.
    """

    anchor: ir.Operation
    total: ir.Operation
    path: tuple[ir.Operation, ...]
    weight: ir.Operation | None = None

    @property
    def may_overflow(self) -> bool:
        """Whether there are weights: they may be large although powers are small."""
        return self.weight is not None

    def begin(self, ty: ir.Type) -> list[ir.Value]:
        """The empty sum."""
        return [constant_number(ty, 0.0)]

    def iterate(self, given: Sequence[ir.Value], step: Step) -> list[ir.Value]:
        """The sum so far, with each element relative to the greatest so far.

        Args:
            given: The values that the loop carries for it.
            step: The iteration.
        """
        after = step.after
        lowest = constant_number(after.type, LOWEST[str(element_of(after))])
        base = _applied(inner(self.anchor), after, lowest)  # online_softmax C5
        kept = self._brought(given[0], step.before, base)
        term = self._power(step.part(self.anchor.operands[0]), base)
        if self.weight is not None:
            term = _applied(self.weight, step.part(_other(self.weight)), term)
        return [_applied(inner(self.total), kept, term)]

    def finish(
        self,
        found: Sequence[ir.Value],
        joined: ir.Value,
        known: Callable[[ir.Value], ir.Value],
    ) -> ir.Value:
        """All sums, as sums of powers relative to the maximum of all.

        Args:
            found: The values that the loop carried at the end.
            joined: The operand of the anchor.
            known: Gives the present form of a value.
        """
        most = one_for_all(known(self.anchor.results[0]), joined)
        return self._brought(found[0], joined, most)

    def _brought(self, total: ir.Value, base: ir.Value, most: ir.Value) -> ir.Value:
        """Converts sums of powers relative to `base` to sums relative to `most`."""
        rounding = inner(self.total).attributes["rounding_mode"]
        scaled = ir.Operation.create(
            "cuda_tile.mulf",
            [total.type],
            [total, self._power(base, most)],
            {"rounding_mode": rounding},
        )
        return scaled.results[0]

    def _power(self, elements: ir.Value, most: ir.Value) -> ir.Value:
        first, *others = self.path
        value = _applied(first, elements, most)
        for op in others:
            operands = [value]
            for other in list(op.operands)[1:]:
                made = defining_op(other)
                assert made is not None, "factors are constants"
                operands.append(constant_like(made, value.type))
            value = _applied(op, *operands)
        return value


def find_online_sum(op: ir.Operation, row: Row) -> OnlineSum | None:
    """The online sum that a reduction is: powers relative to its row's maximum.

    Args:
        op: The reduction.
        row: Its block.
    """
    if not has_body(op, "addf") or identity(op) != 0:  # online_softmax C3
        return None
    if not is_plain(inner(op)):  # online_softmax C2
        return None
    power, weight = defining_op(op.operands[0]), None
    if power is not None and op_stem(power) == "mulf":
        if not is_plain(power):  # online_softmax C2
            return None
        power, weight = _power_in(power), power
    if power is None or not _is_power(power):
        return None
    if weight is not None and flag(power, "flush_to_zero"):  # online_softmax C2
        return None
    path = _path(power)
    if path is None:
        return None
    maximum = spread_from(path[0].operands[1])
    if (
        maximum is None
        or not has_body(maximum, "maxf")
        or identity(maximum) != float("-inf")  # online_softmax C3
        or maximum.operands[0] != path[0].operands[0]  # online_softmax C8
    ):
        return None
    # online_softmax C7
    if weight is not None and row.is_behind(_other(weight), maximum):
        return None
    return OnlineSum(maximum, op, path, weight)


def _path(power: ir.Operation) -> tuple[ir.Operation, ...] | None:
    """The ops on elements from a difference to a power."""
    path, bits = [power], 0.0
    step = defining_op(power.operands[0])
    while step is not None and op_stem(step) == "mulf":
        factor = _factor(step)
        if factor is None:
            return None
        bits += abs(math.log2(factor))
        path.append(step)
        step = defining_op(step.operands[0])
    if step is None or op_stem(step) != "subf":
        return None
    if not is_plain(step):  # online_softmax C2
        return None
    # online_softmax C4
    return (step, *reversed(path)) if bits <= MOST_FACTOR_BITS else None


def _power_in(product: ir.Operation) -> ir.Operation | None:
    """The only factor of a product that is a power."""
    made = [defining_op(v) for v in product.operands]
    found = [op for op in made if op is not None and _is_power(op)]
    return found[0] if len(found) == 1 else None  # online_softmax C8


def _other(product: ir.Operation) -> ir.Value:
    """The other factor."""
    power = _power_in(product)
    assert power is not None, "products without a power are no weighted sums"
    first, second = product.operands
    return second if first == power.results[0] else first


def _is_power(op: ir.Operation) -> bool:
    return op.name in POWERS


def has_body(op: ir.Operation, stem: str) -> bool:
    """Whether a reduction combines one row of f32 or f64 by one op on both arguments.

    Args:
        op: The reduction.
        stem: The op of the body, such as `addf`.
    """
    if op.name not in REDUCTIONS or len(op.operands) != 1:
        return False
    *ops, last = block_ops(body(op))
    return (
        str(element_of(op.operands[0])) in LOWEST  # online_softmax C1; welford C1
        and len(ops) == 1
        and op_stem(ops[0]) == stem
        # online_softmax C8; welford C4
        and {*ops[0].operands} == {*body(op).arguments}
        and list(last.operands) == list(ops[0].results)
    )


def inner(op: ir.Operation) -> ir.Operation:
    """The only op of a reduction's body."""
    return block_ops(body(op))[0]


def is_plain(op: ir.Operation) -> bool:
    """Whether an op rounds to nearest and keeps subnormal numbers."""
    rounding = keyword(op, "rounding_mode", "nearest_even")
    return rounding == "nearest_even" and not flag(op, "flush_to_zero")


def identity(op: ir.Operation) -> float:
    """The identity of a reduction of floats."""
    (identity,) = ir.ArrayAttr(op.attributes["identities"])
    return ir.FloatAttr(identity).value


def _factor(op: ir.Operation) -> float | None:
    """The positive constant right operand of a product; None if it has none."""
    made = defining_op(op.operands[1])
    if made is None or made.name not in CONSTANTS:
        return None
    if not is_plain(op):  # online_softmax C2
        return None
    value = constant_splat(made)
    is_above = isinstance(value, float) and 0 < value < float("inf")
    return value if is_above else None  # online_softmax C4


def spread_from(value: ir.Value) -> ir.Operation | None:
    """The op whose only element a tile repeats."""
    made = defining_op(value)
    if made is None or op_stem(made) != "broadcast":
        return None
    while made is not None and made.name in SPREADS:
        made = defining_op(made.operands[0])
    return made


def _applied(op: ir.Operation, *operands: ir.Value) -> ir.Value:
    """The same op on other tiles, which have one type."""
    return clone_with(op, operands, [operands[0].type]).results[0]


def online_sums(sinks: Sequence[ir.Operation], row: Row, part: int) -> list[OnlineSum]:
    """The online sums among the reductions of rows whose maximum is one of them, too.

    Args:
        sinks: The reductions, scans and stores of the block.
        row: The rows of the block.
        part: Elements of a part; the sum is right whatever they are.
    """
    del part
    found = (find_online_sum(op, row) for op in sinks)
    return [each for each in found if each is not None and each.anchor in sinks]
