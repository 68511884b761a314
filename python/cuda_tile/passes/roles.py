# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warp specialisation: divides a kernel into roles that load, multiply and work.

Contract: in, level W with rings in their serial form; out, in an entry whose plan has
`roles = "load"`, one `tileas.roles` that ends the kernel. "load" has the acquire,
copies and publish of all rings with mbarriers, and a copy of the scalars and the
control flow that these need. "products", if there is one, has the same for products in
tensor memory (product_role.py). "work" has the remaining ops, without those that only
the other roles need.
Rings stay in front. Each role computes its scalars and views itself: a value that
several roles used would be in one register from before the roles to the end of each,
and the role with fewest registers has few to spare (ptxas 13.5 spilled such loop
bounds). The loops of all roles compute their trip counts by the same ops, so they
agree. If copies need a value of a tile, or an op that must not run twice, the kernel
stays one role, and a remark says why.

Contract `roles`
    Law: a copy is made when its slot is free, and used when the slot is full, whoever
    makes it. So a role of its own may, if it has the scalars and the control flow that
    the kernel has, and what tokens order with them keeps its order.

    | | condition | near misses |
    |---|---|---|
    | - types | slots hold what copies bring, of any type | |
    | - flags | ops are cloned with their attributes | |
    | - values | the same ops give the same values of the same scalars | |
    | C1 captures | the copies need scalars, and no tiles | row_of_a_tile |
    | C2 captures | what makes these may run twice | row_of_an_atomic |
    | C3 order | loads among that are weak | row_of_an_acquire |
    | | | row_of_a_relaxed_load |
    | C4 order | by tokens they are behind no store or acquire | row_behind_a_store |
    | C5 order | nothing that writes or releases waits for them | row_overwritten |
    | | | row_released, row_overwritten_through_a_loop |
    | | | row_overwritten_in_a_branch |
    | C6 aliasing | tokens alone order accesses, whatever the addresses | |
    | | | row_overwritten_through_an_alias |
    | C7 order | the copies are behind no acquire | behind_an_acquire |
    | C8 blocks | behind the preceding grid each role waits for it | |
    | | | behind_the_preceding_grid, row_behind_the_preceding_grid |
    | | | row_behind_a_hint_and_a_wait |
    | | | tile_of_no_loop_behind_the_preceding_grid |
    | - indices | both roles compute them by the same ops | |
    | C9 captures | no return leaves the other role waiting | early_end |
    | C10 extents | loops of both roles have the same bounds | no_iteration |
    | | | one_iteration, loaded_bound |
