# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Parallel Synchronization and Communication Instructions: mbarrier"."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.move import SPACES
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled, Wait
from cuda_tile.emulator.memory.spaces import WINDOW_MASK
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Immediate, Operand, Register, Sink
from cuda_tile.emulator.ptx.types import B64, PRED, U32, Array, Bool
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Parallel Synchronization and Communication Instructions: mbarrier")

Offsets = NDArray[np.int64]
# How asynchronous operations say that they complete on an mbarrier.
COMPLETES = "mbarrier::complete_tx::bytes"
_SHARED = ("shared", "shared::cta", "shared::cluster")


def barrier_place(
    form: Form, b: Builder, operand: Operand, space: str
) -> Callable[[Lanes], Offsets]:
    """Returns what finds the mbarriers of some lanes in the machine's memory."""
    address = b.address(operand, SPACES[space] if space else "")
    spaces = b.spaces

    def place(lanes: Lanes) -> Offsets:
        where = address(lanes) & np.uint64(WINDOW_MASK)
        spaces.check_alignment(lanes, where, 8)
        return spaces.shared_offsets(lanes, where, 8, "mbarrier access")

    return place


@CHAPTER.instruction("mbarrier")
def mbarrier(form: Form, b: Builder) -> Compiled:
    """mbarrier: init, inval, arrive, arrive_drop, expect_tx, complete_tx, waits."""
    kind = form.choice(
        "init",
        "inval",
        "arrive",
        "arrive_drop",
        "expect_tx",
        "complete_tx",
        "test_wait",
        "try_wait",
        "pending_count",
    )
    if kind in ("arrive", "arrive_drop"):
        return _arrive(form, b, drops=kind == "arrive_drop")
    if kind in ("test_wait", "try_wait"):
        return _wait(form, b, is_try=kind == "try_wait")
    if kind in ("expect_tx", "complete_tx"):
        return _tx(form, b, sign=1 if kind == "expect_tx" else -1)
    if kind == "pending_count":
        return _pending_count(form, b)
    space = form.option("shared", "shared::cta")
    form.require("b64")
    if kind == "inval":
        (x,) = form.operands(1)
        place = barrier_place(form, b, x, space)
        return b.step(lambda lanes: b.mbarriers.destroy(lanes, place(lanes)))
    x, count = form.operands(2)
    place, counts, at = barrier_place(form, b, x, space), b.src(count, U32), b.at

    def run(lanes: Lanes) -> None:
        number = counts[lanes.index].astype(np.int64)
        b.mbarriers.create(at, lanes, place(lanes), number)

    return b.step(run)


def _pending_count(form: Form, b: Builder) -> Compiled:
    """mbarrier.pending_count: arrivals pending when a state was taken."""
    form.require("b64")
    d, state = form.operands(2)
    dst, states = b.dst(d, U32), b.src(state, B64)
    mask = np.uint64((1 << 20) - 1)

    def pending(values: Array) -> Array:
        return (values & mask).astype(np.uint32)

    return b.elementwise(pending, dst, states)


def _semantics(form: Form) -> str:
    """Takes `.sem{.scope}`; empty where none stands."""
    order = form.option("release", "acquire", "relaxed")
    if order:
        form.choice("cta", "cluster")
    return order


def _arrive(form: Form, b: Builder, *, drops: bool) -> Compiled:
    expects = form.flag("expect_tx")
    order = _semantics(form)
    no_complete = not expects and form.flag("noComplete")
    if not expects and not order:
        order = _semantics(form)
    space = form.option(*_SHARED)
    form.require("b64")
    if order == "acquire":
        form.error("expected '.release' or '.relaxed'")
    head, *operands = form.some_operands(2, 3)
    if space == "shared::cluster" and not isinstance(head, Sink):
        form.error("expected '_' as the state of a remote mbarrier")
    state = b.dst(head, B64)
    place = barrier_place(form, b, operands[0], space)
    if len(operands) < 2 and (expects or no_complete):
        form.error("expected a count")
    number = operands[1] if len(operands) > 1 else Immediate(1)
    if isinstance(number, Immediate) and number.value <= 0 and not expects:
        form.error(f"expected a count above 0, got {number.value}")
    values = b.src(number, U32)
    barriers = b.mbarriers

    def run(lanes: Lanes) -> None:
        amounts = values[lanes.index].astype(np.int64)
        ones = np.ones(lanes.count, np.int64)
        state[lanes.index] = barriers.arrive(
            lanes,
            place(lanes),
            ones if expects else amounts,
            tx=amounts if expects else None,
            drops=drops,
            releases=order != "relaxed",
        )

    return b.step(run, defines=True)


def _tx(form: Form, b: Builder, sign: int) -> Compiled:
    if form.flag("relaxed"):
        form.choice("cta", "cluster")
    space = form.option(*_SHARED)
    form.require("b64")
    x, size = form.operands(2)
    place, sizes = barrier_place(form, b, x, space), b.src(size, U32)

    def run(lanes: Lanes) -> None:
        amounts = sign * sizes[lanes.index].astype(np.int64)
        b.mbarriers.change_tx(lanes, place(lanes), amounts)

    return b.step(run)


def _wanted(form: Form, b: Builder, operand: Operand, *, by_parity: bool) -> Array:
    """A state, or a parity."""
    if not by_parity:
        return b.src(operand, B64)
    if isinstance(operand, Immediate) and operand.value not in (0, 1):
        form.error(f"expected 0 or 1 as the parity, got {operand.value}")
    return b.src(operand, U32)


def _noted(b: Builder, place: Callable[[Lanes], Offsets]) -> Callable[[Lanes], Offsets]:
    """Finds mbarriers that lanes wait for, and records it if that was asked for."""
    counters, at = b.machine.counters, b.at

    def find(lanes: Lanes) -> Offsets:
        cells = place(lanes)
        if counters.traffic is not None:
            counters.traffic.waits_for(at, lanes, cells)
        return cells

    return find


def _wait(form: Form, b: Builder, *, is_try: bool) -> Compiled:
    """test_wait and try_wait: whether the phase of a state, or a parity, is over."""
    by_parity = form.flag("parity")
    order = _semantics(form)
    if not by_parity:
        by_parity = form.flag("parity")
    space = form.option("shared", "shared::cta")
    form.require("b64")
    if order == "release":
        form.error("expected '.acquire' or '.relaxed'")
    operands = form.some_operands(3, 4 if is_try else 3)
    flag = b.dst(operands[0], PRED)
    place = barrier_place(form, b, operands[1], space)
    wanted = _wanted(form, b, operands[2], by_parity=by_parity)
    if len(operands) == 4:
        b.src(operands[3], U32)
    machine, barriers = b.machine, b.mbarriers
    noted = _noted(b, place)
    target = operands[0]
    defined = machine.defined[target] if isinstance(target, Register) else None

    def poll(lanes: Lanes, forced: bool) -> Bool:
        values = wanted[lanes.index]

        def is_done(phase: int, which: Array) -> Bool:
            if by_parity:
                return (values[which] & np.uint32(1)) != (phase & 1)
            return (values[which] >> np.uint64(20)) < np.uint64(phase)

        return barriers.poll(
            lanes, noted(lanes), is_done, forced=forced, acquires=order != "relaxed"
        )

    def finish(lanes: Lanes, result: bool) -> None:
        flag[lanes.index] = result
        if defined is not None:
            defined[lanes.index] = True

    def words(lanes: Lanes) -> str:
        return "; ".join(barriers.waiting_words(place(lanes)))

    return Wait(poll, finish, words, may_fail=True)
