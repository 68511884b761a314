# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is proved of a kernel: of the threads of a CTA, and of the whole grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cuda_tile.emulator.errors import LaunchError
from cuda_tile.emulator.proof.kernel import Kernel
from cuda_tile.emulator.proof.search import Search
from cuda_tile.emulator.proof.shadow import Doubt
from cuda_tile.emulator.ptx.syntax import Function, Module

PROVED, UNKNOWN = "proved", "unknown"


@dataclass(frozen=True)
class Verdict:
    """What is known of a kernel for every argument, grid and order.

    Attributes:
        kernel: Its name.
        block: Why its shared memory and barriers are not proved; empty if they are.
        grid: The same of its global memory.
        extent: For which grids; empty for all.
    """

    kernel: str
    block: str
    grid: str
    extent: str = ""

    def __str__(self) -> str:
        lines = (("block", self.block, ""), ("grid", self.grid, self.extent))
        return "\n".join(
            f"{self.kernel}: {name} {UNKNOWN if why else PROVED}"
            f"{(why or more) and f': {why or more}'}"
            for name, why, more in lines
        )


def verdict_of(
    module: Module,
    entry: Function,
    block: tuple[int, ...],
    shared_bytes: int = 0,
    boxes: Mapping[str, int] | None = None,
) -> Verdict:
    """Tries to prove a kernel.

    Args:
        module: Its module.
        entry: The kernel.
        block: Threads of a CTA along each dimension.
        shared_bytes: Bytes of dynamic shared memory.
        boxes: Bytes of a copy by each tensor map, by the name of its parameter.

    Raises:
        LaunchError: A CTA cannot have so many threads.
    """
    x, y, z, *_ = (*block, 1, 1)
    if not 0 < x * y * z <= 1024:
        raise LaunchError(f"expected a CTA of 1 to 1024 threads, got {block}")
    kernel = Kernel.of(module, entry, (x, y, z), shared_bytes)
    kernel.boxes = boxes or {}
    search, why = _searched(kernel)
    if why:
        return Verdict(entry.name, why, "what a CTA does is unknown")
    try:
        extent = search.accesses.judge()
    except Doubt as doubt:
        return Verdict(entry.name, "", str(doubt))
    return Verdict(entry.name, "", "", extent)


def _searched(kernel: Kernel) -> tuple[Search, str]:
    """A search of a kernel, and why it proves nothing; the shorter ones come first."""
    search, why = Search(kernel), ""
    for is_exact, splits in ((False, False), (True, False), (True, True)):
        search = Search(kernel, is_exact=is_exact, splits=splits)
        try:
            search.run()
        except Doubt as doubt:
            why = str(doubt)
        else:
            return search, ""
    return search, why
