# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the checks and tests of the project and counts them.

Called by `tools/test`, which sets the checkout up first. The last line of the
output is `N passed, N failed`; the exit code is 1 if anything failed. Before it stands
the time of each phase, and the CPU time of all.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from changed import FAR_EVERY, Choice, changed_files, choose

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build" / "test-results"
BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class Outcome:
    """Result of one check or suite; `output` is shown if it failed or `SHOWN`."""

    name: str
    passed: int
    failed: int
    output: str = ""
    seconds: float = 0.0

    def __str__(self) -> str:
        word = "FAILED" if self.failed else "ok"
        counts = f"{self.passed} passed, {self.failed} failed"
        return f"{word:6}  {self.name}: {counts}, {self.seconds:.1f} s"


Job = Callable[[], Outcome]
ANY_CHANGE = {"basedpyright", "ecosystem"}
"""Slow checks that any change may touch."""
SHOWN = ("ecosystem",)
"""Checks whose output is a report, which is shown if they pass, too."""
JOBS = 2
"""Checks at a time. lit and pytest run as many themselves, so each is alone."""
SLOW = (
    "basedpyright",
    "readme",
    "compiler_mutation",
    "diagnostics",
    "mutation",
    "ring_mutation",
    "plan_mutation",
    "plan_choices",
    "emulator_mutation",
    "ecosystem",
)
"""Checks of 17 to 205 s of CPU time, the longest first. They begin first, so that none
is left to run alone at the end."""


def environment() -> dict[str, str]:
    """That of the programs that are run.

    Hundreds of them are Python: each that compiles the package's modules for itself,
    as a container's `PYTHONDONTWRITEBYTECODE` asks, takes 0.5 s of CPU time more.
    """
    found = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a program in the root folder and captures its output."""
    words = [str(word) for word in command]
    path = environment()["PATH"]
    program = shutil.which(words[0], path=path)
    if program is None:
        missing = f"expected the program {words[0]} on the PATH, got none; install it"
        return subprocess.CompletedProcess(words, 127, missing)
    return subprocess.run(
        [program, *words[1:]],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def check(name: str, *command: str | Path) -> partial[Outcome]:
    """One check, which passes if the program exits with 0."""
    return partial(_check, name, *command)


def _check(name: str, *command: str | Path) -> Outcome:
    result = run(*command)
    good = result.returncode == 0
    return Outcome(name, int(good), int(not good), result.stdout)


def name_of(job: Job) -> str:
    """The name of a check."""
    if not isinstance(job, partial):
        return ""
    first = job.args[0]
    return first.stem if isinstance(first, Path) else str(first)


def longest_first(jobs: Iterable[Job]) -> list[Job]:
    """The checks in the order in which they begin."""
    places = {name: place for place, name in enumerate(SLOW)}
    return sorted(jobs, key=lambda job: places.get(name_of(job), len(SLOW)))


def sources(*suffixes: str) -> list[str]:
    """The project's files with these suffixes, tracked or new."""
    listing = run("git", "ls-files", "--cached", "--others", "--exclude-standard")
    names = listing.stdout.splitlines()
    return [
        name for name in names if name.endswith(suffixes) and (ROOT / name).exists()
    ]


def llvm_tool(name: str) -> str:
    """The program `name` of LLVM 22; packages append the version to the name."""
    return shutil.which(f"{name}-22") or name


def format_checks() -> Iterator[Job]:
    """Checks of the formatters."""
    fix = "to repair, run: "
    yield check(f"ruff format ({fix}ruff format)", "ruff", "format", "--check", ".")
    yield check(
        f"clang-format ({fix}clang-format-22 -i FILE)",
        *(llvm_tool("clang-format"), "--dry-run", "--Werror", *sources(".cpp", ".h")),
    )
    yield check(
        f"gersemi ({fix}gersemi -i FILE)",
        *("gersemi", "--check", *sources(".cmake", "CMakeLists.txt")),
    )


