# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every instruction of the ISA is supported, or rejected with a reason.

The table of forms (isa_forms_*.py) is an independent definition of the ISA's grammar:
ptxas must accept each form, and the emulator must support it or give the listed error.
"""

from __future__ import annotations

import numpy as np
import pytest
from isa_form import Family, module
from isa_list import FAMILIES, instructions
from ptx_harness import assemble

from cuda_tile.emulator import TensorMap, launch
from cuda_tile.emulator.errors import PtxError
from cuda_tile.emulator.isa import instruction_table

TARGETS = sorted({family.target for family in FAMILIES})
REFUSED = [family for family in FAMILIES if family.refused]


def run(forms: list[str], target: str) -> None:
    """Compiles an entry of these forms; no thread executes them."""
    array = np.zeros((64, 64), np.float32)
    args = [np.zeros(64, np.uint8), TensorMap(array, (8, 8))]
    launch(module(forms, target), "k", grid=1, block=32, args=args)


def forms_of(target: str, *, refused: bool) -> list[str]:
    return [
        form
        for family in FAMILIES
        if family.target == target and bool(family.refused) == refused
        for form in family.forms()
    ]


def test_every_instruction_of_the_isa_has_forms() -> None:
    covered = {(family.chapter, family.name) for family in FAMILIES}
    assert covered == instructions()


def test_every_opcode_of_the_emulator_has_forms() -> None:
    known = set(instruction_table().opcodes)
    texts = {form for family in FAMILIES for form in family.forms()}
    words = {word.lstrip("{ ") for text in texts for word in text.split()}
    missing = {op for op in known if not any(w.split(".")[0] == op for w in words)}
    assert missing == set()


@pytest.mark.parametrize("target", TARGETS)
def test_ptxas_takes_every_form(target: str) -> None:
    forms = [
        form
        for family in FAMILIES
        if family.target == target and family.is_legal
        for form in family.forms()
    ]
    assert assemble(module(forms, target), target) == ""


def test_ptxas_refuses_what_older_chips_had() -> None:
    for family in FAMILIES:
        if not family.is_legal:
            for form in family.forms():
                assert assemble(module([form], family.target), family.target), form


@pytest.mark.parametrize("target", TARGETS)
def test_the_emulator_compiles_every_form(target: str) -> None:
    run(forms_of(target, refused=False), target)


@pytest.mark.parametrize("family", REFUSED, ids=lambda family: family.name)
def test_the_emulator_says_why_it_refuses(family: Family) -> None:
    for form in family.forms():
        text = module([form], family.target)
        line = text.splitlines().index(f"\t{form};") + 1
        with pytest.raises(PtxError) as caught:
            run([form], family.target)
        assert family.refused in str(caught.value)
        assert caught.value.line == line
