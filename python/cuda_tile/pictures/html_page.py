# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a compilation: one HTML file that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from cuda_tile.emulator.bounds.compute import Bound
from cuda_tile.emulator.bounds.text import loop_notes
from cuda_tile.emulator.report import Counts
from cuda_tile.pictures.bank_picture import banks_svg
from cuda_tile.pictures.collect import Collected
from cuda_tile.pictures.estimates import compared_rows
from cuda_tile.pictures.highlight import javascript_rules
from cuda_tile.pictures.iterations_picture import iterations_svg
from cuda_tile.pictures.layout_picture import layout_svg
from cuda_tile.pictures.listings import Listing, Places
from cuda_tile.pictures.measured import Run
from cuda_tile.pictures.placed import PlacedKernel, UsedBuffer
from cuda_tile.pipeline import PIPELINE
from cuda_tile.report import KernelReport
from cuda_tile.version import __version__

MOST_LAYOUTS = 12
MOST_BUFFERS = 8
MOST_LOOPS = 4
TABS = (
    ("code", "Code"),
    ("passes", "Passes"),
    ("layouts", "Layouts"),
    ("shared", "Shared memory"),
    ("iterations", "Rings and roles"),
    ("bounds", "Counts and bounds"),
    ("summary", "Resources and time"),
)
COUNTS = {
    "warps": "instructions, per warp",
    "sectors": "32-byte sectors of global memory",
    "wavefronts": "wavefronts of shared memory",
    "bank_conflicts": "wavefronts by bank conflicts",
    "flops": "operations of matrix instructions",
}
"""What is shown of a run, with a label."""
_SHORT = ("instructions of warps", "sectors", "wavefronts", "bank conflicts", "flops")
KEYS = (
    (("↓", "↑", "j", "k"), "next, previous line; others scroll to what comes from it"),
    (("←", "→"), "the text beside, at what is lit there"),
    (("]", "["), "next, previous lit part of this text"),
    (("/", "n", "p"), "find; next, previous"),
    (("1", "…", "9"), "show or hide a text"),
    (("g",), "next view"),
    (("t",), "light or dark"),
    (("Esc",), "no line"),
    (("?",), "this help"),
)
_Find = Callable[[str, Places], Counts | None]
_SCRIPTS = ("rows.js", "code.js", "main.js")


def html_page(collected: Collected) -> str:
    """The page.

    All text goes through Jinja's escaping or `_json`; pictures escape for themselves.
    """
    report = collected.compiled.report
    steps = [(name, spent * 1e3) for name, spent in report.seconds.items()]
    failures = {run.kernel: run.failure for run in collected.runs}
    events = {run.kernel: run for run in collected.runs}

    def compared(kernel: KernelReport) -> list[tuple[str, str, str]]:
        return compared_rows(kernel, events.get(kernel.kernel))

    return template("page.html.j2").render(
        version=__version__,
        title=collected.title,
        gpu=", ".join(dict.fromkeys(k.target_text for k in report.kernels)),
        facts=_facts(report.kernels, sum(ms for _, ms in steps)),
        tabs=TABS,
        panes=collected.panes,
        has_counts=any(run.totals for run in collected.runs),
        passes=collected.passes,
        summaries={step.name: step.summary for step in PIPELINE},
        kernels=[
            _kernel(kernel, events[kernel.name], failures[kernel.name])
            for kernel in collected.placed
        ],
        runs=[_run(run) for run in collected.runs],
        count_labels=list(COUNTS.items()),
        report=report,
        resources=resource_rows,
        compared=compared,
        number=number_text,
        steps=steps,
        total_ms=sum(ms for _, ms in steps),
        most_ms=max((ms for _, ms in steps), default=0) or 1,
        key_help=KEYS,
        css=markup(file_text("page.css")),
        js=markup("\n".join(map(file_text, _SCRIPTS))),
        data=markup(_json(_data(collected))),
    )


