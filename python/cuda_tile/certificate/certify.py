# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel on terms, as Tile IR and as PTX, and compares what both store.

Control and addresses are concrete, each float of the arguments is a symbol. An element
is equal if the normal forms of both terms are one. The PTX runs in an adversarial order
with all checks of the emulator.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from cuda_tile import emulator, interp
from cuda_tile._mlir import ir
from cuda_tile.certificate.coverage import Coverage
from cuda_tile.emulator.machine.builtins import LIBRARY
from cuda_tile.errors import CudaTileError
from cuda_tile.exact.terms import LAWS, Terms
from cuda_tile.runtime.elements import Array
from cuda_tile.runtime.record import Dim3, LaunchRecord

FORMAT = 1
_IMMEDIATE = re.compile(r"(?<![\w%$.])(?:0[xXfFdD]([0-9a-fA-F]+)|(\d+))\b")
_ALWAYS = (
    "arguments, extents and grid are those of the launches",
    "floats are finite numbers, and so is what is computed of them",
    "no rounding but to f16, bf16 and f8, of which nothing else is assumed",
    "arrays do not overlap",
)

_LIBRARY_HOLDS = "functions of libdevice, which are calls, are what their names say"


class Launch(NamedTuple):
    """A launch to certify.

    Attributes:
        text: How a user writes it; empty of generated arguments.
        grid: Tile blocks.
        make: Makes the arguments, each time the same.
    """

    text: str
    grid: Dim3
    make: Callable[[], Sequence[Any]]


class Judged(NamedTuple):
    """What is known of a launch.

    Attributes:
        why: Why it is not certified; empty if it is.
        stored: Floats that the Tile IR changed.
        comparisons: Comparisons of floats that went as for the arguments.
        views: Cases of extents, see `Coverage`.
        integers: Whether integers among the arguments are as given.
    """

    why: str
    stored: int
    comparisons: int
    views: dict[str, list[list[str]]]
    integers: bool


@dataclass(frozen=True)
class Certificate:
    """What is stated of a kernel and its PTX.

    Attributes:
        kernel: Name of the kernel.
        gpu: The chip.
        sums: SHA-256 of the kernel's file and of the PTX.
        record: The launch record.
        launches: Each launch, and what is known of it.
        laws: Names of the laws that were used.
        calls_library: Whether the PTX calls functions of libdevice.
        seconds: CPU time.
    """

    kernel: str
    gpu: str
    sums: dict[str, str]
    record: LaunchRecord
    launches: list[tuple[Launch, Judged]]
    laws: list[str]
    calls_library: bool
    seconds: float = field(compare=False)

    @property
    def why(self) -> str:
        """Why it is not certified; empty if it is."""
        if not self.launches:
            return "there is no launch"
        return next((judged.why for _, judged in self.launches if judged.why), "")

    def to_json(self) -> dict[str, Any]:
        """As it is written."""
        return {
            "format": FORMAT,
            "kernel": self.kernel,
            "gpu": self.gpu,
            "certified": not self.why,
            "why": self.why,
            "statement": "for all data, under these assumptions, every float that the "
            "PTX stores equals that of the Tile IR by these laws",
            "sha256": self.sums,
            "assumptions": self._assumptions(),
            "laws": {name: LAWS[name] for name in self.laws},
            "launches": [
                {"launch": launch.text, "grid": list(launch.grid), **_shown(judged)}
                for launch, judged in self.launches
            ],
            "record": self.record.to_json(),
            "seconds": round(self.seconds, 2),
        }

    def _assumptions(self) -> list[str]:
        judged = [judged for _, judged in self.launches]
        count = sum(one.comparisons for one in judged)
        more = [f"{count} comparisons of floats come out as for the arguments"]
        ints = ["integers, and floats of less than 8 bits, are as in the arguments"]
        return [
            *_ALWAYS,
            *(more if count else ()),
            *((_LIBRARY_HOLDS,) if self.calls_library else ()),
            *(ints if any(one.integers for one in judged) else ()),
        ]


def _shown(judged: Judged) -> dict[str, Any]:
    shown = judged._asdict()
    del shown["integers"]
    return shown


