# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of many kinds, each against NumPy: interpreter, and emulator of two chips.

`test/kernels/zoo` has the kernels, `zoo_THEME.py` here the launches.
"""

from __future__ import annotations

import zipfile
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from zoo_launch import LAUNCHES, Launch

import cuda_tile

pytestmark = pytest.mark.sampled(6)

HERE = Path(__file__).parent
ARCHIVE = HERE.parent / "kernels" / "zoo" / "bytecode-13.4.zip"
for file in sorted(HERE.glob("zoo_*.py")):
    import_module(file.stem)
NAMES = sorted(LAUNCHES)


@cache
def files() -> dict[str, bytes]:
    """The bytecode of each kernel."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        return {
            name.removesuffix(".tileirbc"): archive.read(name)
            for name in archive.namelist()
        }


@cache
def read(name: str) -> Any:
    """A kernel as a module; nobody changes it."""
    return cuda_tile.load(files()[name])


def run(name: str, **choices: Any) -> Launch:
    """A launch, after it ran without a warning."""
    launch = LAUNCHES[name]()
    args: list[Any] = []
    for arg in launch.args:
        is_array = isinstance(arg, np.ndarray)
        args.extend(cuda_tile.array_args(arg) if is_array else [arg])
    report = cuda_tile.run(read(name), grid=launch.grid, args=args, **choices)
    assert not report.warnings, report.warnings
    return launch


@cache
def compiled(name: str, gpu: str) -> Any:
    """The PTX of a kernel."""
    return cuda_tile.compile(read(name), gpu, cubin=False)


def test_every_kernel_has_a_reference() -> None:
    assert sorted(files()) == NAMES


@pytest.mark.parametrize("mode", ["strict", "hardware"])
@pytest.mark.parametrize("name", NAMES)
def test_interpreter(name: str, mode: str) -> None:
    assert not run(name, mode=mode).complaints()


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", NAMES)
def test_emulator(name: str, gpu: str) -> None:
    ptx = compiled(name, gpu)
    assert not run(name, on="emulator", gpu=gpu, compiled=ptx).complaints()


@pytest.mark.parametrize("name", NAMES[::4])
def test_launched_as_producers_do(name: str) -> None:
    """A block of one thread; the driver takes the threads from the kernel."""
    options = cuda_tile.Options(gpu="sm_90", abi="tile")
    ptx = cuda_tile.compile(read(name), options=options, cubin=False)
    choices = {"on": "emulator", "gpu": "sm_90", "mode": "adversarial", "seed": 2}
    assert not run(name, compiled=ptx, **choices).complaints()


@pytest.mark.parametrize("name", NAMES)
def test_no_order_of_threads_changes_the_result(name: str) -> None:
    ptx = compiled(name, "sm_80")
    choices = {"on": "emulator", "gpu": "sm_80", "mode": "adversarial", "seed": 1}
    assert not run(name, compiled=ptx, **choices).complaints()


@pytest.mark.parametrize("gpu", ["sm_100", "sm_120"])
@pytest.mark.parametrize("name", NAMES)
def test_compiles_for_other_chips(name: str, gpu: str) -> None:
    assert compiled(name, gpu).ptx
