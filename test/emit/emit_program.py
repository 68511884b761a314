# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of a random kernel while it is being written, and how to run it.

A `Program` holds the tiles made so far; the steps in `emit_steps.py` and
`emit_memory.py` take tiles from it and add new ones. Nothing here is undefined in
the interpreter's strict mode, and every stored value is exact (but see
`Value.is_payload`), so interpreter and emulator must agree bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeVar

import numpy as np
from emit_data import BITS, DTYPES, INTEGERS, Array, Buffer, is_float, mismatch
from hypothesis import strategies as st

import cuda_tile
from cuda_tile.options import Options

T = TypeVar("T")
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Value:
    """A tile of the program.

    Attributes:
        name: Its SSA name.
        shape: Extents.
        element: Element type.
        is_payload: Whether the bits of its NaNs are known, so that they may be seen.
    """

    name: str
    shape: Shape
    element: str
    is_payload: bool = True

    @property
    def type(self) -> str:
        """The text of its type."""
        return tile(self.shape, self.element)


def tile(shape: Sequence[int], element: str) -> str:
    """The text of a tile type."""
    return f"tile<{''.join(f'{n}x' for n in shape)}{element}>"


def literal(value: Any, element: str) -> str:
    """A number as constants and identities spell it; floats by their bits."""
    if element == "i1":
        return "true" if value else "false"
    if not is_float(element):
        return str(int(value))
    word = np.asarray(value, DTYPES[element]).view(f"u{BITS[element] // 8}")
    return f"0x{int(word):0{BITS[element] // 4}X}"


@dataclass(frozen=True)
class Loop:
    """A loop being written: its induction variable and how often it runs."""

    index: Value
    trips: int


@dataclass(repr=False)
class Program:
    """A kernel being written.

    Attributes:
        draw: Draws from a hypothesis strategy.
        name: The entry's name.
        grid: Tile blocks along x.
        hints: What stands behind the entry's parameters.
    """

    draw: Callable[[st.SearchStrategy[Any]], Any]
    name: str = "k"
    grid: int = 1
    lines: list[str] = field(default_factory=list[str])
    parameters: list[str] = field(default_factory=list[str])
    args: list[Any] = field(default_factory=list[Any])
    pool: list[Value] = field(default_factory=list[Value])
    loops: list[Loop] = field(default_factory=list[Loop])
    count: int = 0
    hints: str = ""

    # Choices ------------------------------------------------------------------------

    def pick(self, choices: Sequence[T]) -> T:
        """One of several things."""
        return self.draw(st.sampled_from(choices))

    def number(self, low: int, high: int) -> int:
        """An integer between two bounds, both included."""
        return self.draw(st.integers(low, high))

    def chance(self) -> bool:
        """True half of the time."""
        return self.draw(st.booleans())

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """The same things in any order."""
        return list(self.draw(st.permutations(values)))

    def generator(self) -> np.random.Generator:
        """A source of array contents."""
        return np.random.default_rng(self.number(0, 2**16))

    # Text ---------------------------------------------------------------------------

    def fresh(self, stem: str = "v") -> str:
        """A new SSA name."""
        self.count += 1
        return f"%{stem}{self.count}"

    def line(self, text: str) -> None:
        """Adds a line to the body."""
        self.lines.append("  " * (2 + len(self.loops)) + text)

    def make(
        self, shape: Shape, element: str, text: str, *, is_payload: bool = True
    ) -> Value:
        """Adds an operation with one result."""
        value = Value(self.fresh(), shape, element, is_payload)
        self.line(f"{value.name} = {text}")
        return value

    def add(self, value: Value) -> Value:
        """Puts a value where later steps find it."""
        self.pool.append(value)
        return value

    def constant(self, shape: Shape, element: str, value: Any) -> Value:
        """A splat constant."""
        kind = tile(shape, element)
        text = f"constant <{element}: {literal(value, element)}> : {kind}"
        return self.make(shape, element, text)

    # Parameters ---------------------------------------------------------------------

    def scalar(self, element: str, value: Any) -> Value:
        """A scalar parameter of the kernel."""
        name = self.fresh("s")
        self.parameters.append(f"{name}: tile<{element}>")
        self.args.append(DTYPES[element].type(value))
        return Value(name, (), element)

    def pointer(self, element: str, buffer: Buffer) -> Value:
        """A pointer parameter; sometimes what is known of its alignment is said."""
        name = self.fresh("p")
        self.parameters.append(f"{name}: tile<ptr<{element}>>")
        self.args.append(buffer)
        bytes_off = buffer.start * buffer.data.itemsize
        divisor = 256 if bytes_off == 0 else min(256, bytes_off & -bytes_off)
        return self.assumed(Value(name, (), f"ptr<{element}>"), divisor)

    def assumed(self, value: Value, number: int) -> Value:
        """Sometimes adds what is true: a divisor of the value's number."""
        divisor = min(256, number & -number) if number else 16
        choices = [d for d in (1, 4, 8, 16, 256) if divisor % d == 0]
        divisor = self.pick(choices)
        if divisor == 1:
            return value
        text = f"assume div_by<{divisor}>, {value.name} : {value.type}"
        return self.make((), value.element, text)

    # Uniform values -----------------------------------------------------------------

    def spread(self, value: Value, shape: Shape) -> Value:
        """A scalar in every element of a tile."""
        if not shape:
            return value
        ones = (1,) * len(shape)
        text = f"reshape {value.name} : {value.type} -> {tile(ones, value.element)}"
        value = self.make(ones, value.element, text, is_payload=value.is_payload)
        if ones == shape:
            return value
        text = f"broadcast {value.name} : {value.type} -> {tile(shape, value.element)}"
        return self.make(shape, value.element, text, is_payload=value.is_payload)

    def block_index(self) -> Value:
        """The tile block's number along x."""
        names = [self.fresh("b") for _ in range(3)]
        self.line(f"{', '.join(names)} = get_tile_block_id : tile<i32>")
        return Value(names[0], (), "i32")

    def grid_extents(self) -> list[Value]:
        """The grid's extents."""
        values = [Value(self.fresh("g"), (), "i32") for _ in range(3)]
        names = ", ".join(value.name for value in values)
        self.line(f"{names} = get_num_tile_blocks : tile<i32>")
        return values

    def token(self) -> str:
        """A token that waits for nothing."""
        name = self.fresh("k")
        self.line(f"{name} = make_token : token")
        return name

    def coordinate(self, shape: Shape, dim: int, element: str = "i32") -> Value:
        """Each element's coordinate along one dimension."""
        extent = shape[dim]
        value = self.make((extent,), element, f"iota : {tile((extent,), element)}")
        line = tuple(extent if d == dim else 1 for d in range(len(shape)))
        for kind, wanted in (("reshape", line), ("broadcast", shape)):
            if value.shape != wanted:
                text = f"{kind} {value.name} : {value.type} -> {tile(wanted, element)}"
                value = self.make(wanted, element, text)
        return value

    def known(self, shape: Shape, element: str) -> list[Value]:
        """The values of a type so far."""
        return [v for v in self.pool if v.shape == shape and v.element == element]

    def entry(self) -> str:
        """The text of the finished kernel."""
        head = f"  entry @{self.name}({', '.join(self.parameters)}){self.hints} {{"
        return "\n".join([head, *self.lines, "    return", "  }"])


