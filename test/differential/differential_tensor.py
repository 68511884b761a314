# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products in tensor memory: which ones get planned there, and what they became.

`plan` takes what gains. The programs take whatever fits, so that sums which threads use
in each iteration, products of products and small ones are judged, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from differential_operands import FOUR, FOURS_SCALED, LOADED_FACTORS

import cuda_tile
from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.analysis.descriptor_reads import ROLES
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.operand_sources import Product, source_load
from cuda_tile.analysis.tcgen05 import fitting, tensor_columns_of
from cuda_tile.analysis.tensor_columns import tensor_columns, tensor_products
from cuda_tile.engines.tcgen05 import TCGEN05
from cuda_tile.ir.async_products import copied_scales_of, scales_of
from cuda_tile.ir.attributes import text
from cuda_tile.ir.copy_plan import read_load
from cuda_tile.ir.cta_pairs import is_pair
from cuda_tile.ir.plan import PLAN_ATTRIBUTE, read_plan, read_product, read_target
from cuda_tile.ir.rings import ring_of
from cuda_tile.ir.roles import find_roles, role_around
from cuda_tile.ir.tile_loop import has_tiles
from cuda_tile.ir.tiles import (
    buffer_layout_of,
    element_bits,
    element_name,
    element_of,
    pending_tile,
)
from cuda_tile.ir.traits import BUFFER_RENAMES, LOOPS, PRODUCTS, TAKES
from cuda_tile.ir.walk import (
    defining_op,
    enclosing_entry,
    enclosing_ops_of,
    entries,
    nested_ops,
)
from cuda_tile.layout.descriptors import describe
from cuda_tile.layout.tensor import TensorAtom, tensor_atom
from cuda_tile.layout.tensor_scales import columns_of_scales

INTEGERS = "tensor: i8 to i32"
"""What chips without kind i8 leave to warps."""
ROLE = "tensor: a role that multiplies"
SCALES = "tensor: scale factors"
COPIED_SCALES = "tensor: scale factors that are copied"
PARTS = "tensor: columns of a sum at a time"
TILES = "tensor: sums of two tiles"
PAIRS = "tensor: pairs of CTAs"
CONSTRUCTS = (
    *("tensor: f16 to f32", "tensor: f16 to f16", "tensor: bf16 to f32"),
    *("tensor: tf32 to f32", "tensor: f8E4M3FN to f32", "tensor: f8E5M2 to f32"),
    *("tensor: f8E4M3FN to f16", INTEGERS),
    *(f"tensor: f4E2M1FN with {kind} for {n} to f32" for kind, n in FOURS_SCALED),
    *(f"operand: {kind} for {block}" for kind, block in FOURS_SCALED),
    *(f"tensor: {rows} rows" for rows in (64, 128, 256)),
    *(f"tensor: {columns} columns" for columns in (16, 32, 64, 128)),
    *("tensor: A along K", "tensor: A along M", "tensor: B along K"),
    "tensor: B along N",
    *(f"tensor: {warps} warps" for warps in (4, 8, 16)),
    *(f"tensor: slots of {sync}" for sync in ("groups", "mbarriers")),
    "tensor: operand that threads store",
    "tensor: sum that begins with zero",
    "tensor: sum that begins with numbers",
    "tensor: sum that a loop carries",
    "tensor: sum that threads use in each iteration",
    "tensor: product in no loop",
    "tensor: several sums",
    "tensor: products of warps beside it",
    LOADED_FACTORS,
    *(SCALES, COPIED_SCALES, f"{COPIED_SCALES}, in a role"),
    "tensor: a role that loads",
    *(ROLE, PARTS, TILES),
    *(PAIRS, f"{PAIRS}, persistent"),
)
"""What becomes of the products of programs."""


def plan_tensor_memory(
    entry: ir.Operation, ops: Sequence[ir.Operation], part: int
) -> None:
    """Plans in tensor memory what fits there, as long as there are columns.

    Args:
        entry: The entry.
        ops: Its ops.
        part: Columns of sums that threads shall load at a time; 0 as `plan` has it.
    """
    plan, target = read_plan(entry), read_target(entry)
    if not TCGEN05.is_on(target):
        return
    facts, left = FactsAnalysis(entry), target.tensor_columns
    left //= max(1, plan.min_ctas)
    products = [Product.of(op) for op in ops if op.name in PRODUCTS]
    has = {p.op: tensor_columns_of(p, read_product(p.op, plan)) for p in products}
    left -= sum(has.values()) + sum(map(_columns_of_slots, products))
    fours = {p.op: p.op.attributes[PLAN_ATTRIBUTE] for p in products if _has_fours(p)}
    for op in fours:  # which other engines' plans keep from being read as bytes
        del op.attributes[PLAN_ATTRIBUTE]
    for product in products:
        op, made = product.op, fitting(product, plan, target, facts)
        wanted = 0 if made is None else tensor_columns_of(product, made) - has[op]
        if op in fours:
            op.attributes[PLAN_ATTRIBUTE] = fours[op]
        if made is not None and wanted <= left:
            left -= wanted
            op.attributes[PLAN_ATTRIBUTE] = made.to_attribute(plan)
            if part:
                divided = replace(plan, part=part).to_attribute()
                entry.attributes[PLAN_ATTRIBUTE] = divided
    for op, before in fours.items():  # whose bytes another product takes apart
        if None in map(source_load, list(op.operands)[:2]):
            op.attributes[PLAN_ATTRIBUTE] = before


