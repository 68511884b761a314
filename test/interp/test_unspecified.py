# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How unspecified elements propagate to results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from interp_build import TOKEN, Kernel, Val, tile_of

from cuda_tile.interp import Debugger
from cuda_tile.interp.predicates import Bounded
from cuda_tile.interp.program import TileType
from cuda_tile.runtime.elements import element


def lost(k: Kernel, kind: str, shape: tuple[int, ...], *where: tuple[int, ...]) -> Val:
    """A tile of zeros with unspecified elements."""
    mask = np.ones(shape, np.bool_)
    for place in where:
        mask[place] = False
    raw = element(kind).array_dtype.itemsize
    memory = k.op(
        "alloca", results=(tile_of(f"ptr<{kind}>"),), num_elem=mask.size, alignment=raw
    )
    at = k.at(memory, np.arange(mask.size, dtype=np.int32).reshape(shape))
    token = k.store(at, k.constant(np.zeros(shape), kind))
    return k.op(
        "load_ptr_tko", [at], [k.constant(mask, "i1")], [], [token],
        results=(TileType(shape, element(kind)), TOKEN),
        memory_ordering_semantics="weak",
    )[0]  # fmt: skip


def whole(k: Kernel, kind: str, *shape: int) -> Val:
    return k.constant(np.zeros(shape), kind)


def region(k: Kernel, op: str, *kinds: str) -> Any:
    """A body that combines each pair of scalars by `op`."""
    types = [tile_of(kind) for kind in kinds for _ in "xy"]
    with k.region(*types) as body:
        values = body.arguments
        pairs = zip(values[0::2], values[1::2], strict=True)
        k.op("yield", *[k.op(op, x, y, results=(x.type,)) for x, y in pairs])
    return body


@dataclass(frozen=True)
class Case:
    """An op on tiles with unspecified elements.

    Attributes:
        make: Adds the op and gives its (first) result.
        where: Indices of the elements that are unspecified then.
    """

    make: Callable[[Kernel], Any]
    where: list[tuple[int, ...]]


def op(
    name: str, *kinds: str, to: str, shape: tuple[int, ...] = (4,), **kw: Any
) -> Any:
    """An op whose operand i has element i unspecified, where its kind says `?`."""

    def make(k: Kernel) -> Any:
        values = [
            lost(k, kind[1:], (4,), (place,))
            if kind.startswith("?")
            else whole(k, kind, 4)
            for place, kind in enumerate(kinds)
        ]
        return k.op(name, *values, results=(tile_of(to, *shape),), **kw)

    return make


def select(cond: list[bool]) -> Callable[[Kernel], Any]:
    def make(k: Kernel) -> Any:
        sides = lost(k, "i32", (4,), (0,), (1,)), lost(k, "i32", (4,), (1,), (2,))
        chosen = k.constant(np.array(cond), "i1")
        return k.op("select", chosen, *sides, results=(tile_of("i32", 4),))

    return make


def move(name: str, shape: tuple[int, ...], *more: Any, **kw: Any) -> Any:
    """An op on a 2 x 4 tile of which element [1, 2] is unspecified."""

    def make(k: Kernel) -> Any:
        source = lost(k, "i32", (2, 4), (1, 2))
        others = [k.constant(value, "i32") for value in more]
        return k.op(name, source, *others, results=(tile_of("i32", *shape),), **kw)

    return make


def padded(k: Kernel) -> Any:
    """Elements 1 and 2 are masked off, 0 and 1 of the padding are unspecified."""
    memory = k.op("alloca", results=(tile_of("ptr<i32>"),), num_elem=4, alignment=4)
    at = k.at(memory, np.arange(4, dtype=np.int32))
    token = k.store(at, whole(k, "i32", 4))
    mask = k.constant(np.array([True, False, False, True]), "i1")
    padding = lost(k, "i32", (4,), (0,), (1,))
    return k.op(
        "load_ptr_tko", [at], [mask], [padding], [token],
        results=(tile_of("i32", 4), TOKEN), memory_ordering_semantics="weak",
    )[0]  # fmt: skip


