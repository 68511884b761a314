# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types by name and their sizes, without NumPy, which `runtime.elements` adds.

Compilations ask for sizes only, and NumPy's start takes longer than most of them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from cuda_tile.errors import Unsupported


class ElementForm(NamedTuple):
    """What an element type is, and the room that it takes.

    Attributes:
        name: As `runtime.elements.Element` has it.
        kind: `int`, `float` or `pointer`.
        bits: Width of the value; 1 for i1, 64 for pointers.
        storage_bytes: Bytes of one element in memory; the 4-bit types, of which two
            share a byte, count as one.
        pointee: Name of the element type behind a pointer, else None.
    """

    name: str
    kind: str
    bits: int
    storage_bytes: int
    pointee: str | None = None

    @property
    def is_packed(self) -> bool:
        """Whether two elements share a byte, the even one in the low half."""
        return self.bits == 4


_FORMS: dict[str, tuple[str, int, int]] = {
    "i1": ("int", 1, 1),
    "i4": ("int", 4, 1),
    "i8": ("int", 8, 1),
    "i16": ("int", 16, 2),
    "i32": ("int", 32, 4),
    "i64": ("int", 64, 8),
    "f16": ("float", 16, 2),
    "bf16": ("float", 16, 2),
    "f32": ("float", 32, 4),
    "tf32": ("float", 32, 4),
    "f64": ("float", 64, 8),
    "f8E4M3FN": ("float", 8, 1),
    "f8E5M2": ("float", 8, 1),
    "f8E8M0FNU": ("float", 8, 1),
    "f8E5M3FNU": ("float", 8, 1),
    "f4E2M1FN": ("float", 4, 1),
}


@cache
def element_form(name: str) -> ElementForm:
    """The form of the element type called `name`, e.g. `bf16` or `ptr<i32>`.

    Raises:
        Unsupported: There is no such type, or pointers to it.
    """
    text = name.removeprefix("!cuda_tile.").replace("fnv8E5M3FNU", "f8E5M3FNU")
    if text.startswith("ptr<") and text.endswith(">"):
        # An attribute, as in `ptr<f32, <multicast>>`, says nothing about the values.
        pointee = element_form(text[4:-1].partition(",")[0])
        return ElementForm(f"ptr<{pointee.name}>", "pointer", 64, 8, pointee.name)
    known = _FORMS.get(text)
    if known is None:
        raise Unsupported(
            f"expected an element type among {', '.join(_FORMS)} or a pointer to one, "
            f"got '{text}'"
        )
    return ElementForm(text, *known)
