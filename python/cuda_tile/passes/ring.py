# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Multi-buffering: every buffer that a copy fills becomes a slot of a ring.

Contract: in, staged level W, where a `copy_in` or `gather_in` to a buffer counts as
complete at once; out, the same program in which each copy fills a slot: acquire before
the first copy, publish after the last, take before the first use, release after the
last use in the same block (after the await of the products that read it), and on each
way out of the block between the two. Each iteration is still filled and drained in
place, so that the program is right without further passes; `skew` moves the copies
ahead.

Copies share a ring if they are in one block, have the same engine and plan, fill
operands of the same products, and if no op reads one of them before all have started.
Copies by threads may share a ring with bulk copies, if products alone read them.

A ring waits by groups of copies if threads copy and there is one role, or if an
iteration may end before its slot is released; otherwise by mbarriers. A ring with
groups lives as long as its loop, with iterations from 0. If its copies cannot run ahead
(a loop that is left early, a branch, no loop), it is made in place, with one slot and
one iteration. A ring with mbarriers lives as long as the kernel. All loops and branches
around it carry its iteration, and equal rings of consecutive loops are one.
"""

from __future__ import annotations

from dataclasses import field

from cuda_tile._mlir import ir
from cuda_tile._mlir._mlir_libs._cuda_tile import BufferType, RingType
from cuda_tile._mlir.dialects import tileas
from cuda_tile.analysis.slots import SlotUse, describe_copy
from cuda_tile.errors import Unsupported
from cuda_tile.ir.async_products import THREADS
from cuda_tile.ir.carried import BRANCH, CarriedVariable, ancestor_in, exits_of, leaves
from cuda_tile.ir.copies import (
    CP_ASYNC,
    copy_buffer,
    copy_engine,
    copy_numbers,
    is_planned_store,
)
from cuda_tile.ir.copy_plan import TMA
from cuda_tile.ir.plan import add_remark, read_plan
from cuda_tile.ir.scalars import constant, plus
from cuda_tile.ir.traits import BUFFER_MAKERS, BUFFER_RENAMES, COPIES, FOR_LOOPS, LOOPS
from cuda_tile.ir.walk import (
    block_ops,
    defining_op,
    enclosing_ops,
    enclosing_ops_of,
    location_text,
    nested_ops,
)
from cuda_tile.passes.each_kernel import each_kernel
from cuda_tile.records import dataclass

ENTRY = "cuda_tile.entry"


@dataclass(eq=False)
class _Group:
    """Copies of one block that share a ring.

    Attributes:
        copies: The copies, in order.
        exits: Places of the ops behind them that may leave the block.
    """

    copies: list[SlotUse] = field(default_factory=list[SlotUse])
    exits: list[int] = field(default_factory=list[int])

    @property
    def op(self) -> ir.Operation:
        """The first copy."""
        return self.copies[0].op

    @property
    def first_use(self) -> int:
        """The first place where one of the copies must be complete."""
        uses = [place for copy in self.copies for place in copy.uses]
        return min(uses + self.exits)

    @property
    def last_use(self) -> int:
        """The place of the last use of a slot."""
        return max(place for copy in self.copies for place in copy.uses)

    @property
    def may_end(self) -> bool:
        """Whether control may leave the block before the last use."""
        return any(place <= self.last_use for place in self.exits)


@dataclass(frozen=True)
class _Span:
    """The places of the ops of an iteration; None is the end of the block."""

    read: ir.Operation | None
    done: ir.Operation | None


@dataclass(eq=False)
class _Ring:
    """A ring with mbarriers that equal copies of a later loop may share.

    Copies in a separate role then run ahead from one loop into the next, and the loops
    need the bytes of one ring only.

    Attributes:
        ring: The ring.
        key: The properties that must be equal: type, engine, readers, plan.
        anchor: An op of the block where it was used last.
        numbers: The number of the result that is its iteration, for each op around
            `anchor`, the outermost first.
    """

    ring: ir.Value
    key: tuple[ir.Type, str, str, tuple[int, int]]
    anchor: ir.Operation
    numbers: list[int]

    def common(self, around: list[ir.Operation]) -> int:
        """How many of the ops around other copies also carry the iteration."""
        pairs = zip(enclosing_ops_of(self.anchor)[::-1], around, strict=False)
        return sum(1 for mine, other in pairs if mine == other)

    def precedes(self, around: list[ir.Operation]) -> bool:
        """Whether its last loop ends before the loop of other copies begins."""
        count, mine = self.common(around), enclosing_ops_of(self.anchor)[::-1]
        if count >= len(mine) or count >= len(around):
            return False
        first, other = mine[count], around[count]
        return first.block == other.block and first.is_before_in_block(other)

    def iteration(self, level: int) -> ir.Value:
        """Its next iteration after an op around its last use."""
        return enclosing_ops_of(self.anchor)[::-1][level].results[self.numbers[level]]

    def goes_on(self, release: ir.Operation, level: int, numbers: list[int]) -> None:
        """Notes a later loop as the last use of the ring.

        Args:
            release: The last op of an iteration of that loop.
            level: How many ops around both loops carry the iteration.
            numbers: The numbers of the results that are the iteration, for the other
                ops around the later loop.
        """
        before, later = self.iteration(level), enclosing_ops_of(release)[::-1]
        first = later[level]
        for use in list(before.uses):
            owner = use.owner.operation
            if ancestor_in(first.block, owner) != first:  # a branch uses it inside
                owner.operands[use.operand_number] = first.results[numbers[0]]
        self.anchor = release
        self.numbers = self.numbers[:level] + numbers


@each_kernel
def run(entry: ir.Operation) -> None:
    """Makes the rings of an entry."""
    rings: list[_Ring] = []
    homes = [op for op in nested_ops(entry) if _fills_buffer(op)]
    has_one_role = bool(homes) and read_plan(entry).roles == "one"
    while homes:
        block = homes[0].block
        copies = [op for op in homes if op.block == block]
        homes = [op for op in homes if op.block != block]
        groups = _groups(copies)
        ops = block_ops(block)
        spans = [_span(ops, group) for group in groups]
        for group, span in zip(groups, spans, strict=True):
            by_threads = copy_engine(group.op) == CP_ASYNC
            by_groups = by_threads and (has_one_role or group.may_end)
            if by_groups and (why := _why_in_place(group, has_one_role)):
                text = f"{location_text(group.op)}: copied where it is used: {why}"
                add_remark(entry, text)
            _make_ring(rings, group, span, by_groups=by_groups)


def _why_in_place(group: _Group, has_one_role: bool) -> str | None:
    """Why copies that wait by groups do not run ahead, unless `skew` reports that."""
    if not has_one_role:
        return (
            "its iteration may end before that, so that no role of its own may copy; "
            "move the break, continue or return before the load, or behind the last "
            "use of its tile"
        )
    parent, *outer = enclosing_ops(group.op.results[0])
    is_in_loop = any(op.operation.name in LOOPS for op in outer)
    if (
        parent.operation.name != BRANCH
        or not is_in_loop
        or not copy_numbers(group.op)[1]
    ):
        return None
    return (
        "in one role no copy under an 'if' runs ahead; a role that loads, which takes "
        "the same branch, does"
    )


def _fills_buffer(op: ir.Operation) -> bool:
    if op.name not in COPIES and not is_planned_store(op):
        return False
    alloc = defining_op(copy_buffer(op))
    return alloc is not None and alloc.name in BUFFER_MAKERS


def _groups(copies: list[ir.Operation]) -> list[_Group]:
    """The copies of one block by the rings they get, in order."""
    places = {op: place for place, op in enumerate(block_ops(copies[0].block))}
    exits = [place for op, place in places.items() if leaves(op)]
    groups: list[_Group] = []
    for op in copies:
        copy = describe_copy(op, places)
        group = next((g for g in groups if _belongs(g, copy, places[op])), None)
        if group is None:
            group = _Group(exits=[place for place in exits if place > places[op]])
            groups.append(group)
        group.copies.append(copy)
    return groups


def _belongs(group: _Group, copy: SlotUse, place: int) -> bool:
    """Whether a copy shares the ring of earlier ones."""
    return (
        (copy_engine(group.op) == copy_engine(copy.op) or _may_mix(group, copy))
        and copy_numbers(group.op) == copy_numbers(copy.op)
        and any(other.consumers & copy.consumers for other in group.copies)
        and place < group.first_use
    )


def _may_mix(group: _Group, copy: SlotUse) -> bool:
    """Whether threads may fill a part of a slot that one kind of product reads."""
    readers = _readers(group) | copy.readers
    return _is_bulk(group) and THREADS not in readers and len(readers) == 1


def _span(ops: list[ir.Operation], group: _Group) -> _Span:
    """The op before the take of a group's slot, and the op before its release."""
    last = len(ops) - 1
    read, done = group.first_use, group.last_use
    return _Span(ops[read] if read < last else None, ops[done] if done < last else None)


