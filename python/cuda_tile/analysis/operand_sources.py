# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the operands of matrix products come from.

The pass `plan` asks at level T which operands lie in shared memory, and which products
are chained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TypeVar, cast

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs import _cuda_tile
from cuda_tile._mlir._mlir_libs._cuda_tile import TokenType
from cuda_tile.analysis.packed_operands import as_bytes, renamed_by, renames_bytes
from cuda_tile.analysis.registers import NAMES, IsStaged, Tile
from cuda_tile.ir.attributes import integers
from cuda_tile.ir.carried import first_carried, leaves
from cuda_tile.ir.plan import ProductPlan, batch_of, extents_of
from cuda_tile.ir.rings import slot_bytes_of
from cuda_tile.ir.tiles import (
    element_bits,
    element_of,
    is_distributed,
    shape_of,
    tile_bytes,
)
from cuda_tile.ir.traits import (
    ELEMENTWISE,
    FOR_LOOPS,
    LOADS,
    LOOPS,
    PRODUCTS,
    PURE,
    SAME_ELEMENTS,
)
from cuda_tile.ir.walk import (
    block_ops,
    defining_op,
    enclosing_ops_of,
    makers_in,
    nested_ops,
    op_stem,
    reached,
)
from cuda_tile.layout.linear import LinearLayout
from cuda_tile.layout.shared import SharedLayout
from cuda_tile.ods import ops_by_rule
from cuda_tile.records import dataclass
from cuda_tile.targets import Target


@dataclass(frozen=True, eq=False)
class Product:
    """The properties of a matrix product that `plan` needs, read once.

    Attributes:
        op: The operation.
        extents: M, N and K.
        batch: Number of matrices.
        operand_bits: Bits of an element of its operands.
        is_chained: See `is_chained`.
        stored: Operands that are stored to shared memory right before it.
        result: The tile of its result.
    """

    op: ir.Operation
    extents: tuple[int, int, int]
    batch: int
    operand_bits: int
    is_chained: bool
    stored: tuple[Tile, ...]
    result: Tile

    @classmethod
    def of(cls, op: ir.Operation, is_staged: IsStaged | None = None) -> Product:
        """Describes a product of level T.

        Args:
            op: The product.
            is_staged: Tells which operands are not stored right before it;
                `is_staging_hoisted` by default.
        """
        chained, is_staged = is_chained(op), is_staged or is_staging_hoisted
        stored = tuple(
            Tile.of(op.operands[index])
            for index in ((1,) if chained else (0, 1))
            if not is_staged(op, index)
        )
        bits = element_bits(element_of(op.operands[0]))
        result = Tile.of(op.results[0])
        return cls(op, extents_of(op), batch_of(op), bits, chained, stored, result)

    def least_clocks(self, target: Target) -> float:
        """Clocks at the best rate of a chip; twice the operand's width halves the rate.

        Args:
            target: The chip.
        """
        m, n, k = self.extents
        is_fast = target.has_slow_f32_sums and not self._has_f32_sum
        rate = target.fma_per_clock * (2 if is_fast else 1)
        return m * n * k / rate * self.operand_bits / 16

    @property
    def _has_f32_sum(self) -> bool:
        return str(element_of(self.op.results[0])) == "f32"

    def keeps_operand(self, plan: ProductPlan) -> bool:
        """Whether the left operand stays in registers of its threads for the engine."""
        reads = "registers" in plan.engine.left
        return reads and self.is_chained and plan.warps_n == 1


OPERANDS, SCALES = (0, 1), (3, 4)
"""Numbers of the operands of a product that it multiplies, and of scale factors."""
CONVERSIONS = ops_by_rule(
    "threads do it to what they read of a loaded tile for a product", "ftof", "itof"
)
_COMPUTES = (
    ops_by_rule("threads compute operands by it", "broadcast", "cat", "pack", "unpack")
    | NAMES
    | ELEMENTWISE
)
"""Ops that compute elements of a tile each by itself, or move them."""
_STAYS_IN_THREADS = NAMES | ELEMENTWISE


