"""Part of `plan`, level T to T: elements of 4 bits are loaded and stored as bytes.

Two f4E2M1FN share a byte of memory. A tile of a view becomes a tile of bytes of half
the extent along the dimension in which elements are neighbours, which `unpack` and
`pack` take apart and put together. A pointer names the low half of its byte: that is
cut out of the byte, and a store puts it into the byte that it has loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    GatherScatterViewType,
    PartitionViewType,
    PointerType,
    StridedViewType,
    TensorViewType,
    TileType,
)
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.analysis.access import tensor_view_op, tensor_view_parts
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.errors import Unsupported
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.walk import defining_op, location_text, nested_ops, segments

_PER_BYTE = 2
_F16_SCALE = 2.0**14
"""An f4 whose bits stand at the top of an f16 is that f16 times this: the difference of
the biases, 15 and 1."""
_VIEWS = PartitionViewType | StridedViewType | GatherScatterViewType


def access_bytes(entry: ir.Operation) -> None:
    """Rewrites every access to elements of 4 bits in an entry.

    Raises:
        Unsupported: A view whose tiles can begin or end in the middle of a byte.
    """
    rewriter = _Rewriter(FactsAnalysis(entry))
    for op in list(nested_ops(entry)):
        with op.location, ir.InsertionPoint(op):
            match op.name:
                case "cuda_tile.load_view_tko" if _is_nibble(op.results[0]):
                    rewriter.load_view(op)
                case "cuda_tile.store_view_tko" if _is_nibble(op.operands[0]):
                    rewriter.store_view(op)
                case "cuda_tile.load_ptr_tko" if _is_nibble(op.results[0]):
                    _load_pointers(op)
                case "cuda_tile.store_ptr_tko" if _is_nibble(segments(op)[1][0]):
                    _store_pointers(op)
                case _:
                    pass


def _is_nibble(value: ir.Value) -> bool:
    element = element_of(value)
    return isinstance(element, ir.FloatType) and element.width == 4


def _integer(bits: int) -> ir.Type:
    return ir.IntegerType.get_signless(bits)


def _splat(like: ir.Value, element: ir.Type, value: float) -> ir.Value:
    """A constant of the shape of another tile."""
    ty = TileType.get(list(shape_of(like)), element)
    attr = (
        ir.IntegerAttr.get(element, int(value))
        if isinstance(element, ir.IntegerType)
        else ir.FloatAttr.get(element, value)
    )
    return ct.constant(ty, ir.DenseElementsAttr.get_splat(ty, attr))


def _with_element(tile: ir.Value, element: ir.Type) -> ir.Type:
    return TileType.get(list(shape_of(tile)), element)


# Pointers -----------------------------------------------------------------------------


def _byte_pointers(pointers: ir.Value) -> ir.Value:
    return ct.ptr_to_ptr(
        _with_element(pointers, PointerType.get(_integer(8))), pointers
    )


def _of_low_half(byte: ir.Value, element: ir.Type) -> ir.Value:
    """The element in the low half of each byte, by way of f16, which holds it."""
    half, f16 = _integer(16), ir.F16Type.get()
    wide = ct.exti(_with_element(byte, half), byte, "unsigned")

    def at(mask: int, shift: int) -> ir.Value:
        part = ct.andi(wide, _splat(wide, half, mask))
        return ct.shli(part, _splat(wide, half, shift))

    bits = ct.ori(at(8, 12), at(7, 9))
    value = ct.bitcast(_with_element(bits, f16), bits)
    scaled = ct.mulf(value, _splat(value, f16, _F16_SCALE), "nearest_even")
    return ct.ftof(_with_element(byte, element), scaled)


def _low_half(tile: ir.Value) -> ir.Value:
    """Inverse of `_of_low_half`: each element as a byte with an empty upper half."""
    half, f16 = _integer(16), ir.F16Type.get()
    value = ct.ftof(_with_element(tile, f16), tile)
    scaled = ct.mulf(value, _splat(value, f16, 1 / _F16_SCALE), "nearest_even")
    bits = ct.bitcast(_with_element(tile, half), scaled)

    def at(shift: int, mask: int) -> ir.Value:
        part = ct.shri(bits, _splat(bits, half, shift), "unsigned")
        return ct.andi(part, _splat(bits, half, mask))

    return ct.trunci(_with_element(tile, _integer(8)), ct.ori(at(12, 8), at(9, 7)))


def _load_pointers(op: ir.Operation) -> None:
    pointers, mask, padding, _ = segments(op)
    element = element_of(op.results[0])
    address = _byte_pointers(pointers[0])
    fill = [_low_half(value) for value in padding]
    copy = op.clone()
    copy.operands[0] = address
    for value in fill:
        copy.operands[1 + len(mask)] = value
    copy.results[0].set_type(_with_element(pointers[0], _integer(8)))
    _move_behind(op, copy, _of_low_half(copy.results[0], element))


def _store_pointers(op: ir.Operation) -> None:
    """Loads the bytes first, whose upper halves stay as they are."""
    pointers, value, mask, token = segments(op)
    byte = _integer(8)
    address = _byte_pointers(pointers[0])
    loaded = ct.load_ptr_tko(
        _with_element(address, byte),
        ct.TokenType.get(),
        "weak",
        address,
        mask=mask[0] if mask else None,
        token=token[0] if token else None,
    )
    kept = ct.andi(loaded[0], _splat(address, byte, -16))
    operands = [address, ct.ori(kept, _low_half(value[0])), *mask, loaded[1]]
    attributes = {name: op.attributes[name] for name in op.attributes}
    sizes = [1, 1, len(mask), 1]
    attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(sizes)
    made = ir.Operation.create(
        op.name, [op.results[0].type], operands, attributes=attributes
    )
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()


def _move_behind(op: ir.Operation, copy: ir.Operation, value: ir.Value) -> None:
    """Puts a load's copy and what was made of it in the place of the load."""
    op.results[0].replace_all_uses_with(value)
    op.results[1].replace_all_uses_with(copy.results[1])
    op.erase()


