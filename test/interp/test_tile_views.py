# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strided and gather_scatter views, and multicast memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_build import TOKEN, Kernel, tile_of
from interp_harness import DTYPES

from cuda_tile.errors import UserError
from cuda_tile.interp import InterpError
from cuda_tile.runtime.args import Multicast

I32 = tile_of("i32")


def load(
    a: np.ndarray,
    tile: tuple[int, ...],
    index: list[Any],
    mode: str = "strict",
    inbounds: tuple[bool, ...] = (),
    *,
    wide: bool = False,
    **kw: Any,
) -> np.ndarray:
    """The tile of `a` at an index, of i32 or, if wide, i64."""
    k = Kernel("ptr<f32>", "ptr<f32>")
    view, _ = k.view(k.parameters[0], a.shape, tile, **kw)
    places = [k.constant(i, "i64" if wide else "i32") for i in index]
    x, _ = k.load_view(view, places, inbounds=inbounds)
    k.output(k.parameters[1], x)
    out = np.zeros(tile, np.float32)
    k.run(a, out, mode=mode)
    return out


def matrix(*shape: int) -> np.ndarray:
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def test_padding_of_a_partition() -> None:
    got = load(matrix(8, 2), (1, 4), [1, 0], padding="nan")
    np.testing.assert_array_equal(got, [[2, 3, np.nan, np.nan]])


@pytest.mark.parametrize("index", [(0, 0), (3, 2), (15, 5), (1, 1)])
@pytest.mark.parametrize("dim_map", [(0, 1), (1, 0)])
def test_strided_tiles_overlap(
    index: tuple[int, int], dim_map: tuple[int, int]
) -> None:
    a = matrix(64, 64)
    got = load(a, (4, 2), [*index], steps=(4, 3), dim_map=dim_map, padding="zero")
    rows, columns = index[0] * 4 + np.arange(4), index[1] * 3 + np.arange(2)
    source = a if dim_map == (0, 1) else a.T
    assert got.tolist() == source[np.ix_(rows, columns)].tolist()


def space(shape: tuple[int, ...], tile: tuple[int, ...], **kw: Any) -> list[int]:
    k = Kernel("ptr<f32>", "ptr<i32>")
    view, _ = k.view(k.parameters[0], shape, tile, **kw)
    sizes = k.op("get_index_space_shape", view, results=(I32,) * len(tile))
    for place, size in enumerate(sizes):
        k.store(k.at(k.parameters[1], place), size)
    out = np.zeros(len(tile), np.int32)
    k.run(np.zeros(1, np.float32), out)
    return out.tolist()


def test_index_spaces() -> None:
    assert space((64, 16), (4, 2)) == [16, 8]
    assert space((64, 16), (4, 2), dim_map=(1, 0)) == [4, 32]
    assert space((64, 16), (4, 2), steps=(4, 3)) == [16, 6]
    assert space((64, 16), (4, 2), steps=(4, 3), dim_map=(1, 0)) == [4, 22]
    assert space((16, 8), (4, 4), steps=(3, 1)) == [6, 8]
    assert space((0, 3), (4, 4)) == [0, 1]
    with pytest.raises(InterpError, match="a gather_scatter_view has no index space"):
        space((64, 16), (4, 2), sparse=0)


def test_gather_rows() -> None:
    a = matrix(8, 4)
    got = load(a, (4, 4), [[6, 7, 8, 9], 0], sparse=0, padding="zero")
    assert got.tolist() == [*a[6:8].tolist(), [0] * 4, [0] * 4]
    got = load(a, (2, 4), [[3, 3], 2], sparse=0, padding="neg_inf")
    assert got.tolist() == [[14, 15, -np.inf, -np.inf]] * 2
    for wide in (False, True):  # without sign, -1 is beyond every tensor
        got = load(a, (2, 2), [[-1, 1], 1], sparse=0, padding="zero", wide=wide)
        assert got.tolist() == [[0, 0], [5, 6]]


