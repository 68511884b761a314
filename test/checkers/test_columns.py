# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checker of columns of tensor memory: what is planned passes, faults do not."""

from __future__ import annotations

import re

import pytest
from differential_case import make_case
from differential_plans import DrawnPlan
from differential_steps import TENSOR, make_recipe, write_program

import cuda_tile
from cuda_tile import InternalError, Options
from cuda_tile._mlir import ir
from cuda_tile.analysis import tensor_columns as analysis
from cuda_tile.analysis.control_flow import ControlFlow
from cuda_tile.analysis.tensor_columns import (
    TensorColumns,
    awaits_of,
    change_in_place,
    tensor_columns,
)
from cuda_tile.checkers.columns import faults_of
from cuda_tile.ir.walk import entries, nested_ops

CHIP, COLUMNS = "sm_100", 512
TWO_LIVE = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <f32: 0.0> : tile<64x16xf32>
    %a = constant <f16: 1.0> : tile<64x16xf16>
    %b = constant <f16: 2.0> : tile<16x16xf16>
    %first = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %s:2 = for %i in (%first to %n, step %one) : tile<i32>
        iter_values(%x = %zero, %y = %zero)
        -> (tile<64x16xf32>, tile<64x16xf32>) {
      %c = mmaf %a, %b, %x PLAN : tile<64x16xf16>, tile<16x16xf16>, tile<64x16xf32>
      %d = mmaf %a, %b, %y PLAN : tile<64x16xf16>, tile<16x16xf16>, tile<64x16xf32>
      continue %c, %d : tile<64x16xf32>, tile<64x16xf32>
    }
    %e = addf %s#0, %s#1 : tile<64x16xf32>
    %q = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %r = broadcast %q : tile<1x1xptr<f32>> -> tile<64x16xptr<f32>>
    %t = store_ptr_tko weak %r, %e : tile<64x16xptr<f32>>, tile<64x16xf32> -> token
    return
  }
}
""".replace("PLAN", '{tileas.plan = {atom = "tcgen05.m64n16k16"}}').replace(
    "%n: tile<i32>) {",
    "%n: tile<i32>) attributes {tileas.plan = {num_warps = 4 : i64, "
    "warps_m = 4 : i64, warps_n = 1 : i64}} {",
)
"""A loop that carries two sums."""


def allocated(text: str, plan: DrawnPlan | None = None) -> ir.Module:
    """A kernel behind `allocate`, judged."""
    hooks = {} if plan is None else {"plan": plan.add_to}
    seen: list[str] = []

    def observe(name: str, level: object) -> None:
        if name == "allocate":
            seen.append(str(level))

    module = cuda_tile.load(text.encode())
    cuda_tile.compile(
        module,
        options=Options(gpu=CHIP, check=True),
        after=hooks,
        observe=observe,
        cubin=False,
    )
    return cuda_tile.load(seen[0].encode())


def places(found: TensorColumns) -> list[int]:
    """The first columns of the sums of a kernel."""
    return sorted(set(found.first.values()))


def moved(found: TensorColumns, old: int, new: int) -> dict[ir.Value, int]:
    """One sum in the columns of another."""
    return {v: new if start == old else start for v, start in found.first.items()}


def test_sums_that_live_together_share_no_columns() -> None:
    module = allocated(TWO_LIVE)
    with module.context:
        (entry,) = entries(module.operation)
        flow, found = ControlFlow(entry), tensor_columns(entry)
        assert places(found) == [0, 16]
        assert not faults_of(flow, found.first, found.allocated)
        for near in (1, 15):
            faults = faults_of(flow, moved(found, 16, near), COLUMNS)
            assert all("written to since" in text for text in faults.values())
            assert faults
        assert not faults_of(flow, moved(found, 16, 17), COLUMNS)


def test_a_sum_stays_where_it_is() -> None:
    module = allocated(TWO_LIVE)
    with module.context:
        (entry,) = entries(module.operation)
        flow, found = ControlFlow(entry), tensor_columns(entry)
        for value in found.first:
            faults = faults_of(flow, {**found.first, value: 64}, COLUMNS)
            assert any("to leave a sum in" in text for text in faults.values())


def test_sums_lie_in_columns_that_are_there() -> None:
    module = allocated(TWO_LIVE)
    with module.context:
        (entry,) = entries(module.operation)
        flow, found = ControlFlow(entry), tensor_columns(entry)
        text = next(iter(faults_of(flow, found.first, 31).values()))
        assert text == "expected sums in columns 0 to 31, got 16 to 32"
        assert faults_of(flow, moved(found, 0, -1), COLUMNS)


def test_sums_of_loops_behind_each_other_share_columns() -> None:
    first, rest = TWO_LIVE.split("    %s:2 = for")
    body, end = rest.split("    %e = addf")
    again = body.replace("%zero, %y = %zero", "%s#0, %y = %zero")
    again = again.replace("%x PLAN", "%x")
    text = f"{first}    %s:2 = for{body}    %u:2 = for{again}    %e = addf{end}"
    text = text.replace("%e = addf %s#0, %s#1", "%e = addf %u#0, %u#1")
    module = allocated(text)
    with module.context:
        (entry,) = entries(module.operation)
        flow, found = ControlFlow(entry), tensor_columns(entry)
        assert len(set(found.place.values())) == 4
        assert places(found) == [0, 16], "two live at a time"
        assert not faults_of(flow, found.first, found.allocated)
        assert faults_of(flow, moved(found, 16, 0), COLUMNS)


def test_a_sum_is_awaited_before_its_columns_begin_the_next_one() -> None:
    """It runs on into the next iteration, whose own product stands before its use."""
    text = re.sub(
        r"%c = mmaf %a, %b, %x(.*)\n.*\n",
        r"%c = mmaf %a, %b, %zero\1\n      %d = addf %x, %y : tile<64x16xf32>\n",
        TWO_LIVE,
    )
    module = allocated(text)
    with module.context:
        (entry,) = entries(module.operation)
        names = [
            op.name
            for op in nested_ops(entry)
            if op.block != entry.regions[0].blocks[0]
        ]
        carried, start = names.index("tileas.await"), names.index("tileas.settled")
        assert carried < start < names.index("tileas.tcgen05")


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_random_kernels_pass(seed: int) -> None:
    recipe = make_recipe(TENSOR, seed)
    case = make_case(recipe, write_program(recipe))
    module = allocated(case.body, DrawnPlan({}, tensor=True))
    with module.context:
        for entry in entries(module.operation):
            flow, found = ControlFlow(entry), tensor_columns(entry)
            assert not faults_of(flow, found.first, max(32, found.allocated))


def _half(op: ir.Operation) -> int:
    return analysis.columns_of(analysis.pending_tile(op.results[0])[1].shape, 64) // 2


def _apart(places: object, one: ir.Value, other: ir.Value) -> None:
    del places, one, other


@pytest.mark.parametrize(
    ("whole", "name", "mutant", "message"),
    [
        (analysis, "_columns", _half, "written to since"),
        (analysis._Places, "join", _apart, "to leave a sum in"),
    ],
)
def test_a_wrong_analysis_is_noticed(
    whole: object,
    name: str,
    mutant: object,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(whole, name, mutant)
    with pytest.raises(InternalError, match=message):
        allocated(TWO_LIVE)


CHANGED_BODY = """
      %c = mmaf %a, %b, %zero PLAN : tile<64x16xf16>, tile<16x16xf16>, tile<64x16xf32>
      %g = negf %c : tile<64x16xf32>
      %h = mulf %x, %g : tile<64x16xf32>
      %d = mmaf %a, %b, %h PLAN : tile<64x16xf16>, tile<16x16xf16>, tile<64x16xf32>
      continue %d : tile<64x16xf32>
    }
    %e = addf %s, %s : tile<64x16xf32>
