# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products in loops whose operands copies may bring: views, pointers, branches, nests.

Operands hold small whole numbers, so that sums are exact in any order. Some loads have
a plan by hand: how many slots, how far ahead.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from differential_program import RandomProgram
from emit_data import DTYPES, Array, Buffer, whole_values
from emit_program import Shape, Value, tile

TYPES = (("f16", "f32"), ("f16", "f32"), ("bf16", "f32"), ("i8", "i32"))
SIDES = (16, 32, 64)
MOST_TURNS = 6
STYLES = ("rows", "rows", "columns", "turned", "batch", "gather", "carried", "computed")
"""How an operand lies in memory and comes from there."""

CONSTRUCTS = (
    *(f"operand: {style}" for style in dict.fromkeys(STYLES)),
    *(f"products: {form}" for form in ("one", "two", "shared", "chain")),
    *(f"nest of {turns}" for turns in ("0 turns", "1 turns", "turns")),
    "plan of a load by hand",
    "store between products",
    "branch around loads",
    "loop of loops",
    "turns backwards",
    "turns that end early",
)
"""What the programs have."""


@dataclass
class Operand:
    """A matrix of which each turn of a loop loads a tile.

    Attributes:
        style: One of `STYLES`.
        shape: The tile's extents as the product takes it.
        depth: Which of them the turns go along.
        element: Its element type.
        plan: The plan by hand of its load, or an empty text.
        base: The pointer, or the view.
        view: The text of the view's type.
        step: Elements from one turn's tile to the next.
    """

    style: str
    shape: tuple[int, int]
    depth: int
    element: str
    plan: str = ""
    base: str = ""
    view: str = ""
    step: int = 0
    carried: Value | None = None


@dataclass
class Nest:
    """One loop that is being written.

    Attributes:
        sums: Types and names of what it carries, tokens apart.
        operands: Those that the loop carries pointers for.
    """

    m: int
    n: int
    k: int
    element: str
    total: str
    turns: int
    sums: list[Value] = field(default_factory=list[Value])
    operands: list[Operand] = field(default_factory=list[Operand])


def _plan(p: RandomProgram) -> str:
    """A plan by hand, sometimes."""
    if p.chance(3):
        return ""
    slots = p.number(1, 4)
    ahead = p.number(0, slots)
    numbers = f"slots = {slots} : i64, ahead = {ahead} : i64"
    return f' {{tileas.plan = {{engine = "cp_async", {numbers}}}}}'


def _memory(p: RandomProgram, element: str, count: int) -> Buffer:
    rng = np.random.default_rng(p.number(0, 2**16))
    data: Array = whole_values(rng, count, element)
    return Buffer(data, 0, (count,), (1,), is_whole=True)


def _pointer(p: RandomProgram, element: str, count: int) -> str:
    name = p.fresh("p")
    p.parameters.append(f"{name}: tile<ptr<{element}>>")
    p.args.append(_memory(p, element, count))
    known = p.fresh("a")
    p.line(f"{known} = assume div_by<16>, {name} : tile<ptr<{element}>>")
    return known


def _extent(p: RandomProgram, size: int, unit: int) -> tuple[str, str]:
    """A static or dynamic extent: its operand, and its word in the type."""
    if p.chance():
        return "", str(size)
    value = p.scalar("i32", size)
    known = p.fresh("a")
    p.line(f"{known} = assume div_by<{unit}>, {value.name} : tile<i32>")
    return known, "?"


def _operand(
    p: RandomProgram, nest: Nest, shape: tuple[int, int], depth: int, plan: str
) -> Operand:
    """A matrix in memory, and its view or pointers, before the loops."""
    found = Operand(p.pick(STYLES), shape, depth, nest.element)
    p.note(f"operand: {found.style}")
    if found.style in ("gather", "carried"):
        _make_pointers(p, nest, found)
        return found
    if found.style != "computed":
        found.plan = plan
        if plan:
            p.note("plan of a load by hand")
    _make_view(p, nest, found)
    return found


