# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two CTAs that multiply together in tensor memory, where a hint asks for two."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from copied_product_text import Case, kernel, problem
from op_case import Array
from ptx_mutation import Mutant, mutants

import cuda_tile
from cuda_tile import Options, UserError

pytestmark = pytest.mark.sampled(3)

CHIP = "sm_100"
LEVELS = ("pair", "place", "stage", "roles", "barriers")
HINT = " optimization_hints=<default = {num_cta_in_cga = 2}> {"
F16 = Case("f16", "f32", (256, 64, 64), (512, 64, 192))
CASES: dict[str, Case] = {
    "f16": F16,
    "b_along_k": replace(F16, transposed=(False, True)),
    "both_transposed": replace(F16, transposed=(True, True)),
    "bf16": replace(F16, operand="bf16", sizes=(256, 64, 192)),
    "f16_sums": replace(F16, result="f16"),
    "tf32": Case("tf32", "f32", (256, 64, 32), (256, 64, 96), (False, True)),
    "e4m3": Case("f8E4M3FN", "f32", (256, 64, 64), (256, 64, 192), (False, True)),
    "e5m2_along_n": Case("f8E5M2", "f32", (256, 64, 64), (256, 64, 192)),
    "i8": Case("i8", "i32", (256, 64, 64), (256, 64, 192), (False, True)),
    "n32": replace(F16, tile=(256, 32, 64), sizes=(256, 64, 128)),
    "n128": replace(F16, tile=(256, 128, 32), sizes=(256, 128, 96)),
    "n256": replace(F16, tile=(256, 256, 32), sizes=(256, 256, 160)),
    "two_blocks_of_rows": replace(F16, tile=(512, 64, 32), sizes=(512, 64, 96)),
    "more_iterations_than_slots": replace(F16, sizes=(256, 64, 832)),
    "one_iteration": replace(F16, sizes=(256, 64, 64)),
    "odd_extents": replace(F16, sizes=(400, 40, 88), divisor=8),
    "half_of_a_tile_outside": replace(F16, tile=(256, 32, 32), sizes=(304, 32, 64)),
    "batched": replace(F16, sizes=(256, 64, 128), batched=True),
}
"""Products by what is special about them."""


def hinted(text: str) -> str:
    """A kernel whose producer asks for two CTAs."""
    return re.sub(r"(%xk: tile<i32>\)) \{", rf"\1{HINT}", text)


def compiled_of(text: str, gpu: str = CHIP, **options: Any) -> Any:
    """A kernel as compiled, judged by the checkers of passes, too."""
    module = cuda_tile.load(text.encode())
    return cuda_tile.compile(
        module, gpu, cubin=False, options=Options(check=True, **options)
    )


def judge(
    case: Case,
    text: str,
    compiled: Any = None,
    expected: Array | None = None,
    **how: Any,
) -> None:
    """Runs a kernel on the emulator, in an adversarial order; its result is exact."""
    args, plain, grid = problem(case)
    how = {"on": "emulator", "gpu": CHIP, "mode": "adversarial", **how}
    module = cuda_tile.load(text.encode())
    cuda_tile.run(module, grid=grid, args=args, compiled=compiled, **how)
    assert np.array_equal(args[2], plain if expected is None else expected)


def lowered(text: str, until: str) -> Any:
    """The kernel behind a pass."""
    return cuda_tile.lower(cuda_tile.load(text.encode()), CHIP, until=until)


@pytest.mark.parametrize("name", CASES)
def test_the_emulator_is_exact(name: str, draws: Callable[[int], int]) -> None:
    case = CASES[name]
    compiled = compiled_of(hinted(kernel(case)))
    for step in ("mma", "alloc", "dealloc", "relinquish_alloc_permit", "commit"):
        assert f"tcgen05.{step}.cta_group::2" in compiled.ptx
    assert "cta_group::1" not in compiled.ptx
    assert compiled.launch["k"].cluster == (2, 1, 1)
    for seed in range(draws(2)):
        judge(case, hinted(kernel(case)), compiled, seed=seed)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("level", LEVELS)
