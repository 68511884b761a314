# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A wrong order of passes is refused with a sentence; a right one goes on from text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.options import Options
from cuda_tile.pass_order import DONE_ATTRIBUTE
from cuda_tile.passmanager import PassManager
from cuda_tile.pipeline import NAMES, PIPELINE, Pass, run_pass

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "test" / "kernels" / "13.4" / "matmul_f16_64x64x64.tileirbc"
PASSES = {step.name: step for step in PIPELINE if isinstance(step, Pass)}
ALL = " ".join(NAMES)
OPTIONS = Options("sm_80")


def apply(module: ir.Module, names: str) -> None:
    """Runs passes by name, one after another."""
    with module.context:
        for name in names.split():
            run_pass(PASSES[name], module.operation, OPTIONS)


def loaded() -> ir.Module:
    return cuda_tile.load(KERNEL)


def without(text: str, *names: str) -> str:
    """Some passes in a row without some of them."""
    return " ".join(name for name in text.split() if name not in names)


def swapped(first: str, second: str) -> str:
    """All passes with two of them changed."""
    names = {first: second, second: first}
    return " ".join(names.get(name, name) for name in NAMES)


WRONG = {
    "place first": ("place", "planned for cuda-tile-place; run cuda-tile-plan first"),
    "no place": (
        without(ALL, "place"),
        "placed for cuda-tile-join-reductions; run cuda-tile-place first",
    ),
    "emit at once": (
        "plan emit",
        "synchronised for cuda-tile-emit; run cuda-tile-place to cuda-tile-barriers ",
    ),
    "no order": (
        without(ALL, "order"),
        "ordered for cuda-tile-ring; run cuda-tile-order first",
    ),
    "no barriers": (
        without(ALL, "barriers"),
        "synchronised for cuda-tile-emit; run cuda-tile-barriers first",
    ),
    "no count": (
        without(ALL, "count"),
        "counted for cuda-tile-allocate; run cuda-tile-count first",
    ),
    "plan and place": (
        swapped("plan", "place"),
        "planned for cuda-tile-place; run cuda-tile-plan first",
    ),
    "order and ring": (
        swapped("order", "ring"),
        "ordered for cuda-tile-ring; run cuda-tile-order first",
    ),
    "roles and skew": (
        swapped("roles", "skew"),
        "divided for cuda-tile-skew; run cuda-tile-roles first",
    ),
    "issue and count": (
        swapped("issue", "count"),
        "expected cuda-tile-issue before cuda-tile-count, got a module that is counted",
    ),
    "allocate and barriers": (
        swapped("allocate", "barriers"),
        "allocated for cuda-tile-barriers; run cuda-tile-allocate first",
    ),
    "place and row_tiling": (
        swapped("place", "row_tiling"),
        "expected cuda-tile-persist before cuda-tile-place, got a module that is ",
    ),
    "stage twice": (
        f"{without(ALL, *NAMES[NAMES.index('ring') :])} stage",
        "expected cuda-tile-stage before cuda-tile-order, got a module that is ordered",
    ),
    "place twice": (
        "plan place place",
        "expected a module that is not placed yet for cuda-tile-place; run it once",
    ),
    "plan behind place": (
        "plan place plan",
        "expected cuda-tile-plan before cuda-tile-place, got a module that is placed",
    ),
    "place behind emit": (
        f"{ALL} place",
        "expected cuda-tile-place before cuda-tile-emit, got a module that is lowered",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_order_is_refused(name: str) -> None:
    names, message = WRONG[name]
    with pytest.raises(cuda_tile.UserError, match=message):
        apply(loaded(), names)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_order_is_refused_from_text_to_text(name: str) -> None:
    """What a pass has left says so in its text."""
    names, message = WRONG[name]
    module = loaded()
    with pytest.raises(cuda_tile.UserError, match=message):
        apply_by_text(module, names)


def apply_by_text(module: ir.Module, names: str) -> None:
    """Runs passes, each on the text that the one before it has left."""
    for step in names.split():
        apply(module, step)
        module = cuda_tile.load(str(module).encode())


def test_a_pass_manager_refuses_it() -> None:
    module = loaded()
    flags = "cuda-tile-plan{gpu=sm_80},cuda-tile-place,cuda-tile-ring"
    with module.context:
        manager = PassManager.parse(f"builtin.module({flags})")
        with pytest.raises(cuda_tile.UserError, match="run cuda-tile-stage to cuda-ti"):
            manager.run(module.operation)


@pytest.mark.parametrize("last", NAMES[:-1])
def test_a_text_goes_on_with_the_next_pass(last: str) -> None:
    """Each prefix of the pipeline, saved, and the rest give what all in a row give."""
    whole, module = loaded(), loaded()
    apply(whole, ALL)
    number = NAMES.index(last) + 1
    apply(module, " ".join(NAMES[:number]))
    module = cuda_tile.load(str(module).encode())
    apply(module, " ".join(NAMES[number:]))
    assert str(module) == str(whole)


@pytest.mark.parametrize("last", NAMES[NAMES.index("place") : -1])
def test_a_text_without_marks_is_taken_for_what_the_next_pass_expects(
    last: str,
) -> None:
    module = loaded()
    number = NAMES.index(last) + 1
    apply(module, " ".join(NAMES[:number]))
    text = re.sub(DONE_ATTRIBUTE + r" = \[[^]]*\]", "", str(module))
    assert DONE_ATTRIBUTE not in text
    module = cuda_tile.load(text.encode())
    apply(module, " ".join(NAMES[number:]))
    assert DONE_ATTRIBUTE not in str(module)


def test_a_planned_text_may_be_compiled_from_the_start() -> None:
    planned = cuda_tile.lower(loaded(), options=OPTIONS, until="persist")
    again = cuda_tile.compile(
        cuda_tile.load(str(planned).encode()), options=OPTIONS, cubin=False
    )
    whole = cuda_tile.compile(loaded(), options=OPTIONS, cubin=False)
    lines = [re.sub(r"\t?\.loc.*|\.file.*", "", made.ptx) for made in (again, whole)]
    assert [n.count("mma.sync") for n in lines] == [lines[0].count("mma.sync")] * 2


def test_marks_that_are_no_names_are_refused() -> None:
    text = str(loaded()).replace(
        "module {", f'module attributes {{{DONE_ATTRIBUTE} = ["two words"]}} {{', 1
    )
    with pytest.raises(
        cuda_tile.UserError, match=r"expected a list of names as .*done"
    ):
        apply(cuda_tile.load(text.encode()), "plan")


def test_every_need_is_given_by_an_earlier_pass() -> None:
    given: set[str] = set()
    for step in PASSES.values():
        assert set(step.needs) <= given, step.name
        given.add(step.gives)
