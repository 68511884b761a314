# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Formats of `print_tko` as calls of `vprintf`, and the values that these take.

Integers travel as 64 bits, extended as the directive reads them, and floats as double:
then `ll` is the only length, whatever the element. A directive that does not suit its
operand has no defined output; the format is then printed as it stands.
"""

from __future__ import annotations

import re

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import PointerType
from cuda_tile.emit.emitter import Emitter
from cuda_tile.errors import InternalError
from cuda_tile.records import dataclass
from cuda_tile.runtime.c_format import BITS_OF_SIZE, FLOATS, SIGNED, UNSIGNED

_DIRECTIVE = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>\.\d*)?"
    r"(?P<length>hh|h|ll|l|j|z|t|L|q)?(?P<letter>[a-zA-Z%])"
)
_NAN_BITS = 0x7FF8000000000000


@dataclass(frozen=True)
class Directive:
    """One directive of a format.

    Attributes:
        before: The text in front of it, still with `%%`.
        flags: Flags, width and precision as written.
        length: Length modifier, or "".
        letter: Conversion letter.
    """

    before: str
    flags: str
    length: str
    letter: str

    @property
    def layout(self) -> str:
        """How `vprintf` is told to print the value that `slot_of` makes."""
        length = "ll" if self.letter in SIGNED + UNSIGNED else ""
        return f"%{self.flags}{length}{self.letter}"

    def suits(self, element: ir.Type) -> bool:
        """Whether it prints elements of a type."""
        if isinstance(element, PointerType):
            return self.letter == "p"
        if isinstance(element, ir.FloatType):
            return self.letter in FLOATS
        return self.letter in SIGNED + UNSIGNED + "c"


def directives(text: str) -> tuple[list[Directive], str]:
    """The directives of a format in order, and the text behind the last one."""
    found: list[Directive] = []
    start = 0
    for match in _DIRECTIVE.finditer(text):
        if match["letter"] == "%":
            continue
        flags = match["flags"] + match["width"] + (match["precision"] or "")
        before = text[start : match.start()]
        found.append(Directive(before, flags, match["length"] or "", match["letter"]))
        start = match.end()
    return found, text[start:]


def escaped(text: str) -> str:
    """A text as a format that prints it."""
    return text.replace("%", "%%")


def slot_of(
    e: Emitter, value: ir.Value, element: ir.Type, directive: Directive
) -> ir.Value:
    """What `vprintf` takes for an element: 8 bytes, of `%c` 4.

    Args:
        e: The emitter.
        value: The element.
        element: Its type at level W.
        directive: The directive of the format.
    """
    b = e.builder
    if isinstance(element, PointerType):
        return b.op("llvm.ptrtoint", b.i64, value)
    if isinstance(element, ir.IntegerType):
        whole = _integer_slot(e, value, element.width, directive)
        return b.op("llvm.trunc", b.i32, whole) if directive.letter == "c" else whole
    if not isinstance(element, ir.FloatType):
        raise InternalError(f"emit: expected a number to print, got {element}")
    return _float_slot(e, value, element)


def _integer_slot(
    e: Emitter, value: ir.Value, width: int, directive: Directive
) -> ir.Value:
    b = e.builder
    narrow = ir.IntegerType.get_signless(width)
    if value.type != narrow:  # 4 bits in a byte
        value = b.op("llvm.trunc", narrow, value)
    # A true i1 prints as 1.
    is_signed = directive.letter in SIGNED and width > 1
    if width < 64:
        value = b.op("llvm.sext" if is_signed else "llvm.zext", b.i64, value)
    cut = BITS_OF_SIZE.get(directive.length, 64)
    if cut < 64 and directive.letter != "c":
        part = b.op("llvm.trunc", ir.IntegerType.get_signless(cut), value)
        is_signed = directive.letter in SIGNED
        value = b.op("llvm.sext" if is_signed else "llvm.zext", b.i64, part)
    return value


def _float_slot(e: Emitter, value: ir.Value, element: ir.FloatType) -> ir.Value:
    """A double; every NaN without a sign."""
    b = e.builder
    if element.width <= 8:
        return _from_table(e, value, element)
    wide = value if value.type == b.f64 else b.op("llvm.fpext", b.f64, value)
    nan = b.op("llvm.bitcast", b.f64, b.constant(b.i64, _NAN_BITS))
    return b.select(b.fcmp("uno", wide, wide), nan, wide)


def _from_table(e: Emitter, value: ir.Value, element: ir.FloatType) -> ir.Value:
    """Elements of 8 bits or less by a table of their values: exact on every chip."""
    import numpy as np

    from cuda_tile.runtime.elements import element as runtime_element
    from cuda_tile.runtime.elements import from_memory

    b = e.builder
    kind = runtime_element(str(element))
    codes = np.arange(1 << element.width, dtype=np.uint8).reshape(-1, 1)
    values = np.abs(from_memory(codes, kind).astype(np.float64))
    signs = np.signbit(from_memory(codes, kind).astype(np.float64))
    values = np.where(signs & ~np.isnan(values), -values, values)
    table = e.table(values.tobytes())
    index = b.op("llvm.zext", b.i64, value)
    place = b.byte_offset(table, b.mul(index, 8))
    return b.load(b.f64, place, 8)
