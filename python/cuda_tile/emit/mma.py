"""Family mma: `mma.sync`, or multiply-adds, over the atoms of a tile."""

from __future__ import annotations

from itertools import islice

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.mma_fma import multiply_add
from cuda_tile.emit.mma_operands import (
    OperandForm,
    element_name,
    operand_form,
    operand_words,
)
from cuda_tile.errors import InternalError
from cuda_tile.ir.attributes import keyword
from cuda_tile.ir.tiles import element_of, layout_of
from cuda_tile.layout.atoms import MMA_ATOMS, MmaAtom
from cuda_tile.layout.fragments import atom_registers


SMALL_FLOATS = ("e4m3", "e5m2")


@RULES.register("mmaf", "mmai", "tileas.mma_sync")
def mma_sync(e: Emitter, op: ir.Operation) -> None:
    """One instruction per atom, K outermost; `stage` made mma_sync of every product.

    Fragments: PTX ISA, "Warp-level Matrix Instructions: mma".
    """
    lhs, rhs, acc = op.operands
    atom = MMA_ATOMS[ir.StringAttr(op.attributes["atom"]).value]
    types = atom.find(element_name(lhs), element_name(acc))
    if types is None:
        raise InternalError(f"emit: {atom.name} of {element_name(lhs)}")
    if not atom.is_instruction:
        multiply_add(e, op, atom)
        return
    instruction = MmaSync(e, op, atom, operand_form(types.computed_as))
    a_atoms = operand_words(e, lhs, "a", atom, types.computed_as)
    b_atoms = operand_words(e, rhs, "b", atom, types.computed_as)
    sums = Sums(e, acc, instruction.per_sum)
    for k in sorted({origin[-1] for origin in a_atoms}):
        for origin, registers in atom_registers(layout_of(acc), atom.c).items():
            results = instruction.emit(
                a_atoms[(*origin[:-1], k)],
                b_atoms[(*origin[:-2], k, origin[-1])],
                sums.take(registers),
            )
            sums.put(registers, results)
    e.set(op.results[0], sums.fragment())


class Sums:
    """The accumulators of a tile while its atoms are computed."""

    def __init__(self, e: Emitter, acc: ir.Value, per_word: int) -> None:
        self._packer, self._per_word = e.packer, per_word
        self._layout = layout_of(acc)
        self._scalars = e.packer.scalars(e.fragment(acc))

    def take(self, registers: tuple[int | None, ...]) -> list[ir.Value]:
        """The register operands of one atom."""
        scalars = [self._scalars[r] for r in registers if r is not None]
        return [
            self._packer.pack_values(scalars[i : i + self._per_word])
            for i in range(0, len(scalars), self._per_word)
        ]

    def put(self, registers: tuple[int | None, ...], words: list[ir.Value]) -> None:
        """Notes what an atom gave."""
        values = [
            value for w in words for value in self._packer.split(w, self._per_word)
        ]
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
        n_a, n_b = (part.n_registers // form.per_word for part in (atom.a, atom.b))
        n_c = atom.c.n_registers // self.per_sum
        self._types = [b.vector_type(self.per_sum, element)] * n_c
        self._result = b.struct_type(self._types)
        self._text = ""
        if form.ptx_type in SMALL_FLOATS:
            kinds = f"{form.ptx_type}.{form.ptx_type}"
            self._text = f"mma.sync.aligned.{atom.name}.row.col.f32.{kinds}.f32"
            return
        shape = "#nvvm.shape<m = {}, n = {}, k = {}>".format(*atom.shape)
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
        self, a: list[ir.Value], b: list[ir.Value], c: list[ir.Value]
    ) -> list[ir.Value]:
        """One instruction on the registers of an atom; gives the new accumulators."""
        builder = self._builder
        if self._text:
            return self._inline(a, b, c)
        op = builder.create(
            "nvvm.mma.sync", [self._result], [*a, *b, *c], self._attributes
        )
        return builder.fields(op.results[0], self._types)

    def _inline(
        self, a: list[ir.Value], b: list[ir.Value], c: list[ir.Value]
    ) -> list[ir.Value]:
        """The same as text: of small floats MLIR 22 has no `nvvm.mma.sync`."""
        slots = (f"${i}" for i in range(len(c) + len(a) + len(b) + len(c)))
        groups = [
            "{" + ", ".join(islice(slots, len(part))) + "}" for part in (c, a, b, c)
        ]
        letters = ["=f"] * len(c) + ["r"] * len(a + b) + ["f"] * len(c)
        return self._builder.inline_ptx(
            f"{self._text} {', '.join(groups)};",
            ",".join(letters),
            self._types,
            [*a, *b, *c],
            side_effects=True,  # all lanes take part: it stays where it stands
        )
