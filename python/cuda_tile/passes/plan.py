"""The one place for heuristics: how many warps, which matrix instruction.

Writes `tileas.plan` on each entry and product and `tileas.target` on each entry;
every later pass only reads them, so a plan written by hand or by a tuner overrides
what stands here. A plan is a dictionary:

- on the entry `num_warps`; `warps_m`, `warps_n`: how warps divide the result of a
  product; `min_ctas`: CTAs that must fit on a multiprocessor, a bound on registers;
- on a product `atom`: its matrix instruction, a row of layout/fragments.py; `warps_m`,
  `warps_n` where they are not the entry's.

What stands there already is kept and checked; what is missing is filled in. Fields and
checks are in ir/plan.py.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import OptimizationHintsAttr, TileType
from cuda_tile.analysis.legality import check_program
from cuda_tile.emit.families import RULES as EMIT_RULES
from cuda_tile.errors import Unsupported
from cuda_tile.ir.plan import (
    MAX_WARPS,
    PLAN_ATTRIBUTE,
    PRODUCTS,
    TARGET_ATTRIBUTE,
    Plan,
    ProductPlan,
    element_types,
    extents_of,
    most_ctas,
    read_plan,
    read_product,
    refuse_plan,
)
from cuda_tile.ir.tiles import is_distributed, shape_of
from cuda_tile.ir.walk import entries, location_text, nested_ops, op_stem
from cuda_tile.layout.fragments import MMA_ATOMS, MmaAtom
from cuda_tile.options import Options
from cuda_tile.place.families import RULES as PLACE_RULES
from cuda_tile.targets import WARP_LANES, Target

WANTED_ELEMENTS_PER_THREAD = 8
"""Two 16-byte accesses of 4-byte elements in flight per thread."""
MAX_ACCUMULATORS_PER_THREAD = 64
"""f32 accumulators a thread may hold beside operands and staged loads without
spilling; 128 spilled in part on the peer (measured with ptxas 13.5)."""


def run(module: ir.Operation, options: Options) -> None:
    """Plans every entry and product of `module` that has no plan yet.

    Raises:
        UserError: A plan that stands there already is not usable.
        Unsupported: No matrix instruction of this version computes a product.
    """
    target = options.target
    for entry in entries(module):
        check_program(entry, PLACE_RULES, EMIT_RULES)
        entry.attributes[TARGET_ATTRIBUTE] = ir.StringAttr.get(target.name)
        ops = list(nested_ops(entry))
        products = [op for op in ops if op.name in PRODUCTS]
        if PLAN_ATTRIBUTE not in entry.attributes:
            plan = make_plan(entry, products, options)
            entry.attributes[PLAN_ATTRIBUTE] = plan.to_attribute()
        plan = read_plan(entry)
        for op in ops:
            if op.name not in PRODUCTS:
                refuse_plan(op)
                continue
            if PLAN_ATTRIBUTE not in op.attributes:
                chosen = plan_product(op, plan, target)
                op.attributes[PLAN_ATTRIBUTE] = chosen.to_attribute(plan)
            read_product(op)


def make_plan(
    entry: ir.Operation, products: list[ir.Operation], options: Options
) -> Plan:
    """Chooses warps and how they divide products for one entry."""
    target = options.target
    wanted = options.num_warps or _hinted_warps(entry, target.name)
    hinted_ctas = _hint(entry, target.name, "occupancy") or 0
    if not products:
        warps = wanted or _warps_for_elements(_largest_tile(entry))
        return Plan(warps, min_ctas=min(hinted_ctas, most_ctas(target, warps)))
    largest = max(products, key=lambda op: _elements(op.results[0]))
    rows, columns = shape_of(largest.results[0])[-2:]
    warps = wanted or _warps_for_accumulators(rows, columns)
    warps_m, warps_n = divide_warps(rows, columns, warps)
    return Plan(warps, warps_m, warps_n, min(hinted_ctas, most_ctas(target, warps)))


def plan_product(op: ir.Operation, plan: Plan, target: Target) -> ProductPlan:
    """Chooses the matrix instruction of one product.

    Raises:
        Unsupported: Element types, rank or extents are not covered.
    """
    atom = choose_atom(op, target)
    if plan.warps_m:
        return ProductPlan(atom, plan.warps_m, plan.warps_n)
    rows, columns, _ = extents_of(op)
    return ProductPlan(atom, *divide_warps(rows, columns, plan.num_warps))


def choose_atom(op: ir.Operation, target: Target) -> MmaAtom:
    """The first matrix instruction of the table that computes a product.

    Raises:
        Unsupported: There is none for its element types, rank or extents.
    """
    where, types = location_text(op), element_types(op)
    atoms = [
        atom
        for atom in MMA_ATOMS.values()
        if atom.takes(*types) and atom.first_capability <= target.capability
    ]
    name = op_stem(op)
    if not atoms:
        known = ", ".join(atom.types_text for atom in MMA_ATOMS.values())
        raise Unsupported(
            f"{name}: expected operand and accumulator types that a matrix instruction "
            f"of {target.name} takes ({known}), got {types[0]} and {types[1]}; other "
            "types run on the interpreter only",
            where,
        )
    extents, rank = extents_of(op), len(shape_of(op.results[0]))
    fitting = [atom for atom in atoms if rank == 2 and atom.fits(extents)]
    if not fitting:
        m, n, k = atoms[0].shape
        raise Unsupported(
            f"{name}: expected rank 2 and M >= {m}, N >= {n}, K >= {k}, got rank "
            f"{rank} and M, N, K = {', '.join(map(str, extents))}",
            where,
        )
    return fitting[0]


def divide_warps(rows: int, columns: int, warps: int) -> tuple[int, int]:
    """Splits warps over an accumulator so that a warp's part is near square.

    A warp's part has at least 16 x 8 elements; the larger extent is halved
    first, rows on a tie (an A fragment costs more than a B fragment).
    """
    warps_m = warps_n = 1
    while warps_m * warps_n < warps:
        part_m, part_n = rows // warps_m, columns // warps_n
        if (part_m >= part_n and part_m >= 32) or part_n < 16:
            warps_m *= 2
        else:
            warps_n *= 2
    return warps_m, warps_n


def _hinted_warps(entry: ir.Operation, gpu: str) -> int | None:
    """The producer's `num_worker_warps_per_cta`, clamped to 4 or 8 as it expects."""
    warps = _hint(entry, gpu, "num_worker_warps_per_cta")
    return None if warps is None else 4 if warps <= 4 else 8


