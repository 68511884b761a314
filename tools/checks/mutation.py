# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutates the synchronisation of PTX programs; the emulator must report each mutant.

`test/ptx/ptx_mutation.py` mutates the programs of `test/ptx/ptx_programs.py`. A mutant
must be reported under one of a few seeds, as any kind of finding. A mutant without a
finding must be listed with the program as redundant, with the reason; a listed one must
run without a finding and give the right result. The results are in the table of
docs/synchronisation.md; `--write` updates it, `--program NAME` prints the mutants of
one program instead, `--sample` runs one program of three and leaves the table. Ends
with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "ptx"))

from ptx_mutation import KINDS, Mutant, mutants
from ptx_programs import PROGRAMS, Program, Redundant
from sampling import add_sample_option, is_sampled

from cuda_tile.emulator import FindingError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "synchronisation.md"
BEGIN = "<!-- mutants: tools/checks/mutation.py --write -->"
END = "<!-- end of mutants -->"
SEEDS = 8
# Instructions after which a mutant is reported as an endless loop; every unmutated
# program takes less than a tenth of it.
LIMIT = 100_000
_GUARD = re.compile(r"@!?%?\w+\s+")


@dataclass
class Result:
    """Results for the mutants of one program.

    Attributes:
        found: Number of reported mutants, by kind of mutation and kind of finding.
        clean: Mutants without a finding and with the right result under every seed,
            with the reason listed for each.
        failures: Descriptions of unexpected outcomes.
        most_seeds: Largest number of seeds that a reported mutant needed.
    """

    found: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    clean: list[tuple[Mutant, Redundant]] = field(
        default_factory=list[tuple[Mutant, Redundant]]
    )
    failures: list[str] = field(default_factory=list[str])
    most_seeds: int = 0


def finding_of(program: Program, mutant: Mutant, seeds: int) -> tuple[str, int]:
    """The kind of finding of a mutant and the seeds it took; "" for none.

    A result that is wrong without a finding is called "wrong result".
    """
    for seed in range(seeds):
        try:
            program.run("adversarial", seed, text=mutant.text, limit=LIMIT)
        except FindingError as error:
            return error.finding.kind, seed + 1
        except AssertionError:
            return "wrong result", seed + 1
    return "", seeds


def listed(program: Program, mutant: Mutant, every: list[Mutant]) -> Redundant | None:
    """The entry of a program for a redundant mutant."""
    for entry in program.redundant:
        alike = [
            other
            for other in every
            if other.change == entry.change
            and _GUARD.sub("", other.instruction).startswith(entry.instruction)
        ]
        if mutant in (alike[-1:] if entry.last else alike):
            return entry
    return None


def run_program(program: Program, seeds: int, *, verbose: bool = False) -> Result:
    """Runs all mutants of a program."""
    result = Result()
    every = list(mutants(program.text))
    for mutant in every:
        kind, took = finding_of(program, mutant, seeds)
        reason = listed(program, mutant, every)
        if verbose:
            print(f"{kind or 'clean':18}{mutant}")
        if kind and kind != "wrong result" and reason is None:
            result.found[mutant.kind, kind] += 1
            result.most_seeds = max(result.most_seeds, took)
        elif not kind and reason is not None:
            result.clean.append((mutant, reason))
        else:
            what = f"{kind} reported" if reason else kind or "nothing reported"
            also = " but listed as redundant" if reason else ""
            result.failures.append(f"{mutant}: {what}{also}")
    used = [entry for _, entry in result.clean]
    result.failures += [
        f"no clean mutant is {entry.change} of {entry.instruction}, listed as redundant"
        for entry in program.redundant
        if entry not in used
    ]
    return result


def page(results: dict[str, Result]) -> str:
    """The generated part of the page."""
    return "\n".join(
        [
            *_by_program(results),
            "",
            *_redundant(results),
            "",
            *_by_finding(results),
        ]
    )


def _by_program(results: dict[str, Result]) -> Iterator[str]:
    kinds = [k for k in KINDS if any(_count(r, k) != "" for r in results.values())]
    yield f"| program | what it shows | {' | '.join(kinds)} |"
    yield "|---" * (len(kinds) + 2) + "|"
    for name, result in results.items():
        cells = " | ".join(_count(result, kind) for kind in kinds)
        about = PROGRAMS[name].about
        yield f"| {name} ({PROGRAMS[name].target}) | {about} | {cells} |"


def _count(result: Result, kind: str) -> str:
    reported = sum(n for (k, _), n in result.found.items() if k == kind)
    clean = sum(mutant.kind == kind for mutant, _ in result.clean)
    if not clean:
        return str(reported) if reported else ""
    return f"{reported} + {clean} redundant"


def _redundant(results: dict[str, Result]) -> Iterator[str]:
    total = sum(n for result in results.values() for n in result.found.values())
    yield f"{total} mutants are reported. These are redundant:"
    yield ""
    for name, result in results.items():
        for mutant, entry in result.clean:
            yield f"- {name}, {mutant.change} of `{mutant.instruction}`: {entry.reason}"


def _by_finding(results: dict[str, Result]) -> Iterator[str]:
    total: Counter[tuple[str, str]] = Counter()
    for result in results.values():
        total += result.found
    findings = sorted({finding for _, finding in total})
    yield "What they are reported as:"
    yield ""
    yield f"| mutation | {' | '.join(findings)} |"
    yield "|---" * (len(findings) + 1) + "|"
    for kind in KINDS:
        cells = [str(total[kind, finding] or "") for finding in findings]
        if any(cells):
            yield f"| {kind} | {' | '.join(cells)} |"


def main() -> int:
    """Compares or writes; 1 if a mutant escapes or the page is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"update {PAGE.name}")
    parser.add_argument("--seeds", type=int, default=SEEDS, metavar="N")
    parser.add_argument("--program", choices=tuple(PROGRAMS))
    add_sample_option(parser, 3)
    options = parser.parse_args()
    names: list[str] = [options.program] if options.program else list(PROGRAMS)
    names = [name for name in names if is_sampled(name, options.sample)]
    results: dict[str, Result] = {}
    for name in names:
        is_alone = options.program is not None
        result = run_program(PROGRAMS[name], options.seeds, verbose=is_alone)
        results[name] = result
        for failure in result.failures:
            print(f"{name}: {failure}")
    failed = sum(len(result.failures) for result in results.values())
    passed = sum(r.found.total() + len(r.clean) for r in results.values())
    if len(names) == len(PROGRAMS):
        text = PAGE.read_text()
        before, _, rest = text.partition(BEGIN)
        wanted = f"{before}{BEGIN}\n{page(results)}\n{END}{rest.partition(END)[2]}"
        if options.write:
            PAGE.write_text(wanted)
        elif wanted != text:
            print(f"{PAGE.name} is stale; run tools/checks/mutation.py --write")
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
