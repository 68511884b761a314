# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products in tensor memory: interpreter, emulator and NumPy agree on all levels."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from copied_product_text import Case, kernel, problem
from lowered_levels import lowered_levels
from op_case import Array
from ptx_mutation import Mutant, mutants

import cuda_tile
from cuda_tile import UserError
from cuda_tile.plan import model

pytestmark = pytest.mark.sampled(3)

LEVELS = ("place", "stage", "ring", "roles", "skew", "issue", "count", "barriers")
CHIP = "sm_100"
F16 = Case("f16", "f32", (128, 64, 64), (256, 128, 192))


def planned(case: Case, warps: tuple[int, int] = (4, 1), more: str = "") -> str:
    """The kernel of a case, whose product is planned in tensor memory."""
    m, n, _ = case.tile
    depth = {"f16": 16, "bf16": 16, "tf32": 8}.get(case.operand, 32)
    atom = f"tcgen05.m{min(m, 128)}n{min(n, 256)}k{depth}"
    product = f'{{tileas.plan = {{atom = "{atom}"{more}}}}}'
    entry = (
        f"attributes {{tileas.plan = {{num_warps = {warps[0] * warps[1]} : i64, "
        f"warps_m = {warps[0]} : i64, warps_n = {warps[1]} : i64}}}} {{"
    )
    text = re.sub(r"(= mma[fi] [^:]*?) :", rf"\1 {product} :", kernel(case))
    return re.sub(r"(%xk: tile<i32>\)) \{", rf"\1 {entry}", text)


def check(
    case: Case, text: str, *, mode: str = "adversarial", chip: str = CHIP
) -> None:
    """Runs a kernel on the emulator; its result is exact."""
    args, expected, grid = problem(case)
    module = cuda_tile.load(text.encode())
    cuda_tile.run(module, grid=grid, args=args, on="emulator", gpu=chip, mode=mode)
    assert np.array_equal(args[2], expected)


@pytest.mark.parametrize("level", [None, *LEVELS])
def test_each_level_computes_the_product(level: str | None) -> None:
    module = cuda_tile.load(planned(F16).encode())
    lowered = module if level is None else cuda_tile.lower(module, CHIP, until=level)
    if level not in (None, "place"):
        assert "tileas.tcgen05" in str(lowered)
    args, expected, grid = problem(F16)
    cuda_tile.run(lowered, grid=grid, args=args)
    assert np.array_equal(args[2], expected)


@pytest.mark.parametrize("mode", ["fast", "adversarial"])
def test_the_emulator_computes_it(mode: str) -> None:
    check(F16, planned(F16), mode=mode)


CASES = {
    "m64": replace(F16, tile=(64, 64, 64)),
    "m256": replace(F16, tile=(256, 32, 32)),
    "n16": replace(F16, tile=(128, 16, 32)),
    "n256": replace(F16, tile=(128, 256, 32), sizes=(128, 256, 96)),
    "n512": replace(F16, tile=(64, 512, 16), sizes=(64, 512, 48)),
    "m64_n16": replace(F16, tile=(64, 16, 32)),
    "one_iteration": replace(F16, sizes=(128, 64, 64)),
    "odd_extents": replace(F16, sizes=(200, 72, 88), divisor=8),
    "a_along_m": replace(F16, transposed=(True, False)),
    "b_along_k": replace(F16, transposed=(False, True)),
    "both_transposed": replace(F16, transposed=(True, True)),
    "m64_both_transposed": replace(F16, tile=(64, 64, 64), transposed=(True, True)),
    "bf16": replace(F16, operand="bf16"),
    "f16_sums": replace(F16, result="f16"),
    "m64_f16_sums": replace(F16, result="f16", tile=(64, 32, 32)),
    "tf32": Case("tf32", "f32", (128, 64, 32), (128, 64, 96), (False, True)),
    "e4m3": Case("f8E4M3FN", "f32", (128, 64, 64), (128, 128, 192)),
    "e5m2_along_k": Case(
        "f8E5M2", "f32", (128, 64, 64), (128, 128, 192), (False, True)
    ),
    "e4m3_a_along_m": Case(
        "f8E4M3FN", "f32", (128, 64, 64), (128, 64, 128), (True, True)
    ),
    "i8": Case("i8", "i32", (128, 64, 64), (128, 64, 192)),
    "i8_m64": Case("i8", "i32", (64, 32, 64), (128, 64, 192), (False, True)),
    "gathered": replace(F16, gathers=True),
    "batched": replace(F16, batched=True),
}
"""Products by what is special about them."""


@pytest.mark.parametrize("name", CASES)
def test_each_form_is_right_on_the_emulator(name: str) -> None:
    case = CASES[name]
    check(case, planned(case))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("level", ["stage", "issue", "barriers"])
