# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The message of each kind of fault, and that its mended program has none."""

from __future__ import annotations

import pytest
from fault_programs import FaultProgram, message, programs, said


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_a_fault_is_said(program: FaultProgram) -> None:
    """The whole message, and an exit status that a script can use."""
    status, text = said(program)
    assert status == 1
    assert message(program, text).splitlines() == program.fields["expect"]


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_the_mended_program_is_clean(program: FaultProgram) -> None:
    """Under the same words, and under an adversarial order."""
    mended = program.mended()
    status, text = said(mended)
    assert status == 0, text
    if mended.is_ptx:
        status, text = said(mended, "--mode adversarial")
        assert status == 0, text
