# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses a damaged module that reads: prints, compiles, reports, runs, assembles it.

Each module has a child process of its own, with limits of time and memory. It is done,
or an error of the user; anything else, above all the child's death, is a problem.
"""

from __future__ import annotations

import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from children import Death, forked

import cuda_tile
from cuda_tile import interp
from cuda_tile.cli import assembler
from cuda_tile.errors import InternalError, UserError
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import entries, entry_name
from cuda_tile.runtime.elements import element

CPU_SECONDS, MEMORY_BYTES = 20, 6 << 30
ELEMENTS = 4096
"""Of each array, enough for most stores of an undamaged kernel."""
OPS = 2000
"""Ops that the interpreter runs."""
INTERNAL = "internal error"


@dataclass(frozen=True)
class Outcome:
    """What became of one module.

    Attributes:
        kind: `done`, `refused`, `slow` or `problem`.
        step: The step that said so.
        text: The message.
    """

    kind: str
    step: str
    text: str = ""


def arguments(types: Sequence[str]) -> list[Any]:
    """Small arrays and the number 16 for an entry's parameters."""
    kinds = [element(name) for name in types]
    return [
        np.zeros(ELEMENTS, kind.pointee.array_dtype)
        if kind.pointee is not None
        else np.asarray(16).astype(kind.dtype)[()]
        for kind in kinds
    ]


def interpret(module: Any) -> None:
    """Runs each kernel on the interpreter with small arrays."""
    for entry in entries(module.operation):
        args = arguments(parameter_types(entry))
        interp.run(module, entry_name(entry), grid=2, args=args, limit=OPS)


def compiled_and_emulated(module: Any) -> None:
    """Compiles, prints all there is to say, and runs the first kernel."""
    compiled = cuda_tile.compile(module)
    repr(compiled)
    json.loads(compiled.report.to_json())
    compiled.report.to_text().encode()
    for entry in entries(module.operation)[:1]:
        args = arguments(parameter_types(entry))
        cuda_tile.run(
            *(module, entry_name(entry)),
            grid=1,
            args=args,
            on="emulator",
            compiled=compiled,
        )


def printed(module: Any) -> None:
    """Prints with locations, and reads what was printed."""
    text = str(module.operation.get_asm(enable_debug_info=True))
    cuda_tile.load(text.encode())


def assembled(file: Path) -> None:
    """`cuda-tile-as` on the file."""
    sys.argv = ["cuda-tile-as", "--gpu-name", "sm_90", str(file), "-o", os.devnull]
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = assembler.main()
    if code not in (0, 2, 3, 5) or INTERNAL in said.getvalue():
        raise InternalError(f"cuda-tile-as gave {code}: {said.getvalue()}")


def use(file: Path, steps: dict[str, Callable[[Any], None]]) -> Outcome:
    """All steps, in this process."""
    step, refused = "load", Outcome("done", "all")
    try:
        module = cuda_tile.load(file)
        for step, function in steps.items():
            try:
                function(file if function is assembled else module)
            except UserError as error:
                str(error).encode()
                refused = Outcome("refused", step, str(error))
    except UserError as error:
        return Outcome("refused", step, str(error))
    except BaseException:
        return Outcome("problem", step, traceback.format_exc())
    return refused


STEPS: dict[str, Callable[[Any], None]] = {
    "print": printed,
    "interpret": interpret,
    "compile": compiled_and_emulated,
    "assemble": assembled,
}


def use_in_child(file: Path, steps: Sequence[str] = tuple(STEPS)) -> Outcome:
    """The outcome of one module, whatever it does to its process.

    Args:
        file: Its text or bytecode.
        steps: What is done with it, of `STEPS`.
    """

    def said() -> list[str]:
        found = use(file, {name: STEPS[name] for name in steps})
        return [found.kind, found.step, found.text]

    result = forked(said, CPU_SECONDS, MEMORY_BYTES)
    if not isinstance(result, Death):
        return Outcome(*result)
    return Outcome("slow" if result.how == "hung" else "problem", "some", result.how)