def _make_view(p: RandomProgram, nest: Nest, found: Operand) -> None:
    """A view of a matrix whose tiles along `depth` the turns load."""
    unit = 4 if found.element == "i8" else 2
    stored = list(found.shape)
    order = (0, 1)
    if found.style in ("columns", "turned"):
        stored, order = stored[::-1], (1, 0)
    along = order[found.depth]
    extents = list(stored)
    is_batch = found.style == "batch"
    turns = max(1, nest.turns)
    if not is_batch:
        extents[along] *= turns
    less = unit * p.pick((0, 0, 1, 3))  # the last tiles are not whole
    extents[1] -= less if extents[1] > less else 0
    extents[0] -= p.pick((0, 0, 1, 5))
    words = [_extent(p, extents[0], 1), _extent(p, extents[1], unit)]
    row = extents[1] + (-extents[1]) % 8 + 8 * p.number(0, 1)
    strides, tile_shape = [row, 1], stored
    if is_batch:
        words = [("", str(turns)), *words]
        strides = [row * extents[0], row, 1]
        tile_shape = [1, *stored]
    count = strides[0] * (turns if is_batch else extents[0])
    base = _pointer(p, found.element, count)
    text = "x".join(word for _, word in words)
    tensor = f"tensor_view<{text}x{found.element}, strides=[{_list(strides)}]>"
    shape_text = [name or word for name, word in words]
    dynamic = "tile<i32> -> " if any(name for name, _ in words) else ""
    made = p.fresh("t")
    p.line(
        f"{made} = make_tensor_view {base}, shape = [{', '.join(shape_text)}], "
        f"strides = [{_list(strides)}] : {dynamic}{tensor}"
    )
    if found.style == "columns":
        tile_shape = list(found.shape)
    mapped = ", dim_map=[1, 0]" if found.style == "columns" else ""
    sizes = "x".join(map(str, tile_shape))
    found.view = (
        f"partition_view<tile=({sizes}), padding_value = zero, {tensor}{mapped}>"
    )
    found.base = p.fresh("w")
    p.line(f"{found.base} = make_partition_view {made} : {found.view}")


