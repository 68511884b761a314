# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of random modules: arithmetic, shapes, conversions, products, hints."""

from __future__ import annotations

from math import prod

from random_module import (
    BASE_FLOATS,
    BITS,
    FLOATS,
    INTEGERS,
    NUMBERS,
    STEPS,
    Shape,
    Step,
    Tile,
    Writer,
    step,
    tile,
)

from cuda_tile import ods
from cuda_tile.ods import OpInfo

IEEE = ("nearest_even", "zero", "negative_inf", "positive_inf")
ROUNDINGS = {
    "divf": (*IEEE, "approx", "full"),
    "sqrt": (*IEEE, "approx"),
    "exp": ("approx", "full"),
    "tanh": ("approx", "full"),
    "divi": ("zero", "negative_inf", "positive_inf"),
}
"""The rounding modes of ops that have others than the IEEE ones."""

IRREGULAR = frozenset(("cmpf", "cmpi", "fpowi"))
"""Ops of the families below whose operands and result have different types."""


def wrap(w: Writer, kinds: tuple[str, ...]) -> str:
    """A promise not to wrap around, or nothing."""
    return w.maybe(f" overflow<{w.pick(kinds)}>", 0.3)


def modifiers(w: Writer, op: OpInfo, element: str) -> str:
    """The op's attributes as its syntax has them; some only for f32."""
    text = ""
    names = op.attributes
    if "signedness" in names:
        text += f" {w.pick(('signed', 'unsigned'))}"
    if "overflow" in names:
        all_kinds = ("none", "no_signed_wrap", "no_unsigned_wrap", "no_wrap")
        text += wrap(w, all_kinds[:2] if op.name == "negi" else all_kinds)
    if "rounding_mode" in names or "rounding" in names:
        modes = ROUNDINGS.get(op.name, IEEE)
        is_f32 = element in ("f32", *INTEGERS)
        legal = [m for m in modes if is_f32 or m not in ("approx",)]
        if not is_f32 and op.name == "divf":
            legal.remove("full")
        if text.endswith("unsigned"):
            legal.remove("negative_inf")
        text += w.maybe(f" rounding<{w.pick(legal)}>")
    for flag in ("flush_to_zero", "propagate_nan"):
        if flag in names and (flag != "flush_to_zero" or element == "f32"):
            text += w.maybe(f" {flag}")
    return text


def elementwise(op: OpInfo) -> Step:
    """The step of an op whose operands and result have one type."""

    def add(w: Writer) -> None:
        kinds = BASE_FLOATS if op.family in ("float", "math") else INTEGERS
        first = w.some(kinds)
        others = [w.like(first.shape, first.element) for _ in op.operands[1:]]
        names = ", ".join(value.name for value in (first, *others))
        text = f"{names}{modifiers(w, op, first.element)}{w.attributes()} : "
        w.make(op.name, first.shape, first.element, text + first.type)

    return add


for _family in ("float", "math", "integer", "bitwise"):
    for _op in ods.family(_family):
        if _op.name not in IRREGULAR:
            STEPS[_op.name] = elementwise(_op)


@step("cmpf", "cmpi")
def compare(w: Writer) -> None:
    is_float = w.chance()
    x = w.some(BASE_FLOATS if is_float else INTEGERS)
    y = w.like(x.shape, x.element)
    kinds = ("equal", "not_equal", "less_than", "less_than_or_equal", "greater_than")
    how = w.pick((*kinds, "greater_than_or_equal"))
    pair = f"{x.name}, {y.name}"
    if is_float:
        text = f"{how} {w.pick(('ordered', 'unordered'))} {pair}"
    else:
        text = f"{how} {pair}, {w.pick(('signed', 'unsigned'))}"
    text += f" : {x.type} -> {tile(x.shape, 'i1')}"
    w.make("cmpf" if is_float else "cmpi", x.shape, "i1", text)


@step("fpowi")
def fpowi(w: Writer) -> None:
    x = w.some(BASE_FLOATS)
    n = w.like(x.shape, w.pick(INTEGERS[:4]))
    text = f"{x.name}, {n.name} : {x.type}, {n.type}"
    w.make("fpowi", x.shape, x.element, text)


@step("constant")
def constant(w: Writer) -> None:
    w.constant(w.shape(), w.pick(NUMBERS))


@step("iota")
def iota(w: Writer) -> None:
    count, element = w.pick((1, 2, 8, 32)), w.pick(INTEGERS[1:])
    w.make("iota", (count,), element, f": {tile((count,), element)}")


# Shapes -------------------------------------------------------------------------------

ANY = (*NUMBERS, "ptr<f32>", "ptr<i32>")


@step("broadcast", "reshape", "permute", "cat", "extract", "insert")
def move(w: Writer) -> None:
    x = w.some(ANY)
    moves = (_reshape, _broadcast, _permute, _cat, _extract, _insert)
    w.pick(moves if x.shape else moves[:1])(w, x)


def _to(x: Tile, shape: Shape) -> str:
    return f"{x.type} -> {tile(shape, x.element)}"


