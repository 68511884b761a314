# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums in tensor memory that come to registers some columns at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from copied_product_text import Case, kernel, problem
from op_case import Array
from test_product_role import OWN, lowered, of_roles, run_in_one_cta
from test_tcgen05 import CHIP, F16, check, planned

import cuda_tile
from cuda_tile.emulator.errors import FindingError

PART = "part = 32 : i64, "
WHOLE = replace(F16, sizes=(256, 128, 128))
ODD = replace(F16, sizes=(200, 40, 88), divisor=8)
ACC = "tile<128x64xf32>"
LEVELS = ("row_tiling", "stage", "roles", "barriers")


@dataclass(frozen=True)
class Epilogue:
    """What a kernel makes of its sum before it stores that.

    Attributes:
        text: Ops that make `%g` of `%f`; `%w2` is a view of an array of C's shape, and
            `%w1` one of as many numbers as C has columns.
        result: The same of the sum, the numbers and the array.
        is_divided: Whether it can be made in parts.
    """

    text: str
    result: Callable[[Array, Array, Array], Array]
    is_divided: bool = True


EPILOGUES = {
    "relu": Epilogue(
        f"""%g = maxf %f, %zero : {ACC}""",
        lambda s, v, c: np.maximum(s, 0),
    ),
    "numbers_of_columns": Epilogue(
        f"""
    %n0 = iota : tile<64xi32>
    %n1 = itof %n0 signed : tile<64xi32> -> tile<64xf32>
    %n2 = reshape %n1 : tile<64xf32> -> tile<1x64xf32>
    %n3 = broadcast %n2 : tile<1x64xf32> -> {ACC}
    %g = addf %f, %n3 : {ACC}""",
        lambda s, v, c: s + np.arange(s.shape[1]) % 64,
    ),
    "bias_of_columns": Epilogue(
        f"""
    %v0, %vt = load_view_tko weak %w1[%by] : partition_view<tile=(64), padding_value \
= zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %v1 = reshape %v0 : tile<64xf32> -> tile<1x64xf32>
    %v2 = broadcast %v1 : tile<1x64xf32> -> {ACC}
    %g = addf %f, %v2 : {ACC}""",
        lambda s, v, c: s + v,
    ),
    "another_array": Epilogue(
        f"""
    %d0, %dt = load_view_tko weak %w2[%bx, %by] : partition_view<tile=(128x64), \
padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> {ACC}, token
    %g = addf %f, %d0 : {ACC}""",
        lambda s, v, c: s + c,
    ),
    "sum_of_a_row": Epilogue(
        f"""
    %r0 = reduce %f dim=1 identities=[0.0 : f32] : {ACC} -> tile<128xf32>
      (%x: tile<f32>, %y: tile<f32>) {{
        %z0 = addf %x, %y : tile<f32>
        yield %z0 : tile<f32>
      }}
    %r1 = reshape %r0 : tile<128xf32> -> tile<128x1xf32>
    %r2 = broadcast %r1 : tile<128x1xf32> -> {ACC}
    %g = addf %f, %r2 : {ACC}""",
        lambda s, v, c: s + s.reshape(s.shape[0], -1, 64).sum(2).repeat(64, 1),
        is_divided=False,
    ),
    "other_columns": Epilogue(
        f"""
    %p0 = reshape %f : {ACC} -> tile<128x32x2xf32>
    %p1 = permute %p0 [0, 2, 1] : tile<128x32x2xf32> -> tile<128x2x32xf32>
    %g = reshape %p1 : tile<128x2x32xf32> -> {ACC}""",
        lambda s, v, c: (
            s.reshape(s.shape[0], -1, 32, 2).transpose(0, 1, 3, 2).reshape(s.shape)
        ),
        is_divided=False,
    ),
    "store_behind_a_load": Epilogue(
        f"""
    %d0, %dt = load_view_tko weak %wc[%bx, %by] : partition_view<tile=(128x64), \
padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> {ACC}, token
    %g = addf %f, %d0 : {ACC}""",
        lambda s, v, c: s + 99,
        is_divided=False,
    ),
}


VIEWS = """
    %q1 = assume div_by<16>, %y1 : tile<ptr<f32>>
    %q2 = assume div_by<16>, %y2 : tile<ptr<f32>>
    %x1 = make_tensor_view %q1, shape = [%sn], strides = [1] :
      tile<i32> -> tensor_view<?xf32, strides=[1]>
    %w1 = make_partition_view %x1 : partition_view<tile=(64), padding_value = zero,
      tensor_view<?xf32, strides=[1]>>
    %x2 = make_tensor_view %q2, shape = [%sm, %sn], strides = [%sn, 1] :
      tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %w2 = make_partition_view %x2 : partition_view<tile=(128x64), padding_value = zero,
      tensor_view<?x?xf32, strides=[?,1]>>"""
PARAMETERS = "%xk: tile<i32>, %y1: tile<ptr<f32>>, %y2: tile<ptr<f32>>)"


def with_epilogue(text: str, name: str) -> str:
    """A kernel that makes something of its sum, and has two more arrays."""
    text = text.replace("%xk: tile<i32>)", PARAMETERS)
    store = "%tc = store_view_tko weak"
    made = f"{VIEWS}\n    {EPILOGUES[name].text}\n    {store} %g,"
    if "%dt = load_view_tko weak %wc" in made:  # which the store overwrites
        text = re.sub(r"(weak %f, %wc\[[^]]*\])", r"\1 token = %dt", text)
    return text.replace(f"{store} %f,", made)


