# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which products warpgroups can compute, and where their operands may lie.

`wgmma` reads its right operand from shared memory, the left one from there or from
registers. What it reads must lie as a matrix descriptor describes it, 8-bit and 32-bit
elements contiguous along K.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import describe_access
from cuda_tile.analysis.cost import WARP_SLOWDOWN
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.feeds import (
    IsStaged,
    Product,
    conversions_of,
    renamed_buffer,
    source_load,
)
from cuda_tile.ir.plan import (
    Plan,
    ProductPlan,
    element_types,
    extents_of,
    wgmma_refusal,
)
from cuda_tile.ir.promotion import default_promotion
from cuda_tile.ir.tiles import element_bits, element_of, shape_of, tile_bytes
from cuda_tile.layout.atoms import M16N16K32
from cuda_tile.layout.descriptors import (
    UNIT_BYTES,
    OperandRole,
    describe,
    wgmma_buffer,
)
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.layout.wgmma import (
    PART_COLUMNS,
    WARPGROUP_WARPS,
    WGMMA_COLUMNS,
    WGMMA_ROWS,
    WgmmaAtom,
    find_wgmma,
)
from cuda_tile.targets import Target

ROLES: tuple[OperandRole, OperandRole] = ("a", "b")
"""The operands that may lie in shared memory."""
_WARP_ROWS, _WARP_COLUMNS = 64, 32
"""Part of a result of bytes that one of eight warps computes, as `plan` divides 128 x
128."""


