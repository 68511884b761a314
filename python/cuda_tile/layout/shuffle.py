# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions inside a warp: shuffles of registers between lanes.

A plan has three steps, so that its size is O(registers), never O(lanes):

1. *before*: each source thread permutes its registers by XOR with a mask, depending
   on a parity of its thread index (one select per register);
2. *rounds*: one shuffle per destination register. All lanes name one and the same
   source register, and a source lane that is linear in their thread index;
3. *after*: as *before*, on the received registers.

Two such plans are tried, and the one that takes fewer clocks is chosen. In the first,
all lanes read from different lanes in each round. In the second, lanes that need the
same register of the same lane read it together, as in a tile that all lanes copy.

Why this always works: let M map each bit of (destination register, thread) to its
(source register, source lane). If several lanes need different registers of one
source lane, the step *after* re-labels the destination registers (`f` below) such that
all lanes read from different lanes in each round. Then each source lane has one reader
per round, and the step *before* (`g`) moves the register that this reader needs to the
register that the round reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from cuda_tile.constants import INSTRUCTION_CLOCKS, SHUFFLE_CLOCKS
from cuda_tile.layout import f2
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout
from cuda_tile.records import dataclass

_LANE_MASK = (1 << N_LANE_BITS) - 1
_WORD_BITS = 32
"""Bits that a shuffle moves (PTX ISA, "shfl.sync")."""


@dataclass(frozen=True)
class Select:
    """A permutation of the registers in some of the threads.

    If `thread_mask & thread` has an odd number of bits, register r of the thread gets
    the value of register r ^ `register_xor`; other threads change nothing.
    """

    thread_mask: int
    register_xor: int


@dataclass(frozen=True)
class Round:
    """One received register: its source register, and the XOR of the source lane."""

    register: int
    lane_xor: int


@dataclass(frozen=True)
class ShufflePlan:
    """How to convert between two layouts with shuffles and selects only.

    The thread index is `lane | warp << 5 | block << (5 + warp bits)`; without a
    cluster this is the thread's number in the CTA.

    Attributes:
        before: Selects on the source registers, in order.
        lane: XOR of each thread bit to the source lane.
        rounds: One per received register; their number is a power of two.
        after: Selects on the received registers, in order.
        result: The received register of each destination register.
    """

    before: tuple[Select, ...]
    lane: tuple[int, ...]
    rounds: tuple[Round, ...]
    after: tuple[Select, ...]
    result: tuple[int, ...]

    @property
    def is_butterfly(self) -> bool:
        """Whether lane i always reads lane i ^ `lane_xor` (`shfl.sync.bfly`)."""
        return all(
            column == (1 << bit if bit < N_LANE_BITS else 0)
            for bit, column in enumerate(self.lane)
        )

    @property
    def n_shuffles(self) -> int:
        """Number of rounds that move data between lanes."""
        if not self.is_butterfly:
            return len(self.rounds)
        return sum(entry.lane_xor != 0 for entry in self.rounds)

    def clocks(self, n_registers: int) -> float:
        """Clocks of a warp: shuffles, lanes that differ by round, and selects.

        Args:
            n_registers: Registers of a thread in the source.
        """
        others = n_registers * len(self.before) + len(self.rounds) * len(self.after)
        if not self.is_butterfly:
            others += len(self.rounds)
        return self.n_shuffles * SHUFFLE_CLOCKS + others * INSTRUCTION_CLOCKS


@dataclass
class _Map:
    """M of the module text: columns of source registers and lanes per input bit."""

    register: list[int]
    lane: list[int]

    def add(self, source: int, n_register_bits: int) -> None:
        self.register.append(source & (1 << n_register_bits) - 1)
        self.lane.append(source >> n_register_bits & _LANE_MASK)


def _solve_in_warp(src: LinearLayout, dst: LinearLayout) -> tuple[_Map, _Map] | None:
    """Gives M for the destination's register bits and for its thread bits."""
    n_register_bits = len(src.register)
    registers = f2.Span(src.columns[0])
    warp = f2.Span((*src.columns[0], *src.columns[1]))
    by_register, by_thread = _Map([], []), _Map([], [])
    for column in dst.columns[0]:
        source = warp.solve(column)
        if source is None:
            return None
        by_register.add(source, n_register_bits)
    for bit, column in enumerate(dst.columns[1]):
        source = registers.solve(column ^ src.columns[1][bit])  # stay in this lane
        if source is not None:
            source |= 1 << n_register_bits + bit
        else:
            source = warp.solve(column)
        if source is None:
            return None
        by_thread.add(source, n_register_bits)
    for axis in (2, 3):  # the warp and the CTA have to stay as they are
        for theirs, mine in zip(dst.columns[axis], src.columns[axis], strict=True):
            source = warp.solve(theirs ^ mine)
            if source is None:
                return None
            by_thread.add(source, n_register_bits)
    return by_register, by_thread


