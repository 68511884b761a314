# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of 4 bits are loaded and stored as bytes.

Contract: in and out, verified level T. Loads and stores through tensors of, and
pointers to, elements of 4 bits access bytes instead. The pass decides nothing.

Two f4E2M1FN share a byte of memory. A tile of a view becomes a tile of bytes with half
the extent along the dimension in which elements are neighbours; `unpack` and `pack`
convert between the two. If that dimension or the parity of a start is unknown, and for
pointers, rewrites/single_elements.py accesses element by element.

Contract `narrow_elements`
    Law: elements 2n and 2n + 1 along a stride of 1 are byte n, the first one low.

    | | condition | near misses |
    |---|---|---|
    | C1 types | elements of 4 bits | bytes |
    | C2 flags | stores go element by element only if they are weak | relaxed |
    | C3 values | a byte of two elements that are outside is one padding value | six |
    | - order | accesses keep their places, tokens and orders; see C2 | |
    | C4 blocks | a store keeps the other half of a byte, stored before it | halves, |
    | | | odd_bytes, last_half |
    | C5 indices | starts, and strides beside the 1, are even | odd_step, |
    | | | odd_gather, even_gather |
    | C6 extents | tiles and extents are even along the stride of 1 | one_column |
    | - aliasing | only bytes of elements are touched, one half after the other | |
    | - captures | the pass sees accesses, which have no regions | |
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    GatherScatterViewType,
    PartitionViewType,
    StridedViewType,
    TensorViewType,
    TileType,
)
from cuda_tile._mlir.dialects import cuda_tile as ct
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.tiling import (
    TensorViewParts,
    index_operands,
    tensor_view_op,
    tensor_view_parts,
    tiling_of,
    view_operand,
)
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.walk import defining_op, listed_ops, nested_ops, segments
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.rewrites.single_elements import (
    byte_pointers,
    integer,
    load_elements,
    load_pointers,
    move_behind,
    splat,
    store_elements,
    store_pointers,
)

_PER_BYTE = 2


@each_kernel
def run(entry: ir.Operation) -> None:
    """Rewrites every access to elements of 4 bits in an entry.

    Raises:
        Unsupported: An access of single elements cannot be written so.
    """
    if any(map(is_narrow_access, nested_ops(entry))):
        _access_bytes(entry)


def is_narrow_access(op: ir.Operation) -> bool:
    """Whether an op loads or stores elements of 4 bits, of which two share a byte."""
    match op.name:
        case "cuda_tile.load_view_tko" | "cuda_tile.load_ptr_tko":
            return _is_nibble(op.results[0])
        case "cuda_tile.store_view_tko":
            return _is_nibble(op.operands[0])
        case "cuda_tile.store_ptr_tko":
            return _is_nibble(segments(op)[1][0])
        case _:
            return False


def _access_bytes(entry: ir.Operation) -> None:
    rewriter = _Rewriter(FactsAnalysis(entry))
    rewrites = {
        "cuda_tile.load_view_tko": rewriter.load_view,
        "cuda_tile.store_view_tko": rewriter.store_view,
        "cuda_tile.load_ptr_tko": load_pointers,
        "cuda_tile.store_ptr_tko": store_pointers,
    }
    for op in listed_ops(entry):
        if is_narrow_access(op):
            with op.location, ir.InsertionPoint(op):
                rewrites[op.name](op)


def _is_nibble(value: ir.Value) -> bool:
    element = element_of(value)
    return (
        isinstance(element, ir.FloatType) and element.width == 4
    )  # narrow_elements C1


# Views --------------------------------------------------------------------------------