def plan_warpgroups(
    product: Product,
    plan: Plan,
    target: Target,
    facts: FactsAnalysis | None,
    staged: tuple[IsStaged, IsStaged],
) -> ProductPlan | None:
    """How warpgroups compute a product; None if they cannot.

    They divide it as the entry is, or its columns too, where its rows are too few.

    Args:
        product: The product.
        plan: The entry's.
        target: The chip.
        facts: Facts of the entry, if an engine loads some of its operands.
        staged: Which operands an engine loads, and which ones threads compute from
            what an engine loads.
    """
    if not target.has_wgmma or not plan.warps_m:
        return None
    plan = _divided(product, plan)
    operand, accumulator = element_types(product.op)
    columns = max(1, product.extents[1] // plan.warps_n)
    atom = find_wgmma(operand, accumulator, columns)
    warps = (plan.warps_m, plan.warps_n)
    if atom is None:
        return None
    promote = default_promotion(product.op, atom, target, plan.num_warps)
    if promote:  # by parts, whose registers come on top of the sum's
        atom = find_wgmma(operand, accumulator, min(columns, PART_COLUMNS)) or atom
    if wgmma_refusal(product.op, atom, warps) is not None:
        return None
    stays = product.is_chained and plan.warps_n == 1 and product.operand_bits == 16
    indices = (1,) if stays else (0, 1)
    found = _converted(product, indices, atom, facts, staged)
    if found is None:
        return None
    convert, computed = found
    held = sum(tile_bytes(product.op.operands[index]) for index in indices)
    twice = [ROLES.index(role) for role in ROLES if role in convert + computed]
    held += sum(tile_bytes(product.op.operands[index]) for index in twice)
    if held > target.shared_bytes_per_cta or not _pays(product, convert):
        return None
    if convert and facts is not None and are_bytes_for_warps(product.op, target, facts):
        return None
    lhs = "register" if stays else "shared"
    convert = "".join(sorted(convert + computed))
    return ProductPlan(atom, *warps, lhs=lhs, promote=promote, convert=convert)


def _converted(
    product: Product,
    indices: tuple[int, ...],
    atom: WgmmaAtom,
    facts: FactsAnalysis | None,
    staged: tuple[IsStaged, IsStaged],
) -> tuple[str, str] | None:
    """The operands that threads convert or turn, and those that they compute.

    Both go through a ring that the threads fill. None if the instruction cannot read
    some operand at all.
    """
    is_copied, is_computed = staged
    convert, computed = "", ""
    for index in indices:
        if not _is_readable(product, index, atom, facts):
            if not is_copied(product.op, index) or not _is_storable(
                product, index, atom
            ):
                return None
            convert += ROLES[index]
        elif is_computed(product.op, index):
            computed += ROLES[index]
    return convert, computed


def _divided(product: Product, plan: Plan) -> Plan:
    """The plan that divides columns among warpgroups where rows are too few."""
    rows = product.extents[0] // WGMMA_ROWS * WARPGROUP_WARPS
    if rows and plan.warps_n == 1 and plan.warps_m > rows:
        return replace(plan, warps_m=rows, warps_n=plan.warps_m // rows)
    return plan


def may_use_warpgroups(op: ir.Operation, target: Target) -> bool:
    """Whether a chip has instructions of warpgroups for a product, however divided."""
    if not target.has_wgmma:
        return False
    rows, columns, _ = extents_of(op)
    atom = find_wgmma(*element_types(op), columns)
    return (
        rows >= WGMMA_ROWS
        and atom is not None
        and wgmma_refusal(op, atom, (WARPGROUP_WARPS, 1)) is None
    )


def are_bytes_for_warps(op: ir.Operation, target: Target, facts: FactsAnalysis) -> bool:
    """Whether warps multiply 8-bit integers sooner than warpgroups, which turn B first.

    Where B lies along N, warpgroups read it once threads have brought it from a slot to
    another through registers: two bytes at a time from banks of four, and to banks half
    of which stay idle, since each thread has two neighbouring columns. So each trip
    takes twice the wavefronts of B's bytes: 576 clocks of shared memory a turn of 128 x
    128 x 64 on sm_90. For `mma.sync`, `ldmatrix` turns the bytes where it reads them:
    512 clocks (docs/bounds.md). Taller tiles gain by warpgroups: 256 x 128 x 64 has 832
    against 960.

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
    copied = m * k + n * k
    by_groups = (
        copied
        + 4 * n * k
        + m * n * k * (1 / min(n, WGMMA_COLUMNS[-1]) + 1 / WGMMA_ROWS)
    )
    rows, columns = min(m, _WARP_ROWS), min(n, _WARP_COLUMNS)
    by_warps = copied + m * n * k * (1 / rows + 1 / columns)
    by_warps /= target.shared_bytes_per_clock
    by_warps = max(by_warps, WARP_SLOWDOWN * m * n * k / 2 / target.fma_per_clock)
    return by_warps < by_groups / target.shared_bytes_per_clock


def _pays(product: Product, convert: str) -> bool:
    """Whether a product is worth what threads convert of its operands.

    That goes through shared memory three times instead of once: for a product of 128 x
    128 x 64 on sm_90 768 clocks of it (docs/bounds.md) where one operand of 16 bits
    comes from 8 bits, 896 where both do, 896 and 1152 for tf32. `mma.sync` takes about
    820 for either, but reads 8-bit operands that lie along M one by one: 1696.
    """
    return len(convert) <= {8: 2, 16: 1}.get(product.operand_bits, 0)


def _is_storable(product: Product, index: int, atom: WgmmaAtom) -> bool:
    """Whether threads can store an operand as the instruction needs it."""
    shape, bits = shape_of(product.op.operands[index]), product.operand_bits
    near = 1 if index == 0 else 0
    return operand_buffer(shape, bits, ROLES[index], atom, near) is not None


def _is_readable(
    product: Product, index: int, atom: WgmmaAtom, facts: FactsAnalysis | None
) -> bool:
    """Whether an operand can lie in shared memory as the instruction needs it."""
    operand, role = product.op.operands[index], ROLES[index]
    load = source_load(operand)
    bits = product.operand_bits
    if facts is None or load is None:
        if bits != 16:  # whose rows would be stored element by element
            return False
        return operand_buffer(shape_of(operand), bits, role, atom, 1) is not None
    if conversions_of(operand):  # by threads, which the instruction does not wait for
        return False
    tile, access = load.results[0], describe_access(load, facts)
    if shape_of(tile)[access.fastest] * bits < UNIT_BYTES * 8:
        return False
    read = Read(operand, role, atom)
    return read.suits(copied_buffer(tile, access.fastest, [read]))


@dataclass(frozen=True)
class Read:
    """An operand that instructions of warpgroups read where it was copied to.

    Attributes:
        operand: The operand, which renames a loaded tile.
        role: Which one of its product it is.
        atom: The instruction.
    """

    operand: ir.Value
    role: OperandRole
    atom: WgmmaAtom

    def suits(self, shared: SharedLayout) -> bool:
        """Whether they can, from a layout of the loaded tile."""
        bits, count = element_bits(element_of(self.operand)), self.count
        found = describe(renamed_buffer(shared, self.operand), bits, self.role, count)
        return not isinstance(found, str)

    @property
    def count(self) -> int:
        """Rows of A or columns of B that one instruction reads."""
        return count_of(self.atom, self.role)


def copied_buffer(
    tile: ir.Value, contiguous: int, reads: Sequence[Read]
) -> SharedLayout:
    """The layout of a buffer that a tile is copied to: of the widest swizzle for all.

    Where warpgroups divide few columns, no panel may be wider than the part of one: of
    64 columns two read 32 each, which are 64 bytes.

    Args:
        tile: What was loaded.
        contiguous: The dimension whose elements are neighbours in memory.
        reads: What instructions of warpgroups read there; other readers take any.
    """
    shape, bits = shape_of(tile), element_bits(element_of(tile))
    widest = wgmma_buffer(shape, bits, contiguous)
    least = min((read.count for read in reads), default=0)
    if all(read.suits(widest) for read in reads) or least * bits < UNIT_BYTES * 8:
        return widest
    found = wgmma_buffer(shape, bits, contiguous, least)
    return found if all(read.suits(found) for read in reads) else widest


def operand_buffer(
    shape: tuple[int, ...], bits: int, role: OperandRole, atom: WgmmaAtom, near: int
) -> SharedLayout | None:
    """A layout that an instruction can read an operand from, or None if there is none.

    Args:
        shape: Of the operand.
        bits: Of an element.
        role: Which operand.
        atom: The instruction.
        near: The dimension that is contiguous if that is possible.
    """
    for dim in (near, 1 - near):
        if shape[dim] * bits < UNIT_BYTES * 8:
            continue
        layout = wgmma_buffer(shape, bits, dim)
        if not isinstance(describe(layout, bits, role, count_of(atom, role)), str):
            return layout
    return None


def count_of(atom: WgmmaAtom, role: OperandRole) -> int:
    """Rows of A or columns of B that one instruction reads."""
    return atom.shape[0] if role == "a" else atom.shape[1]
