# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The iterations of rings over time: when each slot is filled, waits, and is in use.

Time is counted in iterations, not in clocks. What each role does, and in which order,
is what the interpreter met in a run; how long it takes is a convention: what follows a
take lasts one unit, a copy lands two units after its publish, everything else takes
none. So the picture shows who waits for whom and how far copies run ahead, not how fast
a chip is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cuda_tile.pictures import svg
from cuda_tile.pictures.colors import css, warp_color
from cuda_tile.pictures.measured import RingEvent

USE_UNITS = 1.0
COPY_UNITS = 2.0
MOST_UNITS = 26.0
_UNIT, _ROW, _LEFT, _TOP = 34, 20, 92, 44
_LEGEND = 560
_FILL, _FULL, _USED = "#8fb4d9", "#d9dee6", "#7fc08f"


@dataclass(frozen=True)
class Ring:
    """A ring as pictures name it.

    Attributes:
        slots: How many slots it has.
        text: What its slots hold.
    """

    slots: int
    text: str


@dataclass
class Iteration:
    """When the four steps of an iteration are done, in units; None for never."""

    acquire: float | None = None
    publish: float | None = None
    take: float | None = None
    release: float | None = None
    role: int = -1


def schedule(
    events: Sequence[RingEvent], rings: Sequence[Ring]
) -> dict[tuple[int, int], Iteration]:
    """The iterations, by ring and number, as early as rings and roles allow.

    Each role does its events in their order; an acquire waits for the release of the
    slot's last iteration, a take for what was published to land.
    """
    queues: dict[int, list[RingEvent]] = {}
    for event in events:
        queues.setdefault(event.role, []).append(event)
    clocks = dict.fromkeys(queues, 0.0)
    at = dict.fromkeys(queues, 0)
    iterations: dict[tuple[int, int], Iteration] = {}
    moved = True
    while moved:
        moved = False
        for role, queue in queues.items():
            while at[role] < len(queue):
                event = queue[at[role]]
                ready = _ready(event, iterations, rings)
                if ready is None:
                    break
                time = max(clocks[role], ready)
                iteration = iterations.setdefault(
                    (event.ring, event.iteration), Iteration()
                )
                setattr(iteration, event.kind, time)
                if event.kind == "take":
                    iteration.role = role
                    time += USE_UNITS
                clocks[role] = time
                at[role] += 1
                moved = True
    return iterations


def _ready(
    event: RingEvent,
    iterations: dict[tuple[int, int], Iteration],
    rings: Sequence[Ring],
) -> float | None:
    """When what an event waits for is done; None if nothing has done it yet."""
    if event.kind == "acquire" and event.iteration >= rings[event.ring].slots:
        before = iterations.get((event.ring, event.iteration - rings[event.ring].slots))
        return None if before is None else before.release
    if event.kind == "take":
        filled = iterations.get((event.ring, event.iteration))
        if filled is None or filled.publish is None:
            return None
        return filled.publish + COPY_UNITS
    return 0.0


def iterations_svg(
    events: Sequence[RingEvent], rings: Sequence[Ring], roles: Sequence[str]
) -> str:
    """The picture: a row for each role and slot, time to the right.

    Args:
        events: The steps of the rings in a run, each role's in order.
        rings: The rings by number.
        roles: Names of the roles by number; empty where all warps do the same.
    """
    iterations = schedule(events, rings)
    last = max(
        (t for iteration in iterations.values() for t in _times(iteration)), default=0.0
    )
    units = min(MOST_UNITS, last + USE_UNITS)
    parts: list[str] = [_legend()]
    y = _TOP
    for role in sorted({event.role for event in events}):
        name = f"role {roles[role]}" if 0 <= role < len(roles) else "all warps"
        parts.append(_name(y, name))
        parts += _role_marks(role, events, iterations, y, units)
        y += _ROW
    for number, ring in enumerate(rings):
        y += 22
        parts.append(
            svg.text(0, y - 6, f"ring {number}: {ring.slots} slots of {ring.text}")
        )
        for slot in range(ring.slots):
            parts.append(_name(y, f"slot {slot}"))
            for (owner, iteration), times in iterations.items():
                if owner == number and iteration % ring.slots == slot:
                    parts += _slot_bars(iteration, times, y, units)
            y += _ROW
    grid = _grid(units, y)
    width = max(_LEFT + units * _UNIT + 12, _LEGEND)
    return svg.picture(width, y + 8, "iterations of the rings", [grid, *parts])


