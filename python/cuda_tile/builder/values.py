# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values with operators.

Each class derives from `ir.Value`, so that it is accepted wherever MLIR expects a
value. The operators mean the same as in Python if the dialect has such an op; otherwise
the docstring of the function says what is built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from math import prod
from typing import Any, ParamSpec, TypeVar

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.locations import place_text

_Parameters = ParamSpec("_Parameters")
_Function = TypeVar("_Function", bound=Callable[..., Any])

# What the operators of `Tile` call, by name. The functions that build ops return these
# classes, so their modules import this one; each declares itself with `operator`.
_OPERATORS: dict[str, Callable[..., Any]] = {}


def operator(function: _Function) -> _Function:
    """Declares a function that an operator of `Tile` calls by its name."""
    _OPERATORS[function.__name__] = function
    return function


def build(name: str, *operands: object) -> Any:
    """Calls the function that was declared for an operator."""
    return _OPERATORS[name](*operands)


class Token(ir.Value):
    """A token, which orders memory accesses."""


class TensorView(ir.Value):
    """A strided array in global memory."""

    @property
    def view_type(self) -> ct.TensorViewType:
        """Its type."""
        return ct.TensorViewType(self.type)

    @property
    def shape(self) -> list[int | None]:
        """Sizes in elements; None if known only at run time."""
        return self.view_type.shape

    @property
    def element_type(self) -> ir.Type:
        """Type of an element."""
        return self.view_type.element_type


class TileView(ir.Value):
    """Base class of the views that are accessed tile by tile."""

    @property
    def tile_type(self) -> ct.TileType:
        """Type of a tile."""
        view: Any = self.type
        return view.view_tile_type

    @property
    def index_rank(self) -> int:
        """Number of indices of an access."""
        view: Any = self.type
        return view.view_index_rank


class PartitionView(TileView):
    """A tensor partitioned into a grid of equal tiles."""


class StridedView(TileView):
    """A tensor as tiles that start at multiples of a stride."""


class GatherScatterView(TileView):
    """A tensor as tiles that gather slices along one dimension."""


class Tile(ir.Value):
    """A tile of numbers; a scalar if the shape is empty."""

    @property
    def tile_type(self) -> ct.TileType:
        """Its type."""
        return ct.TileType(self.type)

    @property
    def shape(self) -> list[int]:
        """Extents, powers of two; empty for a scalar."""
        return self.tile_type.shape

    @property
    def element_type(self) -> ir.Type:
        """Type of an element."""
        return self.tile_type.element_type

    @property
    def num_elements(self) -> int:
        """Product of the extents."""
        return prod(self.shape)

    def __call__(self, element_type: ir.Type | type) -> Tile:
        """Converts the tile to another element type; see `to_element`."""
        return build("to_element", self, element_type)

    def __bool__(self) -> bool:
        raise TypeError(
            "expected a Python condition, got a tile, whose value only the launch "
            "knows; use select or if_generate"
        )

    def __repr__(self) -> str:
        """Its type, and the line that made it."""
        made = self.owner
        place = (
            "a parameter" if isinstance(made, ir.Block) else place_text(made.location)
        )
        return f"<{type(self).__name__} {self.tile_type}: {place}>"

    # Hashing is by identity, because `==` builds a comparison.
    __hash__ = ir.Value.__hash__

    def __add__(self, other: object) -> Tile:
        return build("add", self, other)

    def __radd__(self, other: object) -> Tile:
        return build("add", other, self)

    def __sub__(self, other: object) -> Tile:
        return build("sub", self, other)

    def __rsub__(self, other: object) -> Tile:
        return build("sub", other, self)

    def __mul__(self, other: object) -> Tile:
        return build("mul", self, other)

    def __rmul__(self, other: object) -> Tile:
        return build("mul", other, self)

    def __truediv__(self, other: object) -> Tile:
        return build("div", self, other)

    def __rtruediv__(self, other: object) -> Tile:
        return build("div", other, self)

    def __floordiv__(self, other: object) -> Tile:
        return build("floordiv", self, other)

    def __rfloordiv__(self, other: object) -> Tile:
        return build("floordiv", other, self)

    def __mod__(self, other: object) -> Tile:
        return build("rem", self, other)

    def __rmod__(self, other: object) -> Tile:
        return build("rem", other, self)

    def __pow__(self, other: object) -> Tile:
        return build("power", self, other)

    def __rpow__(self, other: object) -> Tile:
        return build("power", other, self)

    def __and__(self, other: object) -> Tile:
        return build("bitand", self, other)

    def __rand__(self, other: object) -> Tile:
        return build("bitand", other, self)

    def __or__(self, other: object) -> Tile:
        return build("bitor", self, other)

    def __ror__(self, other: object) -> Tile:
        return build("bitor", other, self)

    def __xor__(self, other: object) -> Tile:
        return build("bitxor", self, other)

    def __rxor__(self, other: object) -> Tile:
        return build("bitxor", other, self)

    def __invert__(self) -> Tile:
        return build("bitxor", self, -1)

    def __lshift__(self, other: object) -> Tile:
        return build("shift_left", self, other)

    def __rshift__(self, other: object) -> Tile:
        return build("shift_right", self, other)

    def __rlshift__(self, other: object) -> Tile:
        return build("shift_left", other, self)

    def __rrshift__(self, other: object) -> Tile:
        return build("shift_right", other, self)

    def __eq__(self, other: object) -> Any:
        if other is None:
            return False
        return build("cmp", "equal", self, other)

    def __ne__(self, other: object) -> Any:
        if other is None:
            return True
        return build("cmp", "not_equal", self, other)

    def __lt__(self, other: object) -> Tile:
        return build("cmp", "less_than", self, other)

    def __le__(self, other: object) -> Tile:
        return build("cmp", "less_than_or_equal", self, other)

    def __gt__(self, other: object) -> Tile:
        return build("cmp", "greater_than", self, other)

    def __ge__(self, other: object) -> Tile:
        return build("cmp", "greater_than_or_equal", self, other)

    def __neg__(self) -> Tile:
        return build("neg", self)

    def __abs__(self) -> Tile:
        return build("absolute", self)


