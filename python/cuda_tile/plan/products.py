# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One product under a plan: its instruction, and which warps compute what of it.

Which engine computes it, which warps compute which part of the result, and by which
atom.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cuda_tile._mlir import ir
from cuda_tile.analysis.descriptor_reads import ROLES
from cuda_tile.analysis.operand_sources import Product, ProductPlans, conversions_of
from cuda_tile.analysis.product_families import propose
from cuda_tile.analysis.tcgen05 import (
    allocated_columns,
    lacks_factors,
    tensor_columns_of,
    unread_bytes,
)
from cuda_tile.constants import ACCUMULATOR_COLUMNS, ACCUMULATOR_ROWS
from cuda_tile.engines.fma import FMA
from cuda_tile.engines.mma_sync import MMA_SYNC, has_short_sums
from cuda_tile.errors import InternalError
from cuda_tile.ir.plan import (
    Plan,
    ProductPlan,
    can_compute,
    element_types,
    extents_of,
    read_target,
    scaling_of,
    terms_of,
)
from cuda_tile.ir.promotion import default_promotion
from cuda_tile.ir.tiles import element_bits, element_of
from cuda_tile.ir.walk import location_text
from cuda_tile.layout.atoms import M16N16K32, MmaAtom
from cuda_tile.plan.loads import Copies
from cuda_tile.targets import WARP_COUNTS, Target

SCALED = "cuda_tile.mmaf_scaled"


def remarks_of(op: ir.Operation, plan: ProductPlan, copies: Copies) -> Iterator[str]:
    """Which bytes threads transpose from one buffer to another, and what would help.

    Args:
        op: The product.
        plan: The plan of the product.
        copies: The engines that load operands.
    """
    for name in plan.convert:
        index = ROLES.index(name)
        operand, along = op.operands[index], "MN"[index]
        is_transposed = element_bits(element_of(operand)) == 8 and not conversions_of(
            operand
        )
        if is_transposed and copies.is_copied(op, index):
            yield (
                f"{location_text(op)}: wanted warpgroups to read operand {name} where "
                "it was copied, got it through a second buffer: its bytes lie along "
                f"{along}, and only one operand of a sum that nothing else reads in "
                "its loop may come from registers; lay it along K"
            )


def remarks_of_columns(
    plans: ProductPlans, plan: Plan, entry: ir.Operation, copies: Copies
) -> Iterator[str]:
    """Which products tensor memory had no columns for, and what takes them.

    Args:
        plans: The products, with their plans.
        plan: The entry's.
        entry: The entry.
        copies: Who loads operands.
    """
    target, staged = read_target(entry), (copies.is_copied, copies.is_computed)
    taken = [(p, n) for p, q in plans.items() if (n := tensor_columns_of(p, q))]
    for product, made in plans.items():
        if made.engine != MMA_SYNC:
            continue
        if lacks_factors(product.op, target):
            yield _refused_factors(product.op)
        if names := unread_bytes(product.op, target):
            yield _refused_bytes(product.op, names)
        better = propose(product, plan, target, copies.facts, staged)
        wanted = 0 if better is None else tensor_columns_of(product, better)
        beside = plans if better is None else {**plans, product: better}
        if wanted and allocated_columns(beside) > target.tensor_columns:
            others = "".join(f", {n} are of {location_text(p.op)}" for p, n in taken)
            yield (
                f"{location_text(product.op)}: wanted {wanted} columns of tensor "
                f"memory, got mma.sync: there are {target.tensor_columns}{others}; "
                "smaller tiles need fewer"
            )


def _refused_factors(op: ir.Operation) -> str:
    """Why threads scale the sums of a product, and what would help."""
    (m, n, k), (operand, _), scaling = extents_of(op), element_types(op), scaling_of(op)
    assert scaling is not None, "the product has scale factors"
    kind, block = scaling
    return (
        f"{location_text(op)}: wanted tensor memory to scale blocks, got threads that "
        "do: it takes 128x16x32 and more of f8E4M3FN or f8E5M2, with factors of "
        "f8E8M0FNU for 32 elements, and 128x16x64 and more of f4E2M1FN, with those, or "
        f"with f8E4M3FN or f8E8M0FNU for 16, got {m}x{n}x{k} of {operand} with {kind} "
        f"for {block}"
    )


def _refused_bytes(op: ir.Operation, names: str) -> str:
    """Which operands of 4 bits threads take apart, and what would help."""
    return (
        f"{location_text(op)}: wanted tensor memory to read operand "
        f"{' and '.join(names)} as the bytes that are loaded, got threads that take "
        "them apart: it needs what a loop loads, with both elements of a byte "
        "neighbours along K, and nothing else that uses them"
    )


