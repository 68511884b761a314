# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels that store one tile, with what their index is for given arguments.

Each number is made as text and as a function of the arguments at once. Loops and
conditions around the store only choose which numbers reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

Numbers = dict[str, int]
"""Arguments, the tile block and the index of the loop by name."""
SIGNS = ("signed", "unsigned")
DIVISORS = (1, 64)
TILES = (1, 2, 32, 64, 128)


class Nothing(Exception):
    """For these arguments the store is not reached, or an op before it is illegal."""


def read(bits: int, width: int, *, is_signed: bool) -> int:
    """A number of so many bits, of any value, as one of its readings."""
    bits %= 1 << width
    return bits - (1 << width) if is_signed and bits >> (width - 1) else bits


@dataclass(frozen=True)
class Number:
    """An integer of a kernel.

    Attributes:
        name: What it is called.
        width: Its bits.
        find: Its value for some arguments, in any reading.
    """

    name: str
    width: int
    find: Callable[[Numbers], int]

    @property
    def type(self) -> str:
        return f"tile<i{self.width}>"

    def of(self, numbers: Numbers, *, is_signed: bool) -> int:
        """Its value in one reading."""
        return read(self.find(numbers), self.width, is_signed=is_signed)


def divided(x: int, y: int, rounding: str) -> int:
    """The quotient as `divi` rounds it."""
    if y == 0:
        raise Nothing
    if rounding == "negative_inf":
        return x // y
    if rounding == "positive_inf":
        return -(-x // y)
    return abs(x) // abs(y) * (-1 if (x < 0) != (y < 0) else 1)


class IndexKernel:
    """One kernel, made from a seed.

    Attributes:
        text: The kernel.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._lines: list[str] = []
        self._count = 0
        self._closers: list[str] = []
        self._conditions: list[Callable[[Numbers], bool]] = []
        self._bounds: tuple[Number, Number, bool] | None = None
        self._tile = self._random.choice(TILES)
        self._step = self._tile * self._random.choice((1, 1, 2))
        self._static = self._random.choice((None, None, None, 64, 256))
        self._extent = self._made_extent()
        self._numbers = self._sources()
        self.text = self._made()

    # Judging -----------------------------------------------------------------------

    def arguments(self, count: int) -> list[Numbers]:
        """Some arguments for it: small, far away and around ends."""
        random = self._random
        ends = (0, 1, 2, 3, 4, 63, 64, 2**31 - 1, 2**31 - 64, -1, -64, -(2**31))
        found: list[Numbers] = []
        for _ in range(count):
            y = random.choice(ends) if random.random() < 0.6 else random.randrange(9)
            tiles = random.choice((0, 1, 1, 2, 2, 3, 4, 2**25 - 1, -1, 2**25))
            found.append({"x": 64 * tiles, "y": y, "b": random.choice((0, 1, 2, 5))})
        return found

    def is_outside(self, numbers: Numbers) -> bool:
        """Whether the tile begins outside of the tensor in any iteration."""
        return any(
            self._is_outside(iteration) for iteration in self._iterations(numbers)
        )

    def _is_outside(self, numbers: Numbers) -> bool:
        try:
            if not all(holds(numbers) for holds in self._conditions):
                return False
            index = self._index.of(numbers, is_signed=False)
            extent = self._extent.of(numbers, is_signed=False)
        except Nothing:
            return False
        return index >= -(-extent // self._step)

    def _iterations(self, numbers: Numbers) -> list[Numbers]:
        """The first and last iterations of the loop, if there is one."""
        if self._bounds is None:
            return [numbers]
        lower, upper, is_signed = self._bounds
        try:
            first, end = (n.of(numbers, is_signed=is_signed) for n in (lower, upper))
        except Nothing:
            return []
        near = {first, first + 1, first + 2, end - 2, end - 1, (first + end) // 2}
        return [{**numbers, "i": i} for i in near if first <= i < end]

    # Writing -----------------------------------------------------------------------

    def _made_extent(self) -> Number:
        if self._static is not None:
            extent = self._static
            return Number("", 32, lambda _: extent)
        given = Number("%x", 32, lambda numbers: numbers["x"])
        made = self._assumed(given, "div_by<64>", lambda x: x % 64 == 0)
        if self._chance(0.7):
            made = self._assumed(made, "bounded<0, ?>", lambda x: x >= 0)
        return self._extended(made) if self._chance(0.15) else made

    def _sources(self) -> list[Number]:
        """What indices are made of: the tensor's own numbers and others."""
        extents = str(self._static) if self._static is not None else "%n"
        self._tensor = "?" if self._static is None else str(self._static)
        self._tensor = f"tensor_view<{self._tensor}xf32, strides=[1]>"
        types = f"{self._extent.type} -> " if self._static is None else ""
        extents = self._extent.name or extents
        self._lines.append(
            f"%t = make_tensor_view %p, shape = [{extents}], strides = [1] : "
            f"{types}{self._tensor}"
        )
        view = self._view("%v", self._tile, self._step)
        other = self._view("%w", 64, self._random.choice((16, 64, 128)))
        y = Number("%y", 32, lambda numbers: numbers["y"])
        if self._chance(0.6):
            y = self._assumed(y, "bounded<0, ?>", lambda x: x >= 0)
        self._kind = view[0]
        block = Number("%b", 32, lambda numbers: numbers["b"])
        found = [y, block, self._shape("get_tensor_shape", "%t", self._tensor, 1)]
        for (kind, step), name in ((view, "%v"), (other, "%w")):
            found.append(self._shape("get_index_space_shape", name, kind, step))
        if self._extent.name:
            found.append(self._extent)
        return found

    def _source(self) -> Number:
        """What a bound is made of: mostly numbers of the tensor, which come last."""
        weights = [1, 1, *(3 for _ in self._numbers[2:])]
        return self._random.choices(self._numbers, weights)[0]

    def _view(self, name: str, tile: int, step: int) -> tuple[str, int]:
        kind = f"partition_view<tile=({tile}), {self._tensor}>"
        if step != tile:
            kind = (
                f"strided_view<tile=({tile}), traversal_strides=[{step}], "
                f"{self._tensor}>"
            )
        self._lines.append(f"{name} = make_{kind.partition('<')[0]} %t : {kind}")
        return kind, step

    def _shape(self, op: str, of: str, kind: str, step: int) -> Number:
        extent, name = self._extent, self._fresh()
        self._lines.append(f"{name} = {op} {of} : {kind} -> tile<i32>")
        return Number(name, 32, lambda n: -(-extent.of(n, is_signed=False) // step))

    def _made(self) -> str:
        bound = self._chain(self._source(), (0, 1, 1, 2, 2, 3))
        form = self._random.choice(("loop", "loop", "guard", "rest", "plain"))
        index = bound
        if form == "loop":
            index = self._looped(self._narrowed(bound))
        elif form == "guard":
            index = self._guarded(bound)
        elif form == "rest":
            index = self._binary("remi", self._same(bound), bound)
        self._index = self._chain(index, (0, 0, 0, 1, 1, 2))
        lines = "\n".join(self._lines)
        closers = "\n".join(reversed(self._closers))
        return f"""cuda_tile.module @m {{
          entry @k(%p: tile<ptr<f32>>, %x: tile<i32>, %y: tile<i32>) {{
            %b, %by, %bz = get_tile_block_id : tile<i32>
            {lines}
            %f1 = constant <f32: 1.0> : tile<{self._tile}xf32>
            %k = store_view_tko weak %f1, %v[{self._index.name}] :
              tile<{self._tile}xf32>, {self._kind}, {self._index.type} -> token
            {closers}
            return
          }}
        }}"""

    def _looped(self, upper: Number) -> Number:
        lower = self._constant(self._random.choice((0, 0, 0, 1)), upper.width)
        if self._chance(0.2):
            lower = self._same(upper)
        is_signed = self._chance(0.7)
        one = self._constant(1, upper.width)
        sign = "" if is_signed else "unsigned "
        self._lines.append(
            f"for {sign}%i in ({lower.name} to {upper.name}, step {one.name}) : "
            f"{upper.type} {{"
        )
        self._closers.append("continue }")
        self._bounds = lower, upper, is_signed
        return Number("%i", upper.width, lambda numbers: numbers["i"])

    def _guarded(self, bound: Number) -> Number:
        """A number under a condition that compares it with the bound."""
        index, test = self._same(bound), self._fresh()
        is_signed, is_swapped = self._chance(0.5), self._chance(0.3)
        is_strict = self._chance(0.8)
        pair = (bound, index) if is_swapped else (index, bound)
        word = "greater_than" if is_swapped else "less_than"
        self._lines.append(
            f"{test} = cmpi {word}{'' if is_strict else '_or_equal'} {pair[0].name}, "
            f"{pair[1].name}, {SIGNS[not is_signed]} : {index.type} -> tile<i1>"
        )

        def holds(numbers: Numbers) -> bool:
            x, y = (each.of(numbers, is_signed=is_signed) for each in (index, bound))
            return x < y or (x == y and not is_strict)

        if self._chance(0.3):
            both = self._fresh()
            true = self._fresh()
            self._lines.append(f"{true} = constant <i1: true> : tile<i1>")
            joined = self._random.choice(("andi", "ori"))
            self._lines.append(f"{both} = {joined} {true}, {test} : tile<i1>")
            test = both
            if joined == "ori":
                holds = _always
        self._lines.append(f"if {test} {{")
        if self._chance(0.15):
            self._lines.append("} else {")
            taken = holds
            holds = lambda numbers: not taken(numbers)  # noqa: E731
        self._conditions.append(holds)
        self._closers.append("}")
        return index

    # Numbers made of numbers -------------------------------------------------------

    def _chain(self, number: Number, lengths: Sequence[int]) -> Number:
        steps = (
            *(self._quotient, self._quotient, self._quotient, self._product),
            *(self._sum, self._sum, self._extreme, self._selected),
            *(self._extended, self._truncated, self._natural),
        )
        for _ in range(self._random.choice(lengths)):
            number = self._random.choice(steps)(number)
        return number

    def _quotient(self, x: Number) -> Number:
        near = (self._step, self._step, self._step, 64, 128, 32, 48, 1)
        if self._chance(0.25):
            count = self._random.choice((self._step.bit_length() - 1, 5, 6, 7))
            by = self._constant(count, x.width)
            return self._binary("shri", x, by)
        return self._binary(
            "divi", x, self._constant(self._random.choice(near), x.width)
        )

    def _product(self, x: Number) -> Number:
        if self._chance(0.3):
            by = self._constant(self._random.choice((0, 1, 6, 7)), x.width)
            return self._binary("shli", x, by)
        near = (self._step, self._step, 64, 2, 1, 0, -1)
        return self._binary(
            "muli", x, self._constant(self._random.choice(near), x.width)
        )

    def _sum(self, x: Number) -> Number:
        near = (1, 1, 2, self._step - 1, self._step - 1, self._step, 63, -1)
        by = self._constant(self._random.choice(near), x.width)
        if self._chance(0.3):
            by = self._same(x)
        pair = (x, by) if self._chance(0.5) else (by, x)
        return self._binary(self._random.choice(("addi", "addi", "subi")), *pair)

    def _extreme(self, x: Number) -> Number:
        pair = [x, self._same(x)]
        self._random.shuffle(pair)
        return self._binary(self._random.choice(("mini", "maxi")), *pair)

    def _selected(self, x: Number) -> Number:
        pair = [x, self._same(x)]
        self._random.shuffle(pair)
        first, second = pair
        test, name = self._fresh(), self._fresh()
        self._lines.append(
            f"{test} = cmpi less_than {first.name}, {second.name}, signed : {x.type} "
            "-> tile<i1>"
        )
        self._lines.append(
            f"{name} = select {test}, {second.name}, {first.name} : tile<i1>, {x.type}"
        )

        def find(numbers: Numbers) -> int:
            return max(each.of(numbers, is_signed=True) for each in pair)

        return Number(name, x.width, find)

    def _extended(self, x: Number) -> Number:
        is_signed, name = self._chance(0.5), self._fresh()
        if x.width == 64:
            return x
        self._lines.append(
            f"{name} = exti {x.name} {SIGNS[not is_signed]} : {x.type} -> tile<i64>"
        )
        return Number(name, 64, lambda numbers: x.of(numbers, is_signed=is_signed))

    def _truncated(self, x: Number) -> Number:
        name, width = self._fresh(), 32 if x.width == 64 else 16
        if x.width == 16:
            return x
        self._lines.append(f"{name} = trunci {x.name} : {x.type} -> tile<i{width}>")
        return Number(name, width, x.find)

    def _natural(self, x: Number) -> Number:
        return self._assumed(x, "bounded<0, ?>", lambda value: value >= 0)

    def _binary(self, op: str, x: Number, y: Number) -> Number:
        is_signed, name = self._chance(0.6), self._fresh()
        roundings = ["zero", "positive_inf"] + ["negative_inf"] * is_signed
        rounding = self._random.choice(roundings) if op == "divi" else ""
        tail = f" {SIGNS[not is_signed]}" if op in _SIGNED_OPS else ""
        tail += f" rounding<{rounding}>" if rounding and rounding != "zero" else ""
        self._lines.append(f"{name} = {op} {x.name}, {y.name}{tail} : {x.type}")

        def find(numbers: Numbers) -> int:
            a, b = (each.of(numbers, is_signed=is_signed) for each in (x, y))
            if op == "divi":
                return divided(a, b, rounding)
            return _VALUES[op](a, b)

        return Number(name, x.width, find)

    def _assumed(self, x: Number, text: str, holds: Callable[[int], bool]) -> Number:
        name = self._fresh()
        self._lines.append(f"{name} = assume {text}, {x.name} : {x.type}")

        def find(numbers: Numbers) -> int:
            value = x.of(numbers, is_signed=True)
            if not holds(value):
                raise Nothing
            return value

        return Number(name, x.width, find)

    def _same(self, x: Number) -> Number:
        """Another number of the type."""
        found = self._random.choice(self._numbers)
        if x.width == 64:
            return self._extended(found)
        found = self._narrowed(found)
        return found if x.width == 32 else self._truncated(found)

    def _narrowed(self, x: Number) -> Number:
        """The number in 32 bits."""
        if x.width == 16:
            return self._numbers[0]
        return self._truncated(x) if x.width == 64 else x

    def _constant(self, value: int, width: int) -> Number:
        name = self._fresh()
        self._lines.append(f"{name} = constant <i{width}: {value}> : tile<i{width}>")
        return Number(name, width, lambda _: value)

    def _fresh(self) -> str:
        self._count += 1
        return f"%n{self._count}"

    def _chance(self, likelihood: float) -> bool:
        return self._random.random() < likelihood


def _always(numbers: Numbers) -> bool:
    del numbers
    return True


def _rest(x: int, y: int) -> int:
    return x - y * divided(x, y, "zero")


_VALUES: dict[str, Callable[[int, int], int]] = {
    "addi": lambda x, y: x + y,
    "subi": lambda x, y: x - y,
    "muli": lambda x, y: x * y,
    "shli": lambda x, y: x << y,
    "shri": lambda x, y: x >> y,
    "mini": min,
    "maxi": max,
    "remi": _rest,
}
_SIGNED_OPS = {"divi", "remi", "shri", "mini", "maxi"}
