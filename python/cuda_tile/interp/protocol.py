# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interfaces of a tile block and its launch for the parts of a tile block.

`machine` makes the parts (race detection, late accesses, unspecified elements), which
therefore know tile block and launch only by the members that they need.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np

from cuda_tile.interp.log import AccessLog
from cuda_tile.interp.program import Op
from cuda_tile.runtime.memory import GlobalMemory

Trace: TypeAlias = Callable[[Op, tuple[Any, ...]], None]
"""Called after each op with the op and its results."""


class Launched(Protocol):
    """A launch.

    Attributes:
        memory: Everything a pointer may reach.
        is_checked: Whether undefined behaviour is an error.
        random: Random generator of shuffle mode.
        trace: Called after each op, or None.
    """

    memory: GlobalMemory
    is_checked: bool
    random: np.random.Generator
    trace: Trace | None


class Running(Protocol):
    """A tile block that runs.

    Attributes:
        block_id: Its place in the grid.
        number: Its number in the order in which blocks begin.
        accesses: Its memory accesses so far.
    """

    block_id: tuple[int, int, int]
    number: int
    accesses: AccessLog

    @property
    def launch(self) -> Launched:
        """The state that it shares with the other tile blocks."""
        ...

    def evaluate(self, op: Op, values: tuple[Any, ...]) -> Any:
        """Calls the rule of an op that fits the values."""
        ...

    def fail(
        self, op: Op, message: str, element_index: tuple[int, ...] | None = None
    ) -> NoReturn:
        """Raises an `InterpError` that names kernel, block, op and element."""
        ...
