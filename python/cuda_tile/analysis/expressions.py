# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of a kernel as expressions over its parameters, if they are simple enough.

A launcher computes extents and strides of tensor maps before the kernel runs, so these
must follow from the arguments alone.
"""

from __future__ import annotations

from collections.abc import Callable

from cuda_tile._mlir import ir
from cuda_tile.analysis.constants import constant_of
from cuda_tile.constants import MOST_EXPRESSION_WORDS
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of, memory_bits, pointee_of, shape_of
from cuda_tile.ir.walk import defining_op, op_stem
from cuda_tile.ods import ops_by_rule
from cuda_tile.runtime.expressions import Expression

_ASSUMES = ops_by_rule("it hands on its operand", "assume")
_RENAMES = ops_by_rule("it changes what its operand points to", "ptr_to_ptr")
_BITS_OF_HALVES = 4
_WRAPPING = {"addi": "add", "subi": "sub", "muli": "mul"}
_SIGNED = {"maxi": "max", "mini": "min", "remi": "rem"}
_QUOTIENTS = {"zero": "div", "negative_inf": "div_floor", "positive_inf": "div_ceil"}


def parameter_of(value: ir.Value) -> int | None:
    """The entry parameter behind a value, through `assume`; None if there is none.

    A pointer to bytes may come from a pointer to 4-bit elements, two in each byte.
    """
    op = defining_op(value)
    if op is not None:
        is_same = op.name in _ASSUMES or (op.name in _RENAMES and _names_bytes(op))
        return parameter_of(op.operands[0]) if is_same else None
    block = value.owner
    if not isinstance(block, ir.Block) or block.owner.operation.name != (
        "cuda_tile.entry"
    ):
        return None
    return ir.BlockArgument(value).arg_number


def _names_bytes(op: ir.Operation) -> bool:
    """Whether an op turns a pointer to 4-bit elements into one to their bytes."""
    before, after = (pointee_of(v) for v in (*op.operands, op.results[0]))
    return memory_bits(before) == _BITS_OF_HALVES and str(after) == "i8"


def expression_of(value: ir.Value) -> Expression | None:
    """An integer scalar as an expression over entry parameters; None if it is not one.

    The expression's number is the value read as a signed integer of its width. The
    supported ops are `assume`, constants, sums, products, quotients, remainders,
    extrema, changes of width, and shifts to the right.
    """
    element = element_of(value)
    if shape_of(value) or not isinstance(element, ir.IntegerType) or element.width < 8:
        return None
    if (known := constant_of(value)) is not None:
        return Expression.constant(known)
    if (number := parameter_of(value)) is not None:
        return Expression.argument(number)
    op = defining_op(value)
    build = None if op is None else _BUILDERS.get(op_stem(op))
    if op is None or build is None:
        return None
    operands: list[Expression] = []
    for operand in op.operands:
        expression = expression_of(operand)
        if expression is None:
            return None
        operands.append(expression)
    result = build(op, operands)
    return (
        None if result is None or len(result.words) > MOST_EXPRESSION_WORDS else result
    )


def _width(value: ir.Value) -> int:
    return ir.IntegerType(element_of(value)).width


def _assume(op: ir.Operation, operands: list[Expression]) -> Expression:
    del op
    return operands[0]


def _wrapping(op: ir.Operation, operands: list[Expression]) -> Expression:
    left, right = operands
    # This also holds if the program promises no overflow: in a branch that is not
    # taken, the promise need not hold.
    result = left.apply(_WRAPPING[op_stem(op)], right)
    return result.apply("signed", _width(op.results[0]))


def _read(op: ir.Operation, operands: list[Expression]) -> list[Expression]:
    """The operands as signed or unsigned numbers, as the op reads them."""
    if keyword(op, "signedness") == "signed":
        return operands
    return [e.apply("unsigned", _width(op.results[0])) for e in operands]


def _by_sign(op: ir.Operation, operands: list[Expression]) -> Expression:
    left, right = _read(op, operands)
    return _fit(op, left.apply(_SIGNED[op_stem(op)], right))


def _quotient(op: ir.Operation, operands: list[Expression]) -> Expression | None:
    name = _QUOTIENTS.get(keyword(op, "rounding", "zero"))
    if name is None:
        return None
    left, right = _read(op, operands)
    # Signed too: the smallest number by -1 wraps around.
    return left.apply(name, right).apply("signed", _width(op.results[0]))


def _shifted(op: ir.Operation, operands: list[Expression]) -> Expression | None:
    """A shift to the right by a constant, which rounds a quotient down."""
    value, _ = _read(op, operands)
    count, width = constant_of(op.operands[1]), _width(op.results[0])
    if count is None or not 0 <= count < width:
        return None
    divisor = Expression.constant(1 << count)
    return value.apply("div_floor", divisor).apply("signed", width)


def _fit(op: ir.Operation, expression: Expression) -> Expression:
    """Back to the signed reading, where the op reads its operands as unsigned."""
    if keyword(op, "signedness") == "signed":
        return expression
    return expression.apply("signed", _width(op.results[0]))


def _negation(op: ir.Operation, operands: list[Expression]) -> Expression:
    zero = Expression.constant(0)
    return zero.apply("sub", operands[0]).apply("signed", _width(op.results[0]))


def _extension(op: ir.Operation, operands: list[Expression]) -> Expression:
    if keyword(op, "signedness") == "signed":
        return operands[0]
    return operands[0].apply("unsigned", _width(op.operands[0]))


def _truncation(op: ir.Operation, operands: list[Expression]) -> Expression:
    return operands[0].apply("signed", _width(op.results[0]))


_BUILDERS: dict[str, Callable[[ir.Operation, list[Expression]], Expression | None]] = {
    "assume": _assume,
    **dict.fromkeys(_WRAPPING, _wrapping),
    **dict.fromkeys(_SIGNED, _by_sign),
    "divi": _quotient,
    "shri": _shifted,
    "negi": _negation,
    "exti": _extension,
    "trunci": _truncation,
}
