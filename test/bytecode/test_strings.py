# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strings of a file are UTF-8, whatever they are for: names, places, messages."""

import pytest
from bytecode_files import kernel, messages
from bytecode_wire import File

import cuda_tile
from cuda_tile import UserError


@pytest.mark.parametrize("found", [b"vadd_i32_8", b"kernels.py", b"vadd"])
@pytest.mark.parametrize("bad", [b"\xff", b"\xc3", b"\xed\xa0\x80"])
def test_refused_with_their_place(found, bad, context):
    data = kernel("13.4", "vadd_i32_8")
    at = data.index(found)
    damaged = data[:at] + bad + data[at + len(bad) :]
    (said,) = messages(damaged, context)
    byte = f"got byte 0x{bad[0]:x}"
    assert said.startswith(f"error at offset {at}: expected string "), said
    assert f" to be UTF-8, {byte}" in said


def test_one_error_for_a_name(context):
    """The name is asked for twice, the first time for messages."""
    data = File().entry(b"", name="long_name").data().replace(b"long", b"\xffong")
    assert len(messages(data, context)) == 1


def test_letters_of_all_languages(context):
    data = kernel("13.4", "vadd_i32_8")
    at = data.index(b"vadd_i32_8")
    renamed = data[:at] + "vädd_32_8".encode() + data[at + 10 :]
    assert messages(renamed, context) == []
    module = cuda_tile.load(renamed)
    with pytest.raises(UserError, match="what PTX names, got 'vädd_32_8'"):
        cuda_tile.compile(module)
