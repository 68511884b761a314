# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one CTA does over time, as spans, and as a trace that browsers open."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

SpanKind = Literal["run", "wait", "copy", "product"]
_GAP = 2.0
"""Clocks between two spans of one kind that are shown as one."""


@dataclass(frozen=True)
class Span:
    """Something that goes on from one clock to another.

    Attributes:
        track: Where: a warp, a unit, an mbarrier whose copies come.
        name: What.
        begin, end: Clocks.
        kind: See `SpanKind`.
        cell: Place of the mbarrier in shared memory that it is about, if it is.
        phase: The phase of the mbarrier.
    """

    track: str
    name: str
    begin: float
    end: float
    kind: SpanKind
    cell: int | None = None
    phase: int | None = None


@dataclass(frozen=True)
class Timeline:
    """The beginning of a launch, by the model's clocks.

    Attributes:
        kernel: Its name.
        chip: The product whose constants these are.
        ghz: Its clock.
        tracks: What has spans, in the order in which it is shown; with a title.
        spans: All spans. Those of a track follow each other.
        is_cut: Whether the launch goes on behind the end.
    """

    kernel: str
    chip: str
    ghz: float
    tracks: dict[str, str]
    spans: tuple[Span, ...]
    is_cut: bool

    @property
    def clocks(self) -> float:
        """The end of the last span."""
        return max((span.end for span in self.spans), default=0.0)

    def of(self, track: str) -> list[Span]:
        """The spans of a track, one behind the other."""
        return [span for span in self.spans if span.track == track]

    def waited(self, track: str) -> dict[str, float]:
        """Clocks that a warp waits, by what for, the longest first."""
        found: dict[str, float] = {}
        for span in self.of(track):
            if span.kind == "wait":
                found[span.name] = found.get(span.name, 0.0) + span.end - span.begin
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def to_json(self) -> str:
        """Chrome's trace: complete events in microseconds, a thread for each track.

        Source: the "Trace Event Format", "Complete Events" and "Metadata Events".
        """
        numbers = {track: n for n, track in enumerate(self.tracks)}
        title = f"{self.kernel} on {self.chip}"
        events = [_named("process_name", title, 0)]
        for track, number in numbers.items():
            events.append(_named("thread_name", self.tracks[track], number))
            events.append(_named("thread_sort_index", number, number))
        events += [self._event(span, numbers[span.track]) for span in self.spans]
        whole = {
            "traceEvents": events,
            "displayTimeUnit": "ns",
            "otherData": {"chip": self.chip, "ghz": self.ghz, "cut": self.is_cut},
        }
        return json.dumps(whole, indent=1) + "\n"

    def _event(self, span: Span, thread: int) -> dict[str, Any]:
        clocks = {"begin": round(span.begin, 1), "end": round(span.end, 1)}
        about = {"mbarrier": span.cell, "phase": span.phase}
        return {
            "name": span.name,
            "cat": span.kind,
            "ph": "X",
            "ts": span.begin / self.ghz / 1e3,
            "dur": (span.end - span.begin) / self.ghz / 1e3,
            "pid": 0,
            "tid": thread,
            "args": clocks | {k: v for k, v in about.items() if v is not None},
        }


def _named(what: str, name: str | int, thread: int) -> dict[str, Any]:
    key = "sort_index" if isinstance(name, int) else "name"
    return {"name": what, "ph": "M", "pid": 0, "tid": thread, "args": {key: name}}


def merged(spans: Sequence[Span]) -> list[Span]:
    """Spans of one track, those that overlap or touch as one; sorted.

    Args:
        spans: Of one track. Spans of different names or phases are not joined: the
            later one begins where the earlier one ends.
    """
    found: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.begin, s.end)):
        last = found[-1] if found else None
        if last is not None and span.begin <= last.end + _GAP and _is_same(last, span):
            found[-1] = replace(last, end=max(last.end, span.end))
        elif last is None or span.begin >= last.end:
            found.append(span)
        elif span.end > last.end:
            found.append(replace(span, begin=last.end))
    return found


def _is_same(one: Span, other: Span) -> bool:
    mine, theirs = (
        (one.name, one.kind, one.phase),
        (other.name, other.kind, other.phase),
    )
    return mine == theirs


def in_rows(spans: Sequence[Span], track: str) -> list[Span]:
    """Spans that overlap, on as few tracks as hold them: `track 1`, `track 2`."""
    ends: list[float] = []
    found: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.begin, s.end)):
        row = next((n for n, end in enumerate(ends) if end <= span.begin), len(ends))
        ends[row : row + 1] = [span.end]
        found.append(replace(span, track=f"{track} {row + 1}"))
    return found


def running(track: str, waits: Sequence[Span], end: float) -> list[Span]:
    """A warp's waits, and between them that it runs, until it ends."""
    found: list[Span] = []
    now = 0.0
    for wait in sorted(waits, key=lambda s: s.begin):
        if wait.begin - now > 0:
            found.append(Span(track, "runs", now, wait.begin, "run"))
        found.append(wait)
        now = max(now, wait.end)
    if end > now:
        found.append(Span(track, "runs", now, end, "run"))
    return found
