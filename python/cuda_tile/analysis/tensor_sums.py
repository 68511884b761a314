# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums in tensor memory that threads may load a few columns at a time.

From the end of its loop on such a sum is a slot of a ring (passes/product_role.py). An
`extract` of columns loads only these.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.analysis.liveness import products_of
from cuda_tile.analysis.operand_sources import is_plain_sum
from cuda_tile.analysis.slots import users_of
from cuda_tile.engines.tcgen05 import TCGEN05, as_tensor_atom
from cuda_tile.ir.async_products import factors_of, reader_name
from cuda_tile.ir.carried import ends_of, first_carried
from cuda_tile.ir.plan import read_plan, read_product
from cuda_tile.ir.tiles import is_distributed, shape_of
from cuda_tile.ir.traits import (
    BUFFER_RENAMES,
    COPIES,
    FOR_LOOPS,
    PRODUCT_WAITS,
    PRODUCTS,
)
from cuda_tile.ir.walk import defining_op, enclosing_entry, op_stem
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.tensor import columns_of_sums

IsMine = Callable[[ir.Operation], bool]
"""Whether the sum of a product is in tensor memory."""


def is_in_tensor_memory(product: ir.Operation) -> bool:
    """Whether the plan of a product says that its sum is there."""
    entry_plan = read_plan(enclosing_entry(product))
    return read_product(product, entry_plan).engine == TCGEN05


def product_of_sum(value: ir.Value, is_mine: IsMine) -> ir.Operation | None:
    """The product whose sum, begun with zero, a loop leaves in tensor memory, or None.

    Args:
        value: The tile, before `stage`.
        is_mine: Tells whether the sum of a product is in tensor memory.
    """
    loop = defining_op(value)
    if loop is None or loop.name not in FOR_LOOPS:
        return None
    number = ir.OpResult(value).result_number
    product = next((defining_op(end.operands[number]) for end in ends_of(loop)), None)
    if product is None or product.name not in PRODUCTS or not is_mine(product):
        return None
    is_zero = uniform_bits(loop.operands[first_carried(loop)[0] + number]) == 0
    return product if is_zero and is_plain_sum(product) else None


def awaits_columns(extract: ir.Operation) -> bool:
    """Whether an op after `stage` is an `extract` that loads columns of a sum.

    Args:
        extract: The op.
    """
    return _is_extract(extract) and any(
        reader_name(op) == TCGEN05.op for op in _awaited(extract.operands[0])
    )


def _is_extract(op: ir.Operation) -> bool:
    return op_stem(op) == "extract" and is_distributed(op.results[0])


def goes_on(extract: ir.Operation) -> bool:
    """Whether the sum of an `extract` stays in tensor memory through its loop.

    It does if its operands stay as long, in slots of copies or in buffers from before
    the loop.

    Args:
        extract: The op, whose product is staged.
    """
    products = _awaited(extract.operands[0])
    return bool(products) and all(
        _stays(buffer, op) for op in products for buffer in factors_of(op)
    )


def _stays(buffer: ir.Value, product: ir.Operation) -> bool:
    maker = defining_op(buffer)
    while maker is not None and maker.name in BUFFER_RENAMES:
        buffer = maker.operands[0]
        maker = defining_op(buffer)
    if maker is None or maker.block != product.block:
        return True
    return any(user.name in COPIES for user in users_of(buffer))


def _awaited(value: ir.Value) -> set[ir.Operation]:
    """The products of the await that gives a value, possibly after a loop."""
    end = defining_op(value)
    if end is not None and end.name in FOR_LOOPS:
        number = ir.OpResult(value).result_number
        end = next((defining_op(each.operands[number]) for each in ends_of(end)), None)
    is_end = end is not None and end.name in PRODUCT_WAITS
    return products_of(end) if end is not None and is_end else set[ir.Operation]()


def columns_layout(extract: ir.Operation) -> LinearLayout | None:
    """The layout in which an `extract` loads columns of a sum; None if it does not.

    Args:
        extract: An op, before `stage`.
    """
    if not _is_extract(extract):
        return None
    whole, part = shape_of(extract.operands[0]), shape_of(extract.results[0])
    product = product_of_sum(extract.operands[0], is_in_tensor_memory)
    if product is None or whole[:-1] != part[:-1]:
        return None
    entry_plan = read_plan(enclosing_entry(extract))
    atom = as_tensor_atom(read_product(product, entry_plan).atom)
    return columns_of_sums(part, entry_plan.num_warps, atom)