def insert(k: Kernel) -> Any:
    part = lost(k, "i32", (2, 2), (0, 1))
    target = lost(k, "i32", (2, 4), (1, 0), (1, 3))
    zero, one = (k.constant(n, "i32") for n in (0, 1))
    return k.op("insert", part, target, zero, one, results=(tile_of("i32", 2, 4),))


def repack(kind: str, count: int) -> Callable[[Kernel], Any]:
    """Byte 1 of four, unpacked to `count` elements and packed again."""

    def make(k: Kernel) -> Any:
        bytes_ = lost(k, "i8", (4,), (1,))
        parts = k.op("unpack", bytes_, results=(tile_of(kind, count),))
        return k.op("pack", parts, results=(tile_of("i8", 4),))

    return make


def unpack(kind: str, count: int) -> Callable[[Kernel], Any]:
    def make(k: Kernel) -> Any:
        bytes_ = lost(k, "i8", (4,), (1,))
        return k.op("unpack", bytes_, results=(tile_of(kind, count),))

    return make


def folded(name: str, reverse: bool = False) -> Callable[[Kernel], Any]:
    """Two operands of 2 x 4, element [0, 1] of one and [1, 2] of the other lost."""

    def make(k: Kernel) -> Any:
        operands = lost(k, "i32", (2, 4), (0, 1)), lost(k, "i32", (2, 4), (1, 2))
        shape = (2, 4) if name == "scan" else (4 if reverse else 2,)
        kw: dict[str, Any] = {"dim": 1, "identities": [np.int32(0)] * 2}
        kw |= {"reverse": reverse} if name == "scan" else {"dim": 0 if reverse else 1}
        results = (tile_of("i32", *shape),) * 2
        body = region(k, "addi", "i32", "i32")
        return k.op(name, *operands, results=results, regions=(body,), **kw)[0]

    return make


def product(operand: int) -> Callable[[Kernel], Any]:
    """A product of 2 x 4 and 4 x 2; element [1, 0] of an operand is lost."""

    def make(k: Kernel) -> Any:
        shapes = ((2, 4), (4, 2), (2, 2))
        values = [
            lost(k, "f32", shape, (1, 0)) if n == operand else whole(k, "f32", *shape)
            for n, shape in enumerate(shapes)
        ]
        return k.op("mmaf", *values, results=(tile_of("f32", 2, 2),))

    return make


def scaled(operand: int) -> Callable[[Kernel], Any]:
    """A scaled product of 2 x 64 and 64 x 2; element [1, 1] of an operand is lost."""
    shapes = {
        "lhs": ("f8E5M2", (2, 64)), "rhs": ("f8E5M2", (64, 2)), "acc": ("f32", (2, 2)),
        "lhs_scale": ("f8E8M0FNU", (2, 2)), "rhs_scale": ("f8E8M0FNU", (2, 2)),
    }  # fmt: skip

    def make(k: Kernel) -> Any:
        values = [
            lost(k, kind, shape, (1, 1)) if n == operand else whole(k, kind, *shape)
            for n, (kind, shape) in enumerate(shapes.values())
        ]
        return k.op("mmaf_scaled", *values, results=(tile_of("f32", 2, 2),))

    return make


