# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each changed op of a ring is noticed; all kernels: tools/checks/ring_mutation.py."""

from __future__ import annotations

import pytest
from mutated_products import FORMS
from ring_mutation import COMPILED, STAGED, subject_of


@pytest.mark.parametrize("name", [*COMPILED, *FORMS, *list(STAGED)[:4]])
def test_somebody_notices(name: str) -> None:
    subject = subject_of(name)
    for mutant in subject.all_mutants():
        noticed = subject.noticed(mutant)
        assert bool(noticed) != bool(subject.reason(mutant)), (mutant, noticed)
