# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Round trips of every kernel of the corpus from cuTile Python.

`test/kernels/cutile/corpus.py` made the files; tileiras 13.4.92 compiles original and
rewritten files to the same machine code (`tools/oracle`).
"""

import re
import tarfile

import pytest
from bytecode_files import KERNELS, op_names, read

from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile

# Files that say the same as what is written of them, in other bytes, by reason.
OTHER_BYTES = {
    "unsigned floor division comes back as what it is, truncation": (
        "floordiv_u16 floordiv_u32 floordiv_u64 floordiv_u8"
    ),
    "cuTile takes the bits of an f64 for an unsigned number": (
        "argmax1_f64 argmax_f64 max1_f64 max_f64"
    ),
    "a position in the source to which nothing refers": (
        "convert_i16_u16 convert_i32_u32 convert_i64_u64 convert_i8_u8 "
        "convert_u16_i16 convert_u32_i32 convert_u64_i64 convert_u8_i8"
    ),
    "types, constants or hints stand in another order": (
        "list_f32 options2_f32 options3_f32 printed_i32 prints_f32"
    ),
}
# Ops of 13.1 to 13.4 that cuTile has no use for, or not without a GPU.
NEVER_WRITTEN = {
    *("alloca", "get_tensor_shape", "memory_fence_alias_tko", "mulhii"),
    *("ptr_to_int", "ptr_to_ptr"),
}


HINTS = re.compile(r" optimization_hints ?= ?<[^>]*>")


@pytest.fixture(scope="module")
def corpus(context) -> dict[str, dict[str, tuple[bytes, ir.Module]]]:
    """The files and what they hold, by version and kernel."""
    files: dict[str, dict[str, tuple[bytes, ir.Module]]] = {}
    with tarfile.open(KERNELS / "cutile" / "corpus.tar.xz") as archive:
        for entry in archive:
            version, name = entry.name.removesuffix(".tileirbc").split("/")
            file = archive.extractfile(entry)
            assert file
            data = file.read()
            files.setdefault(version, {})[name] = data, read(data, context)
    return files


def test_size(corpus):
    assert len(corpus["13.1"]) > 900
    assert len(corpus["13.4"]) > 1100


@pytest.mark.parametrize("version", ["13.1", "13.4"])
def test_comes_back(version, corpus, context):
    others = set(" ".join(OTHER_BYTES.values()).split())
    for name, (data, module) in corpus[version].items():
        again = _cuda_tile.write_bytecode(module, version)
        if name not in others:
            assert again == data, name
            continue
        text, came_back = (
            str(each.operation.get_asm(enable_debug_info=True))
            for each in (module, read(again, context))
        )
        assert came_back == text, name


def test_text_comes_back(corpus, context):
    for name, (_, module) in corpus["13.4"].items():
        text = str(module)
        assert str(ir.Module.parse(text, context)) == text, name


def test_older_version(corpus, context):
    """What cuTile writes for 13.4 goes into 13.1 if the kernel needs nothing newer.

    Hints for the GPU `default` stay behind.
    """
    written = 0
    refusals: set[str] = set()
    for name, (_, module) in corpus["13.4"].items():
        try:
            old = _cuda_tile.write_bytecode(module, "13.1")
        except ir.MLIRError as error:
            refusals.add(str(error))
            continue
        again, text = (
            HINTS.sub("", str(each)) for each in (read(old, context), module)
        )
        assert again == text, name
        written += 1
    assert written > 900
    assert all("bytecode version 13." in refusal for refusal in refusals)


def test_covers_what_cutile_has(corpus):
    names: set[str] = set()
    for files in corpus.values():
        for _, module in files.values():
            names |= op_names(module)
    known = {op.name for op in ods.ops().values() if op.opcode and op.since <= "13.4"}
    assert known - names == NEVER_WRITTEN