def test_gather_columns() -> None:
    a = matrix(8, 16)
    got = load(a, (2, 4), [3, [9, 0, 2, 15]], sparse=1)
    assert got.tolist() == a[3:5][:, [9, 0, 2, 15]].tolist()


def test_gather_outside() -> None:
    a = matrix(8, 4)
    with pytest.raises(InterpError, match="no element lies inside"):
        load(a, (2, 4), [[8, 9], 0], sparse=0, padding="zero")
    got = load(a, (2, 4), [[8, 9], 0], "permissive", sparse=0, padding="zero")
    assert not got.any()
    with pytest.raises(InterpError, match=r"index \[4\] is outside the index space"):
        load(a, (2, 4), [[1, 2], 4], sparse=0, padding="zero")
    with pytest.raises(InterpError, match="promised inbounds along index 0"):
        load(
            a, (2, 4), [[7, 8], 0], inbounds=(True, True), sparse=0, padding="zero"
        )  # fmt: skip


def scatter(index: list[int], **options: Any) -> np.ndarray:
    k = Kernel("ptr<f32>")
    view, _ = k.view(k.parameters[0], (8, 4), (4, 2), sparse=0)
    k.op(
        "store_view_tko",
        [k.constant(matrix(4, 2) + 1, "f32")],
        [view],
        [k.constant(index, "i32"), k.constant(1, "i32")],
        [],
        results=(TOKEN,),
    )
    out = np.zeros((8, 4), np.float32)
    k.run(out, **options)
    return out


def test_scatter() -> None:
    out = scatter([5, 0, 100, -1])
    expected = np.zeros((8, 4))
    expected[5, 1:3], expected[0, 1:3] = [1, 2], [3, 4]
    assert out.tolist() == expected.tolist()
    with pytest.raises(InterpError, match="stores twice to address"):
        scatter([5, 5, 1, 2])
    out = scatter([5, 5, 1, 2], mode="permissive")
    assert out[5].tolist() == [0, 3, 4, 0]


def halves(index: list[int]) -> list[int]:
    """The bytes of eight f4 elements after 1, 2, 3, 4 went to the indices."""
    k = Kernel("ptr<f4E2M1FN>")
    view, _ = k.view(k.parameters[0], (8,), (4,), sparse=0)
    tile = k.constant([1.0, 2.0, 3.0, 4.0], "f4E2M1FN")
    at = k.constant(index, "i32")
    k.op("store_view_tko", [tile], [view], [at], [], results=(TOKEN,))
    out = np.zeros(4, np.uint8)
    k.run(out)
    return out.tolist()


def test_scatter_of_halves_of_bytes() -> None:
    """Neighbours share a byte and go apart; the same element twice does not."""
    assert halves([0, 1, 2, 5]) == [0x42, 0x05, 0x60, 0]
    with pytest.raises(InterpError, match="stores twice to address"):
        halves([0, 1, 5, 1])


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "i32", "i64"])
@pytest.mark.parametrize("count", [1, 3])
def test_multicast_loads_reduce_replicas(kind: str, count: int) -> None:
    rng = np.random.default_rng(1)
    replicas = [rng.integers(-50, 50, 12).astype(DTYPES[kind]) for _ in range(count)]
    for mode, expected in {
        "add": np.sum(np.stack(replicas).astype(np.float64), axis=0),
        "max": np.max(np.stack(replicas).astype(np.float64), axis=0),
    }.items():
        k = Kernel(f"ptr<{kind}>", f"ptr<{kind}>")
        view, _ = k.view(k.parameters[0], (12,), (8,), padding="zero")
        x, _ = k.op(
            "multimem_load_reduce_view_tko",
            [view],
            [k.constant(1, "i32")],
            [],
            results=(tile_of(kind, 8), TOKEN),
            reduction=mode,
            inbounds=(False,),
            memory_ordering_semantics="weak",
        )
        k.output(k.parameters[1], x)
        out = np.zeros(8, DTYPES[kind])
        k.run(Multicast.over(replicas), out)
        assert out.astype(np.float64).tolist() == [*expected[8:].tolist(), 0, 0, 0, 0]