def test_the_interpreter_is_exact(name: str, level: str) -> None:
    module = lowered(hinted(kernel(CASES[name])), level)
    assert "attributes {" in str(module)
    assert "tileas.pair" in str(module)
    args, expected, grid = problem(CASES[name])
    cuda_tile.run(module, grid=grid, args=args)
    assert np.array_equal(args[2], expected)


@pytest.mark.parametrize("chip", ["sm_103", "sm_110", "sm_100f"])
def test_other_chips_have_pairs(chip: str) -> None:
    text = hinted(kernel(CASES["b_along_k"]))
    compiled = compiled_of(text, chip)
    assert "tcgen05.mma.cta_group::2" in compiled.ptx
    judge(CASES["b_along_k"], text, compiled, gpu=chip)


def with_epilogue(text: str, lines: str, case: Case = F16) -> str:
    """A kernel that stores `%g`, which some lines make of the sum `%f`."""
    m, n, _ = case.tile
    ty = f"tile<{m}x{n}xf32>"
    return text.replace(
        "%tc = store_view_tko weak %f",
        f"""{lines.format(ty=ty)}
    %tc = store_view_tko weak %g""",
    )


PART = (
    "partition_view<tile=(256x1), padding_value = zero, "
    "tensor_view<?x?xf16, strides=[?,1]>>"
)
NUMBER = """%nx, %ny, %nz = get_num_tile_blocks : tile<i32>
    %i = reshape %nx : tile<i32> -> tile<1x1xi32>
    %j = itof %i signed : tile<1x1xi32> -> tile<1x1xf32>
    %l = broadcast %j : tile<1x1xf32> -> {ty}
    %g = addf %f, %l : {ty}"""
EPILOGUES: dict[str, tuple[str, Callable[[Array, Array], Array]]] = {
    "elementwise": (
        "%two = constant <f32: 2.0> : {ty}\n    %g = mulf %f, %two : {ty}",
        lambda c, a: c * 2,
    ),
    "a_number_for_each_column": (
        """%i = iota : tile<64xi32>
    %j = reshape %i : tile<64xi32> -> tile<1x64xi32>
    %l = itof %j signed : tile<1x64xi32> -> tile<1x64xf32>
    %m = broadcast %l : tile<1x64xf32> -> {ty}
    %g = addf %f, %m : {ty}""",
        lambda c, a: c + np.arange(64, dtype=np.float32),
    ),
    "a_number_for_each_row": (
        f"""%p = make_partition_view %va : {PART}
    %i, %ti = load_view_tko weak %p[%bx, %z] : {PART}, tile<i32>
      -> tile<256x1xf16>, token
    %j = ftof %i : tile<256x1xf16> -> tile<256x1xf32>
    %l = broadcast %j : tile<256x1xf32> -> {{ty}}
    %g = addf %f, %l : {{ty}}""",
        lambda c, a: c + a[:, :1].astype(np.float32),
    ),
    "the_number_of_tile_blocks": (NUMBER, lambda c, a: c + 2),
}


@pytest.mark.parametrize("place", ["%number", "%last"])
def test_tile_blocks_may_have_an_order_of_their_own(place: str) -> None:
    """One number names a block, of which row and column are computed."""
    case = replace(F16, tile=(256, 32, 32), sizes=(512, 64, 64))
    text = kernel(case).replace(
        "%bx, %by, %bz = get_tile_block_id : tile<i32>",
        """%number, %by0, %bz = get_tile_block_id : tile<i32>
    %width = constant <i32: 32> : tile<i32>
    %columns = divi %sn, %width signed rounding<positive_inf> : tile<i32>
    %count, %n1, %n2 = get_num_tile_blocks : tile<i32>
    %above = subi %count, %one : tile<i32>
    %last = subi %above, %number : tile<i32>
    %bx = divi @, %columns signed rounding<zero> : tile<i32>
    %by = remi @, %columns signed : tile<i32>""".replace("@", place),
    )
    args, expected, (rows, columns) = problem(case)
    compiled = compiled_of(hinted(text))
    assert "tcgen05.mma.cta_group::2" in compiled.ptx
    how: dict[str, Any] = {"on": "emulator", "gpu": CHIP, "mode": "adversarial"}
    module = cuda_tile.load(hinted(text).encode())
    grid = rows * columns
    cuda_tile.run(module, grid=grid, args=args, compiled=compiled, **how)
    assert np.array_equal(args[2], expected)
    args[2][:] = 0
    cuda_tile.run(lowered(hinted(text), "barriers"), grid=grid, args=args)
    assert np.array_equal(args[2], expected)


