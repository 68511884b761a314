# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers estimated from liveness against exact counts, and against ptxas."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import pytest
from real_kernels import RECIPES, kernel_path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "bench"))

from product_scan import Scanned

import cuda_tile
from cuda_tile import Options
from cuda_tile.analysis.address_tiles import AddressTiles
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.operand_sources import Product
from cuda_tile.analysis.product_families import slice_registers
from cuda_tile.analysis.registers import (
    estimate,
    held_registers,
    live_tiles,
)
from cuda_tile.constants import (
    COPIED_OVERHEAD_REGISTERS,
    LOOP_OVERHEAD_REGISTERS,
    OVERHEAD_REGISTERS,
)
from cuda_tile.ir.plan import ProductPlan
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.layout.atoms import MMA_ATOMS
from cuda_tile.targets import find_target

FEWER, MORE = 72, 48
"""How far the estimate may lie below and above what ptxas takes: it takes more where it
has them (prefetching, unrolled reads), and fewer where it interleaves accesses."""


def most_elements(body: str, arguments: str = "") -> int:
    """The most elements of tiles live at once in an entry with that body."""
    text = f"cuda_tile.module @m {{ entry @k({arguments}) {{ {body} return }} }}"
    module = cuda_tile.load(text.encode())
    live = live_tiles(entries(module.operation)[0])
    found = estimate(live, lambda tile: prod(tile.shape), lambda op: 0).registers
    found -= OVERHEAD_REGISTERS
    return found - LOOP_OVERHEAD_REGISTERS if "for" in body else found


POINTERS = "%p: tile<ptr<f32>>"
LOAD = """
%i{n} = iota : tile<64xi32>
%r{n} = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
%b{n} = broadcast %r{n} : tile<1xptr<f32>> -> tile<64xptr<f32>>
%a{n} = offset %b{n}, %i{n} : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
%x{n}, %t{n} = load_ptr_tko weak %a{n} : tile<64xptr<f32>> -> tile<64xf32>, token
"""


def load(*numbers: int) -> str:
    return "".join(LOAD.format(n=n) for n in numbers)


def test_constants_and_their_copies_hold_nothing() -> None:
    body = "%c = constant <f32: 1.0> : tile<64xf32> %d = addf %c, %c : tile<64xf32>"
    assert most_elements(body) == 0


def test_a_result_takes_the_place_of_its_operand() -> None:
    more = "%y = addf %x0, %x0 : tile<64xf32> %z = mulf %y, %y : tile<64xf32>"
    assert most_elements(load(0) + more, POINTERS) == 64


def test_tiles_that_wait_for_their_use_add_up() -> None:
    more = "%y = addf %x0, %x1 : tile<64xf32> %z = addf %y, %x2 : tile<64xf32>"
    assert most_elements(load(0, 1, 2) + more, POINTERS) == 3 * 64


STEPS = """
    %step_a = mulf %x0, %x0 : tile<64xf32>
    %step_b = fma %step_a, %x0, %x0 : tile<64xf32>
    %step_c = exp %step_b : tile<64xf32> %step_d = mulf %step_c, %x0 : tile<64xf32>"""


@pytest.mark.parametrize(
    ("more", "tiles"),
    [
        ("", 1),
        ("%step_r = reshape %step_b : tile<64xf32> -> tile<8x8xf32>", 2),
        ("%step_r = addf %step_b, %x1 : tile<64xf32>", 2),
        (
            "%step_r = addf %step_b, %x1 : tile<64xf32>\n"
            "%step_s = mulf %step_r, %x1 : tile<64xf32>",
            2,
        ),
    ],
    ids=["steps", "one_is_moved", "another_tile", "another_tile_twice"],
)
def test_steps_from_one_tile_hold_nothing_of_their_own(more: str, tiles: int) -> None:
    assert most_elements(load(0, 1) + STEPS + more, POINTERS) == tiles * 64