CASES = {
    "addi": Case(op("addi", "?i32", "?i32", to="i32"), [(0,), (1,)]),
    "fma": Case(op("fma", "f32", "?f32", "?f32", to="f32"), [(1,), (2,)]),
    "exti": Case(op("exti", "?i8", to="i32", signedness="signed"), [(0,)]),
    "assume": Case(op("assume", "?i32", to="i32", predicate=Bounded(0, 0)), [(0,)]),
    "select": Case(select([True, False, True, False]), [(0,), (1,)]),
    "select by": Case(op("select", "?i1", "i32", "i32", to="i32"), [(0,)]),
    "select the others": Case(select([False, False, False, True]), [(1,), (2,)]),
    "reshape": Case(move("reshape", (8,)), [(6,)]),
    "permute": Case(move("permute", (4, 2), permutation=(1, 0)), [(2, 1)]),
    "extract": Case(move("extract", (1, 2), 1, 1), [(0, 0)]),
    "extract the others": Case(move("extract", (1, 2), 0, 1), []),
    "cat": Case(move("cat", (2, 8), np.zeros((2, 4)), dim=1), [(1, 2)]),
    "padding": Case(padded, [(1,)]),
    "insert": Case(insert, [(0, 3), (1, 0)]),
    "unpack f4": Case(unpack("f4E2M1FN", 8), [(2,), (3,)]),
    "unpack i1": Case(unpack("i1", 32), [(n,) for n in range(8, 16)]),
    "unpack i16": Case(unpack("i16", 2), [(0,)]),
    "pack f4": Case(repack("f4E2M1FN", 8), [(1,)]),
    "pack i1": Case(repack("i1", 32), [(1,)]),
    "pack i16": Case(repack("i16", 2), [(0,), (1,)]),
    "reduce": Case(folded("reduce"), [(0,), (1,)]),
    "reduce the rows": Case(folded("reduce", True), [(1,), (2,)]),
    "scan": Case(folded("scan"), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]),
    "scan back": Case(folded("scan", True), [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]),
    "mmaf lhs": Case(product(0), [(1, 0), (1, 1)]),
    "mmaf rhs": Case(product(1), [(0, 0), (1, 0)]),
    "mmaf acc": Case(product(2), [(1, 0)]),
    "mmaf_scaled lhs": Case(scaled(0), [(1, 0), (1, 1)]),
    "mmaf_scaled rhs": Case(scaled(1), [(0, 1), (1, 1)]),
    "mmaf_scaled acc": Case(scaled(2), [(1, 1)]),
    "mmaf_scaled lhs_scale": Case(scaled(3), [(1, 0), (1, 1)]),
    "mmaf_scaled rhs_scale": Case(scaled(4), [(0, 1), (1, 1)]),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_unspecified_then(name: str) -> None:
    k = Kernel()
    result = CASES[name].make(k)
    debugger = Debugger(k.program(), grid=(1,), args=[])
    debugger.break_at(lambda op: result.slot in op.results)
    stop = debugger.run()
    assert stop is not None
    found = [tuple(place) for place in np.argwhere(stop.unspecified()).tolist()]
    assert found == CASES[name].where


def test_broken_promises_of_what_nobody_uses_are_no_error() -> None:
    """An unspecified element may hold anything: here a shift by more than the width."""
    k = Kernel()
    amount = lost(k, "i32", (4,), (2,))
    ones = k.constant(np.ones(4), "i32")
    k.op("shli", ones, amount, results=(tile_of("i32", 4),))
    k.run()


@pytest.mark.parametrize("is_store", [False, True])
def test_addresses_that_are_masked_off_may_be_unspecified(is_store: bool) -> None:
    k = Kernel("ptr<i32>")
    offsets = k.op(
        "addi",
        lost(k, "i32", (4,), (2,)),
        k.constant(np.arange(4), "i32"),
        results=(tile_of("i32", 4),),
    )
    at, mask = (
        k.at(k.parameters[0], offsets),
        k.constant(np.arange(4) != 2, "i1"),
    )
    values = whole(k, "i32", 4)
    if is_store:
        k.op(
            "store_ptr_tko", [at], [values], [mask], [], results=(TOKEN,),
            memory_ordering_semantics="weak",
        )  # fmt: skip
    else:
        k.op(
            "load_ptr_tko", [at], [mask], [values], [],
            results=(tile_of("i32", 4), TOKEN), memory_ordering_semantics="weak",
        )  # fmt: skip
    out = np.ones(4, np.int32)
    k.run(out)
    assert out.tolist() == ([0, 0, 1, 0] if is_store else [1] * 4)
