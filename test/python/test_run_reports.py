# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interpreter and emulator take the same choices, and give reports of one form."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile.emulator import FindingError
from cuda_tile.errors import UserError
from cuda_tile.runtime.options import JUDGES, MODES, Judge
from cuda_tile.runtime.report import Finding, RunReport

TEXT = """cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %i, %j, %l = get_tile_block_id : tile<i32>
    %at = muli %i, %n : tile<i32>
    %q = offset %p, %at : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t = store_ptr_tko weak %q, %i : tile<ptr<i32>>, tile<i32> -> token
    print_tko "block %i" : -> token
    return
  }
}"""


def report(on: Judge, step: int, **choices: Any) -> RunReport[Finding]:
    """Two tile blocks store to elements 0 and `step`."""
    module = cuda_tile.load(TEXT.replace(' "block %i" : ', ' "block" ').encode())
    args = [np.zeros(4, np.int32), np.int32(step)]
    return cuda_tile.run(module, grid=2, args=args, on=on, **choices)


def _plain(said: object) -> str:
    """A message without addresses, which each run has others of."""
    return re.sub(r"0x[0-9a-f]+", "ADDRESS", str(said))


@pytest.mark.parametrize("on", JUDGES)
def test_what_all_reports_have(on: Judge) -> None:
    made = report(on, 1)
    assert isinstance(made, RunReport)
    assert made.kernel == "k"
    assert list(made.findings) == []
    assert made.stdout.count("block") == 2
    assert list(made.warnings) == []
    assert "not other orders" in made.checked
    assert made.steps > 10


@pytest.mark.parametrize("on", JUDGES)
@pytest.mark.parametrize(("step", "said"), [(0, "race|both"), (99, "outside")])
def test_findings_raise_or_are_collected(on: Judge, step: int, said: str) -> None:
    with pytest.raises(UserError) as caught:
        report(on, step, mode="adversarial")
    made = report(on, step, mode="adversarial", collect=True)
    (finding,) = made.findings
    assert isinstance(finding, Finding)
    assert finding.kernel == "k"
    assert (finding.kind == "race") == (step == 0)
    message, raised = map(_plain, (finding.message, caught.value))
    assert message in raised
    assert re.search(said, str(finding))
    assert finding.to_json()["message"] == finding.message
    assert finding.where.startswith("k")


@pytest.mark.parametrize("on", JUDGES)
@pytest.mark.parametrize("mode", MODES)
def test_modes_of_both(on: Judge, mode: str) -> None:
    looks = mode in ("strict", "adversarial") or (mode, on) in {
        ("hardware", "interp"),
        ("fast", "interp"),
    }
    made = report(on, 0, mode=mode, collect=True)
    assert bool(made.findings) == looks, (made.findings, made.checked)


@pytest.mark.parametrize("on", JUDGES)
def test_limits(on: Judge) -> None:
    with pytest.raises(UserError):
        report(on, 1, limit=2)


def test_false_assertions_are_collected() -> None:
    text = TEXT.replace(
        '    print_tko "block %i" : -> token\n',
        "    %z = constant <i32: 1> : tile<i32>\n"
        "    %c = cmpi equal %i, %z, signed : tile<i32> -> tile<i1>\n"
        '    assert %c, "only one" : tile<i1>\n',
    )
    array = np.zeros(4, np.int32)
    args = [array, np.int32(1)]
    module = cuda_tile.load(text.encode())
    made = cuda_tile.run(module, grid=2, args=args, collect=True)
    assert [finding.kind for finding in made.findings] == ["assert"]
    assert list(array) == [0, 1, 0, 0]


def test_findings_of_the_emulator_are_what_they_were() -> None:
    with pytest.raises(FindingError) as caught:
        report("emulator", 0, mode="adversarial")
    finding = caught.value.finding
    assert finding.line > 0
    assert finding.kind == "race"
    assert finding.to_json().keys() >= {"kind", "message", "kernel", "line", "source"}
