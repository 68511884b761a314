# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scans: every order, both directions, several operands, unspecified elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_build import Kernel, tile_of
from interp_harness import DTYPES

from cuda_tile.interp import InterpError

ORDERS = ("tree", "left", "swapped", "shuffle")


def scan(
    a: np.ndarray, kind: str, dim: int = 0, body: str = "addi", **options: Any
) -> np.ndarray:
    reverse = options.pop("reverse", False)
    identity = options.pop("identity", 0)
    k = Kernel(f"ptr<{kind}>")
    x = k.constant(a, kind)
    with k.region(tile_of(kind), tile_of(kind)) as region:
        total = k.op(body, *region.arguments, results=(tile_of(kind),))
        k.op("yield", total)
    identities = [np.asarray(identity).astype(DTYPES[kind])]
    y = k.op(
        "scan",
        x,
        results=(tile_of(kind, *a.shape),),
        regions=(region,),
        dim=dim,
        reverse=reverse,
        identities=identities,
    )
    k.output(k.parameters[0], y)
    out = np.zeros(a.shape, DTYPES[kind])
    k.run(out, **options)
    return out


@pytest.mark.parametrize("order", ORDERS)
def test_the_sums_of_the_text(order: str) -> None:
    a = np.array([1, 2, 3, 4])
    options: dict[str, Any] = {"order": order, "seed": 2}
    assert scan(a, "i32", **options).tolist() == [1, 3, 6, 10]
    assert scan(a, "i32", reverse=True, **options).tolist() == [10, 9, 7, 4]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", ["i8", "i32", "i64"])
def test_integer_sums(order: str, dim: int, reverse: bool, kind: str) -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(-100, 100, (4, 16, 2)).astype(DTYPES[kind])
    for seed in range(3):
        got = scan(a, kind, dim, reverse=reverse, order=order, seed=seed)
        wide = np.flip(a, dim) if reverse else a
        sums = np.cumsum(wide.astype(np.int64), axis=dim).astype(a.dtype)
        expected = np.flip(sums, dim) if reverse else sums
        assert got.tolist() == expected.tolist()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_running_maximum(order: str, kind: str) -> None:
    a = np.random.default_rng(2).standard_normal((2, 64)).astype(DTYPES[kind])
    got = scan(a, kind, 1, "maxf", identity=-np.inf, order=order, seed=3)
    expected = np.maximum.accumulate(a.astype(np.float64), axis=1)
    assert got.astype(np.float64).tolist() == expected.tolist()


def test_swapped_arguments_show_what_is_not_commutative() -> None:
    a = np.array([1, 2, 3])
    first = scan(a, "i32", body="subi", order="left")
    second = scan(a, "i32", body="subi", order="swapped")
    assert first.tolist() == [1, 1, 2]  # element - accumulator
    assert second.tolist() == [-1, -3, -6]


@pytest.mark.parametrize("order", ORDERS)
def test_two_operands_travel_together(order: str) -> None:
    rng = np.random.default_rng(4)
    a = rng.integers(0, 50, 64).astype(np.int32)
    i32, i1 = tile_of("i32"), tile_of("i1")
    k = Kernel("ptr<i32>", "ptr<i32>")
    with k.region(i32, i32, i32, i32) as region:
        x, y, xi, yi = region.arguments
        kw: dict[str, Any] = {"signedness": "signed"}
        more = k.op(
            "cmpi", x, y, results=(i1,), comparison_predicate="greater_than", **kw
        )
        same = k.op("cmpi", x, y, results=(i1,), comparison_predicate="equal", **kw)
        less = k.op(
            "cmpi", xi, yi, results=(i1,), comparison_predicate="less_than", **kw
        )
        tie = k.op("andi", same, less, results=(i1,))
        pick = k.op("ori", more, tie, results=(i1,))
        k.op(
            "yield",
            k.op("select", pick, x, y, results=(i32,)),
            k.op("select", pick, xi, yi, results=(i32,)),
        )
    value, place = k.op(
        "scan",
        k.constant(a, "i32"),
        k.constant(np.arange(64), "i32"),
        results=(tile_of("i32", 64), tile_of("i32", 64)),
        regions=(region,),
        dim=0,
        reverse=False,
        identities=[np.int32(-1), np.int32(1000)],
    )
    k.output(k.parameters[0], value)
    k.output(k.parameters[1], place)
    values, places = np.zeros(64, np.int32), np.zeros(64, np.int32)
    k.run(values, places, order=order, seed=5)
    assert values.tolist() == np.maximum.accumulate(a).tolist()
    assert places.tolist() == [int(np.argmax(a[: i + 1])) for i in range(64)]


@pytest.mark.parametrize("reverse", [False, True])
def test_unspecified_elements_spread_along_the_scan(reverse: bool) -> None:
    k = Kernel("ptr<f32>", "ptr<f32>")
    zero = k.constant(0, "i32")
    view, _ = k.view(k.parameters[0], (5,), (8,))
    x, _ = k.load_view(view, [zero])
    f32 = tile_of("f32")
    with k.region(f32, f32) as region:
        k.op("yield", k.op("addf", *region.arguments, results=(f32,)))
    y = k.op(
        "scan",
        x,
        results=(tile_of("f32", 8),),
        regions=(region,),
        dim=0,
        reverse=reverse,
        identities=[np.float32(0)],
    )
    part = k.op("extract", y, zero, results=(tile_of("f32", 4),))
    k.output(k.parameters[1], part)
    a, out = np.ones(5, np.float32), np.zeros(4, np.float32)
    if reverse:
        with pytest.raises(InterpError, match="the stored value is unspecified"):
            k.run(a, out)
    else:
        k.run(a, out)
        assert out.tolist() == [1, 2, 3, 4]