def lint_checks() -> Iterator[Job]:
    """Linter, spelling, the allowed imports, and a licence for every file."""
    yield check("ruff check", "ruff", "check", ".")
    yield check("codespell", "codespell", *sources(".py", ".md", ".cpp", ".h", ".td"))
    yield check("import-linter", "lint-imports")
    yield check("reuse", "reuse", "lint", "--lines")


def type_checks() -> Iterator[Job]:
    """Strict type checks, also of the generated stubs of the bindings."""
    yield check("basedpyright", "basedpyright")
    yield check("basedpyright of the stubs", "basedpyright", "-p", "tools/stubs.json")


def own_checks(*options: str) -> Iterator[partial[Outcome]]:
    """The project's own checks: the programs in tools/checks.

    Args:
        options: What those get that take samples.
    """
    for script in sorted((ROOT / "tools" / "checks").glob("*.py")):
        takes_samples = "add_sample_option(" in script.read_text()
        yield partial(own_check, script, *(options if takes_samples else ()))


def own_check(script: Path, *options: str) -> Outcome:
    """One program of ours, whose last line counts."""
    result = run(sys.executable, script, *options)
    last = result.stdout.rstrip().rpartition("\n")[2]
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
    if counts is None:
        return Outcome(script.stem, 0, 1, result.stdout)
    return Outcome(script.stem, int(counts[1]), int(counts[2]), result.stdout)


def lit_suite(*files: str) -> Outcome:
    """The FileCheck tests of the tools: some, or all."""
    report = RESULTS / "lit.json"
    report.unlink(missing_ok=True)
    result = run("lit", "-q", "-v", "-j2", "-o", report, *(files or ["test"]))
    if not report.exists():
        return Outcome("lit", 0, 1, result.stdout)
    codes = [test["code"] for test in json.loads(report.read_text())["tests"]]
    passed = sum(code in {"PASS", "FLAKYPASS", "XFAIL"} for code in codes)
    set_aside = sum(code in {"UNSUPPORTED", "SKIPPED", "EXCLUDED"} for code in codes)
    return Outcome("lit", passed, len(codes) - passed - set_aside, result.stdout)


def pytest_suite(*options: str) -> Outcome:
    """The tests of Python values."""
    report = RESULTS / "pytest.xml"
    report.unlink(missing_ok=True)
    files = [] if any(option.startswith("test/") for option in options) else ["test"]
    command = ("pytest", "-q", "-n2", f"--junitxml={report}", *options)
    result = run(*command, *files)
    if not report.exists():
        return Outcome("pytest", 0, 1, result.stdout)
    suite = ElementTree.parse(report).getroot().find("testsuite")
    assert suite is not None, "pytest's report has one testsuite"
    count = {key: int(suite.get(key, "0")) for key in ("tests", "failures", "errors")}
    failed = count["failures"] + count["errors"]
    skipped = int(suite.get("skipped", "0"))
    return Outcome("pytest", count["tests"] - failed - skipped, failed, result.stdout)


def clang_tidy_checks() -> Iterator[Job]:
    """clang-tidy on all C++ files; slow, so only on demand."""
    for name in sources(".cpp"):
        if (ROOT / name).stat().st_size and not name.startswith("cmake/"):
            command = (llvm_tool("clang-tidy"), "-p", "build", "--quiet")
            yield check(f"clang-tidy {name}", *command, "--warnings-as-errors=*", name)


Steps = dict[str, Callable[[], Iterable[Job]]]
STEPS: Steps = {
    "types": type_checks,
    "format": format_checks,
    "lint": lint_checks,
    "checks": partial(own_checks, "--sample"),
}
ALL_STEPS: Steps = STEPS | {"checks": own_checks}
ALONE: dict[str, Job] = {"lit": lit_suite, "pytest": partial(pytest_suite, "--sample")}
WHOLE: dict[str, Job] = ALONE | {"pytest": pytest_suite}
ON_DEMAND = {"clang-tidy": clang_tidy_checks}


