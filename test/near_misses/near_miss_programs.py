# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes programs of seeds: one thing changed, sometimes two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import mutation_memory
import mutation_ops
import mutation_text
from differential_case import Case
from mutation import MUTATIONS, Draft

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.errors import UserError

SOURCES = (mutation_ops, mutation_memory, mutation_text)
"""The modules that fill the table of mutations."""
TWO_EACH = 4
"""One of so many programs has two changes."""
TRIES = 20
"""How many mutations are tried until one finds a place."""


@dataclass(frozen=True)
class Change:
    """A change that was made: its kind, and what it was."""

    kind: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}"


@dataclass(frozen=True)
class Mutant:
    """A program with changes.

    Attributes:
        case: The program, which nobody has judged; None if its text does not parse.
        changes: What was changed; why not, of the last one, if it does not parse.
    """

    case: Case | None
    changes: tuple[Change, ...]


def mutant(case: Case, number: int, kinds: Sequence[str] = ()) -> Mutant:
    """The mutant of a program that has a number.

    Args:
        case: The program.
        number: Which mutant: two calls with a number give the same one.
        kinds: Mutations to choose from; all by default.
    """
    random = Random(f"{case.name} {number}")
    draft = Draft(case, cuda_tile.load(case.body.encode()), random)
    count = 1 if random.randrange(TWO_EACH) else 2
    changes: list[Change] = []
    for _ in range(TRIES):
        if len(changes) == count:
            break
        kind = random.choice(list(kinds or MUTATIONS))
        try:
            with draft.module.context, ir.Location.unknown():
                what = MUTATIONS[kind](draft)
        except UserError as error:
            return Mutant(None, (*changes, Change(kind, str(error))))
        if what is not None:
            changes.append(Change(kind, what))
    made = replace(draft.finished(), name=f"{case.name}, mutant {number}")
    return Mutant(made, tuple(changes))
