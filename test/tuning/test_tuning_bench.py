# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/tuning.py: a measured row, what rows say, and the page of the last run."""

from __future__ import annotations

from pathlib import Path

import tuning
from tuning import Row

ROOT = Path(__file__).resolve().parents[2]


def test_a_row_of_all_plans() -> None:
    row = tuning.measure("vadd_f32_1024", "sm_80", 2)
    assert row.possible == row.plans == 5
    assert 0 < row.tried <= row.possible
    assert row.own is not None
    assert row.best <= row.tuned <= row.own
    assert row.note or row.own_regret <= tuning.SLACK


def test_what_rows_say_together() -> None:
    rows = [
        Row("a", "sm_80", 9, 4, 2, own=100.0, tuned=100.0, best=100.0, seconds=1.0),
        Row("b", "sm_80", 9, 4, 2, own=120.0, tuned=110.0, best=100.0, seconds=1.0),
        Row("c", "sm_80", 9, 2, 2, own=None, tuned=50.0, best=50.0, seconds=3.0),
        Row("d", "sm_80", note="refused"),
    ]
    said = tuning.summary(rows)
    assert "3 rows. " in said
    assert "of the choice by count in 1, and within 5 % in 1; mean regret 10.0%" in said
    assert "best of all plans in 2; mean regret 3.3%, most 10.0%" in said
    assert said.endswith("10 candidates in 5 s, 2.0 in a second.")


def test_the_page_has_the_last_run() -> None:
    rows = tuning.load(ROOT / "bench" / "tuning.json")
    assert tuning.table(rows) in (ROOT / "docs" / "tuning.md").read_text()
    for row in rows:
        assert row.note or row.own_regret <= tuning.SLACK, row
