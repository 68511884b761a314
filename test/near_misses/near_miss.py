# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeds and near misses: programs on which a rewrite fires, and on which it may not.

A file `seeds_<contract>.py` has one `Seed` for each form that a rewrite recognises,
with its near misses: the same program with one condition of the contract broken. The
table of conditions stands at the head of the pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Fired = Callable[[str, str], bool]
"""Whether a rewrite fired, from a module's text before and behind a pass."""


@dataclass(frozen=True)
class Miss:
    """A seed with one condition broken.

    Attributes:
        name: What is broken, as an identifier; unique among those of a contract.
        condition: Number of the condition in the contract's table: 3 for C3.
        edits: Pairs of a text that the seed has, and of what replaces it everywhere.
            The head, which describes the arguments, is part of the text.
        fires: Whether the rewrite fires all the same, in a form that stays right.
    """

    name: str
    condition: int
    edits: tuple[tuple[str, str], ...]
    fires: bool = False


@dataclass(frozen=True)
class Seed:
    """A program on which a rewrite fires.

    Attributes:
        contract: Name of the contract.
        name: The form that is recognised, as an identifier.
        program: Head and module as `differential_case.Case` writes them.
        step: The pass that the rewrite is part of.
        fired: Whether it fired, from the text before and behind `step`.
        gpus: Chips on which it fires.
        misses: Near misses.
    """

    contract: str
    name: str
    program: str
    step: str
    fired: Fired
    gpus: tuple[str, ...]
    misses: tuple[Miss, ...] = ()

    def text(self, miss: Miss | None = None) -> str:
        """The program, or that of a near miss.

        Raises:
            ValueError: An edit finds nothing to replace.
        """
        text = self.program
        for old, new in () if miss is None else miss.edits:
            if old not in text:
                raise ValueError(
                    f"{self.contract}, {self.name}: expected a program with '{old}'"
                )
            text = text.replace(old, new)
        return text
