# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads and stores of memory that a program comes back to, in an order of tokens.

An `Area` is an array of which each tile block has a part of its own; the program
sees it through views, transposed views, shifted views and pointers, so that tiles of it
overlap. A `Chain` is what one or more areas share: every access of them that is to
come after another one takes a token that says so. The token is the only order there
is: which accesses conflict is known here element by element, and an access gets the
tokens it needs, sometimes joined, and sometimes more than it needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from differential_program import RandomProgram
from emit_data import DTYPES, Buffer, is_float
from emit_program import Value
from emit_program import elements as shape_elements
from emit_shape import factorised
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Handle:
    """A view or a tile of pointers, to be used again.

    Attributes:
        operand: Its name.
        type: The text of its type.
        shape: Extents of the tiles that go through it.
        touched: Elements of the block's part that an access touches, for each of the
            tile's row numbers within the part; pointers have one.
        columns: How many tiles stand side by side.
        is_transposed: Whether rows of the tile are columns of the area.
        mask: Operands behind the pointers, with their types.
    """

    operand: str
    type: str
    shape: tuple[int, ...]
    touched: tuple[tuple[Mask, ...], ...]
    is_transposed: bool = False
    is_pointers: bool = False
    mask: Value | None = None


@dataclass(eq=False)
class Area:
    """An array of which each block has `rows * columns` elements.

    Attributes:
        bases: Pointers to its first element: two if the array is passed twice.
        handles: Views and tiles of pointers made so far that are still in scope.
    """

    element: str
    rows: int
    columns: int
    bases: list[Value]
    handles: list[Handle] = field(default_factory=list[Handle])

    @property
    def size(self) -> int:
        """Elements of one block's part."""
        return self.rows * self.columns


@dataclass(frozen=True, eq=False)
class Access:
    """A load or a store; without an area it stands for all that came before."""

    number: int
    area: Area | None
    touched: Mask | None
    is_store: bool

    def conflicts(self, area: Area, touched: Mask, *, is_store: bool) -> bool:
        """Whether a later access has to wait for this one."""
        if self.area is None or self.touched is None:
            return True
        if self.area is not area or not (is_store or self.is_store):
            return False
        return bool((self.touched & touched).any())


@dataclass(frozen=True)
class Token:
    """A token and the numbers of the accesses that it comes after."""

    name: str
    after: frozenset[int]


@dataclass(eq=False)
class Chain:
    """Areas whose accesses are ordered by one set of tokens.

    Attributes:
        is_serial: Whether each access waits for all before it, needed or not.
        is_locked: Whether no access may be made where we are.
    """

    areas: list[Area]
    is_serial: bool
    accesses: list[Access] = field(default_factory=list[Access])
    tokens: list[Token] = field(default_factory=list[Token])
    is_locked: bool = False
    count: int = 0

    def number(self) -> int:
        """A number for a new access."""
        self.count += 1
        return self.count

    def state(self) -> tuple[list[Access], list[Token], list[list[Handle]]]:
        """What a region must put back at its end."""
        handles = [list(area.handles) for area in self.areas]
        return list(self.accesses), list(self.tokens), handles

    def restore(
        self, state: tuple[list[Access], list[Token], list[list[Handle]]]
    ) -> None:
        """Puts back what `state` gave."""
        self.accesses, self.tokens = list(state[0]), list(state[1])
        for area, handles in zip(self.areas, state[2], strict=True):
            area.handles = list(handles)

    def begin_body(self, token: str) -> None:
        """Starts a loop's body, where `token` comes after all before and last time."""
        number = self.number()
        self.accesses = [Access(number, None, None, is_store=True)]
        self.tokens = [Token(token, frozenset((number,)))]

    def end_region(self, token: str, made: Iterable[Access]) -> None:
        """Goes on behind a region op whose result `token` is after all it did."""
        self.accesses += [access for access in made if access.area is not None]
        after = frozenset(access.number for access in self.accesses)
        self.tokens.append(Token(token, after))

    def full_token(self, p: RandomProgram) -> str:
        """A token after all accesses so far."""
        token = self.cover(p, {access.number for access in self.accesses})
        if token is None:
            token = Token(p.token(), frozenset())
            self.tokens.append(token)
        return token.name

    def cover(self, p: RandomProgram, wanted: set[int]) -> Token | None:
        """A token after all `wanted` accesses, joined of several where needed."""
        order = self.tokens[::-1] if p.chance() else p.shuffled(self.tokens)
        chosen: list[Token] = []
        rest = set(wanted)
        for token in order:
            if rest & token.after or (p.chance(12) and len(chosen) < 3):
                chosen.append(token)
                rest -= token.after
        if rest:
            raise AssertionError(f"accesses {rest} have no token")
        if not wanted and p.chance():
            return None
        if len(chosen) <= 1:
            return chosen[0] if chosen else None
        return self._join(p, chosen)

    def _join(self, p: RandomProgram, chosen: list[Token]) -> Token:
        p.note("join_tokens")
        if len(chosen) > 2 and p.chance():
            p.note("join_tokens of join_tokens")
            chosen = [self._join(p, chosen[:2]), *chosen[2:]]
        name = p.fresh("k")
        p.line(f"{name} = join_tokens {', '.join(t.name for t in chosen)} : token")
        joined = Token(name, frozenset().union(*(t.after for t in chosen)))
        self.tokens.append(joined)
        return joined


