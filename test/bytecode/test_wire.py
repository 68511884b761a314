# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each part of the format: files from bytecode_wire, and what is read."""

import struct

import pytest
from bytecode_files import messages, read
from bytecode_wire import File, little, pad, table, varint, zigzag

from cuda_tile._mlir._mlir_libs import _cuda_tile

RETURN = b"\x5c\0\0"
EMPTY = b"\x0b\0"
"""OptimizationHints without an entry."""
F16, F32, F64, I1, I8, I32 = 5, 7, 9, 0, 1, 3


def text(file: File, context) -> str:
    return str(read(file.data(), context))


def constant(file: File, element: int, shape: tuple[int, ...], data: bytes) -> File:
    """A file with one constant."""
    tile, number = file.tile(element, *shape), file.constant(data)
    return file.entry(varint(0x10, tile, number) + RETURN)


def assume(
    predicate: bytes, shape: tuple[int, ...] = (), version: tuple[int, int] = (13, 1)
) -> File:
    """A file with one assume on an i32 parameter or, with a shape, on an iota."""
    file = File(version)
    scalar, tile = file.tile(I32), file.tile(I32, *shape)
    body = varint(0x3A, tile) if shape else b""
    last = 1 if shape else 0
    body += varint(0x06, tile if shape else scalar) + predicate + varint(last)
    return file.entry(body + RETURN, (scalar,))


def test_smallest_file(context):
    assert "entry @k() {\n" in text(File().entry(RETURN), context)


@pytest.mark.parametrize("version", [(13, 1), (13, 2), (13, 3), (13, 4), (13, 5)])
def test_every_version(version, context):
    assert "return" in text(File(version).entry(RETURN), context)


def test_example_of_the_specification(context):
    file = File()
    tile = file.tile(I32, 8)
    number = file.constant(struct.pack("<i", 2))
    body = bytes([0x10, tile, number, 0x03, tile, 0, 0, 0]) + RETURN
    ops = text(file.entry(body), context)
    assert "constant <i32: 2> : tile<8xi32>" in ops
    assert "addi %cst_2_i32, %cst_2_i32 : tile<8xi32>" in ops


@pytest.mark.parametrize(
    ("element", "shape", "data", "expected"),
    [
        (I32, (), b"\x05\0\0\0", "<i32: 5>"),
        (I32, (4,), struct.pack("<4i", 1, -2, 3, 4), "<i32: [1, -2, 3, 4]>"),
        (I8, (2, 2), b"\x01\x02\x03\xff", "<i8: [[1, 2], [3, -1]]>"),
        (
            F16,
            (2,),
            struct.pack("<2e", 0.5, -2),
            "<f16: [5.000000e-01, -2.000000e+00]>",
        ),
        (F32, (16,), struct.pack("<f", 1), "<f32: 1.000000e+00>"),
        (I1, (8,), b"\xff", "<i1: true>"),
        (I1, (16,), b"\x00", "<i1: false>"),
        (I1, (1,), b"\x01", "<i1: true>"),
        (I1, (4,), b"\x05", "<i1: [true, false, true, false]>"),
        (I1, (16,), b"\x01\x80", "true, false, false, false, false, false, false"),
    ],
)
def test_constants(element, shape, data, expected, context):
    assert expected in text(constant(File(), element, shape, data), context)


@pytest.mark.parametrize(
    ("element", "shape", "data"),
    [
        (I32, (4,), bytes(15)),
        (I32, (4,), bytes(8)),
        (I32, (4,), b""),
        (I1, (8,), bytes(8)),  # a byte per element, as LLVM 23 stores them
        (I1, (16,), b"\x01"),
        (F16, (2,), bytes(3)),
    ],
)
def test_bad_constants(element, shape, data, context):
    [message] = messages(constant(File(), element, shape, data).data(), context)
    assert "failed to validate buffer size and format: expected" in message


@pytest.mark.parametrize(
    ("predicate", "shape", "expected"),
    [
        (varint(8, 16) + b"\0", (), "div_by<16>"),
        (
            varint(8, 2) + b"\3" + zigzag(4) + zigzag(0),
            (8,),
            "div_by<2, every 4 along 0>",
        ),
        (varint(9) + little(8, [4]), (8,), "same_elements<[4]>"),
        (varint(12) + b"\0", (), "bounded<?, ?>"),
        (varint(12) + b"\1" + zigzag(-5), (), "bounded<-5, ?>"),
        (varint(12) + b"\2" + zigzag(7), (), "bounded<?, 7>"),
        (varint(12) + b"\3" + zigzag(-1) + zigzag(1), (), "bounded<-1, 1>"),
    ],
)
def test_assume_predicates(predicate, shape, expected, context):
    assert f"assume {expected}, " in text(assume(predicate, shape), context)


