# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX ISA: "Data Movement and Conversion Instructions: Asynchronous copy"."""

from __future__ import annotations

import numpy as np

from cuda_tile.emulator.isa.bulk import bulk
from cuda_tile.emulator.isa.chapter import Chapter
from cuda_tile.emulator.isa.mbarrier import barrier_place
from cuda_tile.emulator.isa.move import take_space
from cuda_tile.emulator.machine.build import Builder
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.memory.spaces import WINDOW_MASK
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Immediate, Negated, Register
from cuda_tile.emulator.ptx.types import B64, PRED, U32
from cuda_tile.emulator.threads.lanes import Lanes

CHAPTER = Chapter("Data Movement and Conversion Instructions: Asynchronous copy")


@CHAPTER.instruction("cp")
def cp(form: Form, b: Builder) -> Compiled:
    """cp.async, cp.async.bulk, cp.reduce.async.bulk and their groups."""
    reduces = form.flag("reduce")
    form.require("async")
    if form.flag("bulk"):
        return bulk(form, b, reduces=reduces)
    if reduces:
        form.fail("'.bulk'")
    if form.flag("mbarrier"):
        return _mbarrier_arrive(form, b)
    if form.flag("commit_group"):
        form.operands(0)
        return b.step(b.copies.commit)
    copies, at = b.copies, b.at
    if form.flag("wait_all"):
        form.operands(0)
        return b.step(lambda lanes: copies.wait(at, lanes, 0, everything=True))
    if form.flag("wait_group"):
        (count,) = form.operands(1)
        pending = b.groups(count)
        return b.step(lambda lanes: copies.wait(at, lanes, pending))
    return _cp_async(form, b)


def _mbarrier_arrive(form: Form, b: Builder) -> Compiled:
    """cp.async.mbarrier.arrive: arrives once the thread's cp.async are complete."""
    form.require("arrive")
    counts = not form.flag("noinc")
    space = form.option("shared", "shared::cta")
    form.require("b64")
    (x,) = form.operands(1)
    place, at = barrier_place(form, b, x, space), b.at
    copies, barriers = b.copies, b.mbarriers

    def run(lanes: Lanes) -> None:
        cells = place(lanes)
        for cell in np.unique(cells):
            some = Lanes(lanes.numbers[cells == cell], b.machine.n_lanes)
            barriers.start_arrival(
                some, int(cell), at, copies.prior(some), counts=counts
            )

    return b.step(run)


def _cp_async(form: Form, b: Builder) -> Compiled:
    """cp.async: copies 4, 8 or 16 bytes; fewer source bytes leave the rest zero."""
    cache = form.choice("ca", "cg")
    if take_space(form) != "shared":
        form.fail("'.shared' or '.shared::cta'")
    form.require("global")
    has_policy = form.flag("L2::cache_hint")
    form.option("L2::64B", "L2::128B", "L2::256B")
    operands = list(form.some_operands(3 + has_policy, 4 + has_policy))
    if has_policy:
        b.src(operands.pop(), B64)
    size = b.integer(operands[2], "a constant size")
    if size not in ((16,) if cache == "cg" else (4, 8, 16)):
        form.error(f"expected a size of 16 bytes (or 4 or 8 with .ca), got {size}")
    target = b.address(operands[0], "shared")
    origin = b.address(operands[1], "global")
    rest = operands[3] if len(operands) > 3 else Immediate(size)
    if isinstance(rest, Immediate) and not 0 <= rest.value <= size:
        form.error(f"expected a source size from 0 to {size}, got {rest.value}")
    is_ignored = isinstance(rest, Negated) or (
        isinstance(rest, Register) and rest.type is PRED
    )
    skip = b.pred(rest) if is_ignored else None
    flip = isinstance(rest, Negated)
    amounts = b.src(rest, U32) if not is_ignored else None
    machine, spaces, copies, at = b.machine, b.spaces, b.copies, b.at

    def run(lanes: Lanes) -> None:
        where = target(lanes) & np.uint64(WINDOW_MASK)
        spaces.check_alignment(lanes, where, size)
        offsets = spaces.shared_offsets(lanes, where, size, "store").copy()
        machine.counters.shared_access(at, lanes, where.view(np.int64), size, None)
        if amounts is not None:
            count = np.minimum(amounts[lanes.index], size).astype(np.intp)
        else:
            assert skip is not None, "one of the two operands stands"
            count = np.where(skip[lanes.index] ^ flip, 0, size)
        data = np.zeros((lanes.count, size), np.uint8)
        origins = origin(lanes)
        for amount in np.unique(count):
            if amount:
                mask = count == amount
                some = (
                    lanes
                    if mask.all()
                    else Lanes(lanes.numbers[mask], len(machine.live))
                )
                spaces.check_alignment(some, origins[mask], size)
                where_from, taken = origins[mask], int(amount)
                machine.counters.global_access(at, some, where_from, taken, "copy_in")
                if machine.global_shadow is not None:
                    machine.global_shadow.read(at, some, where_from, taken, order=None)
                data[mask, :amount] = spaces.load_bytes(some, where_from, taken)
        copies.issue(at, lanes, offsets, data)

    return b.step(run)
