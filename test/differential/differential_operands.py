# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrices in memory of which the iterations of a loop load tiles, for products.

They hold small whole numbers, so that sums are exact in any order. Some loads have a
plan by hand: how many slots, how far ahead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from differential_elements import cast, with_constant
from differential_program import RandomProgram
from emit_data import DTYPES, Array, Buffer, factor_values, whole_values
from emit_program import Shape, Value, elements

PRODUCTS = (
    *(("f16", "f32"), ("f16", "f32"), ("f16", "f32"), ("bf16", "f32"), ("i8", "i32")),
    *(("f8E4M3FN", "f32"), ("f8E5M2", "f32"), ("tf32", "f32"), ("f64", "f64")),
)
"""Types of operands and sums, those that are common more often."""
STYLES = (
    *(
        "rows",
        "rows",
        "columns",
        "transposed",
        "batch",
        "gather",
        "carried",
        "computed",
    ),
    *("converted", "heads", "scaled"),
)
"""How an operand lies in memory and comes from there."""
VIEWS = ("rows", "columns", "transposed", "batch", "heads")
"""Those of which tensor maps may be made."""
STORED = {
    "f16": ("i8", "f8E4M3FN", "f32"),
    "bf16": ("i8", "f32"),
    "tf32": ("f16", "f32"),
    "f64": ("f32",),
    "f8E4M3FN": ("f16",),
    "f8E5M2": ("f32",),
}
"""Types from which operands of the styles `converted` and `scaled` are converted."""
SCALED = ("f16", "bf16", "f64")
"""Types of operands of the style `scaled`: those with arithmetic. What is loaded is
converted, less a zero point, times a scale, each perhaps left out."""
POWERS = "f8E8M0FNU"
"""The type of factors of blocks."""
BLOCK_SCALED = ("f8E4M3FN", "f8E5M2")
"""Types of operands that may have a factor for each block along K."""
FOUR = "f4E2M1FN"
"""Elements that are loaded as bytes, of which each has two along K."""
FOURS_SCALED = ((POWERS, 32), (POWERS, 16), ("f8E4M3FN", 16))
"""Their factors, which all products of them have, and elements that share one."""
MOST_HAND_BYTES = 24 * 1024
"""Shared memory that a plan by hand asks for one load, at most."""

LOADED_FACTORS = "operand: factors that are loaded"
"""What only programs for tensor memory have."""
CONSTRUCTS = (
    *(f"operand: {style}" for style in dict.fromkeys(STYLES)),
    *(f"operand: {x}" for x in dict.fromkeys(x for pair in PRODUCTS for x in pair)),
    *("operand: one head for several", "operand: scales for several iterations"),
    *(f"operand: {x}" for x in ("scales per line", "scales through pointers")),
    "operand: factors of blocks",
    "plan of a load by hand",
)
"""What the programs have."""


@dataclass
class Operand:
    """A matrix of which each iteration of a loop loads a tile.

    Attributes:
        style: One of `STYLES`.
        shape: The tile's extents as the product takes it.
        depth: Which of them the iterations go along.
        element: Its element type as the product takes it.
        stored: Its element type in memory.
        plan: The plan by hand of its load, or an empty text.
        base: The pointer, or the view.
        view: The text of the view's type.
        step: Elements from one iteration's tile to the next.
        carried: The pointers that the loop carries, if it does.
        head: The index of its head, for the style `heads`.
        halves: The bytes that it is loaded as, for elements of 4 bits.
        factors: What its elements are dequantised with, for the style `scaled`: the
            operation, and where its other operand comes from.
        group: Iterations that share these.
        is_whole: Whether no tile sticks out: what it reads as zeros scales sums to
            numbers that no sum is exact with.
    """

    style: str
    shape: tuple[int, int]
    depth: int
    element: str
    stored: str
    plan: str = ""
    base: str = ""
    view: str = ""
    step: int = 0
    carried: Value | None = None
    head: Value | None = None
    halves: Operand | None = None
    factors: Sequence[tuple[str, Operand]] = ()
    group: int = 1
    is_whole: bool = False


