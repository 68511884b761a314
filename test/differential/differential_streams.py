# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that are reduced: whole, so long that parts of them are, or a part an iteration.

Elements are small whole numbers, so that sums are exact in any order, but for powers of
how far they are below a maximum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np
from differential_program import RandomProgram
from differential_squash import folded, spread_column
from emit_data import DTYPES, Buffer, is_float
from emit_program import Value, literal, tile

LONG = 8192
"""Elements that one warp does not hold."""
SHORT = (64, 256, 1024)
PARTS = (32, 128, 512)
BINS = (4, 32)
MOST_ITERATIONS = 5
POWER_ULP = 2.0**9
"""How far quotients of powers and their sum may be apart: sums of up to LONG terms in
two orders, of which each is some units off."""
FORMS = ("row", "row", "parts", "running", "counts")
STEPS = ("most", "sum", "squares", "place", "scan")
PLACES = (
    *("known bins", "known bins", "unknown bins", "one place"),
    *("equal neighbours", "equal along a dimension"),
)
"""What is known of where the elements of a tile update an array."""
CONSTRUCTS = (
    *(f"stream: {form}" for form in dict.fromkeys(FORMS)),
    *(f"stream: {step}" for step in (*STEPS, "power")),
    "stream: long row",
    "stream: long row that is scanned",
    "stream: scan in reverse",
    "stream: scan of two operands",
    "stream: row ends inside the tile",
    *(f"stream: {kind}" for kind in dict.fromkeys(PLACES)),
    "stream: masked updates",
)
"""What the programs have."""


@dataclass(frozen=True)
class Rows:
    """An array with a row for each tile block.

    Attributes:
        name: Its view.
        type: The text of the view's type.
        part: Elements of a tile.
        element: Their type.
    """

    name: str
    type: str
    part: int
    element: str

    @property
    def shape(self) -> tuple[int, int]:
        """That of a tile."""
        return (1, self.part)

    def load(self, p: RandomProgram, block: Value, index: Value) -> Value:
        """A tile of the block's row; f16 becomes f32."""
        value = Value(p.fresh(), self.shape, self.element)
        p.line(
            f"{value.name}, {p.fresh('k')} = load_view_tko weak {self.name}"
            f"[{block.name}, {index.name}] : {self.type}, tile<i32> -> {value.type}, "
            "token"
        )
        if self.element != "f16":
            return value
        text = f"ftof {value.name} : {value.type} -> {tile(self.shape, 'f32')}"
        return p.make(self.shape, "f32", text)

    def store(self, p: RandomProgram, value: Value, block: Value, index: Value) -> None:
        """Stores a tile of the block's row."""
        p.line(
            f"{p.fresh('k')} = store_view_tko weak {value.name}, {self.name}"
            f"[{block.name}, {index.name}] : {value.type}, {self.type}, tile<i32> "
            "-> token"
        )


def make_rows(
    p: RandomProgram,
    element: str,
    columns: int,
    part: int,
    *,
    padding: str = "",
    ulp: float = 0.0,
) -> Rows:
    """An array of whole numbers: with a padding it is read, else written."""
    count = p.grid * columns
    name = p.fresh("p")
    p.parameters.append(f"{name}: tile<ptr<{element}>>")
    data = np.zeros(count, DTYPES[element])
    p.args.append(Buffer(data, 0, (count,), (1,), ulp=ulp, is_whole=bool(padding)))
    if p.chance():
        known = p.fresh("a")
        p.line(f"{known} = assume div_by<16>, {name} : tile<ptr<{element}>>")
        name = known
    tensor = f"tensor_view<{p.grid}x{columns}x{element}, strides=[{columns}, 1]>"
    made, base = p.fresh("t"), p.fresh("w")
    p.line(
        f"{made} = make_tensor_view {name}, shape = [{p.grid}, {columns}], "
        f"strides = [{columns}, 1] : {tensor}"
    )
    pad = f", padding_value = {padding}" if padding else ""
    view = f"partition_view<tile=(1x{part}){pad}, {tensor}>"
    p.line(f"{base} = make_partition_view {made} : {view}")
    return Rows(base, view, part, element)


