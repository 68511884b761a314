# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR's own bytecode, which supports every level of the IR."""

import io
import subprocess
from pathlib import Path

import pytest
from bytecode_files import NAMES, kernel, read

from cuda_tile._mlir import ir

STORED = Path(__file__).resolve().parent / "Inputs" / "mlirbc"
"""Files of each version of the encodings, one folder each, never written again."""
ENCODINGS = sorted(path.name for path in STORED.iterdir() if path.is_dir())
LEVELS = ("tile", "warp")
FILES = [(path.parent.name, path.stem) for path in sorted(STORED.glob("*/*.mlirbc"))]
UNVERIFIED = "-mlir-very-unsafe-disable-verifier-on-parsing"

LAYOUT = "#cute.layout<((1@0, 64@0), (2@0, 4@0, 8@0, 16@0, 32@0), (), ())>"
FLAT = "#cute.layout<(1@1, 2@1, 4@1+1@0, 1@0, 2@0)>"

MODULES = {
    "layout": f"""
      cuda_tile.module @m {{ entry @k() {{
        %0 = constant <f32: 1.0> : tile<128xf32, {LAYOUT}>
        return }} }}""",
    "buffer": f"""
      cuda_tile.module @m {{ entry @k() {{
        %0 = tileas.alloc_shared : !tileas.buffer<4x8xf16, {FLAT}>
        return }} }}""",
    "predicates": """
      cuda_tile.module @m { entry @k(%n: tile<i32>) {
        %0 = assume bounded<-3, ?>, %n : tile<i32>
        %1 = assume bounded<?, 7>, %n : tile<i32>
        %2 = assume div_by<16>, %n : tile<i32>
        %3 = iota : tile<8xi32>
        %4 = assume div_by<4, every 4 along 0>, %3 : tile<8xi32>
        %5 = assume same_elements<[4]>, %3 : tile<8xi32>
        return } }""",
    "pointers": """
      cuda_tile.module @m { entry @k(%p: tile<ptr<f32, <multicast>>>) {
        %t = make_tensor_view %p, shape = [8], strides = [1]
          : tensor_view<8xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
        %0 = constant <fnv8E5M3FNU: 1.5> : tile<4xfnv8E5M3FNU>
        return } }""",
    "hints": """
      cuda_tile.module @m {
        entry @k() optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {
        return } }""",
    "views": """
      cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
        %t = make_tensor_view %p, shape = [%n], strides = [1]
          : tile<i32> -> tensor_view<?xf32, strides=[1]>
        %v = make_partition_view %t : partition_view<tile=(8),
          padding_value = neg_inf, tensor_view<?xf32, strides=[1]>>
        return } }""",
}


def through_bytecode(module: ir.Module, context: ir.Context) -> tuple[str, bytes]:
    """The text of what comes back, and the bytes."""
    file = io.BytesIO()
    module.operation.write_bytecode(file)
    return str(ir.Module.parse(file.getvalue(), context)), file.getvalue()


@pytest.mark.parametrize("name", NAMES)
def test_kernels(name, context):
    module = read(kernel("13.4", name), context)
    again, data = through_bytecode(module, context)
    assert again == str(module)
    # Debug information takes about as much room in either form.
    assert len(data) < 1.5 * len(str(module.operation.get_asm(enable_debug_info=True)))


@pytest.mark.parametrize("name", MODULES)
def test_types_and_attributes_are_numbers(name, context):
    module = ir.Module.parse(MODULES[name], context)
    again, data = through_bytecode(module, context)
    assert again == str(module)
    for text in (b"layout<", b"tile<", b"view<", b"buffer<", b"bounded<", b"div_by<"):
        assert text not in data


def refusal_of_mlir(data: bytes, context: ir.Context) -> str:
    """What MLIR says against a file."""
    try:
        ir.Module.parse(data, context)
    except ir.MLIRError as error:
        return str(error)
    return ""


def test_newer_encodings_are_refused(context):
    _, data = through_bytecode(ir.Module.parse(MODULES["hints"], context), context)
    # A section of kind 7 and size 1 with the number 4; MLIR writes 4 as 9, 5 as 11.
    # Other bytes may look the same.
    start = [at for at in range(len(data)) if data[at:].startswith(b"\x07\x03\x09")]
    newer = (data[:at] + b"\x07\x03\x0b" + data[at + 3 :] for at in start)
    said = [refusal_of_mlir(file, context) for file in newer]
    assert any("of version 4 or older, got 5" in text for text in said)


@pytest.mark.parametrize(("encoding", "level"), FILES)
def test_stored_files_read(encoding, level):
    """Without the verifier, which refuses what it accepted when they were made."""
    printed = [
        subprocess.run(
            ["cuda-tile-opt", UNVERIFIED, STORED / encoding / f"{level}.{kind}"],
            check=True,
            capture_output=True,
        ).stdout
        for kind in ("mlir", "mlirbc")
    ]
    assert b"cuda_tile.module" in printed[0]
    assert printed[0] == printed[1]


@pytest.mark.parametrize("level", LEVELS)
def test_encodings_change_with_their_version(level, context):
    """Other bytes for the same module need a new version and a folder for it."""
    stored = (STORED / ENCODINGS[-1] / f"{level}.mlirbc").read_bytes()
    text = (STORED / ENCODINGS[-1] / f"{level}.mlir").read_text()
    _, data = through_bytecode(ir.Module.parse(text, context), context)
    assert data == stored