def computed(text: str, case: Case, name: str, **how: Any) -> None:
    """Runs a kernel with an epilogue; its result is exact."""
    args, expected, grid = problem(case)
    rng = np.random.default_rng(3)
    bias, other = (
        rng.integers(-9, 9, shape).astype(np.float32)
        for shape in (expected.shape[1:], expected.shape)
    )
    module = how.pop("module", None) or cuda_tile.load(text.encode())
    cuda_tile.run(module, grid=grid, args=[*args, bias, other], **how)
    padded = np.zeros((expected.shape[0], grid[1] * 64), np.float32)
    padded[:, : expected.shape[1]] = expected
    wide = np.pad(bias, (0, padded.shape[1] - bias.size))
    more = np.pad(other, ((0, 0), (0, padded.shape[1] - other.shape[1])))
    wanted = EPILOGUES[name].result(padded, wide, more)
    assert np.array_equal(args[2], wanted[:, : expected.shape[1]])


@pytest.mark.parametrize("case", [WHOLE, ODD], ids=["whole", "odd"])
@pytest.mark.parametrize("name", EPILOGUES)
def test_what_follows_a_sum_is_right_in_parts(name: str, case: Case) -> None:
    text = with_epilogue(of_roles(case, more=PART), name)
    made = {level: lowered(text, level) for level in LEVELS}
    is_divided = "load_part" in made["barriers"]
    assert is_divided == EPILOGUES[name].is_divided
    for level in LEVELS:
        computed(text, case, name, module=cuda_tile.load(made[level].encode()))
    how = {"on": "emulator", "gpu": CHIP, "mode": "adversarial"}
    computed(text, case, name, **how)


CASES = {
    "m64": (replace(F16, tile=(64, 64, 64)), (4, 1), 16),
    "m256": (replace(F16, tile=(256, 64, 32), sizes=(256, 64, 96)), (8, 1), 32),
    "rows_in_two_registers": (
        replace(F16, tile=(256, 64, 32), sizes=(256, 64, 96)),
        (4, 1),
        16,
    ),
    "more_warps_than_rows": (F16, (4, 2), 32),
    "f16_sums": (replace(F16, result="f16"), (4, 1), 32),
    "i8": (Case("i8", "i32", (128, 64, 64), (128, 64, 192)), (4, 1), 16),
    "batched": (replace(F16, batched=True), (4, 1), 16),
    "threads_copy_an_operand": (replace(F16, gathers=True), (4, 2), 32),
}
"""Products, warps, and columns of a part."""


@pytest.mark.parametrize("name", CASES)
def test_each_form_comes_in_parts(name: str) -> None:
    case, warps, part = CASES[name]
    text = of_roles(case, warps, more=f"part = {part} : i64, ")
    made = lowered(text)
    assert "load_part" in made
    assert (OWN in made) == (name != "threads_copy_an_operand")
    args, expected, grid = problem(case)
    cuda_tile.run(cuda_tile.load(made.encode()), grid=grid, args=args)
    assert np.array_equal(args[2], expected)
    check(case, text)


def test_a_sum_that_leaves_in_each_iteration_is_right() -> None:
    text = of_roles(F16, more=PART)
    by_threads = '{tileas.plan = {engine = "threads"}}'
    text = re.sub(r"(load_view_tko weak %wa\[[^]]*\])", rf"\1 {by_threads}", text)
    check(F16, text)


def test_one_role_loads_parts_too() -> None:
    text = planned(F16).replace("{num_warps", "{part = 32 : i64, num_warps")
    assert "load_part" in lowered(text)
    check(F16, text)


def test_each_tile_of_a_persistent_kernel_has_parts() -> None:
    text = of_roles(WHOLE, more=PART + "persistent = 1 : i64, tile_group = 1 : i64, ")
    assert "load_part" in lowered(text)
    run_in_one_cta(text, WHOLE)


@pytest.mark.parametrize("start", ["0.0", "7.0"])
def test_only_sums_from_zero_on_come_in_parts(start: str) -> None:
    text = of_roles(WHOLE, more=PART)
    text = text.replace("constant <f32: 0.0>", f"constant <f32: {start}>")
    assert ("load_part" in lowered(text)) == (start == "0.0")


def test_a_copy_is_awaited_before_its_buffer_is_written_again() -> None:
    text = of_roles(WHOLE, more=PART)
    made = lowered(text)
    inner = made[made.index("load_part") : made.index("copy_out")]
    assert inner.index("await_copies") < inner.index("store_shared")
    module = cuda_tile.load(text.encode())
    compiled = cuda_tile.compile(module, CHIP, cubin=False)
    ptx = compiled.ptx
    waits = [m.start() for m in re.finditer(r"cp.async.bulk.wait_group", ptx)]
    assert len(waits) == 2
    mutant = ptx[: waits[0]] + "//" + ptx[waits[0] :]
    args, _, grid = problem(WHOLE)
    with pytest.raises(FindingError):
        cuda_tile.run(
            module,
            grid=grid,
            args=args,
            on="emulator",
            gpu=CHIP,
            mode="adversarial",
            compiled=replace(compiled, ptx=mutant),
        )


@pytest.mark.parametrize(("columns", "part"), [(256, 64), (32, 0)])
def test_the_search_divides_what_is_worth_two_barriers(columns: int, part: int) -> None:
    case = replace(F16, tile=(128, columns, 64), sizes=(256, 256, 64))
    text = kernel(case)
    found = re.search(r"part = (\d+)", lowered(text, "plan"))
    assert (int(found[1]) if found else 0) == part
    check(case, text)


def test_parts_need_few_registers() -> None:
    case = replace(F16, tile=(128, 256, 64), sizes=(256, 256, 64), result="f16")
    made = cuda_tile.compile(cuda_tile.load(kernel(case).encode()), CHIP)
    (found,) = made.report.kernels
    assert found.registers <= 72
    assert not found.spill_bytes
