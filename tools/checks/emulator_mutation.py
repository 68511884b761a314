# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes away each rule of the emulator about order; the tests named with it must fail.

The rules are in test/ptx/emulator_rules.py. `--write` updates their table in
docs/synchronisation.md, `--only WORDS` takes the rules that contain some words,
`--sample` one of three. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import redirect_stdout
from io import StringIO
from multiprocessing import get_context
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "ptx"))

from changed_module import change_module
from emulator_rules import RULES
from sampling import add_sample_option, is_sampled

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "test" / "ptx"

PAGE = ROOT / "docs" / "synchronisation.md"
BEGIN = "<!-- rules: tools/checks/emulator_mutation.py --write -->"
END = "<!-- end of rules -->"


class _Outcomes:
    """A plugin of pytest that notes which tests ran, and which failed."""

    def __init__(self) -> None:
        self.ran: set[str] = set()
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes a test by its file, name and parameters."""
        name = report.nodeid.rpartition("/")[2]
        self.ran.add(name)
        if report.failed:
            self.failed.add(name)


def escapes(number: int) -> list[str]:
    """Tests that do not fail without a rule, which this process takes away for good."""
    rule = RULES[number]
    for name in list(sys.modules):
        if name.startswith("cuda_tile.emulator"):
            del sys.modules[name]
    change_module(f"cuda_tile.emulator.{rule.module}", rule.path, rule.applied())
    outcomes = _Outcomes()
    with redirect_stdout(StringIO()):
        pytest.main(
            [
                "-q",
                "-p",
                "no:cacheprovider",
                *(str(TESTS / name) for name in rule.tests),
            ],
            plugins=[outcomes],
        )
    return [
        f"{test}: {'passes' if _named(test, outcomes.ran) else 'does not run'}"
        for test in rule.tests
        if not _named(test, outcomes.failed)
    ]


def _named(test: str, names: set[str]) -> bool:
    """Whether a test, with any parameters if it names none, is among some."""
    return any(name == test or name.startswith(f"{test}[") for name in names)


def table() -> str:
    """The generated part of the page."""
    rows = [
        f"| {rule.about} | `{rule.module}` | "
        f"{', '.join(f'`{test}`' for test in rule.tests)} |"
        for rule in RULES
    ]
    head = "| rule | where in the emulator | tests that fail without it |"
    return "\n".join([head, "|---|---|---|", *rows])


def main() -> int:
    """Runs the tests of each mutant; 1 if one passes or the page is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"update {PAGE.name}")
    parser.add_argument("--only", default="", metavar="WORDS")
    add_sample_option(parser, 3)
    options = parser.parse_args()
    numbers = [
        number
        for number, rule in enumerate(RULES)
        if options.only in rule.about and is_sampled(rule.about, options.sample)
    ]
    passed = failed = 0
    os.chdir(ROOT)
    # A new process for each mutant: nothing of one is left for the next.
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for number, left in zip(numbers, pool.imap(escapes, numbers), strict=True):
            passed += not left
            failed += bool(left)
            for text in left:
                print(f"{RULES[number].about}: {text}")
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    wanted = f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"
    if options.write:
        PAGE.write_text(wanted)
    elif wanted != text:
        print(f"{PAGE.name} is stale; run tools/checks/emulator_mutation.py --write")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
