# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs beside those that rewrites fire on: `tools/near_misses` runs this file.

Each is a seed of a contract with one thing changed, sometimes two: an op, a flag, a
memory order, a token, a type, an extent, a mask, what a region uses of outside, which
arrays share memory. What the verifier and the strict interpreter call legal must
compile, and every level and the emulator under adversarial orders must agree. What does
not is printed as a file that `--replay` runs again.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from children import TASK_SECONDS, Death, in_children
from differential_case import Case
from differential_check import Failure
from mutation import MUTATIONS
from near_miss import Seed
from near_miss_check import case_of, seeds
from near_miss_judge import Verdict, judge
from near_miss_programs import Change, mutant
from survival import survive

GPUS = ("sm_80", "sm_90", "sm_100", "sm_120")
FROM_MISSES = 3
"""One of so many programs is made of a near miss, which is then two steps off."""
FILES_EACH = 3
"""Files of findings that look alike, at most."""
OUTCOMES = ("right", "invalid", "illegal", "open", "limit", "finding")


@dataclass(frozen=True)
class Source:
    """A program that others are made of.

    Attributes:
        contract: Contract of its rewrite, or the name of a file.
        case: The program.
        seed: Its seed, if it has one.
    """

    contract: str
    case: Case
    seed: Seed | None


@dataclass
class Outcome:
    """What came of one program.

    Attributes:
        verdict: What was found.
        changes: What was changed.
        text: The program.
        seconds: CPU time.
    """

    verdict: Verdict
    changes: tuple[Change, ...] = ()
    text: str = ""
    seconds: float = 0.0


