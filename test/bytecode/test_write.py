# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing: round trips, and errors for features that an older version lacks."""

import io

import pytest
from bytecode_files import NAMES, VERSIONS, kernel, read, refusal
from bytecode_sections import sections

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile

EVERY_VERSION = ("13.1", "13.2", "13.3", "13.4", "13.5")


def text(module: ir.Module) -> str:
    """With locations, so that these are compared as well."""
    return str(module.operation.get_asm(enable_debug_info=True))


def parse(body: str, context: ir.Context, parameters: str = "") -> ir.Module:
    """A module with one entry."""
    entry = f"entry @k({parameters}) {{\n{body}\n return }}"
    return ir.Module.parse(f"cuda_tile.module @kernels {{ {entry} }}", context)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_kernel_comes_back(version, name, context):
    module = read(kernel(version, name), context)
    again = read(_cuda_tile.write_bytecode(module, version), context)
    assert text(again) == text(module)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_same_bytes_as_the_producer(version, name, context):
    """Tables in the order of first use, debug information, padding: as cuTile."""
    data = kernel(version, name)
    assert _cuda_tile.write_bytecode(read(data, context), version) == data


@pytest.mark.parametrize("version", EVERY_VERSION)
@pytest.mark.parametrize("name", NAMES)
def test_kernel_in_every_version(version, name, context):
    module = read(kernel("13.1", name), context)
    data = _cuda_tile.write_bytecode(module, version)
    assert f"{data[8]}.{data[9]}" == version
    assert text(read(data, context)) == text(module)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("%0 = constant <i1: true> : tile<i1>", b"\x01\xff"),
        ("%0 = constant <i1: false> : tile<8xi1>", b"\x01\x00"),
        ("%0 = constant <i1: [true, false, true, true]> : tile<4xi1>", b"\x01\x0d"),
        ("%0 = constant <i8: [1, -2]> : tile<2xi8>", b"\x02\x01\xfe"),
        ("%0 = constant <i16: 7> : tile<128xi16>", b"\x02\x07\x00"),
        ("%0 = constant <f32: 1.0> : tile<4xf32>", b"\x04\x00\x00\x80\x3f"),
    ],
)
def test_constants(body, value, context):
    module = parse(body, context)
    data = _cuda_tile.write_bytecode(module, "13.1")
    # One entry: count, padding, offset 0, the entry.
    assert sections(data)["constant"] == b"\x01" + b"\xcb" * 7 + b"\0" * 8 + value
    assert text(read(data, context)).split("loc(")[0] == text(module).split("loc(")[0]


def test_equal_constants_are_one(context):
    module = parse(
        "%0 = constant <i32: 1> : tile<4xi32>\n%1 = constant <i32: 1> : tile<i32>",
        context,
    )
    assert sections(_cuda_tile.write_bytecode(module))["constant"][0] == 1


def test_module_name_and_producer(context):
    source = 'cuda_tile.module @mine attributes {producer = "hand"} { }'
    module = ir.Module.parse(source, context)
    again = str(read(_cuda_tile.write_bytecode(module, "13.3"), context))
    assert 'cuda_tile.module @mine attributes {producer = "hand"}' in again
    # Older files have no place for either.
    old = str(read(_cuda_tile.write_bytecode(module, "13.2"), context))
    assert "cuda_tile.module @kernels {" in old


@pytest.mark.parametrize("producer", ["module @x", "a; module @x", "x"])
@pytest.mark.parametrize("name", ["kernels", "other"])
def test_producer_that_looks_like_a_name(producer, name, context):
    source = f'cuda_tile.module @{name} attributes {{producer = "{producer}"}} {{ }}'
    module = ir.Module.parse(source, context)
    again = str(read(_cuda_tile.write_bytecode(module), context))
    assert f'@{name} attributes {{producer = "{producer}"}}' in again


UNSIGNED_LOOP = "for unsigned %i in (%n to %n, step %n) : tile<i32> { continue }"
VIEW = """
%t = make_tensor_view %p, shape = [64], strides = [1]
  : tensor_view<64xf32, strides=[1]>
%v = make_partition_view %t
  : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
%x, %tok = load_view_tko weak %v[%n] inbounds = [true]
  : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32>
  -> tile<8xf32>, token"""

