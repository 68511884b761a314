# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels print, on the emulator and the interpreter; assertions that fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from entry_text import Kernel, values_of
from hint_cases import CASES, CHIPS, print_kernel
from op_case import OpCase

import cuda_tile
from cuda_tile.emulator import FindingError
from cuda_tile.options import Options

PRINTS = [case for case in CASES if case.name.startswith("print")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("gpu", ["sm_75", "sm_90"])
@pytest.mark.parametrize("case", PRINTS, ids=lambda case: case.name)
def test_the_same_text(case: OpCase, gpu: str) -> None:
    args = list(case.args(np.random.default_rng(1)))
    module = cuda_tile.load(case.text.encode())
    expected = cuda_tile.run(module, grid=(1,), args=args).stdout
    options = Options(num_warps=case.num_warps)
    compiled = cuda_tile.compile(module, gpu, options=options, cubin=False)
    how: dict[str, Any] = {
        "on": "emulator",
        "compiled": compiled,
        "mode": "adversarial",
    }
    assert cuda_tile.run(module, grid=(1,), args=args, **how).stdout == expected
    assert expected.count("\n") >= 3


@pytest.mark.parametrize("shape", [(1,), (1, 1, 1), (2, 1, 4), (512,), (2, 1, 256)])
def test_shapes(shape: tuple[int, ...]) -> None:
    """Extents of one, and tiles that are printed in several iterations."""
    module = cuda_tile.load(print_kernel("i16", shape, "%d").text().encode())
    args = [values_of(np.random.default_rng(2), int(np.prod(shape)), "i16")]
    expected = cuda_tile.run(module, grid=(1,), args=args).stdout
    assert cuda_tile.run(module, grid=(1,), args=args, on="emulator").stdout == expected


@pytest.mark.parametrize("size", [8, 16])
def test_tile_blocks_do_not_mix_their_text(size: int) -> None:
    """What one call of the driver's function takes is printed by one."""
    text = f"""cuda_tile.module @m {{ entry @k() {{
      %x, %y, %z = get_tile_block_id : tile<i32>
      %i = iota : tile<{size}xi32>
      %t = print_tko "tile[%d]: %d %d\\n", %x, %i, %y : tile<i32>, tile<{size}xi32>,
        tile<i32> -> token
      return
    }} }}"""
    module = cuda_tile.load(text.encode())
    compiled = cuda_tile.compile(module, cubin=False)
    tile = ", ".join(map(str, range(size)))
    expected = [f"tile[{block}]: [{tile}] 0" for block in range(4)]
    for seed in range(3):
        report: Any = cuda_tile.run(
            module, grid=4, args=[], on="emulator", compiled=compiled, seed=seed
        )
        assert sorted(report.stdout.splitlines()) == expected


def test_each_tile_block_prints() -> None:
    text = b"""cuda_tile.module @m { entry @k() {
      %x, %y, %z = get_tile_block_id : tile<i32>
      %t = print_tko "block %d\\n", %x : tile<i32> -> token
      return
    } }"""
    module = cuda_tile.load(text)
    outputs = [
        cuda_tile.run(module, grid=(5,), args=[], on=on).stdout
        for on in ("interp", "emulator")
    ]
    assert sorted(outputs[0].splitlines()) == sorted(outputs[1].splitlines())


@pytest.mark.parametrize("choices", [{}, {"seed": 5}, {"mode": "fast"}])
def test_a_long_tile_of_each_block_is_one_line(choices: dict[str, Any]) -> None:
    """A call takes 32 values; those of other blocks do not come between."""
    text = b"""cuda_tile.module @m { entry @k() {
      %x, %y, %z = get_tile_block_id : tile<i32>
      %i = iota : tile<64xi32>
      %t = print_tko "block %d: %d.\\n", %x, %i : tile<i32>, tile<64xi32> -> token
      return
    } }"""
    module = cuda_tile.load(text)
    said = cuda_tile.run(module, grid=6, args=[], on="emulator", **choices).stdout
    expected = cuda_tile.run(module, grid=6, args=[]).stdout
    assert sorted(said.splitlines()) == sorted(expected.splitlines())
    assert len(said.splitlines()) == 6


def test_a_directive_that_does_not_suit_prints_as_it_stands() -> None:
    text = b"""cuda_tile.module @m { entry @k(%n: tile<f32>) {
      %t = print_tko "100%% of %d\\n", %n : tile<f32> -> token
      return
    } }"""
    module = cuda_tile.load(text)
    expected = cuda_tile.run(module, grid=(1,), args=[1.0], mode="permissive").stdout
    found = cuda_tile.run(module, grid=(1,), args=[1.0], on="emulator").stdout
    assert found == expected == "100%% of %d\n"


@pytest.mark.parametrize("count", [8, 8192])
@pytest.mark.parametrize("gpu", CHIPS)
def test_a_failed_assertion_names_line_and_element(count: int, gpu: str) -> None:
    k = Kernel()
    value = k.load(k.array("i1"), "i1", count)
    k.line(f'assert {value}, "50% of \\"it\\"" : tile<{count}xi1>')
    module = cuda_tile.load(k.text().encode())
    held = np.ones(count, np.bool_)
    held[count - 3] = False
    with pytest.raises(cuda_tile.UserError) as interp:
        cuda_tile.run(module, grid=(1,), args=[held])
    with pytest.raises(FindingError) as found:
        cuda_tile.run(module, grid=(1,), args=[held], on="emulator", gpu=gpu)
    line = str(interp.value).splitlines()[-1]
    assert line.endswith(f'50% of "it", element [{count - 3}] (tile block (0, 0, 0))')
    assert found.value.stdout == f"{line}\n"
    assert "-:9: k: assertion '50% of \"it\"' failed" in found.value.finding.message
    cuda_tile.run(module, grid=(1,), args=[held | True], on="emulator", gpu=gpu)


def test_a_failed_scalar() -> None:
    text = b"""cuda_tile.module @m { entry @k(%n: tile<i1>) {
      assert %n, "must hold" : tile<i1>
      return
    } }"""
    module = cuda_tile.load(text)
    with pytest.raises(FindingError) as found:
        cuda_tile.run(module, grid=(1,), args=[False], on="emulator")
    assert found.value.stdout == (
        "-:2:7: assertion failed: must hold (tile block (0, 0, 0))\n"
    )
