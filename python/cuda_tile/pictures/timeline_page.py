# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a timeline: rows of warps, copies and products, time to the right."""

from __future__ import annotations

from cuda_tile.pictures import svg
from cuda_tile.pictures.html_page import file_text, markup, number_text, template
from cuda_tile.timing.timeline import Span, SpanKind, Timeline
from cuda_tile.version import __version__

STRIP_CLOCKS = 4000.0
"""Clocks of a picture; those that follow are drawn below."""
MOST_STRIPS = 6
MOST_WAITS = 4
"""Reasons for waiting that the table names for each role."""
_LEFT, _WIDTH, _ROW, _TOP = 240, 1200, 20, 44
_COLORS: dict[SpanKind, str] = {
    "run": "#7fc08f",
    "wait": "#e39a8a",
    "copy": "#8fb4d9",
    "product": "#b79fd6",
}
_LEGEND: dict[SpanKind, str] = {
    "run": "issues instructions",
    "wait": "waits",
    "copy": "copy under way",
    "product": "product",
}
_GRID_STEPS = 8


def timeline_page(timeline: Timeline) -> str:
    """The page, in one HTML file that needs nothing else."""
    clocks = min(STRIP_CLOCKS, max(1.0, timeline.clocks))
    count = min(MOST_STRIPS, -int(-timeline.clocks // clocks) or 1)
    return template("timeline.html.j2").render(
        version=__version__,
        timeline=timeline,
        strips=[
            markup(_strip(timeline, number * clocks, clocks)) for number in range(count)
        ],
        left=timeline.clocks - count * clocks,
        waits=[
            (timeline.tracks[track], what, spent)
            for track in timeline.tracks
            for what, spent in list(timeline.waited(track).items())[:MOST_WAITS]
        ],
        number=number_text,
        css=markup(file_text("page.css")),
    )


def _strip(timeline: Timeline, start: float, clocks: float) -> str:
    """The picture of some clocks."""
    parts = [_legend(), _grid(start, clocks, len(timeline.tracks))]
    y = float(_TOP)
    for track, name in timeline.tracks.items():
        parts.append(svg.text(_LEFT - 8, y + 14, name, text_anchor="end"))
        parts += [
            _bar(span, y, start, clocks)
            for span in timeline.of(track)
            if span.begin < start + clocks and span.end > start
        ]
        y += _ROW
    label = f"clocks {start:.0f} to {start + clocks:.0f}"
    return svg.picture(_LEFT + _WIDTH + 20, y + 12, label, parts)


def _bar(span: Span, y: float, start: float, clocks: float) -> str:
    scale = _WIDTH / clocks
    begin, end = max(span.begin, start), min(span.end, start + clocks)
    width = max((end - begin) * scale, 0.5)
    hint = f"{span.name}: {span.begin:.0f} to {span.end:.0f}, "
    hint += f"{span.end - span.begin:.0f} clocks"
    x = _LEFT + (begin - start) * scale
    shape = svg.element(
        "rect", x=x, y=y + 2, width=width, height=_ROW - 4, fill=_COLORS[span.kind]
    )
    return svg.element("g", svg.title(hint), shape, class_=span.kind)


def _legend() -> str:
    parts: list[str] = []
    x = float(_LEFT)
    for kind, words in _LEGEND.items():
        fill = _COLORS[kind]
        parts.append(svg.element("rect", x=x, y=4, width=12, height=12, fill=fill))
        parts.append(svg.text(x + 17, 14, words))
        x += 34 + 7 * len(words)
    return "".join(parts)


def _grid(start: float, clocks: float, rows: int) -> str:
    parts: list[str] = []
    for step in range(_GRID_STEPS + 1):
        x, at = _LEFT + _WIDTH * step / _GRID_STEPS, start + clocks * step / _GRID_STEPS
        line = {"x1": x, "x2": x, "y1": _TOP - 4, "y2": _TOP + rows * _ROW}
        parts.append(
            svg.element("line", **line, stroke="currentColor", stroke_opacity=0.12)
        )
        parts.append(
            svg.text(x, _TOP - 8, f"{at:.0f}", font_size=9, text_anchor="middle")
        )
    return "".join(parts)