"""

from __future__ import annotations

from collections.abc import Sequence

from cuda_tile._mlir import ir
from cuda_tile._mlir.dialects import cuda_tile
from cuda_tile.analysis.role_slice import (
    CannotSplit,
    Repeatable,
    RoleSlice,
    effects_of,
    is_control,
    is_unordered,
    n_steering,
    passed_token,
)
from cuda_tile.analysis.tokens import token_operand
from cuda_tile.errors import NoPair
from cuda_tile.ir.attributes import attributes_of, text
from cuda_tile.ir.carried import BRANCH, drop, first_carried, receiver
from cuda_tile.ir.cloned import clone_with
from cuda_tile.ir.copies import CP_ASYNC, copy_engine
from cuda_tile.ir.cta_pairs import is_pair
from cuda_tile.ir.plan import LOAD_WARPS, Plan, add_remark, read_plan
from cuda_tile.ir.roles import ROLES
from cuda_tile.ir.traits import (
    BUFFER_RENAMES,
    COUNTED_LOOPS,
    FILL_STEPS,
    LOOPS,
    RINGS,
)
from cuda_tile.ir.walk import block_ops, body, location_text, nested_ops
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.passes.product_role import (
    ProductRole,
    find_product_role,
    hand_over_columns,
)
from cuda_tile.records import dataclass
from cuda_tile.targets import WARP_LANES

COPY = "tileas.copy_in"
_WHOLE = (LOOPS - COUNTED_LOOPS) | {BRANCH}
"""Ops of which "work" keeps all carried values: rare, and they cost nothing."""


@each_kernel
def run(entry: ir.Operation) -> None:
    """Divides an entry whose plan says so."""
    plan = read_plan(entry)
    rings = [op for op in block_ops(body(entry)) if _is_copied(op)]
    if plan.roles == "one" or not rings:
        if is_pair(entry):
            raise NoPair("no role brings operands of its products by bulk copies")
        hand_over_columns(entry)
        return
    try:
        _divide(entry, plan, rings)
    except CannotSplit as reason:
        if is_pair(entry):
            raise NoPair(f"no role of its own loads: {reason}") from None
        hand_over_columns(entry)
        add_remark(
            entry,
            f"one role instead of one that loads and one that works: {reason}; "
            "compute the tile's indices and the loop's bounds from scalars that no "
            "store comes before or after",
        )


def _has_mbarriers(op: ir.Operation) -> bool:
    return op.name in RINGS and text(op, "sync") == "mbarriers"


def _is_copied(op: ir.Operation) -> bool:
    """Whether a separate role may fill a ring; the working role fills other rings."""
    return _has_mbarriers(op) and text(op, "fill") != "threads"


def _divide(entry: ir.Operation, plan: Plan, rings: Sequence[ir.Operation]) -> None:
    """Builds the roles, or raises `CannotSplit` before it changes anything."""
    fills = [fill for ring in rings for fill in _fills(ring)]
    products = find_product_role(entry)
    if products is None and is_pair(entry):
        raise NoPair(
            "no role of its own starts its products: sums begin with zero and are used "
            "once, behind their loops, and bulk copies bring all operands"
        )
    ops = block_ops(body(entry))
    outside = {op for op in ops if _has_mbarriers(op)}
    inside = [op for op in ops[:-1] if op not in outside]
    _check(inside)
    repeatable = Repeatable(entry)
    load = RoleSlice(outside, lambda op: None if op in fills else repeatable.check(op))
    for op in fills:
        if op.name == COPY:
            repeatable.check_order(op)
        load.add(op)
    slices = [load]
    if products is not None:
        slices.insert(0, RoleSlice(outside, _Multiplies(products, repeatable).check))
        for op in products.ops:
            slices[0].add(op)
    _build(plan, fills, ops[-1], has_products=products is not None)
    roles = block_ops(body(entry))[-2]
    work_end, *ends = (block_ops(body(roles, n))[-1] for n in range(len(slices) + 1))
    for slice_, end in zip(slices, ends, strict=True):
        _Clone(slice_).ops_before(inside, end)
    for op in inside:
        op.move_before(work_end)
    _drop_fills(fills)
    moved = set(products.ops) if products is not None else set[ir.Operation]()
    _prune(block_ops(body(roles))[:-1], outside, moved)


@dataclass(frozen=True)
class _Multiplies:
    """Checks the ops of the role that multiplies.

    Attributes:
        products: Its products, and the steps of rings around them.
        repeatable: Checks all other ops.
    """

    products: ProductRole
    repeatable: Repeatable

    def check(self, op: ir.Operation) -> None:
        """Refuses an op that only another role can run.

        Raises:
            CannotSplit: The op has tiles that threads divide, or effects.
        """
        is_own = op in self.products.zeros or op in self.products.ops
        if not is_own and op.name not in BUFFER_RENAMES:
            self.repeatable.check(op)


# What goes where ----------------------------------------------------------------------


def _fills(ring: ir.Operation) -> list[ir.Operation]:
    """The ops that fill a ring.

    Raises:
        CannotSplit: Threads fill it, with tiles.
    """
    found: list[ir.Operation] = []
    for use in ring.results[0].uses:
        op = use.owner.operation
        if op.name not in FILL_STEPS:
            continue
        found.append(op)
        for other in (use.owner.operation for r in op.results for use in r.uses):
            if other.name != COPY:
                raise CannotSplit(
                    f"a slot is filled by '{other.name}' at {location_text(other)}, "
                    "which takes tiles"
                )
            found.append(other)
    return found


def _check(inside: Sequence[ir.Operation]) -> None:
    """Refuses entries that cannot be divided at all.

    Raises:
        CannotSplit: The entry has an early `return`.
    """
    for op in inside:
        for inner in nested_ops(op):
            if inner.name == "cuda_tile.return":  # roles C9
                raise CannotSplit(
                    f"the kernel may end early at {location_text(inner)}, where a role "
                    "would leave the other one waiting"
                )


# Building -----------------------------------------------------------------------------


def _build(
    plan: Plan,
    fills: Sequence[ir.Operation],
    end: ir.Operation,
    *,
    has_products: bool,
) -> None:
    """Builds the op with two or three empty regions, right before the kernel's end.

    If products have a role, the working role holds no sums while they run, so that no
    registers are moved between roles.
    """
    copies = [op for op in fills if op.name == COPY]
    by_threads = any(copy_engine(op) == CP_ASYNC for op in copies)
    load_threads = LOAD_WARPS * WARP_LANES if by_threads else 1
    numbers = {
        "warps": (plan.num_warps, LOAD_WARPS),
        "threads": (plan.num_warps * WARP_LANES, load_threads),
        "registers": (plan.registers, plan.load_registers),
    }
    names = ["work", "load"]
    if has_products:
        load_threads = WARP_LANES if by_threads else 1
        numbers = {
            "warps": (plan.num_warps, 1, 1),
            "threads": (plan.num_warps * WARP_LANES, 1, load_threads),
            "registers": (0, 0, 0),
        }
        names.insert(1, "products")
    attributes: dict[str, ir.Attribute] = {
        name: ir.DenseI64ArrayAttr.get(list(values)) for name, values in numbers.items()
    }
    attributes["names"] = ir.ArrayAttr.get([ir.StringAttr.get(n) for n in names])
    with ir.InsertionPoint(end), end.location:
        made = ir.Operation.create(ROLES, attributes=attributes, regions=len(names))
    for region in made.regions:
        with ir.InsertionPoint(region.blocks.append()), end.location:
            ir.Operation.create("tileas.done")


class _Clone:
    """Copies a slice.

    Args:
        slice_: What to copy.
    """

    def __init__(self, slice_: RoleSlice) -> None:
        self._slice = slice_
        self._values: dict[ir.Value, ir.Value] = {}

    def ops_before(self, ops: Sequence[ir.Operation], end: ir.Operation) -> None:
        """Copies those of the ops that are in the slice to before `end`."""
        with ir.InsertionPoint(end), end.location:
            self._ops(ops)

    def _ops(self, ops: Sequence[ir.Operation]) -> None:
        for op in ops:
            if op not in self._slice.ops:
                continue
            if len(op.regions):
                self._structure(op)
                continue
            made = clone_with(op, [self._of(operand) for operand in op.operands])
            self._note(op.results, made.results)

    def _of(self, value: ir.Value) -> ir.Value:
        value = passed_token(value)
        if is_unordered(value):
            return cuda_tile.MakeTokenOp().result
        return self._values.get(value, value)

    def _note(self, old: Sequence[ir.Value], new: Sequence[ir.Value]) -> None:
        self._values.update(zip(old, new, strict=True))

    def _structure(self, op: ir.Operation) -> None:
        """Copies an op with regions, with the carried values that are needed."""
        kept = self._slice.kept(op)
        first, first_argument = n_steering(op), first_carried(op)[1]
        results = sorted(kept.results)
        operands = list(op.operands)[:first]
        operands += [op.operands[first + n] for n in sorted(kept.arguments)]
        made = ir.Operation.create(
            op.name,
            results=[op.results[n].type for n in results],
            operands=[self._of(operand) for operand in operands],
            attributes=attributes_of(op),
            regions=len(op.regions),
            loc=op.location,
        )
        self._note([op.results[n] for n in results], list(made.results))
        for region, copy in zip(op.regions, made.regions, strict=True):
            for block in region.blocks:
                given = list(block.arguments)
                given = given[:first_argument] + [
                    given[first_argument + n] for n in sorted(kept.arguments)
                ]
                types = [value.type for value in given]
                inner = copy.blocks.append(*types, arg_locs=[op.location] * len(types))
                self._note(given, list(inner.arguments))
                with ir.InsertionPoint(inner):
                    *ops, end = block_ops(block)
                    self._ops(ops)
                    self._end(end)

    def _end(self, end: ir.Operation) -> None:
        to = receiver(end)
        assert to is not None, f"'{end.name}' hands values on"
        numbers = self._slice.needed_of(end, to)
        ir.Operation.create(
            end.name,
            operands=[self._of(end.operands[n]) for n in numbers],
            attributes=attributes_of(end),
            loc=end.location,
        )


# Leaving out --------------------------------------------------------------------------


def _drop_fills(fills: Sequence[ir.Operation]) -> None:
    """Erases the ops of the other role; users of a copy's token get the one it took."""
    copies = [op for op in fills if op.name == COPY]
    for op in copies:
        if not list(op.results[0].uses):
            continue
        given = token_operand(op)
        if given is None:
            with ir.InsertionPoint(op), op.location:
                given = cuda_tile.MakeTokenOp().result
        op.results[0].replace_all_uses_with(given)
    for op in (*copies, *(op for op in fills if op.name != COPY)):
        op.erase()


