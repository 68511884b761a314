# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`mma.sync` of the atoms of a product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Protocol

from cuda_tile._mlir import ir
from cuda_tile.emit.builder import Builder
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.mma_operands import OperandForm, Registers
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of, layout_of
from cuda_tile.layout.atoms import MmaAtom
from cuda_tile.layout.coords import Coord
from cuda_tile.records import dataclass

SMALL_FLOATS = ("e4m3", "e5m2")
"""Operands of which MLIR 22 has no `nvvm.mma.sync`."""


class Instruction(Protocol):
    """A matrix instruction of one atom."""

    per_sum: int
    """Sums in one register operand: 2 of f16."""

    def emit(
        self,
        a: list[ir.Value],
        b: list[ir.Value],
        c: list[ir.Value],
        at: tuple[Coord, int],
    ) -> list[ir.Value]:
        """The sums after one instruction, of the atom at an origin and a depth.

        Args:
            a: Registers of A.
            b: Registers of B.
            c: Registers of the sum.
            at: The origin of the atom and its depth along K.
        """
        ...


@dataclass(frozen=True)
class Product:
    """The operands of a product in registers.

    Attributes:
        atom: What computes it.
        a: Register operands of A per origin of an atom.
        b: The same of B.
        instruction: What multiplies them.
    """

    atom: MmaAtom
    a: Registers
    b: Registers
    instruction: Instruction

    @property
    def depths(self) -> list[int]:
        """Where atoms begin along K."""
        return sorted({origin[-1] for origin in self.a})

    def at(self, origin: Coord, k: int, sums: list[ir.Value]) -> list[ir.Value]:
        """Adds one atom's product at depth `k` to the sums at `origin`."""
        return self.instruction.emit(
            self.a[(*origin[:-1], k)],
            self.b[(*origin[:-2], k, origin[-1])],
            sums,
            (origin, k),
        )


class Sums:
    """The accumulators of a tile while its atoms are computed."""

    def __init__(self, e: Emitter, acc: ir.Value, per_word: int) -> None:
        self._packer, self._per_word = e.packer, per_word
        self._layout = layout_of(acc)
        self._scalars = e.packer.scalars(e.fragment(acc))

    def take(self, registers: tuple[int | None, ...]) -> list[ir.Value]:
        """The register operands of one atom."""
        scalars = [self._scalars[r] for r in registers if r is not None]
        if self._per_word == 1:
            return scalars
        return [
            self._packer.pack_values(scalars[i : i + self._per_word])
            for i in range(0, len(scalars), self._per_word)
        ]

    def put(self, registers: tuple[int | None, ...], words: list[ir.Value]) -> None:
        """Notes what an atom gave.

        Args:
            registers: The numbers of the registers.
            words: Their values.
        """
        values = words
        if self._per_word > 1:
            split = self._packer.split
            values = [value for w in words for value in split(w, self._per_word)]
        for register, value in zip(registers, values, strict=True):
            if register is not None:
                self._scalars[register] = value

    def fragment(self) -> Fragment:
        """All of them."""
        return Fragment(self._layout, tuple(self._scalars))


