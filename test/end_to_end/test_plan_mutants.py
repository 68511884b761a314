# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each changed value of a plan is refused or honoured; see plan_mutation.py."""

from __future__ import annotations

import pytest
from plan_mutation import FIELDS, KERNELS, Subject, is_expected, reason_for


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_value_is_refused_or_honoured(kernel: str) -> None:
    subject = Subject("sm_90", kernel)
    assert subject.is_kept()
    fields = {(mutant.where, mutant.field) for mutant in subject.mutants}
    kinds = FIELDS if kernel == "plain" else ("product",)
    assert fields == {(where, field) for where in kinds for field in FIELDS[where]}
    for mutant in subject.mutants:
        outcome = subject.outcome(mutant)
        assert is_expected(outcome, reason_for(mutant, subject)), (mutant, outcome)
