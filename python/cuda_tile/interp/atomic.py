# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules of the atomic family: one element is one step of read, change and write."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial as bound
from typing import Any

import numpy as np

from cuda_tile.interp import accesses, arithmetic, decisions, exact
from cuda_tile.interp.float import CANONICAL_NAN_BITS, canonical_nan, flush, number
from cuda_tile.interp.machine import TileBlock
from cuda_tile.interp.memory import active_elements, addresses, only, specified
from cuda_tile.interp.program import Op
from cuda_tile.interp.rounding import round_to, to_odd, two_sum, widen
from cuda_tile.interp.table import PARTIAL, RULES
from cuda_tile.interp.undefined import partial
from cuda_tile.interp.values import Partial, Token
from cuda_tile.interp.words import reading, unsigned, wrap
from cuda_tile.runtime.elements import Array, Element, to_memory

Combine = Callable[[Array, Array, Element], Array]
"""New memory from old memory and the operand."""


def _add(old: Array, arg: Array, kind: Element) -> Array:
    return wrap(unsigned(old, kind) + unsigned(arg, kind), kind)


def _addf(old: Array, arg: Array, kind: Element) -> Array:
    if kind.name == "f32" and decisions.ATOMIC_ADDF_FLUSHES_F32:
        return flush(arithmetic.add(flush(old), flush(arg), kind, "nearest_even"))
    if kind.name not in CANONICAL_NAN_BITS:  # formats of multimem reductions only
        return round_to(to_odd(*two_sum(widen(old), widen(arg))), kind)
    return arithmetic.add(old, arg, kind, "nearest_even")


def _extreme(choose: Callable[..., Array], signedness: str) -> Combine:
    def combine(old: Array, arg: Array, kind: Element) -> Array:
        if kind.kind == "float":  # multimem reductions only
            chosen = number(choose, widen(old), widen(arg)).astype(kind.dtype)
            if kind.name not in CANONICAL_NAN_BITS:
                return chosen
            is_nan = np.isnan(widen(old)) & np.isnan(widen(arg))
            return np.where(is_nan, canonical_nan(kind), chosen)
        return wrap(
            choose(reading(old, kind, signedness), reading(arg, kind, signedness)), kind
        )

    return combine


MODES: dict[str, Combine] = {
    "and": lambda old, arg, kind: np.bitwise_and(old, arg),
    "or": lambda old, arg, kind: np.bitwise_or(old, arg),
    "xor": lambda old, arg, kind: np.bitwise_xor(old, arg),
    "add": _add,
    "addf": _addf,
    "max": _extreme(np.fmax, "signed"),
    "min": _extreme(np.fmin, "signed"),
    "umax": _extreme(np.fmax, "unsigned"),
    "umin": _extreme(np.fmin, "unsigned"),
    "xchg": lambda old, arg, kind: arg,
}
"""What each mode of a read-modify-write leaves in memory."""


@PARTIAL.register("atomic_rmw_tko")
@RULES.register("atomic_rmw_tko")
def atomic_rmw_tko(run: TileBlock, op: Op, *operands: Any) -> tuple[Any, Token]:
    """The old values; a masked-off element is unspecified."""
    pointers, arg, masks, tokens = op.groups(operands)
    kind = op.tile().element
    active = active_elements(run, op, only(masks))
    places = addresses(run, op, pointers[0], active, kind)
    values = specified(run, op, arg[0], active, kind)
    old, token = reduce_into(
        run, op, places, active, kind, values, only(tokens), op.attributes["mode"]
    )
    if active is None:
        return old, token
    result = np.where(active, old, run.unspecified(old.shape, kind))
    return (partial(result, ~active) if run.launch.is_checked else result), token


def reduce_into(
    run: TileBlock,
    op: Op,
    places: Array,
    active: Array | None,
    kind: Element,
    values: Array,
    token: Token | None,
    mode: str,
) -> tuple[Array, Token]:
    """Changes memory by `mode` element by element; gives old values and the token."""
    flat = np.ascontiguousarray(values).reshape(-1)
    algebra, combine = run.launch.algebra, MODES[mode]
    if algebra is not None and mode == "addf":
        combine = bound(exact.add, algebra)

    def change(old: Array, which: Any) -> tuple[Array, None]:
        return combine(old, flat[which], kind), None

    done = accesses.order(run, op, places, active, kind, token, is_write=True)
    old, _ = accesses.update(run, op, places, active, kind, change)
    accesses.publish(run, op, places, active, done)
    return old, done


@PARTIAL.register("atomic_cas_tko")
@RULES.register("atomic_cas_tko")
def atomic_cas_tko(run: TileBlock, op: Op, *operands: Any) -> tuple[Any, Token]:
    """Stores where memory has the bits of `cmp`; gives the old values.

    A masked-off element gives its `cmp`. Bits are compared: -0 differs from +0, and
    a NaN equals the same NaN.
    """
    pointers, cmp, val, masks, tokens = op.groups(operands)
    kind = op.tile().element
    active = active_elements(run, op, only(masks))
    places = addresses(run, op, pointers[0], active, kind)
    expected = specified(run, op, cmp[0], active, kind)
    value = specified(run, op, val[0], active, kind)
    wanted = to_memory(expected, kind)
    flat = np.ascontiguousarray(value).reshape(-1)

    def change(old: Array, which: Any) -> tuple[Array, Array]:
        same = (to_memory(old, kind) == wanted[which]).all(axis=1)
        return flat[which], same

    done = accesses.order(run, op, places, active, kind, only(tokens), is_write=True)
    old, stored = accesses.update(run, op, places, active, kind, change)
    accesses.publish(run, op, places, stored, done)
    if active is None:
        return old, done
    if decisions.MASKED_CAS_GIVES_CMP and not isinstance(cmp[0], Partial):
        return np.where(active, old, expected), done
    return partial(np.where(active, old, expected), ~active), done