def _list(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _make_pointers(p: RandomProgram, nest: Nest, found: Operand) -> None:
    """A tile of pointers to the first turn's tile."""
    rows, columns = found.shape
    turns = max(1, nest.turns)
    row = columns * (turns if found.depth == 1 else 1)
    count = row * rows * (turns if found.depth == 0 else 1)
    found.step = columns if found.depth == 1 else row * rows
    base = _pointer(p, found.element, count)
    line = p.coordinate(found.shape, 0)
    stride = p.constant(found.shape, "i32", row)
    far = p.make(found.shape, "i32", f"muli {line.name}, {stride.name} : {line.type}")
    near = p.coordinate(found.shape, 1)
    places = p.make(found.shape, "i32", f"addi {far.name}, {near.name} : {far.type}")
    start = p.spread(Value(base, (), f"ptr<{found.element}>"), found.shape)
    found.base = _offset(p, start, places).name


def _offset(p: RandomProgram, pointers: Value, places: Value) -> Value:
    text = f"offset {pointers.name}, {places.name} : {pointers.type}, {places.type}"
    return p.make(pointers.shape, pointers.element, f"{text} -> {pointers.type}")


def _load(p: RandomProgram, found: Operand, index: Value) -> Value:
    """The tile of a turn."""
    value = Value(p.fresh("x"), found.shape, found.element)
    if found.style in ("gather", "carried"):
        pointers = found.carried
        if pointers is None:
            start = Value(found.base, found.shape, f"ptr<{found.element}>")
            step = p.constant((), "i32", found.step)
            text = f"muli {index.name}, {step.name} : tile<i32>"
            far = p.spread(p.make((), "i32", text), found.shape)
            pointers = _offset(p, start, far)
        token = p.fresh("k")
        p.line(
            f"{value.name}, {token} = load_ptr_tko weak {pointers.name} : "
            f"{pointers.type} -> {value.type}, token"
        )
        return value
    zero = p.constant((), "i32", 0).name
    indices = [zero, zero]
    if found.style == "batch":
        indices = [index.name, zero, zero]
    else:
        turned = found.style == "turned"
        indices[1 - found.depth if turned else found.depth] = index.name
    shape: Shape = found.shape
    if found.style == "batch":
        shape = (1, *shape)
    elif found.style == "turned":
        shape = shape[::-1]
    loaded = Value(value.name, shape, found.element)
    p.line(
        f"{loaded.name}, {p.fresh('k')} = load_view_tko weak {found.base}"
        f"[{', '.join(indices)}]{found.plan} : {found.view}, tile<i32> -> "
        f"{loaded.type}, token"
    )
    if found.style == "batch":
        text = f"reshape {loaded.name} : {loaded.type} -> {value.type}"
        return p.make(found.shape, found.element, text)
    if found.style == "turned":
        text = f"permute {loaded.name} [1, 0] : {loaded.type} -> {value.type}"
        return p.make(found.shape, found.element, text)
    if found.style == "computed":
        name = "negi" if found.element == "i8" else "negf"
        return p.make(
            found.shape, found.element, f"{name} {loaded.name} : {value.type}"
        )
    return loaded


def _product(p: RandomProgram, nest: Nest, lhs: Value, rhs: Value, acc: Value) -> Value:
    types = f"{lhs.type}, {rhs.type}, {acc.type}"
    operands = f"{lhs.name}, {rhs.name}, {acc.name}"
    text = f"mmaf {operands} : {types}"
    if nest.element == "i8":
        text = f"mmai {operands} signed signed : {types}"
    return p.make(acc.shape, acc.element, text)


def _signs(p: RandomProgram, nest: Nest, value: Value) -> Value:
    """Ones where a sum is above zero, as operands of another product."""
    zero = p.constant(value.shape, value.element, 0)
    kind = "cmpi" if nest.element == "i8" else "cmpf"
    how = ", signed" if nest.element == "i8" else ""
    order = "" if nest.element == "i8" else " ordered"
    flags = tile(value.shape, "i1")
    test = p.make(
        value.shape,
        "i1",
        f"{kind} greater_than{order} {value.name}, {zero.name}{how} : {value.type} -> "
        f"{flags}",
    )
    yes = p.constant(value.shape, nest.element, DTYPES[nest.element].type(1))
    no = p.constant(value.shape, nest.element, DTYPES[nest.element].type(0))
    text = f"select {test.name}, {yes.name}, {no.name} : {test.type}, {yes.type}"
    return p.make(value.shape, nest.element, text)


@dataclass
class Turn:
    """What a turn of the loop does.

    Attributes:
        nest: The loop.
        form: `one`, or how there is a second product: `two` of their own operands,
            `shared` with the same left one, `chain` of what the first one gives.
        operands: Left and right of the first product, then those of the second.
        has_branch: Whether only some turns do it.
        results: Where the first sum is stored, or None.
        may_leave: Whether some turns end early.
    """

    nest: Nest
    form: str
    operands: list[Operand]
    has_branch: bool
    results: Operand | None
    may_leave: bool = False

    def write(self, p: RandomProgram, index: Value, sums: list[Value]) -> list[Value]:
        """Writes a turn, from its index and the sums so far to the next ones."""
        if self.may_leave:
            _leave(p, index, sums)
        step = _branch if self.has_branch else Turn.products
        made = step(self, p, index, sums)
        if self.results is not None:
            _store(p, self.results, index, made[0])
        return made

    def products(
        self, p: RandomProgram, index: Value, sums: list[Value]
    ) -> list[Value]:
        """One product or two."""
        nest, operands = self.nest, self.operands
        if self.form == "two" and p.chance():  # all loads first
            x, y, z, w = (_load(p, operand, index) for operand in operands)
            one = _product(p, nest, x, y, sums[0])
            return [one, _product(p, nest, z, w, sums[1])]
        x, y = _load(p, operands[0], index), _load(p, operands[1], index)
        one = _product(p, nest, x, y, sums[0])
        if self.form == "one":
            return [one]
        if self.may_leave:
            _leave(p, index, [one, sums[1]])
        more = [_load(p, operand, index) for operand in operands[2:]]
        if self.form == "shared":
            more.insert(0, x)
        elif self.form == "chain":
            more.insert(0, _signs(p, nest, one))
        return [one, _product(p, nest, more[0], more[1], sums[1])]


def _turn(p: RandomProgram, nest: Nest, *, is_alone: bool) -> Turn:
    """One or two products of a turn, and what stands between them.

    Args:
        p: The program.
        nest: The loop.
        is_alone: Whether each turn comes once, so that it may store something.
    """
    left, right = ((nest.m, nest.k), 1), ((nest.k, nest.n), 0)
    form = p.pick(("one", "one", "two", "shared", "chain"))
    p.note(f"products: {form}")
    second = {
        "one": [],
        "two": [left, right],
        "shared": [right],
        "chain": [((nest.n, nest.n), 0)],
    }[form]
    plan = _plan(p)
    other = plan if p.chance() else _plan(p)
    operands = [_operand(p, nest, *shape, plan) for shape in (left, right)]
    operands += [_operand(p, nest, *shape, other) for shape in second]
    nest.operands = [o for o in operands if o.style == "carried"]
    results = _results(p, nest) if is_alone and p.chance(3) else None
    nest.sums = [Value("", (nest.m, nest.n), nest.total)] * (2 if second else 1)
    may_leave = not nest.operands and p.chance(4)
    return Turn(nest, form, operands, p.chance(3), results, may_leave)


def _leave(p: RandomProgram, index: Value, sums: list[Value]) -> None:
    """Some turns end here."""
    p.note("turns that end early")
    divisor = p.constant((), "i32", 3)
    rest = p.make((), "i32", f"remi {index.name}, {divisor.name} signed : tile<i32>")
    place = p.constant((), "i32", p.number(0, 2))
    text = f"cmpi equal {rest.name}, {place.name}, signed : tile<i32> -> tile<i1>"
    p.line(f"if {p.make((), 'i1', text).name} {{")
    p.line(f"  continue {', '.join(v.name for v in sums)} : {_types(sums)}")
    p.line("}")


def _results(p: RandomProgram, nest: Nest) -> Operand:
    """An array that takes the sum of each turn."""
    count = max(1, nest.turns) * nest.m * nest.n
    name = p.fresh("p")
    p.parameters.append(f"{name}: tile<ptr<{nest.total}>>")
    p.args.append(Buffer(np.zeros(count, DTYPES[nest.total]), 0, (count,), (1,)))
    rows = count // nest.n
    tensor = f"tensor_view<{rows}x{nest.n}x{nest.total}, strides=[{nest.n}, 1]>"
    made, found = p.fresh("t"), Operand("rows", (nest.m, nest.n), 0, nest.total)
    p.line(
        f"{made} = make_tensor_view {name}, shape = [{rows}, {nest.n}], "
        f"strides = [{nest.n}, 1] : {tensor}"
    )
    found.view = f"partition_view<tile=({nest.m}x{nest.n}), {tensor}>"
    found.base = p.fresh("w")
    p.line(f"{found.base} = make_partition_view {made} : {found.view}")
    return found


def _store(p: RandomProgram, results: Operand, index: Value, value: Value) -> None:
    """Stores a turn's sum; only the first block does, and only once."""
    p.note("store between products")
    block = p.block_index()
    zero = p.constant((), "i32", 0)
    first = p.make(
        (),
        "i1",
        f"cmpi equal {block.name}, {zero.name}, signed : tile<i32> -> tile<i1>",
    )
    p.line(f"if {first.name} {{")
    p.line(
        f"  {p.fresh('k')} = store_view_tko weak {value.name}, {results.base}"
        f"[{index.name}, {zero.name}] : {value.type}, {results.view}, tile<i32> "
        "-> token"
    )
    p.line("}")


def _branch(
    turn: Turn, p: RandomProgram, index: Value, sums: list[Value]
) -> list[Value]:
    """Products of some turns only."""
    p.note("branch around loads")
    divisor = p.constant((), "i32", p.number(2, 3))
    rest = p.make((), "i32", f"remi {index.name}, {divisor.name} signed : tile<i32>")
    zero = p.constant((), "i32", 0)
    test = p.make(
        (), "i1", f"cmpi equal {rest.name}, {zero.name}, signed : tile<i32> -> tile<i1>"
    )
    types = ", ".join(value.type for value in sums)
    names = [Value(p.fresh("i"), value.shape, value.element) for value in sums]
    p.line(f"{', '.join(v.name for v in names)} = if {test.name} -> ({types}) {{")
    made = turn.products(p, index, sums)
    p.line(f"  yield {', '.join(v.name for v in made)} : {types}")
    p.line("} else {")
    p.line(f"  yield {', '.join(v.name for v in sums)} : {types}")
    p.line("}")
    return names


def nest_step(p: RandomProgram) -> None:
    """A loop of products, or a loop of such loops."""
    element, total = p.pick(TYPES)
    m, n = p.pick(SIDES), p.pick(SIDES)
    k = p.pick((32, 64) if element == "i8" else SIDES)
    nest = Nest(m, n, k, element, total, p.number(0, MOST_TURNS))
    p.note(f"nest of {nest.turns} turns" if nest.turns < 2 else "nest of turns")
    is_outer = p.chance(3)
    body = _turn(p, nest, is_alone=not is_outer)
    sums = [p.constant(v.shape, v.element, DTYPES[total].type(0)) for v in nest.sums]
    for value in (
        _outer(p, nest, body, sums) if is_outer else _loop(p, nest, body, sums)
    ):
        p.add(value)


def _outer(p: RandomProgram, nest: Nest, body: Turn, sums: list[Value]) -> list[Value]:
    """The same loop twice, the second time from the second turn on, perhaps."""
    p.note("loop of loops")
    zero, two, one = (p.constant((), "i32", number) for number in (0, 2, 1))
    index = Value(p.fresh("o"), (), "i32")
    inner, results = _head(p, sums)
    p.line(
        f"{results} = for {index.name} in ({zero.name} to {two.name}, step {one.name}) "
        f": tile<i32> iter_values({_pairs(inner, sums)}) -> ({_types(sums)}) {{"
    )
    made = _loop(p, nest, body, inner, index if p.chance() else None)
    p.line(f"  continue {', '.join(v.name for v in made)} : {_types(sums)}")
    p.line("}")
    return _split(results, sums)


def _head(p: RandomProgram, values: list[Value]) -> tuple[list[Value], str]:
    """Names for what a loop carries, and for its results."""
    inner = [Value(p.fresh("c"), v.shape, v.element) for v in values]
    results = ", ".join(p.fresh("r") for _ in values)
    return inner, results


def _pairs(inner: list[Value], values: list[Value]) -> str:
    return ", ".join(
        f"{new.name} = {old.name}" for new, old in zip(inner, values, strict=True)
    )


def _types(values: list[Value]) -> str:
    return ", ".join(value.type for value in values)


def _split(results: str, values: list[Value]) -> list[Value]:
    names = results.split(", ")
    return [Value(n, v.shape, v.element) for n, v in zip(names, values, strict=True)]


def _loop(
    p: RandomProgram,
    nest: Nest,
    body: Turn,
    sums: list[Value],
    first: Value | None = None,
) -> list[Value]:
    """The loop over K; pointers that it carries begin at its first turn."""
    step = p.number(1, 2) if not nest.operands and p.chance(3) else 1
    lower = first or p.constant((), "i32", 0)
    upper = p.scalar("i32", nest.turns)
    by = p.constant((), "i32", step)
    pointers = [_first_pointers(p, o, first) for o in nest.operands]
    index = Value(p.fresh("i"), (), "i32")
    values = [*sums, *pointers]
    inner, results = _head(p, values)
    p.line(
        f"{results} = for {index.name} in ({lower.name} to {upper.name}, step "
        f"{by.name}) : tile<i32> iter_values({_pairs(inner, values)}) -> "
        f"({_types(values)}) {{"
    )
    carried = inner[len(sums) :]
    for operand, value in zip(nest.operands, carried, strict=True):
        operand.carried = value
    place = index
    if not nest.operands and step == 1 and first is None and p.chance(4):
        last = p.constant((), "i32", max(1, nest.turns) - 1)
        text = f"subi {last.name}, {index.name} : tile<i32>"
        place = p.make((), "i32", text)
        p.note("turns backwards")
    made = body.write(p, place, inner[: len(sums)])
    following = [_next_pointers(p, o) for o in nest.operands]
    names = ", ".join(v.name for v in (*made, *following))
    p.line(f"  continue {names} : {_types(values)}")
    p.line("}")
    return _split(results, values)[: len(sums)]


def _first_pointers(p: RandomProgram, operand: Operand, first: Value | None) -> Value:
    start = Value(operand.base, operand.shape, f"ptr<{operand.element}>")
    if first is None:
        return start
    step = p.constant((), "i32", operand.step)
    text = f"muli {first.name}, {step.name} : tile<i32>"
    return _offset(p, start, p.spread(p.make((), "i32", text), operand.shape))


def _next_pointers(p: RandomProgram, operand: Operand) -> Value:
    if operand.carried is None:
        raise AssertionError("the loop carries no pointers")
    step = p.constant(operand.shape, "i32", operand.step)
    return _offset(p, operand.carried, step)
