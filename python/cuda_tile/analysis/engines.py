# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which engines may copy the tile of a load to shared memory, and why others may not.

An engine copies asynchronously, ahead of the iteration that uses the tile. So the order
of tokens matters besides the instructions. Tokens must not put the load behind a store,
an acquire or a wait for the preceding grid in its loop: the copy would overtake them.
They must put no store behind the load: it has read only when its slot is taken. The
analysis uses facts and never guesses; a refusal says what would help.

| needs | `cp_async` | `tma` |
|---|---|---|
| chip | sm_80 | sm_90, and a launcher that makes tensor maps |
| source | view, or tile of pointers | view of entry parameters and constants |
| alignment | 4, 8 or 16 bytes together | base and strides multiples of 16 bytes |
| extents | any | below 2^31 |
| outside the tensor | zeros, or anything | the same |
| order | weak; by tokens behind no store or acquire of its loop, before no store | |

Contract `async_copies`
    Law: what a load reads is the same from where its loop begins to where its tile is
    used, if nothing that tokens order with it writes or acquires there: so a copy may
    read at any time between.

    | | condition | near misses |
    |---|---|---|
    | C1 types | 4 bytes lie together, for a tensor map 16 | two_bytes_together |
    | | | columns_apart |
    | - flags | loads have none that change values: copies check bounds anyway | |
    | C2 values | what is not read becomes zero, without a sign | padding_of_nan |
    | | | padding_of_minus_zero, padding_of_ones, padding_with_a_sign |
    | C3 order | the load is weak | relaxed, acquires_itself |
    | C4 order | by tokens nothing of its loop writes or acquires before it | |
    | | | store_of_the_loop, acquire_of_the_loop, atomic_of_the_loop |
    | | | wait_of_the_loop, store_that_the_loop_carries |
    | | | acquire_that_the_loop_carries, acquire_of_a_branch_of_the_loop |
    | C5 aliasing | tokens alone order accesses, whatever the addresses | |
    | | | store_of_the_loop_through_an_alias |
    | C6 aliasing | it is behind no access by other addresses of the same memory | |
    | | | behind_a_fence |
    | C7 order | nothing that writes or releases waits for it | store_that_waits |
    | | | release_that_waits |
    | C8 order | behind such an access a barrier stands before the loop, with a | |
    | | proxy fence for bulk copies | acquire_before_the_loop |
    | | | store_before_the_loop, relaxed_atomic_before_the_loop |
    | | | atomic_before_the_loop, acquire_whose_token_the_loop_carries |
    | | | acquire_of_a_branch_before_the_loop, wait_before_the_loop |
    | - blocks | what other tile blocks write meanwhile a weak load may not read | |
    | C9 indices | the address is computed from the iteration's index, of any width, | |
    | | and from what weak loads read that tokens put behind nothing: these | |
    | | run ahead as well | index_of_64_bits, table_that_the_loop_writes |
    | | | table_behind_a_store_of_the_loop, table_behind_an_acquire |
    | | | table_read_relaxed, table_read_acquire |
    | | | entry_that_an_atomic_gives, entry_that_a_sum_decides |
    | | | entry_that_the_one_before_names |
    | C10 extents | no copy is started and no table read for iterations that do not | |
    | | come | no_iteration, one_iteration, odd_extents |
    | | | no_entry, one_entry, four_entries |
    | C11 captures | only products use the tile, or what threads compute for them | |
    | | | tile_that_something_else_uses |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial

from cuda_tile._mlir import ir
from cuda_tile.analysis.access import describe_access, divisor
from cuda_tile.analysis.constants import uniform_bits
from cuda_tile.analysis.expressions import expression_of, parameter_of
from cuda_tile.analysis.facts import FactsAnalysis
from cuda_tile.analysis.facts_on_demand import FactsOnDemand
from cuda_tile.analysis.operand_sources import LoadedOperand
from cuda_tile.analysis.product_families import reads_itself
from cuda_tile.analysis.tensor_maps import map_boxes, map_order
from cuda_tile.analysis.tiling import (
    tensor_view_op,
    tensor_view_parts,
    tiling_of,
    view_operand,
)
from cuda_tile.analysis.tokens import (
    GRID_WAIT,
    TokenOrder,
    is_fresh,
    is_ordered,
    is_plain_load,
    tokens_of,
)
from cuda_tile.ir.copy_plan import CP_ASYNC, THREADS, TMA, has_engine
from cuda_tile.ir.memory_order import memory_order
from cuda_tile.ir.tiles import element_bits, element_of, shape_of
from cuda_tile.ir.traits import VIEW_LOADS
from cuda_tile.ir.walk import enclosing_ops_of, location_text, op_stem, segments
from cuda_tile.layout.descriptors import panel_buffer
from cuda_tile.targets import Target

