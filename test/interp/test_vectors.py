# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small inputs with the one result that the text of the dialect gives."""

from __future__ import annotations

from math import inf, nan, pi
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from interp_build import TOKEN, Kernel, apply, tile_of
from interp_harness import bits

from cuda_tile.interp import InterpError, Op


def one(name: str, kind: str, *operands: Any, to: str | None = None, **kw: Any) -> Any:
    """An elementwise op on operands of one type."""
    arrays = [np.asarray(operand) for operand in operands]
    result = (arrays[0].shape, to or kind)
    return apply(name, [(a, kind) for a in arrays], [result], **kw)


def test_mulhii() -> None:
    a, b = np.uint32(2**31).astype(np.int32), np.int32(2)
    assert one("mulhii", "i32", a, b) == 1
    assert one("muli", "i32", a, b) == 0


def test_division() -> None:
    x, y = np.array([7, 7, -7, -7]), np.array([3, -3, 3, -3])
    assert one("remi", "i32", x, y, signedness="signed").tolist() == [1, 1, -1, -1]
    quotients = [
        int(one("divi", "i32", -7, 2, signedness="signed", rounding=mode))
        for mode in ("zero", "negative_inf", "positive_inf")
    ]
    assert quotients == [-3, -4, -3]
    unsigned = [
        int(one("divi", "i8", -1, 2, signedness="unsigned", rounding=mode)) & 0xFF
        for mode in ("zero", "positive_inf")
    ]
    assert unsigned == [127, 128]


def test_integers() -> None:
    extended = [
        int(one("exti", "i1", True, to="i8", signedness=sign)) & 0xFF
        for sign in ("signed", "unsigned")
    ]
    assert extended == [0xFF, 0x01]
    assert not one("trunci", "i8", 2, to="i1")
    assert int(one("absi", "i8", -128)) & 0xFF == 0x80
    assert one("negi", "i16", [0, 1, 2, 3]).tolist() == [0, -1, -2, -3]
    assert apply("iota", [], [((4,), "i8")]).tolist() == [0, 1, 2, 3]


def test_cat() -> None:
    a, b = np.array([[5, 6], [7, 8]]), np.array([[1, 2], [3, 4]])
    wide = apply("cat", [(a, "i32"), (b, "i32")], [((2, 4), "i32")], dim=1)
    assert wide.tolist() == [[5, 6, 1, 2], [7, 8, 3, 4]]
    tall = apply("cat", [(a, "i32"), (b, "i32")], [((4, 2), "i32")], dim=0)
    assert tall.tolist() == [[5, 6], [7, 8], [1, 2], [3, 4]]


def test_extract_and_insert() -> None:
    source = np.arange(256).reshape(32, 8)
    got = apply("extract", [(source, "i32"), (1, "i32"), (2, "i32")], [((4, 2), "i32")])
    assert (got[0, 0], got[3, 1]) == (36, 61)
    parts = [([9, 9], "i32"), ([0, 1, 2, 3], "i32"), (1, "i32")]
    assert apply("insert", parts, [((4,), "i32")]).tolist() == [0, 1, 9, 9]


def test_permute_and_reshape() -> None:
    source = np.arange(64).reshape(2, 4, 8)
    got = apply(
        "permute", [(source, "i32")], [((8, 2, 4), "i32")], permutation=(2, 0, 1)
    )
    assert all(
        got[k, i, j] == source[i, j, k]
        for i in range(2)
        for j in range(4)
        for k in range(8)
    )
    cube = apply("reshape", [(np.arange(8).reshape(2, 4), "i32")], [((2, 2, 2), "i32")])
    assert cube.tolist() == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]


def test_float_comparisons_and_extremes() -> None:
    kw = {"comparison_predicate": "less_than", "comparison_ordering": "unordered"}
    assert one("cmpf", "f32", nan, 1.0, to="i1", **kw)
    kw = {"comparison_predicate": "not_equal", "comparison_ordering": "ordered"}
    assert not one("cmpf", "f32", nan, nan, to="i1", **kw)
    assert one("maxf", "f32", nan, 1.0) == 1
    assert np.isnan(one("maxf", "f32", nan, 1.0, propagate_nan=True))
    assert bits(one("maxf", "f32", 0.0, -0.0)) == 0


@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_remf(kind: str) -> None:
    got = one("remf", kind, [5.5, -5.5, 1.0, -0.0, 3.0], [2.0, 2.0, inf, 1.0, -2.0])
    assert got.tolist() == [1.5, -1.5, 1.0, 0.0, 1.0]
    assert np.signbit(got.astype(np.float64)).tolist() == [
        False,
        True,
        False,
        True,
        False,
    ]
    lost = one("remf", kind, [1.0, inf, nan, inf, 1.0], [0.0, 2.0, 1.0, inf, nan])
    assert np.isnan(lost.astype(np.float64)).all()


def test_atan2() -> None:
    assert one("atan2", "f64", 2.0, 0.0) == pi / 2


