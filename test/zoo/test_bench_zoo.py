# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of bench/zoo against NumPy: interpreter, and emulator of four chips."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
from zoo import ours
from zoo.case import Launch, near, normal, wide
from zoo.fields import load

CASES = load()
GPUS = ("sm_80", "sm_90", "sm_100", "sm_120")


@cache
def module(name: str) -> Any:
    """A kernel at level T; nobody changes it."""
    return ours.module_of(CASES[name])


def test_half_of_each_field_is_kept_apart() -> None:
    halves = Counter((case.field, case.is_apart) for case in CASES.values())
    assert len(CASES) >= 80
    for field in {case.field for case in CASES.values()}:
        assert halves[field, False] - halves[field, True] in (0, 1)


def test_a_wrong_result_is_told() -> None:
    x = normal("f16", 8)
    launch = Launch((1,), [x], {0: near(wide(x), "f16")})
    assert not launch.wrong()
    x[3] += 1
    assert launch.wrong().startswith("WRONG: argument 0 is off by 1")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", sorted(CASES))
def test_interpreter(name: str) -> None:
    ran = ours.run(CASES[name], module(name))
    assert not ran.launch.wrong()
    assert not ran.report.warnings


@pytest.mark.sampled(16)
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("name", sorted(CASES))
def test_emulator(name: str, gpu: str) -> None:
    choices = {"on": "emulator", "gpu": gpu, "mode": "adversarial", "seed": 1}
    assert not ours.run(CASES[name], module(name), **choices).launch.wrong()
