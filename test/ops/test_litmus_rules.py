# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Without its rules on acquire and release the pass `order` leaves races behind."""

from __future__ import annotations

import litmus_cases
import pytest
from op_case import check_case

from cuda_tile.emulator import FindingError
from cuda_tile.ir.memory_order import MemoryOrder


@pytest.mark.parametrize(
    ("rule", "name"), [("acquires", "few-acquire"), ("releases", "few-release")]
)
def test_a_kernel_notices(
    rule: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (case,) = (case for case in litmus_cases.CASES if case.name == name)
    check_case(case, "sm_90")
    monkeypatch.setattr(MemoryOrder, rule, property(lambda order: False))
    with pytest.raises(FindingError, match="race"):
        check_case(case, "sm_90")
