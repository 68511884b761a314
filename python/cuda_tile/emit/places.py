# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses and bounds of the elements of a tile of a view, each part made once.

An element's address is `base + sum over d of (start_d + t_d + c_d) * stride_d`:
`start` is uniform, `t` the thread's part of the coordinate and `c` the
register's. The sums over `start` and `t` are made once; a register adds a
constant where the stride is one, or one product per distinct `c_d`. Along a sparse
dimension the coordinate is the position that the index tile has for the slice.

Indices, extents and strides are unsigned. A start is computed in 64 bits unless it is
known to be below 2^31; for the bounds of a tensor whose extent is, a start that is
farther away counts as 2^31, in 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.analysis.access import view_dims
from cuda_tile.analysis.tiling import index_operands, tiling_of, view_operand
from cuda_tile.constants import MANY_ADDRESSES
from cuda_tile.emit.builder import ICMP
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.fragment import View
from cuda_tile.emit.threads import coordinate_span
from cuda_tile.emit.vectors import Run
from cuda_tile.ir.roles import ROLES
from cuda_tile.ir.traits import VIEW_LOADS, VIEW_STORES
from cuda_tile.ir.walk import enclosing_ops
from cuda_tile.layout.coords import n_bits
from cuda_tile.layout.linear import Coord, LinearLayout

HALF = 1 << 31
"""What a start and an extent are below where they and their distance are signed."""
_FAR = 1 << 62
"""A start that is beyond every tensor, and that products do not overflow before."""


def _computes_anew(
    op: ir.Operation, layout: LinearLayout, strides: Sequence[int | ir.Value]
) -> bool:
    """Whether a store shares its many addresses with a load of the same view.

    Each takes two registers between the two if no stride is known.
    """
    if op.name not in VIEW_STORES or layout.n_registers < MANY_ADDRESSES:
        return False
    if any(isinstance(stride, int) for stride in strides):
        return False
    users = (use.owner.operation for use in view_operand(op).uses)
    return any(user.name in VIEW_LOADS for user in users)


def _is_repeated(op: ir.Operation) -> bool:
    """Whether the innermost loop around an access gets a tile's number from outside."""
    around = enclosing_ops(op.results[0])
    loop = next((outer for outer in around if _cuda_tile.is_loop(outer)), None)
    return loop is not None and any(
        loop not in enclosing_ops(index) for index in index_operands(op)
    )