def _relabel(by_register: _Map, by_thread: _Map, *, may_share: bool) -> list[int]:
    """Gives f: per thread bit an XOR of destination registers (see module text).

    Changes `by_thread` to the map after re-labelling. Where the destination has too
    few register bits for that, appends bits to `by_register`: these registers are
    received additionally and stay unused.

    Args:
        by_register: M of register bits.
        by_thread: M of thread bits.
        may_share: Whether several lanes may read one lane in the same round, if all
            need the same register.
    """
    relabel = [0] * len(by_thread.lane)
    span = f2.Span()
    order: list[int] = []  # lane bits in the order in which `span` got their columns
    pending: list[int] = []
    for bit in range(N_LANE_BITS):
        if by_thread.lane[bit] in span:
            pending.append(bit)
        else:
            order.append(bit)
            span.add(by_thread.lane[bit])
    for bit in pending:
        lane = by_thread.lane[bit]
        known = span.solve(lane) or 0
        spread = sum((known >> i & 1) << other for i, other in enumerate(order))
        wanted = f2.apply(by_thread.register[:N_LANE_BITS], spread)
        is_same = wanted == by_thread.register[bit]
        choice = None
        if not (may_share and is_same):
            choice = _relabel_bit(by_register, span, bit, lane)
        if choice is None and not is_same:
            unit = next(u for u in _unit_lanes(bit) if u not in span)
            by_register.register.append(0)
            by_register.lane.append(unit)
            choice = 1 << len(by_register.lane) - 1
        relabel[bit] = choice or 0
        by_thread.lane[bit] ^= f2.apply(by_register.lane, relabel[bit])
        by_thread.register[bit] ^= f2.apply(by_register.register, relabel[bit])
        order.append(bit)
        span.add(by_thread.lane[bit])
    return relabel


def _unit_lanes(first: int) -> list[int]:
    """The five lane bits, beginning with bit `first`."""
    return [1 << (first + i) % N_LANE_BITS for i in range(N_LANE_BITS)]


def _relabel_bit(by_register: _Map, span: f2.Span, bit: int, lane: int) -> int | None:
    """Finds destination registers that move `lane` out of `span`, None if none do."""
    if 1 << bit not in span:  # best: the lane then reads from itself
        exact = f2.Span(by_register.lane).solve(lane ^ 1 << bit)
        if exact is not None:
            return exact
    for index, column in enumerate(by_register.lane):
        if lane ^ column not in span:
            return 1 << index
    return None


def _source_selects(by_thread: _Map) -> list[int]:
    """Gives g: per thread bit of the *source* an XOR of its registers."""
    n_thread_bits = len(by_thread.lane)
    span = f2.Span()
    images: list[int] = []
    for bit, lane in enumerate(by_thread.lane):
        uniform = 0 if bit < N_LANE_BITS else 1 << bit
        span.add(lane | uniform)
        images.append(by_thread.register[bit])
    for bit in range(N_LANE_BITS):  # lanes that no lane reads
        span.add(1 << bit)
        images.append(0)
    return [f2.apply(images, span.solve(1 << bit) or 0) for bit in range(n_thread_bits)]


def _selects(columns: Sequence[int]) -> tuple[Select, ...]:
    return tuple(Select(mask, vector) for mask, vector in f2.factor(columns))


@lru_cache(maxsize=4096)
def shuffle_plan(src: LinearLayout, dst: LinearLayout) -> ShufflePlan | None:
    """Plans a conversion inside each warp; None if data must cross warps.

    Both layouts have the same shape and numbers of warps and CTAs (`classify` checks).

    Args:
        src: The layout of the tile.
        dst: The layout that is wanted.
    """
    received = dst.drop_redundant_registers()
    if _solve_in_warp(src, received) is None:
        return None
    plans = (_plan(src, dst, received, may_share=share) for share in (False, True))
    return min(plans, key=lambda plan: plan.clocks(src.n_registers))


def _plan(
    src: LinearLayout, dst: LinearLayout, received: LinearLayout, *, may_share: bool
) -> ShufflePlan:
    """Makes one of the two plans of a conversion.

    Args:
        src: The layout of the tile.
        dst: The layout that is wanted.
        received: `dst` without registers that are copies of others.
        may_share: As for `_relabel`.
    """
    maps = _solve_in_warp(src, received)
    assert maps is not None, "the conversion stays inside each warp"
    by_register, by_thread = maps
    relabel = _relabel(by_register, by_thread, may_share=may_share)
    source = _source_selects(by_thread)
    rounds: list[Round] = []
    for index in range(1 << len(by_register.lane)):
        lane_xor = f2.apply(by_register.lane, index)
        register = f2.apply(by_register.register, index) ^ f2.apply(source, lane_xor)
        rounds.append(Round(register, lane_xor))
    span = f2.Span(received.columns[0])
    result = [0]
    for column in dst.columns[0]:
        kept = span.solve(column) or 0
        result += [register ^ kept for register in result]
    return ShufflePlan(
        before=_selects(source),
        lane=tuple(by_thread.lane),
        rounds=tuple(rounds),
        after=_selects(relabel),
        result=tuple(result),
    )


