"""Reading constants: the splat value of a `cuda_tile.constant`."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.analysis.padding import float_bits
from cuda_tile.ir.tiles import element_bits, element_of
from cuda_tile.ir.walk import defining_op


def constant_splat(op: ir.Operation) -> int | float | None:
    """The one value of a splat constant, or None for a list of values.

    Integers are signed; i1 true is 1.
    """
    attr = op.attributes["value"]
    if not isinstance(attr, ir.DenseElementsAttr) or not attr.is_splat:
        return None
    splat = attr.get_splat_value()
    if isinstance(splat, ir.BoolAttr):
        return int(splat.value)
    if isinstance(splat, ir.IntegerAttr):
        return int(splat)
    if isinstance(splat, ir.FloatAttr):
        return float(splat)
    return None


def constant_of(value: ir.Value) -> int | None:
    """The integer a rank-0 value is known to be by its definition."""
    op = defining_op(value)
    if op is None:
        return None
    if op.name == "cuda_tile.assume":
        return constant_of(op.operands[0])
    if op.name != "cuda_tile.constant":
        return None
    splat = constant_splat(op)
    return splat if isinstance(splat, int) else None


def uniform_bits(value: ir.Value) -> int | None:
    """The bits every element of a tile is known to have, or None.

    Looks through broadcasts and reshapes of a constant.
    """
    op = defining_op(value)
    if op is None:
        return None
    if op.name in ("cuda_tile.broadcast", "cuda_tile.reshape"):
        return uniform_bits(op.operands[0])
    if op.name != "cuda_tile.constant":
        return None
    splat = constant_splat(op)
    element = element_of(value)
    if isinstance(splat, int):
        return splat & ((1 << element_bits(element)) - 1)
    return None if splat is None else float_bits(splat, element)