@pytest.mark.parametrize("op", ["store", "reduce"])
def test_multicast_writes_reach_every_replica(op: str) -> None:
    replicas = [np.full(12, n, np.int32) for n in (1, 10)]
    k = Kernel("ptr<i32>")
    view, _ = k.view(k.parameters[0], (12,), (8,))
    kw: dict[str, Any] = {"memory_ordering_semantics": "weak"}
    if op == "reduce":
        kw = {
            "memory_ordering_semantics": "relaxed",
            "memory_scope": "sys",
            "reduction": "add",
        }
    k.op(
        f"multimem_{op}_view_tko",
        [view],
        [k.constant(np.arange(8), "i32")],
        [k.constant(1, "i32")],
        [],
        results=(TOKEN,),
        **kw,
    )
    k.run(Multicast.over(replicas))
    for start, replica in zip((1, 10), replicas, strict=True):
        added = start if op == "reduce" else 0
        assert replica[:8].tolist() == [start] * 8
        assert replica[8:].tolist() == [added, 1 + added, 2 + added, 3 + added]


@pytest.mark.parametrize("first", ["load_reduce", "store", "reduce"])
@pytest.mark.parametrize("is_ordered", [False, True])
def test_multicast_accesses_are_ordered_by_their_tokens(
    first: str, is_ordered: bool
) -> None:
    """A store after another access to the same tile, in every replica."""
    k = Kernel("ptr<i32>")
    view, _ = k.view(k.parameters[0], (8,), (8,))
    tile, at = k.constant(np.ones(8), "i32"), k.constant(0, "i32")
    weak: dict[str, Any] = {"memory_ordering_semantics": "weak"}
    kinds: dict[str, tuple[list[Any], tuple[Any, ...], dict[str, Any]]] = {
        "load_reduce": (
            [[view], [at], []],
            (tile.type, TOKEN),
            {"reduction": "add", "inbounds": (False,), **weak},
        ),
        "store": ([[view], [tile], [at], []], (TOKEN,), weak),
        "reduce": (
            [[view], [tile], [at], []],
            (TOKEN,),
            {
                "reduction": "add",
                "memory_ordering_semantics": "relaxed",
                "memory_scope": "device",
            },
        ),
    }
    operands, results, kw = kinds[first]
    made = k.op(f"multimem_{first}_view_tko", *operands, results=results, **kw)
    token = made[-1] if isinstance(made, tuple) else made
    order = [token] if is_ordered else []
    k.op(
        "multimem_store_view_tko", [view], [tile], [at], order, results=(TOKEN,), **weak
    )
    replicas = [np.zeros(8, np.int32) for _ in "ab"]
    if is_ordered:
        k.run(Multicast.over(replicas))
        return
    with pytest.raises(InterpError, match="no token orders the two"):
        k.run(Multicast.over(replicas))


def test_multicast_wants_equal_replicas() -> None:
    with pytest.raises(UserError, match="expected at least one replica"):
        Multicast.over([])
    with pytest.raises(UserError, match="expected at least one replica"):
        Multicast.over([np.zeros(2), np.zeros(3)])


def test_dynamic_padding_without_a_code() -> None:
    for kind, padding, expected in [
        ("f8E8M0FNU", "zero", 2.0**-127),
        ("f8E4M3FN", "pos_inf", np.nan),
        ("f4E2M1FN", "neg_inf", -6.0),
        ("f8E5M2", "pos_inf", np.inf),
        ("f8E5M3FNU", "neg_zero", 0.0),
    ]:
        k = Kernel("ptr<i8>", "ptr<f32>")
        p = k.op("ptr_to_ptr", k.parameters[0], results=(tile_of(f"ptr<{kind}>"),))
        view, _ = k.view(p, (2,), (4,), padding=padding)
        x, _ = k.load_view(view, [k.constant(0, "i32")])
        k.output(k.parameters[1], k.op("ftof", x, results=(tile_of("f32", 4),)))
        out = np.zeros(4, np.float32)
        k.run(np.zeros(2, np.int8), out)
        np.testing.assert_array_equal(out[2:], [expected] * 2)
