# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asynchronous products: the ops with the interface `AsyncProduct` of ODS.

Such an op starts a product and gives a pending value, the sum. It reads the buffers of
its read effects until the sum is awaited.
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
    """Whether an op starts an asynchronous product."""
    return _cuda_tile.product_completion(op) is not None


def begins_sum(op: ir.Operation) -> bool:
    """Whether an op turns a tile into a pending value, to which products are added."""
    return op.name == "tileas.settled"


def completes_in_groups(op: ir.Operation) -> bool:
    """Whether an op starts an asynchronous product that a wait for groups completes."""
    return _cuda_tile.product_completion(op) == "group"


def reader_name(op: ir.Operation) -> str:
    """Who reads a buffer by an op: `threads`, or products by the stem of their op.

    A ring uses this name for the readers that drain it.
    """
    return op.name.removeprefix("tileas.") if runs_by_itself(op) else THREADS


def sum_of(product: ir.Operation) -> ir.Value:
    """The sum to which an asynchronous product is added.

    Raises:
        InternalError: The op is no asynchronous product.
    """
    return product.operands[_sum_number(product)]


def factors_of(product: ir.Operation) -> list[ir.Value]:
    """The factors of an asynchronous product: buffers, or tiles in registers.

    Scale factors are included if they are in buffers, too.

    Raises:
        InternalError: The op is no asynchronous product.
    """
    first = list(product.operands)[: _sum_number(product)]
    return [*first, *copied_scales_of(product)]


def copied_scales_of(product: ir.Operation) -> list[ir.Value]:
    """The scale factors that an asynchronous product copies from buffers, if any.

    Raises:
        InternalError: The op is no asynchronous product.
    """
    return [v for v in scales_of(product) if isinstance(v.type, BufferType)]


def scales_of(product: ir.Operation) -> list[ir.Value]:
    """The scale factors of an asynchronous product: of both operands, or none.

    Raises:
        InternalError: The op is no asynchronous product.
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
