# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Partial sums of 8-bit floats that are promoted a piece of the result at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass

import ml_dtypes
import mma_cases
import numpy as np
import pytest
from copied_product_text import Case, kernel, problem
from lowered_levels import TILE_LEVELS, lowered_levels
from test_narrow_products import with_plan

import cuda_tile
from cuda_tile.engines.short_sums import pieces_of_sums
from cuda_tile.layout.atoms import M16N8K32, M16N16K32

pytestmark = pytest.mark.sampled(4)

E4, E5 = "f8E4M3FN", "f8E5M2"


@dataclass(frozen=True)
class Cut:
    """A product by few warps.

    Attributes:
        case: The product.
        warps: Warps of a CTA.
        promote: Elements along K after which sums are promoted, if not 128.
        pieces: Additions of tiles in an iteration, by their shape.
    """

    case: Case
    warps: int
    pieces: str
    promote: int = 0


CASES = {
    "columns": Cut(
        Case(E4, tile=(64, 64, 128), transposed=(False, True)), 1, "2 64x32"
    ),
    "rows": Cut(Case(E5, tile=(128, 32, 64), transposed=(False, True)), 1, "2 64x32"),
    "four": Cut(Case(E4, tile=(128, 64, 64), transposed=(False, True)), 1, "4 32x64"),
    "between warps": Cut(
        Case(E4, tile=(128, 128, 64), sizes=(128, 128, 192)), 4, "2 128x64"
    ),
    "bytes of B transposed": Cut(Case(E4, tile=(64, 64, 128)), 1, "2 64x32"),
    "rows, B transposed": Cut(Case(E4, tile=(128, 32, 64)), 1, "2 64x32"),
    "A transposed": Cut(
        Case(E4, tile=(64, 64, 64), transposed=(True, False), sizes=(64, 64, 192)),
        *(1, "2 64x32"),
    ),
    "ragged": Cut(
        Case(E4, tile=(64, 64, 128), sizes=(80, 96, 304), transposed=(False, True)),
        *(1, "2 64x32"),
    ),
    "single bytes": Cut(
        Case(E4, tile=(128, 128, 64), sizes=(131, 67, 99), divisor=1), 4, "2 64x128"
    ),
    "every 64": Cut(
        Case(E4, tile=(64, 64, 256), transposed=(False, True), sizes=(64, 64, 512)),
        *(1, "8 64x32", 64),
    ),
    "batched": Cut(Case(E4, tile=(64, 64, 64), batched=True), 1, "2 64x32"),
    "through pointers": Cut(Case(E4, tile=(64, 64, 64), gathers=True), 1, "2 64x32"),
    "converted": Cut(
        Case(E4, tile=(64, 64, 64), stored="f16", transposed=(False, True)),
        1,
        "2 64x32",
    ),
}


@pytest.mark.parametrize("chip", ["sm_89", "sm_120"])
@pytest.mark.parametrize("name", CASES)
def test_levels_agree_where_sums_are_cut(name: str, chip: str) -> None:
    cut = CASES[name]
    module = cuda_tile.load(kernel(cut.case).encode())
    options = cuda_tile.Options(gpu=chip, num_warps=cut.warps)
    plan = {"promote": cut.promote} if cut.promote else {}
    after = {"plan": with_plan(module, **plan)}
    levels = TILE_LEVELS[TILE_LEVELS.index("plan") :]
    found = dict(lowered_levels(module, levels=levels, options=options, after=after))
    for level, lowered in found.items():
        args, expected, grid = problem(cut.case)
        cuda_tile.run(lowered, grid=grid, args=args)
        np.testing.assert_array_equal(args[2], expected, level)
    added = re.findall(r"addf .*tile<(\d+x\d+)xf32", str(found["stage"]))
    count, shape = cut.pieces.split()
    assert added == [shape] * int(count)
    compiled = cuda_tile.compile(module, options=options, after=after, cubin=False)
    args, expected, grid = problem(cut.case)
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


def view(name: str, rows: int, columns: int, element: str) -> str:
    """Text that makes a view of one tile of `%name`, and loads or stores it."""
    kind = f"tensor_view<{rows}x{columns}x{element}, strides=[{columns},1]>"
    part = f"partition_view<tile=({rows}x{columns}), {kind}>"
    made = f"""
    %{name}v = make_tensor_view %{name}, shape = [{rows}, {columns}],
      strides = [{columns}, 1] : {kind}
    %{name}w = make_partition_view %{name}v : {part}"""
    tile = f"tile<{rows}x{columns}x{element}>"
    if name == "c":
        return f"""{made}
    %ct = store_view_tko weak %o, %cw[%z, %z] : {tile}, {part}, tile<i32> -> token"""
    return f"""{made}
    %{name}x, %{name}t = load_view_tko weak %{name}w[%z, %z] : {part}, tile<i32>
      -> {tile}, token"""


def chained(m: int, n: int) -> str:
    """Text of C = (A B) D, of which A B stays in its threads as 8-bit floats."""
    of_a, of_b, of_d = (f"tile<{s}x{E4}>" for s in (f"{m}x64", "64x64", f"64x{n}"))
    half, out = f"tile<{m}x64xf32>", f"tile<{m}x{n}xf32>"
    params = ", ".join(f"%{name}: tile<ptr<{E4}>>" for name in ("a", "b", "d"))
    return f"""cuda_tile.module @m {{
  entry @k({params}, %c: tile<ptr<f32>>) {{
    %z = constant <i32: 0> : tile<i32>
    {view("a", m, 64, E4)}{view("b", 64, 64, E4)}{view("d", 64, n, E4)}
    %none = constant <f32: 0.0> : {half}
    %zero = constant <f32: 0.0> : {out}
    %s = mmaf %ax, %bx, %none : {of_a}, {of_b}, {half}
    %p = ftof %s : {half} -> {of_a}
    %o = mmaf %p, %dx, %zero : {of_a}, {of_d}, {out}{view("c", m, n, "f32")}
    return
  }}
}}
"""


