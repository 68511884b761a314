# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads whose tiles threads keep in shared memory, or take from there again.

Slot i holds the tile of iteration i: vectors of 16 bytes, neighbouring threads next to
each other, so that accesses meet in no banks. Iterations without a slot are loads as
any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.emit.access import TileAccess, pick_words
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.vectors import Run, guarded_load, load_run, store_run
from cuda_tile.ir.reuse import VECTOR_BYTES, Reuse, read_reuse
from cuda_tile.ir.tiles import element_bits, element_of, is_distributed, layout_of
from cuda_tile.ir.traits import is_pure
from cuda_tile.ir.walk import block_ops
from cuda_tile.layout.linear import Coord
from cuda_tile.targets import WARP_LANES


def load_reused(e: Emitter, op: ir.Operation, access: TileAccess, reuse: Reuse) -> None:
    """Loads a tile and keeps it, or takes it where it was kept.

    Args:
        e: Where to build.
        op: The load.
        access: How it loads from global memory.
        reuse: What stands on it.
    """
    if reuse.again:
        _take_again(e, op, access, reuse)
        return
    access.load_into(op.results[0])
    for load in _started_together(op):
        own = read_reuse(load)
        assert own is not None, "only loads that are kept start together"
        _keep(e, load, own)


def _started_together(op: ir.Operation) -> list[ir.Operation]:
    """The loads up to this one that are kept once the last of them has started.

    A store waits for its load, and what comes behind it would start only then. Between
    such loads stands only what their places are computed from.
    """
    ops = block_ops(op.block)
    place = ops.index(op)
    following = next(filter(_starts_or_waits, ops[place + 1 :]), None)
    if following is not None and _is_kept(following):
        return []
    found: list[ir.Operation] = []
    for other in reversed(ops[: place + 1]):
        if _is_kept(other):
            found.append(other)
        elif _starts_or_waits(other):
            break
    return found[::-1]


def _is_kept(op: ir.Operation) -> bool:
    reuse = read_reuse(op)
    return reuse is not None and not reuse.again and reuse.slots > 0


def _starts_or_waits(op: ir.Operation) -> bool:
    """Whether an op is more than arithmetic on scalars."""
    return not is_pure(op) or any(map(is_distributed, op.results))


def _keep(e: Emitter, op: ir.Operation, reuse: Reuse) -> None:
    """Stores what was loaded in its slot, if it has one."""
    places, fragment = _Places(e, op, reuse), e.fragment(op.results[0])
    for registers, pointer in places.vectors():
        words = pick_words(e, fragment, registers, places.run.word_elements)
        store_run(e.builder, places.run, words, pointer, places.inside, space="shared")


def _take_again(e: Emitter, op: ir.Operation, access: TileAccess, reuse: Reuse) -> None:
    """Loads from the slot, or from global memory where there is none."""
    b, result, places = e.builder, op.results[0], _Places(e, op, reuse)
    inside = places.inside
    kept = [_take(e, places.run, pointer, inside) for _, pointer in places.vectors()]
    words = [word for vector in kept for word in vector]
    if inside is None:
        e.set(result, _fragment(e, access, places.run, words))
        return
    number, inner = places.number, access.predicate
    outside = b.icmp("uge", number, reuse.slots)

    def predicate(register: int, place: Coord) -> ir.Value | None:
        return b.both(outside, inner(register, place))

    replace(access, predicate=predicate).load_into(result)
    loaded = e.fragment(result)
    width = places.run.word_elements
    both = [
        b.select(inside, word, *pick_words(e, loaded, range(at, at + width), width))
        for at, word in zip(range(0, width * len(words), width), words, strict=True)
    ]
    e.set(result, _fragment(e, access, places.run, both))


class _Places:
    """Where a thread keeps its registers of one iteration.

    Attributes:
        run: What it puts or takes at once.
        number: The iteration, an unsigned integer of 32 bits at least: a narrower one
            may be less than the number of slots whatever it is.
        inside: Whether the iteration has a slot; None where it surely has one.
    """

    def __init__(self, e: Emitter, op: ir.Operation, reuse: Reuse) -> None:
        b, tile, iteration = e.builder, op.results[0], op.operands[reuse.index]
        known = e.facts.of(iteration)
        number = self.number = b.unsigned(e.scalar(iteration), b.i32)  # load_reuse C7
        low, high = known.low, known.high
        self.inside: ir.Value | None = None
        if low is None or low < 0 or high is None or high >= reuse.slots:
            self.inside = b.icmp("ult", number, reuse.slots)
        layout, bits = layout_of(tile), element_bits(element_of(tile))
        count = min(layout.n_registers, VECTOR_BYTES * 8 // bits)
        self.run = Run(e.element_type(element_of(tile)), bits, count)
        self._registers = layout.n_registers
        self._apart = e.role.threads * self.run.bytes
        slot = self._apart * (self._registers // count)
        lane = [self.run.bytes << bit for bit in range(_bits(e.role.threads))]
        own = e.threads.linear_form(lane)
        iteration = b.mul(b.resize(number, b.i32), slot)
        start = b.byte_offset(e.shared_pointer(), reuse.offset)
        self._pointer = b.byte_offset(start, b.add(own, iteration))
        self._builder = b

    def vectors(self) -> Iterator[tuple[range, ir.Value]]:
        """The registers of each vector, and its address."""
        for place, first in enumerate(range(0, self._registers, self.run.count)):
            pointer = self._builder.byte_offset(self._pointer, place * self._apart)
            yield range(first, first + self.run.count), pointer


def _bits(threads: int) -> int:
    """Bits of the thread's number in its CTA."""
    assert threads >= WARP_LANES, "whole warps run what is distributed"
    return threads.bit_length() - 1


def _take(
    e: Emitter, run: Run, pointer: ir.Value, inside: ir.Value | None
) -> list[ir.Value]:
    """The words of a vector that was kept; anything where none was."""
    if inside is None:
        return load_run(e.builder, run, pointer)
    suffix = f".v{run.words}" if run.words > 1 else ""
    text = f"ld.shared{suffix}.b{run.word_bits}"
    return guarded_load(e.builder, run, text, pointer, inside, 0)


def _fragment(
    e: Emitter, access: TileAccess, run: Run, words: list[ir.Value]
) -> Fragment:
    """Words of neighbouring registers as a fragment of the access's tile."""
    if access.pack == 2 and run.word_elements == 2:
        return Fragment(access.layout, tuple(words), 2)
    values = [v for word in words for v in e.builder.elements(word, run.word_elements)]
    return Fragment(access.layout, tuple(values))
