# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch found and counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from cuda_tile.emulator.bounds.compute import Bounds
from cuda_tile.emulator.bounds.text import bounds_text, executions_text, loop_notes
from cuda_tile.emulator.errors import Finding
from cuda_tile.emulator.memory.counters import Counters
from cuda_tile.emulator.ptx.syntax import Function, Instruction, Label, Module
from cuda_tile.emulator.tensor.memory import N_COLUMNS
from cuda_tile.emulator.text_table import listing, table
from cuda_tile.pictured import Pictured
from cuda_tile.runtime.report import RunReport

SCHEMA = 1
"""Version of the JSON, which `run_schema.json` describes; it goes up when a field
goes or means something else, not when one is added."""
Counts = dict[str, int]

CHECKED_FAST = (
    "bounds, barriers, shared memory, in one order; not races in global memory, nor "
    "uninitialised data: a seed checks these"
)
CHECKED_ADVERSARIAL = (
    "bounds, barriers, races in shared and global memory, uninitialised data, in the "
    "order of seed {seed}; not other orders"
)
"""What each mode looks at, as `Report.checked` says it."""


@dataclass(frozen=True)
class Loop:
    """One loop of the program, from its head to the branch back.

    Attributes:
        first_line, last_line: Lines of the PTX text.
        rounds: Warps that ran its head, summed over all rounds.
        totals: The counts of its instructions, by name.
        instruction_mix: Executed warps by mnemonic, most frequent first.
    """

    first_line: int
    last_line: int
    rounds: int
    totals: Counts
    instruction_mix: Counts


