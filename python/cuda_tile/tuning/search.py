# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning: candidates, compiled and counted in parallel, ranked, and recorded."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

from cuda_tile import api
from cuda_tile._mlir import ir
from cuda_tile.batch.cache import Cache
from cuda_tile.batch.job import Answer, Refusal
from cuda_tile.batch.run import Machines, answers
from cuda_tile.errors import UserError
from cuda_tile.files import load
from cuda_tile.options import Options
from cuda_tile.tuned import TuningRecord, compiler_sums, option_values
from cuda_tile.tuning.candidate import Candidate, Final
from cuda_tile.tuning.clocks import clocks_of
from cuda_tile.tuning.job import job_of, launch_sum
from cuda_tile.tuning.marks import Given, Launch, Marked, Source
from cuda_tile.tuning.ranking import Ranking, rank
from cuda_tile.tuning.space import Dropped, Over, Space, make_space, read_over

_T = TypeVar("_T")
TOP = 5
"""Candidates that a record keeps where nobody says how many."""


@dataclass(frozen=True)
class Tuned:
    """What a tuner found.

    Attributes:
        made: The candidates that were compiled, and counted unless they spill.
        ranking: Their order.
        dropped: All others that are not ranked, each with the reason.
        record: What to compile with; it also writes as a file.
        n_candidates: How many there were.
        untried: Candidates that a stop left untried.
    """

    made: tuple[Candidate, ...]
    ranking: Ranking
    dropped: tuple[Dropped, ...]
    record: TuningRecord
    n_candidates: int
    untried: int = 0

    @property
    def best(self) -> Candidate:
        """The first one."""
        return self.ranking.ranked[0]

    @property
    def constants(self) -> dict[str, Any]:
        """The constants to build the kernel with."""
        return dict(self.best.variant.constants)

    def __repr__(self) -> str:
        """One line."""
        return (
            f"<Tuned @{self.best.variant.entry}: {self.best}, of {self.n_candidates} "
            f"candidates; {self.ranking.why}>"
        )


def tune(
    source: ir.Module | str | os.PathLike[str] | bytes | Source,
    gpu: str | None = None,
    *,
    grid: Any = None,
    args: Sequence[Any] | None = None,
    over: Over | None = None,
    top: int = TOP,
    options: Options | None = None,
    machines: Machines | None = None,
    cache: Cache | None = None,
    prune: bool = True,
    on_start: Callable[[int], None] = lambda _: None,
    on_candidate: Callable[[str], None] = lambda _: None,
) -> Tuned:
    """Finds the plan, hints and constants with which a kernel takes the fewest clocks.

    No GPU is needed: each candidate is compiled, and counted on the emulator.
    Ctrl-C ends the search early, with what is known by then.

    Args:
        source: A module of one kernel, its file or bytes, or what `tunable` gives.
        gpu: Target chip, unless `options` name it; sm_90 by default.
        grid: Tile blocks of the launch that is counted, with `args`.
        args: Its arguments, as for `cuda_tile.run`. By default one tile block is run on
            arrays that are made up.
        over: What is varied: `plan`, the hints `occupancy` and `num_cta_in_cga`, and
            marked constants, each with its values, or none for all there are. By
            default plans and marked constants.
        top: How many candidates the record keeps.
        options: Further choices of the compilation.
        machines: Who compiles; by default a process for each processor.
        cache: Where results are looked up and kept; by default they are not.
        prune: Whether estimates drop candidates before they are compiled.
        on_start: Called with the number of candidates that are compiled.
        on_candidate: Called after each one with its name.

    Raises:
        UserError: The kernel, its launch or a choice is at fault, or nothing is left.
        KeyboardInterrupt: Ctrl-C, before any candidate was counted.
    """
    chosen = api.chosen_options(options, gpu)
    if chosen.plan is not None:
        raise UserError(f"expected options without a plan, got plan {chosen.plan}")
    subject = _source(source, grid, args)
    varied = read_over(subject, over)
    space = make_space(subject, varied, chosen, prune=prune)
    on_start(len(space.left))
    made, lost, stopped = _make(
        space, chosen, machines or Machines(processors()), cache, on_candidate
    )
    ranking = rank(made)
    dropped = (*space.dropped, *lost, *ranking.dropped)
    if not ranking.ranked:
        raise stopped or _nothing(dropped)
    untried = len(space.left) - len(made) - len(lost)
    counts = space.size, untried
    found = Tuned(tuple(made), ranking, dropped, TuningRecord(()), *counts)
    return replace(found, record=_record(found, varied, chosen, top))


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


