# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of a launch after it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from cuda_tile.errors import UserError

KEPT = 16
"""Launches whose arguments are kept alive for a look at them."""

BENCHMARK = "_benchmark"
"""The function of cuTile that launches a kernel and gives the microseconds."""

KernelError = UserError
"""What a launch raises: a kernel, an argument or a choice is at fault."""


class KernelWarning(UserWarning):
    """What a kernel did that hardware runs, but the language leaves undefined.

    Where findings are collected, each of them too.
    """


@dataclass(frozen=True)
class Launch:
    """A launch that ended.

    Attributes:
        kernel: Name of the kernel's function.
        entry: Name of the entry in the bytecode.
        grid: Tile blocks along x, y, z.
        args: The arguments as the program passed them.
        on: What ran it.
        report: The executor's report: `InterpReport`, the emulator's `Report`, or None
            for a GPU.
        bytecode: The kernel as Tile IR bytecode; `cuda_tile.load` reads it.
    """

    kernel: str
    entry: str
    grid: tuple[int, int, int]
    args: tuple[Any, ...] = field(repr=False)
    on: str
    report: Any
    bytecode: bytes = field(repr=False)


launches: deque[Launch] = deque(maxlen=KEPT)
"""The last launches of the process, the youngest last."""
