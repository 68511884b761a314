# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of one program: every level and the emulator give the same arrays.

Level T runs on the interpreter, checked, and says what is right. Level W after each
pass must agree with it, on the interpreter, at some of the passes for each program; its
text is parsed again, so that it is also seen to be valid and to print whole. The PTX
must agree on the emulator in fast mode and in adversarial mode, where races and
unwritten registers are findings. Some programs are made persistent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from differential_case import Case
from emit_data import Array
from op_case import differing

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile.emulator import FindingError
from cuda_tile.ir.plan import plan_attribute
from cuda_tile.ir.walk import entries
from cuda_tile.options import Options
from cuda_tile.pipeline import Artifact

LEVELS_W = (
    "simplify",
    "plan",
    "persist",
    "place",
    "stage",
    "order",
    "ring",
    "roles",
    "skew",
    "count",
    "allocate",
    "barriers",
)
PERSISTENT_EACH = 4
"""One of so many programs is made persistent, by its seed."""
ROLES_EACH = 3
"""One of so many gets a role that loads, also where `plan` would not choose that."""
LEVELS_EACH = 3
"""How many of these a program is run at, the last one among them."""
STEP_LIMIT = 300_000
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


def check(case: Case, gpus: Sequence[str], *, seeds: int = 1) -> Failure | None:
    """Checks a program for some chips; gives the first failure.

    Args:
        case: The program.
        gpus: Target chips.
        seeds: Orders of the emulator to try for each chip.
    """
    try:
        module = _guarded("level T", lambda: cuda_tile.load(case.body.encode()))
        expected = _guarded("level T", lambda: run(case, module, on="interp"))
        seen: dict[str, None] = {}
        for gpu in gpus:
            _check_chip(case, module, gpu, expected, seen, seeds)
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


def _check_chip(
    case: Case,
    module: ir.Module,
    gpu: str,
    expected: list[Array],
    seen: dict[str, None],
    seeds: int,
) -> None:
    chosen = {LEVELS_W[-1], *Random(case.seed).sample(LEVELS_W[:-1], LEVELS_EACH - 1)}

    def observe(name: str, level: Artifact) -> None:
        if name not in (chosen if seeds == 1 else LEVELS_W):
            return
        text = str(level)
        key = _CHIP.sub("", text)
        if key in seen:  # the levels of two chips seldom differ
            return
        seen[key] = None
        where = f"after {name} ({gpu})"
        again = _guarded(where, lambda: cuda_tile.load(text.encode()))
        got = _guarded(where, lambda: run(case, again, on="interp"))
        _compare(case, where, expected, got)

    options = Options(gpu=gpu, num_warps=case.num_warps)
    drawn = Random(case.seed)
    own: dict[str, int | str] = {}
    resident: dict[str, int] = {}
    if not drawn.randrange(PERSISTENT_EACH):
        own |= {"persistent": 1, "tile_group": drawn.randrange(4)}
        resident = {"resident_ctas": drawn.randrange(1, 4)}
    if not drawn.randrange(ROLES_EACH):
        own |= {"roles": "load"}
    hooks: dict[str, Any] = {"plan": partial(_add_to_plan, own)} if own else {}
    compiled = _guarded(
        f"compile ({gpu})",
        lambda: cuda_tile.compile(
            module, gpu, options=options, after=hooks, observe=observe, cubin=False
        ),
    )
    for number in range(-1, seeds):
        mode = "adversarial" if number >= 0 else "fast"
        where = f"emulator ({gpu}, {mode})"
        choices: dict[str, Any] = {"compiled": compiled, "gpu": gpu, "mode": mode}
        choices |= resident
        if number >= 0:
            choices["seed"] = case.seed + number
        got = _guarded(where, lambda c=choices: run(case, module, on="emulator", **c))
        _compare(case, where, expected, got)


def _add_to_plan(own: Mapping[str, int | str], level: ir.Operation) -> None:
    """Adds fields to the plan of the kernel."""
    for entry in entries(level):
        fields = {
            item.name: item.attr
            for plan in (entry.attributes["tileas.plan"], plan_attribute(own))
            for item in ir.DictAttr(plan)
        }
        entry.attributes["tileas.plan"] = ir.DictAttr.get(fields)


def run(case: Case, module: ir.Module, **choices: Any) -> list[Array]:
    """Runs the kernel on fresh memory; gives the memory of each array."""
    memories, args = case.memories()
    cuda_tile.run(
        module, "k", grid=(case.grid,), args=args, limit=STEP_LIMIT, **choices
    )
    return memories


def _compare(case: Case, where: str, expected: list[Array], got: list[Array]) -> None:
    pairs = zip(expected, got, case.ulps(), strict=True)
    for number, (mine, theirs, ulp) in enumerate(pairs):
        wrong = differing(mine, theirs, ulp)
        if len(wrong):
            word, at = f"u{mine.itemsize}", int(wrong[0])
            raise _Stop(
                where,
                f"array {number}: {len(wrong)} of {mine.size} elements differ; "
                f"[{at}] is {mine[at]} ({mine.view(word)[at]:#x}) at level T, here "
                f"{theirs[at]} ({theirs.view(word)[at]:#x})",
            )