def test_flush_to_zero() -> None:
    got = one("addf", "f32", np.float32(-1e-40), 0.0, flush_to_zero=True)
    assert bits(got) == 0


def test_tf32_and_f32_roundings() -> None:
    x = np.float32(1 + 2.0**-11)
    got = [
        float(one("ftof", "f32", x, to="tf32", rounding_mode=mode))
        for mode in ("nearest_even", "zero", "nearest_away")
    ]
    assert got == [1.0, 1.0, 1 + 2.0**-10]
    x = np.array([1, -1]) * (1 + 0.6 * 2.0**-23)
    high = 1 + 2.0**-23
    expected = {
        "nearest_even": [high, -high],
        "zero": [1, -1],
        "negative_inf": [1, -high],
        "positive_inf": [high, -1],
    }
    for mode, values in expected.items():
        assert one("ftof", "f64", x, to="f32", rounding_mode=mode).tolist() == values


def test_out_of_range_conversions() -> None:
    assert float(one("ftof", "f32", 1e6, to="f8E5M2")) == 57344
    assert float(one("ftof", "f32", 1e6, to="f8E4M3FN")) == 448
    assert one("itof", "i32", 70000, to="f16", signedness="signed") == inf
    got = one(
        "ftoi", "f32", [300.0, -5.0, nan], to="i8", signedness="unsigned",
        saturating=True,
    )  # fmt: skip
    assert got.view(np.uint8).tolist() == [255, 0, 0]


def test_pack() -> None:
    got = apply("pack", [([0x04030201], "i32")], [((4,), "i8")])
    assert got.tolist() == [1, 2, 3, 4]
    got = apply("pack", [([0.5, 1.5], "f4E2M1FN")], [((1,), "i8")])
    assert got.tolist() == [0x31]


def test_mmaf_scaled() -> None:
    one_f8, two = np.ones((2, 64)), np.full((2, 2), 2.0)
    got = apply(
        "mmaf_scaled",
        [
            (one_f8, "f8E4M3FN"),
            (one_f8.T.copy(), "f8E4M3FN"),
            (np.zeros((2, 2)), "f32"),
            (two, "f8E8M0FNU"),
            (two, "f8E8M0FNU"),
        ],
        [((2, 2), "f32")],
    )
    assert (got == 256).all()


def test_an_offset_counts_elements() -> None:
    k = Kernel("ptr<f32>")
    k.constant(-1, "i32")
    minus = k.constant(-1, "i64")
    address = k.constant(0x1000, "i64")
    p = k.op("int_to_ptr", address, results=(tile_of("ptr<f32>"),))
    q = k.op("offset", p, minus, results=(tile_of("ptr<f32>"),))
    n = k.op("ptr_to_int", q, results=(tile_of("i64"),))
    out = k.op("ptr_to_ptr", k.parameters[0], results=(tile_of("ptr<i64>"),))
    k.store(out, n)
    memory = np.zeros(2, np.float32)
    k.run(memory)
    assert memory.view(np.int64)[0] == 0x0FFC


def test_index_outside_the_parts() -> None:
    source = np.arange(8)
    with pytest.raises(InterpError, match="expected index 0 below 4, got 4"):
        apply("extract", [(source, "i32"), (4, "i32")], [((2,), "i32")])
    got = apply(
        "extract", [(source, "i32"), (5, "i32")], [((2,), "i32")], mode="permissive"
    )
    assert got.tolist() == [2, 3]


def test_a_rank_0_part() -> None:
    assert apply("extract", [(np.array(5), "i32")], [((), "i32")]) == 5


def test_unpack_is_the_inverse_of_pack() -> None:
    for kind in ("i16", "i64", "f16", "bf16", "f64", "f8E5M2", "f4E2M1FN", "i1"):
        raw = np.arange(64, dtype=np.int8) * 3
        if kind in ("f4E2M1FN",):
            size = 128
        elif kind == "i1":
            size = 512
        else:
            size = (
                64
                // np.dtype(
                    {
                        "i16": "i2",
                        "i64": "i8",
                        "f16": "f2",
                        "bf16": "i2",
                        "f64": "f8",
                    }.get(kind, "i1")
                ).itemsize
            )
        values = apply("unpack", [(raw, "i8")], [((size,), kind)])
        back = apply("pack", [(values, kind)], [((64,), "i8")])
        assert back.tolist() == raw.tolist()


def test_unpacked_halves() -> None:
    got = apply("unpack", [([0x31], "i8")], [((2,), "f4E2M1FN")])
    assert got.astype(ml_dtypes.bfloat16).tolist() == [0.5, 1.5]


