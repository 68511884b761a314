# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the cases of every family of ops on all judges."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from op_case import OpCase, check_case

pytestmark = pytest.mark.sampled(9)

FILES = sorted(Path(__file__).parent.glob("*_cases.py"))


def _cases() -> list[tuple[str, OpCase]]:
    return [
        (file.stem.removesuffix("_cases"), case)
        for file in FILES
        for case in import_module(file.stem).CASES
    ]


@pytest.mark.parametrize(
    ("case", "gpu"),
    [
        pytest.param(case, gpu, id=f"{family}-{case.name}-{gpu}")
        for family, case in _cases()
        for gpu in case.chips
    ],
)
def test_judges_agree(case: OpCase, gpu: str) -> None:
    check_case(case, gpu)
