# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a change can touch, for `tools/test --changed`.

A test is near a changed file if it imports the file, also through others, or is named
after it: the files of an op family bear its name in every stage. It is far if it gets
there only through what compiles or runs whole kernels (`WHOLE`), or if so many tests
import the file that this says nothing. Near tests run as in CI, far ones one case of
`FAR_EVERY`. Files that no rule relates to tests mean everything.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from imports import Graph

WHOLE = ("api", "pipeline", "pass_flags", "user_passes", "passmanager", "launcher")
"""Modules of the package through which everything is reached."""
FAR_EVERY = 12
"""Of far tests one case of so many runs: of some 3,000 s of CPU time, 250 remain."""
WIDE = 3
"""A file that more than one test file of so many imports is near only to its own."""
_SHORTEST_WORD = 3
_TEXTS = (".md", ".svg", ".html", ".css")
_NO_TESTS = ("LICENSES/", "LICENSE", "NOTICE", "REUSE.toml", "mkdocs.yml", "docs/")
"""Files that only checks read, which always run."""


@dataclass
class Choice:
    """What to run.

    Attributes:
        everything: Why all must run, or empty.
        near: Test files to run whole, each with a reason.
        far: Test files to run a sample of, each with a reason.
        checks: Slow checks to run, each with a reason.
        lit: Why lit runs: all of it for "all", else these files; empty for none.
    """

    everything: str = ""
    near: dict[str, str] = field(default_factory=dict[str, str])
    far: dict[str, str] = field(default_factory=dict[str, str])
    checks: dict[str, str] = field(default_factory=dict[str, str])
    lit: list[str] = field(default_factory=list[str])

    def lines(self) -> Iterator[str]:
        """What was chosen and why, to be printed."""
        if self.everything:
            yield f"everything: {self.everything}"
            return
        for kind, chosen in (("near", self.near), ("check", self.checks)):
            yield from (f"{kind}: {name}: {why}" for name, why in chosen.items())
        for why in dict.fromkeys(self.far.values()):
            count = sum(reason == why for reason in self.far.values())
            yield f"far: one case of {FAR_EVERY} of {count} test files: {why}"
        yield f"lit: {' '.join(self.lit) or 'nothing'}"


def changed_files(root: Path, base: str = "") -> list[str]:
    """Files that differ from where the branch left `base`, new ones included.

    Args:
        root: The checkout.
        base: A commit; by default `main`, or `HEAD` where there is no such branch.

    Raises:
        ValueError: `base` names no commit.
    """
    if not base:
        base = "main" if _git(root, "rev-parse", "--verify", "-q", "main") else "HEAD"
    start = _git(root, "merge-base", "HEAD", base)
    if len(start) != 1:
        raise ValueError(f"expected a commit to compare with, got '{base}'")
    named = _git(root, "diff", "--name-only", "--no-renames", start[0])
    new = _git(root, "ls-files", "--others", "--exclude-standard")
    return sorted({*named, *new})


def _git(root: Path, *words: str) -> list[str]:
    result = subprocess.run(
        ["git", *words], cwd=root, capture_output=True, text=True, check=False
    )
    return result.stdout.splitlines()


def choose(root: Path, files: Sequence[str], slow_checks: Sequence[str]) -> Choice:
    """Relates changed files to tests.

    Args:
        root: The checkout.
        files: The changed files, relative to it.
        slow_checks: Names of checks that run only if they are related.
    """
    choice, graph = Choice(), Graph(root)
    for name in files:
        if reason := _unrelated(name):
            return Choice(everything=f"{name}: {reason}")
        if name.endswith(".py"):
            _relate_module(choice, graph, name, slow_checks)
        elif name.startswith(_NO_TESTS) or name.endswith(_TEXTS):
            _relate_page(choice, graph, root / name, slow_checks)
        elif not _relate_data(choice, graph, root, name):
            return Choice(everything=f"{name}: no test names it")
    choice.far = {t: why for t, why in choice.far.items() if t not in choice.near}
    return choice


