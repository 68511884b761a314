# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each op, argument, type and enumeration case exists since its first version.

The list comes from the ODS, so that a new op or argument is tested, or reported as
untested.
"""

import re
from pathlib import Path
from textwrap import dedent

import pytest
from bytecode_files import messages, read, refusal
from bytecode_wire import File, little, varint

from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = _cuda_tile.bytecode_versions()
RETURN = b"\x5c\0\0"
F32 = 7
# In files these are no records of a body.
SECTIONS = ("module", "entry", "global")
OPS = {
    name: op
    for name, op in ods.ops().items()
    if op.opcode is not None and name not in SECTIONS
}
BODY = """
cuda_tile.module @kernels {{
  entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {{
    {}
    return
  }}
}}
"""
VIEW = """
%t = make_tensor_view %p, shape = [64], strides = [1]
  : tensor_view<64xf32, strides=[1]>
%v = make_partition_view %t
  : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
%x = constant <f32: 1.0> : tile<8xf32>
"""
VIEW_TYPE = "partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32>"
HALF = "%h = constant <f8E4M3FN: 1.0> : tile<16x16xf8E4M3FN>\n"
# A use of each argument that is newer than its op, and what older versions say.
ATTRIBUTE = "attribute '{}' requires bytecode version {}+, but targeting {}"
FLAG = "optional attribute '{}' is provided but requires bytecode version {}, targeting"
OPERAND = (
    "optional operand '{}' is provided but requires bytecode version {}, targeting"
)
ARGUMENTS = {
    ("exp", "rounding_mode"): (
        "%x = constant <f32: 1.0> : tile<f32>\n"
        "%y = exp %x rounding<approx> : tile<f32>",
        ATTRIBUTE,
    ),
    ("for", "unsignedCmp"): (
        "for unsigned %i in (%n to %n, step %n) : tile<i32> { continue }",
        FLAG,
    ),
    ("ftoi", "saturating"): (
        "%x = constant <f32: 1.0> : tile<f32>\n"
        "%y = ftoi %x signed saturating : tile<f32> -> tile<i32>",
        FLAG,
    ),
    ("load_view_tko", "inbounds"): (
        f"{VIEW}%y, %k = load_view_tko weak %v[%n] inbounds = [true] : {VIEW_TYPE} "
        "-> tile<8xf32>, token",
        ATTRIBUTE,
    ),
    ("store_view_tko", "inbounds"): (
        f"{VIEW}%k = store_view_tko weak %x, %v[%n] inbounds = [true] : tile<8xf32>, "
        f"{VIEW_TYPE} -> token",
        ATTRIBUTE,
    ),
    ("atomic_red_view_tko", "inbounds"): (
        f"{VIEW}%k = atomic_red_view_tko relaxed device %v[%n], addf, %x "
        f"inbounds = [true] : tile<8xf32>, {VIEW_TYPE} -> token",
        ATTRIBUTE,
    ),
    ("mmaf", "fast_acc"): (
        f"{HALF}%c = constant <f32: 1.0> : tile<16x16xf32>\n"
        "%d = mmaf %h, %h, %c fast_acc : tile<16x16xf8E4M3FN>, tile<16x16xf8E4M3FN>, "
        "tile<16x16xf32>",
        FLAG,
    ),
    ("negi", "overflow"): (
        "%x = negi %n overflow<no_signed_wrap> : tile<i32>",
        ATTRIBUTE,
    ),
    ("print_tko", "token"): (
        "%k = make_token : token\n"
        '%l = print_tko "%i", %n token = %k : tile<i32> -> token',
        OPERAND,
    ),
    ("tanh", "rounding_mode"): (
        "%x = constant <f32: 1.0> : tile<f32>\n"
        "%y = tanh %x rounding<approx> : tile<f32>",
        ATTRIBUTE,
    ),
}


def program(snippet: str) -> str:
    """The file that an example of ODS stands for."""
    text = dedent(snippet).strip()
    if text.startswith("cuda_tile.module"):
        return re.sub("module @[a-z]+", "module @kernels", text)
    if text.startswith("entry"):
        return f"cuda_tile.module @kernels {{ {text} }}"
    return BODY.format(text)


def pair(version: str) -> tuple[int, int]:
    major, minor = version.split(".")
    return int(major), int(minor)


def test_every_newer_argument_has_a_use():
    newer = {(op.name, name) for op in OPS.values() for name in op.since_of}
    assert newer == set(ARGUMENTS)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", OPS)
def test_opcode_is_read_from_its_version_on(name, version, context):
    op = OPS[name]
    assert op.opcode is not None
    file = File(pair(version)).entry(varint(op.opcode))
    [first, *_] = messages(file.data(), context)
    unknown = f"unsupported opcode {op.opcode} for bytecode version {version};"
    assert (unknown in first) == (pair(version) < pair(op.since)), first


@pytest.mark.parametrize("version", VERSIONS)
def test_holes_are_refused(version, context):
    """Numbers that no op has, 18 of them below the last op's."""
    used = {op.opcode for op in ods.ops().values()}
    holes = [number for number in range(0x80) if number not in used]
    for number in (*holes, 0x80, 16385, 16389, 1 << 40):
        file = File(pair(version)).entry(varint(number))
        assert f"unsupported opcode {number} for" in messages(file.data(), context)[0]
    for name in SECTIONS:
        opcode = ods.ops()[name].opcode
        assert opcode is not None
        file = File(pair(version)).entry(varint(opcode))
        assert f"unsupported opcode {opcode} for" in messages(file.data(), context)[0]


