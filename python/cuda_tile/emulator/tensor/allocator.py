# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocation of tensor memory: by one warp, or by one of each CTA of a pair.

PTX ISA: "tcgen05.alloc, tcgen05.dealloc, tcgen05.relinquish_alloc_permit". Columns come
in powers of two from 32 to 512, no more than the time before; alloc waits until they
are free, and in a pair until the other CTA asks too. All must be given back.

"The issuing warp must make sure that peer CTA is launched" (same section): a pair meets
at a cluster barrier before it allocates. Both must also have allocated before one of
them deallocates, or the launch fails (seen on sm_103: NVIDIA/cutlass issue 3435). Both
are decided by happens-before, as `shadow.presence` has it.

Each CTA has all columns to itself here. On a chip others of the grid may hold some of
them; `residency` says when they could all wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cuda_tile.emulator.errors import Fault
from cuda_tile.emulator.memory.protocol import Memories
from cuda_tile.emulator.tensor.memory import BLOCK_COLUMNS, N_COLUMNS, TensorMemory
from cuda_tile.emulator.tensor.residency import Residency


@dataclass(frozen=True)
class Allocation:
    """Columns of one CTA.

    Attributes:
        start, n_columns: Where they are.
        at: Number of the instruction that allocated them.
    """

    start: int
    n_columns: int
    at: int


class _Done(NamedTuple):
    """The end of a tcgen05.alloc: the agent that executed it, and its clock then."""

    agent: int
    clock: int


