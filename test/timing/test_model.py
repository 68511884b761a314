# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of clocks: its terms by hand, and that no bound exceeds it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile.chip_clocks import (
    SOURCES,
    ChipClocks,
    Constant,
    chip_clocks,
    described_chips,
)
from cuda_tile.emulator.bounds.compute import Bound, Bounds, Resource
from cuda_tile.errors import Unsupported, UserError
from cuda_tile.ir.walk import entries
from cuda_tile.machine.code import MachineInstruction, read_code
from cuda_tile.machine.disassembler import find_nvdisasm
from cuda_tile.machine.executions import executions
from cuda_tile.pictures.inputs import generate_inputs
from cuda_tile.targets import chip_names, find_target
from cuda_tile.timing.chains import Warp
from cuda_tile.timing.launched import time_of
from cuda_tile.timing.model import Shape, hottest_inner, model
from cuda_tile.timing.terms import TERMS, loaded_ghz, memory_clocks, waves
from cuda_tile.timing.text import time_text

FOLDER = Path(__file__).parents[1] / "kernels" / "13.4"
KERNELS = (
    "fmha_causal_f16_d64_128x64",
    "histogram_i32_1024",
    "matmul_f16_128x128x64",
    "softmax_f32_1024",
    "vadd_f32_1024",
)
CHIPS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
HOPPER = find_target("sm_90")


def test_waves() -> None:
    assert waves(10, 4, 2) == [(1, 2), (1, 1)]
    assert waves(16, 4, 2) == [(2, 2)]
    assert waves(3, 4, 2) == [(1, 1)]


def test_the_clock_falls_with_the_load() -> None:
    chip = chip_clocks(HOPPER)
    assert loaded_ghz(chip, "likely", 0) == chip.boost_ghz.value
    assert loaded_ghz(chip, "likely", 1) == chip.loaded_ghz.value
    half = loaded_ghz(chip, "likely", 0.75)
    assert chip.loaded_ghz.value < half < chip.boost_ghz.value


@pytest.mark.parametrize("chip", chip_names())
def test_each_chip_has_constants_or_says_what_is_missing(chip: str) -> None:
    if chip in CHIPS:
        found = chip_clocks(find_target(chip))
        for name in ("l2_bytes", "dram_bytes", "boost_ghz", "loaded_ghz"):
            rate = found.of(name)
            assert rate.fast >= rate.value >= rate.slow > 0
        for name in ("alu", "shared", "l2", "dram"):
            latency = found.of(name)
            assert 0 < latency.fast <= latency.value <= latency.slow
    else:
        with pytest.raises(Unsupported, match=chip):
            chip_clocks(find_target(chip))


def test_each_constant_has_a_source_with_a_date() -> None:
    for chip in described_chips().values():
        for name in ChipClocks.__dataclass_fields__:
            constant = getattr(chip, name)
            if not isinstance(constant, Constant):
                continue
            assert constant.source
            if constant.kind == "published":
                key = constant.source.split(":")[0].split(";")[0].split(",")[0]
                assert date.fromisoformat(SOURCES[key][1]), name
            else:
                assert constant.kind == "assumed", "nothing has run on a GPU yet"


def bounds(**clocks: float) -> Bounds:
    """A grid that has a loop of four iterations, and nothing else."""
    parts = tuple(
        Resource(name.replace("_", " "), n, n, "") for name, n in clocks.items()
    )
    whole = tuple(replace(r, clocks=r.clocks * 4, work=r.work * 4) for r in parts)
    grid = Bound("grid", (), "", 1, 4, 0, whole)
    loop = Bound("lines 1-9", ((1, 9),), "", 4, 4, 0, parts)
    return Bounds("sm_90", 2, 64, 0, 0, grid, (loop,))


def test_ctas_share_what_is_busiest() -> None:
    """Eight waves of two CTAs, of which each has 4 x 100 clocks of one unit."""
    shape = Shape(tiles=132 * 16, counted_tiles=1, counted_ctas=1)
    time = model(bounds(shared_memory=100.0, issue_slots=50.0), shape, HOPPER)
    assert time.likely == 16 * 400
    assert time.limiter == "shared memory"
    assert time.bound == time.likely


def test_a_longer_loop_and_a_larger_grid() -> None:
    found = bounds(shared_memory=100.0)
    once = model(found, Shape(132, 1, 1), HOPPER).likely
    assert model(found, Shape(132, 1, 1, longer=3), HOPPER).likely == 3 * once
    assert model(found, Shape(132 * 4, 1, 1), HOPPER).likely == 4 * once


def test_memory_limits_the_whole_chip() -> None:
    shape = Shape(132, 1, 1, dram_bytes=3.02e9)
    time = model(bounds(shared_memory=1.0), shape, HOPPER)
    assert time.limiter == "DRAM"
    assert time.likely_us == pytest.approx(1000, rel=0.01)


def test_ctas_that_wait_for_two_units_overlap_with_loss() -> None:
    """Less than one behind the other, more than what the busiest unit takes."""
    loop = bounds(shared_memory=100.0, issue_slots=50.0)
    waiting = replace(
        loop,
        grid=replace(
            loop.grid,
            resources=(*loop.grid.resources, Resource("L2", 0.0, 1000.0, "sectors")),
        ),
    )
    once, twice = (model(waiting, Shape(132 * n, 1, 1), HOPPER).likely for n in (1, 2))
    busiest = 1000 * 32 / chip_clocks(HOPPER).l2_bytes.value
    assert 1.1 * 2 * busiest < twice < 2 * once


