# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A finished program as text with its inputs, which is all that a check needs.

The text begins with comments that say how to run it, so that one file is a whole
test case: no generator is needed to run it again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from differential_outside import OUTSIDE
from differential_program import RandomProgram, Recipe
from differential_values import VALUES
from emit_data import BITS, DTYPES, Array, Buffer, is_float

HEAD = "// differential: "


@dataclass(frozen=True)
class ArrayArgument:
    """A pointer argument; its contents come from the case's seed.

    Attributes:
        number: Arguments of one number share one array.
        element: Element type.
        size: Elements of the memory.
        start: Index in it of the array's first element.
        shape: The array's extents.
        strides: Its strides in elements.
        ulp: How far results may be apart, in units in the last place.
        values: What it holds, one of `differential_values.VALUES`.
        scale: The least number whose units count: those of sums in another order are
            as large as what is added. Exact where `ulp` is 0.
    """

    number: int
    element: str
    size: int
    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    ulp: float = 0.0
    values: str = "any"
    scale: float = 0.0

    def __str__(self) -> str:
        shape = "x".join(map(str, self.shape)) or "1"
        strides = ",".join(map(str, self.strides)) or "0"
        ulp = f" ulp={self.ulp:g}" if self.ulp else ""
        ulp += f" scale={self.scale:g}" if self.scale else ""
        ulp += f" values={self.values}" if self.values != "any" else ""
        return (
            f"array {self.number} {self.element} size={self.size} "
            f"start={self.start} shape={shape} strides={strides}{ulp}"
        )

    @classmethod
    def parse(cls, text: str) -> ArrayArgument:
        """Reads what `str` wrote.

        Raises:
            ValueError: No contents have the name that `values` has.
        """
        _, number, element, *rest = text.split()
        values = dict(word.split("=") for word in rest)
        shape = tuple(int(n) for n in values["shape"].split("x"))
        strides = tuple(int(n) for n in values["strides"].split(","))
        size, start = int(values["size"]), int(values["start"])
        ulp = float(values.get("ulp", "0"))
        scale = float(values.get("scale", "0"))
        kind = values.get("values", "whole" if "whole" in values else "any")
        if kind not in VALUES:
            known = ", ".join(VALUES)
            raise ValueError(f"expected values of a kind {known}; got '{kind}'")
        return cls(int(number), element, size, start, shape, strides, ulp, kind, scale)

    def buffer(self, seed: int) -> Buffer:
        """The memory with its contents."""
        rng = np.random.default_rng((seed, self.number))
        data = VALUES[self.values](rng, self.size, self.element)
        return Buffer(data, self.start, self.shape, self.strides)


@dataclass(frozen=True)
class ScalarArgument:
    """A number: its element type and its bits as an unsigned integer."""

    element: str
    bits: int

    def __str__(self) -> str:
        return f"scalar {self.element} {self.bits:#x}"

    @classmethod
    def parse(cls, text: str) -> ScalarArgument:
        """Reads what `str` wrote."""
        _, element, bits = text.split()
        return cls(element, int(bits, 16))

    def value(self) -> Any:
        """The NumPy scalar."""
        dtype = DTYPES[self.element]
        if self.element == "i1":
            return np.bool_(self.bits)
        word = np.array(self.bits, f"u{dtype.itemsize}")
        return word.view(dtype)[()]


Argument = ArrayArgument | ScalarArgument


@dataclass(frozen=True)
class Case:
    """A module with one kernel `k`, and how to run it.

    Attributes:
        body: The module's text.
        args: The kernel's arguments.
        seed: Seed of the arrays' contents and of the emulator's order.
        grid: Tile blocks along x.
        num_warps: Warps per CTA, or None to let the compiler choose.
        name: Where it comes from.
        mode: The interpreter's mode.
    """

    body: str
    args: tuple[Argument, ...]
    seed: int
    grid: int
    num_warps: int | None
    name: str = ""
    mode: Literal["strict", "hardware"] = "strict"

    def __str__(self) -> str:
        mode = " hardware=1" if self.mode == "hardware" else ""
        lines = [
            f"{HEAD}seed={self.seed} grid={self.grid} warps={self.num_warps or 0}"
            f"{mode}",
            *(f"{HEAD}{argument}" for argument in self.args),
        ]
        return "\n".join([*lines, self.body])

    @classmethod
    def parse(cls, text: str, name: str) -> Case:
        """Reads what `str` wrote.

        Raises:
            ValueError: The text does not begin as a case does.
        """
        heads = re.findall(rf"^{re.escape(HEAD)}(.*)$", text, re.MULTILINE)
        if not heads:
            raise ValueError(f"{name}: expected lines that begin with '{HEAD}'")
        values = {k: int(v) for k, v in (w.split("=") for w in heads[0].split())}
        args = [
            (ArrayArgument if head.startswith("array") else ScalarArgument).parse(head)
            for head in heads[1:]
        ]
        warps = values["warps"] or None
        mode = "hardware" if values.get("hardware") else "strict"
        seed, grid = values["seed"], values["grid"]
        return cls(text, tuple(args), seed, grid, warps, name, mode)

    def arrays(self) -> list[ArrayArgument]:
        """One argument for each of the arrays that `memories` gives."""
        arrays = [a for a in self.args if isinstance(a, ArrayArgument)]
        return list({array.number: array for array in arrays}.values())

    def memories(self) -> tuple[list[Array], list[Any]]:
        """Fresh memory for each array, and the arguments for one launch."""
        memories: dict[int, tuple[Array, Array]] = {}
        args: list[Any] = []
        for argument in self.args:
            if isinstance(argument, ScalarArgument):
                args.append(argument.value())
                continue
            if argument.number not in memories:
                memories[argument.number] = argument.buffer(self.seed).bind()
            args.append(memories[argument.number][1])
        return [memory for memory, _ in memories.values()], args


def make_case(recipe: Recipe, program: RandomProgram) -> Case:
    """The case of a program that has been written."""
    numbers: dict[int, int] = {}
    args: list[Argument] = []
    for element, arg in zip(_elements(program), program.args, strict=True):
        if isinstance(arg, Buffer):
            number = numbers.setdefault(id(arg), len(numbers))
            args.append(
                ArrayArgument(
                    number,
                    element,
                    arg.data.size,
                    arg.start,
                    arg.shape,
                    arg.strides,
                    arg.ulp,
                    arg.values,
                )
            )
        else:
            args.append(ScalarArgument(element, _bits(arg, element)))
    lines = "\n".join([*program.globals, program.entry()])
    body = f"cuda_tile.module @m {{\n{lines}\n}}\n"
    return Case(
        body,
        tuple(args),
        recipe.case_seed,
        recipe.grid,
        recipe.num_warps,
        recipe.name,
        "hardware" if any(n.startswith(OUTSIDE) for n in program.notes) else "strict",
    )


def _elements(program: RandomProgram) -> list[str]:
    """Element types of the parameters, of the pointees where they are pointers."""
    found = [re.search(r"tile<(?:ptr<)?(\w+)", text) for text in program.parameters]
    return [match[1] for match in found if match is not None]


def _bits(value: Any, element: str) -> int:
    if element == "i1":
        return int(bool(value))
    if is_float(element):
        return int(np.asarray(value).view(f"u{BITS[element] // 8}"))
    return int(value) & (2 ** BITS[element] - 1)
