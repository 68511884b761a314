# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report of a deadlock: which threads wait where for what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cuda_tile.emulator.machine.groups import Group
from cuda_tile.emulator.machine.machine import Machine
from cuda_tile.emulator.ptx.types import Index
from cuda_tile.emulator.threads.lanes import describe_lanes

_MOST_SHOWN = 8
_MOST_BLOCKS = 4


@dataclass(frozen=True)
class Stuck:
    """Lanes that wait at one instruction for one thing.

    Attributes:
        numbers: The lanes, of one CTA or of several.
        line: Line of the PTX text.
        what: What they wait for: "at ...", "for ...".
        at: Number of the instruction.
    """

    numbers: Index
    line: int
    what: str
    at: int

    @classmethod
    def of(cls, group: Group, pc: int, what: str) -> Stuck:
        """The lanes of a group, which wait at instruction `pc` of its function."""
        program = group.program
        line = program.function.code[pc].line
        return cls(group.lanes.numbers, line, what, program.first + pc)


def report(stuck: Iterable[Stuck], machine: Machine) -> str:
    """Describes the waiting threads; equal waits of warps and CTAs are merged."""
    geometry = machine.geometry
    by_cta: dict[tuple[int, int, str], list[Index]] = {}
    for one in stuck:
        ctas = machine.cta_of[one.numbers]
        for cta in np.unique(ctas):
            key = (one.line, int(cta), one.what)
            by_cta.setdefault(key, []).append(one.numbers[ctas == cta])
    alike: dict[tuple[str, int, str], list[int]] = {}
    for (line, cta, what), numbers in by_cta.items():
        inside = np.unique(np.concatenate(numbers) % geometry.lanes_per_cta)
        who = describe_lanes(inside, geometry.warps_per_cta)
        alike.setdefault((who, line, what), []).append(cta)
    has_others = geometry.grid != (1, 1, 1)
    parts = [
        f"{who}{_blocks(ctas, machine) if has_others else ''} "
        f"{'wait' if ',' in who or len(ctas) > 1 else 'waits'} at line {line} {what}"
        for (who, line, what), ctas in alike.items()
    ]
    rest = len(parts) - _MOST_SHOWN
    shown = parts[:_MOST_SHOWN]
    return "; ".join([*shown, f"and {rest} more"] if rest > 0 else shown)


def _blocks(ctas: list[int], machine: Machine) -> str:
    names = [machine.block_of(cta) for cta in sorted(ctas)[:_MOST_BLOCKS]]
    rest = len(ctas) - len(names)
    text = ", ".join(str(name) for name in names)
    return f" of block {text}" + (f" and {rest} more" if rest else "")
