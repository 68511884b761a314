# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses damaged modules that read: prints, compiles, reports, runs, assembles them.

Child processes with limits of time and memory do it, many modules one after another. A
module is done, or has an error of the user; anything else, above all the child's death,
is a problem. Children are forked from a process that has used a module, so that each
need not load the compiler.
"""

from __future__ import annotations

import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np
from bytecode_files import KERNELS
from children import Death, forked

import cuda_tile
from cuda_tile import interp
from cuda_tile.cli import assembler, opt, translate
from cuda_tile.cli import compile as compiler
from cuda_tile.errors import InternalError, UserError
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import entries, entry_name
from cuda_tile.runtime.elements import element

CPU_SECONDS, MEMORY_BYTES = 20, 6 << 30
"""Of a module in a process of its own."""
BATCH, BATCH_CPU_SECONDS = 64, 120
"""Modules of a process. If it dies or has no end, each gets one of its own."""
NUMBERS = (16, 128)
"""What a kernel gets for each number, such as an extent: less than a tile, or more."""
ELEMENTS = max(NUMBERS) ** 2
"""Of each array: what two extents and two strides can reach."""
OPS, STEPS_OF_EMULATOR = 2000, 200_000
"""Ops that the interpreter runs, instructions of warps that the emulator does."""
RARE = {"assemble": 8, "translate": 64}
"""Steps that start processes, and of how many modules one has them."""
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


def arguments(types: Sequence[str], number: int) -> list[Any]:
    """Small arrays and a number for an entry's parameters."""
    kinds = [element(name) for name in types]
    return [
        np.zeros(ELEMENTS, kind.pointee.array_dtype)
        if kind.pointee is not None
        else np.asarray(number).astype(kind.dtype)[()]
        for kind in kinds
    ]


def number_of(file: Path) -> int:
    """One of `NUMBERS`, which the bytes choose."""
    return NUMBERS[crc32(file.read_bytes()) % len(NUMBERS)]


def steps_of(file: Path) -> list[str]:
    """The steps of one of many modules; the bytes choose who has rare ones."""
    chosen = crc32(file.read_bytes()) // len(NUMBERS)
    return [step for step in STEPS if chosen % RARE.get(step, 1) == 0]


def interpret(module: Any, file: Path) -> None:
    """Runs each kernel on the interpreter with small arrays."""
    for entry in entries(module.operation):
        args = arguments(parameter_types(entry), number_of(file))
        interp.run(module, entry_name(entry), grid=2, args=args, limit=OPS)


def compiled_and_emulated(module: Any, file: Path) -> None:
    """Compiles to PTX, prints all there is to say, and runs the first kernel."""
    compiled = cuda_tile.compile(module, cubin=False)
    repr(compiled)
    json.loads(compiled.report.to_json())
    compiled.report.to_text().encode()
    for entry in entries(module.operation)[:1]:
        cuda_tile.run(
            *(module, entry_name(entry)),
            grid=1,
            args=arguments(parameter_types(entry), number_of(file)),
            on="emulator",
            compiled=compiled,
            limit=STEPS_OF_EMULATOR,
        )


def printed(module: Any, file: Path) -> None:
    """Prints with locations, and reads what was printed."""
    del file
    text = str(module.operation.get_asm(enable_debug_info=True))
    cuda_tile.load(text.encode())


def assembled(module: Any, file: Path) -> None:
    """`cuda-tile-as` on the file."""
    del module
    words = ["cuda-tile-as", "--gpu-name", "sm_90", str(file), "-o", os.devnull]
    _expect_code((0, 2, 3, 5), *_said(assembler.main, words))


def translated(module: Any, file: Path) -> None:
    """`cuda-tile-translate` to text, `cuda-tile-opt`, and the report as a page."""
    del module
    page = ["--gpu=sm_90", "--report=html"]
    with TemporaryDirectory(prefix="cuda-tile-fuzz-") as folder:
        out = ["-o", str(Path(folder, "out.html"))]
        for main, words in (
            (translate.main, ["cuda-tile-translate", "--cudatilebc-to-mlir"]),
            (opt.main, ["cuda-tile-opt", "--cuda-tile-compile-pipeline=gpu=sm_90"]),
            (compiler.main, ["cuda-tile-compile", *page]),
        ):
            _run_command(main, [*words, str(file), *out])


def _run_command(main: Callable[[], int], words: list[str]) -> None:
    """A command in a process of its own: LLVM's options are there once in each."""
    said = forked(lambda: list(_said(main, words)), CPU_SECONDS, MEMORY_BYTES)
    if isinstance(said, Death):
        raise InternalError(f"{words[0]} {said.how}")
    _expect_code((0, 1), *said)


def _said(main: Callable[[], int], words: list[str]) -> tuple[int, str]:
    """Exit code and text of a command that runs in this process."""
    sys.argv = words
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = main()
    return code, said.getvalue()


def _expect_code(codes: Sequence[int], code: int, said: str) -> None:
    if code not in codes or INTERNAL in said:
        raise InternalError(f"{sys.argv[0]} gave {code}: {said}")


Step = Callable[[Any, Path], None]
STEPS: dict[str, Step] = {
    "print": printed,
    "interpret": interpret,
    "compile": compiled_and_emulated,
    "assemble": assembled,
    "translate": translated,
}


def use(file: Path, steps: Sequence[str]) -> Outcome:
    """All steps, in this process."""
    step, refused = "load", Outcome("done", "all")
    try:
        module = cuda_tile.load(file)
        for step in steps:
            try:
                STEPS[step](module, file)
            except UserError as error:
                str(error).encode()
                refused = Outcome("refused", step, str(error))
    except UserError as error:
        return Outcome("refused", step, str(error))
    except BaseException:
        return Outcome("problem", step, traceback.format_exc())
    return refused


@cache
def warm_up() -> None:
    """Uses a good module, so that this process has loaded what all of them need."""
    found = use(KERNELS / "13.4" / "vadd_f32_1024.tileirbc", list(STEPS)[:-1])
    assert found.kind != "problem", found.text


def use_in_child(file: Path, steps: Sequence[str] = ()) -> Outcome:
    """The outcome of one module, whatever it does to its process.

    Args:
        file: Its text or bytecode.
        steps: What is done with it, of `STEPS`; all by default.
    """
    warm_up()
    wanted = steps or list(STEPS)
    result = forked(lambda: _as_list(use(file, wanted)), CPU_SECONDS, MEMORY_BYTES)
    if not isinstance(result, Death):
        return Outcome(*result)
    return Outcome("slow" if result.how == "hung" else "problem", "some", result.how)


def use_all(files: Sequence[Path]) -> Iterator[tuple[Path, Outcome]]:
    """The outcomes of many modules, some of which share a process."""
    warm_up()
    for first in range(0, len(files), BATCH):
        batch = files[first : first + BATCH]
        found = forked(
            lambda batch=batch: [_as_list(use(file, steps_of(file))) for file in batch],
            BATCH_CPU_SECONDS,
            MEMORY_BYTES,
        )
        if isinstance(found, Death):
            yield from ((file, use_in_child(file)) for file in batch)
        else:
            yield from zip(batch, (Outcome(*one) for one in found), strict=True)


def _as_list(found: Outcome) -> list[str]:
    return [found.kind, found.step, found.text]
