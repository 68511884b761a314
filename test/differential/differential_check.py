# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of one program: every level and the emulator give the same arrays.

Level T runs on the interpreter, checked, and says what is right. Level W after each
pass must agree with it, on the interpreter, at some of the passes for each program; its
text is parsed again, so that it is also seen to be valid and to print whole. The PTX
must agree on the emulator in fast mode and in adversarial mode, where races and
unwritten registers are findings. Some programs get a plan that `plan` would not choose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from differential_case import Case
from differential_plans import OPENED, DrawnPlan, is_split, made
from differential_tensor import made_in_tensor_memory
from emit_data import Array
from op_case import differing

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.api import Compiled
from cuda_tile.emulator import FindingError
from cuda_tile.errors import UserError
from cuda_tile.options import Options
from cuda_tile.pipeline import Artifact, Observer

LEVELS_W = (
    "unit_batches",
    "simplify",
    "narrow_elements",
    "combine_atomics",
    "unwrap_indices",
    "pair",
    "plan",
    "load_duplication",
    "online_softmax",
    "welford",
    "row_tiling",
    "persist",
    "place",
    "join_reductions",
    "stage",
    "order",
    "ring",
    "roles",
    "skew",
    "issue",
    "count",
    "allocate",
    "barriers",
)
LEVELS_EACH = 3
"""How many of these a program is run at, the last one among them."""
TOO_LARGE = "bytes of shared memory"
"""Words of the message of a plan by hand that asks for too much."""
STEP_LIMIT = 1_000_000
"""Ops of the interpreter, or steps of the emulator, of a kernel that never ends."""
_CHIP = re.compile(r'tileas\.target = "sm_\d+[af]?"')


@dataclass(frozen=True)
class Failure:
    """What went wrong.

    Attributes:
        where: `level T`, `compile`, `after PASS` or `emulator`, with the chip.
        kind: Kind of finding, `mismatch`, or the name of the exception.
        message: What was said.
    """

    where: str
    kind: str
    message: str

    @property
    def is_refusal(self) -> bool:
        """Whether the compiler said that it cannot compile the program."""
        return self.kind == "Unsupported"

    def is_like(self, other: Failure) -> bool:
        """Whether both are likely one fault: the messages may name other values."""
        return (self.where, self.kind) == (other.where, other.kind)

    def __str__(self) -> str:
        return f"{self.where}: {self.kind}: {self.message}"


class _Stop(Exception):
    """Ends a check with its failure."""

    def __init__(self, where: str, error: Exception | str) -> None:
        kind = "mismatch" if isinstance(error, str) else type(error).__name__
        if isinstance(error, FindingError):
            kind = error.finding.kind
        super().__init__(str(error))
        self.failure = Failure(where, kind, str(error))


def check(
    case: Case,
    gpus: Sequence[str],
    *,
    seeds: int = 1,
    levels: int = LEVELS_EACH,
    notes: Counter[str] | None = None,
    has_fast: bool = True,
    has_checkers: bool = True,
    observe: Observer | None = None,
    apart: Sequence[Array] = (),
) -> Failure | None:
    """Checks a program for some chips; gives the first failure.

    Args:
        case: The program.
        gpus: Target chips.
        seeds: Orders of the emulator to try for each chip.
        levels: After how many passes level W is run.
        notes: Gets what passes made, if given.
        has_fast: Whether the emulator's fast mode runs, too.
        has_checkers: Whether the checkers behind passes judge, too.
        observe: Called after each pass, with its name and the module.
        apart: By how much each element of each array may be off, beside what the case
            says; nothing for not at all.
    """
    orders = range(-1 if has_fast else 0, seeds)
    try:
        module = _guarded("level T", lambda: cuda_tile.load(case.body.encode()))
        arrays = _guarded("level T", lambda: run(case, module, on="interp"))
        expected = _Expected(case, arrays, apart or [np.zeros(a.shape) for a in arrays])
        seen: dict[str, None] = {}
        for gpu in gpus:
            looks = _Looks(seen, orders, levels, has_checkers, observe)
            text = _check_chip(case, module, gpu, expected, looks)
            if notes is not None:
                notes += made(text) + made_in_tensor_memory(text)
                notes[OPENED] += is_split(module, gpu)
    except _Stop as stop:
        return stop.failure
    return None


def _guarded(where: str, step: Any) -> Any:
    """What `step` gives; whatever it raises is a failure at `where`."""
    try:
        return step()
    except _Stop:
        raise
    except Exception as error:
        raise _Stop(where, error) from error


