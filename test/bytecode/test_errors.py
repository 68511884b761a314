# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each error of the format, with its message and place.

The reader is strict here; `test_tolerant.py` has what it skips otherwise.
"""

from collections.abc import Callable

import pytest
from bytecode_files import kernel, messages
from bytecode_wire import MAGIC, File, little, pad, table, varint, zigzag

RETURN = b"\x5c\0\0"
I32 = 3


def one_op(record: bytes, version: tuple[int, int] = (13, 1)) -> File:
    """A file whose entry has one i32 parameter and `record` before its return."""
    file = File(version)
    scalar = file.tile(I32)
    assert scalar == 1
    return file.entry(record + RETURN, (scalar,))


def of_type(record: bytes, version: tuple[int, int] = (13, 1)) -> File:
    """A file whose type 1 is `record`; type 0 is f32."""
    file = File(version, types=[varint(7), record])
    return file.entry(RETURN)


def float_predicate(element: int, bits: bytes) -> File:
    """An assume whose predicate is a float of type `element`."""
    file = File(types=[varint(element)])
    return file.entry(varint(0x06, 0, 2, 0) + bits)


def with_section(number: int, payload: bytes, alignment: int = 0) -> File:
    """A file with one more section."""
    file = File((13, 4)).entry(RETURN)
    file.extra.append((number, payload, alignment))
    return file


def cyclic_types() -> File:
    """Two tile types that are each other's elements."""
    file = File(types=[varint(13, 1) + little(8, []), varint(13, 0) + little(8, [])])
    return file.entry(RETURN)


def nested_loops(depth: int) -> File:
    """`depth` loops in each other."""
    file = File()
    index = file.tile(I32)
    body = b""
    for level in reversed(range(depth)):
        # no results; 3 operands, all the parameter; 1 region of 1 block
        ops = varint(1 + (level + 1 < depth)) + body + b"\x11\0\0"
        body = varint(0x29, 0, 3, 0, 0, 0, 1, 1, 1, index) + ops
    return file.entry(body + RETURN, (index,))


def nested_hints(depth: int) -> File:
    """Hints whose dictionaries are `depth` deep."""
    file = File()
    key = file.string("a")
    hints = varint(11) + varint(1, key, 10) * depth + varint(0)
    return file.entry(RETURN, flags=6, hints=hints)


def debug_cycle() -> File:
    """A call site that is its own callee."""
    file = File()
    file.debug = pad(pad(varint(0), 4) + varint(0), 8) + table(4, [varint(6, 1, 1)])
    return file.entry(RETURN)


def nested_types(depth: int) -> File:
    """Pointers to pointers, each of which refers to the next one."""
    chain = [varint(12, level + 1) for level in range(depth)]
    return File(types=[*chain, varint(7)]).entry(RETURN)


def with_tag(version: tuple[int, int], tag: int) -> bytes:
    """A file with this tag behind its version."""
    data = File(version).entry(RETURN).data()
    return data[:10] + tag.to_bytes(2, "little") + data[12:]


def debug_records(records: list[bytes], version: tuple[int, int] = (13, 1)) -> File:
    """A file with these records in its debug section."""
    file = File(version)
    file.debug = pad(pad(varint(0), 4) + varint(0), 8) + table(4, records)
    file.string("k")
    return file.entry(RETURN)


def conversion(version: tuple[int, int]) -> File:
    """A file that rounds an f32 to f16 towards zero."""
    file = File(version)
    single, half = file.tile(7), file.tile(5)
    return file.entry(varint(0x2A, half, 1, 0) + RETURN, (single,))


ARRAY = varint(14, 0) + little(8, [8, 8]) + little(8, [8, 1])
"""A tensor_view of type 0."""
SCOPE = [varint(2, 0, 0), varint(1, 1)]
"""A file and its compile unit."""


def sparse_view(dimension: int) -> bytes:
    """A gather_scatter_view of type 1."""
    return varint(20, 0) + little(4, [4, 4]) + varint(1, dimension)


