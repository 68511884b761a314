# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What notebooks show of a value: the picture that `cuda_tile.show` makes of it."""

from __future__ import annotations

from importlib import import_module


def html_of(thing: object) -> str:
    """The picture of a thing, as HTML.

    The pictures are imported on the first look: what they show knows nothing of them.
    """
    return import_module("cuda_tile.pictures.showing").show(thing).html


class Pictured:
    """A value that notebooks show as a picture."""

    def _repr_html_(self) -> str:
        """The picture; IPython and Jupyter ask for it under this name."""
        return html_of(self)
