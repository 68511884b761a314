# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of contracts finds what a table, the code or the near misses lack."""

from __future__ import annotations

from collections import Counter

import contracts
import pytest
from near_miss import Miss

REST = ["flags", "values", "order", "blocks", "indices", "extents", "aliasing"]
PASS = "\n".join(
    [
        '"""Folds pairs.',
        "",
        "Contract `pairs`",
        "    Law: a + b = b + a.",
        "",
        "    | | condition | near misses |",
        "    |---|---|---|",
        "    | C1 types | all tiles have one type, which is a long story that goes |",
        "    | C2 captures | nothing is captured | captured |",
        *(f"    | - {aspect} | of no matter | |" for aspect in REST),
        '"""',
        "",
        "is_one = a == b  # pairs C1",
        "# pairs C2",
        "is_free = c == d",
        "",
    ]
).replace("goes |", "goes | f16_row, |\n    | | on | f64_row |")
MISSES = [Miss("f16_row", 1, ()), Miss("f64_row", 1, ()), Miss("captured", 2, ())]


def faults(text: str = PASS, misses: list[Miss] = MISSES, seeds: int = 1) -> list[str]:
    """What the check says of a pass with one contract, `pairs`."""
    found = contracts.Found(
        list(contracts.contracts_of(text, "passes/pairs.py")),
        contracts.tags_of([text]),
        Counter(pairs=seeds),
        {"pairs": list(misses)},
    )
    return contracts.check(found, ("pairs",))["pairs"]


def test_a_whole_contract_has_no_fault():
    (contract,) = contracts.contracts_of(PASS, "passes/pairs.py")
    assert contract.law == "a + b = b + a."
    assert contract.numbers == [1, 2]
    assert contract.rows[0].condition.endswith("goes on")
    assert contract.rows[0].misses == ("f16_row", "f64_row")
    assert not faults()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Contract `pairs`", "Contracts", "expected one table"),
        ("    Law: a + b = b + a.", "", "expected a law"),
        ("    | - flags | of no matter | |\n", "", "expected a row for flags"),
        ("- flags", "- flag", "expected a row '| C1 ASPECT"),
        ("| - flags | of no matter | |", "| - flags |", "expected a row '| C1 ASPECT"),
        ("flags | of no matter |", "flags | |", "- flags: expected a condition or a"),
        ("order | of no matter | |", "order | no | x |", "expected no near misses"),
        ("captured | captured |", "captured | |", "C2 captures: expected near misses"),
        ("C2 captures", "C3 captures", "expected conditions C1 to C2, got [1, 3]"),
        ("# pairs C2", "# pairs", "C2: expected a line of code"),
        ("# pairs C2", "# pairs C2, C4", "C4: a line of code checks it, but"),
        ("f64_row", "i8_row", "C1: expected a near miss 'i8_row'"),
        ("f64_row", "", "near miss 'f64_row': expected it in the table's row of C1"),
    ],
)
def test_a_broken_table_or_line_is_named(old: str, new: str, said: str):
    assert old in PASS
    assert any(said in text for text in faults(PASS.replace(old, new)))


def test_near_misses_of_unknown_conditions_are_named():
    (text,) = faults(misses=[*MISSES, Miss("other", 3, ())])
    assert text == "near miss 'other': expected it in the table's row of C3"
    (text,) = faults(misses=[*MISSES, MISSES[0]])
    assert text == "near miss 'f16_row': expected one, got 2"


def test_a_contract_without_programs_is_named():
    assert faults(seeds=0) == ["expected programs on which it fires, got none"]


def test_seeds_of_no_contract_are_named():
    found = contracts.Found([], {}, Counter(alone=1), {})
    assert list(contracts.check(found, ())) == ["alone"]
