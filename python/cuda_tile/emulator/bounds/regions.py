# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that are the roles of one pipeline: different warps run them side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

# From how many iterations on loops that differ by one count as equally long.
_MANY_ITERATIONS = 4


@dataclass(frozen=True)
class Region:
    """Instructions that run side by side: of the grid, or of loops.

    Attributes:
        numbers: Their numbers, over all functions.
        lines: First and last line of each loop.
        heads: Numbers of the loops' heads.
        iterations: Iterations of a CTA.
        warps: Which warps of a CTA take part.
    """

    numbers: frozenset[int]
    lines: tuple[tuple[int, int], ...]
    heads: tuple[int, ...]
    iterations: float
    warps: frozenset[int]

    def joined(self, other: Region) -> Region:
        """This and another one, of other warps, side by side."""
        return Region(
            self.numbers | other.numbers,
            tuple(sorted((*self.lines, *other.lines))),
            (*self.heads, *other.heads),
            max(self.iterations, other.iterations),
            self.warps | other.warps,
        )


def side_by_side(
    regions: Sequence[Region], feeds: Callable[[Region, Region], bool]
) -> list[Region]:
    """Joins loops that different warps run as often: the roles of one pipeline.

    One of them may have an iteration less, which stands by itself ahead of it or
    behind. Of innermost loops one may also have a part of the other's iterations, as it
    is unrolled, if copies of one complete at mbarriers for which the other waits.

    Args:
        regions: The loops.
        feeds: Whether copies join two loops.
    """
    joined = _joined(regions, _is_near)
    return _joined(
        joined,
        lambda one, other: (
            _is_alone(one, joined) and _is_alone(other, joined) and feeds(one, other)
        ),
    )


def _joined(
    regions: Sequence[Region], belongs: Callable[[Region, Region], bool]
) -> list[Region]:
    """Joins each region to the first of other warps to which it belongs."""
    joined: list[Region] = []
    for region in regions:
        for place, other in enumerate(joined):
            if not other.warps & region.warps and belongs(other, region):
                joined[place] = other.joined(region)
                break
        else:
            joined.append(region)
    return joined


def _is_near(one: Region, other: Region) -> bool:
    apart = abs(one.iterations - other.iterations)
    return apart == 0 or (apart <= 1 and one.iterations >= _MANY_ITERATIONS)


def _is_alone(region: Region, others: Sequence[Region]) -> bool:
    """Whether a loop has no other inside, and no role beside it yet."""
    is_innermost = not any(other.numbers < region.numbers for other in others)
    return is_innermost and len(region.lines) == 1
