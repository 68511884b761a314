# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `plan` chooses, what it gives up, and that it says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from real_kernels import kernel_path

import cuda_tile
from cuda_tile import Options
from cuda_tile._mlir import ir
from cuda_tile.ir.copy_plan import LoadPlan, read_load
from cuda_tile.ir.plan import REMARKS_ATTRIBUTE, read_plan
from cuda_tile.ir.traits import LOADS
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.plan.products import possible_divisions


def matmul(tile: str, hints: str = "") -> bytes:
    """A loop of products of m x n x k with operands from memory."""
    m, n, k = tile.split("x")

    def view(rows: str, columns: str) -> str:
        return (
            f"partition_view<tile=({rows}x{columns}), "
            "tensor_view<4096x4096xf16, strides=[4096,1]>>"
        )

    return f"""cuda_tile.module @m {{
  entry @k(%p: tile<ptr<f16>>) {hints} {{
    %base = assume div_by<16>, %p : tile<ptr<f16>>
    %t = make_tensor_view %base, shape = [4096, 4096], strides = [4096, 1] \
: tensor_view<4096x4096xf16, strides=[4096,1]>
    %va = make_partition_view %t : {view(m, k)}
    %vb = make_partition_view %t : {view(k, n)}
    %vc = make_partition_view %t : {view(m, n)}
    %z = constant <i32: 0> : tile<i32>
    %s = constant <i32: 1> : tile<i32>
    %e = constant <i32: 8> : tile<i32>
    %c = constant <f32: 0.0> : tile<{m}x{n}xf32>
    %f = for %i in (%z to %e, step %s) : tile<i32> iter_values(%q = %c) \
-> (tile<{m}x{n}xf32>) {{
      %a, %ta = load_view_tko weak %va[%z, %i] : {view(m, k)}, tile<i32> \
-> tile<{m}x{k}xf16>, token
      %b, %tb = load_view_tko weak %vb[%i, %z] : {view(k, n)}, tile<i32> \
-> tile<{k}x{n}xf16>, token
      %d = mmaf %a, %b, %q : tile<{m}x{k}xf16>, tile<{k}x{n}xf16>, tile<{m}x{n}xf32>
      continue %d : tile<{m}x{n}xf32>
    }}
    %h = ftof %f : tile<{m}x{n}xf32> -> tile<{m}x{n}xf16>
    %o = store_view_tko weak %h, %vc[%z, %z] : tile<{m}x{n}xf16>, {view(m, n)}, \
tile<i32> -> token
    return
  }}
}}
""".encode()


KEPT: list[ir.Module] = []
"""Modules whose operations tests hold: an operation does not keep its module."""


def planned(source: bytes | Path, gpu: str, warps: int | None = None) -> ir.Operation:
    """The entry after `plan`."""
    module = cuda_tile.load(source)
    options = Options(gpu, num_warps=warps)
    lowered = cuda_tile.lower(module, until="plan", options=options)
    KEPT.append(lowered)
    return entries(lowered.operation)[0]


def loads_of(source: bytes, gpu: str) -> list[LoadPlan]:
    """The plans of all loads after `plan`."""
    lowered = cuda_tile.lower(cuda_tile.load(source), gpu, until="plan")
    entry = entries(lowered.operation)[0]
    return [read_load(op) for op in nested_ops(entry) if op.name in LOADS]


def remarks(entry: ir.Operation) -> list[str]:
    if REMARKS_ATTRIBUTE not in entry.attributes:
        return []
    array = ir.ArrayAttr(entry.attributes[REMARKS_ATTRIBUTE])
    return [ir.StringAttr(remark).value for remark in array]


def hint(**values: int) -> str:
    text = ", ".join(f"{name} = {value}" for name, value in values.items())
    return f"optimization_hints=<sm_80 = {{{text}}}>"


def test_copies_get_slots_that_hide_their_latency() -> None:
    """Three of 48 KB, and of 32 KB where a CTA has 99 KB; two where two CTAs share."""
    for tile, gpu, slots in (
        ("128x128x64", "sm_80", 2),
        ("128x256x64", "sm_80", 3),
        ("256x128x64", "sm_80", 3),
        ("128x128x64", "sm_86", 3),
        ("128x128x64", "sm_89", 3),
        ("128x128x64", "sm_120", 3),
        ("128x256x64", "sm_89", 2),
    ):
        plans = loads_of(matmul(tile), gpu)
        assert plans == 2 * [LoadPlan("cp_async", slots, slots - 1)], (tile, gpu)


def test_warpgroups_get_a_role_that_loads() -> None:
    """On sm_90, 160 and 144 KB ahead; registers that the loads do not need."""
    for tile, slots in (("128x128x64", 6), ("128x256x64", 4), ("256x128x64", 4)):
        plans = loads_of(matmul(tile), "sm_90")
        assert plans == 2 * [LoadPlan("tma", slots, slots - 1)], tile
        plan = read_plan(planned(matmul(tile), "sm_90"))
        assert plan.roles == "load", tile
        assert plan.registers > plan.load_registers, tile


