# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutations of PTX text: each removes or changes one synchronisation operation.

Deleted in turn: barriers, fences, commits, arrivals, expect_tx, waits (a wait that
returns a predicate returns true). Changed by one, up and down: counts of arrivals,
groups and bytes, parities, and by one warp the thread counts of barriers; columns of
tensor memory are doubled and halved, and not allocated or not freed. Weakened:
`.release`, `.acquire` and `.acq_rel` of other instructions become `.relaxed`, and
scopes of fences and accesses `.cta`.

The engine works on single statements, so on any PTX text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

KINDS = (
    "barrier",
    "cluster barrier",
    "fence",
    "wait",
    "commit",
    "arrive",
    "init",
    "allocation",
    "columns",
    "group count",
    "arrival count",
    "tx bytes",
    "parity",
    "thread count",
    "order",
    "scope",
)

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STATEMENT = re.compile(
    r"(?P<guard>@!?%?\w+\s+)?(?P<opcode>[a-z]\w*(?:\.[\w:]+)+)(?P<rest>[^;{}]*"
    r"(?:\{[^;{}]*\}[^;{}]*)*);"
)
_DELETED = (
    (r"bar\.warp\.sync", "barrier"),
    (r"(bar|barrier)(\.cta)?\.(sync|arrive)", "barrier"),
    (r"barrier\.cluster", "cluster barrier"),
    (r"fence\.|membar\.|\w+\.fence", "fence"),
    (r".*\.(wait_group|wait_all|wait)\b", "wait"),
    (r".*\.(commit_group|commit)\b", "commit"),
    (
        r"mbarrier\.(arrive|arrive_drop|expect_tx|complete_tx)|cp\.async\.mbarrier",
        "arrive",
    ),
    (r"mbarrier\.init", "init"),
    (r"tcgen05\.(alloc|dealloc|relinquish_alloc_permit)", "allocation"),
)
_ORDER = re.compile(r"\.(release|acquire|acq_rel)\b")
_SCOPE = re.compile(r"\.(cluster|gpu|gl|sys)(?![\w:])")


@dataclass(frozen=True)
class Mutant:
    """A changed program.

    Attributes:
        kind: What is mutated, one of `KINDS`.
        change: "delete", a shift such as "+1" or "-32", "flip" of a parity, "double" or
            "halve" of columns, "without" expect_tx, "inc" instead of noinc, "weaken" or
            "narrow".
        line: Line of the instruction, from 1.
        instruction: Its text in one line.
        text: The changed program.
    """

    kind: str
    change: str
    line: int
    instruction: str
    text: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.change}: {self.instruction}"


@dataclass(frozen=True)
class _Statement:
    start: int
    stop: int
    guard: str
    opcode: str
    operands: tuple[str, ...]

    def with_operands(self, operands: tuple[str, ...], opcode: str = "") -> str:
        return f"{self.guard}{opcode or self.opcode} {', '.join(operands)};"


def mutants(text: str) -> Iterator[Mutant]:
    """Yields all mutants of a program, in the order of its text."""
    plain = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    for found in _STATEMENT.finditer(plain):
        statement = _Statement(
            found.start(),
            found.end(),
            found["guard"] or "",
            found["opcode"],
            _split(found["rest"]),
        )
        line = text.count("\n", 0, statement.start) + 1
        shown = re.sub(r"\s+", " ", found[0])
        for kind, change, new in _changes(statement):
            # Lines keep their numbers, so that findings can be compared.
            new += "\n" * found[0].count("\n")
            changed = text[: statement.start] + new + text[statement.stop :]
            yield Mutant(kind, change, line, shown, changed)


def _split(rest: str) -> tuple[str, ...]:
    """Operands of a statement; commas in brackets and braces do not count."""
    parts: list[str] = [""]
    depth = 0
    for letter in rest.strip():
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return tuple(re.sub(r"\s+", " ", part.strip()) for part in parts if part.strip())


