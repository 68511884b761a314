# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates the pictures of layouts in docs/pictures, or checks them.

The one of the architecture is by hand, and must show all steps in their order.

    tools/checks/pictures.py [--write]

They are drawn from layouts as the compiler has them, by what `cuda_tile.show` uses; the
page docs/layouts.md explains them. Ends with `N passed, N failed`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.swizzle import choose_swizzle, row_major
from cuda_tile.pictures.bank_picture import banks_svg, find_access
from cuda_tile.pictures.layout_picture import layout_svg
from cuda_tile.pipeline import PIPELINE

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
WORD_BITS = 32
ARROWS = {"place", "emit", "llvm", "ptxas"}
"""Steps that lead from one level to the next."""


def layout(shape: tuple[int, ...], text: str) -> LinearLayout:
    """A layout from the groups of its `#cute.layout`: `8@0 1@1, 2@1 ..., ...`."""
    groups = [
        [_terms(basis) for basis in group.split() if basis] for group in text.split(",")
    ]
    return LinearLayout.from_groups(shape, groups)


def _terms(basis: str) -> list[tuple[int, int]]:
    """One entry of a layout: `8@0`, `1@0+8@1`, or `0` for a copy."""
    if basis == "0":
        return []
    pairs = (term.split("@") for term in basis.split("+"))
    return [(int(stride), int(dimension)) for stride, dimension in pairs]


def banks(tile: LinearLayout, buffer: SharedLayout) -> str:
    """A buffer of f32, and the words that a warp's first load of the tile touches."""
    access = find_access(tile, buffer, WORD_BITS, stores=False, matrices=False)
    return banks_svg(buffer, WORD_BITS, access)


def pictures() -> dict[str, str]:
    """The text of each picture by file name."""
    square = (64, 64)
    rows = layout(square, "1@1 2@1 4@1 16@0 32@0, 8@1 16@1 32@1 1@0 2@0, 4@0 8@0,")
    product = layout(square, "1@1 8@0 8@1 16@1 32@1, 2@1 4@1 1@0 2@0 4@0, 16@0 32@0,")
    small = (32, 32)
    stored = layout(small, "1@0 2@0 4@0 8@0 16@0, 1@1 2@1 4@1 8@1 16@1,,")
    loaded = stored.permute((1, 0))
    swizzled = choose_swizzle(small, WORD_BITS, stored, loaded)
    return {
        "small.svg": layout_svg(layout((4, 4), "1@1, 2@1 1@0 2@0 0 0,,"), "small"),
        "rows.svg": layout_svg(rows, "coalesced"),
        "product.svg": layout_svg(product, "sum of a product"),
        "reduced.svg": layout_svg(product.reduce(1), "sums of rows"),
        "conflicts.svg": banks(loaded, row_major(small)),
        "swizzled.svg": banks(loaded, swizzled),
    }


def unnamed_steps(text: str) -> list[str]:
    """The steps of the pipeline that a picture does not name in their order.

    Args:
        text: The picture of the architecture.
    """
    shown = re.findall(r"[a-z_]+", " ".join(re.findall(r">([^<]+)</text>", text)))
    above = [step.name for step in PIPELINE if step.name not in ARROWS]
    left = iter(shown)
    missing = [name for name in above if name not in left]
    return missing + sorted(ARROWS - set(shown))


def main(argv: list[str]) -> int:
    """Writes or compares the pictures; 1 if one differs."""
    made = pictures()
    wrong: list[str] = []
    for name, text in made.items():
        file = PICTURES / name
        if "--write" in argv:
            file.write_text(text + "\n")
        if not file.exists() or file.read_text() != text + "\n":
            wrong.append(name)
    for name in wrong:
        print(f"docs/pictures/{name}: expected the layout's picture; run with --write")
    unnamed = unnamed_steps((PICTURES / "architecture.svg").read_text())
    if unnamed:
        print(f"docs/pictures/architecture.svg: expected {', '.join(unnamed)} in order")
    failed = len(wrong) + bool(unnamed)
    print(f"{len(made) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
