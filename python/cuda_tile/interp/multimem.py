# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the multimem ops: one address for a location in several memories.

Memory is made by `runtime.args.Multicast`: the array passed to the kernel stands for
the address, its replicas for the location on each GPU. Any other address is its own
only replica, where the ops are a load, an atomic reduction and a store.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cuda_tile.interp import accesses
from cuda_tile.interp.atomic import MODES, reduce_into
from cuda_tile.interp.log import Addresses
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.memory import only, specified
from cuda_tile.interp.program import Op
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.tiling import natural, padding, place
from cuda_tile.interp.undefined import partial
from cuda_tile.interp.values import Mask, TileView, Token
from cuda_tile.runtime.elements import Element


def _mode(op: Op, kind: Element) -> str:
    mode = str(op.attributes["reduction"])
    return "addf" if mode == "add" and kind.kind == "float" else mode


def _replicas(
    run: TileBlock, op: Op, places: Addresses, kind: Element
) -> list[Addresses]:
    """The addresses in each replica, counted as `accesses` counts them."""
    if not places.size:
        return [places]
    per_byte = 2 if kind.is_packed else 1
    low, high = int(places.min()) // per_byte, int(places.max()) // per_byte
    for start, stop, bases in run.launch.replicas:
        if start <= low < stop:
            if high >= stop:
                run.fail(op, "the tile leaves the multicast memory")
            inner = places - np.uint64(start * per_byte)
            return [inner + np.uint64(base * per_byte) for base in bases]
    return [places]


def _clamped(places: Addresses, inside: Mask | None) -> Addresses:
    """Addresses of elements outside the tensor replaced by one inside."""
    if inside is None or not inside.any():
        return places
    return np.where(inside, places, places[inside][0])


@PARTIAL.register("multimem_load_reduce_view_tko")
@RULES.register("multimem_load_reduce_view_tko")
def load_reduce(run: TileBlock, op: Op, *operands: Any) -> tuple[Any, Token]:
    """Each element is the reduction of all replicas, first to last or shuffled."""
    views, indices, tokens = op.groups(operands)
    view: TileView = views[0]
    kind = view.tensor.element
    places, inside = place(run, op, view, natural(run, op, indices, 1))
    combine = MODES[_mode(op, kind)]
    fill = padding(run, view, kind)
    token = only(tokens) or Token()
    total: Any = None
    replicas = _replicas(run, op, _clamped(places, inside), kind)
    if run.launch.is_shuffled:
        order: list[int] = run.launch.random.permutation(len(replicas)).tolist()
        replicas = [replicas[place] for place in order]
    for replica in replicas:
        done = accesses.order(run, op, replica, inside, kind, token, is_write=False)
        token = token.join(done)
        values = accesses.read(run, op, replica, inside, kind, fill)
        total = values if total is None else combine(total, values, kind)
    if inside is None:
        return total, token
    result = np.where(inside, total, fill)
    if view.type.padding is not None or not run.launch.is_checked:
        return result, token
    return partial(result, ~inside), token


@PARTIAL.register("multimem_reduce_view_tko")
@RULES.register("multimem_reduce_view_tko")
def reduce(run: TileBlock, op: Op, *operands: Any) -> Token:
    """Each replica's element becomes `reduction(replica, value)` atomically."""
    views, tiles, indices, tokens = op.groups(operands)
    view: TileView = views[0]
    kind = view.tensor.element
    places, inside = place(run, op, view, natural(run, op, indices, 2))
    values = specified(run, op, tiles[0], inside, kind)
    token = only(tokens) or Token()
    for replica in _replicas(run, op, _clamped(places, inside), kind):
        _, done = reduce_into(
            run, op, replica, inside, kind, values, token, _mode(op, kind)
        )
        token = token.join(done)
    return token


@PARTIAL.register("multimem_store_view_tko")
@RULES.register("multimem_store_view_tko")
def store(run: TileBlock, op: Op, *operands: Any) -> Token:
    """Stores each element to every replica."""
    views, tiles, indices, tokens = op.groups(operands)
    view: TileView = views[0]
    kind = view.tensor.element
    places, inside = place(run, op, view, natural(run, op, indices, 2))
    values = specified(run, op, tiles[0], inside, kind)
    token = only(tokens) or Token()
    for replica in _replicas(run, op, _clamped(places, inside), kind):
        done = accesses.order(run, op, replica, inside, kind, token, is_write=True)
        accesses.write(run, op, replica, inside, kind, values)
        accesses.publish(run, op, replica, inside, done)
        token = token.join(done)
    return token
