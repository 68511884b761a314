# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates without a host: Tile IR and PTX, and references that launch them."""

from __future__ import annotations

from pathlib import Path

import pytest
from suite_runs import SUITE

import cuda_tile
from cuda_tile.errors import UserError
from cuda_tile.judge import Limits, judge_file
from cuda_tile.judge.court import Rules

SAXPY, ROWS = SUITE / "kernel_saxpy", SUITE / "kernel_rows"
QUICK = Limits(rules=Rules(emulate=False))


def with_launch(tmp_path: Path, launch: str) -> Path:
    """The reference of the rows with another function launch."""
    text = (ROWS / "reference.py").read_text()
    found = tmp_path / "reference.py"
    found.write_text(text[: text.index("def launch")] + launch)
    return found


def test_bytecode_is_judged_as_its_text(tmp_path):
    for name in ("right_view", "faulty_one_place"):
        text = ROWS / f"{name}.mlir"
        bytecode = tmp_path / f"{name}.tileirbc"
        cuda_tile.save(cuda_tile.load(text), bytecode)
        one, two = (
            judge_file(each, ROWS / "reference.py", QUICK, seed=3)
            for each in (text, bytecode)
        )
        assert one.word == two.word == name.partition("_")[0]


def test_a_finding_says_where():
    verdict = judge_file(
        SAXPY / "wrong_factor.ptx", SAXPY / "reference.py", QUICK, seed=3
    )
    place = verdict.findings[0].place
    assert place["array"] == "output 0"
    assert place["case"] == "0 (float32[256] float32[256])"
    assert 0 <= place["element"][0] < 256


def test_the_largest_small_case_is_emulated_and_counted():
    verdict = judge_file(SAXPY / "right_fma.ptx", SAXPY / "reference.py", seed=3)
    assert verdict.word == "right"
    # 2,048 elements are 64 warps of 20 instructions each.
    assert verdict.counts["instructions"]["candidate"] == 64 * 20
    assert verdict.counts["instructions"]["reference"] > 0
    assert verdict.sandbox["the judge's process"]


@pytest.mark.parametrize(
    ("launch", "said"),
    [
        ("", "expected a function launch for 'right_view.mlir'"),
        (
            "def launch(empty, x):\n    return None\n",
            "expected launch to give a Launch",
        ),
        ("def launch(empty, x):\n    return []\n", "expected launch to give a Launch"),
        (
            "def launch(empty, x):\n    m, n = x.shape\n    z = empty(m)\n"
            "    return Launch(m, (x, m, n, z))\n",
            "expected outputs of launch like the reference's",
        ),
        (
            "def launch(empty, x):\n    m, n = x.shape\n    z = empty((m, 1))\n"
            "    return Launch(m, (x, m, n, z), outputs=(z,))\n",
            "expected outputs of launch like the reference's",
        ),
    ],
    ids=["none", "nothing", "no-launch", "no-outputs", "another-shape"],
)
def test_a_reference_that_launches_nothing_right_is_refused(tmp_path, launch, said):
    reference = with_launch(tmp_path, launch)
    with pytest.raises(UserError, match=said):
        judge_file(ROWS / "right_view.mlir", reference, QUICK)


def test_a_launch_with_other_arguments_is_the_candidates_fault(tmp_path):
    reference = with_launch(
        tmp_path,
        "def launch(empty, x):\n    z = empty(x.shape[0])\n"
        "    return Launch(x.shape[0], (x, z), outputs=(z,))\n",
    )
    verdict = judge_file(ROWS / "right_view.mlir", reference, QUICK)
    assert verdict.word == "faulty"
    assert "the launch failed" in verdict.findings[0].reason
