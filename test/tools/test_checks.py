# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The project's own checks find the errors that they are for."""

from __future__ import annotations

import ast

import op_lists
import pairs
import pytest
import readme
import size
import status

import cuda_tile
from cuda_tile import ods
from cuda_tile.errors import InternalError
from cuda_tile.ir.walk import nested_ops

CPP = """\
namespace {

struct Big {
  int a;
};

LogicalResult verify(Operation *op,
                     int count) {
  if (count) {
    return failure();
  }
  return success();
}

} // namespace

int one() { return 1; }

void two() {
}
"""


def test_cpp_functions_begin_and_end_in_the_first_column():
    found = [(start, lines) for _, start, lines in size.cpp_functions(CPP)]
    assert found == [(7, 7), (19, 2)]


def test_python_functions_are_measured_nested_ones_too():
    text = "def f():\n    def g():\n        pass\n    return g\n"
    assert sorted(size.python_functions(text)) == [("f", 1, 4), ("g", 2, 2)]


def test_console_blocks_are_cut_into_commands():
    block = "$ a \\\n    b\nx\ny\n$ c\n"
    assert readme.steps_of(block) == [
        readme.Step("a \\\n    b", ["x", "y"]),
        readme.Step("c", []),
    ]


@pytest.mark.parametrize(
    ("expected", "actual", "is_same"),
    [
        (["a"], ["a"], True),
        (["a"], ["b"], False),
        (["a"], ["a", "b"], False),
        (["a", "..."], ["a", "b", "c"], True),
        (["...", "c"], ["a", "b", "c"], True),
        (["a", "...", "d"], ["a", "b", "c"], False),
        (["grid 2, 0.123 s"], ["grid 2, 4.5 s"], True),
        (["grid 2, 0.123 s"], ["grid 3, 0.123 s"], False),
        (["at 0x12ab"], ["at 0x34"], True),
    ],
)
def test_output_is_compared_with_times_masked(
    expected: list[str], actual: list[str], is_same: bool
):
    assert readme.matches(expected, actual) is is_same


STATUS = """
| family | ops | interp | place | emit |
|---|---|---|---|---|
| math | 17 | all | all | 4 of 17 |
| tileas | 6 | all | - | all |
"""


@pytest.mark.parametrize(
    ("before", "now", "lost"),
    [
        ("4 of 17", "3 of 17", "'emit' to know 4 ops of math or more, got 3"),
        ("| - | all |", "| - | 5 of 6 |", "'emit' to know 6 ops of tileas or more"),
        ("17 | all | all", "17 | all | -", "'place' to know 17 ops of math or more"),
    ],
)
def test_a_count_of_the_status_table_that_falls_is_named(
    before: str, now: str, lost: str
):
    (text,) = status.fallen(STATUS, STATUS.replace(before, now))
    assert lost in text


def test_counts_of_the_status_table_may_rise_and_families_may_come():
    now = STATUS.replace("4 of 17", "5 of 17") + "| scan | 1 | all | - | 0 of 1 |\n"
    assert not status.fallen(STATUS, now)
    assert not status.fallen("", STATUS)


def test_pairs_are_named_by_operand_and_element():
    text = b"""cuda_tile.module @m {
      global @g <i8: [1, 2]> : tile<2xi8>
      entry @k(%p: tile<ptr<bf16>>, %m: tile<i1>) {
        %v, %t = load_ptr_tko weak %p, %m : tile<ptr<bf16>>, tile<i1>
          -> tile<bf16>, token
        return
      }
    }"""
    module = cuda_tile.load(text)
    found = {p for op in nested_ops(module.operation) for p in pairs.pairs_of(op)}
    assert found == {
        ("global", "value", "i8"),
        ("load_ptr_tko", "source", "bf16"),
        ("load_ptr_tko", "mask", "i1"),
        ("load_ptr_tko", "result", "bf16"),
    }


def test_pairs_that_no_program_has_are_left_out():
    every = set(pairs.universe())
    assert ("addf", "lhs", "bf16") in every
    assert ("addf", "lhs", "i32") not in every  # the ODS does not allow it
    assert ("load_ptr_tko", "source", "f4E2M1FN") in every
    assert ("load_ptr_tko", "source", "i4") not in every
    assert ("atomic_cas_tko", "cmp", "f16") not in every  # the verifier does not
    assert ("if", "results", "ptr") in every


def lists_in(text: str) -> list[list[str]]:
    tree = ast.parse(text)
    return [names for _, names in op_lists.lists_in(tree, op_lists.constants_in(tree))]


@pytest.mark.parametrize(
    "text",
    [
        '_LOADS = ("cuda_tile.load_view_tko", "cuda_tile.load_ptr_tko")',
        'def f(op):\n    return op.name in {"cuda_tile.exp", "cuda_tile.exp2"}',
        '_SAME = {f"cuda_tile.{stem}" for stem in ("reshape", "permute")}',
        'A, B = "tileas.take", "tileas.release"\n_STEPS = [A, B]',
        '_MORE = (*_SOME, "addi", "subi")',
    ],
)
def test_a_new_list_of_ops_is_found(text: str):
    assert len(lists_in(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        'A, B = "tileas.take", "tileas.release"',
        '_NAMES = {"addi": "add", "subi": "sub"}',
        '_RULES = dict.fromkeys(("addi", "subi"), _sum)',
        '@RULES.register(*("addi", "subi"))\ndef f(): ...',
        '_LINEAR = ops_by_rule("keeps neighbours", "addi", "subi")',
        '_WORDS = ("addi", "anything")',
        '_ONE = LOADS | {"cuda_tile.exp"}',
    ],
)
def test_rules_are_no_lists_of_ops(text: str):
    assert not lists_in(text)


def test_a_rule_names_ops_that_there_are():
    with pytest.raises(InternalError, match=r"expected a reason.*'addj'"):
        ods.ops_by_rule("adds", "addi", "addj")
