# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in bytecode: read once, then run as often as they are launched."""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cuda_tile
from cuda_tile import running
from cuda_tile.cutile.history import KernelWarning, Launch, launches
from cuda_tile.cutile.settings import Settings
from cuda_tile.errors import CudaTileError, add_note
from cuda_tile.files import load
from cuda_tile.interp.program import Program
from cuda_tile.ir.launch import parameter_types
from cuda_tile.ir.walk import find_entry
from cuda_tile.runtime.args import Bound
from cuda_tile.targets import find_target

if TYPE_CHECKING:
    from cuda_tile.api import Compiled
    from cuda_tile.debug.target import FrontEnd

_NUMBERED = re.compile(r"(argument |\b\w+_param_)(\d+)")
"""What interpreter and emulator call the parameters of an entry."""

_PACKAGE = str(Path(__file__).parent)


class Image:
    """The bytecode of kernels, as loaded into the device.

    Args:
        bytecode: The file's bytes.

    Attributes:
        bytecode: The file's bytes.
        module: The module that they hold.
    """

    def __init__(self, bytecode: bytes) -> None:
        self.bytecode = bytecode
        self.module = load(bytecode)
        self._compiled: dict[str, Compiled] = {}

    @cached_property
    def program(self) -> Program:
        """The module decoded for the interpreter, with the state of its globals."""
        from cuda_tile import interp

        return interp.load(self.module)

    def compiled(self, gpu: str, *, cubin: bool = False) -> Compiled:
        """The module compiled for a chip."""
        known = self._compiled.get(gpu)
        if known is None or (cubin and not known.cubin):
            known = self._compiled[gpu] = cuda_tile.compile(
                self.module, gpu, cubin=cubin
            )
        return known

    def types(self, entry: str | None = None) -> tuple[str, ...]:
        """The types of an entry's parameters, as the dialect prints them."""
        return tuple(parameter_types(find_entry(self.module.operation, entry)))


@lru_cache(maxsize=256)
def load_image(bytecode: bytes) -> Image:
    """The image of some bytecode; a second call gives the same.

    Raises:
        UserError: It is not valid Tile IR.
    """
    return Image(bytecode)


@dataclass(frozen=True)
class Work:
    """A launch that is ready to run.

    Attributes:
        image: Where the kernel is.
        entry: The kernel's name there.
        kernel: The name of its function, for people.
        grid: Tile blocks along x, y, z.
        bound: The entry's arguments.
        args: Those of the program.
        labels: What the arrays among `bound` are called, by their place there.
    """

    image: Image
    entry: str
    kernel: str
    grid: tuple[int, int, int]
    bound: Sequence[Bound]
    args: tuple[Any, ...]
    labels: Mapping[int, str]

    def cost(self, settings: Settings, report: Any) -> float:
        """What a benchmark of a launch gives: operations, or clocks of the tuner.

        Args:
            settings: How it ran.
            report: What the executor said.
        """
        if getattr(report, "bounds", None) is None:  # not counted, or in the debugger
            return float(report.steps)
        from cuda_tile.tuning.clocks import launch_clocks

        return launch_clocks(report, self.grid, find_target(settings.gpu)).total

    def run(
        self,
        settings: Settings,
        front: FrontEnd | None = None,
        *,
        is_benchmark: bool = False,
    ) -> Launch:
        """Runs it, shows what the kernel printed, and keeps a note of it.

        Args:
            settings: How.
            front: Where the user of the debugger is, if there is one.
            is_benchmark: Whether `cost` will be asked for.

        Raises:
            UserError: The kernel, its arguments or the compiler's limits are at fault.
        """
        try:
            report = (
                self._report(settings, is_benchmark=is_benchmark)
                if front is None
                else self._debugged(settings, front)
            )
        except Exception as error:
            if front is None:
                _say(error)
            _rename(error, self.entry, self.kernel)
            for note in self._notes(str(error)):
                add_note(error, note)
            raise
        if front is None:  # which has shown it
            _say(report)
        found = [str(finding) for finding in getattr(report, "findings", ())]
        for line in [*getattr(report, "warnings", ()), *found]:
            text = "; ".join([line, *self._names(line)])
            warnings.warn(text, KernelWarning, stacklevel=_frames_of_this_package())
        launch = Launch(
            self.kernel,
            self.entry,
            self.grid,
            self.args,
            settings.on,
            report,
            self.image.bytecode,
        )
        launches.append(launch)
        return launch

    def _notes(self, message: str) -> list[str]:
        """What helps to understand an error of this launch."""
        grid = ", ".join(map(str, self.grid))
        return [*self._names(message), f"in a launch of {self.kernel}, grid ({grid})"]

    def _names(self, message: str) -> list[str]:
        """What the arguments are called that a message numbers as the entry does."""
        found: list[str] = []
        for word, number in dict.fromkeys(_NUMBERED.findall(message)):
            label = self.labels.get(int(number))
            if label is not None:
                found.append(f"{word}{number} of the kernel is {label}")
        return found

    def _debugged(self, settings: Settings, front: FrontEnd) -> Any:
        from cuda_tile import debug

        image = self.image
        words: dict[str, Any] = {
            "grid": self.grid,
            "args": list(self.bound),
            "kernel": self.kernel,
            "labels": {n: _name_in(text) for n, text in self.labels.items()},
            **settings.choices,
        }
        if settings.on == "interp":
            return debug.debug_interp(
                front, image.module, self.entry, program=image.program, **words
            )
        compiled = image.compiled(settings.gpu)
        return debug.debug_emulator(
            front, image.module, self.entry, compiled=compiled, **words
        )

    def _report(self, settings: Settings, *, is_benchmark: bool) -> Any:
        if settings.on == "interp":
            from cuda_tile import interp

            return interp.run(
                self.image.program,
                self.entry,
                grid=self.grid,
                args=list(self.bound),
                **settings.choices,
            )
        needs_cubin = is_benchmark or settings.on == "gpu"
        compiled = self.image.compiled(settings.gpu, cubin=needs_cubin)
        choices = settings.choices
        if is_benchmark:
            from cuda_tile.timing.counting import counting

            choices |= counting(compiled, needs_machine=True)
        return running.run(
            self.image.module,
            self.entry,
            grid=self.grid,
            args=list(self.bound),
            on=settings.on,
            gpu=settings.gpu,
            compiled=compiled,
            **choices,
        )


def _name_in(label: str) -> str:
    """The name in what `binding.labels` calls an array: `'x'[0], float32[128]`."""
    return label.partition(",")[0].replace("'", "")


def _frames_of_this_package() -> int:
    """The stack level, for `warnings`, of whoever made the program launch."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level


def _rename(error: Exception, entry: str, kernel: str) -> None:
    """Gives a kernel its own name in an error, instead of the one cuTile made of it."""
    if isinstance(error, CudaTileError) and entry != kernel:
        error.message = error.message.replace(entry, kernel)
        if error.location is not None:
            error.location = error.location.replace(entry, kernel)
        error.args = (str(error).replace(entry, kernel),)


def _say(source: Any) -> None:
    said: str = getattr(source, "stdout", "")
    if said:
        sys.stdout.write(said if said.endswith("\n") else f"{said}\n")
        sys.stdout.flush()