class ViewPlaces:
    """Where the elements of one access lie.

    Args:
        e: The emitter.
        op: An access through a view of tiles.
        layout: The tile's layout.
        run: Its vectors.
    """

    def __init__(
        self, e: Emitter, op: ir.Operation, layout: LinearLayout, run: Run
    ) -> None:
        view = view_operand(op)
        self.e, self.layout, self.size = e, layout, run.bits // 8
        self._together = run.count
        parts: View = e.view(view)
        self._tiling = tiling_of(view)
        self._dims = view_dims(op, e.facts)
        # Ahead of a loop that ends before the access it would only take a register.
        self._ahead = e.hoisted.op if _is_repeated(op) else e.builder.op
        # Roles hold sums of many registers: one more costs more than an instruction.
        self._has_few_registers = any(
            outer.name == ROLES for outer in enclosing_ops(op.results[0])
        )
        dim_map = self._tiling.dim_map
        self.strides = [parts.strides[target] for target in dim_map]
        self.extents = [parts.shape[target] for target in dim_map]
        self.spans = [coordinate_span(layout, d) for d in range(layout.rank)]
        self._base = parts.base
        if _computes_anew(op, layout, self.strides):
            self._forget()
        self._sparse: _Sparse | None = None
        self.starts: dict[int, ir.Value] = {}
        self._lasts: dict[int, int] = {}
        self._indices: dict[int, ir.Value] = {}
        for d, index in enumerate(index_operands(op)):
            if d == self._tiling.sparse_dim:
                self._sparse = _Sparse(self, d, index)
            else:
                self._indices[d] = index
                self.starts[d] = self._start(d, index)
        self._products: dict[tuple[int, int], ir.Value] = {}
        self._inside: dict[tuple[int, int], ir.Value] = {}
        self._limits: dict[int, ir.Value] = {}
        self._bases: dict[Coord, ir.Value] = {}
        self._small: dict[int, bool] = {}

    def _start(self, dim: int, index: ir.Value) -> ir.Value:
        """First element of the tile along one dimension, i32 if it is surely small."""
        b, known = self.e.builder, self.e.facts.of(index)
        step, value = self._tiling.steps[dim], self.e.scalar(index)
        last = _FAR
        if known.low is not None and known.low >= 0 and known.high is not None:
            last = known.high * step
        self._lasts[dim] = last
        if last < HALF:
            value = b.unsigned(value, b.i32)
            if value.type == b.i64:
                value = b.op("llvm.trunc", b.i32, value)
        elif value.type == b.i64 and last >= _FAR:
            far = b.constant(b.i64, _FAR // step)
            value = b.op("llvm.intr.umin", b.i64, value, far)
        else:
            value = b.unsigned(value, b.i64)
        return b.mul(value, step)

    def _forget(self) -> None:
        """Keeps what else has these addresses from sharing them, by adding a zero."""
        b = self.e.builder
        nothing = self.e.threads.kept(0, "z")
        self._base = b.byte_offset(self._base, b.unsigned(nothing, b.i64))
        self.strides = [
            stride
            if isinstance(stride, int)
            else b.add(stride, b.unsigned(nothing, stride.type))
            for stride in self.strides
        ]

    def _is_sparse(self, dim: int) -> bool:
        """Whether each slice along a dimension has a position of its own."""
        return self._sparse is not None and self._sparse.dim == dim

    # Addresses ----------------------------------------------------------------------

    def address(self, register: int, place: Coord) -> ir.Value:
        """Address of the element in a register, whose part of the place is `place`.

        Args:
            register: The number of the register.
            place: The place that the register contributes, in elements per dimension.
        """
        b = self.e.builder
        moved = tuple(c & s for c, s in zip(place, self.spans, strict=True))
        base = self._thread_base(moved)
        rest = [c & ~s for c, s in zip(place, self.spans, strict=True)]
        fixed = sum(self._fixed_bytes.values())
        for d, (coordinate, stride) in enumerate(zip(rest, self.strides, strict=True)):
            if self._sparse is not None and self._is_sparse(d):
                base = b.byte_offset(base, self._sparse.distance(register))
            elif isinstance(stride, int):
                fixed += coordinate * stride * self.size
            elif coordinate:
                base = b.byte_offset(base, self._product(d, coordinate, stride))
        return b.byte_offset(base, fixed)

    def _product(self, dim: int, coordinate: int, stride: ir.Value) -> ir.Value:
        """`coordinate * stride` in bytes."""
        key = (dim, coordinate)
        if key not in self._products:
            b = self.e.builder
            wide = b.unsigned(stride, b.i64)
            self._products[key] = b.mul(wide, coordinate * self.size)
        return self._products[key]

    def _thread_base(self, moved: Coord) -> ir.Value:
        """Address of the thread's first element; `moved` is XORed into its part."""
        if moved not in self._bases:
            b = self.e.builder
            address = self._base
            for d, start in self.starts.items():
                if d not in self._fixed_bytes:
                    distance = self.scaled(d, start, self._lasts[d])
                    address = b.byte_offset(address, distance)
                thread, last = self._coordinate(d, moved[d]), self.spans[d]
                address = b.byte_offset(address, self.scaled(d, thread, last))
            self._bases[moved] = address
        return self._bases[moved]

    @cached_property
    def _fixed_bytes(self) -> dict[int, int]:
        """By dimension, bytes to a start that is known: part of an instruction.

        Tiles that lie side by side then share the addresses of a thread.
        """
        found: dict[int, int] = {}
        for d, index in self._indices.items():
            number, stride = self.e.facts.of(index).constant, self.strides[d]
            if number is not None and number >= 0 and isinstance(stride, int):
                found[d] = number * self._tiling.steps[d] * stride * self.size
        return found

    def _coordinate(self, dim: int, moved: int) -> ir.Value:
        b = self.e.builder
        thread = self.e.threads.coordinate(self.layout, dim)
        if moved == 0:
            return thread
        return b.binary("xor", thread, moved)

    def scaled(self, dim: int, value: ir.Value, last: int) -> ir.Value:
        """Elements along a dimension as bytes (i64).

        Factors of 32 bits stay so: one instruction multiplies them to 64 bits, but
        LLVM would multiply by the size first, which leaves one of 64.

        Args:
            dim: The dimension, from 0.
            value: The number of elements, unsigned.
            last: What it is at most.
        """
        b, stride, size = self.e.builder, self.strides[dim], self.size
        if isinstance(stride, int):
            return b.mul(b.unsigned(value, b.i64), stride * size)
        if last * size < 2 * HALF:
            value, size = b.mul(value, size), 1
        product = b.mul(b.unsigned(value, b.i64), b.unsigned(stride, b.i64))
        return b.mul(product, size)

    # Bounds -------------------------------------------------------------------------

    def inside(self, register: int, place: Coord) -> ir.Value | None:
        """Whether the element lies inside the tensor; None where it must.

        Args:
            register: The number of the register.
            place: The place that the register contributes, in elements per dimension.
        """
        result = self._tile_inside if self._gate is None else None
        for d, coordinate in enumerate(place):
            if not self._dims[d].may_stick_out:
                continue
            if self._sparse is not None and d == self._sparse.dim:
                below = self._sparse.is_inside(register)
            else:
                below = self._below(d, coordinate)
            result = self.e.builder.both(result, below)
        return result

    @cached_property
    def _tile_inside(self) -> ir.Value | None:
        """Whether the tile lies inside along all dimensions that cannot cut it.

        The same for all threads; None where it must. An index is unsigned, so that one
        that is negative for the producer is behind every end.
        """
        b, ahead = self.e.builder, self._ahead
        result: ir.Value | None = None
        for d in self.starts:
            if not self._dims[d].may_be_outside:
                continue
            index, tiles = self._whole_tiles(d)
            if index.type != tiles.type:
                index, tiles = (
                    v if v.type == b.i64 else ahead("llvm.zext", b.i64, v)
                    for v in (index, tiles)
                )
            order = b.number(ICMP["ult"])
            below = ahead("llvm.icmp", b.i1, index, tiles, predicate=order)
            result = below if result is None else ahead("llvm.and", b.i1, result, below)
        return result

    def _whole_tiles(self, dim: int) -> tuple[ir.Value, ir.Value]:
        """The tile's number and how many there are; else its start and the extent.

        Numbers need no 64 bits where indices have 32, as most do, and are known before
        the loop in which an address is computed.
        """
        b, step = self.e.builder, self._tiling.steps[dim]
        extent = self.extent(dim)
        if step & step - 1 or step > self._tiling.tile_shape[dim]:
            return self.starts[dim], extent
        index = b.unsigned(self.e.scalar(self._indices[dim]), b.i32)
        if step == 1:
            return index, extent
        bits = b.constant(extent.type, n_bits(step))
        return index, self._ahead("llvm.lshr", extent.type, extent, bits)

    @cached_property
    def _gate(self) -> int | None:
        """A dimension whose elements are compared anyway; None if there is none.

        Its end counts as 0 where the tile lies outside along another one, which costs
        nothing where elements are compared.
        """
        return next((d for d, dim in enumerate(self._dims) if dim.may_stick_out), None)

    @cached_property
    def _ends(self) -> dict[int, ir.Value]:
        """What each coordinate is compared with: the tensor's extents."""
        b = self.e.builder
        ends = {
            d: self.extent(d) for d, dim in enumerate(self._dims) if dim.may_stick_out
        }
        if self._gate is not None and self._tile_inside is not None:
            end = ends[self._gate]
            none = b.constant(end.type, 0)
            select = b.op if self._has_few_registers else self._ahead
            chosen = select("llvm.select", end.type, self._tile_inside, end, none)
            ends[self._gate] = chosen
        return ends

    def end(self, dim: int) -> ir.Value:
        """What a coordinate along `dim` must be below."""
        return self._ends[dim]

    def _below(self, dim: int, coordinate: int) -> ir.Value:
        key = (dim, coordinate)
        if key not in self._inside:
            b = self.e.builder
            value = self._coordinate(dim, coordinate & self.spans[dim])
            rest = coordinate & ~self.spans[dim]
            if rest:
                value = b.add(value, rest)
            if self._is_walked(dim):
                value = b.add(self.starts[dim], value)
                self._inside[key] = b.icmp("slt", value, self._ends[dim])
                return self._inside[key]
            limit = self._limit(dim)
            order = "slt" if self._is_signed(dim) else "ult"
            self._inside[key] = b.icmp(order, value, limit)
        return self._inside[key]

    def _is_walked(self, dim: int) -> bool:
        """Whether coordinates in the tensor are compared with its end.

        In a loop these are the same for all views that it walks along together, and
        where the program compares them itself. Coordinates in the tile are compared
        with what is left of the tensor where a thread has several, which are the same
        in all iterations then. The sums must be below 2^31.
        """
        together = self._together if self.strides[dim] == 1 else 1
        if any(basis[dim] >= together for basis in self.layout.register):
            return False
        high = self.e.facts.of(self._indices[dim]).high
        if high is None or not self._is_small(dim):
            return False
        tiling = self._tiling
        return high * tiling.steps[dim] + tiling.tile_shape[dim] <= HALF

    def _limit(self, dim: int) -> ir.Value:
        """Elements from the tile's start to the tensor's end along `dim` (i32).

        Where the extent is small, a signed number that is 0 or less behind the end. No
        more than the tile has, where there are more than 32 bits can count.
        """
        if dim not in self._limits:
            b = self.e.builder
            start, extent = self.starts[dim], self._ends[dim]
            if self._is_signed(dim):
                near = start if self._is_small(dim) else self._near_start(dim)
                self._limits[dim] = b.sub(extent, near)
                return self._limits[dim]
            wide = b.i64 if b.i64 in (start.type, extent.type) else b.i32
            start, extent = b.unsigned(start, wide), b.unsigned(extent, wide)
            end = b.op("llvm.intr.umax", wide, extent, start)
            left = b.sub(end, start)
            if wide == b.i64:
                whole = b.constant(wide, self._tiling.tile_shape[dim])
                left = b.op("llvm.intr.umin", wide, left, whole)
                left = b.op("llvm.trunc", b.i32, left)
            self._limits[dim] = left
        return self._limits[dim]

    def _near_start(self, dim: int) -> ir.Value:
        """The tile's start, at most 2^31, as the i32 that is 2^31 below zero then.

        It is the same for all tensors that are read at one index.
        """
        b, step = self.e.builder, self._tiling.steps[dim]
        value = b.unsigned(self.e.scalar(self._indices[dim]), b.i32)
        tile = b.op(
            "llvm.intr.umin", value.type, value, b.constant(value.type, HALF // step)
        )
        if tile.type != b.i32:
            tile = b.op("llvm.trunc", b.i32, tile)
        return b.mul(tile, step)

    def _is_signed(self, dim: int) -> bool:
        """Whether the distance to the tensor's end is a signed number of 32 bits."""
        step = self._tiling.steps[dim]
        is_even = step <= HALF and not step & step - 1
        return self._is_small(dim) or (is_even and self._has_small_extent(dim))

    def _is_small(self, dim: int) -> bool:
        """Whether the tile's start and the tensor's extent are surely below 2^31."""
        found = self._small.get(dim)
        if found is None:
            is_short = self.starts[dim].type == self.e.builder.i32
            found = self._small[dim] = is_short and self._has_small_extent(dim)
        return found

    def _has_small_extent(self, dim: int) -> bool:
        """Whether the tensor's extent is surely below 2^31."""
        extent = self._dims[dim].extent
        if isinstance(extent, int):
            return extent < HALF
        low = self.e.facts.of(extent).low
        return (
            low is not None and low >= 0 and self.extent(dim).type != self.e.builder.i64
        )

    def extent(self, dim: int) -> ir.Value:
        """The tensor's extent, unsigned, as i32 where that can hold it, else i64."""
        b, extent = self.e.builder, self.extents[dim]
        if isinstance(extent, int):
            return b.constant(b.i64 if extent >> 32 else b.i32, extent)
        return b.unsigned(extent, b.i32)


class _Sparse:
    """The positions of the slices of a gathered or scattered tile."""

    def __init__(self, places: ViewPlaces, dim: int, index: ir.Value) -> None:
        self.dim = dim
        self._places = places
        e = places.e
        fragment = e.fragment(index)
        positions = e.packer.scalars(fragment)
        first: dict[int, int] = {}
        for register, (coordinate,) in enumerate(fragment.layout.register_offsets()):
            first.setdefault(coordinate, register)
        self._position = [
            positions[first[place[dim]]] for place in places.layout.register_offsets()
        ]
        self._distances: dict[ir.Value, ir.Value] = {}
        self._inside: dict[ir.Value, ir.Value] = {}

    def distance(self, register: int) -> ir.Value:
        """Bytes from the tensor's first slice to that of a register (i64)."""
        position = self._position[register]
        if position not in self._distances:
            last = 2 ** ir.IntegerType(position.type).width - 1
            distance = self._places.scaled(self.dim, position, last)
            self._distances[position] = distance
        return self._distances[position]

    def is_inside(self, register: int) -> ir.Value:
        """Whether the position is one of the tensor's."""
        position = self._position[register]
        if position not in self._inside:
            b, extent = self._places.e.builder, self._places.end(self.dim)
            wide = b.unsigned(position, extent.type)
            extent = b.unsigned(extent, wide.type)
            self._inside[position] = b.icmp("ult", wide, extent)
        return self._inside[position]
