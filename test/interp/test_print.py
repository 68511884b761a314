# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""print and assert: their output in the report."""

from __future__ import annotations

import ctypes
from math import inf
from typing import Any

import numpy as np
import pytest
from interp_build import TOKEN, Kernel, tile_of

import cuda_tile
from cuda_tile.interp import AssertionsFailed, InterpError


def printed(text: str, *values: tuple[Any, str], **options: Any) -> str:
    k = Kernel()
    args = [k.constant(value, kind) for value, kind in values]
    k.op("print_tko", args, [], results=(TOKEN,), str=text)
    return k.run(**options).stdout


@pytest.mark.parametrize(
    ("text", "value", "kind", "expected"),
    [
        ("%d", [[0, 1], [2, 3]], "i32", "[[0, 1], [2, 3]]"),
        ("%d", np.arange(4), "i64", "[0, 1, 2, 3]"),
        ("n = %i!\n", -5, "i32", "n = -5!\n"),
        ("%u", -1, "i32", "4294967295"),
        ("%u", -1, "i8", "255"),
        ("%hhd", -1, "i8", "-1"),
        ("%llu", -1, "i64", str(2**64 - 1)),
        ("%lld", -1, "i64", "-1"),
        ("%x", -1, "i16", "ffff"),
        ("%#x", 255, "i32", "0xff"),
        ("%#X", 255, "i32", "0XFF"),
        ("%o", 8, "i32", "10"),
        ("%#o", 8, "i32", "010"),
        ("%d", True, "i1", "1"),
        ("%5d|", 42, "i32", "   42|"),
        ("%-5d|", 42, "i32", "42   |"),
        ("%05d", 42, "i32", "00042"),
        ("%+d", 42, "i32", "+42"),
        ("%.3d", 7, "i32", "007"),
        ("%f", 1.5, "f32", "1.500000"),
        ("%lf", -0.0, "f64", "-0.000000"),
        ("%5.2f", [1.234, 5], "f16", "[ 1.23,  5.00]"),
        ("%e", 12345.678, "f64", "1.234568e+04"),
        ("%g", 1e-9, "f64", "1e-09"),
        ("%a", 1.5, "f64", "0x1.8p+0"),
        ("%a", 1.0, "f32", "0x1p+0"),
        ("%f", float("inf"), "f32", "inf"),
        ("%f", float("nan"), "bf16", "nan"),
        ("%F", float("-inf"), "f32", "-INF"),
        ("%c", 65, "i8", "A"),
        ("100%% of %d", 3, "i32", "100% of 3"),
    ],
)
def test_directives(text: str, value: Any, kind: str, expected: str) -> None:
    assert printed(text, (value, kind)) == expected


LIBC = ctypes.CDLL(None)
FLAGS = ("", "-", "0", "+", " ", "#", "-+", "0+", "#0", " 0", "-#", "+#0")
SIZES = ("", "1", "9", ".0", ".2", ".7", "9.0", "9.2", "12.9")


def in_c(text: str, number: Any) -> str:
    """What the C library of the machine prints."""
    buffer = ctypes.create_string_buffer(512)
    LIBC.snprintf(buffer, ctypes.c_size_t(512), text.encode(), number)
    return buffer.value.decode()


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("letter", "diuoxX")
def test_integers_are_written_as_c_does(flags: str, letter: str) -> None:
    numbers = [0, 1, -1, 8, 255, -300, 70000, 2**31 - 1, -(2**31)]
    for size in SIZES:
        for length in ("", "h", "hh"):
            text = f"%{flags}{size}{length}{letter}"
            expected = [in_c(text, ctypes.c_int(n)) for n in numbers]
            assert printed(text, (numbers, "i32")) == f"[{', '.join(expected)}]", text
        text = f"%{flags}{size}ll{letter}"
        expected = [in_c(text, ctypes.c_longlong(n << 32)) for n in numbers]
        wide = np.array(numbers, np.int64) << 32
        assert printed(text, (wide, "i64")) == f"[{', '.join(expected)}]", text


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("letter", "eEfFgGaA")
def test_floats_are_written_as_c_does(flags: str, letter: str) -> None:
    numbers = [0.0, -0.0, 1.0, -1.5, 0.1, 1e100, -2.5e-310, 123456.789, inf, -inf]
    numbers += [0.5, 1.03125, 1.09375, 0.999999999]  # halfway for a, or close to 1
    for size in SIZES:
        text = f"%{flags}{size}{letter}"
        expected = [in_c(text, ctypes.c_double(n)) for n in numbers]
        assert printed(text, (numbers, "f64")) == f"[{', '.join(expected)}]", text