def divide_product(
    product: Product, plan: Plan, target: Target, atom: MmaAtom, copies: Copies
) -> ProductPlan:
    """How a product is computed in an entry whose plan is known.

    Args:
        product: The product.
        plan: The entry's.
        target: The chip.
        atom: The instruction of a warp that it may use.
        copies: Who loads the operands.
    """
    staged = (copies.is_copied, copies.is_computed)
    found = propose(product, plan, target, copies.facts, staged)
    if found is not None:
        runs_on = any(is_(product.op, index) for is_ in staged for index in (0, 1))
        trails = runs_on and not found.promote and not found.engine.is_issued_by_one
        return replace(found, lag=int(trails))
    found = plan_product(product.extents, plan, atom, product.batch)
    # promotion C9
    promote = default_promotion(terms_of(product.op), atom, target, found.warps)
    return replace(found, promote=promote)


def transposes_bytes(plan: ProductPlan) -> bool:
    """Whether threads put the bytes of a right operand together after `ldmatrix`."""
    return isinstance(plan.atom, MmaAtom) and plan.atom.columns > 1


def plan_product(
    extents: tuple[int, int, int], plan: Plan, atom: MmaAtom, batch: int = 1
) -> ProductPlan:
    """Divides one product as its entry does, or on its own if it is too small.

    A batch is divided among the warps first, as long as there is a matrix for each:
    warps that divide one matrix would read the same operands.

    Args:
        extents: Rows, columns and depth.
        plan: The plan of the entry.
        atom: The instruction of a warp.
        batch: Matrices of a batch.
    """
    rows, columns, _ = extents
    if batch > 1:
        parts = min(batch, plan.num_warps)
        division = divide_warps(rows, columns, plan.num_warps // parts)
        return ProductPlan(atom, *division, parts)
    step_m, step_n, _ = atom.shape
    if (
        plan.warps_m
        and plan.warps_m * step_m <= rows
        and plan.warps_n * step_n <= columns
    ):
        return ProductPlan(atom, plan.warps_m, plan.warps_n)
    return ProductPlan(atom, *divide_warps(rows, columns, plan.num_warps))


def possible_divisions(
    rows: int, columns: int, warps: int, *, along_rows: bool
) -> list[tuple[int, int]]:
    """Ways to divide a result of rows x columns among warps, at least 16 x 8 each.

    Args:
        rows: Rows of the result.
        columns: Its columns.
        warps: Number of warps.
        along_rows: Whether to take all warps along the rows if that is possible:
            chained products then keep their operand in its threads.
    """
    found = [
        (warps_m, warps // warps_m)
        for warps_m in WARP_COUNTS
        if warps_m <= warps
        and rows >= ACCUMULATOR_ROWS * warps_m
        and columns >= ACCUMULATOR_COLUMNS * (warps // warps_m)
    ]
    if along_rows and (warps, 1) in found:
        return [(warps, 1)]
    return found or [divide_warps(rows, columns, warps)]


def choose_atom(op: ir.Operation, target: Target, copies: Copies) -> MmaAtom:
    """The first atom of the table that computes a product on a chip.

    Of multiply-adds the one of which fewest lanes repeat what others compute. Where
    threads would read a right operand of bytes one by one, the atom for which
    `ldmatrix` reads them. Scale factors that no instruction applies stand on sums of
    f32: 8-bit floats whose sums would be short become f16.

    Args:
        op: The product.
        target: The chip.
        copies: The engines that load operands.

    Raises:
        InternalError: No atom computes the product on the chip.
    """
    known, terms = (*MMA_SYNC.atoms.values(), *FMA.atoms.values()), terms_of(op)
    atoms = [atom for atom in known if can_compute(atom, terms, target)]
    if not atoms:
        raise InternalError(
            f"plan: no atom of {target.name} multiplies {element_types(op)}",
            location_text(op),
        )
    if op.name == SCALED and not atoms[0].scalings:  # whose blocks' sums are f32
        atoms = [a for a in atoms if not has_short_sums(a, terms, target)] or atoms
    rows, columns, _ = extents_of(op)
    if M16N16K32 in atoms and columns >= M16N16K32.shape[1]:
        return M16N16K32 if 1 in (copies.gathered(op) or ()) else atoms[0]
    if atoms[0].is_instruction:
        return atoms[0]
    return max(
        atoms,
        key=lambda atom: min(rows, atom.shape[0]) * min(columns, atom.shape[1]),
    )


def divide_warps(rows: int, columns: int, warps: int) -> tuple[int, int]:
    """Splits warps over an accumulator so that a warp's part is near square.

    A warp's part has at least 16 x 8 elements; the larger extent is halved
    first, rows on a tie (an A fragment costs more than a B fragment).

    Args:
        rows: Rows of the accumulator.
        columns: Columns of the accumulator.
        warps: Warps of a CTA, a power of two.
    """
    warps_m = warps_n = 1
    while warps_m * warps_n < warps:
        part_m, part_n = rows // warps_m, columns // warps_n
        is_high = part_m >= part_n and part_m >= 2 * ACCUMULATOR_ROWS
        if is_high or part_n < 2 * ACCUMULATOR_COLUMNS:
            warps_m *= 2
        else:
            warps_n *= 2
    return warps_m, warps_n
