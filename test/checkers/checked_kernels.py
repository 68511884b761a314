# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of the tests as passes leave them, and faults that are put into them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from real_kernels import RECIPES, kernel_path

import cuda_tile
from cuda_tile import Options
from cuda_tile._mlir import ir

KERNELS = sorted(RECIPES)
GPUS = ("sm_80", "sm_90")


def lowered(name: str, gpu: str, until: str) -> ir.Module:
    """A kernel taken through the passes up to one, with their checkers.

    Args:
        name: One of `KERNELS`.
        gpu: The chip.
        until: The last pass.
    """
    module = cuda_tile.load(kernel_path(name).read_bytes())
    options = Options(gpu=gpu, check=True)
    return cuda_tile.lower(module, until=until, options=options)


@contextmanager
def with_number(op: ir.Operation, name: str, number: int) -> Generator[None]:
    """Another number in an attribute of an op for a while.

    Args:
        op: The op.
        name: The attribute.
        number: Its value inside.
    """
    before = op.attributes[name]
    op.attributes[name] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
    try:
        yield
    finally:
        op.attributes[name] = before