@cache
def template(name: str) -> Any:
    """One of the templates of the folder `page`."""
    # Loaded here, so that commands without a page do not load Jinja.
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(file_text(name))


def markup(text: str) -> Any:
    """Text that is HTML already."""
    from markupsafe import Markup

    return Markup(text)


def file_text(name: str) -> str:
    """What a file of the folder `page` has."""
    folder = files("cuda_tile.pictures") / "page"
    return (folder / name).read_text(encoding="utf-8")


def _json(value: object) -> str:
    """JSON for a `script` element, in which `</script` and `<!--` must not stand."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _facts(kernels: Sequence[KernelReport], total_ms: float) -> list[tuple[str, str]]:
    """What the heading says: of one kernel its resources, of several their number."""
    if len(kernels) != 1:
        return [("kernels", str(len(kernels))), ("compiled in", f"{total_ms:.0f} ms")]
    (kernel,) = kernels
    return [
        ("for", kernel.target_text),
        ("registers", str(kernel.registers)),
        ("spilled", f"{kernel.spill_bytes} B"),
        ("shared", f"{kernel.shared_bytes} B"),
        ("threads", str(kernel.threads)),
        ("occupancy", f"{kernel.occupancy:.0%}"),
        ("compiled in", f"{total_ms:.0f} ms"),
    ]


def number_text(value: float) -> str:
    """A number with its thousands apart; small ones with a decimal."""
    is_whole = value >= 100 or value == int(value)
    return f"{value:,.0f}" if is_whole else f"{value:.1f}"


def resource_rows(kernel: KernelReport) -> list[tuple[str, str]]:
    """The resources of a kernel, as rows of a table."""
    return [
        ("threads per CTA", str(kernel.threads)),
        ("registers per thread", str(kernel.registers)),
        ("spilled to local memory", f"{kernel.spill_bytes} bytes"),
        ("shared memory", f"{kernel.shared_bytes} bytes"),
        ("occupancy", f"{kernel.occupancy:.0%}"),
    ]


def _kernel(kernel: PlacedKernel, run: Run, failure: str) -> dict[str, Any]:
    """A kernel's pictures."""
    used = sorted(kernel.buffers, key=lambda buffer: not buffer.accesses)
    end = max((place.start + place.size for place in kernel.places), default=0)
    return {
        "name": kernel.name,
        "layouts": [
            (
                "x".join(map(str, each.layout.shape)),
                each.text,
                groups_text(each.layout.groups()),
                markup(layout_svg(each.layout)),
            )
            for each in kernel.layouts[:MOST_LAYOUTS]
        ],
        "more_layouts": max(0, len(kernel.layouts) - MOST_LAYOUTS),
        "places": kernel.places,
        "shared_bytes": end,
        "buffers": [(b.text, _bank_pictures(b)) for b in used[:MOST_BUFFERS]],
        "has_rings": bool(kernel.rings),
        "iterations": markup(iterations_svg(run.events, kernel.rings, kernel.roles))
        if run.events
        else "",
        "failure": failure,
    }


def groups_text(groups: Sequence[Sequence[Sequence[tuple[int, int]]]]) -> str:
    """A layout as the IR writes it, with the names of its groups."""
    names = ("register", "lane", "warp", "CTA") if len(groups) > 1 else ("offset",)
    parts = [
        f"{name} "
        + (" ".join("+".join(f"{s}@{d}" for s, d in b) or "0" for b in group) or "none")
        for name, group in zip(names, groups, strict=True)
    ]
    return "   ".join(parts)


def _bank_pictures(buffer: UsedBuffer) -> list[tuple[str, Any]]:
    """The buffer itself, then each access to it."""
    pictures = [
        (
            groups_text(buffer.layout.groups()),
            markup(banks_svg(buffer.layout, buffer.bits)),
        )
    ]
    for where, access in buffer.accesses:
        picture = banks_svg(buffer.layout, buffer.bits, access)
        pictures.append((where, markup(picture)))
    return pictures


