# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with products, drawn at random: as long as any plan holds one, it compiles.

`bench/drawn_products.py` draws more, and runs ptxas.
"""

from __future__ import annotations

from random import Random

import pytest
from drawn_products import GPUS, Case, draw, needed_bytes
from drawn_text import EPILOGUES, Drawn

from cuda_tile.targets import find_target

NUMBER, SEED = 24, 1
_RNG = Random(SEED)
CASES = [draw(_RNG) for _ in range(NUMBER)]


@pytest.mark.parametrize("case", CASES, ids=range(NUMBER))
def test_it_compiles(case: Case) -> None:
    assert case.wrong(cubin=False) is None, case


def test_all_kinds_of_kernels_are_drawn() -> None:
    drawn = [case.drawn for case in CASES]
    assert {each.epilogue for each in drawn} == set(EPILOGUES)
    assert {case.gpu for case in CASES} == set(GPUS)
    assert any(each.columns for each in drawn)
    assert any(each.is_persistent and each.columns for each in drawn)
    assert any(each.stored != each.kind for each in drawn)


@pytest.mark.parametrize("gpu", GPUS)
def test_a_persistent_product_of_512_columns_compiles(gpu: str) -> None:
    """Two slots of its operands, or its sums, are more than a multiprocessor has."""
    drawn = Drawn((128, 512, 64), "bf16", "bf16", is_persistent=True)
    assert Case(drawn, gpu).wrong(cubin=True) is None


def test_no_chip_lacks_the_memory_for_any() -> None:
    largest = Drawn((256, 256, 128), "tf32", "tf32")
    for gpu in GPUS:
        assert needed_bytes(largest) < find_target(gpu).shared_bytes_per_cta


def test_an_error_is_wrong_where_a_plan_could_hold_it() -> None:
    no_type = Drawn((64, 64, 64), "f16", "f4")
    assert Case(no_type, "sm_80").wrong(cubin=False) is not None