@pytest.mark.parametrize("name", EPILOGUES)
def test_what_follows_a_sum_is_divided_with_it(name: str) -> None:
    lines, change = EPILOGUES[name]
    text = hinted(with_epilogue(kernel(F16), lines))
    args, plain, grid = problem(F16)
    expected = change(plain, args[0])
    compiled = compiled_of(text)
    assert "tcgen05.mma.cta_group::2" in compiled.ptx
    judge(F16, text, compiled, expected)
    for level in ("pair", "barriers"):
        args[2][:] = 0
        cuda_tile.run(lowered(text, level), grid=grid, args=args)
        assert np.array_equal(args[2], expected)


def test_a_loop_without_an_iteration_leaves_zero() -> None:
    text = hinted(kernel(F16)).replace("(%z to %iterations", "(%z to %none")
    made = "%none = divi %xk, %big signed : tile<i32>"
    big = "%big = constant <i32: 1048576> : tile<i32>"
    text = text.replace(
        "%zero = constant", f"{big}\n    {made}\n    %zero = constant", 1
    )
    _, expected, _ = problem(F16)
    assert "cta_group::2" in compiled_of(text).ptx
    judge(F16, text, expected=np.zeros_like(expected))


@pytest.mark.parametrize(("seed", "group"), [(0, 1), (1, 1), (2, 2)])
def test_pairs_of_a_persistent_kernel_take_turns(seed: int, group: int) -> None:
    case = replace(F16, tile=(256, 32, 32), sizes=(1024, 64, 96))
    text = hinted(kernel(case))
    if group > 1:
        plan = PLAN.format(group)
        text = text.replace(HINT, f"{HINT[:-2]} attributes {{{plan}}} {{")
    compiled = compiled_of(text, persistent=True)
    assert f"tile_group = {group}" in compiled.launch["k"].plan or group == 1
    assert "persistent = 1" in compiled.launch["k"].plan
    assert "tcgen05.mma.cta_group::2" in compiled.ptx
    judge(case, text, compiled, seed=seed, resident_ctas=2)
    judge(case, text, compiled, seed=seed, resident_ctas=4)


PLAN = (
    'tileas.plan = {{roles = "load", persistent = 1 : i64, tile_group = {} : i64, '
    "num_warps = 4 : i64, warps_m = 4 : i64, warps_n = 1 : i64, min_ctas = 1 : i64}}"
)


def test_the_interpreter_serves_tiles_in_any_order() -> None:
    case = replace(F16, sizes=(1024, 128, 64))
    module = cuda_tile.load(hinted(kernel(case)).encode())
    options = Options(persistent=True)
    made = cuda_tile.lower(module, CHIP, until="barriers", options=options)
    assert "tileas.tiles" in str(made)
    args, expected, grid = problem(case)
    cuda_tile.run(made, grid=grid, args=args, seed=1)
    assert np.array_equal(args[2], expected)


def test_each_cta_copies_half_of_a_right_operand() -> None:
    case = replace(F16, tile=(256, 256, 64), sizes=(256, 256, 128))
    text = hinted(kernel(case))
    together = compiled_of(text).ptx
    (expected,) = re.findall(r"mov\.b32 \s*(%r\d+), 65536;", together)  # of both
    assert re.search(rf"expect_tx\S+ \s*%rd\d+, \[%r\d+\], {expected};", together)
    rings = str(lowered(text, "ring"))
    (name,) = set(re.findall(r"buffer<64x256xf16, (#layout\d+)>", rings))
    assert re.search(rf"{name} = #cute.layout<\(.*, \(128@1\)\)>", rings)


