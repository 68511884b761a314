# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the rows of a block are divided: types and views of parts."""

from __future__ import annotations

from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import (
    PartitionViewType,
    TensorViewType,
    TileType,
)
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.tiling import (
    index_operands,
    tensor_view_op,
    tensor_view_parts,
    tiling_of,
    view_operand,
)
from cuda_tile.ir.scalars import INDEX_BITS, constant_of, i32_tile, i64_tile
from cuda_tile.ir.tiles import element_of, shape_of
from cuda_tile.ir.walk import defining_op
from cuda_tile.records import dataclass
from cuda_tile.rewrites.rows.row import Row


@dataclass
class Parts:
    """How the rows of a block are divided.

    Attributes:
        row: The block.
        size: Elements of a part.
        views: For each view, the view of parts, and how many parts it has.
        known: New values for values of the block that were replaced.
    """

    row: Row
    size: int
    views: dict[ir.Value, tuple[ir.Value, ir.Value]] = field(
        default_factory=dict[ir.Value, tuple[ir.Value, ir.Value]]
    )
    known: dict[ir.Value, ir.Value] = field(default_factory=dict[ir.Value, ir.Value])

    @property
    def count(self) -> int:
        """Number of parts of a row."""
        return self.row.size // self.size

    def type_of(self, value: ir.Value) -> ir.Type:
        """The type of a part of a row."""
        shape = self.row.shape_of_part(shape_of(value), self.size)
        return TileType.get(shape, element_of(value))

    def now(self, value: ir.Value) -> ir.Value:
        """The present form of a value that is no row."""
        return self.known.get(value, value)

    def first(self, op: ir.Operation) -> ir.Value:
        """The index of an access along its row."""
        return index_operands(op)[self.dim(op)]

    def dim(self, op: ir.Operation) -> int:
        """The dimension of an access's tiles that is the row."""
        return self.row.dim(tiling_of(view_operand(op)).tile_shape)

    def extent(self, op: ir.Operation) -> int | ir.Value:
        """The extent of an access's tensor along its row."""
        view = view_operand(op)
        along = tiling_of(view).dim_map[self.dim(op)]
        return tensor_view_parts(tensor_view_op(view)).shape[along]

    def index_type(self, op: ir.Operation) -> ir.Type:
        """The type of an access's indices: 32 bits if these can count all parts."""
        first = self.first(op)
        is_wide = ir.IntegerType(element_of(first)).width > INDEX_BITS
        if constant_of(first) != 0:
            is_wide |= _is_vast(view_operand(op))
        return i64_tile() if is_wide else i32_tile()

    def add_view(self, op: ir.Operation) -> None:
        """Makes the view of parts for an access, where it is needed."""
        view = view_operand(op)
        if view not in self.views:
            self.views[view] = self.view_of(op, tensor_of(view))

    def view_of(self, op: ir.Operation, tensor: ir.Value) -> tuple[ir.Value, ir.Value]:
        """A view of parts for an access, and how many parts it has.

        Args:
            op: The access.
            tensor: The tensor of its view, as it is at this place.
        """
        view, dim = view_operand(op), self.dim(op)
        tiling, maker = tiling_of(view), defining_op(view)
        assert maker is not None, "views never pass through a block"
        shape = [self.size if d == dim else n for d, n in enumerate(tiling.tile_shape)]
        ty = PartitionViewType.get(
            shape, TensorViewType(tensor.type), list(tiling.dim_map), tiling.padding
        )
        made = ir.Operation.create(maker.name, [ty], [tensor]).results[0]
        scalar = i64_tile() if _is_vast(view) else i32_tile()
        extents = cuda_tile.GetIndexSpaceShapeOp([scalar] * len(shape), made)
        return made, list(extents.results)[dim]


def tensor_of(view: ir.Value) -> ir.Value:
    """The tensor that a view of tiles is made of."""
    maker = defining_op(view)
    assert maker is not None, "views never pass through a block"
    return maker.operands[0]


def _is_vast(view: ir.Value) -> bool:
    """Whether a tensor may have extents that need more than 32 bits."""
    parts = tensor_view_parts(tensor_view_op(view))
    return any(
        extent.bit_length() > INDEX_BITS
        if isinstance(extent, int)
        else ir.IntegerType(element_of(extent)).width > INDEX_BITS
        for extent in parts.shape
    )
