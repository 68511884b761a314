# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engine wgmma: which products it can compute, and from where it reads operands.

It reads the right operand from shared memory, the left one from shared memory or from
registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import describe_access
from cuda_tile.analysis.descriptor_reads import (
    ROLES,
    is_readable,
    readable_buffer,
)
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.operand_sources import (
    IsStaged,
    Product,
    is_plain_sum,
    renamed_buffer,
    source_load,
)
from cuda_tile.analysis.product_rules import (
    PROPOSALS,
    READS_ITSELF,
    REGISTERS,
    Gathered,
)
from cuda_tile.analysis.registers import Tile, Weigh, held_registers
from cuda_tile.constants import (
    BYTE_PART_COLUMNS,
    BYTE_PART_ROWS,
    CONVERTED_OPERANDS,
    MOST_HELD_REGISTERS,
    WGMMA_SPARED_REGISTERS,
)
from cuda_tile.engines.mma_sync import MMA_SYNC
from cuda_tile.engines.wgmma import WGMMA, groups_of
from cuda_tile.ir.plan import (
    Plan,
    ProductPlan,
    extents_of,
    terms_of,
)
from cuda_tile.ir.promotion import default_promotion
from cuda_tile.ir.tiles import element_bits, element_of, shape_of, tile_bytes
from cuda_tile.layout.atoms import M16N16K32
from cuda_tile.layout.descriptors import UNIT_BYTES, panel_buffer
from cuda_tile.layout.wgmma import (
    PARTIAL_SUM_COLUMNS,
    PARTIAL_SUM_REGISTERS,
    WARPGROUP_WARPS,
    WGMMA_COLUMNS,
    WGMMA_ROWS,
    find_wgmma,
)
from cuda_tile.records import dataclass
from cuda_tile.targets import REGISTER_BITS, WARP_LANES, Target


@dataclass(frozen=True)
class _Form:
    """How instructions may read the operands of a product.

    Attributes:
        swap: 1 if they compute the transpose, whose left operand is B^T.
        is_brought: Whether threads load the left operand from a slot to registers.
    """

    swap: int = 0
    is_brought: bool = False


@PROPOSALS.register(WGMMA.name)
def propose(
    product: Product,
    plan: Plan,
    target: Target,
    facts: FactsAnalysis | None,
    staged: tuple[IsStaged, IsStaged],
) -> ProductPlan | None:
    """How warpgroups compute a product; None if they cannot.

    They divide it like the entry, or also its columns if it has too few rows. If they
    cannot read an operand as it was copied, it becomes the left operand in registers if
    possible; otherwise threads convert it from one buffer to another.

    Args:
        product: The product.
        plan: The plan of the entry.
        target: The chip.
        facts: Facts of the entry, if an engine loads some of its operands.
        staged: Which operands an engine loads, and which ones threads compute from
            what an engine loads.
    """
    if not WGMMA.is_on(target) or not plan.warps_m:
        return None

    def planned(form: _Form) -> ProductPlan | None:
        return _plan_form(product, plan, form, (target, facts, staged))

    found = planned(_Form())
    if found is not None and not found.convert:
        return found
    # transposed_products C6
    brought = [
        index
        for index in (0, 1)
        if staged[0](product.op, index) and may_be_brought(product.op, index, facts)
    ]
    if product.extents[0] >= WGMMA_ROWS:  # of two that might be, the left one
        brought = brought[:1]
    forms = [planned(_Form(index, is_brought=True)) for index in brought]
    plans = [p for p in (*forms, found) if p is not None]
    if found is not None and facts is not None and plans == [found]:
        return None if are_bytes_for_warps(product.op, target, facts) else found
    return min(plans, key=lambda p: len(p.convert), default=None)


