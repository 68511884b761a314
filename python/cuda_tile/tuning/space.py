# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The candidates of a kernel: constants times hints times plans.

What an engine refuses, and what estimates rule out, is dropped here, before anything is
compiled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from cuda_tile import api
from cuda_tile._mlir import ir
from cuda_tile.errors import CudaTileError, UserError
from cuda_tile.files import load
from cuda_tile.ir.hints import write_hints
from cuda_tile.ir.walk import entry_name, find_entry
from cuda_tile.options import Options
from cuda_tile.tuned import kernel_sum
from cuda_tile.tuning.candidate import Candidate, Variant
from cuda_tile.tuning.clocks import clocks_of
from cuda_tile.tuning.marks import Source

PLAN = "plan"
HINTS = {"occupancy": (1, 2, 4), "num_cta_in_cga": (1, 2, 4)}
"""Hints that can be varied, each with the values to try where none are given."""
Over = Mapping[str, Sequence[Any]]
"""What is varied, each with its values; `plan` with numbers, or none for all."""


@dataclass(frozen=True)
class Dropped:
    """A candidate that is not ranked.

    Attributes:
        candidate: Which.
        reason: Why.
    """

    candidate: str
    reason: str


@dataclass
class Space:
    """All candidates.

    Attributes:
        left: Those to compile, the most promising first.
        dropped: The others.
    """

    left: list[Candidate]
    dropped: list[Dropped]

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.left) + len(self.dropped)


def read_over(source: Source, over: Over | None) -> dict[str, tuple[Any, ...]]:
    """What is varied: all plans and marked constants by default.

    Args:
        source: The kernel.
        over: What the user asks for; without values those that there are.

    Raises:
        UserError: There is nothing of a name.
    """
    known = {PLAN: (), **HINTS, **source.constants}
    if over is None:
        return {PLAN: (), **{name: tuple(v) for name, v in source.constants.items()}}
    for name in over:
        if name not in known:
            raise UserError(
                f"expected to tune over {', '.join(known)}, got '{name}'; "
                "cuda_tile.tunable marks constants"
            )
    return {name: tuple(values or known[name]) for name, values in over.items()}


def make_space(
    source: Source,
    over: Mapping[str, tuple[Any, ...]],
    options: Options,
    *,
    prune: bool,
) -> Space:
    """The candidates.

    Args:
        source: The kernel.
        over: As `read_over` gives it.
        options: The user's choices.
        prune: Whether estimates drop candidates; only impossible ones otherwise.

    Raises:
        UserError: No variant of the kernel can be planned.
    """
    space, failures = Space([], []), list[CudaTileError]()
    for constants in _choices(over, source.constants):
        for hints in _choices(over, HINTS):
            try:
                variant = _variant(source, constants, hints, options)
                _add(space, variant, over, options, prune=prune)
            except CudaTileError as error:
                failures.append(error)
                said = ", ".join(f"{n}={v}" for n, v in {**constants, **hints}.items())
                space.dropped.append(Dropped(said or "the kernel", str(error)))
    if failures and not space.left:
        raise failures[0]
    space.left.sort(key=lambda candidate: clocks_of(candidate).order)
    return space


def _choices(over: Over, known: Over) -> Iterator[dict[str, Any]]:
    """Every choice of what is varied; what is not has the author's first value."""
    names = [name for name in known if name in over or known is not HINTS]
    values = [over.get(name, known[name][:1]) for name in names]
    for choice in product(*values):
        yield dict(zip(names, choice, strict=True))


def _variant(
    source: Source, constants: dict[str, Any], hints: dict[str, int], options: Options
) -> Variant:
    module = source.build(constants)
    known = kernel_sum(module.operation)
    inputs = source.inputs(module, constants)
    copy = load(_text(module))  # the user's is not changed
    entry = find_entry(copy.operation, None)
    write_hints(entry, options.target.chip, hints)
    return Variant(entry_name(entry), _text(copy), known, inputs, constants, hints)


def _text(module: ir.Module) -> bytes:
    return str(module.operation.get_asm(enable_debug_info=True)).encode()


def _add(
    space: Space, variant: Variant, over: Over, options: Options, *, prune: bool
) -> None:
    """Adds the candidates of a variant."""
    target = options.target
    if PLAN not in over:
        space.left.append(Candidate(target, variant))
        return
    plans = api.list_plans(load(variant.data), options=options)[variant.entry]
    wanted = over[PLAN]
    candidates = [
        Candidate(target, variant, plan)
        for plan in plans
        if not wanted or plan["number"] in wanted
    ]
    for candidate in candidates:
        reason = _reason(candidate, candidates, prune=prune)
        if reason is None:
            space.left.append(candidate)
        else:
            space.dropped.append(Dropped(str(candidate), reason))


def _reason(
    candidate: Candidate, others: Sequence[Candidate], *, prune: bool
) -> str | None:
    """Why a candidate is not compiled."""
    plan = candidate.plan
    assert plan is not None, "it is listed"
    if not plan["possible"]:
        return f"cannot be: {plan['refusal']}"
    if not prune or plan["chosen"]:
        return None
    if plan["refusal"] is not None:
        return f"by estimate: {plan['refusal']}"
    rival = next((other for other in others if _beats(other, candidate)), None)
    return None if rival is None else f"by estimate, {rival} takes less of everything"


def _beats(one: Candidate, other: Candidate) -> bool:
    """Whether an estimate takes no more of anything than another, and less of some.

    Nothing is said of kernels without products, whose estimate has no clocks.
    """
    assert one.plan is not None, "it is listed"
    mine, theirs = _estimates(one), _estimates(other)
    if one.plan["refusal"] is not None or not any(other.predicted["clocks"].values()):
        return False
    return mine != theirs and all(a <= b for a, b in zip(mine, theirs, strict=True))


def _estimates(candidate: Candidate) -> list[float]:
    cost = candidate.predicted
    whole = [cost["iteration"], cost["registers"], cost["shared_bytes"], -cost["ctas"]]
    return [*cost["clocks"].values(), *whole]