def _reshape(w: Writer, x: Tile) -> Tile:
    flat = (prod(x.shape),)
    split = (1, *x.shape, 1) if w.chance() else (prod(x.shape[:1]), prod(x.shape[1:]))
    shape = w.pick((flat, split))
    return w.make("reshape", shape, x.element, f"{x.name} : {_to(x, shape)}")


def _broadcast(w: Writer, x: Tile) -> None:
    x = _reshape(w, x) if 1 not in x.shape else x
    grown = tuple(w.pick((1, 2, 4)) if n == 1 else n for n in x.shape)
    w.make("broadcast", grown, x.element, f"{x.name} : {_to(x, grown)}")


def _permute(w: Writer, x: Tile) -> None:
    if len(x.shape) < 2:
        _reshape(w, x)
        return
    order = list(range(len(x.shape)))
    w.random.shuffle(order)
    shape = tuple(x.shape[dim] for dim in order)
    w.make("permute", shape, x.element, f"{x.name} {order} : {_to(x, shape)}")


def _cat(w: Writer, x: Tile) -> None:
    dim = w.random.randrange(len(x.shape))
    shape = tuple(2 * n if i == dim else n for i, n in enumerate(x.shape))
    y = w.like(x.shape, x.element)
    text = f"{x.name}, {y.name} dim = {dim} : {x.type}, {_to(y, shape)}"
    w.make("cat", shape, x.element, text)


def _part(w: Writer, x: Tile) -> tuple[Shape, str]:
    shape = tuple(w.pick([d for d in (1, 2, n) if n % d == 0]) for n in x.shape)
    if x.element == "f4E2M1FN" and prod(shape) == 1:
        shape = x.shape
    indices = ", ".join(w.like((), "i32").name for _ in shape)
    return shape, indices


def _extract(w: Writer, x: Tile) -> None:
    shape, indices = _part(w, x)
    w.make("extract", shape, x.element, f"{x.name}[{indices}] : {_to(x, shape)}")


def _insert(w: Writer, x: Tile) -> None:
    shape, indices = _part(w, x)
    part = w.like(shape, x.element)
    text = f"{part.name}, {x.name}[{indices}] : {part.type}, {_to(x, x.shape)}"
    w.make("insert", x.shape, x.element, text)


@step("select")
def select(w: Writer) -> None:
    x = w.some(tuple(kind for kind in ANY if kind != "f4E2M1FN"))
    y, c = w.like(x.shape, x.element), w.like(x.shape, "i1")
    text = f"{c.name}, {x.name}, {y.name} : {c.type}, {x.type}"
    w.make("select", x.shape, x.element, text)


@step("offset")
def offset(w: Writer) -> None:
    n = w.some(INTEGERS)
    p = w.like(n.shape, w.pick(("ptr<f32>", "ptr<i32>")))
    text = f"{p.name}, {n.name} : {p.type}, {_to(n, n.shape)}"
    w.make("offset", p.shape, p.element, text.replace(f"-> {n.type}", f"-> {p.type}"))


