# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warps of kernels without products: what combining costs, and when it decides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cuda_tile
from cuda_tile import Options
from cuda_tile._mlir import ir
from cuda_tile.analysis.lane_folds import combining_slots, fold_slots, halving_steps
from cuda_tile.ir.plan import read_plan
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.layout.fragments import coalesced
from cuda_tile.targets import find_target

KERNELS = Path(__file__).parents[1] / "kernels" / "13.4"
ARGMAX = (KERNELS / "argmax_f32_4x1024.tileirbc").read_bytes()


def rows(m: int, n: int) -> bytes:
    """A kernel that adds up each row of a tile."""
    view = (
        f"partition_view<tile=({m}x{n}), tensor_view<65536x{n}xf32, strides=[{n},1]>>"
    )
    out = f"partition_view<tile=({m}), tensor_view<65536xf32, strides=[1]>>"
    return f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f32>>, %o: tile<ptr<f32>>) {{
    %base = assume div_by<16>, %p : tile<ptr<f32>>
    %end = assume div_by<16>, %o : tile<ptr<f32>>
    %t = make_tensor_view %base, shape = [65536, {n}], strides = [{n}, 1]
      : tensor_view<65536x{n}xf32, strides=[{n},1]>
    %v = make_partition_view %t : {view}
    %u = make_tensor_view %end, shape = [65536], strides = [1]
      : tensor_view<65536xf32, strides=[1]>
    %w = make_partition_view %u : {out}
    %x, %y, %_ = get_tile_block_id : tile<i32>
    %z = constant <i32: 0> : tile<i32>
    %a, %ta = load_view_tko weak %v[%x, %z] : {view}, tile<i32>
      -> tile<{m}x{n}xf32>, token
    %f = reduce %a dim=1 identities=[0.0 : f32] : tile<{m}x{n}xf32> -> tile<{m}xf32>
      (%b: tile<f32>, %c: tile<f32>) {{
        %r = addf %b, %c : tile<f32>
        yield %r : tile<f32>
      }}
    %s = store_view_tko weak %f, %w[%x] : tile<{m}xf32>, {out}, tile<i32> -> token
    return
  }}
}}
""".encode()


def warps(source: bytes, gpu: str) -> int:
    """Of the plan that is chosen."""
    module = cuda_tile.lower(cuda_tile.load(source), until="plan", options=Options(gpu))
    return read_plan(entries(module.operation)[0]).num_warps


def reduction(module: ir.Module) -> ir.Operation:
    """The only reduction of a module."""
    (found,) = (
        op for op in nested_ops(module.operation) if op.name == "cuda_tile.reduce"
    )
    return found


@pytest.mark.parametrize("n_warps", [1, 2, 4, 8])
def test_a_warp_folds_its_registers_then_lanes_then_what_other_warps_have(
    n_warps: int,
) -> None:
    """Sums of the PTX are as many as the estimate has; shuffles and selects beside."""
    module, target = cuda_tile.load(rows(4, 1024)), find_target("sm_80")
    layout = coalesced((4, 1024), (1, 0), 4, n_warps)
    slots = combining_slots(reduction(module), layout, target)
    options = Options("sm_80", num_warps=n_warps, line_info=False)
    ptx = cuda_tile.compile(module, options=options).ptx
    across = fold_slots(4, 5, 1, 1, halving_steps(4, 5, 1, 1))
    in_lanes = 2 + 1 + 3  # four rows are halved twice, and crossed by three steps
    assert slots - across + in_lanes == len(re.findall(r"\tadd\S*\.f32", ptx))


def test_one_warp_that_exchanges_nothing_is_better_for_an_argmax() -> None:
    """Each thread would fold every warp's part of every row, by a body of seven ops."""
    assert warps(ARGMAX, "sm_80") == warps(ARGMAX, "sm_90") == 1


def test_sums_are_cheap_enough_for_warps_to_exchange() -> None:
    """A near miss: the same tile with a body of one instruction, where L2 limits."""
    assert warps(rows(4, 1024), "sm_80") == 4


def test_a_warp_without_company_hides_no_latency() -> None:
    """A near miss: one warp of a softmax issues least, but few of them have room."""
    module = cuda_tile.load(KERNELS / "softmax_f16_4096.tileirbc")
    (plans,) = cuda_tile.list_plans(module, "sm_80").values()
    one, *_ = (plan for plan in plans if plan["fields"]["num_warps"] == 1)
    (chosen,) = (plan for plan in plans if plan["chosen"])
    assert chosen["fields"]["num_warps"] == 4
    assert one["cost"]["ctas"] < 4 * chosen["cost"]["ctas"]
    assert one["cost"]["iteration"] > 0.9 * chosen["cost"]["iteration"]


def test_what_each_warp_repeats_counts() -> None:
    """A tile that is smaller than a CTA is computed by each of its warps."""
    module = cuda_tile.load(KERNELS / "control_f32_256.tileirbc")
    (plans,) = cuda_tile.list_plans(module, "sm_80").values()
    clocks = {p["fields"]["num_warps"]: p["cost"]["iteration"] for p in plans}
    assert clocks[1] < clocks[2] < clocks[4] < clocks[8]