def _columns_of_slots(product: Product) -> int:
    """Columns of scale factors that are copied, for slots but the first."""
    atom = read_product(product.op, read_plan(enclosing_entry(product.op))).atom
    load = source_load(list(product.op.operands)[-1])
    if load is None or not isinstance(atom, TensorAtom) or not atom.scalings:
        return 0
    slots = read_load(load).slots
    return max(0, slots - 1) * columns_of_scales(atom, product.extents)


def _has_fours(product: Product) -> bool:
    return element_name(element_of(product.op.operands[0])) == FOUR


def made_in_tensor_memory(level: str) -> Counter[str]:
    """Which of `CONSTRUCTS` a module at the last level W has.

    Args:
        level: Its text.
    """
    if TCGEN05.op not in level:
        return Counter()
    module = cuda_tile.load(level.encode())
    return Counter(
        note for entry in entries(module.operation) for note in set(_notes(entry))
    )


def _notes(entry: ir.Operation) -> Iterator[str]:
    products = tensor_products(entry)
    if not products:
        return
    for op in products:
        yield from _product(op)
    yield f"tensor: {read_plan(entry).num_warps} warps"
    if len(tensor_columns(entry).sizes) > 1:
        yield "tensor: several sums"
    if (roles := find_roles(entry)) is not None:
        yield "tensor: a role that loads"
        if len(roles.regions) > 2:
            yield ROLE
    yield from _pair(entry)
    columns = tensor_columns(entry)
    if columns.slots:
        yield TILES
    for op in nested_ops(entry):
        if op.name == "tileas.load_part" and op.operands[0] in columns.first:
            yield PARTS
        if op.name == "tileas.mma_sync":
            yield "tensor: products of warps beside it"


def _pair(entry: ir.Operation) -> Iterator[str]:
    """Whether two CTAs multiply together."""
    if is_pair(entry):
        yield f"{PAIRS}, persistent" if has_tiles(entry) else PAIRS


def _product(op: ir.Operation) -> Iterator[str]:
    """What one product is."""
    element, layout = pending_tile(op.results[0])
    atom = tensor_atom(text(op, "atom"))
    assert atom is not None, "emission would have refused it"
    for number, role in enumerate(ROLES):
        operand = op.operands[number]
        bits = element_bits(BufferType(operand.type).element_type)
        shared = buffer_layout_of(operand)
        across = TCGEN05.may_lie_across(atom)
        count = TCGEN05.rows_read(atom)[number]
        found = describe(shared.own, bits, role, count, across)
        assert not isinstance(found, str), found
        other = "MN"[number]
        yield f"tensor: {role.upper()} along {other if found.is_transposed else 'K'}"
        yield _source(operand)
    operand_type = element_name(BufferType(op.operands[0].type).element_type)
    if atom.packed > 1:
        factors = element_name(_element(scales_of(op)[0]))
        operand_type = f"f4E2M1FN with {factors} for {atom.shape[2] // atom.factors}"
    yield f"tensor: {operand_type} to {element_name(element)}"
    yield f"tensor: {layout.shape[0]} rows"
    yield f"tensor: {layout.shape[1]} columns"
    if scales_of(op):
        yield SCALES
    if copied_scales_of(op):
        yield COPIED_SCALES
        role = role_around(op)
        if role is not None and role.is_single:
            yield f"{COPIED_SCALES}, in a role"
    yield from _sum(op)


def _element(scale: ir.Value) -> ir.Type:
    kind = scale.type
    return kind.element_type if isinstance(kind, BufferType) else element_of(scale)


def _source(buffer: ir.Value) -> str:
    """Where an operand comes from."""
    maker = defining_op(buffer)
    while maker is not None and maker.name in BUFFER_RENAMES:
        maker = defining_op(maker.operands[0])
    if maker is not None and maker.name in TAKES:
        return f"tensor: slots of {text(ring_of(maker), 'sync')}"
    return "tensor: operand that threads store"


def _sum(op: ir.Operation) -> Iterator[str]:
    """How the sum of a product begins, and where it goes."""
    loops = [o for o in enclosing_ops_of(op) if o.name in LOOPS]
    if not loops:
        yield "tensor: product in no loop"
    start = defining_op(op.operands[2])
    if start is None:
        yield "tensor: sum that a loop carries"
    elif start.name == "tileas.settled":
        is_zero = uniform_bits(start.operands[0]) == 0
        yield f"tensor: sum that begins with {'zero' if is_zero else 'numbers'}"
    for use in op.results[0].uses:
        user = use.owner.operation
        if loops and user.name == "tileas.await":
            yield "tensor: sum that threads use in each iteration"
