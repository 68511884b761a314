# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verdict on one generated program: legal or not, fired or not, right or not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import sensitivity
from differential_case import Case
from differential_check import LEVELS_EACH, Failure, check
from near_miss import Seed

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.errors import UserError

Outcome = Literal["right", "invalid", "illegal", "open", "limit", "finding"]
OP_LIMIT = 20_000
"""Ops of the interpreter after which a program is too long for its turn."""
LIMITS = (
    r"bytes of shared memory",
    r"in 'tileas\.plan'",
    r"expected a weak store of 4-bit elements",
)
"""Words of refusals that say a documented limit: docs/near-misses.md."""
LIMITED = re.compile("|".join(LIMITS))


@dataclass(frozen=True)
class Verdict:
    """What came of a program.

    Attributes:
        outcome: `right`; `invalid` for the verifier; `illegal` for the interpreter;
            `open` if the program's own text leaves its results open; `limit` if it was
            refused for a documented limit; `finding` for all that somebody must mend.
        failure: What was seen, of a program that is not right.
        fired: Whether the rewrite of its seed fired, of a program that compiled.
    """

    outcome: Outcome
    failure: Failure | None = None
    fired: bool | None = None


class Watch:
    """Sees whether a rewrite fires while a program is compiled.

    Attributes:
        fired: Whether it did; None while its pass has not run.
    """

    def __init__(self, seed: Seed | None, module: ir.Module) -> None:
        self._seed = seed
        self._before: str | ir.Module = module
        self.fired: bool | None = None

    def observe(self, name: str, level: object) -> None:
        """Called after each pass."""
        if self._seed is None or self.fired is not None:
            return
        if name == self._seed.step:
            self.fired = self._seed.fired(str(self._before), str(level))
        self._before = str(level)


def judge(case: Case, seed: Seed | None, gpu: str) -> Verdict:
    """What becomes of a program on a chip."""
    try:
        module = cuda_tile.load(case.body.encode())
    except UserError as error:
        return Verdict("invalid", Failure("verifier", "UserError", str(error)))
    illegal = _illegal(case, module)
    if illegal is not None:
        return illegal
    watch = Watch(seed, module)
    failure = check(case, (gpu,), has_fast=False, observe=watch.observe)
    if failure is None:
        return Verdict("right", None, watch.fired)
    if failure.kind == "mismatch":
        return _mismatch(case, module, gpu, watch, failure)
    if failure.kind in ("Unsupported", "UserError") and LIMITED.search(failure.message):
        return Verdict("limit", failure, watch.fired)
    return Verdict("finding", failure, watch.fired)


def _illegal(case: Case, module: ir.Module) -> Verdict | None:
    """The verdict on a program that the interpreter does not run."""
    _, args = case.memories()
    try:
        cuda_tile.run(
            module, "k", grid=(case.grid,), args=args, mode=case.mode, limit=OP_LIMIT
        )
    except UserError as error:
        failure = Failure("level T", type(error).__name__, str(error))
        return Verdict("illegal", failure)
    except Exception as error:
        failure = Failure("level T", type(error).__name__, str(error))
        return Verdict("finding", failure)
    return None


def _mismatch(
    case: Case, module: ir.Module, gpu: str, watch: Watch, failure: Failure
) -> Verdict:
    """The verdict on a program whose results differ: by more than they may?"""
    memories, args = case.memories()
    cuda_tile.run(module, "k", grid=(case.grid,), args=args, mode=case.mode)
    try:
        apart = sensitivity.allowed(case, module, memories)
    except sensitivity.Open as error:
        return Verdict("open", Failure("level T", "open", str(error)), watch.fired)
    again = check(case, (gpu,), has_fast=False, apart=apart, levels=LEVELS_EACH)
    if again is None:
        return Verdict("right", None, watch.fired)
    return Verdict("finding", again, watch.fired)
