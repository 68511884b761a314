# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages texts of any language, token by token and line by line."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

_TOKEN = re.compile(r"\s+|//[^\n]*|[A-Za-z_$%][\w$]*|\.[\w:]+|\d[\w.]*|.", re.DOTALL)
_BLANK = re.compile(r"\s+|//.*")
_MARKS = [*'{}[]();,:|!+-*/~@=<>&^"', "//", "/*", "\\", "`", "\0", "é", "\r", "%", "_"]
Mutator = Callable[[list[str], random.Random], None]
"""Changes a text, as its tokens."""


def _solid(tokens: Sequence[str], draw: random.Random) -> int:
    """The place of a token that is not blank, or of any where all are."""
    for _ in range(50):
        place = draw.randrange(len(tokens))
        if not _BLANK.fullmatch(tokens[place]):
            return place
    return draw.randrange(len(tokens))


def delete(tokens: list[str], draw: random.Random) -> None:
    """A token goes."""
    del tokens[_solid(tokens, draw)]


def duplicate(tokens: list[str], draw: random.Random) -> None:
    """A token stands twice."""
    place = _solid(tokens, draw)
    tokens[place:place] = [tokens[place], draw.choice(["", " "])]


def swap(tokens: list[str], draw: random.Random) -> None:
    """Two tokens change places."""
    first, second = _solid(tokens, draw), _solid(tokens, draw)
    tokens[first], tokens[second] = tokens[second], tokens[first]


def neighbours(tokens: list[str], draw: random.Random) -> None:
    """Two near tokens change places."""
    first = _solid(tokens, draw)
    second = min(first + draw.randint(1, 3), len(tokens) - 1)
    tokens[first], tokens[second] = tokens[second], tokens[first]


def replace(pattern: re.Pattern[str], pool: Sequence[str] | None) -> Mutator:
    """Another register, type or number of the text, or one of a pool."""

    def mutate(tokens: list[str], draw: random.Random) -> None:
        places = [p for p, token in enumerate(tokens) if pattern.fullmatch(token)]
        if places:
            others = [tokens[p] for p in places] if pool is None else pool
            tokens[draw.choice(places)] = draw.choice(others)

    return mutate


def insert(pool: Sequence[str]) -> Mutator:
    """Something of a pool comes in between."""

    def mutate(tokens: list[str], draw: random.Random) -> None:
        tokens.insert(_solid(tokens, draw), f" {draw.choice(pool)} ")

    return mutate


def mark(tokens: list[str], draw: random.Random) -> None:
    """A token becomes a mark."""
    tokens[_solid(tokens, draw)] = draw.choice(_MARKS)


def cut(tokens: list[str], draw: random.Random) -> None:
    """The rest goes."""
    del tokens[draw.randrange(len(tokens)) :]


def nest(tokens: list[str], draw: random.Random) -> None:
    """Something gets nested, perhaps far too deep."""
    depth = draw.choice([2, 30, 3000])
    opening, closing = draw.choice(["{}", "[]", "()", ("@", ""), ("-", ""), ("!", "")])
    place = _solid(tokens, draw)
    text = tokens[place] if draw.random() < 0.5 else ""
    ends = closing * depth if draw.random() < 0.5 else ""
    tokens[place] = f"{opening * depth}{text}{ends}"


def lines(tokens: list[str], draw: random.Random) -> None:
    """Deletes, doubles or swaps lines."""
    lines = "".join(tokens).split("\n")
    first, second = draw.randrange(len(lines)), draw.randrange(len(lines))
    kind = draw.choice(("delete", "double", "swap", "move", "empty"))
    if kind == "delete":
        del lines[first : first + draw.choice([1, 1, 1, 5])]
    elif kind == "double":
        lines.insert(second, lines[first])
    elif kind == "swap":
        lines[first], lines[second] = lines[second], lines[first]
    elif kind == "move":
        lines.insert(second, lines.pop(first))
    else:
        lines[first] = ""
    tokens[:] = _TOKEN.findall("\n".join(lines)) or [""]


def line_ends(tokens: list[str], draw: random.Random) -> None:
    """All lines end in another way."""
    end = draw.choice(["\r\n", "\r", "\n\n", "\f\n", "\v"])
    tokens[:] = [token.replace("\n", end) for token in tokens]


TOKENS: tuple[Mutator, ...] = (delete, duplicate, swap, neighbours)
"""What may be done to any token."""


def mutated(text: str, draw: random.Random, mutators: Sequence[Mutator]) -> str:
    """Damages a text in one to three ways."""
    tokens = _TOKEN.findall(text)
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        if tokens:
            draw.choice(mutators)(tokens, draw)
    return "".join(tokens)
