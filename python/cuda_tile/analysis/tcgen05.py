# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Engine tcgen05: which products it can compute, and the resources that they take."""

from __future__ import annotations

from collections.abc import Container
from itertools import takewhile

from cuda_tile._mlir import ir
from cuda_tile.analysis.descriptor_reads import ROLES, is_readable
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.operand_sources import (
    Product,
    ProductPlans,
    enclosing_loop,
    is_plain_sum,
    source_load,
)
from cuda_tile.analysis.packed_operands import sharing_bytes
from cuda_tile.analysis.product_rules import (
    PROPOSALS,
    READS_ITSELF,
    REGISTERS,
    Gathered,
)
from cuda_tile.analysis.registers import IsStaged, Weigh
from cuda_tile.constants import TENSOR_WAIT_CLOCKS
from cuda_tile.engines.engine import Atom
from cuda_tile.engines.mma_sync import MMA_SYNC
from cuda_tile.engines.tcgen05 import TCGEN05, as_tensor_atom
from cuda_tile.ir.carried import first_carried
from cuda_tile.ir.plan import Plan, ProductPlan, scaling_of, terms_of
from cuda_tile.ir.tiles import tile_bytes
from cuda_tile.ir.traits import ELEMENTWISE, FOR_LOOPS, LOOPS, TERMINATORS
from cuda_tile.ir.walk import block_ops, defining_op, enclosing_ops_of
from cuda_tile.layout.tensor import (
    TENSOR_WARPS,
    allocation,
    columns_of,
)
from cuda_tile.layout.tensor_scales import columns_of_scales
from cuda_tile.targets import Target

_FLOATS_PER_CLOCK = 128


@PROPOSALS.register(TCGEN05.name)
def propose(
    product: Product,
    plan: Plan,
    target: Target,
    facts: FactsAnalysis | None,
    staged: tuple[IsStaged, IsStaged],
) -> ProductPlan | None:
    """The plan of a product in tensor memory, if that is possible and faster.

    Args:
        product: The product.
        plan: The plan of the entry.
        target: The chip.
        facts: Facts of the entry, if an engine loads some of its operands.
        staged: Which operands an engine loads, and which ones threads compute from
            what an engine loads.
    """
    del staged
    made = fitting(product, plan, target, facts)
    gains = made is not None and _pays(product, made.atom, target)
    return made if gains else None


