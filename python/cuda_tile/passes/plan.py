"""The one place for heuristics: how many warps, which matrix instruction.

Writes `tileas.plan` and `tileas.target` on each entry; every later pass only
reads them, so a plan written by hand or by a tuner overrides what stands here.
A plan is a dictionary of integers and strings:

- `num_warps`: warps of a CTA, a power of two;
- `warps_m`, `warps_n`: how the warps divide an accumulator, for kernels with MMA;
- `mma`: the matrix instruction, `m16n8k16`.
"""

from __future__ import annotations

from dataclasses import dataclass

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import TileType
from cuda_tile.errors import Unsupported, UserError
from cuda_tile.ir.tiles import element_of, is_distributed, shape_of
from cuda_tile.ir.walk import entries, entry_name, location_text, nested_ops
from cuda_tile.options import Options
from cuda_tile.targets import WARP_LANES, find_target

PLAN_ATTRIBUTE = "tileas.plan"
TARGET_ATTRIBUTE = "tileas.target"
MAX_WARPS = 16
WANTED_ELEMENTS_PER_THREAD = 8
"""Two 16-byte accesses of 4-byte elements in flight per thread."""
MAX_ACCUMULATORS_PER_THREAD = 64
"""f32 accumulators a thread may hold beside operands and staged loads without
spilling; 128 spilled in part on the peer (measured with ptxas 13.5)."""


@dataclass(frozen=True)
class Plan:
    """The decisions for one kernel, as the attribute holds them."""

    num_warps: int
    warps_m: int = 1
    warps_n: int = 1
    mma: str = "none"

    def to_attribute(self) -> ir.Attribute:
        """The dictionary attribute; integers are i64."""
        i64 = ir.IntegerType.get_signless(64)
        values: dict[str, ir.Attribute] = {
            "num_warps": ir.IntegerAttr.get(i64, self.num_warps)
        }
        if self.mma != "none":
            values["warps_m"] = ir.IntegerAttr.get(i64, self.warps_m)
            values["warps_n"] = ir.IntegerAttr.get(i64, self.warps_n)
            values["mma"] = ir.StringAttr.get(self.mma)
        return ir.DictAttr.get(values)


def read_plan(entry: ir.Operation) -> Plan:
    """The plan that stands on an entry.

    Raises:
        UserError: There is none, or it is not usable; says which field.
    """
    where = location_text(entry)
    if PLAN_ATTRIBUTE not in entry.attributes:
        raise UserError(
            f"expected attribute '{PLAN_ATTRIBUTE}' on entry @{entry_name(entry)}; "
            "run cuda-tile-plan first",
            where,
        )
    attr = ir.DictAttr(entry.attributes[PLAN_ATTRIBUTE])
    numbers = {
        key: ir.IntegerAttr(attr[key]).value
        for key in ("num_warps", "warps_m", "warps_n")
        if key in attr
    }
    mma = ir.StringAttr(attr["mma"]).value if "mma" in attr else "none"
    plan = Plan(mma=mma, **{"num_warps": 0, **numbers})
    if plan.num_warps not in (1, 2, 4, 8, MAX_WARPS):
        raise UserError(
            f"expected num_warps of 1, 2, 4, 8 or {MAX_WARPS} in '{PLAN_ATTRIBUTE}', "
            f"got {plan.num_warps}",
            where,
        )
    if mma != "none" and plan.warps_m * plan.warps_n != plan.num_warps:
        raise UserError(
            f"expected warps_m x warps_n = num_warps in '{PLAN_ATTRIBUTE}', got "
            f"{plan.warps_m} x {plan.warps_n} and {plan.num_warps}",
            where,
        )
    return plan


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
    if not dots:
        return Plan(wanted or _warps_for_elements(_largest_tile(entry)))
    for dot in dots:
        check_mma(dot)
    largest = max(dots, key=lambda dot: _elements(dot.results[0]))
    rows, columns = shape_of(largest.results[0])[-2:]
    warps = wanted or _warps_for_accumulators(rows, columns)
    warps_m, warps_n = divide_warps(rows, columns, warps)
    return Plan(warps, warps_m, warps_n, "m16n8k16")


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
    """The producer's `num_worker_warps_per_cta` for this chip, if it gave one."""
    if "optimization_hints" not in entry.attributes:
        return None
    hints = entry.attributes["optimization_hints"].value
    for key in (gpu, "default"):
        if key in hints and "num_worker_warps_per_cta" in hints[key]:
            # Other counts than 4 and 8 are clamped, as producers expect.
            warps = ir.IntegerAttr(hints[key]["num_worker_warps_per_cta"]).value
            return 4 if warps <= 4 else 8
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
