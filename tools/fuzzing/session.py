# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One session of the fuzz: for some time, on some cores, each kind in its turn."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from children import Death, in_children
from differential_check import Failure

from fuzzing.generator import VAGUE, Input, Seen
from fuzzing.store import Found, Store
from fuzzing.tasks import Done, Reduce, Run, do

ROOT = Path(__file__).resolve().parents[2]
HANG_SECONDS = 900
"""Wall time after which a process hangs: far above the CPU time of any program."""
SMALL_EACH = 4
"""Programs that are made small, of those in a session that may be one finding."""


@dataclass
class Totals:
    """What a kind did in a session.

    Attributes:
        programs: How many were judged.
        seconds: CPU time.
        new: How much was reached that no session had.
        findings: New ones.
    """

    programs: int = 0
    seconds: float = 0.0
    new: int = 0
    findings: int = 0


def commit_of(root: Path = ROOT) -> str:
    """The commit of a checkout, with a `+` if something is not committed."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(root), *words]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        return run.stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no")
    return (git("rev-parse", "--short=10", "HEAD") or "unknown") + "+" * bool(changed)


@dataclass
class Session:
    """A session, which is the iterator of its tasks.

    Attributes:
        store: The folder.
        kinds: Names of the generators.
        seconds: Wall time after which no program begins.
        most: Programs after which none begins; None for any number.
        say: Is told each new finding.
        totals: By kind.
        commit: What is tested.
    """

    store: Store
    kinds: Sequence[str]
    seconds: float
    most: int | None = None
    say: Callable[[str], None] = print
    totals: dict[str, Totals] = field(default_factory=dict[str, Totals])
    commit: str = field(default_factory=commit_of)

    def __post_init__(self) -> None:
        """Begins with findings that are known: are they still there?"""
        self.totals = {kind: Totals() for kind in self.kinds}
        self._start, self._count = time.monotonic(), 0
        self._waiting: deque[Run | Reduce] = deque()
        self._vague = Counter[tuple[str, ...]]()
        self._given = Counter[str]()
        known = self.store.findings.values()
        self._waiting += [
            Run(found.made.kind, -1, self.store.folder, found.made) for found in known
        ]
        self._waiting += [
            Reduce(found.name, found.made, found.failure)
            for found in known
            if not found.is_small
        ]

    def __iter__(self) -> Session:
        """The tasks."""
        return self

    def __next__(self) -> Run | Reduce:
        """What waits; then the next program of the kind that had the least time."""
        if self._waiting:
            return self._waiting.popleft()
        is_over = time.monotonic() - self._start >= self.seconds
        if is_over or (self.most is not None and self._count >= self.most):
            raise StopIteration
        kind = min(self.kinds, key=lambda k: (self.totals[k].seconds, self._given[k]))
        self._count, self._given[kind] = self._count + 1, self._given[kind] + 1
        number = self.store.numbers.get(kind, 0)
        self.store.numbers[kind] = number + 1
        return Run(kind, number, self.store.folder)

    def run(self, jobs: int) -> None:
        """Runs the session; Ctrl-C ends it, and all that is known by then is kept."""
        try:
            for task, done in in_children(do, self, jobs, HANG_SECONDS):
                self._take(task, done)
        except KeyboardInterrupt:
            self.say("stopped")
        self.store.save()
        self.store.remember(self.facts())

    def facts(self) -> dict[str, Any]:
        """The session for the history."""
        states = Counter(found.state for found in self.store.findings.values())
        kinds = {
            kind: {**vars(total), "reached": len(self.store.reached.get(kind, ()))}
            for kind, total in self.totals.items()
        }
        return {
            "commit": self.commit,
            "date": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
            "seconds": round(time.monotonic() - self._start, 1),
            "kinds": kinds,
            "open": states["open"],
            "mended": states["mended"],
        }

    # Results --------------------------------------------------------------------------

    def _take(self, task: Run | Reduce, done: Done | Death) -> None:
        if isinstance(task, Reduce):
            self._take_small(task, done)
        elif task.again is not None:
            self._take_again(task.again, done)
        else:
            self._take_new(task, self._died(task, done))
        if not self._count % 20:
            self.store.save()

    def _died(self, task: Run, done: Done | Death) -> Done:
        """What came of a program, also if its process died."""
        if isinstance(done, Done):
            return done
        kind = "timeout" if done.how == "hung" else "death"
        files = sorted(
            (self.store.folder / "running").glob("*.json"),
            key=lambda path: path.stat().st_mtime,
        )
        inputs = [Input.from_json(json.loads(path.read_text())) for path in files]
        made = next((m for m in inputs if m.kind == task.kind), Input(task.kind, b""))
        for path, each in zip(files, inputs, strict=True):
            if each is made:
                path.unlink()
        failure = Failure("anywhere", kind, f"program {task.number} {done.how}")
        return Done(made, Seen(failure))

    def _take_new(self, task: Run, done: Done) -> None:
        total = self.totals[task.kind]
        total.seconds += done.seconds
        if done.made is None:
            return
        total.programs += 1
        if done.seen.failure is None:
            total.new += self.store.reach(done.made, done.seen.features)
            return
        self._file(done.made, done.seen.failure)

    def _file(self, made: Input, failure: Failure) -> None:
        """Files a failure, and has its program made small if it may be a new one."""
        if failure.kind in VAGUE:
            like = (made.kind, failure.where, failure.kind)
            self._vague[like] += 1
            if self._vague[like] > SMALL_EACH:
                return
        found = self.store.file(made, failure, self.commit)
        if found.count == 1:
            self._waiting.append(Reduce(found.name, made, failure))
            if failure.kind not in VAGUE:
                self._tell(found)

    def _tell(self, found: Found) -> None:
        self.totals[found.made.kind].findings += 1
        self.say(f"finding: {found}")

    def _take_small(self, task: Reduce, done: Done | Death) -> None:
        if task.name not in self.store.findings:
            return
        if isinstance(done, Death) or done.made is None or done.seen.failure is None:
            found = self.store.findings[task.name]
            found.sizes = ["not made small", str(getattr(done, "how", ""))]
            self.store.write(found)
        else:
            found = self.store.made_small(
                task.name, done.made, done.seen.failure, done.sizes
            )
        if found.name == task.name and task.failure.kind in VAGUE:
            self._tell(found)

    def _take_again(self, again: Input, done: Done | Death) -> None:
        """A finding that no longer fails was mended."""
        is_failing = isinstance(done, Death) or done.seen.failure is not None
        for found in self.store.findings.values():
            if found.made is again and found.state != (
                state := "open" if is_failing else "mended"
            ):
                found.state = state
                found.commits = [found.commits[0], self.commit]
                self.store.write(found)
                self.say(f"{state}: {found}")
