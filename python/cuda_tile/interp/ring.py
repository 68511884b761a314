# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the ring family: slots of shared memory that are passed on in order.

A ring has four counters, `released <= taken <= published <= acquired <= released + S`,
and each of its ops advances one: an op for any other iteration than the next is an
error. Each iteration has buffers of its own here, so that acquired or released buffers
hold nothing. Reading a slot outside its take and release, or writing it outside its
acquire and publish, is an error that names both ops.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from cuda_tile.interp.flight import STEPS, Groups, Iteration, Late, Ring, of_role
from cuda_tile.interp.machine import Event, TileBlock
from cuda_tile.interp.program import BufferType, Op, RingType
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.values import Buffer, Mask, Pending
from cuda_tile.runtime.elements import Array, poison


def _check_iteration(run: TileBlock, op: Op, ring: Ring, iteration: Array) -> int:
    step = op.name.removeprefix("tileas.")
    number = int(run.defined(op, iteration, "the iteration"))
    if number != ring.counts[step]:
        run.fail(
            op,
            f"expected iteration {ring.counts[step]}, the next one to {step}, got "
            f"iteration {number}; {ring.describe()}",
        )
    return number


def _advance(
    run: TileBlock, op: Op, ring: Ring, number: int
) -> Generator[Event, None, Iteration]:
    """Waits until the counters allow the step of `op`, and counts it."""
    step = op.name.removeprefix("tileas.")
    before = STEPS[STEPS.index(step) - 1]
    behind = number - ring.kind.slots if step == "acquire" else number
    why = f"{step} of iteration {number} needs the {before} of iteration {behind}"
    if ring.may(step):
        pass
    elif step in ("acquire", "take"):
        state = f"{why}; {ring.describe()}"
        yield from run.wait_until(op, lambda: ring.may(step), state)
    else:
        run.fail(op, f"{why}, which has not run; {ring.describe()}")
    if step == "acquire":
        ring.iterations[number] = Iteration(ring, number)
    iteration = ring.iterations[number]
    ring.counts[step] += 1
    iteration.done[step] = op
    if run.launch.is_shuffled:
        run.flight.finish_some(run.launch.random)
    return iteration


@RULES.register("tileas.ring")
def ring_(run: TileBlock, op: Op) -> Ring:
    """A ring of empty slots; a copy into an older one of this op must be over."""
    kind = op.result_types[0]
    assert isinstance(kind, RingType), "ring gives a ring"
    run.flight.end_ring(run, op, is_reused=True)
    made = run.flight.rings[op] = Ring(op, kind)
    return made


def _fresh(kind: BufferType, iteration: Iteration) -> Buffer:
    data = poison(kind.shape, kind.element)
    return Buffer(data, np.zeros(kind.shape, np.bool_), iteration=iteration)


@PARTIAL.register("tileas.acquire")
@RULES.register("tileas.acquire")
def acquire(run: TileBlock, op: Op, ring: Ring, iteration: Array) -> Any:
    """Buffers that hold nothing."""
    number = _check_iteration(run, op, ring, iteration)

    def steps() -> Generator[Event, None, tuple[Buffer, ...]]:
        now = yield from _advance(run, op, ring, number)
        now.buffers = tuple(_fresh(kind, now) for kind in ring.kind.buffers)
        return now.buffers

    return steps()


@PARTIAL.register("tileas.publish")
@RULES.register("tileas.publish")
def publish(run: TileBlock, op: Op, ring: Ring, iteration: Array) -> Any:
    """The copies into the slot become a group, where the ring waits by groups."""
    number = _check_iteration(run, op, ring, iteration)

    def steps() -> Generator[Event, None, tuple[()]]:
        yield from _advance(run, op, ring, number)
        if ring.waits_by_groups:
            of_role(run.flight.copies, run.role).commit()
        return ()

    return steps()


