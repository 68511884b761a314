# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands that do not fit are refused at the line that gives them."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cuda_tile
from cuda_tile import UserError
from cuda_tile import builder as b
from cuda_tile._mlir import ir

MISUSES: dict[str, Callable[[Any, Any], Any]] = {
    "store_of_integers": lambda p, _: b.store_ptr_tko(p, b.constant(1)),
    "offset_by_a_float": lambda p, _: p + 1.5,
    "exp_of_an_integer": lambda _, n: b.exp(n),
    "sqrt_of_an_integer": lambda _, n: b.sqrt(n),
    "addf_of_integers": lambda _, n: b.addf(n, n),
    "bitcast_to_another_width": lambda _, n: b.bitcast(n, b.Float64),
}


@pytest.mark.parametrize("name", MISUSES)
def test_refused_at_the_users_line(name: str) -> None:
    with b.TileIrGenerator() as generator:
        types = [b.make_pointer_type(b.Float32), b.Int32]
        entry = generator.create_entry("k", types)
        with entry as (p, n), pytest.raises(TypeError) as caught:
            MISUSES[name](p, n)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert any(frame.filename == __file__ for frame in frames)
    # What was refused is not in the kernel.
    assert generator.module is not None
    cuda_tile.save(generator.module)


def test_tiles_in_a_list_are_told_from_numbers() -> None:
    wrong: Any = b.print_tko
    with (
        b.TileIrGenerator() as generator,
        generator.create_entry("k", [b.Int32]) as (n,),
        pytest.raises(TypeError, match="got a sequence of tiles; pass each by itself"),
    ):
        wrong("%i %i", [n, n])


def test_the_interpreter_gets_valid_modules_only() -> None:
    text = """cuda_tile.module @m { entry @k(%p: tile<ptr<f32>>) {
      %x = constant <i32: 1> : tile<i32>
      return } }"""
    module = cuda_tile.load(text.encode())
    (tile_module,) = module.body.operations
    (entry,) = tile_module.regions[0].blocks[0].operations
    block = entry.regions[0].blocks[0]
    with module.context, ir.Location.unknown():
        token = ir.Type.parse("!cuda_tile.token")
        order = ir.Attribute.parse("#cuda_tile<memory_ordering_semantics weak>")
        sizes = ir.DenseI32ArrayAttr.get([1, 1, 0, 0])
        ir.Operation.create(
            "cuda_tile.store_ptr_tko",
            results=[token],
            operands=[block.arguments[0], block.operations[0].results[0]],
            attributes={
                "memory_ordering_semantics": order,
                "operandSegmentSizes": sizes,
            },
            ip=ir.InsertionPoint.at_block_terminator(block),
        )
    x = np.zeros(1, np.float32)
    with pytest.raises(UserError, match="expected a valid module"):
        cuda_tile.run(module, grid=1, args=[x])
    assert x[0] == 0
