# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`timeline_of`: what the first CTA of a launch does over time, without a GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cuda_tile.chip_clocks import chip_clocks
from cuda_tile.emulator.report import Report
from cuda_tile.emulator.trace import Tracer
from cuda_tile.errors import UserError
from cuda_tile.targets import Target
from cuda_tile.timing.replay import Replay
from cuda_tile.timing.steps import Costs
from cuda_tile.timing.terms import memory_clocks
from cuda_tile.timing.timeline import Span, Timeline, in_rows, merged, running


def timeline_of(trace: Tracer, report: Report, target: Target) -> Timeline:
    """The timeline of a launch that the emulator has counted and traced.

    Args:
        trace: The watcher of the launch.
        report: Of the launch, with bounds and, for issue slots, machine code.
        target: The chip.

    Raises:
        UserError: There are no bounds, or the chip's constants are not known.
    """
    bounds = report.bounds
    if bounds is None:
        raise UserError("expected a report with bounds, got one of a launch without")
    chip = chip_clocks(target)
    memory = memory_clocks(bounds.grid, chip, "likely")
    costs = Costs(report, trace.active, target, chip, memory)
    replay = Replay(trace, costs, chip)
    spans = [span for span in replay.run() if _is_of_first(span, trace)]
    roles = _roles(trace, costs)
    shown = [*_warps(replay, spans, roles), *_units(spans)]
    titles = {track: title for track, title in roles.values()}
    tracks = {s.track: titles.get(s.track, s.track) for s in shown}
    return Timeline(
        report.kernel,
        chip.part,
        chip.boost_ghz.value,
        tracks,
        tuple(shown),
        trace.is_cut,
    )


def _is_of_first(span: Span, trace: Tracer) -> bool:
    """Whether it is of the first CTA: its mbarriers and units."""
    if span.kind == "copy" and span.cell is not None:
        return span.cell < trace.stride_bytes
    return "of CTA" not in span.track


def _roles(trace: Tracer, costs: Costs) -> dict[int, tuple[str, str]]:
    """The first of the warps that run the same text: its track, and what it does."""
    same: dict[frozenset[int], list[int]] = {}
    for warp in range(trace.warps_per_cta):
        text = frozenset(s.at for s in trace.steps.get(warp, ()) if s.is_active)
        same.setdefault(text, []).append(warp)
    found: dict[int, tuple[str, str]] = {}
    for text, warps in same.items():
        done = _done(text, costs)
        name = _numbers(warps) + (f": {done}" if done else "")
        found[warps[0]] = f"warp {warps[0]}", name
    return found


def _numbers(warps: Sequence[int]) -> str:
    """Warps as people write them."""
    if len(warps) == 1:
        return f"warp {warps[0]}"
    if warps[-1] - warps[0] == len(warps) - 1:
        return f"warps {warps[0]} to {warps[-1]}"
    return f"warps {', '.join(map(str, warps))}"


def _done(text: frozenset[int], costs: Costs) -> str:
    """What those warps start, in words."""
    found: dict[str, None] = {}
    for at in sorted(text):
        cost = costs.of(at)
        if cost.kind == "copy" or (cost.kind == "start" and cost.queue == "copies"):
            found["copies"] = None
        elif cost.kind == "matrix" or (cost.kind == "start" and "prod" in cost.queue):
            found["products"] = None
        elif cost.kind == "start" or cost.text.startswith(("st.global", "red.")):
            found["stores"] = None
    return ", ".join(found)


def _warps(
    replay: Replay, spans: Sequence[Span], roles: Mapping[int, tuple[str, str]]
) -> list[Span]:
    """What the first warp of each role does."""
    found: list[Span] = []
    for number, (track, _) in roles.items():
        if number in replay.warps:
            waits = [span for span in spans if span.track == track]
            found += running(track, merged(waits), replay.warps[number].now)
    return found


def _units(spans: Sequence[Span]) -> list[Span]:
    """Products, and copies by the slot of a ring that they fill."""
    found = merged([span for span in spans if span.track == "tensor cores"])
    copies = [span for span in spans if span.kind == "copy"]
    cells = sorted({span.cell for span in copies if span.cell is not None})
    for slot, cell in enumerate(cells):
        mine = merged([span for span in copies if span.cell == cell])
        found += [replace(span, track=f"copies, mbarrier {slot}") for span in mine]
    for queue in ("copies", "stores"):
        mine = [s for s in copies if s.cell is None and s.track == queue]
        found += in_rows(mine, f"{queue} of threads" if queue == "copies" else queue)
    return found