def _make_ring(
    rings: list[_Ring], group: _Group, span: _Span, *, by_groups: bool
) -> None:
    """Gives a group of copies a ring: their own, or that of an earlier loop.

    Args:
        rings: The rings with mbarriers so far; the group's is added.
        group: The copies.
        span: The places of their uses.
        by_groups: Whether the ring waits by groups.
    """
    around = _around(group, by_groups=by_groups)
    slots = copy_numbers(group.op)[0] if around or not by_groups else 1
    types = [BufferType(copy_buffer(copy.op).type) for copy in group.copies]
    engine, drain = copy_engine(group.op), _drain(group, by_groups=by_groups)
    key = (RingType.get(slots, types), engine, drain, copy_numbers(group.op))
    _check_exits(group, around)
    outer = around[::-1]
    earlier = next((r for r in rings if r.key == key and r.precedes(outer)), None)
    level = 0 if earlier is None else earlier.common(outer)
    if earlier is not None:
        ring, iteration = earlier.ring, earlier.iteration(level)
    else:
        with ir.InsertionPoint(around[-1] if around else group.op), group.op.location:
            iteration = constant(0)
            sync = "groups" if by_groups else "mbarriers"
            ring = tileas.RingOp(key[0], engine, drain, sync).ring
    variable = CarriedVariable(around[: len(around) - level], group.op, iteration)
    release = _insert_iteration(group, span, ring, variable.value)
    if not by_groups and drain != THREADS and len(_readers(group)) > 1:
        with ir.InsertionPoint(release), release.location:
            tileas.BarrierOp()  # then one warp releases for all, whose threads read
    if around:
        with ir.InsertionPoint.after(release), release.location:
            following = plus(variable.value, 1)
        variable.change(release, following)
    if by_groups:
        return
    numbers = [len(carried.op.results) - 1 for carried in variable.levels]
    if earlier is not None:
        earlier.goes_on(release, level, numbers)
    else:
        rings.append(_Ring(ring, key, release, numbers))


