# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `tools/test` runs by default, and what only when it is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from changed import Choice
from run_tests import (
    ALONE,
    ON_DEMAND,
    SLOW,
    STEPS,
    Outcome,
    arguments,
    longest_first,
    name_of,
    own_checks,
    phases,
    related,
    run,
    timed,
)


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


def test_slow_checks_begin_first() -> None:
    checks = [job for step in STEPS.values() for job in step()]
    ordered = [name_of(job) for job in longest_first(checks)]
    assert ordered[: len(SLOW)] == list(SLOW)
    assert sorted(ordered) == sorted(name_of(job) for job in checks)


def test_a_report_is_shown_where_all_is_well(
    capsys: pytest.CaptureFixture[str],
) -> None:
    timed(lambda: Outcome("ecosystem", 1, 0, "our kernels since"))
    timed(lambda: Outcome("chips", 1, 0, "what nobody needs"))
    said = capsys.readouterr().out
    assert "our kernels since" in said
    assert "what nobody needs" not in said


def test_a_change_leaves_out_slow_checks_that_it_cannot_touch() -> None:
    choice = Choice(near={"test/a.py": ""}, far={"test/b.py": "", "test/c.py": ""})
    choice.checks["ring_mutation"] = "imports it"
    checks, suites = related(choice)
    names = {name_of(job) for job in checks}
    assert {"basedpyright", "ruff check", "size", "ring_mutation"} <= names
    assert not {"readme", "emulator_mutation"} & names
    parts = [getattr(suite, "args", ()) for suite in suites]
    assert parts == [
        ("--sample", "test/a.py"),
        ("--sample", "--every=12", "test/b.py", "test/c.py"),
    ]


def test_a_change_is_not_combined_with_steps(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert arguments(["--changed"]).changed == ""
    assert arguments(["--changed", "HEAD~3"]).changed == "HEAD~3"
    with pytest.raises(SystemExit):
        arguments(["--all", "--changed"])
    assert "expected --changed alone" in capsys.readouterr().err


def test_what_runs_may_store_compiled_modules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a fresh clone there are none, and a container may ask for none."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    said = run(sys.executable, "-c", "import sys; print(sys.dont_write_bytecode)")
    assert said.stdout == "False\n"


def test_phases_are_timed() -> None:
    results = [Outcome("a", 1, 0, "", 30), Outcome("b", 1, 0, "", 20)]
    results.append(Outcome("lit", 1, 0, "", 60))
    said = "time: checks 35 s, lit 60 s; 2.5 minutes of CPU time"
    assert phases(results, 2, 95, 150) == said