def stream_step(p: RandomProgram) -> None:
    """One kernel of rows."""
    form = p.pick(FORMS)
    p.note(f"stream: {form}")
    FORM_STEPS[form](p)


# Ops ----------------------------------------------------------------------------------


def _binary(p: RandomProgram, stem: str, x: Value, y: Value) -> Value:
    """An op on two tiles, `add` or `sub` or `mul` or `max`, by their element type."""
    text = f"{stem}{'f' if is_float(x.element) else 'i'} {x.name}, {y.name}"
    signed = " signed" if stem == "max" and not is_float(x.element) else ""
    return p.make(x.shape, x.element, f"{text}{signed} : {x.type}")


def _reduced(p: RandomProgram, stem: str, value: Value) -> Value:
    """The sum or the maximum of a row, in all of its places."""
    is_sum, is_real = stem == "add", is_float(value.element)
    start = 0 if is_sum else -inf if is_real else -(2**31)
    op = f"{stem}{'f' if is_real else 'i'}"
    if not is_real and not is_sum:
        return spread_column(p, _most_of_integers(p, value), value.shape[1])
    return spread_column(p, folded(p, op, value, start), value.shape[1])


def _most_of_integers(p: RandomProgram, value: Value) -> Value:
    row = p.make(
        (1,),
        "i32",
        f"reduce {value.name} dim=1 identities=[-2147483648 : i32] : {value.type} -> "
        "tile<1xi32>",
    )
    p.line("(%a: tile<i32>, %b: tile<i32>) {")
    p.line("  %f = maxi %a, %b signed : tile<i32>")
    p.line("  yield %f : tile<i32>")
    p.line("}")
    return p.make((1, 1), "i32", f"reshape {row.name} : {row.type} -> tile<1x1xi32>")


def _place_of_most(p: RandomProgram, value: Value) -> Value:
    """Where the row is highest, of equals the first, in all places."""
    columns = p.coordinate(value.shape, 1)
    made = [Value(p.fresh(), (1,), e) for e in (value.element, "i32")]
    start = literal(-inf if is_float(value.element) else -(2**31), value.element)
    scalar = f"tile<{value.element}>"
    if is_float(value.element):
        compare = "cmpf {0} ordered {1}, {2} : " + f"{scalar} -> tile<i1>"
    else:
        compare = "cmpi {0} {1}, {2}, signed : " + f"{scalar} -> tile<i1>"
    p.line(
        f"{made[0].name}, {made[1].name} = reduce {value.name}, {columns.name} dim=1 "
        f"identities=[{start} : {value.element}, 2147483647 : i32] : {value.type}, "
        f"{columns.type} -> {made[0].type}, {made[1].type}"
    )
    p.line(f"(%x: {scalar}, %y: {scalar}, %i: tile<i32>, %j: tile<i32>) {{")
    p.line(f"  %g = {compare.format('greater_than', '%x', '%y')}")
    p.line(f"  %e = {compare.format('equal', '%x', '%y')}")
    p.line("  %l = cmpi less_than %i, %j, signed : tile<i32> -> tile<i1>")
    p.line("  %m = andi %e, %l : tile<i1>")
    p.line("  %w = ori %g, %m : tile<i1>")
    p.line(f"  %r = select %w, %x, %y : tile<i1>, {scalar}")
    p.line("  %s = select %w, %i, %j : tile<i1>, tile<i32>")
    p.line(f"  yield %r, %s : {scalar}, tile<i32>")
    p.line("}")
    place = made[1]
    text = f"reshape {place.name} : {place.type} -> tile<1x1xi32>"
    return spread_column(p, p.make((1, 1), "i32", text), value.shape[1])


def _chosen(p: RandomProgram, test: Value, x: Value, y: Value) -> Value:
    text = f"select {test.name}, {x.name}, {y.name} : {test.type}, {x.type}"
    return p.make(x.shape, x.element, text)