@dataclass(frozen=True)
class HandPlan:
    """A plan by hand of a load: slots, and iterations ahead."""

    slots: int
    ahead: int

    def of(self, element: str, shape: tuple[int, int]) -> str:
        """Its text for tiles of a type and shape; empty if they take too many bytes."""
        if self.slots * elements(shape) * DTYPES[element].itemsize > MOST_HAND_BYTES:
            return ""
        numbers = f"slots = {self.slots} : i64, ahead = {self.ahead} : i64"
        return f' {{tileas.plan = {{engine = "cp_async", {numbers}}}}}'


def hand_plan(p: RandomProgram) -> HandPlan | None:
    """A plan by hand, sometimes."""
    if p.chance(3):
        return None
    slots = p.number(1, 4)
    return HandPlan(slots, p.number(0, slots))


def seldom_planned(p: RandomProgram) -> HandPlan | None:
    """A plan by hand in some programs; else bulk copies may bring all operands."""
    return hand_plan(p) if p.chance(6) else None


def make_operand(
    p: RandomProgram,
    element: str,
    shape: tuple[int, int],
    depth: int,
    iterations: int,
    plan: HandPlan | None = None,
    styles: tuple[str, ...] = STYLES,
) -> Operand:
    """A matrix in memory, and its view or pointers, before the loops.

    Args:
        p: The program.
        element: Its element type as a product takes it.
        shape: The tile's extents.
        depth: Which of them the iterations go along.
        iterations: How many tiles there are.
        plan: The plan by hand of its load, or None.
        styles: Those that it may have.
    """
    if element == FOUR:
        return _make_halves(p, (shape, depth), iterations, plan)
    known = [
        style
        for style in styles
        if (style != "converted" or element in STORED)
        and (style != "scaled" or element in SCALED)
    ]
    found = Operand(p.pick(known), shape, depth, element, element)
    p.note(f"operand: {found.style}")
    p.note(f"operand: {element}")
    if found.style in ("converted", "scaled"):
        found.stored = p.pick(STORED[element])
    if found.style in ("gather", "carried"):
        _make_pointers(p, found, max(1, iterations))
        return found
    if found.style == "scaled":
        _make_factors(p, found, iterations)
    if found.style not in ("computed", "converted", "scaled"):
        found.plan = plan.of(element, shape) if plan else ""
        if found.plan:
            p.note("plan of a load by hand")
    _make_view(p, found, max(1, iterations))
    return found


