# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Colours of pictures, readable on light and dark ground, and small PNG images."""

from __future__ import annotations

import base64
import colorsys
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

Color = tuple[int, int, int]
_GOLDEN = 0.6180339887


def lane_color(lane: int) -> Color:
    """Eight hues, each in four shades: the four lanes that share a row of an atom."""
    return _hls((lane // 4) / 8 + 0.02, 0.85 - 0.065 * (lane % 4), 0.55)


def warp_color(warp: int) -> Color:
    """Hues far from each other for neighbours."""
    return _hls(0.58 + warp * _GOLDEN, 0.66, 0.48)


def register_color(register: int, count: int) -> Color:
    """From light to dark along the registers of a thread."""
    share = register / max(1, count - 1)
    return _hls(0.14 + 0.55 * share, 0.84 - 0.30 * share, 0.50)


def row_color(row: int) -> Color:
    """Sixteen hues, for rows of a tile."""
    return _hls(row % 16 / 16, 0.78, 0.45)


def css(color: Color) -> str:
    """A colour as style sheets write it."""
    return "#{:02x}{:02x}{:02x}".format(*color)


def _hls(hue: float, lightness: float, saturation: float) -> Color:
    red, green, blue = colorsys.hls_to_rgb(hue % 1, lightness, saturation)
    return round(red * 255), round(green * 255), round(blue * 255)


def png_url(indices: NDArray[np.intp], palette: list[Color]) -> str:
    """An image as a `data:` URL.

    Args:
        indices: The colour of each pixel, rows by columns; at most 256 colours.
        palette: The colours.
    """
    rows, columns = indices.shape
    header = struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)
    lines = np.zeros((rows, columns + 1), np.uint8)  # each row begins with filter 0
    lines[:, 1:] = indices
    chunks = (
        (b"IHDR", header),
        (b"PLTE", bytes(part for color in palette for part in color)),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body))
        + name
        + body
        + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )
    return "data:image/png;base64," + base64.b64encode(data).decode()