@dataclass(frozen=True)
class _Column:
    """A column of the table of bounds: the grid or a loop."""

    bound: Bound
    title: str
    source: str
    iterations: float
    limiter: str

    def clocks(self, name: str) -> float:
        return sum(r.clocks for r in self.bound.resources if r.name == name)

    def share(self, name: str) -> float:
        return self.bound.share(name)


def _run(run: Run) -> dict[str, Any]:
    shown = [] if run.bounds is None else [run.bounds.grid, *run.bounds.loops]
    columns = [
        _Column(each, each.title, each.source, each.iterations, each.limiter.name)
        for each in shown[: 1 + MOST_LOOPS]
    ]
    names = [r.name for r in shown[0].resources] if shown else []
    return {
        "kernel": run.kernel,
        "inputs": run.inputs,
        "failure": run.failure.rstrip("."),
        "bounds": run.bounds,
        "columns": columns,
        "resources": names,
        "totals": run.totals,
    }


def _data(collected: Collected) -> dict[str, Any]:
    """What the scripts of the page read."""
    places: dict[str, int] = {}
    for pane in collected.panes:
        for chain in pane.places:
            for place in chain:
                places.setdefault(place, len(places))
    by_line, by_place = _counts(collected)
    asides = _asides(collected)
    panes: list[dict[str, Any]] = []
    for pane in collected.panes:
        counts: dict[int, list[int]] = {}
        notes: dict[int, str] = {}
        if pane.name == "ptx":
            counts = _by_row(pane, lambda n, _: by_line.get(int(n)))
            notes = {
                row: asides[int(n)]
                for row, n in enumerate(pane.numbers)
                if int(n) in asides
            }
        elif pane.name.startswith("source"):
            counts = _by_row(pane, lambda _, chain: by_place.get(chain[0]))
        panes.append(
            {
                "name": pane.name,
                "title": pane.title,
                "language": pane.language,
                "text": "\n".join(pane.lines),
                "isOnlyNamed": bool(pane.note) and pane.name.startswith("source"),
                "numbers": list(pane.numbers),
                "places": [[places[p] for p in chain] for chain in pane.places],
                "counts": counts,
                "counted": bool(counts),
                "asides": notes,
            }
        )
    return {
        "places": list(places),
        "panes": panes,
        "passes": [
            {
                "name": each.name,
                "lines": [[x.kind, x.old, x.new, x.text] for x in each.change.lines],
            }
            for each in collected.passes
        ],
        "rules": javascript_rules(),
        "countNames": _SHORT,
    }


def _by_row(pane: Listing, find: _Find) -> dict[int, list[int]]:
    """Counts by row, where there are any."""
    found: dict[int, list[int]] = {}
    for row, (number, chain) in enumerate(zip(pane.numbers, pane.places, strict=True)):
        counts = find(number, chain)
        if counts:
            found[row] = [counts[name] for name in COUNTS]
    return found


def _counts(collected: Collected) -> tuple[dict[int, Counts], dict[str, Counts]]:
    """Counts of all runs by line of the PTX, and by source line."""
    by_line: dict[int, Counts] = {}
    for run in collected.runs:
        for line, counts in run.lines.items():
            by_line[line] = _sum(by_line.get(line), counts)
    by_place: dict[str, Counts] = {}
    (ptx,) = (pane for pane in collected.panes if pane.name == "ptx")
    for number, chain in zip(ptx.numbers, ptx.places, strict=True):
        counts = by_line.get(int(number))
        if counts and chain:
            by_place[chain[0]] = _sum(by_place.get(chain[0]), counts)
    return by_line, by_place


def _sum(one: Counts | None, other: Counts) -> Counts:
    return (
        dict(other) if one is None else {name: one[name] + other[name] for name in one}
    )


def _asides(collected: Collected) -> dict[int, str]:
    """What to write beside lines of the PTX: the bounds of loops."""
    found: dict[int, str] = {}
    for run in collected.runs:
        if run.bounds is not None:
            found |= loop_notes(run.bounds)
    return found
