# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product of batches of one matrix is a product of matrices.

Contract: in and out, verified level T. Engines that multiply by themselves take
matrices, and so do copies that fill their operands. Reshapes stand between the tiles
of a batch and those of the product; a `for` carries a sum as a matrix. A `loop` stays,
whose results need not be what it carries. The pass decides nothing.

Contract `unit_batches`
    Law: a reshape that drops an extent of one keeps all elements in their order.

    | | condition | near misses |
    |---|---|---|
    | - types | the element types of the product stay | |
    | - flags | its attributes stay | |
    | - values | as for types | |
    | - order | a product has no effects | |
    | - blocks | reshapes stand where the product stood, or at a loop's ends | |
    | - indices | none | |
    | C1 extents | the batch has one matrix | two_matrices |
    | - aliasing | as for order | |
    | - captures | a `for` may carry a tile in any shape, if its ends have that, too | |
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.ir.attributes import attributes_of
from cuda_tile.ir.carried import carry_all, drop, ends_of, first_carried, set_ends
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.traits import FOR_LOOPS, PRODUCTS, SAME_ELEMENTS
from cuda_tile.ir.walk import block_ops, body, nested_ops, user_ops
from cuda_tile.passes.each_kernel import each_kernel

_BATCHED = 3
"""Dimensions of an operand of a product of batches."""


@each_kernel
def run(entry: ir.Operation) -> None:
    """Makes matrices of the batches of one in an entry."""
    products = [op for op in nested_ops(entry) if op.name in PRODUCTS]
    found = [op for op in products if _is_one_matrix(op.results[0])]
    for op in found:
        _multiply_matrices(op)
    loops = [op for op in nested_ops(entry) if found and op.name in FOR_LOOPS]
    for loop in reversed(loops):  # inner ones first: they ask outer ones
        _carry_matrices(loop)


def _is_one_matrix(value: ir.Value) -> bool:
    shape = shape_of(value)
    return len(shape) == _BATCHED and shape[0] == 1  # unit_batches C1


def _multiply_matrices(op: ir.Operation) -> None:
    """The product, of reshaped operands, and its result in the shape that it had."""
    with ir.InsertionPoint(op), op.location:
        operands = [_reshaped(x, _matrix_type(x)) for x in op.operands]
        made = ir.Operation.create(
            op.name,
            results=[operands[2].type],
            operands=operands,
            attributes=attributes_of(op),
        )
        result = _reshaped(made.results[0], op.results[0].type)
    op.results[0].replace_all_uses_with(result)
    op.erase()


def _matrix_type(value: ir.Value) -> ir.Type:
    """The type of a tile without its first extent."""
    return TileType.get(list(shape_of(value))[1:], element_of(value))


def _reshaped(value: ir.Value, wanted: ir.Type) -> ir.Value:
    return ct.ReshapeOp(wanted, value).result


def _carry_matrices(loop: ir.Operation) -> None:
    """Lets a loop carry matrices instead of batches, of which its body makes them."""
    for number in reversed(range(len(loop.results))):
        if _is_made_matrix(_argument(loop, number)):
            loop = _carry_matrix(loop, number)


def _argument(loop: ir.Operation, number: int) -> ir.Value:
    """What the body of a loop gets of a value that it carries."""
    return body(loop).arguments[first_carried(loop)[1] + number]


def _is_made_matrix(value: ir.Value) -> bool:
    """Whether an op makes a matrix of a value that is a batch of one."""
    reshapes = [op for op in user_ops(value) if op.name in SAME_ELEMENTS]
    return (
        bool(reshapes)
        and _is_one_matrix(value)
        and any(op.results[0].type == _matrix_type(value) for op in reshapes)
    )


def _carry_matrix(loop: ir.Operation, number: int) -> ir.Operation:
    """A loop in place of another, which carries a matrix as its last value.

    Args:
        loop: The loop, which is erased.
        number: The number of the batch among what it carries.
    """
    batch, matrix = loop.results[number].type, _matrix_type(loop.results[number])
    with ir.InsertionPoint(loop), loop.location:
        initial = loop.operands[first_carried(loop)[0] + number]
        made, (carried,) = carry_all(loop, [_reshaped(initial, matrix)])
    with ir.InsertionPoint.at_block_begin(body(made)), made.location:
        _argument(made, number).replace_all_uses_with(_reshaped(carried, batch))
    for end in ends_of(made):
        with ir.InsertionPoint(end), end.location:
            last = _reshaped(end.operands[number], matrix)
        set_ends(end, [*end.operands, last])
    ops = block_ops(made.block)
    with ir.InsertionPoint(ops[ops.index(made) + 1]), made.location:
        behind = _reshaped(made.results[-1], batch)
    made.results[number].replace_all_uses_with(behind)
    return drop(made, [number])