def nested_blocks(depth: int) -> File:
    """Lexical blocks, each in the next one, which ends in no scope."""
    chain = [varint(3, level + 2, 0, 1, 1) for level in range(depth)]
    return debug_records([*chain, varint(0)])


def blocks_after_each_other(depth: int) -> File:
    """Lexical blocks, each in the one before, the first in a subprogram."""
    subprogram = [*SCOPE, varint(5, 1, 1, 0, 0, 2, 1)]
    chain = [varint(3, level + 3, 1, 1, 1) for level in range(depth)]
    return debug_records([*subprogram, *chain])


def nested_calls(depth: int) -> File:
    """Call sites, each of which was called from the one before."""
    chain = [varint(6, 1, level + 1) for level in range(depth)]
    return debug_records([varint(4, 0, 0, 1, 1), *chain])


def replaced(position: int, value: bytes) -> bytes:
    """A real file with other bytes at `position`."""
    data = kernel("13.1", "vadd_i32_8")
    return data[:position] + value + data[position + len(value) :]


CASES: dict[str, tuple[Callable[[], File | bytes], str]] = {
    "magic": (
        lambda: replaced(3, b"x"),
        "error at offset 3: invalid magic number at position 3, got 120 expected 108",
    ),
    "empty file": (lambda: b"", "error at offset 0: failed to read magic number"),
    "too old": (
        lambda: replaced(9, b"\0"),
        "error at offset 8: unsupported Tile version 13.0.0, this reader supports "
        "versions [13.1 - 13.3], and newer [13.4 - 13.5]",
    ),
    "too new": (lambda: replaced(9, b"\x63"), "unsupported Tile version 13.99.0"),
    "bytes after the end": (
        lambda: kernel("13.1", "vadd_i32_8") + b"\0",
        "end section is not the last section",
    ),
    "no end": (
        lambda: kernel("13.1", "vadd_i32_8")[:-1],
        "unexpected end of data while reading section header",
    ),
    "unknown section": (lambda: with_section(9, b""), "unknown section ID: 9"),
    "second section": (
        lambda: with_section(1, b"\0", 4),
        "expected one string section, got a second one",
    ),
    "alignment": (
        lambda: with_section(7, b"\0", 3),
        "invalid alignment value: 3; expected a power of two",
    ),
    "too little alignment": (
        lambda: with_section(3, b"\0", 4),
        "section debug must have alignment that is a multiple of 8 bytes, but has "
        "alignment of 4",
    ),
    "unknown opcode": (
        lambda: one_op(varint(0x7F)),
        "unsupported opcode 127 for bytecode version 13.1; unknown or unimplemented "
        "opcode: 127 (in function section, function 0 'k', op 0)",
    ),
    "atan2 in 13.1": (
        lambda: one_op(varint(0x6E)),
        "unsupported opcode 110 for bytecode version 13.1",
    ),
    "result type": (
        lambda: one_op(varint(0x01, 9, 0)),
        "failed to get result type 0 for cuda_tile.absi: type index 9 out of bounds",
    ),
    "operand": (
        lambda: one_op(varint(0x01, 1, 9)),
        "operand index 9 out of bounds (size=1) for operand 0 (in function section, "
        "function 0 'k', op 0 'cuda_tile.absi')",
    ),
    "enum": (
        lambda: one_op(varint(0x03, 1, 9, 0, 0)),
        "invalid integer value for enum type: 9; expected IntegerOverflow to be one "
        "of 0 none, 1 no_signed_wrap, 2 no_unsigned_wrap, 3 no_wrap",
    ),
    "result count": (
        lambda: one_op(varint(0x3C, 2, 1, 1, 0)),
        "result count mismatch for cuda_tile.join_tokens: expected 1 compatible "
        "results but got 2",
    ),
    "flag of a later version": (
        lambda: one_op(varint(0x02, 1, 4, 0, 0, 0)),
        "malformed bytecode: expected flags 1 or a part of them, got 4",
    ),
    "no terminator": (
        lambda: File().entry(b""),
        "invalid block structure: block is expected to have a terminator operation, "
        "but it is empty",
    ),
    "last op no terminator": (
        lambda: File(types=[varint(17)]).entry(varint(0x44, 0)),
        "the last operation 'cuda_tile.make_token' is not a terminator.",
    ),
    "regions": (
        lambda: one_op(varint(0x29, 0, 3, 0, 0, 0, 2)),
        "cuda_tile.for op expected 1 regions, got 2",
    ),
    "regions too deep": (
        lambda: nested_loops(300),
        "expected regions nested at most 256 deep",
    ),
    "attributes too deep": (
        lambda: nested_hints(100),
        "expected attributes nested at most 32 deep",
    ),
    "types too deep": (
        lambda: nested_types(40),
        "expected types nested at most 16 deep",
    ),
    "lexical blocks too deep": (
        lambda: nested_blocks(400),
        "expected debug info attributes nested at most 256 deep",
    ),
    "lexical blocks too deep, front to back": (
        lambda: blocks_after_each_other(100000),
        "expected lexical blocks nested at most 256 deep (in debug section, debug info "
        "attribute 260)",
    ),
    "call sites too deep": (
        lambda: nested_calls(400),
        "expected call sites nested at most 256 deep",
    ),
    "attribute tag": (
        lambda: one_op(varint(0x06, 1, 14, 0)),
        "unsupported AttributeTag 14 for self-contained attribute; expected 1 to 13",
    ),
    "attribute tag of a later version": (
        lambda: one_op(varint(0x06, 1, 13, 0)),
        "unsupported AttributeTag 13 for self-contained attribute; attribute "
        "'MultimemReductionKindAttr' requires bytecode version 13.5+, file version "
        "is 13.1",
    ),
    "reduction kind": (
        lambda: one_op(varint(0x06, 1, 13, 8), (13, 5)),
        "invalid integer value for enum type: 8; expected a MultimemReduction",
    ),
    "no predicate": (
        lambda: one_op(varint(0x06, 1, 3, 1, 0)),
        "failed to cast parsed attribute to AssumePredicateAttrInterface",
    ),
    "least number in an array": (
        lambda: one_op(varint(0x06, 1, 9, 1) + (1 << 63).to_bytes(8, "little")),
        "array contains unsupported value -9223372036854775808",
    ),
    "array that ends": (
        lambda: one_op(varint(0x06, 1, 9)),
        "failed to read DenseI64ArrayAttr values.; failed to read DenseI64ArrayAttr "
        "for SameElementsAttr",
    ),
    "float of no float type": (
        lambda: float_predicate(3, b"\0"),
        "failed to read valid FloatType for FloatAttr",
    ),
    "float of no type": (
        lambda: one_op(varint(0x06, 1, 2, 77, 0)),
        "failed to read valid FloatType for FloatAttr: type index 77 out of bounds",
    ),
    "integer of no type": (
        lambda: one_op(varint(0x06, 1, 1, 77, 0)),
        "failed to read valid IntegerType for IntegerAttr: type index 77 out of",
    ),
    "no type": (
        lambda: one_op(varint(0x06, 1, 4, 77)),
        "failed to get referenced type for TypeAttr: type index 77 out of bounds",
    ),
    "elements of no tile": (
        lambda: File(types=[varint(7)]).entry(varint(0x06, 0, 7, 0, 0)),
        "failed to read valid MLIR Type for self-contained DenseElementsAttr",
    ),
    "divisor": (
        lambda: one_op(varint(0x06, 1, 8, 3, 0, 0)),
        "divisor must be a power of 2",
    ),
    "type tag": (lambda: of_type(varint(99)), "unknown type tag: 99 (in type section"),
    "f8E5M3FNU in 13.3": (
        lambda: of_type(varint(130), (13, 3)),
        "type 'Float8E5M3FNU' requires bytecode version 13.4+, file version is 13.3",
    ),
    "pointer attribute in 13.4": (
        lambda: of_type(varint(12, 1, 0, 2), (13, 4)),
        "enum value 2 is not available in bytecode version 13.4",
    ),
    "no pointer attribute": (
        lambda: of_type(varint(12, 1, 0, 3), (13, 5)),
        "invalid integer value for enum type: 3; expected a pointer attribute: 0 none,"
        " 1 unicast, 2 multicast",
    ),
    "type of preview": (
        lambda: of_type(varint(209), (13, 5)),
        "encountered public-preview type tag 209 but the header does not advertise "
        "preview content",
    ),
    "attribute of preview": (
        lambda: one_op(varint(0x06, 1, 209, 0), (13, 5)),
        "encountered public-preview attribute tag 209 but the header does not "
        "advertise preview content",
    ),
    "no debug section": (
        lambda: File((13, 5)).entry(RETURN, debug=1),
        "failed to read function location for 'k'; expected debug info of a function "
        "to be at most 0, got 1",
    ),
    "extension of a tile": (
        lambda: of_type(varint(13, 0) + little(8, [4]) + b"\0", (13, 5)),
        "preview type extension requires the header to advertise preview content",
    ),
    "preview": (
        lambda: with_tag((13, 5), 1),
        "public-preview bytecode requires at least one enabled preview feature",
    ),
    "preview of an older version": (
        lambda: with_tag((13, 4), 1),
        "public-preview bytecode at version 13.4.1 is not readable; preview content "
        "is only valid at the current version 13.5",
    ),
    "tag": (
        lambda: with_tag((13, 5), 2),
        "header has unrecognized version tag bits (0x2);",
    ),
    "preview op": (
        lambda: one_op(varint(16386), (13, 5)),
        "encountered public-preview opcode 16386",
    ),
    "op after the last one": (
        lambda: one_op(varint(126), (13, 5)),
        "unsupported opcode 126 for bytecode version 13.5",
    ),
    "flags of a subprogram": (
        lambda: debug_records(
            [*SCOPE, varint(5, 1, 1, 0, 0, 2, 1, 2)], version=(13, 5)
        ),
        "unrecognized flag bits (0x2) when parsing DISubprogramAttr",
    ),
    "type of a later version": (
        lambda: of_type(varint(18)),
        "type 'Float8E8M0FNU' requires bytecode version 13.2+, file version is 13.1",
    ),
    "tile shape": (
        lambda: of_type(varint(13, 0) + little(8, [3])),
        "all dimensions must be powers of two, got 3 (in type section, type 1)",
    ),
    "type with more bytes": (
        lambda: of_type(varint(17, 0)),
        "expected the end of the type's record, got 1 more byte",
    ),
    "types in a cycle": (cyclic_types, "got one that contains itself"),
    "function in a function": (
        lambda: File(types=[varint(16, 0, 0), varint(16, 1, 0, 0)]).entry(RETURN),
        "expected the type of a value, got a function type",
    ),
    "no sections": (
        lambda: MAGIC + bytes([13, 1, 0, 0, 0]),
        "string section is mandatory",
    ),
    "rounding of a later version": (
        lambda: conversion((13, 3)),
        "rounding mode 'zero' of a conversion requires bytecode version 13.4+, file "
        "version is 13.3",
    ),
    "sparse dimension": (
        lambda: File((13, 3), types=[varint(7), ARRAY, sparse_view(1 << 31)]).entry(
            RETURN
        ),
        "expected sparse_dim to be at most 2147483647, got 2147483648",
    ),
    "column": (
        lambda: debug_records([varint(4, 0, 0, 1, 1 << 32)]),
        "expected line and column of at most 32 bits, got 1 and 4294967296",
    ),
    "lines": (
        lambda: debug_records([*SCOPE, varint(5, 1, 1 << 32, 0, 0, 2, 1)]),
        "expected lines of at most 32 bits, got 4294967296 and 1",
    ),
    "block without a scope": (
        lambda: debug_records([varint(3)]),
        "scope attribute when parsing DILexicalBlockAttr",
    ),
    "call that ends": (
        lambda: debug_records([varint(4, 0, 0, 1, 1), varint(6, 1)]),
        "caller attribute when parsing CallSiteLoc",
    ),
    "string index": (
        lambda: one_op(varint(0x06, 1, 5, 77, 0)),
        "string index 77 out of bounds; expected less than 1",
    ),
    "constant index": (
        lambda: one_op(varint(0x10, 1, 5)),
        "constant index 5 out of bounds; expected less than 0",
    ),
    "not an entry": (
        lambda: File().entry(RETURN, flags=0),
        "un-expected non-entry function 'k'",
    ),
    "flags of a function": (
        lambda: File().entry(RETURN, flags=0x12),
        "function entry has unrecognized flag bits (0x10);",
    ),
    "entry that is extern": (
        lambda: File((13, 5)).entry(RETURN, flags=6),
        "function entry cannot be both kernel and extern impl",
    ),
    "testing function": (
        lambda: File((13, 5)).entry(RETURN, flags=8),
        "function entry has testing form in non-test build",
    ),
    "function of preview": (
        lambda: File((13, 5)).entry(RETURN, flags=0),
        "uses preview feature 'simt', which is not enabled",
    ),
    "private entry": (
        lambda: File((13, 5)).entry(RETURN, flags=3),
        "'cuda_tile.entry' op entry op must have public symbol visibility",
    ),
    "attributes for one argument too many": (
        lambda: File((13, 5)).entry(RETURN, attributes=varint(6, 1, 10, 0)),
        "error at offset 23: expected argument attributes of function 'k' to be an "
        "array of no or 0 dictionaries (in function section, function 0 'k')",
    ),
    "attributes of arguments that are no array": (
        lambda: File((13, 5)).entry(RETURN, attributes=varint(3, 1)),
        "expected argument attributes of function 'k' to be an array",
    ),
    "double out of range": (
        lambda: float_predicate(9, b"\xff" * 9 + b"\x03"),
        "value below -9223372036854775808 does not fit in 64 bits",
    ),
    "half out of range": (
        lambda: float_predicate(5, zigzag(0x10000)),
        "error at offset 26: value 65536 does not fit in 16 bits",
    ),
    "body too long": (
        lambda: File(
            functions=[varint(0, 0, 2, 0, 100)],
            strings=[b"k"],
            types=[varint(16, 0, 0)],
        ),
        "function body length 100 exceeds remaining bytecode data (0 bytes)",
    ),
    "signature": (
        lambda: File(
            functions=[varint(0, 0, 2, 0, 0)], strings=[b"k"], types=[varint(7)]
        ),
        "does not refer to a function type for function 'k', got type: f32",
    ),
    "debug cycle": (debug_cycle, "expected debug info without cycles"),
    "globals": (
        lambda: with_section(6, varint(1, 0, 0, 0, 0)),
        "constant index 0 out of bounds; expected less than 0 (in global section",
    ),
    "counts beyond the file": (
        lambda: File(types=[varint(16, 1 << 40)]).entry(RETURN),
        "varint value exceeds maximum supported capacity. (expected value less than "
        "1, got 1099511627776).",
    ),
    "varint too long": (
        lambda: File(types=[b"\xff" * 11]).entry(RETURN),
        "expected a varint of at most 64 bits",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_error(name, context):
    build, expected = CASES[name]
    made = build()
    data = made if isinstance(made, bytes) else made.data()
    said = messages(data, context, strict=True)
    assert expected in said[0]


def test_regions_as_deep_as_allowed(context):
    assert not messages(nested_loops(256).data(), context)


def test_verifier_runs_after_reading(context):
    # addf of integers
    said = messages(one_op(varint(0x02, 1, 0, 0, 0, 0)).data(), context)
    assert "operand #0 must be tile of f16 or bf16 or f32 or f64 values" in said[0]
    assert "verification failed for deserialized cuda_tile::ModuleOp" in said[-1]
