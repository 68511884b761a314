# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Everything that a page shows of a module, gathered in one compilation and one run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cuda_tile import api
from cuda_tile._mlir import ir
from cuda_tile.codegen.ptxas import Assembled
from cuda_tile.hooks import Artifact
from cuda_tile.ir.walk import entries
from cuda_tile.options import Options
from cuda_tile.pictures.changes import Change, compare
from cuda_tile.pictures.listings import Listing, ir_listing, located_lines, ptx_listing
from cuda_tile.pictures.machine_code import machine_code
from cuda_tile.pictures.measured import Run, run_kernels
from cuda_tile.pictures.placed import PlacedKernel, describe
from cuda_tile.pictures.sources import sources
from cuda_tile.pipeline import NAMES, PIPELINE, Observer, last_step
from cuda_tile.tuned import TuningRecord

_LEVELS = {step.name: step.level for step in PIPELINE}


@dataclass(frozen=True)
class PassChange:
    """A pass and what it did to the text of the module."""

    name: str
    level: str
    change: Change


@dataclass(frozen=True)
class Collected:
    """What there is to show.

    Attributes:
        title: The kernel's name, or the file's.
        compiled: The compilation.
        panes: The texts side by side: sources, tile IR, placed IR, PTX, SASS.
        passes: What each pass changed, in order.
        placed: Each kernel at the end of level W.
        runs: What each kernel did on the emulator.
    """

    title: str
    compiled: api.Compiled
    panes: list[Listing]
    passes: list[PassChange]
    placed: list[PlacedKernel]
    runs: list[Run]


def collect(
    module: ir.Module,
    options: Options,
    *,
    beside: Path | None = None,
    given_run: str | None = None,
    observe: Observer | None = None,
    tuning: TuningRecord | None = None,
) -> Collected:
    """Compiles a module, watches each pass, and runs the kernels.

    Args:
        module: What `load` gave.
        options: Choices of the compilation; they name the chip.
        beside: The folder of its file, where sources may lie.
        given_run: Grid and arguments for the run, as text; None to make some up.
        observe: Also called after each step.
        tuning: A record whose choice is taken.

    Raises:
        UserError: As `api.compile`, or `given_run` does not fit.
    """
    gpu = options.target.name
    module = _with_places(module)
    watch = _Watch(module, gpu)

    def after(name: str, artifact: Artifact) -> None:
        watch.note(name, artifact)
        if observe is not None:
            observe(name, artifact)

    compiled = api.compile(module, options=options, observe=after, tuning=tuning)
    placed = api.lower(module, options=options, until=last_step("W"), tuning=tuning)
    panes = [
        *sources(module, beside),
        ir_listing("tile", "Tile IR", module.operation),
        Listing(
            "placed",
            "Placed IR",
            "mlir",
            watch.placed_lines,
            watch.placed_places,
            [str(n) for n in range(1, len(watch.placed_lines) + 1)],
        ),
        ptx_listing(compiled.ptx),
        machine_code(compiled.cubin),
    ]
    names = [f"@{name}" for name in compiled.launch]
    return Collected(
        ", ".join(names),
        compiled,
        panes,
        watch.changes,
        watch.kernels,
        run_kernels(module, placed, compiled, given_run),
    )


def _with_places(module: ir.Module) -> ir.Module:
    """The module itself, or, where its ops have no source lines, its text as source.

    A text that is parsed again gives each op the line that it stands in.
    """
    _, places = located_lines(module.operation)
    if any(places):
        return module
    text = str(module)
    with module.context:
        return ir.Module.parse(text)


class _Watch:
    """Notes what each pass leaves."""

    def __init__(self, module: ir.Module, gpu: str) -> None:
        self._before = str(module.operation).split("\n")
        self._gpu = gpu
        self.changes: list[PassChange] = []
        self.kernels: list[PlacedKernel] = []
        self.placed_lines: list[str] = []
        self.placed_places: list[tuple[str, ...]] = []

    def note(self, name: str, artifact: Artifact) -> None:
        """Called after each step."""
        if isinstance(artifact, str | Assembled) or name not in NAMES:
            return
        if name == NAMES[-1]:  # another dialect: nothing of the text is left
            return
        text = str(artifact).split("\n")
        change = compare(self._before, text)
        self.changes.append(PassChange(name, _LEVELS[name], change))
        self._before = text
        if name == last_step("W"):
            self.placed_lines, self.placed_places = located_lines(artifact)
            self.kernels = [describe(entry, self._gpu) for entry in entries(artifact)]
