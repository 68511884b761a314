# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes corrupted files with one error each, at every position of valid files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bytecode_files import kernel
from bytecode_sections import HEADER, NAMES, sections
from bytecode_wire import CONSTANT, DEBUG, FUNCTION, STRING, TYPE, File, section, varint

GOLDEN = Path(__file__).resolve().parent / "Inputs" / "golden"
ALIGNMENT = {STRING: 4, TYPE: 4, FUNCTION: 8, CONSTANT: 8, DEBUG: 8}
ENDLESS = b"\xff" * 10
"""No varint goes on this long."""

I32, F32, F16, F8 = 3, 7, 5, 10
"""Tags of element types."""


def good() -> Iterator[bytes]:
    """Files that read: all ops in each version, and one with debug information."""
    for folder in sorted(GOLDEN.iterdir()):
        if folder.is_dir():
            yield (folder / "ops.tileirbc").read_bytes()
    yield kernel("13.4", "softmax_f32_1024")


def corruptions(value: int) -> set[int]:
    """Bytes to put in place of `value`: limits, neighbours, one bit changed."""
    near = {value + 1 & 0xFF, value - 1 & 0xFF}
    return ({value ^ 0x08, value ^ 0x20, 0, 1, 2, 0x7F, 0x80, 0xFF} | near) - {value}


def changed(data: bytes) -> Iterator[bytes]:
    """One byte, or the bytes of a number, replaced; everything behind cut off."""
    for position, value in enumerate(data):
        yield data[:position]
        yield data[:position] + ENDLESS + data[position + len(ENDLESS) :]
        for other in corruptions(value):
            yield data[:position] + bytes([other]) + data[position + 1 :]


def with_short_sections(data: bytes) -> Iterator[bytes]:
    """Each section ended at each place, as if that were its length."""
    payloads = sections(data)
    numbers = {name: number for number, name in NAMES.items()}
    for short, whole in payloads.items():
        for end in range(len(whole)):
            out = data[:HEADER]
            for name, payload in payloads.items():
                cut = payload[:end] if name == short else payload
                number = numbers[name]
                out += section(out, number, cut, ALIGNMENT.get(number, 0))
            yield out + b"\0"


def predicates() -> Iterator[tuple[File, bytes]]:
    """Files of one entry with an `assume`, and the record of that op.

    An attribute of each kind that can stand in a body stands there as its predicate.
    """
    for tag, *fields in (
        (1, 0, 5),  # IntegerAttr: type, value
        (2, 1, 0),  # FloatAttr of f32: type, bits
        (2, 2, 0),  # of f8
        (3, 1),  # BoolAttr
        (4, 0),  # TypeAttr
        (5, 0),  # StringAttr
        (6, 1, 3, 1),  # ArrayAttr of a bool
        (7, 0, 0),  # DenseElementsAttr
        (8, 16, 3, 4, 0),  # DivByAttr: divisor, flags, every, along
        (9, 1, *[0] * 8),  # SameElementsAttr
        (10, 1, 0, 3, 1),  # DictionaryAttr
        (12, 3, 1, 2),  # BoundedAttr: flags, lower, upper
    ):
        file = File((13, 1), types=[varint(I32), varint(F32), varint(F8)])
        scalar = file.tile(I32)
        yield file, varint(0x06, scalar, tag, *fields, 0)


def with_short_bodies() -> Iterator[bytes]:
    """Bodies that end in the middle of an attribute, or with numbers in it too long."""
    for number, (_, record) in enumerate(predicates()):
        for end in range(len(record)):
            for rest in (b"", ENDLESS):
                file, _ = list(predicates())[number]
                scalar = file.tile(I32)
                yield file.entry(record[:end] + rest, (scalar,)).data()


def damaged() -> Iterator[bytes]:
    """All of them, about 400000."""
    for data in good():
        yield from changed(data)
        yield from with_short_sections(data)
    yield from with_short_bodies()
