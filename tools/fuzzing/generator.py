# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a generator is: it makes programs by number, and judges any of its kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from differential_check import Failure

from cuda_tile.ir import traits
from cuda_tile.reducer import Source, read_source

_NUMBERS = re.compile(
    r"0x[0-9a-f]+|-?\b\d+(\.\d+)?(e[+-]?\d+)?\b|[%@]\w+|'[^' ]*'|\bnan\b|-?\binf\b"
)
_PLACE = re.compile(r"^(\S+:\d+:\d+|loc\([^)]*\)): ")
_OP = re.compile(r"\b(?:cuda_tile|tileas)\.\w+|(?<== )\w+(?= )")


@dataclass(frozen=True)
class Input:
    """A program, with what its judge must know beside it.

    Attributes:
        kind: Name of its generator.
        data: The program's file.
        how: The rest, as JSON can say it: chip, seed, what it was made of.
        features: What it has, as far as its maker knows.
        failure: What went wrong while it was made.
    """

    kind: str
    data: bytes
    how: Mapping[str, Any] = field(default_factory=dict[str, Any])
    features: frozenset[str] = frozenset()
    failure: Failure | None = None

    def to_json(self) -> dict[str, Any]:
        """The input for `json.dumps`, without features and failure."""
        text = self.data.decode("latin-1")
        return {"kind": self.kind, "data": text, "how": dict(self.how)}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Input:
        """Reads what `to_json` gave."""
        return cls(facts["kind"], facts["data"].encode("latin-1"), facts["how"])


@dataclass(frozen=True)
class Seen:
    """What came of an input.

    Attributes:
        failure: What somebody must mend, if anything.
        features: What it reached: constructs, messages, plans.
    """

    failure: Failure | None = None
    features: frozenset[str] = frozenset()


class Generator(Protocol):
    """A source of programs.

    Attributes:
        name: Its name on the command line.
        suffix: How names of its files end.
        cpu_seconds: CPU time after which a program of its hangs.
    """

    name: str
    suffix: str
    cpu_seconds: int

    def make(self, number: int, corpus: Sequence[bytes]) -> Input | None:
        """The program of a number; None if it is none.

        Args:
            number: Which.
            corpus: Earlier programs that reached something new.
        """
        ...

    def judge(self, made: Input) -> Seen:
        """What becomes of a program of its kind."""
        ...

    def source(self, data: bytes) -> Source:
        """A file, to be made smaller.

        Raises:
            UserError: Nobody can read it.
        """
        ...


class Read:
    """Generators whose files the reducer reads by itself."""

    def source(self, data: bytes) -> Source:
        """As `Generator.source`."""
        return read_source(data)


def reason(message: str) -> str:
    """What a message says, without where, which numbers and which names."""
    last = message.strip().splitlines()[-1:] or [""]
    return _NUMBERS.sub("N", _PLACE.sub("", last[0]))[:160]


VAGUE = ("mismatch", "timeout", "death", "spills", "foreign")
"""Kinds of failures whose messages do not say what is wrong."""


def signature(failure: Failure, text: str) -> str:
    """What two failures of one fault have in common.

    Args:
        failure: A failure.
        text: Its program, reduced if its message is vague.
    """
    where = re.sub(r" ?\([^)]*\)", "", failure.where)
    said = reason(failure.message)
    if failure.kind in VAGUE:
        said = " ".join(sorted(_telling_ops(text)))
    return f"{where}: {failure.kind}: {said}"


_COMPUTES = traits.ELEMENTWISE | traits.COMBINES | traits.PRODUCTS | traits.LOOPS
_UPDATES = traits.ACCESSES - traits.LOADS - traits.STORES
_TELLING = {
    name.rpartition(".")[2] for name in (_COMPUTES | _UPDATES) - traits.CONSTANTS
}


def _telling_ops(text: str) -> set[str]:
    """The ops of a program that compute; all of them if none does."""
    ops = {name.rpartition(".")[2] for name in _OP.findall(text)}
    return ops & _TELLING or ops


def explains(one: str, other: str) -> bool:
    """Whether a failure with fewer ops may be what another one is about.

    Args:
        one: Signature of a program that was made small.
        other: The same.
    """
    (where, _, ops), (elsewhere, _, others) = (s.rpartition(": ") for s in (one, other))
    is_vague = where.rpartition(": ")[2] in VAGUE
    return is_vague and where == elsewhere and {*ops.split()} <= {*others.split()}


def is_like(one: Failure, other: Failure) -> bool:
    """Whether two failures may be of one fault: the same message, if that says much."""
    without = [replace(each, message="") for each in (one, other)]
    return without[0] == without[1] and (
        one.kind in VAGUE or reason(one.message) == reason(other.message)
    )
