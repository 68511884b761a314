"""The one place for heuristics: how many warps, which matrix instruction.

Writes `tileas.plan` and `tileas.target` on each entry; every later pass only
reads them, so a plan written by hand or by a tuner overrides what stands here.
A plan is a dictionary of integers and strings:

- `num_warps`: warps of a CTA, a power of two;
- `warps_m`, `warps_n`: how the warps divide an accumulator, for kernels with MMA;
- `mma`: the matrix instruction, `m16n8k16`;
- `min_ctas`: CTAs that must fit on a multiprocessor at once, a register budget.
"""

from __future__ import annotations

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import OptimizationHintsAttr, TileType
from cuda_tile.errors import Unsupported
from cuda_tile.ir.plan import MAX_WARPS, PLAN_ATTRIBUTE, TARGET_ATTRIBUTE, Plan
from cuda_tile.ir.tiles import element_of, is_distributed, shape_of
from cuda_tile.ir.walk import entries, location_text, nested_ops
from cuda_tile.options import Options
from cuda_tile.targets import WARP_LANES, find_target

WANTED_ELEMENTS_PER_THREAD = 8
"""Two 16-byte accesses of 4-byte elements in flight per thread."""
MAX_ACCUMULATORS_PER_THREAD = 64
"""f32 accumulators a thread may hold beside operands and staged loads without
spilling; 128 spilled in part on the peer (measured with ptxas 13.5)."""


def run(module: ir.Operation, options: Options) -> None:
    """Plans every entry of `module` that has no plan yet."""
    find_target(options.gpu)
    for entry in entries(module):
        entry.attributes[TARGET_ATTRIBUTE] = ir.StringAttr.get(options.gpu)
        if PLAN_ATTRIBUTE not in entry.attributes:
            entry.attributes[PLAN_ATTRIBUTE] = make_plan(entry, options).to_attribute()


def make_plan(entry: ir.Operation, options: Options) -> Plan:
    """Chooses warps and matrix instruction for one entry."""
    dots = [op for op in nested_ops(entry) if op.name == "cuda_tile.mmaf"]
    wanted = options.num_warps or _hinted_warps(entry, options.gpu)
    min_ctas = _hint(entry, options.gpu, "occupancy") or 0
    if not dots:
        warps = wanted or _warps_for_elements(_largest_tile(entry))
        return Plan(warps, min_ctas=min_ctas)
    for dot in dots:
        check_mma(dot)
    largest = max(dots, key=lambda dot: _elements(dot.results[0]))
    rows, columns = shape_of(largest.results[0])[-2:]
    warps = wanted or _warps_for_accumulators(rows, columns)
    warps_m, warps_n = divide_warps(rows, columns, warps)
    return Plan(warps, warps_m, warps_n, "m16n8k16", min_ctas)


def check_mma(dot: ir.Operation) -> None:
    """Refuses a product that no matrix instruction of this version computes.

    Raises:
        Unsupported: Element types, rank or extents are not covered.
    """
    lhs, acc = element_of(dot.operands[0]), element_of(dot.operands[2])
    where = location_text(dot)
    if str(lhs) not in ("f16", "bf16") or str(acc) != "f32":
        raise Unsupported(
            f"mmaf: expected f16 or bf16 inputs and an f32 accumulator, got {lhs} "
            f"and {acc}; other types run on the interpreter only",
            where,
        )
    shape = (*shape_of(dot.results[0]), shape_of(dot.operands[0])[-1])
    if len(shape) != 3 or shape[0] < 16 or shape[1] < 8 or shape[2] < 16:
        raise Unsupported(
            "mmaf: expected rank 2 and M >= 16, N >= 8, K >= 16, got M, N, K = "
            f"{', '.join(map(str, shape))}",
            where,
        )


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
