# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Remarks of a compilation as data: a code for programs, a place, a sentence.

Passes write a remark as text: its place, a sentence, and perhaps a code in brackets
behind it, as compilers name warnings (`a.py:3:5: 16 loads of ... [narrow-access]`).
"""

from __future__ import annotations

import re
from typing import Any, Literal

from cuda_tile.locations import Place, places_of
from cuda_tile.records import dataclass

Kind = Literal["passed", "missed", "failed", "analysis"]
TITLES = {"memory": "Memory", "tensorcore": "Tensor-core", "plan": "Plan"}
"""The categories, with their names for people."""
_PLACE = r".+?:\d+:\d+"
_PREFIX = rf"({_PLACE}(?:, called from {_PLACE})*): "
_CODE = r" \[(?P<code>[a-z]+(?:-[a-z]+)*)\]$"
_MEMORY = r"\b(load|store|copies|TMA|shared memory|spill)"
_PRODUCT = r"\b(product|wgmma|mma|matrix)"


@dataclass(frozen=True)
class Remark:
    """One remark.

    Attributes:
        kind: Missed: something was given up. Analysis: a fact.
        category: A key of `TITLES`.
        name: An identifier for programs.
        function: The kernel.
        text: A sentence.
        place: Where in the source, if known.
        facts: Further arguments, by name.
    """

    kind: Kind
    category: str
    name: str
    function: str
    text: str
    place: Place | None = None
    facts: tuple[tuple[str, str], ...] = ()

    def data(self) -> dict[str, Any]:
        """The remark as the JSON report has it."""
        at = self.place
        where = {"file": at.file, "line": at.line, "column": at.column} if at else None
        return {
            "code": self.name,
            "category": self.category,
            "text": self.text,
            "place": where,
        }


def read_remark(text: str, kernel: str) -> Remark:
    """What a pass gave up.

    Args:
        text: The remark as the pass wrote it.
        kernel: The symbol of its kernel.
    """
    code = re.search(_CODE, text)
    text = text[: code.start()] if code else text
    place, sentence = _split(text)
    category = _category(sentence)
    name = code["code"] if code else f"{TITLES[category].replace('-', '')}Missed"
    return Remark("missed", category, name, kernel, sentence, place)


def _split(text: str) -> tuple[Place | None, str]:
    """The place that a remark begins with, and its sentence."""
    prefix = re.match(_PREFIX, text)
    if prefix is None:
        return None, text
    places = places_of(prefix[1])
    return (places[0] if places else None), text[prefix.end() :]


def _category(sentence: str) -> str:
    if re.search(_PRODUCT, sentence):
        return "tensorcore"
    return "memory" if re.search(_MEMORY, sentence) else "plan"
