# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a chapter of the ISA declares its instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.machine.build import Builder, Rule
from cuda_tile.emulator.machine.step import Compiled
from cuda_tile.emulator.ptx.form import Form
from cuda_tile.emulator.ptx.syntax import Instruction


class Chapter:
    """The instructions of one chapter, filled by its module's functions."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.rules: list[tuple[str, frozenset[str], Rule]] = []

    def instruction(self, opcode: str, *types: str) -> Callable[[Rule], Rule]:
        """Declares the function that compiles an opcode.

        Args:
            opcode: First part of the mnemonic.
            types: Where several functions share the opcode: the types or other
                modifiers that are meant, by the first of them that stands; the
                function without any takes the rest.
        """

        def declare(rule: Rule) -> Rule:
            self.rules.append((opcode, frozenset(types), rule))
            return rule

        return declare

    def refuse(self, opcode: str, reason: str, *types: str) -> None:
        """Declares that an opcode, or some of its forms, is not emulated, and why."""

        def rule(form: Form, b: Builder) -> Compiled:
            form.error(reason)

        rule.__doc__ = f"Refused: {reason}."
        self.rules.append((opcode, frozenset(types), rule))


class InstructionTable:
    """All instructions the emulator knows."""

    def __init__(self, chapters: Iterable[Chapter]) -> None:
        self._rules: dict[str, list[tuple[frozenset[str], Rule]]] = {}
        for chapter in chapters:
            for opcode, types, rule in chapter.rules:
                known = self._rules.setdefault(opcode, [])
                for others, _ in known:
                    if types == others or types & others:
                        raise ValueError(
                            f"expected one rule for {opcode!r}, got a second in "
                            f"{chapter.title!r}"
                        )
                known.append((types, rule))

    @property
    def opcodes(self) -> list[str]:
        """All opcodes, sorted."""
        return sorted(self._rules)

    def rule(self, instruction: Instruction) -> Rule:
        """Returns the rule of an instruction.

        Raises:
            PtxError: Unknown opcode, or none of its types.
        """
        rules = self._rules.get(instruction.opcode)
        if rules is None:
            raise PtxError(
                f"expected a PTX instruction, got {instruction.mnemonic!r}",
                instruction.line,
            )
        for modifier in instruction.modifiers:
            for types, rule in rules:
                if modifier in types:
                    return rule
        for types, rule in rules:
            if not types:
                return rule
        every = sorted(name for types, _ in rules for name in types)
        raise PtxError(
            f"expected {instruction.opcode} with one of the types "
            f"{', '.join(every)}, got {instruction.mnemonic!r}",
            instruction.line,
        )
