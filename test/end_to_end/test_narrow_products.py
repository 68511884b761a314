# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of narrow types: how sums are made, and how exact they are."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from copied_product_text import Case, kernel, problem
from lowered_levels import TILE_LEVELS, lowered_levels
from mma_cases import scaled_arrays, scaled_kernel

import cuda_tile
from cuda_tile import UserError
from cuda_tile.ir.plan import plan_attribute
from cuda_tile.ir.traits import PRODUCTS
from cuda_tile.ir.walk import entries, nested_ops

pytestmark = pytest.mark.sampled(4)

F8 = Case("f8E4M3FN", tile=(64, 64, 128), transposed=(False, True))
DEPTH = 4096
CUT = 2.0**-13
"""What one cut of an instruction of 8-bit floats takes at most, of its largest term
(cuda_tile/emulator/isa/short_sums.py)."""
F32 = 2.0**-24
F16 = 2.0**-11
"""Relative errors of one rounding."""


def with_plan(module: Any, **fields: int) -> Any:
    """A hook that changes the plans of products."""

    def change(module: Any) -> None:
        for op in nested_ops(entries(module)[0]):
            if op.name in PRODUCTS:
                plan = dict(cuda_tile_plan(op), **fields)
                op.attributes["tileas.plan"] = plan_attribute(plan)

    return change


def cuda_tile_plan(op: Any) -> dict[str, Any]:
    return {item.name: item.attr.value for item in op.attributes["tileas.plan"]}


