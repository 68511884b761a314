# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs on every judge: `tools/differential` runs this file.

Each program runs on the interpreter at level T (checked), at level W after each pass,
and as PTX on the emulator in adversarial mode; all must give the same arrays, and
nobody may report a race, an unwritten register or anything else. What fails is made
small and printed as a file that `--replay` runs again.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType

from differential_case import Case, make_case
from differential_check import LEVELS_EACH, LEVELS_W, Failure, check
from differential_coverage import (
    NEST_CONSTRUCTS,
    OpClass,
    gaps,
    gaps_of,
    op_classes,
    table,
)
from differential_reduce import reduce_case
from differential_steps import (
    COMPLETE_OPS,
    CYCLE,
    KINDS,
    TENSOR,
    make_recipe,
    write_program,
)
from differential_tensor import CONSTRUCTS as TENSOR_CONSTRUCTS

import cuda_tile

GPUS = ("sm_80", "sm_90")
REPLAY_SEEDS = 8
"""Orders of the emulator that a program of a file is run in at least."""
PROGRAM_SECONDS = 120
"""CPU time after which a program counts as one on which somebody hangs."""
COMPLETE_PROGRAMS = COMPLETE_OPS * len(CYCLE) // CYCLE.count("ops") + len(CYCLE)
"""With so many programs of all kinds there must be no gap."""

NEST_KINDS = {"rings", "chains"}
COMPLETE_TENSOR = 300
"""With so many programs for tensor memory all of its constructs are there, on chips
that have all of its kinds."""
COMPLETE_NESTS = 300
"""With so many programs of these kinds all constructs of theirs are there."""


@dataclass
class Outcome:
    """What came of one program.

    Attributes:
        name: Its kind and seed.
        failure: How it failed, or None.
        small: The smallest program found that fails so.
        notes: The constructs it had.
        ops: Its ops by element type and shape.
        seconds: CPU time.
    """

    name: str
    failure: Failure | None = None
    small: str = ""
    notes: Counter[str] = field(default_factory=Counter[str])
    ops: Counter[OpClass] = field(default_factory=Counter[OpClass])
    seconds: float = 0.0


def run_program(
    kind: str,
    seed: int,
    gpus: tuple[str, ...],
    *,
    levels: int = LEVELS_EACH,
    seeds: int = 1,
    small: bool = True,
    has_fast: bool = True,
) -> Outcome:
    """Makes and checks one program; a failure is made small unless `small` is false."""
    judge = partial(_timed, gpus=gpus, levels=levels, seeds=seeds, has_fast=has_fast)
    start = time.process_time()
    recipe = make_recipe(kind, seed)
    outcome = Outcome(recipe.name)
    program = write_program(recipe)
    case = make_case(recipe, program)
    outcome.notes = program.notes
    try:
        outcome.ops = Counter(op_classes(cuda_tile.load(case.body.encode())))
    except Exception as error:
        outcome.failure = Failure("generator", type(error).__name__, str(error))
        outcome.small = str(case)
        return outcome
    outcome.failure = judge(case, notes=outcome.notes)
    if outcome.failure is not None:
        outcome.small = str(case)
        if small and not outcome.failure.is_refusal:
            case, outcome.failure = reduce_case(case, outcome.failure, judge)
            outcome.small = str(case)
    outcome.seconds = time.process_time() - start
    return outcome


