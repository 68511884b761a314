"""Each changed op of a ring is noticed; all kernels: tools/checks/ring_mutation.py."""

from __future__ import annotations

import pytest
from mutated_rings import KERNELS
from ring_mutation import STAGED, subject_of


@pytest.mark.parametrize("name", [*KERNELS, *list(STAGED)[:4]])
def test_somebody_notices(name: str) -> None:
    subject = subject_of(name)
    for mutant in subject.all_mutants():
        noticed = subject.noticed(mutant)
        assert bool(noticed) != bool(subject.reason(mutant)), (mutant, noticed)
