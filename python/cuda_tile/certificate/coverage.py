# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the arrays of a run lie to the tiles that a kernel cuts of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from cuda_tile.interp.program import Op
from cuda_tile.interp.values import TileView

CASES = ("below", "at", "above")
"""Extents of less than a tile, of whole tiles, and of more that are not whole."""


@dataclass
class Coverage:
    """Watches views of tiles.

    Attributes:
        seen: For each view, by its place in the source, and each dimension of its tiles
            the cases that were seen.
    """

    seen: dict[str, list[set[str]]] = field(default_factory=dict[str, "list[set[str]]"])

    def watch(self, op: Op, results: tuple[Any, ...]) -> None:
        """Notes a view that an op of the interpreter made."""
        for view in results:
            if not isinstance(view, TileView):
                continue
            shape = view.type.tile_shape
            cases = self.seen.setdefault(op.location, [set[str]() for _ in shape])
            for place, tile in enumerate(shape):
                extent = view.tensor.shape[view.type.dim_map[place]]
                cases[place].add(_case(extent, tile))

    def to_json(self) -> dict[str, list[list[str]]]:
        """The cases, in order."""
        return {
            where: [[case for case in CASES if case in seen] for seen in cases]
            for where, cases in sorted(self.seen.items())
        }


def _case(extent: int, tile: int) -> str:
    if extent % tile == 0:
        return "at"
    return "below" if extent < tile else "above"
