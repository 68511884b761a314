# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses to global memory, of which no two threads of a grid may meet.

No order is assumed: whatever one thread writes, no other one may touch, in its own CTA
or in another one. An address is an argument, plus a number per thread, plus multiples
of the CTA's place in the grid. Arguments are taken for arrays that do not overlap, and
indices not to wrap around.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from cuda_tile.emulator.proof.shadow import Doubt
from cuda_tile.emulator.proof.values import Counted, Made, Value, unknown
from cuda_tile.emulator.ptx.syntax import Instruction
from cuda_tile.emulator.ptx.types import Array

_MOST_KINDS = 400
_COORDINATES = frozenset({"%ctaid.x", "%ctaid.y", "%ctaid.z"})


class _Access(NamedTuple):
    """An access of some threads.

    Attributes:
        line: The line of the instruction.
        kind: `read`, `write` or `atomic`.
        address: The first byte of each thread.
        mask: The threads that may do it.
        width: Bytes.
    """

    line: int
    kind: str
    address: Value
    mask: Array
    width: int

    def __str__(self) -> str:
        return f"the {self.kind} in line {self.line}"


class Accesses:
    """All accesses of a kernel.

    Args:
        n_threads: Threads of a CTA.
    """

    def __init__(self, n_threads: int) -> None:
        self._n_threads = n_threads
        self._known: dict[object, _Access] = {}
        self._coordinates = set[str]()
        self._doubts = set[str]()
        self._fixed: dict[int, frozenset[str]] = {}

    def add(
        self, instruction: Instruction, kind: str, value: Value, mask: Array, width: int
    ) -> None:
        """Notes an access.

        Args:
            instruction: What makes it.
            kind: `read`, `write` or `atomic`.
            value: Its addresses.
            mask: The threads that may make it.
            width: Bytes.
        """
        if any(isinstance(name, Counted) for name, _ in value.terms):
            value = unknown(value)  # of several iterations
        key = instruction.line, kind, value.key, mask.tobytes(), width
        self._known[key] = _Access(instruction.line, kind, value, mask, width)

    def doubt(self, why: str) -> None:
        """Notes an access that is not followed.

        Args:
            why: What is to be said of it.
        """
        self._doubts.add(why)

    def fix(self, instruction: Instruction, value: Value) -> None:
        """Notes a load that gives all threads one number, if nobody writes there.

        Args:
            instruction: The load.
            value: Its address.
        """
        self._fixed[instruction.line] = value.origins

    def judge_fixed(self) -> None:
        """Compares loads of one number with what is written.

        Raises:
            Doubt: The number may change between the threads.
        """
        writes = [access for access in self._known.values() if access.kind != "read"]
        for line, origins in self._fixed.items():
            for other in writes:
                there = other.address.origins
                if not there or "memory" in there | origins or there & origins:
                    raise Doubt(f"{other} may change what is read in line {line}")
            if self._doubts:
                raise Doubt(f"bulk copies may change what is read in line {line}")

    def judge(self) -> str:
        """Compares each with each.

        Returns:
            For which grids no two meet; empty for all.

        Raises:
            Doubt: Two may meet; says which.
        """
        for why in sorted(self._doubts):
            raise Doubt(why)
        known = list(self._known.values())
        if len(known) > _MOST_KINDS:
            raise Doubt(f"{len(known)} accesses to global memory are too many")
        for one, other in combinations_with_replacement(known, 2):
            kinds = {one.kind, other.kind}
            if "write" not in kinds and kinds != {"read", "atomic"}:
                continue
            if why := self._meet(one, other):
                raise Doubt(f"{one} and {other} {why}")
        if len(self._coordinates) > 1:
            raise Doubt("writes are told apart by different coordinates of the CTA")
        others = [d for d in "xyz" if f"%ctaid.{d}" not in self._coordinates]
        return f"of one CTA along {' and '.join(others)}" if len(others) < 3 else ""

    def _meet(self, one: _Access, other: _Access) -> str:
        """Why two threads may touch one byte; empty if they cannot."""
        origins = [access.address.origins for access in (one, other)]
        if not all(origins) or any("memory" in each for each in origins):
            return "may meet: nobody knows of which array"
        if not origins[0] & origins[1]:
            return ""
        if one.address.array is None or other.address.array is None:
            return "may meet: nobody knows where in the array"
        if one.address.terms != other.address.terms:
            return "may meet: their places differ by what nobody knows"
        places = [
            a.address.array[a.mask] for a in (one, other) if a.address.array is not None
        ]
        threads = [np.flatnonzero(a.mask) for a in (one, other)]
        if _overlap(places, threads, (one.width, other.width)):
            return "meet in a CTA"
        return self._across(one, places, max(one.width, other.width))

    def _across(self, one: _Access, places: list[Array], width: int) -> str:
        """Why CTAs may meet; empty if they cannot."""
        last, first = max(p.max() for p in places), min(p.min() for p in places)
        steps = {n: c for n, c in one.address.terms if _differs(n)}
        plain = {name for name in steps if name in _COORDINATES}
        if len(steps) != 1 or len(plain) != 1:
            return "are not told apart by one coordinate of the CTA"
        if any(abs(count) < int(last - first) + width for count in steps.values()):
            return "meet in CTAs that are next to each other"
        self._coordinates.update(map(str, plain))
        return ""


def _differs(symbol: Hashable) -> bool:
    """Whether CTAs of a grid may have different numbers for a symbol."""
    leaves = symbol.leaves if isinstance(symbol, Made) else (symbol,)
    names = {str(leaf) for leaf in leaves}
    return any(n.startswith("%") and not n.startswith("%nctaid") for n in names)


def _overlap(
    places: list[Array], threads: list[Array], widths: tuple[int, int]
) -> bool:
    """Whether different threads of a CTA touch one byte."""
    order = np.argsort(places[1], kind="stable")
    sorted_places = places[1][order]
    first = np.searchsorted(sorted_places, places[0] - widths[1], side="right")
    stop = np.searchsorted(sorted_places, places[0] + widths[0], side="left")
    for number in np.flatnonzero(stop > first):
        found = threads[1][order[first[number] : stop[number]]]
        if (found != threads[0][number]).any():
            return True
    return False
