"""The instructions of one tile access: addresses, predicates, vectors.

An element's address is `base + sum over d of (start_d + t_d + c_d) * stride_d`:
`start` is uniform, `t` the thread's part of the coordinate and `c` the
register's. The sums over `start` and `t` are made once; a register adds a
constant where the stride is one, or one product per distinct `c_d`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PartitionViewType
from cuda_tile.analysis.access import describe_access, promised_inside
from cuda_tile.analysis.padding import padding_bits
from cuda_tile.emit.copies import set_obtained
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.fragment import Fragment, View
from cuda_tile.emit.threads import coordinate_span
from cuda_tile.emit.vectors import Run, load_run, store_run
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.tiles import element_bits, element_of, layout_of
from cuda_tile.layout.linear import Coord, LinearLayout

Address = Callable[[int, Coord], ir.Value]
"""Address of the element in a register at a given part of the coordinate."""
Predicate = Callable[[int, Coord], ir.Value | None]
"""Whether that element may be touched; None is always."""


@dataclass(frozen=True)
class TileAccess:
    """One load or store of a distributed tile, ready to be emitted.

    Attributes:
        e: The emitter.
        layout: The tile's layout.
        run: One vector: its element and count.
        vectors: Registers of each vector, in memory order.
        address: See `Address`.
        predicate: See `Predicate`.
        fill: Bits of an element that is not loaded.
        pack: Elements per value of the loaded fragment.
        order: PTX modifiers of a strong access; empty for a weak one.
    """

    e: Emitter
    layout: LinearLayout
    run: Run
    vectors: tuple[tuple[int, ...], ...]
    address: Address
    predicate: Predicate
    fill: int
    pack: int
    order: str

    @classmethod
    def of_view(
        cls,
        e: Emitter,
        op: ir.Operation,
        view: ir.Value,
        indices: Sequence[ir.Value],
        tile: ir.Value,
    ) -> TileAccess:
        """An access through a partition view."""
        layout, run, vectors = _vectors(e, op, tile)
        places = ViewPlaces(e, op, view, indices, layout, run)
        fill = padding_bits(
            PartitionViewType(view.type).padding_value, element_of(tile)
        )
        pack = e.pack_of(tile)
        order = ptx_order(op)
        return cls(
            e, layout, run, vectors, places.address, places.inside, fill, pack, order
        )

    @classmethod
    def of_pointers(
        cls,
        e: Emitter,
        op: ir.Operation,
        pointers: ir.Value,
        mask: Sequence[ir.Value],
        tile: ir.Value,
        fill: int,
    ) -> TileAccess:
        """An access through a tile of pointers with an optional mask."""
        layout, run, vectors = _vectors(e, op, tile)
        addresses = e.packer.scalars(e.fragment(pointers))
        flags = e.packer.scalars(e.fragment(mask[0])) if mask else None

        def address(register: int, place: Coord) -> ir.Value:
            del place
            return addresses[register]

        def predicate(register: int, place: Coord) -> ir.Value | None:
            del place
            return None if flags is None else flags[register]

        pack = e.pack_of(tile)
        order = ptx_order(op)
        return cls(e, layout, run, vectors, address, predicate, fill, pack, order)

    def load_into(self, result: ir.Value) -> None:
        """Emits the loads and sets `result`.

        What others may be writing is loaded once, so that all copies are the same.
        """
        if not self.order:
            self.e.set(result, self._load())
            return
        obtained: list[ir.Value | None] = [None] * self.layout.n_registers
        for registers, address, allowed in self.owned():
            words = load_run(
                self.e.builder, self.run, address, allowed, self.fill, self.order
            )
            self.put_words(obtained, registers, words)
        set_obtained(self.e, result, obtained)

    def put_words(
        self,
        scalars: list[ir.Value | None],
        registers: Sequence[int],
        words: Sequence[ir.Value],
    ) -> None:
        """Puts the elements of one vector's words in their registers."""
        width = self.run.word_elements
        for i, word in enumerate(words):
            part = registers[i * width : (i + 1) * width]
            values = self.e.builder.elements(word, width)
            for register, value in zip(part, values, strict=True):
                scalars[register] = value

    def owned(self) -> Iterator[tuple[tuple[int, ...], ir.Value, ir.Value | None]]:
        """Registers, address and predicate of each vector, every element once.

        Of the threads with copies of an element one has a true predicate.
        """
        owner = self.e.threads.is_owner(self.layout)
        offsets = self.layout.register_offsets()
        copies = self.layout.free_bits().register
        for registers in self.vectors:
            if registers[0] & copies:
                continue
            place = offsets[registers[0]]
            allowed = self.e.builder.both(owner, self.predicate(registers[0], place))
            yield registers, self.address(registers[0], place), allowed

    def _load(self) -> Fragment:
        """A weak load: every thread loads its own elements, in pairs where it can."""
        b = self.e.builder
        scalars: list[ir.Value | None] = [None] * self.layout.n_registers
        pairs: list[ir.Value | None] = [None] * (len(scalars) // 2)
        offsets = self.layout.register_offsets()
        width = self.run.word_elements
        for registers in self.vectors:
            place = offsets[registers[0]]
            words = load_run(
                b,
                self.run,
                self.address(registers[0], place),
                self.predicate(registers[0], place),
                self.fill,
            )
            for i, word in enumerate(words):
                part = registers[i * width : (i + 1) * width]
                if self.pack == 2 and width == 2 and _is_pair(part):
                    pairs[part[0] // 2] = word
                    continue
                for register, value in zip(part, b.elements(word, width), strict=True):
                    scalars[register] = value
        layout = self.layout
        if all(pair is not None for pair in pairs) and pairs and self.pack == 2:
            return Fragment(layout, tuple(p for p in pairs if p is not None), 2)
        for i, pair in enumerate(pairs):
            if pair is not None:
                scalars[2 * i : 2 * i + 2] = b.elements(pair, 2)
        return Fragment(layout, tuple(s for s in scalars if s is not None))

    def store(self, fragment: Fragment) -> None:
        """Emits the stores; of the threads with copies of an element one writes."""
        for registers, address, allowed in self.owned():
            words = self.words_of(fragment, registers)
            store_run(
                self.e.builder, self.run, words, address, allowed, order=self.order
            )

    def words_of(self, fragment: Fragment, registers: Sequence[int]) -> list[ir.Value]:
        """The words of one vector."""
        return pick_words(self.e, fragment, registers, self.run.word_elements)


_SCOPES = {"tl_blk": "cta", "device": "gpu", "sys": "sys"}


def ptx_order(op: ir.Operation) -> str:
    """The modifiers `.sem.scope` of a strong access; empty for a weak one."""
    order = memory_order(op)
    if not order.is_strong:
        return ""
    return f".{order.semantics}.{_SCOPES[order.scope]}"


def _is_pair(registers: Sequence[int]) -> bool:
    return registers[0] % 2 == 0 and registers[1] == registers[0] + 1


def pick_words(
    e: Emitter, fragment: Fragment, registers: Sequence[int], width: int
) -> list[ir.Value]:
    """Some registers of a fragment as words of `width` elements."""
    words: list[ir.Value] = []
    for i in range(0, len(registers), width):
        part = registers[i : i + width]
        if width == 2 and fragment.pack == 2 and _is_pair(part):
            words.append(fragment.values[part[0] // 2])
        elif width == 1 and fragment.pack == 1:
            words.append(fragment.values[part[0]])
        else:
            scalars = e.packer.scalars(fragment)
            words.append(e.packer.pack_values([scalars[r] for r in part]))
    return words


def _vectors(
    e: Emitter, op: ir.Operation, tile: ir.Value
) -> tuple[LinearLayout, Run, tuple[tuple[int, ...], ...]]:
    """Groups the registers of a tile into the widest vectors the access allows."""
    layout, element = layout_of(tile), element_of(tile)
    access = describe_access(op, e.facts)
    count = access.vector_in(layout)
    bits: list[int] = []
    for step in range(count.bit_length() - 1):
        basis = tuple(
            1 << step if d == access.fastest else 0 for d in range(len(access.shape))
        )
        bits.append(1 << layout.register.index(basis))
    members = [0]
    for bit in bits:
        members += [register | bit for register in members]
    mask = sum(bits)
    run = Run(e.element_type(element), element_bits(element), count)
    firsts = [r for r in range(layout.n_registers) if not r & mask]
    return layout, run, tuple(tuple(r | m for m in members) for r in firsts)


class ViewPlaces:
    """Addresses and bounds of a tile of a partition view, each part made once."""

    def __init__(
        self,
        e: Emitter,
        op: ir.Operation,
        view: ir.Value,
        indices: Sequence[ir.Value],
        layout: LinearLayout,
        run: Run,
    ) -> None:
        ty = PartitionViewType(view.type)
        self.e, self.layout, self.size = e, layout, run.bits // 8
        parts: View = e.view(view)
        self.tile_shape = list(ty.tile_shape)
        self.strides = [parts.strides[target] for target in ty.dim_map]
        self.extents = [parts.shape[target] for target in ty.dim_map]
        self.starts = [
            self._start(e.scalar(index), extent)
            for index, extent in zip(indices, self.tile_shape, strict=True)
        ]
        self.spans = [coordinate_span(layout, d) for d in range(layout.rank)]
        self.checked = self._checked_dims(op, view)
        self._products: dict[tuple[int, int], ir.Value] = {}
        self._inside: dict[tuple[int, int], ir.Value] = {}
        self._limits: dict[int, ir.Value] = {}
        self._bases: dict[Coord, ir.Value] = {}
        self._base = parts.base

    def _start(self, index: ir.Value, extent: int) -> ir.Value:
        """First element of the tile along one dimension, in the index's width."""
        b = self.e.builder
        wide = index if index.type == b.i64 else b.resize(index, b.i32)
        return b.mul(wide, b.constant(wide.type, extent))

    def _checked_dims(self, op: ir.Operation, view: ir.Value) -> list[bool]:
        """Dimensions along which a tile may stick out of the tensor."""
        promised = promised_inside(op)
        return [
            self.e.extent_divisor(view, d) % extent != 0 and not promised[d]
            for d, extent in enumerate(self.tile_shape)
        ]

    # Addresses ----------------------------------------------------------------------

    def address(self, register: int, place: Coord) -> ir.Value:
        """Address of the element whose register part is `place`."""
        del register
        b = self.e.builder
        moved = tuple(c & s for c, s in zip(place, self.spans, strict=True))
        base = self._thread_base(moved)
        rest = [c & ~s for c, s in zip(place, self.spans, strict=True)]
        fixed = 0
        for d, (coordinate, stride) in enumerate(zip(rest, self.strides, strict=True)):
            if isinstance(stride, int):
                fixed += coordinate * stride * self.size
            elif coordinate:
                base = b.byte_offset(base, self._product(d, coordinate, stride))
        return b.byte_offset(base, b.constant(b.i64, fixed)) if fixed else base

    def _product(self, dim: int, coordinate: int, stride: ir.Value) -> ir.Value:
        """`coordinate * stride` in bytes."""
        key = (dim, coordinate)
        if key not in self._products:
            b = self.e.builder
            wide = b.resize(stride, b.i64)
            factor = b.constant(b.i64, coordinate * self.size)
            self._products[key] = b.mul(wide, factor)
        return self._products[key]

    def _thread_base(self, moved: Coord) -> ir.Value:
        """Address of the thread's first element; `moved` is XORed into its part."""
        if moved not in self._bases:
            b = self.e.builder
            address = self._base
            for d, stride in enumerate(self.strides):
                start = b.resize(self.starts[d], b.i64)
                address = b.byte_offset(address, self._scaled(start, stride))
                thread = b.resize(self._coordinate(d, moved[d]), b.i64)
                address = b.byte_offset(address, self._scaled(thread, stride))
            self._bases[moved] = address
        return self._bases[moved]

    def _coordinate(self, dim: int, moved: int) -> ir.Value:
        b = self.e.builder
        thread = self.e.threads.coordinate(self.layout, dim)
        if moved == 0:
            return thread
        return b.op("llvm.xor", b.i32, thread, b.constant(b.i32, moved))

    def _scaled(self, value: ir.Value, stride: int | ir.Value) -> ir.Value:
        """Elements along a dimension as bytes."""
        b = self.e.builder
        if isinstance(stride, int):
            return b.mul(value, b.constant(b.i64, stride * self.size))
        elements = b.mul(value, b.resize(stride, b.i64))
        return b.mul(elements, b.constant(b.i64, self.size))

    # Bounds -------------------------------------------------------------------------

    def inside(self, register: int, place: Coord) -> ir.Value | None:
        """Whether the element lies inside the tensor; None where it must."""
        del register
        result: ir.Value | None = None
        for d, coordinate in enumerate(place):
            if self.checked[d]:
                result = self.e.builder.both(result, self._below(d, coordinate))
        return result

    def _below(self, dim: int, coordinate: int) -> ir.Value:
        key = (dim, coordinate)
        if key not in self._inside:
            b = self.e.builder
            value = self._coordinate(dim, coordinate & self.spans[dim])
            rest = coordinate & ~self.spans[dim]
            if rest:
                value = b.add(value, b.constant(b.i32, rest))
            self._inside[key] = b.icmp("slt", value, self._limit(dim))
        return self._inside[key]

    def _limit(self, dim: int) -> ir.Value:
        """Elements of the tile that lie inside the tensor along `dim` (i32)."""
        if dim not in self._limits:
            b = self.e.builder
            extent, start = self.extents[dim], self.starts[dim]
            if isinstance(extent, int):
                extent = b.constant(b.i64, extent)
            wide = b.i64 if b.i64 in (extent.type, start.type) else b.i32
            left = b.sub(b.resize(extent, wide), b.resize(start, wide))
            if wide == b.i64:  # more than a tile is as good as a tile
                whole = b.constant(b.i64, self.tile_shape[dim])
                left = b.op("llvm.intr.smin", b.i64, left, whole)
            self._limits[dim] = b.resize(left, b.i32)
        return self._limits[dim]