def test_tiles_of_which_no_two_fit_are_copied_where_they_are_used() -> None:
    entry = planned(matmul("256x256x64"), "sm_89")
    loads = [read_load(op) for op in nested_ops(entry) if op.name in LOADS]
    assert loads == 2 * [LoadPlan("cp_async", 1, 0)]
    assert any(
        "its copies have one slot each: two slots of 65536 bytes are needed, "
        "100352 bytes of shared memory are left" in remark
        for remark in remarks(entry)
    )


def test_chained_products_divide_rows_only() -> None:
    entry = planned(kernel_path("fmha_causal_f16_d64_128x64"), "sm_90")
    plan = read_plan(entry)
    assert (plan.warps_m, plan.warps_n) == (plan.num_warps, 1)
    assert not remarks(entry)


def test_fewer_ctas_than_hinted_where_registers_do_not_reach() -> None:
    entry = planned(kernel_path("fmha_causal_f16_d128_128x64"), "sm_90")
    assert read_plan(entry).min_ctas == 1
    (remark,) = remarks(entry)
    assert "wanted 2 CTAs of" in remark
    assert "got 1 of 8: " in remark
    assert "smaller tiles need fewer" in remark
    assert "test/kernels/kernels.py:" in remark


def test_more_warps_than_hinted_before_fewer_ctas() -> None:
    source = matmul("128x256x64", hint(num_worker_warps_per_cta=4, occupancy=1))
    entry = planned(source, "sm_80")
    assert read_plan(entry).num_warps == 8
    (remark,) = remarks(entry)
    assert "wanted 1 CTAs of 4 warps per multiprocessor, got 1 of 8" in remark


def test_a_hint_that_fits_is_obeyed() -> None:
    source = matmul("128x128x64", hint(num_worker_warps_per_cta=8, occupancy=1))
    entry = planned(source, "sm_80")
    assert read_plan(entry).num_warps == 8
    assert not remarks(entry)


def test_warps_the_user_asked_for_are_kept_and_spills_foretold() -> None:
    entry = planned(matmul("256x128x64"), "sm_80", warps=4)
    assert read_plan(entry).num_warps == 4
    (remark,) = remarks(entry)
    assert "wanted no spills" in remark


def test_a_tile_too_large_for_any_number_of_warps_is_said() -> None:
    entry = planned(matmul("256x256x64"), "sm_80")
    assert any("wanted no spills" in remark for remark in remarks(entry))


def test_more_ctas_than_threads_allow_are_not_asked_for() -> None:
    source = matmul("64x64x64", hint(num_worker_warps_per_cta=8, occupancy=20))
    entry = planned(source, "sm_80")
    assert read_plan(entry).min_ctas <= 8
    assert remarks(entry)


def test_elementwise_tiles_get_warps_until_they_fit() -> None:
    text = """cuda_tile.module @m {
      entry @k(%p: tile<ptr<i64>>) {
        %t = make_tensor_view %p, shape = [65536], strides = [1] \
: tensor_view<65536xi64, strides=[1]>
        %v = make_partition_view %t : partition_view<tile=(16384), \
tensor_view<65536xi64, strides=[1]>>
        %z = constant <i32: 0> : tile<i32>
        %s = constant <i32: 1> : tile<i32>
        %a, %ta = load_view_tko weak %v[%z] : partition_view<tile=(16384), \
tensor_view<65536xi64, strides=[1]>>, tile<i32> -> tile<16384xi64>, token
        %b, %tb = load_view_tko weak %v[%s] : partition_view<tile=(16384), \
tensor_view<65536xi64, strides=[1]>>, tile<i32> -> tile<16384xi64>, token
        %c = addi %a, %b : tile<16384xi64>
        %o = store_view_tko weak %c, %v[%z] : tile<16384xi64>, \
partition_view<tile=(16384), tensor_view<65536xi64, strides=[1]>>, tile<i32> -> token
        return
      }
    }"""
    assert read_plan(planned(text.encode(), "sm_90")).num_warps == 16


@pytest.mark.parametrize("warps", [1, 2, 4, 8, 16])
def test_divisions_leave_each_warp_an_atom(warps: int) -> None:
    for rows, columns in ((16, 8), (64, 64), (256, 16), (16, 256)):
        for along_rows in (False, True):
            found = possible_divisions(rows, columns, warps, along_rows=along_rows)
            assert found
            assert all(m * n == warps for m, n in found)
            if rows * columns >= warps * 16 * 8 and rows >= 16 * warps and along_rows:
                assert found == [(warps, 1)]