@dataclass(frozen=True)
class _Expected:
    """What a program should leave.

    Attributes:
        case: The program.
        arrays: What level T leaves.
        apart: By how much each element may be off, beside what the case says.
    """

    case: Case
    arrays: Sequence[Array]
    apart: Sequence[Array]


@dataclass(frozen=True)
class _Looks:
    """How closely a program is looked at.

    Attributes:
        seen: Texts of level W that were run.
        orders: Orders of the emulator: those from 0 on are seeds, -1 is its fast mode.
        levels: After how many passes level W is run.
        has_checkers: Whether the checkers behind passes judge, too.
        observe: Called after each pass.
    """

    seen: dict[str, None]
    orders: range
    levels: int
    has_checkers: bool
    observe: Observer | None


def _check_chip(
    case: Case, module: ir.Module, gpu: str, expected: _Expected, looks: _Looks
) -> str:
    """Checks a program for a chip; gives its text at the last level."""
    some = Random(case.seed).sample(LEVELS_W[:-1], looks.levels - 1)
    chosen = {LEVELS_W[-1], *some}
    last = ""

    def observe(name: str, level: Artifact) -> None:
        nonlocal last
        if looks.observe is not None:
            looks.observe(name, level)
        if name not in chosen:
            return
        text = last = str(level)
        key = _CHIP.sub("", text)
        if key in looks.seen:  # the levels of two chips seldom differ
            return
        looks.seen[key] = None
        where = f"after {name} ({gpu})"
        again = _guarded(where, lambda: cuda_tile.load(text.encode()))
        got = _guarded(where, lambda: run(case, again, on="interp"))
        _compare(where, expected, got)

    options = Options(gpu=gpu, num_warps=case.num_warps, check=looks.has_checkers)
    drawn = DrawnPlan.of(case.seed)
    compiled = _guarded(
        f"compile ({gpu})", lambda: _compile(module, options, drawn, observe)
    )
    for number in looks.orders:
        mode = "adversarial" if number >= 0 else "fast"
        where = f"emulator ({gpu}, {mode})"
        choices: dict[str, Any] = {"compiled": compiled, "gpu": gpu, "mode": mode}
        if drawn.resident_ctas:
            choices["resident_ctas"] = drawn.resident_ctas
        if number >= 0:
            choices["seed"] = case.seed + number
        got = _guarded(where, lambda c=choices: run(case, module, on="emulator", **c))
        _compare(where, expected, got)
    return last


def _compile(
    module: ir.Module,
    options: Options,
    drawn: DrawnPlan,
    observe: Callable[[str, Artifact], None],
) -> Compiled:
    """Compiles with what is planned by hand, as far as that fits.

    A role that loads keeps all rings at once; `plan` chose their slots for one role.
    """
    hooks: dict[str, Any] = {"plan": drawn.add_to} if drawn.adds_to_plans() else {}
    try:
        return cuda_tile.compile(
            module, options=options, after=hooks, observe=observe, cubin=False
        )
    except UserError as error:
        if "roles" not in drawn.fields or TOO_LARGE not in str(error):
            raise
        return _compile(module, options, drawn.without_roles(), observe)


def run(case: Case, module: ir.Module, **choices: Any) -> list[Array]:
    """Runs the kernel on fresh memory; gives the memory of each array."""
    memories, args = case.memories()
    if choices["on"] == "interp":
        choices |= {"mode": case.mode, "unspecified": "zero"}
    cuda_tile.run(
        module, "k", grid=(case.grid,), args=args, limit=STEP_LIMIT, **choices
    )
    return memories


def _compare(where: str, expected: _Expected, got: list[Array]) -> None:
    pairs = zip(expected.arrays, got, expected.case.arrays(), strict=True)
    for number, (mine, theirs, array) in enumerate(pairs):
        wrong = differing(mine, theirs, array.ulp, array.scale)
        wrong = wrong[
            ~_are_near(mine[wrong], theirs[wrong], expected.apart[number][wrong])
        ]
        if len(wrong):
            word, at = f"u{mine.itemsize}", int(wrong[0])
            raise _Stop(
                where,
                f"array {number}: {len(wrong)} of {mine.size} elements differ; "
                f"[{at}] is {mine[at]} ({mine.view(word)[at]:#x}) at level T, here "
                f"{theirs[at]} ({theirs.view(word)[at]:#x})",
            )


def _are_near(mine: Array, theirs: Array, apart: Array) -> Array:
    """Which elements are not farther apart than they may be."""
    with np.errstate(all="ignore"):
        distance = np.abs(mine.astype(np.float64) - theirs.astype(np.float64))
    return (distance <= apart) | np.isinf(apart)