""".replace("PLAN", '{tileas.plan = {atom = "tcgen05.m64n16k16"}}')


def with_early_await() -> ir.Module:
    """A sum that changes in place; its await stands before another product's start."""
    head, tail = TWO_LIVE.split("      %c = mmaf")
    head = head.replace("%s:2", "%s").replace(", %y = %zero", "")
    head = head.replace("(tile<64x16xf32>, tile<64x16xf32>)", "(tile<64x16xf32>)")
    end = tail[tail.index("    %q = reshape") :]
    module = allocated(head + CHANGED_BODY + end)
    ops = list(nested_ops(entries(module.operation)[0]))
    (change,) = [op for op in ops if op.name == "cuda_tile.mulf"]
    starts = [op for op in ops if op.name == "tileas.settled"]
    (start,) = [op for op in starts if change_in_place(op) == change]
    (first,) = [op for op in starts if op.block == change.block and op != start]
    (end_of_sum,) = awaits_of(change)
    end_of_sum.move_before(first)
    return module


def test_a_sum_that_changes_in_place_keeps_its_columns_till_then() -> None:
    """Awaited, it is in no register: the change loads it where it settles."""
    module = with_early_await()
    with module.context:
        (entry,) = entries(module.operation)
        flow, found = ControlFlow(entry), tensor_columns(entry)
        assert len(places(found)) == 2
        assert not faults_of(flow, found.first, found.allocated)
        faults = faults_of(flow, dict.fromkeys(found.first, 0), COLUMNS)
        assert any("tileas.settled" in text for text in faults.values())
