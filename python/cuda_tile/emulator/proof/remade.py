# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which sums a path may still ask about.

A bound matters as long as its symbols are in a register that something still reads, or
may be made anew: an argument is loaded again, and the same instruction follows. What is
known of other sums is forgotten, so that paths meet again that differ in it alone.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from cuda_tile.emulator.proof.facts import Argument
from cuda_tile.emulator.proof.kernel import COMPUTES
from cuda_tile.emulator.proof.liveness import next_places
from cuda_tile.emulator.proof.values import Made
from cuda_tile.emulator.ptx.syntax import (
    Address,
    Function,
    Instruction,
    Special,
    Variable,
)

MBARRIER = "mbarrier"
"""A kind of what is ahead: an instruction on an mbarrier."""
_ARRIVE = {"commit", "mbarrier::complete_tx::bytes"}


@dataclass(frozen=True, eq=False)
class Remade:
    """What may be made from each place of a kernel on.

    Attributes:
        bits: A bit for each kind of symbol.
        ahead: The bits of what follows each place.
    """

    bits: dict[Hashable, int]
    ahead: list[int]

    @classmethod
    def of(cls, function: Function) -> Remade:
        """What may be made in a kernel."""
        code, bits = function.code, dict[Hashable, int]()
        own = [0] * len(code)
        for place, instruction in enumerate(code):
            for kind in _kinds(instruction):
                own[place] |= bits.setdefault(kind, 1 << len(bits))
        ahead, is_changed = [*own, 0], True
        while is_changed:
            is_changed = False
            for place in reversed(range(len(code))):
                found = own[place]
                for target in next_places(code[place], place):
                    found |= ahead[min(target, len(code))]
                is_changed |= found != ahead[place]
                ahead[place] = found
        return cls(bits, ahead)

    def can_be(self, symbol: Hashable, ahead: int, held: set[Hashable]) -> bool:
        """Whether a symbol may be met again.

        Args:
            symbol: The symbol.
            ahead: The bits of what follows the threads.
            held: The symbols in their registers; more are added that can be made.
        """
        if symbol in held:
            return True
        found = bool(self.bits.get(_kind(symbol), 0) & ahead)
        if found and isinstance(symbol, Made):
            names = (name for _, terms in symbol.parts for name, _ in terms)
            found = all(self.can_be(name, ahead, held) for name in names)
        if found:
            held.add(symbol)
        return found


def _kind(symbol: Hashable) -> Hashable:
    """What must be ahead for a symbol to be made."""
    if isinstance(symbol, Made):
        return symbol.words
    return symbol.name.partition("+")[0] if isinstance(symbol, Argument) else symbol


def _kinds(instruction: Instruction) -> list[Hashable]:
    """The kinds of symbols that an instruction makes."""
    own = instruction.operands
    found: list[Hashable] = [o.name for o in own if isinstance(o, Special)]
    if instruction.opcode in COMPUTES:
        found.append((instruction.opcode, *instruction.modifiers))
    elif instruction.opcode == "ld" and "param" in instruction.modifiers:
        bases = [o.base for o in own if isinstance(o, Address)]
        found += [f"param {b.name}" for b in bases if isinstance(b, Variable)]
    if instruction.opcode == "mbarrier" or {*instruction.modifiers} & _ARRIVE:
        found.append(MBARRIER)
    return found
