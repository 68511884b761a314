# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of views, atomics and multicast memory on one choice of element types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from interp_build import TOKEN, Kernel, tile_of
from interp_check_moves import memory, raw_bytes
from interp_check_numbers import Check, add, is_finite, rounded
from interp_legal import Signature
from interp_types import (
    WIDTHS,
    decode,
    encode,
    numbers,
    patterns,
    read,
    round_to,
    sample,
    tile,
    width,
)

from cuda_tile.interp.program import TensorViewType, TileViewType
from cuda_tile.interp.values import InterpError
from cuda_tile.runtime.args import Multicast
from cuda_tile.runtime.elements import element

RELAXED: dict[str, Any] = {
    "memory_ordering_semantics": "relaxed",
    "memory_scope": "device",
}

# Views


def elements(array: np.ndarray, kind: str) -> list[int]:
    """The bit patterns in memory, two to a byte for 4-bit types."""
    raw = raw_bytes(array, kind)
    if width(kind) == 4:
        return [half for byte in raw[:, 0].tolist() for half in (byte & 15, byte >> 4)]
    return [int.from_bytes(bytes(row), "little") for row in raw]


def loaded(row: Signature, modes: list[str]) -> None:
    """`load_view_tko` and `store_view_tko`: (T, index, T) in some order."""
    _copy_tile(*_kinds(row))


def _kinds(row: Signature) -> tuple[str, str]:
    """Element type and index type of a load (view, index, tile) or a store."""
    first, second, third = row
    return (first, second) if first == third else (first, third)