@dataclass
class Table:
    """Counts of a run."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    fired: Counter[tuple[str, bool]] = field(default_factory=Counter)
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: float = 0.0

    def add(self, contract: str, outcome: Outcome) -> None:
        """Counts a program of a contract."""
        verdict = outcome.verdict
        self.outcomes[contract, verdict.outcome] += 1
        if verdict.fired is not None:
            self.fired[contract, verdict.fired] += 1
        for change in outcome.changes:
            self.kinds[change.kind, verdict.outcome] += 1
        self.seconds += outcome.seconds

    def __str__(self) -> str:
        head = f"{'contract':28}{'fired':>8}{'refused':>8}"
        lines = [head + "".join(f"{name:>9}" for name in OUTCOMES)]
        for contract in dict.fromkeys(name for name, _ in self.outcomes):
            fired = [self.fired[contract, is_fired] for is_fired in (True, False)]
            counts = [self.outcomes[contract, name] for name in OUTCOMES]
            line = f"{contract:28}{fired[0]:8}{fired[1]:8}"
            lines.append(line + "".join(f"{count:9}" for count in counts))
        lines.append("")
        for kind in MUTATIONS:
            counts = [self.kinds[kind, name] for name in OUTCOMES]
            lines.append(f"{kind:44}" + "".join(f"{count:9}" for count in counts))
        return "\n".join(lines)


def sources(files: Sequence[Path], contracts: Sequence[str]) -> list[list[Source]]:
    """Programs by contract: seeds with each near miss, and files."""
    found: dict[str, list[Source]] = {}
    for seed in seeds() if not files else ():
        if contracts and seed.contract not in contracts:
            continue
        for miss in (None, *seed.misses):
            made = Source(seed.contract, case_of(seed, miss), seed)
            found.setdefault(seed.contract, []).append(made)
    for path in files:
        case = Case.parse(path.read_text(), path.stem)
        found[path.stem] = [Source(path.stem, case, None)]
    return list(found.values())


def chosen(groups: Sequence[Sequence[Source]], number: int) -> tuple[Source, str]:
    """The source of a program and its chip: contracts and chips take turns."""
    turn, place = divmod(number, len(groups))
    group = groups[place]
    whole = [
        source for source in group if ", " not in source.case.name.partition(", ")[2]
    ]
    some = group if not turn % FROM_MISSES else whole or group
    gpu = GPUS[(turn + turn // len(GPUS)) % len(GPUS)]
    return some[turn // FROM_MISSES % len(some)], gpu


def run_program(groups: Sequence[Sequence[Source]], number: int) -> Outcome:
    """Makes and judges one program."""
    source, gpu = chosen(groups, number)
    start = time.process_time()
    made = mutant(source.case, number)
    if made.case is None:
        return Outcome(Verdict("invalid"), made.changes)
    try:
        verdict = judge(made.case, source.seed, gpu)
    except Exception as error:  # of the judge itself
        failure = Failure("judge", type(error).__name__, str(error))
        verdict = Verdict("finding", failure)
    seconds = time.process_time() - start
    return Outcome(verdict, made.changes, str(made.case), seconds)


def survive_program(groups: Sequence[Sequence[Source]], number: int) -> Outcome:
    """Makes one program and takes it through every command."""
    source, gpu = chosen(groups, number)
    start = time.process_time()
    made = mutant(source.case, number)
    if made.case is None:
        return Outcome(Verdict("invalid"), made.changes)
    failure = survive(made.case, number, gpu)
    verdict = Verdict("finding" if failure else "right", failure)
    seconds = time.process_time() - start
    return Outcome(verdict, made.changes, str(made.case), seconds)


def dead(groups: Sequence[Sequence[Source]], number: int, death: Death) -> Outcome:
    """The outcome of a program whose process died."""
    source, gpu = chosen(groups, number)
    failure = Failure(f"anywhere ({gpu})", "death", death.how)
    made = mutant(source.case, number)
    return Outcome(Verdict("finding", failure), made.changes, str(made.case))


def reason(failure: Failure) -> str:
    """What a failure says, without which program, numbers, names and chip."""
    where = re.sub(r"\(sm_\w+", "(", failure.where)
    text = re.sub(r"^(\S+:\d+:\d+|loc\([^)]*\)): ", "", failure.message)
    text = re.sub(
        r"0x[0-9a-f]+|-?\b\d+(\.\d+)?(e[+-]?\d+)?\b|%\w+|\bnan\b|-?\binf\b", "N", text
    )
    return f"{where}: {failure.kind}: {text}"[:160]


def report(
    name: str, outcome: Outcome, folder: Path | None, known: Counter[str]
) -> None:
    """Prints a finding, and writes it to a folder, unless enough look like it."""
    failure = outcome.verdict.failure
    assert failure is not None, "a finding has a failure"
    known[reason(failure)] += 1
    if known[reason(failure)] > FILES_EACH:
        return
    changes = "; ".join(map(str, outcome.changes))
    said = " ".join(f"{name} ({changes}): {failure}".split())
    print(f"finding: {said[:600]}", flush=True)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"\W+", "-", name)
        head = f"// {said}\n// rerun: tools/near_misses --replay {stem}.mlir\n"
        (folder / f"{stem}.mlir").write_text(head + outcome.text)


def replay(path: Path, gpus: Sequence[str]) -> bool:
    """Judges the program of a file on some chips; whether all is right."""
    case = Case.parse(path.read_text(), path.name)
    verdicts = {gpu: judge(case, None, gpu) for gpu in gpus}
    for gpu, verdict in verdicts.items():
        print(f"{path} ({gpu}): {verdict.outcome} {verdict.failure or ''}")
    return all(verdict.outcome != "finding" for verdict in verdicts.values())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/near_misses", description=__doc__)
    parser.add_argument("--programs", type=int, default=100, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="its number")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--contract", action="append", default=[], help="repeatable")
    parser.add_argument(
        "--of", type=Path, nargs="+", default=[], metavar="FILE", help="not of seeds"
    )
    parser.add_argument("--gpu", action="append", help=f"of --replay; {GPUS}")
    parser.add_argument(
        "--found", type=Path, metavar="DIR", help="write findings there"
    )
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE")
    parser.add_argument(
        "--survive", action="store_true", help="only see that no command dies of them"
    )
    parser.add_argument(
        "--seconds", type=float, default=TASK_SECONDS, help="wall time of one program"
    )
    return parser.parse_args()


def main() -> int:
    """Runs programs or files; 1 if something was found."""
    options = _arguments()
    if options.replay:
        results = [replay(path, options.gpu or GPUS) for path in options.replay]
        print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
        return 0 if all(results) else 1
    groups = sources(options.of, options.contract)
    numbers = range(options.first, options.first + options.programs)
    table, known = Table(), Counter[str]()
    task = partial(survive_program if options.survive else run_program, groups)
    for number, result in in_children(task, numbers, options.jobs, options.seconds):
        outcome = dead(groups, number, result) if isinstance(result, Death) else result
        source, gpu = chosen(groups, number)
        table.add(source.contract, outcome)
        if outcome.verdict.outcome == "finding":
            name = f"{source.case.name} {number} {gpu}"
            report(name, outcome, options.found, known)
    print(table)
    print("".join(f"{count:6} {text}\n" for text, count in known.most_common()), end="")
    print(f"{table.seconds / max(options.programs, 1):.2f} CPU s per program")
    failed = known.total()
    print(f"{options.programs - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