def _below(p: RandomProgram, x: Value, y: Value) -> Value:
    """Where one tile is less than another."""
    kind = tile(x.shape, "i1")
    if is_float(x.element):
        text = f"cmpf less_than ordered {x.name}, {y.name} : {x.type} -> {kind}"
    else:
        text = f"cmpi less_than {x.name}, {y.name}, signed : {x.type} -> {kind}"
    return p.make(x.shape, "i1", text)


def _stepped(p: RandomProgram, step: str, value: Value) -> Value:
    """What a reduction of a row makes of the row; its elements stay small."""
    p.note(f"stream: {step}")
    other = _binary(p, "sub", p.constant(value.shape, value.element, 1), value)
    if step == "scan":
        return _scanned(p, value)
    if step == "most":
        most = _reduced(p, "max", value)
        return _chosen(p, _below(p, value, most), value, other)
    if step == "place":
        columns = p.coordinate(value.shape, 1)
        return _chosen(p, _below(p, columns, _place_of_most(p, value)), value, other)
    summed = _binary(p, "mul", value, value) if step == "squares" else value
    total = _reduced(p, "add", summed)
    return _chosen(p, _below(p, value, total), value, other)


def _scanned(p: RandomProgram, value: Value) -> Value:
    """What a row comes to up to each place; of floats, whether that is above 3."""
    reverse = p.chance()
    if reverse:
        p.note("stream: scan in reverse")
    if value.shape[1] == LONG:
        p.note("stream: long row that is scanned")
    found = _run_lengths(p, value, reverse=reverse)
    if not is_float(value.element):
        return found
    bound = p.constant(value.shape, value.element, 3)
    one, none = (p.constant(value.shape, value.element, n) for n in (1, 0))
    return _chosen(p, _below(p, bound, found), one, none)


def _run_lengths(p: RandomProgram, value: Value, *, reverse: bool) -> Value:
    """Running sums, or with a second operand, where sums begin anew: at its ones.

    The latter is associative, but in one order only.
    """
    element, scalar = value.element, f"tile<{value.element}>"
    add = "addf" if is_float(element) else "addi"
    zero = f"{literal(0, element)} : {element}"
    words = f"dim=1 reverse={str(reverse).lower()} identities=[{zero}"
    total = Value(p.fresh(), value.shape, element)
    if p.chance():
        p.line(
            f"{total.name} = scan {value.name} {words}] : {value.type} -> {value.type}"
        )
        p.line(f"(%a: {scalar}, %b: {scalar}) {{")
        p.line(f"  %f = {add} %a, %b : {scalar}")
        p.line(f"  yield %f : {scalar}")
        p.line("}")
        return total
    p.note("stream: scan of two operands")
    start = _below(p, value, p.constant(value.shape, element, -4))
    begun = Value(p.fresh(), value.shape, "i1")
    p.line(
        f"{total.name}, {begun.name} = scan {value.name}, {start.name} {words}, "
        f"false] : {value.type}, {start.type} -> {value.type}, {start.type}"
    )
    p.line(f"(%a: {scalar}, %b: {scalar}, %s: tile<i1>, %t: tile<i1>) {{")
    p.line(f"  %f = {add} %a, %b : {scalar}")
    p.line(f"  %g = select %s, %a, %f : tile<i1>, {scalar}")
    p.line("  %u = ori %s, %t : tile<i1>")
    p.line(f"  yield %g, %u : {scalar}, tile<i1>")
    p.line("}")
    return total


def _power(p: RandomProgram, value: Value) -> Value:
    """A softmax."""
    p.note("stream: power")
    less = _binary(p, "sub", value, _reduced(p, "max", value))
    name = p.pick(("exp", "exp2"))
    power = p.make(value.shape, "f32", f"{name} {less.name} : {less.type}")
    total = _reduced(p, "add", power)
    text = f"divf {power.name}, {total.name} : {power.type}"
    return p.make(value.shape, "f32", text)


# Forms --------------------------------------------------------------------------------