def test_each_form_is_right_on_the_interpreter(name: str, level: str) -> None:
    case = CASES[name]
    module = cuda_tile.load(planned(case).encode())
    args, expected, grid = problem(case)
    cuda_tile.run(cuda_tile.lower(module, CHIP, until=level), grid=grid, args=args)
    assert np.array_equal(args[2], expected)


@pytest.mark.parametrize(
    ("tile", "warps"),
    [
        ((128, 64, 64), (4, 2)),
        ((128, 128, 32), (4, 4)),
        ((256, 32, 32), (8, 1)),
        ((256, 64, 32), (8, 2)),
        ((64, 64, 32), (4, 2)),
    ],
)
def test_more_warps_share_the_sum(
    tile: tuple[int, int, int], warps: tuple[int, int]
) -> None:
    case = replace(F16, tile=tile)
    check(case, planned(case, warps))


ACC, TILES = "tile<128x64xf32>", "tile<128x64xf16>, tile<64x64xf16>, tile<128x64xf32>"
BODIES = {
    "starts_at_seven": ("7.0", "%d = mmaf %a, %b, %acc", lambda s, p: s + p),
    "adds_before": (
        "0.0",
        f"%h = addf %acc, %ones : {ACC}\n%d = mmaf %a, %b, %h",
        lambda s, p: s + 1 + p,
    ),
    "adds_after": (
        "3.0",
        f"%h = mmaf %a, %b, %acc : {TILES}\n%d = addf %h, %ones : {ACC}",
        lambda s, p: s + p + 1,
    ),
    "one_after_another": (
        "0.0",
        f"%h = mmaf %a, %b, %acc : {TILES}\n%d = mmaf %a, %b, %h",
        lambda s, p: s + 2 * p,
    ),
    "two_of_one_sum": (
        "1.0",
        f"%h = mmaf %a, %b, %acc : {TILES}\n%i = mmaf %a, %b, %acc : {TILES}\n"
        f"%d = addf %h, %i : {ACC}",
        lambda s, p: 2 * (s + p),
    ),
    "sum_that_something_else_uses": (
        "0.0",
        f"%h = mmaf %a, %b, %acc : {TILES}\n%i = mmaf %a, %b, %h : {TILES}\n"
        f"%d = addf %h, %i : {ACC}",
        lambda s, p: 2 * s + 3 * p,
    ),
    "product_of_its_own": (
        "0.0",
        f"%h = mmaf %a, %b, %ones : {TILES}\n%d = addf %h, %acc : {ACC}",
        lambda s, p: s + p + 1,
    ),
    "sum_before_it_changes": (
        "2.0",
        f"%h = mmaf %a, %b, %acc : {TILES}\n%d = addf %h, %acc : {ACC}",
        lambda s, p: 2 * s + p,
    ),
}
"""How a loop begins, what it does with a product, and that in NumPy."""


def loop(name: str, case: Case = F16) -> tuple[str, Array, list[Any], tuple[int, int]]:
    """Kernel, expected result, arguments and grid of a body."""
    start, body, step = BODIES[name]
    text = kernel(case)
    text = text.replace(
        "%zero = constant <f32: 0.0>", f"%zero = constant <f32: {start}>"
    )
    ones = f"%ones = constant <f32: 1.0> : {ACC}"
    text = text.replace("    %f = for", f"    {ones}\n    %f = for")
    line = next(line for line in text.splitlines() if "%d = mmaf" in line)
    last = body.rsplit("\n", 1)[-1]
    body = body if " : " in last else f"{body} : {TILES}"
    text = text.replace(line, body)
    whole = planned(case)
    plan = re.search(r"\{tileas.plan = \{atom[^}]*\}\}", whole)
    entry = re.search(r"attributes \{tileas.plan = \{num_warps[^}]*\}\}", whole)
    assert plan is not None
    assert entry is not None
    text = re.sub(r"(= mmaf [^:]*?) :", rf"\1 {plan[0]} :", text)
    text = re.sub(r"(%xk: tile<i32>\)) \{", rf"\1 {entry[0]} {{", text)
    args, expected, grid = problem(case)
    a, b = (np.asarray(x, np.float32) for x in args[:2])
    total = np.full(expected.shape, float(start), np.float32)
    for k in range(0, a.shape[1], 64):
        total = step(total, a[:, k : k + 64] @ b[k : k + 64])
    return text, total, args, grid


@pytest.mark.parametrize("name", BODIES)
def test_loops_may_do_anything_with_sums(name: str) -> None:
    text, expected, args, grid = loop(name)
    module = cuda_tile.load(text.encode())
    levels = ("stage", "skew", "issue", "barriers")
    for level, lowered in lowered_levels(module, CHIP, levels):
        args[2][:] = 0
        cuda_tile.run(lowered, grid=grid, args=args)
        assert np.array_equal(args[2], expected), level
    args[2][:] = 0
    cuda_tile.run(
        module, grid=grid, args=args, on="emulator", gpu=CHIP, mode="adversarial"
    )
    assert np.array_equal(args[2], expected)


