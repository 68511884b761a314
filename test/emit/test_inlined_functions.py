# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of library functions are inlined: in loops always, elsewhere up to a size."""

from __future__ import annotations

import re

import pytest
from loop_mix import product_loops
from product_scan import Scanned

import cuda_tile
from cuda_tile import Options
from cuda_tile.machine.disassembler import find_nvdisasm

LOOP = """
cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %at = iota : tile<{n}xi32>
    %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    %ps = broadcast %p1 : tile<1xptr<f32>> -> tile<{n}xptr<f32>>
    %q = offset %ps, %at : tile<{n}xptr<f32>>, tile<{n}xi32> -> tile<{n}xptr<f32>>
    %x, %t = load_ptr_tko weak %q : tile<{n}xptr<f32>> -> tile<{n}xf32>, token
    {body}
    %s = store_ptr_tko weak %q, %z : tile<{n}xptr<f32>>, tile<{n}xf32> -> token
    return
  }}
}}
"""
IN_A_LOOP = """%z = for %i in (%zero to %n, step %one) : tile<i32>
        iter_values(%a = %x) -> (tile<{n}xf32>) {{
      %b = {op} : tile<{n}xf32>
      continue %b : tile<{n}xf32>
    }}"""
FUNCTIONS = ("sin %a", "cos %a", "tan %a", "tanh %a", "log %a", "pow %a, %a")
FEW, MANY = 1024, 8192
"""Elements of one warp; of many, calls outside of loops are not inlined."""


def calls(text: str) -> int:
    options = Options(gpu="sm_80", num_warps=1)
    module = cuda_tile.load(text.encode())
    ptx = cuda_tile.compile(module, options=options, cubin=False).ptx
    return len(re.findall(r"\bcall\b", ptx))


@pytest.mark.parametrize("op", FUNCTIONS)
def test_no_loop_has_calls(op: str) -> None:
    body = IN_A_LOOP.format(n=FEW, op=op)
    assert calls(LOOP.format(n=FEW, body=body)) == 0


def test_many_calls_stay_but_for_those_in_loops() -> None:
    body = f"%z = pow %x, %x : tile<{MANY}xf32>"
    assert calls(LOOP.format(n=MANY, body=body)) == MANY // 32
    body = IN_A_LOOP.format(n=MANY, op="pow %a, %a")
    assert calls(LOOP.format(n=MANY, body=body)) == 0


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
def test_epilogues_of_products_have_no_calls(gpu: str) -> None:
    text = Scanned((128, 128, 64), "f16", "tanh", gpu).text()
    ptx = cuda_tile.compile(cuda_tile.load(text.encode()), gpu, cubin=False).ptx
    assert not re.search(r"\bcall\b", ptx)


CARRIED = "continue %next : tile<128x64xf32>"
"""How the loop of a product ends."""


@pytest.mark.skipif(find_nvdisasm() is None, reason="nvdisasm reads machine code")
@pytest.mark.parametrize("function", ["tanh", "sin", "cos", "log", "log2", "tan"])
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_120"])
def test_no_loop_of_machine_code_with_products_has_calls(
    gpu: str, function: str
) -> None:
    """As in attention whose scores are capped: the sums go through a function."""
    text = Scanned((128, 64, 32), "f16", "none", gpu).text()
    assert CARRIED in text
    applied = f"%capped = {function} %next : tile<128x64xf32>\n      "
    text = text.replace(CARRIED, applied + CARRIED.replace("%next", "%capped"))
    made = cuda_tile.compile(cuda_tile.load(text.encode()), gpu)
    assert made.cubin is not None
    loops = product_loops(made.cubin)
    assert loops
    assert not any(loop.of("CALL") for loop in loops)
