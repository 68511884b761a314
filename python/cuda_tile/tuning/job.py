# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A candidate as a job of `batch`: compiled, then counted on the emulator."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from cuda_tile import api, running
from cuda_tile.batch.job import Job, Product, product_of
from cuda_tile.options import Options
from cuda_tile.pictures.inputs import Inputs
from cuda_tile.runtime.elements import Array
from cuda_tile.targets import WARP_LANES
from cuda_tile.timing.counting import counting
from cuda_tile.tuning.candidate import Candidate, Final
from cuda_tile.tuning.clocks import launch_clocks

ALIGNMENT_BYTES = 256
"""Of arrays, as `cudaMalloc` aligns them: sectors depend on it."""


def _nothing() -> Inputs:
    return Inputs((1, 1, 1), [], "", is_generated=True)


@dataclass(frozen=True)
class TuningJob(Job):
    """A candidate to compile and count.

    Attributes:
        inputs: What it is run with.
    """

    inputs: Inputs = field(default_factory=_nothing)

    @property
    def choices(self) -> str:
        """As of `Job`, and the launch."""
        return json.dumps([super().choices, launch_sum(self.inputs)])

    def make(self) -> Product:
        """Compiles and counts; what spills is not run.

        Raises:
            CudaTileError: Program, choices, launch or compiler are at fault.
        """
        module, inputs = self.load(), self.inputs
        compiled = api.compile(module, options=self.options)
        final = made_of(compiled)
        if not final.spill_bytes:
            report = running.run(
                module,
                grid=inputs.grid,
                args=_aligned(inputs.args),
                on="emulator",
                compiled=compiled,
                **counting(compiled, needs_machine=True),
            )
            took = launch_clocks(report, inputs.grid, self.options.target)
            final = replace(
                final, total=took.total, limiter=took.limiter, clocks=took.parts
            )
        product = product_of(compiled, None)
        return replace(product, data=json.dumps(asdict(final)).encode())


def made_of(compiled: api.Compiled) -> Final:
    """What ptxas says of the only kernel."""
    (kernel,) = compiled.report.kernels
    return Final(
        kernel.registers,
        kernel.spill_bytes,
        kernel.shared_bytes,
        kernel.threads // WARP_LANES,
        hashlib.sha256(_code(compiled.ptx).encode()).hexdigest(),
    )


def _code(ptx: str) -> str:
    """PTX without what only people read."""
    lines = (line.partition("//")[0].strip() for line in ptx.splitlines())
    return "\n".join(line for line in lines if line)


def _aligned(args: Sequence[Any]) -> list[Any]:
    """The arguments, with arrays at places that `cudaMalloc` could give."""
    arrays: dict[int, Array] = {}
    for arg in args:
        if isinstance(arg, np.ndarray):
            array = cast("Array", arg)
            arrays[id(array)] = _aligned_copy(array)
    return [arrays.get(id(arg), arg) for arg in args]


def _aligned_copy(array: Array) -> Array:
    raw = np.zeros(array.nbytes + ALIGNMENT_BYTES, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT_BYTES
    copy: Array = np.ndarray(array.shape, array.dtype, raw.data, offset=start)
    copy[...] = array
    return copy


def launch_sum(inputs: Inputs) -> str:
    """SHA-256 of a grid and its arguments."""
    digest = hashlib.sha256(json.dumps(list(inputs.grid)).encode())
    for arg in inputs.args:
        value = np.ascontiguousarray(arg)
        digest.update(f"{value.dtype.str}{value.shape}".encode() + value.tobytes())
    return digest.hexdigest()


def job_of(candidate: Candidate, options: Options, number: int) -> TuningJob:
    """The job of a candidate.

    Args:
        candidate: The candidate.
        options: The user's choices.
        number: Its place among all.
    """
    variant = candidate.variant
    return TuningJob(
        number,
        Path(f"{variant.entry}.tile"),
        variant.data,
        "cubin",
        replace(options, plan=candidate.number, line_info=False),
        Path(),
        is_here=False,
        inputs=variant.inputs,
    )
