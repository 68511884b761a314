# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses and bounds of the units that threads copy: few instructions an iteration.

A copy stands in a loop and its tile moves along one dimension, while the distances
between the units of a thread stay. One multiply-add per iteration and one for each
further unit is what it takes; LLVM, left to itself, would carry an address of each unit
through the loop, at two registers and two or three instructions each.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.places import HALF, ViewPlaces
from cuda_tile.emit.vectors import Run
from cuda_tile.ir.walk import enclosing_ops
from cuda_tile.layout.coords import n_bits
from cuda_tile.layout.linear import Coord, LinearLayout

_FOLDED_BYTES = 2
"""Bytes of an element up to which 32 bits hold the distance of 2^31 elements."""


class CopyPlaces(ViewPlaces):
    """Where the units of one copy lie in global memory.

    Args:
        e: The emitter.
        op: A copy of a tile of a view.
        layout: Which elements each thread copies.
        run: A unit.
    """

    def __init__(
        self, e: Emitter, op: ir.Operation, layout: LinearLayout, run: Run
    ) -> None:
        self._op = op
        self._behind: dict[int, int] = {}
        self._late: dict[int, bool] = {}
        self._wide: dict[int, bool] = {}
        self._last: dict[tuple[Coord, int], tuple[int, ir.Value]] = {}
        super().__init__(e, op, layout, run)

    # Addresses ----------------------------------------------------------------------

    def address(self, register: int, place: Coord) -> ir.Value:
        """Address of the element in a register, whose part of the place is `place`."""
        b = self.e.builder
        moved = tuple(c & s for c, s in zip(place, self.spans, strict=True))
        rest = tuple(c & ~s for c, s in zip(place, self.spans, strict=True))
        far = [
            d for d, c in enumerate(rest) if c and not isinstance(self.strides[d], int)
        ]
        if len(far) > 1 or any(map(self._is_wide, far)) or self._sparse is not None:
            return super().address(register, place)
        address = self._thread_base(moved)
        fixed = sum(self._fixed_bytes.values()) + sum(
            coordinate * stride * self.size
            for coordinate, stride in zip(rest, self.strides, strict=True)
            if isinstance(stride, int)
        )
        for d in far:
            address = self._further(moved, d, rest[d])
        return b.byte_offset(address, fixed)

    def _is_wide(self, dim: int) -> bool:
        found = self._wide.get(dim)
        if found is None:
            stride = self.strides[dim]
            is_known = isinstance(stride, int)
            found = not is_known and stride.type != self.e.builder.i32
            self._wide[dim] = found
        return found

    def _further(self, moved: Coord, dim: int, coordinate: int) -> ir.Value:
        """The thread's base, further by `coordinate` strides.

        From the unit before, if that is nearer: most units are equally far apart, and
        that distance does not change in a loop.
        """
        before, address = self._last.get((moved, dim), (0, self._thread_base(moved)))
        if before >= coordinate:
            before, address = 0, self._thread_base(moved)
        stride = self.strides[dim]
        assert not isinstance(stride, int), "constant distances are immediates"
        distance = self._product(dim, coordinate - before, stride)
        text = "add.s64 $0, $1, $2;"
        made = self.e.builder.ptx_value(text, address.type, address, distance)
        self._last[moved, dim] = coordinate, made
        return made

    def _multiply_add(
        self, factor: ir.Value, other: ir.Value | int, address: ir.Value
    ) -> ir.Value:
        """`address + factor * other`, unsigned and of 32 bits each, as one instruction.

        LLVM sees no sum that it could divide and move out of a loop in parts.
        """
        if isinstance(other, int):
            text, operands = f"mad.wide.u32 $0, $1, {other}, $2;", [factor, address]
        else:
            text, operands = "mad.wide.u32 $0, $1, $2, $3;", [factor, other, address]
        return self.e.builder.ptx_value(text, address.type, *operands)

    def _thread_base(self, moved: Coord) -> ir.Value:
        """As for any access; what changes from iteration to iteration is added last."""
        if moved in self._bases:
            return self._bases[moved]
        added = {d: s for d, s in self.starts.items() if d not in self._fixed_bytes}
        late = {d: s for d, s in added.items() if self._is_late(d)}
        early = {d: s for d, s in added.items() if d not in late}
        address = self._base
        b = self.e.builder
        for d, start in early.items():
            distance = self.scaled(d, start, self._lasts[d])
            address = b.byte_offset(address, distance)
        for d in self.starts:
            thread = self._coordinate(d, moved[d])
            address = b.byte_offset(address, self.scaled(d, thread, self.spans[d]))
        for d, start in late.items():
            stride = self.strides[d]
            if isinstance(stride, int):
                address = self._multiply_add(start, stride * self.size, address)
                continue
            part = min(self.size, _FOLDED_BYTES)
            distance = b.mul(start, part)
            for _ in range(self.size // part):
                address = self._multiply_add(distance, stride, address)
        self._bases[moved] = address
        return address

    def _is_late(self, dim: int) -> bool:
        """Whether a start has 32 bits and differs between iterations of a loop."""
        found = self._late.get(dim)
        if found is None:
            found = self._late[dim] = self._finds_late(dim)
        return found

    def _finds_late(self, dim: int) -> bool:
        if self.starts[dim].type != self.e.builder.i32 or self._is_wide(dim):
            return False
        if not self._has_small_extent(dim):
            return False
        around = enclosing_ops(self._op.results[0])
        loop = next((op for op in around if _cuda_tile.is_loop(op)), None)
        return loop is not None and loop in enclosing_ops(self._indices[dim])

    # Bounds -------------------------------------------------------------------------

    def _start(self, dim: int, index: ir.Value) -> ir.Value:
        """First element of the tile along one dimension, i32 where the tensor allows.

        An index behind the last tile counts as the one right behind it.
        """
        start = super()._start(dim, index)
        b, step = self.e.builder, self._tiling.steps[dim]
        is_power = not step & step - 1
        if start.type == b.i32:
            self._behind[dim] = (self.e.facts.of(index).high or 0) * step
            return start
        if not self._has_small_extent(dim) or not is_power:
            return start
        self._behind[dim] = step
        extent = self.extent(dim)
        tiles = b.add(extent, step - 1)
        tiles = b.binary("lshr", tiles, n_bits(step))
        value = self.e.scalar(index)
        wide = b.unsigned(value, b.i32)
        last = b.unsigned(tiles, wide.type)
        tile = b.op("llvm.intr.umin", wide.type, wide, last)
        if tile.type != b.i32:
            tile = b.op("llvm.trunc", b.i32, tile)
        return b.mul(tile, step)

    def _below(self, dim: int, coordinate: int) -> ir.Value:
        """Whether a coordinate is below the tensor's end.

        Where the tile stays, all units of a thread are compared by its own coordinate,
        with ends that are nearer by their distance: these are uniform, and take no
        register of a thread.
        """
        rest = coordinate & ~self.spans[dim]
        if not rest or not self._has_near_end(dim, rest):
            return super()._below(dim, coordinate)
        key = (dim, coordinate)
        if key not in self._inside:
            b = self.e.builder
            value = self._coordinate(dim, coordinate & self.spans[dim])
            end = b.sub(self._limit(dim), rest)
            self._inside[key] = b.icmp("slt", value, end)
        return self._inside[key]

    def _has_near_end(self, dim: int, rest: int) -> bool:
        """Whether the distance to the end stays, and is a number when so much less."""
        if not self._is_small(dim) or self._is_late(dim):
            return False
        return self._behind.get(dim, HALF) + rest <= HALF
