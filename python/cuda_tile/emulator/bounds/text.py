# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds for people: a table with a column for each loop, and lines for a listing."""

from __future__ import annotations

from collections.abc import Mapping

from cuda_tile.emulator.bounds.compute import Bound, Bounds
from cuda_tile.emulator.tensor.memory import N_COLUMNS

MOST_LOOPS = 4
_WIDTH = 34


def bounds_text(bounds: Bounds) -> str:
    """Returns the report as a table: clocks of each resource and its share.

    The first column is the grid, the others are the loops with most clocks.
    """
    shown = (bounds.grid, *bounds.loops[:MOST_LOOPS])
    names = [resource.name for resource in bounds.grid.resources]
    heads = [_head(bound) for bound in shown]
    widths = [max(14, len(head)) for head in heads]
    rows = [
        ("bound, clocks of a multiprocessor", heads),
        ("iterations per CTA", [_number(bound.iterations) for bound in shown]),
        ("warps", [str(bound.warps) for bound in shown]),
        *((f"  {name}", [_cell(b, name) for b in shown]) for name in names),
        ("limiter", [_limiter(bound) for bound in shown]),
        ("most bytes in flight, all CTAs", [_in_flight(bounds, b) for b in shown]),
    ]
    text = [
        f"{title:<{_WIDTH}}"
        + "".join(f"  {cell:>{w}}" for cell, w in zip(cells, widths, strict=True))
        for title, cells in rows
    ]
    return "\n".join([*text, _assumptions(bounds)])


def loop_notes(bounds: Bounds) -> Mapping[int, str]:
    """What to write beside the first line of each loop."""
    return {
        first: f"bound of an iteration: {_shares(bound)}"
        for bound in bounds.loops
        for first, _ in bound.lines
    }


def executions_text(bounds: Bounds) -> str:
    """Of what issue slots and accesses were counted."""
    found = bounds.executions
    if found is None:
        return "PTX: an estimate, as ptxas merges and moves instructions"
    known = float(found.is_known.mean())
    less = "" if known == 1 else f", {1 - known:.0%} of it at the least that is sure"
    against = found.contradicting
    doubt = f"; {against} counts of lines do not fit it" if against else ""
    return f"machine code{less}{doubt}"


def _head(bound: Bound) -> str:
    if not bound.source:
        return bound.title
    return f"{bound.title} ({bound.source})"


def _limiter(bound: Bound) -> str:
    return bound.limiter.name if bound.limiter.clocks else "none"


def _cell(bound: Bound, name: str) -> str:
    clocks = sum(r.clocks for r in bound.resources if r.name == name)
    return f"{_number(clocks)} {bound.share(name):>5.0%}" if clocks else "-"


def _shares(bound: Bound) -> str:
    """Clocks of the limiter, then what comes next to it."""
    ordered = sorted(bound.resources, key=lambda resource: -resource.clocks)
    parts = [f"{_number(ordered[0].clocks)} clocks of {ordered[0].name}"]
    parts += [f"{r.name} {bound.share(r.name):.0%}" for r in ordered[1:] if r.clocks]
    return ", ".join(parts)


def _in_flight(bounds: Bounds, bound: Bound) -> str:
    return str(bound.bytes_in_flight * bounds.ctas)


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def _assumptions(bounds: Bounds) -> str:
    registers = (
        "registers unknown"
        if bounds.registers is None
        else f"{bounds.registers} registers"
    )
    if bounds.tensor_columns:
        most = N_COLUMNS // bounds.tensor_columns
        registers += f", {bounds.tensor_columns} of {N_COLUMNS} columns of tensor"
        registers += f" memory, which allow {most}"
    return (
        f"{bounds.chip}, {bounds.ctas} CTAs per multiprocessor ({registers}); "
        f"{bounds.needed_in_flight} bytes in flight would hide the latency of L2. "
        f"Issue slots and accesses are those of {executions_text(bounds)}. "
        "Bounds, not times: docs/bounds.md"
    )
