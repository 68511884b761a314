# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of nvcc, changed in ways whose outcome is known of NVIDIA's reader.

Over 600 files: each change to each kernel of test/kernels/tilecpp. Where ours refuses
what NVIDIA's reads, the reason stands beside the change.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from bytecode_files import KERNELS, messages, read
from bytecode_sections import join, split
from bytecode_wire import (
    CONSTANT,
    DEBUG,
    FUNCTION,
    GLOBAL,
    PRODUCER,
    STRING,
    TYPE,
    varint,
)

FILES = sorted((KERNELS / "tilecpp").glob("*.tilebc"))
LATEST = (13, 5)
ALIGNED = {STRING: 4, TYPE: 4, FUNCTION: 8, CONSTANT: 8, DEBUG: 8}
ID = {STRING: "string", TYPE: "type", FUNCTION: "function", CONSTANT: "constant"}
ID[DEBUG] = "debug"
Parts = list[tuple[int, bytes, int]]


@dataclass
class Changed:
    """A changed file.

    Attributes:
        data: Its bytes.
        error: What the message about it contains; empty if it reads like the original.
    """

    data: bytes
    error: str = ""


def _with(parts: Parts, number: int, payload: bytes, alignment: int) -> bytes:
    """The file with another section `number`."""
    new = (number, payload, alignment)
    return join([new if part[0] == number else part for part in parts], LATEST)


def paddings(parts: Parts) -> Iterator[Changed]:
    """Any padding behind the last function, and behind the contents of sections."""
    payload = {number: content for number, content, _ in parts}
    for size in (0, 1, 4, 8, 64):
        for value in (b"\xcb", b"\0", b"\xff"):
            tail = payload[FUNCTION] + value * size
            yield Changed(_with(parts, FUNCTION, tail, 8))
    for number in (DEBUG, PRODUCER, GLOBAL, CONSTANT):
        if number in payload:
            for tail in (b"\0", b"\xcb" * 8, b"\1\2\3"):
                content = payload[number] + tail
                yield Changed(_with(parts, number, content, ALIGNED.get(number, 0)))


def sections(parts: Parts) -> Iterator[Changed]:
    """Other orders, alignments; sections twice, missing, unknown."""
    yield Changed(join(parts[::-1], LATEST))
    yield Changed(join(parts[3:] + parts[:3], LATEST))
    for number, payload, _ in parts:
        if number not in ALIGNED:
            continue
        yield Changed(_with(parts, number, payload, 16))
        yield Changed(join([*parts, (number, payload, ALIGNED[number])], LATEST))
        known = "must have alignment that is a multiple of "
        known += f"{ALIGNED[number]} bytes, but has "
        yield Changed(_with(parts, number, payload, 0), f"{known}no alignment flag set")
        yield Changed(_with(parts, number, payload, 2), f"{known}alignment of 2")
    yield Changed(join([*parts, (8, b"", 0)], LATEST), "unknown section ID: 8")
    yield Changed(join(parts, LATEST) + b"\0", "end section is not the last section")
    for number in (STRING, FUNCTION):
        rest = [part for part in parts if part[0] != number]
        yield Changed(join(rest, LATEST), f"{ID[number]} section is mandatory")
    without_debug = [part for part in parts if part[0] != DEBUG]
    yield Changed(join(without_debug, LATEST), "failed to read function location for ")


def headers(data: bytes) -> Iterator[Changed]:
    """Other versions and tags."""
    for tag, error in {
        1: "public-preview bytecode requires at least one enabled preview feature",
        2: "header has unrecognized version tag bits (0x2);",
        0x8000: "header has unrecognized version tag bits (0x8000);",
    }.items():
        yield Changed(data[:10] + tag.to_bytes(2, "little") + data[12:], error)
    for minor, tag, error in (
        (6, 0, "unsupported Tile version 13.6.0, this reader supports versions ["),
        (0, 0, "unsupported Tile version 13.0.0"),
        (4, 1, "public-preview bytecode at version 13.4.1 is not readable; preview "
               "content is only valid at the current version 13.5"),
    ):  # fmt: skip
        head = data[:9] + bytes([minor]) + tag.to_bytes(2, "little")
        yield Changed(head + data[12:], error)
    for position in range(8):
        broken = data[:position] + b"\x01" + data[position + 1 :]
        yield Changed(broken, f"invalid magic number at position {position}, got 1 ")


def functions(parts: Parts) -> Iterator[Changed]:
    """Flags of the first function: it has one byte each for name and type."""
    (payload,) = (content for number, content, _ in parts if number == FUNCTION)
    for flags, error in {
        0: "uses preview feature 'simt', which is not enabled",
        1: "uses preview feature 'simt', which is not enabled",
        3: "'cuda_tile.entry' op entry op must have public symbol visibility",
        4: "uses preview feature 'simt', which is not enabled",
        6: "function entry cannot be both kernel and extern impl",
        8: "function entry has testing form in non-test build",
        0x12: "function entry has unrecognized flag bits (0x10);",
    }.items():
        assert payload[3] == 2
        yield Changed(
            _with(parts, FUNCTION, payload[:3] + bytes([flags]) + payload[4:], 8), error
        )
    more = varint(payload[0] + 1) + payload[1:]
    # NVIDIA's reader takes padding for a function too, and fails in it elsewhere.
    yield Changed(_with(parts, FUNCTION, more, 8), "error at offset ")


def changes(data: bytes) -> Iterator[Changed]:
    """All changes to a file."""
    parts = split(data)
    yield from paddings(parts)
    yield from sections(parts)
    yield from headers(data)
    yield from functions(parts)


def test_there_are_enough():
    assert sum(1 for path in FILES for _ in changes(path.read_bytes())) > 600


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_outcome(path, context):
    data = path.read_bytes()
    text = str(read(data, context))
    for number, changed in enumerate(changes(data)):
        said = messages(changed.data, context)
        if changed.error:
            assert said, (number, changed.error)
            assert changed.error in said[0], number
        else:
            assert not said, (number, said)
            assert str(read(changed.data, context)) == text, number
