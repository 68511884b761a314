# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The registers of a product's operands, as the instruction of an atom takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.narrow import decoded
from cuda_tile.emit.pairs import Pair, pairs_of
from cuda_tile.errors import InternalError
from cuda_tile.ir.tiles import element_of, layout_of
from cuda_tile.layout.atoms import MmaAtom, Role
from cuda_tile.layout.coords import Coord
from cuda_tile.layout.fragments import atom_registers, padded_lanes
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.records import dataclass

Registers = dict[Coord, list[ir.Value]]
"""Per origin of an atom its registers."""

DEPTH: dict[Role, int] = {"a": 1, "b": 0}
"""The dimension of each operand that a product sums over."""


@dataclass(frozen=True)
class OperandForm:
    """How `mma.sync` takes an operand of one element type.

    Attributes:
        ptx_type: Its name in PTX and in `#nvvm.mma_type`.
        per_word: Elements in one register operand, low K first.
        as_integer: Whether that register is passed as an i32.
    """

    ptx_type: str
    per_word: int = 1
    as_integer: bool = False


OPERANDS = {
    "f16": OperandForm("f16", per_word=2),
    "bf16": OperandForm("bf16", per_word=2, as_integer=True),
    "tf32": OperandForm("tf32", as_integer=True),
    "f64": OperandForm("f64"),
    "i8": OperandForm("s8", per_word=4, as_integer=True),
    "f8E4M3FN": OperandForm("e4m3", per_word=4, as_integer=True),
    "f8E5M2": OperandForm("e5m2", per_word=4, as_integer=True),
    "f4E2M1FN": OperandForm("e2m1", per_word=8, as_integer=True),
}
"""By element type (MLIR, NVVM dialect, `nvvm.mma.sync`)."""
NIBBLES = 8
"""Elements of 4 bits in a word."""


def operand_form(element: str) -> OperandForm:
    """The form of an element type.

    Raises:
        InternalError: No matrix instruction takes it.
    """
    form = OPERANDS.get(element)
    if form is None:
        raise InternalError(f"emit: no operand form for {element}")
    return form


def operand_words(
    e: Emitter, value: ir.Value, role: Role, atom: MmaAtom, computed_as: str
) -> Registers:
    """Per atom the register operands of A or B.

    Elements beyond K are zero on both sides: an infinity times zero would be no zero.
    """
    layout, form = layout_of(value), operand_form(computed_as)
    fragment = atom.fragment(role)
    atoms = atom_registers(layout, fragment, DEPTH[role])
    kind = _Words if element_name(value) == computed_as else _WidenedWords
    words = (_NibbleWords if form.per_word == NIBBLES else kind)(e, value, form)
    made = {
        origin: [
            words.of(registers[i : i + form.per_word])
            for i in range(0, len(registers), form.per_word)
        ]
        for origin, registers in atoms.items()
    }
    depth = DEPTH[role]
    extent = layout.shape[depth - 2]
    outside = padded_lanes(fragment, depth, extent)
    if not outside:
        return made
    b = e.builder
    columns = [outside & (1 << bit) for bit in range(outside.bit_length())]
    holds = b.icmp("eq", e.threads.linear_form(columns), 0)
    return {
        origin: [b.select(holds, word, _zero(e, word.type)) for word in registers]
        for origin, registers in made.items()
    }


def integer_words(e: Emitter, value: ir.Value, fragment: LinearLayout) -> Registers:
    """Per atom the register operands of a tile made of a fragment, all of them i32.

    Args:
        e: The emitter.
        value: The tile.
        fragment: The layout of the fragment.
    """
    form = replace(operand_form(element_name(value)), as_integer=True)
    words = _Words(e, value, form)
    made: Registers = {}
    for origin, registers in atom_registers(layout_of(value), fragment).items():
        known = tuple(r for r in registers if r is not None)
        parts = range(0, len(known), form.per_word)
        made[origin] = [words.of(known[i : i + form.per_word]) for i in parts]
    return made


