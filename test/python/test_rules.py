# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable

import pytest

from cuda_tile.errors import InternalError, Unsupported
from cuda_tile.rules import RuleTable

Rule = Callable[[], str]


def total() -> str:
    return "sum"


def table() -> RuleTable[Rule]:
    made: RuleTable[Rule] = RuleTable("place")
    made.register("addi", "subi")(total)
    return made


def test_finds_rules_by_name() -> None:
    assert table()["subi"]() == "sum"
    assert "addi" in table()
    assert len(table()) == 2
    assert list(table()) == ["addi", "subi"]


def test_missing_rule_names_stage_and_op() -> None:
    with pytest.raises(Unsupported, match="place: no rule for 'muli'"):
        table()["muli"]
    assert table().missing(["muli", "addi", "divi"]) == ["muli", "divi"]


def test_second_rule_is_an_error() -> None:
    made = table()
    with pytest.raises(InternalError, match="one rule for 'addi', got a second"):
        made.register("addi")(lambda: "again")


def test_rule_is_replaced_for_the_length_of_a_with() -> None:
    made = table()
    with made.replaced("addi", lambda: "mine"):
        assert (made["addi"](), made["subi"]()) == ("mine", "sum")
    assert made["addi"]() == "sum"
    with pytest.raises(RuntimeError), made.replaced("addi", lambda: "mine"):
        raise RuntimeError
    assert made["addi"]() == "sum"


def test_only_a_rule_that_is_there_is_replaced() -> None:
    with pytest.raises(Unsupported, match="no rule for 'muli'"):
        table().replaced("muli", total).__enter__()