@dataclass(frozen=True, eq=False)
class LoadedOperand:
    """A load in a loop whose tile products read.

    Attributes:
        load: The load.
        loop: The innermost loop around it.
        uses: The products that read it, each with the number of the operand.
        refusal: Why only threads can load it, judged by its place; None if other
            engines may.
        may_end: Whether its iteration may end before its tile is used. Then a ring with
            mbarriers could not be released on every path.
        tables: The loads of its loop that give its address.
        is_computed: Whether threads read the copied tile and compute operands from it;
            otherwise products read it, or slices of it.
    """

    load: ir.Operation
    loop: ir.Operation
    uses: tuple[tuple[ir.Operation, int], ...]
    refusal: str | None
    may_end: bool
    tables: tuple[ir.Operation, ...] = ()
    is_computed: bool = False


def loaded_operands(ops: Iterable[ir.Operation]) -> list[LoadedOperand]:
    """The loads in loops that give left or right operands of products, in order."""
    return _loaded(_uses_of_loads(ops, OPERANDS))


def loaded_scales(ops: Iterable[ir.Operation]) -> list[LoadedOperand]:
    """The loads in loops of the scale factors of products, in order."""
    return _loaded(_uses_of_loads(ops, SCALES))


_Uses = dict[ir.Operation, list[tuple[ir.Operation, int]]]
"""Of each load the products that it feeds, with the number of the operand."""


def _loaded(uses: _Uses) -> list[LoadedOperand]:
    """The loads that are in loops, among some loads."""
    found: list[LoadedOperand] = []
    for load, users in uses.items():
        loop = enclosing_loop(load)
        if loop is not None:
            refusal = _refuse_place(load, loop, users)
            may_end = _may_end_before(load, [op for op, _ in users])
            tables = tuple(_tables_of(load, loop))
            found.append(
                LoadedOperand(load, loop, tuple(users), refusal, may_end, tables)
            )
    return found


def computed_operands(ops: Iterable[ir.Operation]) -> list[LoadedOperand]:
    """The loads from which threads compute left or right operands, in order.

    Examples are dequantised weights with their scales and zero points. Each load is in
    the block of the product, the body of a `for`, and its tile reaches the product only
    through elementwise operations and changes of shape, not through other products.
    """
    ops = list(ops)
    fed = _uses_of_loads(ops, OPERANDS)
    uses: dict[ir.Operation, list[tuple[ir.Operation, int]]] = {}
    for op in ops:
        if op.name in PRODUCTS and op.block.owner.operation.name in FOR_LOOPS:
            for index in (0, 1):
                for load in computed_from(op.operands[index]):
                    if load not in fed and load.block == op.block:
                        uses.setdefault(load, []).append((op, index))
    found: list[LoadedOperand] = []
    for load, users in uses.items():
        loop = load.block.owner.operation
        refusal = _refuse_address(load, loop)
        may_end = _may_end_before(load, [op for op, _ in users])
        tables = tuple(_tables_of(load, loop))
        found.append(
            LoadedOperand(load, loop, tuple(users), refusal, may_end, tables, True)
        )
    return found


def computed_from(operand: ir.Value) -> list[ir.Operation]:
    """The loads in an operand's block that compute it; none if products do, too."""
    last = defining_op(operand)

    def behind(op: ir.Operation) -> list[ir.Operation]:
        return makers_in(op.block, op.operands if computes_elements(op) else ())

    found = [] if last is None else list(reached([last], behind))
    if any(op.name in PRODUCTS for op in found):
        return []
    return [op for op in found if op.name in LOADS and is_distributed(op.results[0])]


def computes_elements(op: ir.Operation) -> bool:
    """Whether an op computes each element of a tile by itself, or moves elements."""
    return op.name in _COMPUTES


