# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What emission does for ptxas's sake, measured with and without it.

| habit of ptxas 13.5 | with | without |
|---|---|---|
| a wait moves over what threads compute | 34 `MUFU.EX2` before it | 3 |
| loads of shared memory are joined | 238 registers | 255, 108 bytes spilled |
| constants among registers are written anew | 36 instructions | 38 |
| two loops share a constant, which is copied | 284 and 357 | 286 and 358 |
| descriptors that no iteration changes are kept | 400 | 507, 568 bytes spilled |
| halves that shifts join are permuted | no `PRMT` of bytes | 2 |
| a sign that is turned as an integer is an instruction | no `LOP3` | 8 |

A test fails where a habit is gone: then what is done for it may go, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attention
import narrow
import pytest
from loop_mix import product_loops

import cuda_tile
from cuda_tile.api import Compiled
from cuda_tile.codegen.ptxas import ptxas_version
from cuda_tile.emit import pairs, pending, steps, threads, tileas, wgmma_operands
from cuda_tile.machine.disassembler import find_nvdisasm
from cuda_tile.pictures.machine_code import machine_code

KERNELS = Path(__file__).parents[1] / "kernels" / "13.4"
VERSION = "13.5"

pytestmark = [
    pytest.mark.skipif(
        f"release {VERSION}," not in ptxas_version(),
        reason=f"the habits are those of ptxas {VERSION}",
    ),
    pytest.mark.skipif(find_nvdisasm() is None, reason="nvdisasm reads machine code"),
]


def golden(name: str) -> bytes:
    return (KERNELS / f"{name}.tileirbc").read_bytes()


def backward() -> bytes:
    wanted = "backward f16 d128 128x64 rows"
    cases = [c.attention for c in attention.CASES if c.attention.name == wanted]
    return cases[0].text().encode()


def eight_bit() -> bytes:
    wanted = "f8E4M3FN 128x256x128 B^T"
    cases = [c.product for c in narrow.CASES if c.product.name == wanted]
    return cases[0].text().encode()


@dataclass(frozen=True)
class Habit:
    """What is done, where, and how it is left out.

    Attributes:
        module: The module of `emit` that calls the function.
        function: Its name.
        instead: What takes its place.
        kernel: A kernel on which it shows.
        gpu: The chip.
    """

    module: Any
    function: str
    instead: Callable[..., Any]
    kernel: Callable[[], bytes]
    gpu: str = "sm_90"


HABITS = {
    "joined loads": Habit(
        tileas, "scheduling_fence", lambda b: None, eight_bit, "sm_120"
    ),
    "constants": Habit(
        *(threads, "register_constant"),
        lambda number, axis: f"mov.b32 $0, {number};",
        lambda: golden("matmul_f16_128x128x64"),
    ),
    "kept descriptors": Habit(
        wgmma_operands, "computed_here", lambda b, word: word, backward
    ),
}


def compiled(habit: Habit) -> Compiled:
    options = cuda_tile.Options(gpu=habit.gpu, line_info=False)
    return cuda_tile.compile(cuda_tile.load(habit.kernel()), options=options)


def cost(made: Compiled) -> tuple[int, int]:
    """Bytes that are spilled, and instructions of all loops with products."""
    assert made.cubin is not None
    loops = product_loops(made.cubin) or []
    assert loops
    spilled = made.report.kernels[0].spill_bytes
    return spilled, sum(loop.instructions for loop in loops)


@pytest.mark.parametrize("name", HABITS)
def test_a_habit_costs_what_emission_saves(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    habit = HABITS[name]
    saved = cost(compiled(habit))
    monkeypatch.setattr(habit.module, habit.function, habit.instead)
    assert saved < cost(compiled(habit))


def test_a_fence_keeps_a_wait_behind_what_threads_compute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    habit = Habit(
        *(pending, "scheduling_fence", lambda b: None),
        lambda: golden("fmha_causal_f16_d128_128x64"),
    )
    assert exponentials_before_last_wait(compiled(habit)) == [34, 34]
    monkeypatch.setattr(habit.module, habit.function, habit.instead)
    assert min(exponentials_before_last_wait(compiled(habit))) < 10


def exponentials_before_last_wait(made: Compiled) -> list[int]:
    """Of each loop: those between its waits for the first and the second product."""
    assert made.cubin is not None
    marks = {"MUFU.EX2": "E", "WARPGROUP.DEPBAR": "W", "HGMMA": "H"}
    found: list[str] = []
    for line in machine_code(made.cubin).lines:
        found += [letter for mark, letter in marks.items() if mark in line]
    text = "".join(found)
    return [len(run) for run in re.findall(r"H{12}W(E*)W", text)]


BYTES = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f8E4M3FN>>) {
    %zero = constant <i32: 0> : tile<i32>
    %aligned = assume div_by<16>, %p : tile<ptr<f32>>
    %to = assume div_by<16>, %q : tile<ptr<f8E4M3FN>>
    %at = make_tensor_view %aligned, shape = [1024], strides = [1]
      : tensor_view<1024xf32, strides=[1]>
    %av = make_partition_view %at
      : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>
    %ct = make_tensor_view %to, shape = [1024], strides = [1]
      : tensor_view<1024xf8E4M3FN, strides=[1]>
    %cv = make_partition_view %ct
      : partition_view<tile=(1024), tensor_view<1024xf8E4M3FN, strides=[1]>>
    %x, %t = load_view_tko weak %av[%zero]
      : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>, tile<i32>
      -> tile<1024xf32>, token
    %y = ftof %x : tile<1024xf32> -> tile<1024xf8E4M3FN>
    %s = store_view_tko weak %y, %cv[%zero] : tile<1024xf8E4M3FN>,
      partition_view<tile=(1024), tensor_view<1024xf8E4M3FN, strides=[1]>>, tile<i32>
      -> token
    return
  }
}
"""


def test_a_conversion_joins_what_another_one_gave(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def permutations() -> int:
        made = cuda_tile.compile(cuda_tile.load(BYTES.encode()), "sm_90")
        assert made.cubin is not None
        return sum("PRMT" in line for line in machine_code(made.cubin).lines)

    assert permutations() == 0
    monkeypatch.setattr(pairs, "_is_converted", lambda half: False)
    assert permutations() == 2


def test_a_sign_goes_with_what_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    text = BYTES.replace(
        "%y = ftof %x",
        "%less = negf %x : tile<1024xf32>\n    %e = exp %less : tile<1024xf32>\n"
        "    %y = ftof %e",
    )

    def signs() -> int:
        made = cuda_tile.compile(cuda_tile.load(text.encode()), "sm_90")
        assert made.cubin is not None
        lines = machine_code(made.cubin).lines
        return sum("LOP3" in line and "0x80000000" in line for line in lines)

    assert signs() == 0
    monkeypatch.setattr(steps, "with_its_sign", lambda b, x: x)
    assert signs() == 8
