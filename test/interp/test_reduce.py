# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions in every order, with several operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_build import Kernel, tile_of
from interp_harness import DTYPES, evaluate, tile

ORDERS = ("tree", "left", "shuffle")


def reduce(
    a: np.ndarray, dim: int, op: str, identity: str, kind: str, **options: Any
) -> np.ndarray:
    shape = a.shape[:dim] + a.shape[dim + 1 :]
    body = f"""
      %r = reduce %a dim={dim} identities=[{identity} : {kind}]
        : {tile(a.shape, kind)} -> {tile(shape, kind)}
      (%x: tile<{kind}>, %y: tile<{kind}>) {{
        %z = {op} : tile<{kind}>
        yield %z : tile<{kind}>
      }}
    """
    return evaluate(body, {"r": (shape, kind)}, a=a, options=options)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("kind", ["i8", "i32", "i64"])
def test_integer_sums_are_exact(order: str, dim: int, kind: str) -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(-100, 100, (4, 8, 2)).astype(DTYPES[kind])
    got = reduce(a, dim, "addi %x, %y", "0", kind, order=order, seed=1)
    expected = a.astype(np.int64).sum(axis=dim).astype(a.dtype)
    assert got.tolist() == expected.tolist()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_maximum(order: str, kind: str) -> None:
    a = np.random.default_rng(3).standard_normal((8, 64)).astype(DTYPES[kind])
    infinity = {"f16": "0xFC00", "bf16": "0xFF80", "f32": "0xFF800000"}.get(
        kind, "0xFFF0000000000000"
    )
    got = reduce(a, 1, "maxf %x, %y", infinity, kind, order=order, seed=5)
    assert got.tolist() == a.max(axis=1).tolist()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("count", [1, 2, 32, 1024])
def test_float_sum(order: str, count: int) -> None:
    a = np.random.default_rng(4).standard_normal((2, count)).astype(np.float32)
    got = reduce(a, 1, "addf %x, %y", "0.0", "f32", order=order, seed=6)
    exact = a.astype(np.float64).sum(axis=1)
    assert np.abs(got - exact).max() <= count * 2.0**-24 * np.abs(a).sum(axis=1).max()


def test_left_order_starts_at_the_identity() -> None:
    a = np.array([1, 2, 3, 4], np.int32)
    assert int(reduce(a, 0, "subi %x, %y", "10", "i32", order="left")) == 12


def test_shuffle_shows_a_dependence_on_order() -> None:
    a = np.arange(16, dtype=np.int32)
    results = {int(reduce(a, 0, "subi %x, %y", "0", "i32", seed=s)) for s in range(8)}
    assert len(results) > 1


@pytest.mark.parametrize("order", ORDERS)
def test_argmax_carries_pairs(order: str) -> None:
    rng = np.random.default_rng(7)
    a = rng.integers(0, 10, (4, 64)).astype(np.float32)
    index = np.broadcast_to(np.arange(64, dtype=np.int32), (4, 64))
    body = """
      %v, %w = reduce %a, %i dim=1 identities=[0xFF800000 : f32, 0 : i32]
        : tile<4x64xf32>, tile<4x64xi32> -> tile<4xf32>, tile<4xi32>
      (%x: tile<f32>, %y: tile<f32>, %xi: tile<i32>, %yi: tile<i32>) {
        %gt = cmpf greater_than ordered %x, %y : tile<f32> -> tile<i1>
        %eq = cmpf equal ordered %x, %y : tile<f32> -> tile<i1>
        %lt = cmpi less_than %xi, %yi, signed : tile<i32> -> tile<i1>
        %tie = andi %eq, %lt : tile<i1>
        %first = ori %gt, %tie : tile<i1>
        %value = select %first, %x, %y : tile<i1>, tile<f32>
        %place = select %first, %xi, %yi : tile<i1>, tile<i32>
        yield %value, %place : tile<f32>, tile<i32>
      }
    """
    value, place = evaluate(
        body,
        {"v": ((4,), "f32"), "w": ((4,), "i32")},
        a=a,
        i=index,
        options={"order": order, "seed": 3},
    )
    assert place.tolist() == a.argmax(axis=1).tolist()
    assert value.tolist() == a.max(axis=1).tolist()


def composed(name: str, a: np.ndarray, b: np.ndarray, order: str, **kw: Any) -> Any:
    """Reduces or scans maps x -> a x + b by applying one after the other."""
    k = Kernel("ptr<i32>", "ptr<i32>")
    i32 = tile_of("i32")
    with k.region(i32, i32, i32, i32) as body:
        a1, a0, b1, b0 = body.arguments
        scale = k.op("muli", a1, a0, results=(i32,))
        moved = k.op("muli", a1, b0, results=(i32,))
        k.op("yield", scale, k.op("addi", moved, b1, results=(i32,)))
    kind = tile_of("i32", *(a.shape if name == "scan" else ()))
    results = k.op(
        name, k.constant(a, "i32"), k.constant(b, "i32"), results=(kind, kind),
        regions=(body,), dim=0, identities=[np.int32(1), np.int32(0)], **kw,
    )  # fmt: skip
    for pointer, result in zip(k.parameters, results, strict=True):
        k.output(pointer, result)
    out = [np.zeros(kind.shape or 1, np.int32) for _ in "ab"]
    k.run(*out, order=order)
    return [array.tolist() for array in out]


@pytest.mark.parametrize("order", ["tree", "left"])
@pytest.mark.parametrize("reverse", [False, True])
def test_what_is_only_associative_keeps_its_order(order: str, reverse: bool) -> None:
    """The first of a pair is the element, the second what came before it."""
    rng = np.random.default_rng(8)
    a, b = (rng.integers(-5, 6, 16).astype(np.int32) for _ in "ab")
    places = range(15, -1, -1) if reverse else range(16)
    scale, moved = 1, 0
    prefixes = [(0, 0)] * 16
    for place in places:
        scale, moved = int(a[place]) * scale, int(a[place]) * moved + int(b[place])
        prefixes[place] = scale, moved
    wrapped = (np.array(prefixes, object) % 2**32).astype(np.uint32).view(np.int32)
    scans, shifts = wrapped.T.tolist()
    assert composed("scan", a, b, order, reverse=reverse) == [scans, shifts]
    if not reverse:
        assert composed("reduce", a, b, order) == [[scans[-1]], [shifts[-1]]]


def test_constants_in_the_body() -> None:
    a = np.arange(8, dtype=np.float32).reshape(2, 4)
    body = """
      %r = reduce %a dim=1 identities=[0.0 : f32] : tile<2x4xf32> -> tile<2xf32>
      (%x: tile<f32>, %y: tile<f32>) {
        %zero = constant <f32: 0.0> : tile<f32>
        %s = addf %x, %y : tile<f32>
        %z = addf %s, %zero : tile<f32>
        yield %z : tile<f32>
      }
    """
    assert evaluate(body, {"r": ((2,), "f32")}, a=a).tolist() == [6, 22]
