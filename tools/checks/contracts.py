# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the contracts of passes that rewrite programs.

A contract is a table in the docstring of a file of the compiler; docs/writing-a-pass.md
has its form. Each of the nine aspects has a row. Each numbered condition has a line of
code that checks it, which ends in `# <contract> C<n>`, and a near miss: a program of
test/near_misses/seeds_<contract>.py on which that condition alone does not hold. Prints
how many there are of each contract. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).resolve().parents[2]
COMPILER = ROOT / "python" / "cuda_tile"
NEAR_MISSES = ROOT / "test" / "near_misses"
SEEDS_OF = "seeds_"
ASPECTS = (
    "types",
    "flags",
    "values",
    "order",
    "blocks",
    "indices",
    "extents",
    "aliasing",
    "captures",
)
"""What a rewrite can overlook; a contract says something of each."""
REQUIRED = (
    "online_softmax",
    "welford",
    "row_tiling",
    "load_reuse",
    "load_duplication",
    "combine_atomics",
    "narrow_elements",
    "loop_splitting",
    "zero_removal",
    "bounds_elision",
    "async_copies",
    "roles",
    "transposed_products",
    "promotion",
    "converted_operands",
    "packed_operands",
    "own_elements",
    "contiguous_rows",
    "implied_clamps",
    "counted_masks",
    "unit_batches",
    "unwrap_indices",
    "join_reductions",
    "pair",
)
"""The contracts that there must be."""

_TITLE = re.compile(r"^[ \t]*Contract `(\w+)`[ \t]*$", re.MULTILINE)
_TAG = re.compile(r"(\w+) C(\d+(?:, C\d+)*)")
_COMMENT = re.compile(r"#\s*(\w+ C\d+(?:, C\d+)*(?:; \w+ C\d+(?:, C\d+)*)*)\s*$")


class NearMiss(Protocol):
    """What the check wants to know of a `near_miss.Miss`."""

    @property
    def name(self) -> str:
        """What is broken."""
        ...

    @property
    def condition(self) -> int:
        """Number of the condition that does not hold."""
        ...


@dataclass(frozen=True)
class Row:
    """A row of a contract's table.

    Attributes:
        number: 1 for C1, or None for `-`: an aspect that cannot matter.
        aspect: One of `ASPECTS`.
        condition: What must hold, or why the aspect cannot matter.
        misses: Names of the near misses.
    """

    number: int | None
    aspect: str
    condition: str
    misses: tuple[str, ...]

    def __str__(self) -> str:
        return f"{'-' if self.number is None else f'C{self.number}'} {self.aspect}"


@dataclass
class Contract:
    """A contract as a docstring has it.

    Attributes:
        name: Its name.
        place: The file.
        law: What makes the rewrite right.
        rows: The table.
        wrong: What is wrong with the form.
    """

    name: str
    place: str
    law: str = ""
    rows: list[Row] = field(default_factory=list[Row])
    wrong: list[str] = field(default_factory=list[str])

    @property
    def numbers(self) -> list[int]:
        """Numbers of the conditions, in order."""
        return [row.number for row in self.rows if row.number is not None]


# Tables -------------------------------------------------------------------------------


def contracts_of(text: str, place: str) -> Iterator[Contract]:
    """The contracts in the docstring of a module with the source `text`."""
    docstring = ast.get_docstring(ast.parse(text)) or ""
    titles = list(_TITLE.finditer(docstring))
    ends = [title.start() for title in titles[1:]] + [len(docstring)][: len(titles)]
    for title, end in zip(titles, ends, strict=True):
        yield _contract(title[1], place, docstring[title.end() : end])


def _contract(name: str, place: str, text: str) -> Contract:
    """A contract from what stands below its title."""
    found = Contract(name, place)
    law, bar, _ = text.partition("|")
    found.law = " ".join(law.partition("Law:")[2].split())
    lines = [line.strip() for line in text.splitlines()]
    rows = [line for line in lines if line.startswith("|")][2:]
    if not bar or not rows:
        found.wrong.append("expected a table with a head and rows, got none")
    for cells in _joined(rows):
        _add_row(found, cells)
    return found


def _joined(lines: Iterable[str]) -> list[list[str]]:
    """The cells of each row; a row with an empty first cell goes on with the last."""
    rows: list[list[str]] = []
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if rows and not cells[0] and len(cells) == len(rows[-1]):
            joined = zip(rows[-1], cells, strict=True)
            rows[-1] = [f"{a} {b}".strip() for a, b in joined]
        else:
            rows.append(cells)
    return rows


def _add_row(contract: Contract, cells: Sequence[str]) -> None:
    """Adds a row, or says what is wrong with it."""
    match = re.fullmatch(r"(?:C(\d+)|-) (\w+)", cells[0])
    if match is None or match[2] not in ASPECTS or len(cells) != 3:
        contract.wrong.append(
            "expected a row '| C1 ASPECT | condition | near misses |', or '-' for C1, "
            f"with one of {', '.join(ASPECTS)}; got '{' | '.join(cells)}'"
        )
        return
    misses = tuple(name for name in re.split(r"[,\s`]+", cells[2]) if name)
    number = int(match[1]) if match[1] else None
    contract.rows.append(Row(number, match[2], cells[1], misses))


# What must be there -------------------------------------------------------------------