@dataclass(kw_only=True)
class Report(RunReport[Finding], Pictured):
    """The result of a launch.

    Attributes:
        module: The PTX.
        functions: Those of it that the kernel may call, itself first.
        counters: Counts per instruction, of all functions one after another.
        bounds: How fast a chip could at best do this work; None unless asked for.
    """

    module: Module
    functions: list[Function]
    counters: Counters
    bounds: Bounds | None = None

    def __repr__(self) -> str:
        """One line; the attributes and methods have the rest."""
        count = len(self.findings)
        found = f"{count} finding{'' if count == 1 else 's'}"
        return f"<Report of {self.kernel}: {found}>"

    @property
    def totals(self) -> Counts:
        """Sums over all instructions.

        The names are those of `Counters`; `bank_conflicts` are the wavefronts beyond
        `min_wavefronts`.
        """
        return self._sum(0, len(self.counters.warps))

    @property
    def tensor_columns(self) -> int:
        """Most columns of tensor memory that a CTA held at a time.

        A multiprocessor has 512, so that it holds at most 512 over this CTAs.
        """
        return self.counters.tensor_columns

    def _sum(self, start: int, stop: int) -> Counts:
        counts = {
            name: int(count)
            for name, count in zip(
                Counters.NAMES, self.counters.sums(start, stop), strict=True
            )
        }
        counts["bank_conflicts"] = counts["wavefronts"] - counts["min_wavefronts"]
        return counts

    def _instructions(self) -> Iterator[tuple[int, Function, Instruction]]:
        """The instructions that were executed, with their numbers."""
        number = 0
        for function in self.functions:
            for instruction in function.code:
                if self.counters.warps[number]:
                    yield number, function, instruction
                number += 1

    def by_instruction(self) -> list[dict[str, str | int]]:
        """Returns function, line, mnemonic and counts of each executed instruction."""
        return [
            {
                "function": function.name,
                "line": instruction.line,
                "mnemonic": instruction.mnemonic,
                **self._sum(number, number + 1),
            }
            for number, function, instruction in self._instructions()
        ]

    def by_line(self) -> dict[int, Counts]:
        """Returns the counts of each line of the PTX text that was executed."""
        lines: dict[int, Counts] = {}
        for number, _, instruction in self._instructions():
            counts = self._sum(number, number + 1)
            known = lines.get(instruction.line)
            if known is not None:
                counts = {name: known[name] + counts[name] for name in known}
            lines[instruction.line] = counts
        return lines

    def loops(self) -> list[Loop]:
        """Returns the executed loops, those that went round most often first."""
        found: list[Loop] = []
        first = 0
        for function in self.functions:
            for number, instruction in enumerate(function.code):
                for operand in instruction.operands:
                    if not isinstance(operand, Label) or operand.target > number:
                        continue
                    if self.counters.warps[first + operand.target]:
                        found.append(
                            self._loop(function, first, operand.target, number)
                        )
            first += len(function.code)
        found.sort(key=lambda loop: (-loop.rounds, -loop.totals["warps"]))
        return found

    def _loop(self, function: Function, first: int, head: int, end: int) -> Loop:
        start, stop = first + head, first + end + 1
        return Loop(
            function.code[head].line,
            function.code[end].line,
            int(self.counters.warps[start]),
            self._sum(start, stop),
            self.instruction_mix(start, stop),
        )

    def hottest_loop(self) -> Loop | None:
        """Returns the loop whose head ran most often, None without loops."""
        loops = self.loops()
        return loops[0] if loops else None

    def instruction_mix(self, start: int = 0, stop: int | None = None) -> Counts:
        """Returns executed warps by mnemonic, most frequent first.

        Args:
            start: Number of the first instruction.
            stop: Number after the last; without, all that follow.
        """
        stop = len(self.counters.warps) if stop is None else stop
        mix: Counts = {}
        for number, _, instruction in self._instructions():
            if start <= number < stop:
                warps = int(self.counters.warps[number])
                name = instruction.mnemonic
                mix[name] = mix.get(name, 0) + warps
        return dict(sorted(mix.items(), key=lambda item: -item[1]))

    # Forms -------------------------------------------------------------------------

    def to_json(self, versions: dict[str, str] | None = None) -> str:
        """Returns everything as JSON text, see `run_schema.json`.

        Args:
            versions: Of the programs that made it; left out where they are not known.
        """
        return json.dumps(
            {
                "schema": SCHEMA,
                **({"versions": versions} if versions else {}),
                "chip": self.module.target,
                "kernel": self.kernel,
                "findings": [finding.to_json() for finding in self.findings],
                "totals": self.totals,
                "instruction_mix": self.instruction_mix(),
                "loops": [asdict(loop) for loop in self.loops()],
                "lines": {str(line): c for line, c in self.by_line().items()},
                "instructions": self.by_instruction(),
                "tensor_columns": self.tensor_columns,
                "stdout": self.stdout,
                "warnings": self.warnings,
                **self._bounds_to_json(),
            },
            indent=2,
        )

    def _bounds_to_json(self) -> dict[str, object]:
        if self.bounds is None:
            return {}
        found = asdict(replace(self.bounds, executions=None))
        found["executions"] = executions_text(self.bounds)
        bounds = (self.bounds.grid, *self.bounds.loops)
        for record, bound in zip((found["grid"], *found["loops"]), bounds, strict=True):
            record["limiter"] = bound.limiter.name
            for resource in record["resources"]:
                resource["share"] = bound.share(resource["name"])
        return {"bounds": found}

    def table(self) -> str:
        """Returns totals, the loops and the instructions of each, for people."""
        loops = self.loops()
        columns = [("all", self.totals)] + [
            (f"lines {loop.first_line}-{loop.last_line}", loop.totals) for loop in loops
        ]
        mixes = [
            (
                f"lines {loop.first_line}-{loop.last_line}, {loop.rounds} rounds",
                loop.instruction_mix,
            )
            for loop in loops
        ]
        counts = table(self.kernel, columns, mixes)
        if held := self.tensor_columns:
            most = N_COLUMNS // held
            counts += f"\ntensor memory: {held} of {N_COLUMNS} columns per CTA, "
            counts += f"which allow {most} CTA{'s'[: most - 1]} per multiprocessor"
        if self.bounds is None:
            return counts
        return f"{counts}\n\n{bounds_text(self.bounds)}"

    def annotated(self) -> str:
        """Returns the PTX text with counts by its side, and bounds above loops."""
        notes = None if self.bounds is None else loop_notes(self.bounds)
        return listing(self.module.lines, self.by_line(), notes)