@dataclass(frozen=True)
class PairedPlan:
    """A conversion that moves two registers at once, wherever they go.

    Attributes:
        sources: The two source registers of each word.
        plan: The plan for words; its result has a word per destination register.
        halves: The half of its word that each destination register is, 0 or 1.
    """

    sources: tuple[tuple[int, int], ...]
    plan: ShufflePlan
    halves: tuple[int, ...]


def shuffle_clocks(src: LinearLayout, dst: LinearLayout, bits: int) -> float:
    """Clocks of a conversion inside each warp.

    Args:
        src: The layout of the tile.
        dst: The layout that is wanted, which `shuffle_plan` reaches.
        bits: Bits of an element.
    """
    plan = shuffle_plan(src, dst)
    assert plan is not None, "the conversion stays inside each warp"
    if (words := paired_plan(plan, src.n_registers, bits)) is not None:
        return src.n_warps * words.plan.clocks(len(words.sources))
    return src.n_warps * plan.clocks(src.n_registers) * max(1, bits // _WORD_BITS)


@lru_cache(maxsize=4096)
def paired_plan(plan: ShufflePlan, n_sources: int, bits: int) -> PairedPlan | None:
    """A plan that moves words of two registers, with half the shuffles and selects.

    Rounds are linear in their number, and selects XOR registers. Let t be a number
    whose round reads register m of the lane itself. Then the rounds i and i ^ t read
    registers of one lane that differ by m. Two registers that differ by m are a word.
    Let p be a bit of m; the register without p names the word. No select may part words
    or swap their halves: selects before have no p, and selects after do not change
    whether the register of a round has p. Neighbours are tried first, since they are
    often packed already.

    Args:
        plan: The plan for single registers.
        n_sources: How many source registers there are.
        bits: Bits of an element.

    Returns:
        The plan, or None if no registers stay together or two are not 32 bits.
    """
    if 2 * bits != _WORD_BITS:
        return None
    found = [
        (entry.register, number, bit)
        for number, entry in enumerate(plan.rounds)
        if entry.lane_xor == 0
        for bit in range(entry.register.bit_length())
        if entry.register >> bit & 1 and _keeps_words(plan, bit)
    ]
    return _paired(plan, n_sources, *min(found)) if found else None


def _keeps_words(plan: ShufflePlan, bit: int) -> bool:
    """Whether no select changes the bit of the source register."""
    before = [select.register_xor for select in plan.before]
    after = [plan.rounds[select.register_xor].register for select in plan.after]
    return not any(register >> bit & 1 for register in (*before, *after))


def _paired(
    plan: ShufflePlan, n_sources: int, other: int, step: int, bit: int
) -> PairedPlan:
    """The plan for words.

    Args:
        plan: The plan for single registers.
        n_sources: How many source registers there are.
        other: The XOR between the two registers of a word.
        step: The XOR between the numbers of their rounds.
        bit: The bit of a source register that the first register of a word lacks.
    """
    is_second = [entry.register >> bit & 1 for entry in plan.rounds]
    unit = next(i for i in range(len(is_second)) if is_second[1 << i])

    def selects(found: Sequence[Select], dropped: int) -> tuple[Select, ...]:
        return tuple(
            Select(each.thread_mask, _without(each.register_xor, dropped))
            for each in found
        )

    firsts = [i for i, second in enumerate(is_second) if not second]
    firsts.sort(key=lambda i: _without(i, unit))
    rounds = [plan.rounds[i] for i in firsts]
    return PairedPlan(
        tuple((r, r ^ other) for r in range(n_sources) if not r >> bit & 1),
        ShufflePlan(
            selects(plan.before, bit),
            plan.lane,
            tuple(Round(_without(e.register, bit), e.lane_xor) for e in rounds),
            selects(plan.after, unit),
            tuple(_without(i ^ step * is_second[i], unit) for i in plan.result),
        ),
        tuple(is_second[i] for i in plan.result),
    )


def _without(number: int, bit: int) -> int:
    """A number with one bit removed; the bits above it move down."""
    return number >> bit + 1 << bit | number & (1 << bit) - 1