@step("pack", "unpack")
def repack(w: Writer) -> None:
    count, element = w.pick((8, 16, 32)), w.pick(("f4E2M1FN", "f32", "i16", "i1"))
    narrow, wide = (count,), (count * 8 // BITS[element],)
    if w.chance():
        x = w.like(narrow, "i8")
        text = f"{x.name} : {x.type} -> {tile(wide, element)}"
        w.make("unpack", wide, element, text)
    else:
        x = w.like(wide, element)
        w.make("pack", narrow, "i8", f"{x.name} : {x.type} -> {tile(narrow, 'i8')}")


# Conversions --------------------------------------------------------------------------


def _convert(w: Writer, name: str, x: Tile, element: str, how: str = "") -> None:
    text = f"{x.name}{how}{w.attributes()} : {x.type} -> {tile(x.shape, element)}"
    w.make(name, x.shape, element, text)


@step("exti", "trunci")
def resize(w: Writer) -> None:
    x = w.some(INTEGERS)
    place = INTEGERS.index(x.element)
    if x.element == "i1" or (x.element != "i64" and w.chance()):
        how = f" {w.pick(('signed', 'unsigned'))}"
        _convert(w, "exti", x, w.pick(INTEGERS[place + 1 :]), how)
    else:
        how = wrap(w, ("none", "no_signed_wrap", "no_wrap"))
        _convert(w, "trunci", x, w.pick(INTEGERS[:place]), how)


@step("ftof")
def ftof(w: Writer) -> None:
    x = w.some(FLOATS)
    to = w.pick([kind for kind in FLOATS if kind != x.element and kind != "f4E2M1FN"])
    how = f" rounding<{w.pick(('zero', 'positive_inf'))}>" if to == "f8E8M0FNU" else ""
    _convert(w, "ftof", x, to, how)


@step("ftoi", "itof")
def number(w: Writer) -> None:
    how = f" {w.pick(('signed', 'unsigned'))}"
    if w.chance():
        how += w.maybe(" saturating", 0.3)
        _convert(w, "ftoi", w.some(FLOATS), w.pick(INTEGERS), how)
    else:
        kinds = [kind for kind in FLOATS if kind not in ("f8E8M0FNU", "f4E2M1FN")]
        _convert(w, "itof", w.some(INTEGERS), w.pick(kinds), how)


@step("bitcast")
def bitcast(w: Writer) -> None:
    x = w.some(NUMBERS)
    same = [kind for kind in NUMBERS if BITS[kind] == BITS[x.element]]
    _convert(w, "bitcast", x, w.pick(same))


@step("ptr_to_int", "int_to_ptr", "ptr_to_ptr")
def address(w: Writer) -> None:
    name = w.pick(("ptr_to_int", "int_to_ptr", "ptr_to_ptr"))
    pointers = ("ptr<f32>", "ptr<i32>", "ptr<i8>", "ptr<bf16>")
    x = w.like(w.shape(), "i64" if name == "int_to_ptr" else w.pick(pointers))
    _convert(w, name, x, "i64" if name == "ptr_to_int" else w.pick(pointers))


# Products -----------------------------------------------------------------------------

ACCUMULATORS = {
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    "f32": ("f32",),
    "f64": ("f64",),
    "f8E4M3FN": ("f16", "f32"),
    "f8E5M2": ("f16", "f32"),
}


def _operands(w: Writer, kinds: tuple[str, str]) -> list[Tile]:
    element, result = kinds
    m, n, k = (w.pick((2, 4, 8)) for _ in "mnk")
    batch = w.pick(((), (2,)))
    return [
        w.like((*batch, m, k), element),
        w.like((*batch, k, n), element),
        w.like((*batch, m, n), result),
    ]


@step("mmaf", "mmai")
def product(w: Writer) -> None:
    if w.chance(0.3):
        parts = _operands(w, ("i8", "i32"))
        how = "".join(f" {w.pick(('signed', 'unsigned'))}" for _ in "ab")
        name = "mmai"
    else:
        element = w.pick(list(ACCUMULATORS))
        parts = _operands(w, (element, w.pick(ACCUMULATORS[element])))
        name, how = "mmaf", w.maybe(" fast_acc", 0.3)
    names = ", ".join(value.name for value in parts)
    types = ", ".join(value.type for value in parts)
    w.make(name, parts[2].shape, parts[2].element, f"{names}{how} : {types}")


@step("mmaf_scaled")
def mmaf_scaled(w: Writer) -> None:
    element, scale, block = w.pick(
        (
            ("f8E4M3FN", "f8E8M0FNU", 32),
            ("f8E5M2", "f8E8M0FNU", 32),
            ("f4E2M1FN", "f8E8M0FNU", w.pick((16, 32))),
            ("f4E2M1FN", "f8E4M3FN", 16),
        )
    )
    m, n, blocks = (w.pick((2, 4)) for _ in "mnk")
    k = block * blocks
    shapes = ((m, k), (k, n), (m, n), (m, blocks), (blocks, n))
    kinds = (element, element, "f32", scale, scale)
    parts = [w.like(s, kind) for s, kind in zip(shapes, kinds, strict=True)]
    names = ", ".join(value.name for value in parts)
    types = ", ".join(value.type for value in parts)
    w.make("mmaf_scaled", (m, n), "f32", f"{names} : {types}")


# The grid, and what is said of values -------------------------------------------------


@step("get_tile_block_id", "get_num_tile_blocks")
def grid(w: Writer) -> None:
    names = ", ".join(w.new((), "i32").name for _ in "xyz")
    name = w.pick(("get_tile_block_id", "get_num_tile_blocks"))
    w.op(name, ": tile<i32>", names)


@step("assume")
def assume(w: Writer) -> None:
    x = w.some((*INTEGERS[1:], "ptr<f32>"))
    choices = [f"div_by<{w.pick((1, 2, 16))}>"]
    if x.shape:
        groups = [w.pick([d for d in (1, 2, n) if n % d == 0]) for n in x.shape]
        choices.append(f"same_elements<{groups}>")
        dim = w.random.randrange(len(x.shape))
        choices.append(f"div_by<2, every {x.shape[dim]} along {dim}>")
    if x.element in INTEGERS:
        choices += ["bounded<0, ?>", "bounded<-3, 7>", "bounded<?, ?>"]
    text = f"{w.pick(choices)}, {x.name} : {x.type}"
    w.make("assume", x.shape, x.element, text)


@step("assert")
def assert_(w: Writer) -> None:
    c = w.some(("i1",))
    w.op("assert", f'{c.name}, "must \\22hold\\22" : {c.type}')


@step("print_tko")
def print_tko(w: Writer) -> None:
    values = [w.some(("i32", "f32", "i8")) for _ in range(w.random.randint(0, 2))]
    marks = " ".join("%f" if v.element == "f32" else "%i" for v in values)
    names = "".join(f", {value.name}" for value in values)
    types = f" : {', '.join(value.type for value in values)}" if values else ""
    order = f" token={w.token()}" if w.chance() else ""
    text = f'"100 %% {marks}\\n"{names}{order}{types} -> token'
    w.op("print_tko", text, w.new_token())
