# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ABI of producers' launchers: a grid of tile blocks, a block of one thread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from real_kernels import FOLDER, RECIPES, kernel_path, make_problem

import cuda_tile
from cuda_tile import Compiled, Options, UserError, emulator
from cuda_tile._mlir import ir
from cuda_tile.ir.walk import entries
from cuda_tile.targets import MAX_STATIC_SHARED_BYTES

pytestmark = pytest.mark.sampled(2)

CHIPS = ("sm_90", "sm_100", "sm_120")
DIRECTIVES = (".blocksareclusters", ".reqntid", ".reqnctapercluster 1, 1, 1")


def compile_for_tile(path: Path, gpu: str, **choices: Any) -> Compiled:
    module = cuda_tile.load(path)
    return cuda_tile.compile(module, options=Options(gpu=gpu, abi="tile"), **choices)


def launch(compiled: Compiled, kernel: str, grid: Any, args: list[Any]) -> None:
    """As the driver is asked to: nothing is said of threads or shared memory."""
    emulator.launch(
        compiled.ptx, kernel, grid=grid, block=1, args=args, mode="adversarial"
    )


@pytest.mark.parametrize("gpu", CHIPS)
@pytest.mark.parametrize("name", sorted(RECIPES))
def test_kernels_of_cutile(name: str, gpu: str) -> None:
    compiled = compile_for_tile(kernel_path(name), gpu, cubin=False)
    problem = make_problem(name, RECIPES[name].sizes[-1])
    launch(compiled, name, problem.grid, problem.args)
    result = problem.compare()
    assert result.is_within, result
    assert all(directive in compiled.ptx for directive in DIRECTIVES)
    assert ".version 9.0" in compiled.ptx


def test_the_record_leads_to_the_same_launch() -> None:
    name = "transpose_f32_64x64"
    compiled = compile_for_tile(kernel_path(name), "sm_90", cubin=False)
    record = compiled.launch[name]
    assert (record.abi, record.launch_block) == ("tile", (1, 1, 1))
    assert record.block > (1, 1, 1)
    problem = make_problem(name)
    grid = problem.grid[0], problem.grid[1], 1
    emulator.launch_recorded(
        compiled.ptx, name, record.to_json(), grid=grid, args=problem.args
    )
    assert problem.compare().is_within


@pytest.mark.parametrize("gpu", ["sm_90", "sm_103", "sm_110", "sm_121"])
def test_ptxas_takes_the_shared_memory_of_the_chip(gpu: str) -> None:
    name = "matmul_f16_128x128x64"
    compiled = compile_for_tile(kernel_path(name), gpu)
    record = compiled.launch[name]
    assert record.dynamic_shared_bytes == 0
    assert record.shared_bytes > MAX_STATIC_SHARED_BYTES
    assert f"[{record.shared_bytes}]" in compiled.ptx
    assert compiled.cubin
    assert not compiled.report.warnings
    assert any("makes no tensor maps" in text for text in record.remarks)


def test_a_remark_names_what_the_author_of_a_kernel_can_mend() -> None:
    """The launcher is the producer's; what is known of strides is the kernel's."""
    aligned = str(cuda_tile.load(kernel_path("matmul_f16_64x64x64")))
    text = aligned.replace("div_by<8>", "div_by<1>")
    said = {
        which: [
            remark
            for remark in cuda_tile.compile(
                cuda_tile.load(kernel.encode()),
                options=Options(gpu="sm_90", abi="tile"),
                cubin=False,
            )
            .launch["matmul_f16_64x64x64"]
            .remarks
            if "makes no tensor maps" in remark
        ]
        for which, kernel in (("aligned", aligned), ("unknown", text))
    }
    cause = "nor by cp.async, which needs none: 2 bytes are known to lie together"
    assert [cause in remark for remark in said["unknown"]] == [True, True]
    assert [cause in remark for remark in said["aligned"]] == [False, False]


def test_kernels_of_nvcc() -> None:
    compiled = compile_for_tile(FOLDER / "tilecpp" / "vadd.tilebc", "sm_90")
    a, b = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    c = np.zeros(1000, np.float32)
    launch(compiled, "vadd_f32", (4, 1, 1), [a, b, c, 1000])
    assert (c == a + b).all()
    assert compiled.ptx.count(".blocksareclusters") == 4


@pytest.mark.parametrize("gpu", ["sm_75", "sm_80", "sm_89"])
def test_chips_without_clusters_are_refused_with_the_way_out(gpu: str) -> None:
    said = rf"needs sm_90 or later, got {gpu}: .*compile with abi 'maps' and launch"
    with pytest.raises(UserError, match=said):
        Options(gpu=gpu, abi="tile")
    with pytest.raises(UserError, match=said):
        cuda_tile.compile(
            cuda_tile.load(kernel_path("vadd_i32_8")), gpu, options=Options(abi="tile")
        )


def test_the_text_may_say_it_too() -> None:
    def change(level: Any) -> None:
        entries(level)[0].attributes["tileas.abi"] = ir.StringAttr.get("tile")

    module = cuda_tile.load(kernel_path("vadd_i32_8"))
    compiled = cuda_tile.compile(module, after={"place": change}, cubin=False)
    assert ".blocksareclusters" in compiled.ptx
    with pytest.raises(UserError, match=r"kernels.py.*needs sm_90 or later, got sm_86"):
        cuda_tile.compile(module, "sm_86", after={"place": change}, cubin=False)


def test_a_family_has_little_static_shared_memory() -> None:
    assert compile_for_tile(kernel_path("vadd_i32_8"), "sm_100f").cubin
    with pytest.raises(UserError, match=r"at most 49152 bytes .*; compile for sm_100"):
        compile_for_tile(kernel_path("matmul_f16_128x128x64"), "sm_100f")