def related(choice: Choice) -> tuple[list[Job], list[Job]]:
    """The checks and the suites for a change."""
    checks = [job for step in STEPS.values() for job in step()]
    left = set(SLOW) - ANY_CHANGE - set(choice.checks)
    suites: list[Job] = []
    if texts := [name for name in choice.lit if (ROOT / name).exists()]:
        suites.append(partial(lit_suite, *texts))
    if choice.near:
        suites.append(partial(pytest_suite, "--sample", *choice.near))
    if choice.far:
        thin = f"--every={FAR_EVERY}"
        suites.append(partial(pytest_suite, "--sample", thin, *choice.far))
    print(f"left to CI: {', '.join(name for name in SLOW if name in left)}")
    return [job for job in checks if name_of(job) not in left], suites


def timed(job: Job) -> Outcome:
    """Runs a job and prints what came of it."""
    start = time.monotonic()
    outcome = replace(job(), seconds=time.monotonic() - start)
    is_shown = outcome.failed or outcome.name in SHOWN
    output = f"\n{outcome.output}" if is_shown else ""
    print(f"{outcome}{output}", flush=True)
    return outcome


def outcomes(checks: Iterable[Job], suites: Iterable[Job]) -> Iterator[Outcome]:
    """Runs checks side by side, then each suite."""
    with ThreadPoolExecutor(JOBS) as pool:
        yield from pool.map(timed, longest_first(checks))
    yield from map(timed, suites)


def jobs_of(options: argparse.Namespace) -> tuple[list[Job], list[Job]]:
    """The checks and the suites that were asked for."""
    if options.changed is not None:
        choice = choose(ROOT, changed_files(ROOT, options.changed), SLOW)
        print("".join(f"{line}\n" for line in choice.lines()), end="", flush=True)
        if not choice.everything:
            return related(choice)
    known, suites = (ALL_STEPS, WHOLE) if options.all else (STEPS, ALONE)
    steps = [(known | ON_DEMAND)[name] for name in options.steps if name not in suites]
    checks = [job for step in steps for job in step()]
    return checks, [suites[name] for name in options.steps if name in suites]


DEFAULT: tuple[str, ...] = (*STEPS, *ALONE)


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line's options; `steps` is what to run, in order."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "steps",
        nargs="*",
        metavar="STEP",
        help=f"of {', '.join(DEFAULT)}, or {', '.join(ON_DEMAND)} (not run by default)",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="every case of the tests and checks that are sampled",
    )
    parser.add_argument(
        "--changed",
        nargs="?",
        const="",
        metavar="COMMIT",
        help="only what the change since COMMIT (main) can touch; prints what and why",
    )
    options = parser.parse_args(given)
    for name in options.steps:
        if name not in {*DEFAULT, *ON_DEMAND}:
            parser.error(f"expected steps of {', '.join(DEFAULT)}, got '{name}'")
    if options.changed is not None and (options.steps or options.all):
        parser.error("expected --changed alone, which chooses what runs")
    options.steps = options.steps or list(DEFAULT)
    return options


def phases(
    results: Sequence[Outcome], n_checks: int, seconds: float, cpu_seconds: float
) -> str:
    """The time of the checks, which ran side by side, and of each suite; CPU minutes.

    Args:
        results: Of the checks, then of the suites.
        n_checks: How many are checks.
        seconds: Of the whole run.
        cpu_seconds: Of all processes that it started.
    """
    suites = results[n_checks:]
    alone = sum(outcome.seconds for outcome in suites)
    parts = [("checks", seconds - alone)]
    parts += [(outcome.name, outcome.seconds) for outcome in suites]
    times = ", ".join(f"{name} {spent:.0f} s" for name, spent in parts)
    return f"time: {times}; {cpu_seconds / 60:.1f} minutes of CPU time"


def main() -> int:
    """Runs the chosen steps, or all but the ones on demand."""
    options = arguments()
    RESULTS.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    try:
        checks, suites = jobs_of(options)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    results = list(outcomes(checks, suites))
    bad = [outcome for outcome in results if outcome.failed]
    # Once more at the end, where a long log is looked at first.
    print("".join(f"{outcome}\n" for outcome in bad), end="")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_seconds = spent.ru_utime + spent.ru_stime
    print(phases(results, len(checks), time.monotonic() - start, cpu_seconds))
    passed = sum(outcome.passed for outcome in results)
    failed = sum(outcome.failed for outcome in results)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