@PARTIAL.register("tileas.take")
@RULES.register("tileas.take")
def take(run: TileBlock, op: Op, ring: Ring, iteration: Array) -> Any:
    """The buffers, after all copies into them are complete."""
    number = _check_iteration(run, op, ring, iteration)

    def steps() -> Generator[Event, None, tuple[Buffer, ...]]:
        now = yield from _advance(run, op, ring, number)
        younger = op.attributes.get("groups")
        if younger is not None and ring.waits_by_groups:
            groups = of_role(run.flight.copies, run.role)
            _cover(run, op, groups, now.copies, younger)
        for copy in now.copies:
            copy.finish()
        return now.buffers

    return steps()


@PARTIAL.register("tileas.release")
@RULES.register("tileas.release")
def release(
    run: TileBlock, op: Op, ring: Ring, iteration: Array, *after: Pending
) -> Any:
    """Runs the products that it waits for; the buffers hold nothing afterwards."""
    number = _check_iteration(run, op, ring, iteration)

    def steps() -> Generator[Event, None, tuple[()]]:
        complete(run, op, after)
        now = yield from _advance(run, op, ring, number)
        for buffer, kind in zip(now.buffers, ring.kind.buffers, strict=True):
            buffer.data[...] = poison(kind.shape, kind.element)
            buffer.written[...] = False
        del ring.iterations[number]
        return ()

    return steps()


def complete(run: TileBlock, op: Op, pending: tuple[Pending, ...]) -> None:
    """Waits for products: all older ones of the role run too.

    Args:
        run: The tile block.
        op: The op that waits; its `groups` is the number that may stay in flight.
        pending: The values that must be complete afterwards.
    """
    groups = of_role(run.flight.products, run.role)
    works = [value.work for value in pending if value.work is not None]
    younger = op.attributes.get("groups")
    if younger is not None:
        _cover(run, op, groups, works, younger)
        return
    if any(not work.is_done for work in works):
        needed = [i for i, group in enumerate(groups.committed) if group[0] in works]
        groups.wait(len(groups.committed) - 1 - max(needed, default=-1))
    for work in works:  # of another role
        work.finish()


def _cover(
    run: TileBlock, op: Op, groups: Groups, works: list[Late], younger: int
) -> None:
    """Waits for all but so many groups, which must be enough."""
    groups.wait(younger)
    younger_work = [w for group in (*groups.committed, groups.open) for w in group]
    uncovered = [work for work in works if work in younger_work]
    if uncovered:
        late = uncovered[0].op
        run.fail(
            op,
            f"waits for all but {younger} groups, and what '{late.name}' at "
            f"{late.location} started is among the {younger} youngest",
        )


def contents(run: TileBlock, op: Op, buffer: Buffer) -> tuple[Array, Mask]:
    """The contents of a buffer, and the op that wrote them.

    Raises:
        InterpError: (checked) The buffer is a slot outside its take and release.
    """
    iteration = buffer.iteration
    is_held = (
        not isinstance(iteration, Iteration)
        or ("take" in iteration.done and "release" not in iteration.done)
        or not run.launch.is_checked
    )
    if not is_held:
        run.fail(
            op,
            f"reads the slot of iteration {iteration.number} {iteration.state()}; it "
            f"may be read between its take and its release; "
            f"{iteration.ring.describe()}",
        )
    return buffer.elements()


def fill(run: TileBlock, op: Op, buffer: Buffer, values: Array, written: Mask) -> None:
    """Stores to a whole buffer.

    Raises:
        InterpError: (checked) It is a slot outside its acquire and publish.
    """
    check_fill(run, op, buffer)
    buffer.store(values, written)


def check_fill(run: TileBlock, op: Op, buffer: Buffer) -> None:
    """Fails (checked) where a slot is filled outside its acquire and publish."""
    iteration = buffer.iteration
    if (
        isinstance(iteration, Iteration)
        and run.launch.is_checked
        and "publish" in iteration.done
    ):
        run.fail(
            op,
            f"writes the slot of iteration {iteration.number} {iteration.state()}; it "
            f"may be written between its acquire and its publish; "
            f"{iteration.ring.describe()}",
        )