class MmaSync:
    """`mma.sync` of one atom for one operand type."""

    def __init__(
        self, e: Emitter, op: ir.Operation, atom: MmaAtom, form: OperandForm
    ) -> None:
        b = self._builder = e.builder
        element = e.element_type(element_of(op.operands[2]))
        self.per_sum = 2 if element == b.f16 else 1
        self._columns = atom.columns
        n_a = atom.a.n_registers // form.per_word
        self._n_b = n_b = atom.b.n_registers // form.per_word // atom.columns
        n_c = atom.c.n_registers // self.per_sum // atom.columns
        self._types = [b.vector_type(self.per_sum, element)] * n_c
        self._result = b.struct_type(self._types)
        self._text = ""
        if form.ptx_type in SMALL_FLOATS:
            kinds = f"{form.ptx_type}.{form.ptx_type}"
            shape = "m{}n{}k{}".format(*atom.instruction_shape)
            self._text = f"mma.sync.aligned.{shape}.row.col.f32.{kinds}.f32"
            return
        shape = "#nvvm.shape<m = {}, n = {}, k = {}>".format(*atom.instruction_shape)
        self._attributes = {
            "shape": b.attribute(shape),
            "layoutA": b.attribute("#nvvm.mma_layout<row>"),
            "layoutB": b.attribute("#nvvm.mma_layout<col>"),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([n_a, n_b, n_c]),
        }
        for side, name in (("A", "signedness_lhs"), ("B", "signedness_rhs")):
            kind = form.ptx_type
            if name in op.attributes:
                kind = "s8" if keyword(op, name) == "signed" else "u8"
                wrapped = b.attribute("#nvvm.mma_int_overflow<wrapped>")
                self._attributes["intOverflowBehavior"] = wrapped
            ptx_type = b.attribute(f"#nvvm.mma_type<{kind}>")
            self._attributes[f"multiplicand{side}PtxType"] = ptx_type

    def emit(
        self,
        a: list[ir.Value],
        b: list[ir.Value],
        c: list[ir.Value],
        at: tuple[Coord, int],
    ) -> list[ir.Value]:
        """The instructions on the registers of an atom; gives the new accumulators.

        Args:
            a: Registers of A.
            b: Registers of B.
            c: Registers of the sum.
            at: The origin of the atom and its depth along K.
        """
        del at
        n_b, n_c = self._n_b, len(self._types)
        return [
            total
            for i in range(self._columns)
            for total in self._multiply(
                a, b[i * n_b : (i + 1) * n_b], c[i * n_c : (i + 1) * n_c]
            )
        ]

    def _multiply(
        self, a: list[ir.Value], b: list[ir.Value], c: list[ir.Value]
    ) -> list[ir.Value]:
        builder = self._builder
        if self._text:
            return inline_mma(builder, self._text, (a, b, c))
        op = builder.create(
            "nvvm.mma.sync", [self._result], [*a, *b, *c], self._attributes
        )
        return builder.fields(op.results[0], self._types)


def add_promoted(
    e: Emitter,
    product: Product,
    sums: Sums,
    origins: Mapping[Coord, tuple[int | None, ...]],
    depth: int,
) -> None:
    """Partial sums of `depth` elements along K, each added to the sums by f32."""
    b = e.builder
    zero = b.constant(b.f32, 0.0)
    step = max(1, depth // product.atom.shape[2])
    depths = product.depths
    # promotion C7
    for some in (depths[i : i + step] for i in range(0, len(depths), step)):
        for origin, registers in origins.items():
            before = sums.take(registers)
            part = [zero] * len(before)  # promotion C4
            for k in some:
                part = product.at(origin, k, part)
            pairs = zip(before, part, strict=True)
            sums.put(registers, [b.op("llvm.fadd", b.f32, *pair) for pair in pairs])


def inline_mma(
    builder: Builder,
    name: str,
    operands: Sequence[list[ir.Value]],
    scales: Sequence[ir.Value] = (),
) -> list[ir.Value]:
    """`mma.sync` as text, with sums of f32.

    Args:
        builder: Where to build.
        name: The instruction with its modifiers.
        operands: Registers of A, B and C.
        scales: Registers with the scale factors of A and of B; byte 0 and the first
            lanes of each quad are taken.
    """
    a, b, c = operands
    count = len(c) + len(a) + len(b) + len(c)
    slots = (f"${i}" for i in range(count + len(scales)))
    groups = ["{" + ", ".join(islice(slots, len(part))) + "}" for part in (c, a, b, c)]
    groups += [f"{slot}, {{0, 0}}" for slot in slots]
    text, types = f"{name} {', '.join(groups)};", [value.type for value in c]
    # All lanes take part: it stays where it stands.
    return builder.ptx(text, types, *a, *b, *c, *scales, has_effect=True)
