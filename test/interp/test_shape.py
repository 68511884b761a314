# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants and movement of elements, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from interp_build import Kernel, tile_of
from interp_harness import DTYPES, bits, evaluate, same_bits, tile

from cuda_tile.interp import InterpError

KINDS = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "f8E4M3FN")


def some(kind: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(1)
    if kind == "i1":
        return rng.integers(0, 2, shape).astype(np.bool_)
    dtype = DTYPES[kind]
    raw = rng.integers(0, 256, (*shape, dtype.itemsize), dtype=np.uint8)
    return raw.view(dtype).reshape(shape)  # NaN payloads too


def same(got: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_array_equal(bits(got), bits(expected))


@pytest.mark.parametrize(
    ("kind", "text", "values"),
    [
        ("i32", "<i32: 7>", [7] * 4),
        ("i32", "<i32: [1, -2, 3, 2147483647]>", [1, -2, 3, 2**31 - 1]),
        ("i64", "<i64: -9223372036854775808>", [-(2**63)] * 4),
        ("i8", "<i8: [127, -128, 0, 1]>", [127, -128, 0, 1]),
        ("i1", "<i1: true>", [True] * 4),
        ("i1", "<i1: [true, false, false, true]>", [True, False, False, True]),
        ("f16", "<f16: 0.5>", [0.5] * 4),
        ("bf16", "<bf16: [1.0, -2.0, 3.0, 0.0]>", [1, -2, 3, 0]),
        ("f32", "<f32: 0xFF800000>", [-np.inf] * 4),
        ("f32", "<f32: [1.5, -0.0, 2.5, 1.0e-40]>", [1.5, -0.0, 2.5, 1e-40]),
        ("f64", "<f64: 0.1>", [0.1] * 4),
        ("f8E4M3FN", "<f8E4M3FN: [448.0, 0.5, -1.0, 0.0]>", [448, 0.5, -1, 0]),
        ("f8E5M2", "<f8E5M2: 57344.0>", [57344] * 4),
    ],
)
def test_constant(kind: str, text: str, values: list[float]) -> None:
    got = evaluate(f"%r = constant {text} : tile<4x{kind}>", {"r": ((4,), kind)})
    same_bits(got, np.array(values, DTYPES[kind])) if kind[0] in "fb" else None
    assert got.tolist() == np.array(values, DTYPES[kind]).tolist()


def test_constant_is_row_major() -> None:
    body = "%r = constant <i32: [[1, 2, 3, 4], [5, 6, 7, 8]]> : tile<2x4xi32>"
    got = evaluate(body, {"r": ((2, 4), "i32")})
    assert got.tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]


def test_scalar_constant() -> None:
    got = evaluate("%r = constant <f32: 2.5> : tile<f32>", {"r": ((), "f32")})
    assert float(got) == 2.5


@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "i64"])
def test_iota(kind: str) -> None:
    count = 256
    got = evaluate(f"%r = iota : tile<{count}x{kind}>", {"r": ((count,), kind)})
    assert got.tolist() == np.arange(count).astype(DTYPES[kind]).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_select_moves_bits(kind: str) -> None:
    a, b = some(kind, (4, 8)), some(kind, (4, 8))[::-1].copy()
    c = some("i1", (4, 8))
    body = f"%r = select %c, %a, %b : tile<4x8xi1>, tile<4x8x{kind}>"
    got = evaluate(body, {"r": ((4, 8), kind)}, a=a, b=b, c=c)
    same(got, np.where(c, a, b))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("source", "result"),
    [((1, 8), (4, 8)), ((4, 1), (4, 8)), ((1, 1), (2, 4)), ((2, 2), (2, 2))],
)
def test_broadcast(kind: str, source: tuple[int, ...], result: tuple[int, ...]) -> None:
    a = some(kind, source)
    body = f"%r = broadcast %a : {tile(source, kind)} -> {tile(result, kind)}"
    same(evaluate(body, {"r": (result, kind)}, a=a), np.broadcast_to(a, result))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("source", "result"), [((4, 8), (2, 16)), ((32,), (2, 2, 8)), ((1, 1), ())]
)
def test_reshape(kind: str, source: tuple[int, ...], result: tuple[int, ...]) -> None:
    a = some(kind, source)
    body = f"%r = reshape %a : {tile(source, kind)} -> {tile(result, kind)}"
    same(evaluate(body, {"r": (result, kind)}, a=a), a.reshape(result))


@pytest.mark.parametrize("kind", KINDS)
def test_permute(kind: str) -> None:
    a = some(kind, (2, 4, 8))
    body = f"%r = permute %a [2, 0, 1] : {tile((2, 4, 8), kind)} -> "
    body += tile((8, 2, 4), kind)
    got = evaluate(body, {"r": ((8, 2, 4), kind)}, a=a)
    same(got, np.transpose(a, (2, 0, 1)))
    assert bits(got)[5, 1, 3] == bits(a)[1, 3, 5]


@pytest.mark.parametrize("kind", ["i8", "f16", "f32", "f64"])
def test_offset_counts_elements(kind: str) -> None:
    a = some(kind, (16,))
    body = f"""
      %p1 = reshape %a_p : tile<ptr<{kind}>> -> tile<1xptr<{kind}>>
      %p4 = broadcast %p1 : tile<1xptr<{kind}>> -> tile<4xptr<{kind}>>
      %o8 = constant <i8: [8, 9, 10, 15]> : tile<4xi8>
      %back = constant <i64: [-8, -1, 0, -15]> : tile<4xi64>
      %q = offset %p4, %o8
        : tile<4xptr<{kind}>>, tile<4xi8> -> tile<4xptr<{kind}>>
      %s = offset %q, %back
        : tile<4xptr<{kind}>>, tile<4xi64> -> tile<4xptr<{kind}>>
      %r, %t = load_ptr_tko weak %s : tile<4xptr<{kind}>> -> tile<4x{kind}>, token
    """
    got = evaluate(body, {"r": ((4,), kind)}, a=a)
    same(got, a[[0, 8, 10, 0]])


def test_parts_are_counted_without_sign() -> None:
    a, part = np.arange(8, dtype=np.int32), np.array([8, 9], np.int32)
    minus = np.array(-1, np.int32)
    for body in (
        "%r = extract %a[%i] : tile<8xi32> -> tile<2xi32>",
        "%x = insert %p, %a[%i] : tile<2xi32>, tile<8xi32> -> tile<8xi32>\n"
        "%z = constant <i32: 0> : tile<i32>\n"
        "%r = extract %x[%z] : tile<8xi32> -> tile<2xi32>",
    ):
        with pytest.raises(InterpError, match="below 4, got 4294967295"):
            evaluate(body, {"r": ((2,), "i32")}, a=a, p=part, i=minus)


@pytest.mark.parametrize(
    ("base", "offset"), [(4, -2), (2**64 - 4, 1)], ids=["below", "above"]
)
def test_addresses_stay_in_64_bits(base: int, offset: int) -> None:
    k = Kernel("i64")
    pointer = k.op("int_to_ptr", k.parameters[0], results=(tile_of("ptr<i32>"),))
    k.at(pointer, [0, offset])
    with pytest.raises(InterpError, match="leaves the 64-bit address space") as caught:
        k.run(base)
    assert caught.value.element_index == (1,)


def test_offset_overflow_is_an_error() -> None:
    body = """
      %far = constant <i64: 4611686018427387904> : tile<i64>
      %q = offset %a_p, %far : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
      %r, %t = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
    """
    with pytest.raises(InterpError, match="overflows 64 bits"):
        evaluate(body, {"r": ((), "f32")}, a=np.zeros(2, np.float32))