def test_a_role_of_its_own_may_load() -> None:
    case = replace(F16, sizes=(256, 128, 448))
    text = planned(case, more=", lag = 1 : i64")
    text = text.replace("{num_warps = 4", '{roles = "load", num_warps = 4')
    lowered = cuda_tile.lower(cuda_tile.load(text.encode()), CHIP, until="barriers")
    assert 'role "load"' in str(lowered)
    assert 'drain = "tcgen05"' in str(lowered)
    check(case, text)


@pytest.mark.parametrize("is_early", [False, True])
def test_columns_are_freed_wherever_the_kernel_ends(is_early: bool) -> None:
    limit = 1 << 20 if is_early else 0
    leave = f"""%limit = constant <i32: {limit}> : tile<i32>
    %stops = cmpi less_than %sm, %limit, signed : tile<i32> -> tile<i1>
    if %stops {{
      return
    }}
    %zero = constant"""
    text = planned(F16).replace("%zero = constant", leave, 1)
    args, expected, grid = problem(F16)
    before = args[2].copy()
    module = cuda_tile.load(text.encode())
    cuda_tile.run(
        module, grid=grid, args=args, on="emulator", gpu=CHIP, mode="adversarial"
    )
    assert np.array_equal(args[2], before if is_early else expected)


@pytest.mark.parametrize("chip", ["sm_100", "sm_103", "sm_110", "sm_100f"])
def test_ptxas_assembles_it_without_spills(chip: str) -> None:
    case = replace(F16, tile=(128, 256, 64), sizes=(128, 256, 64))
    module = cuda_tile.load(planned(case, (4, 2)).encode())
    made = cuda_tile.compile(module, chip)
    assert made.report.kernels[0].spill_bytes == 0
    text = made.ptx
    loads, products = text.count("tcgen05.ld"), text.count("tcgen05.mma.")
    assert (loads, products) == (4, 4)
    assert "tcgen05.st" not in text
    assert re.search(r"mov.b32 \s*%r\d+, 256;", text)  # columns


def test_too_many_columns_are_refused_with_a_list() -> None:
    case = replace(F16, tile=(128, 256, 16), sizes=(128, 256, 16))
    text = planned(case, (4, 2))
    text = three_sums(case, text)
    with pytest.raises(
        cuda_tile.UserError, match=r"at most 512 columns .* got 768: 256"
    ):
        cuda_tile.compile(cuda_tile.load(text.encode()), CHIP, cubin=False)


@pytest.mark.parametrize(
    ("case", "warps", "chip", "message"),
    [
        (F16, (4, 1), "sm_90", "with kind f16 of tcgen05 .* got sm_90"),
        (CASES["i8"], (4, 1), "sm_103", "with kind i8 of tcgen05 .* got sm_103"),
        (CASES["i8"], (4, 1), "sm_100f", "with kind i8 of tcgen05 .* got sm_100f"),
        (F16, (2, 2), CHIP, "a warps_m of 4"),
        (F16, (2, 1), CHIP, "a number of warps that 4 divides"),
        (replace(F16, tile=(128, 16, 32)), (4, 2), CHIP, "16 columns or more for each"),
        (replace(F16, tile=(128, 64, 8)), (4, 1), CHIP, "at least 128 x 64 x 16"),
        (
            Case("tf32", "f32", (128, 64, 32), (128, 64, 96)),
            (4, 1),
            CHIP,
            "no descriptor describes where it is copied",
        ),
    ],
)
def test_plans_that_do_not_fit_are_refused_with_a_reason(
    case: Case, warps: tuple[int, int], chip: str, message: str
) -> None:
    module = cuda_tile.load(planned(case, warps).encode())
    with pytest.raises(cuda_tile.UserError, match=message):
        cuda_tile.compile(module, chip, cubin=False)


def test_clusters_are_refused() -> None:
    text = planned(F16).replace("{num_warps = 4", "{cluster = 2 : i64, num_warps = 4")
    with pytest.raises(UserError, match="leave cluster out"):
        cuda_tile.compile(cuda_tile.load(text.encode()), CHIP, cubin=False)


@pytest.mark.parametrize("name", CASES)
def test_the_search_proposes_it(name: str) -> None:
    case = CASES[name]
    made = cuda_tile.compile(cuda_tile.load(kernel(case).encode()), CHIP, cubin=False)
    assert "tcgen05.mma." in made.ptx
    check(case, kernel(case))