def _source(source: Any, grid: Any, args: Sequence[Any] | None) -> Source:
    """What was given, as something to make modules of."""
    if (grid is None) != (args is None):
        raise UserError("expected grid and args together, got one of them")
    launch = None if grid is None or args is None else (grid, args)
    if isinstance(source, (str, os.PathLike, bytes)):
        source = load(cast("str | os.PathLike[str] | bytes", source))
    if isinstance(source, ir.Module):
        return Given(source, launch)
    if not hasattr(source, "build"):
        raise UserError(
            "expected a module, a file, its bytes, or what cuda_tile.tunable gives, "
            f"got {source!r:.60}"
        )
    if launch is not None and isinstance(source, Marked):
        return replace(source, launch=partial(_same, launch))
    return source


def _same(launch: Launch, **_constants: Any) -> Launch:
    """A launch that constants do not change."""
    return launch


def _make(
    space: Space,
    options: Options,
    machines: Machines,
    cache: Cache | None,
    on_candidate: Callable[[str], None],
) -> tuple[list[Candidate], list[Dropped], KeyboardInterrupt | None]:
    """Compiles and counts; gives what was made, what failed, what ended it early."""
    jobs = [job_of(each, options, n) for n, each in enumerate(space.left)]
    made: dict[int, Candidate] = {}
    lost: dict[int, Dropped] = {}
    stopped = None
    try:
        for job, answer, _, _ in answers(jobs, machines, cache):
            candidate = space.left[job.number]
            found = _taken_in(candidate, answer)
            if isinstance(found, Dropped):
                lost[job.number] = found
            else:
                made[job.number] = found
            on_candidate(str(candidate))
    except KeyboardInterrupt as error:
        stopped = error
    return _in_order(made), _in_order(lost), stopped


def _in_order(found: dict[int, _T]) -> list[_T]:
    """By number, for processes end in any order."""
    return [found[number] for number in sorted(found)]


def _taken_in(candidate: Candidate, answer: Answer) -> Candidate | Dropped:
    if isinstance(answer, Refusal):
        return Dropped(str(candidate), f"does not compile or run: {answer.message}")
    return replace(candidate, final=Final(**json.loads(answer.data)))


def _nothing(dropped: Sequence[Dropped]) -> UserError:
    """The error where no candidate is left."""
    reasons = list(dict.fromkeys(each.reason for each in dropped)) or ["there is none"]
    return UserError(
        f"expected a candidate that can be ranked, got none: {reasons[-1]}"
    )


def _record(
    found: Tuned, over: dict[str, tuple[Any, ...]], options: Options, top: int
) -> TuningRecord:
    variant = found.best.variant
    ranked = [_object(each) for each in found.ranking.ranked[:top]]
    inputs = variant.inputs
    grid = "x".join(map(str, inputs.grid))
    return TuningRecord(
        (
            {
                "kernel": {"name": variant.entry, "sum": variant.sum},
                "chip": options.target.name,
                "compiler": compiler_sums(),
                "options": option_values(options),
                "over": {name: list(values) for name, values in over.items()},
                "launch": {
                    "text": f"grid {grid}, {inputs.text}",
                    "sum": launch_sum(inputs),
                },
                "chosen": ranked[0],
                "why": found.ranking.why,
                "ranked": ranked,
                "dropped": _by_reason(found.dropped),
                "untried": found.untried,
            },
        )
    )


def _by_reason(dropped: Sequence[Dropped]) -> list[dict[str, Any]]:
    """What was dropped, as JSON has it: each reason once."""
    found: dict[str, list[str]] = {}
    for each in dropped:
        found.setdefault(each.reason, []).append(each.candidate)
    return [{"reason": why, "candidates": names} for why, names in found.items()]


def _object(candidate: Candidate) -> dict[str, Any]:
    """A candidate as JSON has it: predicted beside final."""
    final = candidate.final
    assert final is not None, "it was counted"
    variant, plan = candidate.variant, candidate.plan
    return {
        "constants": dict(variant.constants),
        "hints": dict(variant.hints),
        "plan": candidate.number,
        "fields": None if plan is None else plan["fields"],
        "predicted": dict(candidate.predicted),
        "final": final.data(),
        "clocks": clocks_of(candidate).total,
    }
