# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instructions of one tile access: vectors, and which thread makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import describe_access
from cuda_tile.analysis.padding import padding_bits
from cuda_tile.analysis.tiling import tiling_of, view_operand
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.copies import set_obtained
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.places import ViewPlaces
from cuda_tile.emit.vectors import Run, load_run, store_run
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.tiles import element_bits, element_of, layout_of
from cuda_tile.layout.linear import Coord, LinearLayout
from cuda_tile.records import dataclass

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
        tile: ir.Value,
    ) -> TileAccess:
        """An access through a view of tiles.

        Args:
            e: The emitter.
            op: The access.
            tile: The tile that is loaded or stored.
        """
        layout, run, vectors = _vectors(e, op, tile)
        places = ViewPlaces(e, op, layout, run)
        fill = padding_bits(tiling_of(view_operand(op)).padding, element_of(tile))
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

        Memory that others may be writing is loaded once, so that all copies are the
        same.
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
        """Puts the elements of one vector's words in their registers.

        Args:
            scalars: The elements by register, which are set.
            registers: The registers of the vector.
            words: Its words.
        """
        width = self.run.word_elements
        for i, word in enumerate(words):
            part = registers[i * width : (i + 1) * width]
            values = self.e.builder.elements(word, width)
            for register, value in zip(part, values, strict=True):
                scalars[register] = value

    def owned(self) -> Iterator[tuple[tuple[int, ...], ir.Value, ir.Value | None]]:
        """Registers, address and predicate of each vector, every element once.

        Exactly one of the threads with copies of an element has a true predicate.
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
        loaded = Loaded(self.e.builder, self.layout, self.pack)
        offsets = self.layout.register_offsets()
        for registers in self.vectors:
            place = offsets[registers[0]]
            words = load_run(
                self.e.builder,
                self.run,
                self.address(registers[0], place),
                self.predicate(registers[0], place),
                self.fill,
            )
            loaded.put(registers, words, self.run.word_elements)
        return loaded.fragment()

    def store(self, fragment: Fragment) -> None:
        """Emits the stores; of the threads with copies of an element one writes."""
        for registers, address, allowed in self.owned():
            words = self.words_of(fragment, registers)
            store_run(
                self.e.builder, self.run, words, address, allowed, order=self.order
            )

    def words_of(self, fragment: Fragment, registers: Sequence[int]) -> list[ir.Value]:
        """The words of one vector.

        Args:
            fragment: The fragment.
            registers: The registers of the vector.
        """
        return pick_words(self.e, fragment, registers, self.run.word_elements)


class Loaded:
    """The registers of a tile as loads bring them, in pairs where all come so.

    Args:
        b: Where to build.
        layout: The tile's layout.
        pack: 2 if its elements may stay in pairs.
    """

    def __init__(self, b: Builder, layout: LinearLayout, pack: int) -> None:
        self._builder, self._layout, self._pack = b, layout, pack
        self._scalars: list[ir.Value | None] = [None] * layout.n_registers
        self._pairs: list[ir.Value | None] = [None] * (layout.n_registers // 2)

    def put(
        self, registers: Sequence[int], words: Sequence[ir.Value], width: int
    ) -> None:
        """Notes the words of a vector, of `width` elements each.

        Args:
            registers: The registers of the vector.
            words: Its words.
            width: Elements of a word.
        """
        for i, word in enumerate(words):
            part = registers[i * width : (i + 1) * width]
            if self._pack == 2 and width == 2 and _is_pair(part):
                self._pairs[part[0] // 2] = word
                continue
            values = self._builder.elements(word, width)
            for register, value in zip(part, values, strict=True):
                self._scalars[register] = value

    def fragment(self) -> Fragment:
        """All of them."""
        pairs, scalars = self._pairs, self._scalars
        if pairs and all(pair is not None for pair in pairs):
            return Fragment(self._layout, tuple(p for p in pairs if p is not None), 2)
        for i, pair in enumerate(pairs):
            if pair is not None:
                scalars[2 * i : 2 * i + 2] = self._builder.elements(pair, 2)
        return Fragment(self._layout, tuple(s for s in scalars if s is not None))


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
    """Some registers of a fragment as words of `width` elements.

    Args:
        e: The emitter.
        fragment: The fragment.
        registers: The numbers of the registers.
        width: Elements of a word.
    """
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
    bits = access.run_bits(layout)
    members = [0]
    for bit in bits:
        members += [register | bit for register in members]
    mask = sum(bits)
    run = Run(e.element_type(element), element_bits(element), len(members))
    firsts = [r for r in range(layout.n_registers) if not r & mask]
    return layout, run, tuple(tuple(r | m for m in members) for r in firsts)
