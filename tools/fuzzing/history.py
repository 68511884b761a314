# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of a session, and of all sessions by commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from text_table import text_table

Facts = Mapping[str, Any]


def _rate(programs: int, seconds: float) -> str:
    """Programs per second of CPU time."""
    return f"{programs / seconds:.1f}" if seconds else "0"


def session_table(session: Facts) -> str:
    """What each kind did in a session."""
    rows = [
        (
            kind,
            total["programs"],
            _rate(total["programs"], total["seconds"]),
            total["reached"],
            total["new"],
            total["findings"],
        )
        for kind, total in session["kinds"].items()
    ]
    return text_table(("kind", "programs", "per s", "reached", "new", "findings"), rows)


def history_table(history: Sequence[Facts]) -> str:
    """The sessions of each commit, in the order in which commits were first tested."""
    commits = list(dict.fromkeys(str(session["commit"]) for session in history))
    head = ("commit", "date", "min", "programs", "per s", "reached", "found", "open")
    rows: list[Sequence[object]] = []
    reached: dict[str, int] = {}
    for commit in commits:
        sessions = [each for each in history if each["commit"] == commit]
        totals = [total for each in sessions for total in each["kinds"].values()]
        for each in sessions:
            reached |= {kind: t["reached"] for kind, t in each["kinds"].items()}
        programs = sum(total["programs"] for total in totals)
        rows.append(
            (
                commit,
                sessions[-1]["date"],
                f"{sum(each['seconds'] for each in sessions) / 60:.1f}",
                programs,
                _rate(programs, sum(total["seconds"] for total in totals)),
                sum(reached.values()),
                sum(total["findings"] for total in totals),
                sessions[-1]["open"],
            )
        )
    return text_table(head, rows)
