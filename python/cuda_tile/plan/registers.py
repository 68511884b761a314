# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Registers of a thread under a plan that is not placed yet: the one model of them.

`analysis/registers.py` says which tiles live where. Here each tile has a weight, by its
shape and by how a plan divides products; what a product needs beside the tiles its
engine says (analysis/product_registers.py, analysis/wgmma.py); and a role has what the
launch and the other role leave it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

from cuda_tile._mlir import ir
from cuda_tile.analysis.operand_sources import (
    Product,
    ProductPlans,
    source_load,
    warp_share,
)
from cuda_tile.analysis.registers import Tile, held_registers
from cuda_tile.constants import (
    LATE_OVERHEAD_REGISTERS,
    LEAVING_REGISTERS,
    LOAD_ROLE_REGISTERS,
    MOST_ROLE_REGISTERS,
    STORED_OPERAND_REGISTERS,
)
from cuda_tile.engines.engine import Atom
from cuda_tile.ir.plan import LOAD_WARPS, Plan, ProductPlan
from cuda_tile.ir.tiles import element_bits, element_of
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
    for load in LOAD_ROLE_REGISTERS[num_warps > 2 * LOAD_WARPS :]:
        work = (launched * warps - load * LOAD_WARPS) // num_warps // 8 * 8
        found.append((min(work, MOST_ROLE_REGISTERS), load))
    return next((pair for pair in found if pair[0] >= needed), found[0])


def least_registers(plans: ProductPlans) -> int:
    """Registers that each thread must be launched with for the instructions alone.

    `setmaxnreg` does not help: ptxas compiles a kernel for what it is launched with.
    """
    return max(
        (
            plan.engine.least_registers(
                plan, element_bits(element_of(product.op.results[0]))
            )
            for product, plan in plans.items()
        ),
        default=0,
    )


def late_registers(
    mine: Mapping[Product, ProductPlan],
    late: Sequence[Product],
    leaving: Iterable[Product],
    plan: Plan,
) -> int:
    """Registers of a thread where products run an iteration behind others.

    It holds all sums, and the left operands of the late products. Where it stores such
    an operand to shared memory it needs places for that, too. Of sums in tensor memory
    it holds only those that it makes left operands of, in the same iteration.

    Args:
        mine: The products of a loop.
        late: Those that run behind.
        leaving: Those of them whose result leaves the iteration.
        plan: The entry's plan.
    """
    threads = plan.num_warps * WARP_LANES
    needed = LATE_OVERHEAD_REGISTERS + LEAVING_REGISTERS * len(list(leaving))
    held = [product for product in late if "registers" in mine[product].engine.sums]
    for product in mine:
        m, n, _ = product.extents
        needed += m * n // threads if product in held or product not in late else 0
    for product in held:
        m, _, k = product.extents
        needed += m * k * product.operand_bits // REGISTER_BITS // threads
        if (
            mine[product].lhs == "shared"
            and source_load(product.op.operands[0]) is None
        ):
            needed += STORED_OPERAND_REGISTERS
    return needed


class TileRegisters:
    """Registers of a tile per thread, from its shape and the plans of products.

    A tile of the shape of a product's result has that result's layout, one of a row or
    a column of it what is left of the layout; any other tile is spread over all
    threads. Rules of `place` give other layouts only where that costs no more.

    Args:
        plans: The plans of the products.
        num_warps: Warps that share the tiles.
        held: Tiles of which threads hold some columns, each with how many.
    """

    def __init__(
        self, plans: ProductPlans, num_warps: int, held: Mapping[ir.Value, int]
    ) -> None:
        self._threads = num_warps * WARP_LANES
        self._elements: dict[tuple[int, ...], int] = {}
        self._held = held
        for product, plan in plans.items():
            m, n, _ = product.extents
            rows, columns = warp_share(product, plan)
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
            elements = -(-prod(tile.shape) // (self._threads * tile.neighbours))
        columns = self._held.get(tile.value)
        if columns is not None:
            elements = -(-elements * columns // tile.shape[-1])
        return held_registers(elements, tile.bits)


def _per_lane(atom: Atom, dim: int) -> int:
    """Rows or columns of an atom's result that one lane has elements of."""
    return 1 << sum(basis[dim] != 0 for basis in atom.c.register)