def fitting(
    product: Product, plan: Plan, target: Target, facts: FactsAnalysis | None
) -> ProductPlan | None:
    """The plan of a product in tensor memory, if that is possible, faster or not.

    Args:
        product: The product.
        plan: The plan of the entry.
        target: The chip.
        facts: Facts of the entry, if an engine loads some of its operands.
    """
    atom = _atom(product.op, target)
    if atom is None or not plan.num_warps or plan.num_warps % TENSOR_WARPS:
        return None
    blocks = min(plan.num_warps // TENSOR_WARPS, product.extents[0] // atom.shape[0])
    rows = TENSOR_WARPS * max(1, blocks)
    made = ProductPlan(atom, rows, plan.num_warps // rows)
    if TCGEN05.refuse_shape(atom, terms_of(product.op), made.warps) is not None:
        return None
    held = sum(map(tile_bytes, list(product.op.operands)[:2]))
    if held > target.shared_bytes_per_cta:
        return None
    reads = (is_readable(product, index, made, facts) for index in (0, 1))
    return made if all(reads) else None


@READS_ITSELF.register(TCGEN05.name)
def _reads_itself(op: ir.Operation, target: Target, facts: FactsAnalysis) -> bool:
    """Whether tensor memory computes a product, however it is divided."""
    del facts
    atom = _atom(op, target)
    return atom is not None and _pays(Product.of(op), atom, target)


@REGISTERS.register(TCGEN05.name)
def registers(
    product: Product, plan: ProductPlan, weigh: Weigh, gathered: Gathered
) -> int:
    """No registers: one thread has descriptors of both operands."""
    del product, plan, weigh, gathered
    return 0


def tensor_columns_of(product: Product, plan: ProductPlan) -> int:
    """Columns of tensor memory that the sum of a product takes.

    Args:
        product: The product.
        plan: Its plan.
    """
    if plan.engine != TCGEN05:
        return 0
    atom = as_tensor_atom(plan.atom)
    scales = columns_of_scales(atom, product.extents)
    return columns_of(product.extents[:2], atom.shape[0]) + scales


def allocated_columns(plans: ProductPlans) -> int:
    """Columns that a kernel allocates for the sums of its products.

    Args:
        plans: The products of the kernel, with their plans.
    """
    wanted = wanted_columns(plans)
    return allocation(wanted) if wanted else 0


def wanted_columns(plans: ProductPlans) -> int:
    """Columns that a kernel needs for the sums that are live at the same time.

    Sums that products of consecutive loops add to, one after another, count as one.
    Sums that no op outside their loop uses share columns with sums of other loops.

    Args:
        plans: The products of the kernel, with their plans.
    """
    kept = {p.op: n for p, q in plans.items() if (n := tensor_columns_of(p, q))}
    homes: dict[ir.Operation, _Path] = {}
    for op in kept:
        first, path = op, _home(op)
        while (before := _product_before(first, kept)) is not None:
            first = before
        homes[first] = _common(homes.get(first, path), path)
        kept[first] = max(kept[first], kept[op])
    return _at_a_time([(path, kept[op]) for op, path in homes.items()], 0)


_Path = tuple[ir.Operation, ...]
"""The ops around an op, the outermost first."""


def _at_a_time(sums: list[tuple[_Path, int]], depth: int) -> int:
    """Columns of sums inside an op: its own, and the maximum over the ops in it."""
    inner: dict[ir.Operation, list[tuple[_Path, int]]] = {}
    for path, columns in sums:
        if len(path) > depth:
            inner.setdefault(path[depth], []).append((path, columns))
    own = sum(columns for path, columns in sums if len(path) == depth)
    most = max((_at_a_time(each, depth + 1) for each in inner.values()), default=0)
    return own + most


def _home(product: ir.Operation) -> _Path:
    """The ops that enclose both a product and all direct uses of its result."""
    path = _path(product)
    for use in product.results[0].uses:
        user = use.owner.operation
        own = _path(user)
        path = _common(path, own[:-1] if user.name in TERMINATORS else own)
    return path


def _path(op: ir.Operation) -> _Path:
    return tuple(reversed(list(enclosing_ops_of(op))))


def _common(one: _Path, other: _Path) -> _Path:
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return tuple(first for first, _ in pairs)


def _product_before(
    product: ir.Operation, others: Container[ir.Operation]
) -> ir.Operation | None:
    """The product whose sum another product continues, directly or after a loop.

    If threads compute the initial value from another sum of the same iteration, the
    product begins a new sum.
    """
    total = product.operands[2]
    work, seen = [(total, False)], set[ir.Value]()
    while work:
        value, is_behind = work.pop()
        maker = defining_op(value)
        if maker is not None and maker in others:
            if is_behind or value == total:
                return maker
        elif value not in seen:
            seen.add(value)
            is_behind |= maker is not None and maker.name in FOR_LOOPS
            work += [(source, is_behind) for source in _sources(value)]
    return None


def _sources(value: ir.Value) -> list[ir.Value]:
    """The sum before a step: before its loop, or before threads changed it."""
    maker = defining_op(value)
    if maker is None:
        argument = ir.BlockArgument(value)
        loop = argument.owner.owner.operation
        if loop.name not in FOR_LOOPS:
            return []
        first_operand, first_argument = first_carried(loop)
        return [loop.operands[first_operand + argument.arg_number - first_argument]]
    if maker.name in FOR_LOOPS:
        number = ir.OpResult(value).result_number
        return [block_ops(maker.regions[0].blocks[0])[-1].operands[number]]
    is_change = maker.name in ELEMENTWISE
    return [v for v in maker.operands if is_change and v.type == value.type]


def _atom(op: ir.Operation, target: Target) -> Atom | None:
    """The instruction that a chip has for a product; None if it has none."""
    return TCGEN05.best_atom(terms_of(op), target)


def lacks_factors(op: ir.Operation, target: Target) -> bool:
    """Whether a chip's tensor memory takes scale factors, but not those of a product.

    Args:
        op: The product.
        target: The chip.
    """
    is_scaled = TCGEN05.is_on(target) and scaling_of(op) is not None
    return is_scaled and _atom(op, target) is None


def torn_products(plans: ProductPlans) -> Product | None:
    """A product that reads bytes which warps unpack for another product.

    Args:
        plans: The products of the kernel, with their plans.
    """
    own = {p.op for p, q in plans.items() if tensor_columns_of(p, q)}
    return next(
        (p for p in plans if p.op in own and not own.issuperset(sharing_bytes(p.op))),
        None,
    )


def unread_bytes(op: ir.Operation, target: Target) -> str:
    """Operands of 4 bits, "a", "b" or both, that tensor memory cannot read as bytes.

    Args:
        op: The product.
        target: The chip.
    """
    atom = _atom(op, target)
    if atom is None or as_tensor_atom(atom).packed == 1:
        return ""
    found = zip(ROLES, list(op.operands)[:2], strict=True)
    return "".join(role for role, value in found if source_load(value) is None)


def alternates(op: ir.Operation) -> bool:
    """Whether threads wait for a product in each iteration of a loop.

    They do if they use its sum, or write scale factors of the next one.

    Args:
        op: The product.
    """
    waits = scaling_of(op) is not None or not is_plain_sum(op)
    return enclosing_loop(op) is not None and waits


def _pays(product: Product, atom: Atom, target: Target) -> bool:
    """Whether a product takes fewer clocks here than by warps.

    Outside loops threads wait for its sum, which goes to registers and back. If they
    wait in each iteration of a loop, the search decides: it knows how much of the wait
    a plan hides. With products of warps, threads scale the sums of blocks.
    """
    waits = TENSOR_WAIT_CLOCKS if enclosing_loop(product.op) is None else 0
    least = product.least_clocks(target)
    own = least * TCGEN05.slowdown(target, atom) + waits
    by_warps = least * MMA_SYNC.slowdown(target)
    return own < max(by_warps, scaling_clocks(product))


def scaling_clocks(product: Product) -> float:
    """Clocks of threads that scale the sums of blocks themselves.

    Each block of each sum takes a multiplication for the factors and a multiply-add,
    128 of either in a clock (CUDA C++ Programming Guide, "Throughput of Native
    Arithmetic Instructions").

    Args:
        product: The product.
    """
    scaling = scaling_of(product.op)
    if scaling is None:
        return 0
    m, n, k = product.extents
    return 2 * product.batch * m * n * k / scaling[1] / _FLOATS_PER_CLOCK


def sums_kept(product: Product, plan: ProductPlan) -> frozenset[ir.Value]:
    """Tiles of a loop that take no registers, since a sum is changed in place.

    Threads load, change and store it a slice at a time (emit/tensor_update.py).

    Args:
        product: The product.
        plan: The plan of the product.
    """
    total, result = product.op.operands[2], product.op.results[0]
    change = defining_op(total)
    if plan.engine != TCGEN05 or change is None or change.name not in ELEMENTWISE:
        return frozenset()
    block = product.op.block
    carried = [v for v in change.operands if _is_next(result, v, block)]
    uses = [len(list(value.uses)) for value in (*carried, total, result)]
    return (
        frozenset((*carried, total, result))
        if carried and max(uses) == 1
        else frozenset()
    )


def _is_next(result: ir.Value, value: ir.Value, block: ir.Block) -> bool:
    """Whether the loop of a block carries a result to its next iteration as a value."""
    if not isinstance(value.owner, ir.Block) or value.owner != block:
        return False
    loop, ends = block.owner.operation, list(block_ops(block)[-1].operands)
    number = ir.BlockArgument(value).arg_number - first_carried(loop)[1]
    return loop.name in LOOPS and 0 <= number < len(ends) and ends[number] == result