BF16_SUM = """
%q = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<bf16>>
%x = constant <bf16: 1.0> : tile<bf16>
%0, %tok = atomic_rmw_tko relaxed device %q, addf, %x
  : tile<ptr<bf16>>, tile<bf16> -> tile<bf16>, token"""


@pytest.mark.parametrize(
    ("body", "version", "first", "message"),
    [
        (
            UNSIGNED_LOOP,
            "13.1",
            "13.2",
            "optional attribute 'unsignedCmp' is provided but requires bytecode "
            "version 13.2, targeting 13.1",
        ),
        (
            VIEW,
            "13.3",
            "13.4",
            "attribute 'inbounds' requires bytecode version 13.4+, but targeting 13.3",
        ),
        (
            "%0 = constant <f8E8M0FNU: 1.0> : tile<4xf8E8M0FNU>",
            "13.1",
            "13.2",
            "type 'Float8E8M0FNU' requires bytecode version 13.2+, targeting 13.1",
        ),
        (
            "%0 = constant <f32: 1.0> : tile<4xf32>\n"
            "%1 = ftof %0 rounding<nearest_away> : tile<4xf32> -> tile<4xtf32>",
            "13.3",
            "13.4",
            "enum value for attribute 'rounding_mode' is not available in bytecode "
            "version 13.3: 'nearest_away' requires 13.4+",
        ),
        (
            "%0 = constant <f32: 1.0> : tile<4xf32>\n"
            "%1 = ftof %0 rounding<zero> : tile<4xf32> -> tile<4xf16>",
            "13.3",
            "13.4",
            "rounding mode 'zero' of a conversion requires bytecode version 13.4+, but "
            "targeting 13.3",
        ),
        (
            BF16_SUM,
            "13.2",
            "13.3",
            "mode 'addf' of bf16 requires bytecode version 13.3+, but targeting 13.2",
        ),
    ],
    ids=["attribute-flag", "attribute", "type", "enum", "rounding", "bf16-atomic"],
)
def test_newer_than_the_target(body, version, first, message, context):
    module = parse(body, context, "%p: tile<ptr<f32>>, %n: tile<i32>")
    assert message in refusal(module, version)
    again = read(_cuda_tile.write_bytecode(module, first), context)
    assert str(again) == str(module)


def test_inbounds_without_a_true_is_no_news(context):
    body = VIEW.replace("[true]", "[false]")
    module = parse(body, context, "%p: tile<ptr<f32>>, %n: tile<i32>")
    again = str(read(_cuda_tile.write_bytecode(module, "13.1"), context))
    assert "load_view_tko weak" in again


def test_layouts_are_refused(context):
    layout = "#cute.layout<((1@0), (2@0, 4@0, 8@0, 16@0, 32@0), (), ())>"
    body = f"%0 = constant <f32: 1.0> : tile<64xf32, {layout}>"
    assert "expected tiles without layouts, got" in refusal(
        parse(body, context), "13.4"
    )


def test_foreign_ops_are_refused(context):
    inside = parse("%0 = arith.constant 1 : i32", context)
    assert "only ops from the 'cuda_tile' dialect are allowed" in refusal(
        inside, "13.3"
    )
    beside = ir.Module.parse(
        "cuda_tile.module @m { %0 = arith.constant 1 : i32 }", context
    )
    assert "only function and global ops are allowed in the body" in refusal(
        beside, "13.3"
    )


def test_module_to_write(context):
    assert "expected a single CUDA Tile IR module in the MLIR module" in refusal(
        ir.Module.parse("module { }", context), "13.3"
    )
    module = parse("", context)
    entry = module.body.operations[0].regions[0].blocks[0].operations[0]
    with pytest.raises(
        ir.MLIRError,
        match=r"expected a CUDA Tile IR module, but got a cuda_tile\.entry",
    ):
        _cuda_tile.write_bytecode(entry)