def _prune(
    ops: Sequence[ir.Operation], outside: set[ir.Operation], moved: set[ir.Operation]
) -> None:
    """Erases ops that no effect needs, and carried values without uses.

    Args:
        ops: The ops of a role.
        outside: The ops before the roles.
        moved: Ops with effects that another role has instead.
    """
    needed = RoleSlice(outside, lambda _: None, whole=_WHOLE)
    for op in effects_of(ops):
        if op not in moved:
            needed.add(op)
    for op in ops:
        _cut(op, needed)
    _erase(ops, needed)


def _dead(loop: ir.Operation, needed: RoleSlice) -> list[int]:
    """Numbers of the carried values of a loop that nothing needs."""
    if loop.name in _WHOLE:
        return []
    kept = needed.kept(loop).arguments
    return [n for n in range(len(loop.results)) if n not in kept]


def _cut(op: ir.Operation, needed: RoleSlice) -> None:
    """Lets loops pass unneeded values on unchanged, so that no op computes them."""
    if op not in needed.ops or not is_control(op):
        return
    if numbers := _dead(op, needed):
        first = first_carried(op)[1]
        for end in needed.ends(op):
            for n in numbers:
                end.operands[n] = body(op).arguments[first + n]
    for region in op.regions:
        for block in region.blocks:
            for inner in block_ops(block):
                _cut(inner, needed)


def _erase(ops: Sequence[ir.Operation], needed: RoleSlice) -> None:
    """Erases unneeded ops, users before the ops that they use."""
    for op in reversed(ops):
        if op not in needed.ops:
            op.erase()
        elif is_control(op):
            for region in op.regions:
                for block in region.blocks:
                    _erase(block_ops(block)[:-1], needed)
            if numbers := _dead(op, needed):
                drop(op, numbers)
