# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replaces local folders in the debug information of a bytecode file."""

import pathlib
import struct
import sys

import cuda.tile

STRINGS = 0x81  # id of the string section, with alignment


def varint(data, position):
    """The varint at `position`, and the position behind it."""
    value = shift = 0
    while True:
        byte = data[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return value, position


def to_varint(value):
    """The bytes of a varint."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def strings_of(data):
    """Where the string section begins, which is the last one, and its strings."""
    start, position = 0, 12
    while data[position]:
        start, kind = position, data[position]
        size, position = varint(data, position + 1)
        if kind & 0x80:
            alignment, position = varint(data, position)
            position += -position % alignment
        payload, position = data[position : position + size], position + size
    assert kind == STRINGS, kind
    count, first = varint(payload, 0)
    first += -first % 4
    offsets = [*struct.unpack_from(f"<{count}I", payload, first)]
    text = payload[first + 4 * count :]
    ends = [*offsets[1:], len(text)]
    return start, [text[begin:end] for begin, end in zip(offsets, ends, strict=True)]


def relocate(data, name="test/kernels/cutile"):
    """The file with `name` and `cuda/tile` for the script's and cuTile's folders."""
    package = pathlib.Path(cuda.tile.__file__).resolve().parent
    here = pathlib.Path(__file__).resolve().parent
    started = pathlib.Path(sys.argv[0]).resolve().parent
    start, strings = strings_of(data)
    for real, neutral in (
        (package, b"cuda/tile"),
        (here, name.encode()),
        (started, name.encode()),
    ):
        strings = [text.replace(bytes(real), neutral) for text in strings]
    payload = to_varint(len(strings))
    payload += b"\xcb" * (-len(payload) % 4)
    position = 0
    for text in strings:
        payload += struct.pack("<I", position)
        position += len(text)
    payload += b"".join(strings)
    head = data[:start] + bytes([STRINGS]) + to_varint(len(payload)) + to_varint(4)
    return head + b"\xcb" * (-len(head) % 4) + payload + b"\0"
