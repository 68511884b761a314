# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A slice of the random programs, and those that once failed.

`tools/differential --programs 2000` looks at as many as one likes.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from differential_case import Case, make_case
from differential_check import LEVELS_W, Failure, check
from differential_coverage import DECLARED, OpClass, gaps
from differential_plans import DIVIDED, IN_PARTS, MADE, OPENED, REUSED
from differential_reduce import reduce_case
from differential_run import GPUS, chosen, run_program
from differential_steps import COMPLETE_OPS, CYCLE, TENSOR, make_recipe, write_program

pytestmark = pytest.mark.sampled(4)

FOUND = sorted((Path(__file__).parent / "Inputs").rglob("*.mlir"))
TENSOR_GPUS = ("sm_100", "sm_103")
TENSOR_PROGRAMS = 40
PROGRAMS = 200
PARTS = 10


@pytest.mark.parametrize("part", range(PARTS))
def test_every_judge_agrees(part: int) -> None:
    for number, (kind, seed) in enumerate(chosen(CYCLE, 0, PROGRAMS)):
        if number % PARTS != part:
            continue
        gpu = GPUS[number // len(CYCLE) % len(GPUS)]
        outcome = run_program(kind, seed, (gpu,), small=False)
        assert outcome.failure is None, f"{outcome.failure}\n{outcome.small}"


@pytest.mark.parametrize("gpu", TENSOR_GPUS)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_judge_agrees_on_tensor_memory(part: int, gpu: str) -> None:
    for seed in range(part, TENSOR_PROGRAMS, PARTS):
        outcome = run_program(TENSOR, seed, (gpu,), small=False, has_fast=False)
        assert outcome.failure is None, f"{outcome.failure}\n{outcome.small}"


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_once_failed(path: Path) -> None:
    text = path.read_text()
    named = re.search(r"// On (sm_\d+)", text)
    gpus = GPUS if named is None else (named[1],)
    failure = check(Case.parse(text, path.name), gpus, seeds=2, levels=len(LEVELS_W))
    assert failure is None, str(failure)


def test_programs_have_every_construct() -> None:
    notes, ops = Counter[str](), Counter[OpClass]()
    counts = {kind: 60 for kind in CYCLE} | {
        "ops": COMPLETE_OPS,
        "chains": 150,
        "streams": 120,
    }
    for kind, count in counts.items():
        for seed in range(count):
            notes += write_program(make_recipe(kind, seed)).notes
    missing = [
        line for line in gaps(notes, ops) if not line.startswith("no program has ")
    ]
    compiled = {*MADE, OPENED, DIVIDED, REUSED, IN_PARTS}
    made = {f"no program has: {name}" for name in compiled}
    wrong = [line for line in missing if "has: " in line or "declared" in line]
    assert set(wrong) == made
    assert set(notes) == set(DECLARED) - compiled  # which a compilation notes


def test_a_case_is_what_its_text_says() -> None:
    recipe = make_recipe("chain", 3)
    case = make_case(recipe, write_program(recipe))
    again = Case.parse(str(case), case.name)
    assert replace(again, body=case.body) == case
    with pytest.raises(ValueError, match="expected lines that begin with"):
        Case.parse("cuda_tile.module @m {}", "empty")


def test_the_same_recipe_gives_the_same_text() -> None:
    texts = {write_program(make_recipe("loop", 5)).entry() for _ in range(2)}
    assert len(texts) == 1


def test_reduced_programs_still_fail() -> None:
    """A judge that dislikes `for`: what is left has one and little else."""
    recipe = make_recipe("loop", 1)

    def dislikes(case: Case) -> Failure | None:
        arguments = len(re.findall(r"%arg\d+:", case.body))
        assert arguments in (0, len(case.args))  # 0 before it is printed anew
        return Failure("here", "for", "") if " = for " in case.body else None

    case = make_case(recipe, write_program(recipe))
    failure = dislikes(case)
    assert failure is not None
    small, again = reduce_case(case, failure, dislikes)
    assert again == failure
    assert dislikes(small) is not None
    assert small.body.count(" = ") <= 5
    assert len(small.args) < len(case.args)
    assert small.grid == 1
    assert small.num_warps == 1
    assert Case.parse(str(small), "small").args == small.args
