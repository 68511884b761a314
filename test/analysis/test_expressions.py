# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values as expressions over parameters: what the expression gives, the kernel has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cuda_tile
from cuda_tile import interp
from cuda_tile.analysis.expressions import expression_of, parameter_of
from cuda_tile.errors import UserError
from cuda_tile.ir.walk import body, entries, nested_ops
from cuda_tile.runtime.expressions import Expression

PARAMETERS = ("i32", "i32", "i64", "i8")
EDGES: dict[int, tuple[int, ...]] = {
    8: (0, 1, -1, 127, -128, 3),
    32: (0, 1, -1, 7, 64, 2**31 - 1, -(2**31)),
}
EDGES[64] = (*EDGES[32], 2**40, 2**63 - 1, -(2**63))


def width(kind: str) -> int:
    return int(kind[1:])


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, list[int]]:
    """The text of a kernel that stores one scalar, and arguments."""
    args = [draw(st.sampled_from(EDGES[width(kind)])) for kind in PARAMETERS]
    values = [(f"%a{i}", kind) for i, kind in enumerate(PARAMETERS)]
    lines: list[str] = []
    for step in range(draw(st.integers(1, 6))):
        name = f"%v{step}"
        source, kind = draw(st.sampled_from(values))
        same = [value for value, ty in values if ty == kind]
        other = draw(st.sampled_from(same))
        sign = draw(st.sampled_from(("signed", "unsigned")))
        ty = f"tile<{kind}>"
        ways = ("wrap", "sign", "quotient", "width", "const", "shift")
        match draw(st.sampled_from(ways)):
            case "wrap":
                op = draw(st.sampled_from(("addi", "subi", "muli")))
                lines.append(f"{name} = {op} {source}, {other} : {ty}")
            case "sign":
                op = draw(st.sampled_from(("maxi", "mini")))
                lines.append(f"{name} = {op} {source}, {other} {sign} : {ty}")
            case "quotient":
                op = draw(st.sampled_from(("divi", "remi")))
                divisor = draw(st.sampled_from((1, 2, 3, 7, 64, -3)))
                lines.append(f"%c{step} = constant <{kind}: {divisor}> : {ty}")
                modes = ("", "positive_inf", "negative_inf")
                mode = draw(st.sampled_from(modes[: 3 if sign == "signed" else 2]))
                mode = f" rounding<{mode}>" if mode and op == "divi" else ""
                lines.append(f"{name} = {op} {source}, %c{step} {sign}{mode} : {ty}")
            case "shift":
                count = draw(st.sampled_from((0, 1, 3, width(kind) - 1)))
                lines.append(f"%c{step} = constant <{kind}: {count}> : {ty}")
                lines.append(f"{name} = shri {source}, %c{step} {sign} : {ty}")
            case "width":
                wider = [k for k in PARAMETERS if width(k) > width(kind)]
                narrower = [k for k in PARAMETERS if width(k) < width(kind)]
                target = draw(st.sampled_from(wider + narrower))
                word = (
                    f"exti {source} {sign}" if target in wider else f"trunci {source}"
                )
                lines.append(f"{name} = {word} : {ty} -> tile<{target}>")
                kind = target
            case _:
                value = draw(st.sampled_from(EDGES[width(kind)]))
                lines.append(f"{name} = constant <{kind}: {value}> : {ty}")
        values.append((name, kind))
    last, kind = values[-1]
    arguments = ", ".join(f"%a{i}: tile<{k}>" for i, k in enumerate(PARAMETERS))
    lines += [
        f"%t = store_ptr_tko weak %out, {last} : tile<ptr<{kind}>>, tile<{kind}> "
        "-> token",
        "return",
    ]
    text = "\n    ".join(lines)
    return (
        f"cuda_tile.module @m {{ entry @k({arguments}, %out: tile<ptr<{kind}>>) {{\n"
        f"    {text}\n  }} }}"
    ), args


def stored_value(module: Any) -> Any:
    (store,) = [
        op
        for op in nested_ops(entries(module.operation)[0])
        if op.name == "cuda_tile.store_ptr_tko"
    ]
    return store.operands[1]


