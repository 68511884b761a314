# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Corrupted files give an error with an offset, never a crash or a hang."""

import re

import pytest
from bytecode_damage import corruptions
from bytecode_files import VERSIONS, kernel, messages

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile

SMALL = ("vadd_i32_8", "softmax_f32_1024")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", SMALL)
def test_truncated_anywhere(version, name, context):
    data = kernel(version, name)
    for size in range(len(data)):
        first = messages(data[:size], context)[0]
        assert re.match(r"error at offset \d+: ", first), (size, first)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", SMALL)
def test_one_byte_changed(version, name, context):
    data = kernel(version, name)
    refused = 0
    for position, value in enumerate(data):
        for other in corruptions(value):
            damaged = data[:position] + bytes([other]) + data[position + 1 :]
            said = messages(damaged, context)
            # Verifiers speak without an offset; the reader closes with one.
            refused += bool(said)
            assert not said or re.match(r"error at offset \d+: ", said[-1])
    assert refused > len(data)


@pytest.mark.parametrize("version", VERSIONS)
def test_bytes_removed_and_added(version, context):
    data = kernel(version, "vadd_i32_8")
    for position in range(len(data)):
        for damaged in (
            data[:position] + data[position + 1 :],
            data[:position] + b"\x80" + data[position:],
            data[:position] + b"\xff" * 9 + data[position:],
        ):
            said = messages(damaged, context)
            assert not said or re.match(r"error at offset \d+: ", said[-1])


def test_warning_of_a_verifier(context):
    """A warning that prints its op would verify it again, without end."""
    source = """cuda_tile.module @kernels { entry @k() {
      %i = constant <i32: 9> : tile<i32>
      %a = iota : tile<8xi32>
      %b = extract %a[%i] : tile<8xi32> -> tile<4xi32>
      return } }"""
    module = ir.Module.parse(source, context)
    assert messages(_cuda_tile.write_bytecode(module), context) == []
