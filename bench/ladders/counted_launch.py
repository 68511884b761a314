# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One launch of a foreign kernel on the emulator, which counts, for this folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import ml_dtypes
from numpy.typing import NDArray
from real_kernels import aligned

from cuda_tile.codegen.ptxas import assemble
from cuda_tile.emulator import Report, launch, parse
from cuda_tile.emulator.bounds.slots import machine_code
from cuda_tile.errors import UserError
from cuda_tile.targets import Target

Array = NDArray[Any]
BF16 = ml_dtypes.bfloat16
_LARGEST_ERROR = 0.05
"""Of sums of some hundred products of bf16, relative to the largest."""


@dataclass(frozen=True)
class Launch:
    """Shape of a launch.

    Attributes:
        ctas: CTAs that are counted.
        threads: Of a CTA, along x and y or all.
        cluster: CTAs of a cluster.
        shared: Dynamic bytes of a CTA.
    """

    ctas: int
    threads: int | tuple[int, int]
    cluster: int = 1
    shared: int = 0


def counted(
    text: str, entry: str, chip: Target, shape: Launch, args: list[Any]
) -> Report:
    """Counts of a launch, those of its machine code with them.

    Args:
        text: PTX.
        entry: A pattern that one kernel's name has.
        chip: Whose machine code is counted.
        shape: Of the launch.
        args: Its arguments; results are written to arrays.

    Raises:
        UserError: No kernel has such a name, or several have.
    """
    module = parse(text)
    found = [
        function.name
        for function in module.functions.values()
        if function.is_entry and re.search(entry, function.name)
    ]
    if len(found) != 1:
        raise UserError(f"expected one instance of {entry}, got {found}")
    return launch(
        module,
        found[0],
        grid=shape.ctas,
        block=shape.threads,
        cluster=shape.cluster,
        shared_bytes=shape.shared,
        args=args,
        collect=True,
        bounds=chip,
        registers=assemble(text, chip.arch).resources[found[0]].registers,
        machine=machine_code(
            module, found[0], lambda t: assemble(t, chip.arch, line_info=True).cubin
        ),
    )


def placed(values: Array, dtype: Any = BF16) -> Array:
    """As bf16 or another type, at a multiple of 256 bytes, as `cudaMalloc` gives."""
    found = aligned(values.shape, dtype)
    found[...] = values
    return found


def check(got: Array, right: Array) -> None:
    """Holds a result against NumPy's.

    Raises:
        UserError: They are too far apart.
    """
    far = abs(got.astype("f4") - right).max() / abs(right).max()
    if not far < _LARGEST_ERROR:
        raise UserError(f"the result is not that of NumPy: {far:.3g} of the largest")