def test_an_epilogue_of_steps_takes_no_more_warps() -> None:
    product = Scanned((128, 128, 64), gpu="sm_80").text()
    head, mark, tail = product.partition("    }\n")
    steps = STEPS.replace("64x", "128x128x").replace("%x0", "%sum")
    made = head + mark + steps + tail.replace("%sum", "%step_d")
    compiled = cuda_tile.compile(cuda_tile.load(made.encode()), "sm_80")
    (kernel,) = compiled.report.kernels
    assert kernel.spill_bytes == 0
    assert kernel.threads == 128


def test_renaming_holds_nothing_of_its_own() -> None:
    more = """%y = reshape %x0 : tile<64xf32> -> tile<8x8xf32>
    %z = permute %y [1, 0] : tile<8x8xf32> -> tile<8x8xf32>
    %w = addf %y, %z : tile<8x8xf32>"""
    assert most_elements(load(0) + more, POINTERS) == 64


def test_what_a_loop_uses_lives_all_through_it() -> None:
    body = """
    %z = constant <i32: 0> : tile<i32>
    %n = constant <i32: 4> : tile<i32>
    %s = constant <i32: 1> : tile<i32>
    %c = constant <f32: 0.0> : tile<64xf32>
    %f = for %k in (%z to %n, step %s) : tile<i32>
        iter_values(%q = %c) -> (tile<64xf32>) {
      %u = addf %q, %x0 : tile<64xf32>
      %v = negf %u : tile<64xf32>
      continue %v : tile<64xf32>
    }
    %w = addf %f, %x1 : tile<64xf32>
    """
    # x0 is used in the loop, x1 after it, and one tile is carried.
    assert most_elements(load(0, 1) + body, POINTERS) == 3 * 64


def test_small_elements_share_registers_in_pairs_only() -> None:
    assert held_registers(8, 32) == 8
    assert held_registers(8, 64) == 16
    assert held_registers(8, 16) == 4
    assert held_registers(1, 16) == 1
    assert held_registers(8, 8) == 8


def test_limits_follow_the_file_of_registers() -> None:
    target = find_target("sm_90")
    assert target.register_limit(8, 1) == 255
    assert target.register_limit(8, 2) == 128
    assert target.register_limit(16, 1) == 128
    assert target.register_limit(4, 3) == 168
    assert target.resident_ctas(4, 168) == 3
    assert target.resident_ctas(4, 169) == 2
    assert target.resident_ctas(8, 255) == 1


# Against ptxas ------------------------------------------------------------------------


@dataclass
class Measured:
    """What the search estimates of a plan and what ptxas made of it.

    Attributes:
        estimated: Registers of a thread, as estimated.
        registers: What ptxas gave; with roles, which move registers between them, what
            all threads begin with.
        spill_bytes: Bytes that a thread spills.
        limit: What a thread may have; with roles, one of that which computes.
        has_roles: Whether there are roles.
    """

    estimated: int
    registers: int
    spill_bytes: int
    limit: int
    has_roles: bool


def measure(path: Path, gpu: str, **fields: int) -> Measured:
    """Compiles by the chosen plan, or by the first one with some fields."""
    module = cuda_tile.load(path)
    (plans,) = cuda_tile.list_plans(module, gpu).values()
    plan = next(
        plan
        for plan in plans
        if plan["possible"]
        and all(plan["fields"][name] == value for name, value in fields.items())
        if fields or plan["chosen"]
    )
    options = Options(gpu=gpu, plan=plan["number"])
    (kernel,) = cuda_tile.compile(module, options=options).report.kernels
    cost, has_roles = plan["cost"], plan["fields"]["roles"] != "one"
    return Measured(
        *(cost["registers"], kernel.registers, kernel.spill_bytes),
        *(cost["register_limit"], has_roles),
    )


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_120"])
@pytest.mark.parametrize("name", RECIPES)
def test_the_estimate_is_within_its_error_and_nothing_spills(
    name: str, gpu: str
) -> None:
    found = measure(kernel_path(name), gpu)
    if not found.has_roles:
        assert -FEWER <= found.estimated - found.registers <= MORE, found
    assert found.estimated <= found.limit, found
    assert found.spill_bytes == 0, found


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
@pytest.mark.parametrize("out", ["", "_f32out"])
def test_what_spills_was_estimated_too_large(out: str, gpu: str) -> None:
    fields = {"num_warps": 4, "warps_m": 2, "warps_n": 2, "min_ctas": 3}
    found = measure(kernel_path(f"matmul_f16{out}_128x128x64"), gpu, **fields)
    assert found.spill_bytes > 0, found
    assert found.estimated > found.limit, found