class Pointer(Tile):
    """A tile of pointers; `pointer + tile` adds an offset in elements."""

    @property
    def pointee_type(self) -> ir.Type:
        """Pointee type."""
        return ct.PointerType(self.element_type).pointee_type

    @property
    def ptr_attr(self) -> str | None:
        """The `PtrAttr` of the pointers; None if they have none."""
        return ct.PointerType(self.element_type).ptr_attr

    def __add__(self, other: object) -> Pointer:
        return build("offset", self, other)

    def __radd__(self, other: object) -> Pointer:
        return build("offset", self, other)

    def __sub__(self, other: object) -> Pointer:
        return build("offset", self, build("neg", other))


_OF_VIEW: tuple[tuple[type[ir.Type], type[ir.Value]], ...] = (
    (ct.TokenType, Token),
    (ct.TensorViewType, TensorView),
    (ct.PartitionViewType, PartitionView),
    (ct.StridedViewType, StridedView),
    (ct.GatherScatterViewType, GatherScatterView),
)


def wrap_value(value: ir.Value) -> Any:
    """The value as the class of its type; unchanged if its type has no class."""
    if isinstance(value.type, ct.TileType):
        is_pointer = isinstance(value.type.element_type, ct.PointerType)
        return Pointer(value) if is_pointer else Tile(value)
    for type_class, value_class in _OF_VIEW:
        if isinstance(value.type, type_class):
            return value_class(value)
    return value


def wrap_results(op: ir.OpView) -> Any:
    """The results of an op: None, a value, or a tuple of values."""
    values = tuple(wrap_value(result) for result in op.results)
    return values if len(values) > 1 else values[0] if values else None


def return_results(
    function: Callable[_Parameters, ir.Value | Sequence[ir.Value] | ir.OpView],
) -> Callable[_Parameters, Any]:
    """Decorates a function that returns values or an op: it returns wrapped values.

    One value stays one, a sequence becomes a tuple, an op becomes `wrap_results(op)`.
    """

    @wraps(function)
    def wrapped(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> Any:
        result = function(*args, **kwargs)
        if isinstance(result, ir.Value):
            return wrap_value(result)
        if isinstance(result, ir.OpView):
            return wrap_results(result)
        return tuple(wrap_value(value) for value in result)

    return wrapped


def return_tensor_view(
    function: Callable[_Parameters, ir.Value],
) -> Callable[_Parameters, TensorView]:
    """Decorates a function that returns a tensor_view: it returns a `TensorView`."""

    @wraps(function)
    def wrapped(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> TensorView:
        return TensorView(function(*args, **kwargs))

    return wrapped


def return_partition_view(
    function: Callable[_Parameters, ir.Value],
) -> Callable[_Parameters, PartitionView]:
    """Decorates a function that returns a view: it returns a `PartitionView`."""

    @wraps(function)
    def wrapped(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> PartitionView:
        return PartitionView(function(*args, **kwargs))

    return wrapped


def return_strided_view(
    function: Callable[_Parameters, ir.Value],
) -> Callable[_Parameters, StridedView]:
    """Decorates a function that returns a view: it returns a `StridedView`."""

    @wraps(function)
    def wrapped(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> StridedView:
        return StridedView(function(*args, **kwargs))

    return wrapped