def once_loaded_operands(ops: Iterable[ir.Operation]) -> list[LoadedOperand]:
    """The loads outside loops and branches that give such operands, in order.

    Their `loop` is the entry.
    """
    found: list[LoadedOperand] = []
    for load, users in _uses_of_loads(ops, OPERANDS).items():
        entry = load.parent
        if entry is not None and entry.operation.name == "cuda_tile.entry":
            refusal = _refuse_users(load, users)
            may_end = _may_end_before(load, [op for op, _ in users])
            found.append(
                LoadedOperand(load, entry.operation, tuple(users), refusal, may_end)
            )
    return found


def most_live_bytes(
    loop: ir.Operation, users: Mapping[ir.Operation, Sequence[ir.Operation]]
) -> int:
    """The most bytes at a time of tiles that are copied where their loads stand.

    Args:
        loop: The loop, or entry, around the loads.
        users: The loads, each with the ops that read its copy.
    """
    places = {op: place for place, op in enumerate(nested_ops(loop))}
    ends = {load: max(places[op] for op in (load, *users[load])) for load in users}
    return max(
        slot_bytes_of(
            tile_bytes(load.results[0])
            for load in users
            if places[load] <= places[now] <= ends[load]
        )
        for now in users
    )


def _uses_of_loads(ops: Iterable[ir.Operation], numbers: Sequence[int]) -> _Uses:
    """The loads that give some operands of products, with these operands."""
    uses: _Uses = {}
    for op in ops:
        if op.name in PRODUCTS:
            for index in (n for n in numbers if n < len(op.operands)):
                if (load := source_load(op.operands[index])) is not None:
                    uses.setdefault(load, []).append((op, index))
    return uses


def source_load(value: ir.Value) -> ir.Operation | None:
    """The load whose elements a tile has, possibly converted; None if there is none."""
    last = renames_of(value)
    op = defining_op(last[-1].operands[0] if last else value)
    return op if op is not None and op.name in LOADS else None


def _renames(op: ir.Operation) -> bool:
    """Whether products look through an op to the loaded tile."""
    return op.name in SAME_ELEMENTS | CONVERSIONS or renames_bytes(op)


def renamed_uses(value: ir.Value) -> Iterator[tuple[ir.Operation, int]]:
    """The ops that use the elements of a tile, with the number of the operand."""
    for use in value.uses:
        owner = use.owner.operation
        if _renames(owner):
            yield from renamed_uses(owner.results[0])
        else:
            yield owner, use.operand_number


def renames_of(value: ir.Value) -> list[ir.Operation]:
    """The ops between a load and a value that has its elements, the last first."""
    found: list[ir.Operation] = []
    op = defining_op(value)
    while op is not None and _renames(op):
        found.append(op)
        op = defining_op(op.operands[0])
    return found


def conversions_of(value: ir.Value) -> list[ir.Operation]:
    """The conversions between a load and a value, in program order."""
    return [op for op in reversed(renames_of(value)) if op.name in CONVERSIONS]


def permutation_of(op: ir.Operation) -> tuple[int, ...]:
    """The dimension of its operand that each dimension of a permutation is."""
    return integers(op, "permutation")


def renamed_buffer(shared: SharedLayout, value: ir.Value) -> SharedLayout:
    """The layout of a loaded tile's buffer, renamed as a value that has its elements.

    For 4-bit elements it is the layout of their bytes.

    Args:
        shared: The layout of the buffer.
        value: The value, a renaming of the loaded tile.
    """
    renames = renames_of(value)[::-1]
    for op in renames:
        shared = renamed_by(op, shared)
    is_packed = any(map(renames_bytes, renames))
    return (as_bytes(shared) if is_packed else None) or shared


