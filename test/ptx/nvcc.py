# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles CUDA C++ with the pinned nvcc, and lists kernels with NumPy references.

A kernel template `name<int without>` omits its synchronisation number `without`;
`name<0>` is the correct one. Sources are in `cuda/`.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptx_harness import find_ptxas

from cuda_tile.emulator import Report, launch
from cuda_tile.emulator.launch import Mode
from cuda_tile.emulator.ptx.parse import parse
from cuda_tile.emulator.ptx.syntax import Module
from cuda_tile.runtime.memory import GlobalMemory

FOLDER = Path(__file__).parent / "cuda"
Array = NDArray[Any]

# Steps until a loop counts as endless; the longest kernel takes a twentieth.
_LIMIT = 1_000_000
DEBUG = ("-G",)
LINES = ("-lineinfo",)
UNOPTIMISED = ("-Xcicc", "-O0")


@functools.cache
def compile_cuda(source: str, arch: str, flags: tuple[str, ...] = ()) -> Module:
    """Compiles a file of `cuda/` to PTX, and reads it.

    Args:
        source: Name of the file without `.cu`.
        arch: Real or virtual architecture, "sm_90a".
        flags: Further flags of nvcc.
    """
    nvcc = find_ptxas().with_name("nvcc")
    host = os.environ.get("CXX") or shutil.which("clang++-22") or "c++"
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "k.ptx")
        command = [str(nvcc), "-ptx", "-std=c++17", f"-arch={arch}", "-ccbin", host]
        command += [*flags, "-o", str(target), str(FOLDER / f"{source}.cu")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
        return parse(target.read_text())


def entry_name(module: Module, name: str) -> str:
    """Returns the mangled name of `name<1>`, or `name` where it is `extern "C"`.

    Itanium C++ ABI, "Mangling": `_Z`, the length of the name, the name, and `I`,
    the arguments (`Li1E`), `E` for a template.
    """
    found = re.fullmatch(r"(\w+)(?:<(\d+)>)?", name)
    assert found is not None, name
    stem, number = found.groups()
    if number is None:
        return stem
    start = f"_Z{len(stem)}{stem}ILi{number}EE"
    (entry,) = (f for f in module.functions if f.startswith(start))
    return entry


@dataclass(frozen=True)
class Problem:
    """Arguments of a launch, and what must stand in some of them after it.

    Attributes:
        args: As `launch` takes them.
        wanted: Pairs of an argument and its values; equal bit by bit.
        tolerance: How far floats may be off, relative to the wanted value.
        behind: Arrays that structures among the arguments point to.
        holds: Whether what cannot be said by values is right.
    """

    args: Sequence[Any]
    wanted: Sequence[tuple[Array, Array]]
    tolerance: float = 0.0
    behind: Sequence[Array] = ()
    holds: Callable[[], bool] = lambda: True

    def check(self) -> None:
        """Compares; raises AssertionError where values differ."""
        for result, wanted in self.wanted:
            np.testing.assert_allclose(
                result, wanted, rtol=self.tolerance, atol=0.0, strict=True
            )
        assert self.holds()


@dataclass(frozen=True)
class Kernel:
    """A kernel with its launch.

    Attributes:
        source, name: File of `cuda/` and name of the entry, without `<0>`.
        make: Makes a problem from a random generator.
        arch: The oldest architecture that has it.
        broken: By number of what is left out, the kinds of findings that say so.
    """

    source: str
    name: str
    make: Callable[[np.random.Generator], Problem]
    grid: int | Sequence[int] = 1
    block: int | Sequence[int] = 32
    arch: str = "sm_80"
    cluster: int = 1
    shared_bytes: int = 0
    cooperative: bool = False
    broken: Mapping[int, str] = field(default_factory=dict[int, str])

    def __str__(self) -> str:
        return f"{self.source}-{self.name}"

    def run(
        self,
        arch: str,
        flags: tuple[str, ...] = (),
        mode: Mode = "fast",
        seed: int = 0,
        without: int = 0,
        collect: bool = False,
    ) -> tuple[Problem, Report]:
        """Runs a variant; returns the problem, results in place, and the report."""
        module = compile_cuda(self.source, arch, flags)
        name = f"{self.name}<{without}>" if self.broken else self.name
        problem = self.make(np.random.default_rng(seed))
        memory = GlobalMemory()
        for number, array in enumerate(problem.behind):
            memory.add(f"array {number}", array)
        report = launch(
            module,
            entry_name(module, name),
            grid=self.grid,
            block=self.block,
            args=problem.args,
            cluster=self.cluster,
            cooperative=self.cooperative,
            shared_bytes=self.shared_bytes,
            mode=mode,
            seed=seed,
            memory=memory,
            limit=_LIMIT,
            collect=collect,
        )
        return problem, report