LEAST_ASYNC_BYTES = 4
"""Bytes of the smallest `cp.async` (PTX ISA, "cp.async": 4, 8 or 16)."""
MOST_ASYNC_BYTES = 16
"""Bytes of the largest (same)."""
TMA_ALIGNMENT = 16
"""Bytes that divide base and strides of a tensor map (CUDA Driver API,
"cuTensorMapEncodeTiled")."""
TMA_MAX_RANK = 5
"""Dimensions of a tensor map (same)."""
TMA_MAX_EXTENT = (1 << 31) - 1
"""Largest extent whose elements the coordinates of a copy reach, which have 32 bits
with sign (PTX ISA, "cp.async.bulk.tensor")."""
TMA_ELEMENT_BITS = (8, 16, 32, 64)


class EngineChoice:
    """The engines that may load the tiles of one entry.

    Args:
        entry: The entry, at level T or W.
        target: The chip.
        abi: What the launcher does, as `tileas.abi` says.
    """

    def __init__(self, entry: ir.Operation, target: Target, abi: str) -> None:
        self._entry, self._target, self._abi = entry, target, abi
        self._order = TokenOrder(entry)

    @cached_property
    def facts(self) -> FactsAnalysis:
        """Facts of the entry, computed at the first use."""
        return FactsOnDemand(self._entry)

    def refusal(self, operand: LoadedOperand, engine: str) -> str | None:
        """Why an engine cannot load an operand, with the way out; None if it can.

        Args:
            operand: The load and the product that uses it.
            engine: `tma`, `cp_async` or `threads`.
        """
        if engine == THREADS:
            return None
        if not has_engine(self._target, engine):
            return f"{self._target.name} has no such copies"
        if engine == TMA and operand.may_end:
            return "its iteration may end before the tile is used"
        load = operand.load
        checks: Sequence[Callable[[ir.Operation], str | None]] = (
            _refuse_strong,
            _refuse_padding,
            partial(self._refuse_by_tokens, operand.loop),
            self._refuse_async if engine == CP_ASYNC else self._refuse_tma,
        )
        for check in checks:
            if (reason := operand.refusal or check(load)) is not None:
                return reason
        return next(filter(None, map(_refuse_table, operand.tables)), None)

    def is_read_by_scalars(self, operand: LoadedOperand) -> bool:
        """Whether `ldmatrix` cannot read a tile for the products that use it.

        `ldmatrix` reads rows of 16 bytes along K, with elements of at most 32 bits, and
        transposes 16-bit elements (PTX ISA, "ldmatrix"). The swizzles of tensor maps
        move rows by 16 bytes, so that loads of scalars from neighbouring rows have bank
        conflicts.
        """
        tile = operand.load.results[0]
        bits = element_bits(element_of(tile))
        if operand.is_computed:
            return False
        if all(reads_itself(op, self._target, self.facts) for op, _ in operand.uses):
            return False
        if bits == 16 or bits == 64:
            return bits == 64
        fastest = describe_access(operand.load, self.facts).fastest
        rank = len(shape_of(tile))
        return any(
            product.operands[index] == tile and fastest != rank - 1 - index
            for product, index in operand.uses
        )

    @property
    def _no_maps(self) -> str:
        return (
            f"a launcher for abi = {self._abi} makes no tensor maps; compile with abi "
            "= maps and launch with cuda_tile.launch"
        )

    def store_refusal(self, store: ir.Operation) -> str | None:
        """Why bulk copies cannot store a tile; None if they can.

        Bulk copies write through another proxy than threads, so nothing may be ordered
        with the store.
        """
        if not has_engine(self._target, TMA):
            return f"{self._target.name} has no such copies"
        if self._abi != "maps":
            return self._no_maps
        if is_ordered(store):
            return "tokens order it with other accesses, which copies are not"
        return _refuse_strong(store) or self._refuse_map(store)

    def awaits_threads(self, load: ir.Operation) -> bool:
        """Whether a load waits for a write or an acquire of the threads that compute.

        A role that only loads does not see these.
        """
        return any(op.name != GRID_WAIT for op in self._awaited(load))

    def _awaited(self, load: ir.Operation) -> list[ir.Operation]:
        """The accesses that a load must not overtake."""
        return [op for op in self._order.before(load) if not is_plain_load(op)]

    def _around(self, op: ir.Operation) -> list[ir.Operation]:
        """The loops, and perhaps the entry, in which no copy may be behind an op.

        Copies outside loops do not run ahead. But a separate role makes them, which
        waits for the preceding grid and for nothing else.
        """
        entry = [] if op.name == GRID_WAIT else [self._entry]
        return [*enclosing_ops_of(op), *entry]

    def _refuse_by_tokens(self, loop: ir.Operation, load: ir.Operation) -> str | None:
        """Why the order of tokens keeps a load in its place.

        Args:
            loop: The loop, or the entry, in which the copy may run ahead.
            load: The load.
        """
        for op in self._awaited(load):
            where = f"its token is behind '{op_stem(op)}' at {location_text(op)}, "
            # async_copies C4, C5
            if loop in self._around(op):
                return (
                    f"{where}which the copy might overtake; move that before the loop"
                )
            if _has_aliases(op):  # async_copies C6
                return f"{where}behind which threads see memory by other addresses"
        if self._order.writes_after(load):  # async_copies C7
            return "a store waits for its token, which the copy might trail"
        return None

    def _refuse_async(self, load: ir.Operation) -> str | None:
        if load.name in VIEW_LOADS and _is_sparse(load):
            return "the view has a position per slice, which only threads follow"
        access = describe_access(load, self.facts)
        size = access.vector * access.element_bytes
        if size >= LEAST_ASYNC_BYTES:  # async_copies C1
            return None
        return (
            f"{size} bytes are known to lie together, copies need "
            f"{LEAST_ASYNC_BYTES}; assume that base, strides and extents are multiples"
        )

    def _refuse_tma(self, load: ir.Operation) -> str | None:
        if self._abi != "maps":
            # Authors of kernels cannot change the launcher, but they can mend other
            # reasons.
            other = self._refuse_async(load)
            also = f"; nor by cp.async, which needs none: {other}" if other else ""
            return self._no_maps + also
        if load.name not in VIEW_LOADS:
            return "a tile of pointers has no tensor map; use a view"
        return self._refuse_map(load)

    def _refuse_map(self, op: ir.Operation) -> str | None:
        """Why a view has no tensor map."""
        tiling = tiling_of(view_operand(op))
        if tiling.sparse_dim is not None:
            return "the view has a position per slice, which only threads follow"
        parts = tensor_view_parts(tensor_view_op(view_operand(op)))
        rank, bits = len(parts.shape), element_bits(tiling.element)
        if rank > TMA_MAX_RANK:
            return f"the tensor has {rank} dimensions, a map has {TMA_MAX_RANK}"
        if bits not in TMA_ELEMENT_BITS:
            return f"a map has no elements of {bits} bits"
        numbers = (*parts.shape, *parts.strides)
        values = [n for n in numbers if isinstance(n, ir.Value)]
        if parameter_of(parts.base) is None:
            return "the base of a map is a parameter of the kernel; here it is computed"
        if any(expression_of(value) is None for value in values):
            return (
                "extents and strides of a map are computed from parameters of the "
                "kernel alone; here one is not"
            )
        for d, extent in enumerate(parts.shape):
            if not self._is_reached(extent):
                return (
                    f"extent {d} may exceed {TMA_MAX_EXTENT}, which a copy's "
                    f"coordinates cannot; assume bounded<0, {TMA_MAX_EXTENT}> on it"
                )
        order = map_order(view_operand(op))
        if order is None:
            return "no stride of the tensor is known to be 1"
        reason = self._refuse_alignment(
            parts.base, parts.strides, tiling.dim_map[order[0]], bits // 8
        )
        return reason or self._refuse_boxes(op, order[0], bits)

    def _is_reached(self, extent: int | ir.Value) -> bool:
        """Whether signed 32-bit coordinates reach every element of a dimension.

        An extent is unsigned: one that may be negative as a signed number may be large.
        """
        if isinstance(extent, int):
            return extent <= TMA_MAX_EXTENT
        width, known = element_bits(element_of(extent)), self.facts.of(extent)
        if width < 32:
            return True
        high = (1 << width - 1) - 1 if known.high is None else known.high
        is_natural = known.low is not None and known.low >= 0
        return is_natural and high <= TMA_MAX_EXTENT

    def _refuse_boxes(self, op: ir.Operation, fastest: int, bits: int) -> str | None:
        view = view_operand(op)
        shape = tiling_of(view).tile_shape
        row = shape[fastest] * bits // 8
        if row < TMA_ALIGNMENT:
            return (
                f"a row of the tile has {row} bytes, TMA copies {TMA_ALIGNMENT} or "
                "more; a larger tile has longer rows"
            )
        if map_boxes(view, panel_buffer(shape, bits, fastest)) is None:
            return "no boxes of a tensor map make up the tile"
        return None

    def _refuse_alignment(
        self,
        base: ir.Value,
        strides: Sequence[int | ir.Value],
        fastest: int,
        element_bytes: int,
    ) -> str | None:
        known = self.facts.of(base).divisor
        if known < TMA_ALIGNMENT:  # async_copies C1
            return (
                f"the base is known to be divisible by {known} bytes, TMA needs "
                f"{TMA_ALIGNMENT}; assume div_by<{TMA_ALIGNMENT}> on it"
            )
        for d, stride in enumerate(strides):
            if d == fastest:
                continue
            known = divisor(stride, self.facts) * element_bytes
            if known < TMA_ALIGNMENT:
                wanted = TMA_ALIGNMENT // element_bytes
                return (
                    f"stride {d} is known to be divisible by {known} bytes, TMA needs "
                    f"{TMA_ALIGNMENT}; assume div_by<{wanted}> on it"
                )
            low = stride if isinstance(stride, int) else self.facts.of(stride).low
            if low is None or low < 0:
                return f"stride {d} may be negative; assume bounded<0, ?> on it"
        return None