class _Rewriter:
    """Makes views of bytes, each once.

    Args:
        facts: The facts of the entry's values before anything is rewritten.
    """

    def __init__(self, facts: FactsAnalysis) -> None:
        self._facts = facts
        self._made: dict[ir.Value, ir.Value] = {}

    def load_view(self, op: ir.Operation) -> None:
        """Rewrites a load as a load of bytes and their `unpack`."""
        view, dim = view_operand(op), self._dense_dim(op)
        if dim is None:
            load_elements(op)
            return
        copy = op.clone()
        copy.operands[0] = self._view(view, dim)
        self._halve_index(copy, view, 1 + dim)
        element, shape = element_of(op.results[0]), shape_of(op.results[0])
        bytes_ = [n // _PER_BYTE if d == dim else n for d, n in enumerate(shape)]
        copy.results[0].set_type(TileType.get(bytes_, integer(8)))
        value = _regrouped(copy.results[0], element, dim, is_pack=False)
        move_behind(op, copy, value)

    def store_view(self, op: ir.Operation) -> None:
        """Rewrites a store as a store of packed bytes."""
        view, dim = view_operand(op), self._dense_dim(op)
        if dim is None:
            store_elements(op)
            return
        op.operands[0] = _regrouped(op.operands[0], integer(8), dim, is_pack=True)
        op.operands[1] = self._view(view, dim)
        self._halve_index(op, view, 2 + dim)

    def _dense_dim(self, op: ir.Operation) -> int | None:
        """The tile dimension whose elements pair up to bytes; None if one may not."""
        tiling = tiling_of(view_operand(op))
        parts = tensor_view_parts(tensor_view_op(view_operand(op)))
        unit = self._unit(parts)
        if unit is None or tiling.padding not in (None, "zero"):  # narrow_elements C3
            return None
        dim, extent = tiling.dim_map.index(unit), parts.shape[unit]
        sizes = [tiling.tile_shape[dim]]  # narrow_elements C6
        if isinstance(extent, int):  # at run time it is even: see docs/conversions.md
            sizes.append(extent)
        if isinstance(view_operand(op).type, GatherScatterViewType):
            first = index_operands(op)[dim]
            is_even = tiling.sparse_dim != dim and self._is_even(first)
        else:
            is_even = self._is_even(tiling.steps[dim])  # narrow_elements C5
        return dim if is_even and all(map(self._is_even, sizes)) else None

    def _unit(self, parts: TensorViewParts) -> int | None:
        """The only tensor dimension whose stride may be odd, if that is 1.

        Some stride is 1 (make_tensor_view of 4-bit elements). So if only one stride can
        be odd, and it is known only at run time, it is that one.
        """
        odd = [d for d, s in enumerate(parts.strides) if not self._is_even(s)]
        if len(odd) != 1:
            return None
        stride = parts.strides[odd[0]]
        return None if isinstance(stride, int) and stride != 1 else odd[0]

    def _is_even(self, value: int | ir.Value) -> bool:
        if isinstance(value, int):
            return value % _PER_BYTE == 0
        return self._facts.of(value).divisor % _PER_BYTE == 0

    def _halve_index(self, op: ir.Operation, view: ir.Value, position: int) -> None:
        """Halves an index that counts elements, of a gather view's dense dimension."""
        if isinstance(view.type, GatherScatterViewType):
            with ir.InsertionPoint(op):
                op.operands[position] = self._half_value(op.operands[position])

    def _view(self, view: ir.Value, dim: int) -> ir.Value:
        """The view of bytes for a view, with tile dimension `dim` halved."""
        if view not in self._made:
            maker = defining_op(view)
            assert maker is not None, "views never pass through a block"
            with ir.InsertionPoint(maker), maker.location:
                self._made[view] = self._make_view(maker, view, dim)
        return self._made[view]

    def _make_view(self, maker: ir.Operation, view: ir.Value, dim: int) -> ir.Value:
        ty, tiling = view.type, tiling_of(view)
        tile_shape, dims = list(tiling.tile_shape), list(tiling.dim_map)
        tensor_view = self._tensor_view(tensor_view_op(view), dims[dim])
        tile_shape[dim] //= _PER_BYTE
        kind, padding = TensorViewType(tensor_view.type), tiling.padding
        if isinstance(ty, GatherScatterViewType):
            made = GatherScatterViewType.get(tile_shape, kind, ty.sparse_dim, padding)
        elif isinstance(ty, StridedViewType):
            steps = list(tiling.steps)
            steps[dim] //= _PER_BYTE
            made = StridedViewType.get(tile_shape, steps, kind, dims, padding)
        else:
            made = PartitionViewType.get(tile_shape, kind, dims, padding)
        copy = ir.Operation.create(maker.name, [made], [tensor_view])
        return copy.results[0]

    def _tensor_view(self, tensor: ir.Operation, unit: int) -> ir.Value:
        """The tensor as bytes: half as many along `unit`, the other strides halved."""
        parts = tensor_view_parts(tensor)
        shape = [self._half(n) if d == unit else n for d, n in enumerate(parts.shape)]
        strides = [
            1 if d == unit else self._half(s) for d, s in enumerate(parts.strides)
        ]
        kind = TensorViewType.get(integer(8), _static(shape), _static(strides))
        dynamic = [
            [v for v in values if not isinstance(v, int)] for values in (shape, strides)
        ]
        operands = [byte_pointers(parts.base), *dynamic[0], *dynamic[1]]
        attributes = {name: tensor.attributes[name] for name in tensor.attributes}
        sizes = [1, *map(len, dynamic)]
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(sizes)
        made = ir.Operation.create(tensor.name, [kind], operands, attributes=attributes)
        return made.results[0]

    def _half(self, value: int | ir.Value) -> int | ir.Value:
        """Half a size or stride."""
        return value // _PER_BYTE if isinstance(value, int) else self._half_value(value)

    def _half_value(self, value: ir.Value) -> ir.Value:
        """Half of a run-time number, read as unsigned."""
        half = ct.shri(value, splat(value, element_of(value), 1), "unsigned")
        divisor = min(self._facts.of(value).divisor, 1 << 30) // _PER_BYTE
        return ct.assume(half, ct.DivByAttr.get(divisor)) if divisor > 1 else half


def _static(values: Sequence[int | ir.Value]) -> list[int | None]:
    return [value if isinstance(value, int) else None for value in values]


def _regrouped(
    tile: ir.Value, element: ir.Type, dim: int, *, is_pack: bool
) -> ir.Value:
    """Converts bytes to elements along one dimension, or elements to bytes."""
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
