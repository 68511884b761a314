# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products without a matrix instruction: each thread multiplies and adds."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import Emitter
from cuda_tile.emit.fragment import Fragment
from cuda_tile.layout.atoms import MmaAtom
from cuda_tile.layout.fragments import atom_registers

Factors = tuple[tuple[Fragment, str], tuple[Fragment, str]]
"""A and B, each with the name of its element type."""
TF32_BITS = 0xFFFFE000
"""The bits of the container that a tf32 value has (PTX ISA, "Alternate Floating-Point
Data Formats"); matrix instructions ignore the others."""


def multiply_add(
    e: Emitter, factors: Factors, atom: MmaAtom, acc: Fragment
) -> Fragment:
    """Adds the products of what the thread holds to its sums, K outermost.

    Args:
        e: The emitter.
        factors: A and B, each with the name of its element type.
        atom: The multiply-adds.
        acc: The sums.
    """
    b = e.builder
    (lhs, _), (rhs, _) = factors
    left, right = (_wide(e, *factor) for factor in factors)
    sums = list(e.packer.scalars(acc))
    a_atoms = atom_registers(lhs.layout, atom.a, 1)
    b_atoms = atom_registers(rhs.layout, atom.b, 0)
    c_atoms = atom_registers(acc.layout, atom.c)
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
    return Fragment(acc.layout, tuple(sums))


def _wide(e: Emitter, fragment: Fragment, element: str) -> list[ir.Value]:
    """The elements in the type of the sum; the conversion is exact."""
    b, scalars = e.builder, e.packer.scalars(fragment)
    match element:
        case "bf16":
            return [b.op("llvm.fpext", b.f32, x) for x in scalars]
        case "tf32":
            words = [b.bitcast(x, b.i32) for x in scalars]
            return [
                b.bitcast(b.binary("and", word, TF32_BITS), b.f32) for word in words
            ]
        case _:
            return scalars