@pytest.mark.parametrize("name", OPS)
def test_op_is_written_from_its_version_on(name, context):
    op = OPS[name]
    for snippet in op.examples:
        module = ir.Module.parse(program(snippet), context)
        for version in VERSIONS:
            if pair(version) < pair(op.since):
                said = refusal(module, version)
                older = f"operation 'cuda_tile.{name}' is not available in bytecode "
                # Types that are as new are met first.
                assert f"{older}version {version}" in said or (
                    "requires bytecode version" in said and version in said
                )
        data = _cuda_tile.write_bytecode(module, VERSIONS[-1])
        assert str(read(data, context)) == str(module)


@pytest.mark.parametrize(
    "name", [name for name, op in OPS.items() if op.since > "13.1"]
)
def test_new_op_is_refused_by_name(name, context):
    """In the version before, where the types of its example exist or not."""
    op = OPS[name]
    module = ir.Module.parse(program(op.examples[0]), context)
    before = VERSIONS[VERSIONS.index(op.since) - 1]
    said = refusal(module, before)
    if "type '" not in said and "pointer attribute '" not in said:
        expected = f"operation 'cuda_tile.{name}' is not available in bytecode version "
        assert expected + before in said
    _cuda_tile.write_bytecode(module, op.since)


@pytest.mark.parametrize("key", ARGUMENTS, ids=" ".join)
def test_newer_argument(key, context):
    name, argument = key
    snippet, text = ARGUMENTS[key]
    op = OPS[name]
    since = op.since_of[argument]
    module = ir.Module.parse(BODY.format(snippet), context)
    for version in VERSIONS:
        if pair(version) >= pair(since):
            again = read(_cuda_tile.write_bytecode(module, version), context)
            assert str(again) == str(module)
        elif pair(version) >= pair(op.since):
            assert text.format(argument, since, version) in refusal(module, version)


def test_newer_result(context):
    """A token that older files lack may be there, but not be used."""
    use = '%k = print_tko "%i", %n : tile<i32> -> token'
    module = ir.Module.parse(BODY.format(use), context)
    again = read(_cuda_tile.write_bytecode(module, "13.1"), context)
    assert str(again) == str(module)
    used = f"{use}\n%l = join_tokens %k, %k : token"
    module = ir.Module.parse(BODY.format(used), context)
    assert (
        "result 'result_token' requires bytecode version 13.2 but is being used and "
        "targeting 13.1. Cannot serialize to older bytecode version when newer "
        "features are used."
    ) in refusal(module, "13.1")
    again = read(_cuda_tile.write_bytecode(module, "13.2"), context)
    assert str(again) == str(module)


