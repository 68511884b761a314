# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A slice of the programs of `tools/near_misses`, and tests of what makes and judges.

`tools/near_misses --programs 10000` looks at as many as one likes.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import Any

import differential_check
import numpy as np
import pytest
import sensitivity
from children import Death, in_children
from differential_case import Case
from emit_data import Array
from mutation import MUTATIONS
from near_miss_check import case_of, seeds
from near_miss_judge import judge
from near_miss_programs import mutant
from near_miss_run import Table, run_program, sources, survive_program
from survival import survive

import cuda_tile
from cuda_tile import pipeline
from cuda_tile.errors import InternalError

PROGRAMS = 120
"""About 15 CPU s."""
PARTS = 4
SURVIVORS = 10
GROUPS = sources([], [])
SUM = """\
// differential: seed=1 grid=1 warps=1
// differential: array 0 f32 size=64 start=0 shape=64 strides=1 values=VALUES
// differential: array 1 f32 size=1 start=0 shape=1 strides=1
cuda_tile.module @m {
  entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>) {
    %i = iota : tile<64xi32>
    %a16 = assume div_by<16>, %a : tile<ptr<f32>>
    %a1 = reshape %a16 : tile<ptr<f32>> -> tile<1xptr<f32>>
    %as = broadcast %a1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
    %p = offset %as, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
    %x, %k = load_ptr_tko weak %p : tile<64xptr<f32>> -> tile<64xf32>, token
    %s = reduce %x dim=0 identities=[0.0 : f32] : tile<64xf32> -> tile<f32>
    (%e: tile<f32>, %f: tile<f32>) {
      %g = addf %e, %f : tile<f32>
      yield %g : tile<f32>
    }
    %w = store_ptr_tko weak %b, %s : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
"""


@pytest.mark.parametrize("part", range(PARTS))
def test_programs_beside_seeds_are_right(part: int) -> None:
    for number in range(part, PROGRAMS, PARTS):
        outcome = run_program(GROUPS, number)
        changes = "; ".join(map(str, outcome.changes))
        failure = outcome.verdict.failure
        assert outcome.verdict.outcome != "finding", f"{changes}: {failure}"


def test_the_same_number_gives_the_same_program() -> None:
    case = case_of(next(seeds()))
    assert mutant(case, 7) == mutant(case, 7)
    made = [mutant(case, number) for number in range(40)]
    assert len({str(m.case) for m in made}) > 30
    assert {len(m.changes) for m in made} == {1, 2}


@pytest.mark.parametrize("kind", MUTATIONS)
def test_every_mutation_makes_programs(kind: str) -> None:
    cases = [sum_of("any"), *(case_of(seed) for seed in seeds())]
    made = (mutant(case, number, [kind]) for case in cases for number in range(20))
    assert any(m.case is not None and m.changes for m in made)


# Judges -------------------------------------------------------------------------------


def sum_of(values: str) -> Case:
    return Case.parse(SUM.replace("VALUES", values), "sum")


def test_a_sum_may_be_rounded_otherwise_and_no_more() -> None:
    case = sum_of("ordinary")
    module = cuda_tile.load(case.body.encode())
    memories, args = case.memories()
    cuda_tile.run(module, "k", grid=(1,), args=args)
    (exact, total) = sensitivity.allowed(case, module, memories)
    assert not exact.any()
    assert 0 < total[0] < 1e-3


def test_a_wrong_sum_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    case = sum_of("ordinary")
    assert judge(case, None, "sm_80").outcome == "right"
    right = differential_check.run

    def changed(case: Case, module: Any, **choices: Any) -> list[Array]:
        memories = right(case, module, **choices)
        memories[1][0] += np.float32(choices["on"] == "emulator")
        return memories

    monkeypatch.setattr(differential_check, "run", changed)
    verdict = judge(case, None, "sm_80")
    assert verdict.outcome == "finding"
    assert verdict.failure is not None
    assert verdict.failure.kind == "mismatch"


def test_programs_that_are_no_programs_are_told_apart() -> None:
    case = sum_of("any")
    invalid = replace(case, body=case.body.replace("dim=0", "dim=1"))
    assert judge(invalid, None, "sm_80").outcome == "invalid"
    outside = replace(case, body=case.body.replace("64", "128"))
    assert judge(outside, None, "sm_80").outcome == "illegal"


# Processes and counts -----------------------------------------------------------------


def task(number: int) -> int:
    if number == 2:
        os._exit(3)
    if number == 4:
        time.sleep(60)
    return number * number


def test_a_task_that_dies_or_hangs_takes_no_other() -> None:
    results = dict(in_children(task, range(6), 2, seconds=2))
    assert results == {
        0: 0,
        1: 1,
        2: Death("died (3)"),
        3: 9,
        4: Death("hung"),
        5: 25,
    }


def test_programs_die_of_no_command() -> None:
    for number in range(SURVIVORS):
        outcome = survive_program(GROUPS, number)
        assert outcome.verdict.outcome != "finding", str(outcome.verdict.failure)


def test_an_internal_error_of_a_command_is_a_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(module: object, options: object) -> None:
        raise InternalError(f"expected no {type(module).__name__}")

    monkeypatch.setattr(pipeline, "to_ptx", broken)
    failure = survive(sum_of("any"), 1, "sm_80")
    assert failure is not None
    assert failure.kind == "internal error"


def test_what_a_run_counts_is_in_its_table() -> None:
    table = Table()
    table.add("some", run_program(GROUPS, 0))
    assert "some" in str(table)