def _plan_form(
    product: Product,
    plan: Plan,
    form: _Form,
    known: tuple[Target, FactsAnalysis | None, tuple[IsStaged, IsStaged]],
) -> ProductPlan | None:
    """The plan of warpgroups that read the operands of a product in some form.

    Args:
        product: The product.
        plan: The plan of the entry.
        form: The form.
        known: The chip, facts, and `staged` of `propose`.
    """
    target, facts, staged = known
    plan = _divided(product, plan, form.swap)
    terms = terms_of(product.op)
    operand, accumulator = terms.operand, terms.accumulator
    warps = (plan.warps_m, plan.warps_n)
    columns = max(1, product.extents[1 - form.swap] // warps[1 - form.swap])
    atom = find_wgmma(operand, accumulator, columns)
    if atom is None:  # transposed_products C2
        return None
    promote = default_promotion(terms, atom, target, (plan.num_warps, 1))
    if promote:  # registers of partial sums come on top of the sum's
        atom = (
            find_wgmma(operand, accumulator, min(columns, PARTIAL_SUM_COLUMNS)) or atom
        )
    # converted_operands C7; transposed_products C7
    if WGMMA.refuse_shape(atom, terms, warps, form.swap) is not None:
        return None
    stays = product.is_chained and plan.warps_n == 1 and product.operand_bits == 16
    stays = stays and not form.is_brought
    made = ProductPlan(atom, *warps, promote=promote, swap=form.swap)
    indices = (1,) if stays else (0, 1)
    read = [n for n in indices if not form.is_brought or n != form.swap]
    found = _converted(product, read, made, facts, staged)
    if found is None:
        return None
    convert, computed = found
    held = sum(tile_bytes(product.op.operands[index]) for index in indices)
    twice = [ROLES.index(role) for role in ROLES if role in convert + computed]
    held += sum(tile_bytes(product.op.operands[index]) for index in twice)
    if held > target.shared_bytes_per_cta or not _pays(product, convert):
        return None
    lhs = "register" if stays or form.is_brought else "shared"
    convert = "".join(sorted(convert + computed))
    made = replace(made, lhs=lhs, convert=convert)
    if form.is_brought and _held_registers(product, made) > MOST_HELD_REGISTERS:
        return None
    return made


def _converted(
    product: Product,
    indices: Sequence[int],
    plan: ProductPlan,
    facts: FactsAnalysis | None,
    staged: tuple[IsStaged, IsStaged],
) -> tuple[str, str] | None:
    """The operands that threads convert or transpose, and those that they compute.

    Both go through a ring that the threads fill. The result is None if the instruction
    cannot read some operand at all.
    """
    is_copied, is_computed = staged
    convert, computed = "", ""
    for index in indices:
        if not is_readable(product, index, plan, facts):  # converted_operands C2
            # converted_operands C5
            if not is_copied(product.op, index) or not _is_storable(
                product, index, plan
            ):
                return None
            convert += ROLES[index]
        elif is_computed(product.op, index):
            computed += ROLES[index]
    return convert, computed


def _held_registers(product: Product, plan: ProductPlan) -> int:
    """Registers of a thread for sums, partial sums, and an iteration's left operand."""
    m, n, k = product.extents
    sums = m * n // (plan.warps_m * plan.warps_n * WARP_LANES)
    rows = product.extents[plan.swap] // groups_of(plan)[0]
    if plan.promote:  # reads the rows of a part at a time
        rows = WGMMA_ROWS
    left = rows * k * product.operand_bits // REGISTER_BITS
    left //= WARPGROUP_WARPS * WARP_LANES
    return sums + left + (min(sums, PARTIAL_SUM_REGISTERS) if plan.promote else 0)


@REGISTERS.register("wgmma")
def registers(
    product: Product, plan: ProductPlan, weigh: Weigh, gathered: Gathered
) -> int:
    """Registers of partial sums, and of operands that threads convert."""
    del gathered  # instructions read shared memory themselves
    needed = 0
    if plan.promote:
        needed = (
            min(PARTIAL_SUM_REGISTERS, weigh(product.result)) - WGMMA_SPARED_REGISTERS
        )
    threads = plan.warps_m * plan.warps_n * WARP_LANES
    for name in plan.convert:
        operand = Tile.of(product.op.operands["ab".index(name)])
        needed += held_registers(prod(operand.shape) // threads, operand.bits)
    if plan.lhs == "register" and not product.keeps_operand(plan):
        operand = Tile.of(product.op.operands[plan.swap])
        rows = product.extents[plan.swap] // groups_of(plan)[0]
        rows = min(rows, WGMMA_ROWS) if plan.promote else rows
        elements = rows * product.extents[2] // (WARPGROUP_WARPS * WARP_LANES)
        needed += elements * operand.bits // REGISTER_BITS
    return needed


def _divided(product: Product, plan: Plan, swap: int) -> Plan:
    """The plan that divides columns among warpgroups if there are too few rows.

    For a transposed product rows and columns swap: its warpgroups lie along N.
    """
    if swap and plan.warps_n % WARPGROUP_WARPS == 0:
        plan = replace(plan, warps_m=plan.warps_n, warps_n=plan.warps_m)
    rows = product.extents[swap] // WGMMA_ROWS * WARPGROUP_WARPS
    if rows and plan.warps_n == 1 and plan.warps_m > rows:
        plan = replace(plan, warps_m=rows, warps_n=plan.warps_m // rows)
    if swap:
        plan = replace(plan, warps_m=plan.warps_n, warps_n=plan.warps_m)
    return plan


def may_be_brought(op: ir.Operation, index: int, facts: FactsAnalysis | None) -> bool:
    """Whether threads may bring an operand from the slot of a copy to registers.

    Its elements are bytes that lie along M or N, which `ldmatrix.trans` arranges for
    the instruction, possibly after a conversion. The sums of a transposed product have
    another layout, so that no other op of the loop may use them.

    Args:
        op: The product.
        index: The number of the operand: 0 for A, 1 for B.
        facts: The facts of the entry's values; None before there are any.
    """
    load = source_load(op.operands[index])
    if load is None or facts is None or (index == 1 and not is_plain_sum(op)):
        return False
    tile = load.results[0]
    if element_bits(element_of(tile)) != 8:  # transposed_products C1
        return False
    near = describe_access(load, facts).fastest
    if shape_of(tile)[near] < UNIT_BYTES:
        return False
    shared = renamed_buffer(panel_buffer(shape_of(tile), 8, near), op.operands[index])
    return bool(shared.offset[0][index])  # transposed_products C8


@READS_ITSELF.register(WGMMA.name)
def _reads_itself(op: ir.Operation, target: Target, facts: FactsAnalysis) -> bool:
    """Whether warpgroups compute a product, however it is divided."""
    if not WGMMA.is_on(target):
        return False
    terms = terms_of(op)
    rows, columns, _ = terms.extents
    atom = find_wgmma(terms.operand, terms.accumulator, columns)
    return (
        rows >= WGMMA_ROWS
        and atom is not None
        and WGMMA.refuse_shape(atom, terms, (WARPGROUP_WARPS, 1)) is None
        and not are_bytes_for_warps(op, target, facts)
    )


def are_bytes_for_warps(op: ir.Operation, target: Target, facts: FactsAnalysis) -> bool:
    """Whether warps multiply 8-bit integers faster than warpgroups, which transpose B.

    If B lies along N, threads must first move it from one slot to another through
    registers. They read two bytes at a time from banks of four, and write to banks of
    which half stay idle, since each thread has two neighbouring columns. So each of
    both takes twice the wavefronts of B's bytes: an iteration of 128 x 128 x 64 takes
    576 clocks of shared memory on sm_90. For `mma.sync`, `ldmatrix` transposes the
    bytes when it reads them: 512 clocks (docs/bounds.md). Taller tiles are faster by
    warpgroups: 256 x 128 x 64 takes 832 clocks against 960.

    Args:
        op: The product.
        target: The chip, which has such instructions.
        facts: Facts of its entry.
    """
    if op.name != "cuda_tile.mmai" or len(shape_of(op.results[0])) != 2:
        return False
    for index, along in ((0, 1), (1, 1)):
        operand = op.operands[index]
        load = source_load(operand)
        if load is None or load.results[0] != operand:
            return False
        if describe_access(load, facts).fastest != along:
            return False
    m, n, k = extents_of(op)
    if n < M16N16K32.shape[1]:
        return False
    if n >= WGMMA_ROWS and may_be_brought(op, 1, facts):
        return False
    copied = m * k + n * k
    by_groups = (
        copied
        + 4 * n * k
        + m * n * k * (1 / min(n, WGMMA_COLUMNS[-1]) + 1 / WGMMA_ROWS)
    )
    rows, columns = min(m, BYTE_PART_ROWS), min(n, BYTE_PART_COLUMNS)
    by_warps = copied + m * n * k * (1 / rows + 1 / columns)
    by_warps /= target.shared_bytes_per_clock
    by_warps = max(
        by_warps, MMA_SYNC.slowdown(target) * m * n * k / 2 / target.fma_per_clock
    )
    return by_warps < by_groups / target.shared_bytes_per_clock


def _pays(product: Product, convert: str) -> bool:
    """Whether a product is worth the conversion of its operands by threads.

    A converted operand goes through shared memory three times instead of once.
    """
    # converted_operands C1
    return len(convert) <= CONVERTED_OPERANDS.get(product.operand_bits, 0)


def _is_storable(product: Product, index: int, plan: ProductPlan) -> bool:
    """Whether threads can store an operand as the instruction needs it."""
    return readable_buffer(product.op, index, plan, 1 - index) is not None
