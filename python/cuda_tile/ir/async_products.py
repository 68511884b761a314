# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products that run by themselves, as the interface `AsyncProduct` of ODS tells them.

Such an op starts a product and gives a pending value, the sum; the buffers that it has
a read effect on are read until that is awaited.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.errors import InternalError
from cuda_tile.ir.walk import location_text

THREADS = "threads"
"""What a ring calls those that read its slots if no product does by itself."""


def runs_by_itself(op: ir.Operation) -> bool:
    """Whether an op starts a product that goes on after it."""
    return _cuda_tile.product_completion(op) is not None


def begins_sum(op: ir.Operation) -> bool:
    """Whether an op makes a pending value of a tile, to which products are added."""
    return op.name == "tileas.settled"


def completes_in_groups(op: ir.Operation) -> bool:
    """Whether it does, and its end is known by a wait for groups in their order."""
    return _cuda_tile.product_completion(op) == "group"


def reader_name(op: ir.Operation) -> str:
    """Who reads a buffer by an op: `threads`, or products by the stem of their op.

    It is what a ring that they drain calls them.
    """
    return op.name.removeprefix("tileas.") if runs_by_itself(op) else THREADS


def sum_of(product: ir.Operation) -> ir.Value:
    """What a product that runs by itself is added to.

    Raises:
        InternalError: The op is none.
    """
    return product.operands[_sum_number(product)]


def factors_of(product: ir.Operation) -> list[ir.Value]:
    """What such a product multiplies: buffers, or tiles in registers.

    Scale factors are among that where they are in buffers, too.

    Raises:
        InternalError: The op is none.
    """
    first = list(product.operands)[: _sum_number(product)]
    return [*first, *copied_scales_of(product)]


def copied_scales_of(product: ir.Operation) -> list[ir.Value]:
    """The scale factors of such a product that it copies from buffers; or none.

    Raises:
        InternalError: The op is none.
    """
    return [v for v in scales_of(product) if isinstance(v.type, BufferType)]


def scales_of(product: ir.Operation) -> list[ir.Value]:
    """The scale factors of such a product: those of both operands, or none.

    Raises:
        InternalError: The op is none.
    """
    return list(product.operands)[_sum_number(product) + 1 :]


def _sum_number(product: ir.Operation) -> int:
    number = _cuda_tile.product_sum(product)
    if number is None:
        raise InternalError(
            f"expected a product that runs by itself, got '{product.name}'",
            location_text(product),
        )
    return number