TYPES = {  # tag, first version, name in messages
    "f8E8M0FNU": (18, "13.2", "Float8E8M0FNU"),
    "f4E2M1FN": (19, "13.3", "Float4E2M1FN"),
    "gather_scatter_view": (20, "13.3", "GatherScatterViewType"),
    "strided_view": (21, "13.3", "StridedViewType"),
    "i4": (22, "13.3", "Int4"),
    "fnv8E5M3FNU": (130, "13.4", "Float8E5M3FNU"),
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", TYPES)
def test_type_is_read_from_its_version_on(name, version, context):
    tag, since, registered = TYPES[name]
    file = File(pair(version), types=[varint(tag)]).entry(RETURN)
    said = messages(file.data(), context)
    text = f"type '{registered}' requires bytecode version {since}+, file version is "
    text += version
    assert (bool(said) and text in said[0]) == (pair(version) < pair(since))


@pytest.mark.parametrize("name", ["f8E8M0FNU", "f4E2M1FN", "i4", "fnv8E5M3FNU"])
def test_type_is_written_from_its_version_on(name, context):
    _, since, registered = TYPES[name]
    snippet = f"%0 = constant <{name}: 1.0> : tile<8x{name}>"
    if name == "i4":
        snippet = "%0 = trunci %n : tile<i32> -> tile<i4>"
    module = ir.Module.parse(BODY.format(snippet), context)
    for version in VERSIONS:
        if pair(version) >= pair(since):
            again = read(_cuda_tile.write_bytecode(module, version), context)
            assert str(again) == str(module)
        else:
            text = f"type '{registered}' requires bytecode version {since}+, targeting "
            assert text + version in refusal(module, version)


def test_every_value_of_a_float_that_mlir_lacks(context):
    """fnv8E5M3FNU: 0, 1.0, the largest number, NaN."""
    codes = bytes([0x00, 0x78, 0xFE, 0xFF])
    file = File((13, 4))
    tile = file.tile(130, 4)
    body = varint(0x10, tile, file.constant(codes)) + RETURN
    module = read(file.entry(body).data(), context)
    numbers = "[0.000000e+00, 1.000000e+00, 1.146880e+05, 0x7FF8000000000000]"
    assert f"<fnv8E5M3FNU: {numbers}>" in str(module)
    again = ir.Module.parse(str(module), context)
    assert str(again) == str(module)
    assert codes in _cuda_tile.write_bytecode(again, "13.4")


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_pointer_attributes(kind, context):
    keyword = ("none", "unicast", "multicast")[kind]
    file = File((13, 5))
    f32 = file.type(varint(F32))
    pointer = file.type(varint(12, 1, f32, kind))
    scalar = file.type(varint(13, pointer) + little(8, []))
    module = read(file.entry(RETURN, (scalar,)).data(), context)
    assert f"tile<ptr<f32, <{keyword}>>>" in str(module)
    assert str(read(_cuda_tile.write_bytecode(module, "13.5"), context)) == str(module)
    if kind:
        text = f"pointer attribute '{keyword}' requires bytecode version 13.5+"
        assert text in refusal(module, "13.4")
    else:
        older = read(_cuda_tile.write_bytecode(module, "13.4"), context)
        assert str(older) == str(module)
    assert "requires bytecode version 13." in refusal(module, "13.3")


@pytest.mark.parametrize("version", VERSIONS)
def test_case_of_an_enumeration_is_read_from_its_version_on(version, context):
    """nearest_away (7) of ftof, from f32 to tf32."""
    file = File(pair(version))
    source, result = file.tile(F32), file.tile(8)
    body = varint(0x2A, result, 7, 0) + RETURN
    data = file.entry(body, (source,)).data()
    if pair(version) >= (13, 4):
        assert "ftof %arg0 rounding<nearest_away>" in str(read(data, context))
    else:
        [first, *_] = messages(data, context)
        assert (
            "enum value for attribute 'rounding_mode' is not available in bytecode "
            f"version {version}: 'nearest_away' requires 13.4+"
        ) in first


def test_every_new_case_is_known():
    """The cases of ODS that are newer than their enumeration."""
    path = "dialect/include/cuda_tile/IR/Enums.td"
    text = (ROOT / path).read_text()
    cases = re.findall(r'^  CudaTile_CaseSince<"([^"]+)", "(\w+)"', text, re.MULTILINE)
    assert cases == [
        ("13.4", "NEAREST_AWAY"),
        ("13.5", "UNICAST"),
        ("13.5", "MULTICAST"),
    ]