# What may not be divided; test/near_misses has the other conditions ------------------


def replaced(old: str, new: str, case: Case = F16) -> str:
    """The kernel with another text."""
    text = kernel(case)
    assert old in text
    return text.replace(old, new, 1)


SQUARE = replace(F16, tile=(256, 256, 32), sizes=(256, 256, 64))
STAYS: dict[str, tuple[str, str]] = {
    "many_columns": (
        kernel(replace(F16, tile=(256, 512, 16), sizes=(256, 512, 32))),
        "no instruction of a pair, which have 256 rows or a multiple and 32 to 256 ",
    ),
    "transposed_sum": (
        replaced(
            "%tc = store_view_tko weak %f",
            "%h = permute %f [1, 0] : tile<256x256xf32> -> tile<256x256xf32>\n"
            "    %g = addf %f, %h : tile<256x256xf32>\n"
            "    %tc = store_view_tko weak %g",
            SQUARE,
        ),
        "would have halves of two kinds",
    ),
    "prints": (
        replaced(
            "    return",
            '    %tp = print_tko "%d", %xm : tile<i32> -> token\n    return',
        ),
        "'cuda_tile.print_tko' would be done twice",
    ),
}
"""Kernels that are not divided, and what the remark says."""


@pytest.mark.parametrize("name", STAYS)
def test_what_cannot_be_divided_stays(name: str) -> None:
    text, reason = STAYS[name]
    made = str(lowered(hinted(text), "pair"))
    assert "tileas.pair" not in made
    assert "one CTA for a tile block instead of two: " in made
    assert reason in made


def test_a_right_operand_that_threads_convert_is_not_shared_out() -> None:
    case = replace(F16, stores_b="i8")
    text = hinted(kernel(case))
    compiled = compiled_of(text)
    assert "cta_group::2" not in compiled.ptx
    (remark,) = (r for r in compiled.launch["k"].remarks if r.startswith("one CTA for"))
    judge(case, text, compiled)
    assert "instead of two" in remark


def test_sums_that_do_not_begin_with_zero_stay_with_one_cta() -> None:
    text = hinted(
        replaced("%zero = constant <f32: 0.0>", "%zero = constant <f32: 3.0>")
    )
    compiled = compiled_of(text)
    assert "cta_group::2" not in compiled.ptx
    assert compiled.launch["k"].cluster == (1, 1, 1)
    assert any("sums begin with zero" in r for r in compiled.launch["k"].remarks)
    _, expected, _ = problem(F16)
    judge(F16, text, compiled, expected + 3)


def test_chips_without_tensor_memory_have_none() -> None:
    text = hinted(kernel(F16))
    assert "cluster" not in compiled_of(text, "sm_90").ptx.split(".entry")[0]
    assert "tileas.pair" not in str(
        cuda_tile.lower(cuda_tile.load(text.encode()), "sm_90", until="pair")
    )


def test_nobody_need_have_pairs() -> None:
    text = hinted(kernel(F16))
    compiled = compiled_of(text, pairs=False)
    assert "cta_group::2" not in compiled.ptx
    assert "cta_group::2" not in compiled_of(kernel(F16)).ptx


# Mutants ------------------------------------------------------------------------------

TILES = replace(F16, tile=(256, 32, 32), sizes=(1024, 32, 96))
TWO_SLOTS = r'\1 {tileas.plan = {engine = "tma", slots = 2 : i64, ahead = 1 : i64}}'
REDUNDANT = {
    "tcgen05.relinquish_alloc_permit": "no other CTA asks for columns",
    "fence.mbarrier_init": "the barrier of the cluster behind it orders",
    "tcgen05.fence": "mbarriers and barriers acquire and release what it orders",
    "bar.warp.sync": "lanes of a warp wait together on the emulator",
}
"""Beginnings of deleted statements that no run reports, and why."""


@pytest.fixture(scope="module")
def tiles() -> tuple[str, Any]:
    """A persistent kernel whose slots and sums are all used twice, and as compiled."""
    text = re.sub(
        r"(load_view_tko weak %w\w\[[^]]*\])", TWO_SLOTS, hinted(kernel(TILES))
    )
    return text, compiled_of(text, persistent=True)


