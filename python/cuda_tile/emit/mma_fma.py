# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products without a matrix instruction: each thread multiplies and adds."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.emit.mma_operands import element_name
from cuda_tile.ir.tiles import layout_of
from cuda_tile.layout.atoms import MmaAtom
from cuda_tile.layout.fragments import atom_registers

TF32_BITS = 0xFFFFE000
"""The bits of the container that a tf32 value has (PTX ISA, "Alternate Floating-Point
Data Formats"); matrix instructions ignore the others."""


def multiply_add(e: Emitter, op: ir.Operation, atom: MmaAtom) -> None:
    """Adds the products of what the thread holds to its sums, K outermost."""
    lhs, rhs, acc = op.operands
    b = e.builder
    left, right = (_wide(e, value) for value in (lhs, rhs))
    sums = list(e.packer.scalars(e.fragment(acc)))
    a_atoms = atom_registers(layout_of(lhs), atom.a, 1)
    b_atoms = atom_registers(layout_of(rhs), atom.b, 0)
    c_atoms = atom_registers(layout_of(acc), atom.c)
    depth = atom.shape[2]
    for k in sorted({origin[-1] for origin in a_atoms}):
        for step in range(depth):
            for origin, registers in c_atoms.items():
                x = a_atoms[(*origin[:-1], k)][step]
                columns = b_atoms[(*origin[:-2], k, origin[-1])]
                done: set[int] = set()
                for column, register in enumerate(registers):
                    y = columns[column + len(registers) * step]
                    if x is None or y is None or register is None or register in done:
                        continue
                    done.add(register)
                    total = sums[register]
                    sums[register] = b.op(
                        "llvm.intr.fma", total.type, left[x], right[y], total
                    )
    e.set(op.results[0], Fragment(layout_of(acc), tuple(sums)))


def _wide(e: Emitter, value: ir.Value) -> list[ir.Value]:
    """The elements in the type of the sum; the conversion is exact."""
    b, scalars = e.builder, e.packer.scalars(e.fragment(value))
    match element_name(value):
        case "bf16":
            return [b.op("llvm.fpext", b.f32, x) for x in scalars]
        case "tf32":
            mask = b.constant(b.i32, TF32_BITS)
            words = [b.bitcast(x, b.i32) for x in scalars]
            return [
                b.bitcast(b.op("llvm.and", b.i32, word, mask), b.f32) for word in words
            ]
        case _:
            return scalars