@settings(max_examples=150, deadline=None)
@given(programs())
def test_an_expression_gives_what_the_kernel_computes(
    program: tuple[str, list[int]],
) -> None:
    text, args = program
    module = cuda_tile.load(text.encode())
    with module.context:
        value = stored_value(module)
        expression = expression_of(value)
        bits = int(str(value.type).removesuffix(">").rpartition("i")[2])
    assert expression is not None
    out = np.zeros(1, f"i{bits // 8}")
    try:
        interp.run(module, grid=(1,), args=[*args, out])
    except UserError:  # such as the smallest number by -1
        return
    assert expression.evaluate(args) == int(out[0])
    assert Expression.parse(str(expression)) == expression


OTHERS = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>, %f: tile<f32>, %flag: tile<i1>) {
    %m = assume div_by<16>, %n : tile<i32>
    %q = assume div_by<16>, %p : tile<ptr<i32>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %sum = addi %m, %x : tile<i32>
    %loaded, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %whole = ftoi %f signed : tile<f32> -> tile<i32>
    %far = offset %q, %n : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %nosum = addi %n, %n overflow<no_signed_wrap> : tile<i32>
    return
  }
}
"""


def test_what_is_no_expression() -> None:
    module = cuda_tile.load(OTHERS.encode())
    with module.context:
        entry = entries(module.operation)[0]
        found = {
            op.name.removeprefix("cuda_tile."): [expression_of(r) for r in op.results]
            for op in nested_ops(entry)
            if op.name.endswith(("block_id", "addi", "ftoi"))
        }
        flag = expression_of(body(entry).arguments[3])
        pointers = [
            parameter_of(op.results[0])
            for op in nested_ops(entry)
            if op.name in ("cuda_tile.assume", "cuda_tile.offset")
        ]
    assert found["get_tile_block_id"] == [None] * 3
    assert found["ftoi"] == [None]
    assert [str(e) for e in found["addi"]] == ["arg 1 arg 1 add signed 32"]
    assert flag is None
    assert pointers == [1, 0, None]


def test_a_long_expression_is_given_up() -> None:
    lines = ["%v0 = addi %n, %n : tile<i32>"]
    lines += [f"%v{i} = addi %v{i - 1}, %v{i - 1} : tile<i32>" for i in range(1, 40)]
    text = "\n".join(lines)
    module = cuda_tile.load(
        f"""cuda_tile.module @m {{ entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {{
        {text}
        %t = store_ptr_tko weak %p, %v39 : tile<ptr<i32>>, tile<i32> -> token
        return }} }}""".encode()
    )
    with module.context:
        assert expression_of(stored_value(module)) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("const 7 const -2 div", -3),
        ("const 7 const -2 div_floor", -4),
        ("const 7 const 2 div_ceil", 4),
        ("const -7 const 2 rem", -1),
        ("arg 1 const 3 min", 3),
        ("const 300 unsigned 8", 44),
        ("const 200 signed 8", -56),
    ],
)
def test_words(text: str, value: int) -> None:
    assert Expression.parse(text).evaluate([5, 9]) == value
    assert Expression.parse(text).evaluate({1: 9}) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "0 numbers are left"),
        ("const 1 const 2", "2 numbers are left"),
        ("const 1 add", "'add' finds too few numbers"),
        ("const", "no number behind 'const'"),
        ("arg -1", "'arg -1'"),
        ("arg 1 signed 0", "'signed 0'"),
        ("arg 1 unsigned 65", "'unsigned 65'"),
        ("arg 1 pow", "the word 'pow'"),
        ("7", "the word 7"),
    ],
)
def test_malformed_expressions(text: str, said: str) -> None:
    with pytest.raises(UserError, match=f"expected a postfix expression.*: {said}"):
        Expression.parse(text)


def test_evaluation_needs_its_arguments_and_no_zero() -> None:
    with pytest.raises(UserError, match=r"an integer argument 4 for .*'arg 4', got"):
        Expression.parse("arg 4").evaluate([1])
    with pytest.raises(UserError, match="no division by zero in expression 'arg 0 "):
        Expression.parse("arg 0 const 0 div").evaluate([1])
