# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds of floats hold of what NumPy computes, and are told of what they hold of."""

from __future__ import annotations

from math import inf

import pytest

import cuda_tile
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.float_bounds import float_bounds
from cuda_tile.ir.walk import entries, nested_ops

TILE = "tile<16xf32>"
ONE = f"%c = constant <f32: 1.0> : {TILE}"
TINY = f"%c = constant <f32: 1.0e-40> : {TILE}"
DOWN = f"%c = constant <f32: -0.5> : {TILE}"
SQUARE = f"%a = mulf %x, %x : {TILE}"
FOUR = f"%c = constant <f32: 4.0> : {TILE}"
EXP = f"%a = exp %x : {TILE}"


def bounds(*lines: str, of: str = "f32") -> tuple[float, float]:
    """Those of the result of the last line, of a tile `%x` of any numbers."""
    body = "\n    ".join(lines)
    text = f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<{of}>>) {{
    %zero = constant <i32: 0> : tile<i32>
    %view = make_tensor_view %p, shape = [16], strides = [1]
      : tensor_view<16x{of}, strides=[1]>
    %tiles = make_partition_view %view
      : partition_view<tile=(16), tensor_view<16x{of}, strides=[1]>>
    %x, %t = load_view_tko weak %tiles[%zero]
      : partition_view<tile=(16), tensor_view<16x{of}, strides=[1]>>, tile<i32>
      -> tile<16x{of}>, token
    {body}
    return
  }}
}}"""
    module = cuda_tile.load(text.encode())
    (entry,) = entries(module.operation)
    facts = FactsAnalysis(entry)
    return float_bounds([*nested_ops(entry)][-2].results[0], facts.of)


@pytest.mark.parametrize(
    ("lines", "known"),
    [
        ((ONE,), (1.0, 1.0)),
        ((EXP,), (0.0, inf)),
        ((EXP, ONE, f"%y = addf %c, %a : {TILE}"), (1.0, inf)),
        ((SQUARE, ONE, f"%y = addf %a, %c : {TILE}"), (1.0, inf)),
        ((SQUARE, ONE, f"%y = subf %c, %a : {TILE}"), (-inf, 1.0)),
        ((DOWN, f"%a = mulf %c, %x : {TILE}", f"%y = mulf %a, %x : {TILE}"), (-inf, 0)),
        ((ONE, f"%y = fma %x, %x, %c : {TILE}"), (1.0, inf)),
        ((f"%a = absf %x : {TILE}", f"%y = negf %a : {TILE}"), (-inf, 0.0)),
        ((DOWN, f"%y = absf %c : {TILE}"), (0.5, 0.5)),
        ((EXP, "%y = reshape %a : tile<16xf32> -> tile<4x4xf32>"), (0.0, inf)),
        ((f"%a = sqrt %x rounding<zero> : {TILE}",), (0.0, inf)),
        (
            (FOUR, SQUARE, f"%y = addf %a, %c : {TILE}", f"%z = sqrt %y : {TILE}"),
            (2, inf),
        ),
        ((FOUR, f"%y = maxf %x, %c : {TILE}"), (4.0, inf)),
        ((FOUR, f"%y = minf %c, %x : {TILE}"), (-inf, 4.0)),
        ((FOUR, EXP, f"%y = maxf %a, %c propagate_nan : {TILE}"), (4.0, inf)),
        ((FOUR, EXP, f"%y = minf %a, %c propagate_nan : {TILE}"), (0.0, 4.0)),
        ((SQUARE, f"%n = negf %a : {TILE}", f"%y = exp %n : {TILE}"), (0.0, 2.0)),
        (
            (
                FOUR,
                EXP,
                f"%b = cmpf less_than ordered %x, %c : {TILE} -> tile<16xi1>",
                f"%y = select %b, %c, %a : tile<16xi1>, {TILE}",
            ),
            (0.0, inf),
        ),
    ],
)
def test_known(lines: tuple[str, ...], known: tuple[float, float]) -> None:
    assert bounds(*lines) == known


def test_a_nan_gives_the_other_one() -> None:
    """Of 4 or more, and of what may be less, the greater may be the latter."""
    more = FOUR, SQUARE, f"%y = addf %a, %c : {TILE}", f"%s = absf %x : {TILE}"
    assert bounds(*more, f"%z = maxf %y, %s : {TILE}") == (0.0, inf)
    assert bounds(*more, f"%z = maxf %y, %s propagate_nan : {TILE}") == (4.0, inf)
    assert bounds(*more, f"%z = maxf %y, %c : {TILE}") == (4.0, inf)
    less = f"%o = constant <f32: 1.0> : {TILE}"
    assert bounds(*more, less, f"%z = maxf %y, %o : {TILE}") == (1.0, inf)
    flushed = f"%z = maxf %y, %c flush_to_zero : {TILE}"
    assert bounds(*more, flushed) == (-inf, inf)


def test_sums_are_rounded() -> None:
    """A half of a unit more than one is one."""
    half = f"%h = constant <f32: 5.0e-8> : {TILE}"
    assert bounds(ONE, half, f"%y = addf %c, %h : {TILE}") == (1.0, 1.0)


@pytest.mark.parametrize(
    "lines",
    [
        (f"%y = addf %x, %x : {TILE}",),
        (f"%y = mulf %x, %x : {TILE}", f"%z = mulf %y, %x : {TILE}"),
        (EXP, TINY, f"%y = addf %c, %a flush_to_zero : {TILE}"),
        (EXP, ONE, f"%y = addf %c, %a rounding<zero> : {TILE}"),
        (ONE, f"%y = mulf %c, %x : {TILE}"),
        (f"%y = tanh %x : {TILE}",),
        (
            f"%c = constant <f32: 0x7FC00000> : {TILE}",
            f"%y = addf %c, %c : {TILE}",
        ),
    ],
)
def test_unknown(lines: tuple[str, ...]) -> None:
    assert bounds(*lines) == (-inf, inf)


def test_other_types_have_none() -> None:
    """Their sums round to another type."""
    assert bounds("%y = exp %x : tile<16xf16>", of="f16") == (-inf, inf)


INDEX = "%i = iota : tile<16xi32>"
MORE = "%s = addi %i, %n : tile<16xi32>"
LESS = "%s = subi %i, %n : tile<16xi32>"
BELOW = "%b = cmpi less_than %i, %n, signed : tile<16xi32> -> tile<16xi1>"
FIVE = "%n = constant <i32: 5> : tile<16xi32>"
OF_BITS = "%y = itof %b signed : tile<16xi1> -> tile<16xf32>"


def as_float(name: str, signedness: str) -> str:
    """Of a tile of integers."""
    return f"%y = itof {name} {signedness} : tile<16xi32> -> tile<16xf32>"


@pytest.mark.parametrize(
    ("lines", "known"),
    [
        ((INDEX, as_float("%i", "signed")), (0.0, 15.0)),
        ((INDEX, as_float("%i", "unsigned")), (0.0, 15.0)),
        (
            (
                INDEX,
                FIVE,
                MORE,
                as_float("%s", "unsigned"),
            ),
            (5.0, 20.0),
        ),
        # Without a sign -5 is a large number.
        (
            (
                INDEX,
                FIVE,
                LESS,
                as_float("%s", "signed"),
            ),
            (-5.0, 10.0),
        ),
        (
            (
                INDEX,
                FIVE,
                LESS,
                as_float("%s", "unsigned"),
            ),
            (-inf, inf),
        ),
        # A bit that is set is -1 if it has a sign.
        (
            (
                INDEX,
                FIVE,
                "%s = cmpi less_than %i, %n, signed",
                ": tile<16xi32> -> tile<16xi1>",
                "%y = itof %s signed : tile<16xi1> -> tile<16xf32>",
            ),
            (-inf, inf),
        ),
    ],
)
def test_of_integers(lines: tuple[str, ...], known: tuple[float, float]) -> None:
    assert bounds(*lines) == known
