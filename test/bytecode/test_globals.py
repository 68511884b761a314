# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Globals, in versions with and without their flags."""

import pytest
from bytecode_files import messages, read
from bytecode_wire import File, varint

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile

RETURN = b"\x5c\0\0"
I32, GLOBAL = 3, 6
VERSIONS = ("13.1", "13.2", "13.3", "13.4", "13.5")


def module(keywords: str, context: ir.Context) -> ir.Module:
    """A module with a global and an entry that takes its address."""
    return ir.Module.parse(
        f"""cuda_tile.module @kernels {{
          global {keywords}@table alignment = 64 <i32: [1, 2]> : tile<2xi32>
          entry @k() {{
            %0 = get_global @table : tile<ptr<i32>>
            return
          }}
        }}""",
        context,
    )


def written(flags: bytes, version: tuple[int, int]) -> bytes:
    """A file with the global @table."""
    file = File(version)
    tile, number = file.tile(I32, 2), file.constant(b"\1\0\0\0\2\0\0\0")
    record = varint(1, file.string("table"), tile, number, 64) + flags
    file.extra.append((GLOBAL, record, 0))
    return file.entry(RETURN).data()


@pytest.mark.parametrize("version", VERSIONS)
def test_comes_back(version, context):
    before = module("", context)
    after = read(_cuda_tile.write_bytecode(before, version), context)
    assert str(after) == str(before)


@pytest.mark.parametrize("keywords", ["private ", "constant ", "private constant "])
def test_flags_since_13_3(keywords, context):
    before = module(keywords, context)
    after = read(_cuda_tile.write_bytecode(before, "13.3"), context)
    assert str(after) == str(before)
    message = {
        "constant ": "constant global `table` cannot be encoded in bytecode version "
        "13.2 (the `constant` attribute requires bytecode 13.3+)",
    }.get(
        keywords,
        "global `table` uses non-public symbol visibility, which cannot be encoded "
        "in bytecode version 13.2 (requires bytecode 13.3+)",
    )
    with pytest.raises(ir.MLIRError) as error:
        _cuda_tile.write_bytecode(before, "13.2")
    assert message in str(error.value)


def test_record(context):
    expected = "@table alignment = 64 <i32: [1, 2]> : tile<2xi32>"
    assert f"global {expected}" in str(read(written(b"", (13, 1)), context))
    flags = b"\1\1"
    assert f"constant {expected}" in str(read(written(flags, (13, 3)), context))


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (b"\2\0", "invalid symbol visibility value: 2; expected 0 (public)"),
        (b"\0\2", "expected global constant flag 0 or 1, got 2"),
        (b"\0", "failed to read global constant flag"),
        (b"", "failed to read global symbol visibility"),
    ],
)
def test_bad_flags(flags, message, context):
    assert message in messages(written(flags, (13, 3)), context)[0]
