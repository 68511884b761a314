# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges candidates in a test suite.

    pytest -p cuda_tile.judge.pytest_plugin --judge-against=reference.py solutions/

Each file that is called `candidate*.py`, or matches `--judge-files`, is a test; a test
of one's own takes the fixture `judge`.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cuda_tile.errors import UserError
from cuda_tile.judge.runner import judge_file
from cuda_tile.judge.verdict import Verdict

PATTERN = "candidate*.py"


class NotRight(Exception):
    """A candidate's verdict is not `right`."""


def pytest_addoption(parser: Any) -> None:
    """Adds the options."""
    group = parser.getgroup("judge", "verdicts for cuTile programs")
    group.addoption("--judge-against", metavar="FILE", help="the reference")
    group.addoption(
        "--judge-files", metavar="GLOB", default=PATTERN, help=f"candidates ({PATTERN})"
    )


def pytest_collect_file(file_path: Path, parent: Any) -> Any:
    """A candidate is a test."""
    options = parent.config.option
    if options.judge_against and fnmatch.fnmatch(file_path.name, options.judge_files):
        file: Any = _File
        return file.from_parent(parent, path=file_path)
    return None


class _File(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        """One test, of the file."""
        item: Any = _Item
        yield item.from_parent(self, name="verdict")


class _Item(pytest.Item):
    def runtest(self) -> None:
        """Fails with the reasons where the verdict is not `right`."""
        reference = Path(self.config.option.judge_against)
        verdict = judge_file(self.path, reference)
        if verdict.word != "right":
            raise NotRight(describe(verdict))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The reasons alone: the frames are those of the judge."""
        if isinstance(excinfo.value, (NotRight, UserError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The candidate's file."""
        return self.path, 0, f"verdict of {self.path.name}"


def describe(verdict: Verdict) -> str:
    """A verdict in lines of text: the word, then the reasons."""
    return "\n".join([verdict.word, *(f"  {each}" for each in verdict.findings)])


@pytest.fixture
def judge() -> Callable[[Path, Path], Verdict]:
    """`judge(candidate, reference)` gives the verdict."""
    return judge_file
