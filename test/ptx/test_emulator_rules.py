# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mutants of the emulator's rules can be made, and the tests named with them exist.

`tools/checks/emulator_mutation.py` runs them.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import test_detector_lanes
import test_detector_list
from emulator_rules import RULES, Rule

HERE = Path(__file__).parent
LISTS = {
    "test_detector_lanes.py": test_detector_lanes.FAULTS,
    "test_detector_list.py": test_detector_list.FAULTS,
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.about)
def test_a_mutant_is_python_that_differs(rule: Rule) -> None:
    assert rule.applied() != rule.path.read_text()
    ast.parse(rule.applied())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.about)
def test_its_tests_exist(rule: Rule) -> None:
    assert rule.tests
    for test in rule.tests:
        file, _, name = test.partition("::")
        function, _, parameter = name.rstrip("]").partition("[")
        tree = ast.parse((HERE / file).read_text())
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert function in names
        if parameter and function in (
            "test_a_fault_is_reported",
            "test_the_right_form_is_silent",
        ):
            assert parameter in LISTS[file]
