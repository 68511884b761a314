"""Family mma: `mma.sync` over the atoms of a tile."""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.errors import InternalError
from cuda_tile.ir.tiles import element_of, layout_of
from cuda_tile.layout.coords import Coord
from cuda_tile.layout.fragments import MMA_ATOMS, MmaAtom, atom_registers


@dataclass(frozen=True)
class OperandForm:
    """How `nvvm.mma.sync` takes an operand of one element type.

    Attributes:
        ptx_type: Its name in `#nvvm.mma_type`.
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
}
"""By element type (MLIR, NVVM dialect, `nvvm.mma.sync`)."""


@RULES.register("mmaf", "tileas.mma_sync")
def mma_sync(e: Emitter, op: ir.Operation) -> None:
    """One instruction per atom, K outermost; `stage` made mma_sync of every mmaf.

    Fragments: PTX ISA, "Warp-level Matrix Instructions: mma".
    """
    lhs, rhs, acc = op.operands
    atom = MMA_ATOMS[ir.StringAttr(op.attributes["atom"]).value]
    form = OPERANDS.get(str(element_of(lhs)))
    if form is None:
        raise InternalError(
            f"emit: no operand form for {element_of(lhs)} of {atom.name}"
        )
    instruction = MmaSync(e, atom, form, e.element_type(element_of(acc)))
    c = e.packer.scalars(e.fragment(acc))
    a_atoms = _operand_words(e, lhs, atom_registers(layout_of(lhs), atom.a), form)
    b_atoms = _operand_words(e, rhs, atom_registers(layout_of(rhs), atom.b), form)
    c_atoms = atom_registers(layout_of(acc), atom.c)
    for k in sorted({origin[-1] for origin in a_atoms}):
        for origin, registers in c_atoms.items():
            results = instruction.emit(
                a_atoms[(*origin[:-2], origin[-2], k)],
                b_atoms[(*origin[:-2], k, origin[-1])],
                [c[r] for r in registers],
            )
            for register, value in zip(registers, results, strict=True):
                c[register] = value
    e.set(op.results[0], Fragment(layout_of(acc), tuple(c)))


def _operand_words(
    e: Emitter, value: ir.Value, atoms: dict[Coord, tuple[int, ...]], form: OperandForm
) -> dict[Coord, list[ir.Value]]:
    """Per atom the register operands of the instruction."""
    words = e.packer.packed(e.fragment(value), form.per_word)
    if form.as_integer:
        words = [e.builder.bitcast(word, e.builder.i32) for word in words]
    step = form.per_word
    return {
        origin: [words[r // step] for r in registers[::step]]
        for origin, registers in atoms.items()
    }


class MmaSync:
    """`mma.sync` of one atom for one operand type."""

    def __init__(
        self, e: Emitter, atom: MmaAtom, form: OperandForm, accumulator: ir.Type
    ) -> None:
        self._builder = e.builder
        a, b = (part.n_registers // form.per_word for part in (atom.a, atom.b))
        c = atom.c.n_registers
        self._types = [accumulator] * c
        self._result = e.builder.struct_type(self._types)
        shape = "#nvvm.shape<m = {}, n = {}, k = {}>".format(*atom.shape)
        kind = e.builder.attribute(f"#nvvm.mma_type<{form.ptx_type}>")
        self._attributes = {
            "shape": e.builder.attribute(shape),
            "layoutA": e.builder.attribute("#nvvm.mma_layout<row>"),
            "layoutB": e.builder.attribute("#nvvm.mma_layout<col>"),
            "multiplicandAPtxType": kind,
            "multiplicandBPtxType": kind,
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([a, b, c]),
        }

    def emit(
        self, a: list[ir.Value], b: list[ir.Value], c: list[ir.Value]
    ) -> list[ir.Value]:
        """One instruction on the registers of an atom; gives the new accumulators."""
        builder = self._builder
        op = builder.create(
            "nvvm.mma.sync", [self._result], [*a, *b, *c], self._attributes
        )
        return builder.fields(op.results[0], self._types)