def test_elements_that_are_read_one_by_one_have_registers() -> None:
    """A step of 64 x 64 per warp by m16n8k32: 64 elements of A and of B per thread."""
    module = cuda_tile.load(kernel_path("matmul_i8_128x128x64"))
    (op,) = [op for op in nested_ops(module.operation) if op.name == "cuda_tile.mmai"]
    product = Product.of(op, lambda op, index: True)
    plan = ProductPlan(MMA_ATOMS["m16n8k32"], 2, 2)
    spared = LOOP_OVERHEAD_REGISTERS - COPIED_OVERHEAD_REGISTERS
    counts = {None: 128, frozenset[int](): 32 - spared, frozenset((1,)): 96}
    for gathered, expected in counts.items():
        assert slice_registers(product, plan, lambda tile: 0, gathered) == expected
    transposed = replace(plan, atom=MMA_ATOMS["m16n16k32"])
    counts = {frozenset((1,)): 32 - spared, frozenset((0, 1)): 96}
    for gathered, expected in counts.items():
        assert (
            slice_registers(product, transposed, lambda tile: 0, gathered) == expected
        )


def test_two_ctas_of_a_product_of_bytes_share_a_multiprocessor() -> None:
    """128 x 128 x 64 needs 104 registers at least where threads transpose B's bytes."""
    found = measure(kernel_path("matmul_i8_128x128x64"), "sm_80")
    assert found.limit == 128
    assert 104 <= found.estimated <= 128, found
    assert found.registers <= 128, found


# Rows that a table names --------------------------------------------------------------

