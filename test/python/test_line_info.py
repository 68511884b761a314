# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Line tables: PTX and cubin say which source line each instruction comes from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile import Options
from cuda_tile.ir.launch import emitted_kernels
from cuda_tile.ir.walk import entry_name

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
TEXT = b"""
cuda_tile.module @kernels {
  entry @scaled(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %two = constant <f32: 3.0> : tile<f32> loc("src/k.py":10:3)
    %a = mulf %x, %two : tile<f32> loc("src/k.py":11:3)
    %b = addf %a, %x : tile<f32> loc(callsite("lib/h.py":5:7 at "src/k.py":12:1))
    %c = mulf %b, %x : tile<f32> loc(fused["lib/h.py":6:7, "src/k.py":13:1])
    %d = subf %c, %x : tile<f32> loc("named"("src/k.py":14:2))
    %e = mulf %d, %d : tile<f32> loc(unknown)
    %t = store_ptr_tko weak %p, %e
        : tile<ptr<f32>>, tile<f32> -> token loc("src/k.py":15:3)
    return loc("src/k.py":16:3)
  } loc("src/k.py":9:1)
  entry @lost(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %t = store_ptr_tko weak %p, %x : tile<ptr<f32>>, tile<f32> -> token loc(unknown)
    return loc(unknown)
  } loc(unknown)
  entry @elsewhere(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %t = store_ptr_tko weak %p, %x
        : tile<ptr<f32>>, tile<f32> -> token loc("other.py":3:1)
    return loc(unknown)
  } loc(unknown)
} loc(unknown)
"""
PLAIN = Options(line_info=False)


@pytest.fixture(name="module", scope="module")
def loaded() -> Any:
    return cuda_tile.load(TEXT)


def lines_of(ptx: str, kernel: str) -> list[tuple[str, int]]:
    """File and line of each `.loc` in a kernel, in order."""
    files = dict(re.findall(r'^\s*\.file\s+(\d+) "([^"]*)"', ptx, re.MULTILINE))
    body = ptx.partition(f".entry {kernel}(")[2].partition("\n}")[0]
    found = re.findall(r"^\s*\.loc\s+(\d+) (\d+) \d+", body, re.MULTILINE)
    return [(files[file], int(line)) for file, line in found]


def code_of(ptx: str) -> list[str]:
    """The lines that are instructions or declarations."""
    told = (".loc", ".file", ".section", "$L__", "//")
    text = ptx.partition("\t.section")[0]  # debug sections come last
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith(told)]


def test_every_instruction_has_the_line_of_its_op(module: Any) -> None:
    ptx = cuda_tile.compile(module, cubin=False).ptx
    assert set(lines_of(ptx, "scaled")) == {
        ("src/k.py", 9),  # the entry: parameters
        ("src/k.py", 11),
        ("src/k.py", 12),  # the call site, which must stand before what it inlines
        ("lib/h.py", 5),
        ("lib/h.py", 6),  # the first position of several
        ("src/k.py", 14),
        ("src/k.py", 15),
        ("src/k.py", 16),
    }
    assert ".target sm_90a\n" in ptx  # not `sm_90a, debug`


def test_an_instruction_stands_under_its_line(module: Any) -> None:
    ptx = cuda_tile.compile(module, cubin=False).ptx
    number = re.search(r'\.file\s+(\d+) "src/k\.py"', ptx)
    assert number
    after = re.search(rf"\.loc\s+{number[1]} 14 2\n\s*(\S+)", ptx)
    assert after
    assert after[1] == "sub.rn.f32"


def test_kernels_without_positions_have_no_lines(module: Any) -> None:
    ptx = cuda_tile.compile(module, cubin=False).ptx
    assert lines_of(ptx, "lost") == []
    assert set(lines_of(ptx, "elsewhere")) == {("other.py", 3)}


def test_a_module_without_positions_compiles() -> None:
    text = b"cuda_tile.module @m { entry @k() { return loc(unknown) } loc(unknown) }"
    module = cuda_tile.load(text)
    assert ".loc" not in cuda_tile.compile(module, cubin=False).ptx


@pytest.mark.parametrize("name", ["softmax_f32_1024", "matmul_f16_64x64x64"])
def test_lines_of_a_producers_file(name: str) -> None:
    module = cuda_tile.load(KERNELS / "13.4" / f"{name}.tileirbc")
    with_lines = cuda_tile.compile(module)
    plain = cuda_tile.compile(module, options=PLAIN)
    lines = lines_of(with_lines.ptx, name)
    assert {file for file, _ in lines} == {"test/kernels/kernels.py"}
    assert len({line for _, line in lines}) > 3
    # The line table of the cubin names the file; without the option there is neither.
    assert b".debug_line" in with_lines.cubin
    assert b"kernels.py" in with_lines.cubin
    assert ".loc" not in plain.ptx
    assert b".debug_line" not in plain.cubin
    assert code_of(with_lines.ptx) == code_of(plain.ptx)


def test_ptx_with_lines_runs_on_the_emulator(module: Any) -> None:
    out = np.zeros(1, np.float32)
    compiled = cuda_tile.compile(module, cubin=False)
    args = [out, np.float32(1)]
    cuda_tile.run(
        module, "scaled", grid=(1,), args=args, on="emulator", compiled=compiled
    )
    assert out[0] == 9


def test_level_p_with_lines_prints_parses_and_verifies(module: Any) -> None:
    lowered = cuda_tile.lower(module)
    text = str(lowered.operation.get_asm(enable_debug_info=True))
    assert "di_subprogram" in text
    again = cuda_tile.load(text.encode())
    with again.context:
        assert again.operation.verify()
        for kernel in emitted_kernels(again.operation):
            assert ("di_subprogram" in str(kernel.location)) == (
                entry_name(kernel) != "lost"
            )