def test_memory_has_a_longer_way_than_l2() -> None:
    """Of a launch that stands for a larger one, what it says decides."""
    region = bounds(L2=10.0, DRAM=10.0).grid
    chip = chip_clocks(HOPPER)
    assert memory_clocks(region, chip, "likely") == chip.dram.value
    assert memory_clocks(region, chip, "likely", 0.4) == chip.l2.value
    assert memory_clocks(region, chip, "likely", 0.6) == chip.dram.value


def test_each_row_of_a_box_costs_a_bulk_copy() -> None:
    region = replace(bounds().grid, bulk_lines=256.0)
    chip = chip_clocks(find_target("sm_100"))
    assert TERMS["bulk lines"](region, chip, "likely") == 256 * chip.bulk_line.value


@pytest.mark.parametrize(
    ("gpu", "name", "clocks"),
    [
        ("sm_120", "HMMA.16816.F32", 16 * 8 * 16 / (256 / 4)),
        ("sm_120", "HMMA.16816.F16", 16 * 8 * 16 / (512 / 4)),
        ("sm_120", "IMMA.16832.S8.S8", 16 * 8 * 32 / (1024 / 4)),
        ("sm_120", "QMMA.16832.F32.E4M3.E4M3", 16 * 8 * 32 / (512 / 4)),
        ("sm_80", "HMMA.16816.F16", 16 * 8 * 16 / (1024 / 4)),
        ("sm_80", "IMMA.16832.S8.S8", 16 * 8 * 32 / (2048 / 4)),
    ],
)
def test_only_f32_sums_are_slow_on_graphics_chips(
    gpu: str, name: str, clocks: float
) -> None:
    """A warp's chain has the rate of bounds: GeForce parts halve sums of f32 alone."""
    target = find_target(gpu)
    rate, is_slow = target.fma_per_clock, target.has_slow_f32_sums
    chip = chip_clocks(target)
    warp = Warp(chip, "likely", rate, 0.0, has_slow_f32_sums=is_slow)
    instruction = MachineInstruction(name, "R0, R4, R8, R0", "", 0)
    assert warp.product_clocks(instruction) == clocks


def test_an_unrolled_loop_is_part_of_the_one_around_it() -> None:
    """Of lines 1 to 9 and, inside, 3 to 5 machine code has the outer loop alone."""
    listing = """
.text.k:
	//## File "ptx", line 0
        /*0000*/                   S2R R0, SR_TID.X ;
.L_x_0:
	//## File "ptx", line 1
        /*0010*/                   STG.E [R2], R4 ;
	//## File "ptx", line 4
        /*0020*/                   STS [R3], R4 ;
        /*0030*/                   STS [R3+0x10], R4 ;
	//## File "ptx", line 9
        /*0040*/               @P0 BRA `(.L_x_0) ;
        /*0050*/                   EXIT ;
"""
    ran = executions(read_code(listing, "k"), {0: 1, 1: 4, 4: 8, 9: 4})
    found = bounds(shared_memory=100.0, L2=10.0)
    (outer,) = found.loops
    inner = replace(outer, title="lines 3-5", lines=((3, 5),), iterations=8)
    both = replace(found, loops=(outer, inner))
    assert hottest_inner(both) is inner
    assert hottest_inner(replace(both, executions=ran)) is outer
    (part, _) = model(replace(both, executions=ran), Shape(132, 1, 1), HOPPER).parts
    assert part.title == outer.title


def test_counts_of_another_chip_are_refused() -> None:
    with pytest.raises(UserError, match="counts for sm_80"):
        model(bounds(), Shape(1, 1, 1), find_target("sm_80"))


def timed(name: str, gpu: str) -> Any:
    module = cuda_tile.load(FOLDER / f"{name}.tileirbc")
    (entry,) = entries(module.operation)
    inputs = generate_inputs(entry)
    compiled = cuda_tile.compile(module, gpu)
    before = [a.copy() for a in inputs.args if isinstance(a, np.ndarray)]
    time = time_of(compiled, grid=inputs.grid, args=inputs.args)
    after = [a for a in inputs.args if isinstance(a, np.ndarray)]
    assert all(x.tobytes() == y.tobytes() for x, y in zip(before, after, strict=True))
    return time


@pytest.mark.sampled(12)
@pytest.mark.skipif(find_nvdisasm() is None, reason="needs nvdisasm")
@pytest.mark.parametrize("gpu", CHIPS)
@pytest.mark.parametrize("name", KERNELS)
def test_no_bound_exceeds_the_model(name: str, gpu: str) -> None:
    """`bench/ladders/kernels.py` does this for all kernels."""
    time = timed(name, gpu)
    assert time.bound <= time.terms <= time.likely
    assert time.bound <= time.low <= time.likely <= time.high
    assert time.low_us <= time.likely_us <= time.high_us
    assert f"{time.likely:.0f} clocks" in time_text(time)
