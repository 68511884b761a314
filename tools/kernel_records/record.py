# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs kernels, each in a process of its own: one row for each and chip.

    python -m kernel_records.record WISH_AS_JSON

It asks only what any state of the package can do, and imports nothing else of the
project but `children`, which needs nothing of it: the package may be of another
commit than this file.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from children import Death, in_children

import cuda_tile
from cuda_tile.errors import UserError
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import entries, entry_name
from cuda_tile.runtime.elements import element

SUFFIXES = (".tileirbc", ".tilebc", ".mlir")
Task = tuple[tuple[str, str], str]
"""A file, by its name in the record and its path, and a chip."""
_INSTRUCTION = re.compile(r"^\s+(?:@\S+ )?[a-z][\w.:]*\b.*;$", re.MULTILINE)


@dataclass(frozen=True)
class Wish:
    """What is recorded, and how.

    Attributes:
        files: The kernels, each with the name that it has in the record.
        gpus: The chips.
        runs: Whether the emulator runs them, too.
        cubin: Whether ptxas runs: without it nobody knows registers and spills.
        elements: Of each array that a kernel gets; its numbers are as they are drawn.
        number: The value of each scalar: extents, strides and trip counts, mostly.
        steps: Most steps of the emulator.
        seconds: Wall time of one kernel.
        jobs: Processes.
    """

    files: Sequence[tuple[str, str]]
    gpus: Sequence[str] = ("sm_90",)
    runs: bool = True
    cubin: bool = True
    elements: int = 1 << 16
    number: int = 64
    steps: int = 300_000
    seconds: float = 120
    jobs: int = 1


@dataclass
class Row:
    """One kernel on one chip.

    Attributes:
        kernel: File and entry.
        gpu: The chip.
        outcome: `compiled`, `refused`, or what became of the process.
        message: What was said of a kernel that did not compile.
        registers: Of a thread.
        spill_bytes: Of a thread.
        shared_bytes: Of a CTA.
        ptx: Instructions in the PTX.
        executed: Instructions that the warps of one CTA ran; None if it was not run.
        finding: What the run ended with, if not with its end: no number in it.
        seconds: CPU time of the compilation.
    """

    kernel: str
    gpu: str
    outcome: str = "compiled"
    message: str = ""
    registers: int = 0
    spill_bytes: int = 0
    shared_bytes: int = 0
    ptx: int = 0
    executed: int | None = None
    finding: str = ""
    seconds: float = field(default=0.0)


def files_of(places: Sequence[Path]) -> list[tuple[str, Path]]:
    """The kernels in some folders by their names there, and files themselves."""
    found: list[tuple[str, Path]] = []
    for place in places:
        inside = sorted(place.rglob("*")) if place.is_dir() else [place]
        root = place if place.is_dir() else place.parent
        paths = (path for path in inside if path.suffix in SUFFIXES)
        found += [(str(p.relative_to(root).with_suffix("")), p) for p in paths]
    return found


def _said(error: Exception) -> str:
    """A message without numbers, or the kind of a finding: two states compare by it."""
    finding: Any = getattr(error, "finding", None)
    if finding is not None:
        return str(finding.kind)
    lines = [*str(error).strip().splitlines(), ""]
    text = re.sub(r"0x[0-9a-f]+|\d+", "N", lines[0])[:160]
    return f"{type(error).__name__}: {text}"


def rows_of(file: tuple[str, str], gpu: str, wish: Wish) -> list[Row]:
    """The rows of a file on a chip; never raises.

    Args:
        file: Its name in the record, and its path.
        gpu: The chip.
        wish: What is asked.
    """
    title, path = file
    try:
        module = cuda_tile.load(Path(path))
        start = time.process_time()
        compiled = cuda_tile.compile(module, gpu=gpu, cubin=wish.cubin)
    except Exception as error:
        is_refusal = isinstance(error, UserError)
        outcome = "refused" if is_refusal else "internal error"
        return [Row(title, gpu, outcome, _said(error))]
    seconds = time.process_time() - start
    found: list[Row] = []
    kernels = {each.kernel: each for each in compiled.report.kernels}
    for entry in entries(module.operation):
        name = entry_name(entry)
        row = Row(f"{title} {name}", gpu, seconds=round(seconds, 3))
        if name in kernels:
            facts = kernels[name]
            row.registers, row.spill_bytes = facts.registers, facts.spill_bytes
            row.shared_bytes = facts.shared_bytes
        row.ptx = len(_INSTRUCTION.findall(compiled.ptx))
        if wish.runs:
            _run(row, module, entry, compiled, wish)
        found.append(row)
    return found


def _arguments(types: Sequence[str], wish: Wish) -> Iterator[Any]:
    """Arrays with numbers, and scalars, for a kernel that nobody told us about."""
    rng = np.random.default_rng(0)
    for kind in map(element, types):
        if kind.pointee is None:
            yield np.asarray(wish.number).astype(kind.dtype)[()]
        else:
            numbers = rng.integers(0, 4, wish.elements)
            yield numbers.astype(kind.pointee.array_dtype)


def _run(row: Row, module: Any, entry: Any, compiled: Any, wish: Wish) -> None:
    """Runs one CTA of a kernel on the emulator."""
    name = entry_name(entry)
    try:
        report = cuda_tile.run(
            *(module, name),
            grid=1,
            args=list(_arguments(parameter_types(entry), wish)),
            on="emulator",
            gpu=row.gpu,
            compiled=compiled,
            limit=wish.steps,
        )
        row.executed = int(report.totals["warps"])
    except Exception as error:
        row.finding = _said(error)


def record(wish: Wish, tasks: Sequence[Task] | None = None) -> Iterator[Row]:
    """The rows of all kernels; one that ends its process has a row that says so.

    Args:
        wish: What is asked.
        tasks: Other files and chips than each file on each chip of the wish.
    """

    def do(task: Task) -> list[Row]:
        return rows_of(*task, wish)

    if tasks is None:
        tasks = [(file, gpu) for file in wish.files for gpu in wish.gpus]
    for (file, gpu), result in in_children(do, tasks, wish.jobs, wish.seconds):
        if isinstance(result, Death):
            yield Row(file[0], gpu, result.how)
        else:
            yield from result


def main() -> None:
    """Prints the rows of the wish on the command line, one JSON each."""
    facts: dict[str, Any] = json.loads(sys.argv[1])
    for row in record(Wish(**facts)):
        print(json.dumps(asdict(row)), flush=True)


if __name__ == "__main__":
    main()