class _Words:
    """Registers of one operand, several elements to a word, each made once."""

    def __init__(self, e: Emitter, value: ir.Value, form: OperandForm) -> None:
        self._e, self._value, self._form = e, value, form
        self._made: dict[tuple[int | None, ...], ir.Value] = {}

    def of(self, registers: tuple[int | None, ...]) -> ir.Value:
        """The word of some registers of the tile, of which None are zero."""
        found = self._made.get(registers)
        if found is None:
            found = self._made[registers] = self.make(registers)
        return found

    def make(self, registers: tuple[int | None, ...]) -> ir.Value:
        """The same, a new one."""
        e, b, source = self._e, self._e.builder, self._e.fragment(self._value)
        first = registers[0]
        if (
            source.pack == len(registers)
            and first is not None
            and first % source.pack == 0
            and registers == tuple(range(first, first + source.pack))
        ):
            word = source.values[first // source.pack]
        else:
            scalars = e.packer.scalars(source)
            some = scalars[0]
            values = [
                _zero(e, some.type) if r is None else scalars[r] for r in registers
            ]
            if some.type == b.i8:
                return join_bytes(e, values)
            word = e.packer.pack_values(values)
        return b.bitcast(word, b.i32) if self._form.as_integer else word


class _WidenedWords(_Words):
    """The same of bytes that are converted to pairs of f16, exactly."""

    def make(self, registers: tuple[int | None, ...]) -> ir.Value:
        e, b = self._e, self._e.builder
        low, high = registers
        if low is not None and high == low + 1 and low % 2 == 0:
            pair = self._pairs[low // 2]
        else:
            scalars = e.packer.scalars(e.fragment(self._value))
            word = join_bytes(
                e, [_zero(e, b.i8) if r is None else scalars[r] for r in registers]
            )
            pair = (b.op("llvm.trunc", b.i16, word),)
        return decoded(e, element_name(self._value), pair)[0]

    @cached_property
    def _pairs(self) -> list[Pair]:
        return pairs_of(self._e, self._value)


class _NibbleWords(_Words):
    """Eight elements of 4 bits to a word; each lies in a byte of its own before."""

    def make(self, registers: tuple[int | None, ...]) -> ir.Value:
        e, w = self._e, self._e.builder.binary
        scalars, zero = (
            e.packer.scalars(e.fragment(self._value)),
            _zero(e, e.builder.i8),
        )
        halves: list[ir.Value] = []
        for part in (registers[:4], registers[4:]):
            word = join_bytes(e, [zero if r is None else scalars[r] for r in part])
            pairs = w("or", word, w("lshr", word, 4))
            low, high = w("and", pairs, 0xFF), w("and", w("lshr", pairs, 8), 0xFF00)
            halves.append(w("or", low, high))
        return w("or", halves[0], w("shl", halves[1], 16))


def join_bytes(e: Emitter, values: Sequence[ir.Value]) -> ir.Value:
    """Up to four bytes as a word, the first lowest.

    As parts of an integer, for the reason that `Builder.elements` splits words so.

    Args:
        e: The emitter.
        values: The bytes (i8).
    """
    b = e.builder
    word: ir.Value | None = None
    for place, value in enumerate(values):
        part = b.op("llvm.zext", b.i32, value)
        if place:
            part = b.binary("shl", part, 8 * place)
        word = part if word is None else b.binary("or", word, part)
    if word is None:
        raise InternalError("emit: a word of no bytes")
    return word


def _zero(e: Emitter, ty: ir.Type) -> ir.Value:
    """A zero of a scalar type or of a pair."""
    b = e.builder
    if isinstance(ty, ir.VectorType):
        zero = b.constant(ty.element_type, 0 if _is_integer(ty.element_type) else 0.0)
        return e.packer.pack_values([zero] * ty.shape[0])
    return b.constant(ty, 0 if _is_integer(ty) else 0.0)


def _is_integer(ty: ir.Type) -> bool:
    return isinstance(ty, ir.IntegerType)


def element_name(value: ir.Value) -> str:
    """The element type of a tile as MLIR writes it."""
    return str(element_of(value))