def _times(iteration: Iteration) -> list[float]:
    known = (iteration.acquire, iteration.publish, iteration.take, iteration.release)
    return [time for time in known if time is not None]


def _legend() -> str:
    parts: list[str] = []
    x = 0.0
    for color, words in (
        (_FILL, "being filled"),
        (_FULL, "full, waits"),
        (_USED, "in use"),
    ):
        parts.append(
            svg.element("rect", x=x, y=4, width=12, height=12, rx=2, fill=color)
        )
        parts.append(svg.text(x + 17, 14, words))
        x += 28 + 7 * len(words)
    parts.append(
        svg.text(x + 6, 14, "numbers, and the time axis: iterations", fill_opacity=0.6)
    )
    return "".join(parts)


def _name(y: float, words: str) -> str:
    return svg.text(_LEFT - 8, y + 14, words, text_anchor="end")


def _grid(units: float, bottom: float) -> str:
    lines = [
        svg.element(
            "line",
            x1=_LEFT + unit * _UNIT,
            x2=_LEFT + unit * _UNIT,
            y1=_TOP - 6,
            y2=bottom,
            stroke="currentColor",
            stroke_opacity=0.1,
        )
        + svg.text(
            _LEFT + unit * _UNIT,
            _TOP - 10,
            str(unit),
            font_size=9,
            fill_opacity=0.5,
            text_anchor="middle",
        )
        for unit in range(int(units) + 1)
    ]
    return "".join(lines)


def _bar(
    start: float, end: float, y: float, units: float, color: str, words: str, hint: str
) -> list[str]:
    """A bar from `start` to `end`, cut off at the edge of the picture."""
    if start >= units or end < start:
        return []
    x, width = _LEFT + start * _UNIT, (min(end, units) - start) * _UNIT
    inside = [
        svg.title(hint),
        svg.element(
            "rect",
            x=x,
            y=y + 1,
            width=max(width - 1, 2),
            height=_ROW - 3,
            rx=2,
            fill=color,
        ),
    ]
    if words and width > 14:
        inside.append(
            svg.text(x + width / 2, y + 13, words, fill="#111", text_anchor="middle")
        )
    return [svg.element("g", *inside, class_="iteration")]


def _slot_bars(iteration: int, times: Iteration, y: float, units: float) -> list[str]:
    """The life of a slot in one iteration."""
    if times.acquire is None:
        return []
    landed = units if times.publish is None else times.publish + COPY_UNITS
    take = units if times.take is None else times.take
    end = times.release if times.release is not None else take + USE_UNITS
    name = f"iteration {iteration}"
    return [
        *_bar(
            times.acquire,
            landed,
            y,
            units,
            _FILL,
            str(iteration),
            f"{name}: being filled",
        ),
        *_bar(landed, take, y, units, _FULL, "", f"{name}: full, waits for its use"),
        *_bar(take, end, y, units, _USED, str(iteration), f"{name}: in use"),
    ]


def _role_marks(
    role: int,
    events: Sequence[RingEvent],
    iterations: dict[tuple[int, int], Iteration],
    y: float,
    units: float,
) -> list[str]:
    """What a role does: a box for each use, a mark for each copy that it starts."""
    parts: list[str] = []
    for event in events:
        if event.role != role:
            continue
        times = iterations.get((event.ring, event.iteration))
        if times is None:
            continue
        if event.kind == "take" and times.take is not None:
            end = times.take + USE_UNITS
            hint = f"uses iteration {event.iteration} of ring {event.ring}"
            color = css(warp_color(event.ring + 1))
            parts += _bar(times.take, end, y, units, color, str(event.iteration), hint)
        elif event.kind == "publish" and times.publish is not None:
            hint = (
                f"starts the copies of iteration {event.iteration} of ring {event.ring}"
            )
            parts += _bar(
                times.publish, times.publish + 0.12, y, units, _FILL, "", hint
            )
    return parts