def _changes(statement: _Statement) -> Iterator[tuple[str, str, str]]:
    opcode = statement.opcode
    if re.match(r"mbarrier\.(test|try)_wait", opcode):
        yield "wait", "delete", _answered(statement)
        if ".parity" in opcode:
            yield "parity", "flip", _shifted(statement, 2, "xor.b32", 1)
    else:
        for pattern, kind in _DELETED:
            if re.match(pattern, opcode):
                yield kind, "delete", ""
                break
    yield from _counts(statement)
    yield from _orders(statement)


def _orders(statement: _Statement) -> Iterator[tuple[str, str, str]]:
    """Weaker orders and narrower scopes."""
    opcode, operands = statement.opcode, statement.operands
    is_fence = opcode.startswith(("fence", "membar"))
    weaker = _ORDER.sub(".relaxed", opcode)
    if weaker != opcode and not is_fence and ".wait." not in opcode:
        yield "order", "weaken", statement.with_operands(operands, weaker)
    narrower = _SCOPE.sub(".cta", opcode)
    has_scope = re.match(r"(fence(?!\.proxy|\.mbar)|membar|atom|red|ld|st)\.", opcode)
    if narrower != opcode and has_scope:
        yield "scope", "narrow", statement.with_operands(operands, narrower)


def _answered(statement: _Statement) -> str:
    """A wait that is over at once."""
    return f"{statement.guard}setp.eq.u32 {statement.operands[0]}, 0, 0;"


def _counts(statement: _Statement) -> Iterator[tuple[str, str, str]]:
    """Shifts of the numbers that a statement counts with."""
    opcode, operands = statement.opcode, statement.operands
    if re.match(r"(bar|barrier)(\.cta)?\.(sync|arrive)", opcode) and len(operands) == 2:
        yield from _both(statement, 1, "thread count", 32)
    elif opcode.startswith("mbarrier."):
        yield from _mbarrier_counts(statement)
    elif re.match(r"tcgen05\.(alloc|dealloc)", opcode):
        where, columns = operands
        if not columns.isdigit():  # a register, set elsewhere
            return
        for change, count in (
            ("double", 2 * int(columns)),
            ("halve", int(columns) // 2),
        ):
            yield "columns", change, statement.with_operands((where, str(count)))
    elif opcode.startswith("cp.async.mbarrier.arrive") and ".noinc" in opcode:
        changed = statement.with_operands(operands, opcode.replace(".noinc", ""))
        yield "arrival count", "inc", changed
    elif "wait_group" in opcode:
        count = int(operands[0])
        for shift in (1, -1):
            if count + shift >= 0:
                changed = statement.with_operands((str(count + shift),))
                yield "group count", f"{shift:+}", changed


def _mbarrier_counts(statement: _Statement) -> Iterator[tuple[str, str, str]]:
    opcode, operands = statement.opcode, statement.operands
    if opcode.startswith("mbarrier.init"):
        yield from _both(statement, 1, "arrival count", 1)
    elif "_tx" in opcode:
        yield from _both(statement, len(operands) - 1, "tx bytes", 1)
        if opcode.startswith("mbarrier.arrive"):
            plain = opcode.replace(".expect_tx", "")
            yield "tx bytes", "without", statement.with_operands(operands[:-1], plain)
    elif opcode.startswith("mbarrier.arrive") and _is_counted(operands):
        yield from _both(statement, len(operands) - 1, "arrival count", 1)


def _is_counted(operands: tuple[str, ...]) -> bool:
    return not operands[-1].startswith("[")


def _both(
    statement: _Statement, place: int, kind: str, step: int
) -> Iterator[tuple[str, str, str]]:
    for shift in (step, -step):
        yield kind, f"{shift:+}", _shifted(statement, place, "add.u32", shift)


def _shifted(statement: _Statement, place: int, operation: str, by: int) -> str:
    """The statement with one operand changed; in a register if it is one."""
    operand = statement.operands[place]
    operands = list(statement.operands)
    if re.fullmatch(r"-?\d+", operand):
        value = int(operand)
        operands[place] = str(value ^ by if operation == "xor.b32" else value + by)
        return statement.with_operands(tuple(operands))
    operands[place] = "%shifted"
    return (
        f"{{ .reg .b32 %shifted; {operation} %shifted, {operand}, {by}; "
        f"{statement.with_operands(tuple(operands))} }}"
    )
