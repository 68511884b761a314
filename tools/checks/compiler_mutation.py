# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deletes or weakens each rule that orders accesses; a program must notice it.

The mutants are in test/differential/compiler_mutants.py. The programs are those of
test/differential/Inputs, which the compiler gets right (a test says so): a mutant is
noticed where one of them fails at any level or on the emulator in adversarial mode.
The checkers behind passes are off: they also refuse what goes well in every run, and a
rule that only a checker notices lacks its program.
One that is listed as redundant must not be noticed. `--search N` looks among N random
programs of each kind for those that lack, and writes them; `--mutant NAME` takes one
mutant, `--sample` one of three. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "ops"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "emit"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "differential"))

from changed_module import change_module
from compiler_mutants import INPUTS, MUTANTS, Mutant
from differential_case import Case, make_case
from differential_check import LEVELS_W, Failure, check
from differential_reduce import reduce_case
from differential_steps import KINDS, make_recipe, write_program
from sampling import add_sample_option, is_sampled

import cuda_tile
from cuda_tile.options import Options

ROOT = Path(__file__).resolve().parents[2]
GPUS = ("sm_80",)
SEEDS = 3
SECONDS = 60
"""CPU time after which a mutant counts as one that hangs."""
_AGAIN = ("analysis", "rewrites", "passes", "pass_order", "pipeline", "api", "running")
"""Parts of the package that are loaded anew for a mutant: those with its rules, and
those above them."""


@dataclass(frozen=True)
class Candidate:
    """A program that may notice a mutant.

    Attributes:
        case: The program.
        level: What the unchanged compiler makes of it at level W; where a mutant makes
            the same, there is nothing to notice.
        is_random: Whether it was drawn, and is to be made small.
    """

    case: Case
    level: str
    is_random: bool = False


def source_of(mutant: Mutant) -> Path:
    """The file that a mutant changes."""
    parts = mutant.module.split(".")
    return ROOT.joinpath("python", "cuda_tile", *parts).with_suffix(".py")


def _become(mutant: Mutant) -> None:
    """Loads the compiler with the change of a mutant into this process."""
    for name in list(sys.modules):
        package, _, part = name.partition(".")
        if package == "cuda_tile" and part.split(".")[0] in _AGAIN:
            del sys.modules[name]
    source = source_of(mutant)
    text = mutant.applied(source.read_text())
    change_module(f"cuda_tile.{mutant.module}", source, text)
    for name in ("compile", "lower", "run"):
        cuda_tile.__dict__.pop(name, None)  # its module is loaded on the next use


def _judge(case: Case) -> Failure | None:
    """Checks a program; a mutant that hangs has failed."""

    def ring(number: int, frame: object) -> None:
        del number, frame
        raise TimeoutError(f"not ready after {SECONDS} CPU s")

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return check(case, GPUS, seeds=SEEDS, levels=len(LEVELS_W), has_checkers=False)
    except TimeoutError as error:
        return Failure("anywhere", "timeout", str(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _level_w(case: Case) -> str:
    """The program at level W with its barriers, or why the compiler refuses it."""
    module = cuda_tile.load(case.body.encode())
    options = Options(num_warps=case.num_warps)
    try:
        lowered = cuda_tile.lower(module, GPUS[0], until="barriers", options=options)
    except Exception as error:
        return repr(error)
    return str(lowered)


def _known_programs() -> list[Candidate]:
    """The programs that notice mutants, and those that once were compiled wrong."""
    paths = sorted(INPUTS.rglob("*.mlir"))
    cases = [Case.parse(path.read_text(), path.name) for path in paths]
    return [Candidate(case, _level_w(case)) for case in cases]


def _random_programs(seeds: int) -> list[Candidate]:
    found: list[Candidate] = []
    for seed in range(seeds):
        for kind in KINDS:
            recipe = make_recipe(kind, seed)
            case = make_case(recipe, write_program(recipe))
            found.append(Candidate(case, _level_w(case), is_random=True))
    return found


def _noticed(mutant: Mutant, candidates: list[Candidate]) -> tuple[str, str]:
    """The first program that notices a mutant: how, and its text made small."""
    _become(mutant)
    for candidate in candidates:
        if _level_w(candidate.case) == candidate.level:
            continue
        failure = _judge(candidate.case)
        if failure is None:
            continue
        case = candidate.case
        if candidate.is_random:
            case, failure = reduce_case(case, failure, _judge, tries=150)
        return f"{case.name}: {' '.join(str(failure).split())}", str(case)
    return "", ""


def _in_child(mutant: Mutant, candidates: list[Candidate]) -> tuple[str, str]:
    """`_noticed` in a process of its own, which the mutant may spoil."""
    with ProcessPoolExecutor(1, get_context("fork")) as pool:
        return pool.submit(_noticed, mutant, candidates).result()


def _problem(mutant: Mutant, noticed: str) -> str:
    """What is wrong with an entry of the list, or ""."""
    if mutant.redundant:
        return f"listed as redundant, but noticed by {noticed}" if noticed else ""
    return "" if noticed else "no program notices it; --search looks for one"


def _check(mutant: Mutant, known: list[Candidate], more: list[Candidate]) -> str:
    """Runs one mutant; gives what is wrong with its entry, or ""."""
    try:
        mutant.applied(source_of(mutant).read_text())
    except ValueError as error:
        return str(error)
    noticed, _ = _in_child(mutant, known)
    if not noticed and more and not mutant.redundant:
        noticed, text = _in_child(mutant, more)
        if noticed:
            mutant.program.parent.mkdir(parents=True, exist_ok=True)
            mutant.program.write_text(f"// {mutant.name}\n{text}")
            known.insert(0, Candidate(Case.parse(text, mutant.program.name), ""))
    return _problem(mutant, noticed)


def main() -> int:
    """Runs every mutant; 1 if one is not noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--search", type=int, default=0, metavar="N")
    parser.add_argument("--mutant", choices=[mutant.name for mutant in MUTANTS])
    add_sample_option(parser, 3)
    options = parser.parse_args()
    chosen = [
        mutant
        for mutant in MUTANTS
        if options.mutant in (None, mutant.name)
        and is_sampled(mutant.name, options.sample)
    ]
    known, more = _known_programs(), _random_programs(options.search)
    failed = 0
    for mutant in chosen:
        problem = _check(mutant, known, more)
        if problem:
            print(f"{mutant.name}: {problem}", flush=True)
            failed += 1
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
