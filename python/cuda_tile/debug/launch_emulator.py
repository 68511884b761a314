# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a launch on the emulator ready for the debugger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cuda_tile import emulator, running
from cuda_tile._mlir import ir
from cuda_tile.debug.emulator_target import EmulatorTarget
from cuda_tile.debug.sources import Sources
from cuda_tile.debug.target import FrontEnd, debug
from cuda_tile.debug.values import as_array
from cuda_tile.emulator.machine.schedule import Watcher
from cuda_tile.ir.walk import entry_name, find_entry
from cuda_tile.runtime.elements import Array

if TYPE_CHECKING:
    from cuda_tile.api import Compiled


def debug_emulator(
    front: FrontEnd,
    module: ir.Module,
    entry: str | None = None,
    *,
    grid: Sequence[int],
    args: Sequence[Any],
    compiled: Compiled,
    kernel: str | None = None,
    labels: Mapping[int, str] | None = None,
    folders: Sequence[Path] = (),
    **options: Any,
) -> Any:
    """Runs a compiled launch on the emulator under a front end.

    Args:
        front: Where the user is.
        module: The kernel's module.
        entry: The kernel's name in it, None for the only one.
        grid: Tile blocks along x, y, z.
        args: The entry's arguments.
        compiled: What the compiler made of the module.
        kernel: The kernel's name for people.
        labels: The names of parameters that are arrays, by their number.
        folders: Where source files are looked for, beside the current folder.
        options: Further arguments of `cuda_tile.run`.

    Returns:
        The emulator's report.

    Raises:
        UserError: The launch failed, and the front end has seen where.
    """
    name = entry_name(find_entry(module.operation, entry))
    names = dict(labels or {})

    def launch(watcher: Watcher) -> Any:
        return running.run(
            module,
            name,
            grid=tuple(grid),
            args=args,
            on="emulator",
            compiled=compiled,
            watcher=watcher,
            **options,
        )

    arrays = _arrays(args, names)
    sources = Sources(folders)
    target = EmulatorTarget(
        kernel or name, compiled.ptx, launch, arrays, front.breakpoints, sources
    )
    return debug(target, front)


def debug_ptx(
    front: FrontEnd, ptx: str, entry: str | None = None, **options: Any
) -> Any:
    """Runs PTX of any origin on the emulator under a front end.

    Args:
        front: Where the user is.
        ptx: The PTX text.
        entry: The kernel's name in it, None for the only one.
        options: Further arguments of `emulator.launch`: grid, block, args, ...

    Returns:
        The emulator's report.

    Raises:
        UserError: The launch failed, and the front end has seen where.
    """
    arrays = _arrays(options["args"], {})

    def launch(watcher: Watcher) -> Any:
        return emulator.launch(ptx, entry, watcher=watcher, **options)

    name = entry or "kernel"
    target = EmulatorTarget(name, ptx, launch, arrays, front.breakpoints, Sources())
    return debug(target, front)


def _arrays(args: Sequence[Any], names: Mapping[int, str]) -> dict[str, Array]:
    """The arrays among arguments, by the name or the number of their parameter."""
    found = {n: as_array(value) for n, value in enumerate(args)}
    return {names.get(n, f"arg{n}"): a for n, a in found.items() if a is not None}