class TensorAllocator:
    """Which columns of tensor memory each CTA of a machine has allocated."""

    def __init__(
        self, machine: Memories, memory: TensorMemory, residency: Residency
    ) -> None:
        self._machine = machine
        self._memory = memory
        self._residency = residency
        n_ctas = machine.geometry.n_ctas
        self._owned: list[dict[int, Allocation]] = [{} for _ in range(n_ctas)]
        self._has_permit = np.ones(n_ctas, np.bool_)
        self._latest = np.full(n_ctas, N_COLUMNS)
        # By CTA: requests that wait for the peer, and those that the peer completed.
        self._asked: dict[int, int] = {}
        self._granted: dict[int, int] = {}
        # When each CTA's warp went on from an allocation, by CTA and first column.
        self._done: dict[tuple[int, int], _Done] = {}
        self._leaving: dict[int, Allocation] = {}
        self._left: set[int] = set()

    def reset(self) -> None:
        """Starts new CTAs."""
        for owned in self._owned:
            owned.clear()
        self._has_permit[:] = True
        self._latest[:] = N_COLUMNS
        for table in (
            self._asked,
            self._granted,
            self._done,
            self._leaving,
            self._left,
        ):
            table.clear()

    # Allocation --------------------------------------------------------------------

    def allocate(
        self, at: int, lane: int, n_columns: int, partners: list[int]
    ) -> int | None:
        """tcgen05.alloc, polled until it returns the first column.

        Args:
            at: Number of the instruction.
            lane: The first lane of the allocating warp.
            n_columns: Number of columns.
            partners: The CTAs that allocate together, the lane's among them.
        """
        cta = int(self._machine.cta_of[lane])
        if cta not in self._granted:
            self._ask(at, cta, n_columns, partners)
        start = self._granted.pop(cta, None)
        if start is not None:
            self._done[cta, start] = _Done(*self._machine.presence.own_clock(lane))
        return start

    def _ask(self, at: int, cta: int, n_columns: int, partners: list[int]) -> None:
        """Asks for columns of a CTA; grants them to all partners once they can be."""
        if cta not in self._asked:
            self._check_size(cta, n_columns)
            self._check_peers(cta, partners)
            self._check_others(cta, n_columns)
            self._asked[cta] = n_columns
        if not all(partner in self._asked for partner in partners):
            return
        if any(self._asked[partner] != n_columns for partner in partners):
            raise Fault("tensor memory", "the CTAs of a pair ask for different columns")
        start = self._memory.find_free(partners, n_columns)
        if start is None:
            return
        for partner in partners:
            self._memory.take(partner, start, n_columns)
            self._owned[partner][start] = Allocation(start, n_columns, at)
            self._latest[partner] = n_columns
            del self._asked[partner]
            self._granted[partner] = start
        counters = self._machine.counters
        counters.tensor_columns = max(counters.tensor_columns, self._held(cta))
        self._machine.progress += 1

    def _held(self, cta: int) -> int:
        """Columns that a CTA has allocated."""
        return sum(one.n_columns for one in self._owned[cta].values())

    def _check_others(self, cta: int, n_columns: int) -> None:
        """Reports a request that CTAs of one multiprocessor could wait for forever.

        A CTA that waits for its own columns is a deadlock anyway.
        """
        held = self._held(cta)
        ctas = self._residency.holders(held, n_columns)
        if ctas > 1:
            raise Fault(
                "tensor memory",
                f"a CTA asks for {n_columns} columns while it holds {held}: {ctas} "
                f"CTAs that one multiprocessor may have at a time "
                f"({self._residency.reason}) would hold {ctas * held} of {N_COLUMNS} "
                "columns and wait for each other forever; expected one tcgen05.alloc "
                "of all columns, or launch with the `registers` that keep CTAs apart",
            )

    def _check_peers(self, cta: int, partners: list[int]) -> None:
        for peer in partners:
            if peer != cta and not self._machine.presence.knows_started(cta, peer):
                raise Fault(
                    "cluster",
                    f"{self._name(cta)} allocates tensor memory together with "
                    f"{self._name(peer)}, which may not have started: expected a "
                    "cluster barrier before tcgen05.alloc.cta_group::2, got none "
                    "since the start",
                )

    def _name(self, cta: int) -> str:
        return f"CTA rank {cta % self._machine.geometry.cluster_size}"

    def _check_size(self, cta: int, n_columns: int) -> None:
        is_power = n_columns & (n_columns - 1) == 0
        if not is_power or not BLOCK_COLUMNS <= n_columns <= N_COLUMNS:
            raise Fault(
                "tensor memory",
                f"expected a power of two from {BLOCK_COLUMNS} to {N_COLUMNS} as the "
                f"number of columns, got {n_columns}",
            )
        if not self._has_permit[cta]:
            raise Fault(
                "tensor memory",
                "tcgen05.alloc after the CTA executed tcgen05.relinquish_alloc_permit",
            )
        if n_columns > self._latest[cta]:
            raise Fault(
                "tensor memory",
                f"expected at most the {int(self._latest[cta])} columns of the last "
                f"tcgen05.alloc, got {n_columns}",
            )

    def relinquish(self, cta: int) -> None:
        """tcgen05.relinquish_alloc_permit."""
        self._has_permit[cta] = False

    def words(self, cta: int, n_columns: int, partners: list[int]) -> str:
        """Says what a warp that allocates waits for."""
        if not all(partner in self._asked for partner in partners):
            return f"tcgen05.alloc of {n_columns} columns by the peer CTA"
        left = N_COLUMNS - self._held(cta)
        return f"{n_columns} columns of tensor memory, of which {left} are free"

    # Deallocation ------------------------------------------------------------------

    def free(
        self, at: int, lane: int, address: int, n_columns: int, partners: list[int]
    ) -> bool:
        """tcgen05.dealloc, polled until it returns true."""
        cta = int(self._machine.cta_of[lane])
        if cta in self._left:
            self._left.remove(cta)
            return True
        if cta not in self._leaving:
            self._leaving[cta] = self._check_owned(cta, address, n_columns)
            self._check_allocated(cta, address, partners)
            self._memory.give_back(at, lane, address, n_columns)
        if not all(partner in self._leaving for partner in partners):
            return False
        for partner in partners:
            start = self._leaving.pop(partner).start
            del self._owned[partner][start]
            self._done.pop((partner, start), None)
            self._left.add(partner)
        self._left.remove(cta)
        self._machine.progress += 1
        return True

    def _check_allocated(self, cta: int, start: int, partners: list[int]) -> None:
        """Reports peers whose tcgen05.alloc may not be over."""
        for peer in partners:
            done = self._done.get((peer, start))
            if peer == cta or (
                done is not None and self._machine.presence.knows(cta, *done)
            ):
                continue
            raise Fault(
                "cluster",
                f"{self._name(cta)} deallocates tensor memory while the tcgen05.alloc "
                f"of {self._name(peer)} may still run: expected a cluster barrier "
                "between, so that both have allocated before one deallocates",
            )

    def _check_owned(self, cta: int, address: int, n_columns: int) -> Allocation:
        found = self._owned[cta].get(address)
        if found is None:
            raise Fault(
                "tensor memory",
                f"expected the address of an allocation to deallocate, got {address:#x}"
                f"; it is given back already, or was never allocated",
            )
        if found.n_columns != n_columns:
            raise Fault(
                "tensor memory",
                f"expected to deallocate the {found.n_columns} columns that were "
                f"allocated at {address:#x}, got {n_columns}",
            )
        return found

    def finish(self) -> Iterator[tuple[str, int]]:
        """The CTAs end; says what was not given back, and where it was allocated."""
        for owned in self._owned:
            for allocation in owned.values():
                yield (
                    f"the CTA ends before a tcgen05.dealloc of the "
                    f"{allocation.n_columns} columns allocated here",
                    allocation.at,
                )
