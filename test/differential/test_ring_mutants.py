"""Each changed op of a ring is noticed; all kernels: tools/checks/ring_mutation.py."""

from __future__ import annotations

import pytest
from mutated_rings import KERNELS
from ring_mutants import REASONS
from ring_mutation import Subject


@pytest.mark.parametrize("name", KERNELS)
def test_somebody_notices(name: str) -> None:
    subject = Subject(name)
    for mutant in subject.all_mutants():
        noticed = subject.noticed(mutant)
        assert bool(noticed) != (mutant.name in REASONS), (mutant, noticed)
