# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what nvdisasm prints: instructions, blocks and loops of one kernel.

A call of a label from which no path returns is a jump: ptxas emits some loops of sm_80
so. Code of other calls (long divisions) is reached only by them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from cuda_tile.errors import UserError
from cuda_tile.machine.graph import Graph

_LINE = re.compile(r'\s*//## File "[^"]*", line (?P<line>\d+)(?P<inlined> inlined)?')
_LABEL = re.compile(r"(?P<label>[\w$.@]+):$")
_INSTRUCTION = re.compile(
    r"\s*/\*[0-9a-f]+\*/\s+(?:@(?P<guard>!?U?P\w+)\s+)?"
    r"(?P<name>[A-Z][\w.]*)(?P<operands>[^;]*);"
)
_TARGET = re.compile(r"`\(([\w$.@]+)\)")
_TABLE = re.compile(r'BRANCH_TARGETS\s+([^"*]*)')
_REGISTER = re.compile(r"\b(U?[RP])(\d+)\b")
_JUMPS = frozenset({"BRA", "BRX", "BRXU", "JMP", "JMX", "CALL", "RET", "EXIT", "KILL"})
_PLAIN = frozenset({"BRA", "JMP"})
# Words of a mnemonic, and the bits that a lane moves.
_WIDTHS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128, "256": 256}


@dataclass(frozen=True)
class MachineInstruction:
    """One instruction.

    Attributes:
        name: The mnemonic with its suffixes: `LDS.128`.
        operands: The operands as text.
        guard: The predicate, or empty.
        line: The line that the line table has for it; 0 if none.
    """

    name: str
    operands: str
    guard: str
    line: int

    @property
    def opcode(self) -> str:
        """The first part of the mnemonic."""
        return self.name.split(".", 1)[0]

    @property
    def words(self) -> Sequence[str]:
        """The other parts."""
        return self.name.split(".")[1:]

    @property
    def width_bytes(self) -> int:
        """Bytes that a lane moves in a memory access: 4 if no suffix says it."""
        return next((_WIDTHS[w] for w in self.words if w in _WIDTHS), 32) // 8

    @property
    def targets(self) -> list[str]:
        """The labels that it names."""
        table = _TABLE.search(self.operands)
        names = table[1].replace(" ", "").split(",") if table else []
        return [*_TARGET.findall(self.operands), *filter(None, names)]

    @property
    def is_conditional(self) -> bool:
        """Whether a jump may not be taken: it has a guard, or a condition before it."""
        ahead = self.operands.split("`", 1)[0].strip(" ,")
        is_tested = self.opcode in _PLAIN and bool(ahead) and "BRANCH" not in ahead
        return bool(self.guard) or is_tested

    @property
    def registers(self) -> list[str]:
        """The registers that its operands name, the first one first."""
        return ["".join(found) for found in _REGISTER.findall(self.operands)]


class MachineCode:
    """The machine code of one kernel.

    Attributes:
        code: Its instructions.
        starts: The first instruction of each block, ascending.
        stops: The instruction after each block.
    """

    def __init__(
        self, code: Sequence[MachineInstruction], labels: dict[str, int]
    ) -> None:
        self.code = code
        self._labels = labels
        cuts = {0, *labels.values()}
        cuts.update(n + 1 for n, i in enumerate(code) if i.opcode in _JUMPS)
        self.starts = sorted(cut for cut in cuts if cut < len(code))
        self.stops = [*self.starts[1:], len(code)]
        self._block_at = {start: n for n, start in enumerate(self.starts)}

    def last(self, block: int) -> MachineInstruction:
        """The instruction with which a block ends."""
        return self.code[self.stops[block] - 1]

    def instructions(self, block: int) -> Sequence[MachineInstruction]:
        """The instructions of a block."""
        return self.code[self.starts[block] : self.stops[block]]

    @cached_property
    def graph(self) -> Graph:
        """The blocks and edges; a call that returns leads to what follows it."""
        return Graph([list(self._next(b)) for b in range(len(self.starts))])

    @cached_property
    def called(self) -> frozenset[int]:
        """The first blocks of functions that calls of this code reach."""
        found = (self._targets(b) for b in range(len(self.starts)) if self._calls(b))
        return frozenset(block for blocks in found for block in blocks)

    @cached_property
    def reached(self) -> list[int]:
        """The blocks that the entry or a call reaches, ascending; not padding."""
        seen: set[int] = set()
        pending = [0, *self.called]
        while pending:
            block = pending.pop()
            if block not in seen:
                seen.add(block)
                pending += self.graph.successors[block]
        return sorted(seen)

    def _calls(self, block: int) -> bool:
        """Whether a block ends with a call that returns, or that leaves this code."""
        if self.last(block).opcode != "CALL":
            return False
        targets = self._targets(block)
        return not targets or any(map(self._returns, targets))

    def _returns(self, block: int) -> bool:
        """Whether a function that begins with a block may return."""
        seen, pending = {block}, [block]
        while pending:
            here = pending.pop()
            if self.last(here).opcode == "RET":
                return True
            more = set(self._beyond(here)) - seen
            seen |= more
            pending += more
        return False

    def _next(self, block: int) -> Iterator[int]:
        if self._calls(block):
            yield from self._following(block)
        else:
            yield from dict.fromkeys(self._beyond(block))

    def _beyond(self, block: int) -> Iterator[int]:
        """The successors of a block if each call is a jump."""
        last = self.last(block)
        yield from self._targets(block)
        if last.opcode not in _JUMPS or last.is_conditional:
            yield from self._following(block)

    def _following(self, block: int) -> Iterator[int]:
        if block + 1 < len(self.starts):
            yield block + 1

    def _targets(self, block: int) -> list[int]:
        last = self.last(block)
        if last.opcode not in _JUMPS:
            return []
        return [
            self._block_at[self._labels[name]]
            for name in last.targets
            if self._labels.get(name, len(self.code)) < len(self.code)
        ]


def read_code(text: str, kernel: str) -> MachineCode:
    """The code of a kernel, from the output of nvdisasm.

    Args:
        text: The output of `nvdisasm --print-code --print-line-info`.
        kernel: The kernel's name.

    Raises:
        UserError: There is no such kernel.
    """
    code: list[MachineInstruction] = []
    labels: dict[str, int] = {}
    line, is_inside = 0, False
    for row in text.splitlines():
        if row.startswith(".text."):
            is_inside = row.rstrip() == f".text.{kernel}:"
        if not is_inside:
            continue
        if found := _LINE.match(row):
            line = int(found["line"])
        elif found := _INSTRUCTION.match(row):
            operands = " ".join((found["operands"] + row[found.end() :]).split())
            code.append(
                MachineInstruction(found["name"], operands, found["guard"] or "", line)
            )
        elif found := _LABEL.match(row.strip()):
            labels[found["label"]] = len(code)
    if not code:
        raise UserError(f"expected machine code of '{kernel}', found none")
    return MachineCode(code, labels)
