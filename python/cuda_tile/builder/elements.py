# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: one class for each.

A class is accepted wherever a type is expected. A call makes a tile of that type:
`Int32(7)` is a scalar constant, `Float32(tile)` a conversion.
"""

from __future__ import annotations

from typing import Any, ClassVar

from cuda_tile._mlir import ir
from cuda_tile.builder.values import Tile, build


class _ElementMeta(type):
    """Metaclass that gives the element classes the property `mlir_type`."""

    @property
    def mlir_type(cls) -> ir.Type:
        """The type in the current context."""
        return ir.Type.parse(str(cls))

    def __str__(cls) -> str:
        return str(vars(cls).get("text", cls.__name__))


class Element(metaclass=_ElementMeta):
    """Base of the element classes.

    Attributes:
        text: The type as MLIR writes it.
        bits: Width of an element.
        is_float: Whether elements are floating-point numbers.
    """

    text: ClassVar[str]
    bits: ClassVar[int]
    is_float: ClassVar[bool] = True

    def __new__(cls, value: Any) -> Tile:
        """Makes a scalar constant from a number, or converts a tile to this type."""
        return build("to_element", value, cls)

    @classmethod
    def _get_mlir_type(cls, context: ir.Context | None = None) -> ir.Type:
        return ir.Type.parse(cls.text, context)


class Boolean(Element):
    """Boolean, `i1`."""

    text, bits, is_float = "i1", 1, False


class Int4(Element):
    """Integers of 4 bits; ops take them as signed or unsigned."""

    text, bits, is_float = "i4", 4, False


class Int8(Element):
    """Integers of 8 bits; ops take them as signed or unsigned."""

    text, bits, is_float = "i8", 8, False


class Int16(Element):
    """Integers of 16 bits; ops take them as signed or unsigned."""

    text, bits, is_float = "i16", 16, False


class Int32(Element):
    """Integers of 32 bits; ops take them as signed or unsigned."""

    text, bits, is_float = "i32", 32, False


class Int64(Element):
    """Integers of 64 bits; ops take them as signed or unsigned."""

    text, bits, is_float = "i64", 64, False


class Float16(Element):
    """IEEE half precision."""

    text, bits = "f16", 16


class BFloat16(Element):
    """8 bits of exponent, 7 of significand."""

    text, bits = "bf16", 16


class TFloat32(Element):
    """8 bits of exponent, 10 of significand, stored in 32."""

    text, bits = "tf32", 32


class Float32(Element):
    """IEEE single precision."""

    text, bits = "f32", 32


class Float64(Element):
    """IEEE double precision."""

    text, bits = "f64", 64


class Float8E5M2(Element):
    """5 bits of exponent, 2 of significand."""

    text, bits = "f8E5M2", 8


class Float8E4M3FN(Element):
    """4 bits of exponent, 3 of significand, no infinities."""

    text, bits = "f8E4M3FN", 8


class Float8E4M3FNUZ(Element):
    """Float8E4M3FN without a negative zero; not a valid element type of tiles."""

    text, bits = "f8E4M3FNUZ", 8


class Float8E8M0FNU(Element):
    """Powers of two, for the scale factors of mmaf_scaled."""

    text, bits = "f8E8M0FNU", 8


class Float4E2M1FN(Element):
    """2 bits of exponent, 1 of significand; tiles have an even number of them."""

    text, bits = "f4E2M1FN", 4


ElementLike = type[Element] | ir.Type | type[bool] | type[int] | type[float]
"""An element class, a type, or bool, int or float."""

_OF_PYTHON: dict[type, type[Element]] = {bool: Boolean, int: Int32, float: Float32}


def get_mlir_type(
    element_type: ElementLike, context: ir.Context | None = None
) -> ir.Type:
    """The MLIR type of `element_type`.

    Args:
        element_type: An element class; a type, which is returned; or bool, int or float
            for Boolean, Int32 or Float32.
        context: Context of the type; the current one for None.

    Raises:
        TypeError: Anything else.
    """
    if isinstance(element_type, ir.Type):
        return element_type
    element_class: Any = _OF_PYTHON.get(element_type, element_type)
    if isinstance(element_class, _ElementMeta) and hasattr(element_class, "text"):
        return ir.Type.parse(str(element_class), context)
    raise TypeError(f"expected an element class or a type, got {element_type!r}")