def _row(p: RandomProgram) -> None:
    """A row in a tile, some reductions, and what they make of it."""
    size = p.pick((LONG, *SHORT))
    if size == LONG:
        p.note("stream: long row")
    columns = size
    if p.chance():
        p.note("stream: row ends inside the tile")
        columns = p.pick((size - 16, size // 2 + 48, size - 5, 32))
    element = p.pick(("f32", "f32", "f16", "i32"))
    is_power = element != "i32" and p.chance()
    padding = "neg_inf" if is_power and p.chance() else "zero"
    source = make_rows(p, element, columns, size, padding=padding)
    wide = "f32" if element == "f16" else element
    ulp = POWER_ULP if is_power else 0.0
    target = make_rows(p, wide, columns, size, ulp=ulp)
    block, zero = p.block_index(), p.constant((), "i32", 0)
    value = source.load(p, block, zero)
    steps = ["most"] if padding == "neg_inf" else (*STEPS, "scan", "scan")
    for _ in range(p.number(0 if is_power else 1, 2) if padding == "zero" else 0):
        value = _stepped(p, p.pick(steps), value)
    target.store(p, _power(p, value) if is_power else value, block, zero)


def _loop(
    p: RandomProgram,
    count: Value,
    carried: list[Value],
    iteration: Callable[[Value, list[Value]], list[Value]],
) -> list[Value]:
    """A loop over the parts of a row."""
    zero, one = (p.constant((), "i32", n) for n in (0, 1))
    index = Value(p.fresh("i"), (), "i32")
    given = [Value(p.fresh("g"), v.shape, v.element) for v in carried]
    made = [Value(p.fresh("r"), v.shape, v.element) for v in carried]
    head = f"for {index.name} in ({zero.name} to {count.name}, step {one.name})"
    if not carried:
        p.line(f"{head} : tile<i32> {{")
        iteration(index, [])
        p.line("  continue")
        p.line("}")
        return []
    types = ", ".join(v.type for v in carried)
    begun = ", ".join(
        f"{g.name} = {v.name}" for g, v in zip(given, carried, strict=True)
    )
    names = ", ".join(v.name for v in made)
    p.line(f"{names} = {head} : tile<i32> iter_values({begun}) -> ({types}) {{")
    after = iteration(index, given)
    p.line(f"  continue {', '.join(v.name for v in after)} : {types}")
    p.line("}")
    return made


def _parts_of(p: RandomProgram) -> tuple[int, int, Value]:
    """Columns of a row, elements of a part, and how many parts there are."""
    part, iterations = p.pick(PARTS), p.number(1, MOST_ITERATIONS)
    columns = part * iterations
    if p.chance():
        p.note("stream: row ends inside the tile")
        columns -= p.pick((16, part // 2, 5))
    count: Value = p.scalar("i32", iterations)
    return columns, part, count if p.chance() else p.constant((), "i32", iterations)


def _parts(p: RandomProgram) -> None:
    """A loop that reduces the parts of a row, and one that loads them again."""
    columns, part, count = _parts_of(p)
    element = p.pick(("f32", "f16", "i32"))
    source = make_rows(p, element, columns, part, padding="zero")
    wide = "f32" if element == "f16" else element
    target = make_rows(p, wide, columns, part)
    block = p.block_index()
    begun = [p.constant(source.shape, wide, n) for n in (-9, 0)]

    def first(index: Value, given: list[Value]) -> list[Value]:
        value = source.load(p, block, index)
        return [_binary(p, "max", given[0], value), _binary(p, "add", given[1], value)]

    most, total = _loop(p, count, begun, first)
    highest, whole = _reduced(p, "max", most), _reduced(p, "add", total)

    def second(index: Value, given: list[Value]) -> list[Value]:
        less = _binary(p, "sub", source.load(p, block, index), highest)
        target.store(p, _binary(p, "add", less, whole), block, index)
        return given

    _loop(p, count, [], second)


def _running(p: RandomProgram) -> None:
    """Running sums: a scan of each part, on top of the parts before it."""
    columns, part, count = _parts_of(p)
    element = p.pick(("f32", "i32"))
    source = make_rows(p, element, columns, part, padding="zero")
    target = make_rows(p, element, columns, part)
    block = p.block_index()
    op = "addf" if is_float(element) else "addi"

    def iteration(index: Value, given: list[Value]) -> list[Value]:
        value = source.load(p, block, index)
        scalar = f"tile<{element}>"
        text = (
            f"scan {value.name} dim=1 reverse=false identities=[{literal(0, element)}"
        )
        sums = p.make(
            value.shape, element, f"{text} : {element}] : {value.type} -> {value.type}"
        )
        p.line(f"(%a: {scalar}, %b: {scalar}) {{")
        p.line(f"  %f = {op} %a, %b : {scalar}")
        p.line(f"  yield %f : {scalar}")
        p.line("}")
        target.store(p, _binary(p, "add", sums, given[0]), block, index)
        return [_binary(p, "add", given[0], _reduced(p, "add", value))]

    _loop(p, count, [p.constant(source.shape, element, 0)], iteration)


def _counts(p: RandomProgram) -> None:
    """A histogram, of bins that facts know, or not; elements may share places."""
    size, bins, kind = p.pick(SHORT), p.pick(BINS), p.pick(PLACES)
    p.note(f"stream: {kind}")
    source = make_rows(p, "i32", size, size, padding="zero")
    name = p.fresh("p")
    p.parameters.append(f"{name}: tile<ptr<i32>>")
    p.args.append(Buffer(np.zeros(bins, np.int32), 0, (bins,), (1,)))
    value = source.load(p, p.block_index(), p.constant((), "i32", 0))
    if kind == "equal along a dimension":
        shape = p.pick(((bins, size // bins), (size // bins, bins)))
        text = f"reshape {value.name} : {value.type} -> {tile(shape, 'i32')}"
        value = p.make(shape, "i32", text)
    place = _bin(p, kind, value, bins)
    base = p.spread(Value(name, (), "ptr<i32>"), value.shape)
    text = (
        f"offset {base.name}, {place.name} : {base.type}, {place.type} -> {base.type}"
    )
    where = p.make(value.shape, "ptr<i32>", text)
    mode, given = p.pick(("add", "max", "xor", "umin", "or")), [value]
    if p.chance():  # all, some or none
        p.note("stream: masked updates")
        least = p.constant(value.shape, "i32", p.pick((-100, 0, 1, 100)))
        text = f"cmpi less_than {least.name}, {value.name}, signed : {least.type} -> "
        given.append(p.make(value.shape, "i1", text + tile(value.shape, "i1")))
    names = ", ".join(v.name for v in given)
    types = ", ".join(v.type for v in given)
    p.line(
        f"{p.fresh('x')}, {p.fresh('k')} = atomic_rmw_tko relaxed device {where.name}, "
        f"{mode}, {names} : {where.type}, {types} -> {value.type}, token"
    )


def _bin(p: RandomProgram, kind: str, value: Value, bins: int) -> Value:
    """Which of so many places each element updates."""
    shape = value.shape
    if kind == "one place":
        return p.constant(shape, "i32", p.number(0, bins - 1))
    if kind == "equal along a dimension":
        return p.coordinate(shape, shape.index(bins))
    if kind == "equal neighbours":
        count = p.constant(shape, "i32", -(-shape[1] // bins))
        place = p.coordinate(shape, 1)
        return p.make(
            shape,
            "i32",
            f"divi {place.name}, {count.name} unsigned : {place.type}",
        )
    limit = p.constant(shape, "i32", bins - 1)
    if kind == "unknown bins":  # whole numbers of 8 and less, as unknown as facts are
        limit = p.spread(p.scalar("i32", bins - 1), shape)
    return p.make(shape, "i32", f"andi {value.name}, {limit.name} : {value.type}")


FORM_STEPS: dict[str, Callable[[RandomProgram], None]] = {
    "row": _row,
    "parts": _parts,
    "running": _running,
    "counts": _counts,
}
