# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A time for people: the interval, what limits, and the terms of each part."""

from __future__ import annotations

from cuda_tile.timing.model import Part, Time

_WIDTH = 34
_LEAST = 0.5


def time_text(time: Time) -> str:
    """The report of `--time`, a table."""
    names = [
        name
        for name in dict.fromkeys(name for part in time.parts for name in part.clocks)
        if any(part.clocks.get(name, 0.0) >= _LEAST for part in time.parts)
    ]
    parts = sorted(time.parts, key=lambda part: -part.alone)
    widths = [max(12, len(part.title)) for part in parts]
    rows = [
        ("model, clocks of a tile block alone", [part.title for part in parts]),
        ("iterations", [f"{part.iterations:.4g}" for part in parts]),
        *((f"  {name}", [_cell(part, name) for part in parts]) for name in names),
        ("limiter of the part", [part.limiter for part in parts]),
    ]
    table = [
        f"{title:<{_WIDTH}}"
        + "".join(f"  {cell:>{w}}" for cell, w in zip(cells, widths, strict=True))
        for title, cells in rows
    ]
    return "\n".join([*table, *_summary(time)])


def _cell(part: Part, name: str) -> str:
    clocks = part.clocks.get(name, 0.0)
    return f"{clocks:.0f}" if clocks >= _LEAST else "-"


def _summary(time: Time) -> list[str]:
    lines = [
        f"time {time.likely_us:.4g} us, from {time.low_us:.4g} to {time.high_us:.4g}: "
        f"{time.likely:.0f} clocks at {time.ghz:.2f} GHz, bound {time.bound:.0f}",
        f"limited by {time.limiter}; {time.resident} CTAs per multiprocessor, "
        f"{time.waves:.3g} waves on {time.chip}",
    ]
    if not time.is_machine:
        lines.append(
            "no machine code (nvdisasm is absent): latencies of warps are left out, so "
            "that the time is too low"
        )
    if time.assumed:
        lines.append(f"assumed of the chip: {', '.join(time.assumed)}")
    return [*lines, "A model, not a measurement: docs/time.md"]