def test_hints(context):
    file = File()
    integer = file.type(varint(I32))
    gpu, key = file.string("sm_90"), file.string("num_cta_in_cga")
    # tag, one GPU: a dictionary of one integer
    hints = varint(11, 1, gpu, 10, 1, key, 1, integer, 2)
    file.entry(RETURN, flags=6, hints=hints)
    assert "optimization_hints=<sm_90 = {num_cta_in_cga = 2" in text(file, context)


def test_attributes_of_arguments(context):
    """From 13.5 on: an array of no dictionaries, or of one per argument."""
    file = File((13, 5))
    scalar, integer = file.tile(I32), file.type(varint(I32))
    note = varint(10, 1, file.string("cuda_tile.note"), 1, integer, 7)
    attributes = varint(6, 2) + note + varint(10, 0)
    file.entry(RETURN, (scalar, scalar), attributes=attributes)
    ops = text(file, context)
    assert "@k(%arg0: tile<i32> {cuda_tile.note = 7 : i32}, %arg1: tile<i32>)" in ops
    none = File((13, 5)).entry(RETURN)
    assert "entry @k() {\n" in text(none, context)


def test_flags_of_subprograms(context):
    """From 13.5 on: bit 0 says that it is a declaration."""
    file = File((13, 5))
    k = file.string("k")
    records = [
        varint(2, k, k),
        varint(1, 1),
        varint(5, 1, 3, k, k, 2, 3) + varint(1),
        varint(4, 3, k, 5, 6),
    ]
    locations = b"".join(number.to_bytes(8, "little") for number in (4, 4))
    head = pad(pad(varint(1), 4) + bytes(4) + varint(2), 8)
    file.debug = head + locations + table(4, records)
    module = read(file.entry(RETURN, debug=1).data(), context)
    printed = str(module.operation.get_asm(enable_debug_info=True))
    assert "scopeLine = 3, flags = declaration>" in printed
    again = read(_cuda_tile.write_bytecode(module, "13.5"), context)
    assert str(again.operation.get_asm(enable_debug_info=True)) == printed
    older = read(_cuda_tile.write_bytecode(module, "13.4"), context)
    assert "flags" not in str(older.operation.get_asm(enable_debug_info=True))


def test_bits_of_a_double(context):
    """cuTile takes them for an unsigned number, which zigzag makes 65 bits long."""
    bits = 0xFFF0000000000000  # -inf
    for value in (2 * bits, 2 * ((1 << 64) - bits) - 1):
        file = File()
        double = file.type(varint(F64))
        tile, scalar = file.tile(F64, 8), file.tile(F64)
        result = scalar
        body = varint(0x10, tile, file.constant(bytes(8)))
        identities = varint(1, 2, double) + varint(value)
        region = varint(1, 1, 2, scalar, scalar, 2)
        region += varint(0x45, scalar, 0, 1, 2) + varint(0x6D, 0, 1, 3)
        body += varint(0x58, 1, result, 0) + identities + varint(1, 0) + region
        ops = text(file.entry(body + RETURN), context)
        assert "identities=[0xFFF0000000000000 : f64]" in ops


def test_producer(context):
    file = File((13, 3))
    file.extra.append((7, varint(file.string("hand")), 0))
    assert 'producer = "hand"' in text(file.entry(RETURN), context)


def test_flags_depend_on_the_version(context):
    # ftoi: from 13.4 on, a flag says whether it saturates.
    for version, flags in (((13, 3), b""), ((13, 4), b"\0"), ((13, 4), b"\1")):
        file = File(version)
        source, result = file.tile(F32), file.tile(I32)
        body = varint(0x2B, result) + flags + varint(1, 6, 0) + RETURN
        assert ("saturating" in text(file.entry(body, (source,)), context)) == (
            flags == b"\1"
        )


@pytest.mark.parametrize("version", [(13, 1), (13, 3)])
def test_attribute_newer_than_the_file(version, context):
    # exp: from 13.3 on with a rounding mode, full (5) unless said otherwise.
    file = File(version)
    tile = file.tile(F32)
    rounding = b"" if version == (13, 1) else b"\x04"
    body = varint(0x17, tile) + rounding + b"\0" + RETURN
    ops = text(file.entry(body, (tile,)), context)
    assert ("approx" in ops) == bool(rounding)


@pytest.mark.parametrize("version", [(13, 1), (13, 5)])
def test_empty_hints_are_none(version, context):
    """From 13.5 on every entry has a record of hints, before that some do."""
    file = File(version).entry(RETURN, flags=6 if version < (13, 5) else 2, hints=EMPTY)
    assert "optimization_hints" not in text(file, context)
