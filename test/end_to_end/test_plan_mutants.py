# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each changed value of a plan is refused or honoured; see plan_mutation.py."""

from __future__ import annotations

from plan_mutation import FIELDS, Subject, is_expected, reason_for


def test_every_value_is_refused_or_honoured() -> None:
    subject = Subject("sm_90")
    assert subject.is_kept()
    fields = {(mutant.where, mutant.field) for mutant in subject.mutants}
    assert fields == {(where, field) for where in FIELDS for field in FIELDS[where]}
    for mutant in subject.mutants:
        outcome = subject.outcome(mutant)
        assert is_expected(outcome, reason_for(mutant, subject)), (mutant, outcome)