def _hint(entry: ir.Operation, gpu: str, name: str) -> int | None:
    """An integer hint of the producer for this chip, or its default one."""
    if "optimization_hints" not in entry.attributes:
        return None
    hints = OptimizationHintsAttr(entry.attributes["optimization_hints"]).value
    for key in (gpu, "default"):
        if key in hints and name in (of_chip := ir.DictAttr(hints[key])):
            return ir.IntegerAttr(of_chip[name]).value
    return None


def _elements(value: ir.Value) -> int:
    count = 1
    for extent in shape_of(value):
        count *= extent
    return count


def _largest_tile(entry: ir.Operation) -> int:
    """Elements of the largest tile of numbers that an entry computes."""
    sizes = [
        _elements(result)
        for op in nested_ops(entry)
        for result in op.results
        if isinstance(result.type, TileType) and is_distributed(result)
    ]
    return max(sizes, default=1)


def _warps_for_elements(elements: int) -> int:
    """Up to 4 warps for enough work per thread, 8 where that leaves too much."""
    warps = 1
    while warps < 4 and elements >= 2 * warps * WARP_LANES * WANTED_ELEMENTS_PER_THREAD:
        warps *= 2
    while warps < 8 and elements > warps * WARP_LANES * 8 * WANTED_ELEMENTS_PER_THREAD:
        warps *= 2
    return warps


def _warps_for_accumulators(rows: int, columns: int) -> int:
    """Four warps, or more until the accumulator fits; fewer for tiny tiles."""
    elements = rows * columns
    warps = 4
    while warps > 1 and elements < warps * 16 * 8:
        warps //= 2
    while (
        warps < MAX_WARPS
        and elements > warps * WARP_LANES * MAX_ACCUMULATORS_PER_THREAD
    ):
        warps *= 2
    return warps
