# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of kernels that load tiles, do something with them and store the results."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from emit_data import DTYPES, random_values
from op_case import ARRAY_TYPES, Array

SCALARS = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "tf32")
BYTE_FLOATS = ("f8E4M3FN", "f8E5M2", "f8E8M0FNU")
NARROW = ("i4", "f4E2M1FN")
ELEMENTS = (*SCALARS, *BYTE_FLOATS)
"""Element types that an array can hold one to an item."""


def values_of(rng: np.random.Generator, count: int, element: str) -> Array:
    """Ordinary and special values; of floats that emit_data lacks, all codes."""
    if element in DTYPES:
        return random_values(rng, count, element)
    if element == "tf32":
        words = random_values(rng, count, "f32").view(np.uint32)
        return (words & np.uint32(0xFFFFE000)).view(np.float32)
    codes = rng.permutation(256)[:count].astype(np.uint8)
    return codes.view(ARRAY_TYPES[element])


@dataclass
class Kernel:
    """Text of one entry that grows line by line.

    Attributes:
        parameters: `%name: type`, in order.
        lines: Statements.
        globals: Lines of the module in front of the entry.
        done: The token of the last access.
    """

    parameters: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])
    globals: list[str] = field(default_factory=list[str])
    done: str = ""
    _count: int = 0

    def fresh(self, stem: str = "v") -> str:
        """A name that nothing else has."""
        self._count += 1
        return f"%{stem}{self._count}"

    def line(self, text: str) -> None:
        """Adds a statement."""
        self.lines.append(text)

    def array(self, element: str) -> str:
        """A parameter: pointer to elements."""
        name = self.fresh("p")
        self.parameters.append(f"{name}: tile<ptr<{element}>>")
        return name

    def scalar(self, element: str) -> str:
        """A parameter: one number."""
        name = self.fresh("n")
        self.parameters.append(f"{name}: tile<{element}>")
        return name

    def pointers(self, base: str, element: str, count: int) -> str:
        """Pointers to `count` elements from `base` on."""
        one, many = f"tile<1xptr<{element}>>", f"tile<{count}xptr<{element}>>"
        flat, wide, index = self.fresh(), self.fresh(), self.fresh("i")
        result = self.fresh("q")
        self.line(f"{flat} = reshape {base} : tile<ptr<{element}>> -> {one}")
        self.line(f"{wide} = broadcast {flat} : {one} -> {many}")
        self.line(f"{index} = iota : tile<{count}xi32>")
        offset = f"offset {wide}, {index} : {many}, tile<{count}xi32> -> {many}"
        self.line(f"{result} = {offset}")
        return result

    def load(self, base: str, element: str, count: int, token: str = "") -> str:
        """A tile of `count` elements from `base` on; rank 0 for a count of 0."""
        value, done = self.fresh(), self.fresh("t")
        self.done = done
        if count:
            base = self.pointers(base, element, count)
        size = f"{count}x" if count else ""
        after = f" token={token}" if token else ""
        self.line(
            f"{value}, {done} = load_ptr_tko weak {base}{after} "
            f": tile<{size}ptr<{element}>> -> tile<{size}{element}>, token"
        )
        return value

    def store(
        self, base: str, value: str, element: str, count: int, token: str = ""
    ) -> str:
        """Stores a tile of `count` elements; returns the token."""
        done = self.done = self.fresh("t")
        if count:
            base = self.pointers(base, element, count)
        size = f"{count}x" if count else ""
        after = f" token={token}" if token else ""
        self.line(
            f"{done} = store_ptr_tko weak {base}, {value}{after} "
            f": tile<{size}ptr<{element}>>, tile<{size}{element}> -> token"
        )
        return done

    def narrow(self, base: str, element: str, count: int) -> str:
        """A tile of `count` elements of 4 bits, from bytes."""
        value = self.fresh()
        loaded = self.load(base, "i8", count // 2)
        self.line(
            f"{value} = unpack {loaded} : tile<{count // 2}xi8> "
            f"-> tile<{count}x{element}>"
        )
        return value

    def store_narrow(self, base: str, value: str, element: str, count: int) -> None:
        """Stores such a tile as bytes."""
        raw = self.fresh()
        self.line(
            f"{raw} = pack {value} : tile<{count}x{element}> -> tile<{count // 2}xi8>"
        )
        self.store(base, raw, "i8", count // 2)

    def text(self) -> str:
        """The module."""
        lines = "\n    ".join([*self.lines, "return"])
        before = "\n  ".join(self.globals)
        return (
            f"cuda_tile.module @m {{\n  {before}\n"
            f"  entry @k({', '.join(self.parameters)}) {{\n    {lines}\n  }}\n}}\n"
        )
