# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Postconditions of `place`: every tile has a layout, and operands fit their ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from emit_control import loop, product
from emit_elementwise import STEPS
from emit_memory import any_leaf, store
from emit_program import Program
from emit_shape import MOVES, REDUCTIONS, random_shape
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from real_kernels import RECIPES, kernel_path

import cuda_tile
from cuda_tile import Options, ods
from cuda_tile._mlir import ir
from cuda_tile.ir.attributes import integer, integers
from cuda_tile.ir.tiles import is_distributed, layout_of, shape_of
from cuda_tile.ir.walk import block_ops, body, entries, nested_ops
from cuda_tile.layout.reduction import most_spread_result, replicated_result

ELEMENTWISE = {
    op.name
    for family in ("integer", "bitwise", "float", "math", "convert", "hint")
    for op in ods.family(family)
} | {"select", "offset", "load_ptr_tko", "store_ptr_tko"}


def distributed(values: Sequence[ir.Value]) -> list[ir.Value]:
    return [value for value in values if is_distributed(value)]


def check_entry(entry: ir.Operation) -> None:
    """Checks every operation of a placed entry."""
    for op in nested_ops(entry):
        for value in distributed([*op.operands, *op.results]):
            layout = layout_of(value)  # fails where there is none
            assert layout.shape == shape_of(value)
            assert layout.is_surjective
        check_op(op, op.name.removeprefix("cuda_tile."))


def check_op(op: ir.Operation, name: str) -> None:
    """Checks that the layouts of one operation fit together."""
    tiles = distributed([*op.operands, *op.results])
    layouts = [layout_of(tile) for tile in tiles]
    if name in ELEMENTWISE:
        assert len(set(layouts)) <= 1, op
    elif name == "tileas.convert_layout":
        assert layouts[0] != layouts[1], "a conversion that converts nothing"
    elif name == "permute":
        assert layouts[1] == layouts[0].permute(integers(op, "permutation"))
    elif name == "reshape" and len(tiles) == 2:
        assert layouts[1] == layouts[0].reshape(shape_of(tiles[1]))
    elif name == "broadcast":
        wanted = layouts[1].broadcast_source(shape_of(tiles[0]))
        assert layouts[0] == wanted.drop_redundant_registers()
    elif name == "reduce":
        dim = integer(op, "dim")
        for source, result in zip(op.operands, op.results, strict=True):
            if is_distributed(result):
                wanted = {
                    replicated_result(layout_of(source), dim),
                    most_spread_result(layout_of(source), dim),
                }
                assert layout_of(result) in wanted
    elif name == "for":
        check_loop(op)


def check_loop(op: ir.Operation) -> None:
    """What a loop carries has one layout all the way round."""
    block = body(op)
    iterations = zip(
        list(op.operands)[3:],
        list(block.arguments)[1:],
        block_ops(block)[-1].operands,
        op.results,
        strict=True,
    )
    for values in iterations:
        assert len({layout_of(value) for value in distributed(values)}) <= 1


@st.composite
def programs(draw: Any) -> Program:
    p = Program(draw)
    for _ in range(p.number(1, 3)):
        any_leaf(p, random_shape(p))
    steps = (*STEPS, *MOVES, *MOVES, *REDUCTIONS, *REDUCTIONS, loop, product)
    for _ in range(p.number(1, 10)):
        p.pick(steps)(p)
    for value in p.pool[-3:]:
        store(p, value)
    return p


@settings(
    max_examples=60,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(programs(), st.sampled_from((4, 8)))
def test_random_programs_are_placed(p: Program, warps: int) -> None:
    module = cuda_tile.load(f"cuda_tile.module @m {{\n{p.entry()}\n}}".encode())
    options = Options(num_warps=warps)
    for last in ("place", "stage"):
        placed = cuda_tile.lower(module, until=last, options=options)
        assert placed.operation.verify()
        for entry in entries(placed.operation):
            check_entry(entry)


@pytest.mark.parametrize("last", ["place", "stage", "barriers"])
@pytest.mark.parametrize("name", RECIPES)
def test_real_kernels_are_placed(name: str, last: str) -> None:
    placed = cuda_tile.lower(cuda_tile.load(kernel_path(name)), until=last)
    for entry in entries(placed.operation):
        check_entry(entry)


CONVERSIONS = {
    "transpose_f32_64x64": 1,
    "matmul_f16_f32out_128x128x64": 0,
    "matmul_f06_128x128x64": 1,
}


@pytest.mark.parametrize(
    "name", [n for n in RECIPES if "vadd" in n or n in CONVERSIONS]
)
def test_conversions_of_real_kernels(name: str) -> None:
    """None in a stream, one in a transposition, none for the operands of warpgroups.

    Its f32 result fills whole sectors as it is, an f16 result is converted.
    """
    placed = cuda_tile.lower(cuda_tile.load(kernel_path(name)), until="place")
    (entry,) = entries(placed.operation)
    found = [op for op in nested_ops(entry) if op.name == "tileas.convert_layout"]
    assert len(found) == CONVERSIONS.get(name, 0)


def test_a_reduction_follows_the_layout_its_operand_arrives_in() -> None:
    # x is loaded by rows but computed with by columns, as the larger y wants it.
    text = b"""
    !rows = !cuda_tile.tensor_view<16x64xf16, strides=[64,1]>
    !columns = !cuda_tile.tensor_view<16x64xf64, strides=[1,16]>
    !x = !cuda_tile.partition_view<tile=(16x64), !rows>
    !y = !cuda_tile.partition_view<tile=(16x64), !columns>
    cuda_tile.module @m { entry @k(%p: tile<ptr<f16>>, %q: tile<ptr<f64>>) {
      %a = assume div_by<16>, %p : tile<ptr<f16>>
      %b = assume div_by<16>, %q : tile<ptr<f64>>
      %t = make_tensor_view %a, shape = [16, 64], strides = [64, 1] : !rows
      %u = make_tensor_view %b, shape = [16, 64], strides = [1, 16] : !columns
      %v = make_partition_view %t : !x
      %w = make_partition_view %u : !y
      %z = constant <i32: 0> : tile<i32>
      %x, %r = load_view_tko weak %v[%z, %z] : !x, tile<i32> -> tile<16x64xf16>, token
      %y, %s = load_view_tko weak %w[%z, %z] : !y, tile<i32> -> tile<16x64xf64>, token
      %wide = ftof %x : tile<16x64xf16> -> tile<16x64xf64>
      %sum = addf %wide, %y : tile<16x64xf64>
      %most = reduce %x dim=0 identities=[0x7E00 : f16]
        : tile<16x64xf16> -> tile<64xf16>
      (%c: tile<f16>, %d: tile<f16>) {
        %m = maxf %c, %d : tile<f16>
        yield %m : tile<f16>
      }
      %row = reshape %most : tile<64xf16> -> tile<1x64xf16>
      %full = broadcast %row : tile<1x64xf16> -> tile<16x64xf16>
      %e = store_view_tko weak %full, %v[%z, %z] token = %r
        : tile<16x64xf16>, !x, tile<i32> -> token
      %f = store_view_tko weak %sum, %w[%z, %z] token = %s
        : tile<16x64xf64>, !y, tile<i32> -> token
      return } }
    """
    placed = cuda_tile.lower(cuda_tile.load(text), until="place")
    for entry in entries(placed.operation):
        check_entry(entry)