@pytest.mark.parametrize(
    ("m", "n", "shape"), [(256, 32, "128x32"), (128, 64, "128x32")]
)
def test_left_operands_in_registers(m: int, n: int, shape: str) -> None:
    """Pieces of rows are taken of them, too, and for pieces of columns all of it."""
    module = cuda_tile.load(chained(m, n).encode())
    options = cuda_tile.Options(gpu="sm_89", num_warps=2)
    rng = np.random.default_rng(3)
    sizes = ((m, 64), (64, 64), (64, n))
    a, b, d = (rng.integers(-1, 2, size).astype(np.float64) for size in sizes)
    a[:, 8:], d[:] = 0, np.sign(d)
    expected = (a @ b) @ d
    for level in (*TILE_LEVELS[TILE_LEVELS.index("plan") :], None):
        c = np.zeros((m, n), np.float32)
        args = [*(x.astype(ml_dtypes.float8_e4m3fn) for x in (a, b, d)), c]
        if level is None:
            compiled = cuda_tile.compile(module, options=options, cubin=False)
            cuda_tile.run(
                *(module,),
                grid=(1, 1),
                args=args,
                on="emulator",
                gpu="sm_89",
                compiled=compiled,
                mode="adversarial",
            )
        else:
            lowered = cuda_tile.lower(module, until=level, options=options)
            cuda_tile.run(lowered, grid=(1, 1), args=args)
            if level == "stage":
                added = re.findall(r"addf .*tile<(\d+x\d+)xf32", str(lowered))
                assert added[-2:] == [shape] * 2
        np.testing.assert_array_equal(c, expected, level)


@pytest.mark.parametrize(
    ("extents", "added"),
    [
        ((2, 128, 64, 64), ["2x128x32"] * 2),
        ((16, 16, 16, 64), []),
    ],
)
def test_batches(extents: tuple[int, ...], added: list[str]) -> None:
    """All matrices are cut alike; registers of operands that warps share nothing."""
    case = mma_cases.Matrices(extents, E4, "f32")
    module = cuda_tile.load(mma_cases.kernel(case).encode())
    warps = 4 if added else 1
    options = cuda_tile.Options(gpu="sm_89", num_warps=warps)
    *operands, place = mma_cases.arrays(case, np.random.default_rng(5))
    a, b, c = (x.astype(np.float32) for x in operands)
    for level in (*TILE_LEVELS[TILE_LEVELS.index("plan") :], None):
        args = [*operands, np.zeros_like(place)]
        if level is None:
            compiled = cuda_tile.compile(module, options=options, cubin=False)
            cuda_tile.run(
                *(module,),
                grid=(1,),
                args=args,
                on="emulator",
                gpu="sm_89",
                compiled=compiled,
                mode="adversarial",
            )
        else:
            lowered = cuda_tile.lower(module, until=level, options=options)
            cuda_tile.run(lowered, grid=(1,), args=args)
            if level == "stage":
                found = re.findall(r"addf .*tile<(\d+x\d+x\d+)xf32", str(lowered))
                assert found == added
        np.testing.assert_array_equal(args[3], a @ b + c, level)


@pytest.mark.parametrize("chip", ["sm_89", "sm_120"])
@pytest.mark.parametrize("transposed", [True, False])
@pytest.mark.parametrize("tile", [(128, 256, 128), (256, 128, 128), (128, 256, 64)])
def test_large_results_spill_nothing(
    tile: tuple[int, int, int], chip: str, *, transposed: bool
) -> None:
    """Each of 128 sums of a thread is added once an iteration, for 128 of K at most."""
    case = Case(E4, tile=tile, transposed=(False, transposed))
    compiled = cuda_tile.compile(cuda_tile.load(kernel(case).encode()), chip)
    assert len(re.findall(r"add\.rn\.f32", compiled.ptx)) == 128
    assert compiled.ptx.count("pmevent") == 1
    (resources,) = compiled.report.kernels
    assert not resources.spill_bytes
    assert not compiled.report.warnings


@pytest.mark.parametrize(
    ("shape", "warps", "pieces"),
    [
        ((128, 128), (2, 4), (-2, 1)),
        ((128, 256), (2, 4), (-1, 2)),
        ((256, 128), (2, 4), (-2, 2)),
        ((256, 256), (2, 4), (-2, 4)),
        ((256, 16), (1, 1), (-2, 2)),
        ((16, 512), (1, 1), (-1, 4)),
        ((8, 16, 16), (1, 1, 1), (-1, 1)),
        ((16, 16, 16), (1, 1, 1), (-1, 2)),
        ((32, 16, 16), (1, 1, 1), None),
        ((64, 16, 16), (1, 1, 4), (-1, 2)),
    ],
)
def test_how_results_are_cut(
    shape: tuple[int, ...], warps: tuple[int, ...], pieces: tuple[int, int] | None
) -> None:
    """Of 64 registers each, along the shorter side's operand; or not at all."""
    assert pieces_of_sums(shape, warps, M16N8K32) == pieces


def test_pieces_are_whole_atoms() -> None:
    assert pieces_of_sums((16, 16, 16), (1, 1, 1), M16N8K32) == (-1, 2)
    assert pieces_of_sums((16, 16, 16), (1, 1, 1), M16N16K32) is None
