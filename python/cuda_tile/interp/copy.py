# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the copy family: copies between global and shared memory.

A copy to a slot of a ring is delayed until its iteration is taken, a store from a
buffer until it is awaited; under a seed they happen at a random moment before. A copy
to another buffer happens at once. Conflicts with other accesses are judged where the
copy starts: its token says what comes before and after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cuda_tile.interp import accesses
from cuda_tile.interp.flight import Iteration, Late, of_role
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.memory import active_elements, addresses, only
from cuda_tile.interp.program import BufferType, Op
from cuda_tile.interp.ring import check_fill, contents
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.tiling import natural, padding, place
from cuda_tile.interp.undefined import partial
from cuda_tile.interp.values import Buffer, TileView, Token
from cuda_tile.runtime.elements import Array


def _start(run: TileBlock, op: Op, buffer: Buffer, land: Callable[[], None]) -> None:
    """Lets a copy happen some time before its iteration is taken, or now."""
    check_fill(run, op, buffer)
    iteration = buffer.iteration
    if not isinstance(iteration, Iteration):
        land()
        return
    work = Late(op, land)
    iteration.copies.append(work)
    if iteration.ring.waits_by_groups:
        of_role(run.flight.copies, run.role).open.append(work)
    else:
        run.flight.loose.append(work)
    if run.launch.is_shuffled:
        run.flight.finish_some(run.launch.random)


@PARTIAL.register("tileas.copy_in")
@RULES.register("tileas.copy_in")
def copy_in(run: TileBlock, op: Op, *operands: Any) -> Token:
    """Does the work of `load_view_tko` and `store_shared`."""
    views, indices, tokens, buffers = op.groups(operands)
    view: TileView = views[0]
    kind = view.tensor.element
    places, inside = place(run, op, view, natural(run, op, indices, 1))
    token = accesses.order(run, op, places, inside, kind, only(tokens), is_write=False)

    def land() -> None:
        fill = padding(run, view, kind)
        values = accesses.read(run, op, places, inside, kind, fill)
        unset = accesses.unwritten(run, places, inside, kind)
        lost = np.zeros(places.shape, np.bool_) if unset is None else unset
        if inside is not None and view.type.padding is None:
            lost = lost | ~inside
        buffers[0].store(values, ~lost)

    _start(run, op, buffers[0], land)
    return token


@PARTIAL.register("tileas.gather_in")
@RULES.register("tileas.gather_in")
def gather_in(run: TileBlock, op: Op, *operands: Any) -> Token:
    """Does the work of `load_ptr_tko` with zeros as padding, and `store_shared`."""
    sources, masks, tokens, buffers = op.groups(operands)
    into = op.operand_types[-1]
    assert isinstance(into, BufferType), "gather_in fills a buffer"
    kind = into.element
    active = active_elements(run, op, only(masks))
    pointers = addresses(run, op, sources[0], active, kind)
    token = accesses.order(
        run, op, pointers, active, kind, only(tokens), is_write=False
    )

    def land() -> None:
        zeros = np.zeros(pointers.shape, kind.dtype)
        values = accesses.read(run, op, pointers, active, kind, zeros)
        unset = accesses.unwritten(run, pointers, active, kind)
        written = np.ones(pointers.shape, np.bool_) if unset is None else ~unset
        buffers[0].store(values, written)

    _start(run, op, buffers[0], land)
    return token


@PARTIAL.register("tileas.copy_out")
@RULES.register("tileas.copy_out")
def copy_out(run: TileBlock, op: Op, *operands: Any) -> Token:
    """Does the work of `load_shared` and `store_view_tko`, each some time later."""
    buffers, views, indices, tokens = op.groups(operands)
    view: TileView = views[0]
    kind = view.tensor.element
    places, inside = place(run, op, view, natural(run, op, indices, 2))
    contents(run, op, buffers[0])
    token = accesses.order(run, op, places, inside, kind, only(tokens), is_write=True)
    held: list[Array] = []

    def read() -> None:
        values, written = contents(run, op, buffers[0])
        lost = ~written if inside is None else ~written & inside
        if run.launch.is_checked:
            run.defined(op, partial(values, lost), "the stored value")
        held.append(values.copy())

    reads = Late(op, read)

    def write() -> None:
        reads.finish()
        accesses.write(run, op, places, inside, kind, held[0])

    of_role(run.flight.reads, run.role).start(reads)
    of_role(run.flight.writes, run.role).start(Late(op, write))
    if run.launch.is_shuffled:
        run.flight.finish_some(run.launch.random)
    return token


@RULES.register("tileas.await_copies")
def await_copies(run: TileBlock, op: Op) -> None:
    """Waits until stores from buffers have read these, or have written."""
    younger = op.attributes.get("groups", 0)
    of_role(run.flight.reads, run.role).wait(younger)
    if not op.attributes.get("read"):
        of_role(run.flight.writes, run.role).wait(younger)


def tile_of(run: TileBlock, op: Op, buffer: Buffer) -> Any:
    """The contents of a buffer as a tile, unspecified where nothing was stored."""
    data, written = contents(run, op, buffer)
    return partial(data.copy(), ~written) if run.launch.is_checked else data.copy()
