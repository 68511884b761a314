# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies and scalars behind `gdc_wait_tko` are read behind it, by whatever role."""

from __future__ import annotations

import pytest
from differential_case import Case
from near_miss import Miss
from near_miss_check import case_of
from seeds_async_copies import LEGAL, MISSES, NOW
from seeds_async_copies import SEEDS as COPIES
from seeds_roles import MISSES as OF_ROLES
from seeds_roles import SEEDS as ROLES

import cuda_tile
from cuda_tile.interp import InterpError

WAITS = [
    (seed, miss)
    for seed, misses in ((COPIES[0], (*MISSES, *LEGAL)), (ROLES[0], OF_ROLES))
    for miss in misses
    if "gdc_wait_tko" in seed.text(miss)
]
GPUS = ("sm_90", "sm_100", "sm_120")
SEEDS = 2


def run(case: Case, gpu: str | None, arguments: list[int], seed: int = 0) -> None:
    """Runs a program behind a grid that still writes some of its arguments."""
    _, args = case.memories()
    written = [args[number] for number in arguments]
    module = cuda_tile.load(case.body.encode())
    if gpu is None:
        cuda_tile.run(module, grid=1, args=args, mode="strict", preceding=written)
        return
    cuda_tile.run(
        module,
        grid=1,
        args=args,
        on="emulator",
        gpu=gpu,
        mode="adversarial",
        seed=seed,
        preceding=written,
    )


def awaited(text: str) -> list[int]:
    """Which arguments the program reads behind the wait: the flags, or the matrix."""
    return [2] if "%flags token = %ended" in text else [0]


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("number", range(len(WAITS)), ids=lambda n: WAITS[n][1].name)
def test_what_is_behind_the_wait_is_read_behind_it(number: int, gpu: str) -> None:
    seed, miss = WAITS[number]
    case = case_of(seed, miss)
    run(case, None, awaited(case.body))
    for order in range(SEEDS):
        run(case, gpu, awaited(case.body), order)


def test_what_is_not_behind_the_wait_is_found() -> None:
    beside = Miss("beside", 8, ((NOW, "%now = gdc_wait_tko : token"),))
    with pytest.raises(InterpError, match="preceding"):
        run(case_of(COPIES[0], beside), None, [0])
