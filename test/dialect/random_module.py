# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random valid modules: every op with its optional parts, in nested regions.

The modules are for printing, parsing, writing, reading and simplifying, not for running
(see test/emit for that). A seed always gives the same module. The ops and their fields
are read from the ODS.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from random import Random
from typing import TypeVar

from cuda_tile import ods

T = TypeVar("T")
Shape = tuple[int, ...]

INTEGERS = ("i1", "i8", "i16", "i32", "i64")
BASE_FLOATS = ("f16", "bf16", "f32", "f64")
FLOATS = (*BASE_FLOATS, "tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN")
NUMBERS = (*INTEGERS, *FLOATS)
BITS = {
    **{kind: int(kind[1:]) for kind in (*INTEGERS, "i4", "f16", "f32", "f64")},
    **{"bf16": 16, "tf32": 19, "f4E2M1FN": 4},
    **{"f8E4M3FN": 8, "f8E5M2": 8, "f8E8M0FNU": 8},
}
"""The width of each element type."""


@dataclass(frozen=True)
class Tile:
    """A tile: its SSA name, extents and element type."""

    name: str
    shape: Shape
    element: str

    @property
    def type(self) -> str:
        """The text of its type."""
        return tile(self.shape, self.element)


def names_of(tiles: Sequence[Tile]) -> str:
    """Their names, as a list of operands."""
    return ", ".join(each.name for each in tiles)


def types_of(tiles: Sequence[Tile]) -> str:
    """Their types, as a list."""
    return ", ".join(each.type for each in tiles)


@dataclass(frozen=True)
class View:
    """A tile view: its SSA name, the text of its type, and what an index gives.

    Attributes:
        sparse: The dimension that takes a list of positions, or None.
        is_plain: Whether atomic accesses take it: no padding, no list.
    """

    name: str
    type: str
    shape: Shape
    element: str
    sparse: int | None
    is_plain: bool


def tile(shape: Shape, element: str) -> str:
    """The text of a tile type."""
    return f"tile<{''.join(f'{n}x' for n in shape)}{element}>"