# Areas --------------------------------------------------------------------------------

AREA_ELEMENTS = ("i8", "i16", "i32", "i32", "i64", "f16", "bf16", "f32", "f32", "f64")


def area(p: RandomProgram) -> None:
    """An array to come back to; its chain is a new one or one there is."""
    rows, columns = p.shape
    rows *= p.pick((1, 1, 2))
    element = p.pick(AREA_ELEMENTS)
    size = rows * columns * p.grid
    buffer = Buffer(np.zeros(size, DTYPES[element]), 0, (size,), (1,))
    bases = [p.pointer(element, buffer)]
    if p.chance(3):
        p.note("the same array passed twice")
        bases.append(p.pointer(element, buffer))
    made = Area(element, rows, columns, bases)
    if p.chains and p.chance():
        p.note("areas that share a chain")
        p.chains[-1].areas.append(made)
    else:
        p.chains.append(Chain([made], is_serial=bool(p.number(0, 2))))


def _grid_mask(rows: int, columns: int) -> Mask:
    return np.zeros((rows, columns), np.bool_)


def _view(p: RandomProgram, area: Area) -> Handle:
    """A partition view of the whole array: plain, transposed, shifted or cut short."""
    rows, columns = area.rows, area.columns
    tile_rows = rows // p.pick([n for n in (1, 1, 2, 4) if rows // n])
    tile_columns = columns // p.pick([n for n in (1, 1, 2) if columns // n])
    shift = p.number(1, tile_rows) if rows // tile_rows > 1 and p.chance() else 0
    cut = p.number(1, tile_columns - 1) if tile_columns > 1 and p.chance(4) else 0
    transposed = p.chance()
    base = p.pick(area.bases)
    if shift:
        p.note("view shifted over another")
        step = p.constant((), "i32", shift * columns)
        text = f"offset {base.name}, {step.name} : {base.type}, {step.type}"
        base = p.make((), base.element, f"{text} -> {base.type}")
    shape = [rows * p.grid - shift, columns - cut]
    whole = f"tensor_view<{shape[0]}x{shape[1]}x{area.element}, strides=[{columns},1]>"
    tensor, name = p.fresh("t"), p.fresh("w")
    p.line(
        f"{tensor} = make_tensor_view {base.name}, shape = {shape}, "
        f"strides = [{columns}, 1] : {whole}"
    )
    tile = (tile_columns, tile_rows) if transposed else (tile_rows, tile_columns)
    ty = f"partition_view<tile=({tile[0]}x{tile[1]})"
    if cut:
        p.note("view with a ragged end")
        padding = "nan" if is_float(area.element) and p.chance() else "zero"
        ty += f", padding_value = {padding}"
    ty += f", {whole}{', dim_map=[1, 0]' if transposed else ''}>"
    p.line(f"{name} = make_partition_view {tensor} : {ty}")
    touched = tuple(
        tuple(
            _tile_mask(
                area, i * tile_rows + shift, j * tile_columns, tile, transposed, cut
            )
            for j in range(columns // tile_columns)
        )
        for i in range(rows // tile_rows)
        if (i + 1) * tile_rows + shift <= rows
    )
    return Handle(name, ty, tile, touched, is_transposed=transposed)


def _tile_mask(
    area: Area, row: int, column: int, tile: Sequence[int], transposed: bool, cut: int
) -> Mask:
    mask = _grid_mask(area.rows, area.columns)
    rows, columns = (tile[1], tile[0]) if transposed else (tile[0], tile[1])
    stop = min(column + columns, area.columns - cut)
    mask[row : row + rows, column:stop] = True
    return mask.reshape(-1)


def _pointers(p: RandomProgram, area: Area) -> Handle:
    """Pointers to some of the block's elements, dimensions in any order."""
    most = area.size.bit_length() - 1
    match p.pick(("line", "line", "matrix", "any")):
        case "line":
            shape = (2 ** (most - p.pick((0, 0, 0, 1))),)
        case "matrix":
            shape = p.shape
        case _:
            shape = factorised(p, 2 ** max(0, most - p.number(0, 2)))
    count = shape_elements(shape)
    start = p.number(0, area.size - count)
    places = _numbers(p, shape)
    block, size = p.block_index(), p.constant((), "i32", area.size)
    first = p.make((), "i32", f"muli {block.name}, {size.name} : tile<i32>")
    more = p.constant((), "i32", start)
    first = p.make((), "i32", f"addi {first.name}, {more.name} : tile<i32>")
    base = p.pick(area.bases)
    text = f"offset {base.name}, {first.name} : {base.type}, tile<i32>"
    base = p.make((), base.element, f"{text} -> {base.type}")
    spread = p.spread(base, shape)
    text = f"offset {spread.name}, {places.name} : {spread.type}, {places.type}"
    pointers = p.make(shape, base.element, f"{text} -> {spread.type}")
    limit, mask = count, None
    if p.chance(4):
        p.note("pointers under a mask")
        limit = p.number(0, count)
        mask = _below(p, places, limit)
    touched = np.zeros(area.size, np.bool_)
    touched[start : start + limit] = True
    return Handle(
        pointers.name,
        pointers.type,
        shape,
        ((touched,),),
        is_pointers=True,
        mask=mask,
    )


def _numbers(p: RandomProgram, shape: tuple[int, ...]) -> Value:
    """Each number below the tile's size once, in the order of any of its dimensions."""
    total: Value | None = None
    step = 1
    for d in p.shuffled(range(len(shape))):
        part = p.coordinate(shape, d)
        factor = p.constant(shape, "i32", step)
        part = p.make(shape, "i32", f"muli {part.name}, {factor.name} : {part.type}")
        if total is not None:
            text = f"addi {total.name}, {part.name} : {part.type}"
            part = p.make(shape, "i32", text)
        total = part
        step *= shape[d]
    return p.constant(shape, "i32", 0) if total is None else total


def _below(p: RandomProgram, places: Value, limit: int) -> Value:
    top = p.constant(places.shape, "i32", limit)
    if p.chance():
        top = p.spread(p.scalar("i32", limit), places.shape)
    result = Value("", places.shape, "i1").type
    text = f"cmpi less_than {places.name}, {top.name}, signed : {places.type}"
    return p.make(places.shape, "i1", f"{text} -> {result}")


# Accesses -----------------------------------------------------------------------------


def load(p: RandomProgram) -> None:
    """Loads a tile of an area."""
    found = _choose(p)
    if found is not None:
        chain, area, handle = found
        operand, touched = _at(p, area, handle)
        token = _token(p, chain, area, touched, is_store=False)
        value, after = Value(p.fresh(), handle.shape, area.element), p.fresh("k")
        order = f" token = {token.name}" if token else ""
        if handle.is_pointers:
            names, types = [operand], [handle.type]
            if handle.mask is not None:
                fill = p.constant(handle.shape, area.element, 1)
                names += [handle.mask.name, fill.name]
                types += [handle.mask.type, fill.type]
            operand, types = ", ".join(names), ", ".join(types)
            kind = "load_ptr_tko"
        else:
            kind, types = "load_view_tko", f"{handle.type}, tile<i32>"
        p.line(
            f"{value.name}, {after} = {kind} weak {operand}{order} : {types} -> "
            f"{value.type}, token"
        )
        _done(p, chain, area, touched, after, token, is_store=False)
        p.add(value)


def store(p: RandomProgram) -> None:
    """Stores a tile into an area."""
    found = _choose(p)
    if found is None:
        return
    chain, area, handle = found
    value = _stored(p, handle.shape, area.element)
    operand, touched = _at(p, area, handle)
    token = _token(p, chain, area, touched, is_store=True)
    after = p.fresh("k")
    order = f" token = {token.name}" if token else ""
    if handle.is_pointers:
        names, types = [operand, value.name], [handle.type, value.type]
        if handle.mask is not None:
            names.append(handle.mask.name)
            types.append(handle.mask.type)
        text = f"store_ptr_tko weak {', '.join(names)}{order} : {', '.join(types)}"
    else:
        text = f"store_view_tko weak {value.name}, {operand}{order} : "
        text += f"{value.type}, {handle.type}, tile<i32>"
    p.line(f"{after} = {text} -> token")
    _done(p, chain, area, touched, after, token, is_store=True)


def _choose(p: RandomProgram) -> tuple[Chain, Area, Handle] | None:
    """An area that may be touched here, and a way to touch it."""
    chains = p.open_chains()
    if not chains:
        return None
    chain = p.pick(chains)
    area = p.pick(chain.areas)
    if area.handles and p.number(0, 2):
        return chain, area, p.pick(area.handles)
    handle = p.pick((_view, _pointers))(p, area)
    area.handles.append(handle)
    return chain, area, handle


def _stored(p: RandomProgram, shape: tuple[int, ...], element: str) -> Value:
    """A tile to store: one there is, transposed or converted, or a new one."""
    from emit_elementwise import converted, operand

    known = p.known(shape, element)
    if known and p.chance():
        return p.pick(p.unused(known) or known)
    transposed = [v for v in p.pool if len(shape) == 2 and v.shape == shape[::-1]]
    if not transposed or p.chance(3):
        return operand(p, shape, element)
    p.note("permute, then a store along the other axis")
    value = p.pick(transposed)
    text = f"permute {value.name} [1, 0] : {value.type} -> "
    text += Value("", shape, value.element).type
    value = p.make(shape, value.element, text, is_payload=value.is_payload)
    return value if value.element == element else converted(p, value, element)


def _at(p: RandomProgram, area: Area, handle: Handle) -> tuple[str, Mask]:
    """The operand of an access, and what of the block's part it may touch."""
    if handle.is_pointers:
        p.note("access through pointers")
        return handle.operand, handle.touched[0][0]
    rows, columns = handle.touched, handle.touched[0]
    p.note(
        "access through a transposed view"
        if handle.is_transposed
        else "access by a view"
    )
    row, i = _tile_number(p, len(rows))
    column, j = _tile_number(p, len(columns))
    block = p.block_index()
    per_block = area.rows // handle.shape[1 if handle.is_transposed else 0]
    count = p.constant((), "i32", per_block)
    first = p.make((), "i32", f"muli {block.name}, {count.name} : tile<i32>")
    row = p.make((), "i32", f"addi {first.name}, {row.name} : tile<i32>")
    indices = (
        [column.name, row.name] if handle.is_transposed else [row.name, column.name]
    )
    chosen = [rows[n][m] for n in i for m in j]
    touched = np.logical_or.reduce(chosen)
    return f"{handle.operand}[{', '.join(indices)}]", touched


def _tile_number(p: RandomProgram, count: int) -> tuple[Value, range]:
    """A number below `count`, and the numbers it may be."""
    scalars = [v for v in p.pool if v.shape == () and v.element == "i32"]
    if count == 1 or p.chance():
        fixed = p.number(0, count - 1)
        made = p.chance()
        number = p.constant((), "i32", fixed) if made else p.scalar("i32", fixed)
        return number, range(fixed, fixed + 1)
    number = p.constant((), "i32", count)
    value = p.pick(scalars) if scalars else p.block_index()
    p.note("tile number that the program computes")
    text = f"remi {value.name}, {number.name} unsigned : tile<i32>"
    return p.make((), "i32", text), range(count)


def _token(
    p: RandomProgram, chain: Chain, area: Area, touched: Mask, *, is_store: bool
) -> Token | None:
    wanted = {
        access.number
        for access in chain.accesses
        if chain.is_serial or access.conflicts(area, touched, is_store=is_store)
    }
    return chain.cover(p, wanted)


def _done(
    p: RandomProgram,
    chain: Chain,
    area: Area,
    touched: Mask,
    after: str,
    token: Token | None,
    *,
    is_store: bool,
) -> None:
    _note_order(p, chain, area, touched, is_store=is_store)
    number = chain.number()
    before: frozenset[int] = token.after if token else frozenset()
    chain.accesses.append(Access(number, area, touched, is_store))
    chain.tokens.append(Token(after, before | {number}))


def _note_order(
    p: RandomProgram, chain: Chain, area: Area, touched: Mask, *, is_store: bool
) -> None:
    """Names the order that this access has with those before it."""
    word = "store" if is_store else "load"
    words = [
        "store" if other.is_store else "load"
        for other in chain.accesses
        if other.area is area and other.touched is not None
        if (other.touched & touched).any()
    ]
    for length in (1, 2):
        if len(words) >= length:
            p.note(" -> ".join([*words[-length:], word]))