def run(
    case: Case,
    a: np.ndarray,
    b: np.ndarray,
    *,
    fast: bool = False,
    gpu: str = "sm_90",
    **plan: int,
) -> np.ndarray:
    """C of one kernel on the emulator."""
    text = kernel(case)
    if fast:
        text = text.replace("mmaf %a, %b, %acc", "mmaf %a, %b, %acc fast_acc")
        assert "fast_acc" in text
    module = cuda_tile.load(text.encode())
    hooks = {"plan": with_plan(module, **plan)} if plan else {}
    compiled = cuda_tile.compile(module, gpu, after=hooks)
    assert ("wgmma.mma_async" if gpu == "sm_90" else "mma.sync") in compiled.ptx
    c = np.zeros((a.shape[0], b.shape[0]), np.float32)
    sizes = (a.shape[0], b.shape[0], a.shape[1])
    cuda_tile.run(
        module,
        grid=(a.shape[0] // case.tile[0], b.shape[0] // case.tile[1]),
        args=[a, b, c, *map(np.int32, sizes)],
        on="emulator",
        gpu=gpu,
        compiled=compiled,
        mode="adversarial",
    )
    return c


def operands(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A and B, the latter transposed: normal around 0.5, so that sums grow with K."""
    rng = np.random.default_rng(seed)
    shapes = ((64, DEPTH), (64, DEPTH))
    a, b = (rng.standard_normal(shape) + 0.5 for shape in shapes)
    return a.astype(ml_dtypes.float8_e4m3fn), b.astype(ml_dtypes.float8_e4m3fn)


@pytest.mark.parametrize(("seed", "gpu"), [(0, "sm_89"), (0, "sm_90"), (1, "sm_90")])
def test_promoted_sums_do_not_get_worse_with_k(seed: int, gpu: str) -> None:
    """They are within their bound, and within what f16 products would be off by.

    The products themselves are exact in f16: an f32 sum of them is better by far, but
    no instruction gives it.
    """
    a, b = operands(seed)
    x, y = a.astype(np.float64), b.astype(np.float64).T
    exact = x @ y
    error = np.abs(run(F8, a, b, gpu=gpu) - exact)
    assert (error <= bound(x, y)).all()
    assert (error <= F16 * (np.abs(x) @ np.abs(y))).all()
    fast = np.abs(run(F8, a, b, fast=True, gpu=gpu) - exact)
    assert fast.mean() > 8 * error.mean()
    often = np.abs(run(F8, a, b, promote=32, gpu=gpu) - exact)
    assert often.mean() < error.mean()


def bound(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What sums promoted every 128 of K may be off by.

    Each instruction of a part cuts 32 products and a sum of earlier ones, each by less
    than `CUT` of the largest of them, and then the sum by as much of itself; each
    addition of a part rounds the sum to f32.
    """
    total = np.zeros((x.shape[0], y.shape[1]))
    done = np.zeros_like(total)
    for first in range(0, DEPTH, 128):
        part = np.zeros_like(total)
        for k in range(first, first + 128, 32):
            sizes = np.abs(x[:, k : k + 32, None] * y[None, k : k + 32])
            largest = np.maximum(sizes.max(axis=1), part)
            part += sizes.sum(axis=1)
            total += CUT * (33 * largest + part)
        done += part
        total += F32 * done * (1 + CUT)
    return total


CASES = {
    "deep": (replace(F8, tile=(64, 64, 256), sizes=(64, 64, 512)), {}),
    "shallow": (replace(F8, tile=(64, 64, 64), sizes=(64, 64, 192)), {}),
    "several parts": (replace(F8, tile=(128, 256, 128), sizes=(128, 256, 256)), {}),
    "every 32": (replace(F8, sizes=(64, 64, 256)), {"promote": 32}),
    "never": (replace(F8, sizes=(64, 64, 256)), {"promote": 0, "lag": 1}),
}


@pytest.mark.parametrize("gpu", ["sm_89", "sm_90", "sm_120"])
@pytest.mark.parametrize("name", CASES)
def test_how_sums_are_promoted(name: str, gpu: str) -> None:
    """Small whole numbers have the same sums however they are added."""
    case, plan = CASES[name]
    rng = np.random.default_rng(0)
    m, n, k = case.sizes
    a, b = (
        rng.integers(-3, 4, shape).astype(ml_dtypes.float8_e4m3fn)
        for shape in ((m, k), (n, k))
    )
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    got = run(case, a, b, fast=False, gpu=gpu, **plan)
    np.testing.assert_array_equal(got, expected)


def additions(case: Case, fast: bool = False) -> tuple[int, int]:
    """Additions and products in the PTX of the loop."""
    text = kernel(case)
    if fast:
        text = text.replace("mmaf %a, %b, %acc", "mmaf %a, %b, %acc fast_acc")
    ptx = cuda_tile.compile(cuda_tile.load(text.encode()), "sm_90").ptx
    return len(re.findall(r"add\.rn\.f32", ptx)), ptx.count("wgmma.mma_async")


@pytest.mark.parametrize("tile", [(128, 128, 128), (128, 256, 128), (256, 128, 128)])
def test_a_part_has_64_additions_and_4_products(tile: tuple[int, int, int]) -> None:
    case = replace(F8, tile=tile)
    compiled = cuda_tile.compile(cuda_tile.load(kernel(case).encode()), "sm_90")
    parts = tile[0] * tile[1] // (128 * 128)
    assert additions(case) == (64 * parts, 4 * parts)
    (resources,) = compiled.report.kernels
    assert not resources.spill_bytes
    assert not compiled.report.warnings
    assert additions(case, fast=True)[0] == 0


@pytest.mark.parametrize(
    ("operand", "plan", "words"),
    [
        ("f8E4M3FN", {"promote": 48}, "expected promote to be a multiple of 32"),
        ("f8E4M3FN", {"promote": -32}, "expected promote to be a multiple of 32"),
    ],
)
def test_plans_that_promote_otherwise_are_refused(
    operand: str, plan: dict[str, int], words: str
) -> None:
    module = cuda_tile.load(kernel(replace(F8, operand=operand)).encode())
    with pytest.raises(UserError, match=words):
        cuda_tile.compile(module, "sm_90", after={"plan": with_plan(module, **plan)})


CONVERTED = {
    "i8, A transposed": (
        "b",
        Case("i8", "i32", (128, 128, 128), transposed=(True, False)),
    ),
    "f8": ("b", replace(F8, tile=(128, 32, 128), transposed=(False, False))),
    "f16 by f8": ("b", Case(tile=(128, 32, 64), stores_b="f8E4M3FN")),
    "f16 by i8, B transposed": (
        "b",
        Case(tile=(128, 128, 64), stores_b="i8", transposed=(False, True)),
    ),
}


@pytest.mark.parametrize("name", CONVERTED)
def test_operands_are_converted_beside_products(name: str) -> None:
    """The plan says which, a ring of two slots lies between, nothing spills."""
    convert, case = CONVERTED[name]
    seen: list[str] = []
    compiled = cuda_tile.compile(
        cuda_tile.load(kernel(case).encode()),
        "sm_90",
        after={"ring": lambda module: seen.append(str(module))},
    )
    assert f'convert = "{convert}"' in seen[0]
    assert re.search(
        r'ring fill = "threads" drain = "wgmma" sync = "mbarriers"', seen[0]
    )
    (resources,) = compiled.report.kernels
    assert not resources.spill_bytes
    assert not compiled.report.warnings


@pytest.mark.parametrize(
    ("deleted", "spared"),
    [(r"fence\.proxy\.async\.shared::cta;", 0), (r"mbarrier\.arrive\.shared", 2)],
)
def test_what_converted_operands_rest_on_is_noticed(deleted: str, spared: int) -> None:
    """Each deleted fence or arrival is found, or the product is wrong.

    Not those of the last iteration of both rings that products drain, behind the loop:
    for them nobody waits.
    """
    case = Case(tile=(64, 32, 64), sizes=(64, 32, 1024), stores_b="f8E4M3FN")
    module = cuda_tile.load(kernel(case).encode())
    compiled = cuda_tile.compile(module, "sm_90")
    lines = compiled.ptx.split("\n")
    places = [n for n, line in enumerate(lines) if re.search(deleted, line)]
    unnoticed: list[str] = []
    for place in places:
        ptx = "\n".join([*lines[:place], *lines[place + 1 :]])
        args, expected, grid = problem(case)
        try:
            cuda_tile.run(
                module,
                grid=grid,
                args=args,
                on="emulator",
                gpu="sm_90",
                compiled=replace(compiled, ptx=ptx),
                mode="adversarial",
            )
        except UserError:
            continue
        if np.array_equal(args[2], expected):
            unnoticed.append(lines[place])
    assert len(places) > len(unnoticed)
    assert len(unnoticed) <= spared


WARPS = {
    "f8": ({}, Case("f8E4M3FN", tile=(64, 64, 128), sizes=(64, 64, 384))),
    "f8, every 32": ({"promote": 32}, Case("f8E5M2", tile=(64, 64, 64))),
    "f8, every 64": ({"promote": 64}, Case("f8E4M3FN", tile=(64, 64, 256))),
    "f8, never": ({"promote": 0}, Case("f8E4M3FN", tile=(64, 64, 64))),
    "f8, ragged": ({}, Case("f8E4M3FN", tile=(32, 64, 256), sizes=(80, 96, 304))),
    "f8, shallow": ({}, Case("f8E4M3FN", tile=(32, 64, 16))),
    "f8, batched": ({}, Case("f8E4M3FN", tile=(32, 64, 128), batched=True)),
    "f8, large": ({}, Case("f8E4M3FN", tile=(128, 256, 64), sizes=(128, 256, 192))),
    "f16": ({"promote": 32}, Case(tile=(64, 64, 64))),
}
"""Products of warps whose partial sums are promoted."""


@pytest.mark.parametrize(
    ("name", "chip"),
    [
        *((name, "sm_89") for name in WARPS),
        ("f8", "sm_120"),
        ("f8, every 32", "sm_120"),
    ],
)
def test_levels_agree_where_warps_promote(name: str, chip: str) -> None:
    plan, case = WARPS[name]
    module = cuda_tile.load(kernel(case).encode())
    after = {"plan": with_plan(module, **plan)}
    levels = TILE_LEVELS[TILE_LEVELS.index("plan") :]
    for level, lowered in lowered_levels(module, chip, levels, after=after):
        args, expected, grid = problem(case)
        cuda_tile.run(lowered, grid=grid, args=args)
        np.testing.assert_array_equal(args[2], expected, level)
    compiled = cuda_tile.compile(module, chip, after=after, cubin=False)
    args, expected, grid = problem(case)
    cuda_tile.run(
        *(module,),
        grid=grid,
        args=args,
        on="emulator",
        gpu=chip,
        compiled=compiled,
        mode="adversarial",
    )
    np.testing.assert_array_equal(args[2], expected)


@pytest.mark.parametrize("chip", ["sm_89", "sm_120"])
@pytest.mark.parametrize("transposed", [True, False])
def test_warps_add_a_part_after_4_products(chip: str, transposed: bool) -> None:
    """64 sums of a thread are added once for 64 instructions; no thread spills."""
    case = replace(F8, tile=(128, 128, 128), transposed=(False, transposed))
    module = cuda_tile.load(kernel(case).encode())
    compiled = cuda_tile.compile(module, chip)
    assert len(re.findall(r"add\.rn\.f32", compiled.ptx)) == 64
    assert len(re.findall(r"mma\.sync\S*e4m3", compiled.ptx)) == 64
    (resources,) = compiled.report.kernels
    assert not resources.spill_bytes
    assert not compiled.report.warnings
    text = kernel(case).replace("mmaf %a, %b, %acc", "mmaf %a, %b, %acc fast_acc")
    fast = cuda_tile.compile(cuda_tile.load(text.encode()), chip, cubin=False)
    assert "add.rn.f32" not in fast.ptx


def test_a_part_is_added_before_the_next_one_is_multiplied() -> None:
    """A branch stands behind the product: the iteration copies if another comes."""
    case = replace(F8, tile=(256, 128, 64))
    options = cuda_tile.Options(gpu="sm_90", abi="cuda")
    module = cuda_tile.load(kernel(case).encode())
    compiled = cuda_tile.compile(module, options=options)
    assert not compiled.report.kernels[0].spill_bytes
    said = re.findall(r"wgmma\.fence|add\.rn\.f32|%p\d+ bra", compiled.ptx)
    loop = said[said.index("wgmma.fence") :]
    assert loop[:130] == (["wgmma.fence"] + ["add.rn.f32"] * 64) * 2
    assert loop[130].endswith("bra")


def test_sums_that_are_not_short_are_not_promoted() -> None:
    """Those of f16, also where f8 becomes f16, and of f8 by `mma.sync` on sm_90."""
    small = replace(F8, tile=(16, 16, 128))  # too few rows for warpgroups
    for case, chip in ((F8, "sm_80"), (Case(), "sm_89"), (small, "sm_90")):
        planned = cuda_tile.lower(
            cuda_tile.load(kernel(case).encode()), chip, until="plan"
        )
        assert "promote" not in str(planned)


@pytest.mark.parametrize("case", [Case("i8", "i32"), Case("f32"), Case(result="f16")])
def test_sums_that_cannot_be_promoted(case: Case) -> None:
    module = cuda_tile.load(kernel(case).encode())
    hook = {"plan": with_plan(module, promote=32)}
    with pytest.raises(UserError, match="promote for sums of f32 by matrix instruct"):
        cuda_tile.compile(module, "sm_80", after=hook)


def test_scaled_blocks_are_sums_of_f32() -> None:
    """Where the chip's sums of 8-bit floats are short, they are multiplied as f16."""
    what = ((64, 64, 128), "f8E4M3FN", "f8E8M0FNU", 32)
    module = cuda_tile.load(scaled_kernel(*what).encode())
    ptx = cuda_tile.compile(module, "sm_89", cubin=False).ptx
    assert "row.col.f32.f16.f16.f32" in ptx
    assert ".e4m3.e4m3" not in ptx
    args = scaled_arrays(*what, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    for index in (0, 1):  # of 1 and many products of 2^-14 a short sum has the 1 alone
        args[index][...] = 2.0**-7
    args[0][:, ::32], args[1][::32] = 1, 1
    args[2][...] = rng.integers(-9, 10, args[2].shape)
    exact = 1 + 31 * 2.0**-14
    scales = [x.astype(np.float64) for x in args[4:6]]
    expected = args[2] + exact * (scales[0] @ scales[1])
    cuda_tile.run(module, grid=(1,), args=args, on="emulator", gpu="sm_89")
    np.testing.assert_allclose(args[3], expected, rtol=2.0**-20)
