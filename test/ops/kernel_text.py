# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of one entry, written line by line: arrays in, tile ops, arrays out.

An array belongs to each tile that is loaded or stored, its elements in row-major order.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

Shape = tuple[int, ...]

NIBBLES = ("i4", "f4E2M1FN")
"""Element types of which two share a byte in memory."""


def tile(shape: Shape, element: str) -> str:
    """The type of a tile."""
    return f"tile<{'x'.join([*map(str, shape), element])}>"


class KernelText:
    """Text of a module with one entry; values are given by name."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._parameters: list[str] = []
        self._count = 0
        self._iotas: dict[int, str] = {}

    def line(self, text: str) -> None:
        """Adds a line as it is."""
        self._lines.append(text)

    def fresh(self) -> str:
        """A name that no value has yet."""
        self._count += 1
        return f"%v{self._count}"

    def let(self, text: str) -> str:
        """Adds an op with one result; gives its name."""
        name = self.fresh()
        self.line(f"{name} = {text}")
        return name

    def scalar(self, element: str) -> str:
        """A scalar parameter."""
        name = self.fresh()
        self._parameters.append(f"{name}: tile<{element}>")
        return name

    def pointers(self, shape: Shape, element: str) -> str:
        """Addresses of the elements of a new array."""
        pointer, count = f"ptr<{element}>", prod(shape)
        base = self.scalar(pointer)
        if not shape:
            return base
        if count not in self._iotas:
            self._iotas[count] = self.let(f"iota : tile<{count}xi32>")
        one, row = tile((1,), pointer), tile((count,), pointer)
        first = self.let(f"reshape {base} : tile<{pointer}> -> {one}")
        all_ = self.let(f"broadcast {first} : {one} -> {row}")
        steps = self._iotas[count]
        moved = self.let(f"offset {all_}, {steps} : {row}, tile<{count}xi32> -> {row}")
        if shape == (count,):
            return moved
        return self.let(f"reshape {moved} : {row} -> {tile(shape, pointer)}")

    def load_from(self, pointers: str, shape: Shape, element: str) -> str:
        """A tile from addresses."""
        name = self.fresh()
        kind = f"{tile(shape, f'ptr<{element}>')} -> {tile(shape, element)}, token"
        self.line(f"{name}, {self.fresh()} = load_ptr_tko weak {pointers} : {kind}")
        return name

    def load(self, shape: Shape, element: str) -> str:
        """A tile from a new array; one of bytes for elements of 4 bits."""
        if element not in NIBBLES:
            return self.load_from(self.pointers(shape, element), shape, element)
        count = prod(shape)
        raw, row = tile((count // 2,), "i8"), tile((count,), element)
        flat = self.let(f"unpack {self.load((count // 2,), 'i8')} : {raw} -> {row}")
        return self.let(f"reshape {flat} : {row} -> {tile(shape, element)}")

    def store(self, value: str, shape: Shape, element: str) -> None:
        """Stores a tile to a new array; one of bytes for elements of 4 bits."""
        if element in NIBBLES:
            count = prod(shape)
            raw, row = tile((count // 2,), "i8"), tile((count,), element)
            flat = self.let(f"reshape {value} : {tile(shape, element)} -> {row}")
            packed = self.let(f"pack {flat} : {row} -> {raw}")
            self.store(packed, (count // 2,), "i8")
            return
        pointers = self.pointers(shape, element)
        kinds = f"{tile(shape, f'ptr<{element}>')}, {tile(shape, element)}"
        self.let(f"store_ptr_tko weak {pointers}, {value} : {kinds} -> token")

    def text(self) -> str:
        """The module."""
        body = "\n    ".join([*self._lines, "return"])
        return (
            f"cuda_tile.module @m {{ entry @k({', '.join(self._parameters)}) {{\n"
            f"    {body}\n}} }}\n"
        )


def dims_text(numbers: Sequence[int]) -> str:
    """A list of numbers as attributes write it."""
    return f"[{', '.join(map(str, numbers))}]"
