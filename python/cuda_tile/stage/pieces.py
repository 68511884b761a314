# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product in pieces: an equal part of each warp's rows or columns at a time.

A warp has neighbouring rows and columns of a result. So the bits of the piece's number
lie between those of the warp and those of the element: N columns of W warps in P pieces
are (W, P, N / (W P)). Threads hold their places of every piece, and warps divide a
piece like a product of its size.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile._mlir.dialects import cuda_tile, tileas
from cuda_tile.ir.tiles import (
    buffer_layout_of,
    element_of,
    layout_of,
    shape_of,
    tile_type,
)
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.records import dataclass
from cuda_tile.stage.build import extract, join_along, renamed_view, reshape


@dataclass(frozen=True)
class Pieces:
    """How a dimension of a product's result, and of one operand, is cut.

    Attributes:
        dim: The dimension, counted from the last (-1 or -2).
        count: Number of pieces; 1 for a result that is not cut.
        warps: Number of parts into which warps divide the dimension.
    """

    dim: int
    count: int
    warps: int

    def shape_of_one(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of a piece of a tile."""
        sizes = list(shape)
        sizes[self.dim] //= self.count
        return tuple(sizes)

    def of_tile(
        self, tile: ir.Value, indices: Sequence[int], piece: int, layout: LinearLayout
    ) -> ir.Value:
        """A piece of a part of a tile in registers.

        Args:
            tile: The tile.
            indices: The part's indices, 0 in the dimension that is cut.
            piece: The number of the piece.
            layout: Its layout.
        """
        if self.count == 1:
            return tile
        whole = reshape(tile, self._cut(shape_of(tile), self.count))
        cut = layout.reshape(self._cut(layout.shape, 1))
        return reshape(extract(whole, self._place(indices, piece), cut), layout.shape)

    def of_buffer(
        self, buffer: ir.Value, offsets: Sequence[int], piece: int, layout: LinearLayout
    ) -> ir.Value:
        """A piece of a part of a buffer.

        Args:
            buffer: The buffer.
            offsets: Where the part begins, at 0 in the dimension that is cut.
            piece: The number of the piece.
            layout: Its layout.
        """
        shared = buffer_layout_of(buffer)
        cut = renamed_view(buffer, shared.reshape(self._cut(shared.shape, self.count)))
        element = BufferType(buffer.type).element_type
        ty = tile_type(element, layout.reshape(self._cut(layout.shape, 1)))
        place = self._place(offsets, piece)
        return reshape(tileas.LoadSharedOp(ty, cut, offsets=place).result, layout.shape)

    def join(self, tiles: Sequence[ir.Value], like: ir.Value) -> ir.Value:
        """All pieces as one tile, of the type of another.

        Args:
            tiles: The pieces.
            like: A tile of the wanted type.
        """
        if self.count == 1:
            return tiles[0]
        dim = len(shape_of(like)) + self.dim + 1
        some = [reshape(tile, self._cut(shape_of(tile), 1)) for tile in tiles]
        half = len(some) // 2
        first, second = join_along(some[:half], dim), join_along(some[half:], dim)
        layout = layout_of(like).reshape(self._cut(shape_of(like), self.count))
        ty = tile_type(element_of(like), layout)
        return reshape(cuda_tile.CatOp(ty, first, second, dim).result, shape_of(like))

    def _place(self, offsets: Sequence[int], piece: int) -> list[int]:
        """The offsets of a piece of a part in a shape that is cut."""
        dim = len(offsets) + self.dim
        return [*offsets[:dim], 0, piece, 0, *offsets[dim + 1 :]]

    def _cut(self, shape: Sequence[int], count: int) -> tuple[int, ...]:
        """A shape with its cut dimension as three: warps, pieces, elements."""
        dim = len(shape) + self.dim
        extent = shape[dim] // (self.warps * count)
        return (*shape[:dim], self.warps, count, extent, *shape[dim + 1 :])
