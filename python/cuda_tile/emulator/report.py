"""What a launch found and counted."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from cuda_tile.emulator.counters import Counters
from cuda_tile.emulator.errors import Finding
from cuda_tile.emulator.syntax import Function, Label, Module

_COLUMNS = (
    ("warps", "warps"),
    ("requests", "requests"),
    ("sectors", "sectors"),
    ("min_sectors", "least"),
    ("wavefronts", "wavefronts"),
    ("bank_conflicts", "conflicts"),
    ("flops", "flop"),
)


@dataclass(frozen=True)
class Loop:
    """One loop of the program, from its head to the branch back.

    Attributes:
        first_line, last_line: Lines of the PTX text.
        totals: The counts of its instructions, by name.
    """

    first_line: int
    last_line: int
    totals: dict[str, int]


@dataclass
class Report:
    """The result of a launch.

    Attributes:
        kernel: Name of the entry.
        findings: Faults found; empty for a clean run.
        counters: Counts per instruction, of all functions one after another.
        stdout: What the kernel printed.
    """

    kernel: str
    module: Module
    functions: list[Function]
    counters: Counters
    findings: list[Finding] = field(default_factory=list[Finding])
    stdout: str = ""

    @property
    def totals(self) -> dict[str, int]:
        """Sums over all instructions; `bank_conflicts` are surplus wavefronts."""
        return self._sum(0, len(self._lines()))

    def _sum(self, start: int, stop: int) -> dict[str, int]:
        counts = {
            name: int(getattr(self.counters, name)[start:stop].sum())
            for name in Counters.NAMES
        }
        counts["bank_conflicts"] = counts["wavefronts"] - counts["min_wavefronts"]
        return counts

    def _lines(self) -> list[int]:
        return [i.line for function in self.functions for i in function.code]

    def by_line(self) -> dict[int, dict[str, int]]:
        """Returns the counts of each line of the PTX text that was executed."""
        lines: dict[int, dict[str, int]] = {}
        for number, line in enumerate(self._lines()):
            counts = self._sum(number, number + 1)
            known = lines.get(line)
            if known is None:
                lines[line] = counts
            else:
                lines[line] = {name: known[name] + counts[name] for name in known}
        return {line: counts for line, counts in lines.items() if counts["warps"]}

    def loops(self) -> list[Loop]:
        """Returns the executed loops, the one with the most instructions first."""
        found: list[tuple[int, Loop]] = []
        first = 0
        for function in self.functions:
            for number, instruction in enumerate(function.code):
                for operand in instruction.operands:
                    if not isinstance(operand, Label) or operand.target > number:
                        continue
                    start, stop = first + operand.target, first + number + 1
                    if int(self.counters.warps[start]):
                        lines = function.code[operand.target].line, instruction.line
                        trips = int(self.counters.warps[start])
                        found.append((trips, Loop(*lines, self._sum(start, stop))))
            first += len(function.code)
        found.sort(key=lambda pair: (-pair[0], -pair[1].totals["warps"]))
        return [loop for _, loop in found]

    def hottest_loop(self) -> Loop | None:
        """Returns the loop whose head ran most often, None without loops."""
        loops = self.loops()
        return loops[0] if loops else None

    def instruction_mix(self) -> dict[str, int]:
        """Returns executed warps by mnemonic, most frequent first."""
        mix: dict[str, int] = {}
        number = 0
        for function in self.functions:
            for instruction in function.code:
                warps = int(self.counters.warps[number])
                number += 1
                if warps:
                    name = instruction.mnemonic
                    mix[name] = mix.get(name, 0) + warps
        return dict(sorted(mix.items(), key=lambda item: -item[1]))

    def to_json(self) -> str:
        """Returns everything as JSON text."""
        loop = self.hottest_loop()
        return json.dumps(
            {
                "kernel": self.kernel,
                "findings": [finding.to_json() for finding in self.findings],
                "totals": self.totals,
                "hottest_loop": None if loop is None else vars(loop),
                "lines": {str(line): c for line, c in self.by_line().items()},
                "instruction_mix": self.instruction_mix(),
                "stdout": self.stdout,
            },
            indent=2,
        )

    def table(self) -> str:
        """Returns totals and the hottest loop as a table for people."""
        rows = [("all", self.totals)]
        loop = self.hottest_loop()
        if loop is not None:
            rows.append((f"lines {loop.first_line}-{loop.last_line}", loop.totals))
        return _table(self.kernel, rows)

    def listing(self) -> str:
        """Returns the PTX text with the counts before each executed line."""
        lines = self.by_line()
        names = [name for name, _ in _COLUMNS]
        head = " ".join(f"{title:>10}" for _, title in _COLUMNS)
        output = [head]
        for number, text in enumerate(self.module.lines, 1):
            counts = lines.get(number)
            cells = [
                f"{counts[name]:>10}" if counts and counts[name] else " " * 10
                for name in names
            ]
            output.append(f"{' '.join(cells)}  {text}".rstrip())
        return "\n".join(output)


def _table(title: str, rows: list[tuple[str, dict[str, int]]]) -> str:
    width = max(len(title), *(len(name) for name, _ in rows))
    head = f"{title:<{width}} " + " ".join(f"{text:>10}" for _, text in _COLUMNS)
    body = [
        f"{name:<{width}} " + " ".join(f"{counts[key]:>10}" for key, _ in _COLUMNS)
        for name, counts in rows
    ]
    return "\n".join([head, *body])