def _around(group: _Group, *, by_groups: bool) -> list[ir.Operation]:
    """The ops that carry the iteration, the innermost first."""
    outer = [op.operation for op in enclosing_ops(copy_buffer(group.op))]
    parent = outer[0]
    if by_groups:
        is_pipelined = (
            parent.name in FOR_LOOPS
            and copy_numbers(group.op)[1] > 0
            and not any(leaves(op) for op in block_ops(group.op.block))
        )
        return [parent] if is_pipelined else []
    return outer[: [op.name for op in outer].index(ENTRY)]


def _check_exits(group: _Group, around: list[ir.Operation]) -> None:
    """Checks that every path releases a slot whose iteration is carried.

    Raises:
        Unsupported: A loop is left before the slot is released.
    """
    if around and group.may_end:
        raise Unsupported(
            "expected no break, continue or return between a copy and the last use of "
            "what it copied, where its iterations go on; plan the load with engine = "
            "threads",
            location_text(group.op),
        )


def _drain(group: _Group, *, by_groups: bool) -> str:
    """The readers of the slots, which decide about fences and about who releases.

    Asynchronous products need a fence after copies by threads, even if threads read the
    slots, too. They need none after bulk copies; then each warp releases for itself if
    threads read.

    Raises:
        Unsupported: Products of several kinds read them.
    """
    readers = _readers(group)
    products = sorted(readers - {THREADS})
    if len(products) > 1:
        raise Unsupported(
            f"expected products of one kind to read what was copied, got {products}",
            location_text(group.op),
        )
    is_mixed = len(readers) > 1
    if not products or (is_mixed and not by_groups and _is_bulk(group)):
        return THREADS
    return products[0]


def _readers(group: _Group) -> set[str]:
    return {reader for copy in group.copies for reader in copy.readers}


def _is_bulk(group: _Group) -> bool:
    return copy_engine(group.op) == TMA


def _insert_iteration(
    group: _Group, span: _Span, ring: ir.Value, iteration: ir.Value
) -> ir.Operation:
    """Inserts the four ops of an iteration; returns the release."""
    first, last = group.copies[0].op, group.copies[-1].op
    ty = RingType(ring.type)
    with ir.InsertionPoint(first), first.location:
        filled = tileas.AcquireOp(list(ty.buffers), ring, iteration).operation
    with ir.InsertionPoint.after(last), last.location:
        tileas.PublishOp(ring, iteration)
    end = block_ops(first.block)[-1]
    with ir.InsertionPoint(span.read or end), first.location:
        read = tileas.TakeOp(list(ty.buffers), ring, iteration).operation
    point = ir.InsertionPoint(end)
    if span.done is not None:
        point = ir.InsertionPoint.after(span.done)
    with point, first.location:
        release = tileas.ReleaseOp(ring, iteration, []).operation
    for exit_ in _exits_between(read, release):
        with ir.InsertionPoint(exit_), first.location:
            tileas.ReleaseOp(ring, iteration, [])
    for number, copy in enumerate(group.copies):
        buffer = copy_buffer(copy.op)
        alloc = defining_op(buffer)
        buffer.replace_all_uses_with(read.results[number])
        copy.op.replace_uses_of_with(read.results[number], filled.results[number])
        if alloc is not None:
            alloc.erase()
        _rename_behind(read, read.results[number])
    return release


def _exits_between(read: ir.Operation, done: ir.Operation) -> list[ir.Operation]:
    """The ways out of a block between two of its ops."""
    ops = block_ops(read.block)
    between = ops[ops.index(read) : ops.index(done)]
    return [exit_ for op in between for exit_ in exits_of(op)]


def _rename_behind(read: ir.Operation, buffer: ir.Value) -> None:
    """Moves renamings of a buffer behind the take that gives it."""
    for use in list(buffer.uses):
        op = use.owner.operation
        if op.name in BUFFER_RENAMES and op.block == read.block:
            if op.is_before_in_block(read):
                op.move_after(read)
            _rename_behind(op, op.results[0])
