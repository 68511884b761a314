# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `tools/test` runs by default, and what only when it is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from run_tests import ALONE, ON_DEMAND, STEPS, arguments, own_checks


def test_by_default_each_step_runs_but_those_on_demand() -> None:
    assert arguments([]).steps == [*STEPS, *ALONE]


@pytest.mark.parametrize("name", list(ON_DEMAND))
def test_a_step_on_demand_runs_when_it_is_named(name: str) -> None:
    assert arguments([name]).steps == [name]


def test_an_unknown_step_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        arguments(["litt"])
    assert "expected steps of types" in capsys.readouterr().err


def test_checks_that_take_samples_are_told_to() -> None:
    told = {job.args[0].stem: job.args[1:] for job in own_checks("--sample")}
    assert told["ring_mutation"] == ("--sample",)
    assert told["chips"] == ()
