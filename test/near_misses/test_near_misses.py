# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites fire on their seeds, and on a near miss only as that says; all is right.

Right is what `differential_check` says: every level and the emulator give what level T
gives. `tools/near_misses` makes more programs of the seeds.
"""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

import pytest
from differential_check import LEVELS_W, check
from near_miss import Miss, Seed
from near_miss_check import case_of, has_fired, seeds

pytestmark = pytest.mark.sampled(5)

PROGRAMS = [(seed, miss) for seed in seeds() for miss in (None, *seed.misses)]


def name_of(program: tuple[Seed, Miss | None]) -> str:
    seed, miss = program
    return "-".join([seed.contract, seed.name, *([miss.name] if miss else [])])


def gpu_of(seed: Seed, miss: Miss | None) -> str:
    """One of the chips of a seed; its near misses have others."""
    return seed.gpus[crc32(name_of((seed, miss)).encode()) % len(seed.gpus)]


@pytest.mark.parametrize("program", PROGRAMS, ids=name_of)
def test_rewrite_fires_as_it_may(program: tuple[Seed, Miss | None]) -> None:
    seed, miss = program
    fires = miss is None or miss.fires
    case = case_of(seed, miss)
    assert {gpu: has_fired(seed, case, gpu) for gpu in seed.gpus} == dict.fromkeys(
        seed.gpus, fires
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=name_of)
def test_every_judge_agrees(program: tuple[Seed, Miss | None]) -> None:
    case, gpus = case_of(*program), (gpu_of(*program),)
    failure = check(case, gpus, levels=len(LEVELS_W), has_fast=False)
    assert failure is None, str(failure)


def test_an_edit_that_finds_nothing_is_refused() -> None:
    seed = PROGRAMS[0][0]
    miss = Miss("nothing", 1, (("no program has this", ""),))
    with pytest.raises(ValueError, match="expected a program with 'no program has"):
        replace(seed, misses=(miss,)).text(miss)