ROWS = """
cuda_tile.module @m {{
  entry @k(%q: tile<ptr<f16>>, %k: tile<ptr<f16>>, %v: tile<ptr<f16>>,
           %names: tile<ptr<i32>>, %o: tile<ptr<f32>>, %n: tile<i32>) {{
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %qa = assume div_by<16>, %q : tile<ptr<f16>>
    %ka = assume div_by<{base}>, %k : tile<ptr<f16>>
    %va = assume div_by<{base}>, %v : tile<ptr<f16>>
    %qt = make_tensor_view %qa, shape = [16, 128], strides = [128, 1]
      : tensor_view<16x128xf16, strides=[128,1]>
    %qv = make_partition_view %qt
      : partition_view<tile=(16x128), tensor_view<16x128xf16, strides=[128,1]>>
    %x, %tx = load_view_tko weak %qv[%zero, %zero]
      : partition_view<tile=(16x128), tensor_view<16x128xf16, strides=[128,1]>>,
        tile<i32> -> tile<16x128xf16>, token
    %lane = iota : tile<64xi32>
    %column = iota : tile<128xi32>
    %c1 = reshape %column : tile<128xi32> -> tile<1x128xi32>
    %columns = broadcast %c1 : tile<1x128xi32> -> tile<64x128xi32>
    %width = constant <i32: 128> : tile<64x128xi32>
    %least = constant <i32: 0> : tile<64x128xi32>
    %pad = constant <f16: 0.0> : tile<64x128xf16>
    %k1 = reshape %ka : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %ks = broadcast %k1 : tile<1x1xptr<f16>> -> tile<64x128xptr<f16>>
    %v1 = reshape %va : tile<ptr<f16>> -> tile<1x1xptr<f16>>
    %vs = broadcast %v1 : tile<1x1xptr<f16>> -> tile<64x128xptr<f16>>
    %n1 = reshape %names : tile<ptr<i32>> -> tile<1xptr<i32>>
    %ns = broadcast %n1 : tile<1xptr<i32>> -> tile<64xptr<i32>>
    %none = constant <f32: 0.0> : tile<16x64xf32>
    %start = constant <f32: 0.0> : tile<16x128xf32>
    %sum = for %i in (%zero to %n, step %one) : tile<i32>
        iter_values(%acc = %start) -> (tile<16x128xf32>) {{
      %i1 = reshape %i : tile<i32> -> tile<1xi32>
      %is = broadcast %i1 : tile<1xi32> -> tile<64xi32>
      %place = addi %is, %lane : tile<64xi32>
      %pn = offset %ns, %place
        : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
      %name, %tn = load_ptr_tko weak %pn : tile<64xptr<i32>> -> tile<64xi32>, token
      %name1 = reshape %name : tile<64xi32> -> tile<64x1xi32>
      %rows = broadcast %name1 : tile<64x1xi32> -> tile<64x128xi32>
      %is_row = cmpi greater_than_or_equal %rows, %least, signed
        : tile<64x128xi32> -> tile<64x128xi1>
      %begin = muli %rows, %width : tile<64x128xi32>
      %at = addi %begin, %columns : tile<64x128xi32>
      %pk = offset %ks, %at
        : tile<64x128xptr<f16>>, tile<64x128xi32> -> tile<64x128xptr<f16>>
      %pv = offset %vs, %at
        : tile<64x128xptr<f16>>, tile<64x128xi32> -> tile<64x128xptr<f16>>
      %key, %tk = load_ptr_tko weak %pk, %is_row, %pad
        : tile<64x128xptr<f16>>, tile<64x128xi1>, tile<64x128xf16>
        -> tile<64x128xf16>, token
      %kt = permute %key [1, 0] : tile<64x128xf16> -> tile<128x64xf16>
      %s = mmaf %x, %kt, %none
        : tile<16x128xf16>, tile<128x64xf16>, tile<16x64xf32>
      %p = ftof %s : tile<16x64xf32> -> tile<16x64xf16>
      %value, %tv = load_ptr_tko weak %pv, %is_row, %pad
        : tile<64x128xptr<f16>>, tile<64x128xi1>, tile<64x128xf16>
        -> tile<64x128xf16>, token
      %next = mmaf %p, %value, %acc
        : tile<16x64xf16>, tile<64x128xf16>, tile<16x128xf32>
      continue %next : tile<16x128xf32>
    }}
    %ot = make_tensor_view %o, shape = [16, 128], strides = [128, 1]
      : tensor_view<16x128xf32, strides=[128,1]>
    %ov = make_partition_view %ot
      : partition_view<tile=(16x128), tensor_view<16x128xf32, strides=[128,1]>>
    %done = store_view_tko weak %sum, %ov[%zero, %zero]
      : tile<16x128xf32>,
        partition_view<tile=(16x128), tensor_view<16x128xf32, strides=[128,1]>>,
        tile<i32> -> token
    return
  }}
}}
"""


@pytest.mark.parametrize(("base", "expected"), [(16, 8), (4, 2), (2, 1)])
def test_a_thread_holds_a_pointer_for_each_vector(base: int, expected: int) -> None:
    module = cuda_tile.load(ROWS.format(base=base).encode())
    (entry,) = entries(module.operation)
    ops = list(nested_ops(entry))
    tiles = AddressTiles(ops, FactsAnalysis(entry))
    loads = [op for op in ops if op.name == "cuda_tile.load_ptr_tko"]
    names, key, _ = loads
    pointers, mask, _ = key.operands
    assert tiles.neighbours(pointers) == expected
    assert tiles.neighbours(mask) == expected
    assert tiles.neighbours(key.results[0]) == 1
    assert tiles.neighbours(names.results[0]) == 1


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_120"])
def test_rows_of_a_table_are_estimated_by_their_pointers(gpu: str) -> None:
    """With a pointer for each element 100 more were counted, too many for 4 warps."""
    module = cuda_tile.load(ROWS.format(base=16).encode())
    options = Options(gpu=gpu, num_warps=4)
    plans = cuda_tile.list_plans(module, options=options)["k"]
    (chosen,) = (plan for plan in plans if plan["chosen"])
    assert chosen["refusal"] is None
    compiled = cuda_tile.compile(module, options=options)
    (kernel,) = compiled.report.kernels
    assert kernel.spill_bytes == 0
    error = chosen["cost"]["registers"] - kernel.registers
    assert -FEWER <= error <= MORE, (chosen["cost"], kernel.registers)
