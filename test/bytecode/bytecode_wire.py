# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes bytecode files for tests, valid and corrupted ones.

Independent of the reader: it follows dialect/docs/bytecode.md. Bodies of functions are
given by the test, byte by byte.
"""

from dataclasses import dataclass, field

MAGIC = b"\x7fTileIR\0"
PADDING = b"\xcb"

# Ids of sections.
STRING, FUNCTION, DEBUG, CONSTANT, TYPE, GLOBAL, PRODUCER = 1, 2, 3, 4, 5, 6, 7


def varint(*values: int) -> bytes:
    """Each value as unsigned LEB128."""
    out = bytearray()
    for number in values:
        rest = number
        while rest > 127:
            out.append(rest & 127 | 128)
            rest >>= 7
        out.append(rest)
    return bytes(out)


def zigzag(value: int) -> bytes:
    """A signed value as a varint."""
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def little(width: int, values: list[int]) -> bytes:
    """A count and signed integers of `width` bytes each."""
    data = b"".join(value.to_bytes(width, "little", signed=True) for value in values)
    return varint(len(values)) + data


def pad(data: bytes, alignment: int) -> bytes:
    """`data` and padding up to a multiple of `alignment`."""
    return data + PADDING * (-len(data) % alignment)


def table(width: int, entries: list[bytes]) -> bytes:
    """A count, offsets of `width` bytes and the entries they point to."""
    offsets, start = b"", 0
    for entry in entries:
        offsets += start.to_bytes(width, "little")
        start += len(entry)
    head = varint(len(entries))
    return pad(head, width) + offsets + b"".join(entries) if entries else head


def section(before: bytes, number: int, payload: bytes, alignment: int = 0) -> bytes:
    """The bytes of a section that follows `before`."""
    if not alignment:
        return varint(number) + varint(len(payload)) + payload
    head = bytes([number | 0x80]) + varint(len(payload), alignment)
    return pad(before + head, alignment)[len(before) :] + payload


@dataclass
class File:
    """A file under construction; types and strings are numbered as they come."""

    version: tuple[int, int] = (13, 1)
    strings: list[bytes] = field(default_factory=list[bytes])
    types: list[bytes] = field(default_factory=list[bytes])
    constants: list[bytes] = field(default_factory=list[bytes])
    functions: list[bytes] = field(default_factory=list[bytes])
    debug: bytes = b""
    extra: list[tuple[int, bytes, int]] = field(
        default_factory=list[tuple[int, bytes, int]]
    )

    def string(self, text: str) -> int:
        """The number of a string."""
        data = text.encode()
        if data not in self.strings:
            self.strings.append(data)
        return self.strings.index(data)

    def type(self, data: bytes) -> int:
        """The number of the type with record `data`."""
        if data not in self.types:
            self.types.append(data)
        return self.types.index(data)

    def tile(self, element: int, *shape: int) -> int:
        """The number of a tile type; `element` is the tag of a plain type."""
        number = self.type(varint(element))
        return self.type(varint(13, number) + little(8, list(shape)))

    def constant(self, data: bytes) -> int:
        """The number of a constant with payload `data`."""
        self.constants.append(varint(len(data)) + data)
        return len(self.constants) - 1

    def entry(
        self,
        body: bytes,
        parameters: tuple[int, ...] = (),
        *,
        name: str = "k",
        flags: int = 2,
        debug: int = 0,
        hints: bytes = b"",
        attributes: bytes = b"\x06\0",
    ) -> "File":
        """Adds an entry with the ops of `body`; parameters are type numbers.

        From 13.5 on hints are always there, and behind them attributes of arguments.
        """
        if self.version >= (13, 5):
            hints = (hints or b"\x0b\0") + attributes
        signature = self.type(
            varint(16, len(parameters), *parameters) + varint(0)  # no results
        )
        head = varint(self.string(name), signature) + bytes([flags])
        self.functions.append(head + varint(debug) + hints + varint(len(body)) + body)
        return self

    def data(self) -> bytes:
        """The whole file, sections in the order of real files."""
        out = MAGIC + bytes(self.version) + b"\0\0"
        functions = varint(len(self.functions)) + b"".join(self.functions)
        sections = [(FUNCTION, functions, 8)]
        if self.constants:
            sections.append((CONSTANT, table(8, self.constants), 8))
        if self.debug:
            sections.append((DEBUG, self.debug, 8))
        sections.append((TYPE, table(4, self.types), 4))
        sections += self.extra
        sections.append((STRING, table(4, self.strings), 4))
        for number, payload, alignment in sections:
            out += section(out, number, payload, alignment)
        return out + b"\0"