def is_noticed(text: str, compiled: Any, ptx: str) -> bool:
    """Whether an order shows that changed PTX is wrong, of two CTAs that do all."""
    for seed in range(2):
        try:
            changed = replace(compiled, ptx=ptx)
            judge(TILES, text, changed, seed=seed, resident_ctas=2)
        except (UserError, AssertionError):
            return True
    return False


def matters(mutant: Mutant, ptx: str) -> bool:
    """Whether a mutant may be noticed.

    Nobody waits for the mbarrier beside the address of the columns: each sum has one.
    """
    (columns,) = re.findall(r"tcgen05\.alloc\S+ \s*\[\w+\+(\d+)\]", ptx)
    is_unused = f"+{int(columns) - 8}]" in mutant.instruction
    is_redundant = mutant.instruction.startswith(tuple(REDUNDANT))
    return not is_unused and not is_redundant


def test_changed_synchronisation_is_noticed(
    tiles: tuple[str, Any], draws: Callable[[int], int]
) -> None:
    text, compiled = tiles
    made = [m for m in mutants(compiled.ptx) if matters(m, compiled.ptx)]
    assert len(made) > 50
    every = max(1, len(made) // draws(12))
    assert [m for m in made[::every] if not is_noticed(text, compiled, m.text)] == []


OTHERS = {
    "tells_only_itself": (r"(mov\.b16 \s*%rs\d+), 3;", r"\1, 1;"),
    "tells_only_the_other": (r"(mov\.b16 \s*%rs\d+), 3;", r"\1, 2;"),
    "the_other_leads": (r"(mapa\S+ %r\d+, %r\d+), 0;", r"\1, 1;"),
    "arrives_at_home": (r"(mapa\S+ %r\d+, %r\d+), %r\d+;", r"\1, 0;"),
    "the_same_half": (r"(shl\.b32 \s*%r\d+, %r\d+), 4;", r"\1, 5;"),
    "fewer_columns": (r"(mov\.b32 \s*%r\d+), 64;", r"\1, 32;"),
}
"""Numbers of PTX that say which CTA, which half, and how many columns."""


@pytest.mark.parametrize("name", OTHERS)
def test_other_numbers_are_noticed(name: str, tiles: tuple[str, Any]) -> None:
    text, compiled = tiles
    pattern, instead = OTHERS[name]
    changed = re.sub(pattern, instead, compiled.ptx)
    assert changed != compiled.ptx
    assert is_noticed(text, compiled, changed)


PRODUCER = Path(__file__).parent / "Inputs" / "persistent_128x256.mlir"


@pytest.mark.parametrize("grid", [1, 2])
def test_a_loop_over_tiles_that_the_program_has_is_divided(grid: int) -> None:
    """As cuTile writes persistent kernels: each store waits for the one before it."""
    text = PRODUCER.read_text()
    for old, new in (
        ("128x256", "256x256"),
        ("128x64", "256x64"),
        ("<i32: 128>", "<i32: 256>"),
        ("hints=<default = {}>", "hints=<default = {num_cta_in_cga = 2}>"),
    ):
        assert old in text
        text = text.replace(old, new)
    compiled = compiled_of(text)
    assert "tcgen05.mma.cta_group::2" in compiled.ptx
    m, n, k = 256, 512, 128
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, shape).astype("f2") for shape in ((m, k), (k, n)))
    c = np.zeros((m, n), "f2")
    how: dict[str, Any] = {"on": "emulator", "gpu": CHIP, "mode": "adversarial"}
    module = cuda_tile.load(text.encode())
    cuda_tile.run(module, grid=grid, args=[a, b, c], compiled=compiled, **how)
    expected = (a.astype("f4") @ b.astype("f4")).astype("f2")
    assert np.array_equal(c, expected)
    c[:] = 0
    cuda_tile.run(lowered(text, "barriers"), grid=grid, args=[a, b, c])
    assert np.array_equal(c, expected)
