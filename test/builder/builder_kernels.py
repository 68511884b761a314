# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds and runs kernels for the tests of the builder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import cuda_tile
from cuda_tile import builder as b
from cuda_tile._mlir import ir

ELEMENTS = {
    "bool": b.Boolean,
    "int8": b.Int8,
    "int16": b.Int16,
    "int32": b.Int32,
    "int64": b.Int64,
    "float16": b.Float16,
    "float32": b.Float32,
    "float64": b.Float64,
}


def build(body: Callable[..., Any], arguments: Sequence[Any]) -> ir.Module:
    """A verified module with one kernel, `k`; `body` gets its arguments."""
    generator = b.TileIrGenerator()
    with generator.tile_ir_start():
        types = [
            b.make_pointer_type(argument[0]) if isinstance(argument, list) else argument
            for argument in arguments
        ]
        with generator.create_entry("k", types) as values:
            body(*values)
        assert generator.module is not None
        generator.module.operation.verify()
    return generator.module


def evaluate(
    compute: Callable[..., Any], *inputs: Any, result: Any, shape: Sequence[int] = ()
) -> Any:
    """Runs `compute` on tiles of the inputs' values; returns the result's values.

    Args:
        compute: Builds the result of tiles.
        inputs: Arrays, whose elements are loaded whole.
        result: Element class of the result.
        shape: Shape of the result; by default that of the first input.
    """
    arrays = [np.ascontiguousarray(array) for array in inputs]
    extents = list(shape) if shape or not arrays else list(arrays[0].shape)
    kinds = {element: name for name, element in ELEMENTS.items()}
    out = np.zeros(extents, kinds[result])

    def body(*pointers: b.Pointer) -> None:
        tiles = [
            b.load_ptr_tko(places(pointer, array.shape))[0]
            for pointer, array in zip(pointers[:-1], arrays, strict=True)
        ]
        b.store_ptr_tko(places(pointers[-1], extents), compute(*tiles))

    def places(pointer: b.Pointer, extents: Sequence[int]) -> b.Pointer:
        count = int(np.prod(extents))
        flat = pointer + b.iota(count) if count > 1 or extents else pointer
        return b.reshape(flat, extents)

    types = [[ELEMENTS[array.dtype.name]] for array in arrays] + [[result]]
    module = build(body, types)
    cuda_tile.run(module, grid=(1,), args=[*arrays, out])
    return out