def _copy_tile(
    kind: str,
    index: str,
    steps: tuple[int, ...] | None = None,
    sparse: int | None = None,
) -> None:
    k = Kernel(f"ptr<{kind}>", f"ptr<{kind}>")
    view, _ = k.view(
        k.parameters[0], (12,), (8,), steps=steps, sparse=sparse, padding="zero"
    )
    target, _ = k.view(k.parameters[1], (16,), (8,))
    one = k.constant(1, index)
    where = one if sparse is None else k.constant(np.arange(8) + 8, "i32")
    x, _ = k.load_view(view, [where])
    k.op("store_view_tko", [x], [target], [one], [], results=(TOKEN,))
    per = 2 if width(kind) == 4 else 1
    a, out = memory(kind, 12 // per, 1), memory(kind, 16 // per, 2)
    expected = elements(out, kind)
    start = 8 if steps is None else steps[0]
    expected[8:] = [*elements(a, kind)[start : start + 8], *[0] * 8][:8]
    k.run(a, out)
    assert elements(out, kind) == expected


def made(**how: Any) -> Check:
    """A view of each kind, shown by a load through it."""

    def check(row: Signature, modes: list[str]) -> None:
        _copy_tile(row[0], "i32", **how)

    return check


def sizes(row: Signature, modes: list[str]) -> None:
    """`make_tensor_view` reads its dynamic sizes; the shape ops give them back."""
    kind, count = _of_sizes(row)
    size = 1 if count == "i1" else 40
    k = Kernel(f"ptr<{kind}>")
    tensor = TensorViewType(element(kind), (None,), (1,))
    t = k.op(
        "make_tensor_view",
        [k.parameters[0]],
        [k.constant(size, count)],
        [],
        results=(tensor,),
    )
    (n,) = [k.op("get_tensor_shape", t, results=(tile_of(count),))]
    view = k.op(
        "make_partition_view",
        t,
        results=(TileViewType((8,), tensor, (0,), None, (8,), None),),
    )
    m = k.op("get_index_space_shape", view, results=(tile_of(count),))
    seen: list[int] = []

    def keep(op: Any, results: tuple[Any, ...]) -> None:
        if op.name in ("get_tensor_shape", "get_index_space_shape"):
            seen.extend(patterns(count, np.asarray(results[0])))

    mode = "strict"
    if element(kind).is_packed and size == 1:  # no even size but 0 fits an i1
        with pytest.raises(InterpError, match="an even size along one axis"):
            k.run(memory(kind, 40, 1))
        mode = "permissive"
    k.run(memory(kind, 40, 1), trace=keep, mode=mode)
    assert n.type == m.type
    assert seen == [size, -(-size // 8)]


def _of_sizes(row: Signature) -> tuple[str, str]:
    if row[0].startswith("ptr<"):  # make_tensor_view: pointer, size, elements
        return row[2], row[1]
    return row[0], row[1]


# Atomics


def flushed(bits: int) -> int:
    """An f32 with zero of its sign for a subnormal: so atomics add in memory."""
    return bits if bits & 0x7F800000 else bits & 0x80000000


def combined(mode: str, kind: str, old: int, arg: int) -> int:
    """What an atomic leaves in memory, as bits."""
    if mode == "xchg":
        return arg
    if mode in ("and", "or", "xor"):
        return {"and": old & arg, "or": old | arg, "xor": old ^ arg}[mode]
    if kind in WIDTHS:
        sign = "unsigned" if mode.startswith("u") else "signed"
        x, y = read(old, kind, sign), read(arg, kind, sign)
        function: dict[str, Callable[[int, int], int]] = {
            "add": lambda a, b: a + b,
            "max": max,
            "min": min,
            "umax": max,
            "umin": min,
        }
        return function[mode](x, y) & ((1 << WIDTHS[kind]) - 1)
    if mode == "addf" and kind == "f32":
        total = combined("add", kind, *map(flushed, (old, arg)))
        return flushed(total)
    a, b = decode(old, kind), decode(arg, kind)
    if mode in ("add", "addf"):
        total = add(a, b, "nearest_even")
        return encode(rounded(total, kind, "nearest_even"), kind)
    return encode(max(a, b) if mode == "max" else min(a, b), kind)


def finite(kind: str, count: int | tuple[int, ...], seed: int) -> np.ndarray:
    """A sample without infinities and NaN, whose bits would be open."""
    values = sample(kind, count, seed)
    if kind in WIDTHS:
        return values
    kept = [is_finite(x) for x in numbers(kind, values)]
    return np.where(kept, values, values.dtype.type(1))


def atomic_rmw(row: Signature, modes: list[str]) -> None:
    kind = row[1]
    for mode in modes:
        k = Kernel(f"ptr<{kind}>", f"ptr<{kind}>")
        before, arg = finite(kind, 16, 1), finite(kind, 16, 2)
        old, _ = k.op(
            "atomic_rmw_tko",
            [k.at(k.parameters[0], np.arange(16))],
            [k.constant(arg, kind)],
            [],
            [],
            results=(tile_of(kind, 16), TOKEN),
            mode=mode,
            **RELAXED,
        )
        k.output(k.parameters[1], old)
        after, out = before.copy(), np.zeros_like(before)
        k.run(after, out)
        pairs = zip(patterns(kind, before), patterns(kind, arg), strict=True)
        assert patterns(kind, out) == patterns(kind, before)
        assert patterns(kind, after) == [combined(mode, kind, *p) for p in pairs]


def atomic_cas(row: Signature, modes: list[str]) -> None:
    kind = row[1]
    before, new = sample(kind, 16, 1), sample(kind, 16, 2)
    cmp = before.copy()
    cmp[::2] = sample(kind, 16, 3)[::2]
    k = Kernel(f"ptr<{kind}>", f"ptr<{kind}>")
    old, _ = k.op(
        "atomic_cas_tko",
        [k.at(k.parameters[0], np.arange(16))],
        [k.constant(cmp, kind)],
        [k.constant(new, kind)],
        [],
        [],
        results=(tile_of(kind, 16), TOKEN),
        **RELAXED,
    )
    k.output(k.parameters[1], old)
    after, out = before.copy(), np.zeros_like(before)
    k.run(after, out)
    assert patterns(kind, out) == patterns(kind, before)
    rows = zip(*(patterns(kind, x) for x in (before, cmp, new)), strict=True)
    assert patterns(kind, after) == [n if b == c else b for b, c, n in rows]


def atomic_red(row: Signature, modes: list[str]) -> None:
    kind, index, _ = row
    for mode in modes:
        k = Kernel(f"ptr<{kind}>")
        before, arg = finite(kind, 12, 1), finite(kind, 8, 2)
        view, _ = k.view(k.parameters[0], (12,), (8,))
        k.op(
            "atomic_red_view_tko",
            [view],
            [k.constant(1, index)],
            [k.constant(arg, kind)],
            [],
            results=(TOKEN,),
            mode=mode,
            **RELAXED,
        )
        after = before.copy()
        k.run(after)
        expected = patterns(kind, before)
        for place, value in zip(range(8, 12), patterns(kind, arg), strict=False):
            expected[place] = combined(mode, kind, expected[place], value)
        assert patterns(kind, after) == expected


# Multicast memory


def multimem(name: str) -> Check:
    def check(row: Signature, modes: list[str]) -> None:
        kind, index = row[0], row[1] if name == "load_reduce" else row[2]
        for mode in modes or [""]:
            _multimem(name, kind, index, mode)

    return check


def moderate(kind: str, seed: int) -> np.ndarray:
    """12 elements whose sums stay in the range."""
    codes = np.random.default_rng(seed).integers(0, 1 << min(width(kind), 16), 12)
    if kind == "f8E8M0FNU":
        return tile(kind, codes.astype(np.uint64) % np.uint64(120))
    if kind in WIDTHS:
        return tile(kind, codes.astype(np.uint64))
    values = [round_to(float(c % 13 - 6) / 4, kind) for c in codes]
    return tile(kind, np.array([encode(v, kind) for v in values], np.uint64))


def in_memory(values: np.ndarray, kind: str) -> np.ndarray:
    """An array of the elements as an argument."""
    if width(kind) != 4:
        return values
    halves = np.array(patterns(kind, values), np.uint8)
    return halves[0::2] | halves[1::2] << np.uint8(4)


def _multimem(name: str, kind: str, index: str, mode: str) -> None:
    first, second, arg = (moderate(kind, seed) for seed in (1, 2, 3))
    arg = arg[:8]
    k = Kernel(f"ptr<{kind}>", f"ptr<{kind}>")
    view, _ = k.view(k.parameters[0], (12,), (8,), padding="zero")
    at = [k.constant(1, index)]
    attributes: dict[str, Any] = {"reduction": mode} if mode else {}
    value = [] if name == "load_reduce" else [k.constant(arg, kind)]
    made = k.op(
        f"multimem_{name}_view_tko",
        [view],
        *([value] if value else []),
        at,
        [],
        results=(TOKEN,) if value else (tile_of(kind, 8), TOKEN),
        **(attributes | ({} if name == "store" else RELAXED)),
    )
    if name == "load_reduce":
        target, _ = k.view(k.parameters[1], (16,), (8,))
        zero = k.constant(0, "i32")
        k.op("store_view_tko", [made[0]], [target], [zero], [], results=(TOKEN,))
    codes = [patterns(kind, x) for x in (first, second)]
    arrays = [in_memory(x, kind) for x in (first, second)]
    out = in_memory(tile(kind, np.zeros(16, np.uint64)), kind)
    k.run(Multicast.over(arrays), out)
    if name == "load_reduce":
        pairs = zip(*(c[8:] for c in codes), strict=True)
        assert elements(out, kind)[:4] == [_both(mode, kind, *p) for p in pairs]
        return
    for array, old in zip(arrays, codes, strict=True):
        new = [
            _both(mode, kind, o, v) if mode else v
            for o, v in zip(old[8:], patterns(kind, arg), strict=False)
        ]
        assert elements(array, kind) == old[:8] + new


def _both(mode: str, kind: str, old: int, arg: int) -> int:
    if kind != "f8E8M0FNU":
        return combined(mode, kind, old, arg)
    if mode == "add":  # a power of two, ties to the even code: 2^a + 2^b
        high, low = max(old, arg), min(old, arg)
        return high + 1 if high == low or (high - low == 1 and high % 2) else high
    return max(old, arg) if mode == "max" else min(old, arg)


CHECKS: dict[str, Check] = {
    "load_view_tko": loaded,
    "store_view_tko": loaded,
    "make_partition_view": made(),
    "make_strided_view": made(steps=(4,)),
    "make_gather_scatter_view": made(sparse=0),
    "make_tensor_view": sizes,
    "get_tensor_shape": sizes,
    "get_index_space_shape": sizes,
    "atomic_rmw_tko": atomic_rmw,
    "atomic_cas_tko": atomic_cas,
    "atomic_red_view_tko": atomic_red,
    "multimem_load_reduce_view_tko": multimem("load_reduce"),
    "multimem_reduce_view_tko": multimem("reduce"),
    "multimem_store_view_tko": multimem("store"),
}
"""The check of each op."""
