# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""In front of cuTile's launching functions: a launch becomes bytecode and arguments."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from cuda_tile.cutile.arrays import converted
from cuda_tile.cutile.dlpack import DeviceArray
from cuda_tile.cutile.function import Function
from cuda_tile.cutile.history import BENCHMARK
from cuda_tile.cutile.installation import check_cutile, install
from cuda_tile.cutile.order import ORDER
from cuda_tile.cutile.session import launch_place
from cuda_tile.cutile.signatures import export, passed, signature_of
from cuda_tile.cutile.standin import load_standin
from cuda_tile.errors import UserError
from cuda_tile.judge.tensors import load_where_named
from cuda_tile.runtime.elements import Array


class Target(Protocol):
    """What runs launches."""

    def launch(self, asked: Asked, arrays: Sequence[Array]) -> int:
        """Runs one; changes its arrays, and gives what was counted."""
        ...


Asked = dict[str, Any]
"""A launch in words of JSON: `kernel`, `grid`, `source`, `bytecode` (hexadecimal) and
`args`, in which `{"array": N}` is array N."""


class Hook:
    """Stands before cuTile's launching functions; `target` says who runs launches."""

    target: Target | None = None

    def call(
        self,
        name: str,
        native: Callable[..., Any],
        words: Sequence[Any],
        choices: dict[str, Any],
    ) -> Any:
        """As `cuda_tile.cutile.session.Session.call`."""
        place = launch_place(words)
        if place is None:
            return native(*words, **choices)
        if name not in ("launch", "launch_extended", BENCHMARK):
            changed = list(words)
            changed[place] = converted(words[place])
            return native(*changed, **choices)
        given: Any = words[place]
        if name == BENCHMARK and isinstance(given, list):
            given = cast(Any, given)[0]
        ORDER.launch(words[0])
        count = self.submit(words[1], words[place - 1], given)
        return float(count) if name == BENCHMARK else None

    def submit(self, grid: Sequence[int], kernel: Any, args: Sequence[Any]) -> int:
        """Compiles a kernel to bytecode and has it run on the arguments.

        Raises:
            UserError: Nobody runs launches now, or the launch failed.
        """
        if self.target is None:
            raise UserError(
                "expected launches in a call of the candidate, got one before"
            )
        plain: list[Any] = [
            cast(Any, arg).item() if isinstance(arg, np.generic) else arg
            for arg in args
        ]
        words = converted(tuple(plain))
        signature, function = signature_of(kernel, words), Function.of(kernel)
        arrays: list[Array] = []
        asked = {
            "kernel": function.name,
            "bytecode": export(kernel, signature).hex(),
            "grid": [int(extent) for extent in (*grid, 1, 1)[:3]],
            "args": [
                _encode(arg, arrays) for arg in passed(signature.parameters, words)
            ],
        }
        return self.target.launch(asked, arrays)

    def launch(
        self, grid: Sequence[int], kernel: Any, args: Sequence[Any], **_: Any
    ) -> None:
        """In place of `cuda_tile.cutile.launch`."""
        ORDER.launch()
        self.submit(grid, kernel, args)


def _encode(value: Any, arrays: list[Array]) -> Any:
    """An argument in JSON; its arrays are put into a list."""
    if isinstance(value, DeviceArray):
        arrays.append(value.array)
        return {"array": len(arrays) - 1}
    if isinstance(value, (tuple, list)):
        name = "tuple" if isinstance(value, tuple) else "list"
        return {name: [_encode(each, arrays) for each in cast(Sequence[Any], value)]}
    if isinstance(value, (bool, int, float)):
        return value
    raise UserError(f"expected an array or a number, got a {type(value).__name__}")


HOOK = Hook()
"""The one of this process: cuTile's functions are replaced once and for all."""


def load(*files: Path) -> None:
    """Imports cuTile, and changes nothing in this process: its children have it.

    Args:
        files: What is judged and by what: where one names PyTorch, that too.

    Raises:
        UserError: cuTile is not installed, or the process has loaded a CUDA driver.
    """
    check_cutile()
    load_standin()  # cuTile asks the driver's version as it is imported
    for name in ("cuda.tile", "cuda_tile.cutile.interface"):
        import_module(name)
    load_where_named(files)


def put_in_front() -> Hook:
    """Makes each launch of this process one of `HOOK`, for the rest of it."""
    install(on="interp")
    installation: Any = sys.modules["cuda_tile.cutile.installation"]
    installation.take_over(HOOK)
    interface: Any = import_module("cuda_tile.cutile.interface")
    interface.launch = HOOK.launch
    package: Any = import_module("cuda_tile.cutile")
    package.launch = HOOK.launch
    return HOOK
