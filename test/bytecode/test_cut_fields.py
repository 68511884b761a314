# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fields that a file ends in, or whose number is beyond a table: the sentence of each.

They are those of NVIDIA's description of its reader, at the beginning of the message.
"""

import pytest
from bytecode_files import messages, read
from bytecode_wire import DEBUG, File, pad, table, varint

I32 = 3
FLOAT, INTEGER, TYPE, STRING = 2, 1, 4, 5
DIV_BY, SAME_ELEMENTS, DICTIONARY, HINTS, BOUNDED = 8, 9, 10, 11, 12
ELEMENTS, BOOL, ARRAY = 7, 3, 6


def predicate(*fields: int) -> File:
    """A file that ends in the predicate of an assume, behind `fields`."""
    file = File()
    return file.entry(varint(0x06, file.tile(I32), *fields))


CUT: dict[str, tuple[int, ...]] = {
    "failed to read AttributeTag for self-contained attribute.": (),
    "failed to read valid IntegerType for IntegerAttr": (INTEGER,),
    "failed to read VarInt for inline integer (width=32)": (INTEGER, 0),
    "failed to read valid FloatType for FloatAttr": (FLOAT,),
    "failed to read byte for inline bool (i1)": (BOOL,),
    "failed to get referenced type for TypeAttr": (TYPE,),
    "failed to read StringAttr.": (STRING,),
    "failed to read size for ArrayAttr.": (ARRAY,),
    "failed to read valid MLIR Type for self-contained DenseElementsAttr": (ELEMENTS,),
    "failed to read the size of the data buffer": (ELEMENTS, 1),
    "failed to read divisor for DivByAttr": (DIV_BY,),
    "failed to read flags byte for DivByAttr": (DIV_BY, 8),
    "failed to read value for 'every' in DivByAttr": (DIV_BY, 8, 3),
    "failed to read value for 'along' in DivByAttr": (DIV_BY, 8, 3, 2),
    "failed to read DenseI64ArrayAttr values.": (SAME_ELEMENTS,),
    "failed to read size for DictionaryAttr": (DICTIONARY,),
    "failed to read flags byte for BoundedAttr": (BOUNDED,),
    "failed to read lower bound for BoundedAttr": (BOUNDED, 3),
    "failed to read upper bound for BoundedAttr": (BOUNDED, 3, 2),
}


@pytest.mark.parametrize("sentence", CUT)
def test_a_file_that_ends_in_an_attribute(sentence, context):
    said = messages(predicate(*CUT[sentence]).data(), context)
    if sentence == "failed to get referenced type for TypeAttr":
        sentence = "failed to get referenced type"
    assert sentence in said[0]


BEYOND: dict[str, tuple[int, ...]] = {
    "failed to read StringAttr.: string index 77 out of bounds": (STRING, 77),
    "failed to get referenced type for TypeAttr": (TYPE, 77),
    "failed to read valid FloatType for FloatAttr": (FLOAT, 77),
    "failed to read valid IntegerType for IntegerAttr": (INTEGER, 77),
    "failed to read valid MLIR Type for self-contained DenseElementsAttr": (
        ELEMENTS,
        77,
    ),
    "unsupported AttributeTag 0 for self-contained attribute": (0,),
    "unsupported AttributeTag 13 for self-contained attribute": (13,),
}


@pytest.mark.parametrize("sentence", BEYOND)
def test_a_number_that_no_table_has(sentence, context):
    said = messages(predicate(*BEYOND[sentence]).data(), context)
    assert said[0].partition(": ")[2].startswith(sentence), said


def test_a_dictionary_with_a_key_twice(context):
    file = File()
    key = file.string("k")
    hints = varint(HINTS, 2, key, BOOL, 0, key, BOOL, 0)
    said = messages(file.entry(b"\x5c\0\0", flags=6, hints=hints).data(), context)
    assert 'failed to parse DictionaryAttr, duplicate key found: "k"' in said[0]


def test_an_array_with_the_least_number_of_its_width(context):
    """The permutation of a permute: an array of 32-bit numbers."""
    file = File()
    tile = file.type(varint(13, file.type(varint(I32))) + varint(0))
    body = varint(0x53, tile, 1) + (1 << 31).to_bytes(4, "little") + varint(0)
    said = messages(file.entry(body, (tile,)).data(), context)
    assert "array contains unsupported value -2147483648" in said[0]


def test_a_string_is_checked_where_it_is_used(context):
    """An empty key of hints is reported although the name of the entry is broken."""
    file = File()
    name, empty = file.string("kernel"), file.string("")
    hints = varint(HINTS, 1, empty, BOOL, 0)
    data = file.entry(b"\x5c\0\0", name="kernel", flags=6, hints=hints).data()
    assert (name, empty) == (0, 1)
    offsets = pad(varint(2), 4) + (0).to_bytes(4, "little") + (6).to_bytes(4, "little")
    assert data.count(offsets) == 1
    broken = offsets[:4] + (99).to_bytes(4, "little") + offsets[8:]
    said = messages(data.replace(offsets, broken), context)
    assert "invalid empty attribute name for DictionaryAttr element 0" in said[0]


def test_an_unknown_opcode(context):
    said = messages(File().entry(varint(0x7F)).data(), context)
    assert "unsupported opcode 127 for bytecode version 13.1; unknown or" in said[0]
    assert "unknown or unimplemented opcode: 127" in said[0]


@pytest.mark.parametrize(
    ("records", "sentence"),
    [
        ([varint(5)], "file attribute when parsing DISubprogramAttr"),
        ([varint(2)], "file name attribute when parsing DIFileAttr"),
        ([varint(3)], "scope attribute when parsing DILexicalBlockAttr"),
        ([varint(4)], "scope attribute when parsing DILocAttr"),
        ([varint(6)], "callee attribute when parsing CallSiteLoc"),
        ([varint(6, 0)], "caller attribute when parsing CallSiteLoc"),
    ],
    ids=str,
)
def test_a_debug_record_that_ends(records, sentence, context):
    file = File().entry(b"\x5c\0\0")
    assert DEBUG == 3
    file.debug = pad(pad(varint(0), 4) + varint(0), 8) + table(4, records)
    assert f"failed to read {sentence}" in messages(file.data(), context)[0]


@pytest.mark.parametrize(
    ("tag", "attribute"), [(DIV_BY, "DivByAttr"), (BOUNDED, "BoundedAttr")]
)
def test_flags_that_no_predicate_has(tag, attribute, context):
    file = predicate(tag, *([8] if tag == DIV_BY else []), 4)
    said = messages(file.data(), context)
    assert f"expected flags byte for {attribute} to be 0 to 3, got 4" in said[0]


def conversion(source: int, result: int, mode: int) -> File:
    """A file of 13.4 that converts its parameter; types by tag."""
    file = File((13, 4))
    before, after = file.tile(source), file.tile(result)
    return file.entry(varint(0x2A, after, mode, 0) + b"\x5c\0\0", (before,))


F16, F32, ZERO = 5, 7, 1


def test_a_mode_of_an_exact_conversion(context):
    """Compilers since 13.4 write any mode where nothing is rounded."""
    assert "rounding" not in str(read(conversion(F16, F32, ZERO).data(), context))
    assert "rounding<zero>" in str(read(conversion(F32, F16, ZERO).data(), context))


def test_a_conversion_of_no_tile(context):
    """What the reader changes in an op is not verified yet."""
    file = File((13, 4))
    token, after = file.type(varint(17)), file.tile(F32)
    file.entry(varint(0x44, token, 0x2A, after, ZERO, 0) + b"\x5c\0\0")
    assert "must be tile of" in messages(file.data(), context)[0]
