# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong easily with MLIR in Python ends in an exception, never the process.

Each mistake of `mlir_mistakes.py` is made in a process of its own.
"""

from __future__ import annotations

import multiprocessing
from typing import Any

import mlir_mistakes
import pytest

from cuda_tile._mlir import ir
from cuda_tile.ir.walk import block_ops, body, enclosing_entry, listed_ops, nested_ops


@pytest.mark.parametrize("name", mlir_mistakes.MISTAKES)
def test_mistake_is_an_exception(name: str) -> None:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=mlir_mistakes.make, args=(name, theirs))
    child.start()
    theirs.close()
    said = ours.recv() if ours.poll(60) else "nothing"
    child.join()
    assert child.exitcode == 0, said
    expected = mlir_mistakes.MISTAKES[name][1]
    assert all(part in said for part in expected), said


def test_hash_stays() -> None:
    module = mlir_mistakes.parsed()
    add, twin, *_ = mlir_mistakes.sums(module)
    kept: dict[Any, str] = {add: "add", add.results[0]: "value", module: "module"}
    assert hash(add) != hash(twin)
    add.attributes["mark"] = ir.UnitAttr.get(module.context)
    add.operands[1] = twin.operands[1]
    assert kept[add.opview] == kept[mlir_mistakes.sums(module)[0]] == "add"
    assert kept[twin.operands[0]] == "value"
    assert kept[module] == "module"


def test_equal_objects_have_equal_hashes() -> None:
    module = mlir_mistakes.parsed()
    add, twin, *_ = mlir_mistakes.sums(module)
    entry = enclosing_entry(add)
    pairs = [
        (add, add.opview),
        (add, mlir_mistakes.sums(module)[0]),
        (add.results[0], twin.operands[0]),
        (entry.regions[0], entry.regions[0]),
        (body(entry), add.block),
        (body(entry).arguments[0], body(entry).arguments[0]),
        (module, ir.Module.parse("module {}", module.context)),
    ]
    for first, second in pairs[:-1]:
        assert first == second
        assert hash(first) == hash(second)
    assert pairs[-1][0] != pairs[-1][1]
    assert add not in (None, 1, add.block, add.results[0], twin)


def test_erased_operation_equals_none_that_lives() -> None:
    module = mlir_mistakes.parsed()
    last = mlir_mistakes.sums(module)[-1]
    other = mlir_mistakes.sums(module)[-1]
    kept = {last}
    last.erase()
    assert last in kept
    assert other == last, "neither is there any more"
    assert not kept & set(nested_ops(module.operation))


def test_listed_ops_leave_out_what_was_erased() -> None:
    module = mlir_mistakes.parsed(mlir_mistakes.LOOP)
    names: list[str] = []
    for op in listed_ops(module.operation):
        names.append(op.name)
        if op.name == "cuda_tile.for":
            op.erase()
    assert "cuda_tile.for" in names
    assert "cuda_tile.addi" not in names
    assert block_ops(module.body)


def test_an_attribute_with_a_default_is_never_missing() -> None:
    module = mlir_mistakes.parsed()
    first = mlir_mistakes.sums(module)[0]
    was = first.attributes["overflow"]
    del first.attributes["overflow"]
    assert first.attributes["overflow"] == was
    assert module.operation.verify()
    assert str(first) == "%0 = cuda_tile.addi %arg0, %arg0 : tile<i32>"


def test_an_attribute_stays_where_another_kind_is_refused() -> None:
    module = mlir_mistakes.parsed()
    first = mlir_mistakes.sums(module)[0]
    was = first.attributes["overflow"]
    with pytest.raises(TypeError):
        first.attributes["overflow"] = ir.UnitAttr.get(module.context)
    assert first.attributes["overflow"] == was
