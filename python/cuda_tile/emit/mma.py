# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Family mma: `mma.sync`, or multiply-adds, over the atoms of a tile."""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.emit.emitter import RULES, Emitter
from cuda_tile.emit.mma_fma import multiply_add
from cuda_tile.emit.mma_operands import element_name, operand_form, operand_words
from cuda_tile.emit.mma_scaled import BlockScaled, add_scaled_blocks
from cuda_tile.emit.mma_sync import MmaSync, Product, Sums, add_promoted
from cuda_tile.errors import InternalError
from cuda_tile.ir.copies import planned
from cuda_tile.ir.tiles import layout_of
from cuda_tile.layout.atoms import MMA_ATOMS, find_types
from cuda_tile.layout.fragments import atom_registers


@RULES.register("mmaf", "mmai", "mmaf_scaled", "tileas.mma_sync")
def mma_sync(e: Emitter, op: ir.Operation) -> None:
    """One instruction per atom, K outermost; `stage` made mma_sync of every product.

    Fragments: PTX ISA, "Warp-level Matrix Instructions: mma".
    """
    lhs, rhs, acc, *scales = op.operands
    atom = MMA_ATOMS[ir.StringAttr(op.attributes["atom"]).value]
    types = find_types(atom.types, element_name(lhs), element_name(acc))
    if types is None:
        raise InternalError(f"emit: {atom.name} of {element_name(lhs)}")
    if not atom.is_instruction:
        left, right = ((e.fragment(v), element_name(v)) for v in (lhs, rhs))
        e.set(op.results[0], multiply_add(e, (left, right), atom, e.fragment(acc)))
        return
    form = operand_form(types.computed_as)
    if atom.scalings:
        instruction = BlockScaled(e, op, atom, form)
    else:
        instruction = MmaSync(e, op, atom, form)
    product = Product(
        atom,
        operand_words(e, lhs, "a", atom, types.computed_as),
        operand_words(e, rhs, "b", atom, types.computed_as),
        instruction,
    )
    sums = Sums(e, acc, instruction.per_sum)
    if scales and not atom.scalings:
        add_scaled_blocks(e, op, product, sums)
    elif depth := planned(op, "promote", 0):
        add_promoted(e, product, sums, atom_registers(layout_of(acc), atom.c), depth)
    else:
        origins = atom_registers(layout_of(acc), atom.c)
        for k in product.depths:
            for origin, registers in origins.items():
                sums.put(registers, product.at(origin, k, sums.take(registers)))
    e.set(op.results[0], sums.fragment())
