# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators and op functions against NumPy, on the interpreter."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from builder_kernels import ELEMENTS, evaluate

from cuda_tile import builder as b
from cuda_tile._mlir import ir
from cuda_tile.errors import Unsupported, UserError

INTS = np.array([7, -7, 5, -5, 100, -100, 0, 1], np.int32)
DIVISORS = np.array([2, 2, -3, -3, 7, -7, 4, -1], np.int32)
FLOATS = np.array([1.5, -2.5, 0.25, 3.0, -0.0, 1e10, -7.75, 100.0], np.float32)
OTHERS = np.array([0.5, 4.0, -0.25, 3.0, 1.0, -3.0, 2.0, 7.0], np.float32)


@pytest.mark.parametrize(
    "op",
    [operator.add, operator.sub, operator.mul, operator.floordiv, operator.truediv],
    ids=lambda op: op.__name__,
)
def test_arithmetic_of_floats(op: Callable[[Any, Any], Any]):
    given = evaluate(op, FLOATS, OTHERS, result=b.Float32)
    np.testing.assert_array_equal(given, op(FLOATS, OTHERS))
    np.testing.assert_array_equal(
        evaluate(lambda x: op(3.0, x), OTHERS, result=b.Float32),
        op(np.float32(3), OTHERS),
    )


@pytest.mark.parametrize(
    "op",
    [
        operator.add,
        operator.sub,
        operator.mul,
        operator.floordiv,
        operator.and_,
        operator.or_,
        operator.xor,
    ],
    ids=lambda op: op.__name__,
)
def test_arithmetic_of_integers(op: Callable[[Any, Any], Any]):
    given = evaluate(op, INTS, DIVISORS, result=b.Int32)
    np.testing.assert_array_equal(given, op(INTS, DIVISORS))
    np.testing.assert_array_equal(
        evaluate(lambda x: op(x, 3), INTS, result=b.Int32), op(INTS, 3)
    )


def test_division_and_remainder_follow_c():
    quotient = evaluate(operator.truediv, INTS, DIVISORS, result=b.Int32)
    remainder = evaluate(operator.mod, INTS, DIVISORS, result=b.Int32)
    np.testing.assert_array_equal(quotient, np.trunc(INTS / DIVISORS))
    np.testing.assert_array_equal(remainder, np.fmod(INTS, DIVISORS))
    np.testing.assert_array_equal(
        evaluate(b.ceildivi, INTS, DIVISORS, result=b.Int32), np.ceil(INTS / DIVISORS)
    )
    np.testing.assert_array_equal(
        evaluate(operator.mod, FLOATS, OTHERS, result=b.Float32),
        np.fmod(FLOATS, OTHERS),
    )


@pytest.mark.parametrize(
    "op",
    [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne],
    ids=lambda op: op.__name__,
)
def test_comparisons(op: Callable[[Any, Any], Any]):
    with_nan = np.array([1, 2, np.nan, 4, 5, np.nan, 7, 8], np.float32)
    other = np.array([1, 3, 3, 2, np.nan, np.nan, 8, 8], np.float32)
    for x, y in ((with_nan, other), (INTS, DIVISORS)):
        given = evaluate(lambda u, v: op(u, v)(b.Int32), x, y, result=b.Int32)
        np.testing.assert_array_equal(given, op(x, y))


def test_shifts_signs_and_powers():
    shifts = np.arange(8, dtype=np.int32)
    for op in (operator.lshift, operator.rshift):
        given = evaluate(op, INTS, shifts, result=b.Int32)
        np.testing.assert_array_equal(given, op(INTS, shifts))
        given = evaluate(lambda y, op=op: op(40, y), shifts, result=b.Int32)
        np.testing.assert_array_equal(given, op(40, shifts))
    np.testing.assert_array_equal(evaluate(lambda x: ~x, INTS, result=b.Int32), ~INTS)
    for values, element in ((INTS, b.Int32), (FLOATS, b.Float32)):
        np.testing.assert_array_equal(
            evaluate(lambda x: abs(-x), values, result=element), abs(values)
        )
    np.testing.assert_array_equal(
        evaluate(lambda x: x**2.0, FLOATS, result=b.Float32), FLOATS**2
    )
    given = evaluate(lambda x: b.max(x, 0) + b.min(x, 1), INTS, result=b.Int32)
    np.testing.assert_array_equal(given, np.maximum(INTS, 0) + np.minimum(INTS, 1))


ROUNDINGS = {"ceil": 0, "floor": 0, "log10": 3, "log1p": 5}
"""Roundings to f32 in a function, if not one: log10 has a logarithm, a constant and
their product; log1p 1 + x, which counts twice (it is an argument and a factor), a
logarithm, a quotient and a product."""


