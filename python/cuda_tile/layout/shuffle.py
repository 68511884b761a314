# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions inside a warp: shuffles of registers between lanes.

A plan has three steps, so that its size is O(registers), never O(lanes):

1. *before*: each source thread permutes its registers by XOR with a mask, depending
   on a parity of its thread index (one select per register);
2. *rounds*: one shuffle per destination register. All lanes name one and the same
   source register, and a source lane that is linear in their thread index;
3. *after*: as *before*, on the received registers.

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

from cuda_tile.layout import f2
from cuda_tile.layout.linear import N_LANE_BITS, LinearLayout
from cuda_tile.records import dataclass

_LANE_MASK = (1 << N_LANE_BITS) - 1


@dataclass(frozen=True)
class Select:
    """A permutation of the registers in some of the threads.

    In threads where `thread_mask & thread` has an odd number of bits, register r
    becomes what register r ^ `register_xor` was; in the others nothing changes.
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
        lane: Per thread bit its XOR to the source lane.
        rounds: One per received register; their number is a power of two.
        after: Selects on the received registers, in order.
        result: Per destination register its received register.
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


def _relabel(by_register: _Map, by_thread: _Map) -> list[int]:
    """Gives f: per thread bit an XOR of destination registers (see module text).

    Changes `by_thread` to the map after re-labelling. Where the destination has too
    few register bits for that, appends bits to `by_register`: these registers are
    received additionally and stay unused.
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
        choice = _relabel_bit(by_register, span, bit, lane)
        if choice is None and wanted != by_thread.register[bit]:
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
    maps = _solve_in_warp(src, received)
    if maps is None:
        return None
    by_register, by_thread = maps
    relabel = _relabel(by_register, by_thread)
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