def faults(
    contract: Contract, tags: Counter[int], seeds: int, misses: Sequence[NearMiss]
) -> Iterator[str]:
    """What is wrong with a contract.

    Args:
        contract: The contract.
        tags: How many lines of code check each condition.
        seeds: How many programs it fires on.
        misses: Its near misses.
    """
    yield from contract.wrong
    if not contract.law:
        yield "expected a law: what makes the rewrite right"
    for aspect in ASPECTS:
        if not any(row.aspect == aspect for row in contract.rows):
            yield f"expected a row for {aspect}, got none"
    numbers = contract.numbers
    if sorted(numbers) != list(range(1, len(numbers) + 1)):
        yield f"expected conditions C1 to C{len(numbers)}, got {numbers}"
    for row in contract.rows:
        yield from _row_faults(row)
    yield from _tag_faults(numbers, tags)
    if not seeds:
        yield "expected programs on which it fires, got none"
    yield from _miss_faults(contract, misses)


def _row_faults(row: Row) -> Iterator[str]:
    """What is wrong with a row alone."""
    if not row.condition:
        yield f"{row}: expected a condition or a reason, got none"
    if row.number is None and row.misses:
        yield f"{row}: expected no near misses where nothing can matter"
    if row.number is not None and not row.misses:
        yield f"{row}: expected near misses, got none"


def _tag_faults(numbers: Sequence[int], tags: Counter[int]) -> Iterator[str]:
    """Conditions that no line checks, and lines that check unknown ones."""
    for number in numbers:
        if not tags[number]:
            yield f"C{number}: expected a line of code that checks it, got none"
    for number in sorted(tags.keys() - set(numbers)):
        yield f"C{number}: a line of code checks it, but it is no condition"


def _miss_faults(contract: Contract, misses: Sequence[NearMiss]) -> Iterator[str]:
    """Near misses without a condition, and the other way round."""
    named = {(row.number, name) for row in contract.rows for name in row.misses}
    made = [(miss.condition, miss.name) for miss in misses]
    for number, name in sorted(named - set(made), key=str):
        yield f"C{number}: expected a near miss '{name}' among the seeds, got none"
    for number, name in sorted(set(made) - named):
        yield f"near miss '{name}': expected it in the table's row of C{number}"
    for name, count in Counter(name for _, name in made).items():
        if count > 1:
            yield f"near miss '{name}': expected one, got {count}"


# Where things are ---------------------------------------------------------------------


def tags_of(texts: Iterable[str]) -> dict[str, Counter[int]]:
    """How many lines check each condition of each contract."""
    found: dict[str, Counter[int]] = {}
    for text in texts:
        for line in text.splitlines():
            comment = _COMMENT.search(line)
            for tag in _TAG.finditer(comment[1] if comment else ""):
                numbers = tag[2].replace("C", "").split(", ")
                found.setdefault(tag[1], Counter()).update(map(int, numbers))
    return found


@dataclass(frozen=True)
class Found:
    """What the repository has.

    Attributes:
        contracts: Contracts.
        tags: Lines that check a condition, by contract and number.
        seeds: How many programs each contract has.
        misses: Near misses of each contract.
    """

    contracts: Sequence[Contract]
    tags: dict[str, Counter[int]]
    seeds: Counter[str]
    misses: dict[str, list[NearMiss]]

    @classmethod
    def of(cls, compiler: Path = COMPILER, near_misses: Path = NEAR_MISSES) -> Found:
        """Reads the compiler and its near misses."""
        paths = [p for p in sorted(compiler.rglob("*.py")) if "_mlir" not in p.parts]
        texts = {str(path.relative_to(compiler)): path.read_text() for path in paths}
        contracts = [
            contract
            for place, text in texts.items()
            if "Contract `" in text
            for contract in contracts_of(text, place)
        ]
        seeds, misses = _programs(near_misses)
        return cls(contracts, tags_of(texts.values()), seeds, misses)


def _programs(folder: Path) -> tuple[Counter[str], dict[str, list[NearMiss]]]:
    """How many seeds each contract has, and its near misses."""
    for path in (folder, folder.parent / "differential", folder.parent / "emit"):
        if str(path) not in sys.path:
            sys.path.insert(0, str(path))
    seeds, misses = Counter[str](), dict[str, list[NearMiss]]()
    for path in sorted(folder.glob(f"{SEEDS_OF}*.py")):
        contract = path.stem.removeprefix(SEEDS_OF)
        for seed in importlib.import_module(path.stem).SEEDS:
            # A seed that names another contract than its file is nobody's: both fail.
            seeds[contract if seed.contract == contract else path.stem] += 1
            misses.setdefault(contract, []).extend(seed.misses)
    return seeds, misses


def check(found: Found, required: Sequence[str] = REQUIRED) -> dict[str, list[str]]:
    """What is wrong with each contract, those that only tags or seeds name too."""
    wrong: dict[str, list[str]] = {name: [] for name in required}
    for contract in found.contracts:
        wrong.setdefault(contract.name, []).extend(
            faults(
                contract,
                found.tags.get(contract.name, Counter()),
                found.seeds[contract.name],
                found.misses.get(contract.name, []),
            )
        )
    counts = Counter(contract.name for contract in found.contracts)
    for name in {*wrong, *found.seeds}:
        if counts[name] != 1:
            text = f"expected one table in a file of the compiler, got {counts[name]}"
            wrong.setdefault(name, []).append(text)
    return wrong


def _line(found: Found, name: str) -> str:
    """Counts of a contract."""
    rows = [row for c in found.contracts if c.name == name for row in c.rows]
    conditions = [row for row in rows if row.number is not None]
    misses = found.misses.get(name, [])
    return (
        f"{name}: {len(conditions)} conditions, {found.seeds[name]} seeds, "
        f"{len(misses)} near misses"
    )


def main() -> int:
    """Prints counts and faults; 1 if there are faults."""
    found = Found.of()
    wrong = check(found)
    for name, messages in wrong.items():
        print(_line(found, name), *(f"  {text}" for text in messages), sep="\n")
    failed = sum(bool(messages) for messages in wrong.values())
    print(f"{len(wrong) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
