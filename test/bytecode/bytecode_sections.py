# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits files into sections, independently of the reader."""

from bytecode_wire import MAGIC, section

HEADER = 12  # magic, version, tag
NAMES = {
    1: "string",
    2: "function",
    3: "debug",
    4: "constant",
    5: "type",
    6: "global",
    7: "producer",
}


def varint_at(data: bytes, position: int) -> tuple[int, int]:
    """The varint at `position` and the position behind it."""
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position


def sections(data: bytes) -> dict[str, bytes]:
    """The payloads by name, in the order of the file."""
    found: dict[str, bytes] = {}
    position = HEADER
    while data[position] != 0:
        kind = data[position]
        size, position = varint_at(data, position + 1)
        if kind & 0x80:
            alignment, position = varint_at(data, position)
            position += -position % alignment
        found[NAMES[kind & 0x7F]] = data[position : position + size]
        position += size
    assert position + 1 == len(data)
    return found


def split(data: bytes) -> list[tuple[int, bytes, int]]:
    """Number, payload and alignment of each section."""
    parts: list[tuple[int, bytes, int]] = []
    position = HEADER
    while data[position] != 0:
        kind, alignment = data[position], 0
        size, position = varint_at(data, position + 1)
        if kind & 0x80:
            alignment, position = varint_at(data, position)
            position += -position % alignment
        parts.append((kind & 0x7F, data[position : position + size], alignment))
        position += size
    return parts


def join(parts: list[tuple[int, bytes, int]], version: tuple[int, int]) -> bytes:
    """The file with these sections."""
    out = MAGIC + bytes(version) + b"\0\0"
    for part in parts:
        out += section(out, *part)
    return out + b"\0"
