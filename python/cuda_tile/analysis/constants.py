# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading constants: the splat value of a `cuda_tile.constant`."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.ir.traits import CONSTANTS, KEEPS_ELEMENTS
from cuda_tile.ir.walk import defining_op, value_behind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TF32_DROPPED_BITS = 13
"""Low bits of a 32-bit container that a tf32 leaves zero; MLIR keeps the other 19."""


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


def constant_bits(op: ir.Operation) -> int | None:
    """The bits of a splat constant's element, or None for a list of values.

    An i1 is 0 or 1; a tf32 stands in the high bits of its 32-bit container.
    """
    attr = op.attributes["value"]
    if not isinstance(attr, ir.DenseElementsAttr) or not attr.is_splat:
        return None
    data = _cuda_tile.dense_bytes(attr)
    bits = int.from_bytes(data, "little")
    is_tf32 = isinstance(attr.get_splat_value().type, ir.FloatTF32Type)
    return bits << TF32_DROPPED_BITS if is_tf32 else bits


def constant_list(op: ir.Operation) -> NDArray[np.unsignedinteger]:
    """The bits of each element of a constant in row-major order, low bits first.

    Each item has as many bits as the element's container; see `constant_bits`.
    """
    import numpy as np  # its import costs more time than most lists are worth

    attr = ir.DenseElementsAttr(op.attributes["value"])
    raw = np.frombuffer(_cuda_tile.dense_bytes(attr), np.uint8)
    shape = ir.ShapedType(attr.type)
    if isinstance(shape.element_type, ir.FloatTF32Type):
        padded = np.pad(raw.reshape(-1, 3), ((0, 0), (0, 1)))
        return padded.reshape(-1).view("<u4") << np.uint32(TF32_DROPPED_BITS)
    return raw.view(f"<u{raw.size // prod(shape.shape)}")


def constant_of(value: ir.Value) -> int | None:
    """The integer value of a rank-0 constant, from its definition."""
    op = defining_op(value_behind(value, ("cuda_tile.assume",)))
    splat = constant_splat(op) if op is not None and op.name in CONSTANTS else None
    return splat if isinstance(splat, int) else None


def uniform_bits(value: ir.Value) -> int | None:
    """The bits that every element of a tile has, or None if they are not known.

    It looks through ops that move or repeat the elements of a constant.
    """
    op = defining_op(value_behind(value, KEEPS_ELEMENTS))
    return constant_bits(op) if op is not None and op.name in CONSTANTS else None
