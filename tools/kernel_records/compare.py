# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kernels changed between two records, and which of them for the worse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from text_table import text_table

Facts = Mapping[str, Any]
Key = tuple[str, str]


NOISE_SECONDS = 2
"""By so much the time of all compilations may differ for no reason."""


@dataclass(frozen=True)
class Limits:
    """From where on a change is for the worse.

    Attributes:
        registers: More of a thread.
        spill_bytes: More of a thread.
        shared: Times as many bytes of shared memory.
        instructions: Times as many, in the PTX and executed.
        seconds: Times as many, of all compilations that both records have, together.
    """

    registers: int = 8
    spill_bytes: int = 0
    shared: float = 1.1
    instructions: float = 1.02
    seconds: float = 1.5


@dataclass(frozen=True)
class Change:
    """What changed of a kernel.

    Attributes:
        kernel: File and entry.
        gpu: The chip; empty of a sum of all.
        what: `registers`, `spill_bytes`, and so on.
        before: How it was.
        after: How it is.
        is_worse: Whether that is beyond the limits.
    """

    kernel: str
    gpu: str
    what: str
    before: object
    after: object
    is_worse: bool


def _is_worse(what: str, before: Any, after: Any, limits: Limits) -> bool:
    """Whether a change is beyond the limits."""
    if what == "message":
        return False  # of what does not compile either way
    if what == "outcome":
        return before == "compiled"
    if what == "finding":
        return bool(after)
    if what in ("registers", "spill_bytes"):
        return after > before + getattr(limits, what)
    if after is None or before is None:
        return after is None  # it ran to its end before, and does not now
    factor = limits.shared if what == "shared_bytes" else limits.instructions
    return after > factor * before


FACTS = (
    *("outcome", "message", "registers", "spill_bytes", "shared_bytes", "ptx"),
    *("executed", "finding"),
)


def _key(row: Facts) -> Key:
    return row["kernel"], row["gpu"]


def _file_key(row: Facts) -> Key:
    """File and chip: a file that does not compile has one row, without an entry."""
    return row["kernel"].partition(" ")[0], row["gpu"]


def changes(
    before: Sequence[Facts], after: Sequence[Facts], limits: Limits
) -> Iterator[Change]:
    """What changed, kernel by kernel; kernels of one record alone are left out.

    Args:
        before: Rows of a record.
        after: The same, later.
        limits: From where on a change is for the worse.
    """
    new = {_file_key(row): row for row in after} | {_key(row): row for row in after}
    seconds: dict[Key, tuple[float, float]] = {}
    for row in before:
        now = new.get(_key(row)) or new.get(_file_key(row))
        if now is not None:
            if row["seconds"]:  # a committed record has no times
                seconds[_file_key(row)] = row["seconds"], now["seconds"]
            yield from _of_row(row, now, limits)
    total, later = (sum(pair[n] for pair in seconds.values()) for n in (0, 1))
    if later > limits.seconds * total and later > total + NOISE_SECONDS:
        yield Change("all", "", "seconds", round(total, 2), round(later, 2), True)


def _of_row(row: Facts, now: Facts, limits: Limits) -> Iterator[Change]:
    """What changed of a kernel; the outcome alone where there is nothing else."""
    is_compiled = row["outcome"] == now["outcome"] == "compiled"
    for what in FACTS if is_compiled else ("outcome", "message"):
        one, two = row[what], now[what]
        if one != two:
            is_worse = _is_worse(what, one, two, limits)
            yield Change(row["kernel"], row["gpu"], what, one, two, is_worse)


def table(found: Sequence[Change]) -> str:
    """The changes as text, those for the worse first."""
    if not found:
        return "no change\n"
    ordered = sorted(found, key=lambda change: not change.is_worse)
    head = ("", "kernel", "gpu", "what", "before", "after", "change")
    return text_table(head, map(_cells, ordered)) + "\n"


def _cells(change: Change) -> tuple[str, ...]:
    mark = "worse" if change.is_worse else ""
    numbers = (change.before, change.after)
    share = ""
    if all(isinstance(n, (int, float)) for n in numbers) and change.before:
        before, after = (float(str(n)) for n in numbers)
        share = f"{100 * (after / before - 1):+.1f} %"
    said = [str(n) if n not in (None, "") else "-" for n in numbers]
    return (mark, change.kernel, change.gpu, change.what, *said, share)