def layout_before(op: ir.Operation, layout: LinearLayout) -> LinearLayout:
    """The layout that the operand of an op needs for a layout of its result.

    Args:
        op: An op that renames or repeats elements, or computes each by itself.
        layout: The layout of its result.
    """
    if op.name == "cuda_tile.broadcast":
        source = layout.broadcast_source(shape_of(op.operands[0]))
        return source.drop_redundant_registers()
    return name_before(op, layout)


_Layout = TypeVar("_Layout", LinearLayout, SharedLayout)


def name_before(op: ir.Operation, layout: _Layout) -> _Layout:
    """As `layout_before`, for an op that at most renames elements; also for buffers.

    Args:
        op: The op.
        layout: The layout of its result.
    """
    match op.name:
        case "cuda_tile.reshape":
            return layout.reshape(shape_of(op.operands[0]))
        case "cuda_tile.permute":
            order = permutation_of(op)
            return layout.permute([order.index(d) for d in range(len(order))])
        case _:
            return layout


def is_brought_to_threads(load: ir.Operation) -> bool:
    """Whether no product reads the tile of a load, or a renaming of it."""
    users = renamed_uses(load.results[0])
    feeds = any(user.name in PRODUCTS and index in OPERANDS for user, index in users)
    return not feeds and scale_use(load) is None


def scale_use(load: ir.Operation) -> tuple[ir.Operation, int] | None:
    """The product that takes scale factors from a load, and the number of the operand.

    None if anything else uses the load's tile.

    Args:
        load: The load.
    """
    uses = list(renamed_uses(load.results[0]))
    are_scales = all(op.name in PRODUCTS and n in SCALES for op, n in uses)
    return uses[0] if uses and are_scales else None


def enclosing_loop(op: ir.Operation) -> ir.Operation | None:
    """The innermost loop around an op in its entry."""
    around = enclosing_ops_of(op)
    return next((outer for outer in around if _cuda_tile.is_loop(outer)), None)


def _refuse_place(
    load: ir.Operation, loop: ir.Operation, uses: Sequence[tuple[ir.Operation, int]]
) -> str | None:
    """Why a load cannot run ahead of the products that read its tile."""
    if (reason := _refuse_users(load, uses)) is not None:
        return reason
    if loop.name not in FOR_LOOPS:
        return "the number of iterations of its loop is not known before it begins"
    return _refuse_address(load, loop)


def _refuse_users(
    load: ir.Operation, uses: Sequence[tuple[ir.Operation, int]]
) -> str | None:
    """Why a load must bring its tile to registers: other ops than products use it."""
    # async_copies C11; converted_operands C6; transposed_products C10
    others = (op for op, i in renamed_uses(load.results[0]) if (op, i) not in uses)
    other = next(others, None)
    if other is None:
        return None
    return f"'{op_stem(other)}' uses its tile too, which needs it in registers"


def _may_end_before(load: ir.Operation, users: list[ir.Operation]) -> bool:
    """Whether control may leave a load's block between it and a use of its tile."""
    ops = block_ops(load.block)
    around = {outer for op in users for outer in (op, *enclosing_ops_of(op))}
    last = max((place for place, op in enumerate(ops) if op in around), default=0)
    return any(leaves(op) for op in ops[ops.index(load) + 1 : last + 1])


def _refuse_address(load: ir.Operation, loop: ir.Operation) -> str | None:
    """Why the address of a load is not known iterations ahead."""
    for op in _address_ops(load, loop):
        # async_copies C9
        if op.name not in PURE and op.name not in LOADS:
            return f"its address depends on '{op_stem(op)}' of the same iteration"
    return None


def _tables_of(load: ir.Operation, loop: ir.Operation) -> list[ir.Operation]:
    """The loads of a loop that give the address of another load of the loop."""
    return [op for op in _address_ops(load, loop) if op.name in LOADS]


