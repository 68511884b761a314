# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many columns of tensor memory a plan counts on, before there are any."""

from __future__ import annotations

import re

import pytest
from attention_kernels import Attention

import cuda_tile
from cuda_tile.analysis.operand_sources import Product
from cuda_tile.analysis.tcgen05 import allocated_columns
from cuda_tile.ir.plan import ProductPlan
from cuda_tile.ir.walk import nested_ops
from cuda_tile.layout.tensor import tensor_atom

SUM = "tile<128x64xf32>"
FACTORS = "tile<128x64xf16>, tile<64x64xf16>"


def product(name: str, total: str) -> str:
    """A product that is added to a sum."""
    return f"%{name} = mmaf %a, %b, %{total} : {FACTORS}, {SUM}\n"


def loop(name: str, total: str, inside: str, result: str) -> str:
    """A loop that carries a sum, which is `%c_NAME` inside."""
    return (
        f"%{name} = for %i_{name} in (%zero to %n, step %one) : tile<i32> "
        f"iter_values(%c_{name} = %{total}) -> ({SUM}) {{\n{inside}"
        f"continue %{result} : {SUM}\n}}\n"
    )


def scores(name: str) -> str:
    """A product that threads use in its iteration, and a sum of what they make."""
    return (
        product(f"s_{name}", "none")
        + f"%e_{name} = exp2 %s_{name} : {SUM}\n"
        + f"%d_{name} = mulf %c_{name}, %e_{name} : {SUM}\n"
        + product(f"o_{name}", f"d_{name}")
    )


def columns(*steps: str) -> int:
    """The columns of a kernel with such steps, whose last result it prints."""
    text = (
        "cuda_tile.module @m { entry @k(%n: tile<i32>) {\n"
        "%zero = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : tile<i32>\n"
        "%a = constant <f16: 1.0> : tile<128x64xf16>\n"
        "%b = constant <f16: 1.0> : tile<64x64xf16>\n"
        f"%none = constant <f32: 0.0> : {SUM}\n{''.join(steps)}return\n}} }}"
    )
    module = cuda_tile.load(text.encode())
    atom = tensor_atom("tcgen05.m128n64k16")
    assert atom is not None
    ops = [op for op in nested_ops(module.operation) if op.name == "cuda_tile.mmaf"]
    return allocated_columns({Product.of(op): ProductPlan(atom, 4, 1) for op in ops})


FIRST = loop("x", "none", scores("x"), "o_x")


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        pytest.param((FIRST,), 128, id="a sum and its scores"),
        pytest.param((FIRST, loop("y", "x", scores("y"), "o_y")), 128, id="goes on"),
        pytest.param(
            (
                loop("x", "none", product("p", "c_x"), "p"),
                loop("y", "none", product("q", "c_y"), "q"),
                f"%both = addf %x, %y : {SUM}\n",
            ),
            128,
            id="a sum that is used behind another loop",
        ),
        pytest.param(
            (FIRST, loop("y", "none", scores("y"), "o_y")),
            256,
            id="two sums, and scores of either loop",
        ),
        pytest.param(
            (loop("x", "none", product("s", "none") + product("o", "c_x"), "o"),),
            128,
            id="scores that nobody uses",
        ),
    ],
)
def test_columns_of_sums_at_a_time(steps: tuple[str, ...], wanted: int) -> None:
    assert columns(*steps) == wanted


def test_products_of_loops_that_follow_each_other_all_have_columns() -> None:
    """One beside the other they would want 640: 64 and 256 in each of two loops."""
    text = Attention("causal", 256, rows=128, keys=64).text()
    level = str(cuda_tile.lower(cuda_tile.load(text.encode()), "sm_100", until="plan"))
    atoms = re.findall(r'mmaf .*atom = "(\w+)', level)
    assert atoms == ["tcgen05"] * 4
