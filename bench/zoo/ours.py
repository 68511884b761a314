# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel of the zoo by this compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cuda_tile
from cuda_tile import cutile
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.spread import spread_args
from cuda_tile.timing.counting import counting
from zoo.case import Case, Launch


def module_of(case: Case) -> Any:
    """The kernel at level T, for the arguments of its launch."""
    raw = cutile.bytecode(case.kernel, case.arguments(case.launch()))
    return cuda_tile.load(raw)


@dataclass(frozen=True)
class Ran:
    """What a launch did.

    Attributes:
        launch: Its arrays hold the results.
        report: The executor's.
        compiled: None for the interpreter.
        name: The entry.
    """

    launch: Launch
    report: Any
    compiled: Any
    name: str


def run(case: Case, module: Any, **choices: Any) -> Ran:
    """Runs it by the interpreter, or compiled on the emulator.

    Args:
        case: The kernel.
        module: As `module_of` makes it.
        choices: Of `cuda_tile.run`; with `on="emulator"` also `gpu`, and `bounds=True`
            to have the bound of a CTA.
    """
    launch, name = case.launch(), case.kernel._pyfunc.__name__
    types = parameter_types(find_entry(module.operation, name))
    args = spread_args(name, types, launch.values)
    compiled = None
    if choices.get("on") == "emulator":
        compiled = choices["compiled"] = cuda_tile.compile(module, choices["gpu"])
        if choices.get("bounds"):
            choices |= counting(compiled, name)
    words: dict[str, Any] = {"grid": launch.grid, "args": args, **choices}
    return Ran(launch, cuda_tile.run(module, name, **words), compiled, name)
