# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The PTX that Triton compiled from our kernels, and how to launch it.

`triton/` has the kernels and the script that makes `ptx.tar.xz` from them.
"""

from __future__ import annotations

import functools
import json
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ptx_arrays import aligned

from cuda_tile.emulator import Report, TensorMap, launch
from cuda_tile.emulator.bounds import Chip
from cuda_tile.emulator.launch import Mode
from cuda_tile.machine.code import MachineCode

ARCHIVE = Path(__file__).parent / "triton" / "ptx.tar.xz"
Array = NDArray[Any]


@dataclass(frozen=True)
class Described:
    """An array that the kernel takes as a tensor descriptor made by the host.

    Attributes:
        array: The array.
        fill: What elements outside the array are read as.
    """

    array: Array
    fill: Any = "zero"


@dataclass(frozen=True)
class Problem:
    """One launch: arguments as Triton's launcher takes them, and what must come out.

    Attributes:
        args: Arrays, numbers and `Described` ones, for the parameters in order.
        grid: Programs in x, y, z.
        wanted: Pairs of an array of `args` and what must stand there, with the most
            that each element may differ by, in absolute terms.
        stdout: Lines that must have been printed, in any order; None for any.
    """

    args: Sequence[Any]
    grid: Sequence[int]
    wanted: Sequence[tuple[Array, Array, Array | float]]
    stdout: Sequence[str] | None = None


@dataclass(frozen=True)
class Kernel:
    """PTX of one kernel for one target, and what Triton's metadata says of it."""

    name: str
    text: str
    meta: dict[str, Any]

    @property
    def target(self) -> str:
        """Name for ptxas."""
        return f"sm_{self.meta['target']}" + ("a" if self.meta["target"] >= 90 else "")

    def run(
        self,
        make: Callable[[np.random.Generator], Problem],
        mode: Mode,
        seed: int = 0,
        *,
        text: str | None = None,
        limit: int | None = None,
        collect: bool = False,
    ) -> Report:
        """Launches the kernel as Triton would and checks the result.

        Raises:
            FindingError: The emulator reports a fault.
            AssertionError: A result is not NumPy's.
        """
        problem = make(np.random.default_rng(seed))
        report = self.start(
            problem, mode, seed, text=text, limit=limit, collect=collect
        )
        self.check(problem, report)
        return report

    def check(self, problem: Problem, report: Report) -> None:
        """Asserts that a launch gave what NumPy does."""
        for place, (array, wanted, most) in enumerate(problem.wanted):
            check(array, wanted, most, f"{self.name}: result {place}")
        if problem.stdout is not None:
            assert sorted(report.stdout.splitlines()) == sorted(problem.stdout)

    def start(
        self,
        problem: Problem,
        mode: Mode,
        seed: int = 0,
        *,
        text: str | None = None,
        limit: int | None = None,
        collect: bool = False,
        bounds: Chip | None = None,
        registers: int | None = None,
        machine: MachineCode | None = None,
        strict: bool = False,
        order: str = "isa",
        numbers: str = "floats",
    ) -> Report:
        """Launches the kernel; what it does to the arrays is left to look at."""
        ctas = self.meta["num_ctas"]
        grid = (*problem.grid, 1, 1)[:3]
        return launch(
            self.text if text is None else text,
            grid=(grid[0] * ctas, *grid[1:]),
            block=32 * self.meta["num_warps"],
            cluster=(ctas, 1, 1),
            shared_bytes=self.meta["shared_bytes"],
            args=self._arguments(problem, int(np.prod(grid)) * ctas),
            mode=mode,
            seed=seed,
            limit=limit,
            collect=collect,
            bounds=bounds,
            registers=registers,
            machine=machine,
            strict=strict,
            order=order,
            numbers=numbers,
        )

    def _arguments(self, problem: Problem, n_ctas: int) -> list[Any]:
        """A descriptor goes with its sizes and strides; last comes scratch memory."""
        described = iter(self.meta["descriptors"])
        args: list[Any] = []
        for arg in problem.args:
            if not isinstance(arg, Described):
                args.append(arg)
                continue
            array = arg.array
            args.append(self._map(arg, next(described)))
            args += [np.int32(extent) for extent in array.shape]
            args += [np.int64(stride // array.itemsize) for stride in array.strides]
        scratch = aligned((n_ctas * self.meta["scratch_bytes"],), np.uint8)
        return [*args, scratch if scratch.size else None, None]

    @staticmethod
    def _map(arg: Described, about: dict[str, Any]) -> TensorMap:
        swizzle = (0, 32, 64, 128)[about["swizzle"]]
        packed_bits = 4 if about["fp4_padded"] else 0
        return TensorMap(arg.array, about["box"], swizzle, arg.fill, packed_bits)


def check(array: Array, wanted: Array, most: Array | float, what: str) -> None:
    """Asserts that results are right: equal, or within what is allowed.

    Raises:
        AssertionError: They are not.
    """
    if not np.any(most):
        np.testing.assert_array_equal(_plain(array), _plain(wanted), err_msg=what)
        return
    distance = np.abs(array.astype(np.float64) - wanted.astype(np.float64))
    worst = np.unravel_index(np.argmax(distance - most), array.shape)
    assert (distance <= most).all(), (
        f"{what}: at {tuple(map(int, worst))} expected {wanted[worst]}, "
        f"got {array[worst]}"
    )


def _plain(array: Array) -> Array:
    return array.astype(np.float64) if array.dtype.kind not in "iub" else array


@functools.cache
def kernels() -> dict[str, Kernel]:
    """Every kernel by its name and target, such as `add_rows.sm_90`."""
    found: dict[str, Kernel] = {}
    with tarfile.open(ARCHIVE) as archive:
        for entry in archive:
            file = archive.extractfile(entry)
            assert file
            text = file.read().decode()
            name = entry.name.removesuffix(".ptx")
            about = json.loads(text.partition("\n")[0].removeprefix("// "))
            found[name] = Kernel(name, text, about)
    return found