def _address_ops(load: ir.Operation, loop: ir.Operation) -> list[ir.Operation]:
    """The ops of a loop that compute the address of a load.

    The search stops at an op that is neither pure nor a load.
    """
    index = loop.regions[0].blocks[0].arguments[0]
    around = (load, *enclosing_ops_of(load))
    inside = {op.block for op in takewhile(lambda op: op != loop, around)}

    def behind(value: ir.Value) -> Iterable[ir.Value]:
        op = defining_op(value)
        if value == index or (value.owner if op is None else op.block) not in inside:
            return ()
        if op is None:
            return _numbers([_next_iterations(value)])
        return _numbers(op.operands) if op.name in PURE | LOADS else ()

    made = map(defining_op, reached(_numbers(load.operands), behind))
    found = (op for op in made if op is not None and op.block in inside)
    return list(dict.fromkeys(found))


def _numbers(values: Iterable[ir.Value]) -> list[ir.Value]:
    """The values that are no tokens."""
    return [value for value in values if not isinstance(value.type, TokenType)]


def _next_iterations(carried: ir.Value) -> ir.Value:
    """The value that a loop passes to its next iteration."""
    block = cast("ir.Block", carried.owner)
    number = ir.BlockArgument(carried).arg_number - 1  # the first one is the index
    return block_ops(block)[-1].operands[number]


ProductPlans = Mapping[Product, ProductPlan]
"""The plan of each product of an entry."""


def is_chained(product: ir.Operation) -> bool:
    """Whether the left operand is computed from another product of the same block.

    If all warps are along M, such an operand stays in its threads: the fragment of a
    result is that of a left operand with renamed registers, unless it is transposed.
    """

    def behind(op: ir.Operation) -> list[ir.Operation]:
        stays = op.name in _STAYS_IN_THREADS and not _transposes_matrix(op)
        return makers_in(op.block, filter(is_distributed, op.operands if stays else ()))

    first = makers_in(product.block, [product.operands[0]])
    return any(op.name in PRODUCTS for op in reached(first, behind))


def _transposes_matrix(op: ir.Operation) -> bool:
    """Whether an op transposes matrices."""
    if op.name != "cuda_tile.permute":
        return False
    order = permutation_of(op)
    return order[-2:] != (len(order) - 2, len(order) - 1)


def is_staging_hoisted(op: ir.Operation, index: int) -> bool:
    """Whether `stage` stores an operand to shared memory before the block of `op`.

    Such an operand is computed outside the product's block.

    Args:
        op: The product.
        index: The number of the operand: 0 for A, 1 for B.
    """
    if op.name not in PRODUCTS or index > 1:
        return False
    source = defining_op(op.operands[index])
    while source is not None and source.name in NAMES:
        if source.block != op.block:
            return True
        source = defining_op(source.operands[0])
    return source is not None and source.block != op.block


def warp_share(product: Product, plan: ProductPlan) -> tuple[int, int]:
    """Rows and columns of the result that a warp has, at least those of one atom.

    Warps may divide the columns of an atom that one thread issues.

    Args:
        product: The product.
        plan: The plan of the product.
    """
    m, n, _ = product.extents
    if plan.engine.is_issued_by_one:
        return m // plan.warps_m, n // plan.warps_n
    step_m, step_n = plan.warp_step
    return max(m // plan.warps_m, step_m), max(n // plan.warps_n, step_n)


def is_plain_sum(op: ir.Operation) -> bool:
    """Whether a loop carries the sum of a product, and no other op in it uses the sum.

    Args:
        op: The product.
    """
    total, result = op.operands[2], op.results[0]
    users = [(use.owner.operation, use.operand_number) for use in result.uses]
    # transposed_products C9
    if not isinstance(total.owner, ir.Block) or len(list(total.uses)) != 1:
        return False
    loop = total.owner.owner.operation
    if len(users) != 1 or loop.name not in LOOPS:
        return False
    end, number = users[0]
    carried = ir.BlockArgument(total).arg_number - first_carried(loop)[1]
    return end == block_ops(total.owner)[-1] and number == carried
