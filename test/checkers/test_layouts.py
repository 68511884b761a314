# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checker of layouts: kernels pass, a missing conversion does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from checked_kernels import GPUS, KERNELS, lowered

import cuda_tile
from cuda_tile import Options
from cuda_tile._mlir import ir
from cuda_tile.checkers import layouts
from cuda_tile.checkers.layouts import fault_of
from cuda_tile.errors import InternalError
from cuda_tile.ir.tiles import is_distributed, layout_of, with_layout
from cuda_tile.ir.traits import ELEMENTWISE, REDUCTIONS, SPREADS
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.layout.linear import LinearLayout

NEEDED = ELEMENTWISE | REDUCTIONS | SPREADS
"""Ops that need what a layout says of their operands."""

MOVES = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    %base = assume div_by<16>, %p : tile<ptr<f32>>
    %t = make_tensor_view %base, shape = [64, 64], strides = [64, 1] \
: tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t \
: partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %z = constant <i32: 0> : tile<i32>
    %a, %ka = load_view_tko weak %v[%z, %z] : partition_view<tile=(64x64), \
tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
    %turned = permute %a [1, 0] : tile<64x64xf32> -> tile<64x64xf32>
    %both = addf %a, %turned : tile<64x64xf32>
    %rows = reduce %both dim=1 identities=[0.0 : f32] : tile<64x64xf32> -> tile<64xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %xy = addf %x, %y : tile<f32>
      yield %xy : tile<f32>
    }
    %columns = reduce %both dim=0 identities=[0.0 : f32] \
: tile<64x64xf32> -> tile<64xf32>
    (%x: tile<f32>, %y: tile<f32>) {
      %xy = addf %x, %y : tile<f32>
      yield %xy : tile<f32>
    }
    %sums = mulf %rows, %columns : tile<64xf32>
    %line = reshape %sums : tile<64xf32> -> tile<1x64xf32>
    %lines = broadcast %line : tile<1x64xf32> -> tile<64x64xf32>
    %half = ftof %lines : tile<64x64xf32> -> tile<64x64xf16>
    %product = mmaf %half, %half, %a \
: tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    %scaled = mulf %product, %lines : tile<64x64xf32>
    %again = permute %scaled [1, 0] : tile<64x64xf32> -> tile<64x64xf32>
    %all = subf %again, %both : tile<64x64xf32>
    %k = store_view_tko weak %all, %v[%z, %z] : tile<64x64xf32>, \
partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, \
tile<i32> -> token
    return
  }
}
"""
"""Tiles that are needed in several layouts."""


def ops_of(module: ir.Module) -> list[ir.Operation]:
    return [op for e in entries(module.operation) for op in nested_ops(e)]


def swapped(layout: LinearLayout) -> list[LinearLayout]:
    """The layouts in which two bits have changed places, of registers, lanes, warps."""
    sizes = [len(group) for group in layout.bases[:3]]
    flat = [at for group in layout.bases[:3] for at in group]
    found: list[LinearLayout] = []
    for first in range(len(flat)):
        for second in range(first):
            if flat[first] != flat[second]:
                other = list(flat)
                other[first], other[second] = flat[second], flat[first]
                found.append(_of(layout, other, sizes))
    return found


def _of(
    layout: LinearLayout, flat: Sequence[tuple[int, ...]], sizes: Sequence[int]
) -> LinearLayout:
    lanes, warps = sizes[0], sizes[0] + sizes[1]
    register, lane = tuple(flat[:lanes]), tuple(flat[lanes:warps])
    warp = tuple(flat[warps:])
    return LinearLayout(layout.shape, register, lane, warp, layout.block)


@pytest.mark.parametrize("gpu", [*GPUS, "sm_120"])
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_pass(name: str, gpu: str) -> None:
    """Behind `place` and behind `stage`, which `lowered` asks."""
    assert ops_of(lowered(name, gpu, "place"))
    assert ops_of(lowered(name, gpu, "stage"))


def test_a_missing_conversion_is_noticed() -> None:
    """Where ops on each element, reductions or copies of elements use its result."""
    tried = 0
    for gpu in (*GPUS, "sm_120"):
        module = cuda_tile.load(MOVES.encode())
        module = cuda_tile.lower(module, until="place", options=Options(gpu=gpu))
        for op in ops_of(module):
            if op.name == "tileas.convert_layout":
                tried += _is_needed(op)
    assert tried >= 3 * 4


def _is_needed(op: ir.Operation) -> bool:
    """Whether a user of a conversion needs it, which then must be noticed."""
    source, result = op.operands[0], op.results[0]
    uses = [(use.owner.operation, use.operand_number) for use in result.uses]
    users = [user for user, _ in uses if user.name in NEEDED]
    if source.type == result.type or not users:
        return False
    for user, place in uses:
        user.operands[place] = source
    assert any(map(fault_of, users)), str(op)
    for user, place in uses:
        user.operands[place] = result
    return True


STRICT = ELEMENTWISE | {"cuda_tile.reshape", "cuda_tile.permute"}
"""Ops whose result has a register for each register of their operands."""


def test_bits_that_change_places_are_noticed() -> None:
    """In the result of an op that takes register by register."""
    module = cuda_tile.lower(
        cuda_tile.load(MOVES.encode()), until="place", options=Options(gpu="sm_80")
    )
    tried = Counter[str]()
    for op in ops_of(module):
        if op.name not in STRICT or not is_distributed(op.results[0]):
            continue
        if not any(map(is_distributed, op.operands)):
            continue
        before = op.results[0].type
        for layout in swapped(layout_of(op.results[0])):
            with module.context:
                op.results[0].set_type(with_layout(op.results[0], layout))
            assert fault_of(op), str(op)
            tried[op.name] += 1
        op.results[0].set_type(before)
    assert {"cuda_tile.addf", "cuda_tile.reshape", "cuda_tile.permute"} <= tried.keys()


def test_a_thread_without_some_element_is_named() -> None:
    """A broadcast of rows whose operand other lanes hold."""
    module = lowered(KERNELS[0], "sm_80", "place")
    ops = (op for op in ops_of(module) if op.name == "cuda_tile.broadcast")
    for op in ops:
        source = op.operands[0]
        if not is_distributed(source):
            continue
        for layout in swapped(layout_of(source)):
            with module.context:
                source.set_type(with_layout(source, layout))
            if fault_of(op):
                with pytest.raises(InternalError, match="each thread to hold what"):
                    layouts.check(module.operation, Options())
                return
    pytest.fail("expected a broadcast whose operand can be moved")
