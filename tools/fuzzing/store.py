# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the fuzz keeps in its folder: findings, corpus, coverage, numbers, history.

- `findings/NAME.json` and `NAME.mlir`, `.tileirbc`, `.ptx`: what was found, its program
- `corpus/KIND/`: programs that reached something new
- `state.json`: the next number of each kind, and what each has reached
- `history.jsonl`: a line for each session
- `running/`: programs that are being judged
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from differential_check import Failure

from fuzzing.generator import Generator, Input, explains, signature

MOST_CORPUS = 400
"""Programs of a kind that are kept."""


@dataclass
class Found:
    """A finding.

    Attributes:
        name: Of its files.
        made: Its program, the smallest that is known.
        failure: How it fails.
        signature: What all failures of this finding have in common.
        count: How often it was seen.
        commits: Where it was seen first, and last.
        state: `open`, or `mended`.
        sizes: Of its program before and after it was made small; empty until then.
    """

    name: str
    made: Input
    failure: Failure
    signature: str
    count: int
    commits: list[str]
    state: str = "open"
    sizes: list[str] = field(default_factory=list[str])

    @property
    def is_small(self) -> bool:
        """Whether its program was made small, as far as that goes."""
        return bool(self.sizes)

    def __str__(self) -> str:
        sizes = " -> ".join(size for size in self.sizes if size)
        said = " ".join(str(self.failure).split())[:300]
        return f"{self.name} ({self.state}, {self.count} times, {sizes}): {said}"


def replace_text(path: Path, text: str) -> None:
    """Writes a file so that it is always whole."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(text)
    os.replace(new, path)


class Store:
    """The folder of a fuzz.

    Args:
        folder: Where it is; made if it is not.
        generators: By name.

    Attributes:
        folder: Where it is.
        numbers: The next number of each kind.
        reached: What each kind has reached.
        findings: By name.
    """

    def __init__(self, folder: Path, generators: Mapping[str, Generator]) -> None:
        self.folder, self._generators = folder, generators
        for name in ("findings", "corpus", "running"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        state: dict[str, Any] = {}
        if self._state.exists():
            state = json.loads(self._state.read_text())
        self.numbers: dict[str, int] = state.get("numbers", {})
        reached: dict[str, list[str]] = state.get("reached", {})
        self.reached = {kind: set(names) for kind, names in reached.items()}
        self.findings = {found.name: found for found in self._read_findings()}

    @property
    def _state(self) -> Path:
        return self.folder / "state.json"

    def save(self) -> None:
        """Writes numbers and what was reached."""
        reached = {kind: sorted(names) for kind, names in self.reached.items()}
        state = {"numbers": self.numbers, "reached": reached}
        replace_text(self._state, json.dumps(state, indent=0))

    def reach(self, made: Input, features: frozenset[str]) -> int:
        """Notes what a program reached, and keeps one that is new; how much is new."""
        known = self.reached.setdefault(made.kind, set())
        new = features - known
        known |= new
        folder = self.folder / "corpus" / made.kind
        if new and len(known) > len(new):  # the first program reaches much by nature
            folder.mkdir(exist_ok=True)
            if len(list(folder.iterdir())) < MOST_CORPUS:
                suffix = self._generators[made.kind].suffix
                (folder / f"{_sum(made.data)}{suffix}").write_bytes(made.data)
        return len(new)

    # Findings -------------------------------------------------------------------------

    def _program(self, found: Found) -> Path:
        suffix = self._generators[found.made.kind].suffix
        return self.folder / "findings" / f"{found.name}{suffix}"

    def _read_findings(self) -> Iterator[Found]:
        for path in sorted((self.folder / "findings").glob("*.json")):
            yield self.read_finding(path)

    def read_finding(self, path: Path) -> Found:
        """Reads a finding's JSON, and its program beside it."""
        facts = json.loads(path.read_text())
        failure = Failure(*facts.pop("failure"))
        kind, how = facts.pop("kind"), facts.pop("how")
        program = path.with_suffix(self._generators[kind].suffix)
        made = Input(kind, program.read_bytes(), how)
        return Found(path.stem, made, failure, **facts)

    def write(self, found: Found) -> None:
        """Files a finding, or what is new of it."""
        self.findings[found.name] = found
        facts = {
            "kind": found.made.kind,
            "how": dict(found.made.how),
            "failure": [*vars(found.failure).values()],
            "signature": found.signature,
            "count": found.count,
            "commits": found.commits,
            "state": found.state,
            "sizes": found.sizes,
        }
        self._program(found).write_bytes(found.made.data)
        path = self.folder / "findings" / f"{found.name}.json"
        replace_text(path, json.dumps(facts, indent=1) + "\n")

    def remove(self, found: Found) -> None:
        """Takes a finding away, which is another one."""
        self.findings.pop(found.name, None)
        self._program(found).unlink(missing_ok=True)
        (self.folder / "findings" / f"{found.name}.json").unlink(missing_ok=True)

    def file(self, made: Input, failure: Failure, commit: str) -> Found:
        """Files a failure: a new finding, or once more one that is known."""
        text = made.data.decode("latin-1")
        sign = signature(failure, text)
        found = self.same(sign, text)
        if found is None:
            name = f"{made.kind}-{_sum(f'{sign} {text}'.encode())}"
            found = Found(name, made, failure, sign, 0, [commit])
        self.see_again(found, 1, commit)
        return found

    def see_again(self, found: Found, count: int, commit: str) -> None:
        """Counts a finding; one that was mended is open again."""
        found.count, found.state = found.count + count, "open"
        found.commits = [found.commits[0], commit]
        self.write(found)

    def same(self, sign: str, text: str, but: str = "") -> Found | None:
        """The finding of a signature, or with a program; but one of a name."""
        for found in self.findings.values():
            is_same = found.signature == sign
            is_same |= found.made.data.decode("latin-1") == text
            if found.name != but and is_same:
                return found
        return None

    def made_small(
        self, name: str, made: Input, failure: Failure, sizes: tuple[str, str]
    ) -> Found:
        """Files the small program of a finding; one that is known then is one."""
        found = self.findings[name]
        text = made.data.decode("latin-1")
        sign = signature(failure, text)
        other = self.same(sign, text, name) or self._explaining(sign, name)
        if other is not None:
            self.remove(found)
            self.see_again(other, found.count, found.commits[-1])
            return other
        for larger in self._explained(sign, name):
            found.count += larger.count
            self.remove(larger)
        found.made, found.failure, found.sizes = made, failure, [*sizes]
        found.signature = sign
        self.write(found)
        return found

    def _small(self, but: str) -> list[Found]:
        """The open findings whose programs were made small, but one of a name."""
        small = [f for f in self.findings.values() if f.is_small and f.name != but]
        return [found for found in small if found.state == "open"]

    def _explaining(self, sign: str, but: str) -> Found | None:
        """A finding that shows the same with fewer ops."""
        found = (f for f in self._small(but) if explains(f.signature, sign))
        return next(found, None)

    def _explained(self, sign: str, but: str) -> list[Found]:
        """The findings that show the same with more ops."""
        return [f for f in self._small(but) if explains(sign, f.signature)]

    # History --------------------------------------------------------------------------

    def remember(self, session: Mapping[str, Any]) -> None:
        """Adds a session to the history."""
        with (self.folder / "history.jsonl").open("a") as file:
            file.write(json.dumps(session) + "\n")

    def history(self) -> list[dict[str, Any]]:
        """All sessions."""
        path = self.folder / "history.jsonl"
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_text().splitlines() if line]


def _sum(data: bytes) -> str:
    return sha256(data).hexdigest()[:10]
