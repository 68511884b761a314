# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the reader skips with a warning, unless it is strict."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from bytecode_files import messages, read
from bytecode_sections import NAMES, join, split
from bytecode_wire import (
    DEBUG,
    FUNCTION,
    GLOBAL,
    PADDING,
    PRODUCER,
    STRING,
    File,
    little,
    pad,
    table,
    varint,
)

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile

RETURN = b"\x5c\0\0"


def sample(version: tuple[int, int] = (13, 5)) -> File:
    """A file with every section: a global, debug information, a constant."""
    file = File(version)
    i32 = file.type(varint(3))
    tile = file.type(varint(13, i32) + little(8, [1]))
    value = file.constant(b"\1\0\0\0")
    name, unit = file.string("g.cu"), file.string("k")
    file.extra.append((GLOBAL, varint(1, file.string("g"), tile, value, 4, 0, 0), 0))
    file.extra.append((PRODUCER, varint(file.string("made by hand")), 0))
    flags = varint(0) if version >= (13, 5) else b""
    records = [
        varint(2, name, file.string("/src")),
        varint(1, 1),
        varint(5, 1, 1, unit, unit, 2, 1) + flags,
        varint(4, 3, name, 2, 3),
        varint(6, 0, 4),  # a call site whose callee is unknown
        varint(6, 4, 0),
    ]
    starts = pad(varint(1), 4) + bytes(4)
    places = b"".join(n.to_bytes(8, "little") for n in (4, 5, 6))
    file.debug = pad(starts + varint(3), 8) + places + table(4, records)
    body = varint(0x10, tile, value) + RETURN
    return file.entry(body, debug=1)


def with_tail(number: int, tail: bytes, version: tuple[int, int] = (13, 5)) -> bytes:
    """The sample with bytes behind the contents of a section."""
    parts = [
        (kind, payload + tail if kind == number else payload, alignment)
        for kind, payload, alignment in split(sample(version).data())
    ]
    return join(parts, version)


def twice(number: int, *, same: bool = True) -> bytes:
    """The sample with a section twice."""
    parts = split(sample().data())
    (again,) = (part for part in parts if part[0] == number)
    if not same:
        again = (again[0], again[1] + b"\0", again[2])
    return join([*parts, again], (13, 5))


def warnings(data: bytes, context: ir.Context) -> list[str]:
    """The warnings of a file that is read."""
    said: list[str] = []

    def note(diagnostic: ir.Diagnostic) -> bool:
        assert diagnostic.severity == ir.DiagnosticSeverity.WARNING
        said.append(diagnostic.message)
        return True

    handler: Any = context.attach_diagnostic_handler(note)
    read(data, context)
    handler.detach()
    return said


def text(module: ir.Module) -> str:
    """A module with its locations."""
    return str(module.operation.get_asm(enable_debug_info=True))


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("version", [(13, 3), (13, 4), (13, 5)])
@pytest.mark.parametrize("size", [1, 5, 7])
def test_padding_of_functions(size, version, strict, context):
    padded = with_tail(FUNCTION, PADDING * size, version)
    assert not messages(padded, context, strict=strict)
    assert text(read(padded, context)) == text(read(sample(version).data(), context))


@pytest.mark.parametrize("tail", [PADDING * 8, PADDING * 64, b"\0" * 7, b"\xff"])
@pytest.mark.parametrize("number", [FUNCTION, GLOBAL, PRODUCER])
def test_other_padding(number, tail, context):
    padded = with_tail(number, tail)
    assert not warnings(padded, context)
    (error,) = messages(padded, context, strict=True)
    name = NAMES[number]
    assert f"expected the end of the {name} section, got {len(tail)} more" in error


def rest_of_type() -> bytes:
    """A type with bytes behind it."""
    return File(types=[varint(17, 0)]).entry(RETURN).data()


def rest_of_constant() -> bytes:
    """A constant with bytes behind it."""
    file = sample()
    file.constants[0] += b"\1\2"
    return file.data()


def unknown_flag() -> bytes:
    """An addf with a flag that no version has."""
    file = File()
    tile = file.tile(7)
    return file.entry(varint(0x02, tile, 4, 0, 0, 0) + RETURN, (tile,)).data()


def too_few_attributes() -> bytes:
    """Attributes of one of two arguments."""
    file = File((13, 5))
    scalar = file.tile(3)
    attributes = varint(6, 1, 10, 0)
    return file.entry(RETURN, (scalar, scalar), attributes=attributes).data()


SKIPPED: dict[str, tuple[Callable[[], bytes], str]] = {
    "bytes behind the functions": (
        lambda: with_tail(FUNCTION, bytes(8)),
        "expected the end of the function section, got 8 more bytes; they are skipped",
    ),
    "bytes behind the globals": (
        lambda: with_tail(GLOBAL, bytes(8)),
        "expected the end of the global section, got 8 more bytes; they are skipped",
    ),
    "attributes of too many arguments": (
        lambda: File((13, 5)).entry(RETURN, attributes=varint(6, 1, 10, 0)).data(),
        "expected argument attributes of function 'k' to be an array of no or 0 "
        "dictionaries; got 1; the last ones are skipped",
    ),
    "attributes of too few arguments": (
        too_few_attributes,
        "to be an array of no or 2 dictionaries; got 1; the others are empty",
    ),
    "bytes behind the debug information": (
        lambda: with_tail(DEBUG, b"\1"),
        "expected the end of the record, got 1 more byte; it is skipped (in debug "
        "section, debug info attribute 6)",
    ),
    "bytes behind a type": (
        rest_of_type,
        "expected the end of the type's record, got 1 more byte; it is skipped",
    ),
    "bytes behind a constant": (
        rest_of_constant,
        "expected the end of the constant, got 2 more bytes; they are skipped",
    ),
    "a section twice": (
        lambda: twice(STRING),
        "expected one string section, got a second one; they are equal",
    ),
    "flag of an op": (
        unknown_flag,
        "malformed bytecode: expected flags 1 or a part of them, got 4; the others "
        "are left out (in function section, function 0 'k', op 0 'cuda_tile.addf')",
    ),
}


@pytest.mark.parametrize("name", SKIPPED)
def test_skipped(name, context):
    make, expected = SKIPPED[name]
    (warning,) = warnings(make(), context)
    assert expected in warning
    (error,) = messages(make(), context, strict=True)
    assert expected.partition(";")[0] in error


def test_sections_that_differ(context):
    (error,) = messages(twice(STRING, same=False), context)
    assert "expected one string section, got a second one" in error


def test_call_sites_with_unknown_parts(context):
    module = read(sample().data(), context)
    again = _cuda_tile.write_bytecode(module, "13.5")
    assert text(read(again, context)) == text(module)
    assert re.search(r"#(loc\d*) = loc\(unknown\)", text(module))
    assert text(module).count("callsite(") == 2