def error_bound(name: str) -> float:
    """Largest relative error; the references have one of 2^-52."""
    return ROUNDINGS.get(name, 1) * (2.0**-24 + 2.0**-46) + 2.0**-50


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ceil", np.ceil),
        ("floor", np.floor),
        ("cos", np.cos),
        ("sin", np.sin),
        ("tan", np.tan),
        ("cosh", np.cosh),
        ("sinh", np.sinh),
        ("tanh", np.tanh),
        ("exp", np.exp),
        ("exp2", np.exp2),
        ("log", np.log),
        ("log2", np.log2),
        ("log10", np.log10),
        ("log1p", np.log1p),
        ("sqrt", np.sqrt),
        ("rsqrt", lambda x: 1 / np.sqrt(x)),
    ],
)
def test_functions(name: str, expected: Callable[[Any], Any]):
    x = np.array([1e-7, 0.001, 0.3, 1.0, 2.0, 3.7, 10.0, 44.0], np.float32)
    given = evaluate(getattr(b, name), x, result=b.Float32)
    wanted = expected(x.astype(np.float64))
    np.testing.assert_allclose(given, wanted, rtol=error_bound(name))


def test_log1p_at_its_ends():
    x = np.array([0.0, -0.0, np.inf, -1.0, 1e30, 1e-30, np.nan, -2.0], np.float32)
    given = evaluate(b.log1p, x, result=b.Float32)
    with np.errstate(all="ignore"):
        wanted = np.log1p(x.astype(np.float64))
    np.testing.assert_allclose(given, wanted, rtol=error_bound("log1p"))
    assert np.signbit(given[1])


