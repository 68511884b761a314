# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers of a thread under a plan that is not placed yet: the one model of them.

`analysis/registers.py` says which tiles live where. Here each tile has a weight, by its
shape and by how a plan divides products; a product has what it needs beside the tiles;
and a role has what the launch and the other role leave it.
"""

from __future__ import annotations

from math import prod

from cuda_tile.analysis.feeds import Parts, Product, conversions_of
from cuda_tile.analysis.registers import Tile, Weigh, held_registers
from cuda_tile.constants import (
    COPIED_OVERHEAD_REGISTERS,
    LOAD_ROLE_REGISTERS,
    LOOP_OVERHEAD_REGISTERS,
    MOST_ROLE_REGISTERS,
    PARTS_IN_FLIGHT_REGISTERS,
    WGMMA_SPARED_REGISTERS,
)
from cuda_tile.ir.plan import LOAD_WARPS, Atom, ProductPlan, slice_depth
from cuda_tile.ir.promotion import pieces_of_sums
from cuda_tile.ir.tiles import element_bits, element_of
from cuda_tile.layout.wgmma import (
    PART_REGISTERS,
    WARPGROUP_WARPS,
    WGMMA_ROWS,
    WgmmaAtom,
)
from cuda_tile.targets import REGISTER_BITS, WARP_LANES, Target


def role_registers(
    target: Target, num_warps: int, ctas: int, needed: int = 0
) -> tuple[int, int]:
    """Registers of a thread of the role that works, and of the one that loads.

    The role that loads gives back what it does not need of its share at the launch
    (PTX ISA, "setmaxnreg": multiples of 8, all warps together no more than launched).

    Args:
        target: The chip.
        num_warps: Warps that work.
        ctas: CTAs on a multiprocessor.
        needed: Registers of a thread that works. Where they are more than it would
            have, the one that loads keeps as few as it can do with.
    """
    warps = num_warps + LOAD_WARPS
    launched = target.register_limit(warps, ctas)
    found: list[tuple[int, int]] = []
    for load in LOAD_ROLE_REGISTERS[num_warps > 2 * WARPGROUP_WARPS :]:
        work = (launched * warps - load * LOAD_WARPS) // num_warps // 8 * 8
        found.append((min(work, MOST_ROLE_REGISTERS), load))
    return next((pair for pair in found if pair[0] >= needed), found[0])


def least_registers(plans: Parts) -> int:
    """Registers that each thread must be launched with for the instructions alone.

    `setmaxnreg` does not help: ptxas compiles a kernel for what it is launched with.
    """
    return max(
        (
            plan.atom.least_registers(
                element_bits(element_of(product.op.results[0])),
                is_left_held=plan.lhs == "register",
            )
            for product, plan in plans.items()
            if isinstance(plan.atom, WgmmaAtom)
        ),
        default=0,
    )


def slice_registers(
    product: Product,
    plan: ProductPlan,
    weigh: Weigh,
    gathered: frozenset[int] | None = None,
) -> int:
    """Registers that a product needs beside the tiles live before it.

    Operands of one K-step come from shared memory; by then the tiles that were stored
    there right before the product have given back theirs.

    Args:
        product: The product.
        plan: How it is computed.
        weigh: Registers of a tile.
        gathered: Operands of less than 16 bits whose elements threads read one by one:
            each has a register then, beside the words that they become, unless the atom
            has `ldmatrix` turn them. Others are read as words. None if that is not
            known: each element has a register.
    """
    if plan.is_wgmma:  # which reads shared memory itself
        return _warpgroup_registers(product, plan, weigh)
    rows, columns = _piece(product, plan)
    batch = product.batch // min(product.batch, plan.warps_b)
    depth = slice_depth(product.op, plan.atom)
    step, bits = 0, product.operand_bits
    for index, extent in enumerate((rows, columns)):
        if index == 0 and product.keeps_operand(plan):
            continue
        elements = extent * batch * depth // WARP_LANES
        is_turned = index == 1 and plan.warp_atom.columns > 1
        if gathered is None or bits >= REGISTER_BITS // 2:
            step += held_registers(elements, bits)
        else:
            words = -(-elements * bits // REGISTER_BITS)
            step += words + (elements if index in gathered and not is_turned else 0)
    if plan.promote:
        part = batch * rows * columns // WARP_LANES
        one = plan.promote == plan.atom.shape[2]
        step += min(part, PARTS_IN_FLIGHT_REGISTERS) if one else part
    step = max(0, step - sum(map(weigh, product.stored)))
    return step - _spared(product, plan, gathered)


def _spared(
    product: Product, plan: ProductPlan, gathered: frozenset[int] | None
) -> int:
    """Registers that a loop needs less where a product reads only copied tiles.

    None are spared where its partial sums are added to the sums between instructions,
    unless these are cut: then ptxas does not read ahead of the next piece.
    """
    if (
        gathered is None
        or (plan.promote and not is_cut(product, plan))
        or any(map(conversions_of, list(product.op.operands)[:2]))
    ):
        return 0
    if gathered - ({1} if plan.warp_atom.columns > 1 else set()):
        return 0
    return LOOP_OVERHEAD_REGISTERS - COPIED_OVERHEAD_REGISTERS


def _warpgroup_registers(product: Product, plan: ProductPlan, weigh: Weigh) -> int:
    """Registers of partial sums, and of what threads convert of the operands."""
    needed = 0
    if plan.promote:
        needed = min(PART_REGISTERS, weigh(product.result)) - WGMMA_SPARED_REGISTERS
    threads = plan.warps_m * plan.warps_n * WARP_LANES
    for name in plan.convert:
        operand = Tile.of(product.op.operands["ab".index(name)])
        needed += held_registers(prod(operand.shape) // threads, operand.bits)
    if plan.lhs == "register" and not product.keeps_operand(plan):
        operand = Tile.of(product.op.operands[plan.swap])
        rows = product.extents[plan.swap] // plan.groups[0]
        rows = min(rows, WGMMA_ROWS) if plan.promote else rows
        elements = rows * product.extents[2] // (WARPGROUP_WARPS * WARP_LANES)
        needed += elements * operand.bits // REGISTER_BITS
    return needed


class TileRegisters:
    """Registers of a tile per thread, from its shape and the plans of products.

    A tile of the shape of a product's result has that result's layout, one of a row or
    a column of it what is left of the layout; any other tile is spread over all
    threads. Rules of `place` give other layouts only where that costs no more.
    """

    def __init__(self, plans: Parts, num_warps: int) -> None:
        self._threads = num_warps * WARP_LANES
        self._elements: dict[tuple[int, ...], int] = {}
        for product, plan in plans.items():
            m, n, _ = product.extents
            rows, columns = _warp_part(product, plan)
            step_m, step_n = plan.warp_step
            of_rows = rows * _per_lane(plan.atom, plan.swap) // step_m
            of_columns = columns * _per_lane(plan.atom, 1 - plan.swap) // step_n
            batch = product.batch // min(product.batch, plan.warps_b)
            lead = (product.batch,) if product.batch > 1 else ()
            self._elements |= {
                (*lead, m): batch * of_rows,
                (*lead, m, 1): batch * of_rows,
                (*lead, 1, n): batch * of_columns,
                (*lead, m, n): batch * max(1, rows * columns // WARP_LANES),
            }

    def __call__(self, tile: Tile) -> int:
        """Registers of one thread."""
        elements = self._elements.get(tile.shape)
        if elements is None:
            elements = -(-prod(tile.shape) // self._threads)
        return held_registers(elements, tile.bits)


def _warp_part(product: Product, plan: ProductPlan) -> tuple[int, int]:
    """Rows and columns of the result that a warp computes, at least one atom."""
    m, n, _ = product.extents
    step_m, step_n = plan.warp_step
    return max(m // plan.warps_m, step_m), max(n // plan.warps_n, step_n)


def is_cut(product: Product, plan: ProductPlan) -> bool:
    """Whether the partial sums of a product of warps come a piece at a time."""
    if plan.is_wgmma or not plan.promote:
        return False
    return _piece(product, plan) != _warp_part(product, plan)


def _piece(product: Product, plan: ProductPlan) -> tuple[int, int]:
    """Rows and columns of a warp's part of which it computes sums at a time."""
    part = list(_warp_part(product, plan))
    if plan.promote > slice_depth(product.op, plan.atom):
        shape = (product.batch, *product.extents[:2])
        dim, count = pieces_of_sums(shape, plan.warps, plan.warp_atom) or (-1, 1)
        part[dim] //= count
    rows, columns = part
    return rows, columns


def _per_lane(atom: Atom, dim: int) -> int:
    """Rows or columns of an atom's result that one lane has elements of."""
    return 1 << sum(basis[dim] != 0 for basis in atom.c.register)
