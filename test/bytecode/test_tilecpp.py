# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of nvcc: the kernels of test/kernels/tilecpp, written in CUDA Tile C++."""

import re

import pytest
from bytecode_files import KERNELS, messages, op_names, read
from bytecode_sections import sections

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile

FILES = sorted((KERNELS / "tilecpp").glob("*.tilebc"))


def text(module: ir.Module) -> str:
    """A module with its locations."""
    return str(module.operation.get_asm(enable_debug_info=True))


def test_all_are_there():
    assert len(FILES) == 12


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_is_read(path, context):
    assert not messages(path.read_bytes(), context, strict=True)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_comes_back(path, context):
    """Tables are in another order than nvcc's, so bytes differ; nothing else does."""
    module = read(path.read_bytes(), context)
    written = _cuda_tile.write_bytecode(module, "13.5")
    again = read(written, context)
    assert text(again) == text(module)
    assert _cuda_tile.write_bytecode(again, "13.5") == written


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_text_comes_back(path, context):
    printed = text(read(path.read_bytes(), context))
    assert text(ir.Module.parse(printed, context)) == printed


def test_shows_what_only_nvcc_writes(context):
    data = {path.stem: path.read_bytes() for path in FILES}
    modules = {name: read(file, context) for name, file in data.items()}
    names: set[str] = set().union(*(op_names(module) for module in modules.values()))
    assert {"global", "get_global", "print_tko", "assert", "scan"} <= names
    # Padding behind the last function, and call sites whose callee is unknown.
    assert any(sections(file)["function"].endswith(b"\xcb") for file in data.values())
    printed = text(modules["vadd"])
    unknown = re.search(r"#(loc\d*) = loc\(unknown\)", printed)
    assert unknown
    assert f"callsite(#{unknown[1]} at " in printed
    assert str(modules["vadd"]).count("entry @") == 4
