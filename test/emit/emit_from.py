# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes level-W text through the rest of the pipeline, from some pass on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import cuda_tile
from cuda_tile import emulator
from cuda_tile._mlir import ir
from cuda_tile.codegen.ptxas import Assembled
from cuda_tile.ir.launch import emitted_kernels, read_launch
from cuda_tile.ir.walk import entry_name
from cuda_tile.options import Options
from cuda_tile.pipeline import PIPELINE, Compilation, run_step


@dataclass(frozen=True)
class Kernel:
    """A compiled kernel.

    Attributes:
        name: Its name.
        ptx: PTX text.
        block: Threads of a CTA.
        dynamic_shared_bytes: Shared memory to ask for.
        assembled: What ptxas made, where it was asked.
    """

    name: str
    ptx: str
    block: tuple[int, int, int]
    dynamic_shared_bytes: int
    assembled: Assembled | None

    def run(self, grid: Sequence[int], args: Sequence[Any], seed: int) -> None:
        """Runs it on the emulator, adversarially; arrays change in place."""
        emulator.launch(
            self.ptx,
            self.name,
            grid=tuple(grid),
            block=self.block,
            args=list(args),
            shared_bytes=self.dynamic_shared_bytes,
            mode="adversarial",
            seed=seed,
        )


def passed(text: str, first: str, last: str, gpu: str) -> ir.Module:
    """The module after the passes from `first` to `last`."""
    module = cuda_tile.load(text.encode())
    _run(module, first, last, gpu)
    return module


def _run(module: ir.Module, first: str, last: str, gpu: str) -> Compilation:
    names = [step.name for step in PIPELINE]
    with module.context, ir.Location.unknown():
        compilation = Compilation(module.operation, Options(gpu=gpu))
        for step in PIPELINE[names.index(first) : names.index(last) + 1]:
            run_step(step, compilation)
        return compilation


def compile_from(text: str, first: str, gpu: str, *, cubin: bool = False) -> Kernel:
    """Runs the steps from `first` on, to PTX or to a cubin."""
    module = cuda_tile.load(text.encode())
    compilation = _run(module, first, "ptxas" if cubin else "llvm", gpu)
    with module.context:
        (kernel,) = emitted_kernels(compilation.module)
        launch = read_launch(kernel)
        return Kernel(
            entry_name(kernel),
            compilation.ptx or "",
            launch.block,
            launch.dynamic_shared_bytes,
            compilation.assembled,
        )


def agree_from(
    text: str,
    first: str,
    args: Sequence[Any],
    *,
    gpu: str = "sm_90",
    grid: Sequence[int] = (1,),
    seeds: Sequence[int] = (0, 1),
) -> list[Any]:
    """Checks that interpreter and emulator agree; gives the arguments after the run."""
    module = cuda_tile.load(text.encode())
    expected: list[Any] | None = None
    for seed in (None, *seeds):
        copies = _copies(args)
        cuda_tile.run(module, grid=grid, args=copies, seed=seed)
        expected = expected or copies
        _same(expected, copies, f"interpreter, seed {seed}")
    assert expected is not None
    kernel = compile_from(text, first, gpu)
    for seed in seeds:
        copies = _copies(args)
        kernel.run(grid, copies, seed)
        _same(expected, copies, f"emulator, seed {seed}")
    return expected


def _copies(args: Sequence[Any]) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]


def _same(expected: Sequence[Any], got: Sequence[Any], where: str) -> None:
    for number, (mine, theirs) in enumerate(zip(expected, got, strict=True)):
        assert np.array_equal(mine, theirs), f"{where}: argument {number} differs"
