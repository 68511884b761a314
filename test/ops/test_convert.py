# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions of all f16 and bf16 numbers, and the instructions that each chip gets."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from convert_cases import FORMS, INTEGERS, SIGNS, Kernel, modes
from op_case import ARRAY_TYPES, Array, differing

import cuda_tile
from cuda_tile._mlir import ir

TILE = 4096
BLOCKS = 16
LIMITS = {"f8E4M3FN": 448.0, "f8E5M2": 57344.0}


@cache
def every_code(source: str) -> tuple[Kernel, list[str], Array]:
    """A kernel of all conversions of a type of 16 bits, their names, and its input."""
    kernel, names = Kernel(source, TILE), list[str]()
    for result in FORMS:
        for mode in modes(source, result) if result != source else ():
            kernel.convert(f"ftof X rounding<{mode}>", result)
            names.append(f"ftof {result} {mode}")
    for result in INTEGERS:
        for sign in SIGNS:
            kernel.convert(f"ftoi X {sign} saturating", result)
            names.append(f"ftoi {result} {sign}")
    codes = np.arange(1 << 16).astype(np.uint16)
    return kernel, names, codes.view(ARRAY_TYPES[source])


def results(source: str, **how: Any) -> list[Array]:
    """The results of `every_code`."""
    kernel, _, values = every_code(source)
    arrays = [values.copy(), *kernel.arrays(np.random.default_rng(0), BLOCKS)[1:]]
    module = cuda_tile.load(kernel.text.encode())
    cuda_tile.run(module, grid=(BLOCKS,), args=arrays, **how)
    return arrays[1:]


@cache
def interpreted(source: str) -> list[Array]:
    """The same of the interpreter."""
    return results(source, on="interp")


@pytest.mark.parametrize("source", ["f16", "bf16"])
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_100"])
def test_every_code(source: str, gpu: str) -> None:
    found = results(source, on="emulator", gpu=gpu, mode="fast")
    _, names, values = every_code(source)
    rows = zip(names, interpreted(source), found, strict=True)
    for name, wanted, got in rows:
        wrong = differing(wanted, got, 0.0)
        assert not len(wrong), f"{name}: {len(wrong)} differ, of {values[wrong[:4]]}"


@pytest.mark.parametrize("source", ["f16", "bf16"])
@pytest.mark.parametrize("result", LIMITS)
def test_the_interpreter_against_ml_dtypes(source: str, result: str) -> None:
    _, names, values = every_code(source)
    limit = LIMITS[result]
    with np.errstate(invalid="ignore"):
        clamped = np.clip(values.astype(np.float32), -limit, limit)
        wanted = clamped.astype(ARRAY_TYPES[result])
    got = interpreted(source)[names.index(f"ftof {result} nearest_even")]
    assert not len(differing(wanted, got, 0.0))
    assert ml_dtypes.finfo(ARRAY_TYPES[result]).max == limit


# Instructions -------------------------------------------------------------------------

INSTRUCTIONS = {
    ("f32", "f8E4M3FN"): ("cvt.rn.satfinite.e4m3x2.f32", 89),
    ("f32", "f8E5M2"): ("cvt.rn.satfinite.e5m2x2.f32", 89),
    ("f16", "f8E4M3FN"): ("cvt.rn.satfinite.e4m3x2.f16x2", 89),
    ("f16", "f8E5M2"): ("cvt.rn.satfinite.e5m2x2.f16x2", 89),
    ("f32", "tf32"): ("cvt.rn.tf32.f32", 90),
    ("f32", "f4E2M1FN"): ("cvt.rn.satfinite.e2m1x2.f32", 100),
    ("f32", "f8E8M0FNU"): ("cvt.rp.satfinite.ue8m0x2.f32", 100),
    ("f8E4M3FN", "f16"): ("cvt.rn.f16x2.e4m3x2", 89),
    ("f8E5M2", "f16"): ("cvt.rn.f16x2.e5m2x2", 89),
    ("f4E2M1FN", "f16"): ("cvt.rn.f16x2.e2m1x2", 100),
    ("f8E8M0FNU", "bf16"): ("cvt.rn.bf16x2.ue8m0x2", 100),
    ("f32", "f16"): ("cvt.rn.f16x2.f32", 80),
    ("f32", "bf16"): ("cvt.rn.bf16x2.f32", 80),
    ("f64", "f16"): ("cvt.rn.f16.f64", 75),
}
"""Per pair of types the instruction, and the capability since when chips have it."""
MORE = (("f8E8M0FNU", "f32"), ("f8E8M0FNU", "f16"), ("f64", "f8E4M3FN"))
"""Pairs that take more than one instruction on every chip."""
CHIPS = (
    *("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_100f", "sm_103"),
    *("sm_110", "sm_120", "sm_120f", "sm_121"),
)


def all_pairs() -> str:
    """A module with one kernel per pair."""
    entries: list[str] = []
    for source, result in (*INSTRUCTIONS, *MORE):
        kernel = Kernel(source, 128)
        rounding = " rounding<positive_inf>" * (result == "f8E8M0FNU")
        kernel.convert(f"ftof X{rounding}", result)
        entry = re.search(r"entry @k.*\}(?= \})", kernel.text, re.DOTALL)
        assert entry is not None
        entries.append(entry[0].replace("@k", f"@{source}_{result}", 1))
    return "cuda_tile.module @m {\n" + "\n".join(entries) + "\n}"


@pytest.mark.parametrize("gpu", CHIPS)
def test_instructions_of_a_chip(gpu: str) -> None:
    """ptxas takes what is emitted, and the chip's own instructions are in it."""
    with ir.Context():
        compiled = cuda_tile.compile(cuda_tile.load(all_pairs().encode()), gpu)
    parts = re.split(r"\.entry (\w+)", compiled.ptx)[1:]
    texts = dict(zip(parts[0::2], parts[1::2], strict=True))
    capability = int(re.sub(r"\D", "", gpu))
    for (source, result), (instruction, since) in INSTRUCTIONS.items():
        is_there = instruction in texts[f"{source}_{result}"]
        assert is_there == (capability >= since), f"{source} to {result}"


def test_the_page_names_them() -> None:
    page = (Path(__file__).parents[2] / "docs" / "conversions.md").read_text()
    spread = re.sub(
        r"`([^`{]*)\{([\w,]+)\}([^`]*)`",
        lambda m: " ".join(f"`{m[1]}{way}{m[3]}`" for way in m[2].split(",")),
        page,
    )
    for instruction, _ in INSTRUCTIONS.values():
        assert f"`{instruction}`" in spread, instruction
