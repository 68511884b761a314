# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Golden files of each version, which never change."""

from pathlib import Path

import pytest
from bytecode_files import op_names, read

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile

GOLDEN = Path(__file__).resolve().parent / "Inputs" / "golden"
VERSIONS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
# What a version has, and no older one.
NEW_OPS = {
    "13.1": {"addi", "mmaf", "for", "load_view_tko", "get_global"},
    "13.2": {"atan2"},
    "13.3": {"alloca", "pack", "unpack", "mmaf_scaled", "make_strided_view"},
    "13.4": {"insert", "fpowi", "gdc_wait_tko", "memory_fence_alias_tko"},
    "13.5": {
        "multimem_load_reduce_view_tko",
        "multimem_reduce_view_tko",
        "multimem_store_view_tko",
    },
}


def golden(version: str) -> bytes:
    return (GOLDEN / version / "ops.tileirbc").read_bytes()


def test_each_version_has_its_pair():
    assert _cuda_tile.bytecode_versions() == VERSIONS
    for version in VERSIONS:
        names = {path.name for path in (GOLDEN / version).iterdir()}
        assert names == {"ops.mlir", "ops.tileirbc"}


@pytest.mark.parametrize("version", VERSIONS)
def test_is_of_its_version(version):
    major, minor = version.split(".")
    assert golden(version)[8:12] == bytes([int(major), int(minor), 0, 0])


@pytest.mark.parametrize("version", VERSIONS)
def test_reads_to_its_text(version, context):
    text = (GOLDEN / version / "ops.mlir").read_text()
    # Files do not store the name of a module before 13.3.
    expected = str(ir.Module.parse(text, context))
    if version in ("13.1", "13.2"):
        expected = expected.replace(
            "cuda_tile.module @all", "cuda_tile.module @kernels"
        )
    assert str(read(golden(version), context)) == expected


@pytest.mark.parametrize("version", VERSIONS)
def test_is_written_byte_for_byte(version, context):
    module = read(golden(version), context)
    assert _cuda_tile.write_bytecode(module, version) == golden(version)


@pytest.mark.parametrize("version", VERSIONS)
def test_has_the_ops_of_its_version(version, context):
    names = op_names(read(golden(version), context))
    assert names >= NEW_OPS[version]
    for newer in VERSIONS[VERSIONS.index(version) + 1 :]:
        assert not names & NEW_OPS[newer]


@pytest.mark.parametrize("version", VERSIONS[1:])
def test_older_versions_refuse_it(version, context):
    module = read(golden(version), context)
    older = VERSIONS[VERSIONS.index(version) - 1]
    with pytest.raises(ir.MLIRError, match="bytecode version"):
        _cuda_tile.write_bytecode(module, older)


@pytest.mark.parametrize("version", VERSIONS)
def test_newer_versions_hold_it(version, context):
    module = read(golden(version), context)
    for newer in VERSIONS[VERSIONS.index(version) :]:
        again = read(_cuda_tile.write_bytecode(module, newer), context)
        assert str(again) == str(module)
