# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `cuda-tile-run` says of a launch's speed: bounds, a time, a timeline."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import cuda_tile
from cuda_tile.cli.files import write_output
from cuda_tile.errors import UserError
from cuda_tile.targets import find_target


def add_speed_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options."""
    parser.add_argument(
        "--bounds",
        action="store_true",
        help="emulator: also say, for the grid and each loop, how fast the chip could "
        "at best do the work that was counted, and what limits it",
    )
    parser.add_argument(
        "--time",
        action="store_true",
        help="emulator: also say how long the launch takes by a model of clocks, from "
        "the same counts (docs/time.md)",
    )
    parser.add_argument(
        "--timeline",
        metavar="FILE",
        help="emulator: also write what warps, copies and products of one CTA do over "
        "time by the model of clocks: a page where FILE ends in .html, where it ends "
        "in .json a trace that Perfetto and chrome://tracing open",
    )


@dataclass
class Speed:
    """What is asked for.

    Attributes:
        has_bounds: Whether to print bounds.
        has_time: Whether to print the time of the model.
        timeline: Where to write the timeline; empty for none.
    """

    has_bounds: bool
    has_time: bool
    timeline: str
    _trace: Any = field(default=None, init=False)

    def choices(self, module: Any, kernel: str, gpu: str) -> dict[str, Any]:
        """What the emulator needs: the chip, registers, machine code, who watches.

        Args:
            module: The kernel's module.
            kernel: Its name.
            gpu: The chip.
        """
        if not (self.has_bounds or self.has_time or self.timeline):
            return {}
        from cuda_tile.emulator.trace import Tracer
        from cuda_tile.timing.counting import counting

        self._trace = Tracer() if self.timeline else None
        compiled = cuda_tile.compile(module, gpu)
        found = {"compiled": compiled, **counting(compiled, kernel)}
        return found | ({"watcher": self._trace} if self._trace else {})

    def say(self, counted: Any, grid: Sequence[int], gpu: str) -> None:
        """Prints bounds and time, and writes the timeline.

        Args:
            counted: The report of the launch.
            grid: Its tile blocks.
            gpu: The chip.
        """
        if self.has_bounds:
            from cuda_tile.emulator.bounds.text import bounds_text

            print(bounds_text(counted.bounds))
        if self.has_time:
            from cuda_tile.timing.launched import time_of_counts
            from cuda_tile.timing.text import time_text

            print(time_text(time_of_counts(counted, grid, find_target(gpu))))
        if self.timeline:
            write_output(self.timeline, self._drawn(counted, gpu).encode())

    def _drawn(self, counted: Any, gpu: str) -> str:
        """The timeline of the launch, as its file has it."""
        from cuda_tile.pictures.timeline_page import timeline_page
        from cuda_tile.timing.traced import timeline_of

        found = timeline_of(self._trace, counted, find_target(gpu))
        is_page = self.timeline.endswith(".html")
        return timeline_page(found) if is_page else found.to_json()


def read_speed(words: argparse.Namespace) -> Speed:
    """What a command line asks for.

    Raises:
        UserError: The file of the timeline has another ending.
    """
    name = words.timeline or ""
    if name and not name.endswith((".html", ".json")):
        raise UserError(f"expected --timeline of a file .html or .json, got '{name}'")
    return Speed(words.bounds, words.time, name)