def _has_aliases(op: ir.Operation) -> bool:
    """Whether an op, or one behind it, may access memory by other addresses.

    Such accesses have proxies of their own, beside the proxy of copies.
    """
    return op_stem(op).startswith(("multimem", "memory_fence_alias"))


def _refuse_strong(load: ir.Operation) -> str | None:
    order = memory_order(load)
    if not order.is_strong:  # async_copies C3
        return None
    return f"its memory order is {order.semantics}, copies are weak"


def _refuse_table(load: ir.Operation) -> str | None:
    """Why a load that gives another load its address may not run ahead."""
    reason = _refuse_strong(load)
    if reason is None and not all(map(is_fresh, tokens_of(load.operands))):
        reason = "tokens order it with other accesses"
    if reason is None:  # async_copies C9
        return None
    where = f"'{op_stem(load)}' at {location_text(load)}"
    return f"its address depends on {where}: {reason}"


def _refuse_padding(load: ir.Operation) -> str | None:
    """Why copies cannot pad a tile: they write zeros outside the tensor."""
    if load.name in VIEW_LOADS:
        padding = tiling_of(view_operand(load)).padding
        if padding in (None, "zero"):  # async_copies C2
            return None
        return f"its padding is {padding}, copies fill with zeros"
    for value in segments(load)[2]:
        if uniform_bits(value) != 0:  # async_copies C2
            return "what its mask excludes is not known to be zero, as copies make it"
    return None


def _is_sparse(load: ir.Operation) -> bool:
    return tiling_of(view_operand(load)).sparse_dim is not None
