# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation that emission makes, by itself, for every chip.

LLVM ends the process on an instruction that a chip or its PTX version lacks, so each
pair is translated in a child process; where one dies, halves of the list find out why.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from emit_every import ELEMENTS, lowered, single
from emit_placed import placed_kernels
from emit_tcgen05 import tensor_kernels
from real_kernels import RECIPES, kernel_path
from role_kernels import role_kernels

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.codegen.legality import check_device_code, instruction_name
from cuda_tile.codegen.ptxas import assemble
from cuda_tile.errors import Unsupported
from cuda_tile.instructions import INSTRUCTIONS
from cuda_tile.layout.wgmma import WGMMA_CAPABILITY
from cuda_tile.targets import Target, find_target, target_names

pytestmark = pytest.mark.sampled(5)

EMIT = Path(cuda_tile.__file__).parent / "emit"
PREFIX = re.compile(r"f?\"((?:llvm|nvvm)\.[a-z0-9_.]+)[\"{]")
"""An operation's name in the sources, or how it begins."""
NOT_OPERATIONS = {"nvvm.kernel", "nvvm.reqntid", "nvvm.minctasm"}
CHILD = """
import sys
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
arch, features = sys.argv[1:]
with ir.Context(), ir.Location.unknown():
    module = ir.Module.parse(sys.stdin.read())
    print(_cuda_tile.translate_to_ptx(module, arch, features, 2))
"""


@dataclass(frozen=True)
class Kernel:
    """A kernel of one emitted operation.

    Attributes:
        text: Its text, with `NAME` for the name.
        first: Capability of the first chip for which emission makes the operation.
    """

    text: str
    first: int


@cache
def modules() -> list[tuple[str, ir.Module]]:
    """Level P of all kernels, for some chips, and what is written for a chip."""
    pairs = product(("sm_75", "sm_80", "sm_90", "sm_100"), ELEMENTS)
    common = [(gpu, lowered(kind, gpu)) for gpu, kind in pairs]
    return [*common, *placed_kernels(), *role_kernels(), *tensor_kernels()]


@cache
def kernels() -> list[Kernel]:
    """A kernel of each emitted operation."""
    found: dict[str, Kernel] = {}
    for gpu, module in modules():
        with module.context, ir.Location.unknown():
            scratch = ir.Module.create()
            with ir.InsertionPoint(scratch.body):
                for op, *_ in _cuda_tile.device_code(module)[0]:
                    alone = single(op, "NAME")
                    if alone is not None:
                        kernel = Kernel(str(alone), find_target(gpu).capability)
                        found.setdefault(kernel.text, kernel)
    return list(found.values())


def module_of(texts: Sequence[str]) -> str:
    """The kernels of some texts as one module, each under a name of its own."""
    functions = "\n".join(
        text.replace("NAME", f"k{i}", 1) for i, text in enumerate(texts)
    )
    return f"gpu.module @m {{\n{functions}\n}}"


def translated(texts: Sequence[str], gpu: str) -> tuple[str, list[str]]:
    """PTX of the kernels that have one, and the texts on which LLVM ends."""
    target = find_target(gpu)
    command = [sys.executable, "-c", CHILD, target.arch, target.features]
    result = subprocess.run(
        command, input=module_of(texts), capture_output=True, text=True, check=False
    )
    if result.returncode == 0:
        return result.stdout, []
    if len(texts) == 1:
        return "", [f"{texts[0]}\n{result.stderr[:500]}"]
    half = len(texts) // 2
    parts = [translated(part, gpu) for part in (texts[:half], texts[half:])]
    return "", [text for _, fatal in parts for text in fatal]


@cache
def parsed() -> list[tuple[Kernel, ir.Module]]:
    """Each of these kernels with a module of it alone."""
    with ir.Context(), ir.Location.unknown():
        return [(k, ir.Module.parse(module_of([k.text]))) for k in kernels()]


def possible(target: Target) -> list[str]:
    """Kernels that the table does not refuse for a chip.

    Of inline PTX it knows nothing, so that this counts from the first chip for which
    emission writes it; `wgmma` is of one chip alone.
    """
    found: list[str] = []
    for kernel, module in parsed():
        if "inline_asm" in kernel.text and kernel.first > target.capability:
            continue
        if "wgmma." in kernel.text and target.capability != WGMMA_CAPABILITY:
            continue
        with module.context, ir.Location.unknown(), suppress(Unsupported):
            check_device_code(module.operation, target)
            found.append(kernel.text)
    return found


TARGET_NAMES = {find_target(name).arch: name for name in target_names()}
"""One name of each target."""


@pytest.mark.parametrize("gpu", TARGET_NAMES.values())
def test_every_pair(gpu: str) -> None:
    target = find_target(gpu)
    ptx, fatal = translated(possible(target), gpu)
    assert not fatal, "\n".join(fatal)
    warnings = assemble(ptx, target.arch, opt_level=1).warnings
    # The functions have no launch bounds, without which ptxas moves no registers.
    assert not [line for line in warnings if "'setmaxnreg' ignored" not in line]
    assert f".target {target.arch}\n" in ptx


def test_a_death_is_found() -> None:
    """The test of the test: among good kernels, the one that LLVM cannot select."""
    bad = """"llvm.func"() <{CConv = #llvm.cconv<ccc>, sym_name = "NAME",
      function_type = !llvm.func<f32 (f32, i32)>, linkage = #llvm.linkage<external>}> ({
    ^bb0(%a: f32, %m: i32):
      %r = "llvm.call_intrinsic"(%a, %m) <{intrin = "llvm.nvvm.redux.sync.fmax",
        op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 2, 0>}>
        : (f32, i32) -> f32
      "llvm.return"(%r) : (f32) -> ()
    }) : () -> ()"""
    _, fatal = translated([*(k.text for k in kernels()[:3]), bad], "sm_80")
    assert len(fatal) == 1
    assert "redux" in fatal[0]


def in_sources() -> Iterator[str]:
    """The operations that emission's sources name."""
    for path in (*EMIT.glob("*.py"), EMIT.parent / "passes" / "emit.py"):
        yield from PREFIX.findall(path.read_text())


def test_each_named_operation_has_a_row() -> None:
    bare = {row.removesuffix(".sat") for row in INSTRUCTIONS}
    rows = {*INSTRUCTIONS, *bare, "llvm.call_intrinsic"}
    for name in {*in_sources()} - NOT_OPERATIONS:
        assert name in rows or any(row.startswith(name) for row in rows), name


def test_each_row_is_emitted() -> None:
    made = {"gpu.module", "builtin.module"}
    for gpu, module in modules():
        with module.context:
            kinds, bad_types = _cuda_tile.device_code(module)
            made |= {instruction_name(op) for op, *_ in kinds}
            assert not bad_types
            assert not check_device_code(module.operation, find_target(gpu))
    assert made == {"gpu.module", "builtin.module", *INSTRUCTIONS}


@pytest.mark.parametrize("kernel", RECIPES)
def test_real_kernels_have_nothing_else(kernel: str) -> None:
    for gpu in ("sm_80", "sm_90"):
        module = cuda_tile.lower(cuda_tile.load(kernel_path(kernel)), gpu)
        with module.context:
            assert not check_device_code(module.operation, find_target(gpu))