@dataclass
class Writer:
    """A module being written.

    Attributes:
        random: Where all choices come from.
        tiles, tokens, views, tensors: The values that may be used at this point.
        used: Names of the ops so far.
        versions: The first versions of bytecode that have what is used.
        globals: Names and element types of the module's globals.
        loops: What may end here early: for each loop around, the types it carries and
            gives, innermost last.
    """

    random: Random
    lines: list[str] = field(default_factory=list[str])
    tiles: list[Tile] = field(default_factory=list[Tile])
    tokens: list[str] = field(default_factory=list[str])
    views: list[View] = field(default_factory=list[View])
    tensors: list[tuple[str, str, Shape, str]] = field(
        default_factory=list[tuple[str, str, Shape, str]]
    )
    used: set[str] = field(default_factory=set[str])
    versions: set[str] = field(default_factory=set[str])
    globals: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    loops: list[tuple[str, list[Tile], list[Tile]]] = field(
        default_factory=list[tuple[str, list[Tile], list[Tile]]]
    )
    depth: int = 1
    count: int = 0
    has_discardable: bool = False

    # Choices ------------------------------------------------------------------------

    def pick(self, choices: Sequence[T]) -> T:
        """One of several things."""
        return self.random.choice(choices)

    def chance(self, part: float = 0.5) -> bool:
        """True in that part of the cases."""
        return self.random.random() < part

    def maybe(self, text: str, part: float = 0.5) -> str:
        """The text, or nothing."""
        return text if self.chance(part) else ""

    def shape(self, most: int = 64, *, ranks: Sequence[int] = (0, 1, 1, 2, 3)) -> Shape:
        """Powers of two with a product of at most `most`."""
        extents: list[int] = []
        for _ in range(self.pick(ranks)):
            left = most // prod(extents)
            extents.append(self.pick([n for n in (1, 2, 4, 8, 16, 32) if n <= left]))
        return tuple(extents)

    # Text ---------------------------------------------------------------------------

    def fresh(self) -> str:
        """A new SSA name."""
        self.count += 1
        return f"%v{self.count}"

    def line(self, text: str) -> None:
        """Adds a line."""
        self.lines.append("  " * self.depth + text)

    def op(self, name: str, text: str, results: str = "") -> None:
        """Adds an op; its name may stand with the dialect's."""
        self.used.add(name)
        self.versions.add(ods.ops()[name].since)
        name = f"cuda_tile.{name}" if self.chance(0.05) else name
        assigned = f"{results} = " if results else ""
        self.line(f"{assigned}{name} {text}".rstrip() + self._location(text))

    def _location(self, text: str) -> str:
        if text.endswith("{") or not self.chance(0.05):
            return ""
        place = f'"kernel.py":{self.random.randrange(99)}:{self.random.randrange(9)}'
        kinds = (place, f'"name"({place})', f'callsite({place} at "a.py":1:2)')
        return f" loc({self.pick(kinds)})"

    def attributes(self) -> str:
        """Attributes that no op defines, or nothing."""
        if not self.chance(0.02):
            return ""
        self.has_discardable = True
        return self.pick((" {hot}", ' {note = "x", number = 3 : i8}'))

    # Values -------------------------------------------------------------------------

    def new(self, shape: Shape, element: str) -> Tile:
        """A tile that the next line defines."""
        value = Tile(self.fresh(), shape, element)
        self.tiles.append(value)
        return value

    def make(self, name: str, shape: Shape, element: str, text: str) -> Tile:
        """Adds an op with one tile as its result."""
        value = Tile(self.fresh(), shape, element)
        self.op(name, text, value.name)
        self.tiles.append(value)
        return value

    def some(
        self, elements: Sequence[str], ranks: Sequence[int] = (0, 1, 2, 3)
    ) -> Tile:
        """A tile of one of the element types, an old or a new one."""
        known = [
            t for t in self.tiles if t.element in elements and len(t.shape) in ranks
        ]
        if known and self.chance(0.8):
            return self.pick(known)
        element = self.pick(elements)
        return self.like(self.shape(ranks=ranks), element)

    def like(self, shape: Shape, element: str) -> Tile:
        """A tile of that type."""
        known = [t for t in self.tiles if (t.shape, t.element) == (shape, element)]
        if known and self.chance(0.8):
            return self.pick(known)
        if element.startswith("ptr"):
            word = self.like(shape, "i64")
            text = f"{word.name} : {word.type} -> {tile(shape, element)}"
            return self.make("int_to_ptr", shape, element, text)
        return self.constant(shape, element)

    def constant(self, shape: Shape, element: str) -> Tile:
        """A constant, of one value or of many."""
        if element == "f4E2M1FN" and prod(shape) == 1:
            shape = (2,)
        if shape and prod(shape) <= 16 and self.chance(0.3):
            value = self._elements(shape, element)
        else:
            value = self.literal(element)
        text = f"<{element}: {value}> : {tile(shape, element)}"
        return self.make("constant", shape, element, text)

    def _elements(self, shape: Shape, element: str) -> str:
        if not shape:
            return self.literal(element)
        parts = [self._elements(shape[1:], element) for _ in range(shape[0])]
        return f"[{', '.join(parts)}]"

    def literal(self, element: str) -> str:
        """A number as constants spell it."""
        if element == "i1":
            return self.pick(("true", "false"))
        bits = BITS[element]
        if element.startswith("i"):
            half = 2 ** (bits - 1)
            few = (0, 1, 2, 3, -1, half - 1, -half)
            return str(self.pick((*few, self.random.randrange(-half, half))))
        if element != "tf32" and bits >= 8 and self.chance(0.3):
            word = self.random.randrange(2**bits)
            return f"0x{word:0{bits // 4}X}"
        return self.pick(("1.0", "0.5", "2.0", "4.0"))

    def token(self) -> str:
        """A token."""
        if self.tokens and self.chance(0.7):
            return self.pick(self.tokens)
        name = self.fresh()
        self.op("make_token", ": token", name)
        self.tokens.append(name)
        return name

    def new_token(self) -> str:
        """The name of a token that the next line defines."""
        self.tokens.append(self.fresh())
        return self.tokens[-1]

    # Regions ------------------------------------------------------------------------

    @contextmanager
    def region(self) -> Generator[None]:
        """What is written inside is not seen outside."""
        pools = (self.tiles, self.tokens, self.views, self.tensors)
        sizes = [len(pool) for pool in pools]
        self.depth += 1
        yield
        self.depth -= 1
        for pool, size in zip(pools, sizes, strict=True):
            del pool[size:]

    def body(self, most: int = 4) -> None:
        """A few ops; deeper inside, fewer."""
        for _ in range(self.random.randint(0, max(1, most - self.depth // 2))):
            self.step()

    def step(self) -> None:
        """One op of any kind, with what it needs."""
        while True:
            name = self.pick(list(STEPS))
            if name in REGIONS and self.depth > 4:
                continue
            STEPS[name](self)
            return


Step = Callable[[Writer], None]

STEPS: dict[str, Step] = {}
"""By the name of an op: adds one of them. Filled by `random_ops` and its like."""

REGIONS = ("if", "for", "loop", "reduce", "scan")
MADE_ELSEWHERE = frozenset(
    ("module", "entry", "global", "return", "yield", "break", "continue")
)
"""Ops that others bring: what holds them, or what they end."""


def step(*names: str) -> Callable[[Step], Step]:
    """Makes a function the step of ops."""

    def add(function: Step) -> Step:
        STEPS.update(dict.fromkeys(names, function))
        return function

    return add


def module(seed: int) -> tuple[str, Writer]:
    """The text of a module, and the writer that says what is in it."""
    w = Writer(Random(seed))
    producer = w.maybe(' attributes {producer = "some \\"tool\\" 1.0"}', 0.3)
    for i in range(w.random.randint(0, 2)):
        _global(w, f"g{i}")
    for i in range(w.random.randint(1, 2)):
        _entry(w, f"e{i}")
    w.used |= {"module", "entry", "return"}
    body = "\n".join(w.lines)
    return f"cuda_tile.module @m{producer} {{\n{body}\n}}\n", w


def _global(w: Writer, name: str) -> None:
    element = w.pick(("i8", "i32", "i64", "f32", "f16"))
    count = w.pick((1, 2, 4))
    values = f"[{', '.join(w.literal(element) for _ in range(count))}]"
    words = w.maybe(" private", 0.3) + w.maybe(" constant", 0.3)
    alignment = w.maybe(" alignment = 128", 0.3)
    w.line(
        f"global{words} @{name}{alignment} <{element}: {values}> : "
        f"{tile((count,), element)}"
    )
    w.used.add("global")
    w.globals.append((name, element))


def _entry(w: Writer, name: str) -> None:
    kinds = [w.pick((*NUMBERS[:-1], "ptr<f32>", "ptr<i32>", "ptr<f16>")) for _ in "abc"]
    w.tiles = [Tile(f"%{c}", (), kind) for c, kind in zip("abc", kinds, strict=True)]
    w.tokens, w.views, w.tensors = [], [], []
    arguments = ", ".join(f"{value.name}: {value.type}" for value in w.tiles)
    hints = " optimization_hints=<sm_100 = {num_cta_in_cga = 2}, default = {}>"
    w.line(f"entry @{name}({arguments}){w.maybe(hints, 0.3)} {{")
    with w.region():
        for _ in range(w.random.randint(4, 14)):
            w.step()
        w.line("return")
    w.line("}")


def missing_ops() -> set[str]:
    """Ops of the dialect that no step makes."""
    names = {name for name in ods.ops() if not name.startswith("tileas.")}
    return names - STEPS.keys() - MADE_ELSEWHERE