def fits(element: str, extent: int) -> bool:
    """Whether an iota of `extent` elements is legal in an element type."""
    return element in INTEGERS and extent <= 2 ** (
        1 if element == "i1" else BITS[element]
    )


def elements(shape: Shape) -> int:
    """Elements of a tile."""
    return prod(shape)


@dataclass(frozen=True)
class Case:
    """A finished module with arguments.

    Attributes:
        text: The module.
        entries: The finished kernels.
        num_warps: Warps per CTA, or None to let the compiler choose.
        mode: How the emulator runs.
    """

    text: str
    entries: tuple[Program, ...]
    num_warps: int | None
    mode: str

    def __repr__(self) -> str:
        return f"num_warps={self.num_warps} mode={self.mode}\n{self.text}"


def run_case(case: Case, gpu: str) -> None:
    """Runs every entry on the interpreter and on the emulator; both must agree."""
    module = cuda_tile.load(case.text.encode())
    options = Options(num_warps=case.num_warps)
    compiled = cuda_tile.compile(module, gpu, options=options, cubin=False)
    for program in case.entries:
        expected = _run(module, program, on="interp")
        choices = {"mode": case.mode, "compiled": compiled, "gpu": gpu}
        got = _run(module, program, on="emulator", **choices)
        for number, arg in enumerate(program.args):
            if isinstance(arg, Buffer):
                mine, theirs = expected[number], got[number]
                said = mismatch(mine, theirs, is_inexact=arg.is_inexact)
                assert not said, f"@{program.name}, parameter {number}: {said}"


def _run(module: Any, program: Program, **choices: Any) -> list[Array]:
    """Runs one entry on fresh memory; returns each pointer's memory, else nothing."""
    memories: list[Array] = []
    args: list[Any] = []
    for arg in program.args:
        nothing = np.zeros(0), arg
        memory, view = arg.bind() if isinstance(arg, Buffer) else nothing
        memories.append(memory)
        args.append(view)
    cuda_tile.run(module, program.name, grid=(program.grid,), args=args, **choices)
    return memories
