# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a judge says: one word, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias, get_args

Word: TypeAlias = Literal["right", "slow", "unknown", "wrong", "faulty", "cheating"]
WORDS: tuple[Word, ...] = get_args(Word)
"""From the best to the worst."""
SCHEMA = 1
"""Version of the JSON, which `verdict_schema.json` describes; it goes up when a field
goes or means something else, not when one is added."""


@dataclass(frozen=True)
class Finding:
    """One reason.

    Attributes:
        word: What it makes of the candidate.
        reason: What was expected and what came.
        place: Where: `case`, `call`, `launch`, `kernel`, `array`, `element`, `source`.
    """

    word: Word
    reason: str
    place: dict[str, Any] = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        where = ", ".join(f"{name} {value}" for name, value in self.place.items())
        return f"{where}: {self.reason}" if where else self.reason


@dataclass
class Verdict:
    """What is known of a candidate.

    Attributes:
        findings: The reasons against it.
        counts: What ran: calls, launches, operations, of the reference too.
        seed: Draws inputs and orders; the same seed gives the same verdict.
        sandbox: The means that held the candidate's process, and those missing.
        notes: What was not looked at.
    """

    findings: list[Finding] = field(default_factory=list[Finding])
    counts: dict[str, Any] = field(default_factory=dict[str, Any])
    seed: int = 0
    sandbox: dict[str, str] = field(default_factory=dict[str, str])
    notes: list[str] = field(default_factory=list[str])

    @property
    def word(self) -> Word:
        """The verdict: the worst of the findings."""
        words: list[Word] = [finding.word for finding in self.findings]
        return max(words, key=WORDS.index) if words else "right"

    def add(self, word: Word, reason: str, **place: Any) -> None:
        """Notes a finding, once."""
        finding = Finding(word, reason, place)
        if finding not in self.findings:
            self.findings.append(finding)

    def weigh(
        self, ours: int | None, theirs: int | None, slower: float, place: dict[str, Any]
    ) -> None:
        """Notes instructions, and that a candidate is slow.

        Args:
            ours: The candidate's; None where they are not known.
            theirs: Those of the reference's program, likewise.
            slower: How many times these are too many.
            place: Of the call that was counted.
        """
        self.counts["instructions"] = {"candidate": ours, "reference": theirs}
        if ours and theirs and ours > slower * theirs:
            said = f"expected at most {slower:g} times the {theirs} instructions"
            self.add("slow", f"{said} of the reference's program, got {ours}", **place)

    def to_json(self) -> dict[str, Any]:
        """The verdict for `json.dumps`; the worst findings first."""
        ordered = sorted(self.findings, key=lambda each: -WORDS.index(each.word))
        facts = {**asdict(self), "findings": [asdict(each) for each in ordered]}
        return {"verdict": self.word, **facts}
