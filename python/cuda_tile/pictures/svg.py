# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of SVG as text. All text of ours and of users is escaped here."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

FONT = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"


def element(name: str, *children: str, **attributes: object) -> str:
    """One element; `_` in names of attributes stands for `-`, a trailing one is cut."""
    words = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(children)
    return f"<{name}{words}>{inside}</{name}>" if inside else f"<{name}{words}/>"


def _number(value: object) -> str:
    return (
        f"{value:.2f}".rstrip("0").rstrip(".")
        if isinstance(value, float)
        else str(value)
    )


def text(x: float, y: float, words: str, **attributes: object) -> str:
    """A line of text, in the colour of the text around the picture unless told."""
    given = {"fill": "currentColor", "font_size": 11} | attributes
    return element("text", escape(words), x=x, y=y, **given)


def title(words: str) -> str:
    """What a pointer that rests on the element around shows."""
    return element("title", escape(words))


def picture(width: float, height: float, label: str, children: Iterable[str]) -> str:
    """A whole picture, as wide as it is drawn or as there is room.

    Args:
        width: Its width in pixels.
        height: Its height.
        label: What it shows, for those who cannot see it.
        children: Its elements.
    """
    return element(
        "svg",
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
        style=f"max-width:100%;height:auto;{FONT}",
    )