def _unrelated(name: str) -> str:
    """Why no rule relates a file to some tests only, or empty."""
    path = Path(name)
    if name.startswith(("dialect/", "python/ext/", "python/bindings/", "cmake/")):
        return "the dialect and its bindings are part of every test"
    if path.suffix == ".txt" and path.name == "CMakeLists.txt":
        return "the build is part of every test"
    if path.name in ("conftest.py", "lit.cfg.py", "pyproject.toml", "setup"):
        return "every test is run with it"
    if name.startswith(("tools/requirements", ".ci/")) or name == "tools/test":
        return "every test is run with it"
    return ""


def _relate_module(
    choice: Choice, graph: Graph, name: str, slow_checks: Sequence[str]
) -> None:
    whole = {f"python/cuda_tile/{stem}.py" for stem in WHOLE}
    near = graph.users(name, past=whole)
    tests = [test for test in graph.tests if test in near]
    is_wide = len(tests) * WIDE > len(graph.tests)
    words = _words(name)
    for test in graph.tests:
        if test == name:
            choice.near[test] = "it changed"
        elif words & _words(test):
            choice.near.setdefault(test, f"named after {name}")
        elif test in near and not is_wide:
            choice.near.setdefault(test, f"imports {name}")
    for test in graph.users(name, past=set()) & set(graph.tests):
        how = "a third of all tests import it" if is_wide else "through whole kernels"
        choice.far.setdefault(test, f"{name}, {how}")
    for check in slow_checks:
        path = f"tools/checks/{check}.py"
        if path == name or (path in near and not is_wide):
            choice.checks.setdefault(check, f"imports {name}")
    if name.startswith(("python/cuda_tile/cli/", "examples/")):
        _add_check(choice, "readme", f"its commands run {name}", slow_checks)
    if name.startswith("python/cuda_tile/"):
        choice.lit = ["test"]


def _relate_page(
    choice: Choice, graph: Graph, page: Path, slow_checks: Sequence[str]
) -> None:
    """Relates a page to the tests that name it, and to the run of its commands."""
    for test in graph.tests:
        if graph.names(test, [f'"{page.name}"']):
            choice.near.setdefault(test, f"names {page.name}")
    text = page.read_text() if page.exists() and page.suffix == ".md" else ""
    if "```console" in text or "```python" in text:
        _add_check(choice, "readme", f"{page.name} has commands", slow_checks)


def _add_check(choice: Choice, check: str, why: str, known: Sequence[str]) -> None:
    if check in known:
        choice.checks.setdefault(check, why)


def _relate_data(choice: Choice, graph: Graph, root: Path, name: str) -> bool:
    """Relates a file that tests read; whether any does."""
    path = Path(name)
    if name.startswith("test/") and _is_lit(root / name):
        if choice.lit != ["test"]:
            choice.lit = [*dict.fromkeys((*choice.lit, name))]
        return True
    folders = [f'"{part}"' for part in path.parts[1:-1]]
    found: dict[str, str] = {}
    for test in graph.tests:
        if graph.names(test, [path.name]) or graph.names(test, [f'"{path.stem}"']):
            found[test] = f"names {name}"
        elif path.parts[0] == "test" and path.parts[1] == Path(test).parts[1]:
            found[test] = f"in the folder of {name}"
        elif folders and graph.names(test, folders):
            found[test] = f"names the folder of {name}"
    choice.near = found | choice.near
    return bool(found)


def _is_lit(path: Path) -> bool:
    """Whether lit runs a file; of one that is gone, whether it may have."""
    if path.suffix not in (".mlir", ".test", ".c"):
        return False
    return not path.exists() or "RUN:" in path.read_text()


def _words(name: str) -> set[str]:
    """The words of a file's name that say what it is about, in the singular."""
    words = re.split(r"[_.]", Path(name).name.removeprefix("test_"))[:-1]
    return {w.rstrip("s") for w in words if len(w) >= _SHORTEST_WORD and w != "init"}
