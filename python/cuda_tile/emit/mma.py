"""Family mma: `mma.sync` over the atoms of a tile."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.ir.tiles import element_of, layout_of
from cuda_tile.layout.fragments import M16N8K16, atom_registers

_ATTRIBUTES = {
    "shape": "#nvvm.shape<m = 16, n = 8, k = 16>",
    "layoutA": "#nvvm.mma_layout<row>",
    "layoutB": "#nvvm.mma_layout<col>",
}


@RULES.register("mmaf", "tileas.mma_sync")
def mma_sync(e: Emitter, op: ir.Operation) -> None:
    """One instruction per 16 x 8 x 16 atom, K outermost.

    Fragments: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
    """
    lhs, rhs, acc = op.operands
    a_words = _operand_words(e, lhs)
    b_words = _operand_words(e, rhs)
    c = e.packer.scalars(e.fragment(acc))
    a_atoms = atom_registers(layout_of(lhs), M16N8K16.a)
    b_atoms = atom_registers(layout_of(rhs), M16N8K16.b)
    c_atoms = atom_registers(layout_of(acc), M16N8K16.c)
    instruction = MmaSync(e, str(element_of(lhs)))
    for k in sorted({origin[-1] for origin in a_atoms}):
        for origin, registers in c_atoms.items():
            a = a_atoms[(*origin[:-2], origin[-2], k)]
            b = b_atoms[(*origin[:-2], k, origin[-1])]
            results = instruction.emit(
                [a_words[r // 2] for r in a[::2]],
                [b_words[r // 2] for r in b[::2]],
                [c[r] for r in registers],
            )
            for register, value in zip(registers, results, strict=True):
                c[register] = value
    e.set(op.results[0], Fragment(layout_of(acc), tuple(c)))


def _operand_words(e: Emitter, value: ir.Value) -> list[ir.Value]:
    """The operand's registers in pairs, low K first, as the instruction takes them."""
    words = e.packer.packed(e.fragment(value), 2)
    if str(element_of(value)) == "bf16":
        return [e.builder.bitcast(word, e.builder.i32) for word in words]
    return words


class MmaSync:
    """`mma.sync.m16n8k16` with an f32 accumulator, for one operand type."""

    def __init__(self, e: Emitter, element: str) -> None:
        self._builder = e.builder
        self._result = e.builder.struct_type([e.builder.f32] * 4)
        self._attributes = {
            name: ir.Attribute.parse(text) for name, text in _ATTRIBUTES.items()
        }
        kind = ir.Attribute.parse(f"#nvvm.mma_type<{element}>")
        self._attributes["multiplicandAPtxType"] = kind
        self._attributes["multiplicandBPtxType"] = kind
        self._attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([4, 2, 4])

    def emit(
        self, a: list[ir.Value], b: list[ir.Value], c: list[ir.Value]
    ) -> list[ir.Value]:
        """One instruction on 4, 2 and 4 registers; gives the new 4 accumulators."""
        builder = self._builder
        op = builder.create(
            "nvvm.mma.sync", [self._result], [*a, *b, *c], self._attributes
        )
        return builder.fields(op.results[0], [builder.f32] * 4)
