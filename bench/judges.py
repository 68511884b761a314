# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a kernel of a table computes the same on all judges.

They are the interpreter on the kernel as it was written (level T) and after each pass
(level W), and the emulator on the PTX under adversarial orders of warps and of copies
that land. Each result is compared with NumPy's, as the table compares it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from rows import Cells

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.errors import CudaTileError
from cuda_tile.pipeline import NAMES

COLUMNS = ("orders", "passes")
_LEVELS = NAMES[: NAMES.index("emit")]
Attempt = Callable[..., bool]
"""Runs a module, with keywords of `cuda_tile.run`; says whether the result is right."""


def judged(
    attempt: Attempt,
    module: ir.Module,
    compiled: cuda_tile.Compiled,
    gpu: str,
    orders: int,
) -> Cells:
    """In how many orders of the emulator, and after how many passes, it is right.

    Args:
        attempt: Runs the kernel on fresh arrays.
        module: The kernel at level T.
        compiled: What became of it on the chip `gpu`.
        gpu: The chip.
        orders: How many orders to try.
    """

    def is_right(where: str, made: ir.Module, **how: Any) -> bool:
        try:
            return attempt(made, **how)
        except CudaTileError as error:
            print(f"{where}: {error}", file=sys.stderr)
            return False

    emulated = {"on": "emulator", "gpu": gpu, "mode": "adversarial"}
    ran = sum(
        is_right(f"order {seed}", module, compiled=compiled, seed=seed, **emulated)
        for seed in range(orders)
    )
    right = is_right("level T", module)
    for last in _LEVELS:
        right += is_right(f"after {last}", cuda_tile.lower(module, gpu, until=last))
    return {"orders": f"{ran}/{orders}", "passes": f"{right}/{1 + len(_LEVELS)}"}


def goal(orders: int) -> Cells:
    """All orders and all levels."""
    levels = 1 + len(_LEVELS)
    return {"orders": f"{orders}/{orders}", "passes": f"{levels}/{levels}"}
