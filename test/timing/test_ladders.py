# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the ladders say of the model: measures by hand, and that the page is theirs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import rebuild
from published import STEPS


def results(*pairs: tuple[float, float]) -> list[rebuild.Result]:
    """Results by predicted and published speed."""
    return [
        rebuild.Result(replace(STEPS[0], tflops=known), 0, said, 0, 0, "L2")
        for said, known in pairs
    ]


def test_measures() -> None:
    found = results((110, 100), (180, 200), (330, 300))
    assert rebuild.error(found) == pytest.approx(0.1)
    assert rebuild.correlation(found) == pytest.approx(1)
    assert rebuild.regret(found) == 0
    assert rebuild.regret(results((5, 100), (4, 150))) == pytest.approx(0.5)
    assert rebuild.correlation(results((1, 3), (2, 2), (3, 1))) == pytest.approx(-1)
    ties = results((5, 1), (5, 2), (5.001, 3), (9, 4))
    assert rebuild.correlation(ties) == pytest.approx(0.775, abs=0.001)
    assert rebuild.correlation(ties[::-1]) == pytest.approx(0.775, abs=0.001)
    assert rebuild.regret(results((5, 100), (5, 150), (4, 120))) == pytest.approx(0.5)


def test_each_ladder_has_two_halves() -> None:
    for ladder in {step.ladder for step in STEPS}:
        halves = {s.half for s in STEPS if s.ladder == ladder}
        assert halves in ({"open", "apart"}, {"seen"})


def test_what_is_blind_is_as_it_was_predicted() -> None:
    """Whoever changes the model keeps the first prediction beside the new one."""
    said = json.loads(Path(rebuild.__file__).with_name("blind.json").read_text())
    for step in STEPS:
        if step.half == "seen":
            assert f"{step.kernel.removeprefix('learn-cuda ')} {step.gpu}" in said


def test_the_page_has_what_was_found() -> None:
    found = rebuild.known(rebuild.read())
    assert rebuild.table(found) in rebuild.PAGE.read_text()


def test_no_bound_exceeds_what_was_published() -> None:
    """Of the very kernels; a bound at the likely clock is no slower than reality."""
    found = [r for r in rebuild.known(rebuild.read()) if r.step.is_same]
    assert found
    assert [r.step for r in found if r.bound < r.step.tflops] == []
