# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomic updates of a few known places, which a tile block collects in shared memory.

The update goes through `base + index`, facts bound the index, and the result is unused.
Such relaxed updates may run in any order, and several may be combined. So each CTA
collects its updates in shared memory, one word for each place, and then makes one
update of global memory for each place that changed.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.constants import MOST_BINS, UPDATES_PER_BIN
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.tiles import element_bits, element_of, elements_of, is_distributed
from cuda_tile.ir.traits import KEEPS_ELEMENTS
from cuda_tile.ir.walk import defining_op, value_behind
from cuda_tile.records import dataclass

_WORD_BITS = 32
_JOINED_BITS = (32, 64)
_IDENTITIES = {"add": 0, "or": 0, "xor": 0, "and": -1, "umax": 0, "umin": -1}
_JOINED_MODES = (*_IDENTITIES, "max", "min")
"""Modes of which several updates may be made as one. Sums of floats may not: they would
be rounded in another way."""


@dataclass(frozen=True)
class Bins:
    """Where an atomic's updates go.

    Attributes:
        base: The pointer to the first place, a scalar.
        index: The tile of places, from 0.
        count: Number of places.
        identity: The operand with which an update changes nothing.
    """

    base: ir.Value
    index: ir.Value
    count: int
    identity: int


def identity_of(mode: str, bits: int) -> int:
    """The integer, read as signed, with which an update changes nothing.

    Args:
        mode: The mode of the atomic, such as `add`.
        bits: Bits of an element.
    """
    if mode in _IDENTITIES:
        return _IDENTITIES[mode]
    least = -(1 << bits - 1)
    return least if mode == "max" else -1 - least


def may_join(op: ir.Operation) -> bool:
    """Whether updates of an atomic may be made in any order, and several as one."""
    return (
        op.name == "cuda_tile.atomic_rmw_tko"
        and is_distributed(op.results[0])
        and not list(op.results[0].uses)  # combine_atomics C3
        and keyword(op, "mode") in _JOINED_MODES  # combine_atomics C2
        and memory_order(op).semantics == "relaxed"  # combine_atomics C5
        and isinstance(element_of(op.results[0]), ir.IntegerType)  # combine_atomics C1
        and element_bits(element_of(op.results[0])) in _JOINED_BITS
    )


def may_collect(op: ir.Operation) -> bool:
    """Whether an op may be such an atomic, judged without facts."""
    return (
        may_join(op)
        and element_bits(element_of(op.results[0])) == _WORD_BITS
        and _parts(op.operands[0]) is not None
    )


def find_bins(op: ir.Operation, facts: FactsAnalysis) -> Bins | None:
    """The places of an atomic whose updates a tile block collects; None for others.

    Args:
        op: The atomic.
        facts: The facts of the entry's values.
    """
    if not may_collect(op):
        return None
    parts = _parts(op.operands[0])
    known = None if parts is None else facts.of(parts[1])
    if parts is None or known is None or known.low is None or known.high is None:
        return None
    count = known.high + 1
    most = min(MOST_BINS, elements_of(op.results[0]) // UPDATES_PER_BIN)
    if known.low < 0 or count > most:
        return None
    return Bins(*parts, count, identity_of(keyword(op, "mode"), _WORD_BITS))


def _parts(pointers: ir.Value) -> tuple[ir.Value, ir.Value] | None:
    """Base and index of a tile of pointers; None if there is not one base."""
    op = defining_op(pointers)
    if op is None or op.name != "cuda_tile.offset":
        return None
    base, index = op.operands
    base = value_behind(base, KEEPS_ELEMENTS)
    return None if is_distributed(base) else (base, index)