def three_sums(case: Case, text: str) -> str:
    """A kernel whose loop adds three products to sums of their own, and all to one."""
    m, n, _ = case.tile
    acc = f"tile<{m}x{n}xf32>"
    line = next(line for line in text.splitlines() if "%d = mmaf" in line)
    starts = [f"%s{i} = constant <f32: {i}.0> : {acc}" for i in range(3)]
    own = (line.replace("%acc", f"%s{i}").replace("%d =", f"%d{i} =") for i in range(3))
    adds = [f"%e0 = addf %d0, %d1 : {acc}", f"%e1 = addf %e0, %d2 : {acc}"]
    adds.append(f"%d = addf %acc, %e1 : {acc}")
    return text.replace(line, "\n".join([*starts, *own, *adds]))


def planned_text(text: str) -> str:
    """Level T of a kernel behind `plan`."""
    return str(cuda_tile.lower(cuda_tile.load(text.encode()), CHIP, until="plan"))


def test_a_product_that_finds_no_columns_is_one_of_warps() -> None:
    case = replace(F16, tile=(256, 512, 16), sizes=(256, 512, 48))
    text = planned_text(kernel(case))
    assert 'atom = "m16n8k16"' in text
    assert "wanted 1024 columns of tensor memory, got mma.sync: there are 512;" in text
    half = planned_text(kernel(replace(case, tile=(256, 256, 16))))
    assert 'atom = "tcgen05.m128n256k16"' in half
    assert "got mma.sync" not in half


@pytest.mark.parametrize(
    ("budget", "atom"),
    [(None, "m128n256k16"), (256, "m128n256k16"), (255, None), (0, None)],
)
def test_plan_counts_on_no_more_columns_than_its_budget(
    budget: int | None, atom: str | None
) -> None:
    case = replace(F16, tile=(128, 256, 16), sizes=(128, 256, 48))
    options = cuda_tile.Options(gpu=CHIP, tensor_budget=budget)
    module = cuda_tile.load(kernel(case).encode())
    text = str(cuda_tile.lower(module, until="plan", options=options))
    assert ("tcgen05" in text) == (atom is not None)
    assert atom is None or f"tcgen05.{atom}" in text


def test_a_plan_with_too_many_columns_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such as where an estimate is too low; here it always is."""
    case = replace(F16, tile=(256, 512, 16), sizes=(256, 512, 48))
    monkeypatch.setattr(model, "allocated_columns", lambda plans: 32)
    module = cuda_tile.load(kernel(case).encode())
    made = cuda_tile.compile(module, CHIP)
    (report,) = made.report.kernels
    assert "tcgen05.mma." not in made.ptx
    assert any("sums have 0 of 512 columns" in remark for remark in report.remarks)


@pytest.mark.parametrize("name", sorted(BODIES))
def test_the_search_takes_sums_that_threads_use_in_each_iteration(name: str) -> None:
    text, expected, args, grid = loop(name)
    plain = re.sub(r" (attributes )?\{tileas.plan = \{[^}]*\}\}", "", text)
    assert "tcgen05" in planned_text(plain), "128 clocks and a wait, 409 by warps"
    module = cuda_tile.load(plain.encode())
    cuda_tile.run(module, grid=grid, args=args, on="emulator", gpu=CHIP)
    assert np.array_equal(args[2], expected)


REDUNDANT = {
    "tcgen05.relinquish_alloc_permit": "other CTAs of the multiprocessor wait for it",
    "tcgen05.fence": "barriers and mbarriers around it acquire and release as well",
}
"""Beginnings of deleted statements that no run reports, and why."""


def deleted_statements(ptx: str) -> list[Mutant]:
    """What orders products, sums and threads, one statement deleted in each."""
    own = ("tcgen05.", "mbarrier.try_wait.shared")
    found = [m for m in mutants(ptx) if m.change == "delete"]
    return [m for m in found if m.instruction.startswith(own)]


def test_deleted_synchronisation_is_noticed() -> None:
    """Of a sum that goes to registers and back in each iteration, through all slots."""
    case = replace(F16, sizes=(128, 64, 640))
    text, expected, args, grid = loop("adds_before", case)
    module = cuda_tile.load(text.encode())
    made = cuda_tile.compile(module, CHIP, cubin=False)
    how: dict[str, Any] = {"grid": grid, "args": args, "on": "emulator", "gpu": CHIP}
    how["mode"] = "adversarial"
    silent: list[str] = []
    for mutant in deleted_statements(made.ptx):
        args[2][:] = 0
        try:
            cuda_tile.run(module, compiled=replace(made, ptx=mutant.text), **how)
        except UserError:
            continue
        if np.array_equal(args[2], expected):
            silent.append(mutant.instruction)
    assert not [s for s in silent if not s.startswith(tuple(REDUNDANT))]
    assert all(any(s.startswith(start) for s in silent) for start in REDUNDANT)
