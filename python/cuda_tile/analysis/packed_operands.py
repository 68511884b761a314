# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of 4 bits that products read as the bytes that memory holds.

A byte has two elements, which `unpack` separates. An instruction of tensor memory reads
the bytes themselves if the two are neighbours along K. Then `unpack` only renames the
loaded tile, as `reshape` does.

Contract `packed_operands`
    Law: element k of a row is in byte k / 2 of it, in the low half if k is even, before
    `unpack` and behind it.

    | | condition | near misses |
    |---|---|---|
    | C1 types | the elements are f4E2M1FN | elements_of_a_byte |
    | - flags | `unpack` has none | |
    | - values | all 16 codes are numbers, which instructions read as they are | |
    | - order | loads keep their places, or become copies by the contract of these | |
    | - blocks | bytes are those that the block loads anyway | |
    | C2 extents | tensor memory has whole instructions for the product | few_rows |
    | C3 indices | both elements of a byte are neighbours along K, in order | along_n, |
    | | | odd_elements_first |
    | - aliasing | nothing is written | |
    | C4 captures | products alone use the elements | |
    | | | elements_that_something_else_uses |
"""

from __future__ import annotations

from collections.abc import Iterator

from cuda_tile._mlir import ir
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.ir.attributes import integers
from cuda_tile.ir.plan import (
    PLAN_ATTRIBUTE,
    TARGET_ATTRIBUTE,
    ProductPlan,
    plan_values,
    read_target,
    terms_of,
)
from cuda_tile.ir.tiles import element_of, elements_of, shape_of
from cuda_tile.ir.traits import PRODUCTS, SAME_ELEMENTS
from cuda_tile.ir.walk import defining_op, enclosing_entry, value_behind
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.tensor import TensorAtom, tensor_atom
from cuda_tile.ods import ops_by_rule

_UNPACKS = ops_by_rule("bytes have the elements that it gives", "unpack")
_ELEMENT = "f4E2M1FN"
_PER_BYTE = 2


def renames_bytes(op: ir.Operation) -> bool:
    """Whether an op only renames bytes as elements, for products that read bytes.

    Args:
        op: Any op.
    """
    if op.name not in _UNPACKS or str(element_of(op.results[0])) != _ELEMENT:
        return False  # packed_operands C1
    elements = _row(elements_of(op.operands[0]))
    return all(
        user.name in PRODUCTS  # packed_operands C4
        and index < 2
        and _reads_bytes(user)
        and found.coarser(1 - index) is not None  # packed_operands C3
        for user, index, found in _uses(op.results[0], elements)
    )


def sharing_bytes(product: ir.Operation) -> Iterator[ir.Operation]:
    """The ops that use the elements of the bytes that a product reads, itself included.

    Args:
        product: A product of tensor memory.
    """
    for operand in list(product.operands)[:2]:
        op = defining_op(value_behind(operand, SAME_ELEMENTS))
        if op is not None and renames_bytes(op):
            row = _row(elements_of(op.operands[0]))
            yield from (user for user, *_ in _uses(op.results[0], row))


def renamed_by(op: ir.Operation, shared: SharedLayout) -> SharedLayout:
    """The layout of a buffer as the result of an op that renames its elements.

    Args:
        op: The op.
        shared: The layout of the buffer as its operand.
    """
    match op.name:
        case "cuda_tile.reshape":
            return shared.reshape(shape_of(op.results[0]))
        case "cuda_tile.permute":
            return shared.permute(integers(op, "permutation"))
        case "cuda_tile.unpack":
            return shared.finer(_PER_BYTE)
        case _:
            return shared


def as_bytes(shared: SharedLayout) -> SharedLayout | None:
    """The layout of a buffer of elements of 4 bits as one of the bytes they lie in.

    Args:
        shared: The layout, of rank 2, whose offsets count elements.
    """
    found = map(shared.coarser, range(len(shared.shape)))
    return next((layout for layout in found if layout is not None), None)


def _row(bytes_: int) -> SharedLayout:
    """The layout of the elements of some bytes in a row."""
    steps = tuple((1 << bit,) for bit in range(bytes_.bit_length() - 1))
    return SharedLayout((bytes_,), steps).finer(_PER_BYTE)


def _uses(
    value: ir.Value, shared: SharedLayout
) -> Iterator[tuple[ir.Operation, int, SharedLayout]]:
    """The ops that use the elements of a tile, the operand's number, and its layout."""
    for use in value.uses:
        owner = use.owner.operation
        if owner.name in SAME_ELEMENTS:
            yield from _uses(owner.results[0], renamed_by(owner, shared))
        else:
            yield owner, use.operand_number, shared


def _reads_bytes(op: ir.Operation) -> bool:
    """Whether a product is, or may be, one of tensor memory."""
    if PLAN_ATTRIBUTE in op.attributes:
        return tensor_atom(plan_values(op, ProductPlan).get("atom", "")) is not None
    entry = enclosing_entry(op)
    if TARGET_ATTRIBUTE not in entry.attributes:
        return False
    # packed_operands C2
    atom = TCGEN05.best_atom(terms_of(op), read_target(entry))
    return isinstance(atom, TensorAtom) and atom.packed == _PER_BYTE
