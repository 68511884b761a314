# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of docs/table.md finds what is missing, wrong or worse without a reason."""

from __future__ import annotations

from typing import Any

import kernel_table
import pytest
from table_cases import CASES, GPUS

KERNEL, GPU = "vadd_f32_1024", "sm_80"


def changed(who: str, **change: Any) -> list[str]:
    """What is said if a line of one kernel is another."""
    _, found = kernel_table.read()
    (lines,) = (x for x in found if (x.kernel, x.gpu) == (KERNEL, GPU))
    lines.by_whom[who] |= change
    return [*kernel_table.faults(found)]


def with_cells(who: str, **cells: str) -> list[str]:
    """The same, for some of its cells."""
    _, found = kernel_table.read()
    (lines,) = (x for x in found if (x.kernel, x.gpu) == (KERNEL, GPU))
    lines.by_whom[who]["cells"] |= cells
    return [*kernel_table.faults(found)]


def test_what_was_measured_is_right() -> None:
    assert changed("now") == []


@pytest.mark.parametrize("who", ["now", "Triton"])
def test_a_wrong_result(who: str) -> None:
    assert changed(who, note="WRONG: argument 2") == [
        f"{KERNEL} {GPU}: {who}: WRONG: argument 2"
    ]


def test_a_column_is_missing() -> None:
    (said,) = changed("now", cells={"regs": "1"})
    assert "expected all columns, got ['regs']" in said


@pytest.mark.parametrize("column", kernel_table.NO_WORSE)
def test_worse_without_a_reason(column: str) -> None:
    assert with_cells("now", **{column: "1000000"}) == [
        f"{KERNEL} {GPU}: worse in {column}; mend it or say why"
    ]


def test_a_kernel_is_missing() -> None:
    _, found = kernel_table.read()
    left = [x for x in found if x.kernel != KERNEL]
    said = [*kernel_table.faults(left)]
    assert len(said) == len(GPUS)
    assert all("not measured" in line for line in said)


@pytest.mark.parametrize("name", CASES)
def test_launches_have_results(name: str) -> None:
    """NumPy's results are of the shapes of the arrays that they are compared with."""
    run = CASES[name].make()
    assert run.wanted
    for place, (exact, _) in run.wanted.items():
        assert exact.size == run.values[place].size
    assert run.wrong(run.values)