@pytest.mark.parametrize(
    ("note", "message"),
    [
        (
            "affine_map<() -> ()>",
            "unsupported attribute type encountered during serialization: affine_map",
        ),
        ("1.0 : f80", "unsupported float type: 'f80'"),
        ("1 : i128", "unsupported integer type width; got 'i128'"),
    ],
    ids=["attribute", "float", "integer"],
)
def test_notes_that_have_no_encoding(note, message, context):
    module = parse("", context, f"%x: tile<f32> {{cuda_tile.note = {note}}}")
    assert message in refusal(module, "13.5")


@pytest.mark.parametrize(
    ("hints", "body", "version", "warning"),
    [
        (
            "default = {num_cta_in_cga = 2}",
            "",
            "13.2",
            "hints for 'default' require bytecode version 13.3+ and are left out, "
            "targeting 13.2",
        ),
        (
            "",
            '%0 = iota {other.note = "x"} : tile<8xi32>',
            "13.4",
            "attribute 'other.note' has no place in bytecode and is left out",
        ),
    ],
    ids=["hints", "attribute"],
)
def test_what_is_left_out_is_said(hints, body, version, warning, context):
    entry = f"entry @k() optimization_hints=<{hints}> {{ {body}\n return }}"
    context.allow_unregistered_dialects = True
    module = ir.Module.parse(f"cuda_tile.module @m {{ {entry} }}", context)
    said: list[str] = []
    handler = context.attach_diagnostic_handler(
        lambda diagnostic: bool(said.append(diagnostic.message) or True)
    )
    again = read(_cuda_tile.write_bytecode(module, version), context)
    handler.detach()
    assert said == [warning]
    assert "default" not in str(again)
    assert "other.note" not in str(again)


def test_versions(context):
    assert tuple(_cuda_tile.bytecode_versions()) == EVERY_VERSION
    module = parse("", context)
    assert (
        "unsupported version requested 12.0, must be in range [13.1, 13.3], or newer "
        "[13.4, 13.5]"
    ) in refusal(module, "12.0")
    with pytest.raises(
        ValueError, match=r"expected a version such as '13\.3', got 'x'"
    ):
        _cuda_tile.write_bytecode(module, "x")


def test_to_a_file(context):
    file = io.BytesIO()
    assert _cuda_tile.writeBytecode(file, parse("", context))
    assert _cuda_tile.is_bytecode(file.getvalue())
    foreign = parse("%0 = arith.constant 1 : i32", context)
    assert not _cuda_tile.writeBytecode(io.BytesIO(), foreign)


def test_locations(context):
    """Those of a file take the scope of their entry; names and others go."""
    source = """
    cuda_tile.module @kernels {
      entry @k(%n: tile<i32>) {
        %0 = addi %n, %n : tile<i32> loc("dir/a.py":3:4)
        %1 = addi %n, %n : tile<i32> loc(callsite("a.py":1:2 at "b.py":5:6))
        %2 = addi %n, %n : tile<i32> loc("name"("c.py":7:8))
        %3 = addi %n, %n : tile<i32> loc(unknown)
        return loc(unknown)
      } loc("dir/a.py":2:0)
    }"""
    module = ir.Module.parse(source, context)
    again = text(read(_cuda_tile.write_bytecode(module), context))
    for expected in ('"dir/a.py":3:4', "callsite(", '"c.py":7:8', '"dir/a.py":2:0'):
        assert expected in again
    assert '"name"' not in again


def test_no_locations_no_debug_section(context):
    with ir.Location.unknown(context):
        module = ir.Module.parse(
            "cuda_tile.module @kernels { entry @k() { return loc(unknown) } "
            "loc(unknown) }",
            context,
        )
    assert "debug" not in sections(_cuda_tile.write_bytecode(module))


@pytest.mark.parametrize("version", EVERY_VERSION)
def test_hints_for_any_gpu(version, context):
    """Compilers before 13.3 refuse the key; it says nothing where it is empty."""
    module = read(kernel("13.4", "vadd_i32_8"), context)
    assert "default = {}" in str(module)
    again = str(read(_cuda_tile.write_bytecode(module, version), context))
    assert ("default" in again) == (version not in ("13.1", "13.2"))