def _timed(
    case: Case,
    gpus: tuple[str, ...],
    levels: int,
    seeds: int,
    notes: Counter[str] | None = None,
    *,
    has_fast: bool,
) -> Failure | None:
    """Checks a program; one that does not end is a failure too."""

    def ring(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise TimeoutError(f"not ready after {PROGRAM_SECONDS} CPU s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, PROGRAM_SECONDS)
    try:
        return check(
            case, gpus, seeds=seeds, levels=levels, notes=notes, has_fast=has_fast
        )
    except TimeoutError as error:
        return Failure("anywhere", "timeout", str(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def run_many(
    programs: list[tuple[str, int]], jobs: int, task: Callable[[str, int], Outcome]
) -> Iterator[Outcome]:
    """Runs programs, several at a time; one that ends the process is a failure."""
    if jobs == 1:
        yield from (task(kind, seed) for kind, seed in programs)
        return
    rest = list(programs)
    while rest:
        with ProcessPoolExecutor(jobs) as pool:
            futures = {pool.submit(task, kind, n): (kind, n) for kind, n in rest}
            rest = []
            for future in as_completed(futures):
                try:
                    yield future.result()
                except BrokenProcessPool:
                    rest.append(futures[future])
        if rest:
            yield from _one_by_one(rest[: 2 * jobs], task)
            rest = rest[2 * jobs :]


def _one_by_one(
    programs: list[tuple[str, int]], task: Callable[[str, int], Outcome]
) -> Iterator[Outcome]:
    """Runs each in a process of its own, to see which of them ends it."""
    for kind, seed in programs:
        with ProcessPoolExecutor(1) as pool:
            try:
                yield pool.submit(task, kind, seed).result()
            except BrokenProcessPool:
                text = "the process died"
                yield Outcome(f"{kind} {seed}", Failure("anywhere", "death", text))


def chosen(kinds: Sequence[str], first: int, count: int) -> list[tuple[str, int]]:
    """Kind and number of some programs; a kind that stands twice counts on."""
    found: list[tuple[str, int]] = []
    for n in range(first, first + count):
        round_, place = divmod(n, len(kinds))
        kind = kinds[place]
        number = round_ * kinds.count(kind) + kinds[:place].count(kind)
        found.append((kind, number))
    return found


def replay(path: Path, gpus: tuple[str, ...], seeds: int) -> Failure | None:
    """Checks the program of a file."""
    case = Case.parse(path.read_text(), path.name)
    return check(case, gpus, seeds=seeds, levels=len(LEVELS_W))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/differential", description=__doc__)
    parser.add_argument("--programs", type=int, default=100, metavar="N")
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--gpu", action="append", help=f"may be repeated; {GPUS}")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--kind", action="append", choices=tuple(KINDS))
    parser.add_argument(
        "--all-levels", action="store_true", help="run level W after every pass"
    )
    parser.add_argument(
        "--adversarial", action="store_true", help="leave out the emulator's fast mode"
    )
    parser.add_argument(
        "--seeds", type=int, default=1, metavar="N", help="orders of the emulator"
    )
    parser.add_argument("--coverage", action="store_true", help="print what was made")
    parser.add_argument(
        "--found", type=Path, metavar="DIR", help="write what fails there"
    )
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE")
    return parser.parse_args()


def main() -> int:
    """Runs programs or files; 1 if something failed."""
    options = _arguments()
    gpus = tuple(options.gpu or GPUS)
    if options.replay:
        seeds = max(options.seeds, REPLAY_SEEDS)
        failures = [replay(path, gpus, seeds) for path in options.replay]
        for path, failure in zip(options.replay, failures, strict=True):
            print(f"{path}: {failure or 'agrees'}")
        failed = len([failure for failure in failures if failure])
        print(f"{len(failures) - failed} passed, {failed} failed")
        return 1 if failed else 0
    programs = chosen(options.kind or CYCLE, options.seed, options.programs)
    notes, ops = Counter[str](), Counter[OpClass]()
    failed, seconds = 0, 0.0
    refused = Counter[str]()
    levels = len(LEVELS_W) if options.all_levels else LEVELS_EACH
    fast = not options.adversarial
    task = partial(
        run_program, gpus=gpus, levels=levels, seeds=options.seeds, has_fast=fast
    )
    for outcome in run_many(programs, options.jobs, task):
        notes += outcome.notes
        ops += outcome.ops
        seconds += outcome.seconds
        if outcome.failure is None:
            continue
        failed += 1
        if outcome.failure.is_refusal:
            reason = _reason(outcome.failure.message)
            refused[reason] += 1
            if refused[reason] > 1:  # one program of each is enough
                continue
        _report(outcome, options.found)
    if options.coverage:
        print(table(notes, ops))
    missing = _missing(options.kind, len(programs), notes, ops)
    print("".join(f"gap: {line}\n" for line in missing), end="")
    failed += len(missing)
    for text, count in refused.most_common():
        print(f"refused: {count} {text}")
    each = seconds / max(len(programs) * len(gpus), 1)
    print(f"{each:.2f} CPU s per program and chip")
    print(f"{len(programs) - failed} passed, {failed} failed")
    return 1 if failed else 0


def _missing(
    kinds: Sequence[str] | None, count: int, notes: Counter[str], ops: Counter[OpClass]
) -> list[str]:
    """What so many programs of some kinds, or of all, should have had and had not."""
    if kinds and set(kinds) == {TENSOR} and count >= COMPLETE_TENSOR:
        return gaps_of(TENSOR_CONSTRUCTS, notes)
    if not kinds:
        return gaps(notes, ops) if count >= COMPLETE_PROGRAMS else []
    is_complete = set(kinds) == NEST_KINDS and count >= COMPLETE_NESTS
    return gaps_of(NEST_CONSTRUCTS, notes) if is_complete else []


def _reason(message: str) -> str:
    """What a refusal says, without where and which number."""
    text = re.sub(r"^(\S+:\d+:\d+|loc\([^)]*\)): ", "", message)
    return re.sub(r"\b\d+\b", "N", text)[:160]


def _report(outcome: Outcome, folder: Path | None) -> None:
    name = outcome.name.replace(" ", "-")
    said = f"{outcome.name}: {outcome.failure}"
    text = f"// {' '.join(said.split())}\n"
    text += f"// rerun: tools/differential --replay {name}.mlir\n{outcome.small}"
    print(f"{said}\n{text}", flush=True)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.mlir").write_text(text)


if __name__ == "__main__":
    sys.exit(main())