def folded(
    name: str, body: str, values: Any, kind: str, identity: Any, **kw: Any
) -> Any:
    k = Kernel()
    x = k.constant(values, kind)
    with k.region(tile_of(kind), tile_of(kind)) as region:
        k.op("yield", k.op(body, *region.arguments, results=(tile_of(kind),)))
    shape = () if name == "reduce" else x.type.shape
    results = (tile_of(kind, *shape),)
    identities = [np.asarray(identity, x.type.element.dtype)]
    k.op(
        name, x, results=results, regions=(region,), dim=0, identities=identities, **kw
    )
    return last(k, name)


def last(k: Kernel, name: str, *args: Any) -> Any:
    """The last result of the op called `name`."""
    found: list[Any] = []

    def keep(op: Op, results: tuple[Any, ...]) -> None:
        if op.name == name:
            found.append(np.asarray(results[0]))

    k.run(*args, trace=keep)
    return found[-1]


def test_scan() -> None:
    for reverse, expected in ((False, [1, 3, 6, 10]), (True, [10, 9, 7, 4])):
        got = folded("scan", "addi", [1, 2, 3, 4], "i32", 0, reverse=reverse)
        assert got.tolist() == expected


@pytest.mark.parametrize("count", [1, 2, 32, 1024])
def test_reduce_minimum(count: int) -> None:
    values = np.random.default_rng(count).standard_normal(count).astype(np.float32)
    assert folded("reduce", "minf", values, "f32", inf) == values.min()


def test_cas_compares_bits() -> None:
    k = Kernel("ptr<f32>")
    k.op(
        "atomic_cas_tko", [k.parameters[0]], [k.constant(-0.0, "f32")],
        [k.constant(1.0, "f32")], [], [], results=(tile_of("f32"), TOKEN),
        memory_ordering_semantics="relaxed", memory_scope="device",
    )  # fmt: skip
    memory = np.zeros(1, np.float32)
    assert bits(last(k, "atomic_cas_tko", memory)) == 0
    assert bits(memory).tolist() == [0]


def test_any_byte_of_an_i1_is_true() -> None:
    k = Kernel("ptr<i1>", "ptr<i1>")
    value, _ = k.load(k.parameters[0])
    k.store(k.parameters[1], value)
    out = np.zeros(1, np.uint8)
    k.run(np.array([2], np.uint8).view(np.bool_), out.view(np.bool_))
    assert out.tolist() == [1]


def test_a_tile_partly_outside() -> None:
    k = Kernel("ptr<f32>")
    view, _ = k.view(k.parameters[0], (8, 2), (1, 4), padding="nan")
    k.load_view(view, [k.constant(1, "i32"), k.constant(0, "i32")])
    got = last(k, "load_view_tko", np.arange(16, dtype=np.float32))
    np.testing.assert_array_equal(got, [[2, 3, nan, nan]])


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, [16, 8]),
        ({"dim_map": (1, 0)}, [4, 32]),
        ({"steps": (4, 3)}, [16, 6]),
    ],
)
def test_index_spaces(how: dict[str, Any], expected: list[int]) -> None:
    k = Kernel("ptr<f32>", "ptr<i32>")
    view, _ = k.view(k.parameters[0], (64, 16), (4, 2), **how)
    sizes = k.op("get_index_space_shape", view, results=(tile_of("i32"),) * 2)
    for place, size in enumerate(sizes):
        k.store(k.at(k.parameters[1], place), size)
    out = np.zeros(2, np.int32)
    k.run(np.zeros(1, np.float32), out)
    assert out.tolist() == expected


def test_gather() -> None:
    k = Kernel("ptr<f32>")
    view, _ = k.view(k.parameters[0], (8, 4), (4, 4), sparse=0, padding="zero")
    k.load_view(view, [k.constant([6, 7, 8, 9], "i32"), k.constant(0, "i32")])
    a = np.arange(32, dtype=np.float32).reshape(8, 4)
    got = last(k, "load_view_tko", a)
    assert got.tolist() == [*a[6:8].tolist(), [0] * 4, [0] * 4]


def test_print() -> None:
    k = Kernel()
    value = k.constant([[0, 1], [2, 3]], "i32")
    k.op("print_tko", [value], [], results=(TOKEN,), str="%d")
    assert k.run().stdout == "[[0, 1], [2, 3]]"


@pytest.mark.parametrize(
    ("bounds", "expected"), [((5, 5, 1), []), ((0, 10, 4), [0, 4, 8])]
)
def test_for(bounds: tuple[int, int, int], expected: list[int]) -> None:
    k = Kernel()
    start = k.constant(7, "i32")
    edges = [k.constant(n, "i32") for n in bounds]
    with k.region(tile_of("i32"), tile_of("i32")) as body:
        k.op("negi", body.arguments[0], results=(tile_of("i32"),))
        k.op("continue", body.arguments[0])
    k.op("for", *edges, start, results=(tile_of("i32"),), regions=(body,))
    seen: list[int] = []

    def keep(op: Op, results: tuple[Any, ...]) -> None:
        if op.name in ("negi", "for"):
            seen.append(int(results[0]))

    k.run(trace=keep)
    assert seen == [*(-i for i in expected), (expected or [7])[-1]]