def test_several_values() -> None:
    got = printed("%d: %f (%d)", (3, "i32"), ([0.5], "f32"), (True, "i1"))
    assert got == "3: [0.500000] (1)"


@pytest.mark.parametrize(("text", "kind"), [("%f", "i32"), ("%d", "f32"), ("%s", "i8")])
def test_a_directive_that_does_not_suit(text: str, kind: str) -> None:
    with pytest.raises(InterpError, match=f"'{text}' does not suit {kind}"):
        printed(text, (1, kind))
    assert printed(text, (1, kind), mode="permissive") == text


@pytest.mark.parametrize("text", ["%5000d", "%.999999999d"])
def test_a_field_is_not_endless(text: str) -> None:
    with pytest.raises(InterpError, match="a width and precision of at most 4096, got"):
        printed(text, (1, "i32"))


def test_each_block_prints_once() -> None:
    k = Kernel()
    x = k.op("get_tile_block_id", results=(tile_of("i32"),) * 3)[0]
    k.op("print_tko", [x], [], results=(TOKEN,), str="block %d\n")
    lines = k.run(grid=(4,), seed=3).stdout.splitlines()
    assert sorted(lines) == [f"block {i}" for i in range(4)]


def asserted(condition: Any, **options: Any) -> AssertionsFailed | None:
    k = Kernel("ptr<i32>")
    k.op("assert", k.constant(condition, "i1"), message="must hold")
    k.store(k.parameters[0], k.constant(1, "i32"))
    out = np.zeros(1, np.int32)
    try:
        k.run(out, **options)
    except AssertionsFailed as error:
        assert out[0] == 1, "the kernel goes on"
        return error
    return None


def test_assertions() -> None:
    assert asserted([True, True]) is None
    error = asserted([[True, False], [False, True]])
    assert error is not None
    assert len(error.report.findings) == 2
    assert error.report.findings[0].message.endswith(
        "assertion failed: must hold, element [0, 1] (tile block (0, 0, 0))"
    )
    assert "k: 2 assertions failed:\ntest.py:" in str(error)
    many = asserted(np.zeros(16, np.bool_), mode="permissive")
    assert many is not None
    assert "... and 8 more" in str(many)


def test_an_assertion_ends_the_kernel_before_what_goes_wrong_behind_it() -> None:
    module = cuda_tile.load(b"""
      cuda_tile.module @k {
        entry @f(%p: tile<ptr<i32>>, %n: tile<i32>) {
          %zero = constant <i32: 0> : tile<i32>
          %ok = cmpi greater_than_or_equal %n, %zero, signed : tile<i32> -> tile<i1>
          assert %ok, "n is negative" : tile<i1>
          %m = assume bounded<0, ?>, %n : tile<i32>
          %t = make_token : token
          %s = store_ptr_tko weak %p, %m token=%t : tile<ptr<i32>>, tile<i32> -> token
        }
      }""")
    with pytest.raises(AssertionsFailed, match="n is negative"):
        cuda_tile.run(module, grid=1, args=(np.zeros(1, np.int32), -1))


def test_a_for_that_ends_at_its_type() -> None:
    k = Kernel()
    bounds = [k.constant(n, "i8") for n in (120, 127, 10)]
    with k.region(tile_of("i8")) as body:
        k.op("continue")
    k.op("for", *bounds, regions=(body,))
    warnings = k.run().warnings
    assert len(warnings) == 1
    assert "'for' ends because 120 + 10 is beyond its type" in warnings[0]
    assert k.run(mode="permissive").warnings == []
