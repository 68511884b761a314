# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ODS declares of ops agrees with what MLIR's interfaces say, and is cautious."""

from __future__ import annotations

import json
import re
from pathlib import Path

import ods_json
import pytest

from cuda_tile import ods
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.ir import traits
from cuda_tile.ir.walk import nested_ops

DIALECT_TESTS = Path(__file__).parents[1] / "dialect"


@pytest.mark.parametrize("name", ["all_ops", "tileas", "tileas_rings"])
def test_loops_and_buffers_are_those_of_the_interfaces(name: str):
    text = (DIALECT_TESTS / f"{name}.mlir").read_text()
    for part in text.split("// -----"):
        with ir.Context() as context:
            _cuda_tile.register_dialect(context, load=True)
            for op in nested_ops(ir.Module.parse(part).operation):
                assert _cuda_tile.is_loop(op) == (op.name in traits.LOOPS), op.name
                writes = any(w for _, _, w in _cuda_tile.buffer_accesses(op))
                assert not (writes and op.name in traits.BUFFER_LOADS), op.name
                assert not (writes and traits.is_pure(op)), op.name


def test_an_op_that_declares_nothing_may_do_anything():
    nothing = {"args": []}
    record = {
        "traits": [],
        "arguments": nothing,
        "results": nothing,
        "regions": nothing,
    }
    assert ods_json.traits_of({"!instanceof": {}}, record) == []


def test_an_op_with_a_region_or_at_the_end_of_a_block_is_not_pure():
    assert traits.PURE.isdisjoint(traits.TERMINATORS | traits.LOOPS | traits.COMBINES)


def test_an_access_is_not_pure():
    assert traits.PURE.isdisjoint(traits.ACCESSES)
    assert traits.READS < traits.ACCESSES
    assert traits.STORES < traits.ACCESSES


def test_every_word_is_read():
    """A fact that no set asks for is one that nobody keeps right."""
    words = {word for op in ods.ops().values() for word in op.traits}
    source = Path(traits.__file__).read_text()
    unread = {word for word in words if f'"{word}"' not in source}
    assert unread == {"touches_nothing"}  # read by tools/ods_json.py


def test_names_of_tileas_in_the_compiler_are_declared():
    """An attribute that passes write under another name is refused by the verifier."""
    dumps = Path(ods_json.__file__).parents[1] / "build" / "python"
    (dump,) = dumps.rglob("Tileas.Attributes.dump.json")
    records = json.loads(dump.read_text())
    listed = records["!instanceof"]["Tileas_Attribute"]
    known = {f"tileas.{records[name]['name']}" for name in listed} | set(ods.ops())
    package = Path(traits.__file__).parents[1]
    found = {
        word
        for file in package.rglob("*.py")
        for word in re.findall(r'"(tileas\.\w+)"', file.read_text())
    }
    assert found <= known
