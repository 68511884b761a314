# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops, branches and the ops that leave them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interp_harness import DTYPES, evaluate, op, run_ops, scalar_type

from cuda_tile.interp import InterpError, Op
from cuda_tile.interp.program import Block

PRELUDE = """
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %ten = constant <i32: 10> : tile<i32>
"""


def scalar(value: int, kind: str = "i32") -> np.ndarray:
    return np.array(value, DTYPES[kind])


def trips(lower: int, upper: int, step: int, kind: str, unsigned: bool) -> list[int]:
    """Values of the induction variable, weighted so that their order counts."""
    word = "unsigned " if unsigned else ""
    body = f"""
      %zero = constant <{kind}: 0> : tile<{kind}>
      %one = constant <{kind}: 1> : tile<{kind}>
      %r, %n = for {word}%i in (%lo to %hi, step %st) : tile<{kind}>
          iter_values(%sum = %zero, %count = %zero) -> (tile<{kind}>, tile<{kind}>) {{
        %s = addi %sum, %i : tile<{kind}>
        %c = addi %count, %one : tile<{kind}>
        continue %s, %c : tile<{kind}>, tile<{kind}>
      }}
    """
    total, count = evaluate(
        body,
        {"r": ((), kind), "n": ((), kind)},
        lo=scalar(lower, kind),
        hi=scalar(upper, kind),
        st=scalar(step, kind),
    )
    return [int(total), int(count)]


@pytest.mark.parametrize(
    ("lower", "upper", "step", "expected"),
    [
        (0, 10, 4, [12, 3]),
        (5, 5, 1, [0, 0]),
        (7, 5, 1, [0, 0]),
        (-3, 3, 2, [-3, 3]),
        (0, 1, 100, [0, 1]),
    ],
)
@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "i64"])
def test_for(lower: int, upper: int, step: int, expected: list[int], kind: str) -> None:
    assert trips(lower, upper, step, kind, unsigned=False) == expected


def test_for_does_not_wrap() -> None:
    assert trips(120, 127, 10, "i8", unsigned=False) == [120, 1]


def test_for_unsigned() -> None:
    assert trips(-3, -1, 1, "i32", unsigned=True) == [-5, 2]
    assert trips(0, -1, 100, "i8", unsigned=True)[1] == 3


@pytest.mark.parametrize("step", [0, -1])
def test_for_step_must_be_positive(step: int) -> None:
    with pytest.raises(InterpError, match=f"a step above 0, got {step}"):
        trips(0, 4, step, "i32", unsigned=False)


def test_for_carries_tiles() -> None:
    body = (
        PRELUDE
        + """
      %r = for %i in (%zero to %n, step %one) : tile<i32>
          iter_values(%x = %a) -> (tile<4xf32>) {
        %y = addf %x, %x : tile<4xf32>
        continue %y : tile<4xf32>
      }
    """
    )
    a = np.arange(4, dtype=np.float32)
    got = evaluate(body, {"r": ((4,), "f32")}, a=a, n=scalar(5))
    assert got.tolist() == (a * 32).tolist()


I32, I1 = scalar_type("i32"), scalar_type("i1")


def constant(slot: int, value: int) -> Op:
    return op("constant", (), (slot,), (I32,), value=np.array(value, np.int32))


def addi(lhs: int, rhs: int, result: int) -> Op:
    return op("addi", (lhs, rhs), (result,), (I32, I32, I32))


def compare(predicate: str, lhs: int, rhs: int, result: int) -> Op:
    kinds = (I32, I32, I1)
    return op(
        "cmpi",
        (lhs, rhs),
        (result,),
        kinds,
        comparison_predicate=predicate,
        signedness="signed",
    )


def test_continue_in_a_nested_if_ends_the_trip() -> None:
    leave = Block((), (op("continue", (5,)),))
    nested = Block((), (op("if", (6,), (), (I1,), (leave, None)), op("yield")))
    body = Block(
        (4, 5),
        (
            op("trunci", (4,), (6,), (I32, I1)),
            op("if", (6,), (), (I1,), (nested, None)),
            addi(5, 4, 7),
            op("continue", (7,)),
        ),
    )
    ops = (
        constant(1, 0),
        constant(2, 10),
        constant(3, 1),
        op("for", (1, 2, 3, 1), (8,), (I32,) * 5, (body,)),
        op("return"),
    )
    assert int(run_ops((), ops, 9)[8]) == 0 + 2 + 4 + 6 + 8


@pytest.mark.parametrize(("value", "expected"), [(3, 13), (-3, -6)])
def test_if_yields(value: int, expected: int) -> None:
    then = Block((), (addi(0, 2, 4), op("yield", (4,))))
    otherwise = Block((), (addi(0, 0, 5), op("yield", (5,))))
    ops = (
        constant(1, 0),
        constant(2, 10),
        compare("greater_than", 0, 1, 3),
        op("if", (3,), (6,), (I1, I32), (then, otherwise)),
        op("return"),
    )
    assert int(run_ops((scalar(value),), ops, 7)[6]) == expected


@pytest.mark.parametrize(("value", "expected"), [(3, None), (-3, -6)])
def test_return_in_an_if_ends_the_block(value: int, expected: int | None) -> None:
    ops = (
        constant(1, 0),
        compare("greater_than", 0, 1, 2),
        op("if", (2,), (), (I1,), (Block((), (op("return"),)), None)),
        addi(0, 0, 3),
        op("return"),
    )
    assert run_ops((scalar(value),), ops, 4)[3] == expected


def loop(count: int, **options: Any) -> list[Any]:
    """Doubles slot 8 until slot 3, which counts, reaches `count`."""
    leave = Block((), (op("break", (4, 3)),))
    body = Block(
        (3, 4),
        (
            compare("greater_than_or_equal", 3, 0, 5),
            op("if", (5,), (), (I1,), (leave, None)),
            addi(3, 2, 6),
            addi(4, 4, 7),
            op("continue", (6, 7)),
        ),
    )
    ops = (
        constant(1, 0),
        constant(2, 1),
        op("loop", (1, 2), (8, 9), (I32,) * 4, (body,)),
        op("return"),
    )
    return run_ops((scalar(count),), ops, 10, **options)


def test_loop_gives_the_operands_of_break() -> None:
    assert [int(value) for value in loop(10)[8:]] == [1024, 10]


def test_limit_stops_an_endless_loop() -> None:
    with pytest.raises(InterpError, match="more than 1000 ops ran"):
        loop(2**31 - 1, limit=1000)