CONVERTED = ["int8", "int32", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("to", CONVERTED)
@pytest.mark.parametrize("of", CONVERTED)
def test_conversion(of: str, to: str):
    x = np.array([0, 1, -1, 5, -7, 100, -128, 127]).astype(of)
    given = evaluate(lambda tile: tile(ELEMENTS[to]), x, result=ELEMENTS[to])
    np.testing.assert_array_equal(given, x.astype(to))


def test_conversion_of_booleans_and_bits():
    given = evaluate(lambda x: b.Float32(b.Boolean(x)), INTS, result=b.Float32)
    np.testing.assert_array_equal(given, (INTS != 0).astype(np.float32))
    bits = evaluate(lambda x: b.bitcast(x, b.Int32), FLOATS, result=b.Int32)
    np.testing.assert_array_equal(bits, FLOATS.view(np.int32))


@pytest.mark.parametrize("number", [2, -1, 0.5, 0, 0.0, True])
def test_numbers_as_booleans(number: float):
    given = evaluate(lambda: b.Int32(b.Boolean(number)), result=b.Int32, shape=())
    assert given.item() == (number != 0)


def test_shapes():
    x = np.arange(32, dtype=np.int32).reshape(4, 8)
    transposed = evaluate(
        lambda t: b.permute(t, [1, 0]), x, result=b.Int32, shape=(8, 4)
    )
    np.testing.assert_array_equal(transposed, x.T)
    joined = evaluate(lambda t: b.cat(t, -t, 1), x, result=b.Int32, shape=(4, 16))
    np.testing.assert_array_equal(joined, np.concatenate([x, -x], 1))
    part = evaluate(
        lambda t: b.extract(t, [1, 3], [2, 2]), x, result=b.Int32, shape=(2, 2)
    )
    np.testing.assert_array_equal(part, x[2:4, 6:8])
    given = evaluate(lambda t: b.select(t > 9, t, 0), x, result=b.Int32)
    np.testing.assert_array_equal(given, np.where(x > 9, x, 0))
    packed = evaluate(
        lambda t: b.unpack(b.pack(t), b.Int16), x[0], result=b.Int16, shape=(16,)
    )
    np.testing.assert_array_equal(packed, x[0].view(np.int16))


def test_constants():
    values = [[1, 2, 3, 4], [5, 6, 7, 2**31]]
    given = evaluate(lambda: b.constant(values), result=b.Int32, shape=(2, 4))
    np.testing.assert_array_equal(given.view(np.uint32), values)
    given = evaluate(
        lambda: b.constant(np.inf, [4], b.Float16), result=b.Float16, shape=(4,)
    )
    np.testing.assert_array_equal(given, [np.inf] * 4)


@pytest.fixture
def block():
    with (
        ir.Context(),
        ir.Location.unknown(),
        ir.InsertionPoint(ir.Module.create().body),
    ):
        yield


@pytest.mark.usefixtures("block")
def test_what_is_stored_has_the_type_pointed_to():
    pointers = b.constant(0, b.Int64)
    floats = b.int_to_ptr(b.broadcast(pointers, (4,)), b.Float32)
    with pytest.raises(TypeError, match=r"value of f32 .* got .*<4xi32>; convert"):
        b.store_ptr_tko(floats, b.iota(4))
    with pytest.raises(TypeError, match=r"value of f32 .* got .*<4xi32>"):
        b.atomic_rmw_tko(floats, "xchg", b.iota(4))


@pytest.mark.usefixtures("block")
def test_refused_operands():
    row, scalar = b.constant([1, 2]), b.constant(1.5)
    with pytest.raises(TypeError, match="expected operands of one type"):
        _ = row + b.constant([1.0, 2.0])
    with pytest.raises(TypeError, match="expected operands of one type"):
        _ = row + scalar
    with pytest.raises(ValueError, match="expected a number that fits i32"):
        _ = row + 2**32
    with pytest.raises(ValueError, match=r"expected an integer for i32, got 1\.5"):
        _ = row + 1.5
    with pytest.raises(TypeError, match="expected a Python condition, got a tile"):
        assert row < 3
    with pytest.raises(TypeError, match="expected floats to take a power of"):
        _ = row**2
    with pytest.raises(TypeError, match="expected a tile of pointers"):
        b.load_ptr_tko(row)
    with pytest.raises(TypeError, match="get_supported_mma_configs"):
        b.mma(b.constant(1, b.Int32, [8, 8]), b.constant(1, b.Int32, [8, 8]), row)
    with pytest.raises(ValueError, match="expected 4 numbers"):
        b.constant([1, 2], b.Int32, [4])
    with pytest.raises(ValueError, match="expected a dimension"):
        b.reduce(row, 1, 0, b.add)
    with pytest.raises(ValueError, match="expected an identity per operand"):
        b.reduce([row, row], 0, 0, b.add)
    with pytest.raises(ValueError, match="expected a permutation of 1 dimensions"):
        b.permute(row, [1])
    with pytest.raises(Unsupported, match="optimization_barrier"):
        b.optimization_barrier(row)


@pytest.mark.usefixtures("block")
def test_checkers():
    ints, floats = b.constant([1, 2]), b.constant([1.0, 2.0])
    b.check_same_type(ints, ints)
    b.check_data_type_unary(floats, b.Float16, b.Float32)
    b.check_data_type_binary(ints, ints, b.Int32)
    with pytest.raises(TypeError, match="expected operands of one type"):
        b.check_same_type(ints, floats)
    with pytest.raises(TypeError, match="expected a tile of f16 or i8"):
        b.check_data_type_unary(ints, b.Float16, b.Int8)
    assert b.promote_rhs_to_tile(floats, 3).type == floats.type
    assert b.promote_rhs_to_tile(ints, ints) is ints


@pytest.mark.usefixtures("block")
def test_what_a_tile_says_of_itself():
    tile = b.constant(0.0, b.Float16, [4, 8])
    assert (tile.shape, tile.num_elements) == ([4, 8], 32)
    assert tile.element_type == b.Float16.mlir_type
    assert tile in {tile}
    assert (tile == None) is False  # noqa: E711  (what a script may write)


@pytest.mark.usefixtures("block")
def test_locations():
    with ir.Location.name("mine"):
        assert "mine" in str(b.constant(1).location)
    named = ir.Location.name("given")
    assert "given" in str(b.constant(1, loc=named).location)


def test_location_of_the_caller():
    with ir.Context():
        module = ir.Module.create(ir.Location.unknown())
        with ir.InsertionPoint(module.body):
            assert "test_operators.py" in str((b.constant(1) + 2).location)


def test_location_in_a_body():
    """Each op has its own line, not that of the loop; a given location holds inside."""
    with (
        b.TileIrGenerator() as generator,
        generator.create_entry("k", [b.Int32]) as (n,),
    ):

        @b.for_loop(0, n, 1)
        def _(index: b.Tile) -> None:
            first, second = index + 1, b.constant(7)
            third = index * 2
            lines = [str(x.location).split(":")[-2] for x in (first, second, third)]
            assert lines[0] == lines[1] != lines[2]

        given = ir.Location.name("given")

        @b.for_loop(0, n, 1, loc=given)
        def _(index: b.Tile) -> None:
            assert "given" in str((index + 1).location)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("number", [0.5, float("inf"), float("nan")])
def test_numbers_that_are_no_integers(number: float):
    with pytest.raises(ValueError, match="expected an integer for i32, got"):
        b.constant(number, b.Int32)


def test_an_op_outside_a_kernel_is_refused_with_a_way_out() -> None:
    """With a context alone too: such an op would be part of nothing."""
    said = "constant: expected a kernel to build the op in, .* TileIrGenerator"
    with pytest.raises(UserError, match=said):
        b.constant(1)
    with ir.Context(), ir.Location.unknown(), pytest.raises(UserError, match=said):
        b.constant(1)
