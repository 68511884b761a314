# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scale factors of products: in the instruction, or on what it gives for a block."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.mma_operands import OperandForm, element_name, join_bytes
from cuda_tile.emit.mma_sync import Product, Sums, inline_mma
from cuda_tile.emit.narrow import decoded
from cuda_tile.errors import InternalError
from cuda_tile.ir.tiles import layout_of, shape_of
from cuda_tile.layout.atoms import MmaAtom, Role
from cuda_tile.layout.coords import Coord
from cuda_tile.layout.fragments import atom_registers

Factors = tuple[ir.Value, ...]
"""f32 values whose product is a scale factor."""
_NAN = 0x7FC00000
_F32_MANTISSA_BITS = 23


# On the sums of a block ---------------------------------------------------------------


def add_scaled_blocks(
    e: Emitter, op: ir.Operation, product: Product, sums: Sums
) -> None:
    """Multiplies each block by itself and adds it, scaled, to the sums.

    The sum over a block is that of exact products of the operands as they are, so that
    factors far from 1 neither overflow nor lose bits before they meet.
    """
    lhs, _, acc, lhs_scale, rhs_scale = op.operands
    b, atom = e.builder, product.atom
    rows, columns = (_Scales(e, v, atom, r) for v, r in _sides(lhs_scale, rhs_scale))
    zero = b.constant(b.f32, 0.0)
    block = shape_of(lhs)[-1] // shape_of(lhs_scale)[-1]
    places = _places(atom)
    for number in range(shape_of(lhs_scale)[-1]):
        depths = [k for k in product.depths if k // block == number]
        for origin, registers in atom_registers(layout_of(acc), atom.c).items():
            total = [zero] * len(registers)
            for k in depths:
                total = product.at(origin, k, total)
            before = sums.take(registers)
            after: list[ir.Value] = []
            for i, (row, column) in enumerate(places):
                x = rows.factors((*origin[:-1], number), row)
                y = columns.factors((*origin[:-2], number, origin[-1]), column)
                after.append(_add(e, total[i], before[i], x, y))
            sums.put(registers, after)


def _sides(left: ir.Value, right: ir.Value) -> list[tuple[ir.Value, Role]]:
    return [(left, "sa"), (right, "sb")]


def _places(atom: MmaAtom) -> list[tuple[int, int]]:
    """Per result of an atom which factor of A and of B a thread takes for it."""
    rows = [atom.fragment("sa").apply(i)[0] for i in range(_count(atom, "sa"))]
    columns = [atom.fragment("sb").apply(i)[1] for i in range(_count(atom, "sb"))]
    results = [atom.c.apply(i) for i in range(atom.c.n_registers)]
    return [(rows.index(row), columns.index(column)) for row, column in results]


def _count(atom: MmaAtom, role: Role) -> int:
    return atom.fragment(role).n_registers


def _add(
    e: Emitter, total: ir.Value, before: ir.Value, x: Factors, y: Factors
) -> ir.Value:
    """`total` times all factors, plus `before`."""
    b = e.builder
    *first, last = [
        b.op("llvm.fmul", b.f32, one, other) for one, other in zip(x, y, strict=True)
    ]
    for factor in first:
        total = b.op("llvm.fmul", b.f32, total, factor)
    return b.op("llvm.intr.fma", b.f32, total, last, before)


class _Scales:
    """The scale factors of one operand, each decoded once."""

    def __init__(self, e: Emitter, value: ir.Value, atom: MmaAtom, role: Role) -> None:
        self._e, self._role, self._kind = e, role, element_name(value)
        self._scalars = e.packer.scalars(e.fragment(value))
        self._atoms = atom_registers(layout_of(value), atom.fragment(role))
        self._made: dict[int, Factors] = {}

    def factors(self, origin: Coord, index: int) -> Factors:
        """The scales whose product is the factor `index` of the atom at an origin."""
        register = self._atoms[origin][index]
        if register is None:
            raise InternalError("emit: a scale factor beyond its tile")
        if register not in self._made:
            self._made[register] = self._decode(self._scalars[register])
        return self._made[register]

    def _decode(self, code: ir.Value) -> Factors:
        """A float as f32; a power of two as two of half the exponent.

        Of 2^a 2^b the parts round a / 2 once up and once down, those of the other side
        the other way round: their products reach from 2^-127 to 2^127, as f32 does.
        """
        e, b = self._e, self._e.builder
        if self._kind != "f8E8M0FNU":
            pair = decoded(e, self._kind, (b.op("llvm.zext", b.i16, code),))
            return (b.op("llvm.fpext", b.f32, b.elements(pair[0], 2)[0]),)
        w = b.binary
        word = b.op("llvm.zext", b.i32, code)
        is_nan = b.icmp("eq", word, 0xFF)
        found: list[ir.Value] = []
        for up in (1, 0) if self._role == "sa" else (0, 1):
            half = w("lshr", w("add", word, 127 + up), 1)
            bits = w("shl", half, _F32_MANTISSA_BITS)
            bits = b.select(is_nan, b.constant(b.i32, _NAN), bits)
            found.append(b.bitcast(bits, b.f32))
        return tuple(found)


# In the instruction -------------------------------------------------------------------

_KINDS = {
    "m16n8k32.mxf8": ("kind::mxf8f6f4", "scale_vec::1X"),
    "m16n8k64.mxf4": ("kind::mxf4", "scale_vec::2X"),
    "m16n8k64.nvf4": ("kind::mxf4nvf4", "scale_vec::4X"),
}
_SCALE_NAMES = {"f8E8M0FNU": "ue8m0", "f8E4M3FN": "ue4m3"}


class BlockScaled:
    """`mma.sync` that takes scale factors (PTX ISA, "Block Scaling for mma.sync")."""

    per_sum = 1

    def __init__(
        self, e: Emitter, op: ir.Operation, atom: MmaAtom, form: OperandForm
    ) -> None:
        self._e = e
        left, right = op.operands[3:]
        kind, vector = _KINDS[atom.name]
        shape = atom.name.partition(".")[0]
        types = f"f32.{form.ptx_type}.{form.ptx_type}.f32"
        self._name = (
            f"mma.sync.aligned.{kind}.block_scale.{vector}.{shape}.row.col.{types}"
            f".{_SCALE_NAMES[element_name(left)]}"
        )
        self._block = atom.shape[2] // atom.factors
        self._words = [self._packed(v, atom, r) for v, r in _sides(left, right)]

    def _packed(
        self, value: ir.Value, atom: MmaAtom, role: Role
    ) -> dict[Coord, ir.Value]:
        """Per atom the factors along K in the bytes of a word."""
        e, b = self._e, self._e.builder
        scalars = e.packer.scalars(e.fragment(value))
        zero = b.constant(b.i8, 0)
        along = 1 if role == "sa" else 0
        atoms = atom_registers(layout_of(value), atom.fragment(role), along)
        return {
            origin: join_bytes(
                e, [zero if r is None else scalars[r] for r in registers]
            )
            for origin, registers in atoms.items()
        }

    def emit(
        self,
        a: list[ir.Value],
        b: list[ir.Value],
        c: list[ir.Value],
        at: tuple[Coord, int],
    ) -> list[ir.Value]:
        """One instruction on the registers of an atom; gives the new accumulators.

        Args:
            a: Registers of A.
            b: Registers of B.
            c: Registers of the sum.
            at: The origin of the atom and its depth along K.
        """
        origin, k = at
        block = k // self._block
        scales = [
            self._words[0][(*origin[:-1], block)],
            self._words[1][(*origin[:-2], block, origin[-1])],
        ]
        return inline_mma(self._e.builder, self._name, (a, b, c), scales)