def sum_of(data: bytes | str) -> str:
    """The sum of a file."""
    return sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def certify(
    module: ir.Module,
    source: bytes,
    kernel: str,
    ptx: str,
    record: LaunchRecord,
    launches: Sequence[Launch],
    gpu: str,
) -> Certificate:
    """Compares a kernel with PTX.

    Args:
        module: The kernel's module.
        source: The file that it was read from.
        kernel: Its name.
        ptx: What is to store the same.
        record: How to launch that.
        launches: With what.
        gpu: The chip.
    """
    start = time.process_time()
    judge = _Judge(module, kernel, ptx, record)
    judged = [(launch, judge.launch(launch)) for launch in launches]
    sums = {"kernel": sum_of(source), "ptx": sum_of(ptx)}
    seconds = time.process_time() - start
    laws, calls_library = sorted(judge.laws), LIBRARY in ptx
    return Certificate(kernel, gpu, sums, record, judged, laws, calls_library, seconds)


@dataclass
class _Judge:
    """Runs launches.

    Attributes:
        laws: Names of the laws that were used so far.
    """

    module: ir.Module
    kernel: str
    ptx: str
    record: LaunchRecord
    laws: set[str] = field(default_factory=set[str])

    def launch(self, launch: Launch) -> Judged:
        """What is known of a launch."""
        terms, coverage, integers = Terms(), Coverage(), False
        try:
            terms.keep(_literals(self.ptx))
            given, expected = _arguments(terms, launch)
            integers = any(not terms.is_float(array) for array in _arrays(given))
            before = [_nodes(terms, array) for array in _arrays(expected)]
            self._interpret(terms, coverage, launch, expected)
            self._emulate(terms, launch, given)
            why, stored = _compared(terms, before, expected, given)
        except CudaTileError as error:
            why, stored = str(error).partition("\n")[0], 0
        forms, decided = terms.table.forms, len(terms.table.decided)
        self.laws |= forms.laws
        return Judged(why, stored, decided, coverage.to_json(), integers)

    def _interpret(
        self, terms: Terms, coverage: Coverage, launch: Launch, args: list[Any]
    ) -> None:
        interp.run(
            self.module,
            self.kernel,
            grid=launch.grid,
            args=args,
            numbers=terms,
            unspecified="zero",
            trace=coverage.watch,
        )

    def _emulate(self, terms: Terms, launch: Launch, args: list[Any]) -> None:
        emulator.launch_recorded(
            self.ptx,
            self.kernel,
            self.record,
            grid=launch.grid,
            args=args,
            numbers=terms,
            mode="adversarial",
        )


def _arguments(terms: Terms, launch: Launch) -> tuple[list[Any], list[Any]]:
    """Two copies of the arguments, with symbols for floats."""
    first, second = ([*launch.make()] for _ in range(2))
    for place, value in enumerate(first):
        whole = np.asarray(value) if _is_numpy(value) else None
        if whole is None or not terms.is_float(whole):
            continue
        symbols = terms.symbols(f"argument {place}", whole)
        for args in (first, second):
            if isinstance(value, np.ndarray) and value.ndim:
                args[place][...] = symbols
            else:
                args[place] = symbols[()]
    return first, second


def _is_numpy(value: object) -> bool:
    return isinstance(value, (np.ndarray, np.generic))


def _arrays(args: list[Any]) -> list[Array]:
    return [arg for arg in args if isinstance(arg, np.ndarray) and arg.ndim]


def _nodes(terms: Terms, array: Array) -> list[int]:
    return terms.nodes(array) if terms.is_float(array) else []


def _literals(ptx: str) -> Iterator[int]:
    """The codes of 16 bits that stand in a text."""
    for bits, number in _IMMEDIATE.findall(ptx):
        value = int(bits, 16) if bits else int(number)
        yield from (value & 0xFFFF, value >> 16 & 0xFFFF)


def _compared(
    terms: Terms, before: list[list[int]], expected: list[Any], got: list[Any]
) -> tuple[str, int]:
    """Why results differ, or empty, and how many floats were stored."""
    stored = 0
    arrays = zip(before, _arrays(expected), _arrays(got), strict=True)
    for place, (old, one, other) in enumerate(arrays):
        if not terms.is_float(one):
            if one.tobytes() != other.tobytes():
                return f"integers of array {place} differ", stored
            continue
        pairs = zip(old, terms.nodes(one), terms.nodes(other), strict=True)
        for number, (first, node, found) in enumerate(pairs):
            stored += node != first
            if node != found and terms.table.form(node) != terms.table.form(found):
                return f"element {number} of array {place} is another term", stored
    return ("" if stored else "no float is stored"), stored