# Views --------------------------------------------------------------------------------


class _Rewriter:
    """Views of bytes, each made once.

    Args:
        facts: What is known of the entry's values before anything is rewritten.
    """

    def __init__(self, facts: FactsAnalysis) -> None:
        self._facts = facts
        self._made: dict[ir.Value, tuple[ir.Value, int]] = {}

    def load_view(self, op: ir.Operation) -> None:
        """A load of bytes, and their elements."""
        view, indices, *_ = segments(op)
        element, shape = element_of(op.results[0]), shape_of(op.results[0])
        byte_view, dim = self._view(op, view[0])
        copy = op.clone()
        copy.operands[0] = byte_view
        self._halve_index(copy, view[0], indices, 1, dim)
        bytes_ = [n // _PER_BYTE if d == dim else n for d, n in enumerate(shape)]
        copy.results[0].set_type(TileType.get(bytes_, _integer(8)))
        value = _regrouped(copy.results[0], element, dim, is_pack=False)
        _move_behind(op, copy, value)

    def store_view(self, op: ir.Operation) -> None:
        """A store of the elements' bytes."""
        tile, view, indices, *_ = segments(op)
        byte_view, dim = self._view(op, view[0])
        op.operands[0] = _regrouped(tile[0], _integer(8), dim, is_pack=True)
        op.operands[1] = byte_view
        self._halve_index(op, view[0], indices, 2, dim)

    def _halve_index(
        self,
        op: ir.Operation,
        view: ir.Value,
        indices: Sequence[ir.Value],
        first: int,
        dim: int,
    ) -> None:
        """Along a dense dimension, a gather view's index counts elements."""
        if not isinstance(view.type, GatherScatterViewType):
            return
        index = indices[dim]
        if self._facts.of(index).divisor % _PER_BYTE:
            raise _uneven(op, "an index along the contiguous dimension", "the index")
        with ir.InsertionPoint(op):
            op.operands[first + dim] = self._half_value(index)

    def _view(self, op: ir.Operation, view: ir.Value) -> tuple[ir.Value, int]:
        """The view of bytes for a view, and the tile dimension that is halved."""
        if view not in self._made:
            maker = defining_op(view)
            assert maker is not None, "views never pass through a block"
            with ir.InsertionPoint(maker), maker.location:
                self._made[view] = self._make_view(op, maker, view)
        return self._made[view]

    def _make_view(
        self, op: ir.Operation, maker: ir.Operation, view: ir.Value
    ) -> tuple[ir.Value, int]:
        ty = view.type
        assert isinstance(ty, _VIEWS), "an access has a tile view"
        is_gather = isinstance(ty, GatherScatterViewType)
        tile_shape = list(ty.tile_shape)
        dims = list(range(len(tile_shape))) if is_gather else list(ty.dim_map)
        tensor = tensor_view_op(view)
        unit = self._unit(op, tensor, dims, tile_shape)
        dim = dims.index(unit)
        tensor_view = self._tensor_view(op, tensor, unit)
        tile_shape[dim] //= _PER_BYTE
        padding = ty.padding_value
        if padding not in (None, "zero"):
            raise Unsupported(
                f"'{op.name}': expected padding_value zero, or none, for elements of 4 "
                f"bits, got {padding}; load with zeros, and choose after a conversion "
                "to a wider type",
                location_text(op),
            )
        kind = TensorViewType(tensor_view.type)
        if is_gather:
            if ty.sparse_dim == dim:
                raise _uneven(op, "gathering along the contiguous dimension", "bytes")
            made = GatherScatterViewType.get(tile_shape, kind, ty.sparse_dim, padding)
        elif isinstance(ty, StridedViewType):
            steps = list(ty.traversal_strides)
            if steps[dim] % _PER_BYTE:
                raise _uneven(op, f"a traversal stride of {steps[dim]}", "the stride")
            steps[dim] //= _PER_BYTE
            made = StridedViewType.get(tile_shape, steps, kind, dims, padding)
        else:
            made = PartitionViewType.get(tile_shape, kind, dims, padding)
        copy = ir.Operation.create(maker.name, [made], [tensor_view])
        return copy.results[0], dim

    def _unit(
        self,
        op: ir.Operation,
        tensor: ir.Operation,
        dims: list[int],
        tile_shape: list[int],
    ) -> int:
        """The tensor dimension along which two elements share a byte."""
        parts = tensor_view_parts(tensor)
        for unit, stride in enumerate(parts.strides):
            if stride != 1 or tile_shape[dims.index(unit)] % _PER_BYTE:
                continue
            others = [s for d, s in enumerate(parts.strides) if d != unit]
            if all(self._is_even(s) for s in others):
                return unit
        raise _uneven(
            op,
            "a tile that can begin or end in the middle of a byte",
            "the other strides, and the tile's extent where the stride is 1,",
        )

    def _is_even(self, value: int | ir.Value) -> bool:
        if isinstance(value, int):
            return value % _PER_BYTE == 0
        return self._facts.of(value).divisor % _PER_BYTE == 0

    def _tensor_view(
        self, op: ir.Operation, tensor: ir.Operation, unit: int
    ) -> ir.Value:
        """The tensor as bytes: half as many along `unit`, the other strides halved."""
        parts = tensor_view_parts(tensor)
        shape, strides = list(parts.shape), list(parts.strides)
        shape[unit] = self._half(op, shape[unit], "the extent")
        strides = [
            s if d == unit else self._half(op, s, "a stride")
            for d, s in enumerate(strides)
        ]
        kind = TensorViewType.get(_integer(8), _static(shape), _static(strides))
        operands = [
            _byte_pointers(parts.base),
            *(v for v in (*shape, *strides) if not isinstance(v, int)),
        ]
        attributes = {name: tensor.attributes[name] for name in tensor.attributes}
        made = ir.Operation.create(tensor.name, [kind], operands, attributes=attributes)
        return made.results[0]

    def _half(
        self, op: ir.Operation, value: int | ir.Value, what: str
    ) -> int | ir.Value:
        """Half a size or stride."""
        if isinstance(value, int):
            if value % _PER_BYTE:
                raise _uneven(op, f"{what} of {value}", what)
            return value // _PER_BYTE
        return self._half_value(value)

    def _half_value(self, value: ir.Value) -> ir.Value:
        element = element_of(value)
        half = ct.shri(value, _splat(value, element, 1), "signed")
        divisor = min(self._facts.of(value).divisor, 1 << 30) // _PER_BYTE
        return ct.assume(half, ct.DivByAttr.get(divisor)) if divisor > 1 else half


def _static(values: Sequence[int | ir.Value]) -> list[int | None]:
    return [value if isinstance(value, int) else None for value in values]


def _regrouped(
    tile: ir.Value, element: ir.Type, dim: int, *, is_pack: bool
) -> ir.Value:
    """Bytes as elements along one dimension, or elements as bytes."""
    shape = shape_of(tile)
    order = [d for d in range(len(shape)) if d != dim] + [dim]
    moved = _permuted(tile, order)
    flat_shape = [prod(shape)]
    flat = ct.reshape(TileType.get(flat_shape, element_of(tile)), moved)
    count = flat_shape[0] // _PER_BYTE if is_pack else flat_shape[0] * _PER_BYTE
    ty = TileType.get([count], element)
    flat = ct.pack(ty, flat) if is_pack else ct.unpack(ty, flat)
    extents = [shape[d] for d in order]
    extents[-1] = extents[-1] // _PER_BYTE if is_pack else extents[-1] * _PER_BYTE
    result = ct.reshape(TileType.get(extents, element), flat)
    return _permuted(result, [order.index(d) for d in range(len(order))])


def _permuted(tile: ir.Value, order: list[int]) -> ir.Value:
    if order == list(range(len(order))):
        return tile
    shape = [shape_of(tile)[d] for d in order]
    return ct.permute(TileType.get(shape, element_of(tile)), tile, order)


def _uneven(op: ir.Operation, what: str, even: str) -> Unsupported:
    return Unsupported(
        f"'{op.name}': expected tiles of 4-bit elements that begin and end at a byte, "
        f"got {what}; make {even} a multiple of 2 (with an assume where it is known at "
        "run time only), or load bytes, i8, and unpack them",
        location_text(op),
    )
