# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pairs: two CTAs serve a tile block where hints ask for that, each half of its rows.

Contract: in and out, verified level T. Where the producer hints at two CTAs
(`num_cta_in_cga = 2`) on a chip with tensor memory, the entry becomes one whose tile
blocks have half of the rows of each product and of what is made of it: blocks 2 i and
2 i + 1 along x, with `tileas.pair`. What both load alike for products, right operands,
has `tileas.halved`: each CTA of a pair brings half of it. Elsewhere the entry stays,
with a remark that says why.

Passes behind it know a tile block for a CTA. `plan` gives products instructions of
pairs, and roles that load and multiply; where it cannot, or `roles`, the compiler goes
back and leaves this pass out (replanning.py).

Contract `pair`
    Law: each row of a product is computed of its own row of A, of all of B, and of its
    own row of the sum.

    | | condition | near misses |
    |---|---|---|
    | C1 types | an instruction of a pair multiplies them, without scale factors | |
    | | | no_instruction_of_the_type |
    | C2 extents | 256 rows or a multiple, 32 to 256 columns | few_rows, few_columns |
    | C3 values | what has the rows of a sum is elementwise, renamed, carried, | |
    | | loaded or stored | sum_of_rows, sum_of_columns, numbered_rows |
    | C4 values | no tile is divided along two dimensions | square |
    | C5 captures | B is a tile that a view loads, and B of products alone | |
    | | | converted_rows |
    | C6 order | accesses are weak | relaxed, relaxed_right |
    | C7 order | no load is behind a store, and no store behind what the other CTA | |
    | | may do later | after_a_store, after_a_load, row_after_a_load |
    | C8 blocks | nothing else has an effect, or both would have it, or ends early | |
    | | | stored_by_both, ends_early |
    | C9 extents | loops count, between bounds that no load and no loop gives | |
    | | | loaded_bound, no_iteration, one_iteration |
    | - indices | twice an index is its type's, or of 64 bits | |
    | - aliasing | as C7: tokens alone order accesses | |
    | - flags | accesses keep theirs | |
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile.engines.registry import find_atom
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.ir.attributes import value_of
from cuda_tile.ir.cta_pairs import PAIR_CTAS, is_pair
from cuda_tile.ir.hints import read_hints
from cuda_tile.ir.plan import PLAN_ATTRIBUTE, add_remark
from cuda_tile.ir.traits import PRODUCTS
from cuda_tile.ir.walk import entries, nested_ops
from cuda_tile.layout.tensor import TensorAtom
from cuda_tile.options import Options
from cuda_tile.rewrites.pair_rows import CannotPair, PairRows


def run(module: ir.Operation, options: Options) -> None:
    """Divides the entries for which somebody hints at two CTAs.

    Args:
        module: The module, which is changed in place.
        options: The options of the compilation.
    """
    if not options.pairs or not TCGEN05.is_on(options.target):
        return
    for entry in entries(module):
        wanted = read_hints(entry, options.target.chip).get("num_cta_in_cga")
        products = [op for op in nested_ops(entry) if op.name in PRODUCTS]
        if wanted == PAIR_CTAS and products and not is_pair(entry):
            _divide(entry, products, options)


def _divide(
    entry: ir.Operation, products: list[ir.Operation], options: Options
) -> None:
    """Divides one entry, unless somebody planned its products otherwise."""
    if not all(map(_may_be_of_pair, products)):
        return
    try:
        PairRows(entry, options.target).divide()
    except CannotPair as reason:
        add_remark(entry, f"one CTA for a tile block instead of two: {reason}")


def _may_be_of_pair(product: ir.Operation) -> bool:
    """Whether a product has no plan by hand, or one with an instruction of a pair."""
    if PLAN_ATTRIBUTE not in product.attributes:
        return True
    atom = find_atom(value_of(product.attributes[PLAN_ATTRIBUTE]).get("atom", ""))
    return isinstance(atom, TensorAtom) and atom.ctas == PAIR_CTAS
