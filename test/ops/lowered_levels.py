# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each pass makes of a module, for tests that run all of it on the interpreter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from cuda_tile import lower
from cuda_tile._mlir import ir
from cuda_tile.options import Options
from cuda_tile.pipeline import NAMES, Hooks

TILE_LEVELS = NAMES[: NAMES.index("emit")]
_DONE = re.compile(
    r" attributes \{tileas\.done = \[[^\]]*\]\}|tileas\.done = \[[^\]]*\],? ?"
)
"""What the passes note of themselves, which means nothing to the interpreter."""


def lowered_levels(
    module: ir.Module,
    gpu: str | None = None,
    levels: Sequence[str] = TILE_LEVELS,
    *,
    options: Options | None = None,
    before: Hooks | None = None,
    after: Hooks | None = None,
) -> Iterator[tuple[str, ir.Module]]:
    """The module as passes leave it, where its text is another than before.

    The passes run once, and not again from the start for each level. A level that has
    the text of the one before it would be the same run on the interpreter once more.

    Args:
        module: A module at level T.
        gpu: The target, unless the options name it.
        levels: Names of passes in their order; the first one always counts.
        options: Further choices.
        before: Functions to call before a pass.
        after: Functions to call after a pass.
    """
    left: dict[str, ir.Module] = {}

    def observe(name: str, found: Any) -> None:
        if name in levels:
            left[name] = _copied(found)

    lower(
        *(module, gpu),
        until=levels[-1],
        options=options,
        before=before,
        after=after,
        observe=observe,
    )
    text = ""
    for name in levels:
        previous, text = text, _DONE.sub("", str(left[name]))
        if text != previous:
            yield name, left[name]


def _copied(found: ir.Operation) -> ir.Module:
    """A copy, since the passes go on with what they left."""
    module = ir.Module.create(found.location)
    for name in found.attributes:
        module.operation.attributes[name] = found.attributes[name]
    with ir.InsertionPoint(module.body):
        for child in found.regions[0].blocks[0]:
            child.operation.clone()
    return module