def _make_halves(
    p: RandomProgram,
    place: tuple[tuple[int, int], int],
    iterations: int,
    plan: HandPlan | None,
) -> Operand:
    """A matrix of elements of 4 bits, of which two along K share a byte."""
    shape, depth = place
    half = (shape[0], shape[1] // 2) if depth else (shape[0] // 2, shape[1])
    along = ("rows", "batch", "heads") if depth else ("columns", "transposed")
    styles = VIEWS if p.chance(4) else along
    bytes_ = make_operand(p, "i8", half, depth, iterations, plan, styles)
    p.note(f"operand: {FOUR}")
    buffer = p.args[-1]
    assert isinstance(buffer, Buffer), "a view's base is the last argument"
    rng = np.random.default_rng(p.number(0, 2**16))
    data = rng.integers(-128, 128, len(buffer.data)).astype(np.int8)
    p.args[-1] = replace(buffer, data=data, is_whole=False)
    return Operand(bytes_.style, shape, depth, FOUR, "i8", halves=bytes_)


def _taken_apart(p: RandomProgram, found: Operand, bytes_: Value) -> Value:
    """Bytes as elements along K."""
    value = bytes_ if found.depth else _flipped(p, bytes_)
    count, rows = elements(value.shape), value.shape[0]
    flat = p.make(
        (count,), "i8", f"reshape {value.name} : {value.type} -> tile<{count}xi8>"
    )
    kind = f"tile<{2 * count}x{FOUR}>"
    apart = p.make((2 * count,), FOUR, f"unpack {flat.name} : {flat.type} -> {kind}")
    shape = rows, 2 * count // rows
    whole = Value("", shape, FOUR)
    text = f"reshape {apart.name} : {apart.type} -> {whole.type}"
    made = p.make(shape, FOUR, text)
    return made if found.depth else _flipped(p, made)


def _flipped(p: RandomProgram, value: Value) -> Value:
    shape = value.shape[::-1]
    result = Value("", shape, value.element)
    text = f"permute {value.name} [1, 0] : {value.type} -> {result.type}"
    return p.make(shape, value.element, text)


def _make_factors(p: RandomProgram, found: Operand, iterations: int) -> None:
    """Scales and zero points: one for each line along K, or for each place along it."""
    ops = p.pick((("subf", "mulf"), ("mulf",), ("subf",), ("mulf", "subf")))
    found.group = p.pick((1, 1, 2))
    if found.group > 1:
        p.note("operand: scales for several iterations")
    for op in ops:
        shape = list(found.shape)
        is_per_line = not p.chance(4)
        shape[found.depth if is_per_line else 1 - found.depth] = 1
        styles = ("rows", "rows", "columns", "gather")
        extents = (shape[0], shape[1])
        made = make_operand(
            p, found.element, extents, found.depth, iterations, None, styles
        )
        if is_per_line:
            p.note("operand: scales per line")
        if made.style == "gather":
            p.note("operand: scales through pointers")
        found.factors = (*found.factors, (op, made))


def _scaled(p: RandomProgram, found: Operand, value: Value, index: Value) -> Value:
    """A tile less zero points, times scales."""
    if found.group > 1:
        group = p.constant((), "i32", found.group)
        text = f"divi {index.name}, {group.name} signed : tile<i32>"
        index = p.make((), "i32", text)
    for op, operand in found.factors:
        factor = load_operand(p, operand, index)
        text = f"broadcast {factor.name} : {factor.type} -> {value.type}"
        wide = p.make(value.shape, value.element, text)
        text = f"{op} {value.name}, {wide.name} : {value.type}"
        value = p.make(value.shape, value.element, text)
    return value


def _pointer(p: RandomProgram, element: str, count: int) -> str:
    rng = np.random.default_rng(p.number(0, 2**16))
    data: Array = whole_values(rng, count, element)
    name = p.fresh("p")
    p.parameters.append(f"{name}: tile<ptr<{element}>>")
    p.args.append(Buffer(data, 0, (count,), (1,), is_whole=True))
    known = p.fresh("a")
    p.line(f"{known} = assume div_by<16>, {name} : tile<ptr<{element}>>")
    return known


def _extent(p: RandomProgram, size: int, unit: int) -> tuple[str, str]:
    """A static or dynamic extent: its operand, and its word in the type.

    Args:
        p: The program.
        size: The extent.
        unit: What divides it, where it does.
    """
    if p.chance():
        return "", str(size)
    value = p.scalar("i32", size)
    natural, known = p.fresh("a"), p.fresh("a")
    unit = math.gcd(unit, size)
    p.line(f"{natural} = assume bounded<0, ?>, {value.name} : tile<i32>")
    p.line(f"{known} = assume div_by<{unit}>, {natural} : tile<i32>")
    return known, "?"


def _make_view(p: RandomProgram, found: Operand, iterations: int) -> None:
    """A view of a matrix whose tiles along `depth` the iterations load."""
    n_bytes = DTYPES[found.stored].itemsize
    unit = max(1, 4 // n_bytes)
    stored = list(found.shape)
    order = (0, 1)
    if found.style in ("columns", "transposed"):
        stored, order = stored[::-1], (1, 0)
    along = order[found.depth]
    extents = list(stored)
    is_batch = found.style == "batch"
    if not is_batch:
        extents[along] *= iterations
    less = unit * p.pick((0, 0, 1, 3))  # the last tiles are not whole
    extents[1] -= less if stored[1] > less and not found.is_whole else 0
    less = p.pick((0, 0, 1, 5))
    extents[0] -= less if stored[0] > less and not found.is_whole else 0
    words = [_extent(p, extents[0], 1), _extent(p, extents[1], unit)]
    whole = p.pick((8, 16)) if n_bytes == 1 else 8
    row = extents[1] + (-extents[1]) % whole + whole * p.number(0, 1)
    strides, tile_shape = [row, 1], stored
    count = row * extents[0]
    if is_batch or found.style == "heads":
        number = iterations if is_batch else _head_of(p, found)
        words = [("", str(iterations)) if is_batch else _extent(p, number, 1), *words]
        strides = [count, row, 1]
        tile_shape = [1, *stored]
        count *= number
    base = _pointer(p, found.stored, count)
    text = "x".join(word for _, word in words)
    tensor = f"tensor_view<{text}x{found.stored}, strides=[{_list(strides)}]>"
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


def _head_of(p: RandomProgram, found: Operand) -> int:
    """Chooses the head of each block, which several may share; gives the heads."""
    group, first = p.number(1, 3), p.number(0, 2)
    if group > 1:
        p.note("operand: one head for several")
    offset, by = p.constant((), "i32", first), p.constant((), "i32", group)
    block = p.block_index()
    text = f"addi {block.name}, {offset.name} : tile<i32>"
    number = p.make((), "i32", text)
    text = f"divi {number.name}, {by.name} signed : tile<i32>"
    found.head = p.make((), "i32", text)
    return (first + p.grid - 1) // group + 1


def _list(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _make_pointers(p: RandomProgram, found: Operand, iterations: int) -> None:
    """A tile of pointers to the first iteration's tile."""
    rows, columns = found.shape
    row = columns * (iterations if found.depth == 1 else 1)
    count = row * rows * (iterations if found.depth == 0 else 1)
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


def first_pointers(p: RandomProgram, operand: Operand, first: Value | None) -> Value:
    """The pointers of a loop's first iteration, which is `first` if it is not zero."""
    start = Value(operand.base, operand.shape, f"ptr<{operand.element}>")
    if first is None:
        return start
    step = p.constant((), "i32", operand.step)
    text = f"muli {first.name}, {step.name} : tile<i32>"
    return _offset(p, start, p.spread(p.make((), "i32", text), operand.shape))


def next_pointers(p: RandomProgram, operand: Operand) -> Value:
    """The pointers that a loop carries, for its next iteration."""
    if operand.carried is None:
        raise AssertionError("the loop carries no pointers")
    step = p.constant(operand.shape, "i32", operand.step)
    return _offset(p, operand.carried, step)


def load_operand(p: RandomProgram, found: Operand, index: Value) -> Value:
    """The tile of an iteration."""
    if found.halves is not None:
        return _taken_apart(p, found, load_operand(p, found.halves, index))
    value = Value(p.fresh("x"), found.shape, found.element)
    if found.style in ("gather", "carried"):
        return _load_pointers(p, found, index, value)
    return _load_view(p, found, index, value)


def _load_view(p: RandomProgram, found: Operand, index: Value, value: Value) -> Value:
    zero = p.constant((), "i32", 0).name
    indices = [zero, zero]
    if found.style == "batch":
        indices = [index.name, zero, zero]
    else:
        transposed = found.style == "transposed"
        indices[1 - found.depth if transposed else found.depth] = index.name
    shape: Shape = found.shape
    if found.head is not None:
        indices.insert(0, found.head.name)
    if found.style in ("batch", "heads"):
        shape = (1, *shape)
    elif found.style == "transposed":
        shape = shape[::-1]
    loaded = Value(value.name, shape, found.stored)
    p.line(
        f"{loaded.name}, {p.fresh('k')} = load_view_tko weak {found.base}"
        f"[{', '.join(indices)}]{found.plan} : {found.view}, tile<i32> -> "
        f"{loaded.type}, token"
    )
    match found.style:
        case "batch" | "heads":
            text = f"reshape {loaded.name} : {loaded.type} -> {value.type}"
            return p.make(found.shape, found.element, text)
        case "transposed":
            text = f"permute {loaded.name} [1, 0] : {loaded.type} -> {value.type}"
            return p.make(found.shape, found.element, text)
        case "computed":
            return _negated(p, loaded)
        case "converted" | "scaled":
            op = "itof signed" if found.stored == "i8" else "ftof"
            return _scaled(p, found, cast(p, op, loaded, found.element), index)
        case _:
            return loaded


def _load_pointers(
    p: RandomProgram, found: Operand, index: Value, value: Value
) -> Value:
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


def _negated(p: RandomProgram, value: Value) -> Value:
    """The same numbers with another sign; floats without arithmetic go through f32."""
    if value.element in ("f8E4M3FN", "f8E5M2", "tf32"):
        return cast(
            p, "ftof", _negated(p, cast(p, "ftof", value, "f32")), value.element
        )
    name = "negi" if value.element == "i8" else "negf"
    text = f"{name} {value.name} : {value.type}"
    return p.make(value.shape, value.element, text)


def perhaps_scaled(p: RandomProgram, lhs: Value, rhs: Value, total: Value) -> Value:
    """A product, sometimes with a factor for each 32 elements along K."""
    k = lhs.shape[1]
    takes = lhs.element in BLOCK_SCALED and total.element == "f32" and k % 32 == 0
    if not takes or not p.chance():
        return product_of(p, lhs, rhs, total)
    return _with_powers(p, (lhs, rhs, total), (POWERS, 32))


def _with_powers(
    p: RandomProgram, parts: tuple[Value, Value, Value], scaling: tuple[str, int]
) -> Value:
    """A product with factors of a type, for so many elements along K each."""
    (m, k), n, (kind, block) = parts[0].shape, parts[1].shape[1], scaling
    shapes = (m, k // block), (k // block, n)
    return scaled_product(p, parts, [_powers(p, shape, kind) for shape in shapes])


def make_scales(
    p: RandomProgram, extents: tuple[int, int, int], element: str, iterations: int
) -> tuple[Operand, Operand]:
    """Factors of blocks in memory, 1, 2 and 4, of which each iteration loads a tile.

    Args:
        p: The program.
        extents: M, N and K of an iteration's product.
        element: The type of its operands.
        iterations: How many there are.
    """
    scaling = p.pick(FOURS_SCALED) if element == FOUR else (POWERS, 32)
    (m, n, k), (kind, block) = extents, scaling
    p.note(f"operand: {kind} for {block}" if element == FOUR else "operand: " + element)
    p.note(LOADED_FACTORS)
    along = "rows", "rows" if p.chance(6) else "columns"
    made: list[Operand] = []
    for style, shape, depth in zip(
        along, ((m, k // block), (k // block, n)), (1, 0), strict=True
    ):
        found = Operand(style, shape, depth, kind, kind, is_whole=True)
        _make_view(p, found, max(1, iterations))
        buffer = p.args[-1]
        assert isinstance(buffer, Buffer), "a view's base is the last argument"
        data = factor_values(np.random.default_rng(0), len(buffer.data), kind)
        p.args[-1] = replace(buffer, data=data, is_whole=False, is_factors=True)
        made.append(found)
    return made[0], made[1]


def scaled_product(
    p: RandomProgram, parts: tuple[Value, Value, Value], factors: Sequence[Value]
) -> Value:
    """A product with factors for blocks along K."""
    total = parts[-1]
    operands = (*parts, *factors)
    names, types = (
        ", ".join(parts)
        for parts in ((v.name for v in operands), (v.type for v in operands))
    )
    p.note("operand: factors of blocks")
    return p.make(total.shape, total.element, f"mmaf_scaled {names} : {types}")


def _powers(p: RandomProgram, shape: tuple[int, int], kind: str) -> Value:
    """Factors of 1 to 4, or powers of two, made where they are needed."""
    flat: Shape = (elements(shape),)
    number = p.make(flat, "i32", f"iota : tile<{flat[0]}xi32>")
    number = with_constant(p, "muli", number, 2 * p.number(0, 7) + 1)
    number = with_constant(p, "andi", with_constant(p, "shri signed", number, 1), 3)
    text = f"reshape {number.name} : {number.type} -> "
    whole = Value("", shape, "i32")
    number = p.make(shape, "i32", f"{text}{whole.type}")
    number = with_constant(p, "addi", number, 1)
    how = "ftof rounding<zero>" if kind == POWERS else "ftof"
    return cast(p, how, cast(p, "itof signed", number, "f32"), kind)


def product_of(p: RandomProgram, lhs: Value, rhs: Value, total: Value) -> Value:
    """A product, added to a sum."""
    if lhs.element == FOUR:
        scaling = p.pick(FOURS_SCALED)
        p.note(f"operand: {scaling[0]} for {scaling[1]}")
        return _with_powers(p, (lhs, rhs, total), scaling)
    types = f"{lhs.type}, {rhs.type}, {total.type}"
    operands = f"{lhs.name}, {rhs.name}, {total.name}"
    text = f"mmaf {operands} : {types}"
    if lhs.element == "i8":
        text = f"mmai {operands} signed signed : {types}"
    return p.make(total.shape, total.element, text)
