# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a launch on the interpreter ready for the debugger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cuda_tile import interp
from cuda_tile._mlir import ir
from cuda_tile.debug.interp_target import InterpTarget, Launching
from cuda_tile.debug.sources import Sources
from cuda_tile.debug.target import FrontEnd, debug
from cuda_tile.files import load
from cuda_tile.interp.decode import value_names
from cuda_tile.interp.program import Program, all_ops
from cuda_tile.ir.walk import entry_name, find_entry
from cuda_tile.locations import places_of


def debug_interp(
    front: FrontEnd,
    module: ir.Module,
    entry: str | None = None,
    *,
    grid: Sequence[int],
    args: Sequence[Any],
    program: Program | None = None,
    kernel: str | None = None,
    labels: Mapping[int, str] | None = None,
    folders: Sequence[Path] = (),
    **options: Any,
) -> Any:
    """Runs a launch on the interpreter under a front end.

    Args:
        front: Where the user is.
        module: The kernel's module.
        entry: The kernel's name in it, None for the only one.
        grid: Tile blocks along x, y, z.
        args: The entry's arguments.
        program: The decoded module with the state of its globals, if there is one.
        kernel: The kernel's name for people.
        labels: The names of parameters that are arrays, by their number.
        folders: Where source files are looked for, beside the current folder.
        options: Further arguments of `interp.run`.

    Returns:
        The interpreter's report.

    Raises:
        UserError: The launch failed, and the front end has seen where.
    """
    sources = Sources(folders)
    if program is None:
        module, program = with_places(module, sources)
    operation = find_entry(module.operation, entry)
    name = entry_name(operation)
    launching = Launching(
        program,
        name,
        kernel or name,
        grid,
        args,
        value_names(operation),
        dict(labels or {}),
        options,
    )
    return debug(InterpTarget(launching, front.breakpoints, sources), front)


def with_places(module: ir.Module, sources: Sources) -> tuple[ir.Module, Program]:
    """The module, or where it has no source lines, one whose text is its source.

    Args:
        module: The module.
        sources: Keeps the text as long as it lives.

    Returns:
        It, and what the interpreter decodes it to.
    """
    program = interp.load(module)
    entries = program.entries.values()
    if any(places_of(op.location) for e in entries for op in all_ops(e.body)):
        return module, program
    text = str(module.operation.get_asm())
    placed = load(sources.write(f"{next(iter(entries)).name}.mlir", text))
    return placed, interp.load(placed)
